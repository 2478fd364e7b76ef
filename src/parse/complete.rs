//! What older variants leave out and the planner knew: contiguous lists (A, B), the order that
//! streams give (A, B), lifetimes (A), and whether an A or B dump is an early stage.

use std::collections::{HashMap, HashSet};

use crate::model::{
    InputRef, Lifelong, Lists, NodeFlags, Nodes, OrderEdges, TensorKind, Tensors, NONE,
};
use crate::sorting;
use crate::units::LiveRange;

/// Contiguous lists from the communication nodes in node order, inputs before outputs: a list is
/// made when its first tensor is in none yet.
pub(crate) fn rebuild_contiguous(nodes: &Nodes, tensors: &Tensors) -> Lists {
    let mut listed = vec![false; tensors.len() as usize];
    let mut lists = Lists::default();
    let mut make = |members: &mut dyn Iterator<Item = u32>| {
        let members: Vec<u32> = members
            .filter(|&t| tensors.kind_at(t) != TensorKind::EVENT_VIRTUAL_OUTPUT)
            .collect();
        let fresh = members
            .first()
            .and_then(|&t| listed.get(t as usize))
            .is_some_and(|l| !*l);
        if fresh {
            for &t in &members {
                if let Some(place) = listed.get_mut(t as usize) {
                    *place = true;
                }
            }
            lists.push_row(members);
        }
    };
    for n in 0..nodes.len() {
        if !nodes.flags_of(n).has(NodeFlags::COMMUNICATION) {
            continue;
        }
        make(&mut nodes.inputs_of(n).filter_map(|input| match input {
            InputRef::Tensor(t) => Some(t),
            InputRef::Parameter(_) => None,
        }));
        make(&mut nodes.outputs.get(n).iter().copied());
    }
    lists
}

/// The lists that bind the solver: without those whose tensors all have no bytes, and without
/// the second of two that are united member by member.
pub(crate) fn processed_of(contiguous: &Lists, tensors: &Tensors, union_of: &[u32]) -> Lists {
    let group = |t: u32| union_of.get(t as usize).copied().filter(|g| *g != NONE);
    let mut seen: HashMap<Vec<u32>, ()> = HashMap::new();
    let mut out = Lists::default();
    for list in contiguous.iter() {
        if list.iter().all(|&t| tensors.aligned_at(t) == 0) {
            continue;
        }
        let groups: Option<Vec<u32>> = list.iter().map(|&t| group(t)).collect();
        if groups.is_some_and(|g| seen.insert(g, ()).is_some()) {
            continue;
        }
        out.push_row(list.iter().copied());
    }
    out
}

/// Order edges that A and B do not print: consecutive nodes of a stream, and the last node of a
/// stream before the first node of the next one in its group (streams without nodes are skipped).
pub(crate) fn stream_order(nodes: &Nodes, groups: &Lists) -> OrderEdges {
    let mut edges = OrderEdges::default();
    let mut ends: HashMap<u32, (u32, u32)> = HashMap::new();
    for n in 0..nodes.len() {
        match ends.entry(nodes.stream_of(n)) {
            std::collections::hash_map::Entry::Occupied(mut e) => {
                let (_, last) = *e.get();
                edges.before.push(last);
                edges.after.push(n);
                e.get_mut().1 = n;
            }
            std::collections::hash_map::Entry::Vacant(e) => {
                e.insert((n, n));
            }
        }
    }
    for group in groups.iter() {
        let owned: Vec<(u32, u32)> = group.iter().filter_map(|s| ends.get(s).copied()).collect();
        for pair in owned.windows(2) {
            if let [(_, last), (first, _)] = pair {
                edges.before.push(*last);
                edges.after.push(*first);
            }
        }
    }
    edges
}

/// Lifetimes of generation A: from the source node (or an earlier clean node) to the greatest
/// reader, never below the source. Gap tensors live at the last step of their neighbour; the
/// returned rows are gaps that belong to no list (they are taken as alive throughout).
pub(crate) fn lifetimes_of_a(
    tensors: &mut Tensors,
    nodes: &Nodes,
    readers: &Lists,
    contiguous: &Lists,
    last_step: u32,
) -> Vec<u32> {
    for t in 0..tensors.len() {
        let Some(source) = tensors.source_of(t) else {
            continue;
        };
        let readers = readers.get(t);
        let last = readers.last().map_or(source, |&r| r.max(source));
        let cleaned = readers
            .iter()
            .copied()
            .find(|&r| nodes.flags_of(r).has(NodeFlags::CLEAN));
        let first = cleaned.map_or(source, |c| c.min(source));
        set_life(tensors, t, nodes.step(first), nodes.step(last));
    }
    let gaps: Vec<u32> = (0..tensors.len())
        .filter(|&t| tensors.kind_at(t) == TensorKind::GAP)
        .collect();
    let mut neighbours = contiguous
        .iter()
        .flat_map(|list| [list.first().copied(), list.last().copied()]);
    let mut stray = Vec::new();
    for gap in gaps {
        match neighbours.next().flatten() {
            Some(t) => {
                let (_, last) = tensors.printed_life(t);
                set_life(tensors, gap, last, last);
            }
            None => {
                set_life(tensors, gap, 0, last_step);
                stray.push(gap);
            }
        }
    }
    stray
}

fn set_life(tensors: &mut Tensors, t: u32, first: u32, last: u32) {
    if let (Some(f), Some(l)) = (
        tensors.life_first.get_mut(t as usize),
        tensors.life_last.get_mut(t as usize),
    ) {
        (*f, *l) = (first, last);
    }
}

/// What [`is_ab_stage`] looks at.
pub(crate) struct StageEvidence<'a> {
    pub(crate) tensors: &'a Tensors,
    pub(crate) nodes: &'a Nodes,
    pub(crate) readers: &'a Lists,
    pub(crate) order: &'a OrderEdges,
    pub(crate) union_of: &'a [u32],
    pub(crate) generation_a: bool,
}

/// Whether an A or B dump was written before the solver ran: every offset is 0 although two
/// placed tensors conflict. With at most one placed tensor nothing can tell: then it is a plan.
pub(crate) fn is_ab_stage(e: &StageEvidence<'_>) -> bool {
    if e.tensors.offset.iter().any(|o| *o != 0) {
        return false;
    }
    let mut placed: Vec<(LiveRange, u32)> = Vec::new();
    for t in (0..e.tensors.len()).filter(|&t| e.tensors.aligned_at(t) > 0) {
        if e.tensors.lifelong_at(t) == Lifelong::GraphAll {
            placed.push((
                LiveRange {
                    first: 0,
                    last: u32::MAX,
                },
                t,
            ));
            continue;
        }
        let (first, last) = e.tensors.printed_life(t);
        placed.extend(LiveRange::new(first, last).map(|range| (range, t)));
    }
    sorting::sort(&mut placed);
    let group = |t: u32| e.union_of.get(t as usize).copied().filter(|g| *g != NONE);
    let mut order = None;
    let mut visits = 0;
    let mut before: Option<(LiveRange, u32)> = None;
    for &(range, t) in &placed {
        if let Some((earlier, other)) = before {
            let mates = group(t).is_some() && group(t) == group(other);
            if !mates && earlier.meets(range) {
                return true;
            }
            if !mates && visits < MOST_VISITS {
                let order = order.get_or_insert_with(|| predecessors(e.order, e.nodes.len()));
                if !handed_over(e, order, other, t, &mut visits) {
                    return true;
                }
            }
        }
        if before.is_none_or(|(earlier, _)| earlier.last <= range.last) {
            before = Some((range, t));
        }
    }
    false
}

/// How many nodes are looked at before a dump is taken for a plan: such dumps hold a handful of
/// tensors, and a made one must not cost more than its size.
const MOST_VISITS: u64 = 20_000_000;

/// The nodes each node must wait for by an order edge.
fn predecessors(order: &OrderEdges, n_nodes: u32) -> Lists {
    let mut edges: Vec<(u32, u32)> = order
        .after
        .iter()
        .copied()
        .zip(order.before.iter().copied())
        .collect();
    edges.sort_unstable();
    let mut lists = Lists::default();
    let mut rest = edges.iter().peekable();
    for n in 0..n_nodes {
        while let Some((_, before)) = rest.next_if(|(after, _)| *after == n) {
            lists.push_item(*before);
        }
        lists.end_row();
    }
    lists
}

/// Whether every reader of `a` is done before the source of `b` starts, along data and order.
fn handed_over(e: &StageEvidence<'_>, order: &Lists, a: u32, b: u32, visits: &mut u64) -> bool {
    let (Some(from), Some(to)) = (e.tensors.source_of(a), e.tensors.source_of(b)) else {
        return true;
    };
    let mut wanted: Vec<u32> = e.readers.get(a).to_vec();
    if wanted.is_empty() {
        wanted.push(from);
    }
    // Everything before `to`, backwards from it, but not further back than the first reader:
    // edges lead forward.
    let first = wanted.iter().copied().min().unwrap_or(0);
    let mut reached = HashSet::new();
    let mut open = vec![to];
    while let Some(n) = open.pop() {
        let mut visit = |p: u32| {
            if first <= p && reached.insert(p) {
                open.push(p);
            }
        };
        *visits += 1;
        if e.nodes.flags_of(n).reads_inputs(e.generation_a) {
            for input in e.nodes.inputs_of(n) {
                if let InputRef::Tensor(t) = input {
                    e.tensors.source_of(t).into_iter().for_each(&mut visit);
                }
            }
        }
        order.get(n).iter().copied().for_each(visit);
    }
    wanted.iter().all(|r| reached.contains(r))
}
