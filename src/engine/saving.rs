//! The result files of a graph as the command line writes them, all in one ZIP or one of them, a piece at a time: whoever saves
//! them asks for the next piece when it is ready for it, so that other questions are answered in
//! between and only a piece is ever held.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use zip::write::{SimpleFileOptions, StreamWriter, ZipWriter};

use super::session::{hex, Parts, Session};
use super::Response;
use crate::engine::base_name;
use crate::report::names;
use crate::report::results::log::{self, Entry, LogInput};
use crate::report::results::{Lookups, ResultFile, Results, LOG};
use crate::sorting;

/// Bytes of a device, for the range of addresses: what the command line takes when it is not told.
const DEVICE_MEMORY: u64 = 32 << 30;

/// The fastest packing: tables repeat themselves so much that looking harder hardly pays.
const LEVEL: i64 = 1;

/// A piece is handed on when it has so many bytes.
const PIECE: usize = 1 << 20;

/// Text that goes into a piece at most, about; packed it is a tenth.
const MOST_TEXT: u64 = 2 << 20;

/// What to do about result files.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Save {
    /// Which files are there.
    List {
        /// Handle of the graph.
        graph: u32,
    },
    /// Begin to save: the first piece of it; or the name of a file that is to be read before, with
    /// [`Session::begin_matrix`].
    Begin {
        /// Handle of the graph.
        graph: u32,
        /// The name of one file; without it, all of them in a ZIP.
        only: Option<String>,
        /// A number above 0 that its pieces will carry.
        job: u32,
    },
    /// The next piece.
    More,
    /// Forget it; gives an empty piece of job 0.
    Stop,
}

/// A piece of what is saved.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Piece {
    /// The number that was given at the beginning.
    pub job: u32,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The file that is worked on, as in [`Save::List`].
    pub file: String,
    /// Rows written so far, of all files.
    pub done: u64,
    /// Rows of all files.
    pub total: u64,
    /// Whether this is the end.
    pub last: bool,
}

/// Bytes that are ready to be handed on.
type Ready = Rc<RefCell<Vec<u8>>>;

struct Tap(Ready);

impl Write for Tap {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where files go.
enum Sink {
    Zip(Box<ZipWriter<StreamWriter<Tap>>>),
    /// One file; the others are only told apart by their fingerprints, for the log.
    One(String),
}

/// What is being saved.
pub struct Saving {
    graph: u32,
    job: u32,
    lookups: Lookups,
    files: Vec<ResultFile>,
    /// The file that is worked on, and its next row.
    at: (usize, Option<u32>),
    hash: Sha256,
    written: Vec<Entry>,
    ready: Ready,
    sink: Sink,
    done: u64,
    total: u64,
}

impl std::fmt::Debug for Saving {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Saving").field("at", &self.at).finish()
    }
}

/// Text on its way into a file.
struct Way<'a> {
    hash: &'a mut Sha256,
    out: Option<&'a mut dyn Write>,
    text: u64,
}

impl Write for Way<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hash.update(bytes);
        self.text += bytes.len() as u64;
        if let Some(out) = &mut self.out {
            out.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn results<'a>(parts: &Parts<'a>, lookups: &'a Lookups) -> Results<'a> {
    Results::new(
        (parts.plan, parts.liveness, parts.facts),
        parts.tasks.map(|t| &t.check),
        parts.safety,
        (parts.given_base, DEVICE_MEMORY),
        lookups,
    )
}

impl Saving {
    fn new(parts: &Parts<'_>, (graph, job): (u32, u32), only: Option<String>) -> Option<Self> {
        let lookups = Lookups::new(parts.plan);
        let all = results(parts, &lookups);
        let mut files = all.files(&[]);
        // The log ends in the fingerprints of all others.
        if let Some(only) = only.as_ref().filter(|name| *name != LOG) {
            files.retain(|f| f.name == *only);
            if files.is_empty() {
                return None;
            }
        }
        let total = files.iter().map(|f| u64::from(all.rows(&f.content))).sum();
        let ready = Ready::default();
        let sink = match only {
            Some(name) => Sink::One(name),
            None => Sink::Zip(Box::new(ZipWriter::new_stream(Tap(ready.clone())))),
        };
        Some(Self {
            graph,
            job,
            lookups,
            files,
            at: (0, None),
            hash: Sha256::new(),
            written: Vec::new(),
            ready,
            sink,
            done: 0,
            total,
        })
    }

    /// Works until a piece is ready, or everything.
    fn piece(&mut self, parts: &Parts<'_>) -> io::Result<Piece> {
        let mut text = 0;
        let mut last = false;
        while !last && text < MOST_TEXT && self.ready.borrow().len() < PIECE {
            match self.files.get(self.at.0) {
                Some(_) => text += self.part(parts)?,
                None => {
                    self.end(parts)?;
                    last = true;
                }
            }
        }
        let file = self.files.get(self.at.0);
        Ok(Piece {
            job: self.job,
            bytes: std::mem::take(&mut *self.ready.borrow_mut()),
            file: file.map_or(LOG.to_owned(), |f| f.name.clone()),
            done: self.done,
            total: self.total,
            last,
        })
    }

    /// A part of the file that is worked on; the value is its length.
    fn part(&mut self, parts: &Parts<'_>) -> io::Result<u64> {
        let (place, row) = self.at;
        let Some(file) = self.files.get(place) else {
            return Ok(0);
        };
        if row.is_none() {
            begin(&mut self.sink, &file.name)?;
        }
        let from = row.unwrap_or(0);
        let mut tap = Tap(self.ready.clone());
        let mut way = Way {
            hash: &mut self.hash,
            out: match &mut self.sink {
                Sink::Zip(zip) => Some(zip),
                Sink::One(name) if *name == file.name => Some(&mut tap),
                Sink::One(_) => None,
            },
            text: 0,
        };
        let all = results(parts, &self.lookups);
        let next = all.write_part(&file.content, from, &mut way)?;
        let text = way.text;
        self.done += u64::from(next.unwrap_or(all.rows(&file.content)).saturating_sub(from));
        self.at = match next {
            Some(_) => (place, next),
            None => {
                let sha = hex(&self.hash.finalize_reset());
                self.written.push((file.name.clone(), sha));
                (place + 1, None)
            }
        };
        Ok(text)
    }

    /// The log, and the end.
    fn end(&mut self, parts: &Parts<'_>) -> io::Result<()> {
        sorting::sort(&mut self.written);
        let all = results(parts, &self.lookups);
        let own = base_name(parts.name);
        let mut diagnostics = vec![(own, parts.diagnostics)];
        diagnostics.extend(parts.beside.iter().map(|(file, d)| (base_name(file), d)));
        let input = LogInput {
            file: own,
            results: &all,
            findings: parts.findings.map(|f| (f, parts.positions)),
            matrix: parts.matrix,
            task_info: parts.tasks.map(|t| &t.info),
            beside: parts.taken,
            diagnostics: &diagnostics,
            answers: &[],
        };
        begin(&mut self.sink, LOG)?;
        match &mut self.sink {
            Sink::Zip(zip) => {
                zip.write_all(log::text(&input, &[], &self.written).as_bytes())?;
                let Sink::Zip(zip) = std::mem::replace(&mut self.sink, Sink::One(String::new()))
                else {
                    return Ok(());
                };
                zip.finish().map(|_| ()).map_err(io::Error::from)
            }
            Sink::One(name) if name == LOG => {
                let text = log::text(&input, &[], &self.written);
                Tap(self.ready.clone()).write_all(text.as_bytes())
            }
            Sink::One(_) => Ok(()),
        }
    }
}

fn begin(sink: &mut Sink, name: &str) -> io::Result<()> {
    match sink {
        Sink::Zip(zip) => {
            let options = SimpleFileOptions::default().compression_level(Some(LEVEL));
            zip.start_file(name, options).map_err(io::Error::from)
        }
        Sink::One(_) => Ok(()),
    }
}

impl Session {
    /// Lists or saves the result files of a graph, after it was judged.
    pub(super) fn save(&mut self, what: &Save) -> Response {
        match what {
            Save::List { graph } => {
                self.judge(*graph, false);
                let Some(parts) = self.parts(*graph) else {
                    return Response::Nothing;
                };
                let lookups = Lookups::new(parts.plan);
                let files = results(&parts, &lookups).files(&[]);
                let names = files.into_iter().map(|f| f.name);
                Response::ResultFiles(names.chain([LOG.to_owned()]).collect())
            }
            Save::Begin { graph, only, job } => {
                // The log says what the conflict matrix gave.
                let wants_log = only.as_ref().is_none_or(|name| name == LOG);
                if let Some(name) = self.unread_matrix(*graph).filter(|_| wants_log) {
                    return Response::Wants(*job, name.to_owned());
                }
                self.judge(*graph, false);
                let new = self.parts(*graph);
                self.saving =
                    new.and_then(|parts| Saving::new(&parts, (*graph, *job), only.clone()));
                self.next_piece()
            }
            Save::More => self.next_piece(),
            Save::Stop => {
                self.saving = None;
                Response::Piece(Piece::default())
            }
        }
    }

    fn next_piece(&mut self) -> Response {
        let Some(mut saving) = self.saving.take() else {
            return Response::Nothing;
        };
        let Some(parts) = self.parts(saving.graph) else {
            return Response::Nothing;
        };
        // What is written to is memory: nothing of it can fail but a ZIP beyond its limits.
        let Ok(piece) = saving.piece(&parts) else {
            return Response::Nothing;
        };
        if !piece.last {
            self.saving = Some(saving);
        }
        Response::Piece(piece)
    }
}

/// A name for a saved file: of the dump, or of the result file.
pub fn saved_name(dump: &str, only: Option<&str>) -> String {
    let base = names::display(base_name(only.unwrap_or(dump)).as_bytes());
    match only {
        Some(_) => base,
        None => {
            let plain = base.strip_suffix(".gz").unwrap_or(&base);
            let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
            format!("{stem}_results.zip")
        }
    }
}
