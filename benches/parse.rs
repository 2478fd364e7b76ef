//! Reading and resolving a made dump of a million tensors, against newline scans over the same
//! resident bytes, and the peak memory of doing so.
//!
//! `cargo xtask bench` makes the dump and runs this; by hand:
//! `SOMASCOPE_BENCH_DUMP=plan.ir cargo bench --bench parse`. One JSON object a line comes out.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use somascope::model::Plan;
use somascope::parse::{ReadOptions, Reader};

/// Reading and resolving takes at most this many newline scans.
const MOST_SCANS: f64 = 12.0;

/// The best of so many scans counts,
const SCANS: u32 = 5;

/// and the best of so many reads.
const ROUNDS: u32 = 11;

fn main() {
    let Ok(path) = std::env::var("SOMASCOPE_BENCH_DUMP") else {
        // `cargo bench` without a dump, or `cargo test --benches`: nothing to time.
        eprintln!("SOMASCOPE_BENCH_DUMP is not set");
        return;
    };
    let bytes = std::fs::read(&path).expect("the dump can be read");

    // First of all, so that nothing else has touched memory yet.
    let tensors = read(&bytes).map_or(0, |plan| plan.n_tensors());
    let peak = peak_memory();

    // In turn, so that both see the machine in the same moods; what the reader made is dropped
    // off the clock.
    let (mut parse, mut scan) = (f64::INFINITY, f64::INFINITY);
    for round in 0..ROUNDS {
        parse = parse.min(seconds(|| read(black_box(&bytes))));
        if round < SCANS {
            scan = scan.min(seconds(|| {
                memchr::memchr_iter(b'\n', black_box(&bytes)).count()
            }));
        }
    }

    eprintln!(
        "{} bytes, {tensors} tensors: parse {:.3} s ({:.2} GB/s), scan {:.4} s ({:.2} GB/s)",
        bytes.len(),
        parse,
        bytes.len() as f64 / parse / 1e9,
        scan,
        bytes.len() as f64 / scan / 1e9
    );
    report(
        "native parse + resolve / newline scan",
        &format!("<= {MOST_SCANS}"),
        parse / scan,
        "x",
        parse / scan <= MOST_SCANS,
    );
    if let Some(peak) = peak {
        let most = bytes.len() as f64 * 1.3 + 50e6;
        report(
            "native peak memory",
            &format!("<= {:.0} MB (1.3 x file + 50 MB)", most / 1e6),
            peak / 1e6,
            "MB",
            peak <= most,
        );
    }
    println!("{{\"name\":\"native seconds\",\"measured\":{parse},\"unit\":\"s\"}}");
}

fn read(bytes: &[u8]) -> Option<Plan> {
    let mut reader = Reader::new(ReadOptions {
        size_hint: bytes.len() as u64,
        ..ReadOptions::default()
    });
    reader.push(bytes);
    reader.finish().plan
}

/// How long it takes to make a value; dropping it does not count.
fn seconds<T>(make: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    let made = black_box(make());
    let seconds = start.elapsed().as_secs_f64();
    drop(made);
    seconds
}

/// The most memory this process ever had resident, in bytes (Linux).
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    line.split_whitespace()
        .nth(1)?
        .parse::<f64>()
        .ok()
        .map(|kb| kb * 1024.0)
}

fn report(name: &str, target: &str, measured: f64, unit: &str, pass: bool) {
    println!("{{\"name\":\"{name}\",\"target\":\"{target}\",\"measured\":{measured},\"unit\":\"{unit}\",\"pass\":{pass}}}");
}
