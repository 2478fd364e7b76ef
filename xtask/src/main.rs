//! `cargo xtask serve | test | dist | bench`: which chores are there, and what does each take?
//!
//! Every chore sets up what it needs: it uses what is installed when that fits, installs it otherwise,
//! and where it cannot it says what is missing, what for, and the command that would install it.
//! Tools go to `$SOMASCOPE_TOOLS`, else `$XDG_CACHE_HOME/somascope/tools`, else `~/.cache/somascope/tools`,
//! so several clones use one set.

mod bench;
mod dist;
mod offline;
mod run;
mod serve;
mod shorten;
mod test;
mod toolchain;
mod tools;

use std::process::ExitCode;

use run::{Failure, Result};

const USAGE: &str = "\
usage: cargo xtask <chore>

  serve [--port PORT] [--release]   build the page, watch the sources, serve at http://127.0.0.1:8080/
  test  [native | e2e]              all checks; `native` needs no browser, `e2e` drives the page in one
  dist  [--out DIR]                 the page for publishing (default: dist), and as one file, somascope.html
  bench [--only TEXT]               speed targets on a plan of 1,000,000 tensors: natively, in wasm, in the page

environment:
  SOMASCOPE_TOOLS   folder of the tools that are installed on demand
  CHROMIUM          the browser of the end-to-end tests";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("\nerror: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[String]) -> Result<()> {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["serve", rest @ ..] => serve::serve(&serve_options(rest)?),
        ["test"] => test::test(test::Parts::All),
        ["test", "native"] => test::test(test::Parts::Native),
        ["test", "e2e"] => test::test(test::Parts::EndToEnd),
        ["dist"] => dist::dist(&run::root().join("dist"), &tools::node()?),
        ["dist", "--out", dir] => dist::dist(&std::path::absolute(dir)?, &tools::node()?),
        ["bench"] => bench::bench(None),
        ["bench", "--only", text] => bench::bench(Some(text)),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => Err(usage(format!(
            "unknown chore or option: {}",
            args.join(" ")
        ))),
    }
}

fn serve_options(args: &[&str]) -> Result<serve::Options> {
    let mut options = serve::Options {
        port: 8080,
        release: false,
    };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        match *arg {
            "--release" => options.release = true,
            "--port" => {
                let value = args
                    .next()
                    .ok_or_else(|| usage("--port needs a number".into()))?;
                options.port = value
                    .parse()
                    .map_err(|_| usage(format!("not a port number: {value}")))?;
            }
            other => return Err(usage(format!("unknown option of serve: {other}"))),
        }
    }
    Ok(options)
}

fn usage(problem: String) -> Failure {
    Failure(format!("{problem}\n\n{USAGE}"))
}
