//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

pub mod align;
pub mod group;
mod liveness;
pub mod names;
mod neighbours;
mod peak;
mod readers;
mod search;

pub use liveness::{liveness, Liveness};
pub use neighbours::{neighbours, Neighbours};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use readers::{output_indices, parameter_readers};
pub use search::names_containing;
