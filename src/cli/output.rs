//! Writes result files: all of them under temporary names first, then renamed together, so that no
//! half file is ever seen, nor half of the files; files that this program did not write are left
//! alone. What is stopped in between, by an error or by Ctrl-C, takes its temporary files away.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::args::Args;
use super::terminal::Progress;
use crate::report::names;
use crate::report::results::log::{self, Entry};
use crate::report::results::{ResultFile, Results, LOG};
use crate::report::text::terminal::{io_reason, say, Say};
use crate::report::text::Lang;

/// Writes every file below `dir`, the log last; the value is the number of files. The error is
/// the sentence to print.
pub(crate) fn write_all(
    dir: &Path,
    results: &Results<'_>,
    files: &[ResultFile],
    args: &Args,
    lang: Lang,
    log_text: impl FnOnce(&[Entry], &[Entry]) -> String,
) -> Result<usize, String> {
    let known = earlier(dir);
    let targets = files.iter().map(|f| f.name.as_str());
    for name in targets.chain([LOG]).filter(|_| !args.force) {
        let path = below(dir, name);
        let ours = match name {
            LOG => known.is_some(),
            _ => known.iter().flatten().any(|(n, _)| n == name),
        };
        if !ours && path.symlink_metadata().is_ok() {
            return Err(say(Say::Foreign, &[&shown(&path)], lang));
        }
    }
    let batch = Batch::begin();
    let progress = Mutex::new((Progress::new(args.progress), 0));
    let next = AtomicUsize::new(0);
    // Each file is written by one thread.
    let work = || -> Result<Vec<Entry>, String> {
        let mut written = Vec::new();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            if let Ok(mut shown) = progress.lock() {
                shown.1 += 1;
                let numbers = [shown.1.to_string(), (files.len() + 1).to_string()];
                let text = || say(Say::Writing, &[&numbers[0], &numbers[1], &file.name], lang);
                shown.0.show(text);
            }
            let path = below(dir, &file.name);
            let sha = batch
                .write(&path, |out| results.write(&file.content, out))
                .map_err(|e| failed(&path, &e, lang))?;
            written.push((file.name.clone(), sha));
        }
        Ok(written)
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
    let done: Vec<Result<Vec<Entry>, String>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        let joined = others.into_iter().map(|other| match other.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.chain([own]).collect()
    });
    let mut written: Vec<Entry> = Vec::with_capacity(files.len());
    for part in done {
        written.extend(part?);
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
    batch
        .write(&path, |out| out.write_all(text.as_bytes()))
        .map_err(|e| failed(&path, &e, lang))?;
    batch
        .commit()
        .map_err(|(path, e)| failed(&path, &e, lang))?;
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

/// What has to go when writing is stopped.
#[derive(Default)]
struct Unfinished {
    /// Temporary files, each with the name it will have.
    parts: Vec<(PathBuf, PathBuf)>,
    /// Folders that were made for them, the outer ones first.
    folders: Vec<PathBuf>,
}

/// All batches under way, by number. Whoever holds the lock keeps Ctrl-C waiting.
static UNFINISHED: Mutex<BTreeMap<u64, Unfinished>> = Mutex::new(BTreeMap::new());

fn unfinished() -> MutexGuard<'static, BTreeMap<u64, Unfinished>> {
    // A thread that panicked has left a list that is still right.
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Unfinished {
    fn remove(self) {
        // Nothing more can be done about what cannot be removed either; a folder that holds
        // something else stays.
        for (part, _) in self.parts {
            let _ = fs::remove_file(part);
        }
        for folder in self.folders.into_iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Takes away what is not finished and ends the program: for Ctrl-C. Nothing is begun or renamed
/// meanwhile.
pub(crate) fn stop(status: i32) -> ! {
    let mut all = unfinished();
    std::mem::take(&mut *all)
        .into_values()
        .for_each(Unfinished::remove);
    std::process::exit(status)
}

/// Files that appear together.
struct Batch(u64);

impl Batch {
    fn begin() -> Self {
        let mut all = unfinished();
        let number = all.keys().last().map_or(0, |n| n + 1);
        all.insert(number, Unfinished::default());
        Self(number)
    }

    /// Writes one under a temporary name; the value is its SHA-256.
    fn write(
        &self,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<String> {
        let mut out = Hashing {
            file: BufWriter::with_capacity(1 << 18, self.create(path)?),
            hash: Sha256::new(),
        };
        content(&mut out)?;
        out.file
            .into_inner()
            .map_err(io::IntoInnerError::into_error)?;
        let sha = out.hash.finalize();
        Ok(sha.iter().map(|b| format!("{b:02x}")).collect())
    }

    #[allow(clippy::disallowed_methods)] // The command line is the face that writes files.
    fn create(&self, path: &Path) -> io::Result<fs::File> {
        let mut all = unfinished();
        let own = all.entry(self.0).or_default();
        let folder = path.parent().unwrap_or(Path::new(""));
        let missing = folder
            .ancestors()
            .take_while(|f| !f.as_os_str().is_empty() && !f.exists());
        let mut missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        missing.reverse();
        own.folders.extend(missing);
        fs::create_dir_all(folder)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = folder.join(format!(".{name}.{}.part", std::process::id()));
        let file = fs::File::create_new(&part)?;
        own.parts.push((part, path.to_owned()));
        Ok(file)
    }

    /// Gives all files their names. The error is with the file that could not be renamed.
    fn commit(self) -> Result<(), (PathBuf, io::Error)> {
        let mut all = unfinished();
        let own = all.remove(&self.0).unwrap_or_default();
        let renamed = own.parts.iter().try_for_each(|(part, path)| {
            fs::rename(part, path).map_err(|error| (path.clone(), error))
        });
        if renamed.is_err() {
            own.remove();
        }
        renamed
    }
}

impl Drop for Batch {
    fn drop(&mut self) {
        let left = unfinished().remove(&self.0);
        if let Some(left) = left {
            left.remove();
        }
    }
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
        &[&shown(path), &io_reason(error, lang)],
        lang,
    )
}

pub(crate) fn shown(path: &Path) -> String {
    names::display(path.to_string_lossy().as_bytes())
}
