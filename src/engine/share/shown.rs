//! A summary from a link in the shapes that the page draws of an open graph.

use super::Shared;
use crate::engine::curves;
use crate::engine::protocol::{ChartColumns, Overview};
use crate::report::findings::HAZARD;
use crate::report::json::{
    AlignmentWaste, Counts, Diagnostics, FileFacts, IncompleteFacts, MaxInUse, Summary, SCHEMA,
};

impl Shared {
    /// Planned total − lower bound; `None` for a stage.
    pub fn gap(&self) -> Option<i64> {
        let gap = self.planned_total as i64 - self.peak_alive as i64;
        self.is_plan().then_some(gap)
    }

    /// Whether addresses are planned.
    pub fn is_plan(&self) -> bool {
        self.kind == "plan"
    }

    /// 1 − lower bound / total tensor size, six decimals; `None` when nothing is placed.
    pub fn reuse_ratio(&self) -> Option<f64> {
        let ratio = 1.0 - self.peak_alive as f64 / self.total_tensor_size as f64;
        (self.total_tensor_size > 0).then(|| (ratio * 1e6).round() / 1e6)
    }

    /// Number of hazards.
    pub fn hazards(&self) -> u64 {
        let own = self.findings.iter().find(|f| f.0 == HAZARD);
        own.map_or(0, |f| f.1)
    }

    /// Bytes in use at the peak.
    pub fn in_use(&self) -> u64 {
        self.peak_alive.saturating_add(self.static_memory)
    }

    /// SHA-256 of the file in hex.
    pub fn fingerprint(&self) -> Option<String> {
        self.sha256.map(|hash| crate::engine::session::hex(&hash))
    }

    /// Bytes alive at each point of the curve.
    pub fn heights(&self) -> Vec<f64> {
        let mut height = 0i32;
        let peak = self.peak_alive as f64 / 1000.0;
        let add = |step: &i16| {
            height += i32::from(*step);
            f64::from(height) * peak
        };
        self.curve.iter().map(add).collect()
    }

    /// Its curve as a chart draws it, without what was produced in all.
    pub fn columns(&self) -> ChartColumns {
        let Some(last) = self.steps.checked_sub(1) else {
            return ChartColumns::default();
        };
        let heights = self.heights();
        let begins = curves::columns(0, last, super::POINTS).map(|(begin, _)| f64::from(begin));
        ChartColumns {
            first: 0,
            last,
            step: begins.take(heights.len()).collect(),
            total: vec![0.0; heights.len()],
            alive_min: heights.clone(),
            alive_max: heights,
            static_memory: self.static_memory as f64,
            peak_step: self.peak_step.unwrap_or(0),
            peak_alive: self.peak_alive as f64,
        }
    }

    /// Its numbers as those of an open graph.
    pub fn overview(&self) -> Overview {
        let [nodes, tensors, control_tensors, parameters, streams, unions, contiguous, contiguous_processed, stream_groups, merged_blocks, zero_size] =
            self.counts;
        let name = &self.peak_node;
        let summary = Summary {
            schema: SCHEMA,
            version: self.program.clone(),
            file: FileFacts {
                name: String::new(),
                bytes: self.file_bytes,
                sha256: self.fingerprint(),
            },
            kind: self.kind.clone(),
            generation: self.generation.clone(),
            device: self.device.clone(),
            graph_id: None,
            rank: None,
            incomplete: self
                .unread_lines
                .map(|unread_lines| IncompleteFacts { unread_lines }),
            counts: Counts {
                nodes,
                tensors,
                control_tensors,
                parameters,
                streams,
                unions,
                contiguous,
                contiguous_processed,
                stream_groups,
                merged_blocks,
                zero_size,
                ..Counts::default()
            },
            static_memory: self.static_memory,
            total_tensor_size: self.total_tensor_size,
            planned_total: self.planned_total,
            max_in_use: MaxInUse {
                step: self.peak_step,
                node: self.peak_step.map(|_| match name.layer.as_str() {
                    "" => name.operator.clone(),
                    layer => [layer, "/", &name.operator].concat(),
                }),
                alive: self.peak_alive,
                in_use: self.in_use(),
            },
            max_total_memory: self.total_tensor_size.saturating_add(self.static_memory),
            reuse_ratio: self.reuse_ratio(),
            lower_bound: self.peak_alive,
            gap: self.gap(),
            alignment_waste: AlignmentWaste {
                total: self.waste.0,
                at_peak: self.waste.1,
            },
            max_end_without_lifelong: None,
            max_end: self.max_end,
            verdict: self.verdict.clone(),
            hazards: None,
            matrix: None,
            findings: None,
            task: None,
            queries: None,
            diagnostics: Diagnostics::default(),
        };
        Overview {
            graph: 0,
            summary,
            steps: self.steps,
            ordered: self.ordered,
            messages: Vec::new(),
            siblings: Vec::new(),
            base: 0,
            base_from: String::new(),
            tasks: None,
        }
    }
}
