//! Names that would act somewhere: as markup, code, escape sequences, formulas, or by their mere
//! length. Every way out of the command line and the link shows them as text.

use std::ffi::OsString;
use std::path::Path;

use somascope::engine::share::{decode, markdown, preview, NameMode, ShareRequest};
use somascope::engine::{Request, Response, Session};
use somascope::report::names::{display, last_part};
use somascope::report::text::Lang;

use crate::results::{ascend, ask, lenet, text};
use crate::support::{files, json_of, raw, run, scratch, scratch_file};

const NAMES: &[&str] = &[
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)<\\script>",
    "\"'><svg onload=alert(1)>",
    "&lt;b&gt;`code`|a|b\\|c",
    "**[x](http://a)** @someone #1",
    "=cmd|' C'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "a\u{202e}gpj.exe",
    "\u{1b}[31mred\u{7}\u{0}",
    "\u{1b}]0;title\u{7}\u{1b}[2J",
    "z\u{200b}w\u{feff}",
    "\u{9b}31m",
    "a\"b,c;d",
    "网络\u{1f4a9}e\u{301}",
];

/// The node with the most in use of LeNet.
fn peak_node() -> String {
    let summary = json_of(&lenet(), &[]);
    summary["max_in_use"]["node"].as_str().unwrap().to_owned()
}

/// LeNet with another name for that node.
fn renamed(peak: &str, name: &str) -> Vec<u8> {
    let dump = String::from_utf8(raw(&lenet())).unwrap();
    assert!(dump.contains(peak));
    dump.replace(peak, name).into_bytes()
}

fn acts(c: char) -> bool {
    (c.is_control() && c != '\n')
        || ('\u{200b}'..='\u{200f}').contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2066}'..='\u{2069}').contains(&c)
        || c == '\u{feff}'
}

#[track_caller]
fn acts_nowhere(what: &str, text: &str) {
    let found = text.char_indices().find(|(_, c)| acts(*c));
    if let Some((at, c)) = found {
        let from = text[..at].rfind('\n').unwrap_or(0);
        let line: String = text[from..].chars().take(200).collect();
        panic!("{what}: {c:?} in {line:?}");
    }
}

/// Checks a folder of results: tables have as many cells in every row, none is a formula, and
/// nothing acts.
fn check_results(dir: &Path, name: &str) {
    for path in files(dir) {
        let bytes = raw(&path);
        let file = format!("{}, {:?}", path.display(), display(name.as_bytes()));
        acts_nowhere(&file, &path.to_string_lossy());
        if path.extension().is_some_and(|e| e == "png") {
            continue;
        }
        let content = text(&bytes);
        let content = content.strip_prefix('\u{feff}').unwrap_or(&content);
        acts_nowhere(&file, content);
        if path.extension().is_some_and(|e| e == "csv") {
            let mut reader = csv::ReaderBuilder::new().from_reader(content.as_bytes());
            for row in reader.records() {
                for cell in &row.unwrap_or_else(|e| panic!("{file}: {e}")) {
                    let number = cell.parse::<i64>().is_ok();
                    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                    assert!(!formula || number, "{file}: the cell {cell:?}");
                }
            }
        }
    }
}

#[test]
fn files_and_terminal_show_them_as_text() {
    let peak = peak_node();
    for name in NAMES {
        let path = scratch_file("CPU_somas_tensor_offset_0.ir", &renamed(&peak, name));
        let dir = scratch("hostile");
        let shown = display(name.as_bytes());
        let output = ask(&[&"-s", &path, &"-ct", &"1", &"-o", &dir]);
        acts_nowhere(&shown, &text(&output.stdout));
        acts_nowhere(&shown, &text(&output.stderr));
        assert_eq!(
            output.status.code(),
            Some(0),
            "{shown}: {}",
            text(&output.stderr)
        );
        check_results(&dir, name);
        // Each kind of question, as files and as JSON, whose one line a terminal may show as well.
        for more in [&["--json"][..], &[]] {
            let asked = ["-ct", "1", "-ca", "0x0", "-cn", "$4", "-s"];
            let mut args: Vec<OsString> = asked.map(OsString::from).to_vec();
            args.push(path.clone().into());
            args.extend(more.iter().map(OsString::from));
            let output = run(args);
            assert_eq!(output.status.code(), Some(0), "{shown}");
            acts_nowhere(&shown, &text(&output.stdout));
            acts_nowhere(&shown, &text(&output.stderr));
        }
        let summary = json_of(&path, &[]);
        assert_eq!(summary["max_in_use"]["node"].as_str(), Some(shown.as_str()));
        // A question about a node that is not there lists near matches.
        let output = ask(&[&"-s", &path, &"-cn", &format!("{name}x").replace('\0', "")]);
        assert_eq!(output.status.code(), Some(1), "{shown}");
        acts_nowhere(&shown, &text(&output.stderr));
        // An error quotes the line.
        let broken = text(&raw(&path)).replacen("\t#", "\t?", 3);
        let broken = scratch_file("CPU_somas_tensor_offset_0.ir", broken.as_bytes());
        let output = ask(&[&"-s", &broken]);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        acts_nowhere(&shown, &text(&output.stderr).replace('\t', " "));
        let output = ask(&[&"-s", &broken, &"--partial", &"-o", &scratch("hostile")]);
        acts_nowhere(&shown, &text(&output.stdout));
        acts_nowhere(&shown, &text(&output.stderr).replace('\t', " "));
    }
}

/// A dump with hazards and task info with faults beside it, every node called by a name that would
/// act.
fn all_renamed() -> (Vec<u8>, Vec<u8>) {
    let read = |name: &str| String::from_utf8(raw(&ascend(name))).unwrap();
    let (dump, info) = (
        read("Ascend_somas_tensor_offset_2.ir"),
        read("task_info_faults_1.ir"),
    );
    let rename = |content: &str| {
        let number = |word: &str| word.rsplit_once("-op")?.1.parse::<usize>().ok();
        let word = |word: &str| match number(word) {
            Some(n) => format!("Default/{}-op{n}", NAMES[n % NAMES.len()]),
            None => word.to_owned(),
        };
        let line = |line: &str| {
            let words = line.split('\t').map(|w| match w.strip_prefix("op_name:") {
                Some(name) => format!("op_name:{}", word(name)),
                None => word(w),
            });
            words.collect::<Vec<_>>().join("\t")
        };
        let lines = content.split('\n').map(line);
        lines.collect::<Vec<_>>().join("\n").into_bytes()
    };
    (rename(&dump), rename(&info))
}

#[test]
fn hazards_findings_and_tasks_show_them_as_text() {
    let (dump, info) = all_renamed();
    let dir = scratch("hostile");
    let path = dir.join("Ascend_somas_tensor_offset_2.ir");
    let tasks = dir.join("task_info_graph_2.ir");
    std::fs::write(&path, dump).unwrap();
    std::fs::write(&tasks, info).unwrap();
    let out = scratch("hostile");
    let output = ask(&[&"-s", &path, &"-t", &tasks, &"-o", &out]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    acts_nowhere("hazards", &said);
    check_results(&out, "hazards");
    let names: Vec<String> = files(&out)
        .iter()
        .map(|p| p.to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().any(|n| n.contains("overwrite")), "{names:?}");
    let log = files(&out)
        .into_iter()
        .find(|p| p.ends_with("MemoryAnalyze.log"));
    let log = text(&raw(&log.unwrap()));
    assert!(log.contains("onerror"), "no such name in the log");
    let output = ask(&[&"-s", &path, &"-t", &tasks, &"--json"]);
    acts_nowhere("hazards in JSON", &text(&output.stdout));
}

/// Names that a file may have.
#[cfg(unix)]
fn file_names() -> impl Iterator<Item = String> {
    let names = NAMES.iter().map(|n| n.replace('\0', "").replace('/', "_"));
    // What `OsStr` holds need not be a text; a line end splits what is printed.
    names.chain(["a\nb\r\n::error::c".to_owned()])
}

#[test]
#[cfg(unix)]
fn files_and_folders_are_called_by_text() {
    let root = scratch("hostile-folder");
    let lenet = raw(&lenet());
    for (i, name) in file_names().enumerate() {
        let shown = display(name.as_bytes());
        let dir = root.join(&name).join(format!("rank_{i}"));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("CPU_somas_tensor_offset_0.ir"), &lenet).unwrap();
        std::fs::write(dir.join(format!("{name}.ir")), &lenet[..lenet.len() / 3]).unwrap();
        std::fs::write(dir.join(format!("{name}.txt")), "nothing to read").unwrap();
        let alone = root.join(&name).join(format!("{name}.ir"));
        std::fs::write(&alone, &lenet).unwrap();
        let out = scratch("hostile");
        let output = ask(&[&"-s", &alone, &"-o", &out]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        acts_nowhere(&shown, &said);
        check_results(&out, &name);
        for missing in [format!("{name}x"), format!("{name}/x.ir")] {
            let output = ask(&[&"-s", &root.join(missing)]);
            assert_eq!(output.status.code(), Some(2), "{shown}");
            acts_nowhere(&shown, &text(&output.stderr));
            assert_eq!(
                text(&output.stderr).trim_end().lines().count(),
                1,
                "{shown}"
            );
        }
    }
    for more in [&["--json"][..], &["-o"]] {
        let out = scratch("hostile");
        let mut args: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"-s", &root];
        args.extend(more.iter().map(|m| m as &dyn AsRef<std::ffi::OsStr>));
        if more[0] == "-o" {
            args.push(&out);
        }
        let output = ask(&args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        acts_nowhere("folder", &said);
        assert!(said.contains("onerror"), "{said}");
        if more[0] == "--json" {
            // Escaped, and still the very name.
            let names = text(&output.stdout);
            let mut names = names.lines().map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["file"]["name"].as_str().unwrap().to_owned()
            });
            assert!(names.any(|n| n.contains("a\u{202e}gpj.exe")), "{said}");
        }
        assert!(!said.contains("\n::error"), "{said}");
    }
}

#[test]
fn links_and_their_words_show_them_as_text() {
    let peak = peak_node();
    for name in NAMES {
        let bytes = renamed(&peak, &format!("Default/{name}-op1"));
        let shown = display(name.as_bytes());
        let all = said(&bytes);
        assert!(
            all.iter().any(|text| text.contains(last_part(&shown))),
            "{shown}: nowhere"
        );
        all.iter().for_each(|text| acts_nowhere(&shown, text));
    }
}

/// Everything that links to a dump say, after the way through the address.
fn said(bytes: &[u8]) -> Vec<String> {
    let mut session = Session::new();
    let mut reader = session.begin_file("x.ir", 0, false);
    reader.push(bytes);
    let graph = session.end_file(reader).unwrap();
    let mut out = Vec::new();
    for names in NameMode::ALL {
        let request = ShareRequest {
            graph,
            names,
            ..ShareRequest::default()
        };
        let Response::Share(link) = session.answer(&Request::Share(request)) else {
            panic!("no link");
        };
        assert!(link.len() <= 8000, "{}", link.len());
        let shared = decode(&link).unwrap();
        for lang in [Lang::En, Lang::Zh] {
            for line in preview(&shared, lang) {
                out.push(line.value);
            }
            out.push(markdown(&shared, "https://host/#s=AQ", lang));
        }
    }
    out
}

#[test]
fn a_name_of_a_megabyte_is_borne() {
    let peak = peak_node();
    for name in [
        "x".repeat(1 << 20),
        "\u{202e}参".repeat(1 << 18),
        "a/".repeat(1 << 19),
        "=\u{1b}[2J`|".repeat(1 << 17),
    ] {
        let bytes = renamed(&peak, &format!("Default/{name}-op1"));
        said(&bytes);
        let path = scratch_file("CPU_somas_tensor_offset_0.ir", &bytes);
        let dir = scratch("hostile");
        let output = ask(&[&"-s", &path, &"-o", &dir]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        acts_nowhere("stdout", &text(&output.stdout));
        check_results(&dir, "long");
    }
}
