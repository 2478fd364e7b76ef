//! What is marked on the memory map: the selection, what was searched, a brush, lines of sizes.

use super::map::MapView;
use super::map_pen::Pen;
use super::opening::Shown;
use super::words::{t, Word};
use super::worker_link::Lane;
use super::{dom, Result};
use crate::engine::map::{MapFacts, MapMarks, MapRect};
use crate::engine::protocol::Request;
use crate::engine::view::Thing;
use crate::report::figure::bytes;

impl MapView {
    /// What is marked.
    pub fn marked(&self) -> Option<MapRect> {
        self.marks.borrow().as_ref().map(|m| m.own)
    }

    /// The next hazard, the first after the last.
    pub fn next_hazard(&self) -> Result<Option<MapRect>> {
        let facts = self.facts.borrow();
        let Some(facts) = &*facts else {
            return Ok(None);
        };
        let place = self.next.get() % facts.hazards.len().max(1);
        self.next.set(place + 1);
        self.tell_hazard(facts)?;
        Ok(facts.hazards.get(place).copied())
    }

    /// Writes on the button which hazard one was led to last.
    pub(super) fn tell_hazard(&self, facts: &MapFacts) -> Result<()> {
        let text = match (self.next.get(), facts.hazards.len()) {
            (0, _) | (_, 0 | 1) => t(Word::MapHazard).to_owned(),
            (place, all) => format!("{} {place}/{all}", t(Word::MapHazard)),
        };
        dom::id("map-to-hazard")?.set_text_content(Some(&text));
        Ok(())
    }

    /// The bytes from the first to the one behind the last that are selected, as offsets.
    pub fn selected_bytes(&self) -> Option<(f64, f64)> {
        self.range.get()
    }

    /// Asks what to mark.
    pub fn ask_marks(&self, shown: &Shown, thing: Option<Thing>) -> Result<()> {
        let (graph, base) = (shown.overview.graph, shown.overview.base);
        let range = match thing {
            Some(Thing::Address(at)) => Some((at, at.saturating_add(1))),
            Some(Thing::Range(start, end)) => Some((start, end)),
            _ => None,
        };
        let offset = |address: u64| address.saturating_sub(base) as f64;
        let range = range.map(|(start, end)| (offset(start), offset(end)));
        self.range.set(range.filter(|(start, end)| start < end));
        if let Some(Thing::Tensor(id)) = thing {
            if self.marked().map(|m| m.id) != Some(id) {
                let request = Request::MapMarks { graph, id };
                shown.link.ask(Lane::MapMarks, &request)?;
            }
        } else {
            self.marks.take();
        }
        self.draw_soon()
    }

    /// Takes what to mark.
    pub fn take_marks(&self, marks: Option<MapMarks>) -> Result<()> {
        *self.marks.borrow_mut() = marks;
        self.draw_soon()
    }

    /// Lights some boxes.
    pub fn light(&self, lit: Vec<MapRect>) -> Result<()> {
        self.canvas
            .set_attribute("data-lit", &lit.len().to_string())?;
        *self.lit.borrow_mut() = lit;
        self.draw_soon()
    }

    /// Shows what a brush covers, CSS pixels.
    pub fn mark_brush(&self, brush: Option<[f64; 4]>) -> Result<()> {
        self.brush.set(brush);
        self.draw_soon()
    }

    /// Planned total, most bytes alive, capacity.
    pub(super) fn lines(&self, pen: &Pen, shown: &Shown) -> Result<()> {
        let summary = &shown.overview.summary;
        let capacity = self.capacity.get();
        let capacity = capacity.map(|c| c.saturating_sub(summary.static_memory));
        let mut captions = Vec::new();
        // What is above all there is has no place to be drawn at.
        if let Some(at) = capacity.filter(|at| *at as f64 > self.height()) {
            let text = format!("↑ {} {}", t(Word::MapCapacity), bytes(at));
            captions.push((0.0, text, "--limit"));
        }
        for (at, word, colour) in [
            (Some(summary.planned_total), Word::Planned, "--ink"),
            (capacity, Word::MapCapacity, "--limit"),
            (Some(summary.lower_bound), Word::NumMaxAlive, "--accent"),
        ] {
            if let Some(at) = at.filter(|at| *at > 0 || colour == "--limit") {
                if let Some(y) = pen.level(at as f64, colour)? {
                    captions.push((y, format!("{} {}", t(word), bytes(at)), colour));
                }
            }
        }
        // Behind all lines, so that none is through a text.
        let mut told = Vec::new();
        for (y, text, colour) in captions {
            pen.caption(y, &text, colour, &mut told)?;
        }
        Ok(())
    }
}
