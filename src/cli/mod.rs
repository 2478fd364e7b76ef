//! The command line: arguments, files, words on a terminal, exit statuses.

mod args;
mod folder;
mod input;
mod output;
mod print;
mod run;
mod work;

use std::process::ExitCode;

/// Reads the arguments of the process and does what they say.
pub fn main() -> ExitCode {
    let lang = run::language();
    let status = match args::parse(std::env::args_os(), lang) {
        Ok(args::Asked::Run(args)) => run::run(&args, lang),
        Ok(args::Asked::Text(text)) => {
            print::print_out(&text).map_or(run::BAD_USAGE, |()| run::DONE)
        }
        Err(text) => {
            print::print_err(&text);
            run::BAD_USAGE
        }
    };
    ExitCode::from(status)
}
