//! Which compiler builds for the browser, and in which environment?
//!
//! 1. The rustc on PATH, when it has the standard library for wasm32.
//! 2. The same, after `rustup target add`; that needs rustup's own download server, so it is limited in time
//!    and a failure is remembered for some hours.
//! 3. On Debian, the packages `rustc-web`, `cargo-web`, `rust-web-src` and the lld that goes with them. They have
//!    no standard library for wasm32, but its sources: cargo builds it (`build-std`). It builds in a target
//!    folder of its own, so that this compiler and the one for native builds never undo each other's work.
//!
//! The published page takes its standard library from the sources as well, built for size and without the words of
//! panics: a tenth of the page. With rustup that needs the component `rust-src`; without it the page is larger.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::run::{self, Failure, Result, Step};
use crate::tools;

/// The browser's target.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// How long rustup may take to add something.
const RUSTUP_LIMIT: Duration = Duration::from_secs(90);
/// How long what rustup could not add is not tried again.
const RUSTUP_PAUSE: Duration = Duration::from_secs(12 * 3600);

/// The first compiler (1.y) that knows `-Cpanic=immediate-abort`.
const IMMEDIATE_ABORT: u32 = 92;

const SYSTEM_BIN: &str = "/usr/bin";
const DEBIAN: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// A compiler for the browser: what differs from the environment the chore was started in.
pub struct WebToolchain {
    system: bool,
    linker: Option<PathBuf>,
}

impl WebToolchain {
    /// Finds the compiler, or installs it.
    pub fn set_up() -> Result<WebToolchain> {
        let step = Step::begin("tools", "rustc for wasm32");
        let sysroot =
            run::probe(run::command("rustc").args(["--print", "sysroot"])).map(PathBuf::from);
        let plain = WebToolchain {
            system: false,
            linker: None,
        };
        if sysroot.as_deref().is_some_and(has_target) {
            step.end("found");
            return Ok(plain);
        }
        if let Some(sysroot) = &sysroot {
            if rustup_add(&step, "target", TARGET, sysroot)? && has_target(sysroot) {
                step.end_timed("added");
                return Ok(plain);
            }
        }
        if let Some(linker) = system_toolchain() {
            step.end("found (the system's, builds std)");
            return Ok(WebToolchain {
                system: true,
                linker,
            });
        }
        step.note("installing Debian's");
        install_system_toolchain()?;
        let linker = system_toolchain()
            .ok_or_else(|| missing("the installed packages have no rustc 1.85 or later"))?;
        step.end_timed("done (the system's, builds std)");
        Ok(WebToolchain {
            system: true,
            linker,
        })
    }

    /// Where builds for the browser go.
    pub fn target_dir(&self) -> PathBuf {
        if self.system {
            run::target_dir().join("web")
        } else {
            run::target_dir()
        }
    }

    /// PATH for tools that call cargo by themselves: the tool cache first, then the compiler's folder.
    pub fn path(&self) -> Result<OsString> {
        let mut dirs = vec![tools::cache_dir()?.join("bin")];
        if self.system {
            dirs.push(PathBuf::from(SYSTEM_BIN));
        }
        dirs.extend(std::env::split_paths(
            &std::env::var_os("PATH").unwrap_or_default(),
        ));
        std::env::join_paths(dirs).map_err(|e| Failure(format!("PATH cannot be extended: {e}")))
    }

    /// Makes a command, and every cargo below it, use this compiler.
    pub fn apply(&self, command: &mut Command) -> Result<()> {
        command
            .env("PATH", self.path()?)
            .env("CARGO_TARGET_DIR", self.target_dir());
        if !self.system {
            return Ok(());
        }
        command
            .env("CARGO", Path::new(SYSTEM_BIN).join("cargo"))
            .env("RUSTC", Path::new(SYSTEM_BIN).join("rustc"))
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
            // Set by rustup for its own compilers.
            .env_remove("LD_LIBRARY_PATH")
            .env_remove("RUSTUP_TOOLCHAIN");
        if let Some(linker) = &self.linker {
            command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        Ok(())
    }

    /// Makes a command build as the published page is built. Says whether it can: without the sources of the standard
    /// library it builds a larger page.
    pub fn apply_for_size(&self, command: &mut Command) -> Result<bool> {
        self.apply(command)?;
        let rustc = match self.system {
            true => Path::new(SYSTEM_BIN).join("rustc"),
            false => PathBuf::from("rustc"),
        };
        if minor(&rustc).is_none_or(|minor| minor < IMMEDIATE_ABORT) {
            return Ok(false);
        }
        if !self.system {
            let step = Step::begin("tools", "sources of std");
            let sysroot =
                run::probe(run::command("rustc").args(["--print", "sysroot"])).unwrap_or_default();
            let sysroot = PathBuf::from(sysroot);
            let found =
                has_sources(&sysroot) || rustup_add(&step, "component", "rust-src", &sysroot)?;
            if !found {
                step.end("not there: the page gets larger (rustup component add rust-src)");
                return Ok(false);
            }
            step.end("found");
        }
        command
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
            .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
                "-Zunstable-options -Cpanic=immediate-abort -Zfmt-debug=shallow",
            );
        Ok(true)
    }

    /// This compiler's cargo, in the workspace folder.
    pub fn cargo(&self) -> Result<Command> {
        let mut cargo = match self.system {
            true => run::command(Path::new(SYSTEM_BIN).join("cargo")),
            false => run::cargo(),
        };
        self.apply(&mut cargo)?;
        Ok(cargo)
    }

    /// Whether clippy can look at browser code: Debian's packages have none that matches.
    pub fn has_clippy(&self) -> bool {
        !self.system
    }
}

fn has_target(sysroot: &Path) -> bool {
    let lib = sysroot.join("lib/rustlib").join(TARGET).join("lib");
    fs::read_dir(lib).is_ok_and(|files| {
        files
            .flatten()
            .any(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
    })
}

fn has_sources(sysroot: &Path) -> bool {
    sysroot
        .join("lib/rustlib/src/rust/library/std/Cargo.toml")
        .is_file()
}

/// Tries `rustup target add` or `rustup component add`, unless there is none or it failed lately with the same compiler.
fn rustup_add(step: &Step, kind: &str, what: &str, sysroot: &Path) -> Result<bool> {
    if run::find("rustup").is_none() {
        return Ok(false);
    }
    let memo = tools::cache_dir()?.join(format!("rustup-{kind}.failed"));
    let name = sysroot.display().to_string();
    let lately = fs::metadata(&memo)
        .and_then(|m| m.modified())
        .ok()
        .and_then(|t| t.elapsed().ok());
    if lately.is_some_and(|age| age < RUSTUP_PAUSE)
        && fs::read_to_string(&memo).is_ok_and(|n| n == name)
    {
        return Ok(false);
    }
    step.note(&format!(
        "rustup {kind} add (at most {} s)",
        RUSTUP_LIMIT.as_secs()
    ));
    let mut add = run::command("rustup");
    add.args([kind, "add", what]).env("RUSTUP_MAX_RETRIES", "1");
    let added = run::succeeds_within(&mut add, "rustup", RUSTUP_LIMIT)?;
    if added {
        let _ = fs::remove_file(&memo);
    } else {
        step.note("failed");
        fs::create_dir_all(tools::cache_dir()?)?;
        fs::write(&memo, name)?;
    }
    Ok(added)
}

/// The system's compiler, when it can build std for wasm32: the linker to name, if it needs one named.
fn system_toolchain() -> Option<Option<PathBuf>> {
    let bin = Path::new(SYSTEM_BIN);
    if !bin.join("cargo").is_file() || !has_sources(&bin.join("..")) {
        return None;
    }
    if minor(&bin.join("rustc"))? < 85 {
        return None;
    }
    let own = bin.join("../lib/rustlib").join(format!(
        "{}-unknown-linux-gnu/bin/rust-lld",
        std::env::consts::ARCH
    ));
    if own.is_file() {
        return Some(None);
    }
    let linker = bin.join(format!("wasm-ld-{}", llvm_major()?));
    linker.is_file().then_some(Some(linker))
}

/// The y of a compiler's version 1.y.
fn minor(rustc: &Path) -> Option<u32> {
    let version = run::probe(Command::new(rustc).arg("--version"))?;
    version
        .strip_prefix("rustc 1.")?
        .split('.')
        .next()?
        .parse()
        .ok()
}

/// The LLVM of the system's compiler: its lld must be as new.
fn llvm_major() -> Option<String> {
    let output = Command::new(Path::new(SYSTEM_BIN).join("rustc"))
        .arg("-vV")
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "))?;
    version.split('.').next().map(str::to_owned)
}

fn install_system_toolchain() -> Result<()> {
    tools::apt_install(&DEBIAN).map_err(|e| missing(&e.0))?;
    let lld = llvm_major()
        .map(|major| format!("lld-{major}"))
        .ok_or_else(|| missing("no rustc was installed"))?;
    tools::apt_install(&[&lld]).map_err(|e| missing(&e.0))
}

fn missing(reason: &str) -> Failure {
    Failure(format!(
        "no Rust compiler for the browser ({TARGET}), which the page is built with.\n\
         With rustup:  rustup target add {TARGET}\n\
         On Debian:    apt-get install {} lld-22\n\
         Here:         {reason}",
        DEBIAN.join(" ")
    ))
}
