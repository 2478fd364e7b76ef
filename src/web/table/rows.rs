//! The rows that are in the page: as many as fit, used again and again while the table scrolls.
//!
//! A row has a place of its own in the body, whatever rows are beside it: scrolling lays out and paints
//! the rows that come in, not those that stay.

use std::collections::VecDeque;

use web_sys::{HtmlElement, Node, Selection};

use super::super::words::{t, Word};
use super::super::{dom, Result};
use super::cell;
use super::columns::{InSight, Layout};
use super::scroll::{Place, HEAD, ROW};
use super::written::CellView;
use crate::engine::explore::{Cell, Column, TableName, TableRow};
use crate::engine::view::Thing;

/// What rows look like apart from what is in them.
pub struct Ink<'a> {
    /// Which columns there are.
    pub layout: &'a Layout,
    /// The largest size, for the bars.
    pub largest: u64,
    /// Key of the selected row.
    pub selected: &'a str,
    /// The row that the keys are at.
    pub cursor: Option<u32>,
    /// Whether it is known how many rows there are.
    pub known: bool,
}

/// Rows between the one that places are counted from and those in sight, at most: a browser is exact
/// to the pixel up to some 16 million.
const FAR: u32 = 100_000;

/// Rows that are ready where the wheel turns to: a turn mostly only moves what is painted already.
const AHEAD: u32 = 20;

/// The class of a cell that is out of sight to the side.
const ASIDE: &str = "aside";

/// The class of a cell that is in sight in part: of a number, some digits would look like all of it.
const CUT: &str = "cut";

/// The rows in the page.
pub struct RowPool {
    table: TableName,
    body: HtmlElement,
    grid: HtmlElement,
    none: HtmlElement,
    /// Rows in the page, one below the other from the row `first` on.
    rows: VecDeque<Row>,
    first: u32,
    /// Rows that were in the page.
    spare: Vec<Row>,
    place: Place,
    /// The row that places are counted from, which is `FAR` rows down in the body where that moves.
    base: u32,
    /// Pixels that the body is moved by.
    moved: f64,
    /// Pixels that the body is high.
    high: f64,
    columns: Vec<(usize, Column)>,
    /// Which of the columns can be seen.
    in_sight: InSight,
    cursor: Option<u32>,
    stale: bool,
    more: bool,
    turning: bool,
}

struct Row {
    element: HtmlElement,
    cells: Vec<CellView>,
    key: String,
    filled: bool,
    at_cursor: bool,
    /// Rows below the top of the body.
    at: Option<i32>,
}

impl RowPool {
    /// No rows yet.
    pub fn new(table: TableName, body: HtmlElement, grid: HtmlElement) -> Result<Self> {
        let none = dom::make("tr", "none")?;
        dom::append(&none, &[&dom::make("td", "dim")?])?;
        none.set_hidden(true);
        dom::append(&body, &[&none])?;
        Ok(Self {
            table,
            body,
            grid,
            none,
            rows: VecDeque::new(),
            first: 0,
            spare: Vec::new(),
            place: Place::default(),
            base: 0,
            moved: 0.0,
            high: 0.0,
            columns: Vec::new(),
            in_sight: InSight::default(),
            cursor: None,
            stale: true,
            more: false,
            turning: false,
        })
    }

    /// What the rows hold has changed: all are written anew.
    pub fn is_stale(&mut self) {
        self.stale = true;
    }

    /// Rows came that were missing; those that are written stay.
    pub fn has_more(&mut self) {
        self.more = true;
    }

    /// The wheel turns, or rests: then the next drawing leaves only the rows in sight.
    pub fn turn(&mut self, turning: bool) -> Result<()> {
        if std::mem::replace(&mut self.turning, turning) != turning {
            let classes = self.body.class_list();
            classes.toggle_with_force("turning", turning)?;
            self.more |= !turning;
        }
        Ok(())
    }

    /// Whether the wheel turns.
    pub fn is_turning(&self) -> bool {
        self.turning
    }

    /// Has the rows of a place in the page. Those that the wheel will turn to next come with `ahead`:
    /// whether that is further down.
    pub fn draw<'r>(
        &mut self,
        place: &Place,
        row: impl Fn(u32) -> Option<&'r TableRow>,
        ink: &Ink<'_>,
        ahead: Option<bool>,
    ) -> Result<()> {
        let in_sight = ink.layout.in_sight();
        let moved = self.place != *place || self.cursor != ink.cursor || self.in_sight != in_sight;
        if !self.stale && !std::mem::take(&mut self.more) && !moved && ahead.is_none() {
            return Ok(());
        }
        self.cursor = ink.cursor;
        let columns: Vec<_> = ink.layout.shown().collect();
        if columns != self.columns {
            for row in self.rows.drain(..) {
                row.element.remove();
            }
            self.spare.clear();
            self.columns = columns;
            self.stale = true;
        }
        if self.in_sight != in_sight {
            self.in_sight = in_sight;
            self.rows
                .iter()
                .try_for_each(|row| row.see(&self.in_sight))?;
        }
        let (first, end) = match ahead {
            Some(true) => (place.first, place.total.min(place.end + AHEAD)),
            Some(false) => (place.first.saturating_sub(AHEAD), place.end),
            None => self.around(place),
        };
        self.move_to(place, first, (end - first) as usize, ink.layout)?;
        for (index, own) in (first..).zip(&mut self.rows) {
            let seen = (place.first..place.end).contains(&index);
            if self.stale || !own.filled && (seen || ahead.is_some()) {
                own.write(index, row(index), &self.columns, self.table, ink)?;
            }
            let at_cursor = ink.cursor == Some(index);
            if std::mem::replace(&mut own.at_cursor, at_cursor) == at_cursor {
                continue;
            }
            own.element
                .class_list()
                .toggle_with_force("cursor", at_cursor)?;
            if at_cursor {
                let id = format!(
                    "{}-{index}",
                    self.grid.dataset().get("table").unwrap_or_default()
                );
                own.element.set_id(&id);
                self.grid.set_attribute("aria-activedescendant", &id)?;
            } else {
                own.element.remove_attribute("id")?;
            }
        }
        if self.stale {
            let none = self.rows.is_empty() && ink.known;
            self.none.set_hidden(!none);
            if let (true, Some(cell)) = (none, self.none.first_element_child()) {
                let word = match self.table {
                    TableName::Alive => Word::AliveNone,
                    TableName::Findings => Word::NoFindings,
                    _ => Word::NoRows,
                };
                cell.set_text_content(Some(t(word)));
            }
        }
        self.stale = false;
        Ok(())
    }

    /// The rows to have in the page: those of a place, and while the wheel turns as many as there are,
    /// moved as little as can be.
    fn around(&self, place: &Place) -> (u32, u32) {
        let (here, exact) = (self.rows.len() as u32, (place.first, place.end));
        if !(place.scaled && self.turning && here > place.end - place.first) {
            exact
        } else if place.end > self.first + here {
            (place.end.saturating_sub(here), place.end)
        } else {
            let first = place.first.min(self.first);
            (first, place.total.min(first + here))
        }
    }

    /// Moves rows that go out on one side to the other, until `wanted` are there from the row `first` on.
    fn move_to(&mut self, place: &Place, first: u32, wanted: usize, layout: &Layout) -> Result<()> {
        let here = self.rows.len() as u32;
        let shift = i64::from(first) - i64::from(self.first);
        if shift.unsigned_abs() < u64::from(here) {
            for _ in 0..shift.max(0) {
                if let Some(mut row) = self.rows.pop_front() {
                    row.filled = false;
                    dom::append(&self.body, &[&row.element])?;
                    self.rows.push_back(row);
                }
            }
            for _ in 0..(-shift).max(0) {
                if let Some(mut row) = self.rows.pop_back() {
                    row.filled = false;
                    let before = self.rows.front().map(|r| r.element.clone());
                    self.body
                        .insert_before(&row.element, before.as_deref().map(AsRef::as_ref))?;
                    self.rows.push_front(row);
                }
            }
        } else {
            self.rows.iter_mut().for_each(|row| row.filled = false);
        }
        while self.rows.len() > wanted {
            if let Some(mut row) = self.rows.pop_back() {
                row.element.remove();
                row.filled = false;
                self.spare.push(row);
            }
        }
        while self.rows.len() < wanted {
            let row = match self.spare.pop() {
                Some(row) => row,
                None => Row::new(&self.columns, layout)?,
            };
            row.see(&self.in_sight)?;
            dom::append(&self.body, &[&row.element])?;
            self.rows.push_back(row);
        }
        // Where the scroll bar is scaled the body moves, so that rows that stay have nothing to do.
        // It has a height of its own, as it is painted as a picture that begins where it begins: rows
        // that come and go would move that.
        let (top, high) = if place.scaled {
            (FAR, f64::from(2 * FAR) * ROW)
        } else {
            self.base = 0;
            (0, place.whole)
        };
        if place.scaled && first.abs_diff(self.base) > FAR - 1000 {
            self.base = first;
        }
        let row_at = |index: u32| (index.wrapping_add(top)).wrapping_sub(self.base) as i32;
        let moved = place.above - f64::from(row_at(place.first)) * ROW;
        if self.high != high {
            let high_px = format!("{high}px");
            self.body.style().set_property("height", &high_px)?;
            self.high = high;
        }
        if self.moved != moved {
            let to = match moved {
                0.0 => "none".to_owned(),
                _ => format!("translateY({moved}px)"),
            };
            self.body.style().set_property("transform", &to)?;
            self.moved = moved;
        }
        for (index, row) in (first..).zip(&mut self.rows) {
            let at = row_at(index);
            if row.at != Some(at) {
                let top = format!("{}px", f64::from(at) * ROW);
                row.element.style().set_property("top", &top)?;
                row.at = Some(at);
            }
        }
        if self.place.whole != place.whole {
            let height = format!("{}px", HEAD + place.whole);
            self.grid.style().set_property("height", &height)?;
        }
        (self.place, self.first) = (*place, first);
        Ok(())
    }

    /// The marked cells, a line for each row and a tab between two cells; nothing when they are not
    /// more than one.
    pub fn marked(&self, selection: &Selection) -> Result<Option<String>> {
        let (mut text, mut cells, mut last) = (String::new(), 0, None);
        if selection.range_count() == 0 {
            return Ok(None);
        }
        let range = selection.get_range_at(0)?;
        for row in &self.rows {
            let mut between = if text.is_empty() { "" } else { "\n" };
            for cell in &row.cells {
                if range.intersects_node(&cell.element)? {
                    last = Some((&cell.element, text.len()));
                    text.push_str(between);
                    text.push_str(&cell.element.text_content().unwrap_or_default());
                    between = "\t";
                    cells += 1;
                }
            }
        }
        // Whole rows end where the next one begins: of that nothing is marked.
        if let Some((cell, before)) = last {
            let begins = |node: Option<Node>, offset| offset == 0 && cell.contains(node.as_ref());
            let (anchor, focus) = (selection.anchor_node(), selection.focus_node());
            if cells > 1
                && (begins(anchor, selection.anchor_offset())
                    || begins(focus, selection.focus_offset()))
            {
                text.truncate(before);
                cells -= 1;
            }
        }
        Ok((cells > 1).then_some(text))
    }

    /// Marks the row of that key.
    pub fn mark_selected(&self, key: &str) -> Result<()> {
        for row in &self.rows {
            let selected = row.filled && row.key == key;
            row.element
                .class_list()
                .toggle_with_force("selected", selected)?;
        }
        Ok(())
    }
}

impl Row {
    fn new(columns: &[(usize, Column)], layout: &Layout) -> Result<Self> {
        let element = dom::make("tr", "")?;
        element.set_attribute("role", "row")?;
        let mut cells = Vec::with_capacity(columns.len());
        for (at, column) in columns {
            let cell = CellView::new(*column, layout.classes(*at, *column))?;
            dom::append(&element, &[&cell.element])?;
            cells.push(cell);
        }
        Ok(Self {
            element,
            cells,
            key: String::new(),
            filled: false,
            at_cursor: false,
            at: None,
        })
    }

    /// Has only the cells that can be seen laid out.
    fn see(&self, in_sight: &InSight) -> Result<()> {
        for (place, cell) in self.cells.iter().enumerate().skip(1) {
            let last = in_sight.last && place + 1 == self.cells.len();
            let aside = !last && !in_sight.places.contains(&place);
            let InSight { places, cut, .. } = in_sight;
            let cut = cut.0 && place == places.start || cut.1 && place + 1 == places.end;
            let classes = cell.element.class_list();
            classes.toggle_with_force(ASIDE, aside)?;
            classes.toggle_with_force(CUT, cut && !last)?;
        }
        Ok(())
    }

    fn write(
        &mut self,
        index: u32,
        row: Option<&TableRow>,
        columns: &[(usize, Column)],
        table: TableName,
        ink: &Ink<'_>,
    ) -> Result<()> {
        self.filled = row.is_some();
        if std::mem::take(&mut self.at_cursor) {
            self.element.remove_attribute("id")?;
        }
        let Some(row) = row else {
            self.element.remove_attribute("data-row")?;
            self.element.set_class_name("coming");
            return self.cells.iter_mut().try_for_each(CellView::empty);
        };
        self.element.set_attribute("data-row", &row.key)?;
        if table.is_made_whole() {
            let with = row.cells.iter().find_map(|c| match c {
                Cell::Text(text) if text.starts_with('%') => Some(text.as_str()),
                _ => None,
            });
            let pair = pair_of_keys(&row.key, with.filter(|_| table == TableName::Overlaps));
            dom::attribute(&self.element, "data-pair", pair.as_deref())?;
        }
        self.element
            .set_attribute("aria-rowindex", &(u64::from(index) + 2).to_string())?;
        let selected = row.key == ink.selected;
        self.element
            .set_class_name(if selected { "selected" } else { "" });
        let source = table
            .columns()
            .iter()
            .position(|c| *c == Column::SourceStep)
            .and_then(|at| row.cells.get(at));
        let sized = cell::sized_column(table);
        for (view, (at, column)) in self.cells.iter_mut().zip(columns) {
            let Some(value) = row.cells.get(*at) else {
                continue;
            };
            view.lay_out(ink.layout.width(*at));
            match column {
                Column::Id => view.write(&row.key, "", Thing::from_key(&row.key))?,
                Column::Why => {
                    let word = if let Cell::Text(word) = value {
                        word
                    } else {
                        ""
                    };
                    view.write(cell::why(word), "", None)?;
                    dom::attribute(&view.element, "data-why", Some(word))?;
                }
                Column::Name => view.write_name(value, cell::link(*column, value, source))?,
                _ => {
                    let (text, exact) = cell::text(value);
                    let exact =
                        if exact.is_empty() && matches!(value, Cell::Text(_) | Cell::Said(_)) {
                            &text
                        } else {
                            &exact
                        };
                    view.write(&text, exact, cell::link(*column, value, source))?;
                }
            }
            if sized == Some(*at) && ink.largest > 0 {
                let share = cell::size_of(value) as f64 / ink.largest as f64 * 100.0;
                view.fill(&format!("{share:.1}%"))?;
            }
        }
        self.key.clone_from(&row.key);
        Ok(())
    }
}

/// `7-97` from `%7T %97T`, or from the keys of two tensors.
fn pair_of_keys(key: &str, with: Option<&str>) -> Option<String> {
    let (a, b) = match with {
        Some(with) => (key, with),
        None => key.split_once(' ')?,
    };
    let id = |key: &str| match Thing::from_key(key) {
        Some(Thing::Tensor(id)) => Some(id),
        _ => None,
    };
    Some(format!("{}-{}", id(a)?, id(b)?))
}
