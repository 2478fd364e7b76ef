//! Overwrites by order against the plain definition, pair by pair, and against the truth of the
//! fixtures that were broken on purpose.

use serde_json::Value;
use somascope::analysis::overwrites;
use somascope::model::{Plan, PlanKind};

use crate::support::{self, data, files, main_dumps, short};

/// The definition: every pair.
fn brute_force(plan: &Plan) -> Vec<(u32, u32, u64)> {
    let placed: Vec<u32> = (0..plan.n_tensors())
        .filter(|&t| plan.tensors.aligned_at(t) > 0)
        .collect();
    let mut out = Vec::new();
    for (i, &a) in placed.iter().enumerate() {
        let (x, life) = (plan.bytes_of(a), plan.live_range(a));
        for &b in &placed[i + 1..] {
            let y = plan.bytes_of(b);
            let bytes = x.end.min(y.end).saturating_sub(x.start.max(y.start));
            let meet = life
                .zip(plan.live_range(b))
                .is_some_and(|(l, m)| l.meets(m));
            let mates = plan.union_group(a).is_some() && plan.union_group(a) == plan.union_group(b);
            if bytes > 0 && meet && !mates {
                out.push((a, b, bytes));
            }
        }
    }
    out
}

fn found(plan: &Plan) -> Vec<(u32, u32, u64)> {
    let all = overwrites(plan);
    assert!(all.is_complete());
    all.pairs.iter().map(|o| (o.a, o.b, o.bytes)).collect()
}

#[test]
fn the_sweep_agrees_with_the_definition() {
    for (path, bytes) in main_dumps() {
        let Some(plan) = support::parse(&bytes).plan else {
            continue;
        };
        if plan.n_tensors() > 2000 || plan.kind == PlanKind::Stage {
            continue;
        }
        assert_eq!(found(&plan), brute_force(&plan), "{}", short(&path));
    }
}

#[test]
fn broken_plans_give_a_part_of_their_truth_and_healthy_ones_nothing() {
    let mut by_order = 0;
    for path in files(&data().join("generations")) {
        if path.file_name().unwrap() != "expected.json" {
            continue;
        }
        let truth: Value = serde_json::from_slice(&support::raw(&path)).unwrap();
        let plan = support::parse(&support::text(&path.with_file_name("dump.ir")))
            .plan
            .unwrap();
        let pairs: Vec<(u64, u64)> = truth["hazards"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| (p[0].as_u64().unwrap(), p[1].as_u64().unwrap()))
            .collect();
        for (a, b, _) in found(&plan) {
            by_order += 1;
            let pair = (plan.tensors.ids.id(a), plan.tensors.ids.id(b));
            assert!(
                pairs.contains(&pair),
                "{}: {pair:?} is not in {pairs:?}",
                short(&path)
            );
        }
    }
    assert!(by_order > 20, "{by_order}");
    let dir = data().join("dumps/ascend_like_sample");
    let plan = support::healthy(
        "2",
        &support::text(&dir.join("Ascend_somas_tensor_offset_2.ir")),
    );
    let truth: Value = serde_json::from_slice(&support::raw(&dir.join("truth_2.json"))).unwrap();
    let expected: Vec<(u64, u64)> = truth["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| (p["a"].as_u64().unwrap(), p["b"].as_u64().unwrap()))
        .collect();
    let pairs: Vec<(u64, u64)> = found(&plan)
        .iter()
        .map(|p| (u64::from(p.0), u64::from(p.1)))
        .collect();
    assert_eq!(pairs, expected);
}
