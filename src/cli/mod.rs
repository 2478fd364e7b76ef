//! The command line: arguments, files, words on a terminal, exit statuses.

mod args;
mod run;

use std::process::ExitCode;

/// Reads the arguments of the process and does what they say.
pub fn main() -> ExitCode {
    let status = match args::parse(std::env::args_os()) {
        Ok(args::Asked::Run(args)) => run::run(&args),
        Ok(args::Asked::Text(text)) => run::print_out(&text).map_or(run::BAD_USAGE, |()| run::DONE),
        Err(text) => {
            run::print_err(&text);
            run::BAD_USAGE
        }
    };
    ExitCode::from(status)
}
