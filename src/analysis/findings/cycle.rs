//! Do the order edges of a plan run in a circle?

use super::{Finding, FindingKind, PlanFindings};
use crate::analysis::order;
use crate::model::Plan;

/// Adds one finding when they do (generation C, whose dumps print them).
pub(super) fn check(plan: &Plan, out: &mut PlanFindings) {
    let backward = || {
        let mut edges = plan.order.before.iter().zip(&plan.order.after);
        edges.any(|(before, after)| before >= after)
    };
    // Edges that all lead forward make no circle.
    if !plan.generation.is_c() || !backward() {
        return;
    }
    if let Some((node, length)) = circle(plan) {
        let finding = Finding::new(FindingKind::ControlCycle).figures(length, 0);
        out.add(finding.nodes(Some(node), None));
    }
}

/// The first node of a circle and how many nodes it has: nodes that wait for nobody are taken
/// away until there is none; what is left waits for itself.
fn circle(plan: &Plan) -> Option<(u32, u64)> {
    let n_nodes = plan.n_nodes() as usize;
    let mut edges: Vec<(u32, u32)> = Vec::new();
    order::data_edges(plan, &mut |before, after| {
        if before < after {
            edges.push((before, after));
        }
    });
    edges.extend(
        plan.order
            .before
            .iter()
            .copied()
            .zip(plan.order.after.iter().copied()),
    );
    edges.sort_unstable();
    let mut waits = vec![0u32; n_nodes];
    for &(_, after) in &edges {
        if let Some(n) = waits.get_mut(after as usize) {
            *n += 1;
        }
    }
    let mut free: Vec<u32> = (0..plan.n_nodes())
        .filter(|&n| waits.get(n as usize) == Some(&0))
        .collect();
    while let Some(n) = free.pop() {
        let from = edges.partition_point(|(before, _)| *before < n);
        let out = edges.get(from..).unwrap_or(&[]).iter();
        for &(_, after) in out.take_while(|(before, _)| *before == n) {
            if let Some(left) = waits.get_mut(after as usize) {
                *left -= 1;
                if *left == 0 {
                    free.push(after);
                }
            }
        }
    }
    let stuck = |n: u32| waits.get(n as usize).is_some_and(|w| *w > 0);
    let mut before: Vec<Option<u32>> = vec![None; n_nodes];
    for &(b, a) in edges.iter().filter(|(b, a)| stuck(*b) && stuck(*a)) {
        if let Some(place) = before.get_mut(a as usize) {
            place.get_or_insert(b);
        }
    }
    let step = |n: u32| before.get(n as usize).copied().flatten();
    // Going back as many steps as there are nodes ends inside a circle.
    let mut at = (0..plan.n_nodes()).find(|&n| stuck(n))?;
    for _ in 0..n_nodes {
        at = step(at)?;
    }
    let (mut first, mut length, start) = (at, 1, at);
    loop {
        at = step(at)?;
        if at == start {
            return Some((first, length));
        }
        first = first.min(at);
        length += 1;
    }
}
