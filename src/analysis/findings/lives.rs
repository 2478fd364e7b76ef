//! Do the printed lives of tensors, their sources and their readers agree?

use super::{Finding, FindingKind as Kind, PlanFindings};
use crate::model::{Generation, InputRef, Lifelong, NodeFlags, Plan, TensorKind};

pub(super) fn check(plan: &Plan, out: &mut PlanFindings) {
    read_before_written(plan, out);
    // Generation A prints no lives: they are made from the node lists.
    if plan.generation != Generation::A {
        lives(plan, out);
    }
    written_twice(plan, out);
    never_read(plan, out);
}

/// A tensor that a node reads before its source writes it; its first such reader is named.
fn read_before_written(plan: &Plan, out: &mut PlanFindings) {
    let mut told = std::collections::HashSet::new();
    for n in 0..plan.n_nodes() {
        // A clean node names what it zeroes for later, also where it counts as a reader.
        if plan.nodes.flags_of(n).has(NodeFlags::CLEAN) {
            continue;
        }
        for input in plan.nodes.inputs_of(n) {
            let InputRef::Tensor(t) = input else { continue };
            let source = plan.tensors.source_of(t);
            if source.is_some_and(|s| s > n) && told.insert(t) {
                let finding = Finding::new(Kind::ReadBeforeWritten).tensor(t);
                out.add(finding.nodes(Some(n), source));
            }
        }
    }
}

/// Reads behind the printed life; where there are none, writes outside it.
fn lives(plan: &Plan, out: &mut PlanFindings) {
    let mut repeated: std::collections::HashMap<u32, u32> = std::collections::HashMap::new();
    for n in (0..plan.n_nodes()).filter(|&n| plan.nodes.flags_of(n).has(NodeFlags::REPEATED)) {
        let own = plan.nodes.outputs.get(n).iter();
        let own = own.chain(plan.nodes.workspaces.get(n));
        repeated.extend(own.map(|&t| (t, n)));
    }
    for t in 0..plan.n_tensors() {
        let (first, last) = plan.tensors.printed_life(t);
        let lifelong = plan.tensors.lifelong_at(t);
        let open_end = matches!(lifelong, Lifelong::GraphAll | Lifelong::GraphEnd);
        let open_start = matches!(lifelong, Lifelong::GraphAll | Lifelong::GraphStart);
        let late = |n: &u32| !open_end && plan.nodes.step(*n) > last;
        if let Some(&n) = plan.readers().get(t).last().filter(|n| late(n)) {
            let finding = Finding::new(Kind::ReadAfterLife).tensor(t);
            out.add(
                finding
                    .nodes(Some(n), None)
                    .figures(last.into(), plan.nodes.step(n).into()),
            );
            continue;
        }
        let source = plan.tensors.source_of(t);
        let early = |n: &u32| !open_start && plan.nodes.step(*n) < first;
        let again = repeated.get(&t).copied();
        let outside = source
            .filter(|n| early(n) || late(n))
            .or(again.filter(late));
        if outside.is_some() {
            let finding = Finding::new(Kind::LifeTooShort).tensor(t);
            out.add(
                finding
                    .nodes(outside, None)
                    .figures(first.into(), last.into()),
            );
        }
    }
}

/// A tensor of an earlier node among the own ones of a node that is no repetition; one a node, as
/// the warning.
fn written_twice(plan: &Plan, out: &mut PlanFindings) {
    for n in (0..plan.n_nodes()).filter(|&n| !plan.nodes.flags_of(n).has(NodeFlags::REPEATED)) {
        let own = plan.nodes.outputs.get(n).iter();
        let own = own.chain(plan.nodes.workspaces.get(n));
        let taken = own
            .copied()
            .rfind(|&t| plan.tensors.source_of(t) != Some(n));
        if let Some(t) = taken {
            let finding = Finding::new(Kind::WrittenTwice).tensor(t);
            out.add(finding.nodes(Some(n), plan.tensors.source_of(t)));
        }
    }
}

/// Outputs that hold bytes although nobody reads them. What the graph gives out or keeps is read
/// elsewhere, and the bytes of a union are read through its other members.
fn never_read(plan: &Plan, out: &mut PlanFindings) {
    let read_elsewhere = [
        TensorKind::WORKSPACE,
        TensorKind::GAP,
        TensorKind::GRAPH_OUTPUT,
        TensorKind::GRAPH_INPUT,
        TensorKind::SUMMARY_INPUT,
    ];
    for t in 0..plan.n_tensors() {
        let unread = plan.readers().get(t).is_empty()
            && plan.tensors.aligned_at(t) > 0
            && plan.tensors.lifelong_at(t) == Lifelong::None
            && plan.union_group(t).is_none()
            && !read_elsewhere.contains(&plan.tensors.kind_at(t));
        if let Some(n) = plan.tensors.source_of(t).filter(|_| unread) {
            // Workspaces are told by their list where the type says something else.
            if plan.nodes.outputs.get(n).contains(&t) {
                let finding = Finding::new(Kind::NeverRead).tensor(t);
                let bytes = plan.tensors.aligned_at(t);
                out.add(finding.nodes(Some(n), None).figures(bytes, 0));
            }
        }
    }
}
