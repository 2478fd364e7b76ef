//! A message about memory that ran out: whose memory it was, its sizes, and what the plan has to
//! do with it.

use web_sys::HtmlElement;

use super::details::link;
use super::opening::Shown;
use super::page::Page;
use super::search::draw_hit;
use super::words::{t, tf, Word};
use super::worker_link::Lane;
use super::{dom, Result};
use crate::engine::lookup::{Found, Hit};
use crate::engine::protocol::Request;
use crate::engine::view::Thing;
use crate::parse::oom::{self, OomKind, OomMessage};
use crate::report::figure::{bytes, grouped};
use crate::report::names;

/// The sizes of a message: the word of the attribute, the words to show, bytes.
fn sizes(message: &OomMessage) -> impl Iterator<Item = (&'static str, Word, u64)> {
    let all = [
        ("total", Word::OomTotal, message.total),
        ("used", Word::OomUsed, message.used),
        ("requested", Word::OomRequested, message.requested),
    ];
    all.into_iter()
        .filter_map(|(name, word, size)| Some((name, word, size?)))
}

/// Lines for the chart; none of what is not about the device.
pub fn lines(message: &OomMessage) -> Vec<(f64, String)> {
    let of_device = message.kind != OomKind::Host;
    sizes(message)
        .filter(|_| of_device)
        .map(|(_, word, size)| (size as f64, tf(word, &[&bytes(size)])))
        .collect()
}

/// Whether the request is a single giant tensor of a plan with this peak.
fn is_giant(message: &OomMessage, peak: u64) -> bool {
    matches!(message.kind, OomKind::Device | OomKind::Log)
        && message.requested.is_some_and(|size| size > peak / 2)
}

impl Page {
    /// Takes a text if it is such a message.
    pub fn take_message(&self, text: &str) -> Result<bool> {
        let Some(message) = oom::read(text) else {
            return Ok(false);
        };
        if self.oom.borrow().as_ref() != Some(&message) {
            *self.oom.borrow_mut() = Some(message);
            self.explained.take();
            self.explain()?;
            self.show_message()?;
        }
        Ok(true)
    }

    /// Takes the message away.
    pub fn drop_message(&self) -> Result<()> {
        self.oom.take();
        self.explained.take();
        self.show_message()
    }

    /// Asks what the plan knows of it.
    pub(super) fn explain(&self) -> Result<()> {
        let (shown, message) = (self.shown.borrow(), self.oom.borrow());
        let (Some(shown), Some(message)) = (&*shown, &*message) else {
            return Ok(());
        };
        let about_plan = matches!(message.kind, OomKind::Device | OomKind::Log);
        if !about_plan || (message.node.is_none() && message.requested.is_none()) {
            return Ok(());
        }
        let request = Request::Search {
            graph: shown.overview.graph,
            text: message.node.clone().unwrap_or_default(),
            size: message.requested,
        };
        shown.link.ask(Lane::Explain, &request)
    }

    /// What the plan knows came. The node that the message names is selected.
    pub(super) fn explained(&self, found: Found) -> Result<Option<Thing>> {
        let first = found.hits.first().map(|h| h.thing);
        let node = first.filter(|thing| {
            let named = matches!(thing, Thing::Node(_)) && !found.near && found.named > 0;
            named && self.view.borrow().selected != Some(*thing)
        });
        *self.explained.borrow_mut() = Some(found);
        Ok(node)
    }

    /// Draws the card and the lines of the chart.
    pub(super) fn show_message(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let shown = shown.as_ref().filter(|_| self.problem_free());
        draw(
            self.oom.borrow().as_ref(),
            self.explained.borrow().as_ref(),
            shown,
        )?;
        match shown {
            Some(shown) => self.paint(shown),
            None => Ok(()),
        }
    }
}

pub(super) fn draw(
    message: Option<&OomMessage>,
    found: Option<&Found>,
    shown: Option<&Shown>,
) -> Result<()> {
    let card = dom::hook("oom")?;
    dom::clear(&card);
    card.set_hidden(message.is_none());
    let Some(message) = message else {
        return Ok(());
    };
    card.set_attribute("data-kind", message.kind.word())?;
    let node = message.node.as_deref().map(shown_name);
    dom::attribute(&card, "data-node", node.as_deref())?;
    let (title, text) = match message.kind {
        OomKind::Device => (Word::OomDevice, Word::OomDeviceText),
        OomKind::Pool => (Word::OomPool, Word::OomPoolText),
        OomKind::Busy => (Word::OomBusy, Word::OomBusyText),
        OomKind::Host => (Word::OomHost, Word::OomHostText),
        OomKind::Log => (Word::OomLog, Word::OomLogText),
    };
    let close = dom::text("button", "button quiet", "×")?;
    close.set_attribute("type", "button")?;
    close.set_attribute("data-drop-message", "")?;
    close.set_attribute("aria-label", t(Word::Close))?;
    let head = dom::make("h2", "")?;
    dom::append(&head, &[&dom::text("span", "", t(title))?, &close])?;
    let told = dom::make("p", "dim")?;
    dom::rich(&told, t(text))?;
    let numbers = dom::make("p", "sizes")?;
    for (name, word, size) in sizes(message) {
        let out = dom::text("span", "", &tf(word, &[&bytes(size)]))?;
        out.set_attribute("data-size", name)?;
        out.set_attribute("data-value", &size.to_string())?;
        out.set_title(&format!("{} B", grouped(size)));
        dom::append(&numbers, &[&out])?;
    }
    if let Some(base) = message.base {
        let text = tf(Word::OomBase, &[&format!("{base:#x}")]);
        dom::append(&numbers, &[&dom::text("span", "", &text)?])?;
    }
    dom::append(&card, &[&head, &told, &numbers])?;
    let Some(shown) = shown else {
        return match message.kind {
            OomKind::Device | OomKind::Log => {
                dom::append(&card, &[&dom::text("p", "", t(Word::OomNoPlan))?])
            }
            _ => Ok(()),
        };
    };
    let peak = shown.overview.summary.max_in_use.in_use;
    dom::attribute(&card, "data-giant", is_giant(message, peak).then_some(""))?;
    if is_giant(message, peak) {
        let text = tf(Word::OomGiant, &[&bytes(peak)]);
        dom::append(&card, &[&dom::text("p", "giant", &text)?])?;
    }
    match found {
        Some(found) => draw_found(&card, message, found),
        None => Ok(()),
    }
}

/// A pasted name is as little to be trusted as one of a dump.
fn shown_name(node: &str) -> String {
    names::display_cut(node.as_bytes(), 400)
}

fn draw_found(card: &HtmlElement, message: &OomMessage, found: &Found) -> Result<()> {
    let is_sized = |hit: &&Hit| matches!(hit.thing, Thing::Tensor(_));
    let (sized, named): (Vec<&Hit>, Vec<&Hit>) = found.hits.iter().partition(is_sized);
    if let Some(node) = message.node.as_deref().map(shown_name) {
        let title = if !found.near {
            t(Word::OomAt).to_owned()
        } else if named.is_empty() {
            tf(Word::OomNoNodeAtAll, &[&node])
        } else {
            tf(Word::OomNoNode, &[&node])
        };
        hits(card, &title, &named)?;
    }
    if !sized.is_empty() {
        hits(card, t(Word::OomSized), &sized)?;
    }
    Ok(())
}

fn hits(card: &HtmlElement, title: &str, hits: &[&Hit]) -> Result<()> {
    let head = dom::text("p", "of", title)?;
    let list = dom::make("ul", "links")?;
    for hit in hits.iter().take(10) {
        let item = dom::make("li", "")?;
        let link = link(hit.thing, "hit-link")?;
        draw_hit(&link, hit)?;
        dom::append(&item, &[&link])?;
        dom::append(&list, &[&item])?;
    }
    dom::append(card, &[&head, &list])
}
