//! How an engine computes its values, as far as our own evaluator has to know.

use serde::{Deserialize, Deserializer, de};

/// How our own evaluator reads a dialect's expressions (`lang/sql/evaluate`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Semantics {
    /// Storage classes, affinities and collations of SQLite.
    Sqlite,
    /// Values have the type that is declared.
    Typed(Typed),
}

/// What dialects with declared types do not agree about.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Typed {
    /// LIKE matches letters without their case.
    pub like_ignores_case: bool,
    /// The escape character of LIKE where none is written.
    #[serde(deserialize_with = "one_character")]
    pub like_escape: Option<char>,
    /// `%` of integers has the sign of its left side.
    pub remainder_has_sign_of_dividend: bool,
    /// `length` of a text counts bytes.
    pub length_counts_bytes: bool,
    /// Texts are compared by their bytes inside functions too.
    pub compares_bytes_in_text: bool,
    /// `concat` of a NULL is NULL.
    pub concat_of_null_is_null: bool,
    /// `greatest` and `least` of a NULL are NULL.
    pub greatest_of_null_is_null: bool,
}

/// What PostgreSQL does, for what a file does not say.
impl Default for Typed {
    fn default() -> Typed {
        Typed {
            like_ignores_case: false,
            like_escape: Some('\\'),
            remainder_has_sign_of_dividend: true,
            length_counts_bytes: false,
            compares_bytes_in_text: true,
            concat_of_null_is_null: false,
            greatest_of_null_is_null: false,
        }
    }
}

/// A text of one character, or none.
fn one_character<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<char>, D::Error> {
    let given = String::deserialize(deserializer)?;
    let mut characters = given.chars();
    match (characters.next(), characters.next()) {
        (character, None) => Ok(character),
        _ => Err(de::Error::custom(format!("'{given}' is more than one character"))),
    }
}
