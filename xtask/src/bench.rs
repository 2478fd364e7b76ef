//! Does somascope keep its speed targets on a plan of 1,000,000 tensors, natively, in wasm and in the built page?
//!
//! Two programs measure, this one only judges. Each prints one JSON object per line, among other lines if it likes:
//! `{"name": "parse", "target": "≤ 2 s", "measured": 1.23, "unit": "s", "pass": true}`.
//! A line without `target` and `pass` is a number to tell or to compare with, not to judge; from `native seconds` and
//! `wasm seconds` comes how much slower the browser is.
//! The native ones are `cargo bench --bench parse` and `--bench results` with the dump's path in `SOMASCOPE_BENCH_DUMP`, the other
//! `tests/e2e/bench.mjs`, which says what it takes. With `--only TEXT` the other one measures what goes by a word with
//! TEXT in it (`reading`, `sort`, `filter`, `scroll`, `small`, `complete`), and the native ones run for `native` alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::run::{self, Failure, Result, Step};
use crate::toolchain::{WebToolchain, TARGET};
use crate::{dist, test, tools};

/// Makes a plan of 1,000,000 tensors.
const BIG: &str = "583000";

/// Makes a plan of 20,000 tensors.
const SMALL: &str = "11700";

/// How many times as long as natively reading and resolving may take in the browser.
const MOST_SLOWER: f64 = 1.5;

/// One measured number and whether it is good enough.
#[derive(Debug)]
struct Row {
    name: String,
    /// Empty when it is not judged.
    target: String,
    number: f64,
    unit: String,
    pass: bool,
}

/// Measures everything, or what `only` names, prints the table, and fails when a target is missed.
pub fn bench(only: Option<&str>) -> Result<()> {
    let big = made("plan-1m.ir", "make_ascend.py", &["--nodes", BIG])?;
    let mut rows = Vec::new();
    if only.is_none_or(|only| only == "native") {
        let native = |bench| {
            let mut native = run::cargo();
            native
                .args(["bench", "--bench", bench])
                .env("SOMASCOPE_BENCH_DUMP", &big);
            native
        };
        rows.extend(measure("native", &mut native("parse"))?);
        rows.extend(safety()?);
        rows.extend(measure("result files", &mut native("results"))?);
    }
    if only != Some("native") {
        rows.extend(measure("browser", &mut browser(&big, only)?)?);
    }
    if only.is_none_or(|only| only == "map") {
        rows.extend(measure("memory map", &mut memory_map(&big)?)?);
    }
    rows.extend(slower(&rows));

    print_table(&rows);
    let judged = rows.iter().filter(|row| !row.target.is_empty()).count();
    let missed = rows.iter().filter(|row| !row.pass).count();
    if missed == 0 {
        return Ok(());
    }
    Err(Failure(format!("{missed} of {judged} targets missed")))
}

/// The program that measures in the browser, with all that it needs.
fn browser(big: &Path, only: Option<&str>) -> Result<Command> {
    let web = WebToolchain::set_up()?;
    let bindgen = tools::wasm_bindgen(&web)?;
    let node = tools::node()?;
    let chromium = tools::chromium()?;
    let e2e = run::root().join("tests/e2e");
    test::install_packages(&e2e)?;
    let small = made("plan-20k.ir", "make_ascend.py", &["--nodes", SMALL])?;
    let module = module(&web, &bindgen, &node)?;
    let page = run::target_dir().join("bench/page");
    dist::dist(&page, &node)?;
    let mut browser = run::command(node);
    browser.arg(e2e.join("bench.mjs")).env("CHROMIUM", chromium);
    browser.arg("--module").arg(module).arg("--page").arg(page);
    browser.arg("--dump").arg(big).arg("--small").arg(small);
    if let Some(only) = only {
        browser.args(["--only", only]);
    }
    Ok(browser)
}

/// The program that measures the memory map in the page that [`browser`] has built.
fn memory_map(big: &Path) -> Result<Command> {
    let mut map = run::command(tools::node()?);
    map.arg(run::root().join("tests/e2e/bench_map.mjs"))
        .env("CHROMIUM", tools::chromium()?);
    map.arg("--dist").arg(run::target_dir().join("bench/page"));
    let small = made("plan-20k.ir", "make_ascend.py", &["--nodes", SMALL])?;
    map.arg("--dump").arg(small).arg("--dump").arg(big);
    Ok(map)
}

/// The browser's seconds as a multiple of the native ones.
fn slower(rows: &[Row]) -> Option<Row> {
    let seconds = |name: &str| {
        let row = rows.iter().find(|row| row.name == name)?;
        (row.unit == "s" && row.number > 0.0).then_some(row.number)
    };
    let number = seconds("wasm seconds")? / seconds("native seconds")?;
    Some(Row {
        name: "wasm / native".to_owned(),
        target: format!("<= {MOST_SLOWER}"),
        number,
        unit: "x".to_owned(),
        pass: number <= MOST_SLOWER,
    })
}

/// A made dump, made once.
fn made(name: &str, maker: &str, args: &[&str]) -> Result<PathBuf> {
    let dir = run::target_dir().join("bench");
    let file = dir.join(name);
    let step = Step::begin("bench", name);
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
    let part = dir.join(format!("part-{name}"));
    let mut make = run::command("python3");
    make.arg(format!("tests/makers/{maker}"))
        .args(args)
        .args(["--seed", "1", "--out"])
        .arg(&part);
    run::logged(&mut make, "bench-dump")?;
    fs::rename(part, &file)?;
    step.end_timed("done");
    Ok(file)
}

/// Plans for the verdict: file, maker and its arguments. The first has 1,000,000 tensors in a few
/// streams, the second some 300,000 with a stream a node, the others show how both grow.
const JUDGED: [(&str, &str, &[&str]); 6] = [
    (
        "streams-1m.ir",
        "make_ascend.py",
        &["--nodes", "625000", "--streams", "8"],
    ),
    ("cpu-300k.ir", "make_cpu.py", &["--tensors", "300000"]),
    (
        "streams-10k.ir",
        "make_ascend.py",
        &["--nodes", "6250", "--streams", "8"],
    ),
    (
        "streams-100k.ir",
        "make_ascend.py",
        &["--nodes", "62500", "--streams", "8"],
    ),
    ("cpu-10k.ir", "make_cpu.py", &["--tensors", "10000"]),
    ("cpu-1m.ir", "make_cpu.py", &["--tensors", "1000000"]),
];

/// What a verdict costs.
fn safety() -> Result<Vec<Row>> {
    let mut files = Vec::new();
    for (file, maker, args) in JUDGED {
        files.push(made(file, maker, args)?);
    }
    let growth: Vec<String> = [2, 3, 0, 4, 1, 5]
        .iter()
        .filter_map(|i| files.get(*i).map(|f| f.display().to_string()))
        .collect();
    let mut bench = run::cargo();
    bench.args(["bench", "--bench", "safety"]);
    for (variable, file) in ["SOMASCOPE_BENCH_STREAMS", "SOMASCOPE_BENCH_CPU"]
        .iter()
        .zip(&files)
    {
        bench.env(variable, file);
    }
    bench.env("SOMASCOPE_BENCH_GROWTH", growth.join(":"));
    measure("verdict", &mut bench)
}

/// The module that the browser's numbers are taken with, built like the published one.
fn module(web: &WebToolchain, bindgen: &Path, node: &Path) -> Result<PathBuf> {
    let dir = run::target_dir().join("bench/module");
    let mut build = web.cargo()?;
    web.apply_for_size(&mut build)?;
    let step = Step::begin("bench", "module for the browser");
    build.args([
        "build",
        "--profile",
        "web",
        "--bin",
        "app",
        "--target",
        TARGET,
    ]);
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
    glue.arg(web.target_dir().join(TARGET).join("web/app.wasm"));
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
    let unit = value["unit"].as_str().unwrap_or("").to_owned();
    let (target, pass) = match (&value["target"], &value["pass"]) {
        (Value::Null, Value::Null) => (String::new(), true),
        (Value::String(text), Value::Bool(pass)) => (text.clone(), *pass),
        (Value::Number(number), Value::Bool(pass)) => (format!("{number} {unit}"), *pass),
        _ => return Err(bad()),
    };
    Ok(Row {
        name: value["name"].as_str().ok_or_else(bad)?.to_owned(),
        target,
        number: value["measured"].as_f64().ok_or_else(bad)?,
        unit,
        pass,
    })
}

fn print_table(rows: &[Row]) {
    let measured = |row: &Row| format!("{:.2} {}", row.number, row.unit);
    let width = |text: &dyn Fn(&Row) -> String, head: &str| {
        rows.iter()
            .map(|row| text(row).chars().count())
            .chain([head.len()])
            .max()
            .unwrap_or(0)
    };
    let (n, t, m) = (
        width(&|row| row.name.clone(), "name"),
        width(&|row| row.target.clone(), "target"),
        width(&measured, "measured"),
    );
    println!("\n{:<n$}  {:>t$}  {:>m$}", "name", "target", "measured");
    for row in rows {
        let verdict = match (row.target.is_empty(), row.pass) {
            (true, _) => String::new(),
            (false, true) => "pass".to_owned(),
            (false, false) => run::red("fail"),
        };
        println!(
            "{:<n$}  {:>t$}  {:>m$}  {verdict}",
            row.name,
            row.target,
            measured(row)
        );
    }
}

#[cfg(test)]
mod tests {
    use super::{rows, slower, Row};

    fn read(output: &str) -> Vec<Row> {
        match rows(output) {
            Ok(rows) => rows,
            Err(failure) => panic!("not read: {failure}"),
        }
    }

    #[test]
    fn measurements_are_picked_from_the_output() {
        let rows = read("running\n{\"name\":\"parse\",\"target\":2,\"measured\":1.5,\"unit\":\"s\",\"pass\":true}\ndone\n");
        assert_eq!(rows.len(), 1);
        assert_eq!(
            (rows[0].target.as_str(), rows[0].number, rows[0].pass),
            ("2 s", 1.5, true)
        );
        assert!(super::rows("{\"name\":\"parse\"}\n").is_err());
        // A target without a verdict, or the other way round.
        assert!(super::rows("{\"name\":\"parse\",\"target\":2,\"measured\":1}\n").is_err());
        assert!(super::rows("{\"name\":\"parse\",\"pass\":true,\"measured\":1}\n").is_err());
    }

    #[test]
    fn the_browser_is_compared_with_the_native_program() {
        let told = |native: f64, wasm: f64| {
            read(&format!(
                "{{\"name\":\"native seconds\",\"measured\":{native},\"unit\":\"s\"}}\n{{\"name\":\"wasm seconds\",\"measured\":{wasm},\"unit\":\"s\"}}\n"
            ))
        };
        let verdict = |native, wasm| slower(&told(native, wasm)).map(|row| (row.number, row.pass));
        assert_eq!(verdict(2.0, 3.0), Some((1.5, true)));
        assert_eq!(verdict(2.0, 3.5), Some((1.75, false)));
        assert_eq!(verdict(0.0, 3.5), None);
        assert!(told(2.0, 3.0).iter().all(|row| row.target.is_empty()));
    }
}
