//! Damaged text: no panic, every line accounted for, and no loss without a word.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use crate::plans::{any_plan, Mini};
use crate::properties::{check, Outcome};
use crate::support::{accounted, codes, parse, parse_partial, small_dumps};

/// Lines add up, an error means no plan, and in part mode the lost lines are owned up to.
fn honest(bytes: &[u8]) -> Outcome {
    let parsed = parse(bytes);
    let lines = &parsed.lines;
    prop_assert!(accounted(&parsed), "{lines:?}: {:?}", codes(&parsed));
    prop_assert_eq!(
        parsed.plan.is_some(),
        parsed.diagnostics.errors == 0 && is_dump(&parsed),
        "{:?}",
        codes(&parsed)
    );
    prop_assert!(lines.unread == 0 || parsed.diagnostics.errors > 0);
    prop_assert!(lines.skipped == 0 || parsed.diagnostics.warnings > 0);
    for d in &parsed.diagnostics.list {
        prop_assert!(
            d.line <= lines.total + 1,
            "a place behind the end: {:?}",
            codes(&parsed)
        );
    }
    let partial = parse_partial(bytes);
    prop_assert_eq!(partial.diagnostics.errors, parsed.diagnostics.errors);
    if let Some(plan) = &partial.plan {
        let unread = plan.incomplete.as_ref().map(|i| i.unread_lines);
        prop_assert!(
            parsed.diagnostics.errors == 0 || unread == Some(partial.lines.unread),
            "incomplete says {unread:?} of {} unread lines: {:?}",
            partial.lines.unread,
            codes(&parsed)
        );
        let liveness = somascope::analysis::liveness(plan);
        prop_assert!(liveness.alive.len() == liveness.total.len());
    }
    Ok(())
}

fn is_dump(parsed: &somascope::parse::Parsed) -> bool {
    parsed.kind == somascope::parse::FileKind::MainDump
}

/// Numbers of rows that a reader cannot do without.
fn rows(plan: &somascope::model::Plan) -> (u32, u32, u32, u32) {
    (
        plan.parameters.ids.len(),
        plan.n_tensors(),
        plan.n_nodes(),
        plan.control_tensors,
    )
}

/// Damaged text without a complaint must still hold every row.
fn nothing_lost(original: &str, damaged: &[u8]) -> Outcome {
    honest(damaged)?;
    let parsed = parse(damaged);
    if let Some(plan) = parsed
        .plan
        .filter(|_| parsed.diagnostics.errors + parsed.diagnostics.warnings == 0)
    {
        let whole = parse(original.as_bytes()).plan.unwrap();
        prop_assert_eq!(
            rows(&whole),
            rows(&plan),
            "rows were lost or made up without a word"
        );
    }
    Ok(())
}

#[test]
fn a_cut_anywhere_is_noticed() {
    check(60, any_plan(), Mini::text, |plan| {
        let text = plan.text();
        // The last line of the file may lack its line end; a shorter total is a warning.
        for cut in 0..text.trim_end().len() {
            nothing_lost(&text, &text.as_bytes()[..cut])
                .map_err(|e| TestCaseError::fail(format!("cut at {cut}: {e}")))?;
            // Where a variant ends in a section that must be there, even a cut between rows shows.
            let parsed = parse(&text.as_bytes()[..cut]);
            prop_assert!(
                !plan.style.is_c()
                    || parsed.diagnostics.errors + parsed.diagnostics.warnings > 0
                    || cut == 0,
                "cut at {cut} of {}: no complaint",
                text.len()
            );
        }
        Ok(())
    });
}

#[test]
fn a_lost_row_is_noticed() {
    check(
        150,
        (any_plan(), any::<u32>()),
        |(plan, pick)| without(plan, *pick).unwrap_or_default(),
        |(plan, pick)| match without(plan, *pick) {
            Some(damaged) => nothing_lost(&plan.text(), damaged.as_bytes()),
            None => Ok(()),
        },
    );
}

/// The text without one row of tensors that a node lists, or of nodes that own tensors, or of
/// parameters that a node reads.
fn without(plan: &Mini, pick: u32) -> Option<String> {
    let mut sections = plan.sections();
    let nodes = sections
        .iter()
        .find(|s| s.header == "All Nodes:")
        .unwrap()
        .rows
        .join("\n");
    let mut needed = Vec::new();
    for (s, section) in sections.iter().enumerate() {
        for (r, row) in section.rows.iter().enumerate() {
            let id = row.split('\t').next().unwrap();
            let needed_row = match section.header {
                "All Parameters:" => nodes.contains(&format!("{id}, ")),
                "All Tensors:" => {
                    !row.contains("\tControl\t") && nodes.contains(&format!("{id}, "))
                }
                "All Nodes:" => !row.contains("outputs[]\tworkspace[]"),
                _ => false,
            };
            if needed_row {
                needed.push((s, r));
            }
        }
    }
    let &(s, r) = needed.get(pick as usize % needed.len().max(1))?;
    sections[s].rows.remove(r);
    Some(plan.text_of(&sections))
}

/// One blow: place, kind, byte.
type Blow = (u32, u8, u8);

fn strike(text: &[u8], blows: &[Blow]) -> Vec<u8> {
    let mut out = text.to_vec();
    for &(place, kind, byte) in blows {
        let at = place as usize % (out.len() + 1);
        let likely = b"\n\t%$#&ST[],0123456789 \r\xff\x00:PC";
        let byte = if byte < 200 {
            likely[usize::from(byte) % likely.len()]
        } else {
            byte
        };
        match kind % 5 {
            0 if at < out.len() => {
                out.remove(at);
            }
            1 => out.insert(at, byte),
            2 if at < out.len() => out[at] = byte,
            3 => {
                let end = (at + usize::from(byte)).min(out.len());
                out.drain(at..end);
            }
            4 => {
                let end = (at + usize::from(byte)).min(out.len());
                let piece = out[at..end].to_vec();
                out.splice(end..end, piece);
            }
            _ => {}
        }
    }
    out
}

fn blows(most: usize) -> impl Strategy<Value = Vec<Blow>> {
    prop::collection::vec((any::<u32>(), any::<u8>(), any::<u8>()), 1..most)
}

#[test]
fn one_wrong_byte_never_loses_a_row_in_silence() {
    let byte = (any_plan(), any::<u32>(), 0u8..3, any::<u8>());
    let struck = |plan: &Mini, place: u32, kind: u8, byte: u8| {
        strike(plan.text().as_bytes(), &[(place, kind, byte)])
    };
    check(
        1500,
        byte,
        |(plan, place, kind, byte)| {
            String::from_utf8_lossy(&struck(plan, *place, *kind, *byte))
                .escape_debug()
                .to_string()
                .replace("\\n", "\n")
        },
        |(plan, place, kind, byte)| nothing_lost(&plan.text(), &struck(plan, *place, *kind, *byte)),
    );
}

#[test]
fn any_damage_is_survived_and_accounted_for() {
    let show = |(plan, blows): &(Mini, Vec<Blow>)| {
        format!(
            "{:?}",
            String::from_utf8_lossy(&strike(plan.text().as_bytes(), blows))
        )
    };
    check(1000, (any_plan(), blows(8)), show, |(plan, blows)| {
        honest(&strike(plan.text().as_bytes(), blows))
    });
}

#[test]
fn damaged_fixtures_are_survived_and_accounted_for() {
    let fixtures: Vec<Vec<u8>> = small_dumps()
        .into_iter()
        .map(|(_, bytes)| bytes)
        .filter(|b| b.len() < 20_000)
        .collect();
    let struck = |(pick, blows): &(u16, Vec<Blow>)| {
        strike(&fixtures[usize::from(*pick) % fixtures.len()], blows)
    };
    check(
        600,
        (any::<u16>(), blows(5)),
        |case| format!("{:?}", String::from_utf8_lossy(&struck(case))),
        |case| honest(&struck(case)),
    );
}

#[test]
fn bytes_that_are_no_text_are_survived() {
    let noise = prop::collection::vec(any::<u8>(), 0..400);
    check(
        300,
        (noise, any::<bool>()),
        |(n, _)| format!("{n:?}"),
        |(noise, dump)| {
            let mut bytes = if *dump {
                b"All Parameters:\n\n".to_vec()
            } else {
                vec![]
            };
            bytes.extend(noise);
            honest(&bytes)
        },
    );
}
