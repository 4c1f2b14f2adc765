//! ArcadeDB: a private server of a fetched release, where every reset makes a new database, or a running server by its
//! Bolt URL, whose database is emptied.

use super::dialect::ARCADEDB;
use super::wire::{Connection, FailureKind, Target};
use super::{CHORE_LIMIT_MS, Kind, Place, Touched, count};
use crate::server::{Kept, Place as Room, Recipe, Server, Signal};
use crate::url::{Secret, shown};
use crate::{ConnectError, cache_folder, releases};
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::session::Engine;
use qualm_core::value::Value;
use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOM_BYTES: u64 = 256 << 20;
const USER: &str = "root";
/// Of a server that only this process reaches; the engine wants eight characters.
const PASSWORD: &str = "playwithdata";

/// `place` is the number of a fetched release, the URL of a running server, or nothing for the newest release.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    if let Some(url) = place.filter(|p| p.contains("//")) {
        let usage =
            |why: String| ConnectError::Usage(format!("'{}' is not the URL of an ArcadeDB server: {why}", shown(url)));
        let target = Target::parse(url).map_err(usage)?;
        if target.database.is_none() {
            return Err(usage("it names no database; give bolt://USER:PASSWORD@HOST:PORT/DATABASE".into()));
        }
        return super::open(Box::new(ArcadeDb::default()), Place::Running(target), |agent| {
            format!("arcadedb ({agent})")
        });
    }
    let release = releases::find("arcadedb", "jre/bin/java", place)?;
    let version = format!("arcadedb {}", release.version);
    let kept = Kept::new(move || start(&release.version, &release.files));
    super::open(Box::new(ArcadeDb::default()), Place::Private(kept), |_| version)
}

pub fn releases_folder() -> PathBuf {
    cache_folder().join("arcadedb")
}

#[derive(Default)]
struct ArcadeDb {
    /// The database in use on a private server and the port of that server.
    database: RefCell<Option<(u16, String)>>,
    made: Cell<u64>,
}

impl Kind for ArcadeDb {
    fn dialect(&self) -> &'static GraphDialect {
        &ARCADEDB
    }

    fn own_target(&self, port: u16) -> Target {
        Target { user: Some((USER.into(), Secret::new(PASSWORD))), ..Target::own(port) }
    }

    fn renew(&self, connection: &mut Connection, own: Option<u16>, _touched: &Touched) -> Result<(), FailureKind> {
        let Some(port) = own else { return empty(connection) };
        let old = self.database.take().filter(|(at, _)| *at == port);
        self.made.set(self.made.get() + 1);
        let name = format!("q{}", self.made.get());
        command(port, &format!("create database {name}"))?;
        connection.use_database(&name);
        *self.database.borrow_mut() = Some((port, name));
        if let Some((_, old)) = old {
            command(port, &format!("drop database {old}"))?;
        }
        Ok(())
    }

    fn contents(&self, connection: &mut Connection) -> Result<Option<String>, FailureKind> {
        let nodes = count(connection, "MATCH (n) RETURN count(n)")?;
        let indexes = connection.query("SHOW INDEXES", CHORE_LIMIT_MS)?.rows.len();
        Ok(if nodes == 0 && indexes == 0 { None } else { Some(format!("{nodes} nodes, {indexes} indexes")) })
    }

    /// Its indexes are there when the statement returns.
    fn settle(&self, _connection: &mut Connection, _text: &str) -> Result<(), FailureKind> {
        Ok(())
    }
}

/// Empties a database that is not ours to drop. The types of its nodes stay, without any node. An index that belongs
/// to a constraint goes with it; the type that an index gave to its property is a constraint that goes after it.
fn empty(connection: &mut Connection) -> Result<(), FailureKind> {
    connection.query("MATCH (n) DETACH DELETE n", CHORE_LIMIT_MS)?;
    for (all, one, types) in
        [("CONSTRAINTS", "CONSTRAINT", false), ("INDEXES", "INDEX", false), ("CONSTRAINTS", "CONSTRAINT", true)]
    {
        let list = format!("SHOW {all} YIELD name, type RETURN name, type");
        for row in connection.query(&list, CHORE_LIMIT_MS)?.rows.cells.chunks(2) {
            if let [Value::Text(name), Value::Text(kind)] = row
                && kind.ends_with("PROPERTY_TYPE") == types
            {
                connection.query(&format!("DROP {one} `{name}`"), CHORE_LIMIT_MS)?;
            }
        }
    }
    Ok(())
}

/// Commands of the server go over HTTP. On a machine that is very busy it drops connections before it has answered;
/// such a command is sent once more, and if it is refused then, the first one was carried out.
fn command(port: u16, text: &str) -> Result<(), FailureKind> {
    let lost = |why: ureq::Error| FailureKind::Lost(format!("'{text}' gave: {why}"));
    let body = serde_json::json!({ "command": text }).to_string();
    let send = || {
        let request = ureq::post(format!("http://127.0.0.1:{}/api/v1/server", http_port(port)));
        let request = request.header("Authorization", AUTHORIZATION).header("Content-Type", "application/json");
        request.send(body.as_bytes()).map(drop)
    };
    match send() {
        Err(ureq::Error::Io(_)) => match send() {
            Err(ureq::Error::StatusCode(_)) => Ok(()),
            second => second.map_err(lost),
        },
        first => first.map_err(lost),
    }
}

/// `root:playwithdata`.
const AUTHORIZATION: &str = "Basic cm9vdDpwbGF5d2l0aGRhdGE=";

/// One free port is known; the other one follows from it.
fn http_port(port: u16) -> u16 {
    if port < 33_000 { port + 20_011 } else { port - 20_011 }
}

// ---------------------------------------------------------------- the private server

fn start(version: &str, files: &Path) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "arcadedb",
        release: version,
        files,
        initialise: &|room| vec![room.new_data_folder()],
        revision: 1,
        serve: &serve,
        answers: &|room| {
            let ready = format!("http://127.0.0.1:{}/api/v1/ready", http_port(room.port));
            ureq::get(ready).call().map_err(|e| e.to_string())?;
            let target = ArcadeDb::default().own_target(room.port);
            Connection::open(&target).map(drop).map_err(|e| e.to_string())
        },
        // Nothing of it is to be kept.
        stop_signal: Signal::KILL,
        room: ROOM_BYTES,
    })
}

fn serve(room: &Room) -> Command {
    let mut command = room.command("jre/bin/java");
    command.args(["-Xmx1g", "-Xss4m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData"]);
    command.arg("-cp").arg(room.release.join("jars/*"));
    let (data, port) = (room.data.display(), room.port);
    let settings = [
        format!("server.rootPassword={PASSWORD}"),
        format!("server.rootPath={data}"),
        format!("server.databaseDirectory={data}/databases"),
        "server.httpIncomingHost=127.0.0.1".into(),
        format!("server.httpIncomingPort={}", http_port(port)),
        "server.plugins=Bolt:com.arcadedb.bolt.BoltProtocolPlugin".into(),
        "bolt.host=127.0.0.1".into(),
        format!("bolt.port={port}"),
        format!("command.timeout={}", super::SERVER_LIMIT_MS),
        // Made and dropped all the time: nothing is to outlive a power cut.
        "txWalFlush=0".into(),
    ];
    command.args(settings.iter().map(|s| format!("-Darcadedb.{s}")));
    command.arg("com.arcadedb.server.ArcadeDBServer");
    command
}
