//! Links: what a summary holds comes back, any text is read without harm, names are treated as
//! chosen, and what is shown of a link is all of it.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use proptest::prelude::*;
use somascope::analysis::alive_at;
use somascope::engine::share::{
    decode, encode, markdown, preview, Broken, Name, NameMode, Named, ShareRequest, Shared, Top,
};
use somascope::engine::{Request, Response, Session};
use somascope::report::text::Lang;

use crate::support::{data, files, main_dumps, raw, same, sha256, short};

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
            assert_eq!(got.named.len() as u64, count.min(5), "{what}");
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
    let (mut session, graph) = open("x.ir", &crate::support::text(&path));
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

type Change = (&'static str, fn(&mut Shared));

const CHANGES: &[Change] = &[
    ("program", |s| s.program = "2".into()),
    ("names", |s| s.names = NameMode::Hidden),
    ("kind", |s| s.kind = "stage".into()),
    ("generation", |s| s.generation = "B1".into()),
    ("device", |s| s.device = None),
    ("ordered", |s| s.ordered = false),
    ("unread_lines", |s| s.unread_lines = Some(8)),
    ("steps", |s| s.steps = 5),
    ("counts 0", |s| s.counts[0] = 9),
    ("counts 1", |s| s.counts[1] = 9),
    ("counts 2", |s| s.counts[2] = 9),
    ("counts 3", |s| s.counts[3] = 9),
    ("counts 4", |s| s.counts[4] = 9),
    ("counts 5", |s| s.counts[5] = 9),
    ("counts 6", |s| s.counts[6] = 9),
    ("counts 7", |s| s.counts[7] = 9),
    ("counts 8", |s| s.counts[8] = 9),
    ("counts 9", |s| s.counts[9] = 9),
    ("counts 10", |s| s.counts[10] = 9),
    ("file_bytes", |s| s.file_bytes += 1),
    ("sha256", |s| s.sha256 = Some([7; 32])),
    ("static_memory", |s| s.static_memory += 1),
    ("total_tensor_size", |s| s.total_tensor_size += 1),
    ("planned_total", |s| s.planned_total += 1),
    ("peak_step", |s| s.peak_step = Some(3)),
    ("peak_alive", |s| s.peak_alive += 1),
    ("peak operator", |s| s.peak_node.operator = "x".into()),
    ("peak layer", |s| s.peak_node.layer = "x".into()),
    ("waste", |s| s.waste.0 = -512),
    ("waste at peak", |s| s.waste.1 = 64),
    ("max_end", |s| s.max_end = None),
    ("capacity", |s| s.capacity = Some(1)),
    ("verdict", |s| s.verdict = Some("safe".into())),
    ("findings", |s| s.findings[1].0 = "undecided".into()),
    ("finding count", |s| s.findings[1].1 = 2),
    ("named kind", |s| s.named[0].kind = "x".into()),
    ("named tensors", |s| s.named[0].tensors[1] = 7),
    ("named bytes", |s| s.named[0].bytes = 513),
    ("named node", |s| s.named[0].node.operator = "x".into()),
    ("top tensor", |s| s.top[0].tensor = 63),
    ("top bytes", |s| s.top[0].bytes += 1),
    ("top life", |s| s.top[0].life.1 = 2),
    ("top first", |s| s.top[0].life.0 = 0),
    ("top operator", |s| s.top[0].node.operator = "x".into()),
    ("top depth", |s| s.top[0].node.depth = 4),
    ("curve", |s| s.curve[0] = 99),
    ("view", |s| s.view = "step=2".into()),
];

#[test]
fn the_preview_shows_everything_a_link_holds() {
    for lang in [Lang::En, Lang::Zh] {
        let before = preview(&sample(), lang);
        for (what, change) in CHANGES {
            let mut changed = sample();
            change(&mut changed);
            assert_ne!(changed, sample(), "{what} changes nothing");
            assert_ne!(preview(&changed, lang), before, "{what} is not shown");
        }
    }
    // Whoever adds a part adds it above: a summary without a thing is this many bytes.
    let mut empty = Shared::default();
    empty.counts = [0; 11];
    assert_eq!(unpacked(&encode(&empty).unwrap()).len(), 39);
}

#[test]
fn what_is_written_is_read_back() {
    let text = encode(&sample()).unwrap();
    assert_eq!(decode(&text), Ok(sample()));
    // The same version of the program writes the same link, whatever the machine.
    golden(&data().join("golden/link.txt"), &text);
}

#[test]
fn any_text_gives_a_summary_or_says_what_is_wrong() {
    let good = encode(&sample()).unwrap();
    let bytes = unpacked(&good);
    let cases: Vec<(&str, String, Broken)> = vec![
        ("nothing", String::new(), Broken::Damaged),
        ("no base64", "a b".into(), Broken::Damaged),
        ("standard base64", "AQ+/".into(), Broken::Damaged),
        ("padded", "AQ==".into(), Broken::Damaged),
        (
            "markup",
            "<script>alert(1)</script>".into(),
            Broken::Damaged,
        ),
        ("other letters", "参数".into(), Broken::Damaged),
        ("version only", URL_SAFE_NO_PAD.encode([1]), Broken::Damaged),
        ("version 0", packed(0, &bytes), Broken::Damaged),
        ("version 2", packed(2, &bytes), Broken::Newer),
        ("version 255", packed(255, b""), Broken::Newer),
        ("cut", good[..good.len() - 4].into(), Broken::Damaged),
        (
            "a byte more inside",
            packed(1, &[bytes.as_slice(), b"x"].concat()),
            Broken::Damaged,
        ),
        (
            "a byte less inside",
            packed(1, &bytes[..bytes.len() - 1]),
            Broken::Damaged,
        ),
        (
            "a byte more behind",
            URL_SAFE_NO_PAD
                .encode([URL_SAFE_NO_PAD.decode(&good).unwrap().as_slice(), b"x"].concat()),
            Broken::Damaged,
        ),
        ("bomb", packed(1, &vec![0; 1 << 20]), Broken::TooLarge),
        (
            "bomb within 8,000",
            packed(1, &vec![0; 5 << 20]),
            Broken::TooLarge,
        ),
        ("empty inside", packed(1, b""), Broken::Damaged),
        ("too long", "A".repeat(8001), Broken::TooLong),
        // A length of 2^63 with nothing behind it.
        (
            "length",
            packed(1, &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
            Broken::Damaged,
        ),
        // A text that is no UTF-8, as the program's version.
        (
            "not UTF-8",
            packed(
                1,
                &[&[5u8, 0xff, 0xfe, 0xff, 0xff, 0xff], &bytes[6..]].concat(),
            ),
            Broken::Damaged,
        ),
    ];
    for (what, text, expected) in cases {
        assert!(
            text.len() <= 8001 || what == "too long",
            "{what}: {}",
            text.len()
        );
        assert_eq!(decode(&text), Err(expected), "{what}");
    }
    let impossible: &[Change] = &[
        ("more bytes than there are", |s| s.planned_total = u64::MAX),
        ("one more than possible", |s| s.file_bytes = (1 << 60) + 1),
        ("waste", |s| s.waste.0 = i64::MIN),
        ("peak behind the last step", |s| s.peak_step = Some(4)),
        ("no peak", |s| s.peak_step = None),
        ("too many points", |s| s.curve.push(0)),
        ("too few points", |s| s.curve.truncate(3)),
        ("above the peak", |s| s.curve[2] = 701),
        ("below nothing", |s| s.curve[0] = -1),
        ("no life", |s| s.top[0].life = (3, 1)),
        ("too many at the peak", |s| {
            s.top = vec![s.top[0].clone(); 11]
        }),
        ("too many findings", |s| {
            s.findings = vec![("x".into(), 1); 65]
        }),
        ("a finding of three", |s| s.named[0].tensors.push(1)),
    ];
    for (what, change) in impossible {
        let mut s = sample();
        change(&mut s);
        assert_eq!(
            decode(&encode(&s).unwrap()),
            Err(Broken::Impossible),
            "{what}"
        );
    }
    for broken in [
        Broken::TooLong,
        Broken::Damaged,
        Broken::TooLarge,
        Broken::Newer,
        Broken::Impossible,
    ] {
        assert_ne!(broken.text(Lang::En), broken.text(Lang::Zh));
    }
}

#[test]
fn what_a_link_says_acts_nowhere() {
    let mut s = sample();
    let bad = "a\u{1b}[31m\u{202e}\0\n<img src=x onerror=alert(1)>";
    s.top[0].node.operator = bad.into();
    s.program = bad.into();
    s.device = Some(bad.into());
    s.findings[0].0 = bad.into();
    s.view = "step=1&sel=<b>&what=\n".into();
    let got = decode(&encode(&s).unwrap()).unwrap();
    let tame = "a\\u{1b}[31m\\u{202e}\\u{0}\\u{a}<img src=x onerror=alert(1)>";
    for text in [
        &got.top[0].node.operator,
        &got.program,
        &got.findings[0].0,
        got.device.as_ref().unwrap(),
    ] {
        assert_eq!(text, tame);
    }
    assert_eq!(got.view, "step=1");
}

/// Text of Markdown outside its code spans, which all end where they should.
fn outside_code(line: &str) -> String {
    let parts: Vec<&str> = line.split('`').collect();
    assert_eq!(parts.len() % 2, 1, "an open code span: {line}");
    parts.into_iter().step_by(2).collect()
}

#[test]
fn names_in_markdown_stand_in_code_and_stay_there() {
    let bad = "`|\\|x** @someone #1 <script>alert(1)</script> [a](http://b) ]( ~~ $`x`$ :smile:";
    let mut s = sample();
    s.top[0].node = Name {
        operator: bad.into(),
        layer: bad.into(),
        depth: 0,
    };
    s.peak_node = s.top[0].node.clone();
    s.named[0].node = s.top[0].node.clone();
    (s.named[0].kind, s.findings[0].0, s.verdict) = (bad.into(), bad.into(), Some(bad.into()));
    (s.device, s.generation) = (Some(bad.into()), bad.into());
    s.program = bad.into();
    for lang in [Lang::En, Lang::Zh] {
        let text = markdown(&s, "https://host/#s=AQ", lang);
        for line in text.lines() {
            let plain = outside_code(line).replace("](https://host/#s=AQ)", "");
            for sign in ["<", "@", "#1", "**x", "~~", "$", "http", ":smile:", "\\|"] {
                assert!(!plain.contains(sign), "{sign} in {line}");
            }
            if line.starts_with('|') {
                let cells = line.matches('|').count() - 1;
                assert!(cells == 2 || cells == 5, "{cells} cells in {line}");
            }
        }
    }
}

#[test]
fn markdown_says_the_facts() {
    let text = [Lang::En, Lang::Zh].map(|lang| markdown(&sample(), "https://host/#s=AQ", lang));
    golden(&data().join("golden/link.md"), &text.concat());
}

#[test]
fn the_corpus_of_the_fuzzer_is_read_without_harm() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/link");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let mut impossible = sample();
        impossible.curve[0] = -1;
        for (name, text) in [
            ("sample", encode(&sample()).unwrap()),
            ("empty", encode(&Shared::default()).unwrap()),
            ("impossible", encode(&impossible).unwrap()),
            ("bomb", packed(1, &vec![0; 1 << 20])),
            ("newer", packed(2, b"x")),
            ("cut", encode(&sample()).unwrap()[..40].to_owned()),
            ("long", "A".repeat(8001)),
        ] {
            golden(&dir.join(name), &text);
        }
    }
    let corpus = files(&dir);
    let mut outcomes = BTreeSet::new();
    for path in &corpus {
        let text = String::from_utf8_lossy(&raw(path)).into_owned();
        outcomes.insert(format!("{:?}", decode(&text).map(|_| "a summary")));
    }
    // Each way to fail is there, and success.
    assert_eq!(outcomes.len(), 6, "{outcomes:?}");
}

/// The harness of `fuzz/` without its engine, for machines that cannot have it. Counts runs, not
/// seconds: `SHARE_RUNS=1000000 cargo test --release --test native -- --ignored changed_links`.
#[test]
#[ignore = "takes minutes; SHARE_RUNS says how many links are tried"]
#[allow(clippy::print_stdout)]
fn changed_links_do_no_harm() {
    let runs = std::env::var("SHARE_RUNS").map_or(100_000, |n| n.parse::<u64>().unwrap());
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/link");
    let mut inner: Vec<Vec<u8>> = vec![unpacked(&encode(&sample()).unwrap())];
    let mut texts: Vec<Vec<u8>> = files(&dir).iter().map(|p| raw(p)).collect();
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    let mut outcomes = std::collections::BTreeMap::new();
    for run in 0..runs {
        let pool = if run % 2 == 0 { &mut inner } else { &mut texts };
        let mut bytes = pool[next(pool.len())].clone();
        for _ in 0..=next(4) {
            let at = next(bytes.len());
            match next(5) {
                0 => bytes.truncate(at),
                1 => bytes.insert(at.min(bytes.len()), next(256) as u8),
                2 if !bytes.is_empty() => drop(bytes.remove(at)),
                3 if !bytes.is_empty() => bytes[at] ^= 1 << next(8),
                _ if !bytes.is_empty() => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][next(5)],
                _ => {}
            }
        }
        let text = match run % 2 {
            0 => packed(1, &bytes),
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        };
        let read = decode(&text);
        *outcomes
            .entry(format!("{:?}", read.as_ref().map(|_| "a summary")))
            .or_insert(0u64) += 1;
        let Ok(shared) = read else { continue };
        shared.overview();
        shared.columns();
        preview(&shared, Lang::En);
        markdown(&shared, &text, Lang::Zh);
        // What gave a summary is changed further.
        if pool.len() < 500 {
            pool.push(bytes);
        }
    }
    println!("{runs} links: {outcomes:?}");
}

fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9/_.<>&|`\\-]{0,40}"
}

fn name() -> impl Strategy<Value = Name> {
    (word(), word(), 0..9u32).prop_map(|(operator, layer, depth)| Name {
        operator,
        layer,
        depth,
    })
}

prop_compose! {
    fn shared()(
        words in (word(), word(), word(), proptest::option::of(word()), proptest::option::of(word())),
        names in (0..3usize, name()),
        flags in any::<bool>(),
        steps in 0..500u32,
        place in 0..500u32,
        counts in any::<[u32; 11]>(),
        sizes in proptest::array::uniform6(0..(1u64 << 60)),
        options in (proptest::option::of(0..(1u64 << 60)), proptest::option::of(0..(1u64 << 60)), proptest::option::of(0..(1u64 << 60))),
        waste in (-(1i64 << 60)..(1i64 << 60), -(1i64 << 60)..(1i64 << 60)),
        sha256 in proptest::option::of(any::<[u8; 32]>()),
        heights in proptest::collection::vec(0..=1000i16, 200),
        findings in proptest::collection::vec((word(), 0..(1u64 << 60)), 0..20),
        named in proptest::collection::vec((word(), proptest::collection::vec(any::<u64>(), 0..=2), 0..(1u64 << 60), name()), 0..6),
        top in proptest::collection::vec((any::<u64>(), 0..(1u64 << 60), any::<u32>(), name()), 0..=10),
    ) -> Shared {
        let mut before = 0;
        let points = heights.iter().take(steps.min(200) as usize);
        Shared {
            program: words.0,
            names: NameMode::ALL[names.0],
            kind: words.1,
            generation: words.2,
            device: words.3,
            ordered: flags,
            unread_lines: options.0,
            steps,
            counts: counts.map(u64::from),
            file_bytes: sizes[0],
            sha256,
            static_memory: sizes[1],
            total_tensor_size: sizes[2],
            planned_total: sizes[3],
            peak_step: (steps > 0).then(|| place % steps.max(1)),
            peak_alive: sizes[4],
            peak_node: names.1,
            waste,
            max_end: options.1,
            capacity: options.2,
            verdict: words.4,
            findings,
            named: named.into_iter().map(|(kind, tensors, bytes, node)| Named { kind, tensors, bytes, node }).collect(),
            top: top.into_iter().map(|(tensor, bytes, first, node)| Top { tensor, bytes, life: (first, u32::MAX), node }).collect(),
            curve: points.map(|&height| height - std::mem::replace(&mut before, height)).collect(),
            view: if steps > 1 { "step=1".into() } else { String::new() },
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_summary_comes_back(s in shared()) {
        let text = encode(&s).unwrap();
        if text.len() <= 8000 {
            prop_assert_eq!(decode(&text), Ok(s.clone()));
        } else {
            prop_assert_eq!(decode(&text), Err(Broken::TooLong));
        }
        // What is made of it must not overflow either.
        s.overview();
        s.columns();
        preview(&s, Lang::Zh);
        markdown(&s, "x", Lang::En);
    }

    #[test]
    fn no_text_is_too_much(text in "\\PC{0,300}", bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = decode(&text);
        let _ = decode(&URL_SAFE_NO_PAD.encode(&bytes));
        if let Ok(s) = decode(&packed(1, &bytes)) {
            s.overview();
            s.columns();
            preview(&s, Lang::En);
            markdown(&s, "x", Lang::Zh);
        }
    }

    /// A changed byte of a good summary, so that what lies behind the packing is reached.
    #[test]
    fn a_changed_summary_does_no_harm(s in shared(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut bytes = unpacked(&encode(&s).unwrap());
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(s) = decode(&packed(1, &bytes)) {
            s.overview();
            s.columns();
            preview(&s, Lang::En);
            markdown(&s, "x", Lang::Zh);
        }
    }
}

#[test]
fn the_fingerprint_in_hex_is_that_of_other_tools() {
    let mut s = sample();
    let hex = sha256(b"abc");
    let mut hash = [0; 32];
    for (i, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap();
    }
    s.sha256 = Some(hash);
    assert_eq!(s.fingerprint(), Some(hex));
}
