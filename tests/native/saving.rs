//! What a face saves of a session: piece by piece, all in one ZIP or a file alone, and every byte as the command line
//! writes it.

use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use somascope::engine::saving::{saved_name, Piece, Save};
use somascope::engine::{Request, Response, Session};

use crate::plans::mini::{Mini, Node, Style, Tensor};
use crate::support::{command, data, files, raw, run, scratch, scratch_file};

fn opened(name: &str, bytes: &[u8]) -> (Session, u32) {
    let mut session = Session::new();
    let mut file = session.begin_file(name, bytes.len() as u64, false);
    file.push(bytes);
    let graph = session.end_file(file).expect("a plan");
    (session, graph)
}

fn ask(session: &mut Session, what: Save) -> Response {
    session.answer(&Request::Save(what))
}

/// All pieces to the end.
fn pieces(session: &mut Session, graph: u32, only: Option<&str>) -> Vec<Piece> {
    let only = only.map(str::to_owned);
    let mut what = Save::Begin {
        graph,
        only,
        job: 7,
    };
    let mut all = Vec::new();
    loop {
        let piece = match ask(session, what.clone()) {
            Response::Piece(piece) => piece,
            other => panic!("{other:?} behind {} pieces", all.len()),
        };
        assert_eq!(piece.job, 7);
        let last = piece.last;
        all.push(piece);
        if last {
            return all;
        }
        what = Save::More;
    }
}

fn bytes(pieces: &[Piece]) -> Vec<u8> {
    pieces.iter().flat_map(|p| p.bytes.clone()).collect()
}

/// The files of a folder by name.
fn folder(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let name = |p: &PathBuf| {
        p.strip_prefix(dir)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/")
    };
    let mut found: Vec<(String, Vec<u8>)> = files(dir).iter().map(|p| (name(p), raw(p))).collect();
    found.sort();
    found
}

fn unpacked(zip: Vec<u8>) -> Vec<(String, Vec<u8>)> {
    let mut zip = zip::ZipArchive::new(Cursor::new(zip)).expect("a ZIP");
    let mut found = Vec::new();
    for i in 0..zip.len() {
        let mut file = zip.by_index(i).unwrap();
        let mut content = Vec::new();
        file.read_to_end(&mut content).unwrap();
        found.push((file.name().to_owned(), content));
    }
    found.sort();
    found
}

fn same(found: &[(String, Vec<u8>)], expected: &[(String, Vec<u8>)]) {
    let names = |list: &[(String, Vec<u8>)]| list.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(found), names(expected));
    for ((name, a), (_, b)) in found.iter().zip(expected) {
        assert!(a == b, "{name} differs");
    }
}

#[test]
fn the_zip_and_each_file_alone_are_the_command_lines() {
    for file in [
        "dumps/ascend_like_sample/Ascend_somas_tensor_offset_2.ir",
        "samples/v2.10_cpu_lenet_real/CPU_somas_initial_info_0.ir",
        "samples/quirks/CPU_somas_tensor_offset_7.ir",
    ] {
        // Alone, as it is opened here: the command line looks for files beside it.
        let path = data().join(file);
        let name = path.file_name().unwrap().to_str().unwrap();
        let path = scratch_file(name, &raw(&path));
        let out = scratch("saving");
        run([
            "-s".as_ref(),
            path.as_os_str(),
            "-o".as_ref(),
            out.as_os_str(),
        ]);
        let expected = folder(&out);
        let (mut session, graph) = opened(name, &raw(&path));
        let all = pieces(&mut session, graph, None);
        same(&unpacked(bytes(&all)), &expected);
        assert!(all.iter().all(|p| p.done <= p.total), "{file}");
        assert_eq!(all.last().map(|p| p.done == p.total), Some(true), "{file}");
        let Response::ResultFiles(mut names) = ask(&mut session, Save::List { graph }) else {
            panic!("no list");
        };
        names.sort();
        let alone = |name: String| {
            let content = bytes(&pieces(&mut session, graph, Some(&name)));
            (name, content)
        };
        let alone: Vec<(String, Vec<u8>)> = names.into_iter().map(alone).collect();
        same(&alone, &expected);
    }
}

/// What lies beside a dump counts alike: task info that is named to the command line, and the
/// offline log it takes by itself.
#[test]
fn the_zip_says_what_files_beside_the_dump_say() {
    for (folder_name, files) in [
        (
            "samples/v1.1_ascend",
            &[
                "somas_after_allocate_1.ir",
                "somas_offline_log_1.ir",
                "task_info_graph_1.ir",
            ][..],
        ),
        (
            "samples/v1.7_ascend",
            &[
                "somas_allocate_info_1.ir",
                "somas_offline_log_1.ir",
                "task_info_graph_1.ir",
            ],
        ),
        (
            "samples/v2.2_ascend_multistream",
            &[
                "Ascend_somas_tensor_offset_1.ir",
                "Ascend_somas_offline_log_1.ir",
                "task_info_graph_1.ir",
            ],
        ),
        (
            "dumps/ascend_like_sample",
            &["Ascend_somas_tensor_offset_1.ir", "task_info_graph_1.ir"],
        ),
    ] {
        let dir = scratch("saving_beside");
        let mut session = Session::new();
        for name in files {
            let bytes = raw(&data().join(folder_name).join(name));
            std::fs::write(dir.join(name), &bytes).unwrap();
            let mut file = session.begin_file(name, bytes.len() as u64, false);
            file.push(&bytes);
            session.end_file(file);
        }
        let Response::Graphs(list) = session.answer(&Request::Graphs) else {
            panic!("no list");
        };
        assert_eq!(list.graphs.len(), 1, "{folder_name}");
        let graph = list.graphs[0].graph;
        let out = scratch("saving_beside_out");
        let done = command()
            .arg("-s")
            .arg(dir.join(files[0]))
            .arg("-t")
            .arg(dir.join("task_info_graph_1.ir"))
            .arg("-o")
            .arg(&out)
            .output()
            .unwrap();
        assert!(matches!(done.status.code(), Some(0 | 3)), "{folder_name}");
        let expected = folder(&out);
        let log = expected
            .iter()
            .find(|f| f.0 == "MemoryAnalyze.log")
            .unwrap();
        let log = String::from_utf8_lossy(&log.1);
        assert!(log.contains("task_info_graph_1.ir"), "{log}");
        let takes_log = folder_name.contains("v1.");
        assert_eq!(log.contains("offline_log_1.ir"), takes_log, "{log}");
        same(
            &unpacked(bytes(&pieces(&mut session, graph, None))),
            &expected,
        );
    }
}

/// Opens all files of a folder, as when it is dropped, and compares what is saved of each final plan.
/// The value is the logs.
fn same_in_folder(dir: &Path) -> Vec<String> {
    let mut session = Session::new();
    let mut names: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_file())
        .collect();
    names.sort();
    for path in &names {
        let name = path.file_name().unwrap().to_str().unwrap();
        let bytes = raw(path);
        let mut file = session.begin_file(name, bytes.len() as u64, false);
        bytes.chunks(1000).for_each(|c| file.push(c));
        session.end_file(file);
    }
    let Response::Graphs(list) = session.answer(&Request::Graphs) else {
        panic!("no list");
    };
    let mut logs = Vec::new();
    for row in list.graphs {
        let graph = row.graph;
        let begin = || Save::Begin {
            graph,
            only: None,
            job: 3,
        };
        // What does not need the log does not need the matrix.
        let alone = Some("StatisticInfo/overview.txt");
        assert!(!bytes(&pieces(&mut session, graph, alone)).is_empty());
        if let Response::Wants(job, name) = ask(&mut session, begin()) {
            assert_eq!(job, 3);
            let mut file = session.begin_matrix(graph).unwrap();
            for chunk in raw(&dir.join(&name)).chunks(777) {
                session.push(&mut file, chunk);
            }
            session.end_file(file);
            assert!(session.begin_matrix(graph).is_none());
        }
        let out = scratch("saving_folder");
        let mut asked = command();
        asked.arg("-s").arg(dir.join(&row.name)).arg("-o").arg(&out);
        let id = session.summary(graph).unwrap().graph_id.unwrap();
        let tasks = dir.join(format!("task_info_graph_{id}.ir"));
        if tasks.exists() {
            asked.arg("-t").arg(tasks);
        }
        let done = asked.output().unwrap();
        assert!(matches!(done.status.code(), Some(0 | 3)), "{}", row.name);
        let expected = folder(&out);
        let found = unpacked(bytes(&pieces(&mut session, graph, None)));
        let log = |files: &[(String, Vec<u8>)]| {
            let log = files.iter().find(|f| f.0 == "MemoryAnalyze.log").unwrap();
            String::from_utf8(log.1.clone()).unwrap()
        };
        assert_eq!(log(&found), log(&expected), "{dir:?} {}", row.name);
        same(&found, &expected);
        logs.push(log(&found));
    }
    logs
}

/// The conflict matrix beside a plan, with the sizes of before the solver ran where they are known.
#[test]
fn the_zip_says_what_the_conflict_matrix_says() {
    let mut compared = 0;
    for (folder_name, matrices) in [
        ("dumps/lenet_train", 1),
        ("dumps/control_flow_while_if", 4),
        ("samples/v1.3_ascend", 1),
        ("samples/v1.7_ascend", 1),
        ("samples/v1.10_ascend", 1),
        ("samples/v2.1_ascend_gap_on_top", 1),
        ("samples/v2.2_gpu", 1),
        ("samples/v2.4_ascend", 1),
        ("samples/v2.7_cpu_ordered_small_testswitch", 1),
        ("samples/v2.10_cpu_bn_real", 1),
    ] {
        let logs = same_in_folder(&data().join(folder_name));
        let with = logs.iter().filter(|l| l.contains("cells compared"));
        assert_eq!(with.count(), matrices, "{folder_name}");
        compared += matrices;
    }
    assert!(compared > 10);
}

/// What lies beside a plan may be missing, compressed, cut or of another graph.
#[test]
fn the_zip_says_what_a_strange_conflict_matrix_says() {
    let from = data().join("dumps/lenet_train");
    let plan = "CPU_somas_tensor_offset_0.ir";
    let (relation, before) = (
        "somas_tensor_relation_0.ir",
        "CPU_somas_pre_processed_info_0.ir",
    );
    let matrix = raw(&from.join(relation));
    let flipped = {
        let text = String::from_utf8(matrix.clone()).unwrap();
        text.replacen("H1", "H0", 1).into_bytes()
    };
    let other = raw(&data().join("dumps/control_flow_while_if/CPU_somas_pre_processed_info_2.ir"));
    let sizes = raw(&from.join(before));
    for (case, files, said) in [
        ("alone", vec![(relation, matrix.clone())], "cells compared"),
        ("changed", vec![(relation, flipped)], "1 differ"),
        (
            "compressed",
            vec![("somas_tensor_relation_0.ir.gz", crate::support::gz(&matrix))],
            "cells compared",
        ),
        (
            "cut",
            vec![
                (relation, matrix[..matrix.len() / 2].to_vec()),
                (before, sizes.clone()),
            ],
            "conflict matrix",
        ),
        (
            "sizes of another graph",
            vec![(relation, matrix.clone()), (before, other)],
            "cells compared",
        ),
        (
            "two",
            vec![
                (relation, matrix.clone()),
                ("z_somas_tensor_relation_0.ir", b"t0 H1".to_vec()),
                (before, sizes),
            ],
            "cells compared",
        ),
    ] {
        let dir = scratch("strange_matrix");
        std::fs::write(dir.join(plan), raw(&from.join(plan))).unwrap();
        for (name, bytes) in files {
            std::fs::write(dir.join(name), bytes).unwrap();
        }
        let logs = same_in_folder(&dir);
        assert_eq!(logs.len(), 1, "{case}");
        assert!(logs[0].contains(said), "{case}: {}", logs[0]);
    }
}

/// A plan whose tables take several pieces, and whose names end up in file names.
fn wide() -> Mini {
    let mut mini = Mini::new(Style::C3Cpu);
    for i in 0..20_000u64 {
        let name = format!("Default/层{}/网络-op{i}", "x".repeat(60));
        mini.nodes.push(Node {
            id: i,
            name: name.clone(),
            outputs: vec![i],
            ..Node::default()
        });
        mini.tensors.push(Tensor {
            id: i,
            aligned: 512,
            original: 4,
            offset: i * 512,
            kind: "Common".into(),
            lifelong: 0,
            first: i,
            last: i,
            source: name,
        });
    }
    mini.total = 20_000 * 512;
    mini.blocks = vec![(0, mini.total)];
    mini
}

#[test]
fn pieces_are_small_and_other_questions_fit_in_between() {
    let text = wide().text();
    let (mut session, graph) = opened("x/CPU_somas_tensor_offset_0.ir", text.as_bytes());
    let alone = pieces(&mut session, graph, Some("graph_tensors.csv"));
    assert!(alone.len() > 2, "{} pieces", alone.len());
    assert!(alone.iter().all(|p| p.bytes.len() < 2 << 20));
    assert!(alone.windows(2).all(|p| p[0].done < p[1].done));
    // Piece by piece with something else in between, it is the same.
    let begin = Save::Begin {
        graph,
        only: Some("graph_tensors.csv".into()),
        job: 1,
    };
    let mut found = Vec::new();
    let mut answer = ask(&mut session, begin);
    while let Response::Piece(piece) = answer {
        found.extend(piece.bytes);
        assert!(matches!(
            session.answer(&Request::Step { graph, step: 3 }),
            Response::Step(step) if step.step == 3
        ));
        if piece.last {
            break;
        }
        answer = ask(&mut session, Save::More);
    }
    assert!(found == bytes(&alone));
    let names: Vec<String> = unpacked(bytes(&pieces(&mut session, graph, None)))
        .into_iter()
        .map(|f| f.0)
        .collect();
    assert!(names.iter().any(|n| n.contains("网络-op")), "{names:?}");
}

#[test]
fn what_is_stopped_or_closed_gives_nothing_more() {
    let path = data().join("dumps/ascend_like_sample/Ascend_somas_tensor_offset_1.ir");
    let (mut session, graph) = opened("a.ir", &raw(&path));
    let begin = || Save::Begin {
        graph,
        only: None,
        job: 1,
    };
    let nothing = |answer: Response| matches!(answer, Response::Nothing);
    assert!(nothing(ask(&mut session, Save::More)), "nothing was begun");
    let no_file = Save::Begin {
        graph,
        only: Some("no_such.csv".into()),
        job: 1,
    };
    assert!(nothing(ask(&mut session, no_file)));
    assert!(matches!(ask(&mut session, begin()), Response::Piece(_)));
    assert!(matches!(
        ask(&mut session, Save::Stop),
        Response::Piece(piece) if piece.job == 0 && piece.bytes.is_empty()
    ));
    assert!(nothing(ask(&mut session, Save::More)));
    let closed = session.answer(&Request::Close { graph });
    assert!(matches!(closed, Response::Graphs(_)));
    assert!(nothing(ask(&mut session, begin())), "the graph is closed");
}

#[test]
fn names_of_what_is_saved() {
    for (dump, only, name) in [
        ("a/b/CPU_x_0.ir", None, "CPU_x_0_results.zip"),
        ("dump.txt.gz", None, "dump_results.zip"),
        ("dump", None, "dump_results.zip"),
        ("x.ir", Some("StatisticInfo/overview.txt"), "overview.txt"),
    ] {
        assert_eq!(saved_name(dump, only), name);
    }
}

/// A file that the face could not read is told, and the others are there.
#[test]
fn a_refused_file_is_told_among_the_others() {
    let path = data().join("dumps/ascend_like_sample/Ascend_somas_tensor_offset_1.ir");
    let (mut session, _) = opened("rank_0/a_somas_1.ir", &raw(&path));
    let file = session.begin_file("rank_1/a_somas_1.ir", 5, false);
    session.refuse_file(file, "it went away");
    let Response::Graphs(list) = session.answer(&Request::Graphs) else {
        panic!("no list");
    };
    assert_eq!((list.graphs.len(), list.others.len()), (1, 1));
    let other = &list.others[0];
    assert_eq!(
        (other.path.as_str(), other.errors),
        ("rank_1/a_somas_1.ir", 1)
    );
    assert_eq!(other.messages[0].code, "unreadable_file");
    assert!(other.messages[0].text.en.contains("it went away"));
}

/// Equal files are judged once; the row says what came out.
#[test]
fn rows_hold_what_judging_gave() {
    let path = data().join("dumps/ascend_like_sample/Ascend_somas_tensor_offset_2.ir");
    let mut session = Session::new();
    let mut graphs = Vec::new();
    for rank in [0, 1] {
        let name = format!("rank_{rank}/Ascend_somas_tensor_offset_2.ir");
        let mut file = session.begin_file(&name, 0, false).with_fingerprint();
        file.push(&raw(&path));
        graphs.push(session.end_file(file).unwrap());
    }
    let rows = |session: &mut Session| match session.answer(&Request::Graphs) {
        Response::Graphs(list) => list.graphs,
        _ => panic!("no list"),
    };
    assert!(rows(&mut session)
        .iter()
        .all(|r| r.found.is_none() && r.verdict.is_none()));
    let judged = graphs
        .iter()
        .map(|&graph| match session.answer(&Request::Judge { graph }) {
            Response::Row(row) => (row.found, row.verdict, row.rank),
            _ => panic!("no row"),
        });
    let judged: Vec<_> = judged.collect();
    let hazards = crate::support::json_of(&path, &[])["hazards"]["by_dependency"].as_u64();
    let expected = |rank| (hazards, Some("hazards".to_owned()), Some(rank));
    assert_eq!(judged, [expected(0), expected(1)]);
}

/// Equal files share a judgement, but not with one that a file beside it says more of.
#[test]
fn a_judgement_is_shared_only_where_nothing_else_was_said() {
    let dir = data().join("samples/v1.7_ascend");
    let dump = raw(&dir.join("somas_allocate_info_1.ir"));
    let log = String::from_utf8(raw(&dir.join("somas_offline_log_1.ir"))).unwrap();
    // Everything is needed all the time: then nothing may share.
    let log = log.replace("lifelong=0", "lifelong=1");
    let open = |session: &mut Session, name: &str, bytes: &[u8]| {
        let mut file = session.begin_file(name, 0, false).with_fingerprint();
        file.push(bytes);
        session.end_file(file)
    };
    for first in 0..3 {
        let mut session = Session::new();
        for rank in 0..3 {
            open(
                &mut session,
                &format!("rank_{rank}/somas_allocate_info_1.ir"),
                &dump,
            )
            .unwrap();
        }
        let beside = "rank_1/somas_offline_log_1.ir";
        assert_eq!(open(&mut session, beside, log.as_bytes()), None);
        let Response::Graphs(list) = session.answer(&Request::Graphs) else {
            panic!("no list");
        };
        let all = list.graphs.len();
        assert_eq!(all, 3);
        // Whichever is judged first.
        for place in (0..all).map(|i| (i + first) % all) {
            let row = &list.graphs[place];
            let Response::Row(judged) = session.answer(&Request::Judge { graph: row.graph }) else {
                panic!("no row");
            };
            let verdict = if judged.rank == Some(1) {
                "hazards"
            } else {
                "safe"
            };
            assert_eq!(
                judged.verdict.as_deref(),
                Some(verdict),
                "{:?}",
                judged.rank
            );
        }
    }
}
