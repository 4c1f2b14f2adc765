//! Neo4j: a private server of a fetched release, or a running one by its URL. Memgraph by URL is reached by the same
//! driver: it answers to the same protocol and to nearly the same language.
//!
//! The community edition has one database, so a reset empties it: nodes, constraints, indexes.

use super::dialect::{MEMGRAPH, NEO4J};
use super::wire::{Connection, FailureKind, Target};
use super::{CHORE_LIMIT_MS, EXPLAIN, Kind, Place, Touched, count};
use crate::server::{Kept, Place as Room, Recipe, Server, Signal};
use crate::url::shown;
use crate::{ConnectError, cache_folder, releases};
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::session::Engine;
use qualm_core::value::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Free bytes that the folder's file system should have: the store, its logs, and the archive of classes.
const ROOM_BYTES: u64 = 400 << 20;

/// `place` is the number of a fetched release, the URL of a running server, or nothing for the newest release.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let Some(url) = place.filter(|p| p.contains("//")) else {
        let release = releases::find("neo4j", "java/bin/java", place)?;
        let version = format!("neo4j {}", release.version);
        let kept = Kept::new(move || start(&release.version, &release.files));
        return super::open(Box::new(Neo4j), Place::Private(kept), |_| version);
    };
    // `--engine neo4j://…` is the URL itself.
    let full = if url.starts_with("//") { format!("neo4j:{url}") } else { url.to_string() };
    let target = Target::parse(&full)
        .map_err(|why| ConnectError::Usage(format!("'{}' is not the URL of a Neo4j server: {why}", shown(&full))))?;
    let first = Connection::open(&target)
        .map_err(|why| ConnectError::Unreachable(format!("no server answers at '{}': {why}", shown(&full))))?;
    let kind: Box<dyn Kind> = if first.agent.contains("Memgraph") { Box::new(Memgraph) } else { Box::new(Neo4j) };
    super::open(kind, Place::Running(target), |agent| agent.replacen("Neo4j/", "neo4j ", 1))
}

pub fn releases_folder() -> PathBuf {
    cache_folder().join("neo4j")
}

struct Neo4j;

impl Kind for Neo4j {
    fn dialect(&self) -> &'static GraphDialect {
        &NEO4J
    }

    fn own_target(&self, port: u16) -> Target {
        Target::own(port)
    }

    fn renew(&self, connection: &mut Connection, _own: Option<u16>, touched: &Touched) -> Result<(), FailureKind> {
        if touched.schema {
            // Constraints first: the indexes that they rest on go with them.
            for (list, word) in [(CONSTRAINTS, "CONSTRAINT"), (INDEXES, "INDEX")] {
                for name in names(connection, list)? {
                    connection.query(&format!("DROP {word} `{}`", name.replace('`', "``")), CHORE_LIMIT_MS)?;
                }
            }
        }
        connection.query("MATCH (n) DETACH DELETE n", CHORE_LIMIT_MS).map(drop)
    }

    fn contents(&self, connection: &mut Connection) -> Result<Option<String>, FailureKind> {
        let nodes = count(connection, "MATCH (n) RETURN count(n)")?;
        let (constraints, indexes) = (names(connection, CONSTRAINTS)?.len(), names(connection, INDEXES)?.len());
        let what = format!("{nodes} nodes, {indexes} indexes, {constraints} constraints");
        Ok(if nodes == 0 && constraints + indexes == 0 { None } else { Some(what) })
    }

    fn settle(&self, connection: &mut Connection, _text: &str) -> Result<(), FailureKind> {
        // Its own `db.awaitIndexes` looks every tenth of a second, and an index of a few nodes is there sooner.
        for _ in 0..LOOKS {
            if count(connection, POPULATING)? == 0 {
                return Ok(());
            }
            std::thread::sleep(LOOK);
        }
        connection.query("CALL db.awaitIndexes(30)", CHORE_LIMIT_MS).map(drop)
    }

    fn planned_anew(&self, text: &str) -> Option<String> {
        let (explain, query) = text.strip_prefix(EXPLAIN).map_or(("", text), |query| (EXPLAIN, query));
        let options = "CYPHER ";
        let is_question =
            ["MATCH", "OPTIONAL", "WITH", "UNWIND", "RETURN", options].iter().any(|w| query.starts_with(w));
        let rest = query.strip_prefix(options).unwrap_or(query);
        is_question.then(|| format!("{explain}{options}replan=force {rest}"))
    }
}

const CONSTRAINTS: &str = "SHOW CONSTRAINTS YIELD name RETURN name";
/// The two that find nodes by label and relationships by type are there from the beginning.
const INDEXES: &str = "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name";
const POPULATING: &str = "SHOW INDEXES YIELD state WHERE state = 'POPULATING' RETURN count(*)";
const LOOKS: u32 = 50;
const LOOK: Duration = Duration::from_millis(2);

fn names(connection: &mut Connection, list: &str) -> Result<Vec<String>, FailureKind> {
    let rows = connection.query(list, CHORE_LIMIT_MS)?.rows;
    let text = |v: Value| if let Value::Text(name) = v { Some(name) } else { None };
    Ok(rows.cells.into_iter().filter_map(text).collect())
}

struct Memgraph;

impl Kind for Memgraph {
    fn dialect(&self) -> &'static GraphDialect {
        &MEMGRAPH
    }

    fn own_target(&self, port: u16) -> Target {
        Target::own(port)
    }

    fn renew(&self, connection: &mut Connection, _own: Option<u16>, touched: &Touched) -> Result<(), FailureKind> {
        connection.query("MATCH (n) DETACH DELETE n", CHORE_LIMIT_MS)?;
        if touched.schema {
            // What is asserted is nothing, and what is beyond it is dropped.
            let nothing = "CALL schema.assert({}, {}, {}, true) YIELD action RETURN action";
            connection.query(nothing, CHORE_LIMIT_MS)?;
        }
        Ok(())
    }

    fn contents(&self, connection: &mut Connection) -> Result<Option<String>, FailureKind> {
        let nodes = count(connection, "MATCH (n) RETURN count(n)")?;
        let indexes = connection.query("SHOW INDEX INFO", CHORE_LIMIT_MS)?.rows.len();
        Ok(if nodes == 0 && indexes == 0 { None } else { Some(format!("{nodes} nodes, {indexes} indexes")) })
    }

    /// Its indexes are there when the statement returns.
    fn settle(&self, _connection: &mut Connection, _text: &str) -> Result<(), FailureKind> {
        Ok(())
    }
}

// ---------------------------------------------------------------- the private server

fn start(version: &str, files: &Path) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "neo4j",
        release: version,
        files,
        initialise: &initialise,
        revision: 2,
        serve: &|room| serve(room, &format!("-XX:SharedArchiveFile={}", archives(room))),
        answers: &|room| Connection::open(&Target::own(room.port)).map(drop).map_err(|e| e.to_string()),
        // Nothing of it is to be kept, and it takes seconds to end in a friendly way.
        stop_signal: Signal::KILL,
        room: ROOM_BYTES,
    })
}

/// What Java keeps of its own classes and of the server's, ready to be mapped: a start then takes half of the time.
fn archives(room: &Room) -> String {
    let data = room.data.display();
    format!("{data}/java.jsa:{data}/neo4j.jsa")
}

/// Makes the first archive, then runs the server once, which leaves an empty store and the second one.
fn initialise(room: &Room) -> Vec<Command> {
    let make = room.new_data_folder();
    let first = room.data.join("java.jsa");
    let mut dump = room.command("java/bin/java");
    dump.arg("-Xshare:dump").arg(format!("-XX:SharedArchiveFile={}", first.display()));
    let second = room.data.join("neo4j.jsa");
    // As it is served, but for the archive that it is to write.
    let served = serve(room, &format!("-XX:SharedArchiveFile={}", first.display()));
    let mut once = room.command("/bin/sh");
    once.arg("-c").arg(ONCE).arg("once").arg(room.folder.join("log")).arg(served.get_program());
    once.arg(format!("-XX:ArchiveClassesAtExit={}", second.display())).args(served.get_args());
    vec![make, dump, once]
}

/// Starts what it is given behind the name of the log, waits until the log says that it is up, and ends it. Whoever
/// kills this shell ends the server as well, a second later.
const ONCE: &str = r#"log=$1; shift; "$@" & server=$!
(while kill -0 $$; do sleep 1; done; kill -9 $server) 2>/dev/null &
until grep -q 'Started\.' "$log"; do kill -0 $server || exit 1; sleep 0.2; done
kill $server; wait $server; true"#;

/// Every statement of a hunt is a new one, whose planning makes ten megabytes of garbage: what is young has much room.
/// The first compiler alone takes two thirds of the CPU time of both in the first thousand statements.
const JAVA: &[&str] =
    &["-Xms512m", "-Xmx1g", "-Xmn300m", "-Xss4m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"];

/// Packages that Neo4j reads by reflection.
const OPENED: &[&str] = &["java.nio", "java.io", "sun.nio.ch", "java.lang", "java.util.concurrent"];

fn serve(room: &Room, archive: &str) -> Command {
    let file = room.folder.join("neo4j.conf");
    // A file that cannot be written is reported by the server, which does not find it.
    let _ = std::fs::write(&file, configuration(room));
    let mut command = room.command("java/bin/java");
    command.args(JAVA).arg(archive);
    for package in OPENED {
        command.arg(format!("--add-opens=java.base/{package}=ALL-UNNAMED"));
    }
    command.arg("-cp").arg(class_path(&room.release.join("jars"))).arg("org.neo4j.server.CommunityEntryPoint");
    command.arg(format!("--home-dir={}", room.folder.display()));
    command.arg(format!("--config-dir={}", room.folder.display()));
    command
}

/// All jars by name: the archive of classes is for one order of them only.
fn class_path(folder: &Path) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut jars: Vec<String> = entries.map(|e| e.path().display().to_string()).collect();
    jars.sort();
    jars.join(":")
}

/// One loopback port, nobody to log in, everything in the server's folder; durable enough for a database that is thrown
/// away. Nothing in the background changes what the planner knows: a case gets the same plans each time.
fn configuration(room: &Room) -> String {
    let (data, port) = (room.data.display(), room.port);
    format!(
        "dbms.security.auth_enabled=false
dbms.default_listen_address=127.0.0.1
dbms.connector.bolt.enabled=true
dbms.connector.bolt.listen_address=127.0.0.1:{port}
dbms.connector.bolt.advertised_address=127.0.0.1:{port}
dbms.connector.http.enabled=false
dbms.connector.https.enabled=false
dbms.memory.pagecache.size=32m
dbms.tx_log.preallocate=false
dbms.tx_log.rotation.size=16m
dbms.checkpoint.interval.time=1h
dbms.directories.data={data}
dbms.usage_report.enabled=false
dbms.index_sampling.background_enabled=false
"
    )
}
