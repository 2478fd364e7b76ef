//! A cursor over one line for the rows that come by the million.
//!
//! These rows are read by hand and not by nom: on a dump of a million tensors they are 99 % of
//! the bytes, and the budget is a handful of newline scans (see `benches/parse.rs`).

/// What is left of a line.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// Steps over one byte.
    #[inline(always)]
    pub(crate) fn byte(&mut self, b: u8) -> Option<()> {
        match self.rest.split_first() {
            Some((first, rest)) if *first == b => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    /// Steps over a literal.
    #[inline(always)]
    pub(crate) fn literal<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, rest)) if head == text => {
                self.rest = rest;
                Some(())
            }
            _ => None,
        }
    }

    /// A decimal number of at most 18 digits; longer ones are left to the careful path.
    ///
    /// Eight bytes are converted at a time without a branch on the number of digits: digit
    /// counts vary from row to row, and a loop that guesses wrong at each end costs more than
    /// the conversion (measured: a fifth of the whole read).
    #[inline(always)]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let Some(chunk) = self.rest.first_chunk::<8>() else {
            return self.short_number();
        };
        let (value, digits) = leading_digits(u64::from_le_bytes(*chunk));
        if digits == 0 {
            return None;
        }
        self.rest = self.rest.get(digits..)?;
        if digits < 8 {
            return Some(value);
        }
        self.long_number(value)
    }

    /// What follows eight digits.
    #[inline(never)]
    fn long_number(&mut self, head: u64) -> Option<u64> {
        let mut value = head;
        let mut digits = 8usize;
        for b in self.rest {
            let d = b.wrapping_sub(b'0');
            if d > 9 {
                break;
            }
            digits += 1;
            if digits > 18 {
                return None;
            }
            value = value * 10 + u64::from(d);
        }
        self.rest = self.rest.get(digits - 8..)?;
        Some(value)
    }

    /// A number in the last bytes of a line.
    #[inline(never)]
    fn short_number(&mut self) -> Option<u64> {
        let digit = |b: &u8| Some(u64::from(b.wrapping_sub(b'0'))).filter(|d| *d <= 9);
        let (mut value, mut digits) = (0, 0);
        while let Some(digit) = self.rest.get(digits).and_then(digit) {
            value = value * 10 + digit;
            digits += 1;
        }
        self.rest = self.rest.get(digits..)?;
        (digits > 0).then_some(value)
    }

    /// A decimal number that fits 32 bits.
    #[inline(always)]
    pub(crate) fn number32(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// The bytes before the next tab, for short words.
    pub(crate) fn word(&mut self) -> Option<&'a [u8]> {
        let end = self.rest.iter().position(|b| *b == b'\t')?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..)?;
        Some(word)
    }

    /// The bytes before the next tab, for names.
    #[inline]
    pub(crate) fn long_word(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\t', self.rest)?;
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..)?;
        Some(word)
    }
}

/// The value and the number of the decimal digits at the start of eight bytes (little endian).
#[inline(always)]
fn leading_digits(bytes: u64) -> (u64, usize) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = bytes ^ (ONES * 0x30);
    // The top bit of a byte is set where it is no digit. A carry can only spoil bytes behind the
    // first such one.
    let others = (digits.wrapping_add(ONES * 0x76) | digits) & (ONES * 0x80);
    let count = others.trailing_zeros() / 8;
    if count == 0 {
        return (0, 0);
    }
    // Digits to the end of the word, zeros before them; then pairs, fours, eight.
    let word = digits << (64 - 8 * count);
    let pairs = word.wrapping_mul(2561) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul(6_553_601) >> 16 & 0x0000_ffff_0000_ffff;
    (fours.wrapping_mul(42_949_672_960_001) >> 32, count as usize)
}

/// A whole field that is a decimal number: `Ok(None)` when it is none, `Err` when it is one that
/// does not fit below 2^63.
pub(crate) fn whole_number(field: &[u8]) -> Result<Option<u64>, ()> {
    if field.is_empty() || !field.iter().all(u8::is_ascii_digit) {
        return Ok(None);
    }
    let mut value = 0u64;
    for b in field {
        let digit = u64::from(b.wrapping_sub(b'0'));
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(digit))
            .ok_or(())?;
    }
    if value < 1 << 63 {
        Ok(Some(value))
    } else {
        Err(())
    }
}

/// A pointer as a C++ stream prints it, with or without `&`: `0x…` (any case), hex without `0x`,
/// `0`, `(nil)`. Not decimal: `0x10` and `10` are both sixteen.
pub(crate) fn pointer(field: &[u8]) -> Option<u64> {
    let field = field.strip_prefix(b"&").unwrap_or(field);
    if field == b"(nil)" {
        return Some(0);
    }
    let hex = field
        .strip_prefix(b"0x")
        .or_else(|| field.strip_prefix(b"0X"))
        .unwrap_or(field);
    if hex.is_empty() || hex.len() > 16 {
        return None;
    }
    hex.iter().try_fold(0u64, |value, b| {
        Some(value << 4 | u64::from((*b as char).to_digit(16)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stop_where_digits_stop() {
        let mut c = Cursor::new(b"123T");
        assert_eq!((c.number(), c.rest), (Some(123), &b"T"[..]));
        assert_eq!(Cursor::new(b"T").number(), None);
        assert_eq!(Cursor::new(b"1234567890123456789").number(), None);
        assert_eq!(
            Cursor::new(b"123456789012345678").number(),
            Some(123_456_789_012_345_678)
        );
        assert_eq!(Cursor::new(b"4294967296").number32(), None);
        let digits = "123456789012345678";
        for n in 1..=digits.len() {
            for tail in [
                "",
                "S",
                "\t123456789",
                "\u{ff}\u{ff}\u{ff}\u{ff}",
                "\0\0\0\0\0\0\0\0\0",
            ] {
                let text = format!("{}{tail}", &digits[..n]);
                let mut c = Cursor::new(text.as_bytes());
                assert_eq!(
                    (c.number(), c.rest),
                    (digits[..n].parse().ok(), tail.as_bytes()),
                    "{text}"
                );
            }
        }
        assert_eq!(Cursor::new(b"00000000000000007S").number(), Some(7));
        assert_eq!(Cursor::new(b"").number(), None);
        assert_eq!(Cursor::new(b":123456789").number(), None);
        assert_eq!(Cursor::new(b"/123456789").number(), None);
    }

    #[test]
    fn whole_numbers_are_checked() {
        assert_eq!(
            whole_number(b"9223372036854775807"),
            Ok(Some(9_223_372_036_854_775_807))
        );
        assert_eq!(whole_number(b"9223372036854775808"), Err(()));
        assert_eq!(whole_number(b"99999999999999999999999"), Err(()));
        assert_eq!(whole_number(b"00012"), Ok(Some(12)));
        assert_eq!(whole_number(b"12a"), Ok(None));
        assert_eq!(whole_number(b""), Ok(None));
    }

    #[test]
    fn pointers_in_every_form() {
        for (text, value) in [
            ("&0x108800000000", Some(0x1088_0000_0000)),
            ("0X1F", Some(31)),
            ("&0", Some(0)),
            ("(nil)", Some(0)),
            ("&0x0", Some(0)),
            ("FF", Some(255)),
            ("&", None),
            ("0xg", None),
            ("0x11223344556677889", None),
        ] {
            assert_eq!(pointer(text.as_bytes()), value, "{text}");
        }
    }
}
