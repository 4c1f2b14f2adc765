//! A graph dialect from JSON: for engines that are reached by a program and have no row in Rust. Named fields replace
//! those of a base row (`"base": "opencypher"` or `"gremlin"`); what is not named stays. The result lives as long as
//! the process, as the rows of other engines do.
//!
//! ```text
//! {"base": "opencypher", "name": "kuzu", "mixed": "no", "without": ["merge"], "nan": null,
//!  "schema": {"node": "CREATE NODE TABLE {label}({columns}, PRIMARY KEY (k))", …, "types": [["int", "INT64"]]},
//!  "self_test": {"statements": […], "question": "…", "answer": [[1]]}}
//! ```

use super::*;

/// Every field of `GraphDialect` by its own name; `without` takes features away from the base row's.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Overrides {
    base: String,
    name: String,
    has_null: Option<bool>,
    kinds: Option<Vec<Kind>>,
    mixed: Option<Mixed>,
    literals: Option<Vec<(Kind, String)>>,
    #[serde(default, deserialize_with = "given")]
    nan: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    infinity: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    negative_infinity: Option<Option<String>>,
    negative_zero: Option<bool>,
    int_limit: Option<i64>,
    functions: Option<Vec<(String, Vec<Param>, Kind)>>,
    features: Option<Vec<Feature>>,
    #[serde(default)]
    without: Vec<Feature>,
    known_wrong: Option<Vec<Feature>>,
    indexes: Option<Vec<OwnedIndex>>,
    await_indexes: Option<Vec<String>>,
    schema: Option<OwnedSchema>,
    int_equals_float: Option<bool>,
    mixed_order: Option<MixedOrder>,
    trails: Option<bool>,
    relationships_by_use: Option<bool>,
    lengths: Option<Vec<(u32, u32)>>,
    identity: Option<String>,
    anonymous: Option<String>,
    errors: Option<Vec<(String, RejectionClass)>>,
    knobs: Option<Vec<OwnedKnob>>,
    self_test: OwnedSelfTest,
}

/// Distinguishes `"nan": null` (the engine has none) from no word about it.
fn given<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(d).map(Some)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedIndex {
    name: String,
    target: Target,
    #[serde(default)]
    kinds: Vec<Kind>,
    create: String,
    drop: String,
    #[serde(default)]
    unique: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedSchema {
    node: String,
    relationship: String,
    pair: String,
    column: String,
    types: Vec<(Kind, String)>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OwnedKnob {
    Prefix { name: String, prefix: String },
    Statement { name: String, set: String, reset: String },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OwnedSelfTest {
    statements: Vec<String>,
    question: String,
    answer: serde_json::Value,
}

fn text(owned: String) -> &'static str {
    String::leak(owned)
}

fn list<T, U>(owned: Vec<T>, keep: impl Fn(T) -> U) -> &'static [U] {
    Vec::leak(owned.into_iter().map(keep).collect())
}

/// The dialect that the JSON describes, or what is wrong with it.
pub fn build(json: serde_json::Value) -> Result<&'static GraphDialect, String> {
    let given: Overrides = serde_json::from_value(json).map_err(|e| format!("cannot parse the dialect: {e}"))?;
    let base = match given.base.as_str() {
        "opencypher" => OPENCYPHER,
        "gremlin" => GREMLIN,
        other => return Err(format!("unknown base dialect '{other}'; known ones: 'opencypher' and 'gremlin'")),
    };
    let mut features = given.features.unwrap_or_else(|| base.features.to_vec());
    features.retain(|f| !given.without.contains(f));
    let test = given.self_test;
    let function = |(name, params, result)| GraphFunction { name: text(name), params: Vec::leak(params), result };
    let dialect = GraphDialect {
        name: text(given.name),
        form: base.form,
        has_null: given.has_null.unwrap_or(base.has_null),
        kinds: given.kinds.map_or(base.kinds, |k| Vec::leak(k)),
        mixed: given.mixed.unwrap_or(base.mixed),
        literals: given.literals.map_or(base.literals, |l| list(l, |(k, t)| (k, text(t)))),
        nan: given.nan.map_or(base.nan, |t| t.map(text)),
        infinity: given.infinity.map_or(base.infinity, |t| t.map(text)),
        negative_infinity: given.negative_infinity.map_or(base.negative_infinity, |t| t.map(text)),
        negative_zero: given.negative_zero.unwrap_or(base.negative_zero),
        int_limit: given.int_limit.unwrap_or(base.int_limit),
        functions: given.functions.map_or(base.functions, |f| list(f, function)),
        features: Vec::leak(features),
        known_wrong: given.known_wrong.map_or(base.known_wrong, |f| Vec::leak(f)),
        indexes: given.indexes.map_or(base.indexes, |i| list(i, index)),
        await_indexes: given.await_indexes.map_or(base.await_indexes, |a| list(a, text)),
        schema: given.schema.map_or(base.schema, schema),
        int_equals_float: given.int_equals_float.unwrap_or(base.int_equals_float),
        mixed_order: given.mixed_order.unwrap_or(base.mixed_order),
        trails: given.trails.unwrap_or(base.trails),
        relationships_by_use: given.relationships_by_use.unwrap_or(base.relationships_by_use),
        lengths: given.lengths.filter(|l| !l.is_empty()).map_or(base.lengths, |l| Vec::leak(l)),
        identity: given.identity.map_or(base.identity, text),
        anonymous: given.anonymous.map_or(base.anonymous, text),
        errors: given.errors.map_or(base.errors, |e| list(e, |(t, class)| (text(t), class))),
        knobs: given.knobs.map_or(base.knobs, |k| list(k, knob)),
        self_test: GraphSelfTest {
            statements: list(test.statements, text),
            question: text(test.question),
            answer: text(test.answer.to_string()),
        },
    };
    Ok(Box::leak(Box::new(dialect)))
}

fn index(owned: OwnedIndex) -> IndexSpec {
    IndexSpec {
        name: text(owned.name),
        target: owned.target,
        kinds: Vec::leak(owned.kinds),
        create: text(owned.create),
        drop: text(owned.drop),
        unique: owned.unique,
    }
}

fn schema(owned: OwnedSchema) -> SchemaRule {
    SchemaRule::Typed {
        node: text(owned.node),
        relationship: text(owned.relationship),
        pair: text(owned.pair),
        column: text(owned.column),
        types: list(owned.types, |(k, t)| (k, text(t))),
    }
}

fn knob(owned: OwnedKnob) -> GraphKnob {
    match owned {
        OwnedKnob::Prefix { name, prefix } => GraphKnob::Prefix { name: text(name), text: text(prefix) },
        OwnedKnob::Statement { name, set, reset } => {
            GraphKnob::Statement { name: text(name), set: text(set), reset: text(reset) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn named_fields_replace_the_base() {
        let dialect = build(json!({
            "base": "opencypher", "name": "kuzu", "mixed": "no", "nan": null, "without": ["merge", "regex"],
            "functions": [["size", [{"of": "text"}], "int"], ["left", [{"of": "text"}, "small_int"], "text"]],
            "errors": [["Overflow exception", "Expected"]],
            "schema": {"node": "N {label}", "relationship": "R {type}", "pair": "P", "column": "C",
                       "types": [["int", "INT64"]]},
            "self_test": {"statements": ["CREATE (:L)"], "question": "MATCH (n) RETURN count(n)", "answer": [[1]]}
        }))
        .unwrap();
        assert_eq!((dialect.name, dialect.nan, dialect.infinity), ("kuzu", None, OPENCYPHER.infinity));
        assert!(!dialect.has(Feature::Merge) && dialect.has(Feature::With));
        assert_eq!(dialect.functions.len(), 2);
        assert_eq!(dialect.self_test.answer, "[[1]]");
        assert!(matches!(dialect.schema, SchemaRule::Typed { types: [(Kind::Int, "INT64")], .. }));
        let test = json!({"statements": [], "question": "", "answer": []});
        assert!(build(json!({"base": "opencypher", "name": "x", "kind": 1, "self_test": test})).is_err());
        assert!(build(json!({"base": "sql", "name": "x", "self_test": test})).is_err());
    }

    #[test]
    fn the_page_about_adapters_names_every_field() {
        let page = include_str!("../../../../../docs/adapter.md");
        let why = build(json!({"nothing": 1})).unwrap_err();
        let (_, fields) = why.split_once("expected one of ").unwrap();
        let missing: Vec<&str> = fields.split(", ").filter(|field| !page.contains(field)).collect();
        assert!(fields.contains("`known_wrong`") && missing.is_empty(), "{missing:?}");
    }
}
