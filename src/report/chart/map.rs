//! The memory map of a whole plan, as a picture for a file: boxes by size, the planned total and
//! the most bytes alive as lines.

use std::io::{self, Write};

use super::axis::{step_ticks, ByteScale};
use super::lines::{INK, PLOT, SIZE};
use super::raster::{text_width, Anchor, Colour, Raster, TEXT_HEIGHT};
use crate::analysis::Facts;
use crate::model::Plan;
use crate::pixels::look::{colours, Look};
use crate::pixels::{MemoryMap, Painter, Window};
use crate::report::map::key::{classes, MapKey, SIZES};
use crate::report::text::results::Chart;
use crate::report::text::{fill, Lang};

const LOOK: Look = Look {
    dark: false,
    pale: 0,
};
/// The lines: planned total, most bytes alive.
const LIMITS: [Colour; 2] = [[0x1c, 0x21, 0x27], [0x0b, 0x66, 0xc3]];

/// Paints the map and writes the PNG. `notes` stand above the plot.
pub fn memory_map(out: &mut dyn Write, plan: &Plan, facts: &Facts, notes: &str) -> io::Result<()> {
    paint(plan, facts, notes).png(out)
}

fn paint(plan: &Plan, facts: &Facts, notes: &str) -> Raster {
    let mut picture = Raster::new(SIZE);
    let [left, top, right, bottom] = PLOT;
    let (wide, high) = (right - left, bottom - top);
    let map = MemoryMap::new(plan);
    let classes = classes(plan, &map, MapKey::Size);
    let scale = ByteScale::new(facts.planned_total.max(facts.max_end) as f64, 6);
    let steps = f64::from(plan.steps.max(1));
    let window = Window {
        left: 0.0,
        right: steps,
        bottom: 0.0,
        top: scale.end,
    };
    let mut boxes = Vec::new();
    let of = (&map, classes.of_box.as_slice());
    let size = (wide as u32, high as u32);
    colours(&mut Painter::default(), of, window, size, LOOK, &mut boxes);
    picture.place((left, top), size.0, &boxes);

    let y_of = |bytes: f64| bottom - (bytes / scale.end * f64::from(high)).round() as i32;
    for &tick in &scale.ticks {
        let y = y_of(tick);
        picture.fill((left - 5, y), (5, 1), INK);
        let text = scale.label(tick);
        picture.text(&text, (left - 10, y - TEXT_HEIGHT / 2), Anchor::Right, INK);
    }
    for tick in step_ticks(0, plan.last_step(), 10) {
        let share = (f64::from(tick) + 0.5) / steps;
        let x = left + (share * f64::from(wide)).round() as i32;
        picture.fill((x, bottom), (1, 5), INK);
        picture.text(&format!("${tick}"), (x, bottom + 10), Anchor::Middle, INK);
    }
    picture.fill((left, top), (1, high), INK);
    picture.fill((left, bottom), (wide, 1), INK);

    let mut at = 20;
    let mut legend = |picture: &mut Raster, colour: Colour, thick: i32, text: &str| {
        picture.fill((at, 31 - thick / 2), (14, thick), colour);
        picture.text(text, (at + 20, 24), Anchor::Left, INK);
        at += 20 + text_width(text) + 18;
    };
    let limits = [
        (facts.planned_total, Chart::PlannedTotal),
        (facts.peak.alive, Chart::MaxAlive),
    ];
    for ((bytes, word), colour) in limits.into_iter().zip(LIMITS) {
        picture.fill((left, y_of(bytes as f64)), (wide, 1), colour);
        legend(&mut picture, colour, 3, word.text(Lang::En));
    }
    for (i, class) in classes.legend.iter().enumerate() {
        let size = SIZES.get(usize::from(class.class)).map_or("", |s| s.1);
        let text = match (size, i) {
            ("", _) => Chart::SizeMore.text(Lang::En).to_owned(),
            // There is no room to say it of each.
            (size, 0) => fill(Chart::SizeUpTo.text(Lang::En), &[size]),
            (size, _) => size.to_owned(),
        };
        legend(&mut picture, LOOK.of(class.class), 12, &text);
    }
    picture.text(notes, (20, 46), Anchor::Left, INK);
    let below = (SIZE.0 as i32 / 2, SIZE.1 as i32 - 28);
    let steps = Chart::Steps.text(Lang::En);
    picture.text(steps, below, Anchor::Middle, INK);
    picture
}
