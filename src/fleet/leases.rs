//! What a campaign is, as all its machines know it, and the leases that its budget is cut into.

use qualm_core::case::{CASE_FORMAT, Language, Origin};
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_core::known::KnownBug;
use qualm_core::session::Spoken;
use qualm_core::spec::HuntSpec;
use qualm_engines::url::shown;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::Part;
use qualm_run::peers::PeerFinding;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

/// Version of what is kept in NATS; raised when an older qualm would misunderstand it.
const FORMAT: u32 = 1;

/// The figures are read by people who compare them: as many leases as a small campaign has, and the most work that one
/// holds. Less work is not worth starting a process for.
const LEASES_LEAST: u64 = 64;
const LEASES_MOST: u64 = 65_536;
const LEASE_CHECKS_MOST: u64 = 50_000;
const LEASE_CHECKS_LEAST: u64 = 500;
const LEASE_SECONDS: f64 = 10.0;
const LEASE_SECONDS_LEAST: f64 = 2.0;

/// Who may take part: the same program, or what one machine finds another may not understand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Build {
    pub format: u32,
    pub qualm: String,
    pub case_format: u32,
}

impl Build {
    pub fn own() -> Build {
        Build { format: FORMAT, qualm: env!("CARGO_PKG_VERSION").into(), case_format: CASE_FORMAT }
    }

    /// A fault when it is not the one that is running.
    pub fn admit(&self, campaign: &str) -> Result<(), Fault> {
        let own = Build::own();
        if *self == own {
            return Ok(());
        }
        Err(Fault::usage(format!(
            "campaign '{campaign}' was started by qualm {} (fleet format {}, case format {}), this is qualm {} \
             ({}, {}); use the same version on all machines",
            self.qualm, self.format, self.case_format, own.qualm, own.format, own.case_format
        )))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Config {
    pub build: Build,
    /// Without its password: each machine names the engine for itself.
    pub engine: String,
    pub language: Language,
    #[serde(flatten)]
    pub spec: HuntSpec,
    pub budget: Budget,
    /// Of the machine that began it.
    pub workers: usize,
    pub known: Vec<KnownBug>,
    pub leases: u64,
    pub began_ms: u64,
}

/// A piece of the budget. Its number is the worker's, so that no two have the same random stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    pub number: u64,
    pub checks: Option<u64>,
    pub seconds: Option<f64>,
}

/// What came of a lease, or has come of it so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    pub lease: u64,
    pub member: String,
    pub done: bool,
    pub seconds: f64,
    pub began_ms: u64,
    #[serde(rename = "told_ms")]
    pub reported_ms: u64,
    pub part: Part,
    /// Cases of findings that are there already.
    pub met: Vec<Met>,
}

/// One line of a finding's list of duplicates.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Met {
    pub fingerprint: String,
    pub oracle: String,
    pub origin: Origin,
    pub reduced: bool,
}

/// An entry of the list of findings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    #[serde(rename = "told")]
    pub finding: PeerFinding,
    pub member: String,
    /// Where its files are; nothing for a known bug.
    pub object: Option<String>,
    pub origin: Origin,
    pub at_ms: u64,
}

pub fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

impl Config {
    pub fn of(campaign: &Campaign) -> Result<Config, Fault> {
        if campaign.ladder.is_some() {
            return Err(Fault::usage("--ladder does not work with --fleet; run 'qualm ladder' on the findings"));
        }
        if campaign.input.is_some() {
            return Err(Fault::usage("'qualm check' does not work with fleets"));
        }
        Ok(Config {
            build: Build::own(),
            engine: shown(&campaign.engine),
            language: campaign.language,
            spec: campaign.spec.clone(),
            budget: campaign.budget,
            workers: campaign.workers,
            known: campaign.known.clone(),
            leases: leases(campaign.budget, campaign.workers).len() as u64,
            began_ms: now_ms(),
        })
    }

    pub fn leases(&self) -> Vec<Lease> {
        leases(self.budget, self.workers)
    }

    /// The campaign's engine as this machine got it on its own command line. Whoever may write the configuration
    /// could have put a command there, or the path of a library: nothing is run because the configuration says so.
    pub fn allowed_engine<'a>(&self, allowed: &'a [String], campaign: &str) -> Result<&'a str, Fault> {
        if let Some(own) = allowed.iter().find(|own| shown(own) == self.engine) {
            return Ok(own);
        }
        let (engine, typed) = (escape::line(&self.engine), escape::shell(&self.engine));
        let but = match allowed {
            [] => String::new(),
            some => format!(", not {}", some.iter().map(|e| escape::shell(&shown(e))).collect::<Vec<_>>().join(", ")),
        };
        Err(Fault::usage(format!(
            "campaign '{campaign}' hunts in '{engine}'{but}; a machine runs only engines that its own command line \
             names: if you trust this one, add --allow-engine {typed}"
        )))
    }

    /// The campaign on this machine. What the engine speaks is only needed to hunt.
    pub fn campaign(&self, engine: &str, spoken: Spoken, workers: usize, interrupted: Arc<AtomicBool>) -> Campaign {
        Campaign {
            program: qualm_host::process::own_program(),
            engine: engine.to_owned(),
            build: String::new(),
            language: self.language,
            spoken,
            spec: self.spec.clone(),
            budget: self.budget,
            workers,
            stop_after: None,
            known: self.known.clone(),
            ladder: None,
            input: None,
            interrupted,
        }
    }
}

/// Leases that add up to the budget. Seconds are those of the workers that the hunt would have had alone.
fn leases(budget: Budget, workers: usize) -> Vec<Lease> {
    match budget {
        Budget::Checks(all) => {
            let finest = (all / LEASE_CHECKS_LEAST).max(1);
            let count = (all / LEASE_CHECKS_MOST).max(LEASES_LEAST).min(finest).min(LEASES_MOST);
            let checks = |number: u64| all / count + u64::from(number < all % count);
            (0..count).map(|number| Lease { number, checks: Some(checks(number)), seconds: None }).collect()
        }
        Budget::Seconds(seconds) => {
            let all = seconds * workers as f64;
            let finest = (all / LEASE_SECONDS_LEAST).max(1.0);
            let count = (all / LEASE_SECONDS).max(LEASES_LEAST as f64).min(finest).min(LEASES_MOST as f64).ceil();
            let seconds = Some(all / count);
            (0..count as u64).map(|number| Lease { number, checks: None, seconds }).collect()
        }
        Budget::Input => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_add_up_to_the_budget() {
        for all in [1, 499, 1_000, 64_000, 64_001, 10_000_000, 1 << 40] {
            let leases = leases(Budget::Checks(all), 3);
            assert_eq!(leases.iter().filter_map(|l| l.checks).sum::<u64>(), all);
            assert!(leases.iter().enumerate().all(|(i, l)| l.number == i as u64));
        }
        for all in [0.5, 7.0, 60.0, 86_400.0] {
            let sum: f64 = leases(Budget::Seconds(all), 2).iter().filter_map(|l| l.seconds).sum();
            assert!((sum - 2.0 * all).abs() < 1e-6, "{all}: {sum}");
        }
    }

    #[test]
    fn only_engines_of_the_own_command_line_are_run() {
        let json = r#"{"build":{"format":1,"qualm":"x","case_format":1},"engine":"ENGINE","language":"sql","oracles":[],
            "size":"small","budget":{"checks":1},"seed":1,"workers":1,"known":[],"timeout_ms":1,
            "seeds":{"scripts":[],"share":[1,2]},"rules":null,"threshold":{"ratio":2.0,"floor_ms":1.0},"tuning":"",
            "knobs":{"file":null,"choice":"plan"},"disputed":false,"leases":1,"began_ms":0}"#;
        let config = |engine: &str| -> Config { serde_json::from_str(&json.replace("ENGINE", engine)).unwrap() };
        let allowed = ["sqlite:3.28.0".to_owned(), "postgres://me:hunter2@h/db".to_owned()];
        assert_eq!(config("sqlite:3.28.0").allowed_engine(&allowed, "x").unwrap(), allowed[0]);
        assert_eq!(config("postgres://me:***@h/db").allowed_engine(&allowed, "x").unwrap(), allowed[1]);
        for other in ["sqlite", "sqlite:3.28.1", "exec:touch \\u001b]0;x", "postgres://me:***@elsewhere/db"] {
            let fault = config(other).allowed_engine(&allowed, "x").unwrap_err();
            assert!(fault.code == 2 && fault.text.contains("--allow-engine"), "{fault}");
            assert!(!fault.text.contains("hunter2") && !fault.text.contains('\u{1b}'), "{fault}");
        }
    }

    #[test]
    fn another_version_is_refused() {
        assert!(Build::own().admit("x").is_ok());
        let other = Build { qualm: "0.0.1".into(), ..Build::own() };
        let fault = other.admit("x").unwrap_err();
        assert!(fault.code == 2 && fault.text.contains("qualm 0.0.1"), "{fault}");
    }
}
