//! Numbers from a plan: each analysis is a function of a [`Plan`](crate::model::Plan) that
//! returns a result value; no IO, no text.

pub mod align;
pub mod findings;
pub mod group;
mod hazard;
mod join;
mod judge;
mod liveness;
pub mod matrix;
pub mod names;
mod near;
mod neighbours;
mod order;
mod overlap;
mod owners;
mod pair;
mod peak;
mod readers;
mod search;
mod tasks;

pub use findings::{findings, Finding, FindingKind, PlanFindings};
pub use hazard::{
    safety, safety_and_rules, Hazard, HazardKind, Safety, Undecided, Verdict, MOST_COUNTED,
    MOST_LISTED,
};
pub use join::Join;
pub use judge::Rules;
pub use liveness::{liveness, Liveness};
pub use near::near_nodes;
pub use neighbours::{neighbours, Neighbours};
pub use order::Order;
pub use overlap::{overlaps, Fit, OverlapRow, Overlaps, Selection, MOST_ROWS};
pub use owners::{nodes_using, outside, sharing_bytes, tensors_in, tenures, Tenure};
pub use pair::{Edge, Ground, Pair, Path, MOST_PATHS};
pub use peak::{alive_at, facts, AliveTensor, Facts, Peak};
pub use readers::{output_indices, parameter_readers};
pub use search::names_containing;
pub use tasks::{check_tasks, TaskCheck, TaskFinding, TaskKind};
