//! The parent's side of one worker: starts it, listens, watches its flight recorder for hangs, turns its death into a
//! case and starts it again. One thread per worker, because a child dies with the thread that started it. A worker may
//! be given one job after the other: its process, its connection and what it learned of the engine stay.
//!
//! A worker that somebody killed says nothing about the engine. With a budget in checks the next one does the same
//! checks again, so that a hunt finds the same whether or not somebody killed its workers.

use crate::feed::{Feed, Next};
use crate::isolated::{fresh_path, is_quick_refusal};
use crate::recorder::{Flight, Noted, Reader};
use crate::worker::{Event, Job};
use qualm_core::case::{Case, Language, Origin, Step};
use qualm_core::explore::{InputLine, Tally};
use qualm_core::fault::Fault;
use qualm_core::limits::{
    AVOIDED_STATEMENTS, DISTURBED_PAUSE_MS, FAREWELL_MS, FRUITLESS_DATABASES, FRUITLESS_DEATHS, KILLED_IN_A_ROW,
    KILLED_REDONE, SHARED_FAREWELL_MS, WATCH_INTERVAL_MS,
};
use qualm_core::plan::Fnv;
use qualm_core::relation::FailureKind;
use qualm_host::death::{self, Cause, MemoryWatch};
use qualm_host::process::{Ended, Heard, PANIC_WORDS, Peer, Scratch};
use qualm_host::starved::Stopwatch;
use qualm_lang::oracle::{self, survives};
use std::collections::HashSet;
use std::hash::Hasher;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// What a supervisor sends to the campaign.
pub enum News {
    Hello {
        version: String,
        learned: Vec<String>,
    },
    /// With all statements of its session.
    Violated {
        case: Box<Case>,
        session: Vec<Noted>,
    },
    /// The counters of this worker's present life.
    Tally {
        tally: Box<Tally>,
        usage: Usage,
    },
    /// A life has ended: its counters are final. `missed` checks were done after the last tally.
    LifeOver {
        usage: Usage,
        missed: u64,
    },
    /// The engine took the worker down. The case in the forms to try, the shortest first; none when the recorder
    /// held nothing.
    Died {
        kind: FailureKind,
        forms: Vec<Case>,
    },
    /// Somebody else ended the worker, or the server of its engine.
    Killed,
    /// The engine could do no more in the worker's process.
    Spent,
    /// This tool's own code failed in the worker.
    Fault(Fault),
    /// The last word of a supervisor; a fault ends the campaign.
    Ended(Result<(), Fault>),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
}

pub struct Supervisor {
    pub program: PathBuf,
    pub job: Job,
    pub language: Language,
    pub scratch: Arc<Scratch>,
    pub stop: Arc<AtomicBool>,
    pub news: SyncSender<(usize, News)>,
    /// Where a worker's statements come from, unless it generates them.
    pub feed: Option<Arc<Feed>>,
    /// A worker that has done a job and waits for another one.
    pub idle: Option<Idle>,
    pub kills: Kills,
}

/// What has to be known when somebody kills workers.
#[derive(Default)]
pub struct Kills {
    /// Since a worker of this job last got somewhere.
    in_a_row: u32,
    /// Workers that could not reach the engine, since one could.
    refused: u32,
    /// Violated cases of this job that were sent: one that does the same checks again finds them again.
    sent: HashSet<u64>,
    /// The statement of the input that the worker is at.
    at: Option<InputLine>,
    /// One that a killed worker was at: the next one gets it again.
    again: Option<InputLine>,
}

pub struct Idle {
    peer: Peer,
    reader: Option<Reader>,
    /// CPU time of the jobs that it has done.
    cpu_seconds: f64,
}

/// How one life of a worker went.
struct Life {
    checks: u64,
    database: u64,
    over: Over,
    /// Another one does the same again, and this one counts as if it had not been.
    redone: bool,
    /// It got as far as hunting.
    greeted: bool,
    /// The statement at which it died, if it died while it was finding out what the engine can do.
    last_before_hello: Option<String>,
}

enum Over {
    /// As it should: budget used up, or stopped.
    Bye,
    Died(FailureKind),
    /// By somebody else's doing.
    Killed,
    /// The engine can do no more in that process.
    Spent(String),
    Failed(Fault),
}

impl Supervisor {
    /// Lives until the worker's budget is used up or the campaign ends.
    pub fn keep(mut self) {
        let outcome = self.lives();
        self.send(News::Ended(outcome));
    }

    /// The same for the worker of this number, and its process is kept for the next one.
    pub fn keep_one(&mut self, worker: u64, checks: Option<u64>) {
        self.job = Job { worker, checks, database: 0, lasting: true, ..self.job.clone() };
        self.kills = Kills::default();
        let outcome = self.lives();
        self.send(News::Ended(outcome));
    }

    /// Lets the process end that was kept.
    pub fn dismiss(mut self) {
        let Some(Idle { mut peer, .. }) = self.idle.take() else { return };
        peer.end_input();
        let until = Instant::now() + self.farewell();
        while Instant::now() < until && !matches!(peer.hear(Duration::from_millis(WATCH_INTERVAL_MS)), Heard::Closed) {}
        drop(peer);
        let _ = std::fs::remove_file(&self.job.recorder);
    }

    fn send(&self, news: News) {
        // The campaign may be gone already when it was stopped at once.
        let _ = self.news.send((self.job.worker as usize, news));
    }

    fn lives(&mut self) -> Result<(), Fault> {
        let mut fruitless = 0;
        loop {
            let life = self.life()?;
            if matches!(life.over, Over::Killed) {
                self.note_kill(&life)?;
                if life.redone && !self.stopping() {
                    continue;
                }
            } else {
                self.kills.in_a_row = 0;
            }
            if let Some(checks) = &mut self.job.checks {
                *checks = checks.saturating_sub(life.checks);
            }
            let out_of_budget = self.job.checks == Some(0);
            self.job.database = life.database.max(self.job.database) + 1;
            // A worker that leaves out one statement more gets further than the one before.
            let served = life.greeted && self.job.input.is_some();
            let killed = matches!(life.over, Over::Killed);
            let got_further = life.checks > 0 || served || killed || self.avoid(life.last_before_hello);
            fruitless = if got_further { 0 } else { fruitless + 1 };
            let too_often = fruitless >= if life.greeted { FRUITLESS_DATABASES } else { FRUITLESS_DEATHS };
            match life.over {
                Over::Bye => return Ok(()),
                _ if self.stopping() || out_of_budget => return Ok(()),
                // A connection that is refused once will be refused again.
                Over::Failed(fault) if too_often || fault.code != qualm_core::fault::EXIT_OWN_FAULT => {
                    return Err(fault);
                }
                Over::Died(_) if too_often => {
                    let text = format!("a worker died {fruitless} times in a row before its first check");
                    return Err(Fault::unreachable(format!("{text}; the engine crashes during startup")));
                }
                Over::Spent(why) if fruitless >= FRUITLESS_DEATHS => {
                    let text = format!("a worker was replaced {fruitless} times in a row before its first check");
                    return Err(Fault::unreachable(format!("{text}; the engine can do nothing: {why}")));
                }
                Over::Failed(fault) => self.send(News::Fault(fault)),
                Over::Died(_) | Over::Killed | Over::Spent(_) => {}
            }
        }
    }

    /// Waits a little before the next worker is started, longer each time; a fault when no worker gets to do anything.
    fn note_kill(&mut self, life: &Life) -> Result<(), Fault> {
        let kills = &mut self.kills;
        kills.in_a_row = if life.checks > 0 { 0 } else { kills.in_a_row + 1 };
        kills.again = kills.at.take();
        if kills.in_a_row >= KILLED_IN_A_ROW {
            let text =
                format!("workers were killed from outside {KILLED_IN_A_ROW} times in a row before their first check");
            return Err(Fault::own(format!(
                "{text}; find out what kills them (a resource limit, a supervisor) and start again"
            )));
        }
        std::thread::sleep(Duration::from_millis(DISTURBED_PAUSE_MS << kills.in_a_row.min(5)));
        Ok(())
    }

    /// Whether what a killed worker did is done again from its beginning. Without a budget in checks the next one goes
    /// on with another database: then there are always more.
    fn may_redo(&self) -> bool {
        self.job.checks.is_some() && self.job.input.is_none() && self.kills.in_a_row < KILLED_REDONE
    }

    /// True when there was something new to avoid.
    fn avoid(&mut self, statement: Option<String>) -> bool {
        let avoid = &mut self.job.avoid;
        let Some(statement) = statement.filter(|s| avoid.len() < AVOIDED_STATEMENTS && !avoid.contains(s)) else {
            return false;
        };
        avoid.push(statement);
        true
    }

    /// How long the worker may take to end: one that has something on a server of others puts that away.
    fn farewell(&self) -> Duration {
        let shared = qualm_engines::is_shared_server(&self.job.engine);
        Duration::from_millis(if shared { SHARED_FAREWELL_MS } else { FAREWELL_MS })
    }

    fn stopping(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The worker that waits, or a new one.
    fn begin(&mut self) -> Result<Idle, Fault> {
        if let Some(idle) = self.idle.take() {
            return Ok(idle);
        }
        self.job.recorder = fresh_path(self.scratch.path(), &format!("worker-{}", self.job.worker));
        let peer = Peer::spawn(&self.program, &["worker"])
            .map_err(|e| Fault::own(format!("cannot start '{}': {e}", self.program.display())))?;
        Ok(Idle { peer, reader: None, cpu_seconds: 0.0 })
    }

    /// One worker process until it ends, or until it has done its job.
    fn life(&mut self) -> Result<Life, Fault> {
        let Idle { mut peer, reader, cpu_seconds } = self.begin()?;
        let mut line = serde_json::to_vec(&self.job).expect("a job is plain data");
        line.push(b'\n');
        // A child that is gone already is noticed when it is listened to.
        let _ = peer.send(&line);
        let mut listening = Listening::to(reader);
        let hung = self.listen(&mut peer, &mut listening);
        // What became part of the state is there again for the next life.
        if let Some(input) = &mut self.job.input {
            input.setup.append(&mut listening.changes);
        }
        if listening.may_last(&self.job) {
            let Listening { usage, checks_reported, greeted, reader, .. } = listening;
            self.send(News::LifeOver { usage, missed: 0 });
            self.idle = Some(Idle { peer, reader, cpu_seconds: cpu_seconds + usage.cpu_seconds });
            let (checks, over) = (checks_reported, Over::Bye);
            return Ok(Life { checks, database: 0, over, redone: false, greeted, last_before_hello: None });
        }
        let ended = peer.reap();
        let reader = listening.reader.or_else(|| Reader::open(&self.job.recorder));
        let flight = reader.as_ref().map(Reader::flight);
        let _ = std::fs::remove_file(&self.job.recorder);
        let checks = flight.as_ref().map_or(0, |f| f.checks);
        let cpu_seconds = (ended.cpu_seconds - cpu_seconds).max(0.0);
        let usage = Usage { cpu_seconds, peak_bytes: ended.peak_bytes };
        let over = listening.over.take().unwrap_or_else(|| self.end_of(&ended, hung, &listening.memory));
        let redone = matches!(over, Over::Killed) && self.may_redo();
        if redone {
            // As if they had never been: they are all done again.
            self.send(News::Tally { tally: Box::default(), usage });
        }
        let checks = if redone { 0 } else { checks };
        self.send(News::LifeOver { usage, missed: checks.saturating_sub(listening.checks_reported) });
        let database = flight.as_ref().map_or(0, |f| f.database);
        let running = flight.as_ref().filter(|f| f.running && !listening.greeted);
        let greeted = listening.greeted;
        let last_before_hello = running.and_then(|f| f.statements.last()).map(|s| s.text.clone());
        match over {
            Over::Died(kind) => self.report_death(kind, hung, flight),
            Over::Killed => self.send(News::Killed),
            Over::Spent(_) => self.send(News::Spent),
            _ => {}
        }
        Ok(Life { checks, database, over, redone, greeted, last_before_hello })
    }

    /// Hears the worker out. True when it had to be killed because a statement did not end.
    fn listen(&mut self, peer: &mut Peer, listening: &mut Listening) -> bool {
        let mut watch = Stopwatch::default();
        loop {
            match peer.hear(Duration::from_millis(WATCH_INTERVAL_MS)) {
                Heard::Line(line) => match serde_json::from_slice(&line) {
                    Ok(event) => self.pass_on(event, listening),
                    Err(e) => {
                        listening.over = Some(Over::Failed(Fault::own(format!("cannot parse a worker's event: {e}"))));
                        peer.kill();
                        return false;
                    }
                },
                Heard::Nothing => {}
                Heard::Closed => return false,
            }
            // One that was asked to end by somebody else may wait for another job.
            if listening.may_last(&self.job) || matches!(listening.over, Some(Over::Killed)) {
                return false;
            }
            if listening.needs_input {
                listening.needs_input = !self.serve(peer);
            }
            if listening.reader.is_none() {
                listening.reader = Reader::open(&self.job.recorder);
            }
            let limit_ms = self.job.spec.timeout_ms;
            if listening.reader.as_ref().is_some_and(|reader| reader.exceeds(&mut watch, limit_ms)) {
                peer.kill();
                return true;
            }
            match listening.stop_sent {
                None if self.stopping() => {
                    peer.terminate();
                    listening.stop_sent = Some(Instant::now());
                }
                Some(when) if when.elapsed() > self.farewell() => {
                    listening.over = Some(Over::Bye);
                    peer.kill();
                    self.drain(peer, listening);
                    return false;
                }
                _ => {}
            }
        }
    }

    /// Hands the worker the next statement of the input, or says that there is none. False when it has to wait.
    fn serve(&mut self, peer: &mut Peer) -> bool {
        let next = match &self.feed {
            Some(_) if self.kills.again.is_some() => self.kills.again.take().map_or(Next::Ended, Next::InputLine),
            Some(feed) if !self.stopping() => feed.next(Duration::from_millis(WATCH_INTERVAL_MS)),
            _ => Next::Ended,
        };
        let input = match next {
            Next::InputLine(line) => Some(line),
            Next::Ended => None,
            Next::Nothing => return false,
        };
        self.kills.at.clone_from(&input);
        let mut line = serde_json::to_vec(&input).expect("a statement is plain data");
        line.push(b'\n');
        // A child that is gone already is noticed when it is listened to.
        let _ = peer.send(&line);
        true
    }

    /// What a killed worker had already said.
    fn drain(&mut self, peer: &mut Peer, listening: &mut Listening) {
        while let Heard::Line(line) = peer.hear(Duration::from_millis(FAREWELL_MS)) {
            if let Ok(event) = serde_json::from_slice(&line) {
                self.pass_on(event, listening);
            }
        }
    }

    fn pass_on(&mut self, event: Event, listening: &mut Listening) {
        match event {
            Event::Hello { version, learned } => {
                listening.greeted = true;
                self.kills.refused = 0;
                self.send(News::Hello { version, learned });
            }
            Event::Tally { tally, cpu_seconds, peak_bytes } => {
                listening.checks_reported = tally.checks;
                listening.usage = Usage { cpu_seconds, peak_bytes };
                listening.memory = MemoryWatch::begin();
                self.send(News::Tally { tally, usage: listening.usage });
            }
            Event::Violated { case, session } => {
                if self.kills.sent.insert(hash_of(&case)) {
                    self.send(News::Violated { case, session });
                }
            }
            Event::NeedInput => {
                self.kills.at = None;
                listening.needs_input = true;
            }
            Event::Changed { text } => {
                self.kills.at = None;
                listening.changes.push(text);
            }
            Event::Bye { learned, requested } => {
                self.send(News::Hello { version: String::new(), learned });
                let done = self.job.checks.is_some_and(|most| listening.checks_reported >= most);
                let by_others = requested && !done && listening.stop_sent.is_none();
                listening.over = Some(if by_others { Over::Killed } else { Over::Bye });
            }
            Event::Disturbed { .. } => listening.over = Some(Over::Killed),
            Event::Spent { why } => listening.over = Some(Over::Spent(why)),
            // A server may be killed while the engine is reached, too.
            Event::Failed { fault } if death::is_outside(&fault.text) => listening.over = Some(Over::Killed),
            Event::Failed { fault } if is_quick_refusal(&fault, self.kills.refused + 1, listening.began) => {
                self.kills.refused += 1;
                listening.over = Some(Over::Killed);
            }
            Event::Failed { fault } => listening.over = Some(Over::Failed(fault)),
        }
    }

    /// What the end of a worker was that had not said good-bye.
    fn end_of(&self, ended: &Ended, hung: bool, memory: &MemoryWatch) -> Over {
        if hung {
            return Over::Died(FailureKind::Hang);
        }
        match death::cause(ended, memory) {
            Cause::Outside if self.stopping() => Over::Bye,
            Cause::Outside => Over::Killed,
            Cause::Engine(kind) => Over::Died(kind),
            Cause::Own => Over::Failed(Fault::own(format!("a worker {}", panic_words(&ended.last_words)))),
        }
    }

    /// Reports how the engine took the worker down.
    fn report_death(&self, kind: FailureKind, hung: bool, flight: Option<Flight>) {
        // Of a query that takes long nothing is claimed as long as nobody has seen it take less.
        let flight = flight.filter(|_| !(hung && oracle::any_needs(&self.job.spec.oracles, |n| n.times)));
        let forms = flight.map_or_else(Vec::new, |f| survival_forms(f, &self.job, self.language));
        self.send(News::Died { kind, forms });
    }
}

/// Distinguishes the cases that one worker brings.
fn hash_of(case: &Case) -> u64 {
    let mut hasher = Fnv::default();
    hasher.write(&serde_json::to_vec(case).expect("a case is plain data"));
    hasher.finish()
}

struct Listening {
    reader: Option<Reader>,
    over: Option<Over>,
    greeted: bool,
    checks_reported: u64,
    usage: Usage,
    needs_input: bool,
    changes: Vec<String>,
    stop_sent: Option<Instant>,
    /// Since the worker last sent its counters.
    memory: MemoryWatch,
    began: Instant,
}

impl Listening {
    fn to(reader: Option<Reader>) -> Listening {
        Listening {
            reader,
            over: None,
            greeted: false,
            checks_reported: 0,
            usage: Usage::default(),
            needs_input: false,
            changes: Vec::new(),
            stop_sent: None,
            memory: MemoryWatch::begin(),
            began: Instant::now(),
        }
    }

    /// The job is done, in the way that it says, so that no word to end is on its way to the worker any more.
    fn may_last(&self, job: &Job) -> bool {
        let as_ordered = self.stop_sent.is_some() == job.checks.is_none();
        job.lasting && as_ordered && matches!(self.over, Some(Over::Bye))
    }
}

/// Where and why this tool's own code gave up, on one line.
fn panic_words(last_words: &str) -> String {
    let begin = format!("{PANIC_WORDS}panicked at ");
    let message = last_words.rfind(&begin).map_or(last_words, |at| &last_words[at + PANIC_WORDS.len()..]);
    message.lines().take(2).collect::<Vec<_>>().join(" ")
}

/// The case that a flight recorder holds, with the claim that nothing bad happens: the state with the last statement as
/// the only question, and all that was said to the engine.
fn survival_forms(flight: Flight, job: &Job, language: Language) -> Vec<Case> {
    let Flight { mut statements, marked, complete, checks, database, about, .. } = flight;
    let source: Option<serde_json::Value> = about.and_then(|source| serde_json::from_str(&source).ok());
    let alone = language.style().stands_alone;
    let enough = complete || alone || job.input.is_some();
    let Some(last) = statements.pop().filter(|_| enough) else { return Vec::new() };
    // A statement that was not taken may be not taken again, which only a question may.
    let step = |n: &Noted| if n.rejected { Step::query(survives::REFUSED, &n.text) } else { Step::run(&n.text) };
    let form = |before: &[Noted]| {
        let script = before.iter().map(step).chain([Step::query("last", &last.text)]).collect();
        let origin = Origin { seed: job.spec.seed, worker: job.worker, database, check: checks };
        Case { source: source.clone(), ..survives::of_script(language, script, origin) }
    };
    if let Some(input) = &job.input {
        // The state is known from the input, however much the recorder has forgotten; its queries change nothing.
        let setup: Vec<Noted> = input.setup.iter().map(|t| Noted { text: t.clone(), rejected: false }).collect();
        let all = complete.then(|| form(&statements));
        return if setup.iter().any(|n| n.text == last.text) {
            all.into_iter().collect()
        } else {
            [form(&setup)].into_iter().chain(all).collect()
        };
    }
    if alone {
        return vec![form(&[])];
    }
    let all = form(&statements);
    if marked < statements.len() { vec![form(&statements[..marked]), all] } else { vec![all] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_core::spec::HuntSpec;

    fn forms(language: Language, complete: bool) -> Vec<usize> {
        let job = Job {
            engine: "x".into(),
            spec: HuntSpec { seed: 1, ..HuntSpec::default() },
            worker: 0,
            database: 0,
            checks: None,
            recorder: PathBuf::new(),
            avoid: Vec::new(),
            input: None,
            lasting: false,
        };
        let noted = |text: &str| Noted { text: text.into(), rejected: false };
        let statements = vec![noted("a"), noted("b"), noted("last")];
        let flight = Flight { statements, marked: 1, running: true, complete, checks: 9, database: 0, about: None };
        let made = survival_forms(flight, &job, language);
        assert!(made.iter().all(|c| c.script.last().unwrap().text == "last"));
        made.iter().map(|c| c.script.len()).collect()
    }

    #[test]
    fn what_died_is_reported_with_its_state_and_a_program_alone() {
        assert_eq!(forms(Language::Sql, true), [2, 3]);
        assert_eq!(forms(Language::Sql, false), [0; 0]);
        assert_eq!(forms(Language::Datalog, false), [1]);
    }
}
