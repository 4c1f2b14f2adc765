//! From a violated case to a finding: confirm, find what cures it, reduce, replay, fingerprint, generalise, store.
//!
//! Runs in a thread of its own, so that hunting goes on, and in arrival order. With a budget in checks no decision here
//! depends on time, so that the same cases give the same findings. Knows nothing of workers.
//!
//! A case goes from state to state until it ends in a `Fate`, which is counted, or waits for its next turn:
//!
//! ```text
//! Suspect ─confirm─▶ Confirmed ─sort─▶ Due ─claim─▶ Reducing ─reduce─▶ Reduced ─record─▶ end
//!                                │      ▲     │          │
//!                                │    resume  │          │
//!                                ▼      │     ▼          ▼
//!                              waits ─▶ Waited ◀─ waits ─┘
//! ```
//!
//! Every step may also end it: as flaky or unconfirmed, as one more case of a finding, as pending when time is up.

mod fate;
mod general;
mod queue;
mod steps;

use crate::affected::Affected;
use crate::fingerprint::{self, Fingerprint, Kind};
use crate::isolated::Isolated;
use crate::ladder::Ladder;
use crate::peers::{self, PeerFinding, Peers};
use crate::recorder::Noted;
use crate::report::Finding;
use crate::store::{Duplicate, Kept, Store};
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

pub use fate::{Counts, Fate};
pub use general::generalise;
use queue::Next;
pub use queue::{Queue, Stored, Suspect};
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

impl Settled {
    /// So many cases look like it that no more of them are reduced.
    fn is_flood(&self) -> bool {
        self.likely >= likely_limit(self.fingerprint.kind)
    }
}

/// A case that failed twice in the same way.
struct Confirmed {
    case: Case,
    evidence: Evidence,
    /// The case as it came, and all statements of its session.
    unreduced: Case,
    session: Vec<Noted>,
    cures: Vec<String>,
    /// Its files: those of a suspect, until it is kept as pending.
    unconfirmed: Option<Kept>,
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

/// Where a case is on its way.
#[expect(clippy::large_enum_variant, reason = "one of them exists at a time")]
enum State {
    /// As a worker brought it.
    Suspect(Suspect),
    /// It failed twice in the same way, and what cures it is known.
    Confirmed(Confirmed),
    /// It has waited, and nothing else is to be done first.
    Waited(Confirmed),
    /// To be reduced next, if no other machine does so.
    Due(Confirmed),
    Reducing(Confirmed),
    Reduced(Confirmed, Shrunk),
}

/// What a step leads to.
#[expect(clippy::large_enum_variant, reason = "one of them exists at a time")]
enum Then {
    Go(State),
    /// Others come first.
    Wait(Confirmed),
    End(Fate),
}

impl State {
    fn worker(&self) -> u64 {
        match self {
            State::Suspect(suspect) => suspect.worker(),
            State::Confirmed(c) | State::Waited(c) | State::Due(c) | State::Reducing(c) | State::Reduced(c, _) => {
                c.case.origin.worker
            }
        }
    }
}

impl Triage {
    /// Works until the queue is closed and empty, or its deadline is over. After a fault, which is one of writing, what
    /// is on disk stays there and everything is counted as what it is.
    pub fn work(&mut self) -> Result<(), Fault> {
        let mut later: VecDeque<Confirmed> = VecDeque::new();
        let worked = self.work_off(&mut later);
        if worked.is_err() {
            later.iter().for_each(|c| self.queue.count_fate(c.case.origin.worker, Fate::Pending));
            // Nobody may wait for room in it.
            self.queue.abandon();
        }
        worked
    }

    /// Suspects as they come; those that wait when there is none, or after some in a row.
    fn work_off(&mut self, later: &mut VecDeque<Confirmed>) -> Result<(), Fault> {
        let mut in_a_row = 0;
        loop {
            let idle_work = !later.is_empty() && !self.deterministic;
            let next = match idle_work && in_a_row >= SUSPECTS_IN_A_ROW {
                true => Next::Nothing,
                false => self.queue.next(!idle_work),
            };
            in_a_row += 1;
            let state = match (next, later.is_empty()) {
                (Next::Suspect(suspect), _) => State::Suspect(suspect),
                (Next::Nothing, true) => continue,
                (Next::Closed, true) => return Ok(()),
                (Next::Nothing | Next::Closed, false) => {
                    in_a_row = 0;
                    State::Waited(later.pop_front().expect("just seen"))
                }
            };
            let waits = self.advance(state, later)?;
            later.extend(waits);
        }
    }

    /// Takes a case as far as it goes now, and counts how it ended. Gives it back if it has to wait.
    fn advance(&mut self, state: State, later: &VecDeque<Confirmed>) -> Result<Option<Confirmed>, Fault> {
        let (worker, mut claim) = (state.worker(), None);
        let stopped = self.take_steps(state, later, &mut claim);
        match &stopped {
            Ok(Then::End(fate)) => self.queue.settle(worker, *fate),
            Ok(_) => {}
            // A case that could not be written is one that was not kept.
            Err(_) => self.queue.count_fate(worker, Fate::Skipped),
        }
        let then = stopped?;
        if let (Some(peers), Some(looks)) = (&mut self.peers, claim) {
            peers.reduced(&looks)?;
        }
        Ok(if let Then::Wait(c) = then { Some(c) } else { None })
    }

    fn take_steps(
        &mut self,
        mut state: State,
        later: &VecDeque<Confirmed>,
        claim: &mut Option<String>,
    ) -> Result<Then, Fault> {
        loop {
            let then = match state {
                State::Suspect(suspect) => self.confirm(suspect)?,
                State::Confirmed(c) => self.sort(c, later)?,
                State::Waited(c) => self.resume(c)?,
                State::Due(c) => self.claim(c, claim)?,
                State::Reducing(c) => self.reduce(c)?,
                State::Reduced(c, shrunk) => self.record(c, shrunk)?,
            };
            match then {
                Then::Go(next) => state = next,
                stop => return Ok(stop),
            }
        }
    }

    /// Runs it again. What fails again is met by known floods, or gets its cures.
    fn confirm(&mut self, mut suspect: Suspect) -> Result<Then, Fault> {
        if self.queue.overdue() {
            return Ok(Then::End(self.leave(suspect, TIME_OVER, Fate::Unconfirmed)?));
        }
        let spoken = self.spoken;
        suspect.forms = suspect.forms.into_iter().map(|case| lang::survival::with_tree(case, spoken)).collect();
        let (case, evidence) = match self.confirm_any(&suspect.forms) {
            Ok(confirmed) => confirmed,
            Err(doubt) => return Ok(Then::End(self.doubt(suspect, doubt)?)),
        };
        self.hear_peers()?;
        let flooding = self.flooding(&case, &evidence);
        let mut c = Confirmed {
            unreduced: case.clone(),
            case,
            evidence,
            session: suspect.session,
            cures: Vec::new(),
            unconfirmed: suspect.kept,
            pending: None,
            spent: Vec::new(),
            likely: false,
        };
        if let Some(at) = flooding {
            return self.end_as_duplicate(at, c);
        }
        let overdue = || self.queue.overdue();
        match cures(&mut self.isolated, &c.case, &c.evidence, &overdue) {
            Some(cures) => Ok(Then::Go(State::Confirmed(Confirmed { cures, ..c }))),
            None => {
                self.keep(&mut c)?;
                Ok(Then::End(Fate::Pending))
            }
        }
    }

    /// What looks new is reduced at once. What looks like a finding waits, unless that has been met often enough; so
    /// does what fails like one that waits for its next turn.
    fn sort(&mut self, mut c: Confirmed, later: &VecDeque<Confirmed>) -> Result<Then, Fault> {
        if let Some(at) = self.likely(&c) {
            if self.floods_with_one_more(at) {
                return self.end_as_duplicate(at, c);
            }
            c.likely = true;
        }
        self.keep(&mut c)?;
        let twin = |l: &Confirmed| !l.spent.is_empty() && same_trouble(&l.evidence.verdict, &c.evidence.verdict);
        let waits = c.likely || later.iter().any(twin);
        Ok(if waits { Then::Wait(c) } else { Then::Go(State::Due(c)) })
    }

    /// Goes on with what waited, unless it now looks like a finding that has been met often.
    fn resume(&mut self, c: Confirmed) -> Result<Then, Fault> {
        if self.queue.overdue() {
            return Ok(Then::End(self.leave_confirmed(c)?));
        }
        let new = !c.likely && c.spent.is_empty();
        match self.likely(&c).filter(|_| new) {
            Some(at) if self.floods_with_one_more(at) => self.end_as_duplicate(at, c),
            _ => Ok(Then::Go(State::Due(c))),
        }
    }

    /// Only one machine at a time reduces what looks alike; the others wait for what it finds. `claim` is what is to be
    /// given free in the end.
    fn claim(&mut self, c: Confirmed, claim: &mut Option<String>) -> Result<Then, Fault> {
        let Some(peers) = &mut self.peers else { return Ok(Then::Go(State::Reducing(c))) };
        let looks = peers::looks(&c.case, &c.evidence, &c.cures);
        if !peers.may_reduce(&looks)? {
            std::thread::sleep(peers::POLL);
            return Ok(Then::Wait(c));
        }
        *claim = Some(looks);
        self.hear_peers()?;
        // A case that looked like a finding when it came was counted then, and is one of those that are reduced.
        match self.likely(&c).filter(|at| self.settled[*at].elsewhere && !c.likely) {
            Some(at) if self.settled[at].is_flood() => return self.end_as_duplicate(at, c),
            at => at.into_iter().for_each(|at| self.settled[at].likely += 1),
        }
        Ok(Then::Go(State::Reducing(c)))
    }

    /// Makes it small and replays it. What takes longer than its slice of time waits while there are others.
    fn reduce(&mut self, c: Confirmed) -> Result<Then, Fault> {
        let slice = c.slice().filter(|_| !self.deterministic && self.peers.is_none());
        let (began, queue, interrupted) = (Instant::now(), self.queue.clone(), Cell::new(false));
        let overdue = || {
            let others = slice.is_some_and(|most| began.elapsed() >= most) && queue.waiting() > 0;
            interrupted.set(interrupted.get() || others);
            interrupted.get() || queue.overdue()
        };
        let shrunk = shrink(&mut self.isolated, self.spoken, (&c.case, &c.evidence), &c.cures, &overdue);
        let seconds = began.elapsed().as_secs_f64();
        let attempts = shrunk.as_ref().map_or(0, |shrunk| u64::from(shrunk.stats.attempts));
        self.queue.count(c.case.origin.worker, |counts| {
            counts.reduce_seconds += seconds;
            counts.reduce_attempts += attempts;
        });
        match shrunk {
            Err(doubt) => Ok(Then::End(self.doubt_after_all(c, doubt)?)),
            Ok(Shrunk { case, evidence, stats }) if interrupted.get() => {
                let spent = c.spent.into_iter().chain([stats]).collect();
                Ok(Then::Wait(Confirmed { case, evidence, spent, ..c }))
            }
            Ok(shrunk) => Ok(Then::Go(State::Reduced(c, shrunk))),
        }
    }

    /// Stores it as a new finding, or as one more case of one that is there.
    fn record(&mut self, c: Confirmed, mut shrunk: Shrunk) -> Result<Then, Fault> {
        for turn in &c.spent {
            shrunk.stats.attempts += turn.attempts;
            shrunk.stats.accepted += turn.accepted;
        }
        let first = c.spent.first().map(|turn| turn.statements_before);
        shrunk.stats.statements_before = first.unwrap_or(shrunk.stats.statements_before);
        let queue = self.queue.clone();
        let overdue = || queue.overdue();
        let mut finding = finding(&mut self.isolated, self.spoken, &self.engine, shrunk, &c.cures, &overdue);
        finding.unreduced = (finding.case.script != c.unreduced.script).then(|| Box::new(c.unreduced.clone()));
        let mut same = self.same_bug(&finding);
        if same.is_none() {
            self.generalise(&mut finding);
            same = self.same_bug(&finding);
        }
        if same.is_none() {
            same = self.same_releases(&mut finding)?;
        }
        if same.is_none() {
            same = self.reported_first(&finding)?;
        }
        let fate = match same {
            Some(at) => self.link(at, &c.case, true)?,
            None => self.add(&finding)?,
        };
        self.forget_files(&c);
        Ok(Then::End(fate))
    }

    /// One more case of a finding that it looks like, unreduced.
    fn end_as_duplicate(&mut self, at: usize, c: Confirmed) -> Result<Then, Fault> {
        let fate = self.link(at, &c.case, false)?;
        self.forget_files(&c);
        Ok(Then::End(fate))
    }

    /// Counts a case that looks like this finding. True when such cases are not reduced any more.
    fn floods_with_one_more(&mut self, at: usize) -> bool {
        let was_flood = self.settled[at].is_flood();
        self.settled[at].likely += 1;
        was_flood
    }

    /// What others found is there to be met again.
    fn hear_peers(&mut self) -> Result<(), Fault> {
        let news = self.peers.as_mut().map_or(Ok(Vec::new()), |f| f.news())?;
        self.settled.extend(news.into_iter().map(|peer| {
            // As if all but these had been met here already.
            let likely = likely_limit(peer.fingerprint.kind).saturating_sub(peers::LIKELY_REDUCED);
            Settled { likely, ..peer.settled(self.store.folder()) }
        }));
        Ok(())
    }

    /// On disk before the long part begins: a kill loses nothing.
    fn keep(&mut self, c: &mut Confirmed) -> Result<(), Fault> {
        c.pending = Some(self.store.keep_pending(&c.case).map_err(not_written)?);
        c.unconfirmed.take().iter().for_each(|kept| self.store.forget_unconfirmed(kept));
        Ok(())
    }

    /// It is stored elsewhere by now.
    fn forget_files(&self, c: &Confirmed) {
        c.unconfirmed.iter().for_each(|kept| self.store.forget_unconfirmed(kept));
        c.pending.iter().for_each(|path| self.store.settle_pending(path));
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
    fn doubt(&mut self, suspect: Suspect, doubt: Doubt) -> Result<Fate, Fault> {
        match doubt {
            Doubt::Gone => self.leave(suspect, GONE, Fate::Flaky),
            Doubt::Undecided(why) => {
                self.leave(suspect, &format!("it could not be replayed: {why}"), Fate::Unconfirmed)
            }
        }
    }

    /// Leaves a suspect unconfirmed, with all statements of its session; it is skipped when too many are kept already.
    fn leave(&mut self, suspect: Suspect, why: &str, fate: Fate) -> Result<Fate, Fault> {
        let Some(case) = suspect.forms.last() else { return Ok(Fate::Skipped) };
        let kept = match suspect.kept {
            Some(kept) => Some(kept),
            None => self.store.keep_unconfirmed(case, &suspect.session).map_err(not_written)?,
        };
        let Some(kept) = kept else { return Ok(Fate::Skipped) };
        self.store.record_unconfirmed(&kept, case, why).map_err(not_written)?;
        Ok(fate)
    }

    /// What was confirmed and does not fail any more after its reduction is in doubt again; what could not be run again
    /// stays confirmed.
    fn doubt_after_all(&mut self, c: Confirmed, doubt: Doubt) -> Result<Fate, Fault> {
        let Doubt::Gone = doubt else { return self.leave_confirmed(c) };
        let suspect = Suspect::new(vec![c.unreduced.clone()], c.session.clone());
        let fate = self.leave(suspect, GONE_LATER, Fate::Flaky)?;
        self.forget_files(&c);
        Ok(fate)
    }

    /// There is no time left. What looks like a finding is one more case of it; anything else stays pending.
    fn leave_confirmed(&mut self, c: Confirmed) -> Result<Fate, Fault> {
        debug_assert!(c.pending.is_some(), "kept before it waited");
        let Some(at) = self.likely(&c) else { return Ok(Fate::Pending) };
        let fate = self.link(at, &c.case, false)?;
        self.forget_files(&c);
        Ok(fate)
    }

    /// The finding that this case looks like, as far as one can see without reducing it.
    fn likely(&self, c: &Confirmed) -> Option<usize> {
        let like = |s: &Settled| fingerprint::likely_duplicate(&c.case, &c.evidence, &c.cures, &s.fingerprint);
        self.settled.iter().position(like)
    }

    /// The same for findings that come in floods, without trying every setting: those that cure the finding must cure
    /// the case.
    fn flooding(&mut self, case: &Case, evidence: &Evidence) -> Option<usize> {
        for (at, settled) in self.settled.iter().enumerate() {
            let print = &settled.fingerprint;
            // Without a cure, a wrong result is distinguished from others only by trying them all.
            let distinctive = !matches!(print.kind, Kind::WrongResult | Kind::Changed) || !print.cures.is_empty();
            if distinctive
                && settled.is_flood()
                && fingerprint::likely_duplicate(case, evidence, &print.cures, print)
                && print.cures.iter().all(|name| is_cured_by(&mut self.isolated, case, name))
            {
                return Some(at);
            }
        }
        None
    }

    fn same_bug(&self, finding: &Finding) -> Option<usize> {
        self.settled.iter().position(|s| fingerprint::same_bug(&s.fingerprint, &finding.fingerprint))
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

    /// The same bug, if another machine reported it before this one could.
    fn reported_first(&mut self, finding: &Finding) -> Result<Option<usize>, Fault> {
        let announced = PeerFinding::of(finding, self.known_as(finding));
        while let Some(peers) = &mut self.peers {
            if peers.announce(&announced, finding)? {
                break;
            }
            self.hear_peers()?;
            if let Some(at) = self.same_bug(finding) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Which of the known bugs it is.
    fn known_as(&self, finding: &Finding) -> Option<usize> {
        self.known.iter().position(|bug| fits(bug, finding))
    }

    /// A bug that was not met before; a known one has no folder.
    fn add(&mut self, finding: &Finding) -> Result<Fate, Fault> {
        let known = self.known_as(finding);
        let folder = match known {
            Some(_) => None,
            None => Some(self.store.add_finding(finding).map_err(not_written)?),
        };
        if let Some(folder) = &folder {
            let (title, statements) = (finding.title.clone(), finding.case.script.len());
            self.queue.lock().news.push(Stored { title, folder: folder.clone(), statements });
        }
        self.settled.push(Settled {
            fingerprint: finding.fingerprint.clone(),
            affected: finding.affected.clone(),
            oracle: finding.case.oracle.clone(),
            title: finding.title.clone(),
            folder,
            known,
            seen: 1,
            likely: 0,
            elsewhere: false,
        });
        Ok(if known.is_some() { Fate::Suppressed } else { Fate::Finding })
    }

    /// One more case of a bug that is there already.
    fn link(&mut self, at: usize, case: &Case, reduced: bool) -> Result<Fate, Fault> {
        let settled = &mut self.settled[at];
        settled.seen += 1;
        let Some(folder) = &settled.folder else { return Ok(Fate::Suppressed) };
        let whole = (settled.seen <= DUPLICATE_CASES_STORED).then_some(case);
        let duplicate = Duplicate { oracle: &case.oracle, origin: case.origin, reduced, case: whole };
        if let Some(peers) = &mut self.peers {
            peers.met(&settled.fingerprint.id, &duplicate);
        }
        if !settled.elsewhere {
            self.store.add_duplicate(folder, &duplicate).map_err(not_written)?;
        }
        Ok(Fate::Duplicate)
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
    finding.fingerprint.ids().any(|id| bug.fits(id, &texts))
}

fn not_written(e: std::io::Error) -> Fault {
    Fault::own(format!("cannot write a finding: {e}; free some disk space and hunt again with the same --seed"))
}

#[cfg(test)]
mod tests;
