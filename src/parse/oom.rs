//! Reads what MindSpore and the software below it say when memory runs out: which node, how much
//! there is, how much is used, how much was wanted; and whose memory it is.
//!
//! The wordings of 1.1 to 2.10, of the driver and of torch_npu differ; what stays are a few words in
//! front of each number (or behind it). They are looked for in a text of any length, in any case.

/// Whose memory ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OomKind {
    /// The device's, while a graph ran.
    Device,
    /// The device's, before anything ran: the pool that is reserved at the start was refused.
    Pool,
    /// The device's, because another process holds it.
    Busy,
    /// The host's: no plan is about it.
    Host,
    /// Nobody's: a line of a log that names a node or tells sizes.
    Log,
}

impl OomKind {
    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Pool => "pool",
            Self::Busy => "busy",
            Self::Host => "host",
            Self::Log => "log",
        }
    }
}

/// What a message says; sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OomMessage {
    /// Whose memory ran out.
    pub kind: OomKind,
    /// Name of the node it happened at, as in the message.
    pub node: Option<String>,
    /// What there is.
    pub total: Option<u64>,
    /// What was used before the request.
    pub used: Option<u64>,
    /// What was wanted.
    pub requested: Option<u64>,
    /// Where the device's pool begins, an address.
    pub base: Option<u64>,
}

/// Longer texts are looked at up to here; a message and its traceback are far shorter.
const MOST: usize = 1 << 17;

const BUSY: &[&str] = &[
    "other processes occupying",
    "less than half of total memory",
];
const HOST: &[&str] = &[
    "cudahostalloc",
    "host memory",
    "aclrtmallochost",
    "out of memory. memory malloc failed",
    "std::bad_alloc",
    "cannot allocate memory",
];
const POOL: &[&str] = &[
    "halmemalloc failed",
    "malloc device memory failed",
    "rtmalloc mem size",
];
const DEVICE: &[&str] = &[
    "out of memory",
    "memory isn't enough",
    "memory isn’t enough",
    "memory not enough",
    "totalusedmemstatistics",
    "malloc for kernel",
    "failed to allocate memory",
    "allocate memory failed",
    "rtmalloc fail",
    "memory is not enough",
    "memory size is not enough",
];
const LOG: &[&str] = &[
    "[error]",
    "[warning]",
    "[info]",
    "[exception]",
    "[critical]",
    "[debug]",
    "runtimeerror",
    "used memory size",
    "peak memory usage",
    "launch kernel failed",
];

const TOTAL: &[&str] = &[
    "than total mem size",
    "moc total size",
    "hbm total size",
    "available hbm size",
    "memory!!! total",
    "moc memory size",
    "hbm memory size",
];
const USED: &[&str] = &[
    "totalusedmemstatistics",
    "mindspore used memory size",
    "actual peak memory usage (with fragments)",
];
/// Adds to what is used.
const USED_TOO: &[&str] = &[
    "totalusedbyeventmemstatistics",
    "(dynamic",
    "memory pool",
    "memory poll",
];
const FREE: &[&str] = &[
    "current free memory size",
    "moc free size",
    "hbm free size",
    "free size",
];
const REQUESTED: &[&str] = &[
    "alloc size",
    ") malloc",
    "required size",
    "memory failed, size",
    "tried to allocate",
    "rtmalloc mem size",
    "bytesize",
];
/// Behind these the size stands further on in the line.
const REQUESTED_LATER: &[&str] = &["halmemalloc failed", "rtmalloc fail", "failed to allocate"];
const NODE: &[&str] = &[
    "kernel name:",
    "actor name:",
    "node name:",
    "node:",
    "op name:",
    "launch kernel failed, name:",
];

/// Reads a message; `None` when the text is something else.
pub fn read(text: &str) -> Option<OomMessage> {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end)?;
    let low = &text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|w| low.contains(w));
    let node = node(text, low);
    let mut total = first(low, TOTAL).or_else(|| before(low, "total capacity"));
    let free = first(low, FREE).or_else(|| before(low, "free;"));
    let mut used = first(low, USED).or_else(|| before(low, "already allocated"));
    for word in USED_TOO {
        if let Some(more) = value_behind(low, word) {
            used = Some(used.unwrap_or(0).saturating_add(more));
        }
    }
    let requested = first(low, REQUESTED).or_else(|| {
        REQUESTED_LATER.iter().find_map(|word| {
            let line = low.split(word).nth(1)?.lines().next()?;
            value_behind(line, "size")
        })
    });
    if used.is_none() {
        used = total.zip(free).and_then(|(t, f)| t.checked_sub(f));
    }
    // What is free is what a request was measured against.
    if total.is_none() {
        total = used.zip(free).map(|(u, f)| u.saturating_add(f));
    }
    let base = low
        .split("base address")
        .nth(1)
        .and_then(|rest| number(rest.trim_start_matches([' ', ':', '[', '='])))
        .map(|(n, _)| n)
        .filter(|n| *n > 0);
    let kind = if has(BUSY) {
        OomKind::Busy
    } else if has(HOST) {
        OomKind::Host
    } else if has(DEVICE) && !(has(POOL) && node.is_none()) {
        OomKind::Device
    } else if has(POOL) {
        OomKind::Pool
    } else if has(LOG) && (node.is_some() || total.is_some() || used.is_some()) {
        OomKind::Log
    } else {
        return None;
    };
    // A word alone that somebody types is no message.
    let told = node.is_some() || total.is_some() || used.is_some() || requested.is_some();
    (told || text.len() >= 30).then_some(OomMessage {
        kind,
        node,
        total,
        used,
        requested,
        base,
    })
}

/// The value behind the first of the words that has one.
fn first(low: &str, words: &[&str]) -> Option<u64> {
    words.iter().find_map(|word| value_behind(low, word))
}

/// The size behind a word, with `: = [` and blanks between them; the last place that has one, for
/// tracebacks repeat the first failure before they come to the one that ended the run.
fn value_behind(low: &str, word: &str) -> Option<u64> {
    low.rmatch_indices(word).find_map(|(at, _)| {
        let rest = low.get(at + word.len()..)?;
        size(rest.trim_start_matches([' ', ':', '=', '[']))
    })
}

/// The size in front of a word: `60.97 GiB total capacity`.
fn before(low: &str, word: &str) -> Option<u64> {
    let at = low.find(word)?;
    let rest = low.get(..at)?;
    let start = rest.rfind([';', '(', ',', '\n']).map_or(0, |p| p + 1);
    size(rest.get(start..)?.trim_start())
}

/// A number with its unit; without one it is bytes.
fn size(text: &str) -> Option<u64> {
    let (whole, rest) = number(text)?;
    let fraction = rest
        .strip_prefix('.')
        .map_or(0, |r| r.bytes().take_while(u8::is_ascii_digit).count());
    let (decimals, rest) = if fraction > 0 {
        (rest.get(1..=fraction)?, rest.get(fraction + 1..)?)
    } else {
        ("", rest)
    };
    let shift = match rest.trim_start_matches(' ').as_bytes() {
        [b'k', b'b' | b'i', ..] => 10,
        [b'm', b'b' | b'i', ..] => 20,
        [b'g', b'b' | b'i', ..] => 30,
        // `58196M`; a letter that goes on is another word.
        [unit @ (b'k' | b'm' | b'g'), after @ ..] if !starts_word(after) => match unit {
            b'k' => 10,
            b'm' => 20,
            _ => 30,
        },
        _ => 0,
    };
    // A byte of a gigabyte is in the tenth decimal. (Reading floats brings ten kilobytes of tables
    // along.)
    let decimals = decimals.get(..18).unwrap_or(decimals);
    let tenths = 10u128.pow(decimals.len() as u32);
    let part = decimals
        .bytes()
        .fold(0, |n, b| n * 10 + u128::from(b - b'0'));
    let part = ((part << shift) + tenths / 2) / tenths;
    let part = u64::try_from(part).ok()?;
    whole.checked_mul(1 << shift)?.checked_add(part)
}

fn starts_word(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(u8::is_ascii_alphanumeric)
}

/// A whole number, decimal or hex with `0x`, and what stands behind it.
fn number(text: &str) -> Option<(u64, &str)> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (text, 10),
    };
    let len = digits.chars().take_while(|c| c.is_digit(radix)).count();
    let (digits, rest) = digits.split_at_checked(len)?;
    Some((u64::from_str_radix(digits, radix).ok()?, rest))
}

/// The name behind one of the words, else the first that looks like a node's.
fn node(text: &str, low: &str) -> Option<String> {
    let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\'' | ')' | ']' | '(');
    let clean = |name: &str| {
        let name = name.trim_end_matches(['.', ':']);
        (!name.is_empty()).then(|| name.to_owned())
    };
    let named = NODE.iter().find_map(|word| {
        let at = low.rfind(word)? + word.len();
        let rest = text.get(at..)?.trim_start_matches([' ', '[', '"', '\'']);
        let name = clean(rest.split(ends).next()?)?;
        // `kernel name: Split tuple outputs` names no node.
        let looks = name.contains('/') || name.contains("-op");
        looks.then_some(name)
    });
    named.or_else(|| {
        text.split(ends)
            .map(|word| word.rsplit_once(':').map_or(word, |(_, name)| name))
            .filter_map(clean)
            .find(|word| {
                let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
                let stem = word.get(..word.len() - digits).unwrap_or("");
                digits > 0 && stem.ends_with("-op") && stem != "-op"
            })
    })
}
