//! What went wrong, and what to do: errors and warnings of files, faults of our own.

use std::rc::Rc;

use web_sys::{Element, ErrorEvent, HtmlDetailsElement};

use super::inputs::Input;
use super::opening::Shown;
use super::words::{lang, pick, t, tf, Word};
use super::{dom, said, Result};
use crate::engine::protocol::{Graphs, Message, OtherFile};
use crate::engine::share::Broken;
use crate::report::figure::grouped;

/// Why nothing can be shown.
pub enum Problem {
    /// None of the files gave a graph.
    Files {
        /// What was said about them.
        graphs: Rc<Graphs>,
        /// The files.
        inputs: Rc<Vec<Input>>,
    },
    /// Nothing was dropped.
    Nothing,
    /// The worker ended.
    Worker(String),
    /// A link that gives no summary.
    Link(Broken),
}

/// Draws the problem, or the warnings of what is shown, or neither.
pub fn show(problem: Option<&Problem>, shown: Option<&Shown>) -> Result<()> {
    let list = dom::hook("errors")?;
    dom::clear(&list);
    let (title, text, others): (&str, String, &[OtherFile]) = match problem {
        Some(Problem::Files { graphs, .. }) if graphs.others.iter().any(|o| o.damaged) => (
            t(Word::Damaged),
            t(Word::DamagedText).into(),
            &graphs.others,
        ),
        Some(Problem::Files { graphs, .. }) => {
            (t(Word::NoPlan), t(Word::NoPlanText).into(), &graphs.others)
        }
        Some(Problem::Nothing) => (t(Word::NothingDropped), String::new(), &[]),
        Some(Problem::Link(broken)) => (t(Word::NoSummary), broken.text(lang()).into(), &[]),
        Some(Problem::Worker(why)) => (
            t(Word::WorkerStopped),
            format!("{} {why}", t(Word::WorkerStoppedText)),
            &[],
        ),
        None => ("", String::new(), shown.map_or(&[], |s| &s.graphs.others)),
    };
    dom::id("failure-title")?.set_text_content(Some(title));
    dom::id("failure-text")?.set_text_content(Some(&text));

    let own = match (problem, shown) {
        (None, Some(shown)) => shown.overview.messages.as_slice(),
        _ => &[],
    };
    let mut tally = Tally::default();
    for message in own {
        tally.add(message);
        dom::append(&list, &[&item(message)?])?;
    }
    for other in others {
        // Beside an open plan, a file that never was one is no alarm.
        let aside = problem.is_none() && !other.damaged && !other.refused;
        for message in &other.messages {
            let message = Message {
                severity: if aside {
                    "note".into()
                } else {
                    message.severity.clone()
                },
                ..message.clone()
            };
            tally.add(&message);
            dom::append(&list, &[&item(&message)?])?;
        }
        let told = other
            .messages
            .iter()
            .filter(|m| m.severity == "error")
            .count() as u64;
        if other.errors > told && !aside {
            tally.errors += other.errors - told;
            let more = tf(
                Word::MoreErrors,
                &[&grouped(other.errors - told), &other.name],
            );
            dom::append(&list, &[&dom::text("li", "more dim", &more)?])?;
        }
    }
    show_frame(&tally, problem, others.iter().any(|o| o.damaged), shown)
}

#[derive(Default)]
struct Tally {
    errors: u64,
    warnings: u64,
    notes: u64,
}

impl Tally {
    fn add(&mut self, message: &Message) {
        match message.severity.as_str() {
            "error" => self.errors += 1,
            "warning" => self.warnings += 1,
            _ => self.notes += 1,
        }
    }
}

fn show_frame(
    tally: &Tally,
    problem: Option<&Problem>,
    damaged: bool,
    shown: Option<&Shown>,
) -> Result<()> {
    let frame: HtmlDetailsElement = dom::find("#messages")?;
    let (errors, warnings) = (grouped(tally.errors), grouped(tally.warnings));
    let title = match (tally.errors, tally.warnings) {
        (0, 0) => tf(Word::MessagesNotes, &[&grouped(tally.notes)]),
        (0, _) => tf(Word::MessagesWarnings, &[&warnings]),
        (_, 0) => tf(Word::MessagesErrors, &[&errors]),
        _ => tf(Word::MessagesBoth, &[&errors, &warnings]),
    };
    frame.set_hidden(tally.errors + tally.warnings + tally.notes == 0);
    frame.set_open(problem.is_some() || damaged);
    dom::attribute(
        &frame,
        "data-severity",
        Some(if tally.errors > 0 { "error" } else { "warning" }),
    )?;
    dom::id("messages-title")?.set_text_content(Some(&title));
    dom::hook("partial")?.set_hidden(!damaged);
    dom::id("partial-note")?.set_hidden(!damaged);
    let back = problem.is_some() && shown.is_some();
    dom::id("back")?.set_hidden(!back);
    dom::id("ways-on")?.set_hidden(!damaged && !back);
    Ok(())
}

fn item(message: &Message) -> Result<web_sys::HtmlElement> {
    let out = dom::make("li", "")?;
    out.set_attribute("data-code", &message.code)?;
    out.set_attribute("data-severity", &message.severity)?;
    if message.line > 0 {
        out.set_attribute("data-line", &message.line.to_string())?;
    }
    let line = dom::make("p", "")?;
    // The text of a warning says so itself.
    let severity = match message.severity.as_str() {
        "error" => Some(Word::SeverityError),
        "note" => Some(Word::SeverityNote),
        _ => None,
    };
    if let Some(severity) = severity {
        dom::append(&line, &[&dom::text("span", "severity", t(severity))?])?;
    }
    dom::rich(&line, pick(&message.text))?;
    dom::append(&out, &[&line])?;
    if !message.excerpt.is_empty() {
        dom::append(&out, &[&dom::text("pre", "excerpt", &message.excerpt)?])?;
    }
    let hint = pick(&message.hint);
    if !hint.is_empty() {
        let line = dom::make("p", "hint")?;
        dom::rich(&line, hint)?;
        dom::append(&out, &[&line])?;
    }
    Ok(out)
}

/// Shows what nobody caught: a fault, or a trap of the module.
pub fn show_uncaught() -> Result<()> {
    dom::on(&*dom::window()?, "error", |event: ErrorEvent| {
        let error = event.error();
        // The browser's own remarks, as of a ResizeObserver, come without one.
        match error.is_object() {
            true => show_stopped(&said(&error)),
            false => Ok(()),
        }
    })
}

/// Says that the page itself failed. Touches nothing but the skeleton: whatever state the page
/// keeps may be half changed.
fn show_stopped(what: &str) -> Result<()> {
    let body = dom::body()?;
    body.set_attribute("data-screen", "error")?;
    body.set_attribute("data-state", "error")?;
    dom::hook("progress")?.set_hidden(true);
    dom::id("failure-title")?.set_text_content(Some(t(Word::Stopped)));
    dom::id("failure-text")?.set_text_content(Some(&format!("{} {what}", t(Word::StoppedText))));
    let hide: [Element; 2] = [dom::id("messages")?.into(), dom::id("ways-on")?.into()];
    hide.iter()
        .try_for_each(|e| dom::attribute(e, "hidden", Some("")))
}
