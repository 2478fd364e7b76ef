//! Two lines of bytes over steps, as a picture for a file.

use std::io::{self, Write};

use super::axis::{step_ticks, ByteScale};
use super::raster::{text_width, Anchor, Colour, Raster, TEXT_HEIGHT};

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

const COLOURS: [Colour; 2] = [[0x0b, 0x66, 0xc3], [0xd9, 0x6b, 0x1a]];
pub(super) const INK: Colour = [0x3d, 0x4a, 0x58];
const GRID: Colour = [0xe6, 0xe9, 0xed];

/// The plot: its left, top, right and bottom edges.
pub(super) const PLOT: [i32; 4] = [150, 64, SIZE.0 as i32 - 48, SIZE.1 as i32 - 80];

/// Paints two lines and writes the PNG. `notes` stand above the plot.
pub fn two_lines(
    out: &mut dyn Write,
    lines: &[Line<'_>; 2],
    step_axis: &str,
    notes: &str,
) -> io::Result<()> {
    paint(lines, step_axis, notes).png(out)
}

fn paint(lines: &[Line<'_>; 2], step_axis: &str, notes: &str) -> Raster {
    let mut picture = Raster::new(SIZE);
    let [left, top, right, bottom] = PLOT;
    let (wide, high) = (right - left, bottom - top);
    let steps = lines.iter().map(|l| l.bytes.len()).max().unwrap_or(0);
    let last = steps.saturating_sub(1) as u32;
    let most = |l: &Line<'_>| l.bytes.iter().max().map_or(0.0, |m| (m + l.above) as f64);
    let scale = ByteScale::new(lines.iter().map(most).fold(0.0, f64::max), 6);
    let x_of = |step: f64| left + (step / steps.max(1) as f64 * f64::from(wide)).round() as i32;
    let y_of = |bytes: f64| bottom - (bytes / scale.end * f64::from(high)).round() as i32;

    for &tick in &scale.ticks {
        let y = y_of(tick);
        picture.fill((left, y), (wide, 1), GRID);
        picture.fill((left - 5, y), (5, 1), INK);
        let text = scale.label(tick);
        picture.text(&text, (left - 10, y - TEXT_HEIGHT / 2), Anchor::Right, INK);
    }
    for tick in step_ticks(0, last, 10) {
        let x = x_of(f64::from(tick) + 0.5);
        picture.fill((x, bottom), (1, 5), INK);
        let text = format!("${tick}");
        picture.text(&text, (x, bottom + 10), Anchor::Middle, INK);
    }
    picture.fill((left, top), (1, high), INK);
    picture.fill((left, bottom), (wide, 1), INK);

    let mut at = left + 10;
    for (line, colour) in lines.iter().zip(COLOURS) {
        let points: Vec<(i32, i32)> = points(line, wide as usize)
            .into_iter()
            .map(|(step, bytes)| (x_of(step), y_of(bytes) - 1))
            .collect();
        picture.path(&points, colour);
        picture.fill((at, 28), (24, 5), colour);
        picture.text(line.name, (at + 34, 24), Anchor::Left, INK);
        at += 34 + text_width(line.name) + 48;
    }
    picture.text(notes, (at, 24), Anchor::Left, INK);
    let below = (SIZE.0 as i32 / 2, SIZE.1 as i32 - 28);
    picture.text(step_axis, below, Anchor::Middle, INK);
    picture
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
        let curve: Vec<u64> = (0..5000).map(|i| (i * 37) % 1000).collect();
        for bytes in [&curve[..], &curve[..50], &curve[..1]] {
            let line = |name, above| Line { name, bytes, above };
            let lines = [line("In Use Memory", 500), line("Alive Tensor Size", 0)];
            let picture = paint(&lines, "step", "");
            let inside = |(i, pixel): (usize, &[u8])| {
                let (x, y) = (i as i32 % SIZE.0 as i32, i as i32 / SIZE.0 as i32);
                let plot = (PLOT[0]..PLOT[2]).contains(&x) && (PLOT[1]..PLOT[3]).contains(&y);
                plot.then(|| pixel.to_vec())
            };
            let plot: Vec<Vec<u8>> = (picture.pixels().chunks(3).enumerate())
                .filter_map(inside)
                .collect();
            for colour in COLOURS {
                assert!(plot.iter().any(|p| *p == colour), "{}", bytes.len());
            }
        }
        let nothing = [0, 1].map(|_| Line {
            name: "",
            bytes: &[],
            above: 0,
        });
        let mut out = Vec::new();
        two_lines(&mut out, &nothing, "step", "").unwrap();
        assert!(out.starts_with(b"\x89PNG") && out.ends_with(b"IEND\xae\x42\x60\x82"));
    }

    #[test]
    fn a_line_lies_where_its_bytes_are() {
        // One level for half of the steps, twice as much for the others.
        let bytes: Vec<u64> = (0..100).map(|i| if i < 50 { 100 } else { 200 }).collect();
        let line = |above| Line {
            name: "",
            bytes: &bytes,
            above,
        };
        let picture = paint(&[line(0), line(0)], "", "");
        // Of two lines in one place the second is seen.
        let row_of = |x: i32| {
            let at = |y: i32| (y * SIZE.0 as i32 + x) as usize * 3;
            (PLOT[1]..PLOT[3]).find(|&y| picture.pixels()[at(y)..at(y) + 3] == COLOURS[1])
        };
        let height = |x| f64::from(PLOT[3] - row_of(x).unwrap());
        let wide = PLOT[2] - PLOT[0];
        let (low, high) = (height(PLOT[0] + wide / 4), height(PLOT[0] + wide * 3 / 4));
        assert!((high / low - 2.0).abs() < 0.02, "{low} and {high}");
        assert!((high / f64::from(PLOT[3] - PLOT[1]) - 1.0 / 1.04).abs() < 0.01);
    }
}
