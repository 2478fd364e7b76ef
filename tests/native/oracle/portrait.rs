//! The oracle's reading in the lines of [`crate::support::portrait`].

use std::collections::BTreeSet;

use super::Oracle;
use crate::support::{joined, unions};

/// Everything the dump says, one fact a line.
pub fn portrait(oracle: &Oracle) -> String {
    let d = &oracle.dump;
    let stage = oracle.is_stage();
    let mut out = vec![format!(
        "kind {} steps {} total {:?}",
        if stage { "stage" } else { "plan" },
        oracle.steps,
        d.total
    )];
    for (id, (size, name, index)) in &d.params {
        out.push(format!("%{id}P size {size} out {index} name {name}"));
    }
    let nobody = BTreeSet::new();
    for (id, t) in &d.tensors {
        let place = if t.aligned == 0 {
            "-".into()
        } else {
            oracle.true_offset(*id).to_string()
        };
        out.push(format!(
            "%{id}T aligned {} original {} at {place} type {} {} life {}..={} source {} readers {}",
            t.aligned,
            t.original,
            t.kind,
            t.lifelong,
            t.first,
            t.last,
            oracle.source.get(id).map_or("-".into(), u64::to_string),
            joined(oracle.readers.get(id).unwrap_or(&nobody)),
        ));
    }
    for (id, n) in &d.nodes {
        out.push(format!(
            "${id} communication {} stream {} inputs {} outputs {} workspaces {} name {}",
            n.communication,
            n.stream,
            joined(&n.inputs),
            joined(&n.outputs),
            joined(&n.workspaces),
            n.name,
        ));
    }
    out.extend(unions(oracle.groups.iter().cloned()));
    out.extend(
        d.contiguous
            .iter()
            .map(|l| format!("contiguous {}", joined(l))),
    );
    out.extend(
        d.processed
            .iter()
            .map(|l| format!("processed {}", joined(l))),
    );
    out.extend(d.groups.iter().map(|l| format!("group {}", joined(l))));
    out.extend(
        d.blocks
            .iter()
            .map(|(start, size)| format!("block {start} {size}")),
    );
    out.push(format!("controls {} events {}", d.controls.len(), d.events));
    out.join("\n") + "\n"
}
