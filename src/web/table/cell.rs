//! A cell: its text, its exact value, and what it links to.

use crate::engine::explore::{Cell, Column, TableName};
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped, significant};

use super::super::numbers::signed_bytes;
use super::super::words::{pick, s, tf, Said, Word};

/// The column whose bars show sizes.
pub fn sized_column(table: TableName) -> Option<usize> {
    let column = match table {
        TableName::Nodes => Column::AliveTensorsSize,
        TableName::Tensors | TableName::Alive => Column::Aligned,
        TableName::Parameters => Column::Size,
        TableName::Findings | TableName::Overlaps => Column::Shared,
    };
    table.columns().iter().position(|c| *c == column)
}

/// The bytes of a cell.
pub fn size_of(cell: &Cell) -> u64 {
    match cell {
        Cell::Bytes(n) => *n,
        _ => 0,
    }
}

/// What a cell shows, and its exact value where that differs.
pub fn text(cell: &Cell) -> (String, String) {
    match cell {
        Cell::Empty => ("–".into(), String::new()),
        Cell::Bytes(n) => (bytes(*n), format!("{} B", grouped(*n))),
        Cell::CountedWith(n, id) => {
            let id = id.to_string();
            let tells = tf(Word::CountedWith, &[&id]);
            (
                tf(Word::WithMate, &[&id]),
                format!("{} B: {tells}", grouped(*n)),
            )
        }
        Cell::SignedBytes(n) => (signed_bytes(*n), format!("{n} B")),
        Cell::ByteSteps(n) => (byte_steps(*n), format!("{} B × $", grouped(*n))),
        Cell::Number(n) => (grouped(*n), String::new()),
        Cell::Step(n) => (format!("${n}"), String::new()),
        Cell::Address(n) => (format!("0x{n:x}"), grouped(*n)),
        Cell::Text(text) => (text.clone(), String::new()),
        Cell::Said(text) => (pick(text).to_owned(), String::new()),
    }
}

/// Bytes × steps: the same units, but not bytes.
fn byte_steps(n: u64) -> String {
    const UNITS: [&str; 7] = ["B·$", "KB·$", "MB·$", "GB·$", "TB·$", "PB·$", "EB·$"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    let shown = if unit == 0 {
        n.to_string()
    } else {
        significant(value)
    };
    format!("{shown} {}", UNITS.get(unit).unwrap_or(&""))
}

/// What a cell links to, beyond its own row.
pub fn link(column: Column, cell: &Cell, source: Option<&Cell>) -> Option<Thing> {
    match (column, cell, source) {
        (_, Cell::Step(step), _) => Some(Thing::Node(*step)),
        (Column::Name, Cell::Text(_), Some(Cell::Step(step))) => Some(Thing::Node(*step)),
        (Column::With, Cell::Text(key), _) => Thing::from_key(key),
        _ => None,
    }
}

/// Whether a value of a column, apart from a name, may be a link.
pub fn may_link(column: Column) -> bool {
    matches!(
        column,
        Column::Id | Column::SourceStep | Column::LifeStart | Column::LifeEnd | Column::With
    )
}

/// Why tensors may share bytes, in words.
pub fn why(word: &str) -> &'static str {
    s(match word {
        "hazard" => Said::WhyHazard,
        "union" => Said::WhyUnion,
        "before" => Said::WhyBefore,
        "after" => Said::WhyAfter,
        "alone" => Said::WhyAlone,
        _ => Said::WhyUndecided,
    })
}

/// Whether a column's values stand at its right edge.
pub fn is_number(column: Column) -> bool {
    !matches!(
        column,
        Column::Name
            | Column::Operator
            | Column::LifeLong
            | Column::TensorType
            | Column::Finding
            | Column::Collision
            | Column::Rule
            | Column::Note
            | Column::Why
    )
}

/// Whether a column is set in the type of addresses.
pub fn is_mono(column: Column) -> bool {
    matches!(
        column,
        Column::Id | Column::StartAddr | Column::EndAddr | Column::With
    )
}
