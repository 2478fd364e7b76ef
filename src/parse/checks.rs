//! What only the finished plan can judge: contradictions become warnings with their place.

use super::diagnostic::{Arg, Code, Diagnostics};
use super::raw::{Lookup, RawControl, Suspect, SuspectKind};
use super::resolve::RowLines;
use crate::model::{Ids, IndexSet, Plan, PlanKind, TensorKind, NONE};

/// What only the finished plan can judge.
pub(crate) struct Checks<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) suspects: &'a [Suspect],
    pub(crate) tensor_rows: &'a RowLines,
    pub(crate) control: &'a RawControl,
    pub(crate) total_at: Option<(u64, u64, u64)>,
    /// The file has a parameter section at all (the text form of the cache has none).
    pub(crate) parameters_listed: bool,
    /// No row was lost: then a missing one is a contradiction of the file.
    pub(crate) whole: bool,
}

impl Checks<'_> {
    pub(crate) fn run(&self, diagnostics: &mut Diagnostics) {
        let exempt = self.plan.may_be_misaligned();
        let control = self.control.ids.lookup();
        for suspect in self.suspects {
            self.judge(suspect, &exempt, &control, diagnostics);
        }
        self.check_rows(diagnostics);
        self.check_total(diagnostics);
    }

    fn judge(
        &self,
        suspect: &Suspect,
        exempt: &IndexSet,
        control: &Lookup,
        diagnostics: &mut Diagnostics,
    ) {
        let plan = self.plan;
        let last_of = |ids: &Ids, suffix: &str| {
            let last = ids.len().checked_sub(1).map(|i| ids.id(i));
            Arg::Text(last.map_or_else(|| "-".to_owned(), |id| format!("%{id}{suffix}")))
        };
        let (code, args) = match &suspect.what {
            SuspectKind::TensorRef(id) if plan.tensors.ids.index_of(*id).is_none() => (
                Code::UnknownReference,
                vec![
                    Arg::Text(format!("%{id}T")),
                    last_of(&plan.tensors.ids, "T"),
                ],
            ),
            SuspectKind::ParameterRef(id)
                if self.parameters_listed && plan.parameters.ids.index_of(*id).is_none() =>
            {
                (
                    Code::UnknownReference,
                    vec![
                        Arg::Text(format!("%{id}P")),
                        last_of(&plan.parameters.ids, "P"),
                    ],
                )
            }
            SuspectKind::ControlRef { id, node, into } => {
                let Some(row) = control.row(*id) else {
                    let last = self.control.ids.len().saturating_sub(1);
                    let args = vec![
                        Arg::Text(format!("%{id}CT")),
                        Arg::Text(format!("%{last}CT")),
                    ];
                    return self.add(suspect, Code::UnknownReference, args, diagnostics);
                };
                let ends = if *into {
                    &self.control.after
                } else {
                    &self.control.before
                };
                if ends.get(row as usize) == Some(node) {
                    return;
                }
                (
                    Code::ControlDiffers,
                    vec![Arg::Number(*id), Arg::Number(u64::from(*node))],
                )
            }
            SuspectKind::Misaligned { row } => match self.tensor_rows.index_of_row(*row) {
                Some(t) if !exempt.contains(t) && plan.is_misaligned(t) => {
                    let numbers = [
                        plan.tensors.ids.id(t),
                        plan.tensors.shown_offset(t),
                        plan.tensors.aligned_at(t),
                    ];
                    (Code::Misaligned, numbers.map(Arg::Number).to_vec())
                }
                _ => return,
            },
            SuspectKind::Address {
                row,
                found,
                expected,
            } => {
                let id = self
                    .tensor_rows
                    .index_of_row(*row)
                    .map_or(0, |t| plan.tensors.ids.id(t));
                let hex = |n: &u64| Arg::Text(format!("{n:#x}"));
                (
                    Code::AddressDiffers,
                    vec![Arg::Number(id), hex(found), hex(expected)],
                )
            }
            SuspectKind::Name { step, here, there } => (
                Code::NameDiffers,
                vec![
                    Arg::Number(u64::from(*step)),
                    Arg::Text(here.clone()),
                    Arg::Text(there.clone()),
                ],
            ),
            SuspectKind::TensorRef(_) | SuspectKind::ParameterRef(_) => return,
        };
        self.add(suspect, code, args, diagnostics);
    }

    fn add(&self, suspect: &Suspect, code: Code, args: Vec<Arg>, diagnostics: &mut Diagnostics) {
        let excerpt = suspect.excerpt.as_deref().cloned();
        diagnostics.add(code, suspect.line, suspect.column, args, excerpt);
    }

    fn check_rows(&self, diagnostics: &mut Diagnostics) {
        let (plan, tensors) = (self.plan, &self.plan.tensors);
        let columns = tensors
            .source
            .iter()
            .zip(&tensors.life_last)
            .zip(&tensors.kind);
        for (t, ((&source, &last), &kind)) in columns.enumerate() {
            let t = t as u32;
            if source == NONE && kind != TensorKind::GAP && self.whole {
                diagnostics.add(
                    Code::NoSource,
                    self.tensor_rows.line_of(t),
                    1,
                    vec![Arg::Number(tensors.ids.id(t))],
                    None,
                );
            }
            if last >= plan.steps {
                let numbers = [
                    tensors.ids.id(t),
                    u64::from(last),
                    u64::from(plan.last_step()),
                ];
                let args = numbers.map(Arg::Number).to_vec();
                diagnostics.add(
                    Code::LifeBeyondGraph,
                    self.tensor_rows.line_of(t),
                    1,
                    args,
                    None,
                );
            }
        }
        let ends = self.control.before.iter().chain(&self.control.after);
        if self.whole
            && plan.nodes.len() == plan.steps
            && ends.copied().any(|step| step >= plan.steps)
        {
            let row = self
                .control
                .before
                .iter()
                .zip(&self.control.after)
                .position(|(b, a)| *b.max(a) >= plan.steps);
            let (id, end) = row.map_or((0, 0), |r| {
                (r as u64, self.control.after.get(r).copied().unwrap_or(0))
            });
            diagnostics.add(
                Code::ControlDiffers,
                0,
                0,
                vec![Arg::Number(id), Arg::Number(u64::from(end))],
                None,
            );
        }
    }

    fn check_total(&self, diagnostics: &mut Diagnostics) {
        let plan = self.plan;
        let (Some((total, line, column)), PlanKind::Plan, true) =
            (self.total_at, plan.kind, self.whole)
        else {
            return;
        };
        let highest = plan.highest_end();
        let end = highest.map_or(0, |(_, end)| end);
        if end != total {
            let (id, at) = highest.map_or((0, 0), |(t, _)| {
                (plan.tensors.ids.id(t), self.tensor_rows.line_of(t))
            });
            let args = [total, id, end, at].map(Arg::Number).to_vec();
            diagnostics.add(Code::TotalDiffers, line, column, args, None);
        }
    }
}
