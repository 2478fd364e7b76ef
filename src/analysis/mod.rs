//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

mod hazard;
mod liveness;
mod order;
mod peak;

pub use hazard::{
    safety, Hazard, HazardKind, Safety, Undecided, Verdict, MOST_COUNTED, MOST_LISTED,
};
pub use liveness::{liveness, Liveness};
pub use order::Order;
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
