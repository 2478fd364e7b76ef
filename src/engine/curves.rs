//! The usage curves as a chart draws them: thinned to columns, a second plan's over them.

use super::explore::{Alignment, OverlayRequest};
use super::protocol::ChartColumns;
use super::table::Of;
use crate::analysis::{align, Facts};
use crate::model::Plan;

/// The columns of a window, at most `most`: their first and last steps.
pub fn columns(first: u32, last: u32, most: u32) -> impl Iterator<Item = (u32, u32)> {
    let steps = u64::from(last - first) + 1;
    let columns = u64::from(most).min(steps);
    // Below `last` and `first + steps`, so that they fit.
    let begin = move |column: u64| (u64::from(first) + column * steps / columns) as u32;
    (0..columns).map(move |c| (begin(c), begin(c + 1) - 1))
}

/// An empty chart, and the window it is for; `None` where there is nothing to draw.
fn window(of: &Of<'_>, first: u32, last: u32, columns: u32) -> Option<(u32, u32)> {
    let last = last.min(of.plan.last_step());
    (of.plan.steps > 0 && first <= last && columns > 0).then_some((first, last))
}

/// Smallest and largest number of a part of a curve.
fn range(values: &[u64]) -> (f64, f64) {
    let low = values.iter().min().copied().unwrap_or(0);
    (low as f64, values.iter().max().copied().unwrap_or(0) as f64)
}

/// The curves of a plan over a window.
pub fn chart(of: &Of<'_>, facts: &Facts, first: u32, last: u32, most: u32) -> ChartColumns {
    let mut out = ChartColumns {
        static_memory: facts.static_memory as f64,
        peak_step: facts.peak.step.unwrap_or(0),
        peak_alive: facts.peak.alive as f64,
        ..ChartColumns::default()
    };
    let Some((first, last)) = window(of, first, last, most) else {
        return out;
    };
    (out.first, out.last) = (first, last);
    for (begin, end) in columns(first, last, most) {
        let (begin_at, end_at) = (begin as usize, end as usize);
        let values = of.liveness.alive.get(begin_at..=end_at);
        push(
            &mut out,
            begin,
            values.unwrap_or(&[]),
            of.liveness.total.get(end_at),
        );
    }
    out
}

fn push(out: &mut ChartColumns, begin: u32, alive: &[u64], total: Option<&u64>) {
    let (low, high) = range(alive);
    out.step.push(f64::from(begin));
    out.alive_min.push(low);
    out.alive_max.push(high);
    out.total.push(total.copied().unwrap_or(0) as f64);
}

/// Where the steps of a second plan lie on those of the first.
pub fn alignment(plan: &Plan, other: &Plan, how: Alignment) -> Vec<u32> {
    match how {
        Alignment::Scaled => align::scaled(plan.steps, other.steps),
        Alignment::ByName => align::by_name(plan, other),
    }
}

/// The curves of a second plan in the columns of a window of the first; `lies_on` tells the step
/// of the first for each of its steps.
pub fn overlay(
    of: &Of<'_>,
    other: &Of<'_>,
    facts: &Facts,
    lies_on: &[u32],
    request: &OverlayRequest,
) -> ChartColumns {
    let on = |step: usize| lies_on.get(step).copied();
    let peak = facts.peak.step.and_then(|step| on(step as usize));
    let mut out = ChartColumns {
        static_memory: facts.static_memory as f64,
        peak_step: peak.unwrap_or(0),
        peak_alive: facts.peak.alive as f64,
        ..ChartColumns::default()
    };
    let Some((first, last)) = window(of, request.first, request.last, request.columns) else {
        return out;
    };
    if lies_on.is_empty() {
        return out;
    }
    (out.first, out.last) = (first, last);
    for (begin, end) in columns(first, last, request.columns) {
        let from = lies_on.partition_point(|&step| step < begin);
        let to = lies_on.partition_point(|&step| step <= end);
        let (from, to) = match (from < to, from.checked_sub(1)) {
            (true, _) => (from, to),
            // Nothing lies here: the nearest step, the earlier of two.
            (false, None) => (from, from + 1),
            (false, Some(before)) => {
                let left = on(before).map_or(u32::MAX, |step| begin.abs_diff(step));
                let right = on(from).map_or(u32::MAX, |step| step.abs_diff(end));
                match left <= right {
                    true => (before, before + 1),
                    false => (from, from + 1),
                }
            }
        };
        let values = other.liveness.alive.get(from..to).unwrap_or(&[]);
        push(&mut out, begin, values, other.liveness.total.get(to - 1));
    }
    out
}
