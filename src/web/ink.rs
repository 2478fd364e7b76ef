//! What the pictures of safety are painted with: the colours of the style sheet, boxes, lines, arrows.

use std::cell::RefCell;
use std::collections::HashMap;

use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement};

use super::charts::{fit, pixel_ratio, FONT};
use super::strip::context_of;
use super::{dom, header, Result};

/// A canvas ready to be painted on, in CSS pixels.
pub struct Ink {
    /// Its context.
    pub context: CanvasRenderingContext2d,
    /// Its width, CSS pixels.
    pub width: f64,
}

thread_local! {
    /// Colours that were read, of light pages and of dark ones: reading has the browser finish
    /// all its styles.
    static COLOURS: RefCell<HashMap<(String, bool), String>> = RefCell::default();
}

/// A colour of the style sheet: `--hazard`.
pub fn colour(name: &str) -> String {
    let key = (name.to_owned(), header::is_dark());
    let known =
        |colours: &mut HashMap<_, String>| colours.entry(key).or_insert_with(|| read(name)).clone();
    COLOURS.with_borrow_mut(known)
}

fn read(name: &str) -> String {
    let read = || {
        let style = dom::window()
            .ok()?
            .get_computed_style(&*dom::body().ok()?)
            .ok()??;
        style.get_property_value(name).ok()
    };
    read().unwrap_or_default()
}

impl Ink {
    /// Gives a canvas a height and the pixels of the device; nothing when it cannot be seen.
    pub fn of(canvas: &HtmlCanvasElement, height: f64) -> Result<Option<Self>> {
        canvas
            .style()
            .set_property("height", &format!("{height}px"))?;
        if !fit(canvas) {
            return Ok(None);
        }
        let context = context_of(canvas)?;
        let scale = pixel_ratio();
        context.scale(scale, scale)?;
        context.set_font(&format!("11.5px {FONT}"));
        context.set_text_baseline("middle");
        Ok(Some(Self {
            context,
            width: f64::from(canvas.client_width()),
        }))
    }

    /// Fills a rectangle `(x, y, width, height)`.
    pub fn fill(&self, (x, y, w, h): (f64, f64, f64, f64), colour: &str, alpha: f64) {
        self.context.set_fill_style_str(colour);
        self.context.set_global_alpha(alpha);
        self.context.fill_rect(x, y, w, h);
        self.context.set_global_alpha(1.0);
    }

    /// Outlines a rectangle on whole pixels.
    pub fn outline(&self, (x, y, w, h): (f64, f64, f64, f64), colour: &str) {
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(1.0);
        self.context
            .stroke_rect(x.round() + 0.5, y.round() + 0.5, w.round(), h.round());
    }

    /// A line through points; `dash` 0 is solid.
    pub fn line(&self, points: &[(f64, f64)], colour: &str, wide: f64, dash: f64) -> Result<()> {
        self.context.set_stroke_style_str(colour);
        self.context.set_line_width(wide);
        let dashes = js_sys::Array::new();
        if dash > 0.0 {
            dashes.push(&dash.into());
            dashes.push(&dash.into());
        }
        self.context.set_line_dash(&dashes)?;
        self.context.begin_path();
        for (i, (x, y)) in points.iter().enumerate() {
            if i == 0 {
                self.context.move_to(*x, *y);
            } else {
                self.context.line_to(*x, *y);
            }
        }
        self.context.stroke();
        self.context.set_line_dash(&js_sys::Array::new())?;
        Ok(())
    }

    /// An arrow that ends a little before its end point.
    pub fn arrow(
        &self,
        from: (f64, f64),
        to: (f64, f64),
        colour: &str,
        wide: f64,
        dash: f64,
    ) -> Result<()> {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let long = dx.hypot(dy).max(0.001);
        let (ux, uy) = (dx / long, dy / long);
        // Room for the marks of the nodes.
        let at = |d: f64| (from.0 + ux * d, from.1 + uy * d);
        let (start, tip) = (
            at(6.0_f64.min(long / 3.0)),
            at(long - 6.0_f64.min(long / 3.0)),
        );
        let base = (tip.0 - ux * 6.0, tip.1 - uy * 6.0);
        self.line(&[start, base], colour, wide, dash)?;
        self.shape(
            &[
                tip,
                (base.0 - uy * 3.5, base.1 + ux * 3.5),
                (base.0 + uy * 3.5, base.1 - ux * 3.5),
            ],
            colour,
        );
        Ok(())
    }

    /// A filled shape.
    pub fn shape(&self, points: &[(f64, f64)], colour: &str) {
        self.context.set_fill_style_str(colour);
        self.context.begin_path();
        for (x, y) in points {
            self.context.line_to(*x, *y);
        }
        self.context.fill();
    }

    /// A circle, filled with one colour and drawn with another.
    pub fn circle(&self, (x, y): (f64, f64), radius: f64, inside: &str, edge: &str) -> Result<()> {
        self.context.begin_path();
        self.context.arc(x, y, radius, 0.0, std::f64::consts::TAU)?;
        if !inside.is_empty() {
            self.context.set_fill_style_str(inside);
            self.context.fill();
        }
        self.context.set_stroke_style_str(edge);
        self.context.set_line_width(1.6);
        self.context.stroke();
        Ok(())
    }

    /// Text; `align` is `start`, `center` or `end`.
    pub fn text(&self, text: &str, at: (f64, f64), colour: &str, align: &str) -> Result<()> {
        self.context.set_fill_style_str(colour);
        self.context.set_text_align(align);
        self.context.fill_text(text, at.0, at.1)?;
        Ok(())
    }

    /// Width of a text.
    pub fn measure(&self, text: &str) -> f64 {
        self.context.measure_text(text).map_or(0.0, |m| m.width())
    }
}
