//! `qualm hunt`: arguments into a campaign, the campaign run, and its summary printed.

use crate::campaign_file;
use crate::cli::{at_least_one, cores, oracles_of, positive_seconds, random_seed};
use crate::fleet;
use crate::history;
use crate::outputs::Outputs;
use crate::serve::{self, Listen};
use crate::show_knobs;
use clap::Args;
use qualm_core::case::Language;
use qualm_core::explore::{NamedText, Seeds};
use qualm_core::fault::{EXIT_OWN_FAULT, Fault, shortened};
use qualm_core::knobs::KnobOptions;
use qualm_core::known::{self, KnownBug};
use qualm_core::limits::HUNT_SECONDS;
use qualm_core::session::{Outcome, Spoken};
use qualm_core::spec::HuntSpec;
use qualm_engines::{against, language_of};
use qualm_host::interrupt;
use qualm_host::process::{Scratch, own_program};
use qualm_lang::datalog::ire::parameters as ire;
use qualm_lang::sql::seeds;
use qualm_lang::user_rules::{self, RuleRelation};
use qualm_lang::{LANGUAGES, oracle, parameters};
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::Summary;
use qualm_run::isolated::{self, Isolated};
use qualm_run::ladder::Ladder;
use qualm_run::progress::{Progress, line_text, summary_text};
use qualm_run::report::counted;
use qualm_run::store::Store;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct Hunt {
    /// Engine to test, for instance sqlite or sqlite:PATH; 'qualm engines' lists them
    #[arg(required_unless_present = campaign_file::OPTION)]
    engine: Option<String>,
    /// Read arguments from a file; 'qualm campaign' prints one with all of them. With --fleet: the campaign's name, or
    /// a file named after it
    #[arg(long, help_heading = "What", value_name = "FILE")]
    campaign: Option<PathBuf>,
    /// Oracles to use, separated by commas; by default all that fit the engine's language
    #[arg(long, help_heading = "What", value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Compare with another release or build of the same engine, for instance sqlite:3.40.0; reports what changed
    #[arg(long, help_heading = "What", value_name = "ENGINE", conflicts_with_all = ["ladder", "fleet"])]
    against: Option<String>,
    /// Stop after N seconds [default: 60]
    #[arg(long, help_heading = "How long", value_name = "N", conflicts_with = "checks")]
    #[arg(value_parser = positive_seconds)]
    seconds: Option<f64>,
    /// Stop after N checks; with --workers 1, the same seed then gives the same findings
    #[arg(long, help_heading = "How long", value_name = "N", value_parser = at_least_one)]
    checks: Option<u64>,
    /// Stop after N findings
    #[arg(long, help_heading = "How long", value_name = "N", value_parser = at_least_one)]
    stop_after: Option<u64>,
    /// Random seed; chosen at random by default, and printed
    #[arg(long, help_heading = "How long", value_name = "S")]
    seed: Option<u64>,
    /// Number of worker processes; one per core by default
    #[arg(long, help_heading = "How long", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: Option<u16>,
    /// File of known bugs, which are not reported again
    #[arg(long, help_heading = "What", value_name = "FILE")]
    known: Option<PathBuf>,
    /// Start from the tables and queries of scripts: SQL, sqllogictest or SQLite's Tcl tests; a folder, or one file
    /// [default: built in for mutasql]
    #[arg(long, help_heading = "What", hide_short_help = true, value_name = "DIR")]
    seeds: Option<PathBuf>,
    /// File with your own rewrite rules; see 'qualm rules'
    #[arg(long, help_heading = "What", hide_short_help = true, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Use this file of knobs (settings that must not change results) instead of the built-in one; see 'qualm knobs'
    #[arg(long, help_heading = "Advanced", hide_short_help = true, value_name = "FILE")]
    knobs: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Advanced")]
    pub spec: HuntSpec,
    /// Parameters of 'ire', separated by commas, for instance max_rules=60,p_empty=0.1; see 'qualm oracles'
    #[arg(long, help_heading = "Advanced", hide_short_help = true, value_name = "NAME=VALUE")]
    ire: Option<String>,
    /// For ire: generate all rules first and compare once at the end (the paper's baseline)
    #[arg(long, help_heading = "Advanced", hide_short_help = true)]
    random: bool,
    /// Run each finding on other releases too, and merge findings that affect the same: a folder of shared objects,
    /// or for instance sqlite:3.8.2,3.28.0; without a value, the releases that './x sqlite' built
    #[arg(long, help_heading = "What", value_name = "RELEASES", num_args = 0..=1, default_missing_value = "")]
    ladder: Option<String>,
    /// Folder for the findings; must be new or empty [default: the next number in qualm-out]
    #[arg(long, help_heading = "Where results go", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print the summary as one line of JSON on stdout, and everything else on stderr
    #[arg(long, help_heading = "Where results go")]
    pub json: bool,
    /// Print one line at the end, and nothing else
    #[arg(long, help_heading = "Where results go")]
    pub quiet: bool,
    #[command(flatten, next_help_heading = "Where results go")]
    pub outputs: Outputs,
    /// Serve the page of 'qualm report' while the hunt runs
    #[arg(long, help_heading = "Where results go")]
    serve: bool,
    #[command(flatten, next_help_heading = "Where results go")]
    listen: Listen,
    #[command(flatten, next_help_heading = "Several machines")]
    server: fleet::args::Server,
}

impl Hunt {
    pub fn run(self) -> Result<u8, Fault> {
        let summary = self.hunt(&mut self.progress(), Vec::new())?;
        self.outputs.write(std::slice::from_ref(&summary.folder))?;
        if self.quiet && !self.json {
            outln!("{}", line_text(&summary));
        } else if self.json {
            if !self.quiet {
                err!("{}", summary_text(&summary));
            }
            outln!("{}", qualm_core::escape::json(&serde_json::to_string(&summary).expect("plain data")));
        } else {
            out!("{}", summary_text(&summary));
        }
        Ok(summary.exit)
    }

    pub fn engine(&self) -> Result<&str, Fault> {
        let missing = || Fault::usage("the campaign file names no engine; add a line such as engine = \"sqlite\"");
        self.engine.as_deref().ok_or_else(missing)
    }

    pub fn progress(&self) -> Progress {
        if self.quiet { Progress::quiet() } else { Progress::new() }
    }

    /// Where the user wants the findings.
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// The engine, and with `--against` the one that it is compared with.
    fn compared(&self) -> Result<String, Fault> {
        let engine = self.engine()?;
        Ok(self.against.as_deref().map_or_else(|| engine.to_owned(), |other| against::spec(engine, other)))
    }

    fn oracles(&self, language: Language) -> Result<Vec<String>, Fault> {
        let comparing = oracle::that_need(|n| n.against);
        if self.against.is_some() {
            let fits = |name: &&String| comparing.iter().any(|o| o.name == **name && o.language == language);
            if let Some(other) = self.oracle.iter().find(|name| !fits(name)) {
                let text = format!("with --against, the oracle is {}, not '{other}'", named(&comparing));
                return Err(Fault::usage(text));
            }
            return Ok(match self.oracle.is_empty() {
                true => vec![oracle::releases::NAME.to_owned()],
                false => self.oracle.clone(),
            });
        }
        let oracles = oracles_of(language, &self.oracle)?;
        match comparing.iter().find(|o| oracles.iter().any(|name| name == o.name)) {
            Some(o) => Err(Fault::usage(format!("the oracle '{}' needs --against ENGINE", o.name))),
            None if self.spec.fail_on_change => Err(Fault::usage("--fail-on-change needs --against ENGINE")),
            None => Ok(oracles),
        }
    }

    /// What stands in the file of `--known`.
    pub fn known(&self) -> Result<Vec<KnownBug>, Fault> {
        Ok(self.known.as_deref().map(known::read).transpose()?.unwrap_or_default())
    }

    /// Runs the campaign and stores what came of it. What is in `reported` is known beside what the user knows.
    pub fn hunt(&self, progress: &mut Progress, reported: Vec<KnownBug>) -> Result<Summary, Fault> {
        self.outputs.have_room(self.out())?;
        let address = self.bind()?;
        let shared_as = self.fleet_campaign()?;
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let scratch = Arc::new(scratch);
        let campaign = self.campaign(reported, &scratch, progress)?;
        let store = Arc::new(Store::create(self.out.as_deref())?);
        announce(&campaign, &store, progress);
        let server = self.serve(address, &store, progress)?;
        let mut summary = match shared_as {
            Some(name) => fleet::hunt(&self.server, &name, &campaign, &store, scratch, progress)?,
            None => campaign.run(store.clone(), scratch, progress)?,
        };
        write_summary(&store, &mut summary);
        history::note(store.folder());
        server.into_iter().for_each(serve::Server::close);
        let wants_code = self.spec.feedback.looks_at_code() || self.spec.corpus.is_some();
        if wants_code && summary.edges == 0 && summary.checks > 0 {
            let build = "builds with counters, such as sqlite:3.28.0-coverage";
            progress.say(&format!("note: this engine does not say which of its code was reached; {build}, do"));
        }
        Ok(summary)
    }

    /// The campaign that the arguments describe. Whatever is wrong with them is reported before there is a folder.
    fn campaign(
        &self,
        reported: Vec<KnownBug>,
        scratch: &Arc<Scratch>,
        progress: &mut Progress,
    ) -> Result<Campaign, Fault> {
        let engine = &self.compared()?;
        let language = language_of(engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let oracles = self.oracles(language)?;
        only_with_itself(&oracles)?;
        parameters::check(language, &self.spec.set).map_err(|why| Fault::usage(format!("--set: {why}")))?;
        if let Some(folder) = &self.spec.corpus {
            let cannot = |e| Fault::usage(format!("cannot create the corpus '{}': {e}", folder.display()));
            std::fs::create_dir_all(folder).map_err(cannot)?;
        }
        let timed = oracle::any_needs(&oracles, |n| n.times);
        let ladder = self.ladder(engine)?;
        let known = [self.known()?, reported].concat();
        // The engine is tried in a child first: one that crashes must not take this process with it.
        let mut tried = Isolated::open(&own_program(), engine, self.spec.timeout_ms, scratch.clone())?;
        let described = isolated::describe(engine)?;
        let (spoken, build) = (described.spoken(), described.build());
        has_something_to_ask(&oracles, spoken)?;
        let spec = self.spec(oracles, spoken, &mut tried, progress)?;
        Ok(Campaign {
            program: own_program(),
            engine: engine.clone(),
            build,
            language,
            spoken,
            spec,
            budget: self.checks.map_or(Budget::Seconds(self.seconds.unwrap_or(HUNT_SECONDS)), Budget::Checks),
            // Workers that keep each other from running would be measured too.
            workers: self.workers.map_or_else(|| if timed { 1 } else { cores() }, usize::from),
            stop_after: self.stop_after,
            known,
            ladder,
            input: None,
            interrupted: interrupt::gracefully(),
        })
    }

    /// The options as given, with what has to be read or worked out for them.
    fn spec(
        &self,
        oracles: Vec<String>,
        spoken: Spoken,
        engine: &mut Isolated,
        progress: &mut Progress,
    ) -> Result<HuntSpec, Fault> {
        Ok(HuntSpec {
            seeds: self.seeds(&oracles, spoken, engine, progress)?,
            rules: self.rules(&oracles, spoken, progress)?,
            knobs: KnobOptions { file: self.knob_file()?, ..self.spec.knobs.clone() },
            tuning: self.tuning(&oracles)?,
            seed: self.seed.unwrap_or_else(random_seed),
            oracles,
            ..self.spec.clone()
        })
    }

    fn ladder(&self, engine: &str) -> Result<Option<Ladder>, Fault> {
        let Some(requested) = &self.ladder else { return Ok(None) };
        let requested = Some(requested.as_str()).filter(|text| !text.is_empty());
        Ladder::find(engine, requested, self.spec.timeout_ms).map(Some)
    }

    /// The address that the page will be served on. One that is wrong is reported before there is a folder.
    fn bind(&self) -> Result<Option<serve::Address>, Fault> {
        match self.serve {
            true => serve::bind(&self.listen).map(Some),
            false if self.listen.listen.is_some() || self.listen.token.is_some() => {
                Err(Fault::usage("--listen and --token need --serve"))
            }
            false => Ok(None),
        }
    }

    /// The name of the campaign that is shared with other machines.
    fn fleet_campaign(&self) -> Result<Option<String>, Fault> {
        let Some(url) = &self.server.fleet else { return Ok(None) };
        let missing = || Fault::usage("--fleet needs the campaign's name: --campaign NAME");
        let given = self.campaign.as_deref().ok_or_else(missing)?;
        let name = if given.is_file() { given.file_stem() } else { given.as_os_str().into() };
        let name = name.unwrap_or_default().to_string_lossy();
        // What is wrong with it is reported before there is a folder.
        fleet::args::Address::of(url, &name).map(|address| Some(address.name))
    }

    /// Starts to serve the page, if that is wanted.
    fn serve(
        &self,
        address: Option<serve::Address>,
        store: &Store,
        progress: &mut Progress,
    ) -> Result<Option<serve::Server>, Fault> {
        let Some(address) = address else { return Ok(None) };
        let server = serve::start(vec![store.folder().to_path_buf()], address)?;
        progress.say(&format!("watch it at {}", server.address));
        Ok(Some(server))
    }

    /// What workers read again.
    fn tuning(&self, oracles: &[String]) -> Result<String, Fault> {
        if (self.ire.is_some() || self.random) && !oracle::any_needs(oracles, |n| n.tuning) {
            let takers = named(&oracle::that_need(|n| n.tuning));
            return Err(Fault::usage(format!(
                "--ire and --random need the oracle {takers}, which tests Datalog engines"
            )));
        }
        let mut text = self.ire.clone().unwrap_or_default();
        if self.random {
            text.push_str(",random");
        }
        ire::Parameters::read(&text).map_err(|why| Fault::usage(format!("--ire: {why}")))?;
        Ok(text)
    }

    /// The file is read here, so that what is wrong with it is reported before anything runs; workers read it again.
    fn knob_file(&self) -> Result<Option<NamedText>, Fault> {
        let Some(path) = &self.knobs else { return Ok(None) };
        show_knobs::read(path)?;
        Ok(Some(NamedText { name: path.display().to_string(), text: show_knobs::text(path)? }))
    }

    /// The same for rules of the user's own. Those that no oracle of this hunt takes are named; if that is all of them,
    /// the hunt is not what was meant.
    fn rules(&self, oracles: &[String], spoken: Spoken, progress: &mut Progress) -> Result<Option<NamedText>, Fault> {
        let Some(file) = &self.rules else { return Ok(None) };
        let source = user_rules::load(file).map_err(Fault::usage)?;
        let rules = (LANGUAGES.of(spoken.language()).rules)(&source, spoken).map_err(Fault::usage)?;
        let takers = oracle::that_need(|n| !n.rules.is_empty());
        let takes = |r: &RuleRelation, o: &oracle::About| o.language == spoken.language() && o.needs.rules.contains(r);
        let mut unused = Vec::new();
        for (name, relation) in &rules {
            let able: Vec<_> = takers.iter().copied().filter(|o| takes(relation, o)).collect();
            if !able.iter().any(|o| oracles.iter().any(|name| name == o.name)) {
                unused.push((name, relation.name(), named(&able)));
            }
        }
        if let Some((_, of, takers)) = unused.first().filter(|_| unused.len() == rules.len()) {
            return Err(Fault::usage(format!(
                "--rules: a rule with the relation \"{of}\" needs the oracle {takers}; add it to --oracle"
            )));
        }
        if !unused.is_empty() {
            let each = unused.iter().map(|(name, _, takers)| format!("'{name}' (needs the oracle {takers})"));
            let listed = each.collect::<Vec<_>>().join(", ");
            progress.say(&shortened(&format!("rules that are not used: {listed}")));
        }
        Ok(Some(source))
    }

    /// The user's seeds, or ours where an oracle lives on them. What cannot be read, and what the engine does not take,
    /// is reported once.
    fn seeds(
        &self,
        oracles: &[String],
        spoken: Spoken,
        engine: &mut Isolated,
        progress: &mut Progress,
    ) -> Result<Seeds, Fault> {
        let Some(place) = &self.seeds else {
            return Ok(seeds::for_oracles(oracles, spoken));
        };
        let read = (LANGUAGES.of(spoken.language()).seeds)(place, spoken).map_err(Fault::usage)?;
        let mut refused = Vec::new();
        for (places, case) in &read.trials {
            let answers = engine.run(case).answers;
            refused.extend(places.iter().zip(&answers).filter_map(|(place, answer)| match answer {
                Outcome::Rejected(r) => Some(format!("{place}: {}", r.text)),
                _ => None,
            }));
        }
        report_lines(progress, "files that give no seed are left out", &read.left_out);
        report_lines(progress, "tables of the seeds have more rows than a hunt can use", &read.shortened);
        report_lines(progress, read.fate, &read.unread);
        report_lines(progress, "statements of the seeds are rejected by the engine", &refused);
        Ok(read.seeds)
    }
}

/// One oracle at least can ask something in this dialect. Among others, one that cannot is left out.
fn has_something_to_ask(oracles: &[String], spoken: Spoken) -> Result<(), Fault> {
    let Some(dialect) = spoken.sql() else { return Ok(()) };
    let lacks = |name: &String| Some(format!("{name} needs {}", (oracle::find(name)?.lacks)(dialect)?));
    let lacking: Vec<String> = oracles.iter().filter_map(lacks).collect();
    if lacking.is_empty() || lacking.len() < oracles.len() {
        return Ok(());
    }
    let text = format!("nothing to ask: {}, which the dialect '{}' does not have", lacking.join("; "), dialect.name);
    Err(Fault::usage(text))
}

/// Some oracles need all of a hunt.
fn only_with_itself(oracles: &[String]) -> Result<(), Fault> {
    let exclusive = oracle::that_need(|n| n.exclusive.is_some());
    match exclusive.iter().find(|o| oracles.len() > 1 && oracles.iter().any(|name| name == o.name)) {
        Some(o) => {
            let why = o.needs.exclusive.unwrap_or_default();
            Err(Fault::usage(format!("'{}' needs {why} and cannot be combined with other oracles", o.name)))
        }
        None => Ok(()),
    }
}

fn named(oracles: &[oracle::About]) -> String {
    oracles.iter().map(|o| format!("'{}'", o.name)).collect::<Vec<_>>().join(" or ")
}

fn announce(campaign: &Campaign, store: &Store, progress: &mut Progress) {
    let (seed, folder) = (campaign.spec.seed, store.folder().display());
    let workers = counted(campaign.workers, "worker");
    let engine = qualm_engines::url::shown(&campaign.engine);
    progress.say(&format!("hunting in {engine} with {workers}, seed {seed}, findings go to {folder}"));
}

/// A disk that is full takes nothing of what is printed.
fn write_summary(store: &Store, summary: &mut Summary) {
    if let Err(e) = store.write_summary(summary) {
        summary.faults.push(format!("cannot write the summary: {e}"));
        summary.exit = EXIT_OWN_FAULT;
    }
}

fn report_lines(progress: &mut Progress, what: &str, lines: &[String]) {
    if !lines.is_empty() {
        progress.say(&format!("{what}: {}", lines.len()));
        lines.iter().take(UNREAD_SHOWN).for_each(|line| progress.say(&format!("  {}", shortened(line))));
    }
}

/// Statements of seeds that are named at the start of a hunt because something is wrong with them.
const UNREAD_SHOWN: usize = 5;
