//! Reads a dump and prints what it plans.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use super::args::Args;
use crate::engine::{base_name, Session};
use crate::parse::Diagnostics;
use crate::report::json::{self, Failure, Summary};
use crate::report::text::{diagnostics as words, terminal, Lang};
use crate::report::{figure, names};

/// Done, nothing to complain about.
pub(crate) const DONE: u8 = 0;
/// Done, and there are hazards.
pub(crate) const HAZARDS: u8 = 3;
/// Wrong usage or output that could not be written.
pub(crate) const BAD_USAGE: u8 = 1;
/// Unreadable or malformed input.
pub(crate) const BAD_INPUT: u8 = 2;

/// How much is read at once.
const CHUNK: usize = 1 << 20;

/// Runs; the value is the exit status.
pub(crate) fn run(args: &Args) -> u8 {
    let lang = language();
    let path = args.dump.to_string_lossy();
    let mut session = Session::new();
    let mut reader = session.begin_file(&path, size_of(&args.dump), args.partial);
    if args.json {
        reader = reader.with_fingerprint();
    }
    if let Err(error) = read_file(&args.dump, |bytes| reader.push(bytes)) {
        print_err(&terminal::cannot_read(
            &shown(&path),
            &error.to_string(),
            lang,
        ));
        return BAD_INPUT;
    }
    let handle = session.end_file(reader);
    handle.map(|graph| session.judge(graph));
    let printed = match handle {
        Some(graph) => print_graph(&session, graph, args.json, lang),
        None => print_failure(&session, &path, args.json, lang),
    };
    match printed {
        Ok(status) => status,
        // Whoever reads has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => DONE,
        Err(error) => {
            print_err(&terminal::cannot_write(&error.to_string(), lang));
            BAD_USAGE
        }
    }
}

#[allow(clippy::disallowed_methods)] // The command line is the face that opens files.
fn read_file(path: &Path, mut each: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = File::open(path)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match file.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(n) => each(chunk.get(..n).unwrap_or(&[])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The size of a file in bytes, 0 when the system does not tell.
fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |m| m.len())
}

/// The language of messages: by the locale, as other programs do.
#[allow(clippy::disallowed_methods)] // Only this face looks at the environment.
fn language() -> Lang {
    let set = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    let locale = set("LC_ALL")
        .or_else(|| set("LC_MESSAGES"))
        .or_else(|| set("LANG"));
    Lang::from_locale(&locale.unwrap_or_default())
}

fn print_graph(session: &Session, graph: u32, as_json: bool, lang: Lang) -> io::Result<u8> {
    let (Some(mut summary), Some(found)) = (session.summary(graph), session.diagnostics(graph))
    else {
        return Ok(BAD_INPUT);
    };
    let file = base_name(&summary.file.name).to_owned();
    print_diagnostics(found, &file, lang);
    summary.file.name = file.clone();
    if as_json {
        summary.diagnostics = json::diagnostics(found, &file);
        print_out(&json::line(&summary)?)?;
    } else {
        print_out(&human(&summary, lang))?;
    }
    let hazards = summary.verdict.as_deref() == Some("hazards");
    Ok(match (found.errors > 0, hazards) {
        (true, _) => BAD_INPUT,
        (false, true) => HAZARDS,
        (false, false) => DONE,
    })
}

fn print_failure(session: &Session, path: &str, as_json: bool, lang: Lang) -> io::Result<u8> {
    let Some((facts, found)) = session.failure(path) else {
        return Ok(BAD_INPUT);
    };
    let file = base_name(path);
    print_diagnostics(found, file, lang);
    if as_json {
        let mut facts = facts.clone();
        facts.name = file.to_owned();
        print_out(&json::line(&Failure::new(
            facts,
            json::diagnostics(found, file),
        ))?)?;
    }
    Ok(BAD_INPUT)
}

/// Every listed error and warning on standard error, and how many more there are.
fn print_diagnostics(found: &Diagnostics, file: &str, lang: Lang) {
    let file = shown(file);
    for d in &found.list {
        print_err(&words::sentence(d, &file, lang));
        if let Some(excerpt) = &d.excerpt {
            print_err(&words::excerpt_lines(d.line, excerpt));
        }
        let hint = words::hint_line(d, lang);
        if !hint.is_empty() {
            print_err(&format!("  {hint}"));
        }
    }
    let more = (found.errors + found.warnings).saturating_sub(found.list.len() as u64);
    if more > 0 {
        print_err(&terminal::and_more(more, lang));
    }
}

/// The short summary for people.
fn human(s: &Summary, lang: Lang) -> String {
    use terminal::Line;
    let size = |n: u64| format!("{} ({n})", figure::bytes(n));
    let signed = |n: i64| {
        if n < 0 {
            format!("-{}", size(n.unsigned_abs()))
        } else {
            size(n.unsigned_abs())
        }
    };
    let mut lines: Vec<(Line, String)> = Vec::new();
    lines.push((Line::File, names::display(s.file.name.as_bytes())));
    let device = s.device.as_deref().unwrap_or("?");
    lines.push((
        Line::Generation,
        format!(
            "{} · {device} · {}",
            s.generation,
            terminal::kind(&s.kind, lang)
        ),
    ));
    if let Some(incomplete) = &s.incomplete {
        lines.push((Line::Incomplete, incomplete.unread_lines.to_string()));
    }
    let counts = [
        (Line::Nodes, s.counts.nodes),
        (Line::Tensors, s.counts.tensors),
        (Line::Parameters, s.counts.parameters),
    ];
    lines.extend(counts.map(|(line, n)| (line, n.to_string())));
    if s.gap.is_some() {
        lines.push((Line::PlannedTotal, size(s.planned_total)));
    }
    let at = match (&s.max_in_use.node, s.max_in_use.step) {
        (Some(node), Some(step)) => format!(" @ {node} (${step})"),
        _ => String::new(),
    };
    lines.push((
        Line::PeakInUse,
        format!("{}{at}", size(s.max_in_use.in_use)),
    ));
    lines.push((Line::LowerBound, size(s.lower_bound)));
    lines.push((Line::Static, size(s.static_memory)));
    lines.extend(s.gap.map(|gap| (Line::Gap, signed(gap))));
    lines.push((Line::WithoutReuse, size(s.total_tensor_size)));
    lines.push((
        Line::ReuseRatio,
        s.reuse_ratio
            .map_or_else(|| terminal::nothing_placed(lang), figure::percent),
    ));
    lines.push((Line::Waste, signed(s.alignment_waste.total)));
    lines.extend(verdict(s, lang).map(|text| (Line::Verdict, text)));
    terminal::table(&lines, lang)
}

fn verdict(s: &Summary, lang: Lang) -> Option<String> {
    let count = s.hazards.as_ref().map_or(0, |h| h.by_dependency);
    let pair = s.hazards.as_ref().and_then(|h| h.list.first());
    let word = s.verdict.as_deref()?;
    let first = pair.map(|h| (h.a, h.b, h.bytes, h.nodes));
    Some(terminal::verdict(word, count, first, lang))
}

fn shown(name: &str) -> String {
    names::display(name.as_bytes())
}

/// Prints on standard output, which may be closed.
pub(crate) fn print_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Prints a line on standard error; where nobody reads it, nothing can be done about it.
pub(crate) fn print_err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
