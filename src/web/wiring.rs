//! Who listens to what: buttons, files, pointer, keys, history, size and colours.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{
    ClipboardEvent, DragEvent, Element, Event, HtmlInputElement, HtmlSelectElement, KeyboardEvent,
    MouseEvent, PointerEvent, ResizeObserver,
};

use super::page::Page;
use super::{dom, facts, header, history, inputs, report, words, Result};
use crate::engine::view::ViewState;

/// Registers every listener of the page.
pub fn wire(page: &Rc<Page>) -> Result<()> {
    ways_in(page)?;
    drops(page)?;
    controls(page)?;
    chart(page)?;
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
        let files = inputs::of_paste(&event)?;
        if files.is_empty() {
            Ok(())
        } else {
            page.open(files)
        }
    })
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
        let page = page.clone();
        inputs::of_drop(&data, move |files| page.open(files))
    })
}

fn controls(page: &Rc<Page>) -> Result<()> {
    click(page, "[data-hook=partial]", Page::open_partial)?;
    click(page, "[data-hook=cancel]", |page| page.cancel())?;
    click(page, "#back", |page| page.back_to_plan())?;
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
        let step = target
            .closest("[data-go-step]")?
            .and_then(|e| e.get_attribute("data-go-step"));
        match step.and_then(|s| s.parse().ok()) {
            Some(step) => goes.select_and_push(step),
            None => Ok(()),
        }
    })?;
    dom::on(&document, "keydown", move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            facts::close_explanations(None)
        } else {
            Ok(())
        }
    })
}

fn chart(page: &Rc<Page>) -> Result<()> {
    let canvas = dom::hook("usage-chart")?;
    let moved = page.clone();
    dom::on(&canvas, "pointermove", move |event: PointerEvent| {
        moved.hover(Some(f64::from(event.offset_x())))
    })?;
    let left = page.clone();
    dom::on(&canvas, "pointerleave", move |_: PointerEvent| {
        left.hover(None)
    })?;
    let clicked = page.clone();
    dom::on(&canvas, "click", move |event: MouseEvent| {
        match clicked.step_at(f64::from(event.offset_x())) {
            Some(step) => clicked.select_and_push(step),
            None => Ok(()),
        }
    })?;
    let pressed = page.clone();
    dom::on(&canvas, "keydown", move |event: KeyboardEvent| {
        let Some((at, last)) = pressed.selected() else {
            return Ok(());
        };
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            return Ok(());
        }
        let stride = if event.shift_key() { 10 } else { 1 };
        let leap = (last / 20).max(1);
        let to = match event.key().as_str() {
            "ArrowLeft" | "ArrowDown" => at.saturating_sub(stride),
            "ArrowRight" | "ArrowUp" => at.saturating_add(stride),
            "PageDown" => at.saturating_sub(leap),
            "PageUp" => at.saturating_add(leap),
            "Home" => 0,
            "End" => last,
            _ => return Ok(()),
        };
        event.prevent_default();
        pressed.select(Some(to.min(last)))
    })?;
    // A held key moves many steps; only where it ends goes into the history.
    let released = page.clone();
    dom::on(&canvas, "keyup", move |_: KeyboardEvent| {
        released.remember()
    })?;
    let scrolled = page.clone();
    let table = dom::id("alive-scroll")?;
    dom::on(&table, "scroll", move |_: Event| scrolled.scrolled())
}

fn surroundings(page: &Rc<Page>) -> Result<()> {
    let window = dom::window()?;
    let walked = page.clone();
    dom::on(&window, "popstate", move |_: Event| {
        walked.go_to(history::read()?)
    })?;
    let resized = page.clone();
    let observed = Closure::<dyn FnMut()>::new(move || {
        if let Err(fault) = resized.resized().and_then(|()| resized.scrolled()) {
            report(&fault);
        }
    });
    let observer = ResizeObserver::new(observed.as_ref().unchecked_ref())?;
    observer.observe(&*dom::id("chart-box")?);
    observer.observe(&*dom::id("alive-scroll")?);
    observed.forget();
    if let Some(dark) = window.match_media("(prefers-color-scheme: dark)")? {
        let page = page.clone();
        dom::on(&dark, "change", move |_: Event| page.draw())?;
    }
    Ok(())
}
