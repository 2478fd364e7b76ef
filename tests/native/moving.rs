//! Views of the memory map that move: what `pixels::moved` makes of pictures that are there,
//! against the definition, pixel by pixel.

use proptest::prelude::*;
use somascope::pixels::moved::{moved, Picture, Pixel};
use somascope::pixels::Window;

use crate::properties::{check, Outcome};

const GROUND: Pixel = [255, 255, 255, 255];

/// A window from numbers between 0 and 1: left, bottom, width, height in steps and bytes.
type Place = (f64, f64, f64, f64);

fn window((x, y, wide, high): Place) -> Window {
    // Down to a hundredth of all.
    let (wide, high) = (100f64.powf(-wide), 100f64.powf(-high));
    let (left, bottom) = (x * (1.0 - wide) * 4000.0, y * (1.0 - high) * 1e9);
    Window {
        left,
        right: left + wide * 4000.0,
        bottom,
        top: bottom + high * 1e9,
    }
}

fn place() -> impl Strategy<Value = Place> {
    (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0)
}

/// A picture of a few spots: a colour of each pixel that has one.
fn picture(seed: u64, of: Window, size: (u32, u32)) -> Picture {
    let mut state = seed | 1;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    let mut pixel = || match random() % 3 {
        0 => [random() as u8, random() as u8, 7, 255],
        _ => GROUND,
    };
    Picture {
        window: of,
        size,
        pixels: (0..size.0 * size.1).map(|_| pixel()).collect(),
    }
}

/// Ends of a pixel in steps, and in bytes.
fn ends(of: Window, size: (u32, u32), i: usize) -> [(f64, f64); 2] {
    let (x, y) = (i as u32 % size.0, i as u32 / size.0);
    let across = (of.right - of.left) / f64::from(size.0);
    let down = (of.top - of.bottom) / f64::from(size.1);
    let (left, top) = (
        of.left + f64::from(x) * across,
        of.top - f64::from(y) * down,
    );
    [(left, left + across), (top - down, top)]
}

/// Whether two pixels have a place in common, or would have with `slack` more of one on each side.
fn meet(a: [(f64, f64); 2], b: [(f64, f64); 2], slack: f64) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        let more = (a.1 - a.0) * slack;
        a.0 - more < b.1 && b.0 < a.1 + more
    })
}

/// Whether a pixel lies in a window, but for rounding.
fn inside(a: [(f64, f64); 2], of: Window) -> bool {
    let within = |(from, to): (f64, f64), low: f64, high: f64| {
        let slack = (to - from) * 1e-5;
        low <= from + slack && to <= high + slack
    };
    within(a[0], of.left, of.right) && within(a[1], of.bottom, of.top)
}

#[test]
fn a_window_that_is_there_is_shown_as_it_is() {
    check(
        30,
        (any::<u64>(), place(), 1u32..40, 1u32..40),
        |i| format!("{i:?}"),
        |&(seed, at, width, height)| {
            let there = picture(seed, window(at), (width, height));
            let other = picture(seed / 3, window((0.0, 0.0, 0.0, 0.0)), (9, 7));
            let mut out = Vec::new();
            let lacks = moved(
                &[&other, &there],
                there.window,
                there.size,
                GROUND,
                &mut out,
            );
            prop_assert!(!lacks);
            prop_assert_eq!(out, there.pixels);
            Ok(())
        },
    );
}

fn compare(own: &Picture, whole: Option<&Picture>, of: Window, size: (u32, u32)) -> Outcome {
    let mut out = vec![[1; 4]; 3];
    let pictures: Vec<&Picture> = whole.into_iter().chain([own]).collect();
    let lacks = moved(&pictures, of, size, GROUND, &mut out);
    prop_assert_eq!(out.len(), (size.0 * size.1) as usize);
    let own_ends: Vec<_> = (0..own.pixels.len())
        .map(|i| ends(own.window, own.size, i))
        .collect();
    let out_ends: Vec<_> = (0..out.len()).map(|i| ends(of, size, i)).collect();
    // Nothing is lost: what is to be seen is to be seen within a pixel of its place. (Of pixels
    // that the picture covers in part only the others tell.)
    let mut own_part = Window {
        left: f64::MAX,
        bottom: f64::MAX,
        ..Window::default()
    };
    for [(left, right), (bottom, top)] in out_ends.iter().filter(|at| inside(**at, own.window)) {
        own_part.left = own_part.left.min(*left);
        own_part.right = own_part.right.max(*right);
        own_part.bottom = own_part.bottom.min(*bottom);
        own_part.top = own_part.top.max(*top);
    }
    for (pixel, at) in own.pixels.iter().zip(&own_ends) {
        if *pixel == GROUND || !inside(*at, own_part) {
            continue;
        }
        let here = |i: &usize| meet(out_ends[*i], *at, 1.01);
        prop_assert!(
            (0..out.len()).filter(here).any(|i| out[i] != GROUND),
            "{:?} of {:?} in {:?}",
            at,
            own.window,
            of
        );
    }
    let mut covered = true;
    for (pixel, at) in out.iter().zip(&out_ends) {
        let within = inside(*at, own.window);
        covered &= within || whole.is_some_and(|w| inside(*at, w.window));
        if within {
            // Nothing is invented: it has a colour that is there.
            let here = |i: usize| meet(own_ends[i], *at, 0.01).then_some(own.pixels[i]);
            let near: Vec<Pixel> = (0..own.pixels.len()).filter_map(here).collect();
            prop_assert!(near.contains(pixel), "{:?} at {:?}", pixel, at);
            // The colour in its middle, if that is any.
            let middle = at.map(|(a, b)| ((a + b) / 2.0, (a + b) / 2.0));
            let colours: Vec<Pixel> = (0..own.pixels.len())
                .filter(|&i| meet(own_ends[i], middle, 0.0))
                .map(|i| own.pixels[i])
                .collect();
            if let [colour] = colours[..] {
                prop_assert!(colour == GROUND || colour == *pixel, "{:?}", at);
            }
        } else if whole.is_none()
            && !meet(
                [
                    (own.window.left, own.window.right),
                    (own.window.bottom, own.window.top),
                ],
                *at,
                0.0,
            )
        {
            prop_assert_eq!(*pixel, GROUND);
        }
    }
    prop_assert_eq!(lacks, !covered);
    Ok(())
}

/// A seed, the places of a picture and of a view, and the sizes of both in pixels.
fn moves() -> impl Strategy<Value = (u64, Place, Place, (u32, u32), (u32, u32))> {
    let size = || (1u32..24, 1u32..24);
    (any::<u64>(), place(), place(), size(), size())
}

#[test]
fn nothing_is_lost_and_nothing_invented_when_a_picture_moves() {
    check(
        150,
        moves(),
        |i| format!("{i:?}"),
        |&(seed, from, to, own, size)| {
            compare(&picture(seed, window(from), own), None, window(to), size)
        },
    );
}

#[test]
fn the_last_picture_wins_and_the_whole_fills_the_rest() {
    check(
        150,
        moves(),
        |i| format!("{i:?}"),
        |&(seed, from, to, own, size)| {
            let whole = picture(!seed, window((0.0, 0.0, 0.0, 0.0)), (31, 17));
            compare(
                &picture(seed, window(from), own),
                Some(&whole),
                window(to),
                size,
            )
        },
    );
}

/// One line of pixels after another falls away, whichever way a view becomes wider.
#[test]
fn a_line_stays_when_the_view_becomes_wider() {
    let of = Window {
        left: 0.0,
        right: 100.0,
        bottom: 0.0,
        top: 100.0,
    };
    for line in 0..100u32 {
        for pixels in [7, 50, 91, 99] {
            let mut there = Picture {
                window: of,
                size: (100, 100),
                pixels: vec![GROUND; 10_000],
            };
            for i in 0..100 {
                there.pixels[(i * 100 + line) as usize] = [0, 0, 0, 255];
                there.pixels[(line * 100 + i) as usize] = [0, 0, 0, 255];
            }
            let mut out = Vec::new();
            assert!(!moved(&[&there], of, (pixels, pixels), GROUND, &mut out));
            let wide = pixels as usize;
            let across = (0..wide).filter(|x| (0..wide).all(|y| out[y * wide + x] != GROUND));
            let down = (0..wide).filter(|y| (0..wide).all(|x| out[y * wide + x] != GROUND));
            assert_eq!((across.count(), down.count()), (1, 1), "{line} in {pixels}");
        }
    }
}
