//! Judging a plan, against reading it, and what it costs in memory: with a few streams, as on
//! Ascend, and where every node is a stream of its own, as on CPU; and how both grow.
//!
//! `cargo xtask bench` makes the dumps and runs this; by hand:
//! `SOMASCOPE_BENCH_STREAMS=a.ir SOMASCOPE_BENCH_CPU=b.ir SOMASCOPE_BENCH_GROWTH=c.ir:d.ir cargo
//! bench --bench safety`. JSON objects, one a line, come out.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use somascope::analysis;
use somascope::model::Plan;
use somascope::parse::{ReadOptions, Reader};

/// A verdict takes at most this many times as long as reading the plan,
const MOST_TIMES: [(&str, &str, f64); 2] = [
    ("SOMASCOPE_BENCH_STREAMS", "8 streams", 2.0),
    ("SOMASCOPE_BENCH_CPU", "CPU-like", 5.0),
];

/// and this many bytes a tensor more.
const MOST_BYTES: f64 = 100.0;

/// The best of so many rounds counts.
const ROUNDS: u32 = 5;

/// Tells a process that it is to measure memory only.
const MEMORY: &str = "SOMASCOPE_BENCH_MEMORY";

fn main() {
    if let Ok(path) = std::env::var(MEMORY) {
        return memory_of(&path);
    }
    for (variable, name, most) in MOST_TIMES {
        let Ok(path) = std::env::var(variable) else {
            eprintln!("{variable} is not set");
            continue;
        };
        let (plan, parse, judge) = times(&path);
        let ratio = judge / parse;
        report(&format!("verdict / parse, {name}"), most, ratio, "x");
        let findings = seconds(|| {
            let safety = analysis::safety(&plan);
            analysis::findings(&plan, &safety)
        });
        tell(
            &format!("verdict and findings / parse, {name}"),
            findings / parse,
            "x",
        );
        if let Some(bytes) = memory(&path) {
            let each = bytes / f64::from(plan.n_tensors());
            report(
                &format!("verdict bytes a tensor, {name}"),
                MOST_BYTES,
                each,
                "B",
            );
        }
    }
    let growth = std::env::var("SOMASCOPE_BENCH_GROWTH").unwrap_or_default();
    for path in growth.split(':').filter(|p| !p.is_empty()) {
        let (plan, _, judge) = times(path);
        let n = f64::from(plan.n_tensors());
        let kind = if plan.ordered { "streams" } else { "CPU-like" };
        let name = format!("verdict a tensor at {:.0}k tensors, {kind}", n / 1000.0);
        tell(&name, judge * 1e9 / n, "ns");
    }
}

/// A plan, and the best times to read and to judge it, taken in turn.
fn times(path: &str) -> (Plan, f64, f64) {
    let bytes = std::fs::read(path).expect("the dump can be read");
    let plan = read(&bytes);
    let (mut parse, mut judge) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        parse = parse.min(seconds(|| read(black_box(&bytes))));
        judge = judge.min(seconds(|| analysis::safety(black_box(&plan))));
    }
    let safety = analysis::safety(&plan);
    eprintln!(
        "{} tensors, {} nodes: parse {parse:.3} s, verdict {judge:.3} s, {:?}",
        plan.n_tensors(),
        plan.n_nodes(),
        safety.verdict,
    );
    (plan, parse, judge)
}

fn read(bytes: &[u8]) -> Plan {
    let mut reader = Reader::new(ReadOptions {
        size_hint: bytes.len() as u64,
        ..ReadOptions::default()
    });
    reader.push(bytes);
    reader.finish().plan.expect("a plan")
}

/// How long it takes to make a value; dropping it does not count.
fn seconds<T>(make: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let made = black_box(make());
    let seconds = start.elapsed().as_secs_f64();
    drop(made);
    seconds
}

/// Bytes that judging takes beyond the plan, in a process of its own whose allocator gives back at
/// once what is freed (GNU library; Linux).
fn memory(path: &str) -> Option<f64> {
    let own = std::env::current_exe().ok()?;
    let output = Command::new(own)
        .env(MEMORY, path)
        .env("MALLOC_MMAP_THRESHOLD_", "65536")
        .env("MALLOC_TRIM_THRESHOLD_", "65536")
        .output()
        .ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

fn memory_of(path: &str) {
    let bytes = std::fs::read(path).expect("the dump can be read");
    let plan = read(&bytes);
    drop(bytes);
    // Forgets the peak so far.
    let reset = std::fs::write("/proc/self/clear_refs", "5");
    let before = status("VmRSS:");
    let safety = black_box(analysis::safety(&plan));
    let peak = status("VmHWM:");
    drop(safety);
    if let (Ok(()), Some(before), Some(peak)) = (reset, before, peak) {
        println!("{}", peak - before);
    }
}

/// A line of this process's status, in bytes.
fn status(key: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with(key))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

fn report(name: &str, most: f64, measured: f64, unit: &str) {
    let pass = measured <= most;
    println!("{{\"name\":\"{name}\",\"target\":\"<= {most}\",\"measured\":{measured},\"unit\":\"{unit}\",\"pass\":{pass}}}");
}

fn tell(name: &str, measured: f64, unit: &str) {
    println!("{{\"name\":\"{name}\",\"measured\":{measured},\"unit\":\"{unit}\"}}");
}
