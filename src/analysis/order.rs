//! Which node is known to be done before which: the transitive closure of data and order edges.
//!
//! *Edges.* From the source of every tensor a node reads to that node (a clean node reads
//! nothing, a repeated node takes no data edges), and the order edges of the plan (control
//! tensors in C, streams and groups in A and B). Edges lead forward in node number; one that does
//! not orders nothing and is counted ([`Order::backward_edges`]).
//!
//! *Method.* Two, because plans come in two shapes. Where the nodes fall into few chains
//! (streams), each node keeps a clock: how far along every chain everything is done before it.
//! A question is one comparison. On CPU plans every node is a stream of its own and clocks would
//! need n² memory; there a question is answered by a search backwards, cut short by two spanning
//! trees (most answers in a real plan are found in a tree) and by levels.
//!
//! The naive definition the tests compare with is one set of ancestors a node.

use crate::model::{InputRef, Lists, NodeFlags, Plan, NONE};

/// Most bytes of clocks a tensor may cost; beyond that questions are answered by searching.
const CLOCK_BYTES_A_TENSOR: usize = 48;

/// The order of a plan's nodes.
#[derive(Debug)]
pub struct Order {
    /// Direct predecessors of each node.
    predecessors: Lists,
    method: Method,
    backward_edges: u32,
    /// Scratch of the search: the question in which a node was seen last.
    seen: Vec<u32>,
    question: u32,
    open: Vec<u32>,
}

#[derive(Debug)]
enum Method {
    Clocks(Clocks),
    Search(Trees),
}

impl Order {
    /// The order of a plan, by the method that fits it.
    pub fn of(plan: &Plan) -> Self {
        Self::with_clocks_up_to(
            plan,
            plan.n_tensors() as usize * CLOCK_BYTES_A_TENSOR + (1 << 20),
        )
    }

    /// The order of a plan: by clocks if they take at most `affordable` bytes, else by searching.
    /// The answers are the same.
    pub fn with_clocks_up_to(plan: &Plan, affordable: usize) -> Self {
        let (predecessors, backward_edges) = edges(plan);
        let chains = Chains::of(plan, &predecessors);
        let clock_bytes = plan.n_nodes() as usize * chains.count as usize * 4;
        let (method, seen) = if clock_bytes <= affordable {
            (
                Method::Clocks(Clocks::of(chains, &predecessors)),
                Vec::new(),
            )
        } else {
            (
                Method::Search(Trees::of(&predecessors)),
                vec![NONE; plan.n_nodes() as usize],
            )
        };
        Self {
            predecessors,
            method,
            backward_edges,
            seen,
            question: 0,
            open: Vec::new(),
        }
    }

    /// Number of edges that lead backwards or from a node to itself, and so order nothing.
    pub fn backward_edges(&self) -> u32 {
        self.backward_edges
    }

    /// Number of edges that order two nodes, with repetitions.
    pub fn edges(&self) -> u64 {
        self.predecessors.items().len() as u64
    }

    /// Direct predecessors of node `n` (by data or order), with repetitions.
    pub fn predecessors(&self, n: u32) -> &[u32] {
        self.predecessors.get(n)
    }

    /// Whether node `a` is known to be done before node `b` starts.
    pub fn precedes(&mut self, a: u32, b: u32) -> bool {
        if a >= b {
            return false;
        }
        match &self.method {
            Method::Clocks(clocks) => clocks.precedes(a, b),
            Method::Search(trees) => {
                if let Some(answer) = trees.quick(a, b) {
                    return answer;
                }
                self.question = self.question.wrapping_add(1);
                if self.question == NONE {
                    self.seen.fill(NONE);
                    self.question = 0;
                }
                let search = Search {
                    predecessors: &self.predecessors,
                    trees,
                    seen: &mut self.seen,
                    question: self.question,
                    open: &mut self.open,
                };
                search.run(a, b)
            }
        }
    }
}

/// Direct predecessors of each node, and how many edges lead nowhere.
pub(super) fn edges(plan: &Plan) -> (Lists, u32) {
    let n_nodes = plan.n_nodes();
    let mut starts = vec![0u32; n_nodes as usize + 1];
    let mut backward = 0;
    let data = |visit: &mut dyn FnMut(u32, u32)| data_edges(plan, visit);
    let order = |visit: &mut dyn FnMut(u32, u32)| {
        for (&before, &after) in plan.order.before.iter().zip(&plan.order.after) {
            visit(before, after);
        }
    };
    // A clean node of generation A names tensors whose source comes later: no order there.
    data(&mut |before, after| {
        if before < after {
            count(&mut starts, after);
        }
    });
    order(&mut |before, after| {
        if before < after {
            count(&mut starts, after);
        } else {
            backward += 1;
        }
    });
    let mut sum = 0u32;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    let mut next = starts.clone();
    let mut items = vec![0u32; sum as usize];
    let mut put = |before: u32, after: u32| {
        if before >= after {
            return;
        }
        if let Some(at) = next.get_mut(after as usize) {
            if let Some(place) = items.get_mut(*at as usize) {
                *place = before;
            }
            *at += 1;
        }
    };
    data(&mut put);
    order(&mut put);
    (Lists::from_parts(starts, items), backward)
}

/// Every edge that data makes: from the source of what a node reads to the node. A clean node
/// reads nothing, except in generation A; a repeated node takes no data edges.
pub(super) fn data_edges(plan: &Plan, visit: &mut dyn FnMut(u32, u32)) {
    let generation_a = plan.generation == crate::model::Generation::A;
    for n in 0..plan.n_nodes() {
        let flags = plan.nodes.flags_of(n);
        let reads = generation_a || !flags.has(NodeFlags::CLEAN);
        if !reads || flags.has(NodeFlags::REPEATED) {
            continue;
        }
        for input in plan.nodes.inputs_of(n) {
            let InputRef::Tensor(t) = input else { continue };
            if let Some(source) = plan.tensors.source_of(t).filter(|s| *s != n) {
                visit(source, n);
            }
        }
    }
}

fn count(starts: &mut [u32], after: u32) {
    if let Some(count) = starts.get_mut(after as usize + 1) {
        *count += 1;
    }
}

/// Nodes cut into chains: each node of a chain is a direct predecessor of the next.
struct Chains {
    count: u32,
    chain: Vec<u32>,
    /// Place in the chain, from 1.
    place: Vec<u32>,
}

impl Chains {
    /// Greedy: a node goes on where one of its predecessors is the end of a chain, if possible
    /// one of its own stream.
    fn of(plan: &Plan, predecessors: &Lists) -> Self {
        let n_nodes = plan.n_nodes() as usize;
        let (mut chain, mut place) = (vec![0u32; n_nodes], vec![0u32; n_nodes]);
        let mut ends: Vec<u32> = Vec::new();
        for n in 0..plan.n_nodes() {
            let is_end = |p: u32| {
                let own = chain.get(p as usize).copied().unwrap_or(NONE);
                ends.get(own as usize) == Some(&p)
            };
            let open = |p: &&u32| is_end(**p);
            let stream = plan.nodes.stream_of(n);
            let same = |p: &&u32| plan.nodes.stream_of(**p) == stream;
            let list = predecessors.get(n);
            let before = list
                .iter()
                .filter(open)
                .find(same)
                .or_else(|| list.iter().find(open));
            let (own, at) = match before {
                Some(&p) => {
                    let own = chain.get(p as usize).copied().unwrap_or(0);
                    (own, place.get(p as usize).copied().unwrap_or(0) + 1)
                }
                None => {
                    ends.push(NONE);
                    (ends.len() as u32 - 1, 1)
                }
            };
            if let Some(end) = ends.get_mut(own as usize) {
                *end = n;
            }
            if let (Some(c), Some(p)) = (chain.get_mut(n as usize), place.get_mut(n as usize)) {
                (*c, *p) = (own, at);
            }
        }
        Self {
            count: ends.len() as u32,
            chain,
            place,
        }
    }
}

/// For each node, how far along each chain everything is done before it.
#[derive(Debug)]
struct Clocks {
    width: usize,
    chain: Vec<u32>,
    place: Vec<u32>,
    clocks: Vec<u32>,
}

impl Clocks {
    fn of(chains: Chains, predecessors: &Lists) -> Self {
        let width = chains.count as usize;
        let n_nodes = chains.chain.len();
        let mut clocks = vec![0u32; n_nodes * width];
        for n in 0..n_nodes {
            // Predecessors have smaller numbers: their clocks are finished.
            let (done, rest) = clocks.split_at_mut(n * width);
            let Some(own) = rest.get_mut(..width) else {
                continue;
            };
            for &p in predecessors.get(n as u32) {
                let at = p as usize * width;
                if let Some(theirs) = done.get(at..at + width) {
                    for (mine, theirs) in own.iter_mut().zip(theirs) {
                        *mine = (*mine).max(*theirs);
                    }
                }
                let chain = chains.chain.get(p as usize).copied().unwrap_or(0) as usize;
                let place = chains.place.get(p as usize).copied().unwrap_or(0);
                if let Some(mine) = own.get_mut(chain) {
                    *mine = (*mine).max(place);
                }
            }
        }
        Self {
            width,
            chain: chains.chain,
            place: chains.place,
            clocks,
        }
    }

    fn precedes(&self, a: u32, b: u32) -> bool {
        let chain = self.chain.get(a as usize).copied().unwrap_or(0) as usize;
        let place = self.place.get(a as usize).copied().unwrap_or(NONE);
        let done = self.clocks.get(b as usize * self.width + chain);
        done.is_some_and(|done| *done >= place)
    }
}

/// Two spanning trees and the levels of the nodes.
#[derive(Debug)]
struct Trees {
    /// Parent = the latest predecessor.
    forward: Tree,
    /// Parent = the earliest successor.
    backward: Tree,
    /// Length of the longest path that ends at the node.
    level: Vec<u32>,
}

impl Trees {
    fn of(predecessors: &Lists) -> Self {
        let n_nodes = predecessors.len() as usize;
        let mut level = vec![0u32; n_nodes];
        let mut latest = vec![NONE; n_nodes];
        let mut earliest = vec![NONE; n_nodes];
        for n in 0..n_nodes as u32 {
            let (mut own, mut parent) = (0, NONE);
            for &p in predecessors.get(n) {
                own = own.max(level.get(p as usize).copied().unwrap_or(0) + 1);
                parent = if parent == NONE { p } else { parent.max(p) };
                if let Some(successor) = earliest.get_mut(p as usize).filter(|s| **s == NONE) {
                    *successor = n;
                }
            }
            if let (Some(l), Some(p)) = (level.get_mut(n as usize), latest.get_mut(n as usize)) {
                (*l, *p) = (own, parent);
            }
        }
        Self {
            forward: Tree::of(&latest, 0..n_nodes as u32),
            backward: Tree::of(&earliest, (0..n_nodes as u32).rev()),
            level,
        }
    }

    /// The answer where trees or levels know it.
    #[inline]
    fn quick(&self, a: u32, b: u32) -> Option<bool> {
        if self.level.get(a as usize) >= self.level.get(b as usize) {
            return Some(false);
        }
        (self.forward.has(a, b) || self.backward.has(b, a)).then_some(true)
    }
}

/// A forest with its nodes numbered in preorder: the descendants of a node are one range.
#[derive(Debug)]
struct Tree {
    number: Vec<u32>,
    size: Vec<u32>,
}

impl Tree {
    /// `parents_first` visits every parent before its children.
    fn of(parent: &[u32], parents_first: impl DoubleEndedIterator<Item = u32> + Clone) -> Self {
        let n = parent.len();
        let up = |n: u32| parent.get(n as usize).copied().filter(|p| *p != NONE);
        let mut size = vec![1u32; n];
        for n in parents_first.clone().rev() {
            let own = size.get(n as usize).copied().unwrap_or(0);
            if let Some(total) = up(n).and_then(|p| size.get_mut(p as usize)) {
                *total += own;
            }
        }
        let mut number = vec![0u32; n];
        let mut next = vec![0u32; n];
        let mut root = 0u32;
        for n in parents_first {
            let own = size.get(n as usize).copied().unwrap_or(0);
            let cursor = match up(n) {
                Some(p) => next.get_mut(p as usize),
                None => Some(&mut root),
            };
            let Some(cursor) = cursor else { continue };
            let at = *cursor;
            *cursor += own;
            if let (Some(mine), Some(first)) =
                (number.get_mut(n as usize), next.get_mut(n as usize))
            {
                (*mine, *first) = (at, at + 1);
            }
        }
        Self { number, size }
    }

    /// Whether `below` is a descendant of `above`.
    #[inline]
    fn has(&self, above: u32, below: u32) -> bool {
        let (Some(&a), Some(&b), Some(&size)) = (
            self.number.get(above as usize),
            self.number.get(below as usize),
            self.size.get(above as usize),
        ) else {
            return false;
        };
        a <= b && b - a < size
    }
}

/// One search backwards from a node.
struct Search<'a> {
    predecessors: &'a Lists,
    trees: &'a Trees,
    seen: &'a mut [u32],
    question: u32,
    open: &'a mut Vec<u32>,
}

impl Search<'_> {
    fn run(self, a: u32, b: u32) -> bool {
        let level = self.trees.level.get(a as usize).copied().unwrap_or(0);
        self.open.clear();
        self.open.push(b);
        while let Some(n) = self.open.pop() {
            for &p in self.predecessors.get(n) {
                if p == a || self.trees.forward.has(a, p) || self.trees.backward.has(p, a) {
                    return true;
                }
                let too_early =
                    p < a || self.trees.level.get(p as usize).copied().unwrap_or(0) <= level;
                let Some(seen) = self.seen.get_mut(p as usize) else {
                    continue;
                };
                if !too_early && *seen != self.question {
                    *seen = self.question;
                    self.open.push(p);
                }
            }
        }
        false
    }
}
