//! The rows of the CSV tables: nodes, parameters, tensors, destinations.

use std::io::{self, Write};

use super::csv::{push_number, Csv};
use super::Results;
use crate::analysis::names;
use crate::model::{InputRef, NONE};

pub(super) const NODE_COLUMNS: &[&str] = &[
    "Index",
    "OpId",
    "Stream",
    "Tensors",
    "Parameters",
    "Inputs",
    "Outputs",
    "Workspaces",
    "AliveTensorsSize",
    "TotalTensorSize",
    "InUseMemory",
    "TotalMemory",
];

pub(super) const PARAMETER_COLUMNS: &[&str] = &[
    "SourceNodeName",
    "OutputIndex",
    "StartAddr",
    "StartAddrHex",
    "Size",
    "EndAddr",
    "EndAddrHex",
    "Destinations",
];

pub(super) const TENSOR_COLUMNS: &[&str] = &[
    "SourceNodeId",
    "SourceNodeName",
    "OutputIndex",
    "SourceStream",
    "StartAddr",
    "StartAddrHex",
    "Size",
    "AlignSize",
    "EndAddr",
    "EndAddrHex",
    "LifeStart",
    "LifeEnd",
    "LifeLong",
    "TensorType",
    "TaskStartAddr",
    "TaskStartAddrHex",
    "TaskSize",
    "TaskEndAddr",
    "TaskEndAddrHex",
    "DestinationStreams",
    "Destinations",
];

/// The rows of a table, by index.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'r> {
    /// So many, all there are.
    All(u32),
    /// Some.
    These(&'r [u32]),
}

impl<'r> Rows<'r> {
    /// From a place on, each with the place behind it.
    fn from(self, place: u32) -> impl Iterator<Item = (u32, u32)> + use<'r> {
        let len = match self {
            Self::All(len) => len,
            Self::These(list) => list.len() as u32,
        };
        (place..len).map(move |i| match self {
            Self::All(_) => (i, i + 1),
            Self::These(list) => (list.get(i as usize).copied().unwrap_or(0), i + 1),
        })
    }
}

impl Results<'_> {
    /// Begins a table, or goes on with one from a later row; the first header cell is empty, or
    /// says that the file was damaged.
    fn table<'w>(&self, out: &'w mut dyn Write, columns: &[&str], row: u32) -> io::Result<Csv<'w>> {
        if row > 0 {
            return Ok(Csv::going_on(out, self.lookups.plain));
        }
        let first = match &self.plan.incomplete {
            Some(i) => format!("incomplete: {} unread lines", i.unread_lines),
            None => String::new(),
        };
        let header: Vec<&str> = [first.as_str()]
            .into_iter()
            .chain(columns.iter().copied())
            .collect();
        Csv::new(out, &header, self.lookups.plain)
    }

    /// The columns of `graph_nodes.csv`, of some nodes (indices), from a row on, see
    /// [`Results::write_part`].
    pub(crate) fn nodes(
        &self,
        out: &mut dyn Write,
        nodes: Rows<'_>,
        row: u32,
    ) -> io::Result<Option<u32>> {
        let plan = self.plan;
        let id = |&t: &u32| plan.tensors.ids.id(t);
        let mut csv = self.table(out, NODE_COLUMNS, row)?;
        let (mut tensors, mut parameters): (Vec<u32>, Vec<u32>) = Default::default();
        for (n, next) in nodes.from(row) {
            let name = plan.node_name(n);
            let step = plan.nodes.step(n);
            let (outputs, workspaces) = (plan.nodes.outputs.get(n), plan.nodes.workspaces.get(n));
            tensors.clear();
            parameters.clear();
            tensors.extend(outputs.iter().chain(workspaces));
            for input in plan.nodes.inputs_of(n) {
                match input {
                    InputRef::Tensor(t) => tensors.push(t),
                    InputRef::Parameter(p) => parameters.push(p),
                }
            }
            for list in [&mut tensors, &mut parameters] {
                list.sort_unstable();
                list.dedup();
            }
            csv.name(name);
            csv.number(step.into());
            csv.maybe(names::op_id(name));
            csv.maybe(
                Some(plan.nodes.stream_of(n))
                    .filter(|s| *s != NONE)
                    .map(u64::from),
            );
            csv.numbers(b"", tensors.iter().map(id));
            csv.numbers(b"", parameters.iter().map(|&p| plan.parameters.ids.id(p)));
            csv.list(plan.nodes.inputs.get(n).iter(), |out, &item| {
                match InputRef::decode(item) {
                    InputRef::Tensor(t) => {
                        out.extend_from_slice(b"Tensor");
                        push_number(out, id(&t));
                    }
                    InputRef::Parameter(p) => {
                        out.extend_from_slice(b"Parameter");
                        push_number(out, plan.parameters.ids.id(p));
                    }
                }
                true
            });
            csv.numbers(b"Tensor", outputs.iter().map(id));
            csv.numbers(b"Tensor", workspaces.iter().map(id));
            let at = |curve: &[u64]| curve.get(step as usize).copied();
            let (alive, total) = (at(&self.liveness.alive), at(&self.liveness.total));
            csv.maybe(alive);
            csv.maybe(total);
            csv.maybe(alive.map(|a| a + self.facts.static_memory));
            csv.maybe(total.map(|t| t + self.facts.static_memory));
            csv.end_row()?;
            if csv.is_part() {
                return csv.finish().map(|()| Some(next));
            }
        }
        csv.finish().map(|()| None)
    }

    /// The columns of `graph_parameters.csv`, of some parameters (indices), from a row on, see
    /// [`Results::write_part`].
    pub(crate) fn parameters(
        &self,
        out: &mut dyn Write,
        parameters: Rows<'_>,
        row: u32,
    ) -> io::Result<Option<u32>> {
        let plan = self.plan;
        let mut csv = self.table(out, PARAMETER_COLUMNS, row)?;
        for (p, next) in parameters.from(row) {
            let i = p as usize;
            let size = plan.parameters.size.get(i).copied().unwrap_or(0);
            let start = self.parameter_address(p);
            csv.number(plan.parameters.ids.id(p));
            csv.name(self.parameter_name(p));
            csv.maybe(plan.parameters.out_index.get(i).map(|n| u64::from(*n)));
            csv.maybe(start);
            csv.maybe_hex(start);
            csv.number(size);
            let end = start.map(|s| s.saturating_add(size));
            csv.maybe(end);
            csv.maybe_hex(end);
            self.names(&mut csv, self.readers_of_parameter(p));
            csv.end_row()?;
            if csv.is_part() {
                return csv.finish().map(|()| Some(next));
            }
        }
        csv.finish().map(|()| None)
    }

    /// The columns of `graph_tensors.csv`, of some tensors (indices), from a row on, see
    /// [`Results::write_part`].
    pub(crate) fn tensors(
        &self,
        out: &mut dyn Write,
        tensors: Rows<'_>,
        row: u32,
    ) -> io::Result<Option<u32>> {
        let plan = self.plan;
        let mut streams: Vec<u32> = Vec::new();
        let mut csv = self.table(out, TENSOR_COLUMNS, row)?;
        for (t, next) in tensors.from(row) {
            let source = plan.tensors.source_of(t);
            csv.number(plan.tensors.ids.id(t));
            csv.maybe(source.map(|n| plan.nodes.step(n).into()));
            match source {
                Some(n) => csv.name(plan.node_name(n)),
                None => csv.empty(),
            }
            csv.maybe(self.output_index_of(t).map(u64::from));
            let stream = source
                .map(|n| plan.nodes.stream_of(n))
                .filter(|s| *s != NONE);
            csv.maybe(stream.map(u64::from));
            let start = self.tensor_address(t);
            let aligned = plan.tensors.aligned_at(t);
            let end = start.map(|s| s.saturating_add(aligned));
            csv.maybe(start);
            csv.maybe_hex(start);
            csv.number(plan.tensors.original_at(t));
            csv.number(aligned);
            csv.maybe(end);
            csv.maybe_hex(end);
            let (first, last) = plan.tensors.printed_life(t);
            csv.number(first.into());
            csv.number(last.into());
            csv.text(plan.tensors.lifelong_at(t).word().as_bytes());
            csv.name(
                plan.tensors
                    .kind_words
                    .word(plan.tensors.kind_at(t))
                    .as_bytes(),
            );
            let task = self
                .tasks
                .and_then(|c| c.tensor_at.get(t as usize).copied());
            let task = task.filter(|(address, _)| *address != 0);
            let address = task.map(|t| t.0);
            let end = task.map(|(a, n)| a.saturating_add(n));
            csv.maybe(address);
            csv.maybe_hex(address);
            csv.maybe(task.map(|t| t.1));
            csv.maybe(end);
            csv.maybe_hex(end);
            let readers = plan.readers().get(t);
            streams.clear();
            streams.extend(
                readers
                    .iter()
                    .map(|&n| plan.nodes.stream_of(n))
                    .filter(|s| *s != NONE),
            );
            streams.sort_unstable();
            streams.dedup();
            csv.numbers(b"", streams.iter().map(|&s| s.into()));
            self.names(&mut csv, readers);
            csv.end_row()?;
            if csv.is_part() {
                return csv.finish().map(|()| Some(next));
            }
        }
        csv.finish().map(|()| None)
    }

    fn names(&self, csv: &mut Csv<'_>, nodes: &[u32]) {
        csv.names(nodes.iter().map(|&n| self.plan.node_name(n)));
    }

    /// `graph_destinations.csv`: one row a use, never shortened; `row` counts tensors, then
    /// parameters.
    pub(crate) fn destinations(&self, out: &mut dyn Write, row: u32) -> io::Result<Option<u32>> {
        let plan = self.plan;
        let tensors = plan.n_tensors();
        let mut csv = self.table(out, &["NodeId", "NodeName"], row)?;
        let mut key = Vec::new();
        for at in row..tensors + plan.parameters.ids.len() {
            let (id, letter, readers) = match at.checked_sub(tensors) {
                None => (plan.tensors.ids.id(at), 'T', plan.readers().get(at)),
                Some(p) => (plan.parameters.ids.id(p), 'P', self.readers_of_parameter(p)),
            };
            self.uses(&mut csv, &mut key, (id, letter), readers)?;
            if csv.is_part() {
                return csv.finish().map(|()| Some(at + 1));
            }
        }
        csv.finish().map(|()| None)
    }

    fn uses(
        &self,
        csv: &mut Csv<'_>,
        key: &mut Vec<u8>,
        (id, letter): (u64, char),
        readers: &[u32],
    ) -> io::Result<()> {
        key.clear();
        key.push(b'%');
        push_number(key, id);
        key.push(letter as u8);
        for &n in readers {
            csv.text(key);
            csv.number(self.plan.nodes.step(n).into());
            csv.name(self.plan.node_name(n));
            csv.end_row()?;
        }
        Ok(())
    }
}
