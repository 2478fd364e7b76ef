//! Who refers to whom: ids in lists become indices, lists that share a member become one union,
//! every tensor gets its source, control tensors become edges.

use super::diagnostic::{Arg, Code, Diagnostics};
use super::raw::{Lookup, RawControl, RawDump, RefTable, SuspectKind};
use super::resolve::RowLines;
use crate::model::{Ids, Lists, NodeFlags, Nodes, OrderEdges, Tensors, NONE};

/// From ids in lists to indices.
pub(crate) struct References<'a> {
    pub(crate) refs: &'a RefTable,
    pub(crate) tensors: &'a Ids,
    pub(crate) parameters: &'a Ids,
}

impl References<'_> {
    fn index(&self, code: u32) -> Option<u32> {
        let (id, parameter) = self.refs.decode(code);
        if parameter {
            Some(self.parameters.index_of(id)? | crate::model::PARAMETER_BIT)
        } else {
            self.tensors.index_of(id)
        }
    }

    /// Lists of tensors; what is not listed in the dump is left out.
    pub(crate) fn follow(&self, lists: &Lists) -> Lists {
        let mut out = Lists::default();
        for row in lists.iter() {
            out.push_row(row.iter().filter_map(|&code| self.index(code)));
        }
        out
    }

    /// The lists of the nodes. Where ids count up from 0 and every reference was looked up while
    /// its row was read, the codes are indices already.
    pub(crate) fn follow_nodes(&self, nodes: &mut Nodes, raw: &RawDump) {
        let odd = raw.suspects.iter().any(|s| {
            matches!(
                s.what,
                SuspectKind::TensorRef(_) | SuspectKind::ParameterRef(_)
            )
        });
        let as_read = |lookup: &Lookup, ids: &Ids| matches!(lookup, Lookup::Dense(n) if ids.is_dense() && *n <= ids.len());
        if odd
            || !as_read(&raw.tensor_lookup, self.tensors)
            || !as_read(&raw.parameter_lookup, self.parameters)
        {
            for lists in [&mut nodes.inputs, &mut nodes.outputs, &mut nodes.workspaces] {
                *lists = self.follow(lists);
            }
        }
    }
}

/// Merges lists that share a member into disjoint groups: each with the first printed id as its
/// head, members in the order they were printed. Groups of one are none.
pub(crate) fn merge_unions(lists: &Lists, n_tensors: u32) -> (Lists, Vec<u32>) {
    if lists.is_empty() {
        return (Lists::default(), Vec::new());
    }
    let mut group_of = vec![NONE; n_tensors as usize];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for list in lists.iter() {
        let of =
            |t: u32, group_of: &[u32]| group_of.get(t as usize).copied().filter(|g| *g != NONE);
        let target = list
            .iter()
            .filter_map(|&t| of(t, &group_of))
            .min()
            .unwrap_or(groups.len() as u32);
        if target as usize == groups.len() {
            groups.push(Vec::new());
        }
        for &t in list {
            let joined = match of(t, &group_of) {
                Some(g) if g == target => continue,
                Some(g) => groups
                    .get_mut(g as usize)
                    .map(std::mem::take)
                    .unwrap_or_default(),
                None => vec![t],
            };
            for member in joined {
                if let (Some(place), Some(group)) = (
                    group_of.get_mut(member as usize),
                    groups.get_mut(target as usize),
                ) {
                    *place = target;
                    group.push(member);
                }
            }
        }
    }
    let mut merged = Lists::default();
    for group in groups.iter().filter(|g| g.len() > 1) {
        for &t in group {
            if let Some(place) = group_of.get_mut(t as usize) {
                *place = merged.len();
            }
        }
        merged.push_row(group.iter().copied());
    }
    for group in groups.iter().filter(|g| g.len() == 1) {
        for &t in group {
            if let Some(place) = group_of.get_mut(t as usize) {
                *place = NONE;
            }
        }
    }
    (merged, group_of)
}

/// The source of every tensor: the first node that lists it as its own. A node all of whose
/// tensors belong to earlier nodes is a repetition.
pub(crate) fn find_sources(
    tensors: &mut Tensors,
    nodes: &mut Nodes,
    node_rows: &RowLines,
    whole: bool,
    diagnostics: &mut Diagnostics,
) {
    for n in 0..nodes.len() {
        let (mut own, mut taken) = (0u32, None);
        let owned = nodes.outputs.get(n).iter().chain(nodes.workspaces.get(n));
        for &t in owned {
            match tensors.source.get_mut(t as usize) {
                Some(source) if *source == NONE => {
                    *source = n;
                    own += 1;
                }
                // Listed twice by one node: still one source.
                Some(source) if *source == n => own += 1,
                Some(source) => taken = Some((t, *source)),
                None => {}
            }
        }
        let Some((t, first)) = taken else { continue };
        if own == 0 {
            if let Some(flags) = nodes.flags.get_mut(n as usize) {
                flags.set(NodeFlags::REPEATED);
            }
        } else if whole {
            let step = |n: u32| Arg::Number(u64::from(nodes.step(n)));
            let args = vec![Arg::Number(tensors.ids.id(t)), step(first), step(n)];
            diagnostics.add(Code::WrittenTwice, node_rows.line_of(n), 1, args, None);
        }
    }
}

/// Control tensors as edges between nodes; those that name a node that is not there are left out
/// (and reported by the checks).
pub(crate) fn control_order(control: &RawControl, nodes: &Nodes) -> (OrderEdges, u32) {
    let index = |step: &u32| nodes.ids.index_of(u64::from(*step));
    let all_known = control
        .before
        .iter()
        .chain(&control.after)
        .all(|step| index(step) == Some(*step));
    if all_known {
        return (
            OrderEdges {
                before: control.before.clone(),
                after: control.after.clone(),
            },
            control.ids.len(),
        );
    }
    let edges = control
        .before
        .iter()
        .zip(&control.after)
        .filter_map(|(b, a)| Some((index(b)?, index(a)?)));
    let (before, after) = edges.unzip();
    (OrderEdges { before, after }, control.ids.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chained_unions_become_one_group_with_the_first_head() {
        let mut lists = Lists::default();
        lists.push_row([4, 5]);
        lists.push_row([1, 2, 1]);
        lists.push_row([5, 2]);
        lists.push_row([7, 7]);
        let (merged, of) = merge_unions(&lists, 9);
        assert_eq!(merged.iter().collect::<Vec<_>>(), vec![&[4, 5, 1, 2][..]]);
        assert_eq!(of, [NONE, 0, 0, NONE, 0, 0, NONE, NONE, NONE]);
    }
}
