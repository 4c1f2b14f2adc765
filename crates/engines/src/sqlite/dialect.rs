//! SQLite's SQL, which is said in a file.

use crate::sql_dialect::built_in;
use qualm_core::dialect::sql::Dialect;
use std::sync::LazyLock;

pub static SQLITE: LazyLock<Dialect> =
    LazyLock::new(|| built_in("sqlite", include_str!("../../../../dialects/sqlite.toml")));
