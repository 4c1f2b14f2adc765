//! `qualm check`: queries that someone else wrote (a fuzzer, a regression suite, a log) in place of generated ones. The
//! campaign is that of a hunt; only where the queries come from differs.

use crate::cli::{at_least_one, positive_seconds, random_seed};
use crate::outputs::Outputs;
use clap::Args;
use qualm_core::case::Language;
use qualm_core::dialect::sql::Dialect;
use qualm_core::explore::{Input, InputLine, NamedText, Size};
use qualm_core::fault::Fault;
use qualm_core::files;
use qualm_core::known;
use qualm_core::limits::{FILE_BYTES, STATEMENT_TIMEOUT_MS};
use qualm_core::session::Outcome;
use qualm_core::slowness::Threshold;
use qualm_core::spec::HuntSpec;
use qualm_engines::language_of;
use qualm_host::interrupt;
use qualm_host::process::{Scratch, own_program};
use qualm_lang::oracle::ORACLES;
use qualm_lang::sql::check::SURVIVES;
use qualm_lang::sql::parse::{Cutter, Marks};
use qualm_lang::sql::seeds;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::feed::Feed;
use qualm_run::isolated::{self, Isolated};
use qualm_run::progress::{Progress, summary_text};
use qualm_run::store::Store;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Statements of a setup that are named because the engine refuses them.
const REFUSED_SHOWN: usize = 10;

#[derive(Args)]
pub struct Check {
    /// Engine to test, for instance sqlite or sqlite:PATH; 'qualm engines' lists them
    engine: String,
    /// Oracles to use, separated by commas; 'survives' only looks for crashes and hangs [default: as for 'qualm hunt']
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Script that creates the database; it runs once before the queries and again for each replay
    #[arg(long, value_name = "FILE")]
    setup: Option<PathBuf>,
    /// The queries, separated by semicolons; - is standard input, which may be an endless pipe
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Skip statements of the setup that the engine rejects
    #[arg(long)]
    lenient: bool,
    /// Also run statements that are not queries, in order; by default they are skipped
    #[arg(long, conflicts_with = "workers")]
    run_all: bool,
    /// Size of the predicates that the oracles generate
    #[arg(long, value_enum, default_value = "medium")]
    size: Size,
    /// Stop after N seconds, even if there are more queries
    #[arg(long, value_name = "N", value_parser = positive_seconds)]
    seconds: Option<f64>,
    /// Random seed; chosen at random by default, and printed
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Number of worker processes, each with its own database
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,
    #[command(flatten)]
    threshold: Threshold,
    /// File of known bugs, which are not reported again
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Folder for the findings; must be new or empty [default: the next number in qualm-out]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary as one line of JSON on stdout, and everything else on stderr
    #[arg(long)]
    json: bool,
    /// Report a statement that takes longer than N milliseconds as a hang
    #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, value_parser = at_least_one)]
    timeout_ms: u64,
    #[command(flatten)]
    outputs: Outputs,
}

impl Check {
    pub fn run(self) -> Result<u8, Fault> {
        self.outputs.have_room(self.out.as_deref())?;
        let language = language_of(&self.engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let oracles = oracles(language, &self.oracle)?;
        let known = self.known.as_deref().map(known::read).transpose()?.unwrap_or_default();
        let queries = open(&self.queries)?;
        let setup = self.setup.as_deref().map(read_setup).transpose()?;
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let scratch = Arc::new(scratch);
        // The engine is tried in a child first: one that crashes must not take this process with it.
        let mut tried = Isolated::open(&own_program(), &self.engine, self.timeout_ms, scratch.clone())?;
        let Some(dialect) = isolated::describe(&self.engine)?.sql() else {
            return Err(Fault::usage("'check' is for SQL engines"));
        };
        let mut progress = Progress::new();
        let setup = setup.map(|s| self.try_setup(&s, dialect, &mut tried, &mut progress)).transpose()?;
        drop(tried);
        let input = Input { setup: setup.unwrap_or_default(), run_all: self.run_all };
        let store = Arc::new(Store::create(self.out.as_deref())?);
        let campaign = Campaign {
            program: own_program(),
            engine: self.engine.clone(),
            build: String::new(),
            language,
            spoken: dialect.into(),
            spec: HuntSpec {
                oracles,
                size: self.size,
                seed: self.seed.unwrap_or_else(random_seed),
                threshold: self.threshold,
                timeout_ms: self.timeout_ms,
                ..HuntSpec::default()
            },
            budget: self.seconds.map_or(Budget::Input, Budget::Seconds),
            workers: usize::from(self.workers),
            stop_after: None,
            known,
            ladder: None,
            input: Some((input, Arc::new(feed(queries, Marks::of(dialect))))),
            interrupted: interrupt::gracefully(),
        };
        let (seed, folder) = (campaign.spec.seed, store.folder().display());
        let from =
            if self.queries == Path::new("-") { "standard input".into() } else { self.queries.display().to_string() };
        progress
            .say(&format!("checking the queries of {from} on {}, seed {seed}, findings go to {folder}", self.engine));
        let summary = campaign.run(store.clone(), scratch, &mut progress)?;
        store.write_summary(&summary).map_err(|e| Fault::own(format!("cannot write the summary: {e}")))?;
        self.outputs.write(std::slice::from_ref(&summary.folder))?;
        if self.json {
            err!("{}", summary_text(&summary));
            outln!("{}", qualm_core::escape::json(&serde_json::to_string(&summary).expect("plain data")));
        } else {
            out!("{}", summary_text(&summary));
        }
        Ok(summary.exit)
    }

    /// The statements of the setup, each of which the engine must take.
    fn try_setup(
        &self,
        setup: &NamedText,
        dialect: &'static Dialect,
        engine: &mut Isolated,
        progress: &mut Progress,
    ) -> Result<Vec<String>, Fault> {
        let (places, case) = seeds::trial(setup, Marks::of(dialect));
        let answers = engine.run(&case).answers;
        let mut taken = Vec::new();
        let mut refused = Vec::new();
        for (i, step) in case.script.iter().enumerate() {
            match answers.get(i) {
                Some(Outcome::Rows(_) | Outcome::Done) => taken.push(step.text.clone()),
                Some(Outcome::Rejected(r)) => refused.push(format!("{}: {}", places[i], r.text)),
                Some(other) => return Err(Fault::usage(format!("{}: the engine failed: {other:?}", places[i]))),
                None => {
                    return Err(Fault::usage(format!(
                        "{}: the engine failed at this statement or before it",
                        places[i]
                    )));
                }
            }
        }
        let shown = refused.iter().take(REFUSED_SHOWN).map(|line| format!("\n  {line}")).collect::<String>();
        let text = format!("the engine rejects {} of {} statements of the setup{shown}", refused.len(), places.len());
        if refused.is_empty() {
            return Ok(taken);
        }
        if !self.lenient {
            return Err(Fault::usage(format!("{text}\npass --lenient to continue without them")));
        }
        progress.say(&text);
        Ok(taken)
    }
}

/// The oracles asked for, in the order of the table; those that are not slow when none is.
fn oracles(language: Language, requested: &[String]) -> Result<Vec<String>, Fault> {
    let known: Vec<&str> = ORACLES.iter().map(|o| o.name).chain([SURVIVES]).collect();
    if let Some(unknown) = requested.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(crate::cli::no_such_oracle(unknown, language, &known));
    }
    let wanted = known.iter().filter(|name| match requested.is_empty() {
        true => qualm_lang::oracle::find(name).is_none_or(|o| o.weight > 0),
        false => requested.iter().any(|a| a == *name),
    });
    Ok(wanted.map(|name| (*name).to_owned()).collect())
}

fn open(place: &Path) -> Result<Box<dyn Read + Send>, Fault> {
    if place == Path::new("-") {
        return Ok(Box::new(std::io::stdin()));
    }
    let cannot = |e| Fault::usage(format!("cannot read the queries '{}': {e}", place.display()));
    if place.is_dir() {
        return Err(Fault::usage(format!(
            "'{}' is a folder; give --queries a file, or - for standard input",
            place.display()
        )));
    }
    Ok(Box::new(std::fs::File::open(place).map_err(cannot)?))
}

fn read_setup(place: &Path) -> Result<NamedText, Fault> {
    let text = files::text(place, "the setup", FILE_BYTES).map_err(Fault::usage)?;
    Ok(NamedText { name: place.display().to_string(), text })
}

fn feed(source: Box<dyn Read + Send>, marks: Marks) -> Feed {
    let mut cutter = Cutter::new(marks);
    Feed::read(
        source,
        Box::new(move |bytes, hand_on| {
            match bytes {
                Some(bytes) => cutter.push(bytes),
                None => cutter.end(),
            }
            while let Some((line, text)) = cutter.next_piece() {
                hand_on(InputLine { line, text });
            }
        }),
    )
}
