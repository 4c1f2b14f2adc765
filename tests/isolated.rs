//! Cases run in a child process: crashes, hangs and deaths of the child come back as evidence, and it stays quick.

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::isolated::Isolated;
use qualm::process::Scratch;
use qualm::relation::{Equality, Order, Relation, Trouble, Verdict};
use qualm::session::Outcome;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn open(engine: &str, timeout_ms: u64) -> Isolated {
    let scratch = Arc::new(Scratch::create().unwrap());
    Isolated::open(Path::new(env!("CARGO_BIN_EXE_qualm")), engine, timeout_ms, scratch).map_err(|f| f.text).unwrap()
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
    case(vec![Step::run("CREATE TABLE t0(c0)"), Step::ask("last", question)], Relation::Survives)
}

fn same() -> Case {
    let script = vec![
        Step::run("CREATE TABLE t0(c0)"),
        Step::run("INSERT INTO t0 VALUES (1), (2)"),
        Step::ask("a", "SELECT c0 FROM t0"),
        Step::ask("b", "SELECT c0 FROM t0 ORDER BY c0 DESC"),
    ];
    case(script, Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact })
}

#[test]
fn a_crash_is_evidence_and_the_next_case_runs() {
    let mut isolated = open("canary:crash", 5_000);
    for _ in 0..3 {
        let evidence = isolated.run(&survives("SELECT hex('a')"));
        assert!(matches!(&evidence.verdict, Verdict::Broke { kind: Trouble::Crash, text } if text.contains("SIGABRT")));
        assert!(matches!(&evidence.answers[..], [Outcome::Crash(_)]));
        assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
    }
}

#[test]
fn a_hang_ends_at_its_limit() {
    let mut isolated = open("canary:hang", 200);
    let began = Instant::now();
    let evidence = isolated.run(&survives("SELECT quote('a')"));
    assert!(matches!(evidence.verdict, Verdict::Broke { kind: Trouble::Hang, .. }), "{evidence:?}");
    assert!((200..5_000).contains(&began.elapsed().as_millis()));
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
}

#[test]
fn a_child_killed_between_cases_is_not_the_engines_fault() {
    let mut isolated = open("sqlite", 5_000);
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
    let own = std::process::id();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        let line = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if parent == Some(own) && line.contains("runner\0sqlite\0") {
            let pid = entry.file_name().to_string_lossy().parse::<i32>().unwrap();
            // SAFETY: a plain call about a child of this test.
            unsafe { libc::kill(pid, libc::SIGKILL) };
        }
    }
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(isolated.run(&same()).verdict, Verdict::Holds { vacuous: false });
}

#[test]
fn a_rejected_state_claims_nothing_and_plans_are_told() {
    let mut isolated = open("sqlite", 5_000);
    let broken = case(vec![Step::run("CREATE TABEL t0(c0)"), Step::ask("a", "SELECT 1")], Relation::Survives);
    assert!(matches!(isolated.run(&broken).verdict, Verdict::NotComparable { .. }));
    let plans = isolated.plans(&same());
    assert_eq!(plans.iter().map(|(label, _)| label.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(isolated.knobs.iter().all(|k| !k.others.is_empty()) && isolated.version.starts_with("sqlite"));
}

#[test]
fn thousands_of_cases_a_second_are_within_reach() {
    let mut isolated = open("sqlite", 5_000);
    let case = same();
    let began = Instant::now();
    (0..500).for_each(|_| assert!(!isolated.run(&case).verdict.is_bug()));
    // A debug build on a busy machine; a release build on a quiet one is ten times as fast.
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
}
