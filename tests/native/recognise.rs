//! What a file is, told by content: every sibling under every name, stages and final plans.

use std::path::Path;

use somascope::parse::FileKind;

use crate::support::{self, data, files, main_dumps, parse, short};

/// The kind that the name of a fixture promises, in the names MindSpore gives.
fn promised(path: &Path) -> Option<FileKind> {
    let name = path.file_name()?.to_str()?;
    let has = |part: &str| name.contains(part);
    Some(if has("offline_log") {
        // A graph whose tensors nobody reads has a log of one empty line.
        if support::raw(path).trim_ascii().is_empty() {
            FileKind::Empty
        } else {
            FileKind::OfflineLog
        }
    } else if has("solver_input") {
        FileKind::SolverInput
    } else if has("solver_output") {
        FileKind::SolverOutput
    } else if has("relation") {
        FileKind::Relation
    } else if has("mem_info") {
        FileKind::MemInfo
    } else if has("task_info") {
        FileKind::TaskInfo
    } else if has("somas_graph_1_1234567890123456789.json") {
        FileKind::Cache
    } else if name.ends_with(".json") || name.ends_with(".md") {
        return None;
    } else {
        FileKind::MainDump
    })
}

#[test]
fn every_fixture_is_told_by_its_content() {
    let mut seen = std::collections::BTreeMap::new();
    for path in ["samples", "generations", "dumps"]
        .iter()
        .flat_map(|dir| files(&data().join(dir)))
    {
        let Some(kind) = promised(&path) else {
            continue;
        };
        let parsed = parse(&support::text(&path));
        assert_eq!(parsed.kind, kind, "{}", short(&path));
        assert!(
            kind == FileKind::MainDump || parsed.plan.is_none(),
            "{}: a plan",
            short(&path)
        );
        *seen.entry(format!("{kind:?}")).or_insert(0) += 1;
    }
    for kind in [
        "OfflineLog",
        "SolverInput",
        "SolverOutput",
        "Relation",
        "MemInfo",
        "TaskInfo",
        "Cache",
        "MainDump",
    ] {
        assert!(seen.contains_key(kind), "no fixture is a {kind}: {seen:?}");
    }
}

#[test]
fn files_of_other_kinds_and_foreign_files() {
    for (text, kind) in [
        (
            "Total Dynamic Size (Upper Bound):\t100\n",
            FileKind::PoolInfo,
        ),
        ("# IR entry: @kernel_graph0\n# attrs:\n", FileKind::GraphIr),
        (
            "subgraph attr:\nsubgraph instance: main : 0x1\n",
            FileKind::GraphIr,
        ),
        ("", FileKind::Empty),
        ("\n\r\n \t\n", FileKind::Empty),
        (
            "[WARNING] DEVICE(41,7f,python):2023-09-20\n",
            FileKind::Unknown,
        ),
        ("\u{89}PNG\r\n\u{1a}\n\0\0\0", FileKind::Unknown),
        ("T\n", FileKind::Unknown),
        ("tensor\n", FileKind::Unknown),
        ("\n\nAll Tensors:\n", FileKind::MainDump),
        ("\u{feff}All Parameters:\r\n", FileKind::MainDump),
        ("\n\nop_name:Default/x\n", FileKind::TaskInfo),
    ] {
        assert_eq!(parse(text.as_bytes()).kind, kind, "{text:?}");
    }
}

/// Stages by their names in MindSpore; under the name `unknown` nothing changes, because the
/// reader never sees a name.
#[test]
fn early_stages_are_told_from_final_plans() {
    let mut stages = 0;
    for (path, bytes) in main_dumps() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let early = [
            "initial_info",
            "pre_processed_info",
            "basic_info",
            "spec_node_process",
        ];
        let early = early.iter().any(|s| name.contains(s)) || name.ends_with(".info");
        let plan = parse(&bytes)
            .plan
            .unwrap_or_else(|| panic!("{}: no plan", short(&path)));
        // Without a placed tensor the two texts are the same: then it counts as a plan.
        let placed = (0..plan.n_tensors()).any(|t| plan.tensors.aligned_at(t) > 0);
        let expected = if early && placed { "stage" } else { "plan" };
        assert_eq!(plan.kind.word(), expected, "{}", short(&path));
        stages += u32::from(early && placed);
    }
    assert!(stages > 15, "only {stages} early stages among the fixtures");
}

/// `<Dev>_somas_…` says the device; the content must never say another one.
#[test]
fn the_device_in_the_name_is_never_contradicted() {
    for (path, bytes) in main_dumps() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let folder = short(&path);
        let Some(device) = ["Ascend", "GPU", "CPU"]
            .into_iter()
            .find(|d| name.contains(&format!("{d}_somas")))
        else {
            continue;
        };
        // Plans of a CPU build that was made to run in stream order are no CPU plans by content.
        if folder.contains("testswitch") {
            continue;
        }
        let found = parse(&bytes).plan.unwrap().device.map(|d| d.word());
        assert!(
            found.is_none() || found == Some(device),
            "{folder}: content says {found:?}"
        );
    }
}

/// Releases by folder name.
#[test]
fn generations_of_the_samples() {
    for (folder, generation) in [
        ("v1.1_ascend", "A"),
        ("v1.3_ascend", "B1"),
        ("v1.7_ascend", "B2"),
        ("v1.10_ascend", "C1"),
        ("v2.1_ascend_gap_on_top", "C2"),
        ("v2.2_ascend_multistream", "C2"),
        ("v2.2_gpu", "C2"),
        ("v2.4_ascend", "C3"),
        ("v2.7_cpu_lenet_real", "C3"),
        ("v2.7_cpu_ordered_testswitch", "C3"),
        ("v2.10_cpu_lenet_real", "C3"),
        ("v2.10_cpu_allreduce_real", "C3"),
        ("v2.10_cpu_controlflow_real", "C3"),
    ] {
        for path in files(&data().join("samples").join(folder)) {
            let bytes = support::text(&path);
            let finals = ["tensor_offset", "allocate"]
                .iter()
                .any(|s| path.to_string_lossy().contains(s));
            if support::is_main_dump(&bytes) && finals {
                let plan = parse(&bytes).plan.unwrap();
                assert_eq!(plan.generation.word(), generation, "{}", short(&path));
            }
        }
    }
}
