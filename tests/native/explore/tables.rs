//! Tables: every cell, every order, filters, narrowing, pages.

use std::cmp::Ordering;

use proptest::prelude::*;
use somascope::engine::explore::{Cell, Column, Narrow, TableName, TableRequest, TableRows};
use somascope::engine::{Request, Response};
use somascope::report::names::display;

use super::{cases, operator, Case};
use crate::plans::{any_plan, Mini};
use crate::properties::{check, Outcome};

const TABLES: [TableName; 4] = [
    TableName::Nodes,
    TableName::Tensors,
    TableName::Parameters,
    TableName::Alive,
];

fn table(case: &mut Case, request: TableRequest) -> TableRows {
    let request = TableRequest {
        graph: case.graph,
        ..request
    };
    match case.ask(&Request::Table(request)) {
        Response::Table(rows) => rows,
        other => panic!("{}: {other:?}", case.name),
    }
}

/// One row by the definitions.
#[derive(Clone, Debug)]
struct Row {
    id: u64,
    key: String,
    cells: Vec<Cell>,
    bytes: u64,
    /// What a filter looks at.
    texts: Vec<String>,
    /// Scope path or operator; `None` without a node.
    layer: Option<String>,
    operator: Option<String>,
    types: Vec<String>,
}

fn number(n: usize) -> Cell {
    Cell::Number(n as u64)
}

fn or_empty<T>(value: Option<T>, cell: impl Fn(T) -> Cell) -> Cell {
    value.map_or(Cell::Empty, cell)
}

fn layer_of_node(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((scope, _)) if !scope.is_empty() => scope.into(),
        _ => operator(name).0,
    }
}

fn node_rows(case: &Case) -> Vec<Row> {
    let (alive, total) = (case.oracle.alive(), case.oracle.total());
    let dump = &case.oracle.dump;
    let fixed: u64 = dump.params.values().map(|p| p.0).sum();
    let ordered = case.plan().ordered;
    let row = |(&id, node): (&u64, &crate::oracle::read::Node)| {
        let key = format!("${id}");
        let (operator, op_id) = operator(&node.name);
        let (alive, total) = (alive[id as usize], total[id as usize]);
        let made = node.outputs.iter().chain(&node.workspaces);
        Row {
            id,
            key: key.clone(),
            cells: vec![
                Cell::Text(key.clone()),
                Cell::Text(display(node.name.as_bytes())),
                Cell::Text(display(operator.as_bytes())),
                or_empty(op_id, Cell::Number),
                or_empty(ordered.then_some(node.stream), Cell::Number),
                number(node.inputs.len()),
                number(node.outputs.len()),
                number(node.workspaces.len()),
                Cell::Bytes(alive),
                Cell::Bytes(alive + fixed),
                Cell::Bytes(total),
                Cell::Bytes(total + fixed),
            ],
            bytes: 0,
            texts: vec![key, node.name.clone()],
            layer: Some(layer_of_node(&node.name)),
            operator: Some(operator),
            types: made.map(|t| dump.tensors[t].kind.clone()).collect(),
        }
    };
    dump.nodes.iter().map(row).collect()
}

fn tensor_rows(case: &Case) -> Vec<Row> {
    let oracle = &case.oracle;
    let base = case.plan().arena_base.unwrap_or(0);
    let ordered = case.plan().ordered;
    let end = oracle.steps.saturating_sub(1);
    let row = |(&id, t): (&u64, &crate::oracle::read::Tensor)| {
        let key = format!("%{id}T");
        let source = oracle.source.get(&id);
        let name = case.source_name(id);
        let (first, last) = oracle.life(id);
        let span = (last.min(end) + 1).saturating_sub(first);
        let span = if oracle.steps == 0 { 0 } else { span };
        let place = (t.aligned > 0 && !oracle.is_stage()).then_some(base + t.offset);
        let stream = source.map(|n| oracle.dump.nodes[n].stream);
        let readers = oracle.readers.get(&id).map_or(0, |r| r.len());
        let padding = t.aligned as i64 - t.original as i64;
        Row {
            id,
            key: key.clone(),
            cells: vec![
                Cell::Text(key.clone()),
                Cell::Bytes(t.aligned),
                Cell::Bytes(t.original),
                or_empty((t.aligned > 0).then_some(padding), Cell::SignedBytes),
                Cell::Number(span),
                Cell::ByteSteps(t.aligned * span),
                Cell::Step(t.first as u32),
                Cell::Step(t.last as u32),
                or_empty(place, Cell::Address),
                or_empty(place.map(|p| p + t.aligned), Cell::Address),
                Cell::Text(t.kind.clone()),
                Cell::Text(t.lifelong.clone()),
                number(readers),
                or_empty(stream.filter(|_| ordered), Cell::Number),
                or_empty(case.output_index(id), Cell::Number),
                or_empty(source, |&n| Cell::Step(n as u32)),
                or_empty(name, |n| Cell::Text(display(operator(n).0.as_bytes()))),
                or_empty(name, |n| Cell::Text(display(n.as_bytes()))),
            ],
            bytes: t.aligned,
            texts: vec![
                key,
                name.unwrap_or("").into(),
                t.kind.clone(),
                t.lifelong.clone(),
            ],
            layer: name.map(layer_of_node),
            operator: name.map(|n| operator(n).0),
            types: vec![t.kind.clone()],
        }
    };
    oracle.dump.tensors.iter().map(row).collect()
}

fn parameter_rows(case: &Case) -> Vec<Row> {
    let row = |(&id, (size, name, index)): (&u64, &(u64, String, u64))| {
        let key = format!("%{id}P");
        let parameters = &case.plan().parameters;
        let at = parameters.ids.index_of(id).unwrap() as usize;
        let start = parameters.start_addr.get(at).copied();
        let layer = match name.rfind(['/', '.']) {
            Some(at) if at > 0 => &name[..at],
            _ => name,
        };
        Row {
            id,
            key: key.clone(),
            cells: vec![
                Cell::Text(key.clone()),
                Cell::Bytes(*size),
                or_empty(start, Cell::Address),
                or_empty(start.map(|a| a + size), Cell::Address),
                Cell::Number(*index),
                number(case.parameter_readers(id).len()),
                Cell::Text(display(name.as_bytes())),
            ],
            bytes: *size,
            texts: vec![key, name.clone()],
            layer: Some(layer.into()),
            operator: None,
            types: vec![],
        }
    };
    case.oracle.dump.params.iter().map(row).collect()
}

/// The rows of a table by id.
fn rows_of(case: &Case, table: TableName, step: u64) -> Vec<Row> {
    match table {
        TableName::Findings | TableName::Overlaps => panic!("no table of the plan"),
        TableName::Nodes => node_rows(case),
        TableName::Tensors => tensor_rows(case),
        TableName::Parameters => parameter_rows(case),
        TableName::Alive => {
            let oracle = &case.oracle;
            let aligned = |t: u64| oracle.dump.tensors[&t].aligned;
            let listed = |t: u64| {
                let group = oracle.group(t);
                if aligned(t) == 0 || !group.iter().any(|&m| oracle.lives_at(m, step)) {
                    return false;
                }
                // One of its largest members stands for a group that others keep alive.
                let best = |m: u64| (aligned(m), oracle.lives_at(m, step), std::cmp::Reverse(m));
                oracle.lives_at(t, step) || group.iter().all(|&m| best(m) <= best(t))
            };
            let mut rows = tensor_rows(case);
            rows.retain(|row| listed(row.id));
            let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
            for row in &mut rows {
                let mates = ids.iter().filter(|m| oracle.group(row.id).contains(m));
                let best = |m: &u64| {
                    (
                        aligned(*m),
                        oracle.lives_at(*m, step),
                        std::cmp::Reverse(*m),
                    )
                };
                let first = *mates.max_by_key(|m| best(m)).unwrap_or(&row.id);
                if first != row.id {
                    row.cells[1] = Cell::CountedWith(row.bytes, first);
                }
            }
            rows
        }
    }
}

/// Compares two cells of one column; empty ones last whatever the direction.
fn compare(column: Column, a: &Row, b: &Row, at: usize, descending: bool) -> Ordering {
    let by_value = |order: Ordering| if descending { order.reverse() } else { order };
    let order = match (&a.cells[at], &b.cells[at]) {
        _ if column == Column::Id => by_value(a.id.cmp(&b.id)),
        (Cell::Empty, Cell::Empty) => Ordering::Equal,
        (Cell::Empty, _) => Ordering::Greater,
        (_, Cell::Empty) => Ordering::Less,
        (Cell::Text(a), Cell::Text(b)) => by_value(a.as_bytes().cmp(b.as_bytes())),
        (Cell::SignedBytes(a), Cell::SignedBytes(b)) => by_value(a.cmp(b)),
        (Cell::Step(a), Cell::Step(b)) => by_value(a.cmp(b)),
        (Cell::Bytes(a), Cell::Bytes(b))
        | (Cell::CountedWith(a, _), Cell::Bytes(b))
        | (Cell::Bytes(a), Cell::CountedWith(b, _))
        | (Cell::CountedWith(a, _), Cell::CountedWith(b, _))
        | (Cell::ByteSteps(a), Cell::ByteSteps(b))
        | (Cell::Number(a), Cell::Number(b))
        | (Cell::Address(a), Cell::Address(b)) => by_value(a.cmp(b)),
        mixed => panic!("{column:?} mixes {mixed:?}"),
    };
    order.then(a.id.cmp(&b.id))
}

/// Bytes of rows: of those in one union group the largest.
fn sum<'a>(case: &Case, name: TableName, rows: impl IntoIterator<Item = &'a Row>) -> u64 {
    let mut pieces = std::collections::BTreeMap::new();
    for row in rows {
        let first = match name {
            TableName::Tensors | TableName::Alive => {
                case.oracle.group(row.id).iter().min().copied()
            }
            _ => None,
        };
        let piece = pieces.entry(first.unwrap_or(row.id)).or_insert(0);
        *piece = row.bytes.max(*piece);
    }
    pieces.values().sum()
}

fn keys<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<String> {
    rows.into_iter().map(|r| r.key.clone()).collect()
}

fn found_keys(rows: &TableRows) -> Vec<String> {
    rows.rows.iter().map(|r| r.key.clone()).collect()
}

/// All of a table by id: keys, cells, counts, sum.
fn same_cells(case: &mut Case, name: TableName, step: u32) -> Vec<Row> {
    let expected = rows_of(case, name, step.into());
    let request = TableRequest {
        table: name,
        step,
        rows: u32::MAX,
        ..TableRequest::default()
    };
    let found = table(case, request);
    let what = format!("{}: {name:?} at {step}", case.name);
    assert_eq!(found_keys(&found), keys(&expected), "{what}");
    for (found, expected) in found.rows.iter().zip(&expected) {
        assert_eq!(found.cells, expected.cells, "{what}: {}", found.key);
    }
    let counts = (found.total as usize, found.of as usize);
    assert_eq!(counts, (expected.len(), expected.len()), "{what}");
    let sum = sum(case, name, &expected);
    assert_eq!(found.sum, sum, "{what}");
    if name == TableName::Alive {
        assert_eq!(sum, case.oracle.alive()[step as usize], "{what}");
    }
    expected
}

/// Every column in both directions.
fn same_orders(case: &mut Case, name: TableName, step: u32, expected: &[Row]) {
    for (at, &column) in name.columns().iter().enumerate() {
        for descending in [false, true] {
            let mut sorted = expected.to_vec();
            sorted.sort_by(|a, b| compare(column, a, b, at, descending));
            let found = table(
                case,
                TableRequest {
                    table: name,
                    step,
                    sort: Some(column),
                    descending,
                    rows: u32::MAX,
                    ..TableRequest::default()
                },
            );
            let what = format!("{}: {name:?} by {column:?} {descending}", case.name);
            assert_eq!(found_keys(&found), keys(&sorted), "{what}");
        }
    }
}

/// A filter or a narrowing, sorted by a column: rows, counts, sum, pages.
fn same_choice(
    case: &mut Case,
    name: TableName,
    expected: &[Row],
    request: &TableRequest,
    keep: impl Fn(&Row) -> bool,
) {
    let kept: Vec<&Row> = expected.iter().filter(|r| keep(r)).collect();
    let whole = TableRequest {
        table: name,
        rows: u32::MAX,
        ..request.clone()
    };
    let found = table(case, whole.clone());
    let what = format!("{}: {whole:?}", case.name);
    let mut ids = found_keys(&found);
    if request.sort.is_some() {
        ids.sort();
        let mut expected = keys(kept.iter().copied());
        expected.sort();
        assert_eq!(ids, expected, "{what}");
    } else {
        assert_eq!(ids, keys(kept.iter().copied()), "{what}");
    }
    assert_eq!(
        (found.total as usize, found.of as usize, found.sum),
        (
            kept.len(),
            expected.len(),
            sum(case, name, kept.iter().copied())
        ),
        "{what}"
    );
    let mut paged = Vec::new();
    for first in (0..found.total + 3).step_by(3) {
        let page = table(
            case,
            TableRequest {
                first,
                rows: 3,
                ..whole.clone()
            },
        );
        assert_eq!(
            (page.first, page.total, page.sum),
            (first, found.total, found.sum)
        );
        paged.extend(found_keys(&page));
        if paged.len() > 30 {
            break;
        }
    }
    let all = found_keys(&found);
    assert_eq!(paged, all[..paged.len()], "{what}: pages");
}

fn holds(row: &Row, filter: &str) -> bool {
    let filter = filter.to_ascii_lowercase();
    let mut texts = row.texts.iter();
    texts.any(|t| t.to_ascii_lowercase().contains(&filter))
}

fn lies_in(path: &str, wanted: &str, signs: &[char]) -> bool {
    path == wanted
        || signs
            .iter()
            .any(|s| path.starts_with(&format!("{wanted}{s}")))
}

/// Filters that hit something, taken from the rows themselves, and some that hit nothing.
fn filters(rows: &[Row]) -> Vec<String> {
    let mut out: Vec<String> = [
        "", "1", "%1", "$2", "3t", "common", "LIFE", "op1", "no such", "/",
    ]
    .map(String::from)
    .to_vec();
    for row in rows.iter().step_by(rows.len() / 4 + 1) {
        for text in row.texts.iter().filter(|t| t.len() > 2) {
            let chars: Vec<char> = text.chars().collect();
            let middle = &chars[chars.len() / 3..chars.len() / 3 + chars.len() / 2];
            out.push(middle.iter().collect::<String>().to_ascii_uppercase());
            out.push(text.clone());
        }
    }
    out
}

fn narrowings(rows: &[Row]) -> Vec<Narrow> {
    let mut out = vec![Narrow {
        layer: Some("no such".into()),
        ..Narrow::default()
    }];
    for row in rows.iter().step_by(rows.len() / 4 + 1) {
        let layer = row.layer.clone();
        let above = layer.as_ref().and_then(|l| l.rsplit_once('/'));
        let above = above.map(|(a, _)| a.to_string()).filter(|a| !a.is_empty());
        let tensor_type = row.types.first().cloned();
        let none = Narrow::default();
        out.extend([
            Narrow {
                layer: layer.clone(),
                ..none.clone()
            },
            Narrow {
                layer: above,
                ..none.clone()
            },
            Narrow {
                operator: row.operator.clone(),
                ..none.clone()
            },
            Narrow {
                tensor_type: tensor_type.clone(),
                ..none
            },
            Narrow {
                layer,
                operator: row.operator.clone(),
                tensor_type,
            },
        ]);
    }
    out
}

fn narrow_fits(name: TableName, row: &Row, narrow: &Narrow) -> bool {
    let signs: &[char] = match name {
        TableName::Parameters => &['/', '.'],
        _ => &['/'],
    };
    let layer = |wanted: &String| {
        row.layer
            .as_ref()
            .is_some_and(|l| lies_in(l, wanted, signs))
    };
    narrow.layer.as_ref().is_none_or(layer)
        && narrow
            .operator
            .as_ref()
            .is_none_or(|o| row.operator.as_ref() == Some(o))
        && narrow
            .tensor_type
            .as_ref()
            .is_none_or(|t| row.types.contains(t))
}

fn same_tables(case: &mut Case, step: u32) {
    for name in TABLES {
        if name == TableName::Alive && case.oracle.steps == 0 {
            continue;
        }
        let expected = same_cells(case, name, step);
        same_orders(case, name, step, &expected);
        let by = TableRequest {
            step,
            ..TableRequest::default()
        };
        for filter in filters(&expected) {
            let request = TableRequest {
                filter: filter.clone(),
                ..by.clone()
            };
            same_choice(case, name, &expected, &request, |r| holds(r, &filter));
        }
        let plain = expected
            .iter()
            .all(|r| r.layer.as_ref().is_none_or(|l| !l.is_empty()));
        for narrow in narrowings(&expected) {
            if !plain {
                continue;
            }
            let filter = String::from("1");
            let request = TableRequest {
                narrow: narrow.clone(),
                ..by.clone()
            };
            let fits = |r: &Row| narrow_fits(name, r, &narrow);
            same_choice(case, name, &expected, &request, fits);
            let request = TableRequest {
                filter: filter.clone(),
                sort: Some(Column::Name),
                descending: true,
                ..request
            };
            let fits = |r: &Row| fits(r) && holds(r, &filter);
            same_choice(case, name, &expected, &request, fits);
        }
    }
}

#[test]
fn tables_of_fixtures() {
    let mut compared = 0;
    for mut case in cases() {
        let middle = case.oracle.steps / 2;
        same_tables(&mut case, middle as u32);
        compared += 1;
    }
    assert!(compared > 80, "only {compared} fixtures compared");
}

#[test]
fn tables_of_random_plans() {
    let show = |(plan, _): &(Mini, u32)| plan.text();
    check(
        60,
        (any_plan(), 0u32..14),
        show,
        |(plan, step)| -> Outcome {
            let mut case = Case::new("plan", &plan.text());
            let step = step % (case.oracle.steps.max(1) as u32);
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                same_tables(&mut case, step)
            }));
            prop_assert!(outcome.is_ok(), "see above");
            Ok(())
        },
    );
}

#[test]
fn what_is_not_there_is_answered_with_nothing() {
    let mut case = cases().remove(0);
    let steps = case.oracle.steps as u32;
    let (graph, other) = (case.graph, case.graph + 1);
    for (graph, step) in [(other, 0), (graph, steps), (graph, u32::MAX)] {
        let request = TableRequest {
            graph,
            table: TableName::Alive,
            step,
            rows: 10,
            ..TableRequest::default()
        };
        let response = case.ask(&Request::Table(request));
        assert!(matches!(response, Response::Nothing), "{response:?}");
    }
    let far = TableRequest {
        first: u32::MAX,
        rows: u32::MAX,
        sort: Some(Column::Inputs),
        ..TableRequest::default()
    };
    assert!(table(&mut case, far).rows.is_empty());
}
