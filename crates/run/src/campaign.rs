//! THE loop: workers hunt, their supervisors report what they find, triage makes findings of it, progress is shown.
//!
//! Knows nothing of languages and engines. Workers are children (`worker.rs`, watched by `supervisor.rs`); triage is a
//! thread (`triage.rs`); this loop only listens, counts and decides when it is over.

use crate::feed::Feed;
use crate::figures::{Figures, Summary};
use crate::isolated::Isolated;
use crate::ladder::Ladder;
use crate::peers::Peers;
use crate::progress::Progress;
use crate::series::Series;
use crate::store::Store;
use crate::supervisor::{News, Supervisor};
use crate::triage::{Queue, Settled, Suspect, Triage};
use crate::worker::Job;
use qualm_core::case::{Case, Language};
use qualm_core::explore::Input;
use qualm_core::fault::Fault;
use qualm_core::known::KnownBug;
use qualm_core::limits::{DRAW_INTERVAL_MS, GRACE_SECONDS, INTERRUPT_GRACE_SECONDS};
use qualm_core::relation::FailureKind;
use qualm_core::session::Spoken;
use qualm_core::spec::HuntSpec;
use qualm_host::process::{Scratch, own_program};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[derive(Clone)]
pub struct Campaign {
    pub program: PathBuf,
    pub engine: String,
    /// The exact build of the engine, where it can say.
    pub build: String,
    pub language: Language,
    pub spoken: Spoken,
    pub spec: HuntSpec,
    pub budget: Budget,
    pub workers: usize,
    /// The hunt is over when there are so many findings.
    pub stop_after: Option<u64>,
    pub known: Vec<KnownBug>,
    /// Releases in which each finding is tried, to recognise duplicates by them.
    pub ladder: Option<Ladder>,
    /// What others wrote, in place of generated queries.
    pub input: Option<(Input, Arc<Feed>)>,
    /// Set by Ctrl-C.
    pub interrupted: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    Seconds(f64),
    Checks(u64),
    /// Until the statements of others are over.
    Input,
}

impl Budget {
    /// Nothing that is decided may depend on time.
    pub fn is_counted(self) -> bool {
        !matches!(self, Budget::Seconds(_))
    }
}

/// News that may wait to be heard; then a worker waits too.
pub const NEWS_WAITING: usize = 256;

impl Campaign {
    /// A hunt by one worker that nothing but its budget ends, as measurements need it.
    pub fn plain(engine: &str, spoken: Spoken, spec: HuntSpec, budget: Budget) -> Campaign {
        Campaign {
            program: own_program(),
            engine: engine.to_owned(),
            build: String::new(),
            language: spoken.language(),
            spoken,
            spec,
            budget,
            workers: 1,
            stop_after: None,
            known: Vec::new(),
            ladder: None,
            input: None,
            interrupted: Arc::default(),
        }
    }

    /// Hunts until the budget is used up. `isolated` is the place where triage runs its cases.
    pub fn run(&self, store: Arc<Store>, scratch: Arc<Scratch>, progress: &mut Progress) -> Result<Summary, Fault> {
        let began = Instant::now();
        let stop = Arc::new(AtomicBool::new(false));
        let queue = Arc::new(Queue::keeping(store.clone()));
        let triage = self.start_triage(store.clone(), scratch.clone(), queue.clone(), None);
        let (supervisors, news) = self.start_supervisors(&scratch, &stop);
        let mut figures = Figures::new(self, began);
        let mut series = Series::begin(store.folder(), self);
        let mut ending = Ok(());
        while figures.living > 0 {
            match news.recv_timeout(Duration::from_millis(DRAW_INTERVAL_MS)) {
                Ok((worker, news)) => {
                    figures.hear(worker, &news);
                    if let Some(outcome) = self.pass_on(news, &queue) {
                        figures.living -= 1;
                        ending = ending.and(outcome);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if self.time_is_up(began) || self.has_enough(&queue) || ending.is_err() || triage.is_finished() {
                stop.store(true, Ordering::Relaxed);
            }
            progress.show(&figures, &queue);
            series.note(&figures, &queue);
        }
        figures.hunt_ended();
        supervisors.into_iter().for_each(|k| drop(k.join()));
        queue.close(if self.has_enough(&queue) { Some(Instant::now()) } else { self.deadline(began) });
        while !triage.is_finished() {
            std::thread::sleep(TRIAGE_POLL);
            if self.interrupted.load(Ordering::Relaxed) {
                queue.hurry(Instant::now() + Duration::from_secs_f64(INTERRUPT_GRACE_SECONDS));
            } else if self.has_enough(&queue) {
                queue.hurry(Instant::now());
            }
            progress.show(&figures, &queue);
            series.note(&figures, &queue);
        }
        figures.triage_ended();
        series.end(&figures, &queue);
        let (settled, worked) =
            triage.join().map_err(|_| Fault::own("triage failed; what it had so far is in the folder"))?;
        let ending = ending.and(worked);
        progress.show_last(&queue);
        Ok(figures.summary(self, &queue, settled, store.folder(), ending))
    }

    fn time_is_up(&self, began: Instant) -> bool {
        let over = matches!(self.budget, Budget::Seconds(s) if began.elapsed().as_secs_f64() >= s);
        over || self.interrupted.load(Ordering::Relaxed)
    }

    /// As many findings as the user wanted.
    fn has_enough(&self, queue: &Queue) -> bool {
        self.stop_after.is_some_and(|enough| queue.counts().findings >= enough)
    }

    /// With a budget in checks triage takes all the time it needs, so that its result does not depend on any.
    fn deadline(&self, began: Instant) -> Option<Instant> {
        let grace = match self.budget {
            _ if self.interrupted.load(Ordering::Relaxed) => INTERRUPT_GRACE_SECONDS,
            Budget::Checks(_) | Budget::Input => return None,
            Budget::Seconds(_) => GRACE_SECONDS.min(began.elapsed().as_secs_f64() / 2.0),
        };
        Some(Instant::now() + Duration::from_secs_f64(grace))
    }

    /// Hands cases to triage. Gives how it ended when it is the last word of a supervisor.
    pub fn pass_on(&self, news: News, queue: &Queue) -> Option<Result<(), Fault>> {
        match news {
            News::Violated { case, session } => self.suspect(Suspect::new(vec![*case], session), queue),
            News::Died { kind, forms } => self.suspect_death(kind, forms, queue),
            News::Ended(outcome) => return Some(outcome),
            _ => {}
        }
        None
    }

    fn suspect_death(&self, kind: FailureKind, forms: Vec<Case>, queue: &Queue) {
        // Where nothing says that an answer exists, a hang is counted and no more.
        let may_never_end = self.language.style().may_never_end
            && kind == FailureKind::Hang
            && !forms.iter().any(qualm_lang::ends_at_once);
        if !forms.is_empty() && !may_never_end {
            self.suspect(Suspect::new(forms, Vec::new()), queue);
        }
    }

    /// With a budget in checks no case is ever skipped: the workers wait instead.
    fn suspect(&self, suspect: Suspect, queue: &Queue) {
        let mut suspect = suspect;
        while let Err(back) = queue.push(suspect, self.budget.is_counted()) {
            if self.interrupted.load(Ordering::Relaxed) {
                return queue.skip(&back);
            }
            suspect = back;
        }
    }

    /// With peers the order in which cases come is chance in any case, and none waits for the end.
    pub fn start_triage(
        &self,
        store: Arc<Store>,
        scratch: Arc<Scratch>,
        queue: Arc<Queue>,
        peers: Option<Box<dyn Peers>>,
    ) -> JoinHandle<(Vec<Settled>, Result<(), Fault>)> {
        let this = self.clone();
        std::thread::spawn(move || {
            let ends = queue.clone();
            let out_of_time = Arc::new(move || ends.out_of_time());
            let (program, engine) = (&this.program, &this.engine);
            let isolated = match Isolated::open_until(out_of_time, program, engine, this.spec.timeout_ms, scratch) {
                Ok(isolated) => isolated,
                Err(fault) => {
                    queue.abandon();
                    return (Vec::new(), Err(fault));
                }
            };
            let deterministic = this.budget.is_counted() && peers.is_none();
            let mut triage = Triage {
                isolated,
                spoken: this.spoken,
                engine: this.engine,
                known: this.known,
                ladder: this.ladder,
                store,
                queue,
                peers,
                deterministic,
                settled: Vec::new(),
            };
            let worked = triage.work();
            (triage.settled, worked)
        })
    }

    fn start_supervisors(
        &self,
        scratch: &Arc<Scratch>,
        stop: &Arc<AtomicBool>,
    ) -> (Vec<JoinHandle<()>>, Receiver<(usize, News)>) {
        let (sender, news) = sync_channel(NEWS_WAITING);
        let start = |worker: usize| {
            let supervisor = self.supervisor(worker as u64, self.checks_of(worker), scratch, stop, sender.clone());
            std::thread::spawn(move || supervisor.keep())
        };
        ((0..self.workers).map(start).collect(), news)
    }

    /// One who starts and watches the worker of this number.
    pub fn supervisor(
        &self,
        worker: u64,
        checks: Option<u64>,
        scratch: &Arc<Scratch>,
        stop: &Arc<AtomicBool>,
        news: SyncSender<(usize, News)>,
    ) -> Supervisor {
        let job = Job {
            engine: self.engine.clone(),
            spec: self.spec.clone(),
            worker,
            database: 0,
            checks,
            recorder: PathBuf::new(),
            avoid: Vec::new(),
            input: self.input.as_ref().map(|(input, _)| input.clone()),
            lasting: false,
        };
        Supervisor {
            program: self.program.clone(),
            job,
            language: self.language,
            scratch: scratch.clone(),
            stop: stop.clone(),
            news,
            feed: self.input.as_ref().map(|(_, feed)| feed.clone()),
            idle: None,
            kills: Default::default(),
        }
    }

    /// The budget in checks is split so that the parts add up to it.
    fn checks_of(&self, worker: usize) -> Option<u64> {
        let Budget::Checks(all) = self.budget else { return None };
        let workers = self.workers as u64;
        Some(all / workers + u64::from((worker as u64) < all % workers))
    }
}

const TRIAGE_POLL: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests;
