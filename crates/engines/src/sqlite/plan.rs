//! EXPLAIN QUERY PLAN, in the words of every SQLite release, read as a plan whose shape can be compared.

use qualm_core::plan::{Plan, PlanNode};
use qualm_core::value::{Rows, Value};

/// From this release on the rows are (id, parent, notused, detail); before, (selectid, order, from, detail).
const TREE_SINCE: i32 = 3_024_000;

/// The answer to EXPLAIN QUERY PLAN as a plan. In the old shape the steps of all subqueries stand one level down: the
/// rows do not say more.
pub fn read(rows: &Rows, version_number: i32) -> Option<Plan> {
    if rows.columns < 4 {
        return None;
    }
    let is_tree = version_number >= TREE_SINCE;
    let mut depths: Vec<(i64, u16)> = Vec::with_capacity(rows.len());
    let mut nodes = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        let (Value::Int(id), Value::Int(parent), Value::Text(detail)) = (&row[0], &row[1], &row[3]) else {
            return None;
        };
        let depth = if is_tree {
            let above = depths.iter().rev().find(|(known, _)| known == parent);
            above.map_or(0, |(_, depth)| depth.saturating_add(1))
        } else {
            u16::from(*id != 0)
        };
        depths.push((*id, depth));
        let (relation, index) = names(detail);
        nodes.push(PlanNode { depth, operator: operator(detail), relation, index });
    }
    Some(Plan { nodes })
}

/// A step without what changes from case to case: digits (t0 and t12 are `t`), estimates, addresses; and without the
/// word TABLE, which releases before 3.36 put in front of names.
pub fn operator(detail: &str) -> String {
    let detail = detail.split(" (~").next().unwrap_or(detail);
    let mut words = String::with_capacity(detail.len());
    let mut previous = "";
    for word in detail.split(' ') {
        if word == "TABLE" && matches!(previous, "SCAN" | "SEARCH") {
            continue;
        }
        previous = word;
        let start = words.len();
        if start > 0 {
            words.push(' ');
        }
        let named = words.len();
        if !word.starts_with("0x") {
            words.extend(word.chars().filter(|c| !c.is_ascii_digit()));
        }
        if words.len() == named {
            words.truncate(start);
        }
    }
    words
}

/// The table a step reads, and the index it reads it by: `SEARCH [TABLE] t AS x USING COVERING INDEX i (a=?)`.
fn names(detail: &str) -> (Option<String>, Option<String>) {
    let mut words = detail.split(' ').peekable();
    if !matches!(words.next(), Some("SCAN" | "SEARCH")) {
        return (None, None);
    }
    let mut relation = words.find(|w| *w != "TABLE" && *w != "SUBQUERY").map(str::to_string);
    if words.peek() == Some(&"AS") {
        words.next();
        let alias = words.next().unwrap_or_default();
        relation = relation.map(|name| format!("{name} AS {alias}"));
    }
    let index = words.skip_while(|w| *w != "INDEX").nth(1).filter(|w| !w.starts_with('(')).map(str::to_string);
    (relation, index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_all_releases_read_alike() {
        let cases = [
            ("SEARCH TABLE t0 USING INDEX i12 (c3=? AND c0>?)", "SEARCH t USING INDEX i (c=? AND c>?)"),
            ("SEARCH t1 USING INDEX i5 (c3=? AND c0>?)", "SEARCH t USING INDEX i (c=? AND c>?)"),
            ("SCAN TABLE t0 (~1000000 rows)", "SCAN t"),
            ("SCAN t0", "SCAN t"),
            ("SCAN SUBQUERY 1", "SCAN SUBQUERY"),
            ("SCAN SUBQUERY 0x55d1e0 AS v0", "SCAN SUBQUERY AS v"),
            ("EXECUTE CORRELATED SCALAR SUBQUERY 2", "EXECUTE CORRELATED SCALAR SUBQUERY"),
            ("SCAN 3 CONSTANT ROWS", "SCAN CONSTANT ROWS"),
            ("USE TEMP B-TREE FOR ORDER BY", "USE TEMP B-TREE FOR ORDER BY"),
            (
                "SEARCH t0 USING AUTOMATIC COVERING INDEX (c0=?) LEFT-JOIN",
                "SEARCH t USING AUTOMATIC COVERING INDEX (c=?) LEFT-JOIN",
            ),
        ];
        for (detail, expected) in cases {
            assert_eq!(operator(detail), expected);
        }
    }

    #[test]
    fn a_step_names_its_table_with_the_alias() {
        let names = |detail: &str| names(detail);
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(names("SCAN TABLE t0 AS a1"), (some("t0 AS a1"), None));
        assert_eq!(names("SEARCH t0 AS a1 USING INDEX i2 (c0=?)"), (some("t0 AS a1"), some("i2")));
        assert_eq!(names("SCAN t0"), (some("t0"), None));
    }

    #[test]
    fn depth_comes_from_the_parent() {
        let row =
            |id, parent, text: &str| vec![Value::Int(id), Value::Int(parent), Value::Int(0), Value::Text(text.into())];
        let rows = Rows::of(vec![
            row(2, 0, "MULTI-INDEX OR"),
            row(3, 2, "INDEX 1"),
            row(7, 3, "SCAN t0"),
            row(9, 0, "SCAN t1"),
        ]);
        let depths = |version| read(&rows, version).unwrap().nodes.iter().map(|n| n.depth).collect::<Vec<_>>();
        assert_eq!(depths(3_028_000), [0, 1, 2, 0]);
        assert_eq!(depths(3_008_000), [1, 1, 1, 1]);
    }
}
