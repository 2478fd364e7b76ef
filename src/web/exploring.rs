//! Walking through the shown plan: the one selection, the window of the charts, what everything is
//! narrowed to, and which view is open.

use std::rc::Rc;

use super::opening::Shown;
use super::page::Page;
use super::table::Table;
use super::words::{tf, Word};
use super::worker_link::Lane;
use super::{addresses, details, dom, graphs, history, selection, Result};
use crate::engine::explore::{GroupRequest, Narrow, TableName};
use crate::engine::protocol::{Overview, Request, Response};
use crate::engine::view::{Tab, Thing, ViewState};

impl Page {
    // ---- the selection ----

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
            Some(_) => {
                self.view.borrow_mut().pair = view.pair;
                let another = std::mem::replace(&mut self.view.borrow_mut().tab, view.tab);
                if another != view.tab {
                    self.show_tab()?;
                }
                let base = std::mem::replace(&mut self.view.borrow_mut().base, view.base);
                if base != view.base {
                    self.ask_base(view.base)?;
                }
                self.select(view.step, view.selected)?;
                match &*self.shown.borrow() {
                    Some(shown) => self.ask_map(shown),
                    None => Ok(()),
                }
            }
            None => {
                *self.view.borrow_mut() = view;
                Ok(())
            }
        }
    }

    /// Selects a step (`None` is the peak) and a thing, without a new entry in the history.
    pub fn select(&self, step: Option<u32>, thing: Option<Thing>) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        let step = step.filter(|s| shown.has_step(*s));
        {
            let mut view = self.view.borrow_mut();
            (view.step, view.selected) = (step, thing);
        }
        let graph = shown.overview.graph;
        if let Some(at) = step.or(shown.peak()) {
            self.charts.mark_selected(Some(at))?;
            if shown.step.as_ref().is_none_or(|s| s.step != at) {
                let request = Request::Step { graph, step: at };
                shown.link.ask(Lane::Step, &request)?;
            }
            if let Some(window) = self.window.get() {
                let with = window.with(at, shown.overview.steps);
                if with != window {
                    self.set_window(shown, with)?;
                }
            }
        }
        self.draw_selection(shown)?;
        self.point_tables();
        self.ask_safety(shown)?;
        self.ask_groups(shown)?;
        self.ask_rows_of(shown)?;
        self.ask_details_of(shown)
    }

    /// Selects a step and remembers where we were.
    pub fn select_step(&self, step: u32) -> Result<()> {
        self.select(Some(step), None)?;
        self.remember()
    }

    /// Selects a thing and remembers where we were. A node takes the step with it.
    pub fn select_thing(&self, thing: Thing) -> Result<()> {
        let step = match thing {
            Thing::Node(step) => Some(step),
            _ => self.view.borrow().step,
        };
        self.select(step, Some(thing))?;
        self.remember()
    }

    /// Another base: every address moves with it.
    pub fn set_base(&self, base: Option<u64>) -> Result<()> {
        self.view.borrow_mut().base = base;
        self.remember()?;
        self.ask_base(base)
    }

    fn ask_base(&self, base: Option<u64>) -> Result<()> {
        match &*self.shown.borrow() {
            Some(shown) => {
                let graph = shown.overview.graph;
                shown.link.ask(Lane::Base, &Request::Base { graph, base })
            }
            None => Ok(()),
        }
    }

    fn rebased(&self, overview: Overview) -> Result<()> {
        match self.shown.borrow_mut().as_mut() {
            Some(shown) if shown.overview.graph == overview.graph => shown.overview = overview,
            _ => return Ok(()),
        }
        self.tables.iter().for_each(|t| t.forget());
        self.draw()
    }

    /// Puts the view into the history.
    pub fn remember(&self) -> Result<()> {
        if self.shown.borrow().is_none() {
            return Ok(());
        }
        history::push(&self.view.borrow())?;
        self.reshare()
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

    /// Draws the side panel as far as it is known, and marks the selection everywhere.
    pub(super) fn draw_selection(&self, shown: &Shown) -> Result<()> {
        let (step, thing) = {
            let view = self.view.borrow();
            (view.step.or(shown.peak()), view.selected)
        };
        let of_things = |t: &&Rc<Table>| t.name() != TableName::Findings;
        for table in self.tables.iter().filter(of_things) {
            let own = thing.or(match table.name() {
                TableName::Nodes => step.map(Thing::Node),
                _ => None,
            });
            table.mark_selected(own)?;
        }
        if !matches!(thing, Some(Thing::Tensor(_))) {
            self.charts.mark_life(None)?;
        }
        self.map.ask_marks(shown, thing)?;
        self.map.ask_chosen(shown, step)?;
        selection::show(shown, step, thing)
    }

    pub(super) fn ask_details_of(&self, shown: &Shown) -> Result<()> {
        let graph = shown.overview.graph;
        let request = match self.view.borrow().selected {
            Some(Thing::Node(step)) => Request::Node { graph, step },
            Some(Thing::Tensor(id)) => Request::Tensor { graph, id },
            Some(Thing::Parameter(id)) => Request::Parameter { graph, id },
            Some(Thing::Address(start)) => Request::Addresses {
                graph,
                start,
                end: start.saturating_add(1),
            },
            Some(Thing::Range(start, end)) => Request::Addresses { graph, start, end },
            None => return Ok(()),
        };
        shown.link.ask(Lane::Details, &request)
    }

    // ---- answers ----

    pub(super) fn answered(self: &Rc<Self>, lane: Lane, response: Response) -> Result<()> {
        let response = match (lane, response) {
            (Lane::Search, Response::Found(found)) => {
                return match self.found(&found)? {
                    Some(thing) => self.choose(thing),
                    None => Ok(()),
                };
            }
            (Lane::Explain, Response::Found(found)) => {
                let node = self.explained(found)?;
                self.show_message()?;
                return match node {
                    Some(node) => self.select_thing(node),
                    None => Ok(()),
                };
            }
            (Lane::Base, Response::Overview(overview)) => return self.rebased(*overview),
            (_, response) => response,
        };
        let mut shown = self.shown.borrow_mut();
        let Some(shown) = shown.as_mut() else {
            return Ok(());
        };
        let view = self.view.borrow().clone();
        let at = view.step.or(shown.peak());
        match (lane, response) {
            (Lane::Step, Response::Step(step)) if at == Some(step.step) => {
                shown.step = Some(step);
                if view.selected.is_none() {
                    selection::show(shown, at, None)?;
                }
                self.groups.draw_title(shown)?;
                self.charts
                    .describe(shown.step.as_ref(), shown.overview.steps)
            }
            (Lane::Hover, Response::Step(step)) => match self.charts.hovered() {
                Some(at) if at == step.step => selection::readout(Some(&step), shown),
                _ => Ok(()),
            },
            (Lane::Chart, Response::Chart(columns)) => {
                if columns.first == 0 && columns.last + 1 == shown.overview.steps {
                    shown.whole = columns.clone();
                }
                shown.columns = columns;
                self.paint(shown)
            }
            (Lane::Details, Response::Tensor(facts))
                if view.selected == Some(Thing::Tensor(facts.id)) =>
            {
                self.charts.mark_life(Some((facts.first, facts.last)))?;
                details::tensor(&facts)
            }
            (Lane::Details, Response::Node(facts))
                if view.selected == Some(Thing::Node(facts.step)) =>
            {
                details::node(&facts, shown)
            }
            (Lane::Details, Response::Parameter(facts))
                if view.selected == Some(Thing::Parameter(facts.id)) =>
            {
                details::parameter(&facts)
            }
            (Lane::Details, Response::Addresses(facts))
                if view.selected == Some(Thing::Address(facts.start))
                    || view.selected == Some(Thing::Range(facts.start, facts.end)) =>
            {
                addresses::show(&facts)
            }
            (Lane::Details, Response::Nothing) => details::nothing(),
            (Lane::MapFacts, Response::MapFacts(facts)) => {
                self.map.take_facts(facts, shown)?;
                self.ask_map(shown)
            }
            (Lane::MapPlace, Response::MapPlace(place)) => self.map.tell(&place),
            (Lane::MapChosen, Response::MapPlace(place)) => self.map.take_chosen(place),
            (Lane::MapLit, Response::MapLit(lit)) => self.map.light(lit),
            (Lane::MapMarks, Response::MapMarks(marks)) => self.map.take_marks(Some(marks)),
            (Lane::MapMarks, _) => self.map.take_marks(None),
            (Lane::Groups, Response::Groups(groups)) => {
                self.groups.take(groups);
                self.groups.draw(shown, &self.narrow.borrow())
            }
            (Lane::Other, Response::Overview(other)) => {
                self.compare.take_other(*other);
                self.compare.show(shown)
            }
            (Lane::Judge, Response::Row(row)) => {
                graphs::take(shown, *row)?;
                graphs::judge_next(shown)
            }
            (Lane::ResultFiles, Response::ResultFiles(names)) => self.files_listed(&names),
            (Lane::Overlay, Response::Overlay(columns)) => {
                self.compare.take_overlay(columns);
                self.paint(shown)
            }
            (Lane::Share, Response::Share(link)) => self.take_link(link),
            (Lane::Safety | Lane::Pair | Lane::OverlapMap, response) => {
                self.take_safety(shown, lane, response)
            }
            (lane, response) => {
                let table = self
                    .tables
                    .iter()
                    .find(|t| Lane::of_table(t.name()) == lane);
                let Some(table) = table else { return Ok(()) };
                match response {
                    Response::Table(rows) => table.take(rows)?,
                    _ => table.take_nothing()?,
                }
                Self::ask_rows(shown, table)
            }
        }
    }

    // ---- tables and groups ----

    /// Points all tables at what is shown.
    pub(super) fn point_tables(&self) {
        let shown = self.shown.try_borrow();
        let Some((graph, peak)) = shown
            .ok()
            .and_then(|s| s.as_ref().map(|s| (s.overview.graph, s.peak())))
        else {
            return;
        };
        let step = self.view.borrow().step.or(peak).unwrap_or(0);
        for table in &self.tables {
            table.point(graph, step, &self.narrow.borrow(), self.overlap_of());
        }
    }

    /// Has tensors sorted and filtered once, by the letter that most names have: a browser runs what runs
    /// for the first time several times as slowly, and the first key in a filter is to be like the others.
    pub(super) fn filter_ahead(&self) -> Result<()> {
        let shown = self.shown.borrow();
        let (Some(shown), Some(table)) = (&*shown, self.table_of(TableName::Tensors)) else {
            return Ok(());
        };
        let mut request = table.first_page(shown.overview.graph, 0);
        "e".clone_into(&mut request.filter);
        shown.link.ask_ahead(Lane::Ahead, Request::Table(request))
    }

    /// Asks for what a table lacks.
    pub fn more_rows(&self, name: TableName) -> Result<()> {
        if !self.is_ready() {
            return Ok(());
        }
        let shown = self.shown.borrow();
        let table = self.tables.iter().find(|t| t.name() == name);
        match (&*shown, table) {
            (Some(shown), Some(table)) => Self::ask_rows(shown, table),
            _ => Ok(()),
        }
    }

    pub(super) fn ask_rows_of(&self, shown: &Shown) -> Result<()> {
        self.tables
            .iter()
            .try_for_each(|table| Self::ask_rows(shown, table))
    }

    fn ask_rows(shown: &Shown, table: &Table) -> Result<()> {
        match table.want() {
            Some(request) => shown
                .link
                .ask(Lane::of_table(table.name()), &Request::Table(request)),
            None => Ok(()),
        }
    }

    pub(super) fn ask_groups(&self, shown: &Shown) -> Result<()> {
        let Some(step) = self.view.borrow().step.or(shown.peak()) else {
            return Ok(());
        };
        let request = GroupRequest {
            graph: shown.overview.graph,
            step,
            by: self.groups.by(),
            narrow: self.narrow.borrow().clone(),
        };
        if !self.groups.wants(&request) {
            return Ok(());
        }
        shown.link.ask(Lane::Groups, &Request::Groups(request))
    }

    /// Opens or closes a group.
    pub fn twist(&self, place: usize) -> Result<()> {
        self.groups.twist(place, &self.narrow.borrow())
    }

    /// Narrows everything to a group.
    pub fn narrow_to(&self, place: usize) -> Result<()> {
        let to = self.groups.narrowing(place, &self.narrow.borrow());
        match to {
            Some(to) => self.narrow_by(|narrow| *narrow = to),
            None => Ok(()),
        }
    }

    /// Narrows everything to what lies at a place of the icicle.
    pub fn narrow_at(&self, x: f64, y: f64) -> Result<()> {
        match self.groups.icicle_at(x, y) {
            Some(place) => self.narrow_to(place),
            None => Ok(()),
        }
    }

    /// The pointer is over a place of the icicle, or over none.
    pub fn hover_groups(&self, at: Option<(f64, f64)>) -> Result<()> {
        self.groups.hover(at)
    }

    /// Groups in another way.
    pub fn group_by(&self, word: &str) -> Result<()> {
        self.groups.set_by(word)?;
        match &*self.shown.borrow() {
            Some(shown) => self.ask_groups(shown),
            None => Ok(()),
        }
    }

    /// Narrows everything by a change.
    pub fn narrow_by(&self, change: impl FnOnce(&mut Narrow)) -> Result<()> {
        change(&mut self.narrow.borrow_mut());
        self.show_narrow()?;
        self.point_tables();
        match &*self.shown.borrow() {
            Some(shown) => {
                self.ask_groups(shown)?;
                self.ask_rows_of(shown)
            }
            None => Ok(()),
        }
    }

    /// Shows what everything is narrowed to, each part with a way to take it off.
    pub(super) fn show_narrow(&self) -> Result<()> {
        let narrow = self.narrow.borrow();
        let bar = dom::id("narrow")?;
        dom::clear(&bar);
        let mut any = false;
        for (part, word, value) in [
            ("layer", Word::ChipLayer, &narrow.layer),
            ("operator", Word::ChipOperator, &narrow.operator),
            ("type", Word::ChipType, &narrow.tensor_type),
        ] {
            let Some(value) = value else { continue };
            any = true;
            let chip = dom::make("button", "narrow-chip")?;
            chip.set_attribute("type", "button")?;
            chip.set_attribute("data-widen", part)?;
            let text = tf(word, &[value]);
            chip.set_title(&tf(Word::Widen, &[&text]));
            let label = dom::text("span", "", &text)?;
            dom::append(&chip, &[&label, &dom::text("span", "cross", "×")?])?;
            dom::append(&bar, &[&chip])?;
        }
        bar.set_hidden(!any);
        Ok(())
    }

    // ---- views ----

    /// Opens a view and remembers where we were.
    pub fn open_tab(&self, tab: Tab) -> Result<()> {
        if !self.is_ready() {
            return Ok(());
        }
        self.view.borrow_mut().tab = tab;
        self.remember()?;
        self.show_tab()?;
        match &*self.shown.borrow() {
            Some(shown) => {
                self.tables.iter().try_for_each(|t| t.scrolled())?;
                self.ask_map(shown)?;
                self.map.ask_marks(shown, self.view.borrow().selected)?;
                let step = self.view.borrow().step.or(shown.peak());
                self.map.ask_chosen(shown, step)?;
                self.light_map(shown)?;
                self.groups.draw(shown, &self.narrow.borrow())?;
                self.paint_safety(shown)?;
                self.ask_safety(shown)?;
                self.ask_rows_of(shown)
            }
            None => Ok(()),
        }
    }

    /// The open view.
    pub fn tab(&self) -> Tab {
        self.view.borrow().tab
    }

    pub(super) fn show_tab(&self) -> Result<()> {
        let tab = self.view.borrow().tab;
        dom::each("[data-tab]", |button| {
            let own = button.get_attribute("data-tab").as_deref() == Some(tab.name());
            button.set_attribute("aria-selected", if own { "true" } else { "false" })?;
            Ok(())
        })?;
        dom::each("[data-view]", |view| {
            let own = view.get_attribute("data-view").as_deref() == Some(tab.name());
            view.set_hidden(!own);
            Ok(())
        })
    }

    /// The box to filter in of the open view.
    pub fn focus_filter(&self) -> Result<()> {
        let table = match self.view.borrow().tab {
            Tab::Overview | Tab::Map => "alive",
            Tab::Safety => "findings",
            tab => tab.name(),
        };
        dom::find::<web_sys::HtmlElement>(&format!("[data-filter={table}]"))?.focus()?;
        Ok(())
    }
}
