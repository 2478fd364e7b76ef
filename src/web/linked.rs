//! The summary that a link holds, read-only in the layout of the Overview, and the way from it to
//! the dump it was made from.

use std::cell::RefCell;
use std::rc::Rc;

use super::charts::Painted;
use super::inputs::Input;
use super::opening::Wanted;
use super::page::Page;
use super::problems::Problem;
use super::sharing::{fingerprint, pairs};
use super::words::{lang, t, tf, Word};
use super::worker_link::WorkerLink;
use super::{dom, facts, header, numbers, Result};
use crate::engine::protocol::Overview;
use crate::engine::share::{decode, findings, Shared};
use crate::engine::view::ViewState;
use crate::report::figure::{bytes, grouped};
use crate::report::names;

/// A summary on the screen.
pub struct Linked {
    /// The text behind `#s=`.
    pub(super) text: String,
    shared: Shared,
    pub(super) overview: Overview,
    /// Files that are another one.
    others: RefCell<Vec<Input>>,
    comparing: RefCell<Option<Rc<WorkerLink>>>,
}

impl Linked {
    /// Whether a file is being compared.
    pub fn is_busy(&self) -> bool {
        self.comparing.borrow().is_some()
    }

    /// Compares no more.
    pub fn stop(&self) {
        self.comparing.take();
        self.others.take();
    }
}

/// The text behind `#s=` in an address or a pasted text.
pub fn fragment_in(text: &str) -> Option<&str> {
    let (_, link) = text.split_once("#s=")?;
    (!link.contains(['\n', '\t'])).then_some(link.trim())
}

impl Page {
    /// Shows what a link holds; what was open is closed.
    pub fn open_link(&self, link: &str) -> Result<()> {
        self.close_all()?;
        match decode(link) {
            Ok(shared) => {
                self.problem.take();
                *self.linked.borrow_mut() = Some(Rc::new(Linked {
                    text: link.to_owned(),
                    overview: shared.overview(),
                    shared,
                    others: RefCell::default(),
                    comparing: RefCell::default(),
                }));
            }
            Err(broken) => *self.problem.borrow_mut() = Some(Problem::Link(broken)),
        }
        *self.view.borrow_mut() = ViewState::default();
        self.draw()
    }

    /// Leaves the summary, or what is said of a broken link, when the address no longer asks for
    /// it.
    pub fn leave_link(&self) -> Result<()> {
        let broken = matches!(&*self.problem.borrow(), Some(Problem::Link(_)));
        if broken {
            self.problem.take();
        }
        match self.linked.take() {
            None if !broken => Ok(()),
            _ => {
                self.sharing.forget()?;
                self.draw()
            }
        }
    }

    /// Draws the summary.
    pub(super) fn draw_linked(&self, linked: &Linked) -> Result<()> {
        let (shared, overview) = (&linked.shared, &linked.overview);
        header::show_summary(overview)?;
        facts::show(overview)?;
        numbers::show(overview)?;
        self.budget.lend(shared.capacity)?;
        self.budget.show(overview)?;
        if let Some(verdict) = &shared.verdict {
            self.safety.lend(verdict, shared.hazards())?;
        }
        self.show_tab()?;
        self.charts.mark_selected(shared.peak_step)?;
        self.paint_linked(linked)?;
        self.draw_notes(linked)?;
        draw_top(shared)?;
        let list = dom::id("linked-findings")?;
        dom::clear(&list);
        let found = findings(shared, lang());
        dom::id("linked-findings-card")?.set_hidden(found.is_empty());
        pairs(&list, found)?;
        self.reshare()
    }

    /// Paints its curve.
    pub(super) fn paint_linked(&self, linked: &Linked) -> Result<()> {
        self.charts.paint(&Painted {
            columns: &linked.shared.columns(),
            overlay: None,
            lines: self.budget.lines(),
        })
    }

    /// Says what this is, and whether a dropped file was another one.
    fn draw_notes(&self, linked: &Linked) -> Result<()> {
        let notes = dom::id("notes")?;
        let note = dom::text("p", "note", t(Word::LinkedNote))?;
        let n = linked.shared.file_bytes;
        let size = [&bytes(n), " (", &grouped(n), " B)"].concat();
        let way = match linked.shared.fingerprint() {
            Some(hash) => tf(Word::LinkedDrop, &[&size, &hash]),
            None => tf(Word::LinkedDropAny, &[&size]),
        };
        let line = dom::make("span", "")?;
        dom::rich(&line, &[" ", &way].concat())?;
        dom::append(&note, &[&line])?;
        dom::append(&notes, &[&note])?;
        let others = linked.others.borrow();
        if let Some(first) = others.first().filter(|_| !linked.is_busy()) {
            let note = dom::make("p", "note alarm")?;
            note.set_attribute("data-hook", "other-file")?;
            let name = names::display(first.name.as_bytes());
            let said = dom::text("span", "", &tf(Word::OtherFile, &[&name]))?;
            let open = dom::text("button", "link", t(Word::OpenAnyway))?;
            open.set_attribute("type", "button")?;
            open.set_attribute("data-open-other", "")?;
            dom::append(&note, &[&said, &open])?;
            dom::append(&notes, &[&note])?;
        }
        Ok(())
    }

    /// Opens the files that were another one.
    pub fn open_others(&self) -> Result<()> {
        let linked = self.linked.borrow().clone();
        let others = linked.map(|l| l.others.take()).unwrap_or_default();
        self.read(Wanted::beside(&[], others))
    }

    /// Compares files with the fingerprint of the summary: the one it was made from is opened at
    /// the linked view, with all others.
    pub(super) fn compare_files(&self, fresh: Vec<Input>) -> Result<()> {
        let Some(linked) = self.linked.borrow().clone() else {
            return Ok(());
        };
        linked.comparing.take();
        let size = linked.shared.file_bytes as f64;
        // A summary without a fingerprint can be compared by size alone.
        let same: Vec<Input> = fresh
            .iter()
            .filter(|i| i.blob.size() == size)
            .cloned()
            .collect();
        *linked.others.borrow_mut() = fresh;
        match linked.shared.sha256 {
            Some(_) => self.compare_next(&linked, same),
            None => match same.into_iter().next() {
                Some(input) => self.open_match(&linked, input.name),
                None => self.draw(),
            },
        }
    }

    fn compare_next(&self, linked: &Rc<Linked>, mut same: Vec<Input>) -> Result<()> {
        let Some(input) = same.pop() else {
            linked.comparing.take();
            return self.draw();
        };
        let weak = self.sharing.page.borrow().clone();
        let (own, name, rest) = (Rc::downgrade(linked), input.name, RefCell::new(same));
        let worker = fingerprint(&self.start_worker, &input.blob, move |hash| {
            let (Some(page), Some(linked)) = (weak.upgrade(), own.upgrade()) else {
                return Ok(());
            };
            match hash.is_some() && hash == linked.shared.sha256 {
                true => page.open_match(&linked, name.clone()),
                false => page.compare_next(&linked, rest.take()),
            }
        })?;
        *linked.comparing.borrow_mut() = Some(worker);
        self.tell_state()
    }

    fn open_match(&self, linked: &Linked, name: String) -> Result<()> {
        linked.comparing.take();
        *self.view.borrow_mut() = ViewState {
            // No place in the list: that of the file.
            graph: u32::MAX,
            ..ViewState::from_fragment(&linked.shared.view)
        };
        let mut wanted = Wanted::beside(&[], linked.others.take());
        wanted.fresh = Rc::new(vec![name]);
        self.read(wanted)
    }
}

/// The largest at the peak.
fn draw_top(shared: &Shared) -> Result<()> {
    let body = dom::find::<web_sys::Element>("#linked-top tbody")?;
    dom::clear(&body);
    for top in &shared.top {
        let row = dom::make("tr", "")?;
        let key = format!("%{}T", top.tensor);
        row.set_attribute("data-row", &key)?;
        let layer = top.node.layer_text(lang());
        let life = format!("${} … ${}", top.life.0, top.life.1);
        for (class, text) in [
            ("mono", &key),
            ("num", &bytes(top.bytes)),
            ("num", &life),
            ("", &top.node.operator),
            ("dim", &layer),
        ] {
            let cell = dom::text("td", class, text)?;
            cell.set_title(text);
            dom::append(&row, &[&cell])?;
        }
        dom::append(&body, &[&row])?;
    }
    dom::id("linked-top")?.set_hidden(shared.top.is_empty());
    Ok(())
}
