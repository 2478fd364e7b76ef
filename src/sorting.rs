//! How is a list put in order without a sort compiled for its type?
//!
//! Each type and each comparison that the standard library's sorts meet costs the page two to eight kilobytes, and
//! in the page, where that library is built for size, they are plain heap and merge sorts. Lists of records are
//! sorted as numbers by one of them. Lists with an entry a tensor or a node are sorted as numbers by their digits.

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

/// Bits of a digit.
const DIGIT: u32 = 11;

/// Numbers looked at by one call: a browser goes over to fast code from one call to the next only.
const BLOCK: usize = 8192;

/// How often each digit occurs, then where its next number goes.
type Digits = [u32; 1 << DIGIT];

/// Sorts numbers by their bits from bit `from` on; those with equal ones stay as they came. A list has at most
/// `u32::MAX` numbers. Digit by digit from the lowest, each time counting first how many go where.
pub fn by_digits(numbers: &mut Vec<u64>, from: u32) {
    if numbers.is_sorted() {
        return;
    }
    let mut to = vec![0u64; numbers.len()];
    for shift in (from..u64::BITS).step_by(DIGIT as usize) {
        let mut next = [0u32; 1 << DIGIT];
        for block in numbers.chunks(BLOCK) {
            count(block, shift, &mut next);
        }
        if next.iter().any(|&n| n as usize == numbers.len()) {
            continue;
        }
        let mut sum = 0;
        for n in &mut next {
            (*n, sum) = (sum, sum + *n);
        }
        for block in numbers.chunks(BLOCK) {
            deal(block, shift, &mut next, &mut to);
        }
        std::mem::swap(numbers, &mut to);
    }
}

fn digit(number: u64, shift: u32) -> usize {
    (number >> shift) as usize & ((1 << DIGIT) - 1)
}

#[inline(never)]
fn count(numbers: &[u64], shift: u32, of: &mut Digits) {
    for &number in numbers {
        if let Some(n) = of.get_mut(digit(number, shift)) {
            *n += 1;
        }
    }
}

#[inline(never)]
fn deal(numbers: &[u64], shift: u32, next: &mut Digits, to: &mut [u64]) {
    for &number in numbers {
        if let Some(place) = next.get_mut(digit(number, shift)) {
            if let Some(slot) = to.get_mut(*place as usize) {
                *slot = number;
            }
            *place += 1;
        }
    }
}

/// Pairs as numbers, sorted by the first; those with equal first ones stay as they came.
pub fn pairs_by_first(pairs: impl Iterator<Item = (u32, u32)>) -> Vec<(u32, u32)> {
    let mut numbers: Vec<u64> = pairs
        .map(|(a, b)| u64::from(a) << 32 | u64::from(b))
        .collect();
    by_digits(&mut numbers, 32);
    numbers
        .into_iter()
        .map(|n| ((n >> 32) as u32, n as u32))
        .collect()
}

/// The different ones of a list, ascending.
pub fn distinct(list: &[u32]) -> Vec<u32> {
    let runs = list.chunk_by(|a, b| a == b);
    let mut numbers: Vec<u64> = runs
        .filter_map(|run| run.first().map(|&n| n.into()))
        .collect();
    by_digits(&mut numbers, 0);
    numbers.dedup();
    numbers.into_iter().map(|n| n as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_sort_stably_by_the_upper_bits() {
        let mut seed = 1u64;
        for from in [0, 1, 20, 32, 63] {
            for (len, mask) in [(0, 0), (1, 7), (5000, 0xffff_f0f0), (20_000, u64::MAX)] {
                let mut numbers = vec![];
                for _ in 0..len {
                    seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    numbers.push(seed.rotate_left(17) & mask);
                }
                let mut sorted = numbers.clone();
                sorted.sort_by_key(|n| n >> from);
                by_digits(&mut numbers, from);
                assert_eq!(numbers, sorted, "{from} {len}");
            }
        }
        let pairs = [(3, 1), (u32::MAX, 0), (3, 0), (0, 9)];
        let sorted = pairs_by_first(pairs.into_iter());
        assert_eq!(sorted, [(0, 9), (3, 1), (3, 0), (u32::MAX, 0)]);
        assert_eq!(distinct(&[4, 4, 1, 4, u32::MAX, 1]), [1, 4, u32::MAX]);
        assert!(distinct(&[]).is_empty());
    }

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
