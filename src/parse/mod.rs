//! Text in, [`Plan`] out: what a file is, and its content or what is wrong with it.
//!
//! A [`Reader`] is fed bytes in chunks of any size and keeps columns, never the text. It answers
//! with a [`Parsed`]: the kind of the file (told by content, never by name), the plan of a main
//! dump, diagnostics with positions, and an account of every line. It does no IO, and the words
//! of a diagnostic live in `report::text`.
//!
//! The stages, in order: [`kind`] (what is this file) → [`lines`] (chunks to lines) →
//! [`dump`] with [`sections`] (which table a line belongs to) → [`rows`], [`node_rows`] (hot rows
//! by hand; nom for the rest in [`small`]) → [`raw`] (columns as printed) → [`resolve`] with
//! [`link`] (references, sources, readers), [`generation`] (variant, device, gap), [`complete`]
//! (what older variants leave out) and [`checks`] (contradictions). Files beside a plan that say
//! something about it have readers of their own: [`task_info`], [`edges`], [`relation`]. [`oom`]
//! reads messages about memory that ran out.

mod checks;
mod complete;
mod diagnostic;
mod dump;
mod edges;
mod generation;
mod kind;
mod lines;
mod link;
mod node_rows;
pub mod oom;
mod raw;
mod reader;
mod relation;
mod resolve;
mod rows;
mod sections;
mod small;
mod task_info;
mod token;
mod unpack;

pub use diagnostic::{Arg, Code, Diagnostic, Diagnostics, Excerpt, Severity, What};
pub use kind::FileKind;
pub use reader::{LineCount, Parsed, ReadOptions, Reader, SiblingFacts, SiblingRead};
pub use relation::{EachRow, RelationReader};
pub use resolve::Positions;
