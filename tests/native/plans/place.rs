//! Sizes, gaps and offsets: the naive first fit that makes a net a valid plan.

use super::build::{Net, NetTensor};
use super::mini::{Mini, Style, Tensor};

/// Aligned size of a tensor by the rule of its device.
pub fn align(style: Style, original: u64) -> u64 {
    let original = if original == 0 && style.is_c() {
        1
    } else {
        original
    };
    match (original, style.device()) {
        (0, _) => 0,
        (n, "Ascend") => (n + 543) / 512 * 512,
        (n, _) => n.div_ceil(512) * 512,
    }
}

/// One piece of memory: members with their place in it, and the steps that need it.
struct Piece {
    /// Tensor, distance from the start of the piece, aligned size.
    members: Vec<(usize, u64, u64)>,
    size: u64,
    first: u64,
    last: u64,
}

/// The steps a tensor is alive at, widened.
fn life(t: &NetTensor, end: u64) -> (u64, u64) {
    let first = if matches!(t.lifelong, 1 | 2) {
        0
    } else {
        t.first
    };
    let last = if matches!(t.lifelong, 1 | 3) {
        end
    } else {
        t.last
    };
    (first, last)
}

/// Gives every tensor its size and offset and fills the rest of the dump.
pub fn place(mini: &mut Mini, mut net: Net) {
    let style = mini.style;
    let end = mini.nodes.len().saturating_sub(1) as u64;
    let mut aligned: Vec<u64> = net
        .tensors
        .iter()
        .map(|t| {
            if t.unplaced {
                0
            } else {
                align(style, t.original)
            }
        })
        .collect();
    let mut pieces = Vec::new();
    for group in &net.groups {
        let none = style.is_c() && group.iter().any(|&t| aligned[t] == 0);
        let size = if none {
            0
        } else {
            group.iter().map(|&t| aligned[t]).max().unwrap_or(0)
        };
        for (i, &t) in group.iter().enumerate() {
            // Followers of the old releases show no bytes of their own.
            aligned[t] = if style.is_c() || i == 0 { size } else { 0 };
        }
        pieces.push(group.iter().map(|&t| (t, 0, aligned[t])).collect());
    }
    for list in net.lists.clone() {
        pieces.push(lay_out(style, &mut net, &mut aligned, &list));
    }
    for t in (0..net.tensors.len())
        .filter(|&t| net.tensors[t].group.is_none() && net.tensors[t].list.is_none())
    {
        pieces.push(vec![(t, 0, aligned[t])]);
    }
    let pieces: Vec<Piece> = pieces
        .into_iter()
        .map(|members| piece(&net, members, end))
        .collect();
    let streams: std::collections::BTreeSet<u64> = mini.nodes.iter().map(|n| n.stream).collect();
    let starts = first_fit(&pieces, streams.len() <= 1);
    let mut offsets = vec![0; net.tensors.len()];
    for (piece, start) in pieces.iter().zip(&starts) {
        for &(t, at, _) in piece.members.iter().filter(|_| piece.size > 0) {
            offsets[t] = start + at;
        }
    }
    write(mini, &net, &aligned, &offsets);
}

/// Members of a contiguous list back to back, with the gap of their release.
fn lay_out(
    style: Style,
    net: &mut Net,
    aligned: &mut Vec<u64>,
    list: &[usize],
) -> Vec<(usize, u64, u64)> {
    let (front, back) = (list[0], list[list.len() - 1]);
    if style.shifts() {
        aligned[front] += 512;
        aligned[back] += 512;
    }
    if style == Style::C3Cpu {
        list.iter()
            .for_each(|&t| aligned[t] = net.tensors[t].original);
        let sum: u64 = list.iter().map(|&t| aligned[t]).sum();
        aligned[back] += sum.div_ceil(512) * 512 - sum;
    }
    let mut row = list.to_vec();
    if style == Style::A {
        for neighbour in [front, back] {
            let old = net.tensors[neighbour].clone();
            net.tensors.push(NetTensor {
                original: 512,
                kind: "Gap".into(),
                source: u64::MAX,
                list: Some(usize::MAX),
                first: old.last,
                ..old
            });
            aligned.push(512);
        }
        row.insert(0, net.tensors.len() - 2);
        row.push(net.tensors.len() - 1);
    }
    let mut at = 0;
    row.iter()
        .map(|&t| {
            let here = (t, at, aligned[t]);
            at += aligned[t];
            here
        })
        .collect()
}

fn piece(net: &Net, members: Vec<(usize, u64, u64)>, end: u64) -> Piece {
    let lives: Vec<(u64, u64)> = members
        .iter()
        .map(|&(t, ..)| life(&net.tensors[t], end))
        .collect();
    Piece {
        size: members
            .iter()
            .map(|&(_, at, size)| at + size)
            .max()
            .unwrap_or(0),
        first: lives.iter().map(|l| l.0).min().unwrap_or(0),
        last: lives.iter().map(|l| l.1).max().unwrap_or(0),
        members,
    }
}

/// The lowest multiple of 512 that no earlier piece in its way covers. Where several streams run,
/// nothing is ever taken over.
fn first_fit(pieces: &[Piece], in_order: bool) -> Vec<u64> {
    let mut starts: Vec<u64> = Vec::new();
    for piece in pieces {
        let mut blockers: Vec<(u64, u64)> = pieces
            .iter()
            .zip(&starts)
            .filter(|(p, _)| {
                p.size > 0 && !(in_order && (p.last < piece.first || piece.last < p.first))
            })
            .map(|(p, &start)| (start, start + p.size))
            .collect();
        blockers.sort_unstable();
        let mut at = 0;
        for (start, end) in blockers {
            if at + piece.size <= start {
                break;
            }
            at = at.max(end.div_ceil(512) * 512);
        }
        starts.push(at);
    }
    starts
}

fn write(mini: &mut Mini, net: &Net, aligned: &[u64], offsets: &[u64]) {
    let style = mini.style;
    let ids = |list: &Vec<usize>| list.iter().map(|&t| t as u64).collect::<Vec<u64>>();
    for (i, t) in net.tensors.iter().enumerate() {
        let shifted = style.shifts() && t.list.is_some_and(|l| net.lists[l][0] == i);
        mini.tensors.push(Tensor {
            id: i as u64,
            aligned: aligned[i],
            original: t.original,
            offset: offsets[i] + if shifted { 512 } else { 0 },
            kind: t.kind.clone(),
            lifelong: t.lifelong,
            first: t.first,
            last: t.last,
            source: mini
                .nodes
                .get(t.source as usize)
                .map(|n| n.name.clone())
                .unwrap_or_default(),
        });
    }
    // The old releases and C1 print the pairs as they were collected.
    mini.unions = if style.is_c() && style != Style::C1 {
        net.groups.iter().map(ids).collect()
    } else {
        net.pairs
            .iter()
            .map(|&(a, b)| vec![a as u64, b as u64])
            .collect()
    };
    if style.is_c() {
        mini.contiguous = net.lists.iter().map(ids).collect();
        mini.processed = mini.contiguous.clone();
    }
    mini.total = (0..aligned.len())
        .filter(|&t| aligned[t] > 0)
        .map(|t| offsets[t] + aligned[t])
        .max()
        .unwrap_or(0);
    mini.blocks = blocks(net, aligned, offsets);
}

/// Overlapping ranges joined, touching ones not; each list's whole range counts; highest first.
fn blocks(net: &Net, aligned: &[u64], offsets: &[u64]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = (0..aligned.len())
        .filter(|&t| aligned[t] > 0)
        .map(|t| (offsets[t], offsets[t] + aligned[t]))
        .collect();
    for list in &net.lists {
        ranges.push((
            offsets[list[0]],
            offsets[list[0]] + list.iter().map(|&t| aligned[t]).sum::<u64>(),
        ));
    }
    ranges.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (start, end) in ranges {
        match joined.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => joined.push((start, end)),
        }
    }
    joined
        .into_iter()
        .rev()
        .map(|(start, end)| (start, end - start))
        .collect()
}
