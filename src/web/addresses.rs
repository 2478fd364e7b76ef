//! Who owns an address or meets a range; the base, and what the launched tasks used.

use web_sys::{HtmlElement, HtmlInputElement};

use super::details::{self, id_link, life, link, node_item, Pairs};
use super::words::{t, tf, Word};
use super::{dom, Result};
use crate::analysis;
use crate::engine::lookup::{AddressFacts, Owner};
use crate::engine::protocol::Overview;
use crate::engine::tasks::{NodeTask, TaskFacts};
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};
use crate::report::names::last_part;
use crate::units::ByteRange;

/// Two addresses, the second one not included; exact numbers on hover.
pub fn span(start: u64, end: u64) -> (String, String) {
    (
        format!("{start:#x} … {end:#x}"),
        format!("{} … {}", grouped(start), grouped(end)),
    )
}

/// The side panel of an address or a range.
pub fn show(facts: &AddressFacts) -> Result<()> {
    let body = details::body()?;
    let pairs = Pairs::new()?;
    let one = facts.end == facts.start.saturating_add(1);
    if !one {
        let size = facts.end.saturating_sub(facts.start);
        pairs.bytes(Word::ColSize, size)?;
    }
    if facts.base > 0 && facts.start >= facts.base {
        let (from, to) = (
            facts.start - facts.base,
            facts.end.saturating_sub(facts.base),
        );
        let (text, exact) = if one {
            (format!("{from:#x}"), grouped(from))
        } else {
            span(from, to)
        };
        pairs.text(Word::SelOffset, &text, &exact)?;
    }
    dom::append(&body, &[pairs.list()])?;
    match facts.plan_end {
        None => dom::append(&body, &[&dom::text("p", "dim", t(Word::StageAddresses))?])?,
        Some(end) => owners(&body, facts, end)?,
    }
    details::list(
        &body,
        Word::ParametersThere,
        &facts.parameters,
        |li, (id, name, size, at)| {
            let (text, exact) = span(*at, at.saturating_add(*size));
            li.set_title(&format!("{name}\n{text}\n{exact}"));
            let size = dom::text("span", "size-of", &bytes(*size))?;
            let leaf = dom::text("span", "leaf", last_part(name))?;
            dom::append(li, &[&id_link(Thing::Parameter(*id))?, &size, &leaf])
        },
    )
}

/// The owners in the order of time with the steps between them, or how far outside the plan it is.
fn owners(body: &HtmlElement, facts: &AddressFacts, plan_end: u64) -> Result<()> {
    let [asked, block] = [(facts.start, facts.end), (facts.base, plan_end)]
        .map(|(start, end)| ByteRange { start, end });
    if let Some((far, below)) = analysis::outside(asked, block) {
        let (word, side, edge) = match below {
            true => (Word::OutsideBelow, "below", block.start),
            false => (Word::Outside, "behind", block.end),
        };
        let size = format!("{} B", grouped(far));
        let shown = if far < 1024 { size.clone() } else { bytes(far) };
        let note = dom::text("p", "note", &tf(word, &[&shown, &format!("{edge:#x}")]))?;
        note.set_attribute("data-outside", &far.to_string())?;
        note.set_attribute("data-side", side)?;
        note.set_title(&size);
        return dom::append(body, &[&note]);
    }
    if facts.owners.total == 0 {
        return dom::append(body, &[&dom::text("p", "dim", t(Word::OwnersNone))?]);
    }
    let head = dom::text("h3", "", t(Word::OwnersTitle))?;
    dom::append(
        &head,
        &[&dom::text(
            "span",
            "dim",
            &grouped(u64::from(facts.owners.total)),
        )?],
    )?;
    let list = dom::make("ol", "owners")?;
    for owner in &facts.owners.first {
        free(&list, owner.free_before)?;
        dom::append(&list, &[&owner_item(owner)?])?;
    }
    let more = facts.owners.total as usize - facts.owners.first.len();
    if more > 0 {
        let text = tf(Word::AndMore, &[&grouped(more as u64)]);
        dom::append(&list, &[&dom::text("li", "dim", &text)?])?;
    } else {
        free(&list, facts.free_after)?;
    }
    dom::append(body, &[&head, &list])
}

fn free(list: &HtmlElement, steps: Option<(u32, u32)>) -> Result<()> {
    let Some((first, last)) = steps else {
        return Ok(());
    };
    let text = tf(Word::FreeSteps, &[&life(first, last)]);
    let gap = dom::text("li", "free dim", &text)?;
    gap.set_attribute("data-free", &format!("{first}-{last}"))?;
    dom::append(list, &[&gap])
}

fn owner_item(owner: &Owner) -> Result<HtmlElement> {
    let item = dom::make("li", "")?;
    let tensor = &owner.tensor;
    item.set_attribute("data-owner", &Thing::Tensor(tensor.id).key())?;
    item.set_attribute("data-life", &format!("{}-{}", tensor.first, tensor.last))?;
    let line = dom::make("div", "line")?;
    let size = dom::text("span", "size-of", &bytes(tensor.aligned))?;
    let (text, exact) = span(owner.bytes.0, owner.bytes.1);
    size.set_title(&format!("{text}\n{exact}\n{} B", grouped(tensor.aligned)));
    let steps = dom::text("span", "dim", &life(tensor.first, tensor.last))?;
    dom::append(&line, &[&id_link(Thing::Tensor(tensor.id))?, &size, &steps])?;
    dom::append(&item, &[&line])?;
    if let Some(writer) = &owner.writer {
        let line = dom::make("div", "line")?;
        dom::append(&line, &[&dom::text("span", "dim", t(Word::WrittenBy))?])?;
        node_item(&line, writer)?;
        dom::append(&item, &[&line])?;
    }
    let readers = match owner.read_by {
        0 => t(Word::ReadByNone).to_owned(),
        1 => t(Word::ReadByOne).to_owned(),
        n => tf(Word::ReadByMany, &[&grouped(u64::from(n))]),
    };
    let line = dom::make("div", "line")?;
    dom::append(&line, &[&dom::text("span", "dim", &readers)?])?;
    if let [only] = owner.readers.as_slice() {
        node_item(&line, only)?;
    } else {
        for reader in &owner.readers {
            let link = id_link(Thing::Node(reader.step))?;
            link.set_title(&reader.name);
            dom::append(&line, &[&link])?;
        }
    }
    dom::append(&item, &[&line])?;
    Ok(item)
}

/// What the task of a node used, on its panel.
pub fn node_task(body: &HtmlElement, task: &NodeTask) -> Result<()> {
    let head = dom::text("h3", "", t(Word::SelTask))?;
    let numbers = tf(
        Word::TaskOf,
        &[&task.tasks.to_string(), &task.stream.to_string()],
    );
    dom::append(&head, &[&dom::text("span", "dim", &numbers)?])?;
    let list = dom::make("ul", "links")?;
    let words = [Word::TaskInput, Word::TaskOutput, Word::TaskWorkspace];
    for (word, entries) in words.into_iter().zip(&task.lists) {
        for (n, &(address, size)) in entries.iter().enumerate() {
            let item = dom::make("li", "")?;
            item.set_attribute("data-task", &format!("{address:#x}"))?;
            let role = dom::text("span", "dim", &tf(word, &[&n.to_string()]))?;
            dom::append(&item, &[&id_link(Thing::Address(address))?, &role])?;
            let bytes = dom::text("span", "size-of", &bytes(size))?;
            bytes.set_title(&format!("{} B", grouped(size)));
            dom::append(&item, &[&bytes])?;
            dom::append(&list, &[&item])?;
        }
    }
    dom::append(body, &[&head, &list])
}

/// The card of the base and the tasks.
pub fn show_tasks(overview: &Overview) -> Result<()> {
    let card = dom::hook("tasks")?;
    let input: HtmlInputElement = dom::find("#base")?;
    let known = !overview.base_from.is_empty();
    let base = if known {
        format!("{:#x}", overview.base)
    } else {
        String::new()
    };
    if dom::document()?.active_element().as_ref() != Some(&**input) {
        input.set_value(&base);
    }
    input.set_placeholder("0x0");
    input.set_title(t(Word::BaseHint));
    dom::attribute(&input, "aria-invalid", None)?;
    let from = match overview.base_from.as_str() {
        "given" => Word::BaseGiven,
        "tasks" => Word::BaseOfTasks,
        "dump" => Word::BaseOfDump,
        _ => Word::BaseUnknown,
    };
    dom::id("base-from")?.set_text_content(Some(t(from)));
    card.set_attribute("data-base", &overview.base.to_string())?;
    card.set_attribute("data-base-from", &overview.base_from)?;
    let body = dom::id("tasks")?;
    dom::clear(&body);
    let number = |name: &str, n: Option<u64>| -> Result<()> {
        let text = n.map(|n| n.to_string());
        dom::attribute(&card, name, text.as_deref())
    };
    let tasks = overview.tasks.as_deref();
    number("data-tasks", tasks.map(|t| t.tasks.into()))?;
    number("data-matched", tasks.map(|t| t.matched.into()))?;
    let sum = |t: &TaskFacts| t.kinds.iter().map(|(_, n)| n).sum::<u64>();
    number("data-findings", tasks.map(sum))?;
    match tasks {
        Some(tasks) => tasks_body(&body, tasks, sum(tasks)),
        None => Ok(()),
    }
}

fn tasks_body(body: &HtmlElement, tasks: &TaskFacts, found: u64) -> Result<()> {
    let joined = [tasks.matched, tasks.tasks].map(|n| grouped(u64::from(n)));
    let joined = tf(Word::TasksJoined, &joined.each_ref().map(String::as_str));
    let line = dom::text("p", "", &joined)?;
    line.set_title(&tasks.file);
    let pairs = Pairs::new()?;
    let known = grouped(u64::from(tasks.parameters));
    pairs.text(Word::TasksParameters, &known, "")?;
    if let (Some(low), Some(high)) = (tasks.lowest, tasks.highest_end) {
        let (text, exact) = span(low, high);
        pairs.text(Word::TasksSpan, &text, &exact)?;
    }
    dom::append(body, &[&line, pairs.list()])?;
    if found == 0 {
        return dom::append(body, &[&dom::text("p", "agree", t(Word::TasksAgree))?]);
    }
    let head = tf(Word::TasksFindings, &[&grouped(found)]);
    let kinds = dom::make("p", "tags")?;
    for (kind, n) in &tasks.kinds {
        let tag = dom::text("button", "preset", &format!("{kind} {}", grouped(*n)))?;
        tag.set_attribute("type", "button")?;
        tag.set_attribute("data-kind-filter", kind)?;
        tag.set_attribute("data-count", &n.to_string())?;
        dom::append(&kinds, &[&tag])?;
    }
    dom::append(body, &[&dom::text("h3", "", &head)?, &kinds])?;
    if tasks.unjoined.is_empty() {
        return Ok(());
    }
    let list = dom::make("ul", "links")?;
    for (node, nodes, records) in tasks.unjoined.iter().take(200) {
        let item = dom::make("li", "")?;
        let counts = tf(
            Word::TasksUnjoinedRow,
            &[&nodes.to_string(), &records.to_string()],
        );
        let link = link(Thing::Node(node.step), "leaf")?;
        link.set_text_content(Some(last_part(&node.name)));
        dom::append(&item, &[&link, &dom::text("span", "dim", &counts)?])?;
        dom::append(&list, &[&item])?;
    }
    dom::append(
        body,
        &[&dom::text("h3", "", t(Word::TasksUnjoined))?, &list],
    )
}
