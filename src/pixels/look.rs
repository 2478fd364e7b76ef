//! Colours: of classes, of what is held in part, of nothing.

use std::ops::Range;

use super::boxes::{MapBox, MemoryMap};
use super::paint::{Painter, Run, Window, CLASSES, NO_CLASS};

/// A colour, red first.
pub type Rgb = [u8; 3];

/// What the classes look like: sought so that colour-blind eyes tell them apart too, neighbours in
/// the legend best, and all of them from hazards (`tests/native/colours.rs` measures it). The last
/// one is for the rest.
const LIGHT: [Rgb; CLASSES] = [
    [0x42, 0x7a, 0xc0],
    [0xdf, 0xa4, 0x24],
    [0x4c, 0x9e, 0x6c],
    [0x9a, 0xc4, 0xe0],
    [0xac, 0x4a, 0x2c],
    [0xb8, 0x7b, 0x11],
    [0xd6, 0xd0, 0x5c],
    [0xa5, 0xaa, 0xac],
];
const DARK: [Rgb; CLASSES] = [
    [0x43, 0x82, 0xb5],
    [0xc9, 0xb1, 0x58],
    [0x0b, 0xa7, 0x88],
    [0xa8, 0xc7, 0xbf],
    [0xbe, 0x85, 0x56],
    [0x99, 0x6b, 0x07],
    [0xef, 0xd3, 0x23],
    [0x74, 0x7d, 0x84],
];

/// Least share of a class's colour in a pixel of which any byte is held.
const LEAST: f32 = 0.38;
/// Boxes of so many pixels in both directions have an edge.
const EDGED: f64 = 5.0;

/// How a picture looks.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// On a dark ground.
    pub dark: bool,
    /// Classes that are shown pale: a bit each.
    pub pale: u8,
}

impl Look {
    /// The colour of what is not held.
    pub fn ground(self) -> Rgb {
        if self.dark {
            [0x1b, 0x20, 0x26]
        } else {
            [0xff, 0xff, 0xff]
        }
    }

    /// The colour of outlines.
    pub fn ink(self) -> Rgb {
        if self.dark {
            [0xff, 0xff, 0xff]
        } else {
            [0x1c, 0x21, 0x27]
        }
    }

    /// The colour of hazards, and of nothing else.
    pub fn alarm(self) -> Rgb {
        if self.dark {
            [0xf0, 0x24, 0xf8]
        } else {
            [0x8a, 0x00, 0x6d]
        }
    }

    /// The colours of parameters; neighbours have one each.
    pub fn parameters(self) -> [Rgb; 2] {
        if self.dark {
            [[0x9a, 0xa5, 0xb1], [0x6f, 0x7a, 0x86]]
        } else {
            [[0x6d, 0x78, 0x84], [0x95, 0xa0, 0xac]]
        }
    }

    /// The colour of a class.
    pub fn of(self, class: u8) -> Rgb {
        let colours = if self.dark { DARK } else { LIGHT };
        if self.pale >> (class & 7) & 1 == 1 {
            return if self.dark {
                [0x3a, 0x42, 0x4b]
            } else {
                [0xdd, 0xe1, 0xe6]
            };
        }
        colours.get(usize::from(class)).copied().unwrap_or_default()
    }

    /// Whether dark ink is read better than white on a class.
    pub fn wants_dark_ink(self, class: u8) -> bool {
        let linear = self.of(class).map(|c| (f64::from(c) / 255.0).powf(2.2));
        let light = linear[0] * 0.2126 + linear[1] * 0.7152 + linear[2] * 0.0722;
        // Where the contrast to black equals that to white.
        light > 0.179
    }

    /// The colour of a pixel.
    pub fn pixel(self, class: u8, cover: f32) -> Rgb {
        if class == NO_CLASS {
            return self.ground();
        }
        mix(
            self.ground(),
            self.of(class),
            LEAST + (1.0 - LEAST) * cover.min(1.0),
        )
    }
}

fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    let mut out = a;
    for (out, b) in out.iter_mut().zip(b) {
        *out = (f32::from(*out) + (f32::from(b) - f32::from(*out)) * share + 0.5) as u8;
    }
    out
}

/// Columns that are turned into rows at a time: a line of the cache wide.
const BLOCK: usize = 16;

/// Paints a window in colours: four bytes a pixel, the highest row first.
pub fn colours(
    painter: &mut Painter,
    (map, classes): (&MemoryMap, &[u8]),
    window: Window,
    (width, height): (u32, u32),
    look: Look,
    pixels: &mut Vec<u8>,
) {
    let (across, rows) = (width as usize, height as usize);
    pixels.resize(across * rows * 4, 0);
    let shades = shades(look);
    let mut block = vec![[0u32; BLOCK]; rows];
    let mut column = |c: u32, runs: &[Run], same: bool| {
        let place = c as usize % BLOCK;
        if same && place > 0 {
            for row in &mut block {
                row.copy_within(place - 1..place, place);
            }
        } else {
            let mut from = 0;
            for run in runs {
                let colour = shades.get(shade_of(run)).copied().unwrap_or(0);
                let end = run.end as usize;
                for row in block.get_mut(from..end).unwrap_or(&mut []) {
                    if let Some(pixel) = row.get_mut(place) {
                        *pixel = colour;
                    }
                }
                from = end;
            }
        }
        if place + 1 == BLOCK || c + 1 == width {
            let left = (c as usize - place) * 4;
            let lines = pixels.chunks_exact_mut(across * 4).rev();
            for (line, row) in lines.zip(&block) {
                let line = line
                    .get_mut(left..left + (place + 1) * 4)
                    .unwrap_or(&mut []);
                for (pixel, colour) in line.chunks_exact_mut(4).zip(row) {
                    pixel.copy_from_slice(&colour.to_le_bytes());
                }
            }
        }
    };
    painter.paint(map, classes, window, (width, height), &mut column);
    edges(map, window, (width, height), look, pixels);
}

/// Steps between nothing and all.
const SHADES: usize = 64;

fn shades(look: Look) -> Vec<u32> {
    let pack = |[r, g, b]: Rgb| u32::from_le_bytes([r, g, b, 255]);
    let mut out = Vec::with_capacity(CLASSES * SHADES + 1);
    for class in 0..CLASSES as u8 {
        for n in 0..SHADES {
            let cover = n as f32 / (SHADES - 1) as f32;
            out.push(pack(look.pixel(class, cover)));
        }
    }
    out.push(pack(look.ground()));
    out
}

/// The place of a run's colour in [`shades`].
#[inline(always)]
fn shade_of(run: &Run) -> usize {
    if run.class == NO_CLASS {
        return CLASSES * SHADES;
    }
    let n = run.cover.min(1.0) * (SHADES - 1) as f32 + 0.5;
    usize::from(run.class) * SHADES + n as usize
}

/// Where a box lies on a picture, in pixels from its top left corner: columns and rows, cut at the
/// borders, and which of its four sides are in sight (left, right, top, bottom).
type Place = (Range<usize>, Range<usize>, [bool; 4]);

fn place(b: &MapBox, window: Window, (width, height): (u32, u32)) -> Place {
    let across = f64::from(width) / (window.right - window.left);
    let up = f64::from(height) / (window.top - window.bottom);
    let x = |step: f64| (step - window.left) * across;
    let y = |byte: u64| f64::from(height) - (byte as f64 - window.bottom) * up;
    let (left, right) = (
        x(f64::from(b.steps.first)),
        x(f64::from(b.steps.last) + 1.0),
    );
    let (top, bottom) = (y(b.bytes.end), y(b.bytes.start));
    let inside = |v: f64, most: u32| v.clamp(0.0, f64::from(most)) as usize;
    (
        inside(left, width)..inside(right.ceil(), width),
        inside(top, height)..inside(bottom.ceil(), height),
        [
            left >= 0.0,
            right <= f64::from(width),
            top >= 0.0,
            bottom <= f64::from(height),
        ],
    )
}

/// The opacity of a pixel that has an edge already: a second one would make it look like nothing.
const HAS_EDGE: u8 = 254;

/// Mixes a pixel half and half with a colour, once only, or paints it over.
fn touch(pixels: &mut [u8], at: usize, colour: Rgb, half: bool) {
    let Some([r, g, b, opacity]) = pixels.get_mut(at * 4..at * 4 + 4) else {
        return;
    };
    if half && std::mem::replace(opacity, HAS_EDGE) == HAS_EDGE {
        return;
    }
    for (old, new) in [r, g, b].into_iter().zip(colour) {
        *old = match half {
            true => ((u16::from(*old) + u16::from(new)) / 2) as u8,
            false => new,
        };
    }
}

/// Draws a thin line at the left and at the top of boxes that are large enough: neighbours of one
/// class stay apart.
fn edges(map: &MemoryMap, window: Window, size: (u32, u32), look: Look, pixels: &mut [u8]) {
    let across = f64::from(size.0) / (window.right - window.left);
    let up = f64::from(size.1) / (window.top - window.bottom);
    let (ground, width) = (look.ground(), size.0 as usize);
    map.each_in(window.steps(), EDGED / across, |_, b| {
        let steps = f64::from(b.steps.last - b.steps.first) + 1.0;
        let outside = b.bytes.start as f64 >= window.top || b.bytes.end as f64 <= window.bottom;
        if outside || steps * across < EDGED || (b.bytes.len() as f64) * up < EDGED {
            return;
        }
        let (columns, rows, [left, _, top, _]) = place(b, window, size);
        if top {
            for x in columns.clone() {
                touch(pixels, rows.start * width + x, ground, true);
            }
        }
        if left {
            for y in rows {
                touch(pixels, y * width + columns.start, ground, true);
            }
        }
    });
}

/// Pixels of a dash, and of what lies between two of them.
const DASH: usize = 4;

/// Draws the sides of a box on a picture of [`colours`], in a colour, dashed or not.
pub fn outline(
    b: &MapBox,
    window: Window,
    size: (u32, u32),
    (colour, dashed): (Rgb, bool),
    pixels: &mut [u8],
) {
    let (columns, rows, [left, right, top, bottom]) = place(b, window, size);
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let width = size.0 as usize;
    let mut dot = |x: usize, y: usize| {
        if !dashed || (x + y) / DASH % 2 == 0 {
            touch(pixels, y * width + x, colour, false);
        }
    };
    for (_, y) in [(top, rows.start), (bottom, rows.end - 1)]
        .iter()
        .filter(|(on, _)| *on)
    {
        columns.clone().for_each(|x| dot(x, *y));
    }
    for (_, x) in [(left, columns.start), (right, columns.end - 1)]
        .iter()
        .filter(|(on, _)| *on)
    {
        rows.clone().for_each(|y| dot(*x, y));
    }
}

/// Pixels from one stripe of a hazard to the next.
const STRIPES: usize = 6;
/// Fewest pixels of a hazard in both directions.
const LEAST_HAZARD: usize = 3;

/// Marks a hazard on a picture of [`colours`]: an outline and stripes, so that it is told by more
/// than its colour; filled where it is too small for them. `most` is how many pixels may yet have
/// stripes: thousands of large hazards over one another take no longer than a few pictures.
pub fn hazard(
    b: &MapBox,
    window: Window,
    size: (u32, u32),
    look: Look,
    pixels: &mut [u8],
    most: &mut usize,
) {
    let (mut columns, mut rows, _) = place(b, window, size);
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    for (range, all) in [(&mut columns, size.0), (&mut rows, size.1)] {
        range.start = range.start.min((all as usize).saturating_sub(LEAST_HAZARD));
        range.end = range.end.max(range.start + LEAST_HAZARD).min(all as usize);
    }
    let area = columns.len() * rows.len();
    if area <= *most {
        *most -= area;
        let small = columns.len().min(rows.len()) <= STRIPES;
        for y in rows {
            for x in columns.clone().filter(|x| small || (x + y) % STRIPES < 2) {
                touch(pixels, y * size.0 as usize + x, look.alarm(), false);
            }
        }
    }
    outline(b, window, size, (look.alarm(), false), pixels);
}
