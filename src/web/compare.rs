//! A second open graph laid over the first: its curve, dashed, and the facts of both side by side.

use std::cell::{Cell, Ref, RefCell};

use web_sys::{HtmlOptionElement, HtmlSelectElement};

use super::numbers::signed_bytes;
use super::opening::Shown;
use super::words::{t, Word};
use super::zoom::Window;
use super::{dom, Result};
use crate::engine::explore::{Alignment, OverlayRequest};
use crate::engine::protocol::{ChartColumns, Overview};
use crate::report::figure::{grouped, percent};
use crate::report::json::Summary;

/// What is compared.
#[derive(Default)]
pub struct Compare {
    with: Cell<Option<u32>>,
    alignment: Cell<Alignment>,
    other: RefCell<Option<Overview>>,
    overlay: RefCell<Option<ChartColumns>>,
}

/// A fact of both.
enum Value {
    Bytes(i64),
    Number(i64),
    Step(Option<u32>),
    Ratio(Option<f64>),
    None,
}

impl Compare {
    /// Another set of files: nothing is compared.
    pub fn forget(&self) {
        self.choose(None);
    }

    /// Compares with a graph, or with none.
    pub fn choose(&self, other: Option<u32>) {
        self.with.set(other);
        self.other.take();
        self.overlay.take();
    }

    /// How the steps are aligned.
    pub fn align(&self, by_name: bool) {
        self.alignment.set(if by_name {
            Alignment::ByName
        } else {
            Alignment::Scaled
        });
    }

    /// The request for the other curve.
    pub fn request(
        &self,
        graph: u32,
        window: Window,
        columns: impl FnOnce() -> u32,
    ) -> Option<OverlayRequest> {
        let other = self.with.get().filter(|other| *other != graph)?;
        Some(OverlayRequest {
            graph,
            other,
            alignment: self.alignment.get(),
            first: window.first,
            last: window.last,
            columns: columns(),
        })
    }

    /// Takes the other graph's numbers.
    pub fn take_other(&self, overview: Overview) {
        if self.with.get() == Some(overview.graph) {
            *self.other.borrow_mut() = Some(overview);
        }
    }

    /// Takes the other graph's curve.
    pub fn take_overlay(&self, columns: ChartColumns) {
        *self.overlay.borrow_mut() = self.with.get().is_some().then_some(columns);
    }

    /// The other graph's curve.
    pub fn overlay(&self) -> Ref<'_, Option<ChartColumns>> {
        self.overlay.borrow()
    }

    /// Takes everything off the page.
    pub fn clear(&self) -> Result<()> {
        dom::id("compare-card")?.set_hidden(true);
        dom::clear(&dom::find::<web_sys::Element>(
            "[data-table=compare] tbody",
        )?);
        Ok(())
    }

    /// Draws the choice and the table.
    pub fn show(&self, shown: &Shown) -> Result<()> {
        let own = shown.overview.graph;
        if self.with.get() == Some(own) {
            self.choose(None);
        }
        dom::id("compare-tools")?
            .set_hidden(shown.graphs.graphs.len() < 2 || shown.overview.steps == 0);
        let chooser: HtmlSelectElement = dom::find("[data-hook=compare]")?;
        dom::clear(&chooser);
        let none = HtmlOptionElement::new_with_text_and_value(t(Word::CompareNone), "")?;
        dom::append(&chooser, &[&none])?;
        for row in shown.graphs.graphs.iter().filter(|row| row.graph != own) {
            let value = row.graph.to_string();
            let option = HtmlOptionElement::new_with_text_and_value(&row.name, &value)?;
            option.set_attribute("data-row", &row.name)?;
            dom::append(&chooser, &[&option])?;
        }
        let with = self.with.get().map_or_else(String::new, |g| g.to_string());
        chooser.set_value(&with);
        dom::find::<HtmlSelectElement>("[data-hook=alignment]")?.set_hidden(with.is_empty());
        self.clear()?;
        let other = self.other.borrow();
        match &*other {
            Some(other) => show_table(&shown.overview, other),
            None => Ok(()),
        }
    }
}

fn show_table(own: &Overview, other: &Overview) -> Result<()> {
    let head = dom::find::<web_sys::Element>("[data-table=compare] thead")?;
    let body = dom::find::<web_sys::Element>("[data-table=compare] tbody")?;
    dom::clear(&head);
    let row = dom::make("tr", "")?;
    let name =
        |overview: &Overview| crate::report::names::display(overview.summary.file.name.as_bytes());
    dom::append(
        &row,
        &[
            &dom::text("th", "", t(Word::ColFact))?,
            &dom::text("th", "num", &name(own))?,
            &dom::text("th", "num", &name(other))?,
            &dom::text("th", "num", t(Word::ColDifference))?,
        ],
    )?;
    dom::append(&head, &[&row])?;
    let (a, b) = (facts(&own.summary), facts(&other.summary));
    for ((word, key, a), (_, _, b)) in a.into_iter().zip(b) {
        let row = dom::make("tr", "")?;
        row.set_attribute("data-row", key)?;
        dom::append(&row, &[&dom::text("td", "", t(word))?])?;
        for value in [&a, &b, &difference(&a, &b)] {
            let (exact, shown) = show_value(value);
            let cell = dom::text("td", "num", &shown)?;
            cell.set_attribute("data-value", &exact)?;
            if matches!(value, Value::Bytes(_)) {
                cell.set_title(&format!("{exact} B"));
            }
            dom::append(&row, &[&cell])?;
        }
        let more = match difference(&a, &b) {
            Value::Bytes(n) | Value::Number(n) => n as f64,
            Value::Ratio(ratio) => ratio.unwrap_or_default(),
            _ => 0.0,
        };
        if let Some(last) = row.last_element_child().filter(|_| more != 0.0) {
            last.set_class_name(if more > 0.0 { "num more" } else { "num less" });
        }
        dom::append(&body, &[&row])?;
    }
    dom::id("compare-card")?.set_hidden(false);
    Ok(())
}

fn facts(s: &Summary) -> Vec<(Word, &'static str, Value)> {
    let size = |n: u64| Value::Bytes(n as i64);
    let number = |n: u64| Value::Number(n as i64);
    let stage = s.kind == "stage";
    let planned = if stage {
        Value::None
    } else {
        size(s.planned_total)
    };
    vec![
        (Word::Planned, "planned_total", planned),
        (Word::Bound, "lower_bound", size(s.lower_bound)),
        (Word::Gap, "gap", s.gap.map_or(Value::None, Value::Bytes)),
        (Word::Peak, "max_in_use.in_use", size(s.max_in_use.in_use)),
        (
            Word::PeakStep,
            "max_in_use.step",
            Value::Step(s.max_in_use.step),
        ),
        (Word::Static, "static_memory", size(s.static_memory)),
        (
            Word::NumTotalTensor,
            "total_tensor_size",
            size(s.total_tensor_size),
        ),
        (Word::Reuse, "reuse_ratio", Value::Ratio(s.reuse_ratio)),
        (
            Word::NumWaste,
            "alignment_waste.total",
            Value::Bytes(s.alignment_waste.total),
        ),
        (Word::TabNodes, "counts.nodes", number(s.counts.nodes)),
        (Word::TabTensors, "counts.tensors", number(s.counts.tensors)),
        (
            Word::TabParameters,
            "counts.parameters",
            number(s.counts.parameters),
        ),
    ]
}

/// The second minus the first.
fn difference(a: &Value, b: &Value) -> Value {
    match (a, b) {
        (Value::Bytes(a), Value::Bytes(b)) => Value::Bytes(b - a),
        (Value::Number(a), Value::Number(b)) => Value::Number(b - a),
        (Value::Ratio(Some(a)), Value::Ratio(Some(b))) => Value::Ratio(Some(b - a)),
        _ => Value::None,
    }
}

/// The exact value, and what is shown.
fn show_value(value: &Value) -> (String, String) {
    match value {
        Value::Bytes(n) => (n.to_string(), signed_bytes(*n)),
        Value::Number(n) => {
            let sign = if *n < 0 { "−" } else { "" };
            (
                n.to_string(),
                format!("{sign}{}", grouped(n.unsigned_abs())),
            )
        }
        Value::Step(Some(step)) => (step.to_string(), format!("${step}")),
        Value::Ratio(Some(ratio)) => (ratio.to_string(), percent(*ratio).replace('-', "−")),
        Value::Step(None) | Value::Ratio(None) | Value::None => ("null".into(), "–".into()),
    }
}
