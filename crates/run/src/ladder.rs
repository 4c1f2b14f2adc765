//! `qualm ladder`: runs a finding's case in every release of an engine that can be had and says in which of them it
//! shows.
//!
//! All are run: bugs come and go, so that a search by halves would miss ranges, and a run takes milliseconds.

use crate::affected::{Affected, Rung, Stand};
use crate::fingerprint::Kind;
use crate::isolated::{Isolated, OutOfTime};
use crate::replay;
use crate::report;
use crate::store;
use qualm_core::case::Case;
use qualm_core::escape;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, Fault};
use qualm_core::limits::LADDER_RELEASES_AT_ONCE;
use qualm_core::relation::{FailureKind, Verdict};
use qualm_core::version::by_number;
use qualm_engines as engine;
use qualm_host::process::{Scratch, own_program};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// Stands for the release that is part of this program, in a list of releases.
const BUILT_IN: &str = "built-in";

/// Releases of one engine that a case can be run in.
#[derive(Clone)]
pub struct Ladder {
    /// As `engine::connect` takes them, the oldest first as far as their names say.
    pub engines: Vec<String>,
    pub timeout_ms: u64,
}

/// `qualm ladder`.
pub fn ladder(path: &Path, releases: Option<&str>, json: bool, timeout_ms: u64) -> Result<u8, Fault> {
    let case = store::read_case(path)?;
    // Only its name is used: which releases there are is the user's word, or the cache's.
    let engine = replay::stored_engine(path).unwrap_or_else(|| "sqlite".into());
    let meta = store::read_meta(path);
    let ladder = Ladder::find(&engine, releases, timeout_ms)?;
    let affected = ladder.climb(&case, meta.as_ref().map(|m| m.kind))?;
    if path.is_dir()
        && let Some(meta) = meta
    {
        let failed = |e: std::io::Error| Fault::own(format!("cannot write to '{}': {e}", path.display()));
        report::write_affected(path, meta, &affected).map_err(failed)?;
    }
    if json {
        outln!("{}", escape::json(&serde_json::to_string(&affected).expect("plain data")));
    } else {
        for rung in &affected.rungs {
            outln!("{:<12} {}", report::one_line(&rung.release), report::one_line(&rung.stand.words()));
        }
        outln!("{}", escape::lines(&affected.sentences().join("\n")));
    }
    Ok(if affected.is_anywhere() { EXIT_FINDINGS } else { EXIT_CLEAN })
}

impl Ladder {
    /// The releases that `asked` names: a folder of shared objects, or `ENGINE:A,B,C`. Without it, those in the cache
    /// of the finding's engine. A folder is taken together with the release that is built in.
    pub fn find(engine: &str, requested: Option<&str>, timeout_ms: u64) -> Result<Ladder, Fault> {
        let name = engine.split(':').next().unwrap_or_default();
        let known = |name: &str| engine::ENGINES.iter().any(|e| e.name == name);
        let has_releases = engine::releases_folder(name).is_some();
        let engines = match requested.map(|text| (text, text.split_once(':'))) {
            Some((_, Some((name, list)))) if known(name) => listed(name, list),
            // A file of a folder is a release only for engines that have such: 'exec' would run it.
            Some(_) if !has_releases => {
                let name = escape::line(name);
                let text = format!("the releases of engine '{name}' are not in a folder; pass --releases ENGINE:A,B,C");
                return Err(Fault::usage(text));
            }
            Some((folder, _)) => from_folder(name, Path::new(folder))?,
            None => {
                let folder = engine::releases_folder(name).ok_or_else(|| {
                    let name = escape::line(name);
                    Fault::usage(format!("engine '{name}' has no folder of releases; pass --releases ENGINE:A,B,C"))
                })?;
                from_folder(name, &folder)?
            }
        };
        Ok(Ladder { engines, timeout_ms })
    }

    /// Runs the case everywhere. `kind` is what the finding is; without it any failure counts.
    pub fn climb(&self, case: &Case, kind: Option<Kind>) -> Result<Affected, Fault> {
        let climbed = self.climb_until(&|| true, Arc::new(|| false), case, kind)?;
        climbed.ok_or_else(|| Fault::own("a ladder without a time limit was not climbed"))
    }

    /// The same; nothing when there was no time for all releases.
    pub fn climb_until(
        &self,
        may_begin: &(dyn Fn() -> bool + Sync),
        out_of_time: OutOfTime,
        case: &Case,
        kind: Option<Kind>,
    ) -> Result<Option<Affected>, Fault> {
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let scratch = Arc::new(scratch);
        let next = AtomicUsize::new(0);
        let rungs = Mutex::new(Vec::with_capacity(self.engines.len()));
        let try_releases = || {
            while let Some(engine) = self.engines.get(next.fetch_add(1, Ordering::Relaxed)) {
                if !may_begin() {
                    return;
                }
                let program = own_program();
                let scratch = scratch.clone();
                let opened = Isolated::open_until(out_of_time.clone(), &program, engine, self.timeout_ms, scratch);
                let rung = try_release(engine, opened, case, kind);
                rungs.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(rung);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..LADDER_RELEASES_AT_ONCE {
                scope.spawn(try_releases);
            }
        });
        let mut rungs = rungs.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        if rungs.len() < self.engines.len() || out_of_time() {
            return Ok(None);
        }
        rungs.sort_by(|a, b| by_number(&a.release, &b.release));
        // The built-in release may be in the folder as well.
        rungs.dedup_by(|a, b| a.release == b.release);
        Ok(Some(Affected::of(rungs)))
    }
}

fn try_release(engine: &str, opened: Result<Isolated, Fault>, case: &Case, kind: Option<Kind>) -> Rung {
    let mut isolated = match opened {
        Ok(isolated) => isolated,
        Err(fault) => return Rung { release: name_of(engine), stand: Stand::Unreachable(fault.text) },
    };
    let release = isolated.version.rsplit(' ').next().unwrap_or_default().to_owned();
    let stand = match isolated.replay(case).1.verdict {
        Verdict::Holds { .. } => Stand::Right,
        Verdict::NotComparable { why } => Stand::NotApplicable(why),
        verdict => match (Kind::of(&verdict), &verdict) {
            (found, Verdict::Broke { kind: failure, .. }) if kind.is_some() && found != kind => Stand::Breaks(*failure),
            (found, _) if kind.is_some_and(|kind| found != Some(kind)) => Stand::Breaks(FailureKind::InternalError),
            _ => Stand::Shows,
        },
    };
    Rung { release, stand }
}

/// What a release that cannot be reached is called: its file's name without the ending.
fn name_of(engine: &str) -> String {
    let engine = engine::url::shown(engine);
    let place = engine.split_once(':').map_or(engine.as_str(), |(_, place)| place);
    let file = Path::new(place).file_name().unwrap_or_default().to_string_lossy().into_owned();
    file.strip_suffix(".so").map_or(file.clone(), str::to_owned)
}

fn listed(engine: &str, list: &str) -> Vec<String> {
    let releases = list.split(',').map(str::trim).filter(|release| !release.is_empty());
    releases.map(|r| if r == BUILT_IN { engine.to_owned() } else { format!("{engine}:{r}") }).collect()
}

fn from_folder(engine: &str, folder: &Path) -> Result<Vec<String>, Fault> {
    let entries: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|d| d.flatten().map(|e| e.path()).collect()).unwrap_or_default();
    // A file for each release, or a folder with the library and what it needs.
    let own = format!("lib{engine}.so");
    let is_library = |p: &PathBuf| p.extension().is_some_and(|e| e == "so" || e == "dylib") || p.join(&own).exists();
    let mut libraries: Vec<PathBuf> = entries.into_iter().filter(is_library).collect();
    if libraries.is_empty() {
        let text = format!(
            "no releases in '{}'; run './x {engine} all' or './x {engine} VERSION...' to fetch and build some, or pass \
             --releases with a folder of shared objects",
            folder.display()
        );
        return Err(Fault::usage(text));
    }
    let stem = |p: &PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.strip_suffix(".so").or(name.strip_suffix(".dylib")).map_or(name.clone(), str::to_owned)
    };
    libraries.sort_by(|a, b| by_number(&stem(a), &stem(b)));
    let mut engines: Vec<String> = libraries.iter().map(|p| format!("{engine}:{}", p.display())).collect();
    engines.push(engine.to_owned());
    Ok(engines)
}
