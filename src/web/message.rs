//! What page and worker say to each other: plain objects, told apart by `kind`.
//!
//! To the worker: `open` (files), `ask` (a request), `hash` (a file), `warm` (a plan to try). To the page: `ready`,
//! `warm`, `progress`, `opened`, `answer`, `hashed`. A fault of the worker comes as its `error` event.

use js_sys::{Object, Reflect, Uint8Array};
use serde::de::DeserializeOwned;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;

use super::{Fault, Result};
use crate::engine::wire;

/// A new message.
pub fn new(kind: &str, id: u32) -> Result<Object> {
    let message = Object::new();
    set(&message, "kind", &kind.into())?;
    set(&message, "id", &id.into())?;
    Ok(message)
}

/// Sets a field.
pub fn set(message: &Object, key: &str, value: &JsValue) -> Result<()> {
    Reflect::set(message, &key.into(), value)?;
    Ok(())
}

/// Gets a field; undefined when it is not there.
pub fn get(message: &JsValue, key: &str) -> Result<JsValue> {
    Ok(Reflect::get(message, &key.into())?)
}

/// Gets a text.
pub fn text(message: &JsValue, key: &str) -> Result<String> {
    get(message, key)?
        .as_string()
        .ok_or_else(|| Fault::new(format!("message without {key}")))
}

/// Gets a number.
pub fn number(message: &JsValue, key: &str) -> Result<f64> {
    get(message, key)?
        .as_f64()
        .ok_or_else(|| Fault::new(format!("message without {key}")))
}

/// A small message of a few fields as a value of the browser.
pub fn encode_small<T: Serialize>(value: &T) -> Result<JsValue> {
    Ok(serde_wasm_bindgen::to_value(value)?)
}

/// Plain data of any size as a value: an array of bytes.
pub fn encode<T: Serialize>(value: &T) -> Result<JsValue> {
    let bytes = wire::write::<T, Fault>(value)?;
    Ok(Uint8Array::from(bytes.as_slice()).into())
}

/// The other way.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T> {
    let bytes: Uint8Array = value
        .dyn_into()
        .map_err(|_| Fault::new("a message without its bytes"))?;
    wire::read(&bytes.to_vec())
}
