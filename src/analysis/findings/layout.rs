//! Do offsets, unions, lists, blocks and the total agree?

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Finding, FindingKind as Kind, PlanFindings};
use crate::analysis::hazard::Holders;
use crate::analysis::Safety;
use crate::model::{Generation, Lifelong, Plan, PlanKind, TensorKind};
use crate::sorting;
use crate::units::ByteRange;

pub(super) fn check(plan: &Plan, safety: &Safety, out: &mut PlanFindings) {
    if plan.kind == PlanKind::Stage {
        return;
    }
    unions(plan, out);
    contiguous(plan, out);
    misaligned(plan, out);
    let total_differs = total(plan, out);
    // A tensor that was moved onto another is the cause of both.
    if safety.count == 0 {
        blocks(plan, total_differs, out);
    }
    output_reused(plan, safety, out);
}

/// Where the members of a union lie: at one offset. The odd ones out are told, each with a mate
/// that lies where most do.
fn unions(plan: &Plan, out: &mut PlanFindings) {
    for group in plan.unions.iter() {
        let Some(&head) = group.first() else { continue };
        if plan.tensors.aligned_at(head) == 0 {
            continue;
        }
        // Followers of A and B show no size of their own, but their offset; in C no size means
        // no place.
        let counts = |t: u32| !plan.generation.is_c() || plan.tensors.aligned_at(t) > 0;
        let offset = |t: u32| plan.tensors.true_offset(t);
        let mut votes: HashMap<u64, u32> = HashMap::new();
        let members = || group.iter().copied().filter(|&t| counts(t));
        members().for_each(|t| *votes.entry(offset(t)).or_default() += 1);
        let votes_of = |t: u32| votes.get(&offset(t)).copied().unwrap_or(0);
        // On a tie the earlier member is right.
        let mut mate = head;
        for t in members() {
            if votes_of(t) > votes_of(mate) {
                mate = t;
            }
        }
        for t in members().filter(|&t| offset(t) != offset(mate)) {
            let finding = Finding::new(Kind::UnionOffsetDiffers).tensor(t).other(mate);
            out.add(finding.figures(offset(t), offset(mate)));
        }
    }
}

/// Members of a list that binds the solver lie back to back; one finding a list.
fn contiguous(plan: &Plan, out: &mut PlanFindings) {
    for list in plan.contiguous_processed.iter() {
        let placed: Vec<u32> = list
            .iter()
            .copied()
            .filter(|&t| plan.tensors.aligned_at(t) > 0)
            .collect();
        let broken = placed.windows(2).find_map(|pair| match *pair {
            [a, b] if plan.bytes_of(a).end != plan.bytes_of(b).start => Some((a, b)),
            _ => None,
        });
        if let Some((a, b)) = broken {
            let finding = Finding::new(Kind::NotContiguous).tensor(a).other(b);
            out.add(finding.figures(plan.bytes_of(a).end, plan.bytes_of(b).start));
        }
    }
}

fn misaligned(plan: &Plan, out: &mut PlanFindings) {
    let exempt = plan.may_be_misaligned();
    for t in 0..plan.n_tensors() {
        if plan.is_misaligned(t) && !exempt.contains(t) {
            let finding = Finding::new(Kind::Misaligned).tensor(t);
            out.add(finding.figures(plan.tensors.true_offset(t), plan.tensors.aligned_at(t)));
        }
    }
}

fn total(plan: &Plan, out: &mut PlanFindings) -> bool {
    let Some(stated) = plan.stated_total else {
        return false;
    };
    let highest = plan.highest_end();
    let found = highest.map_or(0, |(_, end)| end);
    if found != stated {
        let mut finding = Finding::new(Kind::TotalDiffers).figures(stated, found);
        finding.tensor = highest.map(|(t, _)| t);
        out.add(finding);
    }
    found != stated
}

/// The printed blocks against the tensors: ranges that overlap are joined, those that touch are
/// not, and a list is a range of its own. 1.9 and 1.10 took shown offsets and no lists; they
/// cannot be told from 2.0.0-alpha, so that either form is right in C1.
fn blocks(plan: &Plan, total_differs: bool, out: &mut PlanFindings) {
    if !plan.generation.is_c() {
        return;
    }
    let mut printed = plan.blocks.clone();
    sorting::sort(&mut printed);
    let tensors = (0..plan.n_tensors()).filter(|&t| plan.tensors.aligned_at(t) > 0);
    let lists = plan.contiguous_processed.iter().filter_map(|list| {
        let placed = || list.iter().filter(|&&t| plan.tensors.aligned_at(t) > 0);
        let first = plan.bytes_of(*placed().next()?);
        Some(ByteRange::at(
            first.start,
            placed().map(|&t| plan.tensors.aligned_at(t)).sum(),
        ))
    });
    let by_true = joined(tensors.clone().map(|t| plan.bytes_of(t)).chain(lists));
    let differs = if plan.generation == Generation::C1 {
        let shown = |t| ByteRange::at(plan.tensors.shown_offset(t), plan.tensors.aligned_at(t));
        printed != by_true && printed != joined(tensors.map(shown))
    } else {
        printed != by_true
    };
    // A tensor that is named as misplaced is the cause; so is one beyond the total, when the
    // blocks end where the total says.
    let named = [
        Kind::UnionOffsetDiffers,
        Kind::NotContiguous,
        Kind::Misaligned,
    ];
    let top = printed.iter().map(|b| b.end).max().unwrap_or(0);
    let explained =
        named.iter().any(|k| out.count(*k) > 0) || total_differs && plan.stated_total == Some(top);
    if !differs || explained {
        return;
    }
    let only = |a: &[ByteRange], b: &[ByteRange]| -> Vec<ByteRange> {
        a.iter()
            .filter(|r| b.binary_search(r).is_err())
            .copied()
            .collect()
    };
    let mut odd = only(&printed, &by_true);
    odd.extend(only(&by_true, &printed));
    let first = odd.iter().min().map_or(0, |r| r.start);
    out.add(Finding::new(Kind::BlocksDiffer).figures(first, odd.len() as u64));
}

/// Ranges joined where they overlap, ascending. A joined one ends where as many ranges have ended
/// as have begun before: starts and ends are sorted apart, as plain numbers. Nearly all ranges lie
/// in one block, which grows from the longest of them; what it takes in is not sorted.
fn joined(ranges: impl Iterator<Item = ByteRange> + Clone) -> Vec<ByteRange> {
    let Some(mut block) = ranges.clone().max_by_key(|r| r.len()) else {
        return Vec::new();
    };
    let (mut starts, mut ends) = (Vec::new(), Vec::new());
    for r in ranges {
        if r.overlaps(block) {
            block.start = block.start.min(r.start);
            block.end = block.end.max(r.end);
        } else {
            starts.push(r.start);
            ends.push(r.end);
        }
    }
    starts.push(block.start);
    ends.push(block.end);
    starts.sort_unstable();
    ends.sort_unstable();
    let mut out = Vec::new();
    let (mut begun, mut first) = (0, 0);
    for (ended, &end) in (1..).zip(&ends) {
        while starts.get(begun).is_some_and(|start| *start < end) {
            begun += 1;
        }
        if begun == ended {
            let start = starts.get(first).copied().unwrap_or(end);
            out.push(ByteRange { start, end });
            first = begun;
        }
    }
    out
}

/// Outputs of the graph (type GraphOutput) are placed elsewhere; one that is placed here must
/// outlive the graph, so nobody may take its bytes later, in whatever order.
fn output_reused(plan: &Plan, safety: &Safety, out: &mut PlanFindings) {
    let is_output = |t: u32| {
        plan.tensors.kind_at(t) == TensorKind::GRAPH_OUTPUT
            && plan.tensors.aligned_at(t) > 0
            && plan.tensors.lifelong_at(t) == Lifelong::None
    };
    let outputs: HashSet<u32> = (0..plan.n_tensors()).filter(|&t| is_output(t)).collect();
    if outputs.is_empty() {
        return;
    }
    let source = |t: u32| plan.tensors.source_of(t).unwrap_or(0);
    // The last source first.
    let placed = (0..plan.n_tensors())
        .rev()
        .filter(|&t| plan.tensors.aligned_at(t) > 0);
    let order = sorting::pairs_by_first(placed.map(|t| (u32::MAX - source(t), t)));
    let mut written = Written::default();
    let mut reused = Vec::new();
    for same in order.chunk_by(|a, b| a.0 == b.0) {
        let same = || same.iter().map(|(_, t)| *t);
        for t in same().filter(|t| outputs.contains(t)) {
            let group = plan.union_group(t);
            let mate = |q: u32| group.is_some() && group == plan.union_group(q);
            if let Some(q) = written.first_in(plan.bytes_of(t), |q| !mate(q)) {
                reused.push((t, q));
            }
        }
        same().for_each(|t| written.add(plan.bytes_of(t), t));
    }
    reused.sort_unstable();
    for (t, q) in reused {
        // Known as a hazard: one cause.
        if safety.pairs.binary_search(&(t.min(q), t.max(q))).is_err() {
            let finding = Finding::new(Kind::OutputReused).tensor(t).other(q);
            out.add(finding.nodes(plan.tensors.source_of(q), None));
        }
    }
}

/// Which tensor wrote each byte last so far: starts of stretches, their ends and writers. (The map
/// of the sweep for hazards; another one would be compiled once more.)
#[derive(Default)]
struct Written {
    stretches: BTreeMap<u64, (u64, Holders)>,
}

impl Written {
    fn first_in(&mut self, bytes: ByteRange, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let mut first = None;
        for (_, (end, holders)) in self.stretches.range_mut(..bytes.end).rev() {
            if *end <= bytes.start {
                break;
            }
            first = holders.iter().find(|t| wanted(*t)).or(first);
        }
        first
    }

    fn add(&mut self, bytes: ByteRange, t: u32) {
        let mut inside = Vec::new();
        let mut rest = None;
        for (&start, (end, holders)) in self.stretches.range_mut(..bytes.end).rev() {
            if *end <= bytes.start {
                break;
            }
            if *end > bytes.end {
                rest = Some((*end, holders.clone()));
            }
            if start < bytes.start {
                *end = bytes.start;
            } else {
                inside.push(start);
            }
        }
        for start in inside {
            self.stretches.remove(&start);
        }
        if let Some(rest) = rest {
            self.stretches.insert(bytes.end, rest);
        }
        let own = (bytes.end, Holders::one(t));
        self.stretches.insert(bytes.start, own);
    }
}
