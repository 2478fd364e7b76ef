//! The facts strip: the numbers that matter most, each with its explanation.

use web_sys::{Element, HtmlElement};

use super::details::step_link;
use super::numbers::{fact, signed_bytes};
use super::words::{count, t, tf, Word};
use super::{dom, Result};
use crate::engine::protocol::Overview;
use crate::report::figure::{bytes, grouped, percent, significant};
use crate::report::names::last_part;

/// Draws the strip and the notes above it.
pub fn show(overview: &Overview) -> Result<()> {
    show_notes(overview)?;
    let summary = &overview.summary;
    let strip = dom::id("facts")?;
    dom::clear(&strip);
    if let Some(gap) = summary.gap {
        let sub = match summary.lower_bound {
            0 => String::new(),
            bound => {
                let times = significant(summary.planned_total as f64 / bound as f64);
                tf(Word::PlannedSub, &[&times])
            }
        };
        let value = size_fact("planned_total", summary.planned_total)?;
        let sub = dom::text("span", "sub", &sub)?;
        add(
            &strip,
            Word::Planned,
            &value,
            &sub,
            &[t(Word::PlannedWhat), t(Word::PlannedLeaves)],
        )?;

        let share = gap as f64 / (summary.planned_total.max(1)) as f64;
        let sub = match (gap, overview.ordered) {
            (0, _) => t(Word::GapSubNone).to_owned(),
            (_, true) => tf(Word::GapSubOrdered, &[&percent(share)]),
            (_, false) => tf(Word::GapSubUnordered, &[&percent(share)]),
        };
        let value = fact("gap", gap, &signed_bytes(gap), &format!("{gap}"))?;
        let why = t(if overview.ordered {
            Word::GapOrdered
        } else {
            Word::GapUnordered
        });
        let bound = size_fact("lower_bound", summary.lower_bound)?;
        let bound_sub = dom::text("span", "sub", t(Word::BoundSub))?;
        add(
            &strip,
            Word::Bound,
            &bound,
            &bound_sub,
            &[t(Word::BoundWhat), t(Word::BoundLeaves)],
        )?;
        let sub = dom::text("span", "sub", &sub)?;
        add(&strip, Word::Gap, &value, &sub, &[t(Word::GapWhat), why])?;
    }
    let value = size_fact("max_in_use.in_use", summary.max_in_use.in_use)?;
    add(
        &strip,
        Word::Peak,
        &value,
        &peak_place(overview)?,
        &[t(Word::PeakWhat), t(Word::PeakLeaves)],
    )?;
    if summary.gap.is_none() {
        let bound = size_fact("lower_bound", summary.lower_bound)?;
        let sub = dom::text("span", "sub", t(Word::BoundSub))?;
        add(
            &strip,
            Word::Bound,
            &bound,
            &sub,
            &[t(Word::BoundWhat), t(Word::BoundLeaves)],
        )?;
    }
    let value = size_fact("static_memory", summary.static_memory)?;
    let sub = dom::text(
        "span",
        "sub",
        &count(
            summary.counts.parameters,
            Word::StaticSubOne,
            Word::StaticSub,
        ),
    )?;
    add(
        &strip,
        Word::Static,
        &value,
        &sub,
        &[t(Word::StaticWhat), t(Word::StaticLeaves)],
    )?;
    let value = match summary.reuse_ratio {
        Some(ratio) => fact("reuse_ratio", ratio, &percent(ratio), &ratio.to_string())?,
        None => fact("reuse_ratio", "null", t(Word::UnknownNothingPlaced), "")?,
    };
    let sub = dom::text(
        "span",
        "sub",
        &tf(Word::ReuseSub, &[&bytes(summary.total_tensor_size)]),
    )?;
    add(
        &strip,
        Word::Reuse,
        &value,
        &sub,
        &[t(Word::ReuseWhat), t(Word::ReuseLeaves)],
    )
}

/// Takes all facts off the page.
pub fn clear() -> Result<()> {
    dom::clear(&dom::id("facts")?);
    dom::clear(&dom::id("notes")?);
    Ok(())
}

fn size_fact(key: &str, n: u64) -> Result<HtmlElement> {
    fact(key, n, &bytes(n), &format!("{} B", grouped(n)))
}

fn add(
    strip: &Element,
    label: Word,
    value: &HtmlElement,
    sub: &HtmlElement,
    why: &[&str],
) -> Result<()> {
    let out = dom::make("div", "fact")?;
    let explain = dom::make("details", "explain")?;
    let summary = dom::text("summary", "", t(label))?;
    summary.set_title(t(Word::ExplainLabel));
    let panel = dom::make("div", "panel")?;
    for text in why {
        dom::append(&panel, &[&dom::text("p", "", text)?])?;
    }
    dom::append(&explain, &[&summary, &panel])?;
    value.class_list().add_1("value")?;
    if sub.title().is_empty() {
        sub.set_title(&sub.text_content().unwrap_or_default());
    }
    dom::append(&out, &[&explain, value, sub])?;
    dom::append(strip, &[&out])
}

/// `at $251 RealDiv-op1387`, which selects the step.
fn peak_place(overview: &Overview) -> Result<HtmlElement> {
    let place = dom::make("span", "sub")?;
    let peak = &overview.summary.max_in_use;
    let Some(step) = peak.step else {
        return Ok(place);
    };
    let number = fact("max_in_use.step", step, &format!("${step}"), "")?;
    let name = peak.node.as_deref().unwrap_or("");
    let link = step_link(step, "")?;
    link.set_title(name);
    dom::append(
        &link,
        &[
            &number,
            &dom::text("span", "", &format!(" {}", last_part(name)))?,
        ],
    )?;
    dom::append(&place, &[&link])?;
    Ok(place)
}

fn show_notes(overview: &Overview) -> Result<()> {
    let notes = dom::id("notes")?;
    dom::clear(&notes);
    if let Some(incomplete) = &overview.summary.incomplete {
        let text = match incomplete.unread_lines {
            1 => t(Word::IncompleteOne).to_owned(),
            lines => tf(Word::IncompleteMany, &[&grouped(lines)]),
        };
        dom::append(&notes, &[&dom::text("p", "note alarm", &text)?])?;
    }
    if overview.summary.kind == "stage" {
        dom::append(&notes, &[&dom::text("p", "note", t(Word::StageNote))?])?;
    }
    Ok(())
}

/// Closes all explanations, or all but the one that holds `except`.
pub fn close_explanations(except: Option<&Element>) -> Result<()> {
    dom::each("details.explain[open]", |open| {
        if except.is_none_or(|e| !open.contains(Some(e))) {
            open.remove_attribute("open")?;
        }
        Ok(())
    })
}
