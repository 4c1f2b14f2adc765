//! A private FalkorDB: how it is started, and what its report says after a crash.

use crate::engine::server::{Place, Recipe, Server};
use std::path::Path;
use std::process::Command;

pub const PROGRAM: &str = "falkordb-server";
const ROOM_BYTES: u64 = 64 << 20;

/// Settings that a hunt may change while the server runs, as they are at its start.
pub const DEFAULTS: &[(&str, &str)] = &[("DELTA_MAX_PENDING_CHANGES", "10000")];

pub fn start(version: &str, files: &Path) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "falkordb",
        release: version,
        files,
        initialise: &|place| {
            let mut command = place.command("/bin/mkdir");
            command.arg("-m").arg("700").arg(&place.data);
            vec![command]
        },
        revision: 1,
        serve: &serve,
        answers: &|place| {
            let mut connection = super::open(&url(place)).map_err(|e| e.to_string())?;
            redis::cmd("PING").query::<String>(&mut connection).map(drop).map_err(|e| e.to_string())
        },
        // Nothing of it is to be kept.
        stop_signal: libc::SIGKILL,
        room: ROOM_BYTES,
    })
}

/// A socket in the server's folder: nobody else can reach it.
pub fn url(place: &Place) -> String {
    format!("redis+unix://{}/redis.sock", place.folder.display())
}

fn serve(place: &Place) -> Command {
    let mut command = place.command(PROGRAM);
    command.args(["--port", "0", "--unixsocket"]).arg(place.folder.join("redis.sock"));
    command.args(["--save", "", "--appendonly", "no", "--loglevel", "warning", "--dir"]).arg(&place.data);
    // After a crash it would look through all of its memory before it ends.
    command.args(["--crash-memcheck-enabled", "no", "--loadmodule"]).arg(place.release.join("falkordb.so"));
    // One thread each, so that two runs of one statement are alike. A statement that needs too much is refused.
    let limit = super::SERVER_LIMIT_MS.to_string();
    command.args(["THREAD_COUNT", "1", "OMP_THREAD_COUNT", "1", "QUERY_MEM_CAPACITY", "1000000000"]);
    command.args(["TIMEOUT_DEFAULT", &limit, "TIMEOUT_MAX", &limit]);
    command
}

/// The death with the function that it happened in, so that two crashes can be told apart by their first line.
pub fn crash(death: &str, log: &str) -> String {
    match frame(log) {
        Some(name) => death.replacen(';', &format!(" in {name};"), 1),
        None => death.to_string(),
    }
}

/// The first function of the module or of Redis in the report's stack that is no handler of signals. A frame looks like
/// `/path/falkordb.so(RediSearch_ResultsIteratorNext+0x1f)[0x7f…]`.
fn frame(log: &str) -> Option<String> {
    let stack = &log[log.find("STACK TRACE")?..];
    let names = stack.lines().filter_map(|line| {
        let name = line.split_once('(')?.1.split(['+', ')']).next()?;
        Some(name).filter(|n| !n.is_empty() && n.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
    });
    names.into_iter().find(|name| !HANDLERS.iter().any(|h| name.contains(h))).map(str::to_string)
}

const HANDLERS: &[&str] = &["sigsegvHandler", "SignalHandler", "InfoFunc", "logStackTrace", "bioKillThreads", "crash"];
