//! Sorting, filtering and paging the tables of a made dump of a million tensors.
//!
//! By hand: `SOMASCOPE_BENCH_DUMP=plan.ir cargo bench --bench explore`. One JSON object a line
//! comes out; the targets are those of the browser, which takes about twice as long.

#![allow(clippy::print_stdout, clippy::print_stderr, clippy::disallowed_methods)]

use std::hint::black_box;
use std::time::Instant;

use somascope::engine::explore::{Column, GroupBy, GroupRequest, Narrow, TableName, TableRequest};
use somascope::engine::{Request, Response, Session};

/// Seconds a first sort, a keystroke in the filter and a page may take.
const SORT: f64 = 0.4;
const FILTER: f64 = 0.08;
const PAGE: f64 = 0.005;
/// Seconds a keystroke in the search box may take.
const SEARCH: f64 = 0.05;

fn main() {
    let Ok(path) = std::env::var("SOMASCOPE_BENCH_DUMP") else {
        // `cargo bench` without a dump, or `cargo test --benches`: nothing to time.
        eprintln!("SOMASCOPE_BENCH_DUMP is not set");
        return;
    };
    let bytes = std::fs::read(&path).expect("the dump can be read");
    let mut session = Session::new();
    let mut reader = session.begin_file("bench.ir", bytes.len() as u64, false);
    reader.push(&bytes);
    drop(bytes);
    let graph = session.end_file(reader).expect("the dump is a plan");
    let steps = session.plan(graph).map_or(0, |plan| plan.steps);

    let ask = |session: &mut Session, request: TableRequest| {
        let request = Request::Table(TableRequest {
            graph,
            step: steps / 2,
            rows: 60,
            ..request
        });
        let start = Instant::now();
        let response = black_box(session.answer(&request));
        let seconds = start.elapsed().as_secs_f64();
        assert!(!matches!(response, Response::Nothing), "{request:?}");
        seconds
    };

    for table in [TableName::Tensors, TableName::Nodes, TableName::Parameters] {
        for &column in table.columns() {
            let request = TableRequest {
                table,
                sort: Some(column),
                ..TableRequest::default()
            };
            let first = ask(&mut session, request.clone());
            report(&format!("{table:?} by {column:?}, first"), SORT, first);
            let turned = TableRequest {
                descending: true,
                ..request
            };
            let turned = ask(&mut session, turned);
            report(&format!("{table:?} by {column:?}, turned"), SORT, turned);
        }
    }

    let by_size = TableRequest {
        sort: Some(Column::Aligned),
        descending: true,
        ..TableRequest::default()
    };
    ask(&mut session, by_size.clone());
    for filter in [
        "c",
        "co",
        "con",
        "conv",
        "matmul-op12",
        "12",
        "workspace",
        "no such thing",
    ] {
        let request = TableRequest {
            filter: filter.into(),
            ..by_size.clone()
        };
        let seconds = ask(&mut session, request.clone());
        report(&format!("filter {filter:?}"), FILTER, seconds);
        let page = TableRequest {
            first: 5000,
            ..request
        };
        let seconds = ask(&mut session, page);
        report(&format!("page of filter {filter:?}"), PAGE, seconds);
    }
    let narrowed = TableRequest {
        narrow: Narrow {
            operator: Some("MatMul".into()),
            ..Narrow::default()
        },
        ..by_size.clone()
    };
    report("narrowing", FILTER, ask(&mut session, narrowed));
    let alive = TableRequest {
        table: TableName::Alive,
        ..by_size.clone()
    };
    report("alive at a step", FILTER, ask(&mut session, alive));
    ask(&mut session, by_size.clone());
    let deep = TableRequest {
        first: 900_000,
        ..by_size
    };
    report("page", PAGE, ask(&mut session, deep));

    search(&mut session, graph);
    for by in [GroupBy::Layer, GroupBy::Operator, GroupBy::TensorType] {
        let request = Request::Groups(GroupRequest {
            graph,
            step: steps / 2,
            by,
            narrow: Narrow::default(),
        });
        let start = Instant::now();
        black_box(session.answer(&request));
        report(
            &format!("groups by {by:?}"),
            FILTER,
            start.elapsed().as_secs_f64(),
        );
    }
}

/// What a key press in the search box costs.
fn search(session: &mut Session, graph: u32) {
    for text in [
        "c",
        "co",
        "conv2d-op5",
        "Default/network/Conv2D-op9",
        "12",
        "577",
        "0x108800000000",
        "0x0-0x100000000000",
        "no such thing",
        "Conv2D-op99999999",
        "Conv2D-op5734x",
    ] {
        let request = Request::Search {
            graph,
            text: text.into(),
            size: None,
        };
        let start = Instant::now();
        black_box(session.answer(&request));
        report(
            &format!("search {text:?}"),
            SEARCH,
            start.elapsed().as_secs_f64(),
        );
    }
}

fn report(name: &str, most: f64, seconds: f64) {
    let name = name.replace('"', "'");
    let (target, measured) = (most * 1e3, seconds * 1e3);
    let pass = seconds <= most;
    println!("{{\"name\":\"{name}\",\"target\":\"<= {target} ms\",\"measured\":{measured:.2},\"unit\":\"ms\",\"pass\":{pass}}}");
}
