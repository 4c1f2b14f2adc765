use super::*;
use crate::testing::{case, finding_of, index_case, noted, place};
use qualm_core::case::{Evidence, Step};
use qualm_core::relation::{Difference, Relation, Verdict};
use serde_json::json;
use std::sync::Barrier;

fn finding() -> Finding {
    finding_of(index_case(), Evidence { verdict: Verdict::Violated(Difference::default()), answers: vec![] })
}

fn fault_text(outcome: Result<impl Sized, Fault>) -> String {
    outcome.err().map_or_else(|| panic!("there is no fault"), |fault| fault.text)
}

/// Whoever makes a folder can guess the name of the file that a number of a process gives.
#[test]
fn nothing_is_written_through_a_link() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    fs::write(&target, "mine").unwrap();
    let trap = folder.path().join(format!(".{META_FILE}.new-{}", std::process::id()));
    std::os::unix::fs::symlink(&target, &trap).unwrap();
    let path = folder.path().join(META_FILE);
    write_whole(&path, b"{}").unwrap();
    assert_eq!((fs::read(&target).unwrap(), fs::read(&path).unwrap()), (b"mine".to_vec(), b"{}".to_vec()));
    // A link in the place of the file itself gives way.
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    write_whole(&path, b"{}").unwrap();
    assert_eq!((fs::read(&target).unwrap(), fs::read(&path).unwrap()), (b"mine".to_vec(), b"{}".to_vec()));
}

/// As root a file in the place of `/dev/null` is the end of much else on the machine.
#[test]
fn what_the_user_names_is_replaced_only_if_it_is_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let [pipe, target, link, new] = ["pipe", "target", "link", "new"].map(|name| folder.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    write_named(&pipe, b"{}").unwrap();
    assert_eq!(reader.join().unwrap(), b"{}");
    assert!(!fs::metadata(&pipe).unwrap().is_file());
    fs::write(&target, "before").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_named(&link, b"{}").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    write_named(&new, b"{}").unwrap();
    assert_eq!((fs::read(&target).unwrap(), fs::read(&new).unwrap()), (b"{}".to_vec(), b"{}".to_vec()));
    assert!(write_named(folder.path(), b"{}").is_err());
}

#[test]
fn a_file_that_cannot_get_its_place_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("place");
    fs::create_dir_all(path.join("occupied")).unwrap();
    assert!(write_whole(&path, b"{}").is_err());
    let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["place"]);
}

#[test]
fn a_campaign_gets_a_folder_that_nobody_has_used() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a/b");
    assert_eq!(Store::create(Some(&out)).unwrap().folder(), out);
    let text = fault_text(Store::create(Some(&out)));
    assert!(text.contains("not empty") && text.contains("--out"), "{text}");
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let text = fault_text(Store::create(Some(&file)));
    assert!(text.contains(&file.display().to_string()), "{text}");
}

#[test]
fn folders_are_numbered_on_from_the_greatest() {
    let folder = tempfile::tempdir().unwrap();
    let parent = folder.path().join("many");
    assert_eq!(numbered(&parent).unwrap(), parent.join("0001"));
    fs::create_dir_all(parent.join("0041")).unwrap();
    fs::create_dir_all(parent.join("notes")).unwrap();
    assert_eq!(numbered(&parent).unwrap(), parent.join("0042"));
    assert_eq!(numbered(&parent).unwrap(), parent.join("0043"));
}

#[test]
fn hunts_that_start_together_get_folders_of_their_own() {
    const AT_ONCE: usize = 8;
    for _ in 0..20 {
        let (folder, start) = (tempfile::tempdir().unwrap(), Barrier::new(AT_ONCE));
        let begin = || {
            start.wait();
            numbered(folder.path()).unwrap()
        };
        let mut made: Vec<PathBuf> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(begin)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        made.sort();
        made.dedup();
        assert_eq!(made.len(), AT_ONCE);
    }
}

/// As when the disk is full just then: the hunt ends, and its figures say that this is no finding.
#[test]
fn a_finding_without_its_line_leaves_no_folder() {
    let place = place();
    fs::create_dir(place.out().join(FINDINGS_FILE)).unwrap();
    assert!(place.store.add_finding(&finding()).is_err());
    assert!(place.store.finding_folders().is_empty() && place.names("findings").is_empty());
}

#[test]
fn a_finding_has_a_folder_and_a_line() {
    let place = place();
    let finding = finding();
    let folder = place.store.add_finding(&finding).unwrap();
    assert_eq!(place.store.finding_folders(), std::slice::from_ref(&folder));
    for file in [CASE_FILE, META_FILE, "repro.sql", "report.md"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    assert_eq!(read_case(&folder).unwrap(), finding.case);
    assert_eq!(read_meta(&folder).unwrap().fingerprint, finding.fingerprint.id);
    let name = format!("findings/{}", finding_name(&finding));
    let line =
        json!({"fingerprint": finding.fingerprint.id, "title": finding.title, "oracle": "index", "folder": name});
    assert_eq!(place.lines(FINDINGS_FILE), [line]);
    // Folders that hold no case are not findings.
    fs::create_dir(place.out().join("findings/other")).unwrap();
    assert_eq!(place.store.finding_folders(), [folder]);
    assert!(place.names("findings").iter().all(|name| !name.starts_with('.')), "{:?}", place.names("findings"));
}

#[test]
fn names_of_findings_can_be_read_and_typed() {
    let mut finding = finding();
    let id = finding.fingerprint.id[..8].to_string();
    for (title, name) in [
        ("Wrong result: LEFT JOIN, hex()", "wrong-result-left-join-hex"),
        ("(((", "finding"),
        ("Ünion — «x»", "nion-x"),
        ("../../etc/passwd", "etc-passwd"),
        (&"a b ".repeat(40), &"a-b-".repeat(12)[..47]),
    ] {
        finding.title = title.into();
        assert_eq!(finding_name(&finding), format!("{name}-{id}"), "{title}");
    }
}

#[test]
fn a_finding_that_is_written_again_keeps_its_duplicates_and_the_case_as_it_was_found() {
    let place = place();
    let mut finding = finding();
    finding.unreduced =
        Some(Box::new(case("index", vec![Step::query("last", "SELECT 'as it came'")], Relation::Survives)));
    let folder = place.store.add_finding(&finding).unwrap();
    let case = index_case();
    for (reduced, whole) in [(true, Some(&case)), (false, None)] {
        let duplicate = Duplicate { oracle: "index", origin: case.origin, reduced, case: whole };
        place.store.add_duplicate(&folder, &duplicate).unwrap();
    }
    fs::write(folder.join("notes.txt"), "of the last time").unwrap();
    finding.unreduced = None;
    finding.case.script.truncate(2);
    write_finding(&folder, &finding).unwrap();
    assert_eq!(read_case(&folder).unwrap().script.len(), 2);
    assert!(fs::read_to_string(folder.join("unreduced.sql")).unwrap().contains("as it came"));
    assert!(!folder.join("notes.txt").exists());
    let lines = place.lines(folder.join(DUPLICATES_FILE));
    assert_eq!(lines.iter().map(|l| l["reduced"].as_bool().unwrap()).collect::<Vec<_>>(), [true, false]);
    assert_eq!((lines[0].get("case").is_some(), lines[1].get("case").is_some()), (true, false));
    // Neither what was prepared nor what gave way is left.
    assert_eq!(place.names("findings"), [finding_name(&finding)]);
}

#[test]
fn pending_cases_are_there_until_they_are_settled() {
    let place = place();
    assert!(!place.store.has_unsettled());
    let paths: Vec<PathBuf> = (0..2).map(|_| place.store.keep_pending(&index_case()).unwrap()).collect();
    assert_eq!(read_case(&paths[1]).unwrap(), index_case());
    assert!(place.store.has_unsettled());
    place.store.settle_pending(&paths[0]);
    assert_eq!(place.names(PENDING), ["000002.json"]);
    place.store.settle_pending(&paths[1]);
    assert!(!place.out().join(PENDING).exists() && !place.store.has_unsettled());
}

#[test]
fn unconfirmed_cases_have_their_session_and_a_reason() {
    let place = place();
    let mut session = noted(&["CREATE TABLE t0(c0)", "SELECT nothing"]);
    session[1].rejected = true;
    let kept = place.store.keep_unconfirmed(&index_case(), &session).unwrap().unwrap();
    let bare = place.store.keep_unconfirmed(&index_case(), &[]).unwrap().unwrap();
    assert_eq!(place.names(UNCONFIRMED), ["000001.json", "000001.session.sql", "000002.json"]);
    let script = fs::read_to_string(place.out().join("unconfirmed/000001.session.sql")).unwrap();
    let lines: Vec<&str> = script.lines().collect();
    let [_, "CREATE TABLE t0(c0);", refused, "SELECT nothing;"] = lines[..] else { panic!("{script}") };
    assert!(refused.starts_with("-- "), "{script}");
    place.store.record_unconfirmed(&kept, &index_case(), "a reason").unwrap();
    place.store.record_unconfirmed(&bare, &index_case(), "another").unwrap();
    let lines = place.lines(UNCONFIRMED_FILE);
    assert_eq!(lines[0]["case"], "unconfirmed/000001.json");
    assert_eq!(
        (&lines[0]["session"], &lines[0]["why"]),
        (&json!("unconfirmed/000001.session.sql"), &json!("a reason"))
    );
    assert_eq!((&lines[1]["session"], &lines[1]["oracle"]), (&json!(null), &json!("index")));
    place.store.forget_unconfirmed(&kept);
    assert_eq!(place.names(UNCONFIRMED), ["000002.json"]);
    place.store.forget_unconfirmed(&bare);
    assert!(!place.out().join(UNCONFIRMED).exists());
}

#[test]
fn only_so_many_unconfirmed_cases_are_kept_and_a_forgotten_one_makes_room() {
    let place = place();
    let keep = || place.store.keep_unconfirmed(&index_case(), &[]).unwrap();
    let first = keep().unwrap();
    (1..UNCONFIRMED_CASES).for_each(|_| assert!(keep().is_some()));
    assert!(keep().is_none() && keep().is_none());
    place.store.forget_unconfirmed(&first);
    assert!(keep().is_some() && keep().is_none());
    assert_eq!(place.names(UNCONFIRMED).len() as u64, UNCONFIRMED_CASES);
}

/// Whoever forgets the last case removes the folder, while another thread is about to write to it.
#[test]
fn cases_are_kept_while_others_are_forgotten() {
    let place = place();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let kept = place.store.keep_unconfirmed(&index_case(), &[]).unwrap().unwrap();
                    place.store.forget_unconfirmed(&kept);
                }
            });
        }
    });
    assert!(!place.store.has_unsettled());
}

#[test]
fn what_is_not_settled_is_handed_over_with_its_list() {
    let (from, to) = (place(), place());
    assert_eq!(from.store.hand_over(to.out()).unwrap(), 0);
    from.store.keep_pending(&index_case()).unwrap();
    let kept = from.store.keep_unconfirmed(&index_case(), &noted(&["SELECT 1"])).unwrap().unwrap();
    from.store.record_unconfirmed(&kept, &index_case(), "a reason").unwrap();
    assert_eq!(from.store.hand_over(to.out()).unwrap(), 2);
    for below in [PENDING, UNCONFIRMED] {
        assert_eq!(to.names(below), from.names(below));
    }
    assert_eq!(to.lines(UNCONFIRMED_FILE), from.lines(UNCONFIRMED_FILE));
}

#[test]
fn the_summary_replaces_an_earlier_one() {
    let place = place();
    place.store.write_summary(&json!({"checks": 1})).unwrap();
    place.store.write_summary(&json!({"checks": 2})).unwrap();
    assert_eq!(fs::read_to_string(place.out().join(CAMPAIGN_FILE)).unwrap(), "{\n  \"checks\": 2\n}\n");
}

#[test]
fn files_that_are_no_cases_are_distinguished() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("some.json");
    let mut newer = serde_json::to_value(index_case()).unwrap();
    newer["format"] = json!(CASE_FORMAT + 1);
    for (text, says) in [
        ("no JSON", "expected ident"),
        ("{}", "'format'"),
        (r#"{"format": "1"}"#, "'format'"),
        (r#"{"format": 0}"#, "'format'"),
        (r#"{"format": 1}"#, "missing field"),
        (&newer.to_string(), "newer"),
    ] {
        fs::write(&file, text).unwrap();
        let message = fault_text(read_case(&file));
        assert!(message.contains(says), "{text}: {message}");
    }
    let text = fault_text(read_case(folder.path()));
    assert!(text.contains("case.json"), "{text}");
    assert!(read_meta(folder.path()).is_none());
    fs::write(&file, serde_json::to_vec(&index_case()).unwrap()).unwrap();
    assert_eq!(read_case(&file).unwrap(), index_case());
}
