//! Nodes whose names come near a text that no node is called.

use super::names::{last_part, operator};
use super::search::names_containing;
use crate::model::Plan;

/// How many letters a name may be off.
const OFF: usize = 3;

/// At most `most` nodes whose names come near, the nearest first, then by step: another path in
/// front of the same last part; the text within the name; a last part some letters off; the right
/// operator with another number. Letters of either case. O(bytes of names).
pub fn near_nodes(plan: &Plan, text: &str, most: usize) -> Vec<u32> {
    let wanted = text.as_bytes();
    let short = last_part(wanted);
    let letters = letters(short);
    let own_operator = operator(short);
    let holding = names_containing(&plan.names, wanted);
    let holds = |n: u32| {
        let name = plan.nodes.name.get(n as usize);
        !wanted.is_empty() && name.is_some_and(|id| holding.contains(id.0))
    };
    // Of each rank the first ones are enough, and they come in the order of their steps.
    let mut ranked: Vec<Vec<u32>> = vec![Vec::new(); 3 + OFF];
    for n in 0..plan.n_nodes() {
        let last = last_part(plan.node_name(n));
        let rank = if last.eq_ignore_ascii_case(short) {
            0
        } else if holds(n) {
            1
        } else if let Some(off) = distance(last, short, letters) {
            1 + off
        } else if operator(last).eq_ignore_ascii_case(own_operator) {
            2 + OFF
        } else {
            continue;
        };
        if let Some(list) = ranked.get_mut(rank).filter(|list| list.len() < most) {
            list.push(n);
        }
    }
    ranked.into_iter().flatten().take(most).collect()
}

/// Which letters a name has, a bit each.
fn letters(name: &[u8]) -> u64 {
    name.iter()
        .fold(0, |set, b| set | 1 << (b.to_ascii_lowercase() & 63))
}

/// Letters to change, add or leave out to get from `a` to `b`, whose letters are `of_b`; `None`
/// when there are more than [`OFF`].
fn distance(a: &[u8], b: &[u8], of_b: u64) -> Option<usize> {
    let ascii = a.is_ascii() && b.is_ascii();
    // A change of a letter takes one out of the set and adds one; a letter has up to four bytes.
    let bytes = if ascii { OFF } else { 4 * OFF };
    if a.len().abs_diff(b.len()) > bytes || (letters(a) ^ of_b).count_ones() as usize > 2 * bytes {
        return None;
    }
    if ascii {
        return changes(a, b, |x, y| x.eq_ignore_ascii_case(y));
    }
    let chars = |name: &[u8]| -> Vec<char> {
        let text = String::from_utf8_lossy(name);
        text.chars().map(|c| c.to_ascii_lowercase()).collect()
    };
    changes(&chars(a), &chars(b), |x, y| x == y)
}

/// The same of two lists.
fn changes<T>(mut a: &[T], mut b: &[T], same: impl Fn(&T, &T) -> bool) -> Option<usize> {
    if a.len().abs_diff(b.len()) > OFF {
        return None;
    }
    // What both begin or end with needs no change.
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        if !same(x, y) {
            break;
        }
        (a, b) = (rest_a, rest_b);
    }
    while let ([rest_a @ .., x], [rest_b @ .., y]) = (a, b) {
        if !same(x, y) {
            break;
        }
        (a, b) = (rest_a, rest_b);
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = i;
        let mut left = i + 1;
        let mut least = left;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (place, y) in row.iter_mut().skip(1).zip(b) {
            let change = corner + usize::from(!same(x, y));
            corner = *place;
            left = change.min(corner + 1).min(left + 1);
            *place = left;
            least = least.min(left);
        }
        if least > OFF {
            return None;
        }
    }
    row.last().copied().filter(|off| *off <= OFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_off() {
        let distance =
            |a: &str, b: &str| distance(a.as_bytes(), b.as_bytes(), letters(b.as_bytes()));
        assert_eq!(distance("cast-op1", "cats-op1"), Some(2));
        assert_eq!(distance("ReLU-op1", "relu-op12"), Some(1));
        assert_eq!(distance("relu", "matmulxx"), None);
        assert_eq!(distance("", "abc"), Some(3));
        assert_eq!(distance("abcd", ""), None);
        assert_eq!(distance("网络甲乙", "网络丙丁"), Some(2));
        assert_eq!(distance("aXbYc", "abc"), Some(2));
        assert_eq!(distance("aaa", "aaaaaa"), Some(3));
        assert_eq!(distance("Conv2D-op1234", "conv2d-op9934"), Some(2));
        assert_eq!(distance("Conv2D-op1234", "conv2d-op9999"), None);
    }
}
