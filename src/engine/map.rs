//! The memory map: its picture in a window, what lies at a place of it, and what to mark.

use serde::{Deserialize, Serialize};

use super::lookup;
use super::table::{parameter_size, Of};
use crate::analysis::{neighbours, Facts, Safety};
use crate::model::Plan;
use crate::pixels::look::{colours, hazard, outline, Look};
use crate::pixels::{MapBox, MemoryMap, Painter, Window};
use crate::report::map::key::{classes, Classes, MapKey};
use crate::report::names;
use crate::sorting;
use crate::units::{ByteRange, LiveRange};

/// Most names in a picture, and most readers marked.
const MOST_LABELS: usize = 150;
const MOST_READERS: usize = 500;
/// Most hazards outlined, and most pixels striped for them, in pictures.
const MOST_HAZARDS: usize = 20_000;
const STRIPED: usize = 4;
/// Most hazards that one is led to.
const MOST_VISITED: usize = 500;
/// Most holes of a step.
const MOST_HOLES: usize = 300;
/// Cells of the parameters, and most tensors lit.
const CELLS: usize = 1200;
const MOST_LIT: usize = 2_000;
/// Boxes of so many pixels have room for a name.
const LABELLED: (f64, f64) = (46.0, 13.0);

/// Asks for a picture. Nothing of a dump is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MapRequest {
    /// Handle of the graph.
    pub graph: u32,
    /// What the colours stand for: a place in [`MapKey::ALL`].
    pub key: u8,
    /// Classes that are shown pale, a bit each.
    pub pale: u8,
    /// For a dark ground.
    pub dark: bool,
    /// Whether to outline unions, contiguous lists, hazards.
    pub outlines: [bool; 3],
    /// Left and right end in steps, bottom and top in bytes; all zero is all of the map, and the
    /// answer says what that is.
    pub window: [f64; 4],
    /// Size in pixels.
    pub size: (u32, u32),
}

impl MapRequest {
    /// What is in sight.
    pub fn seen(&self) -> Window {
        let [left, right, bottom, top] = self.window;
        Window {
            left,
            right,
            bottom,
            top,
        }
    }

    /// The colours.
    pub fn look(&self) -> Look {
        Look {
            dark: self.dark,
            pale: self.pale,
        }
    }

    /// Whether another picture shows the same in the same colours, if maybe elsewhere.
    pub fn looks_like(&self, other: &Self) -> bool {
        let (window, size) = (self.window, self.size);
        *self
            == Self {
                window,
                size,
                ..other.clone()
            }
    }
}

/// What goes with a picture.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MapFrame {
    /// What was asked for.
    pub request: MapRequest,
    /// Names of large boxes.
    pub labels: Vec<MapLabel>,
}

/// The name of a box.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MapLabel {
    /// The box.
    pub rect: MapRect,
    /// The last part of its source's name.
    pub name: String,
    /// Whether dark ink is read better on its colour.
    pub dark: bool,
    /// Whether a hazard is striped over a part of it.
    pub striped: bool,
}

/// A stretch of memory while it is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapRect {
    /// Id of the tensor.
    pub id: u64,
    /// First and last step, both included.
    pub steps: (u32, u32),
    /// First byte and the byte behind the last one.
    pub bytes: (u64, u64),
}

/// What there is to say of the whole map.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MapFacts {
    /// Number of boxes; none in a stage dump.
    pub boxes: u32,
    /// The byte behind the last one that is planned or held.
    pub height: u64,
    /// Where the map ends, in bytes: a little above.
    pub top: f64,
    /// Classes: number, name (empty for the rest), share of all bytes × steps.
    pub legend: Vec<(u8, String, f64)>,
    /// The parameters, if it is known where they lie.
    pub parameters: Option<MapBand>,
    /// Whether streams tell something: there are several, and fewer than nodes by far.
    pub has_streams: bool,
    /// The steps and bytes of the first hazards, once the plan was judged.
    pub hazards: Vec<MapRect>,
}

/// The parameters on the device: a line of cells from the first to the last address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapBand {
    /// The first address and the one behind the last.
    pub bytes: (u64, u64),
    /// How many parameters have a place.
    pub count: u32,
    /// Of each cell the id of the parameter that covers most of it, and whether neighbours are
    /// told apart by the darker of two tones; nothing where no parameter lies.
    pub cells: Vec<Option<(u64, bool)>>,
}

/// What lies at a place.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MapPlace {
    /// The step.
    pub step: u32,
    /// The box there, or the one with most in common with the pixel.
    pub found: Option<MapRect>,
    /// The step and the name of its source node.
    pub producer: Option<(u32, String)>,
    /// Largest hole below the planned total at the step, number of holes, bytes of all of them.
    pub holes: (u64, u32, u64),
    /// The largest holes, that one first: first byte and the one behind the last. All that is asked
    /// for with no bytes around the place, else one.
    pub free: Vec<(u64, u64)>,
}

/// What to mark of a tensor.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct MapMarks {
    /// Itself.
    pub own: MapRect,
    /// Who held its bytes before, who takes them after it.
    pub near: [Option<MapRect>; 2],
    /// The step of its source node.
    pub producer: Option<u32>,
    /// The steps of the first of its readers.
    pub readers: Vec<u32>,
}

/// What is kept of the map of a graph.
#[derive(Debug, Default)]
pub struct KeptMap {
    map: Option<MemoryMap>,
    classes: Option<(u8, Classes)>,
    groups: Option<[Vec<MapBox>; 2]>,
    painter: Painter,
}

fn height(facts: &Facts) -> u64 {
    facts.planned_total.max(facts.max_end)
}

/// Room above for the line of the planned total.
fn top(facts: &Facts) -> f64 {
    height(facts).max(1) as f64 * 1.03
}

fn rect(plan: &Plan, b: &MapBox) -> MapRect {
    MapRect {
        id: plan.tensors.ids.id(b.tensor),
        steps: (b.steps.first, b.steps.last),
        bytes: (b.bytes.start, b.bytes.end),
    }
}

/// A tensor as it is by itself, whatever it shares.
fn own_box(plan: &Plan, tensor: u32) -> Option<MapBox> {
    let bytes = plan.bytes_of(tensor);
    Some(MapBox {
        bytes,
        steps: plan.live_range(tensor)?,
        tensor,
    })
    .filter(|_| !bytes.is_empty())
}

/// The box around some tensors.
fn hull(plan: &Plan, list: &[u32]) -> Option<MapBox> {
    let boxes = list.iter().filter_map(|&t| own_box(plan, t));
    boxes.reduce(|a, b| MapBox {
        bytes: ByteRange {
            start: a.bytes.start.min(b.bytes.start),
            end: a.bytes.end.max(b.bytes.end),
        },
        steps: LiveRange {
            first: a.steps.first.min(b.steps.first),
            last: a.steps.last.max(b.steps.last),
        },
        tensor: a.tensor,
    })
}

/// The bytes that two tensors share, over the steps of both.
fn clash(plan: &Plan, (a, b): (u32, u32)) -> Option<MapBox> {
    let (x, y) = (own_box(plan, a)?, own_box(plan, b)?);
    let both = hull(plan, &[a, b])?;
    Some(MapBox {
        bytes: ByteRange {
            start: x.bytes.start.max(y.bytes.start),
            end: x.bytes.end.min(y.bytes.end),
        },
        ..both
    })
}

impl KeptMap {
    fn map(&mut self, plan: &Plan) -> &MemoryMap {
        self.map.get_or_insert_with(|| MemoryMap::new(plan))
    }

    fn with_classes(&mut self, plan: &Plan, key: u8) {
        let map = self.map.get_or_insert_with(|| MemoryMap::new(plan));
        if self.classes.as_ref().is_none_or(|(of, _)| *of != key) {
            let which = MapKey::ALL.get(usize::from(key)).copied();
            self.classes = Some((key, classes(plan, map, which.unwrap_or_default())));
        }
    }

    /// The facts of the map, coloured by a key.
    pub fn facts(
        &mut self,
        plan: &Plan,
        facts: &Facts,
        safety: Option<&Safety>,
        (key, parameters): (u8, Option<MapBand>),
    ) -> MapFacts {
        self.with_classes(plan, key);
        let legend = self.classes.as_ref().map_or(&[][..], |(_, c)| &c.legend);
        let all: f64 = legend.iter().map(|c| c.area).sum::<f64>().max(1.0);
        let streams = facts.streams;
        let pairs = safety.map_or(&[][..], |s| &s.pairs).iter();
        let hazards = pairs.take(MOST_VISITED).filter_map(|&p| clash(plan, p));
        MapFacts {
            boxes: self.map.as_ref().map_or(0, |m| m.boxes().len() as u32),
            height: height(facts),
            top: top(facts),
            legend: legend
                .iter()
                .map(|c| (c.class, c.name.clone(), c.area / all))
                .collect(),
            parameters,
            has_streams: streams > 1 && streams < u64::from(plan.n_nodes()) / 4,
            hazards: hazards.map(|b| rect(plan, &b)).collect(),
        }
    }

    /// Paints a picture, four bytes a pixel.
    pub fn paint(
        &mut self,
        (plan, facts): (&Plan, &Facts),
        safety: Option<&Safety>,
        request: &MapRequest,
        pixels: &mut Vec<u8>,
    ) -> MapFrame {
        self.with_classes(plan, request.key);
        let mut frame = MapFrame {
            request: request.clone(),
            ..MapFrame::default()
        };
        if request.window == [0.0; 4] {
            frame.request.window = [0.0, f64::from(plan.steps), 0.0, top(facts)];
        }
        let request = &frame.request;
        let (Some(map), Some((_, classes))) = (&self.map, &self.classes) else {
            return frame;
        };
        let (window, look) = (request.seen(), request.look());
        let of = (map, classes.of_box.as_slice());
        colours(&mut self.painter, of, window, request.size, look, pixels);
        let [unions, contiguous, hazards] = request.outlines;
        if unions || contiguous {
            let groups = self.groups.get_or_insert_with(|| {
                [&plan.unions, &plan.contiguous]
                    .map(|lists| lists.iter().filter_map(|list| hull(plan, list)).collect())
            });
            for ((boxes, dashed), _) in groups
                .iter()
                .zip([false, true])
                .zip([unions, contiguous])
                .filter(|(_, on)| *on)
            {
                for b in boxes {
                    outline(b, window, request.size, (look.ink(), dashed), pixels);
                }
            }
        }
        let mut striped = Vec::new();
        if let Some(safety) = safety.filter(|_| hazards) {
            let pairs = safety.pairs.iter().take(MOST_HAZARDS);
            let mut most = STRIPED * request.size.0 as usize * request.size.1 as usize;
            for b in pairs.filter_map(|&pair| clash(plan, pair)) {
                hazard(&b, window, request.size, look, pixels, &mut most);
                striped.push(b);
            }
        }
        let across = f64::from(request.size.0) / (window.right - window.left);
        let up = f64::from(request.size.1) / (window.top - window.bottom);
        let mut large: Vec<(f64, u32, MapBox)> = Vec::new();
        map.each_in(window.steps(), LABELLED.0 / across, |number, b| {
            let (first, end) = (f64::from(b.steps.first), f64::from(b.steps.last) + 1.0);
            let (low, high) = (b.bytes.start as f64, b.bytes.end as f64);
            let wide = (end.min(window.right) - first.max(window.left)) * across;
            let high = (high.min(window.top) - low.max(window.bottom)) * up;
            if wide >= LABELLED.0 && high >= LABELLED.1 {
                large.push((wide * high, number, *b));
            }
        });
        sorting::sort_by(&mut large, |a, b| b.0.total_cmp(&a.0));
        large.truncate(MOST_LABELS);
        let label = |(_, number, b): &(f64, u32, MapBox)| {
            let source = plan.tensors.source_of(b.tensor);
            let name = source.map_or(&[][..], |n| plan.node_name(n));
            let class = classes.of_box.get(*number as usize);
            MapLabel {
                rect: rect(plan, b),
                name: names::display(crate::analysis::names::last_part(name)),
                dark: look.wants_dark_ink(class.copied().unwrap_or(0)),
                striped: striped.iter().any(|s: &MapBox| {
                    let meet = s.steps.first <= b.steps.last && b.steps.first <= s.steps.last;
                    meet && s.bytes.overlaps(b.bytes)
                }),
            }
        };
        frame.labels = large.iter().map(label).collect();
        frame
    }

    /// What lies at a step and a byte, or else in the steps and bytes around them.
    pub fn place(
        &mut self,
        plan: &Plan,
        planned: u64,
        (step, byte): (u32, u64),
        (steps, bytes): ((u32, u32), (u64, u64)),
    ) -> MapPlace {
        let map = self.map(plan);
        let around = LiveRange {
            first: steps.0,
            last: steps.1.max(steps.0),
        };
        let bytes = ByteRange {
            start: bytes.0,
            end: bytes.1,
        };
        let found = map.hit(step, byte, around, bytes);
        let mut free = map.holes(step, planned);
        let mut most = 1;
        if bytes.is_empty() {
            sorting::sort_by(&mut free, |a, b| b.len().cmp(&a.len()));
            most = MOST_HOLES;
        } else if let Some(largest) = (0..free.len())
            .rev()
            .max_by_key(|&i| free.get(i).map(|hole| hole.len()))
        {
            free.swap(0, largest);
        }
        // Of a union group the member that is alive, and the one that came last: at the step, or
        // as near to it as the box is.
        let member = found.map(|b| {
            let step = step.max(b.steps.first).min(b.steps.last);
            let group = plan.union_group(b.tensor);
            let members = group.map_or(&[][..], |g| plan.unions.get(g)).iter();
            let alive = members.filter_map(|&t| Some((plan.live_range(t)?, t)));
            let alive = alive.filter(|(life, _)| life.contains(step));
            alive
                .max_by_key(|(life, _)| life.first)
                .map_or(b.tensor, |(_, t)| t)
        });
        let source = member.and_then(|t| plan.tensors.source_of(t));
        MapPlace {
            step,
            found: found.zip(member).map(|(b, tensor)| {
                let steps = plan.live_range(tensor).unwrap_or(b.steps);
                rect(plan, &MapBox { tensor, steps, ..b })
            }),
            producer: source.map(|n| (plan.nodes.step(n), names::display(plan.node_name(n)))),
            holes: (
                free.first().map_or(0, |hole| hole.len()),
                free.len() as u32,
                free.iter().map(|hole| hole.len()).sum(),
            ),
            free: free.iter().take(most).map(|h| (h.start, h.end)).collect(),
        }
    }
}

/// The parameters on the device; `None` when it is not known where any lies.
pub fn band(of: &Of<'_>) -> Option<MapBand> {
    let all = (0..of.plan.parameters.ids.len()).filter_map(|p| {
        let bytes = ByteRange::at(of.parameter_address(p)?, parameter_size(of.plan, p));
        (bytes.start != 0 && !bytes.is_empty()).then_some((bytes, p))
    });
    let mut all: Vec<(ByteRange, u32)> = all.collect();
    all.sort_unstable();
    let (start, end) = (all.first()?.0.start, all.iter().map(|p| p.0.end).max()?);
    let cell = (end - start) as f64 / CELLS as f64;
    let mut cells = vec![(0.0, None); CELLS];
    for (place, (bytes, p)) in all.iter().enumerate() {
        let at = |byte: u64| (byte - start) as f64 / cell;
        let (first, last) = (at(bytes.start), at(bytes.end));
        let covered = first as usize..(last.ceil() as usize).min(CELLS);
        for (i, (most, own)) in cells
            .iter_mut()
            .enumerate()
            .take(covered.end)
            .skip(covered.start)
        {
            let share = last.min(i as f64 + 1.0) - first.max(i as f64);
            if share > *most {
                (*most, *own) = (share, Some((of.plan.parameters.ids.id(*p), place % 2 == 1)));
            }
        }
    }
    Some(MapBand {
        bytes: (start, end),
        count: all.len() as u32,
        cells: cells.into_iter().map(|(_, own)| own).collect(),
    })
}

/// The tensors that a typed text means, and those written by nodes it means; the first of them.
pub fn lit(of: &Of<'_>, text: &str) -> Vec<MapRect> {
    let meant = lookup::tensors_meant(of, text).into_iter();
    let boxes = meant.filter_map(|t| own_box(of.plan, t)).take(MOST_LIT);
    boxes.map(|b| rect(of.plan, &b)).collect()
}

/// What to mark of the tensor of an id; `None` when it has no place.
pub fn marks(plan: &Plan, id: u64) -> Option<MapMarks> {
    let t = plan.tensors.ids.index_of(id)?;
    let own = own_box(plan, t).filter(|_| plan.kind == crate::model::PlanKind::Plan)?;
    let near = neighbours(plan, t);
    let side = |t: Option<u32>| t.and_then(|t| own_box(plan, t)).map(|b| rect(plan, &b));
    let readers = plan.readers().get(t).iter().take(MOST_READERS);
    Some(MapMarks {
        own: rect(plan, &own),
        near: [side(near.before), side(near.after)],
        producer: plan.tensors.source_of(t).map(|n| plan.nodes.step(n)),
        readers: readers.map(|&n| plan.nodes.step(n)).collect(),
    })
}
