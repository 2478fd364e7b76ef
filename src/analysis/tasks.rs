//! The plan against what the launched tasks used: base, addresses of parameters, mismatches.
//!
//! One cause gives one finding. A task that writes somewhere else is one, its readers that follow
//! it are none; a reader that alone looks elsewhere is one. Outputs of a split without a task lie
//! inside the split's input, not where the plan shows them. O(entries), with a map only where
//! something differs.

use std::collections::{HashMap, HashSet};

use super::join::{self, Join};
use super::names;
use crate::model::{
    AddressLists, Generation, InputRef, NodeFlags, Plan, PlanKind, TaskInfo, TensorKind, NONE,
};
use crate::sorting;

/// Kinds of findings; the words are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TaskKind {
    /// A task writes somewhere else than planned.
    WrongAddress,
    /// A task reads somewhere else than planned, and than its producer wrote.
    WrongInput,
    /// A task writes outside the plan.
    OutsidePlan,
    /// A task writes more than is reserved.
    Oversize,
    /// A task writes where another tensor that is alive begins.
    SameAddress,
    /// A node without a record.
    MissingTask,
    /// A record without a node.
    ExtraTask,
    /// A record with another number of addresses than the node has tensors.
    CountDiffers,
    /// A parameter that is read at two addresses.
    ParameterTwoAddresses,
}

impl TaskKind {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::WrongAddress => "wrong_address",
            Self::WrongInput => "wrong_input",
            Self::OutsidePlan => "outside_plan",
            Self::Oversize => "oversize",
            Self::SameAddress => "same_address",
            Self::MissingTask => "missing_task",
            Self::ExtraTask => "extra_task",
            Self::CountDiffers => "count_differs",
            Self::ParameterTwoAddresses => "parameter_two_addresses",
        }
    }
}

/// Where tasks and plan differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskFinding {
    /// What differs.
    pub kind: TaskKind,
    /// The node; `None` for a record without one.
    pub node: Option<u32>,
    /// The record; `None` for a node without one.
    pub record: Option<u32>,
    /// The tensor.
    pub tensor: Option<u32>,
    /// The parameter.
    pub parameter: Option<u32>,
    /// Planned address, size or number of addresses.
    pub planned: Option<u64>,
    /// What the task used.
    pub found: Option<u64>,
}

/// What task info says about a plan.
#[derive(Clone, Debug, Default)]
pub struct TaskCheck {
    /// Where offset 0 lies: address − shown offset, the value most tensors agree on.
    pub base: Option<u64>,
    /// Number of records.
    pub tasks: u32,
    /// Records that belong to a node.
    pub matched: u32,
    /// Which belongs to which.
    pub join: Join,
    /// Address and size of each tensor in its source node's record; address 0 = unknown.
    pub tensor_at: Vec<(u64, u64)>,
    /// Address of each parameter; 0 = unknown.
    pub parameter_at: Vec<u64>,
    /// Lowest address of all.
    pub lowest: Option<u64>,
    /// Highest address + size.
    pub highest_end: Option<u64>,
    /// What differs, by node, records without a node last.
    pub findings: Vec<TaskFinding>,
}

/// Compares a plan with the records of its tasks.
pub fn check_tasks(plan: &Plan, info: &TaskInfo) -> TaskCheck {
    let mut out = TaskCheck {
        tasks: info.len(),
        join: join::join(plan, info),
        tensor_at: vec![(0, 0); plan.n_tensors() as usize],
        parameter_at: vec![0; plan.parameters.ids.len() as usize],
        lowest: info.addresses().map(|(a, _)| a).min(),
        highest_end: info.addresses().map(|(a, n)| a.saturating_add(n)).max(),
        ..TaskCheck::default()
    };
    out.matched = out.join.record_of.iter().filter(|r| **r != NONE).count() as u32;
    out.place_tensors(plan, info);
    if plan.kind == PlanKind::Plan {
        out.base = vote(plan, &out.tensor_at);
    }
    let mut check = Check {
        plan,
        info,
        total: plan.stated_total.unwrap_or_else(|| highest_end(plan)),
        non_task: non_task_nodes(plan, info, &out.join),
        by_address: None,
        reported: HashSet::new(),
        two_addresses: HashSet::new(),
        out,
    };
    check.missing_and_extra();
    for n in 0..plan.n_nodes() {
        if let Some(r) = check.out.join.record(n).filter(|r| !info.is_non_task(*r)) {
            check.record(n, r);
        }
    }
    let mut out = check.out;
    sorting::sort_by(&mut out.findings, |a, b| {
        let key = |f: &TaskFinding| (f.node.unwrap_or(u32::MAX), f.record, f.kind);
        key(a).cmp(&key(b))
    });
    out
}

fn highest_end(plan: &Plan) -> u64 {
    (0..plan.n_tensors())
        .map(|t| plan.bytes_of(t).end)
        .max()
        .unwrap_or(0)
}

/// The value of address − shown offset that most placed tensors agree on, the lowest on a tie.
fn vote(plan: &Plan, tensor_at: &[(u64, u64)]) -> Option<u64> {
    let mut votes: HashMap<u64, u32> = HashMap::new();
    for (t, &(address, _)) in (0u32..).zip(tensor_at) {
        if address != 0 && plan.tensors.aligned_at(t) > 0 {
            if let Some(base) = address.checked_sub(plan.tensors.shown_offset(t)) {
                *votes.entry(base).or_default() += 1;
            }
        }
    }
    let best = votes
        .into_iter()
        .map(|(base, n)| (n, std::cmp::Reverse(base)));
    best.max().map(|(_, base)| base.0)
}

/// Which nodes are splits without a task: their outputs are pieces of their input.
fn non_task_nodes(plan: &Plan, info: &TaskInfo, join: &Join) -> Vec<bool> {
    let is_split = |n: u32| {
        let outputs = plan.nodes.outputs.get(n);
        let group = outputs.first().and_then(|&t| plan.union_group(t));
        let same = |t: u32| group.is_some() && plan.union_group(t) == group;
        let reads = plan.nodes.inputs_of(n).any(|i| match i {
            InputRef::Tensor(t) => same(t),
            InputRef::Parameter(_) => false,
        });
        reads
            && outputs.iter().all(|&t| same(t))
            && names::last_part(plan.node_name(n)).starts_with(b"Split")
    };
    (0..plan.n_nodes())
        .map(|n| match join.record(n) {
            Some(r) => info.is_non_task(r),
            None => is_split(n),
        })
        .collect()
}

struct Check<'a> {
    plan: &'a Plan,
    info: &'a TaskInfo,
    total: u64,
    non_task: Vec<bool>,
    by_address: Option<HashMap<u64, Vec<u32>>>,
    /// Tensors and addresses that were reported already.
    reported: HashSet<(u32, u64)>,
    two_addresses: HashSet<u32>,
    out: TaskCheck,
}

impl TaskCheck {
    /// Takes the addresses of outputs and workspaces from the records of the source nodes.
    fn place_tensors(&mut self, plan: &Plan, info: &TaskInfo) {
        for n in 0..plan.n_nodes() {
            let Some(r) = self.join.record(n) else {
                continue;
            };
            let lists: [(&[u32], &AddressLists); 2] = [
                (plan.nodes.outputs.get(n), &info.outputs),
                (plan.nodes.workspaces.get(n), &info.workspaces),
            ];
            for (tensors, addresses) in lists {
                let tensors: Vec<u32> = without_events(plan, tensors);
                let found = addresses.get(r);
                if found.len() != tensors.len() {
                    continue;
                }
                for (t, at) in tensors.into_iter().zip(found) {
                    let place = self.tensor_at.get_mut(t as usize);
                    if let Some(place) = place.filter(|_| plan.tensors.source_of(t) == Some(n)) {
                        *place = at;
                    }
                }
            }
        }
    }
}

/// Tensors that a record may list: event edges have no address.
fn without_events(plan: &Plan, tensors: &[u32]) -> Vec<u32> {
    let real = |t: &u32| plan.tensors.kind_at(*t) != TensorKind::EVENT_VIRTUAL_OUTPUT;
    tensors.iter().copied().filter(real).collect()
}

impl Check<'_> {
    fn find(&mut self, kind: TaskKind, node: Option<u32>, record: Option<u32>) -> &mut TaskFinding {
        let at = self.out.findings.len();
        self.out.findings.push(TaskFinding {
            kind,
            node,
            record,
            tensor: None,
            parameter: None,
            planned: None,
            found: None,
        });
        &mut self.out.findings[at]
    }

    fn missing_and_extra(&mut self) {
        for n in self.out.join.missing.clone() {
            // Up to 1.2 a split without a task has no record at all.
            if !self.non_task.get(n as usize).copied().unwrap_or(false) {
                self.find(TaskKind::MissingTask, Some(n), None);
            }
        }
        for r in self.out.join.extra.clone() {
            self.find(TaskKind::ExtraTask, None, Some(r));
        }
        for (n, nodes, records) in self.out.join.unjoined_groups.clone() {
            // Which of them it is cannot be told; how many it is can.
            let kind = if records < nodes {
                TaskKind::MissingTask
            } else {
                TaskKind::ExtraTask
            };
            let finding = self.find(kind, Some(n), None);
            finding.planned = Some(nodes.into());
            finding.found = Some(records.into());
        }
    }

    fn record(&mut self, n: u32, r: u32) {
        let plan = self.plan;
        let flags = plan.nodes.flags_of(n);
        let mut differs = None;
        let outputs = without_events(plan, plan.nodes.outputs.get(n));
        let workspaces = without_events(plan, plan.nodes.workspaces.get(n));
        for (tensors, addresses) in [
            (outputs, &self.info.outputs),
            (workspaces, &self.info.workspaces),
        ] {
            let found: Vec<(u64, u64)> = addresses.get(r).collect();
            if found.len() != tensors.len() {
                differs = differs.or(Some((tensors.len(), found.len())));
                continue;
            }
            for (t, at) in tensors.into_iter().zip(found) {
                self.written(n, r, t, at);
            }
        }
        let inputs: Vec<InputRef> = plan
            .nodes
            .inputs_of(n)
            .filter(|i| match i {
                InputRef::Tensor(t) => plan.tensors.kind_at(*t) != TensorKind::EVENT_VIRTUAL_OUTPUT,
                InputRef::Parameter(_) => true,
            })
            .collect();
        let found: Vec<(u64, u64)> = self.info.inputs.get(r).collect();
        if inputs.len() == found.len() {
            for (input, at) in inputs.into_iter().zip(found) {
                match input {
                    InputRef::Tensor(t) => self.read(n, r, t, at.0),
                    InputRef::Parameter(p) => self.parameter(n, r, p, at.0),
                }
            }
        } else if plan.generation == Generation::A
            || flags.has(NodeFlags::REPEATED)
            || flags.has(NodeFlags::CLEAN)
        {
            // The plan does not list them all; what lies in the arena are tensors.
            let placed = |i: InputRef| match i {
                InputRef::Tensor(t) if plan.tensors.aligned_at(t) > 0 => Some(t),
                _ => None,
            };
            let tensors: Vec<u32> = inputs.into_iter().filter_map(placed).collect();
            let inside: Vec<u64> = found
                .iter()
                .map(|a| a.0)
                .filter(|a| self.is_inside(*a, 1))
                .collect();
            if tensors.len() == inside.len() {
                for (t, address) in tensors.into_iter().zip(inside) {
                    self.read(n, r, t, address);
                }
            }
        } else {
            differs = differs.or(Some((inputs.len(), found.len())));
        }
        if let Some((planned, found)) = differs {
            let finding = self.find(TaskKind::CountDiffers, Some(n), Some(r));
            finding.planned = Some(planned as u64);
            finding.found = Some(found as u64);
        }
    }

    fn is_inside(&self, address: u64, size: u64) -> bool {
        let offset = self.out.base.and_then(|base| address.checked_sub(base));
        offset.is_some_and(|o| o.saturating_add(size) <= self.total)
    }

    /// Where the plan puts tensor `t`; `None` when it does not say.
    fn planned(&self, t: u32) -> Option<u64> {
        let base = self
            .out
            .base
            .filter(|_| self.plan.tensors.aligned_at(t) > 0)?;
        Some(base.saturating_add(self.plan.tensors.shown_offset(t)))
    }

    fn written(&mut self, n: u32, r: u32, t: u32, (address, size): (u64, u64)) {
        let Some(planned) = self.planned(t) else {
            return;
        };
        let aligned = self.plan.tensors.aligned_at(t);
        let kind = if address == planned {
            if size <= aligned {
                return;
            }
            TaskKind::Oversize
        } else if self.is_taken(n, t, address) {
            TaskKind::SameAddress
        } else if !self.is_inside(address, size) {
            TaskKind::OutsidePlan
        } else {
            TaskKind::WrongAddress
        };
        // A repetition of the node says the same again.
        if !self.reported.insert((t, address)) {
            return;
        }
        let finding = self.find(kind, Some(n), Some(r));
        finding.tensor = Some(t);
        (finding.planned, finding.found) = match kind {
            TaskKind::Oversize => (Some(aligned), Some(size)),
            _ => (Some(planned), Some(address)),
        };
    }

    /// Whether another tensor that is alive at node `n` begins at that address.
    fn is_taken(&mut self, n: u32, t: u32, address: u64) -> bool {
        let (plan, out) = (self.plan, &self.out);
        let by_address = self.by_address.get_or_insert_with(|| {
            let mut map: HashMap<u64, Vec<u32>> = HashMap::new();
            for u in (0..plan.n_tensors()).filter(|&u| plan.tensors.aligned_at(u) > 0) {
                let used = out.tensor_at.get(u as usize).map_or(0, |a| a.0);
                let planned = out
                    .base
                    .map_or(0, |b| b.saturating_add(plan.tensors.shown_offset(u)));
                map.entry(planned).or_default().push(u);
                if used != 0 && used != planned {
                    map.entry(used).or_default().push(u);
                }
            }
            map
        });
        let step = plan.nodes.step(n);
        let other = |u: u32| {
            let mates = plan.union_group(u).is_some() && plan.union_group(u) == plan.union_group(t);
            u != t && !mates && plan.live_range(u).is_some_and(|l| l.contains(step))
        };
        by_address
            .get(&address)
            .is_some_and(|list| list.iter().any(|&u| other(u)))
    }

    fn read(&mut self, n: u32, r: u32, t: u32, address: u64) {
        let Some(planned) = self.planned(t).filter(|p| *p != address) else {
            return;
        };
        let written = self.out.tensor_at.get(t as usize).map_or(0, |a| a.0);
        if written != 0 && written == address {
            return;
        }
        if self.is_piece_at(t, address) {
            return;
        }
        if !self.reported.insert((t, address)) {
            return;
        }
        let finding = self.find(TaskKind::WrongInput, Some(n), Some(r));
        finding.tensor = Some(t);
        (finding.planned, finding.found) = (Some(planned), Some(address));
    }

    /// Whether a tensor is a piece of a split without a task and lies there: behind the pieces before
    /// it, which are as large as it is or as large as they are, counted from where the input of the
    /// split is planned or was written.
    fn is_piece_at(&self, t: u32, address: u64) -> bool {
        let (plan, mut whole) = (self.plan, t);
        // What is left of the address, both ways.
        let mut left = [address; 2];
        let mut parameter = None;
        // The input may be such a piece itself.
        while let Some(split) = plan.tensors.source_of(whole) {
            let outputs = plan.nodes.outputs.get(split);
            let place = outputs.iter().position(|&u| u == whole);
            let is_split = self.non_task.get(split as usize) == Some(&true);
            let Some(k) = place.filter(|_| is_split) else {
                break;
            };
            let size = |u: u32| plan.tensors.original_at(u);
            left[0] = left[0].wrapping_sub((k as u64).wrapping_mul(size(whole)));
            for &u in outputs.iter().take(k) {
                left[1] = left[1].wrapping_sub(size(u));
            }
            match plan.nodes.inputs_of(split).next() {
                // What reads its own output leads in a circle.
                Some(InputRef::Tensor(input))
                    if plan.tensors.source_of(input).is_none_or(|n| n < split) =>
                {
                    whole = input;
                }
                Some(InputRef::Parameter(p)) => {
                    parameter = self.out.parameter_at.get(p as usize).copied();
                    break;
                }
                _ => break,
            }
        }
        let written = self.out.tensor_at.get(whole as usize).map(|a| a.0);
        let starts = match whole == t {
            true => [parameter; 2],
            false => [parameter.or(written), self.planned(whole)],
        };
        let is_start = |start: u64| start != 0 && starts.contains(&Some(start));
        left.into_iter().any(is_start)
    }

    fn parameter(&mut self, n: u32, r: u32, p: u32, address: u64) {
        let Some(known) = self
            .out
            .parameter_at
            .get_mut(p as usize)
            .filter(|_| address != 0)
        else {
            return;
        };
        if *known == 0 {
            *known = address;
        } else if *known != address && self.two_addresses.insert(p) {
            let first = *known;
            let finding = self.find(TaskKind::ParameterTwoAddresses, Some(n), Some(r));
            finding.parameter = Some(p);
            (finding.planned, finding.found) = (Some(first), Some(address));
        }
    }
}
