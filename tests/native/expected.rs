//! Every `expected*.json` among the fixtures against the product: the facts through the real
//! command line, the curves and the readers through the library. The oracle is held to the same
//! files, so that it is worth something where there is no such file.

use std::path::{Path, PathBuf};

use serde_json::Value;
use somascope::analysis;
use somascope::model::Plan;

use crate::oracle::{Oracle, MOST_TENSORS};
use crate::support::{self, data, files, joined, sha256, short};

/// Keys of an expectation that are facts of the summary.
const FACTS: &[&str] = &[
    "counts",
    "static_memory",
    "total_tensor_size",
    "planned_total",
    "max_in_use",
    "max_total_memory",
    "reuse_ratio",
    "lower_bound",
    "gap",
    "alignment_waste",
    "max_end_without_lifelong",
    "max_end",
    "generation",
    "device",
];

/// Every expectation with the dump it is about.
fn expectations() -> Vec<(PathBuf, Value)> {
    let mut all = Vec::new();
    for path in ["dumps", "generations"]
        .iter()
        .flat_map(|dir| files(&data().join(dir)))
    {
        let name = path.file_name().unwrap().to_str().unwrap();
        if !name.starts_with("expected") || name.contains("task") || name.contains("faults") {
            continue;
        }
        let dir = path.parent().unwrap();
        let value: Value = serde_json::from_slice(&support::raw(&path)).unwrap();
        if value.get("counts").is_some() {
            let number = name
                .trim_start_matches("expected_")
                .trim_end_matches(".json");
            let dump = dir.join(format!("Ascend_somas_tensor_offset_{number}.ir"));
            all.push((
                if dump.exists() {
                    dump
                } else {
                    dir.join("dump.ir")
                },
                value,
            ));
            continue;
        }
        for (file, facts) in value.as_object().unwrap() {
            let dump = dir.join(file.trim_end_matches(".gz"));
            let dump = if dump.exists() {
                dump
            } else {
                dir.join(format!("{}.gz", file.trim_end_matches(".gz")))
            };
            all.push((dump, facts.clone()));
        }
    }
    assert!(all.len() >= 58, "only {} expectations found", all.len());
    all
}

/// Collects the paths at which `found` lacks or contradicts `expected`. Objects may hold more
/// than expected; ratios are compared to six decimals.
pub fn differences(at: &str, expected: &Value, found: &Value, out: &mut Vec<String>) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(_)) => {
            for (key, value) in expected {
                match found.get(key) {
                    Some(other) => differences(&format!("{at}.{key}"), value, other, out),
                    None => out.push(format!("{at}.{key}: expected {value}, found no such key")),
                }
            }
        }
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            if (a.as_f64().unwrap() - b.as_f64().unwrap()).abs() > 0.000_000_51 {
                out.push(format!("{at}: expected {a}, found {b}"));
            }
        }
        _ if expected == found => {}
        _ => out.push(format!("{at}: expected {expected}, found {found}")),
    }
}

/// The facts of an expectation, without what only other analyses know. The words of types and
/// lifelong kinds must be complete, not only contained.
fn check_facts(path: &Path, expected: &Value, found: &Value, out: &mut Vec<String>) {
    let name = short(path);
    for key in FACTS {
        match (expected.get(key), found.get(key)) {
            (Some(a), Some(b)) => differences(&format!("{name} {key}"), a, b, out),
            (Some(a), None) => out.push(format!("{name} {key}: expected {a}, found no such key")),
            // Absent in the expectation where no tensor has bytes.
            (None, Some(b))
                if *key == "max_end_without_lifelong" && expected.get("max_end").is_some() =>
            {
                differences(&format!("{name} {key}"), &Value::Null, b, out);
            }
            _ => {}
        }
    }
    for words in ["types", "lifelong"] {
        if expected["counts"].get(words).is_some() {
            differences(
                &format!("{name} {words}"),
                &found["counts"][words],
                &expected["counts"][words],
                out,
            );
        }
    }
}

#[test]
fn the_summary_of_every_expectation() {
    let mut wrong = Vec::new();
    for (path, expected) in expectations() {
        let found = support::json_of(&path, &[]);
        check_facts(&path, &expected, &found, &mut wrong);
        let damage = &found["diagnostics"];
        if damage["errors"] != 0 || found.get("incomplete").is_some() {
            wrong.push(format!(
                "{}: errors in a healthy dump: {damage}",
                short(&path)
            ));
        }
        if found["kind"] != "plan" {
            wrong.push(format!(
                "{}: a final dump is of kind {}",
                short(&path),
                found["kind"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_oracle_agrees_with_every_expectation() {
    let mut wrong = Vec::new();
    for (path, expected) in expectations() {
        if expected["counts"]["tensors"].as_u64().unwrap() > MOST_TENSORS as u64 {
            continue;
        }
        let oracle = Oracle::of(&String::from_utf8(support::text(&path)).unwrap());
        let mut facts = expected.clone();
        for told_by_content in ["generation", "device"] {
            facts.as_object_mut().unwrap().remove(told_by_content);
        }
        check_facts(&path, &facts, &oracle.summary(), &mut wrong);
        if expected.get("curves").is_some() {
            check_curves(
                &path,
                &expected,
                &oracle.alive(),
                &oracle.total(),
                &mut wrong,
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn check_curves(
    path: &Path,
    expected: &Value,
    alive: &[u64],
    total: &[u64],
    out: &mut Vec<String>,
) {
    let fixed = expected["static_memory"].as_u64().unwrap();
    for (name, curve, add) in [
        ("alive", alive, 0),
        ("in_use", alive, fixed),
        ("total_tensor", total, 0),
        ("total_memory", total, fixed),
    ] {
        let curve: Vec<u64> = curve.iter().map(|b| b + add).collect();
        let expected = &expected["curves"][name];
        for point in expected["points"].as_array().unwrap() {
            let (step, bytes) = (point[0].as_u64().unwrap(), point[1].as_u64().unwrap());
            if curve.get(step as usize) != Some(&bytes) {
                let found = curve.get(step as usize);
                out.push(format!(
                    "{} {name} at step {step}: expected {bytes}, found {found:?}",
                    short(path)
                ));
            }
        }
        if expected["sha256"] != sha256(joined(&curve).as_bytes()).as_str() {
            out.push(format!("{} {name}: another curve", short(path)));
        }
    }
}

#[test]
fn curves_readers_and_lives_of_every_expectation() {
    let mut wrong = Vec::new();
    for (path, expected) in expectations() {
        if expected.get("curves").is_none() {
            continue;
        }
        let plan = support::healthy(&short(&path), &support::text(&path));
        let liveness = analysis::liveness(&plan);
        check_curves(
            &path,
            &expected,
            &liveness.alive,
            &liveness.total,
            &mut wrong,
        );
        let readers: Vec<String> = (0..plan.n_tensors())
            .map(|t| {
                let steps = plan
                    .readers()
                    .get(t)
                    .iter()
                    .map(|&n| format!(";{}", plan.nodes.step(n)));
                format!("{}:{}", plan.tensors.ids.id(t), steps.collect::<String>())
            })
            .collect();
        if expected["consumers_sha256"] != sha256(readers.join(",").as_bytes()).as_str() {
            wrong.push(format!("{}: other readers", short(&path)));
        }
        check_alive(&path, &expected, &plan, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// `alive at node n`: ids whose own live range holds the step, bytes or not; `tensor t`: source
/// and life.
fn check_alive(path: &Path, expected: &Value, plan: &Plan, out: &mut Vec<String>) {
    for (query, answer) in expected["queries"].as_object().unwrap() {
        let differs = |found: String| format!("{} {query}: found {found}", short(path));
        if let Some(step) = query.strip_prefix("alive at node ") {
            let step: u32 = step.parse().unwrap();
            let alive = (0..plan.n_tensors())
                .filter(|&t| plan.live_range(t).is_some_and(|l| l.contains(step)));
            let ids: Vec<u64> = alive.map(|t| plan.tensors.ids.id(t)).collect();
            if answer["count"] != ids.len()
                || answer["sha256"] != sha256(joined(&ids).as_bytes()).as_str()
            {
                out.push(differs(joined(&ids)));
            }
        } else if let Some(id) = query.strip_prefix("tensor ") {
            let t = plan.tensors.ids.index_of(id.parse().unwrap()).unwrap();
            let life = plan.live_range(t).unwrap();
            let source = plan.tensors.source_of(t).map(|n| plan.nodes.step(n));
            if answer["lo"] != life.first
                || answer["hi"] != life.last
                || answer["producer"] != source.unwrap()
            {
                out.push(differs(format!("{life:?}, source {source:?}")));
            }
        }
    }
}
