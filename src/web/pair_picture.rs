//! The picture of a pair: both tensors as boxes over steps and addresses with the shared part marked,
//! their nodes on streams below, and what orders them, or the order that is missing.

use web_sys::HtmlCanvasElement;

use super::ink::{colour, Ink};
use super::words::{s, sf, Said};
use super::{dom, Result};
use crate::engine::safety::{edge, PairFacts, PairNode, PairSide};
use crate::report::figure::bytes;

/// Height of the plan, of the axis below it, and of a stream.
const PLAN: f64 = 168.0;
const AXIS: f64 = 22.0;
const LANE: f64 = 26.0;

/// Room for labels on the left, and on the right.
const LEFT: f64 = 104.0;
const RIGHT: f64 = 16.0;

/// Fewest pixels between two marked steps where the axis is to scale.
const NEAR: f64 = 26.0;

/// Most marked steps where it is not.
const MOST_MARKS: usize = 36;

/// Which steps are where.
struct Axis {
    /// Marked steps, ascending, with the middle of each.
    marks: Vec<(u32, f64)>,
    /// Half of the width of a step.
    half: f64,
    to_scale: bool,
}

impl Axis {
    fn of(facts: &PairFacts, width: f64) -> Self {
        let mut must: Vec<u32> = Vec::new();
        let mut may: Vec<u32> = Vec::new();
        let mut nodes: Vec<u32> = facts.collide.clone();
        nodes.extend(facts.missing.iter().take(3));
        nodes.extend(path_of(facts).map(|(_, _, n)| n));
        for side in &facts.sides {
            must.extend([side.tensor.first, side.tensor.last]);
            nodes.extend(side.producer);
            nodes.extend(side.users.first().into_iter().chain(side.users.last()));
            may.extend(steps_of(facts, &side.users));
        }
        must.extend(steps_of(facts, &nodes));
        may.truncate(MOST_MARKS.saturating_sub(must.len()));
        must.extend(may);
        must.sort_unstable();
        must.dedup();
        let (lo, hi) = (
            must.first().copied().unwrap_or(0),
            must.last().copied().unwrap_or(0),
        );
        let cell = width / (f64::from(hi - lo) + 1.0);
        let nearest = must.windows(2).map(|two| match two {
            [a, b] => b - a,
            _ => u32::MAX,
        });
        let to_scale = f64::from(nearest.min().unwrap_or(1)) * cell >= NEAR;
        if to_scale {
            let middle = |step: u32| LEFT + (f64::from(step - lo) + 0.5) * cell;
            return Self {
                marks: must.iter().map(|&step| (step, middle(step))).collect(),
                half: cell / 2.0,
                to_scale,
            };
        }
        let cell = width / must.len().max(1) as f64;
        let middle = |i: usize| LEFT + (i as f64 + 0.5) * cell;
        Self {
            marks: must
                .iter()
                .enumerate()
                .map(|(i, &step)| (step, middle(i)))
                .collect(),
            half: cell * 0.42,
            to_scale,
        }
    }

    fn middle(&self, step: u32) -> Option<f64> {
        let at = self.marks.binary_search_by_key(&step, |(s, _)| *s).ok()?;
        self.marks.get(at).map(|(_, x)| *x)
    }
}

fn steps_of<'a>(facts: &'a PairFacts, nodes: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
    let node = |n: &u32| facts.nodes.get(*n as usize);
    nodes.iter().filter_map(node).map(|n| n.step)
}

/// The nodes of a path: what leads to each, what that tells, and its place among the nodes.
pub fn nodes_of(path: &[u64]) -> impl Iterator<Item = (u64, u64, u32)> + '_ {
    path.chunks_exact(3).map(|three| match *three {
        [kind, value, node] => (kind, value, node as u32),
        _ => (edge::START, 0, u32::MAX),
    })
}

/// The path that is drawn: the first that orders them, or that leads the wrong way.
fn path_of(facts: &PairFacts) -> impl Iterator<Item = (u64, u64, u32)> + '_ {
    let path = if facts.against.is_empty() {
        &facts.paths
    } else {
        &facts.against
    };
    let mut starts = 0;
    nodes_of(path).take_while(move |(kind, ..)| {
        starts += u32::from(*kind == edge::START);
        starts < 2
    })
}

/// The streams, or where there are none whose nodes they are.
struct Lanes(Vec<(Option<u32>, String)>);

impl Lanes {
    fn of(facts: &PairFacts) -> Self {
        // Every node that is drawn is among them.
        let mut streams: Vec<u32> = facts.nodes.iter().filter_map(|n| n.stream).collect();
        streams.sort_unstable();
        streams.dedup();
        streams.truncate(10);
        if streams.is_empty() {
            let own = |side: &PairSide| sf(Said::LaneMade, &[&format!("%{}T", side.tensor.id)]);
            let mut lanes: Vec<_> = facts.sides.iter().map(|side| (None, own(side))).collect();
            if path_of(facts).count() > 2 {
                lanes.insert(1, (None, s(Said::LaneBetween).to_owned()));
            }
            return Self(lanes);
        }
        let lane = |n: u32| (Some(n), sf(Said::StreamOf, &[&n.to_string()]));
        Self(streams.into_iter().map(lane).collect())
    }

    /// The middle of a node's lane; `turn` is which of the lanes without a stream.
    fn y(&self, node: &PairNode, turn: Turn) -> f64 {
        let place = match node.stream {
            Some(stream) => self.0.iter().position(|(own, _)| *own == Some(stream)),
            None => match turn {
                Turn::First => Some(0),
                Turn::Between => Some(1),
                Turn::Second => Some(self.0.len().saturating_sub(1)),
            },
        };
        let last = self.0.len().saturating_sub(1);
        PLAN + AXIS + (place.unwrap_or(last) as f64 + 0.5) * LANE
    }
}

#[derive(Clone, Copy)]
enum Turn {
    First,
    Between,
    Second,
}

/// Paints the picture.
pub fn paint(canvas: &HtmlCanvasElement, facts: &PairFacts) -> Result<()> {
    let lanes = Lanes::of(facts);
    let height = PLAN + AXIS + lanes.0.len() as f64 * LANE + 8.0;
    let Some(ink) = Ink::of(canvas, height)? else {
        return Ok(());
    };
    let axis = Axis::of(facts, ink.width - LEFT - RIGHT);
    let hazard = facts.ground == "hazard";
    let colours = [colour("--accent"), colour("--in-use")];
    let (line, dim) = (colour("--line"), colour("--dim"));
    let mark = colour(if hazard { "--hazard" } else { "--dim" });
    // Lanes and the axis.
    for (i, (_, label)) in lanes.0.iter().enumerate() {
        let y = PLAN + AXIS + (i as f64 + 0.5) * LANE;
        ink.line(&[(LEFT, y), (ink.width - RIGHT, y)], &line, 1.0, 0.0)?;
        ink.text(label, (LEFT - 10.0, y), &dim, "end")?;
    }
    let mut free = f64::MIN;
    for (step, x) in &axis.marks {
        ink.line(&[(*x, PLAN), (*x, PLAN + 4.0)], &dim, 1.0, 0.0)?;
        let label = format!("${step}");
        let wide = ink.measure(&label);
        if x - wide / 2.0 > free {
            ink.text(&label, (*x, PLAN + 12.0), &dim, "center")?;
            free = x + wide / 2.0 + 6.0;
        }
    }
    boxes(&ink, facts, &axis, &colours, &mark)?;
    for (side, (turn, colour)) in facts
        .sides
        .iter()
        .zip([Turn::First, Turn::Second].into_iter().zip(&colours))
    {
        nodes(&ink, (facts, side), &axis, &lanes, turn, colour)?;
    }
    edges(&ink, facts, &axis, &lanes, &mark)?;
    dom::id("pair-scale")?.set_hidden(axis.to_scale);
    Ok(())
}

/// The tensors as boxes, and what they share.
fn boxes(
    ink: &Ink,
    facts: &PairFacts,
    axis: &Axis,
    colours: &[String; 2],
    mark: &str,
) -> Result<()> {
    let (top, bottom) = (20.0, PLAN - 6.0);
    let dim = colour("--dim");
    let range = |side: &PairSide| (side.offset, side.offset.saturating_add(side.tensor.aligned));
    let placed = facts
        .sides
        .iter()
        .filter(|s| s.tensor.aligned > 0)
        .map(range);
    let (lo, hi) = placed.fold((u64::MAX, 0), |(lo, hi), (start, end)| {
        (lo.min(start), hi.max(end))
    });
    if lo >= hi {
        return Ok(());
    }
    let y = |at: u64| bottom - (at.saturating_sub(lo)) as f64 / (hi - lo) as f64 * (bottom - top);
    let place = |side: &PairSide| {
        let left = axis.middle(side.tensor.first)? - axis.half;
        let right = axis.middle(side.tensor.last)? + axis.half;
        let (start, end) = range(side);
        let tall = (y(start) - y(end)).max(3.0);
        Some((left, y(start) - tall, right - left, tall))
    };
    let mut taken: Vec<f64> = Vec::new();
    for at in [lo, hi, facts.start, facts.end] {
        let place = y(at);
        let free = taken.iter().all(|other| (other - place).abs() > 13.0);
        if free && (lo..=hi).contains(&at) {
            ink.text(&format!("0x{at:x}"), (LEFT - 10.0, place), &dim, "end")?;
            taken.push(place);
        }
    }
    let places: Vec<_> = facts.sides.iter().map(place).collect();
    for ((side, own), colour) in facts.sides.iter().zip(&places).zip(colours) {
        let Some(own) = own.filter(|_| side.tensor.aligned > 0) else {
            continue;
        };
        ink.fill(own, colour, 0.16);
        ink.outline(own, colour);
    }
    let (start, end) = (facts.start, facts.end);
    if start < end {
        let tall = (y(start) - y(end)).max(3.0);
        let top = y(start) - tall;
        let strong = if mark == dim { 0.3 } else { 0.55 };
        for (x, _, wide, _) in places.iter().flatten() {
            ink.fill((*x, top, *wide, tall), mark, strong);
            for edge in [top, top + tall - 2.0] {
                ink.fill((*x, edge, *wide, 2.0), mark, 1.0);
            }
        }
        if let [Some(a), Some(b)] = places.as_slice() {
            let (left, right) = if a.0 < b.0 { (a, b) } else { (b, a) };
            for edge in [top + 1.0, top + tall - 1.0] {
                ink.line(&[(left.0 + left.2, edge), (right.0, edge)], mark, 1.0, 3.0)?;
            }
        }
    }
    for ((side, own), colour) in facts.sides.iter().zip(&places).zip(colours) {
        let Some((x, at, _, _)) = own.filter(|_| side.tensor.aligned > 0) else {
            continue;
        };
        let label = format!("%{}T  {}", side.tensor.id, bytes(side.tensor.aligned));
        let x = x.min(ink.width - RIGHT - ink.measure(&label));
        ink.text(&label, (x, (at - 9.0).max(8.0)), colour, "start")?;
    }
    Ok(())
}

/// Who makes a tensor and who uses it.
fn nodes(
    ink: &Ink,
    (facts, side): (&PairFacts, &PairSide),
    axis: &Axis,
    lanes: &Lanes,
    turn: Turn,
    own: &str,
) -> Result<()> {
    let paper = colour("--card");
    let node = |n: &u32| facts.nodes.get(*n as usize);
    for node in side.users.iter().filter_map(node) {
        if let Some(x) = axis.middle(node.step) {
            ink.circle((x, lanes.y(node, turn)), 4.0, &paper, own)?;
        }
    }
    if let Some(node) = side.producer.as_ref().and_then(node) {
        if let Some(x) = axis.middle(node.step) {
            let y = lanes.y(node, turn);
            let r = 6.0;
            ink.shape(&[(x - r, y), (x, y - r), (x + r, y), (x, y + r)], own);
        }
    }
    Ok(())
}

/// What orders them, or the order that is missing.
fn edges(ink: &Ink, facts: &PairFacts, axis: &Axis, lanes: &Lanes, mark: &str) -> Result<()> {
    let known = colour("--ink");
    let path: Vec<_> = path_of(facts).collect();
    let last = path.len().saturating_sub(1);
    let wrong_way = !facts.against.is_empty();
    let turn = |i: usize| match (i == 0, i == last, wrong_way) {
        (true, _, false) | (_, true, true) => Turn::First,
        (_, true, false) | (true, _, true) => Turn::Second,
        _ => Turn::Between,
    };
    let node = |n: u32| facts.nodes.get(n as usize);
    let place = |n: u32, turn| {
        let node = node(n)?;
        Some((axis.middle(node.step)?, lanes.y(node, turn)))
    };
    for (i, two) in path.windows(2).enumerate() {
        let [(_, _, a), (kind, _, b)] = two else {
            continue;
        };
        let (Some(from), Some(to)) = (place(*a, turn(i)), place(*b, turn(i + 1))) else {
            continue;
        };
        let dash = match *kind {
            edge::ORDER => 5.0,
            edge::SKIPPED => 2.0,
            _ => 0.0,
        };
        ink.arrow(from, to, &known, 1.4, dash)?;
        if i + 1 < last {
            ink.circle(to, 2.0, &known, &known)?;
        }
    }
    let [own, to] = *facts.collide else {
        return Ok(());
    };
    let Some(end) = place(to, Turn::Second) else {
        return Ok(());
    };
    ink.circle(end, 8.5, "", mark)?;
    let missing = facts.missing.iter().copied().filter(|n| *n != own).take(3);
    for n in std::iter::once(own).chain(missing) {
        let Some(start) = place(n, Turn::First) else {
            continue;
        };
        if n == own {
            ink.circle(start, 8.5, "", mark)?;
        }
        if n == to || (wrong_way && n == own) {
            continue;
        }
        ink.arrow(start, end, mark, 1.6, 4.0)?;
        if n == own {
            let middle = ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0);
            let label = s(Said::NoOrder);
            let wide = ink.measure(label) + 8.0;
            let behind = (middle.0 - wide / 2.0, middle.1 - 8.0, wide, 16.0);
            ink.fill(behind, &colour("--card"), 1.0);
            ink.text(label, middle, mark, "center")?;
        }
    }
    Ok(())
}
