//! Pairs with their paths, and overlaps of a selection, against plain definitions on random plans;
//! and what a page is told about a broken one.

use proptest::prelude::*;
use somascope::analysis::{self, Edge, Fit, Ground, Pair, Rules, Selection};
use somascope::engine::explore::{Cell, Column, TableName, TableRequest};
use somascope::engine::safety::{edge, OverlapOf, WHY};
use somascope::engine::{Request, Response, Session};
use somascope::model::{InputRef, Plan, PlanKind, TensorKind};
use somascope::units::{ByteRange, LiveRange};

use crate::explore::open;
use crate::hazards::{
    ancestors, apply, brute_force, damage, direct, plan_of, stand_ins, users, Damage,
};
use crate::plans::any_plan;
use crate::properties::check;
use crate::support::{data, raw};

fn bytes(plan: &Plan, t: u32) -> (u64, u64) {
    let start = plan.tensors.true_offset(t);
    (start, start + plan.tensors.aligned_at(t))
}

/// Bytes in common by arithmetic.
fn common(plan: &Plan, a: u32, b: u32) -> u64 {
    let ((s, e), (s2, e2)) = (bytes(plan, a), bytes(plan, b));
    e.min(e2).saturating_sub(s.max(s2))
}

fn mates(plan: &Plan, a: u32, b: u32) -> bool {
    plan.unions.iter().any(|u| u.contains(&a) && u.contains(&b))
}

/// Number of edges of the shortest way from `from` to `to`, forwards and wave by wave.
fn distance(plan: &Plan, from: u32, to: u32) -> Option<usize> {
    let edges: Vec<Vec<u32>> = (0..plan.n_nodes()).map(|n| direct(plan, n)).collect();
    let mut wave = vec![from];
    for length in 0..=plan.n_nodes() as usize {
        if wave.contains(&to) {
            return Some(length);
        }
        wave = (0..plan.n_nodes())
            .filter(|n| edges[*n as usize].iter().any(|p| wave.contains(p)))
            .collect();
    }
    None
}

fn judged(mini: &crate::plans::Mini, damage: &Damage) -> Option<Plan> {
    let mut plan = plan_of(mini.text().as_bytes());
    if plan.kind != PlanKind::Plan {
        return None;
    }
    apply(&mut plan, damage);
    Some(plan)
}

#[test]
fn every_pair_says_why_and_shows_shortest_paths() {
    let counts = std::cell::RefCell::new(std::collections::BTreeMap::<&str, u32>::new());
    check(
        250,
        (any_plan(), damage()),
        |(mini, damage)| format!("{damage:?}\n{}", mini.text()),
        |(mini, damage)| {
            let Some(plan) = judged(mini, damage) else {
                return Ok(());
            };
            let (hazards, before) = (brute_force(&plan), ancestors(&plan));
            let real = stand_ins(&plan);
            let source = |t: u32| plan.tensors.source_of(real[t as usize]).unwrap();
            let mut rules = Rules::of(&plan);
            let n = plan.n_tensors();
            prop_assert_eq!(Pair::of(&plan, &mut rules, 0, 0), None);
            prop_assert_eq!(Pair::of(&plan, &mut rules, 0, n), None);
            for a in 0..n {
                for b in a + 1..n {
                    let pair = Pair::of(&plan, &mut rules, b, a).unwrap();
                    let turned = (source(b), b) < (source(a), a);
                    let (first, second) = if turned { (b, a) } else { (a, b) };
                    prop_assert_eq!((pair.first, pair.second), (first, second));
                    let empty = [first, second]
                        .into_iter()
                        .find(|t| plan.tensors.aligned_at(*t) == 0);
                    let word = match pair.ground {
                        Ground::Hazard(h) => {
                            prop_assert_eq!((h.a, h.b, h.bytes), (a, b, common(&plan, a, b)));
                            "hazard"
                        }
                        Ground::Union => "union",
                        Ground::ZeroSize(t) | Ground::Elsewhere(t) => {
                            prop_assert_eq!(Some(t), empty);
                            let kind = plan.tensors.kind_at(t);
                            let elsewhere = [TensorKind::GRAPH_OUTPUT, TensorKind::GRAPH_INPUT];
                            let expected = elsewhere.contains(&kind);
                            let is = matches!(pair.ground, Ground::Elsewhere(_));
                            prop_assert_eq!(is, expected);
                            "empty"
                        }
                        Ground::Gap => {
                            let (s, s2) = (
                                plan.tensors.offset[a as usize],
                                plan.tensors.offset[b as usize],
                            );
                            let seems = s < s2 + plan.tensors.aligned_at(b)
                                && s2 < s + plan.tensors.aligned_at(a);
                            prop_assert!(seems);
                            "apart"
                        }
                        Ground::Apart => "apart",
                        Ground::Ordered => "ordered",
                    };
                    let expected = if empty.is_some() {
                        "empty"
                    } else if common(&plan, a, b) == 0 {
                        "apart"
                    } else if hazards.contains(&(a, b)) {
                        "hazard"
                    } else if mates(&plan, a, b) && word == "union" {
                        "union"
                    } else {
                        "ordered"
                    };
                    prop_assert_eq!(word, expected, "{} {}", a, b);
                    *counts.borrow_mut().entry(word).or_default() += 1;
                    let to = source(second);
                    let own = users(&plan, real[first as usize]);
                    let done = |n: &&u32| before[to as usize][**n as usize];
                    let missing: Vec<u32> = own.iter().filter(|n| !done(n)).copied().collect();
                    prop_assert_eq!(&pair.missing, &missing);
                    let known: Vec<u32> = own.iter().filter(done).copied().collect();
                    if word == "ordered" {
                        prop_assert!(missing.is_empty() && !known.is_empty());
                    }
                    let mut lengths: Vec<usize> = known
                        .iter()
                        .map(|n| distance(&plan, *n, to).unwrap())
                        .collect();
                    lengths.sort_unstable();
                    lengths.truncate(analysis::MOST_PATHS);
                    let found: Vec<usize> = pair.paths.iter().map(|p| p.edges.len()).collect();
                    prop_assert_eq!(found, lengths, "{} {}", a, b);
                    for path in pair.paths.iter().chain(&pair.against) {
                        prop_assert_eq!(path.nodes.len(), path.edges.len() + 1);
                        for (step, edge) in path.nodes.windows(2).zip(&path.edges) {
                            prop_assert!(direct(&plan, step[1]).contains(&step[0]));
                            if let Edge::Data(t) = edge {
                                prop_assert_eq!(plan.tensors.source_of(*t), Some(step[0]));
                                let reads = plan
                                    .nodes
                                    .inputs_of(step[1])
                                    .any(|i| i == InputRef::Tensor(*t));
                                prop_assert!(reads);
                            }
                        }
                    }
                    for path in &pair.paths {
                        prop_assert!(known.contains(&path.nodes[0]));
                        prop_assert_eq!(path.nodes.last(), Some(&to));
                    }
                }
            }
            Ok(())
        },
    );
    let counts = counts.into_inner();
    for word in ["hazard", "union", "ordered", "empty", "apart"] {
        assert!(counts[word] > 20, "{counts:?}");
    }
}

#[test]
fn overlaps_are_those_of_trying_every_tensor() {
    let (mut hazardous, mut fine) = (0u32, 0u32);
    let counts = std::cell::RefCell::new((&mut hazardous, &mut fine));
    check(
        400,
        (any_plan(), damage(), any::<[u16; 4]>()),
        |(mini, damage, _)| format!("{damage:?}\n{}", mini.text()),
        |(mini, damage, [a, b, c, d])| {
            let Some(plan) = judged(mini, damage) else {
                return Ok(());
            };
            let hazards = brute_force(&plan);
            let collide = |a: u32, b: u32| hazards.contains(&(a.min(b), a.max(b)));
            let safety = analysis::safety(&plan);
            let mut rules = Rules::of(&plan);
            let all: Vec<u32> = (0..plan.n_tensors()).collect();
            let life = |t: u32| plan.live_range(t).map(|r| (r.first, r.last));
            let in_time = |mut list: Vec<u32>| {
                list.sort_by_key(|t| (life(*t).unwrap(), *t));
                list
            };
            let real = stand_ins(&plan);
            let source = |t: u32| (plan.tensors.source_of(real[t as usize]).unwrap(), t);
            for &t in &all {
                let expected = in_time(
                    all.iter()
                        .copied()
                        .filter(|&o| o != t && common(&plan, t, o) > 0)
                        .collect(),
                );
                let found = analysis::overlaps(&plan, &mut rules, &safety, Selection::Tensor(t));
                let rows: Vec<u32> = found.rows.iter().map(|r| r.tensor).collect();
                prop_assert_eq!(&rows, &expected);
                prop_assert_eq!(found.total, expected.len() as u64);
                for row in found.rows {
                    prop_assert_eq!(
                        (row.with, row.bytes),
                        (Some(t), common(&plan, t, row.tensor))
                    );
                    let expected = match row.fit {
                        _ if collide(t, row.tensor) => Fit::Hazard,
                        Fit::Union if mates(&plan, t, row.tensor) => Fit::Union,
                        _ if source(row.tensor) < source(t) => Fit::Before,
                        _ => Fit::After,
                    };
                    prop_assert_eq!(row.fit, expected);
                    let mut counts = counts.borrow_mut();
                    *(if row.fit == Fit::Hazard {
                        &mut *counts.0
                    } else {
                        &mut *counts.1
                    }) += 1;
                }
            }
            let top = all
                .iter()
                .map(|t| bytes(&plan, *t).1)
                .max()
                .unwrap_or(1)
                .max(1);
            let (x, y) = (u64::from(*a) * 64 % top, u64::from(*b) * 64 % top);
            let range = ByteRange {
                start: x.min(y),
                end: x.max(y) + 1,
            };
            let steps = plan.steps.max(1);
            let (i, j) = (u32::from(*c) % steps, u32::from(*d) % steps);
            let window = LiveRange::new(i.min(j), i.max(j)).unwrap();
            for (bytes_of, steps_of) in [
                (Some(range), None),
                (None, Some(window)),
                (Some(range), Some(window)),
                (None, None),
            ] {
                let within = |t: &u32| {
                    let (start, end) = bytes(&plan, *t);
                    let (first, last) = life(*t).unwrap();
                    plan.tensors.aligned_at(*t) > 0
                        && bytes_of.is_none_or(|r| start < r.end && r.start < end)
                        && steps_of.is_none_or(|w| first <= w.last && w.first <= last)
                };
                let expected = in_time(all.iter().copied().filter(within).collect());
                let found = analysis::overlaps(
                    &plan,
                    &mut rules,
                    &safety,
                    Selection::Window(bytes_of, steps_of),
                );
                let rows: Vec<u32> = found.rows.iter().map(|r| r.tensor).collect();
                prop_assert_eq!(&rows, &expected);
                for (at, row) in found.rows.iter().enumerate() {
                    let partner = expected
                        .iter()
                        .copied()
                        .filter(|o| collide(row.tensor, *o))
                        .min();
                    prop_assert_eq!(row.fit == Fit::Hazard, partner.is_some());
                    let (start, end) = bytes(&plan, row.tensor);
                    let r = bytes_of.unwrap_or(ByteRange {
                        start: 0,
                        end: u64::MAX,
                    });
                    prop_assert_eq!(row.bytes, end.min(r.end) - start.max(r.start));
                    let holds = |o: &&u32| {
                        let (start2, end2) = bytes(&plan, **o);
                        start.max(start2).max(r.start) < end.min(end2).min(r.end)
                    };
                    let holder = expected[..at].iter().rev().find(holds).copied();
                    prop_assert_eq!(row.with, partner.or(holder));
                    prop_assert_eq!(row.fit == Fit::Alone, partner.or(holder).is_none());
                }
            }
            Ok(())
        },
    );
    assert!(hazardous > 300 && fine > 300, "{hazardous} {fine}");
}

fn session(folder: &str) -> (Session, u32, serde_json::Value) {
    let folder = data().join("generations").join(folder);
    let text = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let mut session = Session::new();
    let graph = open(&mut session, "dump.ir", &raw(&folder.join("dump.ir")));
    (session, graph, serde_json::from_str(&text).unwrap())
}

fn table(session: &mut Session, request: TableRequest) -> somascope::engine::explore::TableRows {
    match session.answer(&Request::Table(request)) {
        Response::Table(rows) => rows,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_is_told_the_verdict_the_findings_and_their_pairs() {
    let mut seen = 0;
    for folder in [
        "C3_CPU_1_broken",
        "C2_Ascend_2_broken",
        "A_Ascend_1_broken",
        "C3_CPU_1",
    ] {
        let (mut session, graph, expected) = session(folder);
        let pairs: Vec<(u64, u64)> = serde_json::from_value(expected["hazards"].clone()).unwrap();
        assert!(
            session.summary(graph).unwrap().verdict.is_none(),
            "nothing is judged unasked"
        );
        let Response::Safety(facts) = session.answer(&Request::Safety { graph }) else {
            panic!("no verdict");
        };
        assert_eq!(facts.count, pairs.len() as u64, "{folder}");
        assert_eq!(
            facts.verdict,
            if pairs.is_empty() { "safe" } else { "hazards" }
        );
        let first: Vec<u64> = pairs.first().iter().flat_map(|(a, b)| [*a, *b]).collect();
        assert_eq!(facts.first, first);
        assert!(facts.compared > 0 && facts.data_edges > 0);
        assert_eq!(
            session.summary(graph).unwrap().verdict,
            Some(facts.verdict.clone())
        );
        let request = TableRequest {
            graph,
            table: TableName::Findings,
            rows: 1000,
            ..TableRequest::default()
        };
        let rows = table(&mut session, request.clone());
        let keys: Vec<String> = pairs.iter().map(|(a, b)| format!("%{a}T %{b}T")).collect();
        let found: Vec<String> = rows.rows.iter().map(|r| r.key.clone()).collect();
        assert_eq!(found, keys, "{folder}");
        let mut counted = 0;
        let kinds = facts.kinds.iter().zip(&facts.rows);
        for (kind, n) in kinds.filter(|(kind, _)| *kind != "hazard") {
            let filter = format!("={kind}");
            let rows = table(
                &mut session,
                TableRequest {
                    filter,
                    ..request.clone()
                },
            );
            assert_eq!(u64::from(rows.total), *n);
            counted += n;
        }
        assert_eq!(counted, facts.count);
        let by_bytes = TableRequest {
            sort: Some(Column::Shared),
            descending: true,
            ..request
        };
        let rows = table(&mut session, by_bytes).rows;
        let shared = |row: &somascope::engine::explore::TableRow| match row.cells
            [TableName::Findings
                .columns()
                .iter()
                .position(|c| *c == Column::Shared)
                .unwrap()]
        {
            Cell::Bytes(n) => n,
            ref other => panic!("{other:?}"),
        };
        assert!(rows
            .windows(2)
            .all(|two| shared(&two[0]) >= shared(&two[1])));
        for &(a, b) in &pairs {
            let request = Request::Pair { graph, a: b, b: a };
            let Response::Pair(pair) = session.answer(&request) else {
                panic!("no pair");
            };
            assert_eq!(pair.ground, "hazard");
            let mut ids: Vec<u64> = pair.sides.iter().map(|s| s.tensor.id).collect();
            ids.sort_unstable();
            assert_eq!(ids, [a, b]);
            let plan = session.plan(graph).unwrap();
            assert_eq!(pair.end - pair.start, common(plan, a as u32, b as u32));
            let [own, to] = *pair.collide else {
                panic!("nobody collides");
            };
            assert_eq!(Some(to), pair.sides[1].producer);
            let ends = |path: &[u64]| (path[2] as u32, path[path.len() - 1] as u32);
            let made = Some(own) == pair.sides[0].producer;
            match pair.kind.as_str() {
                "raw" => assert_eq!(ends(&pair.against), (to, own)),
                "waw" => assert!(made && pair.against.is_empty()),
                // With nobody missing a lifelong kind alone forbids it.
                _ if pair.missing.is_empty() => assert!(made && pair.lifelong),
                _ => assert!(pair.missing.contains(&own)),
            }
            if !pair.paths.is_empty() {
                assert_eq!((pair.paths[0], ends(&pair.paths).1), (edge::START, to));
            }
            seen += 1;
        }
    }
    assert!(seen > 30);
}

#[test]
fn overlaps_are_drawn_and_listed_alike() {
    let (mut session, graph, expected) = session("C3_CPU_1_broken");
    let pairs: Vec<(u64, u64)> = serde_json::from_value(expected["hazards"].clone()).unwrap();
    let all = OverlapOf::default();
    let of = OverlapOf {
        tensor: Some(97),
        ..all
    };
    let Response::Overlaps(boxes) = session.answer(&Request::Overlaps { graph, of }) else {
        panic!("no overlaps");
    };
    let request = TableRequest {
        graph,
        table: TableName::Overlaps,
        overlap: of,
        rows: 10_000,
        ..TableRequest::default()
    };
    let rows = table(&mut session, request.clone());
    let keys: Vec<String> = rows.rows.iter().map(|r| r.key.clone()).collect();
    let drawn: Vec<_> = boxes.boxes().collect();
    assert_eq!(drawn[0].id, 97, "its own box comes first");
    let ids: Vec<String> = drawn[1..].iter().map(|b| format!("%{}T", b.id)).collect();
    assert_eq!(keys, ids);
    assert_eq!(boxes.total, u64::from(rows.total));
    for b in &drawn {
        let plan = session.plan(graph).unwrap();
        assert_eq!((b.start, b.end), bytes(plan, b.id as u32));
        let life = plan.live_range(b.id as u32).unwrap();
        assert_eq!((b.first, b.last), (life.first, life.last));
    }
    let hazards = drawn.iter().filter(|b| WHY[b.why] == "hazard").count();
    let expected = pairs.iter().filter(|(a, b)| *a == 97 || *b == 97).count();
    assert_eq!(hazards, expected);
    let by_id = TableRequest {
        sort: Some(Column::Id),
        ..request
    };
    let mut sorted = drawn[1..].to_vec();
    sorted.sort_by_key(|b| b.id);
    let ids: Vec<String> = sorted.iter().map(|b| format!("%{}T", b.id)).collect();
    let keys = table(&mut session, by_id).rows.into_iter().map(|r| r.key);
    assert_eq!(keys.collect::<Vec<_>>(), ids);
    for of in [
        OverlapOf {
            tensor: Some(1_000_000),
            ..all
        },
        OverlapOf {
            start: 5,
            end: 5,
            ..all
        },
        OverlapOf {
            first: 5,
            last: 4,
            ..all
        },
    ] {
        let request = Request::Overlaps { graph, of };
        assert!(matches!(session.answer(&request), Response::Nothing));
    }
}
