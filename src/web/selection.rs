//! The selected step, and what the pointer is over.

use super::numbers::signed_bytes;
use super::opening::Shown;
use super::words::{t, tf, Word};
use super::{dom, Result};
use crate::engine::protocol::StepFacts;
use crate::report::figure::{bytes, grouped};
use crate::report::names::last_part;

/// Says which step is selected, before its facts are there.
pub fn point(step: u32) -> Result<()> {
    let card = dom::hook("selection")?;
    card.set_attribute("data-key", &step.to_string())?;
    dom::id("selection-title")?
        .set_text_content(Some(&tf(Word::SelectedStep, &[&step.to_string()])));
    Ok(())
}

/// Draws the card of the selected step.
pub fn show(shown: &Shown) -> Result<()> {
    let card = dom::hook("selection")?;
    card.set_hidden(shown.step.is_none());
    let Some(step) = &shown.step else {
        return Ok(());
    };
    point(step.step)?;
    let title = dom::id("selection-title")?;
    if let Some(peak) = shown.peak() {
        if peak == step.step {
            dom::append(&title, &[&dom::text("span", "tag", t(Word::IsPeak))?])?;
        } else {
            let back = dom::text("button", "link to-peak", t(Word::GoToPeak))?;
            back.set_attribute("type", "button")?;
            back.set_attribute("data-go-step", &peak.to_string())?;
            dom::append(&title, &[&back])?;
        }
    }
    let body = dom::id("selection-body")?;
    dom::clear(&body);
    let node = dom::make("p", "node-name")?;
    dom::scoped_name(&node, &step.node)?;
    let list = dom::make("dl", "pairs")?;
    let pair = |word: Word, value: &str, exact: &str| -> Result<()> {
        let dd = dom::text("dd", "", value)?;
        dd.set_title(exact);
        dom::append(&list, &[&dom::text("dt", "", t(word))?, &dd])
    };
    let exact = |n: u64| format!("{} B", grouped(n));
    pair(Word::SelInUse, &bytes(step.in_use), &exact(step.in_use))?;
    pair(Word::SelAlive, &bytes(step.alive), &exact(step.alive))?;
    pair(
        Word::SelAliveTensors,
        &grouped(u64::from(step.alive_tensors)),
        "",
    )?;
    pair(
        Word::SelTotal,
        &bytes(step.total_tensor),
        &exact(step.total_tensor),
    )?;
    if let Some(stream) = step.stream {
        pair(Word::SelStream, &stream.to_string(), "")?;
    }
    let below = step.alive as i64 - shown.overview.summary.lower_bound as i64;
    if below != 0 {
        pair(
            Word::SelBelowPeak,
            &signed_bytes(below),
            &format!("{below} B"),
        )?;
    }
    dom::append(&body, &[&node, &list])
}

/// What the pointer is over; without a step, how to use the chart.
pub fn readout(step: Option<&StepFacts>) -> Result<()> {
    let out = dom::hook("readout")?;
    dom::clear(&out);
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
    dom::append(&out, &[&place, &name, &sizes])
}
