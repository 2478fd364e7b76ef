//! The judgement of a plan against the pairs the fixtures name, and against the definition tried
//! on all pairs (written here from the format description; nothing of `analysis` in it).

use proptest::prelude::*;
use somascope::model::{Generation, InputRef, Lifelong, NodeFlags, Plan, TensorKind};
use somascope::{analysis, parse};

use crate::plans::any_plan;
use crate::properties::check;
use crate::support::{data, raw};

/// The nodes that order a node directly, by data or order edges, with repetitions.
pub fn direct(plan: &Plan, node: u32) -> Vec<u32> {
    let flags = plan.nodes.flags_of(node);
    let reads = plan.generation == Generation::A || !flags.has(NodeFlags::CLEAN);
    let mut direct = Vec::new();
    if reads && !flags.has(NodeFlags::REPEATED) {
        for input in plan.nodes.inputs_of(node) {
            if let InputRef::Tensor(t) = input {
                direct.extend(plan.tensors.source_of(t));
            }
        }
    }
    for (a, b) in plan.order.before.iter().zip(&plan.order.after) {
        if *b == node {
            direct.push(*a);
        }
    }
    direct.retain(|d| *d < node);
    direct
}

/// A set of ancestors for each node.
pub fn ancestors(plan: &Plan) -> Vec<Vec<bool>> {
    let n = plan.n_nodes() as usize;
    let mut before: Vec<Vec<bool>> = Vec::new();
    for node in 0..n as u32 {
        let mut mine = vec![false; n];
        for d in direct(plan, node) {
            mine[d as usize] = true;
            for (m, theirs) in mine.iter_mut().zip(&before[d as usize]) {
                *m |= *theirs;
            }
        }
        before.push(mine);
    }
    before
}

/// For each tensor the one that counts for it: itself, of a guard its neighbour.
pub fn stand_ins(plan: &Plan) -> Vec<u32> {
    let mut neighbours = Vec::new();
    for list in plan.contiguous.iter() {
        neighbours.extend([list[0], list[list.len() - 1]]);
    }
    let mut gaps = 0;
    let mut out = Vec::new();
    for t in 0..plan.n_tensors() {
        let is_gap = plan.tensors.kind_at(t) == TensorKind::GAP;
        out.push(if is_gap { neighbours[gaps] } else { t });
        gaps += usize::from(is_gap);
    }
    out
}

/// The nodes that use a tensor after it was written; its source when there is none.
pub fn users(plan: &Plan, t: u32) -> Vec<u32> {
    let mut out = Vec::new();
    for n in 0..plan.n_nodes() {
        let flags = plan.nodes.flags_of(n);
        let reads = plan.nodes.inputs_of(n).any(|i| i == InputRef::Tensor(t));
        let early = plan.generation == Generation::A && plan.tensors.source_of(t) > Some(n);
        // A clean node writes zeros; in generation A it counts as a reader all the same.
        let counts = !flags.has(NodeFlags::CLEAN) || plan.generation == Generation::A;
        if reads && counts && !early {
            out.push(n);
        }
        let owns =
            plan.nodes.outputs.get(n).contains(&t) || plan.nodes.workspaces.get(n).contains(&t);
        if owns && flags.has(NodeFlags::REPEATED) {
            out.push(n);
        }
    }
    if out.is_empty() {
        out.push(plan.tensors.source_of(t).unwrap());
    }
    out
}

/// All hazards, by the definition.
pub fn brute_force(plan: &Plan) -> Vec<(u32, u32)> {
    let before = ancestors(plan);
    let real = stand_ins(plan);
    let real = |t: u32| real[t as usize];
    let all_users: Vec<Vec<u32>> = (0..plan.n_tensors())
        .map(|t| users(plan, real(t)))
        .collect();
    let source = |t: u32| plan.tensors.source_of(real(t)).unwrap();
    let done = |a: u32, b: u32| {
        all_users[a as usize]
            .iter()
            .all(|u| before[source(b) as usize][*u as usize])
    };
    let mut out = Vec::new();
    for a in 0..plan.n_tensors() {
        for b in a + 1..plan.n_tensors() {
            let bytes = |t: u32| {
                (
                    plan.tensors.true_offset(t),
                    plan.tensors.true_offset(t) + plan.tensors.aligned_at(t),
                )
            };
            let ((s, e), (s2, e2)) = (bytes(a), bytes(b));
            if s.max(s2) >= e.min(e2)
                || plan.tensors.aligned_at(a) == 0
                || plan.tensors.aligned_at(b) == 0
            {
                continue;
            }
            if plan.union_group(a).is_some() && plan.union_group(a) == plan.union_group(b) {
                continue;
            }
            // A guard is to others what its neighbour is.
            let (low, high) = (real(a).min(real(b)), real(a).max(real(b)));
            let (x, y) = (
                plan.tensors.lifelong_at(low),
                plan.tensors.lifelong_at(high),
            );
            let semi = |l| l == Lifelong::GraphStart || l == Lifelong::GraphEnd;
            let forbidden = x == Lifelong::GraphAll
                || y == Lifelong::GraphAll
                || (plan.ordered && (x == Lifelong::GraphEnd || y == Lifelong::GraphStart))
                || (!plan.ordered && (semi(x) || semi(y)));
            let (la, lb) = (plan.live_range(a).unwrap(), plan.live_range(b).unwrap());
            let alive_together = la.first <= lb.last && lb.first <= la.last;
            let ordered =
                real(a) != real(b) && source(a) != source(b) && (done(a, b) || done(b, a));
            if forbidden || alive_together || !ordered {
                out.push((a, b));
            }
        }
    }
    out
}

pub fn plan_of(bytes: &[u8]) -> Plan {
    let mut reader = parse::Reader::new(parse::ReadOptions::default());
    reader.push(bytes);
    reader.finish().plan.expect("a plan")
}

pub fn found(plan: &Plan) -> Vec<(u32, u32)> {
    analysis::safety(plan)
        .list
        .iter()
        .map(|h| (h.a, h.b))
        .collect()
}

#[test]
fn the_pairs_of_every_generation() {
    let mut seen = 0;
    for folder in std::fs::read_dir(data().join("generations")).unwrap() {
        let folder = folder.unwrap().path();
        let Ok(text) = std::fs::read_to_string(folder.join("expected.json")) else {
            continue;
        };
        let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
        let pairs: Vec<(u32, u32)> = serde_json::from_value(expected["hazards"].clone()).unwrap();
        let plan = plan_of(&raw(&folder.join("dump.ir")));
        assert_eq!(found(&plan), pairs, "{}", folder.display());
        assert_eq!(
            brute_force(&plan),
            pairs,
            "brute force, {}",
            folder.display()
        );
        seen += 1;
    }
    assert!(seen >= 30);
}

/// What is done to a plan before it is judged.
#[derive(Clone, Debug)]
pub struct Damage {
    /// Tensors moved: which, and the tensor (or the byte) they are moved to.
    moves: Vec<(u16, u16, u8)>,
    /// Order edges dropped.
    dropped: Vec<u16>,
    /// Readers dropped from the node lists.
    lives: Vec<(u16, u8)>,
}

pub fn damage() -> impl Strategy<Value = Damage> {
    let moves = prop::collection::vec((any::<u16>(), any::<u16>(), 0u8..4), 0..4);
    let dropped = prop::collection::vec(any::<u16>(), 0..3);
    let lives = prop::collection::vec((any::<u16>(), 0u8..4), 0..2);
    (moves, dropped, lives).prop_map(|(moves, dropped, lives)| Damage {
        moves,
        dropped,
        lives,
    })
}

pub fn apply(plan: &mut Plan, damage: &Damage) {
    let n = plan.n_tensors() as usize;
    if n == 0 {
        return;
    }
    for &(which, to, shift) in &damage.moves {
        let (which, to) = (which as usize % n, to as usize % n);
        plan.tensors.offset[which] = plan.tensors.offset[to] + u64::from(shift) * 512;
    }
    for &edge in &damage.dropped {
        let edges = plan.order.before.len();
        if edges > 0 {
            let edge = edge as usize % edges;
            plan.order.before.remove(edge);
            plan.order.after.remove(edge);
        }
    }
    for &(which, kind) in &damage.lives {
        let kinds = [
            Lifelong::None,
            Lifelong::GraphAll,
            Lifelong::GraphStart,
            Lifelong::GraphEnd,
        ];
        plan.tensors.lifelong[which as usize % n] = kinds[kind as usize];
    }
}

#[test]
fn random_plans_are_judged_as_by_trying_all_pairs() {
    let (mut judged, mut hazardous) = (0u32, 0u32);
    let counts = std::cell::RefCell::new((&mut judged, &mut hazardous));
    check(
        1500,
        (any_plan(), damage()),
        |(mini, damage)| format!("{damage:?}\n{}", mini.text()),
        |(mini, damage)| {
            let mut plan = plan_of(mini.text().as_bytes());
            if plan.kind != somascope::model::PlanKind::Plan {
                return Ok(());
            }
            apply(&mut plan, damage);
            let expected = brute_force(&plan);
            let safety = analysis::safety(&plan);
            let found: Vec<(u32, u32)> = safety.list.iter().map(|h| (h.a, h.b)).collect();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(safety.count, expected.len() as u64);
            let by_order = expected.iter().filter(|(a, b)| {
                let (a, b) = (plan.live_range(*a).unwrap(), plan.live_range(*b).unwrap());
                a.first <= b.last && b.first <= a.last
            });
            prop_assert_eq!(safety.by_order, by_order.count() as u64);
            let mut counts = counts.borrow_mut();
            *counts.0 += 1;
            *counts.1 += u32::from(!expected.is_empty());
            Ok(())
        },
    );
    assert!(
        judged / 3 <= hazardous,
        "{hazardous} of {judged} plans have a hazard"
    );
}

#[test]
fn a_healthy_plan_has_no_hazard() {
    check(
        400,
        any_plan(),
        |mini| mini.text(),
        |mini| {
            let plan = plan_of(mini.text().as_bytes());
            prop_assert_eq!(found(&plan), vec![]);
            Ok(())
        },
    );
    for (path, bytes) in crate::support::main_dumps() {
        // Files that are damaged on purpose, and the one whose faults are listed beside it.
        if path.to_string_lossy().contains("/bad/")
            || path.ends_with("Ascend_somas_tensor_offset_2.ir")
        {
            continue;
        }
        let plan = plan_of(&bytes);
        if path.ends_with("v1.1_ascend/somas_after_allocate_1.ir") {
            // The planner of 1.1 allows this: a node between the clean node and the source of %7T
            // writes over the bytes that were zeroed for it. They are alive together.
            assert_eq!(found(&plan), [(3, 7)]);
            continue;
        }
        let broken = path.to_string_lossy().contains("broken");
        if plan.kind == somascope::model::PlanKind::Plan && !broken {
            let verdict = analysis::safety(&plan).verdict;
            assert_eq!(verdict, analysis::Verdict::Safe, "{}", path.display());
        }
    }
}

/// Without a stream order a tensor that lasts to the end of the graph shares with nobody, not even
/// with one that was handed over before: its kind alone forbids it.
#[test]
fn a_lifelong_kind_forbids_what_the_order_allows() {
    use crate::plans::mini::{Mini, Node, Style, Tensor};
    for (lifelong, expected) in [(0, vec![]), (3, vec![(0, 2)])] {
        let mut mini = Mini::new(Style::C3Cpu);
        for id in 0..3 {
            let name = format!("Default/Relu-op{id}");
            mini.nodes.push(Node {
                id,
                name: name.clone(),
                inputs: (id > 0)
                    .then(|| format!("%{}T", id.wrapping_sub(1)))
                    .into_iter()
                    .collect(),
                outputs: vec![id],
                stream: id,
                ..Node::default()
            });
            mini.tensors.push(Tensor {
                id,
                aligned: 512,
                original: 512,
                offset: id % 2 * 512,
                kind: "Common".into(),
                lifelong: if id == 2 { lifelong } else { 0 },
                first: id,
                last: (id + 1).min(2),
                source: name,
            });
        }
        mini.blocks = vec![(512, 512), (0, 512)];
        mini.total = 1024;
        let plan = plan_of(mini.text().as_bytes());
        assert!(!plan.ordered);
        assert_eq!(found(&plan), expected);
        assert_eq!(brute_force(&plan), expected);
    }
}

/// Clocks and search are two ways to the same answers.
#[test]
fn both_ways_to_the_order_agree_with_sets_of_ancestors() {
    check(
        600,
        (any_plan(), damage()),
        |(mini, damage)| format!("{damage:?}\n{}", mini.text()),
        |(mini, damage)| {
            let mut plan = plan_of(mini.text().as_bytes());
            apply(&mut plan, damage);
            let before = ancestors(&plan);
            let mut clocks = analysis::Order::with_clocks_up_to(&plan, usize::MAX);
            let mut search = analysis::Order::with_clocks_up_to(&plan, 0);
            for b in 0..plan.n_nodes() {
                for a in 0..plan.n_nodes() {
                    let expected = before[b as usize][a as usize];
                    prop_assert_eq!(clocks.precedes(a, b), expected, "clocks {} {}", a, b);
                    prop_assert_eq!(search.precedes(a, b), expected, "search {} {}", a, b);
                }
            }
            Ok(())
        },
    );
}

/// The plan that the maker makes with tensors put on one address, and the pairs that meet by order.
fn made(nodes: u32, seed: u32) -> (Plan, Vec<(u32, u32)>) {
    let folder = crate::support::scratch("overlaps");
    let (dump, truth) = (folder.join("plan.ir"), folder.join("truth.json"));
    let made = std::process::Command::new("python3")
        .arg(data().join("../makers/make_ascend.py"))
        .args(["--nodes", &nodes.to_string(), "--seed", &seed.to_string()])
        .args(["--overlaps", "7", "--truth"])
        .arg(&truth)
        .arg("--out")
        .arg(&dump)
        .status()
        .expect("python3 runs");
    assert!(made.success());
    let truth: serde_json::Value = serde_json::from_slice(&raw(&truth)).unwrap();
    let plan = plan_of(&raw(&dump));
    std::fs::remove_dir_all(&folder).unwrap();
    let mut pairs = truth_pairs(&truth);
    pairs.sort_unstable();
    (plan, pairs)
}

fn by_order(plan: &Plan) -> Vec<(u32, u32)> {
    let safety = analysis::safety(plan);
    let meet = |(a, b): &(u32, u32)| meet_by_order(plan, *a, *b);
    let pairs: Vec<(u32, u32)> = safety.pairs.iter().copied().filter(meet).collect();
    assert_eq!(safety.by_order, pairs.len() as u64);
    pairs
}

/// How often a large plan is tried: 20 times where `SOMASCOPE_LONG_TESTS` is set, else `few`.
fn turns(few: u32) -> u32 {
    match std::env::var_os("SOMASCOPE_LONG_TESTS") {
        Some(_) => 20,
        None => few,
    }
}

/// Every pair that the maker put on one address is found by the order rule, and no other: 20
/// seeds of plans of 1,000 tensors, and some of 30,000.
#[test]
fn pairs_put_on_one_address_are_found() {
    if crate::support::python("pairs put on one address").is_none() {
        return;
    }
    let next = std::sync::atomic::AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let i = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                let (nodes, seed) = match i {
                    0..20 => (580, i),
                    20.. if i < 20 + turns(4) => (17_500, i),
                    _ => break,
                };
                let (plan, pairs) = made(nodes, seed);
                assert!(!pairs.is_empty());
                assert_eq!(by_order(&plan), pairs, "{nodes} nodes, seed {seed}");
            });
        }
    });
}

/// The same with 300,000 tensors: the maker's pairs, then, in some turns, seven other tensors each
/// that are put on ones alive with them. What meets them by order is told by looking at all.
#[test]
fn pairs_put_on_one_address_are_found_in_a_large_plan() {
    if crate::support::python("pairs put on one address in a large plan").is_none() {
        return;
    }
    let (plan, pairs) = made(175_000, 1);
    let n = plan.n_tensors();
    assert!(n > 290_000);
    assert_eq!(by_order(&plan), pairs);
    let next = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| loop {
                let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                if seed >= u64::from(turns(2)) {
                    break;
                }
                let mut plan = plan.clone();
                let moved = move_some(&mut plan, seed);
                let mut expected: Vec<(u32, u32)> = pairs.clone();
                expected.retain(|(a, b)| !moved.contains(a) && !moved.contains(b));
                for &t in &moved {
                    let meets = |u: &u32| *u != t && meet_by_order(&plan, t, *u);
                    expected.extend((0..n).filter(meets).map(|u| (t.min(u), t.max(u))));
                }
                expected.sort_unstable();
                expected.dedup();
                assert!(expected.len() >= 7);
                assert_eq!(by_order(&plan), expected, "turn {seed}");
            });
        }
    });
}

/// Puts seven tensors on the bytes of others alive with them; numbers from a plain generator.
fn move_some(plan: &mut Plan, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |n: u32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % u64::from(n)) as u32
    };
    let mut moved = Vec::new();
    while moved.len() < 7 {
        let t = random(plan.n_tensors());
        let (first, _) = plan.tensors.printed_life(t);
        let near = t.saturating_sub(random(200) + 1);
        let fits = |plan: &Plan, t: u32| {
            plan.tensors.aligned_at(t) > 0
                && plan.union_group(t).is_none()
                && !plan.tensors.shifted.contains(t)
                && plan.tensors.lifelong_at(t) == Lifelong::None
        };
        let alive = plan.tensors.printed_life(near).1 >= first;
        if fits(plan, t)
            && fits(plan, near)
            && alive
            && near != t
            && !moved.contains(&t)
            && !moved.contains(&near)
        {
            plan.tensors.offset[t as usize] = plan.tensors.true_offset(near);
            moved.push(t);
        }
    }
    moved
}

/// Whether two tensors share bytes while both are alive, and are not mates.
fn meet_by_order(plan: &Plan, a: u32, b: u32) -> bool {
    let end = |t: u32| plan.tensors.true_offset(t) + plan.tensors.aligned_at(t);
    let start = |t: u32| plan.tensors.true_offset(t);
    if plan.tensors.aligned_at(a) == 0 || plan.tensors.aligned_at(b) == 0 {
        return false;
    }
    let life = |t: u32| {
        let (first, last) = plan.tensors.printed_life(t);
        match plan.tensors.lifelong_at(t) {
            Lifelong::None => (first, last),
            Lifelong::GraphAll => (0, u32::MAX),
            Lifelong::GraphStart => (0, last),
            Lifelong::GraphEnd => (first, u32::MAX),
        }
    };
    let mates = plan.union_group(a).is_some() && plan.union_group(a) == plan.union_group(b);
    let (x, y) = (life(a), life(b));
    !mates && start(a).max(start(b)) < end(a).min(end(b)) && x.0.max(y.0) <= x.1.min(y.1)
}

/// The maker of CPU-like plans makes healthy ones, whose order is worth asking about.
#[test]
fn a_made_cpu_plan_is_healthy() {
    if crate::support::python("a made CPU plan").is_none() {
        return;
    }
    for seed in 0..3 {
        let dump = crate::support::scratch("cpu").join("plan.ir");
        let made = std::process::Command::new("python3")
            .arg(data().join("../makers/make_cpu.py"))
            .args(["--tensors", "500", "--seed", &seed.to_string(), "--out"])
            .arg(&dump)
            .status()
            .unwrap();
        assert!(made.success());
        let mut plan = crate::support::healthy("made", &raw(&dump));
        assert_eq!(brute_force(&plan), []);
        assert_eq!(found(&plan), []);
        // Two tensors changed: the same answer as by trying all pairs.
        let n = plan.n_tensors() as usize;
        for (a, b) in [(n / 2, n / 3), (n / 5, n - 9)] {
            plan.tensors.offset[a] = plan.tensors.offset[b];
        }
        let expected = brute_force(&plan);
        assert!(!expected.is_empty());
        assert_eq!(found(&plan), expected);
    }
}

fn truth_pairs(truth: &serde_json::Value) -> Vec<(u32, u32)> {
    let list = truth
        .as_array()
        .cloned()
        .or_else(|| truth["pairs"].as_array().cloned());
    let pair = |v: &serde_json::Value| {
        let at = |i: usize, key: &str| {
            v.get(i)
                .or_else(|| v.get(key))
                .and_then(|n| n.as_u64())
                .unwrap() as u32
        };
        let (a, b) = (at(0, "a"), at(1, "b"));
        (a.min(b), a.max(b))
    };
    list.unwrap().iter().map(pair).collect()
}
