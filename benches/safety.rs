//! Judging a plan, against reading it; and what it costs in memory.
//!
//! `SOMASCOPE_BENCH_DUMP=plan.ir cargo bench --bench safety`. One JSON object a line comes out.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use somascope::analysis;
use somascope::parse::{ReadOptions, Reader};

fn main() {
    let Ok(path) = std::env::var("SOMASCOPE_BENCH_DUMP") else {
        eprintln!("SOMASCOPE_BENCH_DUMP is not set");
        return;
    };
    let bytes = std::fs::read(&path).expect("the dump can be read");
    let read = || {
        let mut reader = Reader::new(ReadOptions::default());
        reader.push(&bytes);
        reader.finish().plan.expect("a plan")
    };
    let plan = read();
    let parse = best_of(3, || drop(black_box(read())));
    let judge = best_of(3, || drop(black_box(analysis::safety(black_box(&plan)))));
    let order = best_of(3, || drop(black_box(analysis::Order::of(black_box(&plan)))));
    let safety = analysis::safety(&plan);
    eprintln!(
        "{} tensors, {} nodes: parse {parse:.3} s, order {order:.3} s, verdict {judge:.3} s, {:?}, {} hazards",
        plan.n_tensors(),
        plan.n_nodes(),
        safety.verdict,
        safety.count
    );
    println!(
        "{{\"name\":\"verdict / parse\",\"measured\":{},\"unit\":\"x\"}}",
        judge / parse
    );
}

fn best_of(n: u32, mut run: impl FnMut()) -> f64 {
    (0..n)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64()
        })
        .fold(f64::INFINITY, f64::min)
}
