//! Reads the lines of a main dump: which section a line belongs to, and what becomes of it.

use super::diagnostic::{column_of, excerpt, quoted, Arg, Code, Diagnostics, What};
use super::kind::FileKind;
use super::raw::{RawDump, SuspectKind};
use super::reader::{LineCount, Parsed, ReadOptions};
use super::resolve::{self, Positions};
use super::rows::{self, RowFault};
use super::sections::{Column, Columns, Section};
use super::{node_rows, small};
use crate::model::{Event, Incomplete, Lists};
use crate::units::ByteRange;

/// Reads the lines of a main dump.
#[derive(Debug, Default)]
pub(crate) struct DumpReader {
    raw: RawDump,
    section: Option<Section>,
    /// Inside a section nobody knows.
    skipping: bool,
    columns: Option<Columns>,
    lines: LineCount,
    diagnostics: Diagnostics,
    /// The first section of the file: where it comes again behind a whole dump, a second copy
    /// begins.
    first_section: Option<Section>,
    /// Sections seen in this copy.
    in_copy: [bool; Section::ALL.len()],
    copies: u32,
    /// There is an error already for the rows of this section that come without columns.
    no_columns: bool,
    /// The file stops inside a row, and an error says so.
    cut: bool,
    /// How long the text will be, as far as it is known.
    expected: usize,
    /// The last line fitted nowhere: a section head may have been lost in it.
    lost_head: bool,
}

impl DumpReader {
    /// Tells how long the text will be, so that columns can be given their room at once.
    pub(crate) fn expect_bytes(&mut self, bytes: u64) {
        // A hint is no promise: no more than a text of 4 GB would need.
        self.expected = usize::try_from(bytes.min(1 << 32)).unwrap_or(0);
    }

    /// One line without its `\n`; `at_end`: the file stops behind it without a line end.
    #[inline]
    pub(crate) fn line(&mut self, line: &[u8], at_end: bool) {
        self.lines.total += 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let read = match (line.first(), self.section) {
            (Some(b'%'), Some(Section::Tensors)) => match &self.columns {
                Some(columns) => rows::tensor_row(&mut self.raw, columns, self.lines.total, line),
                None => return self.no_header(line),
            },
            (Some(b'$'), Some(Section::Nodes)) => {
                node_rows::node_row(&mut self.raw, self.lines.total, line)
            }
            (Some(b'%'), Some(Section::Parameters)) => match &self.columns {
                Some(columns) => {
                    rows::parameter_row(&mut self.raw, columns, self.lines.total, line)
                }
                None => return self.no_header(line),
            },
            _ => return self.other_line(line, at_end),
        };
        match read {
            Ok(()) => self.lines.records += 1,
            Err(fault) => self.row_fault(fault, line, at_end),
        }
    }

    /// Everything that does not come by the million.
    fn other_line(&mut self, line: &[u8], at_end: bool) {
        if line.trim_ascii().is_empty() {
            self.lines.blank += 1;
            return;
        }
        if let Some(section) = Section::of_header(line) {
            return self.begin_section(section, line);
        }
        if line.starts_with(Section::Total.title().as_bytes()) {
            return self.total_line(line);
        }
        if self.skipping {
            self.lines.skipped += 1;
            return;
        }
        if line.starts_with(b"$")
            && self.lost_head
            && matches!(self.section, Some(Section::Tensors | Section::Parameters))
        {
            self.enter(Section::Nodes);
            return self.line_again(line, at_end);
        }
        match self.small_line(line) {
            Small::Read => self.lines.records += 1,
            Small::Handled => {}
            Small::Unread(what) => {
                let args = vec![Arg::What(what), Arg::Text(quoted(line, 60))];
                self.unread(Code::UnreadableField, line, 0, line.len(), args);
            }
            Small::Unknown => {
                self.lost_head = true;
                self.unknown_line(line);
            }
        }
    }

    fn line_again(&mut self, line: &[u8], at_end: bool) {
        self.lines.total -= 1;
        self.line(line, at_end);
    }

    fn small_line(&mut self, line: &[u8]) -> Small {
        let raw = &mut self.raw;
        let known = |what, read: Option<()>| {
            if read.is_some() {
                Small::Read
            } else {
                Small::Unread(what)
            }
        };
        let trimmed = line.trim_ascii_start();
        match self.section {
            Some(section @ (Section::Tensors | Section::Parameters))
                if trimmed.starts_with(b"index") =>
            {
                self.header(section, line)
            }
            Some(Section::Unions) if trimmed.starts_with(b"union") => {
                let ids = small::tensor_list("union tensors", trimmed);
                self.tensor_list(What::UnionList, line, ids, |raw| &mut raw.unions)
            }
            Some(Section::Contiguous) if trimmed.starts_with(b"contiguous") => {
                let ids = small::tensor_list("contiguous tensors", trimmed);
                self.tensor_list(What::ContiguousList, line, ids, |raw| &mut raw.contiguous)
            }
            Some(Section::Processed) if trimmed.starts_with(b"contiguous") => {
                let ids = small::tensor_list("contiguous tensors", trimmed);
                self.tensor_list(What::ContiguousList, line, ids, |raw| {
                    &mut raw.contiguous_processed
                })
            }
            Some(Section::RefNodes) if trimmed.starts_with(b"refnode") => {
                let ids = small::ref_list(trimmed);
                self.tensor_list(What::RefList, line, ids, |raw| &mut raw.unions)
            }
            Some(Section::Groups) if trimmed.starts_with(b"stm") => {
                let group = small::stream_group(trimmed).and_then(|ids| {
                    ids.into_iter()
                        .map(|s| u32::try_from(s).ok())
                        .collect::<Option<Vec<u32>>>()
                });
                known(What::GroupList, group.map(|ids| raw.groups.push_row(ids)))
            }
            Some(Section::Groups | Section::RefNodes) if trimmed.starts_with(b"event_id") => {
                let event = small::event(trimmed).and_then(|(id, send, recv)| {
                    Some(Event {
                        id,
                        send: raw.names.push(send)?,
                        recv: raw.names.push(recv.trim_ascii_end())?,
                    })
                });
                known(What::EventLine, event.map(|e| raw.events.push(e)))
            }
            Some(Section::Blocks) if trimmed.starts_with(b"start_offset") => Small::Read,
            Some(Section::Blocks) if trimmed.first().is_some_and(u8::is_ascii_digit) => known(
                What::Block,
                small::block(trimmed)
                    .map(|(start, size)| raw.blocks.push(ByteRange::at(start, size))),
            ),
            Some(_) => Small::Unknown,
            None => {
                self.lines.unread += 1;
                if self.diagnostics.errors == 0 {
                    let args = vec![Arg::Text(quoted(line, 60))];
                    self.diagnostics.add(
                        Code::NotADump,
                        self.lines.total,
                        1,
                        args,
                        Some(excerpt(line, 0, line.len())),
                    );
                }
                Small::Handled
            }
        }
    }

    /// Keeps a list of tensor ids as a row of `rows`.
    fn tensor_list(
        &mut self,
        what: What,
        line: &[u8],
        ids: Option<Vec<u64>>,
        rows: impl Fn(&mut RawDump) -> &mut Lists,
    ) -> Small {
        let Some(ids) = ids else {
            return Small::Unread(what);
        };
        for &id in &ids {
            if self.raw.tensor_lookup.row(id).is_none() {
                let item = format!("%{id}T");
                let at = memchr::memmem::find(line, item.as_bytes()).unwrap_or(0);
                let suspect = SuspectKind::TensorRef(id);
                self.raw
                    .suspect(suspect, self.lines.total, line, at, item.len());
            }
            let code = self.raw.refs.encode(id, false);
            rows(&mut self.raw).push_item(code);
        }
        rows(&mut self.raw).end_row();
        Small::Read
    }

    fn header(&mut self, section: Section, line: &[u8]) -> Small {
        match Columns::of_header(line, section) {
            Ok(columns) => {
                if section == Section::Tensors {
                    self.raw.has_columns = true;
                    self.raw.has_life = columns.has(Column::LifeStart);
                    self.raw.has_addr = columns.has(Column::Address);
                }
                self.columns = Some(columns);
                Small::Read
            }
            Err(missing) => {
                self.no_columns = true;
                let args = vec![
                    Arg::Text(missing.to_owned()),
                    Arg::Text(section.title().to_owned()),
                ];
                self.unread(Code::MissingColumn, line, 0, line.len(), args);
                Small::Handled
            }
        }
    }

    fn begin_section(&mut self, section: Option<Section>, line: &[u8]) {
        self.lines.records += 1;
        let Some(section) = section else {
            self.skipping = true;
            self.section = None;
            let args = vec![Arg::Text(quoted(line.trim_ascii(), 60))];
            self.diagnostics.add(
                Code::UnknownSection,
                self.lines.total,
                1,
                args,
                Some(excerpt(line, 0, line.len())),
            );
            return;
        };
        self.enter(section);
    }

    fn enter(&mut self, section: Section) {
        if self.first_section == Some(section) && self.missing_section().is_none() {
            self.copies += 1;
            self.in_copy = Default::default();
        }
        self.first_section.get_or_insert(section);
        let place = section.place();
        if let Some(seen) = self.raw.seen.get_mut(place) {
            *seen += 1;
            if *seen > 1 {
                self.raw.forget(section);
            }
        }
        if let Some(seen) = self.in_copy.get_mut(place) {
            *seen = true;
        }
        if section == Section::Nodes {
            self.raw.make_lookups();
        }
        self.raw.reserve(section, self.expected);
        self.section = Some(section);
        self.skipping = false;
        self.lost_head = false;
        self.no_columns = false;
        self.columns = None;
    }

    fn total_line(&mut self, line: &[u8]) {
        let Some((value, behind)) = small::total(line) else {
            self.enter(Section::Total);
            let args = vec![Arg::What(What::Total), Arg::Text(quoted(line, 60))];
            return self.unread(Code::UnreadableField, line, 0, line.len(), args);
        };
        self.enter(Section::Total);
        self.lines.records += 1;
        let at = Section::Total.title().len() + 1;
        self.raw.total = Some((value, self.lines.total, column_of(line, at)));
        if !behind.is_empty() {
            if let Some(section) = Section::of_header(behind) {
                self.lines.records -= 1;
                self.begin_section(section, behind);
            }
        }
    }

    /// The first section that every dump of this variant has and this copy lacks.
    fn missing_section(&self) -> Option<Section> {
        use Section as S;
        let needed: &[S] = match (self.raw.has_life, self.raw.has_addr) {
            _ if !self.raw.has_columns => &[S::Tensors, S::Nodes, S::Groups],
            (false, _) => &[S::Tensors, S::Nodes, S::Groups, S::RefNodes],
            (true, true) => &[S::Parameters, S::Tensors, S::Nodes, S::Groups],
            (true, false) => &[
                S::Parameters,
                S::Tensors,
                S::Nodes,
                S::Unions,
                S::Contiguous,
                S::Processed,
                S::Groups,
                S::Blocks,
                S::Total,
            ],
        };
        let seen = |s: S| self.in_copy.get(s.place()).copied().unwrap_or(false);
        let excused = |s: S| s == S::Parameters && self.is_cache_text();
        needed.iter().copied().find(|s| !seen(*s) && !excused(*s))
    }

    /// The text form of the cache is a main dump of an early stage without its parameters.
    fn is_cache_text(&self) -> bool {
        let unplaced = self
            .raw
            .total
            .map_or(self.raw.has_addr, |(total, ..)| total == 0);
        self.first_section == Some(Section::Tensors)
            && unplaced
            && self.raw.tensors.offset.iter().all(|o| *o == 0)
    }

    pub(crate) fn finish(
        mut self,
        kind: FileKind,
        options: ReadOptions,
        gz_failed: bool,
    ) -> Parsed {
        let seen = |s: Section| self.raw.seen.get(s.place()).is_some_and(|n| *n > 0);
        let has_tables = seen(Section::Tensors);
        let kind = match kind {
            FileKind::Unknown if has_tables => FileKind::MainDump,
            FileKind::Empty if self.lines.total > self.lines.blank => FileKind::Unknown,
            kind => kind,
        };
        if gz_failed {
            // What follows the damage is noise: one message for one cause.
            if !options.partial {
                self.diagnostics = Diagnostics::default();
            }
            self.diagnostics.add(Code::GzDamaged, 0, 0, vec![], None);
        } else if kind == FileKind::MainDump {
            let told = self.cut && self.copies == 0;
            if let Some(missing) = self.missing_section().filter(|_| !told) {
                let code = if self.copies > 0 {
                    Code::LastCopyCut
                } else {
                    Code::MissingSection
                };
                let args = vec![Arg::Text(missing.title().to_owned())];
                self.diagnostics.add(code, self.lines.total, 0, args, None);
            }
        } else if kind == FileKind::Empty {
            self.diagnostics.add(Code::EmptyFile, 0, 0, vec![], None);
        } else if kind.is_sibling() {
            self.diagnostics
                .add(Code::NotThePlan, 0, 0, vec![Arg::Kind(kind)], None);
        }
        let (mut plan, mut positions) = (None, Positions::default());
        if kind == FileKind::MainDump
            && has_tables
            && (options.partial || self.diagnostics.errors == 0)
        {
            let incomplete = (self.diagnostics.errors > 0).then_some(Incomplete {
                unread_lines: self.lines.unread,
            });
            if let Some(read) = resolve::resolve(self.raw, incomplete, &mut self.diagnostics) {
                (plan, positions) = (Some(read.0), read.1);
            }
        }
        self.diagnostics.sort();
        let damaged = kind == FileKind::MainDump && has_tables && self.diagnostics.errors > 0;
        Parsed {
            kind,
            plan,
            positions,
            damaged,
            diagnostics: self.diagnostics,
            lines: self.lines,
            sibling: None,
        }
    }

    fn unread(&mut self, code: Code, line: &[u8], at: usize, width: usize, args: Vec<Arg>) {
        self.lines.unread += 1;
        let excerpt = self
            .diagnostics
            .has_room(code)
            .then(|| excerpt(line, at, width));
        self.diagnostics
            .add(code, self.lines.total, column_of(line, at), args, excerpt);
    }

    fn title(&self) -> Arg {
        Arg::Text(
            self.section
                .map_or_else(String::new, |s| s.title().to_owned()),
        )
    }

    fn unknown_line(&mut self, line: &[u8]) {
        let args = vec![self.title(), Arg::Text(quoted(line, 60))];
        self.unread(Code::UnknownLine, line, 0, line.len(), args);
    }

    /// A row whose columns are not known: one error for all of them.
    fn no_header(&mut self, line: &[u8]) {
        if self.no_columns {
            self.lines.unread += 1;
            return;
        }
        self.no_columns = true;
        let args = vec![self.title()];
        self.unread(Code::NoHeader, line, 0, line.len(), args);
    }

    fn row_fault(&mut self, fault: RowFault, line: &[u8], at_end: bool) {
        let text = |at: usize, width: usize| {
            Arg::Text(quoted(
                line.get(at..at + width)
                    .or_else(|| line.get(at..))
                    .unwrap_or(&[]),
                60,
            ))
        };
        let (code, at, width, args) = match fault {
            RowFault::Field(what, at, width) => (
                Code::UnreadableField,
                at,
                width,
                vec![Arg::What(what), text(at, width)],
            ),
            RowFault::TooLarge(what, at, width) => (
                Code::NumberTooLarge,
                at,
                width,
                vec![Arg::What(what), text(at, width)],
            ),
            RowFault::FieldCount(expected, found) => {
                self.cut = at_end && found < expected;
                let code = if self.cut {
                    Code::RowCut
                } else {
                    Code::FieldCount
                };
                // The place where the first missing field would begin, or the first one too many.
                let fields = rows::fields(line, expected);
                let at = fields.get(expected).map_or(line.len(), |f| f.0);
                let args = vec![
                    Arg::Number(expected as u64),
                    self.title(),
                    Arg::Number(found as u64),
                ];
                (code, at, line.len() - at, args)
            }
            RowFault::Reversed(id, start, end, at, width) => (
                Code::ReversedLife,
                at,
                width,
                vec![Arg::Number(id), Arg::Number(start), Arg::Number(end)],
            ),
            RowFault::TooMany => (Code::TooManyRows, 0, line.len(), vec![self.title()]),
        };
        self.unread(code, line, at, width, args);
    }
}

/// What became of a line that is no hot row.
enum Small {
    /// Read.
    Read,
    /// Accounted for already.
    Handled,
    /// A row of its section that could not be read.
    Unread(What),
    /// Nothing that could stand here.
    Unknown,
}
