//! The reader a face feeds: bytes in any chunks, compressed or not, to a [`Parsed`].

use super::diagnostic::Diagnostics;
use super::dump::DumpReader;
use super::edges::EdgesReader;
use super::kind::{FileKind, HEAD};
use super::lines::LineSplitter;
use super::resolve::Positions;
use super::task_info::TaskInfoReader;
use super::unpack::Unpack;
use crate::model::{OfflineLog, Plan, TaskInfo};

/// How to read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Show what can be read of a damaged dump: errors stay errors, but a plan comes with them.
    pub partial: bool,
    /// Size of the text in bytes, as far as it is known: columns then grow once instead of again
    /// and again. 0 when it is not known.
    pub size_hint: u64,
}

/// Where every line of the file went; `total` = the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCount {
    /// Lines of the file (a last one without a line end counts).
    pub total: u64,
    /// Empty ones and white space.
    pub blank: u64,
    /// Section heads, column heads and rows that were read.
    pub records: u64,
    /// Lines that could not be read; there is an error for them.
    pub unread: u64,
    /// Lines of sections nobody knows; there is a warning for them.
    pub skipped: u64,
}

/// What a file is and says.
#[derive(Debug)]
pub struct Parsed {
    /// What the file is.
    pub kind: FileKind,
    /// The plan: of a main dump without errors, or of a damaged one read with
    /// [`ReadOptions::partial`].
    pub plan: Option<Plan>,
    /// Where the rows of the plan stand in the file.
    pub positions: Positions,
    /// Whether a damaged dump holds tables that `partial` could show.
    pub damaged: bool,
    /// Errors and warnings.
    pub diagnostics: Diagnostics,
    /// The account of all lines of a main dump; zero for other files.
    pub lines: LineCount,
    /// What a file beside a plan says about it.
    pub sibling: Option<SiblingRead>,
}

/// A file beside a plan, read. [`Parsed::diagnostics`] says that it is no plan; what is wrong
/// with the file as what it is, is said here.
#[derive(Debug)]
pub struct SiblingRead {
    /// What it says.
    pub facts: SiblingFacts,
    /// What is wrong with it.
    pub diagnostics: Diagnostics,
    /// Where its lines went.
    pub lines: LineCount,
}

/// What a file beside a plan says.
#[derive(Debug)]
pub enum SiblingFacts {
    /// The addresses that tasks used.
    Tasks(Box<TaskInfo>),
    /// Lifelong kinds.
    Log(Box<OfflineLog>),
}

/// Reads one file.
#[derive(Debug)]
pub struct Reader {
    unpack: Unpack,
    text: Box<TextReader>,
    options: ReadOptions,
}

impl Reader {
    /// A reader of one file.
    pub fn new(options: ReadOptions) -> Self {
        let mut text = Box::new(TextReader::new());
        text.dump.expect_bytes(options.size_hint);
        Self {
            unpack: Unpack::default(),
            text,
            options,
        }
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        let text = &mut self.text;
        self.unpack.push(bytes, &mut |plain| text.push(plain));
    }

    /// What the file is, as soon as enough of it was seen.
    pub fn kind(&self) -> Option<FileKind> {
        self.text.kind
    }

    /// Whether the file turned out to be something whose content does not matter here: the rest
    /// of it need not be read.
    pub fn has_seen_enough(&self) -> bool {
        self.unpack.has_failed() || self.text.has_seen_enough()
    }

    /// The file ends here.
    pub fn finish(self) -> Parsed {
        let mut text = self.text;
        let failed = self.unpack.finish(&mut |plain| text.push(plain));
        text.finish(self.options, failed)
    }
}

/// Reads one text, after decompression.
#[derive(Debug)]
struct TextReader {
    /// The first bytes, until the kind is known.
    head: Vec<u8>,
    kind: Option<FileKind>,
    /// No text at all: nothing behind the first line is looked at.
    binary: bool,
    splitter: LineSplitter,
    dump: Box<DumpReader>,
    tasks: Option<Box<TaskInfoReader>>,
    edges: Option<Box<EdgesReader>>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

impl TextReader {
    fn new() -> Self {
        Self {
            head: Vec::new(),
            kind: None,
            binary: false,
            splitter: LineSplitter::default(),
            dump: Box::default(),
            tasks: None,
            edges: None,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(kind) = self.kind {
            self.feed(kind, bytes);
            return;
        }
        // The first line that is not blank decides; it almost always lies in the first chunk.
        if self.head.is_empty() && decides(bytes) {
            return self.decide(bytes);
        }
        self.head.extend_from_slice(bytes);
        if decides(&self.head) {
            let head = std::mem::take(&mut self.head);
            self.decide(&head);
        }
    }

    fn has_seen_enough(&self) -> bool {
        let read = matches!(self.kind, Some(FileKind::TaskInfo | FileKind::OfflineLog));
        self.binary || (!read && self.kind.is_some_and(FileKind::is_sibling))
    }

    fn decide(&mut self, head: &[u8]) {
        let line = first_line(head).map_or(&[][..], |(line, _)| line);
        let kind = FileKind::of_first_line(line);
        self.kind = Some(kind);
        // An unknown text may be a dump whose first line is damaged; this one is no text.
        self.binary = kind == FileKind::Unknown && line.contains(&0);
        self.feed(kind, head.strip_prefix(BOM).unwrap_or(head));
    }

    fn feed(&mut self, kind: FileKind, bytes: &[u8]) {
        // An unknown first line may be a damaged one: the sections behind it will tell.
        if matches!(
            kind,
            FileKind::MainDump | FileKind::Unknown | FileKind::Empty
        ) {
            let dump = &mut self.dump;
            self.splitter.push(bytes, |line| dump.line(line, false));
        } else if kind == FileKind::TaskInfo {
            let tasks = self.tasks.get_or_insert_default();
            self.splitter.push(bytes, |line| tasks.line(line));
        } else if kind == FileKind::OfflineLog {
            let edges = self.edges.get_or_insert_default();
            self.splitter.push(bytes, |line| edges.line(line));
        }
    }

    fn finish(mut self, options: ReadOptions, gz_failed: bool) -> Parsed {
        if self.kind.is_none() {
            let head = std::mem::take(&mut self.head);
            self.decide(&head);
        }
        let kind = self.kind.unwrap_or(FileKind::Empty);
        let last = self.splitter.finish();
        let mut sibling = None;
        if let Some(mut tasks) = self.tasks {
            last.iter().for_each(|line| tasks.line(line));
            let (info, diagnostics, lines) = tasks.finish();
            let facts = SiblingFacts::Tasks(Box::new(info));
            sibling = Some(SiblingRead {
                facts,
                diagnostics,
                lines,
            });
        } else if let Some(mut edges) = self.edges {
            last.iter().for_each(|line| edges.line(line));
            let (log, diagnostics, lines) = edges.finish();
            let facts = SiblingFacts::Log(Box::new(log));
            sibling = Some(SiblingRead {
                facts,
                diagnostics,
                lines,
            });
        } else if let Some(last) = last {
            self.dump.line(&last, true);
        }
        if let Some(read) = sibling.as_mut().filter(|_| gz_failed) {
            read.diagnostics
                .add(super::Code::GzDamaged, 0, 0, vec![], None);
        }
        let mut parsed = self.dump.finish(kind, options, gz_failed);
        parsed.sibling = sibling;
        parsed
    }
}

/// Whether enough of a file is there to tell what it is.
fn decides(head: &[u8]) -> bool {
    first_line(head).is_some_and(|(line, whole)| whole || line.len() >= HEAD)
}

/// The first line that is not blank (without a byte order mark), and whether its end was seen.
fn first_line(head: &[u8]) -> Option<(&[u8], bool)> {
    let mut rest = head.strip_prefix(BOM).unwrap_or(head);
    loop {
        let (line, whole) = match memchr::memchr(b'\n', rest) {
            Some(end) => (rest.get(..end)?, true),
            None => (rest, false),
        };
        if !line.trim_ascii().is_empty() {
            return Some((line, whole));
        }
        rest = if whole {
            rest.get(line.len() + 1..)?
        } else {
            return None;
        };
    }
}
