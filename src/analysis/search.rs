//! Which names hold a text, whatever the case of its ASCII letters.
//!
//! All names lie in one piece of memory, which is looked through once, eight places at a time:
//! the two bytes of the wanted text that are rarest among the names are compared first, and only
//! where both fit, everything is.

use crate::model::{IndexSet, Names};

const ONES: u64 = u64::from_le_bytes([1; 8]);
const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);

/// One byte of the wanted text: its place in it, and how eight bytes are compared with it.
#[derive(Clone, Copy)]
struct Probe {
    at: usize,
    fold: u64,
    byte: u64,
}

impl Probe {
    fn new(needle: &[u8], at: usize) -> Self {
        let byte = needle.get(at).copied().unwrap_or(0);
        // Setting this bit makes a letter small; other bytes must stay as they are.
        let fold = if byte.is_ascii_alphabetic() { 0x20 } else { 0 };
        Self {
            at,
            fold: u64::from(fold) * ONES,
            byte: u64::from(byte | fold) * ONES,
        }
    }

    /// Eight bytes from `from` on, each 0 where it fits.
    #[inline]
    fn differs(self, bytes: &[u8], from: usize) -> Option<u64> {
        let eight = bytes.get(from + self.at..)?.first_chunk::<8>()?;
        Some((u64::from_le_bytes(*eight) | self.fold) ^ self.byte)
    }
}

/// The places of the two bytes of `needle` that are rarest in a sample of `bytes`.
fn rarest(bytes: &[u8], needle: &[u8]) -> (usize, usize) {
    let mut count = [0u32; 256];
    for b in bytes.iter().step_by(bytes.len() / 4096 + 1) {
        if let Some(n) = count.get_mut(usize::from(b.to_ascii_lowercase())) {
            *n += 1;
        }
    }
    let often = |at: &usize| {
        let b = needle.get(*at).map_or(0, u8::to_ascii_lowercase);
        count.get(usize::from(b)).copied().unwrap_or(0)
    };
    let first = (0..needle.len()).min_by_key(often).unwrap_or(0);
    let second = (0..needle.len())
        .filter(|&at| at != first)
        .min_by_key(often);
    (first, second.unwrap_or(first))
}

/// Most steps of eight bytes that one call looks at: a browser goes over to fast code from one call
/// to the next only.
const STEPS: usize = 4096;

/// The next eight places from `at` on where the text may begin at some, and which, a bit in a byte of
/// each; none of them when the last of the steps was not enough. `None` at the end.
#[inline(never)]
fn next_eight(bytes: &[u8], at: usize, first: Probe, second: Probe) -> Option<(usize, u64)> {
    for eight in (at..at + STEPS * 8).step_by(8) {
        let both = first.differs(bytes, eight)? | second.differs(bytes, eight)?;
        let zeros = both.wrapping_sub(ONES) & !both & HIGHS;
        if zeros != 0 {
            return Some((eight, zeros));
        }
    }
    Some((at + (STEPS - 1) * 8, 0))
}

/// The names that contain `needle`, ASCII letters of either case; an empty one is in every name.
pub fn names_containing(names: &Names, needle: &[u8]) -> IndexSet {
    if needle.is_empty() {
        return IndexSet::of(names.len(), 0..names.len());
    }
    let (bytes, ends) = names.arena();
    let (first, second) = rarest(bytes, needle);
    let (first, second) = (Probe::new(needle, first), Probe::new(needle, second));
    let mut found = Vec::new();
    let (mut at, mut name) = (0usize, 0usize);
    // Takes a place where the text may begin; gives the end of its name if it does.
    let mut begins = |place: usize| -> Option<usize> {
        let end = place + needle.len();
        if !bytes.get(place..end)?.eq_ignore_ascii_case(needle) {
            return None;
        }
        while ends.get(name + 1).is_some_and(|&e| e as usize <= place) {
            name += 1;
        }
        let name_end = *ends.get(name + 1)? as usize;
        (end <= name_end).then(|| {
            found.push(name as u32);
            name_end
        })
    };
    while let Some((eight, mut zeros)) = next_eight(bytes, at, first, second) {
        at = eight + 8;
        while zeros != 0 {
            if let Some(end) = begins(eight + zeros.trailing_zeros() as usize / 8) {
                at = end;
                break;
            }
            zeros &= zeros - 1;
        }
    }
    while at + needle.len() <= bytes.len() {
        at = begins(at).unwrap_or(at + 1);
    }
    IndexSet::of(names.len(), found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_names_as_a_plain_search() {
        let mut list: Vec<String> = [
            "",
            "a",
            "A",
            "[x",
            "{x",
            "ab",
            "b",
            "Conv2D-op1",
            "网络/ReLU",
        ]
        .map(String::from)
        .to_vec();
        for i in 0..5000u32 {
            list.push(format!(
                "Default/net/layer{}/Op-op{}",
                i * 7 % 13,
                i * 31 % 97
            ));
        }
        list.push("the only one".into());
        let mut names = Names::default();
        for name in &list {
            names.push(name.as_bytes()).unwrap();
        }
        for needle in [
            "a",
            "ab",
            "ba",
            "[x",
            "conv2d",
            "OP-OP1",
            "relu",
            "络",
            "9/op-op9",
            "layer12/",
            "op9D",
            "zzz",
            "t/LAYER",
            "default/net/layer1/op-op14",
            "/",
            "x",
            "only",
        ] {
            let found = names_containing(&names, needle.as_bytes());
            for (i, name) in (0u32..).zip(&list) {
                let holds = name
                    .to_ascii_lowercase()
                    .contains(&needle.to_ascii_lowercase());
                assert_eq!(found.contains(i), holds, "{needle:?} in {name:?}");
            }
        }
        assert!(names_containing(&names, b"").contains(0));
        assert!(names_containing(&Names::default(), b"a").is_empty());
    }
}
