//! Typed look-ups with a real error, small builders, listeners that last as long as the page.

use wasm_bindgen::convert::FromWasmAbi;
use wasm_bindgen::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, EventTarget, HtmlElement, Window};

use super::{Fault, Result};

/// The window.
pub fn window() -> Result<Window> {
    web_sys::window().ok_or_else(|| Fault::new("no window"))
}

/// The document.
pub fn document() -> Result<Document> {
    window()?
        .document()
        .ok_or_else(|| Fault::new("no document"))
}

/// The body.
pub fn body() -> Result<HtmlElement> {
    document()?.body().ok_or_else(|| Fault::new("no body"))
}

/// The first element that a selector finds, as the type it must have.
pub fn find<T: JsCast>(selector: &str) -> Result<T> {
    document()?
        .query_selector(selector)?
        .ok_or_else(|| Fault::new(format!("the page has no {selector}")))?
        .dyn_into()
        .map_err(|_| Fault::new(format!("{selector} is another kind of element")))
}

/// The element of that id.
pub fn id(id: &str) -> Result<HtmlElement> {
    find(&format!("#{id}"))
}

/// The element with that hook.
pub fn hook(name: &str) -> Result<HtmlElement> {
    find(&format!("[data-hook={name}]"))
}

/// All elements that a selector finds.
pub fn each(selector: &str, mut f: impl FnMut(HtmlElement) -> Result<()>) -> Result<()> {
    let list = document()?.query_selector_all(selector)?;
    for i in 0..list.length() {
        if let Some(element) = list.get(i).and_then(|n| n.dyn_into().ok()) {
            f(element)?;
        }
    }
    Ok(())
}

/// A new element; `class` may be empty.
pub fn make(tag: &str, class: &str) -> Result<HtmlElement> {
    let element = document()?.create_element(tag)?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    element
        .dyn_into()
        .map_err(|_| Fault::new(format!("<{tag}> is no HTML element")))
}

/// A new element as the type it must have.
pub fn make_as<T: JsCast>(tag: &str, class: &str) -> Result<T> {
    make(tag, class)?
        .dyn_into()
        .map_err(|_| Fault::new(format!("<{tag}> is another kind of element")))
}

/// A new element with text. Text never becomes markup.
pub fn text(tag: &str, class: &str, text: &str) -> Result<HtmlElement> {
    let element = make(tag, class)?;
    element.set_text_content(Some(text));
    Ok(element)
}

/// Appends, in order.
pub fn append(parent: &Element, children: &[&HtmlElement]) -> Result<()> {
    for child in children {
        parent.append_child(child)?;
    }
    Ok(())
}

/// Appends a text in which `` `…` `` is code; marks that do not pair stay as they are.
pub fn rich(parent: &Element, text: &str) -> Result<()> {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len() % 2 == 0 {
        return append(parent, &[&self::text("span", "", text)?]);
    }
    for (i, part) in parts
        .into_iter()
        .enumerate()
        .filter(|(_, part)| !part.is_empty())
    {
        if i % 2 == 0 {
            parent.append_child(&document()?.create_text_node(part))?;
        } else {
            append(parent, &[&self::text("code", "", part)?])?;
        }
    }
    Ok(())
}

/// Empties an element.
pub fn clear(element: &impl AsRef<web_sys::Node>) {
    element.as_ref().set_text_content(None);
}

/// Sets an attribute, or takes it away.
pub fn attribute(element: &Element, name: &str, value: Option<&str>) -> Result<()> {
    match value {
        Some(value) => element.set_attribute(name, value)?,
        None => element.remove_attribute(name)?,
    }
    Ok(())
}

/// Listens for as long as the page lives. A fault in the listener is shown.
pub fn on<E>(
    target: &EventTarget,
    event: &str,
    mut f: impl FnMut(E) -> Result<()> + 'static,
) -> Result<()>
where
    E: FromWasmAbi + 'static,
{
    let handler = Closure::<dyn FnMut(E)>::new(move |e: E| {
        let Ok(()) = f(e);
    });
    target.add_event_listener_with_callback(event, handler.as_ref().unchecked_ref())?;
    handler.forget();
    Ok(())
}

/// A name as its last part with the path before it dimmed; the whole name on hover.
pub fn scoped_name(parent: &Element, name: &str) -> Result<()> {
    let last = crate::report::names::last_part(name);
    let path = name.strip_suffix(last).unwrap_or("");
    if !path.is_empty() {
        append(parent, &[&text("span", "path", path)?])?;
    }
    append(parent, &[&text("span", "leaf", last)?])?;
    parent.set_attribute("title", name)?;
    Ok(())
}
