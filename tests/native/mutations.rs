//! Real plans with one thing changed: an offset, a life, an edge. What is found is what trying all
//! pairs gives, and it names the right tensors and nodes.

use somascope::analysis;
use somascope::model::{InputRef, Plan};

use crate::hazards::{brute_force, found, plan_of};

/// Real plans that trying all pairs can afford.
fn real_dumps() -> Vec<(String, Plan)> {
    let mut out = Vec::new();
    for (path, bytes) in crate::support::main_dumps() {
        let name = crate::support::short(&path);
        let real = name.contains("_real/") || name.contains("_testswitch/");
        let written = name.contains("/dumps/") && !name.contains("ascend_like");
        if !(real || written) || bytes.len() > 400_000 {
            continue;
        }
        let plan = plan_of(&bytes);
        let placed = plan.tensors.aligned_size.iter().filter(|a| **a > 0).count();
        if plan.kind == somascope::model::PlanKind::Plan && placed > 3 {
            out.push((name, plan));
        }
    }
    out
}

/// A tensor of a real plan is put on one that is alive with it: that pair is found, and with it
/// just those that trying all pairs gives.
#[test]
fn one_moved_offset_of_a_real_plan_is_found() {
    let (mut plans, mut seen) = (0, 0);
    for (name, healthy) in real_dumps() {
        let n = healthy.n_tensors();
        let placed: Vec<u32> = (0..n)
            .filter(|&t| healthy.tensors.aligned_at(t) > 0 && healthy.union_group(t).is_none())
            .collect();
        let mut done = 0;
        for &t in placed.iter().step_by(placed.len() / 3 + 1) {
            let alive = |u: &&u32| {
                let (x, y) = (
                    healthy.tensors.printed_life(t),
                    healthy.tensors.printed_life(**u),
                );
                **u != t && x.0.max(y.0) <= x.1.min(y.1)
            };
            let Some(&victim) = placed.iter().find(alive) else {
                continue;
            };
            let mut plan = healthy.clone();
            plan.tensors.offset[t as usize] = plan.tensors.true_offset(victim);
            let expected = brute_force(&plan);
            assert!(expected.contains(&(t.min(victim), t.max(victim))), "{name}");
            assert_eq!(found(&plan), expected, "{name}: %{t}T put on %{victim}T");
            done += 1;
        }
        plans += u32::from(done > 0);
        seen += done;
    }
    assert!(plans >= 15 && seen >= 30, "{plans} {seen}");
}

/// The life of a tensor of a real plan ends before its last reader: the reader is named, and no
/// pair that trying all does not give.
#[test]
fn one_shortened_life_of_a_real_plan_is_found() {
    let mut seen = 0;
    for (name, healthy) in real_dumps() {
        let n = healthy.n_tensors();
        let long = |t: &u32| {
            let (first, last) = healthy.tensors.printed_life(*t);
            first < last && !healthy.readers().get(*t).is_empty()
        };
        let all: Vec<u32> = (0..n).filter(long).collect();
        for &t in all.iter().step_by(all.len() / 3 + 1) {
            let mut plan = healthy.clone();
            plan.tensors.life_last[t as usize] -= 1;
            let last = *plan.readers().get(t).last().unwrap();
            let safety = analysis::safety(&plan);
            let told = analysis::findings(&plan, &safety);
            assert_eq!(told.wrong(), 1, "{name}: %{t}T");
            let f = told.list[0];
            assert_eq!(
                (f.kind.word(), f.tensor, f.node),
                ("read_after_life", Some(t), Some(last)),
                "{name}"
            );
            assert_eq!(found(&plan), brute_force(&plan), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 30, "{seen}");
}

/// A real plan without one of its edges: just the pairs that trying all gives, and often there are
/// some.
#[test]
fn one_dropped_edge_of_a_real_plan_is_judged_by_the_definition() {
    let (mut hazardous, mut seen) = (0, 0);
    for (name, healthy) in real_dumps() {
        let edges: Vec<(u32, u32)> = (0..healthy.n_nodes())
            .flat_map(|n| healthy.nodes.inputs_of(n).map(move |i| (n, i)))
            .filter_map(|(n, i)| match i {
                InputRef::Tensor(t) if healthy.tensors.source_of(t).is_some_and(|s| s < n) => {
                    Some((t, n))
                }
                _ => None,
            })
            .collect();
        for &(t, n) in edges.iter().step_by(edges.len() / 5 + 1) {
            let mut plan = healthy.clone();
            drop_edge(&mut plan, t, n);
            let expected = brute_force(&plan);
            assert_eq!(found(&plan), expected, "{name}: %{t}T to ${n}");
            hazardous += u32::from(!expected.is_empty());
            seen += 1;
        }
    }
    assert!(seen >= 60 && hazardous * 5 >= seen, "{hazardous} of {seen}");
}

/// Node `n` reads tensor `t` no more.
fn drop_edge(plan: &mut Plan, t: u32, n: u32) {
    let mut inputs = somascope::model::Lists::default();
    for (node, row) in plan.nodes.inputs.iter().enumerate() {
        let is_it = |item: &u32| node as u32 == n && InputRef::decode(*item) == InputRef::Tensor(t);
        inputs.push_row(row.iter().copied().filter(|i| !is_it(i)));
    }
    plan.nodes.inputs = inputs;
    // They follow from the inputs.
    plan.readers = std::sync::OnceLock::new();
}
