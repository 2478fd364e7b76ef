//! The planner's conflict matrix: equal to the computed one wherever a file of it is there, equal
//! to the definition on random plans, and a changed cell is found.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use somascope::analysis::matrix::{Matrix, MatrixCheck, Reading};
use somascope::engine::place_of;
use somascope::model::{Generation, InputRef, Lifelong, NodeFlags, Plan, PlanKind};
use somascope::parse::{RelationReader, SiblingFacts};

use crate::plans::any_plan;
use crate::properties::check;
use crate::support::{data, files, gz, json_of, parse, raw, run, scratch, short, text};

fn compare(plan: &Plan, before: Option<&Plan>, relation: &[u8], chunk: usize) -> MatrixCheck {
    let mut matrix = Matrix::new(plan, before).unwrap();
    let mut each = |row: u32, bits: &[u64]| matrix.row(plan, row, bits);
    let mut reader = RelationReader::new(plan.n_tensors());
    relation
        .chunks(chunk)
        .for_each(|c| reader.push(c, &mut each));
    let (found, _) = reader.finish(&mut each);
    assert_eq!(found.errors, 0);
    matrix.finish()
}

/// A matrix among the fixtures, with what lies beside it.
struct Fixture {
    relation: PathBuf,
    plan: Plan,
    before: Option<Plan>,
}

fn fixtures() -> Vec<Fixture> {
    let all: Vec<PathBuf> = ["samples", "generations", "dumps"]
        .iter()
        .flat_map(|dir| files(&data().join(dir)))
        .collect();
    let named = |p: &Path, word: &str| p.file_name().unwrap().to_string_lossy().contains(word);
    let mut out = Vec::new();
    for relation in all.iter().filter(|p| named(p, "relation")) {
        let id = place_of(&relation.to_string_lossy()).graph_id;
        let beside: Vec<&PathBuf> = all
            .iter()
            .filter(|p| p.parent() == relation.parent())
            .filter(|p| place_of(&p.to_string_lossy()).graph_id == id)
            .collect();
        let is_final = |p: &&&PathBuf| {
            let names = ["tensor_offset", "allocate_info", "dump.ir"];
            names.iter().any(|n| named(p, n))
        };
        let dump = beside.iter().find(is_final).unwrap();
        let mut plan = parse(&text(dump)).plan.unwrap();
        if let Some(log) = beside.iter().find(|p| named(p, "offline_log")) {
            match parse(&raw(log)).sibling.unwrap().facts {
                SiblingFacts::Log(log) => drop(plan.take_lifelong(&log)),
                SiblingFacts::Tasks(_) => panic!("{}", short(log)),
            }
        }
        let before = beside.iter().find(|p| named(p, "pre_processed"));
        let before = before.map(|p| parse(&text(p)).plan.unwrap());
        out.push(Fixture {
            relation: relation.clone(),
            plan,
            before,
        });
    }
    out
}

#[test]
fn every_matrix_among_the_fixtures_is_equal() {
    let (mut wrong, mut seen, mut whole) = (Vec::new(), 0, 0);
    for f in fixtures() {
        let n = u64::from(f.plan.n_tensors());
        let bytes = raw(&f.relation);
        let alone = compare(&f.plan, None, &bytes, 1 << 20);
        assert_eq!(alone.rows, n);
        assert_eq!(alone.cells_compared + alone.not_decidable, n * n);
        let placed = f
            .plan
            .tensors
            .aligned_size
            .iter()
            .filter(|a| **a > 0)
            .count() as u64;
        assert_eq!(
            alone.cells_compared,
            placed * placed,
            "{}",
            short(&f.relation)
        );
        let mut checks = vec![("alone", alone)];
        if let Some(before) = &f.before {
            let with = compare(&f.plan, Some(before), &bytes, 4097);
            assert_eq!((with.cells_compared, with.not_decidable), (n * n, 0));
            checks.push(("with sizes", with));
            whole += 1;
        }
        for (how, check) in checks {
            if check.differences > 0 {
                let first: Vec<_> = check.list.iter().take(5).collect();
                wrong.push(format!(
                    "{} {how}: {} of {} {:?} {first:?}",
                    short(&f.relation),
                    check.differences,
                    check.cells_compared,
                    check.reading
                ));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 50 && whole >= 10, "{seen} {whole}");
}

/// One flipped cell of every fixture is one difference, and it is named.
#[test]
fn a_changed_cell_is_found() {
    let mut flipped = 0;
    for f in fixtures() {
        let n = f.plan.n_tensors();
        let placed: Vec<u32> = (0..n)
            .filter(|&t| f.plan.tensors.aligned_at(t) > 0)
            .collect();
        let (Some(&row), Some(&column)) = (placed.last(), placed.first()) else {
            continue;
        };
        let mut matrix = Matrix::new(&f.plan, None).unwrap();
        let mut old = false;
        let mut each = |t: u32, bits: &[u64]| {
            let mut bits = bits.to_vec();
            if t == row {
                old = bits[column as usize / 64] >> (column % 64) & 1 == 1;
                bits[column as usize / 64] ^= 1 << (column % 64);
            }
            matrix.row(&f.plan, t, &bits);
        };
        let mut reader = RelationReader::new(n);
        reader.push(&raw(&f.relation), &mut each);
        assert_eq!(reader.finish(&mut each).0.errors, 0);
        let check = matrix.finish();
        assert_eq!(check.differences, 1, "{}", short(&f.relation));
        let d = check.list[0];
        assert_eq!((d.row, d.column, d.may_share), (row, column, !old));
        flipped += 1;
    }
    assert!(flipped > 30);
}

/// The matrix by its definition, on all pairs.
fn by_definition(plan: &Plan, sized: &dyn Fn(u32) -> bool, reading: Reading) -> Vec<Vec<bool>> {
    let (n, nodes) = (plan.n_tensors() as usize, plan.n_nodes() as usize);
    let mut anc = vec![vec![false; nodes]; nodes];
    for node in 0..nodes {
        let flags = plan.nodes.flags_of(node as u32);
        let mut direct: Vec<u32> = Vec::new();
        if !flags.has(NodeFlags::CLEAN) && !flags.has(NodeFlags::REPEATED) {
            for input in plan.nodes.inputs_of(node as u32) {
                if let InputRef::Tensor(t) = input {
                    direct.extend(plan.tensors.source_of(t).filter(|s| *s as usize != node));
                }
            }
        }
        for (a, b) in plan.order.before.iter().zip(&plan.order.after) {
            if *b as usize == node {
                direct.push(*a);
            }
        }
        for d in direct {
            anc[node][d as usize] = true;
            let theirs = anc[d as usize].clone();
            for (mine, theirs) in anc[node].iter_mut().zip(theirs) {
                *mine |= theirs;
            }
        }
    }
    let users = |t: u32| -> Vec<usize> {
        let mut out: Vec<usize> = (0..nodes)
            .filter(|&k| {
                let k = k as u32;
                let flags = plan.nodes.flags_of(k);
                let reads = plan.nodes.inputs_of(k).any(|i| i == InputRef::Tensor(t));
                let owns = plan.nodes.outputs.get(k).contains(&t)
                    || plan.nodes.workspaces.get(k).contains(&t);
                reads && !flags.has(NodeFlags::CLEAN) || owns && flags.has(NodeFlags::REPEATED)
            })
            .collect();
        if out.is_empty() {
            out.push(plan.tensors.source_of(t).unwrap() as usize);
        }
        out
    };
    let source = |t: u32| plan.tensors.source_of(t).unwrap() as usize;
    let kind = |t: u32| plan.tensors.lifelong_at(t);
    let mut share = vec![vec![false; n]; n];
    for a in 0..n as u32 {
        for b in 0..n as u32 {
            let first = users(a).iter().all(|&u| anc[source(b)][u]);
            let second = users(b).iter().all(|&u| anc[source(a)][u]);
            let all = kind(a) == Lifelong::GraphAll || kind(b) == Lifelong::GraphAll;
            let mut may = a != b
                && !all
                && sized(a)
                && sized(b)
                && source(a) != source(b)
                && (first || second);
            for (t, other, earlier) in [(a, b, first), (b, a, second)] {
                let forbids = match (reading, kind(t)) {
                    (Reading::Ignored, _) | (_, Lifelong::None | Lifelong::GraphAll) => false,
                    (Reading::Directional, Lifelong::GraphEnd) => earlier,
                    (Reading::Directional, Lifelong::GraphStart) => !earlier,
                    (Reading::ById, _) if !plan.ordered => true,
                    (Reading::ById, Lifelong::GraphEnd) => other > t,
                    (Reading::ById, Lifelong::GraphStart) => other < t,
                };
                may &= !forbids;
            }
            share[a as usize][b as usize] = may;
        }
    }
    let lists = if plan.generation > Generation::C1 {
        &plan.unions
    } else {
        &plan.union_lists
    };
    for list in lists.iter() {
        let h = list[0] as usize;
        let may: Vec<bool> = (0..n)
            .map(|x| list.iter().all(|&m| share[m as usize][x]))
            .collect();
        for (x, may) in may.into_iter().enumerate() {
            (share[h][x], share[x][h]) = (may, may);
        }
    }
    share
}

#[test]
fn random_plans_have_the_matrix_of_the_definition() {
    let counts = std::cell::RefCell::new((0u64, 0u64, 0u32));
    let kinds = prop::collection::vec((any::<u16>(), 0u8..4), 0..4);
    check(
        1200,
        (
            any_plan(),
            kinds,
            0usize..3,
            prop::sample::select(vec![64usize, 4096, 1 << 20]),
        ),
        |(mini, kinds, reading, batch)| format!("{kinds:?} {reading} {batch}\n{}", mini.text()),
        |(mini, kinds, reading, batch)| {
            let mut plan = parse(mini.text().as_bytes()).plan.unwrap();
            let n = plan.n_tensors();
            if plan.kind != PlanKind::Plan || plan.generation == Generation::A || n == 0 {
                return Ok(());
            }
            for &(t, kind) in kinds {
                let all = [
                    Lifelong::None,
                    Lifelong::GraphAll,
                    Lifelong::GraphStart,
                    Lifelong::GraphEnd,
                ];
                plan.tensors.lifelong[(u32::from(t) % n) as usize] = all[usize::from(kind)];
            }
            let readings = [Reading::Directional, Reading::ById, Reading::Ignored];
            let semi = plan
                .tensors
                .lifelong
                .iter()
                .any(|l| matches!(l, Lifelong::GraphStart | Lifelong::GraphEnd));
            let several = !plan.generation.is_c() && semi;
            let reading = if several {
                readings[*reading]
            } else {
                Reading::ById
            };
            // With the sizes of before: all tensors have bytes but those whose id is a multiple of 5.
            let mut before = plan.clone();
            for (t, size) in before.tensors.aligned_size.iter_mut().enumerate() {
                *size = if t % 5 == 0 { 0 } else { 512 };
            }
            let follows = |t: u32| {
                let group = plan.unions.iter().find(|g| g.contains(&t));
                !plan.generation.is_c() && group.is_some_and(|g| plan.tensors.aligned_at(g[0]) > 0)
            };
            let final_sized = |t: u32| plan.tensors.aligned_at(t) > 0 || follows(t);
            let early_sized = |t: u32| t % 5 != 0;
            for known in [false, true] {
                let sized: &dyn Fn(u32) -> bool = if known { &early_sized } else { &final_sized };
                let expected = by_definition(&plan, sized, reading);
                let mut matrix =
                    Matrix::with_batches_of(&plan, known.then_some(&before), *batch).unwrap();
                for (row, cells) in expected.iter().enumerate() {
                    let mut bits = vec![0u64; cells.len().div_ceil(64)];
                    for (j, may) in cells.iter().enumerate() {
                        bits[j / 64] |= u64::from(*may) << (j % 64);
                    }
                    matrix.row(&plan, row as u32, &bits);
                }
                let check = matrix.finish();
                prop_assert_eq!(
                    check.differences,
                    0,
                    "{:?} {:?}",
                    check.reading,
                    check.list.first()
                );
                prop_assert_eq!(
                    check.cells_compared + check.not_decidable,
                    u64::from(n) * u64::from(n)
                );
                prop_assert_eq!(check.not_decidable > 0 && known, false);
                let mut counts = counts.borrow_mut();
                counts.0 += expected.iter().flatten().filter(|m| **m).count() as u64;
                counts.1 += expected.iter().flatten().filter(|m| !**m).count() as u64;
                counts.2 += u32::from(check.reading.is_some());
            }
            Ok(())
        },
    );
    let (may, must_not, readings) = *counts.borrow();
    assert!(
        may > 5_000 && must_not > 5_000 && readings > 20,
        "{may} {must_not} {readings}"
    );
}

/// The files beside a dump are used by themselves, those given with `--with` as given; the outcome
/// stands in the log, on the terminal and in the JSON line.
#[test]
fn the_command_line_compares_the_matrix() {
    let lenet = data().join("dumps/lenet_train");
    let dump = lenet.join("CPU_somas_tensor_offset_0.ir");
    let whole = serde_json::json!({"rows": 51, "cells_compared": 2601, "differences": 0, "not_decidable": 0, "list": []});
    assert_eq!(json_of(&dump, &[])["matrix"], whole);

    // Alone with a changed matrix, given by name and packed.
    let dir = scratch("matrix");
    let alone = dir.join("plan.ir");
    std::fs::copy(&dump, &alone).unwrap();
    assert!(json_of(&alone, &[]).get("matrix").is_none());
    let rows = String::from_utf8(raw(&lenet.join("somas_tensor_relation_0.ir"))).unwrap();
    let changed = rows.replacen("t0 H0H0H1", "t0 H0H0H0", 1);
    assert_ne!(rows, changed);
    let relation = dir.join("changed.gz");
    std::fs::write(&relation, gz(changed.as_bytes())).unwrap();
    let with = relation.to_string_lossy().into_owned();
    let plan = parse(&raw(&dump)).plan.unwrap();
    let sized = |t: &u32| plan.tensors.aligned_at(*t) > 0;
    let placed = (0..51).filter(sized).count() as u64;
    let found = &json_of(&alone, &["--with", &with])["matrix"];
    let both = sized(&0) && sized(&2);
    assert!(both);
    assert_eq!(found["cells_compared"], placed * placed);
    assert_eq!(found["not_decidable"], 2601 - placed * placed);
    assert_eq!(found["differences"], 1);
    assert_eq!(
        found["list"],
        serde_json::json!([{"row": 0, "column": 2, "may_share": false}])
    );

    let out = scratch("matrix-out");
    let args = [
        "-s".as_ref(),
        alone.as_os_str(),
        "--with".as_ref(),
        relation.as_os_str(),
        "-o".as_ref(),
        out.as_os_str(),
    ];
    let ran = run(args);
    assert_eq!(ran.status.code(), Some(0));
    let log = String::from_utf8(raw(&out.join("MemoryAnalyze.log"))).unwrap();
    let told = String::from_utf8(ran.stdout).unwrap();
    for text in [log, told] {
        assert!(text.contains(" cells compared, 1 differ"), "{text}");
        assert!(
            text.contains("row %0T, column %2T: must not share in the file, may by the rule"),
            "{text}"
        );
    }

    // A matrix of another graph is bad input when it was asked for.
    let other = data().join("samples/v2.10_cpu_bn_real/somas_tensor_relation_0.ir");
    let ran = run([
        "-s".as_ref(),
        alone.as_os_str(),
        "--with".as_ref(),
        other.as_os_str(),
    ]);
    assert_eq!(ran.status.code(), Some(2));
}

/// In 1.2 to 1.8 the kinds GraphStart and GraphEnd come from the offline log; without it the log
/// names it.
#[test]
fn old_releases_name_the_log_that_would_tell_more() {
    let dump = data().join("generations/B2_Ascend_1/dump.ir");
    let note = "somas_offline_log_<graph>.ir, would tell them";
    let told = |path: &Path| {
        let out = scratch("note");
        let ran = run([
            "-s".as_ref(),
            path.as_os_str(),
            "-o".as_ref(),
            out.as_os_str(),
        ]);
        let log = String::from_utf8(raw(&out.join("MemoryAnalyze.log"))).unwrap();
        (
            log.contains(note),
            String::from_utf8(ran.stdout).unwrap().contains(note),
        )
    };
    assert_eq!(told(&dump), (true, true));
    let known = data().join("samples/v1.7_ascend/somas_allocate_info_1.ir");
    assert_eq!(told(&known), (false, false));
}
