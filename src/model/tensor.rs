//! Tensors: the planned buffers.

use super::{Ids, IndexSet, NONE};

/// Lifelong kinds; they widen a live range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Lifelong {
    /// From the source node to the last reader.
    None = 0,
    /// Through the whole graph.
    GraphAll = 1,
    /// From the first step on.
    GraphStart = 2,
    /// Up to the last step.
    GraphEnd = 3,
}

impl Lifelong {
    /// The dump's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "LifeLongNone",
            Self::GraphAll => "LifeLongGraphAll",
            Self::GraphStart => "LifeLongGraphStart",
            Self::GraphEnd => "LifeLongGraphEnd",
        }
    }

    /// From the numbers the offline log and the cache use.
    pub fn from_number(n: u8) -> Option<Self> {
        [Self::None, Self::GraphAll, Self::GraphStart, Self::GraphEnd]
            .into_iter()
            .find(|l| *l as u8 == n)
    }
}

/// A tensor type: a word of the dump, by its number in [`WordTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TensorKind(pub u16);

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $n:literal : $word:literal),+ $(,)?) => {
        impl TensorKind {
            $($(#[$doc])* pub const $name: Self = Self($n);)+
            /// Words of the types known to MindSpore 1.1 to 2.10, in the order of their numbers.
            pub const KNOWN: &'static [&'static str] = &[$($word),+];
        }
    };
}

kinds! {
    /// Output that some node reads.
    COMMON = 0: "Common",
    /// Output that nobody in the graph reads.
    OUTPUT_ONLY = 1: "OutputOnly",
    /// Scratch of one node.
    WORKSPACE = 2: "Workspace",
    /// Member of a union (C).
    UNION = 3: "Union",
    /// Graph output, placed elsewhere (C, except Ascend from 2.3).
    GRAPH_OUTPUT = 4: "GraphOutput",
    /// Output written into a parameter (C).
    GRAPH_INPUT = 5: "GraphInput",
    /// Feeds a summary operator.
    SUMMARY_INPUT = 6: "SummaryInput",
    /// Output of the dataset operator (A, B).
    GET_NEXT_OUTPUT = 7: "GetNextOutput",
    /// Head of an in-place pair (A, B).
    REF_NODE_INPUT = 8: "RefNodeInput",
    /// Follower of an in-place pair, or output that writes a parameter (A, B).
    REF_NODE_OUTPUT = 9: "RefNodeOutput",
    /// 512-byte guard around communication tensors (A).
    GAP = 10: "Gap",
    /// Size-0 tensor from a send node to a receive node (B2).
    EVENT_VIRTUAL_OUTPUT = 11: "EventVirtualOutput",
    /// Ordering edge; never a tensor of the plan (C).
    CONTROL = 12: "Control",
    /// Written by no release as far as is known.
    UNKNOWN = 13: "Unknown",
}

/// Words of tensor types: the known ones, and what else a dump holds.
#[derive(Clone, Debug, Default)]
pub struct WordTable {
    extra: Vec<String>,
}

impl WordTable {
    /// Most words a dump may add; beyond that a word is taken for [`TensorKind::UNKNOWN`].
    const MOST: usize = 1000;

    /// The number of a word; new words are kept as they are.
    pub fn intern(&mut self, word: &[u8]) -> TensorKind {
        if let Some(i) = TensorKind::KNOWN.iter().position(|w| w.as_bytes() == word) {
            return TensorKind(i as u16);
        }
        let text = String::from_utf8_lossy(word);
        let known = TensorKind::KNOWN.len();
        match self.extra.iter().position(|w| *w == text) {
            Some(i) => TensorKind((known + i) as u16),
            None if self.extra.len() < Self::MOST => {
                self.extra.push(text.into_owned());
                TensorKind((known + self.extra.len() - 1) as u16)
            }
            None => TensorKind::UNKNOWN,
        }
    }

    /// The word of a type.
    pub fn word(&self, kind: TensorKind) -> &str {
        let i = usize::from(kind.0);
        match TensorKind::KNOWN.get(i) {
            Some(word) => word,
            None => self
                .extra
                .get(i - TensorKind::KNOWN.len())
                .map_or("Unknown", String::as_str),
        }
    }
}

/// The tensors of a plan, one entry a tensor in every column, ascending by id.
#[derive(Clone, Debug, Default)]
pub struct Tensors {
    /// The printed ids.
    pub ids: Ids,
    /// Bytes reserved; 0 = not placed by SOMAS: occupies nothing, its offset means nothing.
    pub aligned_size: Vec<u64>,
    /// Bytes the kernel asked for.
    pub original_size: Vec<u64>,
    /// Offset as shown in the dump. The *true* offset is 512 lower for `shifted` tensors.
    pub offset: Vec<u64>,
    /// Type.
    pub kind: Vec<TensorKind>,
    /// Words of the types.
    pub kind_words: WordTable,
    /// Lifelong kind.
    pub lifelong: Vec<Lifelong>,
    /// Lifelong words nobody knows (taken for [`Lifelong::None`]): tensor index and word.
    pub odd_lifelong: Vec<(u32, String)>,
    /// First step as printed (A: recomputed), not widened.
    pub life_first: Vec<u32>,
    /// Last step as printed (A: recomputed), included, not widened.
    pub life_last: Vec<u32>,
    /// Index of the source node, [`NONE`] for Gap tensors.
    pub source: Vec<u32>,
    /// First members of contiguous lists that the dump shows 512 bytes too high (Ascend 1.2 to
    /// 2.2).
    pub shifted: IndexSet,
}

/// The communication gap of Ascend 1.2 to 2.2, in bytes.
pub const GAP: u64 = 512;

impl Tensors {
    /// Number of tensors.
    pub fn len(&self) -> u32 {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Aligned size of tensor `t` in bytes.
    pub fn aligned_at(&self, t: u32) -> u64 {
        self.aligned_size.get(t as usize).copied().unwrap_or(0)
    }

    /// Original size of tensor `t` in bytes.
    pub fn original_at(&self, t: u32) -> u64 {
        self.original_size.get(t as usize).copied().unwrap_or(0)
    }

    /// Offset of tensor `t` as shown in the dump.
    pub fn shown_offset(&self, t: u32) -> u64 {
        self.offset.get(t as usize).copied().unwrap_or(0)
    }

    /// Where the reserved bytes of tensor `t` really begin.
    pub fn true_offset(&self, t: u32) -> u64 {
        self.unshifted(t, self.shown_offset(t))
    }

    /// Where the bytes of tensor `t` begin that the dump shows at `shown`.
    #[inline]
    pub(super) fn unshifted(&self, t: u32, shown: u64) -> u64 {
        if self.shifted.contains(t) {
            shown.saturating_sub(GAP)
        } else {
            shown
        }
    }

    /// Type of tensor `t`.
    pub fn kind_at(&self, t: u32) -> TensorKind {
        self.kind
            .get(t as usize)
            .copied()
            .unwrap_or(TensorKind::UNKNOWN)
    }

    /// Lifelong kind of tensor `t`.
    pub fn lifelong_at(&self, t: u32) -> Lifelong {
        self.lifelong
            .get(t as usize)
            .copied()
            .unwrap_or(Lifelong::None)
    }

    /// First and last step as printed, both included.
    pub fn printed_life(&self, t: u32) -> (u32, u32) {
        let at = |column: &[u32]| column.get(t as usize).copied().unwrap_or(0);
        (at(&self.life_first), at(&self.life_last))
    }

    /// The source node of tensor `t`.
    pub fn source_of(&self, t: u32) -> Option<u32> {
        self.source.get(t as usize).copied().filter(|&n| n != NONE)
    }
}
