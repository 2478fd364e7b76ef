//! The machine-readable summary: serializable twins of the results, with stable keys.
//!
//! Bytes are integers, steps are node numbers. A key whose analysis did not run is absent, never
//! 0 and never `safe`. Keys are added, never renamed; [`SCHEMA`] counts changes of meaning.

pub mod results;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::names;
use super::text::{self, Lang};
use crate::analysis::{Facts, Hazard, PlanFindings, Safety, Verdict};
use crate::model::{acts, Lifelong, Plan, PlanKind, TensorKind};

/// Version of the meaning of the keys.
pub const SCHEMA: u32 = 1;

/// One graph's summary.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the program.
    pub version: String,
    /// The file it was read from.
    pub file: FileFacts,
    /// `plan` or `stage`.
    pub kind: String,
    /// `A`, `B1`, `B2`, `C1`, `C2` or `C3`.
    pub generation: String,
    /// `Ascend`, `GPU` or `CPU`; null when nothing tells.
    pub device: Option<String>,
    /// From the file name; null when it does not tell.
    pub graph_id: Option<u64>,
    /// From the folder; null when it does not tell.
    pub rank: Option<u64>,
    /// Present when a damaged file was read in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub incomplete: Option<IncompleteFacts>,
    /// Numbers of things.
    pub counts: Counts,
    /// Sum of all parameter sizes.
    pub static_memory: u64,
    /// Aligned bytes of everything, nothing ever given back.
    pub total_tensor_size: u64,
    /// What the plan reserves; 0 for a stage.
    pub planned_total: u64,
    /// Where the most bytes are alive.
    pub max_in_use: MaxInUse,
    /// `total_tensor_size` + `static_memory`.
    pub max_total_memory: u64,
    /// 1 − lower bound / total tensor size, six decimals; null when nothing is placed.
    pub reuse_ratio: Option<f64>,
    /// Most aligned bytes alive at a step.
    pub lower_bound: u64,
    /// Planned total − lower bound; absent for a stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<i64>,
    /// Aligned − original bytes.
    pub alignment_waste: AlignmentWaste,
    /// The tensor that is not lifelong and ends highest; absent for a stage, null without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_end_without_lifelong: Option<Option<MaxEnd>>,
    /// The highest end of all placed tensors; absent for a stage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_end: Option<u64>,
    /// `safe`, `hazards` or `undecided`; absent for a stage, and until it was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Tensors that must not share bytes and do; absent until it was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hazards: Option<Hazards>,
    /// Number of findings by kind; absent until a check that gives some was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<BTreeMap<String, u64>>,
    /// The plan against its tasks; absent without task info.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<results::Task>,
    /// The planner's conflict matrix against the plan; absent without such a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matrix: Option<results::Matrix>,
    /// Answers to what was asked; absent when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<Vec<results::Answer>>,
    /// What is wrong with the file.
    pub diagnostics: Diagnostics,
}

/// Tensors that must not share bytes and do.
#[derive(Clone, Debug, Serialize)]
pub struct Hazards {
    /// Exact number of pairs, by either rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Instead of `count` where there are too many to count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count_at_least: Option<u64>,
    /// Pairs whose live ranges meet.
    pub by_order: u64,
    /// Pairs that the order of the nodes forbids; every pair by order is one.
    pub by_dependency: u64,
    /// The first pairs, by `a`, then `b`.
    pub list: Vec<HazardRow>,
}

/// One pair.
#[derive(Clone, Debug, Serialize)]
pub struct HazardRow {
    /// The smaller tensor id.
    pub a: u64,
    /// The larger tensor id.
    pub b: u64,
    /// Bytes in common.
    pub bytes: u64,
    /// `waw`, `raw` or `war`.
    pub kind: String,
    /// `order` or `dependency`.
    pub rule: String,
    /// Steps of the node of the earlier tensor that can collide, and of the source of the later.
    pub nodes: [u32; 2],
}

/// The file behind a summary.
#[derive(Clone, Debug, Serialize)]
pub struct FileFacts {
    /// Base name, or the path relative to the folder that was opened.
    pub name: String,
    /// Size as given.
    pub bytes: u64,
    /// SHA-256 of the bytes as given; absent until it was computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What a damaged file did not give.
#[derive(Clone, Debug, Serialize)]
pub struct IncompleteFacts {
    /// Non-blank lines that could not be read.
    pub unread_lines: u64,
}

/// Numbers of things.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Nodes.
    pub nodes: u64,
    /// Tensors, control tensors not counted.
    pub tensors: u64,
    /// Control tensors.
    pub control_tensors: u64,
    /// Parameters.
    pub parameters: u64,
    /// Distinct streams of nodes.
    pub streams: u64,
    /// Merged union groups.
    pub unions: u64,
    /// Contiguous lists as collected.
    pub contiguous: u64,
    /// Contiguous lists that bind the solver.
    pub contiguous_processed: u64,
    /// Stream groups.
    pub stream_groups: u64,
    /// Merged blocks.
    pub merged_blocks: u64,
    /// Tensors with aligned size 0.
    pub zero_size: u64,
    /// Tensors by type.
    pub types: BTreeMap<String, u64>,
    /// Tensors by lifelong kind.
    pub lifelong: BTreeMap<String, u64>,
}

/// The step with the most bytes alive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MaxInUse {
    /// Null for a graph without nodes.
    pub step: Option<u32>,
    /// Name of the node at that step.
    pub node: Option<String>,
    /// Aligned bytes alive.
    pub alive: u64,
    /// `alive` + static memory.
    pub in_use: u64,
}

/// Aligned − original bytes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AlignmentWaste {
    /// Over all placed tensors, a union group once.
    pub total: i64,
    /// Over those alive at the peak.
    pub at_peak: i64,
}

/// A tensor and where it ends.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MaxEnd {
    /// Tensor id.
    pub tensor: u64,
    /// Name of its source node; null without one.
    pub node: Option<String>,
    /// Step of its source node; null without one.
    pub step: Option<u32>,
    /// Index among the outputs (workspaces) of the source node; null without one.
    pub output_index: Option<u32>,
    /// True offset + aligned size.
    pub end: u64,
}

/// Errors and warnings of a file.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Diagnostics {
    /// Number of errors.
    pub errors: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// The first of them, in the order of the file.
    pub list: Vec<DiagnosticRow>,
}

/// One error or warning.
#[derive(Clone, Debug, Serialize)]
pub struct DiagnosticRow {
    /// `error` or `warning`.
    pub severity: String,
    /// 1-based; 0 when it belongs to no line.
    pub line: u64,
    /// 1-based, in characters, a tab is one; 0 when it belongs to no column.
    pub column: u64,
    /// Stable code.
    pub code: String,
    /// English text.
    pub text: String,
}

/// What a summary is made from besides the plan.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The file.
    pub file: &'a FileFacts,
    /// From the file name.
    pub graph_id: Option<u64>,
    /// From the folder.
    pub rank: Option<u64>,
    /// The judgement and the other findings, once they were made.
    pub judged: Option<(&'a Safety, &'a PlanFindings)>,
    /// What was wrong with the file.
    pub diagnostics: &'a crate::parse::Diagnostics,
}

/// Makes the summary of a plan.
pub fn summary(plan: &Plan, facts: &Facts, source: Source<'_>) -> Summary {
    let is_plan = plan.kind == PlanKind::Plan;
    let safety = source.judged.map(|(safety, _)| safety);
    let name_at = |node: u32| names::display(plan.node_name(node));
    let peak_node = facts.peak.step.and_then(|step| plan.nodes.at_step(step));
    let max_end = facts.max_end_without_lifelong.map(|(t, end)| {
        let source = plan.tensors.source_of(t);
        MaxEnd {
            tensor: plan.tensors.ids.id(t),
            node: source.map(name_at),
            step: source.map(|n| plan.nodes.step(n)),
            output_index: plan.output_index(t),
            end,
        }
    });
    Summary {
        schema: SCHEMA,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        file: source.file.clone(),
        kind: plan.kind.word().to_owned(),
        generation: plan.generation.word().to_owned(),
        device: plan.device.map(|d| d.word().to_owned()),
        graph_id: source.graph_id,
        rank: source.rank,
        incomplete: plan.incomplete.as_ref().map(|i| IncompleteFacts {
            unread_lines: i.unread_lines,
        }),
        counts: counts(plan, facts),
        static_memory: facts.static_memory,
        total_tensor_size: facts.total_tensor_size,
        planned_total: facts.planned_total,
        max_in_use: MaxInUse {
            step: facts.peak.step,
            node: peak_node.map(name_at),
            alive: facts.peak.alive,
            in_use: facts.peak.alive + facts.static_memory,
        },
        max_total_memory: facts.total_tensor_size + facts.static_memory,
        reuse_ratio: facts.reuse_ratio().map(|r| (r * 1e6).round() / 1e6),
        lower_bound: facts.peak.alive,
        gap: is_plan.then(|| facts.gap()),
        alignment_waste: AlignmentWaste {
            total: facts.waste,
            at_peak: facts.waste_at_peak,
        },
        max_end_without_lifelong: is_plan.then_some(max_end),
        max_end: is_plan.then_some(facts.max_end),
        verdict: safety
            .filter(|_| is_plan)
            .map(|s| verdict_word(s.verdict).to_owned()),
        hazards: safety
            .filter(|s| !matches!(s.verdict, Verdict::Undecided(_)))
            .map(|s| hazards(plan, s)),
        findings: source
            .judged
            .map(|(safety, found)| super::findings::counts(found, safety)),
        task: None,
        matrix: None,
        queries: None,
        diagnostics: diagnostics(source.diagnostics, &source.file.name),
    }
}

/// The stable word of a verdict.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "safe",
        Verdict::Hazards => "hazards",
        Verdict::Undecided(_) => "undecided",
    }
}

fn hazards(plan: &Plan, safety: &Safety) -> Hazards {
    let row = |h: &Hazard| HazardRow {
        a: plan.tensors.ids.id(h.a),
        b: plan.tensors.ids.id(h.b),
        bytes: h.bytes,
        kind: h.kind.word().to_owned(),
        rule: h.rule().to_owned(),
        nodes: [plan.nodes.step(h.nodes.0), plan.nodes.step(h.nodes.1)],
    };
    Hazards {
        count: (!safety.more).then_some(safety.count),
        count_at_least: safety.more.then_some(safety.count),
        by_order: safety.by_order,
        by_dependency: safety.count,
        list: safety.list.iter().map(row).collect(),
    }
}

fn counts(plan: &Plan, facts: &Facts) -> Counts {
    let tensors = &plan.tensors;
    let mut by_kind = vec![0u64; 0];
    for kind in &tensors.kind {
        let place = usize::from(kind.0);
        if by_kind.len() <= place {
            by_kind.resize(place + 1, 0);
        }
        if let Some(n) = by_kind.get_mut(place) {
            *n += 1;
        }
    }
    let kinds = (0u16..).zip(&by_kind).filter(|(_, n)| **n > 0);
    let types = kinds
        .map(|(kind, n)| {
            (
                names::display(tensors.kind_words.word(TensorKind(kind)).as_bytes()),
                *n,
            )
        })
        .collect();
    let mut by_lifelong = [0u64; 4];
    for kind in &tensors.lifelong {
        if let Some(n) = by_lifelong.get_mut(*kind as usize) {
            *n += 1;
        }
    }
    let mut lifelong: BTreeMap<String, u64> = BTreeMap::new();
    for (number, n) in (0u8..).zip(by_lifelong) {
        let kind = Lifelong::from_number(number).unwrap_or(Lifelong::None);
        let odd = if kind == Lifelong::None {
            tensors.odd_lifelong.len() as u64
        } else {
            0
        };
        if n > odd {
            lifelong.insert(kind.word().to_owned(), n - odd);
        }
    }
    for (_, word) in &tensors.odd_lifelong {
        *lifelong.entry(word.clone()).or_default() += 1;
    }
    Counts {
        nodes: plan.n_nodes().into(),
        tensors: plan.n_tensors().into(),
        control_tensors: plan.control_tensors.into(),
        parameters: plan.parameters.ids.len().into(),
        streams: facts.streams,
        unions: plan.unions.len().into(),
        contiguous: plan.contiguous.len().into(),
        contiguous_processed: plan.contiguous_processed.len().into(),
        stream_groups: plan.stream_groups.len().into(),
        merged_blocks: plan.blocks.len() as u64,
        zero_size: facts.zero_size,
        types,
        lifelong,
    }
}

/// Errors and warnings for the summary; their texts are English everywhere.
pub fn diagnostics(found: &crate::parse::Diagnostics, file: &str) -> Diagnostics {
    let row = |d: &crate::parse::Diagnostic| DiagnosticRow {
        severity: d.code.severity().word().to_owned(),
        line: d.line,
        column: d.column,
        code: d.code.word().to_owned(),
        text: text::diagnostics::sentence(d, file, Lang::En),
    };
    Diagnostics {
        errors: found.errors,
        warnings: found.warnings,
        list: found.list.iter().map(row).collect(),
    }
}

/// The line for a file that gave no plan: no numbers, only what is wrong with it.
#[derive(Clone, Debug, Serialize)]
pub struct Failure {
    /// [`SCHEMA`].
    pub schema: u32,
    /// Version of the program.
    pub version: String,
    /// The file.
    pub file: FileFacts,
    /// Why there are no numbers.
    pub diagnostics: Diagnostics,
}

impl Failure {
    /// Of a file and what is wrong with it.
    pub fn new(file: FileFacts, diagnostics: Diagnostics) -> Self {
        Self {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            file,
            diagnostics,
        }
    }
}

/// One JSON object on one line, with its line end. Names of files are exact; what would act on a
/// terminal is escaped, which JSON allows in its strings, and nothing of it stands elsewhere.
pub fn line(value: &impl Serialize) -> std::io::Result<String> {
    let mut line = serde_json::to_string(value)?;
    if line.chars().any(acts) {
        let plain = std::mem::take(&mut line);
        for c in plain.chars() {
            if acts(c) {
                let units = c.encode_utf16(&mut [0; 2]).to_vec();
                line.extend(units.into_iter().map(|unit| format!("\\u{unit:04x}")));
            } else {
                line.push(c);
            }
        }
    }
    line.push('\n');
    Ok(line)
}
