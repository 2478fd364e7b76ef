//! Chores of the project: serve, test, dist, bench.
fn main() {}
