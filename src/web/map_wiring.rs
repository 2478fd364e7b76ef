//! The pointer, the wheel and the keys on the memory map.
//!
//! | what | does |
//! | --- | --- |
//! | click | selects the tensor, or the step where nothing is held |
//! | wheel | zooms around the pointer; with Ctrl the steps only, with Alt the bytes only |
//! | drag | moves; with Ctrl or Alt on one axis; with Shift it marks what to zoom to; Escape ends it |
//! | `W` `S` `+` `−`, `A` `D` arrows | zoom, move; `W` `S` with Shift the steps only, with Alt the bytes |
//! | `F` `Home` `0`, `[` `]` | all of it; back and forward through the zooms |

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, Event, KeyboardEvent, MouseEvent, PointerEvent, ResizeObserver, WheelEvent,
};

use super::map::{View, FEWEST};
use super::opening::Shown;
use super::page::Page;
use super::worker_link::Lane;
use super::zoom::Window;
use super::{dom, Result};
use crate::engine::map::{MapPlace, MapRect};
use crate::engine::view::{Tab, Thing};

/// Pixels the pointer must move before a press is a drag.
const SLACK: f64 = 4.0;

/// A press: where, the view of then, whether it marks a box, whether it is a drag by now.
#[derive(Clone, Copy)]
struct Press {
    x: f64,
    y: f64,
    view: View,
    brush: bool,
    moved: bool,
}

/// Which axes a gesture moves: steps, bytes.
fn axes(ctrl: bool, alt: bool) -> (bool, bool) {
    (ctrl || !alt, alt || !ctrl)
}

/// Listens to the map.
pub fn listen(page: &Rc<Page>) -> Result<()> {
    pointer(page)?;
    wheel(page)?;
    keys(page)?;
    let own = page.clone();
    let settle = Closure::<dyn FnMut()>::new(move || {
        let Ok(()) = own.map_settled();
    });
    *page.map.settle.borrow_mut() = Some(settle);
    let own = page.clone();
    let paint = Closure::<dyn FnMut()>::new(move || {
        own.map.will_paint.set(false);
        let Ok(()) = own.paint_over_map();
    });
    *page.map.paint.borrow_mut() = Some(paint);
    let own = page.clone();
    dom::on(&*dom::id("map-card")?, "click", move |event: MouseEvent| {
        let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
        let told = |name: &str| target.as_ref().and_then(|t| t.get_attribute(name));
        let chip = target.as_ref().map(|t| t.closest("[data-class]"));
        if let Some(Some(chip)) = chip.transpose()? {
            let class = chip.get_attribute("data-class");
            if let Some(class) = class.and_then(|c| c.parse().ok()) {
                own.map.turn(class, !event.shift_key());
            }
        } else if let Some(which) = told("data-outline").and_then(|w| w.parse().ok()) {
            own.map.toggle(which);
        } else if let Some(what) = told("data-map") {
            return own.lead_map(&what);
        } else {
            return Ok(());
        }
        own.map.show_pressed()?;
        own.redraw_map()
    })?;
    let own = page.clone();
    dom::on(&*dom::id("map-key")?, "change", move |_: Event| {
        own.map.rekey();
        own.redraw_map()
    })?;
    let band: Element = dom::find("#map-parameters canvas")?;
    for name in ["click", "pointermove"] {
        let (own, target) = (page.clone(), band.clone());
        dom::on(&band, name, move |event: MouseEvent| {
            let place = target.get_bounding_client_rect();
            let x = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
            let found = own.map.parameter_at(x);
            match found.filter(|_| event.type_() == "click") {
                Some(thing) => own.select_thing(thing),
                None => dom::attribute(&target, "title", found.map(|f| f.key()).as_deref()),
            }
        })?;
    }
    let own = page.clone();
    let whole = dom::id("map-whole")?;
    let strip = whole.clone();
    for name in ["pointerdown", "pointermove"] {
        let (own, strip) = (own.clone(), strip.clone());
        dom::on(&whole, name, move |event: PointerEvent| {
            if event.buttons() & 1 == 0 {
                return Ok(());
            }
            strip.set_pointer_capture(event.pointer_id())?;
            let place = strip.get_bounding_client_rect();
            let x = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
            let y = (place.bottom() - f64::from(event.client_y())) / place.height().max(1.0);
            if let Some((view, _)) = own.map_view().filter(|_| event.type_() == "pointerdown") {
                own.map.keep(view);
            }
            own.center_map(x, y)
        })?;
    }
    Ok(())
}

/// Has the map fill its place.
pub fn observe(page: &Rc<Page>) -> Result<()> {
    let own = page.clone();
    let observed = Closure::<dyn FnMut()>::new(move || {
        let Ok(()) = own.redraw_map();
    });
    ResizeObserver::new(observed.as_ref().unchecked_ref())?.observe(&page.map.canvas);
    observed.forget();
    Ok(())
}

fn pointer(page: &Rc<Page>) -> Result<()> {
    let canvas = page.map.canvas.clone();
    let press: Rc<Cell<Option<Press>>> = Rc::default();
    // Whether the press that ends was a drag: its click selects nothing.
    let dragged: Rc<Cell<bool>> = Rc::default();
    let (own, pressed, moved) = (page.clone(), press.clone(), dragged.clone());
    dom::on(&canvas, "pointerdown", move |event: PointerEvent| {
        moved.set(false);
        if let Some((view, _)) = own.map_view().filter(|_| event.button() == 0) {
            pressed.set(Some(Press {
                x: f64::from(event.offset_x()),
                y: f64::from(event.offset_y()),
                view,
                brush: event.shift_key(),
                moved: false,
            }));
        }
        Ok(())
    })?;
    let (own, pressed, moved) = (page.clone(), press.clone(), dragged.clone());
    let target = canvas.clone();
    dom::on(&canvas, "pointermove", move |event: PointerEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        let Some(mut press) = pressed.get() else {
            return own.hover_map(Some((x, y)));
        };
        let (dx, dy) = (x - press.x, y - press.y);
        if !press.moved {
            if dx.abs().max(dy.abs()) < SLACK {
                return Ok(());
            }
            target.set_pointer_capture(event.pointer_id())?;
            press.moved = true;
            pressed.set(Some(press));
            moved.set(true);
            own.map.keep(press.view);
        }
        let axes = axes(event.ctrl_key(), event.alt_key());
        match press.brush {
            true => own.brush_map(Some([press.x, press.y, x, y])),
            false => own.drag_map(press.view, (dx, dy), axes),
        }
    })?;
    let (own, pressed) = (page.clone(), press.clone());
    dom::on(&canvas, "pointerup", move |event: PointerEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        match pressed.take() {
            Some(press) if press.brush && press.moved => {
                own.brush_map(None)?;
                own.zoom_map_to(
                    [press.x, press.y, x, y],
                    axes(event.ctrl_key(), event.alt_key()),
                )
            }
            _ => Ok(()),
        }
    })?;
    let (own, pressed) = (page.clone(), press.clone());
    dom::on(&canvas, "pointercancel", move |_: PointerEvent| {
        pressed.set(None);
        own.brush_map(None)
    })?;
    let (own, pressed, moved) = (page.clone(), press.clone(), dragged.clone());
    dom::on(&canvas, "keydown", move |event: KeyboardEvent| {
        let press = pressed.get().filter(|_| event.key() == "Escape");
        let Some(press) = press else { return Ok(()) };
        event.stop_propagation();
        pressed.set(None);
        moved.set(true);
        own.brush_map(None)?;
        own.show_map(press.view)
    })?;
    let own = page.clone();
    dom::on(&canvas, "pointerleave", move |_: PointerEvent| {
        own.hover_map(None)
    })?;
    let (own, moved) = (page.clone(), dragged.clone());
    dom::on(&canvas, "click", move |event: MouseEvent| {
        if moved.take() {
            return Ok(());
        }
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        match &*own.shown.borrow() {
            Some(shown) => own.map.ask_place(shown, at, Lane::MapClick),
            None => Ok(()),
        }
    })
}

fn wheel(page: &Rc<Page>) -> Result<()> {
    let own = page.clone();
    dom::on(&page.map.canvas, "wheel", move |event: WheelEvent| {
        event.prevent_default();
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => 24.0,
            WheelEvent::DOM_DELTA_PAGE => 400.0,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * unit, event.delta_y() * unit);
        let axes = axes(event.ctrl_key(), event.alt_key());
        if dx.abs() > dy.abs() {
            let Some((view, _)) = own.map_view() else {
                return Ok(());
            };
            return own.drag_map(view, (-dx, 0.0), axes);
        }
        let factor = (dy.clamp(-300.0, 300.0) * 0.0022).exp();
        let at = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        own.zoom_map(factor, Some(at), axes)
    })
}

fn keys(page: &Rc<Page>) -> Result<()> {
    let own = page.clone();
    dom::on(&page.map.canvas, "keydown", move |event: KeyboardEvent| {
        let key = event.key().to_ascii_lowercase();
        // Those are the browser's.
        let alt = event.alt_key();
        let one_axis = matches!(key.as_str(), "w" | "s" | "+" | "=" | "-" | "−" | "_");
        if event.meta_key() || event.ctrl_key() || alt && !one_axis {
            return Ok(());
        }
        // A plus needs Shift on many a keyboard.
        let shift = event.shift_key() && matches!(key.as_str(), "w" | "s");
        let axes = axes(shift, alt);
        let (dx, dy) = match key.as_str() {
            "arrowleft" | "a" => (1.0, 0.0),
            "arrowright" | "d" => (-1.0, 0.0),
            "arrowup" => (0.0, 1.0),
            "arrowdown" => (0.0, -1.0),
            key => {
                match key {
                    "w" | "+" | "=" => own.zoom_map(0.7, None, axes)?,
                    "s" | "-" | "−" | "_" => own.zoom_map(1.0 / 0.7, None, axes)?,
                    "f" | "home" | "0" => own.lead_map("fit")?,
                    "[" => own.lead_map("back")?,
                    "]" => own.lead_map("forward")?,
                    _ => return Ok(()),
                }
                event.prevent_default();
                // Some of these letters mean something else elsewhere.
                event.stop_propagation();
                return Ok(());
            }
        };
        event.prevent_default();
        event.stop_propagation();
        match own.map_view() {
            Some((view, size)) => {
                own.keep_at_first(view);
                own.drag_map(view, (dx * size.0 / 8.0, dy * size.1 / 8.0), axes)
            }
            None => Ok(()),
        }
    })
}

impl Page {
    /// What the map shows, and the size of its canvas in CSS pixels.
    fn map_view(&self) -> Option<(View, (f64, f64))> {
        let (_, all) = self.window()?;
        let steps = self.map.steps(self.window.get(), all);
        let bytes = self.map.bytes();
        let size = self.map.size().filter(|_| !self.map.is_empty())?;
        Some((View { steps, bytes }, size))
    }

    pub(super) fn ask_map(&self, shown: &Shown) -> Result<()> {
        if self.tab() != Tab::Map {
            return Ok(());
        }
        let steps = self.map.steps(self.window.get(), shown.overview.steps);
        self.map.ask(shown, steps)
    }

    fn redraw_map(&self) -> Result<()> {
        match &*self.shown.borrow() {
            Some(shown) => self.ask_map(shown),
            None => Ok(()),
        }
    }

    /// Shows a view. The other views follow once it stays: they are not what is looked at.
    fn show_map(&self, view: View) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        let now = self.map.set_view(view, shown.overview.steps);
        if self.window.replace(now) != now {
            self.map.follow.set(true);
        }
        self.ask_map(shown)
    }

    /// Does what belongs to the picture of the map that will be shown next.
    fn paint_over_map(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        // The map first, which asks for its size: where something was changed before, the browser
        // would lay out the page for that.
        self.map.draw(shown)?;
        self.map.place_hairline()?;
        if self.map.follow.get() {
            let all = Window::all(shown.overview.steps);
            let window = self.window.get().unwrap_or(all);
            self.strip.show(window, shown.overview.steps)?;
        }
        self.hover_step(shown, self.map.hover.get())
    }

    /// Nothing has moved for a while.
    fn map_settled(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        self.map.settled(shown)?;
        match self.map.follow.take() {
            true => self.follow_window(shown),
            false => Ok(()),
        }
    }

    /// Keeps a view to come back to before it moves: turns of the wheel, or keys, in one go are
    /// one way back.
    fn keep_at_first(&self, view: View) {
        if self.map.timer.get() == 0 {
            self.map.keep(view);
        }
    }

    /// Zooms around a place of the canvas, or its middle.
    fn zoom_map(&self, factor: f64, at: Option<(f64, f64)>, axes: (bool, bool)) -> Result<()> {
        let Some((view, size)) = self.map_view() else {
            return Ok(());
        };
        self.keep_at_first(view);
        let (x, y) = at.unwrap_or((size.0 / 2.0, size.1 / 2.0));
        // What lies at a share of the range stays there.
        let zoomed = |(low, high): (f64, f64), share: f64, fewest: f64| {
            let wide = high - low;
            let more = wide * factor.max(fewest / wide) - wide;
            (low - more * share, high + more * (1.0 - share))
        };
        let mut to = view;
        if axes.0 {
            to.steps = zoomed(view.steps, x / size.0, FEWEST.1);
        }
        if axes.1 {
            to.bytes = zoomed(view.bytes, 1.0 - y / size.1, FEWEST.0);
        }
        self.show_map(to)
    }

    /// Moves a view by pixels.
    fn drag_map(&self, from: View, (dx, dy): (f64, f64), axes: (bool, bool)) -> Result<()> {
        let Some((_, size)) = self.map_view() else {
            return Ok(());
        };
        let moved = |(low, high): (f64, f64), share: f64| {
            let by = (high - low) * share;
            (low + by, high + by)
        };
        let mut to = from;
        if axes.0 {
            to.steps = moved(from.steps, -dx / size.0);
        }
        if axes.1 {
            to.bytes = moved(from.bytes, dy / size.1);
        }
        self.show_map(to)
    }

    fn brush_map(&self, brush: Option<[f64; 4]>) -> Result<()> {
        self.map.mark_brush(brush)
    }

    /// Zooms to a box of the canvas.
    fn zoom_map_to(&self, [x0, y0, x1, y1]: [f64; 4], axes: (bool, bool)) -> Result<()> {
        let (Some(a), Some(b)) = (
            self.map.at(x0.min(x1), y0.max(y1)),
            self.map.at(x0.max(x1), y0.min(y1)),
        ) else {
            return Ok(());
        };
        let Some((view, _)) = self.map_view() else {
            return Ok(());
        };
        let mut to = view;
        if axes.0 {
            to.steps = (a[0], b[0]);
        }
        if axes.1 {
            to.bytes = (a[1], b[1]);
        }
        self.show_map(to)
    }

    /// Moves the middle of the view to a place of the whole map, in parts of it.
    fn center_map(&self, x: f64, y: f64) -> Result<()> {
        let (Some((view, _)), Some((_, steps))) = (self.map_view(), self.window()) else {
            return Ok(());
        };
        let around = |(low, high): (f64, f64), middle: f64| {
            let half = (high - low) / 2.0;
            (middle - half, middle + half)
        };
        self.show_map(View {
            steps: around(view.steps, x * f64::from(steps)),
            bytes: around(view.bytes, y * self.map.height()),
        })
    }

    /// Goes to a part of the map: all of it, back, forward, what is selected, the peak, a hazard.
    fn lead_map(&self, what: &str) -> Result<()> {
        let (Some((view, _)), Some((_, steps))) = (self.map_view(), self.window()) else {
            return Ok(());
        };
        let (all, every) = (f64::from(steps), (0.0, self.map.height()));
        // Thrice as much, so that neighbours are in sight.
        let around = |rect: MapRect| {
            let (first, end) = (f64::from(rect.steps.0), f64::from(rect.steps.1) + 1.0);
            let (low, high) = (rect.bytes.0 as f64, rect.bytes.1 as f64);
            let more = (end - first) / 2.0 + 2.0;
            View {
                steps: (first - more, end + more),
                bytes: (low * 2.0 - high, high * 2.0 - low),
            }
        };
        let peak = self.shown.borrow().as_ref().and_then(Shown::peak);
        let near = |step: u32| {
            let (middle, half) = (f64::from(step) + 0.5, all / 40.0 + 10.0);
            View {
                steps: (middle - half, middle + half),
                bytes: every,
            }
        };
        let to = match what {
            "back" | "forward" => self.map.walk(view, what == "back"),
            "selection" => match (self.map.marked(), self.map.selected_bytes()) {
                (Some(tensor), _) => Some(around(tensor)),
                (_, Some((low, high))) => (low < every.1).then_some(View {
                    steps: view.steps,
                    bytes: (low * 2.0 - high, high * 2.0 - low),
                }),
                _ => match (self.view.borrow().selected, self.charts.life()) {
                    (Some(Thing::Parameter(_)), _) => None,
                    // It has no bytes.
                    (Some(Thing::Tensor(_)), Some((first, _))) => Some(near(first)),
                    _ => self.view.borrow().step.or(peak).map(near),
                },
            },
            "hazard" => self.map.next_hazard()?.map(around),
            "peak" => peak.map(near),
            _ => Some(View {
                steps: (0.0, all),
                bytes: every,
            }),
        };
        let Some(to) = to else { return Ok(()) };
        if !matches!(what, "back" | "forward") {
            self.map.keep(view);
        }
        self.show_map(to)
    }

    /// The pointer is over a place, or over none. What follows it does so when the answer comes:
    /// a browser that is drawing would keep the answer waiting.
    fn hover_map(&self, at: Option<(f64, f64)>) -> Result<()> {
        self.map.pointed.set(at.is_some());
        match (&*self.shown.borrow(), at) {
            (Some(shown), Some(at)) => self.map.ask_place(shown, at, Lane::MapPlace),
            _ => self.map.mark_hover(None),
        }
    }

    /// Selects what was clicked.
    pub(super) fn map_clicked(&self, place: &MapPlace) -> Result<()> {
        match place.found {
            Some(found) => {
                self.view.borrow_mut().step = Some(place.step);
                self.select_thing(Thing::Tensor(found.id))
            }
            None => self.select_step(place.step),
        }
    }
}
