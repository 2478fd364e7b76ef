//! The headings and the tools of a table: sorting, presets, widths, the menu of columns, the filter.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{
    ClipboardEvent, Element, Event, HtmlInputElement, KeyboardEvent, MouseEvent, PointerEvent,
    WheelEvent,
};

use super::super::words::{t, Word};
use super::super::{dom, Result};
use super::scroll::{Scroller, ROW};
use super::{cell, columns, presets, Table};
use crate::engine::explore::{Column, TableName};
use crate::engine::view::Thing;

impl Table {
    /// Writes headings, presets and the menu anew.
    pub(super) fn lay_out(&self) -> Result<()> {
        self.show_headings()?;
        self.show_presets()?;
        self.show_menu()
    }

    /// The column by which rows are sorted by themselves.
    fn unsorted(&self) -> Option<Column> {
        (!self.name.is_made_whole()).then_some(Column::Id)
    }

    fn sorted(&self) -> (Option<Column>, bool) {
        match &*self.query.borrow() {
            Some(query) => (query.sort, query.descending),
            None => presets::first_of(self.name),
        }
    }

    fn show_headings(&self) -> Result<()> {
        dom::clear(&self.head);
        let (sort, descending) = self.sorted();
        let layout = self.layout.borrow();
        for (at, column) in layout.shown() {
            let th = dom::make("th", &layout.classes(at, column))?;
            th.set_attribute("role", "columnheader")?;
            th.set_attribute("data-column", &format!("{column:?}"))?;
            let is_sorted = sort.or(self.unsorted()) == Some(column);
            let order = match (is_sorted, descending) {
                (false, _) => "none",
                (true, true) => "descending",
                (true, false) => "ascending",
            };
            th.set_attribute("aria-sort", order)?;
            let name = t(columns::name(self.name, column));
            let button = dom::text("button", "sort", name)?;
            button.set_attribute("type", "button")?;
            button.set_attribute("data-sort", &at.to_string())?;
            let tells = columns::explanation(column).map_or(name, t);
            button.set_title(tells);
            let grip = dom::make("span", "grip")?;
            grip.set_attribute("data-grip", &at.to_string())?;
            dom::append(&th, &[&button, &grip])?;
            dom::append(&self.head, &[&th])?;
        }
        Ok(())
    }

    fn show_presets(&self) -> Result<()> {
        dom::clear(&self.presets);
        let sorted = self.sorted();
        for (place, (word, column, descending)) in presets::of(self.name).iter().enumerate() {
            let button = dom::text("button", "preset", t(*word))?;
            button.set_attribute("type", "button")?;
            button.set_attribute("data-preset", &place.to_string())?;
            let pressed = sorted == (*column, *descending);
            button.set_attribute("aria-pressed", if pressed { "true" } else { "false" })?;
            dom::append(&self.presets, &[&button])?;
        }
        Ok(())
    }

    fn show_menu(&self) -> Result<()> {
        dom::clear(&self.menu);
        let summary = dom::text("summary", "", t(Word::ColumnsMenu))?;
        let panel = dom::make("div", "panel")?;
        let layout = self.layout.borrow();
        for (at, column) in self.name.columns().iter().enumerate().skip(1) {
            let label = dom::make("label", "")?;
            let tick: HtmlInputElement = dom::make_as("input", "")?;
            tick.set_type("checkbox");
            tick.set_checked(!layout.is_hidden(at));
            tick.set_attribute("data-hide", &at.to_string())?;
            let name = dom::text("span", "", t(columns::name(self.name, *column)))?;
            dom::append(&label, &[&tick, &name])?;
            dom::append(&panel, &[&label])?;
        }
        dom::append(&self.menu, &[&summary, &panel])
    }

    fn sort_by(&self, sort: Option<Column>, descending: bool) -> Result<()> {
        if let Some(query) = self.query.borrow_mut().as_mut() {
            (query.sort, query.descending) = (sort, descending);
        }
        self.show_sorting()
    }

    /// Headings keep their elements, and so the focus.
    fn show_sorting(&self) -> Result<()> {
        let (sort, descending) = self.sorted();
        for i in 0..self.head.children().length() {
            let Some(th) = self.head.children().item(i) else {
                continue;
            };
            let column = th.get_attribute("data-column").unwrap_or_default();
            let by = sort.or(self.unsorted());
            let is_sorted = by.is_some_and(|c| format!("{c:?}") == column);
            let order = match (is_sorted, descending) {
                (false, _) => "none",
                (true, true) => "descending",
                (true, false) => "ascending",
            };
            th.set_attribute("aria-sort", order)?;
        }
        for i in 0..self.presets.children().length() {
            let preset = presets::of(self.name).get(i as usize);
            let pressed = preset.is_some_and(|(_, c, d)| (*c, *d) == (sort, descending));
            if let Some(button) = self.presets.children().item(i) {
                button.set_attribute("aria-pressed", if pressed { "true" } else { "false" })?;
            }
        }
        Ok(())
    }

    /// A click into the table; whether other rows are wanted now.
    fn clicked(&self, target: &Element) -> Result<bool> {
        let number = |attribute: &str| -> Option<usize> {
            let found = target.closest(&format!("[{attribute}]")).ok()??;
            found.get_attribute(attribute)?.parse().ok()
        };
        if let Some((_, column, descending)) =
            number("data-preset").and_then(|at| presets::of(self.name).get(at))
        {
            self.sort_by(*column, *descending)?;
            return Ok(true);
        }
        let Some(column) = number("data-sort").and_then(|at| self.name.columns().get(at)) else {
            return Ok(false);
        };
        let (sort, descending) = self.sorted();
        let id = *column == Column::Id;
        let same = sort.or(self.unsorted()) == Some(*column);
        let largest_first = cell::is_number(*column) && !id && !is_step(*column);
        let descending = if same { !descending } else { largest_first };
        let named = !id || descending || self.name.is_made_whole();
        self.sort_by(named.then_some(*column), descending)?;
        Ok(true)
    }

    /// A key on the table; the thing to select when it was Enter.
    fn pressed(&self, event: &KeyboardEvent) -> Result<Option<Thing>> {
        let total = self.cache.borrow().total;
        let on_grid = event
            .target()
            .and_then(|e| e.dyn_into::<Element>().ok())
            .is_some_and(|e| e.is_same_node(Some(&self.grid)));
        if total == 0 || !on_grid || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return Ok(None);
        }
        let (first, _) = self.scroller.in_sight(total);
        let here = self.cursor.get();
        let at = here.unwrap_or(first);
        let step = u32::from(here.is_some());
        let page = self.scroller.page();
        let to = match event.key().as_str() {
            "ArrowDown" => at.saturating_add(step),
            "ArrowUp" => at.saturating_sub(step),
            "PageDown" => at.saturating_add(page),
            "PageUp" => at.saturating_sub(page),
            "Home" => 0,
            "End" => total - 1,
            "Enter" | " " => {
                event.prevent_default();
                if self.name.is_made_whole() {
                    // What a click on the row does.
                    if let Some(row) = self.grid.get_attribute("aria-activedescendant") {
                        dom::id(&row)?.click();
                    }
                    return Ok(None);
                }
                let cache = self.cache.borrow();
                return Ok(here
                    .and_then(|at| cache.row(at))
                    .and_then(|row| Thing::from_key(&row.key)));
            }
            _ => return Ok(None),
        }
        .min(total - 1);
        event.prevent_default();
        self.down.set(to >= at);
        self.cursor.set(Some(to));
        self.scroller.reveal(to, total);
        self.draw_rows()?;
        Ok(None)
    }
}

/// Columns of steps are read from the first one on.
fn is_step(column: Column) -> bool {
    matches!(
        column,
        Column::SourceStep
            | Column::LifeStart
            | Column::LifeEnd
            | Column::StartAddr
            | Column::EndAddr
            | Column::Stream
            | Column::OpId
    )
}

/// Milliseconds from the last turn of the wheel until rows feel the pointer again.
const REST: i32 = 120;

/// Listens to a table. `more` is called when other rows may be wanted, `select` to select.
pub fn listen(
    table: &Rc<Table>,
    more: impl Fn(TableName) -> Result<()> + Clone + 'static,
    select: impl Fn(Thing) -> Result<()> + 'static,
) -> Result<()> {
    let (name, own, again) = (table.name, table.clone(), more.clone());
    dom::on(&table.card, "click", move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
            return Ok(());
        };
        if own.clicked(&target)? {
            again(name)?;
        }
        Ok(())
    })?;
    let (own, again) = (table.clone(), more.clone());
    dom::on(&table.filter, "input", move |_: Event| {
        if let Some(query) = own.query.borrow_mut().as_mut() {
            query.filter = own.filter.value();
        }
        again(name)
    })?;
    let (own, again) = (table.clone(), more.clone());
    dom::on(&table.menu, "change", move |event: Event| {
        let tick = event
            .target()
            .and_then(|t| t.dyn_into::<HtmlInputElement>().ok());
        let Some(tick) = tick else { return Ok(()) };
        if let Some(at) = tick.get_attribute("data-hide").and_then(|a| a.parse().ok()) {
            own.layout.borrow_mut().set_hidden(at, !tick.checked());
            own.show_headings()?;
            own.pool.borrow_mut().is_stale();
            own.draw_rows()?;
        }
        again(name)
    })?;
    let (own, again) = (table.clone(), more.clone());
    dom::on(&table.grid, "keydown", move |event: KeyboardEvent| {
        if let Some(thing) = own.pressed(&event)? {
            select(thing)?;
        }
        again(name)
    })?;
    let (own, again) = (table.clone(), more.clone());
    dom::on(own.clone().scroll_box(), "scroll", move |_: Event| {
        own.scrolled()?;
        again(name)
    })?;
    let own = table.clone();
    dom::on(&table.grid, "copy", move |event: ClipboardEvent| {
        let selection = dom::window()?.get_selection()?;
        let (Some(selection), Some(data)) = (selection, event.clipboard_data()) else {
            return Ok(());
        };
        if let Some(text) = own.pool.borrow().marked(&selection)? {
            data.set_data("text/plain", &text)?;
            event.prevent_default();
        }
        Ok(())
    })?;
    // What comes next is written once the frame of a turn is painted, not when it is waited for. Mostly
    // the box is not scrolled by a turn: no other event tells that rows are missing.
    let own = table.clone();
    let ahead = Closure::<dyn FnMut()>::new(move || {
        let Ok(()) = own.draw_ahead().and_then(|()| more(name));
    });
    let painted = Closure::<dyn FnMut()>::new(move || {
        let Ok(_) = dom::window()
            .and_then(|w| Ok(w.set_timeout_with_callback(ahead.as_ref().unchecked_ref())?));
    });
    // Rows that pass under the pointer are not marked: that takes as long as painting them.
    let (own, timer) = (table.clone(), Cell::new(0));
    let rest = Closure::<dyn FnMut()>::new(move || {
        let Ok(()) = own.pool.borrow_mut().turn(false);
        let Ok(()) = own.draw_rows();
    });
    let own = table.clone();
    dom::on(table.scroll_box(), "wheel", move |event: WheelEvent| {
        let total = own.cache.borrow().total;
        if !Scroller::is_scaled(total) || event.ctrl_key() || event.delta_y() == 0.0 {
            return Ok(());
        }
        event.prevent_default();
        own.pool.borrow_mut().turn(true)?;
        let window = dom::window()?;
        window.clear_timeout_with_handle(timer.get());
        let call = rest.as_ref().unchecked_ref();
        timer.set(window.set_timeout_with_callback_and_timeout_and_arguments_0(call, REST)?);
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => ROW,
            WheelEvent::DOM_DELTA_PAGE => own.scroller.height(),
            _ => 1.0,
        };
        own.down.set(event.delta_y() > 0.0);
        own.scroller.go_by(event.delta_y() * unit, total);
        own.draw_rows()?;
        if !own.ahead.replace(true) {
            window.request_animation_frame(painted.as_ref().unchecked_ref())?;
        }
        Ok(())
    })?;
    resizing(table)
}

/// Dragging the edge of a heading.
fn resizing(table: &Rc<Table>) -> Result<()> {
    let dragged: Rc<Cell<Option<(usize, f64, f64)>>> = Rc::default();
    let (own, drag) = (table.clone(), dragged.clone());
    dom::on(&table.head, "pointerdown", move |event: PointerEvent| {
        let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
            return Ok(());
        };
        let Some(at) = target
            .get_attribute("data-grip")
            .and_then(|a| a.parse().ok())
        else {
            return Ok(());
        };
        event.prevent_default();
        // The last column is as wide as what is left: it is measured.
        let heading = target.parent_element();
        let width = heading.map_or(0.0, |h| h.get_bounding_client_rect().width());
        drag.set(Some((at, f64::from(event.client_x()), width)));
        own.head.set_pointer_capture(event.pointer_id())?;
        Ok(())
    })?;
    let (own, drag) = (table.clone(), dragged.clone());
    dom::on(&table.head, "pointermove", move |event: PointerEvent| {
        let Some((at, from, width)) = drag.get() else {
            return Ok(());
        };
        let width = width + f64::from(event.client_x()) - from;
        own.layout.borrow_mut().set_width(at, width);
        own.pool.borrow_mut().is_stale();
        own.draw_rows()
    })?;
    for name in ["pointerup", "pointercancel"] {
        let (own, drag) = (table.clone(), dragged.clone());
        dom::on(&table.head, name, move |_: PointerEvent| {
            if drag.take().is_some() {
                own.layout.borrow().settle();
            }
            Ok(())
        })?;
    }
    Ok(())
}
