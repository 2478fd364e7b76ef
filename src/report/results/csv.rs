//! Comma separated values as spreadsheets and pandas read them: UTF-8 with a byte order mark, `\n`,
//! list items joined with `; `, cells that end before the spreadsheets' limit, names that cannot
//! be taken for a formula.
//!
//! Written by hand: cells are built in place from the columns of a plan, by the million, and the
//! rules about lists, cuts and formulas are the larger part. The tests read the files back with
//! the `csv` crate.

use std::io::{self, Write};

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
    /// The cell that is being built.
    cell: Vec<u8>,
    /// Ends of the items of a list, in bytes and in characters.
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
            cell: Vec::new(),
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
            self.buffer.extend_from_slice(format!("{n:#x}").as_bytes());
        }
    }

    /// A word of ours.
    pub(crate) fn text(&mut self, text: &str) {
        self.cell.clear();
        self.cell.extend_from_slice(text.as_bytes());
        self.end_cell();
    }

    /// A name of the dump.
    pub(crate) fn name(&mut self, name: &[u8]) {
        self.cell.clear();
        push_name(&mut self.cell, name);
        self.guard_formula();
        let chars = char_count(&self.cell);
        if chars >= LIMIT {
            let mut keep = LIMIT - 1;
            loop {
                let tail = format!("… (+{} more)", chars - keep);
                let room = LIMIT - 1 - tail.chars().count();
                if keep > room {
                    keep = room;
                    continue;
                }
                let text = String::from_utf8_lossy(&self.cell).into_owned();
                let head: String = text.chars().take(keep).collect();
                self.cell = (head + &tail).into_bytes();
                break;
            }
        }
        self.end_cell();
    }

    /// A list; `push` appends the text of one item.
    pub(crate) fn list<T>(
        &mut self,
        items: impl ExactSizeIterator<Item = T>,
        mut push: impl FnMut(&mut Vec<u8>, T),
    ) {
        self.cell.clear();
        self.ends.clear();
        let (all, mut chars) = (items.len(), 0);
        for item in items {
            let from = self.cell.len();
            let is_first = self.ends.is_empty();
            if !is_first {
                self.cell.extend_from_slice(b"; ");
            }
            push(&mut self.cell, item);
            if is_first {
                self.guard_formula();
            }
            chars += char_count(self.cell.get(from..).unwrap_or(&[]));
            self.ends.push((self.cell.len(), chars));
            if chars >= LIMIT {
                self.cut(all);
                break;
            }
        }
        self.end_cell();
    }

    /// Takes items off until the mark of the cut fits behind them.
    fn cut(&mut self, all: usize) {
        while self.ends.pop().is_some() {
            let (bytes, chars) = self.ends.last().copied().unwrap_or((0, 0));
            let lead = if self.ends.is_empty() { "" } else { "; " };
            let tail = format!("{lead}… (+{} more)", all - self.ends.len());
            if chars + tail.chars().count() < LIMIT {
                self.cell.truncate(bytes);
                self.cell.extend_from_slice(tail.as_bytes());
                return;
            }
        }
    }

    /// A spreadsheet would run a cell that begins so.
    fn guard_formula(&mut self) {
        if matches!(
            self.cell.first(),
            Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')
        ) {
            self.cell.insert(0, b'\'');
        }
    }

    fn end_cell(&mut self) {
        self.comma();
        let special = |b: &u8| matches!(b, b',' | b'"' | b'\n' | b'\r');
        if !self.cell.iter().any(special) {
            self.buffer.extend_from_slice(&self.cell);
            return;
        }
        self.buffer.push(b'"');
        for &b in &self.cell {
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

/// Appends a decimal number.
pub(crate) fn push_number(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// Appends a name of the dump as text.
pub(crate) fn push_name(out: &mut Vec<u8>, name: &[u8]) {
    if name.iter().all(|b| (0x20..0x7f).contains(b)) {
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
