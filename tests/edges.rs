//! Ends and edges: readers that go away, full disks, signals at bad moments, inputs that nobody would write by hand.

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::isolated::Isolated;
use qualm::process::Scratch;
use qualm::relation::{Relation, Verdict};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

/// A hunt that finds something within a second, and the same each time.
const FINDS: &str = "hunt canary:not-null --oracle tlp --checks 300 --workers 1 --seed 1 --size small";

fn bash(folder: &Path, script: &str) -> Output {
    Command::new("bash").args(["-c", script]).current_dir(folder).output().unwrap()
}

fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < Duration::from_secs(60), "{what} did not come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: i32, signal: i32) {
    // SAFETY: a plain call; the process or group was started by this test.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

/// Private folders of the process `pid`, wherever such folders are made.
fn private_folders(pid: u32) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut places = vec![PathBuf::from("/dev/shm"), std::env::temp_dir()];
    places.extend(std::env::var_os("QUALM_SCRATCH").map(PathBuf::from));
    while let Some(place) = places.pop() {
        for path in fs::read_dir(&place).into_iter().flatten().flatten().map(|e| e.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with(&format!("qualm-run-{pid}-")) {
                found.push(path);
            } else if name.starts_with("qualm") && path.is_dir() && !name.starts_with("qualm-run-") {
                places.push(path);
            }
        }
    }
    found
}

/// Of any thread of the process.
fn children(pid: u32) -> Vec<u32> {
    let parent = |stat: &str| stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok();
    let numbers = fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let of = |n: &u32| fs::read_to_string(format!("/proc/{n}/stat")).is_ok_and(|stat| parent(&stat) == Some(pid));
    numbers.filter(of).collect()
}

fn is_running(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
}

// ---------------------------------------------------------------- readers that go away

#[test]
fn a_closed_or_full_output_changes_no_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let ends = ["> /dev/full", ">&-", "2>/dev/full", "2>&-", "> /dev/full 2>/dev/full", "2>&1 | true", "| true"];
    for (number, end) in ends.into_iter().enumerate() {
        let out = format!("out-{number}");
        let script = format!("'{QUALM}' {FINDS} --out {out} {end}; exit ${{PIPESTATUS[0]}}");
        let output = bash(folder.path(), &script);
        assert_eq!(output.status.code(), Some(1), "hunt {end}: {output:?}");
        assert!(folder.path().join(&out).join("campaign.json").exists(), "hunt {end}");
        for (command, code) in [
            ("engines", 0),
            ("oracles", 0),
            ("rules", 0),
            ("campaign", 0),
            ("completions bash", 0),
            ("knobs sqlite", 0),
            (&format!("report {out} --out -"), 0),
            (&format!("replay {out}/findings/*"), 1),
            ("replay nowhere", 2),
            ("engines --nonsense", 2),
        ] {
            let script = format!("'{QUALM}' {command} {end}; exit ${{PIPESTATUS[0]}}");
            let output = bash(folder.path(), &script);
            assert_eq!(output.status.code(), Some(code), "{command} {end}: {output:?}");
            assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"), "{command} {end}: {output:?}");
        }
    }
}

#[test]
fn a_full_disk_behind_standard_output_is_mentioned() {
    let folder = tempfile::tempdir().unwrap();
    let output = bash(folder.path(), &format!("'{QUALM}' engines > /dev/full"));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.contains("cannot write to standard output: No space left"), "{stderr}");
}

#[test]
fn ctrl_c_on_a_pipeline_keeps_the_findings_and_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    // As a terminal does it: the signal goes to the hunt, its children and tee. The shell lives on to tell the code.
    let hunt = "hunt canary:not-null --oracle tlp --seconds 100 --workers 2 --seed 1 --size small --out here";
    let script = format!(
        "(trap : INT; bash -c 'echo $$ > pid; exec \"{QUALM}\" {hunt}'; echo $? > new; mv new code) 2>&1 | tee log"
    );
    let mut shell = Command::new("bash");
    shell.args(["-c", &script]).current_dir(folder.path()).process_group(0).stdout(Stdio::null());
    let mut shell = shell.spawn().unwrap();
    let log = folder.path().join("log");
    wait_for("a finding", || fs::read_to_string(&log).ok()?.contains("found:").then_some(()));
    let pid: u32 = fs::read_to_string(folder.path().join("pid")).unwrap().trim().parse().unwrap();
    signal(-(shell.id() as i32), libc::SIGINT);
    let code = wait_for("the exit code", || fs::read_to_string(folder.path().join("code")).ok());
    shell.wait().unwrap();
    assert_eq!(code.trim(), "1");
    let campaign: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("here/campaign.json")).unwrap()).unwrap();
    assert!(campaign["findings"].as_u64().unwrap() > 0, "{campaign}");
    assert_eq!((&campaign["killed"], &campaign["crashes"]), (&0.into(), &0.into()), "children died of the signal");
    assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
}

// ---------------------------------------------------------------- no time left

#[test]
fn what_runs_when_the_time_is_over_is_cut_off_and_says_nothing_of_the_engine() {
    let scratch = Arc::new(Scratch::create().unwrap());
    let over = Arc::new(AtomicBool::new(false));
    let (flag, began) = (over.clone(), Arc::new(AtomicBool::new(false)));
    let mark = began.clone();
    let out_of_time = Arc::new(move || {
        // Looked at again and again while the statement hangs.
        mark.store(true, Ordering::Relaxed);
        flag.load(Ordering::Relaxed)
    });
    // An hour for each statement: only the deadline ends this.
    let hour = 3_600_000;
    let mut isolated =
        Isolated::open_until(out_of_time, Path::new(QUALM), "canary:hang", hour, scratch.clone()).unwrap();
    let script = vec![Step::ask("last", "SELECT quote('a')")];
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Sql,
        oracle: "survives".into(),
        rules: Vec::new(),
        script,
        claim: Relation::Survives,
        source: None,
        origin: Origin::default(),
    };
    began.store(false, Ordering::Relaxed);
    let ender = std::thread::spawn(move || {
        wait_for("the run", || began.load(Ordering::Relaxed).then_some(()));
        std::thread::sleep(Duration::from_millis(300));
        over.store(true, Ordering::Relaxed);
    });
    let evidence = isolated.run(&case);
    ender.join().unwrap();
    assert!(matches!(&evidence.verdict, Verdict::NotComparable { why } if why.contains("no time")), "{evidence:?}");
    // Nothing is begun any more, and an engine that never answers is not waited for.
    assert!(matches!(isolated.run(&case).verdict, Verdict::NotComparable { .. }));
    assert!(Isolated::open_until(Arc::new(|| true), Path::new(QUALM), "exec:sleep 1000", hour, scratch).is_ok());
}

#[test]
fn the_summary_tells_both_times() {
    let folder = tempfile::tempdir().unwrap();
    // Each run that hangs costs a second, so that triage has something to do after the hunt.
    let args = "hunt canary:hang --seconds 2 --timeout-ms 1000 --workers 1 --seed 3 --size small --out here --json";
    let output = start(folder.path(), &args.split(' ').collect::<Vec<_>>()).wait_with_output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(line["seconds"].as_f64().unwrap() >= 2.0, "{line}");
    assert!(line["triage_seconds"].as_f64().unwrap() > 0.5, "{line}");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains(" of hunting and ") && words.contains(" of triage with 1 workers"), "{words}");
}

// ---------------------------------------------------------------- signals at bad moments

fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(QUALM);
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[test]
fn a_signal_before_the_hunt_begins_leaves_nothing_behind() {
    for end in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
        for command in ["hunt", "knobs"] {
            let folder = tempfile::tempdir().unwrap();
            // An adapter that never says hello: the start takes as long as it is let.
            fs::write(folder.path().join("silent"), "#!/bin/sh\nexec sleep 1000\n").unwrap();
            let hunt = start(folder.path(), &[command, "exec:sh silent"]);
            let pid = hunt.id();
            let child = wait_for("a child", || children(pid).first().copied());
            signal(pid as i32, end);
            let output = hunt.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(128 + end), "{command}: {output:?}");
            assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
            wait_for("the end of the children", || (!is_running(child)).then_some(()));
            assert!(!folder.path().join("qualm-out").exists());
        }
    }
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    // Workers hang, so that the clean end takes a while.
    let args = "hunt canary:hang --seconds 100 --timeout-ms 60000 --workers 2 --out here --seed 3";
    let hunt = start(folder.path(), &args.split(' ').collect::<Vec<_>>());
    let pid = hunt.id();
    wait_for("workers", || (children(pid).len() >= 3).then_some(()));
    let busy = || fs::read_to_string(folder.path().join("here/progress.jsonl")).is_ok_and(|t| t.lines().count() > 2);
    wait_for("some progress", || busy().then_some(()));
    let all = children(pid);
    signal(pid as i32, libc::SIGINT);
    std::thread::sleep(Duration::from_millis(400));
    signal(pid as i32, libc::SIGINT);
    let output = hunt.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGINT), "{output:?}");
    assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
    wait_for("the end of the children", || (!all.iter().any(|c| is_running(*c))).then_some(()));
}

#[test]
fn a_closed_terminal_is_like_ctrl_c_but_not_with_nohup() {
    for (ignored, code) in [(false, 0), (true, 0)] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(QUALM);
        let seconds = if ignored { "3" } else { "100" };
        command.args(["hunt", "sqlite", "--seconds", seconds, "--workers", "1", "--json", "--out", "here"]);
        command.current_dir(folder.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // SAFETY: one plain system call between fork and exec.
        unsafe {
            command.pre_exec(move || {
                libc::signal(libc::SIGHUP, if ignored { libc::SIG_IGN } else { libc::SIG_DFL });
                Ok(())
            })
        };
        let hunt = command.spawn().unwrap();
        let pid = hunt.id();
        wait_for("the hunt", || folder.path().join("here/progress.jsonl").exists().then_some(()));
        signal(pid as i32, libc::SIGHUP);
        let output = hunt.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(line["seconds"].as_f64().unwrap() >= 2.9, ignored, "{line}");
        assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
    }
}
