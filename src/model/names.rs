//! Names as the dump prints them: bytes in one arena, one entry a node or parameter.
//!
//! A name may hold anything but a tab and a line end, in any encoding; it is turned into text in
//! one place only (`report::names`).

/// A name in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(pub u32);

/// The arena of all names of a dump.
#[derive(Clone, Debug)]
pub struct Names {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            ends: vec![0],
        }
    }
}

impl Names {
    /// Appends a name. `None` when the arena would outgrow 4 GiB.
    pub fn push(&mut self, name: &[u8]) -> Option<NameId> {
        let end = u32::try_from(self.bytes.len() + name.len()).ok()?;
        self.bytes.extend_from_slice(name);
        self.ends.push(end);
        Some(NameId(self.ends.len() as u32 - 2))
    }

    /// Asks for room for `names` more names of `bytes` bytes together.
    pub fn reserve(&mut self, names: usize, bytes: usize) {
        self.ends.reserve(names);
        self.bytes.reserve(bytes);
    }

    /// The bytes of a name.
    #[inline(always)]
    pub fn get(&self, id: NameId) -> &[u8] {
        let i = id.0 as usize;
        match (self.ends.get(i), self.ends.get(i + 1)) {
            (Some(&a), Some(&b)) => self.bytes.get(a as usize..b as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The bytes of all names one behind the other, and where they end: name `i` lies from
    /// `ends[i]` to `ends[i + 1]`.
    pub fn arena(&self) -> (&[u8], &[u32]) {
        (&self.bytes, &self.ends)
    }

    /// Whether a name is just `other`.
    ///
    /// By eight bytes at a time: names are short, and the comparison that wasm brings goes byte by
    /// byte (measured: a tenth of the whole read).
    #[inline(always)]
    pub fn is(&self, id: NameId, other: &[u8]) -> bool {
        let name = self.get(id);
        if name.len() != other.len() {
            return false;
        }
        let mut words = name.chunks_exact(8).zip(other.chunks_exact(8));
        if !words.all(|(a, b)| word(a) == word(b)) {
            return false;
        }
        // The last eight bytes cover what is left; some of them are compared again.
        match (name.last_chunk::<8>(), other.last_chunk::<8>()) {
            (Some(a), Some(b)) => u64::from_le_bytes(*a) == u64::from_le_bytes(*b),
            _ => short_word(name) == short_word(other),
        }
    }

    /// Number of names.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32 - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Eight bytes as a number.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    bytes
        .first_chunk::<8>()
        .map_or(0, |chunk| u64::from_le_bytes(*chunk))
}

/// Fewer than eight bytes as a number; of the same length, they are equal where the bytes are.
#[inline(always)]
fn short_word(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, b| value << 8 | u64::from(*b))
}

/// Whether a character would do something instead of being shown: controls (line ends and
/// escapes among them), direction marks, invisible joiners, tags.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{061c}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_to_their_last_byte() {
        let text = b"Default/net/ReLU-op0123";
        for len in 0..=text.len() {
            let mut names = Names::default();
            let id = names.push(&text[..len]).unwrap();
            assert!(names.is(id, &text[..len]));
            assert!(!names.is(id, b"Default/net/ReLU-op01234"));
            for at in 0..len {
                let mut other = text[..len].to_vec();
                other[at] ^= 1;
                assert!(!names.is(id, &other), "{len} {at}");
            }
        }
    }
}
