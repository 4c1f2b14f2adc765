//! ClickHouse's SQL, which is said in files.

use crate::sql_dialect::built_in;
use qualm_core::dialect::sql::Dialect;
use std::sync::LazyLock;

pub static CLICKHOUSE: LazyLock<Dialect> =
    LazyLock::new(|| built_in("clickhouse", include_str!("../../../../dialects/clickhouse.toml")));

/// Releases of 2018 and 2019.
pub static CLICKHOUSE_2018: LazyLock<Dialect> =
    LazyLock::new(|| built_in("clickhouse-2018", include_str!("../../../../dialects/clickhouse-2018.toml")));

/// The dialect of a release by its number.
pub fn of_release(version: &str) -> &'static Dialect {
    let major = super::release_order(version).first().copied().unwrap_or(u64::MAX);
    if major < 20 { &CLICKHOUSE_2018 } else { &CLICKHOUSE }
}
