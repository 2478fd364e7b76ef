//! Who owns an address, and who shares bytes with whom.

use crate::model::{Plan, PlanKind};
use crate::units::ByteRange;

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
