//! Rows of the tensor and parameter tables.
//!
//! The tensor rows of 1.9 and later have a fast path that either takes the whole row or leaves
//! it alone; everything else, and every row the fast path does not like, is read field by field
//! by the names of the columns, and there a fault gets its position.

use super::diagnostic::What;
use super::raw::{RawDump, SuspectKind};
use super::sections::{Column, Columns};
use super::token::{pointer, whole_number, Cursor};
use crate::model::{Lifelong, TensorKind};

/// Why a row could not be read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RowFault {
    /// A field is not what its column holds: what was expected, first byte, length.
    Field(What, usize, usize),
    /// A number is beyond what the format allows.
    TooLarge(What, usize, usize),
    /// Expected and found number of fields.
    FieldCount(usize, usize),
    /// A lifetime that ends before it begins: id, start, end; first byte and length of the end.
    Reversed(u64, u64, u64, usize, usize),
    /// More rows than can be numbered.
    TooMany,
}

/// Most rows of a table: indices are 31 bits.
pub(crate) const MOST_ROWS: u32 = (1 << 31) - 2;

/// A tensor or control row.
struct TensorRow<'a> {
    id: u64,
    control_suffix: bool,
    aligned: u64,
    original: u64,
    offset: u64,
    address: Option<u64>,
    kind: Word<'a, TensorKind>,
    lifelong: Word<'a, Lifelong>,
    first: u32,
    last: u32,
    name: Option<&'a [u8]>,
}

/// A word of the dump: known already, or still to be looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word<'a, T> {
    Known(T),
    Text(&'a [u8]),
}

/// Reads one row of `All Tensors`.
pub(crate) fn tensor_row(
    dump: &mut RawDump,
    columns: &Columns,
    line_no: u64,
    line: &[u8],
) -> Result<(), RowFault> {
    let row = if columns.is_c_tensor_order {
        fast_tensor(line)
    } else {
        None
    };
    let row = match row {
        Some(row) => row,
        None => careful_tensor(columns, line)?,
    };
    // A name that is known for its step holds no tab: the row has no field too many.
    if let Some(name) = row
        .name
        .filter(|name| dump.known_name(row.first, name).is_none())
    {
        if columns.is_c_tensor_order && memchr::memchr(b'\t', name).is_some() {
            return careful_tensor(columns, line).map(|_| ());
        }
        note_name(dump, row.first, name, line_no, line, columns)?;
    }
    let kind = match row.kind {
        Word::Known(kind) => kind,
        Word::Text(word) => dump.kind_words.intern(word),
    };
    if row.control_suffix || kind == TensorKind::CONTROL {
        return control_row(dump, &row);
    }
    let index = dump.tensors.ids.len();
    if index >= MOST_ROWS {
        return Err(RowFault::TooMany);
    }
    if (row.aligned | row.offset) & 511 != 0 && row.aligned != 0 {
        let at = field_start(columns, line, Column::Offset);
        dump.suspect(SuspectKind::Misaligned { row: index }, line_no, line, at, 1);
    }
    if let Some(address) = row.address.filter(|a| *a != 0 && row.aligned != 0) {
        note_address(dump, columns, (index, address, row.offset), line_no, line);
    }
    let lifelong = match row.lifelong {
        Word::Known(lifelong) => lifelong,
        Word::Text(word) => {
            let word = super::diagnostic::quoted(word, 60);
            dump.tensors.odd_lifelong.push((index, word));
            Lifelong::None
        }
    };
    let t = &mut dump.tensors;
    t.ids.push(row.id);
    t.aligned.push(row.aligned);
    t.original.push(row.original);
    t.offset.push(row.offset);
    t.kind.push(kind);
    t.lifelong.push(lifelong);
    t.first.push(row.first);
    t.last.push(row.last);
    t.lines.push(line_no);
    Ok(())
}

fn control_row(dump: &mut RawDump, row: &TensorRow<'_>) -> Result<(), RowFault> {
    if dump.control.ids.len() >= MOST_ROWS {
        return Err(RowFault::TooMany);
    }
    dump.control.plain_suffix |= !row.control_suffix;
    dump.control.ids.push(row.id);
    dump.control.before.push(row.first);
    dump.control.after.push(row.last);
    Ok(())
}

fn note_name(
    dump: &mut RawDump,
    step: u32,
    name: &[u8],
    line_no: u64,
    line: &[u8],
    columns: &Columns,
) -> Result<(), RowFault> {
    let (known, differs) = dump.note_name(step, name).ok_or(RowFault::TooMany)?;
    if differs {
        let here = super::diagnostic::quoted(name, 60);
        let there = super::diagnostic::quoted(dump.names.get(known), 60);
        let at = field_start(columns, line, Column::Name);
        dump.suspect(
            SuspectKind::Name { step, here, there },
            line_no,
            line,
            at,
            name.len(),
        );
    }
    Ok(())
}

fn note_address(
    dump: &mut RawDump,
    columns: &Columns,
    (row, address, offset): (u32, u64, u64),
    line_no: u64,
    line: &[u8],
) {
    let base = address.wrapping_sub(offset);
    match dump.base {
        None => dump.base = Some(base),
        Some(known) if known != base => {
            let expected = known.wrapping_add(offset);
            let at = field_start(columns, line, Column::Address);
            dump.suspect(
                SuspectKind::Address {
                    row,
                    found: address,
                    expected,
                },
                line_no,
                line,
                at,
                1,
            );
        }
        Some(_) => {}
    }
}

#[inline]
fn lifelong_of(word: &[u8]) -> Word<'_, Lifelong> {
    Word::Known(match word {
        b"LifeLongNone" | b"0" => Lifelong::None,
        b"LifeLongGraphAll" | b"1" => Lifelong::GraphAll,
        b"LifeLongGraphStart" | b"2" => Lifelong::GraphStart,
        b"LifeLongGraphEnd" | b"3" => Lifelong::GraphEnd,
        _ => return Word::Text(word),
    })
}

/// `%0T #442368S #442368S &0 Common LifeLongNone 0 1 name`, tabs between.
#[inline]
fn fast_tensor(line: &[u8]) -> Option<TensorRow<'_>> {
    let mut c = Cursor::new(line);
    c.byte(b'%')?;
    let id = c.number()?;
    let control_suffix = c.rest.first() == Some(&b'C');
    if control_suffix {
        c.byte(b'C')?;
    }
    c.literal(b"T\t#")?;
    let aligned = c.number()?;
    c.literal(b"S\t#")?;
    let original = c.number()?;
    c.literal(b"S\t&")?;
    let offset = c.number()?;
    c.byte(b'\t')?;
    let kind = common_word(&mut c)?;
    let lifelong = match c.literal(b"LifeLongNone\t") {
        Some(()) => Word::Known(Lifelong::None),
        None => lifelong_of(non_empty(c.word()?)?),
    };
    let first = c.number32()?;
    c.byte(b'\t')?;
    let last = c.number32()?;
    c.byte(b'\t')?;
    let name = c.rest.trim_ascii_end();
    (first <= last).then_some(TensorRow {
        id,
        control_suffix,
        aligned,
        original,
        offset,
        address: None,
        kind,
        lifelong,
        first,
        last,
        name: Some(name),
    })
}

/// A type word, the frequent ones by one comparison.
#[inline(always)]
fn common_word<'a>(c: &mut Cursor<'a>) -> Option<Word<'a, TensorKind>> {
    let known = match c.rest.first()? {
        b'C' => match c.literal(b"Common\t") {
            Some(()) => Some(TensorKind::COMMON),
            None => c.literal(b"Control\t").map(|()| TensorKind::CONTROL),
        },
        b'O' => c.literal(b"OutputOnly\t").map(|()| TensorKind::OUTPUT_ONLY),
        b'W' => c.literal(b"Workspace\t").map(|()| TensorKind::WORKSPACE),
        b'U' => c.literal(b"Union\t").map(|()| TensorKind::UNION),
        _ => None,
    };
    match known {
        Some(kind) => Some(Word::Known(kind)),
        None => c.word().and_then(non_empty).map(Word::Text),
    }
}

fn non_empty(word: &[u8]) -> Option<&[u8]> {
    (!word.is_empty()).then_some(word)
}

/// The fields of a line with the place of their first byte. Empty fields behind the last column
/// (trailing tabs) are left out.
pub(crate) fn fields(line: &[u8], most: usize) -> Vec<(usize, &[u8])> {
    let mut out = Vec::with_capacity(most);
    let mut at = 0;
    for field in line.split(|b| *b == b'\t') {
        out.push((at, field));
        at += field.len() + 1;
    }
    while out.len() > most && out.last().is_some_and(|(_, f)| f.trim_ascii().is_empty()) {
        out.pop();
    }
    out
}

/// The first byte of a column's field.
fn field_start(columns: &Columns, line: &[u8], column: Column) -> usize {
    let place = columns.order.iter().position(|c| *c == column).unwrap_or(0);
    fields(line, columns.order.len())
        .get(place)
        .map_or(0, |f| f.0)
}

/// One field of a row, with what its column holds.
struct Field<'a> {
    what: What,
    at: usize,
    text: &'a [u8],
}

impl<'a> Field<'a> {
    fn fault(&self) -> RowFault {
        RowFault::Field(self.what, self.at, self.text.len().max(1))
    }

    fn number(&self, text: &[u8]) -> Result<u64, RowFault> {
        match whole_number(text) {
            Ok(Some(value)) => Ok(value),
            Ok(None) => Err(self.fault()),
            Err(()) => Err(RowFault::TooLarge(self.what, self.at, self.text.len())),
        }
    }

    fn number32(&self) -> Result<u32, RowFault> {
        let value = self.number(self.text)?;
        u32::try_from(value).map_err(|_| RowFault::TooLarge(self.what, self.at, self.text.len()))
    }

    /// `#2560S`.
    fn size(&self) -> Result<u64, RowFault> {
        let inner = self
            .text
            .strip_prefix(b"#")
            .and_then(|t| t.strip_suffix(b"S"));
        self.number(inner.ok_or_else(|| self.fault())?)
    }

    /// `&4096`.
    fn offset(&self) -> Result<u64, RowFault> {
        let inner = self.text.strip_prefix(b"&");
        self.number(inner.ok_or_else(|| self.fault())?)
    }

    fn address(&self) -> Result<u64, RowFault> {
        pointer(self.text).ok_or_else(|| self.fault())
    }

    /// `%12` and one of the suffixes; the second value is the suffix's place.
    fn id(&self, suffixes: &[&[u8]]) -> Result<(u64, usize), RowFault> {
        let inner = self.text.strip_prefix(b"%").ok_or_else(|| self.fault())?;
        let found = suffixes
            .iter()
            .enumerate()
            .find_map(|(i, s)| Some((inner.strip_suffix(*s)?, i)));
        let (digits, suffix) = found.ok_or_else(|| self.fault())?;
        Ok((self.number(digits)?, suffix))
    }

    fn word(&self) -> Result<&'a [u8], RowFault> {
        if self.text.is_empty() {
            Err(self.fault())
        } else {
            Ok(self.text)
        }
    }
}

fn careful_tensor<'a>(columns: &Columns, line: &'a [u8]) -> Result<TensorRow<'a>, RowFault> {
    let found = fields(line, columns.order.len());
    if found.len() != columns.order.len() {
        return Err(RowFault::FieldCount(columns.order.len(), found.len()));
    }
    let mut row = TensorRow {
        id: 0,
        control_suffix: false,
        aligned: 0,
        original: 0,
        offset: 0,
        address: None,
        kind: Word::Text(b""),
        lifelong: Word::Text(b""),
        first: 0,
        last: 0,
        name: None,
    };
    let mut end_at = (0, 0);
    for (column, (at, raw)) in columns.order.iter().zip(&found) {
        let text = if *column == Column::Name {
            raw.trim_ascii_end()
        } else {
            raw.trim_ascii()
        };
        let field = |what| Field {
            what,
            at: *at,
            text,
        };
        match column {
            Column::Index => {
                let (id, suffix) = field(What::TensorId).id(&[b"CT", b"T"])?;
                (row.id, row.control_suffix) = (id, suffix == 0);
            }
            Column::Size => row.aligned = field(What::AlignedSize).size()?,
            Column::OriginalSize => row.original = field(What::OriginalSize).size()?,
            Column::Offset => row.offset = field(What::Offset).offset()?,
            Column::Address => row.address = Some(field(What::Address).address()?),
            Column::Type => row.kind = Word::Text(field(What::TypeWord).word()?),
            Column::Lifelong => row.lifelong = lifelong_of(field(What::LifelongWord).word()?),
            Column::LifeStart => row.first = field(What::LifeStart).number32()?,
            Column::LifeEnd => {
                row.last = field(What::LifeEnd).number32()?;
                end_at = (*at, text.len());
            }
            Column::Name => row.name = Some(text),
            Column::OutIndex | Column::Unknown => {}
        }
    }
    // The columns of a control tensor are the ends of an edge, which may lead anywhere.
    let is_edge = row.control_suffix || matches!(row.kind, Word::Text(b"Control"));
    if row.last < row.first && !is_edge {
        return Err(RowFault::Reversed(
            row.id,
            u64::from(row.first),
            u64::from(row.last),
            end_at.0,
            end_at.1,
        ));
    }
    Ok(row)
}

/// Reads one row of `All Parameters`.
pub(crate) fn parameter_row(
    dump: &mut RawDump,
    columns: &Columns,
    line_no: u64,
    line: &[u8],
) -> Result<(), RowFault> {
    let found = fields(line, columns.order.len());
    if found.len() != columns.order.len() {
        return Err(RowFault::FieldCount(columns.order.len(), found.len()));
    }
    let (mut id, mut size, mut address, mut name, mut out_index) = (0, 0, None, &b""[..], 0);
    for (column, (at, raw)) in columns.order.iter().zip(&found) {
        let text = if *column == Column::Name {
            raw
        } else {
            raw.trim_ascii()
        };
        let field = |what| Field {
            what,
            at: *at,
            text,
        };
        match column {
            Column::Index => id = field(What::ParameterId).id(&[b"P"])?.0,
            Column::Size => size = field(What::ParameterSize).size()?,
            Column::Address => address = Some(field(What::Address).address()?),
            Column::Name => name = text,
            Column::OutIndex => out_index = field(What::OutIndex).number32()?,
            _ => {}
        }
    }
    if dump.parameters.ids.len() >= MOST_ROWS {
        return Err(RowFault::TooMany);
    }
    let name = dump.names.push(name).ok_or(RowFault::TooMany)?;
    let p = &mut dump.parameters;
    p.ids.push(id);
    p.size.push(size);
    p.start_addr.extend(address);
    p.name.push(name);
    p.out_index.push(out_index);
    p.lines.push(line_no);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::sections::Section;
    use super::*;

    const HEADER: &[u8] = b"index:\taligned_size:\toriginal_size:\toffset:\ttype:\tlifelong:\tlife_start:\tlife_end:\tsource node name:";

    fn read(line: &str) -> Result<RawDump, RowFault> {
        let columns = Columns::of_header(HEADER, Section::Tensors).unwrap();
        let mut dump = RawDump::default();
        tensor_row(&mut dump, &columns, 1, line.as_bytes()).map(|()| dump)
    }

    #[test]
    fn the_fast_and_the_careful_path_read_the_same() {
        let line = "%0T\t#1024S\t#480S\t&512\tUnion\tLifeLongGraphEnd\t3\t4\ta b/c[1], d";
        let columns = Columns::of_header(HEADER, Section::Tensors).unwrap();
        let (fast, careful) = (
            fast_tensor(line.as_bytes()).unwrap(),
            careful_tensor(&columns, line.as_bytes()).unwrap(),
        );
        assert_eq!(
            (fast.id, fast.aligned, fast.original, fast.offset),
            (
                careful.id,
                careful.aligned,
                careful.original,
                careful.offset
            )
        );
        assert_eq!(
            (fast.lifelong, fast.first, fast.last),
            (careful.lifelong, careful.first, careful.last)
        );
        assert_eq!(fast.name, careful.name);
    }

    #[test]
    fn faults_point_at_their_field() {
        let fault = |line| read(line).err().unwrap();
        assert_eq!(
            fault("%2T\t#512S\t#512\t&0\tCommon\tLifeLongNone\t2\t6\tx"),
            RowFault::Field(What::OriginalSize, 10, 4)
        );
        assert_eq!(fault("%3T\t#512S\t#8S"), RowFault::FieldCount(9, 3));
        assert_eq!(
            fault("%3T\t#512S\t#8S\t&0\tCommon\tLifeLongNone\t4\t3\tx"),
            RowFault::Reversed(3, 4, 3, 39, 1)
        );
        assert_eq!(
            fault("%3T\t#9223372036854775808S\t#8S\t&0\tCommon\tLifeLongNone\t4\t5\tx"),
            RowFault::TooLarge(What::AlignedSize, 4, 21)
        );
        assert_eq!(
            fault("%3P\t#512S\t#8S\t&0\tCommon\tLifeLongNone\t4\t5\tx"),
            RowFault::Field(What::TensorId, 0, 3)
        );
        assert_eq!(
            fault("%3T\t#512S\t#8S\t&0\t\tLifeLongNone\t4\t5\tx"),
            RowFault::Field(What::TypeWord, 17, 1)
        );
        assert_eq!(
            fault("%3T\t#512S\t#8S\t&0\tCommon\tLifeLongNone\t4\t5\tx\ty"),
            RowFault::FieldCount(9, 10)
        );
    }

    #[test]
    fn odd_words_are_kept_and_empty_names_are_names() {
        let dump = read("%0T\t#512S\t#8S\t&0\tMagic\tLifeLongHalf\t4\t5\t").unwrap();
        assert_eq!(dump.kind_words.word(dump.tensors.kind[0]), "Magic");
        assert_eq!(dump.tensors.odd_lifelong, [(0, "LifeLongHalf".to_owned())]);
        assert!(read("%0T\t#512S\t#8S\t&0\tMagic\t0\t4\t5\tname \t\t").is_ok());
    }

    #[test]
    fn control_rows_are_told_by_suffix_or_type() {
        for (line, plain) in [
            ("%0CT\t#0S\t#0S\t&0\tControl\tLifeLongNone\t0\t1\tx", false),
            ("%0T\t#0S\t#0S\t&0\tControl\tLifeLongNone\t0\t1\tx", true),
            ("%0CT\t#0S\t#0S\t&0\tControl\tLifeLongNone\t4\t1\tx", false),
            ("%0T\t#0S\t#0S\t&0\tControl\tLifeLongNone\t4\t1\tx", true),
        ] {
            let dump = read(line).unwrap();
            assert_eq!(
                (
                    dump.tensors.ids.len(),
                    dump.control.ids.len(),
                    dump.control.plain_suffix
                ),
                (0, 1, plain)
            );
        }
    }
}
