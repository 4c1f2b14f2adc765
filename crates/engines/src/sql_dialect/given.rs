//! What may stand in a dialect file, as it is read: every key may be missing, and is the base's then.

use qualm_core::dialect::sql::{Affinity, Concat, Feature, Kind, NullSafe, Semantics, Special, Typed};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::fmt;

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Given {
    pub base: String,
    pub name: Option<String>,
    pub quote: Option<char>,
    pub dynamic_typing: Option<bool>,
    pub numeric_truth: Option<bool>,
    pub loose_texts: Option<bool>,
    pub marked_json: Option<bool>,
    pub int_limit: Option<i64>,
    pub preamble: Option<Vec<String>>,
    pub settings: Option<Vec<String>>,
    pub maintenance: Option<Vec<String>>,
    pub layouts: Option<Vec<String>>,
    pub given: Option<Vec<GivenTables>>,
    pub on_disk: Option<(String, String)>,
    pub foreign_keys_on: Option<String>,
    pub collations: Option<Vec<String>>,
    pub types: Option<Vec<GivenType>>,
    pub without_types: Vec<String>,
    pub functions: Option<Vec<GivenFunction>>,
    pub more_functions: Vec<GivenFunction>,
    pub without_functions: Vec<String>,
    pub words: BTreeMap<String, Vec<String>>,
    pub json_makers: Option<Vec<String>>,
    pub catalogue: Option<String>,
    pub kinds: Vec<GivenKind>,
    pub without_kinds: Vec<String>,
    pub modules: Option<Vec<GivenModule>>,
    pub features: BTreeMap<Feature, Vec<String>>,
    pub without: Vec<Feature>,
    pub errors: Option<Vec<(String, Class)>>,
    pub spelling: GivenSpelling,
    #[serde(deserialize_with = "semantics")]
    pub semantics: Option<Semantics>,
    pub self_test: Option<GivenSelfTest>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GivenSpelling {
    pub null_safe: Option<NullSafe>,
    pub concat: Option<Concat>,
    pub real: Option<(String, String)>,
    pub infinity: Option<(String, String)>,
    pub blob: Option<(String, String)>,
    pub backslash_escapes: Option<bool>,
    pub insert_ignore: Option<(String, String)>,
    pub insert_replace: Option<(String, String)>,
    pub update_ignore: Option<String>,
    pub update_replace: Option<String>,
    pub table_suffix: Option<String>,
    pub table_variants: Option<Vec<String>>,
    pub index_variants: Option<Vec<String>>,
    pub nullable: Option<(String, String)>,
    pub other_row: Option<String>,
    pub counted: Option<String>,
    pub generated: Option<String>,
    pub drop_index_names_table: Option<bool>,
    pub casts: Option<Vec<(Kind, String)>>,
    pub comma_binds_weakly: Option<bool>,
    pub aliased_keeps_name: Option<bool>,
    pub unique_names: Option<bool>,
    pub from_nothing: Option<String>,
    pub row_frames: Option<Vec<String>>,
    pub peer_frames: Option<Vec<String>>,
    pub value_frames: Option<Vec<String>>,
    pub fetch_first: Option<bool>,
    pub values_columns: Option<String>,
    pub binding: Option<GivenBinding>,
    pub generic_plans: Option<Vec<(String, String)>>,
    pub insert_block: Option<(String, String)>,
    pub mutations_by_alter: Option<bool>,
    pub with_rollup: Option<bool>,
    pub trigger_body: Option<(String, String)>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenBinding {
    None,
    Shell,
    Numbered,
    NumberedTyped,
    Variables,
    Braces,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum GivenType {
    Short(String, Kind),
    Long {
        name: String,
        kind: Kind,
        affinity: Option<Affinity>,
        #[serde(default)]
        strict: bool,
    },
}

/// Name, parameters, result.
pub type GivenFunction = (String, Vec<GivenParam>, Kind);

#[derive(Deserialize)]
#[serde(untagged)]
pub enum GivenParam {
    Named(String),
    /// One of these texts, as a literal.
    Words(Vec<String>),
}

/// A kind of values beside the basic ones: what differs from the base's, or from one that is ordinary.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenKind {
    pub name: Special,
    pub like: Option<Special>,
    pub literal: Option<(String, String)>,
    pub cast: Option<String>,
    pub values: Option<Vec<String>>,
    pub exact: Option<bool>,
    pub ordered: Option<bool>,
    pub least: Option<bool>,
    pub text_order: Option<bool>,
    pub equals: Option<bool>,
    pub keys: Option<bool>,
    pub sums: Option<bool>,
    pub meets: Option<Vec<Kind>>,
    pub casts: Option<Vec<Kind>>,
    /// Symbol, right side, result.
    pub operators: Option<Vec<(String, Kind, Kind)>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenModule {
    pub name: String,
    pub feature: Feature,
    pub holds: GivenHeld,
    #[serde(default)]
    pub options: Vec<Vec<String>>,
    #[serde(default)]
    pub commands: Vec<String>,
    pub search: Option<GivenSearch>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GivenHeld {
    Boxes,
    WholeBoxes,
    Texts,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GivenSearch {
    pub both: String,
    pub either: String,
    pub without: String,
    pub phrase: String,
    pub prefix: String,
    pub near: String,
    pub in_column: String,
    pub first: String,
    pub shows: Vec<(String, Vec<GivenShown>)>,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum GivenShown {
    Number(i64),
    Text(String),
}

/// Tables that are there without being made and have the same columns.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenTables {
    pub texts: Vec<String>,
    pub columns: Vec<(String, Kind)>,
}

/// A name, or a table.
fn semantics<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Semantics>, D::Error> {
    struct NameOrTable;
    impl<'de> Visitor<'de> for NameOrTable {
        type Value = Semantics;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("\"sqlite\" or a table")
        }

        fn visit_str<E: de::Error>(self, name: &str) -> Result<Semantics, E> {
            let unknown = || E::invalid_value(de::Unexpected::Str(name), &self);
            (name == "sqlite").then_some(Semantics::Sqlite).ok_or_else(unknown)
        }

        fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Semantics, A::Error> {
            Typed::deserialize(de::value::MapAccessDeserializer::new(map)).map(Semantics::Typed)
        }
    }
    deserializer.deserialize_any(NameOrTable).map(Some)
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    #[serde(alias = "Expected")]
    Expected,
    #[serde(alias = "Limit")]
    Limit,
    #[serde(alias = "OutOfMemory")]
    OutOfMemory,
    #[serde(alias = "Internal")]
    Internal,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GivenSelfTest {
    pub statements: Vec<String>,
    pub question: String,
    pub answer: Json,
}
