//! What is said of the memory map: the classes of its boxes. Its pixels are made by `pixels`.

pub mod key;
