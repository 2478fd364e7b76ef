//! The planner's conflict matrix, computed again from a plan and compared with the one it wrote.
//!
//! *Definition.* `a` may share with `b` when both have bytes at the time of the decision, neither
//! lives through the whole graph, and every consumer of one is done before the source of the other
//! starts ([`super::Order`] has the edges). Semi-lifelong kinds forbid more, and a union's head may
//! share only with what every member may share with.
//!
//! *Method.* Rows come in order and are taken in batches. For a batch one pass over the nodes
//! tells, for every node, which consumers of the batch are done before it, and a second one which
//! sources of the batch come after it: bits for the batch only, so that the memory stays below a
//! bound whatever the size of the graph. A cell is then a few bits.

use super::order;
use crate::model::{Generation, Lifelong, Lists, NodeFlags, Plan};

/// Differences that are listed.
pub const MOST_LISTED: usize = 1000;

/// Bytes that the bits of a batch may take, about.
const BATCH_BYTES: usize = 64 << 20;

/// How a release reads semi-lifelong kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// 1.5 to 1.7: nothing comes after a GraphEnd, nothing before a GraphStart.
    Directional,
    /// From 1.8: a GraphEnd conflicts with larger ids, a GraphStart with smaller ones.
    ById,
    /// Up to 1.4.
    Ignored,
}

impl Reading {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Directional => "directional",
            Self::ById => "by_id",
            Self::Ignored => "ignored",
        }
    }
}

/// A cell that is not as computed: indices of row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The tensor whose row it is.
    pub row: u32,
    /// The other tensor.
    pub column: u32,
    /// What the file says: they may share.
    pub may_share: bool,
}

/// What the comparison gave.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatrixCheck {
    /// Rows of the file.
    pub rows: u64,
    /// Cells that could be computed and were compared.
    pub cells_compared: u64,
    /// How many of them differ.
    pub differences: u64,
    /// Cells that only the sizes before the solver ran could decide.
    pub not_decidable: u64,
    /// The first [`MOST_LISTED`] differences, by row, then column.
    pub list: Vec<Difference>,
    /// The reading of semi-lifelong kinds that fits best, where it makes a difference.
    pub reading: Option<Reading>,
}

/// Compares the rows of one file.
#[derive(Debug)]
pub struct Matrix {
    /// Has bytes at the time of the decision.
    sized: Vec<bool>,
    /// Whether these are the sizes of the decision itself.
    sizes_known: bool,
    /// Members that count for a union's head, by tensor; of all others none.
    members: Vec<Vec<u32>>,
    /// The nodes that count as consumers, by tensor.
    consumers: Vec<Vec<u32>>,
    predecessors: Lists,
    batch: Batch,
    batch_bytes: usize,
    tallies: Vec<(Reading, MatrixCheck)>,
}

/// Numbers given to some nodes, in the order they come.
#[derive(Debug, Default)]
struct Numbers {
    /// By node, one more than its number; 0 has none.
    of: Vec<u32>,
    len: usize,
}

impl Numbers {
    fn new(nodes: u32) -> Self {
        Self {
            of: vec![0; nodes as usize],
            len: 0,
        }
    }

    fn give(&mut self, node: u32) {
        if let Some(number) = self.of.get_mut(node as usize).filter(|n| **n == 0) {
            self.len += 1;
            *number = self.len as u32;
        }
    }

    fn get(&self, node: u32) -> Option<usize> {
        let number = self.of.get(node as usize).copied().unwrap_or(0);
        number.checked_sub(1).map(|n| n as usize)
    }
}

/// Bits about some rows; `from .. to` are the rows it is for.
#[derive(Debug, Default)]
struct Batch {
    from: u32,
    to: u32,
    /// Nodes that consume a tensor of the batch, and their bits in `before`.
    consumer_bit: Numbers,
    /// For each node, the consumers that are done before it.
    before: Bits,
    /// Sources of the batch, and their bits in `done`.
    source_bit: Numbers,
    /// For each tensor, the sources that come after all its consumers.
    done: Bits,
}

#[derive(Debug, Default)]
struct Bits {
    width: usize,
    words: Vec<u64>,
}

impl Bits {
    fn new(rows: usize, bits: usize) -> Self {
        let width = bits.div_ceil(64);
        Self {
            width,
            words: vec![0; rows * width],
        }
    }

    fn row(&self, row: u32) -> &[u64] {
        let at = row as usize * self.width;
        self.words.get(at..at + self.width).unwrap_or(&[])
    }

    fn has(&self, row: u32, bit: usize) -> bool {
        self.row(row)
            .get(bit / 64)
            .is_some_and(|w| w >> (bit % 64) & 1 == 1)
    }

    fn set(&mut self, row: u32, bit: usize) {
        let at = row as usize * self.width + bit / 64;
        if let Some(word) = self.words.get_mut(at) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Adds the bits of row `from` to row `to`.
    fn join(&mut self, from: u32, to: u32) {
        let (from, to) = (from as usize * self.width, to as usize * self.width);
        for i in 0..self.width {
            let more = self.words.get(from + i).copied().unwrap_or(0);
            if let Some(word) = self.words.get_mut(to + i) {
                *word |= more;
            }
        }
    }
}

impl Matrix {
    /// Of a final plan; `before` is the dump of the same graph from before the solver ran, which
    /// has the sizes of the decision. `None` where the planner wrote no matrix (1.1), or where
    /// `before` is of another graph.
    pub fn new(plan: &Plan, before: Option<&Plan>) -> Option<Self> {
        Self::with_batches_of(plan, before, BATCH_BYTES)
    }

    /// As [`Matrix::new`], with the bytes that the bits of a batch may take, about. The outcome is
    /// the same.
    pub fn with_batches_of(plan: &Plan, before: Option<&Plan>, batch_bytes: usize) -> Option<Self> {
        if plan.generation == Generation::A || before.is_some_and(|b| !same_graph(plan, b)) {
            return None;
        }
        let n = plan.n_tensors();
        let is_sized = |t: u32| match before {
            Some(before) => before.tensors.aligned_at(t) > 0,
            None => plan.tensors.aligned_at(t) > 0 || follows(plan, t),
        };
        let sized = (0..n).map(is_sized).collect();
        let semi = plan
            .tensors
            .lifelong
            .iter()
            .any(|l| matches!(l, Lifelong::GraphStart | Lifelong::GraphEnd));
        let readings: &[Reading] = match (plan.generation.is_c(), semi) {
            (false, true) => &[Reading::Directional, Reading::ById, Reading::Ignored],
            _ => &[Reading::ById],
        };
        Some(Self {
            sized,
            sizes_known: before.is_some(),
            members: members(plan),
            consumers: consumers(plan),
            predecessors: order::edges(plan).0,
            batch: Batch::default(),
            batch_bytes,
            tallies: readings
                .iter()
                .map(|r| (*r, MatrixCheck::default()))
                .collect(),
        })
    }

    /// Compares a row of the same plan: tensor `j` in bit `j % 64` of word `j / 64`. Rows should ascend.
    pub fn row(&mut self, plan: &Plan, row: u32, bits: &[u64]) {
        if !(self.batch.from..self.batch.to).contains(&row) {
            self.batch = self.batch_from(plan, row);
        }
        let mut tallies = std::mem::take(&mut self.tallies);
        for (_, tally) in &mut tallies {
            tally.rows += 1;
        }
        let has_bytes = |t: u32| self.sizes_known || plan.tensors.aligned_at(t) > 0;
        let row_decidable = has_bytes(row);
        for column in 0..plan.n_tensors() {
            let file = bits
                .get(column as usize / 64)
                .is_some_and(|w| w >> (column % 64) & 1 == 1);
            let decidable = row_decidable && has_bytes(column);
            for (reading, tally) in &mut tallies {
                if !decidable {
                    tally.not_decidable += 1;
                    continue;
                }
                tally.cells_compared += 1;
                if self.cell(plan, row, column, *reading) != file {
                    tally.differences += 1;
                    if tally.list.len() < MOST_LISTED {
                        tally.list.push(Difference {
                            row,
                            column,
                            may_share: file,
                        });
                    }
                }
            }
        }
        self.tallies = tallies;
    }

    /// The outcome; of several readings the one with the fewest differences.
    pub fn finish(self) -> MatrixCheck {
        let several = self.tallies.len() > 1;
        let best = self.tallies.into_iter().min_by_key(|(_, t)| t.differences);
        let (reading, mut check) = best.unwrap_or((Reading::ById, MatrixCheck::default()));
        check.reading = several.then_some(reading);
        check
    }

    /// The tensors that a row or a column stands for.
    fn meant<'a>(&'a self, own: &'a [u32; 1]) -> &'a [u32] {
        match self.members.get(own[0] as usize) {
            Some(members) if !members.is_empty() => members,
            _ => own,
        }
    }

    fn consumers_of(&self, t: u32) -> &[u32] {
        self.consumers.get(t as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether the tensors of a cell may share, unions applied.
    fn cell(&self, plan: &Plan, row: u32, column: u32, reading: Reading) -> bool {
        let (own, other) = ([row], [column]);
        let (rows, columns) = (self.meant(&own), self.meant(&other));
        rows.iter()
            .all(|&a| columns.iter().all(|&b| self.pair(plan, a, b, reading)))
    }

    /// Whether two tensors may share, judged on themselves; `a` is of the batch.
    fn pair(&self, plan: &Plan, a: u32, b: u32, reading: Reading) -> bool {
        let sized = |t: u32| self.sized.get(t as usize).copied().unwrap_or(false);
        let tensors = &plan.tensors;
        let (Some(from), Some(to)) = (tensors.source_of(a), tensors.source_of(b)) else {
            return false;
        };
        if a == b || from == to || !sized(a) || !sized(b) {
            return false;
        }
        let kinds = (tensors.lifelong_at(a), tensors.lifelong_at(b));
        if kinds != (Lifelong::None, Lifelong::None) {
            // The one whose source comes first, and the one with the smaller id.
            let by_source = if from < to { kinds } else { (kinds.1, kinds.0) };
            let by_id = if a < b { kinds } else { (kinds.1, kinds.0) };
            if kinds.0 == Lifelong::GraphAll || kinds.1 == Lifelong::GraphAll {
                return false;
            }
            let meets =
                |(first, second)| first == Lifelong::GraphEnd || second == Lifelong::GraphStart;
            let forbidden = match reading {
                Reading::Ignored => false,
                Reading::Directional => meets(by_source),
                // Without a stream order nothing is before or behind: the kind forbids all.
                Reading::ById if !plan.ordered => true,
                Reading::ById => meets(by_id),
            };
            if forbidden {
                return false;
            }
        }
        if from < to {
            self.consumers_of(a).iter().all(|n| {
                let bit = self.batch.consumer_bit.get(*n);
                bit.is_some_and(|bit| self.batch.before.has(to, bit))
            })
        } else {
            let bit = self.batch.source_bit.get(from);
            bit.is_some_and(|bit| self.batch.done.has(b, bit))
        }
    }

    /// The bits for as many rows from `from` on as fit.
    fn batch_from(&self, plan: &Plan, from: u32) -> Batch {
        let (n_nodes, n_tensors) = (plan.n_nodes(), plan.n_tensors());
        let rows = n_nodes as usize * 2 + n_tensors as usize;
        let most = (self.batch_bytes / 8 / rows.max(1)).max(1) * 64;
        let mut batch = Batch {
            from,
            to: from,
            consumer_bit: Numbers::new(n_nodes),
            source_bit: Numbers::new(n_nodes),
            ..Batch::default()
        };
        while batch.to < n_tensors
            && (batch.to == from || batch.consumer_bit.len.max(batch.source_bit.len) < most)
        {
            let own = [batch.to];
            for &t in self.meant(&own) {
                for &n in self.consumers_of(t) {
                    batch.consumer_bit.give(n);
                }
                if let Some(n) = plan.tensors.source_of(t) {
                    batch.source_bit.give(n);
                }
            }
            batch.to += 1;
        }
        let mut before = Bits::new(n_nodes as usize, batch.consumer_bit.len);
        for n in 0..n_nodes {
            for &p in self.predecessors.get(n) {
                before.join(p, n);
                if let Some(bit) = batch.consumer_bit.get(p) {
                    before.set(n, bit);
                }
            }
        }
        // Backwards: what comes after a node comes after its predecessors.
        let mut after = Bits::new(n_nodes as usize, batch.source_bit.len);
        for n in (0..n_nodes).rev() {
            let own = batch.source_bit.get(n);
            for &p in self.predecessors.get(n) {
                after.join(n, p);
                if let Some(bit) = own {
                    after.set(p, bit);
                }
            }
        }
        let mut done = Bits::new(n_tensors as usize, batch.source_bit.len);
        for t in 0..n_tensors {
            let at = t as usize * done.width;
            let Some(row) = done.words.get_mut(at..at + after.width) else {
                continue;
            };
            for (i, &n) in self.consumers_of(t).iter().enumerate() {
                for (word, theirs) in row.iter_mut().zip(after.row(n)) {
                    *word = if i == 0 { *theirs } else { *word & *theirs };
                }
            }
        }
        (batch.before, batch.done) = (before, done);
        batch
    }
}

fn same_graph(plan: &Plan, before: &Plan) -> bool {
    plan.n_tensors() == before.n_tensors()
        && plan.n_nodes() == before.n_nodes()
        && plan.tensors.source == before.tensors.source
}

/// In A and B the members of a union behind the first show no size of their own; they had one.
fn follows(plan: &Plan, t: u32) -> bool {
    let head = plan.union_group(t).and_then(|g| plan.unions.get(g).first());
    !plan.generation.is_c() && head.is_some_and(|h| plan.tensors.aligned_at(*h) > 0)
}

/// The nodes that read each tensor or, as a repetition, write it again; the source where there is
/// none.
fn consumers(plan: &Plan) -> Vec<Vec<u32>> {
    let readers = |t: u32| plan.readers().get(t).to_vec();
    let mut out: Vec<Vec<u32>> = (0..plan.n_tensors()).map(readers).collect();
    for n in (0..plan.n_nodes()).filter(|&n| plan.nodes.flags_of(n).has(NodeFlags::REPEATED)) {
        for list in [&plan.nodes.outputs, &plan.nodes.workspaces] {
            for &t in list.get(n) {
                if let Some(consumers) = out.get_mut(t as usize) {
                    consumers.push(n);
                }
            }
        }
    }
    for (t, consumers) in (0..).zip(&mut out) {
        if consumers.is_empty() {
            consumers.extend(plan.tensors.source_of(t));
        }
    }
    out
}

/// For each head of a union, the tensors whose cells its own are the conjunction of. From
/// 2.0.0-alpha on unions are merged; before, each list is applied in turn to its first member.
fn members(plan: &Plan) -> Vec<Vec<u32>> {
    let lists = if plan.generation > Generation::C1 {
        &plan.unions
    } else {
        &plan.union_lists
    };
    let mut of_head: Vec<Vec<u32>> = vec![Vec::new(); plan.n_tensors() as usize];
    for list in lists.iter() {
        let mut all = Vec::new();
        for t in list {
            match of_head.get(*t as usize) {
                Some(known) if !known.is_empty() => all.extend(known),
                _ => all.push(*t),
            }
        }
        all.sort_unstable();
        all.dedup();
        let head = list.first().map_or(usize::MAX, |head| *head as usize);
        if let Some(place) = of_head.get_mut(head) {
            *place = all;
        }
    }
    of_head
}
