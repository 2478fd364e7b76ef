//! A cell that is in the page, and what was written into it.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};

use super::super::{dom, Result};
use super::cell;
use crate::engine::explore::{Cell, Column};
use crate::engine::view::Thing;
use crate::report::names::last_part;

/// Pixels that a cell keeps free beside its text.
const PADDING: f64 = 24.0;

/// Pixels that a byte of a text takes, at most: capital letters in a row are rare, and other
/// scripts have more bytes than width.
const WIDE: f64 = 8.5;

/// A cell, and what was written into it: what is there already is not written again.
pub struct CellView {
    /// The element of the cell.
    pub element: HtmlElement,
    written: String,
    title: String,
    before: String,
    points: Option<Thing>,
    share: String,
    /// Pixels there are for the text, and whether it may need more. Only such a cell is cut at its
    /// edges: each cut costs the browser as much as all else that it paints of a cell.
    room: f64,
    long: bool,
    /// Whether the path before a name may need more.
    deep: bool,
    /// Where the text is, apart from the path before a name.
    text: Node,
    path: Option<Node>,
    link: Option<HtmlElement>,
}

impl CellView {
    /// An empty cell of a column, with the classes of its place.
    pub fn new(column: Column, mut classes: String) -> Result<Self> {
        if cell::is_mono(column) {
            classes.push_str(" mono");
        }
        if matches!(
            column,
            Column::Aligned | Column::AliveTensorsSize | Column::Shared
        ) {
            classes.push_str(" size");
        }
        let element = dom::make("td", &classes)?;
        element.set_attribute("role", "gridcell")?;
        let document = dom::document()?;
        // Another text in the same node: no box is made anew.
        let text: Node = document.create_text_node("").unchecked_into();
        if column == Column::Name {
            let name = dom::make("span", "name")?;
            let path = dom::make("span", "path")?;
            let leaf = dom::make("span", "leaf")?;
            let before: Node = document.create_text_node("").unchecked_into();
            path.append_child(&before)?;
            leaf.append_child(&text)?;
            dom::append(&name, &[&path, &leaf])?;
            dom::append(&element, &[&name])?;
            return Ok(Self::blank(element, text, Some(before), Some(name)));
        }
        let link = if cell::may_link(column) {
            let link = dom::make("span", "")?;
            link.append_child(&text)?;
            dom::append(&element, &[&link])?;
            Some(link)
        } else {
            element.append_child(&text)?;
            None
        };
        Ok(Self::blank(element, text, None, link))
    }

    fn blank(
        element: HtmlElement,
        text: Node,
        path: Option<Node>,
        link: Option<HtmlElement>,
    ) -> Self {
        Self {
            element,
            written: String::new(),
            title: String::new(),
            before: String::new(),
            points: None,
            share: String::new(),
            room: 0.0,
            long: false,
            deep: false,
            text,
            path,
            link,
        }
    }

    /// It is that wide.
    pub fn lay_out(&mut self, width: f64) {
        self.room = width - PADDING;
    }

    /// Writes a text, its exact value where that differs, and what it links to.
    pub fn write(&mut self, text: &str, exact: &str, link: Option<Thing>) -> Result<()> {
        if self.written != text {
            self.text.set_text_content(Some(text));
            text.clone_into(&mut self.written);
        }
        let long = text.len() as f64 * WIDE > self.room;
        if self.long != long {
            self.element.class_list().toggle_with_force("long", long)?;
            self.long = long;
        }
        if self.title != exact {
            self.element.set_title(exact);
            exact.clone_into(&mut self.title);
        }
        self.point(link)
    }

    /// Writes a name: its path before its last part.
    pub fn write_name(&mut self, value: &Cell, link: Option<Thing>) -> Result<()> {
        let name = match value {
            Cell::Text(name) => name.as_str(),
            _ => "",
        };
        let leaf = last_part(name);
        let before = name.strip_suffix(leaf).unwrap_or("");
        // Of a path that does not fit before its last part the end is cut; else no part has a box of its own.
        let deep = !before.is_empty() && name.len() as f64 * WIDE > self.room;
        if self.deep != deep {
            self.element.class_list().toggle_with_force("deep", deep)?;
            self.deep = deep;
        }
        if self.before != before {
            if let Some(path) = &self.path {
                path.set_text_content(Some(before));
            }
            before.clone_into(&mut self.before);
        }
        self.write(if name.is_empty() { "–" } else { leaf }, name, link)
    }

    /// Draws the bar of a size.
    pub fn fill(&mut self, share: &str) -> Result<()> {
        if self.share != share {
            self.element.style().set_property("--share", share)?;
            share.clone_into(&mut self.share);
        }
        Ok(())
    }

    fn point(&mut self, link: Option<Thing>) -> Result<()> {
        let Some(element) = self.link.as_ref().filter(|_| self.points != link) else {
            return Ok(());
        };
        match link {
            Some(thing) => {
                element.set_attribute("data-select", &thing.code())?;
                if self.points.is_none() {
                    element.class_list().add_1("link")?;
                }
            }
            None => {
                element.remove_attribute("data-select")?;
                element.class_list().remove_1("link")?;
            }
        }
        self.points = link;
        Ok(())
    }

    /// Nothing is known of it yet.
    pub fn empty(&mut self) -> Result<()> {
        self.write("", "", None)?;
        if let Some(path) = self.path.as_ref().filter(|_| !self.before.is_empty()) {
            path.set_text_content(None);
            self.before.clear();
        }
        self.fill("0%")
    }
}
