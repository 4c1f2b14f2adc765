//! The SQL of MySQL and MariaDB, which is said in files.

use crate::sql_dialect::built_in;
use qualm_core::dialect::sql::Dialect;
use std::sync::LazyLock;

pub static MYSQL: LazyLock<Dialect> =
    LazyLock::new(|| built_in("mysql", include_str!("../../../../dialects/mysql.toml")));

/// The same language in releases that have no `utf8mb4_0900_bin`.
pub static MYSQL_BEFORE_8: LazyLock<Dialect> =
    LazyLock::new(|| built_in("mysql-before-8", include_str!("../../../../dialects/mysql-before-8.toml")));

pub static MARIADB: LazyLock<Dialect> =
    LazyLock::new(|| built_in("mariadb", include_str!("../../../../dialects/mariadb.toml")));
