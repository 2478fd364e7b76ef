//! The page: one state, drawn on the skeleton of `index.html`. This part opens files and keeps what
//! is shown; `exploring` walks through it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Function;

use super::budget::Budget;
use super::charts::{Charts, Painted};
use super::compare::Compare;
use super::groups::GroupsView;
use super::inputs::Input;
use super::linked::Linked;
use super::map::MapView;
use super::opening::{Asking, First, Opening, Shown, Wanted};
use super::problems::Problem;
use super::safety::SafetyView;
use super::saving::Saver;
use super::search::SearchBox;
use super::sharing::Sharing;
use super::strip::Strip;
use super::table::Table;
use super::worker_link::{Event, Lane, WorkerLink};
use super::zoom::Window;
use super::{
    addresses, dom, facts, graphs, header, history, numbers, oom, problems, selection, wiring,
    words, Result,
};
use crate::engine::explore::{Narrow, TableName};
use crate::engine::lookup::Found;
use crate::engine::protocol::{Graphs, Response};
use crate::engine::view::ViewState;
use crate::parse::oom::OomMessage;
use crate::report::names;

/// The page.
pub struct Page {
    pub(super) start_worker: Function,
    /// What lies in a dropped folder, see [`inputs::of_drop`](super::inputs::of_drop).
    pub files_below: Function,
    /// A worker that is ready to open files: starting one takes as long as reading a small plan.
    spare: RefCell<Option<Rc<WorkerLink>>>,
    /// Whether a worker has run what reading runs: then the code is fast for all.
    warm: Cell<bool>,
    /// A plan to try.
    pub sample: Input,
    /// What is on the screen, or was before a problem.
    pub(super) shown: RefCell<Option<Shown>>,
    /// What will be next.
    opening: RefCell<Option<Opening>>,
    pub(super) problem: RefCell<Option<Problem>>,
    /// The summary of a link; then nothing is open.
    pub(super) linked: RefCell<Option<Rc<Linked>>>,
    pub(super) view: RefCell<ViewState>,
    pub(super) charts: Charts,
    pub(super) strip: Strip,
    /// Which steps the charts show; all of them when nothing.
    pub(super) window: Cell<Option<Window>>,
    /// Every table; the last one is of what is alive.
    pub tables: [Rc<Table>; 6],
    pub(super) groups: GroupsView,
    pub(super) narrow: RefCell<Narrow>,
    pub(super) compare: Compare,
    pub(super) budget: Budget,
    pub(super) map: MapView,
    pub(super) safety: SafetyView,
    pub(super) saver: Saver,
    pub(super) search: SearchBox,
    /// A message about memory, and what the plan knows of it.
    pub(super) oom: RefCell<Option<OomMessage>>,
    pub(super) explained: RefCell<Option<Found>>,
    pub(super) sharing: Sharing,
}

impl Page {
    /// Writes the words, listens, and is empty.
    pub fn start(start_worker: Function, files_below: Function, sample: Input) -> Result<()> {
        let table = |name| Table::new(name).map(Rc::new);
        let tables = [
            table(TableName::Nodes)?,
            table(TableName::Tensors)?,
            table(TableName::Parameters)?,
            table(TableName::Findings)?,
            table(TableName::Overlaps)?,
            table(TableName::Alive)?,
        ];
        words::choose()?;
        let page = Rc::new(Self {
            start_worker,
            files_below,
            spare: RefCell::default(),
            warm: Cell::default(),
            sample,
            shown: RefCell::default(),
            opening: RefCell::default(),
            problem: RefCell::default(),
            linked: RefCell::default(),
            // A reloaded page shows the same step once its file is opened again.
            view: RefCell::new(history::read()?),
            charts: Charts::new()?,
            strip: Strip::new()?,
            window: Cell::default(),
            tables,
            groups: GroupsView::new()?,
            narrow: RefCell::default(),
            compare: Compare::default(),
            budget: Budget::remembered()?,
            map: MapView::new()?,
            safety: SafetyView::new()?,
            saver: Saver::default(),
            search: SearchBox::new()?,
            oom: RefCell::default(),
            explained: RefCell::default(),
            sharing: Sharing::remembered()?,
        });
        page.tables.iter().try_for_each(|t| t.draw())?;
        page.search.draw()?;
        *page.sharing.page.borrow_mut() = Rc::downgrade(&page);
        wiring::wire(&page)?;
        match history::link()? {
            Some(link) => page.open_link(&link)?,
            None => page.tell_state()?,
        }
        page.keep_spare()
    }

    /// Opens files beside those that are open, all in one new worker; what is shown stays until
    /// they are read. Beside a summary they are compared with it.
    pub fn open(&self, fresh: Vec<Input>) -> Result<()> {
        if fresh.is_empty() {
            self.opening.take();
            return self.fail(Problem::Nothing);
        }
        if self.linked.borrow().is_some() {
            return self.compare_files(fresh);
        }
        let wanted = {
            let shown = self.shown.borrow();
            let open = shown.as_ref().map_or(&[][..], |s| s.inputs.as_slice());
            Wanted::beside(open, fresh)
        };
        self.read(wanted)
    }

    pub(super) fn read(&self, wanted: Wanted) -> Result<()> {
        self.opening.take();
        self.keep_spare()?;
        let Some(link) = self.spare.take() else {
            return Ok(());
        };
        link.open(&wanted.inputs)?;
        let first = self.shown.borrow().is_none() && self.problem.borrow().is_none();
        let view = if first {
            self.view.borrow().clone()
        } else {
            ViewState {
                tab: self.view.borrow().tab,
                ..ViewState::default()
            }
        };
        *self.opening.borrow_mut() = Some(Opening::new(link, wanted, view, self.asking()));
        header::show_progress(0.0, 0.0, "")?;
        self.tell_state()
    }

    /// Starts a worker for what will be opened next, unless one is waiting.
    pub(super) fn keep_spare(&self) -> Result<()> {
        if self.spare.borrow().is_some() {
            return Ok(());
        }
        let weak = self.sharing.page.borrow().clone();
        let link = WorkerLink::start(&self.start_worker, move |link, event| {
            match weak.upgrade() {
                Some(page) => page.hear(link, event),
                None => Ok(()),
            }
        })?;
        if !self.warm.get() && self.shown.borrow().is_none() {
            link.warm(&self.sample.blob)?;
        }
        *self.spare.borrow_mut() = Some(link);
        Ok(())
    }

    fn asking(&self) -> Asking {
        Asking {
            columns: self.charts.columns(),
            alive: self.alive().first_page(0, 0),
        }
    }

    /// The table of what is alive at the selected step.
    pub fn alive(&self) -> &Rc<Table> {
        let [.., alive] = &self.tables;
        alive
    }

    /// Opens the same files again, the damaged ones in part.
    pub fn open_partial(&self) -> Result<()> {
        let Some((graphs, inputs)) = self.files() else {
            return Ok(());
        };
        let damaged = |name: &str| {
            let path = names::display(name.as_bytes());
            graphs.others.iter().any(|o| o.damaged && o.path == path)
        };
        let broken = inputs.iter().filter(|i| damaged(&i.name)).cloned();
        let fresh = broken.map(|i| Input { partial: true, ..i }).collect();
        self.read(Wanted::beside(&inputs, fresh))
    }

    fn files(&self) -> Option<(Rc<Graphs>, Rc<Vec<Input>>)> {
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

    /// Ends an opening, else a saving; what was shown before is still there.
    pub fn cancel(&self) -> Result<()> {
        if let Some(linked) = &*self.linked.borrow() {
            self.opening.take();
            linked.stop();
            return self.tell_state();
        }
        if self.opening.take().is_none() && self.saver.stop()? {
            return self.tell_state();
        }
        self.keep_spare()?;
        let shown = self.shown.borrow();
        let problem = self.problem.borrow().is_some();
        header::show_graph(shown.as_ref().filter(|_| !problem), &self.view.borrow())?;
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
                shown.link.forget();
                let wanted = Wanted {
                    inputs: shown.inputs.clone(),
                    ..Wanted::default()
                };
                let mut opening = Opening::new(shown.link.clone(), wanted, view, self.asking());
                opening.begin(shown.graphs.clone())?;
                opening
            }
            None => return Ok(()),
        };
        self.tables.iter().for_each(|t| t.forget());
        *self.opening.borrow_mut() = Some(opening);
        self.tell_state()
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
            Event::Progress(now) if opens || self.saver.is_from(link) => {
                header::show_progress(now.read, now.total, &now.name)
            }
            Event::Opened(graphs) if opens => self.opened(graphs),
            Event::Answer(lane, response) if opens && lane.is_new() => self.arrived(lane, response),
            Event::Answer(Lane::MapClick, Response::MapPlace(place)) if shows => {
                self.map_clicked(&place)
            }
            Event::Answer(Lane::Piece, response) => self.saved(link, response),
            Event::Answer(lane, response) if shows => {
                self.answered(lane, response)?;
                // The verdict is the last thing of a new graph that somebody waits for.
                if lane == Lane::Safety {
                    self.filter_ahead()?;
                    self.keep_spare()?;
                }
                Ok(())
            }
            Event::Picture(lane, Response::Map(frame), pixels) if shows => {
                match &*self.shown.borrow() {
                    Some(shown) => self.map.take_picture(frame, &pixels, lane, shown),
                    None => Ok(()),
                }
            }
            Event::Warm => {
                self.warm.set(true);
                Ok(())
            }
            Event::Fatal(text) if opens || shows => {
                if shows {
                    self.shown.take();
                }
                self.fail(Problem::Worker(text))
            }
            Event::Fatal(_) => {
                self.spare
                    .borrow_mut()
                    .take_if(|spare| Rc::ptr_eq(spare, link));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// All files are read: shows the first graph that the new ones gave; when they gave none, says
    /// why, and what was open stays.
    fn opened(&self, graphs: Graphs) -> Result<()> {
        let wanted = match &*self.opening.borrow() {
            Some(opening) => opening.wanted.clone(),
            None => return Ok(()),
        };
        let Some(place) = wanted.graph_of_fresh(&graphs) else {
            let fresh: Vec<String> = wanted
                .fresh
                .iter()
                .map(|name| names::display(name.as_bytes()))
                .collect();
            let mut graphs = graphs;
            graphs.others.retain(|other| fresh.contains(&other.path));
            return self.fail(Problem::Files {
                graphs: Rc::new(graphs),
                inputs: wanted.inputs,
            });
        };
        match self.opening.borrow_mut().as_mut() {
            Some(opening) => {
                // What the address asked for, when it is the first thing that is opened.
                if opening.view.graph as usize >= graphs.graphs.len()
                    || self.shown.borrow().is_some()
                {
                    opening.view.graph = place;
                }
                opening.begin(Rc::new(graphs))
            }
            None => Ok(()),
        }
    }

    fn arrived(self: &Rc<Self>, lane: Lane, response: Response) -> Result<()> {
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
        let Some((shown, first)) = self.opening.take().and_then(Opening::finish) else {
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
        self.adopt(first, same_files)
    }

    /// Takes over a graph that has just come.
    fn adopt(self: &Rc<Self>, first: First, same_files: bool) -> Result<()> {
        let First { rows, view } = first;
        *self.view.borrow_mut() = view;
        if same_files {
            history::push(&self.view.borrow())?;
        } else {
            history::replace(&self.view.borrow())?;
            self.compare.forget();
            self.saver.stop()?;
        }
        self.linked.take();
        self.sharing.forget()?;
        self.saver.forget_list()?;
        self.window.set(None);
        self.narrow.take();
        self.charts.mark_life(None)?;
        self.forget_safety()?;
        self.tables.iter().for_each(|t| t.forget());
        self.map.forget();
        self.point_tables();
        self.alive().take_first(rows)?;
        let peak = self.shown.borrow().as_ref().and_then(Shown::peak);
        self.groups
            .forget(self.view.borrow().step.or(peak).unwrap_or(0))?;
        self.explained.take();
        self.draw()?;
        self.explain()?;
        self.ask_overlay()?;
        // After everything that is in sight.
        match &*self.shown.borrow() {
            Some(shown) => self.ask_verdict(shown),
            None => Ok(()),
        }
    }

    /// Closes everything that is open.
    pub(super) fn close_all(&self) -> Result<()> {
        self.opening.take();
        self.shown.take();
        self.linked.take();
        self.compare.forget();
        self.window.set(None);
        self.narrow.take();
        self.explained.take();
        self.saver.stop()?;
        self.saver.forget_list()?;
        self.sharing.forget()
    }

    fn fail(&self, problem: Problem) -> Result<()> {
        self.opening.take();
        *self.problem.borrow_mut() = Some(problem);
        self.draw()?;
        self.keep_spare()
    }

    /// Whether a plan is on the screen.
    pub fn is_ready(&self) -> bool {
        self.problem.borrow().is_none() && self.shown.borrow().is_some()
    }

    pub(super) fn problem_free(&self) -> bool {
        self.problem.borrow().is_none()
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
        self.search.draw()?;
        oom::draw(
            self.oom.borrow().as_ref(),
            self.explained.borrow().as_ref(),
            shown.as_ref().filter(|_| problem.is_none()),
        )?;
        let Some(shown) = shown.as_ref().filter(|_| problem.is_none()) else {
            let linked = self.linked.borrow().clone();
            // Hidden numbers are numbers too.
            facts::clear()?;
            graphs::clear()?;
            numbers::clear()?;
            selection::clear()?;
            self.compare.clear()?;
            self.groups.clear()?;
            self.safety.clear()?;
            self.tables.iter().try_for_each(|t| t.clear())?;
            return match linked.filter(|_| problem.is_none()) {
                Some(linked) => self.draw_linked(&linked),
                None => Ok(()),
            };
        };
        dom::attribute(
            &*dom::body()?,
            "data-no-steps",
            (shown.overview.steps == 0).then_some(""),
        )?;
        graphs::show(shown)?;
        graphs::judge_next(shown)?;
        facts::show(&shown.overview)?;
        numbers::show(&shown.overview)?;
        addresses::show_tasks(&shown.overview)?;
        self.budget.show(&shown.overview)?;
        self.show_tab()?;
        self.paint(shown)?;
        let at = self.view.borrow().step.or(shown.peak());
        self.charts.mark_selected(at)?;
        self.charts
            .describe(shown.step.as_ref(), shown.overview.steps)?;
        selection::readout(None, shown)?;
        self.draw_selection(shown)?;
        self.compare.show(shown)?;
        self.show_narrow()?;
        self.point_tables();
        self.groups.draw(shown, &self.narrow.borrow())?;
        for table in &self.tables {
            table.draw()?;
        }
        self.map.show_facts(shown)?;
        // Not before the rest is drawn: there may be no third core for it.
        self.ask_groups(shown)?;
        self.ask_map(shown)?;
        self.draw_safety(shown)?;
        self.ask_safety(shown)?;
        self.ask_rows_of(shown)?;
        self.ask_details_of(shown)?;
        self.reshare()
    }

    /// Paints the charts and the strip.
    pub(super) fn paint(&self, shown: &Shown) -> Result<()> {
        let mut lines = self.budget.lines();
        if let Some(message) = &*self.oom.borrow() {
            lines.extend(oom::lines(message));
        }
        self.charts.paint(&Painted {
            columns: &shown.columns,
            overlay: self.compare.overlay().as_ref(),
            lines,
        })?;
        self.strip.paint(&shown.whole)?;
        let steps = shown.overview.steps;
        let window = self.window.get().unwrap_or(Window::all(steps));
        let capacity = self.budget.capacity();
        if self.map.capacity.replace(capacity) != capacity {
            self.map.draw_soon()?;
        }
        self.strip.show(window, steps)
    }

    /// `data-state` is for whoever waits; `data-screen` is what is on the screen meanwhile.
    pub(super) fn tell_state(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let linked = self.linked.borrow();
        let screen = match (&*self.problem.borrow(), &*shown) {
            (Some(_), _) => "error",
            (None, None) if linked.is_some() => "summary",
            (None, Some(_)) => "ready",
            (None, None) => "empty",
        };
        let busy = linked.as_ref().is_some_and(|l| l.is_busy());
        let loading = busy || self.opening.borrow().is_some();
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
        header::show_loading(loading || self.saver.is_going())
    }
}
