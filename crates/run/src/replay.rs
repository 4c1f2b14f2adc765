//! `qualm replay` and `qualm reduce`: a stored case run again, on the same engine or another.

use crate::isolated::Isolated;
use crate::report::{META_FILE, counted};
use crate::store::{self, CAMPAIGN_FILE};
use crate::triage;
use qualm_core::case::{Case, Evidence};
use qualm_core::escape;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, Fault};
use qualm_core::outside;
use qualm_core::relation::Verdict;
use qualm_core::session::Outcome;
use qualm_engines::stored;
use qualm_host::process::{Scratch, own_program};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SHOWN_ROWS: usize = 10;

fn open(engine: &str, timeout_ms: u64) -> Result<Isolated, Fault> {
    let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
    Isolated::open(&own_program(), engine, timeout_ms, Arc::new(scratch))
}

/// The engine that the finding was made with, as its folder says. Whoever made the folder may have written anything.
pub fn stored_engine(path: &Path) -> Option<String> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new(".")) };
    let read = |file: PathBuf| -> Option<String> {
        let json: serde_json::Value = serde_json::from_slice(&outside::read(&file).ok()?).ok()?;
        Some(json.get("engine")?.as_str()?.to_owned())
    };
    // A case that is no finding yet lies one folder below the campaign's figures.
    read(folder.join(META_FILE)).or_else(|| read(folder.join("..").join(CAMPAIGN_FILE)))
}

/// The engine to use: the one asked for, or the one the finding was made with. Nobody's file makes `qualm COMMAND` run
/// a command, load a library or reach a server: such an engine has to be typed.
fn engine_of(path: &Path, requested: Option<&str>, command: &str) -> Result<String, Fault> {
    if let Some(engine) = requested {
        return Ok(engine.into());
    }
    let shown = escape::line(&path.display().to_string());
    let typed = escape::shell(&path.display().to_string());
    let Some(engine) = stored_engine(path) else {
        let text =
            format!("'{shown}' does not say which engine it is for; name one: qualm {command} {typed} --engine ENGINE");
        return Err(Fault::usage(text));
    };
    if stored::is_harmless(&engine) {
        return Ok(engine);
    }
    let short: String = engine.chars().take(ENGINE_CHARS).collect();
    let engine = if short.len() < engine.len() { "ENGINE".to_owned() } else { escape::shell(&engine) };
    let named = escape::line(&short);
    Err(Fault::usage(format!(
        "'{shown}' names the engine '{named}'. That is more than a name and a release number, and qualm does not run a \
         command, load a library or connect to a server just because a file says so. If you trust it, run:\n  \
         qualm {command} {typed} --engine {engine}"
    )))
}

/// A longer name of an engine is not one that anybody types.
const ENGINE_CHARS: usize = 300;

/// Runs the case and says whether the bug is still there. The exit code says the same.
pub fn replay(path: &Path, engine: Option<&str>, timeout_ms: u64) -> Result<u8, Fault> {
    let case = store::read_case(path)?;
    let engine = engine_of(path, engine, "replay")?;
    let mut isolated = open(&engine, timeout_ms)?;
    let (case, evidence) = judged(&mut isolated, &case)?;
    let version = &escape::line(&isolated.version);
    out!("{}", answers_text(&case, &evidence));
    if evidence.verdict.is_bug() {
        outln!("still there on {version}");
        return Ok(EXIT_FINDINGS);
    }
    outln!("gone on {version}");
    Ok(EXIT_CLEAN)
}

/// What the case does now. That nothing can be said of it is the user's mistake, and neither "gone" nor "still there".
fn judged<'a>(isolated: &mut Isolated, case: &'a Case) -> Result<(Cow<'a, Case>, Evidence), Fault> {
    let (case, evidence) = isolated.replay(case);
    match &evidence.verdict {
        Verdict::NotComparable { why } => {
            let (version, why) = (escape::line(&isolated.version), escape::line(why));
            Err(Fault::usage(format!("cannot be judged on {version}: {why}")))
        }
        _ => Ok((case, evidence)),
    }
}

fn answers_text(case: &Case, evidence: &Evidence) -> String {
    let mut out = String::new();
    for (step, answer) in case.queries().zip(&evidence.answers) {
        let _ =
            writeln!(out, "{}: {}", escape::line(step.label.as_deref().unwrap_or_default()), escape::lines(&step.text));
        let _ = writeln!(out, "  {}", answer_text(answer));
    }
    if let Verdict::Broke { kind, text } = &evidence.verdict {
        let _ = writeln!(out, "{kind:?}: {}", escape::line(text));
    }
    out
}

fn answer_text(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Done => "done".into(),
        Outcome::Rejected(r) => format!("error: {}", escape::line(&r.text)),
        Outcome::Crash(how) => format!("crash: {}", escape::line(how)),
        Outcome::Hang(ms) => format!("no answer within {ms} ms"),
        Outcome::Rows(rows) => {
            let row = |r: &[qualm_core::value::Value]| {
                r.iter().map(|v| escape::line(&v.show())).collect::<Vec<_>>().join(", ")
            };
            let shown: Vec<String> = rows.iter().take(SHOWN_ROWS).map(|r| format!("({})", row(r))).collect();
            let more = rows.len().saturating_sub(SHOWN_ROWS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let colon = if shown.is_empty() { "" } else { ": " };
            format!("{}{colon}{}{more}", counted(rows.len(), "row"), shown.join(" "))
        }
    }
}

/// Reduces a stored case further and stores it in its place; a bare case file becomes a folder beside it.
pub fn reduce(path: &Path, engine: Option<&str>, seconds: f64, timeout_ms: u64) -> Result<u8, Fault> {
    let case = store::read_case(path)?;
    let engine = engine_of(path, engine, "reduce")?;
    let mut isolated = open(&engine, timeout_ms)?;
    let before = case.script.len();
    let spoken = crate::isolated::describe(&engine)?.spoken();
    let (case, evidence) = judged(&mut isolated, &case)?;
    if !evidence.verdict.is_bug() {
        outln!("gone on {}", escape::line(&isolated.version));
        return Ok(EXIT_CLEAN);
    }
    let Some((case, evidence)) = triage::confirm(&mut isolated, case.into_owned()) else {
        let version = escape::line(&isolated.version);
        outln!("still there on {version}, but not in every run, so it cannot be reduced");
        return Ok(EXIT_FINDINGS);
    };
    let cures = triage::cures(&mut isolated, &case, &evidence, &|| false).unwrap_or_default();
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let overdue = || Instant::now() >= until;
    let shrunk = match triage::shrink(&mut isolated, spoken, (&case, &evidence), &cures, &overdue) {
        Ok(shrunk) => shrunk,
        Err(triage::Doubt::Gone) => {
            outln!("it failed on {} at first, but not after its reduction: nothing is stored", isolated.version);
            return Ok(EXIT_CLEAN);
        }
        Err(triage::Doubt::Undecided(why)) => {
            return Err(Fault::unreachable(format!("it cannot be replayed: {why}; try again")));
        }
    };
    let attempts = shrunk.stats.attempts;
    let mut finding = triage::finding(&mut isolated, spoken, &engine, shrunk, &cures, &|| false);
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    triage::generalise(&mut isolated, spoken, &mut finding, &|| Instant::now() >= until);
    finding.unreduced = (finding.case.script != case.script).then(|| Box::new(case));
    let folder = if path.is_dir() {
        path.to_path_buf()
    } else {
        path.parent().unwrap_or(Path::new(".")).join(store::finding_name(&finding))
    };
    store::write_finding(&folder, &finding)
        .map_err(|e| Fault::own(format!("cannot write '{}': {e}", folder.display())))?;
    outln!("{}", escape::line(&finding.title));
    outln!("{before} statements before, {} now, {attempts} attempts", finding.case.script.len());
    outln!("qualm replay {}", escape::shell(&folder.display().to_string()));
    Ok(EXIT_FINDINGS)
}

#[cfg(test)]
mod tests;
