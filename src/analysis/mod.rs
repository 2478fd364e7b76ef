//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

pub mod align;
pub mod group;
mod hazard;
mod join;
mod liveness;
mod map;
pub mod names;
mod neighbours;
mod order;
mod owners;
mod peak;
mod readers;
mod search;
mod tasks;

pub use hazard::{
    safety, Hazard, HazardKind, Safety, Undecided, Verdict, MOST_COUNTED, MOST_LISTED,
};
pub use join::Join;
pub use liveness::{liveness, Liveness};
pub use map::{Holes, MapBox, MemoryMap};
pub use neighbours::{neighbours, Neighbours};
pub use order::Order;
pub use owners::{nodes_using, sharing_bytes, tensors_in};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use readers::{output_indices, parameter_readers};
pub use search::names_containing;
pub use tasks::{check_tasks, TaskCheck, TaskFinding, TaskKind};
