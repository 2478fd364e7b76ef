//! What the page is told of the memory map beside its picture, against plain definitions.

use somascope::engine::map::{MapMarks, MapPlace, MapRect};
use somascope::engine::{Request, Response};
use somascope::model::PlanKind;

use super::{cases, Case};
use crate::map_marks::made;
use crate::map_picture::{facts, generations, pieces, top, Piece};
use crate::oracle::Oracle;

fn lit(case: &mut Case, text: &str) -> Vec<MapRect> {
    let request = Request::MapLit {
        graph: case.graph,
        text: text.into(),
    };
    match case.ask(&request) {
        Response::MapLit(found) => found,
        other => panic!("{other:?}"),
    }
}

#[test]
fn parameters_lie_in_their_band_where_the_dump_prints_addresses() {
    let mut seen = 0;
    for case in &mut cases() {
        let band = facts(case, 0).parameters;
        let plan = case.plan();
        let places: Vec<(u64, u64, u64)> = (0..plan.parameters.ids.len())
            .filter_map(|p| {
                let at = *plan.parameters.start_addr.get(p as usize)?;
                let size = plan.parameters.size[p as usize];
                (at > 0 && size > 0).then(|| (at, at + size, plan.parameters.ids.id(p)))
            })
            .collect();
        let Some(band) = band else {
            assert!(places.is_empty(), "{}: no band", case.name);
            continue;
        };
        if places.is_empty() {
            continue;
        }
        seen += 1;
        let (start, end) = (
            places.iter().map(|p| p.0).min().unwrap(),
            places.iter().map(|p| p.1).max().unwrap(),
        );
        assert_eq!(
            (band.bytes, band.count),
            ((start, end), places.len() as u32)
        );
        let cell = (end - start) as f64 / band.cells.len() as f64;
        for (i, own) in band.cells.iter().enumerate() {
            let (from, to) = (i as f64 * cell, (i + 1) as f64 * cell);
            let share = |p: &(u64, u64, u64)| {
                let (a, b) = ((p.0 - start) as f64, (p.1 - start) as f64);
                (b.min(to) - a.max(from)).max(0.0)
            };
            let most = places.iter().map(share).fold(0.0, f64::max);
            let shown = own.map(|(id, _)| places.iter().find(|p| p.2 == id).map_or(0.0, share));
            // Up to the rounding of a cell's ends.
            let slack = cell * 1e-9 + 1e-3;
            // Every other one is darker, in the order of their addresses.
            if let Some((id, darker)) = own {
                let at = places.iter().find(|p| p.2 == *id).unwrap();
                let before = places.iter().filter(|p| **p < *at).count();
                assert_eq!(*darker, before % 2 == 1, "{} cell {i}", case.name);
            }
            match shown {
                Some(shown) => assert!(shown >= most - slack, "{} cell {i}", case.name),
                None => assert!(most <= slack, "{} cell {i}: {most}", case.name),
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn what_is_searched_is_lit() {
    let (mut named, mut alone) = (0, 0);
    for case in &mut cases() {
        let plan = case.plan();
        if plan.kind != PlanKind::Plan || plan.n_nodes() == 0 {
            continue;
        }
        let name = |n: u32| String::from_utf8_lossy(plan.node_name(n)).to_lowercase();
        let middle = name(plan.n_nodes() / 2);
        let last = middle.rsplit('/').next().unwrap().to_owned();
        // A part that no id looks like.
        let text: String = last
            .chars()
            .take_while(|c| c.is_ascii_alphabetic())
            .collect();
        let boxed = |t: &u32| plan.live_range(*t).is_some() && !plan.bytes_of(*t).is_empty();
        let made = |t: &u32| {
            let source = plan.tensors.source_of(*t);
            text.len() > 3 && source.is_some_and(|n| name(n).contains(&text))
        };
        let ids = |tensors: &mut dyn Iterator<Item = u32>| -> Vec<u64> {
            tensors
                .take(2_000)
                .map(|t| plan.tensors.ids.id(t))
                .collect()
        };
        let expected = ids(&mut (0..plan.n_tensors()).filter(made).filter(boxed));
        let one = (0..plan.n_tensors())
            .find(boxed)
            .map(|t| plan.tensors.ids.id(t));
        let is_told = |rects: &[MapRect]| rects.iter().map(|r| r.id).collect::<Vec<_>>();
        if text.len() > 3 {
            named += 1;
            let found = is_told(&lit(case, &text));
            assert_eq!(found, expected, "{}: {text}", case.name);
        }
        if let Some(id) = one {
            alone += 1;
            assert_eq!(
                is_told(&lit(case, &format!("%{id}T"))),
                [id],
                "{}",
                case.name
            );
        }
        assert!(lit(case, "no node is called so").is_empty());
    }
    assert!(named > 3 && alone > 3, "{named}, {alone}");
}

#[test]
fn streams_are_offered_where_they_tell_something() {
    let (mut offered, mut not) = (0, 0);
    for case in &mut cases() {
        let given = facts(case, 0).has_streams;
        let plan = case.plan();
        let streams: std::collections::BTreeSet<u32> = (0..plan.n_nodes())
            .map(|n| plan.nodes.stream_of(n))
            .collect();
        let tells = streams.len() > 1 && streams.len() * 4 < plan.n_nodes() as usize;
        assert_eq!(given, tells, "{}", case.name);
        *(if given { &mut offered } else { &mut not }) += 1;
    }
    assert!(offered > 0 && not > 0, "{offered}, {not}");
}

fn place(case: &mut Case, at: (u32, u64), steps: (u32, u32), bytes: (u64, u64)) -> MapPlace {
    let request = Request::MapPlace {
        graph: case.graph,
        at,
        steps,
        bytes,
    };
    match case.ask(&request) {
        Response::MapPlace(place) => place,
        other => panic!("{other:?}"),
    }
}

/// What nobody holds at a step, below a byte: ascending.
fn holes(pieces: &[Piece], step: u64, height: u64) -> Vec<(u64, u64)> {
    let alive = |p: &&Piece| p.runs.iter().any(|r| (r.0..=r.1).contains(&step));
    let held: Vec<(u64, u64)> = pieces.iter().filter(alive).map(|p| p.bytes).collect();
    let mut ends: Vec<u64> = held.iter().flat_map(|b| [b.0, b.1]).collect();
    ends.extend([0, height]);
    ends.retain(|end| *end <= height);
    ends.sort_unstable();
    ends.dedup();
    let mut out: Vec<(u64, u64)> = Vec::new();
    for part in ends.windows(2) {
        if held.iter().any(|b| b.0 <= part[0] && part[0] < b.1) {
            continue;
        }
        match out.last_mut() {
            Some(last) if last.1 == part[0] => last.1 = part[1],
            _ => out.push((part[0], part[1])),
        }
    }
    out
}

/// Checks who is said to be at a place: a piece in a stretch of steps, of a union group the member
/// that came last of those alive at the step nearest to the place.
fn is_told(case: &Case, told: &MapPlace, may: &[(&Piece, (u64, u64))], at: (u32, u64)) {
    let what = format!("{}, {at:?}: {:?}", case.name, told.found);
    let Some(found) = told.found else {
        assert!(may.is_empty(), "{what}");
        assert_eq!(told.producer, None, "{what}");
        return;
    };
    let oracle: &Oracle = &case.oracle;
    let is = |(piece, run): &&(&Piece, (u64, u64))| {
        let step = u64::from(at.0).max(run.0).min(run.1);
        let group = oracle.group(piece.id);
        let alive = || group.iter().filter(|t| oracle.lives_at(**t, step));
        let latest = alive().map(|&t| oracle.life(t).0).max();
        alive().any(|&t| t == found.id && Some(oracle.life(t).0) == latest)
            && found.bytes == piece.bytes
    };
    assert!(may.iter().any(|m| is(&m)), "{what}");
    let life = (u64::from(found.steps.0), u64::from(found.steps.1));
    assert_eq!(life, oracle.life(found.id), "{what}");
    let source = oracle.source.get(&found.id);
    let producer = source.map(|n| (*n as u32, oracle.dump.nodes[n].name.clone()));
    assert_eq!(told.producer, producer, "{what}");
}

#[test]
fn a_place_says_who_holds_it_and_what_is_free() {
    let (mut held, mut near, mut shared) = (0, 0, 0);
    for case in generations().iter_mut().chain(&mut made()) {
        let pieces = pieces(&case.oracle);
        let summary = case.oracle.summary();
        let planned = summary["planned_total"].as_u64().unwrap();
        let (height, steps) = (top(&pieces), case.oracle.steps as u32);
        for i in 0..steps {
            let step = i * 7 % steps;
            let piece = &pieces[(i * 5) as usize % pieces.len()];
            for byte in [
                piece.bytes.0,
                piece.bytes.1 - 1,
                piece.bytes.1,
                height / 16 * u64::from(i % 16),
            ] {
                // A pixel: some steps and bytes around the place.
                let (wide, high) = (i % 9, u64::from(i % 4) * 40_000);
                let window = (step.saturating_sub(wide), (step + wide).min(steps - 1));
                let bytes = (byte.saturating_sub(high), byte + high + 1);
                let told = place(case, (step, byte), window, bytes);
                assert_eq!(told.step, step);
                let runs = |p| -> Vec<(&Piece, (u64, u64))> {
                    let p: &Piece = p;
                    p.runs.iter().map(|r| (p, *r)).collect()
                };
                let all: Vec<_> = pieces.iter().flat_map(runs).collect();
                let at = u64::from(step);
                let holds = |(p, run): &&(&Piece, (u64, u64))| {
                    (run.0..=run.1).contains(&at) && p.bytes.0 <= byte && byte < p.bytes.1
                };
                let latest = all.iter().filter(holds).map(|b| b.1 .0).max();
                let may: Vec<_> = if latest.is_some() {
                    held += 1;
                    let first = all.iter().filter(holds).filter(|b| Some(b.1 .0) == latest);
                    first.min_by_key(|b| b.0.id).copied().into_iter().collect()
                } else {
                    let common = |(p, run): &(&Piece, (u64, u64))| {
                        let ends = |a: u64, b: u64| b.saturating_sub(a);
                        let long = ends(
                            run.0.max(window.0.into()),
                            (run.1 + 1).min(u64::from(window.1) + 1),
                        );
                        long * ends(p.bytes.0.max(bytes.0), p.bytes.1.min(bytes.1))
                    };
                    let most = all.iter().map(common).max().unwrap();
                    near += usize::from(most > 0);
                    all.iter()
                        .filter(|b| most > 0 && common(b) == most)
                        .copied()
                        .collect()
                };
                shared += usize::from(may.iter().any(|b| case.oracle.group(b.0.id).len() > 1));
                is_told(case, &told, &may, (step, byte));
                let mut free = holes(&pieces, at, planned);
                let size = |h: &(u64, u64)| h.1 - h.0;
                let largest = free.iter().map(size).max().unwrap_or(0);
                let sum: u64 = free.iter().map(size).sum();
                assert_eq!(
                    told.holes,
                    (largest, free.len() as u32, sum),
                    "{}",
                    case.name
                );
                let first = free.iter().find(|h| size(h) == largest).copied();
                assert_eq!(told.free, Vec::from_iter(first), "{}", case.name);
                // All of them, the largest first.
                let told = place(case, (step, byte), window, (0, 0));
                free.sort_by_key(|h| (std::cmp::Reverse(size(h)), h.0));
                assert_eq!(told.free, free, "{}", case.name);
            }
        }
    }
    assert!(
        held > 1000 && near > 100 && shared > 50,
        "{held}, {near}, {shared}"
    );
}

#[test]
fn a_tensor_is_marked_with_what_was_there_before_and_after_it() {
    let (mut before, mut after, mut read) = (0, 0, 0);
    for case in generations().iter_mut().chain(&mut made()) {
        let ids: Vec<u64> = case.oracle.dump.tensors.keys().copied().collect();
        let rect = |oracle: &Oracle, id: u64| {
            let (start, (first, last)) = (oracle.true_offset(id), oracle.life(id));
            MapRect {
                id,
                steps: (first as u32, last as u32),
                bytes: (start, start + oracle.dump.tensors[&id].aligned),
            }
        };
        for &id in &ids {
            let request = Request::MapMarks {
                graph: case.graph,
                id,
            };
            let told: MapMarks = match case.ask(&request) {
                Response::MapMarks(marks) => marks,
                Response::Nothing => {
                    assert_eq!(case.oracle.dump.tensors[&id].aligned, 0, "{}", case.name);
                    continue;
                }
                other => panic!("{other:?}"),
            };
            let own = rect(&case.oracle, id);
            assert_eq!(told.own, own, "{}", case.name);
            let others = ids.iter().map(|&t| rect(&case.oracle, t));
            let others: Vec<MapRect> = others
                .filter(|r| r.bytes.0.max(own.bytes.0) < r.bytes.1.min(own.bytes.1))
                .collect();
            let gone = others.iter().filter(|r| r.steps.1 < own.steps.0);
            let next = others.iter().filter(|r| r.steps.0 > own.steps.1);
            let near = [
                gone.max_by_key(|r| (r.steps.1, std::cmp::Reverse(r.id)))
                    .copied(),
                next.min_by_key(|r| (r.steps.0, r.id)).copied(),
            ];
            assert_eq!(told.near, near, "{}: {id}", case.name);
            let source = case.oracle.source.get(&id).map(|n| *n as u32);
            assert_eq!(told.producer, source, "{}: {id}", case.name);
            let readers = case.oracle.readers.get(&id).into_iter().flatten();
            let readers: Vec<u32> = readers.map(|n| *n as u32).collect();
            assert_eq!(told.readers, readers, "{}: {id}", case.name);
            before += usize::from(near[0].is_some());
            after += usize::from(near[1].is_some());
            read += readers.len();
        }
    }
    assert!(
        before > 500 && after > 500 && read > 500,
        "{before}, {after}, {read}"
    );
}
