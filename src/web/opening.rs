//! A graph on its way to the screen: what is shown stays until all its parts are there.

use std::rc::Rc;

use super::inputs::Input;
use super::worker_link::{Lane, WorkerLink};
use super::{Fault, Result};
use crate::engine::explore::{TableRequest, TableRows};
use crate::engine::protocol::{ChartColumns, Graphs, Overview, Request, Response, StepFacts};
use crate::engine::view::{Thing, ViewState};
use crate::report::names;
use crate::sorting;

/// Everything a shown graph needs.
pub struct Shown {
    /// The worker that holds it.
    pub link: Rc<WorkerLink>,
    /// The files it was opened with.
    pub inputs: Rc<Vec<Input>>,
    /// The graphs that were opened together.
    pub graphs: Rc<Graphs>,
    /// Its numbers.
    pub overview: Overview,
    /// The curves of all its steps; empty for a graph without nodes.
    pub whole: ChartColumns,
    /// The curves of the steps in sight.
    pub columns: ChartColumns,
    /// The selected step; `None` for a graph without nodes.
    pub step: Option<StepFacts>,
}

impl Shown {
    /// The step that is selected when nothing else is.
    pub fn peak(&self) -> Option<u32> {
        self.overview.summary.max_in_use.step
    }

    /// Whether the graph has this step.
    pub fn has_step(&self, step: u32) -> bool {
        step < self.overview.steps
    }
}

/// What to open, and what of it is new.
#[derive(Clone, Default)]
pub struct Wanted {
    /// All files.
    pub inputs: Rc<Vec<Input>>,
    /// Names of those that were not open before.
    pub fresh: Rc<Vec<String>>,
}

impl Wanted {
    /// Files beside those that are open. One of the same name and size takes its place; else two
    /// runs wrote a file of that name, and the new one lies in a folder called by a number.
    pub fn beside(open: &[Input], fresh: Vec<Input>) -> Self {
        let mut inputs = open.to_vec();
        let (mut names, mut run) = (Vec::new(), 1);
        for mut input in fresh {
            let own = input.name.clone();
            loop {
                // What came with the file of another run belongs to it.
                if run > 1 {
                    input.name = format!("{run}/{own}");
                }
                let size = input.blob.size();
                let clash = |i: &Input| i.name == input.name && i.blob.size() != size;
                if !inputs.iter().any(clash) {
                    break;
                }
                run += 1;
            }
            inputs.retain(|i| i.name != input.name);
            names.push(input.name.clone());
            inputs.push(input);
        }
        sorting::sort_by(&mut inputs, |a, b| a.name.cmp(&b.name));
        Self {
            inputs: Rc::new(inputs),
            fresh: Rc::new(names),
        }
    }

    fn is_fresh(&self, shown: &str) -> bool {
        self.fresh
            .iter()
            .any(|name| names::display(name.as_bytes()) == shown)
    }

    /// The place of the first graph that the new files gave or belong to.
    pub fn graph_of_fresh(&self, graphs: &Graphs) -> Option<u32> {
        let own = |row: &crate::engine::protocol::GraphRow| self.is_fresh(&row.name);
        let beside = |row: &crate::engine::protocol::GraphRow| {
            row.siblings.iter().any(|s| self.is_fresh(&s.name))
        };
        let rows = &graphs.graphs;
        let place = rows
            .iter()
            .position(own)
            .or_else(|| rows.iter().position(beside))?;
        u32::try_from(place).ok()
    }
}

/// The first rows of a graph, and where to look.
pub struct First {
    /// What is alive.
    pub rows: TableRows,
    /// What to look at.
    pub view: ViewState,
}

/// How the views of the page are set, for the first requests.
#[derive(Clone, Default)]
pub struct Asking {
    /// Columns wanted for the chart.
    pub columns: u32,
    /// The first page of what is alive.
    pub alive: TableRequest,
}

/// A graph whose parts are being fetched.
pub struct Opening {
    /// The worker that opens it.
    pub link: Rc<WorkerLink>,
    /// The files.
    pub wanted: Wanted,
    /// Known when all files are read.
    pub graphs: Option<Rc<Graphs>>,
    /// What to look at first.
    pub view: ViewState,
    asking: Asking,
    overview: Option<Overview>,
    columns: Option<ChartColumns>,
    step: Option<Option<StepFacts>>,
    rows: Option<TableRows>,
}

impl Opening {
    /// Nothing fetched yet.
    pub fn new(link: Rc<WorkerLink>, wanted: Wanted, view: ViewState, asking: Asking) -> Self {
        Self {
            link,
            wanted,
            graphs: None,
            view,
            asking,
            overview: None,
            columns: None,
            step: None,
            rows: None,
        }
    }

    /// The files are read: asks for the graph to show, the first one when there is no such place.
    pub fn begin(&mut self, graphs: Rc<Graphs>) -> Result<()> {
        if self.view.graph as usize >= graphs.graphs.len() {
            self.view = ViewState::default();
        }
        let row = graphs
            .graphs
            .get(self.view.graph as usize)
            .ok_or_else(|| Fault::new("no graph to show"))?;
        // Gives the overview; no base is one, too, on the way back to it.
        let request = Request::Base {
            graph: row.graph,
            base: self.view.base,
        };
        self.link.ask(Lane::NewOverview, &request)?;
        self.graphs = Some(graphs);
        Ok(())
    }

    /// Takes a part.
    pub fn take(&mut self, lane: Lane, response: Response) -> Result<()> {
        match (lane, response) {
            (Lane::NewOverview, Response::Overview(overview)) => self.take_overview(*overview)?,
            (Lane::NewChart, Response::Chart(columns)) => self.columns = Some(columns),
            (Lane::NewStep, Response::Step(step)) => self.step = Some(Some(step)),
            (Lane::NewAlive, Response::Table(rows)) => self.rows = Some(rows),
            (Lane::NewAlive, Response::Nothing) => self.rows = Some(TableRows::default()),
            (lane, _) if lane.is_new() => {
                Fault::throw("an answer of the wrong kind");
            }
            _ => {}
        }
        Ok(())
    }

    fn take_overview(&mut self, overview: Overview) -> Result<()> {
        let graph = overview.graph;
        if let (None, Some(Thing::Node(step))) = (self.view.step, self.view.selected) {
            self.view.step = Some(step);
        }
        self.view.step = self.view.step.filter(|step| *step < overview.steps);
        let step = self.view.step.or(overview.summary.max_in_use.step);
        match (step, overview.steps.checked_sub(1)) {
            (Some(step), Some(last)) => {
                let columns = self.asking.columns;
                let chart = Request::Chart {
                    graph,
                    first: 0,
                    last,
                    columns,
                };
                let alive = TableRequest {
                    graph,
                    step,
                    ..self.asking.alive.clone()
                };
                self.link.ask(Lane::NewChart, &chart)?;
                self.link
                    .ask(Lane::NewStep, &Request::Step { graph, step })?;
                self.link.ask(Lane::NewAlive, &Request::Table(alive))?;
            }
            _ => {
                self.columns = Some(ChartColumns::default());
                self.step = Some(None);
                self.rows = Some(TableRows::default());
            }
        }
        self.overview = Some(overview);
        Ok(())
    }

    /// Whether all parts are there.
    pub fn is_complete(&self) -> bool {
        self.overview.is_some()
            && self.columns.is_some()
            && self.step.is_some()
            && self.rows.is_some()
    }

    /// The parts, when all are there.
    pub fn finish(self) -> Option<(Shown, First)> {
        let columns = self.columns?;
        let shown = Shown {
            link: self.link,
            inputs: self.wanted.inputs,
            graphs: self.graphs?,
            overview: self.overview?,
            whole: columns.clone(),
            columns,
            step: self.step?,
        };
        let first = First {
            rows: self.rows?,
            view: self.view,
        };
        Some((shown, first))
    }
}
