//! A graph on its way to the screen: what is shown stays until all its parts are there.

use std::rc::Rc;

use super::alive_table::PAGE_ROWS;
use super::inputs::Input;
use super::worker_link::{Lane, WorkerLink};
use super::{Fault, Result};
use crate::engine::protocol::{
    AliveRows, ChartColumns, Graphs, Overview, Request, Response, StepFacts,
};
use crate::engine::view::ViewState;

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
    /// Its curves; empty for a graph without nodes.
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

/// A graph whose parts are being fetched.
pub struct Opening {
    /// The worker that opens it.
    pub link: Rc<WorkerLink>,
    /// The files.
    pub inputs: Rc<Vec<Input>>,
    /// Known when all files are read.
    pub graphs: Option<Rc<Graphs>>,
    /// What to look at first.
    pub view: ViewState,
    /// Columns wanted for the chart.
    pub columns_wanted: u32,
    overview: Option<Overview>,
    columns: Option<ChartColumns>,
    step: Option<Option<StepFacts>>,
    rows: Option<AliveRows>,
}

impl Opening {
    /// Nothing fetched yet.
    pub fn new(
        link: Rc<WorkerLink>,
        inputs: Rc<Vec<Input>>,
        view: ViewState,
        columns_wanted: u32,
    ) -> Self {
        Self {
            link,
            inputs,
            graphs: None,
            view,
            columns_wanted,
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
        self.link
            .ask(Lane::NewOverview, &Request::Overview { graph: row.graph })?;
        self.graphs = Some(graphs);
        Ok(())
    }

    /// Takes a part.
    pub fn take(&mut self, lane: Lane, response: Response) -> Result<()> {
        match (lane, response) {
            (Lane::NewOverview, Response::Overview(overview)) => self.take_overview(*overview)?,
            (Lane::NewChart, Response::Chart(columns)) => self.columns = Some(columns),
            (Lane::NewStep, Response::Step(step)) => self.step = Some(Some(step)),
            (Lane::NewAlive, Response::Alive(rows)) => self.rows = Some(rows),
            (Lane::NewOverview | Lane::NewChart | Lane::NewStep | Lane::NewAlive, _) => {
                return Err(Fault::new("an answer of the wrong kind"));
            }
            _ => {}
        }
        Ok(())
    }

    fn take_overview(&mut self, overview: Overview) -> Result<()> {
        let graph = overview.graph;
        self.view.step = self.view.step.filter(|step| *step < overview.steps);
        let step = self.view.step.or(overview.summary.max_in_use.step);
        match (step, overview.steps.checked_sub(1)) {
            (Some(step), Some(last)) => {
                let columns = self.columns_wanted;
                self.link.ask(
                    Lane::NewChart,
                    &Request::Chart {
                        graph,
                        first: 0,
                        last,
                        columns,
                    },
                )?;
                self.link
                    .ask(Lane::NewStep, &Request::Step { graph, step })?;
                self.link.ask(
                    Lane::NewAlive,
                    &Request::Alive {
                        graph,
                        step,
                        first: 0,
                        rows: PAGE_ROWS,
                    },
                )?;
            }
            _ => {
                self.columns = Some(ChartColumns::default());
                self.step = Some(None);
                self.rows = Some(AliveRows::default());
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
    pub fn finish(self) -> Option<(Shown, AliveRows, ViewState)> {
        let shown = Shown {
            link: self.link,
            inputs: self.inputs,
            graphs: self.graphs?,
            overview: self.overview?,
            columns: self.columns?,
            step: self.step?,
        };
        Some((shown, self.rows?, self.view))
    }
}
