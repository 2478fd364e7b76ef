//! The one selection: a step, or a thing of the plan; and what the pointer is over.

use web_sys::HtmlElement;

use super::details::{self, Pairs};
use super::numbers::signed_bytes;
use super::opening::Shown;
use super::words::{t, tf, Word};
use super::{dom, Result};
use crate::engine::protocol::StepFacts;
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};
use crate::report::names::last_part;

/// Draws the card of what is selected as far as it is known; the rest comes to `details`.
pub fn show(shown: &Shown, step: Option<u32>, thing: Option<Thing>) -> Result<()> {
    let card = dom::hook("selection")?;
    card.set_hidden(step.is_none() && thing.is_none());
    let title = dom::id("selection-title")?;
    match (thing, step) {
        (Some(thing), _) => {
            let same = card.get_attribute("data-key").as_deref() == Some(&thing.key())
                && card.get_attribute("data-kind").as_deref() == Some(thing.kind());
            card.set_attribute("data-kind", thing.kind())?;
            card.set_attribute("data-key", &thing.key())?;
            details::title(&title, thing, step)?;
            if !same {
                card.set_attribute("aria-busy", "true")?;
            }
            Ok(())
        }
        (None, Some(step)) => {
            card.set_attribute("data-kind", "step")?;
            card.set_attribute("data-key", &step.to_string())?;
            card.remove_attribute("aria-busy")?;
            title.set_text_content(Some(&tf(Word::SelectedStep, &[&step.to_string()])));
            mark_peak(&title, shown, step)?;
            match shown.step.as_ref().filter(|s| s.step == step) {
                Some(facts) => show_step(shown, facts),
                None => Ok(()),
            }
        }
        (None, None) => Ok(()),
    }
}

/// Says that a step is the peak, or leads there.
pub fn mark_peak(title: &HtmlElement, shown: &Shown, step: u32) -> Result<()> {
    let Some(peak) = shown.peak() else {
        return Ok(());
    };
    if peak == step {
        return dom::append(title, &[&dom::text("span", "tag", t(Word::IsPeak))?]);
    }
    dom::append(title, &[&details::step_link(peak, t(Word::GoToPeak))?])
}

/// Takes the selection off the page.
pub fn clear() -> Result<()> {
    dom::clear(&dom::id("selection-title")?);
    dom::clear(&dom::id("selection-body")?);
    Ok(())
}

fn show_step(shown: &Shown, step: &StepFacts) -> Result<()> {
    let body = dom::id("selection-body")?;
    dom::clear(&body);
    let node = dom::make("p", "node-name")?;
    if step.node.is_empty() {
        dom::scoped_name(&node, &step.node)?;
    } else {
        let link = details::link(Thing::Node(step.step), "name-link")?;
        dom::scoped_name(&link, &step.node)?;
        dom::append(&node, &[&link])?;
    }
    let pairs = Pairs::new()?;
    pairs.bytes(Word::ColInUse, step.in_use)?;
    pairs.bytes(Word::ColAlive, step.alive)?;
    pairs.text(
        Word::SelAliveTensors,
        &grouped(u64::from(step.alive_tensors)),
        "",
    )?;
    pairs.bytes(Word::SelTotal, step.total_tensor)?;
    if let Some(stream) = step.stream {
        pairs.text(Word::ColStream, &stream.to_string(), "")?;
    }
    let below = step.alive as i64 - shown.overview.summary.lower_bound as i64;
    if below != 0 {
        pairs.text(
            Word::SelBelowPeak,
            &signed_bytes(below),
            &format!("{below} B"),
        )?;
    }
    dom::append(&body, &[&node, pairs.list()])
}

/// What the pointer is over; without a step, how to use the chart.
pub fn readout(step: Option<&StepFacts>, shown: &Shown) -> Result<()> {
    let out = dom::hook("readout")?;
    let total = dom::id("total-readout")?;
    dom::clear(&out);
    dom::clear(&total);
    let Some(step) = step else {
        out.remove_attribute("data-step")?;
        return dom::append(&out, &[&dom::text("span", "dim", t(Word::ReadoutHint))?]);
    };
    out.set_attribute("data-step", &step.step.to_string())?;
    out.set_attribute("data-in-use", &step.in_use.to_string())?;
    out.set_attribute("data-alive", &step.alive.to_string())?;
    out.set_title(&step.node);
    let place = dom::text("span", "mono", &format!("${}", step.step))?;
    let name = dom::text("span", "leaf", last_part(&step.node))?;
    let sizes = dom::text(
        "span",
        "sizes",
        &tf(
            Word::ReadoutBytes,
            &[&bytes(step.in_use), &bytes(step.alive)],
        ),
    )?;
    dom::append(&out, &[&place, &name, &sizes])?;
    let all = step.total_tensor + shown.overview.summary.static_memory;
    let text = tf(
        Word::ReadoutTotal,
        &[&bytes(all), &bytes(step.total_tensor)],
    );
    dom::append(&total, &[&dom::text("span", "sizes", &text)?])
}
