//! Which files belong together: what is no plan goes beside the plan of the same graph.

use super::file_set::Place;
use super::messages::{bilingual, messages, shown};
use super::protocol::{Graphs, OtherFile, Sibling};
use super::session::{Other, Session};
use crate::report::names;
use crate::report::text::diagnostics as words;

impl Session {
    /// Sorts files to graphs: what is no plan goes beside the plan of the same graph, and so does
    /// an early stage where the final plan is open.
    pub(super) fn list(&mut self) -> Graphs {
        let finals: Vec<Place> = self
            .graphs
            .iter()
            .filter(|g| g.is_final())
            .map(|g| g.place.clone())
            .collect();
        let known: Vec<Place> = self.graphs.iter().map(|g| g.place.clone()).collect();
        let has =
            |places: &[Place], place: &Place| place.graph_id.is_some() && places.contains(place);
        let mut beside: Vec<(Place, Sibling)> = Vec::new();
        for g in self
            .graphs
            .iter()
            .filter(|g| !g.is_final() && has(&finals, &g.place))
        {
            beside.push((g.place.clone(), sibling(&g.file.name, words::Kind::Stage)));
        }
        let mut others = Vec::new();
        for other in &self.others {
            if other.kind.is_sibling() && has(&known, &other.place) {
                beside.push((
                    other.place.clone(),
                    sibling(&other.file.name, words::kind_word(other.kind)),
                ));
            } else {
                others.push(other.describe());
            }
        }
        let mut rows = Vec::new();
        for g in &mut self.graphs {
            let mine = g.place.graph_id.is_some() && (g.is_final() || !finals.contains(&g.place));
            g.siblings = beside
                .iter()
                .filter(|(place, _)| mine && *place == g.place)
                .map(|(_, s)| s.clone())
                .collect();
            if g.is_final() || !has(&finals, &g.place) {
                rows.push(g.row());
            }
        }
        Graphs {
            graphs: rows,
            others,
        }
    }
}

impl Other {
    fn describe(&self) -> OtherFile {
        let messages = messages(&self.diagnostics, &self.file.name);
        OtherFile {
            name: shown(&self.file.name),
            damaged: self.damaged,
            messages,
            errors: self.diagnostics.errors,
        }
    }
}

fn sibling(name: &str, what: words::Kind) -> Sibling {
    Sibling {
        name: names::display(name.as_bytes()),
        what: bilingual(|lang| what.text(lang).to_owned()),
    }
}
