//! Does somascope keep its speed targets on a plan of 1,000,000 tensors, natively and in wasm?
//!
//! Two programs measure, this one only judges. Each prints one JSON object per line, among other lines if it likes:
//! `{"name": "parse", "target": "≤ 2 s", "measured": 1.23, "unit": "s", "pass": true}`.
//! The native one is `cargo bench --bench parse` with the dump's path in `SOMASCOPE_BENCH_DUMP`, the other
//! `node tests/e2e/bench.mjs --module DIR --dump FILE`: DIR holds `app.js` and `app_bg.wasm`, built with the feature
//! `bench`; its environment has `CHROMIUM`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{self, Failure, Result, Step};
use crate::toolchain::{WebToolchain, TARGET};
use crate::{dist, test, tools};

/// Makes a plan of 1,000,000 tensors.
const NODES: &str = "583000";

/// One measured number and whether it is good enough.
struct Row {
    name: String,
    target: String,
    measured: String,
    pass: bool,
}

/// Measures everything, prints the table, and fails when a target is missed.
pub fn bench() -> Result<()> {
    let web = WebToolchain::set_up()?;
    let bindgen = tools::wasm_bindgen(&web)?;
    let node = tools::node()?;
    let chromium = tools::chromium()?;
    let e2e = run::root().join("tests/e2e");
    test::install_packages(&e2e)?;
    let dump = dump()?;
    let module = module(&web, &bindgen, &node)?;

    let mut native = run::cargo();
    native
        .args(["bench", "--bench", "parse"])
        .env("SOMASCOPE_BENCH_DUMP", &dump);
    let mut rows = measure("native", &mut native)?;
    let mut browser = run::command(node);
    browser.arg(e2e.join("bench.mjs")).env("CHROMIUM", chromium);
    browser.arg("--module").arg(module).arg("--dump").arg(dump);
    rows.extend(measure("browser", &mut browser)?);

    print_table(&rows);
    let missed = rows.iter().filter(|row| !row.pass).count();
    if missed == 0 {
        return Ok(());
    }
    Err(Failure(format!(
        "{missed} of {} targets missed",
        rows.len()
    )))
}

/// The dump to read, made once.
fn dump() -> Result<PathBuf> {
    let dir = run::target_dir().join("bench");
    let file = dir.join("plan-1m.ir");
    let step = Step::begin("bench", "plan of 1,000,000 tensors");
    if file.is_file() {
        step.end("found");
        return Ok(file);
    }
    if run::find("python3").is_none() {
        let why = "it makes the plan to measure with";
        return Err(Failure(format!(
            "python3 is missing: {why}; install it from the system's packages (python3)"
        )));
    }
    step.note("making it");
    fs::create_dir_all(&dir)?;
    let part = dir.join("plan-1m.part.ir");
    let mut make = run::command("python3");
    make.arg("tests/makers/make_ascend.py")
        .args(["--nodes", NODES, "--seed", "1", "--out"])
        .arg(&part);
    run::logged(&mut make, "bench-dump")?;
    fs::rename(part, &file)?;
    step.end_timed("done");
    Ok(file)
}

/// The module that the browser's numbers are taken with, built like the published one.
fn module(web: &WebToolchain, bindgen: &Path, node: &Path) -> Result<PathBuf> {
    let dir = run::target_dir().join("bench/module");
    let step = Step::begin("bench", "module for the browser");
    let mut build = web.cargo()?;
    build.args(["build", "--release", "--bin", "app", "--target", TARGET]);
    build.args(["--no-default-features", "--features", "web,bench"]);
    run::logged(&mut build, "bench-module")?;
    let mut glue = run::command(bindgen);
    glue.args([
        "--target",
        "no-modules",
        "--no-typescript",
        "--out-name",
        "app",
        "--out-dir",
    ])
    .arg(&dir);
    glue.arg(web.target_dir().join(TARGET).join("release/app.wasm"));
    run::logged(&mut glue, "bench-bindgen")?;
    step.end_timed("done");
    dist::optimise(node, &dir.join("app_bg.wasm"))?;
    Ok(dir)
}

/// Runs a program that measures. That it fails is no news when it has printed a target that it missed.
fn measure(name: &str, program: &mut Command) -> Result<Vec<Row>> {
    println!("bench   measuring: {name} …");
    let (status, output) = run::output(program)?;
    let rows = rows(&output)?;
    if rows.is_empty() || !status.success() && rows.iter().all(|row| row.pass) {
        return Err(Failure(format!(
            "the {name} program failed ({status}) or measured nothing\n{}",
            output.trim_end()
        )));
    }
    Ok(rows)
}

fn rows(output: &str) -> Result<Vec<Row>> {
    output
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(row)
        .collect()
}

fn row(line: &str) -> Result<Row> {
    let bad = || Failure(format!("not a measurement: {line}"));
    let value: Value = serde_json::from_str(line).map_err(|_| bad())?;
    let unit = value["unit"].as_str().unwrap_or("");
    let measured = value["measured"].as_f64().ok_or_else(bad)?;
    let target = match &value["target"] {
        Value::String(text) => text.clone(),
        Value::Number(number) => format!("{number} {unit}"),
        _ => return Err(bad()),
    };
    Ok(Row {
        name: value["name"].as_str().ok_or_else(bad)?.to_owned(),
        target,
        measured: format!("{measured:.2} {unit}"),
        pass: value["pass"].as_bool().ok_or_else(bad)?,
    })
}

fn print_table(rows: &[Row]) {
    let width = |text: fn(&Row) -> &str, head: &str| {
        rows.iter()
            .map(|row| text(row).chars().count())
            .chain([head.len()])
            .max()
            .unwrap_or(0)
    };
    let (n, t, m) = (
        width(|r| &r.name, "name"),
        width(|r| &r.target, "target"),
        width(|r| &r.measured, "measured"),
    );
    println!("\n{:<n$}  {:>t$}  {:>m$}", "name", "target", "measured");
    for row in rows {
        let verdict = if row.pass {
            "pass".to_owned()
        } else {
            run::red("fail")
        };
        println!(
            "{:<n$}  {:>t$}  {:>m$}  {verdict}",
            row.name, row.target, row.measured
        );
    }
}

#[cfg(test)]
mod tests {
    use super::rows;

    #[test]
    fn measurements_are_picked_from_the_output() {
        let output = "running\n{\"name\":\"parse\",\"target\":2,\"measured\":1.234,\"unit\":\"s\",\"pass\":true}\ndone\n";
        let Ok(rows) = rows(output) else {
            panic!("not read")
        };
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (
                rows[0].target.as_str(),
                rows[0].measured.as_str(),
                rows[0].pass
            ),
            ("2 s", "1.23 s", true)
        );
        assert!(super::rows("{\"name\":\"parse\"}\n").is_err());
    }
}
