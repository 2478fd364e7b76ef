//! The tree of groups as an icicle: a level a row, as wide as the bytes. One rectangle for each group
//! that is at least a pixel wide, its name where it fits; thinner neighbours share one.

use std::cell::RefCell;

use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::charts::{fit, pixel_ratio, FONT};
use super::groups::{cut, Item, Tree};
use super::strip::context_of;
use super::{dom, header, Result};
use crate::report::figure::bytes;

/// Height of a level, CSS pixels.
const LEVEL: f64 = 20.0;

/// Most levels shown.
const MOST_LEVELS: u32 = 9;

struct Box {
    x: f64,
    y: f64,
    width: f64,
    item: usize,
}

/// The canvas and where things are on it.
pub struct Icicle {
    canvas: HtmlCanvasElement,
    boxes: RefCell<Vec<Box>>,
}

impl Icicle {
    /// Finds the canvas.
    pub fn new() -> Result<Self> {
        Ok(Self {
            canvas: dom::find("#icicle")?,
            boxes: RefCell::default(),
        })
    }

    /// Paints the tree; `marked` are outlined.
    pub fn paint(&self, tree: &Tree, marked: impl Fn(&Item) -> bool) -> Result<()> {
        let deepest = tree.items.iter().map(|i| i.depth).max().unwrap_or(0);
        let levels = deepest.min(MOST_LEVELS - 1) + 1;
        let height = format!("{}px", f64::from(levels) * LEVEL + 1.0);
        self.canvas.style().set_property("height", &height)?;
        self.boxes.borrow_mut().clear();
        if !fit(&self.canvas) || tree.items.is_empty() {
            return Ok(());
        }
        let context = context_of(&self.canvas)?;
        let scale = pixel_ratio();
        context.scale(scale, scale)?;
        context.set_font(&format!("11.5px {FONT}"));
        context.set_text_baseline("middle");
        let width = f64::from(self.canvas.client_width());
        let all = tree.items.first().map_or(1, |i| i.bytes.max(1)) as f64;
        let mut boxes = Vec::new();
        let mut todo = vec![(0usize, 0.0f64, 0usize)];
        while let Some((at, x, turn)) = todo.pop() {
            let Some(item) = tree.items.get(at) else {
                continue;
            };
            let wide = item.bytes as f64 / all * width;
            if wide < 1.0 || item.depth >= MOST_LEVELS {
                continue;
            }
            let y = f64::from(item.depth) * LEVEL;
            draw(&context, item, (x, y, wide), turn, marked(item))?;
            boxes.push(Box {
                x,
                y,
                width: wide,
                item: at,
            });
            let mut from = x;
            let mut thin = Thin::default();
            let below = (item.depth + 1, y + LEVEL);
            for (turn, child) in item.children.iter().enumerate() {
                let Some(group) = tree.items.get(*child) else {
                    continue;
                };
                let wide = group.bytes as f64 / all * width;
                if wide < 1.0 {
                    thin.add(from, wide, group.is_static);
                } else {
                    std::mem::take(&mut thin).draw(&context, below);
                    todo.push((*child, from, turn));
                }
                from += wide;
            }
            thin.draw(&context, below);
        }
        *self.boxes.borrow_mut() = boxes;
        Ok(())
    }

    /// Wipes the canvas, which keeps its size.
    pub fn clear(&self) {
        self.canvas.set_width(self.canvas.width());
        self.boxes.borrow_mut().clear();
    }

    /// The item under a place, CSS pixels.
    pub fn at(&self, x: f64, y: f64) -> Option<usize> {
        let boxes = self.boxes.borrow();
        let inside =
            |b: &&Box| (b.x..b.x + b.width).contains(&x) && (b.y..b.y + LEVEL).contains(&y);
        boxes.iter().find(inside).map(|b| b.item)
    }

    /// Shows by the pointer whether there is something to click.
    pub fn outline(&self, item: Option<usize>) -> Result<()> {
        let cursor = if item.is_some() { "pointer" } else { "" };
        self.canvas.style().set_property("cursor", cursor)?;
        Ok(())
    }
}

/// Neighbours of less than a pixel each, as one rectangle in the colour that most of it has.
#[derive(Default)]
struct Thin {
    x: f64,
    width: f64,
    of_static: f64,
}

impl Thin {
    fn add(&mut self, x: f64, width: f64, is_static: bool) {
        if self.width == 0.0 {
            self.x = x;
        }
        self.width += width;
        if is_static {
            self.of_static += width;
        }
    }

    fn draw(self, context: &CanvasRenderingContext2d, (depth, y): (u32, f64)) {
        if depth < MOST_LEVELS && self.width > 0.0 {
            let is_static = self.of_static * 2.0 > self.width;
            fill(
                context,
                (depth, is_static),
                (self.x, y, self.width),
                1,
                false,
            );
        }
    }
}

/// Fills a rectangle; gives the ink for what is written on it.
fn fill(
    context: &CanvasRenderingContext2d,
    (depth, is_static): (u32, bool),
    (x, y, width): (f64, f64, f64),
    turn: usize,
    marked: bool,
) -> &'static str {
    let (ink, colour) = match (header::is_dark(), is_static) {
        (false, false) => ("#1c2127", "#0b66c3"),
        (false, true) => ("#1c2127", "#3d4a58"),
        (true, false) => ("#e5e9ed", "#7cc0ff"),
        (true, true) => ("#e5e9ed", "#c3ccd5"),
    };
    // Neighbours differ; deeper levels are lighter.
    let strength = match (depth, turn % 2) {
        (0, _) => 0.12,
        (_, 0) => 0.30,
        _ => 0.22,
    };
    context.set_fill_style_str(if depth == 0 { ink } else { colour });
    context.set_global_alpha(if marked { 0.55 } else { strength });
    let gap = if width > 3.0 { 1.0 } else { 0.0 };
    context.fill_rect(x, y, width - gap, LEVEL - 1.0);
    context.set_global_alpha(1.0);
    ink
}

fn draw(
    context: &CanvasRenderingContext2d,
    item: &Item,
    (x, y, width): (f64, f64, f64),
    turn: usize,
    marked: bool,
) -> Result<()> {
    let ink = fill(
        context,
        (item.depth, item.is_static),
        (x, y, width),
        turn,
        marked,
    );
    if width < 30.0 {
        return Ok(());
    }
    context.set_fill_style_str(ink);
    let room = width - 10.0;
    let name = cut(&item.name, 120);
    let whole = format!("{name}  {}", bytes(item.bytes));
    let measured = |text: &str| context.measure_text(text).map(|m| m.width());
    let text = if measured(&whole)? <= room {
        whole
    } else if measured(&name)? <= room {
        name
    } else {
        let fits = (room / measured(&name)?.max(1.0) * name.chars().count() as f64) as usize;
        match fits.saturating_sub(2) {
            0 | 1 => return Ok(()),
            fits => cut(&name, fits),
        }
    };
    context.fill_text(&text, x + 5.0, y + LEVEL / 2.0)?;
    Ok(())
}
