//! All that a face can ask: open files, read facts, follow a step. No IO, no clock, no browser.
//!
//! A face feeds bytes to a [`Session`] (chunk by chunk, with [`Session::begin_file`],
//! [`FileReader::push`] and [`Session::end_file`]) and then sends [`Request`]s. Everything that
//! goes in or out is plain serializable data, so that the browser's worker can run the session
//! and the page only draws.

mod answers;
mod curves;
mod details;
pub mod explore;
mod file_set;
mod groups;
pub mod lookup;
pub mod map;
mod messages;
pub mod protocol;
pub mod safety;
pub mod saving;
mod session;
pub mod share;
mod siblings;
mod summary_wire;
mod table;
pub mod tasks;
pub mod view;
pub mod wire;

pub use file_set::{base_name, name_order, place_of, Place};
pub use messages::messages;
pub use protocol::{Request, Response};
pub use session::{FileReader, Judgement, Parts, Session, Tasks};
