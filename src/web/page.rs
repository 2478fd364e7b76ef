//! The page: one state, drawn on the skeleton of `index.html`.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Function;

use super::alive_table::AliveTable;
use super::inputs::Input;
use super::opening::{Opening, Shown};
use super::problems::Problem;
use super::usage_chart::UsageChart;
use super::worker_link::{Event, Lane, WorkerLink};
use super::{dom, facts, header, history, numbers, problems, selection, wiring, words, Result};
use crate::engine::base_name;
use crate::engine::protocol::{Request, Response};
use crate::engine::view::ViewState;
use crate::report::names;

/// The page.
pub struct Page {
    start_worker: Function,
    /// A plan to try.
    pub sample: Input,
    /// What is on the screen, or was before a problem.
    shown: RefCell<Option<Shown>>,
    /// What will be next.
    opening: RefCell<Option<Opening>>,
    problem: RefCell<Option<Problem>>,
    view: RefCell<ViewState>,
    chart: UsageChart,
    table: AliveTable,
}

impl Page {
    /// Writes the words, listens, and is empty.
    pub fn start(start_worker: Function, sample: Input) -> Result<()> {
        words::choose()?;
        let page = Rc::new(Self {
            start_worker,
            sample,
            shown: RefCell::default(),
            opening: RefCell::default(),
            problem: RefCell::default(),
            // A reloaded page shows the same step once its file is opened again.
            view: RefCell::new(history::read()?),
            chart: UsageChart::new()?,
            table: AliveTable::new()?,
        });
        wiring::wire(&page)?;
        page.tell_state()
    }

    /// Opens files in a worker of their own; what is shown stays until they are read.
    pub fn open(self: &Rc<Self>, mut inputs: Vec<Input>) -> Result<()> {
        self.opening.take();
        if inputs.is_empty() {
            return self.fail(Problem::Nothing);
        }
        inputs.sort_by(|a, b| a.name.cmp(&b.name));
        let weak = Rc::downgrade(self);
        let link = WorkerLink::start(&self.start_worker, move |link, event| {
            match weak.upgrade() {
                Some(page) => page.hear(link, event),
                None => Ok(()),
            }
        })?;
        link.open(&inputs)?;
        let first = self.shown.borrow().is_none() && self.problem.borrow().is_none();
        let view = if first {
            self.view.borrow().clone()
        } else {
            ViewState::default()
        };
        let opening = Opening::new(link, Rc::new(inputs), view, self.chart.columns());
        *self.opening.borrow_mut() = Some(opening);
        header::show_progress(0.0, 0.0, "")?;
        self.tell_state()
    }

    /// Opens the same files again, the damaged ones in part.
    pub fn open_partial(self: &Rc<Self>) -> Result<()> {
        let Some((graphs, inputs)) = self.files() else {
            return Ok(());
        };
        let damaged = |name: &str| {
            let base = names::display(base_name(name).as_bytes());
            graphs.others.iter().any(|o| o.damaged && o.name == base)
        };
        let inputs = inputs.iter().cloned().map(|i| Input {
            partial: i.partial || damaged(&i.name),
            ..i
        });
        self.open(inputs.collect())
    }

    fn files(&self) -> Option<(Rc<crate::engine::protocol::Graphs>, Rc<Vec<Input>>)> {
        match &*self.problem.borrow() {
            Some(Problem::Files { graphs, inputs }) => Some((graphs.clone(), inputs.clone())),
            Some(_) => None,
            None => self
                .shown
                .borrow()
                .as_ref()
                .map(|s| (s.graphs.clone(), s.inputs.clone())),
        }
    }

    /// Ends an opening; what was shown before is still there.
    pub fn cancel(&self) -> Result<()> {
        self.opening.take();
        header::show_graph(self.shown.borrow().as_ref(), &self.view.borrow())?;
        self.tell_state()
    }

    /// From a problem back to the plan that was shown before it.
    pub fn back_to_plan(&self) -> Result<()> {
        self.problem.take();
        self.draw()
    }

    /// Shows another of the open graphs.
    pub fn show_graph(&self, view: ViewState) -> Result<()> {
        let opening = match &*self.shown.borrow() {
            Some(shown) => {
                let columns = self.chart.columns();
                let mut opening =
                    Opening::new(shown.link.clone(), shown.inputs.clone(), view, columns);
                opening.begin(shown.graphs.clone())?;
                opening
            }
            None => return Ok(()),
        };
        *self.opening.borrow_mut() = Some(opening);
        self.tell_state()
    }

    /// Goes where the address says.
    pub fn go_to(&self, view: ViewState) -> Result<()> {
        let (graph, open) = (
            self.view.borrow().graph,
            self.shown.borrow().as_ref().map(|s| s.graphs.graphs.len()),
        );
        match open {
            Some(open) if view.graph != graph && (view.graph as usize) < open => {
                self.show_graph(view)
            }
            Some(_) => self.select(view.step),
            None => {
                *self.view.borrow_mut() = view;
                Ok(())
            }
        }
    }

    /// Selects a step (`None` is the peak) without a new entry in the history.
    pub fn select(&self, step: Option<u32>) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        let step = step.filter(|s| shown.has_step(*s));
        let Some(at) = step.or(shown.peak()) else {
            return Ok(());
        };
        self.view.borrow_mut().step = step;
        self.chart.mark_selected(Some(at))?;
        selection::point(at)?;
        let graph = shown.overview.graph;
        shown
            .link
            .ask(Lane::Step, &Request::Step { graph, step: at })?;
        shown
            .link
            .ask(Lane::Alive, &self.table.first_page(graph, at))
    }

    /// Selects a step and remembers where we were.
    pub fn select_and_push(&self, step: u32) -> Result<()> {
        self.select(Some(step))?;
        self.remember()
    }

    /// Puts the view into the history.
    pub fn remember(&self) -> Result<()> {
        history::push(&self.view.borrow())
    }

    /// The step that is selected now, and the last one.
    pub fn selected(&self) -> Option<(u32, u32)> {
        let shown = self.shown.borrow();
        let shown = shown.as_ref()?;
        Some((
            self.view.borrow().step.or(shown.peak())?,
            shown.overview.steps.checked_sub(1)?,
        ))
    }

    /// The pointer is over a place of the chart, or over none.
    pub fn hover(&self, x: Option<f64>) -> Result<()> {
        let shown = self.shown.borrow();
        let step = match (x, &*shown) {
            (Some(x), Some(shown)) => self.chart.step_at(x, &shown.columns),
            _ => None,
        };
        if self.chart.mark_hover(step)? {
            match (step, &*shown) {
                (Some(step), Some(shown)) => {
                    let graph = shown.overview.graph;
                    shown
                        .link
                        .ask(Lane::Hover, &Request::Step { graph, step })?;
                }
                _ => selection::readout(None)?,
            }
        }
        Ok(())
    }

    /// The step under a place of the chart.
    pub fn step_at(&self, x: f64) -> Option<u32> {
        self.chart
            .step_at(x, &self.shown.borrow().as_ref()?.columns)
    }

    /// The table was scrolled: shows its rows, asks for those that are not there.
    pub fn scrolled(&self) -> Result<()> {
        if self.problem.borrow().is_some() {
            return Ok(());
        }
        let shown = self.shown.borrow();
        let (Some(shown), Some((step, _))) = (&*shown, self.selected()) else {
            return Ok(());
        };
        match self.table.scrolled(shown.overview.graph, step)? {
            Some(request) => shown.link.ask(Lane::Alive, &request),
            None => Ok(()),
        }
    }

    /// The chart has another size: paints what is there, asks for columns that fit.
    pub fn resized(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        self.chart.paint(&shown.columns)?;
        if self.chart.wants_columns(&shown.columns) {
            let (graph, last) = (shown.overview.graph, shown.overview.steps.saturating_sub(1));
            let columns = self.chart.columns();
            shown.link.ask(
                Lane::Chart,
                &Request::Chart {
                    graph,
                    first: 0,
                    last,
                    columns,
                },
            )?;
        }
        Ok(())
    }

    fn hear(self: &Rc<Self>, link: &Rc<WorkerLink>, event: Event) -> Result<()> {
        let opens = self
            .opening
            .borrow()
            .as_ref()
            .is_some_and(|o| Rc::ptr_eq(&o.link, link));
        let shows = self
            .shown
            .borrow()
            .as_ref()
            .is_some_and(|s| Rc::ptr_eq(&s.link, link));
        match event {
            Event::Progress { name, read, total } if opens => {
                header::show_progress(read, total, &name)
            }
            Event::Opened(graphs) if opens => self.opened(graphs),
            Event::Answer(lane, response) if opens && lane.is_new() => self.arrived(lane, response),
            Event::Answer(lane, response) if shows => self.answered(lane, response),
            Event::Fatal(text) if opens || shows => {
                if shows {
                    self.shown.take();
                }
                self.fail(Problem::Worker(text))
            }
            _ => Ok(()),
        }
    }

    fn opened(&self, graphs: crate::engine::protocol::Graphs) -> Result<()> {
        let graphs = Rc::new(graphs);
        if graphs.graphs.is_empty() {
            let inputs = self
                .opening
                .borrow()
                .as_ref()
                .map(|o| o.inputs.clone())
                .unwrap_or_default();
            return self.fail(Problem::Files { graphs, inputs });
        }
        match self.opening.borrow_mut().as_mut() {
            Some(opening) => opening.begin(graphs),
            None => Ok(()),
        }
    }

    fn arrived(&self, lane: Lane, response: Response) -> Result<()> {
        let complete = match self.opening.borrow_mut().as_mut() {
            Some(opening) => {
                opening.take(lane, response)?;
                opening.is_complete()
            }
            None => false,
        };
        if !complete {
            return Ok(());
        }
        let Some((shown, rows, view)) = self.opening.take().and_then(Opening::finish) else {
            return Ok(());
        };
        let same_files = self
            .shown
            .borrow()
            .as_ref()
            .is_some_and(|s| Rc::ptr_eq(&s.link, &shown.link));
        let before = self.shown.replace(Some(shown));
        drop(before);
        self.problem.take();
        *self.view.borrow_mut() = view;
        if same_files {
            history::push(&self.view.borrow())?;
        } else {
            history::replace(&self.view.borrow())?;
        }
        self.table.take(rows)?;
        self.draw()
    }

    fn answered(&self, lane: Lane, response: Response) -> Result<()> {
        let mut shown = self.shown.borrow_mut();
        let Some(shown) = shown.as_mut() else {
            return Ok(());
        };
        match (lane, response) {
            (Lane::Step, Response::Step(step)) => {
                shown.step = Some(step);
                selection::show(shown)?;
                self.chart
                    .describe(shown.step.as_ref(), shown.overview.steps)
            }
            (Lane::Alive, Response::Alive(rows)) => {
                self.table.take(rows)?;
                self.table.draw(shown)
            }
            (Lane::Hover, Response::Step(step)) => match self.chart.hovered() {
                Some(at) if at == step.step => selection::readout(Some(&step)),
                _ => Ok(()),
            },
            (Lane::Chart, Response::Chart(columns)) => {
                shown.columns = columns;
                self.chart.paint(&shown.columns)
            }
            _ => Ok(()),
        }
    }

    fn fail(&self, problem: Problem) -> Result<()> {
        self.opening.take();
        *self.problem.borrow_mut() = Some(problem);
        self.draw()
    }

    /// Draws everything anew: after opening, in another language, in other colours.
    pub fn draw(&self) -> Result<()> {
        self.tell_state()?;
        let shown = self.shown.borrow();
        let problem = self.problem.borrow();
        header::show_graph(
            shown.as_ref().filter(|_| problem.is_none()),
            &self.view.borrow(),
        )?;
        problems::show(problem.as_ref(), shown.as_ref())?;
        let Some(shown) = shown.as_ref().filter(|_| problem.is_none()) else {
            // Hidden numbers are numbers too.
            return facts::clear()
                .and_then(|()| numbers::clear())
                .and_then(|()| self.table.clear());
        };
        dom::attribute(
            &*dom::body()?,
            "data-no-steps",
            (shown.overview.steps == 0).then_some(""),
        )?;
        facts::show(&shown.overview)?;
        numbers::show(&shown.overview)?;
        self.chart.paint(&shown.columns)?;
        let at = self.view.borrow().step.or(shown.peak());
        self.chart.mark_selected(at)?;
        self.chart
            .describe(shown.step.as_ref(), shown.overview.steps)?;
        selection::readout(None)?;
        selection::show(shown)?;
        self.table.draw(shown)
    }

    /// `data-state` is for whoever waits; `data-screen` is what is on the screen meanwhile.
    fn tell_state(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let screen = match (&*self.problem.borrow(), &*shown) {
            (Some(_), _) => "error",
            (None, Some(_)) => "ready",
            (None, None) => "empty",
        };
        let loading = self.opening.borrow().is_some();
        let incomplete = shown
            .as_ref()
            .is_some_and(|s| s.overview.summary.incomplete.is_some());
        let body = dom::body()?;
        body.set_attribute("data-screen", screen)?;
        body.set_attribute("data-state", if loading { "loading" } else { screen })?;
        dom::attribute(
            &body,
            "data-incomplete",
            (screen == "ready" && incomplete).then_some(""),
        )?;
        header::show_loading(loading)
    }
}
