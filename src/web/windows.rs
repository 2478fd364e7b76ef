//! The window of steps that the charts show, a second plan over them, and the capacity.

use super::opening::Shown;
use super::page::Page;
use super::worker_link::Lane;
use super::zoom::Window;
use super::{selection, Result};
use crate::engine::protocol::Request;

impl Page {
    /// The pointer is over a place of a chart, or over none.
    pub fn hover(&self, x: Option<f64>) -> Result<()> {
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        self.hover_step(
            shown,
            x.and_then(|x| self.charts.step_at(x, &shown.columns)),
        )
    }

    /// The pointer is over a step, or over none.
    pub(super) fn hover_step(&self, shown: &Shown, step: Option<u32>) -> Result<()> {
        self.map.mark_hover(step)?;
        if !self.charts.mark_hover(step)? {
            return Ok(());
        }
        match step {
            Some(step) => {
                let graph = shown.overview.graph;
                shown.link.ask(Lane::Hover, &Request::Step { graph, step })
            }
            None => selection::readout(None, shown),
        }
    }

    /// The step under a place of a chart.
    pub fn step_at(&self, x: f64) -> Option<u32> {
        self.charts
            .step_at(x, &self.shown.borrow().as_ref()?.columns)
    }

    /// The window of the charts, and how many steps there are.
    pub fn window(&self) -> Option<(Window, u32)> {
        let shown = self.shown.borrow();
        let steps = shown.as_ref()?.overview.steps;
        let window = self.window.get().unwrap_or(Window::all(steps));
        (steps > 0).then_some((window, steps))
    }

    /// Has the charts show other steps.
    pub fn show_window(&self, window: Window) -> Result<()> {
        match &*self.shown.borrow() {
            Some(shown) => self.set_window(shown, window),
            None => Ok(()),
        }
    }

    pub(super) fn set_window(&self, shown: &Shown, window: Window) -> Result<()> {
        let steps = shown.overview.steps;
        let now = (window.wide() < steps).then_some(window);
        let had_own = self.map.forget_steps();
        if self.window.replace(now) == now && !had_own {
            return Ok(());
        }
        self.strip.show(window, steps)?;
        // The map first: it is what one looks at while it is open.
        self.ask_map(shown)?;
        self.follow_window(shown)
    }

    /// Has the views that show a window of steps show the one there is now.
    pub(super) fn follow_window(&self, shown: &Shown) -> Result<()> {
        self.point_tables();
        self.ask_safety(shown)?;
        self.paint_safety(shown)?;
        self.ask_rows_of(shown)?;
        self.ask_chart(shown)
    }

    pub(super) fn ask_chart(&self, shown: &Shown) -> Result<()> {
        let graph = shown.overview.graph;
        let window = self
            .window
            .get()
            .unwrap_or(Window::all(shown.overview.steps));
        let request = Request::Chart {
            graph,
            first: window.first,
            last: window.last,
            columns: self.charts.columns(),
        };
        shown.link.ask(Lane::Chart, &request)?;
        self.ask_overlay_of(shown, window)
    }

    /// The charts have another size: paints what is there, asks for columns that fit.
    pub fn resized(&self) -> Result<()> {
        if let Some(linked) = &*self.linked.borrow() {
            return self.paint_linked(linked);
        }
        let shown = self.shown.borrow();
        let Some(shown) = shown.as_ref() else {
            return Ok(());
        };
        self.paint(shown)?;
        self.groups.paint(&self.narrow.borrow())?;
        self.ask_map(shown)?;
        self.paint_safety(shown)?;
        if self.charts.wants_columns(&shown.columns) {
            self.ask_chart(shown)?;
        }
        Ok(())
    }

    // ---- a second plan ----

    pub(super) fn ask_overlay(&self) -> Result<()> {
        match &*self.shown.borrow() {
            Some(shown) => {
                let window = self
                    .window
                    .get()
                    .unwrap_or(Window::all(shown.overview.steps));
                self.ask_overlay_of(shown, window)
            }
            None => Ok(()),
        }
    }

    fn ask_overlay_of(&self, shown: &Shown, window: Window) -> Result<()> {
        let own = shown.overview.graph;
        match self.compare.request(own, window, || self.charts.columns()) {
            Some(request) => shown.link.ask(Lane::Overlay, &Request::Overlay(request)),
            None => Ok(()),
        }
    }

    /// Lays another of the open graphs over this one, or none.
    pub fn compare_with(&self, other: Option<u32>) -> Result<()> {
        self.compare.choose(other);
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        self.compare.show(shown)?;
        self.paint(shown)?;
        if let Some(graph) = other {
            shown.link.ask(Lane::Other, &Request::Overview { graph })?;
        }
        let window = self
            .window
            .get()
            .unwrap_or(Window::all(shown.overview.steps));
        self.ask_overlay_of(shown, window)
    }

    /// Aligns the other graph in another way.
    pub fn align(&self, by_name: bool) -> Result<()> {
        self.compare.align(by_name);
        self.ask_overlay()
    }

    // ---- capacity ----

    /// Another capacity was entered.
    pub fn set_capacity(&self, text: &str) -> Result<()> {
        self.budget.set(text)?;
        if let Some(linked) = &*self.linked.borrow() {
            self.budget.show(&linked.overview)?;
            return self.paint_linked(linked);
        }
        match &*self.shown.borrow() {
            Some(shown) => {
                self.budget.show(&shown.overview)?;
                self.paint(shown)?;
                self.reshare()
            }
            None => Ok(()),
        }
    }
}
