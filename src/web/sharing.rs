//! Sharing without the dump: a link to a summary, its preview, the same as Markdown.
//!
//! The link is made when it is asked for: then a worker of its own computes the fingerprint of the
//! file, once, and the worker that holds the graph makes the summary.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDetailsElement, HtmlDocument, HtmlSelectElement, HtmlTextAreaElement};

use super::inputs::Input;
use super::page::Page;
use super::words::{lang, t, tf, Word};
use super::worker_link::{Event, Lane, WorkerLink};
use super::{dom, prefs, Result};
use crate::engine::protocol::Request;
use crate::engine::share::{decode, markdown, preview, Line, NameMode, ShareRequest};
use crate::engine::view::ViewState;
use crate::report::figure::grouped;

/// SHA-256.
pub type Hash = [u8; 32];

/// What is to be copied as soon as the link is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// The link.
    Link,
    /// Markdown with the link.
    Markdown,
}

/// The link that is there or on its way.
#[derive(Default)]
pub struct Sharing {
    /// The page itself, for what comes later.
    pub(super) page: RefCell<Weak<Page>>,
    /// The fingerprint that was computed, and of which file.
    hash: RefCell<Option<(String, Hash)>>,
    hashing: RefCell<Option<Rc<WorkerLink>>>,
    asked: RefCell<ShareRequest>,
    /// The text behind `#s=`, made for what was asked.
    link: RefCell<Option<String>>,
    wanted: RefCell<Option<Copy>>,
}

impl Sharing {
    /// Nothing of another plan is left.
    pub fn forget(&self) -> Result<()> {
        self.hash.take();
        self.hashing.take();
        self.link.take();
        self.wanted.take();
        dom::clear(&dom::hook("link-preview")?);
        dom::clear(&dom::id("link-length")?);
        say("")
    }

    /// Shows how names are treated, as it was left.
    pub fn remembered() -> Result<Self> {
        let mode = NameMode::by_name(&prefs::get("names").unwrap_or_default());
        modes()?.set_value(mode.name());
        Ok(Self::default())
    }
}

fn modes() -> Result<HtmlSelectElement> {
    dom::find("[data-hook=name-mode]")
}

fn say(text: &str) -> Result<()> {
    dom::id("share-said")?.set_text_content(Some(text));
    Ok(())
}

/// Draws pairs into a list.
pub fn pairs(list: &web_sys::Element, lines: Vec<Line>) -> Result<()> {
    for line in lines {
        let dt = dom::text("dt", "", &line.label)?;
        dom::append(list, &[&dt, &dom::text("dd", "", &line.value)?])?;
    }
    Ok(())
}

/// The address that a link leads to. A file on this machine is at no address of use to others:
/// its name stands there, and the page takes such a link when it is pasted.
fn address(link: &str) -> Result<String> {
    let location = dom::window()?.location();
    let href = location.href()?;
    let base = match location.protocol()?.as_str() {
        "file:" => "somascope.html",
        _ => href.split('#').next().unwrap_or(""),
    };
    Ok([base, "#s=", link].concat())
}

/// Puts a text into the clipboard, in the old way where the browser keeps the new one for secure
/// origins.
pub fn copy(text: String) -> Result<()> {
    let clipboard = dom::window()?.navigator().clipboard();
    if clipboard.is_undefined() {
        return copy_selected(&text);
    }
    let written = clipboard.write_text(&text);
    let refused = Closure::once_into_js(move |_: JsValue| {
        let Ok(()) = copy_selected(&text);
    });
    js_sys::Reflect::get(&written, &"catch".into())?
        .unchecked_into::<js_sys::Function>()
        .call1(&written, &refused)?;
    Ok(())
}

fn copy_selected(text: &str) -> Result<()> {
    let area: HtmlTextAreaElement = dom::make_as("textarea", "away")?;
    area.set_value(text);
    dom::append(&*dom::body()?, &[&area])?;
    area.select();
    let document: HtmlDocument = dom::document()?.unchecked_into();
    let done = document.exec_command("copy");
    area.remove();
    if !done? {
        say(t(Word::CopyRefused))?;
    }
    Ok(())
}

/// Computes the fingerprint of a file in a worker of its own; `None` when it could not be read.
pub fn fingerprint(
    start_worker: &js_sys::Function,
    blob: &web_sys::Blob,
    done: impl Fn(Option<Hash>) -> Result<()> + 'static,
) -> Result<Rc<WorkerLink>> {
    let link = WorkerLink::start(start_worker, move |_, event| match event {
        Event::Hashed(hash) => done(Hash::try_from(hash).ok()),
        Event::Fatal(_) => done(None),
        _ => Ok(()),
    })?;
    link.hash(blob)?;
    Ok(link)
}

impl Page {
    /// Makes the link for what is shown now, and copies it when it is there.
    pub fn share(&self, wanted: Option<Copy>) -> Result<()> {
        if let Some(linked) = &*self.linked.borrow() {
            // A summary is handed on as it came.
            *self.sharing.link.borrow_mut() = Some(linked.text.clone());
            *self.sharing.wanted.borrow_mut() = wanted;
            return self.linked();
        }
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        let sharing = &self.sharing;
        if wanted.is_some() {
            *sharing.wanted.borrow_mut() = wanted;
            say(t(Word::SharePreparing))?;
        }
        let file = &shown.overview.summary.file.name;
        let hash = sharing.hash.borrow().as_ref().map(|h| h.1);
        let known = sharing.hash.borrow().as_ref().is_some_and(|h| h.0 == *file);
        let Some(hash) = hash.filter(|_| known) else {
            return match shown.inputs.iter().find(|i| i.name == *file) {
                Some(input) => self.hash(input),
                None => Ok(()),
            };
        };
        let view = ViewState {
            graph: 0,
            ..self.view.borrow().clone()
        };
        let request = ShareRequest {
            graph: shown.overview.graph,
            names: NameMode::by_name(&modes()?.value()),
            view: view.fragment(),
            capacity: self.budget.capacity(),
            sha256: Some(hash),
        };
        let same = *sharing.asked.borrow() == request;
        if same && sharing.link.borrow().is_some() {
            return self.linked();
        }
        sharing.link.take();
        *sharing.asked.borrow_mut() = request.clone();
        shown.link.ask(Lane::Share, &Request::Share(request))
    }

    fn hash(&self, input: &Input) -> Result<()> {
        if self.sharing.hashing.borrow().is_some() {
            return Ok(());
        }
        let (weak, name) = (self.sharing.page.borrow().clone(), input.name.clone());
        let worker = fingerprint(&self.start_worker, &input.blob, move |hash| {
            let Some(page) = weak.upgrade() else {
                return Ok(());
            };
            page.sharing.hashing.take();
            let Some(hash) = hash else {
                return say(t(Word::ShareUnread));
            };
            *page.sharing.hash.borrow_mut() = Some((name.clone(), hash));
            page.share(None)
        })?;
        *self.sharing.hashing.borrow_mut() = Some(worker);
        Ok(())
    }

    /// A link has come: the one asked for last, or one that was asked for before something
    /// changed, which must not be copied in its place.
    pub(super) fn take_link(&self, link: String) -> Result<()> {
        let last = decode(&link).is_ok_and(|made| {
            let asked = self.sharing.asked.borrow();
            (made.names, &made.view) == (asked.names, &asked.view)
                && (made.capacity, made.sha256) == (asked.capacity, asked.sha256)
        });
        if !last {
            return Ok(());
        }
        *self.sharing.link.borrow_mut() = Some(link);
        self.linked()
    }

    /// Draws what the link holds, and copies what is waited for.
    fn linked(&self) -> Result<()> {
        let link = self.sharing.link.borrow();
        let Some(link) = link.as_ref() else {
            return Ok(());
        };
        // What is shown is what comes out of the link.
        let Ok(shared) = decode(link) else {
            return Ok(());
        };
        let list = dom::hook("link-preview")?;
        dom::clear(&list);
        pairs(&list, preview(&shared, lang()))?;
        let length = grouped(link.len() as u64);
        dom::id("link-length")?.set_text_content(Some(&tf(Word::Characters, &[&length])));
        let Some(wanted) = self.sharing.wanted.take() else {
            return Ok(());
        };
        let address = address(link)?;
        let (text, said) = match wanted {
            Copy::Link => (address, Word::LinkCopied),
            Copy::Markdown => (markdown(&shared, &address, lang()), Word::MarkdownCopied),
        };
        say(t(said))?;
        copy(text)
    }

    /// What is shown has changed: so does an open preview.
    pub(super) fn reshare(&self) -> Result<()> {
        say("")?;
        match dom::find::<HtmlDetailsElement>("#link-holds")?.open() {
            true => self.share(None),
            false => Ok(()),
        }
    }

    /// Treats names in another way.
    pub fn share_names(&self) -> Result<()> {
        prefs::set("names", &modes()?.value());
        say("")?;
        self.share(None)
    }
}
