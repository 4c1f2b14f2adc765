//! A corpus of known bugs: one JSON file each, with the statements that show it, a release that has it and one that
//! has not.
//!
//! ```json
//! {"id": "…", "engine": "sqlite", "buggy": {"version": "3.8.2"}, "fixed": {"version": "3.8.5"},
//!  "setup": ["CREATE TABLE …"], "query": "SELECT …", "ordered": false, "wrong_result": [[1]], "right_result": []}
//! ```
//!
//! Values: null, integer, real, text, `{"blob": "00ff"}`, `{"real": "Inf"}`. Row order counts only where `ordered` is
//! true. A bug of Datalog has a `program` in place of a query, and may have no setup. What cannot be used is skipped
//! and named; it never stops the rest.

use qualm_core::case::Language;
use qualm_core::fault::Fault;
use qualm_core::value::{Rows, Value};
use qualm_engines::stored::is_release_number;
use serde::Deserialize;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

#[derive(Clone)]
pub struct Bug {
    pub id: String,
    /// As its engine speaks.
    pub language: Language,
    pub buggy: String,
    pub fixed: String,
    pub setup: Vec<String>,
    pub query: String,
    pub ordered: bool,
    pub wrong: Vec<Vec<Value>>,
    pub right: Vec<Vec<Value>>,
}

/// A file that is not run, and why.
pub struct Skipped {
    pub id: String,
    pub why: String,
}

#[derive(Deserialize)]
struct File {
    buggy: Option<Release>,
    fixed: Option<Release>,
    setup: Option<Vec<String>>,
    query: Option<String>,
    program: Option<String>,
    #[serde(default)]
    ordered: bool,
    wrong_result: Option<Vec<Vec<Json>>>,
    right_result: Option<Vec<Vec<Json>>>,
}

#[derive(Deserialize)]
struct Release {
    version: String,
}

/// The engine that is taken where files name several and nobody says which.
const USUAL: &str = "sqlite";

/// What a file says before it is known whether it can be used.
struct Named {
    id: String,
    engine: String,
    json: Json,
}

/// The bugs of one engine in a folder and the folders directly below it, in the order of their names, behind the name
/// of the engine: the one asked for, or the only one that the files name.
pub fn read(folder: &Path, engine: Option<&str>) -> Result<(String, Vec<Bug>, Vec<Skipped>), Fault> {
    let (mut found, mut skipped): (Vec<Named>, Vec<Skipped>) = (Vec::new(), Vec::new());
    for path in files(folder)? {
        match named(&path) {
            Ok(file) => found.extend(file),
            Err(why) => skipped.push(Skipped { id: stem(&path), why }),
        }
    }
    let Some(first) = found.first().map(|file| file.engine.clone()) else {
        return Err(Fault::usage(format!("no known bugs in '{}'; give a folder of JSON files", folder.display())));
    };
    let only = if found.iter().all(|file| file.engine == first) { first } else { USUAL.to_owned() };
    let engine = engine.map_or(only, str::to_owned);
    let mut bugs = Vec::new();
    for Named { id, engine: of, json } in found {
        if of != engine {
            skipped.push(Skipped { id, why: format!("a bug in '{of}'") });
            continue;
        }
        let read = serde_json::from_value(json).map_err(|e| format!("is not a valid entry: {e}"));
        match read.and_then(|file| bug(&id, file)) {
            Ok(bug) => bugs.push(bug),
            Err(why) => skipped.push(Skipped { id, why }),
        }
    }
    Ok((engine, bugs, skipped))
}

/// Whose bug a file has, or why that cannot be known. Nothing for the tables of releases and the like that lie beside
/// the bugs.
fn named(path: &Path) -> Result<Option<Named>, String> {
    let text = std::fs::read(path).map_err(|e| format!("cannot be read: {e}"))?;
    let json: Json = serde_json::from_slice(&text).map_err(|e| format!("is not JSON: {e}"))?;
    let Some(id) = json.get("id") else { return Ok(None) };
    let word = |value: Option<&Json>| value.and_then(Json::as_str).map(str::to_owned);
    match (word(Some(id)), word(json.get("engine"))) {
        (Some(id), Some(engine)) => Ok(Some(Named { id, engine, json })),
        _ => Err("its 'id' or 'engine' is no text".into()),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>, Fault> {
        let entries = std::fs::read_dir(folder)
            .map_err(|e| Fault::usage(format!("cannot read folder '{}': {e}", folder.display())))?;
        Ok(entries.flatten().map(|e| e.path()).collect())
    };
    let mut found = Vec::new();
    for path in list(folder)? {
        if path.is_dir() { found.extend(list(&path)?) } else { found.push(path) }
    }
    found.retain(|p| p.extension().is_some_and(|e| e == "json"));
    found.sort();
    Ok(found)
}

fn bug(id: &str, file: File) -> Result<Bug, String> {
    let missing = |what: &str| format!("has no '{what}'");
    let rows = |rows: Option<Vec<Vec<Json>>>, what: &str| -> Result<Vec<Vec<Value>>, String> {
        rows.ok_or_else(|| missing(what))?.iter().map(|row| row.iter().map(value).collect()).collect()
    };
    // They become parts of paths.
    let release = |release: Option<Release>, what: &str| match release.ok_or_else(|| missing(what))?.version {
        number if is_release_number(&number) => Ok(number),
        _ => Err(format!("its '{what}' is not a release number")),
    };
    Ok(Bug {
        id: id.to_owned(),
        language: qualm_lang::sql::LANGUAGE,
        buggy: release(file.buggy, "buggy")?,
        fixed: release(file.fixed, "fixed")?,
        // A program is all there is.
        setup: match (file.setup, &file.program) {
            (None, Some(_)) => Vec::new(),
            (setup, _) => setup.ok_or_else(|| missing("setup"))?,
        },
        query: file.query.or(file.program).ok_or_else(|| missing("query"))?,
        ordered: file.ordered,
        wrong: rows(file.wrong_result, "wrong_result")?,
        right: rows(file.right_result, "right_result")?,
    })
}

fn value(json: &Json) -> Result<Value, String> {
    let unclear = || format!("cannot parse the value '{json}'");
    Ok(match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Int(i),
            None => Value::Real(n.as_f64().ok_or_else(unclear)?),
        },
        Json::String(s) => Value::Text(s.clone()),
        Json::Object(o) => match (o.get("blob").and_then(Json::as_str), o.get("real").and_then(Json::as_str)) {
            (Some(hex), _) => Value::Blob(bytes(hex).ok_or_else(unclear)?),
            (_, Some(real)) => Value::Real(real.parse().map_err(|_| unclear())?),
            _ => return Err(unclear()),
        },
        Json::Array(_) => return Err(unclear()),
    })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = hex.chars().map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(|d| (d[0] * 16 + d[1]) as u8).collect())
}

/// The rows of a corpus as an answer of this many columns: an empty answer does not say how wide it is.
pub fn as_rows(rows: &[Vec<Value>], columns: usize) -> Rows {
    if rows.is_empty() { Rows::new(columns) } else { Rows::of(rows.to_vec()) }
}
