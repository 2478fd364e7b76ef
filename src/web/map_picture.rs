//! The pixels of the memory map. Exact pictures come from the worker; a view that moves is made
//! here, of those that are there, within the event that moves it.

use std::cell::{Cell, RefCell};

use js_sys::{Object, Reflect, Uint8ClampedArray};
use wasm_bindgen::{Clamped, JsValue};
use web_sys::{HtmlCanvasElement, ImageData};

use super::charts::pixel_ratio;
use super::map_pen::Label;
use super::strip::context_of;
use super::Result;
use crate::engine::map::{MapFrame, MapRequest};
use crate::pixels::moved::{moved, Picture, Pixel};

/// A picture, what was asked for, and the names on it.
struct Kept {
    of: MapRequest,
    picture: Picture,
    labels: Vec<Label>,
}

/// Places of all of the map and of a part of it.
const WHOLE: usize = 0;
const PART: usize = 1;

/// What there is of the map.
#[derive(Default)]
pub struct Pictures {
    /// All of it, and the part that was painted last.
    kept: [RefCell<Option<Kept>>; 2],
    /// Which of them was shown last.
    last: Cell<usize>,
    /// What is on the canvas, while the view moves.
    moving: RefCell<Vec<Pixel>>,
    /// Whether the canvas shows an exact picture.
    exact: Cell<bool>,
}

impl Pictures {
    /// Forgets everything.
    pub fn forget(&self) {
        for kept in &self.kept {
            kept.take();
        }
        self.moving.take();
        self.exact.set(false);
    }

    /// Whether the canvas shows an exact picture.
    pub fn is_exact(&self) -> bool {
        self.exact.get()
    }

    /// The names on the exact picture that was shown last.
    pub fn with_labels(&self, f: impl FnOnce(&mut [Label]) -> Result<()>) -> Result<()> {
        match self.kept.get(self.last.get()) {
            Some(kept) => match &mut *kept.borrow_mut() {
                Some(kept) => f(&mut kept.labels),
                None => Ok(()),
            },
            None => Ok(()),
        }
    }

    fn any(&self, is: impl Fn(&MapRequest) -> bool) -> Option<usize> {
        self.kept
            .iter()
            .position(|kept| kept.borrow().as_ref().is_some_and(|kept| is(&kept.of)))
    }

    /// Whether there is a picture of all of the map, as large as that of a request.
    pub fn has_whole(&self, request: &MapRequest) -> bool {
        self.any(|of| of.looks_like(request) && of.size == request.size) == Some(WHOLE)
    }

    /// Whether one of the pictures shows nearly all that a request asks for, and nearly as finely.
    pub fn has_most(&self, request: &MapRequest) -> bool {
        let [left, right, bottom, top] = request.window;
        let seen = (right - left) * (top - bottom);
        let shows = |of: &MapRequest| {
            let [l, r, b, t] = of.window;
            let both =
                (right.min(r) - left.max(l)).max(0.0) * (top.min(t) - bottom.max(b)).max(0.0);
            both > seen * 0.6 && seen > (r - l) * (t - b) * 0.2
        };
        self.any(|of| of.looks_like(request) && shows(of)).is_some()
    }

    /// Makes a picture of those that are there; `false`, and nothing is done, when they do not
    /// show all of it.
    pub fn make(&self, canvas: &HtmlCanvasElement, request: &MapRequest) -> Result<bool> {
        // Only the very picture is exact: where another one lies over it, it is not.
        let same = self.any(|of| of == request);
        self.exact.set(same.is_some());
        self.last.set(same.unwrap_or(self.last.get()));
        let kept = self.kept.each_ref().map(|kept| kept.borrow());
        let kept = kept.iter().enumerate().filter_map(|(i, kept)| {
            let kept = kept.as_ref()?;
            let alike = same.map_or(kept.of.looks_like(request), |same| same == i);
            alike.then_some(&kept.picture)
        });
        let kept: Vec<&Picture> = kept.collect();
        let [r, g, b] = request.look().ground();
        let mut pixels = self.moving.borrow_mut();
        let (seen, ground) = (request.seen(), [r, g, b, 255]);
        if kept.is_empty() || moved(&kept, seen, request.size, ground, &mut pixels) {
            return Ok(false);
        }
        let (width, height) = request.size;
        let bytes = Clamped(pixels.as_flattened());
        // These are the pixels themselves, not a copy.
        let image = ImageData::new_with_u8_clamped_array_and_sh(bytes, width, height)?;
        show(canvas, &image)?;
        Ok(true)
    }

    /// Takes an exact picture, of all of the map or a part; shows it on `canvas`, if any.
    pub fn take(
        &self,
        canvas: Option<&HtmlCanvasElement>,
        frame: MapFrame,
        pixels: &Uint8ClampedArray,
        whole: bool,
    ) -> Result<()> {
        let (width, height) = frame.request.size;
        let which = if whole { WHOLE } else { PART };
        if let Some(canvas) = canvas {
            let image = ImageData::new_with_js_u8_clamped_array_and_sh(pixels, width, height)?;
            show(canvas, &image)?;
            self.exact.set(true);
            self.last.set(which);
        }
        let Some(kept) = self.kept.get(which) else {
            return Ok(());
        };
        let mut kept = kept.borrow_mut();
        let mut own = kept.take().map(|k| k.picture.pixels).unwrap_or_default();
        own.resize(width as usize * height as usize, [0; 4]);
        pixels.copy_to(own.as_flattened_mut());
        let picture = Picture {
            window: frame.request.seen(),
            size: frame.request.size,
            pixels: own,
        };
        *kept = Some(Kept {
            of: frame.request,
            picture,
            labels: frame.labels.into_iter().map(Label::new).collect(),
        });
        Ok(())
    }
}

/// Puts an image on a canvas of its size. The first image makes the canvas opaque, which lets the
/// browser copy pixels as they are: a third less time for a large one. Not earlier, as an opaque
/// canvas without a picture is black.
pub fn show(canvas: &HtmlCanvasElement, image: &ImageData) -> Result<()> {
    let options = Object::new();
    Reflect::set(&options, &"alpha".into(), &JsValue::FALSE)?;
    canvas.get_context_with_context_options("2d", &options)?;
    if (canvas.width(), canvas.height()) != (image.width(), image.height()) {
        canvas.set_width(image.width());
        canvas.set_height(image.height());
    }
    context_of(canvas)?.put_image_data(image, 0.0, 0.0)?;
    Ok(())
}

/// Pixels of the device that a canvas has.
pub fn pixels_of(canvas: &HtmlCanvasElement) -> (u32, u32) {
    let of = |css: i32| (f64::from(css.max(0)) * pixel_ratio()).round() as u32;
    (of(canvas.client_width()), of(canvas.client_height()))
}
