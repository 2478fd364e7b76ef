//! somascope reads the memory plans that MindSpore's SOMAS writes as text, and says where the
//! memory goes.
//!
//! ```text
//!  bytes ──► parse ──► model::Plan ──► analysis ──► report ──► engine ──► cli │ web
//!            (text)     (columns)     (numbers)    (words,    (files,     (faces)
//!                                                   shapes)    requests)
//! ```
//!
//! | level | module | may use |
//! | --- | --- | --- |
//! | 0 | [`units`], [`sorting`] | std only |
//! | 1 | [`model`] | 0 |
//! | 2 | [`parse`], [`pixels`], [`analysis`] | 0, 1; not each other |
//! | 3 | [`report`] | 0 to 2 |
//! | 4 | [`engine`] | 0 to 3 |
//! | 5 | `cli`, `web` | 0 to 4; not each other |
//!
//! `ARCHITECTURE.md` holds the picture and the invariants; `tests/native/tidy.rs` checks them.

pub use somascope_core::{model, parse, pixels, sorting, units};

pub mod analysis;

pub mod report;

pub mod engine;

#[cfg(feature = "cli")]
pub mod cli;

#[cfg(all(feature = "web", target_arch = "wasm32"))]
pub mod web;
