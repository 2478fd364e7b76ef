//! The language of the page.

use std::cell::Cell;

use wasm_bindgen::JsCast;

use super::{dom, prefs, Result};
use crate::engine::protocol::Bilingual;
use crate::report::figure::grouped;
use crate::report::text::fill;
pub use crate::report::text::page::Word;
pub use crate::report::text::safety::Said;
pub use crate::report::text::Lang;

thread_local! {
    static LANG: Cell<Lang> = const { Cell::new(Lang::En) };
}

/// The language now.
pub fn lang() -> Lang {
    LANG.get()
}

/// The remembered language, else the first of the browser's languages that we speak.
pub fn choose() -> Result<()> {
    let lang = match prefs::get("language") {
        Some(tag) => Lang::from_locale(&tag),
        None => {
            let languages = dom::window()?.navigator().languages();
            let spoken = languages.iter().filter_map(|l| l.as_string());
            let ours = spoken
                .map(|l| l.to_ascii_lowercase())
                .find(|l| l.starts_with("zh") || l.starts_with("en"));
            ours.map_or(Lang::En, |l| Lang::from_locale(&l))
        }
    };
    set(lang)
}

/// Changes to the other language and remembers it.
pub fn switch() -> Result<()> {
    let other = match lang() {
        Lang::En => Lang::Zh,
        Lang::Zh => Lang::En,
    };
    prefs::set("language", other.tag());
    set(other)
}

/// Writes all words of the skeleton in a language.
fn set(lang: Lang) -> Result<()> {
    LANG.set(lang);
    if let Some(root) = dom::document()?.document_element() {
        root.set_attribute("lang", lang.tag())?;
    }
    dom::each("[data-text]", |element| {
        if let Some(word) = element
            .dataset()
            .get("text")
            .and_then(|key| Word::by_name(&key))
        {
            dom::clear(&element);
            dom::rich(&element, word.text(lang))?;
        }
        Ok(())
    })?;
    dom::each("[data-label]", |element| {
        if let Some(word) = element
            .dataset()
            .get("label")
            .and_then(|key| Word::by_name(&key))
        {
            element.set_attribute("aria-label", word.text(lang))?;
            if element.dyn_ref::<web_sys::HtmlButtonElement>().is_some() {
                element.set_title(word.text(lang));
            }
        }
        Ok(())
    })
}

/// A word in the language now.
pub fn t(word: Word) -> &'static str {
    word.text(lang())
}

/// A word with arguments in the language now.
pub fn tf(word: Word, args: &[&str]) -> String {
    fill(t(word), args)
}

/// What is said about safety, in the language now.
pub fn s(said: Said) -> &'static str {
    said.text(lang())
}

/// The same with arguments.
pub fn sf(said: Said, args: &[&str]) -> String {
    fill(s(said), args)
}

/// How many, in the word for one or for many.
pub fn count(n: u64, one: Word, many: Word) -> String {
    tf(if n == 1 { one } else { many }, &[&grouped(n)])
}

/// The side of a text in both languages.
pub fn pick(text: &Bilingual) -> &str {
    match lang() {
        Lang::En => &text.en,
        Lang::Zh => &text.zh,
    }
}
