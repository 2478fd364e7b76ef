//! How is a list put in order without a sort compiled for its type?
//!
//! Each type and each comparison that the standard library's sorts meet costs the page two to eight kilobytes. The
//! lists here are sorted as numbers by one of them. That is two to three times slower, so lists with an entry a
//! tensor stay with the standard library, as plain numbers or pairs of numbers, of which it is compiled for few.

use std::cmp::Ordering;

/// Sorts a list; what compares equal keeps its order.
pub fn sort<T: Ord>(list: &mut [T]) {
    sort_by(list, T::cmp);
}

/// Sorts a list by a comparison; what compares equal keeps its order. A list has at most `u32::MAX` entries.
pub fn sort_by<T>(list: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let entries: &[T] = list;
    let order = order(list.len() as u32, &|a, b| {
        compare(&entries[a as usize], &entries[b as usize])
    });
    arrange(list, order);
}

/// The places `0..len` in the order that `compare` gives them.
fn order(len: u32, compare: &dyn Fn(u32, u32) -> Ordering) -> Vec<u32> {
    let mut places: Vec<u32> = (0..len).collect();
    places.sort_by(|a, b| compare(*a, *b));
    places
}

/// Moves to each place the entry that `from` names for it, a circle of moves after the other.
fn arrange<T>(list: &mut [T], mut from: Vec<u32>) {
    for start in 0..from.len() {
        let mut place = start;
        loop {
            let next = std::mem::replace(&mut from[place], place as u32) as usize;
            if next == start {
                break;
            }
            list.swap(place, next);
            place = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut seed = 7u64;
        for len in [0usize, 1, 2, 3, 50, 1000] {
            let mut list: Vec<(u64, usize)> = Vec::new();
            for at in 0..len {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                list.push((seed >> 59, at));
            }
            let mut expected = list.clone();
            expected.sort_by_key(|entry| entry.0);
            sort_by(&mut list, |a, b| a.0.cmp(&b.0));
            assert_eq!(list, expected);
            expected.sort_by(|a, b| b.cmp(a));
            sort_by(&mut list, |a, b| b.cmp(a));
            assert_eq!(list, expected);
            expected.sort();
            sort(&mut list);
            assert_eq!(list, expected);
        }
    }
}
