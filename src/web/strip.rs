//! The strip below the charts: the whole graph, and which part of it the charts show.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{
    CanvasRenderingContext2d, HtmlCanvasElement, HtmlElement, KeyboardEvent, PointerEvent,
};

use super::charts::{fit, pixel_ratio};
use super::page::Page;
use super::words::{tf, Word};
use super::zoom::Window;
use super::{dom, header, Fault, Result};
use crate::engine::protocol::ChartColumns;
use crate::report::figure::grouped;

/// The strip's elements.
pub struct Strip {
    canvas: HtmlCanvasElement,
    handle: HtmlElement,
}

impl Strip {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            canvas: dom::find("#strip canvas")?,
            handle: dom::find("#strip .window")?,
        })
    }

    /// Paints the whole graph.
    pub fn paint(&self, columns: &ChartColumns) -> Result<()> {
        if !fit(&self.canvas) || columns.step.is_empty() {
            return Ok(());
        }
        let context = context_of(&self.canvas)?;
        let (width, height) = (self.canvas.width(), f64::from(self.canvas.height()));
        let largest = columns.alive_max.iter().copied().fold(0.0, f64::max);
        let all = (largest + columns.static_memory).max(1.0);
        let steps = f64::from(columns.last) + 1.0;
        context.set_fill_style_str(if header::is_dark() {
            "#7cc0ff"
        } else {
            "#0b66c3"
        });
        context.set_global_alpha(0.35);
        for x in 0..width {
            let step = f64::from(x) / f64::from(width) * steps;
            let at = columns.step.partition_point(|first| *first <= step);
            let value = columns.alive_max.get(at.saturating_sub(1));
            let share = (value.copied().unwrap_or(0.0) + columns.static_memory) / all;
            let tall = (share * (height - 2.0)).round();
            context.fill_rect(f64::from(x), height - tall, 1.0, tall);
        }
        Ok(())
    }

    /// Shows which part is shown.
    pub fn show(&self, window: Window, steps: u32) -> Result<()> {
        let all = f64::from(steps.max(1));
        let share = |step: f64| format!("{:.4}%", step / all * 100.0);
        let style = self.handle.style();
        style.set_property("left", &share(f64::from(window.first)))?;
        style.set_property("width", &share(f64::from(window.wide())))?;
        let zoomed = window.wide() < steps;
        dom::attribute(&*dom::id("strip")?, "data-zoomed", zoomed.then_some(""))?;
        dom::id("zoom-all")?.set_hidden(!zoomed);
        let text = tf(
            Word::WindowText,
            &[
                &window.first.to_string(),
                &window.last.to_string(),
                &grouped(window.wide().into()),
                &grouped(steps.into()),
            ],
        );
        self.handle.set_attribute("aria-valuemin", "0")?;
        self.handle
            .set_attribute("aria-valuemax", &steps.saturating_sub(1).to_string())?;
        self.handle
            .set_attribute("aria-valuenow", &window.first.to_string())?;
        self.handle.set_attribute("aria-valuetext", &text)?;
        dom::id("window-text")?.set_text_content(Some(&text));
        Ok(())
    }
}

/// The 2D context of a canvas.
pub fn context_of(canvas: &HtmlCanvasElement) -> Result<CanvasRenderingContext2d> {
    canvas
        .get_context("2d")?
        .and_then(|c| c.dyn_into().ok())
        .ok_or_else(|| Fault::new("the canvas has no 2D context"))
}

/// What is dragged: the window as a whole, or one of its edges.
#[derive(Clone, Copy)]
enum Drag {
    Whole(f64, Window),
    Edge(u32),
}

/// Listens to the strip.
pub fn listen(page: &Rc<Page>) -> Result<()> {
    let strip = dom::id("strip")?;
    let drag: Rc<Cell<Option<Drag>>> = Rc::default();
    let step_at = |strip: &HtmlElement, event: &PointerEvent, steps: u32| -> f64 {
        let place = strip.get_bounding_client_rect();
        let x = f64::from(event.client_x()) - place.left();
        x / place.width().max(1.0) * f64::from(steps)
    };
    let (own, box_, dragged) = (page.clone(), strip.clone(), drag.clone());
    dom::on(&strip, "pointerdown", move |event: PointerEvent| {
        let Some((window, steps)) = own.window() else {
            return Ok(());
        };
        event.prevent_default();
        let at = step_at(&box_, &event, steps);
        let place = box_.get_bounding_client_rect().width() / pixel_ratio().max(1.0);
        let near = 6.0 / place.max(1.0) * f64::from(steps);
        let (first, end) = (f64::from(window.first), f64::from(window.last) + 1.0);
        let wide = window.wide() < steps;
        dragged.set(Some(if (at - first).abs() < near {
            Drag::Edge(window.last)
        } else if (at - end).abs() < near {
            Drag::Edge(window.first)
        } else if wide && (first..end).contains(&at) {
            Drag::Whole(at, window)
        } else if wide {
            let middle = window.moved((at - (first + end) / 2.0) as i64, steps);
            own.show_window(middle)?;
            Drag::Whole(at, middle)
        } else {
            Drag::Edge(at as u32)
        }));
        box_.set_pointer_capture(event.pointer_id())?;
        Ok(())
    })?;
    let (own, box_, dragged) = (page.clone(), strip.clone(), drag.clone());
    dom::on(&strip, "pointermove", move |event: PointerEvent| {
        let (Some(drag), Some((_, steps))) = (dragged.get(), own.window()) else {
            return Ok(());
        };
        let at = step_at(&box_, &event, steps);
        own.show_window(match drag {
            Drag::Whole(from, window) => window.moved((at - from).round() as i64, steps),
            Drag::Edge(other) => {
                let at = at.clamp(0.0, f64::from(steps.saturating_sub(1))) as u32;
                Window::between(at, other, steps)
            }
        })
    })?;
    for name in ["pointerup", "pointercancel"] {
        let dragged = drag.clone();
        dom::on(&strip, name, move |_: PointerEvent| {
            dragged.set(None);
            Ok(())
        })?;
    }
    // The keys of the charts, and those of any slider.
    let own = page.clone();
    dom::on(&strip, "keydown", move |event: KeyboardEvent| {
        let Some((window, steps)) = own.window() else {
            return Ok(());
        };
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return Ok(());
        }
        let key = event.key();
        let key = match key.as_str() {
            "ArrowLeft" | "ArrowDown" => "a",
            "ArrowRight" | "ArrowUp" => "d",
            "Home" => "0",
            other => other,
        };
        match window.by_key(key, window.middle(), steps) {
            Some(window) => {
                event.prevent_default();
                own.show_window(window)
            }
            None => Ok(()),
        }
    })
}
