//! A picture in memory and its PNG. No font file, no browser and no floating canvas: the same plan
//! gives the same bytes everywhere.
//!
//! Plotters is not asked for pictures of files: it measures text with the browser's document, which
//! a worker does not have, and a second backend would take as much code again in the page.

use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

use super::glyphs;

/// Red, green, blue.
pub type Colour = [u8; 3];

/// Which place of a text is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Left,
    /// Its middle.
    Middle,
    /// Its right end.
    Right,
}

/// Three bytes a pixel, row by row. What lies outside is not drawn.
#[derive(Debug)]
pub struct Raster {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

/// Dots of the font are squares of this many pixels.
const DOT: i32 = 2;

/// Height of a text, pixels.
pub const TEXT_HEIGHT: i32 = glyphs::HEIGHT as i32 * DOT;

/// Width of a text, pixels.
pub fn text_width(text: &str) -> i32 {
    let across = text.chars().count() as i32 * (glyphs::WIDTH as i32 + 1) - 1;
    across.max(0) * DOT
}

impl Raster {
    /// All white.
    pub fn new((width, height): (u32, u32)) -> Self {
        Self {
            width,
            height,
            pixels: vec![255; width as usize * height as usize * 3],
        }
    }

    /// Fills a rectangle; `(x, y)` is its upper left corner.
    pub fn fill(&mut self, (x, y): (i32, i32), (wide, high): (i32, i32), colour: Colour) {
        let inside = |n: i32, most: u32| n.clamp(0, most as i32) as usize;
        let (left, right) = (inside(x, self.width), inside(x + wide, self.width));
        let (top, bottom) = (inside(y, self.height), inside(y + high, self.height));
        for row in top..bottom {
            let at = row * self.width as usize;
            let pixels = self.pixels.get_mut((at + left) * 3..(at + right) * 3);
            for pixel in pixels.unwrap_or_default().chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Puts a picture of four bytes a pixel and `wide` pixels a row; `(x, y)` is its upper left
    /// corner, and it must end within.
    pub fn place(&mut self, (x, y): (i32, i32), wide: u32, from: &[u8]) {
        let rows = from.chunks_exact((wide as usize * 4).max(1));
        for (row, line) in (y.max(0) as usize..).zip(rows) {
            let at = (row * self.width as usize + x.max(0) as usize) * 3;
            let to = self.pixels.get_mut(at..).unwrap_or_default();
            for (to, from) in to.chunks_exact_mut(3).zip(line.chunks_exact(4)) {
                to.copy_from_slice(from.get(..3).unwrap_or(&[0; 3]));
            }
        }
    }

    /// Draws a line two pixels wide through points.
    pub fn path(&mut self, points: &[(i32, i32)], colour: Colour) {
        for ends in points.windows(2) {
            let &[(x, y), (to_x, to_y)] = ends else {
                continue;
            };
            let long = (to_x - x).abs().max((to_y - y).abs());
            for i in 0..=long {
                let along = |from: i32, to: i32| from + (to - from) * i / long.max(1);
                self.fill((along(x, to_x), along(y, to_y)), (2, 2), colour);
            }
        }
    }

    /// Writes at `(x, y)`, its upper end.
    pub fn text(&mut self, text: &str, (x, y): (i32, i32), anchor: Anchor, colour: Colour) {
        let left = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - text_width(text) / 2,
            Anchor::Right => x - text_width(text),
        };
        for (i, c) in (0i32..).zip(text.chars()) {
            for (row, bits) in (0i32..).zip(glyphs::rows(c)) {
                for column in (0..5i32).filter(|column| bits >> (4 - column) & 1 == 1) {
                    let at = (left + (i * 6 + column) * DOT, y + row * DOT);
                    self.fill(at, (DOT, DOT), colour);
                }
            }
        }
    }

    /// The pixels.
    #[cfg(test)]
    pub fn pixels(&self) -> &[u8] {
        &self.pixels
    }

    /// Writes it as a PNG: eight bits a channel, no filter, one block of data.
    pub fn png(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"\x89PNG\r\n\x1a\n")?;
        let mut head = Vec::new();
        head.extend_from_slice(&self.width.to_be_bytes());
        head.extend_from_slice(&self.height.to_be_bytes());
        head.extend_from_slice(&[8, 2, 0, 0, 0]);
        block(out, b"IHDR", &head)?;
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.pixels.chunks_exact((self.width as usize * 3).max(1)) {
            packed.write_all(&[0])?;
            packed.write_all(row)?;
        }
        block(out, b"IDAT", &packed.finish()?)?;
        block(out, b"IEND", &[])
    }
}

fn block(out: &mut dyn Write, kind: &[u8; 4], data: &[u8]) -> io::Result<()> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    out.write_all(&(data.len() as u32).to_be_bytes())?;
    out.write_all(kind)?;
    out.write_all(data)?;
    out.write_all(&crc.sum().to_be_bytes())
}
