//! The memory map as a picture: boxes of `analysis::map` on a raster of pixels.
//!
//! `paint` computes for every pixel how much of it is held, exactly, and by which class most;
//! `key` sorts the boxes into classes and says what they are called; `look` turns both into
//! colours. The page and the file `MemoryMap.png` are painted by the same code; `moved` is for views that
//! move in the page.

pub mod key;
pub mod look;
pub mod moved;
mod paint;

pub use paint::{Painter, Run, Window, CLASSES, NO_CLASS};
