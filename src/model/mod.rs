//! The frozen facts of one dump, as columns.
//!
//! A [`Plan`] is made by `parse` and never changes afterwards. It knows nothing of files, of
//! positions in a text, of curves or of words for people.
//!
//! The plan that examples in this code refer to, with addresses upwards and steps to the right
//! (`$n` is a node, `%n` a tensor):
//!
//! ```text
//!  bytes
//!  1536 ┌─────────────┐
//!       │ %2          │            %0 written by $0, last read by $2
//!  1024 └──┌───────┐──┴──┐         %1 written by $1, last read by $2
//!          │ %1    │ %3  │         %2 written by $0, read by $3 (beside %0 and %1)
//!   512 ┌──┴────┐──┴─────┘         %3 takes the bytes of %1 after its last reader
//!       │ %0    │                  %4 has no bytes: a graph output, placed elsewhere
//!     0 └───────┘
//!        $0  $1  $2  $3
//! ```
//!
//! *Indices and ids.* Columns are addressed by a dense index (`u32`, position in the column,
//! ascending by id). The number printed in the dump is the *id*; [`Ids`] maps between the two.
//! In every dump seen so far they are the same number.

mod bits;
mod ids;
mod lists;
mod names;
mod node;
mod readers;
mod task_info;
mod tensor;

pub use bits::IndexSet;
pub use ids::Ids;
pub use lists::Lists;
pub use names::{acts, NameId, Names};
pub(crate) use node::PARAMETER_BIT;
pub use node::{InputRef, NodeFlags, Nodes};
pub(crate) use readers::readers_of;
pub use task_info::{AddressLists, OfflineLog, TaskInfo};
pub use tensor::{Lifelong, TensorKind, Tensors, WordTable, GAP};

use std::sync::OnceLock;

use crate::sorting;
use crate::units::{ByteRange, LiveRange};

/// "No such thing" in a `u32` column.
pub const NONE: u32 = u32::MAX;

/// The text variants of the dump, told by content: see the table of releases in the README.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// MindSpore 1.1: seven tensor columns, no lifetimes, Gap tensors.
    A,
    /// 1.2 to 1.5: parameters, lifetimes, printed addresses.
    B1,
    /// 1.6 to 1.8: as B1, with events.
    B2,
    /// 1.9, 1.10, 2.0.0-alpha: control tensors that share the suffix `T`.
    C1,
    /// 2.0 to 2.2: control tensors `CT`, short names.
    C2,
    /// 2.3 to 2.10: full scope names.
    C3,
}

impl Generation {
    /// The stable word of the machine-readable summary.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::B1 => "B1",
            Self::B2 => "B2",
            Self::C1 => "C1",
            Self::C2 => "C2",
            Self::C3 => "C3",
        }
    }

    /// Whether the dump has control tensors, unions and blocks (1.9 and later).
    pub fn is_c(self) -> bool {
        self >= Self::C1
    }
}

/// The device a plan was made for, as far as the text tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// Ascend: sizes are rounded up with 32 bytes to spare.
    Ascend,
    /// GPU.
    Gpu,
    /// CPU: every node is a stream of its own and only data orders nodes.
    Cpu,
}

impl Device {
    /// The word the dump's file name would carry.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ascend => "Ascend",
            Self::Gpu => "GPU",
            Self::Cpu => "CPU",
        }
    }
}

/// Whether the solver had placed the tensors when the dump was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlanKind {
    /// Final: offsets are real.
    Plan,
    /// An early stage (initial, pre-processed …): every offset is 0 and means nothing.
    Stage,
}

impl PlanKind {
    /// The stable word of the machine-readable summary.
    pub fn word(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Stage => "stage",
        }
    }
}

/// Everything a damaged dump did not give, when it was read all the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Incomplete {
    /// Non-blank lines that could not be read.
    pub unread_lines: u64,
}

/// Parameters: what nodes read and no node writes (weights, graph inputs, constants).
/// They lie outside the plan. One entry a parameter in every column.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    /// The printed ids.
    pub ids: Ids,
    /// Bytes; 0 when the dump does not know.
    pub size: Vec<u64>,
    /// Device address, where the generation prints one (B); empty elsewhere.
    pub start_addr: Vec<u64>,
    /// Name of the parameter (always the full name).
    pub name: Vec<NameId>,
    /// Output number of the parameter node, normally 0.
    pub out_index: Vec<u32>,
}

/// An event between a send and a receive node (generation B2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event's number.
    pub id: u64,
    /// Name of the sending node.
    pub send: NameId,
    /// Name of the receiving node.
    pub recv: NameId,
}

/// Ordering edges `before[i] -> after[i]` between nodes (indices), besides the data.
///
/// Generation C prints them as control tensors; for A and B they are derived from the streams
/// and stream groups, as the planner does.
#[derive(Clone, Debug, Default)]
pub struct OrderEdges {
    /// The node that must be done first.
    pub before: Vec<u32>,
    /// The node that must wait.
    pub after: Vec<u32>,
}

/// One memory plan. See the module page for the picture and the meaning of an index.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which text variant the dump is written in.
    pub generation: Generation,
    /// The device, `None` when nothing in the text tells.
    pub device: Option<Device>,
    /// Final plan or early stage.
    pub kind: PlanKind,
    /// Set when parts of a damaged file could not be read.
    pub incomplete: Option<Incomplete>,
    /// Whether nodes run in stream order (then control edges order them); `false` on CPU plans,
    /// where nothing but data orders nodes.
    pub ordered: bool,
    /// Number of steps: the last step is `steps - 1`.
    pub steps: u32,
    /// All names.
    pub names: Names,
    /// What lies outside the plan.
    pub parameters: Parameters,
    /// The planned buffers.
    pub tensors: Tensors,
    /// Kernel launches in execution order.
    pub nodes: Nodes,
    /// What [`Plan::readers`] gives, once it was asked: a face shows a plan before anybody needs it.
    pub readers: OnceLock<Lists>,
    /// Number of control tensors (generation C).
    pub control_tensors: u32,
    /// Order besides the data.
    pub order: OrderEdges,
    /// Unions (ref groups), merged into disjoint groups: tensor indices, the head first.
    pub unions: Lists,
    /// Unions as they are listed, heads first: pairs that may chain in A, B and C1.
    pub union_lists: Lists,
    /// The union group of each tensor, [`NONE`] outside; empty when there is no group at all.
    pub union_of: Vec<u32>,
    /// Contiguous lists as collected (rebuilt in A and B): tensor indices in list order.
    pub contiguous: Lists,
    /// The lists that bind the solver.
    pub contiguous_processed: Lists,
    /// Streams that run one after another: stream ids.
    pub stream_groups: Lists,
    /// Merged blocks as printed, in the dump's order.
    pub blocks: Vec<ByteRange>,
    /// Events (B2).
    pub events: Vec<Event>,
    /// `Total Memory Size after reused` as printed.
    pub stated_total: Option<u64>,
    /// Where offset 0 lies on the device, if the dump prints addresses (A, B).
    pub arena_base: Option<u64>,
}

/// A tensor with bytes.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Tensor index.
    pub tensor: u32,
    /// Its aligned size in bytes, not 0.
    pub aligned: u64,
    /// Its first step as printed.
    pub born: u32,
    /// What [`Plan::live_range`] gives.
    pub range: Option<LiveRange>,
}

impl Plan {
    /// Number of tensors, control tensors not counted.
    pub fn n_tensors(&self) -> u32 {
        self.tensors.len()
    }

    /// Number of nodes.
    pub fn n_nodes(&self) -> u32 {
        self.nodes.len()
    }

    /// The last step, 0 for a graph without nodes.
    pub fn last_step(&self) -> u32 {
        self.steps.saturating_sub(1)
    }

    /// The bytes reserved for tensor `t`: true offset and aligned size; empty when not placed.
    pub fn bytes_of(&self, t: u32) -> ByteRange {
        let aligned = self.tensors.aligned_at(t);
        if aligned == 0 {
            return ByteRange { start: 0, end: 0 };
        }
        ByteRange::at(self.tensors.true_offset(t), aligned)
    }

    /// The placed tensor that ends highest, the lowest id on a tie, and its end (true offset +
    /// aligned size).
    pub fn highest_end(&self) -> Option<(u32, u64)> {
        let mut highest = None;
        for (t, end) in self.ends() {
            if end > highest.map_or(0, |(_, end)| end) {
                highest = Some((t, end));
            }
        }
        highest
    }

    /// Every placed tensor by index, and its end (true offset + aligned size).
    pub fn ends(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let columns = self.tensors.aligned_size.iter().zip(&self.tensors.offset);
        let placed = (0u32..)
            .zip(columns)
            .filter(|(_, (aligned, _))| **aligned > 0);
        placed.map(|(t, (aligned, shown))| {
            let start = self.tensors.unshifted(t, *shown);
            (t, start.saturating_add(*aligned))
        })
    }

    /// Every tensor with bytes by index. For all tensors at once this is several times as fast as
    /// asking for one after the other.
    #[inline]
    pub fn placed(&self) -> impl Iterator<Item = Placed> + '_ {
        let t = &self.tensors;
        let lives = t.life_first.iter().zip(&t.life_last).zip(&t.lifelong);
        let columns = (0u32..).zip(t.aligned_size.iter().zip(lives));
        let placed = columns.filter(|(_, (aligned, _))| **aligned > 0);
        placed.map(|(tensor, (aligned, ((first, last), lifelong)))| Placed {
            tensor,
            aligned: *aligned,
            born: *first,
            range: self.widened((*first, *last), *lifelong),
        })
    }

    /// Readers of each tensor: node indices, ascending, each once; clean nodes are left out
    /// (except in generation A, where they count).
    pub fn readers(&self) -> &Lists {
        let is_a = self.generation == Generation::A;
        self.readers
            .get_or_init(|| readers_of(&self.nodes, self.n_tensors(), is_a))
    }

    /// Whether the offset or the aligned size of a placed tensor is no multiple of 512.
    pub fn is_misaligned(&self, t: u32) -> bool {
        let aligned = self.tensors.aligned_at(t);
        aligned != 0 && (self.tensors.true_offset(t) | aligned) & 511 != 0
    }

    /// Tensors that may: members of contiguous lists off Ascend, and what is united with them,
    /// keep their original sizes.
    pub fn may_be_misaligned(&self) -> IndexSet {
        if self.device == Some(Device::Ascend) {
            return IndexSet::EMPTY;
        }
        let members = self.contiguous.items().iter().flat_map(|&t| {
            let group = self.union_group(t).map_or(&[][..], |g| self.unions.get(g));
            group.iter().copied().chain([t])
        });
        IndexSet::of(self.n_tensors(), members)
    }

    /// The steps in which tensor `t` is alive: its live range widened by its lifelong kind and
    /// cut at the last step; `None` when it begins behind the last step.
    pub fn live_range(&self, t: u32) -> Option<LiveRange> {
        self.widened(self.tensors.printed_life(t), self.tensors.lifelong_at(t))
    }

    /// The stretches of steps in which any of these tensors is alive, ascending; those that touch
    /// are one.
    pub fn alive_stretches(&self, tensors: &mut dyn Iterator<Item = u32>) -> Vec<LiveRange> {
        let mut ranges: Vec<LiveRange> = tensors.filter_map(|t| self.live_range(t)).collect();
        sorting::sort(&mut ranges);
        ranges.dedup_by(|range, before| {
            let meets = range.first <= before.last.saturating_add(1);
            if meets {
                before.last = before.last.max(range.last);
            }
            meets
        });
        ranges
    }

    /// See [`Plan::live_range`].
    #[inline(always)]
    fn widened(&self, (first, last): (u32, u32), lifelong: Lifelong) -> Option<LiveRange> {
        if self.steps == 0 {
            return None;
        }
        let last_step = self.last_step();
        let (first, last) = match lifelong {
            Lifelong::GraphAll => (0, last_step),
            Lifelong::GraphStart => (0, last),
            Lifelong::GraphEnd => (first, last_step),
            Lifelong::None => (first, last),
        };
        LiveRange::new(first, last.min(last_step))
    }

    /// Takes the lifelong kinds that a sibling knows better; the value is how many changed. Only
    /// generations A and B hide some (they print 0 or 1).
    pub fn take_lifelong(&mut self, log: &OfflineLog) -> u32 {
        let mut changed = 0;
        for &(id, lifelong) in log.lifelong.iter().filter(|_| !self.generation.is_c()) {
            let place = self
                .tensors
                .ids
                .index_of(id)
                .and_then(|t| self.tensors.lifelong.get_mut(t as usize));
            if let Some(place) = place.filter(|place| **place != lifelong) {
                *place = lifelong;
                changed += 1;
            }
        }
        changed
    }

    /// The union group of tensor `t`.
    pub fn union_group(&self, t: u32) -> Option<u32> {
        self.union_of
            .get(t as usize)
            .copied()
            .filter(|&g| g != NONE)
    }

    /// Name of node `n`, as in the dump; empty when there is no such node.
    pub fn node_name(&self, n: u32) -> &[u8] {
        self.nodes
            .name
            .get(n as usize)
            .map_or(&[], |&id| self.names.get(id))
    }

    /// The index of tensor `t` among the outputs of its source node (a workspace: among its
    /// workspaces); `None` without a source.
    pub fn output_index(&self, t: u32) -> Option<u32> {
        let source = self.tensors.source_of(t)?;
        let place = |list: &[u32]| list.iter().position(|&x| x == t).map(|i| i as u32);
        place(self.nodes.outputs.get(source)).or_else(|| place(self.nodes.workspaces.get(source)))
    }
}
