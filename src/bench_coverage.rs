//! `qualm bench coverage`: builds SQLite from its amalgamation with counters in every branch, hunts in it for a fixed
//! number of checks, and prints which lines and branches of which part were reached, and the largest functions that
//! never were. What is printed is Markdown, so that docs/coverage.md can be made of it.

use crate::bench_reach::Reach;
use crate::cli::{at_least_one, cores, oracles_of};
use clap::Args;
use qualm_core::explore::Size;
use qualm_core::fault::Fault;
use qualm_core::spec::HuntSpec;
use qualm_engines::{catalogue, language_of};
use qualm_host::process::Scratch;
use qualm_lang::sql::seeds;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::Summary;
use qualm_run::isolated;
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

/// The library, its notes of compilation and its counters.
const ROOM_BYTES: u64 = 256 << 20;

#[derive(Args)]
pub struct BenchCoverage {
    /// The amalgamation, `sqlite3.c` ('./x coverage sqlite' fetches the newest one), or an engine whose plans and
    /// functions are counted instead of lines: postgres, mysql, mariadb, duckdb, chdb, clickhouse
    source: PathBuf,
    /// Checks of each hunt
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = at_least_one)]
    checks: u64,
    /// Oracles to hunt with, separated by commas; by default those of `qualm hunt`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    oracle: Vec<String>,
    /// Also hunt with each of the oracles alone
    #[arg(long)]
    each: bool,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value = "medium")]
    size: Size,
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many of the functions that were never entered to list
    #[arg(long, value_name = "N", default_value_t = 25)]
    functions: usize,
    /// A flag for the C compiler, such as -DSQLITE_ENABLE_FTS5; may be repeated
    #[arg(long = "flag", value_name = "FLAG", allow_hyphen_values = true)]
    flags: Vec<String>,
    /// Print one JSON object per hunt
    #[arg(long)]
    json: bool,
}

impl BenchCoverage {
    pub fn run(self) -> Result<u8, Fault> {
        if let Some(engine) = self.source.to_str()
            && let Some(catalogue) = catalogue::of(engine)
        {
            let (oracles, json) = (&self.oracle[..], self.json);
            let (checks, size, seed) = (self.checks, self.size, self.seed);
            return Reach { engine, catalogue, oracles, checks, size, seed, json }.run();
        }
        let text = fs::read_to_string(&self.source)
            .map_err(|e| Fault::usage(format!("cannot read '{}': {e}", self.source.display())))?;
        let files = original_files(&text);
        if files.is_empty() {
            let what = self.source.display();
            return Err(Fault::usage(format!("'{what}' is not SQLite's amalgamation (a file 'sqlite3.c')")));
        }
        let language = language_of("sqlite").map_err(|e| Fault { code: e.exit_code(), text: e.to_string() })?;
        let oracles = oracles_of(language, &self.oracle)?;
        let build = Build::make(&self.source, &self.flags)?;
        let mut sets = vec![("all".to_string(), oracles.clone())];
        if self.each {
            sets.extend(oracles.iter().map(|o| (o.clone(), vec![o.clone()])));
        }
        for (number, (name, oracles)) in sets.iter().enumerate() {
            let (reached, summary) = self.measure(&build, oracles, &files)?;
            if self.json {
                outln!("{}", reached.json(name, &summary));
                continue;
            }
            match number {
                0 => outln!("{}", reached.markdown(&summary, self.functions)),
                1 => outln!("\n| oracle alone | checks | lines | branches |\n|---|---|---|---|"),
                _ => {}
            }
            if number > 0 {
                let all = reached.all();
                outln!("| {name} | {} | {} | {} |", summary.checks, all.lines.share(), all.branches.share());
            }
        }
        Ok(0)
    }

    fn measure(&self, build: &Build, oracles: &[String], files: &[Original]) -> Result<(Reached, Summary), Fault> {
        build.forget()?;
        let engine = format!("sqlite:{}", build.library().display());
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let store = Arc::new(Store::create(Some(&scratch.path().join("out")))?);
        let spoken = isolated::connect(&engine)?.spoken();
        let spec = HuntSpec {
            seeds: seeds::for_oracles(oracles, spoken),
            oracles: oracles.to_vec(),
            size: self.size,
            seed: self.seed,
            ..HuntSpec::default()
        };
        let plain = Campaign::plain(&engine, spoken, spec, Budget::Checks(self.checks));
        let campaign = Campaign { workers: cores(), ..plain };
        let summary = campaign.run(store, Arc::new(scratch), &mut Progress::new())?;
        Ok((build.reached(files)?, summary))
    }
}

// ---------------------------------------------------------------- the library with counters

/// A compiled library; the counters of every process that used it are added up beside it.
struct Build {
    folder: Scratch,
}

impl Build {
    fn make(source: &Path, flags: &[String]) -> Result<Build, Fault> {
        let folder =
            Scratch::with_room(ROOM_BYTES).map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let build = Build { folder };
        fs::copy(source, build.file("sqlite3.c"))
            .map_err(|e| Fault::own(format!("cannot copy '{}': {e}", source.display())))?;
        let fixed = ["-w", "-O0", "-fPIC", "--coverage", "-DSQLITE_THREADSAFE=0"];
        build.call(Command::new("cc").args(fixed).args(flags).args(["-c", "sqlite3.c"]))?;
        let link = ["-shared", "--coverage", "-Wl,-Bsymbolic", "sqlite3.o", "-o", "sqlite3.so", "-lm"];
        build.call(Command::new("cc").args(link))?;
        Ok(build)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn library(&self) -> PathBuf {
        self.file("sqlite3.so")
    }

    /// Runs a compiler's program in the folder; gives what it printed.
    fn call(&self, command: &mut Command) -> Result<Vec<u8>, Fault> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = command.current_dir(self.folder.path()).output();
        let output = output.map_err(|e| Fault::usage(format!("cannot run '{name}' (install gcc): {e}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let error = said.lines().find(|l| l.contains("error")).or(said.lines().last()).unwrap_or_default();
            return Err(Fault::usage(format!("'{name}' failed: {error}")));
        }
        Ok(output.stdout)
    }

    /// Counts from zero again.
    fn forget(&self) -> Result<(), Fault> {
        match fs::remove_file(self.file("sqlite3.gcda")) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                Err(Fault::own(format!("cannot remove old counters: {e}")))
            }
            _ => Ok(()),
        }
    }

    fn reached(&self, files: &[Original]) -> Result<Reached, Fault> {
        if !self.file("sqlite3.gcda").exists() {
            return Err(Fault::own("no process has written its counters"));
        }
        let gcov = ["--branch-probabilities", "--json-format", "--stdout", "sqlite3.o"];
        let printed = self.call(Command::new("gcov").args(gcov))?;
        let counted: Counted =
            serde_json::from_slice(&printed).map_err(|e| Fault::own(format!("cannot read what gcov printed: {e}")))?;
        let file = counted.files.into_iter().find(|f| f.file.ends_with("sqlite3.c"));
        Ok(Reached::of(&file.ok_or_else(|| Fault::own("gcov has no counters of sqlite3.c"))?, files))
    }
}

/// The parts of gcov's JSON that are needed.
#[derive(Deserialize)]
struct Counted {
    files: Vec<CountedFile>,
}

#[derive(Deserialize)]
struct CountedFile {
    file: String,
    functions: Vec<CountedFunction>,
    lines: Vec<CountedLine>,
}

#[derive(Deserialize)]
struct CountedFunction {
    name: String,
    start_line: usize,
    execution_count: u64,
    blocks: u64,
}

#[derive(Deserialize)]
struct CountedLine {
    line_number: usize,
    count: u64,
    branches: Vec<CountedBranch>,
}

#[derive(Deserialize)]
struct CountedBranch {
    count: u64,
}

// ---------------------------------------------------------------- which part a line belongs to

/// Where a file that the amalgamation was made of begins or goes on.
struct Original {
    from_line: usize,
    name: String,
}

/// Parts by the names of files; the first that fits counts. A name that ends with a star stands for all that begin so.
const PARTS: &[(&str, &[&str])] = &[
    ("parser", &["parse.c", "tokenize.c", "complete.c"]),
    ("expressions", &["expr.c", "resolve.c", "walker.c"]),
    ("select", &["select.c"]),
    ("where", &["where*"]),
    ("window", &["window.c"]),
    ("insert, update, delete", &["insert.c", "update.c", "delete.c"]),
    ("upsert", &["upsert.c"]),
    ("trigger", &["trigger.c"]),
    ("foreign keys", &["fkey.c"]),
    ("schema", &["build.c", "alter.c", "prepare.c", "callback.c", "attach.c", "auth.c"]),
    ("analyze", &["analyze.c"]),
    ("pragma, vacuum", &["pragma.c", "vacuum.c"]),
    ("virtual tables", &["vtab.c", "dbstat.c", "carray.c"]),
    ("json", &["json.c"]),
    ("date", &["date.c"]),
    ("functions", &["func.c"]),
    ("sorter", &["vdbesort.c"]),
    ("virtual machine", &["vdbe*"]),
    ("btree", &["btree.c", "btmutex.c", "backup.c"]),
    ("pager, wal, cache", &["pager.c", "wal.c", "pcache*", "bitvec.c", "rowset.c", "memjournal.c", "memdb.c"]),
    ("fts", &["fts*"]),
    ("rtree", &["rtree.c", "geopoly.c"]),
    ("operating system, memory", &["os*", "mem*", "mutex*", "malloc.c", "fault.c", "threads.c", "notify.c"]),
    ("interface", &["main.c", "legacy.c", "table.c", "loadext.c", "global.c", "status.c", "ctime.c"]),
];
const REST: &str = "text, numbers, other";

fn part_of(file: &str) -> &'static str {
    let fits = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(begin) => file.starts_with(begin),
        None => file == *pattern,
    };
    PARTS.iter().find(|(_, files)| files.iter().any(&fits)).map_or(REST, |(part, _)| part)
}

/// The amalgamation marks where each file begins, ends, and goes on after one that it includes.
fn original_files(amalgamation: &str) -> Vec<Original> {
    let marked = |line: &str| {
        let rest = line.strip_prefix("/*****")?.trim_start_matches('*').trim_start();
        let name =
            rest.strip_prefix("Begin file ").or_else(|| rest.strip_prefix("Continuing where we left off in "))?;
        name.split_whitespace().next().map(str::to_owned)
    };
    let lines = amalgamation.lines().enumerate();
    lines.filter_map(|(n, line)| marked(line).map(|name| Original { from_line: n + 1, name })).collect()
}

fn file_at(files: &[Original], line: usize) -> &str {
    let after = files.partition_point(|f| f.from_line <= line);
    after.checked_sub(1).map_or("", |at| &files[at].name)
}

// ---------------------------------------------------------------- what was reached

#[derive(Clone, Copy, Default)]
struct Count {
    reached: u64,
    all: u64,
}

impl Count {
    fn add(&mut self, reached: bool) {
        self.all += 1;
        self.reached += u64::from(reached);
    }

    fn plus(self, other: Count) -> Count {
        Count { reached: self.reached + other.reached, all: self.all + other.all }
    }

    fn percent(self) -> f64 {
        100.0 * self.reached as f64 / self.all.max(1) as f64
    }

    fn share(self) -> String {
        format!("{:.1} % of {}", self.percent(), self.all)
    }
}

#[derive(Clone, Copy, Default)]
struct Part {
    lines: Count,
    branches: Count,
}

/// A function that no statement has entered, and how many basic blocks it has.
struct Untouched {
    name: String,
    file: String,
    blocks: u64,
}

struct Reached {
    parts: BTreeMap<&'static str, Part>,
    /// The largest first.
    untouched: Vec<Untouched>,
}

impl Reached {
    fn of(counted: &CountedFile, files: &[Original]) -> Reached {
        let mut parts: BTreeMap<&'static str, Part> = BTreeMap::new();
        for line in &counted.lines {
            let part = parts.entry(part_of(file_at(files, line.line_number))).or_default();
            part.lines.add(line.count > 0);
            line.branches.iter().for_each(|branch| part.branches.add(branch.count > 0));
        }
        let never = counted.functions.iter().filter(|f| f.execution_count == 0);
        let mut untouched: Vec<Untouched> = never
            .map(|f| Untouched {
                name: f.name.clone(),
                file: file_at(files, f.start_line).to_owned(),
                blocks: f.blocks,
            })
            .collect();
        untouched.sort_by(|a, b| b.blocks.cmp(&a.blocks).then_with(|| a.name.cmp(&b.name)));
        Reached { parts, untouched }
    }

    fn all(&self) -> Part {
        let sum = |a: Part, b: &Part| Part { lines: a.lines.plus(b.lines), branches: a.branches.plus(b.branches) };
        self.parts.values().fold(Part::default(), sum)
    }

    fn markdown(&self, summary: &Summary, functions: usize) -> String {
        let all = self.all();
        let mut out = format!(
            "{}, {} checks with seed {}: {:.1} % of {} lines and {:.1} % of {} branches.\n\n\
             | part | lines | branches |\n|---|---|---|\n",
            summary.engine_version,
            summary.checks,
            summary.seed,
            all.lines.percent(),
            all.lines.all,
            all.branches.percent(),
            all.branches.all,
        );
        let order = PARTS.iter().map(|(part, _)| *part).chain([REST]);
        for (name, part) in order.filter_map(|name| Some((name, self.parts.get(name)?))) {
            out += &format!("| {name} | {} | {} |\n", part.lines.share(), part.branches.share());
        }
        out += &format!("\nThe largest of {} functions that were never entered:\n\n", self.untouched.len());
        out += "| function | file | blocks |\n|---|---|---|\n";
        for f in self.untouched.iter().take(functions) {
            out += &format!("| `{}` | {} | {} |\n", f.name, f.file, f.blocks);
        }
        out.trim_end().to_owned()
    }

    fn json(&self, set: &str, summary: &Summary) -> serde_json::Value {
        let one = |part: &Part| {
            serde_json::json!({
                "lines": part.lines.all, "lines_reached": part.lines.reached,
                "branches": part.branches.all, "branches_reached": part.branches.reached,
            })
        };
        let parts: serde_json::Map<_, _> =
            self.parts.iter().map(|(name, part)| (name.to_string(), one(part))).collect();
        let untouched: Vec<&str> = self.untouched.iter().map(|f| f.name.as_str()).collect();
        serde_json::json!({
            "oracles": set, "checks": summary.checks, "seed": summary.seed, "engine_version": summary.engine_version,
            "all": one(&self.all()), "parts": parts, "functions_never_entered": untouched,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "/*\n** SQLite\n*/\n\
        /************** Begin file where.c ****/\nint a;\n\
        /************** Include whereInt.h in the middle of where.c ***/\n\
        /************** Begin file whereInt.h ****/\nint b;\n/************** End of whereInt.h ****/\n\
        /************** Continuing where we left off in where.c ****/\nint c;\n\
        /************** Begin file json.c ****/\nint d;\n";

    #[test]
    fn lines_belong_to_the_files_that_the_amalgamation_was_made_of() {
        let files = original_files(SOURCE);
        let at = |line: usize| file_at(&files, line);
        assert_eq!([at(1), at(5), at(8), at(11), at(13)], ["", "where.c", "whereInt.h", "where.c", "json.c"]);
        assert_eq!([part_of("where.c"), part_of("whereexpr.c"), part_of("json.c")], ["where", "where", "json"]);
        assert_eq!(["vdbesort.c", "vdbemem.c", "utf.c"].map(part_of), ["sorter", "virtual machine", REST]);
    }

    #[test]
    fn lines_branches_and_functions_are_counted_by_part() {
        let printed = r#"{"files": [{"file": "sqlite3.c", "functions": [
            {"name": "small", "start_line": 5, "execution_count": 0, "blocks": 3},
            {"name": "large", "start_line": 13, "execution_count": 0, "blocks": 30},
            {"name": "used", "start_line": 11, "execution_count": 7, "blocks": 300}], "lines": [
            {"line_number": 5, "count": 0, "branches": []},
            {"line_number": 11, "count": 7, "branches": [{"count": 7}, {"count": 0}]},
            {"line_number": 13, "count": 0, "branches": [{"count": 0}, {"count": 0}]}]}]}"#;
        let counted: Counted = serde_json::from_str(printed).unwrap();
        let reached = Reached::of(&counted.files[0], &original_files(SOURCE));
        let names: Vec<&str> = reached.untouched.iter().map(|f| f.name.as_str()).collect();
        assert_eq!(names, ["large", "small"]);
        let all = reached.all();
        assert_eq!((all.lines.reached, all.lines.all, all.branches.reached, all.branches.all), (1, 3, 1, 4));
        assert_eq!(reached.parts["where"].lines.share(), "50.0 % of 2");
    }
}
