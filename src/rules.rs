//! `qualm rules`: lists the rewrite rules, and checks a user's own where the right answer is known: SQL in the engine
//! that comes with the tool, Datalog by our own evaluator, graphs in an engine that is trusted.

use clap::Args;
use qualm_core::dialect::datalog::SOUFFLE;
use qualm_core::escape;
use qualm_core::explore::NamedText;
use qualm_core::fault::Fault;
use qualm_core::language::Each;
use qualm_core::session::Engine;
use qualm_lang::oracle::eet;
use qualm_lang::sql::profile::Profile;
use qualm_lang::sql::rules_check;
use qualm_lang::sql::rules_file;
use qualm_lang::sql::seeds::{self, Seed};
use qualm_lang::user_rules::{self, Checked};
use qualm_lang::{datalog, graph, sql};
use qualm_run::isolated;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct Rules {
    /// Apply every rule of this TOML file to random queries, and check that each result is what the rule says: SQL on
    /// the built-in SQLite, Datalog by qualm's own evaluator, graphs on --engine
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,
    /// Engine to check on instead; needed for graph rules unless Grafeo is built in
    #[arg(long, value_name = "ENGINE", requires = "check")]
    engine: Option<String>,
    /// Also apply them to these tables and queries: a folder of *.sql or *.dl, or one file [default: built in for SQL]
    #[arg(long, value_name = "DIR", requires = "check")]
    seeds: Option<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1, requires = "check")]
    seed: u64,
}

/// Each rule's name, and what came of it.
type Results = Vec<(String, Checked)>;

/// How the rules of a language are checked, and in which engine where none is given.
struct Trusted {
    engine: &'static str,
    check: fn(&Rules, &NamedText) -> Result<Results, Fault>,
    /// What results are called, and what they need if there were none.
    results: &'static str,
    hint: &'static str,
}

const TRUSTED: Each<Trusted> = Each {
    sql: Trusted {
        engine: "sqlite",
        check: Rules::check_sql,
        results: "results",
        hint: "give tables and queries that it matches with --seeds",
    },
    datalog: Trusted {
        engine: "",
        check: Rules::check_datalog,
        results: "programs",
        hint: "give programs that it matches with --seeds",
    },
    graph: Trusted {
        engine: "grafeo",
        check: Rules::check_graph,
        results: "results",
        hint: "write a pattern that conditions of this engine match",
    },
};

impl Rules {
    pub fn run(self) -> Result<u8, Fault> {
        match &self.check {
            Some(file) => self.check(file),
            None => list(),
        }
    }

    /// 1 when a rule is unsound, 2 when one could not be judged.
    fn check(&self, file: &Path) -> Result<u8, Fault> {
        let source = user_rules::load(file).map_err(Fault::usage)?;
        let trusted = TRUSTED.of(user_rules::language(&source).map_err(Fault::usage)?);
        let mut exit = 0;
        for (name, checked) in (trusted.check)(self, &source)? {
            exit = worse(exit, report(&name, &checked, trusted));
        }
        Ok(exit)
    }

    fn connect(&self, default: &str) -> Result<Box<dyn Engine>, Fault> {
        let engine = self.engine.as_deref().unwrap_or(default);
        isolated::connect(engine).map_err(|fault| match &self.engine {
            Some(_) => fault,
            None => Fault { text: format!("{}; give an engine that you trust with --engine", fault.text), ..fault },
        })
    }

    fn speaks_another(&self, language: &str) -> Fault {
        let engine = self.engine.as_deref().unwrap_or_default();
        Fault::usage(format!("these rules are for {language}, which '{engine}' does not speak; see 'qualm engines'"))
    }

    fn check_sql(&self, source: &NamedText) -> Result<Results, Fault> {
        let engine = self.connect(TRUSTED.sql.engine)?;
        let dialect = engine.sql().ok_or_else(|| self.speaks_another("SQL"))?;
        let rules = rules_file::read(source, dialect).map_err(Fault::usage)?;
        let scripts = match &self.seeds {
            Some(place) => seeds::load(place, dialect).map_err(Fault::usage)?.seeds.scripts,
            None => seeds::built_in().scripts,
        };
        let seeds: Vec<Seed> = scripts.iter().map(|s| Seed::read(s, dialect)).collect();
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let profile = Profile::probe(dialect, session.as_mut()).map_err(Fault::unreachable)?;
        let check = |rule: &rules_file::UserRule| {
            let checked = rules_check::check(rule, &seeds, &profile, session.as_mut(), self.seed);
            Ok((rule.name.to_string(), checked.map_err(Fault::unreachable)?))
        };
        rules.iter().map(check).collect()
    }

    /// The widest dialect, unless an engine says which.
    fn check_datalog(&self, source: &NamedText) -> Result<Results, Fault> {
        let dialect = match &self.engine {
            None => &SOUFFLE,
            Some(name) => {
                let engine = isolated::connect(name)?;
                engine.datalog().ok_or_else(|| self.speaks_another("Datalog"))?
            }
        };
        let rules = datalog::rules::user::read(source).map_err(Fault::usage)?;
        let scripts = match &self.seeds {
            Some(place) => datalog::seeds::load(place, dialect).map_err(Fault::usage)?.0.scripts,
            None => Vec::new(),
        };
        let seeds: Vec<_> = scripts.iter().filter_map(|s| datalog::seeds::read(&s.text, dialect).0).collect();
        let check = datalog::rules::user_check::check;
        Ok(rules.iter().map(|r| (r.name.to_string(), check(r, &seeds, dialect, self.seed))).collect())
    }

    fn check_graph(&self, source: &NamedText) -> Result<Results, Fault> {
        if self.seeds.is_some() {
            return Err(Fault::usage("--seeds is for rules of SQL and Datalog; graphs are random"));
        }
        graph::rewrite::user::read(source).map_err(Fault::usage)?;
        let engine = self.connect(TRUSTED.graph.engine)?;
        if engine.graph().is_none() {
            return Err(self.speaks_another("graphs"));
        }
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let check = graph::rewrite::user_check::check;
        check(source, engine.spoken(), session.as_mut(), self.seed).map_err(Fault::unreachable)
    }
}

/// Findings weigh more than what could not be judged.
fn worse(a: u8, b: u8) -> u8 {
    if a == 1 || b == 1 { 1 } else { a.max(b) }
}

fn report(name: &str, checked: &Checked, trusted: &Trusted) -> u8 {
    let Checked { applied, kept_out, judged, refused, counterexample } = checked;
    let results = trusted.results;
    if let Some(script) = counterexample {
        outln!("{name}: unsound, after {judged} {results} that agreed\n{}", escape::lines(script));
        return 1;
    }
    if *judged > 0 {
        outln!("{name}: {judged} {results} agree");
        return 0;
    }
    let why = match (applied, refused) {
        (_, Some(text)) => format!("the engine rejects it: {text}"),
        (0, None) => format!("it matched no query; {}", trusted.hint),
        _ if kept_out == applied => "its precondition was never met; give tables where it is with --seeds".into(),
        _ => format!("no result had rows; {}", trusted.hint),
    };
    outln!("{name}: not judged: {}", escape::line(&why));
    2
}

fn list() -> Result<u8, Fault> {
    for rule in sql::rules::rules() {
        let group = format!("{:?}", rule.group).to_lowercase();
        listln!("{} (mutasql, {group})\n  if {}", rule.name, rule.precondition);
        listln!("  {}\n  {}", rule.example.0, rule.example.1);
    }
    for rule in eet::RULES {
        listln!("{} (eet)\n  {}\n  {}", rule.name, rule.example.0, rule.example.1);
    }
    for rule in datalog::rules::RULES {
        listln!("{} (queryfuzz)\n  {}\n  {}\n  {}", rule.name, rule.about, rule.example.0, rule.example.1);
    }
    for rule in graph::rewrite::RULES {
        listln!("{} (graph-rewrite)\n  {}", rule.name, rule.example);
    }
    Ok(0)
}
