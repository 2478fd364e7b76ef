//! The picture of overlaps: who is on the bytes of the selection, over steps and addresses.

use std::cell::RefCell;

use web_sys::HtmlCanvasElement;

use super::ink::{colour, Ink};
use super::zoom::Window;
use super::{dom, Result};
use crate::engine::safety::OverlapBoxes;

const HEIGHT: f64 = 210.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 16.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 10.0;

type Rect = (f64, f64, f64, f64);

/// The canvas and where things are on it.
pub struct OverlapMap {
    canvas: HtmlCanvasElement,
    /// What can be clicked: later ones lie above.
    places: RefCell<Vec<(Rect, usize)>>,
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
        let all = boxes.bytes.iter().chain(boxes.own.iter().map(|(_, b)| b));
        let bounds = boxes
            .own
            .map(|(_, b)| b)
            .or(boxes.of.bytes)
            .unwrap_or_else(|| {
                all.fold((u64::MAX, 0), |(lo, hi), (start, end)| {
                    (lo.min(*start), hi.max(*end))
                })
            });
        let (lo, hi) = bounds;
        if lo >= hi {
            return Ok(());
        }
        let (right, bottom) = (ink.width - RIGHT, HEIGHT - BOTTOM);
        let step_wide = (right - LEFT) / f64::from(window.wide().max(1));
        let y = |at: u64| {
            let share = (at.clamp(lo, hi) - lo) as f64 / (hi - lo) as f64;
            bottom - share * (bottom - TOP)
        };
        let place = |life: (u32, u32), bytes: (u64, u64)| -> Option<Rect> {
            if life.1 < window.first || life.0 > window.last {
                return None;
            }
            let first = f64::from(life.0.max(window.first) - window.first);
            let last = f64::from(life.1.min(window.last) - window.first) + 1.0;
            let (x, wide) = (LEFT + first * step_wide, (last - first) * step_wide);
            let tall = (y(bytes.0) - y(bytes.1)).max(1.0);
            Some((x, y(bytes.1), wide.max(1.0), tall))
        };
        let (line, dim) = (colour("--line-strong"), colour("--dim"));
        let (card, accent) = (colour("--card"), colour("--accent"));
        let (hazard, union) = (colour("--hazard"), colour("--limit"));
        ink.fill((LEFT, TOP, right - LEFT, bottom - TOP), &line, 0.14);
        if let Some(own) = boxes.own.and_then(|(life, bytes)| place(life, bytes)) {
            ink.fill(own, &accent, 0.3);
            ink.outline(own, &accent);
        }
        let mut places = Vec::new();
        // What matters lies above.
        for strong in [false, true] {
            let rows = boxes
                .life
                .iter()
                .zip(&boxes.bytes)
                .zip(&boxes.why)
                .enumerate();
            for (i, ((life, bytes), why)) in rows {
                let Some(at) = place(*life, *bytes).filter(|_| (why == "hazard") == strong) else {
                    continue;
                };
                let own = match why.as_str() {
                    "hazard" => &hazard,
                    "union" => &union,
                    _ => &dim,
                };
                ink.fill(at, own, if strong { 0.75 } else { 0.35 });
                if at.2 > 3.0 && at.3 > 3.0 {
                    ink.outline(
                        (at.0, at.1, at.2 - 1.0, at.3 - 1.0),
                        if strong { &hazard } else { &card },
                    );
                }
                places.push((at, i));
                let label = boxes
                    .id
                    .get(i)
                    .map(|id| format!("%{id}T"))
                    .unwrap_or_default();
                if at.3 > 14.0 && at.2 > 30.0 && ink.measure(&label) + 8.0 < at.2 {
                    let text = colour(if strong { "--card" } else { "--ink" });
                    ink.text(
                        &label,
                        (at.0 + at.2 / 2.0, at.1 + at.3 / 2.0),
                        &text,
                        "center",
                    )?;
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

    /// The row under a place, CSS pixels.
    pub fn at(&self, x: f64, y: f64) -> Option<usize> {
        let places = self.places.borrow();
        let inside = |((left, top, wide, tall), _): &&(Rect, usize)| {
            (*left..left + wide.max(3.0)).contains(&x) && (*top..top + tall.max(3.0)).contains(&y)
        };
        places.iter().rev().find(inside).map(|(_, row)| *row)
    }
}
