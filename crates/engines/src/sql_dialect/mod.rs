//! Dialects of SQL as data. The built-in ones are files of the folder `dialects/`, in the form in which users write
//! theirs; a driver or an adapter names one of them, a file, or an object. A file names a `base` and says what is
//! different. docs/dialects.md is the reference and is made from `keys.rs` and the comments of the features.
//! A dialect lives as long as the process.

mod given;
pub mod keys;
mod read;
#[cfg(test)]
mod tests;
pub mod write;

use crate::external::dialects::{base_name, text};
use given::{Given, GivenKind};
use qualm_core::dialect::sql::{Catalogue, Dialect, EMPTY, KindSpec};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use read::Around;
pub use read::PARAMS;
use serde::Deserialize;
use serde_json::Value as Json;
use std::path::Path;
use std::sync::LazyLock;

/// A wide dialect to begin with for an engine that is not known.
pub static STANDARD: LazyLock<Dialect> =
    LazyLock::new(|| built_in("standard", include_str!("../../../../dialects/standard.toml")));

/// The dialect of a file that says nothing.
static NOTHING: LazyLock<Dialect> = LazyLock::new(|| EMPTY);

/// The SQL dialects that a dialect may begin with, by the names of their files.
pub static BASES: &[(&str, &LazyLock<Dialect>)] = &[
    ("standard", &STANDARD),
    ("sqlite", &crate::sqlite::dialect::SQLITE),
    ("duckdb", &crate::duckdb::dialect::DUCKDB),
    ("clickhouse", &crate::clickhouse::dialect::CLICKHOUSE),
    ("clickhouse-2018", &crate::clickhouse::dialect::CLICKHOUSE_2018),
    #[cfg(feature = "servers")]
    ("postgres", &crate::postgres::dialect::POSTGRES),
    #[cfg(feature = "servers")]
    ("mysql", &crate::mysql::dialect::MYSQL),
    #[cfg(feature = "servers")]
    ("mysql-before-8", &crate::mysql::dialect::MYSQL_BEFORE_8),
    #[cfg(feature = "servers")]
    ("mariadb", &crate::mysql::dialect::MARIADB),
    ("empty", &NOTHING),
];

/// Functions that were read from the catalogues of engines.
static CATALOGUES: LazyLock<Vec<Catalogue>> = LazyLock::new(|| {
    vec![
        Catalogue::of("duckdb", include_str!("../../../../functions/duckdb.tsv")),
        Catalogue::of("clickhouse", include_str!("../../../../functions/clickhouse.tsv")),
        #[cfg(feature = "servers")]
        Catalogue::of("postgres", include_str!("../../../../functions/postgres.tsv")),
        #[cfg(feature = "servers")]
        Catalogue::of("mysql", include_str!("../../../../functions/mysql.tsv")),
        #[cfg(feature = "servers")]
        Catalogue::of("mariadb", include_str!("../../../../functions/mariadb.tsv")),
    ]
});

/// Kinds of values that several dialects have.
static KINDS: LazyLock<Vec<KindSpec>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Kinds {
        kinds: Vec<GivenKind>,
    }
    let Kinds { kinds } = toml::from_str(include_str!("../../../../dialects/kinds.toml")).expect("kinds.toml is TOML");
    read::kinds(&[], kinds, &[]).unwrap_or_else(|why| panic!("kinds.toml: {why}"))
});

/// A file that is part of this program.
pub fn built_in(name: &str, content: &str) -> Dialect {
    parsed(name, content, Path::new("")).unwrap_or_else(|why| panic!("{why}"))
}

/// The dialect that a hello names: a built-in one, a file, or an object.
pub fn sql(given: Json) -> Result<&'static Dialect, String> {
    if let Some(path) = given.as_str().filter(|name| name.ends_with(".toml")) {
        return read(Path::new(path));
    }
    let base = base(base_name(&given)?)?;
    if given.is_string() {
        // An engine that speaks a dialect need not compute what the one does that our evaluator knows.
        return Ok(Box::leak(Box::new(Dialect { semantics: None, ..*base })));
    }
    let given = serde_json::from_value(given).map_err(|e| format!("cannot parse the dialect: {e}"))?;
    build(base, given, Path::new("")).map(leak)
}

/// A dialect file.
pub fn read(path: &Path) -> Result<&'static Dialect, String> {
    let content = files::text(path, "the dialect", FILE_BYTES)?;
    parsed(&path.display().to_string(), &content, path.parent().unwrap_or(Path::new(""))).map(leak)
}

/// `name` is where the text is from, for the person who reads the error.
pub fn from_toml(name: &str, content: &str) -> Result<&'static Dialect, String> {
    parsed(name, content, Path::new("")).map(leak)
}

fn leak(dialect: Dialect) -> &'static Dialect {
    Box::leak(Box::new(dialect))
}

fn parsed(name: &str, content: &str, folder: &Path) -> Result<Dialect, String> {
    let given: Given = toml::from_str(content).map_err(|e| {
        let line = 1 + e.span().map_or(0, |s| content[..s.start].matches('\n').count());
        format!("cannot read the dialect '{name}', line {line}: {}", e.message().trim_end())
    })?;
    let built = base(&given.base).and_then(|base| build(base, given, folder));
    built.map_err(|why| format!("the dialect '{name}': {why}"))
}

pub fn base(name: &str) -> Result<&'static Dialect, String> {
    let known = BASES.iter().find(|(n, _)| *n == name);
    known.map(|(_, dialect)| &***dialect).ok_or_else(|| {
        let known: Vec<&str> = BASES.iter().map(|(name, _)| *name).collect();
        format!("unknown SQL dialect '{name}'; known dialects: {}", known.join(", "))
    })
}

/// `folder` is where files are that a dialect names.
fn build(base: &Dialect, given: Given, folder: &Path) -> Result<Dialect, String> {
    read::build(base, given, &Around { kinds: &KINDS, catalogue: &|name| catalogue(name, folder) })
}

/// A list of functions: a built-in one, or a file.
fn catalogue(name: &str, folder: &Path) -> Result<&'static Catalogue, String> {
    if let Some(known) = CATALOGUES.iter().find(|c| c.name == name) {
        return Ok(known);
    }
    if !name.ends_with(".tsv") {
        let known: Vec<&str> = CATALOGUES.iter().map(|c| c.name).collect();
        return Err(format!("unknown catalogue '{name}': name a file that ends in '.tsv', or {}", known.join(", ")));
    }
    let content = text(files::text(&folder.join(name), "the catalogue", FILE_BYTES)?);
    let read = Catalogue::read(text(name.to_owned()), content).map_err(|why| format!("'{name}': {why}"))?;
    Ok(Box::leak(Box::new(read)))
}
