//! The memory map of a made dump of a million tensors: making it, painting it, pointing at it.
//!
//! By hand: `SOMASCOPE_BENCH_DUMP=plan.ir cargo bench --bench map`. One JSON object a line comes
//! out; the targets are those of the browser.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use somascope::parse::{ReadOptions, Reader};
use somascope::pixels::look::{colours, Look};
use somascope::pixels::moved::{moved, Picture};
use somascope::pixels::{MemoryMap, Painter, Window};
use somascope::report::map::key::{classes, MapKey};
use somascope::units::{ByteRange, LiveRange};

const REPEATS: u32 = 12;

fn main() {
    let Ok(path) = std::env::var("SOMASCOPE_BENCH_DUMP") else {
        eprintln!("SOMASCOPE_BENCH_DUMP is not set");
        return;
    };
    let bytes = std::fs::read(&path).expect("the dump can be read");
    let mut reader = Reader::new(ReadOptions::default());
    reader.push(&bytes);
    let plan = reader.finish().plan.expect("the dump is a plan");
    let timed = |name: &str, target: f64, f: &mut dyn FnMut()| {
        // The best of a few: whatever else the machine does only adds to it.
        let seconds = (0..REPEATS).map(|_| {
            let start = Instant::now();
            f();
            start.elapsed().as_secs_f64()
        });
        let seconds = seconds.fold(f64::INFINITY, f64::min);
        println!(r#"{{"name":"{name}","target":{target},"seconds":{seconds:.4}}}"#);
    };
    let mut map = MemoryMap::default();
    timed("make the map", 0.15, &mut || map = MemoryMap::new(&plan));
    let mut keyed = Default::default();
    for key in MapKey::ALL {
        timed(&format!("{key:?}"), 0.1, &mut || {
            keyed = classes(&plan, &map, key)
        });
    }
    keyed = classes(&plan, &map, MapKey::Operator);
    let top = map.boxes().iter().map(|b| b.bytes.end).max().unwrap_or(1) as f64;
    let steps = f64::from(plan.steps);
    let (mut painter, mut pixels) = (Painter::default(), Vec::new());
    let look = Look {
        dark: false,
        pale: 0,
    };
    for zoom in [1.0, 1.3, 2.0, 4.0, 10.0, 100.0, 1000.0] {
        let window = Window {
            left: steps * 0.4 * (1.0 - 1.0 / zoom),
            right: steps * (0.4 + 0.6 / zoom),
            bottom: top * 0.2 * (1.0 - 1.0 / zoom),
            top: top * (0.2 + 0.8 / zoom),
        };
        timed(&format!("paint at {zoom}"), 0.01, &mut || {
            colours(
                &mut painter,
                (&map, &keyed.of_box),
                window,
                (1920, 1080),
                look,
                &mut pixels,
            );
            black_box(&pixels);
        });
    }
    let whole = Window {
        left: 0.0,
        right: steps,
        bottom: 0.0,
        top,
    };
    let size = (1920, 1080);
    let of = (&map, keyed.of_box.as_slice());
    colours(&mut painter, of, whole, size, look, &mut pixels);
    let there = pixels.chunks_exact(4).map(|p| [p[0], p[1], p[2], p[3]]);
    let picture = Picture {
        window: whole,
        size,
        pixels: there.collect(),
    };
    let mut out = Vec::new();
    for zoom in [1.0, 1.09, 10.0] {
        let window = Window {
            right: steps / zoom,
            top: top / zoom,
            ..whole
        };
        timed(&format!("moved at {zoom}"), 0.003, &mut || {
            moved(&[&picture], window, size, [255; 4], &mut out);
            black_box(&out);
        });
    }
    timed("hit", 0.005, &mut || {
        let step = plan.steps / 2;
        let steps = LiveRange {
            first: step,
            last: step + 300,
        };
        black_box(map.hit(step, 1 << 24, steps, ByteRange::at(1 << 24, 1 << 20)));
    });
    timed("holes", 0.005, &mut || {
        black_box(map.holes(plan.steps / 2, top as u64));
    });
}
