//! The graph engines behind a socket, each a real private server of a fetched release: typed values, classes of errors,
//! empty databases, indexes that are ready, deaths that are reported and survived, statements that are cut off. A
//! release that is missing fails the test: './x setup' fetches it.
#![cfg(feature = "servers")]

mod support;

use qualm::engine;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use std::path::PathBuf;
use support::program;
use support::sessions::{class, run_all};

fn open(spec: &str) -> (Box<dyn Engine>, Box<dyn Session>) {
    let engine = engine::connect(spec).unwrap_or_else(|why| panic!("{why}"));
    let session = engine.open().unwrap_or_else(|why| panic!("{why}"));
    (engine, session)
}

fn done(session: &mut dyn Session, text: &str) {
    run_all(session, &[text]);
}

/// All cells as people see them.
fn shown(session: &mut dyn Session, text: &str) -> Vec<String> {
    match session.run(text) {
        Outcome::Rows(rows) => rows.cells.iter().map(|v| v.show()).collect(),
        other => panic!("{text}\n{other:?}"),
    }
}

/// What every engine here must give back as it was written.
const VALUES: &[(&str, &str)] = &[
    ("null", "NULL"),
    ("true", "TRUE"),
    ("'true'", "'true'"),
    ("9223372036854775807", "9223372036854775807"),
    ("-9223372036854775807 - 1", "-9223372036854775808"),
    ("1", "1"),
    ("1.0", "1.0"),
    ("-0.0", "-0.0"),
    ("0.0 / 0.0", "NaN"),
    ("1.0 / 0.0", "Inf"),
    ("-1.0 / 0.0", "-Inf"),
    ("1.5e300", "1.5e300"),
    ("'it\\'s ü🦀'", "'it''s ü🦀'"),
    ("[1, 'a', null, [2.5]]", "[1, 'a', NULL, [2.5]]"),
    ("{b: 1, a: [true]}", "{a: [TRUE], b: 1}"),
    ("date('2020-02-29')", "date(2020-02-29)"),
    ("localtime('10:11:12')", "localtime(10:11:12)"),
    ("localdatetime('2020-02-29T10:11:12')", "localdatetime(2020-02-29T10:11:12)"),
];

fn values_round_trip(session: &mut dyn Session, own: &[(&str, &str)]) {
    for (written, read) in VALUES.iter().chain(own) {
        assert_eq!(shown(session, &format!("RETURN {written} AS x")), [*read], "{written}");
    }
    session.reset().unwrap();
    done(session, "CREATE (:B:A {x: 1, y: 0.5})-[:E {w: 'v'}]->(:C)");
    let asked = "MATCH (a)-[e]->(b) RETURN a, e, b, labels(a), type(e)";
    assert_eq!(shown(session, asked)[..3], ["(:A:B {x: 1, y: 0.5})", "[:E {w: 'v'}]", "(:C {})"]);
    assert_eq!(shown(session, "MATCH (a) RETURN count(*)"), ["2"]);
    assert_eq!(shown(session, "MATCH (a:C {x: 9}) RETURN a"), [""; 0]);
    let Outcome::Rows(path) = session.run("MATCH p = (a:A)-[e]->(b) RETURN p, a, b, e") else { panic!("no path") };
    assert_eq!(path.cells[0].show(), "path([(:A:B {x: 1, y: 0.5}), [:E {w: 'v'}], (:C {})])");
    let json = serde_json::to_value(&path).unwrap();
    let inside = |at: usize, key: &str| json[0][at]["map"][key].clone();
    assert_eq!([inside(3, "~from"), inside(3, "~to")], [inside(1, "~id"), inside(2, "~id")]);
}

fn reset_leaves_nothing(session: &mut dyn Session, indexes: &[&str], count_indexes: &str) {
    for _ in 0..2 {
        session.reset().unwrap();
        done(session, "CREATE (:L {p: 1})-[:T {w: 1}]->(:L {p: 2})");
        for index in indexes {
            done(session, index);
        }
        assert_eq!(shown(session, "MATCH (n) RETURN count(n)"), ["2"]);
        assert_ne!(shown(session, count_indexes), Vec::<String>::new());
    }
    session.reset().unwrap();
    assert_eq!(shown(session, "MATCH (n) RETURN count(n)"), ["0"]);
    assert_eq!(shown(session, count_indexes), Vec::<String>::new());
}

/// An index is used by the very next statement, and gives what is there.
fn indexes_are_ready(session: &mut dyn Session, index: &str) {
    session.reset().unwrap();
    done(session, "UNWIND range(1, 5000) AS i CREATE (:L {p: i, q: 'text'})");
    done(session, index);
    let question = "MATCH (n:L) WHERE n.p = 4321 RETURN count(n)";
    let plan = session.plan(question).expect("a plan");
    assert!(plan.nodes.iter().any(|node| node.index.is_some()), "{plan:?}");
    assert_eq!(shown(session, question), ["1"]);
}

/// The server ends what takes too long, and the session goes on.
fn what_takes_long_is_cut_off(session: &mut dyn Session) {
    session.reset().unwrap();
    // Reads nodes all the time: some engines look at the clock only then.
    done(session, "UNWIND range(1, 400) AS i CREATE (:L {p: i})");
    let endless = "MATCH (a:L), (b:L), (c:L), (d:L) WHERE a.p + b.p + c.p + d.p = -1 RETURN count(*)";
    match session.run(endless) {
        Outcome::Rejected(rejection) => assert_eq!(rejection.class, RejectionClass::Limit, "{}", rejection.text),
        other => panic!("{other:?}"),
    }
    assert_eq!(shown(session, "RETURN 1"), ["1"]);
}

/// Processes of this one whose command line has this in it.
fn children(word: &str) -> Vec<(i32, String)> {
    let me = std::process::id().to_string();
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = folders.filter_map(|f| f.file_name().to_str()?.parse::<i32>().ok());
    let child = |pid: i32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?;
        let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok()?.replace('\0', " ");
        (parent == me && line.contains(word)).then_some((pid, line))
    };
    pids.filter_map(child).collect()
}

fn deaths_are_reported_and_survived(session: &mut dyn Session, word: &str) {
    session.reset().unwrap();
    let servers = children(word);
    assert_eq!(servers.len(), 1, "{servers:?}");
    program::kill(servers[0].0 as u32, libc::SIGABRT);
    match session.run("RETURN 1") {
        Outcome::Crash(words) => assert!(words.starts_with("the server ended: "), "{words}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(class(session, "RETURN 1"), RejectionClass::Limit);
    session.reset().unwrap();
    assert_eq!(shown(session, "RETURN 1"), ["1"]);
}

#[test]
fn neo4j() {
    let (engine, mut session) = open("neo4j:4.4.0");
    assert_eq!(engine.version(), "neo4j 4.4.0");
    let session = session.as_mut();
    values_round_trip(
        session,
        &[
            ("duration('P14M3DT2.5S')", "duration(P14M3DT2.5S)"),
            ("point({x: 1, y: -0.5})", "point({srid: 7203, x: 1.0, y: -0.5})"),
            ("datetime('2020-02-29T10:11:12+01:00')", "datetime(2020-02-29T10:11:12+01:00)"),
            ("0.1 + 0.2", "0.30000000000000004"),
        ],
    );
    for text in
        ["RETURN 1 / 0", "RETURN 'a' =~ '('", "MATCH (n RETURN n", "RETURN 9223372036854775807 + 1", "RETURN nope(1)"]
    {
        assert_eq!(class(session, text), RejectionClass::Expected, "{text}");
    }
    assert_eq!(class(session, "CALL dbms.listConfig()"), RejectionClass::NotRun);
    reset_leaves_nothing(
        session,
        &[
            "CREATE INDEX i FOR (n:L) ON (n.p)",
            "CREATE TEXT INDEX t FOR ()-[r:T]-() ON (r.w)",
            "CREATE CONSTRAINT c FOR (n:L) REQUIRE n.k IS UNIQUE",
        ],
        "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name",
    );
    indexes_are_ready(session, "CREATE INDEX i FOR (n:L) ON (n.p)");
    // Listing 6 of the paper: wrong in this release, and only with an index.
    session.reset().unwrap();
    done(session, "CREATE (:L {p: 'test'})");
    let question = "MATCH (n:L) WHERE n.p STARTS WITH lTrim(n.p) RETURN count(n)";
    assert_eq!(shown(session, question), ["1"]);
    done(session, "CREATE INDEX i FOR (n:L) ON (n.p)");
    assert_eq!(shown(session, question), ["0"]);
    what_takes_long_is_cut_off(session);
    a_named_database_must_be_empty(session);
    deaths_are_reported_and_survived(session, "org.neo4j.server");
}

/// The same server again, as if it were someone else's.
fn a_named_database_must_be_empty(owner: &mut dyn Session) {
    let (_, line) = children("org.neo4j.server").pop().expect("a server");
    let folder = line.split_whitespace().find_map(|word| word.strip_prefix("--config-dir=")).expect("its folder");
    let conf = std::fs::read_to_string(PathBuf::from(folder).join("neo4j.conf")).unwrap();
    let address = conf.lines().find_map(|l| l.strip_prefix("dbms.connector.bolt.listen_address=")).unwrap();
    let spec = format!("neo4j:bolt://{address}/neo4j");
    owner.reset().unwrap();
    done(owner, "CREATE (:Precious)");
    let error = engine::connect(&spec).err().expect("refused").to_string();
    assert!(error.contains("not empty"), "{error}");
    assert_eq!(shown(owner, "MATCH (n) RETURN count(n)"), ["1"]);
    owner.reset().unwrap();
    let (engine, mut first) = open(&spec);
    assert!(engine.version().starts_with("neo4j 4.4.0"), "{}", engine.version());
    done(first.as_mut(), "CREATE (:L)");
    // Whoever comes later takes over; the one before learns of it before it sees what is not its own.
    let mut second = engine.open().unwrap();
    done(second.as_mut(), "CREATE (:L), (:L)");
    assert_eq!(class(first.as_mut(), "MATCH (n) RETURN count(n)"), RejectionClass::Limit);
    assert_eq!(shown(second.as_mut(), "MATCH (n) RETURN count(n)"), ["2"]);
    drop(second);
    assert_eq!(shown(owner, "MATCH (n) RETURN count(n)"), ["0"]);
}

#[test]
fn arcadedb() {
    let (engine, mut session) = open("arcadedb:26.10.2.post1");
    assert_eq!(engine.version(), "arcadedb 26.10.2.post1");
    let session = session.as_mut();
    values_round_trip(session, &[("0.1 + 0.2", "0.30000000000000004")]);
    for text in ["RETURN 1 / 0", "MATCH (n RETURN n", "RETURN 9223372036854775807 + 1", "RETURN nope(1)"] {
        assert_eq!(class(session, text), RejectionClass::Expected, "{text}");
    }
    reset_leaves_nothing(session, &["CREATE INDEX i FOR (n:L) ON (n.p)"], "SHOW INDEXES");
    indexes_are_ready(session, "CREATE INDEX i FOR (n:L) ON (n.p)");
    what_takes_long_is_cut_off(session);
    deaths_are_reported_and_survived(session, "com.arcadedb.server");
}

#[test]
fn falkordb() {
    for release in ["4.18.3", "4.16.3"] {
        let (engine, mut session) = open(&format!("falkordb:{release}"));
        assert_eq!(engine.version(), format!("falkordb {release}"));
        let session = session.as_mut();
        let point = "point({latitude: 1.5, longitude: -2.5})";
        values_round_trip(session, &[(point, point), ("duration('PT5S')", "duration(P0M0DT5S)")]);
        for text in ["RETURN 1 / 0", "MATCH (n RETURN n", "RETURN 'a' STARTS WITH 1", "RETURN nope(1)"] {
            assert_eq!(class(session, text), RejectionClass::Expected, "{text}");
        }
        let indexes = ["CREATE INDEX FOR (n:L) ON (n.p)", "CREATE INDEX FOR ()-[r:T]-() ON (r.w)"];
        reset_leaves_nothing(session, &indexes, "CALL db.indexes() YIELD label RETURN label");
        indexes_are_ready(session, "CREATE INDEX FOR (n:L) ON (n.p)");
        done(session, "GRAPH.CONFIG SET DELTA_MAX_PENDING_CHANGES 1");
        assert_eq!(class(session, "GRAPH.DELETE other"), RejectionClass::Expected);
        what_takes_long_is_cut_off(session);
        // Listing 8 of the paper, which does not loop any more: the server dies.
        session.reset().unwrap();
        done(session, "CREATE (:L {p: point({longitude: 1, latitude: 1})})");
        done(session, "CREATE INDEX FOR (n:L) ON (n.p)");
        match session.run("MATCH (n:L) WHERE distance(point({longitude: 1, latitude: 1}), n.p) <= -1 RETURN n") {
            Outcome::Crash(words) => {
                let first = words.lines().next().unwrap_or_default();
                assert!(first.starts_with("the server ended: SIGSEGV") && first.contains(" in "), "{first}");
            }
            other => panic!("{other:?}"),
        }
        session.reset().unwrap();
        assert_eq!(shown(session, "MATCH (n) RETURN count(n)"), ["0"]);
    }
}

/// The example is what a user begins with: every rule in it must fit queries, and be sound.
#[test]
fn the_example_of_users_rules_is_sound() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rules-graph.toml");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_qualm"))
        .args(["rules", "--check", file, "--engine", "falkordb:4.18.3"])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let written = std::fs::read_to_string(file).unwrap().matches("[[rule]]").count();
    assert_eq!(printed.lines().filter(|l| l.ends_with(" agree")).count(), written, "{printed}");
}
