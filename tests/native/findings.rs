//! What in a plan contradicts itself: nothing in a healthy one, and in one with a fault just what
//! follows from the definitions, which are tried here one by one on all tensors and nodes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use somascope::analysis::{self, Finding, FindingKind as Kind, PlanFindings};
use somascope::model::{Generation, InputRef, Lifelong, NodeFlags, Plan, PlanKind};

use crate::hazards::brute_force;
use crate::plans::{any_plan, Mini};
use crate::properties::check;
use crate::support::{data, json_of, main_dumps, parse, raw, run, scratch, scratch_file, short};

fn found(plan: &Plan) -> PlanFindings {
    analysis::findings(plan, &analysis::safety(plan))
}

/// Kinds with their numbers, without what is only for information.
fn wrong(found: &PlanFindings) -> BTreeMap<&'static str, u64> {
    let kinds = Kind::ALL.iter().filter(|k| k.is_wrong());
    kinds
        .map(|k| (k.word(), found.count(*k)))
        .filter(|(_, n)| *n > 0)
        .collect()
}

#[test]
fn a_healthy_dump_contradicts_itself_nowhere() {
    let (mut odd, mut seen) = (Vec::new(), 0);
    for (path, bytes) in main_dumps() {
        if short(&path).contains("_broken") {
            continue;
        }
        let plan = parse(&bytes).plan.unwrap();
        let told = wrong(&found(&plan));
        let expected = match plan.kind {
            PlanKind::Stage => BTreeMap::from([("undecided", 1)]),
            PlanKind::Plan => BTreeMap::new(),
        };
        if told != expected {
            odd.push(format!("{}: {told:?}", short(&path)));
        }
        seen += 1;
    }
    assert!(odd.is_empty(), "{}", odd.join("\n"));
    assert!(seen > 100, "{seen} dumps");
}

/// In the broken plans tensors were moved onto others: that is told as hazards, once.
#[test]
fn a_moved_tensor_is_one_finding() {
    for folder in std::fs::read_dir(data().join("generations")).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.to_string_lossy().ends_with("_broken") {
            continue;
        }
        let expected: serde_json::Value =
            serde_json::from_slice(&raw(&folder.join("expected.json"))).unwrap();
        let summary = json_of(&folder.join("dump.ir"), &[]);
        let mut told = summary["findings"].as_object().unwrap().clone();
        told.remove("never_read");
        let hazards = expected["hazards"].as_array().unwrap().len();
        assert_eq!(
            told.remove("hazard"),
            Some(hazards.into()),
            "{}",
            short(&folder)
        );
        // The tensor that reached the total was moved down: the total is a warning of its own.
        let total = told.remove("total_differs");
        let codes = summary["diagnostics"]["list"].as_array().unwrap();
        let warned = codes.iter().any(|d| d["code"] == "total_differs");
        assert_eq!(total.is_some(), warned, "{}", short(&folder));
        assert!(told.is_empty(), "{}: {told:?}", short(&folder));
    }
}

/// One change to the text of a healthy plan; numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Fault {
    Offset(u16, u16, u8),
    First(u16, u8),
    Last(u16, u8),
    Reads(u16, u16),
    Owns(u16, u16),
    GraphOutput(u16),
    Order(u16, u16),
    Total(u8),
    Block(u16, u8),
}

fn fault() -> impl Strategy<Value = Fault> {
    let (a, b, c) = (any::<u16>(), any::<u16>(), any::<u8>());
    prop_oneof![
        (a, b, c).prop_map(|(a, b, c)| Fault::Offset(a, b, c)),
        (a, c).prop_map(|(a, c)| Fault::First(a, c)),
        (a, c).prop_map(|(a, c)| Fault::Last(a, c)),
        (a, b).prop_map(|(a, b)| Fault::Reads(a, b)),
        (a, b).prop_map(|(a, b)| Fault::Owns(a, b)),
        a.prop_map(Fault::GraphOutput),
        (a, b).prop_map(|(a, b)| Fault::Order(a, b)),
        c.prop_map(Fault::Total),
        (a, c).prop_map(|(a, c)| Fault::Block(a, c)),
    ]
}

fn apply(mini: &mut Mini, fault: &Fault) {
    let (n_tensors, n_nodes) = (mini.tensors.len(), mini.nodes.len());
    if n_tensors == 0 || n_nodes == 0 {
        return;
    }
    let t = |n: u16| usize::from(n) % n_tensors;
    let node = |n: u16| usize::from(n) % n_nodes;
    match *fault {
        Fault::Offset(a, b, shift) => {
            let to = mini.tensors[t(b)].offset + u64::from(shift % 8) * 256;
            mini.tensors[t(a)].offset = to;
        }
        Fault::First(a, n) => {
            let tensor = &mut mini.tensors[t(a)];
            tensor.first = (u64::from(n) % n_nodes as u64).min(tensor.last);
        }
        Fault::Last(a, n) => {
            let tensor = &mut mini.tensors[t(a)];
            tensor.last = (u64::from(n) % n_nodes as u64).max(tensor.first);
        }
        Fault::Reads(a, b) => mini.nodes[node(a)].inputs.push(format!("%{}T", t(b))),
        Fault::Owns(a, b) => mini.nodes[node(a)].outputs.push(t(b) as u64),
        Fault::GraphOutput(a) => mini.tensors[t(a)].kind = "GraphOutput".into(),
        Fault::Order(a, b) => {
            if mini.style.is_c() {
                mini.controls.push((node(a) as u64, node(b) as u64));
            }
        }
        Fault::Total(n) => mini.total += u64::from(n % 3) * 512,
        Fault::Block(a, n) => {
            let blocks = mini.blocks.len().max(1);
            match mini.blocks.get_mut(usize::from(a) % blocks) {
                Some(block) if n % 2 == 0 => block.1 += 512,
                Some(_) => drop(mini.blocks.remove(usize::from(a) % blocks)),
                None => {}
            }
        }
    }
}

/// A finding by its kind, its tensor and its node.
type Told = (Kind, Option<u32>, Option<u32>);

/// What the definitions say. Kinds whose tensor is one of several equal choices come without it.
fn by_definition(plan: &Plan) -> Vec<Told> {
    let mut out = Vec::new();
    let tensors = 0..plan.n_tensors();
    let nodes = 0..plan.n_nodes();
    let is_c = plan.generation.is_c();
    let aligned = |t: u32| plan.tensors.aligned_at(t);
    let at = |t: u32| plan.tensors.true_offset(t);
    let edges: Vec<(u32, u32)> = plan
        .order
        .before
        .iter()
        .copied()
        .zip(plan.order.after.iter().copied())
        .collect();
    let backward = is_c && edges.iter().any(|(a, b)| a >= b);
    let hazards = if backward { vec![] } else { brute_force(plan) };

    if backward {
        out.push((Kind::Undecided, None, None));
        if in_circle(plan, &edges) {
            out.push((Kind::ControlCycle, None, None));
        }
    }
    // The places of union mates, by majority, the earliest on a tie.
    for group in plan.unions.iter() {
        if aligned(group[0]) == 0 {
            continue;
        }
        let members: Vec<u32> = group
            .iter()
            .copied()
            .filter(|&t| !is_c || aligned(t) > 0)
            .collect();
        let mut best = (0, 0);
        for &t in &members {
            let votes = members.iter().filter(|&&u| at(u) == at(t)).count();
            if votes > best.0 {
                best = (votes, at(t));
            }
        }
        for &t in members.iter().filter(|&&t| at(t) != best.1) {
            out.push((Kind::UnionOffsetDiffers, Some(t), None));
        }
    }
    for list in plan.contiguous_processed.iter() {
        let mut end = None;
        for &t in list.iter().filter(|&&t| aligned(t) > 0) {
            if end.is_some_and(|(_, e)| e != at(t)) {
                out.push((Kind::NotContiguous, end.map(|e: (u32, u64)| e.0), None));
                break;
            }
            end = Some((t, at(t) + aligned(t)));
        }
    }
    let ascend = plan.device.map(|d| d.word()) == Some("Ascend");
    for t in tensors.clone() {
        let mates = |t: u32| {
            plan.unions
                .iter()
                .find(|g| g.contains(&t))
                .map_or(vec![t], |g| g.to_vec())
        };
        let listed = mates(t)
            .iter()
            .any(|m| plan.contiguous.iter().any(|l| l.contains(m)));
        let odd = at(t) % 512 != 0 || aligned(t) % 512 != 0;
        if aligned(t) > 0 && odd && (ascend || !listed) {
            out.push((Kind::Misaligned, Some(t), None));
        }
    }
    let top = tensors
        .clone()
        .filter(|&t| aligned(t) > 0)
        .map(|t| at(t) + aligned(t))
        .max()
        .unwrap_or(0);
    let total_differs = plan.stated_total.is_some_and(|total| total != top);
    if total_differs {
        out.push((Kind::TotalDiffers, None, None));
    }
    let named = |k: &Told| {
        matches!(
            k.0,
            Kind::UnionOffsetDiffers | Kind::NotContiguous | Kind::Misaligned
        )
    };
    let block_end = plan.blocks.iter().map(|b| b.end).max().unwrap_or(0);
    let beyond = total_differs && plan.stated_total == Some(block_end);
    if is_c && hazards.is_empty() && !out.iter().any(named) && !beyond {
        let mut printed: Vec<(u64, u64)> = plan.blocks.iter().map(|b| (b.start, b.end)).collect();
        printed.sort_unstable();
        let mut ranges: Vec<(u64, u64)> = tensors
            .clone()
            .filter(|&t| aligned(t) > 0)
            .map(|t| (at(t), at(t) + aligned(t)))
            .collect();
        let shown: Vec<(u64, u64)> = tensors
            .clone()
            .filter(|&t| aligned(t) > 0)
            .map(|t| {
                (
                    plan.tensors.shown_offset(t),
                    plan.tensors.shown_offset(t) + aligned(t),
                )
            })
            .collect();
        for list in plan.contiguous_processed.iter() {
            if let Some(first) = list.iter().find(|&&t| aligned(t) > 0) {
                ranges.push((
                    at(*first),
                    at(*first) + list.iter().map(|&t| aligned(t)).sum::<u64>(),
                ));
            }
        }
        let old_form = plan.generation == Generation::C1 && printed == merged(shown);
        if printed != merged(ranges) && !old_form {
            out.push((Kind::BlocksDiffer, None, None));
        }
    }
    let clean = |n: u32| plan.nodes.flags_of(n).has(NodeFlags::CLEAN);
    let reads = |n: u32, t: u32| plan.nodes.inputs_of(n).any(|i| i == InputRef::Tensor(t));
    let owns = |n: u32, t: u32| {
        plan.nodes.outputs.get(n).contains(&t) || plan.nodes.workspaces.get(n).contains(&t)
    };
    let repeated = |n: u32| plan.nodes.flags_of(n).has(NodeFlags::REPEATED);
    for t in tensors.clone() {
        let source = nodes.clone().find(|&n| owns(n, t));
        let early = nodes
            .clone()
            .find(|&n| !clean(n) && reads(n, t) && source.is_some_and(|s| n < s));
        if early.is_some() {
            out.push((Kind::ReadBeforeWritten, Some(t), early));
        }
        let readers: Vec<u32> = nodes
            .clone()
            .filter(|&n| reads(n, t) && (!clean(n) || plan.generation == Generation::A))
            .collect();
        let kind = plan.tensors.lifelong_at(t);
        let printed = plan.tensors.printed_life(t);
        let first = if matches!(kind, Lifelong::GraphAll | Lifelong::GraphStart) {
            0
        } else {
            printed.0
        };
        let last = if matches!(kind, Lifelong::GraphAll | Lifelong::GraphEnd) {
            u32::MAX
        } else {
            printed.1
        };
        if plan.generation != Generation::A {
            let late = readers.iter().copied().filter(|&n| n > last).max();
            let again = nodes
                .clone()
                .filter(|&n| repeated(n) && owns(n, t) && n > last)
                .max();
            let outside = source.filter(|&s| s < first || s > last).or(again);
            match (late, outside) {
                (Some(n), _) => out.push((Kind::ReadAfterLife, Some(t), Some(n))),
                (None, Some(n)) => out.push((Kind::LifeTooShort, Some(t), Some(n))),
                (None, None) => {}
            }
        }
        let word = plan.tensors.kind_words.word(plan.tensors.kind_at(t));
        let kept = [
            "Workspace",
            "Gap",
            "GraphOutput",
            "GraphInput",
            "SummaryInput",
        ]
        .contains(&word)
            || kind != Lifelong::None;
        let in_union = plan.unions.iter().any(|g| g.contains(&t));
        let output = source.is_some_and(|s| plan.nodes.outputs.get(s).contains(&t));
        if readers.is_empty() && aligned(t) > 0 && !kept && !in_union && output {
            out.push((Kind::NeverRead, Some(t), source));
        }
        let is_output = word == "GraphOutput" && aligned(t) > 0 && kind == Lifelong::None;
        let writers: Vec<u32> = tensors
            .clone()
            .filter(|&q| {
                let later = nodes.clone().find(|&n| owns(n, q)) > source;
                let mates = plan.unions.iter().any(|g| g.contains(&t) && g.contains(&q));
                let meet = at(t).max(at(q)) < (at(t) + aligned(t)).min(at(q) + aligned(q));
                q != t && aligned(q) > 0 && later && !mates && meet
            })
            .collect();
        let known = |q: &u32| hazards.contains(&(t.min(*q), t.max(*q)));
        if is_output && !writers.is_empty() && !writers.iter().any(known) {
            out.push((Kind::OutputReused, Some(t), None));
        }
    }
    for n in nodes.clone() {
        let taken = |t: &&u32| nodes.clone().find(|&m| owns(m, **t)) != Some(n);
        let own: Vec<u32> = plan
            .nodes
            .outputs
            .get(n)
            .iter()
            .chain(plan.nodes.workspaces.get(n))
            .copied()
            .collect();
        if !repeated(n) && own.iter().any(|t| taken(&t)) {
            out.push((Kind::WrittenTwice, None, Some(n)));
        }
    }
    out.sort();
    out
}

/// Ranges that have a byte in common, directly or through others, made one.
fn merged(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut out: Vec<(u64, u64)> = Vec::new();
    for mut new in ranges {
        while let Some(i) = out
            .iter()
            .position(|old| old.0.max(new.0) < old.1.min(new.1))
        {
            let old = out.remove(i);
            new = (old.0.min(new.0), old.1.max(new.1));
        }
        out.push(new);
    }
    out.sort_unstable();
    out
}

/// Whether some node comes before itself, by the closure of all edges.
fn in_circle(plan: &Plan, order: &[(u32, u32)]) -> bool {
    let n = plan.n_nodes() as usize;
    let mut before = vec![vec![false; n]; n];
    for node in 0..n as u32 {
        let flags = plan.nodes.flags_of(node);
        if flags.has(NodeFlags::CLEAN) || flags.has(NodeFlags::REPEATED) {
            continue;
        }
        for input in plan.nodes.inputs_of(node) {
            if let InputRef::Tensor(t) = input {
                if let Some(s) = plan.tensors.source_of(t).filter(|s| *s < node) {
                    before[s as usize][node as usize] = true;
                }
            }
        }
    }
    for &(a, b) in order {
        before[a as usize][b as usize] = true;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                before[i][j] |= before[i][k] && before[k][j];
            }
        }
    }
    (0..n).any(|i| before[i][i])
}

/// The finding as the definitions tell it.
fn told(f: &Finding) -> Told {
    match f.kind {
        Kind::UnionOffsetDiffers | Kind::NotContiguous | Kind::OutputReused => {
            (f.kind, f.tensor, None)
        }
        Kind::Misaligned | Kind::ReadBeforeWritten | Kind::ReadAfterLife => {
            (f.kind, f.tensor, f.node)
        }
        Kind::LifeTooShort | Kind::NeverRead => (f.kind, f.tensor, f.node),
        Kind::WrittenTwice => (f.kind, None, f.node),
        Kind::Undecided | Kind::ControlCycle | Kind::TotalDiffers | Kind::BlocksDiffer => {
            (f.kind, None, None)
        }
    }
}

#[test]
fn faults_are_found_as_by_the_definitions() {
    let seen = std::cell::RefCell::new(BTreeMap::<&str, u32>::new());
    check(
        3000,
        (any_plan(), prop::collection::vec(fault(), 0..3)),
        |(mini, faults)| {
            let mut mini = mini.clone();
            faults.iter().for_each(|f| apply(&mut mini, f));
            format!("{faults:?}\n{}", mini.text())
        },
        |(mini, faults)| {
            let mut mini = mini.clone();
            faults.iter().for_each(|f| apply(&mut mini, f));
            let parsed = parse(mini.text().as_bytes());
            let Some(plan) = parsed.plan.as_ref().filter(|p| p.kind == PlanKind::Plan) else {
                return Ok(());
            };
            // The definitions know no tensor without a source.
            let guarded = |t: u32| plan.tensors.kind_words.word(plan.tensors.kind_at(t)) == "Gap";
            if (0..plan.n_tensors()).any(|t| plan.tensors.source_of(t).is_none() && !guarded(t)) {
                return Ok(());
            }
            let list = found(plan).list;
            let mut tolds: Vec<Told> = list.iter().map(told).collect();
            tolds.sort();
            prop_assert_eq!(&tolds, &by_definition(plan));
            // What the reader warns of and what is found are one.
            let warned = |code: &str| {
                parsed
                    .diagnostics
                    .list
                    .iter()
                    .filter(|d| d.code.word() == code)
                    .count()
            };
            let count = |kind: Kind| list.iter().filter(|f| f.kind == kind).count();
            for kind in [Kind::TotalDiffers, Kind::Misaligned, Kind::WrittenTwice] {
                prop_assert_eq!(warned(kind.word()), count(kind), "{}", kind.word());
            }
            for f in &list {
                *seen.borrow_mut().entry(f.kind.word()).or_default() += 1;
            }
            Ok(())
        },
    );
    for kind in Kind::ALL {
        let times = seen.borrow().get(kind.word()).copied().unwrap_or(0);
        assert!(times >= 3, "{}: seen {times} times", kind.word());
    }
}

/// The lines and the words: in the log, on the terminal, in the JSON line.
#[test]
fn a_finding_is_named_with_its_ids_and_its_line() {
    let healthy = raw(&data().join("samples/v2.10_cpu_lenet_real/CPU_somas_tensor_offset_0.ir"));
    let text = String::from_utf8(healthy).unwrap();
    // The second parameter of LeNet's first loss reader: its life is cut by one step.
    let plan = parse(text.as_bytes()).plan.unwrap();
    let t = (0..plan.n_tensors())
        .find(|&t| {
            let (first, last) = plan.tensors.printed_life(t);
            plan.tensors.aligned_at(t) > 0 && last > first + 1 && !plan.readers().get(t).is_empty()
        })
        .unwrap();
    let (first, last) = plan.tensors.printed_life(t);
    let lead = format!("%{t}T\t");
    let at = text.lines().position(|l| l.starts_with(&lead)).unwrap();
    let lines: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(i, l)| match i == at {
            true => l.replace(
                &format!("\t{first}\t{last}\t"),
                &format!("\t{first}\t{first}\t"),
            ),
            false => l.to_owned(),
        })
        .collect();
    let path = scratch_file("somas_tensor_offset_0.ir", lines.join("\n").as_bytes());
    let summary = json_of(&path, &[]);
    assert_eq!(summary["findings"]["read_after_life"], 1);
    let out = scratch("findings");
    let run = run([
        "-s".as_ref(),
        path.as_os_str(),
        "-o".as_ref(),
        out.as_os_str(),
    ]);
    let log = String::from_utf8(raw(&out.join("MemoryAnalyze.log"))).unwrap();
    let expected = format!(
        "  read_after_life: ${last} {} reads %{t}T, whose life ends at step {first} (line {})",
        String::from_utf8_lossy(plan.node_name(last)),
        at + 1
    );
    assert!(log.lines().any(|l| l == expected), "{expected}\n{log}");
    let told = String::from_utf8(run.stdout).unwrap();
    assert!(told.lines().any(|l| l == expected), "{told}");
}

/// Why there is no verdict: told in the log, on the terminal and in the JSON line.
#[test]
fn no_verdict_says_why() {
    let lenet = data().join("dumps/lenet_train/CPU_somas_tensor_offset_0.ir");
    let stage = data().join("dumps/lenet_train/CPU_somas_pre_processed_info_0.ir");
    let text = String::from_utf8(raw(&lenet)).unwrap();
    let cut = text.replacen("%5T\t#", "%5T\t", 1);
    let partial = scratch_file("cut_somas_0.ir", cut.as_bytes());
    let mut circle = crate::plans::Mini::new(crate::plans::Style::C2Ascend);
    for id in 0..3 {
        circle.nodes.push(crate::plans::mini::Node {
            id,
            name: format!("Add-op{id}"),
            ..Default::default()
        });
    }
    circle.controls = vec![(0, 1), (1, 2), (2, 1)];
    let circle = scratch_file("circle_somas_0.ir", circle.text().as_bytes());
    let cases = [
        (stage, vec![], "an early stage has no addresses", None, 0),
        (
            partial,
            vec!["--partial"],
            "parts of the file could not be read",
            Some("undecided"),
            2,
        ),
        (
            circle,
            vec![],
            "order edges lead from later nodes to earlier ones",
            Some("undecided"),
            0,
        ),
    ];
    for (path, flags, why, verdict, status) in cases {
        let summary = json_of(&path, &flags);
        assert_eq!(summary["verdict"].as_str(), verdict, "{}", short(&path));
        assert_eq!(summary["findings"]["undecided"], 1, "{}", short(&path));
        assert!(summary.get("hazards").is_none());
        let out = scratch("undecided");
        let mut args: Vec<std::ffi::OsString> = vec!["-s".into(), path.clone().into()];
        args.extend(["-o".into(), out.clone().into()]);
        args.extend(flags.iter().map(|f| (*f).into()));
        let run = run(args);
        assert_eq!(run.status.code(), Some(status), "{}", short(&path));
        let told = String::from_utf8(run.stdout).unwrap();
        let log = String::from_utf8(raw(&out.join("MemoryAnalyze.log"))).unwrap();
        for text in [&told, &log] {
            assert!(
                text.contains("undecided") || text.contains("no verdict"),
                "{text}"
            );
            assert!(text.contains(why), "{why}\n{text}");
        }
        if path.ends_with("circle_somas_0.ir") {
            assert_eq!(summary["findings"]["control_cycle"], 1);
            let circle =
                "  control_cycle: the order edges run in a circle of 2 nodes through $1 Add-op1";
            assert!(told.lines().any(|l| l.starts_with(circle)), "{told}");
        }
    }
}
