//! What a link holds: the summary of a graph that travels without its dump.
//!
//! `make` takes it from an open graph, with names as the sender chose; `code` packs it into the
//! fragment of an address and reads any fragment back; `words` says all of it, for the preview
//! and as Markdown; `shown` gives it the shapes that the page draws.

mod code;
mod make;
mod shown;
mod words;

use serde::{Deserialize, Serialize};

pub use code::{decode, encode, Broken, LONGEST};
pub use make::Source;
pub use words::{findings, markdown, preview, release, Line};

pub(super) use make::fragment;

/// Points of the usage curve at most.
pub const POINTS: u32 = 200;

/// Of the tensors alive at the peak, so many are named.
pub const TOP: usize = 10;

/// How names of the dump are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameMode {
    /// As they are.
    Full,
    /// The operator, and how deep its layer lies; no name of a layer.
    #[default]
    Operators,
    /// Numbers instead of names. They are given in the order of the link, so that nothing of a
    /// name is in them and two links cannot be matched by them.
    Hidden,
}

impl NameMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Full, Self::Operators, Self::Hidden];

    /// Its name in the page.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Operators => "operators",
            Self::Hidden => "hidden",
        }
    }

    /// The mode of that name; the default for another.
    pub fn by_name(name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|m| m.name() == name);
        found.unwrap_or_default()
    }
}

/// Asks for a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShareRequest {
    /// Handle of the graph.
    pub graph: u32,
    /// How to treat names.
    pub names: NameMode,
    /// What is looked at, as in [`ViewState::fragment`](super::view::ViewState::fragment).
    pub view: String,
    /// Device memory for the graph, bytes.
    pub capacity: Option<u64>,
    /// SHA-256 of the file; `None` when it could not be computed.
    pub sha256: Option<[u8; 32]>,
}

/// What a link holds. Bytes and steps are those of the summary; what follows from other numbers
/// (gap, reuse ratio, in use at the peak) is not held twice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shared {
    /// Version of the program that made the link.
    pub program: String,
    /// How names were treated.
    pub names: NameMode,
    /// `plan` or `stage`.
    pub kind: String,
    /// `A`, `B1`, `B2`, `C1`, `C2` or `C3`.
    pub generation: String,
    /// `Ascend`, `GPU` or `CPU`; `None` when nothing tells.
    pub device: Option<String>,
    /// Whether nodes run in stream order.
    pub ordered: bool,
    /// Lines that could not be read, of a damaged file read in part.
    pub unread_lines: Option<u64>,
    /// Number of steps.
    pub steps: u32,
    /// Nodes, tensors, control tensors, parameters, streams, unions, contiguous lists and those
    /// that bind, stream groups, merged blocks, tensors without bytes.
    pub counts: [u64; 11],
    /// Bytes of the file.
    pub file_bytes: u64,
    /// SHA-256 of the file.
    pub sha256: Option<[u8; 32]>,
    /// Sum of all parameter sizes.
    pub static_memory: u64,
    /// Aligned bytes of everything, nothing ever given back.
    pub total_tensor_size: u64,
    /// What the plan reserves.
    pub planned_total: u64,
    /// The step of the peak; `None` for a graph without nodes.
    pub peak_step: Option<u32>,
    /// Aligned bytes alive there: the lower bound.
    pub peak_alive: u64,
    /// The node of that step.
    pub peak_node: Name,
    /// Aligned − original bytes: of all tensors, and of those alive at the peak.
    pub waste: (i64, i64),
    /// The highest end of all placed tensors; `None` for a stage.
    pub max_end: Option<u64>,
    /// Device memory that the sender entered.
    pub capacity: Option<u64>,
    /// `safe`, `hazards` or `undecided`; `None` where it was not judged.
    pub verdict: Option<String>,
    /// Number of findings by kind.
    pub findings: Vec<(String, u64)>,
    /// The first findings.
    pub named: Vec<Named>,
    /// The largest pieces of memory alive at the peak, largest first.
    pub top: Vec<Top>,
    /// The curve of the bytes alive, a point for each of equal parts of the steps: the largest
    /// value in it, in thousandths of the peak, as the difference to the point before.
    pub curve: Vec<i16>,
    /// What was looked at, as in an address.
    pub view: String,
}

/// A node's name as the sender chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Name {
    /// The last part of the name, the operator alone, or a number instead; empty without a node.
    pub operator: String,
    /// The scope path or a number instead; empty where there is none or it is left out.
    pub layer: String,
    /// Where the layer is left out: the parts its path has.
    pub depth: u32,
}

/// A piece of memory alive at the peak: a tensor, or a union group by the tensor that stands for
/// it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Top {
    /// Id of the tensor.
    pub tensor: u64,
    /// Aligned bytes.
    pub bytes: u64,
    /// First and last step alive, both included.
    pub life: (u32, u32),
    /// Its source node.
    pub node: Name,
}

/// One finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    /// Its kind, a stable word.
    pub kind: String,
    /// Ids of the tensors it is about, one or two.
    pub tensors: Vec<u64>,
    /// Bytes it is about.
    pub bytes: u64,
    /// The node where it shows.
    pub node: Name,
}
