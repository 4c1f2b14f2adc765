//! Seeds and rules of users, from the command line to the engine and back.

use crate::support::program::run_in;

fn rule(name: &str, pattern: &str, replacement: &str) -> String {
    format!(
        "[[rule]]\nname = \"{name}\"\nover = \"predicate\"\npattern = \"{pattern}\"\nreplacement = \"{replacement}\"\n\
         relation = \"same\"\n"
    )
}

/// Writes the rules, checks them, and gives exit code and output.
fn check(rules: &str) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.toml"), rules).unwrap();
    let out = run_in(folder.path(), &["rules", "--check", "r.toml"]);
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + String::from_utf8_lossy(&out.stderr).as_ref();
    (out.status.code().unwrap(), text)
}

#[test]
fn a_sound_rule_passes_the_check() {
    let asked = "precondition = \"SELECT count(*) FROM $T WHERE $C IS NULL\"\nexpect = 0\n";
    let rules = rule("no-nulls-here", "$C = $e", "$C = $e AND $C IS NOT NULL")
        + asked
        + &rule("swap", "$e1 < $e2", "$e2 > $e1");
    let (code, text) = check(&rules);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("no-nulls-here: ") && text.contains("swap: ") && text.contains("results agree"), "{text}");
}

#[test]
fn an_unsound_rule_is_caught_with_a_script_that_shows_it() {
    let (code, text) = check(&rule("or-null", "$p", "$p OR $p IS NULL"));
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("or-null: unsound"), "{text}");
    let script: Vec<&str> = text.lines().skip(1).collect();
    assert!(script.iter().any(|l| l.starts_with("CREATE TABLE")), "{text}");
    assert!(script.iter().filter(|l| l.starts_with("INSERT")).count() <= 3, "{text}");
    assert!(text.contains("rows as it is"), "{text}");
}

/// A wrong relation is caught in every language that is judged without an engine from outside.
#[test]
fn an_unsound_containment_is_caught() {
    let (code, text) = check(&rule("less", "$e1 <= $e2", "$e1 < $e2").replace("same", "contains"));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("in the weaker query"), "{text}");
    let datalog = "language = \"datalog\"\n[[rule]]\nname = \"drop\"\nover = \"body\"\npattern = \"$A, $L\"\n\
                   replacement = \"$L\"\nrelation = \"RELATION\"\n";
    let (code, text) = check(&datalog.replace("RELATION", "contained"));
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("// 0 tuples as it is, 1 tuple rewritten"), "{text}");
    let (code, text) = check(&datalog.replace("RELATION", "contains"));
    assert_eq!((code, text.ends_with("programs agree\n")), (0, true), "{text}");
}

#[test]
fn rules_need_an_oracle_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let rules = rule("more", "$e1 < $e2", "$e1 <= $e2").replace("same", "contains");
    std::fs::write(folder.path().join("r.toml"), rules).unwrap();
    let out = run_in(folder.path(), &["hunt", "sqlite", "--rules", "r.toml", "--oracle", "mutasql", "--checks", "10"]);
    let text = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{text}");
    assert!(text.contains("a rule with the relation \"contains\" needs the oracle 'contain'"), "{text}");
}

/// A file is used as far as the oracles go, and the rest of it is named in one line.
#[test]
fn rules_that_no_chosen_oracle_takes_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let more = rule("more", "$e1 < $e2", "$e1 <= $e2").replace("same", "contains");
    std::fs::write(folder.path().join("r.toml"), rule("swap", "$e1 = $e2", "$e2 = $e1") + "\n" + &more).unwrap();
    for (oracles, unused) in [
        ("mutasql", Some("rules that are not used: 'more' (needs the oracle 'contain')")),
        ("contain", Some("rules that are not used: 'swap' (needs the oracle 'mutasql')")),
        ("mutasql,contain", None),
    ] {
        let args = ["hunt", "sqlite", "--rules", "r.toml", "--oracle", oracles, "--checks", "5", "--workers", "1"];
        let out = run_in(folder.path(), &[&args[..], &["--seed", "1", "--out", oracles]].concat());
        let text = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{text}");
        assert_eq!(text.lines().find(|l| l.contains("not used")), unused, "{text}");
    }
}

#[test]
fn a_rule_that_cannot_be_judged_is_reported() {
    let (code, text) = check(&rule("missing", "$p AND nosuch = $L", "nosuch = $L AND $p"));
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("missing: not judged: it matched no query"), "{text}");
    let (code, text) = check("[[rule]]\nname = \"x\"\n\nfoo = 1\n");
    assert_eq!(code, 2);
    assert!(text.contains("r.toml:4: unknown field `foo`"), "{text}");
}

#[test]
fn hunting_from_seeds_finds_a_planted_bug_and_reports_what_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE mine(k INT, v TEXT);\nCREATE INDEX mine_k ON mine(k);\n\
        INSERT INTO mine VALUES (1, 'a'), (2, 'b'), (3, 'c');\nINSERT INTO mine DEFAULT VALUES;\n\
        INSERT INTO mine SELECT value, 'd' FROM json_each('[4]');\nSELECT v FROM mine WHERE k > 0;\n\
        SELECT absent FROM mine;\n";
    std::fs::create_dir(folder.path().join("own")).unwrap();
    std::fs::write(folder.path().join("own/a.sql"), script).unwrap();
    let args = ["hunt", "canary:index-row", "--seeds", "own", "--oracle", "index,eet,norec", "--checks", "300"];
    let out = run_in(folder.path(), &[&args[..], &["--workers", "1", "--seed", "1", "--out", "f"]].concat());
    let (printed, shown) = (String::from_utf8_lossy(&out.stderr), String::from_utf8_lossy(&out.stdout));
    assert_eq!(out.status.code(), Some(1), "{printed}\n{shown}");
    assert!(printed.contains("cannot be parsed and are used as they are: 2"), "{printed}");
    assert!(printed.contains("a.sql:5: the table 'json_each('[4]')' is not read"), "{printed}");
    assert!(!printed.contains("a.sql:4"), "DEFAULT VALUES is read: {printed}");
    assert!(shown.contains("Wrong result: index ["), "the lie at its smallest: {shown}");
    assert!(printed.contains("a.sql:7: no such column: absent"), "{printed}");
}

#[test]
fn seeds_that_are_none_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = run_in(folder.path(), &["hunt", "sqlite", "--seeds", "."]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("no *.sql in '.'"));
}

#[test]
fn an_unsound_rule_is_seen_in_a_hunt_and_its_case_needs_no_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.toml"), rule("or-null", "$p", "$p OR $p IS NULL")).unwrap();
    let args = ["hunt", "sqlite", "--oracle", "mutasql", "--rules", "r.toml", "--checks", "150", "--workers", "1"];
    let out = run_in(folder.path(), &[&args[..], &["--seed", "1", "--out", "f"]].concat());
    assert_eq!(out.status.code(), Some(1), "{}", String::from_utf8_lossy(&out.stderr));
    std::fs::remove_file(folder.path().join("r.toml")).unwrap();
    let finding = std::fs::read_dir(folder.path().join("f/findings")).unwrap().next().unwrap().unwrap().path();
    let case = std::fs::read_to_string(finding.join("case.json")).unwrap();
    assert!(case.contains("or-null"), "{case}");
    let replay = run_in(folder.path(), &["replay", finding.to_str().unwrap()]);
    assert_eq!(replay.status.code(), Some(1));
}

#[test]
fn rules_without_the_oracle_that_uses_them_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("r.toml"), rule("swap", "$e1 = $e2", "$e2 = $e1")).unwrap();
    let out = run_in(folder.path(), &["hunt", "sqlite", "--oracle", "tlp", "--rules", "r.toml"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("add it to --oracle"));
}

/// A query that the parser does not read is asked as it is, and its tables are mutated: an index must not change it.
#[test]
fn a_query_that_cannot_be_read_is_used_with_the_table_rules() {
    let folder = tempfile::tempdir().unwrap();
    let script = "CREATE TABLE t(x INT, y INT);\nINSERT INTO t VALUES (1, 1), (2, 2), (3, 3);\n\
                  SELECT t.x FROM t JOIN pragma_table_info('t') AS p ON p.cid = t.x - 1 WHERE t.y > 0;\n";
    std::fs::create_dir(folder.path().join("seeds")).unwrap();
    std::fs::write(folder.path().join("seeds/mine.sql"), script).unwrap();
    let hunt = |engine: &str, out: &str| {
        let args = ["hunt", engine, "--oracle", "mutasql", "--seeds", "seeds", "--checks", "300", "--workers", "1"];
        run_in(folder.path(), &[&args[..], &["--seed", "1", "--out", out]].concat())
    };
    let lied = hunt("canary:index-row", "lied");
    let printed = String::from_utf8_lossy(&lied.stderr).into_owned();
    assert_eq!(lied.status.code(), Some(1), "{printed}");
    assert!(printed.contains("cannot be parsed") && printed.contains("mine.sql:3"), "{printed}");
    let honest = hunt("sqlite", "honest");
    assert_eq!(honest.status.code(), Some(0), "{}", String::from_utf8_lossy(&honest.stderr));
}
