//! What is alive at each step, and what has been produced up to each step.
//!
//! A tensor is alive at step `i` when `first <= i <= last`, widened by its lifelong kind. A union
//! group is one piece of memory: it is alive while any member is (members without bytes too),
//! counts the largest aligned size among its members once, and is produced at the earliest
//! `life_start` of its members. Tensors with aligned size 0 count nothing by themselves.
//!
//! Method: one difference array per curve, O(tensors + steps). The tests compare with the naive
//! definition, every tensor at every step.

use crate::model::Plan;
use crate::units::LiveRange;

/// The curves of a plan, one entry a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Liveness {
    /// Aligned bytes alive at the step.
    pub alive: Vec<u64>,
    /// Aligned bytes of everything produced up to the step, itself included; nothing is ever
    /// given back.
    pub total: Vec<u64>,
    /// Number of pieces listed as alive at the step: see [`alive_at`](super::alive_at).
    pub pieces: Vec<u32>,
}

/// Computes the curves.
pub fn liveness(plan: &Plan) -> Liveness {
    let steps = plan.steps as usize;
    let mut curves = Curves {
        alive: vec![0; steps + 1],
        total: vec![0; steps + 1],
        pieces: vec![0; steps + 1],
    };
    if steps == 0 {
        return Liveness::default();
    }
    let last_step = plan.last_step();
    for piece in plan.placed() {
        if plan.union_group(piece.tensor).is_none() {
            if let Some(range) = piece.range {
                curves.add_alive(range, piece.aligned);
            }
            curves.add_total(piece.born.min(last_step), piece.aligned);
        }
        if let Some(range) = piece.range {
            curves.add_pieces(range, 1);
        }
    }
    for group in plan.unions.iter() {
        let largest = group
            .iter()
            .map(|&t| plan.tensors.aligned_at(t))
            .max()
            .unwrap_or(0);
        if largest == 0 {
            continue;
        }
        let ranges = |sized: bool| {
            let of = group.iter().copied();
            plan.alive_stretches(&mut of.filter(|&t| !sized || plan.tensors.aligned_at(t) > 0))
        };
        for range in ranges(false) {
            curves.add_alive(range, largest);
            // Where only members without bytes are alive, the group is still listed once.
            curves.add_pieces(range, 1);
        }
        for range in ranges(true) {
            curves.add_pieces(range, -1);
        }
        let born = group
            .iter()
            .map(|&t| plan.tensors.printed_life(t).0)
            .min()
            .unwrap_or(0);
        curves.add_total(born.min(last_step), largest);
    }
    curves.finish(steps)
}

/// Difference arrays: entry `i` is what changes at step `i`. Wrapping arithmetic is exact here,
/// because every prefix sum is below 2^63 (checked when the plan was made).
struct Curves {
    alive: Vec<u64>,
    total: Vec<u64>,
    pieces: Vec<i32>,
}

impl Curves {
    fn add_alive(&mut self, range: LiveRange, bytes: u64) {
        if let Some(d) = self.alive.get_mut(range.first as usize) {
            *d = d.wrapping_add(bytes);
        }
        if let Some(d) = self.alive.get_mut(range.last as usize + 1) {
            *d = d.wrapping_sub(bytes);
        }
    }

    fn add_pieces(&mut self, range: LiveRange, n: i32) {
        if let Some(d) = self.pieces.get_mut(range.first as usize) {
            *d += n;
        }
        if let Some(d) = self.pieces.get_mut(range.last as usize + 1) {
            *d -= n;
        }
    }

    fn add_total(&mut self, step: u32, bytes: u64) {
        if let Some(d) = self.total.get_mut(step as usize) {
            *d = d.wrapping_add(bytes);
        }
    }

    fn finish(self, steps: usize) -> Liveness {
        let run = |mut differences: Vec<u64>| {
            let mut sum = 0u64;
            for d in &mut differences {
                sum = sum.wrapping_add(*d);
                *d = sum;
            }
            differences.truncate(steps);
            differences
        };
        let mut sum = 0i32;
        let pieces = self.pieces.iter().take(steps).map(|d| {
            sum += d;
            sum.max(0) as u32
        });
        Liveness {
            pieces: pieces.collect(),
            alive: run(self.alive),
            total: run(self.total),
        }
    }
}
