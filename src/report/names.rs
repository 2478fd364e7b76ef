//! The one place that turns a dump's name into text for people.
//!
//! A name is untrusted bytes: it may hold markup, control characters, escape sequences, marks
//! that turn the direction of text, or no UTF-8 at all. What comes out is safe to show as text
//! (never as markup) in a page or a terminal: what would act instead of show is replaced by a
//! visible escape.

use crate::model::acts;

/// A name as text, whole.
pub fn display(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name);
    if !text.chars().any(acts) {
        return text.into_owned();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

/// A name as text, at most `most` characters; a cut is marked with `…`.
pub fn display_cut(name: &[u8], most: usize) -> String {
    // Four bytes a character at the most: a name of a megabyte is not decoded as a whole.
    let head = name
        .get(..most.saturating_mul(4).saturating_add(4))
        .unwrap_or(name);
    let text = display(head);
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or("")),
        None if head.len() < name.len() => format!("{text}…"),
        None => text,
    }
}

/// The part of a scope path behind the last `/`; the whole path when it ends with `/`.
pub fn last_part(name: &str) -> &str {
    match name.rsplit_once('/') {
        Some((_, last)) if !last.is_empty() => last,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_made_visible_and_the_rest_is_kept() {
        assert_eq!(
            display("Default/网络-Net/<b>&".as_bytes()),
            "Default/网络-Net/<b>&"
        );
        assert_eq!(display(b"a\x1b[31m\0"), "a\\u{1b}[31m\\u{0}");
        assert_eq!(display("x\u{202e}y".as_bytes()), "x\\u{202e}y");
        assert_eq!(display(b"\xff"), "\u{fffd}");
    }

    #[test]
    fn cuts_are_marked() {
        assert_eq!(display_cut(b"abcdef", 3), "abc…");
        assert_eq!(display_cut(b"abc", 3), "abc");
        let long = vec![b'a'; 1 << 20];
        assert_eq!(display_cut(&long, 5), "aaaaa…");
    }

    #[test]
    fn the_last_part_of_a_path() {
        assert_eq!(last_part("Default/net/ReLU-op0"), "ReLU-op0");
        assert_eq!(last_part("Default/net/"), "Default/net/");
        assert_eq!(last_part("ReLU-op0"), "ReLU-op0");
    }
}
