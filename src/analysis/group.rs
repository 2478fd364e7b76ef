//! What bytes belong to: pieces of memory gathered by paths, as a tree.
//!
//! A group of the tree is a beginning of paths up to a sign between their parts; the root is the
//! empty path. Bytes of a piece count in the group of its whole path and in every group above, so
//! a group's bytes are those of its children and of what lies directly in it.

use std::collections::HashMap;

use super::AliveTensor;
use crate::model::{Plan, NONE};
use crate::sorting;

/// Most children a group keeps; the smaller rest is gathered.
const MOST_CHILDREN: usize = 400;
/// Most groups of a tree, half of them for what is gathered.
const MOST_GROUPS: usize = 20_000;
/// Levels below this one, and paths longer than this, are counted in the group above.
const MOST_LEVELS: usize = 100;
const LONGEST_PATH: usize = 4096;

/// Bytes, and what else is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// Aligned bytes (parameters: bytes).
    pub bytes: u64,
    /// Aligned − original bytes.
    pub waste: i64,
    /// Number of pieces.
    pub pieces: u32,
}

impl Amount {
    fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.waste = self.waste.saturating_add(other.waste);
        self.pieces = self.pieces.saturating_add(other.pieces);
    }
}

/// One group of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group<'a> {
    /// Index of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// The whole path; of a gathered rest, its parent's.
    pub path: &'a [u8],
    /// The last part of the path.
    pub name: &'a [u8],
    /// Whether this gathers the small rest of its parent's children.
    pub rest: bool,
    /// The group and everything below it.
    pub amount: Amount,
}

/// The pieces of memory among the tensors listed as alive: the one that stands for each, and what
/// it counts. A union group is one piece.
pub fn pieces(plan: &Plan, alive: &[AliveTensor]) -> Vec<(u32, Amount)> {
    let original = |t: u32| match plan.union_group(t) {
        Some(group) => {
            let members = plan.unions.get(group).iter();
            members
                .map(|&m| plan.tensors.original_at(m))
                .max()
                .unwrap_or(0)
        }
        None => plan.tensors.original_at(t),
    };
    let pieces = alive.iter().filter(|a| a.counted_with.is_none());
    pieces
        .map(|a| {
            let amount = Amount {
                bytes: a.aligned,
                waste: a.aligned.wrapping_sub(original(a.tensor)) as i64,
                pieces: 1,
            };
            (a.tensor, amount)
        })
        .collect()
}

/// Gathers amounts by their paths, whose parts lie between `signs` (none: a path is one part).
/// Parents come before their children, the root first; children are sorted by bytes, largest
/// first, then by path, with the gathered rest at the end.
pub fn tree<'a>(amounts: impl Iterator<Item = (&'a [u8], Amount)>, signs: &[u8]) -> Vec<Group<'a>> {
    let mut by_path: HashMap<&[u8], Amount> = HashMap::new();
    for (path, amount) in amounts {
        by_path.entry(path).or_default().add(amount);
    }
    let mut groups = vec![Group {
        parent: None,
        path: &[],
        name: &[],
        rest: false,
        amount: Amount::default(),
    }];
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    for (path, amount) in by_path {
        let mut at = 0u32;
        for (start, end) in parts(path, signs) {
            let (Some(upto), Some(name)) = (path.get(..end), path.get(start..end)) else {
                break;
            };
            at = *known.entry(upto).or_insert_with(|| {
                groups.push(Group {
                    parent: Some(at),
                    path: upto,
                    name,
                    rest: false,
                    amount: Amount::default(),
                });
                groups.len() as u32 - 1
            });
        }
        if let Some(group) = groups.get_mut(at as usize) {
            group.amount.add(amount);
        }
    }
    // A child was made after its parent, so that its sum is complete when its turn comes.
    for i in (1..groups.len()).rev() {
        let Some(&Group { parent, amount, .. }) = groups.get(i) else {
            continue;
        };
        if let Some(parent) = parent.and_then(|p| groups.get_mut(p as usize)) {
            parent.amount.add(amount);
        }
    }
    trim(&groups)
}

/// Starts and ends of the parts of a path, as far as they become groups.
fn parts(path: &[u8], signs: &[u8]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    let mut start = 0;
    for end in 0..=path.len() {
        if path.get(end).is_some_and(|b| !signs.contains(b)) {
            continue;
        }
        let short = end <= LONGEST_PATH || signs.is_empty();
        // The empty path is the root.
        if end > 0 && short && out.len() < MOST_LEVELS {
            out.push((start, end));
        }
        start = end + 1;
    }
    out
}

/// Sorts the groups and gathers what is too much of them.
fn trim<'a>(groups: &[Group<'a>]) -> Vec<Group<'a>> {
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (i, group) in (0u32..).zip(groups) {
        if let Some(list) = group.parent.and_then(|p| children.get_mut(p as usize)) {
            list.push(i);
        }
    }
    let key = |i: &u32| {
        let group = groups.get(*i as usize);
        (
            std::cmp::Reverse(group.map_or(0, |g| g.amount.bytes)),
            group.map_or(&[][..], |g| g.path),
        )
    };
    for list in &mut children {
        // What is gathered has no order.
        if list.len() > MOST_CHILDREN {
            list.select_nth_unstable_by_key(MOST_CHILDREN, key);
        }
        let first = list.len().min(MOST_CHILDREN);
        if let Some(first) = list.get_mut(..first) {
            sorting::sort_by(first, |a, b| key(a).cmp(&key(b)));
        }
    }
    let of = |i: u32| children.get(i as usize).map_or(&[][..], Vec::as_slice);
    let most = |list: &[u32]| list.len().min(MOST_CHILDREN);
    // What the limit of children leaves, largest first. A parent has at least the bytes of its
    // child and a shorter path, so cutting this list never takes a parent from its child.
    let mut left = vec![0u32];
    let mut next = 0;
    while let Some(&i) = left.get(next) {
        left.extend_from_slice(of(i).get(..most(of(i))).unwrap_or(&[]));
        next += 1;
    }
    if left.len() * 2 > MOST_GROUPS {
        sorting::sort_by(&mut left, |a, b| {
            let ((a_bytes, a_path), (b_bytes, b_path)) = (key(a), key(b));
            let lengths = a_path.len().cmp(&b_path.len());
            a_bytes.cmp(&b_bytes).then(lengths).then(a_path.cmp(b_path))
        });
        left.truncate(MOST_GROUPS / 2);
    }
    let mut stays = vec![false; groups.len()];
    for &i in &left {
        if let Some(stay) = stays.get_mut(i as usize) {
            *stay = true;
        }
    }
    let mut out: Vec<Group<'a>> = groups.iter().take(1).copied().collect();
    // The place in `groups` of each group in `out`.
    let mut from = vec![0u32];
    let mut place = 0;
    while let Some(&parent) = out.get(place) {
        let mut rest = Group {
            parent: Some(place as u32),
            name: &[],
            rest: true,
            amount: Amount::default(),
            ..parent
        };
        for &c in from.get(place).map_or(&[][..], |&i| of(i)) {
            let Some(child) = groups.get(c as usize) else {
                continue;
            };
            if stays.get(c as usize) == Some(&true) {
                out.push(Group {
                    parent: rest.parent,
                    ..*child
                });
                from.push(c);
            } else {
                rest.amount.add(child.amount);
            }
        }
        if rest.amount != Amount::default() {
            out.push(rest);
            from.push(NONE);
        }
        place += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'a>(list: &[(&'a str, u64)], signs: &str) -> Vec<(String, u64, Option<u32>)> {
        let amounts = list.iter().map(|&(path, bytes)| {
            let amount = Amount {
                bytes,
                waste: 1,
                pieces: 1,
            };
            (path.as_bytes(), amount)
        });
        let groups = tree(amounts, signs.as_bytes());
        let shown = |g: &Group<'a>| match g.rest {
            true => format!("{} …", String::from_utf8_lossy(g.path)),
            false => String::from_utf8_lossy(g.path).into_owned(),
        };
        groups
            .iter()
            .map(|g| (shown(g), g.amount.bytes, g.parent))
            .collect()
    }

    #[test]
    fn a_tree_of_paths() {
        let list = [
            ("a/b", 1),
            ("a/c", 2),
            ("a", 4),
            ("d", 8),
            ("", 16),
            ("a/b", 32),
        ];
        let expected = [
            ("", 63, None),
            ("a", 39, Some(0)),
            ("d", 8, Some(0)),
            ("a/b", 33, Some(1)),
            ("a/c", 2, Some(1)),
        ];
        let expected = expected.map(|(path, bytes, parent)| (path.to_string(), bytes, parent));
        assert_eq!(of(&list, "/"), expected);
        assert_eq!(of(&[], "/"), [(String::new(), 0, None)]);
    }

    #[test]
    fn odd_paths_keep_their_bytes() {
        let list = [("/a", 1), ("a//b", 2), ("a/", 4), ("a.b/c", 8)];
        let groups = of(&list, "/.");
        let paths: Vec<&str> = groups.iter().map(|g| g.0.as_str()).collect();
        assert_eq!(paths, ["", "a", "/a", "a.b", "a/", "a.b/c", "a//b"]);
        assert_eq!(groups[0].1, 15);
        assert_eq!(of(&[("a/b", 1)], "").len(), 2);
    }

    /// Direct bytes of each group by the definition, from what its children leave.
    fn adds_up(groups: &[Group<'_>]) -> bool {
        let mut left: Vec<Amount> = groups.iter().map(|g| g.amount).collect();
        for (i, group) in groups.iter().enumerate().skip(1) {
            let parent = group.parent.unwrap() as usize;
            if parent >= i || left[parent].bytes < group.amount.bytes {
                return false;
            }
            left[parent].bytes -= group.amount.bytes;
            left[parent].waste -= group.amount.waste;
            left[parent].pieces -= group.amount.pieces;
        }
        left.iter().map(|a| u64::from(a.pieces)).sum::<u64>() == u64::from(groups[0].amount.pieces)
    }

    #[test]
    fn wide_and_deep_trees_are_gathered_and_add_up() {
        let amount = |bytes| Amount {
            bytes,
            waste: bytes as i64,
            pieces: 1,
        };
        let wide: Vec<String> = (0..1000).map(|i| format!("a/{i}")).collect();
        let groups = tree(wide.iter().map(|p| (p.as_bytes(), amount(2))), b"/");
        assert_eq!(groups.len(), 1 + 1 + 400 + 1);
        assert_eq!(
            groups.last().map(|g| (g.rest, g.amount.bytes)),
            Some((true, 1200))
        );
        assert!(adds_up(&groups));

        let many: Vec<String> = (0..90_000)
            .map(|i| format!("{}/{}/{}", i / 300, i / 10 % 30, i % 10))
            .collect();
        let sized = (0u64..).zip(&many);
        let groups = tree(sized.map(|(i, p)| (p.as_bytes(), amount(i % 97))), b"/");
        assert!(groups.len() <= MOST_GROUPS && groups.len() > MOST_GROUPS / 2);
        assert!(adds_up(&groups));

        let deep = "x/".repeat(50_000);
        let groups = tree([(deep.as_bytes(), amount(7))].into_iter(), b"/");
        assert_eq!(groups.len(), MOST_LEVELS + 1);
        assert!(groups.iter().all(|g| g.amount.bytes == 7));
        let long = "x".repeat(5000);
        assert_eq!(
            tree([(long.as_bytes(), amount(7))].into_iter(), b"/").len(),
            1
        );
    }
}
