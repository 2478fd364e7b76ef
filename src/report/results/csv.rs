//! Comma separated values as spreadsheets and pandas read them: UTF-8 with a byte order mark, `\n`,
//! list items joined with `; `, cells that end before the spreadsheets' limit, names that cannot
//! be taken for a formula.
//!
//! Written by hand: cells are built in place from the columns of a plan, by the million, and the
//! rules about lists, cuts and formulas are the larger part. The tests read the files back with
//! the `csv` crate.

use std::io::{self, Write};

use memchr::{memchr, memchr3};

use crate::report::names;

/// A cell has fewer characters than this: the limit of spreadsheets.
pub const LIMIT: usize = 32_767;

/// Text is handed on in pieces of about this size.
const PIECE: usize = 1 << 16;

/// Bytes after which a file is written on in another part.
const PART: usize = 1 << 19;

/// Room beside a piece for the row that makes it one: mostly enough, and the buffer never moves.
const ROOM: usize = 1 << 13;

/// Writes rows.
pub(crate) struct Csv<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// Every name of the dump is plain, see [`is_plain`].
    plain: bool,
    /// Ends of the items of a long list: places in the buffer, and characters.
    ends: Vec<(usize, usize)>,
    /// Bytes handed on.
    written: usize,
}

impl<'a> Csv<'a> {
    /// Begins a file with its header. `plain`: every name of the dump is, see [`is_plain`].
    pub(crate) fn new(out: &'a mut dyn Write, header: &[&str], plain: bool) -> io::Result<Self> {
        let mut csv = Self::going_on(out, plain);
        csv.buffer.extend_from_slice("\u{feff}".as_bytes());
        for title in header {
            csv.text(title.as_bytes());
        }
        csv.end_row()?;
        Ok(csv)
    }

    /// Goes on with a file that has its header.
    pub(crate) fn going_on(out: &'a mut dyn Write, plain: bool) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(PIECE + ROOM),
            plain,
            ends: Vec::new(),
            written: 0,
        }
    }

    /// Whether there is enough for a part.
    pub(crate) fn is_part(&self) -> bool {
        self.written >= PART
    }

    /// Every cell ends in a comma; the last one of a row gives its place to the line end.
    fn comma(&mut self) {
        self.buffer.push(b',');
    }

    /// An empty cell.
    pub(crate) fn empty(&mut self) {
        self.comma();
    }

    /// A number.
    pub(crate) fn number(&mut self, n: u64) {
        push_number(&mut self.buffer, n);
        self.comma();
    }

    /// A number, or an empty cell.
    pub(crate) fn maybe(&mut self, n: Option<u64>) {
        if let Some(n) = n {
            push_number(&mut self.buffer, n);
        }
        self.comma();
    }

    /// A number in hex, or an empty cell.
    pub(crate) fn maybe_hex(&mut self, n: Option<u64>) {
        if let Some(n) = n {
            push_hex(&mut self.buffer, n);
        }
        self.comma();
    }

    /// A word of ours, which needs no quotes.
    pub(crate) fn text(&mut self, text: &[u8]) {
        self.buffer.extend_from_slice(text);
        self.comma();
    }

    /// A name of the dump.
    pub(crate) fn name(&mut self, name: &[u8]) {
        let start = self.buffer.len();
        let plain = push_name(&mut self.buffer, name, self.plain);
        if !plain || name.len() >= LIMIT {
            self.guard_formula(start);
            if self.buffer.len() - start >= LIMIT {
                self.cut_name(start);
            }
            self.quote(start);
        }
        self.comma();
    }

    /// Cuts a name that fills a cell by itself.
    fn cut_name(&mut self, start: usize) {
        let text = String::from_utf8_lossy(self.buffer.get(start..).unwrap_or(&[])).into_owned();
        let chars = text.chars().count();
        if chars < LIMIT {
            return;
        }
        let mut keep = LIMIT - 1;
        loop {
            let tail = format!("… (+{} more)", chars - keep);
            let room = LIMIT - 1 - tail.chars().count();
            if keep > room {
                keep = room;
                continue;
            }
            self.buffer.truncate(start);
            let kept = text.char_indices().nth(keep).map_or(text.len(), |c| c.0);
            self.buffer.extend_from_slice(&text.as_bytes()[..kept]);
            self.buffer.extend_from_slice(tail.as_bytes());
            return;
        }
    }

    /// A list of names of the dump.
    pub(crate) fn names<'n>(&mut self, names: impl ExactSizeIterator<Item = &'n [u8]> + Clone) {
        let plain = self.plain;
        self.list(names, |out, name| push_name(out, name, plain));
    }

    /// A list; `push` appends the text of one item and says whether that is plain: see
    /// [`push_name`].
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T> + Clone,
        mut push: impl FnMut(&mut Vec<u8>, T) -> bool,
    ) {
        let start = self.buffer.len();
        let mut plain = true;
        for (i, item) in items.clone().enumerate() {
            if i > 0 {
                self.buffer.extend_from_slice(b"; ");
            }
            plain &= push(&mut self.buffer, item);
            if i == 0 && !plain {
                self.guard_formula(start);
            }
            // Perhaps too long: then its characters and the ends of its items count.
            if self.buffer.len() - start >= LIMIT {
                self.buffer.truncate(start);
                self.long_list(start, items, push);
                plain = false;
                break;
            }
        }
        if !plain {
            self.quote(start);
        }
        self.comma();
    }

    /// A list of numbers, each behind `lead`.
    pub(crate) fn numbers<const N: usize>(
        &mut self,
        lead: &[u8; N],
        items: impl ExactSizeIterator<Item = u64> + Clone,
    ) {
        self.list(items, |out, n| {
            out.extend_from_slice(lead);
            push_number(out, n);
            true
        });
    }

    /// A list that may have to be cut.
    fn long_list<T>(
        &mut self,
        start: usize,
        items: impl ExactSizeIterator<Item = T>,
        mut push: impl FnMut(&mut Vec<u8>, T) -> bool,
    ) {
        self.ends.clear();
        let (all, mut chars) = (items.len(), 0);
        for item in items {
            let from = self.buffer.len();
            let is_first = self.ends.is_empty();
            if !is_first {
                self.buffer.extend_from_slice(b"; ");
            }
            push(&mut self.buffer, item);
            if is_first {
                self.guard_formula(start);
            }
            chars += char_count(self.buffer.get(from..).unwrap_or(&[]));
            self.ends.push((self.buffer.len(), chars));
            if chars >= LIMIT {
                self.cut(start, all);
                break;
            }
        }
    }

    /// Takes items off until the mark of the cut fits behind them.
    fn cut(&mut self, start: usize, all: usize) {
        while self.ends.pop().is_some() {
            let (bytes, chars) = self.ends.last().copied().unwrap_or((start, 0));
            let lead = if self.ends.is_empty() { "" } else { "; " };
            let tail = format!("{lead}… (+{} more)", all - self.ends.len());
            if chars + tail.chars().count() < LIMIT {
                self.buffer.truncate(bytes);
                self.buffer.extend_from_slice(tail.as_bytes());
                return;
            }
        }
    }

    /// A spreadsheet would run a cell that begins so.
    fn guard_formula(&mut self, start: usize) {
        if begins_formula(self.buffer.get(start)) {
            self.buffer.insert(start, b'\'');
        }
    }

    /// Quotes the cell that begins at `start`, where it must be.
    fn quote(&mut self, start: usize) {
        let cell = self.buffer.get(start..).unwrap_or(&[]);
        if memchr3(b',', b'"', b'\n', cell).is_none() && memchr(b'\r', cell).is_none() {
            return;
        }
        let plain = self.buffer.split_off(start);
        self.buffer.push(b'"');
        for b in plain {
            if b == b'"' {
                self.buffer.push(b'"');
            }
            self.buffer.push(b);
        }
        self.buffer.push(b'"');
    }

    /// Ends the row.
    pub(crate) fn end_row(&mut self) -> io::Result<()> {
        if let Some(last) = self.buffer.last_mut() {
            *last = b'\n';
        }
        if self.buffer.len() >= PIECE {
            self.out.write_all(&self.buffer)?;
            self.written += self.buffer.len();
            self.buffer.clear();
        }
        Ok(())
    }

    /// Ends the file.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.out.write_all(&self.buffer)
    }
}

/// Characters of a text in UTF-8.
fn char_count(text: &[u8]) -> usize {
    text.iter().filter(|b| **b & 0xc0 != 0x80).count()
}

/// Appends a decimal number.
#[inline]
pub(crate) fn push_number(out: &mut Vec<u8>, n: u64) {
    if n < EIGHT {
        return push_short(out, n);
    }
    if n < EIGHT * EIGHT {
        push_short(out, n / EIGHT);
    } else {
        push_short(out, n / EIGHT / EIGHT);
        push_eight(out, n / EIGHT % EIGHT);
    }
    push_eight(out, n % EIGHT);
}

const EIGHT: u64 = 100_000_000;

/// A number below 10^8.
#[inline(always)]
fn push_short(out: &mut Vec<u8>, n: u64) {
    let digits = eight_digits(n);
    // The first digit is the lowest byte; of 0 the last one stays.
    let zeros = (digits | 1 << 56).trailing_zeros() / 8;
    let text = (digits | ASCII_ZEROS) >> (8 * zeros);
    push_some(out, &text.to_le_bytes(), 8 - zeros as usize);
}

/// All eight digits of a number below 10^8.
#[inline(always)]
fn push_eight(out: &mut Vec<u8>, n: u64) {
    out.extend_from_slice(&(eight_digits(n) | ASCII_ZEROS).to_le_bytes());
}

const ASCII_ZEROS: u64 = u64::from_le_bytes(*b"00000000");

/// The digits of a number below 10^8, a byte each, the first one lowest: halves are divided side
/// by side, as multiplying by a fraction does for numbers this small.
fn eight_digits(n: u64) -> u64 {
    let fours = (n / 10_000) | ((n % 10_000) << 32);
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

/// Appends `0x` and a number in hex.
fn push_hex(out: &mut Vec<u8>, mut n: u64) {
    let length = n.checked_ilog2().unwrap_or(0) as usize / 4 + 1;
    let mut digits = [b'0'; 18];
    digits[1] = b'x';
    for digit in digits[2..2 + length].iter_mut().rev() {
        *digit = b"0123456789abcdef"[(n & 15) as usize];
        n >>= 4;
    }
    push_some(out, &digits, 2 + length);
}

/// Appends the first bytes of an array. All of it is copied: a length that is known needs no loop.
fn push_some<const N: usize>(out: &mut Vec<u8>, bytes: &[u8; N], length: usize) {
    let end = out.len() + length;
    out.extend_from_slice(bytes);
    out.truncate(end);
}

fn begins_formula(first: Option<&u8>) -> bool {
    matches!(first, Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r'))
}

/// Whether bytes mean themselves in a cell: nothing that acts, and nothing that needs quotes.
///
/// Looking at every byte is faster than stopping at the first: many are compared at once.
pub(crate) fn is_plain(bytes: &[u8]) -> bool {
    let fine = |ok: bool, b: &u8| ok & (0x20..0x7f).contains(b) & (*b != b',') & (*b != b'"');
    bytes.iter().fold(true, fine)
}

/// Appends a name of the dump as text; whether it is plain: a cell needs no quotes for it, and
/// nobody takes it for a formula. `known`: its bytes are known to be plain.
#[inline]
pub(crate) fn push_name(out: &mut Vec<u8>, name: &[u8], known: bool) -> bool {
    if (known || is_plain(name)) && !begins_formula(name.first()) {
        out.extend_from_slice(name);
        return true;
    }
    out.extend_from_slice(names::display(name).as_bytes());
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(row: impl FnOnce(&mut Csv<'_>)) -> String {
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out, &["", "A"], false).unwrap();
        row(&mut csv);
        csv.end_row().unwrap();
        csv.finish().unwrap();
        let text = String::from_utf8(out).unwrap();
        text.strip_prefix("\u{feff},A\n").unwrap().to_owned()
    }

    #[test]
    fn cells_are_quoted_where_they_must_and_names_are_no_formulas() {
        assert_eq!(
            written(|c| {
                c.name(b"a,b");
                c.name(b"=1+\"x\"");
            }),
            "\"a,b\",\"'=1+\"\"x\"\"\"\n"
        );
        assert_eq!(
            written(|c| {
                c.number(0);
                c.maybe(None);
                c.maybe_hex(Some(255));
            }),
            "0,,0xff\n"
        );
        let powers = (0..64).map(|i| 1 << i);
        for n in [0, 9, 10, 99, 100, 101, 999, 1000, 1_234_567, u64::MAX]
            .into_iter()
            .chain(powers)
        {
            assert_eq!(written(|c| c.number(n)), format!("{n}\n"));
            assert_eq!(written(|c| c.maybe_hex(Some(n))), format!("{n:#x}\n"));
        }
        assert_eq!(written(|c| c.numbers(b"", [1, 20].into_iter())), "1; 20\n");
        assert_eq!(
            written(|c| c.numbers(b"T", [1, 20].into_iter())),
            "T1; T20\n"
        );
        assert_eq!(written(|c| c.numbers(b"", std::iter::empty())), "\n");
        let names: [&[u8]; 3] = [b"-a", b"=b", b"c,d"];
        let list = |n: usize| written(|c| c.names(names[..n].iter().copied()));
        assert_eq!(list(1), "'-a\n");
        assert_eq!(list(2), "'-a; =b\n");
        assert_eq!(list(3), "\"'-a; =b; c,d\"\n");
    }

    #[test]
    fn every_number_below_ten_thousand_and_some_above() {
        let mut out = Vec::new();
        let scales = [1u64, 10_000, 100_000_000, 99_999_999, 1 << 31];
        for n in (0..10_000u64).flat_map(|n| scales.map(|s| n * s + n)) {
            out.clear();
            push_number(&mut out, n);
            assert_eq!(String::from_utf8_lossy(&out), n.to_string());
        }
    }

    #[test]
    fn long_cells_say_what_is_missing() {
        let text = written(|c| c.numbers(b"", (10_000..20_000u32).map(u64::from)));
        let cell = text.trim_end();
        assert!(cell.chars().count() < LIMIT, "{}", cell.chars().count());
        let kept = cell.split("; ").count() - 1;
        assert!(cell.ends_with(&format!("; … (+{} more)", 10_000 - kept)));
        // One more would not fit.
        assert!(cell.chars().count() + "12345; ".len() >= LIMIT);
        let just = vec![b'a'; LIMIT - 1];
        assert_eq!(written(|c| c.name(&just)).trim_end().len(), LIMIT - 1);
        let long = written(|c| c.name(&vec![b'a'; 40_000]));
        let cell = long.trim_end();
        let kept = cell.chars().filter(|c| *c == 'a').count();
        assert_eq!(cell.chars().count(), LIMIT - 1);
        assert!(cell.ends_with(&format!("… (+{} more)", 40_000 - kept)));
    }
}
