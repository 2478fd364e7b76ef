//! Links: what a summary holds comes back, any text is read without harm, names are treated as
//! chosen, and what is shown of a link is all of it.

mod reading;
mod words;

use std::io::{Read, Write};
use std::path::Path;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use somascope::analysis::alive_at;
use somascope::engine::share::{decode, Name, NameMode, Named, ShareRequest, Shared, Top};
use somascope::engine::{Request, Response, Session};

use crate::support::{data, files, main_dumps, raw, same, short, text};

const HASH: [u8; 32] = *b"0123456789abcdef0123456789abcdef";

fn open(name: &str, bytes: &[u8]) -> (Session, u32) {
    let mut session = Session::new();
    let mut reader = session.begin_file(name, bytes.len() as u64, false);
    reader.push(bytes);
    let graph = session.end_file(reader).unwrap();
    (session, graph)
}

fn link(session: &mut Session, graph: u32, names: NameMode) -> String {
    let request = ShareRequest {
        graph,
        names,
        view: "step=3&tab=tensors&sel=t62".into(),
        capacity: Some(32 << 30),
        sha256: Some(HASH),
    };
    match session.answer(&Request::Share(request)) {
        Response::Share(text) => text,
        other => panic!("{other:?}"),
    }
}

/// Compares with what is kept, or keeps it.
#[track_caller]
fn golden(path: &Path, found: &str) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, found).unwrap();
    }
    let kept = String::from_utf8(raw(path)).unwrap();
    same(&short(path), &kept, found);
}

/// The unpacked bytes of a link, read by plain means.
fn unpacked(link: &str) -> Vec<u8> {
    let packed = URL_SAFE_NO_PAD.decode(link).unwrap();
    let mut out = Vec::new();
    let mut reader = flate2::read::DeflateDecoder::new(&packed[1..]);
    reader.read_to_end(&mut out).unwrap();
    out
}

fn packed(version: u8, bytes: &[u8]) -> String {
    let mut packer = flate2::write::DeflateEncoder::new(vec![version], flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    URL_SAFE_NO_PAD.encode(packer.finish().unwrap())
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|w| w == part)
}

#[test]
#[allow(clippy::print_stdout)] // The lengths are of interest.
fn links_of_all_dumps_are_short_and_say_what_the_summary_says() {
    let mut lengths = Vec::new();
    for (path, bytes) in main_dumps() {
        let (mut session, graph) = open("x.ir", &bytes);
        for mode in NameMode::ALL {
            let text = link(&mut session, graph, mode);
            lengths.push((text.len(), mode.name(), short(&path)));
            let got = decode(&text).unwrap();
            let summary = session.summary(graph).unwrap();
            let plan = session.plan(graph).unwrap();
            let what = format!("{} {}", short(&path), mode.name());
            let overview = got.overview();
            let own = &overview.summary;
            assert_eq!(own.kind, summary.kind, "{what}");
            assert_eq!(own.generation, summary.generation, "{what}");
            assert_eq!(own.device, summary.device, "{what}");
            assert_eq!(own.planned_total, summary.planned_total, "{what}");
            assert_eq!(own.static_memory, summary.static_memory, "{what}");
            assert_eq!(own.lower_bound, summary.lower_bound, "{what}");
            assert_eq!(own.gap, summary.gap, "{what}");
            assert_eq!(own.reuse_ratio, summary.reuse_ratio, "{what}");
            assert_eq!(own.max_in_use.step, summary.max_in_use.step, "{what}");
            assert_eq!(own.max_in_use.in_use, summary.max_in_use.in_use, "{what}");
            assert_eq!(own.max_total_memory, summary.max_total_memory, "{what}");
            assert_eq!(own.max_end, summary.max_end, "{what}");
            assert_eq!(own.verdict, summary.verdict, "{what}");
            assert_eq!(own.counts.nodes, summary.counts.nodes, "{what}");
            assert_eq!(own.counts.zero_size, summary.counts.zero_size, "{what}");
            assert_eq!(own.file.bytes, bytes.len() as u64, "{what}");
            assert_eq!(got.sha256, Some(HASH), "{what}");
            assert_eq!(got.capacity, Some(32 << 30), "{what}");
            assert_eq!(got.view, "step=3&tab=tensors&sel=t62", "{what}");
            let hazards = summary.hazards.as_ref();
            let count = hazards.map_or(0, |h| h.count.or(h.count_at_least).unwrap());
            let found = got.findings.iter().find(|f| f.0 == "hazard");
            assert_eq!(found.map_or(0, |f| f.1), count, "{what}");
            let all = got.findings.iter().map(|f| f.1).sum::<u64>();
            assert!(got.named.len() as u64 >= count.min(5), "{what}");
            assert!(got.named.len() as u64 <= all.min(5), "{what}");
            // The curve: the largest of each part, to half a thousandth.
            let alive = &session.parts(graph).unwrap().liveness.alive;
            let heights = got.heights();
            assert_eq!(heights.len(), alive.len().min(200), "{what}");
            let columns = heights.len();
            for (i, height) in heights.iter().enumerate() {
                let part = i * alive.len() / columns..(i + 1) * alive.len() / columns;
                let most = *alive[part].iter().max().unwrap() as f64;
                let off = (height - most).abs();
                assert!(off <= summary.lower_bound as f64 / 1999.0, "{what} {i}");
            }
            // The largest at the peak.
            let Some(peak) = summary.max_in_use.step else {
                continue;
            };
            let mut all = alive_at(plan, peak);
            all.retain(|a| a.counted_with.is_none());
            let ids: Vec<u64> = got.top.iter().map(|t| t.tensor).collect();
            let expected = all.iter().take(10).map(|a| plan.tensors.ids.id(a.tensor));
            assert_eq!(ids, expected.collect::<Vec<_>>(), "{what}");
            if mode == NameMode::Full {
                for top in &got.top {
                    let t = plan.tensors.ids.index_of(top.tensor).unwrap();
                    let name = plan
                        .tensors
                        .source_of(t)
                        .map_or(&b""[..], |n| plan.node_name(n));
                    let whole = [top.node.layer.as_str(), "/", &top.node.operator].concat();
                    let whole = whole.trim_start_matches('/').trim_end_matches('…');
                    assert!(
                        String::from_utf8_lossy(name).starts_with(whole)
                            || whole.contains("…/")
                            || whole.contains("\\u{"),
                        "{what}: {whole}"
                    );
                }
            }
        }
    }
    lengths.sort();
    for (length, mode, name) in &lengths {
        println!("{length:5} {mode:9} {name}");
    }
    for (length, mode, name) in &lengths {
        assert!(*length <= 2000, "{name} {mode}: {length}");
    }
}

/// The longest link: names of up to a megabyte, of characters that take four bytes each and that
/// nothing packs, in a plan with hazards and other findings.
#[test]
#[allow(clippy::print_stdout)] // The length is of interest.
fn the_worst_names_still_fit() {
    let path = data().join("dumps/ascend_like_sample/Ascend_somas_tensor_offset_2.ir");
    let dump = String::from_utf8(raw(&path)).unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut long = |letters: usize| -> String {
        let letter = |_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            char::from_u32(0x20000 + (seed % 0xa000) as u32).unwrap()
        };
        (0..letters).map(letter).collect()
    };
    let mut names = std::collections::HashMap::new();
    let mut rename = |word: &str| match word.rsplit_once("-op") {
        // A few of a megabyte; the others as long as may be shown.
        Some(_) => {
            let letters = if names.len() < 8 { 128 << 10 } else { 600 };
            let new = || [long(letters), "/".into(), long(letters), "-op1".into()].concat();
            let name = names.entry(word.to_owned()).or_insert_with(new);
            name.clone()
        }
        None => word.to_owned(),
    };
    let lines = dump.split('\n').map(|line| {
        let words = line.split('\t').map(&mut rename);
        words.collect::<Vec<_>>().join("\t")
    });
    let dump = lines.collect::<Vec<_>>().join("\n");
    let (mut session, graph) = open("x.ir", dump.as_bytes());
    for mode in NameMode::ALL {
        let text = link(&mut session, graph, mode);
        println!("{:5} {:9} the worst names", text.len(), mode.name());
        assert!(text.len() <= 8000, "{}: {}", mode.name(), text.len());
        let shared = decode(&text).unwrap();
        assert_eq!(shared.top.len(), 10, "{}", mode.name());
        // Names are given up before numbers are: findings are still counted.
        assert!(shared.findings.iter().any(|f| f.0 == "hazard" && f.1 > 5));
        assert!(!shared.top[0].node.operator.is_empty());
    }
}

#[test]
fn names_are_treated_as_chosen() {
    for (path, bytes) in main_dumps() {
        let (mut session, graph) = open("secret_name.ir", &bytes);
        let hidden = link(&mut session, graph, NameMode::Hidden);
        let operators = link(&mut session, graph, NameMode::Operators);
        let (hidden, operators) = (unpacked(&hidden), unpacked(&operators));
        let plan = session.plan(graph).unwrap();
        for n in 0..plan.n_nodes() {
            let name = plan.node_name(n);
            // Short words may be anywhere by chance: "plan", numbers.
            for part in name.split(|b| *b == b'/').filter(|p| p.len() > 6) {
                let what = || format!("{}: {}", short(&path), String::from_utf8_lossy(part));
                assert!(!holds(&hidden, part), "hidden {}", what());
                let own = somascope::analysis::names::operator(name);
                if !holds(own, part) && !part.ends_with(own) {
                    assert!(!holds(&operators, part), "operators {}", what());
                }
            }
        }
        for bytes in [&hidden, &operators] {
            assert!(!holds(bytes, b"secret_name"));
        }
    }
}

#[test]
fn a_number_stands_for_one_name() {
    let path = data().join("dumps/lenet_train");
    let path = files(&path)
        .into_iter()
        .find(|p| p.ends_with("CPU_somas_tensor_offset_0.ir"))
        .unwrap();
    let (mut session, graph) = open("x.ir", &text(&path));
    let full = decode(&link(&mut session, graph, NameMode::Full)).unwrap();
    let hidden = decode(&link(&mut session, graph, NameMode::Hidden)).unwrap();
    let operator = |name: &Name| name.operator.split("-op").next().unwrap().to_owned();
    let of = |s: &Shared| {
        let mut names = vec![s.peak_node.clone()];
        names.extend(s.top.iter().map(|t| t.node.clone()));
        names
    };
    let pairs = of(&full).into_iter().zip(of(&hidden));
    let pairs: Vec<(Name, Name)> = pairs.collect();
    for (a, pa) in &pairs {
        for (b, pb) in &pairs {
            assert_eq!(operator(a) == operator(b), pa.operator == pb.operator);
            assert_eq!(a.layer == b.layer, pa.layer == pb.layer);
        }
    }
    assert_eq!(hidden.peak_node.operator, "O1");
}

/// A change of a summary, and its name.
type Change = (&'static str, fn(&mut Shared));

/// A summary in which every part is something.
fn sample() -> Shared {
    let name = |operator: &str, layer: &str, depth| Name {
        operator: operator.into(),
        layer: layer.into(),
        depth,
    };
    Shared {
        program: "1.2.3".into(),
        names: NameMode::Full,
        kind: "plan".into(),
        generation: "C3".into(),
        device: Some("Ascend".into()),
        ordered: true,
        unread_lines: Some(7),
        steps: 4,
        counts: [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21],
        file_bytes: 1_000_001,
        sha256: Some(HASH),
        static_memory: 2_000_002,
        total_tensor_size: 3_000_003,
        planned_total: 4_000_004,
        peak_step: Some(2),
        peak_alive: 1_500_000,
        peak_node: name("RealDiv-op1387", "Default/net", 0),
        waste: (512, -64),
        max_end: Some(4_000_000),
        capacity: Some(32 << 30),
        verdict: Some("hazards".into()),
        findings: vec![("hazard".into(), 3), ("never_read".into(), 1)],
        named: vec![Named {
            kind: "hazard".into(),
            tensors: vec![5, 6],
            bytes: 512,
            node: name("Add-op7", "Default", 0),
        }],
        top: vec![Top {
            tensor: 62,
            bytes: 100_000,
            life: (1, 3),
            node: name("MatMul-op2", "", 3),
        }],
        curve: vec![100, 200, 700, -500],
        view: "step=1&sel=t62".into(),
    }
}
