//! The tensors alive at the selected step: only the rows in sight are in the page, a page of rows
//! at a time comes from the worker.

use std::cell::{Cell, RefCell};

use web_sys::{Element, HtmlElement};

use super::opening::Shown;
use super::words::{count, t, tf, Word};
use super::{dom, Result};
use crate::engine::protocol::{AliveRow, AliveRows, Request};
use crate::report::figure::{bytes, grouped};

/// Rows asked for at a time.
pub const PAGE_ROWS: u32 = 300;

/// Height of a row, as in the style sheet.
const ROW: f64 = 26.0;

/// Rows kept in the page beyond those in sight.
const SPARE: u32 = 12;

/// Most rows that can be scrolled to: browsers end at some 17 million pixels of height.
const MOST_ROWS: u32 = 600_000;

/// The table's elements and the page of rows that is there.
pub struct AliveTable {
    scroll: HtmlElement,
    body: Element,
    title: HtmlElement,
    rows: RefCell<AliveRows>,
    asked: Cell<Option<(u32, u32)>>,
    drawn: Cell<Option<(u32, u32)>>,
}

impl AliveTable {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            scroll: dom::id("alive-scroll")?,
            body: dom::find("[data-table=alive] tbody")?,
            title: dom::id("alive-title")?,
            rows: RefCell::default(),
            asked: Cell::new(None),
            drawn: Cell::new(None),
        })
    }

    /// The request for the first rows at a step.
    pub fn first_page(&self, graph: u32, step: u32) -> Request {
        self.asked.set(Some((step, 0)));
        Request::Alive {
            graph,
            step,
            first: 0,
            rows: PAGE_ROWS,
        }
    }

    /// Takes rows that came.
    pub fn take(&self, rows: AliveRows) -> Result<()> {
        let another_step = self.rows.borrow().step != rows.step;
        self.asked.set(None);
        *self.rows.borrow_mut() = rows;
        if another_step {
            self.scroll.set_scroll_top(0);
        }
        Ok(())
    }

    /// After scrolling: draws what is there and says what to ask for.
    pub fn scrolled(&self, graph: u32, step: u32) -> Result<Option<Request>> {
        let (first, end) = self.in_sight();
        if self
            .drawn
            .get()
            .is_none_or(|(from, to)| first < from || to < end)
        {
            self.draw_rows()?;
        }
        let rows = self.rows.borrow();
        let have = rows.first..rows.first + rows.rows.len() as u32;
        if rows.step != step || (have.contains(&first) && end <= have.end) || rows.total == 0 {
            return Ok(None);
        }
        let from = first.saturating_sub(PAGE_ROWS / 3);
        if self.asked.get() == Some((step, from)) {
            return Ok(None);
        }
        self.asked.set(Some((step, from)));
        Ok(Some(Request::Alive {
            graph,
            step,
            first: from,
            rows: PAGE_ROWS,
        }))
    }

    fn in_sight(&self) -> (u32, u32) {
        let total = self.rows.borrow().total.min(MOST_ROWS);
        let first = (f64::from(self.scroll.scroll_top()) / ROW).floor() as u32;
        let count = (f64::from(self.scroll.client_height()) / ROW).ceil() as u32;
        (first.min(total), first.saturating_add(count).min(total))
    }

    /// Draws the title and the rows in sight.
    pub fn draw(&self, shown: &Shown) -> Result<()> {
        let rows = self.rows.borrow();
        dom::clear(&self.title);
        dom::append(
            &self.title,
            &[&dom::text(
                "span",
                "",
                &tf(Word::AliveTitle, &[&rows.step.to_string()]),
            )?],
        )?;
        let alive = shown
            .step
            .as_ref()
            .filter(|s| s.step == rows.step)
            .map(|s| s.alive);
        let mut summary = count(rows.total.into(), Word::ChipTensor, Word::ChipTensors);
        if let Some(alive) = alive {
            summary = format!("{summary} · {}", bytes(alive));
        }
        dom::append(&self.title, &[&dom::text("span", "dim", &summary)?])?;
        self.title.set_hidden(shown.overview.steps == 0);
        let stage = shown.overview.summary.kind == "stage";
        dom::attribute(&self.scroll, "data-stage", stage.then_some(""))?;
        drop(rows);
        self.draw_rows()
    }

    /// Takes all rows off the page.
    pub fn clear(&self) -> Result<()> {
        dom::clear(&self.body);
        self.drawn.set(None);
        Ok(())
    }

    fn draw_rows(&self) -> Result<()> {
        let rows = self.rows.borrow();
        let total = rows.total.min(MOST_ROWS);
        let (first, end) = self.in_sight();
        let from = first.saturating_sub(SPARE).max(rows.first);
        let to = end
            .saturating_add(SPARE)
            .min(rows.first + rows.rows.len() as u32)
            .min(total);
        dom::clear(&self.body);
        if total == 0 {
            let row = dom::make("tr", "none")?;
            let cell = dom::text("td", "dim", t(Word::AliveNone))?;
            cell.set_attribute("colspan", "9")?;
            dom::append(&row, &[&cell])?;
            self.drawn.set(Some((0, 0)));
            return dom::append(&self.body, &[&row]);
        }
        if to <= from {
            self.drawn.set(None);
            return self.space(total);
        }
        self.space(from)?;
        let largest = rows
            .rows
            .iter()
            .map(|r| r.aligned)
            .max()
            .unwrap_or(0)
            .max(self.largest(&rows));
        for row in rows
            .rows
            .iter()
            .skip((from - rows.first) as usize)
            .take((to - from) as usize)
        {
            dom::append(&self.body, &[&draw_row(row, largest)?])?;
        }
        self.drawn.set(Some((from, to)));
        self.space(total - to)
    }

    /// The first row of all is the largest; it is remembered from the first page.
    fn largest(&self, rows: &AliveRows) -> u64 {
        thread_local! { static LARGEST: Cell<(u32, u64)> = const { Cell::new((0, 0)) }; }
        if rows.first == 0 {
            LARGEST.set((rows.step, rows.rows.first().map_or(0, |r| r.aligned)));
        }
        let (step, largest) = LARGEST.get();
        if step == rows.step {
            largest
        } else {
            0
        }
    }

    fn space(&self, rows: u32) -> Result<()> {
        if rows == 0 {
            return Ok(());
        }
        let space = dom::make("tr", "space")?;
        let cell = dom::make("td", "")?;
        cell.set_attribute("colspan", "9")?;
        cell.style()
            .set_property("height", &format!("{}px", f64::from(rows) * ROW))?;
        dom::append(&space, &[&cell])?;
        dom::append(&self.body, &[&space])
    }
}

fn draw_row(row: &AliveRow, largest: u64) -> Result<HtmlElement> {
    let id = format!("%{}T", row.tensor);
    let out = dom::make(
        "tr",
        if row.counted_with.is_some() {
            "counted-elsewhere"
        } else {
            ""
        },
    )?;
    out.set_attribute("data-row", &id)?;
    let aligned = sized("num size", row.aligned)?;
    if largest > 0 {
        let share = row.aligned as f64 / largest as f64 * 100.0;
        aligned
            .style()
            .set_property("--share", &format!("{share:.2}%"))?;
    }
    if let Some(head) = row.counted_with {
        let note = tf(Word::CountedWith, &[&head.to_string()]);
        let mark = dom::text("span", "union", &format!("∪ %{head}T"))?;
        mark.set_title(&note);
        dom::append(&aligned, &[&mark])?;
    }
    let offset = dom::text(
        "td",
        "num mono offset",
        &row.offset
            .map_or_else(|| "–".into(), |o| format!("0x{o:x}")),
    )?;
    if let Some(offset_bytes) = row.offset {
        offset.set_title(&grouped(offset_bytes));
    }
    let source = dom::make("td", "source")?;
    match row.source_step {
        Some(step) => {
            let link = dom::make("button", "link name")?;
            link.set_attribute("type", "button")?;
            link.set_attribute("data-go-step", &step.to_string())?;
            dom::append(&link, &[&dom::text("span", "step", &format!("${step}"))?])?;
            dom::scoped_name(&link, &row.source)?;
            dom::append(&source, &[&link])?;
        }
        None if row.source.is_empty() => source.set_text_content(Some("–")),
        None => dom::scoped_name(&source, &row.source)?,
    }
    dom::append(
        &out,
        &[
            &dom::text("td", "num mono", &id)?,
            &aligned,
            &sized("num", row.original)?,
            &offset,
            &dom::text("td", "num", &format!("${}", row.first))?,
            &dom::text("td", "num", &format!("${}", row.last))?,
            &dom::text("td", "", &row.kind)?,
            &dom::text(
                "td",
                if row.lifelong == "LifeLongNone" {
                    "dim"
                } else {
                    ""
                },
                &row.lifelong,
            )?,
            &source,
        ],
    )?;
    Ok(out)
}

fn sized(class: &str, n: u64) -> Result<HtmlElement> {
    let cell = dom::text("td", class, &bytes(n))?;
    cell.set_title(&format!("{} B", grouped(n)));
    Ok(cell)
}
