//! Writes result files: a temporary name first, then renamed, so that no half file is ever seen;
//! files that this program did not write are left alone.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::report::names;
use crate::report::results::log::{self, Entry};
use crate::report::results::{ResultFile, Results, LOG};
use crate::report::text::terminal::{say, Say};
use crate::report::text::Lang;

/// Writes every file below `dir`, the log last; the value is the number of files. The error is
/// the sentence to print.
pub(crate) fn write_all(
    dir: &Path,
    results: &Results<'_>,
    files: &[ResultFile],
    force: bool,
    lang: Lang,
    log_text: impl FnOnce(&[Entry], &[Entry]) -> String,
) -> Result<usize, String> {
    let known = earlier(dir);
    let targets = files.iter().map(|f| f.name.as_str());
    for name in targets.chain([LOG]).filter(|_| !force) {
        let path = below(dir, name);
        let ours = match name {
            LOG => known.is_some(),
            _ => known.iter().flatten().any(|(n, _)| n == name),
        };
        if !ours && path.symlink_metadata().is_ok() {
            return Err(say(Say::Foreign, &[&shown(&path)], lang));
        }
    }
    let mut written: Vec<Entry> = Vec::with_capacity(files.len());
    for file in files {
        let path = below(dir, &file.name);
        let sha = write_one(&path, |out| results.write(&file.content, out))
            .map_err(|e| failed(&path, &e, lang))?;
        written.push((file.name.clone(), sha));
    }
    written.sort();
    // What earlier runs left stays ours.
    let mut left: Vec<Entry> = known.unwrap_or_default();
    left.retain(|(name, _)| {
        written.binary_search_by(|w| w.0.cmp(name)).is_err() && below(dir, name).is_file()
    });
    left.sort();
    left.dedup_by(|a, b| a.0 == b.0);
    let path = below(dir, LOG);
    let text = log_text(&left, &written);
    write_one(&path, |out| out.write_all(text.as_bytes())).map_err(|e| failed(&path, &e, lang))?;
    Ok(files.len() + 1)
}

/// What an earlier log of ours lists; `None` without such a log.
#[allow(clippy::disallowed_methods)] // The command line is the face that opens files.
fn earlier(dir: &Path) -> Option<Vec<Entry>> {
    let bytes = fs::read(below(dir, LOG)).ok()?;
    log::listed(&String::from_utf8_lossy(&bytes))
}

fn below(dir: &Path, name: &str) -> PathBuf {
    name.split('/')
        .fold(dir.to_owned(), |path, part| path.join(part))
}

#[allow(clippy::disallowed_methods)] // The command line is the face that writes files.
fn write_one(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let write = || -> io::Result<String> {
        let mut out = Hashing {
            file: BufWriter::new(fs::File::create(&part)?),
            hash: Sha256::new(),
        };
        content(&mut out)?;
        out.file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        fs::rename(&part, path)?;
        Ok(out
            .hash
            .finalize()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect())
    };
    let done = write();
    if done.is_err() {
        // Nothing more can be done about a file that cannot be removed either.
        let _ = fs::remove_file(&part);
    }
    done
}

struct Hashing {
    file: BufWriter<fs::File>,
    hash: Sha256,
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hash.update(bytes.get(..n).unwrap_or(&[]));
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

fn failed(path: &Path, error: &io::Error, lang: Lang) -> String {
    say(
        Say::CannotWriteFile,
        &[&shown(path), &error.to_string()],
        lang,
    )
}

pub(crate) fn shown(path: &Path) -> String {
    names::display(path.to_string_lossy().as_bytes())
}
