//! Columns of a table as they are shown: names, widths, which are hidden. Widths and hidden columns
//! are remembered, as `Size:120 -Padding`.

use std::cell::{Cell, RefCell};
use std::ops::Range;

use web_sys::HtmlElement;

use super::super::prefs;
use super::super::words::Word;
use super::super::Result;
use super::{cell, table_word};
use crate::engine::explore::{Column, TableName};

/// A column may not be narrower.
const LEAST: f64 = 40.0;

/// Pixels of a table in which names may stay in sight beside the ids.
const ROOMY: f64 = 600.0;

/// Which of the shown columns are not out of sight to the side, apart from the first, which never is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InSight {
    /// Their places.
    pub places: Range<usize>,
    /// Whether the last one stays at the right edge.
    pub last: bool,
    /// Whether the first and the last of the places are in sight in part only.
    pub cut: (bool, bool),
}

/// How the columns of a table are laid out.
pub struct Layout {
    table: TableName,
    grid: HtmlElement,
    widths: Vec<Option<f64>>,
    hidden: Vec<bool>,
    /// What the columns were fitted to: pixels there are, and pixels scrolled to the side.
    fitted: Cell<Option<(f64, f64)>>,
    in_sight: RefCell<InSight>,
}

impl Layout {
    /// As it was left, or as at first.
    pub fn remembered(table: TableName, grid: HtmlElement) -> Self {
        let columns = table.columns();
        let mut layout = Self {
            table,
            grid,
            widths: vec![None; columns.len()],
            hidden: columns
                .iter()
                .map(|c| match table {
                    TableName::Alive => !ALIVE.contains(c),
                    TableName::Overlaps => HIDDEN_OVERLAPS.contains(c),
                    _ => false,
                })
                .collect(),
            fitted: Cell::default(),
            in_sight: RefCell::default(),
        };
        let saved = prefs::get(&layout.key()).unwrap_or_default();
        for word in saved.split_whitespace() {
            let (hidden, word) = match (word.strip_prefix('-'), word.strip_prefix('+')) {
                (Some(name), _) => (Some(true), name),
                (_, Some(name)) => (Some(false), name),
                _ => (None, word),
            };
            let (name, width) = match word.split_once(':') {
                Some((name, width)) => (name, width.parse::<u16>().ok().map(f64::from)),
                None => (word, None),
            };
            let Some(at) = columns.iter().position(|c| format!("{c:?}") == name) else {
                continue;
            };
            if let (Some(hidden), Some(slot)) = (hidden, layout.hidden.get_mut(at)) {
                *slot = hidden && at > 0;
            }
            if let (Some(width), Some(slot)) = (width, layout.widths.get_mut(at)) {
                *slot = Some(width.clamp(LEAST, 4000.0));
            }
        }
        layout
    }

    fn key(&self) -> String {
        format!("columns.{}", table_word(self.table))
    }

    fn remember(&self) {
        let mut words = Vec::new();
        for (at, column) in self.table.columns().iter().enumerate() {
            let mark = if self.is_hidden(at) { '-' } else { '+' };
            words.push(format!("{mark}{column:?}"));
            if let Some(width) = self.widths.get(at).copied().flatten() {
                words.push(format!("{column:?}:{width:.0}"));
            }
        }
        prefs::set(&self.key(), &words.join(" "));
    }

    /// Whether a column is hidden.
    pub fn is_hidden(&self, at: usize) -> bool {
        self.hidden.get(at).copied().unwrap_or(false)
    }

    /// Shows or hides a column; the id always stays.
    pub fn set_hidden(&mut self, at: usize, hide: bool) {
        if let Some(slot) = self.hidden.get_mut(at).filter(|_| at > 0) {
            *slot = hide;
        }
        self.fitted.take();
        self.remember();
    }

    /// The columns that are shown, with their places.
    pub fn shown(&self) -> impl Iterator<Item = (usize, Column)> + '_ {
        let columns = self.table.columns().iter().copied().enumerate();
        columns.filter(|(at, _)| !self.is_hidden(*at))
    }

    /// Pixels of a column.
    pub fn width(&self, at: usize) -> f64 {
        let column = self.table.columns().get(at).copied();
        let own = self.widths.get(at).copied().flatten();
        // The key of a hazard names two tensors.
        let usual = match self.table {
            TableName::Findings if at == 0 => Some(136.0),
            _ => column.map(usual_width),
        };
        own.or(usual).unwrap_or(LEAST)
    }

    /// Gives a column another width.
    pub fn set_width(&mut self, at: usize, width: f64) {
        if let Some(slot) = self.widths.get_mut(at) {
            *slot = Some(width.clamp(LEAST, 4000.0));
        }
        self.fitted.take();
    }

    /// A width was given for good.
    pub fn settle(&self) {
        self.remember();
    }

    /// Which of the shown columns are in sight.
    pub fn in_sight(&self) -> InSight {
        self.in_sight.borrow().clone()
    }

    /// Writes into the page how wide the columns are and where they begin, when there are `seen` pixels
    /// and the table is scrolled to the side by `at`. Names take what is left.
    ///
    /// Rows are as wide as what is seen and stay where they are when the table is scrolled to the side.
    /// What is out of sight is not laid out: the first cell keeps the free space behind it that cells
    /// before those in sight would take, less than nothing where one is half in sight.
    pub fn fit(&self, seen: f64, at: f64) -> Result<()> {
        if self.fitted.replace(Some((seen, at))) == Some((seen, at)) {
            return Ok(());
        }
        let names = self.shown().find(|(_, c)| *c == Column::Name);
        let elastic = names.or(self.shown().last()).map(|(at, _)| at);
        let widths: Vec<f64> = self.shown().map(|(at, _)| self.width(at)).collect();
        let least: f64 = widths.iter().sum();
        let wide = least > seen;
        let last = names.is_some() && names == self.shown().last();
        let frozen = wide && last && seen >= ROOMY;
        let (left, mut end) = (widths.first().copied().unwrap_or(0.0), widths.len());
        let (mut in_sight, mut after, mut before) = (1..end, 0.0, 0.0);
        let mut cut = (false, false);
        if wide {
            let right = if frozen { widths.last().copied() } else { None };
            end -= usize::from(right.is_some());
            let room = seen - right.unwrap_or(0.0);
            let mut begins = left - at;
            in_sight = end..end;
            let mut ends = left;
            for (place, width) in widths.iter().enumerate().take(end).skip(1) {
                if begins < room && begins + width > left {
                    if in_sight.is_empty() {
                        (in_sight.start, after) = (place, begins - left);
                        cut.0 = begins < left;
                    }
                    cut.1 = begins + width > room;
                    (in_sight.end, ends) = (place + 1, begins + width);
                }
                begins += width;
            }
            before = room - ends;
        }
        let style = self.grid.style();
        for ((at, _), width) in self.shown().zip(&widths) {
            let width = if elastic == Some(at) && !wide {
                format!("calc(100% - {}px)", least - width)
            } else {
                format!("{width}px")
            };
            style.set_property(&format!("--{}", width_class(at)), &width)?;
        }
        style.set_property("min-width", &format!("{least}px"))?;
        for (name, pixels) in [("seen", seen), ("after", after), ("before", before)] {
            style.set_property(&format!("--{name}"), &format!("{pixels}px"))?;
        }
        for (class, holds) in [
            ("wide", wide),
            ("frozen", frozen),
            ("shifted", wide && at > 0.0),
        ] {
            self.grid.class_list().toggle_with_force(class, holds)?;
        }
        self.in_sight.replace(InSight {
            places: in_sight,
            last: frozen,
            cut,
        });
        Ok(())
    }

    /// Classes of the heading and the cells of a column: width and side.
    pub fn classes(&self, at: usize, column: Column) -> String {
        let mut classes = width_class(at);
        let last = self.shown().last();
        for (holds, class) in [
            (column == Column::Id, " left"),
            // The names stay in sight too, where they come last.
            (
                column == Column::Name && last == Some((at, column)),
                " right",
            ),
            (cell::is_number(column), " num"),
        ] {
            if holds {
                classes.push_str(class);
            }
        }
        classes
    }
}

/// The class of the cells of a column, whose width the style sheet takes from a variable of that name.
fn width_class(at: usize) -> String {
    format!("w{at}")
}

/// What the table of what is alive shows at first.
const ALIVE: &[Column] = &[
    Column::Id,
    Column::Aligned,
    Column::Size,
    Column::LifeStart,
    Column::LifeEnd,
    Column::StartAddr,
    Column::TensorType,
    Column::LifeLong,
    Column::Name,
];

/// What the table of overlaps hides at first.
const HIDDEN_OVERLAPS: &[Column] = &[
    Column::EndAddr,
    Column::Aligned,
    Column::Readers,
    Column::LifeLong,
    Column::TensorType,
    Column::SourceStep,
];

fn usual_width(column: Column) -> f64 {
    match column {
        Column::Id => 90.0,
        Column::Name => 158.0,
        Column::Operator => 150.0,
        Column::OpId | Column::Inputs | Column::Outputs | Column::Readers => 74.0,
        Column::Stream => 64.0,
        Column::Span => 76.0,
        Column::OutputIndex => 84.0,
        Column::Workspaces => 94.0,
        Column::SourceStep | Column::LifeStart | Column::LifeEnd => 80.0,
        Column::Size | Column::Padding => 84.0,
        Column::Aligned | Column::SizeSpan => 100.0,
        // A device address has twelve digits.
        Column::StartAddr | Column::EndAddr => 124.0,
        Column::TensorType => 100.0,
        Column::LifeLong => 150.0,
        Column::AliveTensorsSize
        | Column::TotalTensorSize
        | Column::InUseMemory
        | Column::TotalMemory => 104.0,
        Column::Finding | Column::Rule => 112.0,
        Column::Collision | Column::At | Column::Against | Column::With => 76.0,
        Column::Shared => 92.0,
        Column::Note => 260.0,
        Column::Why => 240.0,
    }
}

/// What a column is called.
pub fn name(table: TableName, column: Column) -> Word {
    match (column, table) {
        (Column::Id, TableName::Nodes) => Word::ColNode,
        (Column::Id, TableName::Parameters) => Word::ColParameter,
        (Column::Id, TableName::Findings) => Word::ColTensors,
        (Column::Id, _) => Word::ColTensor,
        (Column::Name, TableName::Tensors | TableName::Alive | TableName::Overlaps) => {
            Word::ColSource
        }
        (Column::Name, _) => Word::ColName,
        (Column::Operator, _) => Word::ColOperator,
        (Column::OpId, _) => Word::ColOpId,
        (Column::Stream, _) => Word::ColStream,
        (Column::Size, TableName::Parameters) => Word::ColSize,
        (Column::Size, _) => Word::ColOriginal,
        (Column::Aligned, _) => Word::ColAligned,
        (Column::Padding, _) => Word::ColPadding,
        (Column::StartAddr, _) => Word::ColStart,
        (Column::EndAddr, _) => Word::ColEnd,
        (Column::SourceStep, _) => Word::ColSourceStep,
        (Column::OutputIndex, _) => Word::ColOutput,
        (Column::LifeStart, _) => Word::ColFirst,
        (Column::LifeEnd, _) => Word::ColLast,
        (Column::Span, _) => Word::ColSpan,
        (Column::SizeSpan, _) => Word::ColSizeSpan,
        (Column::LifeLong, _) => Word::ColLifelong,
        (Column::TensorType, _) => Word::ColType,
        (Column::Readers, _) => Word::ColReaders,
        (Column::Inputs, _) => Word::ColInputs,
        (Column::Outputs, _) => Word::ColOutputs,
        (Column::Workspaces, _) => Word::ColWorkspaces,
        (Column::AliveTensorsSize, _) => Word::ColAlive,
        (Column::TotalTensorSize, _) => Word::ColTotalTensor,
        (Column::InUseMemory, _) => Word::ColInUse,
        (Column::TotalMemory, _) => Word::ColTotal,
        (Column::Finding, _) => Word::ColFinding,
        (Column::Collision, _) => Word::ColCollision,
        (Column::Rule, _) => Word::ColRule,
        (Column::Shared, _) => Word::ColShared,
        (Column::At, _) => Word::ColNode,
        (Column::Against, _) => Word::ColAgainst,
        (Column::Note, _) => Word::ColNote,
        (Column::Why, _) => Word::ColWhy,
        (Column::With, _) => Word::ColWith,
    }
}

/// What a column tells, where its name does not.
pub fn explanation(column: Column) -> Option<Word> {
    Some(match column {
        Column::Padding => Word::ExPadding,
        Column::Span => Word::ExSpan,
        Column::SizeSpan => Word::ExSizeSpan,
        Column::StartAddr | Column::EndAddr => Word::ExAddress,
        Column::LifeStart | Column::LifeEnd => Word::ExLife,
        Column::AliveTensorsSize => Word::BoundWhat,
        Column::TotalTensorSize => Word::TotalTensorLine,
        Column::InUseMemory => Word::InUse,
        Column::TotalMemory => Word::TotalLine,
        Column::OutputIndex => Word::ExOutput,
        Column::Collision => Word::ExCollision,
        Column::Rule => Word::ExRule,
        _ => return None,
    })
}
