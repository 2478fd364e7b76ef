//! Which rows a filter text and a narrowing leave, as sets of rows.

use super::cells;
use super::Kept;
use crate::analysis::{self, names as parts};
use crate::engine::explore::{Narrow, TableName};
use crate::model::{Ids, IndexSet, Plan};
use crate::report::names;

/// The rows whose id, name, type or lifelong word contains a text; `within` holds all of them, and
/// more.
pub fn containing(
    plan: &Plan,
    table: TableName,
    filter: &str,
    within: Option<&IndexSet>,
) -> IndexSet {
    let needle = filter.as_bytes();
    let len = cells::len(plan, table);
    let ids = match table {
        TableName::Nodes => &plan.nodes.ids,
        TableName::Parameters => &plan.parameters.ids,
        _ => &plan.tensors.ids,
    };
    let search = IdSearch::new(needle, table);
    let holds = |word: &str| contains(word.as_bytes(), needle);
    let (words, of_tensor) = cells::lifelong_words(plan);
    let types: Vec<bool> = cells::type_words(plan).map(holds).collect();
    let lives: Vec<bool> = words.iter().map(|w| holds(w)).collect();
    let has_words = !matches!(table, TableName::Nodes | TableName::Parameters)
        && (types.contains(&true) || lives.contains(&true));
    let worded = |t: u32| {
        has_words
            && (types.get(usize::from(plan.tensors.kind_at(t).0)) == Some(&true)
                || lives.get(of_tensor(t)) == Some(&true))
    };
    if let Some(within) = within.filter(|set| is_few(set, len)) {
        let name = |row: u32| match table {
            TableName::Nodes => plan.node_name(row),
            TableName::Parameters => cells::parameter_name(plan, row),
            _ => (plan.tensors.source_of(row)).map_or(&[][..], |n| plan.node_name(n)),
        };
        let fits =
            |row: &u32| search.finds(ids.id(*row)) || contains(name(*row), needle) || worded(*row);
        return IndexSet::of(len, within.iter().filter(fits));
    }
    let mut found = search.all(ids);
    let in_name = analysis::names_containing(&plan.names, needle);
    if !in_name.is_empty() {
        let rows = match table {
            TableName::Parameters => len,
            _ => plan.n_nodes(),
        };
        for first in (0..rows).step_by(BLOCK as usize) {
            add_named(
                plan,
                table,
                &in_name,
                first..(first + BLOCK).min(rows),
                &mut found,
            );
        }
    }
    if has_words {
        (0..len)
            .filter(|&t| worded(t))
            .for_each(|t| found.insert(t));
    }
    found
}

/// Rows looked at by one call. A browser begins with code that is made quickly, and goes over to
/// fast code from one call to the next only: a loop over all rows would run slowly to its end.
const BLOCK: u32 = 8192;

/// Adds the rows of a table whose name is among those found; `rows` are nodes or parameters.
#[inline(never)]
fn add_named(
    plan: &Plan,
    table: TableName,
    in_name: &IndexSet,
    rows: std::ops::Range<u32>,
    found: &mut IndexSet,
) {
    let names = match table {
        TableName::Parameters => &plan.parameters.name,
        _ => &plan.nodes.name,
    };
    for row in rows {
        let name = names.get(row as usize);
        if !name.is_some_and(|name| in_name.contains(name.0)) {
            continue;
        }
        if matches!(table, TableName::Nodes | TableName::Parameters) {
            found.insert(row);
            continue;
        }
        for list in [&plan.nodes.outputs, &plan.nodes.workspaces] {
            for &t in list.get(row) {
                if plan.tensors.source.get(t as usize) == Some(&row) {
                    found.insert(t);
                }
            }
        }
    }
}

/// Whether looking at each row of a set costs less than looking at all of a table.
pub fn is_few(set: &IndexSet, len: u32) -> bool {
    set.len() < len / 16
}

/// Whether a short text holds another, ASCII letters of either case.
pub fn contains(text: &[u8], needle: &[u8]) -> bool {
    needle.is_empty()
        || text
            .windows(needle.len())
            .any(|part| part.eq_ignore_ascii_case(needle))
}

/// Looks for a text in ids as the dump writes them, without writing a million of them.
enum IdSearch {
    /// The text holds what no id holds.
    Never,
    /// The text is the sign in front, the letter behind, or nothing: in every id.
    Always,
    /// Some digits, at the front of the number, at its end, both, or anywhere.
    Digits {
        digits: Vec<u8>,
        front: bool,
        end: bool,
    },
}

impl IdSearch {
    fn new(needle: &[u8], table: TableName) -> Self {
        let (sign, letter) = match table {
            TableName::Nodes => (b'$', None),
            TableName::Parameters => (b'%', Some(b'P')),
            _ => (b'%', Some(b'T')),
        };
        let (front, rest) = match needle.split_first() {
            Some((first, rest)) if *first == sign => (true, rest),
            _ => (false, needle),
        };
        let (end, digits) = match rest.split_last() {
            Some((last, rest)) if Some(last.to_ascii_uppercase()) == letter => (true, rest),
            _ => (false, rest),
        };
        if !digits.iter().all(u8::is_ascii_digit) {
            return Self::Never;
        }
        match (digits.is_empty(), front && end) {
            // A sign and a letter have at least one digit between them.
            (true, true) => Self::Never,
            (true, false) => Self::Always,
            _ => Self::Digits {
                digits: digits.to_vec(),
                front,
                end,
            },
        }
    }

    /// Which of the ids hold the text, as places.
    fn all(&self, ids: &Ids) -> IndexSet {
        let (digits, front, end) = match self {
            Self::Never => return IndexSet::with_room(ids.len()),
            Self::Always => {
                let mut all = IndexSet::with_room(ids.len());
                all.insert_all(0, ids.len());
                return all;
            }
            Self::Digits { digits, front, end } => (digits, *front, *end),
        };
        let mut found = IndexSet::with_room(ids.len());
        if !ids.is_dense() {
            (0..ids.len())
                .filter(|&i| self.finds(ids.id(i)))
                .for_each(|i| found.insert(i));
            return found;
        }
        // No id has more than ten digits.
        let Some(power) = 10u64.checked_pow(digits.len() as u32) else {
            return found;
        };
        let number = digits.iter().fold(0, |n, b| n * 10 + u64::from(b - b'0'));
        // An id that is cut after the digits ends with them, and is as long as they are.
        let least = if power == 10 { 0 } else { power / 10 };
        let len = u64::from(ids.len());
        let mut scale = 1;
        while scale <= len {
            let mut cut = number;
            while cut * scale < len {
                if cut >= least && (cut > 0 || scale == 1) {
                    let to = ((cut + 1) * scale).min(len);
                    found.insert_all((cut * scale) as u32, to as u32);
                }
                if front {
                    break;
                }
                cut += power;
            }
            if end {
                break;
            }
            scale *= 10;
        }
        found
    }

    fn finds(&self, id: u64) -> bool {
        let (wanted, front, end) = match self {
            Self::Never => return false,
            Self::Always => return true,
            Self::Digits { digits, front, end } => (digits, *front, *end),
        };
        let mut text = [0u8; 20];
        let (mut rest, mut used) = (id, 0);
        for place in text.iter_mut().rev() {
            *place = b'0' + (rest % 10) as u8;
            rest /= 10;
            used += 1;
            if rest == 0 {
                break;
            }
        }
        let text = text.get(text.len() - used..).unwrap_or(&[]);
        match (front, end) {
            (true, true) => text == wanted.as_slice(),
            (true, false) => text.starts_with(wanted),
            (false, true) => text.ends_with(wanted),
            (false, false) => text.windows(wanted.len()).any(|part| part == wanted),
        }
    }
}

/// Whether a path is `wanted`, or lies below it behind one of the signs.
fn within(path: &[u8], wanted: &[u8], signs: &[u8]) -> bool {
    wanted.is_empty()
        || path
            .strip_prefix(wanted)
            .is_some_and(|rest| match rest.first() {
                None => true,
                Some(sign) => signs.contains(sign),
            })
}

/// Compares parts of names with a text that came from [`names::display`].
struct Shown<'a> {
    text: &'a str,
    /// Whether the text may stand for other bytes than its own.
    escaped: bool,
}

impl<'a> Shown<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            escaped: text.contains("\\u{") || text.contains('\u{fffd}'),
        }
    }

    fn fits(&self, part: &[u8], fits: impl Fn(&[u8], &[u8]) -> bool) -> bool {
        let wanted = self.text.as_bytes();
        fits(part, wanted) || (self.escaped && fits(names::display(part).as_bytes(), wanted))
    }
}

/// The rows of a table that lie within a narrowing.
pub fn within_narrow(plan: &Plan, kept: &mut Kept, table: TableName, narrow: &Narrow) -> IndexSet {
    let len = cells::len(plan, table);
    let layer = narrow.layer.as_deref().map(Shown::new);
    if table == TableName::Parameters {
        // No node makes a parameter, and it has no type.
        let made = narrow.operator.is_some() || narrow.tensor_type.is_some();
        let fits = |p: u32| {
            let own = parts::parameter_layer(cells::parameter_name(plan, p));
            layer
                .as_ref()
                .is_none_or(|l| l.fits(own, |path, wanted| within(path, wanted, b"/.")))
        };
        return IndexSet::of(len, (0..len).filter(|&p| !made && fits(p)));
    }
    let types: Option<Vec<bool>> = narrow.tensor_type.as_deref().map(|wanted| {
        let shown = Shown::new(wanted);
        cells::type_words(plan)
            .map(|w| shown.fits(w.as_bytes(), |a, b| a == b))
            .collect()
    });
    let typed = |t: u32| {
        types
            .as_ref()
            .is_none_or(|types| types.get(usize::from(plan.tensors.kind_at(t).0)) == Some(&true))
    };
    let nodes = nodes_within(plan, kept, layer.as_ref(), narrow.operator.as_deref());
    let placed = |n: u32| nodes.as_ref().is_none_or(|nodes| nodes.contains(n));
    if table == TableName::Nodes {
        let makes = |n: u32| {
            let made = plan.nodes.outputs.get(n).iter();
            types.is_none() || made.chain(plan.nodes.workspaces.get(n)).any(|&t| typed(t))
        };
        return IndexSet::of(len, (0..len).filter(|&n| placed(n) && makes(n)));
    }
    let made_within = |t: u32| match plan.tensors.source_of(t) {
        Some(n) => placed(n),
        None => nodes.is_none(),
    };
    IndexSet::of(len, (0..len).filter(|&t| typed(t) && made_within(t)))
}

/// The nodes in a layer and of an operator; `None` when neither is asked for.
fn nodes_within(
    plan: &Plan,
    kept: &mut Kept,
    layer: Option<&Shown<'_>>,
    operator: Option<&str>,
) -> Option<IndexSet> {
    // The root holds what has no layer as well.
    let layer = layer.filter(|l| !l.text.is_empty());
    if layer.is_none() && operator.is_none() {
        return None;
    }
    let operator: Option<Vec<bool>> = operator.map(|wanted| {
        let (shown, operators) = (Shown::new(wanted), kept.operators(plan));
        let words = (0..operators.first_node.len() as u32).map(|o| operators.word(plan, o));
        words.map(|w| shown.fits(w, |a, b| a == b)).collect()
    });
    let of_node = match &operator {
        Some(_) => kept.operators(plan).of_node.as_slice(),
        None => &[],
    };
    let fits = |n: u32| {
        let in_layer = layer.is_none_or(|l| {
            l.fits(parts::layer(plan.node_name(n)), |path, wanted| {
                within(path, wanted, b"/")
            })
        });
        let of_operator = operator.as_ref().is_none_or(|wanted| {
            let own = of_node.get(n as usize).copied();
            own.and_then(|o| wanted.get(o as usize)) == Some(&true)
        });
        in_layer && of_operator
    };
    Some(IndexSet::of(
        plan.n_nodes(),
        (0..plan.n_nodes()).filter(|&n| fits(n)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_found_as_if_they_were_written() {
        let tables = [
            (TableName::Nodes, "$", ""),
            (TableName::Tensors, "%", "T"),
            (TableName::Parameters, "%", "P"),
        ];
        for (table, sign, letter) in tables {
            for needle in [
                "%",
                "$",
                "t",
                "P",
                "%T",
                "1",
                "12",
                "%1",
                "2t",
                "%12T",
                "$12",
                "1 2",
                "0",
                "00",
                "012",
                "999",
                "%0",
                "%01",
                "0T",
                "12345",
                "4294967296",
                "99999999999999999999",
            ] {
                let search = IdSearch::new(needle.as_bytes(), table);
                let dense = search.all(&Ids::dense(12_345));
                for id in 0..12_345 {
                    let found = search.finds(u64::from(id));
                    assert_eq!(dense.contains(id), found, "{needle:?} in {id}");
                }
                for len in [0, 1, 10] {
                    let few = search.all(&Ids::dense(len));
                    let finds = |id: &u32| search.finds(u64::from(*id));
                    assert!(few.iter().eq((0..len).filter(finds)), "{needle:?} {len}");
                }
                for id in [0u64, 1, 2, 10, 12, 112, 121, u64::MAX] {
                    let written = format!("{sign}{id}{letter}").to_lowercase();
                    let holds = written.contains(&needle.to_lowercase());
                    assert_eq!(search.finds(id), holds, "{needle:?} in {written:?}");
                }
            }
        }
    }

    #[test]
    fn a_path_lies_within_itself_and_what_is_above() {
        assert!(within(b"a/b", b"a/b", b"/") && within(b"a/b", b"a", b"/"));
        assert!(within(b"a/b", b"", b"/") && !within(b"ab", b"a", b"/"));
        assert!(within(b"a.b", b"a", b"/.") && !within(b"a", b"a/b", b"/."));
    }

    #[test]
    fn escaped_texts_fit_the_bytes_they_stand_for() {
        let equal = |a: &[u8], b: &[u8]| a == b;
        assert!(Shown::new("a\\u{1b}").fits(b"a\x1b", equal));
        assert!(Shown::new("\u{fffd}").fits(b"\xff", equal));
        assert!(!Shown::new("a").fits(b"b", equal));
    }
}
