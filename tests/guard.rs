//! What generators, probes, knobs and maintenance say to real engines is never kept from them: the guard against
//! statements of others must not change a hunt.
#![cfg(feature = "servers")]

use qualm::case::Language;
use qualm::explore::{ExploreConfig, Tally};
use qualm::knobs;
use qualm::plan::Plan;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::spec::HuntSpec;
use qualm::{engine, lang, oracle};

/// Steps with all oracles of the language but those of time, which need large tables.
const SQL_STEPS: u32 = 250;
const GRAPH_STEPS: u32 = 60;

/// Passes everything on and keeps what was not run.
struct Watched {
    session: Box<dyn Session>,
    statements: u64,
    not_run: Vec<String>,
}

impl Session for Watched {
    fn run(&mut self, text: &str) -> Outcome {
        let outcome = self.session.run(text);
        self.statements += 1;
        if let Outcome::Rejected(r) = &outcome
            && r.class == RejectionClass::NotRun
        {
            self.not_run.push(format!("{}: {text}", r.text));
        }
        outcome
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        self.session.plan(query)
    }

    fn reset(&mut self) -> Result<(), String> {
        self.session.reset()
    }
}

fn hunt(engine: &dyn Engine, session: Box<dyn Session>, language: Language) {
    let mut session = Watched { session, statements: 0, not_run: Vec::new() };
    let live = match language {
        Language::Sql => knobs::live(engine, &mut session, None).unwrap().knobs,
        _ => Vec::new(),
    };
    for knob in &live {
        for value in &knob.others {
            let (set, reset) = knobs::statements(&[knob.flip(value)]);
            set.iter().chain(&reset).for_each(|text| drop(session.run(text)));
        }
    }
    let names = oracle::all().into_iter().filter(|o| o.language == language && !o.needs.times);
    let oracles: Vec<String> = names.map(|o| o.name.to_string()).collect();
    let seeds = lang::sql::seeds::for_oracles(&oracles, engine.spoken());
    let spec = HuntSpec { oracles, seed: 7, seeds, disputed: true, ..HuntSpec::default() };
    let config = ExploreConfig { knobs: live, ..ExploreConfig::new(spec, engine.spoken()) };
    for text in engine.sql().into_iter().flat_map(|d| d.preamble.iter().chain(d.settings)) {
        session.run(text);
    }
    session.reset().unwrap();
    let mut explorer = lang::explorer(config, &mut session).unwrap();
    let mut tally = Tally::default();
    let steps = if language == Language::Sql { SQL_STEPS } else { GRAPH_STEPS };
    for _ in 0..steps {
        explorer.step(&mut session, &mut tally);
    }
    assert!(tally.checks > 20 && session.statements > 100, "{} checks", tally.checks);
    assert!(session.not_run.is_empty(), "{}: {:#?}", engine.version(), session.not_run);
}

fn connect(spec: &str) -> Box<dyn Engine> {
    engine::connect(spec).unwrap_or_else(|e| panic!("{e}; run './x setup'"))
}

#[test]
fn sql_of_hunts_passes() {
    for spec in ["mariadb", "mysql", "chdb"] {
        let engine = connect(spec);
        let session = engine.open().unwrap();
        hunt(engine.as_ref(), session, Language::Sql);
    }
    // A private PostgreSQL has no guard but its role; by its URL it has both.
    let private = connect("postgres:18.4");
    let Outcome::Rows(rows) = private.open().unwrap().run("SHOW unix_socket_directories") else { panic!("no socket") };
    let socket = format!("{:?}", rows.scalar()).split('"').nth(1).unwrap().replace('/', "%2F");
    let engine = connect(&format!("postgres:postgres://postgres@{socket}:5432/postgres"));
    let session = engine.open().unwrap();
    hunt(engine.as_ref(), session, Language::Sql);
}

#[test]
fn graph_statements_of_hunts_pass() {
    for spec in ["falkordb", "gremlin", "neo4j", "arcadedb"] {
        let engine = connect(spec);
        let session = engine.open().unwrap();
        hunt(engine.as_ref(), session, Language::Graph);
    }
}
