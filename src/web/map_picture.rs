//! The pixels of the memory map. Exact pictures come from the worker; a view that moves is made
//! here, of those that are there, within the event that moves it.

use std::cell::{Cell, RefCell};

use js_sys::{Object, Reflect, Uint8ClampedArray};
use wasm_bindgen::{Clamped, JsValue};
use web_sys::{HtmlCanvasElement, ImageData};

use super::charts::pixel_ratio;
use super::strip::context_of;
use super::Result;
use crate::engine::map::MapRequest;
use crate::pixels::moved::{moved, Picture, Pixel};

type Kept = RefCell<Option<(MapRequest, Picture)>>;

/// What there is of the map.
#[derive(Default)]
pub struct Pictures {
    /// All of it.
    whole: Kept,
    /// The part that was painted last.
    part: Kept,
    /// What is on the canvas, while the view moves.
    moving: RefCell<Vec<Pixel>>,
    /// Whether the canvas shows an exact picture.
    exact: Cell<bool>,
}

impl Pictures {
    /// Forgets everything.
    pub fn forget(&self) {
        self.whole.take();
        self.part.take();
        self.moving.take();
        self.exact.set(false);
    }

    /// Whether the canvas shows an exact picture.
    pub fn is_exact(&self) -> bool {
        self.exact.get()
    }

    /// Whether there is a picture of all of the map, as large as that of a request.
    pub fn has_whole(&self, request: &MapRequest) -> bool {
        let whole = self.whole.borrow();
        let like =
            |(of, _): &(MapRequest, Picture)| of.looks_like(request) && of.size == request.size;
        whole.as_ref().is_some_and(like)
    }

    /// Whether one of the pictures shows nearly all that a request asks for, and nearly as finely.
    pub fn has_most(&self, request: &MapRequest) -> bool {
        let [left, right, bottom, top] = request.window;
        let seen = (right - left) * (top - bottom);
        [&self.whole, &self.part].into_iter().any(|kept| {
            let kept = kept.borrow();
            let Some((of, _)) = kept.as_ref().filter(|(of, _)| of.looks_like(request)) else {
                return false;
            };
            let [l, r, b, t] = of.window;
            let both =
                (right.min(r) - left.max(l)).max(0.0) * (top.min(t) - bottom.max(b)).max(0.0);
            both > seen * 0.6 && seen > (r - l) * (t - b) * 0.2
        })
    }

    /// Makes a picture of those that are there; `false`, and nothing is done, when they do not
    /// show all of it.
    pub fn make(&self, canvas: &HtmlCanvasElement, request: &MapRequest) -> Result<bool> {
        self.exact.set(false);
        let (whole, part) = (self.whole.borrow(), self.part.borrow());
        let alike = |kept: &&(MapRequest, Picture)| kept.0.looks_like(request);
        let kept = [whole.as_ref().filter(alike), part.as_ref().filter(alike)];
        let kept: Vec<&Picture> = kept.into_iter().flatten().map(|(_, p)| p).collect();
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
        let is = |kept: &Kept| kept.borrow().as_ref().is_some_and(|(of, _)| of == request);
        self.exact.set(is(&self.part) || is(&self.whole));
        Ok(true)
    }

    /// Takes an exact picture, of all of the map or a part; shows it on `canvas`, if any.
    pub fn take(
        &self,
        canvas: Option<&HtmlCanvasElement>,
        request: &MapRequest,
        pixels: &Uint8ClampedArray,
        whole: bool,
    ) -> Result<()> {
        let (width, height) = request.size;
        if let Some(canvas) = canvas {
            let image = ImageData::new_with_js_u8_clamped_array_and_sh(pixels, width, height)?;
            show(canvas, &image)?;
            self.exact.set(true);
        }
        let kept = if whole { &self.whole } else { &self.part };
        let mut kept = kept.borrow_mut();
        let mut own = kept.take().map(|(_, p)| p.pixels).unwrap_or_default();
        own.resize(width as usize * height as usize, [0; 4]);
        pixels.copy_to(own.as_flattened_mut());
        let picture = Picture {
            window: request.seen(),
            size: request.size,
            pixels: own,
        };
        *kept = Some((request.clone(), picture));
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
