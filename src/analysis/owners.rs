//! Who owns an address, and who shares bytes with whom.

use crate::model::{Plan, PlanKind};
use crate::sorting;
use crate::units::{ByteRange, LiveRange};

/// The placed tensors that have a byte in `range` (offsets, true ones) at any time, ascending.
/// None in a stage, where offsets mean nothing.
pub fn tensors_in(plan: &Plan, range: ByteRange) -> Vec<u32> {
    if plan.kind == PlanKind::Stage {
        return Vec::new();
    }
    (0..plan.n_tensors())
        .filter(|&t| plan.bytes_of(t).overlaps(range))
        .collect()
}

/// A tensor that holds bytes for some steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tenure {
    /// The tensor.
    pub tensor: u32,
    /// The steps in which it is alive.
    pub life: LiveRange,
    /// The steps right before it in which nobody held a byte of the range.
    pub free_before: Option<LiveRange>,
}

/// Who holds a byte of `range` (offsets, true ones), in the order of time: by first step, last
/// step, id; and the steps behind all of them, up to the last of the plan, in which nobody does.
/// A tensor that begins behind the last step holds nothing. O(tensors).
pub fn tenures(plan: &Plan, range: ByteRange) -> (Vec<Tenure>, Option<LiveRange>) {
    let alive = |t: u32| plan.live_range(t).map(|life| (life.first, life.last, t));
    let mut lives: Vec<(u32, u32, u32)> = tensors_in(plan, range)
        .into_iter()
        .filter_map(alive)
        .collect();
    sorting::sort(&mut lives);
    // The first step that nobody is known to hold yet.
    let mut next = 0;
    let mut out = Vec::with_capacity(lives.len());
    let until = |next: u32, end: u32| {
        end.checked_sub(1)
            .and_then(|last| LiveRange::new(next, last))
    };
    for (first, last, tensor) in lives {
        out.push(Tenure {
            tensor,
            life: LiveRange { first, last },
            free_before: until(next, first),
        });
        next = next.max(last.saturating_add(1));
    }
    (out, until(next, plan.steps))
}

/// How far a range lies outside the planned block, in bytes: behind its end, or, with `true`, below
/// its beginning. `None` where they meet.
pub fn outside(asked: ByteRange, block: ByteRange) -> Option<(u64, bool)> {
    if asked.end <= block.start {
        Some((block.start - asked.end + 1, true))
    } else if asked.start >= block.end {
        Some((asked.start - block.end, false))
    } else {
        None
    }
}

/// The other placed tensors that share bytes with tensor `t` at any time, ascending.
pub fn sharing_bytes(plan: &Plan, t: u32) -> Vec<u32> {
    let mut out = tensors_in(plan, plan.bytes_of(t));
    out.retain(|&u| u != t);
    out
}

/// The nodes that list tensor `t` as input, output or workspace, ascending.
pub fn nodes_using(plan: &Plan, t: u32) -> Vec<u32> {
    let lists = |n: u32| {
        plan.nodes.outputs.get(n).contains(&t)
            || plan.nodes.workspaces.get(n).contains(&t)
            || plan.nodes.inputs.get(n).contains(&t)
    };
    (0..plan.n_nodes()).filter(|&n| lists(n)).collect()
}
