//! Which files belong together: what is no plan goes beside the plan of the same graph.

use super::file_set::{base_name, Place};
use super::messages::{bilingual, messages, refusal, shown};
use super::protocol::{Graphs, OtherFile, Sibling};
use super::session::{Graph, Other, Session, Tasks};
use crate::analysis;
use crate::parse::{FileKind, SiblingFacts, SiblingRead};
use crate::report::names;
use crate::report::results::log::Beside;
use crate::report::text::diagnostics as words;

impl Session {
    /// Gives plans what files beside them say about them: lifelong kinds first, because the check
    /// of tasks asks who is alive.
    fn pair(&mut self) {
        for kind in [FileKind::OfflineLog, FileKind::TaskInfo] {
            for same_place in [true, false] {
                for other in &mut self.others {
                    if other.kind != kind || other.read.is_none() {
                        continue;
                    }
                    let Some(graph) = owner(&mut self.graphs, other, same_place) else {
                        continue;
                    };
                    if let Some(read) = other.read.take() {
                        other.owner = Some(graph.handle);
                        graph.take_sibling(&other.file.name, read);
                    }
                }
            }
        }
    }

    /// Sorts files to graphs: what is no plan goes beside the plan of the same graph, and so does
    /// an early stage where the final plan is open.
    pub(super) fn list(&mut self) -> Graphs {
        self.pair();
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
            let owner = other
                .owner
                .and_then(|handle| self.graphs.iter().find(|g| g.handle == handle));
            let place = owner.map_or(&other.place, |g| &g.place);
            let paired = owner.is_some() || has(&known, place);
            if other.kind.is_sibling() && paired {
                let sibling = sibling(&other.file.name, words::kind_word(other.kind));
                beside.push((place.clone(), sibling));
            } else {
                others.push(other.describe());
            }
        }
        let mut rows = Vec::new();
        for g in &mut self.graphs {
            let named = g.place.graph_id.is_some() || g.tasks.is_some();
            let mine = named && (g.is_final() || !finals.contains(&g.place));
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
        let mut messages = messages(&self.diagnostics, &self.file.name);
        let refused = self.refused.as_deref();
        messages.extend(refused.map(|why| refusal(&self.file.name, why)));
        OtherFile {
            name: shown(&self.file.name),
            path: names::display(self.file.name.as_bytes()),
            damaged: self.damaged,
            refused: refused.is_some(),
            messages,
            errors: self.diagnostics.errors + u64::from(refused.is_some()),
        }
    }
}

fn sibling(name: &str, what: words::Kind) -> Sibling {
    Sibling {
        name: names::display(name.as_bytes()),
        what: bilingual(|lang| what.text(lang).to_owned()),
    }
}

/// The graph that a file says something about. Of the same place; or, for a file that was opened by
/// itself, the only one whose name does not say otherwise.
fn owner<'a>(graphs: &'a mut [Graph], other: &Other, same_place: bool) -> Option<&'a mut Graph> {
    let agree = |a: Option<u64>, b: Option<u64>| a.is_none() || b.is_none() || a == b;
    let (own, has_final) = (&other.place, graphs.iter().any(Graph::is_final));
    let mut fit = graphs.iter_mut().filter(|g| {
        let place = &g.place;
        (g.is_final() || !has_final)
            && if same_place {
                own.graph_id.is_some() && place == own
            } else {
                g.tasks.is_none()
                    && (place.folder.is_empty() || own.folder.is_empty())
                    && agree(place.graph_id, own.graph_id)
                    && agree(place.rank, own.rank)
            }
    });
    let found = fit.next();
    // A stage and its plan are of one place: the first is as good as the other.
    found.filter(|_| same_place || fit.next().is_none())
}

impl Graph {
    /// Takes what a file says; one with errors says nothing that can be relied on.
    fn take_sibling(&mut self, file: &str, read: SiblingRead) {
        let base = base_name(file).to_owned();
        // Newer plans print themselves what the log says.
        if matches!(read.facts, SiblingFacts::Log(_)) && self.plan.generation.is_c() {
            return;
        }
        if read.diagnostics.errors == 0 {
            match read.facts {
                SiblingFacts::Log(log) => {
                    let changed = self.take_log(&log);
                    self.taken.push(Beside::Log(base, changed));
                }
                SiblingFacts::Tasks(info) => {
                    let check = analysis::check_tasks(&self.plan, &info);
                    self.taken
                        .push(Beside::Tasks(base, check.tasks, check.matched));
                    self.tasks = Some(Tasks {
                        file: file.to_owned(),
                        info: *info,
                        check,
                    });
                }
            }
        }
        self.beside.push((file.to_owned(), read.diagnostics));
    }
}
