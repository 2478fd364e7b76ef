//! What does a published page consist of?
//!
//! trunk's release build, the module optimised once more by wasm-opt and packed, and a content hash in the name of
//! every file that `index.html` names: a server may let browsers keep those for ever. The references stay relative, so
//! the folder works under any path. What a first visit has to load is measured against a limit. The whole page in one file
//! lies beside it; the page does not ask for that one.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use lzma_rust2::{LzmaOptions, LzmaWriter};
use sha2::{Digest, Sha256};

use crate::offline;
use crate::run::{self, Failure, Result, Step};
use crate::shorten;
use crate::toolchain::WebToolchain;
use crate::tools;

/// What module, scripts and styles may take together, gzipped, in bytes.
const LIMIT: usize = 400_000;

/// The module as trunk names it, and as a published page has it.
const MODULE: &str = "app_bg.wasm";
const PACKED_MODULE: &str = "app_bg.lzma";
/// What else has code or styles.
const GLUE: &str = "app.js";
const BOOT: &str = "boot.js";
const STYLE: &str = "style.css";

/// The features that the module may use; the rest of wasm-opt's repertoire stays off.
const WASM_FEATURES: [&str; 7] = [
    "--enable-simd",
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Builds the page for publishing into `out`.
pub fn dist(out: &Path, node: &Path) -> Result<()> {
    ours_to_replace(out)?;
    let web = WebToolchain::set_up()?;
    let trunk = tools::trunk(&web)?;
    tools::wasm_bindgen(&web)?;

    // Apart from `out`, so that a failed build leaves the last good page alone.
    let name = out.file_name().unwrap_or_default();
    let stage = run::target_dir().join("xtask/stage").join(name);
    if stage.exists() {
        fs::remove_dir_all(&stage)?;
    }
    let mut build = run::command(trunk);
    let small = web.apply_for_size(&mut build)?;
    let step = Step::begin("dist", "trunk build --release");
    build
        .args(["build", "--release", "--public-url", "./", "--dist"])
        .arg(&stage);
    build
        .env_remove("NO_COLOR")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // What a failed build has to say stands before trunk's own stack.
        .env("RUST_LIB_BACKTRACE", "0");
    run::logged(&mut build, "trunk-build")?;
    step.end_timed("done");

    let module = stage.join(MODULE);
    optimise(node, &module)?;
    shorten::names(node, &module, &stage.join(GLUE), &WASM_FEATURES)?;
    pack_module(&stage)?;
    shorten::texts(&stage, &[GLUE, BOOT, STYLE])?;
    let step = Step::begin("dist", "hashed names");
    let renamed = hash_names(&stage)?;
    step.end(&format!("{renamed} files"));
    let step = Step::begin("dist", offline::NAME);
    let file = offline::pack(&stage)?;
    fs::write(stage.join(offline::NAME), &file)?;
    step.end(&kb(file.len()));
    publish(&stage, out)?;
    let size = measure(out)?;
    println!("dist    {}", out.display());
    if size > LIMIT && small {
        return Err(Failure(format!(
            "a first visit loads {}, the limit is {}",
            kb(size),
            kb(LIMIT)
        )));
    }
    Ok(())
}

/// Runs wasm-opt over a module, in place.
///
/// The linker puts the stack below everything else, so its last kilobyte is what "low memory" means: no address that
/// is made by adding to a pointer lies there, and such additions become part of the access.
pub fn optimise(node: &Path, module: &Path) -> Result<()> {
    let mut wasm_opt = tools::wasm_opt(node)?;
    let name = module
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let step = Step::begin("dist", &format!("wasm-opt -Oz {name}"));
    let before = fs::metadata(module)?.len();
    wasm_opt
        .args(["--gufa", "-Oz", "--low-memory-unused", "--converge"])
        .arg("--reorder-functions-by-name")
        .args(WASM_FEATURES)
        .arg(module)
        .arg("-o")
        .arg(module);
    run::logged(&mut wasm_opt, "wasm-opt")?;
    let after = fs::metadata(module)?.len();
    step.end_timed(&format!("{} → {}", kb(before as usize), kb(after as usize)));
    Ok(())
}

/// Packs the module, names the packed file in `index.html` instead, and puts what unpacks it in front of `boot.js`.
fn pack_module(dist: &Path) -> Result<()> {
    let step = Step::begin("dist", PACKED_MODULE);
    let module = fs::read(dist.join(MODULE))?;
    let packed = packed(&module)?;
    let index = dist.join("index.html");
    let html = rewrite(&fs::read_to_string(&index)?, MODULE, PACKED_MODULE)
        .ok_or_else(|| Failure(format!("index.html does not name {MODULE}")))?;
    fs::write(&index, html)?;
    fs::write(dist.join(PACKED_MODULE), &packed)?;
    fs::remove_file(dist.join(MODULE))?;
    let boot = dist.join(BOOT);
    let unpack = fs::read_to_string(run::root().join("static/unpack.js"))?;
    fs::write(&boot, unpack + &fs::read_to_string(&boot)?)?;
    step.end_timed(&format!("{} → {}", kb(module.len()), kb(packed.len())));
    Ok(())
}

/// A file of the format LZMA. Code has no columns of words, so the place of a byte says little of it (`lp`, `pb`), the
/// byte before it much (`lc`).
fn packed(content: &[u8]) -> Result<Vec<u8>> {
    let mut options = LzmaOptions::with_preset(9);
    (options.lc, options.lp, options.pb) = (4, 0, 0);
    options.nice_len = 273;
    options.depth_limit = 2000;
    let size = Some(content.len() as u64);
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, size)?;
    writer.write_all(content)?;
    Ok(writer.finish()?)
}

/// Puts a content hash into the name of each file that `index.html` names, and that name into `index.html`.
fn hash_names(dist: &Path) -> Result<usize> {
    let index = dist.join("index.html");
    let mut html = without_build_links(&fs::read_to_string(&index)?);
    let mut renamed = Vec::new();
    for file in files_below(dist)? {
        let Some(hashed) = hashed_name(&file, &fs::read(dist.join(&file))?) else {
            continue;
        };
        if let Some(changed) = rewrite(&html, &file, &hashed) {
            html = changed;
            fs::rename(dist.join(&file), dist.join(&hashed))?;
            renamed.push(file);
        }
    }
    // A script or style that named such a file would now ask for one that is not there.
    for file in files_below(dist)?
        .iter()
        .filter(|file| has_extension(file, "js") || has_extension(file, "css"))
    {
        let text = fs::read_to_string(dist.join(file))?;
        if let Some(old) = renamed.iter().find(|old| rewrite(&text, old, "").is_some()) {
            return Err(Failure(format!("{file} names {old}, which is published under a hashed name: let index.html name it")));
        }
    }
    fs::write(&index, html)?;
    for file in files_below(dist)? {
        let content = fs::read(dist.join(&file))?;
        if file != "index.html" && !is_named_by_content(&file, &content) {
            return Err(Failure(format!(
                "{file} would be published without a hash of its content: let index.html name it"
            )));
        }
    }
    Ok(renamed.len())
}

/// Whether a name ends in the hash of the content.
fn is_named_by_content(file: &str, content: &[u8]) -> bool {
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    stem.rsplit_once('-')
        .is_some_and(|(_, hash)| hash == content_hash(content))
}

/// `app.js` → `app-0123456789abcdef.js`; nothing for `index.html` and for names that trunk has hashed.
fn hashed_name(file: &str, content: &[u8]) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    let has_hash = stem
        .rsplit_once('-')
        .is_some_and(|(_, h)| h.len() == 16 && h.bytes().all(|b| b.is_ascii_hexdigit()));
    if file == "index.html" || has_hash {
        return None;
    }
    Some(format!("{stem}-{}.{extension}", content_hash(content)))
}

fn content_hash(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let bytes = digest.iter().take(8);
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// Drops the `<link data-trunk …>` that told trunk what to build and that it leaves in the page.
fn without_build_links(html: &str) -> String {
    let mut rest = html;
    let mut kept = String::new();
    while let Some(start) = rest.find("<link data-trunk") {
        let end = rest[start..]
            .find('>')
            .map_or(rest.len(), |length| start + length + 1);
        kept.push_str(rest[..start].trim_end_matches(' '));
        rest = rest[end..].strip_prefix('\n').unwrap_or(&rest[end..]);
    }
    kept + rest
}

/// Replaces the quoted name of a file, with or without `./`; nothing when the text does not have it.
fn rewrite(text: &str, old: &str, new: &str) -> Option<String> {
    let mut changed = text.to_owned();
    for quote in ['"', '\''] {
        for prefix in ["", "./"] {
            changed = changed.replace(
                &format!("{quote}{prefix}{old}{quote}"),
                &format!("{quote}./{new}{quote}"),
            );
        }
    }
    (changed != text).then_some(changed)
}

/// Prints what a first visit loads, gzipped, and gives the sum.
fn measure(dist: &Path) -> Result<usize> {
    let mut sum = 0;
    for file in files_below(dist)? {
        if ["lzma", "wasm", "js", "css"]
            .iter()
            .any(|extension| has_extension(&file, extension))
        {
            let size = gzipped(&fs::read(dist.join(&file))?)?;
            println!("dist    {:>8}  {file}", kb(size));
            sum += size;
        }
    }
    println!(
        "dist    {:>8}  together, gzipped; the limit is {}",
        kb(sum),
        kb(LIMIT)
    );
    Ok(sum)
}

fn gzipped(content: &[u8]) -> Result<usize> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?.len())
}

/// Refuses a folder that holds something else than a page of ours.
fn ours_to_replace(out: &Path) -> Result<()> {
    let empty = fs::read_dir(out).map_or(true, |mut files| files.next().is_none());
    let page =
        fs::read_to_string(out.join("index.html")).is_ok_and(|html| html.contains("somascope"));
    let own = out == run::root().join("dist") || out.starts_with(run::target_dir());
    if empty || page || own {
        return Ok(());
    }
    Err(Failure(format!(
        "{} holds other files; name an empty folder or an earlier page with --out",
        out.display()
    )))
}

/// Copies the finished page over, in place of an earlier one.
fn publish(stage: &Path, out: &Path) -> Result<()> {
    if out.exists() {
        fs::remove_dir_all(out)?;
    }
    for file in files_below(stage)? {
        let to = out.join(&file);
        fs::create_dir_all(to.parent().unwrap_or(out))?;
        fs::copy(stage.join(&file), to)?;
    }
    Ok(())
}

/// All files below a folder: paths relative to it, with `/`, sorted.
fn files_below(dir: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(relative) = open.pop() {
        for entry in fs::read_dir(dir.join(&relative))? {
            let entry = entry?;
            let path = relative.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                files.push(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    files.sort();
    Ok(files)
}

fn has_extension(file: &str, extension: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, e)| e == extension)
}

fn kb(bytes: usize) -> String {
    format!("{:.1} KB", bytes as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_stands_before_the_extension_and_depends_on_the_content() {
        // SHA-256 of nothing begins with e3b0c44298fc1c14.
        assert_eq!(
            hashed_name("a/app_bg.wasm", b"").as_deref(),
            Some("a/app_bg-e3b0c44298fc1c14.wasm")
        );
        assert_ne!(hashed_name("app.js", b"1"), hashed_name("app.js", b"2"));
        assert_eq!(hashed_name("index.html", b""), None);
        assert_eq!(hashed_name("style-0123456789abcdef.css", b""), None);
        assert!(is_named_by_content("a/x-e3b0c44298fc1c14.js", b""));
        assert!(!is_named_by_content("a/x-e3b0c44298fc1c14.js", b"1"));
        assert!(!is_named_by_content("x.js", b""));
    }

    #[test]
    fn only_whole_quoted_names_are_rewritten_and_stay_relative() {
        let html = r#"<a href="app.js" data-x='./app.js'>app.js</a><b src="my-app.js">"#;
        let changed = r#"<a href="./n.js" data-x='./n.js'>app.js</a><b src="my-app.js">"#;
        assert_eq!(rewrite(html, "app.js", "n.js").as_deref(), Some(changed));
        assert_eq!(rewrite(html, "p.js", "n.js"), None);
    }

    #[test]
    fn links_for_trunk_are_dropped_and_others_kept() {
        let html = "<head>\n  <link data-trunk rel=\"rust\"\n data-bin=\"app\">\n  <link rel=\"icon\">\n</head>";
        assert_eq!(
            without_build_links(html),
            "<head>\n  <link rel=\"icon\">\n</head>"
        );
    }

    #[test]
    fn a_packed_file_is_smaller_says_its_size_and_holds_the_content() {
        use std::io::Read;
        let content: Vec<u8> = (0..50_000u32).map(|i| ((i * i) >> 7) as u8).collect();
        let packed = packed(&content).unwrap();
        assert!(packed.len() < content.len() / 2);
        // lc = 4 of (pb * 5 + lp) * 9 + lc; the size in bytes 5..13.
        assert_eq!(packed[0], 4);
        assert_eq!(packed[5..13], 50_000u64.to_le_bytes());
        let mut reader =
            lzma_rust2::LzmaReader::new_mem_limit(&packed[..], u32::MAX, None).unwrap();
        let mut unpacked = Vec::new();
        reader.read_to_end(&mut unpacked).unwrap();
        assert!(unpacked == content);
    }
}
