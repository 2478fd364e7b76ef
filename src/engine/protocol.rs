//! Requests and responses between a face and a [`Session`](super::Session).

use serde::{Deserialize, Serialize};

use super::lookup::{AddressFacts, Found};
use super::tasks::TaskFacts;
use super::{explore, map, safety, saving, share};
use crate::report::json::Summary;

/// How far the reading of files is.
#[derive(Clone, Debug, Serialize)]
pub struct Progress {
    /// Name of the file that is being read.
    pub name: String,
    /// Bytes read of all files.
    pub read: f64,
    /// Bytes of all files.
    pub total: f64,
}

/// What a face can ask of graphs that are open.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Request {
    /// The graphs that are open, and what was said about the other files.
    Graphs,
    /// Every number of one graph.
    Overview {
        /// Handle of the graph.
        graph: u32,
    },
    /// The usage curves over a step window, thinned to `columns` columns.
    Chart {
        /// Handle of the graph.
        graph: u32,
        /// First step of the window.
        first: u32,
        /// Last step of the window, included.
        last: u32,
        /// Most columns wanted (device pixels of the plot area).
        columns: u32,
    },
    /// What happens at one step.
    Step {
        /// Handle of the graph.
        graph: u32,
        /// The step.
        step: u32,
    },
    /// Rows of a table.
    Table(explore::TableRequest),
    /// What is alive at a step, by layer, operator or type.
    Groups(explore::GroupRequest),
    /// Everything about one tensor.
    Tensor {
        /// Handle of the graph.
        graph: u32,
        /// Id of the tensor.
        id: u64,
    },
    /// Everything about one node.
    Node {
        /// Handle of the graph.
        graph: u32,
        /// Its step.
        step: u32,
    },
    /// Everything about one parameter.
    Parameter {
        /// Handle of the graph.
        graph: u32,
        /// Id of the parameter.
        id: u64,
    },
    /// Who owns addresses, in the order of time.
    Addresses {
        /// Handle of the graph.
        graph: u32,
        /// The first address.
        start: u64,
        /// The one behind the last.
        end: u64,
    },
    /// What a typed text may mean.
    Search {
        /// Handle of the graph.
        graph: u32,
        /// The text.
        text: String,
        /// Also tensors of that many bytes.
        size: Option<u64>,
    },
    /// Sets where offset 0 lies, before what the files tell; `None` leaves it to them. Gives the
    /// overview.
    Base {
        /// Handle of the graph.
        graph: u32,
        /// The address.
        base: Option<u64>,
    },
    /// The usage curve of a second graph over the steps of the first.
    Overlay(explore::OverlayRequest),
    /// A picture of the memory map. Its pixels come by
    /// [`Session::paint_map`](super::Session::paint_map) only.
    Map(map::MapRequest),
    /// What there is to say of the whole memory map.
    MapFacts {
        /// Handle of the graph.
        graph: u32,
        /// What the colours stand for, as in [`map::MapRequest::key`].
        key: u8,
    },
    /// What lies at a place of the memory map.
    MapPlace {
        /// Handle of the graph.
        graph: u32,
        /// Step and byte.
        at: (u32, u64),
        /// First and last step of the pixel, both included.
        steps: (u32, u32),
        /// First byte of the pixel and the byte behind its last one.
        bytes: (u64, u64),
    },
    /// What to mark of a tensor on the memory map.
    MapMarks {
        /// Handle of the graph.
        graph: u32,
        /// Id of the tensor.
        id: u64,
    },
    /// The tensors to light on the memory map: those that a typed text means.
    MapLit {
        /// Handle of the graph.
        graph: u32,
        /// The text.
        text: String,
    },
    /// Judges a graph, for its row.
    Judge {
        /// Handle of the graph.
        graph: u32,
    },
    /// The verdict of a graph; judges it when that was not done before.
    Safety {
        /// Handle of the graph.
        graph: u32,
    },
    /// Two tensors and why they may share bytes, or why not.
    Pair {
        /// Handle of the graph.
        graph: u32,
        /// Id of a tensor.
        a: u64,
        /// Id of the other.
        b: u64,
    },
    /// Who shares the bytes of a selection, to be drawn.
    Overlaps {
        /// Handle of the graph.
        graph: u32,
        /// Whose bytes.
        of: safety::OverlapOf,
    },
    /// The result files: which there are, and their bytes.
    Save(saving::Save),
    /// A link to the summary of a graph; judges it when that was not done before.
    Share(share::ShareRequest),
    /// Closes one graph and frees its memory.
    Close {
        /// Handle of the graph.
        graph: u32,
    },
}

/// What comes back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Response {
    /// To [`Request::Graphs`], and after opening files.
    Graphs(Graphs),
    /// To [`Request::Overview`] and [`Request::Base`].
    Overview(Box<Overview>),
    /// To [`Request::Chart`].
    Chart(ChartColumns),
    /// To [`Request::Step`].
    Step(StepFacts),
    /// To [`Request::Table`].
    Table(explore::TableRows),
    /// To [`Request::Groups`].
    Groups(explore::Groups),
    /// To [`Request::Tensor`].
    Tensor(Box<explore::TensorFacts>),
    /// To [`Request::Node`].
    Node(Box<explore::NodeFacts>),
    /// To [`Request::Parameter`].
    Parameter(Box<explore::ParameterFacts>),
    /// To [`Request::Addresses`].
    Addresses(Box<AddressFacts>),
    /// To [`Request::Search`].
    Found(Found),
    /// To [`Request::Overlay`]: the other graph's curve in the columns of the first one's window.
    Overlay(ChartColumns),
    /// To [`Request::Map`], beside the pixels.
    Map(map::MapFrame),
    /// To [`Request::MapFacts`].
    MapFacts(map::MapFacts),
    /// To [`Request::MapPlace`].
    MapPlace(map::MapPlace),
    /// To [`Request::MapLit`].
    MapLit(Vec<map::MapRect>),
    /// To [`Request::MapMarks`].
    MapMarks(map::MapMarks),
    /// To [`Request::Judge`].
    Row(Box<GraphRow>),
    /// To [`Request::Safety`].
    Safety(safety::SafetyFacts),
    /// To [`Request::Pair`].
    Pair(Box<safety::PairFacts>),
    /// To [`Request::Overlaps`].
    Overlaps(safety::OverlapBoxes),
    /// To [`saving::Save::List`]: names of the result files, the log last.
    ResultFiles(Vec<String>),
    /// To [`saving::Save::Begin`] and [`saving::Save::More`].
    Piece(saving::Piece),
    /// To [`Request::Share`]: the text behind `#s=`.
    Share(String),
    /// The graph or the thing asked for is not there, or the step lies behind the last one.
    Nothing,
}

/// The graphs that are open and the files that are none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Graphs {
    /// Open graphs, by name.
    pub graphs: Vec<GraphRow>,
    /// Files that gave no graph: damaged dumps with their errors, siblings without their dump,
    /// files of another kind.
    pub others: Vec<OtherFile>,
}

/// One open graph in the chooser.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphRow {
    /// Handle for requests; never used twice in a session.
    pub graph: u32,
    /// File name, relative to the folder that was opened.
    pub name: String,
    /// `plan` or `stage`.
    pub kind: String,
    /// What the plan reserves, bytes.
    pub planned_total: u64,
    /// Most bytes in use.
    pub in_use: u64,
    /// Number of warnings.
    pub warnings: u64,
    /// Whether parts of a damaged file are missing.
    pub incomplete: bool,
    /// Number of its rank.
    pub rank: Option<u64>,
    /// Number of the graph.
    pub graph_id: Option<u64>,
    /// SHA-256 of its file, where several were opened.
    pub sha256: Option<String>,
    /// Number of findings, once it was judged.
    pub found: Option<u64>,
    /// `safe`, `hazards` or `undecided`, once it was judged; absent for a stage.
    pub verdict: Option<String>,
    /// Names of files of the same graph that were opened with it.
    pub siblings: Vec<Sibling>,
}

/// A file of the same run that is no plan, kept beside its graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sibling {
    /// File name.
    pub name: String,
    /// What it is, in English and Chinese.
    pub what: Bilingual,
}

/// A file that gave no graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OtherFile {
    /// File name.
    pub name: String,
    /// File name, relative to the folder that was opened.
    pub path: String,
    /// Whether it is a damaged plan that [`Session`](super::Session) could show in part.
    pub damaged: bool,
    /// Whether it could not be read to its end.
    pub refused: bool,
    /// What to tell the user; at least one.
    pub messages: Vec<Message>,
    /// Number of errors, of which `messages` may hold only the first.
    pub errors: u64,
}

/// A text in both languages of the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bilingual {
    /// English.
    pub en: String,
    /// Chinese.
    pub zh: String,
}

/// An error, a warning or a note, ready to show.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Message {
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// Stable code, the same as on the command line.
    pub code: String,
    /// 1-based line; 0 when it belongs to no line.
    pub line: u64,
    /// 1-based column in characters; 0 when it belongs to no column.
    pub column: u64,
    /// `file:line:column: expected …, found …`.
    pub text: Bilingual,
    /// The line of the file and a mark under the place (two lines joined by `\n`), or empty.
    pub excerpt: String,
    /// What to do, or empty.
    pub hint: Bilingual,
}

/// Every number of one graph.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Overview {
    /// Handle of the graph.
    pub graph: u32,
    /// The numbers under their stable keys.
    #[serde(with = "super::summary_wire")]
    pub summary: Summary,
    /// Number of steps; the last step is one less.
    pub steps: u32,
    /// Whether nodes run in stream order; `false` on CPU plans, whose planned total pays for
    /// relying on no order.
    pub ordered: bool,
    /// Warnings (and, of a damaged file read in part, errors).
    pub messages: Vec<Message>,
    /// Files of the same graph.
    pub siblings: Vec<Sibling>,
    /// Where offset 0 lies; 0 where nothing tells.
    pub base: u64,
    /// What tells it: `given`, `tasks`, `dump`; empty where nothing does.
    pub base_from: String,
    /// What task info says, when its file was opened with it.
    pub tasks: Option<Box<TaskFacts>>,
}

/// The usage curves of a window, one entry a column.
///
/// A column covers the steps `step[i] ..= step[i + 1] - 1` (the last one up to `last`). Where a
/// column covers several steps it holds the smallest and the largest value among them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ChartColumns {
    /// First step of the window.
    pub first: u32,
    /// Last step of the window, included.
    pub last: u32,
    /// First step of each column.
    pub step: Vec<f64>,
    /// Smallest number of bytes alive in the column.
    pub alive_min: Vec<f64>,
    /// Largest number of bytes alive in the column.
    pub alive_max: Vec<f64>,
    /// Everything produced up to the end of each column, nothing given back.
    pub total: Vec<f64>,
    /// Static memory: in use = alive + this.
    pub static_memory: f64,
    /// The step of the peak of the whole graph.
    pub peak_step: u32,
    /// Bytes alive at the peak.
    pub peak_alive: f64,
}

/// What happens at one step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StepFacts {
    /// The step.
    pub step: u32,
    /// Name of the node that runs, full.
    pub node: String,
    /// Stream of the node; `None` where streams mean nothing (CPU).
    pub stream: Option<u32>,
    /// Aligned bytes alive.
    pub alive: u64,
    /// `alive` + static memory.
    pub in_use: u64,
    /// Everything produced up to here, nothing given back.
    pub total_tensor: u64,
    /// Number of tensors alive that have bytes.
    pub alive_tensors: u32,
}
