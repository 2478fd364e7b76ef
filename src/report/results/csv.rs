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

/// Writes rows.
pub(crate) struct Csv<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    /// Ends of the items of a long list: places in the buffer, and characters.
    ends: Vec<(usize, usize)>,
    first_in_row: bool,
    /// Bytes handed on.
    written: usize,
}

impl<'a> Csv<'a> {
    /// Begins a file with its header.
    pub(crate) fn new(out: &'a mut dyn Write, header: &[&str]) -> io::Result<Self> {
        let mut csv = Self::going_on(out);
        csv.buffer.extend_from_slice("\u{feff}".as_bytes());
        for title in header {
            csv.text(title);
        }
        csv.end_row()?;
        Ok(csv)
    }

    /// Goes on with a file that has its header.
    pub(crate) fn going_on(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            buffer: Vec::new(),
            ends: Vec::new(),
            first_in_row: true,
            written: 0,
        }
    }

    /// Whether there is enough for a part.
    pub(crate) fn is_part(&self) -> bool {
        self.written >= PART
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.first_in_row, false) {
            self.buffer.push(b',');
        }
    }

    /// An empty cell.
    pub(crate) fn empty(&mut self) {
        self.comma();
    }

    /// A number.
    pub(crate) fn number(&mut self, n: u64) {
        self.comma();
        push_number(&mut self.buffer, n);
    }

    /// A number, or an empty cell.
    pub(crate) fn maybe(&mut self, n: Option<u64>) {
        match n {
            Some(n) => self.number(n),
            None => self.empty(),
        }
    }

    /// A number in hex, or an empty cell.
    pub(crate) fn maybe_hex(&mut self, n: Option<u64>) {
        self.comma();
        if let Some(n) = n {
            let digits = (64 - n.leading_zeros()).div_ceil(4).max(1);
            self.buffer.extend_from_slice(b"0x");
            for i in (0..digits).rev() {
                let digit = (n >> (4 * i)) as u8 & 15;
                self.buffer.push(match digit {
                    0..10 => b'0' + digit,
                    _ => b'a' - 10 + digit,
                });
            }
        }
    }

    /// A word of ours.
    pub(crate) fn text(&mut self, text: &str) {
        self.comma();
        let start = self.buffer.len();
        self.buffer.extend_from_slice(text.as_bytes());
        self.end_cell(start);
    }

    /// A name of the dump.
    pub(crate) fn name(&mut self, name: &[u8]) {
        self.comma();
        let start = self.buffer.len();
        push_name(&mut self.buffer, name);
        self.guard_formula(start);
        if self.buffer.len() - start >= LIMIT {
            self.cut_name(start);
        }
        self.end_cell(start);
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

    /// A list; `push` appends the text of one item.
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T> + Clone,
        mut push: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.comma();
        let start = self.buffer.len();
        for (i, item) in items.clone().enumerate() {
            if i > 0 {
                self.buffer.extend_from_slice(b"; ");
            }
            push(&mut self.buffer, item);
            if i == 0 {
                self.guard_formula(start);
            }
            // Perhaps too long: then its characters and the ends of its items count.
            if self.buffer.len() - start >= LIMIT {
                self.buffer.truncate(start);
                self.long_list(start, items, push);
                break;
            }
        }
        self.end_cell(start);
    }

    /// A list that may have to be cut.
    fn long_list<T>(
        &mut self,
        start: usize,
        items: impl ExactSizeIterator<Item = T>,
        mut push: impl FnMut(&mut Vec<u8>, T),
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
        if matches!(
            self.buffer.get(start),
            Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
        ) {
            self.buffer.insert(start, b'\'');
        }
    }

    /// Quotes the cell that begins at `start`, where it must be.
    fn end_cell(&mut self, start: usize) {
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
        self.buffer.push(b'\n');
        self.first_in_row = true;
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

/// The numbers from 00 to 99.
static PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[0; 2]; 100];
    let mut n = 0;
    while n < 100 {
        pairs[n] = [b'0' + (n / 10) as u8, b'0' + (n % 10) as u8];
        n += 1;
    }
    pairs
};

/// Appends a decimal number.
pub(crate) fn push_number(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    while n >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&PAIRS[(n % 100) as usize]);
        n /= 100;
    }
    // What is left is one digit, or nothing of a number whose pairs are all there.
    if n > 0 || at == digits.len() {
        at -= 1;
        digits[at] = b'0' + n as u8;
    }
    let lead = digits[at] == b'0' && at + 1 < digits.len();
    out.extend_from_slice(&digits[at + usize::from(lead)..]);
}

/// Appends a name of the dump as text.
pub(crate) fn push_name(out: &mut Vec<u8>, name: &[u8]) {
    // Looking at every byte is faster than stopping at the first: many are compared at once.
    let plain = |ok: bool, b: &u8| ok & (0x20..0x7f).contains(b);
    if name.iter().fold(true, plain) {
        out.extend_from_slice(name);
    } else {
        out.extend_from_slice(names::display(name).as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(row: impl FnOnce(&mut Csv<'_>)) -> String {
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out, &["", "A"]).unwrap();
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
        for n in [0, 1, 9, 10, 99, 100, 101, 1000, 1_234_567, u64::MAX] {
            assert_eq!(written(|c| c.number(n)), format!("{n}\n"));
            assert_eq!(written(|c| c.maybe_hex(Some(n))), format!("{n:#x}\n"));
        }
        let list = |c: &mut Csv<'_>| c.list([1u64, 20].into_iter(), push_number);
        assert_eq!(written(list), "1; 20\n");
        assert_eq!(written(|c| c.list(std::iter::empty(), push_number)), "\n");
    }

    #[test]
    fn long_cells_say_what_is_missing() {
        let text = written(|c| c.list(10_000..20_000u32, |out, n| push_number(out, n.into())));
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
