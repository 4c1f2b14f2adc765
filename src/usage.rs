//! What is wrong with a command line, in one line as for any other mistake, and the overview of the commands by what
//! one wants to do.

use crate::cli::Cli;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error, FromArgMatches};
use qualm_core::fault::Fault;
use qualm_core::words::did_you_mean;
use std::ffi::OsString;
use std::fmt::Write;

/// The commands by what one wants to do; each is in one group.
const GROUPS: &[(&str, &[&str])] = &[
    ("Find bugs", &["hunt", "check", "ci", "nightly", "demo", "campaign"]),
    ("Look at what was found", &["report", "serve", "history", "compare"]),
    ("From a finding to a report", &["replay", "reduce", "ladder", "issue", "export"]),
    ("What there is", &["engines", "doctor", "oracles", "rules", "knobs", "parameters"]),
    ("Other engines", &["adapt", "dialect", "adapter"]),
    ("Several machines", &["worker", "fleet"]),
    ("Measure qualm", &["bench"]),
    ("This program", &["completions", "man", "help"]),
];

/// What clap writes under 'help', which it adds only while it parses.
const HELP: &str = "Print this overview, or the help of a command";

/// The command line with its overview. Numbers below zero are values, so that what is wrong with them can be said.
pub fn command() -> Command {
    let command = Cli::command().mut_subcommands(with_numbers);
    let overview = overview(&command);
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{overview}Options:\n{{options}}{{after-help}}"
    ))
}

fn with_numbers(command: Command) -> Command {
    command
        .mut_args(|a| if a.get_action().takes_values() { a.allow_negative_numbers(true) } else { a })
        .mut_subcommands(with_numbers)
}

fn overview(command: &Command) -> String {
    let mut out = String::new();
    let header = *command.get_styles().get_header();
    for (title, names) in GROUPS {
        let _ = writeln!(out, "{header}{title}:{header:#}");
        for name in *names {
            let about = command.find_subcommand(name).and_then(Command::get_about).map(|a| a.to_string());
            let line = format!("  {name:<13} {}", about.unwrap_or_else(|| HELP.to_owned()));
            let _ = writeln!(out, "{}", qualm_host::console::fitted(&line));
        }
        out.push('\n');
    }
    out
}

/// Help and version go where clap puts them; a mistake is one line.
pub fn parse(args: Vec<OsString>) -> Result<Cli, Fault> {
    let parsed = command().try_get_matches_from(&args).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|e| match e.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            e.exit()
        }
        _ => Fault::usage(one_line(&e, &args)),
    })
}

/// The command that was meant, as far as it is one, and how it is typed.
fn meant(args: &[OsString]) -> (Command, String) {
    let mut command = Cli::command();
    command.build();
    let mut typed = "qualm".to_owned();
    for word in args.iter().skip(1).filter_map(|a| a.to_str()) {
        let Some(next) = command.find_subcommand(word).cloned() else { break };
        command = next;
        let _ = write!(typed, " {word}");
    }
    (command, typed)
}

/// What is wrong, what may have been meant, and where to read on.
pub fn one_line(e: &Error, args: &[OsString]) -> String {
    let (command, typed) = meant(args);
    format!("{}; see '{typed} --help'", what(e, &command))
}

fn what(e: &Error, command: &Command) -> String {
    let given = |kind: ContextKind| match e.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let (arg, value) = (given(ContextKind::InvalidArg), given(ContextKind::InvalidValue));
    match e.kind() {
        ErrorKind::UnknownArgument if arg.starts_with("--") => {
            let longs: Vec<String> = command.get_arguments().filter_map(|a| a.get_long()).map(str::to_owned).collect();
            let known = longs.iter().map(|long| format!("--{long}")).collect::<Vec<_>>();
            format!("unknown option '{arg}'{}", did_you_mean(&arg, known.iter().map(String::as_str)))
        }
        ErrorKind::UnknownArgument => format!("unexpected argument '{arg}'"),
        ErrorKind::InvalidSubcommand => {
            let name = given(ContextKind::InvalidSubcommand);
            let known = command.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name);
            format!("unknown command '{name}'{}", did_you_mean(&name, known))
        }
        ErrorKind::MissingRequiredArgument => format!("missing {arg}"),
        ErrorKind::InvalidValue if value.is_empty() => format!("'{arg}' needs a value"),
        ErrorKind::InvalidValue => {
            let values = given(ContextKind::ValidValue);
            let hint = did_you_mean(&value, values.split(", "));
            format!("invalid value '{value}' for '{arg}'{hint}; valid values: {values}")
        }
        // Whatever else clap has to say is said before it comes to its advice.
        _ => {
            let text = e.to_string();
            let advice = ["Usage:", "tip:", "For more information"];
            let lines = text.lines().take_while(|l| !advice.iter().any(|a| l.trim_start().starts_with(a)));
            let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
            words.join(" ").trim_start_matches("error: ").to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn mistake(line: &str) -> String {
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        parse(args).err().unwrap_or_else(|| panic!("{line} is taken")).text
    }

    #[test]
    fn every_command_is_in_one_group() {
        let command = Cli::command();
        let shown = command.get_subcommands().filter(|c| !c.is_hide_set()).map(Command::get_name);
        let all: BTreeSet<&str> = shown.chain(["help"]).collect();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), all);
        assert_eq!(grouped.len(), all.len(), "none is there twice");
    }

    #[test]
    fn a_mistake_is_one_line_that_says_what_was_meant() {
        for (line, says) in [
            ("qualm hnt sqlite", "unknown command 'hnt' (did you mean 'hunt'?); see 'qualm --help'"),
            ("qualm adapter chekc", "unknown command 'chekc' (did you mean 'check'?); see 'qualm adapter --help'"),
            ("qualm hunt", "missing <ENGINE>; see 'qualm hunt --help'"),
            (
                "qualm hunt sqlite --secs 3",
                "unknown option '--secs' (did you mean '--seconds'?); see 'qualm hunt --help'",
            ),
            ("qualm report", "missing <DIR>...; see 'qualm report --help'"),
            ("qualm engines now", "unexpected argument 'now'; see 'qualm engines --help'"),
            (
                "qualm hunt sqlite --size meduim",
                "invalid value 'meduim' for '--size <SIZE>' (did you mean 'medium'?); valid values: small, medium, \
                 large; see 'qualm hunt --help'",
            ),
            (
                "qualm hunt sqlite --seconds -1",
                "invalid value '-1' for '--seconds <N>': must be a number above 0; see 'qualm hunt --help'",
            ),
            (
                "qualm hunt sqlite --stop-after 0",
                "invalid value '0' for '--stop-after <N>': must be a whole number above 0; see 'qualm hunt --help'",
            ),
            ("qualm hunt sqlite --seed", "'--seed <S>' needs a value; see 'qualm hunt --help'"),
            (
                "qualm hunt sqlite --seconds 1 --checks 5",
                "the argument '--seconds <N>' cannot be used with '--checks <N>'; see 'qualm hunt --help'",
            ),
        ] {
            assert_eq!(mistake(line), says, "{line}");
        }
    }
}
