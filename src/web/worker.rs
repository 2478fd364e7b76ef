//! The worker's side: has files read into a session, then answers requests.

use std::cell::RefCell;

use js_sys::Uint8ClampedArray;
use sha2::{Digest, Sha256};
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Blob, DedicatedWorkerGlobalScope, FileReaderSync, MessageEvent};

use super::reading::Reading;
use super::{message, warming, Fault, Result};
use crate::engine::map::MapRequest;
use crate::engine::protocol::Request;
use crate::engine::Session;

/// Bytes hashed at a time.
const PIECE: f64 = 8.0 * 1024.0 * 1024.0;

thread_local! {
    pub(super) static SESSION: RefCell<Session> = RefCell::new(Session::new());
    static PIXELS: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub(super) fn scope() -> Result<DedicatedWorkerGlobalScope> {
    js_sys::global()
        .dyn_into()
        .map_err(|_| Fault::new("not in a worker"))
}

/// Listens, and says so.
pub fn start() -> Result<()> {
    let scope = scope()?;
    let handler = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| {
        let Ok(()) = handle(&event.data());
    });
    scope.set_onmessage(Some(handler.as_ref().unchecked_ref()));
    handler.forget();
    let ready = message::new("ready", 0)?;
    scope.post_message(&ready)?;
    Ok(())
}

fn handle(data: &JsValue) -> Result<()> {
    warming::end();
    let id = message::number(data, "id")? as u32;
    match message::text(data, "kind")?.as_str() {
        "open" => Reading::begin(id, data),
        "warm" => warming::begin(&message::get(data, "blob")?.unchecked_into()),
        "ask" => {
            let request: Request = message::decode(message::get(data, "request")?)?;
            answer(id, "answer", &request)
        }
        "hash" => hash(id, &message::get(data, "blob")?.unchecked_into()),
        other => Fault::throw(format!("unknown message {other}")),
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

pub(super) fn answer(id: u32, kind: &str, request: &Request) -> Result<()> {
    if let Request::Map(request) = request {
        return paint(id, request);
    }
    let response = SESSION.with_borrow_mut(|session| session.answer(request));
    let out = message::new(kind, id)?;
    message::set(&out, "response", &message::encode(&response)?)?;
    scope()?.post_message(&out)?;
    Ok(())
}

/// The bytes of a file from a place on.
fn piece(reader: &FileReaderSync, blob: &Blob, at: f64, size: f64) -> Result<Vec<u8>> {
    let end = (at + PIECE).min(size);
    let piece = reader.read_as_array_buffer(&blob.slice_with_f64_and_f64(at, end)?)?;
    Ok(js_sys::Uint8Array::new(&piece).to_vec())
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
