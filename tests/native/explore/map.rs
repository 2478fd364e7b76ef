//! What the page is told of the memory map beside its picture, against plain definitions.

use somascope::engine::map::{MapFacts, MapRect};
use somascope::engine::{Request, Response};
use somascope::model::PlanKind;

use super::{cases, Case};

fn facts(case: &mut Case) -> MapFacts {
    let request = Request::MapFacts {
        graph: case.graph,
        key: 0,
    };
    match case.ask(&request) {
        Response::MapFacts(facts) => facts,
        other => panic!("{other:?}"),
    }
}

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
        let band = facts(case).parameters;
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
        let given = facts(case).has_streams;
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
