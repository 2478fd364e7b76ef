//! Many short lists in one flat column.

/// Lists of `u32`, addressed by row. `starts` has one entry more than there are rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Default for Lists {
    fn default() -> Self {
        Self {
            starts: vec![0],
            items: Vec::new(),
        }
    }
}

impl Lists {
    /// Appends one item to the row that is being built; [`Lists::end_row`] closes the row.
    #[inline(always)]
    pub fn push_item(&mut self, item: u32) {
        self.items.push(item);
    }

    /// Closes the row that was being built.
    #[inline(always)]
    pub fn end_row(&mut self) {
        self.starts.push(self.items.len() as u32);
    }

    /// Appends a whole row.
    pub fn push_row(&mut self, row: impl IntoIterator<Item = u32>) {
        self.items.extend(row);
        self.end_row();
    }

    /// Drops the items of a row that was begun and not closed.
    pub fn abandon_row(&mut self) {
        let end = self.starts.last().copied().unwrap_or(0);
        self.items.truncate(end as usize);
    }

    /// Lists from their parts: `starts` must begin with 0, never fall, and end with the number of
    /// items.
    pub fn from_parts(starts: Vec<u32>, items: Vec<u32>) -> Self {
        debug_assert_eq!(starts.last().copied(), Some(items.len() as u32));
        Self { starts, items }
    }

    /// Number of rows.
    pub fn len(&self) -> u32 {
        self.starts.len().saturating_sub(1) as u32
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.starts.len() <= 1
    }

    /// Row `i`; empty when there is no such row.
    #[inline(always)]
    pub fn get(&self, i: u32) -> &[u32] {
        let i = i as usize;
        match (self.starts.get(i), self.starts.get(i + 1)) {
            (Some(&a), Some(&b)) => self.items.get(a as usize..b as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// All rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// All items of all rows, in order.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// All items of all rows, to rewrite in place.
    pub fn items_mut(&mut self) -> &mut [u32] {
        &mut self.items
    }

    /// Forgets everything and keeps the storage.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        self.items.clear();
    }

    /// Asks for room for `rows` more rows and `items` more items.
    pub fn reserve(&mut self, rows: usize, items: usize) {
        self.starts.reserve(rows);
        self.items.reserve(items);
    }

    /// Rows in the order of `order`, each entry an old row number.
    pub fn permuted(&self, order: &[u32]) -> Self {
        let mut out = Self::default();
        out.reserve(order.len(), self.items.len());
        for &old in order {
            out.push_row(self.get(old).iter().copied());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_closed_abandoned_and_permuted() {
        let mut lists = Lists::default();
        lists.push_row([1, 2]);
        lists.push_item(9);
        lists.abandon_row();
        lists.push_row([]);
        lists.push_row([3]);
        assert_eq!(lists.len(), 3);
        assert_eq!(
            (lists.get(0), lists.get(1), lists.get(2)),
            (&[1, 2][..], &[][..], &[3][..])
        );
        assert_eq!(lists.get(3), &[] as &[u32]);
        assert_eq!(
            lists.permuted(&[2, 0]).iter().collect::<Vec<_>>(),
            vec![&[3][..], &[1, 2][..]]
        );
    }
}
