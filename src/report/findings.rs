//! Findings of a plan as sentences, with their lines in the dump.

use std::collections::BTreeMap;

use super::names;
use super::text::findings::{Finding as Words, KindTitle};
use super::text::{fill, Lang};
use crate::analysis::{Finding, FindingKind as Kind, Hazard, PlanFindings, Safety, Undecided};
use crate::model::Plan;
use crate::parse::Positions;

/// The stable word of a hazard among the findings.
pub const HAZARD: &str = "hazard";

/// Number of findings by kind, hazards included; kinds without any are absent.
pub fn counts(found: &PlanFindings, safety: &Safety) -> BTreeMap<String, u64> {
    let kinds = Kind::ALL.iter().map(|k| (k.word(), found.count(*k)));
    let hazards = [(HAZARD, safety.count)];
    let some = kinds.chain(hazards).filter(|(_, n)| *n > 0);
    some.map(|(kind, n)| (kind.to_owned(), n)).collect()
}

/// What findings of a kind have in common; `None` for a word that is none of ours.
pub fn title(word: &str, lang: Lang) -> Option<&'static str> {
    if word == HAZARD {
        return Some(KindTitle::Hazard.text(lang));
    }
    let kind = Kind::ALL.iter().find(|k| k.word() == word)?;
    let title = match kind {
        Kind::Undecided => KindTitle::Undecided,
        Kind::ControlCycle => KindTitle::ControlCycle,
        Kind::UnionOffsetDiffers => KindTitle::UnionOffsetDiffers,
        Kind::TotalDiffers => KindTitle::TotalDiffers,
        Kind::BlocksDiffer => KindTitle::BlocksDiffer,
        Kind::NotContiguous => KindTitle::NotContiguous,
        Kind::Misaligned => KindTitle::Misaligned,
        Kind::ReadBeforeWritten => KindTitle::ReadBeforeWritten,
        Kind::ReadAfterLife => KindTitle::ReadAfterLife,
        Kind::LifeTooShort => KindTitle::LifeTooShort,
        Kind::OutputReused => KindTitle::OutputReused,
        Kind::WrittenTwice => KindTitle::WrittenTwice,
        Kind::NeverRead => KindTitle::NeverRead,
    };
    Some(title.text(lang))
}

/// The line of the dump that a finding is about; 0 when it is about none.
pub fn line_of(finding: &Finding, positions: &Positions) -> u64 {
    match (finding.kind, finding.tensor, finding.node) {
        (Kind::TotalDiffers, ..) => positions.line_of_total(),
        (Kind::ReadBeforeWritten | Kind::WrittenTwice | Kind::ControlCycle, _, Some(n)) => {
            positions.line_of_node(n)
        }
        (_, Some(t), _) => positions.line_of_tensor(t),
        _ => 0,
    }
}

/// A finding in a sentence, with its line where that is known.
pub fn sentence(plan: &Plan, finding: &Finding, positions: &Positions, lang: Lang) -> String {
    let words = match finding.kind {
        Kind::Undecided => match finding.stated {
            why if why == Undecided::Stage as u64 => Words::Stage,
            why if why == Undecided::Incomplete as u64 => Words::Incomplete,
            _ => Words::Cycle,
        },
        Kind::ControlCycle => Words::ControlCycle,
        Kind::UnionOffsetDiffers => Words::UnionOffset,
        Kind::TotalDiffers => Words::Total,
        Kind::BlocksDiffer => Words::Blocks,
        Kind::NotContiguous => Words::NotContiguous,
        Kind::Misaligned => Words::Misaligned,
        Kind::ReadBeforeWritten => Words::ReadBeforeWritten,
        Kind::ReadAfterLife => Words::ReadAfterLife,
        Kind::LifeTooShort => Words::LifeTooShort,
        Kind::OutputReused => Words::OutputReused,
        Kind::WrittenTwice => Words::WrittenTwice,
        Kind::NeverRead => Words::NeverRead,
    };
    let args = [
        tensor(plan, finding.tensor),
        tensor(plan, finding.other),
        node(plan, finding.node),
        node(plan, finding.other_node),
        finding.stated.to_string(),
        finding.found.to_string(),
    ];
    let text = fill(words.text(lang), &args.each_ref().map(String::as_str));
    match line_of(finding, positions) {
        0 => text,
        line => fill(Words::AtLine.text(lang), &[&text, &line.to_string()]),
    }
}

/// A hazard in a sentence: tensors, bytes, kind, the nodes that can collide.
pub fn hazard_sentence(plan: &Plan, hazard: &Hazard, lang: Lang) -> String {
    let how = [hazard.kind.word(), hazard.rule()].join(", ");
    let args = [
        tensor(plan, Some(hazard.a)),
        tensor(plan, Some(hazard.b)),
        node(plan, Some(hazard.nodes.0)),
        node(plan, Some(hazard.nodes.1)),
        hazard.bytes.to_string(),
        how,
    ];
    fill(
        Words::Hazard.text(lang),
        &args.each_ref().map(String::as_str),
    )
}

fn tensor(plan: &Plan, t: Option<u32>) -> String {
    t.map_or_else(String::new, |t| {
        ["%", &plan.tensors.ids.id(t).to_string(), "T"].concat()
    })
}

fn node(plan: &Plan, n: Option<u32>) -> String {
    n.map_or_else(String::new, |n| {
        let name = names::display_cut(plan.node_name(n), 200);
        ["$", &plan.nodes.step(n).to_string(), " ", &name].concat()
    })
}
