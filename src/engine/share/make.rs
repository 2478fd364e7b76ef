//! The summary of an open graph, with names as the sender chose, short enough for a link.

use super::{code, Name, NameMode, Named, ShareRequest, Shared, Top, LONGEST, POINTS, TOP};
use crate::analysis::{self, names as parts, Facts, Liveness};
use crate::engine::{curves, Judgement};
use crate::model::Plan;
use crate::report::findings::HAZARD;
use crate::report::json::Summary;
use crate::report::names;

/// What a link is made from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its curves.
    pub liveness: &'a Liveness,
    /// Its numbers.
    pub facts: &'a Facts,
    /// Its judgement.
    pub judged: Option<&'a Judgement>,
    /// Its summary.
    pub summary: &'a Summary,
}

/// What is given up, in this order, until the link is short enough: characters of each part of a
/// name, and findings that are named. With the last one any plan fits: the texts take at most
/// (10 + 1) × 2 × 25 characters of up to four bytes, which base64 makes 3,000 of.
const SHORTER: [(usize, usize); 4] = [(400, 5), (120, 5), (48, 3), (24, 0)];

/// The fragment of a graph without `#s=`, at most [`LONGEST`] characters.
pub fn fragment(source: &Source<'_>, request: &ShareRequest) -> Option<String> {
    let made = SHORTER
        .iter()
        .filter_map(|&(letters, named)| code::encode(&summary(source, request, (letters, named))));
    made.into_iter().find(|text| text.len() <= LONGEST)
}

fn summary(source: &Source<'_>, request: &ShareRequest, most: (usize, usize)) -> Shared {
    let (plan, facts, summary) = (source.plan, source.facts, source.summary);
    let mut writer = Writer::new(plan, request.names, most.0);
    let c = &summary.counts;
    let peak = facts.peak.step;
    let peak_node = writer.name(peak.and_then(|step| plan.nodes.at_step(step)));
    let top = top(source, &mut writer);
    Shared {
        program: summary.version.clone(),
        names: request.names,
        kind: summary.kind.clone(),
        generation: summary.generation.clone(),
        device: summary.device.clone(),
        ordered: plan.ordered,
        unread_lines: summary.incomplete.as_ref().map(|i| i.unread_lines),
        steps: plan.steps,
        counts: [
            c.nodes,
            c.tensors,
            c.control_tensors,
            c.parameters,
            c.streams,
            c.unions,
            c.contiguous,
            c.contiguous_processed,
            c.stream_groups,
            c.merged_blocks,
            c.zero_size,
        ],
        file_bytes: summary.file.bytes,
        sha256: request.sha256,
        static_memory: facts.static_memory,
        total_tensor_size: facts.total_tensor_size,
        planned_total: facts.planned_total,
        peak_step: peak,
        peak_alive: facts.peak.alive,
        peak_node,
        waste: (facts.waste, facts.waste_at_peak),
        max_end: summary.max_end,
        capacity: request.capacity,
        verdict: summary.verdict.clone(),
        findings: findings(summary),
        named: named(source, &mut writer, most.1),
        top,
        curve: curve(source),
        view: request.view.clone(),
    }
}

fn top(source: &Source<'_>, writer: &mut Writer<'_>) -> Vec<Top> {
    let (plan, Some(peak)) = (source.plan, source.facts.peak.step) else {
        return Vec::new();
    };
    let pieces = analysis::alive_at(plan, peak);
    let own = pieces.iter().filter(|a| a.counted_with.is_none());
    own.take(TOP)
        .map(|a| Top {
            tensor: plan.tensors.ids.id(a.tensor),
            bytes: a.aligned,
            life: plan
                .live_range(a.tensor)
                .map_or((peak, peak), |r| (r.first, r.last)),
            node: writer.name(plan.tensors.source_of(a.tensor)),
        })
        .collect()
}

fn findings(summary: &Summary) -> Vec<(String, u64)> {
    let counts = summary.findings.iter().flatten();
    counts.map(|(kind, n)| (kind.clone(), *n)).collect()
}

/// Hazards first, then what else is wrong.
fn named(source: &Source<'_>, writer: &mut Writer<'_>, most: usize) -> Vec<Named> {
    let Some(Judgement { safety, findings }) = source.judged else {
        return Vec::new();
    };
    let hazards = safety.list.iter().map(|h| {
        let tensors = [Some(h.a), Some(h.b)];
        (HAZARD, tensors, h.bytes, Some(h.nodes.1))
    });
    let wrong = findings.list.iter().filter(|f| f.kind.is_wrong());
    let wrong = wrong.map(|f| (f.kind.word(), [f.tensor, f.other], 0, f.node));
    let first = hazards.chain(wrong).take(most);
    first
        .map(|(kind, tensors, bytes, node)| {
            let ids = tensors.into_iter().flatten();
            Named {
                kind: kind.to_owned(),
                tensors: ids.map(|t| source.plan.tensors.ids.id(t)).collect(),
                bytes,
                node: writer.name(node),
            }
        })
        .collect()
}

fn curve(source: &Source<'_>) -> Vec<i16> {
    let Some(last) = source.plan.steps.checked_sub(1) else {
        return Vec::new();
    };
    let peak = u128::from(source.facts.peak.alive.max(1));
    let mut before = 0;
    curves::columns(0, last, POINTS)
        .map(|(begin, end)| {
            let values = source.liveness.alive.get(begin as usize..=end as usize);
            let most = values.and_then(|v| v.iter().max()).copied().unwrap_or(0);
            // To the nearest; at most 1000.
            let height = ((u128::from(most) * 1000 + peak / 2) / peak).min(1000) as i16;
            height - std::mem::replace(&mut before, height)
        })
        .collect()
}

/// Writes names as the sender chose.
struct Writer<'a> {
    plan: &'a Plan,
    mode: NameMode,
    letters: usize,
    layers: Vec<&'a [u8]>,
    operators: Vec<&'a [u8]>,
}

impl<'a> Writer<'a> {
    fn new(plan: &'a Plan, mode: NameMode, letters: usize) -> Self {
        Self {
            plan,
            mode,
            letters,
            layers: Vec::new(),
            operators: Vec::new(),
        }
    }

    fn name(&mut self, node: Option<u32>) -> Name {
        let Some(node) = node else {
            return Name::default();
        };
        let name = self.plan.node_name(node);
        let layer = parts::scope(name);
        let cut = |part: &[u8]| names::display_cut(part, self.letters);
        match self.mode {
            NameMode::Full => Name {
                operator: cut(parts::last_part(name)),
                layer: layer.map(cut).unwrap_or_default(),
                depth: 0,
            },
            NameMode::Operators => Name {
                operator: cut(parts::operator(name)),
                layer: String::new(),
                depth: layer.map_or(0, |l| l.split(|b| *b == b'/').count() as u32),
            },
            NameMode::Hidden => Name {
                operator: number(&mut self.operators, parts::operator(name), 'O'),
                layer: layer
                    .map(|layer| number(&mut self.layers, layer, 'L'))
                    .unwrap_or_default(),
                depth: 0,
            },
        }
    }
}

/// A number for a name: that of its first appearance.
fn number<'a>(known: &mut Vec<&'a [u8]>, name: &'a [u8], letter: char) -> String {
    let place = known.iter().position(|k| *k == name).unwrap_or_else(|| {
        known.push(name);
        known.len() - 1
    });
    format!("{letter}{}", place + 1)
}
