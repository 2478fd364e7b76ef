//! What is said beside the picture of a pair, and what to tell the issue tracker.

use web_sys::HtmlElement;

use super::details::link;
use super::opening::Shown;
use super::pair_picture::nodes_of;
use super::words::{s, sf, Said};
use super::{dom, Result};
use crate::engine::base_name;
use crate::engine::safety::{edge, PairFacts, PairNode, PairSide};
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};
use crate::report::names::{display, last_part};

/// Writes the words; takes them off without a pair.
pub fn show(pair: Option<&PairFacts>, shown: &Shown) -> Result<()> {
    for (id, word) in [
        ("pair-none", Said::NoPair),
        ("pair-scale", Said::NoScale),
        ("tell-title", Said::TellTitle),
        ("copy-issue", Said::Copy),
    ] {
        dom::id(id)?.set_text_content(Some(s(word)));
    }
    let (title, body, tell) = (
        dom::id("pair-title")?,
        dom::id("pair-text")?,
        dom::id("issue-text")?,
    );
    for part in [&title, &body, &tell] {
        dom::clear(part);
    }
    let card = dom::id("pair-card")?;
    let sides = pair.map(|pair| (pair, pair.sides.as_slice()));
    let Some((pair, [p, q])) = sides else {
        return dom::attribute(&card, "data-pair-key", None);
    };
    let (low, high) = if p.tensor.id < q.tensor.id {
        (p, q)
    } else {
        (q, p)
    };
    let both = format!("{} {}", key(low), key(high));
    card.set_attribute("data-pair-key", &both)?;
    card.set_attribute("data-ground", &pair.ground)?;
    let hazard = pair.ground == "hazard";
    let tag = s(match (pair.decided, hazard) {
        (false, _) => Said::Undecided,
        (true, true) => Said::IsHazard,
        (true, false) => Said::IsFine,
    });
    let class = if hazard { "tag hazard" } else { "tag" };
    let heading = sf(Said::PairTitle, &[&key(p), &key(q)]);
    dom::append(
        &title,
        &[
            &dom::text("span", "", &heading)?,
            &dom::text("span", class, tag)?,
        ],
    )?;
    for text in sentences(pair) {
        say(&body, "p", "", &text)?;
    }
    missing(&body, pair)?;
    paths(&body, pair)?;
    for (side, which) in [(p, "first"), (q, "second")] {
        let head = dom::make("h3", which)?;
        let id = link(Thing::Tensor(side.tensor.id), "mono")?;
        id.set_text_content(Some(&key(side)));
        dom::append(&head, &[&id])?;
        let t = &side.tensor;
        let life = format!("${} … ${}", t.first, t.last);
        let text = format!("{} · {life} · {}", bytes(t.aligned), side.lifelong);
        say(&head, "span", "dim", &text)?;
        dom::append(&body, &[&head])?;
        nodes(&body, uses(pair, side))?;
    }
    if pair.nodes.iter().all(|n| n.stream.is_none()) {
        say(&body, "p", "dim", s(Said::CpuNote))?;
    }
    tell.set_text_content(Some(&report(pair, shown)));
    Ok(())
}

fn say(parent: &HtmlElement, tag: &str, class: &str, text: &str) -> Result<()> {
    dom::append(parent, &[&dom::text(tag, class, text)?])
}

fn key(side: &PairSide) -> String {
    Thing::Tensor(side.tensor.id).key()
}

fn step(node: &PairNode) -> String {
    Thing::Node(node.step).key()
}

/// Steps of nodes by their places, `$12`.
fn steps(pair: &PairFacts, nodes: &[u32]) -> Vec<String> {
    let node = |n: &u32| pair.nodes.get(*n as usize);
    nodes.iter().filter_map(node).map(step).collect()
}

fn one_step(pair: &PairFacts, node: Option<u32>) -> String {
    steps(pair, node.as_slice()).pop().unwrap_or_default()
}

/// Who makes a tensor and who else uses it.
fn uses<'a>(pair: &'a PairFacts, side: &'a PairSide) -> Vec<(Said, &'a PairNode)> {
    let made = side.producer.iter().map(|n| (Said::MadeBy, n));
    let users = side.users.iter().filter(|n| Some(**n) != side.producer);
    made.chain(users.map(|n| (Said::UsedBy, n)))
        .filter_map(|(said, n)| Some((said, pair.nodes.get(*n as usize)?)))
        .collect()
}

/// What is so and why, a sentence each.
fn sentences(pair: &PairFacts) -> Vec<String> {
    let [p, q] = pair.sides.as_slice() else {
        return Vec::new();
    };
    let (p_key, q_key) = (key(p), key(q));
    let mut out = Vec::new();
    if pair.start < pair.end {
        let n = pair.end - pair.start;
        let range = [pair.start, pair.end].map(|at| format!("0x{at:x}"));
        let args = [&bytes(n), &grouped(n), &range[0], &range[1]];
        out.push(sf(Said::Common, &args.map(String::as_str)));
    }
    let of = pair.of.map_or(String::new(), |id| Thing::Tensor(id).key());
    let writes = one_step(pair, q.producer);
    out.push(match pair.ground.as_str() {
        "hazard" => {
            let said = match pair.kind.as_str() {
                "waw" => Said::Waw,
                "raw" => Said::Raw,
                _ => Said::War,
            };
            let own = one_step(pair, pair.collide.first().copied());
            sf(said, &[&own, &p_key, &writes, &q_key])
        }
        "union" => s(Said::Union).to_owned(),
        "zero" => sf(Said::ZeroSize, &[&of]),
        "elsewhere" => sf(Said::Elsewhere, &[&of]),
        "gap" => s(Said::Gap).to_owned(),
        "apart" => s(Said::Apart).to_owned(),
        _ => {
            if p.producer.is_some_and(|n| p.users == [n]) {
                let made = one_step(pair, p.producer);
                sf(Said::OrderedSelf, &[&p_key, &made, &writes, &q_key])
            } else {
                sf(Said::Ordered, &[&p_key, &writes, &q_key])
            }
        }
    });
    if pair.ground == "hazard" {
        out.push(if pair.meet {
            let first = p.tensor.first.max(q.tensor.first);
            let last = p.tensor.last.min(q.tensor.last);
            let ends = [first, last].map(|at| Thing::Node(at).key());
            sf(Said::ByOrder, &[&ends[0], &ends[1]])
        } else {
            s(Said::ByDependency).to_owned()
        });
        if pair.lifelong {
            let kinds = [&p_key, &p.lifelong, &q_key, &q.lifelong];
            out.push(sf(Said::ByLifelong, &kinds.map(String::as_str)));
        }
    }
    for (node, said) in [
        (pair.cleaned, Said::Cleaned),
        (pair.repeated, Said::Repeated),
    ] {
        if node.is_some() {
            out.push(sf(said, &[&one_step(pair, node)]));
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

/// A list of nodes, each with what it does.
fn nodes(body: &HtmlElement, list: Vec<(Said, &PairNode)>) -> Result<()> {
    let out = dom::make("ul", "links")?;
    for (word, node) in list {
        let li = dom::make("li", "")?;
        say(&li, "span", "dim", s(word))?;
        dom::append(&li, &[&node_link(node)?])?;
        dom::append(&out, &[&li])?;
    }
    dom::append(body, &[&out])
}

fn missing(body: &HtmlElement, pair: &PairFacts) -> Result<()> {
    let [own, to] = *pair.collide else {
        return Ok(());
    };
    if pair.missing.is_empty() || !pair.against.is_empty() || own == to {
        return Ok(());
    }
    let head = sf(Said::Missing, &[&one_step(pair, Some(to))]);
    say(body, "h3", "hazard", &head)?;
    let node = |n: &u32| Some((Said::UsedBy, pair.nodes.get(*n as usize)?));
    nodes(body, pair.missing.iter().filter_map(node).collect())
}

/// Node, edge, node …, a line a path.
fn paths(body: &HtmlElement, pair: &PairFacts) -> Result<()> {
    let (word, list) = if !pair.against.is_empty() {
        (Said::AgainstPath, &pair.against)
    } else if pair.ground == "ordered" && !pair.paths.is_empty() {
        (Said::PathTitle, &pair.paths)
    } else {
        return Ok(());
    };
    say(body, "h3", "", s(word))?;
    let mut line = dom::make("p", "path-of")?;
    let mut lines = 0;
    for (kind, value, node) in nodes_of(list) {
        let text = match (kind, value) {
            (edge::DATA, _) => sf(Said::EdgeData, &[&Thing::Tensor(value).key()]),
            (edge::STREAM, 1) => s(Said::EdgeStream).to_owned(),
            (edge::STREAM, _) => sf(Said::EdgeStreamMany, &[&value.to_string()]),
            (edge::SKIPPED, _) => sf(Said::EdgeSkipped, &[&value.to_string()]),
            _ => s(Said::EdgeOrder).to_owned(),
        };
        if kind == edge::START {
            line = dom::make("p", "path-of")?;
            dom::append(body, &[&line])?;
            lines += 1;
        } else {
            say(&line, "span", "dim", &format!(" → {text} → "))?;
        }
        if let Some(node) = pair.nodes.get(node as usize) {
            dom::append(&line, &[&node_link(node)?])?;
        }
    }
    let all = pair.sides.first().map_or(0, |p| p.all_users);
    if pair.against.is_empty() && all > lines {
        let text = sf(Said::MorePaths, &[&grouped((all - lines).into())]);
        say(body, "p", "dim", &text)?;
    }
    Ok(())
}

/// The text to copy.
fn report(pair: &PairFacts, shown: &Shown) -> String {
    let [p, q] = pair.sides.as_slice() else {
        return String::new();
    };
    let shared = pair.end.saturating_sub(pair.start).to_string();
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
        for (word, n) in uses(pair, side).into_iter().take(20) {
            let mut line = format!("  {} {} {}", s(word), step(n), n.name);
            if let Some(stream) = n.stream {
                line.push_str(&format!(
                    " ({})",
                    sf(Said::StreamOf, &[&stream.to_string()])
                ));
            }
            lines.push(line);
        }
    }
    lines.extend(sentences(pair));
    if let ([_, to], false) = (pair.collide.as_slice(), pair.missing.is_empty()) {
        let head = sf(Said::Missing, &[&one_step(pair, Some(*to))]);
        let open = steps(pair, &pair.missing).join(", ");
        lines.push(format!("{head} {open}"));
    }
    // Narrow spaces between digits are for the eye.
    lines.join("\n").replace('\u{202f}', "")
}
