//! Details of every tensor, node and parameter against the text.

use proptest::prelude::*;
use somascope::engine::explore::{NodeLink, Some200, TensorFacts, TensorLink};
use somascope::engine::{Request, Response};
use somascope::report::names::display;

use super::{cases, operator, Case};
use crate::oracle::{is_clean, read::number};
use crate::plans::{any_plan, Mini};
use crate::properties::{check, Outcome};

fn life(case: &Case, t: u64) -> (u32, u32) {
    let end = case.oracle.steps.saturating_sub(1);
    let (first, last) = case.oracle.life(t);
    (first as u32, last.min(end).max(first) as u32)
}

fn tensor_link(case: &Case, t: u64) -> TensorLink {
    let (first, last) = life(case, t);
    TensorLink {
        id: t,
        aligned: case.oracle.dump.tensors[&t].aligned,
        first,
        last,
        source: case
            .source_name(t)
            .map_or(String::new(), |n| display(n.as_bytes())),
    }
}

fn node_link(case: &Case, step: u64) -> NodeLink {
    NodeLink {
        step: step as u32,
        name: display(case.oracle.dump.nodes[&step].name.as_bytes()),
    }
}

fn some200<T>(list: Vec<T>) -> Some200<T> {
    let total = list.len() as u32;
    let first = list.into_iter().take(200).collect();
    Some200 { first, total }
}

fn tensors(case: &Case, list: impl IntoIterator<Item = u64>) -> Some200<TensorLink> {
    some200(list.into_iter().map(|t| tensor_link(case, t)).collect())
}

fn nodes(case: &Case, list: impl IntoIterator<Item = u64>) -> Some200<NodeLink> {
    some200(list.into_iter().map(|n| node_link(case, n)).collect())
}

/// The tensors that share bytes with one and lie on one side of it in time, by the definition.
fn near(case: &Case, t: u64) -> (Option<u64>, Option<u64>) {
    let oracle = &case.oracle;
    if oracle.is_stage() || oracle.steps == 0 {
        return (None, None);
    }
    let bytes = |t: u64| (oracle.true_offset(t), oracle.dump.tensors[&t].aligned);
    let (start, len) = bytes(t);
    let shares = oracle.dump.tensors.keys().copied().filter(|&o| {
        let (other, other_len) = bytes(o);
        let common =
            (start..start + len).contains(&other) || (other..other + other_len).contains(&start);
        o != t && len > 0 && other_len > 0 && common
    });
    let shares: Vec<u64> = shares.collect();
    let (first, last) = life(case, t);
    let before = shares.iter().copied().filter(|&o| life(case, o).1 < first);
    let after = shares.iter().copied().filter(|&o| life(case, o).0 > last);
    (
        before.max_by_key(|&o| (life(case, o).1, std::cmp::Reverse(o))),
        after.min_by_key(|&o| (life(case, o).0, o)),
    )
}

fn tensor_of(case: &mut Case, id: u64) -> TensorFacts {
    let graph = case.graph;
    match case.ask(&Request::Tensor { graph, id }) {
        Response::Tensor(facts) => *facts,
        other => panic!("{}: %{id}T: {other:?}", case.name),
    }
}

fn same_tensor(case: &mut Case, id: u64) {
    let found = tensor_of(case, id);
    let what = format!("{}: %{id}T", case.name);
    let oracle = &case.oracle;
    let t = &oracle.dump.tensors[&id];
    assert_eq!(
        (found.id, found.size, found.aligned),
        (id, t.original, t.aligned),
        "{what}"
    );
    let placed = t.aligned > 0 && !oracle.is_stage();
    let offset = placed.then_some(t.offset);
    assert_eq!(found.offset, offset, "{what}");
    let moved = placed && oracle.true_offset(id) != t.offset;
    assert_eq!(
        found.true_offset,
        moved.then(|| oracle.true_offset(id)),
        "{what}"
    );
    assert_eq!((found.first, found.last), life(case, id), "{what}");
    assert_eq!(
        (&found.tensor_type, &found.lifelong),
        (&t.kind, &t.lifelong),
        "{what}"
    );
    let source = oracle.source.get(&id).copied();
    assert_eq!(found.producer, source.map(|n| node_link(case, n)), "{what}");
    assert_eq!(
        found.output_index.map(u64::from),
        case.output_index(id),
        "{what}"
    );
    let stream = source.map(|n| oracle.dump.nodes[&n].stream as u32);
    let stream = stream.filter(|_| case.plan().ordered);
    assert_eq!(found.stream, stream, "{what}");
    let readers = oracle.readers.get(&id).cloned().unwrap_or_default();
    assert_eq!(found.readers, nodes(case, readers), "{what}");
    let mut mates: Vec<u64> = oracle.group(id).into_iter().filter(|&m| m != id).collect();
    mates.sort_unstable();
    let mut found_mates: Vec<u64> = found.mates.first.iter().map(|m| m.id).collect();
    found_mates.sort_unstable();
    assert_eq!(found_mates, mates, "{what}");
    assert_eq!(found.mates.total as usize, mates.len(), "{what}");
    let list = oracle.dump.contiguous.iter().find(|l| l.contains(&id));
    let list = list.cloned().unwrap_or_default();
    assert_eq!(found.contiguous, tensors(case, list), "{what}");
    let (before, after) = near(case, id);
    assert_eq!(
        found.before,
        before.map(|t| tensor_link(case, t)),
        "{what}: before"
    );
    assert_eq!(
        found.after,
        after.map(|t| tensor_link(case, t)),
        "{what}: after"
    );
}

/// Nodes beside one by an order edge. Releases without control tensors print none: then the
/// edges are the plan's own, which other tests check.
fn edges(case: &Case, step: u64) -> (Vec<u64>, Vec<u64>) {
    let plan = case.plan();
    let order = plan.order.before.iter().zip(&plan.order.after);
    let order = order.map(|(&a, &b)| (plan.nodes.step(a).into(), plan.nodes.step(b).into()));
    let pairs: Vec<(u64, u64)> = match case.oracle.dump.controls.is_empty() {
        true => order.collect(),
        false => case
            .oracle
            .dump
            .controls
            .iter()
            .map(|c| (c.1, c.2))
            .collect(),
    };
    let sorted = |list: Vec<u64>| {
        let set: std::collections::BTreeSet<u64> = list.into_iter().collect();
        set.into_iter().collect::<Vec<u64>>()
    };
    let after = pairs.iter().filter(|p| p.1 == step).map(|p| p.0).collect();
    let before = pairs.iter().filter(|p| p.0 == step).map(|p| p.1).collect();
    (sorted(after), sorted(before))
}

fn same_node(case: &mut Case, step: u64, alive: u64, fixed: u64) {
    let request = Request::Node {
        graph: case.graph,
        step: step as u32,
    };
    let found = match case.ask(&request) {
        Response::Node(facts) => *facts,
        other => panic!("{}: ${step}: {other:?}", case.name),
    };
    let what = format!("{}: ${step}", case.name);
    let node = &case.oracle.dump.nodes[&step];
    assert_eq!(found.step, step as u32, "{what}");
    assert_eq!(found.name, display(node.name.as_bytes()), "{what}");
    assert_eq!(
        found.operator,
        display(operator(&node.name).0.as_bytes()),
        "{what}"
    );
    let ordered = case.plan().ordered;
    assert_eq!(
        found.stream,
        ordered.then_some(node.stream as u32),
        "{what}"
    );
    assert_eq!(found.communication, node.communication, "{what}");
    assert_eq!(found.clean, is_clean(&node.name), "{what}");
    let read = |letter| {
        node.inputs
            .iter()
            .filter(move |i| i.ends_with(letter))
            .map(|i| number(i))
    };
    assert_eq!(found.inputs, tensors(case, read('T')), "{what}");
    let parameters = read('P').map(|p| {
        let (size, name, _) = &case.oracle.dump.params[&p];
        (p, display(name.as_bytes()), *size)
    });
    assert_eq!(found.parameters, some200(parameters.collect()), "{what}");
    assert_eq!(found.outputs, tensors(case, node.outputs.clone()), "{what}");
    assert_eq!(
        found.workspaces,
        tensors(case, node.workspaces.clone()),
        "{what}"
    );
    let (after, before) = edges(case, step);
    assert_eq!(found.after, nodes(case, after), "{what}: after");
    assert_eq!(found.before, nodes(case, before), "{what}: before");
    assert_eq!(
        (found.alive, found.in_use),
        (alive, alive + fixed),
        "{what}"
    );
}

fn same_parameter(case: &mut Case, id: u64) {
    let graph = case.graph;
    let found = match case.ask(&Request::Parameter { graph, id }) {
        Response::Parameter(facts) => *facts,
        other => panic!("{}: %{id}P: {other:?}", case.name),
    };
    let what = format!("{}: %{id}P", case.name);
    let (size, name, _) = case.oracle.dump.params[&id].clone();
    assert_eq!((found.id, found.size), (id, size), "{what}");
    assert_eq!(found.name, display(name.as_bytes()), "{what}");
    assert_eq!(
        found.readers,
        nodes(case, case.parameter_readers(id)),
        "{what}"
    );
    assert_eq!(found.start_addr.is_some(), case.oracle.is_b(), "{what}");
}

fn same_details(case: &mut Case) {
    let dump = case.oracle.dump.clone();
    let alive = case.oracle.alive();
    let fixed = dump.params.values().map(|p| p.0).sum();
    for &id in dump.tensors.keys() {
        same_tensor(case, id);
    }
    for &step in dump.nodes.keys() {
        same_node(case, step, alive[step as usize], fixed);
    }
    for &id in dump.params.keys() {
        same_parameter(case, id);
    }
    let graph = case.graph;
    for id in [u64::MAX, u64::from(u32::MAX), 1 << 33] {
        for request in [
            Request::Tensor { graph, id },
            Request::Parameter { graph, id },
            Request::Node {
                graph,
                step: id as u32 | 1 << 31,
            },
        ] {
            assert!(
                matches!(case.ask(&request), Response::Nothing),
                "{request:?}"
            );
        }
    }
}

#[test]
fn details_of_fixtures() {
    let mut compared = 0;
    for mut case in cases() {
        if case.oracle.dump.tensors.len() < 400 {
            same_details(&mut case);
            compared += 1;
        }
    }
    assert!(compared > 60, "only {compared} fixtures compared");
}

#[test]
fn details_of_random_plans() {
    check(100, any_plan(), Mini::text, |plan| -> Outcome {
        let mut case = Case::new("plan", &plan.text());
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| same_details(&mut case)));
        prop_assert!(outcome.is_ok(), "see above");
        Ok(())
    });
}
