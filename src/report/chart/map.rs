//! The memory map of a whole plan, as a picture for a file: boxes by size, the planned total and
//! the most bytes alive as lines.

use std::io::{self, Write};

use plotters::prelude::*;

use super::axis::{step_ticks, Axis, ByteScale};
use super::lines::{GRID, INK, SIZE};
use super::raster::{png, Raster};
use crate::analysis::{Facts, MemoryMap};
use crate::model::Plan;
use crate::report::map::key::{classes, MapKey, SIZES};
use crate::report::map::look::{colours, Look};
use crate::report::map::{Painter, Window};
use crate::report::text::results::Chart;
use crate::report::text::{fill, Lang};

const LOOK: Look = Look {
    dark: false,
    pale: 0,
};
/// The lines: planned total, most bytes alive.
const LIMITS: [RGBColor; 2] = [RGBColor(0x1c, 0x21, 0x27), RGBColor(0x6a, 0x3d, 0x9a)];

/// Paints the map and writes the PNG. `notes` stand above the plot.
pub fn memory_map(out: &mut dyn Write, plan: &Plan, facts: &Facts, notes: &str) -> io::Result<()> {
    let mut pixels = vec![255u8; SIZE.0 as usize * SIZE.1 as usize * 3];
    paint(&mut pixels, plan, facts, notes).map_err(|e| io::Error::other(e.to_string()))?;
    png(out, &pixels, SIZE.0, SIZE.1)
}

fn paint(
    pixels: &mut [u8],
    plan: &Plan,
    facts: &Facts,
    notes: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let map = MemoryMap::new(plan);
    let classes = classes(plan, &map, MapKey::Size);
    let scale = ByteScale::new(facts.planned_total.max(facts.max_end) as f64, 6);
    let window = Window {
        left: 0.0,
        right: f64::from(plan.steps.max(1)),
        bottom: 0.0,
        top: scale.end,
    };
    let (x, y) = frame(pixels, plan, &scale, window)?;
    let size = ((x.1 - x.0).max(0) as u32, (y.1 - y.0).max(0) as u32);
    let mut boxes = Vec::new();
    let of = (&map, classes.of_box.as_slice());
    colours(&mut Painter::default(), of, window, size, LOOK, &mut boxes);
    let lines = boxes.chunks_exact((size.0 as usize * 4).max(1));
    for (row, line) in (y.0 as usize..).zip(lines) {
        let at = (row * SIZE.0 as usize + x.0 as usize) * 3;
        let target = pixels.get_mut(at..).unwrap_or(&mut []);
        for (to, from) in target.chunks_exact_mut(3).zip(line.chunks_exact(4)) {
            to.copy_from_slice(&from[..3]);
        }
    }
    let area = Raster::new(pixels, SIZE.0, SIZE.1).into_drawing_area();
    let style = ("sans-serif", 14).into_font().color(&INK);
    let mut left = 20;
    let mut legend = |colour: RGBColor, thick: i32, text: &str| {
        let swatch = [(left, 31 - thick / 2), (left + 14, 31 + thick / 2 + 1)];
        area.draw(&Rectangle::new(swatch, colour.filled()))?;
        area.draw(&Text::new(text.to_owned(), (left + 20, 24), style.clone()))?;
        left += 20 + 12 * text.chars().count() as i32 + 14;
        Ok::<(), Box<dyn std::error::Error>>(())
    };
    let limits = [
        (facts.planned_total, Chart::PlannedTotal),
        (facts.peak.alive, Chart::MaxAlive),
    ];
    for ((bytes, word), colour) in limits.into_iter().zip(LIMITS) {
        let up = bytes as f64 / scale.end * f64::from(size.1);
        let at = y.1 - up.round() as i32;
        area.draw(&PathElement::new([(x.0, at), (x.1, at)], colour))?;
        legend(colour, 1, word.text(Lang::En))?;
    }
    for (i, class) in classes.legend.iter().enumerate() {
        let size = SIZES.get(usize::from(class.class)).map_or("", |s| s.1);
        let text = match (size, i) {
            ("", _) => Chart::SizeMore.text(Lang::En).to_owned(),
            // There is no room to say it of each.
            (size, 0) => fill(Chart::SizeUpTo.text(Lang::En), &[size]),
            (size, _) => size.to_owned(),
        };
        let [r, g, b] = LOOK.of(class.class);
        legend(RGBColor(r, g, b), 12, &text)?;
    }
    area.draw(&Text::new(notes.to_owned(), (20, 4), style.clone()))?;
    let below = (SIZE.0 as i32 / 2, SIZE.1 as i32 - 28);
    area.draw(&Text::new(Chart::Steps.text(Lang::En), below, style))?;
    area.present()?;
    Ok(())
}

/// The first pixel and the one behind the last.
type Pixels = (i32, i32);

/// Draws the axes; the value is the columns and rows of pixels between them.
fn frame(
    pixels: &mut [u8],
    plan: &Plan,
    scale: &ByteScale,
    window: Window,
) -> Result<(Pixels, Pixels), Box<dyn std::error::Error>> {
    let area = Raster::new(pixels, SIZE.0, SIZE.1).into_drawing_area();
    let ticks = step_ticks(0, plan.last_step(), 10);
    let mut chart = ChartBuilder::on(&area)
        .margin_top(64)
        .margin_right(48)
        .margin_bottom(40)
        .set_label_area_size(LabelAreaPosition::Left, 150)
        .set_label_area_size(LabelAreaPosition::Bottom, 40)
        .build_cartesian_2d(
            Axis {
                begin: window.left,
                end: window.right,
                ticks: ticks.iter().map(|t| f64::from(*t) + 0.5).collect(),
            },
            Axis {
                begin: window.bottom,
                end: window.top,
                ticks: scale.ticks.clone(),
            },
        )?;
    let style = ("sans-serif", 14).into_font().color(&INK);
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(ticks.len().max(1))
        .y_labels(scale.ticks.len())
        .bold_line_style(GRID)
        .axis_style(INK)
        .label_style(style)
        .x_label_formatter(&|x| format!("${}", x.floor()))
        .y_label_formatter(&|y| scale.label(*y))
        .draw()?;
    let (x, y) = chart.plotting_area().get_pixel_range();
    area.present()?;
    Ok(((x.start, x.end), (y.start, y.end)))
}
