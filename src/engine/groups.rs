//! What is alive at a step by layer, operator or type, and the parameters beside it.

use super::explore::{Group, GroupBy, GroupRequest, Groups, Narrow, TableName};
use super::table::{parameter_name, parameter_size, Kept, Of};
use crate::analysis::group::{self, Amount};
use crate::analysis::names as parts;
use crate::report::names;

/// The groups asked for; `None` when there is no such step.
pub fn groups(of: &Of<'_>, kept: &mut Kept, request: &GroupRequest) -> Option<Groups> {
    let plan = of.plan;
    if request.step >= plan.steps {
        return None;
    }
    let short_names = kept.short_names(plan) && !plan.nodes.is_empty();
    let narrowed = request.narrow != Narrow::default();
    let mut pieces = group::pieces(plan, kept.alive_at(plan, request.step));
    if narrowed {
        let within = kept.narrowed(plan, TableName::Tensors, &request.narrow);
        pieces.retain(|(t, _)| within.contains(*t));
    }
    let path = |t: u32| match (request.by, plan.tensors.source_of(t)) {
        (GroupBy::TensorType, _) => {
            let word = plan.tensors.kind_words.word(plan.tensors.kind_at(t));
            word.as_bytes()
        }
        (GroupBy::Layer, Some(n)) => parts::layer(plan.node_name(n)),
        (GroupBy::Operator, Some(n)) => parts::operator(plan.node_name(n)),
        (_, None) => &[],
    };
    let signs: &[u8] = match request.by {
        GroupBy::Layer => b"/",
        GroupBy::Operator | GroupBy::TensorType => b"",
    };
    let alive = group::tree(pieces.iter().map(|&(t, amount)| (path(t), amount)), signs);

    let within = narrowed.then(|| kept.narrowed(plan, TableName::Parameters, &request.narrow));
    let parameters = (0..plan.parameters.ids.len())
        .filter(|&p| within.is_none_or(|set| set.contains(p)))
        .map(|p| {
            let path = match request.by {
                GroupBy::Layer => parts::parameter_layer(parameter_name(plan, p)),
                GroupBy::Operator | GroupBy::TensorType => &[],
            };
            let amount = Amount {
                bytes: parameter_size(plan, p),
                waste: 0,
                pieces: 1,
            };
            (path, amount)
        });
    let parameters = group::tree(parameters, b"/.");
    Some(Groups {
        step: request.step,
        by: request.by,
        short_names,
        alive: alive.iter().map(shown).collect(),
        parameters: parameters.iter().map(shown).collect(),
    })
}

fn shown(group: &group::Group<'_>) -> Group {
    Group {
        parent: group.parent,
        name: match group.rest {
            true => "…".to_owned(),
            false => names::display(group.name),
        },
        path: names::display(group.path),
        bytes: group.amount.bytes,
        waste: group.amount.waste,
        pieces: group.amount.pieces,
    }
}
