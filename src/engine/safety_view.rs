//! What is wrong with a plan, as rows: hazards, then contradictions, then what is only worth
//! knowing.

use serde::{Deserialize, Serialize};

use super::protocol::Bilingual;
use crate::analysis::{PlanFindings, Safety};
use crate::model::Plan;
use crate::parse::Positions;
use crate::report::json::{hazard_word, verdict_word};
use crate::report::{findings as words, text::Lang};

/// The findings of a graph.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    /// Handle of the graph.
    pub graph: u32,
    /// `safe`, `hazards` or `undecided`.
    pub verdict: String,
    /// Why it is undecided; empty when it is not.
    pub why: Bilingual,
    /// Number of hazards; with `more`, at least.
    pub hazards: u64,
    /// There are more hazards than were counted.
    pub more: bool,
    /// How many of them meet by order.
    pub by_order: u64,
    /// Number of findings by kind, hazards included.
    pub counts: Vec<(String, u64)>,
    /// The first rows of each kind; hazards first.
    pub rows: Vec<FindingRow>,
}

/// One finding.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FindingRow {
    /// Stable word: `hazard`, `total_differs` …
    pub kind: String,
    /// Of a hazard: `waw`, `raw` or `war`; else empty.
    pub access: String,
    /// Of a hazard: `order` or `dependency`; else empty.
    pub rule: String,
    /// Id of the tensor it is about (of a hazard, the smaller one).
    pub a: Option<u64>,
    /// Id of the other tensor.
    pub b: Option<u64>,
    /// Step of the node it happens at (of a hazard: of the earlier tensor's node that can collide).
    pub node: Option<u32>,
    /// Step of the other node (of a hazard: of the source of the later tensor).
    pub other_node: Option<u32>,
    /// Of a hazard: bytes in common. Else the aligned size of `a`, 0 without one.
    pub bytes: u64,
    /// Line in the dump; 0 when it belongs to none.
    pub line: u64,
    /// What is wrong, in a sentence.
    pub text: Bilingual,
}

/// The rows of a graph.
pub(super) fn findings(
    graph: u32,
    plan: &Plan,
    positions: &Positions,
    safety: &Safety,
    found: &PlanFindings,
) -> Findings {
    let id = |t: u32| plan.tensors.ids.id(t);
    let step = |n: u32| plan.nodes.step(n);
    let both = |text: &dyn Fn(Lang) -> String| Bilingual {
        en: text(Lang::En),
        zh: text(Lang::Zh),
    };
    let mut rows = Vec::with_capacity(safety.list.len() + found.list.len());
    for h in &safety.list {
        rows.push(FindingRow {
            kind: words::HAZARD.to_owned(),
            access: hazard_word(h.kind).to_owned(),
            rule: words::rule(h).to_owned(),
            a: Some(id(h.a)),
            b: Some(id(h.b)),
            node: Some(step(h.nodes.0)),
            other_node: Some(step(h.nodes.1)),
            bytes: h.bytes,
            line: positions.line_of_tensor(h.a),
            text: both(&|lang| words::hazard_sentence(plan, h, lang)),
        });
    }
    for f in &found.list {
        rows.push(FindingRow {
            kind: f.kind.word().to_owned(),
            a: f.tensor.map(id),
            b: f.other.map(id),
            node: f.node.map(step),
            other_node: f.other_node.map(step),
            bytes: f.tensor.map_or(0, |t| plan.tensors.aligned_at(t)),
            line: words::line_of(f, positions),
            text: both(&|lang| words::sentence(plan, f, positions, lang)),
            ..FindingRow::default()
        });
    }
    Findings {
        graph,
        verdict: verdict_word(safety.verdict).to_owned(),
        why: both(&|lang| words::undecided(safety.verdict, lang).to_owned()),
        hazards: safety.count,
        more: safety.more,
        by_order: safety.by_order,
        counts: words::counts(found, safety).into_iter().collect(),
        rows,
    }
}
