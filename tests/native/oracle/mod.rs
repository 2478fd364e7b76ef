//! The second opinion: every number computed the slow way, straight from its definition.
//!
//! Nothing here uses `somascope::parse` or `somascope::analysis`. A tensor is tested at every
//! step, a union group is looked up by walking the lists, and no sum is kept up to date.

pub mod portrait;
pub mod read;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{json, Value};

use read::{number, Dump};

/// Fixtures with more tensors than this are left to `expected.json`: the definitions here cost
/// steps × tensors.
pub const MOST_TENSORS: usize = 1300;

/// A dump with what the text leaves open settled.
#[derive(Clone, Debug)]
pub struct Oracle {
    pub dump: Dump,
    /// One more than the last node number.
    pub steps: u64,
    pub source: BTreeMap<u64, u64>,
    pub readers: BTreeMap<u64, BTreeSet<u64>>,
    /// Merged union groups, the first printed id first.
    pub groups: Vec<Vec<u64>>,
    /// First members of lists that are shown 512 bytes too high.
    pub shifted: BTreeSet<u64>,
}

/// Whether a node only zeroes what it lists.
pub fn is_clean(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    ["AtomicAddrClean", "MemSet"]
        .iter()
        .any(|op| match last.strip_prefix(op) {
            Some("") => true,
            Some(rest) => rest
                .strip_prefix("-op")
                .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())),
            None => false,
        })
}

impl Oracle {
    /// Reads a text and settles it.
    pub fn of(text: &str) -> Self {
        let dump = read::read(text);
        let steps = dump.nodes.keys().next_back().map_or(0, |n| n + 1);
        let mut oracle = Self {
            dump,
            steps,
            source: BTreeMap::new(),
            readers: BTreeMap::new(),
            groups: Vec::new(),
            shifted: BTreeSet::new(),
        };
        oracle.link();
        oracle.merge();
        if oracle.is_a() || oracle.is_b() {
            oracle.rebuild_lists();
        }
        if oracle.is_a() {
            oracle.recompute_lives();
        }
        oracle.settle_shift();
        oracle
    }

    /// Seven columns, no lives.
    pub fn is_a(&self) -> bool {
        !self.dump.titles.iter().any(|t| t == "life_start")
    }

    /// Lives and addresses.
    pub fn is_b(&self) -> bool {
        !self.is_a() && self.dump.titles.iter().any(|t| t == "addr")
    }

    fn link(&mut self) {
        for (&n, node) in &self.dump.nodes {
            let owned: Vec<u64> = node
                .outputs
                .iter()
                .chain(&node.workspaces)
                .copied()
                .collect();
            for &t in &owned {
                self.source.entry(t).or_insert(n);
            }
        }
        let a = self.is_a();
        for (&n, node) in self
            .dump
            .nodes
            .iter()
            .filter(|(_, node)| a || !is_clean(&node.name))
        {
            for t in node.inputs.iter().filter(|i| i.ends_with('T')) {
                self.readers.entry(number(t)).or_default().insert(n);
            }
        }
    }

    fn merge(&mut self) {
        let mut lists = self.dump.unions.clone();
        while let Some((i, j)) = (0..lists.len())
            .flat_map(|i| (i + 1..lists.len()).map(move |j| (i, j)))
            .find(|&(i, j)| lists[i].iter().any(|t| lists[j].contains(t)))
        {
            let more = lists.remove(j);
            lists[i].extend(more);
        }
        for list in &mut lists {
            let mut seen = BTreeSet::new();
            list.retain(|&t| seen.insert(t));
        }
        self.groups = lists;
    }

    /// A and B print no lists: those of the communication nodes, in node order.
    fn rebuild_lists(&mut self) {
        let mut lists: Vec<Vec<u64>> = Vec::new();
        for node in self.dump.nodes.values().filter(|n| n.communication) {
            let inputs = node
                .inputs
                .iter()
                .filter(|i| i.ends_with('T'))
                .map(|i| number(i))
                .collect();
            for mut list in [inputs, node.outputs.clone()] {
                list.retain(|t| self.dump.tensors[t].kind != "EventVirtualOutput");
                if list
                    .first()
                    .is_some_and(|t| !lists.iter().any(|l| l.contains(t)))
                {
                    lists.push(list);
                }
            }
        }
        self.dump.contiguous = lists.clone();
        let mut kept: Vec<Vec<u64>> = Vec::new();
        for list in lists {
            let placed = list.iter().any(|t| self.dump.tensors[t].aligned > 0);
            let united = |other: &Vec<u64>| {
                other.len() == list.len()
                    && other
                        .iter()
                        .zip(&list)
                        .all(|(a, b)| self.group(*a).contains(b) && a != b)
            };
            if placed && !kept.iter().any(united) {
                kept.push(list);
            }
        }
        self.dump.processed = kept;
    }

    /// A prints no lives: from the source (or an earlier node that cleans it) to the last reader.
    fn recompute_lives(&mut self) {
        let none = BTreeSet::new();
        let ids: Vec<u64> = self.dump.tensors.keys().copied().collect();
        for &t in ids.iter().filter(|t| self.source.contains_key(t)) {
            let source = self.source[&t];
            let readers = self.readers.get(&t).unwrap_or(&none);
            let tensor = self.dump.tensors.get_mut(&t).unwrap();
            tensor.first = readers.iter().copied().min().unwrap_or(source).min(source);
            tensor.last = readers.iter().copied().max().unwrap_or(source).max(source);
        }
        let gaps: Vec<u64> = ids
            .into_iter()
            .filter(|t| self.dump.tensors[t].kind == "Gap")
            .collect();
        for (pair, list) in gaps.chunks(2).zip(self.dump.contiguous.clone()) {
            for (gap, neighbour) in pair.iter().zip([list[0], list[list.len() - 1]]) {
                let last = self.dump.tensors[&neighbour].last;
                let gap = self.dump.tensors.get_mut(gap).unwrap();
                (gap.first, gap.last) = (last, last);
            }
        }
    }

    fn settle_shift(&mut self) {
        let tensors = &self.dump.tensors;
        let shifts = if self.is_a() {
            false
        } else if self.is_b() {
            true
        } else {
            let gaps: Vec<i128> = self
                .dump
                .contiguous
                .iter()
                .filter(|l| l.len() > 1 && l.iter().all(|t| tensors[t].aligned > 0))
                .map(|l| (&tensors[&l[0]], &tensors[&l[1]]))
                .map(|(a, b)| i128::from(b.offset) - i128::from(a.offset) - i128::from(a.aligned))
                .collect();
            gaps.contains(&-512)
                || (!gaps.contains(&0) && self.dump.contiguous.iter().any(|l| l.len() == 1))
        };
        if shifts && self.dump.tensors.values().any(|t| t.offset > 0) {
            self.shifted = self.dump.contiguous.iter().map(|l| l[0]).collect();
        }
    }

    /// The group of a tensor, or the tensor alone.
    pub fn group(&self, t: u64) -> Vec<u64> {
        self.groups
            .iter()
            .find(|g| g.contains(&t))
            .cloned()
            .unwrap_or_else(|| vec![t])
    }

    /// Every piece of memory: each union group once, each other tensor.
    pub fn pieces(&self) -> Vec<Vec<u64>> {
        let alone = self
            .dump
            .tensors
            .keys()
            .filter(|t| !self.groups.iter().any(|g| g.contains(t)));
        self.groups
            .iter()
            .cloned()
            .chain(alone.map(|&t| vec![t]))
            .collect()
    }

    /// First and last step a tensor is alive at, widened by its lifelong kind.
    pub fn life(&self, t: u64) -> (u64, u64) {
        let tensor = &self.dump.tensors[&t];
        let end = self.steps.saturating_sub(1);
        match tensor.lifelong.as_str() {
            "LifeLongGraphAll" => (0, end),
            "LifeLongGraphStart" => (0, tensor.last),
            "LifeLongGraphEnd" => (tensor.first, end),
            _ => (tensor.first, tensor.last),
        }
    }

    /// Whether a tensor is alive at a step.
    pub fn lives_at(&self, t: u64, step: u64) -> bool {
        let (first, last) = self.life(t);
        first <= step && step <= last
    }

    /// Bytes of a piece: the largest aligned size.
    fn bytes(&self, piece: &[u64]) -> u64 {
        piece
            .iter()
            .map(|t| self.dump.tensors[t].aligned)
            .max()
            .unwrap_or(0)
    }

    fn wanted(&self, piece: &[u64]) -> u64 {
        piece
            .iter()
            .map(|t| self.dump.tensors[t].original)
            .max()
            .unwrap_or(0)
    }

    /// Aligned bytes alive at each step.
    pub fn alive(&self) -> Vec<u64> {
        let pieces = self.pieces();
        let alive = |step| {
            pieces
                .iter()
                .filter(move |p| p.iter().any(|&t| self.lives_at(t, step)))
        };
        (0..self.steps)
            .map(|step| alive(step).map(|p| self.bytes(p)).sum())
            .collect()
    }

    /// Aligned bytes of everything produced up to each step.
    pub fn total(&self) -> Vec<u64> {
        let pieces = self.pieces();
        let born = |p: &Vec<u64>| p.iter().map(|t| self.dump.tensors[t].first).min().unwrap();
        (0..self.steps)
            .map(|step| {
                pieces
                    .iter()
                    .filter(|p| born(p) <= step)
                    .map(|p| self.bytes(p))
                    .sum()
            })
            .collect()
    }

    fn waste(&self, pieces: impl Iterator<Item = Vec<u64>>) -> i64 {
        pieces
            .filter(|p| self.bytes(p) > 0)
            .map(|p| self.bytes(&p) as i64 - self.wanted(&p) as i64)
            .sum()
    }

    /// Where the reserved bytes begin.
    pub fn true_offset(&self, t: u64) -> u64 {
        let shown = self.dump.tensors[&t].offset;
        if self.shifted.contains(&t) {
            shown.saturating_sub(512)
        } else {
            shown
        }
    }

    fn end(&self, t: u64) -> u64 {
        self.true_offset(t) + self.dump.tensors[&t].aligned
    }

    /// Whether the solver had not run yet.
    pub fn is_stage(&self) -> bool {
        let placed: Vec<u64> = self
            .dump
            .tensors
            .iter()
            .filter(|(_, t)| t.aligned > 0)
            .map(|(&id, _)| id)
            .collect();
        if !self.is_a() && !self.is_b() {
            return self.dump.total == Some(0) && !placed.is_empty();
        }
        let meet = |a: u64, b: u64| {
            let ((a0, a1), (b0, b1)) = (self.life(a), self.life(b));
            a0 <= b1 && b0 <= a1 && !self.group(a).contains(&b)
        };
        self.dump.tensors.values().all(|t| t.offset == 0)
            && placed
                .iter()
                .any(|&a| placed.iter().any(|&b| a < b && meet(a, b)))
    }

    /// Placed tensors that are alive together, share bytes and are no union mates: in a valid plan
    /// there is none.
    pub fn collisions(&self) -> Vec<(u64, u64)> {
        let ids: Vec<u64> = self
            .dump
            .tensors
            .keys()
            .copied()
            .filter(|t| self.dump.tensors[t].aligned > 0)
            .collect();
        let pairs = ids
            .iter()
            .flat_map(|&a| ids.iter().map(move |&b| (a, b)))
            .filter(|(a, b)| a < b);
        let together = |a, b| self.life(a).0 <= self.life(b).1 && self.life(b).0 <= self.life(a).1;
        let overlap = |a, b| self.true_offset(a) < self.end(b) && self.true_offset(b) < self.end(a);
        pairs
            .filter(|&(a, b)| together(a, b) && overlap(a, b) && !self.group(a).contains(&b))
            .collect()
    }

    fn count(&self, word: impl Fn(&read::Tensor) -> &str) -> Value {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for t in self.dump.tensors.values() {
            *counts.entry(word(t)).or_default() += 1;
        }
        json!(counts)
    }

    /// The numbers under the keys of the machine-readable summary.
    pub fn summary(&self) -> Value {
        let d = &self.dump;
        let (alive, total) = (self.alive(), self.total());
        let fixed: u64 = d.params.values().map(|p| p.0).sum();
        let peak = alive.iter().copied().max().unwrap_or(0);
        let step = alive.iter().position(|&b| b == peak);
        let all = total.last().copied().unwrap_or(0);
        let placed: Vec<u64> = d
            .tensors
            .keys()
            .copied()
            .filter(|t| d.tensors[t].aligned > 0)
            .collect();
        let top = placed.iter().map(|&t| self.end(t)).max().unwrap_or(0);
        let stage = self.is_stage();
        let planned = if stage { 0 } else { d.total.unwrap_or(top) };
        let streams: BTreeSet<u64> = d.nodes.values().map(|n| n.stream).collect();
        let at_peak =
            |p: &Vec<u64>| step.is_some_and(|s| p.iter().any(|&t| self.lives_at(t, s as u64)));
        let mut out = json!({
            "kind": if stage { "stage" } else { "plan" },
            "counts": {
                "nodes": d.nodes.len(), "tensors": d.tensors.len(), "control_tensors": d.controls.len(),
                "parameters": d.params.len(), "streams": streams.len(), "unions": self.groups.len(),
                "contiguous": d.contiguous.len(), "contiguous_processed": d.processed.len(),
                "stream_groups": d.groups.len(), "merged_blocks": d.blocks.len(),
                "zero_size": d.tensors.len() - placed.len(),
                "types": self.count(|t| &t.kind), "lifelong": self.count(|t| &t.lifelong),
            },
            "static_memory": fixed, "total_tensor_size": all, "planned_total": planned,
            "max_in_use": {
                "step": step, "node": step.map(|s| &d.nodes[&(s as u64)].name),
                "alive": peak, "in_use": peak + fixed,
            },
            "max_total_memory": all + fixed,
            "reuse_ratio": if all == 0 { Value::Null } else { json!(1.0 - peak as f64 / all as f64) },
            "lower_bound": peak,
            "alignment_waste": {
                "total": self.waste(self.pieces().into_iter()),
                "at_peak": self.waste(self.pieces().into_iter().filter(at_peak)),
            },
        });
        if !stage {
            out["gap"] = json!(planned as i64 - peak as i64);
            out["max_end"] = json!(top);
            out["max_end_without_lifelong"] = self.highest(&placed);
        }
        out
    }

    fn highest(&self, placed: &[u64]) -> Value {
        let plain = placed
            .iter()
            .copied()
            .filter(|t| self.dump.tensors[t].lifelong == "LifeLongNone");
        let Some(t) = plain.max_by_key(|&t| (self.end(t), std::cmp::Reverse(t))) else {
            return Value::Null;
        };
        let source = self.source.get(&t);
        let node = source.map(|n| &self.dump.nodes[n]);
        let place = |list: &Vec<u64>| list.iter().position(|&x| x == t);
        json!({
            "tensor": t, "step": source, "node": node.map(|n| &n.name),
            "output_index": node.and_then(|n| place(&n.outputs).or_else(|| place(&n.workspaces))),
            "end": self.end(t),
        })
    }
}
