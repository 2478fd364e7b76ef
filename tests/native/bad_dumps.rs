//! `tests/data/bad/<nnnn>_<code>.ir`: one small damaged file each. What the command line says of
//! it is the golden beside it, `.err`. `UPDATE_GOLDEN=1 cargo test --test native bad_dumps`
//! rewrites the goldens; `tests/makers/make_bad.py` writes the files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use somascope::parse::{Code, Severity};

use crate::support::{self, codes, command, data, difference, files, parse, scratch, short};

/// Codes that no file of a reasonable size can bring about.
const TOO_LARGE_TO_KEEP: &[&str] = &["too_many_rows"];

fn bad_files() -> Vec<PathBuf> {
    files(&data().join("bad"))
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "ir"))
        .collect()
}

/// The code in a file's name.
fn promised(path: &Path) -> String {
    path.file_stem()
        .unwrap()
        .to_str()
        .unwrap()
        .split_once('_')
        .unwrap()
        .1
        .to_string()
}

fn severity(word: &str) -> Severity {
    let code = Code::ALL.iter().find(|c| c.word() == word);
    code.unwrap_or_else(|| panic!("{word} is no code"))
        .severity()
}

#[test]
fn messages_are_as_kept() {
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut wrong = Vec::new();
    let results = scratch("bad");
    for path in bad_files() {
        let name = path.file_name().unwrap();
        let output = command()
            .current_dir(data().join("bad"))
            .arg("-s")
            .arg(name)
            .arg("-o")
            .arg(&results)
            .output()
            .unwrap();
        let found = String::from_utf8(output.stderr).expect("messages are UTF-8");
        let golden = path.with_extension("err");
        let error = severity(&promised(&path)) == Severity::Error;
        // A plan that contradicts itself may have hazards as well.
        let status = output.status.code();
        if !(if error {
            status == Some(2)
        } else {
            matches!(status, Some(0 | 3))
        }) {
            wrong.push(format!("{}: exit {status:?}\n{found}", short(&path)));
        }
        if error && !output.stdout.is_empty() {
            wrong.push(format!(
                "{}: an error gives no numbers, yet stdout is not empty",
                short(&path)
            ));
        }
        if update {
            std::fs::write(&golden, &found).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(&golden).unwrap_or_default();
        if let Some(report) = difference(&expected, &found) {
            wrong.push(format!("{}: {report}", short(&golden)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences (UPDATE_GOLDEN=1 rewrites)\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn each_file_shows_the_code_in_its_name_and_no_error_gives_a_plan() {
    let mut wrong = Vec::new();
    for path in bad_files() {
        let promised = promised(&path);
        let summary = command()
            .arg("-s")
            .arg(&path)
            .args(["--json", "--partial"])
            .output()
            .unwrap();
        let stdout = String::from_utf8(summary.stdout).unwrap();
        let stderr = String::from_utf8(summary.stderr).unwrap();
        // A file of another kind is told by a sentence, not by a place in it.
        let parsed = parse(&support::raw(&path));
        let listed = parsed
            .diagnostics
            .list
            .iter()
            .any(|d| d.code.word() == promised);
        if !listed && !stdout.contains(&format!("\"{promised}\"")) && promised != "not_a_dump" {
            wrong.push(format!(
                "{}: {:?}\n{stdout}{stderr}",
                short(&path),
                codes(&parsed)
            ));
        }
        if severity(&promised) == Severity::Error && parsed.plan.is_some() {
            wrong.push(format!("{}: a plan in spite of an error", short(&path)));
        }
        if severity(&promised) == Severity::Warning
            && (parsed.plan.is_none() || parsed.diagnostics.errors > 0)
        {
            wrong.push(format!(
                "{}: no plan for a mere warning: {:?}",
                short(&path),
                codes(&parsed)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One damage, few words: what follows from a damage is not told on its own again.
#[test]
fn one_damage_gives_few_kinds_of_message() {
    let mut wrong = Vec::new();
    for path in bad_files() {
        let parsed = parse(&support::raw(&path));
        let kinds: BTreeSet<&str> = parsed
            .diagnostics
            .list
            .iter()
            .map(|d| d.code.word())
            .collect();
        // A doubled node number takes a number, a name and the tensors of its node along.
        let most = if promised(&path) == "duplicate_id" {
            4
        } else {
            2
        };
        if kinds.len() > most {
            wrong.push(format!("{}: {:?}", short(&path), codes(&parsed)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Of a damaged packed file the packing is at fault, whatever came out of it.
#[test]
fn a_damaged_packing_is_named_first() {
    for path in bad_files()
        .into_iter()
        .filter(|p| promised(p) == "gz_damaged")
    {
        let parsed = parse(&support::raw(&path));
        let first = parsed.diagnostics.list.first().map(|d| d.code.word());
        assert_eq!(
            first,
            Some("gz_damaged"),
            "{}: {:?}",
            short(&path),
            codes(&parsed)
        );
    }
}

/// A dump of 1.9 or later has no `All Ref Node Info`: it can never be told to lack it.
#[test]
fn nothing_is_missed_that_the_variant_does_not_have() {
    for path in bad_files() {
        let text = String::from_utf8_lossy(&support::raw(&path)).into_owned();
        let golden = std::fs::read_to_string(path.with_extension("err")).unwrap_or_default();
        let foreign = text.contains("All Merged Blocks:") && golden.contains("All Ref Node Info");
        assert!(!foreign, "{}: {golden}", short(&path));
    }
}

#[test]
fn every_code_has_its_file_and_every_file_its_golden() {
    let covered: BTreeSet<String> = bad_files().iter().map(|p| promised(p)).collect();
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|c| c.word())
        .filter(|w| !covered.contains(*w) && !TOO_LARGE_TO_KEEP.contains(w))
        .collect();
    assert!(
        missing.is_empty(),
        "codes without a file under tests/data/bad: {missing:?}"
    );
    for path in files(&data().join("bad")) {
        let partner = path.with_extension(if path.extension().unwrap() == "ir" {
            "err"
        } else {
            "ir"
        });
        assert!(
            partner.exists() || path.ends_with("README.md"),
            "{} stands alone",
            short(&path)
        );
    }
}

/// Messages speak of the file, quote it and end with what to do; nothing in them acts on a
/// terminal.
#[test]
fn messages_keep_their_shape() {
    for path in files(&data().join("bad"))
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "err"))
    {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let first = text
            .lines()
            .next()
            .unwrap_or_else(|| panic!("{}: no message", short(path)));
        let place = first.strip_prefix("warning: ").unwrap_or(first);
        assert!(
            place.starts_with(&format!("{name}.ir:")),
            "{}: {first}",
            short(path)
        );
        assert!(
            !first.ends_with('.'),
            "{}: ends with a dot: {first}",
            short(path)
        );
        let lower = first.to_lowercase();
        assert!(
            !lower.contains("invalid") && !lower.contains("please"),
            "{}: {first}",
            short(path)
        );
        let acts =
            |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
        assert!(
            !text.contains(acts),
            "{}: raw control characters",
            short(path)
        );
        let warning = severity(&promised(path)) == Severity::Warning;
        let helps = text.lines().any(|l| l.trim_start().starts_with("hint:"))
            || first.contains("open the plan instead");
        assert!(helps || warning, "{}: no hint", short(path));
        assert_eq!(
            first.starts_with("warning: "),
            warning,
            "{}: {first}",
            short(path)
        );
    }
}
