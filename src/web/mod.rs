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

use wasm_bindgen::prelude::*;

/// What went wrong between us and the browser: a fault of the page, not of a file.
#[derive(Debug)]
pub struct Fault(String);

impl Fault {
    fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl From<JsValue> for Fault {
    fn from(value: JsValue) -> Self {
        let text = value
            .dyn_ref::<js_sys::Error>()
            .map(|e| String::from(e.message()))
            .or_else(|| value.as_string())
            .unwrap_or_else(|| format!("{value:?}"));
        Self(text)
    }
}

impl From<serde_wasm_bindgen::Error> for Fault {
    fn from(error: serde_wasm_bindgen::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<postcard::Error> for Fault {
    fn from(error: postcard::Error) -> Self {
        Self(error.to_string())
    }
}

type Result<T, E = Fault> = std::result::Result<T, E>;

/// Shows a fault on the page; the last resort when even that fails is the console.
fn report(fault: &Fault) {
    if problems::show_stopped(&fault.0).is_err() {
        web_sys::console::error_1(&JsValue::from_str(&fault.0));
    }
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
    std::panic::set_hook(Box::new(|info| report(&Fault::new(info.to_string()))));
    let sample = inputs::Input::new(sample_name, sample);
    if let Err(fault) = page::Page::start(start_worker, files_below, sample) {
        report(&fault);
    }
}

/// Starts the worker's side; called in a worker that has the module.
#[wasm_bindgen]
pub fn worker_main() {
    std::panic::set_hook(Box::new(|info| worker::post_fatal(&info.to_string())));
    if let Err(fault) = worker::start() {
        worker::post_fatal(&fault.0);
    }
}
