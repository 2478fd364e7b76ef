//! Reads the planner's conflict matrix (`t0 H…`), row by row: which tensors may share memory.
//!
//! From 2.3 on a row has one cell a tensor, `H0` or `H1`; before, one 64-bit word for 64 tensors,
//! the first of them in its highest bit. The number of cells tells. A row is handed on as soon as
//! it is whole, so a matrix of any size costs no more memory than a row.

use super::diagnostic::{excerpt, quoted, Arg, Code, Diagnostics};
use super::lines::LineSplitter;
use super::reader::LineCount;
use super::unpack::Unpack;

/// What takes the rows: the index of a tensor and its bits, tensor `j` in bit `j % 64` of word
/// `j / 64`; 1 = may share.
pub type EachRow<'a> = dyn FnMut(u32, &[u64]) + 'a;

/// Reads one conflict matrix.
#[derive(Debug)]
pub struct RelationReader {
    unpack: Unpack,
    rows: Rows,
}

/// The rows of an unpacked file.
#[derive(Debug)]
struct Rows {
    n_tensors: u32,
    /// The row that comes next.
    next: u32,
    /// What stands behind each `H` of a row, as a number.
    cells: Vec<u64>,
    bits: Vec<u64>,
    splitter: LineSplitter,
    lines: LineCount,
    diagnostics: Diagnostics,
}

impl RelationReader {
    /// Of a plan with so many tensors.
    pub fn new(n_tensors: u32) -> Self {
        Self {
            unpack: Unpack::default(),
            rows: Rows {
                n_tensors,
                next: 0,
                cells: Vec::new(),
                bits: vec![0; (n_tensors as usize).div_ceil(64)],
                splitter: LineSplitter::default(),
                lines: LineCount::default(),
                diagnostics: Diagnostics::default(),
            },
        }
    }

    /// The next bytes of the file; `each` takes the rows that end in them.
    pub fn push(&mut self, bytes: &[u8], each: &mut EachRow<'_>) {
        let rows = &mut self.rows;
        self.unpack.push(bytes, &mut |plain| rows.text(plain, each));
    }

    /// The file ends here: what is wrong with it, where its lines went.
    pub fn finish(self, each: &mut EachRow<'_>) -> (Diagnostics, LineCount) {
        let mut rows = self.rows;
        let failed = self.unpack.finish(&mut |plain| rows.text(plain, each));
        if let Some(last) = rows.splitter.finish() {
            rows.line(&last, each);
        }
        if failed {
            rows.diagnostics.add(Code::GzDamaged, 0, 0, vec![], None);
        } else if rows.next < rows.n_tensors && rows.diagnostics.errors == 0 {
            let missing = vec![Arg::Text(format!("t{}", rows.next))];
            let at = rows.lines.total;
            rows.diagnostics
                .add(Code::MissingSection, at, 0, missing, None);
        }
        (rows.diagnostics, rows.lines)
    }
}

impl Rows {
    fn text(&mut self, plain: &[u8], each: &mut EachRow<'_>) {
        let mut splitter = std::mem::take(&mut self.splitter);
        splitter.push(plain, |line| self.line(line, each));
        self.splitter = splitter;
    }

    fn line(&mut self, line: &[u8], each: &mut EachRow<'_>) {
        self.lines.total += 1;
        let line = line.trim_ascii();
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        if line.is_empty() {
            self.lines.blank += 1;
            return;
        }
        if self.next < self.n_tensors && self.row(line) {
            self.lines.records += 1;
            each(self.next, &self.bits);
            self.next += 1;
            return;
        }
        self.lines.unread += 1;
        let excerpt = self
            .diagnostics
            .has_room(Code::UnknownLine)
            .then(|| excerpt(line, 0, 1));
        let wanted = match self.next < self.n_tensors {
            true => format!("t{} H…", self.next),
            false => "t0 H…".to_owned(),
        };
        let args = vec![Arg::Text(wanted), Arg::Text(quoted(line, 40))];
        self.diagnostics
            .add(Code::UnknownLine, self.lines.total, 1, args, excerpt);
    }

    /// Reads the row of the tensor that comes next into the bits; whether the line is that row.
    fn row(&mut self, line: &[u8]) -> bool {
        let mut rest = line.iter();
        if rest.next() != Some(&b't') {
            return false;
        }
        // The number of the tensor, decimal, and then the cells, hexadecimal.
        let (mut number, mut digits, mut base) = (0u64, 0, 10);
        // Whether each cell is one digit, 0 or 1.
        let mut single = true;
        self.cells.clear();
        for b in rest.chain(b"H") {
            let digit = (*b as char).to_digit(base).map(u64::from);
            match (digit, b) {
                (Some(digit), _) if digits < 16 => {
                    number = number * u64::from(base) + digit;
                    digits += 1;
                }
                (_, b'H') if digits > 0 && base == 16 => {
                    single &= digits == 1 && number < 2;
                    self.cells.push(number);
                    (number, digits) = (0, 0);
                }
                (_, b'H') if digits > 0 && number == u64::from(self.next) => {
                    (number, digits, base) = (0, 0, 16);
                }
                (_, b' ' | b'\t') if digits > 0 => {}
                _ => return false,
            }
        }
        let count = self.cells.len();
        self.bits.fill(0);
        // The only tensor of a graph may be packed.
        if count == self.n_tensors as usize && (single || count == 1) {
            for (j, cell) in self.cells.iter().enumerate() {
                if let Some(word) = self.bits.get_mut(j / 64) {
                    let bit = if single { *cell } else { cell >> 63 };
                    *word |= bit << (j % 64);
                }
            }
            true
        } else if count == self.bits.len() {
            for (word, cell) in self.bits.iter_mut().zip(&self.cells) {
                *word = cell.reverse_bits();
            }
            true
        } else {
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(n: u32, text: &[u8], chunk: usize) -> (Vec<(u32, Vec<u64>)>, u64) {
        let mut rows = Vec::new();
        let mut each = |row: u32, bits: &[u64]| rows.push((row, bits.to_vec()));
        let mut reader = RelationReader::new(n);
        text.chunks(chunk).for_each(|c| reader.push(c, &mut each));
        let errors = reader.finish(&mut each).0.errors;
        (rows, errors)
    }

    #[test]
    fn both_layouts_give_the_same_bits() {
        for chunk in 1..30 {
            let single = read(3, b"t0 H0H1H0\nt1 H1H0H1 \nt2 H0H1H0\n\n", chunk);
            let packed = read(
                3,
                b"t0 H4000000000000000\nt1 Ha000000000000000\nt2 H4000000000000000\n",
                chunk,
            );
            assert_eq!(single, packed);
            assert_eq!(single.0, [(0, vec![2]), (1, vec![5]), (2, vec![2])]);
            assert_eq!(single.1, 0);
        }
        let wide = format!("t0 H1Hf\n{}", "x");
        assert_eq!(
            read(70, wide.as_bytes(), 9).0,
            [(0, vec![1 << 63, 0xf << 60])]
        );
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for text in [
            "t0 H0H1H0\n",
            "t0 H0H1\nt1 H0H1H\n",
            "t1 H0H1\n",
            "t0 H0H2\n",
            "t0 H\n",
            "t0 H0H1\nt1 H1H0\nt2 H0H0\n",
        ] {
            assert!(read(2, text.as_bytes(), 7).1 > 0, "{text}");
        }
        assert_eq!(read(2, b"t0 H0H1\nt1 H1H0", 3).1, 0);
    }
}
