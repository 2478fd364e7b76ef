//! A small fixed font for pictures that are drawn without a browser: five by seven dots a
//! character, drawn for this program. Deterministic, and no font file to carry along.

/// Dots of a character across, without the gap behind it.
pub(crate) const WIDTH: u32 = 5;
/// Dots of a character down.
pub(crate) const HEIGHT: u32 = 7;

/// The rows of a character from the top, the left dot in bit 4. What is not drawn is a box.
pub(crate) fn rows(c: char) -> [u8; 7] {
    let found = GLYPHS.iter().find(|(g, _)| *g == c);
    found.map_or([31, 17, 17, 17, 17, 17, 31], |(_, rows)| *rows)
}

const GLYPHS: &[(char, [u8; 7])] = &[
    (' ', [0, 0, 0, 0, 0, 0, 0]),
    ('$', [4, 15, 20, 14, 5, 30, 4]),
    ('(', [2, 4, 8, 8, 8, 4, 2]),
    (')', [8, 4, 2, 2, 2, 4, 8]),
    (',', [0, 0, 0, 0, 12, 4, 8]),
    ('-', [0, 0, 0, 31, 0, 0, 0]),
    ('.', [0, 0, 0, 0, 0, 12, 12]),
    (':', [0, 12, 12, 0, 12, 12, 0]),
    ('0', [14, 17, 19, 21, 25, 17, 14]),
    ('1', [4, 12, 4, 4, 4, 4, 14]),
    ('2', [14, 17, 1, 2, 4, 8, 31]),
    ('3', [31, 2, 4, 2, 1, 17, 14]),
    ('4', [2, 6, 10, 18, 31, 2, 2]),
    ('5', [31, 16, 30, 1, 1, 17, 14]),
    ('6', [6, 8, 16, 30, 17, 17, 14]),
    ('7', [31, 1, 2, 4, 8, 8, 8]),
    ('8', [14, 17, 17, 14, 17, 17, 14]),
    ('9', [14, 17, 17, 15, 1, 2, 12]),
    ('A', [14, 17, 17, 31, 17, 17, 17]),
    ('B', [30, 17, 17, 30, 17, 17, 30]),
    ('G', [14, 17, 16, 23, 17, 17, 15]),
    ('I', [14, 4, 4, 4, 4, 4, 14]),
    ('K', [17, 18, 20, 24, 20, 18, 17]),
    ('M', [17, 27, 21, 21, 17, 17, 17]),
    ('P', [30, 17, 17, 30, 16, 16, 16]),
    ('S', [15, 16, 16, 14, 1, 1, 30]),
    ('T', [31, 4, 4, 4, 4, 4, 4]),
    ('U', [17, 17, 17, 17, 17, 17, 14]),
    ('a', [0, 0, 14, 1, 15, 17, 15]),
    ('c', [0, 0, 14, 16, 16, 17, 14]),
    ('d', [1, 1, 13, 19, 17, 17, 15]),
    ('e', [0, 0, 14, 17, 31, 16, 14]),
    ('i', [4, 0, 12, 4, 4, 4, 14]),
    ('l', [12, 4, 4, 4, 4, 4, 14]),
    ('m', [0, 0, 26, 21, 21, 17, 17]),
    ('n', [0, 0, 22, 25, 17, 17, 17]),
    ('o', [0, 0, 14, 17, 17, 17, 14]),
    ('p', [0, 0, 30, 17, 30, 16, 16]),
    ('r', [0, 0, 22, 25, 16, 16, 16]),
    ('s', [0, 0, 14, 16, 14, 1, 30]),
    ('t', [8, 8, 28, 8, 8, 9, 6]),
    ('u', [0, 0, 17, 17, 17, 19, 13]),
    ('v', [0, 0, 17, 17, 17, 10, 4]),
    ('x', [0, 0, 17, 10, 4, 10, 17]),
    ('y', [0, 0, 17, 17, 15, 1, 14]),
    ('z', [0, 0, 31, 2, 4, 8, 31]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::text::results::Chart;
    use crate::report::text::Lang;

    #[test]
    fn every_letter_of_the_charts_is_drawn() {
        let words = Chart::ALL.iter().map(|c| c.text(Lang::En));
        let numbers = ["0123456789 KB MB GB TB PB . , $ : ( ) -"];
        for c in words.chain(numbers).flat_map(str::chars) {
            let is_drawn = GLYPHS.iter().any(|(g, _)| *g == c);
            assert!(is_drawn || c == '{' || c == '}', "{c}");
        }
    }
}
