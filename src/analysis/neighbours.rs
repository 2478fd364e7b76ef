//! Who held a tensor's bytes before it, and who takes them after it.

use crate::model::{Plan, PlanKind};

/// The neighbours of a tensor in time: tensors that share bytes with it and no step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Of those that end before its first step: the latest to end, then the lowest id.
    pub before: Option<u32>,
    /// Of those that begin after its last step: the earliest to begin, then the lowest id.
    pub after: Option<u32>,
}

/// Finds the neighbours of tensor `t` by true offsets and widened live ranges; there are none
/// where nothing is placed. O(tensors).
pub fn neighbours(plan: &Plan, t: u32) -> Neighbours {
    let mut found = Neighbours::default();
    let (bytes, Some(life)) = (plan.bytes_of(t), plan.live_range(t)) else {
        return found;
    };
    if plan.kind == PlanKind::Stage {
        return found;
    }
    let (mut latest, mut earliest) = (None, None);
    for other in 0..plan.n_tensors() {
        if other == t || !plan.bytes_of(other).overlaps(bytes) {
            continue;
        }
        let Some(range) = plan.live_range(other) else {
            continue;
        };
        // Among equals the first one seen has the lowest id.
        if range.last < life.first && latest.is_none_or(|last| range.last > last) {
            (latest, found.before) = (Some(range.last), Some(other));
        }
        if range.first > life.last && earliest.is_none_or(|first| range.first < first) {
            (earliest, found.after) = (Some(range.first), Some(other));
        }
    }
    found
}
