//! What is said beside the picture of a pair, and what to tell the issue tracker.

use web_sys::HtmlElement;

use super::details::link;
use super::opening::Shown;
use super::words::{s, sf, Said};
use super::{dom, Result};
use crate::engine::base_name;
use crate::engine::explore::Some200;
use crate::engine::safety::{PairFacts, PairNode, PairSide, PathEdge};
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};
use crate::report::names::{display, last_part};

/// Writes the words; takes them off without a pair.
pub fn show(pair: Option<&PairFacts>, shown: &Shown) -> Result<()> {
    let (title, body, tell) = (
        dom::id("pair-title")?,
        dom::id("pair-text")?,
        dom::id("issue-text")?,
    );
    for part in [&title, &body, &tell] {
        dom::clear(part);
    }
    dom::id("pair-none")?.set_text_content(Some(s(Said::NoPair)));
    dom::id("pair-scale")?.set_text_content(Some(s(Said::NoScale)));
    dom::id("tell-title")?.set_text_content(Some(s(Said::TellTitle)));
    dom::id("copy-issue")?.set_text_content(Some(s(Said::Copy)));
    let card = dom::id("pair-card")?;
    let Some(pair) = pair else {
        card.remove_attribute("data-pair-key")?;
        return Ok(());
    };
    let mut ids = [pair.sides[0].tensor.id, pair.sides[1].tensor.id];
    ids.sort_unstable();
    card.set_attribute("data-pair-key", &format!("%{}T %{}T", ids[0], ids[1]))?;
    card.set_attribute("data-ground", &pair.ground)?;
    let keys = [key(&pair.sides[0]), key(&pair.sides[1])];
    let heading = sf(Said::PairTitle, &[&keys[0], &keys[1]]);
    let hazard = pair.ground == "hazard";
    let tag = s(match (pair.decided, hazard) {
        (false, _) => Said::Undecided,
        (true, true) => Said::IsHazard,
        (true, false) => Said::IsFine,
    });
    let class = if hazard { "tag hazard" } else { "tag" };
    dom::append(
        &title,
        &[
            &dom::text("span", "", &heading)?,
            &dom::text("span", class, tag)?,
        ],
    )?;
    for text in sentences(pair) {
        dom::append(&body, &[&dom::text("p", "", &text)?])?;
    }
    missing(&body, pair)?;
    paths(&body, pair)?;
    for (side, which) in pair.sides.iter().zip(["first", "second"]) {
        nodes(&body, side, which)?;
    }
    if pair
        .sides
        .iter()
        .all(|p| p.producer.as_ref().is_some_and(|n| n.stream.is_none()))
    {
        dom::append(&body, &[&dom::text("p", "dim", s(Said::CpuNote))?])?;
    }
    tell.set_text_content(Some(&report(pair, shown)));
    Ok(())
}

fn key(side: &PairSide) -> String {
    format!("%{}T", side.tensor.id)
}

fn step(node: &PairNode) -> String {
    format!("${}", node.step)
}

/// What is so and why, a sentence each.
fn sentences(pair: &PairFacts) -> Vec<String> {
    let [p, q] = &pair.sides;
    let (p_key, q_key) = (key(p), key(q));
    let mut out = Vec::new();
    let (start, end) = pair.shared;
    if start < end {
        let n = end - start;
        let range = [format!("0x{start:x}"), format!("0x{end:x}")];
        out.push(sf(
            Said::Common,
            &[&bytes(n), &grouped(n), &range[0], &range[1]],
        ));
    }
    let of = pair.of.map(|id| format!("%{id}T")).unwrap_or_default();
    let writes = q.producer.as_ref().map(step).unwrap_or_default();
    match (pair.ground.as_str(), &pair.collision) {
        ("hazard", Some(hit)) => {
            let said = match hit.kind.as_str() {
                "waw" => Said::Waw,
                "raw" => Said::Raw,
                _ => Said::War,
            };
            let [own, other] = [step(&hit.nodes[0]), step(&hit.nodes[1])];
            out.push(sf(said, &[&own, &p_key, &other, &q_key]));
            if hit.by_order {
                let first = p.tensor.first.max(q.tensor.first);
                let last = p.tensor.last.min(q.tensor.last);
                let ends = [format!("${first}"), format!("${last}")];
                out.push(sf(Said::ByOrder, &[&ends[0], &ends[1]]));
            } else {
                out.push(s(Said::ByDependency).to_owned());
            }
            if pair.lifelong {
                let kinds = [&p_key, &p.lifelong, &q_key, &q.lifelong];
                out.push(sf(Said::ByLifelong, &kinds.map(String::as_str)));
            }
        }
        ("union", _) => out.push(s(Said::Union).to_owned()),
        ("zero", _) => out.push(sf(Said::ZeroSize, &[&of])),
        ("elsewhere", _) => out.push(sf(Said::Elsewhere, &[&of])),
        ("gap", _) => out.push(s(Said::Gap).to_owned()),
        ("apart", _) => out.push(s(Said::Apart).to_owned()),
        _ => {
            let made = p.producer.as_ref().map(step).unwrap_or_default();
            let alone = p.users.total == 1
                && p.users.first.first().map(|n| n.step) == p.producer.as_ref().map(|n| n.step);
            out.push(if alone {
                sf(Said::OrderedSelf, &[&p_key, &made, &writes, &q_key])
            } else {
                sf(Said::Ordered, &[&p_key, &writes, &q_key])
            });
        }
    }
    for (node, said) in [
        (&pair.cleaned, Said::Cleaned),
        (&pair.repeated, Said::Repeated),
    ] {
        if let Some(node) = node {
            out.push(sf(said, &[&step(node)]));
        }
    }
    if !pair.decided {
        out.push(s(Said::NotDecided).to_owned());
    }
    out
}

/// A link to a node, its short name and its stream.
fn node_link(node: &PairNode) -> Result<HtmlElement> {
    let out = dom::make("span", "node-of")?;
    let id = link(Thing::Node(node.step), "mono")?;
    id.set_text_content(Some(&step(node)));
    let name = dom::text("span", "leaf", last_part(&node.name))?;
    out.set_title(&node.name);
    dom::append(&out, &[&id, &name])?;
    if let Some(stream) = node.stream {
        let text = sf(Said::StreamOf, &[&stream.to_string()]);
        dom::append(&out, &[&dom::text("span", "dim", &text)?])?;
    }
    Ok(out)
}

fn list(body: &HtmlElement, heading: &str, nodes: &Some200<PairNode>, class: &str) -> Result<()> {
    let head = dom::text("h3", class, heading)?;
    let out = dom::make("ul", "links")?;
    for node in &nodes.first {
        let li = dom::make("li", "")?;
        dom::append(&li, &[&node_link(node)?])?;
        dom::append(&out, &[&li])?;
    }
    if nodes.total > 1 {
        let total = dom::text("span", "dim", &grouped(nodes.total.into()))?;
        dom::append(&head, &[&total])?;
    }
    dom::append(body, &[&head, &out])
}

fn missing(body: &HtmlElement, pair: &PairFacts) -> Result<()> {
    let Some(hit) = &pair.collision else {
        return Ok(());
    };
    if pair.missing.total > 0 && pair.against.is_empty() && hit.nodes[0].step != hit.nodes[1].step {
        let text = sf(Said::Missing, &[&step(&hit.nodes[1])]);
        list(body, &text, &pair.missing, "hazard")?;
    }
    Ok(())
}

/// Node, edge, node …
fn path(nodes: &[(PathEdge, PairNode)]) -> Result<HtmlElement> {
    let out = dom::make("p", "path-of")?;
    for (edge, node) in nodes {
        let text = match edge {
            PathEdge::Start => None,
            PathEdge::Data(id) => Some(sf(Said::EdgeData, &[&format!("%{id}T")])),
            PathEdge::Stream(1) => Some(s(Said::EdgeStream).to_owned()),
            PathEdge::Stream(n) => Some(sf(Said::EdgeStreamMany, &[&n.to_string()])),
            PathEdge::Order => Some(s(Said::EdgeOrder).to_owned()),
            PathEdge::Skipped(n) => Some(sf(Said::EdgeSkipped, &[&n.to_string()])),
        };
        if let Some(text) = text {
            let text = format!(" → {text} → ");
            dom::append(&out, &[&dom::text("span", "dim", &text)?])?;
        }
        dom::append(&out, &[&node_link(node)?])?;
    }
    Ok(out)
}

fn paths(body: &HtmlElement, pair: &PairFacts) -> Result<()> {
    if !pair.against.is_empty() {
        let head = dom::text("h3", "", s(Said::AgainstPath))?;
        return dom::append(body, &[&head, &path(&pair.against)?]);
    }
    if pair.ground != "ordered" || pair.paths.is_empty() {
        return Ok(());
    }
    dom::append(body, &[&dom::text("h3", "", s(Said::PathTitle))?])?;
    for nodes in &pair.paths {
        dom::append(body, &[&path(nodes)?])?;
    }
    let more = u64::from(pair.sides[0].users.total).saturating_sub(pair.paths.len() as u64);
    if more > 0 {
        let text = sf(Said::MorePaths, &[&grouped(more)]);
        dom::append(body, &[&dom::text("p", "dim", &text)?])?;
    }
    Ok(())
}

fn nodes(body: &HtmlElement, side: &PairSide, which: &str) -> Result<()> {
    let head = dom::make("h3", which)?;
    let id = link(Thing::Tensor(side.tensor.id), "mono")?;
    id.set_text_content(Some(&key(side)));
    let life = format!(
        "{} · ${} … ${} · {}",
        bytes(side.tensor.aligned),
        side.tensor.first,
        side.tensor.last,
        side.lifelong
    );
    dom::append(&head, &[&id, &dom::text("span", "dim", &life)?])?;
    let out = dom::make("ul", "links")?;
    let row = |word: Said, node: &PairNode| -> Result<()> {
        let li = dom::make("li", "")?;
        let said = dom::text("span", "dim", s(word))?;
        dom::append(&li, &[&said, &node_link(node)?])?;
        dom::append(&out, &[&li])
    };
    let made = side.producer.as_ref();
    if let Some(node) = made {
        row(Said::MadeBy, node)?;
    }
    for node in side
        .users
        .first
        .iter()
        .filter(|n| made.map(|m| m.step) != Some(n.step))
    {
        row(Said::UsedBy, node)?;
    }
    dom::append(body, &[&head, &out])
}

/// The text to copy.
fn report(pair: &PairFacts, shown: &Shown) -> String {
    let [p, q] = &pair.sides;
    let shared = grouped(pair.shared.1 - pair.shared.0).replace('\u{202f}', "");
    let hazard = pair.ground == "hazard";
    let head = if hazard {
        Said::TellHead
    } else {
        Said::TellFine
    };
    let mut lines = vec![sf(head, &[&key(p), &key(q), &shared])];
    let summary = &shown.overview.summary;
    let file = display(base_name(&summary.file.name).as_bytes());
    let device = summary.device.as_deref().unwrap_or("?");
    lines.push(sf(
        Said::TellFile,
        &[&file, &summary.generation, device, &summary.version],
    ));
    for side in &pair.sides {
        let t = &side.tensor;
        let range = [side.offset, side.offset.saturating_add(t.aligned)];
        let range = range.map(|n| format!("0x{n:x}"));
        lines.push(sf(
            Said::TellTensor,
            &[
                &key(side),
                &t.aligned.to_string(),
                &range[0],
                &range[1],
                &t.first.to_string(),
                &t.last.to_string(),
                &side.lifelong,
                &side.tensor_type,
            ],
        ));
        let node = |word: Said, n: &PairNode| {
            let stream = n.stream.map_or(String::new(), |stream| {
                format!(" ({})", sf(Said::StreamOf, &[&stream.to_string()]))
            });
            format!("  {} {} {}{stream}", s(word), step(n), n.name)
        };
        let made = side.producer.as_ref();
        lines.extend(made.map(|n| node(Said::MadeBy, n)));
        let users = side.users.first.iter().take(20);
        let others = users.filter(|n| made.map(|m| m.step) != Some(n.step));
        lines.extend(others.map(|n| node(Said::UsedBy, n)));
    }
    lines.extend(
        sentences(pair)
            .into_iter()
            .map(|text| text.replace('\u{202f}', "")),
    );
    if let Some(hit) = pair.collision.as_ref().filter(|_| pair.missing.total > 0) {
        let open: Vec<String> = pair.missing.first.iter().take(20).map(step).collect();
        let text = sf(Said::Missing, &[&step(&hit.nodes[1])]);
        lines.push(format!("{text} {}", open.join(", ")));
    }
    lines.join("\n")
}
