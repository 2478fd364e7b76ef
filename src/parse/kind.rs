//! What a file is, told by its first non-empty line. The name never matters.

/// The kinds of file a run with SOMAS leaves behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A plan, final or of an early stage.
    MainDump,
    /// Data edges: `Somas EDGE …`.
    OfflineLog,
    /// `T 0 512 0` rows.
    SolverInput,
    /// `tensor_id=… size=…` rows.
    SolverOutput,
    /// The conflict matrix: `t0 H…`.
    Relation,
    /// Tensors by address (A, B): `mem_id: …`.
    MemInfo,
    /// The pool at each node (A).
    PoolInfo,
    /// Task records with real addresses: `op_name:…`.
    TaskInfo,
    /// `somas_meta` cache: JSON.
    Cache,
    /// An ordinary graph IR, such as `somas_input_graph_*.ir`.
    GraphIr,
    /// Nothing but white space.
    Empty,
    /// Something else.
    Unknown,
}

impl FileKind {
    /// Whether this is a known file of a run that stands beside its plan.
    pub fn is_sibling(self) -> bool {
        !matches!(self, Self::MainDump | Self::Empty | Self::Unknown)
    }
}

/// How many bytes of the first non-empty line are looked at.
pub(crate) const HEAD: usize = 512;

impl FileKind {
    /// The kind of a file whose first non-empty line starts with `line` (without its line end).
    pub(crate) fn of_first_line(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        let starts = |words: &[&str]| words.iter().any(|w| line.starts_with(w.as_bytes()));
        if line.is_empty() {
            Self::Empty
        } else if starts(&["All Parameters:", "All Tensors:"]) {
            Self::MainDump
        } else if starts(&["Somas EDGE", "Somas CONTIGUOUS", "Somas GROUP"]) {
            Self::OfflineLog
        } else if starts(&["tensor_id="]) {
            Self::SolverOutput
        } else if starts(&["mem_id:"]) {
            Self::MemInfo
        } else if starts(&["Total Dynamic Size"]) {
            Self::PoolInfo
        } else if starts(&["op_name:"]) {
            Self::TaskInfo
        } else if is_solver_row(line) {
            Self::SolverInput
        } else if is_relation_row(line) {
            Self::Relation
        } else if line.starts_with(b"{") && line.contains(&b'"') {
            Self::Cache
        } else if starts(&["# ", "#=", "#IR", "subgraph", "#attr", "%para"]) || is_assignment(line)
        {
            Self::GraphIr
        } else {
            Self::Unknown
        }
    }
}

fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

/// `T <id> <size> <lifelong>`, `C <a> <b>` or `S <id> …`.
fn is_solver_row(line: &[u8]) -> bool {
    let mut words = line.split(|b| *b == b' ').filter(|w| !w.is_empty());
    let lead = words.next();
    let numbers: Vec<bool> = words.map(is_number).collect();
    let all = numbers.iter().all(|n| *n);
    match lead {
        Some(b"T") => numbers.len() == 3 && all,
        Some(b"C") => numbers.len() == 2 && all,
        Some(b"S") => !numbers.is_empty() && all,
        _ => false,
    }
}

/// `t0 H1 H0 …`.
fn is_relation_row(line: &[u8]) -> bool {
    let mut words = line.split(|b| *b == b' ');
    let row = words
        .next()
        .and_then(|w| w.strip_prefix(b"t"))
        .is_some_and(is_number);
    row && words.next().is_some_and(|w| w.starts_with(b"H"))
}

/// `%1(name) = Op(…)`: a line of a graph IR whose head was lost.
fn is_assignment(line: &[u8]) -> bool {
    line.starts_with(b"%") && line.windows(3).any(|w| w == b" = ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_lines() {
        for (line, kind) in [
            ("All Parameters:", FileKind::MainDump),
            ("  All Tensors:\r", FileKind::MainDump),
            ("Somas EDGE ERROR src=n0", FileKind::OfflineLog),
            ("Somas GROUP 0 1", FileKind::OfflineLog),
            ("T 0 512 0", FileKind::SolverInput),
            ("T cell 512 0", FileKind::Unknown),
            ("tensor_id=0\tsize=512", FileKind::SolverOutput),
            ("t0 H0 H1 ", FileKind::Relation),
            ("t0 = x", FileKind::Unknown),
            ("mem_id:\tstart_offset:", FileKind::MemInfo),
            ("Total Dynamic Size (Upper Bound):\t1", FileKind::PoolInfo),
            ("op_name:Default/x", FileKind::TaskInfo),
            ("{\"graph_id\":1}", FileKind::Cache),
            ("# IR entry: @kernel_graph0", FileKind::GraphIr),
            ("[WARNING] DEVICE(1)", FileKind::Unknown),
            ("", FileKind::Empty),
        ] {
            assert_eq!(FileKind::of_first_line(line.as_bytes()), kind, "{line}");
        }
    }
}
