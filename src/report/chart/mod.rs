//! Pictures, drawn with plotters on whatever backend a face brings.

pub mod axis;
pub mod usage;
