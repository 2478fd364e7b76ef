//! Does any text behind `#s=` give a summary or an error, and can all be said of it that is said?
//!
//! The bytes are tried as the text itself, and packed as what lies in a link, which a change of the
//! text hardly ever reaches.

#![no_main]

use std::io::Write;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use libfuzzer_sys::fuzz_target;
use somascope::engine::share::{decode, encode, markdown, preview};
use somascope::report::text::Lang;

fn read(text: &str) {
    let Ok(shared) = decode(text) else { return };
    shared.overview();
    shared.columns();
    preview(&shared, Lang::En);
    markdown(&shared, text, Lang::Zh);
    // What was read once is read again, and is the same.
    if let Some(again) = encode(&shared).filter(|again| again.len() <= text.len()) {
        assert_eq!(decode(&again), Ok(shared));
    }
}

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        read(text);
    }
    let mut packer = flate2::write::DeflateEncoder::new(vec![1], flate2::Compression::fast());
    if packer.write_all(data).is_ok() {
        if let Ok(packed) = packer.finish() {
            read(&URL_SAFE_NO_PAD.encode(packed));
        }
    }
});
