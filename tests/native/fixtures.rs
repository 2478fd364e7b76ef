//! What holds for every healthy fixture: no complaint, every line accounted for, the oracle's
//! reading, and the same answer in every form and cut of the text.

use somascope::analysis;
use somascope::parse::FileKind;

use std::path::Path;

use crate::oracle::{portrait::portrait, Oracle, MOST_TENSORS};
use crate::support::{
    self, accounted, codes, data, difference, main_dumps, parse, parse_chunks, same, short,
    small_dumps,
};

#[test]
fn every_line_of_every_fixture_is_accounted_for() {
    for (path, bytes) in main_dumps() {
        let parsed = parse(&bytes);
        let name = short(&path);
        assert_eq!(parsed.kind, FileKind::MainDump, "{name}");
        let lines = &parsed.lines;
        assert!(accounted(&parsed), "{name}: {lines:?}");
        assert_eq!(
            (lines.unread, lines.skipped),
            (0, 0),
            "{name}: {:?}",
            codes(&parsed)
        );
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(
            lines.total,
            text.lines().count() as u64,
            "{name}: number of lines"
        );
        let blank = text
            .trim_start_matches('\u{feff}')
            .lines()
            .filter(|l| l.trim().is_empty())
            .count();
        assert_eq!(lines.blank, blank as u64, "{name}: number of blank lines");
    }
}

/// The text form of the cache leaves out the parameters that its nodes name.
fn is_cache_text(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "info")
}

#[test]
fn no_healthy_fixture_gives_a_complaint() {
    let mut wrong = Vec::new();
    for (path, bytes) in main_dumps() {
        let parsed = parse(&bytes);
        // A tensor that was moved may lie above the stated total.
        let moved = short(&path).contains("_broken");
        let warned = parsed.diagnostics.warnings > 0 && !moved;
        if parsed.diagnostics.errors > 0 || warned {
            wrong.push(format!("{}: {:?}", short(&path), codes(&parsed)));
        }
        if parsed.plan.is_none() {
            wrong.push(format!("{}: no plan", short(&path)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_oracle_reads_the_same_plan_and_the_same_curves() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (path, bytes) in small_dumps()
        .into_iter()
        .filter(|(path, _)| !is_cache_text(path))
    {
        let oracle = Oracle::of(&String::from_utf8(bytes.clone()).unwrap());
        let Some(plan) = parse(&bytes)
            .plan
            .filter(|p| (p.n_tensors() as usize) < MOST_TENSORS)
        else {
            continue;
        };
        compared += 1;
        if let Some(report) = difference(&portrait(&oracle), &support::portrait(&plan)) {
            wrong.push(format!("{}: {report}", short(&path)));
        }
        let liveness = analysis::liveness(&plan);
        if liveness.alive != oracle.alive() {
            wrong.push(format!("{}: another curve of bytes alive", short(&path)));
        }
        if liveness.total != oracle.total() {
            wrong.push(format!("{}: another curve of bytes produced", short(&path)));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(compared > 80, "only {compared} fixtures compared");
}

#[test]
fn chunks_of_any_size_give_the_same_plan() {
    for (path, bytes) in small_dumps() {
        let whole = support::portrait(&parse(&bytes).plan.unwrap());
        for size in [1, 2, 7, 64, 1021, 65_536] {
            let cuts: Vec<usize> = (0..bytes.len()).step_by(size).collect();
            let parsed = parse_chunks(&bytes, &cuts, false);
            same(
                &format!("{} in chunks of {size}", short(&path)),
                &whole,
                &support::portrait(&parsed.plan.unwrap()),
            );
        }
    }
}

#[test]
fn line_ends_a_byte_order_mark_and_a_second_copy_do_not_show() {
    for (path, bytes) in small_dumps() {
        let text = String::from_utf8(bytes).unwrap().replace("\r\n", "\n");
        let text = text.trim_start_matches('\u{feff}');
        let whole = support::portrait(&parse(text.as_bytes()).plan.unwrap());
        let twice = match text.starts_with("All Parameters:") && text.contains("All Merged Blocks:")
        {
            true => text.trim_end().repeat(2),
            false => format!("{}\n", text.trim_end()).repeat(2),
        };
        for (form, changed) in [
            ("CRLF", text.replace('\n', "\r\n")),
            ("a byte order mark", format!("\u{feff}{text}")),
            ("no final newline", text.trim_end().to_string()),
            ("two copies", twice),
        ] {
            let parsed = parse(changed.as_bytes());
            let what = format!("{} with {form}", short(&path));
            assert_eq!(parsed.diagnostics.errors, 0, "{what}: {:?}", codes(&parsed));
            same(&what, &whole, &support::portrait(&parsed.plan.unwrap()));
        }
    }
}

/// MindSpore 1.1 to 1.8 write the recomputed lives and the source names a second time, by address:
/// `somas_mem_info`. Nothing in the plan of 1.1 prints them.
#[test]
fn lives_of_the_first_release_are_those_of_its_mem_info() {
    for (dump, mem_info) in [
        (
            "v1.1_ascend/somas_after_allocate_1.ir",
            "v1.1_ascend/somas_mem_info_1.ir",
        ),
        (
            "v1.3_ascend/somas_allocate_info_1.ir",
            "v1.3_ascend/somas_mem_info_1.ir",
        ),
    ] {
        let plan = parse(&support::raw(&data().join("samples").join(dump)))
            .plan
            .unwrap();
        let rows = String::from_utf8(support::raw(&data().join("samples").join(mem_info))).unwrap();
        let mut compared = 0;
        for row in rows.lines().skip(1).filter(|l| !l.is_empty()) {
            let cells: Vec<&str> = row.split('\t').collect();
            let id: u64 = cells[3].trim_matches(['%', 'T']).parse().unwrap();
            let t = plan.tensors.ids.index_of(id).unwrap();
            let life: (u32, u32) = (cells[11].parse().unwrap(), cells[12].parse().unwrap());
            assert_eq!(plan.tensors.printed_life(t), life, "{dump}: life of %{id}T");
            assert_eq!(
                plan.tensors.aligned_at(t),
                cells[5].parse::<u64>().unwrap(),
                "{dump}: size of %{id}T"
            );
            let name = plan
                .tensors
                .source_of(t)
                .map_or(&b"Somas Tensor"[..], |n| plan.node_name(n));
            assert_eq!(name, cells[9].as_bytes(), "{dump}: source of %{id}T");
            compared += 1;
        }
        assert_eq!(compared, plan.n_tensors(), "{dump}");
    }
}
