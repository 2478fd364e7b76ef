//! Which share of each pixel is held, and by which class most.
//!
//! Method: columns of pixels from left to right. A box adds what it covers of a column as
//! differences between rows: four numbers however high it is. What a box covers until its end is
//! added where it begins and taken away where it ends: as many numbers however long it is. Then
//! the differences are summed up from the lowest row, one sum a class, and only rows in which
//! something changes cost anything. O(boxes in the window + pixels), exact up to rounding.

use super::boxes::{MapBox, MemoryMap};
use crate::units::LiveRange;

/// Classes of boxes; each has a colour.
pub const CLASSES: usize = 8;

/// "No class": nothing is held.
pub const NO_CLASS: u8 = u8::MAX;

/// Shares below this are rounding: the smallest tensor covers more of a pixel even when the
/// whole of a terabyte over a million steps is in sight.
const NOTHING: f64 = 1e-10;

/// A piece of the plan: from `left` up to `right` in steps, from `bottom` up to `top` in bytes.
/// Step `s` reaches from `s` to `s + 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Where it begins, in steps.
    pub left: f64,
    /// Where it ends, in steps.
    pub right: f64,
    /// Where it begins, in bytes.
    pub bottom: f64,
    /// Where it ends, in bytes.
    pub top: f64,
}

impl Window {
    /// The steps of which something is in the window.
    pub fn steps(&self) -> LiveRange {
        let first = self.left.max(0.0) as u32;
        let last = (self.right.ceil().max(1.0) - 1.0) as u32;
        LiveRange {
            first,
            last: last.max(first),
        }
    }
}

/// Rows of a column, from the end of the run before it (the lowest row is 0) up to `end`, that
/// look the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The row behind the last one.
    pub end: u32,
    /// The class that covers most, the lowest on a tie; [`NO_CLASS`] where nothing is held.
    pub class: u8,
    /// The share of each pixel that is held; above 1 where tensors overlap.
    pub cover: f32,
}

type Sums = [f64; CLASSES];

/// Paints windows; it keeps its memory between them.
#[derive(Debug, Default)]
pub struct Painter {
    /// Boxes in sight: their numbers, in chains by the column they begin or end in.
    seen: Vec<u32>,
    begin: Chains,
    end: Chains,
    /// What changes between rows in the current column only, and in all from it on.
    here: Rows,
    onward: Rows,
    runs: Vec<Run>,
    /// Whether the column before had changes of its own.
    moved: bool,
}

/// A number of `seen` in each column, and after each the next one of its column.
#[derive(Debug, Default)]
struct Chains {
    head: Vec<u32>,
    next: Vec<u32>,
}

const END: u32 = u32::MAX;

impl Chains {
    fn reset(&mut self, columns: usize) {
        self.head.clear();
        self.head.resize(columns, END);
        self.next.clear();
    }

    fn push(&mut self, column: Option<u32>) {
        let own = self.next.len() as u32;
        let head = column.and_then(|c| self.head.get_mut(c as usize));
        let next = head.map_or(END, |head| std::mem::replace(head, own));
        self.next.push(next);
    }

    fn of(&self, column: usize) -> u32 {
        self.head.get(column).copied().unwrap_or(END)
    }

    fn after(&self, place: u32) -> u32 {
        self.next.get(place as usize).copied().unwrap_or(END)
    }
}

#[derive(Debug, Default)]
struct Rows {
    change: Vec<Sums>,
    /// A bit for each row in which there is a change.
    bits: Vec<u64>,
}

impl Rows {
    fn reset(&mut self, rows: usize) {
        // One row behind the last takes what ends there, and one more its rest.
        self.change.clear();
        self.change.resize(rows + 2, [0.0; CLASSES]);
        self.bits.clear();
        self.bits.resize((rows + 2) / 64 + 1, 0);
    }

    #[inline(always)]
    fn add(&mut self, row: usize, class: usize, value: f64) {
        if let Some(slot) = self
            .change
            .get_mut(row)
            .and_then(|sums| sums.get_mut(class))
        {
            *slot += value;
        }
        if let Some(bits) = self.bits.get_mut(row / 64) {
            *bits |= 1 << (row % 64);
        }
    }

    /// `weight` in the rows from `low` to `high`, in part in the first and the last.
    #[inline(always)]
    fn span(&mut self, low: f64, high: f64, class: usize, weight: f64) {
        let (first, last) = (low as usize, high as usize);
        if first == last {
            let value = weight * (high - low);
            self.add(first, class, value);
            self.add(first + 1, class, -value);
            return;
        }
        let below = weight * (low - first as f64);
        let above = weight * (high - last as f64);
        self.add(first, class, weight - below);
        self.add(first + 1, class, below);
        self.add(last, class, above - weight);
        self.add(last + 1, class, -above);
    }
}

/// A window on a raster.
struct Scale {
    window: Window,
    across: f64,
    up: f64,
    width: f64,
    height: f64,
}

impl Scale {
    /// Begin and end of a box in columns.
    #[inline(always)]
    fn columns(&self, b: &MapBox) -> (f64, f64) {
        let x = |step: f64| ((step - self.window.left) * self.across).clamp(0.0, self.width);
        (
            x(f64::from(b.steps.first)),
            x(f64::from(b.steps.last) + 1.0),
        )
    }

    /// Begin and end of a box in rows.
    #[inline(always)]
    fn rows(&self, b: &MapBox) -> (f64, f64) {
        let y = |byte: u64| ((byte as f64 - self.window.bottom) * self.up).clamp(0.0, self.height);
        (y(b.bytes.start), y(b.bytes.end))
    }
}

impl Painter {
    /// Paints `window` on `width` × `height` pixels. `classes` has the class of each box by its
    /// number. `column` gets every column from the left: its rows as runs from the lowest, and
    /// whether it is the same as the one before.
    pub fn paint(
        &mut self,
        map: &MemoryMap,
        classes: &[u8],
        window: Window,
        (width, height): (u32, u32),
        column: &mut dyn FnMut(u32, &[Run], bool),
    ) {
        let (wide, high) = (window.right - window.left, window.top - window.bottom);
        if !(wide > 0.0 && high > 0.0) || width == 0 || height == 0 {
            return;
        }
        let scale = Scale {
            window,
            across: f64::from(width) / wide,
            up: f64::from(height) / high,
            width: f64::from(width),
            height: f64::from(height),
        };
        self.find(map, &scale, width);
        let boxes = map.boxes();
        self.here.reset(height as usize);
        self.onward.reset(height as usize);
        self.moved = true;
        for c in 0..width {
            let (begins, ends) = (self.begin.of(c as usize), self.end.of(c as usize));
            let same = begins == END && ends == END && !self.moved;
            if !same {
                self.fill((boxes, classes), &scale, c, (begins, ends));
                self.sum(height);
            }
            column(c, &self.runs, same);
        }
    }

    /// Finds what is in sight, and the columns in which it begins and ends.
    fn find(&mut self, map: &MemoryMap, scale: &Scale, width: u32) {
        self.seen.clear();
        self.begin.reset(width as usize);
        self.end.reset(width as usize);
        let (bottom, top) = (scale.window.bottom, scale.window.top);
        map.each_in(scale.window.steps(), 0.0, |number, b| {
            if b.bytes.start as f64 >= top || b.bytes.end as f64 <= bottom {
                return;
            }
            let (left, right) = scale.columns(b);
            let (first, last) = ((left as u32).min(width - 1), right as u32);
            self.seen.push(number);
            self.begin.push(Some(first));
            self.end.push((first < last).then_some(last));
        });
    }

    /// Adds the changes of a column.
    fn fill(
        &mut self,
        (boxes, classes): (&[MapBox], &[u8]),
        scale: &Scale,
        column: u32,
        (mut begins, mut ends): (u32, u32),
    ) {
        let column = f64::from(column);
        self.moved = begins != END || ends != END;
        let of = |place: u32| {
            let number = *self.seen.get(place as usize)? as usize;
            let class = usize::from(*classes.get(number)?) % CLASSES;
            Some((boxes.get(number)?, class))
        };
        while let Some((b, class)) = of(begins) {
            let ((left, right), (low, high)) = (scale.columns(b), scale.rows(b));
            if right < column + 1.0 {
                self.here.span(low, high, class, right - left);
            } else {
                self.onward.span(low, high, class, 1.0);
                if left > column {
                    self.here.span(low, high, class, column - left);
                }
            }
            begins = self.begin.after(begins);
        }
        let ended = ends != END;
        while let Some((b, class)) = of(ends) {
            let ((_, right), (low, high)) = (scale.columns(b), scale.rows(b));
            self.onward.span(low, high, class, -1.0);
            if right > column {
                self.here.span(low, high, class, right - column);
            }
            ends = self.end.after(ends);
        }
        if ended {
            self.onward.tidy();
        }
    }

    /// Sums up the changes of a column from the lowest row, and forgets those of this column only.
    fn sum(&mut self, height: u32) {
        self.runs.clear();
        let mut sums: Sums = [0.0; CLASSES];
        let mut now = Run {
            end: 0,
            class: NO_CLASS,
            cover: 0.0,
        };
        let words = self.here.bits.iter_mut().zip(&self.onward.bits);
        for (word, (here, onward)) in words.enumerate() {
            let mut bits = std::mem::take(here) | onward;
            while bits != 0 {
                let row = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let (Some(here), Some(onward)) =
                    (self.here.change.get_mut(row), self.onward.change.get(row))
                {
                    for ((sum, here), onward) in sums.iter_mut().zip(here.iter_mut()).zip(onward) {
                        *sum += *here + *onward;
                        *here = 0.0;
                    }
                }
                if row as u32 >= height {
                    continue;
                }
                if row > 0 {
                    now.end = row as u32;
                    self.runs.push(now);
                }
                now = most(&mut sums);
            }
        }
        now.end = height;
        self.runs.push(now);
    }
}

impl Rows {
    /// Forgets rows that are empty again but for rounding.
    fn tidy(&mut self) {
        for (word, bits) in self.bits.iter_mut().enumerate() {
            let mut left = *bits;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                let row = self.change.get_mut(word * 64 + bit as usize);
                if let Some(row) = row.filter(|row| row.iter().all(|v| v.abs() < NOTHING)) {
                    *row = [0.0; CLASSES];
                    *bits &= !(1 << bit);
                }
            }
        }
    }
}

/// What is to be seen where these are the shares of the classes.
#[inline(always)]
fn most(sums: &mut Sums) -> Run {
    let (mut class, mut largest, mut all) = (0, 0.0, 0.0);
    for (c, &sum) in sums.iter().enumerate() {
        all += sum;
        if sum > largest {
            (class, largest) = (c as u8, sum);
        }
    }
    if all < NOTHING {
        *sums = [0.0; CLASSES];
        return Run {
            end: 0,
            class: NO_CLASS,
            cover: 0.0,
        };
    }
    Run {
        end: 0,
        class,
        cover: all as f32,
    }
}
