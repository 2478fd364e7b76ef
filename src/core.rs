//! The part of somascope that reads plans and paints them: `lib.rs` gives it on under its own name.
//!
//! It is a package of its own (`core/Cargo.toml`) for one reason: the page is built for size, and
//! this part of it for speed.

pub mod sorting;
pub mod units;

pub mod model;

pub mod parse;

pub mod pixels;
