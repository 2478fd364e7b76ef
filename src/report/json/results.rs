//! Twins of task checks and queries.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::analysis::matrix::{Difference, MatrixCheck};
use crate::analysis::{self, TaskCheck};
use crate::model::{InputRef, Plan, TaskInfo};
use crate::report::names;
use crate::report::results::query::{Query, Where};
use crate::report::results::Results;

/// Most entries of a list.
const MOST: usize = 1000;

/// What task info says.
#[derive(Clone, Debug, Serialize)]
pub struct Task {
    /// Where offset 0 lies; null when no placed tensor has an address.
    pub base: Option<u64>,
    /// Number of records.
    pub tasks: u32,
    /// Records that belong to a node.
    pub matched: u32,
    /// The first findings.
    pub list: Vec<TaskRow>,
}

/// Where a task and the plan differ.
#[derive(Clone, Debug, Serialize)]
pub struct TaskRow {
    /// Kind.
    pub kind: String,
    /// Step of the node; null for a record without one.
    pub node: Option<u32>,
    /// Name of the node or of the record.
    pub name: String,
    /// Tensor id; null when it is about none.
    pub tensor: Option<u64>,
    /// Parameter id; absent when it is about none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<u64>,
    /// Planned address, size or count.
    pub planned: Option<u64>,
    /// What the task used.
    pub found: Option<u64>,
}

/// The planner's conflict matrix against the one computed from the plan.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// Rows of the file.
    pub rows: u64,
    /// Cells that could be computed.
    pub cells_compared: u64,
    /// How many of them differ.
    pub differences: u64,
    /// Cells that only the sizes before the solver ran could decide.
    pub not_decidable: u64,
    /// How GraphStart and GraphEnd were read: `directional`, `by_id` or `ignored`; absent where it
    /// makes no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reading: Option<String>,
    /// The first differences.
    pub list: Vec<MatrixCell>,
}

/// A cell that differs.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixCell {
    /// Id of the tensor whose row it is.
    pub row: u64,
    /// Id of the other tensor.
    pub column: u64,
    /// What the file says.
    pub may_share: bool,
}

/// The twin of a comparison of matrices.
pub fn matrix(plan: &Plan, check: &MatrixCheck) -> Matrix {
    let cell = |d: &Difference| MatrixCell {
        row: plan.tensors.ids.id(d.row),
        column: plan.tensors.ids.id(d.column),
        may_share: d.may_share,
    };
    Matrix {
        rows: check.rows,
        cells_compared: check.cells_compared,
        differences: check.differences,
        not_decidable: check.not_decidable,
        reading: check.reading.map(|r| r.word().to_owned()),
        list: check.list.iter().map(cell).collect(),
    }
}

/// Tensors by id, with their number and their aligned bytes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct TensorSet {
    /// How many.
    pub count: u64,
    /// Aligned bytes; at a step each union group once.
    pub bytes: u64,
    /// Ids, ascending.
    pub ids: Vec<u64>,
}

/// The answer to a question.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    /// `node`, `tensor`, `address` or `range`.
    pub query: String,
    /// As it was typed.
    pub typed: String,
    /// Step of the node asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Tensors it reads, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<u64>>,
    /// Parameters it reads, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_parameters: Option<Vec<u64>>,
    /// Tensors it writes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<u64>>,
    /// Its workspaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspaces: Option<Vec<u64>>,
    /// Tensors alive at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alive: Option<TensorSet>,
    /// Id of the tensor asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensor: Option<u64>,
    /// Steps of the nodes that use it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<u32>>,
    /// First address asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    /// The address behind the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u64>,
    /// Tensors that share bytes with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tensors: Option<TensorSet>,
    /// Parameters there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<u64>>,
}

/// The twin of a task check.
pub fn task(results: &Results<'_>, info: &TaskInfo, check: &TaskCheck) -> Task {
    let plan = results.plan;
    let row = |f: &analysis::TaskFinding| TaskRow {
        kind: f.kind.word().to_owned(),
        node: f.node.map(|n| plan.nodes.step(n)),
        name: match (f.node, f.record) {
            (Some(n), _) => names::display(plan.node_name(n)),
            (None, Some(r)) => names::display(info.name_of(r)),
            (None, None) => String::new(),
        },
        tensor: f.tensor.map(|t| plan.tensors.ids.id(t)),
        parameter: f.parameter.map(|p| plan.parameters.ids.id(p)),
        planned: f.planned,
        found: f.found,
    };
    Task {
        base: check.base,
        tasks: check.tasks,
        matched: check.matched,
        list: check.findings.iter().take(MOST).map(row).collect(),
    }
}

/// Findings by kind.
pub fn findings(check: &TaskCheck) -> BTreeMap<String, u64> {
    let mut out = BTreeMap::new();
    for finding in &check.findings {
        *out.entry(finding.kind.word().to_owned()).or_default() += 1;
    }
    out
}

/// Answers a question.
pub fn answer(results: &Results<'_>, query: &Query) -> Answer {
    let plan = results.plan;
    let id = |t: &u32| plan.tensors.ids.id(*t);
    let set = |tensors: &[u32]| TensorSet {
        count: tensors.len() as u64,
        bytes: tensors.iter().map(|&t| plan.tensors.aligned_at(t)).sum(),
        ids: tensors.iter().map(id).collect(),
    };
    let mut out = Answer {
        query: query.kind.word().to_owned(),
        typed: query.typed.clone(),
        node: None,
        name: None,
        inputs: None,
        input_parameters: None,
        outputs: None,
        workspaces: None,
        alive: None,
        tensor: None,
        nodes: None,
        start: None,
        end: None,
        tensors: None,
        parameters: None,
    };
    match query.place {
        Where::Node(n) => {
            let step = plan.nodes.step(n);
            out.node = Some(step);
            out.name = Some(names::display(plan.node_name(n)));
            let (mut tensors, mut parameters) = (Vec::new(), Vec::new());
            for input in plan.nodes.inputs_of(n) {
                match input {
                    InputRef::Tensor(t) => tensors.push(id(&t)),
                    InputRef::Parameter(p) => parameters.push(plan.parameters.ids.id(p)),
                }
            }
            out.inputs = Some(tensors);
            out.input_parameters = Some(parameters);
            out.outputs = Some(plan.nodes.outputs.get(n).iter().map(id).collect());
            out.workspaces = Some(plan.nodes.workspaces.get(n).iter().map(id).collect());
            let mut frame = results.mem_frame(step);
            frame.sort_unstable();
            let mut alive = set(&frame);
            let curve = results.liveness.alive.get(step as usize);
            alive.bytes = curve.copied().unwrap_or(0);
            out.alive = Some(alive);
        }
        Where::Tensor(t) => {
            out.tensor = Some(id(&t));
            let nodes = analysis::nodes_using(plan, t);
            out.nodes = Some(nodes.into_iter().map(|n| plan.nodes.step(n)).collect());
            out.tensors = Some(set(&analysis::sharing_bytes(plan, t)));
        }
        Where::Addresses(range) => {
            (out.start, out.end) = (Some(range.start), Some(range.end));
            out.tensors = Some(set(&results.tensors_at(range)));
            let parameters = results.parameters_at(range);
            let id = |p: u32| plan.parameters.ids.id(p);
            out.parameters = Some(parameters.into_iter().map(id).collect());
        }
    }
    out
}
