//! Test cases that grow side by side, for an engine that answers many programs together sooner than one by one (one
//! that is started for each). Every test case takes its steps in a thread of its own. When each of them waits for an
//! answer or is done, what they ask is asked together. What a test case does depends on its own answers only, so that a
//! hunt with a seed stays the same; the engine is talked to by the thread that called.

use super::explore::IreExplorer;
use super::grow;
use qualm_core::case::Case;
use qualm_core::counters::AddUp;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::explore::{ExploreConfig, Explorer, Tally};
use qualm_core::plan::Plan;
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, RejectionClass, Session};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Instant;

/// Test cases at once, at most.
const TEST_CASES: usize = 24;
/// What each of them asks before the next report. Some ask more, because they look at a cycle or at what they found;
/// with several questions each, the others seldom wait for those.
const QUESTIONS: usize = 8;
/// Draws of switches, one of which is not empty.
const DRAWS: usize = 50;

pub struct SideBySide {
    cases: Vec<IreExplorer>,
    dialect: &'static DatalogDialect,
    rng: Rng,
}

/// A question of the test case with this number, or nothing: it is done.
type Asked = (usize, Option<String>);
/// An outcome, and the part of the engine's time that it took.
type Answered = (Outcome, u64);

impl SideBySide {
    pub fn new(config: ExploreConfig, dialect: &'static DatalogDialect, most: usize) -> Result<SideBySide, String> {
        let count = most.clamp(1, TEST_CASES);
        let cases = (0..count).map(|at| {
            let mut case = IreExplorer::new(config.clone(), dialect)?;
            case.number(config.database + 1 + at as u64, count as u64);
            Ok(case)
        });
        let rng = Rng::stream(config.spec.seed, !(config.worker << 40 | config.database));
        Ok(SideBySide { cases: cases.collect::<Result<_, String>>()?, dialect, rng })
    }

    /// Programs go together if they are run under the same switches.
    fn share_switches(&mut self) {
        for case in &mut self.cases {
            case.shared_switches = None;
        }
        let Some(first) = self.cases.first() else { return };
        let mut drawn = (0..DRAWS).map(|_| grow::switches(self.dialect, &first.parameters, &mut self.rng));
        let shared = drawn.find(|switches| !switches.is_empty());
        self.cases.iter_mut().for_each(|case| case.shared_switches.clone_from(&shared));
    }
}

impl Explorer for SideBySide {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        if session.reset().is_err() {
            return Vec::new();
        }
        session.mark();
        self.share_switches();
        thread::scope(|scope| {
            let (ask, asked) = channel::<Asked>();
            let mut answers = Vec::with_capacity(self.cases.len());
            let mut threads = Vec::with_capacity(self.cases.len());
            for (place, case) in self.cases.iter_mut().enumerate() {
                let (answer, answered) = channel::<Answered>();
                let asks = Asks { place, ask: ask.clone(), answered, questions: 0, nanos: 0 };
                answers.push(answer);
                threads.push(scope.spawn(move || take_steps(case, asks)));
            }
            drop(ask);
            serve(session, &asked, &answers);
            let mut found = Vec::new();
            for thread in threads {
                let (cases, part) = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
                found.extend(cases);
                tally.add_up(&part);
            }
            found
        })
    }

    fn learned(&self) -> Vec<String> {
        Vec::new()
    }

    fn database(&self) -> u64 {
        self.cases.iter().map(IreExplorer::database).max().unwrap_or_default()
    }
}

/// Steps of one test case, or of one after the other.
fn take_steps(case: &mut IreExplorer, mut asks: Asks) -> (Vec<Case>, Tally) {
    let mut tally = Tally::default();
    let mut found = Vec::new();
    // A step that asks nothing is as good as a question: there may be nothing to ask.
    for _ in 0..QUESTIONS {
        found.extend(case.step(&mut asks, &mut tally));
        if asks.questions >= QUESTIONS {
            break;
        }
    }
    (found, tally)
}

/// Answers until all are done.
fn serve(session: &mut dyn Session, asked: &Receiver<Asked>, answers: &[Sender<Answered>]) {
    let mut running = answers.len();
    while running > 0 {
        let mut round: Vec<Asked> = asked.iter().take(running).collect();
        round.retain(|(_, question)| question.is_some());
        round.sort_unstable();
        running = round.len();
        let texts: Vec<&str> = round.iter().filter_map(|(_, question)| question.as_deref()).collect();
        let begun = Instant::now();
        if texts.len() > 1 {
            session.expect(&texts);
        }
        let outcomes: Vec<Outcome> = texts.iter().map(|text| session.run(text)).collect();
        let nanos = begun.elapsed().as_nanos() as u64 / texts.len().max(1) as u64;
        for ((place, _), outcome) in round.iter().zip(outcomes) {
            // One that has panicked takes no answer; that shows when it is joined.
            let _ = answers[*place].send((outcome, nanos));
        }
    }
}

/// The session of one test case. It says that there is nothing more to ask when it is dropped, by a panic too.
struct Asks {
    place: usize,
    ask: Sender<Asked>,
    answered: Receiver<Answered>,
    questions: usize,
    nanos: u64,
}

impl Session for Asks {
    fn run(&mut self, text: &str) -> Outcome {
        self.questions += 1;
        let _ = self.ask.send((self.place, Some(text.to_owned())));
        match self.answered.recv() {
            Ok((outcome, nanos)) => {
                self.nanos += nanos;
                outcome
            }
            Err(_) => Outcome::rejected(RejectionClass::NotRun, "nobody answers any more"),
        }
    }

    fn plan(&mut self, _: &str) -> Option<Plan> {
        None
    }

    /// Programs stand alone, and the engine's session was reset for all of them.
    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn engine_nanos(&self) -> u64 {
        self.nanos
    }
}

impl Drop for Asks {
    fn drop(&mut self) {
        let _ = self.ask.send((self.place, None));
    }
}
