//! The small types every other module speaks in: identities, steps, byte and step ranges.
//!
//! Sizes and offsets are plain `u64` bytes in the columns of the model (a million of them at a
//! time); wherever two of them form a range, the range is one of the types below, because the
//! two kinds of range of this field own different ends.

use std::fmt;

/// A closed range of steps: both ends belong to it, as in the dump.
///
/// A *step* is the index of a node in execution order, counted from 0; it is not a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LiveRange {
    /// The first step of the range.
    pub first: u32,
    /// The last step of the range, itself included; never below `first`.
    pub last: u32,
}

impl LiveRange {
    /// A range from `first` to `last`, both included; `None` when `last` is below `first`.
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (first <= last).then_some(Self { first, last })
    }

    /// Whether `step` lies in the range.
    pub fn contains(self, step: u32) -> bool {
        self.first <= step && step <= self.last
    }

    /// Whether the two ranges have a step in common.
    pub fn meets(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }
}

impl fmt::Debug for LiveRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.first, self.last)
    }
}

/// A half-open range of bytes: `start` belongs to it, `end` does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteRange {
    /// The first byte of the range.
    pub start: u64,
    /// The byte behind the last one.
    pub end: u64,
}

impl ByteRange {
    /// `len` bytes from `start` on; an end beyond 64 bits stops there.
    pub fn at(start: u64, len: u64) -> Self {
        Self {
            start,
            end: start.saturating_add(len),
        }
    }

    /// The number of bytes.
    pub fn len(self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// Whether the range holds no byte: a tensor that SOMAS did not place.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// Whether the two ranges have a byte in common; an empty range overlaps nothing.
    pub fn overlaps(self, other: Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }
}

impl fmt::Debug for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}..{:#x}", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_step_ranges_own_both_ends() {
        let a = LiveRange::new(3, 16).unwrap();
        assert!(a.contains(3) && a.contains(16) && !a.contains(17) && !a.contains(2));
        assert!(a.meets(LiveRange::new(16, 20).unwrap()));
        assert!(!a.meets(LiveRange::new(17, 20).unwrap()));
        assert_eq!(LiveRange::new(4, 3), None);
        assert_eq!(format!("{a:?}"), "3..=16");
    }

    #[test]
    fn half_open_byte_ranges_touch_without_overlap() {
        let a = ByteRange::at(0x100, 0x200);
        assert_eq!(format!("{a:?}"), "0x100..0x300");
        assert!(!a.overlaps(ByteRange::at(0x300, 1)));
        assert!(a.overlaps(ByteRange::at(0x2ff, 1)));
        assert!(!a.overlaps(ByteRange::at(0x200, 0)) && ByteRange::at(5, 0).is_empty());
        assert_eq!(ByteRange::at(u64::MAX, 5).len(), 0);
    }
}
