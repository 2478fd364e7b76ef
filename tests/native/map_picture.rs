//! Every pixel of the memory map, as the page asks for it and as the file `MemoryMap.png` has it,
//! against the colour it must have by definition, over the oracle's reading.

use std::collections::BTreeMap;

use somascope::engine::map::{MapFacts, MapFrame, MapRequest};
use somascope::engine::{Request, Response};
use somascope::pixels::look::{Look, Rgb};
use somascope::pixels::CLASSES;
use somascope::report::map::key::MapKey;

use crate::explore::{operator, Case};
use crate::map_marks::made;
use crate::oracle::Oracle;
use crate::support::{data, files, is_main_dump, run, scratch, short, text};

/// A piece of memory: a tensor alone, or a union group once, called after its largest member.
pub struct Piece {
    pub id: u64,
    /// First byte and the one behind the last.
    pub bytes: (u64, u64),
    /// First and last steps of the stretches in which it is held.
    pub runs: Vec<(u64, u64)>,
}

impl Piece {
    fn area(&self) -> u64 {
        let steps: u64 = self.runs.iter().map(|(first, last)| last - first + 1).sum();
        (self.bytes.1 - self.bytes.0) * steps
    }
}

pub fn pieces(oracle: &Oracle) -> Vec<Piece> {
    let mut out = Vec::new();
    if oracle.is_stage() {
        return out;
    }
    for piece in oracle.pieces() {
        let size = |t: &u64| oracle.dump.tensors[t].aligned;
        let largest = piece.iter().map(size).max().unwrap();
        if largest == 0 {
            continue;
        }
        let id = *piece.iter().find(|t| size(t) == largest).unwrap();
        let start = oracle.true_offset(id);
        let held = |step: &u64| piece.iter().any(|&t| oracle.lives_at(t, *step));
        let steps: Vec<u64> = (0..oracle.steps).filter(held).collect();
        let runs = steps.chunk_by(|a, b| a + 1 == *b);
        out.push(Piece {
            id,
            bytes: (start, start + largest),
            runs: runs.map(|r| (r[0], r[r.len() - 1])).collect(),
        });
    }
    out
}

/// What the picture is of: its ends in steps and bytes, and its size in pixels.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Left and right end in steps, bottom and top in bytes.
    pub window: [f64; 4],
    pub size: (usize, usize),
}

impl View {
    /// Steps and bytes a pixel.
    pub fn pixel(&self) -> (f64, f64) {
        let [left, right, bottom, top] = self.window;
        (
            (right - left) / self.size.0 as f64,
            (top - bottom) / self.size.1 as f64,
        )
    }

    /// The steps of a column, and the bytes of a row; the highest row is the first.
    pub fn column(&self, x: usize) -> (f64, f64) {
        let left = self.window[0] + x as f64 * self.pixel().0;
        (left, left + self.pixel().0)
    }

    pub fn row(&self, y: usize) -> (f64, f64) {
        let top = self.window[3] - y as f64 * self.pixel().1;
        (top - self.pixel().1, top)
    }

    /// The columns that have something in common with `steps`, and the rows with `bytes`.
    pub fn columns(&self, steps: (f64, f64)) -> Vec<usize> {
        let meets = |x: &usize| common(self.column(*x), steps) > 0.0;
        (0..self.size.0).filter(meets).collect()
    }

    pub fn rows(&self, bytes: (f64, f64)) -> Vec<usize> {
        let meets = |y: &usize| common(self.row(*y), bytes) > 0.0;
        (0..self.size.1).filter(meets).collect()
    }
}

fn common(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.1.min(b.1) - a.0.max(b.0)).max(0.0)
}

/// Ends of a stretch of steps, of which the last is included, on the axis.
pub fn span((first, last): (u64, u64)) -> (f64, f64) {
    (first as f64, last as f64 + 1.0)
}

pub fn floats((start, end): (u64, u64)) -> (f64, f64) {
    (start as f64, end as f64)
}

/// Views of a plan at many zooms. A pixel is a power of two of steps and of bytes, so that no
/// border of a box is rounded on its way to a pixel.
pub fn views(steps: u64, bytes: u64) -> Vec<View> {
    let size = (128, 64);
    let (wide, high) = (
        steps.max(2).next_power_of_two() as f64,
        bytes.max(2).next_power_of_two() as f64,
    );
    // Zoom on each axis, and which part of what there is.
    let parts = [
        (1.0, 1.0, 0.0, 0.0),
        (2.0, 4.0, 0.25, 0.125),
        (4.0, 1.0, 0.125, 0.0),
        (1.0, 8.0, 0.0, 0.3125),
        (8.0, 16.0, 0.53125, 0.0625),
        (16.0, 2.0, 0.0625, 0.25),
    ];
    let view = |(x, y, left, bottom): (f64, f64, f64, f64)| View {
        window: [
            left * wide,
            left * wide + wide / x,
            bottom * high,
            bottom * high + high / y,
        ],
        size,
    };
    parts.map(view).to_vec()
}

/// The small dumps of all generations, healthy and broken.
pub fn generations() -> Vec<Case> {
    let all = files(&data().join("generations")).into_iter();
    let all = all.map(|path| (short(&path), text(&path)));
    let dumps = all.filter(|(_, bytes)| is_main_dump(bytes));
    let dumps = dumps.map(|(name, bytes)| Case::new(&name, &String::from_utf8(bytes).unwrap()));
    dumps.filter(|case| !case.oracle.is_stage()).collect()
}

/// The end of the highest piece.
pub fn top(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|p| p.bytes.1).max().unwrap()
}

/// A picture of the page: what goes with it, and its pixels.
pub fn paint(
    case: &mut Case,
    view: View,
    outlines: [bool; 3],
    (key, look): (usize, Look),
) -> (MapFrame, Vec<Rgb>) {
    let request = MapRequest {
        graph: case.graph,
        key: key as u8,
        pale: look.pale,
        dark: look.dark,
        outlines,
        window: view.window,
        size: (view.size.0 as u32, view.size.1 as u32),
    };
    let mut pixels = Vec::new();
    let Response::Map(frame) = case.session.paint_map(&request, &mut pixels) else {
        panic!("{}: no picture", case.name);
    };
    assert_eq!(pixels.len(), view.size.0 * view.size.1 * 4);
    let pixels = pixels.chunks(4).map(|p| [p[0], p[1], p[2]]);
    (frame, pixels.collect())
}

/// How a pixel may look.
#[derive(Clone, Default)]
struct Spot {
    shares: [f64; CLASSES],
    /// Whether the edge of a box lies on it, and whether one may by a rounding.
    edge: bool,
    maybe: bool,
}

/// Every pixel by definition. An edge is a line at the left and at the top of boxes that are five
/// pixels long and high, where these sides are in sight.
fn define(pieces: &[Piece], class: &[u8], view: View) -> Vec<Spot> {
    let [left, right, bottom, top] = view.window;
    let ((across, up), wide) = (view.pixel(), view.size.0);
    let mut out = vec![Spot::default(); wide * view.size.1];
    for (piece, &class) in pieces.iter().zip(class) {
        let bytes = floats(piece.bytes);
        let rows = view.rows(bytes);
        for &run in &piece.runs {
            let steps = span(run);
            let columns = view.columns(steps);
            for &y in &rows {
                let high = common(view.row(y), bytes) / up;
                for &x in &columns {
                    let share = high * common(view.column(x), steps) / across;
                    out[y * wide + x].shares[usize::from(class)] += share;
                }
            }
            let (long, high) = ((steps.1 - steps.0) / across, (bytes.1 - bytes.0) / up);
            if long < 5.0 - 1e-9 || high < 5.0 - 1e-9 || steps.0 >= right || steps.1 <= left {
                continue;
            }
            let sure = long > 5.0 + 1e-9 && high > 5.0 + 1e-9 || across.log2().fract() == 0.0;
            // The pixel of a place, and the other one where it lies on their border.
            let near = |at: f64| {
                let certain =
                    at.fract().min(1.0 - at.fract()) > 1e-6 || across.log2().fract() == 0.0;
                match certain || at == 0.0 {
                    true => (vec![at as usize], sure),
                    false => (vec![at.round() as usize - 1, at.round() as usize], false),
                }
            };
            let mut touch = |x: usize, y: usize, sure: bool| {
                if let Some(spot) = out.get_mut(y * wide + x).filter(|_| x < wide) {
                    *(if sure {
                        &mut spot.edge
                    } else {
                        &mut spot.maybe
                    }) = true;
                }
            };
            if bytes.1 <= top && bytes.1 > bottom {
                let (lines, sure) = near((top - bytes.1) / up);
                for y in lines {
                    columns.iter().for_each(|&x| touch(x, y, sure));
                }
            }
            if steps.0 >= left {
                let (lines, sure) = near((steps.0 - left) / across);
                for x in lines {
                    rows.iter().for_each(|&y| touch(x, y, sure));
                }
            }
        }
    }
    out
}

/// Compares a picture with what it must be.
fn compare(
    what: &str,
    (pieces, class): (&[Piece], &[u8]),
    view: View,
    look: Look,
    pixels: &dyn Fn(usize, usize) -> Option<Rgb>,
) -> usize {
    let ground = look.ground().map(f64::from);
    let (mut held, wide) = (0, view.size.0);
    for (i, spot) in define(pieces, class, view).into_iter().enumerate() {
        let (x, y) = (i % wide, i / wide);
        let Some(found) = pixels(x, y) else { continue };
        let cover: f64 = spot.shares.iter().sum();
        let most = spot.shares.iter().fold(0.0f64, |a, b| a.max(*b));
        let plain = |class: usize| -> [f64; 3] {
            // A little of a class is a good third of its colour: whatever is held is to be seen.
            let share = 0.38 + 0.62 * cover.min(1.0);
            let pale = u8::from(look.pale >> class & 1 == 1) * 255;
            let own = Look { pale, ..look }.of(class as u8).map(f64::from);
            [0, 1, 2].map(|c| ground[c] + (own[c] - ground[c]) * share)
        };
        let mut plains: Vec<[f64; 3]> = (0..CLASSES)
            .filter(|&c| spot.shares[c] > 0.0 && spot.shares[c] >= most - 1e-6)
            .map(plain)
            .collect();
        held += usize::from(!plains.is_empty());
        if cover < 1e-9 {
            plains.push(ground);
        }
        let mixed = plains
            .iter()
            .map(|p| [0, 1, 2].map(|c| (p[c] + ground[c]) / 2.0));
        let mixed: Vec<[f64; 3]> = mixed.collect();
        let may = match (spot.edge, spot.maybe) {
            (true, _) => mixed,
            (false, true) => [plains, mixed].concat(),
            (false, false) => plains,
        };
        let near = |p: &[f64; 3]| (0..3).all(|c| (p[c] - f64::from(found[c])).abs() <= 3.0);
        assert!(
            may.iter().any(near),
            "{what}: pixel {x}, {y} of {view:?} is {found:?}, not one of {may:?}; {:?}",
            spot.shares
        );
        assert_ne!(
            found,
            look.alarm(),
            "{what}: a hazard where none is asked for"
        );
    }
    held
}

pub fn facts(case: &mut Case, key: usize) -> MapFacts {
    let request = Request::MapFacts {
        graph: case.graph,
        key: key as u8,
    };
    match case.ask(&request) {
        Response::MapFacts(facts) => facts,
        other => panic!("{other:?}"),
    }
}

/// The beginning of the scope of a node, `depth` parts of it at most. The path of what computes
/// gradients has a part more in front.
fn scope(name: &str, depth: usize) -> String {
    let path = match name.rsplit_once('/') {
        Some((path, _)) if !path.is_empty() => path.to_owned(),
        _ => operator(name).0,
    };
    let parts: Vec<&str> = path.split('/').collect();
    let depth = depth + usize::from(parts.len() > 1 && parts[0] == "Gradients");
    parts[..depth.min(parts.len())].join("/")
}

/// What a piece is grouped by, as a legend calls it.
fn group(oracle: &Oracle, key: MapKey, id: u64) -> String {
    let tensor = &oracle.dump.tensors[&id];
    let source = oracle.source.get(&id).map(|n| &oracle.dump.nodes[n]);
    let of_source = |part: &dyn Fn(&str) -> String| source.map_or("—".into(), |n| part(&n.name));
    match key {
        MapKey::Operator => of_source(&|name| operator(name).0),
        MapKey::Layer => {
            // The fewest parts of which none is more than a third of all nodes.
            let names = || oracle.dump.nodes.values().map(|n| &n.name);
            let tells = |depth: &usize| {
                let mut count = BTreeMap::new();
                for name in names() {
                    *count.entry(scope(name, *depth)).or_insert(0) += 1;
                }
                count.values().all(|n| n * 3 <= names().count())
            };
            let depth = (1..5).find(tells).unwrap_or(5);
            of_source(&|name| scope(name, depth))
        }
        MapKey::TensorType => tensor.kind.clone(),
        MapKey::Lifelong => tensor.lifelong.clone(),
        MapKey::Stream => source.map_or("—".into(), |n| n.stream.to_string()),
        MapKey::Size => size_word(tensor.aligned).into(),
        MapKey::One => String::new(),
    }
}

const SIZES: [&str; 7] = [
    "≤ 4 KB",
    "≤ 64 KB",
    "≤ 1 MB",
    "≤ 16 MB",
    "≤ 128 MB",
    "≤ 1 GB",
    "> 1 GB",
];

fn size_word(bytes: u64) -> &'static str {
    let ends = [4u64, 64, 1024, 16 * 1024, 128 * 1024, 1024 * 1024].map(|kb| kb * 1024);
    SIZES[ends.iter().filter(|end| bytes > **end).count()]
}

/// The classes of pieces by their legend, which is checked first.
fn classes(case: &mut Case, key: usize, pieces: &[Piece]) -> Vec<u8> {
    let legend = facts(case, key).legend;
    let what = format!("{:?} of {}: {legend:?}", MapKey::ALL[key], case.name);
    let groups: Vec<String> = pieces
        .iter()
        .map(|p| group(&case.oracle, MapKey::ALL[key], p.id))
        .collect();
    let mut areas: BTreeMap<&str, u64> = BTreeMap::new();
    for (piece, group) in pieces.iter().zip(&groups) {
        *areas.entry(group).or_default() += piece.area();
    }
    let all = areas.values().sum::<u64>() as f64;
    let own = match areas.len() > CLASSES {
        true => CLASSES - 1,
        false => areas.len(),
    };
    assert_eq!(legend.len(), areas.len().min(CLASSES), "{what}");
    for (i, (class, name, share)) in legend.iter().enumerate() {
        assert_eq!(usize::from(*class), i, "{what}");
        let expected = if i < own {
            areas
                .remove(name.as_str())
                .unwrap_or_else(|| panic!("{what}"))
        } else {
            assert_eq!(name, "", "{what}");
            areas.values().sum()
        };
        assert!(
            (share * all - expected as f64).abs() <= all * 1e-9,
            "{what}"
        );
    }
    // The largest first, or in the order of their nature.
    let named = &legend[..own];
    let order = [
        "LifeLongNone",
        "LifeLongGraphAll",
        "LifeLongGraphStart",
        "LifeLongGraphEnd",
    ];
    let place = |words: &[&str], name: &str| words.iter().position(|w| *w == name).unwrap();
    let sorted = match MapKey::ALL[key] {
        MapKey::Size => named.is_sorted_by_key(|c| place(&SIZES, &c.1)),
        MapKey::Lifelong => named.is_sorted_by_key(|c| place(&order, &c.1)),
        _ => named.is_sorted_by(|a, b| a.2 >= b.2),
    };
    assert!(sorted, "{what}");
    let least = named.iter().map(|c| c.2 * all).fold(f64::MAX, f64::min);
    assert!(
        areas.values().all(|a| *a as f64 <= least * (1.0 + 1e-9)),
        "{what}"
    );
    let class = |group: &String| legend.iter().position(|c| c.1 == *group).unwrap_or(own) as u8;
    groups.iter().map(class).collect()
}

/// Whatever the colours stand for, on both grounds and with some of the classes pale.
#[test]
fn every_pixel_of_the_page_has_the_colour_of_what_covers_most_of_it() {
    let (mut held, mut number) = (0, 0);
    for case in generations().iter_mut().chain(&mut made()) {
        let pieces = pieces(&case.oracle);
        let views = views(case.oracle.steps, top(&pieces));
        for key in 0..MapKey::ALL.len() {
            let class = classes(case, key, &pieces);
            number += 1;
            let view = views[number % views.len()];
            let look = Look {
                dark: number % 2 == 0,
                pale: [0, 0b0101, 0b1000_0010][number % 3],
            };
            let outlines = [false; 3];
            let (_, pixels) = paint(case, view, outlines, (key, look));
            let at = |x, y| Some(pixels[y * view.size.0 + x]);
            let what = format!("{:?} of {}", MapKey::ALL[key], case.name);
            held += compare(&what, (&pieces, &class), view, look, &at);
        }
    }
    assert!(held > 100_000, "{held}");
}

/// What a page is told of the whole map.
#[test]
fn the_whole_map_is_as_high_as_what_is_planned_or_held() {
    let mut above = 0;
    for case in generations().iter_mut().chain(&mut made()) {
        let pieces = pieces(&case.oracle);
        let summary = case.oracle.summary();
        let planned = summary["planned_total"].as_u64().unwrap();
        let facts = facts(case, 0);
        let height = planned.max(top(&pieces));
        above += usize::from(height > planned);
        assert_eq!(facts.height, height, "{}", case.name);
        let boxes: usize = pieces.iter().map(|p| p.runs.len()).sum();
        assert_eq!(facts.boxes as usize, boxes, "{}", case.name);
        // A little room above, and a picture without a window is all of it.
        assert!((1.01..1.1).contains(&(facts.top / height as f64)));
        let all = View {
            window: [0.0; 4],
            size: (64, 32),
        };
        let look = Look {
            dark: false,
            pale: 0,
        };
        let (frame, pixels) = paint(case, all, [false; 3], (0, look));
        let steps = case.oracle.steps as f64;
        assert_eq!(frame.request.window, [0.0, steps, 0.0, facts.top]);
        let all = View {
            window: frame.request.window,
            ..all
        };
        assert_eq!(paint(case, all, [false; 3], (0, look)).1, pixels);
    }
    assert!(above > 0, "no plan reaches above what it reserves");
}

/// Rows of a picture of our own making: eight bits a channel, no filter.
fn pixels_of(png: &[u8]) -> (usize, usize, Vec<u8>) {
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap()) as usize;
    let (width, height) = (number(16), number(20));
    let (mut at, mut packed) = (8, Vec::new());
    while at < png.len() {
        let (length, kind) = (number(at), &png[at + 4..at + 8]);
        if kind == b"IDAT" {
            packed.extend_from_slice(&png[at + 8..at + 8 + length]);
        }
        at += length + 12;
    }
    let mut rows = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::ZlibDecoder::new(&packed[..]), &mut rows)
        .unwrap();
    let rows = rows.chunks(width * 3 + 1);
    let pixels = rows.flat_map(|row| {
        assert_eq!(row[0], 0, "a filter");
        row[1..].to_vec()
    });
    (width, height, pixels.collect())
}

/// The file is the map by size, with a line at the planned total and one at the most bytes alive.
#[test]
fn every_pixel_of_the_file_has_the_colour_of_what_covers_most_of_it() {
    let dumps = [
        "samples/v2.10_cpu_lenet_real/CPU_somas_tensor_offset_0.ir",
        "samples/v1.10_ascend/Ascend_somas_tensor_offset_1.ir",
        "generations/C2_GPU_1/dump.ir",
        "generations/C2_Ascend_2_broken/dump.ir",
    ];
    for name in dumps {
        let path = data().join(name);
        let picture = || {
            let out = scratch("map");
            run([
                "-s".as_ref(),
                path.as_os_str(),
                "-o".as_ref(),
                out.as_os_str(),
            ]);
            std::fs::read(out.join("StatisticInfo/MemoryMap.png")).unwrap()
        };
        let png = picture();
        assert_eq!(png, picture(), "{name}");
        let (width, height, bytes) = pixels_of(&png);
        assert_eq!((width, height), (1280, 640));
        let pixel = |x: usize, y: usize| -> Rgb {
            let at = (y * width + x) * 3;
            bytes[at..at + 3].try_into().unwrap()
        };
        let oracle = Oracle::of(&String::from_utf8(text(&path)).unwrap());
        let pieces = pieces(&oracle);
        let planned = oracle.summary()["planned_total"].as_u64().unwrap();
        let alive = oracle.alive().into_iter().max().unwrap();
        // The plot lies between the axes; above the highest byte there is room.
        let (left, above, size) = (150, 64, (1280 - 48 - 150, 640 - 80 - 64));
        let end = planned.max(top(&pieces)) as f64 * 1.04;
        let line = |bytes: u64| size.1 - (bytes as f64 / end * size.1 as f64).round() as usize;
        let lines = [planned, alive].map(line);
        // Classes of sizes are numbered as far as there are any.
        let mut there: Vec<usize> = Vec::new();
        let sizes = pieces.iter().map(|p| size_word(p.bytes.1 - p.bytes.0));
        let sizes: Vec<usize> = sizes
            .map(|word| SIZES.iter().position(|w| *w == word).unwrap())
            .collect();
        there.extend(&sizes);
        there.sort_unstable();
        there.dedup();
        let class = |size: &usize| there.binary_search(size).unwrap() as u8;
        let class: Vec<u8> = sizes.iter().map(class).collect();
        let view = View {
            window: [0.0, oracle.steps as f64, 0.0, end],
            size,
        };
        let look = Look {
            dark: false,
            pale: 0,
        };
        // The axis is a pixel of the plot at its left.
        let at =
            |x: usize, y: usize| (x > 0 && !lines.contains(&y)).then(|| pixel(left + x, above + y));
        let held = compare(name, (&pieces, &class), view, look, &at);
        assert!(held > 10_000, "{name}: {held}");
        // The legend has both lines and the classes, fourteen pixels each.
        let row: Vec<Rgb> = (0..width).map(|x| pixel(x, 31)).collect();
        let runs = row.chunk_by(|a, b| a == b).filter(|r| r.len() == 14);
        let told: Vec<Rgb> = runs.map(|r| r[0]).filter(|c| *c != [255; 3]).collect();
        let colours = [[0x1c, 0x21, 0x27], [0x0b, 0x66, 0xc3]];
        let own = (0..there.len()).map(|class| look.of(class as u8));
        assert_eq!(told, colours.into_iter().chain(own).collect::<Vec<_>>());
        // The later line lies on the other one.
        for (i, (y, colour)) in lines.into_iter().zip(colours).enumerate() {
            let hidden = i == 0 && lines[0] == lines[1];
            let whole = (1..size.0).all(|x| pixel(left + x, above + y) == colour);
            assert!(whole || hidden, "{name}: line {i}");
        }
    }
}
