//! Printed ids and dense indices, and the way between them.

use std::collections::HashMap;

/// The ids of one column set, ascending. Dense numbering from 0, the normal case, costs nothing.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    len: u32,
    /// Empty when id = index throughout.
    explicit: Vec<u64>,
    index: HashMap<u64, u32>,
}

impl Ids {
    /// The ids `0 .. len`.
    pub fn dense(len: u32) -> Self {
        Self {
            len,
            ..Self::default()
        }
    }

    /// Ids as given, one an index; they must ascend. A dense list is recognised.
    pub fn explicit(ids: Vec<u64>) -> Self {
        let len = ids.len() as u32;
        if ids.iter().enumerate().all(|(i, &id)| id == i as u64) {
            return Self::dense(len);
        }
        let index = ids
            .iter()
            .enumerate()
            .map(|(i, &id)| (id, i as u32))
            .collect();
        Self {
            len,
            explicit: ids,
            index,
        }
    }

    /// Whether every id is its own index.
    pub fn is_dense(&self) -> bool {
        self.explicit.is_empty()
    }

    /// Number of ids.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The id printed for index `i`.
    pub fn id(&self, i: u32) -> u64 {
        self.explicit
            .get(i as usize)
            .copied()
            .unwrap_or(u64::from(i))
    }

    /// The index of a printed id.
    pub fn index_of(&self, id: u64) -> Option<u32> {
        if self.explicit.is_empty() {
            return (id < u64::from(self.len)).then_some(id as u32);
        }
        self.index.get(&id).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_mapped_both_ways_and_dense_ids_cost_nothing() {
        let holes = Ids::explicit(vec![0, 7, 4_294_967_295]);
        assert_eq!(holes.index_of(7), Some(1));
        assert_eq!(holes.id(2), 4_294_967_295);
        assert_eq!(holes.index_of(1), None);
        let dense = Ids::explicit(vec![0, 1, 2]);
        assert!(dense.explicit.is_empty());
        assert_eq!(
            (dense.index_of(2), dense.index_of(3), dense.len()),
            (Some(2), None, 3)
        );
    }
}
