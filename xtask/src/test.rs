//! Does everything that can be checked by a machine hold?
//!
//! The end-to-end tests are `node tests/e2e/run.mjs --dist DIR --base /PATH/`: DIR holds the published page, which
//! the tests serve under PATH. Their environment has `CHROMIUM`, the browser to drive, and `SOMASCOPE_CLI`, the
//! command-line program, whose files the page's must equal. Exit status 0 means that all passed.

use std::fs;
use std::path::{Path, PathBuf};

use crate::dist;
use crate::run::{self, Failure, Result, Step};
use crate::toolchain::{WebToolchain, TARGET};
use crate::tools;

/// Which part of the checks to run.
#[derive(Clone, Copy, PartialEq)]
pub enum Parts {
    All,
    Native,
    EndToEnd,
}

/// Published pages often live under a path, so the tests look at it under one.
const BASE: &str = "/some/where/";

/// Crates that belong to the command line and must not be sent to browsers.
const NATIVE_ONLY: [&str; 3] = ["clap", "image", "png"];

/// Runs the checks; one that fails does not keep the others from running.
pub fn test(parts: Parts) -> Result<()> {
    let mut failed = Vec::new();
    if parts != Parts::EndToEnd {
        native(&mut failed);
    }
    if parts != Parts::Native {
        if let Err(failure) = end_to_end() {
            print_failure(&failure);
            failed.push("end to end");
        }
    }
    if failed.is_empty() {
        println!("\ntest    all passed");
        return Ok(());
    }
    Err(Failure(format!("failed: {}; see above", failed.join(", "))))
}

fn native(failed: &mut Vec<&'static str>) {
    let has = |tool: &str| run::probe(run::cargo().args([tool, "--version"])).is_some();
    let mut check = |name: &'static str, outcome: Result<()>| {
        if let Err(failure) = outcome {
            print_failure(&failure);
            failed.push(name);
        }
    };
    let has_clippy = has("clippy");
    if has("fmt") {
        let outcome = cargo_step("fmt", "fmt --all --check -- --color never");
        check("formatting", outcome);
    } else {
        println!("test    cargo fmt … not installed, left out");
    }
    if has_clippy {
        let outcome = cargo_step("clippy", "clippy --workspace --all-targets -- -D warnings");
        check("clippy", outcome);
    } else {
        println!("test    cargo clippy … not installed, left out");
    }
    let outcome = cargo_step("native-tests", "test --workspace --no-fail-fast");
    check("tests", outcome);
    check("browser dependencies", browser_dependencies());
    check("browser code", library_for_wasm(has_clippy));
}

/// Runs cargo as one step; `log` names its log file.
fn cargo_step(log: &str, args: &str) -> Result<()> {
    let step = Step::begin("test", &format!("cargo {args}"));
    let outcome = run::logged(run::cargo().args(args.split(' ')), log);
    finish(step, outcome)
}

/// The core must build for the browser without the browser's own crates.
fn library_for_wasm(has_clippy: bool) -> Result<()> {
    let web = WebToolchain::set_up()?;
    let step = Step::begin("test", "library for wasm");
    let mut check = web.cargo()?;
    check.args([
        "check",
        "--lib",
        "--target",
        TARGET,
        "--no-default-features",
    ]);
    finish(step, run::logged(&mut check, "wasm-check"))?;
    if !has_clippy || !web.has_clippy() {
        return Ok(());
    }
    let step = Step::begin("test", "clippy for the browser");
    let mut clippy = web.cargo()?;
    clippy.args([
        "clippy",
        "--lib",
        "--bin",
        "app",
        "--target",
        TARGET,
        "--no-default-features",
        "--features",
        "web",
    ]);
    clippy.args(["--", "-D", "warnings"]);
    finish(step, run::logged(&mut clippy, "wasm-clippy"))
}

/// `cargo tree -i clap` would not do: for an absent crate it fails, for a gated one it succeeds with a warning.
fn browser_dependencies() -> Result<()> {
    let step = Step::begin(
        "test",
        &format!("no {} in the browser", NATIVE_ONLY.join(", ")),
    );
    let mut tree = run::cargo();
    tree.args([
        "tree",
        "--target",
        TARGET,
        "--no-default-features",
        "--features",
        "web",
    ]);
    tree.args(["-e", "normal", "--prefix", "none", "-f", "{p}"]);
    let outcome = run::captured(&mut tree).and_then(|tree| match forbidden(&tree) {
        Some(krate) => Err(Failure(format!("{krate} is among the dependencies of the page: cargo tree -i {krate} --target {TARGET} --no-default-features --features web"))),
        None => Ok(()),
    });
    finish(step, outcome)
}

fn forbidden(tree: &str) -> Option<&str> {
    let mut crates = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    crates.find(|krate| NATIVE_ONLY.contains(krate))
}

/// The published page in a browser.
fn end_to_end() -> Result<()> {
    let e2e = run::root().join("tests/e2e");
    let chromium = tools::chromium()?;
    let page = run::target_dir().join("e2e-dist");
    let node = tools::node()?;
    dist::dist(&page, &node)?;
    install_packages(&e2e)?;
    let program = command_line()?;
    let step = Step::begin("test", "end to end");
    let mut tests = run::command(node);
    tests
        .arg(e2e.join("run.mjs"))
        .arg("--dist")
        .arg(&page)
        .args(["--base", BASE]);
    tests
        .env("CHROMIUM", chromium)
        .env("SOMASCOPE_CLI", program);
    finish(step, run::logged(&mut tests, "e2e"))?;
    // What passed at the second time only, and the sum.
    let told = run::log_of("e2e")?;
    let from = told.find("\nUNSTEADY ").or(told.trim_end().rfind('\n'));
    println!("{}", told.get(from.unwrap_or(0)..).unwrap_or("").trim());
    Ok(())
}

/// Installs the packages of the end-to-end tests, once per lock file.
pub fn install_packages(e2e: &Path) -> Result<()> {
    let step = Step::begin("tools", "packages of tests/e2e");
    let lock = fs::read(e2e.join("package-lock.json"))?;
    let stamp = e2e.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        step.end("found");
        return Ok(());
    }
    step.note("npm ci");
    let mut npm = run::command("npm");
    npm.args(["ci", "--no-audit", "--no-fund"]).current_dir(e2e);
    // The system's browser is driven.
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    run::logged(&mut npm, "npm-ci")?;
    fs::write(stamp, lock)?;
    step.end_timed("done");
    Ok(())
}

/// Builds the command line as the native tests do, so that one build serves both.
fn command_line() -> Result<PathBuf> {
    let step = Step::begin("test", "command line to compare with");
    let mut build = run::cargo();
    build.args(["build", "--profile", "test", "--bin", "somascope"]);
    finish(step, run::logged(&mut build, "command-line"))?;
    Ok(run::target_dir().join(format!("debug/somascope{}", std::env::consts::EXE_SUFFIX)))
}

fn finish(step: Step, outcome: Result<()>) -> Result<()> {
    step.end_timed(&if outcome.is_ok() {
        "ok".to_owned()
    } else {
        run::red("FAILED")
    });
    outcome
}

fn print_failure(failure: &Failure) {
    println!("{}\n{failure}", run::red("failed:"));
}

#[cfg(test)]
mod tests {
    use super::forbidden;

    #[test]
    fn a_native_crate_is_found_by_its_whole_name() {
        assert_eq!(
            forbidden("somascope v0.1.0 (/x)\nclap v4.5.0\n"),
            Some("clap")
        );
        assert_eq!(
            forbidden("somascope v0.1.0\nclap_lex v0.7.0\nmemchr v2.7.0 (*)\n"),
            None
        );
    }
}
