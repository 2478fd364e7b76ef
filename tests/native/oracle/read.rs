//! Reads a healthy dump the plain way: lines, tabs, maps. No byte of the product's parser.
//!
//! It trusts its input (a wrong cell panics) and knows nothing of positions, damage or speed.

use std::collections::BTreeMap;

/// One tensor row.
#[derive(Clone, Debug, Default)]
pub struct Tensor {
    pub aligned: u64,
    pub original: u64,
    pub offset: u64,
    pub kind: String,
    pub lifelong: String,
    /// As printed; recomputed in `settle` where the dump prints none.
    pub first: u64,
    pub last: u64,
}

/// One node row.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub name: String,
    pub communication: bool,
    /// Items as printed, such as `%3T`.
    pub inputs: Vec<String>,
    pub outputs: Vec<u64>,
    pub workspaces: Vec<u64>,
    pub stream: u64,
}

/// Everything a dump says, by printed id.
#[derive(Clone, Debug, Default)]
pub struct Dump {
    /// Titles of the tensor table.
    pub titles: Vec<String>,
    /// Size, name, output number.
    pub params: BTreeMap<u64, (u64, String, u64)>,
    pub tensors: BTreeMap<u64, Tensor>,
    /// Suffix, first node, second node.
    pub controls: Vec<(String, u64, u64)>,
    pub nodes: BTreeMap<u64, Node>,
    pub unions: Vec<Vec<u64>>,
    pub contiguous: Vec<Vec<u64>>,
    pub processed: Vec<Vec<u64>>,
    pub groups: Vec<Vec<u64>>,
    pub blocks: Vec<(u64, u64)>,
    pub events: usize,
    pub total: Option<u64>,
}

/// Reads the text of a main dump.
pub fn read(text: &str) -> Dump {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    // The recorder appends a second copy without a line break.
    let text = match text.rfind("All Parameters:") {
        Some(at) if at > 0 => text[at..].to_string(),
        _ => text,
    };
    let mut dump = Dump::default();
    let mut section = String::new();
    let mut titles: Vec<String> = Vec::new();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        if line.starts_with("All ") && !line.contains('\t') {
            section = line
                .trim()
                .trim_start_matches("All ")
                .trim_end_matches(':')
                .to_string();
            // A repeated section replaces the earlier one.
            match section.as_str() {
                "Parameters" => dump.params.clear(),
                "Tensors" => {
                    dump.tensors.clear();
                    dump.controls.clear();
                }
                "Nodes" => dump.nodes.clear(),
                "Stream Groups" => {
                    dump.groups.clear();
                    dump.events = 0;
                }
                "Ref Node Info" => {
                    dump.unions.clear();
                    dump.events = 0;
                }
                _ => {}
            }
        } else if line.starts_with("index:") {
            titles = line
                .split('\t')
                .map(|t| t.trim().trim_end_matches(':').to_string())
                .collect();
            if section == "Tensors" {
                dump.titles = titles.clone();
            }
        } else if let Some(total) = line.strip_prefix("Total Memory Size after reused:") {
            dump.total = Some(number(total));
        } else if !line.starts_with("start_offset:") {
            row(&mut dump, &section, &titles, line);
        }
    }
    dump
}

fn row(dump: &mut Dump, section: &str, titles: &[String], line: &str) {
    let cells: Vec<&str> = line.split('\t').collect();
    let cell = |names: &[&str]| -> Option<&str> {
        titles
            .iter()
            .position(|t| names.contains(&t.as_str()))
            .map(|i| cells[i].trim_end_matches('\r'))
    };
    match section {
        "Parameters" => {
            let size = number(cell(&["size"]).unwrap());
            let name = cell(&["source node name"]).unwrap().to_string();
            dump.params.insert(
                number(cells[0]),
                (size, name, number(cell(&["node out index"]).unwrap())),
            );
        }
        "Tensors" => {
            let kind = cell(&["type"]).unwrap().to_string();
            let first = cell(&["life_start"]).map_or(0, number);
            let last = cell(&["life_end"]).map_or(0, number);
            if kind == "Control" {
                let suffix = cells[0]
                    .trim_start_matches('%')
                    .trim_start_matches(|c: char| c.is_ascii_digit());
                dump.controls.push((suffix.to_string(), first, last));
                return;
            }
            let lifelong = match cell(&["lifelong"]).unwrap() {
                "0" => "LifeLongNone",
                "1" => "LifeLongGraphAll",
                word => word,
            };
            let tensor = Tensor {
                // A bare `size` is the aligned one in the old releases.
                aligned: number(cell(&["aligned_size", "size"]).unwrap()),
                original: number(cell(&["original_size", "real_size"]).unwrap()),
                offset: number(cell(&["offset"]).unwrap()),
                kind,
                lifelong: lifelong.to_string(),
                first,
                last,
            };
            dump.tensors.insert(number(cells[0]), tensor);
        }
        "Nodes" => {
            let list = |title: &str| -> Vec<String> {
                let field = cells
                    .iter()
                    .rev()
                    .find(|c| c.starts_with(&format!("{title}[")))
                    .unwrap();
                let inner = &field[title.len() + 1..field.rfind(']').unwrap()];
                inner
                    .split(',')
                    .map(str::trim)
                    .filter(|s| !s.is_empty())
                    .map(String::from)
                    .collect()
            };
            let ids = |title: &str| list(title).iter().map(|i| number(i)).collect();
            let stream = cells
                .iter()
                .rev()
                .find(|c| c.starts_with("streamID[@"))
                .unwrap();
            let node = Node {
                name: cells[1].to_string(),
                communication: cells[2] == "1",
                inputs: list("inputs"),
                outputs: ids("outputs"),
                workspaces: ids("workspace"),
                stream: number(stream),
            };
            dump.nodes.insert(number(cells[0]), node);
        }
        "Union Tensors Info" => dump.unions.push(numbers(line)),
        "Ref Node Info" | "Stream Groups" if line.starts_with("event_id:") => dump.events += 1,
        "Ref Node Info" => dump.unions.push(numbers(line)),
        "Original Contiguous Tensors Info" => dump.contiguous.push(numbers(line)),
        "Processed Contiguous Tensors Info" => dump.processed.push(numbers(line)),
        "Stream Groups" => dump.groups.push(numbers(line)),
        "Merged Blocks" => dump.blocks.push((number(cells[0]), number(cells[1]))),
        other => panic!("a row in section {other:?}: {line:?}"),
    }
}

/// The digits of a cell such as `#512S`, `%3T`, `&0` or `streamID[@4]`.
pub fn number(cell: &str) -> u64 {
    let digits: String = cell.chars().filter(char::is_ascii_digit).collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number in {cell:?}"))
}

/// All numbers of a line, in order.
fn numbers(line: &str) -> Vec<u64> {
    line.split(|c: char| !c.is_ascii_digit())
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().unwrap())
        .collect()
}
