//! Reads the offline log: `Somas EDGE …` lines, of which only the lifelong kinds of tensors are
//! kept. Dumps of generations A and B print them as 0 or 1.

use super::diagnostic::{excerpt, quoted, Arg, Code, Diagnostics};
use super::reader::LineCount;
use crate::model::{Lifelong, OfflineLog};

/// Reads the lines of an offline log.
#[derive(Debug, Default)]
pub(crate) struct EdgesReader {
    log: OfflineLog,
    lines: LineCount,
    diagnostics: Diagnostics,
}

impl EdgesReader {
    /// One line without its `\n`.
    pub(crate) fn line(&mut self, line: &[u8]) {
        self.lines.total += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            self.lines.blank += 1;
            return;
        }
        let other = line.starts_with(b"Somas CONTIGUOUS") || line.starts_with(b"Somas GROUP");
        let edge = if other { None } else { edge(line) };
        if other || edge.is_some() {
            self.lines.records += 1;
        } else {
            self.lines.unread += 1;
            let excerpt = self
                .diagnostics
                .has_room(Code::UnknownLine)
                .then(|| excerpt(line, 0, line.len()));
            let title = Arg::Text("Somas EDGE".to_owned());
            let args = vec![title, Arg::Text(quoted(line, 60))];
            self.diagnostics
                .add(Code::UnknownLine, self.lines.total, 1, args, excerpt);
        }
        // One line a reader: the same tensor comes again and again.
        if let Some(edge) = edge.filter(|e| self.log.lifelong.last() != Some(e)) {
            self.log.lifelong.push(edge);
        }
    }

    /// What was kept, and what is wrong.
    pub(crate) fn finish(self) -> (OfflineLog, Diagnostics, LineCount) {
        (self.log, self.diagnostics, self.lines)
    }
}

/// Tensor id and lifelong kind of an EDGE line.
fn edge(line: &[u8]) -> Option<(u64, Lifelong)> {
    let rest = line.strip_prefix(b"Somas EDGE ")?;
    let lifelong = Lifelong::from_number(u8::try_from(field(rest, b"lifelong=")?).ok()?)?;
    Some((field(rest, b"tid=")?, lifelong))
}

/// The number behind `key` in a list such as `a=1, b=2`.
fn field(line: &[u8], key: &[u8]) -> Option<u64> {
    line.split(|b| *b == b',').find_map(|part| {
        let value = part.trim_ascii().strip_prefix(key)?;
        super::token::whole_number(value).ok().flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifelong_kinds_by_tensor() {
        let mut reader = EdgesReader::default();
        for line in [
            "Somas EDGE src=n0, srcstm=0, dst=n1, dststm=0, workspace=0, size=4, lifelong=3, tid=7, start=0, end=1",
            "Somas EDGE src=n0, srcstm=0, dst=n2, dststm=0, workspace=0, size=4, lifelong=3, tid=7, start=0, end=1\r",
            "Somas EDGE ERROR src=n0, srcstm=0, dst=nc, dststm=nc, workspace=0, size=4, lifelong=0, tid=8, start=0, end=1",
            "",
            "Somas CONTIGUOUS 1 2",
            "Somas EDGE src=n0",
        ] {
            reader.line(line.as_bytes());
        }
        let (log, found, lines) = reader.finish();
        assert_eq!(log.lifelong, [(7, Lifelong::GraphEnd), (8, Lifelong::None)]);
        assert_eq!((found.errors, lines.total, lines.records), (1, 6, 4));
    }
}
