//! What makes qualm live in a team: exit codes that CI can choose, nights over several engines, issue texts, programs
//! that show a bug without qualm, tables, and help.

use crate::support::program::{QUALM, example, outcome_in as qualm};
use qualm::engine::sqlite::database::Database;
use qualm::value::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The example, and the same with a count that is wrong in every release.
fn examples(folder: &Path) -> [PathBuf; 2] {
    let copies = ["real", "always"].map(|name| folder.join(name));
    for copy in &copies {
        fs::create_dir(copy).unwrap();
        for file in fs::read_dir(example()).unwrap() {
            let file = file.unwrap().path();
            fs::copy(&file, copy.join(file.file_name().unwrap())).unwrap();
        }
    }
    let case = copies[1].join("case.json");
    let text = fs::read_to_string(&case).unwrap();
    let changed = text.replace("SELECT sum((t0.c0 IS NOT 0) IS TRUE) FROM t0", "SELECT 7 /* it's \\\"7\\\" */");
    assert_ne!(changed, text);
    fs::write(&case, changed).unwrap();
    copies
}

fn export(folder: &Path, finding: &Path, form: &str, file: &str) {
    let (code, _, stderr) = qualm(folder, &["export", finding.to_str().unwrap(), "--as", form, "--out", file]);
    assert_eq!(code, 0, "{stderr}");
}

fn exit_of(command: &mut Command) -> (i32, String) {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text)
}

#[test]
fn a_papers_table_is_run_row_by_row() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| qualm(folder.path(), &[&["bench", "paper"], args].concat());
    let (code, listed, _) = run(&[]);
    assert_eq!(code, 0);
    assert!(["queryfuzz", "deopt", "gdbmeter", "mutasql", "mozi"].iter().all(|p| listed.contains(p)), "{listed}");
    let (code, table, stderr) = run(&["mozi", "--engine", "sqlite", "--seconds", "0.5"]);
    assert_eq!(code, 0, "{stderr}");
    for row in ["config, by plan", "config, at random", "pqs", "norec", "tlp"] {
        let line = table.lines().find(|l| l.contains(row)).unwrap_or_else(|| panic!("no {row} in {table}"));
        let checks = line[50..].split_whitespace().next().and_then(|n| n.parse::<u64>().ok());
        assert!(checks.is_some_and(|n| n > 0), "{line}");
    }
    assert!(table.contains("  pairs/1000, config, by plan to config, at random: "), "{table}");
    // An engine that is not there costs its row, but not all of them; one of another language is a mistake.
    let (code, _, stderr) = run(&["mutasql", "--engine", "sqlite:./no-such.so", "--seconds", "0.5"]);
    assert!(code == 3 && stderr.contains("mutasql: skipped: cannot load"), "{code} {stderr}");
    assert!(stderr.ends_with("qualm: no row could be run; 'qualm engines' says how to get an engine\n"), "{stderr}");
    let (code, _, stderr) = run(&["gdbmeter", "--engine", "sqlite", "--seconds", "0.5"]);
    assert!(code == 2 && stderr.contains("partition"), "{code} {stderr}");
    let (code, _, stderr) = run(&["mosi"]);
    assert!(code == 2 && stderr.contains("did you mean 'mozi'?"), "{code} {stderr}");
}

#[test]
fn a_python_script_shows_the_bug_alone() {
    let folder = tempfile::tempdir().unwrap();
    // The release that Python is linked with does not have the bug of the example any more.
    for (finding, expected) in examples(folder.path()).iter().zip([0, 1]) {
        export(folder.path(), finding, "python", "repro.py");
        let (code, text) = exit_of(Command::new("python3").arg("repro.py").current_dir(folder.path()));
        assert_eq!(code, expected, "{text}");
    }
}

/// Enough of SQLite's header to compile the program where the package with the header is not installed.
const HEADER: &str = "
typedef struct sqlite3 sqlite3; typedef struct sqlite3_stmt sqlite3_stmt;
enum { SQLITE_OK = 0, SQLITE_ROW = 100, SQLITE_DONE = 101, SQLITE_INTEGER = 1, SQLITE_FLOAT = 2, SQLITE_TEXT = 3,
  SQLITE_NULL = 5 };
int sqlite3_open(const char *, sqlite3 **); const char *sqlite3_errmsg(sqlite3 *); const char *sqlite3_libversion(void);
int sqlite3_prepare_v2(sqlite3 *, const char *, int, sqlite3_stmt **, const char **); int sqlite3_step(sqlite3_stmt *);
int sqlite3_finalize(sqlite3_stmt *); int sqlite3_column_count(sqlite3_stmt *);
int sqlite3_column_type(sqlite3_stmt *, int);
const void *sqlite3_column_blob(sqlite3_stmt *, int); int sqlite3_column_bytes(sqlite3_stmt *, int);
double sqlite3_column_double(sqlite3_stmt *, int); long long sqlite3_column_int64(sqlite3_stmt *, int);
char *sqlite3_mprintf(const char *, ...);
";

#[test]
fn a_c_program_shows_the_bug_in_a_release_that_has_it() {
    let folder = tempfile::tempdir().unwrap();
    let [real, always] = examples(folder.path());
    fs::write(folder.path().join("sqlite3.h"), HEADER).unwrap();
    let releases = qualm::engine::sqlite::releases_folder();
    let runs = [(&real, "3.28.0", 1), (&real, "3.31.1", 0), (&real, "3.13.0", 2), (&always, "3.31.1", 1)];
    for (finding, release, expected) in runs {
        export(folder.path(), finding, "c", "repro.c");
        let library = releases.join(format!("{release}.so"));
        let (code, text) = exit_of(
            Command::new("cc")
                .args(["-std=c99", "-Wall", "-Werror", "-I.", "repro.c", "-o", "repro"])
                .arg(&library)
                .current_dir(folder.path()),
        );
        assert_eq!(code, 0, "{text}");
        let (code, text) = exit_of(Command::new("./repro").current_dir(folder.path()));
        assert_eq!(code, expected, "{release}: {text}");
        assert!(text.contains(&format!("SQLite {release}")), "{text}");
    }
}

/// A client that takes statements on its standard input and prints rows as the shell of SQLite does, for machines
/// without that shell: the engine is the one of Python.
const CLIENT: &str = "
import sqlite3, sys
db = sqlite3.connect(':memory:', isolation_level=None)
show = lambda v: 'NULL' if v is None else repr(v)
text = ''
for line in sys.stdin:
    if line.startswith('.') and not text: continue
    text += line
    if sqlite3.complete_statement(text):
        for row in db.execute(text): print(','.join(map(show, row)))
        text = ''
";

#[test]
fn a_shell_script_shows_the_bug_alone() {
    let folder = tempfile::tempdir().unwrap();
    let client = folder.path().join("client.py");
    fs::write(&client, CLIENT).unwrap();
    for (finding, expected) in examples(folder.path()).iter().zip([0, 1]) {
        export(folder.path(), finding, "shell", "repro.sh");
        let run = || {
            let mut command = Command::new("sh");
            command.arg("repro.sh").current_dir(folder.path());
            command
        };
        let (code, text) = exit_of(run().env("CLIENT", format!("python3 {}", client.display())));
        assert_eq!(code, expected, "{text}");
        let (code, text) = exit_of(run().env("CLIENT", "no-such-client"));
        assert_eq!(code, 2, "{text}");
    }
}

#[test]
fn an_issue_has_the_form_of_its_tracker() {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, hint) = qualm(folder.path(), &["issue", &example()]);
    assert_eq!(code, 0);
    assert!(text.starts_with("Wrong result with IS, partial index, IS NULL and index\n\n## Version\n"), "{text}");
    for part in ["SQLite 3.28.0", "## Steps to reproduce", "## Expected", "## Actual", "## Plans"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(qualm::report::foreign_words(&text), Vec::<&str>::new(), "only the engine is spoken of");
    assert!(hint.contains("https://sqlite.org/forum"), "{hint}");
    let (_, jira, _) = qualm(folder.path(), &["issue", &example(), "--for", "mariadb-jira"]);
    assert!(jira.contains("h3. Steps to reproduce") && jira.contains("{code:sql}"), "{jira}");
    let (code, _, stderr) = qualm(folder.path(), &["issue", "nowhere"]);
    assert!(code == 2 && stderr.contains("give a finding's folder"), "{stderr}");
}

#[test]
fn findings_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    let (code, csv, _) = qualm(folder.path(), &["export", &example(), "--as", "csv"]);
    assert_eq!(code, 0);
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines.len() == 2 && lines[0].starts_with("product,fingerprint,kind,title,status"), "{csv}");
    assert!(lines[1].starts_with("sqlite,6611ffc9b03c4dd2,wrong_result,Wrong result: IS"), "{csv}");
    let (code, _, stderr) = qualm(folder.path(), &["export", &example(), "--as", "sqlite", "--out", "t.db"]);
    assert_eq!(code, 0, "{stderr}");
    let rows = Database::read(&folder.path().join("t.db")).unwrap().query("SELECT fingerprint FROM bugs").unwrap();
    assert_eq!(rows, [[Value::Text("6611ffc9b03c4dd2".into())]]);
}

#[test]
fn ci_fails_on_what_it_is_meant_to() {
    let folder = tempfile::tempdir().unwrap();
    let example = example();
    let args = ["ci", "sqlite:3.28.0", "--findings", &example, "--no-hunt"];
    for (more, expected) in [(&[][..], 1), (&["--fail-on", "new"], 0), (&["--fail-on", "crash"], 0)] {
        let (code, _, stderr) = qualm(folder.path(), &[&args, more].concat());
        assert_eq!(code, expected, "{more:?}: {stderr}");
        assert!(stderr.contains("STILL THERE"), "{stderr}");
    }
    // What was replayed is kept for the history, and the files for others are written without a hunt too.
    let more = ["--out", "out/0001", "--badge", "b.svg", "--line", "l.txt", "--junit", "j.xml", "--quiet"];
    let page = ["--sarif", "s.json", "--html", "p.html"];
    assert_eq!(qualm(folder.path(), &[&args, &more[..], &page].concat()).0, 1);
    let replayed = fs::read_to_string(folder.path().join("out/0001/replayed.jsonl")).unwrap();
    assert!(
        replayed.contains("\"fingerprint\":\"6611ffc9b03c4dd2\"") && replayed.contains("\"gone\":false"),
        "{replayed}"
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    // What is still there is no reason for a green badge, or for "Code scanning" to close it.
    assert!(read("b.svg").starts_with("<svg ") && read("b.svg").contains(">1 finding<"), "{}", read("b.svg"));
    assert!(read("l.txt").starts_with("qualm: 1 finding in sqlite 3.28.0 (1 wrong result), 1 still there, 0 checks"));
    assert_eq!(read("j.xml").matches("[6611ffc9b03c4dd2]").count(), 1, "one test, that of the replay");
    let sarif: serde_json::Value = serde_json::from_str(&read("s.json")).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert!(read("p.html").contains("6611ffc9b03c4dd2"));
    let gone = ["ci", "sqlite", "--findings", &example, "--no-hunt", "--badge", "b.svg", "--line", "l.txt", "--quiet"];
    assert_eq!(qualm(folder.path(), &gone).0, 0);
    assert!(read("b.svg").contains(">no findings<") && read("l.txt").starts_with("qualm: no findings"));
}

/// The scripts of a workflow, in order. They find the program of this build on their PATH, so that none is installed.
fn steps(file: &str, marker: &str) -> Vec<String> {
    let text = fs::read_to_string(Path::new(ROOT).join("examples").join(file)).unwrap();
    let mut steps = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.trim() != marker {
            continue;
        }
        let deep = line.len() - line.trim_start().len();
        let mut step = String::new();
        while let Some(next) = lines.next_if(|l| l.len() - l.trim_start().len() > deep) {
            step.push_str(next.trim().strip_prefix("- ").unwrap_or(next.trim()));
            step.push('\n');
        }
        steps.push(step);
    }
    steps
}

#[test]
fn the_workflows_run_as_they_are_copied() {
    for (file, marker, least) in [("github-actions.yml", "run: |", 5), ("gitlab-ci.yml", "script:", 1)] {
        let folder = tempfile::tempdir().unwrap();
        let steps = steps(file, marker);
        assert!(steps.len() >= least, "{file}: {steps:?}");
        let path = format!("{}:{}", Path::new(QUALM).parent().unwrap().display(), std::env::var("PATH").unwrap());
        for step in &steps {
            // A hunt of a push takes two minutes, of a night an hour.
            let step = step.replace("--seconds 120", "--seconds 1").replace("--seconds 3600", "--seconds 1");
            let mut command = Command::new("bash");
            command.args(["-e", "-c", &step]).current_dir(folder.path());
            command.env("PATH", &path).env("ENGINE", "canary:index-row").env("CARGO_HOME", folder.path());
            command.env("GITHUB_STEP_SUMMARY", folder.path().join("step.md"));
            let (code, text) = exit_of(&mut command);
            assert!(code == 0 || code == 1 && step.contains("qualm "), "{file}: {step}: {code}: {text}");
        }
        for made in ["report.html", "junit.xml", "summary.txt", "qualm/findings", "qualm-out/ci/campaign.json"] {
            assert!(folder.path().join(made).exists(), "{file}: no {made}");
        }
    }
}

#[test]
fn an_archive_has_all_that_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["x", "README.md", "CHANGELOG.md", "LICENSE-MIT"] {
        fs::copy(Path::new(ROOT).join(file), folder.path().join(file)).unwrap();
    }
    let (code, text) =
        exit_of(Command::new("bash").arg("./x").arg("dist").env("QUALM_PROGRAM", QUALM).current_dir(folder.path()));
    assert_eq!(code, 0, "{text}");
    let archive = folder.path().join("target/dist/qualm.tar.gz");
    let (_, listed) = exit_of(Command::new("tar").arg("tzf").arg(&archive));
    for part in ["qualm/bin/qualm", "man1/qualm.1", "man1/qualm-hunt.1", "completions/qualm", "site-functions/_qualm"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    // The image is made of the same: what it copies out of the first stage is there, and the entry point starts.
    let image = fs::read_to_string(Path::new(ROOT).join("examples/Containerfile")).unwrap();
    assert!(image.contains("\nRUN ./x dist\n"), "{image}");
    let copied: Vec<&str> = image.lines().filter_map(|l| l.strip_prefix("COPY --from=build /qualm/")).collect();
    assert_eq!(copied.len(), 2, "{image}");
    for from in copied.iter().filter_map(|l| l.split(' ').next()) {
        assert!(folder.path().join(from).exists(), "{from} is not made by './x dist'");
    }
    let program = folder.path().join("target/dist/qualm/bin/qualm");
    let (code, text) = exit_of(Command::new(&program).arg("--help"));
    assert!(code == 0 && text.contains("Usage: qualm"), "{text}");
    // The second stage installs nothing: the program needs what every Debian has (docs/decisions/0076).
    let (_, libraries) = exit_of(Command::new("ldd").arg(&program));
    let here = ["linux-vdso.", "ld-linux", "libc.", "libm.", "libgcc_s.", "libdl.", "libpthread.", "librt."];
    let known = |line: &&str| here.iter().any(|name| line.trim().rsplit('/').any(|part| part.starts_with(name)));
    let others: Vec<&str> = libraries.lines().filter(|line| !known(line)).collect();
    assert!(libraries.contains("libc.") && others.is_empty(), "{others:?}");
}

#[test]
fn nights_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let night = "out = \"nights\"\n[[hunt]]\nengine = \"canary:index-row\"\noracle = \"index\"\nchecks = 200\n\
                 seed = 1\nworkers = 1\nquiet = true\n";
    fs::write(folder.path().join("night.toml"), night).unwrap();
    let (code, first, stderr) = qualm(folder.path(), &["nightly", "night.toml"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(first.contains(" new, 0 regressed, 0 known, 0 fixed\n"), "{first}");
    let at = |name: &str| folder.path().join("nights").join(name);
    assert!(at("history.db").is_file() && at("qualm-report.html").is_file());
    assert!(fs::read_dir(at("issues")).unwrap().count() >= 1);
    let (code, second, stderr) = qualm(folder.path(), &["nightly", "night.toml"]);
    assert_eq!(code, 1, "{stderr}");
    assert!(second.contains(": 0 new, 0 regressed, "), "all of it was there the night before: {second}");
    assert!(at("0002/replayed.jsonl").is_file(), "what is open is replayed");
    let (_, history, _) = qualm(folder.path(), &["history", "nights"]);
    assert!(history.contains(" in 2 hunts"), "{history}");
    // What the first hunt of a night finds is known to the second one, and new all the same.
    let hunt = night.split_once('\n').unwrap().1;
    fs::write(folder.path().join("twice.toml"), format!("out = \"twice\"\n{hunt}{hunt}")).unwrap();
    let (code, twice, stderr) = qualm(folder.path(), &["nightly", "twice.toml"]);
    assert!(code == 1 && twice.contains(": 0 new, ") && twice.contains(" tonight, in "), "{twice}\n{stderr}");
    assert!(fs::read_dir(folder.path().join("twice/issues")).unwrap().count() >= 1);
    let (code, _, stderr) = qualm(folder.path(), &["nightly", "nowhere.toml"]);
    assert!(code == 2 && stderr.contains("nowhere.toml"), "{stderr}");
}

#[test]
fn a_quiet_hunt_says_one_line_and_stops_when_it_has_enough() {
    let folder = tempfile::tempdir().unwrap();
    let args = ["hunt", "canary:index-row", "--seconds", "600", "--workers", "1", "--seed", "1", "--out", "out"];
    let (code, stdout, stderr) = qualm(folder.path(), &[&args[..], &["--quiet", "--stop-after", "1"]].concat());
    assert_eq!((code, stdout.lines().count(), stderr.as_str()), (1, 1, ""), "{stdout}");
    assert!(stdout.contains(" in canary:index-row (") && stdout.ends_with("findings in out\n"), "{stdout}");
}

#[test]
fn parameters_are_listed_and_set() {
    let folder = tempfile::tempdir().unwrap();
    let (code, table, _) = qualm(folder.path(), &["parameters"]);
    assert!(code == 0 && table.contains("SQL      tables.max") && table.contains("max_rules"), "{table}");
    let hunt = |set: &str| qualm(folder.path(), &["hunt", "sqlite", "--checks", "20", "--workers", "1", "--set", set]);
    let (code, _, stderr) = hunt("table.max=2");
    assert!(code == 2 && stderr.contains("(did you mean 'tables.max'?)"), "{stderr}");
    let args = ["hunt", "sqlite", "--checks", "20", "--workers", "1", "--oracle", "norec", "--json", "--set"];
    let statements = |set: &str| -> u64 {
        let of_seed = |seed: &str| {
            let (_, stdout, stderr) = qualm(folder.path(), &[&args[..], &[set, "--seed", seed]].concat());
            let summary: serde_json::Value = serde_json::from_str(&stdout).unwrap_or_else(|_| panic!("{stderr}"));
            summary["statements"].as_u64().unwrap()
        };
        ["1", "2", "3", "4", "5"].map(of_seed).iter().sum()
    };
    // Many tables take more statements than one.
    let (few, many) = (statements("rows.max=1,tables.max=1"), statements("tables.min=9"));
    assert!(few < many, "{few} {many}");
}

#[test]
fn help_is_grouped_and_short_at_first() {
    let folder = tempfile::tempdir().unwrap();
    let (_, short, _) = qualm(folder.path(), &["hunt", "-h"]);
    let (_, long, _) = qualm(folder.path(), &["hunt", "--help"]);
    for heading in ["What:", "How long:", "Where results go:", "Examples:"] {
        assert!(short.contains(heading) && long.contains(heading), "{heading}: {short}");
    }
    assert_eq!(short.matches("\n  qualm hunt ").count(), 3, "{short}");
    assert!(long.contains("Advanced:") && long.contains("--ratio") && !short.contains("--ratio"), "{short}");
    let (code, engines, _) = qualm(folder.path(), &["engines"]);
    assert!(code == 0 && engines.contains("  ready: built in\n") && engines.contains("./x "), "{engines}");
    let (code, doctor, _) = qualm(folder.path(), &["doctor"]);
    assert!(code == 0 && doctor.contains("temporary files go to"), "{doctor}");
    let (_, script, _) = qualm(folder.path(), &["completions", "bash"]);
    assert!(script.contains("sqlite:3.28.0") && script.contains("norec"), "engines, releases and oracles are offered");
}
