//! Task info: every clean file says nothing, every injected fault is one finding, and the numbers
//! agree with the expectations among the fixtures.

use std::path::{Path, PathBuf};

use serde_json::Value;
use somascope::analysis::{check_tasks, TaskCheck};
use somascope::model::{Plan, TaskInfo};
use somascope::parse::SiblingFacts;

use crate::support::{self, data, files, short};

/// Reads a task info file that must be whole.
pub fn task_info(path: &Path) -> TaskInfo {
    read(&short(path), &support::text(path))
}

fn read(name: &str, bytes: &[u8]) -> TaskInfo {
    let parsed = support::parse(bytes);
    let sibling = parsed
        .sibling
        .unwrap_or_else(|| panic!("{name}: no task info"));
    assert_eq!(sibling.diagnostics.errors, 0, "{name}");
    let lines = sibling.lines;
    assert_eq!(lines.total, lines.blank + lines.records, "{name}");
    match sibling.facts {
        SiblingFacts::Tasks(info) => *info,
        SiblingFacts::Log(_) => panic!("{name}: not task info"),
    }
}

/// Every clean task info among the fixtures, with its plan.
pub fn clean_pairs() -> Vec<(PathBuf, PathBuf)> {
    let mut pairs = Vec::new();
    for path in files(&data()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        // The one among the quirks is about the text only: its plan is another one.
        if !name.starts_with("task_info")
            || name.contains("fault")
            || path.to_string_lossy().contains("quirks")
        {
            continue;
        }
        let dir = path.parent().unwrap();
        let graph: String = name.chars().filter(char::is_ascii_digit).collect();
        let plan = files(dir).into_iter().find(|p| {
            let n = p.file_name().unwrap().to_str().unwrap();
            n == "dump.ir"
                || ["tensor_offset", "allocate_info", "after_allocate"]
                    .iter()
                    .any(|stem| n.ends_with(&format!("{stem}_{graph}.ir")))
        });
        pairs.push((plan.unwrap(), path));
    }
    assert!(pairs.len() >= 18, "{}", pairs.len());
    pairs
}

/// A finding as one line: kind, step, tensor.
fn lines(plan: &Plan, check: &TaskCheck) -> Vec<String> {
    let line = |f: &somascope::analysis::TaskFinding| {
        let node = f
            .node
            .map_or("-".into(), |n| plan.nodes.step(n).to_string());
        let tensor = f
            .tensor
            .map_or("-".into(), |t| plan.tensors.ids.id(t).to_string());
        format!(
            "{} ${node} %{tensor} {:?} {:?}",
            f.kind.word(),
            f.planned,
            f.found
        )
    };
    check.findings.iter().map(line).collect()
}

#[test]
fn clean_files_give_no_finding() {
    let mut wrong = Vec::new();
    for (plan_path, info_path) in clean_pairs() {
        let name = short(&info_path);
        let parsed = support::parse(&support::text(&plan_path));
        let plan = parsed.plan.unwrap();
        let info = task_info(&info_path);
        let check = check_tasks(&plan, &info);
        for line in lines(&plan, &check) {
            wrong.push(format!("{name}: {line}"));
        }
        let placed = (0..plan.n_tensors()).any(|t| plan.tensors.aligned_at(t) > 0);
        if placed && check.base.is_none() {
            wrong.push(format!("{name}: no base"));
        }
        if let (Some(a), Some(b)) = (check.base, plan.arena_base) {
            if a != b {
                wrong.push(format!("{name}: base {a:#x}, the dump says {b:#x}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&support::raw(path)).unwrap()
}

#[test]
fn expected_numbers() {
    let dir = data().join("dumps");
    for (dump, info, expected) in [
        (
            "ascend_like_sample/Ascend_somas_tensor_offset_1.ir",
            "ascend_like_sample/task_info_graph_1.ir",
            "ascend_like_sample/expected_task_1.json",
        ),
        (
            "ascend_like_sample/Ascend_somas_tensor_offset_1.ir",
            "ascend_like_sample/task_info_faults_1.ir",
            "ascend_like_sample/expected_faults_1.json",
        ),
        (
            "lenet_train/CPU_somas_tensor_offset_0.ir",
            "lenet_train/task_info_graph_0.ir",
            "lenet_train/expected_task.json",
        ),
        (
            "resnet18_train/CPU_somas_tensor_offset_0.ir",
            "resnet18_train/task_info_graph_0.ir",
            "resnet18_train/expected_task.json",
        ),
    ] {
        let plan = support::healthy(dump, &support::text(&dir.join(dump)));
        let check = check_tasks(&plan, &task_info(&dir.join(info)));
        let expected = json(&dir.join(expected));
        let task = if expected.get("task").is_some() {
            expected["task"].clone()
        } else {
            let first = expected.as_object().unwrap().values().next().unwrap();
            first["task"].clone()
        };
        assert_eq!(task["tasks"], check.tasks, "{info}");
        assert_eq!(task["matched"], check.matched, "{info}");
        assert_eq!(task["base"], check.base.unwrap(), "{info}");
        assert_eq!(task["task_min"], check.lowest.unwrap(), "{info}");
        assert_eq!(task["task_max_end"], check.highest_end.unwrap(), "{info}");
        let known = check.parameter_at.iter().filter(|a| **a != 0).count();
        assert_eq!(task["parameters_with_address"], known, "{info}");
    }
}

/// What the maker's fault kinds are called here.
fn word(fault: &str) -> &str {
    match fault {
        "outside" => "outside_plan",
        "wrong-address" => "wrong_address",
        "same-address" => "same_address",
        "missing-task" => "missing_task",
        "extra-task" => "extra_task",
        "wrong-input" => "wrong_input",
        other => other,
    }
}

#[test]
fn injected_faults_are_found_and_nothing_else() {
    let dir = data().join("dumps/ascend_like_sample");
    let plan = support::healthy(
        "1",
        &support::text(&dir.join("Ascend_somas_tensor_offset_1.ir")),
    );
    let check = check_tasks(&plan, &task_info(&dir.join("task_info_faults_1.ir")));
    let truth = json(&dir.join("truth_faults_1.json"));
    let mut expected: Vec<String> = Vec::new();
    for fault in truth.as_array().unwrap() {
        let kind = word(fault["fault"].as_str().unwrap());
        let node = if kind == "extra_task" {
            "-".to_owned()
        } else {
            fault["node"].to_string()
        };
        let tensor = fault.get("tensor").map_or("-".into(), Value::to_string);
        expected.push(format!("{kind} ${node} %{tensor}"));
    }
    let mut found: Vec<String> = lines(&plan, &check)
        .iter()
        .map(|l| l.split(' ').take(3).collect::<Vec<_>>().join(" "))
        .collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn odd_spellings_are_read() {
    let info = task_info(&data().join("samples/quirks/task_info_graph_7.ir"));
    let inputs: Vec<(u64, u64)> = info.inputs.get(0).collect();
    assert_eq!(inputs, [(0x2000_0000, 8_589_934_592), (0, 0)]);
    assert_eq!(info.outputs.get(0).collect::<Vec<_>>(), [(0, 4)]);
    assert!(info.len() >= 2 && info.outputs.get(1).len() == 0);
}

/// Every fault kind in several plans, made by the maker: exactly that fault is found.
#[test]
fn made_faults_in_other_plans() {
    let Some(python) = support::python("faults in task info made by the maker") else {
        return;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let kinds = [
        "wrong-address",
        "oversize",
        "outside",
        "same-address",
        "missing-task",
        "extra-task",
        "wrong-input",
    ];
    let mut wrong = Vec::new();
    // Here a piece of a split is what is read at a wrong place.
    let split = support::scratch("fault").join("Ascend_somas_tensor_offset_1.ir");
    let made = std::process::Command::new(python)
        .arg(root.join("tests/makers/make_ascend.py"))
        .args("--nodes 900 --seed 39 --streams 8 --names full --split --out".split(' '))
        .arg(&split)
        .status();
    assert!(made.unwrap().success());
    for dump in [
        split.to_str().unwrap(),
        "generations/C2_Ascend_1/dump.ir",
        "dumps/lenet_train/CPU_somas_tensor_offset_0.ir",
        "dumps/resnet18_train/CPU_somas_tensor_offset_0.ir",
        "dumps/ascend_like_sample/Ascend_somas_tensor_offset_3.ir",
    ] {
        let dump = data().join(dump);
        let plan = support::parse(&support::text(&dump)).plan.unwrap();
        for kind in kinds {
            let out = support::scratch("fault").join("task_info.ir");
            let made = std::process::Command::new(python)
                .arg(root.join("tests/makers/make_task_info.py"))
                .arg(&dump)
                .args([
                    "--full-names",
                    "--nontask",
                    "--fault",
                    &format!("{kind}@auto"),
                    "--out",
                ])
                .arg(&out)
                .output()
                .unwrap();
            assert!(
                made.status.success(),
                "{}",
                String::from_utf8_lossy(&made.stderr)
            );
            let check = check_tasks(&plan, &task_info(&out));
            let found: Vec<&str> = check.findings.iter().map(|f| f.kind.word()).collect();
            if found != [word(kind)] {
                wrong.push(format!(
                    "{} {kind}: {:?}",
                    short(&dump),
                    lines(&plan, &check)
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
