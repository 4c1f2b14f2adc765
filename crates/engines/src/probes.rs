//! Features of SQL that several engines are tried for with the same statements: rows of the lists of their dialects.

use qualm_core::dialect::sql::Feature;

/// A feature, and the statements that an engine must take to have it.
pub type Probe = (Feature, &'static [&'static str]);

pub const MODULO: Probe = (Feature::Modulo, &["SELECT 5 % 3"]);
pub const INTERSECT_EXCEPT: Probe = (Feature::IntersectExcept, &["SELECT 1 INTERSECT SELECT 1 EXCEPT SELECT 2"]);
pub const CTE: Probe = (Feature::Cte, &["WITH w(a) AS (SELECT 1) SELECT a FROM w"]);
pub const VIEW: Probe = (Feature::View, &["CREATE VIEW p AS SELECT 1 AS a"]);
pub const ROW_VALUE: Probe = (Feature::RowValue, &["SELECT (1, 2) < (1, 3)", "SELECT (1, 2) IN (SELECT 1, 2)"]);
pub const LIKE_ESCAPE: Probe = (Feature::LikeEscape, &["SELECT 'a' LIKE 'a!%' ESCAPE '!'"]);
pub const IS_DISTINCT_FROM: Probe = (Feature::IsDistinctFrom, &["SELECT 1 IS DISTINCT FROM 2"]);
pub const MATERIALIZED_HINT: Probe =
    (Feature::MaterializedHint, &["WITH w(a) AS NOT MATERIALIZED (SELECT 1) SELECT a FROM w"]);
pub const RECURSIVE_CTE: Probe = (
    Feature::RecursiveCte,
    &["WITH RECURSIVE w(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM w WHERE a < 3) SELECT a FROM w"],
);
