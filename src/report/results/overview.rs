//! `StatisticInfo/overview.txt`.

use super::{BaseFrom, Results};
use crate::model::PlanKind;
use crate::report::text::results::{overview as line, Overview as O};
use crate::report::{figure, names};

const GIB: f64 = (1u64 << 30) as f64;

/// The device's memory begins at a multiple of this.
const DEVICE_ALIGN: u64 = 32 << 30;

impl Results<'_> {
    /// The lines of the overview.
    pub fn overview(&self) -> String {
        let mut lines = Vec::new();
        let unknown = || line(O::NoTasks, &[]);
        if let Some(incomplete) = &self.plan.incomplete {
            let unread = incomplete.unread_lines.to_string();
            lines.push(line(O::Incomplete, &[&unread]));
        }
        let known_base = (self.base_from != BaseFrom::Nothing).then_some(self.base);
        let lowest = self.tasks.and_then(|t| t.lowest).or(known_base);
        let device = lowest.map(|lowest| {
            let start = lowest / DEVICE_ALIGN * DEVICE_ALIGN;
            format!(
                "{start:#x} - {:#x}",
                start.saturating_add(self.device_memory)
            )
        });
        lines.push(line(O::Hbm, &[&device.unwrap_or_else(unknown)]));
        let task = self.tasks.and_then(|t| t.lowest.zip(t.highest_end));
        let task = task.map(|(low, high)| line(O::MinMax, &[&hex(low), &hex(high)]));
        lines.push(line(O::Task, &[&task.unwrap_or_else(unknown)]));
        let somas = match (self.plan.kind, known_base) {
            (PlanKind::Stage, _) => line(O::EarlyStage, &[]),
            (_, None) => unknown(),
            (_, Some(base)) => {
                let total = self.facts.planned_total;
                let end = hex(base.saturating_add(total));
                line(O::MinMaxSize, &[&hex(base), &end, &gigabytes(total)])
            }
        };
        lines.push(line(O::Somas, &[&somas]));
        lines.push(line(
            O::Parameter,
            &[&self.parameter_line().unwrap_or_else(unknown)],
        ));
        let bytes = |n: u64| (gigabytes(n), n.to_string());
        let (gb, exact) = bytes(self.facts.static_memory);
        lines.push(line(O::Static, &[&gb, &exact]));
        lines.push(self.in_use_line());
        let all = self.facts.total_tensor_size;
        let (gb, exact) = bytes(all + self.facts.static_memory);
        lines.push(line(O::TotalUse, &[&gb, &exact]));
        let (gb, exact) = bytes(all);
        lines.push(line(O::TotalTensor, &[&gb, &exact]));
        lines.push(line(O::MaxAddr, &[&self.max_address()]));
        let ratio = self
            .facts
            .reuse_ratio()
            .map(|r| format!("{:.2}%", r * 100.0));
        let ratio = ratio.unwrap_or_else(|| line(O::NothingPlaced, &[]));
        lines.push(line(O::Ratio, &[&ratio]));
        lines.join("\n") + "\n"
    }

    /// Over parameters with an address.
    fn parameter_line(&self) -> Option<String> {
        let all = 0..self.plan.parameters.ids.len();
        let known = all.filter_map(|p| self.parameter_bytes(p));
        let ends = known.map(|bytes| (bytes.start, bytes.end));
        let (low, high) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        Some(line(
            O::MinMaxSize,
            &[&hex(low), &hex(high), &gigabytes(high - low)],
        ))
    }

    fn in_use_line(&self) -> String {
        let peak = &self.facts.peak;
        let node = peak.step.and_then(|s| self.plan.nodes.at_step(s));
        let name = node.map_or_else(
            || line(O::NoNodes, &[]),
            |n| names::display(self.plan.node_name(n)),
        );
        let step = peak
            .step
            .map_or_else(|| line(O::NoNodes, &[]), |s| s.to_string());
        let in_use = peak.alive + self.facts.static_memory;
        let args = [
            name,
            step,
            gigabytes(peak.alive),
            peak.alive.to_string(),
            gigabytes(in_use),
            in_use.to_string(),
        ];
        line(O::InUse, &args.each_ref().map(String::as_str))
    }

    fn max_address(&self) -> String {
        if self.plan.kind == PlanKind::Stage {
            return line(O::EarlyStage, &[]);
        }
        let Some((t, end)) = self.facts.max_end_without_lifelong else {
            return line(O::NothingPlaced, &[]);
        };
        let source = self.plan.tensors.source_of(t);
        let args = [
            source.map_or_else(String::new, |n| names::display(self.plan.node_name(n))),
            source.map_or_else(String::new, |n| self.plan.nodes.step(n).to_string()),
            self.output_index_of(t)
                .map_or_else(String::new, |i| i.to_string()),
            hex(self.base.saturating_add(end)),
        ];
        line(O::MaxAddrOf, &args.each_ref().map(String::as_str))
    }
}

fn hex(n: u64) -> String {
    format!("{n:#x}")
}

/// Bytes in units of 2^30 with four significant digits.
fn gigabytes(n: u64) -> String {
    format!("{}GB", figure::significant(n as f64 / GIB))
}
