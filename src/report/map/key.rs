//! What the colours of the map stand for: the boxes in a few classes, by operator, layer, type …
//!
//! The largest groups (by bytes × steps) have a class each and the rest has the last one; where
//! there are only a few groups by nature (lifelong kinds, sizes) they keep their own order.

use std::collections::HashMap;

use crate::analysis::names::{layer, operator};
use crate::model::{Lifelong, Plan, TensorKind};
use crate::pixels::{MapBox, MemoryMap, CLASSES};
use crate::report::names::display;
use crate::sorting;

/// What the colours stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapKey {
    /// The operator of the source node.
    #[default]
    Operator,
    /// The scope of the source node, as deep as it takes to have a few of them.
    Layer,
    /// The tensor type.
    TensorType,
    /// The lifelong kind.
    Lifelong,
    /// The stream of the source node.
    Stream,
    /// The aligned size.
    Size,
    /// Nothing: all alike.
    One,
}

impl MapKey {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Operator,
        Self::Layer,
        Self::TensorType,
        Self::Lifelong,
        Self::Stream,
        Self::Size,
        Self::One,
    ];
}

/// A class of boxes.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its number, below [`CLASSES`].
    pub class: u8,
    /// What it is called; empty for the rest, and where nothing is told apart.
    pub name: String,
    /// Bytes × steps of its boxes.
    pub area: f64,
}

/// Boxes in classes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Classes {
    /// The class of each box, by its number in the map.
    pub of_box: Vec<u8>,
    /// The classes that have a box, ascending.
    pub legend: Vec<Class>,
}

/// Sizes up to these bytes (included) are one class.
pub const SIZES: [(u64, &str); 7] = [
    (4 << 10, "4 KB"),
    (64 << 10, "64 KB"),
    (1 << 20, "1 MB"),
    (16 << 20, "16 MB"),
    (128 << 20, "128 MB"),
    (1 << 30, "1 GB"),
    (u64::MAX, ""),
];

/// Groups of boxes before there are classes.
struct Groups {
    of_box: Vec<u32>,
    names: Vec<String>,
    /// Whether the order of the groups stays.
    ordered: bool,
}

/// Sorts the boxes of a map into classes.
pub fn classes(plan: &Plan, map: &MemoryMap, key: MapKey) -> Classes {
    let groups = groups(plan, map.boxes(), key);
    let mut areas = vec![0.0; groups.names.len()];
    for (b, &group) in map.boxes().iter().zip(&groups.of_box) {
        if let Some(sum) = areas.get_mut(group as usize) {
            *sum += area(b);
        }
    }
    let area_of = |g: u32| areas.get(g as usize).copied().unwrap_or(0.0);
    let mut order: Vec<u32> = (0..areas.len() as u32)
        .filter(|&g| area_of(g) > 0.0)
        .collect();
    if !groups.ordered {
        sorting::sort_by(&mut order, |&a, &b| area_of(b).total_cmp(&area_of(a)));
    }
    // The last class is for the rest, unless all of them have a class of their own.
    let own = match order.len() > CLASSES {
        true => CLASSES - 1,
        false => CLASSES,
    };
    let mut class_of = vec![CLASSES as u8 - 1; areas.len()];
    let mut legend: Vec<Class> = Vec::new();
    for (place, &g) in order.iter().enumerate() {
        let class = place.min(own) as u8;
        if let Some(slot) = class_of.get_mut(g as usize) {
            *slot = class;
        }
        match legend.last_mut() {
            Some(rest) if rest.class == class => rest.area += area_of(g),
            _ => legend.push(Class {
                class,
                name: match place < own {
                    true => groups.names.get(g as usize).cloned().unwrap_or_default(),
                    false => String::new(),
                },
                area: area_of(g),
            }),
        }
    }
    let class = |g: &u32| class_of.get(*g as usize).copied().unwrap_or(0);
    Classes {
        of_box: groups.of_box.iter().map(class).collect(),
        legend,
    }
}

/// Bytes × steps of a box.
fn area(b: &MapBox) -> f64 {
    b.bytes.len() as f64 * (f64::from(b.steps.last - b.steps.first) + 1.0)
}

fn groups(plan: &Plan, boxes: &[MapBox], key: MapKey) -> Groups {
    let by = |of: &dyn Fn(&MapBox) -> u32, names: Vec<String>, ordered| Groups {
        of_box: boxes.iter().map(of).collect(),
        names,
        ordered,
    };
    match key {
        MapKey::Operator => by_node(plan, boxes, &|n| operator(plan.node_name(n))),
        MapKey::Layer => {
            let depth = depth(plan);
            by_node(plan, boxes, &|n| scope(plan, n, depth))
        }
        MapKey::Stream => {
            let ids = sorting::distinct(&plan.nodes.stream);
            let place = |b: &MapBox| {
                let source = plan.tensors.source_of(b.tensor);
                let id = source.map(|n| plan.nodes.stream_of(n));
                id.and_then(|id| ids.binary_search(&id).ok())
                    .map_or(ids.len() as u32, |i| i as u32)
            };
            let mut names: Vec<String> = ids.iter().map(u32::to_string).collect();
            names.push("—".into());
            by(&place, names, false)
        }
        MapKey::TensorType => {
            let kind = |b: &MapBox| u32::from(plan.tensors.kind_at(b.tensor).0);
            let most = boxes.iter().map(kind).max().map_or(0, |k| k + 1);
            let word = |k: u32| plan.tensors.kind_words.word(TensorKind(k as u16));
            let names = (0..most).map(|k| display(word(k).as_bytes())).collect();
            by(&kind, names, false)
        }
        MapKey::Lifelong => {
            let kinds = (0..4).filter_map(Lifelong::from_number);
            let names = kinds.map(|k| k.word().to_owned()).collect();
            by(&|b| plan.tensors.lifelong_at(b.tensor) as u32, names, true)
        }
        MapKey::Size => {
            let name = |s: &(u64, &str)| match s.1 {
                "" => "> 1 GB".to_owned(),
                size => format!("≤ {size}"),
            };
            let names = SIZES.iter().map(name).collect();
            let size = |b: &MapBox| SIZES.partition_point(|s| s.0 < b.bytes.len()) as u32;
            by(&size, names, true)
        }
        MapKey::One => by(&|_| 0, vec![String::new()], true),
    }
}

/// Groups by a part of the name of the source node; what has none is a group of its own.
fn by_node<'a>(plan: &Plan, boxes: &[MapBox], part: &dyn Fn(u32) -> &'a [u8]) -> Groups {
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    let mut names = vec!["—".to_owned()];
    let group = |n: u32| {
        let part = part(n);
        *known.entry(part).or_insert_with(|| {
            names.push(display(part));
            names.len() as u32 - 1
        })
    };
    let of_node: Vec<u32> = (0..plan.n_nodes()).map(group).collect();
    let of = |b: &MapBox| {
        let source = plan.tensors.source_of(b.tensor);
        source.and_then(|n| of_node.get(n as usize)).copied()
    };
    Groups {
        of_box: boxes.iter().map(|b| of(b).unwrap_or(0)).collect(),
        names,
        ordered: false,
    }
}

/// The beginning of the scope of a node, at most `depth` parts of it. What computes gradients has
/// the path of what it belongs to, behind one part more.
fn scope(plan: &Plan, node: u32, depth: usize) -> &[u8] {
    let path = layer(plan.node_name(node));
    let depth = depth + usize::from(path.starts_with(b"Gradients/"));
    let mut signs = path.iter().enumerate().filter(|(_, b)| **b == b'/');
    let end = signs.nth(depth - 1).map_or(path.len(), |(at, _)| at);
    path.get(..end).unwrap_or(path)
}

/// How many parts of a path it takes to have layers of which none is more than a third of
/// all nodes. Some thousand nodes decide.
fn depth(plan: &Plan) -> usize {
    let step = plan.n_nodes() as usize / 4096 + 1;
    let mut known: HashMap<&[u8], u32> = HashMap::new();
    for depth in 1..5 {
        known.clear();
        for n in (0..plan.n_nodes()).step_by(step) {
            *known.entry(scope(plan, n, depth)).or_default() += 1;
        }
        let most = known.values().max().copied().unwrap_or(0);
        if most as usize * step * 3 <= plan.n_nodes() as usize {
            return depth;
        }
    }
    5
}
