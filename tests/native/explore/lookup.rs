//! Owners of addresses, typed texts, the base and task info against plain definitions.

use std::collections::BTreeSet;

use proptest::prelude::*;
use somascope::engine::explore::{Cell, Column, TableName, TableRequest};
use somascope::engine::lookup::{AddressFacts, Found};
use somascope::engine::protocol::Overview;
use somascope::engine::view::Thing;
use somascope::engine::{Request, Response, Session};

use super::{cases, open, Case};
use crate::plans::{any_plan, Mini};
use crate::properties::{check, Outcome};
use crate::support::{self, data};

const BASE: u64 = 0x1088_0000_0000;

fn addresses(case: &mut Case, start: u64, end: u64) -> AddressFacts {
    let graph = case.graph;
    match case.ask(&Request::Addresses { graph, start, end }) {
        Response::Addresses(facts) => *facts,
        other => panic!("{}: {start:#x}-{end:#x}: {other:?}", case.name),
    }
}

fn overview(session: &mut Session, graph: u32) -> Overview {
    match session.answer(&Request::Overview { graph }) {
        Response::Overview(overview) => *overview,
        other => panic!("{other:?}"),
    }
}

fn rebase(case: &mut Case, base: Option<u64>) -> Overview {
    let graph = case.graph;
    match case.ask(&Request::Base { graph, base }) {
        Response::Overview(overview) => *overview,
        other => panic!("{}: {other:?}", case.name),
    }
}

/// Runs of steps in which nobody is, between 0 and `steps`.
fn free_runs(lives: &[(u64, u64)], steps: u64) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for step in 0..steps {
        if lives.iter().any(|&(a, b)| a <= step && step <= b) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if u64::from(run.1) + 1 == step => run.1 = step as u32,
            _ => runs.push((step as u32, step as u32)),
        }
    }
    runs
}

/// Asks for offsets `start..end` behind a base and compares with every tensor and every step.
fn same_owners(case: &mut Case, base: u64, start: u64, end: u64) {
    let found = addresses(case, base + start, base + end);
    let what = format!("{}: {start:#x}-{end:#x}", case.name);
    let oracle = &case.oracle;
    let mut owners: Vec<(u64, u64, u64)> = Vec::new();
    for (&id, tensor) in &oracle.dump.tensors {
        let at = oracle.true_offset(id);
        let meets = tensor.aligned > 0 && at < end && start < at + tensor.aligned;
        let (first, last) = oracle.life(id);
        if meets && !oracle.is_stage() && first < oracle.steps {
            owners.push((first, last.min(oracle.steps - 1), id));
        }
    }
    owners.sort_unstable();
    let ids: Vec<u64> = owners.iter().map(|o| o.2).take(200).collect();
    let found_ids: Vec<u64> = found.owners.first.iter().map(|o| o.tensor.id).collect();
    assert_eq!(found_ids, ids, "{what}");
    assert_eq!(found.owners.total as usize, owners.len(), "{what}");
    for owner in &found.owners.first {
        let id = owner.tensor.id;
        let at = base + oracle.true_offset(id);
        let aligned = oracle.dump.tensors[&id].aligned;
        assert_eq!(owner.bytes, (at, at + aligned), "{what}");
        let writer = owner.writer.as_ref().map(|w| u64::from(w.step));
        assert_eq!(writer, oracle.source.get(&id).copied(), "{what}");
        let readers = oracle.readers.get(&id).cloned().unwrap_or_default();
        assert_eq!(owner.read_by as usize, readers.len(), "{what}");
        let ends: BTreeSet<u64> = [readers.first(), readers.last()]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        let found_ends = owner.readers.iter().map(|n| u64::from(n.step)).collect();
        assert_eq!(ends, found_ends, "{what}");
    }
    let lives: Vec<(u64, u64)> = owners.iter().map(|o| (o.0, o.1)).collect();
    if owners.len() <= 200 {
        let befores = found.owners.first.iter().filter_map(|o| o.free_before);
        let free: Vec<(u32, u32)> = befores.chain(found.free_after).collect();
        assert_eq!(free, free_runs(&lives, oracle.steps), "{what}");
    }
}

fn same_everywhere(case: &mut Case) {
    let base = if case.name.len() % 2 == 0 { BASE } else { 0 };
    rebase(case, Some(base));
    let mut edges: BTreeSet<u64> = BTreeSet::new();
    for &id in case.oracle.dump.tensors.keys() {
        let at = case.oracle.true_offset(id);
        edges.insert(at);
        edges.insert(at + case.oracle.dump.tensors[&id].aligned);
    }
    let edges: Vec<u64> = edges.into_iter().collect();
    let stride = edges.len() / 12 + 1;
    for (i, &at) in edges.iter().enumerate().step_by(stride) {
        same_owners(case, base, at, at + 1);
        if at > 0 {
            same_owners(case, base, at - 1, at);
        }
        if let Some(&end) = edges.get(i + 2) {
            same_owners(case, base, at, end);
        }
    }
}

#[test]
fn owners_in_fixtures() {
    let mut compared = 0;
    for mut case in cases() {
        if case.oracle.dump.tensors.len() < 600 {
            same_everywhere(&mut case);
            compared += 1;
        }
    }
    assert!(compared > 60, "only {compared}");
}

#[test]
fn owners_in_random_plans() {
    check(100, any_plan(), Mini::text, |plan| -> Outcome {
        let mut case = Case::new("plan", &plan.text());
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| same_everywhere(&mut case)));
        prop_assert!(outcome.is_ok(), "see above");
        Ok(())
    });
}

fn lenet() -> Case {
    let path = data().join("dumps/lenet_train/CPU_somas_tensor_offset_0.ir");
    let text = String::from_utf8(support::text(&path)).unwrap();
    Case::new("CPU_somas_tensor_offset_0.ir", &text)
}

fn search(case: &mut Case, text: &str) -> Found {
    let request = Request::Search {
        graph: case.graph,
        text: text.into(),
        size: None,
    };
    match case.ask(&request) {
        Response::Found(found) => found,
        other => panic!("{text}: {other:?}"),
    }
}

fn keys(found: &Found) -> Vec<String> {
    found.hits.iter().map(|h| h.thing.key()).collect()
}

#[test]
fn ids_and_addresses() {
    let mut case = lenet();
    for (text, key) in [
        ("$12", "$12"),
        (" $12 ", "$12"),
        ("%7T", "%7T"),
        ("7t", "%7T"),
        ("%5P", "%5P"),
        ("0x200", "0x200"),
        ("0X200", "0x200"),
        ("0x200-0x400", "0x200-0x400"),
        ("512 - 1024", "0x200-0x400"),
        ("18446744073709551615", "0xffffffffffffffff"),
    ] {
        let found = search(&mut case, text);
        assert_eq!(keys(&found), [key], "{text}");
        assert!(!found.near, "{text}");
    }
    assert_eq!(keys(&search(&mut case, "%5")), ["%5T", "%5P"]);
    let number = search(&mut case, "5");
    assert_eq!(keys(&number)[..4], ["$5", "%5T", "%5P", "0x5"]);
    for text in ["$99999", "%99999T", "%99999P", "%5CT", "0x", "0x400-0x200"] {
        let found = search(&mut case, text);
        let exact = found.hits.iter().any(|_| !found.near);
        assert!(!exact, "{text}: {:?}", keys(&found));
    }
    let owners = search(&mut case, "0x0").hits[0].owners;
    let expected = addresses(&mut case, 0, 1).owners.total;
    assert_eq!(owners, Some(expected));
    assert!(search(&mut case, "").hits.is_empty());
}

#[test]
fn names_by_how_well_they_fit() {
    for mut case in cases() {
        if case.oracle.dump.tensors.len() > 400 {
            continue;
        }
        let nodes: Vec<(u64, String)> = case
            .oracle
            .dump
            .nodes
            .iter()
            .map(|(step, node)| (*step, node.name.clone()))
            .collect();
        let last = |name: &str| match name.rsplit_once('/') {
            Some((_, last)) if !last.is_empty() => last.to_owned(),
            _ => name.to_owned(),
        };
        for (step, name) in nodes.iter().step_by(nodes.len() / 6 + 1) {
            let what = format!("{}: {name}", case.name);
            if !name.is_ascii() || name.trim() != name || name.contains('%') {
                continue;
            }
            // The whole name in another case finds a node of that name first.
            let found = search(&mut case, &name.to_uppercase());
            let Thing::Node(first) = found.hits[0].thing else {
                panic!("{what}: {:?}", keys(&found));
            };
            let same = |n: &&(u64, String)| n.1.eq_ignore_ascii_case(name);
            let lowest = nodes.iter().find(same).unwrap().0;
            assert_eq!(u64::from(first), lowest, "{what} ${step}");
            // Part of it is counted in every name that has it.
            let part: String = last(name).chars().take(5).collect();
            let found = search(&mut case, &part);
            let holds = |n: &str| n.to_lowercase().contains(&part.to_lowercase());
            let named = nodes.iter().filter(|n| holds(&n.1)).count()
                + case
                    .oracle
                    .dump
                    .params
                    .values()
                    .filter(|p| holds(&p.1))
                    .count();
            let is_id = part.trim_end_matches(['T', 'P', 't', 'p']);
            if !is_id.bytes().all(|b| b.is_ascii_digit()) {
                assert_eq!(found.named as usize, named, "{what}: {part}");
            }
        }
    }
}

#[test]
fn full_names_in_short_dumps_and_near_misses() {
    let path = data().join("generations/C2_Ascend_1/dump.ir");
    let text = String::from_utf8(support::text(&path)).unwrap();
    let mut case = Case::new("dump.ir", &text);
    let (step, name) = {
        let (step, node) = case.oracle.dump.nodes.iter().next().unwrap();
        (*step, node.name.clone())
    };
    assert!(!name.contains('/'));
    let found = search(&mut case, &format!("Default/net-Net/{name}"));
    assert_eq!(found.hits[0].thing, Thing::Node(step as u32));
    assert!(!found.near);
    // Two letters change places.
    let mut off: Vec<char> = name.chars().collect();
    off.swap(0, 1);
    let off: String = off.into_iter().collect();
    let found = search(&mut case, &off);
    assert!(found.near && found.named == 0, "{off}");
    assert!(
        found.hits.iter().any(|h| h.name == name),
        "{off}: {found:?}"
    );
    assert!(search(&mut case, "qqqqqqqqqqqqqqqqqqqqqqqq")
        .hits
        .is_empty());
}

#[test]
fn tensors_of_a_size() {
    let mut case = lenet();
    let biggest = case.oracle.dump.tensors.values().map(|t| t.original);
    let size = biggest.max().unwrap();
    let request = Request::Search {
        graph: case.graph,
        text: String::new(),
        size: Some(size),
    };
    let Response::Found(found) = case.ask(&request) else {
        panic!();
    };
    let fits = |t: &&u64| {
        let t = &case.oracle.dump.tensors[t];
        t.aligned > 0 && (t.original == size || t.aligned == size)
    };
    let expected: Vec<String> = case
        .oracle
        .dump
        .tensors
        .keys()
        .filter(fits)
        .take(10)
        .map(|id| format!("%{id}T"))
        .collect();
    assert_eq!(keys(&found), expected);
}

// ---- task info beside its plan ----

fn push(session: &mut Session, name: &str, bytes: &[u8]) {
    let mut reader = session.begin_file(name, bytes.len() as u64, false);
    for chunk in bytes.chunks(1 << 12) {
        reader.push(chunk);
        if reader.has_seen_enough() {
            break;
        }
    }
    session.end_file(reader);
}

fn ascend() -> (Vec<u8>, Vec<u8>, Vec<u8>) {
    let dir = data().join("dumps/ascend_like_sample");
    let text = |name: &str| support::text(&dir.join(name));
    (
        text("Ascend_somas_tensor_offset_1.ir"),
        text("task_info_graph_1.ir"),
        text("task_info_faults_1.ir"),
    )
}

#[test]
fn task_info_gives_base_addresses_and_findings() {
    let (dump, clean, faults) = ascend();
    for (name, info) in [
        ("task_info_graph_1.ir", &clean),
        ("task_info_faults_1.ir", &faults),
        ("run/rank_0/task_info_graph_1.ir", &clean),
    ] {
        let folder = name
            .rsplit_once('/')
            .map_or(String::new(), |(f, _)| format!("{f}/"));
        let dump_name = format!("{folder}Ascend_somas_tensor_offset_1.ir");
        // Either may come first.
        for info_first in [true, false] {
            let mut session = Session::new();
            if info_first {
                push(&mut session, name, info);
            }
            let graph = open(&mut session, &dump_name, &dump);
            if !info_first {
                push(&mut session, name, info);
            }
            let Response::Graphs(graphs) = session.answer(&Request::Graphs) else {
                panic!();
            };
            assert_eq!(graphs.others.len(), 0, "{name}");
            assert_eq!(graphs.graphs[0].siblings.len(), 1, "{name}");
            let seen = overview(&mut session, graph);
            let tasks = seen.tasks.unwrap();
            let plan = session.plan(graph).unwrap().clone();
            let parsed = support::parse(info).sibling.unwrap();
            let somascope::parse::SiblingFacts::Tasks(records) = parsed.facts else {
                panic!();
            };
            let check = somascope::analysis::check_tasks(&plan, &records);
            assert_eq!((Some(seen.base), &*seen.base_from), (check.base, "tasks"));
            assert_eq!((tasks.tasks, tasks.matched), (check.tasks, check.matched));
            let sum: u64 = tasks.kinds.iter().map(|k| k.1).sum();
            assert_eq!(sum as usize, check.findings.len());
            // Findings are rows beside those of the plan, of which this one has none.
            let rows = match session.answer(&Request::Table(TableRequest {
                graph,
                table: TableName::Findings,
                rows: 5000,
                ..TableRequest::default()
            })) {
                Response::Table(rows) => rows.rows,
                other => panic!("{other:?}"),
            };
            let mut found: Vec<String> = rows
                .iter()
                .map(|row| match &row.cells[1] {
                    Cell::Text(kind) => format!("{kind} {}", row.key),
                    other => panic!("{other:?}"),
                })
                .collect();
            let mut expected: Vec<String> = check
                .findings
                .iter()
                .map(|f| match (f.tensor, f.node) {
                    (Some(t), _) => format!("{} %{}T", f.kind.word(), plan.tensors.ids.id(t)),
                    (None, Some(n)) => format!("{} ${}", f.kind.word(), plan.nodes.step(n)),
                    _ => format!("{0} {0}", f.kind.word()),
                })
                .collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{name}");
            // Tables show device addresses.
            for (table, column) in [
                (TableName::Tensors, Column::StartAddr),
                (TableName::Parameters, Column::StartAddr),
            ] {
                let rows = match session.answer(&Request::Table(TableRequest {
                    graph,
                    table,
                    rows: 5000,
                    ..TableRequest::default()
                })) {
                    Response::Table(rows) => rows.rows,
                    other => panic!("{other:?}"),
                };
                let place = table.columns().iter().position(|c| *c == column).unwrap();
                for (t, row) in (0u32..).zip(&rows) {
                    let expected = if table == TableName::Tensors {
                        let placed = plan.tensors.aligned_at(t) > 0;
                        placed.then(|| seen.base + plan.tensors.shown_offset(t))
                    } else {
                        Some(check.parameter_at[t as usize]).filter(|a| *a != 0)
                    };
                    let expected = expected.map_or(Cell::Empty, Cell::Address);
                    assert_eq!(row.cells[place], expected, "{name}: {}", row.key);
                }
            }
        }
    }
}

#[test]
fn task_info_is_paired_by_place_and_never_by_guess() {
    let (dump, clean, _) = ascend();
    let paired = |names: &[&str], info: &str| -> Vec<bool> {
        let mut session = Session::new();
        let graphs: Vec<u32> = names.iter().map(|n| open(&mut session, n, &dump)).collect();
        push(&mut session, info, &clean);
        session.answer(&Request::Graphs);
        graphs
            .iter()
            .map(|g| overview(&mut session, *g).tasks.is_some())
            .collect()
    };
    let one = "Ascend_somas_tensor_offset_1.ir";
    let two = "Ascend_somas_tensor_offset_2.ir";
    assert_eq!(paired(&[one, two], "task_info_graph_2.ir"), [false, true]);
    assert_eq!(paired(&[one], "tasks.ir"), [true]);
    assert_eq!(paired(&["dump.ir"], "task_info_graph_7.ir"), [true]);
    assert_eq!(paired(&["rank_0/a.ir"], "task_info_graph_7.ir"), [true]);
    assert_eq!(paired(&[one, two], "tasks.ir"), [false, false]);
    assert_eq!(paired(&[two], "task_info_graph_1.ir"), [false]);
    let (a, b) = (format!("rank_0/{one}"), format!("rank_1/{one}"));
    assert_eq!(
        paired(&[&a, &b], "rank_1/task_info_graph_1.ir"),
        [false, true]
    );
    assert_eq!(paired(&[&a], "rank_1/task_info_graph_1.ir"), [false]);
}

#[test]
fn damaged_task_info_is_told_and_not_used() {
    let (dump, clean, _) = ascend();
    let mut text = String::from_utf8(clean).unwrap();
    text = text.replacen("task_num:", "task_num:x", 1);
    let mut session = Session::new();
    let graph = open(&mut session, "Ascend_somas_tensor_offset_1.ir", &dump);
    push(&mut session, "task_info_graph_1.ir", text.as_bytes());
    session.answer(&Request::Graphs);
    let seen = overview(&mut session, graph);
    assert!(seen.tasks.is_none() && seen.base == 0);
    let errors = seen.messages.iter().filter(|m| m.severity == "error");
    let told: Vec<&str> = errors.map(|m| m.text.en.as_str()).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("task_info_graph_1.ir:"), "{told:?}");
}

#[test]
fn a_given_base_comes_before_the_files() {
    let (dump, clean, _) = ascend();
    let mut session = Session::new();
    let graph = open(&mut session, "Ascend_somas_tensor_offset_1.ir", &dump);
    push(&mut session, "task_info_graph_1.ir", &clean);
    session.answer(&Request::Graphs);
    let own = overview(&mut session, graph).base;
    for (base, expected, from) in [
        (Some(0x1000), 0x1000, "given"),
        (Some(0), 0, "given"),
        (None, own, "tasks"),
    ] {
        let Response::Overview(seen) = session.answer(&Request::Base { graph, base }) else {
            panic!();
        };
        assert_eq!((seen.base, &*seen.base_from), (expected, from));
    }
}
