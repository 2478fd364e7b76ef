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
}

impl Thing {
    /// Its name in the address: `n12`, `t62`, `p5`.
    pub fn code(self) -> String {
        match self {
            Self::Node(step) => format!("n{step}"),
            Self::Tensor(id) => format!("t{id}"),
            Self::Parameter(id) => format!("p{id}"),
        }
    }

    /// From its name in the address.
    pub fn from_code(code: &str) -> Option<Self> {
        let mut letters = code.chars();
        let kind = letters.next()?;
        let id: u64 = number(letters.as_str())?;
        match kind {
            'n' => u32::try_from(id).ok().map(Self::Node),
            't' => Some(Self::Tensor(id)),
            'p' => Some(Self::Parameter(id)),
            _ => None,
        }
    }

    /// Its key in tables, as the dump writes it: `$12`, `%62T`, `%5P`.
    pub fn key(self) -> String {
        match self {
            Self::Node(step) => format!("${step}"),
            Self::Tensor(id) => format!("%{id}T"),
            Self::Parameter(id) => format!("%{id}P"),
        }
    }

    /// From its key in tables.
    pub fn from_key(key: &str) -> Option<Self> {
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
        }
    }
}

/// A view below the chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// Where the memory goes, and the tensors alive at the selected step.
    #[default]
    Overview,
    /// The memory map.
    Map,
    /// The table of tensors.
    Tensors,
    /// The table of nodes.
    Nodes,
    /// The table of parameters.
    Parameters,
}

impl Tab {
    /// Every tab.
    pub const ALL: &'static [Self] = &[
        Self::Overview,
        Self::Map,
        Self::Tensors,
        Self::Nodes,
        Self::Parameters,
    ];

    /// Its name in the address and in `data-tab`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Map => "map",
            Self::Tensors => "tensors",
            Self::Nodes => "nodes",
            Self::Parameters => "parameters",
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
                "sel" => view.selected = Thing::from_code(value).or(view.selected),
                _ => {}
            }
        }
        view
    }
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
                at(0, Tab::Parameters, Thing::Parameter(u64::MAX)),
                "step=0&tab=parameters&sel=p18446744073709551615",
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
            ("sel=n4294967296&sel=p18446744073709551616", view(0, None)),
            (
                "sel=t1&sel=n2&sel=q3&step=5",
                at(5, Tab::Overview, Thing::Node(2)),
            ),
            ("步=1&step=１", view(0, None)),
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
        ] {
            assert_eq!(thing.key(), key);
            assert_eq!(Thing::from_key(key), Some(thing));
        }
        for key in ["", "$", "%", "%T", "%5", "%-5P", "$x", "5", "%5Ｐ"] {
            assert_eq!(Thing::from_key(key), None, "{key}");
        }
    }
}
