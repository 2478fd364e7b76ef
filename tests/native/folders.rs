//! A folder of many dumps: ranks, siblings, a broken file among healthy ones.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{data, files, raw, run, scratch};

fn put(root: &Path, name: &str, from: &Path) {
    let path = root.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, std::fs::read(from).unwrap()).unwrap();
}

fn sample(name: &str) -> PathBuf {
    data().join("dumps/ascend_like_sample").join(name)
}

/// Two ranks with the same plan and one with another; task info beside the first.
fn ranks() -> PathBuf {
    let root = scratch("ranks");
    for rank in [0, 1, 2] {
        let from = if rank == 2 {
            sample("Ascend_somas_tensor_offset_3.ir")
        } else {
            sample("Ascend_somas_tensor_offset_1.ir")
        };
        put(
            &root,
            &format!("rank_{rank}/Ascend_somas_tensor_offset_1.ir"),
            &from,
        );
    }
    put(
        &root,
        "rank_0/task_info_graph_1.ir",
        &sample("task_info_graph_1.ir"),
    );
    let lenet = data().join("dumps/lenet_train");
    for name in [
        "CPU_somas_initial_info_0.ir",
        "CPU_somas_pre_processed_info_0.ir",
        "CPU_somas_tensor_offset_0.ir",
        "CPU_somas_offline_log_0.ir",
    ] {
        put(&root, &format!("rank_0/{name}"), &lenet.join(name));
    }
    std::fs::write(root.join("notes.txt"), "nothing to read here\n").unwrap();
    root
}

fn lines(root: &Path, more: &[&str]) -> (Option<i32>, Vec<Value>, String) {
    let mut args = vec!["-s".into(), root.as_os_str().to_owned(), "--json".into()];
    args.extend(more.iter().map(|m| (*m).into()));
    let done = run(args);
    let out = String::from_utf8(done.stdout).unwrap();
    let parsed = out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    (
        done.status.code(),
        parsed,
        String::from_utf8(done.stderr).unwrap(),
    )
}

#[test]
fn one_line_a_graph_with_its_rank_and_its_siblings() {
    let root = ranks();
    let (status, found, errors) = lines(&root, &[]);
    assert_eq!((status, errors.as_str()), (Some(0), ""));
    let names: Vec<&str> = found
        .iter()
        .map(|l| l["file"]["name"].as_str().unwrap())
        .collect();
    let expected = [
        "rank_0/Ascend_somas_tensor_offset_1.ir",
        "rank_0/CPU_somas_tensor_offset_0.ir",
        "rank_1/Ascend_somas_tensor_offset_1.ir",
        "rank_2/Ascend_somas_tensor_offset_1.ir",
    ];
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, expected);
    for line in &found {
        let is_first = line["rank"] == 0 && line["graph_id"] == 1;
        assert_eq!(
            line.get("task").is_some(),
            is_first,
            "{}",
            line["file"]["name"]
        );
        assert_eq!(line["kind"], "plan");
    }
    assert!(
        !root.join("somascope_results").exists(),
        "--json writes no files"
    );
}

#[test]
fn equal_plans_are_one_row_and_imbalance_is_told() {
    let root = ranks();
    let done = run([
        "-s".as_ref(),
        root.as_os_str(),
        "-o".as_ref(),
        root.join("out").as_os_str(),
    ]);
    let table = String::from_utf8(done.stdout).unwrap();
    assert!(table.contains("0-1"), "{table}");
    assert!(
        table.contains("rank 2") && table.contains("graph 1:"),
        "{table}"
    );
    let rows = table
        .lines()
        .filter(|l| l.contains("somas_tensor_offset"))
        .count();
    assert_eq!(rows, 3, "{table}");
    for name in [
        "rank_0/Ascend_somas_tensor_offset_1",
        "rank_1/Ascend_somas_tensor_offset_1",
        "rank_0/CPU_somas_tensor_offset_0",
    ] {
        assert!(
            root.join("out")
                .join(name)
                .join("graph_nodes.csv")
                .is_file(),
            "{name}"
        );
    }
    // What was written is not read again.
    let again = run([
        "-s".as_ref(),
        root.as_os_str(),
        "-o".as_ref(),
        root.join("out").as_os_str(),
    ]);
    assert_eq!(again.status.code(), Some(0));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), table);
}

#[test]
fn a_broken_file_is_reported_and_the_rest_goes_on() {
    let root = ranks();
    let text = String::from_utf8(std::fs::read(sample("Ascend_somas_tensor_offset_1.ir")).unwrap())
        .unwrap();
    std::fs::write(
        root.join("rank_1/Ascend_somas_tensor_offset_1.ir"),
        text.replacen("%3T\t#", "%3T\t", 1),
    )
    .unwrap();
    put(
        &root,
        "rank_3/Ascend_somas_tensor_offset_1.ir",
        &sample("Ascend_somas_tensor_offset_2.ir"),
    );
    std::fs::write(root.join("rank_3/Ascend_somas_tensor_offset_9.ir"), "").unwrap();
    let (status, found, errors) = lines(&root, &[]);
    assert_eq!(status, Some(2));
    assert!(
        errors.contains("rank_1/Ascend_somas_tensor_offset_1.ir:"),
        "{errors}"
    );
    assert!(
        errors.contains("rank_3/Ascend_somas_tensor_offset_9.ir"),
        "{errors}"
    );
    assert_eq!(found.len(), 6);
    let without = found.iter().filter(|l| l.get("counts").is_none()).count();
    assert_eq!(without, 2);
    // Without the broken ones the hazards are the most severe.
    std::fs::remove_file(root.join("rank_1/Ascend_somas_tensor_offset_1.ir")).unwrap();
    std::fs::remove_file(root.join("rank_3/Ascend_somas_tensor_offset_9.ir")).unwrap();
    assert_eq!(lines(&root, &[]).0, Some(3));
}

#[test]
fn questions_go_to_the_graphs_that_can_answer() {
    let root = ranks();
    let (status, found, _) = lines(&root, &["-cn", "Gelu-op380"]);
    assert_eq!(status, Some(0));
    let answered = found
        .iter()
        .filter(|l| l["queries"].as_array().is_some_and(|q| !q.is_empty()))
        .count();
    assert_eq!(answered, 2);
    let (status, _, errors) = lines(&root, &["-cn", "NoSuchNode-op1"]);
    assert_eq!(status, Some(1));
    assert!(errors.contains("NoSuchNode-op1"));
}

/// Every plan has its row and its own folder of results, whatever else has its graph number or
/// its name with another ending; early stages count only where there is no plan.
#[test]
fn no_plan_is_lost_behind_another() {
    let root = scratch("same_names");
    let dumps = data().join("dumps/ascend_like_sample");
    let plan = |n: u32| raw(&dumps.join(format!("Ascend_somas_tensor_offset_{n}.ir")));
    let stages = data().join("dumps/control_flow_while_if");
    for (name, bytes) in [
        ("Ascend_somas_tensor_offset_4.ir", plan(1)),
        ("CPU_somas_tensor_offset_4.ir", plan(2)),
        ("mine_somas_4.ir", plan(3)),
        (
            "CPU_somas_initial_info_4.ir",
            raw(&stages.join("CPU_somas_initial_info_2.ir")),
        ),
        (
            "CPU_somas_initial_info_5.ir",
            raw(&stages.join("CPU_somas_initial_info_2.ir")),
        ),
        (
            "CPU_somas_pre_processed_info_5.ir",
            raw(&stages.join("CPU_somas_pre_processed_info_2.ir")),
        ),
        ("x.ir", plan(1)),
        ("x.ir.gz", crate::support::gz(&plan(1))),
        ("x.txt", plan(3)),
    ] {
        std::fs::write(root.join(name), bytes).unwrap();
    }
    let (status, found, errors) = lines(&root, &[]);
    assert_eq!((status, errors.as_str()), (Some(3), ""));
    let names: Vec<&str> = found
        .iter()
        .map(|l| l["file"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "Ascend_somas_tensor_offset_4.ir",
            "CPU_somas_pre_processed_info_5.ir",
            "CPU_somas_tensor_offset_4.ir",
            "mine_somas_4.ir",
            "x.ir",
            "x.ir.gz",
            "x.txt",
        ]
    );
    let done = crate::support::command().arg("-s").arg(&root).output();
    assert_eq!(done.unwrap().status.code(), Some(3));
    for (folder, file) in [
        ("Ascend_somas_tensor_offset_4", 1),
        ("CPU_somas_tensor_offset_4", 2),
        ("mine_somas_4", 3),
        ("x", 1),
        ("x.ir.gz", 1),
        ("x.txt", 3),
    ] {
        let overview = root
            .join("somascope_results")
            .join(folder)
            .join("StatisticInfo/overview.txt");
        let own = scratch("same_names_alone");
        let dump = dumps.join(format!("Ascend_somas_tensor_offset_{file}.ir"));
        run([
            "-s".as_ref(),
            dump.as_os_str(),
            "-o".as_ref(),
            own.as_os_str(),
        ]);
        assert_eq!(
            raw(&overview),
            raw(&own.join("StatisticInfo/overview.txt")),
            "{folder}"
        );
    }
}

#[test]
fn a_folder_without_plans_ends_with_2() {
    let root = scratch("empty");
    std::fs::write(root.join("a.txt"), "x").unwrap();
    let done = run(["-s".as_ref(), root.as_os_str()]);
    assert_eq!(done.status.code(), Some(2));
    assert_eq!(files(&root).len(), 1);
}
