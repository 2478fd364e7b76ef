//! A window made of pictures that are there: moved, stretched, and nothing of them lost.
//!
//! For views that move, until the exact picture comes. A pixel takes the colour of the place in
//! its middle. Where several pixels of a picture fall on one, what is held wins over what is not,
//! so that whatever is to be seen in a picture is still there when it has become small.

use std::ops::Range;

use super::paint::Window;

/// A pixel: red, green, blue, opacity.
pub type Pixel = [u8; 4];

/// Pixels of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// What it shows.
    pub window: Window,
    /// Pixels across and down.
    pub size: (u32, u32),
    /// The highest row first.
    pub pixels: Vec<Pixel>,
}

/// Where the pixels of a picture lie along one axis of another one.
#[derive(Default)]
struct Axis {
    /// The pixels of the target that the picture covers.
    covers: Range<usize>,
    /// The pixel of the picture in the middle of each of these.
    own: Vec<u16>,
    /// Pixels of the picture that are in the middle of none, and the target's that they fall on.
    lost: Vec<(usize, u16)>,
}

/// Shares of a pixel that are rounding.
const ROUNDING: f64 = 1e-6;

impl Axis {
    /// `from` and `to` are the ends of the picture and of the target, in the target's direction.
    fn new(from: (f64, f64), own: u32, to: (f64, f64), pixels: u32) -> Self {
        let (n, m) = (f64::from(own), f64::from(pixels));
        let stretch = (to.1 - to.0) / (from.1 - from.0) * n / m;
        let begin = (to.0 - from.0) / (from.1 - from.0) * n;
        if !(stretch > 0.0 && begin.is_finite()) || own == 0 {
            return Self::default();
        }
        let first = (-begin / stretch - ROUNDING).ceil().clamp(0.0, m) as usize;
        let end = ((n - begin) / stretch + ROUNDING).floor().clamp(0.0, m) as usize;
        let at = |pixel: f64| (begin + pixel * stretch).clamp(0.0, n - 1.0) as u16;
        let covers = first..end.max(first);
        let own = covers.clone().map(|i| at(i as f64 + 0.5)).collect();
        let mut axis = Self {
            covers,
            own,
            lost: Vec::new(),
        };
        let mut next = at(first as f64 + ROUNDING);
        let last = at((end as f64 - ROUNDING).max(0.0));
        for (i, &cell) in axis.covers.clone().zip(&axis.own) {
            let middle = |lost: u16| (f64::from(lost) + 0.5 - begin) / stretch;
            // What lies before the middle of this pixel may still be in the one before it.
            axis.lost.extend((next..cell).map(|lost| {
                let before = i > axis.covers.start && middle(lost) < i as f64;
                (i - usize::from(before), lost)
            }));
            next = next.max(cell.saturating_add(1));
        }
        if let Some(i) = axis.covers.clone().last() {
            axis.lost.extend((next..=last).map(|lost| (i, lost)));
        }
        axis
    }
}

/// As many pixels as a row may have: a place in it is never out of bounds, and nothing has to look.
type Row = [Pixel; 1 << 16];

/// Fills in what is lost.
#[inline(always)]
fn keep(slot: &mut Pixel, lost: Pixel, ground: Pixel) {
    *slot = if *slot == ground { lost } else { *slot };
}

/// Takes from a row the pixels of a line, four at a time.
fn stretch(line: &mut [Pixel], row: &Row, own: &[u16]) {
    let (mut fours, mut places) = (line.chunks_exact_mut(4), own.chunks_exact(4));
    for (to, at) in fours.by_ref().zip(places.by_ref()) {
        if let ([a, b, c, d], &[i, j, k, l]) = (to, at) {
            *a = row[usize::from(i)];
            *b = row[usize::from(j)];
            *c = row[usize::from(k)];
            *d = row[usize::from(l)];
        }
    }
    let rest = fours.into_remainder().iter_mut();
    for (to, &at) in rest.zip(places.remainder()) {
        *to = row[usize::from(at)];
    }
}

/// The part of `list` that lies in `range`; `list` is sorted.
fn within(list: &[(usize, u16)], range: &Range<usize>) -> Range<usize> {
    list.partition_point(|l| l.0 < range.start)..list.partition_point(|l| l.0 < range.end)
}

/// Draws the pixels of a picture that fall into `columns` and `rows` of the target.
fn draw(
    picture: &Picture,
    [across, down]: &[Axis; 2],
    (columns, rows): (Range<usize>, Range<usize>),
    width: usize,
    ground: Pixel,
    (out, row): (&mut [Pixel], &mut Row),
) {
    let clip = |range: Range<usize>, axis: &Axis| {
        range.start.max(axis.covers.start)..range.end.min(axis.covers.end)
    };
    let (columns, rows) = (clip(columns, across), clip(rows, down));
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let wide = picture.size.0 as usize;
    let line_of = |y: u16| {
        let y = usize::from(y);
        picture.pixels.get(y * wide..(y + 1) * wide).unwrap_or(&[])
    };
    let skipped = columns.start - across.covers.start;
    let own = across.own.get(skipped..skipped + columns.len());
    let own = own.unwrap_or(&[]);
    let lost = across.lost.get(within(&across.lost, &columns));
    let lost = lost.unwrap_or(&[]);
    let unmoved = own.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let mut before = None;
    for y in rows.clone() {
        let at = down.own.get(y - down.covers.start).copied().unwrap_or(0);
        let more = within(&down.lost, &(y..y + 1));
        let begin = y * width + columns.start;
        if before == Some(at) && more.is_empty() {
            out.copy_within(begin - width..begin - width + columns.len(), begin);
            continue;
        }
        before = Some(at).filter(|_| more.is_empty());
        let Some(line) = out.get_mut(begin..begin + columns.len()) else {
            return;
        };
        let from = line_of(at);
        let straight = own
            .first()
            .filter(|_| unmoved && more.is_empty() && lost.is_empty());
        let straight = straight.map(|&first| usize::from(first));
        if let Some(from) = straight.and_then(|first| from.get(first..first + line.len())) {
            line.copy_from_slice(from);
            continue;
        }
        // Rows that fall together first, while they are as they were, then columns.
        if let Some(row) = row.get_mut(..from.len()) {
            row.copy_from_slice(from);
        }
        for &(_, other) in down.lost.get(more).unwrap_or(&[]) {
            for (slot, &pixel) in row.iter_mut().zip(line_of(other)) {
                keep(slot, pixel, ground);
            }
        }
        stretch(line, row, own);
        for &(x, cell) in lost {
            if let Some(slot) = line.get_mut(x - columns.start) {
                keep(slot, row[usize::from(cell)], ground);
            }
        }
    }
}

/// Makes a window of pictures that look alike; where several show a place, the last one does.
/// Places of which there is no picture get the colour of the ground. Returns whether there are
/// such places.
pub fn moved(
    pictures: &[&Picture],
    window: Window,
    (width, height): (u32, u32),
    ground: Pixel,
    out: &mut Vec<Pixel>,
) -> bool {
    let (wide, high) = (width as usize, height as usize);
    out.resize(wide * high, ground);
    let mut row = vec![ground; 1 << 16];
    let Ok(row) = <&mut Row>::try_from(row.as_mut_slice()) else {
        return true;
    };
    let axes = pictures.iter().map(|picture| {
        let (own, size) = (picture.window, picture.size);
        let (x, own_x) = ((window.left, window.right), (own.left, own.right));
        let (y, own_y) = ((window.top, window.bottom), (own.top, own.bottom));
        let across = Axis::new(own_x, size.0, x, width);
        (*picture, [across, Axis::new(own_y, size.1, y, height)])
    });
    // What is yet to be drawn around what is there.
    let mut free = vec![(0..wide, 0..high)];
    for (picture, axes) in axes.collect::<Vec<_>>().iter().rev() {
        let [across, down] = [axes[0].covers.clone(), axes[1].covers.clone()];
        if across.is_empty() || down.is_empty() {
            continue;
        }
        let mut left = Vec::new();
        for (columns, rows) in free {
            draw(
                picture,
                axes,
                (columns.clone(), rows.clone()),
                wide,
                ground,
                (out, row),
            );
            let part = |range: &Range<usize>, cut: &Range<usize>| {
                let start = cut.start.clamp(range.start, range.end);
                let end = cut.end.clamp(start, range.end);
                (range.start..start, start..end, end..range.end)
            };
            let (above, beside, below) = part(&rows, &down);
            let (before, _, after) = part(&columns, &across);
            left.push((columns.clone(), above));
            left.push((columns, below));
            left.push((before, beside.clone()));
            left.push((after, beside));
        }
        left.retain(|(columns, rows)| !columns.is_empty() && !rows.is_empty());
        free = left;
    }
    for (columns, rows) in &free {
        for y in rows.clone() {
            let line = y * wide + columns.start..y * wide + columns.end;
            out.get_mut(line).unwrap_or(&mut []).fill(ground);
        }
    }
    !free.is_empty()
}
