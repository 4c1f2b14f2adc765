//! The command line: arguments into one call each. What the commands do is elsewhere.

use crate::campaign::{Budget, Campaign};
use crate::case::Language;
use crate::dialect::Dialect;
use crate::engine::{ENGINES, language_of};
use crate::explore::{NamedText, Seeds, Size};
use crate::fault::Fault;
use crate::knobs::{Choice, KnobOptions, show};
use crate::lang::datalog::seeds as datalog_seeds;
use crate::lang::sql::{rules_file, seeds};
use crate::limits::{HUNT_SECONDS, INTERRUPT_ECHO_MS, STATEMENT_TIMEOUT_MS};
use crate::oracle::{self, config_perf};
use crate::process::{Scratch, own_program};
use crate::progress::{Progress, summary_text};
use crate::session::Outcome;
use crate::slowness::Threshold;
use crate::store::Store;
use crate::{bench, check, isolated, known, ladder, replay, rules, worker};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing found, or the bug is gone
  1  findings, or the bug is still there
  2  the arguments or files given make no sense, or the case cannot be judged there
  3  the engine cannot be reached
  4  a fault of qualm itself";

const KNOWN_HELP: &str = "\
The file of --known holds one JSON object per line; lines that begin with # are comments:
  {\"fingerprint\": \"9f3c2a1b\", \"reason\": \"reported\", \"link\": \"https://...\"}
  {\"pattern\": \"*MATERIALIZED*LEFT JOIN*\", \"reason\": \"reported\"}
A pattern is looked for in title, statements and error text; * is any text, ? one character.";

const RULES_HELP: &str = "\
A rule of your own is written in TOML:
  [[rule]]
  name = \"no-nulls-here\"
  over = \"predicate\"        # or \"expression\" or \"table\"
  pattern = \"$C = $e\"
  replacement = \"$C = $e AND $C IS NOT NULL\"
  relation = \"same\"
  precondition = \"SELECT count(*) FROM $T WHERE $C IS NULL\"
  expect = 0
$p stands for a predicate, $e for an expression, $C for a column, $L for a literal, $T for a table;
a number may follow, as in $e2. Without precondition and expect the rule holds everywhere.";

#[derive(Parser)]
#[command(name = "qualm", version, after_help = EXIT_CODES)]
#[command(about = "Finds the queries that a database answers wrongly")]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Hunt for wrong answers, crashes and hangs in an engine
    #[command(after_help = format!("{KNOWN_HELP}\n\n{EXIT_CODES}"))]
    Hunt(Hunt),
    /// Check queries that someone else wrote: a fuzzer, a regression suite, a log
    #[command(after_help = format!("{KNOWN_HELP}\n\n{EXIT_CODES}"))]
    Check(check::Check),
    /// Run a finding again: exit 1 when it is still there, 0 when it is gone
    #[command(after_help = EXIT_CODES)]
    Replay {
        /// A finding's folder, or a case.json
        finding: PathBuf,
        /// Another engine or release than the one it was found in
        #[arg(long, value_name = "ENGINE")]
        engine: Option<String>,
        /// Longer statements count as a hang
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one())]
        timeout_ms: u64,
    },
    /// Make a finding smaller, with more time than the hunt had
    #[command(after_help = EXIT_CODES)]
    Reduce {
        /// A finding's folder, or a case.json
        finding: PathBuf,
        #[arg(long, value_name = "ENGINE")]
        engine: Option<String>,
        #[arg(long, value_name = "N", default_value_t = HUNT_SECONDS, value_parser = positive_seconds)]
        seconds: f64,
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one())]
        timeout_ms: u64,
    },
    /// Run a finding in every release there is: where it shows, since when, until when
    #[command(after_help = EXIT_CODES)]
    Ladder {
        /// A finding's folder, or a case.json
        finding: PathBuf,
        /// A folder of shared objects, or for instance sqlite:3.8.2,3.28.0,built-in [default: what './x sqlite' built]
        #[arg(long, value_name = "RELEASES")]
        releases: Option<String>,
        /// One JSON object on stdout
        #[arg(long)]
        json: bool,
        #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one())]
        timeout_ms: u64,
    },
    /// List the engines
    Engines,
    /// List the oracles: what they claim, with an example
    Oracles,
    /// List the rewrite rules, or check rules of your own
    #[command(after_help = format!("{RULES_HELP}\n\n{EXIT_CODES}"))]
    Rules(rules::Rules),
    /// List the settings of an engine: those that must not change answers, those that are left alone, those unknown
    Knobs(show::Show),
    /// Measure checks per CPU second, where the time goes and how long reduction takes
    Bench(bench::Bench),
    /// Print a completion script
    Completions { shell: clap_complete::Shell },
    /// Write the man pages into a folder
    Man { folder: PathBuf },
    #[command(hide = true)]
    Worker,
    #[command(hide = true)]
    Runner { engine: String, recorder: PathBuf },
}

#[derive(Args)]
struct Hunt {
    /// An engine of 'qualm engines', for instance sqlite or sqlite:PATH
    engine: String,
    /// Oracles to use, separated by commas; all of the engine's language by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value = "medium")]
    size: SizeArg,
    /// Hunt so long [default: 60]
    #[arg(long, value_name = "N", conflicts_with = "checks", value_parser = positive_seconds)]
    seconds: Option<f64>,
    /// Do so many checks; with --workers 1 the same seed then gives the same findings
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    checks: Option<u64>,
    /// Where randomness begins; random by default, and shown
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Processes that hunt; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// Bugs that are not to be reported
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Scripts of tables and queries to begin with: a folder of *.sql, or one file [default: built in for mutasql]
    #[arg(long, value_name = "DIR")]
    seeds: Option<PathBuf>,
    /// Rewrite rules of your own; see 'qualm rules'
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// How 'config' chooses settings: those that concern the plan, or any
    #[arg(long, value_enum, value_name = "HOW", default_value = "plan")]
    config: ConfigArg,
    /// A file of knobs in place of the engine's own; see 'qualm knobs'
    #[arg(long, value_name = "FILE")]
    knobs: Option<PathBuf>,
    /// Let values appear whose meaning is disputed (graphs: NaN); see docs/gdbmeter.md
    #[arg(long)]
    disputed: bool,
    #[command(flatten)]
    threshold: ThresholdArgs,
    /// Try each finding in other releases too and fold those that show in the same ones: a folder of shared objects, or
    /// for instance sqlite:3.8.2,3.28.0; alone, what './x sqlite' built
    #[arg(long, value_name = "RELEASES", num_args = 0..=1, default_missing_value = "")]
    ladder: Option<String>,
    /// Folder for the findings; it must be new or empty [default: the next number in qualm-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End with one line of JSON on stdout, everything else on stderr
    #[arg(long)]
    json: bool,
    /// Longer statements count as a hang
    #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one())]
    timeout_ms: u64,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum SizeArg {
    Small,
    Medium,
    Large,
}

impl From<SizeArg> for Size {
    fn from(size: SizeArg) -> Size {
        match size {
            SizeArg::Small => Size::Small,
            SizeArg::Medium => Size::Medium,
            SizeArg::Large => Size::Large,
        }
    }
}

/// When 'config-perf' calls an answer slow.
#[derive(Args)]
pub struct ThresholdArgs {
    /// For config-perf: the answer must take so many times as long as without an optimisation
    #[arg(long, value_name = "N", default_value_t = Threshold::default().ratio, value_parser = ratio_above_one)]
    ratio: f64,
    /// For config-perf: and so many milliseconds longer
    #[arg(long, value_name = "N", default_value_t = Threshold::default().floor_ms, value_parser = positive_seconds)]
    floor_ms: f64,
}

impl ThresholdArgs {
    pub fn get(&self) -> Threshold {
        Threshold { ratio: self.ratio, floor_ms: self.floor_ms }
    }
}

fn ratio_above_one(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(r) if r > 1.0 && r <= 1e6 => Ok(r),
        _ => Err("give a number above 1".into()),
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum ConfigArg {
    Plan,
    Random,
}

pub fn at_least_one() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..)
}

pub fn positive_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s > 0.0 && s <= 1e9 => Ok(s),
        _ => Err("give a number of seconds above 0".into()),
    }
}

impl Cli {
    /// Started by another qualm.
    pub fn is_child(&self) -> bool {
        matches!(self.command, Command::Worker | Command::Runner { .. })
    }
}

/// Does what the arguments say and gives the exit code.
pub fn run(cli: Cli) -> Result<u8, Fault> {
    match cli.command {
        Command::Hunt(hunt) => hunt.run(),
        Command::Check(check) => check.run(),
        Command::Replay { finding, engine, timeout_ms } => replay::replay(&finding, engine.as_deref(), timeout_ms),
        Command::Reduce { finding, engine, seconds, timeout_ms } => {
            replay::reduce(&finding, engine.as_deref(), seconds, timeout_ms)
        }
        Command::Ladder { finding, releases, json, timeout_ms } => {
            ladder::ladder(&finding, releases.as_deref(), json, timeout_ms)
        }
        Command::Engines => list_engines(),
        Command::Oracles => list_oracles(),
        Command::Rules(rules) => rules.run(),
        Command::Knobs(show) => show.run(),
        Command::Bench(bench) => bench.run(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "qualm", &mut std::io::stdout());
            Ok(0)
        }
        Command::Man { folder } => write_man_pages(&folder),
        Command::Worker => worker::worker().map(|()| 0),
        Command::Runner { engine, recorder } => isolated::runner(&engine, &recorder).map(|()| 0),
    }
}

impl Hunt {
    fn run(self) -> Result<u8, Fault> {
        let language = language_of(&self.engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let oracles = oracles_of(language, &self.oracle)?;
        let timed = oracles.iter().any(|o| o == config_perf::SPEC.name);
        if timed && oracles.len() > 1 {
            return Err(Fault::usage("'config-perf' needs large tables of its own; give it alone to --oracle"));
        }
        let find = |asked: &String| {
            let asked = Some(asked.as_str()).filter(|text| !text.is_empty());
            ladder::Ladder::find(&self.engine, asked, self.timeout_ms)
        };
        let ladder = self.ladder.as_ref().map(find).transpose()?;
        let known = self.known.as_deref().map(known::read).transpose()?.unwrap_or_default();
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot make a temporary folder: {e}")))?;
        let scratch = Arc::new(scratch);
        // The engine is tried in a child first: one that crashes must not take this process with it.
        let mut tried = isolated::Isolated::open(&own_program(), &self.engine, self.timeout_ms, scratch.clone())?;
        let spoken = isolated::connect(&self.engine)?.spoken();
        let dialect = spoken.sql;
        let mut progress = Progress::new();
        let seeds = self.seeds(language, &oracles, dialect, &mut tried, &mut progress)?;
        drop(tried);
        if self.rules.is_some() && !oracles.iter().any(|o| o == "mutasql") {
            return Err(Fault::usage("rules are for the oracle 'mutasql'; add it to --oracle"));
        }
        let rules = self.rules.as_deref().map(|f| read_rules(f, dialect)).transpose()?;
        let knobs = self.knob_options()?;
        let store = Arc::new(Store::create(self.out.as_deref())?);
        let campaign = Campaign {
            program: own_program(),
            engine: self.engine.clone(),
            language,
            spoken,
            oracles,
            size: self.size.into(),
            budget: self.checks.map_or(Budget::Seconds(self.seconds.unwrap_or(HUNT_SECONDS)), Budget::Checks),
            seed: self.seed.unwrap_or_else(random_seed),
            // Workers that keep each other from running would be measured too.
            workers: self.workers.map_or_else(|| if timed { 1 } else { cores() }, usize::from),
            known,
            ladder,
            timeout_ms: self.timeout_ms,
            seeds,
            rules,
            input: None,
            threshold: self.threshold.get(),
            knobs,
            disputed: self.disputed,
            interrupted: listen_to_interrupts(scratch.path().to_path_buf())?,
        };
        let (seed, folder) = (campaign.seed, store.folder().display());
        progress.say(&format!(
            "hunting in {} with {} workers, seed {seed}, findings go to {folder}",
            self.engine, campaign.workers
        ));
        let summary = campaign.run(store.clone(), scratch, &mut progress)?;
        store.write_summary(&summary).map_err(|e| Fault::own(format!("cannot write the summary: {e}")))?;
        if self.json {
            eprint!("{}", summary_text(&summary));
            println!("{}", serde_json::to_string(&summary).expect("plain data"));
        } else {
            print!("{}", summary_text(&summary));
        }
        Ok(summary.exit)
    }

    /// The file is read here, so that what is wrong with it is told before anything runs; workers read it again.
    fn knob_options(&self) -> Result<KnobOptions, Fault> {
        let choice = match self.config {
            ConfigArg::Plan => Choice::Plan,
            ConfigArg::Random => Choice::Random,
        };
        let read = |path: &PathBuf| {
            show::read(path)?;
            Ok(NamedText { name: path.display().to_string(), text: show::text(path)? })
        };
        Ok(KnobOptions { file: self.knobs.as_ref().map(read).transpose()?, choice })
    }

    /// The user's seeds, or ours where an oracle lives on them. What cannot be read, and what the engine does not take,
    /// is told once.
    fn seeds(
        &self,
        language: Language,
        oracles: &[String],
        dialect: &'static Dialect,
        engine: &mut isolated::Isolated,
        progress: &mut Progress,
    ) -> Result<Seeds, Fault> {
        let Some(place) = &self.seeds else {
            return Ok(seeds::for_oracles(oracles, dialect));
        };
        if language == Language::Datalog {
            let (seeds, unread) = datalog_seeds::load(place).map_err(Fault::usage)?;
            tell_lines(progress, "parts of the seeds that are not read, and left out", &unread);
            return Ok(seeds);
        }
        let (seeds, unread) = seeds::load(place, dialect).map_err(Fault::usage)?;
        let mut refused = Vec::new();
        for script in &seeds.scripts {
            let (places, case) = seeds::trial(script);
            let answers = engine.run(&case).answers;
            refused.extend(places.iter().zip(&answers).filter_map(|(place, answer)| match answer {
                Outcome::Rejected(r) => Some(format!("{place}: {}", r.text)),
                _ => None,
            }));
        }
        tell_lines(progress, "statements of the seeds that are not read, and used as they are", &unread);
        tell_lines(progress, "statements of the seeds that the engine refuses", &refused);
        Ok(seeds)
    }
}

fn tell_lines(progress: &mut Progress, what: &str, lines: &[String]) {
    if !lines.is_empty() {
        progress.say(&format!("{what}: {}", lines.len()));
        lines.iter().take(UNREAD_SHOWN).for_each(|line| progress.say(&format!("  {line}")));
    }
}

/// Statements of seeds that are named at the start of a hunt because something is wrong with them.
const UNREAD_SHOWN: usize = 5;

/// The oracles asked for, in the order of the table; all of the language's that have a weight when none is.
pub fn oracles_of(language: Language, asked: &[String]) -> Result<Vec<String>, Fault> {
    let known: Vec<&str> = oracle::all().iter().filter(|o| o.language == language).map(|o| o.name).collect();
    let unasked = |name: &str| asked.is_empty() && oracle::find(name).is_none_or(|o| o.weight > 0);
    if let Some(unknown) = asked.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(Fault::usage(format!("unknown oracle '{unknown}'; known oracles: {}", known.join(", "))));
    }
    let wanted = known.iter().filter(|name| unasked(name) || asked.iter().any(|a| a == *name));
    Ok(wanted.map(|name| (*name).to_owned()).collect())
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

pub fn random_seed() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    // The standard library's hash keys are random for each process. Short enough to be typed again.
    u64::from(std::hash::RandomState::new().build_hasher().finish() as u32)
}

/// The first Ctrl-C asks for a clean end, the second ends at once. Children die with this process.
pub fn listen_to_interrupts(scratch: PathBuf) -> Result<Arc<AtomicBool>, Fault> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let mut signals = signal_hook::iterator::Signals::new([libc::SIGINT, libc::SIGTERM])
        .map_err(|e| Fault::own(format!("cannot listen to signals: {e}")))?;
    let flag = interrupted.clone();
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            if first.is_some_and(|when| when.elapsed() < Duration::from_millis(INTERRUPT_ECHO_MS)) {
                continue;
            }
            if flag.swap(true, Ordering::Relaxed) {
                let _ = std::fs::remove_dir_all(&scratch);
                std::process::exit(128 + signal);
            }
            first = Some(Instant::now());
            eprintln!("\nending; once more to end at once");
        }
    });
    Ok(interrupted)
}

fn list_engines() -> Result<u8, Fault> {
    for e in ENGINES {
        let name = if e.place.is_empty() { e.name.to_owned() } else { format!("{0}, {0}:WHERE", e.name) };
        println!("{name}\n  {}", e.about);
        if !e.place.is_empty() {
            println!("  WHERE: {}", e.place);
        }
    }
    Ok(0)
}

fn list_oracles() -> Result<u8, Fault> {
    for o in oracle::all() {
        println!("{} ({:?})\n  {}\n  {}", o.name, o.language, o.claim, o.example.replace('\n', "\n  "));
    }
    Ok(0)
}

fn write_man_pages(folder: &std::path::Path) -> Result<u8, Fault> {
    let failed = |e: std::io::Error| Fault::usage(format!("cannot write man pages to '{}': {e}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    Ok(0)
}

/// The file is read here, so that what is wrong with it is told before anything runs; workers read it again.
fn read_rules(file: &std::path::Path, dialect: &'static Dialect) -> Result<NamedText, Fault> {
    let rules = rules_file::load(file, dialect).map_err(Fault::usage)?;
    Ok(rules.source)
}
