//! Seeds: states and queries that a person wrote, as scripts of CREATE, INSERT and SELECT. They are read into trees, so
//! that oracles can change them; what cannot be read is used as it is, and reported.

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
use std::path::Path;

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
}

impl Seed {
    pub fn read(script: &NamedText, dialect: &'static Dialect) -> Seed {
        let mut seed = Seed { name: script.name.clone(), ..Seed::default() };
        for Parsed { text, line, what } in parse::script(&script.text, dialect) {
            match what {
                What::Statement(s) => seed.state.push(s),
                What::Query(q) => seed.queries.push(q),
                What::Unread(why) => {
                    seed.unread.push(format!("{}:{line}: {why}", script.name));
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

pub fn built_in() -> Seeds {
    let scripts = BUILT_IN.iter().map(|(name, text)| NamedText { name: (*name).into(), text: (*text).into() });
    Seeds { scripts: scripts.collect(), share: BUILT_IN_SHARE }
}

/// What a hunt without seeds of the user's begins with: ours, where an oracle lives on them and the dialect is theirs.
pub fn for_oracles(oracles: &[String], spoken: impl Into<Spoken>) -> Seeds {
    let wanted = oracle::any_needs(oracles, |n| n.seeds) && spoken.into().sql().is_some_and(|d| d.dynamic_typing);
    if wanted { built_in() } else { Seeds::default() }
}

/// The scripts of a folder (`*.sql`, in the order of their names) or of one file. Each must have a table that can be
/// read; what else cannot be read is the second half of the answer, one line each.
pub fn load(place: &Path, dialect: &'static Dialect) -> Result<(Seeds, Vec<String>), String> {
    let cannot = |path: &Path, e: std::io::Error| format!("cannot read '{}': {e}", path.display());
    let mut found = Vec::new();
    if place.is_dir() {
        for entry in std::fs::read_dir(place).map_err(|e| cannot(place, e))? {
            let path = entry.map_err(|e| cannot(place, e))?.path();
            if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("sql")) {
                found.push(path);
            }
        }
        found.sort();
        if found.is_empty() {
            return Err(format!("no *.sql in '{}'; give a folder of scripts, or one script", place.display()));
        }
    } else {
        found.push(place.to_path_buf());
    }
    let (mut scripts, mut unread) = (Vec::new(), Vec::new());
    let mut room = FILE_BYTES;
    for path in found {
        let text = files::text(&path, "the seed", room).map_err(|why| of_all(why, room))?;
        room -= text.len() as u64;
        let script = NamedText { name: path.display().to_string(), text };
        let seed = Seed::read(&script, dialect);
        if !seed.has_table() {
            let why = seed.unread.first().map(|u| format!("; {u}")).unwrap_or_default();
            return Err(format!(
                "no CREATE TABLE that can be parsed in '{}'{why}; a seed is a script of CREATE, INSERT and SELECT",
                script.name
            ));
        }
        unread.extend(seed.unread);
        scripts.push(script);
    }
    Ok((Seeds { scripts, share: OWN_SHARE }, unread))
}

/// The same with what the engine is to be asked about them.
pub fn read_all(place: &Path, dialect: &'static Dialect) -> Result<ReadSeeds, String> {
    let (seeds, unread) = load(place, dialect)?;
    let trials = seeds.scripts.iter().map(trial).collect();
    Ok(ReadSeeds { seeds, unread, fate: "statements of the seeds cannot be parsed and are used as they are", trials })
}

/// Seeds have their limit together.
pub fn of_all(why: String, room: u64) -> String {
    if room == FILE_BYTES { why } else { format!("{why} (all seeds together may have {} MB)", FILE_BYTES >> 20) }
}

/// A case that asks every statement of a script, with the place of each: what the engine does not take shows there.
pub fn trial(script: &NamedText) -> (Vec<String>, Case) {
    trial_of_pieces(script, parse::pieces(&script.text))
}

/// The same for a script of another dialect.
pub fn trial_of(script: &NamedText, marks: parse::Marks) -> (Vec<String>, Case) {
    trial_of_pieces(script, parse::statements_of(&script.text, marks))
}

fn trial_of_pieces(script: &NamedText, pieces: Vec<(usize, &str)>) -> (Vec<String>, Case) {
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
        std::fs::write(&file, "\nCREATE TRIGGER f BEFORE INSERT ON t BEGIN SELECT 1; END;\nSELECT 1 FROM f;").unwrap();
        let why = load(folder.path(), &SQLITE).unwrap_err();
        assert!(why.contains("a.sql:2: this kind of statement is not read"), "{why}");
        std::fs::write(&file, "CREATE TABLE t(a);\nINSERT INTO t VALUES (1);\nSELECT a, b FROM t;\nSELECT a FROM t;")
            .unwrap();
        let (seeds, unread) = load(&file, &SQLITE).unwrap();
        assert_eq!(unread.len(), 1);
        assert!(unread[0].ends_with("a.sql:3: no column 'b'"), "{unread:?}");
        let seed = Seed::read(&seeds.scripts[0], &SQLITE);
        assert_eq!((seed.state.len(), seed.queries.len(), seed.texts.len()), (2, 1, 1));
    }
}
