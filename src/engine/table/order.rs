//! The order of a table's rows by a column.
//!
//! Every column becomes one number a row, so that sorting compares numbers only: bytes and steps
//! as they are, words and names by their place among all words and names.

use super::cells::{self, Of};
use super::Kept;
use crate::analysis::{self, names};
use crate::engine::explore::{Cell, Column, TableName};
use crate::model::{IndexSet, NONE};
use crate::sorting;

/// All rows of a table by one column.
#[derive(Debug)]
pub struct Order {
    /// Rows ascending, ties by id; the rows with an empty cell at the end, by id.
    rows: Vec<u32>,
    /// Places in `rows` where another value begins.
    begins: IndexSet,
    /// Number of rows with a value.
    filled: u32,
}

impl Order {
    /// The order of rows, which ascend, by their keys.
    pub fn of_keys(keys: &mut dyn Iterator<Item = (u32, Option<u64>)>) -> Self {
        let mut filled: Vec<(u64, u32)> = Vec::with_capacity(keys.size_hint().0);
        let mut empty = Vec::new();
        for (row, key) in keys {
            match key {
                Some(key) => filled.push((key, row)),
                None => empty.push(row),
            }
        }
        // Without what they have in common, at both ends, key and row nearly always fit into one
        // number: sizes and offsets are multiples of some power of two.
        let least = filled.iter().map(|f| f.0).min().unwrap_or(0);
        let bits = filled.iter().fold(0, |bits, f| bits | (f.0 - least));
        let shift = bits.trailing_zeros().min(63);
        let last = filled.last().map_or(0, |f| f.1);
        let row_bits = u32::BITS - last.leading_zeros();
        let mut begins = IndexSet::with_room(filled.len() as u32);
        let mut rows: Vec<u32> = Vec::with_capacity(filled.len() + empty.len());
        if (bits >> shift).leading_zeros() >= row_bits {
            let pack = |(key, row): (u64, u32)| (key - least) >> shift << row_bits | u64::from(row);
            let mut packed: Vec<u64> = filled.into_iter().map(pack).collect();
            sorting::by_digits(&mut packed, row_bits);
            let mut before = None;
            for number in packed {
                let key = number >> row_bits;
                if before.replace(key).is_some_and(|before| before != key) {
                    begins.insert(rows.len() as u32);
                }
                rows.push((number - (key << row_bits)) as u32);
            }
        } else {
            sorting::sort(&mut filled);
            let mut before = None;
            for (key, row) in filled {
                if before.replace(key).is_some_and(|before| before != key) {
                    begins.insert(rows.len() as u32);
                }
                rows.push(row);
            }
        }
        let filled = rows.len() as u32;
        rows.append(&mut empty);
        Self {
            begins,
            rows,
            filled,
        }
    }

    /// Those of the rows that are in `set` (`None`: all), in either direction, the first `most` of
    /// them; ties by id ascending in both, empty cells last in both.
    pub fn rows(&self, descending: bool, set: Option<&IndexSet>, most: usize) -> Vec<u32> {
        let within = |row: &u32| set.is_none_or(|set| set.contains(*row));
        if !descending {
            let rows = self.rows.iter().copied().filter(within);
            return rows.take(most).collect();
        }
        let mut out = Vec::new();
        let mut end = self.filled;
        while end > 0 && out.len() < most {
            let mut start = end - 1;
            while start > 0 && !self.begins.contains(start) {
                start -= 1;
            }
            let run = self.rows.get(start as usize..end as usize);
            out.extend(run.unwrap_or(&[]).iter().copied().filter(within));
            end = start;
        }
        let empty = self.rows.get(self.filled as usize..).unwrap_or(&[]);
        out.extend(empty.iter().copied().filter(within));
        out.truncate(most);
        out
    }
}

/// Columns that sort alike stand for each other.
pub fn stand_in(column: Column) -> Column {
    match column {
        Column::InUseMemory => Column::AliveTensorsSize,
        Column::TotalMemory => Column::TotalTensorSize,
        other => other,
    }
}

/// Whether a few rows are sorted without a look at all others.
pub fn is_by_row(column: Column) -> bool {
    use Column as C;
    !matches!(column, C::Name | C::Operator | C::OutputIndex)
}

/// Sorts a table, or a set of its rows, by a column.
pub fn order(
    of: &Of<'_>,
    kept: &mut Kept,
    (table, column): (TableName, Column),
    set: Option<&IndexSet>,
) -> Order {
    let plan = of.plan;
    let rows: Vec<u32> = match set {
        Some(set) => set.iter().collect(),
        None => (0..cells::len(plan, table)).collect(),
    };
    let rows = rows.into_iter();
    let source = |row: u32| match table {
        TableName::Nodes => Some(row),
        _ => plan.tensors.source_of(row),
    };
    match column {
        Column::Name => {
            let (named, of_row): (_, &dyn Fn(u32) -> Option<u32>) = match table {
                TableName::Parameters => (&plan.parameters.name, &Some),
                _ => (&plan.nodes.name, &source),
            };
            let ranks = names::ranks(&plan.names, named);
            let rank = |row| ranks.get(of_row(row)? as usize).map(|&r| u64::from(r));
            Order::of_keys(&mut rows.map(|row| (row, rank(row))))
        }
        Column::Operator => {
            let operators = kept.operators(plan);
            let ranks = operators.ranks(plan);
            let rank = |row| {
                let operator = *operators.of_node.get(source(row)? as usize)?;
                ranks.get(operator as usize).map(|&r| u64::from(r))
            };
            Order::of_keys(&mut rows.map(|row| (row, rank(row))))
        }
        Column::TensorType => {
            let ranks = word_ranks(cells::type_words(plan));
            let rank = |t| ranks.get(usize::from(plan.tensors.kind_at(t).0)).copied();
            Order::of_keys(&mut rows.map(|row| (row, rank(row))))
        }
        Column::LifeLong => {
            let (words, of_tensor) = cells::lifelong_words(plan);
            let ranks = word_ranks(words.iter().map(String::as_str));
            Order::of_keys(&mut rows.map(|t| (t, ranks.get(of_tensor(t)).copied())))
        }
        Column::OutputIndex if table != TableName::Parameters => {
            let indices = analysis::output_indices(plan);
            let key = |t: u32| indices.get(t as usize).copied().filter(|i| *i != NONE);
            Order::of_keys(&mut rows.map(|t| (t, key(t).map(u64::from))))
        }
        Column::OpId => Order::of_keys(&mut rows.map(|n| (n, names::op_id(plan.node_name(n))))),
        column => {
            if table == TableName::Parameters && column == Column::Readers {
                kept.parameter_readers(plan);
            }
            let kept = &*kept;
            let of_row = |row| key(&cells::cell(of, kept, table, column, row));
            Order::of_keys(&mut rows.map(|row| (row, of_row(row))))
        }
    }
}

/// The place of each word among all in the order of their bytes; equal words have the same place.
pub fn word_ranks<'a>(words: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let words: Vec<&str> = words.collect();
    let mut sorted = words.clone();
    sorting::sort(&mut sorted);
    words
        .iter()
        .map(|word| sorted.partition_point(|w| w < word) as u64)
        .collect()
}

/// A cell as a number that sorts like it.
pub fn key(cell: &Cell) -> Option<u64> {
    match *cell {
        Cell::Empty | Cell::Text(_) | Cell::Said(_) => None,
        Cell::Bytes(n)
        | Cell::CountedWith(n, _)
        | Cell::ByteSteps(n)
        | Cell::Number(n)
        | Cell::Address(n) => Some(n),
        Cell::SignedBytes(n) => Some((n as u64) ^ 1 << 63),
        Cell::Step(n) => Some(u64::from(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_by_row_and_empty_cells_last_in_both_directions() {
        for scale in [1u64, 512, 1 << 40, (1 << 40) + 1] {
            let keys = [Some(3), None, Some(1), Some(3), Some(0), None, Some(1)];
            let keys = keys.map(|k: Option<u64>| k.map(|k| k * scale));
            let order = Order::of_keys(&mut (0..).zip(keys));
            let (up, down) = ([4, 2, 6, 0, 3, 1, 5], [0, 3, 2, 6, 4, 1, 5]);
            for most in [0, 1, 2, 5, 6, 7, usize::MAX] {
                assert_eq!(order.rows(false, None, most), up[..most.min(7)]);
                assert_eq!(order.rows(true, None, most), down[..most.min(7)]);
            }
        }
        assert!(Order::of_keys(&mut std::iter::empty())
            .rows(true, None, 9)
            .is_empty());
    }

    #[test]
    fn a_set_takes_its_rows_in_order() {
        let order = Order::of_keys(&mut (0..).zip([5, 3, 5, 1].map(Some)));
        let set = IndexSet::of(4, [0, 2, 3]);
        assert_eq!(order.rows(false, Some(&set), 9), [3, 0, 2]);
        assert_eq!(order.rows(true, Some(&set), 9), [0, 2, 3]);
    }

    #[test]
    fn signed_bytes_sort_by_value() {
        let keys = [-5i64, 0, 7, i64::MIN].map(|n| key(&Cell::SignedBytes(n)));
        assert!(keys[3] < keys[0] && keys[0] < keys[1] && keys[1] < keys[2]);
    }
}
