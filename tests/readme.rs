//! Keeps README.md, trophies/README.md and docs/mutasql.md true. Tables between markers are made from the program's own
//! tables and from trophies/; with `UPDATE_README=1 cargo test --test readme` they are written anew. The `console`
//! blocks are run.

use qualm::engine::{Available, ENGINES};
use qualm::lang::sql::rules::{Group, rules};
use qualm::oracle;
use qualm::report::foreign_words;
use qualm::report::view::{TROPHY_SCRIPTS, Trophy};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> PathBuf {
    root().join("README.md")
}

/// Where the text between the markers of a section begins and ends.
fn section(text: &str, name: &str) -> (usize, usize) {
    let open = format!("<!-- {name}: ");
    let begin = text.find(&open).unwrap_or_else(|| panic!("no marker '{open}…'"));
    let begin = begin + text[begin..].find('\n').unwrap() + 1;
    let close = format!("<!-- end of {name} -->");
    let length = text[begin..].find(&close).unwrap_or_else(|| panic!("no marker '{close}'"));
    (begin, begin + length)
}

/// A cell of a table: a bar would end it.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn engines() -> String {
    let mut out = "| engine | what it is | `NAME:WHERE` |\n| --- | --- | --- |\n".to_owned();
    for e in ENGINES {
        let about = match e.available {
            Available::ForTests => format!("{} (for tests)", e.about),
            Available::BuiltIn | Available::BringYourOwn => e.about.to_owned(),
        };
        writeln!(out, "| `{}` | {} | {} |", e.name, cell(&about), cell(e.place)).unwrap();
    }
    out
}

/// All three languages.
fn oracles() -> String {
    let mut out = "| oracle | language | claim | example |\n| --- | --- | --- | --- |\n".to_owned();
    for o in oracle::all() {
        let example = o.example.split_whitespace().collect::<Vec<_>>().join(" ");
        let language = o.language.title();
        writeln!(out, "| `{}` | {language} | {} | `{}` |", o.name, cell(o.claim), cell(&example)).unwrap();
    }
    out
}

fn exit_codes() -> String {
    let output = Command::new(QUALM).arg("--help").output().unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    let (_, codes) = help.split_once("Exit codes:\n").expect("the help lists the exit codes");
    let mut out = "| code | meaning |\n| --- | --- |\n".to_owned();
    for line in codes.lines() {
        let (code, meaning) = line.trim().split_once("  ").expect("code and meaning");
        writeln!(out, "| {code} | {} |", cell(meaning)).unwrap();
    }
    out
}

/// `known`: others had reported it before; the link says where.
const STATUSES: &[&str] = &["found", "known", "reported", "confirmed", "fixed"];

/// Those that README.md shows: wrong results in engines that many people use, and one of each kind and language.
const BEST_TROPHIES: &[&str] = &[
    "sqlite-union-all-values-order-by-loses-rows",
    "sqlite-row-value-not-in-null-desc-index",
    "mysql-row-comparison-drops-outer-join-rows",
    "mysql-constant-of-merged-table-is-never-null",
    "mariadb-is-null-pushed-past-outer-join",
    "mariadb-in-over-grouped-view-loses-rows",
    "z3-negation-lost-beside-joins",
    "mangle-product-in-recursion-loses-tuples",
    "falkordb-distance-compared-with-a-list-corrupts-memory",
    "ladybug-condition-loses-rows-of-a-join",
];

fn trophy_folders() -> Vec<String> {
    let entries = fs::read_dir(root().join("trophies")).unwrap().map(|e| e.unwrap());
    let mut names: Vec<String> = entries.filter(|e| e.path().is_dir()).map(name_of).collect();
    names.sort();
    assert!(names.len() > 50, "the trophies were not found");
    names
}

/// `at_page` leads from the page to the folder of trophies.
fn trophies(names: &[&str], at_page: &str) -> String {
    let folder = root().join("trophies");
    let mut out = "| bug | engine | status | found by |\n| --- | --- | --- | --- |\n".to_owned();
    for name in names {
        let at = folder.join(name);
        assert!(at.join("report.md").is_file(), "trophies/{name} has no report.md");
        assert!(TROPHY_SCRIPTS.iter().any(|s| at.join(s).is_file()), "trophies/{name} has none of {TROPHY_SCRIPTS:?}");
        let text = fs::read(at.join("trophy.json")).unwrap_or_else(|e| panic!("trophies/{name}/trophy.json: {e}"));
        let t: Trophy = serde_json::from_slice(&text).unwrap_or_else(|e| panic!("trophies/{name}/trophy.json: {e}"));
        assert!(STATUSES.contains(&t.status.as_str()), "trophies/{name}: status must be one of {STATUSES:?}");
        let status = if t.link.is_empty() { t.status } else { format!("[{}]({})", t.status, t.link) };
        let engine = cell(&format!("{} {}", t.engine, t.versions));
        writeln!(out, "| [{}]({at_page}{name}) | {engine} | {status} | {} |", cell(&t.title), t.found_by).unwrap();
    }
    out
}

/// The section of a report under a heading.
fn part<'a>(report: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = report.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split("\n## ").next().unwrap_or(rest).trim())
}

/// A trophy can be sent to the engine's maintainers as it stands: every part that a report needs is there, what came is
/// pasted and not described, and nothing mentions this tool.
#[test]
fn trophies_are_reports_for_maintainers() {
    let mut wrong = Vec::new();
    for name in trophy_folders() {
        let at = root().join("trophies").join(&name);
        let report = fs::read_to_string(at.join("report.md")).unwrap();
        let title: Trophy = serde_json::from_slice(&fs::read(at.join("trophy.json")).unwrap()).unwrap();
        if report.lines().next() != Some(&format!("# {}", title.title)) {
            wrong.push(format!("{name}: the report's title is not that of trophy.json"));
        }
        for heading in ["Version", "Steps to reproduce", "Expected", "Actual", "Affected releases"] {
            if part(&report, heading).is_none_or(str::is_empty) {
                wrong.push(format!("{name}: no '## {heading}'"));
            }
        }
        for heading in ["Steps to reproduce", "Actual"] {
            if part(&report, heading).is_some_and(|text| text.matches("\n```").count() < 2) {
                wrong.push(format!("{name}: '## {heading}' has no block"));
            }
        }
        // What is shown is what can be pasted.
        let scripts = fs::read_dir(&at).unwrap().map(|e| e.unwrap().path());
        for script in scripts.filter(|s| !s.ends_with("report.md") && !s.ends_with("trophy.json")) {
            let text = fs::read_to_string(&script).unwrap();
            if !part(&report, "Steps to reproduce").is_some_and(|steps| steps.contains(text.trim())) {
                wrong.push(format!("{name}: the steps are not those of {}", script.display()));
            }
        }
        let ours = foreign_words(&report);
        if !ours.is_empty() {
            wrong.push(format!("{name}: words of ours: {ours:?}"));
        }
        if title.versions.contains("the newest") && !title.versions.contains("the newest in ") {
            wrong.push(format!("{name}: the newest where?"));
        }
    }
    wrong.sort();
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

fn name_of(entry: fs::DirEntry) -> String {
    entry.file_name().to_string_lossy().into_owned()
}

/// The rules of `mutasql`, by the paper's groups.
fn mutations() -> String {
    let groups = [
        (Group::Table, "Rules for tables"),
        (Group::Structure, "Rules for the structure of a query"),
        (Group::Predicate, "Rules for predicates"),
    ];
    let mut out = String::new();
    for (group, title) in groups {
        let of_group: Vec<_> = rules().filter(|r| r.group == group).collect();
        writeln!(out, "\n### {title} ({})\n", of_group.len()).unwrap();
        out.push_str("| rule | precondition | before | after |\n| --- | --- | --- | --- |\n");
        for r in of_group {
            let (before, after) = (cell(r.example.0), cell(r.example.1));
            writeln!(out, "| `{}` | {} | `{before}` | `{after}` |", r.name, cell(r.precondition)).unwrap();
        }
    }
    out.push('\n');
    out
}

/// The text of a file between its markers is what the program makes, or is made so.
fn keep(file: &Path, sections: &[(&str, String)]) {
    let mut text = fs::read_to_string(file).unwrap();
    let update = std::env::var_os("UPDATE_README").is_some();
    for (name, made) in sections {
        let (begin, end) = section(&text, name);
        if update {
            text.replace_range(begin..end, made);
        } else {
            assert_eq!(text[begin..end], *made, "'{name}' is stale; run UPDATE_README=1 cargo test --test readme");
        }
    }
    if update {
        fs::write(file, text).unwrap();
    }
}

#[test]
fn tables_are_those_of_the_program() {
    let best = trophies(BEST_TROPHIES, "trophies/");
    keep(
        &readme(),
        &[("engines", engines()), ("oracles", oracles()), ("exit-codes", exit_codes()), ("trophies", best)],
    );
}

#[test]
fn every_trophy_is_listed() {
    let names = trophy_folders();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    keep(&root().join("trophies/README.md"), &[("trophies", trophies(&names, ""))]);
}

#[test]
fn rules_are_those_of_the_program() {
    keep(&root().join("docs/mutasql.md"), &[("rules", mutations())]);
}

/// The examples are what a user begins with: every rule in them must fit queries, and be sound.
#[test]
fn the_examples_of_users_rules_are_sound() {
    for file in ["rules.toml", "rules-datalog.toml"] {
        let file = root().join("examples").join(file);
        let output = Command::new(QUALM).args(["rules", "--check"]).arg(&file).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{printed}{}", String::from_utf8_lossy(&output.stderr));
        let written = fs::read_to_string(file).unwrap().matches("[[rule]]").count();
        assert_eq!(printed.lines().filter(|l| l.ends_with(" agree")).count(), written, "{printed}");
    }
}

#[test]
fn fields_of_json_are_those_of_a_hunt() {
    let text = fs::read_to_string(readme()).unwrap();
    let (begin, end) = section(&text, "json");
    let rows = text[begin..end].lines().filter_map(|l| l.strip_prefix("| `")?.split(" | ").next());
    let listed: BTreeSet<String> = rows.flat_map(|names| names.split(", ")).map(|n| n.replace('`', "")).collect();
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["hunt", "sqlite", "--checks", "50", "--workers", "1", "--seed", "1", "--json"];
    let output = Command::new(QUALM).args(arguments).current_dir(folder.path()).output().unwrap();
    let line: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let given: BTreeSet<String> = line.as_object().unwrap().keys().cloned().collect();
    assert_eq!(listed, given, "left: README.md, right: the program");
}

/// Replays a stored finding on the release it was found in, so './x setup' must have built that.
#[test]
fn commands_do_what_is_shown() {
    trycmd::TestCases::new().case("README.md");
}
