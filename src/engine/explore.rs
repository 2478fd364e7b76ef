//! Requests and responses for exploring a plan: tables, groups, one thing in detail, two plans
//! over each other. All of it plain data; ids are the dump's own.

use serde::{Deserialize, Serialize};

use super::protocol::Bilingual;
use super::safety::OverlapOf;
use super::tasks::NodeTask;

/// A table of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TableName {
    /// Kernel launches; the key of a row is `$12`.
    Nodes,
    /// Planned buffers; `%62T`.
    #[default]
    Tensors,
    /// What lies outside the plan; `%5P`.
    Parameters,
    /// Tensors that have bytes and are alive at a step; `%62T`.
    Alive,
    /// What is wrong with the plan: hazards first. The key of a hazard is its pair, `%7T %97T`.
    Findings,
    /// Tensors on the bytes of a selection; `%62T`.
    Overlaps,
}

/// A column. Which table has which: see [`TableName::columns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    /// The id: `$12`, `%62T`, `%5P`.
    Id,
    /// Name of the node, of a tensor's source node, or of the parameter.
    Name,
    /// The operator: last part of the name without `-opN`; empty for a tensor without a node.
    Operator,
    /// The number behind `-op` at the end of the name.
    OpId,
    /// Stream of the node or of the source node; empty where streams mean nothing.
    Stream,
    /// Bytes asked for (a parameter: its size).
    Size,
    /// Bytes reserved.
    Aligned,
    /// Aligned − original size; empty where nothing is reserved.
    Padding,
    /// Offset as shown, or device address where the base is known; empty where nothing is
    /// reserved, in a stage dump, and for a parameter whose dump prints no address.
    StartAddr,
    /// `StartAddr` + aligned size (a parameter: + size).
    EndAddr,
    /// Step of the source node.
    SourceStep,
    /// Index among the outputs (workspaces) of the source node, or of a parameter node.
    OutputIndex,
    /// First step as printed.
    LifeStart,
    /// Last step as printed.
    LifeEnd,
    /// Steps alive, widened by the lifelong kind and cut at the last step.
    Span,
    /// Aligned size × span.
    SizeSpan,
    /// Lifelong word.
    LifeLong,
    /// Type word.
    TensorType,
    /// Number of nodes that read it.
    Readers,
    /// Number of inputs of a node (tensors and parameters).
    Inputs,
    /// Number of outputs of a node.
    Outputs,
    /// Number of workspaces of a node.
    Workspaces,
    /// Aligned bytes alive at the node's step.
    AliveTensorsSize,
    /// Everything produced up to the node's step.
    TotalTensorSize,
    /// `AliveTensorsSize` + static memory.
    InUseMemory,
    /// `TotalTensorSize` + static memory.
    TotalMemory,
    /// What a finding is: its stable word.
    Finding,
    /// How a hazard collides: `waw`, `raw` or `war`.
    Collision,
    /// Which rule forbids it: `order` or `dependency`.
    Rule,
    /// Bytes in common.
    Shared,
    /// The node a finding is about; of a hazard the one of the earlier tensor.
    At,
    /// The node it collides with.
    Against,
    /// What else is to be said of a finding: names of nodes, a place in the file.
    Note,
    /// Why sharing is fine or not: `hazard`, `union`, `before`, `after`, `alone` or `undecided`.
    Why,
    /// The tensor that was compared with: `%62T`.
    With,
}

impl TableName {
    /// Whether its rows are made as a whole, apart from those of the plan.
    pub fn is_made_whole(self) -> bool {
        matches!(self, Self::Findings | Self::Overlaps)
    }

    /// The columns a table has, in the order they are shown.
    pub fn columns(self) -> &'static [Column] {
        use Column as C;
        match self {
            Self::Nodes => &[
                C::Id,
                C::Name,
                C::Operator,
                C::OpId,
                C::Stream,
                C::Inputs,
                C::Outputs,
                C::Workspaces,
                C::AliveTensorsSize,
                C::InUseMemory,
                C::TotalTensorSize,
                C::TotalMemory,
            ],
            Self::Tensors | Self::Alive => &[
                C::Id,
                C::Aligned,
                C::Size,
                C::Padding,
                C::Span,
                C::SizeSpan,
                C::LifeStart,
                C::LifeEnd,
                C::StartAddr,
                C::EndAddr,
                C::TensorType,
                C::LifeLong,
                C::Readers,
                C::Stream,
                C::OutputIndex,
                C::SourceStep,
                C::Operator,
                C::Name,
            ],
            Self::Findings => &[
                C::Id,
                C::Finding,
                C::Collision,
                C::Rule,
                C::Shared,
                C::At,
                C::Against,
                C::Note,
            ],
            Self::Overlaps => &[
                C::Id,
                C::Why,
                C::With,
                C::Shared,
                C::LifeStart,
                C::LifeEnd,
                C::StartAddr,
                C::EndAddr,
                C::Aligned,
                C::Readers,
                C::Stream,
                C::LifeLong,
                C::TensorType,
                C::SourceStep,
                C::Name,
            ],
            Self::Parameters => &[
                C::Id,
                C::Size,
                C::StartAddr,
                C::EndAddr,
                C::OutputIndex,
                C::Readers,
                C::Name,
            ],
        }
    }
}

/// What everything is narrowed to; an absent part narrows nothing.
///
/// Tensors are judged by their source node; one without a source node lies in no layer but the
/// root (the empty path) and is made by no operator. Parameters are made by no node and have no
/// type: they are judged by the path of their own name, and an operator or a type leaves none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Narrow {
    /// A scope path: only what lies in it (`Default/net/layer1`, without a `/` at its end). A
    /// name without a scope lies in the layer that is called like its operator.
    pub layer: Option<String>,
    /// An operator: only what its nodes make.
    pub operator: Option<String>,
    /// A tensor type: only tensors of it, only nodes that make one.
    pub tensor_type: Option<String>,
}

/// Asks for rows of a table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TableRequest {
    /// Handle of the graph.
    pub graph: u32,
    /// The table.
    pub table: TableName,
    /// The step, for [`TableName::Alive`].
    pub step: u32,
    /// The column to sort by; `None` (or a column that the table has not) by id, ascending. Ties
    /// are broken by id, ascending, and rows with an empty cell come last, in both directions.
    /// Texts are compared byte by byte.
    pub sort: Option<Column>,
    /// Largest (or last) first.
    pub descending: bool,
    /// Only rows whose id, name, type or lifelong word contains this text (ASCII letters of
    /// either case); empty takes all. In a table that is made whole any text counts, and `=word`
    /// wants a cell that is that word.
    pub filter: String,
    /// Only rows within this; [`TableName::Findings`] and [`TableName::Overlaps`] are not narrowed.
    pub narrow: Narrow,
    /// Whose bytes, for [`TableName::Overlaps`].
    pub overlap: OverlapOf,
    /// First row wanted, from 0, counted in what filter and narrowing leave.
    pub first: u32,
    /// Most rows wanted.
    pub rows: u32,
    /// The id of a row that is wanted instead of `first`: the page it stands on.
    pub reveal: Option<u64>,
}

/// Rows of a table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TableRows {
    /// The table.
    pub table: TableName,
    /// Number of rows that filter and narrowing leave.
    pub total: u32,
    /// Number of rows of the table.
    pub of: u32,
    /// First row of this page, from 0.
    pub first: u32,
    /// Where the row of [`TableRequest::reveal`] stands, from 0; `None` where filter or narrowing
    /// leave it out, and in tables that are made whole.
    pub revealed: Option<u32>,
    /// Sum of the aligned sizes (parameters: sizes; nodes: 0) over the `total` rows; a union group
    /// counts once, by the largest of its rows.
    pub sum: u64,
    /// The rows; their cells in the order of [`TableName::columns`].
    pub rows: Vec<TableRow>,
}

/// One row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableRow {
    /// The id as the dump writes it: `$12`, `%62T`, `%5P`.
    pub key: String,
    /// One cell a column.
    pub cells: Vec<Cell>,
}

/// A cell, still with its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cell {
    /// Unknown or absent.
    Empty,
    /// Bytes.
    Bytes(u64),
    /// Bytes that are one piece of memory with the tensor of that id, and counted there.
    CountedWith(u64, u64),
    /// Bytes that may be negative.
    SignedBytes(i64),
    /// Bytes × steps.
    ByteSteps(u64),
    /// A plain number.
    Number(u64),
    /// A step: a link to its node.
    Step(u32),
    /// An address or offset.
    Address(u64),
    /// A word or a name.
    Text(String),
    /// A sentence.
    Said(Bilingual),
}

/// How bytes are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum GroupBy {
    /// The scope path of the source node, as a tree. Names without scopes give one level: the
    /// operators.
    #[default]
    Layer,
    /// The operator of the source node.
    Operator,
    /// The tensor type.
    TensorType,
}

/// Asks for what is alive at a step, grouped.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GroupRequest {
    /// Handle of the graph.
    pub graph: u32,
    /// The step.
    pub step: u32,
    /// How to group.
    pub by: GroupBy,
    /// Only what lies within this.
    pub narrow: Narrow,
}

/// What is alive at a step, grouped; and the parameters beside it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Groups {
    /// The step.
    pub step: u32,
    /// How it is grouped.
    pub by: GroupBy,
    /// Whether the dump's names have no scopes, so that there are no layers.
    pub short_names: bool,
    /// The tree: parents before children, the first one is the root (its name is empty). The
    /// children of a group stand together, sorted by bytes, largest first, the gathered rest
    /// behind them. What lies in a group and in none of its children lies directly in it; what
    /// has no source node lies directly in the root (by type it has a group).
    pub alive: Vec<Group>,
    /// Static memory in the same way; by layer from the parameters' names (`a/b` and `a.b` are
    /// both paths; the last part is left out where there are several), otherwise a root alone.
    pub parameters: Vec<Group>,
}

/// One group of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Index of the parent; `None` for the root.
    pub parent: Option<u32>,
    /// Own name: the last part of its path. `…` gathers the small rest of a very wide group.
    pub name: String,
    /// Whole path, as [`Narrow`] takes it; of `…` that of its parent.
    pub path: String,
    /// Bytes of the group and everything below it; a union group of tensors counts once, where
    /// the member that stands for it belongs.
    pub bytes: u64,
    /// Aligned − original bytes in the same way.
    pub waste: i64,
    /// Number of pieces (tensors with bytes; parameters).
    pub pieces: u32,
}

/// A link to a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeLink {
    /// Its step.
    pub step: u32,
    /// Its name, full.
    pub name: String,
}

/// A link to a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensorLink {
    /// Its id.
    pub id: u64,
    /// Aligned size, bytes.
    pub aligned: u64,
    /// First step alive.
    pub first: u32,
    /// Last step alive, included.
    pub last: u32,
    /// Name of its source node; empty without one.
    pub source: String,
}

/// A list that may be long: its first items, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Some200<T> {
    /// The first 200.
    pub first: Vec<T>,
    /// Number in all.
    pub total: u32,
}

/// Everything about one tensor.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TensorFacts {
    /// Its id.
    pub id: u64,
    /// Bytes asked for.
    pub size: u64,
    /// Bytes reserved; 0 = not placed.
    pub aligned: u64,
    /// Shown offset; `None` when not placed, or in a stage dump.
    pub offset: Option<u64>,
    /// True offset, where it differs from the shown one.
    pub true_offset: Option<u64>,
    /// Where offset 0 lies; 0 where nothing tells.
    pub base: u64,
    /// Address and size as the task of its source node used them.
    pub task: Option<(u64, u64)>,
    /// First step alive, widened.
    pub first: u32,
    /// Last step alive, widened, included.
    pub last: u32,
    /// Type word.
    pub tensor_type: String,
    /// Lifelong word.
    pub lifelong: String,
    /// The node that makes it.
    pub producer: Option<NodeLink>,
    /// Index among the outputs or workspaces of that node.
    pub output_index: Option<u32>,
    /// Stream of that node; `None` where streams mean nothing.
    pub stream: Option<u32>,
    /// The nodes that read it.
    pub readers: Some200<NodeLink>,
    /// The nodes that list it otherwise: clean nodes that zero it, repetitions that write it again.
    pub also_used: Some200<NodeLink>,
    /// How many other tensors share bytes with it at any time.
    pub sharing: u32,
    /// The other members of its union.
    pub mates: Some200<TensorLink>,
    /// Its contiguous list in order, itself included; empty without one.
    pub contiguous: Some200<TensorLink>,
    /// Who held (some of) its bytes last before it: the latest to end, then the lowest id. A
    /// union mate counts like any other; nobody in a stage dump.
    pub before: Option<TensorLink>,
    /// Who takes (some of) its bytes first after it: the earliest to begin, then the lowest id.
    pub after: Option<TensorLink>,
}

/// Everything about one node.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeFacts {
    /// Its step.
    pub step: u32,
    /// Its name, full.
    pub name: String,
    /// Its operator.
    pub operator: String,
    /// Its stream; `None` where streams mean nothing.
    pub stream: Option<u32>,
    /// Whether it is a communication node.
    pub communication: bool,
    /// Whether it only zeroes its inputs.
    pub clean: bool,
    /// Whether it repeats an earlier node.
    pub repeated: bool,
    /// Tensors it reads, in kernel order.
    pub inputs: Some200<TensorLink>,
    /// Parameters it reads: id, name, bytes.
    pub parameters: Some200<(u64, String, u64)>,
    /// Tensors it makes.
    pub outputs: Some200<TensorLink>,
    /// Its scratch.
    pub workspaces: Some200<TensorLink>,
    /// Nodes it must wait for by an order edge, by step.
    pub after: Some200<NodeLink>,
    /// Nodes that must wait for it by an order edge, by step.
    pub before: Some200<NodeLink>,
    /// What its task used.
    pub task: Option<NodeTask>,
    /// Aligned bytes alive at its step.
    pub alive: u64,
    /// `alive` + static memory.
    pub in_use: u64,
}

/// Everything about one parameter.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ParameterFacts {
    /// Its id.
    pub id: u64,
    /// Its name, full.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Device address, where the dump prints one or tasks used one.
    pub start_addr: Option<u64>,
    /// The nodes that read it.
    pub readers: Some200<NodeLink>,
}

/// How the steps of a second plan are laid over those of the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Alignment {
    /// Stretched: the last step lies on the last step.
    #[default]
    Scaled,
    /// By node name: a node lies on the node of the same name (the n-th of a repeated name on the
    /// n-th); steps between two such nodes are stretched between them. Where such pairs cross, as
    /// many of them count as keep the order.
    ByName,
}

/// Asks for the curve of a second plan over the steps of the first.
///
/// Each of its steps lies on one step of the first. A column holds what lies on its steps; one on
/// which nothing lies holds the nearest step's value, the earlier one of two. The peak step of the
/// answer is the step of the first graph on which the other's peak lies.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct OverlayRequest {
    /// Handle of the graph whose steps are the axis.
    pub graph: u32,
    /// Handle of the graph that is laid over it.
    pub other: u32,
    /// How.
    pub alignment: Alignment,
    /// First step of the window, of `graph`.
    pub first: u32,
    /// Last step of the window, included.
    pub last: u32,
    /// Most columns wanted.
    pub columns: u32,
}
