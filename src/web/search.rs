//! The one search box: understands ids, addresses, ranges and names, shows what they may mean as
//! one types, and takes pasted messages.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement, KeyboardEvent, PointerEvent};

use super::opening::Shown;
use super::page::Page;
use super::words::{t, tf, Word};
use super::worker_link::Lane;
use super::{dom, Result};
use crate::engine::lookup::{Found, Hit};
use crate::engine::protocol::Request;
use crate::engine::view::{Tab, Thing};
use crate::report::figure::{bytes, grouped};

/// The box and the list under it.
pub struct SearchBox {
    input: HtmlInputElement,
    list: HtmlElement,
    hits: RefCell<Vec<Thing>>,
    cursor: Cell<Option<usize>>,
    /// Enter was pressed before the answer came.
    eager: Cell<bool>,
    /// Nobody waits for an answer any more.
    settled: Cell<bool>,
}

impl SearchBox {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            input: dom::find("[data-hook=search]")?,
            list: dom::id("hits")?,
            hits: RefCell::default(),
            cursor: Cell::default(),
            eager: Cell::default(),
            settled: Cell::default(),
        })
    }

    /// Writes the hint in the language now.
    pub fn draw(&self) -> Result<()> {
        self.input.set_placeholder(t(Word::SearchHint));
        self.close()
    }

    fn close(&self) -> Result<()> {
        self.eager.set(false);
        self.settled.set(true);
        self.hits.take();
        self.list.set_hidden(true);
        self.input.set_attribute("aria-expanded", "false")?;
        self.move_to(None)
    }

    fn is_open(&self) -> bool {
        !self.list.hidden()
    }

    fn move_to(&self, place: Option<usize>) -> Result<()> {
        self.cursor.set(place);
        let id = place.map(|n| format!("hit-{n}"));
        dom::attribute(&self.input, "aria-activedescendant", id.as_deref())?;
        dom::each("#hits [role=option]", |option| {
            let own = id.as_deref() == Some(&option.id());
            option.set_attribute("aria-selected", if own { "true" } else { "false" })?;
            if own {
                option.scroll_into_view_with_bool(false);
            }
            Ok(())
        })
    }

    /// Shows what a text may mean, unless another one stands there by now. What Enter, pressed
    /// before, chooses.
    fn take(&self, found: &Found) -> Result<Option<Thing>> {
        if self.settled.get() || found.text != self.input.value() {
            return Ok(None);
        }
        dom::clear(&self.list);
        let note = |text: &str| -> Result<()> {
            let note = dom::text("li", "note", text)?;
            note.set_attribute("role", "presentation")?;
            dom::append(&self.list, &[&note])
        };
        if found.hits.is_empty() {
            note(t(Word::NoHits))?;
        } else if found.near {
            note(t(Word::NearHits))?;
        }
        dom::attribute(&self.list, "data-near", found.near.then_some(""))?;
        self.list.set_attribute("data-for", &found.text)?;
        for (n, hit) in found.hits.iter().enumerate() {
            let li = dom::make("li", "")?;
            li.set_id(&format!("hit-{n}"));
            li.set_attribute("role", "option")?;
            draw_hit(&li, hit)?;
            dom::append(&self.list, &[&li])?;
        }
        let named = found.hits.iter().filter(|h| !h.name.is_empty()).count();
        if found.named as usize > named {
            note(&tf(Word::MoreHits, &[&grouped(u64::from(found.named))]))?;
        }
        *self.hits.borrow_mut() = found.hits.iter().map(|h| h.thing).collect();
        self.list.set_hidden(false);
        self.list.set_scroll_top(0);
        self.input.set_attribute("aria-expanded", "true")?;
        // Near misses are offered, never chosen by themselves.
        let first = (!found.hits.is_empty() && !found.near).then_some(0);
        self.move_to(first)?;
        let eager = self.eager.take();
        Ok(found
            .hits
            .first()
            .map(|h| h.thing)
            .filter(|_| eager && first.is_some()))
    }
}

/// Key, name, and what it is or how large.
pub fn draw_hit(li: &HtmlElement, hit: &Hit) -> Result<()> {
    let key = hit.thing.key();
    li.set_attribute("data-hit", &key)?;
    let (id, name) = (dom::text("span", "mono", &key)?, dom::make("span", "name")?);
    if !hit.name.is_empty() {
        dom::scoped_name(&name, &hit.name)?;
    }
    let kind = match hit.thing {
        Thing::Node(_) => Word::HitNode,
        Thing::Tensor(_) => Word::HitTensor,
        Thing::Parameter(_) => Word::HitParameter,
        Thing::Address(_) => Word::HitAddress,
        Thing::Range(..) => Word::HitRange,
    };
    let more = match (hit.bytes, hit.owners) {
        (Some(size), _) => bytes(size),
        (_, Some(1)) => t(Word::HitOwner).to_owned(),
        (_, Some(n)) => tf(Word::HitOwners, &[&grouped(u64::from(n))]),
        _ => String::new(),
    };
    let text = format!("{} {more}", t(kind));
    dom::append(
        li,
        &[&id, &name, &dom::text("span", "dim", text.trim_end())?],
    )
}

/// Listens to the box and its list.
pub fn listen(page: &Rc<Page>) -> Result<()> {
    let input = page.search.input.clone();
    let own = page.clone();
    dom::on(&input, "input", move |_: Event| own.typed())?;
    let own = page.clone();
    dom::on(&input, "focus", move |_: Event| {
        own.search.input.select();
        own.typed()
    })?;
    let own = page.clone();
    dom::on(&input, "blur", move |_: Event| own.search.close())?;
    let own = page.clone();
    dom::on(&input, "keydown", move |event: KeyboardEvent| {
        own.search_key(&event)
    })?;
    let own = page.clone();
    dom::on(
        &page.search.list,
        "pointerdown",
        move |event: PointerEvent| {
            // The box keeps the focus, or the list would be gone before the click.
            event.prevent_default();
            let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
            let option = match target {
                Some(target) => target.closest("[data-hit]")?,
                None => None,
            };
            let key = option.and_then(|o| o.get_attribute("data-hit"));
            match key.and_then(|key| Thing::from_key(&key)) {
                Some(thing) if event.button() == 0 => own.choose(thing),
                _ => Ok(()),
            }
        },
    )
}

impl Page {
    /// Puts the cursor into the box.
    pub fn focus_search(&self) -> Result<()> {
        self.search.input.focus()?;
        Ok(())
    }

    /// Searches for a text as if it had been typed.
    pub fn search_for(&self, text: &str) -> Result<()> {
        self.search.input.set_value(text);
        self.search.input.focus()?;
        self.typed()
    }

    /// Another text stands in the box.
    fn typed(&self) -> Result<()> {
        self.search.eager.set(false);
        let text = self.search.input.value();
        if self.take_message(&text)? || text.trim().is_empty() || !self.is_ready() {
            self.map.light(Vec::new())?;
            return self.search.close();
        }
        self.search.settled.set(false);
        self.ask_search(text)
    }

    fn ask_search(&self, text: String) -> Result<()> {
        match &*self.shown.borrow() {
            Some(shown) => {
                let graph = shown.overview.graph;
                let size = None;
                shown
                    .link
                    .ask(Lane::Search, &Request::Search { graph, text, size })?;
                self.light_map(shown)
            }
            None => Ok(()),
        }
    }

    /// Has the open map light what the text in the box means.
    pub(super) fn light_map(&self, shown: &Shown) -> Result<()> {
        let (text, graph) = (self.search.input.value(), shown.overview.graph);
        if self.tab() != Tab::Map || text.trim().is_empty() {
            return Ok(());
        }
        shown
            .link
            .ask(Lane::MapLit, &Request::MapLit { graph, text })
    }

    fn search_key(&self, event: &KeyboardEvent) -> Result<()> {
        let (search, count) = (&self.search, self.search.hits.borrow().len());
        let at = search.cursor.get();
        match event.key().as_str() {
            _ if event.is_composing() => return Ok(()),
            "ArrowDown" | "ArrowUp" if !search.is_open() => self.typed()?,
            "ArrowDown" if count > 0 => search.move_to(Some(at.map_or(0, |n| (n + 1) % count)))?,
            "ArrowUp" if count > 0 => {
                search.move_to(Some(at.unwrap_or(0).checked_sub(1).unwrap_or(count - 1)))?;
            }
            "Enter" => {
                let chosen = at.and_then(|n| search.hits.borrow().get(n).copied());
                match chosen {
                    Some(thing) => self.choose(thing)?,
                    None if !search.is_open() => {
                        self.typed()?;
                        search.eager.set(true);
                    }
                    None => search.eager.set(true),
                }
            }
            "Escape" if search.is_open() => search.close()?,
            "Escape" if !search.input.value().is_empty() => {
                search.input.set_value("");
                self.map.light(Vec::new())?;
            }
            "Escape" => search.input.blur()?,
            _ => return Ok(()),
        }
        event.prevent_default();
        Ok(())
    }

    pub(super) fn found(&self, found: &Found) -> Result<Option<Thing>> {
        self.search.take(found)
    }

    /// A hit was chosen: it is selected, and tables scroll to it.
    pub fn choose(&self, thing: Thing) -> Result<()> {
        self.search.close()?;
        self.select_thing(thing)?;
        self.tables.iter().for_each(|t| t.seek(thing));
        match &*self.shown.borrow() {
            Some(shown) => self.ask_rows_of(shown),
            None => Ok(()),
        }
    }
}
