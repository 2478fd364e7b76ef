//! Reads one dump, checks it, writes and prints what there is to say.

use std::io;
use std::path::PathBuf;

use super::args::Args;
use super::input::{self, Failed, Opened};
use super::print::{self, print_err, print_out};
use super::work::{self, Done, Stopped};
use super::{folder, output};
use crate::engine::{base_name, Session};
use crate::report::json::{self, Failure};
use crate::report::text::terminal::{self, say, Say};
use crate::report::text::Lang;

/// Done, nothing to complain about.
pub(crate) const DONE: u8 = 0;
/// Wrong usage or output that could not be written.
pub(crate) const BAD_USAGE: u8 = 1;
/// Unreadable or malformed input.
pub(crate) const BAD_INPUT: u8 = 2;
/// Done, with a hazard or a task mismatch.
pub(crate) const FOUND: u8 = 3;

/// Stopped by Ctrl-C, as shells say it.
pub(crate) const STOPPED: u8 = 130;

/// The language of messages: by the locale, as other programs do.
#[allow(clippy::disallowed_methods)] // Only this face looks at the environment.
pub(crate) fn language() -> Lang {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let locale = set("LC_ALL")
        .or_else(|| set("LC_MESSAGES"))
        .or_else(|| set("LANG"));
    Lang::from_locale(&locale.unwrap_or_default())
}

/// Runs; the value is the exit status.
pub(crate) fn run(args: &Args, lang: Lang) -> u8 {
    let printed = if args.dump.is_dir() {
        folder::run(args, lang)
    } else {
        run_file(args, lang)
    };
    match printed {
        Ok(status) => status,
        Err(error) => {
            print_err(&terminal::cannot_write(&error, lang));
            BAD_USAGE
        }
    }
}

fn run_file(args: &Args, lang: Lang) -> io::Result<u8> {
    let name = args.dump.to_string_lossy().into_owned();
    let mut opened = match input::open(&args.dump, &name, args, lang) {
        Ok(opened) => opened,
        Err(failed) => return fail(failed, &name, args, lang),
    };
    let own = args.dump.parent().map(PathBuf::from).unwrap_or_default();
    let dir = args.output.clone().or_else(|| (!args.json).then_some(own));
    let done = match work::work(&mut opened, &name, args, dir.as_deref(), false, lang) {
        Ok(Some(done)) => done,
        Ok(None) => return Ok(BAD_INPUT),
        Err(Stopped::Unanswerable(why)) => {
            why.iter().for_each(|w| print_err(&w.sentence(lang)));
            return Ok(BAD_USAGE);
        }
        Err(Stopped::Unwritable(sentence)) => {
            print_err(&sentence);
            return Ok(BAD_USAGE);
        }
    };
    print_messages(&opened, &name, lang);
    let status = status_of(&done);
    let text = if args.json {
        json_line(&opened, done, &name)?
    } else {
        let mut text = print::human(&done.summary, lang);
        for line in &done.lines {
            text.push_str(line);
            text.push('\n');
        }
        if let (Some(count), Some(dir)) = (done.written, &dir) {
            let dir = if dir.as_os_str().is_empty() {
                ".".to_owned()
            } else {
                output::shown(dir)
            };
            text.push_str(&say(Say::Written, &[&count.to_string(), &dir], lang));
            text.push('\n');
        }
        text
    };
    // The system takes it all back at once.
    std::mem::forget(opened);
    print_out(&text).map(|()| status)
}

/// The exit status of a graph.
pub(crate) fn status_of(done: &Done) -> u8 {
    match (done.errors, done.found) {
        (0, 0) => DONE,
        (0, _) => FOUND,
        _ => BAD_INPUT,
    }
}

/// The machine-readable line of a graph whose file is called `name`.
fn json_line(opened: &Opened, done: Done, name: &str) -> io::Result<String> {
    let mut summary = done.summary;
    let file = base_name(name);
    summary.file.name = file.to_owned();
    if let Some(found) = opened.session.diagnostics(opened.graph) {
        summary.diagnostics = json::diagnostics(found, file);
    }
    json::line(&summary)
}

fn print_messages(opened: &Opened, name: &str, lang: Lang) {
    if let Some(found) = opened.session.diagnostics(opened.graph) {
        print_err_all(&print::messages(found, base_name(name), lang));
    }
    for (file, found) in opened.told() {
        print_err_all(&print::messages(found, file, lang));
    }
}

pub(crate) fn print_err_all(lines: &[String]) {
    lines.iter().for_each(|l| print_err(l));
}

fn fail(failed: Failed, name: &str, args: &Args, lang: Lang) -> io::Result<u8> {
    match failed {
        Failed::Unreadable(sentence) => print_err(&sentence),
        Failed::Damaged(file, found) => {
            print_err_all(&print::messages(&found, &file, lang));
            if args.json {
                let facts = json::FileFacts {
                    name: base_name(name).to_owned(),
                    bytes: args.dump.metadata().map_or(0, |m| m.len()),
                    sha256: None,
                };
                let told = json::diagnostics(&found, &file);
                print_out(&json::line(&Failure::new(facts, told))?)?;
            }
        }
        Failed::NoPlan(session) => {
            let (lines, json) = no_plan(&session, name, base_name(name), lang)?;
            print_err_all(&lines);
            if args.json {
                print_out(&json)?;
            }
        }
    }
    Ok(BAD_INPUT)
}

/// What to say of a file without a plan: lines for people and the machine-readable one, which
/// calls the file `shown`.
pub(crate) fn no_plan(
    session: &Session,
    name: &str,
    shown: &str,
    lang: Lang,
) -> io::Result<(Vec<String>, String)> {
    let Some((facts, found)) = session.failure(name) else {
        return Ok(Default::default());
    };
    let mut facts = facts.clone();
    facts.name = shown.to_owned();
    let line = json::line(&Failure::new(facts, json::diagnostics(found, shown)))?;
    Ok((print::messages(found, shown, lang), line))
}
