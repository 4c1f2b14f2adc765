use super::*;
use crate::sql::parse::{What, script};
use crate::sql::{print, typing};
use qualm_engines::sqlite::dialect::SQLITE;

const TABLES: &str = "CREATE TABLE t(k INTEGER PRIMARY KEY, a, b TEXT COLLATE NOCASE, n INT);
INSERT INTO t VALUES (1, 'x', 'a', 5000000000);
CREATE VIEW v AS SELECT t.a FROM t LIMIT 2;
";

/// What a query is refused for, and what it rests on when the data are asked.
fn asked(query: &str, asking: Asking) -> (Option<&'static str>, Result<Vec<String>, &'static str>) {
    let (mut schema, mut found) = (Schema::default(), None);
    for parsed in script(&format!("{TABLES}{query}"), &SQLITE) {
        match parsed.what {
            What::Statement(s) => schema.apply(&s, &SQLITE).unwrap(),
            What::Query(q) => found = Some(q),
            What::Unread(why) => panic!("{why}"),
        }
    }
    let q = found.unwrap();
    let refused = typing::query(&q, &schema, &SQLITE).err().map(|why| why.0);
    let facts = Facts::asked(asking);
    let typed = typing::query(&q, &schema.asking(facts.clone()), &SQLITE);
    let text = |fact: Fact| print::query(&fact.query, &SQLITE);
    (refused, typed.map(|_| facts.taken().into_iter().map(text).collect()).map_err(|why| why.0))
}

fn rows(query: &str) -> Vec<String> {
    let (refused, facts) = asked(query, Asking::Rows);
    let facts = facts.unwrap_or_else(|why| panic!("{query}: {why}"));
    assert!(facts.is_empty() || refused.is_some(), "facts are asked only where nothing is proved: {query}");
    facts
}

#[test]
fn what_is_proved_rests_on_nothing() {
    for query in [
        "SELECT k FROM t ORDER BY k LIMIT 1",
        "SELECT b, count(*) FROM t GROUP BY b",
        "SELECT k, (SELECT max(k) FROM t) FROM t",
        // The key of the table is among the keys of the groups.
        "SELECT k, a FROM t GROUP BY k",
        "SELECT a FROM t LIMIT 0",
    ] {
        assert!(rows(query).is_empty(), "{query}");
    }
}

#[test]
fn limits_without_a_total_order() {
    let facts = rows("SELECT t.a FROM t LIMIT 3");
    assert_eq!(facts.len(), 1);
    assert!(
        facts[0].starts_with("SELECT CASE WHEN ((SELECT count(*) FROM (SELECT t.a AS c0 FROM t) AS fact_groups) <= 3")
    );
    let facts = rows("SELECT t.a FROM t ORDER BY t.n LIMIT 3 OFFSET 7");
    assert!(facts[0].contains("<= 7") && facts[0].contains("t.n AS k0") && facts[0].contains("GROUP BY fact_rows.k0"));
    // Inside WITH, the guard has the table too.
    let facts = rows("WITH c AS (SELECT t.a FROM t) SELECT x.a FROM (SELECT c.a FROM c LIMIT 1) AS x");
    assert!(facts[0].starts_with("WITH c AS"), "{facts:?}");
    // A view brings its own.
    assert_eq!(rows("SELECT v.a FROM v").len(), 1);
}

#[test]
fn groups_subqueries_windows_and_sums() {
    has("SELECT t.n, t.a FROM t GROUP BY t.n", "GROUP BY fact_rows.k0 HAVING");
    // Where SQLite takes the row of the greatest value, rows that have it must agree.
    has("SELECT t.a, max(t.n) FROM t GROUP BY t.b", "GROUP BY fact_rows.k0");
    // Of no rows at all the engine may show anything.
    let facts = rows("SELECT t.a, max(t.n) FROM t");
    assert!(
        facts[0].starts_with("SELECT CASE WHEN (count(*) = 0) THEN 1 ELSE 0 END FROM (SELECT t.n AS k0"),
        "{facts:?}"
    );
    assert!(facts[1].contains("GROUP BY fact_rows.k0"), "{facts:?}");
    assert!(asked("SELECT t.a, sum(t.k) FROM t", Asking::Rows).1.is_err());
    has("SELECT (SELECT t.a FROM t WHERE t.n = 1)", "<= 1");
    let facts = rows("SELECT t.k FROM t WHERE t.a = (SELECT u.a FROM t AS u WHERE u.n = t.n)");
    assert!(facts[0].starts_with("SELECT count(*) FROM t WHERE CASE WHEN ((SELECT count(*)"), "{facts:?}");
    has("SELECT sum(t.n) FROM t", "BETWEEN (-2147483648) AND 2147483648");
    has("SELECT row_number() OVER (ORDER BY t.a) FROM t", "count(*) > 1");
    assert!(!rows("SELECT (t.k, t.n) = (SELECT u.k, u.n FROM t AS u) FROM t").is_empty());
}

#[test]
fn equal_values_that_may_differ() {
    let query = "SELECT d.b || 'x' FROM (SELECT DISTINCT t.b FROM t) AS d";
    assert!(asked(query, Asking::Rows).1.is_err());
    let facts = asked(query, Asking::Representatives).1.unwrap();
    assert!(facts[0].contains("GROUP BY fact_rows.k0"), "{facts:?}");
    // What is only shown needs no fact.
    assert!(asked("SELECT DISTINCT t.b FROM t", Asking::Rows).1.unwrap().is_empty());
}

#[test]
fn nothing_is_asked_about_rows_that_are_not_there_to_ask() {
    for query in [
        // A limit for each row around it.
        "SELECT t.k FROM t WHERE EXISTS (SELECT u.a FROM t AS u WHERE u.a = t.a LIMIT 1 OFFSET 1)",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r WHERE r.n < (SELECT r.n FROM r)) \
         SELECT r.n FROM r",
    ] {
        assert!(asked(query, Asking::Rows).1.is_err(), "{query}");
    }
}

fn has(query: &str, part: &str) {
    let facts = rows(query);
    assert!(facts.first().is_some_and(|f| f.contains(part)), "{query}: {facts:?}");
}

#[test]
fn json_is_nested_only_where_it_is_made() {
    let tables = "CREATE TABLE j(k INT, v AS (json_array(k)) VIRTUAL, s AS (json_array(k)) STORED);\n";
    let refused = |query: &str| asked(&format!("{tables}{query}"), Asking::Rows).0;
    for query in [
        "SELECT json_object('a', v) FROM j",
        "SELECT json_array(coalesce(v, 1)) FROM j",
        "SELECT json_array(x.c) FROM (SELECT json_array(k) AS c FROM j) AS x",
        "SELECT json_array((SELECT json_array(1))) FROM j",
    ] {
        assert!(refused(query).is_some_and(|why| why.starts_with("JSON that came")), "{query}");
    }
    for query in [
        "SELECT json_object('a', json_array(k)) FROM j",
        "SELECT json_array(s), v FROM j",
        "SELECT json_array(x.c) FROM (SELECT k AS c FROM j) AS x",
        "SELECT json_array(CASE WHEN k THEN json_array(k) ELSE 1 END) FROM j",
    ] {
        assert_eq!(refused(query), None, "{query}");
    }
}
