//! The other machines of a campaign, as triage knows them: the list of findings, to which one entry after the other
//! is added by whoever comes first, and who reduces what.
//!
//! The list is what keeps a bug from being reported twice. Entry N + 1 is created only by one who has read entries 1 to
//! N and found none of them to be the same bug; if someone else was faster, that entry is read too. So the rule of
//! `fingerprint::same_bug`, which is no equality, is kept by all machines together.

use super::leases::{Entry, Met, now_ms};
use super::link::Link;
use qualm_core::fault::Fault;
use qualm_run::peers::{PeerFinding, Peers};
use qualm_run::report::Finding;
use qualm_run::store::Duplicate;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Who reduces something and is not heard of for so long does not do so any more.
const REDUCING: Duration = Duration::from_secs(60);
/// Duplicates listed per lease; the others are counted.
const MET_REPORTED: usize = 500;
/// How often the list is looked at.
const LOOK: Duration = Duration::from_millis(500);

/// By lease.
pub type MetByLease = Arc<Mutex<BTreeMap<u64, Vec<Met>>>>;

pub struct Members {
    link: Arc<Link>,
    member: String,
    /// Entries read so far.
    read: u64,
    looked: Option<Instant>,
    /// Read, and not yet handed on.
    unheard: Vec<PeerFinding>,
    met: MetByLease,
    /// What others reduce: its revision, and since when it is seen to be that one.
    watched: BTreeMap<String, (u64, Instant)>,
}

impl Members {
    pub fn new(link: Arc<Link>, member: &str, met: MetByLease) -> Members {
        let (watched, unheard) = (BTreeMap::new(), Vec::new());
        Members { link, member: member.into(), read: 0, looked: None, unheard, met, watched }
    }

    /// Reads on from where the list was left. Own entries are known already.
    fn read_on(&mut self) -> Result<(), Fault> {
        while let Some((text, _)) = self.link.get(&finding_key(self.read + 1))? {
            self.read += 1;
            let entry: Entry = serde_json::from_slice(&text).map_err(|e| unclear(self.read, &e))?;
            if entry.member != self.member {
                self.unheard.push(entry.finding);
            }
        }
        self.looked = Some(Instant::now());
        Ok(())
    }
}

pub fn finding_key(number: u64) -> String {
    format!("finding.{number:06}")
}

pub fn unclear(number: u64, e: &dyn std::fmt::Display) -> Fault {
    Fault::usage(format!("cannot parse finding {number} of the campaign: {e}"))
}

fn files_of(finding: &Finding) -> Result<BTreeMap<String, String>, Fault> {
    let files = qualm_run::report::files(finding).map_err(|e| Fault::own(format!("cannot write a finding: {e}")))?;
    Ok(files.into_iter().collect())
}

impl Peers for Members {
    fn news(&mut self) -> Result<Vec<PeerFinding>, Fault> {
        if self.unheard.is_empty() && self.looked.is_none_or(|at| at.elapsed() > LOOK) {
            self.read_on()?;
        }
        Ok(std::mem::take(&mut self.unheard))
    }

    fn may_reduce(&mut self, looks: &str) -> Result<bool, Fault> {
        let key = format!("reducing.{looks}");
        if self.link.create_key(&key, self.member.as_bytes())? {
            self.watched.remove(looks);
            self.looked = None;
            return Ok(true);
        }
        let Some((who, revision)) = self.link.get(&key)? else { return Ok(false) };
        let since = self.watched.entry(looks.into()).or_insert((revision, Instant::now()));
        if since.0 != revision {
            *since = (revision, Instant::now());
        }
        let mine = who == self.member.as_bytes();
        let silent = since.1.elapsed() > REDUCING;
        // What others found meanwhile has to be known first.
        self.looked = None;
        Ok(mine || silent && self.link.update(&key, self.member.as_bytes(), revision)?)
    }

    fn reduced(&mut self, looks: &str) -> Result<(), Fault> {
        self.watched.remove(looks);
        self.link.delete(&format!("reducing.{looks}"))
    }

    fn announce(&mut self, announced: &PeerFinding, finding: &Finding) -> Result<bool, Fault> {
        self.read_on()?;
        if !self.unheard.is_empty() {
            return Ok(false);
        }
        // The files first: an entry without them would be a finding lost.
        let object = announced.folder.as_ref().map(|_| format!("{}-{}", announced.fingerprint.id, self.member));
        if let Some(name) = &object {
            let files = serde_json::to_vec(&files_of(finding)?).expect("plain data");
            self.link.put_object(name, &files)?;
        }
        let origin = finding.case.origin;
        let entry = Entry {
            finding: announced.clone(),
            member: self.member.clone(),
            object: object.clone(),
            origin,
            at_ms: now_ms(),
        };
        let text = serde_json::to_vec(&entry).expect("plain data");
        let key = finding_key(self.read + 1);
        if self.link.create_key(&key, &text)? || self.link.get(&key)?.is_some_and(|(there, _)| there == text) {
            self.read += 1;
            return Ok(true);
        }
        object.iter().for_each(|name| self.link.drop_object(name));
        Ok(false)
    }

    fn met(&mut self, fingerprint: &str, duplicate: &Duplicate) {
        let mut met = self.met.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let listed = met.entry(duplicate.origin.worker).or_default();
        if listed.len() < MET_REPORTED {
            listed.push(Met {
                fingerprint: fingerprint.into(),
                oracle: duplicate.oracle.into(),
                origin: duplicate.origin,
                reduced: duplicate.reduced,
            });
        }
    }
}
