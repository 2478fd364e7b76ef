//! Pictures, drawn with plotters on whatever backend a face brings.

pub mod axis;
mod glyphs;
pub mod lines;
pub mod map;
mod raster;
pub mod usage;
