//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

mod join;
mod liveness;
mod overwrite;
mod owners;
mod peak;
mod tasks;

pub use join::Join;
pub use liveness::{liveness, Liveness};
pub use overwrite::{overwrites, Overwrite, Overwrites};
pub use owners::{nodes_using, parameter_readers, sharing_bytes, tensors_in};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use tasks::{check_tasks, TaskCheck, TaskFinding, TaskKind};
