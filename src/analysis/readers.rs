//! Who reads a parameter, and which output of its node a tensor is; for all of them at once.

use crate::model::{Generation, InputRef, Lists, NodeFlags, Plan, NONE};
use crate::sorting;

/// The nodes that read each parameter: ascending, each once; clean nodes are left out (except in
/// generation A), as for tensors.
pub fn parameter_readers(plan: &Plan) -> Lists {
    let n = plan.parameters.ids.len() as usize;
    let mut pairs: Vec<(u32, u32)> = Vec::new();
    for node in 0..plan.n_nodes() {
        let clean = plan.nodes.flags_of(node).has(NodeFlags::CLEAN);
        if clean && plan.generation != Generation::A {
            continue;
        }
        for input in plan.nodes.inputs_of(node) {
            match input {
                InputRef::Parameter(p) if (p as usize) < n => pairs.push((p, node)),
                _ => {}
            }
        }
    }
    let mut pairs = sorting::pairs_by_first(pairs.into_iter());
    pairs.dedup();
    let mut out = Lists::default();
    out.reserve(n, pairs.len());
    let mut rest = pairs.iter().peekable();
    for p in 0..n as u32 {
        while let Some((_, node)) = rest.next_if(|(of, _)| *of == p) {
            out.push_item(*node);
        }
        out.end_row();
    }
    out
}

/// [`Plan::output_index`] of every tensor; [`NONE`] without one.
pub fn output_indices(plan: &Plan) -> Vec<u32> {
    let mut out = vec![NONE; plan.n_tensors() as usize];
    for node in 0..plan.n_nodes() {
        // The outputs first: a tensor that is in both lists counts as an output.
        for list in [
            plan.nodes.outputs.get(node),
            plan.nodes.workspaces.get(node),
        ] {
            for (i, &t) in (0u32..).zip(list) {
                match out.get_mut(t as usize) {
                    Some(index) if *index == NONE && plan.tensors.source_of(t) == Some(node) => {
                        *index = i
                    }
                    _ => {}
                }
            }
        }
    }
    out
}
