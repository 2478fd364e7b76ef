//! How does a chore run a command, and what does the person at the terminal see of it?

use std::fmt;
use std::fs::{self, File};
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Why a chore stopped, in words for the person who started it.
#[derive(Debug)]
pub struct Failure(pub String);

pub type Result<T> = std::result::Result<T, Failure>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Failure(error.to_string())
    }
}

/// The folder of the workspace.
pub fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_path_buf()
}

/// Where cargo builds; everything a chore makes on the way lies in there too.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The cargo on PATH, in the workspace folder.
pub fn cargo() -> Command {
    command("cargo")
}

/// A command that starts in the workspace folder.
pub fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// A line that holds one step and, once known, its outcome.
pub struct Step {
    started: Instant,
}

impl Step {
    /// Prints `area    what … ` and leaves the line open.
    pub fn begin(area: &str, what: &str) -> Step {
        print!("{area:<7} {what} … ");
        let _ = std::io::stdout().flush();
        Step {
            started: Instant::now(),
        }
    }

    /// Adds to the open line, for a step that turns out to take long.
    pub fn note(&self, text: &str) {
        print!("{text} … ");
        let _ = std::io::stdout().flush();
    }

    /// Ends the line with an outcome.
    pub fn end(self, outcome: &str) {
        println!("{outcome}");
    }

    /// Ends the line with an outcome and the time it took.
    pub fn end_timed(self, outcome: &str) {
        println!("{outcome} ({})", seconds(self.started.elapsed()));
    }
}

fn seconds(time: Duration) -> String {
    let s = time.as_secs_f64();
    if s < 60.0 {
        format!("{s:.1} s")
    } else {
        format!("{} min {:02} s", time.as_secs() / 60, time.as_secs() % 60)
    }
}

/// Runs a command with its output in `target/xtask/<name>.log`; a failure carries the end of that log.
pub fn logged(command: &mut Command, name: &str) -> Result<()> {
    let log = log_path(name)?;
    let shown = shown(command);
    let mut file = File::create(&log)?;
    writeln!(file, "$ {shown}")?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    let status = command.status().map_err(|e| not_started(&shown, &e))?;
    if status.success() {
        return Ok(());
    }
    Err(Failure(format!(
        "`{shown}` failed ({status}); the end of {}:\n{}",
        log.display(),
        tail(&log, 60)
    )))
}

/// What is in a log.
pub fn log_of(name: &str) -> Result<String> {
    Ok(std::fs::read_to_string(log_path(name)?)?)
}

/// Runs a command with its output on the terminal.
pub fn attached(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    let status = command.status().map_err(|e| not_started(&shown, &e))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure(format!("`{shown}` failed ({status})")))
    }
}

/// Runs a command and gives its standard output; errors go to the terminal.
pub fn captured(command: &mut Command) -> Result<String> {
    match output(command)? {
        (status, text) if status.success() => Ok(text),
        (status, text) => Err(Failure(format!(
            "`{}` failed ({status})\n{}",
            shown(command),
            text.trim_end()
        ))),
    }
}

/// Like [`captured`], for a program whose output counts even when it fails.
pub fn output(command: &mut Command) -> Result<(ExitStatus, String)> {
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command
        .output()
        .map_err(|e| not_started(&shown(command), &e))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok((output.status, text))
}

/// The first line a command prints, or nothing when it cannot be run: for cheap "is it there" questions.
pub fn probe(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    if !output.status.success() {
        return None;
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Some(text.lines().next().unwrap_or("").trim().to_owned())
}

/// Runs a command with its output in a log for at most `limit`; says whether it succeeded in time.
pub fn succeeds_within(command: &mut Command, name: &str, limit: Duration) -> Result<bool> {
    let file = File::create(log_path(name)?)?;
    command
        .stdin(Stdio::null())
        .stdout(file.try_clone()?)
        .stderr(file);
    let Ok(mut child) = command.spawn() else {
        return Ok(false);
    };
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}

/// Finds a program in a list of folders as PATH has it.
pub fn find_in(path: &std::ffi::OsStr, program: &str) -> Option<PathBuf> {
    std::env::split_paths(path)
        .map(|dir| dir.join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
        .find(|file| file.is_file())
}

/// Finds a program on PATH.
pub fn find(program: &str) -> Option<PathBuf> {
    find_in(&std::env::var_os("PATH")?, program)
}

/// The log file of a step.
fn log_path(name: &str) -> Result<PathBuf> {
    let dir = target_dir().join("xtask");
    fs::create_dir_all(&dir)?;
    Ok(dir.join(format!("{name}.log")))
}

/// The end of a log, without cargo's lines on what went well.
fn tail(file: &Path, lines: usize) -> String {
    const PROGRESS: [&str; 4] = ["Compiling", "Checking", "Downloading", "Downloaded"];
    let text = String::from_utf8_lossy(&fs::read(file).unwrap_or_default()).into_owned();
    let telling = |line: &&str| !PROGRESS.iter().any(|p| line.trim_start().starts_with(p));
    let all: Vec<&str> = text.lines().filter(telling).collect();
    let end = &all[all.len().saturating_sub(lines)..];
    end.iter().map(|line| format!("  | {line}\n")).collect()
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_started(shown: &str, error: &std::io::Error) -> Failure {
    Failure(format!("`{shown}` could not be started: {error}"))
}

/// Marks text as bad on a terminal that shows colours.
pub fn red(text: &str) -> String {
    if std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        format!("\x1b[31m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}
