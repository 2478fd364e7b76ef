//! Tables and groups on their way from the worker to the page: one text, a line a row, cells between
//! tabs. Hundreds of rows as objects would take longer to unpack than a frame lasts.
//!
//! ```text
//!  table  <table> <total> <of> <first> <sum>       groups  <step> <by> <short names> <alive groups>
//!  <key>  <cell> <cell> …                          <parent> <name> <path> <bytes> <waste> <pieces>
//! ```

use std::fmt::Write;

use crate::engine::explore::{Cell, Group, GroupBy, Groups, TableName, TableRow, TableRows};
use crate::engine::protocol::Response;

const TABLES: [(TableName, &str); 4] = [
    (TableName::Nodes, "nodes"),
    (TableName::Tensors, "tensors"),
    (TableName::Parameters, "parameters"),
    (TableName::Alive, "alive"),
];

const GROUPINGS: [(GroupBy, &str); 3] = [
    (GroupBy::Layer, "layer"),
    (GroupBy::Operator, "operator"),
    (GroupBy::TensorType, "type"),
];

fn word_of<T: Copy + PartialEq>(words: &[(T, &'static str)], value: T) -> &'static str {
    words.iter().find(|(v, _)| *v == value).map_or("", |w| w.1)
}

fn of_word<T: Copy>(words: &[(T, &'static str)], word: &str) -> Option<T> {
    words.iter().find(|(_, w)| *w == word).map(|w| w.0)
}

/// The name of a table in `data-table`.
pub fn table_word(table: TableName) -> &'static str {
    word_of(&TABLES, table)
}

/// A response as lines; `None` for those that travel as objects.
pub fn write(response: &Response) -> Option<String> {
    let mut out = String::new();
    match response {
        Response::Table(rows) => write_table(&mut out, rows),
        Response::Groups(groups) => write_groups(&mut out, groups),
        _ => return None,
    }
    .ok()?;
    Some(out)
}

/// A text without what separates cells and rows; names hold none of it anyway.
fn plain(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(['\t', '\n']) {
        text.replace(['\t', '\n'], " ").into()
    } else {
        text.into()
    }
}

fn write_table(out: &mut String, rows: &TableRows) -> std::fmt::Result {
    let (total, of, first, sum) = (rows.total, rows.of, rows.first, rows.sum);
    let table = table_word(rows.table);
    write!(out, "table\t{table}\t{total}\t{of}\t{first}\t{sum}")?;
    for row in &rows.rows {
        write!(out, "\n{}", plain(&row.key))?;
        for cell in &row.cells {
            match cell {
                Cell::Empty => out.write_str("\t"),
                Cell::Bytes(n) => write!(out, "\tb{n}"),
                Cell::SignedBytes(n) => write!(out, "\ts{n}"),
                Cell::ByteSteps(n) => write!(out, "\tx{n}"),
                Cell::Number(n) => write!(out, "\tn{n}"),
                Cell::Step(n) => write!(out, "\t${n}"),
                Cell::Address(n) => write!(out, "\ta{n}"),
                Cell::Text(text) => write!(out, "\tt{}", plain(text)),
            }?;
        }
    }
    Ok(())
}

fn write_groups(out: &mut String, groups: &Groups) -> std::fmt::Result {
    let (step, by) = (groups.step, word_of(&GROUPINGS, groups.by));
    let (short, alive) = (u8::from(groups.short_names), groups.alive.len());
    write!(out, "groups\t{step}\t{by}\t{short}\t{alive}")?;
    for group in groups.alive.iter().chain(&groups.parameters) {
        let parent = group.parent.map_or_else(String::new, |p| p.to_string());
        let (name, path) = (plain(&group.name), plain(&group.path));
        let (bytes, waste, pieces) = (group.bytes, group.waste, group.pieces);
        write!(
            out,
            "\n{parent}\t{name}\t{path}\t{bytes}\t{waste}\t{pieces}"
        )?;
    }
    Ok(())
}

/// Reads lines back.
pub fn read(text: &str) -> Option<Response> {
    let mut lines = text.split('\n');
    let mut head = lines.next()?.split('\t');
    match head.next()? {
        "table" => {
            let mut rows = TableRows {
                table: of_word(&TABLES, head.next()?)?,
                total: head.next()?.parse().ok()?,
                of: head.next()?.parse().ok()?,
                first: head.next()?.parse().ok()?,
                sum: head.next()?.parse().ok()?,
                rows: Vec::new(),
            };
            rows.rows = lines.map(read_row).collect::<Option<_>>()?;
            Some(Response::Table(rows))
        }
        "groups" => {
            let mut groups = Groups {
                step: head.next()?.parse().ok()?,
                by: of_word(&GROUPINGS, head.next()?)?,
                short_names: head.next()? == "1",
                ..Groups::default()
            };
            let alive: usize = head.next()?.parse().ok()?;
            let mut all: Vec<Group> = lines.map(read_group).collect::<Option<_>>()?;
            groups.parameters = all.split_off(alive.min(all.len()));
            groups.alive = all;
            Some(Response::Groups(groups))
        }
        _ => None,
    }
}

fn read_row(line: &str) -> Option<TableRow> {
    let mut cells = line.split('\t');
    Some(TableRow {
        key: cells.next()?.to_owned(),
        cells: cells.map(read_cell).collect::<Option<_>>()?,
    })
}

fn read_cell(cell: &str) -> Option<Cell> {
    let mut letters = cell.chars();
    let Some(kind) = letters.next() else {
        return Some(Cell::Empty);
    };
    let rest = letters.as_str();
    Some(match kind {
        'b' => Cell::Bytes(rest.parse().ok()?),
        's' => Cell::SignedBytes(rest.parse().ok()?),
        'x' => Cell::ByteSteps(rest.parse().ok()?),
        'n' => Cell::Number(rest.parse().ok()?),
        '$' => Cell::Step(rest.parse().ok()?),
        'a' => Cell::Address(rest.parse().ok()?),
        't' => Cell::Text(rest.to_owned()),
        _ => return None,
    })
}

fn read_group(line: &str) -> Option<Group> {
    let mut cells = line.split('\t');
    let parent = cells.next()?;
    Some(Group {
        parent: match parent {
            "" => None,
            parent => Some(parent.parse().ok()?),
        },
        name: cells.next()?.to_owned(),
        path: cells.next()?.to_owned(),
        bytes: cells.next()?.parse().ok()?,
        waste: cells.next()?.parse().ok()?,
        pieces: cells.next()?.parse().ok()?,
    })
}
