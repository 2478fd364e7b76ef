//! The pointer, the wheel and the keys on the charts.
//!
//! | what | does |
//! | --- | --- |
//! | click | selects the step |
//! | wheel | zooms around the pointer; sideways it moves |
//! | drag | moves the window; over all steps, or with Shift, it marks what to zoom to |
//! | `←` `→`, `+` `−` `0`, `a` `d` `w` `s` | another step; zoom; move and zoom |

use std::cell::Cell;
use std::rc::Rc;

use web_sys::{KeyboardEvent, MouseEvent, PointerEvent, WheelEvent};

use super::page::Page;
use super::zoom::Window;
use super::{dom, Result};

/// Pixels the pointer must move before a press is a drag.
const SLACK: f64 = 4.0;

#[derive(Clone, Copy)]
enum Press {
    /// Pressed at x with the window of then.
    Down(f64, Window, bool),
    /// Moves the window.
    Pan(f64, Window),
    /// Marks from a step on.
    Brush(u32),
}

/// Listens to both charts.
pub fn listen(page: &Rc<Page>) -> Result<()> {
    let press: Rc<Cell<Option<Press>>> = Rc::default();
    // Whether the press that ends was a drag: its click selects nothing.
    let dragged: Rc<Cell<bool>> = Rc::default();
    for hook in ["usage-chart", "total-chart"] {
        pointer(page, hook, &press, &dragged)?;
        wheel(page, hook)?;
    }
    let own = page.clone();
    dom::on(&*dom::id("zoom-all")?, "click", move |_: MouseEvent| {
        own.zoom_all()
    })?;
    keys(page)
}

fn pointer(
    page: &Rc<Page>,
    hook: &str,
    press: &Rc<Cell<Option<Press>>>,
    dragged: &Rc<Cell<bool>>,
) -> Result<()> {
    let canvas = dom::hook(hook)?;
    let (own, pressed, moved) = (page.clone(), press.clone(), dragged.clone());
    dom::on(&canvas, "pointerdown", move |event: PointerEvent| {
        moved.set(false);
        if event.button() != 0 {
            return Ok(());
        }
        if let Some((window, steps)) = own.window() {
            let brush = event.shift_key() || window.wide() >= steps;
            let x = f64::from(event.offset_x());
            pressed.set(Some(Press::Down(x, window, brush)));
        }
        Ok(())
    })?;
    let (own, pressed, moved) = (page.clone(), press.clone(), dragged.clone());
    let target = canvas.clone();
    dom::on(&canvas, "pointermove", move |event: PointerEvent| {
        let x = f64::from(event.offset_x());
        own.hover(Some(x))?;
        if let Some(Press::Down(from, window, brush)) = pressed.get() {
            if (x - from).abs() < SLACK {
                return Ok(());
            }
            target.set_pointer_capture(event.pointer_id())?;
            moved.set(true);
            pressed.set(if brush {
                own.step_under(from).map(Press::Brush)
            } else {
                Some(Press::Pan(from, window))
            });
        }
        match pressed.get() {
            Some(Press::Pan(from, window)) => own.pan_from(window, from - x),
            Some(Press::Brush(from)) => own.brush(from, x),
            _ => Ok(()),
        }
    })?;
    let (own, pressed) = (page.clone(), press.clone());
    dom::on(&canvas, "pointerup", move |event: PointerEvent| {
        if let Some(Press::Brush(from)) = pressed.take() {
            return own.zoom_to_brush(from, f64::from(event.offset_x()));
        }
        Ok(())
    })?;
    let (own, pressed) = (page.clone(), press.clone());
    dom::on(&canvas, "pointercancel", move |_: PointerEvent| {
        pressed.set(None);
        own.no_brush()
    })?;
    let own = page.clone();
    dom::on(&canvas, "pointerleave", move |_: PointerEvent| {
        own.hover(None)
    })?;
    let (own, moved) = (page.clone(), dragged.clone());
    dom::on(&canvas, "click", move |event: MouseEvent| {
        if moved.take() {
            return Ok(());
        }
        match own.step_at(f64::from(event.offset_x())) {
            Some(step) => own.select_step(step),
            None => Ok(()),
        }
    })?;
    let own = page.clone();
    dom::on(&canvas, "dblclick", move |_: MouseEvent| own.zoom_all())
}

fn wheel(page: &Rc<Page>, hook: &str) -> Result<()> {
    let canvas = dom::hook(hook)?;
    let own = page.clone();
    dom::on(&canvas, "wheel", move |event: WheelEvent| {
        let Some((window, steps)) = own.window() else {
            return Ok(());
        };
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 24.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        if dx.abs() > dy.abs() || event.shift_key() {
            if window.wide() < steps {
                event.prevent_default();
                return own.pan_from(window, if dx == 0.0 { dy } else { dx });
            }
            return Ok(());
        }
        // Where all is shown already, turning on scrolls the page.
        if dy > 0.0 && window.wide() >= steps {
            return Ok(());
        }
        event.prevent_default();
        let Some(at) = own.step_under(f64::from(event.offset_x())) else {
            return Ok(());
        };
        let factor = (dy.clamp(-300.0, 300.0) * 0.0022).exp();
        own.show_window(window.zoomed(at, factor, steps))
    })
}

fn keys(page: &Rc<Page>) -> Result<()> {
    let canvas = dom::hook("usage-chart")?;
    let pressed = page.clone();
    dom::on(&canvas, "keydown", move |event: KeyboardEvent| {
        let (Some((at, last)), Some((window, steps))) = (pressed.selected(), pressed.window())
        else {
            return Ok(());
        };
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return Ok(());
        }
        let stride = if event.shift_key() { 10 } else { 1 };
        let leap = (window.wide() / 20).max(1);
        let seen = if (window.first..=window.last).contains(&at) {
            at
        } else {
            window.middle()
        };
        let key = event.key();
        let to = match key.as_str() {
            "ArrowLeft" | "ArrowDown" => at.saturating_sub(stride),
            "ArrowRight" | "ArrowUp" => at.saturating_add(stride),
            "PageDown" => at.saturating_sub(leap),
            "PageUp" => at.saturating_add(leap),
            "Home" => 0,
            "End" => last,
            _ => {
                let Some(window) = window.by_key(&key, seen, steps) else {
                    return Ok(());
                };
                event.prevent_default();
                return pressed.show_window(window);
            }
        };
        event.prevent_default();
        pressed.select(Some(to.min(last)), None)
    })?;
    // A held key moves many steps; only where it ends goes into the history.
    let released = page.clone();
    dom::on(&canvas, "keyup", move |_: KeyboardEvent| {
        released.remember()
    })
}

impl Page {
    fn zoom_all(&self) -> Result<()> {
        match self.window() {
            Some((_, steps)) => self.show_window(Window::all(steps)),
            None => Ok(()),
        }
    }

    /// The step under a place, whatever is near it.
    fn step_under(&self, x: f64) -> Option<u32> {
        self.window()?;
        Some(self.charts.plain_step_at(x))
    }

    fn pan_from(&self, window: Window, pixels: f64) -> Result<()> {
        let Some((_, steps)) = self.window() else {
            return Ok(());
        };
        let by = self.charts.steps_of(pixels).round() as i64;
        self.show_window(window.moved(by, steps))
    }

    fn brush(&self, from: u32, x: f64) -> Result<()> {
        let to = self.charts.plain_step_at(x);
        self.charts.mark_brush(Some((from.min(to), from.max(to))))
    }

    fn no_brush(&self) -> Result<()> {
        self.charts.mark_brush(None)
    }

    fn zoom_to_brush(&self, from: u32, x: f64) -> Result<()> {
        self.no_brush()?;
        let to = self.charts.plain_step_at(x);
        match self.window() {
            Some((_, steps)) if from != to => self.show_window(Window::between(from, to, steps)),
            _ => Ok(()),
        }
    }
}
