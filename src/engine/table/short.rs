//! Tables whose rows are made as a whole: at most some ten thousand, sorted and filtered here.

use std::cmp::Ordering;

use crate::engine::explore::{Cell, Column, TableRequest, TableRow, TableRows};

/// The rows asked for, of `all` in their own order; `of` is the number of rows there would be
/// without a limit.
pub fn page(all: &[TableRow], of: u64, request: &TableRequest) -> TableRows {
    let table = request.table;
    let needle = request.filter.to_ascii_lowercase();
    let holds = |text: &str| text.to_ascii_lowercase().contains(&needle);
    let cell_holds = |cell: &Cell| matches!(cell, Cell::Text(text) if holds(text));
    let fits =
        |row: &&TableRow| needle.is_empty() || holds(&row.key) || row.cells.iter().any(cell_holds);
    let mut rows: Vec<&TableRow> = all.iter().filter(fits).collect();
    let place = |column: Column| table.columns().iter().position(|c| *c == column);
    if let Some(at) = request.sort.and_then(place) {
        // A stable sort: ties stay in their own order, in both directions.
        rows.sort_by(|a, b| by_cell(a.cells.get(at), b.cells.get(at), request.descending));
    }
    let sum = rows.iter().fold(0u64, |sum, row| {
        let at = place(Column::Shared).and_then(|at| row.cells.get(at));
        sum.saturating_add(at.and_then(super::order::key).unwrap_or(0))
    });
    let total = rows.len() as u32;
    let shown = rows.into_iter().skip(request.first as usize);
    TableRows {
        table,
        total,
        of: of.min(u64::from(u32::MAX)) as u32,
        first: request.first,
        sum,
        rows: shown.take(request.rows as usize).cloned().collect(),
    }
}

/// Empty cells come last in both directions.
fn by_cell(a: Option<&Cell>, b: Option<&Cell>, descending: bool) -> Ordering {
    let order = match (a, b) {
        (Some(Cell::Text(a)), Some(Cell::Text(b))) => a.cmp(b),
        (a, b) => {
            let (a, b) = (a.and_then(super::order::key), b.and_then(super::order::key));
            match (a, b) {
                (Some(a), Some(b)) => a.cmp(&b),
                (a, b) => return b.is_some().cmp(&a.is_some()),
            }
        }
    };
    if descending {
        order.reverse()
    } else {
        order
    }
}
