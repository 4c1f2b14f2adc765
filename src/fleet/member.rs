//! One machine of a campaign: pulls leases, has them hunted by the same supervisors and workers as a hunt alone, and
//! reports what came of each.
//!
//! A lease is done when its checks are and all that they brought is settled; only then does the server forget it. While
//! triage is at it the machine goes on with the next ones. A machine that dies, or leaves, does nothing about the
//! leases it has: another one does them again, from the same seeds, and what was reported already is met again.

use super::leases::{Lease, Record, now_ms};
use super::link::{Held, LEASE_SIGN, Link};
use super::peers::{Members, MetByLease};
use qualm_core::fault::Fault;
use qualm_core::limits::{DRAW_INTERVAL_MS, INTERRUPT_GRACE_SECONDS, WATCH_INTERVAL_MS};
use qualm_host::process::Scratch;
use qualm_run::campaign::{Campaign, NEWS_WAITING};
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use qualm_run::supervisor::News;
use qualm_run::triage::Queue;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};

/// How long one request for a lease waits, and so how soon the end of a campaign is noticed.
const PULL: Duration = Duration::from_secs(1);
/// Leases of one machine, per worker, that wait for triage; then its workers wait too.
const UNSETTLED_MOST: usize = 8;
/// How often a machine looks whether the campaign is to stop.
const STOP_LOOK: Duration = Duration::from_secs(2);
/// The share of the time that the last lease took after which the next one is asked for.
const NEARLY: f64 = 0.75;
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
    /// All leases that this machine has, and when the server last heard of it.
    held: Mutex<Vec<(Weak<Held>, Instant)>>,
    /// Hunted, and not yet settled.
    unsettled: Mutex<Vec<Unsettled>>,
    met: MetByLease,
    /// The machine leaves: by a fault, or because it was stopped.
    leaving: AtomicBool,
    fault: Mutex<Option<Fault>>,
    /// The campaign is to end.
    stopped: AtomicBool,
    /// Checks so far, by lease, for who watches.
    checks: Mutex<BTreeMap<u64, u64>>,
}

/// A worker as its slot has it: what it is to do, what it reports, and the word to end.
struct Hands {
    orders: Sender<Lease>,
    news: Receiver<(usize, News)>,
    stop: Arc<AtomicBool>,
    /// Seconds that the last lease took, and by how much that was more than it should have.
    took: Cell<f64>,
    late: Cell<f64>,
}

struct Unsettled {
    held: Arc<Held>,
    record: Record,
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
            queue: Arc::new(Queue::keeping(self.store.clone())),
            held: Mutex::default(),
            unsettled: Mutex::default(),
            met: Arc::default(),
            leaving: AtomicBool::new(false),
            fault: Mutex::default(),
            stopped: AtomicBool::new(false),
            checks: Mutex::default(),
        };
        let peers = Members::new(self.link.clone(), &self.name, shared.met.clone());
        let (store, scratch, queue) = (self.store.clone(), self.scratch.clone(), shared.queue.clone());
        let triage = self.campaign.start_triage(store, scratch, queue, Some(Box::new(peers)));
        let mut leases = 0;
        std::thread::scope(|scope| {
            let slots: Vec<_> = (0..self.campaign.workers).map(|_| scope.spawn(|| self.slot(&shared))).collect();
            let mut looked = Instant::now();
            while slots.iter().any(|s| !s.is_finished()) || !lock(&shared.unsettled).is_empty() {
                self.sign(&shared);
                leases += self.settle(&shared);
                if self.campaign.interrupted.load(Ordering::Relaxed) || triage.is_finished() {
                    shared.leaving.store(true, Ordering::Relaxed);
                }
                if looked.elapsed() > STOP_LOOK && !shared.is_leaving() {
                    looked = Instant::now();
                    match self.link.get(STOP) {
                        Ok(word) => shared.stopped.store(word.is_some(), Ordering::Relaxed),
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
        let (_, settled) = triage.join().map_err(|_| Fault::own("triage failed"))?;
        shared.queue.news().iter().for_each(|stored| progress.say(&format!("found: {}", stored.title)));
        match (settled, lock(&shared.fault).take()) {
            (Err(fault), _) | (_, Some(fault)) => {
                let text = format!("{fault}; this machine leaves the campaign and returns its leases");
                Err(Fault { text, ..fault })
            }
            _ => Ok(Left { checks: lock(&shared.checks).values().sum(), leases, early }),
        }
    }

    /// One worker: a lease after the other, all of them done by one process as long as it lives. It dies with the
    /// thread that started it, which therefore is the same for all leases.
    fn slot(&self, shared: &Shared) {
        let stop = Arc::new(AtomicBool::new(false));
        let (sender, news) = sync_channel(NEWS_WAITING);
        let (orders, ordered) = channel::<Lease>();
        let mut supervisor = self.campaign.supervisor(0, None, &self.scratch, &stop, sender);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                ordered.iter().for_each(|lease| supervisor.keep_one(lease.number, lease.checks));
                supervisor.dismiss();
            });
            self.take_leases(shared, &Hands { orders, news, stop, took: Cell::new(f64::MAX), late: Cell::new(0.0) });
        });
    }

    /// The next lease is asked for shortly before the present one is over, so that the worker need not wait for it.
    fn take_leases(&self, shared: &Shared, hands: &Hands) {
        std::thread::scope(|scope| {
            let mut ahead: Option<ScopedJoinHandle<Result<Option<Arc<Held>>, Fault>>> = None;
            let wait = |asked: ScopedJoinHandle<_>| asked.join().unwrap_or_else(|_| Err(Fault::own("a thread failed")));
            while !shared.is_leaving() {
                if lock(&shared.unsettled).len() >= UNSETTLED_MOST * self.campaign.workers {
                    std::thread::sleep(PAUSE);
                    continue;
                }
                let next = ahead.take().map_or_else(|| self.next(shared), wait);
                let mut nearly_over = || {
                    ahead.get_or_insert_with(|| scope.spawn(|| self.next(shared)));
                };
                let more = next.and_then(|held| match held {
                    Some(held) => self.hunt(held, hands, shared, &mut nearly_over).map(|()| true),
                    None => Ok(self.link.open_leases()? > 0 && !shared.stopped.load(Ordering::Relaxed)),
                });
                match more {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(fault) => shared.leave(fault),
                }
            }
            if let Some(Ok(Some(held))) = ahead.map(wait) {
                self.link.give_back(&held);
            }
        });
    }

    /// A lease, if one comes soon. From now on the server gets signs that it is not forgotten.
    fn next(&self, shared: &Shared) -> Result<Option<Arc<Held>>, Fault> {
        while let Some(held) = self.link.next_lease(PULL)? {
            // The word that it is done may have got lost on its way.
            let record = self.link.get(&lease_key(held.lease.number))?;
            if record.is_some_and(|(text, _)| serde_json::from_slice(&text).is_ok_and(|r: Record| r.done)) {
                self.link.done(&held);
                continue;
            }
            let held = Arc::new(held);
            lock(&shared.held).push((Arc::downgrade(&held), Instant::now()));
            return Ok(Some(held));
        }
        Ok(None)
    }

    /// Hunts one lease. What it brought goes to triage; the lease waits for that among the unsettled.
    fn hunt(
        &self,
        held: Arc<Held>,
        hands: &Hands,
        shared: &Shared,
        nearly_over: &mut dyn FnMut(),
    ) -> Result<(), Fault> {
        if shared.is_leaving() {
            self.link.give_back(&held);
            return Ok(());
        }
        let (lease, member) = (held.lease.number, self.name.clone());
        let mut record = Record { lease, member, began_ms: now_ms(), ..Record::default() };
        hands.stop.store(false, Ordering::Relaxed);
        // One who cannot take it any more is noticed when it is listened to.
        let _ = hands.orders.send(held.lease.clone());
        let ended = self.listen(&held.lease, hands, shared, &mut record, nearly_over);
        if shared.is_leaving() || ended.is_err() {
            self.link.give_back(&held);
            return ended;
        }
        lock(&shared.unsettled).push(Unsettled { held, record });
        Ok(())
    }

    fn listen(
        &self,
        lease: &Lease,
        hands: &Hands,
        shared: &Shared,
        record: &mut Record,
        nearly_over: &mut dyn FnMut(),
    ) -> Result<(), Fault> {
        let (began, mut reported) = (Instant::now(), Instant::now());
        // Seconds that the one before took too long are taken off, so that the sum is right.
        let seconds = lease.seconds.map(|s| s - hands.late.get());
        let ended = loop {
            let left = seconds.map(|s| Duration::try_from_secs_f64(s - record.seconds).unwrap_or_default());
            let patience = Duration::from_millis(DRAW_INTERVAL_MS).min(left.unwrap_or(Duration::MAX));
            match hands.news.recv_timeout(patience.max(Duration::from_millis(WATCH_INTERVAL_MS))) {
                Ok((_, news)) => {
                    record.part.hear(&news);
                    if let Some(outcome) = self.campaign.pass_on(news, &shared.queue) {
                        break outcome;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Err(Fault::own("the supervisor of a worker failed")),
            }
            (record.seconds, record.reported_ms) = (began.elapsed().as_secs_f64(), now_ms());
            let over = seconds.is_some_and(|s| record.seconds >= s);
            if over || shared.is_leaving() || shared.stopped.load(Ordering::Relaxed) {
                hands.stop.store(true, Ordering::Relaxed);
            } else if record.seconds > NEARLY * hands.took.get() {
                nearly_over();
            }
            if reported.elapsed() > LEASE_SIGN {
                reported = Instant::now();
                let brief = Record { part: record.part.in_brief(), ..record.clone() };
                self.report(&brief).unwrap_or_else(|fault| shared.leave(fault));
            }
        };
        (record.seconds, record.reported_ms) = (began.elapsed().as_secs_f64(), now_ms());
        hands.took.set(record.seconds);
        hands.late.set(seconds.map_or(0.0, |s| record.seconds - s));
        lock(&shared.checks).insert(record.lease, record.part.checks());
        ended
    }

    fn report(&self, record: &Record) -> Result<(), Fault> {
        self.link.put(&lease_key(record.lease), &serde_json::to_vec(record).expect("plain data"))
    }

    /// Ends the leases of which all is settled. Gives their number; the leaving machine gives all others back.
    fn settle(&self, shared: &Shared) -> u64 {
        let unsettled = std::mem::take(&mut *lock(&shared.unsettled));
        let (mut open, mut ended) = (Vec::new(), 0);
        for mut lease in unsettled {
            match shared.queue.counts_of(lease.record.lease) {
                Some(counts) => {
                    lease.record.part.counts = counts;
                    lease.record.done = true;
                    lease.record.met = lock(&shared.met).remove(&lease.record.lease).unwrap_or_default();
                    match self.report(&lease.record) {
                        Ok(()) => {
                            self.link.done(&lease.held);
                            ended += 1;
                        }
                        Err(fault) => shared.leave(fault),
                    }
                }
                None if shared.is_leaving() => self.link.give_back(&lease.held),
                None => open.push(lease),
            }
        }
        lock(&shared.unsettled).extend(open);
        ended
    }

    /// Says of all leases that this machine has that they are not forgotten.
    fn sign(&self, shared: &Shared) {
        lock(&shared.held).retain_mut(|(held, signed)| {
            let Some(held) = held.upgrade() else { return false };
            if signed.elapsed() > LEASE_SIGN {
                self.link.sign(&held);
                *signed = Instant::now();
            }
            true
        });
    }
}

pub const STOP: &str = "stop";

pub fn lease_key(number: u64) -> String {
    format!("lease.{number:06}")
}
