//! What the tests of this crate share: cases that lies of the canary make fail, a campaign, a folder for its files, and
//! children that are real ones.
//!
//! Runners and workers are started as `qualm runner` and `qualm worker` from the file of the program itself. In a test
//! that is the test program, so it takes those two names as well: engines, pipes and deaths are the real ones.

use crate::campaign::{Budget, Campaign};
use crate::fingerprint;
use crate::isolated::{self, Isolated};
use crate::recorder::Noted;
use crate::report::Finding;
use crate::store::Store;
use crate::triage::{Queue, Triage};
use crate::worker;
use qualm_core::case::{CASE_FORMAT, Case, Evidence, Language, Origin, Step};
use qualm_core::explore::Size;
use qualm_core::fault::Fault;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::session::Spoken;
use qualm_core::spec::HuntSpec;
use qualm_host::process::{PANIC_EXIT, Scratch, own_program};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = become_a_child;

/// Parents name their children `qualm` whatever the file is called; nobody else starts a test program by that name.
extern "C" fn become_a_child() {
    let args: Vec<_> = std::env::args_os().collect();
    let lived = match args.iter().map(|arg| arg.as_bytes()).collect::<Vec<_>>()[..] {
        [b"qualm", b"runner", recorder] => {
            let recorder = Path::new(OsStr::from_bytes(recorder)).to_path_buf();
            std::panic::catch_unwind(|| isolated::runner(&recorder))
        }
        [b"qualm", b"worker"] => std::panic::catch_unwind(worker::worker),
        _ => return,
    };
    std::process::exit(lived.map_or(PANIC_EXIT, |done| done.map_or_else(|fault: Fault| i32::from(fault.code), |()| 0)));
}

pub const SAME: Relation = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };

pub fn case(oracle: &str, script: Vec<Step>, claim: Relation) -> Case {
    Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: oracle.into(),
        rules: vec![],
        script,
        claim,
        source: None,
        origin: Origin::default(),
    }
}

/// One question with a WHERE about an indexed table, and one without: what `canary:index-row` lies about. It has no
/// tree, so that it stays as it is.
pub fn index_case() -> Case {
    let script = vec![
        Step::run("CREATE TABLE t0(c0)"),
        Step::run("CREATE INDEX i0 ON t0(c0)"),
        Step::run("INSERT INTO t0 VALUES (1), (2), (3)"),
        Step::query("all", "SELECT c0 FROM t0"),
        Step::query("filtered", "SELECT c0 FROM t0 WHERE c0 > 0"),
    ];
    case("index", script, SAME)
}

/// What `canary:not-null` lies about, and no other of them.
pub fn null_case() -> Case {
    let script = vec![
        Step::run("CREATE TABLE t0(c0)"),
        Step::run("INSERT INTO t0 VALUES (1), (NULL)"),
        Step::query("negated", "SELECT c0 FROM t0 WHERE NOT c0 > 5"),
        Step::query("turned", "SELECT c0 FROM t0 WHERE c0 <= 5"),
    ];
    case("eet", script, SAME)
}

/// A real bug of the linked SQLite (trophies/sqlite-union-all-values-order-by-loses-rows): with an order it has a row
/// less. Whoever takes a release in which it is mended has to take another bug.
pub fn union_case() -> Case {
    let query = "SELECT a0.c0, a1.column1 FROM (SELECT c0 FROM t0 UNION ALL SELECT c0 FROM t0) AS a0, \
                 (VALUES (7), (8)) AS a1";
    let script = vec![
        Step::run("CREATE TABLE t0(c0 UNIQUE)"),
        Step::run("INSERT INTO t0 VALUES (1), (2)"),
        Step::query("plain", query),
        Step::query("ordered", format!("{query} ORDER BY a0.c0")),
    ];
    case("index", script, SAME)
}

/// The setting without which it is gone.
pub const FLATTENER: &str = "query-flattener";

/// A case as a hunt in `canary:index-row` found it, with the tree that the reducer works on: twelve statements, of
/// which seven remain.
pub fn found_case() -> Case {
    serde_json::from_str(include_str!("testing/found.json")).expect("a case in its stored form")
}

pub fn survives(statements: &[&str]) -> Case {
    let (last, before) = statements.split_last().expect("something to ask");
    let script = before.iter().map(|text| Step::run(*text)).chain([Step::query("last", *last)]).collect();
    case("survives", script, Relation::Survives)
}

pub fn of_worker(worker: u64, case: Case) -> Case {
    Case { origin: Origin { worker, ..case.origin }, ..case }
}

pub fn noted(texts: &[&str]) -> Vec<Noted> {
    texts.iter().map(|text| Noted { text: text.to_string(), rejected: false }).collect()
}

/// A finding as if the case had been reduced already.
pub fn finding_of(case: Case, evidence: Evidence) -> Finding {
    let print = fingerprint::of(&case, &evidence, &[]);
    Finding::new("canary:index-row", "canary 1.0", case, evidence, vec![], print)
}

/// Generous, because the machine may be busy: only hangs are waited for so long.
pub const TIMEOUT_MS: u64 = 20_000;

pub fn isolated(engine: &str) -> Isolated {
    isolated_within(engine, TIMEOUT_MS)
}

pub fn isolated_within(engine: &str, timeout_ms: u64) -> Isolated {
    let scratch = Arc::new(Scratch::create().expect("a temporary folder"));
    Isolated::open(&own_program(), engine, timeout_ms, scratch).unwrap_or_else(|fault| panic!("{fault}"))
}

pub fn spoken(engine: &str) -> Spoken {
    isolated::describe(engine).unwrap_or_else(|fault| panic!("{fault}")).spoken()
}

/// The folder of a campaign, which is removed with it.
pub struct Place {
    _folder: TempDir,
    pub store: Arc<Store>,
}

pub fn place() -> Place {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::create(Some(&folder.path().join("out"))).unwrap_or_else(|fault| panic!("{fault}"));
    Place { _folder: folder, store: Arc::new(store) }
}

impl Place {
    pub fn out(&self) -> &Path {
        self.store.folder()
    }

    /// The names in a folder of the campaign, in order; none where there is no such folder.
    pub fn names(&self, below: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.out().join(below)).into_iter().flatten().flatten();
        let mut names: Vec<String> = entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn lines(&self, file: impl AsRef<Path>) -> Vec<serde_json::Value> {
        let text = std::fs::read_to_string(self.out().join(file)).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
    }

    /// Triage of this engine's cases that decides in the order of arrival.
    pub fn triage(&self, engine: &str) -> Triage {
        Triage {
            isolated: isolated(engine),
            spoken: spoken(engine),
            engine: engine.into(),
            known: vec![],
            ladder: None,
            store: self.store.clone(),
            queue: Arc::new(Queue::keeping(self.store.clone())),
            peers: None,
            deterministic: true,
            settled: vec![],
        }
    }
}

/// Small databases, and no seeds.
pub fn spec(oracles: &[&str]) -> HuntSpec {
    let oracles = oracles.iter().map(|name| name.to_string()).collect();
    HuntSpec { oracles, size: Size::Small, seed: 1, timeout_ms: TIMEOUT_MS, ..HuntSpec::default() }
}

/// A small hunt by one worker.
pub fn campaign(engine: &str, budget: Budget) -> Campaign {
    Campaign::plain(engine, spoken(engine), spec(&["index"]), budget)
}
