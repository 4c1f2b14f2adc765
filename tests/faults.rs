//! Hunts whose workers, runners, servers and parent are killed, hundreds of times: nothing is lost, nothing is
//! invented, every folder can be read. And disks that are full.
//!
//! With a budget in checks a hunt finds the same whatever is done to its children, so the folder of a hunt that was
//! left alone says what must be in the folder of one that was not.

#[path = "faults/victims.rs"]
mod victims;

use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use victims::*;

/// How many kills each part of the suite sends at least.
const SQLITE: u64 = 60;
const CANARIES: u64 = 40;
const DUCKDB: u64 = 12;
const CLINGO: u64 = 20;
const POSTGRES: u64 = 20;
const FALKORDB: u64 = 12;
const PARENT: u64 = 16;
const _: () = assert!(SQLITE + 4 * CANARIES + DUCKDB + CLINGO + POSTGRES + FALKORDB + PARENT >= 300);

/// Hunts with kills are repeated until there were enough of them, but not for ever.
const ROUNDS: u64 = 12;

fn count(line: &Json, name: &str) -> u64 {
    line[name].as_u64().unwrap_or_else(|| panic!("no {name} in {line}"))
}

/// The same hunt, once left alone and then with kills until there were as many as wanted: what must be there is there,
/// and nothing else. Findings are of these kinds.
fn compare(args: &[&str], wanted: u64, plan: Plan, own: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let quiet = folder.path().join("quiet");
    let before = undisturbed(&quiet, args);
    let expected = read_all(&quiet, false);
    assert_adds_up(&before, &expected, &quiet);
    let own: BTreeSet<String> = own.iter().map(|k| k.to_string()).collect();
    assert_eq!(expected.kinds, own, "{before}");
    let (mut kills, mut round) = (0, 0);
    while kills < wanted {
        round += 1;
        assert!(round <= ROUNDS, "{kills} of {wanted} kills in {ROUNDS} hunts of {args:?}");
        let loud = folder.path().join(format!("loud-{round}"));
        let (after, now) = tormented(&loud, args, Plan { seed: plan.seed + 1000 * round, ..plan });
        kills += now;
        let held = read_all(&loud, false);
        assert_adds_up(&after, &held, &loud);
        let lost: Vec<&Origin> = expected.origins.difference(&held.origins).collect();
        let invented: Vec<&Origin> = held.origins.difference(&expected.origins).collect();
        let context = format!("{args:?}, {now} kills, lost {lost:?}, invented {invented:?}\n{before}\n{after}");
        assert!(lost.is_empty() && invented.is_empty(), "{context}\n{}", unconfirmed_in(&loud));
        assert!(held.kinds.is_subset(&own), "{:?}: {context}", held.kinds);
        for name in ["checks", "violations", "crashes", "hangs", "out_of_memory"] {
            assert_eq!(after[name], before[name], "{name}: {context}");
        }
        assert_eq!(after["faults"], before["faults"], "{context}");
        held.findings.iter().chain(&held.pending).chain(&held.unconfirmed).take(5).for_each(|f| assert_replays(f));
        assert_reports(&loud);
    }
    eprintln!("{kills} kills in {round} hunts of {}", args[0]);
}

/// What happened once and not again, to be read by whoever has to find out why.
fn unconfirmed_in(out: &Path) -> String {
    let files = fs::read_dir(out.join("unconfirmed")).into_iter().flatten().flatten().map(|e| e.path());
    let texts = files.map(|f| format!("{}:\n{}", f.display(), fs::read_to_string(&f).unwrap_or_default()));
    texts.collect::<Vec<_>>().join("\n")
}

fn hunt_of<'a>(engine: &'a str, checks: &'a str, seed: &'a str) -> Vec<&'a str> {
    vec![engine, "--checks", checks, "--seed", seed, "--workers", "1", "--timeout-ms", "20000"]
}

fn small_hunt_of<'a>(engine: &'a str, checks: &'a str, seed: &'a str) -> Vec<&'a str> {
    [hunt_of(engine, checks, seed), vec!["--size", "small"]].concat()
}

#[test]
fn sqlite_with_its_bugs() {
    let plan = Plan { seed: 1, workers: 10, runners: 40, servers: 0, statements: 4000 };
    compare(&hunt_of("sqlite:3.28.0", "8000", "5"), SQLITE, plan, &["wrong_result"]);
}

#[test]
fn a_canary_with_wrong_results() {
    let plan = Plan { seed: 2, workers: 6, runners: 40, servers: 0, statements: 400 };
    compare(&small_hunt_of("canary:index-row", "250", "7"), CANARIES, plan, &["wrong_result"]);
}

#[test]
fn a_canary_that_crashes() {
    let plan = Plan { seed: 3, workers: 10, runners: 40, servers: 0, statements: 300 };
    compare(&hunt_of("canary:crash", "1500", "7"), CANARIES, plan, &["crash"]);
}

#[test]
fn a_canary_that_reports_damage() {
    let plan = Plan { seed: 4, workers: 10, runners: 40, servers: 0, statements: 600 };
    compare(&small_hunt_of("canary:index-error", "600", "7"), CANARIES, plan, &["internal_error"]);
}

#[test]
fn a_canary_that_confuses_null() {
    let plan = Plan { seed: 5, workers: 8, runners: 40, servers: 0, statements: 500 };
    compare(&small_hunt_of("canary:not-null", "400", "7"), CANARIES, plan, &["wrong_result"]);
}

#[test]
fn duckdb_which_is_right() {
    let plan = Plan { seed: 6, workers: 8, runners: 4, servers: 0, statements: 900 };
    compare(&small_hunt_of("duckdb", "400", "7"), DUCKDB, plan, &[]);
}

#[test]
fn clingo_which_is_right() {
    let plan = Plan { seed: 7, workers: 14, runners: 4, servers: 0, statements: 1000 };
    compare(&small_hunt_of("clingo", "800", "7"), CLINGO, plan, &[]);
}

#[test]
fn postgres_and_its_servers() {
    let plan = Plan { seed: 8, workers: 4, runners: 2, servers: 16, statements: 1500 };
    compare(&small_hunt_of("postgres:18.4", "600", "7"), POSTGRES, plan, &[]);
}

#[test]
fn falkordb_and_its_servers() {
    let plan = Plan { seed: 9, workers: 3, runners: 3, servers: 8, statements: 2000 };
    let args = [small_hunt_of("falkordb", "500", "7"), vec!["--oracle", "partition,refine"]].concat();
    compare(&args, FALKORDB, plan, &["crash", "wrong_result"]);
}

/// What a killed hunt leaves behind can be read, and is no less than what it had said before.
#[test]
fn a_killed_parent_leaves_folders_that_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(10);
    let (mut kept, mut kills) = (0, 0);
    for (round, engine) in
        ["canary:index-row", "canary:crash", "sqlite:3.28.0", "canary:not-null"].iter().cycle().enumerate()
    {
        if kills >= PARENT {
            break;
        }
        let out = folder.path().join(round.to_string());
        let mut hunt = Hunt::start(&out, &[engine, "--seconds", "100", "--seed", "5", "--timeout-ms", "20000"]);
        let fate = dice.below(12);
        let until = Instant::now() + Duration::from_secs(20);
        // So many cases are kept or reported in some way.
        while cases_in(&out) < fate && Instant::now() < until {
            assert!(!hunt.is_over());
            std::thread::sleep(Duration::from_millis(2));
        }
        assert!(send(hunt.pid(), libc::SIGKILL));
        kills += 1;
        let said = hunt.killed();
        let held = read_all(&out, true);
        let printed = said.lines().filter(|l| l.starts_with("found: ")).count();
        assert!(held.findings.len() >= printed, "{said}");
        kept += held.origins.len();
        if held.findings.is_empty() && held.origins.is_empty() && !out.join("progress.jsonl").exists() {
            continue;
        }
        assert_reports(&out);
        held.findings.first().into_iter().for_each(|f| assert_replays(f));
        let engine = Some(*engine);
        let unsettled = held.pending.first().into_iter().chain(held.unconfirmed.first());
        unsettled.for_each(|f| assert_replays_on(f, engine));
    }
    assert!(kept > 20, "{kept} cases in {kills} folders");
}

fn cases_in(out: &Path) -> u64 {
    let in_folder = |name: &str| fs::read_dir(out.join(name)).map_or(0, |entries| entries.count() as u64);
    in_folder("findings") + in_folder("pending") + in_folder("unconfirmed")
}

/// Somebody's SIGTERM ends a worker, not the hunting.
#[test]
fn a_worker_that_is_asked_to_end_is_replaced() {
    // Where the tests were started with nohup, children would ignore SIGHUP as they should.
    // SAFETY: no handler is installed or removed, only the default is put back.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
    for signal in [libc::SIGTERM, libc::SIGHUP] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let hunt = Hunt::start(&out, &["sqlite", "--seconds", "300", "--workers", "1", "--seed", "3"]);
        let worker = |not: u32| {
            let until = Instant::now() + Duration::from_secs(120);
            loop {
                let found = family(hunt.pid()).into_iter().find(|(pid, role)| *role == Role::Worker && *pid != not);
                if let Some((pid, _)) = found.filter(|(pid, _)| statements_of(*pid) > 500) {
                    return pid;
                }
                assert!(Instant::now() < until, "no worker hunts");
                std::thread::sleep(Duration::from_millis(3));
            }
        };
        let mut last = 0;
        for _ in 0..3 {
            last = worker(last);
            assert!(send(last, signal));
        }
        worker(last);
        assert!(send(hunt.pid(), libc::SIGINT));
        let line = line(&hunt.end());
        assert_eq!((count(&line, "killed"), count(&line, "crashes")), (3, 0), "{line}");
        assert!(count(&line, "checks") > 50, "{line}");
        assert_adds_up(&line, &read_all(&out, false), &out);
    }
}

/// An engine that answers wrongly to workers only: nothing of that happens again.
#[test]
fn what_does_not_happen_again_is_kept_with_its_session_and_is_no_finding() {
    let folder = tempfile::tempdir().unwrap();
    let (out, adapter) = (folder.path().join("out"), folder.path().join("adapter.py"));
    let honest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/sqlite_adapter.py")).unwrap();
    let shell = "    rows = [[wrap(cell) for cell in row] for row in cursor]\n    \
                 asked = open('/proc/%d/cmdline' % __import__('os').getppid()).read()\n    \
                 lies = 'worker' in asked and ' WHERE ' in request['text'] and len(rows) > 1\n    \
                 return {\"columns\": len(cursor.description), \"rows\": rows[1:] if lies else rows}\n";
    let last = "    return {\"columns\": len(cursor.description), \
                \"rows\": [[wrap(cell) for cell in row] for row in cursor]}\n";
    assert!(honest.contains(last));
    fs::write(&adapter, honest.replace(last, shell)).unwrap();
    let engine = format!("exec:python3 {}", adapter.display());
    // Not `tlp`: it finds a bug of SQLite 3.40, which many a Python has (IN over a subquery changes a count in HAVING).
    let args = [&engine, "--checks", "300", "--seed", "1", "--workers", "1", "--size", "small", "--oracle", "norec"];
    let line = undisturbed(&out, &args);
    let held = read_all(&out, false);
    assert_adds_up(&line, &held, &out);
    assert!(count(&line, "flaky") > 0 && count(&line, "flaky") == count(&line, "violations"), "{line}");
    assert_eq!((count(&line, "findings"), &line["exit"]), (0, &0.into()), "{line}");
    for file in &held.unconfirmed {
        let case = qualm::store::read_case(file).unwrap_or_else(|f| panic!("{f}"));
        let session = fs::read_to_string(file.with_extension("session.sql")).unwrap();
        let missing: Vec<&str> =
            case.script.iter().map(|s| s.text.as_str()).filter(|text| !session.contains(*text)).collect();
        assert!(missing.is_empty(), "{missing:?} are not in {session}");
    }
    let text = fs::read_to_string(out.with_extension("stderr")).unwrap();
    let words = ["nothing confirmed in ", "violations  ", "flaky       ", "DIR/unconfirmed"];
    assert!(words.iter().all(|w| text.contains(w)), "{text}");
    let why = fs::read_to_string(out.join("unconfirmed.jsonl")).unwrap();
    assert!(why.lines().all(|l| l.contains("did not reproduce")), "{why}");
}

/// An engine whose process takes nothing any more, as a library does that has no memory left, is asked in a new one.
#[test]
fn a_worker_whose_engine_takes_nothing_any_more_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let honest = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/sqlite_adapter.py")).unwrap();
    let question = "    until = time.monotonic()";
    assert!(honest.contains(question));
    let hunted = |name: &str, statements: u32| {
        let (out, adapter) = (folder.path().join(name), folder.path().join(format!("{name}.py")));
        let spent = format!(
            "    global told\n    told = globals().get('told', 0) + 1\n    if told > {statements}:\n        \
             return {{\"error\": \"no memory left\", \"class\": \"limit\"}}\n{question}"
        );
        fs::write(&adapter, honest.replacen(question, &spent, 1)).unwrap();
        let engine = format!("exec:python3 {}", adapter.display());
        let args =
            [&engine, "--checks", "200", "--seed", "1", "--workers", "1", "--size", "small", "--oracle", "norec"];
        (undisturbed(&out, &args), out)
    };
    let (line, _) = hunted("tired", 300);
    assert!(count(&line, "spent") > 0 && count(&line, "checks") >= 200, "{line}");
    assert_eq!((count(&line, "findings"), &line["exit"]), (0, &0.into()), "{line}");
    let (line, out) = hunted("unwilling", 12);
    let said = fs::read_to_string(out.with_extension("stderr")).unwrap();
    assert_eq!(line["exit"], 3, "{line} {said}");
    assert!(said.contains("the engine can do nothing: it refused"), "{said}");
}

/// A hunt that ends by time has suspects left; they are all reported, and in the same words everywhere.
#[test]
fn the_numbers_of_a_hunt_by_time_add_up() {
    let folder = tempfile::tempdir().unwrap();
    for engine in ["canary:index-row", "canary:index-error"] {
        let out = folder.path().join(engine.replace(':', "-"));
        // A machine that does other work besides needs longer for as many.
        let mut hunts = ["3", "12", "48"].into_iter().map(|seconds| {
            let _ = fs::remove_dir_all(&out);
            undisturbed(&out, &[engine, "--seconds", seconds, "--workers", "2", "--seed", "2"])
        });
        let line = hunts.find(|line| count(line, "violations") > 20).expect("a hunt with many violations");
        assert_adds_up(&line, &read_all(&out, false), &out);
        let text = fs::read_to_string(out.with_extension("stderr")).unwrap();
        for name in ["violations", "findings", "duplicates", "pending", "flaky", "unconfirmed", "skipped"] {
            let printed = text.lines().find_map(|l| l.trim_start().strip_prefix(name)?.strip_prefix(' '));
            let printed =
                printed.map_or(0, |rest| rest.trim().split([' ', ',']).next().unwrap().parse::<u64>().unwrap());
            assert_eq!(printed, count(&line, name), "{name}: {text}");
        }
        assert_reports(&out);
    }
}

/// A disk with room for some of the findings: what is on it is whole, and the hunt says what is the matter.
#[test]
fn a_full_disk_ends_the_hunt_with_words_and_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    for kilobytes in [64, 160, 400] {
        let out = folder.path().join(format!("out-{kilobytes}"));
        let disk = folder.path().join(format!("disk-{kilobytes}"));
        fs::create_dir(&disk).unwrap();
        let script = format!(
            "mount -t tmpfs -o size={kilobytes}k qualm-test '{disk}' || exit 99
             '{QUALM}' hunt canary:index-row --seconds 20 --workers 1 --seed 2 --json --out '{disk}/out'
             code=$?; cp -a '{disk}/out' '{out}' && exit $code",
            disk = disk.display(),
            out = out.display(),
        );
        let output = Command::new("unshare").args(["-rm", "sh", "-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("No space left on device") && said.contains("free some disk space"), "{said}");
        let line: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
        let parts = ["findings", "duplicates", "suppressed", "flaky", "pending", "unconfirmed", "skipped"];
        assert_eq!(count(&line, "violations"), parts.map(|p| count(&line, p)).iter().sum::<u64>(), "{line}");
        let held = read_all(&out, false);
        assert_eq!(count(&line, "findings"), held.findings.len() as u64, "{line}");
        held.findings.first().into_iter().for_each(|f| assert_replays(f));
        assert_reports(&out);
    }
}
