//! Who owns an address or meets a range, and what a typed text may mean.

use serde::{Deserialize, Serialize};

use super::details::{node_link, some200, tensor_link};
use super::explore::{NodeLink, Some200, TensorLink};
use super::table::{parameter_name, parameter_size, Of};
use super::view::Thing;
use crate::analysis::{self, names::last_part};
use crate::model::{Ids, IndexSet, Plan, PlanKind};
use crate::report::names;
use crate::report::results::query::{address, digits, range};
use crate::units::{ByteRange, LiveRange};

/// Who holds some addresses, in the order of time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AddressFacts {
    /// The first address.
    pub start: u64,
    /// The one behind the last.
    pub end: u64,
    /// Where offset 0 lies.
    pub base: u64,
    /// Where the planned block ends; `None` in an early stage, which places nothing.
    pub plan_end: Option<u64>,
    /// The tensors, by first step, last step, id.
    pub owners: Some200<Owner>,
    /// The steps behind all owners in which nobody holds a byte.
    pub free_after: Option<(u32, u32)>,
    /// The parameters there: id, name, bytes, address.
    pub parameters: Some200<(u64, String, u64, u64)>,
}

/// A tensor that holds some of the addresses for some steps.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Owner {
    /// The tensor.
    pub tensor: TensorLink,
    /// Its first address and the one behind its last.
    pub bytes: (u64, u64),
    /// The node that writes it.
    pub writer: Option<NodeLink>,
    /// The first and the last node that read it.
    pub readers: Vec<NodeLink>,
    /// How many read it.
    pub read_by: u32,
    /// The steps before it in which nobody held a byte.
    pub free_before: Option<(u32, u32)>,
}

fn steps(range: Option<LiveRange>) -> Option<(u32, u32)> {
    range.map(|r| (r.first, r.last))
}

/// Where a range of addresses lies in the plan, as offsets.
fn offsets(of: &Of<'_>, range: ByteRange) -> ByteRange {
    ByteRange {
        start: range.start.saturating_sub(of.base),
        end: range.end.saturating_sub(of.base),
    }
}

/// Who owns the addresses from `start` up to, without it, `end`.
pub fn addresses(of: &Of<'_>, start: u64, end: u64) -> AddressFacts {
    let (plan, asked) = (of.plan, ByteRange { start, end });
    let (tenures, free) = analysis::tenures(plan, offsets(of, asked));
    let owner = |tenure: analysis::Tenure| {
        let t = tenure.tensor;
        let bytes = plan.bytes_of(t);
        let readers = plan.readers().get(t);
        let ends = match readers {
            [first, .., last] => vec![*first, *last],
            few => few.to_vec(),
        };
        Owner {
            tensor: tensor_link(plan, t),
            bytes: (
                of.base.saturating_add(bytes.start),
                of.base.saturating_add(bytes.end),
            ),
            writer: plan.tensors.source_of(t).map(|n| node_link(plan, n)),
            readers: ends.into_iter().map(|n| node_link(plan, n)).collect(),
            read_by: readers.len() as u32,
            free_before: steps(tenure.free_before),
        }
    };
    let parameters = (0..plan.parameters.ids.len()).filter_map(|p| {
        let at = of.parameter_address(p)?;
        let size = parameter_size(plan, p);
        let meets = at != 0 && ByteRange::at(at, size).overlaps(asked);
        meets.then(|| {
            let name = names::display(parameter_name(plan, p));
            (plan.parameters.ids.id(p), name, size, at)
        })
    });
    AddressFacts {
        start,
        end,
        base: of.base,
        plan_end: (plan.kind == PlanKind::Plan).then(|| of.base.saturating_add(of.planned_total)),
        owners: some200(tenures, owner),
        free_after: steps(free),
        parameters: some200(parameters, |p| p),
    }
}

/// What a typed text may mean.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Found {
    /// The text it is an answer to.
    pub text: String,
    /// The first hits, the best one first.
    pub hits: Vec<Hit>,
    /// How many nodes and parameters have the text in their names.
    pub named: u32,
    /// Whether nothing is called so and the hits only come near.
    pub near: bool,
}

/// Something a text may mean.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hit {
    /// What it is.
    pub thing: Thing,
    /// Name of the node, of the tensor's source node, or of the parameter.
    pub name: String,
    /// Aligned size of a tensor, size of a parameter.
    pub bytes: Option<u64>,
    /// How many tensors own an address or meet a range.
    pub owners: Option<u32>,
}

/// Most hits that are listed.
const MOST: usize = 40;
/// Most hits that only come near.
const MOST_NEAR: usize = 10;

struct Search<'a> {
    of: &'a Of<'a>,
    hits: Vec<Hit>,
}

/// What a text means: `$12`, `%62T`, `%5P`, an address, a range, a number, a name or a part of one.
/// `size`: also tensors that ask for or reserve so many bytes.
pub fn search(of: &Of<'_>, text: &str, size: Option<u64>) -> Found {
    let mut search = Search {
        of,
        hits: Vec::new(),
    };
    let typed = text.trim();
    let mut found = Found {
        text: text.to_owned(),
        ..Found::default()
    };
    let is_id = search.ids(typed) || search.places(typed);
    if !is_id && !typed.is_empty() {
        found.named = search.names(typed);
        if found.named == 0 && search.hits.is_empty() {
            let near = analysis::near_nodes(of.plan, typed, MOST_NEAR);
            near.into_iter().for_each(|n| search.node(n));
            found.near = true;
        }
    }
    if let Some(size) = size {
        let plan = of.plan;
        let fits = |t: &u32| {
            let (asked, reserved) = (plan.tensors.original_at(*t), plan.tensors.aligned_at(*t));
            reserved > 0 && (asked == size || reserved == size)
        };
        let tensors: Vec<u32> = (0..plan.n_tensors()).filter(fits).take(MOST_NEAR).collect();
        tensors.into_iter().for_each(|t| search.tensor(t));
    }
    found.hits = search.hits;
    found
}

/// The tensors that a text means by id or address, and those that nodes write which it means.
pub fn tensors_meant(of: &Of<'_>, text: &str) -> Vec<u32> {
    let plan = of.plan;
    let found = search(of, text, None);
    let mut tensors = Vec::new();
    if plan.kind != PlanKind::Plan || found.near {
        return tensors;
    }
    let mut nodes = Vec::new();
    for hit in &found.hits {
        match hit.thing {
            Thing::Tensor(id) => tensors.extend(plan.tensors.ids.index_of(id)),
            Thing::Node(step) => nodes.extend(plan.nodes.ids.index_of(u64::from(step))),
            Thing::Address(at) => {
                let bytes = offsets(of, ByteRange::at(at, 1));
                tensors.extend(analysis::tensors_in(plan, bytes));
            }
            Thing::Range(start, end) => {
                let bytes = offsets(of, ByteRange { start, end });
                tensors.extend(analysis::tensors_in(plan, bytes));
            }
            Thing::Parameter(_) => {}
        }
    }
    // The list holds the first of many.
    if found.named as usize > nodes.len() {
        let set = analysis::names_containing(&plan.names, text.trim().as_bytes());
        let named = |n: &u32| {
            plan.nodes
                .name
                .get(*n as usize)
                .is_some_and(|id| set.contains(id.0))
        };
        nodes.extend((0..plan.n_nodes()).filter(named));
    }
    for n in nodes {
        tensors.extend(plan.nodes.outputs.get(n));
        tensors.extend(plan.nodes.workspaces.get(n));
    }
    IndexSet::of(plan.n_tensors(), tensors).iter().collect()
}

impl Search<'_> {
    fn add(&mut self, thing: Thing, name: String, bytes: Option<u64>, owners: Option<u32>) {
        self.hits.push(Hit {
            thing,
            name,
            bytes,
            owners,
        });
    }

    fn node(&mut self, n: u32) {
        let link = node_link(self.of.plan, n);
        self.add(Thing::Node(link.step), link.name, None, None);
    }

    fn tensor(&mut self, t: u32) {
        let link = tensor_link(self.of.plan, t);
        self.add(
            Thing::Tensor(link.id),
            link.source,
            Some(link.aligned),
            None,
        );
    }

    fn parameter(&mut self, p: u32) {
        let plan = self.of.plan;
        let name = names::display(parameter_name(plan, p));
        let size = parameter_size(plan, p);
        self.add(
            Thing::Parameter(plan.parameters.ids.id(p)),
            name,
            Some(size),
            None,
        );
    }

    fn range(&mut self, thing: Thing, range: ByteRange) {
        let owners = analysis::tensors_in(self.of.plan, offsets(self.of, range));
        self.add(thing, String::new(), None, Some(owners.len() as u32));
    }

    /// Ids with their sign, letter, or both, and plain numbers; whether the text is one.
    fn ids(&mut self, text: &str) -> bool {
        let plan = self.of.plan;
        let signed = text.strip_prefix('%');
        let rest = signed.unwrap_or(text);
        let letter = rest.chars().last().filter(char::is_ascii_alphabetic);
        let number = rest.strip_suffix(letter.unwrap_or(' ')).unwrap_or(rest);
        let index = |ids: &Ids, text: &str| digits(text).and_then(|id| ids.index_of(id));
        if let Some(step) = text.strip_prefix('$') {
            if let Some(n) = index(&plan.nodes.ids, step) {
                self.node(n);
            }
            return digits(step).is_some();
        }
        if digits(number).is_none() {
            return false;
        }
        let (tensors, parameters) = match letter {
            None => (true, true),
            Some('T' | 't') => (true, false),
            Some('P' | 'p') => (false, true),
            Some(_) => return false,
        };
        if letter.is_none() && signed.is_none() {
            if let Some(n) = index(&plan.nodes.ids, number) {
                self.node(n);
            }
        }
        if let Some(t) = index(&plan.tensors.ids, number).filter(|_| tensors) {
            self.tensor(t);
        }
        if let Some(p) = index(&plan.parameters.ids, number).filter(|_| parameters) {
            self.parameter(p);
        }
        if letter.is_none() && signed.is_none() {
            self.places(number);
            // `12` may also stand in names.
            self.names(number);
        }
        true
    }

    /// Addresses and ranges; whether the text is one.
    fn places(&mut self, text: &str) -> bool {
        if let Some(at) = address(text) {
            self.range(Thing::Address(at), ByteRange::at(at, 1));
            return true;
        }
        match range(text) {
            Some(r) => {
                self.range(Thing::Range(r.start, r.end), r);
                true
            }
            None => false,
        }
    }

    /// Nodes and parameters by their names: the same name first, then the same last part, then
    /// what begins so, then what has it in its last part, then the rest. How many there are.
    fn names(&mut self, text: &str) -> u32 {
        let plan = self.of.plan;
        let mut wanted = text.as_bytes();
        let mut set = analysis::names_containing(&plan.names, wanted);
        if set.is_empty() && last_part(wanted) != wanted && has_short_names(plan) {
            // A full name asked of a dump that prints last parts.
            wanted = last_part(wanted);
            set = analysis::names_containing(&plan.names, wanted);
        }
        let mut named = 0;
        let mut ranked: [Vec<(bool, u32)>; 5] = Default::default();
        let lists = [(false, &plan.nodes.name), (true, &plan.parameters.name)];
        for (is_parameter, list) in lists {
            for (row, &id) in (0u32..).zip(list.iter()) {
                if !set.contains(id.0) {
                    continue;
                }
                named += 1;
                let name = plan.names.get(id);
                let last = last_part(name);
                let begins = last.get(..wanted.len());
                let rank = if name.eq_ignore_ascii_case(wanted) {
                    0
                } else if last.eq_ignore_ascii_case(wanted) {
                    1
                } else if begins.is_some_and(|b| b.eq_ignore_ascii_case(wanted)) {
                    2
                } else if ranked.get(3).is_some_and(|list| list.len() >= MOST) {
                    // What comes behind these is not shown, whichever it is.
                    continue;
                } else if last.len() >= wanted.len() && holds(last, wanted) {
                    3
                } else {
                    4
                };
                if let Some(list) = ranked.get_mut(rank).filter(|list| list.len() < MOST) {
                    list.push((is_parameter, row));
                }
            }
        }
        let room = MOST.saturating_sub(self.hits.len());
        for (is_parameter, row) in ranked.into_iter().flatten().take(room) {
            if is_parameter {
                self.parameter(row);
            } else {
                self.node(row);
            }
        }
        named
    }
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1))
        .any(|w| w.eq_ignore_ascii_case(part))
}

fn has_short_names(plan: &Plan) -> bool {
    (0..plan.n_nodes()).all(|n| !plan.node_name(n).contains(&b'/'))
}
