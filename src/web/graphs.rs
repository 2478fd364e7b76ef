//! Several graphs side by side: one row each, equal plans of many ranks in one, and how far the
//! ranks lie apart; what could not be read stands below.

use std::rc::Rc;

use web_sys::{Element, HtmlElement};

use super::opening::Shown;
use super::words::{lang, pick, tf, Word};
use super::worker_link::Lane;
use super::{dom, Result};
use crate::engine::protocol::{GraphRow, Graphs, OtherFile, Request};
use crate::report::figure::{bytes, grouped, percent};
use crate::report::graphs::{balance, fold, ranges, Balance, Line};
use crate::report::text::graphs::{differs, verdict, Column};

const COLUMNS: [(Column, bool); 7] = [
    (Column::Graph, false),
    (Column::Ranks, false),
    (Column::Planned, true),
    (Column::Peak, true),
    (Column::Findings, true),
    (Column::Verdict, false),
    (Column::Warnings, true),
];

/// Takes the table off the page.
pub fn clear() -> Result<()> {
    dom::id("graphs-card")?.set_hidden(true);
    dom::clear(&body()?);
    Ok(())
}

fn body() -> Result<Element> {
    dom::find("[data-table=graphs] tbody")
}

/// Shows the table, where there is more than one graph or a file that gave none.
pub fn show(shown: &Shown) -> Result<()> {
    clear()?;
    let Graphs { graphs, others } = &*shown.graphs;
    let damaged = others.iter().filter(|o| o.damaged || o.refused);
    if graphs.len() + damaged.clone().count() < 2 {
        return Ok(());
    }
    let title = tf(Word::GraphsTitle, &[&grouped(graphs.len() as u64)]);
    dom::id("graphs-title")?.set_text_content(Some(&title));
    let head: Element = dom::find("[data-table=graphs] thead")?;
    dom::clear(&head);
    let row = dom::make("tr", "")?;
    for (column, is_number) in COLUMNS {
        let class = if is_number { "num" } else { "" };
        dom::append(&row, &[&dom::text("th", class, column.text(lang()))?])?;
    }
    dom::append(&head, &[&row])?;

    let mut lines: Vec<Line<'_>> = graphs.iter().map(line).collect();
    // As long as some are not judged, findings tell no graphs apart.
    if lines.iter().any(|l| l.found.is_none()) {
        lines.iter_mut().for_each(|l| l.found = None);
    }
    let apart = balance(&lines);
    let body = body()?;
    for places in fold(&lines) {
        let members: Vec<(usize, &GraphRow)> = places
            .iter()
            .filter_map(|&place| Some((place, graphs.get(place)?)))
            .collect();
        let Some((place, first)) = members.first() else {
            continue;
        };
        let row = graph_row(first, &members, &apart)?;
        row.set_attribute("data-graph", &place.to_string())?;
        if members.iter().any(|(_, m)| m.graph == shown.overview.graph) {
            row.class_list().add_1("selected")?;
        }
        dom::append(&body, &[&row])?;
    }
    for other in damaged {
        dom::append(&body, &[&unread(other)?])?;
    }
    let notes = dom::id("graphs-notes")?;
    dom::clear(&notes);
    for balance in &apart {
        let text = differs(balance, lang());
        dom::append(&notes, &[&dom::text("li", "", &text)?])?;
    }
    dom::id("graphs-card")?.set_hidden(false);
    Ok(())
}

/// Takes what is new of a graph, and shows it.
pub fn take(shown: &mut Shown, row: GraphRow) -> Result<()> {
    let graphs = Rc::make_mut(&mut shown.graphs);
    if let Some(old) = graphs.graphs.iter_mut().find(|g| g.graph == row.graph) {
        *old = row;
    }
    show(shown)
}

/// Asks for the verdict of the next graph that has none, where there are several.
pub fn judge_next(shown: &Shown) -> Result<()> {
    let graphs = &shown.graphs.graphs;
    match graphs.iter().find(|g| g.found.is_none()) {
        Some(row) if graphs.len() > 1 => {
            let graph = row.graph;
            shown.link.ask_ahead(Lane::Judge, Request::Judge { graph })
        }
        _ => Ok(()),
    }
}

fn line(row: &GraphRow) -> Line<'_> {
    Line {
        rank: row.rank,
        graph_id: row.graph_id,
        sha256: row.sha256.as_deref(),
        in_use: row.in_use,
        found: row.found,
    }
}

fn graph_row(
    first: &GraphRow,
    members: &[(usize, &GraphRow)],
    apart: &[Balance],
) -> Result<HtmlElement> {
    let row = dom::make("tr", "")?;
    row.set_attribute("data-row", &first.name)?;
    let name = dom::make("td", "mono")?;
    let link = dom::text("button", "link", &first.name)?;
    link.set_attribute("type", "button")?;
    link.set_title(&first.name);
    dom::append(&name, &[&link])?;

    let numbers: Vec<u64> = members.iter().filter_map(|(_, m)| m.rank).collect();
    let ranks = dom::text("td", "ranks", &ranges(&numbers))?;
    if numbers.len() > 1 {
        ranks.set_title(&tf(Word::OnRanks, &[&grouped(numbers.len() as u64)]));
    }
    let planned = match first.kind.as_str() {
        "stage" => dom::text("td", "num", "–")?,
        _ => size(first.planned_total)?,
    };
    let peak = size(first.in_use)?;
    let own = apart.iter().find(|b| Some(b.graph_id) == first.graph_id);
    if let (Some(b), Some(_)) = (own, first.rank) {
        // As wide as its part of the highest one, and how far it lies from the mean.
        let share = first.in_use as f64 / b.most.0.max(1) as f64 * 100.0;
        peak.class_list().add_1("size")?;
        peak.style()
            .set_property("--share", &format!("{share:.1}%"))?;
        let away = first.in_use as f64 / b.mean.max(1) as f64 - 1.0;
        let sign = if away < 0.0 { '−' } else { '+' };
        let away = format!("{sign}{}", percent(away.abs()));
        peak.set_title(&tf(Word::AgainstMean, &[&away, &bytes(b.mean)]));
        dom::append(&peak, &[&dom::text("span", "against", &away)?])?;
    }
    let found = first.found.map(grouped).unwrap_or_default();
    let found = dom::text("td", "num", &found)?;
    let word = first.verdict.as_deref();
    let said = word.map_or("", |word| verdict(word, lang()));
    let verdict = dom::text("td", "", said)?;
    dom::attribute(&verdict, "data-verdict", word)?;
    let warnings = dom::text("td", "num", &grouped(first.warnings))?;
    dom::append(
        &row,
        &[&name, &ranks, &planned, &peak, &found, &verdict, &warnings],
    )?;
    Ok(row)
}

fn size(n: u64) -> Result<HtmlElement> {
    let cell = dom::text("td", "num", &bytes(n))?;
    cell.set_attribute("data-value", &n.to_string())?;
    cell.set_title(&format!("{} B", grouped(n)));
    Ok(cell)
}

/// A file that gave no graph, and the first thing that is wrong with it.
fn unread(other: &OtherFile) -> Result<HtmlElement> {
    let row = dom::make("tr", "unread")?;
    row.set_attribute("data-row", &other.path)?;
    let said = other.messages.first().map_or("", |m| pick(&m.text));
    let name = dom::text("td", "mono", &other.path)?;
    let why = dom::make("td", "")?;
    dom::rich(&why, &tf(Word::Unread, &[said]))?;
    why.set_attribute("colspan", "6")?;
    why.set_title(said);
    dom::append(&row, &[&name, &why])?;
    Ok(row)
}
