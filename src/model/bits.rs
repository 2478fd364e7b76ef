//! A set of indices, one bit each.

/// A set of `u32` indices below a fixed length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexSet {
    words: Vec<u64>,
}

impl IndexSet {
    /// The set without members.
    pub const EMPTY: Self = Self { words: Vec::new() };

    /// The set of `members`; those not below `len` are left out.
    pub fn of(len: u32, members: impl IntoIterator<Item = u32>) -> Self {
        let mut words = Vec::new();
        for i in members.into_iter().filter(|i| *i < len) {
            if words.is_empty() {
                words = vec![0u64; len as usize / 64 + 1];
            }
            if let Some(word) = words.get_mut(i as usize / 64) {
                *word |= 1 << (i % 64);
            }
        }
        Self { words }
    }

    /// A set without members, with room for those below `len`.
    pub fn with_room(len: u32) -> Self {
        Self {
            words: vec![0; len as usize / 64 + 1],
        }
    }

    /// Adds a member; nothing when there is no room for it.
    #[inline]
    pub fn insert(&mut self, i: u32) {
        if let Some(word) = self.words.get_mut(i as usize / 64) {
            *word |= 1 << (i % 64);
        }
    }

    /// Adds all from `first` to the one before `end`, as far as there is room.
    pub fn insert_all(&mut self, first: u32, end: u32) {
        let mut at = first;
        while at < end {
            let next = (at / 64 + 1).saturating_mul(64).min(end);
            // As many ones as members, moved to their place: 1 to 64 of them.
            let ones = u64::MAX >> (64 - (next - at));
            if let Some(word) = self.words.get_mut(at as usize / 64) {
                *word |= ones << (at % 64);
            }
            at = next;
        }
    }

    /// The members of both sets.
    pub fn and(&self, other: &Self) -> Self {
        let pairs = self.words.iter().zip(&other.words);
        Self {
            words: pairs.map(|(a, b)| a & b).collect(),
        }
    }

    /// Whether `i` is in the set.
    #[inline]
    pub fn contains(&self, i: u32) -> bool {
        self.words
            .get(i as usize / 64)
            .is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0u32..).zip(&self.words).flat_map(|(place, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros())?;
                rest &= rest - 1;
                Some(place * 64 + bit)
            })
        })
    }

    /// Number of members.
    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_others() {
        let set = IndexSet::of(130, [0, 64, 129, 500]);
        assert!([0, 64, 129].iter().all(|&i| set.contains(i)));
        assert_eq!(set.len(), 3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 64, 129]);
        assert_eq!(IndexSet::EMPTY.iter().next(), None);
        assert!(![1, 63, 128, 130, 500].iter().any(|&i| set.contains(i)));
        assert!(IndexSet::of(10, []).is_empty());
        for (first, end) in [(0, 0), (3, 4), (0, 64), (63, 65), (5, 130), (64, 128)] {
            let mut some = IndexSet::with_room(130);
            some.insert_all(first, end);
            assert!(some.iter().eq(first..end), "{first} {end}");
        }
        let both = set.and(&IndexSet::of(130, [1, 64]));
        assert!(both.contains(64) && !both.contains(1) && !both.contains(0));
        assert!(set.and(&IndexSet::of(130, [3])).is_empty());
    }
}
