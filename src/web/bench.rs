//! What `cargo xtask bench` times in a browser; never in a published page.

use std::hint::black_box;

use wasm_bindgen::prelude::*;

use crate::parse::{ReadOptions, Reader};

/// A dump that lies in the module's memory as a whole.
#[wasm_bindgen]
pub struct ResidentDump {
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl ResidentDump {
    /// Room for so many bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(len: usize) -> Self {
        Self {
            bytes: vec![0; len],
        }
    }

    /// Copies a piece of the dump to its place; says whether it fits there.
    pub fn fill(&mut self, offset: usize, piece: &js_sys::Uint8Array) -> bool {
        let end = offset.saturating_add(piece.length() as usize);
        match self.bytes.get_mut(offset..end) {
            Some(place) => {
                piece.copy_to(place);
                true
            }
            None => false,
        }
    }

    /// Reads and resolves the dump; the number of its tensors.
    pub fn parse(&self) -> u32 {
        let mut stream = StreamedDump::new(self.bytes.len() as f64);
        stream.reader.push(black_box(&self.bytes));
        stream.finish()
    }

    /// The number of line ends.
    pub fn scan(&self) -> u32 {
        memchr::memchr_iter(b'\n', black_box(&self.bytes)).count() as u32
    }
}

/// A dump that is read piece by piece, and not kept.
#[wasm_bindgen]
pub struct StreamedDump {
    reader: Reader,
}

#[wasm_bindgen]
impl StreamedDump {
    /// Nothing read yet of a dump of that many bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: f64) -> Self {
        let options = ReadOptions {
            size_hint: bytes as u64,
            ..ReadOptions::default()
        };
        Self {
            reader: Reader::new(options),
        }
    }

    /// The next piece.
    pub fn push(&mut self, piece: &js_sys::Uint8Array) {
        self.reader.push(&piece.to_vec());
    }

    /// Ends the dump; the number of its tensors.
    pub fn finish(self) -> u32 {
        let parsed = self.reader.finish();
        black_box(&parsed)
            .plan
            .as_ref()
            .map_or(0, |plan| plan.n_tensors())
    }
}
