//! Chunks of any size to whole lines, without copying any but the ones a chunk cuts.

use memchr::memchr;

/// Keeps the beginning of a line whose end has not come yet.
#[derive(Debug, Default)]
pub(crate) struct LineSplitter {
    carry: Vec<u8>,
}

impl LineSplitter {
    /// Calls `each` with every line that is complete, without its `\n`.
    pub(crate) fn push(&mut self, chunk: &[u8], mut each: impl FnMut(&[u8])) {
        let mut rest = chunk;
        if !self.carry.is_empty() {
            match memchr(b'\n', rest) {
                None => {
                    self.carry.extend_from_slice(rest);
                    return;
                }
                Some(end) => {
                    let (head, tail) = rest.split_at(end);
                    self.carry.extend_from_slice(head);
                    each(&self.carry);
                    self.carry.clear();
                    rest = tail.get(1..).unwrap_or(&[]);
                }
            }
        }
        while let Some(end) = memchr(b'\n', rest) {
            let (line, tail) = rest.split_at(end);
            each(line);
            rest = tail.get(1..).unwrap_or(&[]);
        }
        self.carry.extend_from_slice(rest);
    }

    /// The last line, if it has no line end.
    pub(crate) fn finish(&mut self) -> Option<Vec<u8>> {
        let last = std::mem::take(&mut self.carry);
        (!last.is_empty()).then_some(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_gives_the_same_lines() {
        let text = b"ab\n\ncd\r\nlast";
        for size in 1..=text.len() {
            let (mut splitter, mut seen) = (LineSplitter::default(), Vec::new());
            for chunk in text.chunks(size) {
                splitter.push(chunk, |l| seen.push(l.to_vec()));
            }
            seen.extend(splitter.finish());
            assert_eq!(
                seen,
                [b"ab".to_vec(), vec![], b"cd\r".to_vec(), b"last".to_vec()],
                "{size}"
            );
        }
    }
}
