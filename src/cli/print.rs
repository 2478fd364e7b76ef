//! Words on the terminal.

use std::io::{self, Write};

use super::terminal::{coloured, Colour};
use crate::parse::Diagnostics;
use crate::report::json::Summary;
use crate::report::text::{diagnostics as words, findings::Finding as Why, terminal, Lang};
use crate::report::{figure, names};

/// Every listed error and warning as lines, and how many more there are.
pub(crate) fn messages(found: &Diagnostics, file: &str, lang: Lang) -> Vec<String> {
    let file = names::display(file.as_bytes());
    let mut out = Vec::new();
    for d in &found.list {
        out.push(words::sentence(d, &file, lang));
        if let Some(excerpt) = &d.excerpt {
            out.push(words::excerpt_lines(d.line, excerpt));
        }
        let hint = words::hint_line(d, lang);
        if !hint.is_empty() {
            out.push(format!("  {hint}"));
        }
    }
    let more = (found.errors + found.warnings).saturating_sub(found.list.len() as u64);
    if more > 0 {
        out.push(terminal::and_more(more, lang));
    }
    out
}

/// The short summary for people.
pub(crate) fn human(s: &Summary, lang: Lang) -> String {
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
    let why = match (&s.incomplete, s.kind.as_str()) {
        (Some(_), _) => Why::Incomplete,
        (None, "stage") => Why::Stage,
        _ => Why::Cycle,
    };
    // A stage has no verdict; that it was judged shows in the findings.
    s.findings.as_ref()?;
    let word = s.verdict.as_deref().unwrap_or("undecided");
    let first = pair.map(|h| (h.a, h.b, h.bytes, h.nodes));
    let text = terminal::verdict(word, count, first, why, lang);
    Some(match word {
        "hazards" => coloured(text, Colour::Red),
        "safe" => coloured(text, Colour::Green),
        _ => text,
    })
}

/// Prints on standard output. Whoever reads may have seen enough: that is no failure.
pub(crate) fn print_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Prints a line on standard error; where nobody reads it, nothing can be done about it.
pub(crate) fn print_err(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}
