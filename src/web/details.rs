//! The side panel's facts about one tensor, node or parameter; every id and name is a link.

use web_sys::HtmlElement;

use super::addresses::{node_task, span};
use super::opening::Shown;
use super::words::{count, s, t, tf, Said, Word};
use super::{dom, Result};
use crate::engine::explore::{
    NodeFacts, NodeLink, ParameterFacts, Some200, TensorFacts, TensorLink,
};
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};
use crate::report::names::last_part;

/// A list of pairs of what and how much.
pub struct Pairs(HtmlElement);

impl Pairs {
    /// Nothing in it.
    pub fn new() -> Result<Self> {
        dom::make("dl", "pairs").map(Self)
    }

    /// The list.
    pub fn list(&self) -> &HtmlElement {
        &self.0
    }

    /// A pair of texts; `exact` on hover.
    pub fn text(&self, word: Word, value: &str, exact: &str) -> Result<()> {
        let dd = dom::text("dd", "", value)?;
        dd.set_title(exact);
        dom::append(&self.0, &[&dom::text("dt", "", t(word))?, &dd])
    }

    /// Bytes.
    pub fn bytes(&self, word: Word, n: u64) -> Result<()> {
        self.text(word, &bytes(n), &format!("{} B", grouped(n)))
    }

    /// Addresses as a link to who has a byte there.
    fn place(&self, word: Word, start: u64, end: u64) -> Result<()> {
        let (text, exact) = span(start, end);
        let thing = if start < end {
            Thing::Range(start, end)
        } else {
            Thing::Address(start)
        };
        let link = link(thing, "")?;
        link.set_text_content(Some(&text));
        link.set_title(&exact);
        self.element(word, &link)
    }

    fn element(&self, word: Word, value: &HtmlElement) -> Result<()> {
        let dd = dom::make("dd", "")?;
        dom::append(&dd, &[value])?;
        dom::append(&self.0, &[&dom::text("dt", "", t(word))?, &dd])
    }
}

/// A link that selects.
pub fn link(thing: Thing, class: &str) -> Result<HtmlElement> {
    let link = dom::make("button", &format!("link {class}"))?;
    link.set_attribute("type", "button")?;
    link.set_attribute("data-select", &thing.code())?;
    Ok(link)
}

/// A link of the thing's key.
pub fn id_link(thing: Thing) -> Result<HtmlElement> {
    let link = link(thing, "mono")?;
    link.set_text_content(Some(&thing.key()));
    Ok(link)
}

/// The title of the card.
pub fn title(title: &HtmlElement, thing: Thing, step: Option<u32>) -> Result<()> {
    let word = match thing {
        Thing::Node(_) => Word::TitleNode,
        Thing::Tensor(_) => Word::TitleTensor,
        Thing::Parameter(_) => Word::TitleParameter,
        Thing::Address(_) => Word::TitleAddress,
        Thing::Range(..) => Word::TitleRange,
    };
    title.set_text_content(Some(&tf(word, &[&thing.key()])));
    match step {
        Some(step) => {
            let text = tf(Word::SelectedStep, &[&step.to_string()]);
            dom::append(title, &[&step_link(step, &text)?])
        }
        None => Ok(()),
    }
}

/// A link that selects a step.
pub fn step_link(step: u32, text: &str) -> Result<HtmlElement> {
    let link = dom::text("button", "link", text)?;
    link.set_attribute("type", "button")?;
    link.set_attribute("data-go-step", &step.to_string())?;
    Ok(link)
}

/// The emptied body of the card.
pub fn body() -> Result<HtmlElement> {
    dom::hook("selection")?.remove_attribute("aria-busy")?;
    let body = dom::id("selection-body")?;
    dom::clear(&body);
    Ok(body)
}

/// There is no such thing in this plan.
pub fn nothing() -> Result<()> {
    dom::append(&*body()?, &[&dom::text("p", "dim", t(Word::NoSuchThing))?])
}

fn name(parent: &HtmlElement, name: &str) -> Result<()> {
    let out = dom::make("p", "node-name")?;
    dom::scoped_name(&out, name)?;
    dom::append(parent, &[&out])
}

/// A list with its heading; nothing when it is empty.
pub fn list<T>(
    parent: &HtmlElement,
    word: Word,
    items: &Some200<T>,
    mut draw: impl FnMut(&HtmlElement, &T) -> Result<()>,
) -> Result<()> {
    if items.total == 0 {
        return Ok(());
    }
    let head = dom::text("h3", "", t(word))?;
    let count = dom::text("span", "dim", &grouped(items.total.into()))?;
    dom::append(&head, &[&count])?;
    let out = dom::make("ul", "links")?;
    for item in &items.first {
        let li = dom::make("li", "")?;
        draw(&li, item)?;
        dom::append(&out, &[&li])?;
    }
    let more = u64::from(items.total).saturating_sub(items.first.len() as u64);
    if more > 0 {
        let text = tf(Word::AndMore, &[&grouped(more)]);
        dom::append(&out, &[&dom::text("li", "dim", &text)?])?;
    }
    dom::append(parent, &[&head, &out])
}

/// A node in a line.
pub fn node_item(li: &HtmlElement, node: &NodeLink) -> Result<()> {
    let id = id_link(Thing::Node(node.step))?;
    let name = dom::text("span", "leaf", last_part(&node.name))?;
    li.set_title(&node.name);
    dom::append(li, &[&id, &name])
}

fn tensor_item(li: &HtmlElement, tensor: &TensorLink) -> Result<()> {
    let id = id_link(Thing::Tensor(tensor.id))?;
    let size = dom::text("span", "size-of", &bytes(tensor.aligned))?;
    size.set_title(&format!("{} B", grouped(tensor.aligned)));
    let life = dom::text("span", "dim", &life(tensor.first, tensor.last))?;
    let name = dom::text("span", "leaf", last_part(&tensor.source))?;
    name.set_title(&tensor.source);
    dom::append(li, &[&id, &size, &life, &name])
}

/// First and last step.
pub fn life(first: u32, last: u32) -> String {
    if first == last {
        format!("${first}")
    } else {
        format!("${first}…${last}")
    }
}

/// Everything about one tensor.
pub fn tensor(facts: &TensorFacts) -> Result<()> {
    let body = body()?;
    let pairs = Pairs::new()?;
    pairs.bytes(Word::ColAligned, facts.aligned)?;
    pairs.bytes(Word::ColOriginal, facts.size)?;
    let lived = dom::make("span", "")?;
    let step = |step| step_link(step, &life(step, step));
    dom::append(&lived, &[&step(facts.first)?])?;
    if facts.last != facts.first {
        dom::append(&lived, &[&dom::text("span", "", "…")?, &step(facts.last)?])?;
    }
    let span = u64::from(facts.last.saturating_sub(facts.first)) + 1;
    let span = tf(Word::LifeOf, &[&grouped(span)]);
    dom::append(&lived, &[&dom::text("span", "", &span)?])?;
    pairs.element(Word::ColLife, &lived)?;
    if let Some(offset) = facts.offset.filter(|_| facts.aligned > 0) {
        let start = facts.base.saturating_add(offset);
        pairs.place(Word::SelBytes, start, start.saturating_add(facts.aligned))?;
        if facts.base > 0 {
            pairs.text(Word::SelOffset, &format!("{offset:#x}"), &grouped(offset))?;
        }
    }
    if let Some(offset) = facts.true_offset {
        pairs.text(
            Word::SelTrueOffset,
            &format!("{offset:#x}"),
            &grouped(offset),
        )?;
    }
    if let Some((start, size)) = facts.task {
        pairs.place(Word::SelTaskAddress, start, start.saturating_add(size))?;
    }
    if let Some(offset) = facts.offset.filter(|_| facts.sharing > 0) {
        let start = facts
            .base
            .saturating_add(facts.true_offset.unwrap_or(offset));
        let range = Thing::Range(start, start.saturating_add(facts.aligned));
        let link = link(range, "")?;
        let sharing = u64::from(facts.sharing);
        link.set_text_content(Some(&count(sharing, Word::ChipTensor, Word::ChipTensors)));
        link.set_attribute("data-sharing", &facts.sharing.to_string())?;
        pairs.element(Word::SelSharing, &link)?;
    }
    pairs.text(Word::ColType, &facts.tensor_type, "")?;
    pairs.text(Word::ColLifelong, &facts.lifelong, "")?;
    if let Some(index) = facts.output_index {
        pairs.text(Word::ColOutput, &index.to_string(), "")?;
    }
    if let Some(stream) = facts.stream {
        pairs.text(Word::ColStream, &stream.to_string(), "")?;
    }
    if let Some(node) = &facts.producer {
        let made = dom::make("p", "node-name")?;
        let link = link(Thing::Node(node.step), "name-link")?;
        dom::append(
            &link,
            &[&dom::text("span", "mono", &format!("${} ", node.step))?],
        )?;
        dom::scoped_name(&link, &node.name)?;
        dom::append(&made, &[&link])?;
        dom::append(&body, &[&made])?;
    }
    dom::append(&body, &[pairs.list()])?;
    if facts.aligned > 0 && facts.offset.is_some() {
        let more = dom::text("button", "link", s(Said::ShowOverlaps))?;
        more.set_attribute("type", "button")?;
        more.set_attribute("data-show-overlaps", "")?;
        dom::append(&body, &[&more])?;
    }
    list(&body, Word::SelReaders, &facts.readers, node_item)?;
    list(&body, Word::SelAlsoUsed, &facts.also_used, node_item)?;
    list(&body, Word::SelMates, &facts.mates, tensor_item)?;
    list(&body, Word::SelContiguous, &facts.contiguous, tensor_item)?;
    for (word, none, tensor) in [
        (Word::SelBefore, Word::NobodyBefore, &facts.before),
        (Word::SelAfter, Word::NobodyAfter, &facts.after),
    ] {
        if facts.aligned == 0 || facts.offset.is_none() {
            continue;
        }
        let head = dom::text("h3", "", t(word))?;
        let out = dom::make("ul", "links")?;
        let li = dom::make("li", "")?;
        match tensor {
            Some(tensor) => tensor_item(&li, tensor)?,
            None => {
                li.set_text_content(Some(t(none)));
                li.set_class_name("dim");
            }
        }
        dom::append(&out, &[&li])?;
        dom::append(&body, &[&head, &out])?;
    }
    Ok(())
}

/// Everything about one node.
pub fn node(facts: &NodeFacts, shown: &Shown) -> Result<()> {
    let body = body()?;
    name(&body, &facts.name)?;
    let tags = dom::make("p", "tags")?;
    for (is, word) in [
        (shown.peak() == Some(facts.step), Word::IsPeak),
        (facts.communication, Word::TagCommunication),
        (facts.clean, Word::TagClean),
        (facts.repeated, Word::TagRepeated),
    ] {
        if is {
            dom::append(&tags, &[&dom::text("span", "tag", t(word))?])?;
        }
    }
    let pairs = Pairs::new()?;
    pairs.text(Word::ColOperator, &facts.operator, "")?;
    if let Some(stream) = facts.stream {
        pairs.text(Word::ColStream, &stream.to_string(), "")?;
    }
    pairs.bytes(Word::ColInUse, facts.in_use)?;
    let alive = dom::text("button", "link", &bytes(facts.alive))?;
    alive.set_attribute("type", "button")?;
    alive.set_attribute("data-tab-link", "overview")?;
    alive.set_title(&tf(Word::AliveTitle, &[&facts.step.to_string()]));
    pairs.element(Word::ColAlive, &alive)?;
    dom::append(&body, &[&tags, pairs.list()])?;
    list(&body, Word::ColInputs, &facts.inputs, tensor_item)?;
    list(
        &body,
        Word::TabParameters,
        &facts.parameters,
        |li, (id, name, size)| {
            let link = id_link(Thing::Parameter(*id))?;
            let size = dom::text("span", "size-of", &bytes(*size))?;
            let leaf = dom::text("span", "leaf", last_part(name))?;
            li.set_title(name);
            dom::append(li, &[&link, &size, &leaf])
        },
    )?;
    list(&body, Word::ColOutputs, &facts.outputs, tensor_item)?;
    list(&body, Word::ColWorkspaces, &facts.workspaces, tensor_item)?;
    list(&body, Word::SelOrderAfter, &facts.after, node_item)?;
    list(&body, Word::SelOrderBefore, &facts.before, node_item)?;
    match &facts.task {
        Some(task) => node_task(&body, task),
        None => Ok(()),
    }
}

/// Everything about one parameter.
pub fn parameter(facts: &ParameterFacts) -> Result<()> {
    let body = body()?;
    name(&body, &facts.name)?;
    let pairs = Pairs::new()?;
    pairs.bytes(Word::ColSize, facts.size)?;
    if let Some(start) = facts.start_addr {
        pairs.place(Word::SelBytes, start, start.saturating_add(facts.size))?;
    }
    dom::append(&body, &[pairs.list()])?;
    list(&body, Word::SelReaders, &facts.readers, node_item)
}
