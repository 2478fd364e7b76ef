//! The colours of the memory map are told apart by everyone: eyes that lack one kind of cone see
//! what Machado, Oliveira and Fernandes (2009) calculate, and how far two colours are from each
//! other is their distance in OKLab, of which a hundredth is just seen by most people.

use somascope::model::PlanKind;
use somascope::pixels::look::{hazard, Look, Rgb};
use somascope::pixels::{MapBox, MemoryMap, Window, CLASSES};
use somascope::report::map::key::{classes, MapKey};
use somascope::units::{ByteRange, LiveRange};

use crate::support::{parse, small_dumps};

/// Normal eyes, and those without long, middle and short wavelengths, in linear RGB.
const EYES: [(&str, [[f64; 3]; 3]); 4] = [
    (
        "all cones",
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
    ),
    (
        "protanopia",
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
    ),
    (
        "deuteranopia",
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    ),
    (
        "tritanopia",
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ),
];

fn times(matrix: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(v).map(|(m, v)| m * v).sum())
}

fn linear(colour: Rgb) -> [f64; 3] {
    colour.map(|c| match f64::from(c) / 255.0 {
        c if c <= 0.04045 => c / 12.92,
        c => ((c + 0.055) / 1.055).powf(2.4),
    })
}

/// A colour as some eyes see it, in OKLab × 100.
fn seen(colour: Rgb, eyes: [[f64; 3]; 3]) -> [f64; 3] {
    let there = times(eyes, linear(colour)).map(|v| v.clamp(0.0, 1.0));
    let cones = times(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ],
        there,
    );
    times(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ],
        cones.map(f64::cbrt),
    )
    .map(|v| v * 100.0)
}

/// How far two colours are from each other for the eyes that tell them apart least, and which.
fn apart(a: Rgb, b: Rgb) -> (f64, &'static str) {
    let distance = |eyes| {
        let (a, b) = (seen(a, eyes), seen(b, eyes));
        a.iter()
            .zip(b)
            .map(|(a, b)| (a - b).powi(2))
            .sum::<f64>()
            .sqrt()
    };
    let all = EYES.map(|(name, eyes)| (distance(eyes), name));
    all.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

fn check(a: Rgb, b: Rgb, least: f64, what: &str) {
    let (distance, eyes) = apart(a, b);
    assert!(
        distance >= least,
        "{what}: {a:02x?} and {b:02x?} are {distance:.1} apart, not {least} ({eyes})"
    );
}

fn looks() -> [Look; 2] {
    [false, true].map(|dark| Look { dark, pale: 0 })
}

/// A colour of the style sheet: `--hazard`.
fn of_the_page(name: &str, dark: bool) -> Rgb {
    let sheet = include_str!("../../static/style.css");
    let mut values = sheet
        .lines()
        .filter_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": #"));
    let light = values.next().unwrap();
    // Both ways of a dark page say the same.
    let all: Vec<&str> = values.collect();
    assert!(
        !all.is_empty() && all.iter().all(|v| *v == all[0]),
        "{name}"
    );
    let value = if dark { all[0] } else { light };
    [0, 2, 4].map(|at| u8::from_str_radix(&value[at..at + 2], 16).unwrap())
}

#[test]
fn distances_are_those_of_the_papers() {
    // Black and white are a hundred apart, whoever looks.
    for (name, eyes) in EYES {
        let (black, white) = (seen([0; 3], eyes), seen([255; 3], eyes));
        assert!((white[0] - black[0] - 100.0).abs() < 0.1, "{name}");
        assert!(white[1].hypot(white[2]) < 0.6, "{name}");
    }
    // What red and green are known for.
    let (red, green) = ([0xc0, 0x39, 0x2b], [0x6b, 0x75, 0x1f]);
    let (distance, eyes) = apart(red, green);
    assert!(distance < 8.0 && eyes != "all cones", "{distance} {eyes}");
}

#[test]
fn classes_are_told_apart() {
    for look in looks() {
        let pale = Look { pale: 255, ..look }.of(0);
        for a in 0..CLASSES as u8 {
            for b in 0..a {
                // Neighbours in the legend even where they are small.
                let least = if a == b + 1 { 10.0 } else { 6.0 };
                let what = format!("classes {b} and {a}, dark: {}", look.dark);
                check(look.of(a), look.of(b), least, &what);
            }
            let what = format!("class {a}, dark: {}", look.dark);
            check(look.of(a), look.ground(), 14.0, &what);
            check(look.of(a), pale, 7.5, &what);
            check(look.pixel(a, 0.0), look.ground(), 5.0, &what);
        }
        let [a, b] = look.parameters();
        check(a, b, 10.0, "parameters");
        check(pale, look.ground(), 8.0, "pale");
    }
}

#[test]
fn hazards_look_like_nothing_else() {
    for look in looks() {
        let alarm = look.alarm();
        assert_eq!(alarm, of_the_page("--hazard", look.dark));
        assert_eq!(look.ground(), of_the_page("--card", look.dark));
        for class in 0..CLASSES as u8 {
            for n in 0..=100 {
                let what = format!("class {class} at {n} %, dark: {}", look.dark);
                check(alarm, look.pixel(class, n as f32 / 100.0), 10.0, &what);
            }
        }
        let pale = Look { pale: 255, ..look }.of(0);
        let others = [look.ground(), look.ink(), pale];
        let lines = ["--accent", "--limit", "--ink"].map(|name| of_the_page(name, look.dark));
        for other in others.into_iter().chain(look.parameters()).chain(lines) {
            check(alarm, other, 10.0, &format!("dark: {}", look.dark));
        }
    }
}

/// Whatever colours stand for, classes that are neighbours in the legend are neighbours in number.
#[test]
fn a_legend_has_the_classes_in_order() {
    let mut seen = 0;
    for (path, bytes) in small_dumps() {
        let Some(plan) = parse(&bytes).plan.filter(|p| p.kind == PlanKind::Plan) else {
            continue;
        };
        let map = MemoryMap::new(&plan);
        for key in MapKey::ALL {
            let legend = classes(&plan, &map, key).legend;
            let numbers: Vec<u8> = legend.iter().map(|c| c.class).collect();
            let expected: Vec<u8> = (0..legend.len() as u8).collect();
            assert_eq!(numbers, expected, "{key:?} of {}", path.display());
            seen += usize::from(legend.len() == CLASSES);
        }
    }
    assert!(seen > 3);
}

/// A hazard has stripes and an outline; a small one is three pixels of its colour at least.
#[test]
fn hazards_have_stripes_and_are_never_too_small() {
    let window = Window {
        left: 0.0,
        right: 100.0,
        bottom: 0.0,
        top: 100.0,
    };
    let look = looks()[0];
    let painted = |steps: (u32, u32), bytes: (u64, u64), most: &mut usize| {
        let size = (100, 100);
        let mut pixels = vec![7; (size.0 * size.1 * 4) as usize];
        let b = MapBox {
            bytes: ByteRange {
                start: bytes.0,
                end: bytes.1,
            },
            steps: LiveRange {
                first: steps.0,
                last: steps.1,
            },
            tensor: 0,
        };
        hazard(&b, window, size, look, &mut pixels, most);
        let is = |p: &[u8]| p[..3] == look.alarm();
        pixels.chunks(4).map(is).collect::<Vec<bool>>()
    };
    // 40 × 30 pixels: what is painted inside is a third, and no line across or up is without.
    let large = painted((10, 49), (20, 50), &mut 10_000);
    let at = |x: usize, y: usize| large[(99 - y) * 100 + x];
    assert!((10..50).all(|x| at(x, 20) && at(x, 49)));
    assert!((20..50).all(|y| at(10, y) && at(49, y)));
    let inside = (11..49).flat_map(|x| (21..49).map(move |y| (x, y)));
    let stripes = inside.clone().filter(|&(x, y)| at(x, y)).count();
    assert!((inside.count() / 4..).contains(&stripes) && stripes < 38 * 28 / 2);
    assert!((21..49).all(|y| (11..49).any(|x| at(x, y)) && (11..49).any(|x| !at(x, y))));
    let around = 2 * 40 + 2 * 28;
    assert_eq!(large.iter().filter(|p| **p).count(), around + stripes);
    // A pixel, in the middle and in each corner.
    for (step, byte) in [(50, 50), (0, 0), (0, 99), (99, 0), (99, 99)] {
        let small = painted((step, step), (byte, byte + 1), &mut 100);
        let count = small.iter().filter(|p| **p).count();
        assert_eq!(count, 9, "{step}, {byte}");
    }
    // Without any left to stripe there is the outline: so it is with a second one that would take
    // more than the first one left.
    let outline = painted((10, 49), (20, 50), &mut 0);
    assert_eq!(outline.iter().filter(|p| **p).count(), around);
    let mut most = 40 * 30 + 20;
    for (expected, left) in [(around + stripes, 20), (around, 20)] {
        let again = painted((10, 49), (20, 50), &mut most);
        assert_eq!(again.iter().filter(|p| **p).count(), expected);
        assert_eq!(most, left);
    }
}
