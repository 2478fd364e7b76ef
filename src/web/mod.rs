//! The page and its worker.
//!
//! ```text
//!  boot.js ──► page_main   page ──► worker_link ──(messages)──► worker ──► engine::Session
//!          └─► worker_main    ▲                                    │
//!                             └──────────── answers ◄──────────────┘
//! ```
//!
//! The worker reads files and answers requests; the page only draws. Both run the same compiled
//! module. Nothing here computes: numbers come from `engine`, words from `report::text`.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod dom;
mod message;
mod prefs;
mod words;

mod reading;
mod warming;
mod worker;

mod worker_link;

#[cfg(feature = "bench")]
mod bench;

mod chart_wiring;
mod charts;
mod strip;
mod windows;
mod zoom;

mod groups;
mod icicle;
mod table;

mod map;
mod map_facts;
mod map_marks;
mod map_pen;
mod map_picture;
mod map_wiring;

mod ink;
mod overlap_map;
mod pair_picture;
mod pair_words;
mod safety;

mod addresses;
mod budget;
mod compare;
mod details;
mod exploring;
mod facts;
mod graphs;
mod header;
mod history;
mod inputs;
mod linked;
mod numbers;
mod oom;
mod opening;
mod page;
mod problems;
mod saving;
mod search;
mod selection;
mod sharing;
mod wiring;

use std::fmt;

use wasm_bindgen::prelude::*;

/// What went wrong between us and the browser: a fault of the page, not of a file.
///
/// There is no value of it. A fault is thrown where it happens, out of the module, and whoever listens
/// for uncaught errors shows it; so a [`Result`] here is no larger than what it holds, and `?` is no
/// code. What may fail in a healthy page keeps the browser's own error until it is dealt with.
#[derive(Debug)]
pub enum Fault {}

impl Fault {
    fn new(text: impl AsRef<str>) -> Self {
        Self::throw(text)
    }

    fn throw(text: impl AsRef<str>) -> ! {
        wasm_bindgen::throw_str(text.as_ref())
    }
}

impl From<JsValue> for Fault {
    fn from(value: JsValue) -> Self {
        wasm_bindgen::throw_val(value)
    }
}

impl From<serde_wasm_bindgen::Error> for Fault {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        wasm_bindgen::throw_val(error.into())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, _: &mut fmt::Formatter) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Fault {}

// Page and worker are one module: a message that one of them cannot read is a fault of the program.
impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::throw("malformed message")
    }
}

impl serde::ser::Error for Fault {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::throw("malformed message")
    }
}

type Result<T, E = Fault> = std::result::Result<T, E>;

/// What an error of the browser says.
fn said(error: &JsValue) -> String {
    error
        .dyn_ref::<js_sys::Error>()
        .map(|e| String::from(e.message()))
        .or_else(|| error.as_string())
        .unwrap_or_default()
}

/// Starts the page. `start_worker` gives a new worker each time, `files_below` what lies in a
/// dropped folder where [`inputs::of_drop`] cannot; `sample` is a plan to try.
#[wasm_bindgen]
pub fn page_main(
    start_worker: js_sys::Function,
    files_below: js_sys::Function,
    sample: web_sys::Blob,
    sample_name: String,
) {
    let Ok(()) = problems::show_uncaught();
    let sample = inputs::Input::new(sample_name, sample);
    let Ok(_) = page::Page::start(start_worker, files_below, sample);
}

/// Starts the worker's side; called in a worker that has the module.
#[wasm_bindgen]
pub fn worker_main() {
    let Ok(()) = worker::start();
}
