//! The verdict, one pair of tensors in detail, and who shares the bytes of a selection: what is
//! asked and answered about safety, as plain data; ids and steps are the dump's own.

use serde::{Deserialize, Serialize};

use super::details::{some200, tensor_link};
use super::explore::{Cell, Column, Some200, TableName, TableRow, TensorLink};
use super::protocol::Bilingual;
use super::table::{self, Of};
use crate::analysis::{
    self, Edge, Finding, FindingKind, Fit, Ground, Hazard, HazardKind, Overlaps, Pair, Path,
    PlanFindings, Rules, Safety, Selection, Undecided, Verdict,
};
use crate::model::Plan;
use crate::parse::Positions;
use crate::report::json::verdict_word;
use crate::report::names;
use crate::report::text::Lang;
use crate::units::{ByteRange, LiveRange};

/// The verdict and what it rests on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SafetyFacts {
    /// Handle of the graph.
    pub graph: u32,
    /// `safe`, `hazards` or `undecided`.
    pub verdict: String,
    /// Why it is undecided: `incomplete`, `stage` or `cycle`; else empty.
    pub reason: String,
    /// Number of hazards; with `more`, at least.
    pub count: u64,
    /// There are more than were counted.
    pub more: bool,
    /// Hazards that are alive together in execution order.
    pub by_order: u64,
    /// Pairs of tensors that were compared; the rest follows from them.
    pub compared: u64,
    /// Edges that order nodes: those by data, and the others.
    pub edges: (u64, u64),
    /// Kinds of findings and of collisions with the number of rows that have them.
    pub kinds: Vec<(String, u64)>,
    /// The first hazard: ids of its tensors.
    pub first: Option<(u64, u64)>,
}

/// Whose bytes are looked at: those of a tensor, else those of a range of offsets (half-open) in a
/// range of steps (both ends included); all of them without any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlapOf {
    /// Id of a tensor.
    pub tensor: Option<u64>,
    /// First byte and the one behind the last.
    pub bytes: Option<(u64, u64)>,
    /// First and last step.
    pub steps: Option<(u32, u32)>,
}

/// What is drawn of a selection, one entry a row, in time order: boxes over steps and bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct OverlapBoxes {
    /// What was asked for.
    pub of: OverlapOf,
    /// Number of tensors there, of which only the first are given.
    pub total: u64,
    /// Ids.
    pub id: Vec<u64>,
    /// First and last step alive, widened.
    pub life: Vec<(u32, u32)>,
    /// True offset and the end.
    pub bytes: Vec<(u64, u64)>,
    /// As in the column [`Column::Why`].
    pub why: Vec<String>,
    /// The selected tensor's own box.
    pub own: Option<((u32, u32), (u64, u64))>,
}

/// A node of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairNode {
    /// Its step.
    pub step: u32,
    /// Its name, full.
    pub name: String,
    /// Its stream; `None` where streams mean nothing.
    pub stream: Option<u32>,
}

/// One tensor of a pair.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairSide {
    /// Id, size, life, source.
    pub tensor: TensorLink,
    /// True offset.
    pub offset: u64,
    /// Lifelong word.
    pub lifelong: String,
    /// Type word.
    pub tensor_type: String,
    /// The node that makes it.
    pub producer: Option<PairNode>,
    /// The nodes that use it after that; the producer when none does.
    pub users: Some200<PairNode>,
}

/// What leads to a node of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathEdge {
    /// Nothing: it begins here.
    Start,
    /// It reads the tensor of that id.
    Data(u64),
    /// So many nodes on in the same stream.
    Stream(u32),
    /// A control tensor, a stream group or an event.
    Order,
    /// So many nodes are left out before it.
    Skipped(u32),
}

/// How two accesses collide.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Collision {
    /// `waw`, `raw` or `war`.
    pub kind: String,
    /// Whether the live ranges meet (rule `order`); otherwise rule `dependency`.
    pub by_order: bool,
    /// The node of the earlier tensor, and the one that writes the later.
    pub nodes: [PairNode; 2],
}

/// Everything about two tensors.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairFacts {
    /// Handle of the graph.
    pub graph: u32,
    /// The tensors; the one whose source comes first is the first.
    pub sides: [PairSide; 2],
    /// The bytes in common, true offsets, half-open; empty without any.
    pub shared: (u64, u64),
    /// `hazard`, `union`, `zero`, `elsewhere`, `gap`, `apart` or `ordered`.
    pub ground: String,
    /// The tensor that `zero` and `elsewhere` speak of.
    pub of: Option<u64>,
    /// How a hazard collides.
    pub collision: Option<Collision>,
    /// Whether it can be said at all.
    pub decided: bool,
    /// Whether the widened live ranges meet.
    pub meet: bool,
    /// Whether a lifelong kind forbids that they share.
    pub lifelong: bool,
    /// Users of the first tensor that nothing orders before the second is written.
    pub missing: Some200<PairNode>,
    /// For the other users, the shortest first, how they are ordered; some of them.
    pub paths: Vec<Vec<(PathEdge, PairNode)>>,
    /// How the node that reads what was written over is ordered behind the one that writes.
    pub against: Vec<(PathEdge, PairNode)>,
    /// A node that only zeroes one of them: no use of it.
    pub cleaned: Option<PairNode>,
    /// A repetition of a node that makes one of them.
    pub repeated: Option<PairNode>,
}

/// The verdict in the words of the summary.
pub fn facts(
    graph: u32,
    plan: &Plan,
    (safety, found): (&Safety, &PlanFindings),
    rules: Option<&mut Rules>,
) -> SafetyFacts {
    let reason = match safety.verdict {
        Verdict::Undecided(Undecided::Incomplete) => "incomplete",
        Verdict::Undecided(Undecided::Stage) => "stage",
        Verdict::Undecided(Undecided::Cycle) => "cycle",
        _ => "",
    };
    let mut kinds = vec![("hazard".to_owned(), safety.list.len() as u64)];
    for kind in [
        HazardKind::WriteAfterWrite,
        HazardKind::ReadAfterWrite,
        HazardKind::WriteAfterRead,
    ] {
        let rows = safety.list.iter().filter(|h| h.kind == kind);
        kinds.push((kind.word().to_owned(), rows.count() as u64));
    }
    let others = FindingKind::ALL.iter().filter(|k| is_row(**k));
    kinds.extend(others.map(|k| {
        let rows = found.list.iter().filter(|f| f.kind == *k);
        (k.word().to_owned(), rows.count() as u64)
    }));
    kinds.retain(|(_, rows)| *rows > 0);
    let order = plan.order.before.len() as u64;
    let all = rules.map_or(0, |rules| rules.order().edges());
    let id = |t: u32| plan.tensors.ids.id(t);
    SafetyFacts {
        graph,
        verdict: verdict_word(safety.verdict).to_owned(),
        reason: reason.to_owned(),
        count: safety.count,
        more: safety.more,
        by_order: safety.by_order,
        compared: safety.compared,
        edges: (all.saturating_sub(order), order),
        kinds,
        first: safety.pairs.first().map(|&(a, b)| (id(a), id(b))),
    }
}

fn pair_node(plan: &Plan, n: u32) -> PairNode {
    PairNode {
        step: plan.nodes.step(n),
        name: names::display(plan.node_name(n)),
        stream: plan.ordered.then(|| plan.nodes.stream_of(n)),
    }
}

fn pair_nodes(plan: &Plan, list: &[u32]) -> Some200<PairNode> {
    some200(list, |&n| pair_node(plan, n))
}

/// Nodes at either end of a path that are always given.
const ENDS: usize = 12;

/// A path with the nodes of one stream in a row as one step, and without its middle when it is
/// long.
fn path_of(plan: &Plan, path: &Path) -> Vec<(PathEdge, PairNode)> {
    let mut steps: Vec<(PathEdge, u32)> = Vec::new();
    for (i, &n) in path.nodes.iter().enumerate() {
        let edge = match i.checked_sub(1).and_then(|i| path.edges.get(i)) {
            None => PathEdge::Start,
            Some(Edge::Data(t)) => PathEdge::Data(plan.tensors.ids.id(*t)),
            Some(Edge::Order) => PathEdge::Order,
            Some(Edge::Stream) => match steps.last_mut() {
                Some((PathEdge::Stream(times), last)) => {
                    (*times, *last) = (*times + 1, n);
                    continue;
                }
                _ => PathEdge::Stream(1),
            },
        };
        steps.push((edge, n));
    }
    let skipped = steps.len().saturating_sub(2 * ENDS);
    if skipped > 1 {
        steps.drain(ENDS..ENDS + skipped);
        if let Some((edge, _)) = steps.get_mut(ENDS) {
            *edge = PathEdge::Skipped(skipped as u32);
        }
    }
    let node = |(edge, n)| (edge, pair_node(plan, n));
    steps.into_iter().map(node).collect()
}

fn side(plan: &Plan, t: u32, users: &[u32]) -> PairSide {
    PairSide {
        tensor: tensor_link(plan, t),
        offset: plan.tensors.true_offset(t),
        lifelong: table::lifelong(plan, t),
        tensor_type: table::tensor_type(plan, t),
        producer: plan.tensors.source_of(t).map(|n| pair_node(plan, n)),
        users: pair_nodes(plan, users),
    }
}

/// Two tensors in detail; `None` when they are not there or the same.
pub fn pair(
    graph: u32,
    plan: &Plan,
    safety: &Safety,
    rules: &mut Rules,
    (a, b): (u64, u64),
) -> Option<PairFacts> {
    let ids = &plan.tensors.ids;
    let pair = Pair::of(plan, rules, ids.index_of(a)?, ids.index_of(b)?)?;
    let (ground, of, hazard) = match pair.ground {
        Ground::Hazard(hazard) => ("hazard", None, Some(hazard)),
        Ground::Union => ("union", None, None),
        Ground::ZeroSize(t) => ("zero", Some(ids.id(t)), None),
        Ground::Elsewhere(t) => ("elsewhere", Some(ids.id(t)), None),
        Ground::Gap => ("gap", None, None),
        Ground::Apart => ("apart", None, None),
        Ground::Ordered => ("ordered", None, None),
    };
    let collision = |h: Hazard| Collision {
        kind: h.kind.word().to_owned(),
        by_order: h.by_order,
        nodes: [pair_node(plan, h.nodes.0), pair_node(plan, h.nodes.1)],
    };
    let [first, second] = &pair.users;
    Some(PairFacts {
        graph,
        sides: [
            side(plan, pair.first, first),
            side(plan, pair.second, second),
        ],
        shared: (pair.shared.start, pair.shared.end),
        ground: ground.to_owned(),
        of,
        collision: hazard.map(collision),
        decided: !matches!(safety.verdict, Verdict::Undecided(_)),
        meet: pair.meet,
        lifelong: pair.lifelong,
        missing: pair_nodes(plan, &pair.missing),
        paths: pair.paths.iter().map(|p| path_of(plan, p)).collect(),
        against: pair.against.map_or(Vec::new(), |p| path_of(plan, &p)),
        cleaned: pair.cleaned.map(|n| pair_node(plan, n)),
        repeated: pair.repeated.map(|n| pair_node(plan, n)),
    })
}

/// The selection by index; `None` when the tensor is not there or a range is none.
pub fn selection(plan: &Plan, of: &OverlapOf) -> Option<Selection> {
    if let Some(id) = of.tensor {
        return plan.tensors.ids.index_of(id).map(Selection::Tensor);
    }
    let bytes = match of.bytes {
        Some((start, end)) if start < end => Some(ByteRange { start, end }),
        Some(_) => return None,
        None => None,
    };
    let steps = match of.steps {
        Some((first, last)) => Some(LiveRange::new(first, last)?),
        None => None,
    };
    Some(Selection::Window(bytes, steps))
}

fn why(fit: Fit) -> &'static str {
    match fit {
        Fit::Alone => "alone",
        Fit::Hazard => "hazard",
        Fit::Union => "union",
        Fit::Before => "before",
        Fit::After => "after",
        Fit::Undecided => "undecided",
    }
}

/// What is drawn of a selection.
pub fn boxes(plan: &Plan, of: OverlapOf, found: &Overlaps) -> OverlapBoxes {
    let ids = &plan.tensors.ids;
    let at = |t: u32| {
        let link = tensor_link(plan, t);
        let bytes = plan.bytes_of(t);
        ((link.first, link.last), (bytes.start, bytes.end))
    };
    let mut out = OverlapBoxes {
        of,
        total: found.total,
        own: of.tensor.and_then(|id| ids.index_of(id)).map(at),
        ..OverlapBoxes::default()
    };
    for row in &found.rows {
        let (life, bytes) = at(row.tensor);
        out.id.push(ids.id(row.tensor));
        out.life.push(life);
        out.bytes.push(bytes);
        out.why.push(why(row.fit).to_owned());
    }
    out
}

/// The rows of the table of overlaps, in time order.
pub fn overlap_rows(of: &Of<'_>, found: &Overlaps) -> Vec<TableRow> {
    let plan = of.plan;
    let row = |row: &analysis::OverlapRow| TableRow {
        key: table::row_key(plan, TableName::Tensors, row.tensor),
        cells: TableName::Overlaps
            .columns()
            .iter()
            .map(|column| match (column, row.with) {
                (Column::Why, _) => Cell::Text(why(row.fit).to_owned()),
                (Column::With, Some(with)) => {
                    Cell::Text(table::row_key(plan, TableName::Tensors, with))
                }
                (Column::With, None) => Cell::Empty,
                (Column::Shared, _) => Cell::Bytes(row.bytes),
                _ => table::tensor_cell(of, *column, row.tensor),
            })
            .collect(),
    };
    found.rows.iter().map(row).collect()
}

/// Whether findings of a kind are rows of the table: not what is only worth knowing, and that there
/// is no verdict is said above it.
fn is_row(kind: FindingKind) -> bool {
    kind.is_wrong() && kind != FindingKind::Undecided
}

/// The rows of the table of findings: the hazards that are listed, then the contradictions.
pub fn finding_rows(
    of: &Of<'_>,
    safety: &Safety,
    found: &PlanFindings,
    positions: &Positions,
) -> Vec<TableRow> {
    let plan = of.plan;
    let short = |n: u32| names::last_part(&names::display(plan.node_name(n))).to_owned();
    let row = |h: &Hazard| {
        let key = |t| table::row_key(plan, TableName::Tensors, t);
        let (at, against) = h.nodes;
        TableRow {
            key: format!("{} {}", key(h.a), key(h.b)),
            cells: TableName::Findings
                .columns()
                .iter()
                .map(|column| match column {
                    Column::Finding => Cell::Text("hazard".into()),
                    Column::Collision => Cell::Text(h.kind.word().into()),
                    Column::Rule => Cell::Text(h.rule().into()),
                    Column::Shared => Cell::Bytes(h.bytes),
                    Column::At => Cell::Step(plan.nodes.step(at)),
                    Column::Against => Cell::Step(plan.nodes.step(against)),
                    Column::Note => Cell::Text(format!("{} ↔ {}", short(at), short(against))),
                    _ => Cell::Empty,
                })
                .collect(),
        }
    };
    let contradictions = found.list.iter().filter(|f| is_row(f.kind));
    let hazards = safety.list.iter().map(row);
    hazards
        .chain(contradictions.map(|f| contradiction(plan, f, positions)))
        .collect()
}

fn contradiction(plan: &Plan, f: &Finding, positions: &Positions) -> TableRow {
    let tensor = |t: u32| table::row_key(plan, TableName::Tensors, t);
    let step = |n: Option<u32>| n.map_or(Cell::Empty, |n| Cell::Step(plan.nodes.step(n)));
    let said = |lang| crate::report::findings::sentence(plan, f, positions, lang);
    TableRow {
        key: match (f.tensor, f.other, f.node) {
            (Some(a), Some(b), _) => [tensor(a), tensor(b)].join(" "),
            (Some(a), None, _) => tensor(a),
            (None, _, Some(n)) => table::row_key(plan, TableName::Nodes, n),
            _ => f.kind.word().to_owned(),
        },
        cells: TableName::Findings
            .columns()
            .iter()
            .map(|column| match column {
                Column::Finding => Cell::Text(f.kind.word().into()),
                Column::At => step(f.node),
                Column::Against => step(f.other_node),
                Column::Note => Cell::Said(Bilingual {
                    en: said(Lang::En),
                    zh: said(Lang::Zh),
                }),
                _ => Cell::Empty,
            })
            .collect(),
    }
}
