//! The command line: arguments into one call each. What the commands do is elsewhere.

use crate::adapt;
use crate::adapter;
use crate::bench;
use crate::campaign_file;
use crate::check;
use crate::ci;
use crate::demo;
use crate::fleet;
use crate::history;
use crate::hunt;
use crate::machine;
use crate::nightly;
use crate::outputs;
use crate::rules;
use crate::serve;
use crate::show_dialect;
use crate::show_knobs as show;
use crate::usage;
use clap::{CommandFactory, Parser, Subcommand};
use qualm_core::case::Language;
use qualm_core::fault::Fault;
use qualm_core::limits::{HUNT_SECONDS, STATEMENT_TIMEOUT_MS};
use qualm_core::words::did_you_mean;
use qualm_host::interrupt;
use qualm_lang::datalog::ire::parameters as ire;
use qualm_lang::oracle;
use qualm_lang::parameters;
use qualm_run::isolated;
use qualm_run::ladder;
use qualm_run::replay;
use qualm_run::worker;
use std::ffi::OsString;
use std::path::PathBuf;

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing found, or the bug no longer reproduces
  1  findings, or the bug still reproduces
  2  invalid arguments or files, or the case cannot be judged on this engine
  3  cannot connect to the engine
  4  an internal error of qualm";

/// Of commands that run nothing that could be judged.
const PLAIN_EXIT_CODES: &str = "\
Exit codes:
  0  done
  2  invalid arguments or files
  3  cannot connect to the engine, or to the servers of a fleet
  4  an internal error of qualm";

const RULES_EXIT_CODES: &str = "\
Exit codes:
  0  the results agree with every rule
  1  a rule is unsound; a small script shows it
  2  invalid arguments or files, or a rule that could not be judged
  3  cannot connect to the engine
  4  an internal error of qualm";

const HUNT_EXAMPLES: &str = "\
Examples:
  qualm hunt sqlite                                     the built-in SQLite, for a minute
  qualm hunt sqlite:3.28.0 --oracle tlp,norec --serve   two oracles, watched in a browser
  qualm hunt duckdb --seconds 3600 --known known.jsonl  an hour, without known bugs
'qualm hunt --help' has all options, 'qualm engines' all engines, 'qualm oracles' all oracles.";

const CI_EXIT_CODES: &str = "\
Exit codes:
  0  every replayed finding is gone or listed in the file of --known, and nothing new was found
  1  a replayed finding still reproduces and is not listed, or something new was found
  2  invalid arguments or files, nothing to do, or a replayed finding cannot be judged on this engine
  3  cannot connect to the engine
  4  an internal error of qualm";

const ADAPTER_EXIT_CODES: &str = "\
Exit codes:
  0  the adapter keeps to the protocol
  1  it does not; what is wrong is printed
  2  invalid arguments
  4  an internal error of qualm";

const CI_HELP: &str = "\
Keep the folders of findings in your repository and pass them to --findings. A finding that still reproduces \
fails the build until it is fixed or its fingerprint is in the file of --known; one that is gone passes.";

const KNOWN_HELP: &str = "\
The file of --known holds one JSON object per line; lines that begin with # are comments:
  {\"fingerprint\": \"9f3c2a1b\", \"reason\": \"reported\", \"link\": \"https://...\"}
  {\"pattern\": \"*MATERIALIZED*LEFT JOIN*\", \"reason\": \"reported\"}
A pattern is matched against title, statements and error text; * matches any text, ? one character.";

const RULES_HELP: &str = "\
Write your own rules in TOML:
  [[rule]]
  name = \"no-nulls-here\"
  over = \"predicate\"        # or \"expression\" or \"table\"
  pattern = \"$C = $e\"
  replacement = \"$C = $e AND $C IS NOT NULL\"
  relation = \"same\"          # or \"contains\" or \"contained\": more rows, fewer rows
  precondition = \"SELECT count(*) FROM $T WHERE $C IS NULL\"
  expect = 0
$p stands for a predicate, $e for an expression, $C for a column, $L for a literal, $T for a table;
a number may follow, as in $e2. Without precondition and expect the rule holds everywhere.
With language = \"datalog\" or \"graph\" at the top, rules are for these; see docs/mutasql.md.";

#[derive(Parser)]
#[command(name = "qualm", version, after_help = EXIT_CODES)]
#[command(about = "Finds queries for which a database returns wrong results")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Look for wrong results, crashes and hangs in an engine
    #[command(after_help = HUNT_EXAMPLES, after_long_help = format!("{HUNT_EXAMPLES}\n\n{KNOWN_HELP}\n\n{EXIT_CODES}"))]
    Hunt(Box<hunt::Hunt>),
    /// Replay known findings, then look for new ones: one command for CI
    #[command(after_help = format!("{CI_HELP}\n\n{KNOWN_HELP}\n\n{CI_EXIT_CODES}"))]
    Ci(Box<ci::Ci>),
    /// Hunt in several engines in turn within one time budget, then write the history, the page and issue texts
    #[command(after_help = CI_EXIT_CODES)]
    Nightly(nightly::Nightly),
    /// Show what a finding looks like: hunt in an engine with planted bugs, and write the report page
    Demo(demo::Demo),
    /// Print a commented campaign.toml with all arguments of 'qualm hunt'
    Campaign,
    /// Check existing queries: from a fuzzer, a regression suite, a log
    #[command(after_help = format!("{KNOWN_HELP}\n\n{EXIT_CODES}"))]
    Check(check::Check),
    /// Run a finding again: exit code 1 if it still reproduces, 0 if it does not
    #[command(after_help = EXIT_CODES)]
    Replay {
        /// Folder of a finding, or a case.json
        finding: PathBuf,
        /// Run it on another engine or release than the one it was found in
        #[arg(long, value_name = "ENGINE")]
        engine: Option<String>,
        /// For a changed result: the release to compare with, instead of the one that the finding names
        #[arg(long, value_name = "ENGINE", requires = "engine")]
        against: Option<String>,
        /// Report a statement that takes longer than N milliseconds as a hang
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one)]
        timeout_ms: u64,
    },
    /// Reduce a finding further, with more time than the hunt had
    #[command(after_help = EXIT_CODES)]
    Reduce {
        /// Folder of a finding, or a case.json
        finding: PathBuf,
        /// Run it on another engine or release than the one it was found in
        #[arg(long, value_name = "ENGINE")]
        engine: Option<String>,
        /// Stop after N seconds
        #[arg(long, value_name = "N", default_value_t = HUNT_SECONDS, value_parser = positive_seconds)]
        seconds: f64,
        /// Report a statement that takes longer than N milliseconds as a hang
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one)]
        timeout_ms: u64,
    },
    /// Run a finding on every release at hand: which ones are affected, since when and until when
    #[command(after_help = EXIT_CODES)]
    Ladder {
        /// Folder of a finding, or a case.json
        finding: PathBuf,
        /// A folder of shared objects, or for instance sqlite:3.8.2,3.28.0 [default: all that './x sqlite' built]
        #[arg(long, value_name = "RELEASES")]
        releases: Option<String>,
        /// Print one JSON object on stdout
        #[arg(long)]
        json: bool,
        /// Report a statement that takes longer than N milliseconds as a hang
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one)]
        timeout_ms: u64,
    },
    /// Write one HTML page of the findings, and JUnit or SARIF files
    #[command(after_help = PLAIN_EXIT_CODES)]
    Report(outputs::Report),
    /// List the bugs of all hunts in a folder: since when, how often, and whether they are new, known, fixed or back
    #[command(after_help = PLAIN_EXIT_CODES)]
    History(history::ShowHistory),
    /// Compare two hunts, or two versions of an engine: what only one of them found, and their figures
    #[command(after_help = PLAIN_EXIT_CODES)]
    Compare(history::Compare),
    /// Serve the page of 'qualm report' while hunts run; new findings appear on it
    #[command(after_help = PLAIN_EXIT_CODES)]
    Serve(serve::Serve),
    /// Print a finding as the text of an issue, in the form of the engine's tracker
    #[command(after_help = PLAIN_EXIT_CODES)]
    Issue(outputs::issue::Issue),
    /// Export a finding as a regression test or a standalone program, or all findings as a table
    #[command(after_help = PLAIN_EXIT_CODES)]
    Export(outputs::export::Export),
    /// List the engines: which are here, which can be fetched, and how
    Engines,
    /// Check this machine: what works, what is missing for which engine, and what to install
    Doctor,
    /// List the oracles: the claim that each one checks, with an example
    Oracles,
    /// List the parameters of the generators, with their values for each --size: what 'qualm hunt --set' takes
    Parameters,
    /// List the rewrite rules, or check your own
    #[command(after_help = format!("{RULES_HELP}\n\n{RULES_EXIT_CODES}"))]
    Rules(rules::Rules),
    /// List the settings of an engine: those that must not change results (knobs), those left alone, those unknown
    Knobs(show::Show),
    /// Find out by trying which SQL an engine accepts, and print a dialect file for you to correct
    #[command(after_help = PLAIN_EXIT_CODES)]
    Adapt(adapt::Adapt),
    /// Print all that a built-in SQL dialect, or a dialect file, comes to
    #[command(after_help = PLAIN_EXIT_CODES)]
    Dialect(show_dialect::Show),
    /// Test an adapter, the program behind 'exec:COMMAND', against the protocol of docs/adapter.md
    #[command(after_help = ADAPTER_EXIT_CODES)]
    Adapter(adapter::Adapter),
    /// Measure checks per CPU second, where the time goes, and how long reduction takes
    Bench(bench::Bench),
    /// Print a shell completion script
    Completions { shell: clap_complete::Shell },
    /// Write the man pages to a folder
    Man {
        /// Folder to write them to; created if it is missing
        folder: PathBuf,
    },
    /// Join a campaign that several machines share
    #[command(after_help = EXIT_CODES)]
    Worker(fleet::args::Join),
    /// Show the progress of a campaign that several machines share, stop it, or write its page
    #[command(after_help = EXIT_CODES)]
    Fleet(fleet::args::Fleet),
    #[command(hide = true)]
    Runner { recorder: PathBuf },
}

pub fn at_least_one(text: &str) -> Result<u64, String> {
    text.parse().ok().filter(|n| *n > 0).ok_or_else(|| "must be a whole number above 0".into())
}

pub fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 1e9 => Ok(s),
        _ => Err("must be a number above 0".into()),
    }
}

/// The arguments of this process, with those of a campaign's file.
pub fn arguments() -> Result<Vec<OsString>, Fault> {
    campaign_file::expand(&Cli::command(), std::env::args_os().collect())
}

/// A hunt as if its arguments had been typed.
pub fn hunt_of(args: &[String]) -> Result<hunt::Hunt, Fault> {
    match Cli::try_parse_from(args) {
        Ok(Cli { command: Command::Hunt(hunt) }) => Ok(*hunt),
        Ok(_) => Err(Fault::own("not valid `hunt` arguments")),
        Err(e) => Err(Fault::own(format!("not valid `hunt` arguments: {e}"))),
    }
}

/// The same for a run of CI.
pub fn ci_of(args: &[String]) -> Result<ci::Ci, Fault> {
    match Cli::try_parse_from(args) {
        Ok(Cli { command: Command::Ci(ci) }) => Ok(*ci),
        Ok(_) => Err(Fault::own("not valid `ci` arguments")),
        Err(e) => {
            let args: Vec<OsString> = args.iter().map(OsString::from).collect();
            Err(Fault::usage(usage::one_line(&e, &args)))
        }
    }
}

impl Cli {
    /// Started by another qualm.
    pub fn is_child(&self) -> bool {
        match &self.command {
            Command::Worker(join) => join.server.fleet.is_none(),
            command => matches!(command, Command::Runner { .. }),
        }
    }
}

/// Does what the arguments say and gives the exit code.
pub fn run(cli: Cli) -> Result<u8, Fault> {
    if !cli.is_child() {
        interrupt::listen()?;
    }
    match cli.command {
        Command::Hunt(hunt) => hunt.run(),
        Command::Ci(ci) => ci.run(),
        Command::Nightly(night) => night.run(),
        Command::Demo(demo) => demo.run(),
        Command::Campaign => {
            out!("{}", campaign_file::reference(&Cli::command()));
            Ok(0)
        }
        Command::Check(check) => check.run(),
        Command::Replay { finding, engine, against, timeout_ms } => {
            let engine = match (engine, against) {
                (Some(engine), Some(other)) => Some(qualm_engines::against::spec(&engine, &other)),
                (engine, _) => engine,
            };
            replay::replay(&finding, engine.as_deref(), timeout_ms)
        }
        Command::Reduce { finding, engine, seconds, timeout_ms } => {
            replay::reduce(&finding, engine.as_deref(), seconds, timeout_ms)
        }
        Command::Ladder { finding, releases, json, timeout_ms } => {
            ladder::ladder(&finding, releases.as_deref(), json, timeout_ms)
        }
        Command::Report(report) => report.run(),
        Command::History(show) => show.run(),
        Command::Compare(compare) => compare.run(),
        Command::Issue(issue) => issue.run(),
        Command::Export(export) => export.run(),
        Command::Serve(serve) => serve.run(),
        Command::Engines => machine::list_engines(),
        Command::Doctor => machine::doctor(),
        Command::Oracles => list_oracles(),
        Command::Parameters => list_parameters(),
        Command::Rules(rules) => rules.run(),
        Command::Knobs(show) => show.run(),
        Command::Adapt(adapt) => adapt.run(),
        Command::Dialect(dialect) => dialect.run(),
        Command::Adapter(adapter) => adapter.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut machine::with_names(Cli::command()), "qualm", &mut script);
            out!("{}", String::from_utf8_lossy(&script));
            Ok(0)
        }
        Command::Man { folder } => write_man_pages(&folder),
        Command::Worker(join) if join.server.fleet.is_some() => fleet::worker(&join),
        Command::Worker(_) => worker::worker().map(|()| 0),
        Command::Fleet(fleet) => fleet::fleet(&fleet),
        Command::Runner { recorder } => isolated::runner(&recorder).map(|()| 0),
    }
}

/// Of another language, or of none; `known` are those that there are here.
pub fn no_such_oracle(name: &str, language: Language, known: &[&str]) -> Fault {
    let list = format!("known oracles: {}", known.join(", "));
    if let Some(other) = oracle::all().iter().find(|o| o.name == name && o.language != language) {
        let (theirs, ours) = (other.language.title(), language.title());
        return Fault::usage(format!("oracle '{name}' is for {theirs} engines, and this is a {ours} engine; {list}"));
    }
    let hint = did_you_mean(name, known.iter().copied());
    Fault::usage(format!("unknown oracle '{name}'{hint}; {list}"))
}

/// The oracles asked for, in the order of the table; all of the language's that have a weight when none is.
pub fn oracles_of(language: Language, requested: &[String]) -> Result<Vec<String>, Fault> {
    let all: Vec<oracle::About> = oracle::all().into_iter().filter(|o| o.language == language).collect();
    let known: Vec<&str> = all.iter().map(|o| o.name).collect();
    if let Some(unknown) = requested.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(no_such_oracle(unknown, language, &known));
    }
    let by_default = |o: &oracle::About| requested.is_empty() && o.by_default;
    let wanted = all.iter().filter(|o| by_default(o) || requested.iter().any(|a| a == o.name));
    Ok(wanted.map(|o| o.name.to_owned()).collect())
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library's hash keys are random for each process. Short enough to be typed again.
    u64::from(std::hash::RandomState::new().build_hasher().finish() as u32)
}

fn list_parameters() -> Result<u8, Fault> {
    listln!("{:<9}{:<17}{:>6}{:>8}{:>7}  meaning", "language", "name", "small", "medium", "large");
    for p in parameters::all() {
        let [small, medium, large] = p.values;
        listln!("{:<9}{:<17}{small:>6}{medium:>8}{large:>7}  {}", p.language.title(), p.name, p.about);
    }
    listln!("\nSet one with 'qualm hunt ENGINE --set NAME=VALUE'.\n\n{}", ire::help());
    Ok(0)
}

fn list_oracles() -> Result<u8, Fault> {
    for o in oracle::all() {
        listln!("{} ({})\n  {}\n  {}", o.name, o.language.title(), o.claim, o.example.replace('\n', "\n  "));
    }
    listln!("\n{}", ire::help());
    Ok(0)
}

fn write_man_pages(folder: &std::path::Path) -> Result<u8, Fault> {
    let failed = |e: std::io::Error| Fault::usage(format!("cannot write man pages to '{}': {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    Ok(0)
}
