//! The numbers of a plan: peak, who is alive there, totals, bounds, waste, highest ends.
//!
//! On ties the first step, or the lowest id, wins. O(tensors + steps) each.

use super::Liveness;
use crate::model::{Lifelong, Placed, Plan, PlanKind};
use crate::sorting;

/// The step with the most bytes alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    /// The first step that reaches the maximum; `None` without steps.
    pub step: Option<u32>,
    /// Aligned bytes alive there.
    pub alive: u64,
}

/// Every number of a plan that is no curve. Bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// Sum of all parameter sizes.
    pub static_memory: u64,
    /// Everything produced, nothing ever given back.
    pub total_tensor_size: u64,
    /// What the plan reserves: as stated, or the highest end where the generation states none;
    /// 0 for a stage.
    pub planned_total: u64,
    /// Where the most bytes are alive. Its bytes are the lower bound of any plan.
    pub peak: Peak,
    /// Aligned − original over placed tensors; negative where a union head is too small.
    pub waste: i64,
    /// The same over what is alive at the peak.
    pub waste_at_peak: i64,
    /// The highest end of all placed tensors (true offsets).
    pub max_end: u64,
    /// The placed tensor that is LifeLongNone and ends highest, and its end.
    pub max_end_without_lifelong: Option<(u32, u64)>,
    /// Tensors without bytes.
    pub zero_size: u64,
    /// Distinct streams of nodes.
    pub streams: u64,
}

impl Facts {
    /// Planned total − lower bound.
    pub fn gap(&self) -> i64 {
        self.planned_total as i64 - self.peak.alive as i64
    }

    /// 1 − lower bound / total tensor size; `None` when nothing is placed.
    pub fn reuse_ratio(&self) -> Option<f64> {
        (self.total_tensor_size > 0)
            .then(|| 1.0 - self.peak.alive as f64 / self.total_tensor_size as f64)
    }
}

/// Computes the numbers.
pub fn facts(plan: &Plan, liveness: &Liveness) -> Facts {
    let peak = peak_of(&liveness.alive);
    let (waste, waste_at_peak) = waste(plan, peak.step);
    let (mut max_end, mut without_lifelong, mut placed) = (0, None, 0);
    for (t, end) in plan.ends() {
        placed += 1;
        max_end = end.max(max_end);
        let is_higher = without_lifelong.is_none_or(|(_, highest)| end > highest);
        if is_higher && plan.tensors.lifelong_at(t) == Lifelong::None {
            without_lifelong = Some((t, end));
        }
    }
    let planned_total = match plan.kind {
        PlanKind::Stage => 0,
        PlanKind::Plan => plan.stated_total.unwrap_or(max_end),
    };
    let streams = sorting::distinct(&plan.nodes.stream);
    Facts {
        static_memory: plan.parameters.size.iter().sum(),
        total_tensor_size: liveness.total.last().copied().unwrap_or(0),
        planned_total,
        peak,
        waste,
        waste_at_peak,
        max_end,
        max_end_without_lifelong: without_lifelong,
        zero_size: u64::from(plan.n_tensors()) - placed,
        streams: streams.len() as u64,
    }
}

fn peak_of(alive: &[u64]) -> Peak {
    let mut peak = Peak {
        step: None,
        alive: 0,
    };
    for (step, &bytes) in alive.iter().enumerate() {
        if peak.step.is_none() || bytes > peak.alive {
            peak = Peak {
                step: Some(step as u32),
                alive: bytes,
            };
        }
    }
    peak
}

fn waste(plan: &Plan, peak: Option<u32>) -> (i64, i64) {
    let alive_at_peak =
        |t: u32| peak.is_some_and(|step| plan.live_range(t).is_some_and(|r| r.contains(step)));
    let (mut total, mut at_peak) = (0, 0);
    let alone = |piece: &Placed| plan.union_group(piece.tensor).is_none();
    for piece in plan.placed().filter(alone) {
        let spare = piece.aligned as i64 - plan.tensors.original_at(piece.tensor) as i64;
        total += spare;
        if peak.is_some_and(|step| piece.range.is_some_and(|r| r.contains(step))) {
            at_peak += spare;
        }
    }
    for group in plan.unions.iter() {
        let most = |size: &dyn Fn(u32) -> u64| group.iter().map(|&t| size(t)).max().unwrap_or(0);
        let aligned = most(&|t| plan.tensors.aligned_at(t));
        if aligned == 0 {
            continue;
        }
        let spare = aligned as i64 - most(&|t| plan.tensors.original_at(t)) as i64;
        total += spare;
        if group.iter().any(|&t| alive_at_peak(t)) {
            at_peak += spare;
        }
    }
    (total, at_peak)
}

/// One piece of memory that is alive at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AliveTensor {
    /// Tensor index.
    pub tensor: u32,
    /// Its aligned size in bytes.
    pub aligned: u64,
    /// The member of its union group whose bytes stand for the group, when that is another one:
    /// then these bytes are counted there.
    pub counted_with: Option<u32>,
}

/// The tensors with bytes that are alive at `step`, largest first, then by id. The sum over those
/// without `counted_with` is the curve's value. A union group that only members without bytes
/// keep alive is listed by its largest member.
pub fn alive_at(plan: &Plan, step: u32) -> Vec<AliveTensor> {
    let is_alive = |t: u32| plan.live_range(t).is_some_and(|r| r.contains(step));
    let mut out = Vec::new();
    let alive = |piece: &Placed| piece.range.is_some_and(|r| r.contains(step));
    for Placed {
        tensor, aligned, ..
    } in plan.placed().filter(alive)
    {
        if plan.union_group(tensor).is_none() {
            out.push(AliveTensor {
                tensor,
                aligned,
                counted_with: None,
            });
        }
    }
    for group in plan.unions.iter() {
        if !group.iter().any(|&t| is_alive(t)) {
            continue;
        }
        let size = |t: u32| plan.tensors.aligned_at(t);
        // The largest, of those the alive ones, of those the lowest id.
        let order = |t: u32| (size(t), is_alive(t), std::cmp::Reverse(t));
        let Some(stands_for_all) = group
            .iter()
            .copied()
            .max_by_key(|&t| order(t))
            .filter(|&t| size(t) > 0)
        else {
            continue;
        };
        for &t in group {
            if t == stands_for_all || (size(t) > 0 && is_alive(t)) {
                let counted_with = (t != stands_for_all).then_some(stands_for_all);
                out.push(AliveTensor {
                    tensor: t,
                    aligned: size(t),
                    counted_with,
                });
            }
        }
    }
    sorting::sort_by(&mut out, |a, b| {
        (b.aligned, a.tensor).cmp(&(a.aligned, b.tensor))
    });
    out
}
