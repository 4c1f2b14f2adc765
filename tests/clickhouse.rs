//! The ClickHouse drivers against the real library and the real server of 2018 that `./x setup` fetches.

mod support;

use qualm::engine::{self, ConnectError};
use qualm::knobs;
use qualm::lang::sql::schema::Schema;
use qualm::lang::sql::{parse, print, typing};
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::value::Value;
use support::program;
use support::sessions::{cells, class, engine, run_all};

const LIBRARY: &str = "chdb:26.5.3";
const SERVER: &str = "clickhouse:18.16.1";

/// A server that another test does not use, and its address.
fn server() -> (Box<dyn Engine>, Box<dyn Session>) {
    let engine = engine(SERVER);
    let session = engine.open().expect("a session on a private server");
    (engine, session)
}

#[test]
fn values_keep_their_types_in_both() {
    let (server, on_server) = server();
    let library = engine(LIBRARY);
    assert_eq!(server.version(), "clickhouse 18.16.1");
    assert!(library.version().starts_with("chdb 26.5."), "{}", library.version());
    assert!(!library.build().is_empty());
    for mut session in [on_server, library.open().unwrap()] {
        let query = "SELECT toInt64(-9223372036854775808), toUInt64(18446744073709551615), 0.1, 1e0, -1/0, -0.0, \
                     'a\\tb\\0\\n\\\\N', CAST(NULL AS Nullable(String)), 'NULL', 1, '1', toDecimal64(1.5, 4), \
                     unhex('61FF'), \
                     '', 'it''s'";
        assert_eq!(
            cells(session.as_mut(), query),
            [
                Value::Int(i64::MIN),
                Value::Decimal("18446744073709551615".into()),
                Value::Real(0.1),
                Value::Real(1.0),
                Value::Real(f64::NEG_INFINITY),
                Value::Real(-0.0),
                Value::Text("a\tb\0\n\\N".into()),
                Value::Null,
                Value::Text("NULL".into()),
                Value::Int(1),
                Value::Text("1".into()),
                Value::Decimal("1.5".into()),
                Value::Blob(vec![0x61, 0xFF]),
                Value::Text(String::new()),
                Value::Text("it's".into()),
            ]
        );
        assert_eq!(cells(session.as_mut(), "SELECT 1 WHERE 0"), []);
        // The shortest digits read back as the same bits.
        for bits in [0x3FB9_9999_9999_999A_u64, 0x0000_0000_0000_0001, 0x7FEF_FFFF_FFFF_FFFF, 0x3FF0_0000_0000_0001] {
            let real = f64::from_bits(bits);
            let query = format!("SELECT reinterpretAsFloat64(unhex('{:016X}'))", bits.swap_bytes());
            assert_eq!(cells(session.as_mut(), &query), [Value::Real(real)], "{query}");
        }
    }
}

#[test]
fn rejections_are_classed() {
    let mut session = engine(LIBRARY).open().unwrap();
    let session = session.as_mut();
    assert_eq!(class(session, "SELECT * FROM nowhere"), RejectionClass::Expected);
    assert_eq!(class(session, "SELECT 1 FROM WHERE"), RejectionClass::Expected);
    assert_eq!(class(session, "SELECT throwIf(1)"), RejectionClass::Expected);
    assert_eq!(class(session, "SELECT number FROM numbers(200000)"), RejectionClass::Limit);
    assert_eq!(class(session, "SELECT groupArray(number) FROM numbers(1000000000)"), RejectionClass::Limit);
    run_all(session, &["SET max_execution_time = 0.2"]);
    assert_eq!(class(session, "SELECT sum(number) FROM numbers(1000000000000)"), RejectionClass::Limit);
    // A person's statement that reaches for other databases, and an error that ClickHouse calls its own fault.
    assert_eq!(class(session, "DROP DATABASE default"), RejectionClass::NotRun);
    assert_eq!(class(session, "INSERT INTO default.t VALUES (1)"), RejectionClass::NotRun);
}

/// The library keeps rows that came before an exception, and would put them in front of the next answer.
#[test]
fn an_error_in_the_middle_leaves_nothing_behind() {
    let mut session = engine(LIBRARY).open().unwrap();
    let session = session.as_mut();
    run_all(session, &["SET max_block_size = 10"]);
    for _ in 0..5 {
        let statement = "SELECT throwIf(number = 55), number FROM numbers(100)";
        assert_eq!(class(session, statement), RejectionClass::Expected);
        assert_eq!(cells(session, "SELECT 'next'"), [Value::Text("next".into())]);
    }
}

#[test]
fn settings_last_for_a_session_and_end_with_a_reset() {
    let (_server, on_server) = server();
    let library = engine(LIBRARY);
    let value = "SELECT value FROM system.settings WHERE name = 'max_block_size'";
    let nulls = "SELECT value FROM system.settings WHERE name = 'join_use_nulls'";
    for mut session in [on_server, library.open().unwrap()] {
        let before = cells(session.as_mut(), value);
        run_all(
            session.as_mut(),
            &["SET max_block_size = 7", "CREATE TABLE t(a Int64) ENGINE = MergeTree ORDER BY tuple()"],
        );
        assert_eq!(cells(session.as_mut(), value), [Value::Text("7".into())]);
        // The dialect's own settings are there from the start.
        assert_eq!(cells(session.as_mut(), nulls), [Value::Text("1".into())]);
        assert_eq!(cells(session.as_mut(), "SELECT * FROM t"), []);
        session.reset().unwrap();
        assert_eq!(cells(session.as_mut(), value), before);
        assert_eq!(cells(session.as_mut(), nulls), [Value::Text("1".into())]);
        assert_eq!(class(session.as_mut(), "SELECT * FROM t"), RejectionClass::Expected);
    }
}

#[test]
fn two_sessions_of_one_library_are_apart() {
    let library = engine(LIBRARY);
    let (mut one, mut two) = (library.open().unwrap(), library.open().unwrap());
    run_all(
        one.as_mut(),
        &["SET max_threads = 3", "CREATE TABLE t(a Int64) ENGINE = Memory", "INSERT INTO t VALUES (1)"],
    );
    assert_eq!(class(two.as_mut(), "SELECT * FROM t"), RejectionClass::Expected);
    let threads = "SELECT toString(getSetting('max_threads')) = '3'";
    assert_eq!([cells(one.as_mut(), threads), cells(two.as_mut(), threads)].concat(), [Value::Int(1), Value::Int(0)]);
}

#[test]
fn plans_name_operators_tables_and_indexes() {
    let mut session = engine(LIBRARY).open().unwrap();
    let session = session.as_mut();
    run_all(
        session,
        &[
            "CREATE TABLE t0(c0 Int64, c1 Nullable(Int64)) ENGINE = MergeTree ORDER BY c0 \
             SETTINGS index_granularity = 2",
            "CREATE INDEX i0 ON t0 (c1) TYPE minmax GRANULARITY 1",
            "INSERT INTO t0 SELECT number, number FROM numbers(20)",
        ],
    );
    let plan = session.plan("SELECT c0 FROM t0 WHERE c1 > 5 AND c0 > 3 ORDER BY c0").expect("a plan");
    let read = plan.nodes.iter().find(|n| n.operator.starts_with("ReadFromMergeTree")).expect("a step that reads");
    assert_eq!((read.relation.as_deref(), read.index.as_deref()), (Some("t0"), Some("i0")));
    assert!(read.operator.contains("PrimaryKey") && read.operator.contains("Skip minmax"), "{}", read.operator);
    assert!(plan.nodes.iter().any(|n| n.operator.starts_with("Sorting")), "{plan:?}");
    let other = session.plan("SELECT c0 FROM t0").expect("a plan");
    assert_ne!(plan.shape(), other.shape());
    let join = session.plan("SELECT 1 FROM t0 JOIN t0 AS t1 ON t0.c0 = t1.c0").expect("a plan");
    assert!(join.nodes.iter().any(|n| n.operator.starts_with("Join")), "{join:?}");
    // The server of 2018 has no EXPLAIN, and answers after being asked for it.
    let (_server, mut old) = server();
    assert_eq!(old.plan("SELECT 1"), None);
    assert_eq!(old.plan("SELECT 1"), None);
    assert_eq!(cells(old.as_mut(), "SELECT 1"), [Value::Int(1)]);
}

#[test]
fn standard_sql_holds_with_the_preamble() {
    let mut session = engine(LIBRARY).open().unwrap();
    let session = session.as_mut();
    run_all(
        session,
        &[
            "CREATE TABLE t(a Int64) ENGINE = MergeTree ORDER BY tuple()",
            "CREATE TABLE u(a Int64, b Nullable(Int64)) ENGINE = MergeTree ORDER BY tuple()",
            "INSERT INTO t VALUES (1)",
        ],
    );
    let (null, zero) = (Value::Null, Value::Int(0));
    let empty = "SELECT count(*), count(a), sum(a), min(a), max(b), avg(a) FROM u";
    assert_eq!(cells(session, empty), [&zero, &zero, &null, &null, &null, &null].map(Clone::clone));
    assert_eq!(cells(session, "SELECT u.a FROM t LEFT JOIN u ON t.a = u.a"), [Value::Null]);
    // Not a setting but how the printer writes it: the row before the first one has 0 in a column that takes no NULL.
    let before = |what: &str| format!("SELECT lag({what}) OVER (ORDER BY a) FROM t");
    assert_eq!(cells(session, &before("a")), [zero]);
    assert_eq!(cells(session, &before("toNullable(a)")), [Value::Null]);
    let dialect = &qualm::engine::clickhouse::dialect::CLICKHOUSE;
    let parse::What::Query(read) = parse::one(&before("a"), dialect) else { panic!("unread") };
    assert_eq!(cells(session, &print::query(&read, dialect)), [Value::Null]);
    assert_eq!(cells(session, "SELECT CAST(b AS Int64) FROM (SELECT CAST(NULL AS Nullable(Int64)) AS b)"), [null]);
    assert_eq!(cells(session, "SELECT a FROM t UNION SELECT a FROM t"), [Value::Int(1)]);
    assert_eq!(class(session, "INSERT INTO t VALUES (NULL)"), RejectionClass::Expected);
    run_all(session, &["ALTER TABLE t UPDATE a = 5 WHERE a = 1"]);
    assert_eq!(cells(session, "SELECT a FROM t"), [Value::Int(5)]);
}

/// What the type check lets through, the library takes; and what it takes beside that is little.
#[test]
fn outer_joins_are_on_an_equality() {
    let mut session = engine(LIBRARY).open().unwrap();
    let dialect = &qualm::engine::clickhouse::dialect::CLICKHOUSE;
    let mut schema = Schema::default();
    for name in ["t", "u"] {
        let table = format!("CREATE TABLE {name}(a Nullable(Int64), b Nullable(Int32)) ENGINE = Memory");
        run_all(session.as_mut(), &[&table]);
        let parse::What::Statement(made) = parse::one(&table, dialect) else { panic!("unread") };
        schema.apply(&made, dialect).unwrap();
    }
    let on = |join: &str, on: &str| format!("SELECT t.a FROM t {join} JOIN u ON {on}");
    let mut both = |query: &str| {
        let parse::What::Query(mut read) = parse::one(query, dialect) else { panic!("unread: {query}") };
        parse::qualify(&mut read, &schema).unwrap();
        let taken = matches!(session.run(query), Outcome::Rows(_));
        (typing::query(&read, &schema, dialect).is_ok(), taken)
    };
    for join in ["LEFT", "RIGHT", "FULL"] {
        for fine in
            ["t.a = u.a", "t.a = u.b AND t.b < u.b", "t.b + 1 = u.a AND (u.b IS NULL OR t.b = 2)", "TRUE", "NULL"]
        {
            assert_eq!(both(&on(join, fine)), (true, true), "{join} {fine}");
        }
        for refused in ["t.a < u.a", "NOT NOT (t.a = u.a)", "CASE WHEN t.a = u.a THEN TRUE END", "t.a = u.a OR t.a = 1"]
        {
            assert_eq!(both(&on(join, refused)), (false, false), "{join} {refused}");
        }
    }
    for (join, side, fine) in [("LEFT", "u", true), ("LEFT", "t", false), ("RIGHT", "t", true), ("RIGHT", "u", false)] {
        assert_eq!(both(&on(join, &format!("{side}.a = 1"))), (fine, fine), "{join} {side}");
    }
    assert_eq!(both(&on("INNER", "t.a < u.a")), (true, true));
}

#[test]
fn a_named_server_gets_a_database_that_is_dropped_again() {
    let (_server, mut own) = server();
    let own = own.as_mut();
    let configuration = std::fs::read_to_string(format!("{}/config.xml", folder_of(own))).unwrap();
    let port = configuration.split("<http_port>").nth(1).and_then(|rest| rest.split('<').next()).unwrap();
    let databases = "SELECT count() FROM system.databases WHERE name LIKE 'qualm%'";
    assert_eq!(cells(own, databases), [Value::Int(1)]);
    let url = format!("clickhouse:http://127.0.0.1:{port}/");
    let named = engine(&url);
    let mut session = named.open().unwrap();
    run_all(session.as_mut(), &["CREATE TABLE t(a Int64) ENGINE = Memory"]);
    let name = cells(session.as_mut(), "SELECT currentDatabase()");
    assert!(matches!(name.as_slice(), [Value::Text(name)] if name.starts_with("qualm_")), "{name:?}");
    assert_eq!(cells(own, databases), [Value::Int(2)]);
    drop(session);
    assert_eq!(cells(own, databases), [Value::Int(1)]);
    // What a killed run leaves is dropped by the next one.
    let mut runner = program::Runner::start(&url, "clickhouse");
    runner.kill();
    assert_eq!(cells(own, databases), [Value::Int(2)]);
    drop(named.open().unwrap());
    assert_eq!(cells(own, databases), [Value::Int(1)]);
}

#[test]
fn a_dead_server_is_a_crash_and_starts_again() {
    let (_server, mut session) = server();
    let session = session.as_mut();
    let pid = process_of(session);
    program::kill(pid as u32, libc::SIGSEGV);
    let outcome = session.run("SELECT 1");
    let Outcome::Crash(how) = &outcome else { panic!("{outcome:?}") };
    assert!(how.contains("the server ended"), "{how}");
    session.reset().unwrap();
    assert_eq!(cells(session, "SELECT 1"), [Value::Int(1)]);
    assert_ne!(process_of(session), pid);
}

/// The folder of a private server, from where it says that its data is.
fn folder_of(session: &mut dyn Session) -> String {
    match cells(session, "SELECT data_path FROM system.databases WHERE name = 'default'").as_slice() {
        [Value::Text(path)] => path.split("/data/").next().unwrap().to_string(),
        other => panic!("{other:?}"),
    }
}

/// The process of a private server: the one whose command line names its folder.
fn process_of(session: &mut dyn Session) -> i32 {
    let folder = folder_of(session);
    let found = std::fs::read_dir("/proc").unwrap().flatten().find_map(|entry| {
        let pid: i32 = entry.file_name().to_str()?.parse().ok()?;
        let line = std::fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(&format!("--config-file={folder}/config.xml")).then_some(pid)
    });
    found.expect("the server's process")
}

#[test]
fn what_is_not_there_is_reported_with_what_to_do_next() {
    for (spec, says) in [
        ("chdb:1.2.3", "no such file; run './x chdb 1.2.3' to fetch it"),
        ("chdb:/dev/null/libchdb.so", "no such file; pass --engine chdb:PATH"),
        ("clickhouse:1.2.3", "run './x clickhouse 1.2.3' to fetch it"),
        ("clickhouse:http://127.0.0.1:9/", "no ClickHouse answers at 'http://127.0.0.1:9'"),
    ] {
        match engine::connect(spec) {
            Err(ConnectError::Unreachable(text)) => assert!(text.contains(says), "{text}"),
            other => panic!("{spec}: {:?}", other.map(|e| e.version())),
        }
    }
    assert!(matches!(engine::connect("clickhouse:http://127.0.0.1:9/production"), Err(ConnectError::Usage(_))));
    let sqlite = engine::releases_folder("sqlite").unwrap().join("3.28.0.so");
    match engine::connect(&format!("chdb:{}", sqlite.display())) {
        Err(ConnectError::Unreachable(text)) => assert!(text.contains("it has no function 'chdb_connect'"), "{text}"),
        other => panic!("{:?}", other.map(|e| e.version())),
    }
}

/// The driver once took the first query with a syntax error for a release without EXPLAIN, and saw no plan after it.
#[test]
fn a_syntax_error_is_not_the_end_of_plans() {
    let mut session = engine(LIBRARY).open().unwrap();
    run_all(
        session.as_mut(),
        &[
            "CREATE TABLE t(a Nullable(Int64), b Int64) ENGINE = MergeTree ORDER BY b SETTINGS index_granularity = 2",
            "INSERT INTO t SELECT number, number FROM numbers(20)",
        ],
    );
    assert_eq!(session.plan("SELECT FROM WHERE"), None);
    let shapes: std::collections::BTreeSet<u64> = [
        "SELECT a FROM t",
        "SELECT a FROM t WHERE a = 1",
        "SELECT a FROM t WHERE a = 1 OR b < 3",
        "SELECT a FROM t WHERE b < 3",
        "SELECT a FROM t ORDER BY b",
        "SELECT a FROM t ORDER BY a",
        "SELECT a FROM t ORDER BY a, b LIMIT 2",
        "SELECT count(a) FROM t GROUP BY b",
        "SELECT sum(a) FROM t GROUP BY b",
        "SELECT t.a FROM t JOIN t AS u ON t.a = u.b",
        "SELECT t.a FROM t LEFT JOIN t AS u ON t.a = u.b",
    ]
    .iter()
    .map(|query| session.plan(query).unwrap_or_else(|| panic!("{query}: no plan")).shape())
    .collect();
    assert_eq!(shapes.len(), 11);
}

/// The server of 2018 has no `SET x = DEFAULT`.
#[test]
fn settings_of_the_old_server_are_put_back() {
    let (engine, mut session) = server();
    let found = knobs::live(engine.as_ref(), session.as_mut(), None).unwrap();
    assert!(found.knobs.len() > 20, "{}", found.knobs.len());
    for knob in &found.knobs {
        let value = format!("SELECT value FROM system.settings WHERE name = '{}'", knob.name);
        let before = cells(session.as_mut(), &value);
        for other in &knob.others {
            let (set, reset) = knobs::statements(&[knob.flip(other)]);
            set.iter().chain(&reset).for_each(|s| run_all(session.as_mut(), &[s]));
            assert_eq!(cells(session.as_mut(), &value), before, "{reset:?}");
        }
    }
}
