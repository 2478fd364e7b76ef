//! Random plans that are valid: proptest picks a [`Spec`] of plain numbers, [`build`] makes a net
//! of it and places its tensors by first fit, [`mini`] writes the text.

pub mod build;
pub mod mini;
pub mod place;

pub use build::build;
pub use mini::{Mini, Section, Style};

use proptest::prelude::*;

/// What one node is to be, as far as the net allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Plain,
    InPlace,
    Communication,
    Clean,
    Event,
    Repeat,
}

/// One node by plain numbers; the builder takes them modulo what there is.
#[derive(Clone, Debug)]
pub struct NodeSpec {
    pub op: Op,
    pub stream: u8,
    pub inputs: Vec<u16>,
    /// Index into the sizes, flavour.
    pub outputs: Vec<(u8, u8)>,
    pub workspaces: Vec<u8>,
    pub name: u8,
}

/// A whole net.
#[derive(Clone, Debug)]
pub struct Spec {
    pub style: Style,
    pub streams: u8,
    pub params: Vec<u8>,
    pub nodes: Vec<NodeSpec>,
}

fn node() -> impl Strategy<Value = NodeSpec> {
    let op = prop_oneof![
        6 => Just(Op::Plain),
        4 => Just(Op::InPlace),
        2 => Just(Op::Communication),
        1 => Just(Op::Clean),
        2 => Just(Op::Event),
        1 => Just(Op::Repeat),
    ];
    let output = (0u8..16, 0u8..24);
    let lists = (
        prop::collection::vec(any::<u16>(), 0..4),
        prop::collection::vec(output, 0..4),
        prop::collection::vec(0u8..16, 0..3),
    );
    (op, any::<u8>(), lists, 0u8..32).prop_map(
        |(op, stream, (inputs, outputs, workspaces), name)| NodeSpec {
            op,
            stream,
            inputs,
            outputs,
            workspaces,
            name,
        },
    )
}

/// Any net in a style.
pub fn spec_of(style: Style) -> impl Strategy<Value = Spec> {
    let nodes = prop::collection::vec(node(), 0..14);
    (1u8..4, prop::collection::vec(0u8..16, 0..5), nodes).prop_map(
        move |(streams, params, nodes)| Spec {
            style,
            streams,
            params,
            nodes,
        },
    )
}

/// Any net in any style.
pub fn any_spec() -> impl Strategy<Value = Spec> {
    prop::sample::select(Style::ALL.to_vec()).prop_flat_map(spec_of)
}

/// Any valid plan.
pub fn any_plan() -> impl Strategy<Value = Mini> {
    any_spec().prop_map(|spec| build(&spec))
}
