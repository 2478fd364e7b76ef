//! Groups: their sums are those of the definitions, and the root is the curve.

use std::collections::BTreeMap;

use proptest::prelude::*;
use somascope::analysis;
use somascope::engine::explore::{Group, GroupBy, GroupRequest, Groups, Narrow};
use somascope::engine::{Request, Response};
use somascope::report::names::display;

use super::{cases, operator, Case};
use crate::plans::{any_plan, Mini};
use crate::properties::{check, Outcome};

fn groups(case: &mut Case, step: u64, by: GroupBy, narrow: Narrow) -> Groups {
    let request = GroupRequest {
        graph: case.graph,
        step: step as u32,
        by,
        narrow,
    };
    match case.ask(&Request::Groups(request)) {
        Response::Groups(groups) => groups,
        other => panic!("{}: {other:?}", case.name),
    }
}

/// Bytes, waste, pieces.
type Sum = (u64, i64, u32);

fn add(sum: &mut Sum, (bytes, waste, pieces): Sum) {
    *sum = (sum.0 + bytes, sum.1 + waste, sum.2 + pieces);
}

fn sum_of(group: &Group) -> Sum {
    (group.bytes, group.waste, group.pieces)
}

/// The piece that a group of tensors is at a step: the tensor that stands for it and its sum.
fn piece(case: &Case, members: &[u64], step: u64) -> Option<(u64, Sum)> {
    let oracle = &case.oracle;
    let tensor = |t: u64| &oracle.dump.tensors[&t];
    if !members.iter().any(|&t| oracle.lives_at(t, step)) {
        return None;
    }
    let best = |&&t: &&u64| {
        (
            tensor(t).aligned,
            oracle.lives_at(t, step),
            std::cmp::Reverse(t),
        )
    };
    let stands = *members.iter().max_by_key(best).unwrap();
    let original = members.iter().map(|&t| tensor(t).original).max().unwrap();
    let aligned = tensor(stands).aligned;
    let waste = aligned as i64 - original as i64;
    (aligned > 0).then_some((stands, (aligned, waste, 1)))
}

fn layer(name: &str) -> String {
    match name.rsplit_once('/') {
        Some((scope, _)) if !scope.is_empty() => scope.into(),
        _ => operator(name).0,
    }
}

/// What lies directly at each path.
fn direct(case: &Case, step: u64, by: GroupBy) -> BTreeMap<String, Sum> {
    let mut out: BTreeMap<String, Sum> = BTreeMap::new();
    for members in case.oracle.pieces() {
        let Some((t, sum)) = piece(case, &members, step) else {
            continue;
        };
        let name = case.source_name(t);
        let path = match by {
            GroupBy::Layer => name.map(layer).unwrap_or_default(),
            GroupBy::Operator => name.map(|n| operator(n).0).unwrap_or_default(),
            GroupBy::TensorType => case.oracle.dump.tensors[&t].kind.clone(),
        };
        add(out.entry(path).or_default(), sum);
    }
    out
}

fn direct_parameters(case: &Case, by: GroupBy) -> BTreeMap<String, Sum> {
    let mut out: BTreeMap<String, Sum> = BTreeMap::new();
    for (size, name, _) in case.oracle.dump.params.values() {
        let path = match name.rfind(['/', '.']) {
            _ if by != GroupBy::Layer => "",
            Some(at) if at > 0 => &name[..at],
            _ => name,
        };
        add(out.entry(path.into()).or_default(), (*size, 0, 1));
    }
    out
}

/// Everything at a path or below it.
fn below(direct: &BTreeMap<String, Sum>, path: &str, signs: &[char]) -> Sum {
    let mut out = (0, 0, 0);
    for (other, sum) in direct {
        let inside = other
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || path.is_empty() || rest.starts_with(signs));
        if inside {
            add(&mut out, *sum);
        }
    }
    out
}

/// The tree has the groups of the definitions, with their sums, in order.
fn same_tree(what: &str, tree: &[Group], direct: &BTreeMap<String, Sum>, signs: &[char]) {
    assert_eq!(
        (tree[0].parent, tree[0].name.as_str(), tree[0].path.as_str()),
        (None, "", ""),
        "{what}"
    );
    let mut paths = std::collections::BTreeSet::new();
    for path in direct.keys() {
        let cuts = path.match_indices(signs).map(|(at, _)| at);
        paths.extend(cuts.chain([path.len()]).map(|at| path[..at].to_string()));
    }
    paths.insert(String::new());
    // Of every path there is a group, unless the tree is so wide that some were gathered.
    let gathered = tree.iter().any(|g| g.name == "…");
    let found: Vec<&Group> = tree.iter().filter(|g| g.name != "…").collect();
    if !gathered {
        let mut shown: Vec<String> = found.iter().map(|g| g.path.clone()).collect();
        shown.sort();
        let mut expected: Vec<String> = paths.iter().map(|p| display(p.as_bytes())).collect();
        expected.sort();
        assert_eq!(shown, expected, "{what}");
    }
    for path in &paths {
        let shown = display(path.as_bytes());
        let Some(group) = found.iter().find(|g| g.path == shown) else {
            continue;
        };
        assert_eq!(
            sum_of(group),
            below(direct, path, signs),
            "{what}: {path:?}"
        );
        let name = path.rsplit(signs).next().unwrap();
        assert_eq!(group.name, display(name.as_bytes()), "{what}");
    }
    for (i, group) in tree.iter().enumerate() {
        let children: Vec<&Group> = tree.iter().filter(|g| g.parent == Some(i as u32)).collect();
        let mut left = direct.get(&group.path).copied().unwrap_or_default();
        for child in &children {
            add(&mut left, sum_of(child));
        }
        if group.name != "…" && display(group.path.as_bytes()) == group.path {
            assert_eq!(sum_of(group), left, "{what}: children of {:?}", group.path);
        }
        let named = children.iter().filter(|g| g.name != "…");
        let bytes: Vec<u64> = named.map(|g| g.bytes).collect();
        assert!(bytes.windows(2).all(|w| w[0] >= w[1]), "{what}: {bytes:?}");
        assert!(group.parent.is_none_or(|p| (p as usize) < i), "{what}");
        assert!(children.len() <= 401, "{what}");
    }
}

fn same_groups(case: &mut Case, step: u64) {
    let alive = case.oracle.alive()[step as usize];
    let fixed: u64 = case.oracle.dump.params.values().map(|p| p.0).sum();
    for by in [GroupBy::Layer, GroupBy::Operator, GroupBy::TensorType] {
        let what = format!("{}: {by:?} at {step}", case.name);
        let found = groups(case, step, by, Narrow::default());
        assert_eq!(found.alive[0].bytes, alive, "{what}");
        assert_eq!(found.parameters[0].bytes, fixed, "{what}");
        let signs: &[char] = if by == GroupBy::Layer { &['/'] } else { &[] };
        same_tree(&what, &found.alive, &direct(case, step, by), signs);
        let parameters = direct_parameters(case, by);
        same_tree(&what, &found.parameters, &parameters, &['/', '.']);
        let mut names = case.oracle.dump.nodes.values().map(|n| &n.name);
        let short = names.all(|n| n.rfind('/').is_none_or(|at| at == 0));
        assert_eq!(found.short_names, short, "{what}");
        same_narrowed(case, step, by, &found);
    }
}

/// Narrowed to a group, the root is that group.
fn same_narrowed(case: &mut Case, step: u64, by: GroupBy, all: &Groups) {
    for group in all.alive.iter().filter(|g| g.name != "…").take(12) {
        let path = (!group.path.is_empty()).then(|| group.path.clone());
        let narrow = match by {
            GroupBy::Layer => Narrow {
                layer: path,
                ..Narrow::default()
            },
            GroupBy::Operator => Narrow {
                operator: path,
                ..Narrow::default()
            },
            GroupBy::TensorType => Narrow {
                tensor_type: path,
                ..Narrow::default()
            },
        };
        let what = format!("{}: {narrow:?} at {step}", case.name);
        for by in [GroupBy::Layer, GroupBy::Operator, GroupBy::TensorType] {
            let found = groups(case, step, by, narrow.clone());
            assert_eq!(sum_of(&found.alive[0]), sum_of(group), "{what}: {by:?}");
        }
    }
    for group in all.parameters.iter().filter(|g| g.name != "…").take(12) {
        let layer = (!group.path.is_empty()).then(|| group.path.clone());
        let narrow = Narrow {
            layer,
            ..Narrow::default()
        };
        let found = groups(case, step, by, narrow.clone());
        assert_eq!(
            sum_of(&found.parameters[0]),
            sum_of(group),
            "{}: {narrow:?}",
            case.name
        );
    }
}

#[test]
fn groups_of_fixtures() {
    for mut case in cases() {
        let alive = case.oracle.alive();
        let Some(peak) = (0..alive.len()).rev().max_by_key(|&s| alive[s]) else {
            continue;
        };
        for step in [peak, alive.len() - 1, 0] {
            same_groups(&mut case, step as u64);
        }
        let found = groups(&mut case, peak as u64, GroupBy::Operator, Narrow::default());
        let facts = analysis::facts(case.plan(), &analysis::liveness(case.plan()));
        assert_eq!(found.alive[0].waste, facts.waste_at_peak, "{}", case.name);
        let behind = Request::Groups(GroupRequest {
            graph: case.graph,
            step: alive.len() as u32,
            ..GroupRequest::default()
        });
        assert!(
            matches!(case.ask(&behind), Response::Nothing),
            "{}",
            case.name
        );
    }
}

#[test]
fn groups_of_random_plans() {
    let show = |(plan, _): &(Mini, u64)| plan.text();
    check(
        80,
        (any_plan(), 0u64..14),
        show,
        |(plan, step)| -> Outcome {
            let mut case = Case::new("plan", &plan.text());
            if case.oracle.steps == 0 {
                return Ok(());
            }
            let step = step % case.oracle.steps;
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                same_groups(&mut case, step)
            }));
            prop_assert!(outcome.is_ok(), "see above");
            Ok(())
        },
    );
}
