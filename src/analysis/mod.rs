//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

mod liveness;
pub mod names;
mod peak;
mod readers;
mod search;

pub use liveness::{liveness, Liveness};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use readers::{output_indices, parameter_readers};
pub use search::names_containing;
