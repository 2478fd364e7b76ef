//! The memory map against a painter that tries every piece of memory at every pixel, written from
//! the definition; nothing of `pixels` is in it but their answers.

use proptest::prelude::*;
use somascope::analysis::liveness;
use somascope::model::{Plan, PlanKind};
use somascope::pixels::look::{colours, Look};
use somascope::pixels::{MemoryMap, Painter, Window, CLASSES, NO_CLASS};
use somascope::report::map::key::{classes, MapKey};
use somascope::units::{ByteRange, LiveRange};

use crate::plans::{any_plan, mini, Mini, Style};
use crate::properties::{check, Outcome};
use crate::support::{parse, small_dumps};

/// A stretch of memory: the tensor it is called after, its bytes, and whether it is held at each
/// step.
struct Piece {
    tensor: u32,
    bytes: (u64, u64),
    held: Vec<bool>,
}

fn pieces(plan: &Plan) -> Vec<Piece> {
    let mut out = Vec::new();
    if plan.kind == PlanKind::Stage {
        return out;
    }
    let alive = |t: u32, step: u32| plan.live_range(t).is_some_and(|l| l.contains(step));
    for t in 0..plan.n_tensors() {
        let group = plan.unions.iter().find(|g| g.contains(&t));
        let members = group.map_or(vec![t], <[u32]>::to_vec);
        let size = |t: u32| plan.tensors.aligned_size[t as usize];
        let largest = members.iter().map(|&m| size(m)).max().unwrap();
        let head = members.iter().copied().find(|&m| size(m) == largest);
        if head != Some(t) || largest == 0 {
            continue;
        }
        let start = plan.tensors.true_offset(t);
        out.push(Piece {
            tensor: t,
            bytes: (start, start + largest),
            held: (0..plan.steps)
                .map(|step| members.iter().any(|&m| alive(m, step)))
                .collect(),
        });
    }
    out
}

fn common(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0.0)
}

/// What each class covers of each pixel, the lowest row first.
fn brute(pieces: &[Piece], window: Window, (width, height): (u32, u32)) -> Vec<[f64; CLASSES]> {
    let across = (window.right - window.left) / f64::from(width);
    let up = (window.top - window.bottom) / f64::from(height);
    let mut out = vec![[0.0; CLASSES]; (width * height) as usize];
    for piece in pieces {
        let bytes = (piece.bytes.0 as f64, piece.bytes.1 as f64);
        for x in 0..width {
            let left = window.left + f64::from(x) * across;
            let held: f64 = (0..piece.held.len())
                .filter(|&step| piece.held[step])
                .map(|step| common((step as f64, step as f64 + 1.0), (left, left + across)))
                .sum();
            for y in 0..height {
                let bottom = window.bottom + f64::from(y) * up;
                let share = common(bytes, (bottom, bottom + up)) * held / (across * up);
                out[(y * width + x) as usize][piece.tensor as usize % CLASSES] += share;
            }
        }
    }
    out
}

/// Cover and class of each pixel as painted.
fn painted(
    map: &MemoryMap,
    of_box: &[u8],
    window: Window,
    (width, height): (u32, u32),
) -> Vec<(f32, u8)> {
    let mut out = vec![(-1.0, 0); (width * height) as usize];
    let mut columns = 0;
    Painter::default().paint(map, of_box, window, (width, height), &mut |x, runs, _| {
        assert_eq!(x, columns);
        columns += 1;
        let mut y = 0;
        for run in runs {
            assert!(run.end > y && run.end <= height);
            for row in y..run.end {
                out[(row * width + x) as usize] = (run.cover, run.class);
            }
            y = run.end;
        }
        assert_eq!(y, height);
    });
    assert_eq!(columns, width);
    out
}

/// Windows at many zooms, from numbers between 0 and 1.
fn windows(steps: f64, bytes: f64, places: &[(f64, f64, f64, f64)]) -> Vec<Window> {
    let mut out = vec![
        Window {
            left: 0.0,
            right: steps,
            bottom: 0.0,
            top: bytes,
        },
        // More than there is, on all sides.
        Window {
            left: -steps * 0.3,
            right: steps * 1.7,
            bottom: -bytes * 0.2,
            top: bytes * 1.1,
        },
    ];
    for &(x, y, wide, high) in places {
        // From all of it down to a thousandth, and the same on each axis alone.
        let (wide, high) = (
            steps * 10f64.powf(-3.0 * wide),
            bytes * 10f64.powf(-3.0 * high),
        );
        let (left, bottom) = (x * (steps - wide), y * (bytes - high));
        out.push(Window {
            left,
            right: left + wide,
            bottom,
            top: bottom + high,
        });
    }
    out
}

fn compare(plan: &Plan, places: &[(f64, f64, f64, f64)], size: (u32, u32)) -> Outcome {
    let map = MemoryMap::new(plan);
    let of_box: Vec<u8> = map
        .boxes()
        .iter()
        .map(|b| (b.tensor as usize % CLASSES) as u8)
        .collect();
    let pieces = pieces(plan);
    let top = pieces.iter().map(|p| p.bytes.1).max().unwrap_or(1) as f64;
    let look = Look {
        dark: places.len() % 2 == 0,
        pale: 0,
    };
    for window in windows(f64::from(plan.steps.max(1)), top, places) {
        let expected = brute(&pieces, window, size);
        let found = painted(&map, &of_box, window, size);
        let mut pixels = Vec::new();
        colours(
            &mut Painter::default(),
            (&map, &of_box),
            window,
            size,
            look,
            &mut pixels,
        );
        prop_assert_eq!(pixels.len(), expected.len() * 4);
        let (mut ink, mut expected_ink) = (0.0, 0.0);
        for (i, (shares, (cover, class))) in expected.iter().zip(found).enumerate() {
            let all: f64 = shares.iter().sum();
            ink += f64::from(cover);
            expected_ink += all;
            prop_assert!(
                (f64::from(cover) - all).abs() <= 1e-5 * all.max(1.0),
                "pixel {} of {:?}: {} for {}",
                i,
                window,
                cover,
                all
            );
            // Less than this is the rounding of the definition itself.
            let (held, free) = (all > 1e-9, all == 0.0);
            if held {
                let own = shares.get(usize::from(class)).copied().unwrap_or(-1.0);
                let most = shares.iter().fold(0.0f64, |a, b| a.max(*b));
                prop_assert!(
                    own >= most - 1e-9,
                    "pixel {} of {:?}: {:?}, {}",
                    i,
                    window,
                    shares,
                    class
                );
            }
            prop_assert!(
                !(free && class != NO_CLASS) || cover < 1e-6,
                "{} {}",
                cover,
                class
            );
            let row = size.1 as usize - 1 - i / size.0 as usize;
            let at = (row * size.0 as usize + i % size.0 as usize) * 4;
            let ground = look.ground();
            let apart: i32 = (0..3)
                .map(|c| (i32::from(pixels[at + c]) - i32::from(ground[c])).abs())
                .sum();
            prop_assert!(
                !held || apart >= 24,
                "pixel {} of {:?}: {}",
                i,
                window,
                apart
            );
            prop_assert!(!free || class != NO_CLASS || apart == 0, "{}", apart);
        }
        prop_assert!(
            (ink - expected_ink).abs() <= 1e-5 * expected_ink + 1e-9,
            "{} for {}",
            ink,
            expected_ink
        );
    }
    Ok(())
}

fn place() -> impl Strategy<Value = (f64, f64, f64, f64)> {
    (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0)
}

#[test]
fn valid_plans_are_painted_as_they_are() {
    let input = (any_plan(), prop::collection::vec(place(), 0..4));
    check(
        60,
        input,
        |(plan, _)| plan.text(),
        |(plan, places)| {
            let parsed = parse(plan.text().as_bytes());
            compare(&parsed.plan.unwrap(), places, (29, 17))
        },
    );
}

/// Of classes that cover the same of a pixel the lowest is shown, whichever lies lower.
#[test]
fn of_equals_the_lowest_class_is_shown() {
    let mut two = wild(3, 2, 1);
    for (tensor, offset) in two.tensors.iter_mut().zip([0, 512]) {
        (tensor.aligned, tensor.original, tensor.offset) = (512, 512, offset);
        (tensor.first, tensor.last) = (0, 0);
    }
    two.total = 1024;
    let map = MemoryMap::new(&parse(two.text().as_bytes()).plan.unwrap());
    assert_eq!(map.boxes().len(), 2);
    let window = Window {
        left: 0.0,
        right: 1.0,
        bottom: 0.0,
        top: 1024.0,
    };
    for of_box in [[2, 5], [5, 2]] {
        assert_eq!(painted(&map, &of_box, window, (1, 1)), [(1.0, 2)]);
    }
}

/// A plan of many tensors that lie anywhere, over one another too: sizes and lives of every
/// magnitude. Some are union groups, with steps in which no member is alive.
fn wild(seed: u64, tensors: u64, steps: u64) -> Mini {
    let mut state = seed | 1;
    let mut random = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below.max(1)
    };
    let mut plan = Mini::new(Style::C3Cpu);
    for id in 0..steps {
        plan.nodes.push(mini::Node {
            id,
            name: format!("Default/layer{}/Op{}-op{id}", id % 3, id % 5),
            communication: false,
            inputs: vec![],
            outputs: vec![],
            workspaces: vec![],
            stream: id,
        });
    }
    for id in 0..tensors {
        let source = id * steps / tensors;
        let aligned = 512 << random(14);
        let last = (source + (1 << random(8)) - 1).min(steps - 1);
        let reach = 1 << (4 + random(12));
        plan.nodes[source as usize].outputs.push(id);
        plan.tensors.push(mini::Tensor {
            id,
            aligned,
            original: aligned,
            offset: 512 * random(reach),
            kind: "Common".into(),
            lifelong: [0, 0, 0, 0, 0, 0, 0, 1][random(8) as usize],
            first: source,
            last,
            source: plan.nodes[source as usize].name.clone(),
        });
    }
    for first in (0..tensors.saturating_sub(20)).step_by(20) {
        let group = vec![first, first + 3, first + 19];
        let at = plan.tensors[first as usize].offset;
        for &id in &group {
            plan.tensors[id as usize].offset = at;
        }
        plan.unions.push(group);
    }
    plan.total = plan
        .tensors
        .iter()
        .map(|t| t.offset + t.aligned)
        .max()
        .unwrap_or(0);
    plan
}

#[test]
fn wild_plans_are_painted_as_they_are() {
    let input = (
        any::<u64>(),
        1u64..300,
        1u64..200,
        prop::collection::vec(place(), 1..4),
    );
    check(
        40,
        input,
        |i| format!("{i:?}"),
        |(seed, tensors, steps, places)| {
            let parsed = parse(wild(*seed, *tensors, *steps).text().as_bytes());
            compare(&parsed.plan.unwrap(), places, (67, 41))
        },
    );
}

/// At fit the ink is what the curve of alive bytes says, on a raster much coarser than the boxes.
#[test]
fn the_ink_of_fixtures_is_their_alive_curve() {
    let mut seen = 0;
    for (path, bytes) in small_dumps() {
        let Some(plan) = parse(&bytes).plan.filter(|p| p.kind == PlanKind::Plan) else {
            continue;
        };
        let map = MemoryMap::new(&plan);
        let alive: u64 = liveness(&plan).alive.iter().sum();
        let top = map.boxes().iter().map(|b| b.bytes.end).max().unwrap_or(1) as f64;
        let window = Window {
            left: 0.0,
            right: f64::from(plan.steps.max(1)),
            bottom: 0.0,
            top,
        };
        for key in MapKey::ALL {
            let classes = classes(&plan, &map, key);
            assert_eq!(classes.of_box.len(), map.boxes().len());
            let area: f64 = classes.legend.iter().map(|c| c.area).sum();
            let found = painted(&map, &classes.of_box, window, (23, 11));
            let ink: f64 = found.iter().map(|(cover, _)| f64::from(*cover)).sum();
            let ink = ink * (window.right / 23.0) * (top / 11.0);
            for sum in [ink, area] {
                assert!(
                    (sum - alive as f64).abs() <= 1e-5 * alive as f64,
                    "{}",
                    path.display()
                );
            }
            for (_, class) in found.iter().filter(|f| f.1 != NO_CLASS) {
                assert!(classes.legend.iter().any(|c| c.class == *class));
            }
        }
        seen += 1;
    }
    assert!(seen > 10);
}

#[test]
fn holes_and_hits_are_those_of_the_definition() {
    let input = (any::<u64>(), 1u64..120, 1u64..60);
    check(
        40,
        input,
        |i| format!("{i:?}"),
        |(seed, tensors, steps)| {
            let plan = parse(wild(*seed, *tensors, *steps).text().as_bytes())
                .plan
                .unwrap();
            let map = MemoryMap::new(&plan);
            let pieces = pieces(&plan);
            let top = pieces.iter().map(|p| p.bytes.1).max().unwrap();
            for step in 0..plan.steps {
                // Blocks of 512 bytes, one after the other.
                let held = |block: u64| {
                    pieces.iter().any(|p| {
                        p.held[step as usize] && p.bytes.0 <= block * 512 && block * 512 < p.bytes.1
                    })
                };
                let free: Vec<bool> = (0..top / 512).map(|block| !held(block)).collect();
                let runs: Vec<u64> = free
                    .chunk_by(|a, b| a == b)
                    .filter(|run| run[0])
                    .map(|run| run.len() as u64 * 512)
                    .collect();
                let holes = map.holes(step, top);
                let mut sizes: Vec<u64> = holes.iter().map(|hole| hole.len()).collect();
                prop_assert!(holes.is_sorted());
                sizes.sort_unstable();
                let mut runs = runs;
                runs.sort_unstable();
                prop_assert_eq!(sizes, runs);
                for hole in &holes {
                    prop_assert!((hole.start / 512..hole.end / 512).all(|block| !held(block)));
                }
                for byte in [0, 700, top / 2, top - 1, top] {
                    let here = LiveRange {
                        first: step,
                        last: step,
                    };
                    let hit = map
                        .hit(step, byte, here, ByteRange::at(byte, 1))
                        .map(|b| b.tensor);
                    let holds =
                        |p: &&Piece| p.held[step as usize] && p.bytes.0 <= byte && byte < p.bytes.1;
                    let first =
                        |p: &Piece| (0..=step).rev().take_while(|s| p.held[*s as usize]).count();
                    let latest = pieces.iter().filter(holds).map(first).min();
                    let expected = pieces
                        .iter()
                        .filter(holds)
                        .filter(|p| Some(first(p)) == latest)
                        .map(|p| p.tensor)
                        .min();
                    prop_assert_eq!(hit, expected, "step {}, byte {}", step, byte);
                }
            }
            Ok(())
        },
    );
}
