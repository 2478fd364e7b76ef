//! Results turned into what people and programs read: the machine-readable summary, words in two
//! languages, figures with units, pictures.
//!
//! Comes in: a plan, results of `analysis`, diagnostics of `parse`. Goes out: serializable twins,
//! strings, drawings on any backend. Knows nothing of files, arguments or the browser.

pub mod chart;
pub mod figure;
pub mod findings;
pub mod graphs;
pub mod json;
pub mod map;
pub mod names;
pub mod results;
pub mod text;
