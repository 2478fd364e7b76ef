//! What questions gave, in lines for the log and the terminal. Addresses name their owners in the
//! order of time.

use super::log::{hex, node, shown, MOST};
use super::query::{Query, Where};
use super::Results;
use crate::analysis;
use crate::model::PlanKind;
use crate::report::names;
use crate::report::text::results::{log as line, Log as L};
use crate::report::text::Lang;
use crate::units::ByteRange;

/// What a question gave: how much of it, and of an address or a range who holds it.
pub fn answer_lines(results: &Results<'_>, query: &Query, lang: Lang) -> Vec<String> {
    let plan = results.plan;
    let (mut more, mut parameters) = (Vec::new(), 0);
    let tensors = match query.place {
        Where::Node(n) => results.mem_frame(plan.nodes.step(n)).len(),
        Where::Tensor(t) => analysis::sharing_bytes(plan, t).len(),
        Where::Addresses(range) => {
            let there = results.parameters_at(range);
            parameters = there.len();
            if plan.kind == PlanKind::Plan {
                more = owner_lines(results, range, lang);
            }
            more.extend(there.iter().map(|&p| parameter_line(results, p, lang)));
            results.tensors_at(range).len()
        }
    };
    let args = [
        query.kind.word(),
        &shown(&query.typed),
        &tensors.to_string(),
        &parameters.to_string(),
    ];
    let mut out = vec![line(L::Asked, &args, lang)];
    let rest = more.len().saturating_sub(MOST);
    more.truncate(MOST);
    out.extend(more);
    if rest > 0 {
        out.push(line(L::MoreMessages, &[&rest.to_string()], lang));
    }
    out
}

/// Who holds some addresses, in the order of time, and the steps between in which nobody does; or
/// how far outside the plan they are.
fn owner_lines(results: &Results<'_>, asked: ByteRange, lang: Lang) -> Vec<String> {
    let (plan, base) = (results.plan, results.base);
    let block = ByteRange::at(base, results.facts.planned_total);
    if let Some((far, below)) = analysis::outside(asked, block) {
        let (key, edge) = match below {
            true => (L::Below, block.start),
            false => (L::Behind, block.end),
        };
        return vec![line(key, &[&far.to_string(), &hex(edge)], lang)];
    }
    let offsets = ByteRange {
        start: asked.start.saturating_sub(base),
        end: asked.end.saturating_sub(base),
    };
    let (owners, free_after) = analysis::tenures(plan, offsets);
    let steps =
        |life: crate::units::LiveRange| [life.first, life.last].map(|step| step.to_string());
    let free = |life| line(L::Free, &steps(life).each_ref().map(String::as_str), lang);
    let mut out = Vec::new();
    for owner in owners {
        out.extend(owner.free_before.map(free));
        let [first, last] = steps(owner.life);
        let read = match plan.readers().get(owner.tensor) {
            [] => line(L::ReadByNone, &[], lang),
            [one] => line(L::ReadByOne, &[&node(plan, *one)], lang),
            [from, .., to] => {
                let n = plan.readers().get(owner.tensor).len().to_string();
                line(
                    L::ReadByMany,
                    &[&n, &node(plan, *from), &node(plan, *to)],
                    lang,
                )
            }
        };
        let id = plan.tensors.ids.id(owner.tensor).to_string();
        let writer = plan.tensors.source_of(owner.tensor);
        let writer = writer.map_or("?".to_owned(), |n| node(plan, n));
        out.push(line(L::Owner, &[&first, &last, &id, &writer, &read], lang));
    }
    out.extend(free_after.map(free));
    out
}

fn parameter_line(results: &Results<'_>, p: u32, lang: Lang) -> String {
    let bytes = results
        .parameter_bytes(p)
        .unwrap_or(ByteRange { start: 0, end: 0 });
    let id = results.plan.parameters.ids.id(p).to_string();
    let name = names::display_cut(results.parameter_name(p), 200);
    line(
        L::ParameterThere,
        &[&hex(bytes.start), &hex(bytes.end), &id, &name],
        lang,
    )
}
