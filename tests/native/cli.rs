//! The command line: exit statuses, streams, flags, names that try to act.

use std::io::Read;
use std::process::Stdio;

use crate::plans::mini::{Mini, Node, Style, Tensor};
use crate::support::{command, data, gz, json_of, raw, run, scratch, scratch_file, sha256};

fn lenet() -> std::path::PathBuf {
    data().join("samples/v2.10_cpu_lenet_real/CPU_somas_tensor_offset_0.ir")
}

fn stdout(output: &std::process::Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &std::process::Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_healthy_plan_ends_with_0_and_says_its_numbers_on_stdout() {
    let output = run(["-s".as_ref(), lenet().as_os_str()]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stderr(&output), "");
    let text = stdout(&output);
    // The exact numbers are there, with or without groups.
    let digits: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{202f}' | ',' | ' '))
        .collect();
    for number in ["1836544", "1500672"] {
        assert!(digits.contains(number), "{number} is not in\n{text}");
    }
}

#[test]
fn both_spellings_of_the_file_flag_work() {
    let short = run(["-s".as_ref(), lenet().as_os_str(), "--json".as_ref()]);
    let long = run([
        "--somas_info_file".as_ref(),
        lenet().as_os_str(),
        "--json".as_ref(),
    ]);
    assert_eq!(short.status.code(), Some(0));
    assert_eq!(stdout(&short), stdout(&long));
}

#[test]
fn json_is_one_line_with_the_stable_keys() {
    let output = run(["-s".as_ref(), lenet().as_os_str(), "--json".as_ref()]);
    let text = stdout(&output);
    assert!(text.ends_with('\n') && text.matches('\n').count() == 1);
    let summary: serde_json::Value = serde_json::from_str(&text).unwrap();
    for key in [
        "schema",
        "version",
        "file",
        "kind",
        "generation",
        "device",
        "graph_id",
        "rank",
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
        "diagnostics",
    ] {
        assert!(summary.get(key).is_some(), "no key {key}");
    }
    // What did not run is absent, never 0 and never safe.
    for key in ["incomplete", "task", "queries"] {
        assert!(summary.get(key).is_none(), "key {key}: {}", summary[key]);
    }
    assert_eq!(summary["file"]["name"], "CPU_somas_tensor_offset_0.ir");
    assert_eq!(summary["graph_id"], 0);
    assert_eq!(summary["rank"], serde_json::Value::Null);
    assert_eq!(summary["device"], "CPU");
    assert_eq!(summary["reuse_ratio"], 0.512313);
}

#[test]
fn two_runs_give_the_same_bytes_whatever_the_folder() {
    let (a, b) = (
        scratch_file("x.ir", &raw(&lenet())),
        scratch_file("x.ir", &raw(&lenet())),
    );
    let output =
        |path: &std::path::Path| run(["-s".as_ref(), path.as_os_str(), "--json".as_ref()]).stdout;
    assert_eq!(output(&a), output(&b));
}

#[test]
fn the_rank_comes_from_the_folder() {
    let path = data().join("samples/v2.10_cpu_allreduce_real/rank_0/CPU_somas_tensor_offset_0.ir");
    let summary = json_of(&path, &[]);
    assert_eq!(summary["rank"], 0);
    assert_eq!(summary["counts"]["contiguous"], 4);
}

#[test]
fn the_file_as_given_is_what_is_hashed() {
    let bytes = raw(&lenet());
    for (name, given) in [
        ("a.ir", bytes.clone()),
        ("a.ir.gz", gz(&bytes)),
        ("a.ir", gz(&bytes)),
    ] {
        let path = scratch_file(name, &given);
        let summary = json_of(&path, &[]);
        assert_eq!(summary["file"]["bytes"], given.len(), "{name}");
        assert_eq!(summary["file"]["sha256"], sha256(&given).as_str(), "{name}");
        assert_eq!(summary["file"]["name"], name);
        assert_eq!(summary["planned_total"], 1_836_544, "{name}");
    }
}

#[test]
fn a_stage_has_no_gap_and_no_highest_end() {
    for file in [
        "CPU_somas_initial_info_0.ir",
        "CPU_somas_pre_processed_info_0.ir",
    ] {
        let summary = json_of(&data().join("samples/v2.10_cpu_lenet_real").join(file), &[]);
        assert_eq!(summary["kind"], "stage");
        assert_eq!(summary["planned_total"], 0);
        for key in [
            "gap",
            "max_end",
            "max_end_without_lifelong",
            "verdict",
            "hazards",
        ] {
            assert!(
                summary.get(key).is_none(),
                "{file}: {key} is {}",
                summary[key]
            );
        }
        let output = run([
            "-s".as_ref(),
            data()
                .join("samples/v2.10_cpu_lenet_real")
                .join(file)
                .as_os_str(),
        ]);
        assert_eq!(output.status.code(), Some(0));
        assert!(
            stdout(&output).to_lowercase().contains("stage"),
            "{}",
            stdout(&output)
        );
    }
}

/// A row that cannot be read gives no numbers; in part mode they are marked as a part.
#[test]
fn a_damaged_file_ends_with_2_also_in_part_mode() {
    let text = String::from_utf8(raw(&lenet())).unwrap();
    let damaged = text
        .replacen("%3T\t#", "%3T\t", 1)
        .replacen("%7T\t#", "%7T\t", 1);
    let path = scratch_file("CPU_somas_tensor_offset_0.ir", damaged.as_bytes());
    let output = run(["-s".as_ref(), path.as_os_str()]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let errors = stderr(&output);
    let line = text.lines().position(|l| l.starts_with("%3T\t")).unwrap() + 1;
    assert!(
        errors.contains(&format!("CPU_somas_tensor_offset_0.ir:{line}:5: expected ")),
        "{errors}"
    );
    assert!(errors.contains("hint:") && errors.contains('^'), "{errors}");

    let output = run(["-s".as_ref(), path.as_os_str(), "--json".as_ref()]);
    assert_eq!(output.status.code(), Some(2));
    let told: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(told["diagnostics"]["errors"], 2);
    for number in [
        "counts",
        "lower_bound",
        "planned_total",
        "max_in_use",
        "gap",
        "incomplete",
        "verdict",
    ] {
        assert!(
            told.get(number).is_none(),
            "an error gives no numbers, yet {number} is {}",
            told[number]
        );
    }

    let output = run([
        "-s".as_ref(),
        path.as_os_str(),
        "--json".as_ref(),
        "--partial".as_ref(),
    ]);
    assert_eq!(output.status.code(), Some(2));
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(summary["incomplete"]["unread_lines"], 2);
    assert_eq!(summary["counts"]["tensors"], 49);
    assert_ne!(summary["verdict"], "safe");
    assert_eq!(summary["diagnostics"]["errors"], 2);

    let output = run(["-s".as_ref(), path.as_os_str(), "--partial".as_ref()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains('2') && !stdout(&output).is_empty());
}

/// In part mode a healthy file is a healthy file.
#[test]
fn part_mode_changes_nothing_on_a_healthy_file() {
    let (plain, partial) = (json_of(&lenet(), &[]), json_of(&lenet(), &["--partial"]));
    assert_eq!(plain, partial);
}

#[test]
fn warnings_do_not_change_the_status() {
    let text = String::from_utf8(raw(&lenet()))
        .unwrap()
        .replace("reused:1836544", "reused:1836032");
    let path = scratch_file("a.ir", text.as_bytes());
    let output = run(["-s".as_ref(), path.as_os_str(), "--json".as_ref()]);
    assert_eq!(output.status.code(), Some(0));
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(summary["diagnostics"]["warnings"], 1);
    assert_eq!(summary["diagnostics"]["list"][0]["code"], "total_differs");
    assert_eq!(summary["planned_total"], 1_836_032);
    assert!(summary["gap"].is_i64());
}

#[test]
fn files_that_are_no_plan_end_with_2_and_say_what_they_are() {
    for file in [
        "CPU_somas_offline_log_0.ir",
        "somas_solver_input_0.ir",
        "somas_solver_output_0.ir",
        "somas_tensor_relation_0.ir",
        "nothing_here.ir",
        ".",
    ] {
        let output = run([
            "-s".as_ref(),
            data()
                .join("samples/v2.10_cpu_lenet_real")
                .join(file)
                .as_os_str(),
        ]);
        // A folder may be opened; then its plans are found.
        if file == "." && output.status.code() == Some(0) {
            assert!(!stdout(&output).is_empty());
            continue;
        }
        assert_eq!(output.status.code(), Some(2), "{file}: {}", stderr(&output));
        assert_eq!(stdout(&output), "", "{file}");
        assert!(!stderr(&output).is_empty(), "{file}");
        assert!(
            !stderr(&output).contains("panicked"),
            "{file}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn wrong_usage_ends_with_1() {
    let file = lenet();
    for args in [
        vec![],
        vec!["-s".as_ref()],
        vec!["--no-such-flag".as_ref()],
        vec!["-s".as_ref(), file.as_os_str(), "--jsn".as_ref()],
        vec!["-s".as_ref(), file.as_os_str(), "stray".as_ref()],
        vec![
            "-s".as_ref(),
            file.as_os_str(),
            "--base".as_ref(),
            "0xnonsense".as_ref(),
        ],
        vec![
            "-s".as_ref(),
            file.as_os_str(),
            "--device-memory".as_ref(),
            "much".as_ref(),
        ],
    ] {
        let output = run(&args);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{args:?}: {}",
            stderr(&output)
        );
        assert_eq!(stdout(&output), "", "{args:?}");
        assert!(!stderr(&output).is_empty(), "{args:?}");
    }
}

#[test]
fn help_ends_with_0_on_stdout() {
    for flag in ["-h", "--help"] {
        let output = run([flag]);
        assert_eq!(output.status.code(), Some(0));
        for word in [
            "-s",
            "--somas_info_file",
            "-t",
            "--task_info_file",
            "-cn",
            "--check_node_name",
            "-ct",
            "--check_tensor_id",
            "-ca",
            "--check_address",
            "-car",
            "--check_address_range",
            "-o",
            "--output_dir",
            "--base",
            "--device-memory",
            "--with",
            "--json",
            "--partial",
            "--force",
            "Exit status",
        ] {
            assert!(
                stdout(&output).contains(word),
                "{flag} does not name {word}"
            );
        }
    }
}

/// The reader of the pipe has gone: that is no failure, and never a panic.
#[test]
fn a_closed_pipe_is_no_panic() {
    for flags in [&["--json"][..], &[]] {
        let mut child = command()
            .arg("-s")
            .arg(lenet())
            .arg("-o")
            .arg(scratch("pipe"))
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let mut errors = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut errors)
            .unwrap();
        let status = child.wait().unwrap();
        assert!(
            !errors.contains("panicked") && status.code().is_some_and(|c| c != 101),
            "{status}: {errors}"
        );
    }
}

/// A plan of one node with a chosen name.
fn named(name: &str) -> Mini {
    let mut mini = Mini::new(Style::C3Cpu);
    let source = name.to_string();
    mini.nodes.push(Node {
        name: source.clone(),
        outputs: vec![0],
        ..Node::default()
    });
    mini.tensors.push(Tensor {
        id: 0,
        aligned: 512,
        original: 4,
        offset: 0,
        kind: "OutputOnly".into(),
        lifelong: 0,
        first: 0,
        last: 0,
        source,
    });
    mini.blocks = vec![(0, 512)];
    mini.total = 512;
    mini
}

#[test]
fn names_do_not_act_on_the_terminal() {
    let text = named("Default/\u{1b}[2J\u{1b}]0;x\u{7}\u{202e}evil\u{200b}-op0").text();
    let healthy = scratch_file("a.ir", text.as_bytes());
    let broken = scratch_file(
        "b\u{1b}[31m.ir",
        text.replace("%0T\t#512S", "%0T\t#512").as_bytes(),
    );
    for path in [healthy, broken] {
        let output = run(["-s".as_ref(), path.as_os_str()]);
        for text in [stdout(&output), stderr(&output)] {
            let acts =
                |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!text.contains(acts), "{text:?}");
        }
    }
    // JSON keeps the name exactly.
    let summary = json_of(
        &scratch_file("a.ir", named("Default/\u{1b}[2Jx").text().as_bytes()),
        &[],
    );
    assert_eq!(summary["counts"]["nodes"], 1);
}

#[test]
fn chinese_locales_get_chinese_messages_and_the_same_json() {
    let path = data().join("bad").join("0010_unreadable_field.ir");
    let zh = command()
        .arg("-s")
        .arg(&path)
        .env("LC_ALL", "zh_CN.UTF-8")
        .output()
        .unwrap();
    assert_eq!(zh.status.code(), Some(2));
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    let first = stderr(&zh).lines().next().unwrap().to_string();
    assert!(first.contains(is_han), "{first}");
    let json = |locale| {
        command()
            .arg("-s")
            .arg(lenet())
            .arg("--json")
            .env("LC_ALL", locale)
            .output()
            .unwrap()
            .stdout
    };
    assert_eq!(json("C"), json("zh_CN.UTF-8"));
}

#[test]
fn a_file_that_may_not_be_read_ends_with_2() {
    let dir = scratch("secret");
    let path = dir.join("a.ir");
    std::fs::write(&path, raw(&lenet())).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
    }
    // The super user reads it all the same.
    if std::fs::read(&path).is_err() {
        assert_eq!(
            run(["-s".as_ref(), path.as_os_str()]).status.code(),
            Some(2)
        );
    }
}

#[test]
fn a_damaged_file_that_nobody_named_is_told_and_nothing_rests_on_it() {
    let from = data().join("samples/v1.7_ascend");
    let dir = scratch("damaged_beside");
    let dump = dir.join("somas_allocate_info_1.ir");
    std::fs::copy(from.join("somas_allocate_info_1.ir"), &dump).unwrap();
    let numbers = stdout(&run(["-s".as_ref(), dump.as_os_str(), "--json".as_ref()]));
    let log = dir.join("somas_offline_log_1.ir");
    let text = std::fs::read_to_string(from.join("somas_offline_log_1.ir")).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines[4] = "no edge";
    std::fs::write(&log, lines.join("\n")).unwrap();

    let out = dir.join("out");
    let ran = run([
        "-s".as_ref(),
        dump.as_os_str(),
        "--json".as_ref(),
        "-o".as_ref(),
        out.as_os_str(),
    ]);
    assert_eq!(ran.status.code(), Some(0));
    assert_eq!(stdout(&ran), numbers);
    let place = "somas_offline_log_1.ir:5:1: ";
    assert!(stderr(&ran).contains(place), "{}", stderr(&ran));
    let written = std::fs::read_to_string(out.join("MemoryAnalyze.log")).unwrap();
    assert!(
        written.contains(place) && written.contains("1 errors"),
        "{written}"
    );
    assert!(written.contains("nothing taken from it"), "{written}");

    // Named, it is bad input.
    let named = [
        "-s".as_ref(),
        dump.as_os_str(),
        "--with".as_ref(),
        log.as_os_str(),
    ];
    assert_eq!(run(named).status.code(), Some(2));
}
