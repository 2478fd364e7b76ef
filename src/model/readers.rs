//! From the inputs of the nodes to the readers of the tensors.

use super::{InputRef, Lists, Nodes, NONE};

/// The readers of every tensor: nodes ascending, each once.
pub(crate) fn readers_of(nodes: &Nodes, n_tensors: u32, generation_a: bool) -> Lists {
    let reads = |n: u32| nodes.flags_of(n).reads_inputs(generation_a);
    invert(nodes, n_tensors, reads, |item| {
        match InputRef::decode(item) {
            InputRef::Tensor(t) => Some(t),
            InputRef::Parameter(_) => None,
        }
    })
}

/// From the inputs of each node to the nodes of each input, in two passes over the lists.
fn invert(
    nodes: &Nodes,
    len: u32,
    reads: impl Fn(u32) -> bool,
    pick: impl Fn(u32) -> Option<u32>,
) -> Lists {
    let mut starts = vec![0u32; len as usize + 1];
    let each = |visit: &mut dyn FnMut(u32, u32)| {
        for n in (0..nodes.len()).filter(|&n| reads(n)) {
            nodes
                .inputs
                .get(n)
                .iter()
                .filter_map(|&item| pick(item))
                .for_each(|x| visit(n, x));
        }
    };
    each(&mut |_, x| {
        if let Some(count) = starts.get_mut(x as usize + 1) {
            *count += 1;
        }
    });
    let mut sum = 0u32;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    // `next[x]` is where the next reader of x goes. A node that lists x twice fills one place and
    // leaves a hole behind the row.
    let mut items = vec![NONE; sum as usize];
    let mut next = starts.clone();
    let mut holes = false;
    each(&mut |n, x| {
        let (Some(at), Some(&first)) = (next.get_mut(x as usize), starts.get(x as usize)) else {
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
    closed.reserve(len as usize, lists.items().len());
    for row in lists.iter() {
        closed.push_row(row.iter().copied().filter(|n| *n != NONE));
    }
    closed
}
