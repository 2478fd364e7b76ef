//! The worker's side of opening: files to their ends, in pieces that the browser fetches while the
//! ones before are parsed.
//!
//! A file comes as a stream that fills a buffer of ours (measured on 229 MB: pieces asked for one
//! after the other cost 0.3 s more, and so does a stream that brings buffers of its own, which are
//! what a browser without the first kind gives).

use std::cell::RefCell;

use js_sys::{Date, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Blob;

use super::worker::{answer, scope, SESSION};
use super::{message, said, Result};
use crate::engine::protocol::{Progress, Request};
use crate::engine::saving::Save;
use crate::engine::FileReader;

/// Room for a piece, bytes; a browser fills some two million at a time.
const PIECE: u32 = 4 << 20;

/// Milliseconds between two words of progress: the page takes time to draw each.
const TOLD: f64 = 100.0;

thread_local! {
    static READING: RefCell<Option<Reading>> = const { RefCell::new(None) };
}

/// All that one message asks to open.
pub struct Reading {
    id: u32,
    /// What is asked once the files are read; they are conflict matrices of its graph then.
    then: Option<Request>,
    /// Those that were not begun, the next one last.
    files: Vec<JsValue>,
    /// Sizes of all, bytes.
    sizes: Vec<f64>,
    now: Option<File>,
    /// Bytes of the files that are done.
    done: f64,
    /// Bytes of all.
    total: f64,
    /// When progress was last told.
    told: f64,
    /// The piece that is parsed.
    piece: Vec<u8>,
    came: Closure<dyn FnMut(JsValue)>,
    failed: Closure<dyn FnMut(JsValue)>,
}

/// The file that is read.
struct File {
    name: String,
    size: f64,
    /// Bytes read.
    at: f64,
    sink: FileReader,
    reader: JsValue,
}

/// Calls a method that the object of the browser may not have, or that may refuse.
fn call(object: &JsValue, method: &str, arg: &JsValue) -> Result<JsValue, JsValue> {
    let method: Function = Reflect::get(object, &method.into())?.dyn_into()?;
    method.call1(object, arg)
}

/// Hands what came to what is being read.
fn go_on(what: impl FnOnce(&mut Reading) -> Result<()>) {
    READING.with_borrow_mut(|reading| {
        if let Some(reading) = reading.as_mut() {
            let Ok(()) = what(reading);
        }
    });
}

impl Reading {
    /// Begins to read every file to its end; then answers the request that came with them, or tells
    /// which graphs there are.
    pub fn begin(id: u32, data: &JsValue) -> Result<()> {
        let files: js_sys::Array = message::get(data, "files")?.unchecked_into();
        let mut files: Vec<JsValue> = files.iter().collect();
        files.reverse();
        let size = |file: &JsValue| Ok(blob_of(file)?.size());
        let request = message::get(data, "request")?;
        let then = match request.is_undefined() {
            true => None,
            false => Some(message::decode(request)?),
        };
        let reading = Self {
            id,
            then,
            sizes: files.iter().map(size).collect::<Result<_>>()?,
            files,
            now: None,
            done: 0.0,
            total: message::number(data, "total")?,
            told: 0.0,
            piece: Vec::new(),
            came: Closure::new(|piece| go_on(|reading| reading.take(&piece))),
            failed: Closure::new(|why: JsValue| go_on(|reading| reading.refuse(&said(&why)))),
        };
        READING.with_borrow_mut(|place| place.insert(reading).next())
    }

    /// Begins the next file.
    fn next(&mut self) -> Result<()> {
        let Some(file) = self.files.pop() else {
            return match &self.then {
                Some(request) => answer(self.id, "answer", request),
                None => answer(self.id, "opened", &Request::Graphs),
            };
        };
        let name = message::text(&file, "name")?;
        let partial = message::get(&file, "partial")?.is_truthy();
        let blob = blob_of(&file)?;
        let size = blob.size();
        let begun = SESSION.with_borrow(|session| match &self.then {
            Some(Request::Save(Save::Begin { graph, .. })) => session.begin_matrix(*graph),
            _ => Some(session.begin_file(&name, size as u64, partial)),
        });
        let Some(mut sink) = begun else {
            return self.next();
        };
        // Files that are equal are told by their hash; of another size than all others none is.
        if self.sizes.iter().filter(|other| **other == size).count() > 1 {
            sink = sink.with_fingerprint();
        }
        let stream = call(&blob, "stream", &JsValue::UNDEFINED)?;
        let kind = Object::new();
        message::set(&kind, "mode", &"byob".into())?;
        let reader = call(&stream, "getReader", &kind)
            .or_else(|_| call(&stream, "getReader", &JsValue::UNDEFINED))?;
        self.now = Some(File {
            name,
            size,
            at: 0.0,
            sink,
            reader,
        });
        self.tell()?;
        let piece = self.ask(&Uint8Array::new_with_length(PIECE))?;
        self.wait(&piece);
        Ok(())
    }

    /// Asks for the next piece, to be put into `room`.
    fn ask(&self, room: &Uint8Array) -> Result<Promise> {
        let nothing = JsValue::UNDEFINED;
        let reader = self.now.as_ref().map_or(&nothing, |file| &file.reader);
        Ok(call(reader, "read", room)?.unchecked_into())
    }

    fn wait(&self, piece: &Promise) {
        let _ = piece.then2(&self.came, &self.failed);
    }

    /// A piece has come, or the end.
    fn take(&mut self, result: &JsValue) -> Result<()> {
        if message::get(result, "done")?.is_truthy() {
            return self.end();
        }
        let bytes: Uint8Array = message::get(result, "value")?.unchecked_into();
        let len = bytes.length() as usize;
        if self.piece.len() < len {
            self.piece.resize(len, 0);
        }
        let piece = self.piece.get_mut(..len).unwrap_or_default();
        bytes.copy_to(piece);
        // The browser fills the same place again while this piece is parsed; `bytes` is empty then.
        let next = self.ask(&Uint8Array::new(&bytes.buffer()))?;
        let Some(file) = &mut self.now else {
            return Ok(());
        };
        file.at += len as f64;
        let piece = self.piece.get(..len).unwrap_or_default();
        SESSION.with_borrow(|session| session.push(&mut file.sink, piece));
        if file.sink.has_seen_enough() {
            // Whatever comes of it, the file is done.
            let _ = call(&file.reader, "cancel", &JsValue::UNDEFINED);
            return self.end();
        }
        self.wait(&next);
        if Date::now() - self.told >= TOLD {
            self.tell()?;
        }
        Ok(())
    }

    /// The file has come to its end, or far enough.
    fn end(&mut self) -> Result<()> {
        if let Some(sink) = self.leave()? {
            SESSION.with_borrow_mut(|session| session.end_file(sink));
        }
        self.next()
    }

    /// The file cannot be read; the others may be all the same.
    fn refuse(&mut self, why: &str) -> Result<()> {
        if let Some(sink) = self.leave()? {
            SESSION.with_borrow_mut(|session| session.refuse_file(sink, why));
        }
        self.next()
    }

    fn leave(&mut self) -> Result<Option<FileReader>> {
        if let Some(file) = &mut self.now {
            file.at = file.size;
        }
        self.tell()?;
        let file = self.now.take();
        self.done += file.as_ref().map_or(0.0, |file| file.size);
        Ok(file.map(|file| file.sink))
    }

    fn tell(&mut self) -> Result<()> {
        if let Some(file) = &self.now {
            self.told = Date::now();
            let out = message::new("progress", self.id)?;
            let progress = Progress {
                name: file.name.clone(),
                read: self.done + file.at,
                total: self.total,
            };
            message::set(&out, "progress", &message::encode_small(&progress)?)?;
            scope()?.post_message(&out)?;
        }
        Ok(())
    }
}

fn blob_of(file: &JsValue) -> Result<Blob> {
    Ok(message::get(file, "blob")?.unchecked_into())
}
