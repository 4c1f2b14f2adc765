//! `campaign.toml`: the arguments of `qualm hunt` and `qualm ci` in a file, by the names they have on the command
//! line.
//!
//! There is no second list of settings: the keys, their meanings and their defaults are those of the command line, and
//! the reference that `qualm campaign` prints is made from it. What is given on the command line counts more than the
//! file.

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use qualm_core::fault::Fault;
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::words::did_you_mean;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

/// The option that names the file, and commands that take one.
pub const OPTION: &str = "campaign";
const COMMANDS: &[&str] = &["hunt", "ci"];
/// The one argument that has no dashes on the command line.
const ENGINE: &str = "engine";
/// Arguments that make no sense in a file.
const LEFT_OUT: &[&str] = &["help", OPTION, "token"];

/// The arguments with those of the file added. What is wrong with the command line itself is left for who
/// parses it.
pub fn expand(command: &Command, args: Vec<OsString>) -> Result<Vec<OsString>, Fault> {
    let Ok(matches) = command.clone().try_get_matches_from(&args) else { return Ok(args) };
    let Some((name, matches)) = matches.subcommand().filter(|(name, _)| COMMANDS.contains(name)) else {
        return Ok(args);
    };
    let Some(path) = matches.get_one::<std::path::PathBuf>(OPTION) else { return Ok(args) };
    // A campaign of a fleet has a name, which may be that of a file.
    if matches.try_get_one::<String>("fleet").is_ok_and(|f| f.is_some()) && !path.is_file() {
        return Ok(args);
    }
    let text = files::text(path, "campaign", FILE_BYTES).map_err(Fault::usage)?;
    let mut command = command.clone();
    command.build();
    let command = command.find_subcommand(name).expect("it was just parsed");
    let (engine, more) = arguments(command, matches, &text, path)?;
    // The engine at once, the options last: one whose value may be missing must not take the engine for it.
    let at = args.iter().position(|a| *a == *name).map_or(args.len(), |at| at + 1);
    Ok([&args[..at], engine.as_slice(), &args[at..], &more].concat())
}

/// The engine, if the file names one that counts, and the options.
fn arguments(
    command: &Command,
    matches: &ArgMatches,
    text: &str,
    path: &Path,
) -> Result<(Vec<OsString>, Vec<OsString>), Fault> {
    let shown = path.display();
    let table: toml::Table = text.parse().map_err(|e| Fault::usage(format!("'{shown}' is not valid TOML: {e}")))?;
    let (mut engine, mut out) = (Vec::new(), Vec::new());
    for (key, value) in &table {
        let Some(arg) = keys(command).find(|a| name_of(a) == *key) else {
            let known: Vec<String> = keys(command).map(name_of).collect();
            let hint = did_you_mean(key, known.iter().map(String::as_str));
            return Err(Fault::usage(format!("{shown}: unknown key '{key}'{hint}; known keys: {}", known.join(", "))));
        };
        // What is typed replaces what is in the file, and what cannot stand beside it.
        let typed = |a: &Arg| matches.value_source(a.get_id().as_str()) == Some(ValueSource::CommandLine);
        if typed(arg) || command.get_arg_conflicts_with(arg).into_iter().any(typed) {
            continue;
        }
        let value = words(value).map_err(|why| Fault::usage(format!("{shown}: '{key}' {why}")))?;
        match (value, arg.get_action(), key == ENGINE) {
            (Given::Text(text), _, true) => engine.push(text.into()),
            (Given::Flag(false), ..) => {}
            (Given::Flag(true), action, false) if is_flag(arg, action) => out.push(format!("--{key}").into()),
            (Given::Text(text), action, false) if !matches!(action, ArgAction::SetTrue) => {
                out.push(format!("--{key}={text}").into());
            }
            _ => return Err(Fault::usage(format!("{shown}: '{key}' takes {}", takes(arg)))),
        }
    }
    Ok((engine, out))
}

enum Given {
    Flag(bool),
    Text(String),
}

fn words(value: &toml::Value) -> Result<Given, &'static str> {
    Ok(match value {
        toml::Value::Boolean(b) => Given::Flag(*b),
        toml::Value::String(text) => Given::Text(text.clone()),
        toml::Value::Integer(i) => Given::Text(i.to_string()),
        toml::Value::Float(f) => Given::Text(f.to_string()),
        toml::Value::Array(list) => {
            let item = |v: &toml::Value| match words(v)? {
                Given::Text(text) => Ok(text),
                Given::Flag(_) => Err("is a list of something other than strings and numbers"),
            };
            Given::Text(list.iter().map(item).collect::<Result<Vec<_>, _>>()?.join(","))
        }
        _ => return Err("is not a string, a number, true, false, or a list of these"),
    })
}

fn is_flag(arg: &Arg, action: &ArgAction) -> bool {
    matches!(action, ArgAction::SetTrue) || arg.get_num_args().is_some_and(|n| n.min_values() == 0)
}

fn takes(arg: &Arg) -> &'static str {
    if matches!(arg.get_action(), ArgAction::SetTrue) { "true or false" } else { "a string or a number" }
}

fn keys(command: &Command) -> impl Iterator<Item = &Arg> {
    let wanted = |a: &&Arg| {
        let id = a.get_id().as_str();
        (id == ENGINE || a.get_long().is_some()) && !LEFT_OUT.contains(&id) && !a.is_hide_set()
    };
    command.get_arguments().filter(wanted)
}

fn name_of(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).to_owned()
}

/// The commented reference: every key with its meaning, and its default or the kind of its value.
pub fn reference(command: &Command) -> String {
    let mut command = command.clone();
    command.build();
    let command = command.find_subcommand(COMMANDS[0]).expect("there is a hunt");
    let mut out = "\
# A campaign file for 'qualm hunt --campaign FILE' and 'qualm ci --campaign FILE'.
# Every argument of 'qualm hunt' is a key here; the command line takes precedence. Paths are relative to the folder
# in which qualm is started. 'qualm campaign' prints this reference.
"
    .to_owned();
    for arg in keys(command) {
        out.push('\n');
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        help.lines().for_each(|line| wrapped(&mut out, line));
        let values: Vec<String> = arg.get_possible_values().iter().map(|v| v.get_name().to_owned()).collect();
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        if values.len() > 1 && !is_switch {
            let _ = writeln!(out, "# One of: {}", values.join(", "));
        }
        let _ = writeln!(out, "{}", line_of(arg, is_switch));
    }
    out
}

const REFERENCE_COLUMNS: usize = 118;

fn wrapped(out: &mut String, text: &str) {
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > REFERENCE_COLUMNS {
            let _ = writeln!(out, "{line}");
            line = "#".into();
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}

fn line_of(arg: &Arg, is_switch: bool) -> String {
    let name = name_of(arg);
    if name == ENGINE {
        return format!("{name} = \"sqlite\"");
    }
    if is_switch {
        return format!("# {name} = false");
    }
    let default = arg.get_default_values().first().map(|v| v.to_string_lossy().into_owned());
    let kind = arg.get_value_names().and_then(|n| n.first()).map_or_else(|| "TEXT".into(), |n| n.to_string());
    let value = default.unwrap_or_else(|| kind.clone());
    let number = matches!(kind.as_str(), "N" | "S");
    if number { format!("# {name} = {value}") } else { format!("# {name} = \"{value}\"") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    fn expanded(file: &str, args: &[&str]) -> Result<Vec<String>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("campaign.toml");
        std::fs::write(&path, file).unwrap();
        let mut all = vec![OsString::from("qualm"), "hunt".into(), "--campaign".into(), path.into()];
        all.extend(args.iter().map(OsString::from));
        let out = expand(&Cli::command(), all).map_err(|f| f.text)?;
        Ok(out[2..].iter().map(|a| a.to_string_lossy().into_owned()).filter(|a| !a.contains("campaign")).collect())
    }

    #[test]
    fn a_file_becomes_arguments() {
        let file = "engine = \"sqlite\"\noracle = [\"tlp\", \"norec\"]\nseconds = 5\n\
                    json = true\nladder = true\nserve = false\n";
        assert_eq!(expanded(file, &[]).unwrap(), ["sqlite", "--json", "--ladder", "--oracle=tlp,norec", "--seconds=5"]);
    }

    #[test]
    fn the_command_line_counts_more() {
        let file = "engine = \"sqlite\"\nseconds = 5\nseed = 1";
        assert_eq!(
            expanded(file, &["--checks", "9", "--seed", "2"]).unwrap(),
            ["sqlite", "--checks", "9", "--seed", "2"]
        );
        assert_eq!(expanded(file, &["duckdb"]).unwrap(), ["duckdb", "--seconds=5", "--seed=1"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (file, says) in [
            ("secnds = 5", "unknown key 'secnds' (did you mean 'seconds'?); known keys: engine, oracle"),
            ("seconds", "is not valid TOML"),
            ("json = 5", "'json' takes true or false"),
            ("seconds = true", "'seconds' takes a string or a number"),
            ("seed = { a = 1 }", "'seed' is not a string, a number, true, false"),
        ] {
            let message = expanded(file, &[]).unwrap_err();
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn the_reference_is_a_campaign() {
        let made = reference(&Cli::command());
        assert_eq!(expanded(&made, &[]).unwrap(), ["sqlite"]);
        // Every key in it is one, also without the comment sign.
        let command = Cli::command();
        let hunt = command.find_subcommand("hunt").unwrap();
        let keys_of: Vec<&str> =
            made.lines().filter_map(|l| Some(l.trim_start_matches("# ").split_once(" = ")?.0)).collect();
        assert!(keys_of.len() > 15, "{made}");
        for arg in keys(hunt) {
            assert!(keys_of.contains(&name_of(arg).as_str()), "{}", name_of(arg));
        }
    }
}
