//! Reads a dump and the files beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;

use super::args::Args;
use super::terminal::Progress;
use crate::analysis::matrix::MatrixCheck;
use crate::engine::{base_name, is_before_solver, place_of, MatrixReader, Session};
use crate::model::{Plan, PlanKind, TaskInfo};
use crate::parse::{Diagnostics, FileKind, Parsed, ReadOptions, Reader, SiblingFacts};
use crate::report::figure;
use crate::report::results::log::Beside;
use crate::report::text::{diagnostics as words, terminal, Lang};

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// A graph with what was read beside it.
pub(crate) struct Opened {
    /// Holds the plan.
    pub(crate) session: Session,
    /// Its handle.
    pub(crate) graph: u32,
    /// Records of the tasks.
    pub(crate) tasks: Option<TaskInfo>,
    /// The planner's conflict matrix against the plan.
    pub(crate) matrix: Option<MatrixCheck>,
    /// What was read, for the log.
    pub(crate) beside: Vec<Beside>,
    /// Errors and warnings of the files beside, by base name.
    pub(crate) messages: Vec<(String, Diagnostics)>,
    /// Those of damaged files that nobody named: nothing rests on them.
    pub(crate) ignored: Vec<(String, Diagnostics)>,
}

impl Opened {
    /// All that is wrong with files beside the dump.
    pub(crate) fn told(&self) -> impl Iterator<Item = (&str, &Diagnostics)> {
        let all = self.messages.iter().chain(&self.ignored);
        all.map(|(file, found)| (file.as_str(), found))
    }
}

/// Why there is nothing to show.
pub(crate) enum Failed {
    /// The system does not give a file: the sentence.
    Unreadable(String),
    /// The dump gives no plan; the session says why.
    NoPlan(Box<Session>),
    /// A file beside it is damaged: its base name and what is wrong.
    Damaged(String, Box<Diagnostics>),
}

/// Feeds a file to `each`, chunk by chunk, until it says `false`.
#[allow(clippy::disallowed_methods)] // The command line is the face that opens files.
pub(crate) fn read_file(path: &Path, mut each: impl FnMut(&[u8]) -> bool) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => {
                if !each(chunk.get(..n).unwrap_or(&[])) {
                    return Ok(());
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Feeds all of a file to `each`, chunk by chunk; a thread of its own reads ahead meanwhile.
#[allow(clippy::disallowed_methods)]
fn read_ahead(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let (chunks, full) = mpsc::sync_channel::<io::Result<Vec<u8>>>(2);
    let (done, empty) = mpsc::channel::<Vec<u8>>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let read = read_file(path, |bytes| {
                let mut chunk = empty.try_recv().unwrap_or_default();
                chunk.clear();
                chunk.extend_from_slice(bytes);
                chunks.send(Ok(chunk)).is_ok()
            });
            if let Err(error) = read {
                // Without a receiver nobody wants to know.
                let _ = chunks.send(Err(error));
            }
        });
        for chunk in full {
            let chunk = chunk?;
            each(&chunk);
            let _ = done.send(chunk);
        }
        Ok(())
    })
}

/// The size of a file in bytes, 0 when the system does not tell.
fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |m| m.len())
}

/// Reads a file beside a dump until `done` with it, or to its end.
fn read_beside(path: &Path, partial: bool, done: impl Fn(&Reader) -> bool) -> io::Result<Parsed> {
    let mut reader = Reader::new(ReadOptions {
        partial,
        size_hint: size_of(path),
    });
    read_file(path, |bytes| {
        reader.push(bytes);
        !done(&reader)
    })?;
    Ok(reader.finish())
}

/// What a file is, by its first bytes.
pub(crate) fn kind_of(path: &Path) -> io::Result<Option<FileKind>> {
    let mut reader = Reader::new(ReadOptions::default());
    read_file(path, |bytes| {
        // A head is enough; a chunk of a dump would be parsed for nothing.
        bytes.chunks(1 << 12).take(16).all(|head| {
            reader.push(head);
            reader.kind().is_none()
        }) && reader.kind().is_none()
    })?;
    let kind = reader.kind();
    Ok(kind.or_else(|| Some(reader.finish().kind)))
}

/// Reads the dump called `name` and its siblings.
pub(crate) fn open(path: &Path, name: &str, args: &Args, lang: Lang) -> Result<Opened, Failed> {
    let mut session = Session::new();
    let mut reader = session.begin_file(name, size_of(path), args.partial);
    if args.json {
        reader = reader.with_fingerprint();
    }
    let mut progress = Progress::new(args.progress);
    let (size, mut done) = (size_of(path), 0);
    let read = read_ahead(path, |bytes| {
        reader.push(bytes);
        done += bytes.len() as u64;
        let numbers = || [figure::bytes(done), figure::bytes(size)];
        progress.show(|| {
            let [done, size] = numbers();
            terminal::say(
                terminal::Say::Reading,
                &[base_name(name), &done, &size],
                lang,
            )
        });
    });
    drop(progress);
    read.map_err(|e| unreadable(name, &e, lang))?;
    let Some(graph) = session.end_file(reader) else {
        return Err(Failed::NoPlan(Box::new(session)));
    };
    let mut opened = Opened {
        session,
        graph,
        tasks: None,
        matrix: None,
        beside: Vec::new(),
        messages: Vec::new(),
        ignored: Vec::new(),
    };
    let mut siblings = Siblings::default();
    for with in &args.with {
        opened.take_sibling(with, true, args.partial, &mut siblings, lang)?;
    }
    let hides_kinds = opened
        .session
        .plan(graph)
        .is_some_and(|p| !p.generation.is_c());
    let beside = siblings_beside(path);
    let named = |kind: FileKind| {
        beside
            .iter()
            .filter(move |(k, _)| *k == kind)
            .map(|(_, p)| p)
    };
    if hides_kinds && !siblings.log {
        for sibling in named(FileKind::OfflineLog) {
            opened.take_sibling(sibling, false, args.partial, &mut siblings, lang)?;
        }
    }
    if siblings.relation.is_none() {
        siblings.relation = named(FileKind::Relation).next().map(|p| (p.clone(), false));
    }
    if siblings.relation.is_some() && siblings.before.is_none() {
        for sibling in named(FileKind::MainDump).take(1) {
            opened.take_sibling(sibling, false, args.partial, &mut siblings, lang)?;
        }
    }
    opened.take_matrix(siblings, lang)?;
    if let Some(tasks) = &args.tasks {
        opened.take_tasks(tasks, args.partial, lang)?;
    }
    Ok(opened)
}

fn unreadable(name: &str, error: &io::Error, lang: Lang) -> Failed {
    let name = crate::report::names::display(name.as_bytes());
    Failed::Unreadable(terminal::cannot_read(&name, error, lang))
}

/// What was found beside a plan on the way.
#[derive(Default)]
struct Siblings {
    /// An offline log was taken.
    log: bool,
    /// The same graph before the solver ran: base name and plan.
    before: Option<(String, Plan)>,
    /// The conflict matrix, and whether it was asked for.
    relation: Option<(PathBuf, bool)>,
}

/// Offline logs, conflict matrices and pre-processed dumps of the same graph in the dump's folder.
#[allow(clippy::disallowed_methods)]
fn siblings_beside(dump: &Path) -> Vec<(FileKind, PathBuf)> {
    let place = place_of(&dump.to_string_lossy());
    let folder = dump.parent().filter(|p| *p != Path::new(""));
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let useful = |kind: FileKind, path: &Path| match kind {
        FileKind::OfflineLog | FileKind::Relation => true,
        // Which stage a dump is of stands in its name only.
        FileKind::MainDump => is_before_solver(&path.to_string_lossy()),
        _ => false,
    };
    let mut found: Vec<(FileKind, PathBuf)> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.file_name() != dump.file_name() && p.is_file())
        .filter(|p| {
            let graph = place_of(&p.to_string_lossy()).graph_id;
            graph.is_some() && graph == place.graph_id
        })
        .filter_map(|p| Some((kind_of(&p).ok()??, p)))
        .filter(|(kind, path)| useful(*kind, path))
        .collect();
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found
}

impl Opened {
    fn take_sibling(
        &mut self,
        path: &Path,
        asked: bool,
        partial: bool,
        siblings: &mut Siblings,
        lang: Lang,
    ) -> Result<(), Failed> {
        let name = path.to_string_lossy();
        let base = base_name(&name).to_owned();
        // A matrix is read row by row later, once the sizes are known.
        let is_matrix = |reader: &Reader| reader.kind() == Some(FileKind::Relation);
        let parsed = match read_beside(path, partial, is_matrix) {
            Ok(parsed) => parsed,
            Err(error) if asked => return Err(unreadable(&name, &error, lang)),
            Err(_) => return Ok(()),
        };
        if parsed.kind == FileKind::Relation {
            siblings.relation = Some((path.to_owned(), asked));
            return Ok(());
        }
        let other = |kind| Beside::Other(base.clone(), words::kind_word(kind));
        let Some(sibling) = parsed.sibling else {
            if matches!(parsed.kind, FileKind::Unknown | FileKind::Empty) && asked {
                return Err(Failed::Damaged(base, Box::new(parsed.diagnostics)));
            }
            match parsed.plan.filter(|p| p.kind == PlanKind::Stage) {
                Some(plan) => siblings.before = Some((base, plan)),
                None => self.beside.push(other(parsed.kind)),
            }
            return Ok(());
        };
        if sibling.diagnostics.errors > 0 && !(partial && asked) {
            if asked {
                return Err(Failed::Damaged(base, Box::new(sibling.diagnostics)));
            }
            self.beside.push(other(parsed.kind));
            self.ignored.push((base, sibling.diagnostics));
            return Ok(());
        }
        match sibling.facts {
            SiblingFacts::Log(log) => {
                let taken = self.session.take_offline_log(self.graph, &log);
                self.beside.push(Beside::Log(base.clone(), taken));
                siblings.log = true;
            }
            // Tasks are checked when they are asked for.
            SiblingFacts::Tasks(_) => self.beside.push(other(parsed.kind)),
        }
        self.messages.push((base, sibling.diagnostics));
        Ok(())
    }

    /// Compares the conflict matrix with the plan, as it is read.
    fn take_matrix(&mut self, siblings: Siblings, lang: Lang) -> Result<(), Failed> {
        let Some((path, asked)) = siblings.relation else {
            let before = siblings.before.into_iter();
            self.beside
                .extend(before.map(|(name, _)| Beside::Other(name, words::Kind::Stage)));
            return Ok(());
        };
        let Some(plan) = self.session.plan(self.graph) else {
            return Ok(());
        };
        let name = path.to_string_lossy();
        let before = siblings.before.as_ref();
        let before = before.map(|(name, plan)| (name.as_str(), plan));
        let mut reader = MatrixReader::new(plan, &name, before);
        let read = read_file(&path, |bytes| {
            reader.push(plan, bytes);
            reader.is_wanted()
        });
        let found = reader.finish(plan, read.is_ok());
        match read {
            Err(error) if asked => return Err(unreadable(&name, &error, lang)),
            Ok(()) if found.diagnostics.errors > 0 && asked => {
                let base = base_name(&name).to_owned();
                return Err(Failed::Damaged(base, Box::new(found.diagnostics)));
            }
            _ => {}
        }
        if found.diagnostics.errors > 0 {
            let base = base_name(&name).to_owned();
            self.ignored.push((base, found.diagnostics));
        }
        self.matrix = found.check;
        self.beside.extend(found.beside);
        Ok(())
    }

    fn take_tasks(&mut self, path: &Path, partial: bool, lang: Lang) -> Result<(), Failed> {
        let name = path.to_string_lossy();
        let base = base_name(&name).to_owned();
        let parsed =
            read_beside(path, partial, |_| false).map_err(|e| unreadable(&name, &e, lang))?;
        match parsed.sibling.map(|s| (s.facts, s.diagnostics)) {
            Some((SiblingFacts::Tasks(info), found)) => {
                if found.errors > 0 && !partial {
                    return Err(Failed::Damaged(base, Box::new(found)));
                }
                self.tasks = Some(*info);
                self.messages.push((base, found));
                Ok(())
            }
            _ => {
                let kind = words::kind_word(parsed.kind).text(lang);
                let shown = crate::report::names::display(base.as_bytes());
                let said = terminal::say(terminal::Say::NotTaskInfo, &[&shown, kind], lang);
                Err(Failed::Unreadable(said))
            }
        }
    }
}
