//! The command line: arguments, files, words on a terminal, exit statuses.

mod args;
mod folder;
mod input;
mod output;
mod print;
mod run;
mod terminal;
mod work;

use std::process::ExitCode;

use crate::report::text::terminal::{say, Say};

/// Reads the arguments of the process and does what they say.
pub fn main() -> ExitCode {
    let lang = run::language();
    // Without a handler the system ends the program all the same, only less tidily.
    let _ = ctrlc::set_handler(move || {
        print::print_err(&say(Say::Stopped, &[], lang));
        output::stop(run::STOPPED.into())
    });
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
