//! Which tools besides the compiler does a chore need, where are they, and how do they get there?
//!
//! trunk and wasm-bindgen come from crates.io, wasm-opt (`binaryen`) and esbuild from npm, Node and a browser from the system.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{self, Failure, Result, Step};
use crate::toolchain::WebToolchain;

/// 0.22 needs a newer rustc than this project does.
const TRUNK: &str = "0.21.14";
const BINARYEN: &str = "132.0.0";
const ESBUILD: &str = "0.28.2";
const OLDEST_NODE: u32 = 18;

/// The tool cache, which all clones on a machine use together.
pub fn cache_dir() -> Result<PathBuf> {
    if let Some(dir) = env::var_os("SOMASCOPE_TOOLS").filter(|dir| !dir.is_empty()) {
        return Ok(std::path::absolute(dir)?);
    }
    let cache = env::var_os("XDG_CACHE_HOME")
        .filter(|dir| !dir.is_empty())
        .map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".cache")));
    let cache = cache
        .ok_or_else(|| Failure("no home folder for tools; name one in SOMASCOPE_TOOLS".into()))?;
    Ok(cache.join("somascope/tools"))
}

/// Builds the page.
pub fn trunk(web: &WebToolchain) -> Result<PathBuf> {
    let accept = |version: &str| version.starts_with("trunk 0.21.");
    let install = [
        "trunk",
        "--version",
        TRUNK,
        "--locked",
        "--no-default-features",
    ];
    cargo_tool(web, "trunk", TRUNK, accept, &install, "about 5 min")
}

/// Writes the JavaScript side; it must be the version of the crate, to the letter.
pub fn wasm_bindgen(web: &WebToolchain) -> Result<PathBuf> {
    let version = locked_version("wasm-bindgen")?;
    let wanted = format!("wasm-bindgen {version}");
    let accept = |found: &str| found.split(" (").next() == Some(wanted.as_str());
    let install = ["wasm-bindgen-cli", "--version", &version];
    cargo_tool(
        web,
        "wasm-bindgen",
        &version,
        accept,
        &install,
        "about 2 min",
    )
}

fn cargo_tool(
    web: &WebToolchain,
    name: &str,
    version: &str,
    accept: impl Fn(&str) -> bool,
    install: &[&str],
    time: &str,
) -> Result<PathBuf> {
    let step = Step::begin("tools", &format!("{name} {version}"));
    let path = web.path()?;
    // trunk 0.21 takes NO_COLOR=1 for a wrong argument.
    let present = |file: &PathBuf| {
        run::probe(Command::new(file).arg("--version").env_remove("NO_COLOR"))
            .is_some_and(|v| accept(&v))
    };
    if let Some(file) = run::find_in(&path, name).filter(present) {
        step.end("found");
        return Ok(file);
    }
    step.note(&format!("installing ({time})"));
    let cache = cache_dir()?;
    let build = cache.join("build");
    let mut cargo = run::cargo();
    cargo
        .arg("install")
        .args(install)
        .arg("--force")
        .arg("--root")
        .arg(&cache);
    // A tool that runs for a second need not be optimised for minutes.
    cargo
        .env("CARGO_TARGET_DIR", &build)
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
    run::logged(&mut cargo, name)?;
    let _ = fs::remove_dir_all(&build);
    let file = run::find_in(&path, name).filter(present);
    let file = file.ok_or_else(|| {
        Failure(format!(
            "{name} {version} was installed to {} but does not run",
            cache.display()
        ))
    })?;
    step.end_timed("done");
    Ok(file)
}

/// The version of a crate in `Cargo.lock`.
fn locked_version(krate: &str) -> Result<String> {
    let lock = fs::read_to_string(run::root().join("Cargo.lock"))?;
    let start = format!("name = \"{krate}\"\nversion = \"");
    let version = lock
        .split(&start)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    version
        .map(str::to_owned)
        .ok_or_else(|| Failure(format!("{krate} is not in Cargo.lock")))
}

/// Shrinks and speeds up a module: a command that still needs its arguments.
pub fn wasm_opt(node: &Path) -> Result<Command> {
    let package = npm_package("wasm-opt", "binaryen", BINARYEN)?;
    let mut command = run::command(node);
    command.arg(package.join("bin/wasm-opt"));
    Ok(command)
}

/// Rewrites scripts and styles as short as can be.
pub fn esbuild() -> Result<PathBuf> {
    Ok(npm_package("esbuild", "esbuild", ESBUILD)?.join("bin/esbuild"))
}

/// The folder of a package from npm; each has a folder of its own in the cache.
fn npm_package(what: &str, name: &str, version: &str) -> Result<PathBuf> {
    let step = Step::begin("tools", &format!("{what} {version}"));
    let home = cache_dir()?.join(name);
    let package = home.join("node_modules").join(name);
    let line = format!("\"version\": \"{version}\"");
    if fs::read_to_string(package.join("package.json")).is_ok_and(|text| text.contains(&line)) {
        step.end("found");
        return Ok(package);
    }
    step.note("installing");
    fs::create_dir_all(&home)?;
    let mut npm = Command::new("npm");
    npm.args([
        "install",
        "--no-audit",
        "--no-fund",
        "--no-save",
        "--prefix",
    ])
    .arg(&home);
    npm.arg(format!("{name}@{version}")).current_dir(&home);
    run::logged(&mut npm, name)?;
    step.end_timed("done");
    Ok(package)
}

/// Runs wasm-opt, esbuild and the end-to-end tests.
pub fn node() -> Result<PathBuf> {
    let step = Step::begin("tools", &format!("node {OLDEST_NODE} or later, npm"));
    let present = || {
        let node = run::find("node")?;
        let version = run::probe(Command::new(&node).arg("--version"))?;
        let major: u32 = version.strip_prefix('v')?.split('.').next()?.parse().ok()?;
        (major >= OLDEST_NODE && run::find("npm").is_some()).then_some((node, version))
    };
    if let Some((node, version)) = present() {
        step.end(&format!("found {version}"));
        return Ok(node);
    }
    step.note("installing");
    let reason = "wasm-opt and the end-to-end tests run on Node; install it from the system's packages (nodejs, npm) or nodejs.org";
    let missing = |e: Failure| {
        Failure(format!(
            "node {OLDEST_NODE} or later is missing: {reason}\n{e}"
        ))
    };
    apt_install(&["nodejs"]).map_err(missing)?;
    // Debian's nodejs comes without npm; others bring theirs, and cannot be installed beside Debian's npm.
    if run::find("npm").is_none() {
        apt_install(&["npm"]).map_err(missing)?;
    }
    let (node, version) =
        present().ok_or_else(|| Failure(format!("the system's node is too old: {reason}")))?;
    step.end_timed(&format!("done {version}"));
    Ok(node)
}

/// The browser of the end-to-end tests.
pub fn chromium() -> Result<PathBuf> {
    let step = Step::begin("tools", "chromium");
    if let Some(file) = env::var_os("CHROMIUM")
        .filter(|file| !file.is_empty())
        .map(PathBuf::from)
    {
        if file.is_file() {
            step.end(&format!("found {} (CHROMIUM)", file.display()));
            return Ok(file);
        }
        return Err(Failure(format!(
            "CHROMIUM names no file: {}",
            file.display()
        )));
    }
    let mac = PathBuf::from("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome");
    let present = || {
        let names = [
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
        ];
        names
            .into_iter()
            .find_map(run::find)
            .or_else(|| mac.is_file().then(|| mac.clone()))
    };
    if let Some(file) = present() {
        step.end(&format!("found {}", file.display()));
        return Ok(file);
    }
    step.note("installing");
    let reason = "the end-to-end tests drive the page in it; name one in the variable CHROMIUM, or install the package chromium";
    apt_install(&["chromium"])
        .map_err(|e| Failure(format!("chromium is missing: {reason}\n{e}")))?;
    let file = present().ok_or_else(|| Failure(format!("chromium is missing: {reason}")))?;
    step.end_timed(&format!("done {}", file.display()));
    Ok(file)
}

/// Installs Debian packages, when that is possible without asking anybody.
pub fn apt_install(packages: &[&str]) -> Result<()> {
    let by_hand = format!("apt-get install {}", packages.join(" "));
    if run::find("apt-get").is_none() {
        return Err(Failure(format!(
            "there is no apt-get to install it with ({by_hand})"
        )));
    }
    let root = run::probe(Command::new("id").arg("-u")).is_some_and(|id| id == "0");
    if !root && run::probe(Command::new("sudo").args(["-n", "true"])).is_none() {
        return Err(Failure(format!("installing it needs root: sudo {by_hand}")));
    }
    let apt = |args: &[&str]| {
        let mut command = if root {
            Command::new("apt-get")
        } else {
            Command::new("sudo")
        };
        if !root {
            command.args(["-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        }
        command.env("DEBIAN_FRONTEND", "noninteractive").args(args);
        command
    };
    let install = [
        &[
            "-o",
            "DPkg::Lock::Timeout=300",
            "install",
            "-y",
            "--no-install-recommends",
        ],
        packages,
    ]
    .concat();
    // The package lists of a fresh machine are empty or old.
    if run::logged(&mut apt(&install), "apt").is_err() {
        run::logged(&mut apt(&["update"]), "apt-update")?;
        run::logged(&mut apt(&install), "apt")?;
    }
    Ok(())
}
