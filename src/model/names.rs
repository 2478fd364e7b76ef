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

    /// The bytes of a name.
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

    /// Number of names.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32 - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Whether a character would do something instead of being shown: controls (line ends and
/// escapes among them), direction marks, invisible joiners, tags.
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}' | '\u{061c}')
}
