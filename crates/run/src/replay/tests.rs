use super::*;
use crate::testing::{SAME, TIMEOUT_MS, case, found_case, index_case, place, survives};
use qualm_core::case::Step;
use qualm_core::fault::EXIT_USAGE;
use qualm_core::value::{Rows, Value};
use std::fs;

fn write_case(path: &Path, case: &Case) {
    fs::write(path, serde_json::to_vec(case).unwrap()).unwrap();
}

#[test]
fn the_exit_code_says_whether_the_bug_is_still_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.json");
    write_case(&file, &index_case());
    assert_eq!(replay(&file, Some("canary:index-row"), TIMEOUT_MS), Ok(EXIT_FINDINGS));
    assert_eq!(replay(folder.path(), Some("canary:index-row"), TIMEOUT_MS), Ok(EXIT_FINDINGS));
    assert_eq!(replay(&file, Some("sqlite"), TIMEOUT_MS), Ok(EXIT_CLEAN));
    // What says nothing is neither there nor gone.
    let script = vec![Step::run("CREATE TABEL t0(c0)"), Step::query("a", "SELECT 1"), Step::query("b", "SELECT 1")];
    write_case(&file, &case("eet", script, SAME));
    let fault = replay(&file, Some("sqlite"), TIMEOUT_MS).unwrap_err();
    assert!(fault.code == EXIT_USAGE && fault.text.contains("judged on sqlite 3."), "{fault:?}");
    let fault = replay(&folder.path().join("nothing.json"), Some("sqlite"), TIMEOUT_MS).unwrap_err();
    assert!(fault.text.contains("nothing.json"), "{fault:?}");
}

#[test]
fn the_engine_is_the_one_that_is_asked_for_or_else_the_one_that_found_it() {
    let place = place();
    let finding = place.out().join("findings/one");
    let pending = place.out().join("pending");
    for folder in [&finding, &pending] {
        fs::create_dir_all(folder).unwrap();
    }
    let engine = |path: &Path, requested| engine_of(path, requested, "replay").map_err(|fault| fault.text);
    let fault = engine(&finding, None).unwrap_err();
    assert!(fault.contains("engine") && fault.contains("--engine ENGINE"), "{fault}");
    fs::write(finding.join(META_FILE), r#"{"engine": "canary:index-row"}"#).unwrap();
    place.store.write_summary(&serde_json::json!({"engine": "sqlite:3.28.0"})).unwrap();
    assert_eq!(engine(&finding, None).as_deref(), Ok("canary:index-row"));
    assert_eq!(engine(&finding.join("case.json"), None).as_deref(), Ok("canary:index-row"));
    // What is no finding yet lies beside the figures of its campaign.
    assert_eq!(engine(&pending.join("000001.json"), None).as_deref(), Ok("sqlite:3.28.0"));
    assert_eq!(engine(&finding, Some("exec:./mine")).as_deref(), Ok("exec:./mine"));
}

/// A folder may be anybody's, and what it names would be run.
#[test]
fn a_file_cannot_make_us_run_a_command_load_a_library_or_reach_a_server() {
    let folder = tempfile::tempdir().unwrap();
    write_case(&folder.path().join("case.json"), &index_case());
    let long = format!("exec:{}", "x".repeat(ENGINE_CHARS));
    for (stored, typed) in [
        ("exec:touch 'x'", r"--engine 'exec:touch '\''x'\'''"),
        ("sqlite:./evil.so", "--engine sqlite:./evil.so"),
        (long.as_str(), "--engine ENGINE"),
    ] {
        let meta = serde_json::json!({"engine": stored});
        fs::write(folder.path().join(META_FILE), meta.to_string()).unwrap();
        for outcome in [replay(folder.path(), None, TIMEOUT_MS), reduce(folder.path(), None, 10.0, TIMEOUT_MS)] {
            let fault = outcome.unwrap_err();
            assert_eq!(fault.code, EXIT_USAGE, "{fault:?}");
            assert!(fault.text.ends_with(typed), "{}", fault.text);
        }
    }
}

#[test]
fn a_bare_case_becomes_a_finding_beside_it_and_a_finding_stays_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("000001.json");
    write_case(&file, &found_case());
    assert_eq!(reduce(&file, Some("canary:index-row"), 60.0, TIMEOUT_MS), Ok(EXIT_FINDINGS));
    let folders = || {
        let entries = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().path());
        entries.filter(|path| path.is_dir()).collect::<Vec<PathBuf>>()
    };
    let [made] = &folders()[..] else { panic!("one folder is made: {:?}", folders()) };
    assert_eq!(store::read_case(&file).unwrap(), found_case(), "the file is as it was");
    let small = store::read_case(made).unwrap();
    assert_eq!((found_case().script.len(), small.script.len()), (12, 7), "{:?}", small.script);
    assert_eq!(store::read_case(&made.join("unreduced.json")).unwrap().script, found_case().script);
    assert_eq!(stored_engine(made).as_deref(), Some("canary:index-row"));
    // A second time there is nothing left to do, and the case as it was found is still there.
    assert_eq!(reduce(made, None, 60.0, TIMEOUT_MS), Ok(EXIT_FINDINGS));
    assert_eq!(store::read_case(made).unwrap(), small);
    assert_eq!(store::read_case(&made.join("unreduced.json")).unwrap().script, found_case().script);
    assert_eq!(folders().len(), 1);
    // It stays where it is even if it has a name of its own.
    let renamed = folder.path().join("mine");
    fs::rename(made, &renamed).unwrap();
    assert_eq!(reduce(&renamed, None, 60.0, TIMEOUT_MS), Ok(EXIT_FINDINGS));
    assert_eq!(folders(), [renamed]);
}

#[test]
fn what_is_gone_is_not_reduced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("case.json");
    write_case(&file, &index_case());
    assert_eq!(reduce(&file, Some("sqlite"), 60.0, TIMEOUT_MS), Ok(EXIT_CLEAN));
    // Wrong each time, and each time in another way.
    let script = vec![Step::query("one", "SELECT random()"), Step::query("another", "SELECT random()")];
    write_case(&file, &case("eet", script, SAME));
    assert_eq!(reduce(&file, Some("sqlite"), 60.0, TIMEOUT_MS), Ok(EXIT_FINDINGS));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing was stored");
}

#[test]
fn answers_are_shown_within_limits_and_without_control_characters() {
    let rows = |n: i64| Outcome::Rows(Rows::of((0..n).map(|i| vec![Value::Int(i), Value::Null]).collect()));
    assert_eq!(answer_text(&rows(0)), "0 rows");
    assert_eq!(answer_text(&rows(1)), "1 row: (0, NULL)");
    let many = answer_text(&rows(SHOWN_ROWS as i64 + 2));
    assert!(many.starts_with("12 rows: (0, NULL) (1, NULL)") && many.ends_with("(9, NULL) and 2 more"), "{many}");
    assert_eq!(answer_text(&Outcome::Done), "done");
    assert_eq!(answer_text(&Outcome::Hang(300)), "no answer within 300 ms");
    let crash = answer_text(&Outcome::Crash("SIGSEGV\x1b[2J".into()));
    assert!(crash.starts_with("crash: SIGSEGV") && !crash.contains('\x1b'), "{crash}");
    let evil = answer_text(&Outcome::Rows(Rows::of(vec![vec![Value::Text("a\x1b]0;x".into())]])));
    assert!(!evil.contains('\x1b'), "{evil}");
    let broke = Verdict::Broke { kind: qualm_core::relation::FailureKind::Crash, text: "SIGABRT".into() };
    let evidence = Evidence { verdict: broke, answers: vec![Outcome::Crash("SIGABRT".into())] };
    let text = answers_text(&survives(&["CREATE TABLE t0(c0)", "SELECT hex(1)"]), &evidence);
    assert_eq!(text, "last: SELECT hex(1)\n  crash: SIGABRT\nCrash: SIGABRT\n");
}
