//! What page and worker say to each other: plain objects, told apart by `kind`.
//!
//! To the worker: `open` (files), `ask` (a request). To the page: `ready`, `progress`, `opened`,
//! `answer`, `chart` (columns as number arrays, not as lists of objects), `lines` (tables and groups
//! as one text, see `lines`), `fatal`.

use js_sys::{Float64Array, Object, Reflect};
use serde::de::DeserializeOwned;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;

use super::{Fault, Result};
use crate::engine::protocol::ChartColumns;

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

/// Plain data as a value: whole numbers above 2^53 stay exact.
pub fn encode<T: Serialize>(value: &T) -> Result<JsValue> {
    let serializer =
        serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
    Ok(value.serialize(&serializer)?)
}

/// The other way.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Result<T> {
    Ok(serde_wasm_bindgen::from_value(value)?)
}

/// Writes columns into a message, and the buffers to hand over into `transfer`.
pub fn put_columns(
    message: &Object,
    columns: &ChartColumns,
    transfer: &js_sys::Array,
) -> Result<()> {
    set(message, "first", &columns.first.into())?;
    set(message, "last", &columns.last.into())?;
    set(message, "static_memory", &columns.static_memory.into())?;
    set(message, "peak_step", &columns.peak_step.into())?;
    set(message, "peak_alive", &columns.peak_alive.into())?;
    for (key, values) in [
        ("step", &columns.step),
        ("alive_min", &columns.alive_min),
        ("alive_max", &columns.alive_max),
        ("total", &columns.total),
    ] {
        let array = Float64Array::from(values.as_slice());
        transfer.push(&array.buffer());
        set(message, key, &array)?;
    }
    Ok(())
}

/// Reads columns out of a message.
pub fn take_columns(message: &JsValue) -> Result<ChartColumns> {
    let array = |key: &str| -> Result<Vec<f64>> {
        let array: Float64Array = get(message, key)?
            .dyn_into()
            .map_err(|_| Fault::new(format!("columns without {key}")))?;
        Ok(array.to_vec())
    };
    Ok(ChartColumns {
        first: number(message, "first")? as u32,
        last: number(message, "last")? as u32,
        step: array("step")?,
        alive_min: array("alive_min")?,
        alive_max: array("alive_max")?,
        total: array("total")?,
        static_memory: number(message, "static_memory")?,
        peak_step: number(message, "peak_step")? as u32,
        peak_alive: number(message, "peak_alive")?,
    })
}
