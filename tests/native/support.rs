//! What every module needs: fixtures, the product in one call, a readable diff, scratch folders.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use sha2::{Digest, Sha256};
use somascope::model::{InputRef, NodeFlags, Plan};
use somascope::parse::{Parsed, ReadOptions, Reader};

/// `tests/data`.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

/// A path as the failure messages name it.
pub fn short(path: &Path) -> String {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR"))
        .unwrap_or(path)
        .display()
        .to_string()
}

/// Every file below a folder, sorted.
pub fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = std::fs::read_dir(dir)
        .unwrap_or_else(|e| panic!("{}: {e}", short(dir)))
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// The bytes of a file as they are.
pub fn raw(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", short(path)))
}

/// The text of a fixture, unpacked when it is packed.
pub fn text(path: &Path) -> Vec<u8> {
    let bytes = raw(path);
    if path.extension().is_some_and(|e| e == "gz") {
        let mut out = Vec::new();
        flate2::read::MultiGzDecoder::new(bytes.as_slice())
            .read_to_end(&mut out)
            .unwrap();
        return out;
    }
    bytes
}

/// Packs bytes as `gzip` does.
pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut packer = flate2::read::GzEncoder::new(bytes, flate2::Compression::fast());
    packer.read_to_end(&mut out).unwrap();
    out
}

/// Whether a fixture is a main dump, by the first words of its text. The product is not asked.
pub fn is_main_dump(bytes: &[u8]) -> bool {
    let text = bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start();
    text.starts_with(b"All Parameters:") || text.starts_with(b"All Tensors:")
}

/// Every healthy main dump among the fixtures, with its text.
pub fn main_dumps() -> Vec<(PathBuf, Vec<u8>)> {
    ["samples", "generations", "dumps"]
        .iter()
        .flat_map(|dir| files(&data().join(dir)))
        .map(|path| (path.clone(), text(&path)))
        .filter(|(_, bytes)| is_main_dump(bytes))
        .collect()
}

/// The part of [`main_dumps`] that slow definitions can afford.
pub fn small_dumps() -> Vec<(PathBuf, Vec<u8>)> {
    main_dumps()
        .into_iter()
        .filter(|(_, bytes)| bytes.len() < 200_000)
        .collect()
}

/// Reads bytes in one piece.
pub fn parse(bytes: &[u8]) -> Parsed {
    parse_chunks(bytes, &[], false)
}

/// Reads bytes in one piece and shows what could be read.
pub fn parse_partial(bytes: &[u8]) -> Parsed {
    parse_chunks(bytes, &[], true)
}

/// Reads bytes cut at the given places.
pub fn parse_chunks(bytes: &[u8], cuts: &[usize], partial: bool) -> Parsed {
    let mut reader = Reader::new(ReadOptions {
        partial,
        size_hint: 0,
    });
    let mut from = 0;
    for &cut in cuts {
        let cut = cut.clamp(from, bytes.len());
        reader.push(&bytes[from..cut]);
        from = cut;
    }
    reader.push(&bytes[from..]);
    reader.finish()
}

/// Whether every line of the file went somewhere.
pub fn accounted(parsed: &Parsed) -> bool {
    let lines = &parsed.lines;
    lines.total == lines.blank + lines.records + lines.unread + lines.skipped
}

/// The codes of all listed diagnostics with their places: `12:3 field_count`.
pub fn codes(parsed: &Parsed) -> Vec<String> {
    parsed
        .diagnostics
        .list
        .iter()
        .map(|d| format!("{}:{} {}", d.line, d.column, d.code.word()))
        .collect()
}

/// The plan of a text that must be healthy.
pub fn healthy(name: &str, bytes: &[u8]) -> Plan {
    let parsed = parse(bytes);
    assert!(
        parsed.diagnostics.errors == 0 && parsed.diagnostics.warnings == 0,
        "{name}: a healthy dump gave {:?}",
        codes(&parsed)
    );
    parsed
        .plan
        .unwrap_or_else(|| panic!("{name}: no plan and no error"))
}

/// SHA-256 in hex.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// Decimals joined with commas.
pub fn joined<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    numbers
        .into_iter()
        .map(|n| n.to_string())
        .collect::<Vec<_>>()
        .join(",")
}

/// Everything a plan says, one fact a line, in printed ids: two plans are equal when their
/// portraits are.
pub fn portrait(plan: &Plan) -> String {
    let name = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let ids = |list: &[u32]| joined(list.iter().map(|&t| plan.tensors.ids.id(t)));
    let steps = |list: &[u32]| joined(list.iter().map(|&n| plan.nodes.step(n)));
    let mut out = vec![format!(
        "kind {} steps {} total {:?}",
        plan.kind.word(),
        plan.steps,
        plan.stated_total
    )];
    for p in 0..plan.parameters.ids.len() {
        let i = p as usize;
        out.push(format!(
            "%{}P size {} out {} name {}",
            plan.parameters.ids.id(p),
            plan.parameters.size[i],
            plan.parameters.out_index[i],
            name(plan.names.get(plan.parameters.name[i]))
        ));
    }
    for t in 0..plan.n_tensors() {
        let tensors = &plan.tensors;
        let aligned = tensors.aligned_at(t);
        let place = if aligned == 0 {
            "-".into()
        } else {
            tensors.true_offset(t).to_string()
        };
        let (first, last) = tensors.printed_life(t);
        out.push(format!(
            "%{}T aligned {aligned} original {} at {place} type {} {} life {first}..={last} source {} readers {}",
            tensors.ids.id(t),
            tensors.original_at(t),
            tensors.kind_words.word(tensors.kind_at(t)),
            tensors.lifelong_at(t).word(),
            tensors.source_of(t).map_or("-".into(), |n| plan.nodes.step(n).to_string()),
            steps(plan.readers().get(t)),
        ));
    }
    for n in 0..plan.n_nodes() {
        let item = |i| match i {
            InputRef::Tensor(t) => format!("%{}T", plan.tensors.ids.id(t)),
            InputRef::Parameter(p) => format!("%{}P", plan.parameters.ids.id(p)),
        };
        out.push(format!(
            "${} communication {} stream {} inputs {} outputs {} workspaces {} name {}",
            plan.nodes.step(n),
            plan.nodes.flags_of(n).has(NodeFlags::COMMUNICATION),
            plan.nodes.stream_of(n),
            joined(plan.nodes.inputs_of(n).map(item)),
            ids(plan.nodes.outputs.get(n)),
            ids(plan.nodes.workspaces.get(n)),
            name(plan.node_name(n)),
        ));
    }
    out.extend(unions(
        plan.unions
            .iter()
            .map(|u| u.iter().map(|&t| plan.tensors.ids.id(t)).collect()),
    ));
    out.extend(
        plan.contiguous
            .iter()
            .map(|l| format!("contiguous {}", ids(l))),
    );
    out.extend(
        plan.contiguous_processed
            .iter()
            .map(|l| format!("processed {}", ids(l))),
    );
    out.extend(
        plan.stream_groups
            .iter()
            .map(|l| format!("group {}", joined(l.iter()))),
    );
    out.extend(
        plan.blocks
            .iter()
            .map(|b| format!("block {} {}", b.start, b.len())),
    );
    out.push(format!(
        "controls {} events {}",
        plan.control_tensors,
        plan.events.len()
    ));
    out.join("\n") + "\n"
}

/// Lines of union groups: the head, then the others ascending.
pub fn unions(groups: impl Iterator<Item = Vec<u64>>) -> Vec<String> {
    let line = |mut group: Vec<u64>| {
        group[1..].sort_unstable();
        format!("union {}", joined(group))
    };
    let mut lines: Vec<String> = groups.map(line).collect();
    lines.sort();
    lines
}

/// Panics with the lines that differ, when two texts do.
#[track_caller]
pub fn same(what: &str, expected: &str, found: &str) {
    if let Some(report) = difference(expected, found) {
        panic!("{what}: {report}");
    }
}

/// The lines that differ, ready to read; `None` when none does.
pub fn difference(expected: &str, found: &str) -> Option<String> {
    if expected == found {
        return None;
    }
    let (old, new): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), found.lines().collect());
    let mut report = String::new();
    let mut differing = 0;
    for i in 0..old.len().max(new.len()) {
        let (a, b) = (old.get(i), new.get(i));
        if a != b {
            differing += 1;
            if differing <= 12 {
                report += &format!(
                    "  line {}\n    expected {}\n    found    {}\n",
                    i + 1,
                    shown(a),
                    shown(b)
                );
            }
        }
    }
    Some(format!(
        "{differing} lines differ (of {} and {})\n{report}",
        old.len(),
        new.len()
    ))
}

fn shown(line: Option<&&str>) -> String {
    line.map_or("(no such line)".into(), |l| {
        format!("{:?}", l.chars().take(400).collect::<String>())
    })
}

/// A new empty folder below the build's scratch folder.
pub fn scratch(name: &str) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let unique = format!(
        "{name}-{}-{}",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    );
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Writes a scratch file and gives its path.
pub fn scratch_file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch("file").join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// The command line, in English whatever the machine speaks.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_somascope"));
    command
        .env("LC_ALL", "C")
        .env("LANG", "C")
        .env_remove("LC_MESSAGES")
        .env_remove("LANGUAGE");
    command.stdin(Stdio::null());
    command
}

/// Runs the command line with arguments. Results go to a scratch folder unless the arguments say
/// where: the fixtures stay as they are.
pub fn run<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Output {
    let mut args: Vec<std::ffi::OsString> = args.into_iter().map(|a| a.as_ref().into()).collect();
    let has = |flag: &str| args.iter().any(|a| a == flag);
    let reads = has("-s") || has("--somas_info_file");
    if reads && !has("-o") && !has("--json") {
        args.push("-o".into());
        args.push(scratch("results").into());
    }
    command().args(args).output().unwrap()
}

/// The summary that `--json` prints for a file, which must be one line.
pub fn json_of(path: &Path, more: &[&str]) -> serde_json::Value {
    let mut args = vec!["-s".into(), path.as_os_str().to_owned(), "--json".into()];
    args.extend(more.iter().map(|m| (*m).into()));
    let output = run(args);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        stdout.lines().count(),
        1,
        "{}: --json must print one line, exit {:?}\n{stdout}\n{}",
        short(path),
        output.status.code(),
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{}: {e}\n{stdout}", short(path)))
}

/// Python 3, where the machine has one. Otherwise it is said what is left out.
#[allow(clippy::print_stderr)] // A test that is left out must say so.
pub fn python(what: &str) -> Option<&'static str> {
    let found = ["python3", "python"].into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|o| {
            o.status.success() && String::from_utf8_lossy(&o.stdout).starts_with("Python 3")
        })
    });
    if found.is_none() {
        eprintln!("SKIPPED, no python3 on this machine: {what}");
    }
    found
}
