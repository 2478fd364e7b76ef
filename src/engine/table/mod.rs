//! Rows of the tables, sorted, filtered, narrowed, and a page at a time.
//!
//! A table of a million rows is sorted once a column and looked through once a filter text; what
//! comes out is kept with the graph, so that a page costs no more than its rows.

mod cells;
mod choice;
mod order;
mod short;

pub use cells::{lifelong, parameter_name, parameter_size, row_key, tensor_cell, tensor_type, Of};
pub use short::page;

use super::explore::{Cell, Column, Narrow, TableName, TableRequest, TableRow, TableRows};
use super::safety::OverlapOf;
use crate::analysis::{self, names::Operators, AliveTensor, Overlaps};
use crate::model::{IndexSet, Lists, Plan};
use order::Order;
use std::collections::HashMap;

/// Most orders kept a graph; each has four bytes a row.
const MOST_ORDERS: usize = 4;
/// Most filter texts whose rows are kept; each has a bit a row.
const MOST_FILTERS: usize = 8;
/// Rows put in order when the first ones are asked for: who types into a filter looks no further.
const FIRST_ROWS: usize = 1024;

/// What is kept of a graph between requests, all of it made when first needed.
#[derive(Debug, Default)]
pub struct Kept {
    operators: Option<Operators>,
    short_names: Option<bool>,
    parameter_readers: Option<Lists>,
    /// The last one used comes last.
    orders: Vec<((TableName, Column), Order)>,
    /// The last one used comes last.
    filters: Vec<((TableName, String), IndexSet)>,
    narrow: Option<((TableName, Narrow), IndexSet)>,
    alive: Option<(u32, Alive)>,
    selection: Option<(Selected, Selection)>,
    /// The rows of the table of findings.
    pub findings: Option<Vec<TableRow>>,
    /// The last selection whose overlaps were asked for, what they are, and as rows.
    pub overlaps: Option<(OverlapOf, Overlaps, Vec<TableRow>)>,
}

/// The tensors listed as alive at a step.
#[derive(Debug)]
struct Alive {
    list: Vec<AliveTensor>,
    set: IndexSet,
    /// Those whose bytes are counted with another one, and that one.
    counted_with: HashMap<u32, u32>,
}

/// What decides which rows a table has, and in which order.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Selected {
    table: TableName,
    step: Option<u32>,
    sort: Column,
    descending: bool,
    filter: String,
    narrow: Narrow,
}

/// The rows of a table as asked for.
#[derive(Debug)]
struct Selection {
    /// The first [`FIRST_ROWS`], or all.
    rows: Vec<u32>,
    total: u32,
    sum: u64,
}

impl Selection {
    fn has(&self, end: usize) -> bool {
        self.rows.len() >= end.min(self.total as usize)
    }
}

impl Kept {
    /// The operators of the plan.
    pub fn operators(&mut self, plan: &Plan) -> &Operators {
        self.operators
            .get_or_insert_with(|| analysis::names::operators(plan))
    }

    /// Whether no node's name has a scope.
    pub fn short_names(&mut self, plan: &Plan) -> bool {
        *self
            .short_names
            .get_or_insert_with(|| analysis::names::are_short(plan))
    }

    /// The tensors listed as alive at a step; the last step is kept.
    pub fn alive_at(&mut self, plan: &Plan, step: u32) -> &[AliveTensor] {
        if self.alive.as_ref().is_none_or(|(at, _)| *at != step) {
            let list = analysis::alive_at(plan, step);
            let with = |a: &AliveTensor| Some((a.tensor, a.counted_with?));
            let alive = Alive {
                set: IndexSet::of(plan.n_tensors(), list.iter().map(|a| a.tensor)),
                counted_with: list.iter().filter_map(with).collect(),
                list,
            };
            self.alive = Some((step, alive));
        }
        let list = self.alive.as_ref().map(|(_, alive)| &alive.list);
        list.map_or(&[], Vec::as_slice)
    }

    /// The readers of the parameters.
    pub fn parameter_readers(&mut self, plan: &Plan) -> &Lists {
        self.parameter_readers
            .get_or_insert_with(|| analysis::parameter_readers(plan))
    }

    /// The readers of a parameter, when they were asked for before.
    fn readers_of_parameter(&self, p: u32) -> Option<&[u32]> {
        self.parameter_readers.as_ref().map(|lists| lists.get(p))
    }

    /// The rows within a narrowing.
    pub fn narrowed(&mut self, plan: &Plan, table: TableName, narrow: &Narrow) -> &IndexSet {
        let table = whole(table);
        let is_kept = |kept: &(TableName, Narrow)| kept.0 == table && kept.1 == *narrow;
        if !self.narrow.as_ref().is_some_and(|(key, _)| is_kept(key)) {
            let set = choice::within_narrow(plan, self, table, narrow);
            self.narrow = Some(((table, narrow.clone()), set));
        }
        static NOTHING: IndexSet = IndexSet::EMPTY;
        self.narrow.as_ref().map_or(&NOTHING, |(_, set)| set)
    }

    fn order(&mut self, of: &Of<'_>, table: TableName, column: Column) -> Option<&Order> {
        let key = (whole(table), order::stand_in(column));
        if let Some(place) = self.orders.iter().position(|(k, _)| *k == key) {
            let found = self.orders.remove(place);
            self.orders.push(found);
        } else {
            let made = order::order(of, self, key, None);
            if self.orders.len() >= MOST_ORDERS {
                self.orders.remove(0);
            }
            self.orders.push((key, made));
        }
        self.orders.last().map(|(_, order)| order)
    }

    /// Makes sure that the rows with a text are there, as the last ones that were used.
    fn look_through(&mut self, plan: &Plan, table: TableName, text: &str) {
        let known =
            |kept: &((TableName, String), IndexSet)| kept.0 .0 == table && kept.0 .1 == text;
        let found = match self.filters.iter().position(known) {
            Some(place) => self.filters.remove(place),
            None => {
                // Where a longer text stands, each part of it does.
                let parts = self.filters.iter().filter(|((of, part), _)| {
                    *of == table && choice::contains(text.as_bytes(), part.as_bytes())
                });
                let within = parts.map(|(_, set)| set).min_by_key(|set| set.len());
                let set = choice::containing(plan, table, text, within);
                if self.filters.len() >= MOST_FILTERS {
                    self.filters.remove(0);
                }
                ((table, text.to_owned()), set)
            }
        };
        self.filters.push(found);
    }

    /// Makes sure that the rows as asked for are there, at least up to `end`.
    fn select(&mut self, of: &Of<'_>, wanted: &Selected, end: usize) {
        if self
            .selection
            .as_ref()
            .is_some_and(|(key, rows)| key == wanted && rows.has(end))
        {
            return;
        }
        // Two of them need not fit at once. Of the same rows in another order the sum is known.
        let before = self.selection.take().filter(|(before, _)| {
            let Selected {
                sort, descending, ..
            } = *wanted;
            let alike = Selected {
                sort,
                descending,
                ..before.clone()
            };
            alike == *wanted
        });
        let known = before.map(|(_, rows)| (rows.total, rows.sum));
        let (plan, table) = (of.plan, wanted.table);
        if !wanted.filter.is_empty() {
            self.look_through(plan, whole(table), &wanted.filter);
        }
        if wanted.narrow != Narrow::default() {
            self.narrowed(plan, table, &wanted.narrow);
        }
        let filter = self.filters.last().filter(|_| !wanted.filter.is_empty());
        let narrow = self
            .narrow
            .as_ref()
            .filter(|_| wanted.narrow != Narrow::default());
        let alive = self.alive.as_ref().filter(|_| wanted.step.is_some());
        let sets = [
            filter.map(|(_, set)| set),
            narrow.map(|(_, set)| set),
            alive.map(|(_, alive)| &alive.set),
        ];
        let set = sets
            .into_iter()
            .flatten()
            .fold(None, |all: Option<IndexSet>, set| {
                Some(all.map_or_else(|| set.clone(), |all| all.and(set)))
            });
        let few = set
            .as_ref()
            .is_some_and(|set| choice::is_few(set, cells::len(plan, table)));
        let within = |row: &u32| set.as_ref().is_none_or(|set| set.contains(*row));
        let all = 0..cells::len(plan, table);
        let (total, sum) = known.unwrap_or_else(|| match &set {
            Some(set) => (set.len(), sum(plan, table, set.iter())),
            None => (all.end, sum(plan, table, all.clone())),
        });
        let most = match end {
            0..=FIRST_ROWS => FIRST_ROWS,
            _ => usize::MAX,
        };
        let rows: Vec<u32> = match wanted.sort {
            Column::Id if wanted.descending => all.rev().filter(within).take(most).collect(),
            Column::Id => all.filter(within).take(most).collect(),
            column if few && order::is_by_row(column) => {
                order::order(of, self, (whole(table), column), set.as_ref()).rows(
                    wanted.descending,
                    None,
                    most,
                )
            }
            column => self
                .order(of, table, column)
                .map_or_else(Vec::new, |order| {
                    order.rows(wanted.descending, set.as_ref(), most)
                }),
        };
        self.selection = Some((wanted.clone(), Selection { rows, total, sum }));
    }
}

/// Bytes of all rows, those of a union group once.
fn sum(plan: &Plan, table: TableName, rows: impl Iterator<Item = u32>) -> u64 {
    let mut counted = vec![0u64; plan.unions.len() as usize];
    rows.fold(0, |sum, row| {
        let mut bytes = cells::bytes(plan, table, row);
        let group = (whole(table) == TableName::Tensors).then(|| plan.union_group(row));
        if let Some(before) = group.flatten().and_then(|g| counted.get_mut(g as usize)) {
            bytes = bytes.saturating_sub(*before);
            *before += bytes;
        }
        sum.saturating_add(bytes)
    })
}

/// The table whose rows a table takes from.
fn whole(table: TableName) -> TableName {
    match table {
        TableName::Alive => TableName::Tensors,
        other => other,
    }
}

/// The rows asked for; `None` when there is no such step.
pub fn rows(of: &Of<'_>, kept: &mut Kept, request: &TableRequest) -> Option<TableRows> {
    let (plan, table) = (of.plan, request.table);
    let mut step = None;
    let mut all = cells::len(plan, table);
    if table == TableName::Alive {
        if request.step >= plan.steps {
            return None;
        }
        step = Some(request.step);
        all = kept.alive_at(plan, request.step).len() as u32;
    }
    let sort = request.sort.unwrap_or(Column::Id);
    let known = table.columns().contains(&sort);
    let wanted = Selected {
        table,
        step,
        sort: if known { sort } else { Column::Id },
        descending: request.descending && known && request.sort.is_some(),
        filter: request.filter.clone(),
        narrow: request.narrow.clone(),
    };
    let end = match request.reveal {
        Some(_) => usize::MAX,
        None => request.first as usize + request.rows as usize,
    };
    kept.select(of, &wanted, end);
    if table == TableName::Parameters {
        kept.parameter_readers(plan);
    }
    let (_, selection) = kept.selection.as_ref()?;
    let row_of = |id: u64| cells::ids(plan, table).index_of(id);
    let place_of = |row: u32| selection.rows.iter().position(|r| *r == row);
    let revealed = request.reveal.and_then(row_of).and_then(place_of);
    let revealed = revealed.map(|place| place as u32);
    let first = match revealed {
        Some(place) => place - place % request.rows.max(1),
        None => request.first,
    };
    let page = selection
        .rows
        .iter()
        .skip(first as usize)
        .take(request.rows as usize);
    let alive = kept.alive.as_ref().filter(|_| step.is_some());
    let row = |&row: &u32| {
        let with = alive.and_then(|(_, alive)| alive.counted_with.get(&row));
        let cell = |&column: &Column| match (cells::cell(of, kept, table, column, row), with) {
            (Cell::Bytes(bytes), Some(&t)) if column == Column::Aligned => {
                Cell::CountedWith(bytes, plan.tensors.ids.id(t))
            }
            (cell, _) => cell,
        };
        TableRow {
            key: cells::row_key(plan, table, row),
            cells: table.columns().iter().map(cell).collect(),
        }
    };
    Some(TableRows {
        table,
        total: selection.total,
        of: all,
        first,
        revealed,
        sum: selection.sum,
        rows: page.map(row).collect(),
    })
}
