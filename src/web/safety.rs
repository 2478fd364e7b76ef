//! The safety view: the verdict and what it rests on, the findings, and who shares bytes with whom.

use std::cell::{Cell, RefCell};

use web_sys::{HtmlCanvasElement, HtmlElement};

use super::numbers::fact;
use super::opening::Shown;
use super::overlap_map::OverlapMap;
use super::page::Page;
use super::table::Table;
use super::words::{lang, s, sf, Said};
use super::worker_link::Lane;
use super::zoom::Window;
use super::{dom, pair_picture, pair_words, Result};
use crate::engine::explore::TableName;
use crate::engine::protocol::{Request, Response};
use crate::engine::safety::{OverlapBoxes, OverlapOf, PairFacts, SafetyFacts, WHY};
use crate::engine::view::{pair_of, Tab, Thing};
use crate::report::figure::{bytes, grouped};
use crate::report::findings;

/// What is known of the safety of the shown graph.
pub struct SafetyView {
    facts: RefCell<Option<SafetyFacts>>,
    pair: RefCell<Option<PairFacts>>,
    asked: Cell<Option<(u64, u64)>>,
    boxes: RefCell<Option<OverlapBoxes>>,
    asked_overlap: Cell<Option<OverlapOf>>,
    kind: RefCell<String>,
    picture: HtmlCanvasElement,
    map: OverlapMap,
}

impl SafetyView {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            facts: RefCell::default(),
            pair: RefCell::default(),
            asked: Cell::default(),
            boxes: RefCell::default(),
            asked_overlap: Cell::default(),
            kind: RefCell::default(),
            picture: dom::find("[data-hook=pair-picture]")?,
            map: OverlapMap::new()?,
        })
    }

    /// Another graph: nothing is known.
    pub fn forget(&self) -> Result<()> {
        self.facts.take();
        self.pair.take();
        self.boxes.take();
        self.asked.set(None);
        self.asked_overlap.set(None);
        self.kind.take();
        self.draw_verdict(true)
    }

    /// The verdict of a summary.
    pub fn lend(&self, verdict: &str, count: u64) -> Result<()> {
        *self.facts.borrow_mut() = Some(SafetyFacts {
            verdict: verdict.to_owned(),
            count,
            ..SafetyFacts::default()
        });
        self.draw_verdict(true)
    }

    /// The verdict in the bar; nothing when no plan is shown.
    pub fn draw_verdict(&self, plan: bool) -> Result<()> {
        let slot = dom::id("verdict-slot")?;
        dom::clear(&slot);
        if !plan {
            return Ok(());
        }
        let facts = self.facts.borrow();
        let Some(facts) = &*facts else {
            return dom::append(&slot, &[&dom::text("span", "dim", s(Said::Judging))?]);
        };
        let text = match (facts.verdict.as_str(), facts.more, facts.count) {
            ("safe", ..) => s(Said::Safe).to_owned(),
            ("hazards", true, n) => sf(Said::HazardsAtLeast, &[&grouped(n)]),
            ("hazards", false, 1) => sf(Said::HazardOne, &["1"]),
            ("hazards", false, n) => sf(Said::HazardMany, &[&grouped(n)]),
            _ => s(Said::Undecided).to_owned(),
        };
        let button = dom::text("button", "judged", &text)?;
        button.set_attribute("type", "button")?;
        button.set_attribute("data-hook", "verdict")?;
        button.set_attribute("data-value", &facts.verdict)?;
        if facts.verdict != "undecided" {
            button.set_attribute("data-count", &facts.count.to_string())?;
        }
        button.set_attribute("data-tab-link", Tab::Safety.name())?;
        dom::append(&slot, &[&button])
    }

    /// Draws all of it.
    fn draw(&self, shown: &Shown, of: OverlapOf, window: Window) -> Result<()> {
        self.draw_verdict(true)?;
        self.draw_text(shown)?;
        self.draw_pair(shown)?;
        self.draw_overlaps(of, window)
    }

    fn draw_text(&self, shown: &Shown) -> Result<()> {
        let (title, body, kinds) = (
            dom::id("safety-title")?,
            dom::id("safety-text")?,
            dom::id("finding-kinds")?,
        );
        dom::clear(&body);
        dom::clear(&kinds);
        let facts = self.facts.borrow();
        let Some(facts) = &*facts else {
            title.set_text_content(Some(s(Said::Judging)));
            return Ok(());
        };
        title.set_attribute("data-value", &facts.verdict)?;
        let say = |text: &str| {
            let p = dom::make("p", "")?;
            dom::rich(&p, text)?;
            dom::append(&body, &[&p])
        };
        let (data, order) = (grouped(facts.data_edges), grouped(facts.order_edges));
        let rests = sf(Said::Rests, &[&data, &order]);
        match facts.verdict.as_str() {
            "safe" => {
                title.set_text_content(Some(s(Said::SafeTitle)));
                say(&sf(Said::SafeHow, &[&grouped(facts.compared)]))?;
                say(&rests)?;
            }
            "hazards" => {
                let one = facts.count == 1;
                let word = if one {
                    Said::HazardsTitleOne
                } else {
                    Said::HazardsTitle
                };
                let n = grouped(facts.count);
                let n = if facts.more { format!("> {n}") } else { n };
                title.set_text_content(Some(&sf(word, &[&n])));
                let apart = facts.count.saturating_sub(facts.by_order);
                let how = [grouped(facts.by_order), grouped(apart)];
                let listed = facts.rows.first().copied().unwrap_or(0);
                let mut text = sf(Said::HazardsHow, &[&how[0], &how[1]]);
                if listed < facts.count {
                    text.push(' ');
                    text.push_str(&sf(Said::OnlyFirst, &[&grouped(listed)]));
                }
                say(&text)?;
                say(&rests)?;
            }
            _ => {
                title.set_text_content(Some(s(Said::UndecidedTitle)));
                say(s(match facts.reason.as_str() {
                    "stage" => Said::WhyStage,
                    "cycle" => Said::WhyCycle,
                    _ => Said::WhyIncomplete,
                }))?;
            }
        }
        if shown.overview.summary.generation.starts_with(['A', 'B']) {
            say(s(Said::LogNote))?;
        }
        let summary = dom::make("span", "away")?;
        if facts.verdict != "undecided" {
            let count = if facts.more {
                "count_at_least"
            } else {
                "count"
            };
            for (key, n) in [
                (count, facts.count),
                ("by_order", facts.by_order),
                ("by_dependency", facts.count),
            ] {
                let fact = fact(&format!("hazards.{key}"), n, &grouped(n), "")?;
                dom::append(&summary, &[&fact])?;
            }
            dom::append(&body, &[&summary])?;
        }
        let chosen = self.kind.borrow();
        let all = (!facts.kinds.is_empty()).then_some(("", &0));
        let kinds_of = facts.kinds.iter().map(String::as_str).zip(&facts.rows);
        for (kind, n) in all.into_iter().chain(kinds_of) {
            let text = if kind.is_empty() {
                s(Said::AllKinds).to_owned()
            } else {
                format!("{kind} {}", grouped(*n))
            };
            let button = dom::text("button", "preset", &text)?;
            button.set_attribute("type", "button")?;
            button.set_attribute("data-kind-filter", kind)?;
            button.set_title(findings::title(kind, lang()).unwrap_or_default());
            let pressed = if *chosen == kind { "true" } else { "false" };
            button.set_attribute("aria-pressed", pressed)?;
            dom::append(&kinds, &[&button])?;
        }
        Ok(())
    }

    fn draw_pair(&self, shown: &Shown) -> Result<()> {
        let pair = self.pair.borrow();
        dom::id("pair-none")?.set_hidden(pair.is_some());
        dom::id("pair-grid")?.set_hidden(pair.is_none());
        pair_words::show(pair.as_ref(), shown)?;
        match &*pair {
            Some(pair) => pair_picture::paint(&self.picture, pair),
            None => Ok(()),
        }
    }

    fn draw_overlaps(&self, of: OverlapOf, window: Window) -> Result<()> {
        let title = match of.tensor {
            Some(id) => sf(Said::OverlapsOf, &[&format!("%{id}T")]),
            None => {
                let ends = [window.first, window.last].map(|at| at.to_string());
                let mut title = sf(Said::OverlapsWindow, &[&ends[0], &ends[1]]);
                if of.end < u64::MAX {
                    title = format!("{title} · {}", Thing::Range(of.start, of.end).key());
                }
                title
            }
        };
        dom::id("overlap-title")?.set_text_content(Some(&title));
        let boxes = self.boxes.borrow();
        let note = dom::id("overlap-note")?;
        let Some(boxes) = boxes.as_ref().filter(|b| b.of == of) else {
            note.set_text_content(None);
            return Ok(());
        };
        let own = of.tensor.and(boxes.boxes().next());
        let unplaced = own.is_some_and(|own| own.start >= own.end);
        let drawn = (boxes.numbers.len() / 6) as u64 - u64::from(own.is_some());
        let text = match (of.tensor, boxes.total) {
            (Some(id), _) if unplaced => sf(Said::OverlapsUnplaced, &[&format!("%{id}T")]),
            (_, 0) => s(Said::OverlapsNone).to_owned(),
            (_, n) if n > drawn => sf(Said::OverlapsFirst, &[&grouped(drawn)]),
            _ => String::new(),
        };
        note.set_text_content(Some(&text));
        self.map.paint(boxes, window)
    }

    /// Takes the view off the page.
    pub fn clear(&self) -> Result<()> {
        self.forget()?;
        for part in [
            "verdict-slot",
            "safety-title",
            "safety-text",
            "pair-text",
            "overlap-title",
        ] {
            dom::clear(&dom::id(part)?);
        }
        self.map.clear();
        Ok(())
    }
}

impl Page {
    /// Whose bytes are looked at now: the selected tensor, else the selected addresses in the steps
    /// in sight.
    pub(super) fn overlap_of(&self) -> OverlapOf {
        let mut of = OverlapOf::default();
        match self.view.borrow().selected {
            Some(Thing::Tensor(id)) => {
                of.tensor = Some(id);
                return of;
            }
            Some(Thing::Address(at)) => (of.start, of.end) = (at, at.saturating_add(1)),
            Some(Thing::Range(start, end)) => (of.start, of.end) = (start, end),
            _ => {}
        }
        if let Some(window) = self.window.get() {
            (of.first, of.last) = (window.first, window.last);
        }
        of
    }

    fn steps_in_sight(&self, shown: &Shown) -> Window {
        self.window
            .get()
            .unwrap_or(Window::all(shown.overview.steps))
    }

    /// Another graph: nothing is known of its safety, and findings of all kinds are shown.
    pub(super) fn forget_safety(&self) -> Result<()> {
        if let Some(table) = self.table_of(TableName::Findings) {
            table.filter_by("");
        }
        self.safety.forget()
    }

    /// Has the graph judged. The boxes of the map first: whoever opens it then waits for no more
    /// than its pixels.
    pub(super) fn ask_verdict(&self, shown: &Shown) -> Result<()> {
        self.map.ask_facts(shown)?;
        let graph = shown.overview.graph;
        shown.link.ask(Lane::Safety, &Request::Safety { graph })
    }

    /// Asks for what the safety view lacks, when it can be seen.
    pub(super) fn ask_safety(&self, shown: &Shown) -> Result<()> {
        if self.view.borrow().tab != Tab::Safety {
            return Ok(());
        }
        let graph = shown.overview.graph;
        let first = || match self.safety.facts.borrow().as_ref()?.first.as_slice() {
            [a, b] => Some((*a, *b)),
            _ => None,
        };
        let pair = self.view.borrow().pair.or_else(first);
        if pair.is_some() && self.safety.asked.get() != pair {
            self.safety.asked.set(pair);
            if let Some((a, b)) = pair {
                shown.link.ask(Lane::Pair, &Request::Pair { graph, a, b })?;
            }
        }
        let of = self.overlap_of();
        if self.safety.asked_overlap.get() != Some(of) {
            self.safety.asked_overlap.set(Some(of));
            let request = Request::Overlaps { graph, of };
            shown.link.ask(Lane::OverlapMap, &request)?;
            self.safety.draw_overlaps(of, self.steps_in_sight(shown))?;
        }
        Ok(())
    }

    /// Draws the safety view.
    pub(super) fn draw_safety(&self, shown: &Shown) -> Result<()> {
        self.safety
            .draw(shown, self.overlap_of(), self.steps_in_sight(shown))
    }

    /// Paints the pictures of the safety view anew.
    pub(super) fn paint_safety(&self, shown: &Shown) -> Result<()> {
        if self.view.borrow().tab != Tab::Safety {
            return Ok(());
        }
        if let Some(pair) = &*self.safety.pair.borrow() {
            pair_picture::paint(&self.safety.picture, pair)?;
        }
        self.safety
            .draw_overlaps(self.overlap_of(), self.steps_in_sight(shown))
    }

    /// An answer about safety.
    pub(super) fn take_safety(&self, shown: &Shown, lane: Lane, response: Response) -> Result<()> {
        match response {
            Response::Safety(facts) if facts.graph == shown.overview.graph => {
                let has_hazards = facts.count > 0;
                *self.safety.facts.borrow_mut() = Some(facts);
                self.safety.draw_verdict(true)?;
                self.safety.draw_text(shown)?;
                self.ask_safety(shown)?;
                self.map.judged(shown, has_hazards)
            }
            Response::Pair(facts) if facts.graph == shown.overview.graph => {
                *self.safety.pair.borrow_mut() = Some(*facts);
                self.show_pair(shown)
            }
            Response::Nothing if lane == Lane::Pair => {
                self.safety.pair.take();
                self.show_pair(shown)
            }
            Response::Overlaps(boxes) => {
                *self.safety.boxes.borrow_mut() = Some(boxes);
                self.safety
                    .draw_overlaps(self.overlap_of(), self.steps_in_sight(shown))
            }
            _ => Ok(()),
        }
    }

    fn show_pair(&self, shown: &Shown) -> Result<()> {
        self.safety.draw_pair(shown)?;
        let key = dom::id("pair-card")?.get_attribute("data-pair-key");
        match self.table_of(TableName::Findings) {
            Some(table) => table.mark_key(key.unwrap_or_default()),
            None => Ok(()),
        }
    }

    /// Explains a pair of tensors, given as `7-97`.
    pub fn choose_pair(&self, text: &str) -> Result<()> {
        let Some(pair) = pair_of(text) else {
            return Ok(());
        };
        {
            let mut view = self.view.borrow_mut();
            (view.pair, view.tab) = (Some(pair), Tab::Safety);
        }
        self.remember()?;
        let shown = self.shown.borrow();
        let Some(shown) = &*shown else { return Ok(()) };
        self.show_tab()?;
        self.ask_safety(shown)?;
        let card = dom::id("pair-card")?;
        let top = card.get_bounding_client_rect().top();
        let height = dom::window()?.inner_height()?.as_f64().unwrap_or(0.0);
        if top < 0.0 || top > height - 240.0 {
            card.scroll_into_view();
        }
        Ok(())
    }

    /// Shows only findings of a kind.
    pub fn filter_findings(&self, kind: &str) -> Result<()> {
        kind.clone_into(&mut self.safety.kind.borrow_mut());
        if let Some(table) = self.table_of(TableName::Findings) {
            let exactly = if kind.is_empty() {
                String::new()
            } else {
                format!("={kind}")
            };
            table.filter_by(&exactly);
        }
        if let Some(shown) = &*self.shown.borrow() {
            self.safety.draw_text(shown)?;
        }
        self.more_rows(TableName::Findings)
    }

    pub(super) fn table_of(&self, name: TableName) -> Option<&Table> {
        self.tables.iter().find(|t| t.name() == name).map(|t| &**t)
    }

    /// Opens the safety view at the overlaps of the selection.
    pub fn show_overlaps(&self) -> Result<()> {
        self.open_tab(Tab::Safety)?;
        dom::id("overlap-card")?.scroll_into_view();
        Ok(())
    }

    /// What lies under a place of the map of overlaps: a pair `7-97`, or a tensor alone.
    pub fn overlap_at(&self, x: f64, y: f64) -> Option<(Option<String>, u64)> {
        let of = self.safety.boxes.borrow().as_ref()?.of;
        let id = self.safety.map.at(x, y)?.id;
        Some((of.tensor.map(|own| format!("{own}-{id}")), id))
    }

    /// The pointer is over a place of the map of overlaps, or over none.
    pub fn hover_overlaps(&self, at: Option<(f64, f64)>) -> Result<()> {
        let over = at.and_then(|(x, y)| self.safety.map.at(x, y));
        let text = over.map(|b| {
            let why = super::table::why(WHY.get(b.why).unwrap_or(&""));
            let (key, size) = (Thing::Tensor(b.id).key(), bytes(b.end - b.start));
            format!("{key} · {size} · ${} … ${} · {why}", b.first, b.last)
        });
        let canvas = self.safety.map.canvas();
        let cursor = if over.is_some() { "pointer" } else { "" };
        canvas.style().set_property("cursor", cursor)?;
        dom::id("overlap-readout")?.set_text_content(text.as_deref());
        Ok(())
    }

    /// Copies what to tell the issue tracker.
    pub fn copy_issue(&self, button: &HtmlElement) -> Result<()> {
        let text = dom::id("issue-text")?.text_content().unwrap_or_default();
        super::sharing::copy(text)?;
        button.set_text_content(Some(s(Said::Copied)));
        Ok(())
    }
}
