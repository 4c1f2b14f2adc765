use super::*;
use crate::sql::print;
use qualm_core::dialect::sql::{Affinity, Kind};
use qualm_engines::clickhouse::dialect::CLICKHOUSE;
use qualm_engines::duckdb::dialect::DUCKDB;
use qualm_engines::mysql::dialect::MYSQL;
use qualm_engines::postgres::dialect::POSTGRES;
use qualm_engines::sqlite::dialect::SQLITE;

const TABLES: &str = "CREATE TABLE T(x TEXT, y INT, \"order\" REAL, z);
CREATE TABLE u(y INTEGER PRIMARY KEY, w VARCHAR(10) COLLATE NOCASE, x);
";

/// A query as our printer writes it after reading; or why it was not read.
fn reread(query: &str) -> String {
    match script(&format!("{TABLES}{query}"), &SQLITE).pop().unwrap().what {
        What::Query(q) => print::query(&q, &SQLITE),
        What::Statement(s) => print::statement(&s, &SQLITE),
        What::Unread(why) => format!("unread: {why}"),
    }
}

#[test]
fn names_are_filled_in_and_spelled_as_in_the_schema() {
    for (query, read) in [
        ("select Z, w from t, U", "SELECT T.z, u.w FROM T, u"),
        ("select * from t", "SELECT * FROM T"),
        ("select a.*, 1 from t a", "SELECT a.x, a.y, a.\"order\", a.z, 1 FROM T AS a"),
        ("select * from t join u using (Y)", "SELECT T.x, T.y, T.\"order\", T.z, u.w, u.x FROM T JOIN u USING (y)"),
        ("select y from t natural join u", "SELECT T.y FROM T NATURAL JOIN u"),
        (
            "select x from t where y in (select y from u where w = z)",
            "SELECT T.x FROM T WHERE T.y IN (SELECT u.y FROM u WHERE u.w = T.z)",
        ),
        (
            "select x k, count(*) from t group by k order by 2",
            "SELECT T.x AS k, count(*) FROM T GROUP BY T.x ORDER BY count(*)",
        ),
        ("select x as k from t order by K desc", "SELECT T.x AS k FROM T ORDER BY k DESC"),
        ("select x from t union select w from u order by 1", "SELECT T.x FROM T UNION SELECT u.w FROM u ORDER BY 1"),
        ("with c(a) as (select y from t) select a from c", "WITH c(a) AS (SELECT T.y FROM T) SELECT c.a FROM c"),
        (
            "with r as (select 1 as n union all select n + 1 from r where n < 3) select n from r",
            "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r WHERE r.n < 3) SELECT r.n FROM r",
        ),
        ("select v.q from (select y as q from t) v", "SELECT v.q FROM (SELECT T.y AS q FROM T) AS v"),
        ("select * from u group by w, x, y", "SELECT u.y, u.w, u.x FROM u GROUP BY u.w, u.x, u.y"),
        ("select oid from t", "SELECT T.rowid FROM T"),
        // What SQLite calls a column without a name is its own affair.
        (
            "select v.*, 1 from (select y + 1 from t) v",
            "unread: '*' stands for columns without a name; add AS to their expressions",
        ),
        ("select y + 1 from t union select 2 order by 1", "SELECT T.y + 1 AS c1 FROM T UNION SELECT 2 ORDER BY 1"),
        ("select 'é', [order] from t", "SELECT 'é', T.\"order\" FROM T"),
    ] {
        assert_eq!(reread(query), read);
    }
}

#[test]
fn operators_bind_as_in_sqlite() {
    for (query, read) in [
        ("select 1 < 2 = 3", "SELECT (1 < 2) = 3"),
        ("select 1 = 2 < 3", "SELECT 1 = (2 < 3)"),
        ("select - 1 || 2 * 3", "SELECT ((- 1) || 2) * 3"),
        ("select not 1 = 2 and 3", "SELECT (NOT (1 = 2)) AND 3"),
        ("select 1 is not 2 or 'a' not glob 'b'", "SELECT (1 IS NOT 2) OR ('a' NOT GLOB 'b')"),
        ("select 1 between 2 and 3 and 4", "SELECT (1 BETWEEN 2 AND 3) AND 4"),
        ("select 1 & 2 + 3 << 4", "SELECT (1 & (2 + 3)) << 4"),
        ("select 'a' like 'b' escape '\\' = 1", "SELECT ('a' LIKE 'b' ESCAPE '\\') = 1"),
        ("select x isnull, y notnull from t", "SELECT T.x IS NULL, T.y IS NOT NULL FROM T"),
        ("select 'a' || 'b' collate nocase = 'AB'", "SELECT ('a' || ('b' COLLATE nocase)) = 'AB'"),
        ("select 0x10, x'0aFF', 1e3, .5, 9223372036854775808", "SELECT 16, x'0AFF', 1000.0, 0.5, 9.223372036854776e18"),
        ("select x -> '$.a' ->> 'b' from t", "SELECT (T.x -> '$.a') ->> 'b' FROM T"),
        (
            "select x from t union select w from u intersect select z from t",
            "SELECT T.x FROM T UNION SELECT u.w FROM u INTERSECT SELECT T.z FROM T",
        ),
        (
            "select substr(x, 1), trim(x), date('now'), like('a', x) from t",
            "SELECT substr(T.x, 1), trim(T.x), date('now'), like('a', T.x) FROM T",
        ),
        ("select y in u from t", "SELECT T.y IN (SELECT * FROM u) FROM T"),
        (
            "select count(distinct x) filter (where y), max(x), max(x, y) from t",
            "SELECT count(DISTINCT T.x) FILTER (WHERE T.y), max(T.x), max(T.x, T.y) FROM T",
        ),
        (
            "select sum(y) over (partition by x rows 1 preceding exclude ties) from t not indexed",
            "SELECT sum(T.y) OVER (PARTITION BY T.x  ROWS 1 PRECEDING EXCLUDE TIES) FROM T NOT INDEXED",
        ),
        ("select x from t limit 3, 4", "SELECT T.x FROM T LIMIT 4 OFFSET 3"),
        ("select x from t limit 4 offset 0", "SELECT T.x FROM T LIMIT 4 OFFSET 0"),
        ("select x from t limit -1 offset 0", "SELECT T.x FROM T"),
    ] {
        assert_eq!(reread(query), read);
    }
}

#[test]
fn what_is_not_read_says_why_and_loses_nothing_else() {
    let text = "-- first\nCREATE TABLE a(x);\nCREATE TRIGGER g AFTER INSERT ON a BEGIN SELECT 1; END;\n\
        INSERT INTO a TABLE b;\n\nSELECT nothing FROM a; SELECT x FROM a WHERE ;\n.mode box\n\
        SELECT ';' /* ; */ FROM a -- ;";
    let parsed = script(text, &SQLITE);
    let lines: Vec<usize> = parsed.iter().map(|p| p.line).collect();
    assert_eq!(lines, [2, 3, 4, 6, 6, 7, 8]);
    let why = |i: usize| match &parsed[i].what {
        What::Unread(why) => why.as_str(),
        other => panic!("{other:?}"),
    };
    assert_eq!(why(2), "INSERT without VALUES is not read");
    assert_eq!(why(3), "no column 'nothing'");
    assert!(why(4).contains("xpected"), "{}", why(4));
    assert_eq!(parsed[1].text, "CREATE TRIGGER g AFTER INSERT ON a BEGIN SELECT 1; END");
    assert!(matches!(parsed[6].what, What::Query(_)));
}

#[test]
fn changes_that_tie_tables_together_are_read_and_written_alike() {
    let setup = "CREATE TABLE p(a INT PRIMARY KEY, b TEXT); CREATE VIEW v AS SELECT p.b FROM p;
        CREATE TABLE q(c INT, d TEXT, FOREIGN KEY(c) REFERENCES p(a) ON DELETE CASCADE ON UPDATE SET NULL \
        DEFERRABLE INITIALLY DEFERRED);";
    let texts = [
        "CREATE TABLE n(a INTEGER PRIMARY KEY AUTOINCREMENT)",
        "INSERT INTO q(c, d) SELECT p.a, 'x' FROM p WHERE p.a > 1",
        "INSERT INTO p(a, b) VALUES (1, 'x') ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE p.a > 0 RETURNING *",
        "INSERT INTO p VALUES (1, 'x') ON CONFLICT DO NOTHING",
        "CREATE TRIGGER r BEFORE UPDATE OF b ON p WHEN NEW.a > OLD.a BEGIN \
         INSERT INTO q(c, d) VALUES (NEW.a, OLD.b); DELETE FROM q WHERE c = 1; END",
        "CREATE TRIGGER s INSTEAD OF INSERT ON v BEGIN UPDATE q SET d = NEW.b WHERE c IS NULL; END",
        "BEGIN",
        "SAVEPOINT s",
        "ROLLBACK TO SAVEPOINT s",
        "RELEASE SAVEPOINT s",
        "COMMIT",
        "ROLLBACK",
    ];
    let parsed = script(&format!("{setup}{};", texts.join(";\n")), &SQLITE);
    assert_eq!(parsed.len(), 3 + texts.len());
    let written: Vec<String> = parsed[3..]
        .iter()
        .map(|p| match &p.what {
            What::Statement(s) => print::statement(s, &SQLITE),
            other => panic!("{}: {other:?}", p.text),
        })
        .collect();
    assert_eq!(written, texts);
    let What::Statement(s) = &parsed[2].what else { panic!("{:?}", parsed[2].what) };
    assert!(print::statement(s, &SQLITE).contains("ON UPDATE SET NULL DEFERRABLE INITIALLY DEFERRED"));
}

/// The name of a changed table before its columns stays as it is written, until names are settled in a script.
#[test]
fn columns_of_a_changed_table_go_without_it() {
    let kept = "UPDATE t SET a = t.b WHERE t.a > 1";
    let What::Statement(s) = one(kept, &SQLITE) else { panic!("{kept} is not read") };
    assert_eq!(print::statement(&s, &SQLITE), kept);
    let setup = "CREATE TABLE t(a INT, b INT); CREATE TABLE u(a INT);";
    for (text, settled) in [
        (kept, Ok("UPDATE t SET a = b WHERE a > 1")),
        ("DELETE FROM t WHERE T.a = 1", Ok("DELETE FROM t WHERE a = 1")),
        ("DELETE FROM t AS x WHERE x.a = b", Ok("DELETE FROM t WHERE a = b")),
        ("DELETE FROM t WHERE t.a = 1; ALTER TABLE t RENAME TO s", Ok("DELETE FROM s WHERE a = 1")),
        ("UPDATE t AS x SET a = t.b", Err("the name 't' of a table that goes by another is not read")),
        ("DELETE FROM t WHERE u.a = 1", Err("no column 'u.a'")),
    ] {
        let parsed = script(&format!("{setup}{text}"), &SQLITE);
        let read = match &parsed[2].what {
            What::Statement(s) => Ok(print::statement(s, &SQLITE)),
            What::Unread(why) => Err(why.as_str()),
            What::Query(q) => panic!("{q:?}"),
        };
        assert_eq!(read.as_deref(), settled.as_deref(), "{text}");
    }
}

#[test]
fn definitions_that_are_taken_back_are_not_followed() {
    let parsed =
        script("BEGIN; CREATE TABLE t(a); ROLLBACK; BEGIN; CREATE TABLE u(a); COMMIT; SELECT a FROM u", &SQLITE);
    assert!(matches!(&parsed[2].what, What::Unread(why) if why.contains("taken back")), "{:?}", parsed[2].what);
    assert!(matches!(&parsed[5].what, What::Statement(Statement::Transaction(Transaction::Commit))));
    assert!(matches!(parsed[6].what, What::Query(_)));
}

#[test]
fn types_and_values_of_columns_are_known() {
    let text = "CREATE TABLE t(a BIGINT, b NVARCHAR(5, 2), c, d DOUBLE PRECISION, e DECIMAL(10), f BLOB, g, h ANY);
        INSERT INTO t VALUES (1, 'x', 1, 0.5, 70000, 1, 1, 1), (2, 'y', 1.0, 2, 1, 'a', NULL, 2);";
    let Some(Parsed { what: What::Statement(Statement::CreateTable(t)), .. }) =
        script(text, &SQLITE).into_iter().next()
    else {
        panic!("no table")
    };
    let known: Vec<_> = t.columns.iter().map(|c| (c.kind, c.affinity, c.exact, c.summable)).collect();
    assert_eq!(
        known,
        [
            (Kind::Int, Affinity::Integer, true, true),
            (Kind::Text, Affinity::Text, true, false),
            (Kind::Any, Affinity::Blob, false, false),
            (Kind::Real, Affinity::Real, true, true),
            (Kind::Real, Affinity::Numeric, true, false),
            (Kind::Blob, Affinity::Blob, true, false),
            (Kind::Any, Affinity::Blob, true, false),
            (Kind::Real, Affinity::Numeric, true, true),
        ]
    );
    assert_eq!(t.columns[1].type_name, "NVARCHAR(5, 2)");
}

#[test]
fn statements_of_all_kinds_are_read() {
    for text in [
        "CREATE TABLE a(i INTEGER PRIMARY KEY, j TEXT UNIQUE NOT NULL DEFAULT 'x' COLLATE NOCASE, \
         k AS (i + 1) STORED, CHECK (i > 0))",
        "CREATE TABLE a(i INT, j INT, PRIMARY KEY (i, j), UNIQUE (j)) WITHOUT ROWID, STRICT",
        "CREATE UNIQUE INDEX i ON T(x COLLATE NOCASE DESC, (y + 1)) WHERE z IS NOT NULL",
        "CREATE VIEW v(a) AS SELECT T.x FROM T",
        "INSERT OR IGNORE INTO T(x, y) VALUES ('a', -1), (NULL, 2)",
        "REPLACE INTO u VALUES (1, 'a', x'00')",
        "UPDATE OR REPLACE T SET x = 'a', y = y + 1 WHERE z = 1",
        "DELETE FROM T WHERE x LIKE 'a%'",
        "ALTER TABLE T ADD COLUMN n INT DEFAULT (-1)",
        "ALTER TABLE T RENAME COLUMN x TO xx",
        "ALTER TABLE T DROP COLUMN z",
        "PRAGMA automatic_index = 0",
        "ANALYZE T",
        "VACUUM",
        "INSERT INTO sqlite_stat1 VALUES('T', 'i', '10 1')",
        "INSERT INTO T(rowid, x) VALUES (4, 'a')",
    ] {
        assert_eq!(reread(text), text);
    }
}

/// People write more than the printer does; each dialect is read as its engine reads it, or not at all.
#[test]
fn dialects_are_read_as_their_engines_read_them() {
    use qualm_engines::clickhouse::dialect::CLICKHOUSE;
    use qualm_engines::duckdb::dialect::DUCKDB;
    let read = |text: &str, dialect: &'static Dialect| match one(text, dialect) {
        What::Query(q) => print::query(&q, dialect),
        What::Statement(s) => print::statement(&s, dialect),
        What::Unread(why) => format!("unread: {why}"),
    };
    let comma = "unread: a comma before a join of what follows it is not read";
    for (text, again) in [
        ("select '1'::double, '-inf'::DOUBLE, unhex('0aff')", "SELECT '1.0'::DOUBLE, '-inf'::DOUBLE, unhex('0AFF')"),
        ("select '1'::integer", "unread: the expression ''1'::INTEGER' is not read"),
        ("select 1 from a, b left join c on b.x = c.x", "SELECT 1 FROM a CROSS JOIN b LEFT JOIN c ON b.x = c.x"),
        ("select 1 from a, b right join c on b.x = c.x", comma),
        ("select 1 from a, b join c using (x)", comma),
        ("select UPPER(x), Foo(x) from t", "SELECT upper(x), foo(x) FROM t"),
        ("checkpoint", "checkpoint"),
        ("set threads = 1", "unread: this kind of statement is not read"),
    ] {
        assert_eq!(read(text, &DUCKDB), again);
    }
    for (text, again) in [
        ("select 'it\\'s \\\\', tostring(x), toDate(y) from t", "SELECT 'it''s \\\\', toString(x), toDate(y) FROM t"),
        ("alter table t delete where x <=> 1", "ALTER TABLE t DELETE WHERE x <=> 1"),
        (
            "select lag(toNullable(a), 2) over (order by a), first_value(b) over (order by a) from t",
            "SELECT lag(toNullable(a), 2) OVER (ORDER BY a), first_value(toNullable(b)) OVER (ORDER BY a) FROM t",
        ),
        (
            "select toInt64(count(*)), count(a) + 1, rank() over (order by a), toInt64(a) from t",
            "SELECT toInt64(count(*)), toInt64(count(a)) + 1, toInt64(rank() OVER (ORDER BY a)), toInt64(a) FROM t",
        ),
        ("optimize table t final", "unread: this kind of statement is not read"),
        ("OPTIMIZE TABLE t FINAL", "OPTIMIZE TABLE t FINAL"),
        ("OPTIMIZE TABLE t, u FINAL", "unread: this kind of statement is not read"),
        ("CREATE TABLE t(a Int64) ENGINE = Log", "unread: 'ENGINE' is not expected here"),
    ] {
        assert_eq!(read(text, &CLICKHOUSE), again);
    }
    let Some(Parsed { what: What::Statement(Statement::CreateTable(t)), .. }) =
        script("CREATE TABLE t(a Nullable(Int64), b Float64) ENGINE = Memory", &CLICKHOUSE).pop()
    else {
        panic!("no table")
    };
    let known: Vec<_> = t.columns.iter().map(|c| (c.type_name.as_str(), c.kind, c.not_null, c.exact)).collect();
    assert_eq!(known, [("Int64", Kind::Int, false, true), ("Float64", Kind::Real, true, true)]);
    assert_eq!(t.variant, Some((2, "a".into())));
}

#[test]
fn joins_that_merge_columns_and_may_lack_the_first() {
    for (query, read) in [
        ("select w from t natural right join u", "SELECT u.w FROM T NATURAL RIGHT JOIN u"),
        ("select w from t natural full outer join u", "SELECT u.w FROM T NATURAL FULL JOIN u"),
        // The column that both have is neither's own.
        ("select y, t.y from t full join u using (y)", "SELECT y, T.y FROM T FULL JOIN u USING (y)"),
        ("select * from t natural right join u", "SELECT x, y, T.\"order\", T.z, u.w FROM T NATURAL RIGHT JOIN u"),
        ("select y from t left join u using (y)", "SELECT T.y FROM T LEFT JOIN u USING (y)"),
    ] {
        assert_eq!(reread(query), read);
    }
}

#[test]
fn keys_with_collations_and_directions() {
    for (statement, read) in [
        (
            "create table k(a text, b, primary key(a collate nocase desc, b), unique(b asc), unique(b desc, a))",
            "CREATE TABLE k(a text, b, PRIMARY KEY (a COLLATE nocase DESC, b), UNIQUE (b), UNIQUE (b DESC, a))",
        ),
        ("create table k(a int primary key desc, b)", "CREATE TABLE k(a int, b, PRIMARY KEY (a DESC))"),
        // Written behind the columns it would be the number of the row; here it is a key like any other.
        ("create table k(a integer primary key desc)", "CREATE TABLE k(a integer UNIQUE)"),
    ] {
        assert_eq!(reread(statement), read);
    }
}

#[test]
fn windows_by_name_are_written_out() {
    for (query, read) in [
        (
            "select count(*) over w, sum(y) over (w order by x) from t window w as (partition by z)",
            "SELECT count(*) OVER (PARTITION BY T.z ), sum(T.y) OVER (PARTITION BY T.z ORDER BY T.x) FROM T",
        ),
        (
            "select max(y) over b from t window a as (partition by z), b as (a order by x range unbounded preceding)",
            "SELECT max(T.y) OVER (PARTITION BY T.z ORDER BY T.x RANGE UNBOUNDED PRECEDING) FROM T",
        ),
        ("select max(y) over v from t window w as ()", "unread: the window 'v', which nobody defines, is not read"),
        (
            "select y from t window w as () order by max(y) over w",
            "unread: an order by a window that goes by a name is not read",
        ),
    ] {
        assert_eq!(reread(query), read);
    }
}

#[test]
fn collations_behind_truth_tests() {
    for (query, read) in [
        ("select y is true collate nocase from t", "SELECT (T.y IS TRUE) COLLATE nocase FROM T"),
        (
            "select 1 from t where y notnull collate rtrim = 1",
            "SELECT 1 FROM T WHERE T.y IS NOT NULL COLLATE rtrim = 1",
        ),
    ] {
        let again = reread(query);
        assert!(!again.starts_with("unread"), "{again}");
        assert_eq!(reread(&again), again, "{read}");
    }
}

#[test]
fn virtual_tables_whose_columns_are_known() {
    let text = "create virtual table r using rtree(id, x0, x1);
        create virtual table f using FTS4(a, b TEXT, tokenize=porter);
        select f.a, r.x0 from f, r where r.id = 1;
        create virtual table c using csv(filename='x')";
    let read = script(text, &SQLITE);
    let printed = |what: &What| match what {
        What::Query(q) => print::query(q, &SQLITE),
        What::Statement(s) => print::statement(s, &SQLITE),
        What::Unread(why) => format!("unread: {why}"),
    };
    let printed: Vec<String> = read.iter().map(|p| printed(&p.what)).collect();
    assert_eq!(
        printed,
        [
            "CREATE VIRTUAL TABLE r USING rtree(id, x0, x1)",
            "CREATE VIRTUAL TABLE f USING fts4(a, b TEXT, tokenize=porter)",
            "SELECT f.a, r.x0 FROM f, r WHERE r.id = 1",
            "unread: a virtual table of 'csv' is not read",
        ]
    );
}

#[test]
fn joins_in_parentheses_are_queries_over_them() {
    for (query, read) in [
        (
            "select t.x, u.x, w from t left join (u join u as b on u.y = b.y) on t.y = u.y and b.w > 1",
            "unread: the column 'w' is in several tables; write which one is meant",
        ),
        (
            "select z, b.w, u.x from t left join (u join u as b on u.y = b.y) on t.y = u.y and b.w > 1",
            "SELECT T.z, u_b.b_w, u_b.x FROM T LEFT JOIN (SELECT u.y, u.w, u.x, b.y AS b_y, b.w AS b_w, b.x AS b_x \
             FROM u JOIN u AS b ON u.y = b.y) AS u_b ON (T.y = u_b.y) AND (u_b.b_w > 1)",
        ),
        (
            "select b.*, 1 from t right join (u as b cross join t as c) on c.x = t.x",
            "SELECT b_c.y, b_c.w, b_c.x, 1 FROM T RIGHT JOIN (SELECT b.y, b.w, b.x, c.x AS c_x, c.y AS c_y, \
             c.\"order\", c.z FROM u AS b CROSS JOIN T AS c) AS b_c ON b_c.c_x = T.x",
        ),
        ("select w from t, (u)", "SELECT u.w FROM T, u"),
        (
            "select 1 from t left join (u natural join t as c) on 1",
            "unread: a join in parentheses that merges columns is not read",
        ),
        (
            "select 1 from t join (u join t as c on 1) using (y)",
            "unread: columns that merge with those of a join in parentheses are not read",
        ),
    ] {
        assert_eq!(reread(query), read);
    }
}

#[test]
fn names_in_double_quotes_are_texts_where_there_is_no_such_column() {
    for (text, read) in [
        ("select \"x\", \"nothing\" from t", "SELECT T.x, 'nothing' FROM T"),
        ("select x as \"k\" from t order by \"k\"", "SELECT T.x AS k FROM T ORDER BY k"),
        ("insert into t(x) values (\"x\")", "INSERT INTO T(x) VALUES ('x')"),
        ("delete from t where \"x\" = \"one\"", "DELETE FROM T WHERE x = 'one'"),
        ("create table q(a default \"one\", b default two)", "CREATE TABLE q(a DEFAULT 'one', b DEFAULT 'two')"),
    ] {
        assert_eq!(reread(text), read);
    }
}

#[test]
fn changes_that_look_at_other_rows() {
    for (text, read) in [
        (
            "update t set z = (select w from u where u.y = t.y), x = 1 where exists (select 1 from u where u.x = t.x)",
            "UPDATE T SET z = (SELECT u.w FROM u WHERE u.y = T.y), x = 1 \
             WHERE EXISTS (SELECT 1 FROM u WHERE u.x = T.x)",
        ),
        (
            "update t set (x, z) = (select w, y from u where u.y = t.y)",
            "UPDATE T SET x = (SELECT u.w FROM u WHERE u.y = T.y), z = (SELECT u.y FROM u WHERE u.y = T.y)",
        ),
        (
            "update t set z = u.w || t.z from u where u.y = t.y",
            "UPDATE T SET z = (SELECT u.w || T.z FROM u WHERE u.y = T.y LIMIT 1) \
             WHERE EXISTS (SELECT 1 FROM u WHERE u.y = T.y)",
        ),
        (
            "insert into u values (1, 'a', 2) on conflict (y collate nocase) where y > 1 do nothing",
            "INSERT INTO u VALUES (1, 'a', 2) ON CONFLICT (y) DO NOTHING",
        ),
        (
            "create trigger r after insert on t begin select 1; delete from u; end",
            "CREATE TRIGGER r AFTER INSERT ON T BEGIN DELETE FROM u; END",
        ),
        (
            "create trigger r before insert on t when new.y < 0 begin select raise(ignore); end",
            "CREATE TRIGGER r BEFORE INSERT ON T WHEN NEW.y < 0 BEGIN DELETE FROM T WHERE 0; END",
        ),
        ("create table t(a)", "unread: a second table 't' is not read"),
    ] {
        assert_eq!(reread(text), read);
    }
}

#[test]
fn a_database_in_memory_is_read_as_the_main_one() {
    let text = "attach ':memory:' as aux; create table aux.a(b); select aux.a.b from aux.a; attach 'f.db' as f";
    let read = script(text, &SQLITE);
    assert!(matches!(&read[0].what, What::Statement(Statement::Maintenance(_))));
    assert!(matches!(&read[2].what, What::Query(q) if print::query(q, &SQLITE) == "SELECT a.b FROM a"));
    assert!(matches!(&read[3].what, What::Unread(_)));
}

#[test]
fn what_is_said_to_a_search_table_itself_changes_no_answer() {
    let text = "create virtual table f using fts4(a); insert into f(f) values('optimize');
        select docid from f where a match 'x'";
    let read = script(text, &SQLITE);
    assert!(matches!(&read[1].what, What::Statement(Statement::Maintenance(t)) if t.contains("'optimize'")));
    assert!(matches!(&read[2].what, What::Query(q) if print::query(q, &SQLITE).starts_with("SELECT f.rowid FROM f")));
}

#[test]
fn functions_over_literals_are_tables_where_the_dialect_lists_them() {
    let (each, series) = (SQLITE.given[0].text, DUCKDB.given[0].text);
    let shown = |text: &str, dialect| match script(text, dialect).remove(0).what {
        What::Query(q) => print::query(&q, dialect),
        What::Statement(_) => panic!("{text} is no query"),
        What::Unread(why) => why,
    };
    let text = format!("select x.value, fullkey from {each} as x");
    assert_eq!(shown(&text, &SQLITE), format!("SELECT x.value, x.fullkey FROM {each} AS x"));
    assert!(shown(&text, &DUCKDB).ends_with("is not read"));
    let read = shown(&format!("select range from {series} r"), &DUCKDB);
    assert_eq!(read, format!("SELECT r.\"range\" FROM {series} AS r"));
    assert!(shown("select 1 from json_each('[8]')", &SQLITE).ends_with("is not read"), "what it holds is not known");
}

#[test]
fn keys_that_are_rolled_up_are_keys() {
    let text = "create table t(a bigint, b bigint); select a, sum(b) from t group by rollup(a) having a > 1";
    let read = script(text, &DUCKDB);
    let What::Query(q) = &read[1].what else { panic!("{:?}", read[1].what) };
    assert_eq!(print::query(q, &DUCKDB), "SELECT t.a, sum(t.b) FROM t GROUP BY rollup(t.a) HAVING t.a > 1");
    let select = q.select().unwrap();
    assert_eq!(select.keys(), [Expr::column("t", "a")]);
    assert_ne!(select.keys(), select.group_by.as_slice());
}

/// Each engine writes lists of keys in its own way, and all of them are read.
#[test]
fn several_lists_of_keys_are_read() {
    let read_back = |text: &str, dialect: &'static Dialect| {
        let text = format!("create table t(a bigint, b bigint); {text}");
        let What::Query(q) = script(&text, dialect).swap_remove(1).what else { panic!("{text} is not read") };
        (q.select().unwrap().keys().len(), print::query(&q, dialect))
    };
    let sets = "SELECT t.a FROM t GROUP BY GROUPING SETS ((t.a, t.b), (t.b), ())";
    assert_eq!(read_back("select a from t group by grouping sets ((a, b), b, ())", &DUCKDB), (2, sets.into()));
    let rolled = "SELECT t.a FROM t GROUP BY t.a, t.b WITH ROLLUP";
    assert_eq!(read_back("select a from t group by a, b with rollup", &MYSQL), (2, rolled.into()));
    let cube = "SELECT t.a FROM t GROUP BY cube(t.a, t.b)";
    assert_eq!(read_back("select a from t group by a, b with cube", &CLICKHOUSE), (2, cube.into()));
    assert_eq!(read_back(sets, &POSTGRES).1, sets);
}

/// What MERGE does with given rows is what an INSERT with a clause for conflicts does.
#[test]
fn a_merge_of_rows_is_an_insert() {
    let merge = "MERGE INTO t USING (SELECT a, b FROM t WHERE FALSE UNION ALL SELECT 1, NULL UNION ALL SELECT 2, 3) AS \
        excluded ON \
        t.a = excluded.a WHEN MATCHED AND (t.b > 1) THEN UPDATE SET b = excluded.b WHEN NOT MATCHED THEN INSERT (a, b) \
        VALUES (excluded.a, excluded.b)";
    let read = script(&format!("create table t(a bigint primary key, b bigint); {merge}"), &POSTGRES);
    let What::Statement(Statement::Insert(mut insert)) = read[1].what.clone() else { panic!("{:?}", read[1].what) };
    assert!(insert.merge().is_some() && insert.rows.len() == 2);
    assert_eq!(print::statement(&Statement::Insert(insert.clone()), &POSTGRES), merge);
    insert.upsert[0].merge = false;
    let upsert =
        "INSERT INTO t(a, b) VALUES (1, NULL), (2, 3) ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE t.b > 1";
    assert_eq!(print::statement(&Statement::Insert(insert), &POSTGRES), upsert);
}

/// LATERAL is what refers to its neighbours.
#[test]
fn what_refers_to_its_neighbours_is_lateral() {
    let read_back = |text: &str| {
        let text = format!("create table t(a bigint, b bigint); create table u(c bigint); {text}");
        match script(&text, &POSTGRES).swap_remove(2).what {
            What::Query(q) => print::query(&q, &POSTGRES),
            What::Statement(_) => panic!("{text} is no query"),
            What::Unread(why) => why,
        }
    };
    let tied =
        "SELECT t.a, x.n FROM t LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.c = t.b) AS x ON x.n > t.a";
    let text = "select t.a, n from t left join lateral (select count(*) as n from u where c = b) x on n > a";
    assert_eq!(read_back(text), tied);
    assert_eq!(read_back(tied), tied);
    let untied = "SELECT x.c FROM t, (SELECT t.c FROM u AS t) AS x";
    assert_eq!(read_back("select x.c from t, lateral (select t.c from u t) x"), untied);
    assert!(
        read_back("select 1 from t, (select b) x").contains("no column"),
        "{}",
        read_back("select 1 from t, (select b) x")
    );
}

/// What is not known of a table is not known of what is made of it, under whatever name.
#[test]
fn a_change_that_is_not_read_is_not_forgotten_with_the_name() {
    let text = "create table t(a); alter table t add column b check (b > 0); create table u as select * from t;
        alter table t rename to s; select * from s; select * from u";
    let read = script(text, &SQLITE);
    for at in [4, 5] {
        assert!(matches!(&read[at].what, What::Unread(why) if why.starts_with("no table")), "{:?}", read[at].what);
    }
}
