//! One graph from its files to its results: checks, answers, files, the summary.

use std::path::Path;

use super::args::Args;
use super::input::Opened;
use super::output::Output;
use crate::analysis::{self, TaskCheck};
use crate::engine::{base_name, Judgement, Parts};
use crate::report::json::{self, Summary};
use crate::report::results::log::{self, Beside, LogInput};
use crate::report::results::query::{Query, Unanswerable};
use crate::report::results::told::answer_lines;
use crate::report::results::{Lookups, Results};
use crate::report::text::results as words;
use crate::report::text::Lang;

/// What became of a graph.
pub(crate) struct Done {
    /// The numbers, with everything that was checked.
    pub(crate) summary: Summary,
    /// Lines for people about the checks and the questions.
    pub(crate) lines: Vec<String>,
    /// Hazards and mismatches.
    pub(crate) found: u64,
    /// Other contradictions in the plan.
    pub(crate) contradictions: u64,
    /// Errors in the files.
    pub(crate) errors: u64,
    /// Files that were written.
    pub(crate) written: Option<usize>,
    /// Questions without an answer here.
    pub(crate) unanswered: Vec<Unanswerable>,
}

/// Why a graph gives no results.
pub(crate) enum Stopped {
    /// Questions that have no answer.
    Unanswerable(Vec<Unanswerable>),
    /// Files that cannot be written: the sentence.
    Unwritable(String),
}

/// Most lines about a check on the terminal.
const MOST_LINES: usize = 12;

/// Checks, answers and writes. `lenient`: a name that this graph does not have is no reason to
/// stop.
pub(crate) fn work(
    opened: &mut Opened,
    name: &str,
    args: &Args,
    output: Option<&Path>,
    lenient: bool,
    lang: Lang,
) -> Result<Option<Done>, Stopped> {
    let graph = opened.graph;
    let Some(plan) = opened.session.plan(graph) else {
        return Ok(None);
    };
    let mut queries = Vec::new();
    let mut unanswered = Vec::new();
    for (kind, typed) in &args.queries {
        match Query::read(*kind, typed, plan) {
            Ok(query) => queries.push(query),
            Err(why) => unanswered.push(why),
        }
    }
    let fatal = unanswered
        .iter()
        .any(|u| !lenient || !u.why.depends_on_plan());
    if fatal {
        return Err(Stopped::Unanswerable(unanswered));
    }
    let mut output = output.map(|dir| Output::begin(dir, args, lang));
    let (lookups, check, judged) = std::thread::scope(|scope| {
        let judging = scope.spawn(|| Judgement::of(plan));
        let judged = || match judging.join() {
            Ok(judged) => judged,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let lookups = Lookups::new(plan);
        let tasks = opened.tasks.as_ref();
        let check = tasks.map(|info| analysis::check_tasks(plan, info));
        let judged = match (&mut output, opened.session.parts(graph)) {
            (Some(output), Some(parts)) => {
                // Most files need no judgement.
                let results = results(&parts, check.as_ref(), args, &lookups);
                let files = results.files(&queries);
                output.write(&results, &files, judged)?
            }
            _ => judged(),
        };
        Ok((lookups, check, judged))
    })
    .map_err(Stopped::Unwritable)?;
    opened.session.take_judgement(graph, judged);
    let (Some(mut summary), Some(parts)) =
        (opened.session.summary(graph), opened.session.parts(graph))
    else {
        return Ok(None);
    };
    let plan = parts.plan;
    let results = results(&parts, check.as_ref(), args, &lookups);
    let mut beside = opened.beside.clone();
    if let (Some(check), Some((file, _))) = (&check, opened.messages.last()) {
        beside.push(Beside::Tasks(file.clone(), check.tasks, check.matched));
    }
    let diagnostics = std::iter::once((base_name(name), parts.diagnostics))
        .chain(opened.told())
        .collect::<Vec<_>>();
    let mut written = None;
    let told = |lang, most: fn(Vec<String>, Lang) -> Vec<String>| -> Vec<String> {
        let each = queries.iter().map(|q| answer_lines(&results, q, lang));
        each.flat_map(|lines| most(lines, lang)).collect()
    };
    if let Some(mut output) = output {
        let input = LogInput {
            file: base_name(name),
            results: &results,
            findings: parts.findings.map(|f| (f, parts.positions)),
            matrix: opened.matrix.as_ref(),
            task_info: opened.tasks.as_ref(),
            beside: &beside,
            diagnostics: &diagnostics,
            answers: &told(Lang::En, |lines, _| lines),
        };
        let files = results.error_files();
        output
            .write(&results, &files, || ())
            .map_err(Stopped::Unwritable)?;
        let count = output.finish(|earlier, new| log::text(&input, earlier, new));
        written = Some(count.map_err(Stopped::Unwritable)?);
    }
    if let (Some(check), Some(info)) = (&check, &opened.tasks) {
        let kinds = summary.findings.get_or_insert_default();
        kinds.extend(json::results::findings(check));
        summary.task = Some(json::results::task(&results, info, check));
    }
    summary.matrix = opened
        .matrix
        .as_ref()
        .map(|m| json::results::matrix(plan, m));
    if !args.queries.is_empty() {
        let answers = queries.iter().map(|q| json::results::answer(&results, q));
        summary.queries = Some(answers.collect());
    }
    // The verdict itself stands among the numbers.
    let pairs: Vec<String> = log::safety_lines(&results, lang)
        .into_iter()
        .skip(1)
        .collect();
    let mut lines = capped(pairs, lang);
    if let Some(found) = parts.findings.filter(|f| f.wrong() > 0) {
        let told = log::finding_lines(plan, found, parts.positions, false, lang);
        lines.extend(capped(told, lang));
    }
    if let Some(matrix) = &opened.matrix {
        lines.extend(capped(log::matrix_lines(plan, matrix, lang), lang));
    }
    lines.extend(log::log_note(plan, &beside, lang));
    if check.is_some() {
        lines.extend(capped(
            log::task_lines(&results, opened.tasks.as_ref(), lang),
            lang,
        ));
    }
    lines.extend(told(lang, capped));
    let found =
        parts.safety.map_or(0, |s| s.count) + check.as_ref().map_or(0, |c| c.findings.len() as u64);
    let contradictions = parts.findings.map_or(0, |f| f.wrong());
    let used = opened.messages.iter().map(|(_, found)| found.errors);
    let errors = parts.diagnostics.errors + used.sum::<u64>();
    Ok(Some(Done {
        summary,
        lines,
        found,
        contradictions,
        errors,
        written,
        unanswered,
    }))
}

/// What is known of a graph by now.
fn results<'a>(
    parts: &Parts<'a>,
    check: Option<&'a TaskCheck>,
    args: &Args,
    lookups: &'a Lookups,
) -> Results<'a> {
    Results::new(
        (parts.plan, parts.liveness, parts.facts),
        check,
        parts.safety,
        (args.base, args.device_memory),
        lookups,
    )
}

fn capped(mut lines: Vec<String>, lang: Lang) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    if more > 0 {
        lines.truncate(MOST_LINES);
        lines.push(words::log(
            words::Log::MoreMessages,
            &[&more.to_string()],
            lang,
        ));
    }
    lines
}
