//! Tables whose rows are made as a whole: at most some ten thousand, sorted and filtered here.

use super::order::{key, word_ranks, Order};
use crate::engine::explore::{Cell, Column, TableRequest, TableRow, TableRows};

/// The rows asked for, of `all` in their own order; `of` is the number of rows there would be
/// without a limit.
pub fn page(all: &[TableRow], of: u64, request: &TableRequest) -> TableRows {
    let table = request.table;
    // `=war` wants a cell that is just that: a node may be called `Forward`.
    let (whole, needle) = match request.filter.strip_prefix('=') {
        Some(word) => (true, word.to_ascii_lowercase()),
        None => (false, request.filter.to_ascii_lowercase()),
    };
    let holds = |text: &str| {
        let text = text.to_ascii_lowercase();
        if whole {
            text == needle
        } else {
            text.contains(&needle)
        }
    };
    let cell_holds = |cell: &Cell| match cell {
        Cell::Text(text) => holds(text),
        Cell::Said(text) => holds(&text.en) || holds(&text.zh),
        _ => false,
    };
    let fits = |row: &TableRow| {
        request.filter.is_empty() || holds(&row.key) || row.cells.iter().any(cell_holds)
    };
    let place = |column: Column| table.columns().iter().position(|c| *c == column);
    let places = match request.sort.and_then(place) {
        Some(at) => {
            let cells = || all.iter().map(|row| row.cells.get(at));
            let ranks = word_ranks(cells().map(|cell| match cell {
                Some(Cell::Text(text)) => text.as_str(),
                Some(Cell::Said(text)) => text.en.as_str(),
                _ => "",
            }));
            let keys = cells().zip(ranks).map(|(cell, rank)| match cell? {
                Cell::Text(_) | Cell::Said(_) => Some(rank),
                cell => key(cell),
            });
            Order::of_keys(&mut (0..).zip(keys)).rows(request.descending, None, usize::MAX)
        }
        None => (0..all.len() as u32).collect(),
    };
    let rows = places.iter().filter_map(|&i| all.get(i as usize));
    let rows: Vec<&TableRow> = rows.filter(|row| fits(row)).collect();
    let sum = rows.iter().fold(0u64, |sum, row| {
        let at = place(Column::Shared).and_then(|at| row.cells.get(at));
        sum.saturating_add(at.and_then(key).unwrap_or(0))
    });
    let total = rows.len() as u32;
    let shown = rows.into_iter().skip(request.first as usize);
    TableRows {
        table,
        total,
        of: of.min(u64::from(u32::MAX)) as u32,
        first: request.first,
        revealed: None,
        sum,
        rows: shown.take(request.rows as usize).cloned().collect(),
    }
}
