//! The child that hunts: `qualm worker`, its job as one JSON line on stdin, events as JSON lines on stdout.
//!
//! It connects, explores until its budget is used up or it is asked to end, and sends every violated case at once: what
//! the parent has heard survives whatever the engine does to this process. With a lasting job it then waits for the
//! next one, as another line. The parent's side is `supervisor.rs`.

use crate::isolated::knobs_fault;
use crate::recorder::{Noted, Recorded, Recorder};
use crate::watched::Watched;
use qualm_core::case::Case;
use qualm_core::explore::{ExploreConfig, Explorer, Input, InputLine, NamedText, Tally};
use qualm_core::fault::Fault;
use qualm_core::knobs::Knob;
use qualm_core::limits::{CHILD_MEMORY_BYTES, GONE_MS, REFUSED_IN_A_ROW, SHARED_FAREWELL_SECONDS, TALLY_INTERVAL_MS};
use qualm_core::session::{Engine, Session};
use qualm_core::spec::HuntSpec;
use qualm_host::process;
use qualm_lang::oracle;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a worker is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub engine: String,
    pub spec: HuntSpec,
    pub worker: u64,
    /// The database to begin with.
    pub database: u64,
    /// How many checks to do; without it, until asked to end.
    pub checks: Option<u64>,
    pub recorder: PathBuf,
    /// Statements that took an earlier worker down before it could begin.
    pub avoid: Vec<String>,
    pub input: Option<Input>,
    /// Another job may follow, which differs in `worker`, `checks` and `database` only.
    pub lasting: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// The engine answers and the exploration begins.
    Hello { version: String, learned: Vec<String> },
    /// All counters since the start of this worker; `new_plans` since the last report.
    Tally { tally: Box<Tally>, cpu_seconds: f64, peak_bytes: u64 },
    /// With all statements of the session since its database was empty.
    Violated { case: Box<Case>, session: Vec<Noted> },
    /// The next statement of the input is wanted, as a line on stdin: a `InputLine`, or nothing when there is none.
    NeedInput,
    /// A statement of the input became part of the state.
    Changed { text: String },
    /// The budget is used up, or somebody wants the end.
    Bye {
        learned: Vec<String>,
        /// Somebody asked for it, by a signal.
        requested: bool,
    },
    /// Somebody killed the engine's server: what was asked last has no answer, and its database is gone.
    Disturbed { how: String },
    /// The engine can do no more in this process.
    Spent { why: String },
    /// There is nothing to hunt in.
    Failed { fault: Fault },
}

/// The child's whole life. A fault has been sent to the parent by then, as far as it can be.
pub fn worker() -> Result<(), Fault> {
    process::become_child(CHILD_MEMORY_BYTES);
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(libc::SIGTERM, stop.clone())
        .map_err(|e| Fault::own(format!("cannot handle SIGTERM: {e}")))?;
    let job = next_job()?.ok_or_else(|| Fault::own("there is no job"))?;
    job.recorder.parent().into_iter().for_each(process::nest_in);
    let result = hunt(job, &stop);
    if let Err(fault) = &result {
        say(&Event::Failed { fault: fault.clone() })?;
    }
    result
}

/// Nothing when the parent has no more.
fn next_job() -> Result<Option<Job>, Fault> {
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|e| Fault::own(format!("cannot read the job: {e}")))?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_str(&line).map(Some).map_err(|e| Fault::own(format!("cannot parse the job: {e}")))
}

/// One job after the other with one connection.
fn hunt(mut job: Job, stop: &Arc<AtomicBool>) -> Result<(), Fault> {
    let shared = qualm_engines::is_shared_server(&job.engine);
    if shared {
        process::end_gently(stop, SHARED_FAREWELL_SECONDS)
            .map_err(|e| Fault::own(format!("cannot handle SIGTERM: {e}")))?;
    }
    let engine = crate::isolated::connect(&job.engine)?;
    let redacted = |why: String| qualm_engines::url::redacted(&job.engine, &why);
    let mut session = engine.open().map_err(|why| Fault::unreachable(redacted(why)))?;
    let knobs = match oracle::any_needs(&job.spec.oracles, |n| n.knobs) {
        true => {
            let live = job.spec.knobs.live(engine.as_ref(), session.as_mut());
            live.map_err(|why| knobs_fault(&job.engine, job.spec.knobs.file.as_ref(), why))?.knobs
        }
        false => Vec::new(),
    };
    let recorder = Recorder::create(&job.recorder)
        .map_err(|e| Fault::own(format!("cannot create the flight recorder '{}': {e}", job.recorder.display())))?;
    let (session, begun) = watched(session, &job)?;
    let mut session = Recorded::new(session, recorder);
    session.limit_time(job.spec.timeout_ms);
    if shared {
        session.ending = stop.clone();
    }
    session.recorder.progress(0, job.database);
    session.avoid = job.avoid.iter().cloned().collect();
    let mut explorer: Option<Box<dyn Explorer>> = None;
    let mut cpu_seconds_sent = 0.0;
    loop {
        // What is known of the engine stays; all else is as in a worker that has just begun.
        if !explorer.as_mut().is_some_and(|e| e.begin_again(job.worker, job.database)) {
            let config = explore_config(&job, engine.as_ref(), knobs.clone());
            let made = qualm_lang::explorer(config, &mut session);
            // An engine that is killed while it is asked what it can do seems to be able to do little.
            if let Some(how) = session.take_disturbance() {
                return say(&Event::Disturbed { how });
            }
            explorer = Some(made.map_err(Fault::own)?);
        }
        let Some(explorer) = &mut explorer else { continue };
        begun.store(true, Ordering::Relaxed);
        say(&Event::Hello { version: engine.version(), learned: explorer.learned() })?;
        let reporter = Reporter::new(session.waits(), cpu_seconds_sent);
        cpu_seconds_sent += explore(&job, explorer.as_mut(), &mut session, reporter, stop)?;
        if let Some(how) = session.take_disturbance() {
            return say(&Event::Disturbed { how });
        }
        if let Some(why) = session.spent(refusals_allowed(&job)) {
            return say(&Event::Spent { why });
        }
        // The parent asks to end once per job, and that is seen by now.
        let requested = stop.swap(false, Ordering::Relaxed);
        if job.lasting {
            process::carry_on();
        }
        if !requested {
            session.recorder.progress(0, 0);
        }
        say(&Event::Bye { learned: explorer.learned(), requested })?;
        job = match job.lasting.then(next_job).transpose()?.flatten() {
            Some(next) => next,
            None => return Ok(()),
        };
        session.recorder.progress(0, job.database);
    }
}

/// The session, watched where somebody wants to know what is reached; and the mark that the hunt has begun.
fn watched(session: Box<dyn Session>, job: &Job) -> Result<(Box<dyn Session>, Arc<AtomicBool>), Fault> {
    let Some(folder) = &job.spec.watched else { return Ok((session, Arc::default())) };
    let watched = Watched::new(session, folder)
        .map_err(|e| Fault::own(format!("cannot write into the folder '{}': {e}", folder.display())))?;
    let begun = watched.begun.clone();
    Ok((Box::new(watched), begun))
}

fn explore_config(job: &Job, engine: &dyn Engine, knobs: Vec<Knob>) -> ExploreConfig {
    ExploreConfig {
        worker: job.worker,
        database: job.database,
        input: job.input.clone(),
        knobs,
        ..ExploreConfig::new(job.spec.clone(), engine.spoken())
    }
}

/// Explores until the job is done. Gives the CPU time that it took.
fn explore(
    job: &Job,
    explorer: &mut dyn Explorer,
    session: &mut Recorded<Box<dyn Session>>,
    mut reporter: Reporter,
    stop: &AtomicBool,
) -> Result<f64, Fault> {
    let mut tally = Tally::default();
    let engine_nanos_before = session.engine_nanos();
    while !stop.load(Ordering::Relaxed) && job.checks.is_none_or(|most| tally.checks < most) {
        if explorer.needs_input() {
            match reporter.next_input()? {
                Some(line) => explorer.feed(line),
                None => break,
            }
        }
        let violated = explorer.step(session, &mut tally);
        // What came of this step is worth nothing.
        if session.is_disturbed() {
            break;
        }
        if let Some(why) = session.gone_for(Duration::from_millis(GONE_MS)) {
            let engine = qualm_engines::url::shown(&job.engine);
            let why = qualm_engines::url::redacted(&job.engine, why);
            return Err(Fault::unreachable(format!("lost the connection to engine '{engine}': {why}")));
        }
        session.recorder.progress(tally.checks, explorer.database());
        let spent = session.spent(refusals_allowed(job)).is_some();
        for text in explorer.changes() {
            reporter.send(&Event::Changed { text })?;
        }
        if let Some(folder) = &job.spec.corpus {
            explorer.kept().iter().try_for_each(|script| keep(folder, script))?;
        }
        for case in violated {
            let session = session.recorder.statements();
            reporter.send(&Event::Violated { case: Box::new(case.readable()), session })?;
        }
        if spent {
            break;
        }
        if reporter.is_due() {
            tally.engine_nanos = session.engine_nanos() - engine_nanos_before;
            reporter.send_tally(&mut tally, session.server_cpu_seconds())?;
        }
    }
    tally.engine_nanos = session.engine_nanos() - engine_nanos_before;
    reporter.send_tally(&mut tally, session.server_cpu_seconds())
}

/// So many statements in a row may be refused. Those of others may be as wrong as they like.
fn refusals_allowed(job: &Job) -> u32 {
    if job.input.is_some() { u32::MAX } else { REFUSED_IN_A_ROW }
}

/// Puts a script into the folder of those worth to begin with. Workers may do so at the same time: what has a name is
/// whole.
fn keep(folder: &Path, script: &NamedText) -> Result<(), Fault> {
    let place = folder.join(&script.name);
    let draft = folder.join(format!(".{}.{}", script.name, std::process::id()));
    let written = std::fs::write(&draft, &script.text).and_then(|()| std::fs::rename(&draft, &place));
    written.map_err(|e| Fault::own(format!("cannot write '{}': {e}", place.display())))
}

/// Reports to the parent what happens, and knows how much of the time was spent on hunting.
struct Reporter {
    began: Instant,
    cpu_seconds_before: f64,
    /// CPU time of earlier jobs, sent already.
    cpu_seconds_sent: f64,
    /// Time spent sending, in which a busy parent may make this process wait.
    sending: Duration,
    tally_sent: Instant,
    /// The engine works in another process.
    waits: bool,
}

impl Reporter {
    fn new(waits: bool, cpu_seconds_sent: f64) -> Reporter {
        let (cpu_seconds_before, _) = process::own_usage();
        let now = Instant::now();
        let sending = Duration::ZERO;
        Reporter { began: now, cpu_seconds_before, cpu_seconds_sent, sending, tally_sent: now, waits }
    }

    fn is_due(&self) -> bool {
        self.tally_sent.elapsed() > Duration::from_millis(TALLY_INTERVAL_MS)
    }

    fn send(&mut self, event: &Event) -> Result<(), Fault> {
        let before = Instant::now();
        say(event)?;
        self.sending += before.elapsed();
        Ok(())
    }

    /// Asks the parent for a statement of the input. The time until it comes is not spent on hunting.
    fn next_input(&mut self) -> Result<Option<InputLine>, Fault> {
        let before = Instant::now();
        say(&Event::NeedInput)?;
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(|e| Fault::own(format!("cannot read further: {e}")))?;
        self.sending += before.elapsed();
        if line.is_empty() {
            return Ok(None);
        }
        serde_json::from_str(&line).map_err(|e| Fault::own(format!("not a statement of an input: {e}")))
    }

    /// Plans are sent once; the rest of the tally goes on growing.
    ///
    /// Clocks that are cheap enough to be read twice per statement give wall time. On a busy machine that is more than
    /// CPU time, inside the engine as outside of it, so that one factor turns all of them into CPU time. Where the
    /// engine is another process they stay wall time, and the tally says how much of it there was.
    ///
    /// Gives the CPU time of this job so far.
    fn send_tally(&mut self, tally: &mut Tally, server_cpu_seconds: f64) -> Result<f64, Fault> {
        let (cpu_seconds, peak_bytes) = process::own_usage();
        let wall_seconds = (self.began.elapsed() - self.sending).as_secs_f64();
        let busy = ((cpu_seconds - self.cpu_seconds_before) / wall_seconds.max(1e-9)).clamp(0.0, 1.0);
        let factor = if self.waits { 1.0 } else { busy };
        let (plans, pairs) = (std::mem::take(&mut tally.new_plans), std::mem::take(&mut tally.new_pairs));
        let mut sent = tally.clone();
        (sent.new_plans, sent.new_pairs) = (plans, pairs);
        sent.wall_nanos = if self.waits { (wall_seconds * 1e9) as u64 } else { 0 };
        for nanos in [&mut sent.engine_nanos, &mut sent.generate_nanos, &mut sent.print_nanos, &mut sent.compare_nanos]
        {
            *nanos = (*nanos as f64 * factor) as u64;
        }
        let cpu_seconds = cpu_seconds + server_cpu_seconds - self.cpu_seconds_sent;
        self.send(&Event::Tally { tally: Box::new(sent), cpu_seconds, peak_bytes })?;
        self.tally_sent = Instant::now();
        Ok(cpu_seconds)
    }
}

fn say(event: &Event) -> Result<(), Fault> {
    let mut line = serde_json::to_vec(event).expect("an event is plain data");
    line.push(b'\n');
    let mut out = std::io::stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).map_err(|e| Fault::own(format!("the parent is gone: {e}")))
}

#[cfg(test)]
mod tests;
