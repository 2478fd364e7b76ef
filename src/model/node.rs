//! Nodes: kernel launches in execution order.

use super::{Ids, Lists, NameId, NONE};

/// What is special about a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeFlags(pub u8);

impl NodeFlags {
    /// A communication node (type 1): its inputs, and its outputs, must lie in one piece.
    pub const COMMUNICATION: Self = Self(1);
    /// A clean node (`AtomicAddrClean`, `MemSet`): its inputs are zeroed by it, not read.
    pub const CLEAN: Self = Self(2);
    /// A repetition of an earlier node: all its tensors belong to that one.
    pub const REPEATED: Self = Self(4);

    /// Whether all of `other`'s flags are set.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether a node's data comes from its inputs: clean nodes read nothing, except in
    /// generation A.
    pub(crate) fn reads_inputs(self, generation_a: bool) -> bool {
        generation_a || !self.has(Self::CLEAN)
    }

    /// Sets all of `other`'s flags.
    pub fn set(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

/// An input of a node: a tensor or a parameter, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRef {
    /// Tensor index.
    Tensor(u32),
    /// Parameter index.
    Parameter(u32),
}

/// In [`Nodes::inputs`], the bit that tells a parameter from a tensor.
pub(crate) const PARAMETER_BIT: u32 = 1 << 31;

impl InputRef {
    /// From the form kept in [`Nodes::inputs`].
    pub fn decode(item: u32) -> Self {
        if item & PARAMETER_BIT == 0 {
            Self::Tensor(item)
        } else {
            Self::Parameter(item & !PARAMETER_BIT)
        }
    }
}

/// The nodes of a plan, one entry a node in every column.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// The printed numbers, which are the steps.
    pub ids: Ids,
    /// Name as printed: full scope path (C3) or its last part.
    pub name: Vec<NameId>,
    /// Stream id; on CPU plans the node number, which carries no information.
    pub stream: Vec<u32>,
    /// Special kinds.
    pub flags: Vec<NodeFlags>,
    /// Inputs in kernel order, as [`InputRef::decode`] reads them; references to things that do
    /// not exist are left out (and reported).
    pub inputs: Lists,
    /// Outputs: tensor indices.
    pub outputs: Lists,
    /// Workspaces: tensor indices.
    pub workspaces: Lists,
}

impl Nodes {
    /// Number of nodes.
    pub fn len(&self) -> u32 {
        self.ids.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The step at which node `n` runs: its printed number.
    pub fn step(&self, n: u32) -> u32 {
        self.ids.id(n) as u32
    }

    /// The node that runs at `step`.
    pub fn at_step(&self, step: u32) -> Option<u32> {
        self.ids.index_of(u64::from(step))
    }

    /// The inputs of node `n` in kernel order.
    pub fn inputs_of(&self, n: u32) -> impl Iterator<Item = InputRef> + '_ {
        self.inputs
            .get(n)
            .iter()
            .map(|&item| InputRef::decode(item))
    }

    /// Flags of node `n`.
    pub fn flags_of(&self, n: u32) -> NodeFlags {
        self.flags.get(n as usize).copied().unwrap_or_default()
    }

    /// Stream of node `n`.
    pub fn stream_of(&self, n: u32) -> u32 {
        self.stream.get(n as usize).copied().unwrap_or(NONE)
    }
}
