//! Bytes of a file, compressed by gzip or not, to the bytes of its text: the first two tell.

use std::io::Write;

use flate2::write::MultiGzDecoder;

/// Takes what is unpacked.
type Each<'a> = dyn FnMut(&[u8]) + 'a;

/// Packed bytes at a time: what comes of them is never more than some megabytes.
const STEP: usize = 4096;

/// Unpacks one file.
#[derive(Debug, Default)]
pub(crate) struct Unpack {
    mode: Mode,
    failed: bool,
}

#[derive(Debug)]
enum Mode {
    /// Too few bytes to tell.
    Start(Vec<u8>),
    Plain,
    Gz(Box<MultiGzDecoder<Vec<u8>>>),
}

impl Default for Mode {
    fn default() -> Self {
        Self::Start(Vec::new())
    }
}

impl Unpack {
    /// The next bytes of the file.
    pub(crate) fn push(&mut self, bytes: &[u8], each: &mut Each<'_>) {
        match &mut self.mode {
            Mode::Plain => each(bytes),
            Mode::Gz(gz) => {
                for part in bytes.chunks(STEP) {
                    self.failed = self.failed || gz.write_all(part).is_err();
                    each(gz.get_ref());
                    gz.get_mut().clear();
                }
            }
            Mode::Start(head) if head.is_empty() && bytes.len() >= 2 => self.begin(bytes, each),
            Mode::Start(head) => {
                head.extend_from_slice(bytes);
                if head.len() >= 2 {
                    let head = std::mem::take(head);
                    self.begin(&head, each);
                }
            }
        }
    }

    fn begin(&mut self, head: &[u8], each: &mut Each<'_>) {
        self.mode = match head.starts_with(&[0x1f, 0x8b]) {
            true => Mode::Gz(Box::new(MultiGzDecoder::new(Vec::new()))),
            false => Mode::Plain,
        };
        self.push(head, each);
    }

    /// Whether the file is damaged so that nothing more comes of it.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed
    }

    /// The file ends here; whether it was damaged.
    pub(crate) fn finish(mut self, each: &mut Each<'_>) -> bool {
        match &mut self.mode {
            Mode::Start(head) => each(head),
            Mode::Plain => {}
            Mode::Gz(gz) => {
                self.failed = gz.try_finish().is_err() || self.failed;
                each(gz.get_ref());
            }
        }
        self.failed
    }
}
