//! The reader a face feeds: bytes in any chunks, compressed or not, to a [`Parsed`].

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;

use super::diagnostic::Diagnostics;
use super::dump::DumpReader;
use super::edges::EdgesReader;
use super::kind::{FileKind, HEAD};
use super::lines::LineSplitter;
use super::resolve::Positions;
use super::task_info::TaskInfoReader;
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
    mode: Mode,
    options: ReadOptions,
    failed: bool,
}

#[derive(Debug)]
enum Mode {
    /// Too few bytes to tell a compressed file.
    Start(Vec<u8>),
    Plain(Box<TextReader>),
    Gz(Box<MultiGzDecoder<TextReader>>),
}

impl Reader {
    /// A reader of one file.
    pub fn new(options: ReadOptions) -> Self {
        Self {
            mode: Mode::Start(Vec::new()),
            options,
            failed: false,
        }
    }

    /// The next bytes of the file.
    pub fn push(&mut self, bytes: &[u8]) {
        match &mut self.mode {
            Mode::Plain(text) => text.push(bytes),
            Mode::Gz(gz) => self.failed = self.failed || gz.write_all(bytes).is_err(),
            Mode::Start(head) if head.is_empty() && bytes.len() >= 2 => self.begin(bytes),
            Mode::Start(head) => {
                head.extend_from_slice(bytes);
                if head.len() >= 2 {
                    let head = std::mem::take(head);
                    self.begin(&head);
                }
            }
        }
    }

    fn begin(&mut self, head: &[u8]) {
        let mut text = TextReader::new();
        if head.starts_with(&[0x1f, 0x8b]) {
            self.mode = Mode::Gz(Box::new(MultiGzDecoder::new(text)));
        } else {
            text.dump.expect_bytes(self.options.size_hint);
            self.mode = Mode::Plain(Box::new(text));
        }
        self.push(head);
    }

    /// What the file is, as soon as enough of it was seen.
    pub fn kind(&self) -> Option<FileKind> {
        match &self.mode {
            Mode::Start(_) => None,
            Mode::Plain(text) => text.kind,
            Mode::Gz(gz) => gz.get_ref().kind,
        }
    }

    /// Whether the file turned out to be something whose content does not matter here: the rest
    /// of it need not be read.
    pub fn has_seen_enough(&self) -> bool {
        match &self.mode {
            Mode::Start(_) => false,
            Mode::Plain(text) => text.has_seen_enough(),
            Mode::Gz(gz) => self.failed || gz.get_ref().has_seen_enough(),
        }
    }

    /// The file ends here.
    pub fn finish(mut self) -> Parsed {
        if let Mode::Start(head) = &mut self.mode {
            let head = std::mem::take(head);
            self.begin(&head);
        }
        let (text, failed) = match self.mode {
            Mode::Start(_) => (TextReader::new(), false),
            Mode::Plain(text) => (*text, false),
            Mode::Gz(mut gz) => {
                let failed = gz.try_finish().is_err() || self.failed;
                (std::mem::replace(gz.get_mut(), TextReader::new()), failed)
            }
        };
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

impl Write for TextReader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.push(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
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
