//! Where the steps of one plan lie among the steps of another.
//!
//! An alignment has one entry a step of the laid-over plan: the step it lies on. Entries never
//! fall.

use std::collections::HashMap;

use crate::model::{Plan, NONE};

/// Stretches `other` steps over `steps` steps: the first lies on the first, the last on the last.
pub fn scaled(steps: u32, other: u32) -> Vec<u32> {
    stretched(steps, other, &[])
}

/// Lays nodes on nodes of the same name, the n-th of a repeated name on the n-th. Where such
/// pairs cross, as many of them are kept as keep the order. Steps between are stretched, as are
/// those in front of the first pair (from the first step on) and behind the last one.
pub fn by_name(plan: &Plan, other: &Plan) -> Vec<u32> {
    stretched(plan.steps, other.steps, &rising(&same_names(plan, other)))
}

/// Nodes of the same name: step of `other`, ascending, and step of `plan`.
fn same_names(plan: &Plan, other: &Plan) -> Vec<(u32, u32)> {
    // The next node to take of each name, and the one after each node.
    let mut next: HashMap<&[u8], u32> = HashMap::new();
    let mut after = vec![NONE; plan.n_nodes() as usize];
    for n in (0..plan.n_nodes()).rev() {
        let following = next.insert(plan.node_name(n), n);
        if let Some(slot) = after.get_mut(n as usize) {
            *slot = following.unwrap_or(NONE);
        }
    }
    let mut pairs = Vec::new();
    for n in 0..other.n_nodes() {
        let Some(place) = next.get_mut(other.node_name(n)) else {
            continue;
        };
        if *place != NONE {
            pairs.push((other.nodes.step(n), plan.nodes.step(*place)));
            *place = after.get(*place as usize).copied().unwrap_or(NONE);
        }
    }
    pairs
}

/// The longest part of the pairs in which the second numbers rise as well.
fn rising(pairs: &[(u32, u32)]) -> Vec<(u32, u32)> {
    // For each length, the pair that ends such a part with the smallest number.
    let mut ends: Vec<u32> = Vec::new();
    let mut before = vec![NONE; pairs.len()];
    let second = |i: u32| pairs.get(i as usize).map_or(0, |p| p.1);
    for (i, &(_, step)) in (0u32..).zip(pairs) {
        let length = ends.partition_point(|&e| second(e) < step);
        if let (Some(slot), Some(previous)) = (before.get_mut(i as usize), length.checked_sub(1)) {
            *slot = ends.get(previous).copied().unwrap_or(NONE);
        }
        match ends.get_mut(length) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut out = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(NONE);
    while let Some(&pair) = pairs.get(at as usize) {
        out.push(pair);
        at = before.get(at as usize).copied().unwrap_or(NONE);
    }
    out.reverse();
    out
}

/// Stretches the steps between fixed pairs, which rise in both numbers, to the nearest step.
fn stretched(steps: u32, other: u32, fixed: &[(u32, u32)]) -> Vec<u32> {
    let (Some(last), Some(other_last)) = (steps.checked_sub(1), other.checked_sub(1)) else {
        return Vec::new();
    };
    let mut out = vec![last; other as usize];
    let (mut from, mut from_on) = (0u32, 0u32);
    let end = (other_last, last);
    let behind = fixed.last().is_none_or(|pair| pair.0 < other_last);
    for &(to, to_on) in fixed.iter().chain(behind.then_some(&end)) {
        let (length, rise) = (u64::from(to - from), u64::from(to_on - from_on));
        let between = out.get_mut(from as usize..to as usize).unwrap_or(&mut []);
        for (i, slot) in (0u64..).zip(between) {
            *slot = from_on + ((2 * i * rise + length) / (2 * length)) as u32;
        }
        if let Some(slot) = out.get_mut(to as usize) {
            *slot = to_on;
        }
        (from, from_on) = (to, to_on);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_lie_on_ends() {
        assert_eq!(scaled(5, 3), [0, 2, 4]);
        assert_eq!(scaled(3, 5), [0, 1, 1, 2, 2]);
        assert_eq!(scaled(4, 4), [0, 1, 2, 3]);
        assert_eq!(scaled(1, 3), [0, 0, 0]);
        assert_eq!(scaled(7, 1), [6]);
        assert!(scaled(0, 3).is_empty() && scaled(3, 0).is_empty());
    }

    #[test]
    fn pairs_stay_where_they_are() {
        assert_eq!(stretched(10, 5, &[(2, 8)]), [0, 4, 8, 9, 9]);
        assert_eq!(stretched(10, 4, &[(0, 5), (3, 6)]), [5, 5, 6, 6]);
        assert_eq!(stretched(10, 4, &[(0, 9)]), [9, 9, 9, 9]);
    }

    #[test]
    fn crossing_pairs_give_the_longest_part_that_rises() {
        let rise = rising(&[(0, 5), (1, 1), (2, 2), (3, 9), (4, 3), (5, 4)]);
        assert_eq!(rise, [(1, 1), (2, 2), (4, 3), (5, 4)]);
        assert!(rising(&[]).is_empty());
    }
}
