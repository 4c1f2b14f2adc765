//! Dialects of Datalog from JSON: the name of a built-in one, or an object that names one as its `base` and says what
//! is different. (Those of SQL are in `sql_dialect/`, those of graphs in `dialect/graph/overrides.rs`.) They live as
//! long as the process.

use qualm_core::dialect::datalog::{self, DATALOG_DIALECTS, DatalogDialect, DatalogSelfTest, Part, Switch};
use serde::Deserialize;
use serde_json::Value as Json;

pub(crate) fn text(owned: String) -> &'static str {
    String::leak(owned)
}

pub(crate) fn texts(owned: Vec<String>) -> &'static [&'static str] {
    Vec::leak(owned.into_iter().map(text).collect())
}

/// The name of the base, and the whole object where there is one.
pub(crate) fn base_name(given: &Json) -> Result<&str, String> {
    given.as_str().or_else(|| given.get("base")?.as_str()).ok_or_else(|| {
        "'dialect' is the name of a built-in dialect, or an object that has one as its 'base'".to_owned()
    })
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
    fn a_dialect_of_datalog_is_named_or_changed() {
        let plain = datalog(json!("souffle")).unwrap();
        let less = datalog(json!({"base": "souffle", "without": ["negation"], "switches": [["a", "b"]]})).unwrap();
        assert!(plain.has(Part::Negation) && !less.has(Part::Negation));
        assert_eq!(less.switch("a").map(|s| s.text), Some("b"));
        assert!(datalog(json!("prolog")).unwrap_err().contains("souffle"));
    }
}
