//! What task info says about a graph, for a face: the base, what was joined, what differs.

use serde::{Deserialize, Serialize};

use super::details::node_link;
use super::explore::{Cell, Column, NodeLink, TableName, TableRow};
use super::messages::bilingual;
use super::session::Tasks;
use super::table;
use crate::analysis::TaskFinding;
use crate::model::Plan;
use crate::report::names;
use crate::report::results::log;

/// Most findings that are listed.
const MOST: usize = 1000;

/// What task info says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskFacts {
    /// Name of its file.
    pub file: String,
    /// Where offset 0 lies; `None` when no placed tensor has an address.
    pub base: Option<u64>,
    /// Number of records.
    pub tasks: u32,
    /// Records that belong to a node.
    pub matched: u32,
    /// Lowest address of all.
    pub lowest: Option<u64>,
    /// Highest address + size.
    pub highest_end: Option<u64>,
    /// Parameters whose address is known from it.
    pub parameters: u32,
    /// How many findings of each kind there are; the stable words.
    pub kinds: Vec<(String, u64)>,
    /// Names that as many nodes as records do not have: a node, number of nodes, of records.
    pub unjoined: Vec<(NodeLink, u32, u32)>,
}

/// What the task of a node used, entry by entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeTask {
    /// Number of its tasks.
    pub tasks: u32,
    /// Stream of the first one.
    pub stream: u32,
    /// Addresses and sizes of inputs, outputs and workspaces; the first 200 of each.
    pub lists: [Vec<(u64, u64)>; 3],
}

/// What task info says about a plan.
pub fn facts(plan: &Plan, tasks: &Tasks) -> TaskFacts {
    let check = &tasks.check;
    let groups = check.join.unjoined_groups.iter().take(MOST);
    TaskFacts {
        file: names::display(tasks.file.as_bytes()),
        base: check.base,
        tasks: check.tasks,
        matched: check.matched,
        lowest: check.lowest,
        highest_end: check.highest_end,
        parameters: check.parameter_at.iter().filter(|a| **a != 0).count() as u32,
        kinds: kinds(tasks),
        unjoined: groups
            .map(|&(n, k, m)| (node_link(plan, n), k, m))
            .collect(),
    }
}

/// How many findings of each kind there are.
pub fn kinds(tasks: &Tasks) -> Vec<(String, u64)> {
    let mut kinds: Vec<(String, u64)> = Vec::new();
    for finding in &tasks.check.findings {
        let word = finding.kind.word();
        match kinds.iter_mut().find(|(known, _)| known == word) {
            Some((_, n)) => *n += 1,
            None => kinds.push((word.to_owned(), 1)),
        }
    }
    kinds
}

/// The first findings as rows of the table of findings, from place `first` of it: by node, those
/// without a node last.
pub fn rows<'a>(
    plan: &'a Plan,
    tasks: &'a Tasks,
    first: u64,
) -> impl Iterator<Item = TableRow> + 'a {
    let key = |f: &TaskFinding| match (f.tensor, f.parameter, f.node) {
        (Some(t), ..) => table::row_key(plan, TableName::Tensors, t),
        (None, Some(p), _) => table::row_key(plan, TableName::Parameters, p),
        (None, None, Some(n)) => table::row_key(plan, TableName::Nodes, n),
        _ => f.kind.word().to_owned(),
    };
    let row = move |(place, f): (u64, &TaskFinding)| {
        let cell = |column: &Column| match column {
            Column::Id => Cell::Number(place),
            Column::Finding => Cell::Text(f.kind.word().to_owned()),
            Column::At => f
                .node
                .map_or(Cell::Empty, |n| Cell::Step(plan.nodes.step(n))),
            Column::Note => Cell::Said(bilingual(|lang| {
                log::finding_line(plan, &tasks.info, f, lang)
            })),
            _ => Cell::Empty,
        };
        TableRow {
            key: key(f),
            cells: TableName::Findings.columns().iter().map(cell).collect(),
        }
    };
    (first..)
        .zip(tasks.check.findings.iter().take(MOST))
        .map(row)
}

/// What the task of node `n` used; `None` when no record is known to be its.
pub fn of_node(tasks: &Tasks, n: u32) -> Option<NodeTask> {
    let (info, r) = (&tasks.info, tasks.check.join.record(n)?);
    let list = |lists: &crate::model::AddressLists| lists.get(r).take(200).collect();
    let number = |column: &[u32]| column.get(r as usize).copied().unwrap_or(0);
    Some(NodeTask {
        tasks: number(&info.tasks),
        stream: number(&info.stream),
        lists: [
            list(&info.inputs),
            list(&info.outputs),
            list(&info.workspaces),
        ],
    })
}
