//! Pictures, drawn with plotters on whatever backend a face brings.
