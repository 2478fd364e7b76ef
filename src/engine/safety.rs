//! The verdict, one pair of tensors in detail, and who shares the bytes of a selection: what is
//! asked and answered about safety, as plain data; ids and steps are the dump's own.

use serde::{Deserialize, Serialize};

use super::details::{life, tensor_link};
use super::explore::{Cell, Column, TableName, TableRow, TensorLink};
use super::protocol::Bilingual;
use super::session::Tasks;
use super::table::{self, Of};
use super::tasks;
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
    /// Edges that order nodes by data.
    pub data_edges: u64,
    /// Edges that order nodes otherwise.
    pub order_edges: u64,
    /// Kinds of findings and of collisions.
    pub kinds: Vec<String>,
    /// Number of rows of each of them.
    pub rows: Vec<u64>,
    /// The first hazard: ids of its tensors; empty without any.
    pub first: Vec<u64>,
}

/// Whose bytes are looked at: those of a tensor, else those of a window of addresses and steps; at
/// first all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlapOf {
    /// Id of a tensor.
    pub tensor: Option<u64>,
    /// First address, as the tables show it.
    pub start: u64,
    /// The address behind the last one.
    pub end: u64,
    /// First step.
    pub first: u32,
    /// Last step, included.
    pub last: u32,
}

impl Default for OverlapOf {
    fn default() -> Self {
        Self {
            tensor: None,
            start: 0,
            end: u64::MAX,
            first: 0,
            last: u32::MAX,
        }
    }
}

/// What is drawn of a selection: boxes over steps and bytes, in time order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OverlapBoxes {
    /// What was asked for.
    pub of: OverlapOf,
    /// Number of tensors there, of which only the first are given.
    pub total: u64,
    /// Six numbers a box, see [`OverlapBox`]; of a selected tensor its own box comes first.
    pub numbers: Vec<u64>,
}

/// A box over steps and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlapBox {
    /// Id of the tensor.
    pub id: u64,
    /// First step alive, widened.
    pub first: u32,
    /// Last step alive, included.
    pub last: u32,
    /// True offset.
    pub start: u64,
    /// Where its bytes end.
    pub end: u64,
    /// Place in [`WHY`].
    pub why: usize,
}

impl OverlapBoxes {
    /// The boxes; of a selected tensor its own comes first.
    pub fn boxes(&self) -> impl Iterator<Item = OverlapBox> + '_ {
        self.numbers.chunks_exact(6).map(|n| match *n {
            [id, first, last, start, end, why] => OverlapBox {
                id,
                first: first as u32,
                last: last as u32,
                start,
                end,
                why: why as usize,
            },
            _ => OverlapBox::default(),
        })
    }
}

/// Why sharing is fine or not: the words of the column [`Column::Why`].
pub const WHY: [&str; 6] = ["hazard", "union", "before", "after", "alone", "undecided"];

/// A node of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairNode {
    /// Its step.
    pub step: u32,
    /// Its stream; `None` where streams mean nothing.
    pub stream: Option<u32>,
    /// Its name, full.
    pub name: String,
}

/// One tensor of a pair. Nodes are places in [`PairFacts::nodes`].
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
    pub producer: Option<u32>,
    /// The first of the nodes that use it after that; the producer when none does.
    pub users: Vec<u32>,
    /// Number of all of them.
    pub all_users: u32,
}

/// Edges of the paths in [`PairFacts::paths`].
pub mod edge {
    /// A path begins.
    pub const START: u64 = 0;
    /// The node reads the tensor of that id.
    pub const DATA: u64 = 1;
    /// It comes so many nodes later on the same stream.
    pub const STREAM: u64 = 2;
    /// A control tensor, a stream group or an event.
    pub const ORDER: u64 = 3;
    /// So many nodes are left out before it.
    pub const SKIPPED: u64 = 4;
}

/// Everything about two tensors. Nodes are places in `nodes`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PairFacts {
    /// Handle of the graph.
    pub graph: u32,
    /// All nodes that are spoken of.
    pub nodes: Vec<PairNode>,
    /// The two tensors; the one whose source comes first is the first.
    pub sides: Vec<PairSide>,
    /// First byte in common, a true offset.
    pub start: u64,
    /// The byte behind the last one in common; not above `start` without any.
    pub end: u64,
    /// `hazard`, `union`, `zero`, `elsewhere`, `gap`, `apart` or `ordered`.
    pub ground: String,
    /// The tensor that `zero` and `elsewhere` speak of.
    pub of: Option<u64>,
    /// How a hazard collides: `waw`, `raw` or `war`; else empty.
    pub kind: String,
    /// The node of the earlier tensor that collides, and the one that writes the later; empty
    /// without a hazard.
    pub collide: Vec<u32>,
    /// Whether it can be said at all.
    pub decided: bool,
    /// Whether the widened live ranges meet (rule `order`).
    pub meet: bool,
    /// Whether a lifelong kind forbids that they share.
    pub lifelong: bool,
    /// The first of the users of the first tensor that nothing orders before the second is
    /// written.
    pub missing: Vec<u32>,
    /// For the other users, the shortest first, how they are ordered, some of them; three numbers
    /// a node: its [`edge`], what the edge tells, and the node.
    pub paths: Vec<u64>,
    /// Of a hazard that reads what was written over, how the reader is ordered behind the writer.
    pub against: Vec<u64>,
    /// A node that only zeroes one of them: no use of it.
    pub cleaned: Option<u32>,
    /// A repetition of a node that makes one of them.
    pub repeated: Option<u32>,
}

/// The verdict in the words of the summary.
pub fn facts(
    graph: u32,
    plan: &Plan,
    (safety, found): (&Safety, &PlanFindings),
    tasks: Option<&Tasks>,
    rules: Option<&mut Rules>,
) -> SafetyFacts {
    let reason = match safety.verdict {
        Verdict::Undecided(Undecided::Incomplete) => "incomplete",
        Verdict::Undecided(Undecided::Stage) => "stage",
        Verdict::Undecided(Undecided::Cycle) => "cycle",
        _ => "",
    };
    let (mut kinds, mut rows) = (Vec::new(), Vec::new());
    let mut count = |kind: &str, n: usize| {
        if n > 0 {
            kinds.push(kind.to_owned());
            rows.push(n as u64);
        }
    };
    count("hazard", safety.list.len());
    for kind in [
        HazardKind::WriteAfterWrite,
        HazardKind::ReadAfterWrite,
        HazardKind::WriteAfterRead,
    ] {
        let of_kind = safety.list.iter().filter(|h| h.kind == kind);
        count(kind.word(), of_kind.count());
    }
    let others = FindingKind::ALL.iter().filter(|k| is_row(**k));
    for kind in others {
        let of_kind = found.list.iter().filter(|f| f.kind == *kind);
        count(kind.word(), of_kind.count());
    }
    for (kind, n) in tasks.map(tasks::kinds).unwrap_or_default() {
        count(&kind, n as usize);
    }
    let first = safety.pairs.first();
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
        data_edges: all.saturating_sub(order),
        order_edges: order,
        kinds,
        rows,
        first: first.map_or(Vec::new(), |&(a, b)| vec![id(a), id(b)]),
    }
}

/// Nodes that are spoken of, each once.
struct Nodes<'a> {
    plan: &'a Plan,
    nodes: Vec<PairNode>,
}

impl Nodes<'_> {
    fn place(&mut self, n: u32) -> u32 {
        let step = self.plan.nodes.step(n);
        if let Some(at) = self.nodes.iter().position(|node| node.step == step) {
            return at as u32;
        }
        self.nodes.push(PairNode {
            step,
            name: names::display(self.plan.node_name(n)),
            stream: self.plan.ordered.then(|| self.plan.nodes.stream_of(n)),
        });
        self.nodes.len() as u32 - 1
    }

    fn places(&mut self, list: &[u32]) -> Vec<u32> {
        list.iter()
            .take(MOST_NODES)
            .map(|&n| self.place(n))
            .collect()
    }

    /// A path with the nodes of one stream in a row as one step, and without its middle when it is
    /// long.
    fn path(&mut self, path: &Path, out: &mut Vec<u64>) {
        let mut steps: Vec<(u64, u32, u64)> = Vec::new();
        for (i, &n) in path.nodes.iter().enumerate() {
            let (kind, value) = match i.checked_sub(1).and_then(|i| path.edges.get(i)) {
                None => (edge::START, 0),
                Some(Edge::Data(t)) => (edge::DATA, self.plan.tensors.ids.id(*t)),
                Some(Edge::Order) => (edge::ORDER, 0),
                Some(Edge::Stream) => match steps.last_mut() {
                    Some((edge::STREAM, last, times)) => {
                        (*last, *times) = (n, *times + 1);
                        continue;
                    }
                    _ => (edge::STREAM, 1),
                },
            };
            steps.push((kind, n, value));
        }
        let skipped = steps.len().saturating_sub(2 * ENDS);
        for (i, (kind, n, value)) in steps.into_iter().enumerate() {
            let cut = skipped > 1 && i >= ENDS;
            if cut && i < ENDS + skipped {
                continue;
            }
            if cut && i == ENDS + skipped {
                out.extend([edge::SKIPPED, skipped as u64]);
            } else {
                out.extend([kind, value]);
            }
            out.push(self.place(n).into());
        }
    }
}

/// Nodes at either end of a path that are always given.
const ENDS: usize = 12;

/// Most nodes of a list that are given.
const MOST_NODES: usize = 200;

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
    let mut of = None;
    let mut hazard = None;
    let ground = match pair.ground {
        Ground::Hazard(h) => {
            hazard = Some(h);
            "hazard"
        }
        Ground::Union => "union",
        Ground::ZeroSize(t) => {
            of = Some(ids.id(t));
            "zero"
        }
        Ground::Elsewhere(t) => {
            of = Some(ids.id(t));
            "elsewhere"
        }
        Ground::Gap => "gap",
        Ground::Apart => "apart",
        Ground::Ordered => "ordered",
    };
    let mut nodes = Nodes {
        plan,
        nodes: Vec::new(),
    };
    let mut sides = Vec::new();
    for (t, users) in [pair.first, pair.second].into_iter().zip(&pair.users) {
        sides.push(PairSide {
            tensor: tensor_link(plan, t),
            offset: plan.tensors.true_offset(t),
            lifelong: table::lifelong(plan, t),
            tensor_type: table::tensor_type(plan, t),
            producer: plan.tensors.source_of(t).map(|n| nodes.place(n)),
            users: nodes.places(users),
            all_users: users.len() as u32,
        });
    }
    let (mut paths, mut against) = (Vec::new(), Vec::new());
    for path in &pair.paths {
        nodes.path(path, &mut paths);
    }
    if let Some(path) = &pair.against {
        nodes.path(path, &mut against);
    }
    Some(PairFacts {
        graph,
        sides,
        start: pair.shared.start,
        end: pair.shared.end,
        ground: ground.to_owned(),
        of,
        kind: hazard.map_or(String::new(), |h| h.kind.word().to_owned()),
        collide: hazard.map_or(Vec::new(), |h| nodes.places(&[h.nodes.0, h.nodes.1])),
        decided: !matches!(safety.verdict, Verdict::Undecided(_)),
        meet: pair.meet,
        lifelong: pair.lifelong,
        missing: nodes.places(&pair.missing),
        paths,
        against,
        cleaned: pair.cleaned.map(|n| nodes.place(n)),
        repeated: pair.repeated.map(|n| nodes.place(n)),
        nodes: nodes.nodes,
    })
}

/// The selection by index; `None` when the tensor is not there or a window is empty.
pub fn selection(from: &Of<'_>, of: &OverlapOf) -> Option<Selection> {
    let plan = from.plan;
    if let Some(id) = of.tensor {
        return plan.tensors.ids.index_of(id).map(Selection::Tensor);
    }
    let bytes = ByteRange {
        start: of.start.saturating_sub(from.base),
        end: of.end.saturating_sub(from.base),
    };
    let steps = LiveRange::new(of.first, of.last)?;
    (!bytes.is_empty()).then_some(Selection::Window(Some(bytes), Some(steps)))
}

fn why(fit: Fit) -> usize {
    match fit {
        Fit::Hazard => 0,
        Fit::Union => 1,
        Fit::Before => 2,
        Fit::After => 3,
        Fit::Alone => 4,
        Fit::Undecided => 5,
    }
}

/// What is drawn of a selection.
pub fn boxes(plan: &Plan, of: OverlapOf, found: &Overlaps) -> OverlapBoxes {
    let ids = &plan.tensors.ids;
    let own = of.tensor.and_then(|id| ids.index_of(id));
    let rows = found.rows.iter().map(|row| (row.tensor, why(row.fit)));
    let mut numbers = Vec::new();
    for (t, why) in own.map(|t| (t, 4)).into_iter().chain(rows) {
        let (first, last) = life(plan, t);
        let bytes = plan.bytes_of(t);
        let steps = [u64::from(first), u64::from(last)];
        numbers.extend([
            ids.id(t),
            steps[0],
            steps[1],
            bytes.start,
            bytes.end,
            why as u64,
        ]);
    }
    OverlapBoxes {
        of,
        total: found.total,
        numbers,
    }
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
                (Column::Why, _) => Cell::Text(WHY[why(row.fit)].to_owned()),
                (Column::Id, _) => Cell::Number(plan.tensors.ids.id(row.tensor)),
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

/// The rows of the table of findings: the hazards that are listed, then the contradictions, then
/// where tasks and plan differ.
pub fn finding_rows(
    of: &Of<'_>,
    safety: &Safety,
    found: &PlanFindings,
    positions: &Positions,
) -> Vec<TableRow> {
    let plan = of.plan;
    let short = |n: u32| names::last_part(&names::display(plan.node_name(n))).to_owned();
    let row = |(place, h): (u64, &Hazard)| {
        let key = |t| table::row_key(plan, TableName::Tensors, t);
        let (at, against) = h.nodes;
        TableRow {
            key: format!("{} {}", key(h.a), key(h.b)),
            cells: TableName::Findings
                .columns()
                .iter()
                .map(|column| match column {
                    Column::Id => Cell::Number(place),
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
    let hazards = (0..).zip(&safety.list).map(row);
    let first = safety.list.len() as u64;
    let behind = first + contradictions.clone().count() as u64;
    let contradictions = (first..).zip(contradictions);
    hazards
        .chain(contradictions.map(|(place, f)| contradiction(plan, (place, f), positions)))
        .chain(
            of.tasks
                .into_iter()
                .flat_map(|t| tasks::rows(plan, t, behind)),
        )
        .collect()
}

fn contradiction(plan: &Plan, (place, f): (u64, &Finding), positions: &Positions) -> TableRow {
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
                Column::Id => Cell::Number(place),
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
