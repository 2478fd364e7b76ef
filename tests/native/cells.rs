//! Every cell and line of every result file against the oracle in plain Python.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use crate::results::{ascend, ask, lenet, text};
use crate::support::{self, command, main_dumps, scratch, short};
use crate::tasks::clean_pairs;

/// A dump and its siblings, to be compared with the oracle.
struct Case {
    dump: PathBuf,
    tasks: Option<PathBuf>,
    log: Option<PathBuf>,
    more: Vec<&'static str>,
}

fn cases() -> Vec<Case> {
    let nodes = |bytes: &[u8]| {
        bytes
            .split(|b| *b == b'\n')
            .filter(|l| l.starts_with(b"$"))
            .count()
    };
    let mut cases: Vec<Case> = Vec::new();
    for (dump, bytes) in main_dumps() {
        let name = dump.file_name().unwrap().to_str().unwrap().to_owned();
        if nodes(&bytes) > 2000 {
            continue;
        }
        // Beside dumps of 1.1 to 1.8 the offline log is used by itself.
        let log = dump.with_file_name("somas_offline_log_1.ir");
        let log =
            (!name.starts_with("CPU") && name.contains("somas") && log.exists()).then_some(log);
        cases.push(Case {
            dump,
            tasks: None,
            log,
            more: vec![],
        });
    }
    for (dump, tasks) in clean_pairs() {
        let log = dump.with_file_name("somas_offline_log_1.ir");
        let log = Some(log).filter(|l| l.exists());
        cases.push(Case {
            dump,
            tasks: Some(tasks),
            log,
            more: vec!["--device-memory", "64"],
        });
    }
    cases.push(Case {
        dump: ascend("Ascend_somas_tensor_offset_1.ir"),
        tasks: Some(ascend("task_info_faults_1.ir")),
        log: None,
        more: vec![],
    });
    cases.push(Case {
        dump: lenet(),
        tasks: None,
        log: None,
        more: vec!["--base", "0x20000000000"],
    });
    assert!(cases.len() > 120, "{}", cases.len());
    cases
}

fn check_with_oracle(python: &str, case: &Case) -> Result<(), String> {
    let plan = support::parse(&support::text(&case.dump))
        .plan
        .ok_or("no plan")?;
    let out = scratch("oracle");
    let mut product = command();
    product
        .arg("-s")
        .arg(&case.dump)
        .arg("-o")
        .arg(&out)
        .args(&case.more);
    let mut oracle = Command::new(python);
    oracle.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py"));
    oracle.arg(&case.dump).arg(&out).args(&case.more);
    if let Some(tasks) = &case.tasks {
        product.arg("-t").arg(tasks);
        oracle.arg("--tasks").arg(tasks);
    }
    if let Some(log) = &case.log {
        oracle.arg("--log").arg(log);
    }
    let mut asked = vec![
        ("-ca", "address", "0x200".to_owned()),
        ("-car", "range", "512-0x100000".to_owned()),
    ];
    if plan.n_nodes() > 0 {
        let middle = plan.nodes.step(plan.n_nodes() / 2);
        asked.push(("-cn", "node", format!("${middle}")));
    }
    if plan.n_tensors() > 0 {
        asked.push((
            "-ct",
            "tensor",
            plan.tensors.ids.id(plan.n_tensors() / 2).to_string(),
        ));
    }
    for (flag, word, value) in &asked {
        product.args([flag, value.as_str()]);
        oracle.args(["--query", word, value.as_str()]);
    }
    let done = product.output().unwrap();
    if !matches!(done.status.code(), Some(0 | 3)) {
        return Err(format!(
            "exit {:?}: {}",
            done.status.code(),
            text(&done.stderr)
        ));
    }
    let told = oracle.output().unwrap();
    std::fs::remove_dir_all(&out).unwrap();
    match told.status.success() {
        true => Ok(()),
        false => Err(text(&told.stdout) + &text(&told.stderr)),
    }
}

#[test]
fn every_cell_agrees_with_the_oracle() {
    let Some(python) = support::python("the oracle of the result files") else {
        return;
    };
    let cases = cases();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(report) = check_with_oracle(python, case) {
                        let tasks = case.tasks.as_deref().map(short);
                        let line = format!("{} {tasks:?}: {report}", short(&case.dump));
                        wrong.lock().unwrap().push(line);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} of {}\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

/// An oracle that agrees with everything is worth nothing.
#[test]
fn the_oracle_sees_one_changed_cell() {
    let Some(python) = support::python("the oracle of the result files") else {
        return;
    };
    let out = scratch("changed");
    ask(&[&"-s", &lenet(), &"-o", &out]);
    let oracle = || {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle.py");
        Command::new(python)
            .arg(script)
            .arg(lenet())
            .arg(&out)
            .output()
            .unwrap()
    };
    let told = oracle();
    assert!(told.status.success(), "{}", text(&told.stdout));
    for file in [
        "graph_tensors.csv",
        "graph_nodes.csv",
        "StatisticInfo/overview.txt",
    ] {
        let path = out.join(file);
        let before = support::raw(&path);
        let at = before.iter().rposition(u8::is_ascii_digit).unwrap();
        let mut after = before.clone();
        after[at] = if after[at] == b'9' {
            b'8'
        } else {
            after[at] + 1
        };
        std::fs::write(&path, &after).unwrap();
        let told = oracle();
        assert!(!told.status.success(), "{file}: {}", text(&told.stdout));
        std::fs::write(&path, &before).unwrap();
    }
}
