//! The bar: what is open, progress, language and colours.

use web_sys::{HtmlOptionElement, HtmlProgressElement, HtmlSelectElement};

use super::opening::Shown;
use super::words::{count, lang, t, tf, Word};
use super::{dom, prefs, Result};
use crate::engine::base_name;
use crate::engine::protocol::{GraphRow, Overview};
use crate::engine::share::release;
use crate::engine::view::ViewState;
use crate::report::figure::bytes;
use crate::report::names;

/// Draws which graph is shown; nothing when none is.
pub fn show_graph(shown: Option<&Shown>, view: &ViewState) -> Result<()> {
    let chooser: HtmlSelectElement = dom::find("[data-hook=graphs]")?;
    let name = dom::id("graph-name")?;
    let chips = dom::id("chips")?;
    dom::clear(&chooser);
    dom::clear(&name);
    dom::clear(&chips);
    chooser.set_hidden(true);
    let Some(shown) = shown else {
        dom::document()?.set_title(t(Word::Title));
        return Ok(());
    };
    let file = &names::display(shown.overview.summary.file.name.as_bytes());
    dom::document()?.set_title(&tf(Word::TitleOf, &[base_name(file)]));
    if shown.graphs.graphs.len() > 1 {
        for row in &shown.graphs.graphs {
            let option = option(row)?;
            dom::append(&chooser, &[&option])?;
        }
        chooser.set_selected_index(i32::try_from(view.graph).unwrap_or(0));
        chooser.set_hidden(false);
    } else {
        name.set_text_content(Some(file));
        name.set_title(file);
    }
    show_chips(&shown.overview)
}

fn show_chips(overview: &Overview) -> Result<()> {
    let chips = dom::id("chips")?;
    for chip in chips_of(overview) {
        dom::append(&chips, &[&dom::text("span", "chip", &chip)?])?;
    }
    Ok(())
}

/// Draws what a summary is of, after [`show_graph`] has cleared.
pub fn show_summary(overview: &Overview) -> Result<()> {
    dom::id("graph-name")?.set_text_content(Some(t(Word::SummaryName)));
    show_chips(overview)
}

fn option(row: &GraphRow) -> Result<HtmlOptionElement> {
    let label = if row.kind == "stage" {
        tf(Word::StageOption, &[&row.name])
    } else {
        row.name.clone()
    };
    let option = HtmlOptionElement::new_with_text_and_value(&label, &row.graph.to_string())?;
    option.set_attribute("data-row", &row.name)?;
    option.set_title(&bytes(row.in_use));
    Ok(option)
}

fn chips_of(overview: &Overview) -> Vec<String> {
    let summary = &overview.summary;
    let mut chips = Vec::new();
    if let Some(device) = &summary.device {
        chips.push(device.clone());
    }
    if let Some(graph) = summary.graph_id {
        chips.push(tf(Word::ChipGraph, &[&graph.to_string()]));
    }
    if let Some(rank) = summary.rank {
        chips.push(tf(Word::ChipRank, &[&rank.to_string()]));
    }
    chips.push(release(&summary.generation, lang()));
    chips.push(count(summary.counts.nodes, Word::ChipNode, Word::ChipNodes));
    chips.push(count(
        summary.counts.tensors,
        Word::ChipTensor,
        Word::ChipTensors,
    ));
    chips
}

/// Shows or hides the progress strip.
pub fn show_loading(loading: bool) -> Result<()> {
    dom::hook("progress")?.set_hidden(!loading);
    Ok(())
}

/// Bytes read so far.
pub fn show_progress(read: f64, total: f64, name: &str) -> Result<()> {
    let bar: HtmlProgressElement = dom::find("[data-hook=progress] progress")?;
    let strip = dom::hook("progress")?;
    strip.set_attribute("data-read", &format!("{read}"))?;
    strip.set_attribute("data-total", &format!("{total}"))?;
    bar.set_max(total.max(1.0));
    bar.set_value(read);
    let text = if read >= total && total > 0.0 {
        t(Word::Working).to_owned()
    } else {
        let (read, total) = (bytes(read as u64), bytes(total as u64));
        let word = if name.is_empty() {
            Word::ReadingBytes
        } else {
            Word::ReadingFile
        };
        tf(word, &[&read, &total, name])
    };
    dom::id("progress-text")?.set_text_content(Some(&text));
    Ok(())
}

/// Whether the page is dark now: by choice, else as the system is.
pub fn is_dark() -> bool {
    let chosen = || -> Option<String> {
        dom::document()
            .ok()?
            .document_element()?
            .get_attribute("data-theme")
    };
    match chosen().as_deref() {
        Some("dark") => true,
        Some("light") => false,
        _ => dom::window()
            .ok()
            .and_then(|w| w.match_media("(prefers-color-scheme: dark)").ok().flatten())
            .is_some_and(|m| m.matches()),
    }
}

/// Changes between light and dark and remembers it.
pub fn switch_theme() -> Result<()> {
    let theme = if is_dark() { "light" } else { "dark" };
    prefs::set("theme", theme);
    if let Some(root) = dom::document()?.document_element() {
        root.set_attribute("data-theme", theme)?;
    }
    Ok(())
}
