//! Runs cases in a child process, so that a crash or a hang of the engine never harms the caller.
//!
//! The child is the hidden subcommand `qualm runner RECORDER`: the engine as the first line in, then one case per line,
//! one evidence per line out, the engine connected once, each case in a fresh database. It is started when first needed
//! and again after a death. The engine is no argument, because everybody may read those and it may hold a password.

use crate::recorder::{Reader, Recorded, Recorder};
use qualm_core::case::{Case, Evidence, Language, Origin, Step};
use qualm_core::explore::NamedText;
use qualm_core::fault::{EXIT_UNREACHABLE, Fault};
use qualm_core::knobs::{self, Knob};
use qualm_core::limits::{
    CHILD_MEMORY_BYTES, CONNECT_TIMEOUTS, DISTURBED_PAUSE_MS, DISTURBED_RETRIES, FAREWELL_MS, REFUSED_MS,
    REFUSED_RETRIES, SHARED_FAREWELL_MS, SHARED_FAREWELL_SECONDS, STATEMENT_TIMEOUT_MS, STUCK_TIMEOUTS,
    WATCH_INTERVAL_MS,
};
use qualm_core::plan::Plan;
use qualm_core::relation::{FailureKind, Relation, Verdict};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_engines::is_shared_server;
use qualm_engines::url::{redacted, shown};
use qualm_host::death::{self, Cause, MemoryWatch};
use qualm_host::process::{self, Ended, Heard, Peer, Scratch};
use qualm_host::starved::Stopwatch;
use qualm_lang as lang;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

/// One line to a runner.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Request<C> {
    /// Answered by the evidence.
    Run(C),
    /// Answered by how the engine would go about each question, as far as it can say.
    Plans(C),
    /// Answered by the case as its language completes it with the engine's answers, and what came of it.
    Complete(C),
}

/// A runner's answer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reply<T> {
    Answer(T),
    /// Somebody killed the engine's server in the meantime: what came of the case says nothing.
    Disturbed(String),
}

/// What came in place of an answer.
enum Instead {
    /// The engine did something to the child, which is the evidence.
    Evidence(Box<Evidence>),
    /// The child or its engine was killed from outside, again and again: nothing is known of the case.
    Disturbed(String),
}

impl Instead {
    fn not_comparable(why: impl Into<String>) -> Instead {
        Instead::Evidence(Box::new(not_comparable(why.into())))
    }
}

/// The first line of a runner.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Greeting {
    Ready {
        version: String,
        knobs: Vec<Knob>,
        #[serde(default)]
        caveat: Option<String>,
    },
    Failed(Fault),
}

/// Says that there is no time left, not even to wait for what runs.
pub type OutOfTime = Arc<dyn Fn() -> bool + Send + Sync>;

/// A place to run cases of one engine in. Belongs to one thread: the child dies with the thread that started it.
pub struct Isolated {
    program: PathBuf,
    engine: String,
    timeout_ms: u64,
    scratch: Arc<Scratch>,
    child: Option<Running>,
    out_of_time: OutOfTime,
    pub version: String,
    pub knobs: Vec<Knob>,
}

struct Running {
    peer: Peer,
    recorder: Reader,
    recorder_path: PathBuf,
    /// Since the present case was sent.
    memory: MemoryWatch,
}

impl Isolated {
    /// Connects, so that an engine that cannot be reached is known at once.
    pub fn open(program: &Path, engine: &str, timeout_ms: u64, scratch: Arc<Scratch>) -> Result<Isolated, Fault> {
        let mut isolated = Isolated::new(program, engine, timeout_ms, scratch);
        isolated.start()?;
        Ok(isolated)
    }

    /// The same, but waiting ends when there is no time left: what runs then is killed, and says nothing of the engine.
    /// An engine that had no time to start is there and answers nothing.
    pub fn open_until(
        out_of_time: OutOfTime,
        program: &Path,
        engine: &str,
        timeout_ms: u64,
        scratch: Arc<Scratch>,
    ) -> Result<Isolated, Fault> {
        let mut isolated = Isolated::new(program, engine, timeout_ms, scratch);
        isolated.out_of_time = out_of_time;
        match isolated.start() {
            Err(fault) if !(isolated.out_of_time)() => Err(fault),
            _ => Ok(isolated),
        }
    }

    fn new(program: &Path, engine: &str, timeout_ms: u64, scratch: Arc<Scratch>) -> Isolated {
        Isolated {
            program: program.to_path_buf(),
            engine: engine.into(),
            timeout_ms,
            scratch,
            child: None,
            out_of_time: Arc::new(|| false),
            version: String::new(),
            knobs: Vec::new(),
        }
    }

    pub fn timeout_ms(&self) -> u64 {
        self.timeout_ms
    }

    /// The limit for each statement from now on.
    pub fn set_timeout_ms(&mut self, timeout_ms: u64) {
        self.timeout_ms = timeout_ms;
    }

    /// The next case runs in a new process.
    pub fn refresh(&mut self) {
        self.stop();
    }

    fn stop(&mut self) -> Option<Ended> {
        let mut running = self.child.take()?;
        // A child that waits for a case ends with its input and puts away what it has on a server. On a server of
        // others it does so in the middle of a case, too, unless it hangs; what it leaves then the next one puts away.
        let running_ms = running.recorder.running_ms();
        let shared = is_shared_server(&self.engine) && running_ms.is_none_or(|ms| ms <= self.timeout_ms);
        if shared {
            running.peer.terminate();
            await_end(&mut running.peer, SHARED_FAREWELL_MS);
        } else if running_ms.is_none() {
            await_end(&mut running.peer, FAREWELL_MS);
        }
        running.peer.kill();
        let ended = running.peer.reap();
        let _ = std::fs::remove_file(&running.recorder_path);
        Some(ended)
    }

    /// Connects. A child or a server that somebody kills on the way is started again.
    fn start(&mut self) -> Result<(), Fault> {
        for attempt in 1..=DISTURBED_RETRIES {
            let began = Instant::now();
            match self.attempt_start() {
                Err(fault) if death::is_outside(&fault.text) => {}
                // A part of a server that is killed just then may only be seen as a connection that is lost.
                Err(fault) if is_quick_refusal(&fault, attempt, began) => {}
                done => return done,
            }
            std::thread::sleep(pause(attempt));
        }
        self.attempt_start()
    }

    fn attempt_start(&mut self) -> Result<(), Fault> {
        if is_shared_server(&self.engine) {
            process::end_children_gently();
        }
        let recorder_path = fresh_path(self.scratch.path(), "runner");
        let memory = MemoryWatch::begin();
        let mut peer = Peer::spawn(&self.program, &["runner", &recorder_path.to_string_lossy()])
            .map_err(|e| Fault::own(format!("cannot start '{}': {e}", self.program.display())))?;
        // A child that is gone already is noticed when it is listened to.
        let _ = peer.send(&line_of(&(&self.engine, self.timeout_ms)));
        let engine = shown(&self.engine);
        // Connecting starts a server where there is one, and runs the engine's self-test.
        let until = Instant::now() + Duration::from_millis(self.timeout_ms.max(1000) * CONNECT_TIMEOUTS);
        let heard = loop {
            match peer.hear(Duration::from_millis(WATCH_INTERVAL_MS)) {
                Heard::Nothing if Instant::now() < until && !(self.out_of_time)() => {}
                heard => break heard,
            }
        };
        let greeting = match heard {
            Heard::Line(line) => serde_json::from_slice(&line)
                .map_err(|e| Fault::own(format!("cannot parse the reply of a runner of '{engine}': {e}")))?,
            Heard::Nothing => return Err(Fault::unreachable(format!("engine '{engine}' does not respond"))),
            Heard::Closed => {
                let ended = peer.reap();
                let how = redacted(&self.engine, &ended.how_and_words());
                let how = match death::cause(&ended, &memory) {
                    Cause::Outside => death::outside(&how),
                    _ => how,
                };
                return Err(Fault::unreachable(format!("engine '{engine}' exited during connect: {how}")));
            }
        };
        match greeting {
            Greeting::Failed(fault) => Err(fault),
            Greeting::Ready { version, knobs, caveat } => {
                caveat.iter().for_each(|caveat| print_once(caveat));
                let recorder = Reader::open(&recorder_path)
                    .ok_or_else(|| Fault::own(format!("no flight recorder at '{}'", recorder_path.display())))?;
                (self.version, self.knobs) = (version, knobs);
                self.child = Some(Running { peer, recorder, recorder_path, memory });
                Ok(())
            }
        }
    }

    /// Runs the case in a fresh database. Whatever the engine does, this comes back with what happened.
    pub fn run(&mut self, case: &Case) -> Evidence {
        self.try_run(case).unwrap_or_else(not_comparable)
    }

    /// Like `run`; but where the child is killed from outside as often as it is started, this says so, because then
    /// nothing is known of the case.
    pub fn try_run(&mut self, case: &Case) -> Result<Evidence, String> {
        match self.exchange(case, &line_of(&Request::Run(Slim::of(case)))) {
            Ok(evidence) => Ok(evidence),
            Err(Instead::Evidence(evidence)) => Ok(*evidence),
            Err(Instead::Disturbed(why)) => Err(why),
        }
    }

    /// Like `run`, but a case that is written with the engine's own answers is written anew. Nothing where it then
    /// claims nothing.
    pub fn judge<'a>(&mut self, case: &'a Case) -> Option<(Cow<'a, Case>, Evidence)> {
        if !lang::is_completed_by_session(case) {
            return Some((Cow::Borrowed(case), self.run(case)));
        }
        let made: Option<(Case, Evidence)> = self.exchange(case, &line_of(&Request::Complete(case))).ok()?;
        made.map(|(case, evidence)| (Cow::Owned(case), evidence))
    }

    /// Like `run`; but where another release derives other facts on the way, so that nothing can be said of the stored
    /// texts, the case is written anew with its answers.
    pub fn replay<'a>(&mut self, case: &'a Case) -> (Cow<'a, Case>, Evidence) {
        let evidence = self.run(case);
        if let Verdict::NotComparable { .. } = evidence.verdict
            && lang::is_completed_by_session(case)
            && let Some(anew) = self.judge(case)
        {
            return anew;
        }
        (Cow::Borrowed(case), evidence)
    }

    /// Asks the child something about a case; what happened to the child instead, if it did not live to answer. A child
    /// that somebody killed is asked again, and so is one that was gone before it saw the case.
    fn exchange<T: DeserializeOwned>(&mut self, case: &Case, request: &[u8]) -> Result<T, Instead> {
        let mut why = String::new();
        for attempt in 0..=DISTURBED_RETRIES {
            if attempt > 0 {
                std::thread::sleep(pause(attempt));
            }
            if (self.out_of_time)() {
                return Err(Instead::Disturbed(NO_TIME.into()));
            }
            if self.child.is_none()
                && let Err(fault) = self.start()
            {
                return Err(Instead::Disturbed(fault.text));
            }
            let child = self.child.as_mut().expect("started above");
            child.memory = MemoryWatch::begin();
            let seen_before = child.recorder.sequence();
            if child.peer.send(request).is_err() {
                why = "the runner exited before it read the case".into();
                self.stop();
                continue;
            }
            match self.wait(case, seen_before) {
                Err(Instead::Disturbed(how)) => why = how,
                answer => return answer,
            }
        }
        Err(Instead::Disturbed(why))
    }

    /// How the engine would go about each question of the case, by its label. Nothing where that takes it down.
    pub fn plans(&mut self, case: &Case) -> Vec<(String, Plan)> {
        if self.child.is_none() && self.start().is_err() {
            return Vec::new();
        }
        let child = self.child.as_mut().expect("started above");
        let patience = Duration::from_millis(self.timeout_ms);
        if child.peer.send(&line_of(&Request::Plans(Slim::of(case)))).is_ok()
            && let Heard::Line(line) = child.peer.hear(patience)
            && let Ok(Reply::Answer(plans)) = serde_json::from_slice(&line)
        {
            return plans;
        }
        self.stop();
        Vec::new()
    }

    /// Waits for the answer.
    fn wait<T: DeserializeOwned>(&mut self, case: &Case, seen_before: u64) -> Result<T, Instead> {
        let stuck = Duration::from_millis(self.timeout_ms.max(1000) * STUCK_TIMEOUTS);
        let mut progress = (seen_before, Instant::now());
        let mut watch = Stopwatch::default();
        loop {
            let Some(child) = self.child.as_mut() else { return Err(Instead::Disturbed("there is no runner".into())) };
            let patience = Duration::from_millis(WATCH_INTERVAL_MS.min(self.timeout_ms));
            match child.peer.hear(patience) {
                Heard::Line(line) => match serde_json::from_slice(&line) {
                    Ok(Reply::Answer(answer)) => return Ok(answer),
                    Ok(Reply::Disturbed(how)) => return Err(Instead::Disturbed(how)),
                    Err(e) => {
                        self.stop();
                        return Err(Instead::not_comparable(format!("cannot parse the runner's evidence: {e}")));
                    }
                },
                Heard::Nothing => {
                    if (self.out_of_time)() {
                        self.stop();
                        return Err(Instead::Disturbed(NO_TIME.into()));
                    }
                    if child.recorder.exceeds(&mut watch, self.timeout_ms) {
                        return Err(Instead::Evidence(Box::new(self.hung(case))));
                    }
                    if child.recorder.sequence() != progress.0 {
                        progress = (child.recorder.sequence(), Instant::now());
                    } else if progress.1.elapsed() > stuck {
                        self.stop();
                        return Err(Instead::not_comparable("the runner is stuck outside the engine"));
                    }
                }
                Heard::Closed => {
                    let saw_something = child.recorder.sequence() != seen_before;
                    return Err(self.died(case, saw_something));
                }
            }
        }
    }

    fn hung(&mut self, case: &Case) -> Evidence {
        let first_query = self.in_first_query(case);
        self.stop();
        let limit = self.timeout_ms;
        let answers = if first_query { vec![Outcome::Hang(limit)] } else { Vec::new() };
        let text = format!("no answer within {limit} ms");
        Evidence { verdict: Verdict::Broke { kind: FailureKind::Hang, text }, answers }
    }

    fn died(&mut self, case: &Case, saw_something: bool) -> Instead {
        let first_query = self.in_first_query(case);
        let Some(mut running) = self.child.take() else { return Instead::Disturbed("there is no runner".into()) };
        let ended = running.peer.reap();
        let _ = std::fs::remove_file(&running.recorder_path);
        let text = ended.how_and_words();
        let kind = match death::cause(&ended, &running.memory) {
            Cause::Outside => return Instead::Disturbed(format!("the runner exited: {}", death::outside(&text))),
            _ if !saw_something => return Instead::Disturbed("the runner exited before it read the case".into()),
            Cause::Own => return Instead::not_comparable(text),
            Cause::Engine(kind) => kind,
        };
        let answers = if first_query { vec![Outcome::Crash(text.clone())] } else { Vec::new() };
        Instead::Evidence(Box::new(Evidence { verdict: Verdict::Broke { kind, text }, answers }))
    }

    /// Whether the statement that ran last is the first question; answers to earlier ones died with the child.
    fn in_first_query(&self, case: &Case) -> bool {
        let Some(child) = &self.child else { return false };
        let begun = child.recorder.flight().statements.len();
        case.script.iter().position(|s| s.is_query()).is_some_and(|at| at + 1 == begun)
    }
}

impl Drop for Isolated {
    fn drop(&mut self) {
        self.stop();
    }
}

/// An engine that cannot be reached, which was known soon: it is worth another try, but not many.
pub fn is_quick_refusal(fault: &Fault, attempts: u32, began: Instant) -> bool {
    let soon = began.elapsed() < Duration::from_millis(REFUSED_MS);
    fault.code == EXIT_UNREACHABLE && attempts <= REFUSED_RETRIES && soon
}

/// How long to wait before the next attempt after so many.
fn pause(attempts: u32) -> Duration {
    Duration::from_millis(DISTURBED_PAUSE_MS << attempts.saturating_sub(1).min(16))
}

/// Says nothing more to the child and waits for its end, at most so long.
fn await_end(peer: &mut Peer, patience_ms: u64) {
    peer.end_input();
    let until = Instant::now() + Duration::from_millis(patience_ms);
    while let Heard::Line(_) = peer.hear(until.saturating_duration_since(Instant::now())) {}
}

/// Something about the engine that its user should know; each run starts several children.
fn print_once(caveat: &str) {
    static SHOWN: Once = Once::new();
    SHOWN.call_once(|| errln!("note: {caveat}"));
}

/// A path in the folder that nothing has had before.
pub fn fresh_path(folder: &Path, name: &str) -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    folder.join(format!("{name}-{}", NEXT.fetch_add(1, Ordering::Relaxed)))
}

const NO_TIME: &str = "there is no time left";

fn not_comparable(why: String) -> Evidence {
    Evidence { verdict: Verdict::NotComparable { why }, answers: Vec::new() }
}

/// The case without the tree it was made from: a runner only runs.
#[derive(Serialize)]
struct Slim<'a> {
    format: u32,
    language: Language,
    oracle: &'a str,
    script: &'a [Step],
    claim: &'a Relation,
    origin: Origin,
}

impl Slim<'_> {
    fn of(case: &Case) -> Slim<'_> {
        let Case { format, language, oracle, script, claim, origin, .. } = case;
        Slim { format: *format, language: *language, oracle, script, claim, origin: *origin }
    }
}

fn line_of(said: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(said).expect("what is said is plain data");
    line.push(b'\n');
    line
}

/// The child: `qualm runner RECORDER`, with the engine and the time limit as the first line of its input. Ends with its
/// input.
pub fn runner(recorder: &Path) -> Result<(), Fault> {
    process::become_child(CHILD_MEMORY_BYTES);
    recorder.parent().into_iter().for_each(process::nest_in);
    let mut input = std::io::stdin().lock();
    let mut spec = String::new();
    input.read_line(&mut spec).map_err(|e| Fault::own(format!("cannot read which engine to run: {e}")))?;
    let (spec, timeout_ms) = serde_json::from_str(&spec)
        .or_else(|_| serde_json::from_str(&spec).map(|spec: String| (spec, STATEMENT_TIMEOUT_MS)))
        .map_err(|e| Fault::own(format!("the first line names no engine: {e}; 'qualm runner' is internal")))?;
    let mut out = std::io::stdout().lock();
    let mut say = |line: Vec<u8>| -> Result<(), Fault> {
        out.write_all(&line).and_then(|()| out.flush()).map_err(|e| Fault::own(format!("the parent is gone: {e}")))
    };
    let ending = Arc::default();
    if is_shared_server(&spec) {
        process::end_gently(&ending, SHARED_FAREWELL_SECONDS)
            .map_err(|e| Fault::own(format!("cannot handle SIGTERM: {e}")))?;
    }
    let opened = connect(&spec).and_then(|engine| {
        let mut session = engine.open().map_err(|why| Fault::unreachable(redacted(&spec, &why)))?;
        let knobs =
            knobs::live(engine.as_ref(), session.as_mut(), None).map_err(|why| knobs_fault(&spec, None, why))?.knobs;
        session.limit_time(timeout_ms);
        let recorder = Recorder::create(recorder)
            .map_err(|e| Fault::own(format!("cannot create the flight recorder '{}': {e}", recorder.display())))?;
        Ok((engine, knobs, Recorded::new(session, recorder)))
    });
    let (_engine, mut session) = match opened {
        Ok((engine, knobs, session)) => {
            say(line_of(&Greeting::Ready { version: engine.version(), knobs, caveat: engine.caveat() }))?;
            (engine, session)
        }
        Err(fault) => return say(line_of(&Greeting::Failed(fault))),
    };
    session.ending = ending;
    let mut fresh = true;
    for line in input.split(b'\n') {
        let line = line.map_err(|e| Fault::own(format!("cannot read the next case: {e}")))?;
        let answer = match serde_json::from_slice(&line) {
            Ok(Request::Run(case)) => line_of(&Reply::Answer(Case::run(&case, &mut session))),
            Ok(Request::Plans(case)) => line_of(&Reply::Answer(plans_of(&case, &mut session))),
            Ok(Request::Complete(case)) => line_of(&Reply::Answer(lang::complete(&case, &mut session))),
            Err(e) => line_of(&Reply::Answer(not_comparable(format!("not a valid request: {e}")))),
        };
        let spent = session.exhausted().map(str::to_owned);
        // What ran before in this process may be why the engine could do no more.
        let disturbance = session.take_disturbance().or_else(|| spent.clone().filter(|_| !fresh));
        say(match disturbance {
            Some(how) => line_of(&Reply::<()>::Disturbed(how)),
            None => answer,
        })?;
        if spent.is_some() {
            return Ok(());
        }
        fresh = false;
    }
    Ok(())
}

fn plans_of(case: &Case, session: &mut dyn Session) -> Vec<(String, Plan)> {
    if session.reset().is_err() {
        return Vec::new();
    }
    let mut plans = Vec::new();
    for step in &case.script {
        if let Some(label) = &step.label {
            plans.extend(session.plan(&step.text).map(|plan| (label.clone(), plan)));
        } else {
            session.run(&step.text);
        }
    }
    plans
}

/// Why the settings of an engine are not known. Who wrote the file, or the adapter that brought one, can mend it; a
/// file of ours is our fault.
pub fn knobs_fault(spec: &str, given: Option<&NamedText>, why: String) -> Fault {
    match given {
        Some(file) => Fault::usage(format!("'{}': {why}", file.name)),
        None if spec.starts_with("exec:") => Fault::usage(format!("the knobs of '{spec}': {why}")),
        None => Fault::own(why),
    }
}

/// Reaches an engine in this process to ask what it is and what it can do. Nothing is made on its server: a child has
/// tried it.
pub fn describe(spec: &str) -> Result<Box<dyn Engine>, Fault> {
    qualm_engines::reach(spec).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })
}

/// Reaches an engine in this process. Only children and the listing commands do so.
pub fn connect(spec: &str) -> Result<Box<dyn Engine>, Fault> {
    qualm_engines::connect(spec).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })
}
