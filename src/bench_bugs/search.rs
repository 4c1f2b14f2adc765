//! Search power: one hunt in each buggy release, and whether what it found shows there and not in the fixed release.

use super::corpus::Bug;
use super::{ENGINE, Releases};
use crate::affected::Stand;
use crate::campaign::{Budget, Campaign};
use crate::case::Case;
use crate::cli::{cores, oracles_of};
use crate::engine::lookup;
use crate::explore::Size;
use crate::fault::Fault;
use crate::fingerprint::Kind;
use crate::isolated;
use crate::ladder::Ladder;
use crate::limits::STATEMENT_TIMEOUT_MS;
use crate::process::{Scratch, own_program};
use crate::progress::Progress;
use crate::store::{self, Store};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a hunt says about one bug.
#[derive(Serialize)]
pub struct Found {
    pub findings: usize,
    /// Findings that show in the buggy release and are right in the fixed one.
    pub like_it: usize,
    /// The title of one of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// The findings of a hunt in each release that some bug needs.
pub struct Hunts {
    findings: BTreeMap<String, Vec<(String, Kind, Case)>>,
}

pub fn hunts(bugs: &[Bug], releases: &Releases, seconds: f64, seed: u64) -> Result<Hunts, Fault> {
    let mut findings = BTreeMap::new();
    for bug in bugs {
        if !findings.contains_key(&bug.buggy) {
            eprintln!("hunting in {ENGINE} {} for {seconds} s", bug.buggy);
            findings.insert(bug.buggy.clone(), hunt(releases.engine(&bug.buggy), seconds, seed)?);
        }
    }
    Ok(Hunts { findings })
}

fn hunt(engine: &str, seconds: f64, seed: u64) -> Result<Vec<(String, Kind, Case)>, Fault> {
    let (spec, _) = lookup(engine).map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
    let scratch = Arc::new(Scratch::create().map_err(|e| Fault::own(format!("cannot make a temporary folder: {e}")))?);
    let out = scratch.path().join("out");
    let store = Arc::new(Store::create(Some(&out))?);
    let campaign = Campaign {
        program: own_program(),
        engine: engine.into(),
        language: spec.language,
        dialect: isolated::connect(engine)?.dialect(),
        oracles: oracles_of(spec.language, &[])?,
        size: Size::default(),
        budget: Budget::Seconds(seconds),
        seed,
        workers: cores(),
        known: Vec::new(),
        ladder: None,
        timeout_ms: STATEMENT_TIMEOUT_MS,
        seeds: crate::lang::sql::seeds::built_in(),
        rules: None,
        interrupted: Arc::new(AtomicBool::new(false)),
    };
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
    pub fn about(&self, bug: &Bug, releases: &Releases) -> Result<Found, Fault> {
        let none = Vec::new();
        let findings = self.findings.get(&bug.buggy).unwrap_or(&none);
        let engines = vec![releases.engine(&bug.buggy).to_owned(), releases.engine(&bug.fixed).to_owned()];
        let ladder = Ladder { engines, timeout_ms: STATEMENT_TIMEOUT_MS };
        let mut found = Found { findings: findings.len(), like_it: 0, title: None };
        for (title, kind, case) in findings {
            let affected = ladder.climb(case, Some(*kind))?;
            let stand = |release: &str| affected.rungs.iter().find(|r| r.release == release).map(|r| &r.stand);
            if stand(&bug.buggy) == Some(&Stand::Shows) && stand(&bug.fixed) == Some(&Stand::Right) {
                found.like_it += 1;
                found.title.get_or_insert_with(|| title.clone());
            }
        }
        Ok(found)
    }
}
