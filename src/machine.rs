//! What there is on this machine: `qualm engines` (which engines and releases are here, which could be, and how),
//! `qualm doctor` (what is missing for what), and the names that shell completion offers.

use clap::Command;
use clap::builder::PossibleValuesParser;
use qualm_core::escape;
use qualm_core::fault::{EXIT_CLEAN, EXIT_USAGE, Fault};
use qualm_core::version::by_number;
use qualm_core::words::counted;
use qualm_engines::{Available, ENGINES, EngineSpec, cache_folder};
use qualm_host::console::{self, Paint};
use qualm_host::process::Scratch;
use qualm_lang::oracle;
use std::path::{Path, PathBuf};

/// The releases that './x ENGINE VERSION' can fetch; the first column of each table.
const FETCHABLE: &[(&str, &str)] = &[
    ("sqlite", include_str!("../releases/sqlite.tsv")),
    ("postgres", include_str!("../releases/postgres.tsv")),
    ("duckdb", include_str!("../releases/duckdb.tsv")),
    ("mysql", include_str!("../releases/mysql.tsv")),
    ("mariadb", include_str!("../releases/mariadb.tsv")),
    ("chdb", include_str!("../releases/chdb.tsv")),
    ("clickhouse", include_str!("../releases/clickhouse.tsv")),
    ("z3", include_str!("../releases/z3.tsv")),
    ("clingo", include_str!("../releases/clingo.tsv")),
    ("neo4j", include_str!("../releases/neo4j.tsv")),
    ("arcadedb", include_str!("../releases/arcadedb.tsv")),
    ("falkordb", include_str!("../releases/falkordb.tsv")),
    ("gremlin", include_str!("../releases/gremlin.tsv")),
];

/// The same for engines that an adapter of the repository speaks for.
const ADAPTED: &[(&str, &str)] = &[
    ("chdbpy", include_str!("../releases/chdbpy.tsv")),
    ("databend", include_str!("../releases/databend.tsv")),
    ("datafusion", include_str!("../releases/datafusion.tsv")),
    ("derby", include_str!("../releases/derby.tsv")),
    ("firebird", include_str!("../releases/firebird.tsv")),
    ("gluesql", include_str!("../releases/gluesql.tsv")),
    ("h2", include_str!("../releases/h2.tsv")),
    ("hsqldb", include_str!("../releases/hsqldb.tsv")),
    ("kuzu", include_str!("../releases/kuzu.tsv")),
    ("ladybug", include_str!("../releases/ladybug.tsv")),
    ("libsql", include_str!("../releases/libsql.tsv")),
    ("pglite", include_str!("../releases/pglite.tsv")),
    ("pgmem", include_str!("../releases/pgmem.tsv")),
    ("polars", include_str!("../releases/polars.tsv")),
    ("spark", include_str!("../releases/spark.tsv")),
    ("sqljs", include_str!("../releases/sqljs.tsv")),
    ("stoolap", include_str!("../releases/stoolap.tsv")),
    ("turso", include_str!("../releases/turso.tsv")),
];

/// Releases in a list that are named; of more, the first and the last.
const SHOWN_RELEASES: usize = 8;

/// Room for temporary files that a hunt in a server needs.
const ROOM_MB: u64 = 500;

fn fetchable(engine: &str) -> Vec<&'static str> {
    let table = FETCHABLE.iter().chain(ADAPTED).find(|(name, _)| *name == engine).map_or("", |(_, table)| table);
    let rows = table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut releases: Vec<&str> = rows.filter_map(|line| line.split('\t').next()).collect();
    releases.sort_by(|a, b| by_number(a, b));
    releases.dedup();
    releases
}

/// Releases that were fetched, by number.
fn fetched(engine: &EngineSpec) -> Vec<String> {
    engine.releases.map(|folder| releases_in(&folder())).unwrap_or_default()
}

fn releases_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|e| e.file_name().into_string().ok());
    let number = |name: String| {
        let name = name.strip_suffix(".so").unwrap_or(&name).to_owned();
        name.starts_with(|c: char| c.is_ascii_digit()).then_some(name)
    };
    let mut releases: Vec<String> = names.filter_map(number).collect();
    releases.sort_by(|a, b| by_number(a, b));
    releases
}

/// What a folder of releases says has no place on a terminal unread.
fn listed(releases: &[impl AsRef<str>]) -> String {
    let shown = |list: &[&str]| escape::line(&list.join(", "));
    let all: Vec<&str> = releases.iter().map(AsRef::as_ref).collect();
    match all.as_slice() {
        [first @ .., last] if first.len() >= SHOWN_RELEASES => {
            format!("{}, … {} ({} in all)", shown(&first[..3]), escape::line(last), all.len())
        }
        all => shown(all),
    }
}

/// `qualm engines`.
pub fn list_engines() -> Result<u8, Fault> {
    for e in ENGINES {
        let name = if e.place.is_empty() { e.name.to_owned() } else { format!("{0}, {0}:WHERE", e.name) };
        listln!("{}\n  {}", console::painted(Paint::Name, &name), e.about);
        if !e.place.is_empty() {
            listln!("  WHERE: {}", e.place);
        }
        standing(e).iter().for_each(|line| listln!("  {line}"));
    }
    listln!(
        "\nReleases are kept in {}; './x ENGINE VERSION' in qualm's repository fetches one.",
        cache_folder().display()
    );
    Ok(EXIT_CLEAN)
}

/// Whether an engine can be used here, and how to get it.
fn standing(engine: &EngineSpec) -> Vec<String> {
    let here = fetched(engine);
    let missing: Vec<&str> = fetchable(engine.name).into_iter().filter(|r| !here.iter().any(|h| h == r)).collect();
    let mut lines = Vec::new();
    if engine.name == "exec" {
        return adapted();
    }
    match engine.available {
        Available::BuiltIn | Available::ForTests => lines.push("ready: built in".to_owned()),
        Available::BringYourOwn if !here.is_empty() => {}
        Available::BringYourOwn if engine.releases.is_some() => {
            let on_path = on_path(program_of(engine.name));
            lines.push(on_path.map_or_else(|| "not here".to_owned(), |path| format!("ready: {}", path.display())));
        }
        Available::BringYourOwn => {
            let found = on_path(program_of(engine.name)).map(|path| format!("ready: {}", path.display()));
            lines.extend(found.or_else(|| what_is_missing(engine)));
        }
    }
    if !here.is_empty() {
        lines.push(format!("fetched: {}", listed(&here)));
    }
    if let Some(newest) = missing.last() {
        lines.push(format!("can be fetched: {}; for instance './x {} {newest}'", listed(&missing), engine.name));
    }
    lines
}

/// Engines that an adapter of the repository speaks for: releases that are here, and the newest of each that is not.
fn adapted() -> Vec<String> {
    let here: Vec<(&str, Vec<String>)> =
        ADAPTED.iter().map(|(name, _)| (*name, releases_in(&cache_folder().join(name)))).collect();
    let fetched = here.iter().filter(|(_, releases)| !releases.is_empty());
    let fetched: Vec<String> = fetched.map(|(name, releases)| format!("{name} {}", listed(releases))).collect();
    let missing = here.iter().filter(|(_, releases)| releases.is_empty());
    let missing: Vec<String> =
        missing.filter_map(|(name, _)| Some(format!("{name} {}", fetchable(name).last()?))).collect();
    let mut lines = Vec::new();
    if !fetched.is_empty() {
        lines.push(format!("fetched: {}", fetched.join(", ")));
    }
    if let Some(first) = missing.first() {
        lines.push(format!("can be fetched: {}; for instance './x {first}'", missing.join(", ")));
    }
    lines.push("docs/engines.md has the command for each".to_owned());
    lines
}

/// Of an engine without releases. An adapter is the user's own program.
fn what_is_missing(engine: &EngineSpec) -> Option<String> {
    match engine.name {
        _ if engine.about.contains("--features embedded") => {
            Some("not in this build: 'cargo build --release --features embedded' makes one with it".into())
        }
        name => Some(format!("not here: no '{name}' on PATH")),
    }
}

/// The program by which a server or a tool on PATH is known.
fn program_of(engine: &str) -> &str {
    match engine {
        "mysql" => "mysqld",
        "mariadb" => "mariadbd",
        "clickhouse" => "clickhouse-server",
        other => other,
    }
}

pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

// ---------------------------------------------------------------- doctor

enum Finding {
    Good(String),
    /// Some things do not work: which, and what to do.
    Lacking(String, String),
    /// Nothing works.
    Bad(String, String),
}

/// `qualm doctor`: what this machine has, and what to install for what it has not.
pub fn doctor() -> Result<u8, Fault> {
    let mut found = vec![cores(), memory(), scratch_room(), cache()];
    found.extend(TOOLS.iter().map(tool));
    found.extend(ENGINES.iter().filter(|e| e.available == Available::BringYourOwn).filter_map(engine));
    let bad = found.iter().filter(|f| matches!(f, Finding::Bad(..))).count();
    for one in &found {
        match one {
            Finding::Good(what) => listln!("{}  {what}", console::painted(Paint::Good, "ok     ")),
            Finding::Lacking(what, next) => {
                listln!("{}  {what}\n         {next}", console::painted(Paint::Hint, "missing"))
            }
            Finding::Bad(what, next) => listln!("{}  {what}\n         {next}", console::painted(Paint::Bad, "BAD    ")),
        }
    }
    let lacking = found.iter().filter(|f| matches!(f, Finding::Lacking(..))).count();
    let verdict = match (bad, lacking) {
        (0, 0) => "everything is here".to_owned(),
        (0, n) => format!("ready; {} missing that only some engines or chores need", counted(n, "thing")),
        (n, _) => format!("{} to be put right before anything works", counted(n, "thing")),
    };
    listln!("\n{verdict}");
    Ok(if bad == 0 { EXIT_CLEAN } else { EXIT_USAGE })
}

fn cores() -> Finding {
    Finding::Good(format!("{} for workers", counted(crate::cli::cores(), "core")))
}

fn memory() -> Finding {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:")).unwrap_or_default();
    match line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()) {
        None => Finding::Lacking("how much memory is free cannot be read".into(), "mount /proc".into()),
        Some(kilobytes) if kilobytes < 512 << 10 => Finding::Lacking(
            format!("{} MB of memory are free", kilobytes >> 10),
            "use fewer workers (--workers 1), or free some".into(),
        ),
        Some(kilobytes) => Finding::Good(format!("{} MB of memory are free", kilobytes >> 10)),
    }
}

fn scratch_room() -> Finding {
    let next = "set TMPDIR or QUALM_SCRATCH to a folder that you can write to".to_owned();
    let scratch = match Scratch::create() {
        Ok(scratch) => scratch,
        Err(e) => return Finding::Bad(format!("no folder for temporary files: {e}"), next),
    };
    let place = scratch.path().parent().unwrap_or(scratch.path()).display().to_string();
    match free_mb(scratch.path()) {
        Some(free) if free < ROOM_MB => {
            Finding::Lacking(format!("only {free} MB are free for temporary files in {place}"), next)
        }
        Some(free) => Finding::Good(format!("temporary files go to {place} ({free} MB free)")),
        None => Finding::Good(format!("temporary files go to {place}")),
    }
}

/// As `df` says it.
fn free_mb(folder: &Path) -> Option<u64> {
    let output = std::process::Command::new("df").arg("-Pk").arg(folder).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let kilobytes: u64 = text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()?;
    Some(kilobytes >> 10)
}

fn cache() -> Finding {
    let folder = cache_folder();
    match folder.is_dir() {
        true => Finding::Good(format!("releases of engines are in {}", folder.display())),
        false => Finding::Lacking(
            format!("no folder for releases of engines ({})", folder.display()),
            "'./x setup' in qualm's repository makes it and fetches the releases that its tests use".into(),
        ),
    }
}

/// A program, and what needs it.
const TOOLS: &[(&str, &str)] = &[
    ("cc", "to build SQLite releases ('./x sqlite VERSION'): install a C compiler"),
    ("cargo", "to fetch sources of SQLite releases: install Rust"),
    ("npm", "to fetch releases that only npm has (chdb, some of duckdb, mysql): install npm"),
    ("python3", "for adapters and exported scripts in Python: install Python 3"),
    ("node", "for the browser tests of the report page: install Node.js"),
];

fn tool((name, why): &(&str, &str)) -> Finding {
    match on_path(name) {
        Some(path) => Finding::Good(path.display().to_string()),
        None => Finding::Lacking(format!("'{name}' is not installed"), format!("needed {why}")),
    }
}

fn engine(engine: &EngineSpec) -> Option<Finding> {
    let here = fetched(engine);
    if !here.is_empty() {
        return Some(Finding::Good(format!("{}: {}", engine.name, listed(&here))));
    }
    if let Some(path) = on_path(program_of(engine.name)) {
        return Some(Finding::Good(format!("{}: {}", engine.name, path.display())));
    }
    let newest = fetchable(engine.name).into_iter().next_back()?;
    Some(Finding::Lacking(
        format!("{}: no release is here", engine.name),
        format!("'./x {} {newest}' in qualm's repository fetches one", engine.name),
    ))
}

// ---------------------------------------------------------------- completion

/// The command with the names that a shell may offer: engines and the releases that are here, and oracles.
pub fn with_names(command: Command) -> Command {
    let mut engines: Vec<&'static str> = Vec::new();
    for e in ENGINES {
        engines.push(e.name);
        // Names live as long as the command does, which is as long as the program.
        engines.extend(fetched(e).iter().map(|release| &*format!("{}:{release}", e.name).leak()));
    }
    let mut oracles: Vec<&'static str> = oracle::all().iter().map(|o| o.name).collect();
    oracles.sort_unstable();
    oracles.dedup();
    let names: Vec<String> = command.get_subcommands().map(|c| c.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |sub| {
            let ids: Vec<String> = sub.get_arguments().map(|a| a.get_id().to_string()).collect();
            ids.iter().fold(sub, |sub, id| match id.as_str() {
                "engine" | "right" => {
                    let values = PossibleValuesParser::new(engines.clone());
                    sub.mut_arg(id, |arg| arg.value_parser(values))
                }
                "oracle" => {
                    let values = PossibleValuesParser::new(oracles.clone());
                    sub.mut_arg(id, |arg| arg.value_parser(values))
                }
                _ => sub,
            })
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_engine_that_is_fetched_has_a_table() {
        for (engine, _) in FETCHABLE.iter().chain(ADAPTED) {
            assert!(!fetchable(engine).is_empty(), "{engine}");
            assert!(fetchable(engine).iter().all(|r| r.starts_with(|c: char| c.is_ascii_digit())), "{engine}");
        }
    }

    #[test]
    fn every_engine_says_whether_it_can_be_used() {
        let tables = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/releases")).unwrap();
        for table in tables.map(|t| t.unwrap().path()) {
            let name = table.file_stem().unwrap().to_str().unwrap();
            let known = FETCHABLE.iter().chain(ADAPTED).any(|(engine, _)| *engine == name);
            // Java is what the adapter of JDBC runs in.
            assert!(known || name == "java", "'qualm engines' does not list {name}");
        }
        assert!(standing(ENGINES.iter().find(|e| e.name == "exec").unwrap()).join("\n").contains("turso 0."));
        for engine in ENGINES.iter().filter(|e| e.name != "exec") {
            let first = standing(engine).into_iter().next().unwrap_or_default();
            let begins = ["ready: ", "fetched: ", "not here", "not in this build: "];
            assert!(begins.iter().any(|b| first.starts_with(b)), "{}: '{first}'", engine.name);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let numbers: Vec<String> = (1..=20).map(|n| format!("1.{n}")).collect();
        assert_eq!(listed(&numbers), "1.1, 1.2, 1.3, … 1.20 (20 in all)");
        assert_eq!(listed(&numbers[..2]), "1.1, 1.2");
    }

    #[test]
    fn completion_offers_engines_and_oracles() {
        let mut script = Vec::new();
        clap_complete::generate(clap_complete::Shell::Bash, &mut with_names(Cli::command()), "qualm", &mut script);
        let script = String::from_utf8(script).unwrap();
        assert!(script.contains("sqlite postgres") || script.contains("canary"), "{script}");
        assert!(script.contains("norec"), "oracles are offered");
    }
}
