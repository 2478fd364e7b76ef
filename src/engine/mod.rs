//! All that a face can ask: open files, read facts, follow a step. No IO, no clock, no browser.
//!
//! A face feeds bytes to a [`Session`] (chunk by chunk, with [`Session::begin_file`],
//! [`FileReader::push`] and [`Session::end_file`]) and then sends [`Request`]s. Everything that
//! goes in or out is plain serializable data, so that the browser's worker can run the session
//! and the page only draws.

mod curves;
mod details;
pub mod explore;
mod file_set;
mod groups;
pub mod map;
pub mod protocol;
mod session;
mod summary_wire;
mod table;
pub mod view;

pub use file_set::{base_name, place_of, Place};
pub use protocol::{Request, Response};
pub use session::{messages, name_order, FileReader, Parts, Session};
