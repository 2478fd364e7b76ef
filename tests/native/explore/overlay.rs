//! A second plan's curve over the first one's steps.

use somascope::analysis::{align, liveness};
use somascope::engine::explore::{Alignment, OverlayRequest};
use somascope::engine::protocol::ChartColumns;
use somascope::engine::{Request, Response, Session};
use somascope::model::Plan;

use super::open;
use crate::support::{data, text};

/// Two fixtures, open in one session.
fn pair(first: &str, second: &str) -> (Session, u32, u32) {
    let mut session = Session::new();
    let mut handle = |name: &str| {
        let file = format!("dumps/{name}/CPU_somas_tensor_offset_0.ir");
        open(&mut session, &file, &text(&data().join(&file)))
    };
    let (a, b) = (handle(first), handle(second));
    (session, a, b)
}

const PAIRS: [(&str, &str); 5] = [
    ("gpt_8l_recompute_off", "gpt_8l_recompute_on"),
    ("gpt_8l_recompute_on", "gpt_8l_recompute_off"),
    ("mobilenet_v2_train_bs8", "mobilenet_v2_train_bs32"),
    ("mobilenet_v2_train_bs32", "tiny_one_node"),
    ("tiny_one_node", "mobilenet_v2_train_bs8"),
];

fn overlay(session: &mut Session, request: OverlayRequest) -> ChartColumns {
    match session.answer(&Request::Overlay(request)) {
        Response::Overlay(columns) => columns,
        other => panic!("{other:?}"),
    }
}

/// The columns by the definition, from where each step lies.
fn expected(other: &Plan, lies_on: &[u32], columns: &ChartColumns) -> [Vec<f64>; 3] {
    let curves = liveness(other);
    let mut out = [vec![], vec![], vec![]];
    for (i, &begin) in columns.step.iter().enumerate() {
        let begin = begin as i64;
        let end = columns
            .step
            .get(i + 1)
            .map_or(i64::from(columns.last) + 1, |&s| s as i64);
        let away = |step: usize| {
            let on = i64::from(lies_on[step]);
            (begin - on).max(on - (end - 1)).max(0)
        };
        let nearest = (0..lies_on.len()).map(away).min().unwrap();
        let mut steps: Vec<usize> = (0..lies_on.len()).filter(|&s| away(s) == nearest).collect();
        if nearest > 0 {
            // The last of those on the left, else the first on the right.
            let on_left = |s: &usize| i64::from(lies_on[*s]) < begin;
            let left = steps.iter().copied().rfind(on_left);
            steps = vec![left.unwrap_or(steps[0])];
        }
        let alive = steps.iter().map(|&s| curves.alive[s]);
        out[0].push(alive.clone().min().unwrap() as f64);
        out[1].push(alive.max().unwrap() as f64);
        out[2].push(curves.total[*steps.last().unwrap()] as f64);
    }
    out
}

/// Where the steps of the second plan lie when its last step lies on the last.
fn stretched(steps: u32, other: u32) -> Vec<u32> {
    let (last, other_last) = (f64::from(steps - 1), f64::from(other - 1));
    let place = |s: u32| match other {
        1 => last,
        _ => (f64::from(s) * last / other_last + 0.5 + 1e-9).floor(),
    };
    (0..other).map(|s| place(s) as u32).collect()
}

/// Nodes by name: pairs of the n-th of a name, and the most of them that can keep the order.
fn by_name_holds(plan: &Plan, other: &Plan, lies_on: &[u32]) {
    let names =
        |p: &Plan| -> Vec<Vec<u8>> { (0..p.n_nodes()).map(|n| p.node_name(n).to_vec()).collect() };
    let (ours, theirs) = (names(plan), names(other));
    let place = |s: usize| {
        let nth = theirs[..s].iter().filter(|n| **n == theirs[s]).count();
        let mut same = (0..ours.len()).filter(|&n| ours[n] == theirs[s]);
        same.nth(nth).map(|n| n as u32)
    };
    let places: Vec<Option<u32>> = (0..theirs.len()).map(place).collect();
    // The longest rising part by the plain recurrence.
    let mut longest = vec![0usize; places.len()];
    for i in 0..places.len() {
        if let Some(at) = places[i] {
            let before = (0..i).filter(|&j| places[j].is_some_and(|p| p < at));
            longest[i] = 1 + before.map(|j| longest[j]).max().unwrap_or(0);
        }
    }
    let most = longest.iter().copied().max().unwrap_or(0);
    let kept = (0..places.len())
        .filter(|&s| places[s] == Some(lies_on[s]))
        .count();
    assert!(
        most > 0 && kept >= most,
        "{kept} of {most} nodes lie on their namesakes"
    );
    assert!(lies_on.windows(2).all(|w| w[0] <= w[1]));
}

#[test]
fn overlays_of_pairs() {
    for (first, second) in PAIRS {
        let (mut session, graph, other) = pair(first, second);
        let steps = session.plan(graph).unwrap().steps;
        for alignment in [Alignment::Scaled, Alignment::ByName] {
            let (plan, laid) = (session.plan(graph).unwrap(), session.plan(other).unwrap());
            let lies_on = match alignment {
                Alignment::Scaled => stretched(plan.steps, laid.steps),
                Alignment::ByName => align::by_name(plan, laid),
            };
            assert_eq!(lies_on.len(), laid.steps as usize);
            if alignment == Alignment::ByName && !format!("{first}{second}").contains("tiny") {
                by_name_holds(plan, laid, &lies_on);
            }
            let windows = [
                (0, u32::MAX),
                (0, 0),
                (steps / 3, steps / 2),
                (steps - 1, steps),
            ];
            for (from, to) in windows {
                for columns in [1, 7, 100, 5000] {
                    let request = OverlayRequest {
                        graph,
                        other,
                        alignment,
                        first: from,
                        last: to,
                        columns,
                    };
                    let found = overlay(&mut session, request);
                    let chart = Request::Chart {
                        graph,
                        first: from,
                        last: to,
                        columns,
                    };
                    let Response::Chart(own) = session.answer(&chart) else {
                        panic!("no chart");
                    };
                    let what = format!("{second} over {first}: {request:?}");
                    assert_eq!((found.first, found.last), (own.first, own.last), "{what}");
                    assert_eq!(found.step, own.step, "{what}");
                    let [low, high, total] =
                        expected(session.plan(other).unwrap(), &lies_on, &found);
                    assert_eq!(found.alive_min, low, "{what}");
                    assert_eq!(found.alive_max, high, "{what}");
                    assert_eq!(found.total, total, "{what}");
                }
            }
        }
    }
}

#[test]
fn a_plan_over_itself_is_its_own_chart() {
    let (mut session, graph, gone) = pair("gpt_8l_recompute_on", "tiny_one_node");
    for alignment in [Alignment::Scaled, Alignment::ByName] {
        let request = OverlayRequest {
            graph,
            other: graph,
            alignment,
            first: 5,
            last: 300,
            columns: 120,
        };
        let found = overlay(&mut session, request);
        let chart = Request::Chart {
            graph,
            first: 5,
            last: 300,
            columns: 120,
        };
        let Response::Chart(own) = session.answer(&chart) else {
            panic!("no chart");
        };
        assert_eq!(format!("{found:?}"), format!("{own:?}"));
    }
    let request = OverlayRequest {
        graph,
        other: gone,
        last: 9,
        columns: 9,
        ..OverlayRequest::default()
    };
    assert_eq!(overlay(&mut session, request).alive_max.len(), 9);
    session.answer(&Request::Close { graph: gone });
    let response = session.answer(&Request::Overlay(request));
    assert!(matches!(response, Response::Nothing), "{response:?}");
}
