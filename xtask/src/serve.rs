//! How does one look at the page while working on it?

use std::fs;
use std::net::TcpListener;

use crate::run::{self, Failure, Result};
use crate::toolchain::WebToolchain;
use crate::tools;

/// What `cargo xtask serve` was asked for.
pub struct Options {
    pub port: u16,
    pub release: bool,
}

/// Builds the page, serves it, and builds again when a source changes; ends with Ctrl-C.
pub fn serve(options: &Options) -> Result<()> {
    let Options { port, release } = *options;
    if TcpListener::bind(("127.0.0.1", port)).is_err() {
        return Err(Failure(format!(
            "port {port} is taken; choose another with --port"
        )));
    }
    let web = WebToolchain::set_up()?;
    let trunk = tools::trunk(&web)?;
    tools::wasm_bindgen(&web)?;

    println!("serve   http://127.0.0.1:{port}/ once the build below is done; Ctrl-C ends it");
    let mut serve = run::command(trunk);
    // Reloading by itself would need an inline script, which the page's content security policy forbids.
    serve.args([
        "serve",
        "--no-autoreload",
        "--no-error-reporting",
        "--address",
        "127.0.0.1",
        "--port",
    ]);
    serve
        .arg(port.to_string())
        .arg("--dist")
        .arg(run::target_dir().join("xtask/serve"));
    // Everything else is watched: running the tests at the same time must not start builds of the page.
    fs::create_dir_all(run::target_dir())?;
    let elsewhere = ["target", "dist", "tests"].map(|dir| run::root().join(dir));
    for dir in elsewhere.iter().chain([&run::target_dir()]) {
        // trunk stops at a folder that does not exist.
        if dir.is_dir() {
            serve.arg("--ignore").arg(dir);
        }
    }
    if release {
        serve.arg("--release");
    }
    serve
        .env_remove("NO_COLOR")
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        .env("RUST_LIB_BACKTRACE", "0");
    web.apply(&mut serve)?;
    run::attached(&mut serve)
}
