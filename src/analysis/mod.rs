//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

mod liveness;
mod peak;

pub use liveness::{liveness, Liveness};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
