//! What a node's or a parameter's name tells: operator, number, layer; and names in order.
//!
//! A node is named `scope/…/scope/Operator-opN` (2.3 and later) or by its last part alone. A
//! parameter is named by a path with `/` or `.` between its parts.

use std::collections::HashMap;

use crate::model::{NameId, Names, Plan};
use crate::sorting;

/// The last part of a path; the whole path when it ends with `/`.
pub fn last_part(name: &[u8]) -> &[u8] {
    match name.iter().rposition(|&b| b == b'/') {
        Some(at) if at + 1 < name.len() => name.get(at + 1..).unwrap_or(name),
        _ => name,
    }
}

/// A last part without `-opN`, and the digits `N`; only where both are there.
fn split_number(last: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = last.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (head, digits) = last.split_at_checked(last.len() - digits)?;
    let stem = head.strip_suffix(b"-op")?;
    (!digits.is_empty() && !stem.is_empty()).then_some((stem, digits))
}

/// The operator of a node: the last part of its name without `-opN`.
pub fn operator(name: &[u8]) -> &[u8] {
    let last = last_part(name);
    split_number(last).map_or(last, |(stem, _)| stem)
}

/// The number behind `-op` at the end of a node's name; `None` without one, or beyond 64 bits.
pub fn op_id(name: &[u8]) -> Option<u64> {
    let (_, digits) = split_number(last_part(name))?;
    digits.iter().try_fold(0u64, |n, b| {
        n.checked_mul(10)?.checked_add(u64::from(b - b'0'))
    })
}

/// The scope path of a node: its name in front of the last `/`; `None` for a name without one.
pub fn scope(name: &[u8]) -> Option<&[u8]> {
    let at = name.iter().rposition(|&b| b == b'/')?;
    name.get(..at).filter(|scope| !scope.is_empty())
}

/// The layer of a node: its scope path, or its operator where the name has no scope.
pub fn layer(name: &[u8]) -> &[u8] {
    scope(name).unwrap_or_else(|| operator(name))
}

/// The layer of a parameter: its name without the last part, or the name where it has one part.
pub fn parameter_layer(name: &[u8]) -> &[u8] {
    let at = name.iter().rposition(|&b| b == b'/' || b == b'.');
    at.and_then(|at| name.get(..at))
        .filter(|layer| !layer.is_empty())
        .unwrap_or(name)
}

/// The operators of a plan, numbered in the order of their first node.
#[derive(Clone, Debug, Default)]
pub struct Operators {
    /// The first node of each operator.
    pub first_node: Vec<u32>,
    /// The operator of each node.
    pub of_node: Vec<u32>,
}

/// Whether no node's name has a scope.
pub fn are_short(plan: &Plan) -> bool {
    (0..plan.n_nodes()).all(|n| scope(plan.node_name(n)).is_none())
}

/// Finds the operators of a plan. O(bytes of names).
pub fn operators(plan: &Plan) -> Operators {
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    let mut out = Operators::default();
    out.of_node.reserve_exact(plan.n_nodes() as usize);
    for n in 0..plan.n_nodes() {
        let name = plan.node_name(n);
        let next = out.first_node.len() as u32;
        let number = *known.entry(operator(name)).or_insert(next);
        if number == next {
            out.first_node.push(n);
        }
        out.of_node.push(number);
    }
    out
}

impl Operators {
    /// The word of operator `o`.
    pub fn word<'a>(&self, plan: &'a Plan, o: u32) -> &'a [u8] {
        self.first_node
            .get(o as usize)
            .map_or(&[], |&n| operator(plan.node_name(n)))
    }

    /// The place of each operator among all in the order of their bytes.
    pub fn ranks(&self, plan: &Plan) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.first_node.len() as u32).collect();
        sorting::sort_by(&mut order, |a, b| {
            self.word(plan, *a).cmp(self.word(plan, *b))
        });
        let mut ranks = vec![0; order.len()];
        for (rank, &o) in (0u32..).zip(&order) {
            if let Some(place) = ranks.get_mut(o as usize) {
                *place = rank;
            }
        }
        ranks
    }
}

/// The place of each name of a list among all of it in the order of their bytes; equal names have
/// the same place.
///
/// Names begin alike over long stretches, so they are compared in steps of eleven bytes, and each
/// step looks only at those that were equal so far. One number holds a step of a name: the bytes,
/// how many of them there are (one more when the name goes on), and the place in the list.
pub fn ranks(names: &Names, list: &[NameId]) -> Vec<u32> {
    const BYTES: usize = 11;
    let key = |place: u32, depth: usize| -> u128 {
        let name = list
            .get(place as usize)
            .map_or(&[][..], |&id| names.get(id));
        let rest = name.get(depth..).unwrap_or(&[]);
        let mut bytes = [0u8; 16];
        let taken = rest.len().min(BYTES);
        if let (Some(to), Some(from)) = (bytes.get_mut(..taken), rest.get(..taken)) {
            to.copy_from_slice(from);
        }
        let length = rest.len().min(BYTES + 1) as u128;
        u128::from_be_bytes(bytes) | length << 32 | u128::from(place)
    };
    let goes_on = |key: u128| key >> 32 & 0xff > BYTES as u128;
    let mut keys: Vec<u128> = (0..list.len() as u32).map(|n| key(n, 0)).collect();
    let mut differs = vec![false; keys.len()];
    let mut open = vec![(0usize, keys.len(), 0usize)];
    while let Some((start, end, depth)) = open.pop() {
        let Some(part) = keys.get_mut(start..end) else {
            continue;
        };
        if depth > 0 {
            for number in part.iter_mut() {
                *number = key(*number as u32, depth);
            }
        }
        // Over a stretch that all of them have in common they are in the order of their places.
        if !part.is_sorted() {
            part.sort();
        }
        let mut from = 0;
        for run in part.chunk_by(|a, b| a >> 32 == b >> 32) {
            if let Some(first) = differs.get_mut(start + from) {
                *first = true;
            }
            let next = from + run.len();
            if run.len() > 1 && run.first().is_some_and(|&first| goes_on(first)) {
                open.push((start + from, start + next, depth + BYTES));
            }
            from = next;
        }
    }
    let mut ranks = vec![0; keys.len()];
    let mut rank = 0;
    for (at, (&key, differs)) in (0u32..).zip(keys.iter().zip(differs)) {
        if differs {
            rank = at;
        }
        if let Some(slot) = ranks.get_mut(key as u32 as usize) {
            *slot = rank;
        }
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_node_name() {
        let name = b"Default/net-Net/ReLU-op12";
        assert_eq!(operator(name), b"ReLU");
        assert_eq!(op_id(name), Some(12));
        assert_eq!(scope(name), Some(&b"Default/net-Net"[..]));
        assert_eq!(layer(name), b"Default/net-Net");
        assert_eq!(layer(b"ReLU-op12"), b"ReLU");
    }

    #[test]
    fn odd_names_keep_what_they_have() {
        for (name, word, number) in [
            (&b"ReLU"[..], &b"ReLU"[..], None),
            (b"", b"", None),
            (b"-op3", b"-op3", None),
            (b"a-op", b"a-op", None),
            (b"a-op1-op2", b"a-op1", Some(2)),
            (b"a/b/", b"a/b/", None),
            (b"a-op99999999999999999999", b"a", None),
        ] {
            assert_eq!((operator(name), op_id(name)), (word, number));
        }
        assert_eq!(scope(b"/x"), None);
        assert_eq!(scope(b"a/b/"), Some(&b"a/b"[..]));
    }

    #[test]
    fn parameters_are_paths_with_dots_or_slashes() {
        assert_eq!(parameter_layer(b"net.conv1.weight"), b"net.conv1");
        assert_eq!(parameter_layer(b"Default/net.x/w"), b"Default/net.x");
        assert_eq!(parameter_layer(b"learning_rate"), b"learning_rate");
        assert_eq!(parameter_layer(b".x"), b".x");
    }

    #[test]
    fn ranks_are_those_of_a_plain_sort() {
        let mut list: Vec<Vec<u8>> = vec![
            b"".to_vec(),
            b"\0".to_vec(),
            b"abcdefg".to_vec(),
            b"abcdefg\0".to_vec(),
            b"abcdefgh".to_vec(),
            b"abcdefgh".to_vec(),
            b"abcdefghijk".to_vec(),
            b"abcdefghijk\0".to_vec(),
            b"abcdefghijkl".to_vec(),
            b"abcdefghijkl".to_vec(),
            b"abcdefghijklmnopqrst".to_vec(),
            b"abcdefghijklmnopqrsa".to_vec(),
            vec![0xff; 30],
            vec![0xff; 29],
        ];
        for i in 0..300u32 {
            let text = format!("Default/net/layer{}/Op-op{}", i * 7 % 13, i * 31 % 97);
            list.push(text.into_bytes());
        }
        let mut names = Names::default();
        for name in &list {
            names.push(name).unwrap();
        }
        let ids: Vec<NameId> = (0..names.len()).map(NameId).collect();
        let ranks = ranks(&names, &ids);
        let mut sorted = list.clone();
        sorted.sort();
        for (i, name) in list.iter().enumerate() {
            assert_eq!(names.get(NameId(i as u32)), name);
            assert_eq!(ranks[i] as usize, sorted.partition_point(|n| n < name));
        }
    }
}
