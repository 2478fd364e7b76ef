//! Whether the preview shows all of a link, and Markdown keeps names where they do no harm.

use somascope::engine::share::{encode, markdown, preview, Name, NameMode, Shared};
use somascope::report::text::Lang;

use super::{golden, sample, unpacked, Change};
use crate::support::{data, sha256};

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
    let empty = Shared::default();
    assert_eq!(unpacked(&encode(&empty).unwrap()).len(), 39);
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
