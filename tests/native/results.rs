//! Result files: goldens for layout and wording, the manifest, files of others, questions, exit statuses.

use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;

use crate::support::{self, command, data, difference, files, json_of, run, scratch, sha256};

pub fn lenet() -> PathBuf {
    data().join("samples/v2.10_cpu_lenet_real/CPU_somas_tensor_offset_0.ir")
}

pub fn ascend(name: &str) -> PathBuf {
    data().join("dumps/ascend_like_sample").join(name)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the command line with paths and words.
pub fn ask(args: &[&dyn AsRef<std::ffi::OsStr>]) -> Output {
    run(args.iter().map(|a| a.as_ref().to_owned()))
}

/// Every file below a folder by its name, with its text.
fn folder(dir: &Path) -> Vec<(String, String)> {
    files(dir)
        .into_iter()
        .map(|p| {
            let name = p
                .strip_prefix(dir)
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            (name, text(&support::raw(&p)))
        })
        .filter(|(name, _)| !name.ends_with(".png"))
        .collect()
}

#[test]
fn layout_and_wording_are_as_kept() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let samples = data().join("samples");
    let golden = data().join("golden");
    let multistream = samples.join("v2.2_ascend_multistream");
    let mut wrong = Vec::new();
    for (name, args) in [
        (
            "cpu",
            vec![lenet().into_os_string(), "-cn".into(), "$4".into()],
        ),
        (
            "ascend",
            vec![
                multistream.join("Ascend_somas_tensor_offset_1.ir").into(),
                "-t".into(),
                multistream.join("task_info_graph_1.ir").into(),
                "-ca".into(),
                "0x108800000000".into(),
            ],
        ),
        (
            "b",
            vec![
                samples.join("v1.7_ascend/somas_allocate_info_1.ir").into(),
                "-ct".into(),
                "%3T".into(),
            ],
        ),
    ] {
        let dir = golden.join(name);
        let out = scratch(name);
        let done = command()
            .arg("-s")
            .args(&args)
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        let found = folder(&out);
        if update {
            let _ = std::fs::remove_dir_all(&dir);
            for (file, content) in &found {
                let path = dir.join(file);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, content).unwrap();
            }
            std::fs::write(dir.join("terminal.golden"), without_folder(&done, &out)).unwrap();
            continue;
        }
        let mut kept = folder(&dir);
        kept.retain(|(file, content)| {
            if file != "terminal.golden" {
                return true;
            }
            if let Some(report) = difference(content, &without_folder(&done, &out)) {
                wrong.push(format!("{name} terminal: {report}"));
            }
            false
        });
        let names =
            |list: &[(String, String)]| list.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
        if names(&kept) != names(&found) {
            wrong.push(format!(
                "{name}: files {:?} and {:?}",
                names(&kept),
                names(&found)
            ));
            continue;
        }
        for ((file, a), (_, b)) in kept.iter().zip(&found) {
            wrong.extend(difference(a, b).map(|report| format!("{name}/{file}: {report}")));
        }
    }
    assert!(
        wrong.is_empty(),
        "(UPDATE_GOLDEN=1 rewrites)\n{}",
        wrong.join("\n")
    );
}

fn without_folder(done: &Output, out: &Path) -> String {
    text(&done.stdout)
        .replace(&out.display().to_string(), "DIR")
        .replace(&data().display().to_string(), "DATA")
}

#[test]
fn two_runs_give_the_same_bytes_and_the_manifest_holds() {
    let (a, b) = (scratch("first"), scratch("second"));
    for dir in [&a, &b, &a] {
        let done = ask(&[&"-s", &lenet(), &"-o", dir, &"-cn", &"$3"]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    }
    assert_eq!(folder(&a), folder(&b));
    let log = text(&support::raw(&a.join("MemoryAnalyze.log")));
    let manifest = log.split("\nmanifest\n").nth(1).unwrap();
    let mut listed = 0;
    for line in manifest.lines() {
        let (sha, name) = line.split_once("  ").unwrap();
        assert_eq!(sha256(&support::raw(&a.join(name))), sha, "{name}");
        listed += 1;
    }
    assert_eq!(listed + 1, files(&a).len());
    assert!(
        !log.contains(&a.display().to_string()),
        "no path in the log"
    );
}

#[test]
fn a_later_run_replaces_its_own_files_only() {
    let dir = scratch("foreign");
    let with_node = ask(&[&"-s", &lenet(), &"-o", &dir, &"-cn", &"$3"]);
    assert_eq!(with_node.status.code(), Some(0));
    // Without the question its files stay ours: asked again, they are replaced.
    for _ in 0..2 {
        assert_eq!(ask(&[&"-s", &lenet(), &"-o", &dir]).status.code(), Some(0));
    }
    let again = ask(&[&"-s", &lenet(), &"-o", &dir, &"-cn", &"$3"]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
    // A file of somebody else stops everything.
    let other = scratch("foreign");
    std::fs::write(other.join("graph_nodes.csv"), "mine").unwrap();
    let refused = ask(&[&"-s", &lenet(), &"-o", &other]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("graph_nodes.csv"));
    assert_eq!(files(&other).len(), 1, "nothing is written");
    assert_eq!(support::raw(&other.join("graph_nodes.csv")), b"mine");
    let forced = ask(&[&"-s", &lenet(), &"-o", &other, &"--force"]);
    assert_eq!(forced.status.code(), Some(0));
    assert_ne!(support::raw(&other.join("graph_nodes.csv")), b"mine");
    // A log that is not ours is foreign too.
    let third = scratch("foreign");
    std::fs::write(third.join("MemoryAnalyze.log"), "mine\n").unwrap();
    assert_eq!(
        ask(&[&"-s", &lenet(), &"-o", &third]).status.code(),
        Some(1)
    );
}

#[test]
fn results_go_beside_the_dump_unless_json_is_asked_for() {
    let dir = scratch("beside");
    let dump = dir.join("CPU_somas_tensor_offset_0.ir");
    std::fs::copy(lenet(), &dump).unwrap();
    let done = command()
        .arg("-s")
        .arg(&dump)
        .arg("--json")
        .output()
        .unwrap();
    assert_eq!((done.status.code(), files(&dir).len()), (Some(0), 1));
    let done = command()
        .current_dir(&dir)
        .args(["-s", "CPU_somas_tensor_offset_0.ir"])
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    for name in [
        "MemoryAnalyze.log",
        "graph_nodes.csv",
        "graph_tensors.csv",
        "graph_parameters.csv",
        "graph_destinations.csv",
        "StatisticInfo/overview.txt",
    ] {
        assert!(dir.join(name).is_file(), "{name}");
    }
    assert!(files(&dir)
        .iter()
        .all(|f| f.extension().is_none_or(|e| e != "part")));
}

#[test]
fn an_unwritable_place_ends_with_1() {
    let file = support::scratch_file("file", b"x");
    let done = ask(&[&"-s", &lenet(), &"-o", &file.join("below")]);
    assert_eq!(done.status.code(), Some(1));
    assert!(!text(&done.stderr).is_empty() && !text(&done.stderr).contains("panicked"));
}

#[test]
fn questions_without_an_answer_end_with_1_and_write_nothing() {
    let dir = scratch("wrong");
    let out = dir.join("out");
    for (flag, value, word) in [
        ("-cn", "Conv2D-op9999", "near names"),
        ("-cn", "$9999", "$44"),
        ("-ct", "9999", "%50T"),
        ("-ct", "x", "no tensor"),
        ("-ca", "0xzz", "no address"),
        ("-ca", "-5", "no address"),
        ("-car", "5-5", "no range"),
        ("-car", "5", "no range"),
    ] {
        let done = ask(&[&"-s", &lenet(), &"-o", &out, &flag, &value]);
        assert_eq!(done.status.code(), Some(1), "{flag} {value}");
        assert!(
            text(&done.stderr).contains(word),
            "{flag} {value}: {}",
            text(&done.stderr)
        );
        assert!(!out.exists(), "{flag} {value}");
    }
    // A short name that several scopes hold.
    let plan = support::parse(&support::text(&lenet())).plan.unwrap();
    let last = |n: u32| {
        text(plan.node_name(n))
            .rsplit('/')
            .next()
            .unwrap()
            .to_owned()
    };
    let twice = (0..plan.n_nodes())
        .map(last)
        .find(|name| (0..plan.n_nodes()).filter(|&n| last(n) == *name).count() > 1);
    let twice = twice.expect("a repeated short name among the fixtures");
    let done = ask(&[&"-s", &lenet(), &"-o", &out, &"-cn", &twice]);
    assert_eq!(done.status.code(), Some(1));
    assert!(
        text(&done.stderr).contains("several nodes"),
        "{}",
        text(&done.stderr)
    );
    let near = text(&done.stderr)
        .lines()
        .filter(|l| l.starts_with("  $"))
        .count();
    assert!((2..=10).contains(&near));
}

#[test]
fn answers_in_json() {
    let info = ascend("task_info_graph_1.ir");
    let info = info.to_str().unwrap();
    let found = json_of(
        &ascend("Ascend_somas_tensor_offset_1.ir"),
        &[
            "-t",
            info,
            "-cn",
            "Gelu-op380",
            "-ct",
            "%409T",
            "-ca",
            "0x108800000000",
            "-car",
            "18176301596672-0x108800010000",
        ],
    );
    assert_eq!(found["task"]["base"], 0x1088_0000_0000u64);
    assert_eq!(
        (&found["task"]["tasks"], &found["task"]["matched"]),
        (&Value::from(700), &Value::from(700))
    );
    // Tensors that nobody reads are told, and are nothing wrong.
    let kinds: Vec<&String> = found["findings"].as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["never_read"]);
    let queries = found["queries"].as_array().unwrap();
    let kinds: Vec<&str> = queries
        .iter()
        .map(|q| q["query"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["node", "tensor", "address", "range"]);
    assert_eq!(queries[0]["alive"]["bytes"], 170_082_816);
    assert_eq!(queries[1]["tensors"]["ids"], serde_json::json!([89, 501]));
    assert_eq!(queries[2]["tensors"]["ids"], serde_json::json!([0]));
    assert_eq!(queries[3]["tensors"]["ids"], serde_json::json!([0, 1]));
    let expected: Value =
        serde_json::from_slice(&support::raw(&ascend("expected_task_1.json"))).unwrap();
    for (query, value) in expected["queries"].as_object().unwrap() {
        let (kind, typed) = query.split_once(' ').unwrap();
        let (flag, typed, set) = match kind {
            "alive" => (
                "-cn",
                format!("${}", typed.rsplit(' ').next().unwrap()),
                "alive",
            ),
            "tensor" => ("-ct", typed.to_owned(), "tensors"),
            "address" => ("-ca", typed.to_owned(), "tensors"),
            _ => ("-car", typed.to_owned(), "tensors"),
        };
        // Offsets of the fixture are asked with the base at 0.
        let value = value.get("same_address").unwrap_or(value);
        let found = json_of(
            &ascend("Ascend_somas_tensor_offset_1.ir"),
            &["-t", info, flag, &typed],
        );
        let answer = &found["queries"][0][set];
        assert_eq!(answer["count"], value["count"], "{query}");
        let ids: Vec<u64> = answer["ids"]
            .as_array()
            .unwrap()
            .iter()
            .map(|i| i.as_u64().unwrap())
            .collect();
        assert_eq!(
            sha256(support::joined(ids).as_bytes()),
            value["sha256"].as_str().unwrap(),
            "{query}"
        );
    }
}

#[test]
fn statuses_of_findings_and_of_damaged_task_info() {
    let dump = ascend("Ascend_somas_tensor_offset_1.ir");
    let status = |info: &Path| ask(&[&"-s", &dump, &"-t", &info, &"--json"]).status.code();
    assert_eq!(status(&ascend("task_info_graph_1.ir")), Some(0));
    assert_eq!(status(&ascend("task_info_faults_1.ir")), Some(3));
    let whole = text(&support::raw(&ascend("task_info_graph_1.ir")));
    let damaged = support::scratch_file(
        "task_info_graph_1.ir",
        whole.replacen("0x1088", "0y1088", 1).as_bytes(),
    );
    let done = ask(&[&"-s", &dump, &"-t", &damaged, &"--json"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        text(&done.stderr).contains("task_info_graph_1.ir:3:"),
        "{}",
        text(&done.stderr)
    );
    let told: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(told["diagnostics"]["errors"], 1);
    assert!(told.get("counts").is_none());
    assert_eq!(status(&lenet()), Some(2), "a plan is no task info");
    assert_eq!(status(Path::new("no/such/file")), Some(2));
    let hazards = ask(&[&"-s", &ascend("Ascend_somas_tensor_offset_2.ir"), &"--json"]);
    assert_eq!(hazards.status.code(), Some(3));
}

#[test]
fn the_csv_crate_reads_every_table_back() {
    let out = scratch("csv");
    let dump = data().join("samples/quirks/CPU_somas_tensor_offset_7.ir");
    ask(&[&"-s", &dump, &"-o", &out]);
    let mut tables = 0;
    for (name, content) in folder(&out).iter().filter(|(n, _)| n.ends_with(".csv")) {
        let content = content.strip_prefix('\u{feff}').unwrap();
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(content.as_bytes());
        let rows: Vec<csv::StringRecord> = reader.records().map(|r| r.unwrap()).collect();
        let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
        rows.iter().for_each(|r| writer.write_record(r).unwrap());
        let again = text(&writer.into_inner().unwrap());
        // The crate marks an empty first cell of a row of one; there is none here.
        assert_eq!(again, content.to_owned(), "{name}");
        tables += 1;
    }
    assert!(tables >= 4);
}
