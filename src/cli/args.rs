//! What was typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Command};

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Read a dump.
    Run(Args),
    /// Print this (help, version) and stop.
    Text(String),
}

/// The arguments of a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Args {
    /// The dump.
    pub(crate) dump: PathBuf,
    /// Print the machine-readable summary.
    pub(crate) json: bool,
    /// Show what can be read of a damaged file.
    pub(crate) partial: bool,
}

fn command() -> Command {
    Command::new("somascope")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Reads a memory plan that MindSpore's SOMAS dumped, and says where the memory goes")
        .after_help(
            "Examples:\n  somascope -s Ascend_somas_tensor_offset_1.ir\n  somascope -s CPU_somas_tensor_offset_0.ir.gz --json\n\n\
             Exit status: 0 done, no hazard; 3 done, hazards; 2 unreadable or malformed input (also with --partial); 1 wrong usage",
        )
        .arg(
            Arg::new("dump")
                .short('s')
                .long("somas_info_file")
                .value_name("FILE")
                .help("The SOMAS dump: any main dump of MindSpore 1.1 to 2.10, plain or .gz")
                .value_parser(clap::value_parser!(PathBuf))
                .required(true),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .help("Print the machine-readable summary, one JSON object on one line")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("partial")
                .long("partial")
                .help("Show what can be read of a damaged file; the result says that it is incomplete")
                .action(ArgAction::SetTrue),
        )
}

/// Reads the arguments; the error is the text to print.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Asked, String> {
    match command().try_get_matches_from(args) {
        Ok(matches) => Ok(Asked::Run(Args {
            dump: matches
                .get_one::<PathBuf>("dump")
                .cloned()
                .unwrap_or_default(),
            json: matches.get_flag("json"),
            partial: matches.get_flag("partial"),
        })),
        Err(error) if error.use_stderr() => Err(error.to_string()),
        Err(error) => Ok(Asked::Text(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Asked, String> {
        parse(["somascope"].iter().chain(words).map(OsString::from))
    }

    #[test]
    fn both_spellings_and_wrong_usage() {
        let expected = Asked::Run(Args {
            dump: "a.ir".into(),
            json: true,
            partial: false,
        });
        assert_eq!(read(&["-s", "a.ir", "--json"]), Ok(expected));
        assert!(matches!(
            read(&["--somas_info_file", "a.ir"]),
            Ok(Asked::Run(_))
        ));
        assert!(matches!(read(&["--help"]), Ok(Asked::Text(t)) if t.contains("Exit status")));
        assert!(read(&[]).is_err());
        assert!(read(&["-s", "a.ir", "--nonsense"]).is_err());
    }
}
