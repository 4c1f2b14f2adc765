//! Ends and edges: readers that go away, full disks, signals at bad moments, inputs that nobody would write by hand.

use crate::support::program::{QUALM, children, is_running, signal, wait_for};
use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::isolated::Isolated;
use qualm::limits::INTERRUPT_ECHO_MS;
use qualm::process::Scratch;
use qualm::recorder::Reader;
use qualm::relation::{Relation, Verdict};
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A hunt that finds something within a second, and the same each time.
const FINDS: &str = "hunt canary:not-null --oracle tlp --checks 300 --workers 1 --seed 1 --size small";

fn bash(folder: &Path, script: &str) -> Output {
    Command::new("bash").args(["-c", script]).current_dir(folder).output().unwrap()
}

fn signal_group(leader: u32, signal: i32) {
    // SAFETY: a plain call; the group was started by this test.
    assert_eq!(unsafe { libc::kill(-(leader as libc::pid_t), signal) }, 0);
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
    // As a terminal does it: the signal goes to the hunt, its children and tee. The shell lives on to print the code.
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
    signal_group(shell.id(), libc::SIGINT);
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
    let script = vec![Step::query("last", "SELECT quote('a')")];
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
    let folder = scratch.path().to_path_buf();
    let ender = std::thread::spawn(move || {
        wait_for("the run", || began.load(Ordering::Relaxed).then_some(()));
        let hangs = |path: PathBuf| Reader::open(&path).is_some_and(|recorder| recorder.running_ms().is_some());
        let files = || fs::read_dir(&folder).unwrap().flatten().map(|file| file.path());
        wait_for("the statement that hangs", || files().any(hangs).then_some(()));
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
fn the_summary_has_both_times() {
    let folder = tempfile::tempdir().unwrap();
    // The one hang among these checks costs its time limit, and again each time that triage sees it: however busy the
    // machine is, the hunt is over long before.
    let args = "hunt canary:hang --checks 300 --timeout-ms 500 --workers 1 --seed 3 --size small --out here --json";
    let output = start(folder.path(), &args.split(' ').collect::<Vec<_>>()).wait_with_output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&line["checks"], &line["findings"]), (&300.into(), &1.into()), "{line}");
    assert!(line["seconds"].as_f64().unwrap() > 0.0, "{line}");
    assert!(line["triage_seconds"].as_f64().unwrap() > 0.5, "{line}");
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains(" of hunting and ") && words.contains(" of triage with 1 worker"), "{words}");
}

// ---------------------------------------------------------------- signals at bad moments

fn start(folder: &Path, args: &[&str]) -> Child {
    let mut command = Command::new(QUALM);
    command.args(args).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Children obey SIGHUP even where the tests were started with nohup, which has it ignored.
fn obey_hangups() {
    // SAFETY: no handler is installed or removed, only the default is put back.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_DFL) };
}

#[test]
fn a_signal_before_the_hunt_begins_leaves_nothing_behind() {
    obey_hangups();
    for end in [libc::SIGINT, libc::SIGHUP, libc::SIGTERM] {
        for command in ["hunt", "knobs"] {
            let folder = tempfile::tempdir().unwrap();
            // An adapter that never says hello: the start takes as long as it is let.
            fs::write(folder.path().join("silent"), "#!/bin/sh\nexec sleep 1000\n").unwrap();
            let hunt = start(folder.path(), &[command, "exec:sh silent"]);
            let pid = hunt.id();
            let child = wait_for("a child", || children(pid).first().map(|(child, _)| *child));
            signal(pid, end);
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
    signal(pid, libc::SIGINT);
    // Sooner it would be the same wish, sent twice.
    std::thread::sleep(Duration::from_millis(2 * INTERRUPT_ECHO_MS));
    signal(pid, libc::SIGINT);
    let output = hunt.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(128 + libc::SIGINT), "{output:?}");
    assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
    wait_for("the end of the children", || (!all.iter().any(|(child, _)| is_running(*child))).then_some(()));
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
        signal(pid, libc::SIGHUP);
        let output = hunt.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{output:?}");
        let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(line["seconds"].as_f64().unwrap() >= 2.9, ignored, "{line}");
        assert_eq!(private_folders(pid), Vec::<PathBuf>::new());
    }
}

// ---------------------------------------------------------------- inputs that nobody would write by hand

/// Exit code and standard error of a command that must come to an end by itself.
fn outcome_of(folder: &Path, args: &[&str]) -> (i32, String) {
    let output = Command::new(QUALM).args(args).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code().unwrap_or_else(|| panic!("{args:?} died: {stderr}"));
    assert!(!stderr.contains("panicked") && code != 4, "{args:?}: exit {code}: {stderr}");
    (code, stderr)
}

const TABLE: &str = "CREATE TABLE t0(a INT, b TEXT);\nINSERT INTO t0 VALUES (1, 'x');\n";

/// Scripts that are wrong, or only unusual, each with what it is.
fn hostile_scripts() -> Vec<(&'static str, Vec<u8>)> {
    let query = |p: &str| format!("{TABLE}SELECT a FROM t0 WHERE {p};\n").into_bytes();
    let brackets = |n: usize| format!("{}a = 1{}", "(".repeat(n), ")".repeat(n));
    vec![
        ("deep brackets", query(&brackets(20_000))),
        ("brackets at the limit", query(&brackets(59))),
        ("brackets around tables", {
            let (open, close) = ("(".repeat(50), ")".repeat(50));
            format!("{TABLE}SELECT * FROM {open}t0{close};").into_bytes()
        }),
        ("brackets that do not close", query(&"(".repeat(20_000))),
        ("brackets that only close", query(&")".repeat(20_000))),
        ("a chain of AND", query(&vec!["a = 1"; 20_000].join(" AND "))),
        ("a chain of AND at the limit", query(&vec!["a = 1"; 240].join(" AND "))),
        ("a chain of ||", query(&format!("{} = 'x'", vec!["b"; 490].join("||")))),
        ("a chain of NOT", query(&"NOT ".repeat(20_000))),
        ("a chain of minus", query(&format!("{}1", "- ".repeat(20_000)))),
        ("a chain of CASE", query(&format!("{}1{}", "CASE WHEN ".repeat(5_000), " THEN 1 END".repeat(5_000)))),
        ("a chain of windows", query(&"sum(a) OVER (ORDER BY ".repeat(20_000))),
        ("a chain of subqueries", query(&"a IN (SELECT a FROM t0 WHERE ".repeat(5_000))),
        (
            "a chain of UNION",
            format!("{TABLE}{};", vec!["SELECT a, b FROM t0"; 20_000].join(" UNION ALL ")).into_bytes(),
        ),
        ("many tables", format!("{TABLE}SELECT 1 FROM t0 {};", "JOIN t0 AS u ".repeat(5_000)).into_bytes()),
        ("many rows", format!("{TABLE}INSERT INTO t0 VALUES {};", vec!["(-1, 'y')"; 20_000].join(", ")).into_bytes()),
        ("many blobs in a line", {
            let row = vec!["x'00'"; 20_000].join(", ");
            format!("{TABLE}SELECT a FROM t0 WHERE b IN ({row});").into_bytes()
        }),
        ("a long line of blanks", query(&format!("a = {}1", " ".repeat(1 << 20)))),
        ("a long name", query(&format!("\"{}\" = 1", "x".repeat(1 << 20)))),
        ("a long text", query(&format!("b = '{}'", "x".repeat(1 << 20)))),
        ("a quote that does not close", query("b = 'x")),
        ("a comment that does not close", query("a = 1 /* and so on")),
        ("NUL bytes", query("b = 'x\0y' OR \0 a = 1")),
        ("only NUL bytes", vec![0; 1000]),
        ("not UTF-8", [TABLE.as_bytes(), b"SELECT '\xff\xfe';"].concat()),
        ("UTF-16", TABLE.encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("a byte order mark", [b"\xef\xbb\xbf", query("a = 1").as_slice()].concat()),
        ("line ends of Windows", String::from_utf8(query("a =\n1")).unwrap().replace('\n', "\r\n").into_bytes()),
        ("nothing", Vec::new()),
        ("only semicolons", b";;;;;;;;;;".to_vec()),
        ("too much", [TABLE.as_bytes(), &vec![b'-'; 9 << 20]].concat()),
    ]
}

/// What must be read as a seed; all else may be refused, with exit code 2 and a few lines.
const GOOD_SEEDS: &[&str] =
    &["a byte order mark", "line ends of Windows", "many rows", "a chain of AND", "deep brackets"];

#[test]
fn hostile_scripts_are_read_or_refused_in_a_few_lines() {
    let folder = tempfile::tempdir().unwrap();
    for (number, (what, bytes)) in hostile_scripts().into_iter().enumerate() {
        let file = format!("{number}.sql");
        fs::write(folder.path().join(&file), &bytes).unwrap();
        let out = format!("seeds-{number}");
        let hunt = ["hunt", "sqlite", "--oracle", "tlp,mutasql", "--seeds", &file, "--checks", "3", "--workers", "1"];
        let (code, stderr) = outcome_of(folder.path(), &[&hunt[..], &["--seed", "1", "--out", &out]].concat());
        assert!(matches!(code, 0..=2), "{what}: exit {code}: {stderr}");
        assert!(stderr.len() < 6_000, "{what}: {} bytes on stderr", stderr.len());
        if GOOD_SEEDS.contains(&what) {
            assert_ne!(code, 2, "{what}: {stderr}");
        }
        let out = format!("queries-{number}");
        let check = ["check", "sqlite", "--queries", &file, "--seed", "1", "--run-all", "--out", &out];
        let (code, stderr) = outcome_of(folder.path(), &check);
        assert!(matches!(code, 0 | 1), "check, {what}: exit {code}: {stderr}");
        assert!(stderr.len() < 6_000, "check, {what}: {} bytes on stderr", stderr.len());
    }
}

#[test]
fn a_script_of_many_statements_is_cut_into_them_with_their_lines() {
    // Linear: with the square of it this would be a matter of minutes.
    let rows = 40_000;
    let text: String = (0..rows).map(|i| format!("INSERT INTO t0 VALUES ({i}, 'text; {i}');\n")).collect();
    let pieces = qualm::lang::sql::parse::statements_of(&text, Default::default());
    assert_eq!((pieces.len(), pieces[rows - 1].0), (rows, rows));
    let mut cutter = qualm::lang::sql::parse::Cutter::new(Default::default());
    let mut found = 0;
    for chunk in text.as_bytes().chunks(1 << 16) {
        cutter.push(chunk);
        while let Some((line, piece)) = cutter.next_piece() {
            found += 1;
            assert_eq!((line, piece.unwrap().starts_with("INSERT")), (found, true));
        }
    }
    assert_eq!(found, rows);
    // A comment over several chunks ends where it ends.
    let mut cutter = qualm::lang::sql::parse::Cutter::new(Default::default());
    let long = format!("/* {} */ SELECT 1; -- {}\nSELECT 2;", "a; *\n".repeat(30_000), "b; ".repeat(30_000));
    let mut texts = Vec::new();
    for chunk in long.as_bytes().chunks(4_099) {
        cutter.push(chunk);
        texts.extend(std::iter::from_fn(|| cutter.next_piece()));
    }
    assert_eq!(texts, [(30_001, Ok("SELECT 1".to_owned())), (30_002, Ok("SELECT 2".to_owned()))]);
    // A mark that nobody closes, again and again.
    let mut cutter = qualm::lang::sql::parse::Cutter::new(Default::default());
    for open in ["SELECT 'it;\n/* a;\n", "/* a;\n"] {
        for chunk in open.repeat(150_000).as_bytes().chunks(1 << 16) {
            cutter.push(chunk);
            while cutter.next_piece().is_some() {}
        }
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    fs::write(folder.path().join("latin"), b"# caf\xe9\n").unwrap();
    assert!(bash(folder.path(), "mkfifo pipe").status.success());
    for (option, rest) in [
        ("--seeds", &["--oracle", "tlp"][..]),
        ("--rules", &["--oracle", "mutasql"]),
        ("--knobs", &["--oracle", "config"]),
        ("--known", &[]),
        ("--campaign", &[]),
    ] {
        for file in ["folder", "empty", "latin", "pipe", "nowhere", "/dev/zero"] {
            // No known bugs and no arguments are fine.
            let fine = matches!((option, file), ("--known" | "--campaign", "empty" | "pipe"));
            let args = ["hunt", "sqlite", option, file, "--checks", "1", "--workers", "1"];
            let (code, stderr) = outcome_of(folder.path(), &[&args[..], rest].concat());
            assert_eq!(code == 2, !fine, "{option} {file}: exit {code}: {stderr}");
            assert!(fine || stderr.lines().count() == 1, "{option} {file}: {stderr}");
        }
    }
    for file in ["folder", "empty", "latin", "pipe", "nowhere", "/dev/zero"] {
        let (code, stderr) = outcome_of(folder.path(), &["replay", file, "--engine", "sqlite"]);
        assert_eq!((code, stderr.lines().count()), (2, 1), "replay {file}: {stderr}");
        let (code, stderr) = outcome_of(folder.path(), &["check", "sqlite", "--queries", "empty", "--setup", file]);
        let fine = matches!(file, "empty" | "pipe");
        assert_eq!(code, if fine { 0 } else { 2 }, "check --setup {file}: {stderr}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_any_file() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), format!("\u{feff}{text}")).unwrap();
    write("known", "{\"fingerprint\": \"0123456789\", \"reason\": \"x\"}\r\n");
    write("campaign.toml", "checks = 5\r\nworkers = 1\r\noracle = \"config,mutasql\"\r\n");
    write("rules.toml", include_str!("../../examples/rules.toml"));
    write("knobs.toml", include_str!("../../knobs/sqlite.toml"));
    write("seeds.sql", &format!("{TABLE}SELECT a FROM t0;"));
    let args =
        "hunt sqlite --campaign campaign.toml --known known --rules rules.toml --knobs knobs.toml --seeds seeds.sql";
    let (code, stderr) = outcome_of(folder.path(), &args.split(' ').collect::<Vec<_>>());
    assert!(code < 2 && !stderr.contains("not read"), "{stderr}");
    let (code, stderr) =
        outcome_of(folder.path(), &["check", "sqlite", "--setup", "seeds.sql", "--queries", "seeds.sql", "--run-all"]);
    assert!(code == 0 && !stderr.contains("unread"), "{stderr}");
}

#[test]
fn a_stored_case_of_any_depth_and_kind_is_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let case = |source: &str| {
        format!(
            "{{\"format\": 1, \"language\": \"sql\", \"oracle\": \"tlp\", \"script\": [], \"claim\": \"survives\", \
             \"source\": {source}, \"origin\": {{\"seed\": 1, \"worker\": 0, \"database\": 0, \"check\": 0}}}}"
        )
    };
    let deep = |n: usize| case(&format!("{}{}", "[".repeat(n), "]".repeat(n)));
    for (what, text) in [
        ("deep", deep(100_000)),
        ("deep and open", "[".repeat(1 << 20)),
        ("a long line", format!("\"{}\"", "x".repeat(1 << 20))),
        ("a wrong claim", case("null").replace("survives", &"x".repeat(1 << 20))),
    ] {
        fs::write(folder.path().join("case.json"), text).unwrap();
        for command in ["replay", "reduce"] {
            let (code, stderr) = outcome_of(folder.path(), &[command, "case.json", "--engine", "sqlite"]);
            assert_eq!((code, stderr.lines().count()), (2, 1), "{what}: {stderr}");
            assert!(stderr.len() < 1000, "{what}: {} bytes", stderr.len());
        }
    }
}

#[test]
fn knobs_that_make_no_sense_are_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let adapter = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/sqlite_adapter.py");
    let text = fs::read_to_string(adapter).unwrap();
    for (number, knobs) in ["[[knob]]\nname = 1", "not toml", "list = 'SELECT nonsense'"].into_iter().enumerate() {
        let saying = format!("\"knobs\": {}, \"protocol\": ", serde_json::json!(knobs));
        let wrong = text.replacen("\"protocol\": ", &saying, 1);
        assert_ne!(wrong, text, "the adapter says hello in another way");
        fs::write(folder.path().join("adapter.py"), wrong).unwrap();
        let args = ["hunt", "exec:python3 adapter.py", "--oracle", "config", "--checks", "5", "--workers", "1"];
        let (code, stderr) = outcome_of(folder.path(), &args);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{number}: {stderr}");
    }
    fs::write(
        folder.path().join("knobs.toml"),
        "list = 'SELECT nonsense'\nset = 'x'\nreset = 'x'\n\
        [[knob]]\nname = 'a'\nvalues = ['1', '2']\nclass = 'memory'\noperators = ['*']\n",
    )
    .unwrap();
    let (code, stderr) = outcome_of(folder.path(), &["knobs", "exec:python3 adapter.py", "--knobs", "knobs.toml"]);
    assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
}

#[test]
fn hostile_programs_of_datalog_are_read_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let head = ".decl a(x: number)\n.decl b(x: number)\n.output b\na(1).\n";
    let rule = |body: &str| format!("{head}b(x) :- a(x), {body}.\nb(x) :- a(x).\n");
    for (number, text) in [
        rule(&format!("x = {}1{}", "(".repeat(20_000), ")".repeat(20_000))),
        rule(&format!("{}x = 1{}", "(".repeat(20_000), ")".repeat(20_000))),
        rule(&format!("x = {}", vec!["1"; 20_000].join(" + "))),
        rule(&format!("x = {}1", "- ".repeat(20_000))),
        rule(&format!("x = {}1{}", "max(1, ".repeat(20_000), ")".repeat(20_000))),
        rule(&format!("x = {}1", "count : { a(1), x = ".repeat(5_000))),
        rule(&vec!["a(x)"; 300].join(", ")),
        format!("{head}{}b(x) :- a(x).\n", "a(2).\n".repeat(5_000)),
        format!("\u{feff}{head}b(x) :- a(x).\n").replace('\n', "\r\n"),
        format!("{head}\0\0\0"),
        String::new(),
    ]
    .into_iter()
    .enumerate()
    {
        let file = format!("{number}.dl");
        fs::write(folder.path().join(&file), text).unwrap();
        let out = format!("out-{number}");
        let args = ["hunt", "clingo", "--seeds", &file, "--checks", "2", "--workers", "1", "--out", &out];
        let (code, stderr) = outcome_of(folder.path(), &args);
        assert!(code <= 2 && stderr.len() < 6_000, "{file}: exit {code}: {stderr}");
        assert!(code != 2 || number >= 9, "{file}: {stderr}");
    }
}
