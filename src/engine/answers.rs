//! Answers to what a face asks of the graphs that are open.

use super::explore::OverlayRequest;
use super::messages::messages;
use super::protocol::{GraphRow, Overview, Request, Response, StepFacts};
use super::session::{Graph, Judgement, Session};
use super::{curves, details, explore, groups, lookup, map, safety, share, table, tasks};
use crate::analysis;
use crate::model::PlanKind;
use crate::report::json::{self, Summary};
use crate::report::names;

impl Session {
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
            Request::Table(ref request) if request.table.is_made_whole() => {
                self.judged(request.graph, |g| g.short_table(request))
            }
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
            Request::Addresses { graph, start, end } => self.explore(graph, |of, _| {
                let facts = lookup::addresses(of, start, end);
                Some(Response::Addresses(Box::new(facts)))
            }),
            Request::Search {
                graph,
                ref text,
                size,
            } => self.explore(graph, |of, _| {
                Some(Response::Found(lookup::search(of, text, size)))
            }),
            Request::Base { graph, base } => {
                if let Some(g) = self.graphs.iter_mut().find(|g| g.handle == graph) {
                    g.given_base = base;
                }
                self.answer(&Request::Overview { graph })
            }
            Request::Overlay(ref request) => self.overlay(request),
            Request::Judge { graph } => {
                self.judge(graph, false);
                self.with(graph, |g| Response::Row(Box::new(g.row())))
            }
            Request::Safety { graph } => self.judged(graph, |g| {
                let (judged, rules) = (g.judged.as_ref()?, g.rules.as_mut());
                let judged = (&judged.safety, &judged.findings);
                let facts = safety::facts(graph, &g.plan, judged, g.tasks.as_ref(), rules);
                Some(Response::Safety(facts))
            }),
            Request::Pair { graph, a, b } => self.judged(graph, |g| {
                let (safety, rules) = (&g.judged.as_ref()?.safety, g.rules.as_mut()?);
                let facts = safety::pair(graph, &g.plan, safety, rules, (a, b))?;
                Some(Response::Pair(Box::new(facts)))
            }),
            Request::Overlaps { graph, of } => self.judged(graph, |g| {
                g.find_overlaps(of)?;
                let (_, found, _) = g.kept.overlaps.as_ref()?;
                Some(Response::Overlaps(safety::boxes(&g.plan, of, found)))
            }),
            Request::Save(ref what) => self.save(what),
            Request::Share(ref request) => {
                self.judge(request.graph, false);
                self.with(request.graph, |g| {
                    let source = share::Source {
                        plan: &g.plan,
                        liveness: &g.liveness,
                        facts: &g.facts,
                        judged: g.judged.as_ref(),
                        summary: &g.summary(),
                    };
                    share::fragment(&source, request).map_or(Response::Nothing, Response::Share)
                })
            }
            Request::Map(ref request) => self.paint_map(request, &mut Vec::new()),
            Request::MapFacts { graph, key } => self.with_mut(graph, |g| {
                let band = map::band(&g.of());
                let safety = g.judged.as_ref().map(|j| &j.safety);
                Response::MapFacts(g.map.facts(&g.plan, &g.facts, safety, (key, band)))
            }),
            Request::MapLit { graph, ref text } => {
                self.with(graph, |g| Response::MapLit(map::lit(&g.of(), text)))
            }
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
            let safety = g.judged.as_ref().map(|j| &j.safety);
            Response::Map(g.map.paint((&g.plan, &g.facts), safety, request, pixels))
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

    /// An answer about a graph that is judged by now.
    fn judged(
        &mut self,
        handle: u32,
        answer: impl FnOnce(&mut Graph) -> Option<Response>,
    ) -> Response {
        let answered = self.judge(handle, true).and_then(answer);
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
}

impl Graph {
    pub(super) fn is_final(&self) -> bool {
        self.plan.kind == PlanKind::Plan
    }

    pub(super) fn summary(&self) -> Summary {
        let (graph_id, rank) = (self.place.graph_id, self.place.rank);
        json::summary(
            &self.plan,
            &self.facts,
            json::Source {
                file: &self.file,
                graph_id,
                rank,
                judged: self.judged.as_ref().map(|j| (&j.safety, &j.findings)),
                diagnostics: &self.diagnostics,
            },
        )
    }

    /// Makes sure that the overlaps of a selection are there; `None` when there is no such thing.
    fn find_overlaps(&mut self, of: safety::OverlapOf) -> Option<()> {
        if self
            .kept
            .overlaps
            .as_ref()
            .is_some_and(|(own, ..)| *own == of)
        {
            return Some(());
        }
        let selection = safety::selection(&self.of(), &of)?;
        let found = match (&self.judged, &mut self.rules) {
            (Some(judged), Some(rules)) => {
                analysis::overlaps(&self.plan, rules, &judged.safety, selection)
            }
            _ => analysis::Overlaps::default(),
        };
        let rows = safety::overlap_rows(&self.of(), &found);
        self.kept.overlaps = Some((of, found, rows));
        Some(())
    }

    /// Rows of a table that is made as a whole.
    fn short_table(&mut self, request: &explore::TableRequest) -> Option<Response> {
        if request.table == explore::TableName::Overlaps {
            self.find_overlaps(request.overlap)?;
            let (_, found, rows) = self.kept.overlaps.as_ref()?;
            return Some(Response::Table(table::page(rows, found.total, request)));
        }
        if self.kept.findings.is_none() {
            let Judgement { safety, findings } = self.judged.as_ref()?;
            let rows = safety::finding_rows(&self.of(), safety, findings, &self.positions);
            self.kept.findings = Some(rows);
        }
        let rows = self.kept.findings.as_ref()?;
        Some(Response::Table(table::page(
            rows,
            rows.len() as u64,
            request,
        )))
    }

    pub(super) fn row(&self) -> GraphRow {
        GraphRow {
            graph: self.handle,
            name: names::display(self.file.name.as_bytes()),
            kind: self.plan.kind.word().to_owned(),
            planned_total: self.facts.planned_total,
            in_use: self.facts.peak.alive + self.facts.static_memory,
            warnings: self.diagnostics.warnings,
            incomplete: self.plan.incomplete.is_some(),
            rank: self.place.rank,
            graph_id: self.place.graph_id,
            sha256: self.file.sha256.clone(),
            found: self.judged.as_ref().map(|judged| {
                let tasks = self.tasks.as_ref();
                let tasks = tasks.map_or(0, |t| t.check.findings.len() as u64);
                judged.safety.count + judged.findings.wrong() + tasks
            }),
            verdict: self
                .judged
                .as_ref()
                .filter(|_| self.is_final())
                .map(|j| json::verdict_word(j.safety.verdict).to_owned()),
            siblings: self.siblings.clone(),
        }
    }

    fn overview(&self) -> Overview {
        let own = (&self.file.name, &self.diagnostics);
        let beside = self.beside.iter().map(|(file, found)| (file, found));
        let said = std::iter::once(own)
            .chain(beside)
            .flat_map(|(file, found)| messages(found, file));
        let tasks = self.tasks.as_ref();
        Overview {
            graph: self.handle,
            summary: self.summary(),
            steps: self.plan.steps,
            ordered: self.plan.ordered,
            messages: said.collect(),
            siblings: self.siblings.clone(),
            base: self.base().0,
            base_from: self.base().1.to_owned(),
            tasks: tasks.map(|t| Box::new(tasks::facts(&self.plan, t))),
        }
    }

    /// Where offset 0 lies, and what tells it: `given`, `tasks`, `dump`, or nothing.
    fn base(&self) -> (u64, &'static str) {
        let of_tasks = self.tasks.as_ref().and_then(|t| t.check.base);
        let bases = [
            (self.given_base, "given"),
            (of_tasks, "tasks"),
            (self.plan.arena_base, "dump"),
        ];
        let known = bases
            .into_iter()
            .find_map(|(base, from)| Some((base?, from)));
        known.unwrap_or_default()
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

    pub(super) fn of(&self) -> table::Of<'_> {
        table::Of {
            plan: &self.plan,
            liveness: &self.liveness,
            static_memory: self.facts.static_memory,
            planned_total: self.facts.planned_total,
            base: self.base().0,
            tasks: self.tasks.as_ref(),
        }
    }
}
