//! `qualm rules`: lists the rewrite rules, and checks a user's own against the engine that comes with the tool.

use clap::Args;
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_lang::oracle::eet;
use qualm_lang::sql::profile::Profile;
use qualm_lang::sql::rules;
use qualm_lang::sql::rules_check::{Checked, check};
use qualm_lang::sql::rules_file::{self, UserRule};
use qualm_lang::sql::seeds::{self, Seed};
use qualm_run::isolated;
use std::path::{Path, PathBuf};

/// The newest SQLite, built in: what a sound rule must agree with.
const TRUSTED: &str = "sqlite";

#[derive(Args)]
pub struct Rules {
    /// Apply every rule of this TOML file to random queries on the built-in SQLite, and check that no result changes
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Also apply them to these tables and queries: a folder of *.sql, or one file [default: built in]
    #[arg(long, value_name = "DIR", requires = "check")]
    seeds: Option<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1, requires = "check")]
    seed: u64,
}

impl Rules {
    pub fn run(self) -> Result<u8, Fault> {
        match &self.check {
            Some(file) => self.check(file),
            None => list(),
        }
    }

    /// 1 when a rule is unsound, 2 when one could not be judged.
    fn check(&self, file: &Path) -> Result<u8, Fault> {
        let engine = isolated::connect(TRUSTED)?;
        let dialect = engine.sql().ok_or_else(|| Fault::own(format!("'{TRUSTED}' speaks no SQL")))?;
        let rules = rules_file::load(file, dialect).map_err(Fault::usage)?.rules;
        let scripts = match &self.seeds {
            Some(place) => seeds::load(place, dialect).map_err(Fault::usage)?.0.scripts,
            None => seeds::built_in().scripts,
        };
        let seeds: Vec<Seed> = scripts.iter().map(|s| Seed::read(s, dialect)).collect();
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let profile = Profile::probe(dialect, session.as_mut()).map_err(Fault::unreachable)?;
        let mut exit = 0;
        for rule in &rules {
            let checked = check(rule, &seeds, &profile, session.as_mut(), self.seed).map_err(Fault::unreachable)?;
            exit = worse(exit, report(rule, &checked));
        }
        Ok(exit)
    }
}

/// Findings weigh more than what could not be judged.
fn worse(a: u8, b: u8) -> u8 {
    if a == 1 || b == 1 { 1 } else { a.max(b) }
}

fn report(rule: &UserRule, checked: &Checked) -> u8 {
    let Checked { applied, kept_out, judged, refused, counterexample } = checked;
    if let Some(script) = counterexample {
        outln!("{}: unsound, after {judged} results that agreed\n{}", rule.name, escape::lines(script));
        return 1;
    }
    if *judged > 0 {
        outln!("{}: {judged} results agree", rule.name);
        return 0;
    }
    let why = match (applied, refused) {
        (_, Some(text)) => format!("the engine rejects it: {text}"),
        (0, None) => "it matched no query; give tables and queries that it matches with --seeds".into(),
        _ if kept_out == applied => "its precondition was never met; give tables where it is with --seeds".into(),
        _ => "no result had rows; give tables and queries with --seeds".into(),
    };
    outln!("{}: not judged: {}", rule.name, escape::line(&why));
    2
}

fn list() -> Result<u8, Fault> {
    for rule in rules::rules() {
        let group = format!("{:?}", rule.group).to_lowercase();
        outln!("{} (mutasql, {group})\n  if {}", rule.name, rule.precondition);
        outln!("  {}\n  {}", rule.example.0, rule.example.1);
    }
    for rule in eet::RULES {
        outln!("{} (eet)\n  {}\n  {}", rule.name, rule.example.0, rule.example.1);
    }
    Ok(0)
}
