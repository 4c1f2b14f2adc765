//! What SQLite's language can do, as data.

use crate::dialect::Dialect;

pub static SQLITE: Dialect = Dialect {
    name: "sqlite",
    dynamic_typing: true,
    numeric_truth: true,
    types: &[],
    collations: &[],
    functions: &[],
    features: &[],
    settings: &[],
};
