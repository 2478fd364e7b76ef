//! The picture of overlaps: who is on the bytes of the selection, over steps and addresses.

use std::cell::RefCell;

use web_sys::HtmlCanvasElement;

use super::ink::{colour, Ink};
use super::zoom::Window;
use super::{dom, Result};
use crate::engine::safety::{OverlapBox, OverlapBoxes};
use crate::engine::view::Thing;

const HEIGHT: f64 = 210.0;
const LEFT: f64 = 104.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 10.0;

type Rect = (f64, f64, f64, f64);

/// The canvas and where things are on it.
pub struct OverlapMap {
    canvas: HtmlCanvasElement,
    /// What can be clicked: later ones lie above.
    places: RefCell<Vec<(Rect, OverlapBox)>>,
}

impl OverlapMap {
    /// Finds the canvas.
    pub fn new() -> Result<Self> {
        Ok(Self {
            canvas: dom::find("[data-hook=overlap-map]")?,
            places: RefCell::default(),
        })
    }

    /// The canvas.
    pub fn canvas(&self) -> &HtmlCanvasElement {
        &self.canvas
    }

    /// Paints what lies in a window of steps.
    pub fn paint(&self, boxes: &OverlapBoxes, window: Window) -> Result<()> {
        self.places.borrow_mut().clear();
        let Some(ink) = Ink::of(&self.canvas, HEIGHT)? else {
            return Ok(());
        };
        let own = boxes.of.tensor.and(boxes.boxes().next());
        let (lo, hi) = match own {
            Some(own) => (own.start, own.end),
            None => boxes.boxes().fold((u64::MAX, 0), |(lo, hi), b| {
                (lo.min(b.start), hi.max(b.end))
            }),
        };
        if lo >= hi {
            return Ok(());
        }
        let (right, bottom) = (ink.width - RIGHT, HEIGHT - BOTTOM);
        let step_wide = (right - LEFT) / f64::from(window.wide().max(1));
        let y = |at: u64| {
            let share = (at.clamp(lo, hi) - lo) as f64 / (hi - lo) as f64;
            bottom - share * (bottom - TOP)
        };
        let place = |b: &OverlapBox| -> Option<Rect> {
            if b.last < window.first || b.first > window.last {
                return None;
            }
            let first = f64::from(b.first.max(window.first) - window.first);
            let last = f64::from(b.last.min(window.last) - window.first) + 1.0;
            let (x, wide) = (LEFT + first * step_wide, (last - first) * step_wide);
            let tall = (y(b.start) - y(b.end)).max(1.0);
            Some((x, y(b.end), wide.max(1.0), tall))
        };
        let (line, dim) = (colour("--line-strong"), colour("--dim"));
        let (card, accent) = (colour("--card"), colour("--accent"));
        let (hazard, union) = (colour("--hazard"), colour("--limit"));
        ink.fill((LEFT, TOP, right - LEFT, bottom - TOP), &line, 0.14);
        if let Some(at) = own.as_ref().and_then(place) {
            ink.fill(at, &accent, 0.3);
            ink.outline(at, &accent);
        }
        let text = [colour("--ink"), colour("--card")];
        let mut places = Vec::new();
        // What matters lies above.
        for strong in [false, true] {
            for b in boxes.boxes().skip(usize::from(own.is_some())) {
                let Some(at) = place(&b).filter(|_| (b.why == 0) == strong) else {
                    continue;
                };
                let (own, edge) = match b.why {
                    0 => (&hazard, &hazard),
                    1 => (&union, &card),
                    _ => (&dim, &card),
                };
                ink.fill(at, own, if strong { 0.75 } else { 0.35 });
                let (x, y, wide, tall) = at;
                if wide > 3.0 && tall > 3.0 {
                    ink.outline((x, y, wide - 1.0, tall - 1.0), edge);
                }
                places.push((at, b));
                if tall > 14.0 && wide > 30.0 {
                    let label = Thing::Tensor(b.id).key();
                    if ink.measure(&label) + 8.0 < wide {
                        let middle = (x + wide / 2.0, y + tall / 2.0);
                        ink.text(&label, middle, &text[usize::from(strong)], "center")?;
                    }
                }
            }
        }
        ink.text(&format!("0x{hi:x}"), (LEFT - 10.0, TOP + 4.0), &dim, "end")?;
        ink.text(
            &format!("0x{lo:x}"),
            (LEFT - 10.0, bottom - 5.0),
            &dim,
            "end",
        )?;
        let below = bottom + 12.0;
        ink.text(&format!("${}", window.first), (LEFT, below), &dim, "start")?;
        ink.text(&format!("${}", window.last), (right, below), &dim, "end")?;
        *self.places.borrow_mut() = places;
        Ok(())
    }

    /// Empties the canvas.
    pub fn clear(&self) {
        self.places.borrow_mut().clear();
        self.canvas.set_width(1);
    }

    /// The box under a place, CSS pixels.
    pub fn at(&self, x: f64, y: f64) -> Option<OverlapBox> {
        let places = self.places.borrow();
        let inside = |((left, top, wide, tall), _): &&(Rect, OverlapBox)| {
            (*left..left + wide.max(3.0)).contains(&x) && (*top..top + tall.max(3.0)).contains(&y)
        };
        places.iter().rev().find(inside).map(|(_, b)| *b)
    }
}
