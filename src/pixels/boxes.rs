//! The plan as a picture: boxes of steps × bytes, found by window, by place and by step.
//!
//! A box is a stretch of memory while it is held: the steps of a widened live range × the bytes
//! of the true offset and the aligned size. A union group is one piece of memory: it has a box for
//! each stretch of steps in which a member is alive, as high as its largest member. Overlapping
//! tensors have a box each. So the boxes over a step sum up to what is alive there. In a stage
//! nothing has an address, and there is no box.
//!
//! Boxes are sorted by the power of two of their length, then by first step: those of a level that
//! meet a window of steps lie in one slice, found by bisection, of which at most a few have ended
//! before it. 32 bytes a box.

use crate::model::{Plan, PlanKind};
use crate::sorting;
use crate::units::{ByteRange, LiveRange};

/// A stretch of memory while it is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MapBox {
    /// True offsets.
    pub bytes: ByteRange,
    /// Steps alive, widened.
    pub steps: LiveRange,
    /// The tensor; of a union group its largest member, the first one listed on a tie.
    pub tensor: u32,
}

const EMPTY: MapBox = MapBox {
    bytes: ByteRange { start: 0, end: 0 },
    steps: LiveRange { first: 0, last: 0 },
    tensor: 0,
};

/// All boxes of a plan.
#[derive(Clone, Debug, Default)]
pub struct MemoryMap {
    boxes: Vec<MapBox>,
    /// Where each level begins, and where the last one ends.
    levels: Vec<u32>,
}

fn level_of(steps: LiveRange) -> usize {
    (steps.last - steps.first).saturating_add(1).ilog2() as usize
}

impl MemoryMap {
    /// Makes the boxes of a plan. O(n log n).
    pub fn new(plan: &Plan) -> Self {
        if plan.kind == PlanKind::Stage {
            return Self::default();
        }
        // A million boxes are counted first and then put where they belong.
        let alone = (0..plan.n_tensors()).filter_map(|tensor| {
            let bytes = plan.bytes_of(tensor);
            let steps = plan.live_range(tensor)?;
            let counts = plan.union_group(tensor).is_none() && !bytes.is_empty();
            counts.then_some(MapBox {
                bytes,
                steps,
                tensor,
            })
        });
        let mut shared = Vec::new();
        for group in plan.unions.iter() {
            let mut largest = None;
            for &t in group {
                let aligned = plan.tensors.aligned_at(t);
                if aligned > largest.map_or(0, |l| plan.tensors.aligned_at(l)) {
                    largest = Some(t);
                }
            }
            let Some(tensor) = largest else { continue };
            let bytes = plan.bytes_of(tensor);
            let stretches = plan.alive_stretches(&mut group.iter().copied());
            shared.extend(stretches.into_iter().map(|steps| MapBox {
                bytes,
                steps,
                tensor,
            }));
        }
        let all = alone.chain(shared.iter().copied());
        // One place more than there are levels: where the last one ends.
        let mut levels = vec![0u32; 33];
        for b in all.clone() {
            if let Some(end) = levels.get_mut(level_of(b.steps) + 1) {
                *end += 1;
            }
        }
        let mut end = 0;
        for level in &mut levels {
            end += *level;
            *level = end;
        }
        let mut next = levels.clone();
        let mut boxes = vec![EMPTY; end as usize];
        for b in all {
            if let Some(next) = next.get_mut(level_of(b.steps)) {
                if let Some(place) = boxes.get_mut(*next as usize) {
                    *place = b;
                }
                *next += 1;
            }
        }
        // The tensors of a level come in order already, as a rule.
        for (&begin, &end) in levels.iter().zip(levels.iter().skip(1)) {
            let level = boxes.get_mut(begin as usize..end as usize);
            let level = level.unwrap_or_default();
            if !level.is_sorted_by_key(|b| b.steps.first) {
                sorting::sort_by(level, |a, b| a.steps.first.cmp(&b.steps.first));
            }
        }
        Self { boxes, levels }
    }

    /// All boxes; their places in this list are their numbers.
    pub fn boxes(&self) -> &[MapBox] {
        &self.boxes
    }

    /// Calls `f` with every box that is alive in `steps` and its number: level by level, and in a
    /// level by first step. Levels in which every box is shorter than `shortest` steps are left
    /// out.
    pub fn each_in(&self, steps: LiveRange, shortest: f64, mut f: impl FnMut(u32, &MapBox)) {
        for (level, ends) in self.levels.windows(2).enumerate() {
            let &[begin, end] = ends else { return };
            if ((2u64 << level) as f64) < shortest {
                continue;
            }
            let Some(slice) = self.boxes.get(begin as usize..end as usize) else {
                return;
            };
            // The longest box of the level that still meets the window begins this early.
            let reach = (2u64 << level) - 2;
            let earliest = u64::from(steps.first).saturating_sub(reach) as u32;
            let from = slice.partition_point(|b| b.steps.first < earliest);
            for (i, b) in slice.iter().enumerate().skip(from) {
                if b.steps.first > steps.last {
                    break;
                }
                if b.steps.last >= steps.first {
                    f(begin + i as u32, b);
                }
            }
        }
    }

    /// The box at a place: of those that hold the byte at the step the one that begins last, then
    /// the lowest; where nobody does, the one with most in common with the window around it.
    pub fn hit(&self, step: u32, byte: u64, steps: LiveRange, bytes: ByteRange) -> Option<MapBox> {
        let mut best: Option<(u128, MapBox)> = None;
        let mut offer = |weight: u128, b: &MapBox| {
            let better =
                |(w, old): &(u128, MapBox)| weight > *w || weight == *w && b.tensor < old.tensor;
            if best.as_ref().is_none_or(better) {
                best = Some((weight, *b));
            }
        };
        let now = LiveRange {
            first: step,
            last: step,
        };
        // Of a window of many steps most boxes are short: they are looked at only where nobody
        // holds the byte itself.
        let (mut held, here) = (false, ByteRange::at(byte, 1));
        self.each_in(now, 0.0, |_, b| {
            if b.bytes.overlaps(here) && bytes.overlaps(here) {
                held = true;
                offer(b.steps.first.into(), b);
            }
        });
        if !held {
            self.each_in(steps, 0.0, |_, b| {
                if b.bytes.overlaps(bytes) {
                    let wide = b.steps.last.min(steps.last) - b.steps.first.max(steps.first) + 1;
                    let high = b.bytes.end.min(bytes.end) - b.bytes.start.max(bytes.start);
                    offer(u128::from(wide) * u128::from(high), b);
                }
            });
        }
        best.map(|(_, b)| b)
    }

    /// What is free at a step between 0 and `height`, which is a byte behind the last; ascending.
    pub fn holes(&self, step: u32, height: u64) -> Vec<ByteRange> {
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        let now = LiveRange {
            first: step,
            last: step,
        };
        self.each_in(now, 0.0, |_, b| {
            starts.push(b.bytes.start);
            ends.push(b.bytes.end);
        });
        // Tens of thousands may be alive: numbers are sorted by their digits.
        sorting::by_digits(&mut starts, 0);
        sorting::by_digits(&mut ends, 0);
        // As many as begin below a start end below it where nothing is held in front of it, and the
        // last of these ends is where that hole begins.
        starts.push(height);
        let ends = std::iter::once(0).chain(ends);
        let holes = ends.zip(starts).map(|(start, end)| ByteRange {
            start,
            end: end.min(height).max(start),
        });
        holes.filter(|hole| !hole.is_empty()).collect()
    }
}
