//! The memory map: a canvas of pixels, and one of axes, names and marks above it.
//!
//! The steps in sight are those of the charts. What is drawn belongs to the picture that is there,
//! not to the one that was asked for, so that axes and boxes never part; it is drawn before the
//! browser shows the picture, but after the event that made it, as is all that can wait.

use std::cell::{Cell, RefCell};

use js_sys::Uint8ClampedArray;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlCanvasElement, HtmlElement, HtmlSelectElement, ImageData};

use super::map_pen::Pen;
use super::map_picture::{pixels_of, Pictures};
use super::opening::Shown;
use super::words::{t, Word};
use super::worker_link::Lane;
use super::zoom::Window;
use super::{dom, header, map_picture, Result};
use crate::engine::map::{MapFacts, MapFrame, MapMarks, MapPlace, MapRect, MapRequest};
use crate::engine::protocol::Request;

/// Milliseconds without movement after which the picture is made exact and the other views follow.
const PAUSE: i32 = 120;
/// How large all of the map is painted before it is opened.
const AHEAD: (u32, u32) = (1920, 1080);
/// Most names on a view that moves.
const MOVING_NAMES: usize = 30;
/// Fewest bytes and steps in sight.
pub const FEWEST: (f64, f64) = (512.0, 1.0);
/// The place of the streams among what colours may stand for.
pub const STREAM: i32 = 4;

/// Begin and end.
pub type Span = (f64, f64);

/// What is in sight: steps and bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where it begins in steps, and where it ends.
    pub steps: Span,
    /// First byte, and the byte behind the last one.
    pub bytes: Span,
}

/// The view, its elements and what it knows.
pub struct MapView {
    /// The pixels.
    pub canvas: HtmlCanvasElement,
    over: HtmlCanvasElement,
    whole: HtmlCanvasElement,
    handle: HtmlElement,
    pub(super) hairline: HtmlElement,
    pub(super) hole_mark: HtmlElement,
    pub(super) key: HtmlSelectElement,
    /// Bytes in sight; all of them when nothing.
    bytes: Cell<Option<Span>>,
    /// Steps in sight; those of the charts when nothing, as when the charts have moved since.
    steps: Cell<Option<Span>>,
    pub(super) pale: Cell<u8>,
    pub(super) outlines: Cell<[bool; 3]>,
    pub(super) facts: RefCell<Option<MapFacts>>,
    top: Cell<f64>,
    pictures: Pictures,
    /// The newest view, and what the worker was asked for last.
    now: RefCell<MapRequest>,
    asked: RefCell<Option<MapRequest>>,
    /// What the picture shows that is there.
    pub(super) window: Cell<Option<[f64; 4]>>,
    pub(super) marks: RefCell<Option<MapMarks>>,
    /// Selected bytes, as offsets.
    pub(super) range: Cell<Option<Span>>,
    /// What is lit.
    pub(super) lit: RefCell<Vec<MapRect>>,
    /// Views before this one and after it.
    past: RefCell<Vec<View>>,
    future: RefCell<Vec<View>>,
    /// What the strip was painted for.
    painted: RefCell<Option<MapRequest>>,
    /// Whether the other views have yet to follow the window.
    pub follow: Cell<bool>,
    /// Fires when nothing has moved for a while; nothing moves while it is 0.
    pub(super) timer: Cell<i32>,
    /// What is done when nothing has moved for a while, and before the browser shows anything.
    pub settle: RefCell<Option<Closure<dyn FnMut()>>>,
    /// See [`MapView::settle`].
    pub paint: RefCell<Option<Closure<dyn FnMut()>>>,
    /// Whether that is to come, and whether what lies above the pixels is to be drawn anew.
    pub will_paint: Cell<bool>,
    pub(super) is_old: Cell<bool>,
    /// Bytes of the device.
    pub capacity: Cell<Option<u64>>,
    /// Whether the pointer is on the map; the step it is over, and the box that is being marked.
    pub(super) pointed: Cell<bool>,
    pub(super) hover: Cell<Option<u32>>,
    /// The largest hole there, in bytes; empty when there is none, or when it is not known.
    pub(super) hole: Cell<(u64, u64)>,
    /// What is free at the chosen step, once it is known.
    pub(super) chosen: RefCell<Option<MapPlace>>,
    /// Whether the facts are on their way, and whether the first picture of all of it is to come.
    facts_come: Cell<bool>,
    whole_comes: Cell<bool>,
    pub(super) brush: Cell<Option<[f64; 4]>>,
    /// The hazard that one is led to next.
    pub(super) next: Cell<usize>,
}

/// A range moved, and stretched, to lie between 0 and `all`; `fewest` wide at least.
fn within((low, high): Span, fewest: f64, all: f64) -> Span {
    let wide = (high - low).clamp(fewest.min(all), all);
    let low = ((low + high - wide) / 2.0).clamp(0.0, all - wide);
    (low, low + wide)
}

impl MapView {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            canvas: dom::find("[data-hook=memory-map]")?,
            over: dom::find("#map-over")?,
            whole: dom::find("#map-whole canvas")?,
            handle: dom::find("#map-whole .window")?,
            hairline: dom::find(".map-box .hairline")?,
            hole_mark: dom::find(".map-box .hole")?,
            key: dom::find("#map-key")?,
            bytes: Cell::default(),
            steps: Cell::default(),
            pale: Cell::default(),
            outlines: Cell::new([false, false, true]),
            facts: RefCell::default(),
            top: Cell::new(1.0),
            pictures: Pictures::default(),
            now: RefCell::default(),
            asked: RefCell::default(),
            window: Cell::default(),
            marks: RefCell::default(),
            range: Cell::default(),
            lit: RefCell::default(),
            past: RefCell::default(),
            future: RefCell::default(),
            painted: RefCell::default(),
            follow: Cell::default(),
            timer: Cell::default(),
            settle: RefCell::default(),
            paint: RefCell::default(),
            will_paint: Cell::default(),
            is_old: Cell::default(),
            capacity: Cell::default(),
            pointed: Cell::default(),
            hover: Cell::default(),
            hole: Cell::default(),
            chosen: RefCell::default(),
            facts_come: Cell::default(),
            whole_comes: Cell::default(),
            brush: Cell::default(),
            next: Cell::default(),
        })
    }

    /// Forgets a graph.
    pub fn forget(&self) {
        self.bytes.set(None);
        self.steps.set(None);
        self.pale.set(0);
        self.ask_facts_again();
        self.chosen.take();
        self.next.take();
        self.top.set(1.0);
        self.window.set(None);
        self.marks.take();
        self.range.take();
        self.lit.take();
        self.past.take();
        self.future.take();
    }

    /// Where the map ends, in bytes: a little above what is planned.
    pub fn height(&self) -> f64 {
        self.top.get()
    }

    /// The bytes in sight.
    pub fn bytes(&self) -> Span {
        self.bytes.get().unwrap_or((0.0, self.height()))
    }

    /// The charts have moved: what they show is in sight. Whether the map had steps of its own.
    pub fn forget_steps(&self) -> bool {
        self.steps.take().is_some()
    }

    /// Whether it is known that there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        self.facts.borrow().as_ref().is_some_and(|f| f.boxes == 0)
    }

    /// The steps in sight while the charts show `window` of `steps`.
    pub fn steps(&self, window: Option<Window>, steps: u32) -> Span {
        let of_charts = || {
            let window = window.unwrap_or(Window::all(steps));
            (window.first.into(), f64::from(window.last) + 1.0)
        };
        self.steps.get().unwrap_or_else(of_charts)
    }

    /// Sets what is in sight, within what there is; the window of the charts that goes with it,
    /// nothing when that is all of `steps`.
    pub fn set_view(&self, view: View, steps: u32) -> Option<Window> {
        let height = self.height();
        let bytes = within(view.bytes, FEWEST.0, height);
        self.bytes
            .set((bytes.1 - bytes.0 < height).then_some(bytes));
        let (left, right) = within(view.steps, FEWEST.1, steps.into());
        let last = (right.ceil() as u32).saturating_sub(1);
        let window = Window::between(left as u32, last, steps);
        self.steps.set(Some((left, right)));
        Some(window).filter(|w| w.wide() < steps)
    }

    /// Keeps a view to come back to.
    pub fn keep(&self, view: View) {
        let mut past = self.past.borrow_mut();
        if past.last() != Some(&view) {
            past.push(view);
        }
        self.future.borrow_mut().clear();
    }

    /// The view before `now`, or the one after it.
    pub fn walk(&self, now: View, back: bool) -> Option<View> {
        let (from, to) = match back {
            true => (&self.past, &self.future),
            false => (&self.future, &self.past),
        };
        let view = loop {
            let view = from.borrow_mut().pop()?;
            if view != now {
                break view;
            }
        };
        to.borrow_mut().push(now);
        Some(view)
    }

    /// Shows a class pale, or in its colour again; alone in its colour when `only`.
    pub fn turn(&self, class: u8, only: bool) {
        let (bit, pale) = (1u8 << (class & 7), self.pale.get());
        self.pale.set(match only {
            true if pale == !bit => 0,
            true => !bit,
            false => pale ^ bit,
        });
    }

    /// Draws an outline or not.
    pub fn toggle(&self, which: usize) {
        let mut outlines = self.outlines.get();
        if let Some(on) = outlines.get_mut(which) {
            *on = !*on;
        }
        self.outlines.set(outlines);
    }

    /// The colours stand for something else.
    pub fn rekey(&self) {
        self.pale.set(0);
        self.ask_facts_again();
    }

    /// There is more to say of the map than is known.
    pub fn ask_facts_again(&self) {
        self.facts.take();
        self.facts_come.take();
        self.whole_comes.take();
        self.painted.take();
        self.asked.take();
        self.pictures.forget();
    }

    fn request(&self, shown: &Shown, size: (u32, u32), window: [f64; 4]) -> MapRequest {
        MapRequest {
            graph: shown.overview.graph,
            key: self.key.selected_index().max(0) as u8,
            pale: self.pale.get(),
            dark: header::is_dark(),
            outlines: self.outlines.get(),
            window,
            size,
        }
    }

    /// Asks what there is to say of the map, unless that is known or on its way.
    pub fn ask_facts(&self, shown: &Shown) -> Result<()> {
        let known = self.facts.borrow().is_some() || shown.overview.steps == 0;
        if known || self.facts_come.replace(true) {
            return Ok(());
        }
        let graph = shown.overview.graph;
        let key = self.key.selected_index().max(0) as u8;
        let request = Request::MapFacts { graph, key };
        shown.link.ask(Lane::MapFacts, &request)
    }

    /// The plan was judged: hazards are outlined, and while nobody sees the map all of it is
    /// painted, so that who opens it finds it there.
    pub fn judged(&self, shown: &Shown, has_hazards: bool) -> Result<()> {
        if has_hazards {
            self.ask_facts_again();
        }
        self.ask_facts(shown)?;
        if self.canvas.client_width() > 0 || shown.overview.steps == 0 {
            return Ok(());
        }
        self.whole_comes.set(true);
        let request = Request::Map(self.request(shown, AHEAD, [0.0; 4]));
        shown.link.ask(Lane::MapWhole, &request)
    }

    /// Has the map show some steps and the bytes in sight, as far as pictures are there at once;
    /// nothing while the map is not in sight.
    pub fn ask(&self, shown: &Shown, (left, right): Span) -> Result<()> {
        let size = pixels_of(&self.canvas);
        if size.0 == 0 || size.1 == 0 {
            return Ok(());
        }
        if self.facts.borrow().is_none() || shown.overview.steps == 0 {
            return self.ask_facts(shown);
        }
        let (low, high) = self.bytes();
        let request = self.request(shown, size, [left, right, low, high]);
        if *self.now.borrow() == request && self.is_exact() {
            return Ok(());
        }
        let moved = self.show_moved(&request)?;
        // The worker would take the processor from what is made here: while there is a picture
        // that will do, it paints when nothing moves.
        let waits = moved && self.pictures.has_most(&request)
            || self.whole_comes.get() && shown.link.is_asked(Lane::MapWhole);
        *self.now.borrow_mut() = request;
        self.start_timer()?;
        match waits {
            true => Ok(()),
            false => self.ask_exact(shown),
        }
    }

    /// Shows a view made of the pictures that are there; `false` when they do not show all of it.
    fn show_moved(&self, request: &MapRequest) -> Result<bool> {
        let made = self.pictures.make(&self.canvas, request)?;
        if made {
            self.window.set(Some(request.window));
            self.draw_soon()?;
        }
        Ok(made)
    }

    /// Asks for the exact picture, unless it is there or on its way.
    fn ask_exact(&self, shown: &Shown) -> Result<()> {
        let now = self.now.borrow();
        if self.asked.borrow().as_ref() == Some(&*now) || self.is_exact() {
            return Ok(());
        }
        *self.asked.borrow_mut() = Some(now.clone());
        shown.link.ask(Lane::Map, &Request::Map(now.clone()))
    }

    fn is_exact(&self) -> bool {
        self.pictures.is_exact() && self.window.get() == Some(self.now.borrow().window)
    }

    /// Nothing has moved for a while: asks for what is lacking.
    pub fn settled(&self, shown: &Shown) -> Result<()> {
        self.timer.set(0);
        let size = pixels_of(&self.canvas);
        if self.facts.borrow().is_none() || size.0 == 0 || size.1 == 0 {
            return Ok(());
        }
        self.ask_exact(shown)?;
        let all = [0.0, f64::from(shown.overview.steps), 0.0, self.height()];
        let strip = self.request(shown, pixels_of(&self.whole), all);
        if self.painted.borrow().as_ref() != Some(&strip) {
            let request = Request::Map(strip.clone());
            shown.link.ask(Lane::MapStrip, &request)?;
            *self.painted.borrow_mut() = Some(strip);
        }
        let whole = self.request(shown, size, all);
        let on_its_way = self.now.borrow().window == all;
        match on_its_way || self.pictures.has_whole(&whole) {
            true => Ok(()),
            false => shown.link.ask(Lane::MapWhole, &Request::Map(whole)),
        }
    }

    /// Draws what lies above the pixels before the browser shows them.
    pub fn draw_soon(&self) -> Result<()> {
        self.is_old.set(true);
        self.paint_soon()
    }

    pub(super) fn paint_soon(&self) -> Result<()> {
        if let Some(paint) = &*self.paint.borrow() {
            if !self.will_paint.replace(true) {
                dom::window()?.request_animation_frame(paint.as_ref().unchecked_ref())?;
            }
        }
        Ok(())
    }

    /// Waits until nothing has moved for a while.
    pub fn start_timer(&self) -> Result<()> {
        let window = dom::window()?;
        window.clear_timeout_with_handle(self.timer.get());
        if let Some(settle) = &*self.settle.borrow() {
            let call = settle.as_ref().unchecked_ref();
            let timer =
                window.set_timeout_with_callback_and_timeout_and_arguments_0(call, PAUSE)?;
            self.timer.set(timer);
        }
        Ok(())
    }

    /// Takes what there is to say of the map.
    pub fn take_facts(&self, facts: MapFacts, shown: &Shown) -> Result<()> {
        self.top.set(facts.top);
        // A key that tells nothing here cannot be chosen, but it may have been before.
        if !facts.has_streams && self.key.selected_index() == STREAM {
            self.key.set_selected_index(0);
            self.rekey();
            return self.ask_facts(shown);
        }
        self.facts_come.take();
        *self.facts.borrow_mut() = Some(facts);
        self.show_facts(shown)
    }

    /// Takes a picture from the worker.
    pub fn take_picture(
        &self,
        frame: MapFrame,
        pixels: &Uint8ClampedArray,
        lane: Lane,
        shown: &Shown,
    ) -> Result<()> {
        let request = &frame.request;
        let now = self.now.borrow();
        let wanted = *request == *now;
        match lane {
            Lane::MapStrip => {
                let (width, height) = request.size;
                let image = ImageData::new_with_js_u8_clamped_array_and_sh(pixels, width, height)?;
                return map_picture::show(&self.whole, &image);
            }
            // The colours are others by now.
            _ if *request != self.request(shown, request.size, request.window) => return Ok(()),
            Lane::MapWhole if !wanted => {
                let seen = now.looks_like(request) && !self.is_exact();
                self.pictures.take(None, frame, pixels, true)?;
                // Whoever opened the map meanwhile sees it now, until the exact picture is there.
                return match seen {
                    true => self.show_moved(&now).map(drop),
                    false => Ok(()),
                };
            }
            _ => {}
        }
        // What was asked for is here: it can be asked for again.
        self.asked.borrow_mut().take_if(|asked| asked == request);
        let window = request.window;
        let whole = window == [0.0, f64::from(shown.overview.steps), 0.0, self.height()];
        let canvas = wanted.then_some(&self.canvas);
        self.pictures.take(canvas, frame, pixels, whole)?;
        if wanted {
            self.window.set(Some(window));
            self.draw_soon()?;
        }
        Ok(())
    }

    /// The place under the pointer (CSS pixels on the canvas) in the picture that is there: its
    /// step and byte as numbers with fractions, and steps and bytes of a pixel.
    pub fn at(&self, x: f64, y: f64) -> Option<[f64; 4]> {
        let [left, right, bottom, top] = self.window.get().filter(|_| !self.is_empty())?;
        let wide = f64::from(self.canvas.client_width()).max(1.0);
        let high = f64::from(self.canvas.client_height()).max(1.0);
        let (dx, dy) = ((right - left) / wide, (top - bottom) / high);
        let step = (left + x * dx).clamp(left, right - 1e-9);
        let byte = (top - y * dy).clamp(bottom, top);
        Some([step, byte, dx, dy])
    }

    /// Asks what lies at a place (CSS pixels).
    pub fn ask_place(&self, shown: &Shown, (x, y): (f64, f64), lane: Lane) -> Result<()> {
        let Some([step, byte, dx, dy]) = self.at(x, y) else {
            return Ok(());
        };
        let graph = shown.overview.graph;
        let low = |v: f64| v.max(0.0) as u64;
        let last = shown.overview.steps.saturating_sub(1);
        let request = Request::MapPlace {
            graph,
            at: ((step as u32).min(last), low(byte)),
            steps: (
                low(step - dx / 2.0) as u32,
                ((step + dx / 2.0) as u32).min(last),
            ),
            bytes: (low(byte - dy / 2.0), low(byte + dy / 2.0) + 1),
        };
        shown.link.ask(lane, &request)
    }

    /// The size of the canvas in CSS pixels; nothing while it cannot be seen.
    pub fn size(&self) -> Option<(f64, f64)> {
        let size = (self.canvas.client_width(), self.canvas.client_height());
        (size.0 > 0 && size.1 > 0).then_some((size.0.into(), size.1.into()))
    }

    /// Draws what lies above the pixels.
    pub fn draw(&self, shown: &Shown) -> Result<()> {
        if !self.is_old.take() {
            return Ok(());
        }
        let (Some(window), Some(size)) = (self.window.get(), self.size()) else {
            return Ok(());
        };
        let pen = Pen::of(&self.over, size, window)?;
        if self.is_empty() {
            pen.nothing(t(Word::MapNothing))?;
        } else {
            self.draw_all(&pen, shown)?;
        }
        let [left, right, bottom, top] = window;
        let style = self.handle.style();
        let all = f64::from(shown.overview.steps.max(1));
        let height = self.height();
        for (name, share) in [
            ("left", left / all),
            ("width", (right - left) / all),
            ("bottom", bottom / height),
            ("height", (top - bottom) / height),
        ] {
            style.set_property(name, &format!("{:.3}%", share * 100.0))?;
        }
        let quick = if self.is_exact() { "false" } else { "true" };
        self.canvas.set_attribute("data-quick", quick)?;
        let told = window.map(|n| n.to_string()).join(" ");
        self.canvas.set_attribute("data-window", &told)?;
        Ok(())
    }

    fn draw_all(&self, pen: &Pen, shown: &Shown) -> Result<()> {
        pen.axes()?;
        pen.clipped(|| {
            // Names take longest; while the view moves the largest boxes have theirs.
            let names = if self.is_exact() {
                usize::MAX
            } else {
                MOVING_NAMES
            };
            self.pictures.with_labels(|labels| {
                let mut labels = labels.iter_mut().take(names);
                labels.try_for_each(|l| pen.label(l))
            })?;
            pen.lit(&self.lit.borrow());
            if let Some(range) = self.range.get() {
                pen.band(range);
            }
            if let Some(chosen) = &*self.chosen.borrow() {
                pen.holes(chosen.step, &chosen.free)?;
            }
            self.lines(pen, shown)?;
            if let Some(marks) = &*self.marks.borrow() {
                pen.marks(marks)?;
            }
            if let Some(brush) = self.brush.get() {
                pen.brush(brush);
            }
            Ok(())
        })
    }
}
