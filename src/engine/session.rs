//! The graphs that are open, and answers about them.

use sha2::{Digest, Sha256};

use super::explore::{Alignment, OverlayRequest};
use super::file_set::{base_name, place_of, Place};
use super::map::{self, KeptMap};
use super::protocol::{
    Bilingual, GraphRow, Graphs, Message, OtherFile, Overview, Request, Response, Sibling,
    StepFacts,
};
use super::{curves, details, groups, table};
use crate::analysis::{self, Facts, Liveness, Safety};
use crate::model::{OfflineLog, Plan, PlanKind};
use crate::parse::{self, Code, Diagnostic, Diagnostics, FileKind, ReadOptions};
use crate::report::json::{self, FileFacts, Summary};
use crate::report::names;
use crate::report::text::{diagnostics as words, Lang};

/// Reads one file for a [`Session`].
#[derive(Debug)]
pub struct FileReader {
    name: String,
    bytes: u64,
    hash: Option<Sha256>,
    reader: parse::Reader,
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

    /// Whether the rest of the file need not be read: it is something else than a plan.
    pub fn has_seen_enough(&self) -> bool {
        self.reader.has_seen_enough()
    }

    /// Also computes the SHA-256 of the bytes; call before the first [`FileReader::push`].
    pub fn with_fingerprint(mut self) -> Self {
        self.hash = Some(Sha256::new());
        self
    }
}

/// An open graph.
#[derive(Debug)]
struct Graph {
    handle: u32,
    place: Place,
    file: FileFacts,
    plan: Plan,
    liveness: Liveness,
    facts: Facts,
    safety: Option<Safety>,
    diagnostics: Diagnostics,
    siblings: Vec<Sibling>,
    kept: table::Kept,
    map: KeptMap,
}

/// A graph and its numbers.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its curves.
    pub liveness: &'a Liveness,
    /// Its numbers.
    pub facts: &'a Facts,
    /// Its judgement, once it was made.
    pub safety: Option<&'a Safety>,
    /// What is wrong with its file.
    pub diagnostics: &'a Diagnostics,
    /// SHA-256 of its file, if it was computed.
    pub sha256: Option<&'a str>,
}

/// A file that gave no graph.
#[derive(Debug)]
struct Other {
    place: Place,
    file: FileFacts,
    kind: FileKind,
    damaged: bool,
    diagnostics: Diagnostics,
}

/// All files that are open.
#[derive(Debug, Default)]
pub struct Session {
    graphs: Vec<Graph>,
    others: Vec<Other>,
    next_handle: u32,
    last_alignment: Option<((u32, u32, Alignment), Vec<u32>)>,
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
        } = file;
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
            safety: None,
            diagnostics,
            siblings: Vec::new(),
            kept: table::Kept::default(),
            map: KeptMap::default(),
        });
        self.graphs
            .sort_by(|a, b| name_order(&a.file.name, &b.file.name));
        Some(handle)
    }

    /// Answers a question about what is open.
    pub fn answer(&mut self, request: &Request) -> Response {
        match *request {
            Request::Graphs => Response::Graphs(self.list()),
            Request::Overview { graph } => {
                self.with(graph, |g| Response::Overview(Box::new(g.overview())))
            }
            Request::Chart {
                graph,
                first,
                last,
                columns,
            } => self.with(graph, |g| {
                Response::Chart(curves::chart(&g.of(), &g.facts, first, last, columns))
            }),
            Request::Step { graph, step } => self.with(graph, |g| {
                g.step(step).map_or(Response::Nothing, Response::Step)
            }),
            Request::Table(ref request) => self.explore(request.graph, |of, kept| {
                table::rows(of, kept, request).map(Response::Table)
            }),
            Request::Groups(ref request) => self.explore(request.graph, |of, kept| {
                groups::groups(of, kept, request).map(Response::Groups)
            }),
            Request::Tensor { graph, id } => self.explore(graph, |of, _| {
                details::tensor(of, id).map(|facts| Response::Tensor(Box::new(facts)))
            }),
            Request::Node { graph, step } => self.explore(graph, |of, _| {
                details::node(of, step).map(|facts| Response::Node(Box::new(facts)))
            }),
            Request::Parameter { graph, id } => self.explore(graph, |of, kept| {
                details::parameter(of, kept, id).map(|facts| Response::Parameter(Box::new(facts)))
            }),
            Request::Overlay(ref request) => self.overlay(request),
            Request::Map(ref request) => self.paint_map(request, &mut Vec::new()),
            Request::MapFacts { graph, key } => self.with_mut(graph, |g| {
                let safety = g.safety.as_ref();
                Response::MapFacts(g.map.facts(&g.plan, &g.facts, safety, key))
            }),
            Request::MapPlace {
                graph,
                at,
                steps,
                bytes,
            } => self.with_mut(graph, |g| {
                let planned = g.facts.planned_total;
                Response::MapPlace(g.map.place(&g.plan, planned, at, (steps, bytes)))
            }),
            Request::MapMarks { graph, id } => self.with(graph, |g| {
                map::marks(&g.plan, id).map_or(Response::Nothing, Response::MapMarks)
            }),
            Request::Close { graph } => {
                self.graphs.retain(|g| g.handle != graph);
                self.last_alignment = None;
                Response::Graphs(self.list())
            }
        }
    }

    /// Judges a graph: from then on its summary holds the verdict. `None` when there is no such
    /// graph.
    pub fn judge(&mut self, handle: u32) -> Option<&Safety> {
        let graph = self.graphs.iter_mut().find(|g| g.handle == handle)?;
        let plan = &graph.plan;
        Some(graph.safety.get_or_insert_with(|| analysis::safety(plan)))
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
            plan: &g.plan,
            liveness: &g.liveness,
            facts: &g.facts,
            safety: g.safety.as_ref(),
            diagnostics: &g.diagnostics,
            sha256: g.file.sha256.as_deref(),
        })
    }

    /// Takes lifelong kinds from an offline log; the value is how many tensors they changed.
    pub fn take_offline_log(&mut self, handle: u32, log: &OfflineLog) -> u32 {
        let Some(g) = self.graphs.iter_mut().find(|g| g.handle == handle) else {
            return 0;
        };
        let changed = g.plan.take_lifelong(log);
        if changed > 0 {
            g.liveness = analysis::liveness(&g.plan);
            g.facts = analysis::facts(&g.plan, &g.liveness);
            g.safety = None;
            g.map = KeptMap::default();
        }
        changed
    }

    fn graph(&self, handle: u32) -> Option<&Graph> {
        self.graphs.iter().find(|g| g.handle == handle)
    }

    fn with(&self, handle: u32, answer: impl FnOnce(&Graph) -> Response) -> Response {
        self.graph(handle).map_or(Response::Nothing, answer)
    }

    fn with_mut(&mut self, handle: u32, answer: impl FnOnce(&mut Graph) -> Response) -> Response {
        let graph = self.graphs.iter_mut().find(|g| g.handle == handle);
        graph.map_or(Response::Nothing, answer)
    }

    /// Paints the memory map into `pixels`: four bytes a pixel, the highest row first.
    pub fn paint_map(&mut self, request: &map::MapRequest, pixels: &mut Vec<u8>) -> Response {
        self.with_mut(request.graph, |g| {
            Response::Map(g.map.paint(&g.plan, g.safety.as_ref(), request, pixels))
        })
    }

    fn explore(
        &mut self,
        handle: u32,
        answer: impl FnOnce(&table::Of<'_>, &mut table::Kept) -> Option<Response>,
    ) -> Response {
        let graph = self.graphs.iter_mut().find(|g| g.handle == handle);
        let answered = graph.and_then(|g| {
            let mut kept = std::mem::take(&mut g.kept);
            let answered = answer(&g.of(), &mut kept);
            g.kept = kept;
            answered
        });
        answered.unwrap_or(Response::Nothing)
    }

    fn overlay(&mut self, request: &OverlayRequest) -> Response {
        let key = (request.graph, request.other, request.alignment);
        let (Some(g), Some(other)) = (
            self.graphs.iter().find(|g| g.handle == request.graph),
            self.graphs.iter().find(|g| g.handle == request.other),
        ) else {
            return Response::Nothing;
        };
        // Moving the window asks for the same alignment again and again.
        let lies_on = match &self.last_alignment {
            Some((of, lies_on)) if *of == key => lies_on,
            _ => {
                let lies_on = curves::alignment(&g.plan, &other.plan, request.alignment);
                &self.last_alignment.insert((key, lies_on)).1
            }
        };
        let (of, laid_over) = (g.of(), other.of());
        let columns = curves::overlay(&of, &laid_over, &other.facts, lies_on, request);
        Response::Overlay(columns)
    }

    /// Sorts files to graphs: what is no plan goes beside the plan of the same graph, and so does
    /// an early stage where the final plan is open.
    fn list(&mut self) -> Graphs {
        let finals: Vec<Place> = self
            .graphs
            .iter()
            .filter(|g| g.is_final())
            .map(|g| g.place.clone())
            .collect();
        let known: Vec<Place> = self.graphs.iter().map(|g| g.place.clone()).collect();
        let has =
            |places: &[Place], place: &Place| place.graph_id.is_some() && places.contains(place);
        let mut beside: Vec<(Place, Sibling)> = Vec::new();
        for g in self
            .graphs
            .iter()
            .filter(|g| !g.is_final() && has(&finals, &g.place))
        {
            beside.push((g.place.clone(), sibling(&g.file.name, words::Kind::Stage)));
        }
        let mut others = Vec::new();
        for other in &self.others {
            if other.kind.is_sibling() && has(&known, &other.place) {
                beside.push((
                    other.place.clone(),
                    sibling(&other.file.name, words::kind_word(other.kind)),
                ));
            } else {
                others.push(other.describe());
            }
        }
        let mut rows = Vec::new();
        for g in &mut self.graphs {
            let mine = g.place.graph_id.is_some() && (g.is_final() || !finals.contains(&g.place));
            g.siblings = beside
                .iter()
                .filter(|(place, _)| mine && *place == g.place)
                .map(|(_, s)| s.clone())
                .collect();
            if g.is_final() || !has(&finals, &g.place) {
                rows.push(g.row());
            }
        }
        Graphs {
            graphs: rows,
            others,
        }
    }
}

impl Graph {
    fn is_final(&self) -> bool {
        self.plan.kind == PlanKind::Plan
    }

    fn summary(&self) -> Summary {
        let (graph_id, rank) = (self.place.graph_id, self.place.rank);
        json::summary(
            &self.plan,
            &self.facts,
            json::Source {
                file: &self.file,
                graph_id,
                rank,
                safety: self.safety.as_ref(),
                diagnostics: &self.diagnostics,
            },
        )
    }

    fn row(&self) -> GraphRow {
        GraphRow {
            graph: self.handle,
            name: names::display(self.file.name.as_bytes()),
            kind: self.plan.kind.word().to_owned(),
            planned_total: self.facts.planned_total,
            in_use: self.facts.peak.alive + self.facts.static_memory,
            warnings: self.diagnostics.warnings,
            incomplete: self.plan.incomplete.is_some(),
            siblings: self.siblings.clone(),
        }
    }

    fn overview(&self) -> Overview {
        Overview {
            graph: self.handle,
            summary: self.summary(),
            steps: self.plan.steps,
            ordered: self.plan.ordered,
            messages: messages(&self.diagnostics, &self.file.name),
            siblings: self.siblings.clone(),
        }
    }

    fn step(&self, step: u32) -> Option<StepFacts> {
        let at = step as usize;
        let alive = *self.liveness.alive.get(at)?;
        let node = self.plan.nodes.at_step(step);
        Some(StepFacts {
            step,
            node: node
                .map(|n| names::display(self.plan.node_name(n)))
                .unwrap_or_default(),
            stream: node
                .filter(|_| self.plan.ordered)
                .map(|n| self.plan.nodes.stream_of(n)),
            alive,
            in_use: alive + self.facts.static_memory,
            total_tensor: *self.liveness.total.get(at)?,
            alive_tensors: *self.liveness.pieces.get(at)?,
        })
    }

    fn of(&self) -> table::Of<'_> {
        table::Of {
            plan: &self.plan,
            liveness: &self.liveness,
            static_memory: self.facts.static_memory,
        }
    }
}

impl Other {
    fn describe(&self) -> OtherFile {
        let messages = messages(&self.diagnostics, &self.file.name);
        OtherFile {
            name: shown(&self.file.name),
            damaged: self.damaged,
            messages,
            errors: self.diagnostics.errors,
        }
    }
}

fn shown(name: &str) -> String {
    names::display(base_name(name).as_bytes())
}

fn bilingual(text: impl Fn(Lang) -> String) -> Bilingual {
    Bilingual {
        en: text(Lang::En),
        zh: text(Lang::Zh),
    }
}

fn sibling(name: &str, what: words::Kind) -> Sibling {
    Sibling {
        name: names::display(name.as_bytes()),
        what: bilingual(|lang| what.text(lang).to_owned()),
    }
}

/// Errors and warnings ready to show.
pub fn messages(found: &Diagnostics, file: &str) -> Vec<Message> {
    found
        .list
        .iter()
        .map(|d| message(d, &shown(file)))
        .collect()
}

fn message(d: &Diagnostic, file: &str) -> Message {
    Message {
        severity: d.code.severity().word().to_owned(),
        code: Code::word(d.code).to_owned(),
        line: d.line,
        column: d.column,
        text: bilingual(|lang| words::sentence(d, file, lang)),
        excerpt: d
            .excerpt
            .as_ref()
            .map(|e| words::excerpt_lines(d.line, e))
            .unwrap_or_default(),
        hint: bilingual(|lang| words::hint(d, lang).to_owned()),
    }
}

/// Names in an order people expect: numbers by value (`_2` before `_10`).
pub fn name_order(a: &str, b: &str) -> std::cmp::Ordering {
    let key = |name: &str| {
        let mut parts: Vec<(String, u64)> = Vec::new();
        let mut text = String::new();
        let mut digits = String::new();
        for c in name.chars().chain(['\0']) {
            if c.is_ascii_digit() {
                digits.push(c);
                continue;
            }
            if !digits.is_empty() {
                parts.push((
                    std::mem::take(&mut text),
                    digits.parse().unwrap_or(u64::MAX),
                ));
                digits.clear();
            }
            text.push(c);
        }
        parts.push((text, 0));
        parts
    };
    key(a).cmp(&key(b)).then_with(|| a.cmp(b))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_sort_by_their_numbers() {
        let mut names = ["g_10.ir", "g_9.ir", "g_1.ir", "a.ir"];
        names.sort_by(|a, b| name_order(a, b));
        assert_eq!(names, ["a.ir", "g_1.ir", "g_9.ir", "g_10.ir"]);
    }
}
