//! Cases run in a child process: crashes, hangs and deaths of the child come back as evidence, and it stays quick.

mod support;

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::isolated::Isolated;
use qualm::process::Scratch;
use qualm::recorder::Reader;
use qualm::relation::{Equality, FailureKind, Order, Relation, Verdict};
use qualm::session::Outcome;
use qualm::triage::{Doubt, try_confirm};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use support::program::{QUALM, is_running, signal, wait_for};

fn open(engine: &str, timeout_ms: u64) -> Isolated {
    let scratch = Arc::new(Scratch::create().unwrap());
    Isolated::open(Path::new(QUALM), engine, timeout_ms, scratch).map_err(|f| f.text).unwrap()
}

fn case(script: Vec<Step>, claim: Relation) -> Case {
    Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "test".into(),
        rules: Vec::new(),
        script,
        claim,
        source: None,
        origin: Origin::default(),
    }
}

fn survives(question: &str) -> Case {
    case(vec![Step::run("CREATE TABLE t0(c0)"), Step::query("last", question)], Relation::Survives)
}

fn same() -> Case {
    let script = vec![
        Step::run("CREATE TABLE t0(c0)"),
        Step::run("INSERT INTO t0 VALUES (1), (2)"),
        Step::query("a", "SELECT c0 FROM t0"),
        Step::query("b", "SELECT c0 FROM t0 ORDER BY c0 DESC"),
    ];
    case(script, Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact })
}

#[test]
fn a_crash_is_evidence_and_the_next_case_runs() {
    let mut isolated = open("canary:crash", 5_000);
    for _ in 0..3 {
        let evidence = isolated.run(&survives("SELECT hex('a')"));
        assert!(
            matches!(&evidence.verdict, Verdict::Broke { kind: FailureKind::Crash, text } if text.contains("SIGABRT"))
        );
        assert!(matches!(&evidence.answers[..], [Outcome::Crash(_)]));
        assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
    }
}

#[test]
fn a_hang_ends_at_its_limit() {
    let mut isolated = open("canary:hang", 200);
    let began = Instant::now();
    let evidence = isolated.run(&survives("SELECT quote('a')"));
    assert!(matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Hang, .. }), "{evidence:?}");
    assert!((200..5_000).contains(&began.elapsed().as_millis()));
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
}

#[test]
fn a_child_killed_between_cases_is_not_the_engines_fault() {
    let scratch = Arc::new(Scratch::create().unwrap());
    let mut isolated = Isolated::open(Path::new(QUALM), "sqlite", 5_000, scratch.clone()).unwrap();
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
    let files = std::fs::read_dir(scratch.path()).unwrap().flatten().map(|e| e.path());
    let runner = files.filter_map(|file| owner(&file)).next().expect("a runner that has mapped its recorder");
    signal(runner, libc::SIGKILL);
    wait_for("the runner's end", || (!is_running(runner)).then_some(()));
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
}

/// Kills runners that work in this folder, each once it has begun so many statements, as long as it lives; at most so
/// many.
struct Killer {
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<u32>>,
}

impl Killer {
    fn start(scratch: &Path, signal: i32, statements: u64, most: u32) -> Killer {
        let (over, scratch) = (Arc::new(AtomicBool::new(false)), scratch.to_path_buf());
        let is_over = over.clone();
        let thread = std::thread::spawn(move || {
            let (mut kills, mut dead) = (0, Vec::new());
            while !is_over.load(Ordering::Relaxed) && kills < most {
                for path in std::fs::read_dir(&scratch).unwrap().flatten().map(|e| e.path()) {
                    let far = Reader::open(&path).is_some_and(|r| r.sequence() >= statements);
                    if far && !dead.contains(&path) && kill_owner(&path, signal) {
                        kills += 1;
                        dead.push(path);
                    }
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            kills
        });
        Killer { over, thread: Some(thread) }
    }

    fn kills(mut self) -> u32 {
        self.over.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

/// The child whose recorder the file is.
fn owner(file: &Path) -> Option<u32> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let lists: Vec<String> = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok()).collect();
    let mut numbers = lists.iter().flat_map(|l| l.split_whitespace()).filter_map(|n| n.parse::<u32>().ok());
    // Not by what it has mapped: a child that another test has just forked has all that this process has.
    let is_given = |pid: &u32| {
        let words = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        words.split(|byte| *byte == 0).any(|word| word == file.as_os_str().as_bytes())
    };
    numbers.find(is_given)
}

/// Sends the signal to the child whose recorder the file is.
fn kill_owner(file: &Path, signal: i32) -> bool {
    // SAFETY: a plain call about a child of this test.
    owner(file).is_some_and(|pid| unsafe { libc::kill(pid as i32, signal) == 0 })
}

/// Takes a while, so that there is time to kill it.
fn long(mut case: Case) -> Case {
    let insert = |n: usize| Step::run(format!("INSERT INTO t0 VALUES ({n})"));
    let at = case.script.iter().position(|s| s.is_query()).unwrap();
    case.script.splice(at..at, (3..20_000).map(insert));
    case
}

/// `canary:index-row` answers the second question wrongly.
fn wrong() -> Case {
    let mut case = same();
    case.script.insert(1, Step::run("CREATE INDEX i0 ON t0(c0)"));
    case.script.last_mut().unwrap().text = "SELECT c0 FROM t0 WHERE c0 > 0".into();
    case
}

#[test]
fn a_runner_that_is_killed_at_work_is_replaced() {
    for signal in [libc::SIGKILL, libc::SIGTERM, libc::SIGHUP] {
        let scratch = Arc::new(Scratch::create().unwrap());
        let program = Path::new(QUALM);
        let mut isolated =
            Isolated::open(program, "canary:index-row", 20_000, scratch.clone()).unwrap_or_else(|f| panic!("{f}"));
        let killer = Killer::start(scratch.path(), signal, 100, 3);
        let verdict = isolated.run(&long(survives("SELECT c0 FROM t0"))).verdict;
        assert!(matches!(verdict, Verdict::Holds { .. }), "{verdict:?}");
        assert!(killer.kills() > 0, "{signal}");
        // What fails is not lost by the kill of who confirms it.
        let killer = Killer::start(scratch.path(), signal, 21_000, 3);
        let confirmed = try_confirm(&mut isolated, long(wrong()));
        assert!(matches!(&confirmed, Ok((_, e)) if matches!(e.verdict, Verdict::Violated(_))), "{confirmed:?}");
        assert!(killer.kills() > 0, "{signal}");
    }
}

#[test]
fn a_case_whose_runners_are_always_killed_is_neither_confirmed_nor_gone() {
    for (engine, case) in [("sqlite", survives("SELECT c0 FROM t0")), ("canary:index-row", wrong())] {
        let scratch = Arc::new(Scratch::create().unwrap());
        let program = Path::new(QUALM);
        let mut isolated = Isolated::open(program, engine, 20_000, scratch.clone()).unwrap_or_else(|f| panic!("{f}"));
        let killer = Killer::start(scratch.path(), libc::SIGKILL, 1, 1_000);
        let confirmed = try_confirm(&mut isolated, long(case));
        let kills = killer.kills();
        assert!(matches!(&confirmed, Err(Doubt::Undecided(_))), "{kills} kills: {confirmed:?}");
        assert!(kills > 3, "{kills}");
    }
}

#[test]
fn a_rejected_state_claims_nothing_and_plans_are_reported() {
    let mut isolated = open("sqlite", 5_000);
    let broken = case(vec![Step::run("CREATE TABEL t0(c0)"), Step::query("a", "SELECT 1")], Relation::Survives);
    assert!(matches!(isolated.run(&broken).verdict, Verdict::NotComparable { .. }));
    let plans = isolated.plans(&same());
    assert_eq!(plans.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(isolated.knobs.iter().all(|k| !k.others.is_empty()) && isolated.version.starts_with("sqlite"));
}

/// A process for each case would cost a hundred times as much.
#[test]
fn one_runner_serves_many_cases() {
    let scratch = Arc::new(Scratch::create().unwrap());
    let mut isolated = Isolated::open(Path::new(QUALM), "sqlite", 20_000, scratch.clone()).unwrap();
    let runners = || {
        let files = std::fs::read_dir(scratch.path()).unwrap().flatten().map(|e| e.path());
        files.filter_map(|file| owner(&file)).collect::<Vec<u32>>()
    };
    let first = runners();
    assert_eq!(first.len(), 1);
    let case = same();
    (0..500).for_each(|_| assert!(!isolated.run(&case).verdict.is_bug()));
    assert_eq!(runners(), first);
}
