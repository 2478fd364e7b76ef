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

/// The nodes that read each parameter, ascending, each once.
pub fn parameter_readers(plan: &Plan) -> crate::model::Lists {
    use crate::model::InputRef;
    let mut uses: Vec<(u32, u32)> = Vec::new();
    for n in 0..plan.n_nodes() {
        for input in plan.nodes.inputs_of(n) {
            if let InputRef::Parameter(p) = input {
                uses.push((p, n));
            }
        }
    }
    uses.sort_unstable();
    uses.dedup();
    let mut lists = crate::model::Lists::default();
    let mut rest = uses.iter().peekable();
    for p in 0..plan.parameters.ids.len() {
        while let Some((_, n)) = rest.next_if(|u| u.0 == p) {
            lists.push_item(*n);
        }
        lists.end_row();
    }
    lists
}
