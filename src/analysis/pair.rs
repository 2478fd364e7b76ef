//! Why may two tensors share bytes, or why not: one pair on demand, with the path that orders it or
//! the order that is missing.
//!
//! A path is one of the shortest along the edges of [`Order`]; every reader of the earlier tensor
//! needs one to the source of the later. O(nodes + edges).

use super::judge::{Judge, Relation};
use super::{Hazard, HazardKind, Rules};
use crate::model::{Generation, InputRef, NodeFlags, Plan, PlanKind, TensorKind, NONE};
use crate::units::ByteRange;

/// Most paths that are given for a pair.
pub const MOST_PATHS: usize = 8;

/// What makes a pair fine, or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// They must not share bytes and do.
    Hazard(Hazard),
    /// Members of one union: one piece of memory by design.
    Union,
    /// The tensor of that index has no bytes.
    ZeroSize(u32),
    /// The tensor of that index is a graph output, or written into a parameter: its bytes lie
    /// elsewhere.
    Elsewhere(u32),
    /// They only seem to share: the first member of a contiguous list is shown 512 bytes too high.
    Gap,
    /// They have no byte in common.
    Apart,
    /// Their lives are apart, and every reader of the earlier one is done before the later one is
    /// written.
    Ordered,
}

/// What orders a node before its successor on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// It reads the tensor of that index, which the one before made.
    Data(u32),
    /// It comes next on the same stream.
    Stream,
    /// A control tensor, a stream group or an event.
    Order,
}

/// Nodes that must run one after another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Node indices, ascending; both ends included.
    pub nodes: Vec<u32>,
    /// What orders each node before the next: one less than there are nodes.
    pub edges: Vec<Edge>,
}

/// Everything about two tensors on the same bytes. Indices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The tensor whose source comes first; of two with one source the smaller index.
    pub first: u32,
    /// The other.
    pub second: u32,
    /// The bytes in common (true offsets); empty without any.
    pub shared: ByteRange,
    /// What makes it fine, or not.
    pub ground: Ground,
    /// Whether their widened live ranges meet.
    pub meet: bool,
    /// Whether a lifelong kind forbids that they share.
    pub lifelong: bool,
    /// The nodes that use each of them after it was written: its readers; without any, its source.
    pub users: [Vec<u32>; 2],
    /// The users of the first that nothing orders before the source of the second.
    pub missing: Vec<u32>,
    /// For the other users a path each to the source of the second, the shortest first; at most
    /// [`MOST_PATHS`].
    pub paths: Vec<Path>,
    /// Of a hazard that reads what was written over: the path from the source of the second to
    /// the node that reads.
    pub against: Option<Path>,
    /// A node that only zeroes one of them, which is no use of it.
    pub cleaned: Option<u32>,
    /// A repetition of the source of one of them, which uses it too.
    pub repeated: Option<u32>,
}

impl Pair {
    /// Judges tensors `a` and `b`; `None` for a tensor with itself, one that is not there, or in
    /// an early stage.
    pub fn of(plan: &Plan, rules: &mut Rules, a: u32, b: u32) -> Option<Self> {
        let n = plan.n_tensors();
        if a == b || a >= n || b >= n || plan.kind == PlanKind::Stage {
            return None;
        }
        let mut judge = Judge { plan, rules };
        let in_order = (judge.source(a), a) < (judge.source(b), b);
        let (first, second) = if in_order { (a, b) } else { (b, a) };
        let (x, y) = (plan.bytes_of(a), plan.bytes_of(b));
        let shared = ByteRange {
            start: x.start.max(y.start),
            end: x.end.min(y.end).max(x.start.max(y.start)),
        };
        let users = [judge.consumers(first), judge.consumers(second)];
        let (from, to) = (judge.source(first), judge.source(second));
        let (known, missing): (Vec<u32>, Vec<u32>) = users[0]
            .iter()
            .partition(|&&node| judge.rules.order().precedes(node, to));
        let ground = ground(&mut judge, first, second, shared);
        let against = match ground {
            Ground::Hazard(h) if h.kind == HazardKind::ReadAfterWrite => Some((to, h.nodes.0)),
            _ => None,
        };
        let listed = |node: u32| {
            let mut inputs = plan.nodes.inputs_of(node);
            inputs.any(|i| i == InputRef::Tensor(first) || i == InputRef::Tensor(second))
        };
        let cleaned = (0..plan.n_nodes())
            .filter(|_| plan.generation != Generation::A)
            .find(|&n| plan.nodes.flags_of(n).has(NodeFlags::CLEAN) && listed(n));
        let repeated = [first, second]
            .iter()
            .find_map(|&t| judge.rules.repetitions(t).next());
        Some(Self {
            first,
            second,
            shared,
            ground,
            meet: judge.meet(first, second),
            lifelong: judge.lifelong_forbids(first, second),
            paths: if from == to {
                Vec::new()
            } else {
                paths(plan, judge.rules, &known, to)
            },
            against: against.and_then(|(from, to)| paths(plan, judge.rules, &[from], to).pop()),
            users,
            missing,
            cleaned,
            repeated,
        })
    }
}

fn ground(judge: &mut Judge<'_>, first: u32, second: u32, shared: ByteRange) -> Ground {
    let plan = judge.plan;
    for t in [first, second] {
        if plan.tensors.aligned_at(t) == 0 {
            let kind = plan.tensors.kind_at(t);
            let elsewhere = kind == TensorKind::GRAPH_OUTPUT || kind == TensorKind::GRAPH_INPUT;
            return if elsewhere {
                Ground::Elsewhere(t)
            } else {
                Ground::ZeroSize(t)
            };
        }
    }
    if shared.is_empty() {
        let shown =
            |t: u32| ByteRange::at(plan.tensors.shown_offset(t), plan.tensors.aligned_at(t));
        return if shown(first).overlaps(shown(second)) {
            Ground::Gap
        } else {
            Ground::Apart
        };
    }
    match judge.relation(first, second) {
        Relation::Conflict => {
            let hazard = judge.describe(first.min(second), first.max(second));
            Ground::Hazard(hazard)
        }
        relation => {
            let group = plan.union_group(first);
            let mates = group.is_some() && group == plan.union_group(second);
            if relation == Relation::Mates && mates {
                Ground::Union
            } else {
                Ground::Ordered
            }
        }
    }
}

/// The shortest path from each of some nodes to `to`, shortest first, then by its first node.
fn paths(plan: &Plan, rules: &mut Rules, from: &[u32], to: u32) -> Vec<Path> {
    let Some(&earliest) = from.iter().min() else {
        return Vec::new();
    };
    // Backwards from `to`: the node behind each that was reached. Nodes have larger numbers than
    // those before them.
    let wide = to.saturating_sub(earliest) as usize + 1;
    let mut behind = vec![NONE; wide];
    let place = |n: u32| n.checked_sub(earliest).map(|p| p as usize);
    let mut reached = vec![to];
    let mut lacks = from.iter().filter(|&&n| n != to).count();
    let mut at = 0;
    while let (true, Some(&n)) = (lacks > 0, reached.get(at)) {
        at += 1;
        for &p in rules.order().predecessors(n) {
            let slot = place(p).and_then(|p| behind.get_mut(p));
            let Some(slot) = slot.filter(|slot| **slot == NONE) else {
                continue;
            };
            *slot = n;
            reached.push(p);
            lacks -= usize::from(from.contains(&p));
        }
    }
    let mut out = Vec::new();
    // Nodes nearer to the end were reached first.
    let mut starts: Vec<(u64, u32)> = Vec::new();
    for &start in from {
        let (mut n, mut length) = (start, 0);
        while n != to {
            let next = place(n).and_then(|p| behind.get(p)).copied();
            let Some(next) = next.filter(|n| *n != NONE) else {
                break;
            };
            (n, length) = (next, length + 1);
        }
        if n == to && start != to {
            starts.push((length, start));
        }
    }
    starts.sort_unstable();
    for (_, start) in starts.into_iter().take(MOST_PATHS) {
        let mut path = Path {
            nodes: vec![start],
            edges: Vec::new(),
        };
        let mut n = start;
        while n != to {
            let Some(next) = place(n).and_then(|p| behind.get(p)).copied() else {
                break;
            };
            path.edges.push(edge(plan, n, next));
            path.nodes.push(next);
            n = next;
        }
        out.push(path);
    }
    out
}

/// What orders node `a` directly before node `b`.
fn edge(plan: &Plan, a: u32, b: u32) -> Edge {
    let made = |input| match input {
        InputRef::Tensor(t) if plan.tensors.source_of(t) == Some(a) => Some(t),
        _ => None,
    };
    let flags = plan.nodes.flags_of(b);
    let reads = plan.generation == Generation::A || !flags.has(NodeFlags::CLEAN);
    if reads && !flags.has(NodeFlags::REPEATED) {
        if let Some(t) = plan.nodes.inputs_of(b).find_map(made) {
            return Edge::Data(t);
        }
    }
    if plan.nodes.stream_of(a) == plan.nodes.stream_of(b) {
        Edge::Stream
    } else {
        Edge::Order
    }
}
