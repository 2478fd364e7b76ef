//! The planner's conflict matrix beside a plan: read row by row and compared as it comes, the same
//! way for both faces.

use super::file_set::base_name;
use super::session::{FileReader, Session};
use crate::analysis::matrix::{Matrix, MatrixCheck};
use crate::model::{Plan, PlanKind};
use crate::parse::{Diagnostics, FileKind, RelationReader};
use crate::report::results::log::Beside;
use crate::report::text::diagnostics as words;

/// A conflict matrix that is being read.
#[derive(Debug)]
pub struct MatrixReader {
    /// Base name of the file.
    name: String,
    /// Base name of the dump of before the solver ran, and whether its sizes are used.
    before: Option<(String, bool)>,
    /// Nothing when the plan cannot be compared with a matrix.
    parts: Option<(Matrix, RelationReader)>,
}

/// What a conflict matrix gave.
#[derive(Debug)]
pub struct MatrixRead {
    /// The comparison, of a file that is whole.
    pub check: Option<MatrixCheck>,
    /// What is wrong with the file.
    pub diagnostics: Diagnostics,
    /// What was read, for the log.
    pub beside: Vec<Beside>,
}

impl MatrixReader {
    /// Of the file called `name`, beside a plan; `before` is the same graph before the solver ran,
    /// with the base name of its dump.
    pub fn new(plan: &Plan, name: &str, before: Option<(&str, &Plan)>) -> Self {
        let comparable = plan.kind == PlanKind::Plan && plan.incomplete.is_none();
        let with_sizes =
            before.and_then(|(_, b)| Matrix::new(plan, Some(b)).filter(|_| comparable));
        let used = with_sizes.is_some();
        let matrix = with_sizes.or_else(|| Matrix::new(plan, None).filter(|_| comparable));
        Self {
            name: base_name(name).to_owned(),
            before: before.map(|(name, _)| (name.to_owned(), used)),
            parts: matrix.map(|m| (m, RelationReader::new(plan.n_tensors()))),
        }
    }

    /// Whether there is anything to compare.
    pub fn is_wanted(&self) -> bool {
        self.parts.is_some()
    }

    /// The next bytes of the file, of the same plan.
    pub fn push(&mut self, plan: &Plan, bytes: &[u8]) {
        if let Some((matrix, reader)) = &mut self.parts {
            reader.push(bytes, &mut |row, bits| matrix.row(plan, row, bits));
        }
    }

    /// The file ends here; `whole` unless it could not be read so far.
    pub fn finish(self, plan: &Plan, whole: bool) -> MatrixRead {
        let mut check = None;
        let mut diagnostics = Diagnostics::default();
        if let Some((mut matrix, reader)) = self.parts {
            diagnostics = reader
                .finish(&mut |row, bits| matrix.row(plan, row, bits))
                .0;
            check = (whole && diagnostics.errors == 0).then(|| matrix.finish());
        }
        let mut beside = vec![match check {
            Some(_) => Beside::Relation(self.name),
            None => Beside::Other(self.name, words::kind_word(FileKind::Relation)),
        }];
        beside.extend(self.before.map(|(name, used)| match used {
            true => Beside::Sizes(name),
            false => Beside::Other(name, words::Kind::Stage),
        }));
        MatrixRead {
            check,
            diagnostics,
            beside,
        }
    }
}

/// Whether a dump is the one written just before the solver ran, as its name tells.
pub fn is_before_solver(name: &str) -> bool {
    base_name(name).contains("pre_processed_info")
}

impl Session {
    /// The file with the conflict matrix of a graph, as it was opened, unless its rows were read.
    pub(super) fn unread_matrix(&self, handle: u32) -> Option<&str> {
        let graph = self.graph(handle).filter(|g| !g.has_matrix)?;
        graph.place.graph_id?;
        let files = self.others.iter();
        let files = files.filter(|o| o.kind == FileKind::Relation && o.place == graph.place);
        files.map(|o| o.file.name.as_str()).min()
    }

    /// Begins to read the rows of the conflict matrix of a graph; `None` when there is none that
    /// was not read.
    pub fn begin_matrix(&self, handle: u32) -> Option<FileReader> {
        let (name, graph) = (self.unread_matrix(handle)?, self.graph(handle)?);
        let stages = self.graphs.iter().filter(|g| {
            g.handle != handle
                && g.place == graph.place
                && g.plan.kind == PlanKind::Stage
                && is_before_solver(&g.file.name)
        });
        // They are in the order of their names.
        let before = stages.map(|g| (base_name(&g.file.name), &g.plan)).next();
        let matrix = MatrixReader::new(&graph.plan, name, before);
        let mut file = self.begin_file(name, 0, false);
        file.matrix = Some((handle, matrix));
        Some(file)
    }

    /// The next bytes of a file; a conflict matrix is compared with the plan of its graph.
    pub fn push(&self, file: &mut FileReader, bytes: &[u8]) {
        let Some((handle, matrix)) = &mut file.matrix else {
            return file.push(bytes);
        };
        if let Some(graph) = self.graph(*handle) {
            matrix.push(&graph.plan, bytes);
        }
    }

    /// Ends a conflict matrix; the value is its graph.
    pub(super) fn end_matrix(
        &mut self,
        handle: u32,
        matrix: MatrixReader,
        whole: bool,
    ) -> Option<u32> {
        let graph = self.graphs.iter_mut().find(|g| g.handle == handle)?;
        let name = matrix.name.clone();
        let read = matrix.finish(&graph.plan, whole);
        graph.has_matrix = true;
        graph.matrix = read.check;
        if read.diagnostics.errors > 0 {
            graph.beside.push((name, read.diagnostics));
        }
        // Task info comes last in the log.
        let tasks = match graph.taken.last() {
            Some(Beside::Tasks(..)) => graph.taken.pop(),
            _ => None,
        };
        graph.taken.extend(read.beside);
        graph.taken.extend(tasks);
        Some(handle)
    }
}
