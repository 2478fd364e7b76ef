//! The fragment of an address that holds a summary, and back.
//!
//! A byte for the version, then postcard's bytes packed with deflate, all of it in base64url.
//! Reading is total: any text gives a summary or says what is wrong with it, and every length is
//! limited before anything is allocated for it.

use std::fmt;
use std::io::{Read, Write};

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::Engine;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use flate2::Compression;

use super::{Name, Shared, POINTS, TOP};
use crate::engine::view::ViewState;
use crate::engine::wire::{self, Malformed};
use crate::report::names;

/// The version that is written, and the newest that is read.
const VERSION: u8 = 1;

/// Most characters of a fragment.
pub const LONGEST: usize = 8000;

/// Most bytes of an unpacked summary.
const LARGEST: u64 = 64 << 10;

/// No number of bytes is larger: sums of a few still fit 64 bits.
const MOST_BYTES: u64 = 1 << 60;

/// Most bytes of a text.
const LONGEST_TEXT: usize = 2000;

/// Most kinds of findings, and most that are named.
const MOST_FINDINGS: usize = 64;

/// Why a fragment gives no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// It is longer than any link.
    TooLong,
    /// Cut, changed, or no link at all.
    Damaged,
    /// Unpacked it would be larger than any summary.
    TooLarge,
    /// A newer version of the program made it.
    Newer,
    /// It holds numbers that no plan has.
    Impossible,
}

/// A summary as the text behind `#s=`; `None` cannot happen with a summary in memory.
pub fn encode(shared: &Shared) -> Option<String> {
    let bytes = wire::write::<_, fmt::Error>(shared).ok()?;
    let mut packer = DeflateEncoder::new(vec![VERSION], Compression::best());
    packer.write_all(&bytes).ok()?;
    Some(URL_SAFE_NO_PAD.encode(packer.finish().ok()?))
}

/// The summary in the text behind `#s=`. What acts instead of being shown is made visible in
/// every text of it.
pub fn decode(text: &str) -> Result<Shared, Broken> {
    if text.len() > LONGEST {
        return Err(Broken::TooLong);
    }
    let packed = URL_SAFE_NO_PAD.decode(text);
    let packed = packed.map_err(|_| Broken::Damaged)?;
    let (&version, packed) = packed.split_first().ok_or(Broken::Damaged)?;
    match version {
        VERSION => {}
        0 => return Err(Broken::Damaged),
        _ => return Err(Broken::Newer),
    }
    let mut bytes = Vec::new();
    let mut reader = DeflateDecoder::new(packed).take(LARGEST + 1);
    let read = reader.read_to_end(&mut bytes);
    // A bomb is one whatever follows in it.
    if bytes.len() as u64 > LARGEST {
        return Err(Broken::TooLarge);
    }
    if read.is_err() || !reader.into_inner().into_inner().is_empty() {
        return Err(Broken::Damaged);
    }
    let shared = wire::read::<Shared, Malformed>(&bytes);
    let mut shared = shared.map_err(|_| Broken::Damaged)?;
    check(&shared)?;
    tame(&mut shared);
    Ok(shared)
}

/// Whether every number and every length is one that a plan can have.
fn check(s: &Shared) -> Result<(), Broken> {
    let mut bytes = s.counts.to_vec();
    bytes.extend([
        s.file_bytes,
        s.static_memory,
        s.total_tensor_size,
        s.planned_total,
        s.peak_alive,
        s.waste.0.unsigned_abs(),
        s.waste.1.unsigned_abs(),
    ]);
    bytes.extend(
        [s.unread_lines, s.max_end, s.capacity]
            .into_iter()
            .flatten(),
    );
    bytes.extend(s.findings.iter().map(|f| f.1));
    bytes.extend(s.named.iter().map(|f| f.bytes));
    bytes.extend(s.top.iter().map(|t| t.bytes));
    let mut height = 0i32;
    let inside = s.curve.iter().all(|&step| {
        height += i32::from(step);
        (0..=1000).contains(&height)
    });
    let possible = bytes.iter().all(|n| *n <= MOST_BYTES)
        && inside
        && s.curve.len() as u64 == u64::from(s.steps.min(POINTS))
        && s.peak_step.is_none() == (s.steps == 0)
        && s.peak_step.is_none_or(|step| step < s.steps)
        && s.top.len() <= TOP
        && s.top.iter().all(|t| t.life.0 <= t.life.1)
        && s.findings.len() <= MOST_FINDINGS
        && s.named.len() <= MOST_FINDINGS
        && s.named.iter().all(|f| f.tensors.len() <= 2);
    match possible {
        true => Ok(()),
        false => Err(Broken::Impossible),
    }
}

/// Makes every text safe to show, and none too long.
fn tame(s: &mut Shared) {
    let of_name = |name: &mut Name, out: &mut dyn FnMut(&mut String)| {
        out(&mut name.operator);
        out(&mut name.layer);
    };
    let mut one = |text: &mut String| *text = names::display_cut(text.as_bytes(), LONGEST_TEXT);
    for text in [&mut s.program, &mut s.kind, &mut s.generation] {
        one(text);
    }
    s.device.iter_mut().for_each(&mut one);
    s.verdict.iter_mut().for_each(&mut one);
    s.findings.iter_mut().for_each(|f| one(&mut f.0));
    of_name(&mut s.peak_node, &mut one);
    for finding in &mut s.named {
        one(&mut finding.kind);
        of_name(&mut finding.node, &mut one);
    }
    for top in &mut s.top {
        of_name(&mut top.node, &mut one);
    }
    s.view = ViewState {
        graph: 0,
        ..ViewState::from_fragment(&s.view)
    }
    .fragment();
}
