//! Numbers for people: bytes in binary units with four significant digits, percentages.

/// Bytes as people read them: `KB`, `MB`, `GB` mean 2^10, 2^20, 2^30; four significant digits;
/// below 1 KB the exact number (`512 B`).
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if n < 1024 {
        return format!("{n} B");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{} {}", significant(value), UNITS[unit])
}

/// Four significant digits, trailing zeros kept: `1.418`, `0.1766`, `57.04`, `1024`.
pub fn significant(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits_before = value.abs().log10().floor() as i32 + 1;
    let decimals = (4 - digits_before).clamp(0, 12) as usize;
    let text = format!("{value:.decimals$}");
    // Rounding may add a digit (9.9996 -> 10.000): one decimal less then.
    let digits = text
        .chars()
        .filter(char::is_ascii_digit)
        .skip_while(|c| *c == '0')
        .count();
    if digits > 4 && decimals > 0 {
        format!("{value:.prec$}", prec = decimals - 1)
    } else {
        text
    }
}

/// A ratio in 0..=1 as a percentage with two decimals: `57.04 %`.
pub fn percent(ratio: f64) -> String {
    format!("{:.2} %", ratio * 100.0)
}

/// An integer with thin groups of three: `1 509 209 088` (narrow no-break spaces).
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() * 2);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push('\u{202f}');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_significant_digits() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1.000 KB");
        assert_eq!(bytes(1_522_581_504), "1.418 GB");
        assert_eq!(bytes(189_329_174), "180.6 MB");
        assert_eq!(bytes(1_048_575), "1.000 MB");
        assert_eq!(significant(0.17659), "0.1766");
        assert_eq!(significant(9.99996), "10.00");
    }

    #[test]
    fn groups_and_percentages() {
        assert_eq!(grouped(1_509_209_088), "1\u{202f}509\u{202f}209\u{202f}088");
        assert_eq!(grouped(12), "12");
        assert_eq!(percent(0.570_381), "57.04 %");
    }
}
