//! What questions about addresses give: the owners in the order of time and the steps between,
//! worked out again from the text of the dumps.

use crate::results::ask;
use crate::support::{data, raw, scratch};

/// A row of `All Tensors`, lives as they count.
struct Row {
    id: u64,
    start: u64,
    end: u64,
    first: u64,
    last: u64,
    source: String,
}

struct Dump {
    tensors: Vec<Row>,
    /// Step, name, ids of the tensors it reads.
    nodes: Vec<(u64, String, Vec<u64>)>,
}

fn number(text: &str) -> u64 {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn read(text: &str) -> Dump {
    let cells = |line: &str| -> Vec<String> {
        let cells = line.split(['\t', ' ']).filter(|c| !c.is_empty());
        cells.map(str::to_owned).collect()
    };
    let mut nodes = Vec::new();
    for line in text.lines().filter(|l| l.starts_with('$')) {
        let parts: Vec<&str> = line.split('\t').collect();
        let inputs = parts.iter().find(|p| p.starts_with("inputs[")).unwrap();
        let tensors = inputs["inputs[".len()..].split([',', ']', ' ']);
        let ids = tensors.filter(|t| t.ends_with('T')).map(number).collect();
        nodes.push((number(parts[0]), parts[1].trim().to_owned(), ids));
    }
    let steps = nodes.len() as u64;
    let mut tensors = Vec::new();
    for line in text.lines().filter(|l| l.starts_with('%')) {
        let c = cells(line);
        if !c[0].ends_with('T') || c.len() != 9 {
            continue;
        }
        let (aligned, offset) = (number(&c[1]), number(&c[3]));
        let (mut first, mut last) = (number(&c[6]), number(&c[7]));
        if ["LifeLongGraphAll", "LifeLongGraphStart"].contains(&c[5].as_str()) {
            first = 0;
        }
        if ["LifeLongGraphAll", "LifeLongGraphEnd"].contains(&c[5].as_str()) {
            last = steps - 1;
        }
        if aligned > 0 {
            tensors.push(Row {
                id: number(&c[0]),
                start: offset,
                end: offset + aligned,
                first,
                last,
                source: c[8].clone(),
            });
        }
    }
    Dump { tensors, nodes }
}

/// The lines that belong behind the one that says how many they are.
fn expected(dump: &Dump, from: u64, to: u64, base: u64, total: u64) -> Vec<String> {
    if from >= base + total {
        let far = from - base - total;
        return vec![format!(
            "  outside the plan, {far} bytes behind its end {:#x}",
            base + total
        )];
    }
    if to <= base {
        return vec![format!(
            "  outside the plan, {} bytes below its beginning {base:#x}",
            base - to + 1
        )];
    }
    let meets = |r: &&Row| r.start + base < to && from < r.end + base;
    let mut rows: Vec<&Row> = dump.tensors.iter().filter(meets).collect();
    rows.sort_by_key(|r| (r.first, r.last, r.id));
    let named = |(step, name, _): &(u64, String, Vec<u64>)| format!("${step} {name}");
    let (mut out, mut next) = (Vec::new(), 0);
    for r in rows {
        if r.first > next {
            out.push(format!("  steps {next} to {}: free", r.first - 1));
        }
        next = next.max(r.last + 1);
        let writer = dump.nodes.iter().find(|n| n.1 == r.source).unwrap();
        // A node that clears a tensor lists it before it is written; that is no use.
        let reads = |n: &&(u64, String, Vec<u64>)| n.0 >= writer.0 && n.2.contains(&r.id);
        let readers: Vec<_> = dump.nodes.iter().filter(reads).collect();
        let read = match readers.as_slice() {
            [] => "read by none".to_owned(),
            [one] => format!("read by {}", named(one)),
            all => format!(
                "read by {} nodes, {} to {}",
                all.len(),
                named(all[0]),
                named(all[all.len() - 1])
            ),
        };
        out.push(format!(
            "  steps {} to {}: %{}T, written by {}, {read}",
            r.first,
            r.last,
            r.id,
            named(writer)
        ));
    }
    let steps = dump.nodes.len() as u64;
    if next < steps {
        out.push(format!("  steps {next} to {}: free", steps - 1));
    }
    out
}

#[test]
fn addresses_name_their_owners_in_the_order_of_time() {
    let mut seen = [0; 4];
    for (file, base) in [
        ("dumps/lenet_train/CPU_somas_tensor_offset_0.ir", 0),
        (
            "dumps/resnet18_train/CPU_somas_tensor_offset_0.ir",
            0x1088_0000_0000,
        ),
        ("samples/v2.4_ascend/Ascend_somas_tensor_offset_1.ir", 4096),
    ] {
        let path = data().join(file);
        let text = String::from_utf8(raw(&path)).unwrap();
        let dump = read(&text);
        let total = dump.tensors.iter().map(|r| r.end).max().unwrap();
        let mut ranges: Vec<(u64, u64)> = (0..40)
            .map(|i| base + total / 40 * i + i)
            .map(|at| (at, at + 1))
            .collect();
        ranges.extend((0..10).map(|i| (base + total / 11 * i, base + total / 11 * i + 5000)));
        ranges.extend([
            (base + total - 1, base + total),
            (base + total, base + total + 1),
            (base + 3 * total, base + 4 * total),
        ]);
        if base > 0 {
            ranges.extend([(base - 1, base), (0, base - 7), (base - 7, base + 1)]);
        }
        let out = scratch("answers");
        let mut args: Vec<String> = Vec::new();
        for (i, (from, to)) in ranges.iter().enumerate() {
            let (from_text, to_text) = match i % 2 {
                0 => (format!("{from:#x}"), format!("{to:#x}")),
                _ => (from.to_string(), to.to_string()),
            };
            if to - from == 1 {
                args.extend(["-ca".to_owned(), from_text]);
            } else {
                args.extend(["-car".to_owned(), format!("{from_text}-{to_text}")]);
            }
        }
        args.extend(["--base".to_owned(), base.to_string()]);
        let mut all: Vec<&dyn AsRef<std::ffi::OsStr>> = vec![&"-s", &path, &"-o", &out];
        all.extend(args.iter().map(|a| a as &dyn AsRef<std::ffi::OsStr>));
        let done = ask(&all);
        assert!(matches!(done.status.code(), Some(0 | 3)), "{file}");
        let log = String::from_utf8(raw(&out.join("MemoryAnalyze.log"))).unwrap();
        let mut lines = log.lines().peekable();
        for (from, to) in &ranges {
            let head = lines.find(|l| l.starts_with("asked for ")).unwrap();
            let mut found = Vec::new();
            while let Some(line) = lines.next_if(|l| l.starts_with("  ")) {
                found.push(line.to_owned());
            }
            let wanted = expected(&dump, *from, *to, base, total);
            assert_eq!(found, wanted, "{file} {head}");
            let words = ["free", "read by none", "nodes,", "outside"];
            for (count, word) in seen.iter_mut().zip(words) {
                *count += wanted.iter().filter(|l| l.contains(word)).count();
            }
        }
    }
    assert!(seen.iter().all(|n| *n > 3), "{seen:?}");
}
