//! Columns as printed to a [`Plan`]: ids become indices, references are followed, older variants
//! are completed, and contradictions become warnings with their place.

use std::collections::HashSet;

use super::complete::{self, StageEvidence};
use super::diagnostic::{Arg, Code, Diagnostics, What};
use super::generation::{self, Evidence};
use super::raw::{
    LineMap, Lookup, RawControl, RawDump, RawNodes, RawParameters, RawTensors, RefTable, Suspect,
    SuspectKind,
};
use super::sections::Section;
use crate::model::{
    Ids, Incomplete, InputRef, Lists, NodeFlags, Nodes, OrderEdges, Parameters, Plan, PlanKind,
    TensorKind, Tensors, NONE,
};

/// Makes the plan. `None` only when an error was added: numbers that no plan can have.
pub(crate) fn resolve(
    mut raw: RawDump,
    incomplete: Option<Incomplete>,
    diagnostics: &mut Diagnostics,
) -> Option<Plan> {
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
    let unions = refs.follow(&raw.unions);
    let (unions, union_of) = merge_unions(&unions, tensors.len());
    let printed_contiguous = refs.follow(&raw.contiguous);
    let printed_processed = refs.follow(&raw.contiguous_processed);

    let is_c = raw.has_life && !raw.has_addr;
    let is_a = !raw.has_life;
    find_sources(&mut tensors, &mut nodes, &node_rows, whole, diagnostics);
    let readers = readers_of(&nodes, tensors.len(), is_a);
    let (order, control_tensors) = if is_c {
        control_order(&raw.control, &nodes)
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
        for gap in complete::lifetimes_of_a(&mut tensors, &nodes, &readers, &contiguous, last_step)
        {
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
            readers: &readers,
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
    Some(plan)
}

/// From indices back to the lines their rows stand on.
struct RowLines {
    lines: LineMap,
    /// Row of each index; empty when they are the same.
    rows: Vec<u32>,
}

impl RowLines {
    fn row_of(&self, index: u32) -> u32 {
        self.rows.get(index as usize).copied().unwrap_or(index)
    }

    fn line_of(&self, index: u32) -> u64 {
        self.lines.line_of(self.row_of(index))
    }

    fn index_of_row(&self, row: u32) -> Option<u32> {
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
    rows.sort_by_key(|&row| (id(row), row));
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
    let sum = |column: &[u64]| column.iter().map(|&n| u128::from(n)).sum::<u128>();
    let most_end = tensors
        .offset
        .iter()
        .zip(&tensors.aligned_size)
        .map(|(&o, &a)| u128::from(o) + u128::from(a))
        .max();
    let bytes = sum(&tensors.aligned_size) + sum(&parameters.size);
    let limit = 1u128 << 63;
    if bytes < limit && sum(&tensors.original_size) < limit && most_end.unwrap_or(0) < limit {
        return Some(());
    }
    diagnostics.add(Code::SumTooLarge, 0, 0, vec![], None);
    None
}

/// From ids in lists to indices.
struct References<'a> {
    refs: &'a RefTable,
    tensors: &'a Ids,
    parameters: &'a Ids,
}

impl References<'_> {
    fn index(&self, code: u32) -> Option<u32> {
        let (id, parameter) = self.refs.decode(code);
        if parameter {
            Some(self.parameters.index_of(id)? | crate::model::PARAMETER_BIT)
        } else {
            self.tensors.index_of(id)
        }
    }

    /// Lists of tensors; what is not listed in the dump is left out.
    fn follow(&self, lists: &Lists) -> Lists {
        let mut out = Lists::default();
        for row in lists.iter() {
            out.push_row(row.iter().filter_map(|&code| self.index(code)));
        }
        out
    }

    /// The lists of the nodes. Where ids count up from 0 and every reference was looked up while
    /// its row was read, the codes are indices already.
    fn follow_nodes(&self, nodes: &mut Nodes, raw: &RawDump) {
        let odd = raw.suspects.iter().any(|s| {
            matches!(
                s.what,
                SuspectKind::TensorRef(_) | SuspectKind::ParameterRef(_)
            )
        });
        let as_read = |lookup: &Lookup, ids: &Ids| matches!(lookup, Lookup::Dense(n) if ids.is_dense() && *n <= ids.len());
        if odd
            || !as_read(&raw.tensor_lookup, self.tensors)
            || !as_read(&raw.parameter_lookup, self.parameters)
        {
            for lists in [&mut nodes.inputs, &mut nodes.outputs, &mut nodes.workspaces] {
                *lists = self.follow(lists);
            }
        }
    }
}

/// Merges lists that share a member into disjoint groups: each with the first printed id as its
/// head, members in the order they were printed. Groups of one are none.
fn merge_unions(lists: &Lists, n_tensors: u32) -> (Lists, Vec<u32>) {
    if lists.is_empty() {
        return (Lists::default(), Vec::new());
    }
    let mut group_of = vec![NONE; n_tensors as usize];
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for list in lists.iter() {
        let of =
            |t: u32, group_of: &[u32]| group_of.get(t as usize).copied().filter(|g| *g != NONE);
        let target = list
            .iter()
            .filter_map(|&t| of(t, &group_of))
            .min()
            .unwrap_or(groups.len() as u32);
        if target as usize == groups.len() {
            groups.push(Vec::new());
        }
        for &t in list {
            let joined = match of(t, &group_of) {
                Some(g) if g == target => continue,
                Some(g) => groups
                    .get_mut(g as usize)
                    .map(std::mem::take)
                    .unwrap_or_default(),
                None => vec![t],
            };
            for member in joined {
                if let (Some(place), Some(group)) = (
                    group_of.get_mut(member as usize),
                    groups.get_mut(target as usize),
                ) {
                    *place = target;
                    group.push(member);
                }
            }
        }
    }
    let mut merged = Lists::default();
    for group in groups.iter().filter(|g| g.len() > 1) {
        for &t in group {
            if let Some(place) = group_of.get_mut(t as usize) {
                *place = merged.len();
            }
        }
        merged.push_row(group.iter().copied());
    }
    for group in groups.iter().filter(|g| g.len() == 1) {
        for &t in group {
            if let Some(place) = group_of.get_mut(t as usize) {
                *place = NONE;
            }
        }
    }
    (merged, group_of)
}

/// The source of every tensor: the first node that lists it as its own. A node all of whose
/// tensors belong to earlier nodes is a repetition.
fn find_sources(
    tensors: &mut Tensors,
    nodes: &mut Nodes,
    node_rows: &RowLines,
    whole: bool,
    diagnostics: &mut Diagnostics,
) {
    for n in 0..nodes.len() {
        let (mut own, mut taken) = (0u32, None);
        let owned = nodes.outputs.get(n).iter().chain(nodes.workspaces.get(n));
        for &t in owned {
            match tensors.source.get_mut(t as usize) {
                Some(source) if *source == NONE => {
                    *source = n;
                    own += 1;
                }
                // Listed twice by one node: still one source.
                Some(source) if *source == n => own += 1,
                Some(source) => taken = Some((t, *source)),
                None => {}
            }
        }
        let Some((t, first)) = taken else { continue };
        if own == 0 {
            if let Some(flags) = nodes.flags.get_mut(n as usize) {
                flags.set(NodeFlags::REPEATED);
            }
        } else if whole {
            let step = |n: u32| Arg::Number(u64::from(nodes.step(n)));
            let args = vec![Arg::Number(tensors.ids.id(t)), step(first), step(n)];
            diagnostics.add(Code::WrittenTwice, node_rows.line_of(n), 1, args, None);
        }
    }
}

/// The readers of every tensor: nodes ascending, each once.
fn readers_of(nodes: &Nodes, n_tensors: u32, generation_a: bool) -> Lists {
    let reads = |n: u32| generation::reads_inputs(generation_a, nodes.flags_of(n));
    invert(nodes, n_tensors, reads, |item| {
        match InputRef::decode(item) {
            InputRef::Tensor(t) => Some(t),
            InputRef::Parameter(_) => None,
        }
    })
}

/// From the inputs of each node to the nodes of each input, in two passes over the lists.
fn invert(
    nodes: &Nodes,
    len: u32,
    reads: impl Fn(u32) -> bool,
    pick: impl Fn(u32) -> Option<u32>,
) -> Lists {
    let mut starts = vec![0u32; len as usize + 1];
    let each = |visit: &mut dyn FnMut(u32, u32)| {
        for n in (0..nodes.len()).filter(|&n| reads(n)) {
            nodes
                .inputs
                .get(n)
                .iter()
                .filter_map(|&item| pick(item))
                .for_each(|x| visit(n, x));
        }
    };
    each(&mut |_, x| {
        if let Some(count) = starts.get_mut(x as usize + 1) {
            *count += 1;
        }
    });
    let mut sum = 0u32;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    // `next[x]` is where the next reader of x goes. A node that lists x twice fills one place and
    // leaves a hole behind the row.
    let mut items = vec![NONE; sum as usize];
    let mut next = starts.clone();
    let mut holes = false;
    each(&mut |n, x| {
        let (Some(at), Some(&first)) = (next.get_mut(x as usize), starts.get(x as usize)) else {
            return;
        };
        if *at > first && items.get(*at as usize - 1) == Some(&n) {
            holes = true;
            return;
        }
        if let Some(place) = items.get_mut(*at as usize) {
            *place = n;
            *at += 1;
        }
    });
    let lists = Lists::from_parts(starts, items);
    if !holes {
        return lists;
    }
    let mut closed = Lists::default();
    closed.reserve(len as usize, lists.items().len());
    for row in lists.iter() {
        closed.push_row(row.iter().copied().filter(|n| *n != NONE));
    }
    closed
}

/// Control tensors as edges between nodes; those that name a node that is not there are left out
/// (and reported by the checks).
fn control_order(control: &RawControl, nodes: &Nodes) -> (OrderEdges, u32) {
    let index = |step: &u32| nodes.ids.index_of(u64::from(*step));
    let all_known = control
        .before
        .iter()
        .chain(&control.after)
        .all(|step| index(step) == Some(*step));
    if all_known {
        return (
            OrderEdges {
                before: control.before.clone(),
                after: control.after.clone(),
            },
            control.ids.len(),
        );
    }
    let edges = control
        .before
        .iter()
        .zip(&control.after)
        .filter_map(|(b, a)| Some((index(b)?, index(a)?)));
    let (before, after) = edges.unzip();
    (OrderEdges { before, after }, control.ids.len())
}

/// What only the finished plan can judge.
struct Checks<'a> {
    plan: &'a Plan,
    suspects: &'a [Suspect],
    tensor_rows: &'a RowLines,
    control: &'a RawControl,
    total_at: Option<(u64, u64, u64)>,
    /// The file has a parameter section at all (the text form of the cache has none).
    parameters_listed: bool,
    /// No row was lost: then a missing one is a contradiction of the file.
    whole: bool,
}

impl Checks<'_> {
    fn run(&self, diagnostics: &mut Diagnostics) {
        let exempt = self.may_be_misaligned();
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
        exempt: &HashSet<u32>,
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
                Some(t)
                    if !exempt.contains(&t)
                        && (plan.tensors.true_offset(t) | plan.tensors.aligned_at(t)) & 511
                            != 0 =>
                {
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

    /// Members of contiguous lists off Ascend, and what is united with them, keep their original
    /// sizes and need not lie on multiples of 512.
    fn may_be_misaligned(&self) -> HashSet<u32> {
        let plan = self.plan;
        let mut exempt = HashSet::new();
        if plan.device == Some(crate::model::Device::Ascend) {
            return exempt;
        }
        for &t in plan.contiguous.items() {
            exempt.insert(t);
            if let Some(group) = plan.union_group(t) {
                exempt.extend(plan.unions.get(group).iter().copied());
            }
        }
        exempt
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
        let mut highest = (0, None);
        for t in 0..plan.n_tensors() {
            let end = plan.bytes_of(t).end;
            if end > highest.0 {
                highest = (end, Some(t));
            }
        }
        if highest.0 != total {
            let (id, at) = highest.1.map_or((0, 0), |t| {
                (plan.tensors.ids.id(t), self.tensor_rows.line_of(t))
            });
            let args = [total, id, highest.0, at].map(Arg::Number).to_vec();
            diagnostics.add(Code::TotalDiffers, line, column, args, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chained_unions_become_one_group_with_the_first_head() {
        let mut lists = Lists::default();
        lists.push_row([4, 5]);
        lists.push_row([1, 2, 1]);
        lists.push_row([5, 2]);
        lists.push_row([7, 7]);
        let (merged, of) = merge_unions(&lists, 9);
        assert_eq!(merged.iter().collect::<Vec<_>>(), vec![&[4, 5, 1, 2][..]]);
        assert_eq!(of, [NONE, 0, 0, NONE, 0, 0, NONE, NONE, NONE]);
    }
}
