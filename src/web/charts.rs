//! The two charts over the steps: what is in use, and what would be without reuse. They are painted
//! on canvases; what moves (the selected and the hovered step, a life, a brush) lies above or below
//! them as elements, so that moving does not repaint.

use std::cell::Cell;

use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use web_sys::{HtmlCanvasElement, HtmlElement};

use super::words::{tf, Word};
use super::{dom, header, Fault, Result};
use crate::engine::protocol::{ChartColumns, StepFacts};
use crate::report::chart::usage::{paint, paint_total, Curves, Frame, Look};
use crate::report::figure::bytes;
use crate::report::names::last_part;

/// As in the style sheet; plotters writes it into a style attribute.
pub const FONT: &str =
    "system-ui, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";

/// One canvas and what lies over it.
struct Plot {
    canvas: HtmlCanvasElement,
    selected: HtmlElement,
    hover: HtmlElement,
    life: HtmlElement,
    brush: HtmlElement,
    frame: Cell<Frame>,
}

impl Plot {
    fn new(id: &str) -> Result<Self> {
        let part = |class: &str| dom::find::<HtmlElement>(&format!("#{id} {class}"));
        Ok(Self {
            canvas: dom::find(&format!("#{id} canvas"))?,
            selected: part(".selected")?,
            hover: part(".hover")?,
            life: part(".life")?,
            brush: part(".brush")?,
            frame: Cell::default(),
        })
    }

    /// Gives the canvas the pixels of the device; nothing when it cannot be seen.
    fn fit(&self) -> Result<Option<CanvasBackend>> {
        if !fit(&self.canvas) {
            return Ok(None);
        }
        CanvasBackend::with_canvas_object(self.canvas.clone())
            .ok_or_else(|| Fault::new("the canvas has no 2D context"))
            .map(Some)
    }

    /// Places a bar from the beginning of a step to the end of another; a line when `line`.
    fn place(&self, bar: &HtmlElement, steps: Option<(u32, u32)>, line: bool) -> Result<()> {
        let (frame, scale) = (self.frame.get(), pixel_ratio());
        let steps = steps.filter(|(first, last)| {
            *first <= frame.last && *last >= frame.first && frame.left < frame.right
        });
        let Some((first, last)) = steps else {
            bar.set_hidden(true);
            return Ok(());
        };
        let half = if line {
            0.0
        } else {
            (frame.x_of(frame.first) - frame.left).max(0.0)
        };
        let left = (frame.x_of(first.max(frame.first)) - half) / scale;
        let right = (frame.x_of(last.min(frame.last)) + half) / scale;
        let style = bar.style();
        style.set_property("left", &format!("{left:.2}px"))?;
        if !line {
            style.set_property("width", &format!("{:.2}px", (right - left).max(1.0)))?;
        }
        style.set_property("top", &format!("{:.2}px", frame.top / scale))?;
        let height = (frame.bottom - frame.top) / scale;
        style.set_property("height", &format!("{height:.2}px"))?;
        bar.set_hidden(false);
        Ok(())
    }
}

/// What is painted.
pub struct Painted<'a> {
    /// The curves of the window.
    pub columns: &'a ChartColumns,
    /// The curve of a second plan.
    pub overlay: Option<&'a ChartColumns>,
    /// Lines across the chart: bytes, and what to write at each.
    pub lines: Vec<(f64, String)>,
}

/// Both charts.
pub struct Charts {
    plots: [Plot; 2],
    selected: Cell<Option<u32>>,
    hovered: Cell<Option<u32>>,
    life: Cell<Option<(u32, u32)>>,
    brush: Cell<Option<(u32, u32)>>,
}

impl Charts {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            plots: [Plot::new("usage-box")?, Plot::new("total-box")?],
            selected: Cell::default(),
            hovered: Cell::default(),
            life: Cell::default(),
            brush: Cell::default(),
        })
    }

    /// The columns to ask for: the device pixels there are.
    pub fn columns(&self) -> u32 {
        let shown = f64::from(self.plots[0].canvas.client_width());
        let css = if shown > 0.0 {
            shown
        } else {
            dom::body().map_or(1280.0, |b| f64::from(b.client_width()))
        };
        (css * pixel_ratio()).round().clamp(64.0, 8192.0) as u32
    }

    /// Whether columns for another width would look better.
    pub fn wants_columns(&self, columns: &ChartColumns) -> bool {
        let steps = columns.last.saturating_sub(columns.first) as usize + 1;
        let (have, want) = (columns.step.len(), self.columns() as usize);
        have < steps
            && (have < want * 3 / 4 || want * 3 / 2 < have)
            && self.plots[0].canvas.client_width() > 0
    }

    /// Paints both.
    pub fn paint(&self, painted: &Painted<'_>) -> Result<()> {
        let columns = painted.columns;
        let none = columns.step.is_empty();
        dom::id("no-steps")?.set_hidden(!none);
        let banded = columns.alive_min != columns.alive_max;
        dom::id("legend-band")?.set_hidden(!banded);
        let peak = columns.peak_alive + columns.static_memory;
        let peak_mark = tf(
            Word::PeakMark,
            &[&bytes(peak as u64), &columns.peak_step.to_string()],
        );
        let other: Option<Vec<f64>> = painted.overlay.map(|o| {
            let add = |v: &f64| v + o.static_memory;
            o.alive_max.iter().map(add).collect()
        });
        let curves = Curves {
            first: columns.first,
            last: columns.last,
            step: &columns.step,
            alive_min: &columns.alive_min,
            alive_max: &columns.alive_max,
            static_memory: columns.static_memory,
            peak_step: columns.peak_step,
            peak_alive: columns.peak_alive,
            total: &columns.total,
            overlay: painted
                .overlay
                .zip(other.as_deref())
                .map(|(o, values)| (o.step.as_slice(), values)),
            lines: &painted.lines,
        };
        let look = Look {
            scale: pixel_ratio(),
            dark: header::is_dark(),
            font: FONT,
            peak_mark: &peak_mark,
        };
        for (plot, is_total) in self.plots.iter().zip([false, true]) {
            let Some(backend) = plot.fit()? else { continue };
            if none {
                plot.frame.set(Frame::default());
                continue;
            }
            let area = backend.into_drawing_area();
            let frame = if is_total {
                paint_total(&area, &curves, &look)
            } else {
                paint(&area, &curves, &look)
            };
            plot.frame
                .set(frame.map_err(|e| Fault::new(e.to_string()))?);
        }
        self.place_all()
    }

    /// The step under a place, CSS pixels from the left edge of a canvas. The peak is hit by the
    /// whole of its column: with many steps in a column it could not be hit otherwise.
    pub fn step_at(&self, x: f64, columns: &ChartColumns) -> Option<u32> {
        if columns.step.is_empty() {
            return None;
        }
        let step = self.plots[0].frame.get().step_at(x * pixel_ratio());
        let column = |step: u32| {
            columns
                .step
                .partition_point(|first| *first <= f64::from(step))
        };
        let shows_peak = (columns.first..=columns.last).contains(&columns.peak_step);
        Some(if shows_peak && column(step) == column(columns.peak_step) {
            columns.peak_step
        } else {
            step
        })
    }

    /// Steps that a distance in CSS pixels is long.
    pub fn steps_of(&self, pixels: f64) -> f64 {
        let frame = self.plots[0].frame.get();
        let wide = (frame.right - frame.left).max(1.0);
        let steps = f64::from(frame.last.saturating_sub(frame.first)) + 1.0;
        pixels * pixel_ratio() / wide * steps
    }

    /// The step under a place, whatever is near it.
    pub fn plain_step_at(&self, x: f64) -> u32 {
        self.plots[0].frame.get().step_at(x * pixel_ratio())
    }

    /// Moves the lines of the selected step.
    pub fn mark_selected(&self, step: Option<u32>) -> Result<()> {
        self.selected.set(step);
        self.place_all()
    }

    /// The life that is marked.
    pub fn life(&self) -> Option<(u32, u32)> {
        self.life.get()
    }

    /// Marks the life of a tensor.
    pub fn mark_life(&self, life: Option<(u32, u32)>) -> Result<()> {
        self.life.set(life);
        self.place_all()
    }

    /// Shows what a brush covers.
    pub fn mark_brush(&self, brush: Option<(u32, u32)>) -> Result<()> {
        self.brush.set(brush);
        self.place_all()
    }

    /// Moves the lines under the pointer; whether they are at another step now.
    pub fn mark_hover(&self, step: Option<u32>) -> Result<bool> {
        let moved = self.hovered.replace(step) != step;
        if moved {
            for plot in &self.plots {
                plot.place(&plot.hover, step.map(|s| (s, s)), true)?;
            }
        }
        Ok(moved)
    }

    /// The step under the pointer.
    pub fn hovered(&self) -> Option<u32> {
        self.hovered.get()
    }

    fn place_all(&self) -> Result<()> {
        for plot in &self.plots {
            let line = |step: Option<u32>| step.map(|s| (s, s));
            plot.place(&plot.selected, line(self.selected.get()), true)?;
            plot.place(&plot.hover, line(self.hovered.get()), true)?;
            plot.place(&plot.life, self.life.get(), false)?;
            plot.place(&plot.brush, self.brush.get(), false)?;
        }
        Ok(())
    }

    /// The selected step for those who do not see the chart.
    pub fn describe(&self, step: Option<&StepFacts>, steps: u32) -> Result<()> {
        let Some(step) = step else { return Ok(()) };
        let canvas = &self.plots[0].canvas;
        canvas.set_attribute("aria-valuemin", "0")?;
        canvas.set_attribute("aria-valuemax", &steps.saturating_sub(1).to_string())?;
        canvas.set_attribute("aria-valuenow", &step.step.to_string())?;
        let said = format!(
            "${} {}, {}",
            step.step,
            last_part(&step.node),
            tf(
                Word::ReadoutBytes,
                &[&bytes(step.in_use), &bytes(step.alive)]
            )
        );
        canvas.set_attribute("aria-valuetext", &said)?;
        Ok(())
    }
}

/// Gives a canvas the pixels of the device, which wipes it; `false` when it cannot be seen.
pub fn fit(canvas: &HtmlCanvasElement) -> bool {
    let (width, height) = (canvas.client_width(), canvas.client_height());
    if width <= 0 || height <= 0 {
        return false;
    }
    canvas.set_width((f64::from(width) * pixel_ratio()).round() as u32);
    canvas.set_height((f64::from(height) * pixel_ratio()).round() as u32);
    true
}

/// Device pixels for one of CSS.
pub fn pixel_ratio() -> f64 {
    dom::window()
        .map_or(1.0, |w| w.device_pixel_ratio())
        .max(0.5)
}
