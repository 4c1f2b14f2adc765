//! Dialects of SQL and Datalog from JSON: the name of a built-in one, or an object that names one as its `base` and
//! says what is different. (Graph dialects are in `graph_dialect/overrides.rs`.) They live as long as the process.

use crate::{clickhouse, duckdb, sqlite};
use qualm_core::dialect::datalog::{self, DATALOG_DIALECTS, DatalogDialect, DatalogSelfTest, Part, Switch};
use qualm_core::dialect::sql::{Dialect, Feature, SelfTest};
use serde::Deserialize;
use serde_json::Value as Json;

/// The SQL dialects that a program may name.
static SQL: &[&Dialect] = &[
    &sqlite::dialect::SQLITE,
    &duckdb::dialect::DUCKDB,
    &clickhouse::dialect::CLICKHOUSE,
    #[cfg(feature = "servers")]
    &crate::postgres::dialect::POSTGRES,
    #[cfg(feature = "servers")]
    &crate::mysql::dialect::MYSQL,
    #[cfg(feature = "servers")]
    &crate::mysql::dialect::MARIADB,
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SqlOverrides {
    base: String,
    name: Option<String>,
    /// Features of the base that the engine has not.
    #[serde(default)]
    without: Vec<Feature>,
    #[serde(default)]
    without_functions: Vec<String>,
    /// Names of column types.
    #[serde(default)]
    without_types: Vec<String>,
    preamble: Option<Vec<String>>,
    settings: Option<Vec<String>>,
    maintenance: Option<Vec<String>>,
    int_limit: Option<i64>,
    self_test: Option<OwnedSelfTest>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedSelfTest {
    statements: Vec<String>,
    question: String,
    answer: Json,
}

fn text(owned: String) -> &'static str {
    String::leak(owned)
}

fn texts(owned: Vec<String>) -> &'static [&'static str] {
    Vec::leak(owned.into_iter().map(text).collect())
}

/// The name of the base, and the whole object where there is one.
fn base_name(given: &Json) -> Result<&str, String> {
    given.as_str().or_else(|| given.get("base")?.as_str()).ok_or_else(|| {
        "'dialect' is the name of a built-in dialect, or an object that has one as its 'base'".to_owned()
    })
}

pub fn sql(given: Json) -> Result<&'static Dialect, String> {
    let name = base_name(&given)?;
    let Some(base) = SQL.iter().find(|d| d.name == name) else {
        let known: Vec<&str> = SQL.iter().map(|d| d.name).collect();
        return Err(format!("unknown SQL dialect '{name}'; known dialects: {}", known.join(", ")));
    };
    if given.is_string() {
        return Ok(base);
    }
    let given: SqlOverrides = serde_json::from_value(given).map_err(|e| format!("cannot parse the dialect: {e}"))?;
    debug_assert_eq!(given.base, base.name);
    let kept = |name: &str, left_out: &[String]| !left_out.iter().any(|n| n == name);
    let types = base.types.iter().filter(|t| kept(t.name, &given.without_types)).copied().collect();
    let functions = base.functions.iter().filter(|f| kept(f.name, &given.without_functions)).copied().collect();
    let features = base.features.iter().filter(|(f, _)| !given.without.contains(f)).copied().collect();
    let self_test = given.self_test.map_or(base.self_test, |test| SelfTest {
        statements: texts(test.statements),
        question: text(test.question),
        answer: text(test.answer.to_string()),
    });
    Ok(Box::leak(Box::new(Dialect {
        name: given.name.map_or(base.name, text),
        preamble: given.preamble.map_or(base.preamble, texts),
        types: Vec::leak(types),
        functions: Vec::leak(functions),
        features: Vec::leak(features),
        settings: given.settings.map_or(base.settings, texts),
        maintenance: given.maintenance.map_or(base.maintenance, texts),
        int_limit: given.int_limit.unwrap_or(base.int_limit),
        self_test,
        ..**base
    })))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DatalogOverrides {
    base: String,
    name: Option<String>,
    #[serde(default)]
    without: Vec<Part>,
    bits: Option<u32>,
    constants: Option<(i64, i64)>,
    most_attributes: Option<usize>,
    /// Names and lines of settings that must not change what is derived.
    switches: Option<Vec<(String, String)>>,
    self_test: Option<OwnedProgram>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedProgram {
    program: String,
    answer: Json,
}

pub fn datalog(given: Json) -> Result<&'static DatalogDialect, String> {
    let name = base_name(&given)?;
    let Some(base) = datalog::find(name) else {
        let known: Vec<&str> = DATALOG_DIALECTS.iter().map(|d| d.name).collect();
        return Err(format!("unknown Datalog dialect '{name}'; known dialects: {}", known.join(", ")));
    };
    if given.is_string() {
        return Ok(base);
    }
    let given: DatalogOverrides =
        serde_json::from_value(given).map_err(|e| format!("cannot parse the dialect: {e}"))?;
    debug_assert_eq!(given.base, base.name);
    let switch = |(name, line)| Switch { name: text(name), text: text(line) };
    Ok(datalog::bring(DatalogDialect {
        name: given.name.map_or(base.name, text),
        parts: Vec::leak(base.parts.iter().filter(|p| !given.without.contains(p)).copied().collect()),
        bits: given.bits.unwrap_or(base.bits),
        constants: given.constants.unwrap_or(base.constants),
        most_attributes: given.most_attributes.unwrap_or(base.most_attributes),
        switches: given.switches.map_or(base.switches, |s| Vec::leak(s.into_iter().map(switch).collect())),
        self_test: given.self_test.map_or(base.self_test, |test| DatalogSelfTest {
            program: text(test.program),
            answer: text(test.answer.to_string()),
        }),
        ..*base
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_dialect_is_named_or_changed() {
        assert_eq!(sql(json!("sqlite")).unwrap().name, "sqlite");
        let less = json!({"base": "sqlite", "name": "other", "without": ["Window"], "without_functions": ["abs"],
                          "self_test": {"statements": [], "question": "SELECT 1", "answer": [[1]]}});
        let less = sql(less).unwrap();
        assert_eq!((less.name, less.self_test.answer), ("other", "[[1]]"));
        assert!(!less.lists(Feature::Window) && less.lists(Feature::Cte));
        assert!(less.functions.iter().all(|f| f.name != "abs") && !less.functions.is_empty());
        assert!(sql(json!("oracle")).err().unwrap().contains("sqlite, duckdb"));
        assert!(sql(json!({"base": "sqlite", "nonsense": 1})).err().unwrap().contains("nonsense"));
        assert!(sql(json!(7)).err().unwrap().contains("base"));
    }

    #[test]
    fn a_dialect_of_datalog_is_named_or_changed() {
        let plain = datalog(json!("souffle")).unwrap();
        let less = datalog(json!({"base": "souffle", "without": ["negation"], "switches": [["a", "b"]]})).unwrap();
        assert!(plain.has(Part::Negation) && !less.has(Part::Negation));
        assert_eq!(less.switch("a").map(|s| s.text), Some("b"));
        assert!(datalog(json!("prolog")).unwrap_err().contains("souffle"));
    }
}
