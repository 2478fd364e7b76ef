//! What is said about files, in both languages; and the order of their names.

use super::file_set::base_name;
use super::protocol::{Bilingual, Message};
use crate::parse::{Code, Diagnostic, Diagnostics};
use crate::report::names;
use crate::report::text::graphs::refused;
use crate::report::text::{diagnostics as words, Lang};

pub fn shown(name: &str) -> String {
    names::display(base_name(name).as_bytes())
}

pub fn bilingual(text: impl Fn(Lang) -> String) -> Bilingual {
    Bilingual {
        en: text(Lang::En),
        zh: text(Lang::Zh),
    }
}

/// Errors and warnings ready to show.
pub fn messages(found: &Diagnostics, file: &str) -> Vec<Message> {
    found
        .list
        .iter()
        .map(|d| message(d, &shown(file)))
        .collect()
}

/// A file that the system does not give, and why, in its own words.
pub fn refusal(file: &str, why: &str) -> Message {
    Message {
        severity: "error".to_owned(),
        code: "unreadable_file".to_owned(),
        line: 0,
        column: 0,
        text: bilingual(|lang| refused(&shown(file), why, lang)),
        excerpt: String::new(),
        hint: Bilingual::default(),
    }
}

fn message(d: &Diagnostic, file: &str) -> Message {
    Message {
        severity: d.code.severity().word().to_owned(),
        code: Code::word(d.code).to_owned(),
        line: d.line,
        column: d.column,
        text: bilingual(|lang| words::sentence(d, file, lang)),
        excerpt: d
            .excerpt
            .as_ref()
            .map(|e| words::excerpt_lines(d.line, e))
            .unwrap_or_default(),
        hint: bilingual(|lang| words::hint(d, lang).to_owned()),
    }
}
