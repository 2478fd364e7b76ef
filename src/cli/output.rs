//! Writes result files: all of them under temporary names first, then renamed together, so that no
//! half file is ever seen, nor half of the files; files that this program did not write are left
//! alone. What is stopped in between, by an error or by Ctrl-C, takes its temporary files away.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
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

/// Result files of a graph on their way below a folder.
pub(crate) struct Output<'a> {
    dir: &'a Path,
    args: &'a Args,
    lang: Lang,
    /// What an earlier log lists.
    known: Option<Vec<Entry>>,
    batch: Batch,
    written: Vec<Entry>,
    progress: Mutex<Progress>,
}

impl<'a> Output<'a> {
    /// Nothing is written yet.
    pub(crate) fn begin(dir: &'a Path, args: &'a Args, lang: Lang) -> Self {
        Self {
            dir,
            args,
            lang,
            known: earlier(dir),
            batch: Batch::begin(),
            written: Vec::new(),
            progress: Mutex::new(Progress::new(args.progress)),
        }
    }

    /// Whether there is a foreign file in the place of one: then the sentence that says so.
    fn check(&self, name: &str) -> Result<(), String> {
        let path = below(self.dir, name);
        let ours = match name {
            LOG => self.known.is_some(),
            _ => self.known.iter().flatten().any(|(n, _)| n == name),
        };
        if !ours && !self.args.force && path.symlink_metadata().is_ok() {
            return Err(say(Say::Foreign, &[&shown(&path)], self.lang));
        }
        Ok(())
    }

    /// Writes files side by side, each by one thread, while this one does `meanwhile` first. The
    /// error is the sentence to print.
    pub(crate) fn write<R>(
        &mut self,
        results: &Results<'_>,
        files: &[ResultFile],
        meanwhile: impl FnOnce() -> R,
    ) -> Result<R, String> {
        self.check(LOG)?;
        files.iter().try_for_each(|f| self.check(&f.name))?;
        // The longest first, so that no thread is left alone with it.
        let mut order: Vec<&ResultFile> = files.iter().collect();
        order.sort_by_key(|f| std::cmp::Reverse(results.cells(&f.content)));
        let next = AtomicUsize::new(0);
        let before = self.written.len();
        let all = (before + files.len() + 1).to_string();
        let work = || -> Result<Vec<Entry>, String> {
            let mut written = Vec::new();
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(file) = order.get(place) else {
                    return Ok(written);
                };
                if let Ok(mut shown) = self.progress.lock() {
                    let number = (before + place + 1).to_string();
                    shown.show(|| say(Say::Writing, &[&number, &all, &file.name], self.lang));
                }
                let path = below(self.dir, &file.name);
                let sha = self
                    .batch
                    .write(&path, |out| results.write(&file.content, out))
                    .map_err(|e| failed(&path, &e, self.lang))?;
                written.push((file.name.clone(), sha));
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get().min(8));
        let threads = threads.min(files.len() + 1);
        let (done, value) = std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let value = meanwhile();
            let own = work();
            let joined = others.into_iter().map(|other| match other.join() {
                Ok(done) => done,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            let done: Vec<Result<Vec<Entry>, String>> = joined.chain([own]).collect();
            (done, value)
        });
        for part in done {
            self.written.extend(part?);
        }
        Ok(value)
    }

    /// Writes the log and gives all files their names; the value is their number. The error is the
    /// sentence to print.
    pub(crate) fn finish(
        mut self,
        log_text: impl FnOnce(&[Entry], &[Entry]) -> String,
    ) -> Result<usize, String> {
        let (dir, lang) = (self.dir, self.lang);
        let mut written = std::mem::take(&mut self.written);
        written.sort();
        // What earlier runs left stays ours.
        let mut left: Vec<Entry> = self.known.take().unwrap_or_default();
        left.retain(|(name, _)| {
            written.binary_search_by(|w| w.0.cmp(name)).is_err() && below(dir, name).is_file()
        });
        left.sort();
        left.dedup_by(|a, b| a.0 == b.0);
        let path = below(dir, LOG);
        let text = log_text(&left, &written);
        self.batch
            .write(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|e| failed(&path, &e, lang))?;
        self.batch
            .commit()
            .map_err(|(path, e)| failed(&path, &e, lang))?;
        Ok(written.len() + 1)
    }
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
            file: self.create(path)?,
            hash: Sha256::new(),
        };
        content(&mut out)?;
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

/// Hashes what it writes; without a buffer, as tables come in large pieces.
struct Hashing {
    file: fs::File,
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
