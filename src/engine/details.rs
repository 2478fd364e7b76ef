//! Everything about one tensor, one node, one parameter.

use super::explore::{NodeFacts, NodeLink, ParameterFacts, Some200, TensorFacts, TensorLink};
use super::table::{lifelong, parameter_name, parameter_size, tensor_type, Kept, Of};
use super::tasks;
use crate::analysis;
use crate::model::{InputRef, NodeFlags, Plan, PlanKind};
use crate::report::names;

/// The first 200 of a list, made presentable, and its length.
pub fn some200<I, T>(list: impl IntoIterator<Item = I>, link: impl Fn(I) -> T) -> Some200<T> {
    let mut list = list.into_iter();
    let first: Vec<T> = list.by_ref().take(200).map(link).collect();
    let total = (first.len() + list.count()) as u32;
    Some200 { first, total }
}

/// First and last step alive; as printed where the tensor begins behind the last step.
pub fn life(plan: &Plan, t: u32) -> (u32, u32) {
    plan.live_range(t)
        .map_or(plan.tensors.printed_life(t), |r| (r.first, r.last))
}

/// A link to node `n`.
pub fn node_link(plan: &Plan, n: u32) -> NodeLink {
    NodeLink {
        step: plan.nodes.step(n),
        name: names::display(plan.node_name(n)),
    }
}

/// A link to tensor `t`.
pub fn tensor_link(plan: &Plan, t: u32) -> TensorLink {
    let (first, last) = life(plan, t);
    let source = plan.tensors.source_of(t);
    TensorLink {
        id: plan.tensors.ids.id(t),
        aligned: plan.tensors.aligned_at(t),
        first,
        last,
        source: source
            .map(|n| names::display(plan.node_name(n)))
            .unwrap_or_default(),
    }
}

fn stream(plan: &Plan, n: u32) -> Option<u32> {
    plan.ordered.then(|| plan.nodes.stream_of(n))
}

/// The tensor of an id; `None` when there is none.
pub fn tensor(of: &Of<'_>, id: u64) -> Option<TensorFacts> {
    let plan = of.plan;
    let t = plan.tensors.ids.index_of(id)?;
    let (first, last) = life(plan, t);
    let source = plan.tensors.source_of(t);
    let aligned = plan.tensors.aligned_at(t);
    let offset = (aligned > 0 && plan.kind == PlanKind::Plan).then(|| plan.tensors.shown_offset(t));
    let mates: &[u32] = plan.union_group(t).map_or(&[], |g| plan.unions.get(g));
    let list = plan.contiguous.iter().find(|list| list.contains(&t));
    let near = analysis::neighbours(plan, t);
    let used = of
        .tasks
        .and_then(|tasks| tasks.check.tensor_at.get(t as usize).copied());
    let readers = plan.readers().get(t);
    let mut also = analysis::nodes_using(plan, t);
    also.retain(|n| Some(*n) != source && !readers.contains(n));
    let sharing = match offset {
        Some(_) => analysis::sharing_bytes(plan, t).len() as u32,
        None => 0,
    };
    let node = |&n: &u32| node_link(plan, n);
    let link = |&t: &u32| tensor_link(plan, t);
    Some(TensorFacts {
        id,
        size: plan.tensors.original_at(t),
        aligned,
        offset,
        true_offset: offset
            .map(|_| plan.tensors.true_offset(t))
            .filter(|o| Some(*o) != offset),
        base: of.base,
        task: used.filter(|(address, _)| *address != 0),
        first,
        last,
        tensor_type: tensor_type(plan, t),
        lifelong: lifelong(plan, t),
        producer: source.map(|n| node_link(plan, n)),
        output_index: plan.output_index(t),
        stream: source.and_then(|n| stream(plan, n)),
        readers: some200(readers, node),
        also_used: some200(&also, node),
        sharing,
        mates: some200(mates.iter().filter(|m| **m != t), link),
        contiguous: some200(list.unwrap_or(&[]), link),
        before: near.before.map(|t| tensor_link(plan, t)),
        after: near.after.map(|t| tensor_link(plan, t)),
    })
}

/// The node of a step; `None` when there is none.
pub fn node(of: &Of<'_>, step: u32) -> Option<NodeFacts> {
    let plan = of.plan;
    let n = plan.nodes.at_step(step)?;
    let flags = plan.nodes.flags_of(n);
    let alive = of.liveness.alive.get(step as usize).copied()?;
    let link = |&t: &u32| tensor_link(plan, t);
    let tensors = plan.nodes.inputs_of(n).filter_map(|input| match input {
        InputRef::Tensor(t) => Some(t),
        InputRef::Parameter(_) => None,
    });
    let parameters = plan.nodes.inputs_of(n).filter_map(|input| match input {
        InputRef::Tensor(_) => None,
        InputRef::Parameter(p) => Some(p),
    });
    let parameter = |p: u32| {
        (
            plan.parameters.ids.id(p),
            names::display(parameter_name(plan, p)),
            parameter_size(plan, p),
        )
    };
    let edges = |from: &[u32], to: &[u32]| {
        let mut list: Vec<u32> = from
            .iter()
            .zip(to)
            .filter(|(from, _)| **from == n)
            .map(|(_, to)| *to)
            .collect();
        list.sort_unstable();
        list.dedup();
        some200(list, |n| node_link(plan, n))
    };
    Some(NodeFacts {
        step,
        name: names::display(plan.node_name(n)),
        operator: names::display(analysis::names::operator(plan.node_name(n))),
        stream: stream(plan, n),
        communication: flags.has(NodeFlags::COMMUNICATION),
        clean: flags.has(NodeFlags::CLEAN),
        repeated: flags.has(NodeFlags::REPEATED),
        inputs: some200(tensors, |t| tensor_link(plan, t)),
        parameters: some200(parameters, parameter),
        outputs: some200(plan.nodes.outputs.get(n), link),
        workspaces: some200(plan.nodes.workspaces.get(n), link),
        after: edges(&plan.order.after, &plan.order.before),
        before: edges(&plan.order.before, &plan.order.after),
        task: of.tasks.and_then(|tasks| tasks::of_node(tasks, n)),
        alive,
        in_use: alive.saturating_add(of.static_memory),
    })
}

/// The parameter of an id; `None` when there is none.
pub fn parameter(of: &Of<'_>, kept: &mut Kept, id: u64) -> Option<ParameterFacts> {
    let plan = of.plan;
    let p = plan.parameters.ids.index_of(id)?;
    let readers = kept.parameter_readers(plan).get(p);
    Some(ParameterFacts {
        id,
        name: names::display(parameter_name(plan, p)),
        size: parameter_size(plan, p),
        start_addr: of.parameter_address(p),
        readers: some200(readers, |&n| node_link(plan, n)),
    })
}
