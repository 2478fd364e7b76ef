//! The command line among people and other programs: a terminal, Ctrl-C, a closed pipe, words in two languages, and
//! spreadsheets that open what it writes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::support::{command, data, files, python, scratch};

fn ascend() -> PathBuf {
    data().join("dumps/ascend_like_sample/Ascend_somas_tensor_offset_1.ir")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A question about every node: thousands of files.
fn every_node() -> Vec<String> {
    (0..700)
        .flat_map(|n| ["-cn".to_owned(), format!("${n}")])
        .collect()
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_half_written() {
    let root = scratch("stopped");
    let out = root.join("deep/results");
    let mut child = command()
        .args(["-s".as_ref(), ascend().as_os_str()])
        .args(["-o".as_ref(), out.as_os_str()])
        .args(every_node())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // In the middle of writing.
    while !out.is_dir() || files(&out).len() < 20 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::yield_now();
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    assert!(
        text(&done.stderr).contains("stopped"),
        "{}",
        text(&done.stderr)
    );
    assert_eq!(files(&root), Vec::<PathBuf>::new());
    assert!(!root.join("deep").exists(), "the folders it made are gone");
    // Over earlier results: they are as they were.
    let write = |more: &[String]| {
        let mut run = command();
        run.args(["-s".as_ref(), ascend().as_os_str()]);
        run.args(["-o".as_ref(), out.as_os_str()]).args(more);
        run.stdout(Stdio::null()).stderr(Stdio::null());
        run
    };
    assert_eq!(write(&[]).status().unwrap().code(), Some(0));
    let state = |dir: &Path| -> Vec<(PathBuf, Vec<u8>)> {
        let read = |p: PathBuf| {
            let bytes = std::fs::read(&p).unwrap();
            (p, bytes)
        };
        files(dir).into_iter().map(read).collect()
    };
    let before = state(&out);
    let mut child = write(&every_node()).spawn().unwrap();
    while files(&out).len() < before.len() + 20 {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::yield_now();
    }
    let stop = ["-TERM", &child.id().to_string()].map(String::from);
    assert!(Command::new("kill").args(stop).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(state(&out), before);
}

/// Whoever reads has seen enough: that is done, not failed.
#[test]
fn a_closed_pipe_is_fine() {
    for flags in [&["--json"][..], &[], &["--help"]] {
        let mut child = command()
            .args(["-s".as_ref(), ascend().as_os_str()])
            .args(["-o".as_ref(), scratch("pipe").as_os_str()])
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "{flags:?}");
        assert_eq!(text(&done.stderr), "", "{flags:?}");
    }
}

/// Runs the command line on a terminal of its own; what that shows, standard output and error.
fn on_a_terminal(python: &str, vars: &[(&str, &str)], args: &[String]) -> Output {
    const SCRIPT: &str = "
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
out = b''
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    out += piece
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";
    Command::new(python)
        .args(["-c", SCRIPT, env!("CARGO_BIN_EXE_somascope")])
        .args(args)
        .env("LC_ALL", "C")
        .env("TERM", "xterm")
        .env_remove("NO_COLOR")
        .envs(vars.iter().copied())
        .output()
        .unwrap()
}

#[cfg(unix)]
#[test]
fn colours_are_for_terminals_whose_user_wants_them() {
    let Some(python) = python("what a terminal shows") else {
        return;
    };
    let args = |out: &Path| {
        let path = |p: &Path| p.display().to_string();
        vec!["-s".to_owned(), path(&ascend()), "-o".to_owned(), path(out)]
    };
    let shown = |vars: &[(&str, &str)]| {
        let done = on_a_terminal(python, vars, &args(&scratch("colours")));
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
        text(&done.stdout)
    };
    assert!(shown(&[]).contains("\u{1b}[32msafe"));
    for unwanted in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        assert!(!shown(&[unwanted]).contains("\u{1b}[3"), "{unwanted:?}");
    }
    let piped = command().args(args(&scratch("colours"))).output().unwrap();
    assert!(!piped.stdout.contains(&0x1b) && piped.stderr.is_empty());
}

/// What takes long says how far it is, on a terminal only, and leaves nothing of that behind. The
/// dump comes through a pipe that is fed until progress is seen, however fast the machine is.
#[cfg(unix)]
#[test]
fn progress_is_for_terminals_and_goes_away() {
    let Some(python) = python("progress on a terminal") else {
        return;
    };
    const SCRIPT: &str = "
import os, pty, select, sys
binary, dump, pipe, out = sys.argv[1:]
os.mkfifo(pipe)
pid, fd = pty.fork()
if pid == 0:
    os.execv(binary, [binary, '-s', pipe, '-o', out])
shown = b''
def look(patience):
    global shown
    if not select.select([fd], [], [], patience)[0]:
        return True
    try:
        piece = os.read(fd, 65536)
    except OSError:
        return False
    shown += piece
    return bool(piece)
with open(dump, 'rb') as file, open(pipe, 'wb', buffering=0) as feed:
    for line in file:
        feed.write(line)
        if b'reading' not in shown:
            look(0.05)
while look(None):
    pass
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
";
    let pipe = scratch("progress").join("Ascend_somas_tensor_offset_1.ir");
    let done = Command::new(python)
        .args(["-c", SCRIPT, env!("CARGO_BIN_EXE_somascope")])
        .args([&ascend(), &pipe, &scratch("progress_out")])
        .env("LC_ALL", "C")
        .env("TERM", "xterm")
        .output()
        .unwrap();
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    let shown = text(&done.stdout);
    // Each state is written over the one before it.
    let state = |s: &str| s.starts_with("reading Ascend_somas_tensor_offset_1.ir: ");
    let states: Vec<&str> = shown.split('\r').filter(|s| state(s)).collect();
    assert!(!states.is_empty(), "{shown}");
    for state in &states {
        let text = state.strip_suffix("\u{1b}[K");
        assert!(text.is_some_and(|t| t.chars().count() <= 76), "{state}");
    }
    // The line is empty again before the results are told.
    let last = shown.rfind("reading ").unwrap_or(0);
    let emptied = shown[last..].find("\r\u{1b}[K").map(|at| at + last);
    let results = shown.find("planned total");
    assert!(emptied.is_some() && emptied < results, "{shown}");
    // Through a pipe nothing of it is there, as other tests see on every run.
}

#[test]
fn what_was_typed_wrong_is_said_in_the_users_language() {
    let is_han = |c: char| ('\u{4e00}'..='\u{9fff}').contains(&c);
    for args in [
        &["--nonsense"][..],
        &["-s"],
        &["--json"],
        &["-s", "no/such/file.ir"],
        &["-s", "a.ir", "-ca"],
        &["-s", "a.ir", "--device-memory", "much"],
    ] {
        for locale in ["zh_CN.UTF-8", "en_GB.UTF-8"] {
            let done = command().env("LC_ALL", locale).args(args).output().unwrap();
            let status = if args[1..].contains(&"no/such/file.ir") {
                2
            } else {
                1
            };
            assert_eq!(done.status.code(), Some(status), "{args:?}");
            let said = text(&done.stderr);
            assert_eq!(said.contains(is_han), locale.starts_with("zh"), "{said}");
            if locale.starts_with("zh") {
                let plain = |w: &str| w.chars().all(|c| c.is_ascii_lowercase()) && w.len() > 3;
                let english = said.split(' ').filter(|w| plain(w)).count();
                assert_eq!(english, 0, "{said}");
            }
        }
    }
    let help = |locale: &str| {
        let done = command()
            .env("LC_ALL", locale)
            .arg("--help")
            .output()
            .unwrap();
        text(&done.stdout)
    };
    assert!(help("zh_CN.UTF-8").contains("示例") && !help("C").contains(is_han));
    for locale in ["zh_CN.UTF-8", "C"] {
        assert!(help(locale).contains("somascope -s run_folder --json"));
    }
}

/// Tables of a plan whose names try everything.
fn tables() -> PathBuf {
    let out = scratch("opened");
    let dump = data().join("samples/quirks/CPU_somas_tensor_offset_7.ir");
    let done = command()
        .args(["-s".as_ref(), dump.as_os_str()])
        .args(["-o".as_ref(), out.as_os_str()])
        .output()
        .unwrap();
    assert!(done.status.code() != Some(1), "{}", text(&done.stderr));
    out
}

#[allow(clippy::print_stderr)] // A test that is left out must say so.
#[test]
fn pandas_opens_every_table() {
    let Some(python) = python("tables in pandas") else {
        return;
    };
    let has = Command::new(python).args(["-c", "import pandas"]).output();
    if !has.is_ok_and(|o| o.status.success()) {
        eprintln!("SKIPPED, no pandas on this machine: tables in pandas");
        return;
    }
    const SCRIPT: &str = "
import csv, sys, pandas
for name in sys.argv[1:]:
    table = pandas.read_csv(name)
    with open(name, encoding='utf-8-sig', newline='') as file:
        rows = list(csv.reader(file))
    assert len(table) == len(rows) - 1, (name, len(table), len(rows))
    assert list(table.columns)[1:] == rows[0][1:], (name, list(table.columns))
";
    let tables: Vec<PathBuf> = files(&tables())
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "csv"))
        .collect();
    assert!(tables.len() >= 4);
    let done = Command::new(python)
        .args(["-c", SCRIPT])
        .args(&tables)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", text(&done.stderr));
}

#[allow(clippy::print_stderr)]
#[test]
fn libreoffice_opens_every_table() {
    let found = ["soffice", "libreoffice"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|o| o.status.success())
    });
    let Some(office) = found else {
        eprintln!("SKIPPED, no LibreOffice on this machine: tables in LibreOffice");
        return;
    };
    let (from, to) = (tables(), scratch("office"));
    // Read as UTF-8 with commas (44, 34, 76) and written the same way.
    let filter = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true";
    for name in [
        "graph_nodes.csv",
        "graph_tensors.csv",
        "graph_parameters.csv",
    ] {
        let done = Command::new(office)
            .arg(format!(
                "-env:UserInstallation=file://{}/profile",
                to.display()
            ))
            .args([
                "--headless",
                "--infilter=CSV:44,34,76,1",
                "--convert-to",
                filter,
            ])
            .arg("--outdir")
            .arg(&to)
            .arg(from.join(name))
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
        let rows = |path: PathBuf| {
            let bytes = std::fs::read(path).unwrap();
            let plain = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
            let mut reader = csv::ReaderBuilder::new()
                .has_headers(false)
                .flexible(true)
                .from_reader(plain);
            reader.records().count()
        };
        assert_eq!(rows(to.join(name)), rows(from.join(name)), "{name}");
    }
}
