//! A picture in memory as a backend of plotters, and its PNG. No font file, no browser and no
//! floating canvas: the same plan gives the same bytes everywhere.

use std::convert::Infallible;
use std::io::{self, Write};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendTextStyle, DrawingBackend, DrawingErrorKind,
};

use super::glyphs;

/// Three bytes a pixel, row by row.
pub struct Raster<'a> {
    width: u32,
    height: u32,
    pixels: &'a mut [u8],
}

/// Dots of the font are squares of this many pixels.
const DOT: i32 = 2;

impl<'a> Raster<'a> {
    /// On a buffer of `3 * width * height` bytes.
    pub fn new(pixels: &'a mut [u8], width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            pixels,
        }
    }
}

fn text_size(text: &str) -> (i32, i32) {
    let across = text.chars().count() as i32 * (glyphs::WIDTH as i32 + 1) - 1;
    (across.max(0) * DOT, glyphs::HEIGHT as i32 * DOT)
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl DrawingBackend for Raster<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let inside = |n: i32, most: u32| u32::try_from(n).ok().filter(|n| *n < most);
        let (Some(x), Some(y)) = (inside(x, self.width), inside(y, self.height)) else {
            return Ok(());
        };
        let at = (y as usize * self.width as usize + x as usize) * 3;
        let (r, g, b) = color.rgb;
        if let Some(pixel) = self.pixels.get_mut(at..at + 3) {
            for (old, new) in pixel.iter_mut().zip([r, g, b]) {
                let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * color.alpha;
                *old = mixed.round() as u8;
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        (x, y): BackendCoord,
    ) -> Drawn {
        let (width, height) = text_size(text);
        let anchor = style.anchor();
        let left = match anchor.h_pos {
            HPos::Left => x,
            HPos::Center => x - width / 2,
            HPos::Right => x - width,
        };
        let top = match anchor.v_pos {
            VPos::Top => y,
            VPos::Center => y - height / 2,
            VPos::Bottom => y - height,
        };
        for (i, c) in (0i32..).zip(text.chars()) {
            for (row, bits) in (0i32..).zip(glyphs::rows(c)) {
                for column in (0..5i32).filter(|column| bits >> (4 - column) & 1 == 1) {
                    let at = (left + (i * 6 + column) * DOT, top + row * DOT);
                    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        self.draw_pixel((at.0 + dx, at.1 + dy), style.color())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        _: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let (width, height) = text_size(text);
        Ok((width as u32, height as u32))
    }
}

/// Writes pixels as a PNG: eight bits a channel, no filter, one block of data.
pub fn png(out: &mut dyn Write, pixels: &[u8], width: u32, height: u32) -> io::Result<()> {
    out.write_all(b"\x89PNG\r\n\x1a\n")?;
    let mut head = Vec::new();
    head.extend_from_slice(&width.to_be_bytes());
    head.extend_from_slice(&height.to_be_bytes());
    head.extend_from_slice(&[8, 2, 0, 0, 0]);
    block(out, b"IHDR", &head)?;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
    for row in pixels.chunks_exact((width as usize * 3).max(1)) {
        packed.write_all(&[0])?;
        packed.write_all(row)?;
    }
    block(out, b"IDAT", &packed.finish()?)?;
    block(out, b"IEND", &[])
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
