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
}

/// A view below the chart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tab {
    /// Numbers and the tensors alive at the selected step.
    #[default]
    Overview,
}

impl Tab {
    /// Every tab.
    pub const ALL: &'static [Self] = &[Self::Overview];

    /// Its name in the address and in `data-tab`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
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
                _ => {}
            }
        }
        view
    }
}

/// Digits only: `u32::from_str` would take a sign.
fn number(text: &str) -> Option<u32> {
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
            tab: Tab::Overview,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (state, text) in [
            (view(0, None), ""),
            (view(0, Some(0)), "step=0"),
            (view(2, None), "graph=2"),
            (view(7, Some(4_294_967_295)), "graph=7&step=4294967295"),
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
            ("步=1&step=１", view(0, None)),
            ("step=", view(0, None)),
        ] {
            assert_eq!(ViewState::from_fragment(text), state, "{text}");
        }
    }
}
