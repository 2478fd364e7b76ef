//! Columns as printed to a [`Plan`]: ids become indices, references are followed, older variants
//! are completed, and contradictions become warnings with their place.

use std::sync::OnceLock;

use super::checks::Checks;
use super::complete::{self, StageEvidence};
use super::diagnostic::{Arg, Code, Diagnostics, What};
use super::generation::{self, Evidence};
use super::link::{self, References};
use super::raw::{LineMap, RawDump, RawNodes, RawParameters, RawTensors};
use super::sections::Section;
use crate::model::{readers_of, Ids, Incomplete, Nodes, Parameters, Plan, PlanKind, Tensors, NONE};
use crate::sorting;

/// Makes the plan. `None` only when an error was added: numbers that no plan can have.
pub(crate) fn resolve(
    mut raw: RawDump,
    incomplete: Option<Incomplete>,
    diagnostics: &mut Diagnostics,
) -> Option<(Plan, Positions)> {
    let whole = incomplete.is_none();
    let (mut tensors, tensor_rows) = tensor_columns(
        std::mem::take(&mut raw.tensors),
        &mut raw.kind_words,
        diagnostics,
    );
    let parameters = parameter_columns(std::mem::take(&mut raw.parameters), diagnostics);
    let full_names = raw.nodes.full_names;
    let parameters_listed = raw
        .seen
        .get(Section::Parameters.place())
        .is_some_and(|n| *n > 0);
    let (mut nodes, node_rows, steps) =
        node_columns(std::mem::take(&mut raw.nodes), whole, &tensors, diagnostics)?;
    check_sums(&tensors, &parameters, diagnostics)?;

    let refs = References {
        refs: &raw.refs,
        tensors: &tensors.ids,
        parameters: &parameters.ids,
    };
    refs.follow_nodes(&mut nodes, &raw);
    let union_lists = refs.follow(&raw.unions);
    let (unions, union_of) = link::merge_unions(&union_lists, tensors.len());
    let printed_contiguous = refs.follow(&raw.contiguous);
    let printed_processed = refs.follow(&raw.contiguous_processed);

    let is_c = raw.has_life && !raw.has_addr;
    let is_a = !raw.has_life;
    link::find_sources(&mut tensors, &mut nodes, &node_rows, whole, diagnostics);
    // Generation C asks for them later, if at all.
    let (readers, n_tensors) = (OnceLock::new(), tensors.len());
    let known_readers = || readers.get_or_init(|| readers_of(&nodes, n_tensors, is_a));
    let (order, control_tensors) = if is_c {
        link::control_order(&raw.control, &nodes)
    } else {
        (complete::stream_order(&nodes, &raw.groups), 0)
    };
    let (contiguous, contiguous_processed) = if is_c {
        (printed_contiguous, printed_processed)
    } else {
        let lists = complete::rebuild_contiguous(&nodes, &tensors);
        let processed = complete::processed_of(&lists, &tensors, &union_of);
        (lists, processed)
    };
    if is_a {
        let last_step = steps.saturating_sub(1);
        for gap in complete::lifetimes_of_a(
            &mut tensors,
            &nodes,
            known_readers(),
            &contiguous,
            last_step,
        ) {
            diagnostics.add(
                Code::GapWithoutList,
                tensor_rows.line_of(gap),
                1,
                vec![Arg::Number(tensors.ids.id(gap))],
                None,
            );
        }
    }
    let is_stage = if is_c {
        generation::is_c_stage(&tensors, raw.total.map(|t| t.0))
    } else {
        complete::is_ab_stage(&StageEvidence {
            tensors: &tensors,
            nodes: &nodes,
            readers: known_readers(),
            order: &order,
            union_of: &union_of,
            generation_a: is_a,
        })
    };
    let verdict = generation::decide(
        &Evidence {
            has_life: raw.has_life,
            has_addr: raw.has_addr,
            control: raw.control.ids.len(),
            plain_control: raw.control.plain_suffix,
            events: !raw.events.is_empty(),
            full_names,
            nodes: &nodes,
            tensors: &tensors,
            union_of: &union_of,
            contiguous: &contiguous,
        },
        is_stage,
    );
    tensors.shifted = verdict.shifted;
    let plan = Plan {
        generation: verdict.generation,
        device: verdict.device,
        kind: if is_stage {
            PlanKind::Stage
        } else {
            PlanKind::Plan
        },
        incomplete,
        ordered: verdict.ordered,
        steps,
        names: std::mem::take(&mut raw.names),
        parameters,
        tensors,
        nodes,
        readers,
        control_tensors,
        order,
        unions,
        union_lists,
        union_of,
        contiguous,
        contiguous_processed,
        stream_groups: raw.groups,
        blocks: raw.blocks,
        events: raw.events,
        stated_total: raw.total.map(|t| t.0),
        arena_base: raw.base.filter(|b| *b != 0 && !is_stage),
    };
    Checks {
        plan: &plan,
        suspects: &raw.suspects,
        tensor_rows: &tensor_rows,
        control: &raw.control,
        total_at: raw.total,
        parameters_listed,
        whole,
    }
    .run(diagnostics);
    let positions = Positions {
        tensors: tensor_rows,
        nodes: node_rows,
        total: raw.total.map_or(0, |t| t.1),
    };
    Some((plan, positions))
}

/// Where the rows of a plan stand in its file: lines from 1, 0 when unknown.
#[derive(Debug, Default)]
pub struct Positions {
    tensors: RowLines,
    nodes: RowLines,
    total: u64,
}

impl Positions {
    /// The line of the row of tensor `t` (index).
    pub fn line_of_tensor(&self, t: u32) -> u64 {
        self.tensors.line_of(t)
    }

    /// The line of the row of node `n` (index).
    pub fn line_of_node(&self, n: u32) -> u64 {
        self.nodes.line_of(n)
    }

    /// The line that states the total.
    pub fn line_of_total(&self) -> u64 {
        self.total
    }
}

/// From indices back to the lines their rows stand on.
#[derive(Debug, Default)]
pub(crate) struct RowLines {
    lines: LineMap,
    /// Row of each index; empty when they are the same.
    rows: Vec<u32>,
}

impl RowLines {
    fn row_of(&self, index: u32) -> u32 {
        self.rows.get(index as usize).copied().unwrap_or(index)
    }

    pub(crate) fn line_of(&self, index: u32) -> u64 {
        self.lines.line_of(self.row_of(index))
    }

    pub(crate) fn index_of_row(&self, row: u32) -> Option<u32> {
        if self.rows.is_empty() {
            return Some(row);
        }
        self.rows.iter().position(|r| *r == row).map(|i| i as u32)
    }
}

/// The rows of a table ascending by id, each id once (the first row counts); `None` when the rows
/// already are just that.
fn sorted_rows(
    explicit: Option<Vec<u64>>,
    len: u32,
    lines: &LineMap,
    diagnostics: &mut Diagnostics,
) -> (Ids, Option<Vec<u32>>) {
    let Some(ids) = explicit else {
        return (Ids::dense(len), None);
    };
    let mut rows: Vec<u32> = (0..len).collect();
    let id = |row: u32| ids.get(row as usize).copied().unwrap_or(u64::MAX);
    sorting::sort_by(&mut rows, |a, b| id(*a).cmp(&id(*b)));
    let mut kept: Vec<u32> = Vec::with_capacity(rows.len());
    for row in rows {
        if kept.last().is_some_and(|&k| id(k) == id(row)) {
            diagnostics.add(
                Code::DuplicateId,
                lines.line_of(row),
                1,
                vec![Arg::Number(id(row))],
                None,
            );
        } else {
            kept.push(row);
        }
    }
    let sorted = Ids::explicit(kept.iter().map(|&row| id(row)).collect());
    (sorted, Some(kept))
}

fn permute<T: Copy>(column: &mut Vec<T>, rows: &Option<Vec<u32>>) {
    if let Some(rows) = rows {
        if !column.is_empty() {
            *column = rows
                .iter()
                .filter_map(|&row| column.get(row as usize).copied())
                .collect();
        }
    }
}

fn tensor_columns(
    mut raw: RawTensors,
    words: &mut crate::model::WordTable,
    diagnostics: &mut Diagnostics,
) -> (Tensors, RowLines) {
    for (row, word) in &raw.odd_lifelong {
        let args = vec![Arg::Text(word.clone())];
        diagnostics.add(
            Code::UnknownLifelong,
            raw.lines.line_of(*row),
            1,
            args,
            None,
        );
    }
    let (len, explicit) = (raw.ids.len(), std::mem::take(&mut raw.ids).into_explicit());
    let (ids, rows) = sorted_rows(explicit, len, &raw.lines, diagnostics);
    permute(&mut raw.aligned, &rows);
    permute(&mut raw.original, &rows);
    permute(&mut raw.offset, &rows);
    permute(&mut raw.kind, &rows);
    permute(&mut raw.lifelong, &rows);
    permute(&mut raw.first, &rows);
    permute(&mut raw.last, &rows);
    let odd = raw.odd_lifelong.into_iter().filter_map(|(row, word)| {
        let index = rows.as_ref().map_or(Some(row), |rows| {
            rows.iter().position(|r| *r == row).map(|i| i as u32)
        })?;
        Some((index, word))
    });
    let tensors = Tensors {
        aligned_size: raw.aligned,
        original_size: raw.original,
        offset: raw.offset,
        kind: raw.kind,
        kind_words: std::mem::take(words),
        lifelong: raw.lifelong,
        odd_lifelong: odd.collect(),
        life_first: raw.first,
        life_last: raw.last,
        source: vec![NONE; ids.len() as usize],
        shifted: crate::model::IndexSet::default(),
        ids,
    };
    (
        tensors,
        RowLines {
            lines: raw.lines,
            rows: rows.unwrap_or_default(),
        },
    )
}

fn parameter_columns(mut raw: RawParameters, diagnostics: &mut Diagnostics) -> Parameters {
    let (len, explicit) = (raw.ids.len(), std::mem::take(&mut raw.ids).into_explicit());
    let (ids, rows) = sorted_rows(explicit, len, &raw.lines, diagnostics);
    permute(&mut raw.size, &rows);
    permute(&mut raw.start_addr, &rows);
    permute(&mut raw.name, &rows);
    permute(&mut raw.out_index, &rows);
    Parameters {
        ids,
        size: raw.size,
        start_addr: raw.start_addr,
        name: raw.name,
        out_index: raw.out_index,
    }
}

/// The nodes by number, and the number of steps. `None` when an error was added.
fn node_columns(
    mut raw: RawNodes,
    whole: bool,
    tensors: &Tensors,
    diagnostics: &mut Diagnostics,
) -> Option<(Nodes, RowLines, u32)> {
    let (len, explicit) = (raw.ids.len(), std::mem::take(&mut raw.ids).into_explicit());
    let (ids, rows) = sorted_rows(explicit, len, &raw.lines, diagnostics);
    permute(&mut raw.name, &rows);
    permute(&mut raw.stream, &rows);
    permute(&mut raw.flags, &rows);
    for lists in [&mut raw.inputs, &mut raw.outputs, &mut raw.workspaces] {
        if let Some(rows) = &rows {
            *lists = lists.permuted(rows);
        }
    }
    // Steps are node numbers: with holes there are more of them than nodes.
    let last = ids.len().checked_sub(1).map_or(0, |i| ids.id(i));
    let life_end = if whole {
        0
    } else {
        tensors.life_last.iter().copied().max().map_or(0, u64::from)
    };
    let steps = match (ids.is_empty(), whole) {
        (true, true) => 0,
        (false, true) => last + 1,
        (_, false) => last.max(life_end) + u64::from(!ids.is_empty() || !tensors.is_empty()),
    };
    // A single row must not make curves of four billion steps.
    let most = (u64::from(ids.len()) + u64::from(tensors.len())) * 16 + (1 << 20);
    if steps > most {
        let args = vec![
            Arg::What(What::NodeId),
            Arg::Text(format!("${}", steps - 1)),
        ];
        diagnostics.add(
            Code::NumberTooLarge,
            raw.lines.line_of(len.saturating_sub(1)),
            1,
            args,
            None,
        );
        return None;
    }
    if whole && steps > u64::from(ids.len()) {
        let missing = (0..ids.len())
            .find(|&i| ids.id(i) != u64::from(i))
            .unwrap_or(0);
        diagnostics.add(
            Code::MissingNode,
            raw.lines.line_of(missing),
            1,
            vec![Arg::Number(u64::from(missing))],
            None,
        );
    }
    let nodes = Nodes {
        name: raw.name,
        stream: raw.stream,
        flags: raw.flags,
        inputs: raw.inputs,
        outputs: raw.outputs,
        workspaces: raw.workspaces,
        ids,
    };
    Some((
        nodes,
        RowLines {
            lines: raw.lines,
            rows: rows.unwrap_or_default(),
        },
        steps as u32,
    ))
}

/// Sums must stay below 2^63, or the curves would be wrong numbers that look right.
fn check_sums(
    tensors: &Tensors,
    parameters: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Option<()> {
    // What does not fit 64 bits stays at their end, which is beyond the limit too.
    let sum = |column: &[u64]| column.iter().fold(0u64, |sum, n| sum.saturating_add(*n));
    let most_end = tensors
        .offset
        .iter()
        .zip(&tensors.aligned_size)
        .map(|(o, a)| o.saturating_add(*a))
        .max();
    let bytes = sum(&tensors.aligned_size).saturating_add(sum(&parameters.size));
    let limit = 1u64 << 63;
    if bytes < limit && sum(&tensors.original_size) < limit && most_end.unwrap_or(0) < limit {
        return Some(());
    }
    diagnostics.add(Code::SumTooLarge, 0, 0, vec![], None);
    None
}
