//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

mod hazard;
mod join;
mod liveness;
mod order;
mod owners;
mod peak;
mod tasks;

pub use hazard::{
    safety, Hazard, HazardKind, Safety, Undecided, Verdict, MOST_COUNTED, MOST_LISTED,
};
pub use join::Join;
pub use liveness::{liveness, Liveness};
pub use order::Order;
pub use owners::{nodes_using, parameter_readers, sharing_bytes, tensors_in};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use tasks::{check_tasks, TaskCheck, TaskFinding, TaskKind};
