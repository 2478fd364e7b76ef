//! Whether a link comes back as it was, and any other text does no harm.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use proptest::prelude::*;
use somascope::engine::share::{
    decode, encode, markdown, preview, Broken, Name, NameMode, Named, Shared, Top,
};
use somascope::report::text::Lang;

use super::{golden, packed, sample, unpacked, Change};
use crate::support::{data, files, raw};

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
        // As the target does: the bytes as the text itself, and as what lies in it.
        let bytes = raw(path);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for text in [text, packed(1, &bytes)] {
            let read = decode(&text);
            outcomes.insert(format!("{:?}", read.as_ref().map(|_| "a summary")));
            let Ok(shared) = read else { continue };
            shared.overview();
            shared.columns();
            preview(&shared, Lang::En);
            markdown(&shared, &text, Lang::Zh);
            let again = encode(&shared).unwrap();
            if again.len() <= text.len() {
                assert_eq!(decode(&again), Ok(shared), "{}", path.display());
            }
        }
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
    let mut outcomes = BTreeMap::new();
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
