//! The order of a table's rows by a column.
//!
//! Every column becomes one number a row, so that sorting compares numbers only: bytes and steps
//! as they are, words and names by their place among all words and names.

use super::cells::{self, Of};
use super::Kept;
use crate::analysis::{self, names};
use crate::engine::explore::{Cell, Column, TableName};
use crate::model::{IndexSet, NONE};

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
    /// The order of rows that have these keys, one a row.
    fn of_keys(keys: impl Iterator<Item = Option<u64>>) -> Self {
        let mut filled: Vec<(u64, u32)> = Vec::with_capacity(keys.size_hint().0);
        let mut empty = Vec::new();
        let mut bits = 0;
        for (row, key) in (0u32..).zip(keys) {
            match key {
                Some(key) => {
                    bits |= key;
                    filled.push((key, row));
                }
                None => empty.push(row),
            }
        }
        // Sizes and offsets are multiples of some power of two: without it, key and row nearly
        // always fit into one number, which sorts faster than two.
        let shift = bits.trailing_zeros().min(63);
        let (mut rows, begins): (Vec<u32>, Vec<u32>);
        if bits >> shift <= u64::from(u32::MAX) {
            let pack = |(key, row): (u64, u32)| (key >> shift) << 32 | u64::from(row);
            let mut packed: Vec<u64> = filled.into_iter().map(pack).collect();
            packed.sort_unstable();
            begins = places(&packed, |a, b| a >> 32 != b >> 32);
            rows = packed.into_iter().map(|p| p as u32).collect();
        } else {
            filled.sort_unstable();
            begins = places(&filled, |a, b| a.0 != b.0);
            rows = filled.into_iter().map(|(_, row)| row).collect();
        }
        let filled = rows.len() as u32;
        rows.append(&mut empty);
        rows.shrink_to_fit();
        Self {
            begins: IndexSet::of(filled, begins),
            rows,
            filled,
        }
    }

    /// The rows in either direction; ties by id ascending in both, empty cells last in both.
    pub fn rows(&self, descending: bool) -> Vec<u32> {
        if !descending {
            return self.rows.clone();
        }
        let mut out = Vec::with_capacity(self.rows.len());
        let mut end = self.filled;
        while end > 0 {
            let mut start = end - 1;
            while start > 0 && !self.begins.contains(start) {
                start -= 1;
            }
            let run = self.rows.get(start as usize..end as usize);
            out.extend_from_slice(run.unwrap_or(&[]));
            end = start;
        }
        out.extend_from_slice(self.rows.get(self.filled as usize..).unwrap_or(&[]));
        out
    }
}

/// The places whose item differs from the one before.
fn places<T>(items: &[T], differ: impl Fn(&T, &T) -> bool) -> Vec<u32> {
    (1u32..)
        .zip(items.windows(2))
        .filter(|(_, pair)| matches!(pair, [a, b] if differ(a, b)))
        .map(|(place, _)| place)
        .collect()
}

/// Columns that sort alike stand for each other.
pub fn stand_in(column: Column) -> Column {
    match column {
        Column::InUseMemory => Column::AliveTensorsSize,
        Column::TotalMemory => Column::TotalTensorSize,
        other => other,
    }
}

/// Sorts a table by a column.
pub fn order(of: &Of<'_>, kept: &mut Kept, table: TableName, column: Column) -> Order {
    let plan = of.plan;
    let rows = 0..cells::len(plan, table);
    let source = |row: u32| match table {
        TableName::Nodes => Some(row),
        _ => plan.tensors.source_of(row),
    };
    match column {
        Column::Name => {
            let ranks = analysis::names::name_ranks(&plan.names);
            let rank = |row| {
                let name = match table {
                    TableName::Parameters => plan.parameters.name.get(row as usize),
                    _ => plan.nodes.name.get(source(row)? as usize),
                }?;
                ranks.get(name.0 as usize).map(|&r| u64::from(r))
            };
            Order::of_keys(rows.map(rank))
        }
        Column::Operator => {
            let operators = kept.operators(plan);
            let ranks = operators.ranks(plan);
            let rank = |row| {
                let operator = *operators.of_node.get(source(row)? as usize)?;
                ranks.get(operator as usize).map(|&r| u64::from(r))
            };
            Order::of_keys(rows.map(rank))
        }
        Column::TensorType => {
            let ranks = word_ranks(cells::type_words(plan));
            let rank = |t| ranks.get(usize::from(plan.tensors.kind_at(t).0)).copied();
            Order::of_keys(rows.map(rank))
        }
        Column::LifeLong => {
            let (words, of_tensor) = cells::lifelong_words(plan);
            let ranks = word_ranks(words.iter().map(String::as_str));
            Order::of_keys(rows.map(|t| ranks.get(of_tensor(t)).copied()))
        }
        Column::OutputIndex if table != TableName::Parameters => {
            let indices = analysis::output_indices(plan);
            let key = |t: u32| indices.get(t as usize).copied().filter(|i| *i != NONE);
            Order::of_keys(rows.map(|t| key(t).map(u64::from)))
        }
        Column::OpId => Order::of_keys(rows.map(|n| names::op_id(plan.node_name(n)))),
        column => {
            if table == TableName::Parameters && column == Column::Readers {
                kept.parameter_readers(plan);
            }
            let kept = &*kept;
            Order::of_keys(rows.map(|row| key(&cells::cell(of, kept, table, column, row))))
        }
    }
}

/// The place of each word among all in the order of their bytes; equal words have the same place.
fn word_ranks<'a>(words: impl Iterator<Item = &'a str>) -> Vec<u64> {
    let words: Vec<&str> = words.collect();
    let mut sorted = words.clone();
    sorted.sort_unstable();
    words
        .iter()
        .map(|word| sorted.partition_point(|w| w < word) as u64)
        .collect()
}

/// A cell as a number that sorts like it.
fn key(cell: &Cell) -> Option<u64> {
    match *cell {
        Cell::Empty | Cell::Text(_) => None,
        Cell::Bytes(n) | Cell::ByteSteps(n) | Cell::Number(n) | Cell::Address(n) => Some(n),
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
            let order = Order::of_keys(keys.into_iter());
            assert_eq!(order.rows(false), [4, 2, 6, 0, 3, 1, 5]);
            assert_eq!(order.rows(true), [0, 3, 2, 6, 4, 1, 5]);
        }
        assert!(Order::of_keys([].into_iter()).rows(true).is_empty());
    }

    #[test]
    fn signed_bytes_sort_by_value() {
        let keys = [-5i64, 0, 7, i64::MIN].map(|n| key(&Cell::SignedBytes(n)));
        assert!(keys[3] < keys[0] && keys[0] < keys[1] && keys[1] < keys[2]);
    }
}
