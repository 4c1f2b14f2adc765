//! `qualm ci`: first the findings that are known, each of which must be gone or stand in the file of known bugs, then a
//! hunt for new ones. The exit code says which of it went wrong.

use crate::hunt::Hunt;
use crate::outputs::junit::{Outcome, Test};
use clap::Args;
use qualm_core::case::Case;
use qualm_core::escape;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE, Fault};
use qualm_core::known::KnownBug;
use qualm_core::relation::Verdict;
use qualm_engines::url::shown;
use qualm_host::process::{Scratch, own_program};
use qualm_run::history;
use qualm_run::isolated::Isolated;
use qualm_run::progress::{Progress, summary_text};
use qualm_run::report::{Meta, collect, counted, one_line};
use qualm_run::series::{Began, Series};
use qualm_run::store::{self, Store};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[derive(Args)]
pub struct Ci {
    #[command(flatten)]
    hunt: Hunt,
    /// Folders of earlier findings to replay
    #[arg(long, value_name = "DIR", value_delimiter = ',')]
    findings: Vec<PathBuf>,
    /// Only replay findings, do not hunt
    #[arg(long)]
    no_hunt: bool,
}

/// A finding that was run again.
#[derive(Serialize)]
struct Replayed {
    folder: PathBuf,
    title: String,
    fingerprint: String,
    result: Stand,
    why: String,
    /// What the engine that it was run on calls itself.
    version: String,
    seconds: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Stand {
    Gone,
    /// Still there, and in the file of known bugs.
    Known,
    StillThere,
    CannotBeJudged,
    OfAnotherEngine,
}

impl Stand {
    fn words(self) -> &'static str {
        match self {
            Stand::Gone => "gone",
            Stand::Known => "known",
            Stand::StillThere => "STILL THERE",
            Stand::CannotBeJudged => "cannot be judged",
            Stand::OfAnotherEngine => "for another engine",
        }
    }
}

impl Replayed {
    /// For the history: whether the bug is there. Nothing where that is not known.
    fn judged(&self) -> Option<history::Replayed> {
        let gone = match self.result {
            Stand::Gone => true,
            Stand::Known | Stand::StillThere => false,
            Stand::CannotBeJudged | Stand::OfAnotherEngine => return None,
        };
        Some(history::Replayed { fingerprint: self.fingerprint.clone(), version: self.version.clone(), gone })
    }
}

impl Ci {
    pub fn run(self) -> Result<u8, Fault> {
        let known = self.hunt.known()?;
        let replayed = self.replay(&known)?;
        let seen: Vec<KnownBug> =
            replayed.iter().filter(|r| r.result == Stand::StillThere).map(already_reported).collect();
        let mut progress = Progress::new();
        let summary = match self.no_hunt {
            true => None,
            false => Some(self.hunt.hunt(&mut progress, seen)?),
        };
        self.note(&replayed, summary.as_ref().map(|s| s.folder.as_path()))?;
        let exit = exit_code(&replayed, summary.as_ref().map_or(EXIT_CLEAN, |s| s.exit));
        let folders: Vec<PathBuf> = summary.iter().map(|s| s.folder.clone()).collect();
        let tests: Vec<Test> = replayed.iter().map(test).collect();
        self.hunt.outputs.write(&folders, &tests)?;
        if self.hunt.json {
            err!("{}", summary.as_ref().map(summary_text).unwrap_or_default());
            let result = serde_json::json!({ "replayed": replayed, "hunt": summary, "exit": exit });
            outln!("{}", escape::json(&result.to_string()));
        } else {
            out!("{}", summary.as_ref().map(summary_text).unwrap_or_default());
        }
        errln!("{}", verdict(&replayed, summary.as_ref().map(|s| s.counts.findings), exit));
        Ok(exit)
    }

    /// Keeps what was replayed for the history: beside the findings of the hunt, or in the folder of `--out`.
    fn note(&self, replayed: &[Replayed], hunted: Option<&Path>) -> Result<(), Fault> {
        let judged: Vec<history::Replayed> = replayed.iter().filter_map(Replayed::judged).collect();
        let store = match (hunted, self.hunt.out()) {
            (Some(folder), _) => Store::of(folder),
            (None, Some(out)) if !judged.is_empty() => {
                let store = Store::create(Some(out))?;
                let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
                Series::of(store.folder(), &Began { engine: shown(self.hunt.engine()?), ..Began::at(at) });
                store
            }
            (None, _) => return Ok(()),
        };
        let failed = |e: std::io::Error| Fault::own(format!("cannot note what was replayed: {e}"));
        judged.iter().try_for_each(|line| store.add_replayed(line)).map_err(failed)?;
        crate::history::note(store.folder());
        Ok(())
    }

    fn replay(&self, known: &[KnownBug]) -> Result<Vec<Replayed>, Fault> {
        if self.findings.is_empty() {
            return Ok(Vec::new());
        }
        if let Some(missing) = self.findings.iter().find(|f| !f.is_dir()) {
            return Err(Fault::usage(format!(
                "'{}' is not a folder; give --findings a folder of findings",
                missing.display()
            )));
        }
        let found = collect::collect_any(&self.findings);
        let of_campaigns = found.campaigns.iter().flat_map(|c| collect::findings_of(c));
        let folders: Vec<PathBuf> =
            of_campaigns.chain(found.single).filter(|f| f.join(store::CASE_FILE).exists()).collect();
        let engine = self.hunt.engine()?;
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let mut isolated = Isolated::open(&own_program(), engine, self.hunt.spec.timeout_ms, Arc::new(scratch))?;
        let are = if folders.len() == 1 { "is" } else { "are" };
        errln!("{} {are} replayed on {}", counted(folders.len(), "finding"), one_line(&isolated.version));
        let mut all = Vec::new();
        for folder in folders {
            let replayed = replay_one(folder, engine, &mut isolated, known)?;
            let why = if replayed.why.is_empty() { String::new() } else { format!(" ({})", replayed.why) };
            let (stand, folder) = (replayed.result.words(), replayed.folder.display());
            let line = format!("{} [{}] {folder}{why}", replayed.title, replayed.fingerprint);
            errln!("  {stand:<17} {}", one_line(&line));
            all.push(replayed);
        }
        Ok(all)
    }
}

fn replay_one(folder: PathBuf, engine: &str, isolated: &mut Isolated, known: &[KnownBug]) -> Result<Replayed, Fault> {
    let case = store::read_case(&folder)?;
    let meta = store::read_meta(&folder)
        .ok_or_else(|| Fault::usage(format!("'{}' has no readable meta.json", folder.display())))?;
    let began = Instant::now();
    let family = |name: &str| name.split(':').next().unwrap_or_default().to_owned();
    let (result, why) = if family(&meta.engine) == family(engine) {
        judge(&case, &meta, isolated, known)
    } else {
        (Stand::OfAnotherEngine, meta.engine.clone())
    };
    let (seconds, version) = (began.elapsed().as_secs_f64(), isolated.version.clone());
    Ok(Replayed { folder, title: meta.title, fingerprint: meta.fingerprint, result, why, version, seconds })
}

fn judge(case: &Case, meta: &Meta, isolated: &mut Isolated, known: &[KnownBug]) -> (Stand, String) {
    let evidence = isolated.run(case);
    let mut texts = vec![meta.title.as_str(), meta.signature.as_str()];
    texts.extend(case.script.iter().map(|s| s.text.as_str()));
    let listed = known.iter().find(|bug| bug.fits(&meta.fingerprint, &texts));
    match (&evidence.verdict, listed) {
        (Verdict::NotComparable { why }, _) => (Stand::CannotBeJudged, one_line(why)),
        (verdict, Some(bug)) if verdict.is_bug() => (Stand::Known, bug.reason.clone()),
        (verdict, None) if verdict.is_bug() => (Stand::StillThere, String::new()),
        (_, Some(_)) => (Stand::Gone, "its line in the file of known bugs can be removed".into()),
        (_, None) => (Stand::Gone, String::new()),
    }
}

/// So that the hunt does not report again what was just reported.
fn already_reported(replayed: &Replayed) -> KnownBug {
    KnownBug {
        fingerprint: Some(replayed.fingerprint.clone()),
        pattern: None,
        reason: "still there, as reported above".into(),
        link: String::new(),
    }
}

/// New or old findings first, then what kept the hunt from being one, then cases that say nothing here.
fn exit_code(replayed: &[Replayed], hunt: u8) -> u8 {
    let any = |stand: Stand| replayed.iter().any(|r| r.result == stand);
    match hunt {
        _ if any(Stand::StillThere) => EXIT_FINDINGS,
        EXIT_CLEAN if any(Stand::CannotBeJudged) => EXIT_USAGE,
        other => other,
    }
}

fn test(replayed: &Replayed) -> Test {
    let why = || replayed.why.clone();
    let result = match replayed.result {
        Stand::Gone => Outcome::Passed,
        Stand::Known => Outcome::Skipped(format!("known: {}", why())),
        Stand::OfAnotherEngine => Outcome::Skipped(format!("for another engine: {}", why())),
        Stand::StillThere => {
            let line = format!("still there; qualm replay {}", escape::shell(&replayed.folder.display().to_string()));
            Outcome::Failed(line.clone(), line)
        }
        Stand::CannotBeJudged => Outcome::Broken(format!("cannot be judged: {}", why())),
    };
    let name = format!("{} [{}]", replayed.title, replayed.fingerprint);
    Test { group: "qualm.replay".into(), name, result, seconds: replayed.seconds }
}

fn verdict(replayed: &[Replayed], new: Option<u64>, exit: u8) -> String {
    let count = |stand: Stand| replayed.iter().filter(|r| r.result == stand).count();
    let mut parts = Vec::new();
    for stand in [Stand::StillThere, Stand::Known, Stand::Gone, Stand::CannotBeJudged, Stand::OfAnotherEngine] {
        if count(stand) > 0 {
            parts.push(format!("{} {}", count(stand), stand.words()));
        }
    }
    parts.extend(new.map(|n| format!("{n} new")));
    format!("ci: {}; exit code {exit}", parts.join(", "))
}
