//! Search power: one hunt in each buggy release, and whether what it found shows there and not in the fixed release;
//! better still, in exactly those of all releases at hand that have the bug.

use super::corpus::Bug;
use super::{Releases, power};
use crate::cli::{cores, oracles_of};
use qualm_core::case::Case;
use qualm_core::fault::Fault;
use qualm_core::spec::HuntSpec;
use qualm_host::process::Scratch;
use qualm_run::affected::{Affected, Stand};
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::fingerprint::Kind;
use qualm_run::isolated;
use qualm_run::ladder::Ladder;
use qualm_run::progress::Progress;
use qualm_run::store::{self, Store};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a hunt says about one bug.
#[derive(Serialize)]
pub struct Found {
    pub findings: usize,
    /// Findings that show in the buggy release and are right in the fixed one.
    pub like_it: usize,
    /// Those of them that agree with the bug in every release that can say for both.
    pub same_range: usize,
    /// The title of one of them, rather of the latter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// A finding and where it shows.
struct Seen {
    title: String,
    affected: Affected,
}

/// The findings of a hunt in each release that some bug needs, and which releases have which bug.
pub struct Hunts {
    findings: BTreeMap<String, Vec<Seen>>,
    /// By bug and release: whether the release has the bug, where it can say.
    have: BTreeMap<String, BTreeMap<String, bool>>,
}

pub fn hunts(bugs: &[Bug], releases: &Releases, seconds: f64, seed: u64) -> Result<Hunts, Fault> {
    let ladder = releases.ladder()?;
    let have = holders(bugs, releases, &ladder);
    let mut findings = BTreeMap::new();
    for bug in bugs {
        if !findings.contains_key(&bug.buggy) {
            errln!("hunting in {} {} for {seconds} s", releases.name, bug.buggy);
            let mut seen = Vec::new();
            for (title, kind, case) in hunt(releases.engine(&bug.buggy), seconds, seed)? {
                seen.push(Seen { title, affected: ladder.climb(&case, Some(kind))? });
            }
            findings.insert(bug.buggy.clone(), seen);
        }
    }
    Ok(Hunts { findings, have })
}

/// By bug and release: whether the release has the bug, where it can say.
pub fn holders(bugs: &[Bug], releases: &Releases, ladder: &Ladder) -> BTreeMap<String, BTreeMap<String, bool>> {
    let mut have: BTreeMap<String, BTreeMap<String, bool>> = BTreeMap::new();
    for engine in &ladder.engines {
        // A release that cannot be loaded says nothing; those that a bug needs are opened elsewhere and must be there.
        let Ok(mut isolated) = releases.open_engine(engine) else { continue };
        let release = isolated.version.rsplit(' ').next().unwrap_or_default().to_owned();
        for bug in bugs {
            if let Some(has) = power::has(bug, &mut isolated) {
                have.entry(bug.id.clone()).or_default().insert(release.clone(), has);
            }
        }
    }
    have
}

fn hunt(engine: &str, seconds: f64, seed: u64) -> Result<Vec<(String, Kind, Case)>, Fault> {
    let scratch =
        Arc::new(Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?);
    let out = scratch.path().join("out");
    let store = Arc::new(Store::create(Some(&out))?);
    let spoken = isolated::connect(engine)?.spoken();
    let spec = HuntSpec {
        oracles: oracles_of(spoken.language(), &[])?,
        seed,
        seeds: qualm_lang::sql::seeds::built_in(),
        ..HuntSpec::default()
    };
    let campaign = Campaign { workers: cores(), ..Campaign::plain(engine, spoken, spec, Budget::Seconds(seconds)) };
    campaign.run(store.clone(), scratch.clone(), &mut Progress::quiet())?;
    let mut found = Vec::new();
    for folder in store.finding_folders() {
        if let Some(meta) = store::read_meta(&folder) {
            found.push((meta.title, meta.kind, store::read_case(&folder)?));
        }
    }
    Ok(found)
}

impl Hunts {
    pub fn about(&self, bug: &Bug) -> Found {
        let findings = self.findings.get(&bug.buggy).map_or(&[][..], Vec::as_slice);
        let none = BTreeMap::new();
        let have = self.have.get(&bug.id).unwrap_or(&none);
        let mut found = Found { findings: findings.len(), like_it: 0, same_range: 0, title: None };
        for seen in findings {
            let shows = |release: &str| shows(&seen.affected, release);
            if shows(&bug.buggy) != Some(true) || shows(&bug.fixed) != Some(false) {
                continue;
            }
            found.like_it += 1;
            let same = agrees(&seen.affected, bug, have);
            if same {
                found.same_range += 1;
            }
            if found.title.is_none() || same && found.same_range == 1 {
                found.title = Some(seen.title.clone());
            }
        }
        found
    }
}

/// Whether a finding shows in just those releases that have the bug, as far as both can be tried.
pub fn agrees(affected: &Affected, bug: &Bug, have: &BTreeMap<String, bool>) -> bool {
    let shows = |release: &str| shows(affected, release);
    shows(&bug.buggy) == Some(true)
        && shows(&bug.fixed) == Some(false)
        && have.iter().all(|(release, has)| shows(release).is_none_or(|shows| shows == *has))
}

fn shows(affected: &Affected, release: &str) -> Option<bool> {
    match affected.rungs.iter().find(|r| r.release == release)?.stand {
        Stand::Shows => Some(true),
        Stand::Right => Some(false),
        _ => None,
    }
}
