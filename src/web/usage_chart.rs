//! The usage chart: paints it on its canvas, and keeps two lines above it (the selected step and
//! the one under the pointer), so that moving does not repaint.

use std::cell::{Cell, RefCell};

use plotters::prelude::IntoDrawingArea;
use plotters_canvas::CanvasBackend;
use web_sys::{HtmlCanvasElement, HtmlElement};

use super::words::{t, tf, Word};
use super::{dom, header, Fault, Result};
use crate::engine::protocol::{ChartColumns, StepFacts};
use crate::report::chart::usage::{paint, Curves, Frame, Look};
use crate::report::figure::bytes;
use crate::report::names::last_part;

/// As in the style sheet; plotters writes it into a style attribute.
const FONT: &str = "system-ui, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";

/// The chart's elements and where things are on it.
pub struct UsageChart {
    canvas: HtmlCanvasElement,
    selected_line: HtmlElement,
    hover_line: HtmlElement,
    frame: RefCell<Frame>,
    scale: Cell<f64>,
    selected: Cell<Option<u32>>,
    hovered: Cell<Option<u32>>,
}

impl UsageChart {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            canvas: dom::find("canvas[data-hook=usage-chart]")?,
            selected_line: dom::id("line-selected")?,
            hover_line: dom::id("line-hover")?,
            frame: RefCell::default(),
            scale: Cell::new(1.0),
            selected: Cell::new(None),
            hovered: Cell::new(None),
        })
    }

    /// The columns to ask for: the device pixels there are.
    pub fn columns(&self) -> u32 {
        let shown = f64::from(self.canvas.client_width());
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
            && self.canvas.client_width() > 0
    }

    /// Paints.
    pub fn paint(&self, columns: &ChartColumns) -> Result<()> {
        let none = columns.step.is_empty();
        dom::id("no-steps")?.set_hidden(!none);
        let banded = columns.alive_min != columns.alive_max;
        dom::id("legend-band")?.set_hidden(!banded);
        let (width, height) = (self.canvas.client_width(), self.canvas.client_height());
        if width <= 0 || height <= 0 {
            return Ok(());
        }
        let scale = pixel_ratio();
        self.scale.set(scale);
        // Setting the size also wipes the canvas.
        self.canvas
            .set_width((f64::from(width) * scale).round() as u32);
        self.canvas
            .set_height((f64::from(height) * scale).round() as u32);
        if none {
            *self.frame.borrow_mut() = Frame::default();
            return self.place_lines();
        }
        let backend = CanvasBackend::with_canvas_object(self.canvas.clone())
            .ok_or_else(|| Fault::new("the canvas has no 2D context"))?;
        let peak = columns.peak_alive + columns.static_memory;
        let peak_mark = tf(
            Word::PeakMark,
            &[&bytes(peak as u64), &columns.peak_step.to_string()],
        );
        let curves = Curves {
            first: columns.first,
            last: columns.last,
            step: &columns.step,
            alive_min: &columns.alive_min,
            alive_max: &columns.alive_max,
            static_memory: columns.static_memory,
            peak_step: columns.peak_step,
            peak_alive: columns.peak_alive,
        };
        let look = Look {
            scale,
            dark: header::is_dark(),
            font: FONT,
            step_axis: t(Word::StepAxis),
            peak_mark: &peak_mark,
        };
        let frame = paint(&backend.into_drawing_area(), &curves, &look)
            .map_err(|e| Fault::new(e.to_string()))?;
        *self.frame.borrow_mut() = frame;
        self.place_lines()
    }

    /// The step under a place, CSS pixels from the left edge of the canvas. The peak is hit by
    /// the whole of its column: with many steps in a column it could not be hit otherwise.
    pub fn step_at(&self, x: f64, columns: &ChartColumns) -> Option<u32> {
        if columns.step.is_empty() {
            return None;
        }
        let step = self.frame.borrow().step_at(x * self.scale.get());
        let column = |step: u32| {
            columns
                .step
                .partition_point(|first| *first <= f64::from(step))
        };
        Some(if column(step) == column(columns.peak_step) {
            columns.peak_step
        } else {
            step
        })
    }

    /// Moves the line of the selected step.
    pub fn mark_selected(&self, step: Option<u32>) -> Result<()> {
        self.selected.set(step);
        self.place_lines()
    }

    /// Moves the line under the pointer; whether it is at another step now.
    pub fn mark_hover(&self, step: Option<u32>) -> Result<bool> {
        let moved = self.hovered.replace(step) != step;
        if moved {
            self.place_lines()?;
        }
        Ok(moved)
    }

    /// The step under the pointer.
    pub fn hovered(&self) -> Option<u32> {
        self.hovered.get()
    }

    fn place_lines(&self) -> Result<()> {
        let frame = *self.frame.borrow();
        let scale = self.scale.get();
        for (line, step) in [
            (&self.selected_line, self.selected.get()),
            (&self.hover_line, self.hovered.get()),
        ] {
            match step
                .filter(|s| (frame.first..=frame.last).contains(s) && frame.left < frame.right)
            {
                Some(step) => {
                    let style = line.style();
                    style.set_property("left", &format!("{:.2}px", frame.x_of(step) / scale))?;
                    style.set_property("top", &format!("{:.2}px", frame.top / scale))?;
                    style.set_property(
                        "height",
                        &format!("{:.2}px", (frame.bottom - frame.top) / scale),
                    )?;
                    line.set_hidden(false);
                }
                None => line.set_hidden(true),
            }
        }
        Ok(())
    }

    /// The selected step for those who do not see the chart.
    pub fn describe(&self, step: Option<&StepFacts>, steps: u32) -> Result<()> {
        let Some(step) = step else { return Ok(()) };
        self.canvas.set_attribute("aria-valuemin", "0")?;
        self.canvas
            .set_attribute("aria-valuemax", &steps.saturating_sub(1).to_string())?;
        self.canvas
            .set_attribute("aria-valuenow", &step.step.to_string())?;
        let said = format!(
            "${} {}, {}",
            step.step,
            last_part(&step.node),
            tf(
                Word::ReadoutBytes,
                &[&bytes(step.in_use), &bytes(step.alive)]
            )
        );
        self.canvas.set_attribute("aria-valuetext", &said)?;
        Ok(())
    }
}

fn pixel_ratio() -> f64 {
    dom::window()
        .map_or(1.0, |w| w.device_pixel_ratio())
        .max(0.5)
}
