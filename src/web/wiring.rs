//! Who listens to what: buttons, files, pointer, keys, history, size and colours.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{
    ClipboardEvent, DragEvent, Element, Event, HtmlDialogElement, HtmlElement, HtmlInputElement,
    HtmlSelectElement, KeyboardEvent, MouseEvent, PointerEvent, ResizeObserver,
};

use super::page::Page;
use super::sharing::Copy;
use super::words::Word;
use super::{
    chart_wiring, dom, facts, header, history, inputs, linked, map_wiring, search, strip, table,
    words, Result,
};
use crate::engine::view::{Tab, Thing, ViewState};
use crate::report::results::query;

/// Registers every listener of the page.
pub fn wire(page: &Rc<Page>) -> Result<()> {
    ways_in(page)?;
    drops(page)?;
    controls(page)?;
    chart_wiring::listen(page)?;
    strip::listen(page)?;
    map_wiring::listen(page)?;
    tables(page)?;
    groups(page)?;
    safety(page)?;
    choices(page)?;
    search::listen(page)?;
    base(page)?;
    keys(page)?;
    surroundings(page)
}

fn click(
    page: &Rc<Page>,
    selector: &str,
    f: impl Fn(&Rc<Page>) -> Result<()> + 'static,
) -> Result<()> {
    let page = page.clone();
    let button: Element = dom::find(selector)?;
    dom::on(&button, "click", move |_: MouseEvent| f(&page))
}

fn ways_in(page: &Rc<Page>) -> Result<()> {
    for (selector, buttons) in [
        ("[data-hook=open]", &["#choose", "#choose-big"][..]),
        ("#open-folder", &["#choose-folder"][..]),
    ] {
        let input: HtmlInputElement = dom::find(selector)?;
        for button in buttons {
            let input = input.clone();
            click(page, button, move |_| {
                input.click();
                Ok(())
            })?;
        }
        let page = page.clone();
        dom::on(&input.clone(), "change", move |_: Event| {
            let files = inputs::of_list(input.files());
            // The same file can be chosen again.
            input.set_value("");
            if files.is_empty() {
                Ok(())
            } else {
                page.open(files)
            }
        })?;
    }
    click(page, "[data-hook=sample]", |page| {
        page.open(vec![page.sample.clone()])
    })?;
    let page = page.clone();
    let document = dom::document()?;
    dom::on(&document, "paste", move |event: ClipboardEvent| {
        let Some(data) = event.clipboard_data() else {
            return Ok(());
        };
        let files = inputs::of_paste(&data);
        if !files.is_empty() {
            return page.open(files);
        }
        // What goes into a box is the box's.
        let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
        if target.is_some_and(|t| types(&t)) {
            return Ok(());
        }
        let text = data.get_data("text/plain")?;
        if let Some(link) = linked::fragment_in(&text) {
            return history::go_to_link(link);
        }
        let typed = text.trim();
        if typed.is_empty() || page.take_message(&text)? {
            return Ok(());
        }
        // A dump has lines.
        if page.is_ready() && typed.len() < 400 && !typed.contains(['\n', '\t']) {
            return page.search_for(typed);
        }
        page.open(vec![inputs::of_text(&text)?])
    })
}

/// Whether somebody types into an element.
fn types(element: &Element) -> bool {
    matches!(element.tag_name().as_str(), "INPUT" | "SELECT" | "TEXTAREA")
}

fn drops(page: &Rc<Page>) -> Result<()> {
    let document = dom::document()?;
    let veil = dom::id("drop-veil")?;
    for name in ["dragenter", "dragover"] {
        let veil = veil.clone();
        dom::on(&document, name, move |event: DragEvent| {
            let files = event
                .data_transfer()
                .is_some_and(|d| d.types().includes(&"Files".into(), 0));
            if files {
                event.prevent_default();
                veil.set_hidden(false);
            }
            Ok(())
        })?;
    }
    let left = veil.clone();
    dom::on(&document, "dragleave", move |event: DragEvent| {
        if event.related_target().is_none() {
            left.set_hidden(true);
        }
        Ok(())
    })?;
    let page = page.clone();
    dom::on(&document, "drop", move |event: DragEvent| {
        event.prevent_default();
        veil.set_hidden(true);
        let Some(data) = event.data_transfer() else {
            return Ok(());
        };
        let own = page.clone();
        inputs::of_drop(&data, &page.files_below, move |files| own.open(files))
    })
}

fn controls(page: &Rc<Page>) -> Result<()> {
    click(page, "[data-hook=partial]", |page| page.open_partial())?;
    click(page, "[data-hook=cancel]", |page| page.cancel())?;
    click(page, "#back", |page| page.back_to_plan())?;
    click(page, "[data-hook=copy-link]", |page| {
        page.share(Some(Copy::Link))
    })?;
    click(page, "[data-hook=copy-markdown]", |page| {
        page.share(Some(Copy::Markdown))
    })?;
    click(page, "#go-share", |_| {
        let card = dom::id("share")?;
        card.scroll_into_view();
        Ok(dom::hook("copy-link")?.focus()?)
    })?;
    let own = page.clone();
    dom::on(&*dom::hook("name-mode")?, "change", move |_: Event| {
        own.share_names()
    })?;
    let own = page.clone();
    dom::on(&*dom::id("link-holds")?, "toggle", move |_: Event| {
        own.reshare()
    })?;
    click(page, "[data-hook=download-zip]", |page| page.save(None))?;
    let listing = page.clone();
    dom::on(&*dom::id("result-menu")?, "toggle", move |_: Event| {
        let open = dom::id("result-menu")?.has_attribute("open");
        if open {
            listing.list_files()
        } else {
            Ok(())
        }
    })?;
    click(page, "[data-hook=language]", |page| {
        words::switch()?;
        page.draw()
    })?;
    click(page, "#theme", |page| {
        header::switch_theme()?;
        page.draw()
    })?;
    let graphs: HtmlSelectElement = dom::find("[data-hook=graphs]")?;
    let chooser = page.clone();
    dom::on(&graphs.clone(), "change", move |_: Event| {
        let place = u32::try_from(graphs.selected_index()).unwrap_or(0);
        chooser.show_graph(ViewState {
            graph: place,
            tab: chooser.tab(),
            ..ViewState::default()
        })
    })?;
    let document = dom::document()?;
    let goes = page.clone();
    dom::on(&document, "click", move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
            return Ok(());
        };
        facts::close_explanations(Some(&target))?;
        follow(&goes, &target)
    })
}

/// What stands in the attribute of the nearest element that has it.
fn told(target: &Element, attribute: &str) -> Result<Option<String>> {
    let found = target.closest(&format!("[{attribute}]"))?;
    Ok(found.and_then(|e| e.get_attribute(attribute)))
}

/// A click on something that leads somewhere.
fn follow(page: &Rc<Page>, target: &Element) -> Result<()> {
    if let Some(step) = told(target, "data-go-step")?.and_then(|s| s.parse().ok()) {
        return page.select_step(step);
    }
    if told(target, "data-open-other")?.is_some() {
        return page.open_others();
    }
    if let Some(graph) = told(target, "data-graph")?.and_then(|g| g.parse().ok()) {
        return page.show_graph(ViewState {
            graph,
            tab: page.tab(),
            ..ViewState::default()
        });
    }
    if let Some(name) = told(target, "data-save")? {
        return page.save(Some(name));
    }
    if let Some(tab) = told(target, "data-tab-link")?.and_then(|t| Tab::by_name(&t)) {
        return page.open_tab(tab);
    }
    if told(target, "data-show-overlaps")?.is_some() {
        return page.show_overlaps();
    }
    if let Some(kind) = told(target, "data-kind-filter")? {
        page.filter_findings(&kind)?;
        return match page.tab() {
            Tab::Safety => Ok(()),
            _ => page.open_tab(Tab::Safety),
        };
    }
    if let Some(part) = told(target, "data-widen")? {
        return page.narrow_by(|narrow| match part.as_str() {
            "layer" => narrow.layer = None,
            "operator" => narrow.operator = None,
            _ => narrow.tensor_type = None,
        });
    }
    if told(target, "data-drop-message")?.is_some() {
        return page.drop_message();
    }
    let link = told(target, "data-select")?;
    let row = match target.closest("tr[data-row]")? {
        Some(row) => row.get_attribute("data-row"),
        None => None,
    };
    // Whoever has just marked text does not want to go elsewhere.
    let marked = || -> Result<bool> {
        let selection = dom::window()?.get_selection()?;
        Ok(selection.is_some_and(|s| !s.is_collapsed()))
    };
    if let (None, Some(pair)) = (&link, told(target, "data-pair")?) {
        return if marked()? {
            Ok(())
        } else {
            page.choose_pair(&pair)
        };
    }
    let thing = match (link, row) {
        (Some(code), _) => Thing::from_code(&code),
        (None, Some(key)) => Thing::from_key(&key),
        _ => None,
    };
    match thing {
        Some(thing) if !marked()? => page.select_thing(thing),
        _ => Ok(()),
    }
}

fn tables(page: &Rc<Page>) -> Result<()> {
    for own in &page.tables {
        let (more, select) = (page.clone(), page.clone());
        table::listen(
            own,
            move |name| more.more_rows(name),
            move |thing| select.select_thing(thing),
        )?;
    }
    dom::each("[data-tab]", |button| {
        let tab = button
            .get_attribute("data-tab")
            .and_then(|t| Tab::by_name(&t));
        let page = page.clone();
        dom::on(&button, "click", move |_: MouseEvent| match tab {
            Some(tab) => page.open_tab(tab),
            None => Ok(()),
        })
    })
}

fn groups(page: &Rc<Page>) -> Result<()> {
    let tree = dom::id("groups-tree")?;
    let own = page.clone();
    dom::on(&tree, "click", move |event: MouseEvent| {
        let Some(target) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
            return Ok(());
        };
        if let Some(place) = told(&target, "data-twist")?.and_then(|p| p.parse().ok()) {
            return own.twist(place);
        }
        match told(&target, "data-group")?.and_then(|p| p.parse().ok()) {
            Some(place) => own.narrow_to(place),
            None => Ok(()),
        }
    })?;
    let own = page.clone();
    dom::on(&tree, "keydown", move |event: KeyboardEvent| {
        let Some(row) = event.target().and_then(|t| t.dyn_into::<Element>().ok()) else {
            return Ok(());
        };
        let row = if row.has_attribute("data-group") {
            Some(row)
        } else {
            row.query_selector("[data-group]")?
        };
        let Some(row) = row else { return Ok(()) };
        let place = row.get_attribute("data-group").and_then(|p| p.parse().ok());
        let expanded = row.get_attribute("aria-expanded");
        let go = |to: Option<Element>| -> Result<()> {
            if let Some(to) = to.and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
                to.focus()?;
            }
            Ok(())
        };
        let Some(place) = place else { return Ok(()) };
        match (event.key().as_str(), expanded.as_deref()) {
            ("ArrowDown", _) => go(row.next_element_sibling())?,
            ("ArrowUp", _) => go(row.previous_element_sibling())?,
            ("ArrowRight", Some("false")) | ("ArrowLeft", Some("true")) => own.twist(place)?,
            ("Enter" | " ", _) => own.narrow_to(place)?,
            _ => return Ok(()),
        }
        event.prevent_default();
        Ok(())
    })?;
    dom::each("[data-by]", |button| {
        let word = button.get_attribute("data-by").unwrap_or_default();
        let page = page.clone();
        dom::on(&button, "click", move |_: MouseEvent| page.group_by(&word))
    })?;
    let icicle = dom::id("icicle")?;
    let own = page.clone();
    dom::on(&icicle, "pointermove", move |event: PointerEvent| {
        own.hover_groups(Some((
            f64::from(event.offset_x()),
            f64::from(event.offset_y()),
        )))
    })?;
    let own = page.clone();
    dom::on(&icicle, "pointerleave", move |_: PointerEvent| {
        own.hover_groups(None)
    })?;
    let own = page.clone();
    dom::on(&icicle, "click", move |event: MouseEvent| {
        let (x, y) = (f64::from(event.offset_x()), f64::from(event.offset_y()));
        own.narrow_at(x, y)
    })
}

/// The safety view: the map of overlaps, the text to copy.
fn safety(page: &Rc<Page>) -> Result<()> {
    let place = |event: &MouseEvent| (f64::from(event.offset_x()), f64::from(event.offset_y()));
    let map = dom::hook("overlap-map")?;
    let own = page.clone();
    dom::on(&map, "pointermove", move |event: MouseEvent| {
        own.hover_overlaps(Some(place(&event)))
    })?;
    let own = page.clone();
    dom::on(&map, "pointerleave", move |_: MouseEvent| {
        own.hover_overlaps(None)
    })?;
    let own = page.clone();
    dom::on(&map, "click", move |event: MouseEvent| {
        let (x, y) = place(&event);
        match own.overlap_at(x, y) {
            Some((Some(pair), _)) => own.choose_pair(&pair),
            Some((None, id)) => own.select_thing(Thing::Tensor(id)),
            None => Ok(()),
        }
    })?;
    let button = dom::id("copy-issue")?;
    let own = page.clone();
    dom::on(&button.clone(), "click", move |_: MouseEvent| {
        own.copy_issue(&button)
    })
}

/// Capacity, and which graph to compare with.
fn choices(page: &Rc<Page>) -> Result<()> {
    let capacity: HtmlInputElement = dom::find("[data-hook=capacity]")?;
    let (own, input) = (page.clone(), capacity.clone());
    dom::on(&capacity, "input", move |_: Event| {
        own.set_capacity(&input.value())
    })?;
    dom::each("[data-capacity]", |button| {
        let (page, input) = (page.clone(), capacity.clone());
        let text = button.get_attribute("data-capacity").unwrap_or_default();
        dom::on(&button, "click", move |_: MouseEvent| {
            // A second click takes it away.
            let text = if input.value() == text { "" } else { &text };
            page.set_capacity(text)
        })
    })?;
    let other: HtmlSelectElement = dom::find("[data-hook=compare]")?;
    let own = page.clone();
    dom::on(&other.clone(), "change", move |_: Event| {
        own.compare_with(other.value().parse().ok())
    })?;
    let alignment: HtmlSelectElement = dom::find("[data-hook=alignment]")?;
    let own = page.clone();
    dom::on(&alignment.clone(), "change", move |_: Event| {
        own.align(alignment.value() == "by-name")
    })
}

/// Where offset 0 lies.
fn base(page: &Rc<Page>) -> Result<()> {
    let input: HtmlInputElement = dom::find("[data-hook=base]")?;
    let page = page.clone();
    dom::on(&input.clone(), "change", move |_: Event| {
        let text = input.value();
        let base = query::base(text.trim());
        if base.is_none() && !text.trim().is_empty() {
            input.set_attribute("aria-invalid", "true")?;
            dom::id("base-from")?.set_text_content(Some(words::t(Word::BaseWrong)));
            return Ok(());
        }
        page.set_base(base)
    })
}

/// Keys that work wherever nothing is typed.
fn keys(page: &Rc<Page>) -> Result<()> {
    let own = page.clone();
    let help: HtmlDialogElement = dom::find("#keys")?;
    dom::on(
        &*dom::document()?,
        "keydown",
        move |event: KeyboardEvent| {
            let target = event.target().and_then(|t| t.dyn_into::<Element>().ok());
            if event.key() == "Escape" {
                facts::close_explanations(None)?;
                if let Some(open) = target.as_ref().map(|t| t.closest("details.menu[open]")) {
                    if let Some(menu) = open? {
                        menu.remove_attribute("open")?;
                    }
                }
                return Ok(());
            }
            let search = (event.ctrl_key() || event.meta_key()) && event.key() == "k";
            if search && own.is_ready() && !help.open() {
                event.prevent_default();
                return own.focus_search();
            }
            if target.is_some_and(|t| types(&t))
                || event.ctrl_key()
                || event.alt_key()
                || event.meta_key()
                || help.open()
            {
                return Ok(());
            }
            let place = |n: usize| Tab::ALL.get(n).copied();
            match event.key().as_str() {
                "?" => help.show_modal()?,
                "/" if own.is_ready() => {
                    event.prevent_default();
                    own.focus_search()?;
                }
                "f" if own.is_ready() => {
                    event.prevent_default();
                    own.focus_filter()?;
                }
                key @ ("1" | "2" | "3" | "4" | "5" | "6") => {
                    let tab = key.parse::<usize>().ok().and_then(|n| place(n - 1));
                    if let Some(tab) = tab {
                        own.open_tab(tab)?;
                    }
                }
                _ => {}
            }
            Ok(())
        },
    )
}

fn surroundings(page: &Rc<Page>) -> Result<()> {
    let window = dom::window()?;
    let walked = page.clone();
    dom::on(&window, "popstate", move |_: Event| {
        match history::link()? {
            Some(link) => walked.open_link(&link),
            None => {
                walked.leave_link()?;
                walked.go_to(history::read()?)
            }
        }
    })?;
    let resized = page.clone();
    let observed = Closure::<dyn FnMut()>::new(move || {
        let all = || -> Result<()> {
            resized.resized()?;
            for table in &resized.tables {
                table.scrolled()?;
                resized.more_rows(table.name())?;
            }
            Ok(())
        };
        let Ok(()) = all();
    });
    let observer = ResizeObserver::new(observed.as_ref().unchecked_ref())?;
    observer.observe(&*dom::id("charts")?);
    for table in &page.tables {
        observer.observe(table.scroll_box());
    }
    observed.forget();
    map_wiring::observe(page)?;
    if let Some(dark) = window.match_media("(prefers-color-scheme: dark)")? {
        let page = page.clone();
        dom::on(&dark, "change", move |_: Event| page.draw())?;
    }
    Ok(())
}
