//! The PostgreSQL driver against a real server. Needs the release that './x setup' fetches.
#![cfg(feature = "servers")]

mod support;

use qualm::engine;
use qualm::scratch::processes_in;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use qualm::value::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::program::{Runner, within};
use support::sessions::{class, done, text};

const RELEASE: &str = "postgres:18.4";

fn server() -> Box<dyn Engine> {
    support::sessions::engine(RELEASE)
}

fn rows(session: &mut dyn Session, text: &str) -> Vec<Vec<Value>> {
    match session.run(text) {
        Outcome::Rows(rows) => rows.iter().map(<[Value]>::to_vec).collect(),
        other => panic!("'{text}' gave {other:?}"),
    }
}

fn int(session: &mut dyn Session, text: &str) -> i64 {
    match rows(session, text)[0][0] {
        Value::Int(n) => n,
        ref other => panic!("'{text}' gave {other:?}"),
    }
}

/// The server's number and folder, as the server itself knows them.
fn whereabouts(session: &mut dyn Session) -> (PathBuf, PathBuf) {
    let folder = PathBuf::from(text(session, "SHOW data_directory"));
    let pid = std::fs::read_to_string(folder.join("postmaster.pid")).unwrap();
    (Path::new("/proc").join(pid.lines().next().unwrap()), folder)
}

#[test]
fn values_plans_and_rejections() {
    let engine = server();
    assert_eq!(engine.version(), "postgres 18.4");
    let mut session = engine.open().unwrap();
    let session = session.as_mut();
    let question = "SELECT 1::int2, 2, 3::int8, TRUE, 0.1::float4, 0.1::float8, 'NaN'::float8, 1.50, 12::numeric, \
         'a'::text, 'b'::varchar(3), '\\x00ff'::bytea, NULL, '{}'::json, DATE '2020-01-02', ARRAY[1, 2]";
    let row = rows(session, question).remove(0);
    let shown: Vec<String> = row.iter().map(Value::show).collect();
    let expected = "1 2 3 TRUE 0.10000000149011612 0.1 NaN 1.5 12 'a' 'b' x'00FF' NULL '{}' '2020-01-02' '{1,2}'";
    assert_eq!(shown.join(" "), expected);
    assert_eq!(row[5], Value::Real(0.1));
    assert_eq!(row[7], Value::Decimal("1.5".into()));

    done(session, "CREATE TABLE t(a BIGINT PRIMARY KEY, b TEXT)");
    done(session, "INSERT INTO t SELECT g, g::text FROM generate_series(1, 1000) g");
    done(session, "ANALYZE t");
    let plan = session.plan("SELECT count(*) FROM t WHERE a = 5").unwrap();
    assert_eq!(plan.nodes[0].operator, "Aggregate");
    assert_eq!(plan.nodes[1].relation.as_deref(), Some("t"));
    assert_eq!(plan.nodes[1].index.as_deref(), Some("t_pkey"));
    assert_eq!(session.plan("SELECT nonsense"), None);

    assert_eq!(class(session, "SELEC"), RejectionClass::Expected);
    assert_eq!(class(session, "SELECT 1 / 0"), RejectionClass::Expected);
    assert_eq!(class(session, "INSERT INTO t VALUES (1)"), RejectionClass::Expected);
    assert_eq!(class(session, "DROP DATABASE postgres"), RejectionClass::NotRun);
    let slow = "SELECT count(*) FROM generate_series(1, 100000000) a, generate_series(1, 1000) b";
    assert_eq!(class(session, slow), RejectionClass::Limit);
    assert_eq!(class(session, "SELECT repeat('[', 1000000)::json"), RejectionClass::Limit);
    let internal = "DO $$ BEGIN RAISE EXCEPTION 'index is broken' USING ERRCODE = 'XX002'; END $$";
    assert_eq!(class(session, internal), RejectionClass::Internal);
    assert!(session.waits() && session.server_cpu_seconds() > 0.0);
}

#[test]
fn a_reset_leaves_nothing_behind() {
    let engine = server();
    let mut session = engine.open().unwrap();
    let session = session.as_mut();
    let timeout = text(session, "SHOW statement_timeout");
    let before = text(session, "SELECT current_database()::text");
    for statement in ["CREATE TABLE t(a INT)", "SET enable_seqscan = off", "SET statement_timeout = 1234", "BEGIN"] {
        done(session, statement);
    }
    assert_eq!(class(session, "SELECT 1 / 0"), RejectionClass::Expected);
    session.reset().unwrap();
    assert_eq!(int(session, "SELECT count(*) FROM pg_class WHERE relname = 't'"), 0);
    assert_eq!(text(session, "SHOW enable_seqscan"), "on");
    assert_eq!(text(session, "SHOW statement_timeout"), timeout);
    assert_eq!(text(session, "SELECT current_database()::text"), before);
    // What is outside of the schema makes a new database necessary.
    done(session, "CREATE SCHEMA s");
    session.reset().unwrap();
    assert_eq!(int(session, "SELECT count(*) FROM pg_namespace WHERE nspname = 's'"), 0);
    assert_ne!(text(session, "SELECT current_database()::text"), before);
    assert_eq!(int(session, "SELECT count(*) FROM pg_database WHERE datname LIKE 'qualm%'"), 1);
}

#[test]
fn deaths_are_reported_and_survived() {
    let engine = server();
    let mut session = engine.open().unwrap();
    let session = session.as_mut();
    // One process of the server.
    let backend = int(session, "SELECT pg_backend_pid()");
    kill("-SEGV", &backend.to_string());
    match session.run("SELECT 1") {
        Outcome::Crash(words) => {
            assert!(words.lines().next().unwrap().contains("was terminated by signal 11"), "{words}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(class(session, "SELECT 1"), RejectionClass::Limit);
    session.reset().unwrap();
    assert_eq!(int(session, "SELECT 1"), 1);
    // Ended by order: no crash of the engine's own making.
    match session.run("SELECT pg_terminate_backend(pg_backend_pid())") {
        Outcome::Crash(words) => assert!(qualm::death::is_outside(&words), "{words}"),
        other => panic!("{other:?}"),
    }
    session.reset().unwrap();
    assert_eq!(int(session, "SELECT 2"), 2);
    // The whole server.
    let (process, _) = whereabouts(session);
    let backend = int(session, "SELECT pg_backend_pid()");
    kill("-ABRT", process.file_name().unwrap().to_str().unwrap());
    assert!(within(10, || !Path::new(&format!("/proc/{backend}")).exists()));
    match session.run("SELECT 3") {
        Outcome::Crash(words) => assert!(words.contains("SIGABRT"), "{words}"),
        other => panic!("{other:?}"),
    }
    session.reset().unwrap();
    assert_eq!(int(session, "SELECT 4"), 4);
}

fn kill(signal: &str, pid: &str) {
    assert!(Command::new("kill").args([signal, pid]).status().unwrap().success());
}

#[test]
fn a_running_server_gets_a_database_and_loses_it() {
    let host = server();
    let mut admin = host.open().unwrap();
    let admin = admin.as_mut();
    let socket = text(admin, "SHOW unix_socket_directories").replace('/', "%2F");
    let databases = "SELECT count(*) FROM pg_database";
    let before = int(admin, databases);
    let url = format!("postgres:postgres://postgres@{socket}:5432/postgres");
    let engine = engine::connect(&url).unwrap();
    let mut guest = engine.open().unwrap();
    done(guest.as_mut(), "CREATE TABLE mine(a INT)");
    let name = text(guest.as_mut(), "SELECT current_database()::text");
    assert!(name.starts_with("qualm_"), "{name}");
    assert_eq!(int(admin, databases), before + 1);
    assert_eq!(int(admin, "SELECT count(*) FROM pg_class WHERE relname = 'mine'"), 0);
    drop(guest);
    assert_eq!(int(admin, databases), before);
    // One whose owner was killed is dropped by the next session, and only such a one.
    let mut runner = Runner::start(&url, "postgres 18.4");
    let orphan = "SELECT count(*) FROM pg_database WHERE datname LIKE 'qualm%' AND datname <> current_database()";
    assert_eq!(int(admin, orphan), 1);
    runner.kill();
    assert_eq!(int(admin, orphan), 1);
    drop(engine.open().unwrap());
    assert_eq!(int(admin, orphan), 0);
    // A server that is not there is no crash.
    let nowhere = engine::connect("postgres:postgres://%2Fnowhere").err().unwrap();
    assert_eq!(nowhere.exit_code(), 3, "{nowhere}");
    assert_eq!(engine::connect("postgres:nonsense").err().unwrap().exit_code(), 2);
}

/// Servers below this process: their numbers in /proc.
fn servers_of(pid: u32) -> Vec<PathBuf> {
    let children = qualm::process::children_of(pid).into_iter().map(|pid| PathBuf::from(format!("/proc/{pid}")));
    let is_warden = |process: &PathBuf| {
        let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
        line.split(|b| *b == 0).any(|word| word == b"qualm-warden")
    };
    children.filter(|process| !is_warden(process)).collect()
}

fn number(process: &Path) -> u32 {
    process.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

/// All that lies in the server's folder goes away with the folder that this one is in.
fn folder_of(server: &Path) -> PathBuf {
    let data = std::fs::read_link(server.join("cwd")).unwrap();
    data.ancestors().nth(2).unwrap().to_path_buf()
}

/// A process that ended, whether or not someone has asked how.
fn is_gone(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.map_or(true, |stat| stat[stat.rfind(')').unwrap()..].starts_with(") Z"))
}

#[test]
fn no_server_outlives_its_owner() {
    // Dropped.
    let engine = server();
    let mut session = engine.open().unwrap();
    let (process, folder) = whereabouts(session.as_mut());
    assert!(process.exists() && folder.exists());
    drop(session);
    drop(engine);
    assert!(!process.exists() && !folder.exists());
    // A runner whose input ends.
    let mut ended = Runner::start(RELEASE, "postgres 18.4");
    let servers = servers_of(ended.id());
    assert_eq!(servers.len(), 1);
    let folder = folder_of(&servers[0]);
    assert!(folder.join("server/data").is_dir() && folder.join("lock").is_file());
    ended.process.0.stdin.take().unwrap().flush().unwrap();
    assert!(ended.process.0.wait().unwrap().success());
    assert!(!servers[0].exists() && !folder.exists());
    // A runner that is killed: its server goes at once, its folder with the next one's.
    let mut killed = Runner::start(RELEASE, "postgres 18.4");
    let servers = servers_of(killed.id());
    assert_eq!(servers.len(), 1);
    let folder = folder_of(&servers[0]);
    let below = servers_of(number(&servers[0]));
    assert!(!below.is_empty());
    killed.kill();
    assert!(within(10, || servers.iter().chain(&below).all(|p| !p.exists())));
    drop(server().open().unwrap());
    assert!(!folder.exists());
}

/// Stops the first process of a server, or all of them, and says which there are.
fn stop(folder: &Path, first: u32, all: bool) -> Vec<u32> {
    let family = processes_in(folder);
    assert!(family.len() > 2 && family.contains(&first), "{family:?}");
    for pid in family.iter().filter(|pid| all || **pid == first) {
        let stopped = Command::new("kill").args(["-STOP", &pid.to_string()]).status().unwrap().success();
        // One that did its work in the background may have ended by itself.
        assert!(stopped || *pid != first && is_gone(*pid), "{pid} of {family:?}");
    }
    family
}

#[test]
fn a_server_that_was_stopped_is_ended_too() {
    for all in [false, true] {
        // Its owner ends.
        let engine = server();
        let mut session = engine.open().unwrap();
        let (process, data) = whereabouts(session.as_mut());
        let family = stop(&data, number(&process), all);
        drop(session);
        drop(engine);
        assert!(family.iter().all(|pid| is_gone(*pid)), "all: {all}");
        assert!(!data.exists());
        // Its owner is killed.
        let mut killed = Runner::start(RELEASE, "postgres 18.4");
        let servers = servers_of(killed.id());
        let family = stop(&folder_of(&servers[0]), number(&servers[0]), all);
        killed.kill();
        assert!(within(30, || family.iter().all(|pid| is_gone(*pid))), "all: {all}");
    }
    // Its first process is killed while another one is stopped, which then has no parent that could be asked.
    let engine = server();
    let mut session = engine.open().unwrap();
    let (process, data) = whereabouts(session.as_mut());
    let backend = int(session.as_mut(), "SELECT pg_backend_pid()").to_string();
    kill("-STOP", &backend);
    kill("-KILL", process.file_name().unwrap().to_str().unwrap());
    assert!(within(10, || is_gone(number(&process))));
    assert!(within(10, || processes_in(&data) == [backend.parse::<u32>().unwrap()]));
    drop(session);
    drop(engine);
    assert!(is_gone(backend.parse().unwrap()) && !data.exists());
}
