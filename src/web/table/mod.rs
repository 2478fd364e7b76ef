//! One table over any number of rows: only those in sight are in the page, a few hundred around them
//! are kept, and further ones come from the worker before they are reached.
//!
//! ```text
//!  Query ──► want() ──► worker ──► take() ──► cache ──► RowPool (as many rows as fit)
//! ```

mod cell;
mod columns;
mod head;
mod presets;
mod rows;
mod scroll;
mod written;

pub use self::cell::why;
pub use self::head::listen;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use web_sys::{HtmlElement, HtmlInputElement};

use self::columns::Layout;
use self::rows::RowPool;
use self::scroll::Scroller;
use super::words::{count, t, tf, Word};
use super::{dom, Result};
use crate::engine::explore::{Column, Narrow, TableName, TableRequest, TableRow, TableRows};
use crate::engine::safety::OverlapOf;
use crate::engine::view::Thing;
use crate::report::figure::{bytes, grouped};

/// The name of a table in `data-table`.
fn table_word(table: TableName) -> &'static str {
    match table {
        TableName::Nodes => "nodes",
        TableName::Tensors => "tensors",
        TableName::Parameters => "parameters",
        TableName::Alive => "alive",
        TableName::Findings => "findings",
        TableName::Overlaps => "overlaps",
    }
}

/// Rows kept together. They are unpacked between two frames, so there are few.
const CHUNK: u32 = 32;

/// Rows asked for when somebody waits for them: as many as fit.
const PAGE: u32 = 2 * CHUNK;

/// Most chunks kept.
const MOST_CHUNKS: usize = 192;

/// What the rows are, apart from which of them are in sight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Handle of the graph.
    pub graph: u32,
    /// The step, for what is alive at one.
    pub step: u32,
    /// What the user narrowed everything to.
    pub narrow: Narrow,
    /// Whose bytes, for overlaps.
    pub overlap: OverlapOf,
    sort: Option<Column>,
    descending: bool,
    filter: String,
}

/// Rows that came, and of what.
#[derive(Default)]
struct Cache {
    query: Option<Query>,
    total: u32,
    of: u32,
    sum: u64,
    chunks: HashMap<u32, Vec<TableRow>>,
    largest: u64,
}

impl Cache {
    fn row(&self, index: u32) -> Option<&TableRow> {
        self.chunks
            .get(&(index / CHUNK))?
            .get((index % CHUNK) as usize)
    }
}

/// A table and its tools.
pub struct Table {
    name: TableName,
    card: HtmlElement,
    title: HtmlElement,
    summary: HtmlElement,
    filter: HtmlInputElement,
    grid: HtmlElement,
    scroller: Scroller,
    layout: RefCell<Layout>,
    head: HtmlElement,
    menu: HtmlElement,
    presets: HtmlElement,
    pool: RefCell<RowPool>,
    query: RefCell<Option<Query>>,
    asked: RefCell<Option<(Query, u32, u32)>>,
    /// The rows that are there are of another graph.
    stale: Cell<bool>,
    cache: RefCell<Cache>,
    cursor: Cell<Option<u32>>,
    selected: RefCell<String>,
    /// The id of a row that is to be scrolled to.
    sought: Cell<Option<u64>>,
    down: Cell<bool>,
    /// Rows ahead are written soon.
    ahead: Cell<bool>,
}

impl Table {
    /// Builds the table inside the element `#table-…`.
    pub fn new(name: TableName) -> Result<Self> {
        let word = table_word(name);
        let card = dom::id(&format!("table-{word}"))?;
        let bar = dom::make("div", "table-bar")?;
        let title = dom::make("h2", "")?;
        let summary = dom::make("span", "dim summary")?;
        let presets = dom::make("div", "presets")?;
        let filter: HtmlInputElement = dom::make_as("input", "filter")?;
        filter.set_type("search");
        filter.set_attribute("data-label", "FilterLabel")?;
        filter.set_attribute("spellcheck", "false")?;
        filter.set_attribute("data-filter", word)?;
        let menu = dom::make("details", "menu")?;
        let tools = dom::make("div", "table-tools")?;
        dom::append(&tools, &[&filter, &menu])?;
        dom::append(&bar, &[&title, &summary, &presets, &tools])?;
        let scroll = dom::make("div", "table-scroll")?;
        let grid = dom::make("table", "")?;
        grid.set_attribute("data-table", word)?;
        grid.set_attribute("role", "grid")?;
        grid.set_tab_index(0);
        let thead = dom::make("thead", "")?;
        let head = dom::make("tr", "")?;
        let body = dom::make("tbody", "")?;
        // As they are laid out one by one, the browser no longer sees that they make a table.
        for part in [&thead, &body] {
            part.set_attribute("role", "rowgroup")?;
        }
        head.set_attribute("role", "row")?;
        dom::append(&thead, &[&head])?;
        dom::append(&grid, &[&thead, &body])?;
        dom::append(&scroll, &[&grid])?;
        dom::append(&card, &[&bar, &scroll])?;
        let layout = Layout::remembered(name, grid.clone());
        let table = Self {
            name,
            card,
            title,
            summary,
            filter,
            scroller: Scroller::new(scroll),
            pool: RefCell::new(RowPool::new(name, body, grid.clone())?),
            grid,
            layout: RefCell::new(layout),
            head,
            menu,
            presets,
            query: RefCell::default(),
            asked: RefCell::default(),
            stale: Cell::default(),
            cache: RefCell::default(),
            cursor: Cell::new(None),
            selected: RefCell::default(),
            sought: Cell::default(),
            down: Cell::new(true),
            ahead: Cell::new(false),
        };
        table.lay_out()?;
        Ok(table)
    }

    /// Which table it is.
    pub fn name(&self) -> TableName {
        self.name
    }

    /// The element that scrolls.
    pub fn scroll_box(&self) -> &HtmlElement {
        self.scroller.element()
    }

    /// Whether it can be seen; a table that cannot asks for nothing.
    pub fn is_seen(&self) -> bool {
        self.scroller.height() > 0.0
    }

    /// Points the table at a graph, a step and what everything is narrowed to; the way it is
    /// sorted and filtered stays.
    pub fn point(&self, graph: u32, step: u32, narrow: &Narrow, overlap: OverlapOf) {
        let mut query = self.query.borrow_mut();
        let before = query.take();
        let (sort, descending) = presets::first_of(self.name);
        let mut after = before.unwrap_or(Query {
            sort,
            descending,
            filter: self.filter.value(),
            ..Query::default()
        });
        after.graph = graph;
        after.step = if self.name == TableName::Alive {
            step
        } else {
            0
        };
        match self.name {
            TableName::Findings => {}
            TableName::Overlaps => after.overlap = overlap,
            _ => after.narrow = narrow.clone(),
        }
        *query = Some(after);
    }

    /// Another graph, or another base: nothing that was asked or came before counts, and what is
    /// shown stays only until the new rows are there.
    pub fn forget(&self) {
        self.asked.take();
        self.stale.set(true);
        self.cursor.set(None);
        // A graph of another worker may have the same handle.
        self.cache.borrow_mut().query = None;
    }

    /// The first page of a graph that is not shown yet.
    pub fn first_page(&self, graph: u32, step: u32) -> TableRequest {
        let (sort, descending) = match &*self.query.borrow() {
            Some(query) => (query.sort, query.descending),
            None => presets::first_of(self.name),
        };
        let filter = self.filter.value();
        TableRequest {
            graph,
            table: self.name,
            step,
            sort,
            descending,
            filter,
            first: 0,
            rows: PAGE,
            ..TableRequest::default()
        }
    }

    /// Takes rows that were asked for before the graph was shown.
    pub fn take_first(&self, rows: TableRows) -> Result<()> {
        let Some(query) = self.query.borrow().clone() else {
            return Ok(());
        };
        *self.asked.borrow_mut() = Some((query, 0, PAGE));
        self.take(rows)
    }

    /// What to ask for now, if anything.
    pub fn want(&self) -> Option<TableRequest> {
        let query = self.query.borrow().clone()?;
        if self.asked.borrow().is_some() || !self.is_seen() {
            return None;
        }
        let cache = self.cache.borrow();
        let reveal = self.sought.take();
        let known = cache.query.as_ref() == Some(&query) && !self.stale.get();
        let (first, rows) = if known && reveal.is_none() {
            missing(&cache, self.scroller.in_sight(cache.total), self.down.get())?
        } else {
            (0, PAGE)
        };
        drop(cache);
        *self.asked.borrow_mut() = Some((query.clone(), first, rows));
        self.grid.set_attribute("aria-busy", "true").ok()?;
        Some(TableRequest {
            graph: query.graph,
            table: self.name,
            step: query.step,
            sort: query.sort,
            descending: query.descending,
            filter: query.filter,
            narrow: query.narrow,
            overlap: query.overlap,
            first,
            rows,
            reveal,
        })
    }

    /// Takes rows that came.
    pub fn take(&self, rows: TableRows) -> Result<()> {
        let Some((query, ..)) = self.asked.take() else {
            return Ok(());
        };
        self.grid.remove_attribute("aria-busy")?;
        let revealed = rows.revealed;
        let anew = {
            let mut cache = self.cache.borrow_mut();
            let stale = self.stale.take();
            let another = stale || cache.query.as_ref() != Some(&query);
            if another {
                let before = cache.query.as_ref().filter(|_| !stale);
                let same_things = before.is_some_and(|q| {
                    (q.graph, q.step, &q.narrow, q.overlap)
                        == (query.graph, query.step, &query.narrow, query.overlap)
                });
                *cache = Cache {
                    largest: if same_things { cache.largest } else { 0 },
                    query: Some(query),
                    ..Cache::default()
                };
            }
            (cache.total, cache.of, cache.sum) = (rows.total, rows.of, rows.sum);
            if cache.chunks.len() > MOST_CHUNKS {
                let here = rows.first / CHUNK;
                cache.chunks.retain(|chunk, _| chunk.abs_diff(here) < 48);
            }
            let largest = cache.largest;
            let sized = cell::sized_column(self.name);
            for row in &rows.rows {
                let size = sized.and_then(|at| row.cells.get(at)).map(cell::size_of);
                cache.largest = cache.largest.max(size.unwrap_or(0));
            }
            let mut chunk = rows.first / CHUNK;
            let mut rest = rows.rows.into_iter().peekable();
            while rest.peek().is_some() {
                let part = rest.by_ref().take(CHUNK as usize).collect();
                cache.chunks.insert(chunk, part);
                chunk += 1;
            }
            if another {
                self.cursor.set(None);
                self.scroller.to_top();
            }
            another || cache.largest != largest
        };
        if anew {
            self.pool.borrow_mut().is_stale();
            self.show_summary()?;
        } else {
            self.pool.borrow_mut().has_more();
        }
        self.draw_rows()?;
        match revealed {
            // Only now the box is as high as its rows.
            Some(row) => {
                self.scroller.reveal(row, self.cache.borrow().total);
                self.draw_rows()
            }
            None => Ok(()),
        }
    }

    /// Scrolls to the row of a thing as soon as the table can be seen, if it has one.
    pub fn seek(&self, thing: Thing) {
        use TableName as T;
        self.sought.set(match (self.name, thing) {
            (T::Nodes, Thing::Node(step)) => Some(step.into()),
            (T::Tensors | T::Alive, Thing::Tensor(id)) | (T::Parameters, Thing::Parameter(id)) => {
                Some(id)
            }
            _ => None,
        });
    }

    /// The graph has no such rows.
    pub fn take_nothing(&self) -> Result<()> {
        self.take(TableRows::default())
    }

    /// Shows only rows that hold a text, as if it had been typed; what is typed already.
    pub fn filter_by(&self, text: &str) {
        self.filter.set_value(text);
        if let Some(query) = self.query.borrow_mut().as_mut() {
            query.filter = text.to_owned();
        }
    }

    /// Draws everything: words, columns, rows.
    pub fn draw(&self) -> Result<()> {
        self.scroller.measure();
        self.lay_out()?;
        self.filter.set_placeholder(t(Word::FilterHint));
        self.pool.borrow_mut().is_stale();
        self.show_summary()?;
        self.draw_rows()
    }

    /// Takes all rows off the page.
    pub fn clear(&self) -> Result<()> {
        self.query.take();
        self.asked.take();
        self.cache.take();
        self.draw_rows()
    }

    /// After scrolling or another size: draws the rows in sight.
    pub fn scrolled(&self) -> Result<()> {
        let total = self.cache.borrow().total;
        if let Some(down) = self.scroller.follow(total) {
            self.down.set(down);
        }
        self.draw_rows()
    }

    /// Marks the row of what is selected.
    pub fn mark_selected(&self, thing: Option<Thing>) -> Result<()> {
        self.mark_key(thing.map_or_else(String::new, Thing::key))
    }

    /// Marks the row of a key.
    pub fn mark_key(&self, key: String) -> Result<()> {
        if *self.selected.borrow() != key {
            self.sought.set(None);
            *self.selected.borrow_mut() = key;
            self.pool.borrow().mark_selected(&self.selected.borrow())?;
        }
        Ok(())
    }

    fn draw_rows(&self) -> Result<()> {
        self.draw_rows_and(None)
    }

    /// Writes the rows that come next if the wheel turns on, and has them laid out.
    fn draw_ahead(&self) -> Result<()> {
        self.ahead.set(false);
        if self.pool.borrow().is_turning() {
            self.draw_rows_and(Some(self.down.get()))?;
            self.grid.offset_height();
        }
        Ok(())
    }

    /// Draws the rows in sight, and those ahead of them in a direction.
    fn draw_rows_and(&self, ahead: Option<bool>) -> Result<()> {
        let cache = self.cache.borrow();
        let selected = self.selected.borrow();
        let place = self.scroller.place(cache.total);
        let layout = self.layout.borrow();
        let (seen, at) = self.scroller.sideways();
        layout.fit(seen, at)?;
        let ink = rows::Ink {
            layout: &layout,
            largest: cache.largest,
            selected: &selected,
            cursor: self.cursor.get(),
            known: cache.query.is_some(),
        };
        let row = |index| cache.row(index);
        self.pool.borrow_mut().draw(&place, row, &ink, ahead)
    }

    fn show_summary(&self) -> Result<()> {
        let cache = self.cache.borrow();
        let (one, many, title) = match self.name {
            TableName::Nodes => (Word::ChipNode, Word::ChipNodes, t(Word::TabNodes).into()),
            TableName::Tensors => (
                Word::ChipTensor,
                Word::ChipTensors,
                t(Word::TabTensors).into(),
            ),
            TableName::Parameters => (
                Word::StaticSubOne,
                Word::StaticSub,
                t(Word::TabParameters).into(),
            ),
            TableName::Findings => (
                Word::FindingOne,
                Word::FindingMany,
                t(Word::FindingsTitle).into(),
            ),
            TableName::Overlaps => (
                Word::ChipTensor,
                Word::ChipTensors,
                t(Word::OverlapsTitle).into(),
            ),
            TableName::Alive => {
                let step = cache.query.as_ref().map_or(0, |q| q.step);
                let title = tf(Word::AliveTitle, &[&step.to_string()]);
                (Word::ChipTensor, Word::ChipTensors, title)
            }
        };
        self.title.set_text_content(Some(&title));
        let mut summary = if cache.total == cache.of {
            count(cache.total.into(), one, many)
        } else {
            let of = count(cache.of.into(), one, many);
            tf(Word::RowsOf, &[&grouped(cache.total.into()), &of])
        };
        if !matches!(
            self.name,
            TableName::Nodes | TableName::Findings | TableName::Overlaps
        ) {
            summary = format!("{summary} · {}", bytes(cache.sum));
            let exact = format!("{} B", grouped(cache.sum));
            let title = match self.name {
                TableName::Parameters => exact,
                _ => tf(Word::SumTells, &[&exact]),
            };
            self.summary.set_title(&title);
        }
        self.summary.set_text_content(Some(&summary));
        self.summary
            .set_attribute("data-total", &cache.total.to_string())?;
        self.summary
            .set_attribute("data-sum", &cache.sum.to_string())?;
        self.grid
            .set_attribute("aria-rowcount", &(u64::from(cache.total) + 1).to_string())?;
        Ok(())
    }
}

/// The rows to ask for next: what is in sight, and more in the direction of scrolling.
fn missing(cache: &Cache, (first, end): (u32, u32), down: bool) -> Option<(u32, u32)> {
    if cache.total == 0 {
        return None;
    }
    let last_chunk = (cache.total - 1) / CHUNK;
    let (above, below) = if down { (2, 6) } else { (6, 2) };
    let from = (first / CHUNK).saturating_sub(above);
    let to = (end.saturating_sub(1) / CHUNK + below).min(last_chunk);
    let lacks = |chunk: &u32| !cache.chunks.contains_key(chunk);
    // What is in sight comes first.
    let seen = (first / CHUNK)..=(end.saturating_sub(1) / CHUNK).min(last_chunk);
    let near = || match down {
        true => (from..=to).find(lacks),
        false => (from..=to).rev().find(lacks),
    };
    let begin = seen.clone().find(lacks).or_else(near)?;
    let most = if seen.contains(&begin) {
        PAGE / CHUNK
    } else {
        1
    } as usize;
    let length = (begin..=to).take_while(lacks).count().min(most) as u32;
    Some((begin * CHUNK, length * CHUNK))
}
