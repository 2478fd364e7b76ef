//! Random valid plans: the product against the oracle, and laws that changes of form obey.
//!
//! Runs are repeatable. `PROPTEST_CASES=5000 cargo test --test native properties` looks longer;
//! a failure prints the smallest dump that shows it.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use somascope::analysis;
use somascope::parse::Parsed;

use crate::expected::differences;
use crate::oracle::{portrait::portrait, Oracle};
use crate::plans::{any_plan, mini::Style, Mini, Section};
use crate::support::{
    self, accounted, codes, difference, gz, json_of, parse, parse_chunks, scratch_file,
};

pub type Outcome = Result<(), TestCaseError>;

/// Runs a property over a strategy; on failure prints the smallest case as `show` gives it.
pub fn check<S: Strategy>(
    cases: u32,
    strategy: S,
    show: impl Fn(&S::Value) -> String,
    test: impl Fn(&S::Value) -> Outcome,
) {
    let cases = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(cases);
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 4000,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    match TestRunner::new_with_rng(config, rng).run(&strategy, |value| test(&value)) {
        Ok(()) => {}
        Err(TestError::Fail(reason, value)) => {
            panic!("{reason}\n--- the smallest case:\n{}", show(&value))
        }
        Err(other) => panic!("{other}"),
    }
}

fn text(plan: &Mini) -> String {
    plan.text()
}

fn fail(report: String) -> TestCaseError {
    TestCaseError::fail(report)
}

/// The plan's portrait, if the text is read without a word of complaint.
fn quiet_portrait(parsed: &Parsed) -> Result<String, TestCaseError> {
    match &parsed.plan {
        Some(plan) if parsed.diagnostics.errors + parsed.diagnostics.warnings == 0 => {
            Ok(support::portrait(plan))
        }
        plan => Err(fail(format!(
            "plan: {}, complaints: {:?}",
            plan.is_some(),
            codes(parsed)
        ))),
    }
}

/// The generator is held to its word before anything is measured with it.
#[test]
fn generated_plans_are_valid() {
    check(300, any_plan(), text, |plan| {
        let oracle = Oracle::of(&plan.text());
        prop_assert_eq!(oracle.collisions(), vec![]);
        let summary = oracle.summary();
        prop_assert_eq!(&summary["planned_total"], plan.total);
        prop_assert_eq!(&summary["kind"], "plan");
        prop_assert_eq!(&summary["max_end"], plan.total);
        let shifted = oracle
            .shifted
            .iter()
            .filter(|&&t| oracle.dump.tensors[&t].aligned > 0)
            .count();
        prop_assert_eq!(
            shifted,
            if plan.style.shifts() {
                oracle.dump.contiguous.len()
            } else {
                0
            }
        );
        Ok(())
    });
}

#[test]
fn the_product_reads_what_the_oracle_reads() {
    check(400, any_plan(), text, |plan| {
        let text = plan.text();
        let parsed = parse(text.as_bytes());
        let found = quiet_portrait(&parsed)?;
        let oracle = Oracle::of(&text);
        prop_assert_eq!(difference(&portrait(&oracle), &found), None, "portrait");
        let product = parsed.plan.as_ref().unwrap();
        let liveness = analysis::liveness(product);
        prop_assert_eq!(&liveness.alive, &oracle.alive(), "alive");
        prop_assert_eq!(&liveness.total, &oracle.total(), "total");
        prop_assert!(accounted(&parsed), "{:?}", parsed.lines);
        prop_assert_eq!((parsed.lines.unread, parsed.lines.skipped), (0, 0));
        Ok(())
    });
}

#[test]
fn the_numbers_are_those_of_the_definitions() {
    check(150, any_plan(), text, |plan| {
        let text = plan.text();
        let path = scratch_file("dump.ir", text.as_bytes());
        let found = json_of(&path, &[]);
        let mut wrong = Vec::new();
        differences("summary", &Oracle::of(&text).summary(), &found, &mut wrong);
        prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        Ok(())
    });
}

/// What the text of a generated plan must give away: names and control lines decide C.
fn generation_shows(plan: &Mini) -> bool {
    match plan.style {
        Style::B2 => !plan.events.is_empty(),
        Style::A | Style::B1 | Style::C3Cpu => true,
        _ => !plan.controls.is_empty(),
    }
}

/// A tensor on its own for which the two roundings differ tells Ascend from the rest.
fn device_shows(plan: &Mini) -> bool {
    let in_lists = |t: u64| {
        plan.unions
            .iter()
            .chain(&plan.contiguous)
            .any(|l| l.contains(&t))
    };
    !plan.style.is_c()
        || plan.tensors.iter().any(|t| {
            let n = t.original.max(1);
            t.aligned > 0 && !in_lists(t.id) && (n + 543) / 512 != n.div_ceil(512)
        })
}

#[test]
fn generation_and_device_show_in_the_text() {
    check(300, any_plan(), text, |plan| {
        let parsed = parse(plan.text().as_bytes());
        let product = parsed.plan.ok_or_else(|| fail("no plan".into()))?;
        if generation_shows(plan) && !(plan.nodes.is_empty() && plan.style.is_c()) {
            prop_assert_eq!(product.generation.word(), plan.style.word());
        }
        if device_shows(plan)
            && (plan.style == Style::C3Cpu || !plan.controls.is_empty() || !plan.style.is_c())
        {
            prop_assert_eq!(product.device.map(|d| d.word()), Some(plan.style.device()));
        }
        Ok(())
    });
}

/// A repeatable shuffle.
fn shuffle<T>(list: &mut [T], mut seed: u64) {
    for i in (1..list.len()).rev() {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        list.swap(i, (seed >> 33) as usize % (i + 1));
    }
}

/// Two texts must give the same plan and the same curves.
fn same_plan(original: &str, changed: &[u8]) -> Outcome {
    let (a, b) = (parse(original.as_bytes()), parse(changed));
    prop_assert_eq!(difference(&quiet_portrait(&a)?, &quiet_portrait(&b)?), None);
    let (a, b) = (
        analysis::liveness(&a.plan.unwrap()),
        analysis::liveness(&b.plan.unwrap()),
    );
    prop_assert_eq!(a.alive, b.alive);
    prop_assert_eq!(a.total, b.total);
    Ok(())
}

/// A law: a change of the sections that must not show.
fn law(cases: u32, change: impl Fn(&mut Vec<Section>, u64)) {
    let changed = |plan: &Mini, seed: u64| {
        let mut sections = plan.sections();
        change(&mut sections, seed);
        plan.text_of(&sections)
    };
    check(
        cases,
        (any_plan(), any::<u64>()),
        |(plan, seed)| format!("{}\n--- changed to:\n{}", plan.text(), changed(plan, *seed)),
        |(plan, seed)| same_plan(&plan.text(), changed(plan, *seed).as_bytes()),
    );
}

fn section<'a>(sections: &'a mut [Section], header: &str) -> Option<&'a mut Section> {
    sections.iter_mut().find(|s| s.header == header)
}

#[test]
fn the_order_of_rows_does_not_matter() {
    for header in ["All Parameters:", "All Tensors:", "All Nodes:"] {
        law(80, |sections, seed| {
            if let Some(section) = section(sections, header) {
                shuffle(&mut section.rows, seed);
            }
        });
    }
}

#[test]
fn the_order_of_columns_does_not_matter_nor_does_an_unknown_one() {
    law(120, |sections, seed| {
        let tensors = section(sections, "All Tensors:").unwrap();
        // An empty name at the end of a row is hard to tell from a lost field.
        if tensors.rows.iter().any(|r| r.ends_with('\t')) {
            return;
        }
        let mut order: Vec<usize> = (0..tensors.titles.len()).collect();
        shuffle(&mut order[1..], seed);
        let pick = |cells: Vec<&str>| {
            order
                .iter()
                .map(|&i| cells[i].to_string())
                .collect::<Vec<_>>()
                .join("\t")
        };
        for row in &mut tensors.rows {
            *row = format!("{}\tnew", pick(row.split('\t').collect()));
        }
        let titles = tensors.titles.clone();
        tensors.titles = order
            .iter()
            .map(|&i| titles[i])
            .chain(["a column of a later release:"])
            .collect();
    });
}

#[test]
fn titles_may_lack_their_colon() {
    law(60, |sections, _| {
        for section in sections {
            section
                .titles
                .iter_mut()
                .for_each(|t| *t = t.trim_end_matches(':'));
        }
    });
}

#[test]
fn sections_may_stand_in_another_order() {
    law(120, |sections, seed| shuffle(&mut sections[1..], seed));
}

/// Ways to write the same text.
fn other_forms(text: &str, style: Style) -> Vec<(&'static str, Vec<u8>)> {
    let bare = text.trim_end_matches('\n');
    let copy = if style.is_c() { bare } else { text };
    vec![
        ("CRLF", text.replace('\n', "\r\n").into_bytes()),
        ("byte order mark", format!("\u{feff}{text}").into_bytes()),
        ("no final newline", bare.as_bytes().to_vec()),
        (
            "blank lines at the end",
            format!("{text}\n\n\r\n \n").into_bytes(),
        ),
        (
            "blank lines between sections",
            text.replace("\n\n", "\n\n\n\n").into_bytes(),
        ),
        (
            "blank lines at the start",
            format!("\n\n{text}").into_bytes(),
        ),
        (
            "lists without their last comma",
            text.replace(", ]", "]").into_bytes(),
        ),
        (
            "lists that end in a comma",
            text.replace(", ]", ",]").into_bytes(),
        ),
        (
            "blanks and tabs at line ends",
            text.replace("]\n", "] \t \n").into_bytes(),
        ),
        ("two copies", format!("{copy}{copy}").into_bytes()),
        (
            "two copies with a newline",
            format!("{text}{text}").into_bytes(),
        ),
        ("three copies", format!("{copy}{copy}{copy}").into_bytes()),
    ]
}

#[test]
fn other_forms_of_the_text_give_the_same_plan() {
    check(120, any_plan(), text, |plan| {
        let text = plan.text();
        for (form, changed) in other_forms(&text, plan.style) {
            // These two rewrite names that hold a list.
            if form.starts_with("lists") && text.contains("odd, name") {
                continue;
            }
            same_plan(&text, &changed).map_err(|e| fail(format!("{form}: {e}")))?;
        }
        Ok(())
    });
}

#[test]
fn the_last_copy_counts() {
    let two = any_plan().prop_flat_map(|new| (crate::plans::spec_of(new.style), Just(new)));
    check(
        80,
        two,
        |(_, new)| new.text(),
        |(old, new)| {
            let old = crate::plans::build(old).text();
            let text = format!(
                "{}{}",
                if new.style.is_c() {
                    old.trim_end()
                } else {
                    &old
                },
                new.text()
            );
            let parsed = parse(text.as_bytes());
            let plan = parsed
                .plan
                .as_ref()
                .ok_or_else(|| fail(format!("no plan: {:?}", codes(&parsed))))?;
            let alone = parse(new.text().as_bytes()).plan.unwrap();
            // Reference sections may be missing in the later copy of B: then the earlier ones stand.
            let lacks = new.style.is_b() && new.unions.is_empty();
            if !lacks {
                prop_assert_eq!(
                    difference(&support::portrait(&alone), &support::portrait(plan)),
                    None
                );
            }
            Ok(())
        },
    );
}

#[test]
fn chunks_of_any_size_give_the_same_plan() {
    let cuts = (any_plan(), prop::collection::vec(any::<u32>(), 0..12));
    check(
        150,
        cuts,
        |(plan, _)| plan.text(),
        |(plan, cuts)| {
            let text = plan.text();
            let whole = quiet_portrait(&parse(text.as_bytes()))?;
            let mut random: Vec<usize> = cuts
                .iter()
                .map(|&c| c as usize % (text.len() + 1))
                .collect();
            random.sort_unstable();
            let bytes: Vec<usize> = (0..text.len()).collect();
            for cuts in [random, bytes] {
                let parsed = parse_chunks(text.as_bytes(), &cuts, false);
                prop_assert_eq!(difference(&whole, &quiet_portrait(&parsed)?), None);
            }
            Ok(())
        },
    );
}

#[test]
fn a_packed_file_gives_the_same_numbers() {
    check(25, any_plan(), text, |plan| {
        let text = plan.text();
        let plain = scratch_file("dump.ir", text.as_bytes());
        let packed = scratch_file("dump.ir", &gz(text.as_bytes()));
        let (mut a, mut b) = (json_of(&plain, &[]), json_of(&packed, &[]));
        for summary in [&mut a, &mut b] {
            summary.as_object_mut().unwrap().remove("file");
        }
        prop_assert_eq!(a, b);
        Ok(())
    });
}
