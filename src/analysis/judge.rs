//! May two tensors share bytes? The definition of `hazard`, asked of one pair at a time.

use super::{Hazard, HazardKind, Order};
use crate::model::{Generation, Lifelong, NodeFlags, Plan, TensorKind};

/// What pairs of one plan are judged by; made once and good for any number of questions.
#[derive(Debug)]
pub struct Rules {
    order: Order,
    /// For the Gap tensors of generation A: the tensor they guard.
    guards: Vec<(u32, u32)>,
    /// Repetitions of a node that list a tensor as their own: they use it too.
    /// Tensor and node, ascending.
    repeated: Vec<(u32, u32)>,
}

/// Judges pairs.
pub(super) struct Judge<'a> {
    pub(super) plan: &'a Plan,
    pub(super) rules: &'a mut Rules,
}

/// What two tensors on the same bytes are to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The later one may take the bytes over.
    TakenOver,
    /// They may share, but the later one does not stand for the earlier: members of a union.
    Mates,
    /// They must not share.
    Conflict,
}

impl Rules {
    /// The rules of a plan.
    pub fn of(plan: &Plan) -> Self {
        let mut guards = Vec::new();
        if plan.generation == Generation::A {
            let gaps =
                (0..plan.n_tensors()).filter(|&t| plan.tensors.kind_at(t) == TensorKind::GAP);
            let neighbours = plan
                .contiguous
                .iter()
                .flat_map(|l| [l.first().copied(), l.last().copied()]);
            guards.extend(gaps.zip(neighbours).filter_map(|(gap, t)| Some((gap, t?))));
        }
        let mut repeated = Vec::new();
        for n in 0..plan.n_nodes() {
            if plan.nodes.flags_of(n).has(NodeFlags::REPEATED) {
                let own = plan
                    .nodes
                    .outputs
                    .get(n)
                    .iter()
                    .chain(plan.nodes.workspaces.get(n));
                repeated.extend(own.map(|&t| (t, n)));
            }
        }
        repeated.sort_unstable();
        Self {
            order: Order::of(plan),
            guards,
            repeated,
        }
    }

    /// Repetitions of a node that list tensor `t` as their own, ascending.
    pub fn repetitions(&self, t: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.repeated.partition_point(|(of, _)| *of < t);
        let rest = self.repeated.get(from..).unwrap_or(&[]);
        rest.iter()
            .take_while(move |(of, _)| *of == t)
            .map(|(_, n)| *n)
    }

    /// The order of the plan's nodes.
    pub fn order(&mut self) -> &mut Order {
        &mut self.order
    }
}

impl Judge<'_> {
    /// The tensor whose source and consumers count for `t`.
    pub(super) fn stand_in(&self, t: u32) -> u32 {
        let guards = &self.rules.guards;
        let place = guards.binary_search_by_key(&t, |(gap, _)| *gap);
        let guarded = place.ok().and_then(|at| guards.get(at));
        guarded.map_or(t, |(_, of)| *of)
    }

    pub(super) fn source(&self, t: u32) -> u32 {
        self.plan.tensors.source_of(self.stand_in(t)).unwrap_or(0)
    }

    /// The nodes that use `t` after its source wrote it; the source where there is none.
    pub(super) fn consumers(&self, t: u32) -> Vec<u32> {
        let t = self.stand_in(t);
        let source = self.plan.tensors.source_of(t);
        let mut nodes: Vec<u32> = self.plan.readers().get(t).to_vec();
        if self.plan.generation == Generation::A {
            // A clean node before the source writes; it waits for nobody.
            nodes.retain(|&n| source.is_none_or(|s| s <= n));
        }
        if !self.rules.repeated.is_empty() {
            nodes.extend(self.rules.repetitions(t));
            nodes.sort_unstable();
        }
        if nodes.is_empty() {
            nodes.extend(source);
        }
        nodes
    }

    /// Whether the widened live ranges meet.
    pub(super) fn meet(&self, a: u32, b: u32) -> bool {
        match (self.plan.live_range(a), self.plan.live_range(b)) {
            (Some(a), Some(b)) => a.meets(b),
            _ => false,
        }
    }

    /// Whether lifelong kinds forbid that `a` and `b` share, whatever the order.
    pub(super) fn lifelong_forbids(&self, a: u32, b: u32) -> bool {
        let (a, b) = (self.stand_in(a), self.stand_in(b));
        let (a, b) = (a.min(b), a.max(b));
        let kinds = (
            self.plan.tensors.lifelong_at(a),
            self.plan.tensors.lifelong_at(b),
        );
        let semi = |l: Lifelong| matches!(l, Lifelong::GraphStart | Lifelong::GraphEnd);
        match kinds {
            (Lifelong::GraphAll, _) | (_, Lifelong::GraphAll) => true,
            (x, y) if !self.plan.ordered => semi(x) || semi(y),
            // Ids grow with the source: nothing larger behind a GraphEnd, nothing smaller before
            // a GraphStart.
            (x, y) => x == Lifelong::GraphEnd || y == Lifelong::GraphStart,
        }
    }

    /// Whether every consumer of `p` is done before the source of `q` starts.
    fn handed_over(&mut self, p: u32, q: u32) -> bool {
        let source = self.source(q);
        if self.source(p) >= source {
            return false;
        }
        let t = self.stand_in(p);
        if self.plan.generation != Generation::A && self.rules.repeated.is_empty() {
            // The common case without a copy of the list.
            let readers = self.plan.readers().get(t);
            return if readers.is_empty() {
                let own = self.source(p);
                self.rules.order.precedes(own, source)
            } else {
                readers
                    .iter()
                    .all(|&n| self.rules.order.precedes(n, source))
            };
        }
        self.consumers(p)
            .iter()
            .all(|&n| self.rules.order.precedes(n, source))
    }

    /// `p` arrived before `q` at bytes they have in common.
    pub(super) fn relation(&mut self, p: u32, q: u32) -> Relation {
        let same_guard = self.stand_in(p) == self.stand_in(q);
        let free = !same_guard && !self.lifelong_forbids(p, q) && !self.meet(p, q);
        if free && self.handed_over(p, q) {
            let ranges = (self.plan.live_range(p), self.plan.live_range(q));
            let in_turn = matches!(ranges, (Some(p), Some(q)) if p.last < q.first);
            return if in_turn {
                Relation::TakenOver
            } else {
                Relation::Mates
            };
        }
        let group = self.plan.union_group(p);
        if group.is_some() && group == self.plan.union_group(q) {
            Relation::Mates
        } else {
            Relation::Conflict
        }
    }

    /// Whether order is transitive through `t`: its source is done before one of its consumers,
    /// and its printed life begins there.
    pub(super) fn is_anchored(&mut self, t: u32) -> bool {
        let source = self.source(t);
        let begins = match self.plan.tensors.lifelong_at(t) {
            Lifelong::None | Lifelong::GraphEnd => {
                self.plan.tensors.printed_life(t).0 == self.plan.nodes.step(source)
            }
            Lifelong::GraphAll | Lifelong::GraphStart => true,
        };
        if !begins {
            return false;
        }
        if self.plan.readers().get(self.stand_in(t)).is_empty() && self.rules.repeated.is_empty() {
            return true;
        }
        self.consumers(t)
            .iter()
            .any(|&n| n == source || self.rules.order.precedes(source, n))
    }

    pub(super) fn describe(&mut self, a: u32, b: u32) -> Hazard {
        let (x, y) = (self.plan.bytes_of(a), self.plan.bytes_of(b));
        let bytes = x.end.min(y.end).saturating_sub(x.start.max(y.start));
        let earlier_first = (self.source(a), a) <= (self.source(b), b);
        let (p, q) = if earlier_first { (a, b) } else { (b, a) };
        let (from, to) = (self.source(p), self.source(q));
        let consumers = self.consumers(p);
        let (kind, node) = if from == to || !self.rules.order.precedes(from, to) {
            (HazardKind::WriteAfterWrite, from)
        } else if let Some(&n) = consumers
            .iter()
            .find(|&&n| self.rules.order.precedes(to, n))
        {
            (HazardKind::ReadAfterWrite, n)
        } else {
            let loose = consumers
                .iter()
                .find(|&&n| !self.rules.order.precedes(n, to));
            (HazardKind::WriteAfterRead, loose.copied().unwrap_or(from))
        };
        Hazard {
            a,
            b,
            bytes,
            kind,
            by_order: self.meet(a, b),
            nodes: (node, to),
        }
    }
}
