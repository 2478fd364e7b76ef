//! What the user is looking at, apart from what the dump says: one serialisable state.
//!
//! It goes into the address of the page, so it holds nothing of a dump: the graph is its place in
//! the list of open graphs.

use serde::{Deserialize, Serialize};

/// What is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewState {
    /// Place of the graph in the list of open graphs, from 0.
    pub graph: u32,
    /// The selected step; `None` is the peak.
    pub step: Option<u32>,
    /// The view below the chart.
    pub tab: Tab,
    /// The selected thing; `None` is the step itself.
    pub selected: Option<Thing>,
    /// The pair of tensors whose sharing is explained, by id.
    pub pair: Option<(u64, u64)>,
    /// Where offset 0 lies on the device, as it was given; `None` leaves it to the files.
    pub base: Option<u64>,
}

/// A thing of a plan that can be selected, by the id the dump gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thing {
    /// A node, by its step.
    Node(u32),
    /// A tensor.
    Tensor(u64),
    /// A parameter.
    Parameter(u64),
    /// An address.
    Address(u64),
    /// The addresses from the first up to, without it, the second.
    Range(u64, u64),
}

impl Thing {
    /// Its name in the page's address: `n12`, `t62`, `p5`, `a108800000200`, `r200-400`.
    pub fn code(self) -> String {
        match self {
            Self::Node(step) => format!("n{step}"),
            Self::Tensor(id) => format!("t{id}"),
            Self::Parameter(id) => format!("p{id}"),
            Self::Address(at) => format!("a{at:x}"),
            Self::Range(start, end) => format!("r{start:x}-{end:x}"),
        }
    }

    /// From its name in the page's address.
    pub fn from_code(code: &str) -> Option<Self> {
        let mut letters = code.chars();
        let kind = letters.next()?;
        if let 'a' | 'r' = kind {
            let thing = Self::of_addresses(letters.as_str(), "")?;
            return (thing.kind().starts_with(kind)).then_some(thing);
        }
        let id: u64 = number(letters.as_str())?;
        match kind {
            'n' => u32::try_from(id).ok().map(Self::Node),
            't' => Some(Self::Tensor(id)),
            'p' => Some(Self::Parameter(id)),
            _ => None,
        }
    }

    /// `start` or `start-end`, each hex behind `lead`.
    fn of_addresses(text: &str, lead: &str) -> Option<Self> {
        let hex = |text: &str| {
            let digits = text.strip_prefix(lead)?;
            // `from_str_radix` would take a sign.
            let plain = digits.bytes().all(|b| b.is_ascii_hexdigit());
            plain
                .then(|| u64::from_str_radix(digits, 16).ok())
                .flatten()
        };
        match text.split_once('-') {
            None => hex(text).map(Self::Address),
            Some((start, end)) => {
                let (start, end) = (hex(start)?, hex(end)?);
                (start < end).then_some(Self::Range(start, end))
            }
        }
    }

    /// Its key, as the dump writes it: `$12`, `%62T`, `%5P`; `0x200`, `0x200-0x400`.
    pub fn key(self) -> String {
        match self {
            Self::Node(step) => format!("${step}"),
            Self::Tensor(id) => format!("%{id}T"),
            Self::Parameter(id) => format!("%{id}P"),
            Self::Address(at) => format!("{at:#x}"),
            Self::Range(start, end) => format!("{start:#x}-{end:#x}"),
        }
    }

    /// From its key.
    pub fn from_key(key: &str) -> Option<Self> {
        if key.starts_with("0x") {
            return Self::of_addresses(key, "0x");
        }
        if let Some(step) = key.strip_prefix('$') {
            return number(step).map(Self::Node);
        }
        let rest = key.strip_prefix('%')?;
        if let Some(id) = rest.strip_suffix('T') {
            return number(id).map(Self::Tensor);
        }
        number(rest.strip_suffix('P')?).map(Self::Parameter)
    }

    /// What kind of thing it is, as in `data-kind`.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Node(_) => "node",
            Self::Tensor(_) => "tensor",
            Self::Parameter(_) => "parameter",
            Self::Address(_) => "address",
            Self::Range(..) => "range",
        }
    }
}

/// A view below the chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// Where the memory goes, and the tensors alive at the selected step.
    #[default]
    Overview,
    /// The table of tensors.
    Tensors,
    /// The table of nodes.
    Nodes,
    /// The table of parameters.
    Parameters,
    /// The verdict, the findings, and who shares bytes with whom.
    Safety,
}

impl Tab {
    /// Every tab.
    pub const ALL: &'static [Self] = &[
        Self::Overview,
        Self::Tensors,
        Self::Nodes,
        Self::Parameters,
        Self::Safety,
    ];

    /// Its name in the address and in `data-tab`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Tensors => "tensors",
            Self::Nodes => "nodes",
            Self::Parameters => "parameters",
            Self::Safety => "safety",
        }
    }

    /// The tab of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|tab| tab.name() == name)
    }
}

impl ViewState {
    /// As the fragment of an address, without `#`; what is as at first is left out.
    pub fn fragment(&self) -> String {
        let mut parts = Vec::new();
        if self.graph != 0 {
            parts.push(format!("graph={}", self.graph));
        }
        if let Some(step) = self.step {
            parts.push(format!("step={step}"));
        }
        if self.tab != Tab::default() {
            parts.push(format!("tab={}", self.tab.name()));
        }
        if let Some(thing) = self.selected {
            parts.push(format!("sel={}", thing.code()));
        }
        if let Some((a, b)) = self.pair {
            parts.push(format!("pair={a}-{b}"));
        }
        if let Some(base) = self.base {
            parts.push(format!("base={base:x}"));
        }
        parts.join("&")
    }

    /// From the fragment of an address, with or without `#`. Never fails: unknown keys and values
    /// that make no sense are as if they were not there, and of a repeated key the last counts.
    pub fn from_fragment(fragment: &str) -> Self {
        let mut view = Self::default();
        for part in fragment.trim_start_matches('#').split('&') {
            let Some((key, value)) = part.split_once('=') else {
                continue;
            };
            match key {
                "graph" => view.graph = number(value).unwrap_or(view.graph),
                "step" => view.step = number(value).or(view.step),
                "tab" => view.tab = Tab::by_name(value).unwrap_or(view.tab),
                "pair" => view.pair = pair_of(value).or(view.pair),
                "sel" => view.selected = Thing::from_code(value).or(view.selected),
                "base" => {
                    if let Some(Thing::Address(base)) = Thing::of_addresses(value, "") {
                        view.base = Some(base);
                    }
                }
                _ => {}
            }
        }
        view
    }
}

/// Two ids with a `-` between them.
pub fn pair_of(text: &str) -> Option<(u64, u64)> {
    let (a, b) = text.split_once('-')?;
    Some((number(a)?, number(b)?))
}

/// Digits only: `from_str` would take a sign.
fn number<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(graph: u32, step: Option<u32>) -> ViewState {
        ViewState {
            graph,
            step,
            ..ViewState::default()
        }
    }

    fn at(step: u32, tab: Tab, selected: Thing) -> ViewState {
        ViewState {
            step: Some(step),
            tab,
            selected: Some(selected),
            ..ViewState::default()
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (state, text) in [
            (view(0, None), ""),
            (view(0, Some(0)), "step=0"),
            (view(2, None), "graph=2"),
            (view(7, Some(4_294_967_295)), "graph=7&step=4294967295"),
            (at(12, Tab::Overview, Thing::Node(12)), "step=12&sel=n12"),
            (
                at(1, Tab::Tensors, Thing::Tensor(62)),
                "step=1&tab=tensors&sel=t62",
            ),
            (
                ViewState {
                    tab: Tab::Safety,
                    pair: Some((7, 97)),
                    ..ViewState::default()
                },
                "tab=safety&pair=7-97",
            ),
            (
                at(0, Tab::Parameters, Thing::Parameter(u64::MAX)),
                "step=0&tab=parameters&sel=p18446744073709551615",
            ),
            (
                at(3, Tab::Overview, Thing::Address(0x1088_30de_2a00)),
                "step=3&sel=a108830de2a00",
            ),
            (
                at(3, Tab::Overview, Thing::Range(0, u64::MAX)),
                "step=3&sel=r0-ffffffffffffffff",
            ),
            (
                ViewState {
                    base: Some(0x1088_0000_0000),
                    ..view(1, Some(2))
                },
                "graph=1&step=2&base=108800000000",
            ),
        ] {
            assert_eq!(state.fragment(), text);
            assert_eq!(ViewState::from_fragment(text), state);
            assert_eq!(ViewState::from_fragment(&format!("#{text}")), state);
        }
    }

    #[test]
    fn anything_is_read() {
        for (text, state) in [
            ("#", view(0, None)),
            ("&&=&x", view(0, None)),
            ("graph=1&what=2&step=3", view(1, Some(3))),
            ("graph=-1&step=+3", view(0, None)),
            ("step=4294967296", view(0, None)),
            ("step=9&step=x", view(0, Some(9))),
            ("step=9&step=10", view(0, Some(10))),
            ("tab=overview&step=1", view(0, Some(1))),
            ("tab=<script>", view(0, None)),
            ("sel=x5&sel=t&sel=n-1&sel=&sel=t1x&sel=参1", view(0, None)),
            (
                "sel=a&sel=a-1&sel=a+1&sel=ag&sel=r1&base=0x1&base=&base=1-2",
                view(0, None),
            ),
            (
                "sel=r2-2&sel=r3-2&sel=r-2&sel=a10000000000000000",
                view(0, None),
            ),
            ("sel=n4294967296&sel=p18446744073709551616", view(0, None)),
            (
                "sel=t1&sel=n2&sel=q3&step=5",
                at(5, Tab::Overview, Thing::Node(2)),
            ),
            ("步=1&step=１", view(0, None)),
            ("pair=1&pair=-2&pair=3-&pair=a-b&pair=1-2-3", view(0, None)),
            ("step=", view(0, None)),
        ] {
            assert_eq!(ViewState::from_fragment(text), state, "{text}");
        }
    }

    #[test]
    fn keys_of_tables_are_things() {
        for (thing, key) in [
            (Thing::Node(12), "$12"),
            (Thing::Tensor(62), "%62T"),
            (Thing::Parameter(5), "%5P"),
            (Thing::Address(0xab), "0xab"),
            (Thing::Range(1, 0x20), "0x1-0x20"),
        ] {
            assert_eq!(thing.key(), key);
            assert_eq!(Thing::from_key(key), Some(thing));
        }
        for key in [
            "", "$", "%", "%T", "%5", "%-5P", "$x", "5", "%5Ｐ", "0x", "0x-1", "0x1-2", "0x+1",
        ] {
            assert_eq!(Thing::from_key(key), None, "{key}");
        }
    }
}
