//! Where the memory of a step goes: dynamic and static side by side, as a tree of rows and as an
//! icicle over it. A click narrows everything to a group.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;

use web_sys::HtmlElement;

use super::icicle::Icicle;
use super::numbers::signed_bytes;
use super::opening::Shown;
use super::words::{t, tf, Word};
use super::{dom, Result};
use crate::engine::explore::{Group, GroupBy, GroupRequest, Groups, Narrow};
use crate::report::figure::{bytes, grouped, percent};

/// One row of the tree. A chain of groups that hold the same is one row.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// What it is called.
    pub name: String,
    /// Whole path, as everything is narrowed to it.
    pub path: String,
    /// Bytes.
    pub bytes: u64,
    /// Aligned − original bytes.
    pub waste: i64,
    /// Number of tensors or parameters.
    pub pieces: u32,
    /// Those below it.
    pub children: Vec<usize>,
    /// How deep it lies.
    pub depth: u32,
    /// Whether it is of the parameters.
    pub is_static: bool,
    key: String,
}

/// The tree of a step: item 0 is all that is in use.
#[derive(Debug, Default)]
pub struct Tree {
    /// The items, parents before children.
    pub items: Vec<Item>,
}

impl Tree {
    fn of(groups: &Groups) -> Self {
        let mut tree = Self::default();
        let sum = |all: &[Group]| {
            all.first()
                .map_or((0, 0, 0), |g| (g.bytes, g.waste, g.pieces))
        };
        let (alive, parameters) = (sum(&groups.alive), sum(&groups.parameters));
        tree.items.push(Item {
            name: t(Word::ColInUse).into(),
            bytes: alive.0 + parameters.0,
            waste: alive.1,
            pieces: alive.2 + parameters.2,
            key: "*".into(),
            ..Item::default()
        });
        for (list, is_static) in [(&groups.alive, false), (&groups.parameters, true)] {
            if !list.is_empty() {
                tree.add(list, is_static);
            }
        }
        tree
    }

    fn add(&mut self, list: &[Group], is_static: bool) {
        let mut below: Vec<Vec<usize>> = vec![Vec::new(); list.len()];
        for (at, group) in list.iter().enumerate().skip(1) {
            if let Some(list) = group.parent.and_then(|p| below.get_mut(p as usize)) {
                list.push(at);
            }
        }
        let mut todo = vec![(0usize, 0usize)];
        while let Some((at, parent)) = todo.pop() {
            let (Some(group), Some(mut own)) = (list.get(at), below.get(at)) else {
                continue;
            };
            let mut group = group;
            let root = at == 0;
            let mut name = if root {
                t(if is_static {
                    Word::GroupStatic
                } else {
                    Word::GroupDynamic
                })
                .to_owned()
            } else {
                group.name.clone()
            };
            // Groups that hold one group and nothing else are one with it.
            while let (false, [only]) = (root, own.as_slice()) {
                let (Some(next), Some(further)) = (list.get(*only), below.get(*only)) else {
                    break;
                };
                if next.bytes != group.bytes || next.pieces != group.pieces {
                    break;
                }
                name = format!("{name}/{}", next.name);
                (group, own) = (next, further);
            }
            let depth = self.items.get(parent).map_or(0, |p| p.depth + 1);
            let side = if is_static { 's' } else { 'd' };
            let place = self.items.len();
            self.items.push(Item {
                name,
                path: group.path.clone(),
                bytes: group.bytes,
                waste: group.waste,
                pieces: group.pieces,
                children: Vec::new(),
                depth,
                is_static,
                key: format!("{side}{}", group.path),
            });
            if let Some(parent) = self.items.get_mut(parent) {
                parent.children.push(place);
            }
            // The stack turns the order round.
            todo.extend(own.iter().rev().map(|child| (*child, place)));
        }
    }
}

/// The view.
pub struct GroupsView {
    by: Cell<GroupBy>,
    asked: RefCell<Option<GroupRequest>>,
    groups: RefCell<Groups>,
    tree: RefCell<Tree>,
    open: RefCell<HashSet<String>>,
    icicle: Icicle,
    list: HtmlElement,
}

/// What the page calls a grouping.
fn word_of(by: GroupBy) -> &'static str {
    match by {
        GroupBy::Layer => "layer",
        GroupBy::Operator => "operator",
        GroupBy::TensorType => "type",
    }
}

impl GroupsView {
    /// Finds the elements.
    pub fn new() -> Result<Self> {
        Ok(Self {
            by: Cell::default(),
            asked: RefCell::default(),
            groups: RefCell::default(),
            tree: RefCell::default(),
            open: RefCell::default(),
            icicle: Icicle::new()?,
            list: dom::id("groups-tree")?,
        })
    }

    /// How it is grouped.
    pub fn by(&self) -> GroupBy {
        self.by.get()
    }

    /// Groups in another way.
    pub fn set_by(&self, word: &str) -> Result<()> {
        self.by.set(match word {
            "operator" => GroupBy::Operator,
            "type" => GroupBy::TensorType,
            _ => GroupBy::Layer,
        });
        self.open.borrow_mut().clear();
        self.show_by()
    }

    fn show_by(&self) -> Result<()> {
        let now = word_of(self.by.get());
        dom::each("[data-by]", |button| {
            let own = button.get_attribute("data-by").as_deref() == Some(now);
            button.set_attribute("aria-pressed", if own { "true" } else { "false" })?;
            Ok(())
        })
    }

    /// Whether a request asks for something else than the last one.
    pub fn wants(&self, request: &GroupRequest) -> bool {
        let same = |before: &GroupRequest| {
            (before.graph, before.step, before.by) == (request.graph, request.step, request.by)
                && before.narrow == request.narrow
        };
        if self.asked.borrow().as_ref().is_some_and(same) {
            return false;
        }
        *self.asked.borrow_mut() = Some(request.clone());
        true
    }

    /// Shows nothing until the groups at a step of another graph come.
    pub fn forget(&self, step: u32) -> Result<()> {
        self.clear()?;
        self.icicle.clear();
        self.groups.borrow_mut().step = step;
        Ok(())
    }

    /// Takes groups that came.
    pub fn take(&self, groups: Groups) {
        *self.tree.borrow_mut() = Tree::of(&groups);
        *self.groups.borrow_mut() = groups;
    }

    /// Takes everything off the page.
    pub fn clear(&self) -> Result<()> {
        self.asked.take();
        self.take(Groups::default());
        dom::clear(&self.list);
        Ok(())
    }

    /// Says of which step it is, and what is missing.
    pub fn draw_title(&self, shown: &Shown) -> Result<()> {
        let groups = self.groups.borrow();
        let mut title = tf(Word::GroupsTitle, &[&groups.step.to_string()]);
        if shown.peak() == Some(groups.step) {
            title = format!("{title} · {}", t(Word::IsPeak));
        }
        dom::id("groups-title")?.set_text_content(Some(&title));
        // What is shown, which follows what is asked for.
        self.list
            .set_attribute("data-grouped", word_of(groups.by))?;
        let note = if groups.short_names && groups.by == GroupBy::Layer {
            t(Word::ShortNames)
        } else {
            ""
        };
        dom::id("groups-note")?.set_text_content(Some(note));
        dom::id("groups-card")?.set_hidden(shown.overview.steps == 0);
        Ok(())
    }

    /// Draws the icicle and the tree.
    pub fn draw(&self, shown: &Shown, narrow: &Narrow) -> Result<()> {
        // Its words are those of the language now.
        let tree = Tree::of(&self.groups.borrow());
        *self.tree.borrow_mut() = tree;
        self.draw_title(shown)?;
        self.show_by()?;
        if self.groups.borrow().alive.is_empty() {
            return Ok(());
        }
        self.draw_rows(narrow)?;
        self.paint(narrow)
    }

    /// Paints the icicle.
    pub fn paint(&self, narrow: &Narrow) -> Result<()> {
        if self.groups.borrow().alive.is_empty() {
            return Ok(());
        }
        self.icicle
            .paint(&self.tree.borrow(), |item| self.is_narrowed(item, narrow))
    }

    fn is_narrowed(&self, item: &Item, narrow: &Narrow) -> bool {
        let part = match self.by.get() {
            GroupBy::Layer => &narrow.layer,
            GroupBy::Operator => &narrow.operator,
            GroupBy::TensorType => &narrow.tensor_type,
        };
        !item.path.is_empty() && part.as_deref() == Some(&item.path)
    }

    /// The rows that are open, in order.
    fn visible(&self, tree: &Tree) -> Vec<usize> {
        let open = self.open.borrow();
        let mut rows = Vec::new();
        let mut todo = vec![0];
        while let Some(at) = todo.pop() {
            let Some(item) = tree.items.get(at) else {
                continue;
            };
            rows.push(at);
            if open.contains(&item.key) != is_open_at_first(item) {
                todo.extend(item.children.iter().rev());
            }
        }
        rows
    }

    fn draw_rows(&self, narrow: &Narrow) -> Result<()> {
        dom::clear(&self.list);
        let tree = self.tree.borrow();
        let Some(all) = tree.items.first().map(|i| i.bytes.max(1)) else {
            return Ok(());
        };
        let at = |word: Word, class: &str| dom::text("span", class, t(word));
        let head = dom::make("div", "group-row group-head")?;
        dom::append(
            &head,
            &[
                &at(Word::ColGroup, "group-name")?,
                &at(Word::ColBytes, "num")?,
                &at(Word::ColShare, "num")?,
                &at(Word::ColPadding, "num")?,
                &at(Word::ColPieces, "num")?,
            ],
        )?;
        dom::append(&self.list, &[&head])?;
        let open = self.open.borrow();
        for place in self.visible(&tree) {
            let Some(item) = tree.items.get(place) else {
                continue;
            };
            let row = dom::make("div", "group-row")?;
            row.set_attribute("role", "treeitem")?;
            row.set_attribute("aria-level", &(item.depth + 1).to_string())?;
            row.set_attribute("data-group", &place.to_string())?;
            row.set_attribute("data-path", &item.path)?;
            row.set_attribute("data-bytes", &item.bytes.to_string())?;
            row.set_tab_index(-1);
            if item.is_static {
                row.class_list().add_1("static")?;
            }
            if self.is_narrowed(item, narrow) {
                row.class_list().add_1("selected")?;
            }
            let name = dom::make("span", "group-name")?;
            name.style()
                .set_property("padding-left", &format!("{}px", 16 * item.depth.min(24)))?;
            let twisty = dom::make("button", "twisty")?;
            twisty.set_attribute("type", "button")?;
            twisty.set_tab_index(-1);
            if item.children.is_empty() {
                twisty.class_list().add_1("leafless")?;
            } else {
                let is_open = open.contains(&item.key) != is_open_at_first(item);
                row.set_attribute("aria-expanded", if is_open { "true" } else { "false" })?;
                twisty.set_attribute("data-twist", &place.to_string())?;
                twisty.set_attribute("aria-hidden", "true")?;
            }
            let label = dom::text("span", "label", &cut(&item.name, 200))?;
            label.set_title(&cut(&item.path, 2000));
            dom::append(&name, &[&twisty, &label])?;
            let share = item.bytes as f64 / all as f64;
            let size = dom::text("span", "num size", &bytes(item.bytes))?;
            size.set_title(&format!("{} B", grouped(item.bytes)));
            size.style()
                .set_property("--share", &format!("{:.2}%", share * 100.0))?;
            let part = dom::text("span", "num dim", &percent(share))?;
            let waste = if item.is_static {
                dom::text("span", "num dim", "–")?
            } else {
                dom::text("span", "num dim", &signed_bytes(item.waste))?
            };
            waste.set_title(&format!("{} B", item.waste));
            let pieces = dom::text("span", "num dim", &grouped(item.pieces.into()))?;
            dom::append(&row, &[&name, &size, &part, &waste, &pieces])?;
            dom::append(&self.list, &[&row])?;
        }
        Ok(())
    }

    /// Opens or closes a row.
    pub fn twist(&self, place: usize, narrow: &Narrow) -> Result<()> {
        if let Some(item) = self.tree.borrow().items.get(place) {
            let mut open = self.open.borrow_mut();
            if !open.remove(&item.key) {
                open.insert(item.key.clone());
            }
        }
        self.draw_rows(narrow)?;
        self.focus_row(place)
    }

    /// Gives a row the focus.
    pub fn focus_row(&self, place: usize) -> Result<()> {
        let row = self
            .list
            .query_selector(&format!("[data-group='{place}']"))?;
        if let Some(row) = row.and_then(|r| wasm_bindgen::JsCast::dyn_into::<HtmlElement>(r).ok()) {
            row.focus()?;
        }
        Ok(())
    }

    /// What narrowing to a row means: a change of what everything is narrowed to.
    pub fn narrowing(&self, place: usize, now: &Narrow) -> Option<Narrow> {
        let tree = self.tree.borrow();
        let item = tree.items.get(place)?;
        if item.name == "…" {
            return None;
        }
        let mut to = now.clone();
        let part = match self.by.get() {
            GroupBy::Layer => &mut to.layer,
            GroupBy::Operator => &mut to.operator,
            GroupBy::TensorType => &mut to.tensor_type,
        };
        // What is clicked again, and a root, narrows no more.
        let path = (!item.path.is_empty()).then(|| item.path.clone());
        *part = if *part == path { None } else { path };
        Some(to)
    }

    /// The row under a place of the icicle.
    pub fn icicle_at(&self, x: f64, y: f64) -> Option<usize> {
        self.icicle.at(x, y)
    }

    /// The pointer is over a place of the icicle, or over none.
    pub fn hover(&self, at: Option<(f64, f64)>) -> Result<()> {
        let out = dom::id("icicle-readout")?;
        dom::clear(&out);
        let tree = self.tree.borrow();
        let over = at.and_then(|(x, y)| self.icicle.at(x, y));
        self.icicle.outline(over)?;
        let Some(item) = over.and_then(|o| tree.items.get(o)) else {
            return Ok(());
        };
        let all = tree.items.first().map_or(1, |i| i.bytes.max(1));
        let what = if item.path.is_empty() {
            &item.name
        } else {
            &item.path
        };
        let share = percent(item.bytes as f64 / all as f64);
        let text = format!("{} · {share}", bytes(item.bytes));
        dom::append(
            &out,
            &[
                &dom::text("span", "leaf", &cut(what, 200))?,
                &dom::text("span", "sizes", &text)?,
            ],
        )
    }
}

/// The first levels are open.
fn is_open_at_first(item: &Item) -> bool {
    item.depth == 0
        || (item.depth < 2 && !item.is_static)
        || (item.depth < 4 && item.children.len() == 1)
}

/// At most so many characters.
pub fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None => text.to_owned(),
    }
}
