//! The worker's side: reads files piece by piece into a session, then answers requests.

use std::cell::RefCell;

use js_sys::Uint8ClampedArray;
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent};

use super::{message, Fault, Result};
use crate::engine::map::MapRequest;
use crate::engine::protocol::{Progress, Request};
use crate::engine::Session;

/// Bytes read at a time: large enough to be fast, small enough to show progress.
const PIECE: f64 = 8.0 * 1024.0 * 1024.0;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::new(Session::new());
    static PIXELS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn scope() -> Result<DedicatedWorkerGlobalScope> {
    js_sys::global()
        .dyn_into()
        .map_err(|_| Fault::new("not in a worker"))
}

/// Listens, and says so.
pub fn start() -> Result<()> {
    let scope = scope()?;
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        if let Err(fault) = handle(&event.data()) {
            post_fatal(&fault.0);
        }
    });
    scope.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    let ready = message::new("ready", 0)?;
    scope.post_message(&ready)?;
    Ok(())
}

/// Tells the page that this worker is of no more use.
pub fn post_fatal(text: &str) {
    let post = || -> Result<()> {
        let fatal = message::new("fatal", 0)?;
        message::set(&fatal, "text", &text.into())?;
        scope()?.post_message(&fatal)?;
        Ok(())
    };
    // Nobody is left to tell when this fails; the browser reports the trap that follows.
    let _ = post();
}

fn handle(data: &JsValue) -> Result<()> {
    let id = message::number(data, "id")? as u32;
    match message::text(data, "kind")?.as_str() {
        "open" => open(id, data),
        "ask" => {
            let request: Request = message::decode(message::get(data, "request")?)?;
            answer(id, "answer", &request)
        }
        "hash" => hash(id, &message::get(data, "blob")?.unchecked_into()),
        other => Err(Fault::new(format!("unknown message {other}"))),
    }
}

/// Paints; the pixels are handed over, not copied once more.
fn paint(id: u32, request: &MapRequest) -> Result<()> {
    PIXELS.with_borrow_mut(|pixels| {
        let response = SESSION.with_borrow_mut(|session| session.paint_map(request, pixels));
        let out = message::new("answer", id)?;
        message::set(&out, "response", &message::encode(&response)?)?;
        let pixels = Uint8ClampedArray::from(pixels.as_slice());
        message::set(&out, "pixels", &pixels)?;
        let handed = js_sys::Array::of1(&pixels.buffer());
        scope()?.post_message_with_transfer(&out, &handed)?;
        Ok(())
    })
}

fn answer(id: u32, kind: &str, request: &Request) -> Result<()> {
    if let Request::Map(request) = request {
        return paint(id, request);
    }
    let response = SESSION.with_borrow_mut(|session| session.answer(request));
    let out = message::new(kind, id)?;
    message::set(&out, "response", &message::encode(&response)?)?;
    scope()?.post_message(&out)?;
    Ok(())
}

/// Reads every file to its end, then tells which graphs there are.
fn open(id: u32, data: &JsValue) -> Result<()> {
    let files: js_sys::Array = message::get(data, "files")?.unchecked_into();
    let total = message::number(data, "total")?;
    let reader = FileReaderSync::new()?;
    let mut read = 0.0;
    let mut sizes = Vec::new();
    for file in files.iter() {
        sizes.push(message::get(&file, "blob")?.unchecked_into::<Blob>().size());
    }
    for file in files.iter() {
        let name = message::text(&file, "name")?;
        let partial = message::get(&file, "partial")?.is_truthy();
        let blob: Blob = message::get(&file, "blob")?.unchecked_into();
        // Files that are equal are told by their hash; of another size than all others none is.
        let size = blob.size();
        let hashed = sizes.iter().filter(|other| **other == size).count() > 1;
        read = read_file(id, &reader, &name, &blob, (partial, hashed), (read, total))?;
    }
    answer(id, "opened", &Request::Graphs)
}

/// The bytes of a file from a place on.
fn piece(reader: &FileReaderSync, blob: &Blob, at: f64, size: f64) -> Result<Vec<u8>> {
    let end = (at + PIECE).min(size);
    let piece = reader.read_as_array_buffer(&blob.slice_with_f64_and_f64(at, end)?)?;
    Ok(js_sys::Uint8Array::new(&piece).to_vec())
}

fn read_file(
    id: u32,
    reader: &FileReaderSync,
    name: &str,
    blob: &Blob,
    (partial, hashed): (bool, bool),
    (before, total): (f64, f64),
) -> Result<f64> {
    let size = blob.size();
    let mut sink =
        SESSION.with_borrow_mut(|session| session.begin_file(name, size as u64, partial));
    if hashed {
        sink = sink.with_fingerprint();
    }
    let mut at = 0.0;
    while at < size {
        progress(id, name, before + at, total)?;
        let piece = match piece(reader, blob, at, size) {
            Ok(piece) => piece,
            // The others may be read all the same.
            Err(why) => {
                SESSION.with_borrow_mut(|session| session.refuse_file(sink, &why.0));
                return Ok(before + size);
            }
        };
        sink.push(&piece);
        at = (at + PIECE).min(size);
        if sink.has_seen_enough() {
            break;
        }
    }
    progress(id, name, before + size, total)?;
    SESSION.with_borrow_mut(|session| session.end_file(sink));
    Ok(before + size)
}

/// The SHA-256 of a file.
fn hash(id: u32, blob: &Blob) -> Result<()> {
    let reader = FileReaderSync::new()?;
    let mut hash = Sha256::new();
    let (mut at, size) = (0.0, blob.size());
    while at < size {
        hash.update(piece(&reader, blob, at, size)?);
        at += PIECE;
    }
    let out = message::new("hashed", id)?;
    let bytes = js_sys::Uint8Array::from(hash.finalize().as_slice());
    message::set(&out, "hash", &bytes)?;
    scope()?.post_message(&out)?;
    Ok(())
}

fn progress(id: u32, name: &str, read: f64, total: f64) -> Result<()> {
    let out = message::new("progress", id)?;
    let progress = Progress {
        name: name.to_owned(),
        read,
        total,
    };
    message::set(&out, "progress", &message::encode_small(&progress)?)?;
    scope()?.post_message(&out)?;
    Ok(())
}
