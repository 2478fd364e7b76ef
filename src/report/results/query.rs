//! Questions about one node, tensor, address or range: from what was typed to what is meant.

use crate::analysis::{self, names::last_part};
use crate::model::Plan;
use crate::report::names;
use crate::report::text::results::{self as words, Ask};
use crate::report::text::Lang;
use crate::units::ByteRange;

/// What kind of thing is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `-cn`.
    Node,
    /// `-ct`.
    Tensor,
    /// `-ca`.
    Address,
    /// `-car`.
    Range,
}

impl Kind {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Node => "node",
            Self::Tensor => "tensor",
            Self::Address => "address",
            Self::Range => "range",
        }
    }
}

/// A question that a plan can answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What kind of thing is asked for.
    pub kind: Kind,
    /// As it was typed.
    pub typed: String,
    /// What it means.
    pub place: Where,
}

/// What a question means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// Node index.
    Node(u32),
    /// Tensor index.
    Tensor(u32),
    /// Addresses; one byte for a single one.
    Addresses(ByteRange),
}

/// A question that no answer exists for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswerable {
    /// As it was typed.
    pub typed: String,
    /// Why.
    pub why: Why,
    /// Names or ids that come near, at most ten.
    pub near: Vec<String>,
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// No node is called so.
    UnknownNode,
    /// Several nodes are called so.
    AmbiguousNode,
    /// No tensor has this id.
    UnknownTensor,
    /// Not an address.
    BadAddress,
    /// Not a range of addresses.
    BadRange,
}

impl Why {
    /// Whether another plan may have an answer.
    pub fn depends_on_plan(self) -> bool {
        !matches!(self, Self::BadAddress | Self::BadRange)
    }
}

/// Most near misses that are named.
const MOST_NEAR: usize = 10;

impl Query {
    /// Reads what was typed.
    pub fn read(kind: Kind, typed: &str, plan: &Plan) -> Result<Self, Unanswerable> {
        let fail = |why, near| {
            Err(Unanswerable {
                typed: typed.to_owned(),
                why,
                near,
            })
        };
        let text = typed.trim();
        let place = match kind {
            Kind::Node => match node(plan, text) {
                Ok(n) => Where::Node(n),
                Err((why, near)) => return fail(why, near),
            },
            Kind::Tensor => {
                let id = text.strip_prefix('%').unwrap_or(text);
                let id = id.strip_suffix(['T', 't']).unwrap_or(id);
                match digits(id).and_then(|id| plan.tensors.ids.index_of(id)) {
                    Some(t) => Where::Tensor(t),
                    None => return fail(Why::UnknownTensor, last_tensor(plan)),
                }
            }
            Kind::Address => match address(text) {
                Some(a) => Where::Addresses(ByteRange::at(a, 1)),
                None => return fail(Why::BadAddress, vec![]),
            },
            Kind::Range => match range(text) {
                Some(range) => Where::Addresses(range),
                None => return fail(Why::BadRange, vec![]),
            },
        };
        Ok(Self {
            kind,
            typed: typed.to_owned(),
            place,
        })
    }

    pub(crate) fn is_range(&self) -> bool {
        self.kind == Kind::Range
    }
}

impl Unanswerable {
    /// The sentence for people, near misses on lines of their own.
    pub fn sentence(&self, lang: Lang) -> String {
        let ask = match self.why {
            Why::UnknownNode => Ask::UnknownNode,
            Why::AmbiguousNode => Ask::AmbiguousNode,
            Why::UnknownTensor => Ask::UnknownTensor,
            Why::BadAddress => Ask::BadAddress,
            Why::BadRange => Ask::BadRange,
        };
        let typed = names::display_cut(self.typed.as_bytes(), 200);
        let mut out = words::ask(ask, &typed, lang);
        if !self.near.is_empty() {
            out.push('\n');
            out.push_str(words::ask_near(self.why == Why::AmbiguousNode, lang));
        }
        for near in &self.near {
            out.push_str("\n  ");
            out.push_str(near);
        }
        out
    }
}

/// Reads where offset 0 lies; the error is a sentence.
pub fn read_base(typed: &str, lang: Lang) -> Result<u64, String> {
    base(typed.trim()).ok_or_else(|| words::ask(Ask::BadAddress, typed, lang))
}

/// An address where offset 0 may lie: no device has any beyond 63 bits, and a plan behind one would
/// end nowhere.
pub fn base(text: &str) -> Option<u64> {
    address(text).filter(|at| at >> 63 == 0)
}

/// A decimal number of 64 bits.
pub fn digits(text: &str) -> Option<u64> {
    let all = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

/// An address: hex with `0x`, or decimal.
pub fn address(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
            u64::from_str_radix(hex, 16).ok()
        }
        Some(_) => None,
        None => digits(text),
    }
}

/// A range of addresses: two of them with `-` between, the first one below the second.
pub fn range(text: &str) -> Option<ByteRange> {
    let (a, b) = text.split_once('-')?;
    let (start, end) = (address(a.trim())?, address(b.trim())?);
    (start < end).then_some(ByteRange { start, end })
}

fn last_tensor(plan: &Plan) -> Vec<String> {
    let last = plan.n_tensors().checked_sub(1);
    let ids = [Some(0), last];
    let mut near: Vec<String> = ids
        .into_iter()
        .flatten()
        .filter(|_| last.is_some())
        .map(|t| format!("%{}T", plan.tensors.ids.id(t)))
        .collect();
    near.dedup();
    near
}

fn node(plan: &Plan, text: &str) -> Result<u32, (Why, Vec<String>)> {
    if let Some(id) = text.strip_prefix('$').and_then(digits) {
        let step = u32::try_from(id).ok().and_then(|s| plan.nodes.at_step(s));
        return step.ok_or_else(|| {
            let last = plan.n_nodes().checked_sub(1).map(|n| plan.nodes.step(n));
            let near = last.map(|l| vec!["$0".to_owned(), format!("${l}")]);
            (Why::UnknownNode, near.unwrap_or_default())
        });
    }
    let named = |wanted: &[u8], part: bool| -> Vec<u32> {
        let of = |n: u32| {
            let name = plan.node_name(n);
            if part {
                last_part(name)
            } else {
                name
            }
        };
        (0..plan.n_nodes()).filter(|&n| of(n) == wanted).collect()
    };
    let mut found = named(text.as_bytes(), false);
    if found.is_empty() {
        found = named(text.as_bytes(), true);
    }
    if found.is_empty() && text.contains('/') {
        // A full name asked of a dump that prints short ones. Full ones would have matched.
        let full = (0..plan.n_nodes()).any(|n| plan.node_name(n).contains(&b'/'));
        if !full {
            found = named(last_part(text.as_bytes()), false);
        }
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => {
            let near = analysis::near_nodes(plan, text, MOST_NEAR);
            let near = near.into_iter().map(|n| label(plan, n)).collect();
            Err((Why::UnknownNode, near))
        }
        many => Err((
            Why::AmbiguousNode,
            many.iter()
                .take(MOST_NEAR)
                .map(|&n| label(plan, n))
                .collect(),
        )),
    }
}

fn label(plan: &Plan, n: u32) -> String {
    let name = names::display_cut(plan.node_name(n), 200);
    format!("${} {name}", plan.nodes.step(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_hex_and_decimal() {
        assert_eq!(address("0x10"), Some(16));
        assert_eq!(address("0XfF"), Some(255));
        assert_eq!(address("10"), Some(10));
        for bad in [
            "",
            "0x",
            "x10",
            "-1",
            "+1",
            "0x1g",
            "1e3",
            "18446744073709551616",
        ] {
            assert_eq!(address(bad), None, "{bad}");
        }
    }
}
