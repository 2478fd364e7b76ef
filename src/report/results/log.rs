//! `MemoryAnalyze.log`: what was read, what each check found, what is wrong with the files, and at
//! the end a manifest of the other files. No clock and no path: two runs give the same bytes.

use super::{BaseFrom, Results, MOST_ERROR_FILES};
use crate::analysis::matrix::MatrixCheck;
use crate::analysis::{FindingKind, PlanFindings, TaskFinding, TaskKind, Undecided, Verdict};
use crate::model::{Plan, PlanKind, TaskInfo};
use crate::parse::{Diagnostics, Positions};
use crate::report::text::results::{log as line, Log as L};
use crate::report::text::{diagnostics as words, Lang};
use crate::report::{findings, names};

/// Most pairs and findings that are listed.
pub(super) const MOST: usize = 1000;

/// What was read beside the plan.
#[derive(Clone, Debug)]
pub enum Beside {
    /// Task info: base name, records, joined ones.
    Tasks(String, u32, u32),
    /// An offline log: base name, number of tensors whose kind was taken.
    Log(String, u32),
    /// A conflict matrix that was compared: base name.
    Relation(String),
    /// A dump of before the solver ran, for the sizes of the matrix: base name.
    Sizes(String),
    /// Another file: base name and what it is.
    Other(String, words::Kind),
}

/// What a log is made from.
#[derive(Debug)]
pub struct LogInput<'a> {
    /// Base name of the dump.
    pub file: &'a str,
    /// What is known.
    pub results: &'a Results<'a>,
    /// What else is wrong with the plan, and where its rows stand.
    pub findings: Option<(&'a PlanFindings, &'a Positions)>,
    /// The planner's conflict matrix against the plan.
    pub matrix: Option<&'a MatrixCheck>,
    /// The records of the tasks.
    pub task_info: Option<&'a TaskInfo>,
    /// What was read besides.
    pub beside: &'a [Beside],
    /// Errors and warnings by file.
    pub diagnostics: &'a [(&'a str, &'a Diagnostics)],
    /// What questions gave, in lines.
    pub answers: &'a [String],
}

/// The name of a file and its SHA-256 in hex.
pub type Entry = (String, String);

/// The text of the log. `earlier` are files that earlier runs left, `written` those of this run.
pub fn text(input: &LogInput<'_>, earlier: &[Entry], written: &[Entry]) -> String {
    let lang = Lang::En;
    let mut out = vec![format!("somascope {}", env!("CARGO_PKG_VERSION"))];
    out.extend(read_lines(input, lang));
    out.push(String::new());
    out.push(line(L::Checks, &[], lang));
    out.extend(check_lines(input, lang));
    out.push(String::new());
    out.extend(message_lines(input, lang));
    out.push(String::new());
    for (title, entries) in [(L::Earlier, earlier), (L::Manifest, written)] {
        if title == L::Earlier && entries.is_empty() {
            continue;
        }
        out.push(line(title, &[], lang));
        out.extend(entries.iter().map(|(name, sha)| format!("{sha}  {name}")));
    }
    out.join("\n") + "\n"
}

/// The files that a log lists as written, by this program; `None` when it is no log of ours.
pub fn listed(log: &str) -> Option<Vec<Entry>> {
    let mut lines = log.lines();
    if !lines.next()?.starts_with("somascope ") {
        return None;
    }
    let manifest = L::Manifest.text(Lang::En);
    let earlier = L::Earlier.text(Lang::En);
    let (mut entries, mut inside, mut ended) = (Vec::new(), false, false);
    for text in lines {
        if text == manifest || text == earlier {
            (inside, ended) = (true, text == manifest);
        } else if inside {
            let (sha, name) = text.split_once("  ")?;
            let is_sha = sha.len() == 64 && sha.bytes().all(|b| b.is_ascii_hexdigit());
            if !is_sha {
                return None;
            }
            entries.push((name.to_owned(), sha.to_owned()));
        }
    }
    ended.then_some(entries)
}

fn read_lines(input: &LogInput<'_>, lang: Lang) -> Vec<String> {
    let (results, plan) = (input.results, input.results.plan);
    let count = |n: u32| n.to_string();
    let kind = match plan.kind {
        PlanKind::Plan => words::Kind::Plan,
        PlanKind::Stage => words::Kind::Stage,
    };
    let mut out = vec![line(
        L::File,
        &[
            &shown(input.file),
            kind.text(lang),
            plan.generation.word(),
            plan.device.map_or("?", |d| d.word()),
            &count(plan.n_nodes()),
            &count(plan.n_tensors()),
            &count(plan.parameters.ids.len()),
        ],
        lang,
    )];
    for beside in input.beside {
        out.push(match beside {
            Beside::Tasks(name, records, joined) => line(
                L::TaskFile,
                &[&shown(name), &count(*records), &count(*joined)],
                lang,
            ),
            Beside::Log(name, taken) => line(L::LogFile, &[&shown(name), &count(*taken)], lang),
            Beside::Relation(name) => line(L::RelationFile, &[&shown(name)], lang),
            Beside::Sizes(name) => line(L::SizesFile, &[&shown(name)], lang),
            Beside::Other(name, what) => line(L::OtherFile, &[&shown(name), what.text(lang)], lang),
        });
    }
    out.extend(log_note(plan, input.beside, lang));
    if let Some(incomplete) = &plan.incomplete {
        out.push(line(
            L::Incomplete,
            &[&incomplete.unread_lines.to_string()],
            lang,
        ));
    }
    let key = match results.base_from {
        BaseFrom::Given => L::BaseGiven,
        BaseFrom::Tasks => L::BaseTasks,
        BaseFrom::Dump => L::BaseDump,
        BaseFrom::Nothing => L::BaseNothing,
    };
    let base = hex(results.base);
    out.push(line(key, &[&base], lang));
    if let Some(other) = results
        .tasks
        .and_then(|t| t.base)
        .filter(|b| *b != results.base)
    {
        out.push(line(L::BaseDiffers, &[&base, &hex(other)], lang));
    }
    out
}

fn check_lines(input: &LogInput<'_>, lang: Lang) -> Vec<String> {
    let mut out = safety_lines(input.results, lang);
    if let Some((found, positions)) = input.findings {
        let plan = input.results.plan;
        out.extend(finding_lines(plan, found, positions, true, lang));
    }
    if let Some(matrix) = input.matrix {
        out.extend(matrix_lines(input.results.plan, matrix, lang));
    }
    out.extend(task_lines(input.results, input.task_info, lang));
    out.extend_from_slice(input.answers);
    out
}

/// The verdict and what it rests on.
pub fn safety_lines(results: &Results<'_>, lang: Lang) -> Vec<String> {
    let plan = results.plan;
    let Some(safety) = results.safety else {
        return Vec::new();
    };
    let mut out = match safety.verdict {
        Verdict::Undecided(why) => {
            let key = match why {
                Undecided::Stage => L::StageUnchecked,
                Undecided::Incomplete => L::PartUnchecked,
                Undecided::Cycle => L::CycleUnchecked,
            };
            vec![line(key, &[], lang)]
        }
        Verdict::Safe => vec![line(L::Safe, &[], lang)],
        Verdict::Hazards => {
            let numbers = [safety.count, safety.by_order].map(|n| n.to_string());
            let key = if safety.more {
                L::HazardsAtLeast
            } else {
                L::Hazards
            };
            vec![line(key, &numbers.each_ref().map(String::as_str), lang)]
        }
    };
    for pair in &safety.list {
        let told = findings::hazard_sentence(plan, pair, lang);
        out.push(line(L::Item, &[findings::HAZARD, &told], lang));
    }
    let more = safety.count.saturating_sub(safety.list.len() as u64);
    if more > 0 {
        out.push(line(L::MorePairs, &[&more.to_string()], lang));
    }
    let more = results.overwritten().len().saturating_sub(MOST_ERROR_FILES);
    if more > 0 {
        out.push(line(L::MoreErrorFiles, &[&more.to_string()], lang));
    }
    out
}

/// What else is wrong with the plan, and with `information` what is only worth knowing. That there
/// is no verdict stands among [`safety_lines`].
pub fn finding_lines(
    plan: &Plan,
    found: &PlanFindings,
    positions: &Positions,
    information: bool,
    lang: Lang,
) -> Vec<String> {
    if plan.incomplete.is_some() {
        return vec![line(L::PlanUnchecked, &[], lang)];
    }
    let told =
        |kind: FindingKind| kind != FindingKind::Undecided && (information || kind.is_wrong());
    let wrong = found.wrong() - found.count(FindingKind::Undecided);
    let mut out = vec![match wrong {
        0 => line(L::PlanAgrees, &[], lang),
        _ => line(L::PlanFindings, &[&wrong.to_string()], lang),
    }];
    let unread = found.count(FindingKind::NeverRead);
    if unread > 0 {
        out.push(line(L::NeverRead, &[&unread.to_string()], lang));
    }
    for of_kind in found.list.chunk_by(|a, b| a.kind == b.kind) {
        let Some(kind) = of_kind.first().map(|f| f.kind).filter(|k| told(*k)) else {
            continue;
        };
        for finding in of_kind {
            let text = findings::sentence(plan, finding, positions, lang);
            out.push(line(L::Item, &[kind.word(), &text], lang));
        }
        let more = found.count(kind).saturating_sub(of_kind.len() as u64);
        if more > 0 {
            out.push(line(L::MoreMessages, &[&more.to_string()], lang));
        }
    }
    out
}

/// The conflict matrix against the plan.
pub fn matrix_lines(plan: &Plan, matrix: &MatrixCheck, lang: Lang) -> Vec<String> {
    let numbers = [matrix.rows, matrix.cells_compared, matrix.differences].map(|n| n.to_string());
    let key = if matrix.differences == 0 {
        L::MatrixAgrees
    } else {
        L::MatrixDiffers
    };
    let mut out = vec![line(key, &numbers.each_ref().map(String::as_str), lang)];
    if matrix.not_decidable > 0 {
        let number = matrix.not_decidable.to_string();
        out.push(line(L::MatrixNotDecidable, &[&number], lang));
    }
    if let Some(reading) = matrix.reading {
        out.push(line(L::MatrixReading, &[reading.word()], lang));
    }
    for cell in &matrix.list {
        let ids = [cell.row, cell.column].map(|t| plan.tensors.ids.id(t).to_string());
        let key = if cell.may_share {
            L::MatrixMayShare
        } else {
            L::MatrixConflict
        };
        out.push(line(key, &ids.each_ref().map(String::as_str), lang));
    }
    let more = matrix.differences.saturating_sub(matrix.list.len() as u64);
    if more > 0 {
        out.push(line(L::MoreMessages, &[&more.to_string()], lang));
    }
    out
}

/// Names the file that would tell the lifelong kinds which this generation does not print.
pub fn log_note(plan: &Plan, beside: &[Beside], lang: Lang) -> Option<String> {
    let known = beside.iter().any(|b| matches!(b, Beside::Log(..)));
    (!known && !plan.generation.is_c()).then(|| line(L::LogWouldTell, &[], lang))
}

/// The outcome of the check against tasks.
pub fn task_lines(results: &Results<'_>, info: Option<&TaskInfo>, lang: Lang) -> Vec<String> {
    let (Some(check), Some(info)) = (results.tasks, info) else {
        return vec![line(L::TasksUnchecked, &[], lang)];
    };
    let mut out = if check.findings.is_empty() {
        vec![line(L::TasksAgree, &[], lang)]
    } else {
        vec![line(
            L::TaskFindings,
            &[&check.findings.len().to_string()],
            lang,
        )]
    };
    for finding in check.findings.iter().take(MOST) {
        out.push(finding_line(results.plan, info, finding, lang));
    }
    let more = check.findings.len().saturating_sub(MOST);
    if more > 0 {
        out.push(line(L::MoreFindings, &[&more.to_string()], lang));
    }
    for &(n, nodes, records) in &check.join.unjoined_groups {
        let args = [
            nodes.to_string(),
            records.to_string(),
            node(results.plan, n),
        ];
        out.push(line(
            L::NotJoined,
            &args.each_ref().map(String::as_str),
            lang,
        ));
    }
    out
}

/// Where a task and the plan differ, as a sentence.
pub fn finding_line(plan: &Plan, info: &TaskInfo, f: &TaskFinding, lang: Lang) -> String {
    let key = match f.kind {
        TaskKind::WrongAddress => L::WrongAddress,
        TaskKind::WrongInput => L::WrongInput,
        TaskKind::OutsidePlan => L::OutsidePlan,
        TaskKind::Oversize => L::Oversize,
        TaskKind::SameAddress => L::SameAddress,
        TaskKind::MissingTask => L::MissingTask,
        TaskKind::ExtraTask => L::ExtraTask,
        TaskKind::CountDiffers => L::CountDiffers,
        TaskKind::ParameterTwoAddresses => L::TwoAddresses,
    };
    let who = match (f.node, f.record) {
        (Some(n), _) => node(plan, n),
        (None, Some(r)) => names::display_cut(info.name_of(r), 200),
        (None, None) => String::new(),
    };
    let what = match (f.tensor, f.parameter) {
        (Some(t), _) => plan.tensors.ids.id(t).to_string(),
        (None, Some(p)) => plan.parameters.ids.id(p).to_string(),
        (None, None) => String::new(),
    };
    let number = |n: Option<u64>| match f.kind {
        TaskKind::Oversize | TaskKind::CountDiffers => n.map_or("?".into(), |n| n.to_string()),
        _ => n.map_or("?".into(), hex),
    };
    let args = [who, what, number(f.found), number(f.planned)];
    line(key, &args.each_ref().map(String::as_str), lang)
}

fn message_lines(input: &LogInput<'_>, lang: Lang) -> Vec<String> {
    let sum = |of: fn(&Diagnostics) -> u64| input.diagnostics.iter().map(|d| of(d.1)).sum::<u64>();
    let (errors, warnings) = (sum(|d| d.errors), sum(|d| d.warnings));
    let mut out = vec![line(
        L::Messages,
        &[&errors.to_string(), &warnings.to_string()],
        lang,
    )];
    let mut listed = 0;
    for (file, found) in input.diagnostics {
        listed += found.list.len() as u64;
        let file = shown(file);
        out.extend(
            found
                .list
                .iter()
                .map(|d| format!("  {}", words::sentence(d, &file, lang))),
        );
    }
    let more = (errors + warnings).saturating_sub(listed);
    if more > 0 {
        out.push(line(L::MoreMessages, &[&more.to_string()], lang));
    }
    out
}

pub(super) fn node(plan: &Plan, n: u32) -> String {
    let name = names::display_cut(plan.node_name(n), 200);
    format!("${} {name}", plan.nodes.step(n))
}

pub(super) fn shown(name: &str) -> String {
    names::display(name.as_bytes())
}

pub(super) fn hex(n: u64) -> String {
    format!("{n:#x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_is_recognised() {
        let sha = "0".repeat(64);
        let log = format!("somascope 1\nx\n\nmanifest\n{sha}  a b.csv\n");
        assert_eq!(
            listed(&log),
            Some(vec![("a b.csv".to_owned(), sha.clone())])
        );
        assert_eq!(listed("somascope 1\nx\n"), None);
        assert_eq!(listed(&format!("other\nmanifest\n{sha}  a\n")), None);
        assert_eq!(listed("somascope 1\nmanifest\nnonsense\n"), None);
        assert_eq!(listed("somascope 1\nmanifest\n"), Some(vec![]));
    }
}
