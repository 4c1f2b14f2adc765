//! From a violated case to a finding: confirm, find what cures it, reduce, replay, fingerprint, store.
//!
//! Runs in a thread of its own, so that hunting goes on, and in arrival order. With a budget in checks no decision here
//! depends on time, so that the same cases give the same findings. Knows nothing of workers.

mod queue;
mod steps;

use crate::affected::Affected;
use crate::fingerprint::{self, Fingerprint, Kind};
use crate::isolated::Isolated;
use crate::ladder::Ladder;
use crate::peers::{self, PeerFinding, Peers};
use crate::recorder::Noted;
use crate::report::Finding;
use crate::store::{Duplicate, Store};
use qualm_core::case::{Case, Evidence};
use qualm_core::fault::Fault;
use qualm_core::known::KnownBug;
use qualm_core::limits::{
    DUPLICATE_CASES_STORED, LIKELY_BREAKS_REDUCED, LIKELY_DUPLICATES_REDUCED, REDUCE_SLICE_MS, SUSPECTS_IN_A_ROW,
};
use qualm_core::relation::Verdict;
use qualm_core::session::Spoken;
use qualm_lang as lang;
use qualm_lang::reduce::ReductionStats;
use std::cell::Cell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use queue::Next;
pub use queue::{Counts, Queue, Stored, Suspect};
use steps::is_cured_by;
pub use steps::{Doubt, Shrunk, confirm, cures, finding, same_trouble, shrink, try_confirm};

pub struct Triage {
    pub isolated: Isolated,
    pub spoken: Spoken,
    /// As the user named it.
    pub engine: String,
    pub known: Vec<KnownBug>,
    pub ladder: Option<Ladder>,
    pub store: Arc<Store>,
    pub queue: Arc<Queue>,
    pub peers: Option<Box<dyn Peers>>,
    /// Arrival order alone decides; see the header.
    pub deterministic: bool,
    pub settled: Vec<Settled>,
}

/// A finding of this campaign, or a known bug that was met.
pub struct Settled {
    pub fingerprint: Fingerprint,
    pub affected: Option<Affected>,
    pub oracle: String,
    pub title: String,
    /// Nothing for a known bug.
    pub folder: Option<PathBuf>,
    pub known: Option<usize>,
    pub seen: u64,
    pub likely: u64,
    /// Another machine has it.
    pub elsewhere: bool,
}

/// A case that failed twice in the same way.
struct Confirmed {
    case: Case,
    evidence: Evidence,
    /// The case as it came, and all statements of its session.
    unreduced: Case,
    session: Vec<Noted>,
    cures: Vec<String>,
    pending: Option<PathBuf>,
    /// What earlier turns of its reduction cost; a case that breaks the engine may need several.
    spent: Vec<ReductionStats>,
    /// Looked like a finding when it came, and was counted there.
    likely: bool,
}

impl Confirmed {
    /// How long others wait for this one. Each attempt at a crash or a hang costs a process or a timeout, and words are
    /// taken out of what an engine breaks at one by one, by the thousand.
    fn slice(&self) -> Option<Duration> {
        let slow = matches!(self.evidence.verdict, Verdict::Broke { .. });
        slow.then(|| Duration::from_millis(REDUCE_SLICE_MS << self.spent.len().min(6)))
    }
}

impl Triage {
    /// Works until the queue is closed and empty, or its deadline is over. After a fault, which is one of writing, what
    /// is on disk stays there and everything is counted as what it is.
    pub fn work(&mut self) -> Result<(), Fault> {
        let mut later: VecDeque<Confirmed> = VecDeque::new();
        let worked = self.work_off(&mut later);
        if worked.is_err() {
            for confirmed in later {
                self.queue.count(confirmed.case.origin.worker, |c| c.pending += 1);
            }
            // Nobody may wait for room in it.
            self.queue.abandon();
        }
        worked
    }

    fn work_off(&mut self, later: &mut VecDeque<Confirmed>) -> Result<(), Fault> {
        let mut in_a_row = 0;
        loop {
            let idle_work = !later.is_empty() && !self.deterministic;
            let next = match idle_work && in_a_row >= SUSPECTS_IN_A_ROW {
                true => Next::Nothing,
                false => self.queue.next(!idle_work),
            };
            in_a_row += 1;
            match next {
                Next::Suspect(suspect) if self.queue.overdue() => {
                    let worker = suspect.worker();
                    let left = self.leave(suspect, TIME_OVER, |c| c.unconfirmed += 1);
                    self.counted(worker, left)?;
                }
                Next::Suspect(suspect) => {
                    let worker = suspect.worker();
                    let examined = self.examine(suspect, later);
                    match self.counted(worker, examined)? {
                        Some(confirmed) => later.push_back(confirmed),
                        None => self.queue.settled(worker),
                    }
                }
                Next::Nothing | Next::Closed if !later.is_empty() => {
                    in_a_row = 0;
                    let confirmed = later.pop_front().expect("just seen");
                    let worker = confirmed.case.origin.worker;
                    let back = match self.queue.overdue() {
                        true => self.leave_confirmed(confirmed).map(|()| None),
                        false => self.settle_after_waiting(confirmed),
                    };
                    match self.counted(worker, back)? {
                        Some(confirmed) => later.push_back(confirmed),
                        None => self.queue.settled(worker),
                    }
                }
                Next::Nothing => {}
                Next::Closed => return Ok(()),
            }
        }
    }

    /// A case that could not be written is one that was not kept.
    fn counted<T>(&self, worker: u64, done: Result<T, Fault>) -> Result<T, Fault> {
        if done.is_err() {
            self.queue.count(worker, |c| c.skipped += 1);
        }
        done
    }

    /// Confirms; settles what looks new; gives back what looks like a finding that is there already, or like a slow one
    /// that waits for its next turn.
    fn examine(&mut self, mut suspect: Suspect, later: &VecDeque<Confirmed>) -> Result<Option<Confirmed>, Fault> {
        let spoken = self.spoken;
        suspect.forms = suspect.forms.into_iter().map(|case| lang::survival::with_tree(case, spoken)).collect();
        let (case, evidence) = match self.confirm_any(&suspect.forms) {
            Ok(confirmed) => confirmed,
            Err(doubt) => {
                self.doubt(suspect, doubt)?;
                return Ok(None);
            }
        };
        self.hear_fellows()?;
        let forget = |store: &Store| suspect.kept.iter().for_each(|kept| store.forget_unconfirmed(kept));
        if let Some(at) = self.flooding(&case, &evidence) {
            self.link(at, &case, false)?;
            forget(&self.store);
            return Ok(None);
        }
        let overdue = || self.queue.overdue();
        let cures = cures(&mut self.isolated, &case, &evidence, &overdue);
        let in_time = cures.is_some();
        let cures = cures.unwrap_or_default();
        let (unreduced, spent, session) = (case.clone(), Vec::new(), suspect.session);
        let mut confirmed =
            Confirmed { case, evidence, unreduced, session, cures, pending: None, spent, likely: false };
        if !in_time {
            self.keep(&mut confirmed)?;
            forget(&self.store);
            self.queue.count(confirmed.case.origin.worker, |c| c.pending += 1);
            return Ok(None);
        }
        if let Some(at) = self.likely(&confirmed) {
            self.settled[at].likely += 1;
            if self.settled[at].likely > likely_limit(self.settled[at].fingerprint.kind) {
                self.link(at, &confirmed.case, false)?;
                forget(&self.store);
                return Ok(None);
            }
            confirmed.likely = true;
            self.keep(&mut confirmed)?;
            forget(&self.store);
            return Ok(Some(confirmed));
        }
        self.keep(&mut confirmed)?;
        forget(&self.store);
        let twin =
            |l: &Confirmed| !l.spent.is_empty() && same_trouble(&l.evidence.verdict, &confirmed.evidence.verdict);
        if later.iter().any(twin) {
            return Ok(Some(confirmed));
        }
        self.settle_in_turn(confirmed)
    }

    /// Settles what waited, unless it now looks like a finding that has been met often.
    fn settle_after_waiting(&mut self, confirmed: Confirmed) -> Result<Option<Confirmed>, Fault> {
        let new = !confirmed.likely && confirmed.spent.is_empty();
        if let Some(at) = self.likely(&confirmed).filter(|_| new) {
            self.settled[at].likely += 1;
            if self.settled[at].likely > likely_limit(self.settled[at].fingerprint.kind) {
                self.link(at, &confirmed.case, false)?;
                confirmed.pending.iter().for_each(|path| self.store.settle_pending(path));
                return Ok(None);
            }
        }
        self.settle_in_turn(confirmed)
    }

    /// Settles, or gives back what others wait for, or what another machine is at that brings something alike.
    fn settle_in_turn(&mut self, confirmed: Confirmed) -> Result<Option<Confirmed>, Fault> {
        let slice = confirmed.slice().filter(|_| !self.deterministic);
        let Some(peers) = &mut self.peers else { return self.settle(confirmed, slice) };
        let looks = peers::looks(&confirmed.case, &confirmed.evidence, &confirmed.cures);
        if !peers.may_reduce(&looks)? {
            std::thread::sleep(peers::POLL);
            return Ok(Some(confirmed));
        }
        self.hear_fellows()?;
        let at = self.likely(&confirmed).filter(|at| self.settled[*at].elsewhere);
        match at {
            Some(at) if self.settled[at].likely >= likely_limit(self.settled[at].fingerprint.kind) => {
                self.link(at, &confirmed.case, false)?;
                confirmed.pending.iter().for_each(|path| self.store.settle_pending(path));
            }
            at => {
                at.into_iter().for_each(|at| self.settled[at].likely += 1);
                self.settle(confirmed, None)?;
            }
        }
        self.peers.as_mut().map_or(Ok(()), |f| f.reduced(&looks)).map(|()| None)
    }

    /// What others found is there to be met again.
    fn hear_fellows(&mut self) -> Result<(), Fault> {
        let news = self.peers.as_mut().map_or(Ok(Vec::new()), |f| f.news())?;
        self.settled.extend(news.into_iter().map(|told| {
            let likely = likely_limit(told.fingerprint.kind).saturating_sub(peers::LIKELY_REDUCED);
            Settled { likely, ..told.settled(self.store.folder()) }
        }));
        Ok(())
    }

    /// On disk before the long part begins: a kill loses nothing.
    fn keep(&mut self, confirmed: &mut Confirmed) -> Result<(), Fault> {
        confirmed.pending = Some(self.store.keep_pending(&confirmed.case).map_err(not_written)?);
        Ok(())
    }

    /// The first of the forms that fails again. Where none does, one that could not be run leaves it undecided.
    fn confirm_any(&mut self, forms: &[Case]) -> Result<(Case, Evidence), Doubt> {
        let mut doubt = Doubt::Gone;
        for form in forms {
            match try_confirm(&mut self.isolated, form.clone()) {
                Err(Doubt::Gone) => {}
                Err(undecided) => doubt = undecided,
                confirmed => return confirmed,
            }
        }
        Err(doubt)
    }

    /// Keeps a suspect that was not confirmed, for whatever reason.
    fn doubt(&mut self, suspect: Suspect, doubt: Doubt) -> Result<(), Fault> {
        match doubt {
            Doubt::Gone => self.leave(suspect, GONE, |c| c.flaky += 1),
            Doubt::Undecided(why) => {
                self.leave(suspect, &format!("it could not be replayed: {why}"), |c| c.unconfirmed += 1)
            }
        }
    }

    /// Leaves a suspect unconfirmed, with all statements of its session, and counts it so; or as skipped when too many
    /// are kept already.
    fn leave(&mut self, suspect: Suspect, why: &str, count: impl Fn(&mut Counts)) -> Result<(), Fault> {
        let worker = suspect.worker();
        let Some(case) = suspect.forms.last() else { return Ok(()) };
        let kept = match suspect.kept {
            Some(kept) => Some(kept),
            None => self.store.keep_unconfirmed(case, &suspect.session).map_err(not_written)?,
        };
        match kept {
            Some(kept) => {
                self.store.tell_unconfirmed(&kept, case, why).map_err(not_written)?;
                self.queue.count(worker, count);
            }
            None => self.queue.count(worker, |c| c.skipped += 1),
        }
        Ok(())
    }

    /// What was confirmed and does not fail any more after its reduction is in doubt again; what could not be run again
    /// stays confirmed.
    fn doubt_after_all(&mut self, confirmed: Confirmed, doubt: Doubt) -> Result<(), Fault> {
        let Doubt::Gone = doubt else { return self.leave_confirmed(confirmed) };
        let Confirmed { unreduced, session, pending, .. } = confirmed;
        self.leave(Suspect::new(vec![unreduced], session), GONE_LATER, |c| c.flaky += 1)?;
        pending.iter().for_each(|path| self.store.settle_pending(path));
        Ok(())
    }

    /// There is no time left. What looks like a finding is one more case of it; anything else stays pending.
    fn leave_confirmed(&mut self, confirmed: Confirmed) -> Result<(), Fault> {
        debug_assert!(confirmed.pending.is_some(), "kept before it waited");
        if let Some(at) = self.likely(&confirmed) {
            confirmed.pending.iter().for_each(|path| self.store.settle_pending(path));
            return self.link(at, &confirmed.case, false);
        }
        self.queue.count(confirmed.case.origin.worker, |c| c.pending += 1);
        Ok(())
    }

    /// The finding that this case looks like, as far as one can tell without reducing it.
    fn likely(&self, c: &Confirmed) -> Option<usize> {
        let like = |s: &Settled| fingerprint::likely_duplicate(&c.case, &c.evidence, &c.cures, &s.fingerprint);
        self.settled.iter().position(like)
    }

    /// The same for findings that come in floods, without trying every setting: those that cure the finding must cure
    /// the case.
    fn flooding(&mut self, case: &Case, evidence: &Evidence) -> Option<usize> {
        for (at, settled) in self.settled.iter().enumerate() {
            let print = &settled.fingerprint;
            // Without a cure, a wrong result is told from others only by trying them all.
            let tells = print.kind != Kind::WrongResult || !print.cures.is_empty();
            let flood = tells && settled.likely >= likely_limit(print.kind);
            if flood
                && fingerprint::likely_duplicate(case, evidence, &print.cures, print)
                && print.cures.iter().all(|name| is_cured_by(&mut self.isolated, case, name))
            {
                return Some(at);
            }
        }
        None
    }

    /// Reduces, replays and stores. With a slice of time, gives back what takes longer while others wait.
    fn settle(&mut self, confirmed: Confirmed, slice: Option<Duration>) -> Result<Option<Confirmed>, Fault> {
        let began = Instant::now();
        let queue = self.queue.clone();
        let interrupted = Cell::new(false);
        let overdue = || {
            let others = slice.is_some_and(|most| began.elapsed() >= most) && queue.waiting() > 0;
            interrupted.set(interrupted.get() || others);
            interrupted.get() || queue.overdue()
        };
        let failed = (&confirmed.case, &confirmed.evidence);
        let reduced = shrink(&mut self.isolated, self.spoken, failed, &confirmed.cures, &overdue);
        let seconds = began.elapsed().as_secs_f64();
        let attempts = reduced.as_ref().map_or(0, |shrunk| u64::from(shrunk.stats.attempts));
        self.queue.count(confirmed.case.origin.worker, |c| {
            c.reduce_seconds += seconds;
            c.reduce_attempts += attempts;
        });
        let mut reduced = match reduced {
            Ok(reduced) => reduced,
            Err(doubt) => return self.doubt_after_all(confirmed, doubt).map(|()| None),
        };
        if interrupted.get() {
            let Shrunk { case, evidence, stats, .. } = reduced;
            let spent = confirmed.spent.into_iter().chain([stats]).collect();
            return Ok(Some(Confirmed { case, evidence, spent, ..confirmed }));
        }
        for turn in &confirmed.spent {
            reduced.stats.attempts += turn.attempts;
            reduced.stats.accepted += turn.accepted;
        }
        let first = confirmed.spent.first().map(|turn| turn.statements_before);
        reduced.stats.statements_before = first.unwrap_or(reduced.stats.statements_before);
        let overdue = || queue.overdue();
        let mut finding = finding(&mut self.isolated, self.spoken, &self.engine, reduced, &confirmed.cures, &overdue);
        finding.unreduced =
            (finding.case.script != confirmed.unreduced.script).then(|| Box::new(confirmed.unreduced.clone()));
        let same = self.settled.iter().position(|s| fingerprint::same_bug(&s.fingerprint, &finding.fingerprint));
        let same = match same {
            None => self.same_releases(&mut finding)?,
            same => same,
        };
        if let Some(at) = same.map_or_else(|| self.add(&finding), |at| Ok(Some(at)))? {
            self.link(at, &confirmed.case, true)?;
        }
        if let Some(path) = &confirmed.pending {
            self.store.settle_pending(path);
        }
        Ok(None)
    }

    /// Climbs the ladder, if there is one, and gives the finding that shows in the same releases and needs like things.
    fn same_releases(&mut self, finding: &mut Finding) -> Result<Option<usize>, Fault> {
        let Some(ladder) = &self.ladder else { return Ok(None) };
        if self.queue.overdue() {
            return Ok(None);
        }
        let print = &finding.fingerprint;
        let (beginning, running) = (self.queue.clone(), self.queue.clone());
        let may_begin = move || !beginning.overdue();
        let out_of_time = Arc::new(move || running.out_of_time());
        let Some(affected) = ladder.climb_until(&may_begin, out_of_time, &finding.case, Some(print.kind))? else {
            return Ok(None);
        };
        let same = self.settled.iter().position(|s| {
            let same_range = s.affected.as_ref().is_some_and(|a| a.same_range(&affected));
            same_range && fingerprint::akin(&s.fingerprint, print)
        });
        finding.affected = Some(affected);
        Ok(same)
    }

    /// A new finding; or the one that another machine told first, if it is the same bug.
    fn add(&mut self, finding: &Finding) -> Result<Option<usize>, Fault> {
        let known = self.known.iter().position(|bug| fits(bug, finding));
        while let Some(peers) = &mut self.peers {
            if peers.tell(&PeerFinding::of(finding, known), finding)? {
                break;
            }
            self.hear_fellows()?;
            let same = |s: &Settled| fingerprint::same_bug(&s.fingerprint, &finding.fingerprint);
            if let Some(at) = self.settled.iter().position(same) {
                return Ok(Some(at));
            }
        }
        let worker = finding.case.origin.worker;
        let mut settled = Settled {
            fingerprint: finding.fingerprint.clone(),
            affected: finding.affected.clone(),
            oracle: finding.case.oracle.clone(),
            title: finding.title.clone(),
            folder: None,
            known,
            seen: 1,
            likely: 0,
            elsewhere: false,
        };
        if known.is_some() {
            self.queue.count(worker, |c| c.suppressed += 1);
        } else {
            let folder = self.store.add_finding(finding).map_err(not_written)?;
            let statements = finding.case.script.len();
            self.queue.count(worker, |c| c.findings += 1);
            let mut state = self.queue.lock();
            state.news.push(Stored { title: finding.title.clone(), folder: folder.clone(), statements });
            settled.folder = Some(folder);
        }
        self.settled.push(settled);
        Ok(None)
    }

    /// One more case of a bug that is there already.
    fn link(&mut self, at: usize, case: &Case, reduced: bool) -> Result<(), Fault> {
        let settled = &mut self.settled[at];
        settled.seen += 1;
        let Some(folder) = &settled.folder else {
            self.queue.count(case.origin.worker, |c| c.suppressed += 1);
            return Ok(());
        };
        let whole = (settled.seen <= DUPLICATE_CASES_STORED).then_some(case);
        let duplicate = Duplicate { oracle: &case.oracle, origin: case.origin, reduced, case: whole };
        if let Some(peers) = &mut self.peers {
            peers.met(&settled.fingerprint.id, &duplicate);
        }
        if !settled.elsewhere {
            self.store.add_duplicate(folder, &duplicate).map_err(not_written)?;
        }
        self.queue.count(case.origin.worker, |c| c.duplicates += 1);
        Ok(())
    }
}

/// Why a case stays unconfirmed, for people.
const GONE: &str = "it did not reproduce when it was replayed";
const GONE_LATER: &str = "it reproduced at first, but not after its reduction";
const TIME_OVER: &str = "there was no time left to replay it";

fn likely_limit(kind: Kind) -> u64 {
    match kind {
        Kind::Hang | Kind::InternalError => LIKELY_BREAKS_REDUCED,
        _ => LIKELY_DUPLICATES_REDUCED,
    }
}

fn fits(bug: &KnownBug, finding: &Finding) -> bool {
    let mut texts: Vec<&str> = vec![&finding.title];
    texts.extend(finding.case.script.iter().map(|s| s.text.as_str()));
    if let Verdict::Broke { text, .. } = &finding.evidence.verdict {
        texts.push(text);
    }
    bug.fits(&finding.fingerprint.id, &texts)
}

fn not_written(e: std::io::Error) -> Fault {
    Fault::own(format!("cannot write a finding: {e}; free some disk space and hunt again with the same --seed"))
}

#[cfg(test)]
mod tests;
