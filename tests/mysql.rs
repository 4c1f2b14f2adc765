//! MySQL and MariaDB, real servers: what they answer and reject, what is seen when they die, what is left behind.
//! The servers come from './x setup'; without them these tests fail and say so.

#![cfg(feature = "servers")]

mod support;

use qualm::engine;
use qualm::lang::sql::schema::Schema;
use qualm::lang::sql::{parse, typing};
use qualm::session::{Outcome, RejectionClass, Session};
use qualm::value::Value;
use std::process::Command;
use support::program;
use support::sessions::{class, engine, run_all};

const ENGINES: [&str; 2] = ["mysql", "mariadb"];

fn row(session: &mut dyn Session, query: &str) -> Vec<Value> {
    match session.run(query) {
        Outcome::Rows(rows) if rows.len() == 1 => rows.cells,
        other => panic!("{query}: {other:?}"),
    }
}

#[test]
fn values_keep_their_types() {
    for name in ENGINES {
        let engine = engine(name);
        assert!(engine.version().starts_with(name), "{}", engine.version());
        let mut session = engine.open().unwrap();
        let all = "SELECT 1, -9223372036854775807 - 1, 18446744073709551615, 1.50, 1.5e0, 'it''s \\\\', x'00ff', \
                   NULL, 1 = 1, CAST(1 AS CHAR), SUM(2), CAST('a' AS BINARY), DATE '2020-01-02'";
        let expected = vec![
            Value::Int(1),
            Value::Int(i64::MIN),
            Value::Decimal("18446744073709551615".into()),
            Value::Decimal("1.5".into()),
            Value::Real(1.5),
            Value::Text("it's \\".into()),
            Value::Blob(vec![0, 255]),
            Value::Null,
            Value::Int(1),
            Value::Text("1".into()),
            Value::Int(2),
            Value::Blob(b"a".to_vec()),
            Value::Text("2020-01-02".into()),
        ];
        assert_eq!(format!("{:?}", row(session.as_mut(), all)), format!("{expected:?}"), "{name}");
        // Every double comes back as it was sent.
        for real in [0.1, 1.0 / 3.0, 1e15, 1e22, 123_456_789.123_456_79, f64::MIN_POSITIVE, f64::MAX, 2f64.powi(-40)] {
            assert_eq!(row(session.as_mut(), &format!("SELECT {real:e}")), [Value::Real(real)], "{name}");
        }
        // Equal means identical: case, accents and blanks at the end count.
        let equal = "SELECT 'a' = 'A', 'a' = 'a ', 'a' = 'á', 'a' LIKE 'A', 'a' IN ('a '), concat('a', ' ') = 'a'";
        assert_eq!(row(session.as_mut(), equal), vec![Value::Int(0); 6], "{name}");
        run_all(
            session.as_mut(),
            &["CREATE TABLE t0(a VARCHAR(50))", "INSERT INTO t0 VALUES ('a'), ('A'), ('a '), ('á')"],
        );
        assert_eq!(row(session.as_mut(), "SELECT count(DISTINCT a) FROM t0"), [Value::Int(4)], "{name}");
    }
}

#[test]
fn rejections_have_classes() {
    for name in ENGINES {
        let engine = engine(name);
        let mut session = engine.open().unwrap();
        let session = session.as_mut();
        run_all(session, &["CREATE TABLE t0(a INT UNIQUE)", "INSERT INTO t0 VALUES (1), (2), (3), (4), (5), (6), (7)"]);
        let expected = [
            "SELECT nothing",
            "SELECT 1 FROM WHERE",
            "INSERT INTO t0 VALUES (1)",
            "SELECT 9223372036854775807 + 1",
            "SELECT (SELECT a FROM t0)",
        ];
        for text in expected {
            assert_eq!(class(session, text), RejectionClass::Expected, "{name}: {text}");
        }
        for text in ["SELECT 1; SELECT 2", "DROP DATABASE mysql", "INSERT INTO mysql.db VALUES (1)", "SELEC 1"] {
            assert_eq!(class(session, text), RejectionClass::NotRun, "{name}: {text}");
        }
        let many = (0..70).map(|i| format!("t0 AS x{i}")).collect::<Vec<_>>().join(", ");
        assert_eq!(class(session, &format!("SELECT 1 FROM {many}")), RejectionClass::Limit, "{name}");
        let long = (0..12).map(|i| format!("t0 AS x{i}")).collect::<Vec<_>>().join(", ");
        let slow = format!("SELECT count(*) FROM {long} WHERE x0.a + x5.a + x11.a > rand() - 2");
        assert_eq!(class(session, &slow), RejectionClass::Limit, "{name}");
        // The session is as good as before.
        assert_eq!(row(session, "SELECT count(*) FROM t0"), [Value::Int(7)]);
    }
}

#[test]
fn a_reset_forgets_everything() {
    for name in ENGINES {
        let engine = engine(name);
        let mut session = engine.open().unwrap();
        let session = session.as_mut();
        let settings = "SELECT @@optimizer_switch, @@join_buffer_size, @@sql_mode, @@collation_connection, @@time_zone";
        let before = row(session, settings);
        run_all(
            session,
            &[
                "CREATE TABLE t0(a INT)",
                "CREATE VIEW v0 AS SELECT a FROM t0",
                "SET SESSION optimizer_switch = 'semijoin=off'",
                "SET SESSION join_buffer_size = 256",
                "SET SESSION sql_mode = ''",
                "CREATE TEMPORARY TABLE t1(a INT)",
            ],
        );
        assert_ne!(row(session, settings), before);
        session.reset().unwrap();
        assert_eq!(row(session, settings), before, "{name}");
        for gone in ["SELECT * FROM t0", "SELECT * FROM v0", "SELECT * FROM t1"] {
            assert_eq!(class(session, gone), RejectionClass::Expected, "{name}: {gone}");
        }
    }
}

#[test]
fn plans_are_read() {
    for name in ENGINES {
        let engine = engine(name);
        let mut session = engine.open().unwrap();
        let session = session.as_mut();
        run_all(session, &["CREATE TABLE t0(a INT, b VARCHAR(50))", "CREATE INDEX i0 ON t0(a)"]);
        run_all(session, &["INSERT INTO t0 VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (5, 'e')"]);
        let mut shape = |query: &str| {
            let plan = session.plan(query).unwrap_or_else(|| panic!("{name} has no plan for {query}"));
            assert!(!plan.nodes.is_empty(), "{query}");
            plan
        };
        let by_index = shape("SELECT b FROM t0 WHERE a = 2");
        assert!(by_index.nodes.iter().any(|n| n.index.as_deref() == Some("i0")), "{by_index:?}");
        assert!(by_index.nodes.iter().any(|n| n.relation.as_deref() == Some("t0")), "{by_index:?}");
        let scan = shape("SELECT b FROM t0 WHERE b = 'a'");
        assert!(scan.nodes.iter().all(|n| n.index.is_none()), "{scan:?}");
        let join = shape("SELECT x.b, count(*) FROM t0 AS x JOIN t0 AS y ON x.b = y.b GROUP BY x.b ORDER BY 2");
        assert!(join.nodes.len() >= 4, "{join:?}");
        assert_eq!(shape("SELECT b FROM t0 WHERE a = 3").shape(), by_index.shape());
        assert!(session.plan("SELECT nothing").is_none());
    }
}

/// The process number of the private server, as it says itself: the socket's folder has its file.
fn server_pid(session: &mut dyn Session) -> i32 {
    let Value::Text(path) = row(session, "SELECT @@pid_file").remove(0) else { panic!("no path") };
    std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
}

#[test]
fn a_death_is_seen_and_survived() {
    for (name, signal) in [("mysql", libc::SIGKILL), ("mariadb", libc::SIGKILL), ("mysql", libc::SIGSEGV)] {
        let engine = engine(name);
        let mut session = engine.open().unwrap();
        let session = session.as_mut();
        run_all(session, &["CREATE TABLE t0(a INT)"]);
        let pid = server_pid(session);
        program::kill(pid as u32, signal);
        let outcome = session.run("SELECT 1");
        let Outcome::Crash(text) = &outcome else { panic!("{name}: {outcome:?}") };
        let expected = if signal == libc::SIGKILL { "SIGKILL" } else { "signal 11" };
        assert!(text.contains(expected) && text.contains("ready for connections"), "{text}");
        assert_eq!(session.run("SELECT 1"), outcome);
        session.reset().unwrap();
        assert_eq!(row(session, "SELECT 1"), [Value::Int(1)]);
        let again = server_pid(session);
        assert_ne!(again, pid);
        // The server goes away with the session.
        drop(engine);
    }
}

#[test]
fn a_running_server_is_left_as_it_was() {
    for name in ENGINES {
        let private = engine(name);
        let mut host = private.open().unwrap();
        let host = host.as_mut();
        let Value::Text(socket) = row(host, "SELECT @@socket").remove(0) else { panic!("no socket") };
        let url = format!("{name}:mysql://root@localhost?socket={}&prefer_socket=false", socket.replace('/', "%2F"));
        let databases = "SELECT group_concat(schema_name ORDER BY schema_name) FROM information_schema.schemata";
        let before = row(host, databases);
        {
            let engine = engine(&url);
            let mut session = engine.open().unwrap();
            run_all(session.as_mut(), &["CREATE TABLE t0(a INT)", "INSERT INTO t0 VALUES (1)"]);
            let own = row(session.as_mut(), "SELECT database()");
            assert!(matches!(&own[0], Value::Text(n) if n.starts_with("qualm_")), "{own:?}");
            assert_ne!(row(host, databases), before);
            session.reset().unwrap();
        }
        assert_eq!(row(host, databases), before, "{name}");
        {
            // A server that is not ours can only be seen to be gone.
            let engine = engine(&url);
            let mut session = engine.open().unwrap();
            program::kill(server_pid(host) as u32, libc::SIGKILL);
            let outcome = session.run("SELECT 1");
            assert!(matches!(&outcome, Outcome::Crash(text) if text.contains("gone")), "{outcome:?}");
            assert!(session.reset().is_err());
            assert!(matches!(host.run("SELECT 1"), Outcome::Crash(_)));
            host.reset().unwrap();
        }
        let other = if name == "mysql" { "mariadb" } else { "mysql" };
        let Value::Text(socket) = row(host, "SELECT @@socket").remove(0) else { panic!("no socket") };
        let url = format!("{other}:mysql://root@localhost?socket={}&prefer_socket=false", socket.replace('/', "%2F"));
        let error = engine::connect(&url).err().unwrap();
        assert!(error.to_string().contains(&format!("use --engine {name}")), "{error}");
    }
}

#[test]
fn an_unknown_release_gets_advice() {
    for name in ENGINES {
        let error = engine::connect(&format!("{name}:1.2.3")).err().unwrap().to_string();
        assert!(error.contains(&format!("./x {name} 1.2.3")), "{error}");
        let error = engine::connect(&format!("{name}:mysql://root@127.0.0.1:1/shop")).err().unwrap().to_string();
        assert!(error.contains("leave it out"), "{error}");
    }
}

#[test]
fn nothing_is_left_behind() {
    let engine = engine("mariadb");
    let mut session = engine.open().unwrap();
    let pid = server_pid(session.as_mut());
    let Value::Text(data) = row(session.as_mut(), "SELECT @@datadir").remove(0) else { panic!("no folder") };
    assert!(std::path::Path::new(&data).exists());
    let owner = Command::new("stat").args(["-c", "%U", &format!("/proc/{pid}")]).output().unwrap();
    assert_ne!(String::from_utf8_lossy(&owner.stdout).trim(), "root");
    drop(session);
    drop(engine);
    assert!(!std::path::Path::new(&data).exists());
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
}

/// MariaDB keeps JSON as text, and a table forgets that a text is JSON. MySQL has a type for it.
#[test]
fn json_that_a_table_kept_is_text_in_mariadb() {
    let made = "SELECT json_array('1') AS j";
    let shown = |from: &str| format!("SELECT json_array(x.j) FROM {from} AS x");
    let straight = shown(&format!("({made})"));
    for (name, kept) in [("mysql", "[[\"1\"]]"), ("mariadb", "[\"[\\\"1\\\"]\"]")] {
        let mut session = engine(name).open().unwrap();
        run_all(session.as_mut(), &[&format!("CREATE TABLE k AS {made}")]);
        let text = |row: Vec<Value>| match &row[..] {
            [Value::Text(text)] => text.clone(),
            [Value::Blob(bytes)] => String::from_utf8(bytes.clone()).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(text(row(session.as_mut(), &straight)), "[[\"1\"]]", "{name}");
        assert_eq!(text(row(session.as_mut(), &shown("k"))), kept, "{name}");
    }
    let dialect = engine("mariadb").spoken().sql().unwrap();
    let refused = |query: &str| {
        let parse::What::Query(read) = parse::one(query, dialect) else { panic!("unread: {query}") };
        typing::query(&read, &Schema::default(), dialect).err().map(|why| why.0)
    };
    assert_eq!(refused(&straight), Some("JSON that came through a column or a subquery, given to a JSON function"));
    assert_eq!(refused("SELECT json_array(json_array('1'))"), None);
}
