//! Seeds: states and queries that a person wrote, as scripts of CREATE, INSERT and SELECT. They are read into trees, so
//! that oracles can change them; what cannot be read is used as it is, and reported.

mod shorten;
mod suites;

use super::ast::{Query, Statement};
use super::parse::{self, Parsed, What};
use crate::ReadSeeds;
use crate::oracle::{self, survives};
use qualm_core::case::{Case, Origin, Step};
use qualm_core::dialect::sql::Dialect;
use qualm_core::explore::{NamedText, Seeds};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::session::Spoken;
use std::path::{Path, PathBuf};

/// Ours: small tables that together use every clause.
pub const BUILT_IN: &[(&str, &str)] = &[
    ("text-equals-number", include_str!("../../../../seeds/sqlite/text-equals-number.sql")),
    ("text-and-numbers", include_str!("../../../../seeds/sqlite/text-and-numbers.sql")),
    ("order-by-three", include_str!("../../../../seeds/sqlite/order-by-three.sql")),
    ("shop", include_str!("../../../../seeds/sqlite/shop.sql")),
    ("subqueries", include_str!("../../../../seeds/sqlite/subqueries.sql")),
    ("conditions", include_str!("../../../../seeds/sqlite/conditions.sql")),
    ("mixed-column", include_str!("../../../../seeds/sqlite/mixed-column.sql")),
    ("three-tables", include_str!("../../../../seeds/sqlite/three-tables.sql")),
    ("keys", include_str!("../../../../seeds/sqlite/keys.sql")),
    ("windows-and-ctes", include_str!("../../../../seeds/sqlite/windows-and-ctes.sql")),
];

/// Of a hunt with the built-in seeds so many databases are theirs; a user's own seeds are used for all.
const BUILT_IN_SHARE: (u32, u32) = (1, 2);
const OWN_SHARE: (u32, u32) = (1, 1);

/// Texts of seeds together. Each worker has them all, and makes trees of one when it is its turn.
const SEED_BYTES: u64 = 64 << 20;
/// A dump is read up to this length, and shortened; what is left has to be no longer than other files of people.
const DUMP_BYTES: u64 = 256 << 20;
/// So many scripts are tried in the engine before a hunt, to say what it does not take.
const TRIED_AT_MOST: usize = 100;

/// A script as trees.
#[derive(Clone, Debug, Default)]
pub struct Seed {
    pub name: String,
    /// Statements that could not be read are kept as text that is run as it is.
    pub state: Vec<Statement>,
    pub queries: Vec<Query>,
    /// Queries that could not be read.
    pub texts: Vec<String>,
    /// Place and reason of each statement that could not be read.
    pub unread: Vec<String>,
    /// The first of them that creates a table.
    unread_table: Option<String>,
}

impl Seed {
    pub fn read(script: &NamedText, dialect: &'static Dialect) -> Seed {
        let mut seed = Seed { name: script.name.clone(), ..Seed::default() };
        for Parsed { text, line, what } in parse::script(&script.text, dialect) {
            match what {
                What::Statement(s) => seed.state.push(s),
                What::Query(q) => seed.queries.push(q),
                What::Unread(why) => {
                    let why = format!("{}:{line}: {why}", script.name);
                    if seed.unread_table.is_none() && creates_table(&text) {
                        seed.unread_table = Some(why.clone());
                    }
                    seed.unread.push(why);
                    match is_query(&text) {
                        true => seed.texts.push(text),
                        false => seed.state.push(Statement::Maintenance(text.into())),
                    }
                }
            }
        }
        seed
    }

    /// Tables that queries can be made over.
    fn has_table(&self) -> bool {
        self.state.iter().any(|s| matches!(s, Statement::CreateTable(_)))
    }
}

fn is_query(text: &str) -> bool {
    let first = text.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    ["SELECT", "WITH", "VALUES"].iter().any(|w| first.eq_ignore_ascii_case(w))
}

fn creates_table(text: &str) -> bool {
    text.get(..12).is_some_and(|start| start.eq_ignore_ascii_case("create table"))
}

pub fn built_in() -> Seeds {
    let scripts = BUILT_IN.iter().map(|(name, text)| NamedText { name: (*name).into(), text: (*text).into() });
    Seeds { scripts: scripts.collect(), share: BUILT_IN_SHARE }
}

/// What a hunt without seeds of the user's begins with: ours, where an oracle lives on them and the dialect is theirs.
pub fn for_oracles(oracles: &[String], spoken: impl Into<Spoken>) -> Seeds {
    let wanted = oracle::any_needs(oracles, |n| n.seeds) && spoken.into().sql().is_some_and(|d| d.dynamic_typing);
    if wanted { built_in() } else { Seeds::default() }
}

/// The scripts of a folder and of those below it, in the order of their names, or of one file: SQL (`*.sql`) or an
/// engine's own tests (`suites.rs`). A script of a folder without a table that can be read is left out; what else
/// cannot be read is listed, one line each.
pub fn load(place: &Path, dialect: &'static Dialect) -> Result<Loaded, String> {
    let mut found = Vec::new();
    if place.is_dir() {
        files_below(place, &mut found)?;
        found.sort();
        if found.is_empty() {
            return Err(format!("no *.sql in '{}'; give a folder of scripts, or one script", place.display()));
        }
    } else {
        found.push(place.to_path_buf());
    }
    let alone = found.len() == 1;
    let mut loaded = Loaded::default();
    let mut room = SEED_BYTES;
    for path in found {
        let text = match read(&path, alone, dialect, &mut loaded.shortened) {
            Ok(text) => text,
            Err(why) if alone => return Err(why),
            Err(why) => {
                loaded.left_out.push(why);
                continue;
            }
        };
        let name = path.display().to_string();
        let before = loaded.seeds.scripts.len();
        let mut why_not = None;
        for text in suites::scripts(&text, dialect) {
            let script = NamedText { name: name.clone(), text };
            let seed = Seed::read(&script, dialect);
            if !seed.has_table() {
                why_not = why_not.or(seed.unread_table).or_else(|| seed.unread.into_iter().next());
                continue;
            }
            let bytes = script.text.len() as u64;
            if bytes > room {
                loaded.left_out.push(format!("{name}: all seeds together may have {} MB", SEED_BYTES >> 20));
                continue;
            }
            room -= bytes;
            loaded.unread.extend(seed.unread);
            loaded.seeds.scripts.push(script);
        }
        if loaded.seeds.scripts.len() == before {
            let why = why_not.map(|u| format!("; {u}")).unwrap_or_default();
            loaded.left_out.push(format!(
                "no CREATE TABLE that can be parsed in '{name}'{why}; a seed is a script of CREATE, INSERT and SELECT"
            ));
        }
    }
    if loaded.seeds.scripts.is_empty() {
        return Err(loaded.left_out.swap_remove(0));
    }
    loaded.seeds.share = OWN_SHARE;
    Ok(loaded)
}

/// The text of a file. A dump is shortened, with a line for each table that loses rows.
fn read(path: &Path, alone: bool, dialect: &'static Dialect, cut: &mut Vec<String>) -> Result<String, String> {
    let is_sql = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sql"));
    let most = if alone || is_sql { DUMP_BYTES } else { suites::FILE_BYTES_AT_MOST };
    let text = files::text(path, "the seed", most)?;
    if suites::form_of(&text) != suites::Form::Sql {
        return Ok(text);
    }
    let text = shorten::of_pg_dump(&text).into_owned();
    let short = shorten::shortened(&text, parse::Marks::of(dialect));
    let whole = short.cut.is_empty() && text.len() as u64 <= FILE_BYTES;
    let text = if whole { text } else { short.text };
    if text.len() as u64 > FILE_BYTES {
        let rows = shorten::ROWS_OF_A_TABLE;
        return Err(format!(
            "cannot read the seed '{}': it has more than {} MB even with only the first {rows} rows of each table; \
             give a smaller file",
            path.display(),
            FILE_BYTES >> 20
        ));
    }
    let lost = short
        .cut
        .iter()
        .map(|(table, (kept, all))| format!("{}: the first {kept} of {all} rows of {table} are used", path.display()));
    cut.extend(lost);
    Ok(text)
}

/// What came of the files of a place.
#[derive(Debug, Default)]
pub struct Loaded {
    pub seeds: Seeds,
    /// Place and reason of each statement that could not be read.
    pub unread: Vec<String>,
    /// Files that give no seed, and why.
    pub left_out: Vec<String>,
    /// Tables with more rows than are used.
    pub shortened: Vec<String>,
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) -> Result<(), String> {
    let cannot = |e: std::io::Error| format!("cannot read '{}': {e}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        // A link to a folder may lead back here.
        if entry.file_type().map_err(cannot)?.is_dir() {
            files_below(&path, found)?;
        } else if path.extension().is_some_and(|e| suites::may_be_read(&e.to_string_lossy())) {
            found.push(path);
        }
    }
    Ok(())
}

/// The same with what the engine is to be asked about them.
pub fn read_all(place: &Path, dialect: &'static Dialect) -> Result<ReadSeeds, String> {
    let Loaded { seeds, unread, left_out, shortened } = load(place, dialect)?;
    // Of many, what an engine does not take shows in the hunt.
    let tried = if seeds.scripts.len() <= TRIED_AT_MOST { seeds.scripts.as_slice() } else { &[] };
    let trials = tried.iter().map(|script| trial(script, parse::Marks::of(dialect))).collect();
    let fate = "statements of the seeds cannot be parsed and are used as they are";
    Ok(ReadSeeds { seeds, unread, fate, left_out, shortened, trials })
}

/// A case that asks every statement of a script, with the place of each: what the engine does not take shows there.
pub fn trial(script: &NamedText, marks: parse::Marks) -> (Vec<String>, Case) {
    let pieces = parse::statements_of(&script.text, marks);
    let places: Vec<String> = pieces.iter().map(|(line, _)| format!("{}:{line}", script.name)).collect();
    let script = pieces.iter().zip(&places).map(|((_, text), place)| Step::query(place.clone(), *text)).collect();
    (places, survives::of_script(crate::sql::LANGUAGE, script, Origin::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::typing::{Schema, query};
    use qualm_engines::sqlite::dialect::SQLITE;

    #[test]
    fn built_in_seeds_are_read_and_their_answers_are_determined() {
        for script in built_in().scripts {
            let seed = Seed::read(&script, &SQLITE);
            assert!(seed.unread.is_empty(), "{:?}", seed.unread);
            let schema = Schema::from_state(&seed.state, &SQLITE).unwrap();
            for q in &seed.queries {
                let checked = query(q, &schema, &SQLITE);
                assert!(checked.is_ok(), "{}: {checked:?}: {}", seed.name, crate::sql::print::query(q, &SQLITE));
            }
            assert!(!seed.queries.is_empty(), "{}", seed.name);
        }
        assert!(built_in().scripts.len() >= 8, "the paper has eight");
    }

    #[test]
    fn a_folder_without_a_table_is_an_error_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        assert!(load(folder.path(), &SQLITE).unwrap_err().contains("no *.sql in"));
        let file = folder.path().join("a.sql");
        std::fs::write(&file, "\nDETACH aux;\nSELECT 1 FROM f;").unwrap();
        let why = load(folder.path(), &SQLITE).unwrap_err();
        assert!(why.contains("a.sql:2: this kind of statement is not read"), "{why}");
        std::fs::write(&file, "CREATE TABLE t(a);\nINSERT INTO t VALUES (1);\nSELECT a, b FROM t;\nSELECT a FROM t;")
            .unwrap();
        let Loaded { seeds, unread, .. } = load(&file, &SQLITE).unwrap();
        assert_eq!(unread.len(), 1);
        assert!(unread[0].ends_with("a.sql:3: no column 'b'"), "{unread:?}");
        let seed = Seed::read(&seeds.scripts[0], &SQLITE);
        assert_eq!((seed.state.len(), seed.queries.len(), seed.texts.len()), (2, 1, 1));
    }

    #[test]
    fn a_dump_is_used_with_the_first_rows_of_each_table() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("dump.sql");
        let long = "x".repeat(100 << 10);
        let rows: String = (0..100).map(|i| format!("INSERT INTO t VALUES ({i}, '{long}');\n")).collect();
        assert!(rows.len() as u64 > FILE_BYTES);
        std::fs::write(&file, format!("CREATE TABLE t(a, b);\n{rows}SELECT a FROM t;")).unwrap();
        for place in [file.as_path(), folder.path()] {
            let loaded = load(place, &SQLITE).unwrap();
            assert_eq!(loaded.shortened.len(), 1, "{:?}", loaded.shortened);
            assert!(loaded.shortened[0].ends_with("dump.sql: the first 2 of 100 rows of t are used"));
            let seed = Seed::read(&loaded.seeds.scripts[0], &SQLITE);
            assert_eq!((seed.state.len(), seed.queries.len()), (3, 1));
        }
        std::fs::write(&file, "SET x = 1;\nCREATE TABLE sys.t(a);").unwrap();
        let why = load(&file, &SQLITE).unwrap_err();
        assert!(why.contains("dump.sql:2: the name 'sys.t' with a database"), "{why}");
        std::fs::write(&file, format!("CREATE TABLE t(a, b);\nSELECT '{}';", long.repeat(100))).unwrap();
        let why = load(&file, &SQLITE).unwrap_err();
        assert!(why.contains("more than 8 MB even with only the first 1000 rows of each table"), "{why}");
    }

    #[test]
    fn a_file_of_many_that_gives_no_seed_is_left_out_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("deeper");
        std::fs::create_dir(&below).unwrap();
        std::fs::write(folder.path().join("a.sql"), "CREATE TABLE t(a);\nSELECT a FROM t;").unwrap();
        std::fs::write(folder.path().join("b.sql"), "nothing at all").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "CREATE TABLE notes(a);").unwrap();
        std::fs::write(below.join("c.test"), "statement ok\nCREATE TABLE t(a)\n\nquery I\nSELECT a FROM t\n").unwrap();
        std::fs::write(below.join("d.slt"), b"statement ok\n\xff\xfe").unwrap();
        let loaded = load(folder.path(), &SQLITE).unwrap();
        assert_eq!((loaded.seeds.scripts.len(), loaded.left_out.len()), (2, 2), "{loaded:?}");
        assert!(loaded.left_out[0].contains("b.sql") && loaded.left_out[1].contains("d.slt"), "{loaded:?}");
    }
}
