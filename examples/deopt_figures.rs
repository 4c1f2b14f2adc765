//! The figures of docs/deopt.md: test cases per hour beside the paper's baseline, and what one more rule costs.
//!
//! `cargo run --release --features embedded --example deopt_figures -- cozo 20`: an engine, seconds for each row, and
//! then, if one likes, parameters of ire, separated by commas, and the sizes of test cases.

use qualm::engine;
use qualm::explore::{ExploreConfig, Explorer, Tally};
use qualm::lang::datalog::ire::explore::IreExplorer;
use qualm::process::own_usage;
use qualm::session::{Engine, Session};
use qualm::spec::HuntSpec;

const SEED: u64 = 1;
/// Rules of a test case, as in the paper's Figure 10.
const SIZES: [usize; 5] = [20, 40, 60, 80, 100];

fn explorer(engine: &dyn Engine, tuning: String) -> IreExplorer {
    let dialect = engine.datalog().expect("an engine of Datalog");
    let spec = HuntSpec { oracles: vec!["ire".into()], seed: SEED, tuning, ..HuntSpec::default() };
    let config = ExploreConfig::new(spec, engine.spoken());
    IreExplorer::new(config, dialect).expect("parameters")
}

/// CPU seconds of this process and of the children it waits for.
fn spent(session: &dyn Session) -> f64 {
    own_usage().0 + session.server_cpu_seconds()
}

fn throughput(engine: &dyn Engine, seconds: f64, tuning: &str, sizes: &[usize]) {
    println!("| rules | method | test cases/h | valid/h | valid and not empty/h | ratio | runs per CPU second |");
    println!("| ---: | --- | ---: | ---: | ---: | ---: | ---: |");
    for rules in sizes {
        let mut full = Vec::new();
        let mut rows = Vec::new();
        for method in ["incremental", "random"] {
            let random = if method == "random" { ",random" } else { "" };
            let mut explorer = explorer(engine, format!("{tuning},max_rules={rules}{random}"));
            let mut session = engine.open().expect("a session");
            let mut tally = Tally::default();
            let begun = spent(session.as_ref());
            while spent(session.as_ref()) - begun < seconds {
                explorer.step(session.as_mut(), &mut tally);
            }
            let took = spent(session.as_ref()) - begun;
            let g = &tally.grown;
            let per_hour = |n: u64| n as f64 * 3600.0 / took;
            full.push((g.non_empty, per_hour(g.non_empty.max(1))));
            let runs = (g.references + g.optimised) as f64 / took;
            let figures = [g.cases, g.valid, g.non_empty].map(|n| format!("{:.0}", per_hour(n)));
            rows.push((method, figures.join(" | "), runs));
        }
        for (i, (method, figures, runs)) in rows.into_iter().enumerate() {
            // If the baseline had none, it would have had less than one.
            let more = if full[1].0 == 0 { "> " } else { "" };
            let ratio = if i == 0 { format!("{more}{:.1}×", full[0].1 / full[1].1) } else { String::new() };
            println!("| {rules} | {method} | {figures} | {ratio} | {runs:.0} |");
        }
    }
}

/// What a rule costs, by how many are there already.
fn curve(engine: &dyn Engine, seconds: f64, tuning: &str) {
    let mut explorer = explorer(engine, tuning.into());
    let mut session = engine.open().expect("a session");
    let mut buckets: Vec<(Tally, f64)> = vec![(Tally::default(), 0.0); 10];
    let begun = spent(session.as_ref());
    let mut before = begun;
    while before - begun < seconds {
        let at = explorer.rules() / 10;
        let Some((tally, cpu)) = buckets.get_mut(at) else { continue };
        explorer.step(session.as_mut(), tally);
        let now = spent(session.as_ref());
        *cpu += now - before;
        before = now;
    }
    println!("| rules there | runs per CPU second | runs of single rules for each rule | CPU µs for one more rule |");
    println!("| ---: | ---: | ---: | ---: |");
    for (i, (tally, cpu)) in buckets.iter().enumerate() {
        let g = &tally.grown;
        let optimised = g.optimised.max(1) as f64;
        println!(
            "| {}–{} | {:.0} | {:.2} | {:.0} |",
            i * 10,
            i * 10 + 9,
            (g.references + g.optimised) as f64 / cpu.max(1e-9),
            g.references as f64 / optimised,
            cpu * 1e6 / optimised,
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let spec = arguments.next().unwrap_or_else(|| "cozo".into());
    let seconds: f64 = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(20.0);
    let engine = engine::connect(&spec).unwrap_or_else(|e| panic!("{e}"));
    println!("{}, {seconds} CPU seconds for each row, one thread\n", engine.version());
    let tuning = arguments.next().unwrap_or_default();
    let sizes: Vec<usize> = arguments.filter_map(|size| size.parse().ok()).collect();
    if sizes.is_empty() {
        curve(engine.as_ref(), seconds * 2.0, &tuning);
        println!();
    }
    throughput(engine.as_ref(), seconds, &tuning, if sizes.is_empty() { &SIZES } else { &sizes });
}
