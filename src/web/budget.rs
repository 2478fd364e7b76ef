//! Whether the plan fits a device: static memory and planned total against a capacity.

use std::cell::Cell;

use wasm_bindgen::JsValue;
use web_sys::HtmlInputElement;

use super::words::{t, tf, Word};
use super::{dom, prefs, Result};
use crate::engine::protocol::Overview;
use crate::report::figure::{bytes, grouped, significant};

const GB: f64 = (1u64 << 30) as f64;

/// The capacity that was entered.
pub struct Budget {
    input: HtmlInputElement,
    bytes: Cell<Option<u64>>,
}

/// Bytes of a number of GB as people write it.
fn parse(text: &str) -> Option<u64> {
    let text = text.trim().replace(',', ".");
    let text = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c.is_whitespace());
    // The browser's own reading: Rust's brings ten kilobytes of tables along.
    let bytes = (JsValue::from_str(text).unchecked_into_f64() * GB).round();
    (bytes >= 1.0 && bytes < 2f64.powi(53)).then_some(bytes as u64)
}

impl Budget {
    /// As it was left.
    pub fn remembered() -> Result<Self> {
        let budget = Self {
            input: dom::find("[data-hook=capacity]")?,
            bytes: Cell::default(),
        };
        let saved = prefs::get("capacity").unwrap_or_default();
        budget.bytes.set(parse(&saved));
        if budget.bytes.get().is_some() {
            budget.input.set_value(&saved);
        }
        Ok(budget)
    }

    /// The capacity, bytes.
    pub fn capacity(&self) -> Option<u64> {
        self.bytes.get()
    }

    /// The capacity as a line of the chart; none without one.
    pub fn lines(&self) -> Vec<(f64, String)> {
        let line = self.bytes.get().map(|at| (at as f64, bytes(at)));
        line.into_iter().collect()
    }

    /// Another capacity, in GB; nothing takes it away.
    pub fn set(&self, text: &str) -> Result<()> {
        self.bytes.set(parse(text));
        if self.input.value() != text {
            self.input.set_value(text);
        }
        prefs::set(
            "capacity",
            if self.bytes.get().is_some() { text } else { "" },
        );
        Ok(())
    }

    /// The capacity of a summary, which is not remembered; without one it stays as it is.
    pub fn lend(&self, capacity: Option<u64>) -> Result<()> {
        if let (Some(bytes), None) = (capacity, self.bytes.get()) {
            self.bytes.set(capacity);
            self.input.set_value(&significant(bytes as f64 / GB));
        }
        Ok(())
    }

    /// Says whether a plan fits.
    pub fn show(&self, overview: &Overview) -> Result<()> {
        let summary = &overview.summary;
        let capacity = self.bytes.get();
        let wrong = capacity.is_none() && !self.input.value().trim().is_empty();
        dom::attribute(&self.input, "aria-invalid", wrong.then_some("true"))?;
        dom::each("[data-capacity]", |button| {
            let own = button
                .get_attribute("data-capacity")
                .and_then(|n| parse(&n));
            let pressed = own.is_some() && own == capacity;
            button.set_attribute("aria-pressed", if pressed { "true" } else { "false" })?;
            Ok(())
        })?;
        let out = dom::id("budget-verdict")?;
        let note = dom::id("budget-note")?;
        // An early stage has no planned total: what is in use at the peak is the least it can be.
        let planned = summary.kind != "stage";
        let need = if planned {
            summary.planned_total.saturating_add(summary.static_memory)
        } else {
            summary.max_in_use.in_use
        };
        let Some(capacity) = capacity else {
            out.set_text_content(None);
            out.remove_attribute("data-value")?;
            note.set_text_content(Some(t(if wrong {
                Word::CapacityWrong
            } else {
                Word::CapacityNone
            })));
            return Ok(());
        };
        let fits = need <= capacity;
        let left = capacity.abs_diff(need);
        let word = match (fits, planned) {
            (true, true) => Word::Fits,
            (true, false) => Word::FitsAtLeast,
            (false, _) => Word::Over,
        };
        let sum = tf(
            if planned {
                Word::NeedPlanned
            } else {
                Word::NeedPeak
            },
            &[&bytes(need)],
        );
        out.set_text_content(Some(&tf(word, &[&bytes(left)])));
        out.set_attribute("data-value", if fits { "fits" } else { "over" })?;
        out.set_attribute("data-bytes", &left.to_string())?;
        out.set_title(&format!("{} B", grouped(left)));
        note.set_text_content(Some(&format!("{sum} {}", t(Word::CapacityLeaves))));
        Ok(())
    }
}
