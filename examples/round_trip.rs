//! Prints how long the plainest question takes in an engine of graphs: what a hunt there can reach at most.
//! `cargo run --release --example round_trip falkordb neo4j arcadedb`

use qualm::engine;
use qualm::session::Session;
use std::time::Instant;

/// Before it is measured: servers in Java are slow at first.
const WARM_UP: u32 = 300;
const QUESTIONS: u32 = 1000;
const RESETS: u32 = 20;

fn ask(session: &mut dyn Session, text: &str) -> Result<(), String> {
    let outcome = session.run(text);
    if outcome.is_ok() { Ok(()) } else { Err(format!("'{text}' gave {outcome:?}")) }
}

/// Milliseconds for each of so many.
fn measured(times: u32, mut work: impl FnMut(u32) -> Result<(), String>) -> Result<f64, String> {
    let begun = Instant::now();
    (0..times).try_for_each(&mut work)?;
    Ok(begun.elapsed().as_secs_f64() * 1e3 / f64::from(times))
}

fn main() -> Result<(), String> {
    for spec in std::env::args().skip(1) {
        let engine = engine::connect(&spec).map_err(|e| e.to_string())?;
        let mut session = engine.open()?;
        let session = session.as_mut();
        (0..WARM_UP).try_for_each(|i| ask(session, &format!("RETURN {i} AS x")))?;
        let same = measured(QUESTIONS, |_| ask(session, "RETURN 1 AS x"))?;
        let new = measured(QUESTIONS, |i| ask(session, &format!("RETURN {} AS x", WARM_UP + i)))?;
        let reset = measured(RESETS, |_| session.reset())?;
        println!("{}: {same:.3} ms, a new text {new:.3} ms, a reset {reset:.1} ms", engine.version());
    }
    Ok(())
}
