//! Files from wherever they come: chooser, drop (folders too), clipboard.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Function;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{
    Blob, DataTransfer, DataTransferItem, File, FileList, FileSystemDirectoryEntry,
    FileSystemDirectoryReader, FileSystemEntry, FileSystemFileEntry,
};

use super::{message, Result};

/// The name of a dump that was pasted as text.
const PASTED: &str = "pasted.ir";

/// One file to open.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name, relative to the folder that was opened.
    pub name: String,
    /// The bytes, not yet read.
    pub blob: Blob,
    /// Whether a damaged plan is to be shown in part.
    pub partial: bool,
}

impl Input {
    /// A file to be read as a whole.
    pub fn new(name: String, blob: Blob) -> Self {
        Self {
            name,
            blob,
            partial: false,
        }
    }

    fn of_file(file: File) -> Self {
        // A chosen folder's files carry the path from that folder on; its own name is left out.
        let path = message::get(&file, "webkitRelativePath")
            .ok()
            .and_then(|p| p.as_string())
            .unwrap_or_default();
        let name = match path.split_once('/') {
            Some((_, inside)) => inside.to_owned(),
            None => file.name(),
        };
        Self::new(name, file.into())
    }
}

/// All files of a list.
pub fn of_list(list: Option<FileList>) -> Vec<Input> {
    let Some(list) = list else { return Vec::new() };
    (0..list.length())
        .filter_map(|i| list.get(i))
        .map(Input::of_file)
        .collect()
}

/// The files that a paste brings.
pub fn of_paste(data: &DataTransfer) -> Vec<Input> {
    of_list(data.files())
}

/// A text as a dump.
pub fn of_text(text: &str) -> Result<Input> {
    let blob = Blob::new_with_str_sequence(&js_sys::Array::of1(&text.into()))?;
    Ok(Input::new(PASTED.into(), blob))
}

/// Walks what was dropped, folders too, and hands all files to `done`.
///
/// A page from the disk may neither read a dropped file by its entry nor walk a folder by it, at
/// least in Chromium. So files are taken as such, and of a folder `files_below` gives a promise of
/// pairs of a path and a file, or nothing where its entries can be walked.
pub fn of_drop(
    data: &DataTransfer,
    files_below: &Function,
    done: impl FnOnce(Vec<Input>) -> Result<()> + 'static,
) -> Result<()> {
    let items = data.items();
    // The list is gone when the event is over: take every entry now.
    let entries: Vec<(DataTransferItem, FileSystemEntry)> = (0..items.length())
        .filter_map(|i| items.get(i))
        .filter_map(|item| Some((item.clone(), item.webkit_get_as_entry().ok()??)))
        .collect();
    // Files need no walk, each of whose steps waits for the browser.
    if entries.iter().all(|(_, entry)| entry.is_file()) {
        return done(of_list(data.files()));
    }
    let one_folder = matches!(entries.as_slice(), [(_, only)] if only.is_directory());
    let strip = match entries.first() {
        Some((_, folder)) if one_folder => folder.full_path().len() + 1,
        _ => 1,
    };
    let walk = Rc::new(Walk {
        strip,
        pending: RefCell::new(1),
        found: RefCell::default(),
        done: RefCell::new(Some(Box::new(done))),
    });
    for (item, entry) in entries {
        if !entry.is_directory() {
            if let Some(file) = item.get_as_file()? {
                let input = Input::new(file.name(), file.into());
                walk.found.borrow_mut().push(input);
            }
            continue;
        }
        let path = match one_folder {
            true => String::new(),
            false => entry.name() + "/",
        };
        let below = files_below.call2(&JsValue::NULL, &item, &path.into())?;
        match below.is_undefined() {
            true => walk.enter(entry),
            false => walk.follow(&below)?,
        }
    }
    walk.leave();
    Ok(())
}

type Done = Box<dyn FnOnce(Vec<Input>) -> Result<()>>;

/// A walk through dropped folders; done when nothing is pending.
struct Walk {
    strip: usize,
    pending: RefCell<usize>,
    found: RefCell<Vec<Input>>,
    done: RefCell<Option<Done>>,
}

impl Walk {
    fn enter(self: &Rc<Self>, entry: FileSystemEntry) {
        *self.pending.borrow_mut() += 1;
        if entry.is_directory() {
            let folder: FileSystemDirectoryEntry = entry.unchecked_into();
            self.read_more(&folder.create_reader());
            return;
        }
        let name = entry
            .full_path()
            .get(self.strip..)
            .map_or_else(|| entry.name(), str::to_owned);
        let file: FileSystemFileEntry = entry.unchecked_into();
        let walk = self.clone();
        let found = Closure::once_into_js(move |file: File| {
            walk.found.borrow_mut().push(Input::new(name, file.into()));
            walk.leave();
        });
        let walk = self.clone();
        let failed = Closure::once_into_js(move |_: JsValue| walk.leave());
        file.file_with_callback_and_callback(found.unchecked_ref(), failed.unchecked_ref());
    }

    /// Takes what a promise gives: pairs of a path and a file.
    fn follow(self: &Rc<Self>, below: &JsValue) -> Result<()> {
        *self.pending.borrow_mut() += 1;
        let walk = self.clone();
        let found = Closure::once_into_js(move |pairs: js_sys::Array| {
            for pair in pairs.iter() {
                let pair: js_sys::Array = pair.unchecked_into();
                let name = pair.get(0).as_string().unwrap_or_default();
                let input = Input::new(name, pair.get(1).unchecked_into());
                walk.found.borrow_mut().push(input);
            }
            walk.leave();
        });
        let walk = self.clone();
        let failed = Closure::once_into_js(move |_: JsValue| walk.leave());
        let then: Function = message::get(below, "then")?.unchecked_into();
        then.call2(below, &found, &failed)?;
        Ok(())
    }

    /// A folder gives its entries in batches, the last one empty.
    fn read_more(self: &Rc<Self>, reader: &FileSystemDirectoryReader) {
        let walk = self.clone();
        let again = reader.clone();
        let batch = Closure::once_into_js(move |entries: js_sys::Array| {
            if entries.length() == 0 {
                walk.leave();
                return;
            }
            for entry in entries.iter() {
                walk.enter(entry.unchecked_into());
            }
            walk.read_more(&again);
        });
        let walk = self.clone();
        let failed = Closure::once_into_js(move |_: JsValue| walk.leave());
        let asked = reader
            .read_entries_with_callback_and_callback(batch.unchecked_ref(), failed.unchecked_ref());
        if asked.is_err() {
            self.leave();
        }
    }

    fn leave(&self) {
        *self.pending.borrow_mut() -= 1;
        if *self.pending.borrow() > 0 {
            return;
        }
        let done = self.done.take();
        if let Some(done) = done {
            let Ok(()) = done(self.found.take());
        }
    }
}
