//! The native tests, one binary.
//!
//! | module | what belongs there |
//! | --- | --- |
//! | `support` | fixtures, the product in one call, diffs |
//! | `oracle` | the second opinion: a reader and definitions of its own |
//! | `plans` | random valid plans and the writer of small dumps |
//! | `expected` | every `expected*.json` among the fixtures |
//! | `fixtures` | what holds for every healthy fixture |
//! | `map` | the memory map against a painter that tries every tensor at every pixel |
//! | `map_picture` | every pixel of the memory map and of its file has the colour it must have |
//! | `map_marks` | hazards, outlines and names on the map, pixel by pixel |
//! | `recognise` | what a file is, told by content |
//! | `properties` | random plans against the oracle; changes of form that must not show |
//! | `damage` | damaged text: no panic, no silent loss, every line accounted for |
//! | `explore` | tables, groups, details and overlays against plain definitions |
//! | `bad_dumps` | one small file a diagnostic, the rendered message is the golden |
//! | `colours` | the colours of the memory map, for colour-blind eyes too |
//! | `cells` | every cell of every result file against the oracle in Python |
//! | `answers` | owners of addresses in the order of time, again from the text |
//! | `results` | goldens of result files, the manifest, questions |
//! | `share` | links, their preview and Markdown |
//! | `overview` | the overview example, every number |
//! | `folders` | many dumps in one folder |
//! | `safety` | pairs, paths and overlaps against plain definitions; the verdict asked for by a page |
//! | `tasks` | what the launched tasks used against the plan |
//! | `hostile` | names that would act somewhere, through every way out |
//! | `cli` | exit statuses, streams, flags |
//! | `findings` | contradictions in a plan against their definitions |
//! | `hazards` | tensors that share bytes against trying all pairs |
//! | `matrix` | the planner's conflict matrix against its definition |
//! | `mutations` | real plans with one thing changed |
//! | `wire` | messages as bytes, against the crate whose format it is |
//! | `tidy` | the rules of `ARCHITECTURE.md` that a text search can check |

#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

mod oracle;
mod plans;
mod support;

mod answers;
mod bad_dumps;
mod cells;
mod cli;
mod colours;
mod damage;
mod expected;
mod explore;
mod findings;
mod fixtures;
mod folders;
mod hazards;
mod hostile;
mod manners;
mod map;
mod map_marks;
mod map_picture;
mod matrix;
mod moving;
mod mutations;
mod oom;
mod overview;
mod properties;
mod recognise;
mod results;
mod safety;
mod saving;
mod share;
mod tasks;
mod tidy;
mod wire;
