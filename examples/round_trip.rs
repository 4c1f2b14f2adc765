//! Measures an engine of graphs in one run: how long the plainest question takes, what a hunt reaches, and how fast the
//! same statements go when nobody makes or judges them. The last two, one divided by the other, are what a hunt reaches
//! of what the engine's own round trip allows.
//! `cargo run --release --example round_trip falkordb neo4j arcadedb`, with `SECONDS=60` for a longer hunt.

use qualm::dialect::graph::Form;
use qualm::engine;
use qualm::explore::{ExploreConfig, Tally};
use qualm::oracle::graph::GRAPH_ORACLES;
use qualm::plan::Plan;
use qualm::session::{Engine, Outcome, Session};
use qualm::spec::HuntSpec;
use std::time::{Duration, Instant};

/// Before it is measured: servers in Java are slow at first.
const WARM_UP: u32 = 300;
const QUESTIONS: u32 = 1000;
const RESETS: u32 = 20;
const HUNT_SECONDS: u64 = 30;

fn run(session: &mut dyn Session, text: &str) -> Result<(), String> {
    let outcome = session.run(text);
    if outcome.is_ok() { Ok(()) } else { Err(format!("'{text}' gave {outcome:?}")) }
}

/// Milliseconds for each of so many.
fn measured(times: u32, mut work: impl FnMut(u32) -> Result<(), String>) -> Result<f64, String> {
    let begun = Instant::now();
    (0..times).try_for_each(&mut work)?;
    Ok(begun.elapsed().as_secs_f64() * 1e3 / f64::from(times))
}

fn plainest(engine: &dyn Engine) -> Result<(), String> {
    let by_steps = engine.graph().is_some_and(|d| d.form == Form::Gremlin);
    let text = |i: u32| if by_steps { format!("g.V({i})") } else { format!("RETURN {i} AS x") };
    let mut session = engine.open()?;
    let session = session.as_mut();
    (0..WARM_UP).try_for_each(|i| run(session, &text(i)))?;
    let same = measured(QUESTIONS, |_| run(session, &text(1)))?;
    let new = measured(QUESTIONS, |i| run(session, &text(WARM_UP + i)))?;
    let reset = measured(RESETS, |_| session.reset())?;
    println!("{}: {same:.3} ms, a new text {new:.3} ms, a reset {reset:.1} ms", engine.version());
    Ok(())
}

/// What a hunt calls in its session.
enum Call {
    Run(String),
    Plan(String),
    Reset,
}

impl Call {
    /// What it belongs to: the statements of a state, questions, plans, resets.
    fn kind(&self) -> usize {
        let reads = |t: &String| t.contains(" RETURN ") || t.starts_with("g.V") || t.starts_with("g.E");
        match self {
            Call::Reset => 0,
            Call::Run(text) if reads(text) => 2,
            Call::Run(text) if text.contains("INDEX") || text.contains("CONSTRAINT") => 3,
            Call::Run(_) => 1,
            Call::Plan(_) => 4,
        }
    }
}

const KINDS: [&str; 5] = ["resets", "changes", "questions", "indexes", "plans"];

/// A session that notes its calls, and how long each took.
struct Noted {
    inner: Box<dyn Session>,
    calls: Vec<(Call, Duration)>,
}

impl Noted {
    fn note<T>(&mut self, calls: Call, work: impl FnOnce(&mut dyn Session) -> T) -> T {
        let begun = Instant::now();
        let result = work(self.inner.as_mut());
        self.calls.push((calls, begun.elapsed()));
        result
    }
}

impl Session for Noted {
    fn run(&mut self, text: &str) -> Outcome {
        self.note(Call::Run(text.into()), |s| s.run(text))
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        self.note(Call::Plan(query.into()), |s| s.plan(query))
    }

    fn reset(&mut self) -> Result<(), String> {
        self.note(Call::Reset, |s| s.reset())
    }
}

/// A hunt on a new server, then the same statements on another new one: both begin cold, and neither knows a text.
fn hunted(spec: &str) -> Result<(), String> {
    let seconds = std::env::var("SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(HUNT_SECONDS);
    let connect = || engine::connect(spec).map_err(|e| e.to_string());
    let engine = connect()?;
    let mut session = Noted { inner: engine.open()?, calls: Vec::new() };
    let oracles = GRAPH_ORACLES.iter().map(|o| o.name.to_string()).collect();
    let config = ExploreConfig::new(HuntSpec { oracles, seed: 1, ..HuntSpec::default() }, engine.spoken());
    let mut explorer = qualm::lang::explorer(config, &mut session)?;
    let mut tally = Tally::default();
    let begun = Instant::now();
    session.calls.clear();
    while begun.elapsed() < Duration::from_secs(seconds) {
        explorer.step(&mut session, &mut tally);
    }
    let took = begun.elapsed().as_secs_f64();
    let calls = std::mem::take(&mut session.calls);
    drop((explorer, session, engine));
    let engine = connect()?;
    let mut bare = engine.open()?;
    let begun = Instant::now();
    for (calls, _) in &calls {
        match calls {
            Call::Run(text) => drop(bare.run(text)),
            Call::Plan(query) => drop(bare.plan(query)),
            Call::Reset => bare.reset()?,
        }
    }
    report(&calls, &tally, took, begun.elapsed().as_secs_f64());
    Ok(())
}

fn report(calls: &[(Call, Duration)], tally: &Tally, took: f64, bare: f64) {
    let many = calls.len() as f64;
    println!(
        "  a hunt: {:.1} checks/s, {:.1} round trips/s; the same round trips alone: {:.1}/s; reached: {:.0} %",
        tally.checks as f64 / took,
        many / took,
        many / bare,
        bare / took * 100.0
    );
    for (kind, name) in KINDS.iter().enumerate() {
        let of: Vec<f64> = calls.iter().filter(|(a, _)| a.kind() == kind).map(|(_, t)| t.as_secs_f64()).collect();
        let sum: f64 = of.iter().sum();
        let each = sum * 1e3 / (of.len() as f64).max(1.0);
        println!("  {name}: {}, {each:.2} ms each, {:.0} % of the time", of.len(), sum / took * 100.0);
    }
}

fn main() -> Result<(), String> {
    for spec in std::env::args().skip(1) {
        let engine = engine::connect(&spec).map_err(|e| e.to_string())?;
        plainest(engine.as_ref())?;
        drop(engine);
        hunted(&spec)?;
    }
    Ok(())
}
