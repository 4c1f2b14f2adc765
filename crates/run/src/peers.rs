//! What triage has to know of other machines that hunt in the same campaign: which findings they have, and who reduces
//! what. The only kind there is lives in `fleet/`; a hunt on one machine has none.

use crate::fingerprint::{self, Fingerprint};
use crate::report::Finding;
use crate::store::{Duplicate, FINDINGS, finding_name};
use crate::triage::Settled;
use qualm_core::case::{Case, Evidence};
use qualm_core::fault::Fault;
use qualm_core::outside::PlainName;
use qualm_core::plan::Fnv;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use std::path::Path;
use std::time::Duration;

/// Cases that look like a finding of another machine and are nevertheless reduced here, per finding. The machine that
/// has the finding reduces as many as a hunt on one machine would; another one looks once for itself, since two bugs
/// may look alike before they are reduced.
pub const LIKELY_REDUCED: u64 = 1;

/// How often one looks whether another machine is done with something alike.
pub const POLL: Duration = Duration::from_millis(100);

pub trait Peers: Send {
    /// Findings of others since the last call.
    fn news(&mut self) -> Result<Vec<PeerFinding>, Fault>;

    /// Whether this machine is to reduce what looks like this; otherwise another one is at it. Asked again later.
    fn may_reduce(&mut self, looks: &str) -> Result<bool, Fault>;

    /// What looked like this is settled.
    fn reduced(&mut self, looks: &str) -> Result<(), Fault>;

    /// Reports a finding to the others. False if they reported something in the meantime: then there is news to look at
    /// first.
    fn announce(&mut self, announced: &PeerFinding, finding: &Finding) -> Result<bool, Fault>;

    /// A finding, by its fingerprint, was met once more.
    fn met(&mut self, fingerprint: &str, duplicate: &Duplicate);
}

/// A finding as machines send it to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PeerFinding {
    pub fingerprint: Fingerprint,
    pub oracle: String,
    pub title: String,
    /// The name of its folder; nothing for a known bug.
    pub folder: Option<PlainName>,
    /// Which of the known bugs it is.
    pub known: Option<usize>,
}

impl PeerFinding {
    pub fn of(finding: &Finding, known: Option<usize>) -> PeerFinding {
        PeerFinding {
            fingerprint: finding.fingerprint.clone(),
            oracle: finding.case.oracle.clone(),
            title: finding.title.clone(),
            // The store's names are plain.
            folder: PlainName::new(&finding_name(finding)).ok().filter(|_| known.is_none()),
            known,
        }
    }

    /// Its folder is one in this campaign's, whether or not this machine has it.
    pub fn settled(self, campaign: &Path) -> Settled {
        Settled {
            fingerprint: self.fingerprint,
            affected: None,
            oracle: self.oracle,
            title: self.title,
            folder: self.folder.map(|name| name.within(&campaign.join(FINDINGS))),
            known: self.known,
            seen: 1,
            likely: 0,
            elsewhere: true,
        }
    }
}

/// What can be said of a case before it is reduced. Two with the same words may be one bug, so that only one machine at
/// a time reduces such.
pub fn looks(case: &Case, evidence: &Evidence, cures: &[String]) -> String {
    let print = fingerprint::of(case, evidence, cures);
    let mut hasher = Fnv::default();
    let oracle = if print.cures.is_empty() { case.oracle.as_str() } else { "" };
    let parts = [print.kind.name(), &print.signature, oracle].into_iter();
    for part in parts.chain(print.cures.iter().map(String::as_str)) {
        hasher.write(part.as_bytes());
        hasher.write_u8(0);
    }
    format!("{:016x}", hasher.finish())
}
