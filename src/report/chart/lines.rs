//! Two lines of bytes over steps, as a picture for a file.

use std::io::{self, Write};

use plotters::prelude::*;

use super::axis::{step_ticks, Axis, ByteScale};
use super::raster::{png, Raster};

/// Size of the picture in pixels.
pub const SIZE: (u32, u32) = (1280, 640);

/// A line and what it is called.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Bytes at each step.
    pub bytes: &'a [u64],
    /// Added to each of them.
    pub above: u64,
}

const COLOURS: [RGBColor; 2] = [RGBColor(0x0b, 0x66, 0xc3), RGBColor(0xd9, 0x6b, 0x1a)];
pub(super) const INK: RGBColor = RGBColor(0x3d, 0x4a, 0x58);
pub(super) const GRID: RGBColor = RGBColor(0xe6, 0xe9, 0xed);

/// Paints two lines and writes the PNG. `notes` stand above the plot.
pub fn two_lines(
    out: &mut dyn Write,
    lines: &[Line<'_>; 2],
    step_axis: &str,
    notes: &str,
) -> io::Result<()> {
    let mut pixels = vec![255u8; SIZE.0 as usize * SIZE.1 as usize * 3];
    paint(&mut pixels, lines, step_axis, notes).map_err(|e| io::Error::other(e.to_string()))?;
    png(out, &pixels, SIZE.0, SIZE.1)
}

fn paint(
    pixels: &mut [u8],
    lines: &[Line<'_>; 2],
    step_axis: &str,
    notes: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = Raster::new(pixels, SIZE.0, SIZE.1).into_drawing_area();
    let steps = lines.iter().map(|l| l.bytes.len()).max().unwrap_or(0);
    let last = steps.saturating_sub(1) as u32;
    let most = |l: &Line<'_>| l.bytes.iter().max().map_or(0.0, |m| (m + l.above) as f64);
    let scale = ByteScale::new(lines.iter().map(most).fold(0.0, f64::max), 6);
    let ticks = step_ticks(0, last, 10);
    let mut chart = ChartBuilder::on(&area)
        .margin_top(64)
        .margin_right(48)
        .margin_bottom(40)
        .set_label_area_size(LabelAreaPosition::Left, 150)
        .set_label_area_size(LabelAreaPosition::Bottom, 40)
        .build_cartesian_2d(
            Axis {
                begin: 0.0,
                end: f64::from(last) + 1.0,
                ticks: ticks.iter().map(|t| f64::from(*t) + 0.5).collect(),
            },
            Axis {
                begin: 0.0,
                end: scale.end,
                ticks: scale.ticks.clone(),
            },
        )?;
    let style = ("sans-serif", 14).into_font().color(&INK);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(ticks.len().max(1))
        .y_labels(scale.ticks.len())
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .axis_style(INK)
        .label_style(style.clone())
        .x_label_formatter(&|x| format!("${}", x.floor()))
        .y_label_formatter(&|y| scale.label(*y))
        .draw()?;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let points = points(line, SIZE.0 as usize);
        chart.draw_series([PathElement::new(points, colour.stroke_width(2))])?;
    }
    let mut left = 160;
    for (line, colour) in lines.iter().zip(COLOURS) {
        area.draw(&Rectangle::new(
            [(left, 28), (left + 24, 33)],
            colour.filled(),
        ))?;
        area.draw(&Text::new(
            line.name.to_owned(),
            (left + 34, 24),
            style.clone(),
        ))?;
        left += 34 + 12 * line.name.chars().count() as i32 + 48;
    }
    area.draw(&Text::new(notes.to_owned(), (left, 24), style.clone()))?;
    let below = (SIZE.0 as i32 / 2, SIZE.1 as i32 - 28);
    area.draw(&Text::new(step_axis.to_owned(), below, style))?;
    area.present()?;
    Ok(())
}

/// A step line; where there are more steps than pixels, the lowest and the highest of each column.
fn points(line: &Line<'_>, columns: usize) -> Vec<(f64, f64)> {
    let value = |bytes: u64| (bytes + line.above) as f64;
    let steps = line.bytes.len();
    if steps <= columns {
        let stairs = line.bytes.iter().enumerate();
        return stairs
            .flat_map(|(i, &b)| [(i as f64, value(b)), (i as f64 + 1.0, value(b))])
            .collect();
    }
    let mut out = Vec::with_capacity(columns * 4);
    for column in 0..columns {
        let (from, to) = (column * steps / columns, (column + 1) * steps / columns);
        let part = line.bytes.get(from..to).unwrap_or(&[]);
        let (Some(first), Some(last)) = (part.first(), part.last()) else {
            continue;
        };
        let (low, high) = (part.iter().min(), part.iter().max());
        for bytes in [Some(first), low, high, Some(last)].into_iter().flatten() {
            out.push((from as f64, value(*bytes)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_size_and_both_lines() {
        let mut pixels = vec![255u8; SIZE.0 as usize * SIZE.1 as usize * 3];
        let curve: Vec<u64> = (0..5000).map(|i| (i * 37) % 1000).collect();
        for bytes in [&curve[..], &curve[..50], &curve[..1], &[]] {
            let line = |name, above| Line { name, bytes, above };
            let lines = [line("In Use Memory", 500), line("Alive Tensor Size", 0)];
            pixels.fill(255);
            paint(&mut pixels, &lines, "step", "").unwrap();
            for colour in COLOURS {
                let (r, g, b) = colour.rgb();
                assert!(pixels.chunks(3).any(|p| p == [r, g, b]));
            }
        }
        let mut out = Vec::new();
        png(&mut out, &pixels, SIZE.0, SIZE.1).unwrap();
        assert!(out.starts_with(b"\x89PNG") && out.ends_with(b"IEND\xae\x42\x60\x82"));
    }
}
