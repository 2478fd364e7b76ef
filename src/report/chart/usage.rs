//! Memory over execution order: what is in use, what of it is alive, and the peak.
//!
//! ```text
//!  in use ┌──┐                      static memory lies between the two lines
//!  alive  │▒▒└──┐   ▒ = smallest to largest within one column
//!  ───────┴─────┴──► steps
//! ```
//!
//! A second picture over the same steps shows what there would be without reuse.

use plotters::chart::ChartContext;
use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::Shift;
use plotters::prelude::*;

use super::axis::{step_ticks, Axis, ByteScale};

/// The curves of a step window, one entry a column.
#[derive(Clone, Copy, Debug)]
pub struct Curves<'a> {
    /// First step of the window.
    pub first: u32,
    /// Last step of the window, included.
    pub last: u32,
    /// First step of each column.
    pub step: &'a [f64],
    /// Smallest number of bytes alive in the column.
    pub alive_min: &'a [f64],
    /// Largest number of bytes alive in the column.
    pub alive_max: &'a [f64],
    /// Static memory: in use = alive + this.
    pub static_memory: f64,
    /// The step of the peak.
    pub peak_step: u32,
    /// Bytes alive at the peak.
    pub peak_alive: f64,
    /// Everything produced up to the end of each column, nothing given back; for
    /// [`paint_total`].
    pub total: &'a [f64],
    /// What is in use in a second plan, dashed: first step and bytes of each column.
    pub overlay: Option<(&'a [f64], &'a [f64])>,
    /// Lines at that many bytes, and what to write at each.
    pub lines: &'a [(f64, String)],
}

/// How to paint.
#[derive(Clone, Debug)]
pub struct Look<'a> {
    /// Pixels of the backend for one pixel of the design.
    pub scale: f64,
    /// Light curves on a dark ground.
    pub dark: bool,
    /// Font families, as in a style sheet.
    pub font: &'a str,
    /// What to write at the peak.
    pub peak_mark: &'a str,
}

/// Where the plot lies on the backend: turns pixels into steps and back.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Frame {
    /// Left edge, backend pixels.
    pub left: f64,
    /// Right edge.
    pub right: f64,
    /// Top edge.
    pub top: f64,
    /// Bottom edge.
    pub bottom: f64,
    /// First step of the window.
    pub first: u32,
    /// Last step of the window, included.
    pub last: u32,
}

impl Frame {
    fn steps(&self) -> f64 {
        f64::from(self.last.saturating_sub(self.first)) + 1.0
    }

    /// The middle of a step, backend pixels.
    pub fn x_of(&self, step: u32) -> f64 {
        let from_first = f64::from(step) - f64::from(self.first) + 0.5;
        self.left + from_first / self.steps() * (self.right - self.left)
    }

    /// The step at a pixel; the nearest one outside the plot.
    pub fn step_at(&self, x: f64) -> u32 {
        let width = (self.right - self.left).max(1.0);
        let from_first = ((x - self.left) / width * self.steps()).floor();
        let most = f64::from(self.last.saturating_sub(self.first));
        self.first
            .saturating_add(from_first.clamp(0.0, most) as u32)
    }
}

struct Palette {
    ink: RGBColor,
    grid: RGBColor,
    in_use: RGBColor,
    alive: RGBColor,
    paper: RGBColor,
    capacity: RGBColor,
}

const LIGHT: Palette = Palette {
    ink: RGBColor(0x5b, 0x66, 0x72),
    grid: RGBColor(0xe6, 0xe9, 0xed),
    in_use: RGBColor(0x3d, 0x4a, 0x58),
    alive: RGBColor(0x0b, 0x66, 0xc3),
    paper: RGBColor(0xff, 0xff, 0xff),
    capacity: RGBColor(0x8a, 0x5a, 0x00),
};

const DARK: Palette = Palette {
    ink: RGBColor(0x9a, 0xa5, 0xb1),
    grid: RGBColor(0x2b, 0x32, 0x3a),
    in_use: RGBColor(0xc3, 0xcc, 0xd5),
    alive: RGBColor(0x7c, 0xc0, 0xff),
    paper: RGBColor(0x1b, 0x20, 0x26),
    capacity: RGBColor(0xe0, 0xb0, 0x5a),
};

/// Why a chart could not be painted.
pub type PaintError<DB> = DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>;

/// The curves on their axes.
type Plot<'a, DB> = ChartContext<'a, DB, Cartesian2d<Axis, Axis>>;

/// Paints what is in use and alive over the whole of `area`.
pub fn paint<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    curves: &Curves<'_>,
    look: &Look<'_>,
) -> Result<Frame, PaintError<DB>> {
    let colours = look.palette();
    let above = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    let other = curves.overlay.map_or(0.0, |(_, values)| above(values));
    let largest =
        (above(curves.alive_max).max(curves.peak_alive) + curves.static_memory).max(other);
    // A line far above the curves would press them flat: then it is written at the top.
    let near = |at: f64| at <= largest * 2.5;
    let highest = curves.lines.iter().map(|(at, _)| *at);
    let highest = highest.filter(|at| near(*at)).fold(largest, f64::max);
    let mut chart = axes(area, curves, look, highest, (4, true))?;
    let (begin, end) = (f64::from(curves.first), f64::from(curves.last) + 1.0);
    let scaled = |n: f64| look.scaled(n);

    let alive_low = stairs(curves, curves.step, curves.alive_min, 0.0);
    let alive_high = stairs(curves, curves.step, curves.alive_max, 0.0);
    let in_use = stairs(curves, curves.step, curves.alive_max, curves.static_memory);
    if !alive_high.is_empty() {
        let ground = vec![(begin, 0.0), (end, 0.0)];
        chart.draw_series([between(&alive_low, &ground, colours.alive.mix(0.26))])?;
        chart.draw_series([between(&alive_high, &alive_low, colours.alive.mix(0.13))])?;
        chart.draw_series([between(&in_use, &alive_high, colours.in_use.mix(0.10))])?;
        let line = scaled(1.5) as u32;
        chart.draw_series([PathElement::new(in_use, colours.in_use.stroke_width(line))])?;
        chart.draw_series([PathElement::new(
            alive_high,
            colours.alive.stroke_width(line),
        )])?;
    }
    if let Some((steps, values)) = curves.overlay {
        let points = stairs(curves, steps, values, 0.0);
        let style = colours.in_use.stroke_width(scaled(1.5) as u32);
        let (dash, gap) = (scaled(6.0) as u32, scaled(4.0) as u32);
        chart.draw_series(DashedLineSeries::new(points, dash, gap, style))?;
    }
    // At the end where the peak's mark is not.
    let middle = curves.first + (curves.last - curves.first) / 2;
    let edge = if (curves.first..middle).contains(&curves.peak_step) {
        end
    } else {
        begin
    };
    let style = colours.capacity.stroke_width(scaled(1.5) as u32);
    let mut far = String::new();
    for (place, (at, text)) in (0..).zip(curves.lines) {
        let at = *at;
        if !near(at) {
            far.push_str(if far.is_empty() { "↑ " } else { " · " });
            far.push_str(text);
            continue;
        }
        chart.draw_series([PathElement::new(vec![(begin, at), (end, at)], style)])?;
        let over = at < highest * 0.9;
        write_line(&mut chart, look, (edge, at), (over, place), text)?;
    }
    if !far.is_empty() {
        let spot = (edge, highest * 1.04);
        write_line(&mut chart, look, spot, (false, 0), &far)?;
    }
    let frame = frame_of(&chart, curves);
    mark_peak(&mut chart, &frame, curves, look)?;
    area.present()?;
    Ok(frame)
}

/// Paints what there would be without reuse over the whole of `area`.
pub fn paint_total<DB: DrawingBackend>(
    area: &DrawingArea<DB, Shift>,
    curves: &Curves<'_>,
    look: &Look<'_>,
) -> Result<Frame, PaintError<DB>> {
    let colours = look.palette();
    let largest = curves.total.iter().copied().fold(0.0, f64::max) + curves.static_memory;
    let mut chart = axes(area, curves, look, largest, (2, false))?;
    let ground = vec![
        (f64::from(curves.first), 0.0),
        (f64::from(curves.last) + 1.0, 0.0),
    ];
    let tensors = stairs(curves, curves.step, curves.total, 0.0);
    let all = stairs(curves, curves.step, curves.total, curves.static_memory);
    if !tensors.is_empty() {
        let line = look.scaled(1.5) as u32;
        chart.draw_series([between(&tensors, &ground, colours.alive.mix(0.13))])?;
        chart.draw_series([between(&all, &tensors, colours.in_use.mix(0.10))])?;
        chart.draw_series([PathElement::new(all, colours.in_use.stroke_width(line))])?;
        chart.draw_series([PathElement::new(tensors, colours.alive.stroke_width(line))])?;
    }
    let frame = frame_of(&chart, curves);
    area.present()?;
    Ok(frame)
}

impl Look<'_> {
    fn palette(&self) -> &'static Palette {
        if self.dark {
            &DARK
        } else {
            &LIGHT
        }
    }

    fn scaled(&self, n: f64) -> f64 {
        (n * self.scale).round().max(1.0)
    }

    /// The font by its name as it is: from a text, plotters would fold its case, and that takes
    /// Unicode's tables.
    fn font(&self, size: f64) -> FontDesc<'_> {
        let family = FontFamily::Name(self.font);
        FontDesc::new(family, self.scaled(size), FontStyle::Normal)
    }
}

/// Draws the axes: bytes up to `largest` with about `ticks` ticks, and the steps of the window. The
/// steps are written below the main chart only.
fn axes<'a, DB: DrawingBackend>(
    area: &'a DrawingArea<DB, Shift>,
    curves: &Curves<'_>,
    look: &Look<'_>,
    largest: f64,
    (ticks, is_main): (usize, bool),
) -> Result<Plot<'a, DB>, PaintError<DB>> {
    let (colours, scaled) = (look.palette(), |n: f64| look.scaled(n));
    let scale = ByteScale::new(largest, ticks);
    let (begin, end) = (f64::from(curves.first), f64::from(curves.last) + 1.0);
    let (width, _) = area.dim_in_pixel();
    let ticks = step_ticks(
        curves.first,
        curves.last,
        (f64::from(width) / scaled(110.0)) as usize,
    );
    let mut chart = ChartBuilder::on(area)
        .margin_top(scaled(if is_main { 18.0 } else { 6.0 }) as i32)
        .margin_right(scaled(14.0) as i32)
        .margin_bottom(scaled(if is_main { 2.0 } else { 4.0 }) as i32)
        .set_label_area_size(LabelAreaPosition::Left, scaled(70.0) as u32)
        .set_label_area_size(
            LabelAreaPosition::Bottom,
            if is_main { scaled(22.0) as u32 } else { 0 },
        )
        .build_cartesian_2d(
            Axis {
                begin,
                end,
                ticks: ticks.iter().map(|t| f64::from(*t) + 0.5).collect(),
            },
            Axis {
                begin: 0.0,
                end: scale.end,
                ticks: scale.ticks.clone(),
            },
        )?;
    let label = look.font(11.5).color(&colours.ink);
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(ticks.len().max(1))
        .y_labels(scale.ticks.len())
        .bold_line_style(colours.grid.stroke_width(scaled(1.0) as u32))
        .light_line_style(TRANSPARENT)
        .axis_style(colours.grid.stroke_width(scaled(1.0) as u32))
        .set_all_tick_mark_size(scaled(4.0) as u32)
        .label_style(label)
        .x_label_formatter(&|x| format!("${}", x.floor()))
        .y_label_formatter(&|y| scale.label(*y))
        .draw()?;
    Ok(chart)
}

fn frame_of<DB: DrawingBackend>(chart: &Plot<'_, DB>, curves: &Curves<'_>) -> Frame {
    let plot = chart.plotting_area().get_pixel_range();
    Frame {
        left: f64::from(plot.0.start),
        right: f64::from(plot.0.end),
        top: f64::from(plot.1.start),
        bottom: f64::from(plot.1.end),
        first: curves.first,
        last: curves.last,
    }
}

/// Writes what a line is at the left or right edge, over or under the line, in the place of that
/// number: lines that lie close together have their texts side by side.
fn write_line<DB: DrawingBackend>(
    chart: &mut Plot<'_, DB>,
    look: &Look<'_>,
    spot: (f64, f64),
    (over, place): (bool, u32),
    text: &str,
) -> Result<(), PaintError<DB>> {
    use plotters::style::text_anchor::{HPos, Pos, VPos};
    let (side, down) = if over {
        (VPos::Bottom, -3)
    } else {
        (VPos::Top, 3)
    };
    let (edge, right) = if spot.0 > chart.x_range().start {
        (HPos::Right, -6)
    } else {
        (HPos::Left, 6)
    };
    let style = look
        .font(11.5)
        .color(&look.palette().capacity)
        .pos(Pos::new(edge, side));
    let aside = f64::from(right) * (1.0 + 28.0 * f64::from(place));
    let at = (look.scaled(aside) as i32, down * look.scaled(1.0) as i32);
    chart.draw_series([EmptyElement::at(spot) + Text::new(text.to_owned(), at, style)])?;
    Ok(())
}

fn mark_peak<DB: DrawingBackend>(
    chart: &mut Plot<'_, DB>,
    frame: &Frame,
    curves: &Curves<'_>,
    look: &Look<'_>,
) -> Result<(), PaintError<DB>> {
    let (colours, scaled) = (look.palette(), |n: f64| look.scaled(n));
    if (curves.first..=curves.last).contains(&curves.peak_step) && !curves.step.is_empty() {
        use plotters::style::text_anchor::{HPos, Pos, VPos};
        let spot = (
            f64::from(curves.peak_step) + 0.5,
            curves.peak_alive + curves.static_memory,
        );
        let right_half =
            frame.x_of(curves.peak_step) > frame.left + (frame.right - frame.left) * 0.6;
        let (side, shift) = if right_half {
            (HPos::Right, -1)
        } else {
            (HPos::Left, 1)
        };
        let style = look
            .font(12.0)
            .color(&colours.in_use)
            .pos(Pos::new(side, VPos::Bottom));
        let pixel = |y: f64| chart.backend_coord(&(spot.0, y)).1;
        let lines = curves.lines.iter().map(|(at, _)| pixel(*at));
        let rise = rise(pixel(spot.1), lines, scaled(1.0) as i32);
        let at = (shift * scaled(8.0) as i32, -rise);
        chart.draw_series([EmptyElement::at(spot)
            + Circle::new((0, 0), scaled(4.0) as i32, colours.in_use.filled())
            + Circle::new((0, 0), scaled(2.0) as i32, colours.paper.filled())
            + Text::new(look.peak_mark.to_owned(), at, style)])?;
    }
    Ok(())
}

/// How far above the peak (at pixel `peak` from the top) its text ends: clear of `lines`.
fn rise(peak: i32, lines: impl IntoIterator<Item = i32>, unit: i32) -> i32 {
    // The text is some 15 units high and begins 3 units above what it stands on.
    let crosses = |above: &i32| (0..=20 * unit).contains(above);
    let above = lines
        .into_iter()
        .map(|line| peak - line)
        .filter(crosses)
        .max();
    3 * unit + above.unwrap_or(0)
}

/// The points of a step line: each column level from its first step to the next column's.
fn stairs(curves: &Curves<'_>, steps: &[f64], values: &[f64], above: f64) -> Vec<(f64, f64)> {
    let end = f64::from(curves.last) + 1.0;
    let ends = steps.iter().skip(1).copied().chain([end]);
    let columns = steps.iter().copied().zip(ends).zip(values);
    columns
        .flat_map(|((from, to), value)| [(from, value + above), (to, value + above)])
        .collect()
}

fn between(upper: &[(f64, f64)], lower: &[(f64, f64)], fill: RGBAColor) -> Polygon<(f64, f64)> {
    let outline: Vec<(f64, f64)> = upper
        .iter()
        .copied()
        .chain(lower.iter().rev().copied())
        .collect();
    Polygon::new(outline, fill)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_steps_match() {
        let frame = Frame {
            left: 70.0,
            right: 570.0,
            top: 0.0,
            bottom: 100.0,
            first: 10,
            last: 19,
        };
        for step in 10..=19 {
            assert_eq!(frame.step_at(frame.x_of(step)), step);
        }
        assert_eq!(frame.x_of(10), 95.0);
        assert_eq!(frame.step_at(-5.0), 10);
        assert_eq!(frame.step_at(9000.0), 19);
        assert_eq!(Frame::default().step_at(3.0), 0);
    }

    #[test]
    fn the_text_at_the_peak_is_never_crossed() {
        for unit in [1, 2] {
            for line in 0..200 {
                let end = 100 - rise(100, Some(line), unit);
                let text = end - 15 * unit..=end;
                assert!(!text.contains(&line), "{text:?} and {line}");
                assert!(end >= 100 - 23 * unit, "{text:?} is far from the peak");
            }
            assert_eq!(rise(100, None, unit), 3 * unit);
        }
    }

    #[test]
    fn columns_become_stairs() {
        let curves = Curves {
            first: 0,
            last: 4,
            step: &[0.0, 2.0],
            alive_min: &[1.0, 3.0],
            alive_max: &[2.0, 4.0],
            static_memory: 10.0,
            peak_step: 2,
            peak_alive: 4.0,
            total: &[],
            overlay: None,
            lines: &[],
        };
        assert_eq!(
            stairs(&curves, curves.step, curves.alive_max, 10.0),
            [(0.0, 12.0), (2.0, 12.0), (2.0, 14.0), (5.0, 14.0)]
        );
    }
}
