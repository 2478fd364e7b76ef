//! What is said of the memory map beside its picture: legend, summary, parameters, what lies under
//! the pointer.

use wasm_bindgen::Clamped;
use web_sys::{Element, HtmlCanvasElement, ImageData};

use super::map::{MapView, STREAM};
use super::opening::Shown;
use super::words::{t, tf, Word};
use super::worker_link::Lane;
use super::{dom, header, map_picture, Result};
use crate::engine::map::{MapBand, MapPlace};
use crate::engine::protocol::Request;
use crate::engine::view::Thing;
use crate::pixels::look::Look;
use crate::report::figure::{bytes, grouped, percent};
use crate::report::names::last_part;

/// The parameters in a sentence.
fn said(band: &MapBand) -> String {
    let (start, end) = band.bytes;
    tf(
        Word::MapParameters,
        &[
            &grouped(band.count.into()),
            &format!("{start:#x}"),
            &format!("{end:#x}"),
        ],
    )
}

impl MapView {
    /// Writes the legend and the summary.
    pub fn show_facts(&self, shown: &Shown) -> Result<()> {
        let legend = dom::id("map-legend")?;
        dom::clear(&legend);
        let facts = self.facts.borrow();
        let Some(facts) = &*facts else { return Ok(()) };
        let look = Look {
            dark: header::is_dark(),
            pale: 0,
        };
        for (class, name, share) in &facts.legend {
            let chip = dom::make("button", "map-class")?;
            chip.set_attribute("type", "button")?;
            chip.set_attribute("data-class", &class.to_string())?;
            let swatch = dom::make("i", "")?;
            let [r, g, b] = look.of(*class);
            let colour = format!("rgb({r},{g},{b})");
            swatch.style().set_property("background", &colour)?;
            let stream = format!("{} {name}", t(Word::ColStream));
            let name = match name.as_str() {
                _ if self.key.selected_index() == STREAM => &stream,
                "" if facts.legend.len() == 1 => t(Word::MapAllAlike),
                "" => t(Word::MapRest),
                name => name,
            };
            // What is there is not nothing.
            let share = match *share < 0.00005 {
                true => "< 0.01 %".to_owned(),
                false => percent(*share),
            };
            chip.set_title(&format!("{name} {share}"));
            // Gradients have the names of what they belong to.
            let (last, root) = (last_part(name), name.split_once('/').map(|p| p.0));
            let short = match root.filter(|root| *root != "Default") {
                Some(root) => format!("{root} … {last}"),
                None => last.to_owned(),
            };
            let label = dom::text("span", "leaf", &short)?;
            dom::append(
                &chip,
                &[&swatch, &label, &dom::text("span", "dim", &share)?],
            )?;
            dom::append(&legend, &[&chip])?;
        }
        self.show_pressed()?;
        dom::id("map-to-hazard")?.set_hidden(facts.hazards.is_empty());
        self.tell_hazard(facts)?;
        dom::id("map-streams")?.set_hidden(!facts.has_streams);
        self.show_parameters(facts.parameters.as_ref())?;
        self.tell_chosen()?;
        let summary = &shown.overview.summary;
        let mut text = match facts.boxes {
            0 => t(Word::MapNothing).to_owned(),
            n => tf(
                Word::MapSummary,
                &[
                    &grouped(n.into()),
                    &grouped(shown.overview.steps.into()),
                    &bytes(facts.height),
                    &bytes(summary.lower_bound),
                ],
            ),
        };
        if let Some(band) = &facts.parameters {
            text.push(' ');
            text += &said(band);
        }
        dom::id("map-summary")?.set_text_content(Some(&text));
        self.canvas.set_attribute("aria-description", &text)?;
        self.canvas
            .set_attribute("data-boxes", &facts.boxes.to_string())?;
        Ok(())
    }

    /// Shows which classes are in their colour and what has an outline.
    pub fn show_pressed(&self) -> Result<()> {
        let (pale, outlines) = (self.pale.get(), self.outlines.get());
        dom::each("#map-card button", |button| {
            let number = |name| button.get_attribute(name)?.parse::<u32>().ok();
            let on = match (number("data-class"), number("data-outline")) {
                (Some(class), _) => pale >> (class & 7) & 1 == 0,
                (_, Some(which)) => outlines.get(which as usize) == Some(&true),
                _ => return Ok(()),
            };
            Ok(button.set_attribute("aria-pressed", if on { "true" } else { "false" })?)
        })
    }

    /// Draws the parameters.
    fn show_parameters(&self, band: Option<&MapBand>) -> Result<()> {
        let row = dom::id("map-parameters")?;
        row.set_hidden(band.is_none());
        let Some(band) = band else { return Ok(()) };
        let canvas: HtmlCanvasElement = dom::find("#map-parameters canvas")?;
        canvas.set_attribute("aria-label", &said(band))?;
        let look = Look {
            dark: header::is_dark(),
            pale: 0,
        };
        let [a, b] = look.parameters();
        let colour = |cell: &Option<(u64, bool)>| match cell {
            None => look.ground(),
            Some((_, true)) => a,
            Some((_, false)) => b,
        };
        let pixels = band.cells.iter().flat_map(|cell| {
            let [r, g, b] = colour(cell);
            [r, g, b, 255]
        });
        let (pixels, wide) = (pixels.collect::<Vec<u8>>(), band.cells.len() as u32);
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels), wide, 1)?;
        map_picture::show(&canvas, &image)
    }

    /// The parameter at a place of their band, in parts of its width.
    pub fn parameter_at(&self, x: f64) -> Option<Thing> {
        let facts = self.facts.borrow();
        let cells = &facts.as_ref()?.parameters.as_ref()?.cells;
        let cell = cells.get((x * cells.len() as f64) as usize)?;
        cell.map(|(id, _)| Thing::Parameter(id))
    }

    /// Marks a step that the pointer is over, here or on a chart.
    pub fn mark_hover(&self, step: Option<u32>) -> Result<()> {
        if self.hover.replace(step) == step {
            return Ok(());
        }
        self.hole.take();
        if step.is_none() {
            self.tell_chosen()?;
        }
        self.paint_soon()
    }

    /// Moves the line of the step that the pointer is over, with the hole on it, before the browser
    /// shows it. Elements: what else is drawn stays.
    pub(super) fn place_hairline(&self) -> Result<()> {
        let [left, right, bottom, top] = self.window.get().unwrap_or_default();
        let (start, end) = self.hole.get();
        self.hole_mark.set_hidden(start == end);
        // A little of what lies outside, so that its edge does not seem to be at the border.
        let at = |byte: u64| ((byte as f64 - bottom) / (top - bottom)).clamp(-0.1, 1.1) * 100.0;
        let style = self.hole_mark.style();
        style.set_property("bottom", &format!("{:.3}%", at(start)))?;
        style.set_property("height", &format!("{:.3}%", at(end) - at(start)))?;
        let share = self
            .hover
            .get()
            .map(|s| (f64::from(s) + 0.5 - left) / (right - left));
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        self.hairline.set_hidden(share.is_none());
        let share = share.unwrap_or_default() * 100.0;
        let place = format!("translateX({share:.3}cqw)");
        self.hairline.style().set_property("transform", &place)?;
        Ok(())
    }

    /// Tells what lies under the pointer.
    pub fn tell(&self, place: &MapPlace) -> Result<()> {
        let out = dom::id("map-readout")?;
        dom::clear(&out);
        if !self.pointed.get() {
            return Ok(());
        }
        self.mark_hover(Some(place.step))?;
        self.hole
            .set(place.free.first().copied().unwrap_or_default());
        self.paint_soon()?;
        let key = place.found.map(|f| Thing::Tensor(f.id).key());
        dom::attribute(&out, "data-tensor", key.as_deref())?;
        if let Some(found) = place.found {
            let (start, end) = found.bytes;
            let size = bytes(end - start);
            let steps = format!("${}…${}", found.steps.0, found.steps.1);
            // The axis has sizes.
            let place_text = format!("{start:#x}–{end:#x} @ {}", bytes(start));
            dom::append(
                &out,
                &[&dom::text("b", "mono", key.as_deref().unwrap_or(""))?],
            )?;
            for (class, text) in [("", size), ("mono", place_text), ("mono", steps)] {
                dom::append(&out, &[&dom::text("span", class, &text)?])?;
            }
            if let Some((step, name)) = &place.producer {
                let text = format!("{} (${step})", last_part(name));
                dom::append(&out, &[&dom::text("span", "leaf", &text)?])?;
            }
        } else {
            dom::append(&out, &[&dom::text("span", "dim", t(Word::MapFree))?])?;
        }
        self.tell_holes(place, &out)
    }

    /// Tells what is free at the chosen step, while the pointer is elsewhere.
    fn tell_chosen(&self) -> Result<()> {
        if self.pointed.get() {
            return Ok(());
        }
        let out = dom::id("map-readout")?;
        dom::clear(&out);
        dom::attribute(&out, "data-tensor", None)?;
        match &*self.chosen.borrow() {
            _ if self.is_empty() => Ok(()),
            Some(place) => self.tell_holes(place, &out),
            None => Ok(()),
        }
    }

    /// Takes what is free at the chosen step.
    pub fn take_chosen(&self, place: MapPlace) -> Result<()> {
        *self.chosen.borrow_mut() = Some(place);
        self.tell_chosen()?;
        self.draw_soon()
    }

    /// Asks what is free at the chosen step, unless that is known or the map is not in sight.
    pub fn ask_chosen(&self, shown: &Shown, step: Option<u32>) -> Result<()> {
        let known = self.chosen.borrow().as_ref().map(|place| place.step);
        let Some(step) = step.filter(|_| step != known && self.canvas.client_width() > 0) else {
            return Ok(());
        };
        let request = Request::MapPlace {
            graph: shown.overview.graph,
            at: (step, 0),
            steps: (step, step),
            bytes: (0, 0),
        };
        shown.link.ask(Lane::MapChosen, &request)
    }

    /// Writes the holes of a step.
    fn tell_holes(&self, place: &MapPlace, out: &Element) -> Result<()> {
        out.set_attribute("data-step", &place.step.to_string())?;
        let (largest, count, all) = place.holes;
        let text = tf(
            Word::MapHoles,
            &[
                &place.step.to_string(),
                &grouped(count.into()),
                &bytes(all),
                &bytes(largest),
            ],
        );
        out.set_attribute("data-holes", &format!("{largest} {count} {all}"))?;
        dom::append(out, &[&dom::text("span", "dim sizes", &text)?])
    }
}
