//! From the inputs of the nodes to the readers of the tensors.

use super::{InputRef, Lists, Nodes, NONE};

/// The readers of every tensor: nodes ascending, each once. In two passes over the inputs.
pub(crate) fn readers_of(nodes: &Nodes, n_tensors: u32, generation_a: bool) -> Lists {
    let mut starts = vec![0u32; n_tensors as usize + 1];
    each_read(nodes, generation_a, |_, t| {
        if let Some(count) = starts.get_mut(t as usize + 1) {
            *count += 1;
        }
    });
    let mut sum = 0u32;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    // `next[t]` is where the next reader of t goes. A node that lists t twice fills one place and
    // leaves a hole behind the row.
    let mut items = vec![NONE; sum as usize];
    let mut next = starts.clone();
    let mut holes = false;
    each_read(nodes, generation_a, |n, t| {
        let (Some(at), Some(&first)) = (next.get_mut(t as usize), starts.get(t as usize)) else {
            return;
        };
        if *at > first && items.get(*at as usize - 1) == Some(&n) {
            holes = true;
            return;
        }
        if let Some(place) = items.get_mut(*at as usize) {
            *place = n;
            *at += 1;
        }
    });
    let lists = Lists::from_parts(starts, items);
    if !holes {
        return lists;
    }
    let mut closed = Lists::default();
    closed.reserve(n_tensors as usize, lists.items().len());
    for row in lists.iter() {
        closed.push_row(row.iter().copied().filter(|n| *n != NONE));
    }
    closed
}

/// Visits every node with every tensor it reads, nodes ascending.
#[inline(always)]
fn each_read(nodes: &Nodes, generation_a: bool, mut visit: impl FnMut(u32, u32)) {
    for ((n, row), flags) in (0u32..).zip(nodes.inputs.iter()).zip(&nodes.flags) {
        if !flags.reads_inputs(generation_a) {
            continue;
        }
        for &item in row {
            if let InputRef::Tensor(t) = InputRef::decode(item) {
                visit(n, t);
            }
        }
    }
}
