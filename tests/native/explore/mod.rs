//! Tables, groups, details and overlays against plain definitions over the oracle's reading.
//!
//! What the oracle does not read (device addresses, whether streams order nodes) is taken from
//! the plan, whose reading other tests check.

mod details;
mod groups;
mod lookup;
mod map;
mod overlay;
mod tables;

use somascope::engine::{Request, Response, Session};
use somascope::model::Plan;

use crate::oracle::{is_clean, Oracle, MOST_TENSORS};
use crate::support::{short, small_dumps};

/// An open plan and the oracle's reading of the same text.
pub struct Case {
    pub name: String,
    pub session: Session,
    pub graph: u32,
    pub oracle: Oracle,
}

impl Case {
    pub fn new(name: &str, text: &str) -> Self {
        let mut session = Session::new();
        let graph = open(&mut session, name, text.as_bytes());
        Self {
            name: name.into(),
            session,
            graph,
            oracle: Oracle::of(text),
        }
    }

    pub fn ask(&mut self, request: &Request) -> Response {
        self.session.answer(request)
    }

    pub fn plan(&self) -> &Plan {
        self.session.plan(self.graph).unwrap()
    }

    /// Nodes that read a parameter, by step.
    pub fn parameter_readers(&self, id: u64) -> Vec<u64> {
        let item = format!("%{id}P");
        let a = self.oracle.is_a();
        let nodes = self.oracle.dump.nodes.iter();
        nodes
            .filter(|(_, n)| n.inputs.contains(&item) && (a || !is_clean(&n.name)))
            .map(|(step, _)| *step)
            .collect()
    }

    /// Index of a tensor among the outputs or workspaces of its source node.
    pub fn output_index(&self, t: u64) -> Option<u64> {
        let node = &self.oracle.dump.nodes[self.oracle.source.get(&t)?];
        let place = |list: &[u64]| list.iter().position(|&x| x == t).map(|i| i as u64);
        place(&node.outputs).or_else(|| place(&node.workspaces))
    }

    /// Name of the source node of a tensor.
    pub fn source_name(&self, t: u64) -> Option<&str> {
        let source = self.oracle.source.get(&t)?;
        Some(&self.oracle.dump.nodes[source].name)
    }
}

pub fn open(session: &mut Session, name: &str, bytes: &[u8]) -> u32 {
    let mut reader = session.begin_file(name, 0, false);
    reader.push(bytes);
    session.end_file(reader).unwrap()
}

/// The fixtures that plain definitions can afford.
pub fn cases() -> Vec<Case> {
    small_dumps()
        .into_iter()
        // The text form of the cache leaves out the parameters that its nodes name.
        .filter(|(path, _)| path.extension().is_none_or(|e| e != "info"))
        .map(|(path, bytes)| Case::new(&short(&path), &String::from_utf8(bytes).unwrap()))
        .filter(|case| case.oracle.dump.tensors.len() < MOST_TENSORS)
        .collect()
}

/// The last part of a node name without `-opN`, and N.
pub fn operator(name: &str) -> (String, Option<u64>) {
    let last = match name.rsplit('/').next() {
        Some(last) if !last.is_empty() => last,
        _ => name,
    };
    match last.rsplit_once("-op") {
        Some((stem, n)) if !stem.is_empty() && !n.is_empty() => {
            match n.chars().all(|c| c.is_ascii_digit()) {
                true => (stem.into(), n.parse().ok()),
                false => (last.into(), None),
            }
        }
        _ => (last.into(), None),
    }
}
