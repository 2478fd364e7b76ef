//! Can two tensors that are needed at the same time share bytes?
//!
//! *Definition.* Two placed tensors whose true byte ranges overlap are a hazard unless they are
//! members of one union, or one may take over the bytes of the other: their widened live ranges
//! do not meet, and every consumer of the earlier one is known to be done before the source of
//! the later one starts (see [`Order`]), and no lifelong kind forbids it. A consumer is a reader;
//! without readers, the source. Each pair is judged on the two tensors themselves.
//!
//! *Method.* Sharing pairs are quadratic, so they are never listed. Tensors arrive in the order
//! of their sources at the bytes they take, and meet the tensors that hold those bytes. Where
//! `p` may be taken over by `q`, and `q` by `b`, then `p` may be taken over by `b` too: the
//! consumers of `p` are done before the source of `q`, which is done before a consumer of `q`,
//! which is done before the source of `b`. So `q`, once it took over `p`, stands for it, and only
//! where `b` does not get on with `q` the ones behind `q` are asked. Where that chain does not
//! hold (a tensor none of whose consumers descends from its source, or whose printed life does
//! not begin at its source) nobody is stood for. Cost: O((tensors + hazards) log tensors)
//! questions of order.
//!
//! The naive definition the tests compare with tries all pairs.

use std::collections::{BTreeMap, HashSet};

use super::judge::{Judge, Relation, Rules};
use crate::model::{Lifelong, Plan, PlanKind};
use crate::sorting;
use crate::units::ByteRange;

/// What follows from the hazards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No two tensors that are needed at the same time share bytes.
    Safe,
    /// Some do.
    Hazards,
    /// It cannot be said.
    Undecided(Undecided),
}

/// Why it cannot be said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// Parts of the file could not be read.
    Incomplete,
    /// An early stage has no addresses.
    Stage,
    /// Order edges that lead backwards or in a circle.
    Cycle,
}

/// How two accesses can collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HazardKind {
    /// Both are written with no order between.
    WriteAfterWrite,
    /// Read by a node that runs after the other was written over it.
    ReadAfterWrite,
    /// Written over by a node that is not ordered behind a reader.
    WriteAfterRead,
}

impl HazardKind {
    /// The stable word of the machine-readable summary.
    pub fn word(self) -> &'static str {
        match self {
            Self::WriteAfterWrite => "waw",
            Self::ReadAfterWrite => "raw",
            Self::WriteAfterRead => "war",
        }
    }
}

/// Two tensors that must not share bytes and do. Indices; `a < b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hazard {
    /// The tensor with the smaller id.
    pub a: u32,
    /// The other.
    pub b: u32,
    /// Bytes in common.
    pub bytes: u64,
    /// How they can collide.
    pub kind: HazardKind,
    /// Whether their live ranges meet (the order rule); otherwise only the dependency rule
    /// forbids it.
    pub by_order: bool,
    /// The node of the earlier tensor that can collide, and the source of the later one; node
    /// indices.
    pub nodes: (u32, u32),
}

impl Hazard {
    /// The stable word of the rule that forbids it.
    pub fn rule(&self) -> &'static str {
        if self.by_order {
            "order"
        } else {
            "dependency"
        }
    }
}

/// The judgement of a plan.
#[derive(Clone, Debug)]
pub struct Safety {
    /// What follows.
    pub verdict: Verdict,
    /// Number of hazards; with `more`, at least.
    pub count: u64,
    /// There are more than [`MOST_COUNTED`].
    pub more: bool,
    /// How many of them meet by order.
    pub by_order: u64,
    /// Pairs that were compared: those where one tensor meets another on its bytes. The rest
    /// follows from them.
    pub compared: u64,
    /// The first [`MOST_LISTED`] by `a`, then `b`.
    pub list: Vec<Hazard>,
    /// Every counted pair, by `a`, then `b`.
    pub pairs: Vec<(u32, u32)>,
}

/// Hazards are counted exactly up to here.
pub const MOST_COUNTED: usize = 1_000_000;

/// Hazards that are listed.
pub const MOST_LISTED: usize = 1000;

/// Judges a plan.
pub fn safety(plan: &Plan) -> Safety {
    safety_and_rules(plan).0
}

/// Judges a plan and keeps what it was judged by, for questions about pairs; that is `None` where
/// nothing was judged.
pub fn safety_and_rules(plan: &Plan) -> (Safety, Option<Rules>) {
    if plan.incomplete.is_some() {
        return (undecided(Undecided::Incomplete), None);
    }
    if plan.kind == PlanKind::Stage {
        return (undecided(Undecided::Stage), None);
    }
    let mut rules = Rules::of(plan);
    if rules.order().backward_edges() > 0 && plan.generation.is_c() {
        return (undecided(Undecided::Cycle), Some(rules));
    }
    let mut judge = Judge {
        plan,
        rules: &mut rules,
    };
    let (pairs, compared) = Sweep::of(&mut judge).run();
    let more = pairs.len() > MOST_COUNTED;
    let mut hazards: Vec<(u32, u32)> = pairs.into_iter().collect();
    hazards.sort_unstable();
    let by_order = hazards.iter().filter(|(a, b)| judge.meet(*a, *b)).count() as u64;
    let count = hazards.len().min(MOST_COUNTED) as u64;
    hazards.truncate(MOST_COUNTED);
    let list = hazards
        .iter()
        .take(MOST_LISTED)
        .map(|&(a, b)| judge.describe(a, b))
        .collect();
    let verdict = if count == 0 {
        Verdict::Safe
    } else {
        Verdict::Hazards
    };
    let safety = Safety {
        verdict,
        count,
        more,
        by_order,
        compared,
        list,
        pairs: hazards,
    };
    (safety, Some(rules))
}

fn undecided(why: Undecided) -> Safety {
    Safety {
        verdict: Verdict::Undecided(why),
        count: 0,
        more: false,
        by_order: 0,
        compared: 0,
        list: Vec::new(),
        pairs: Vec::new(),
    }
}

/// Who holds a stretch of bytes: mostly one tensor, and what follows it takes little room.
#[derive(Debug, Default, Clone)]
pub(super) struct Holders {
    first: Option<u32>,
    // One word instead of three.
    #[allow(clippy::box_collection)]
    more: Option<Box<Vec<u32>>>,
}

impl Holders {
    pub fn one(t: u32) -> Self {
        Self {
            first: Some(t),
            more: None,
        }
    }

    fn push(&mut self, t: u32) {
        match self.first {
            None => self.first = Some(t),
            Some(_) => self.more.get_or_insert_default().push(t),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let more = self.more.as_ref().map_or(&[][..], |more| more);
        self.first.into_iter().chain(more.iter().copied())
    }
}

/// Bytes that an arriving tensor takes.
struct Stretch {
    start: u64,
    end: u64,
    holders: Holders,
    /// Whether the map of what is held has one that begins there.
    known: bool,
}

impl Stretch {
    fn gap(start: u64, end: u64) -> Self {
        Self {
            start,
            end,
            holders: Holders::default(),
            known: false,
        }
    }
}

/// Tensors arriving at the bytes they take.
struct Sweep<'j, 'p> {
    compared: u64,
    judge: &'j mut Judge<'p>,
    /// Start of a stretch to its end and holders.
    held: BTreeMap<u64, (u64, Holders)>,
    /// For each tensor, the ones it took over (and stands for): a range of `stood_for`.
    behind: Vec<(u32, u32)>,
    stood_for: Vec<u32>,
    hazards: HashSet<(u32, u32)>,
    /// Room for what one arrival takes and meets.
    taken: Vec<Stretch>,
    met: Vec<(u32, Relation)>,
    /// Ids grow with the source, as they do in every dump seen. Where they do not, a semi-lifelong
    /// kind, which goes by id, can forbid what is far behind a holder and nothing else.
    ids_grow: bool,
}

impl<'j, 'p> Sweep<'j, 'p> {
    fn of(judge: &'j mut Judge<'p>) -> Self {
        let n = judge.plan.n_tensors() as usize;
        Self {
            compared: 0,
            judge,
            held: BTreeMap::new(),
            behind: vec![(0, 0); n],
            stood_for: Vec::new(),
            hazards: HashSet::new(),
            taken: Vec::new(),
            met: Vec::new(),
            ids_grow: true,
        }
    }

    fn run(mut self) -> (HashSet<(u32, u32)>, u64) {
        let plan = self.judge.plan;
        let placed = (0..plan.n_tensors()).filter(|&t| plan.tensors.aligned_at(t) > 0);
        let arrivals = sorting::pairs_by_first(placed.map(|t| (self.judge.source(t), t)));
        self.ids_grow = arrivals.windows(2).all(|pair| match pair {
            [(_, a), (_, b)] => self.judge.stand_in(*a) <= self.judge.stand_in(*b),
            _ => true,
        });
        for (_, t) in arrivals {
            self.arrive(t);
            if self.hazards.len() > MOST_COUNTED {
                break;
            }
        }
        (self.hazards, self.compared)
    }

    /// The arrival that plans are full of: at the beginning of a stretch that one tensor holds, and
    /// gives over. Whether it was one.
    fn succeeds(&mut self, t: u32, bytes: ByteRange) -> bool {
        let stretch = self.held.range_mut(..bytes.end).next_back();
        let Some((_, (end, holders))) =
            stretch.filter(|(start, (end, _))| **start == bytes.start && *end >= bytes.end)
        else {
            return false;
        };
        let (Some(p), None) = (holders.first, &holders.more) else {
            return false;
        };
        if self.judge.relation(p, t) != Relation::TakenOver || !self.judge.is_anchored(t) {
            return false;
        }
        self.compared += 1;
        let rest = std::mem::replace(end, bytes.end);
        holders.first = Some(t);
        if rest > bytes.end {
            self.held.insert(bytes.end, (rest, Holders::one(p)));
        }
        let first = self.stood_for.len() as u32;
        self.stood_for.push(p);
        if let Some(range) = self.behind.get_mut(t as usize) {
            *range = (first, first + 1);
        }
        self.judge_behind(t, bytes, &[(p, Relation::TakenOver)]);
        true
    }

    fn arrive(&mut self, t: u32) {
        let bytes = self.judge.plan.bytes_of(t);
        if self.succeeds(t, bytes) {
            return;
        }
        let mut stretches = std::mem::take(&mut self.taken);
        let mut met = std::mem::take(&mut self.met);
        self.take(bytes, &mut stretches);
        let anchored =
            stretches.iter().any(|s| s.holders.first.is_some()) && self.judge.is_anchored(t);
        // Alone on neighbouring stretches: one stretch, from `start` on.
        let mut alone: Option<(u64, u64, bool)> = None;
        for stretch in stretches.drain(..) {
            let Stretch {
                start,
                end,
                holders,
                known,
            } = stretch;
            let mut left = Holders::default();
            for p in holders.iter() {
                let relation = match met.iter().find(|(known, _)| *known == p) {
                    Some((_, relation)) => *relation,
                    None => {
                        let relation = self.judge.relation(p, t);
                        self.compared += 1;
                        met.push((p, relation));
                        relation
                    }
                };
                if relation != Relation::TakenOver || !anchored {
                    left.push(p);
                }
            }
            left.push(t);
            if left.more.is_none() {
                alone = match alone {
                    Some((first, _, first_known)) => {
                        if known {
                            self.held.remove(&start);
                        }
                        Some((first, end, first_known))
                    }
                    None => Some((start, end, known)),
                };
            } else {
                self.hold_alone(alone.take(), t);
                self.hold(start, (end, left), known);
            }
        }
        self.hold_alone(alone, t);
        let first = self.stood_for.len() as u32;
        if anchored {
            let over = met
                .iter()
                .filter(|(_, relation)| *relation == Relation::TakenOver);
            self.stood_for.extend(over.map(|(p, _)| *p));
        }
        if let Some(range) = self.behind.get_mut(t as usize) {
            *range = (first, self.stood_for.len() as u32);
        }
        self.judge_behind(t, bytes, &met);
        met.clear();
        (self.taken, self.met) = (stretches, met);
    }

    fn hold_alone(&mut self, stretch: Option<(u64, u64, bool)>, t: u32) {
        if let Some((start, end, known)) = stretch {
            self.hold(start, (end, Holders::one(t)), known);
        }
    }

    fn hold(&mut self, start: u64, held: (u64, Holders), known: bool) {
        if known {
            if let Some(place) = self.held.get_mut(&start) {
                *place = held;
                return;
            }
        }
        self.held.insert(start, held);
    }

    /// Cuts the stretches that hold a byte of `bytes` at both ends and gives them in order, gaps
    /// with no holder; those that are known keep their place in the map.
    fn take(&mut self, bytes: ByteRange, out: &mut Vec<Stretch>) {
        let mut last_end = bytes.end;
        let mut rest: Option<(u64, Holders)> = None;
        for (&start, (end, holders)) in self.held.range_mut(..bytes.end).rev() {
            if *end <= bytes.start {
                break;
            }
            if *end > bytes.end {
                rest = Some((*end, holders.clone()));
                *end = bytes.end;
            }
            if *end < last_end {
                out.push(Stretch::gap(*end, last_end));
            }
            let begin = start.max(bytes.start);
            if start < bytes.start {
                out.push(Stretch {
                    start: begin,
                    end: *end,
                    holders: holders.clone(),
                    known: false,
                });
                *end = bytes.start;
            } else {
                out.push(Stretch {
                    start,
                    end: *end,
                    holders: std::mem::take(holders),
                    known: true,
                });
            }
            last_end = begin;
        }
        if bytes.start < last_end {
            out.push(Stretch::gap(bytes.start, last_end));
        }
        if let Some(rest) = rest {
            self.held.insert(bytes.end, rest);
        }
        out.reverse();
    }

    /// Where `t` does not get on with a holder, the ones behind that holder are asked too.
    fn judge_behind(&mut self, t: u32, bytes: ByteRange, met: &[(u32, Relation)]) {
        let kind = self.judge.plan.tensors.lifelong_at(t);
        let by_id = matches!(kind, Lifelong::GraphStart | Lifelong::GraphEnd);
        let ask_all = by_id && !self.ids_grow;
        let settled = |relation: Relation| relation == Relation::TakenOver && !ask_all;
        if met.iter().all(|(_, relation)| settled(*relation)) {
            return;
        }
        let mut asked: HashSet<(u32, u32)> = met.iter().map(|(p, _)| (*p, t)).collect();
        let mut open: Vec<(u32, Relation)> = met.to_vec();
        while let Some((p, relation)) = open.pop() {
            if settled(relation) {
                continue;
            }
            if relation == Relation::Conflict {
                self.hazards.insert((p.min(t), p.max(t)));
                if self.hazards.len() > MOST_COUNTED {
                    return;
                }
            }
            let (first, last) = self.behind.get(p as usize).copied().unwrap_or((0, 0));
            for i in first..last {
                let Some(&q) = self.stood_for.get(i as usize) else {
                    continue;
                };
                if self.judge.plan.bytes_of(q).overlaps(bytes) && asked.insert((q, t)) {
                    let relation = self.judge.relation(q, t);
                    self.compared += 1;
                    open.push((q, relation));
                }
            }
        }
    }
}
