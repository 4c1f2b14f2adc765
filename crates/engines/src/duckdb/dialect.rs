//! DuckDB's SQL, which is said in a file.

use crate::sql_dialect::built_in;
use qualm_core::dialect::sql::Dialect;
use std::sync::LazyLock;

pub static DUCKDB: LazyLock<Dialect> =
    LazyLock::new(|| built_in("duckdb", include_str!("../../../../dialects/duckdb.toml")));
