//! Who shares the bytes of a selection, and why that is fine or not: the table of overlaps.
//!
//! Pairs of a plan are never listed: a tensor is compared with those on its own bytes, and in a
//! range of bytes or steps each tensor with the one that held its bytes there before.

use super::judge::{Judge, Relation};
use super::{Rules, Safety, Verdict};
use crate::model::{Plan, PlanKind};
use crate::sorting;
use crate::units::{ByteRange, LiveRange};

/// Most rows that are given; the number of all is exact.
pub const MOST_ROWS: usize = 10_000;

/// Whose bytes are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Those of a tensor (an index), at any time.
    Tensor(u32),
    /// A range of bytes (true offsets) in a range of steps; without either, all of them.
    Window(Option<ByteRange>, Option<LiveRange>),
}

/// What a tensor is to the one it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// There is none to compare with: nobody in the selection held its bytes before.
    Alone,
    /// They must not share bytes.
    Hazard,
    /// They are members of one union.
    Union,
    /// It is done before the other one is written.
    Before,
    /// It is written after all readers of the other are done.
    After,
    /// It cannot be said: the plan was read in part, or its order edges run in a circle.
    Undecided,
}

/// A tensor on the bytes of a selection. Indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OverlapRow {
    /// The tensor.
    pub tensor: u32,
    /// The one it is compared with: the selected tensor; in a window the first one it collides
    /// with, else the one that held some of its bytes before.
    pub with: Option<u32>,
    /// Its bytes in the selection.
    pub bytes: u64,
    /// Why that is fine or not.
    pub fit: Fit,
}

/// The tensors on the bytes of a selection, the selected one left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlaps {
    /// The first [`MOST_ROWS`] in time: by first step alive, then last, then index.
    pub rows: Vec<OverlapRow>,
    /// Number of all.
    pub total: u64,
}

/// The first and the last step of tensor `t`; as printed where it begins behind the last step.
fn life(plan: &Plan, t: u32) -> (u32, u32) {
    let printed = plan.tensors.printed_life(t);
    plan.live_range(t).map_or(printed, |r| (r.first, r.last))
}

/// Finds the tensors on the bytes of a selection. None in an early stage. O(tensors), and for a
/// window the rows times those before them.
pub fn overlaps(plan: &Plan, rules: &mut Rules, safety: &Safety, of: Selection) -> Overlaps {
    if plan.kind == PlanKind::Stage {
        return Overlaps::default();
    }
    let (range, steps) = match of {
        Selection::Tensor(t) => (plan.bytes_of(t), None),
        Selection::Window(range, steps) => {
            let all = ByteRange {
                start: 0,
                end: u64::MAX,
            };
            (range.unwrap_or(all), steps)
        }
    };
    let alive = |t: u32| {
        let window = |w: LiveRange| plan.live_range(t).is_some_and(|life| life.meets(w));
        steps.is_none_or(window)
    };
    // First and last step as one number.
    let mut found: Vec<(u64, u32)> = (0..plan.n_tensors())
        .filter(|&t| of != Selection::Tensor(t) && plan.bytes_of(t).overlaps(range) && alive(t))
        .map(|t| {
            let (first, last) = life(plan, t);
            (u64::from(first) << 32 | u64::from(last), t)
        })
        .collect();
    sorting::sort(&mut found);
    let total = found.len() as u64;
    let inside = |t: u32| {
        let bytes = plan.bytes_of(t);
        ByteRange {
            start: bytes.start.max(range.start),
            end: bytes.end.min(range.end),
        }
    };
    let mut rows: Vec<OverlapRow> = found
        .iter()
        .take(MOST_ROWS)
        .map(|&(_, tensor)| OverlapRow {
            tensor,
            with: None,
            bytes: inside(tensor).len(),
            fit: Fit::Alone,
        })
        .collect();
    let mut judge = Judge { plan, rules };
    let decided = !matches!(safety.verdict, Verdict::Undecided(_));
    let collides = match of {
        Selection::Tensor(_) => Vec::new(),
        Selection::Window(..) => partners(plan, safety, &found),
    };
    for at in 0..rows.len() {
        let (before, rest) = rows.split_at_mut(at);
        let Some(row) = rest.first_mut() else { break };
        row.with = match of {
            Selection::Tensor(t) => Some(t),
            Selection::Window(..) => {
                let own = inside(row.tensor);
                let partner = collides.get(row.tensor as usize).copied().flatten();
                partner.or_else(|| {
                    let holder = |r: &&OverlapRow| inside(r.tensor).overlaps(own);
                    before.iter().rev().find(holder).map(|r| r.tensor)
                })
            }
        };
        if let Some(with) = row.with {
            row.fit = if decided {
                fit(&mut judge, row.tensor, with)
            } else {
                Fit::Undecided
            };
        }
    }
    Overlaps { rows, total }
}

/// For each tensor of the plan the first one of the selection that it collides with; empty without
/// any hazard.
fn partners(plan: &Plan, safety: &Safety, found: &[(u64, u32)]) -> Vec<Option<u32>> {
    if safety.pairs.is_empty() {
        return Vec::new();
    }
    let mut inside = vec![false; plan.n_tensors() as usize];
    for &(_, t) in found {
        if let Some(place) = inside.get_mut(t as usize) {
            *place = true;
        }
    }
    let is_inside = |t: u32| inside.get(t as usize) == Some(&true);
    let mut out = vec![None; inside.len()];
    for &(a, b) in safety
        .pairs
        .iter()
        .filter(|(a, b)| is_inside(*a) && is_inside(*b))
    {
        for (own, other) in [(a, b), (b, a)] {
            if let Some(place @ None) = out.get_mut(own as usize) {
                *place = Some(other);
            }
        }
    }
    out
}

fn fit(judge: &mut Judge<'_>, t: u32, with: u32) -> Fit {
    let comes_first = (judge.source(t), t) < (judge.source(with), with);
    let (first, second) = if comes_first { (t, with) } else { (with, t) };
    match judge.relation(first, second) {
        Relation::Conflict => Fit::Hazard,
        relation => {
            let group = judge.plan.union_group(t);
            let mates = group.is_some() && group == judge.plan.union_group(with);
            match (relation == Relation::Mates && mates, comes_first) {
                (true, _) => Fit::Union,
                (false, true) => Fit::Before,
                (false, false) => Fit::After,
            }
        }
    }
}
