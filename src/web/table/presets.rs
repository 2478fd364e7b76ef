//! Ways to sort a table that answer a question, one click each.

use crate::engine::explore::{Column, TableName};

use super::super::words::Word;

/// A name, the column, and whether the largest come first.
pub type Preset = (Word, Option<Column>, bool);

/// The presets of a table; the first one is how it is sorted at first.
pub fn of(table: TableName) -> &'static [Preset] {
    use Column as C;
    match table {
        TableName::Tensors | TableName::Alive => &[
            (Word::PresetLargest, Some(C::Aligned), true),
            (Word::PresetLongest, Some(C::Span), true),
            (Word::PresetBoth, Some(C::SizeSpan), true),
            (Word::PresetPadding, Some(C::Padding), true),
        ],
        TableName::Nodes => &[
            (Word::PresetOrder, None, false),
            (Word::PresetMostAlive, Some(C::AliveTensorsSize), true),
            (Word::PresetMostWorkspaces, Some(C::Workspaces), true),
        ],
        TableName::Findings => &[],
        TableName::Overlaps => &[],
        TableName::Parameters => &[
            (Word::PresetLargest, Some(C::Size), true),
            (Word::PresetMostRead, Some(C::Readers), true),
        ],
    }
}

/// How a table is sorted at first.
pub fn first_of(table: TableName) -> (Option<Column>, bool) {
    of(table)
        .first()
        .map_or((None, false), |(_, column, descending)| {
            (*column, *descending)
        })
}
