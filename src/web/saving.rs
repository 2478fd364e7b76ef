//! Result files on their way to the disk: pieces come from the worker one after the other and
//! become blobs, which the browser keeps wherever it likes; a link with a name takes the whole.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Uint8Array};
use web_sys::{Blob, HtmlAnchorElement, HtmlProgressElement, Url};

use super::inputs::Input;
use super::page::Page;
use super::words::{t, tf, Word};
use super::worker_link::{Lane, WorkerLink};
use super::{dom, header, Result};
use crate::engine::protocol::{Request, Response};
use crate::engine::saving::{saved_name, Piece, Save};
use crate::report::figure::bytes;

/// What is being saved, and what was.
#[derive(Default)]
pub struct Saver {
    going: RefCell<Option<Going>>,
    jobs: Cell<u32>,
    /// Address of the last one, kept until the next: the browser may still be reading it.
    last: RefCell<Option<String>>,
    /// The graph whose files are listed.
    listed: Cell<Option<u32>>,
}

struct Going {
    link: Rc<WorkerLink>,
    /// The files its graph was opened with.
    inputs: Rc<Vec<Input>>,
    /// How it began.
    begin: Request,
    /// The number of its pieces: one that was stopped may still have a piece on its way.
    job: u32,
    name: String,
    blobs: Array,
    size: f64,
}

impl Saver {
    /// Whether something is being saved.
    pub fn is_going(&self) -> bool {
        self.going.borrow().is_some()
    }

    /// Whether it comes from this worker.
    pub fn is_from(&self, link: &Rc<WorkerLink>) -> bool {
        let going = self.going.borrow();
        going.as_ref().is_some_and(|g| Rc::ptr_eq(&g.link, link))
    }

    /// Forgets what is being saved; `true` when there was something.
    pub fn stop(&self) -> Result<bool> {
        match self.going.take() {
            Some(going) => going
                .link
                .ask(Lane::Piece, &Request::Save(Save::Stop))
                .map(|()| true),
            None => Ok(false),
        }
    }

    /// Takes the list of files off the page: another graph is shown.
    pub fn forget_list(&self) -> Result<()> {
        self.listed.set(None);
        dom::clear(&dom::id("result-files")?);
        dom::id("result-menu")?.remove_attribute("open")?;
        Ok(())
    }
}

impl Page {
    /// Begins to save all result files in a ZIP, or one of them.
    pub fn save(&self, only: Option<String>) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref().filter(|_| self.is_ready()) else {
            return Ok(());
        };
        let job = self.saver.jobs.get() + 1;
        let graph = shown.overview.graph;
        self.saver.jobs.set(job);
        let name = saved_name(&shown.overview.summary.file.name, only.as_deref());
        let begin = Request::Save(Save::Begin { graph, only, job });
        show(0.0, 0.0, &tf(Word::SavingChecks, &[&name]))?;
        header::show_loading(true)?;
        shown.link.ask(Lane::Piece, &begin)?;
        *self.saver.going.borrow_mut() = Some(Going {
            link: shown.link.clone(),
            inputs: shown.inputs.clone(),
            begin,
            job,
            name,
            blobs: Array::new(),
            size: 0.0,
        });
        Ok(())
    }

    /// Asks which files there are, once a graph.
    pub fn list_files(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        let graph = shown.overview.graph;
        if self.saver.listed.replace(Some(graph)) == Some(graph) {
            return Ok(());
        }
        let list = dom::id("result-files")?;
        dom::append(&list, &[&dom::text("li", "dim", t(Word::ListingFiles))?])?;
        let request = Request::Save(Save::List { graph });
        shown.link.ask(Lane::ResultFiles, &request)
    }

    /// The files there are.
    pub(super) fn files_listed(&self, names: &[String]) -> Result<()> {
        let list = dom::id("result-files")?;
        dom::clear(&list);
        for name in names {
            let button = dom::text("button", "link mono", name)?;
            button.set_attribute("type", "button")?;
            button.set_attribute("data-save", name)?;
            let item = dom::make("li", "")?;
            dom::append(&item, &[&button])?;
            dom::append(&list, &[&item])?;
        }
        Ok(())
    }

    /// A piece has come.
    pub(super) fn saved(&self, link: &Rc<WorkerLink>, response: Response) -> Result<()> {
        if !self.saver.is_from(link) {
            return Ok(());
        }
        if let (Response::Wants(job, file), Some(going)) = (&response, &*self.saver.going.borrow())
        {
            let wanted = |input: &&Input| going.job == *job && input.name == *file;
            return match going.inputs.iter().find(wanted) {
                Some(input) => link.ask_after(Lane::Piece, input, &going.begin),
                None => Ok(()),
            };
        }
        let Response::Piece(piece) = response else {
            // The graph is not there any more.
            self.saver.going.take();
            return self.tell_state();
        };
        let whole = match self.saver.going.borrow_mut().as_mut() {
            Some(going) if going.job == piece.job => going.take(&piece)?,
            _ => return Ok(()),
        };
        if !whole {
            return link.ask(Lane::Piece, &Request::Save(Save::More));
        }
        if let Some(going) = self.saver.going.take() {
            let url = going.hand_over()?;
            if let Some(old) = self.saver.last.replace(Some(url)) {
                Url::revoke_object_url(&old)?;
            }
        }
        self.tell_state()
    }
}

impl Going {
    /// Keeps a piece; whether it was the last one.
    fn take(&mut self, piece: &Piece) -> Result<bool> {
        self.size += piece.bytes.len() as f64;
        let part = Uint8Array::from(piece.bytes.as_slice());
        let blob = Blob::new_with_u8_array_sequence(&Array::of1(&part))?;
        self.blobs.push(&blob);
        let text = tf(Word::Saving, &[&piece.file, &bytes(self.size as u64)]);
        show(piece.done as f64, piece.total as f64, &text)?;
        Ok(piece.last)
    }

    /// Gives the whole to the browser under its name; the value is its address.
    fn hand_over(&self) -> Result<String> {
        let whole = Blob::new_with_blob_sequence(&self.blobs)?;
        let url = Url::create_object_url_with_blob(&whole)?;
        let link: HtmlAnchorElement = dom::make_as("a", "")?;
        link.set_href(&url);
        link.set_download(&self.name);
        link.click();
        Ok(url)
    }
}

fn show(done: f64, total: f64, text: &str) -> Result<()> {
    let bar: HtmlProgressElement = dom::find("[data-hook=progress] progress")?;
    bar.set_max(total.max(1.0));
    bar.set_value(done);
    dom::id("progress-text")?.set_text_content(Some(text));
    Ok(())
}
