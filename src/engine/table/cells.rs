//! The cells of the tables: what stands in a column of a row. Rows are indices here.

use std::collections::HashMap;

use super::Kept;
use crate::analysis::{names as parts, Liveness};
use crate::engine::explore::{Cell, Column, TableName};
use crate::engine::session::Tasks;
use crate::model::{Ids, Lifelong, Plan, PlanKind, TensorKind};
use crate::report::names;

/// What cells are made from.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its curves.
    pub liveness: &'a Liveness,
    /// Sum of all parameter sizes.
    pub static_memory: u64,
    /// What the plan reserves, bytes.
    pub planned_total: u64,
    /// Where offset 0 lies; 0 where nothing tells.
    pub base: u64,
    /// What the launched tasks used.
    pub tasks: Option<&'a Tasks>,
}

impl Of<'_> {
    /// Where parameter `p` lies: as the dump prints it, else as tasks read it.
    pub fn parameter_address(&self, p: u32) -> Option<u64> {
        let printed = self.plan.parameters.start_addr.get(p as usize);
        let used = || self.tasks?.check.parameter_at.get(p as usize);
        let used = || used().filter(|at| **at != 0);
        printed.or_else(used).copied()
    }
}

/// The ids of the rows of a table ([`TableName::Alive`]: of the tensors it is a part of).
pub fn ids(plan: &Plan, table: TableName) -> &Ids {
    match table {
        TableName::Nodes => &plan.nodes.ids,
        TableName::Parameters => &plan.parameters.ids,
        _ => &plan.tensors.ids,
    }
}

/// Number of rows of a table, likewise.
pub fn len(plan: &Plan, table: TableName) -> u32 {
    ids(plan, table).len()
}

/// A row's id as the dump writes it.
pub fn row_key(plan: &Plan, table: TableName, row: u32) -> String {
    let id = ids(plan, table).id(row);
    match table {
        TableName::Nodes => format!("${id}"),
        TableName::Parameters => format!("%{id}P"),
        _ => format!("%{id}T"),
    }
}

/// Bytes a row adds to the sum of a table.
pub fn bytes(plan: &Plan, table: TableName, row: u32) -> u64 {
    match table {
        TableName::Nodes => 0,
        TableName::Parameters => parameter_size(plan, row),
        _ => plan.tensors.aligned_at(row),
    }
}

/// What stands in a column of a row.
pub fn cell(of: &Of<'_>, kept: &Kept, table: TableName, column: Column, row: u32) -> Cell {
    if column == Column::Id {
        return Cell::Text(row_key(of.plan, table, row));
    }
    match table {
        TableName::Nodes => node_cell(of, column, row),
        TableName::Parameters => parameter_cell(of, kept, column, row),
        _ => tensor_cell(of, column, row),
    }
}

fn node_cell(of: &Of<'_>, column: Column, n: u32) -> Cell {
    let plan = of.plan;
    let listed = |list: &[u32]| Cell::Number(list.len() as u64);
    let curve = |curve: &[u64], more: u64| {
        curve
            .get(plan.nodes.step(n) as usize)
            .map_or(Cell::Empty, |v| Cell::Bytes(v.saturating_add(more)))
    };
    match column {
        Column::Name => text(plan.node_name(n)),
        Column::Operator => text(parts::operator(plan.node_name(n))),
        Column::OpId => parts::op_id(plan.node_name(n)).map_or(Cell::Empty, Cell::Number),
        Column::Stream => stream(plan, n),
        Column::Inputs => listed(plan.nodes.inputs.get(n)),
        Column::Outputs => listed(plan.nodes.outputs.get(n)),
        Column::Workspaces => listed(plan.nodes.workspaces.get(n)),
        Column::AliveTensorsSize => curve(&of.liveness.alive, 0),
        Column::InUseMemory => curve(&of.liveness.alive, of.static_memory),
        Column::TotalTensorSize => curve(&of.liveness.total, 0),
        Column::TotalMemory => curve(&of.liveness.total, of.static_memory),
        _ => Cell::Empty,
    }
}

/// What stands in a column of a tensor.
pub fn tensor_cell(of: &Of<'_>, column: Column, t: u32) -> Cell {
    let plan = of.plan;
    let tensors = &plan.tensors;
    let aligned = tensors.aligned_at(t);
    let source = tensors.source_of(t);
    let span = || {
        plan.live_range(t)
            .map_or(0, |r| u64::from(r.last - r.first) + 1)
    };
    match column {
        Column::Name => source.map_or(Cell::Empty, |n| text(plan.node_name(n))),
        Column::Operator => {
            source.map_or(Cell::Empty, |n| text(parts::operator(plan.node_name(n))))
        }
        Column::Stream => source.map_or(Cell::Empty, |n| stream(plan, n)),
        Column::SourceStep => source.map_or(Cell::Empty, |n| Cell::Step(plan.nodes.step(n))),
        Column::OutputIndex => plan
            .output_index(t)
            .map_or(Cell::Empty, |i| Cell::Number(u64::from(i))),
        Column::Size => Cell::Bytes(tensors.original_at(t)),
        Column::Aligned => Cell::Bytes(aligned),
        Column::Padding if aligned > 0 => {
            Cell::SignedBytes(aligned.wrapping_sub(tensors.original_at(t)) as i64)
        }
        Column::StartAddr => address(of, t, 0),
        Column::EndAddr => address(of, t, aligned),
        Column::LifeStart => Cell::Step(tensors.printed_life(t).0),
        Column::LifeEnd => Cell::Step(tensors.printed_life(t).1),
        Column::Span => Cell::Number(span()),
        Column::SizeSpan => Cell::ByteSteps(aligned.saturating_mul(span())),
        Column::LifeLong => Cell::Text(lifelong(plan, t)),
        Column::TensorType => Cell::Text(tensor_type(plan, t)),
        Column::Readers => Cell::Number(plan.readers().get(t).len() as u64),
        _ => Cell::Empty,
    }
}

fn parameter_cell(of: &Of<'_>, kept: &Kept, column: Column, p: u32) -> Cell {
    let plan = of.plan;
    let size = parameter_size(plan, p);
    let start = of.parameter_address(p);
    match column {
        Column::Name => text(parameter_name(plan, p)),
        Column::Size => Cell::Bytes(size),
        Column::StartAddr => start.map_or(Cell::Empty, Cell::Address),
        Column::EndAddr => start.map_or(Cell::Empty, |a| Cell::Address(a.saturating_add(size))),
        Column::OutputIndex => plan
            .parameters
            .out_index
            .get(p as usize)
            .map_or(Cell::Empty, |&i| Cell::Number(u64::from(i))),
        Column::Readers => kept
            .readers_of_parameter(p)
            .map_or(Cell::Empty, |list| Cell::Number(list.len() as u64)),
        _ => Cell::Empty,
    }
}

fn text(name: &[u8]) -> Cell {
    Cell::Text(names::display(name))
}

fn stream(plan: &Plan, n: u32) -> Cell {
    if plan.ordered {
        Cell::Number(u64::from(plan.nodes.stream_of(n)))
    } else {
        Cell::Empty
    }
}

/// Where a tensor lies, `more` bytes on; empty where it is not placed.
fn address(of: &Of<'_>, t: u32, more: u64) -> Cell {
    let plan = of.plan;
    if plan.kind == PlanKind::Stage || plan.tensors.aligned_at(t) == 0 {
        return Cell::Empty;
    }
    let start = of.base.saturating_add(plan.tensors.shown_offset(t));
    Cell::Address(start.saturating_add(more))
}

/// Size of parameter `p` in bytes.
pub fn parameter_size(plan: &Plan, p: u32) -> u64 {
    plan.parameters.size.get(p as usize).copied().unwrap_or(0)
}

/// Name of parameter `p` as in the dump.
pub fn parameter_name(plan: &Plan, p: u32) -> &[u8] {
    plan.parameters
        .name
        .get(p as usize)
        .map_or(&[], |&id| plan.names.get(id))
}

/// The type word of tensor `t`.
pub fn tensor_type(plan: &Plan, t: u32) -> String {
    let word = plan.tensors.kind_words.word(plan.tensors.kind_at(t));
    names::display(word.as_bytes())
}

/// The lifelong word of tensor `t`.
pub fn lifelong(plan: &Plan, t: u32) -> String {
    match plan.tensors.odd_lifelong.iter().find(|(of, _)| *of == t) {
        Some((_, word)) => names::display(word.as_bytes()),
        None => plan.tensors.lifelong_at(t).word().to_owned(),
    }
}

/// Words of tensor types by their numbers, as far as the plan uses them.
pub fn type_words(plan: &Plan) -> impl Iterator<Item = &str> {
    let used = plan.tensors.kind.iter().map(|k| k.0).max();
    let numbers = 0..used.map_or(0, |most| most.saturating_add(1));
    numbers.map(|n| plan.tensors.kind_words.word(TensorKind(n)))
}

/// All lifelong words, and the place of a tensor's word among them.
pub fn lifelong_words(plan: &Plan) -> (Vec<String>, impl Fn(u32) -> usize + '_) {
    let known = [
        Lifelong::None,
        Lifelong::GraphAll,
        Lifelong::GraphStart,
        Lifelong::GraphEnd,
    ];
    let mut words: Vec<String> = known.iter().map(|l| l.word().to_owned()).collect();
    let mut odd: HashMap<u32, usize> = HashMap::new();
    for (t, word) in &plan.tensors.odd_lifelong {
        odd.entry(*t).or_insert(words.len());
        words.push(names::display(word.as_bytes()));
    }
    let place = move |t: u32| match odd.get(&t) {
        Some(&place) => place,
        None => plan.tensors.lifelong_at(t) as usize,
    };
    (words, place)
}
