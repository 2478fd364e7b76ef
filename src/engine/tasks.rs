//! What task info says about a graph, for a face: the base, what was joined, what differs.

use serde::{Deserialize, Serialize};

use super::details::node_link;
use super::explore::NodeLink;
use super::messages::bilingual;
use super::protocol::Bilingual;
use super::session::Tasks;
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
    pub kinds: Vec<(String, u32)>,
    /// The first 1000 findings, by node, those without a node last.
    pub findings: Vec<TaskRow>,
    /// Names that as many nodes as records do not have: a node, number of nodes, of records.
    pub unjoined: Vec<(NodeLink, u32, u32)>,
}

/// Where a task and the plan differ.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskRow {
    /// The stable word.
    pub kind: String,
    /// The node.
    pub node: Option<NodeLink>,
    /// Name of the record, where there is no node; else empty.
    pub record: String,
    /// Line of the record in its file; 0 without one.
    pub line: u64,
    /// Id of the tensor.
    pub tensor: Option<u64>,
    /// Id of the parameter.
    pub parameter: Option<u64>,
    /// Planned address (`oversize`: bytes reserved; counts: how many).
    pub planned: Option<u64>,
    /// What the task used.
    pub found: Option<u64>,
    /// The whole of it as a sentence.
    pub text: Bilingual,
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
    let (info, check) = (&tasks.info, &tasks.check);
    let mut kinds: Vec<(String, u32)> = Vec::new();
    for finding in &check.findings {
        let word = finding.kind.word();
        match kinds.iter_mut().find(|(known, _)| known == word) {
            Some((_, n)) => *n += 1,
            None => kinds.push((word.to_owned(), 1)),
        }
    }
    let findings = check.findings.iter().take(MOST).map(|f| TaskRow {
        kind: f.kind.word().to_owned(),
        node: f.node.map(|n| node_link(plan, n)),
        record: match (f.node, f.record) {
            (None, Some(r)) => names::display(info.name_of(r)),
            _ => String::new(),
        },
        line: f
            .record
            .and_then(|r| info.line.get(r as usize).copied())
            .unwrap_or(0),
        tensor: f.tensor.map(|t| plan.tensors.ids.id(t)),
        parameter: f.parameter.map(|p| plan.parameters.ids.id(p)),
        planned: f.planned,
        found: f.found,
        text: bilingual(|lang| log::finding_line(plan, info, f, lang)),
    });
    let groups = check.join.unjoined_groups.iter().take(MOST);
    TaskFacts {
        file: names::display(tasks.file.as_bytes()),
        base: check.base,
        tasks: check.tasks,
        matched: check.matched,
        lowest: check.lowest,
        highest_end: check.highest_end,
        parameters: check.parameter_at.iter().filter(|a| **a != 0).count() as u32,
        kinds,
        findings: findings.collect(),
        unjoined: groups
            .map(|&(n, k, m)| (node_link(plan, n), k, m))
            .collect(),
    }
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
