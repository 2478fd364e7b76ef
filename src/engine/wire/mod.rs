//! Plain data as bytes and back, in postcard's wire format.
//!
//! The format is postcard's, byte for byte (its documentation calls it stable, and the tests compare);
//! the code is ours because the caller chooses the error. Page and worker are one module, so between
//! them there is none: with an error type that has no value every check that follows a field is
//! gone, which makes the page smaller than the crate does. What comes from outside (a link) has a
//! real one, and every length is held against the bytes that are there.
//!
//! Not taken: characters, 32-bit floats, raw bytes and whatever has to describe itself. No
//! message has them; the first use fails, on both ways.

mod read;
mod write;

pub use read::{read, Malformed};
pub use write::write;
