//! One machine of a campaign: pulls leases, has them hunted by the same keepers and workers as a hunt alone, and tells
//! what came of each.
//!
//! A lease is done when its checks are and all that they brought is settled; only then does the server forget it. While
//! triage is at it the machine goes on with the next ones. A machine that dies, or leaves, does nothing about the
//! leases it has: another one does them again, from the same seeds, and what was told already is met again.

use super::fellows::{Members, MetByLease};
use super::leases::{Record, now_ms};
use super::link::{Held, LEASE_SIGN, Link};
use crate::campaign::{Campaign, NEWS_WAITING};
use crate::fault::Fault;
use crate::keeper::News;
use crate::limits::{DRAW_INTERVAL_MS, INTERRUPT_GRACE_SECONDS};
use crate::process::Scratch;
use crate::progress::Progress;
use crate::store::Store;
use crate::triage::{Queue, Suspect};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How long one request for a lease waits, and so how soon the end of a campaign is noticed.
const PULL: Duration = Duration::from_secs(1);
/// Leases of one machine, per worker, that wait for triage; then its workers wait too.
const UNSETTLED_MOST: usize = 8;
/// How often a machine looks whether the campaign is to stop.
const STOP_LOOK: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(50);

pub struct Member {
    pub link: Arc<Link>,
    pub name: String,
    pub campaign: Campaign,
    pub store: Arc<Store>,
    pub scratch: Arc<Scratch>,
}

/// What the threads of a member share.
struct Shared {
    queue: Arc<Queue>,
    /// Hunted, and not yet settled.
    unsettled: Mutex<Vec<Unsettled>>,
    met: MetByLease,
    /// The machine leaves: by a fault, or because it was told to.
    leaving: AtomicBool,
    fault: Mutex<Option<Fault>>,
    /// The campaign is to end.
    stopped: AtomicBool,
    /// Checks so far, by lease, for who watches.
    checks: Mutex<BTreeMap<u64, u64>>,
}

struct Unsettled {
    held: Held,
    record: Record,
    signed: Instant,
}

/// How a machine's part ended.
pub struct Left {
    pub checks: u64,
    pub leases: u64,
    /// Before the campaign was over.
    pub early: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

impl Shared {
    fn leave(&self, fault: Fault) {
        lock(&self.fault).get_or_insert(fault);
        self.leaving.store(true, Ordering::Relaxed);
    }

    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed)
    }
}

impl Member {
    /// Takes part until the campaign is over. A fault of this machine ends its part, not the campaign.
    pub fn run(&self, progress: &mut Progress) -> Result<Left, Fault> {
        let shared = Shared {
            queue: Arc::default(),
            unsettled: Mutex::default(),
            met: Arc::default(),
            leaving: AtomicBool::new(false),
            fault: Mutex::default(),
            stopped: AtomicBool::new(false),
            checks: Mutex::default(),
        };
        let fellows = Members::new(self.link.clone(), &self.name, shared.met.clone());
        let (store, scratch, queue) = (self.store.clone(), self.scratch.clone(), shared.queue.clone());
        let triage = self.campaign.start_triage(store, scratch, queue, Some(Box::new(fellows)));
        let mut leases = 0;
        std::thread::scope(|scope| {
            let slots: Vec<_> = (0..self.campaign.workers).map(|_| scope.spawn(|| self.slot(&shared))).collect();
            let mut looked = Instant::now();
            while slots.iter().any(|s| !s.is_finished()) || !lock(&shared.unsettled).is_empty() {
                leases += self.settle(&shared);
                if self.campaign.interrupted.load(Ordering::Relaxed) || triage.is_finished() {
                    shared.leaving.store(true, Ordering::Relaxed);
                }
                if looked.elapsed() > STOP_LOOK && !shared.is_leaving() {
                    looked = Instant::now();
                    match self.link.get(STOP) {
                        Ok(told) => shared.stopped.store(told.is_some(), Ordering::Relaxed),
                        Err(fault) => shared.leave(fault),
                    }
                }
                for stored in shared.queue.news() {
                    progress.say(&format!("found: {} ({} statements)", stored.title, stored.statements));
                }
                std::thread::sleep(PAUSE);
            }
        });
        let early = shared.is_leaving();
        let hurry = Instant::now() + Duration::from_secs_f64(INTERRUPT_GRACE_SECONDS);
        shared.queue.close(early.then_some(hurry));
        let settled = triage.join().map_err(|_| Fault::own("triage failed"))?;
        shared.queue.news().iter().for_each(|stored| progress.say(&format!("found: {}", stored.title)));
        match (settled, lock(&shared.fault).take()) {
            (Err(fault), _) | (_, Some(fault)) => {
                let text = format!("{fault}; this machine leaves campaign and leases to the others");
                Err(Fault { text, ..fault })
            }
            _ => Ok(Left { checks: lock(&shared.checks).values().sum(), leases, early }),
        }
    }

    /// One worker: a lease after the other.
    fn slot(&self, shared: &Shared) {
        while !shared.is_leaving() {
            if lock(&shared.unsettled).len() >= UNSETTLED_MOST * self.campaign.workers {
                std::thread::sleep(PAUSE);
                continue;
            }
            let more = self.link.next_lease(PULL).and_then(|held| match held {
                Some(held) => self.hunt(held, shared).map(|()| true),
                None => Ok(self.link.open_leases()? > 0 && !shared.stopped.load(Ordering::Relaxed)),
            });
            match more {
                Ok(true) => {}
                Ok(false) => return,
                Err(fault) => return shared.leave(fault),
            }
        }
    }

    /// Hunts one lease. What it brought goes to triage; the lease waits for that among the unsettled.
    fn hunt(&self, held: Held, shared: &Shared) -> Result<(), Fault> {
        if shared.is_leaving() {
            self.link.give_back(&held);
            return Ok(());
        }
        let number = held.lease.number;
        // The word that it is done may have got lost on its way.
        if let Some((text, _)) = self.link.get(&lease_key(number))?
            && serde_json::from_slice(&text).is_ok_and(|r: Record| r.done)
        {
            return self.link.done(&held);
        }
        let began = Instant::now();
        let mut record = Record { lease: number, member: self.name.clone(), began_ms: now_ms(), ..Record::default() };
        let ended = self.listen(&held, shared, &mut record, began);
        record.seconds = began.elapsed().as_secs_f64();
        record.told_ms = now_ms();
        if shared.is_leaving() || ended.is_err() {
            self.link.give_back(&held);
            return ended;
        }
        lock(&shared.unsettled).push(Unsettled { held, record, signed: Instant::now() });
        Ok(())
    }

    fn listen(&self, held: &Held, shared: &Shared, record: &mut Record, began: Instant) -> Result<(), Fault> {
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, news) = sync_channel(NEWS_WAITING);
        let keeper = self.campaign.keeper(record.lease, held.lease.checks, &self.scratch, &stop, tell);
        let (mut ended, mut signed) = (Ok(()), Instant::now());
        std::thread::scope(|scope| {
            scope.spawn(move || keeper.keep());
            loop {
                match news.recv_timeout(Duration::from_millis(DRAW_INTERVAL_MS)) {
                    Ok((_, news)) => {
                        record.part.hear(&news);
                        match news {
                            News::Violated(case) => {
                                self.campaign.suspect(Suspect { forms: vec![*case] }, &shared.queue);
                            }
                            News::Died { kind, forms, .. } => {
                                self.campaign.suspect_death(kind, forms, &shared.queue);
                            }
                            News::Ended(outcome) => ended = outcome,
                            _ => {}
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
                let over = held.lease.seconds.is_some_and(|s| began.elapsed().as_secs_f64() >= s);
                if over || shared.is_leaving() || shared.stopped.load(Ordering::Relaxed) {
                    stop.store(true, Ordering::Relaxed);
                }
                if signed.elapsed() > LEASE_SIGN {
                    signed = Instant::now();
                    self.link.sign(held);
                    record.seconds = began.elapsed().as_secs_f64();
                    record.told_ms = now_ms();
                    let brief = Record { part: record.part.in_brief(), ..record.clone() };
                    if let Err(fault) = self.tell(&brief) {
                        shared.leave(fault);
                    }
                }
            }
        });
        lock(&shared.checks).insert(record.lease, record.part.checks());
        ended
    }

    fn tell(&self, record: &Record) -> Result<(), Fault> {
        self.link.put(&lease_key(record.lease), &serde_json::to_vec(record).expect("plain data"))
    }

    /// Ends the leases of which all is settled and says of the others that they are not forgotten. Gives the number of
    /// those that were ended; the leaving machine gives all others back.
    fn settle(&self, shared: &Shared) -> u64 {
        let unsettled = std::mem::take(&mut *lock(&shared.unsettled));
        let (mut open, mut ended) = (Vec::new(), 0);
        for mut lease in unsettled {
            match shared.queue.counts_of(lease.record.lease) {
                Some(counts) => {
                    lease.record.part.counts = counts;
                    lease.record.done = true;
                    lease.record.met = lock(&shared.met).remove(&lease.record.lease).unwrap_or_default();
                    let told = self.tell(&lease.record).and_then(|()| self.link.done(&lease.held));
                    ended += u64::from(told.is_ok());
                    told.err().into_iter().for_each(|fault| shared.leave(fault));
                }
                None if shared.is_leaving() => self.link.give_back(&lease.held),
                None => {
                    if lease.signed.elapsed() > LEASE_SIGN {
                        self.link.sign(&lease.held);
                        lease.signed = Instant::now();
                    }
                    open.push(lease);
                }
            }
        }
        lock(&shared.unsettled).extend(open);
        ended
    }
}

pub const STOP: &str = "stop";

pub fn lease_key(number: u64) -> String {
    format!("lease.{number:06}")
}
