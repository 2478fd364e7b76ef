//! Which task record belongs to which node: by full name, else by short name and order of
//! occurrence, never by guess.
//!
//! Of `k` nodes and `m` records of one name, `k = m` are paired in order. Otherwise those that are
//! already paired cut both sequences into windows (records come in execution order), and a window
//! with as many nodes as records is paired in order. What then is left on one side only is
//! missing or extra; what is left on both sides cannot be told apart and stays unjoined.

use std::collections::HashMap;

use super::names::last_part;
use crate::model::{Plan, TaskInfo, NONE};

/// The outcome of the join.
#[derive(Clone, Debug, Default)]
pub struct Join {
    /// The record of each node, [`NONE`] without one.
    pub record_of: Vec<u32>,
    /// Nodes of which surely no record exists.
    pub missing: Vec<u32>,
    /// Records of which surely no node exists.
    pub extra: Vec<u32>,
    /// Nodes that share a name with too few or too many records.
    pub unjoined_nodes: Vec<u32>,
    /// The records of those names.
    pub unjoined_records: Vec<u32>,
    /// For each name that stayed unjoined: a node of it, number of nodes, number of records.
    pub unjoined_groups: Vec<(u32, u32, u32)>,
}

#[derive(Default)]
struct Group {
    nodes: Vec<u32>,
    records: Vec<u32>,
}

/// Joins records to nodes.
pub fn join(plan: &Plan, info: &TaskInfo) -> Join {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_name: HashMap<&[u8], usize> = HashMap::new();
    for n in 0..plan.n_nodes() {
        let name = plan.node_name(n);
        let at = *by_name.entry(name).or_insert_with(|| {
            groups.push(Group::default());
            groups.len() - 1
        });
        groups[at].nodes.push(n);
    }
    let mut out = Join {
        record_of: vec![NONE; plan.n_nodes() as usize],
        ..Join::default()
    };
    for r in 0..info.len() {
        let full = info.name_of(r);
        match by_name.get(full).or_else(|| by_name.get(last_part(full))) {
            Some(&at) => groups[at].records.push(r),
            None => out.extra.push(r),
        }
    }
    let (equal, uneven): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|g| g.nodes.len() == g.records.len());
    for group in &equal {
        out.pair(&group.nodes, &group.records);
    }
    let anchors: Vec<(u32, u32)> = (0..plan.n_nodes())
        .filter_map(|n| Some((n, out.record(n)?)))
        .collect();
    let in_order = anchors.windows(2).all(|w| w[0].1 < w[1].1);
    for group in uneven {
        let mut windows: HashMap<usize, Group> = HashMap::new();
        // Without a common order there is one window.
        let window = |at: usize| if in_order { at } else { 0 };
        for &n in &group.nodes {
            let at = window(anchors.partition_point(|a| a.0 < n));
            windows.entry(at).or_default().nodes.push(n);
        }
        for &r in &group.records {
            let at = window(anchors.partition_point(|a| a.1 < r));
            windows.entry(at).or_default().records.push(r);
        }
        let mut keys: Vec<usize> = windows.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let Some(w) = windows.remove(&key) else {
                continue;
            };
            match (w.nodes.len(), w.records.len()) {
                (k, m) if k == m => out.pair(&w.nodes, &w.records),
                (_, 0) => out.missing.extend(&w.nodes),
                (0, _) => out.extra.extend(&w.records),
                (k, m) => {
                    out.unjoined_groups.push((w.nodes[0], k as u32, m as u32));
                    out.unjoined_nodes.extend(&w.nodes);
                    out.unjoined_records.extend(&w.records);
                }
            }
        }
    }
    for list in [
        &mut out.missing,
        &mut out.extra,
        &mut out.unjoined_nodes,
        &mut out.unjoined_records,
    ] {
        list.sort_unstable();
    }
    out.unjoined_groups.sort_unstable();
    out
}

impl Join {
    fn pair(&mut self, nodes: &[u32], records: &[u32]) {
        for (&n, &r) in nodes.iter().zip(records) {
            self.record_of[n as usize] = r;
        }
    }

    /// The record of node `n`.
    pub fn record(&self, n: u32) -> Option<u32> {
        self.record_of
            .get(n as usize)
            .copied()
            .filter(|r| *r != NONE)
    }
}
