//! What in a plan contradicts itself, besides tensors that share bytes while both are needed.
//!
//! Each check compares two things the dump says, or one of them with what follows from the node
//! lists. One cause gives one finding: a tensor whose last reads lie behind its life is one
//! finding however many reads there are, and a block list that is wrong only because a tensor is
//! named elsewhere as misplaced is none. Of a damaged file nothing is compared: what is missing
//! would look like a contradiction.

mod cycle;
mod layout;
mod lives;

use super::{Safety, Undecided, Verdict};
use crate::model::Plan;
use crate::sorting;

/// Findings of a kind that are listed; all are counted.
pub const MOST_LISTED: usize = 1000;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal),+ $(,)?) => {
        /// What is wrong. The words are stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum FindingKind { $($(#[$doc])* $name),+ }

        impl FindingKind {
            /// Every kind, in the order they are told.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The stable word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }
        }
    };
}

kinds! {
    /// A verdict could not be reached. `stated`: see [`Undecided`].
    Undecided = "undecided",
    /// Order edges run in a circle through `node`. `stated`: number of nodes in the circle.
    ControlCycle = "control_cycle",
    /// `tensor` lies at `stated`, its union mate `other` at `found`.
    UnionOffsetDiffers = "union_offset_differs",
    /// The dump states a total of `stated`; the highest end is `found`, of `tensor`.
    TotalDiffers = "total_differs",
    /// The printed blocks and those of the tensors differ first at byte `stated`; `found`: how
    /// many blocks are on one side only.
    BlocksDiffer = "blocks_differ",
    /// In a contiguous list `tensor` ends at `stated` and the next one, `other`, begins at `found`.
    NotContiguous = "not_contiguous",
    /// `tensor` lies at `stated` with aligned size `found`.
    Misaligned = "misaligned",
    /// `node` reads `tensor`, which `other_node` writes later.
    ReadBeforeWritten = "read_before_written",
    /// `node` reads `tensor` after its life ended at step `stated`.
    ReadAfterLife = "read_after_life",
    /// `node` writes `tensor` outside its life, steps `stated` to `found`.
    LifeTooShort = "life_too_short",
    /// `tensor`, an output of the graph, is written over by `other`, which `node` writes.
    OutputReused = "output_reused",
    /// `node` lists `tensor` as its own, which `other_node` wrote first.
    WrittenTwice = "written_twice",
    /// No node reads `tensor`, which `node` writes; for information.
    NeverRead = "never_read",
}

impl FindingKind {
    /// Whether it says that something is wrong, and not only how things are.
    pub fn is_wrong(self) -> bool {
        self != Self::NeverRead
    }
}

/// One finding; indices of tensors and nodes, `None` where it is about none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong; says what the other fields mean.
    pub kind: FindingKind,
    /// The tensor it is about.
    pub tensor: Option<u32>,
    /// A second tensor.
    pub other: Option<u32>,
    /// The node it happens at.
    pub node: Option<u32>,
    /// A second node.
    pub other_node: Option<u32>,
    /// What the dump says: bytes, or steps where the kind is about lives.
    pub stated: u64,
    /// What follows from the rest of it, in the same unit.
    pub found: u64,
}

impl Finding {
    /// One without details.
    pub(super) fn new(kind: FindingKind) -> Self {
        Self {
            kind,
            tensor: None,
            other: None,
            node: None,
            other_node: None,
            stated: 0,
            found: 0,
        }
    }

    fn tensor(mut self, t: u32) -> Self {
        self.tensor = Some(t);
        self
    }

    fn other(mut self, t: u32) -> Self {
        self.other = Some(t);
        self
    }

    fn nodes(mut self, node: Option<u32>, other: Option<u32>) -> Self {
        (self.node, self.other_node) = (node, other);
        self
    }

    fn figures(mut self, stated: u64, found: u64) -> Self {
        (self.stated, self.found) = (stated, found);
        self
    }
}

/// The findings of a plan.
#[derive(Clone, Debug, Default)]
pub struct PlanFindings {
    /// The first [`MOST_LISTED`] of each kind, by kind, then in the order of the dump.
    pub list: Vec<Finding>,
    counts: [u64; FindingKind::ALL.len()],
}

impl PlanFindings {
    /// How many of a kind there are.
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    /// How many say that something is wrong.
    pub fn wrong(&self) -> u64 {
        let all = FindingKind::ALL.iter().filter(|k| k.is_wrong());
        all.map(|k| self.count(*k)).sum()
    }

    fn add(&mut self, finding: Finding) {
        if let Some(count) = self.counts.get_mut(finding.kind as usize) {
            *count += 1;
            if *count <= MOST_LISTED as u64 {
                self.list.push(finding);
            }
        }
    }
}

/// Looks through a plan; `safety` is its judgement.
pub fn findings(plan: &Plan, safety: &Safety) -> PlanFindings {
    let mut out = PlanFindings::default();
    if let Verdict::Undecided(why) = safety.verdict {
        out.add(Finding::new(FindingKind::Undecided).figures(why as u64, 0));
        if why == Undecided::Incomplete {
            return out;
        }
    }
    cycle::check(plan, &mut out);
    layout::check(plan, safety, &mut out);
    lives::check(plan, &mut out);
    sorting::sort_by(&mut out.list, |a, b| a.kind.cmp(&b.kind));
    out
}
