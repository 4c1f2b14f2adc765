//! Histories written by hand: hunts as folders, with findings of chosen fingerprints.

use super::*;
use crate::affected::Rung;
use crate::history::database::{HISTORY_FILE, history, iso};
use qualm_core::value::Value;
use qualm_engines::sqlite::database::Database;

/// A hunt's folder: when it began, in which release, and the fingerprints of what it found.
fn hunt(root: &Path, name: &str, at: u64, release: &str, found: &[&str]) {
    let folder = root.join(name);
    fs::create_dir_all(folder.join("findings")).unwrap();
    let began = series::Began { engine: "sqlite".into(), build: format!("build {release}"), ..series::Began::at(at) };
    fs::write(folder.join("progress.jsonl"), serde_json::to_string(&began).unwrap() + "\n").unwrap();
    let summary = serde_json::json!({
        "engine": "sqlite", "engine_version": format!("sqlite {release}"), "seconds": 10.0, "checks": 1000,
        "statements": 5000, "distinct_plans": 70, "vacuous_share": 0.1, "rejected_share": 0.2,
        "known": [{ "fingerprint": "listed", "oracle": "tlp", "seen": 3 }],
    });
    fs::write(folder.join(CAMPAIGN_FILE), summary.to_string()).unwrap();
    found
        .iter()
        .for_each(|fingerprint| finding(&folder.join("findings").join(fingerprint), fingerprint, release, None));
}

fn finding(folder: &Path, fingerprint: &str, release: &str, affected: Option<Affected>) {
    fs::create_dir_all(folder).unwrap();
    let meta = serde_json::json!({
        "format": 1, "fingerprint": fingerprint, "title": format!("Wrong result: {fingerprint}"),
        "kind": "wrong_result", "oracle": if release == "3.1.0" { "tlp" } else { "eet" }, "rules": [],
        "language": "sql", "engine": "sqlite", "version": format!("sqlite {release}"), "cures": [], "features": [],
        "statements": 1, "questions": 1, "affected": affected,
        "origin": { "seed": 1, "worker": 0, "database": 0, "check": 0 },
    });
    fs::write(folder.join("meta.json"), meta.to_string()).unwrap();
    fs::write(folder.join(CASE_FILE), "{}").unwrap();
    fs::write(folder.join("duplicates.jsonl"), "{}\n{}\n").unwrap();
}

fn replayed(root: &Path, hunt: &str, fingerprint: &str, release: &str, gone: bool) {
    let line = Replayed { fingerprint: fingerprint.into(), version: format!("sqlite {release}"), gone };
    let text = serde_json::to_string(&line).unwrap() + "\n";
    let path = root.join(hunt).join(REPLAYED_FILE);
    fs::write(&path, fs::read_to_string(&path).unwrap_or_default() + &text).unwrap();
}

fn read_all(root: &Path) -> History {
    read(&collect::collect_any(&[root.to_path_buf()]), &mut Cache::default())
}

fn bug<'a>(history: &'a History, fingerprint: &str) -> &'a Bug {
    history.bugs.iter().find(|b| b.fingerprint == fingerprint).unwrap()
}

#[test]
fn findings_of_many_hunts_are_one_bug() {
    let root = tempfile::tempdir().unwrap();
    // By name the later hunt comes first.
    hunt(root.path(), "b", 100, "3.1.0", &["one", "two", "listed"]);
    hunt(root.path(), "a", 200, "3.2.0", &["one", "three"]);
    let history = read_all(root.path());
    assert_eq!(history.hunts.iter().map(|h| h.at).collect::<Vec<_>>(), [100, 200]);
    assert_eq!(history.bugs.len(), 4);
    let one = bug(&history, "one");
    assert_eq!((one.status, one.hunts, one.seen, one.quiet), (Status::Known, 2, 6, 0));
    assert_eq!((one.first_seen, one.last_seen), (100, 200));
    assert_eq!(one.oracles, ["eet", "tlp"]);
    assert_eq!(one.versions, ["sqlite 3.1.0", "sqlite 3.2.0"]);
    assert_eq!(one.builds, ["build 3.1.0", "build 3.2.0"]);
    assert_eq!(one.life, [("3.1.0".to_owned(), "shows"), ("3.2.0".to_owned(), "shows")]);
    // The newest finding is shown, and links to the first stay right.
    assert!(one.folders().next().unwrap().0.ends_with("a/findings/one") && one.id().ends_with("b/findings/one"));
    let two = bug(&history, "two");
    assert_eq!((two.status, two.quiet), (Status::Known, 1), "a hunt that does not find it says nothing");
    assert_eq!(bug(&history, "three").status, Status::New);
    let listed = bug(&history, "listed");
    assert_eq!((listed.hunts, listed.quiet, listed.seen), (2, 0, 9), "it was found again, and left out of the report");
    assert_eq!(history.hunts.iter().map(|h| (h.findings, h.new)).collect::<Vec<_>>(), [(3, 3), (2, 1)]);
    assert_eq!(history.hunts[0].checks_per_second(), 100.0);
}

#[test]
fn what_is_gone_is_fixed_until_it_is_back() {
    let root = tempfile::tempdir().unwrap();
    hunt(root.path(), "1", 100, "3.1.0", &["x", "y", "z"]);
    hunt(root.path(), "2", 200, "3.3.0", &[]);
    replayed(root.path(), "2", "x", "3.3.0", true);
    replayed(root.path(), "2", "y", "3.3.0", true);
    replayed(root.path(), "2", "z", "3.3.0", false);
    // Of another engine, and of a bug that nobody knows.
    replayed(root.path(), "2", "nobody", "3.3.0", true);
    let history = read_all(root.path());
    assert_eq!((bug(&history, "x").status, bug(&history, "x").fixed_in.as_deref()), (Status::Fixed, Some("3.3.0")));
    assert_eq!(bug(&history, "z").status, Status::Known);
    // An old release still has it, which is no news; a newer one that has it again is.
    hunt(root.path(), "3", 300, "3.1.0", &["x"]);
    hunt(root.path(), "4", 400, "3.4.0", &["y"]);
    let history = read_all(root.path());
    assert_eq!(bug(&history, "x").status, Status::Fixed);
    let y = bug(&history, "y");
    assert_eq!((y.status, y.fixed_in.as_deref()), (Status::Regressed, None));
    assert_eq!(y.life.iter().map(|l| l.1).collect::<Vec<_>>(), ["shows", "right", "shows"]);
    assert_eq!(history.hunts.iter().map(|h| h.back).collect::<Vec<_>>(), [0, 0, 1, 1]);
    hunt(root.path(), "5", 500, "3.5.0", &[]);
    replayed(root.path(), "5", "y", "3.5.0", true);
    assert_eq!(bug(&read_all(root.path()), "y").status, Status::Fixed);
}

#[test]
fn a_ladder_says_what_is_fixed_too() {
    let root = tempfile::tempdir().unwrap();
    hunt(root.path(), "1", 100, "3.2.0", &[]);
    let rung = |release: &str, stand: Stand| Rung { release: release.into(), stand };
    let gone = Affected::of(vec![rung("3.2.0", Stand::Shows), rung("3.10.0", Stand::Right)]);
    finding(&root.path().join("1/findings/gone"), "gone", "3.2.0", Some(gone));
    let again = vec![rung("3.1.0", Stand::Shows), rung("3.1.1", Stand::Right), rung("3.2.0", Stand::Shows)];
    finding(&root.path().join("1/findings/again"), "again", "3.2.0", Some(Affected::of(again)));
    let history = read_all(root.path());
    let gone = bug(&history, "gone");
    assert_eq!((gone.status, gone.fixed_in.as_deref()), (Status::Fixed, Some("3.10.0")));
    assert_eq!(bug(&history, "again").status, Status::Regressed);
}

#[test]
fn products_are_distinguished() {
    let cases = [
        ("sqlite 3.28.0", ("sqlite", "3.28.0")),
        ("PostgreSQL 17.2 (Debian 17.2-1)", ("PostgreSQL", "17.2")),
        ("canary index-row (sqlite 3.54.1)", ("canary index-row", "canary index-row")),
        ("", ("", "")),
    ];
    for (version, (product, release)) in cases {
        assert_eq!(product_and_release(version), (product.to_owned(), release.to_owned()), "{version}");
    }
}

#[test]
fn the_database_is_made_from_the_folders_and_saves_reading_them() {
    let root = tempfile::tempdir().unwrap();
    hunt(root.path(), "1", 100, "3.1.0", &["one", "it's"]);
    hunt(root.path(), "2", 200, "3.2.0", &["one"]);
    let folders = [root.path().to_path_buf()];
    let found = collect::collect_any(&folders);
    let (first, _) = history(&folders, &found);
    let file = root.path().join(HISTORY_FILE);
    let rows = |query: &str| Database::read(&file).unwrap().query(query).unwrap();
    let text = |t: &str| Value::Text(t.into());
    assert_eq!(
        rows("SELECT fingerprint, status, first_seen, hunts FROM bugs ORDER BY fingerprint DESC"),
        [
            [text("one"), text("known"), text(&iso(100)), Value::Int(2)],
            [text("it's"), text("known"), text("1970-01-01T00:01:40Z"), Value::Int(1)],
        ]
    );
    assert_eq!(rows("SELECT count(*) FROM findings"), [[Value::Int(3)]]);
    assert_eq!(
        rows("SELECT name, checks, findings FROM hunts LIMIT 1"),
        [[text("1"), Value::Int(1000), Value::Int(2)]]
    );
    // A folder whose stamp is the same is not read: what the file says of it counts.
    let database = Database::create(&file).unwrap();
    database.run("UPDATE findings SET title = 'from the file'").unwrap();
    drop(database);
    let (second, _) = history(&folders, &found);
    assert!(second.bugs.iter().all(|b| b.title == "from the file"), "{:?}", second.bugs);
    // Without the file, or with one that is none, all is as it was.
    fs::write(&file, "no database").unwrap();
    let (third, _) = history(&folders, &found);
    let shown = |h: &History| serde_json::to_value(h).unwrap();
    assert_eq!(shown(&third), shown(&first));
    fs::remove_file(&file).unwrap();
    assert_eq!(shown(&history(&folders, &found).0), shown(&first));
    // A finding that is deleted is forgotten.
    fs::remove_dir_all(root.path().join("1/findings/it's")).unwrap();
    history(&folders, &collect::collect_any(&folders));
    assert_eq!(rows("SELECT count(*) FROM findings"), [[Value::Int(2)]]);
}

#[test]
fn two_hunts_are_compared() {
    let root = tempfile::tempdir().unwrap();
    hunt(root.path(), "1", 100, "3.1.0", &["one", "two"]);
    hunt(root.path(), "2", 200, "3.2.0", &["one", "three"]);
    let history = read_all(root.path());
    let names: Vec<String> = history.hunts.iter().map(|h| h.name.clone()).collect();
    let compared = compare::compare(&history, ("1", &names[..1]), ("2", &names[1..]));
    let listed = |bugs: &[compare::Shown]| bugs.iter().map(|b| b.fingerprint.to_owned()).collect::<Vec<_>>();
    assert_eq!(listed(&compared.only_a), ["two"]);
    assert_eq!(listed(&compared.only_b), ["three"]);
    assert_eq!((listed(&compared.both), compared.both[0].seen), (vec!["one".to_owned()], (3, 3)));
    assert_eq!((compared.a.bugs, compared.a.checks, compared.b.checks_per_second), (2, 1000, 100.0));
    let text = compared.text();
    assert!(text.contains("only in 2: 1\n  Wrong result: three [three] eet, seen 3×\n"), "{text}");
    let both = compare::compare(&history, ("all", &names), ("all", &names));
    assert_eq!((both.a.hunts, both.a.checks, both.only_a.len()), (2, 2000, 0));
    assert!((both.a.vacuous_share - 0.1).abs() < 1e-12);
}
