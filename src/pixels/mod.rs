//! The memory map as boxes and as pixels: all of it that a number of tensors or pixels makes slow.
//!
//! `boxes` turns a plan into boxes of steps × bytes; `paint` computes for every pixel how much of
//! it is held, exactly, and by which class most; `look` turns that into colours. The page and the
//! file `MemoryMap.png` are painted by the same code; `moved` is for views that move in the page.
//! What the classes stand for is told by `report::map`.

mod boxes;
pub mod look;
pub mod moved;
mod paint;

pub use boxes::{MapBox, MemoryMap};
pub use paint::{Painter, Run, Window, CLASSES, NO_CLASS};
