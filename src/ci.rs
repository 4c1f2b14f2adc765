//! `qualm ci`: first the findings that are known, each of which must be gone or stand in the file of known bugs, then a
//! hunt for new ones. The exit code says which of it went wrong.

use crate::hunt::Hunt;
use crate::outputs::junit::{Outcome, Test};
use clap::{Args, ValueEnum};
use qualm_core::case::Case;
use qualm_core::escape;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_USAGE, Fault};
use qualm_core::known::KnownBug;
use qualm_core::relation::Verdict;
use qualm_engines::url::shown;
use qualm_host::console::{self, Paint};
use qualm_host::process::{Scratch, own_program};
use qualm_run::figures::Summary;
use qualm_run::fingerprint::Kind;
use qualm_run::history;
use qualm_run::isolated::Isolated;
use qualm_run::progress::summary_text;
use qualm_run::report::{Meta, collect, counted, one_line};
use qualm_run::series::{Began, Series};
use qualm_run::store::{self, Store};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

#[derive(Args)]
pub struct Ci {
    /// Folders of earlier findings to replay
    #[arg(long, help_heading = "Known findings", value_name = "DIR", value_delimiter = ',')]
    findings: Vec<PathBuf>,
    /// Only replay findings, do not hunt
    #[arg(long, help_heading = "Known findings")]
    no_hunt: bool,
    /// What fails the build: findings that are new, any finding that is not listed as known, or only crashes and hangs
    #[arg(long, help_heading = "Known findings", value_name = "WHAT", value_enum, default_value_t = FailOn::Any)]
    fail_on: FailOn,
    #[command(flatten)]
    hunt: Hunt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FailOn {
    New,
    Any,
    Crash,
}

/// A finding that was run again.
#[derive(Serialize)]
struct Replayed {
    folder: PathBuf,
    title: String,
    fingerprint: String,
    #[serde(skip)]
    older: Vec<String>,
    #[serde(skip)]
    kind: Kind,
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
    /// Replays these findings as well.
    pub fn replay_too(&mut self, findings: Vec<PathBuf>) {
        self.findings.extend(findings);
    }

    pub fn run(self) -> Result<u8, Fault> {
        self.hunt.outputs.have_room(self.hunt.out())?;
        let known = self.hunt.known()?;
        let replayed = self.replay(&known)?;
        let seen: Vec<KnownBug> =
            replayed.iter().filter(|r| r.result == Stand::StillThere).flat_map(already_reported).collect();
        if self.no_hunt && replayed.is_empty() {
            let why = "nothing to do: --no-hunt, and no finding to replay; give --findings a folder with findings";
            return Err(Fault::usage(why));
        }
        if self.no_hunt && replayed.iter().all(|r| r.result == Stand::OfAnotherEngine) {
            return Err(Fault::usage(nothing_for(self.hunt.engine()?, &replayed)));
        }
        let mut progress = self.hunt.progress();
        let summary = match self.no_hunt {
            true => None,
            false => Some(self.hunt.hunt(&mut progress, seen)?),
        };
        self.note(&replayed, summary.as_ref().map(|s| s.folder.as_path()))?;
        let folders: Vec<PathBuf> = summary.iter().map(|s| s.folder.clone()).collect();
        let exit = self.exit_code(&replayed, summary.as_ref());
        let tests: Vec<Test> = replayed.iter().map(test).collect();
        let is_there = |r: &&Replayed| r.result == Stand::StillThere;
        let still: Vec<PathBuf> = replayed.iter().filter(is_there).map(|r| r.folder.clone()).collect();
        self.hunt.outputs.write_with(&folders, &tests, &still)?;
        if self.hunt.json {
            if !self.hunt.quiet {
                err!("{}", summary.as_ref().map(summary_text).unwrap_or_default());
            }
            let result = serde_json::json!({ "replayed": replayed, "hunt": summary, "exit": exit });
            outln!("{}", escape::json(&result.to_string()));
        } else if !self.hunt.quiet {
            out!("{}", summary.as_ref().map(summary_text).unwrap_or_default());
        }
        errln!("{}", verdict(&replayed, summary.as_ref().map(|s| s.counts.findings), exit));
        Ok(exit)
    }

    /// What `--fail-on` counts. A hunt that could not be one fails the build in any case.
    fn exit_code(&self, replayed: &[Replayed], summary: Option<&Summary>) -> u8 {
        let hunt = summary.map_or(EXIT_CLEAN, |s| s.exit);
        let counts = |kind: Kind| self.fail_on != FailOn::Crash || breaks(kind);
        let new = summary.is_some_and(|s| collect::findings_of(&s.folder).iter().any(|f| counts(kind_of(f))));
        let pending = summary.is_some_and(|s| s.counts.pending > 0) && self.fail_on != FailOn::Crash;
        let hunt = match hunt {
            EXIT_FINDINGS if !new && !pending => EXIT_CLEAN,
            other => other,
        };
        let old = |r: &&Replayed| self.fail_on != FailOn::New && counts(r.kind);
        let failing: Vec<&Replayed> = replayed.iter().filter(|r| r.result != Stand::StillThere || old(r)).collect();
        exit_code(&failing, hunt)
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
        if !self.hunt.quiet {
            errln!("{} {are} replayed on {}", counted(folders.len(), "finding"), one_line(&isolated.version));
        }
        let mut all = Vec::new();
        for folder in folders {
            let replayed = replay_one(folder, engine, &mut isolated, known)?;
            let why = if replayed.why.is_empty() { String::new() } else { format!(" ({})", replayed.why) };
            let (stand, folder) = (replayed.result.words(), replayed.folder.display());
            let line = format!("{} [{}] {folder}{why}", replayed.title, replayed.fingerprint);
            let paint = if replayed.result == Stand::StillThere { Paint::Bad } else { Paint::Good };
            if !self.hunt.quiet {
                errln!("  {} {}", console::painted_err(paint, &format!("{stand:<17}")), one_line(&line));
            }
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
    Ok(Replayed {
        folder,
        title: meta.title,
        fingerprint: meta.fingerprint,
        older: meta.older_fingerprints,
        kind: meta.kind,
        result,
        why,
        version,
        seconds,
    })
}

fn judge(case: &Case, meta: &Meta, isolated: &mut Isolated, known: &[KnownBug]) -> (Stand, String) {
    let evidence = isolated.run(case);
    let mut texts = vec![meta.title.as_str(), meta.signature.as_str()];
    texts.extend(case.script.iter().map(|s| s.text.as_str()));
    let ids = || std::iter::once(&meta.fingerprint).chain(&meta.older_fingerprints);
    let listed = known.iter().find(|bug| ids().any(|id| bug.fits(id, &texts)));
    match (&evidence.verdict, listed) {
        (Verdict::NotComparable { why }, _) => (Stand::CannotBeJudged, one_line(why)),
        (verdict, Some(bug)) if verdict.is_bug() => (Stand::Known, bug.reason.clone()),
        (verdict, None) if verdict.is_bug() => (Stand::StillThere, String::new()),
        (_, Some(_)) => (Stand::Gone, "its line in the file of known bugs can be removed".into()),
        (_, None) => (Stand::Gone, String::new()),
    }
}

/// A build that checks nothing must not look like one that found nothing.
fn nothing_for(engine: &str, replayed: &[Replayed]) -> String {
    let mut others: Vec<&str> = replayed.iter().map(|r| r.why.as_str()).collect();
    others.sort_unstable();
    others.dedup();
    let (all, engine) = (counted(replayed.len(), "finding"), shown(engine));
    format!(
        "nothing to do: --no-hunt, and no finding is for '{engine}' ({all} for {}); name their engine",
        others.join(", ")
    )
}

/// So that the hunt does not report again what was just reported.
fn already_reported(replayed: &Replayed) -> impl Iterator<Item = KnownBug> {
    let bug = |fingerprint: &String| KnownBug {
        fingerprint: Some(fingerprint.clone()),
        pattern: None,
        reason: "still there, as reported above".into(),
        link: String::new(),
    };
    std::iter::once(&replayed.fingerprint).chain(&replayed.older).map(bug)
}

fn breaks(kind: Kind) -> bool {
    match kind {
        Kind::Crash | Kind::Hang | Kind::OutOfMemory | Kind::InternalError => true,
        Kind::WrongResult | Kind::Changed | Kind::Slow => false,
    }
}

/// A finding whose file cannot be read counts as the worst.
fn kind_of(finding: &Path) -> Kind {
    store::read_meta(finding).map_or(Kind::Crash, |meta| meta.kind)
}

/// New or old findings first, then what kept the hunt from being one, then cases that say nothing here.
fn exit_code(replayed: &[&Replayed], hunt: u8) -> u8 {
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
