//! Reads a dump and the files beside it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::args::Args;
use super::terminal::Progress;
use crate::engine::{base_name, place_of, Session};
use crate::model::TaskInfo;
use crate::parse::{Diagnostics, FileKind, ReadOptions, Reader, SiblingFacts};
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
    /// What was read, for the log.
    pub(crate) beside: Vec<Beside>,
    /// Errors and warnings of the files beside, by base name.
    pub(crate) messages: Vec<(String, Diagnostics)>,
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

/// The size of a file in bytes, 0 when the system does not tell.
fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |m| m.len())
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
    let read = read_file(path, |bytes| {
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
        true
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
        beside: Vec::new(),
        messages: Vec::new(),
    };
    for with in &args.with {
        opened.take_sibling(with, true, args.partial, lang)?;
    }
    let hides_kinds = opened
        .session
        .plan(graph)
        .is_some_and(|p| !p.generation.is_c());
    if hides_kinds && args.with.is_empty() {
        for sibling in logs_beside(path) {
            opened.take_sibling(&sibling, false, args.partial, lang)?;
        }
    }
    if let Some(tasks) = &args.tasks {
        opened.take_tasks(tasks, args.partial, lang)?;
    }
    Ok(opened)
}

fn unreadable(name: &str, error: &io::Error, lang: Lang) -> Failed {
    let name = crate::report::names::display(name.as_bytes());
    Failed::Unreadable(terminal::cannot_read(&name, error, lang))
}

/// Offline logs of the same graph in the dump's folder.
#[allow(clippy::disallowed_methods)]
fn logs_beside(dump: &Path) -> Vec<PathBuf> {
    let place = place_of(&dump.to_string_lossy());
    let folder = dump.parent().filter(|p| *p != Path::new(""));
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.file_name() != dump.file_name() && p.is_file())
        .filter(|p| {
            let graph = place_of(&p.to_string_lossy()).graph_id;
            graph.is_some() && graph == place.graph_id
        })
        .filter(|p| matches!(kind_of(p), Ok(Some(FileKind::OfflineLog))))
        .collect();
    found.sort();
    found
}

impl Opened {
    fn take_sibling(
        &mut self,
        path: &Path,
        asked: bool,
        partial: bool,
        lang: Lang,
    ) -> Result<(), Failed> {
        let name = path.to_string_lossy();
        let base = base_name(&name).to_owned();
        let mut reader = Reader::new(ReadOptions {
            partial,
            size_hint: size_of(path),
        });
        let read = read_file(path, |bytes| {
            reader.push(bytes);
            true
        });
        if let Err(error) = read {
            return if asked {
                Err(unreadable(&name, &error, lang))
            } else {
                Ok(())
            };
        }
        let parsed = reader.finish();
        let other = |kind| Beside::Other(base.clone(), words::kind_word(kind));
        let Some(sibling) = parsed.sibling else {
            if matches!(parsed.kind, FileKind::Unknown | FileKind::Empty) && asked {
                return Err(Failed::Damaged(base, Box::new(parsed.diagnostics)));
            }
            self.beside.push(other(parsed.kind));
            return Ok(());
        };
        if sibling.diagnostics.errors > 0 && !(partial && asked) {
            if asked {
                return Err(Failed::Damaged(base, Box::new(sibling.diagnostics)));
            }
            self.beside.push(other(parsed.kind));
            return Ok(());
        }
        match sibling.facts {
            SiblingFacts::Log(log) => {
                let taken = self.session.take_offline_log(self.graph, &log);
                self.beside.push(Beside::Log(base.clone(), taken));
            }
            // Tasks are checked when they are asked for.
            SiblingFacts::Tasks(_) => self.beside.push(other(parsed.kind)),
        }
        self.messages.push((base, sibling.diagnostics));
        Ok(())
    }

    fn take_tasks(&mut self, path: &Path, partial: bool, lang: Lang) -> Result<(), Failed> {
        let name = path.to_string_lossy();
        let base = base_name(&name).to_owned();
        let mut reader = Reader::new(ReadOptions {
            partial,
            size_hint: size_of(path),
        });
        let read = read_file(path, |bytes| {
            reader.push(bytes);
            true
        });
        read.map_err(|e| unreadable(&name, &e, lang))?;
        let parsed = reader.finish();
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
