//! A folder: all graphs below it, files in parallel, a table or one line a graph.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

use super::args::Args;
use super::input::{self, Failed};
use super::print::{self, print_err, print_out};
use super::run::{self, BAD_INPUT, BAD_USAGE, DONE, FOUND};
use super::terminal::Progress;
use super::work::{self, Stopped};
use crate::engine::{base_name, is_before_solver, name_order, place_of, Place};
use crate::parse::FileKind;
use crate::report::json::{self, Summary};
use crate::report::results::query::Unanswerable;
use crate::report::text::graphs as words;
use crate::report::text::terminal::{self, say, Say};
use crate::report::text::Lang;
use crate::report::{figure, graphs, names};

/// Where results go inside the folder.
const OUTPUT: &str = "somascope_results";

/// The files of one graph.
struct Job {
    /// The dump, by name below the folder.
    dump: String,
    /// Where its results go, below theirs.
    results: PathBuf,
    /// Task info of the same graph.
    tasks: Option<String>,
}

/// What became of a graph.
#[derive(Default)]
struct Outcome {
    name: String,
    status: u8,
    json: String,
    errors: Vec<String>,
    summary: Option<Summary>,
    found: u64,
    place: Place,
    unanswered: Vec<Unanswerable>,
    written: usize,
}

/// Runs over a folder; the value is the exit status.
pub(crate) fn run(args: &Args, lang: Lang) -> io::Result<u8> {
    let root = &args.dump;
    let output = args.output.clone();
    let output = output.or_else(|| (!args.json).then(|| root.join(OUTPUT)));
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    walk(
        root,
        "",
        output.as_deref(),
        &mut files,
        &mut unreadable,
        lang,
    );
    files.sort_by(|a, b| name_order(a, b));
    let jobs = jobs(root, &files, &mut unreadable, lang);
    if jobs.is_empty() && unreadable.is_empty() {
        let shown = super::output::shown(root);
        print_err(&say(Say::NoPlanInFolder, &[&shown], lang));
        return Ok(BAD_INPUT);
    }
    unreadable.iter().for_each(|line| print_err(line));
    let progress = Mutex::new((0, Progress::new(args.progress)));
    let outcomes = in_parallel(&jobs, |job| {
        let outcome = one(root, job, args, output.as_deref(), lang);
        if let Ok(mut progress) = progress.lock() {
            let (done, shown) = &mut *progress;
            *done += 1;
            let numbers = [done.to_string(), jobs.len().to_string()];
            shown.show(|| say(Say::Graphs, &[&numbers[0], &numbers[1]], lang));
        }
        outcome
    });
    drop(progress);
    let mut status = if unreadable.is_empty() {
        DONE
    } else {
        BAD_INPUT
    };
    for outcome in &outcomes {
        run::print_err_all(&outcome.errors);
        status = worse(status, outcome.status);
        if args.json {
            print_out(&outcome.json)?;
        }
    }
    // A name that no graph has.
    let unanswered = nowhere(&outcomes);
    if !unanswered.is_empty() {
        unanswered.iter().for_each(|u| print_err(&u.sentence(lang)));
        status = BAD_USAGE;
    }
    if !args.json {
        print_out(&table(&outcomes, lang))?;
        if let Some(dir) = &output {
            let count: usize = outcomes.iter().map(|o| o.written).sum();
            let dir = super::output::shown(dir);
            print_out(&(say(Say::Written, &[&count.to_string(), &dir], lang) + "\n"))?;
        }
    }
    Ok(status)
}

/// The more severe of two statuses: what could not be written, what could not be read, what was
/// found.
fn worse(a: u8, b: u8) -> u8 {
    let order = [BAD_USAGE, BAD_INPUT, FOUND];
    order
        .into_iter()
        .find(|s| *s == a || *s == b)
        .unwrap_or(DONE)
}

/// All files below a folder, by name relative to the first one, with `/`.
#[allow(clippy::disallowed_methods)]
fn walk(
    folder: &Path,
    lead: &str,
    output: Option<&Path>,
    files: &mut Vec<String>,
    unreadable: &mut Vec<String>,
    lang: Lang,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            unreadable.push(terminal::cannot_read(
                &super::output::shown(folder),
                &error,
                lang,
            ));
            return;
        }
    };
    for entry in entries.flatten() {
        let part = entry.file_name().to_string_lossy().into_owned();
        let name = if lead.is_empty() {
            part.clone()
        } else {
            format!("{lead}/{part}")
        };
        let path = entry.path();
        // Links to folders could lead in a circle.
        let is_folder = entry.file_type().is_ok_and(|t| t.is_dir());
        if is_folder {
            if part != OUTPUT && !part.starts_with('.') && output != Some(path.as_path()) {
                walk(&path, &name, output, files, unreadable, lang);
            }
        } else if path.is_file() {
            files.push(name);
        }
    }
}

/// Sorts files to graphs, by content.
fn jobs(root: &Path, files: &[String], unreadable: &mut Vec<String>, lang: Lang) -> Vec<Job> {
    // By graph; a dump whose name has no graph number is one of its own.
    let mut by_place: BTreeMap<(Place, usize), Vec<&String>> = BTreeMap::new();
    let mut tasks: Vec<(Place, &String)> = Vec::new();
    for name in files {
        let kind = match input::kind_of(&root.join(name)) {
            Ok(kind) => kind.unwrap_or(FileKind::Empty),
            Err(error) => {
                if looks_like_dump(name) {
                    let shown = names::display(name.as_bytes());
                    unreadable.push(terminal::cannot_read(&shown, &error, lang));
                }
                continue;
            }
        };
        let place = place_of(name);
        match kind {
            FileKind::TaskInfo => tasks.push((place, name)),
            // A dump whose first line is damaged is told by its name only.
            FileKind::Unknown | FileKind::Empty if !looks_like_dump(name) => {}
            FileKind::MainDump | FileKind::Unknown | FileKind::Empty => {
                let alone = match place.graph_id {
                    Some(_) => 0,
                    None => by_place.len(),
                };
                by_place.entry((place, alone)).or_default().push(name);
            }
            _ => {}
        }
    }
    let mut jobs: Vec<Job> = Vec::new();
    for ((place, _), dumps) in by_place {
        let own = |(at, _): &&(Place, &String)| place.graph_id.is_some() && *at == place;
        let tasks = tasks.iter().rfind(own).map(|(_, name)| (*name).clone());
        let plans = dumps.iter().filter(|name| !is_stage_name(name));
        let mut shown: Vec<&String> = plans.copied().collect();
        if shown.is_empty() {
            // What was written just before the solver ran knows most.
            let last = dumps.iter().find(|name| is_before_solver(name));
            shown.extend(last.or(dumps.first()));
        }
        jobs.extend(shown.into_iter().map(|dump| Job {
            dump: dump.clone(),
            results: stem(dump),
            tasks: tasks.clone(),
        }));
    }
    jobs.sort_by(|a, b| name_order(&a.dump, &b.dump));
    // The same name may be there with another ending.
    let mut taken = BTreeSet::new();
    for job in &mut jobs {
        if !taken.insert(job.results.clone()) {
            job.results = PathBuf::from(&job.dump);
        }
    }
    jobs
}

fn looks_like_dump(name: &str) -> bool {
    let base = base_name(name);
    let plain = base.strip_suffix(".gz").unwrap_or(base);
    base.contains("somas") && (plain.ends_with(".ir") || plain.ends_with(".txt"))
}

/// Whether a dump is one of before the solver ran, as far as its name tells.
fn is_stage_name(name: &str) -> bool {
    let stages = ["basic_info", "initial_info", "control_info", "process"];
    stages.iter().any(|stage| base_name(name).contains(stage))
}

/// Does all jobs, as many at a time as the machine likes; the outcomes in the order of the jobs.
#[allow(clippy::disallowed_methods)]
fn in_parallel(jobs: &[Job], each: impl Fn(&Job) -> Outcome + Sync) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Outcome>> = jobs.iter().map(|_| Mutex::default()).collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.len()) {
            scope.spawn(|| {
                while let Some((job, place)) = {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    jobs.get(i).zip(done.get(i))
                } {
                    let outcome = each(job);
                    if let Ok(mut place) = place.lock() {
                        *place = outcome;
                    }
                }
            });
        }
    });
    done.into_iter()
        .map(|place| place.into_inner().unwrap_or_default())
        .collect()
}

/// Opens the dump of a graph and does everything that is asked for.
fn one(root: &Path, job: &Job, args: &Args, output: Option<&Path>, lang: Lang) -> Outcome {
    let mut args = args.clone();
    args.progress = false;
    args.tasks = job.tasks.as_ref().map(|t| root.join(t));
    let mut out = Outcome::default();
    let name = &job.dump;
    let mut fingerprint = args.clone();
    fingerprint.json = true;
    let mut opened = match input::open(&root.join(name), name, &fingerprint, lang) {
        Ok(opened) => opened,
        Err(failed) => return failure(failed, name, lang),
    };
    out.name = name.clone();
    out.place = place_of(name);
    let dir = output.map(|dir| dir.join(&job.results));
    match work::work(&mut opened, name, &args, dir.as_deref(), true, lang) {
        Ok(Some(done)) => {
            out.status = run::status_of(&done);
            out.found = done.found + done.contradictions;
            out.written = done.written.unwrap_or(0);
            out.unanswered = done.unanswered;
            if let Some(found) = opened.session.diagnostics(opened.graph) {
                out.errors = print::messages(found, name, lang);
            }
            for (file, found) in opened.told() {
                out.errors.extend(print::messages(found, file, lang));
            }
            out.json = json::line(&done.summary).unwrap_or_default();
            out.summary = Some(done.summary);
        }
        Ok(None) => out.status = BAD_INPUT,
        Err(Stopped::Unwritable(sentence)) => {
            out.status = BAD_USAGE;
            out.errors.push(sentence);
        }
        Err(Stopped::Unanswerable(why)) => {
            out.status = BAD_USAGE;
            out.unanswered = why;
        }
    }
    out
}

fn failure(failed: Failed, name: &str, lang: Lang) -> Outcome {
    let mut out = Outcome {
        name: name.to_owned(),
        status: BAD_INPUT,
        ..Outcome::default()
    };
    match failed {
        Failed::Unreadable(sentence) => out.errors.push(sentence),
        Failed::Damaged(file, found) => out.errors = print::messages(&found, &file, lang),
        Failed::NoPlan(session) => {
            let said = run::no_plan(&session, name, name, lang).unwrap_or_default();
            (out.errors, out.json) = said;
        }
    }
    out
}

/// The path of a dump without its extension.
fn stem(name: &str) -> PathBuf {
    let plain = name.strip_suffix(".gz").unwrap_or(name);
    let base = base_name(plain);
    let cut = base
        .rfind('.')
        .filter(|at| *at > 0)
        .map_or(0, |at| base.len() - at);
    PathBuf::from(plain.get(..plain.len() - cut).unwrap_or(plain))
}

/// Questions that no graph could answer, each once.
fn nowhere(outcomes: &[Outcome]) -> Vec<Unanswerable> {
    let graphs: Vec<&Outcome> = outcomes
        .iter()
        .filter(|o| o.summary.is_some() || !o.unanswered.is_empty())
        .collect();
    let Some(first) = graphs.first() else {
        return Vec::new();
    };
    let everywhere = |u: &&Unanswerable| {
        graphs
            .iter()
            .all(|o| o.unanswered.iter().any(|other| other.typed == u.typed))
    };
    first
        .unanswered
        .iter()
        .filter(everywhere)
        .cloned()
        .collect()
}

/// One row a graph; equal files of several ranks are one row.
fn table(outcomes: &[Outcome], lang: Lang) -> String {
    let read: Vec<(&Outcome, &Summary)> = outcomes
        .iter()
        .filter_map(|o| Some((o, o.summary.as_ref()?)))
        .collect();
    let line = |(outcome, s): &(&Outcome, &'_ Summary)| graphs::Line {
        rank: outcome.place.rank,
        graph_id: s.graph_id,
        sha256: None,
        in_use: s.max_in_use.in_use,
        found: Some(outcome.found),
    };
    let mut lines: Vec<graphs::Line<'_>> = read.iter().map(line).collect();
    for (line, (_, s)) in lines.iter_mut().zip(&read) {
        line.sha256 = s.file.sha256.as_deref();
    }
    let row = |places: Vec<usize>| -> Option<Vec<String>> {
        let (outcome, s) = read.get(*places.first()?)?;
        let ranks: Vec<u64> = places.iter().filter_map(|&p| lines.get(p)?.rank).collect();
        let planned = s
            .gap
            .map_or("-".to_owned(), |_| figure::bytes(s.planned_total));
        Some(vec![
            names::display(outcome.name.as_bytes()),
            graphs::ranges(&ranks),
            planned,
            figure::bytes(s.max_in_use.in_use),
            outcome.found.to_string(),
            s.verdict
                .as_deref()
                .map_or("-", |word| words::verdict(word, lang))
                .to_owned(),
            s.diagnostics.warnings.to_string(),
        ])
    };
    let rows: Vec<Vec<String>> = graphs::fold(&lines).into_iter().filter_map(row).collect();
    let mut out = terminal::grid(&rows, lang);
    for balance in graphs::balance(&lines) {
        out.push_str(&words::differs(&balance, lang));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_result_folders_and_statuses() {
        assert_eq!(stem("rank_0/a.b.ir.gz"), PathBuf::from("rank_0/a.b"));
        assert_eq!(stem("x.d/dump"), PathBuf::from("x.d/dump"));
        assert_eq!(worse(FOUND, BAD_INPUT), BAD_INPUT);
        assert_eq!(worse(DONE, FOUND), FOUND);
    }
}
