//! The other numbers of a graph: pairs of what and how much.

use std::fmt::Display;

use web_sys::{Element, HtmlElement};

use super::words::{pick, t, Word};
use super::{dom, Result};
use crate::engine::protocol::Overview;
use crate::report::figure::{bytes, grouped};

/// An element that tells one number: the exact value for machines, a figure for people.
pub fn fact(key: &str, value: impl Display, shown: &str, exact: &str) -> Result<HtmlElement> {
    let out = dom::text("span", "", shown)?;
    out.set_attribute("data-fact", key)?;
    out.set_attribute("data-value", &value.to_string())?;
    if !exact.is_empty() {
        out.set_title(exact);
    }
    Ok(out)
}

/// Bytes that may be below zero.
pub fn signed_bytes(n: i64) -> String {
    let size = bytes(n.unsigned_abs());
    if n < 0 {
        format!("−{size}")
    } else {
        size
    }
}

/// Draws the cards beside the table.
pub fn show(overview: &Overview) -> Result<()> {
    show_numbers(overview)?;
    show_counts(overview)?;
    show_siblings(overview)
}

/// Takes all numbers off the page.
pub fn clear() -> Result<()> {
    ["numbers", "counts", "siblings"]
        .into_iter()
        .try_for_each(|list| {
            dom::clear(&dom::id(list)?);
            Ok(())
        })
}

fn pair(list: &Element, word: Word, value: &[&HtmlElement]) -> Result<()> {
    let dd = dom::make("dd", "")?;
    dom::append(&dd, value)?;
    dom::append(list, &[&dom::text("dt", "", t(word))?, &dd])
}

fn show_numbers(overview: &Overview) -> Result<()> {
    let summary = &overview.summary;
    let list = dom::id("numbers")?;
    dom::clear(&list);
    let size = |key: &str, n: u64| fact(key, n, &bytes(n), &format!("{} B", grouped(n)));
    let signed = |key: &str, n: i64| fact(key, n, &signed_bytes(n), &format!("{n} B"));
    pair(
        &list,
        Word::NumMaxAlive,
        &[&size("max_in_use.alive", summary.max_in_use.alive)?],
    )?;
    pair(
        &list,
        Word::NumTotalTensor,
        &[&size("total_tensor_size", summary.total_tensor_size)?],
    )?;
    pair(
        &list,
        Word::TotalLine,
        &[&size("max_total_memory", summary.max_total_memory)?],
    )?;
    if let Some(end) = summary.max_end {
        pair(&list, Word::NumMaxEnd, &[&size("max_end", end)?])?;
    }
    if let Some(Some(end)) = &summary.max_end_without_lifelong {
        let value = size("max_end_without_lifelong.end", end.end)?;
        let whose = format!("%{}T {}", end.tensor, end.node.as_deref().unwrap_or(""));
        value.set_title(&format!("{}\n{}", value.title(), whose.trim_end()));
        pair(&list, Word::NumMaxEndLifelong, &[&value])?;
    }
    pair(
        &list,
        Word::NumWaste,
        &[&signed(
            "alignment_waste.total",
            summary.alignment_waste.total,
        )?],
    )?;
    pair(
        &list,
        Word::NumWastePeak,
        &[&signed(
            "alignment_waste.at_peak",
            summary.alignment_waste.at_peak,
        )?],
    )?;
    pair(
        &list,
        Word::NumFile,
        &[&size("file.bytes", summary.file.bytes)?],
    )
}

fn show_counts(overview: &Overview) -> Result<()> {
    let counts = &overview.summary.counts;
    let list = dom::id("counts")?;
    dom::clear(&list);
    for (word, key, n) in [
        (Word::TabNodes, "nodes", counts.nodes),
        (Word::TabTensors, "tensors", counts.tensors),
        (
            Word::CountControl,
            "control_tensors",
            counts.control_tensors,
        ),
        (Word::TabParameters, "parameters", counts.parameters),
        (Word::CountStreams, "streams", counts.streams),
        (Word::CountUnions, "unions", counts.unions),
        (Word::CountContiguous, "contiguous", counts.contiguous),
        (
            Word::CountContiguousProcessed,
            "contiguous_processed",
            counts.contiguous_processed,
        ),
        (Word::CountGroups, "stream_groups", counts.stream_groups),
        (Word::CountBlocks, "merged_blocks", counts.merged_blocks),
        (Word::CountZero, "zero_size", counts.zero_size),
    ] {
        pair(
            &list,
            word,
            &[&fact(&format!("counts.{key}"), n, &grouped(n), "")?],
        )?;
    }
    let groups = [
        (Word::CountByType, "types", &counts.types),
        (Word::CountByLifelong, "lifelong", &counts.lifelong),
    ];
    for (title, kind, words) in groups {
        if !words.is_empty() {
            dom::append(&list, &[&dom::text("dt", "group", t(title))?])?;
        }
        for (word, n) in words {
            let dd = dom::make("dd", "")?;
            dom::append(
                &dd,
                &[&fact(
                    &format!("counts.{kind}.{word}"),
                    n,
                    &grouped(*n),
                    "",
                )?],
            )?;
            dom::append(&list, &[&dom::text("dt", "of", word)?, &dd])?;
        }
    }
    Ok(())
}

fn show_siblings(overview: &Overview) -> Result<()> {
    let list = dom::id("siblings")?;
    dom::clear(&list);
    dom::id("siblings-card")?.set_hidden(overview.siblings.is_empty());
    for sibling in &overview.siblings {
        let item = dom::make("li", "")?;
        let what = dom::text("span", "dim", pick(&sibling.what))?;
        dom::append(&item, &[&dom::text("span", "mono", &sibling.name)?, &what])?;
        dom::append(&list, &[&item])?;
    }
    Ok(())
}
