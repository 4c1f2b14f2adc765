//! A private FalkorDB: how it is started, and what its report says after a crash.

use crate::server::{Place, Recipe, Server, Signal};
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
        initialise: &|place| vec![place.new_data_folder()],
        revision: 1,
        serve: &serve,
        answers: &|place| {
            let mut connection = super::open(&url(place)).map_err(|e| e.to_string())?;
            redis::cmd("PING").query::<String>(&mut connection).map(drop).map_err(|e| e.to_string())
        },
        // Nothing of it is to be kept.
        stop_signal: Signal::KILL,
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

/// The death with the function that it happened in, so that two crashes can be distinguished by their first line, and
/// with those that called it. The rest of the report, pages of it, is about Redis and the machine.
pub fn crash(death: &str, log: &str) -> String {
    let names = frames(log);
    let Some((first, callers)) = names.split_first() else { return death.to_string() };
    let how = death.split(';').next().unwrap_or(death);
    let callers = if callers.is_empty() { String::new() } else { format!("\ncalled by {}", callers.join(", ")) };
    format!("{how} in {first};{callers}")
}

/// The functions of the module or of Redis in the report's stack that are no handlers of signals, the last one called
/// first. A frame looks like `/path/falkordb.so(RediSearch_ResultsIteratorNext+0x1f)[0x7f…]`.
fn frames(log: &str) -> Vec<String> {
    let stack = log.find("STACK TRACE").map_or("", |at| &log[at..]);
    // Of several threads the one that crashed has a star behind its name; its stack ends with an empty line.
    let crashed = stack.find(" *\n").map_or(stack, |at| &stack[at..]);
    let lines = crashed.lines().skip(1).take_while(|line| crashed.len() == stack.len() || !line.is_empty());
    let mut names: Vec<String> = Vec::new();
    for line in lines {
        let name = line.split_once('(').and_then(|(_, rest)| rest.split(['+', ')']).next()).unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        // Where there is one thread, the place of the crash stands on its own and on top of the stack.
        let is_new = names.last().is_none_or(|last| last != name);
        if is_name && is_new && !HANDLERS.iter().any(|h| name.contains(h)) {
            names.push(name.to_string());
        }
    }
    names.truncate(FRAMES);
    names
}

const FRAMES: usize = 8;
const HANDLERS: &[&str] = &["sigsegvHandler", "SignalHandler", "InfoFunc", "logStackTrace", "bioKillThreads", "crash"];

#[cfg(test)]
mod tests {
    use super::crash;

    #[test]
    fn a_crash_is_named_by_its_function() {
        let log = "------ STACK TRACE ------\nEIP:\n/x/falkordb.so(+0x1f) [0x7]\n\n\
                   1 redis-server\n/x/libc.so.6(epoll_wait+0x1) [0x1]\n\n\
                   2 thread-pool-thr *\n/x/falkordb.so(Next+0x1f) [0x7]\n/x/falkordb.so(+0x2) [0x3]\n\
                   /x/falkordb.so(Scan+0x2) [0x3]\n\n3 thread\n/x/libc.so.6(wait+0x1) [0x1]\n";
        let text = crash("the server ended: SIGSEGV; its log ends:\nmuch", log);
        assert_eq!(text, "the server ended: SIGSEGV in Next;\ncalled by Scan");
        let log = "------ STACK TRACE ------\nEIP:\n/x/falkordb.so(Next+0x1f)[0x7]\n\nBacktrace:\n\
                   /x/redis-server(sigsegvHandler+0x1)[0x1]\n/x/falkordb.so(Next+0x1f)[0x7]\n\
                   /x/falkordb.so(Scan+0x2)[0x3]\n";
        assert_eq!(crash("the server ended: SIGSEGV; x", log), "the server ended: SIGSEGV in Next;\ncalled by Scan");
        assert_eq!(crash("the server ended: exit code 1; x", "x"), "the server ended: exit code 1; x");
    }
}
