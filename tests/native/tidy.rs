//! The rules of `ARCHITECTURE.md` that a text search can check: who may use whom, which crate may
//! appear where, and the habits of every file.

use std::path::{Path, PathBuf};

use crate::support::{files, short};

/// Modules of the library by level: a module may use those of lower levels, and itself.
const LEVELS: &[(&str, u32)] = &[
    ("units", 0),
    ("sorting", 0),
    ("model", 1),
    ("parse", 2),
    ("analysis", 2),
    ("report", 3),
    ("engine", 4),
    ("cli", 5),
    ("web", 5),
];

/// Crates (and parts of the standard library) with the places they may be named in.
const PLACES: &[(&str, &[&str])] = &[
    ("nom", &["src/parse/"]),
    (
        "memchr",
        &[
            "src/parse/",
            "src/report/results/csv.rs",
            "src/web/bench.rs",
        ],
    ),
    ("plotters", &["src/report/chart/", "src/web/"]),
    ("plotters_canvas", &["src/web/"]),
    (
        "serde",
        &[
            "src/report/json.rs",
            "src/report/json/",
            "src/engine/",
            "src/web/message.rs",
            "src/web/mod.rs",
        ],
    ),
    ("serde_json", &["src/report/json.rs", "src/engine/"]),
    ("base64", &["src/engine/share/"]),
    ("clap", &["src/cli/"]),
    ("ctrlc", &["src/cli/"]),
    ("web_sys", &["src/web/"]),
    ("js_sys", &["src/web/"]),
    ("wasm_bindgen", &["src/web/"]),
    ("std::fs", &["src/cli/", "src/bin/"]),
    ("std::env", &["src/cli/", "src/bin/"]),
    ("std::thread", &["src/cli/", "src/bin/"]),
    ("std::process", &["src/cli/", "src/bin/"]),
    ("std::time", &["src/cli/", "src/bin/"]),
    ("println!", &["src/cli/", "src/bin/"]),
    ("eprintln!", &["src/cli/", "src/bin/"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Rust files below a folder, with their names as `src/…` and their text.
fn rust(folder: &str) -> Vec<(String, String)> {
    let dir = root().join(folder);
    let paths: Vec<PathBuf> = if dir.is_dir() { files(&dir) } else { vec![] };
    paths
        .into_iter()
        .filter(|p| p.extension().is_some_and(|e| e == "rs") && !short(p).contains("/target/"))
        .map(|p| {
            (
                short(&p).replace('\\', "/"),
                std::fs::read_to_string(&p).unwrap(),
            )
        })
        .collect()
}

/// The lines of a file without comments and without its tests, with their numbers.
fn code(text: &str) -> Vec<(usize, &str)> {
    let end = text.find("\n#[cfg(test)]\nmod tests").unwrap_or(text.len());
    let lines = text[..end].lines().enumerate();
    lines
        .map(|(i, l)| (i + 1, l))
        .filter(|(_, l)| !l.trim_start().starts_with("//"))
        .collect()
}

fn is_test_file(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/")
}

/// The module of the library a file belongs to.
fn module(name: &str) -> Option<&str> {
    let rest = name.strip_prefix("src/")?;
    let first = rest.split('/').next()?.trim_end_matches(".rs");
    LEVELS.iter().any(|(m, _)| *m == first).then_some(first)
}

fn level(module: &str) -> Option<u32> {
    LEVELS.iter().find(|(m, _)| *m == module).map(|(_, l)| *l)
}

/// Names that follow `crate::` in a line: one, or those in braces.
fn used(line: &str) -> Vec<&str> {
    let word = |s: &'_ str| {
        s.chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .map(char::len_utf8)
            .sum::<usize>()
    };
    let mut out = Vec::new();
    for (at, _) in line.match_indices("crate::") {
        let rest = &line[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(inner) => out.extend(inner.split(',').map(|p| &p.trim()[..word(p.trim())])),
            None => out.push(&rest[..word(rest)]),
        }
    }
    out
}

/// Whether `word` stands in `line` as a word of its own.
fn names(line: &str, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    line.match_indices(word).any(|(at, _)| {
        edge(line[..at].chars().next_back())
            && (word.ends_with('!') || edge(line[at + word.len()..].chars().next()))
    })
}

#[track_caller]
fn none(what: &str, wrong: Vec<String>) {
    assert!(wrong.is_empty(), "{what}:\n{}", wrong.join("\n"));
}

#[test]
fn modules_use_lower_levels_only() {
    assert_eq!(used("use crate::{model::Plan, units};"), ["model", "units"]);
    assert_eq!(used("    crate::report::names::display(x)"), ["report"]);
    let mut wrong = Vec::new();
    for (name, text) in rust("src") {
        let Some(own) = module(&name) else {
            continue;
        };
        for (line, content) in code(&text) {
            for other in used(content).into_iter().filter(|o| *o != own) {
                if let (Some(a), Some(b)) = (level(own), level(other)) {
                    if a <= b {
                        wrong.push(format!(
                            "{name}:{line}: {own} (level {a}) uses {other} (level {b})"
                        ));
                    }
                }
            }
        }
    }
    none("levels", wrong);
}

#[test]
fn crates_stay_where_they_belong() {
    assert!(
        names("use nom::branch;", "nom")
            && !names("let nominal = 1;", "nom")
            && !names("serde_json::x", "serde")
    );
    let mut wrong = Vec::new();
    for (name, text) in rust("src") {
        for (line, content) in code(&text) {
            for (word, places) in PLACES {
                if names(content, word) && !places.iter().any(|p| name.starts_with(p)) {
                    wrong.push(format!(
                        "{name}:{line}: {word} belongs to {places:?}: {}",
                        content.trim()
                    ));
                }
            }
            let gate = content.contains("target_arch") || content.contains("target_family");
            if gate
                && !name.starts_with("src/web/")
                && name != "src/lib.rs"
                && !name.starts_with("src/bin/")
            {
                wrong.push(format!(
                    "{name}:{line}: asks for the target: {}",
                    content.trim()
                ));
            }
        }
    }
    none("crates", wrong);
}

#[test]
fn the_model_is_not_serializable() {
    let files = rust("src")
        .into_iter()
        .filter(|(n, _)| n.starts_with("src/model") || n == "src/units.rs");
    let wrong = files
        .filter(|(_, t)| t.contains("Serialize"))
        .map(|(n, _)| n)
        .collect();
    none("model types promise nothing to others", wrong);
}

#[test]
fn every_module_says_what_it_is() {
    let mut wrong = Vec::new();
    for (name, text) in ["src", "tests", "benches", "xtask", "fuzz"]
        .iter()
        .flat_map(|f| rust(f))
    {
        if !text.starts_with("//!") {
            wrong.push(format!("{name}: does not start with //!"));
        }
        if text.lines().any(|l| l.ends_with([' ', '\t'])) {
            wrong.push(format!("{name}: blanks at a line end"));
        }
        if text.contains("\t") {
            wrong.push(format!("{name}: a tab"));
        }
    }
    none("module headers", wrong);
}

#[test]
fn what_reads_foreign_bytes_does_not_panic() {
    let mut wrong = Vec::new();
    for (name, text) in rust("src").into_iter().filter(|(n, _)| !is_test_file(n)) {
        if !["src/parse/", "src/engine/", "src/web/"]
            .iter()
            .any(|p| name.starts_with(p))
        {
            continue;
        }
        for (line, content) in code(&text) {
            for word in [
                ".unwrap()",
                ".expect(",
                "panic!",
                "unreachable!",
                "todo!",
                "unimplemented!",
            ] {
                if content.contains(word) {
                    wrong.push(format!("{name}:{line}: {word} in {}", content.trim()));
                }
            }
        }
    }
    none("panics", wrong);
}

#[test]
fn files_stay_readable() {
    let mut wrong = Vec::new();
    for (name, text) in ["src", "tests", "benches", "xtask", "fuzz"]
        .iter()
        .flat_map(|f| rust(f))
    {
        let end = text.find("\n#[cfg(test)]\nmod tests").unwrap_or(text.len());
        let lines = text[..end].lines().count();
        if lines > 600 {
            wrong.push(format!("{name}: {lines} lines"));
        }
    }
    none("at most 600 lines without tests", wrong);
}

#[test]
fn what_a_project_must_have_is_there() {
    let needed = [
        "Cargo.toml",
        "Trunk.toml",
        "index.html",
        "README.md",
        "README.zh.md",
        "ARCHITECTURE.md",
        "docs/data-handling.md",
        "LICENSE",
        "src",
        "static",
        "tests",
    ];
    let wrong = needed
        .iter()
        .filter(|f| !root().join(f).exists())
        .map(|f| f.to_string())
        .collect();
    none("missing at the top level", wrong);
}

#[test]
fn the_page_has_no_inline_script_or_style() {
    let Ok(html) = std::fs::read_to_string(root().join("index.html")) else {
        return;
    };
    let lower = html.to_lowercase();
    let mut wrong = Vec::new();
    for (at, _) in lower.match_indices("<script") {
        let tag = &lower[at..at + lower[at..].find('>').unwrap_or(0)];
        if !tag.contains("src=") {
            wrong.push(format!("inline script: {tag}"));
        }
    }
    for word in ["<style", " style=", "javascript:", "http-equiv=\"refresh"] {
        if lower.contains(word) {
            wrong.push(word.to_string());
        }
    }
    for (at, _) in lower.match_indices(" on") {
        let rest = &lower[at + 1..];
        let attribute = rest
            .split(|c: char| !c.is_ascii_alphabetic())
            .next()
            .unwrap();
        if rest[attribute.len()..].starts_with("=\"") {
            wrong.push(format!("event attribute {attribute}"));
        }
    }
    none("index.html", wrong);
}

/// Paths in backticks or as link targets: the first part must exist at the top level.
fn mentioned(text: &str) -> Vec<String> {
    let quoted = text.lines().flat_map(|l| l.split('`').skip(1).step_by(2));
    let links = text.split("](").skip(1).filter_map(|r| r.split(')').next());
    let is_path = |p: &&str| {
        let plain = p
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
        let shaped = p.contains('/')
            || [".md", ".toml", ".html", ".rs"]
                .iter()
                .any(|e| p.ends_with(e));
        plain && shaped && !p.starts_with(['/', '.', '-']) && !p.contains("//")
    };
    quoted
        .chain(links)
        .filter(is_path)
        .map(String::from)
        .collect()
}

#[test]
fn documents_name_paths_that_exist() {
    assert_eq!(
        mentioned("see `src/parse` and [x](docs/a.md), not `a b/c` or `-cn/x`"),
        ["src/parse", "docs/a.md"]
    );
    let folders = ["src", "tests", "benches", "static", "xtask", "fuzz"];
    let mut wrong = Vec::new();
    for document in [
        "README.md",
        "README.zh.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "docs/data-handling.md",
    ] {
        let text = std::fs::read_to_string(root().join(document)).unwrap_or_default();
        for path in mentioned(&text) {
            let first = path.split('/').next().unwrap();
            let ours = folders.contains(&first) || !path.contains('/');
            // Names of modules stand without `src/`.
            let exists = root().join(&path).exists() || root().join("src").join(&path).exists();
            // A file of the finished page.
            let made = path.ends_with(".ir") || path == "somascope.html";
            if ours && !exists && !made {
                wrong.push(format!("{document}: {path}"));
            }
        }
    }
    none("paths that do not exist", wrong);
}
