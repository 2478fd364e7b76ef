//! The result files: what there is to write of a graph, and the bytes of each file.
//!
//! A face asks [`Results::files`] what there is, lets [`Results::write`] write each one wherever it
//! wants, and writes the log last, because it ends in a list of the others. A face that must not be
//! held up writes a file in parts with [`Results::write_part`].

pub mod csv;
mod file_names;
pub mod log;
mod overview;
pub mod query;
mod tables;
pub mod told;

use std::io::{self, Write};

use crate::analysis::{self, Facts, Liveness, Safety, TaskCheck};
use crate::model::{Lists, Plan, PlanKind, NONE};
use crate::report::chart::lines::{two_lines, Line};
use crate::report::chart::map::memory_map;
use crate::report::text::results::Chart;
use crate::report::text::{fill, Lang};
use crate::sorting;
use crate::units::ByteRange;
use file_names::file_name;
use query::{Query, Where};
use tables::Rows;

/// The name of the log.
pub const LOG: &str = "MemoryAnalyze.log";

/// Most files about overwritten tensors.
pub const MOST_ERROR_FILES: usize = 1000;

/// Where a base comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseFrom {
    /// It was given.
    Given,
    /// Most tensors of the task info agree on it.
    Tasks,
    /// The dump prints addresses.
    Dump,
    /// There is none: addresses are offsets.
    Nothing,
}

/// Everything known of a graph, ready to be written.
#[derive(Debug)]
pub struct Results<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its curves.
    pub liveness: &'a Liveness,
    /// Its numbers.
    pub facts: &'a Facts,
    /// Its tasks.
    pub tasks: Option<&'a TaskCheck>,
    /// The judgement of the plan, once it was made.
    pub safety: Option<&'a Safety>,
    /// Where offset 0 lies; 0 where nothing tells.
    pub base: u64,
    /// What tells it.
    pub base_from: BaseFrom,
    /// Bytes of the device, for the range of addresses.
    pub device_memory: u64,
    lookups: &'a Lookups,
}

/// What is worked out once for all files of a plan.
#[derive(Debug)]
pub struct Lookups {
    /// Nodes that read each parameter.
    parameter_readers: Lists,
    /// Index of each tensor among the outputs (workspaces) of its source node.
    output_index: Vec<u32>,
    /// Whether every name of the dump is plain, see [`csv::is_plain`].
    plain: bool,
}

impl Lookups {
    /// Of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self {
            parameter_readers: analysis::parameter_readers(plan),
            output_index: analysis::output_indices(plan),
            plain: csv::is_plain(plan.names.arena().0),
        }
    }
}

/// One file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// Path below the result folder, with `/`.
    pub name: String,
    /// What goes in.
    pub content: Content,
}

/// What goes into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// All nodes.
    Nodes,
    /// All parameters.
    Parameters,
    /// All tensors.
    Tensors,
    /// All uses.
    Destinations,
    /// `overview.txt`.
    Overview,
    /// What is in use and what is alive over steps, a picture.
    InUseChart,
    /// The same without reuse.
    TotalChart,
    /// The memory map, a picture.
    MemoryMap,
    /// Some tensors.
    SomeTensors(Vec<u32>),
    /// Some nodes.
    SomeNodes(Vec<u32>),
    /// Some parameters.
    SomeParameters(Vec<u32>),
}

impl<'a> Results<'a> {
    /// Gathers what is known. A given base comes before the one of the tasks, and that before the
    /// one of the dump.
    pub fn new(
        (plan, liveness, facts): (&'a Plan, &'a Liveness, &'a Facts),
        tasks: Option<&'a TaskCheck>,
        safety: Option<&'a Safety>,
        (given_base, device_memory): (Option<u64>, u64),
        lookups: &'a Lookups,
    ) -> Self {
        let bases = [
            (given_base, BaseFrom::Given),
            (tasks.and_then(|t| t.base), BaseFrom::Tasks),
            (plan.arena_base, BaseFrom::Dump),
        ];
        let known = bases.into_iter().find_map(|(b, from)| Some((b?, from)));
        let (base, base_from) = known.unwrap_or((0, BaseFrom::Nothing));
        Self {
            plan,
            liveness,
            facts,
            tasks,
            safety,
            base,
            base_from,
            device_memory,
            lookups,
        }
    }

    /// Nodes that read parameter `p`.
    pub fn readers_of_parameter(&self, p: u32) -> &'a [u32] {
        self.lookups.parameter_readers.get(p)
    }

    /// Index among the outputs (workspaces) of the source node.
    pub fn output_index_of(&self, t: u32) -> Option<u32> {
        self.lookups
            .output_index
            .get(t as usize)
            .copied()
            .filter(|i| *i != NONE)
    }

    /// Where tensor `t` is shown to lie; `None` when it is not placed.
    pub fn tensor_address(&self, t: u32) -> Option<u64> {
        let placed = self.plan.kind == PlanKind::Plan && self.plan.tensors.aligned_at(t) > 0;
        placed.then(|| self.base.saturating_add(self.plan.tensors.shown_offset(t)))
    }

    /// Where parameter `p` lies, as the dump or the tasks say.
    pub fn parameter_address(&self, p: u32) -> Option<u64> {
        let at = |column: &[u64]| column.get(p as usize).copied().filter(|a| *a != 0);
        at(&self.plan.parameters.start_addr)
            .or_else(|| self.tasks.and_then(|t| at(&t.parameter_at)))
    }

    /// Size of parameter `p`, in bytes.
    pub fn parameter_size(&self, p: u32) -> u64 {
        let size = self.plan.parameters.size.get(p as usize);
        size.copied().unwrap_or(0)
    }

    /// The addresses of parameter `p`, where they are known.
    pub fn parameter_bytes(&self, p: u32) -> Option<ByteRange> {
        let start = self.parameter_address(p)?;
        Some(ByteRange::at(start, self.parameter_size(p)))
    }

    /// Name of parameter `p`.
    pub fn parameter_name(&self, p: u32) -> &[u8] {
        let id = self.plan.parameters.name.get(p as usize);
        id.map_or(&[], |id| self.plan.names.get(*id))
    }

    /// Tensors that have a byte in a range of addresses, ascending.
    pub fn tensors_at(&self, range: ByteRange) -> Vec<u32> {
        let offsets = ByteRange {
            start: range.start.saturating_sub(self.base),
            end: range.end.saturating_sub(self.base),
        };
        analysis::tensors_in(self.plan, offsets)
    }

    /// Parameters that have a byte in a range of addresses, ascending.
    pub fn parameters_at(&self, range: ByteRange) -> Vec<u32> {
        (0..self.plan.parameters.ids.len())
            .filter(|&p| self.parameter_bytes(p).is_some_and(|b| b.overlaps(range)))
            .collect()
    }

    /// Tensors alive at a step, by start address, then id.
    pub fn mem_frame(&self, step: u32) -> Vec<u32> {
        let alive = analysis::alive_at(self.plan, step);
        let mut tensors: Vec<u32> = alive.into_iter().map(|a| a.tensor).collect();
        let place = |t: u32| (self.tensor_address(t), t);
        sorting::sort_by(&mut tensors, |a, b| place(*a).cmp(&place(*b)));
        tensors
    }

    /// The overwritten tensors, ascending, each with those that overwrite it. The victim of a pair
    /// is the one whose source comes first, the smaller id on a tie.
    pub fn overwritten(&self) -> Vec<(u32, Vec<u32>)> {
        let pairs = self.safety.map_or(&[][..], |s| &s.pairs);
        let source = |t: u32| self.plan.tensors.source_of(t);
        let victim_first = |&(a, b): &(u32, u32)| match source(b) < source(a) {
            true => (b, a),
            false => (a, b),
        };
        let mut by_victim: Vec<(u32, u32)> = pairs.iter().map(victim_first).collect();
        by_victim.sort_unstable();
        by_victim
            .chunk_by(|a, b| a.0 == b.0)
            .map(|pairs| (pairs[0].0, pairs.iter().map(|p| p.1).collect()))
            .collect()
    }

    /// Every file there is to write but the log, in a fixed order.
    pub fn files(&self, queries: &[Query]) -> Vec<ResultFile> {
        let plan = self.plan;
        let mut out: Vec<ResultFile> = Vec::new();
        let mut add = |name: String, content: Content| {
            // The same question twice gives one answer.
            if out.iter().rev().take(4096).all(|f| f.name != name) {
                out.push(ResultFile { name, content });
            }
        };
        add("graph_nodes.csv".into(), Content::Nodes);
        add("graph_parameters.csv".into(), Content::Parameters);
        add("graph_tensors.csv".into(), Content::Tensors);
        add("graph_destinations.csv".into(), Content::Destinations);
        add("StatisticInfo/overview.txt".into(), Content::Overview);
        add("StatisticInfo/InUseMemory.png".into(), Content::InUseChart);
        add("StatisticInfo/TotalMemory.png".into(), Content::TotalChart);
        // In an early stage nothing has an address.
        if plan.kind == PlanKind::Plan {
            add("StatisticInfo/MemoryMap.png".into(), Content::MemoryMap);
        }
        let highest = self.facts.max_end_without_lifelong;
        let highest = highest.filter(|_| plan.kind == PlanKind::Plan);
        if let Some(n) = highest.and_then(|(t, _)| plan.tensors.source_of(t)) {
            let name = file_name(plan, n, self.lookups.plain);
            add(
                format!("StatisticInfo/MaxAddress_{name}_mem_frame.csv"),
                Content::SomeTensors(self.mem_frame(plan.nodes.step(n))),
            );
        }
        let peak = self.facts.peak.step;
        if let (Some(step), Some(n)) = (peak, peak.and_then(|s| plan.nodes.at_step(s))) {
            let name = file_name(plan, n, self.lookups.plain);
            add(
                format!("StatisticInfo/MaxAliveMemory_{name}_mem_frame.csv"),
                Content::SomeTensors(self.mem_frame(step)),
            );
        }
        for file in self.error_files() {
            add(file.name, file.content);
        }
        for query in queries {
            self.query_files(query, &mut add);
        }
        out
    }

    /// The files about overwritten tensors: those of [`Results::files`] that wait for the judgement.
    pub fn error_files(&self) -> Vec<ResultFile> {
        let file = |(victim, writers)| ResultFile {
            name: format!(
                "CheckTensor_ERROR_Tensor{}_overwrite_tensors.csv",
                self.plan.tensors.ids.id(victim)
            ),
            content: Content::SomeTensors(writers),
        };
        let overwritten = self.overwritten().into_iter();
        overwritten.take(MOST_ERROR_FILES).map(file).collect()
    }

    fn query_files(&self, query: &Query, add: &mut dyn FnMut(String, Content)) {
        match &query.place {
            Where::Node(n) => self.node_files(*n, add),
            Where::Tensor(t) => {
                let id = self.plan.tensors.ids.id(*t);
                self.tensor_files(&format!("CheckTensor_Tensor{id}"), *t, add);
            }
            Where::Addresses(range) => {
                let lead = if query.is_range() {
                    let (a, b) = query.typed.split_once('-').unwrap_or((&query.typed, ""));
                    format!(
                        "CheckAddressRange_{}-{}",
                        file_names::typed(a.trim()),
                        file_names::typed(b.trim())
                    )
                } else {
                    format!("CheckAddress_{}", file_names::typed(query.typed.trim()))
                };
                add(
                    format!("{lead}_tensors_list.csv"),
                    Content::SomeTensors(self.tensors_at(*range)),
                );
                add(
                    format!("{lead}_parameters_list.csv"),
                    Content::SomeParameters(self.parameters_at(*range)),
                );
            }
        }
    }

    fn node_files(&self, n: u32, add: &mut dyn FnMut(String, Content)) {
        use crate::model::InputRef;
        let plan = self.plan;
        let name = file_name(plan, n, self.lookups.plain);
        add(
            format!("{name}/{name}_mem_frame.csv"),
            Content::SomeTensors(self.mem_frame(plan.nodes.step(n))),
        );
        let tensor = |role: &str, k: usize, t: u32| {
            format!("{name}/{role}{k}_Tensor{}", plan.tensors.ids.id(t))
        };
        for (k, input) in plan.nodes.inputs_of(n).enumerate() {
            match input {
                InputRef::Tensor(t) => self.tensor_files(&tensor("Input", k, t), t, add),
                InputRef::Parameter(p) => {
                    let id = plan.parameters.ids.id(p);
                    add(
                        format!("{name}/Input{k}_Parameter{id}_relate_nodes.csv"),
                        Content::SomeNodes(self.readers_of_parameter(p).to_vec()),
                    );
                }
            }
        }
        for (role, list) in [
            ("Output", &plan.nodes.outputs),
            ("Workspace", &plan.nodes.workspaces),
        ] {
            for (k, &t) in list.get(n).iter().enumerate() {
                self.tensor_files(&tensor(role, k, t), t, add);
            }
        }
    }

    fn tensor_files(&self, lead: &str, t: u32, add: &mut dyn FnMut(String, Content)) {
        add(
            format!("{lead}_relate_nodes.csv"),
            Content::SomeNodes(analysis::nodes_using(self.plan, t)),
        );
        add(
            format!("{lead}_relate_tensors.csv"),
            Content::SomeTensors(analysis::sharing_bytes(self.plan, t)),
        );
    }

    /// Writes one file.
    pub fn write(&self, content: &Content, out: &mut dyn Write) -> io::Result<()> {
        let mut next = Some(0);
        while let Some(row) = next {
            next = self.write_part(content, row, out)?;
        }
        Ok(())
    }

    /// Writes a part of a file, about half a megabyte: a table from a row on, anything else as a
    /// whole. The value is the row to go on with; `None` at the end of the file.
    pub fn write_part(
        &self,
        content: &Content,
        row: u32,
        out: &mut dyn Write,
    ) -> io::Result<Option<u32>> {
        match content {
            Content::Nodes => self.nodes(out, Rows::All(self.plan.n_nodes()), row),
            Content::Parameters => {
                self.parameters(out, Rows::All(self.plan.parameters.ids.len()), row)
            }
            Content::Tensors => self.tensors(out, Rows::All(self.plan.n_tensors()), row),
            Content::Destinations => self.destinations(out, row),
            Content::SomeTensors(list) => self.tensors(out, Rows::These(list), row),
            Content::SomeNodes(list) => self.nodes(out, Rows::These(list), row),
            Content::SomeParameters(list) => self.parameters(out, Rows::These(list), row),
            Content::Overview => out.write_all(self.overview().as_bytes()).map(|()| None),
            Content::InUseChart => {
                let names = [Chart::InUseMemory, Chart::AliveTensorSize];
                self.chart(out, names, &self.liveness.alive).map(|()| None)
            }
            Content::TotalChart => {
                let names = [Chart::TotalMemory, Chart::TotalTensorSize];
                self.chart(out, names, &self.liveness.total).map(|()| None)
            }
            Content::MemoryMap => {
                memory_map(out, self.plan, self.facts, &self.notes()).map(|()| None)
            }
        }
    }

    /// Rows that [`Results::write_part`] goes through; 1 for what is no table.
    pub fn rows(&self, content: &Content) -> u32 {
        let plan = self.plan;
        match content {
            Content::Nodes => plan.n_nodes(),
            Content::Parameters => plan.parameters.ids.len(),
            Content::Tensors => plan.n_tensors(),
            Content::Destinations => plan.n_tensors() + plan.parameters.ids.len(),
            Content::Overview | Content::InUseChart | Content::TotalChart | Content::MemoryMap => 1,
            Content::SomeTensors(list) | Content::SomeNodes(list) => list.len() as u32,
            Content::SomeParameters(list) => list.len() as u32,
        }
    }

    /// About how much work a file is, in cells of a table.
    pub fn cells(&self, content: &Content) -> u64 {
        let columns = match content {
            Content::Nodes | Content::SomeNodes(_) => tables::NODE_COLUMNS.len(),
            Content::Parameters | Content::SomeParameters(_) => tables::PARAMETER_COLUMNS.len(),
            Content::Tensors | Content::SomeTensors(_) => tables::TENSOR_COLUMNS.len(),
            Content::Destinations => 2,
            Content::MemoryMap => 4 * self.plan.n_tensors() as usize,
            Content::Overview | Content::InUseChart | Content::TotalChart => 1,
        };
        u64::from(self.rows(content)) * columns as u64
    }

    /// A curve with static memory above it, and the curve itself.
    fn chart(&self, out: &mut dyn Write, names: [Chart; 2], bytes: &[u64]) -> io::Result<()> {
        let [upper, lower] = names.map(|n| n.text(Lang::En));
        let line = |name, above| Line { name, bytes, above };
        let lines = [line(upper, self.facts.static_memory), line(lower, 0)];
        two_lines(out, &lines, Chart::Steps.text(Lang::En), &self.notes())
    }

    /// What stands above a picture.
    fn notes(&self) -> String {
        match &self.plan.incomplete {
            Some(i) => fill(
                Chart::Incomplete.text(Lang::En),
                &[&i.unread_lines.to_string()],
            ),
            None => String::new(),
        }
    }
}
