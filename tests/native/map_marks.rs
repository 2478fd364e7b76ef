//! What is marked on the memory map: hazards, unions, contiguous lists and names, on the dumps of
//! all generations, pixel by pixel. Where they are is known from `expected.json` and the oracle.

use std::collections::BTreeSet;

use serde_json::Value;
use somascope::engine::{Request, Response};
use somascope::pixels::look::{Look, Rgb};

use crate::explore::Case;
use crate::map_picture::{floats, generations, paint, pieces, span, top, views, View};
use crate::oracle::Oracle;
use crate::plans::{mini, Mini, Style};
use crate::support::{data, raw};

const LIGHT: Look = Look {
    dark: false,
    pale: 0,
};

/// Plans that no fixture is like: one with union groups whose members are unlike and with steps
/// between them, and with a list that goes down; and one that reserves less than it holds.
pub fn made() -> Vec<Case> {
    let mut plan = Mini::new(Style::C3Cpu);
    let tensors = [
        // A large member in the middle, another one later.
        (2048, 1024, 2, 5),
        (8192, 1024, 9, 14),
        (8192, 1024, 20, 22),
        (4096, 1024, 12, 16),
        // A large one first.
        (4096, 16384, 1, 3),
        (1024, 16384, 25, 30),
        (4096, 32768, 4, 19),
        (1536, 36864, 3, 25),
        (512, 65024, 0, 31),
        (12288, 49152, 7, 9),
    ];
    for step in 0..32 {
        let here = (0..).zip(tensors).filter(|(_, t)| t.2 == step);
        plan.nodes.push(mini::Node {
            id: step,
            name: format!("Default/layer{}/Op{}-op{step}", step / 8, step % 3),
            outputs: here.map(|(id, _)| id).collect(),
            stream: step % 2,
            ..mini::Node::default()
        });
    }
    for (id, (aligned, offset, first, last)) in (0..).zip(tensors) {
        plan.tensors.push(mini::Tensor {
            id,
            aligned,
            original: aligned,
            offset,
            kind: "Common".into(),
            lifelong: 0,
            first,
            last,
            source: plan.nodes[first as usize].name.clone(),
        });
    }
    plan.unions = vec![vec![0, 1, 2, 3], vec![4, 5]];
    plan.contiguous = vec![vec![7, 6]];
    plan.processed = plan.contiguous.clone();
    plan.total = 65536;
    let text = plan.text();
    plan.total = 40_000;
    vec![Case::new("uneven", &text), Case::new("low", &plan.text())]
}

/// A rectangle: steps of which the last is included, and bytes of which it is not.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Area {
    steps: (u64, u64),
    bytes: (u64, u64),
}

fn own(oracle: &Oracle, t: u64) -> Option<Area> {
    let start = oracle.true_offset(t);
    let aligned = oracle.dump.tensors[&t].aligned;
    (aligned > 0).then(|| Area {
        steps: oracle.life(t),
        bytes: (start, start + aligned),
    })
}

/// Where an area lies on a picture: its columns and rows, and those of them that are its sides and
/// in sight.
struct Seen {
    columns: Vec<usize>,
    rows: Vec<usize>,
    sides: BTreeSet<(usize, usize)>,
    /// Lines of pixels at the border of the window behind which the area goes on.
    cut: Vec<Vec<(usize, usize)>>,
}

fn seen(area: Area, view: View) -> Option<Seen> {
    let [left, right, bottom, top] = view.window;
    let (steps, bytes) = (span(area.steps), floats(area.bytes));
    let (columns, rows) = (view.columns(steps), view.rows(bytes));
    let (&west, &east) = (columns.first()?, columns.last()?);
    let (&north, &south) = (rows.first()?, rows.last()?);
    let upright = |x: usize| rows.iter().map(move |&y| (x, y)).collect::<Vec<_>>();
    let level = |y: usize| columns.iter().map(move |&x| (x, y)).collect::<Vec<_>>();
    let lines = [
        (steps.0 >= left, upright(west)),
        (steps.1 <= right, upright(east)),
        (bytes.1 <= top, level(north)),
        (bytes.0 >= bottom, level(south)),
    ];
    let part = |on: bool| lines.iter().filter(move |l| l.0 == on).map(|l| l.1.clone());
    Some(Seen {
        sides: part(true).flatten().collect(),
        cut: part(false).collect(),
        columns,
        rows,
    })
}

/// The pairs that `expected.json` beside a dump lists.
fn expected_pairs(case: &Case) -> Vec<(u64, u64)> {
    let path = data().join("..").join("..").join(&case.name);
    let all: Value = serde_json::from_slice(&raw(&path.with_file_name("expected.json"))).unwrap();
    let pairs = all["hazards"].as_array().unwrap().iter();
    pairs
        .map(|pair| (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap()))
        .collect()
}

/// The bytes that two tensors share, over the steps of both.
fn clash(oracle: &Oracle, (a, b): (u64, u64)) -> Area {
    let (a, b) = (own(oracle, a).unwrap(), own(oracle, b).unwrap());
    Area {
        steps: (a.steps.0.min(b.steps.0), a.steps.1.max(b.steps.1)),
        bytes: (a.bytes.0.max(b.bytes.0), a.bytes.1.min(b.bytes.1)),
    }
}

/// A view whose pixels are powers of two, with the middle of an area near its middle.
fn around(area: Area, zoom: (f64, f64)) -> View {
    let (steps, bytes) = (span(area.steps), floats(area.bytes));
    let size = (128, 64);
    let axis = |(from, to): (f64, f64), zoom: f64, pixels: usize| {
        let long = ((to - from).log2().ceil() + zoom).exp2();
        let pixel = long / pixels as f64;
        let from = (((from + to - long) / 2.0) / pixel).floor() * pixel;
        (from, from + long)
    };
    let (left, right) = axis(steps, zoom.0, size.0);
    let (bottom, top) = axis(bytes, zoom.1, size.1);
    View {
        window: [left, right, bottom, top],
        size,
    }
}

#[test]
fn hazards_are_marked_where_they_are_and_nowhere_else() {
    let (mut marked, mut cut, mut small) = (0, 0, 0);
    for case in &mut generations() {
        let pairs = expected_pairs(case);
        let areas: Vec<Area> = pairs.iter().map(|&p| clash(&case.oracle, p)).collect();
        let mut all = views(case.oracle.steps, top(&pieces(&case.oracle)));
        // Some around one: all of it, and pieces of which it goes on outside.
        let zooms = [(1.0, 1.0), (-1.0, 2.0), (3.0, -1.0), (-2.0, -2.0)];
        let few = areas.iter().zip(zooms.into_iter().cycle()).take(4);
        all.extend(few.map(|(&area, zoom)| around(area, zoom)));
        let asked = [false, false, true];
        // Nothing was judged yet.
        let plain = paint(case, all[0], [false; 3], (0, LIGHT)).1;
        assert_eq!(paint(case, all[0], asked, (0, LIGHT)).1, plain);
        let graph = case.graph;
        let judged = case.ask(&Request::Safety { graph });
        assert!(matches!(judged, Response::Safety(_)));
        let told = crate::map_picture::facts(case, 0).hazards.into_iter();
        let told = told.map(|r| Area {
            steps: (r.steps.0.into(), r.steps.1.into()),
            bytes: r.bytes,
        });
        assert_eq!(told.collect::<Vec<_>>(), areas, "{}", case.name);
        for (i, view) in all.into_iter().enumerate() {
            let look = Look {
                dark: i % 2 == 1,
                pale: 0,
            };
            let alarm = look.alarm();
            let plain = paint(case, view, [false; 3], (0, look)).1;
            let found = paint(case, view, asked, (0, look)).1;
            assert!(!plain.contains(&alarm), "{}", case.name);
            let lists = paint(case, view, [true, true, false], (0, look)).1;
            assert!(!lists.contains(&alarm), "{}", case.name);
            let is = |(x, y): (usize, usize)| found[y * view.size.0 + x] == alarm;
            let mut may = BTreeSet::new();
            let mut places = Vec::new();
            for &area in &areas {
                let Some(seen) = seen(area, view) else {
                    continue;
                };
                // What is smaller is three pixels long and high, within the picture.
                let grown = |list: &[usize], end: usize| -> Vec<usize> {
                    let first = list[0];
                    match list.len() < 3 {
                        true if first + 3 > end => (end - 3..end).collect(),
                        true => (first..first + 3).collect(),
                        false => list.to_vec(),
                    }
                };
                let columns = grown(&seen.columns, view.size.0);
                let rows = grown(&seen.rows, view.size.1);
                for &y in &rows {
                    may.extend(columns.iter().map(|&x| (x, y)));
                }
                places.push((seen, columns, rows));
            }
            for (i, (found, plain)) in found.iter().zip(&plain).enumerate() {
                let here = (i % view.size.0, i / view.size.0);
                assert!(
                    found == plain || *found == alarm && may.contains(&here),
                    "{} of {view:?}: {here:?}",
                    case.name
                );
            }
            for (seen, columns, rows) in &places {
                let inside = || {
                    rows.iter()
                        .flat_map(|&y| columns.iter().map(move |&x| (x, y)))
                };
                assert!(seen.sides.iter().all(|&at| is(at)), "{}", case.name);
                let painted = inside().filter(|&at| is(at)).count();
                assert!(painted * 4 >= inside().count(), "{}", case.name);
                if columns.len().min(rows.len()) <= 3 {
                    small += 1;
                    assert_eq!(painted, inside().count(), "{}", case.name);
                }
                // Stripes, not a line, where it goes on behind the border of the window.
                if places.len() == 1 && columns.len().min(rows.len()) > 8 {
                    for line in &seen.cut {
                        cut += 1;
                        let ends = &seen.sides;
                        let open = line.iter().filter(|at| !ends.contains(at));
                        assert!(open.clone().any(|&at| !is(at)), "{}", case.name);
                    }
                }
                marked += 1;
            }
        }
    }
    assert!(
        marked > 100 && cut > 5 && small > 20,
        "{marked}, {cut}, {small}"
    );
}

/// The area around the members of a list that have bytes.
fn hull(oracle: &Oracle, list: &[u64]) -> Option<Area> {
    let all: Vec<Area> = list.iter().filter_map(|&t| own(oracle, t)).collect();
    Some(Area {
        steps: (
            all.iter().map(|a| a.steps.0).min()?,
            all.iter().map(|a| a.steps.1).max()?,
        ),
        bytes: (
            all.iter().map(|a| a.bytes.0).min()?,
            all.iter().map(|a| a.bytes.1).max()?,
        ),
    })
}

#[test]
fn lists_are_outlined_around_all_members_and_cut_at_the_border() {
    let (mut unions, mut contiguous, mut cut) = (0, 0, 0);
    for case in generations().iter_mut().chain(&mut made()) {
        let hulls = |lists: &[Vec<u64>]| -> Vec<Area> {
            let of = |list: &Vec<u64>| hull(&case.oracle, list);
            lists.iter().filter_map(of).collect()
        };
        let lists = [
            hulls(&case.oracle.groups),
            hulls(&case.oracle.dump.contiguous),
        ];
        let mut all = views(case.oracle.steps, top(&pieces(&case.oracle)));
        let zooms = [(1.0, 1.0), (-1.0, 2.0), (2.0, -1.0), (-1.0, -1.0)];
        let few = lists.iter().flatten().zip(zooms.into_iter().cycle());
        all.extend(
            few.map(|(&area, zoom)| around(area, zoom))
                .step_by(3)
                .take(4),
        );
        for (i, view) in all.into_iter().enumerate() {
            let look = Look {
                dark: i % 2 == 1,
                pale: 0,
            };
            let plain = paint(case, view, [false; 3], (0, look)).1;
            for (on, count) in [
                ([true, false, false], [1, 0]),
                ([false, true, false], [0, 1]),
                ([true, true, false], [1, 1]),
            ] {
                let asked = (0..2).filter(|&i| on[i]);
                let asked = asked.flat_map(|i| lists[i].iter().map(move |&area| (i, area)));
                let seen: Vec<(usize, Seen)> = asked
                    .filter_map(|(i, area)| Some((i, seen(area, view)?)))
                    .collect();
                let mut expected = plain.clone();
                for (list, seen) in &seen {
                    // Contiguous lists have dashes, four pixels long.
                    let on = |at: &&(usize, usize)| *list == 0 || (at.0 + at.1) / 4 % 2 == 0;
                    for &(x, y) in seen.sides.iter().filter(on) {
                        expected[y * view.size.0 + x] = look.ink();
                    }
                }
                let found = paint(case, view, on, (0, look)).1;
                let differs = (0..found.len()).find(|&i| found[i] != expected[i]);
                let place = differs.map(|i| (i % view.size.0, i / view.size.0));
                assert_eq!(place, None, "{} {on:?} {view:?}", case.name);
                unions += seen.len() * count[0];
                contiguous += seen.len() * count[1];
                cut += seen.iter().map(|s| s.1.cut.len()).sum::<usize>();
            }
        }
    }
    assert!(
        unions > 100 && contiguous > 100 && cut > 50,
        "{unions}, {contiguous}, {cut}"
    );
}

/// How far a text of one brightness is from its ground, as WCAG 2 measures it.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let light = |colour: Rgb| {
        let [r, g, b] = colour.map(|c| match f64::from(c) / 255.0 {
            c if c <= 0.03928 => c / 12.92,
            c => ((c + 0.055) / 1.055).powf(2.4),
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Fewest pixels in which a name is written.
const ROOM: (f64, f64) = (46.0, 13.0);

/// Boxes that have room for a name where they are in sight, with how much of it is: the largest
/// first.
fn labelled(oracle: &Oracle, view: View) -> Vec<(f64, u64, Area)> {
    let [left, right, bottom, top] = view.window;
    let (across, up) = view.pixel();
    let mut out = Vec::new();
    for piece in pieces(oracle) {
        for &run in &piece.runs {
            let (steps, bytes) = (span(run), floats(piece.bytes));
            let wide = (steps.1.min(right) - steps.0.max(left)) / across;
            let high = (bytes.1.min(top) - bytes.0.max(bottom)) / up;
            if wide >= ROOM.0 && high >= ROOM.1 {
                let area = Area {
                    steps: run,
                    bytes: piece.bytes,
                };
                out.push((wide * high, piece.id, area));
            }
        }
    }
    out.sort_by(|a, b| b.0.total_cmp(&a.0));
    out
}

fn check_labels(case: &mut Case, view: View, look: Look) -> usize {
    let expected = labelled(&case.oracle, view);
    let (frame, pixels) = paint(case, view, [false; 3], (0, look));
    let name = &case.name;
    assert_eq!(frame.labels.len(), expected.len().min(150), "{name}");
    let mut left: Vec<(f64, u64, Area)> = expected.clone();
    for (label, (size, ..)) in frame.labels.iter().zip(&expected) {
        // Of equals any comes first.
        let rect = label.rect;
        let area = Area {
            steps: (u64::from(rect.steps.0), u64::from(rect.steps.1)),
            bytes: rect.bytes,
        };
        let at = left
            .iter()
            .position(|l| l.0 == *size && (l.1, l.2) == (rect.id, area));
        assert!(at.is_some(), "{name}: {rect:?} in {view:?}");
        left.remove(at.unwrap());
        let source = case.oracle.source.get(&rect.id);
        let source = source.map_or("", |n| &case.oracle.dump.nodes[n].name);
        let last = source.rsplit('/').next().unwrap();
        let expected = if last.is_empty() { source } else { last };
        assert_eq!(label.name, expected, "{name}");
        // The ink is read well on the colour of the box, a pixel from its corner in sight.
        let seen = seen(area, view).unwrap();
        let (x, y) = (seen.columns[3], seen.rows[3]);
        let ground = pixels[y * view.size.0 + x];
        let [dark, white] = [[0, 0, 0], [255, 255, 255]].map(|ink| contrast(ink, ground));
        let (own, other) = if label.dark {
            (dark, white)
        } else {
            (white, dark)
        };
        assert!(own > other * 0.85, "{name}: {own} and not {other}");
    }
    frame.labels.len()
}

#[test]
fn names_stand_in_the_boxes_that_have_room_for_them() {
    let (mut some, mut none) = (0, 0);
    for case in generations().iter_mut().chain(&mut made()) {
        // What lies over another one has no colour of its own.
        if case.name.contains("_broken") {
            continue;
        }
        for (i, view) in views(case.oracle.steps, top(&pieces(&case.oracle)))
            .into_iter()
            .enumerate()
        {
            let view = View {
                size: (512, 256),
                ..view
            };
            let look = Look {
                dark: i % 2 == 1,
                pale: 0,
            };
            let count = check_labels(case, view, look);
            some += count;
            none += usize::from(count == 0);
        }
    }
    assert!(some > 200, "{some}");
    assert!(none > 0);
}

/// Of more than there can be the largest have a name.
#[test]
fn a_hundred_and_fifty_names_are_enough() {
    let mut plan = Mini::new(Style::C3Cpu);
    let steps = 16;
    for step in 0..steps {
        let id = |row: u64| step * 16 + row;
        plan.nodes.push(mini::Node {
            id: step,
            name: format!("Default/Op-op{step}"),
            outputs: (0..16).map(id).collect(),
            ..mini::Node::default()
        });
        let mut offset = 0;
        for row in 0..16 {
            // Between 512 and 1,024 bytes, no two alike in a column.
            let aligned = 512 + 32 * ((row * 7 + step * 3) % 16);
            plan.tensors.push(mini::Tensor {
                id: id(row),
                aligned,
                original: aligned,
                offset,
                kind: "Common".into(),
                lifelong: 0,
                first: step,
                last: step,
                source: format!("Default/Op-op{step}"),
            });
            offset += aligned;
        }
        plan.total = plan.total.max(offset);
    }
    let mut case = Case::new("many", &plan.text());
    let view = View {
        window: [0.0, 16.0, 0.0, 16384.0],
        size: (1024, 512),
    };
    let room = labelled(&case.oracle, view).len();
    assert!(room > 200, "{room}");
    assert_eq!(check_labels(&mut case, view, LIGHT), 150);
}

/// What a file beside a dump says of lives is on the map, if it was painted before that too.
#[test]
fn a_map_does_not_stay_as_it_was_before_a_log_was_read() {
    let dir = data().join("samples/v1.7_ascend");
    let dump = String::from_utf8(raw(&dir.join("somas_allocate_info_1.ir"))).unwrap();
    let log = String::from_utf8(raw(&dir.join("somas_offline_log_1.ir"))).unwrap();
    let log = log.replace("lifelong=0", "lifelong=1");
    let view = View {
        window: [0.0; 4],
        size: (64, 32),
    };
    let mut pictures = Vec::new();
    for painted_before in [true, false] {
        let mut case = Case::new("somas_allocate_info_1.ir", &dump);
        if painted_before {
            pictures.push(paint(&mut case, view, [false; 3], (0, LIGHT)).1);
        }
        let mut file = case.session.begin_file("somas_offline_log_1.ir", 0, false);
        file.push(log.as_bytes());
        case.session.end_file(file);
        case.ask(&Request::Graphs);
        pictures.push(paint(&mut case, view, [false; 3], (0, LIGHT)).1);
    }
    let held = |i: usize| pictures[i].iter().filter(|p| **p != LIGHT.ground()).count();
    assert!(held(1) > held(0));
    assert!(pictures[1] == pictures[2]);
}
