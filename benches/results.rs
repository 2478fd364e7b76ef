//! Writing all result files of a made dump of a million tensors, by the command line as it is
//! shipped, against reading the dump and copying as many bytes as were written.
//!
//! `cargo xtask bench` makes the dump and runs this; by hand:
//! `SOMASCOPE_BENCH_DUMP=plan.ir cargo bench --bench results`. One JSON object a line comes out.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use somascope::parse::{ReadOptions, Reader};

/// The whole command may take so many times as long.
const MOST: f64 = 3.0;

/// The best of so many counts.
const ROUNDS: u32 = 5;

fn main() {
    let Ok(path) = std::env::var("SOMASCOPE_BENCH_DUMP") else {
        eprintln!("SOMASCOPE_BENCH_DUMP is not set");
        return;
    };
    let bytes = std::fs::read(&path).expect("the dump can be read");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bench-results");
    let copy = out.with_extension("copy");
    let (mut write, mut parse, mut cp) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let mut written = 0;
    // In turn, so that all see the machine in the same moods.
    for _ in 0..ROUNDS {
        for dir in [&out, &copy] {
            let _ = std::fs::remove_dir_all(dir);
        }
        write = write.min(seconds(|| {
            let status = Command::new(env!("CARGO_BIN_EXE_somascope"))
                .args(["-s", &path, "-o"])
                .arg(&out)
                .stdout(Stdio::null())
                .status();
            assert!(status.is_ok_and(|s| s.code() != Some(1)), "it writes");
        }));
        parse = parse.min(seconds(|| {
            let mut reader = Reader::new(ReadOptions {
                size_hint: bytes.len() as u64,
                ..ReadOptions::default()
            });
            reader.push(black_box(&bytes));
            drop(black_box(reader.finish()));
        }));
        std::fs::create_dir_all(&copy).expect("a folder can be made");
        let all = files(&out);
        written = all
            .iter()
            .filter_map(|f| f.metadata().ok())
            .map(|m| m.len())
            .sum();
        cp = cp.min(seconds(|| {
            for (i, file) in all.iter().enumerate() {
                std::fs::copy(file, copy.join(i.to_string())).expect("a file can be copied");
            }
        }));
    }
    eprintln!("{written} bytes written in {write:.3} s; parse {parse:.3} s, copy {cp:.3} s");
    let times = write / (parse + cp);
    println!("{{\"name\":\"all result files / (parse + cp)\",\"target\":\"<= {MOST}\",\"measured\":{times},\"unit\":\"x\",\"pass\":{}}}", times <= MOST);
    for dir in [&out, &copy] {
        let _ = std::fs::remove_dir_all(dir);
    }
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir)
            .expect("a folder can be listed")
            .flatten()
        {
            match entry.path() {
                path if path.is_dir() => open.push(path),
                path => found.push(path),
            }
        }
    }
    found
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}
