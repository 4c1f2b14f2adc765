//! PostgreSQL's SQL, which is said in a file.

use crate::sql_dialect::built_in;
use qualm_core::dialect::sql::Dialect;
use std::sync::LazyLock;

pub static POSTGRES: LazyLock<Dialect> =
    LazyLock::new(|| built_in("postgres", include_str!("../../../../dialects/postgres.toml")));
