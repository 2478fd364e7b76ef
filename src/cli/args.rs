//! What was typed.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::report::results::query::Kind;
use crate::report::text::help::{Help, Wrong};
use crate::report::text::terminal::{say, Say};
use crate::report::text::{fill, Lang};

/// What the command line asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    /// Read a dump.
    Run(Box<Args>),
    /// Print this (help, version) and stop.
    Text(String),
}

/// The arguments of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Args {
    /// The dump, or a folder.
    pub(crate) dump: PathBuf,
    /// Task info.
    pub(crate) tasks: Option<PathBuf>,
    /// Questions, in the order they were asked.
    pub(crate) queries: Vec<(Kind, String)>,
    /// Where results go.
    pub(crate) output: Option<PathBuf>,
    /// Where offset 0 lies.
    pub(crate) base: Option<u64>,
    /// Bytes of the device.
    pub(crate) device_memory: u64,
    /// Siblings.
    pub(crate) with: Vec<PathBuf>,
    /// Print the machine-readable summary.
    pub(crate) json: bool,
    /// Show what can be read of a damaged file.
    pub(crate) partial: bool,
    /// Replace foreign files.
    pub(crate) force: bool,
    /// Tell of progress, where there is a terminal.
    pub(crate) progress: bool,
}

/// Two letters behind one dash, which an ordinary parser takes for two flags.
const TWO_LETTERS: &[(&str, &str, Kind)] = &[
    ("-cn", "check_node_name", Kind::Node),
    ("-ct", "check_tensor_id", Kind::Tensor),
    ("-ca", "check_address", Kind::Address),
    ("-car", "check_address_range", Kind::Range),
];

fn rewritten(arg: OsString) -> OsString {
    let Some(text) = arg.to_str() else {
        return arg;
    };
    let (flag, value) = match text.split_once('=') {
        Some((flag, value)) => (flag, Some(value)),
        None => (text, None),
    };
    match (TWO_LETTERS.iter().find(|(short, ..)| *short == flag), value) {
        (Some((_, long, _)), None) => format!("--{long}").into(),
        (Some((_, long, _)), Some(value)) => format!("--{long}={value}").into(),
        (None, _) => arg,
    }
}

fn command(lang: Lang) -> Command {
    let text = |key: Help| key.text(lang);
    let path = |id: &'static str, long: &'static str, value: &'static str, help: Help| {
        Arg::new(id)
            .long(long)
            .value_name(value)
            .help(text(help))
            .value_parser(clap::value_parser!(PathBuf))
    };
    let flag = |id: &'static str, help: Help| {
        Arg::new(id)
            .long(id)
            .help(text(help))
            .action(ArgAction::SetTrue)
    };
    let query = |long: &'static str, value: &'static str, help: Help| {
        let short = TWO_LETTERS
            .iter()
            .find(|(_, l, _)| *l == long)
            .map_or("", |t| t.0);
        Arg::new(long)
            .long(long)
            .value_name(value)
            .help(format!("[{short}] {}", text(help)))
            .allow_hyphen_values(true)
            .action(ArgAction::Append)
    };
    Command::new("somascope")
        .version(env!("CARGO_PKG_VERSION"))
        .about(text(Help::About))
        .help_template(format!(
            "{{about}}\n\n{} {{usage}}\n\n{}\n{{options}}{{after-help}}",
            text(Help::Usage),
            text(Help::Options)
        ))
        .override_usage("somascope -s PATH [-t FILE] [-cn NODE] [-ct ID] [-ca ADDR] [-car A-B] [-o DIR] [--json] …")
        .after_help(text(Help::After))
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(path("dump", "somas_info_file", "PATH", Help::Dump).short('s').required(true))
        .arg(path("tasks", "task_info_file", "FILE", Help::Tasks).short('t'))
        .arg(query("check_node_name", "NODE", Help::Node))
        .arg(query("check_tensor_id", "ID", Help::Tensor))
        .arg(query("check_address", "ADDR", Help::Address))
        .arg(query("check_address_range", "A-B", Help::Range))
        .arg(path("output", "output_dir", "DIR", Help::Output).short('o'))
        .arg(Arg::new("base").long("base").value_name("ADDR").help(text(Help::Base)))
        .arg(
            Arg::new("device-memory")
                .long("device-memory")
                .value_name("GIB")
                .default_value("32")
                .hide_default_value(true)
                .help(format!("{} (32)", text(Help::DeviceMemory))),
        )
        .arg(path("with", "with", "FILE", Help::With).action(ArgAction::Append))
        .arg(flag("json", Help::Json))
        .arg(flag("partial", Help::Partial))
        .arg(flag("force", Help::Force))
        .arg(Arg::new("help").short('h').long("help").help(text(Help::HelpFlag)).action(ArgAction::Help))
        .arg(Arg::new("version").short('V').long("version").help(text(Help::Version)).action(ArgAction::Version))
}

/// Reads the arguments; the error is the text to print.
pub(crate) fn parse(args: impl IntoIterator<Item = OsString>, lang: Lang) -> Result<Asked, String> {
    let args = args.into_iter().map(rewritten);
    match command(lang).try_get_matches_from(args) {
        Ok(matches) => taken(&matches, lang).map(|a| Asked::Run(Box::new(a))),
        Err(error) if error.use_stderr() => Err(explained(&error, lang)),
        Err(error) => Ok(Asked::Text(error.to_string())),
    }
}

/// The error in words; clap knows English ones only.
fn explained(error: &clap::Error, lang: Lang) -> String {
    let told = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(list)) => Some(list.join(" ")),
        _ => None,
    };
    let flag = told(ContextKind::InvalidArg).unwrap_or_default();
    let value = told(ContextKind::InvalidValue).unwrap_or_default();
    let (key, args) = match error.kind() {
        ErrorKind::UnknownArgument if flag.starts_with('-') => (Wrong::UnknownFlag, [&flag, ""]),
        ErrorKind::UnknownArgument => (Wrong::Stray, [flag.as_str(), ""]),
        ErrorKind::InvalidValue if value.is_empty() => (Wrong::NoValue, [flag.as_str(), ""]),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            (Wrong::BadValue, [value.as_str(), &flag])
        }
        ErrorKind::MissingRequiredArgument => (Wrong::Missing, [flag.as_str(), ""]),
        ErrorKind::ArgumentConflict => (Wrong::Twice, [flag.as_str(), ""]),
        _ => return error.to_string(),
    };
    if lang == Lang::En {
        return error.to_string();
    }
    let mut text = fill(key.text(lang), &args);
    if let Some(near) = told(ContextKind::SuggestedArg) {
        text.push('\n');
        text.push_str(&fill(Wrong::DidYouMean.text(lang), &[&near]));
    }
    text.push('\n');
    text.push_str(Wrong::SeeHelp.text(lang));
    text
}

fn taken(matches: &ArgMatches, lang: Lang) -> Result<Args, String> {
    let path = |id: &str| matches.get_one::<PathBuf>(id).cloned();
    let text = |id: &str| matches.get_one::<String>(id).map(String::as_str);
    // Questions of all kinds, by their place on the command line.
    let mut queries: Vec<(usize, Kind, String)> = Vec::new();
    for (_, id, kind) in TWO_LETTERS {
        let values = matches.get_many::<String>(id).unwrap_or_default();
        let places = matches.indices_of(id).unwrap_or_default();
        queries.extend(places.zip(values).map(|(i, v)| (i, *kind, v.clone())));
    }
    queries.sort_by_key(|q| q.0);
    let memory = text("device-memory").unwrap_or("32");
    let gib: f64 = memory
        .parse()
        .ok()
        .filter(|g: &f64| g.is_finite() && *g > 0.0 && *g < 1e9)
        .ok_or_else(|| say(Say::BadMemory, &[memory], lang))?;
    let base = match text("base") {
        Some(typed) => Some(crate::report::results::query::read_base(typed, lang)?),
        None => None,
    };
    Ok(Args {
        dump: path("dump").unwrap_or_default(),
        tasks: path("tasks"),
        queries: queries.into_iter().map(|(_, k, v)| (k, v)).collect(),
        output: path("output").filter(|p| p.as_os_str() != OsStr::new("")),
        base,
        device_memory: (gib * (1u64 << 30) as f64) as u64,
        with: matches
            .get_many("with")
            .unwrap_or_default()
            .cloned()
            .collect(),
        json: matches.get_flag("json"),
        partial: matches.get_flag("partial"),
        force: matches.get_flag("force"),
        progress: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Asked, String> {
        let args = ["somascope"].iter().chain(words).map(OsString::from);
        parse(args, Lang::En)
    }

    fn args(words: &[&str]) -> Args {
        match read(words) {
            Ok(Asked::Run(args)) => *args,
            other => panic!("{words:?}: {other:?}"),
        }
    }

    #[test]
    fn both_spellings_and_wrong_usage() {
        let expected = Args {
            dump: "a.ir".into(),
            json: true,
            device_memory: 32 << 30,
            progress: true,
            ..Args::default()
        };
        assert_eq!(args(&["-s", "a.ir", "--json"]), expected);
        assert_eq!(args(&["--somas_info_file", "a.ir", "--json"]), expected);
        assert!(matches!(read(&["--help"]), Ok(Asked::Text(t)) if t.contains("Exit status")));
        assert!(read(&[]).is_err());
        assert!(read(&["-s", "a.ir", "--nonsense"]).is_err());
        assert!(read(&["-s", "a.ir", "--device-memory", "-1"]).is_err());
        assert!(read(&["-s", "a.ir", "--base", "0xzz"]).is_err());
        assert_eq!(
            args(&["-s", "a", "--base", "0x10", "--device-memory", "64"]).base,
            Some(16)
        );
    }

    #[test]
    fn what_is_wrong_is_said_in_chinese_too() {
        for (words, said) in [
            (
                &["-s", "a", "--jsno"][..],
                "未知参数 `--jsno`\n您是否想用 `--json`？",
            ),
            (&["-s", "a", "stray"], "`stray` 不属于任何参数"),
            (&["-s"], "缺少取值"),
            (&["--json"], "缺少必需的参数：--somas_info_file <PATH>"),
            (&["-s", "a", "-s", "b"], "只能给出一次"),
        ] {
            let args = ["somascope"].iter().chain(words).map(OsString::from);
            let text = parse(args, Lang::Zh).unwrap_err();
            assert!(text.contains(said), "{words:?}: {text}");
            assert!(text.ends_with("查看全部参数"), "{words:?}: {text}");
        }
    }

    #[test]
    fn questions_keep_their_order_and_may_be_repeated() {
        let asked = args(&[
            "-s",
            "a",
            "-ca",
            "0x10",
            "-cn",
            "$1",
            "--check_node_name",
            "-odd",
            "-car",
            "1-2",
            "-ct=5",
        ]);
        let expected = [
            (Kind::Address, "0x10"),
            (Kind::Node, "$1"),
            (Kind::Node, "-odd"),
            (Kind::Range, "1-2"),
            (Kind::Tensor, "5"),
        ];
        assert_eq!(asked.queries, expected.map(|(k, v)| (k, v.to_owned())));
    }
}
