//! The graphs that are open, and answers about them.

use sha2::{Digest, Sha256};

use super::explore::Alignment;
use super::file_set::{name_order, place_of, Place};
use super::map::KeptMap;
use super::matrix::MatrixReader;
use super::protocol::Sibling;
use super::saving::Saving;
use super::table;
use crate::analysis::matrix::MatrixCheck;
use crate::analysis::{self, Facts, Liveness, PlanFindings, Rules, Safety, TaskCheck};
use crate::model::{OfflineLog, Plan, TaskInfo};
use crate::parse::{self, Diagnostics, FileKind, Positions, ReadOptions, SiblingRead};
use crate::report::json::{FileFacts, Summary};
use crate::report::results::log::Beside;
use crate::sorting;

/// Reads one file for a [`Session`].
#[derive(Debug)]
pub struct FileReader {
    name: String,
    bytes: u64,
    hash: Option<Sha256>,
    reader: parse::Reader,
    wants_log: bool,
    /// What is read instead: the rows of the conflict matrix of this graph.
    pub(super) matrix: Option<(u32, MatrixReader)>,
}

impl FileReader {
    /// The next bytes of the file, a chunk of any size.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some(hash) = &mut self.hash {
            hash.update(bytes);
        }
        self.reader.push(bytes);
    }

    /// Whether the rest of the file need not be read: it is no plan, and says nothing about one.
    pub fn has_seen_enough(&self) -> bool {
        if let Some((_, matrix)) = &self.matrix {
            return !matrix.is_wanted();
        }
        let log = self.reader.kind() == Some(FileKind::OfflineLog);
        self.reader.has_seen_enough() || (log && !self.wants_log)
    }

    /// Also computes the SHA-256 of the bytes; call before the first [`FileReader::push`].
    pub fn with_fingerprint(mut self) -> Self {
        self.hash = Some(Sha256::new());
        self
    }
}

/// An open graph.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) handle: u32,
    pub(super) place: Place,
    pub(super) file: FileFacts,
    pub(super) plan: Plan,
    pub(super) liveness: Liveness,
    pub(super) facts: Facts,
    /// The judgement, once it was asked for.
    pub(super) judged: Option<Judgement>,
    pub(super) positions: Positions,
    /// What the plan was judged by, once pairs are asked about.
    pub(super) rules: Option<Rules>,
    pub(super) diagnostics: Diagnostics,
    pub(super) siblings: Vec<Sibling>,
    /// What the launched tasks used, from a file beside it.
    pub(super) tasks: Option<Tasks>,
    /// What is wrong with the files beside it that were read.
    pub(super) beside: Vec<(String, Diagnostics)>,
    /// What was taken from them.
    pub(super) taken: Vec<Beside>,
    /// Its conflict matrix against the plan.
    pub(super) matrix: Option<MatrixCheck>,
    /// Whether the rows of one were read.
    pub(super) has_matrix: bool,
    /// Where offset 0 lies, as somebody says who knows.
    pub(super) given_base: Option<u64>,
    pub(super) kept: table::Kept,
    pub(super) map: KeptMap,
}

/// Task info of a graph.
#[derive(Debug)]
pub struct Tasks {
    /// Name of its file, as it was opened.
    pub file: String,
    /// The records.
    pub info: TaskInfo,
    /// What they say about the plan.
    pub check: TaskCheck,
}

/// What judging a plan gives.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict and the hazards.
    pub safety: Safety,
    /// What else is wrong with the plan.
    pub findings: PlanFindings,
}

impl Judgement {
    /// Judges a plan.
    pub fn of(plan: &Plan) -> Self {
        Self::with_rules(plan).0
    }

    /// Judges a plan and keeps what it was judged by.
    fn with_rules(plan: &Plan) -> (Self, Option<Rules>) {
        let (safety, rules) = analysis::safety_and_rules(plan);
        let findings = analysis::findings(plan, &safety);
        (Self { safety, findings }, rules)
    }
}

/// A graph and its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Name of its file.
    pub name: &'a str,
    /// The plan.
    pub plan: &'a Plan,
    /// Its curves.
    pub liveness: &'a Liveness,
    /// Its numbers.
    pub facts: &'a Facts,
    /// Its judgement, once it was made.
    pub safety: Option<&'a Safety>,
    /// What else is wrong with it, likewise.
    pub findings: Option<&'a PlanFindings>,
    /// Where its rows stand in the file.
    pub positions: &'a Positions,
    /// Its tasks, when their file was opened with it.
    pub tasks: Option<&'a Tasks>,
    /// Its conflict matrix against the plan, once it was read.
    pub matrix: Option<&'a MatrixCheck>,
    /// Where offset 0 lies, as it was given.
    pub given_base: Option<u64>,
    /// What is wrong with its file.
    pub diagnostics: &'a Diagnostics,
    /// What is wrong with the files beside it that were read.
    pub beside: &'a [(String, Diagnostics)],
    /// What was taken from them.
    pub taken: &'a [Beside],
    /// SHA-256 of its file, if it was computed.
    pub sha256: Option<&'a str>,
}

/// A file that gave no graph.
#[derive(Debug)]
pub(super) struct Other {
    pub(super) place: Place,
    pub(super) file: FileFacts,
    pub(super) kind: FileKind,
    pub(super) damaged: bool,
    pub(super) diagnostics: Diagnostics,
    /// What it says about a plan, until the plan is there to take it.
    pub(super) read: Option<SiblingRead>,
    /// The graph that took it.
    pub(super) owner: Option<u32>,
    /// Why it could not be read.
    pub(super) refused: Option<String>,
}

/// All files that are open.
#[derive(Debug, Default)]
pub struct Session {
    pub(super) graphs: Vec<Graph>,
    pub(super) others: Vec<Other>,
    pub(super) next_handle: u32,
    pub(super) last_alignment: Option<((u32, u32, Alignment), Vec<u32>)>,
    pub(super) saving: Option<Saving>,
}

impl Session {
    /// Nothing is open.
    pub fn new() -> Self {
        Self::default()
    }

    /// Begins a file. `name` is shown to people and tells graph id and rank; `size` is its length
    /// in bytes, 0 when it is not known; `partial` shows what
    /// can be read of a damaged plan.
    pub fn begin_file(&self, name: &str, size: u64, partial: bool) -> FileReader {
        FileReader {
            name: name.to_owned(),
            bytes: 0,
            hash: None,
            matrix: None,
            // Newer plans print themselves what the log says, and it is longer than they are. A
            // plan stands before its log in the order of names.
            wants_log: self.graphs.iter().any(|g| !g.plan.generation.is_c()),
            reader: parse::Reader::new(ReadOptions {
                partial,
                size_hint: size,
            }),
        }
    }

    /// Ends a file: the handle of its graph, or `None` when it gave none (then
    /// [`Request::Graphs`] says why). A file of the same name that was open is replaced.
    pub fn end_file(&mut self, file: FileReader) -> Option<u32> {
        let FileReader {
            name,
            bytes,
            hash,
            reader,
            matrix,
            ..
        } = file;
        if let Some((graph, matrix)) = matrix {
            return self.end_matrix(graph, matrix, true);
        }
        let parsed = reader.finish();
        self.graphs.retain(|g| g.file.name != name);
        self.others.retain(|o| o.file.name != name);
        self.last_alignment = None;
        let place = place_of(&name);
        let file = FileFacts {
            name,
            bytes,
            sha256: hash.map(|h| hex(&h.finalize())),
        };
        let Some(plan) = parsed.plan else {
            let other = Other {
                place,
                file,
                kind: parsed.kind,
                damaged: parsed.damaged,
                diagnostics: parsed.diagnostics,
                read: parsed.sibling,
                owner: None,
                refused: None,
            };
            self.others.push(other);
            return None;
        };
        let liveness = analysis::liveness(&plan);
        let facts = analysis::facts(&plan, &liveness);
        let handle = self.next_handle;
        self.next_handle += 1;
        let diagnostics = parsed.diagnostics;
        self.graphs.push(Graph {
            handle,
            place,
            file,
            plan,
            liveness,
            facts,
            judged: None,
            positions: parsed.positions,
            rules: None,
            diagnostics,
            siblings: Vec::new(),
            tasks: None,
            beside: Vec::new(),
            taken: Vec::new(),
            matrix: None,
            has_matrix: false,
            given_base: None,
            kept: table::Kept::default(),
            map: KeptMap::default(),
        });
        sorting::sort_by(&mut self.graphs, |a, b| {
            name_order(&a.file.name, &b.file.name)
        });
        Some(handle)
    }

    /// Notes a file that could not be read to its end, and why, as the face was told. A file of the
    /// same name that was open is gone.
    pub fn refuse_file(&mut self, file: FileReader, why: &str) {
        let FileReader {
            name,
            bytes,
            matrix,
            ..
        } = file;
        if let Some((graph, matrix)) = matrix {
            self.end_matrix(graph, matrix, false);
            return;
        }
        self.graphs.retain(|g| g.file.name != name);
        self.others.retain(|o| o.file.name != name);
        self.last_alignment = None;
        self.others.push(Other {
            place: place_of(&name),
            file: FileFacts {
                name,
                bytes,
                sha256: None,
            },
            kind: FileKind::Unknown,
            damaged: false,
            diagnostics: Diagnostics::default(),
            read: None,
            owner: None,
            refused: Some(why.to_owned()),
        });
    }

    /// Judges a graph: from then on its summary holds the verdict. With `rules` it keeps what
    /// pairs of tensors are judged by as well. `None` when there is no such graph.
    pub(super) fn judge(&mut self, handle: u32, rules: bool) -> Option<&mut Graph> {
        // The same file on another rank has the same plan, unless a file beside one of them said more.
        let own = self.graph(handle)?;
        let equal = |g: &&Graph| {
            let same = g.file.sha256.is_some() && g.file.sha256 == own.file.sha256;
            same && g.taken.is_empty() && own.taken.is_empty()
        };
        let known = self.graphs.iter().filter(equal);
        let known = known.filter_map(|g| g.judged.as_ref()).next().cloned();
        let graph = self.graphs.iter_mut().find(|g| g.handle == handle)?;
        graph.judged = graph.judged.take().or(known);
        graph.judge(rules);
        Some(graph)
    }

    /// Takes the judgement of a graph's plan that was made elsewhere.
    pub fn take_judgement(&mut self, handle: u32, judgement: Judgement) {
        if let Some(graph) = self.graphs.iter_mut().find(|g| g.handle == handle) {
            graph.judged = Some(judgement);
        }
    }

    /// The machine-readable summary of a graph.
    pub fn summary(&self, handle: u32) -> Option<Summary> {
        self.graph(handle).map(Graph::summary)
    }

    /// Everything said about a graph's file.
    pub fn diagnostics(&self, handle: u32) -> Option<&Diagnostics> {
        self.graph(handle).map(|g| &g.diagnostics)
    }

    /// Everything said about a file that gave no graph: its facts and what is wrong.
    pub fn failure(&self, name: &str) -> Option<(&FileFacts, &Diagnostics)> {
        self.others
            .iter()
            .find(|o| o.file.name == name)
            .map(|o| (&o.file, &o.diagnostics))
    }

    /// The plan of a graph.
    pub fn plan(&self, handle: u32) -> Option<&Plan> {
        self.graph(handle).map(|g| &g.plan)
    }

    /// What a graph's result files are made from.
    pub fn parts(&self, handle: u32) -> Option<Parts<'_>> {
        self.graph(handle).map(|g| Parts {
            name: &g.file.name,
            plan: &g.plan,
            liveness: &g.liveness,
            facts: &g.facts,
            safety: g.judged.as_ref().map(|j| &j.safety),
            findings: g.judged.as_ref().map(|j| &j.findings),
            positions: &g.positions,
            tasks: g.tasks.as_ref(),
            matrix: g.matrix.as_ref(),
            given_base: g.given_base,
            diagnostics: &g.diagnostics,
            beside: &g.beside,
            taken: &g.taken,
            sha256: g.file.sha256.as_deref(),
        })
    }

    /// Takes lifelong kinds from an offline log; the value is how many tensors they changed.
    pub fn take_offline_log(&mut self, handle: u32, log: &OfflineLog) -> u32 {
        let Some(g) = self.graphs.iter_mut().find(|g| g.handle == handle) else {
            return 0;
        };
        g.take_log(log)
    }

    pub(super) fn graph(&self, handle: u32) -> Option<&Graph> {
        self.graphs.iter().find(|g| g.handle == handle)
    }
}

impl Graph {
    /// Makes what is missing of the judgement and, where they are wanted, of its rules.
    fn judge(&mut self, wants_rules: bool) {
        if self.judged.is_none() {
            let (judgement, rules) = Judgement::with_rules(&self.plan);
            self.judged = Some(judgement);
            self.rules = rules.filter(|_| wants_rules);
        }
        if wants_rules && self.rules.is_none() && self.is_final() {
            self.rules = Some(Rules::of(&self.plan));
        }
    }

    /// Takes lifelong kinds; the value is how many changed.
    pub(super) fn take_log(&mut self, log: &OfflineLog) -> u32 {
        let changed = self.plan.take_lifelong(log);
        if changed > 0 {
            self.liveness = analysis::liveness(&self.plan);
            self.facts = analysis::facts(&self.plan, &self.liveness);
            (self.judged, self.rules) = (None, None);
            self.kept = table::Kept::default();
            self.map = KeptMap::default();
        }
        changed
    }
}

/// Bytes as hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
