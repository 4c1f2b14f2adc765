//! A server that others use too, reached by its URL: what no statement can do there, and that nothing stays behind,
//! however a run ends. The servers are private ones of this test, treated as if they were someone else's.
#![cfg(feature = "servers")]

mod support;

use qualm::engine;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;
use support::program::{Runner, qualm, signal, within};
use support::sessions::text;

/// What a replayed finding may say; `MARK` is the path of a file that must not come into being.
const HOSTILE_POSTGRES: &[&str] = &[
    "/* x */ COPY (SELECT 1) TO PROGRAM 'touch MARK'",
    "-- x\nCOPY (SELECT 1) TO 'MARK'",
    "SELECT 1; COPY (SELECT 1) TO PROGRAM 'touch MARK'",
    "DO $$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''touch MARK'''; END $$",
    "/**/ CREATE ROLE evil SUPERUSER",
    "SELECT lo_export(lo_from_bytea(0, 'x'), 'MARK')",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
];

const HOSTILE_MYSQL: &[&str] = &[
    "EXECUTE IMMEDIATE 'CREATE DATABASE evil'",
    "PREPARE p FROM 'CREATE DATABASE evil'",
    "SET STATEMENT max_statement_time = 1 FOR CREATE DATABASE evil",
    "/*! CREATE DATABASE evil */",
    "/* x */ CREATE DATABASE evil",
    "CREATE TABLE shop.evil(a INT)",
    "INSERT INTO shop.t VALUES (666)",
    "SELECT * FROM shop.t",
    "SELECT 1 INTO OUTFILE 'MARK'",
];

/// A statement with all rights, past everything that the tool does: one message each way.
struct Superuser(UnixStream);

impl Superuser {
    fn new(socket: &Path) -> Superuser {
        let mut stream = UnixStream::connect(socket.join(".s.PGSQL.5432")).unwrap();
        let parameters = b"\0\x03\0\0user\0postgres\0database\0postgres\0\0";
        stream.write_all(&(parameters.len() as u32 + 4).to_be_bytes()).unwrap();
        stream.write_all(parameters).unwrap();
        let mut session = Superuser(stream);
        session.answer();
        session
    }

    /// All cells of the answer.
    fn query(&mut self, text: &str) -> Vec<String> {
        self.0.write_all(b"Q").unwrap();
        self.0.write_all(&(text.len() as u32 + 5).to_be_bytes()).unwrap();
        self.0.write_all(text.as_bytes()).unwrap();
        self.0.write_all(&[0]).unwrap();
        self.answer()
    }

    fn answer(&mut self) -> Vec<String> {
        let mut cells = Vec::new();
        loop {
            let mut head = [0; 5];
            self.0.read_exact(&mut head).unwrap();
            let mut body = vec![0; u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4];
            self.0.read_exact(&mut body).unwrap();
            match head[0] {
                b'D' => {
                    let mut rest = &body[2..];
                    while let Some((length, behind)) = rest.split_first_chunk() {
                        let length = i32::from_be_bytes(*length).max(0) as usize;
                        cells.push(String::from_utf8_lossy(&behind[..length]).into_owned());
                        rest = &behind[length..];
                    }
                }
                b'E' => panic!("{}", String::from_utf8_lossy(&body)),
                b'Z' => return cells,
                _ => {}
            }
        }
    }

    /// Databases and roles of ours.
    fn left(&mut self) -> Vec<String> {
        self.query(
            "SELECT datname FROM pg_database WHERE datname LIKE 'qualm\\_%' \
             UNION ALL SELECT rolname FROM pg_roles WHERE rolname LIKE 'qualm\\_%'",
        )
    }
}

/// A PostgreSQL server of somebody.
struct Host {
    _engine: Box<dyn Engine>,
    _session: Box<dyn Session>,
    socket: PathBuf,
    /// The database that it has because it is in truth a private server.
    own: String,
}

fn host() -> Host {
    let engine = engine::connect("postgres:18.4").unwrap_or_else(|e| panic!("{e}; run './x setup'"));
    let mut session = engine.open().unwrap();
    let socket = PathBuf::from(text(session.as_mut(), "SHOW unix_socket_directories"));
    let own = text(session.as_mut(), "SELECT current_database()::text");
    Host { _engine: engine, _session: session, socket, own }
}

impl Host {
    fn url(&self, user: &str) -> String {
        let socket = self.socket.to_string_lossy().replace('/', "%2F");
        format!("postgres:postgres://{user}@{socket}:5432/postgres")
    }

    /// Databases and roles with names like ours, without the server's own.
    fn left(&self) -> Vec<String> {
        let mut all = Superuser::new(&self.socket).left();
        all.retain(|name| *name != self.own);
        all
    }
}

/// The finding of somebody, with one statement and the claim that the engine survives it.
fn finding(folder: &Path, statement: &str) -> PathBuf {
    let path = folder.join("case.json");
    let case = serde_json::json!({
        "format": 1, "language": "sql", "oracle": "survives", "script": [{"text": statement, "ask": "last"}],
        "claim": {"relation": "survives"}, "origin": {"seed": 0, "worker": 0, "database": 0, "check": 0},
    });
    std::fs::write(&path, case.to_string()).unwrap();
    path
}

/// Replays it and says what came of it: it must not be judged.
fn replay(folder: &Path, statement: &str, url: &str) {
    let path = finding(folder, statement);
    let out = qualm(&["replay", path.to_str().unwrap(), "--engine", url]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(said.contains("cannot be judged") && said.contains("not run"), "{statement}: {said}");
    assert_eq!(out.status.code(), Some(2), "{statement}: {said}");
}

#[test]
fn a_replayed_statement_cannot_leave_a_postgres_database() {
    let host = host();
    let folder = tempfile::tempdir_in("/tmp").unwrap();
    // The server is somebody else, who could write here.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
    let mark = folder.path().join("mark");
    let before = Superuser::new(&host.socket).query("SELECT count(*) FROM pg_roles");
    for statement in HOSTILE_POSTGRES {
        let statement = statement.replace("MARK", mark.to_str().unwrap());
        replay(folder.path(), &statement, &host.url("postgres"));
        assert!(!mark.exists(), "{statement}");
    }
    assert_eq!(Superuser::new(&host.socket).query("SELECT count(*) FROM pg_roles"), before);
    assert_eq!(host.left(), [""; 0]);
}

#[test]
fn a_postgres_session_has_no_rights_beside_its_database() {
    let host = host();
    let engine = engine::connect(&host.url("postgres")).unwrap();
    assert_eq!(engine.caveat(), None);
    let mut guest = engine.open().unwrap();
    let rights = "SELECT concat(current_user = current_database(), session_user = current_user, rolsuper, rolcreatedb, \
                  rolcreaterole) FROM pg_roles WHERE rolname = current_user";
    assert_eq!(text(guest.as_mut(), rights), "ttfff");
    // What a quick reset does not undo is undone by a new database; the role goes with the old one.
    for statement in ["CREATE TABLE t(a INT)", "CREATE SCHEMA s"] {
        assert_eq!(guest.run(statement), Outcome::Done, "{statement}");
        guest.reset().unwrap();
        assert_eq!(host.left().len(), 2, "a database and its owner");
    }
    drop(guest);
    assert_eq!(host.left(), [""; 0]);
    // A private server is asked in the same way: what comes from others must not run programs as the user, either.
    let mut session = engine::connect("postgres:18.4").unwrap().open().unwrap();
    assert_eq!(text(session.as_mut(), rights), "ttfff");
    let program = session.run("DO $$ BEGIN EXECUTE 'COPY (SELECT 1) TO PROGRAM ''true'''; END $$");
    assert!(matches!(&program, Outcome::Rejected(r) if r.text.contains("permission denied")), "{program:?}");
}

/// Rights do not allow it: then that is reported, and statements are still read before they run.
#[test]
fn a_user_without_the_right_to_make_roles_is_warned() {
    let host = host();
    Superuser::new(&host.socket).query("CREATE ROLE limited LOGIN CREATEDB");
    let engine = engine::connect(&host.url("limited")).unwrap();
    let caveat = engine.caveat().expect("a caveat");
    assert!(caveat.contains("unprivileged role") && caveat.contains("permission denied"), "{caveat}");
    let mut guest = engine.open().unwrap();
    assert_eq!(text(guest.as_mut(), "SELECT current_user::text"), "limited");
    for statement in HOSTILE_POSTGRES {
        let outcome = guest.run(statement);
        assert!(
            matches!(&outcome, Outcome::Rejected(r) if r.class == RejectionClass::NotRun),
            "{statement}: {outcome:?}"
        );
    }
    guest.reset().unwrap();
    drop(guest);
    assert_eq!(host.left(), [""; 0]);
    // One who may make roles but is no superuser has to belong to them.
    Superuser::new(&host.socket).query("CREATE ROLE maker LOGIN CREATEDB CREATEROLE");
    let engine = engine::connect(&host.url("maker")).unwrap();
    assert_eq!(engine.caveat(), None);
    let mut guest = engine.open().unwrap();
    assert!(text(guest.as_mut(), "SELECT current_user::text").starts_with("qualm_"));
    guest.reset().unwrap();
    drop(guest);
    assert_eq!(host.left(), [""; 0]);
    // It is reported once to whoever runs a command, too.
    let folder = tempfile::tempdir().unwrap();
    let path = finding(folder.path(), "SELECT 1");
    let out = qualm(&["replay", path.to_str().unwrap(), "--engine", &host.url("limited")]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(
        (out.status.code(), said.matches("note: cannot create an unprivileged role").count()),
        (Some(0), 1),
        "{said}"
    );
}

fn hunt(url: &str, out: &Path, oracle: &str) -> Child {
    let out = out.to_str().unwrap();
    let args = ["hunt", url, "--oracle", oracle, "--seconds", "60", "--workers", "2", "--out", out];
    qualm(&args).spawn().unwrap()
}

/// Ended at several moments, in several ways, and nothing is left once its processes are gone.
#[test]
fn nothing_is_left_on_a_postgres_server_however_a_hunt_ends() {
    let host = host();
    let ends =
        [(100, libc::SIGINT), (700, libc::SIGINT), (2500, libc::SIGINT), (400, libc::SIGKILL), (2500, libc::SIGKILL)];
    for (n, (after_ms, how)) in ends.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = hunt(&host.url("postgres"), &folder.path().join("out"), "tlp");
        assert!(within(20, || !host.left().is_empty()), "the hunt does not begin");
        std::thread::sleep(Duration::from_millis(after_ms));
        signal(child.id(), how);
        if n == 1 {
            // Impatient: a second time, which ends it at once.
            std::thread::sleep(Duration::from_millis(300));
            signal(child.id(), how);
        }
        child.wait().unwrap();
        assert!(within(10, || host.left().is_empty()), "{after_ms} ms, signal {how}: {:?}", host.left());
    }
}

#[test]
fn what_a_killed_process_left_is_swept_and_nothing_else() {
    let host = host();
    let mut superuser = Superuser::new(&host.socket);
    superuser.query("CREATE DATABASE qualm_notes");
    superuser.query("CREATE DATABASE qualm_1_0000000a");
    superuser.query("CREATE ROLE qualm_people");
    let engine = engine::connect(&host.url("postgres")).unwrap();
    let mut living = engine.open().unwrap();
    let mut runner = Runner::start(&host.url("postgres"), "postgres 18.4");
    let before = host.left();
    runner.kill();
    assert_eq!(host.left(), before);
    drop(engine.open().unwrap());
    // Two databases and a role of others, a database and its role of the one that lives.
    assert_eq!((before.len(), host.left().len()), (7, 5), "{before:?} {:?}", host.left());
    assert_eq!(living.run("CREATE TABLE t(a INT)"), Outcome::Done);
}

// ---------------------------------------------------------------- MySQL and MariaDB

use mysql::prelude::Queryable;

fn mysql_host(name: &str) -> (Box<dyn Engine>, Box<dyn Session>, mysql::Conn, String) {
    let engine = engine::connect(name).unwrap_or_else(|e| panic!("{e}; run './x setup'"));
    let mut session = engine.open().unwrap();
    let socket = text(session.as_mut(), "SELECT @@socket");
    let opts = mysql::OptsBuilder::new().socket(Some(socket.clone())).user(Some("root"));
    let url = format!("{name}:mysql://USER@localhost?socket={}&prefer_socket=false", socket.replace('/', "%2F"));
    (engine, session, mysql::Conn::new(opts).unwrap(), url)
}

fn mysql_left(root: &mut mysql::Conn) -> Vec<String> {
    let all = "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'qualm\\_%' OR schema_name = \
               'evil' UNION ALL SELECT user FROM mysql.user WHERE user LIKE 'qualm\\_%'";
    root.query(all).unwrap()
}

#[test]
fn a_mysql_session_reaches_nothing_beside_its_database() {
    for name in ["mariadb", "mysql"] {
        let (_engine, _session, mut root, url) = mysql_host(name);
        root.query_drop("CREATE DATABASE shop").unwrap();
        root.query_drop("CREATE TABLE shop.t(a INT)").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let as_root = url.replace("USER", "root");
        for statement in HOSTILE_MYSQL {
            let statement = statement.replace("MARK", folder.path().join("mark").to_str().unwrap());
            replay(folder.path(), &statement, &as_root);
        }
        assert_eq!(mysql_left(&mut root), [""; 0], "{name}");
        let tables: Vec<String> = root.query("SHOW TABLES FROM shop").unwrap();
        let rows: Option<i64> = root.query_first("SELECT count(*) FROM shop.t").unwrap();
        assert_eq!((tables, rows), (vec!["t".into()], Some(0)), "{name}");

        let engine = engine::connect(&as_root).unwrap();
        assert_eq!(engine.caveat(), None, "{name}");
        let mut guest = engine.open().unwrap();
        assert!(text(guest.as_mut(), "SELECT current_user()").starts_with("qualm_"), "{name}");
        for statement in ["CREATE TABLE t(a INT)", "INSERT INTO t VALUES (1)", "ALTER DATABASE CHARACTER SET utf8mb4"] {
            assert_eq!(guest.run(statement), Outcome::Done, "{name}: {statement}");
        }
        guest.reset().unwrap();
        assert_eq!(mysql_left(&mut root).len(), 2, "a database and its user");
        // Even what the tool itself would let pass: the server says no.
        let grants: Vec<String> = root.query("SELECT user FROM mysql.user WHERE user LIKE 'qualm\\_%'").unwrap();
        let files: Option<String> =
            root.query_first(format!("SELECT file_priv FROM mysql.user WHERE user = '{}'", grants[0])).unwrap();
        assert_eq!(files.as_deref(), Some("N"));
        drop(guest);
        assert_eq!(mysql_left(&mut root), [""; 0], "{name}");

        // Who may not make users is warned.
        root.query_drop("CREATE USER limited@localhost").unwrap();
        root.query_drop("GRANT ALL ON `qualm\\_%`.* TO limited@localhost").unwrap();
        let engine = engine::connect(&url.replace("USER", "limited")).unwrap();
        let caveat = engine.caveat().expect("a caveat");
        assert!(caveat.contains("unprivileged user") && caveat.contains("denied"), "{caveat}");
        drop(engine.open().unwrap());
        assert_eq!(mysql_left(&mut root), [""; 0], "{name}");
    }
}

#[test]
fn nothing_is_left_on_a_mariadb_server_however_a_hunt_ends() {
    let (_engine, _session, mut root, url) = mysql_host("mariadb");
    let url = url.replace("USER", "root");
    root.query_drop("CREATE DATABASE qualm_notes").unwrap();
    for (after_ms, how) in [(150, libc::SIGINT), (900, libc::SIGINT), (2500, libc::SIGINT), (1500, libc::SIGKILL)] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = hunt(&url, &folder.path().join("out"), "tlp");
        assert!(within(20, || mysql_left(&mut root).len() > 1), "the hunt does not begin");
        std::thread::sleep(Duration::from_millis(after_ms));
        signal(child.id(), how);
        child.wait().unwrap();
        assert!(within(10, || mysql_left(&mut root) == ["qualm_notes"]), "{after_ms} ms: {:?}", mysql_left(&mut root));
    }
    // A process that had no time for anything: the next one puts away what it left.
    let mut runner = Runner::start(&url, "mariadb");
    assert_eq!(mysql_left(&mut root).len(), 3);
    runner.kill();
    drop(engine::connect(&url).unwrap().open().unwrap());
    assert_eq!(mysql_left(&mut root), ["qualm_notes"]);
}
