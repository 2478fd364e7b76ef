//! Names of files made from names of nodes: safe on Linux, macOS and Windows.

use crate::analysis::names::last_part;
use crate::model::Plan;
use crate::report::names;
use crate::report::results::csv::is_plain;

/// A longer name is cut, and the node's number tells it apart.
const LONGEST: usize = 120;

/// What node `n` is called in a file name: its short name when no other node has it, A to Z of
/// either case taken as one, else with `_n<id>` behind it.
/// `plain`: every name of the plan is, see [`is_plain`].
pub fn file_name(plan: &Plan, n: u32, plain: bool) -> String {
    let (name, cut) = safe(&names::display(plan.node_name(n)));
    let wanted = name.to_ascii_lowercase();
    let others = (0..plan.n_nodes()).filter(|&other| other != n);
    if !cut
        && !others
            .into_iter()
            .any(|o| is_called(plan.node_name(o), &wanted, plain))
    {
        return name;
    }
    format!("{name}_n{}", plan.nodes.step(n))
}

/// Whether a node's name becomes `wanted`, which is in lower case. `known`: its bytes are known to
/// be plain.
fn is_called(full: &[u8], wanted: &str, known: bool) -> bool {
    let short = match full.len() <= LONGEST {
        true => full,
        false => last_part(full),
    };
    // Letters and digits at the end of such a name stay what they are: nearly all names are told
    // apart by their last digits, and no text is made for them.
    if short.len() <= LONGEST && (known || is_plain(short)) {
        let ends = short.iter().rev().zip(wanted.bytes().rev());
        let mut kept = ends.take_while(|(b, _)| b.is_ascii_alphanumeric());
        if kept.any(|(b, end)| b.to_ascii_lowercase() != end) {
            return false;
        }
    }
    safe(&names::display(full)).0.to_ascii_lowercase() == wanted
}

/// The last part of a path with `_` for what no file system should see; whether it was cut.
fn safe(full: &str) -> (String, bool) {
    let short = names::last_part(full);
    let mut out: String = short.chars().take(LONGEST).map(safe_char).collect();
    let cut = short.chars().nth(LONGEST).is_some() || out.len() > LONGEST;
    while out.len() > LONGEST {
        out.pop();
    }
    // Windows drops dots and blanks at the end; `..` and `.x` mean something elsewhere.
    if out.ends_with(['.', ' ']) {
        out.pop();
        out.push('_');
    }
    if out.starts_with('.') {
        out.replace_range(..1, "_");
    }
    let stem = out.split('.').next().unwrap_or("").to_ascii_uppercase();
    let device = ["CON", "PRN", "AUX", "NUL"].contains(&stem.as_str())
        || (stem.len() == 4
            && (stem.starts_with("COM") || stem.starts_with("LPT"))
            && stem.ends_with(|c: char| c.is_ascii_digit()));
    if out.is_empty() || device {
        out.insert(0, '_');
    }
    (out, cut)
}

fn safe_char(c: char) -> char {
    match c {
        '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' => '_',
        c if c.is_control() => '_',
        c => c,
    }
}

/// An address as typed, for a file name.
pub fn typed(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_names_become_safe() {
        for (name, file) in [
            ("Default/net/ReLU-op0", "ReLU-op0"),
            ("a:b*c?d", "a_b_c_d"),
            ("Default/..", "__"),
            ("con", "_con"),
            ("COM1.x", "_COM1.x"),
            ("x. ", "x._"),
            ("", "_"),
            ("网络-op1", "网络-op1"),
            ("a\\..\\b", "a_.._b"),
        ] {
            assert_eq!(safe(name), (file.to_owned(), false), "{name}");
        }
        let (long, cut) = safe(&"网".repeat(500));
        assert!(cut && long.len() <= LONGEST);
    }
}
