//! Where a PostgreSQL server is: a private one that is started from a release, or one that runs already. Knows how to
//! find releases, how to start a server and what its log says about a death.

use super::wire::{Connection, FailureKind, Host, Target};
use crate::server::{Kept, Place, Recipe, Server, Signal};
use crate::stored::is_release_number;
use crate::url::Secret;
use crate::{ConnectError, cache_folder};
use qualm_core::limits::SERVER_STATEMENT_MS;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The port is only part of the socket's name; the folder is private.
const PORT: u16 = 5432;
const SUPERUSER: &str = "postgres";
const ROOM_BYTES: u64 = 1 << 30;
/// After a crash the server ends all its processes and begins again.
const RECOVERY_SECONDS: u64 = 10;
/// How long the log may take to say how a process died.
const LAST_WORDS_MS: u64 = 2_000;

/// Data that nobody needs after a power cut; small memory; no process that changes plans at moments of its own. The log
/// says how processes died and not which statements were wrong.
const SETTINGS: &[&str] = &[
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_wal_size=256MB",
    "min_wal_size=32MB",
    "checkpoint_timeout=1h",
    "autovacuum=off",
    "shared_buffers=64MB",
    "huge_pages=off",
    "max_connections=20",
    // Files in the data folder instead of names in /dev/shm, which would stay behind.
    "dynamic_shared_memory_type=mmap",
    "log_min_messages=log",
    "log_checkpoints=off",
    "max_files_per_process=200",
];

pub enum Home {
    Private(RefCell<Kept>),
    Running(Target),
}

/// A folder with `bin/postgres` and `bin/initdb` in it.
pub struct Release {
    pub version: String,
    pub files: PathBuf,
}

impl Home {
    pub fn private(release: Release) -> Home {
        Home::Private(RefCell::new(Kept::new(move || start(&release))))
    }

    /// A connection to the database, or to the one for administration. A private server is started if none runs.
    pub fn connect(&self, database: Option<&str>) -> Result<Connection, FailureKind> {
        self.reach(database, None)
    }

    /// A connection to the database as somebody else.
    pub fn connect_as(&self, database: &str, user: &str, password: &Secret) -> Result<Connection, FailureKind> {
        self.reach(Some(database), Some((user, password)))
    }

    fn reach(&self, database: Option<&str>, login: Option<(&str, &Secret)>) -> Result<Connection, FailureKind> {
        let mut target = match self {
            Home::Running(target) => target.clone(),
            Home::Private(kept) => socket(kept.borrow_mut().up().map_err(|why| FailureKind::Lost(why, None))?.place()),
        };
        if let Some(name) = database {
            target.database = name.into();
        }
        if let Some((user, password)) = login {
            (target.user, target.password) = (user.into(), Some(password.clone()));
        }
        let until = Instant::now() + Duration::from_secs(RECOVERY_SECONDS);
        loop {
            match Connection::open(&target, &session_options()) {
                // The database system is starting up, or in recovery mode after a crash.
                Err(FailureKind::Refused(r)) if r.sqlstate == "57P03" && Instant::now() < until => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                done => return done,
            }
        }
    }

    /// A server that is not ours counts as running.
    pub fn is_up(&self) -> bool {
        match self {
            Home::Private(kept) => kept.borrow_mut().is_up(),
            Home::Running(_) => true,
        }
    }

    /// Where the log ends now, for `death_since`.
    pub fn log_bytes(&self) -> u64 {
        match self {
            Home::Private(kept) => kept.borrow().last().map_or(0, Server::log_bytes),
            Home::Running(_) => 0,
        }
    }

    /// After a connection was lost: which process died of what, as the log or the server's exit says.
    pub fn death_since(&self, log_from: u64) -> Option<String> {
        let Home::Private(kept) = self else { return None };
        let mut kept = kept.borrow_mut();
        let server = kept.last_mut()?;
        let until = Instant::now() + Duration::from_millis(LAST_WORDS_MS);
        loop {
            if let Some(words) = last_words(&server.log_since(log_from)) {
                return Some(words);
            }
            if let Some(death) = server.death() {
                return Some(death);
            }
            if Instant::now() > until {
                return None;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the kernel has killed a process for memory since the private server was started.
    pub fn ran_out_of_memory(&self) -> bool {
        match self {
            Home::Private(kept) => kept.borrow().last().is_some_and(Server::ran_out_of_memory),
            Home::Running(_) => false,
        }
    }

    pub fn cpu_seconds(&self) -> f64 {
        match self {
            Home::Private(kept) => kept.borrow().cpu_seconds(),
            Home::Running(_) => 0.0,
        }
    }
}

/// The lines about a process that was killed, the first one first and without the number that changes.
fn last_words(log: &str) -> Option<String> {
    let words = ["was terminated by signal", "PANIC:", "TRAP:"];
    let at = log.find(words.iter().find(|w| log.contains(**w))?)?;
    let line = log[log[..at].rfind('\n').map_or(0, |n| n + 1)..].lines().next()?;
    // A whole line: the rest is still being written.
    log[at..].find('\n')?;
    let said = line.split_once("LOG:").map_or(line, |(_, said)| said).trim();
    let plain = match (said.find(" (PID "), said.find(") ")) {
        (Some(open), Some(close)) if open < close => format!("{}{}", &said[..open], &said[close + 1..]),
        _ => said.to_string(),
    };
    Some(format!("{plain}\n{}", log.trim_end()))
}

/// Settings that the tool depends on, as defaults of each connection: `RESET ALL` does not change them.
fn session_options() -> String {
    let settings = [
        format!("statement_timeout={SERVER_STATEMENT_MS}"),
        "extra_float_digits=3".into(),
        "bytea_output=hex".into(),
        "DateStyle=ISO".into(),
        "IntervalStyle=postgres".into(),
        "TimeZone=UTC".into(),
        "client_min_messages=error".into(),
        "standard_conforming_strings=on".into(),
    ];
    settings.iter().map(|s| format!("-c {s} ")).collect()
}

fn start(release: &Release) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "postgres",
        release: &release.version,
        files: &release.files,
        initialise: &initialise,
        revision: 1,
        serve: &serve,
        answers: &|place| Connection::open(&socket(place), "").map(drop).map_err(|e| e.to_string()),
        // Ends all processes at once and frees what the system keeps for them.
        stop_signal: Signal::QUIT,
        room: ROOM_BYTES,
    })
}

fn socket(place: &Place) -> Target {
    Target {
        host: Host::Folder(place.folder.clone()),
        port: PORT,
        user: SUPERUSER.into(),
        password: None,
        database: "postgres".into(),
    }
}

fn initialise(place: &Place) -> Vec<Command> {
    let mut command = place.command("bin/initdb");
    command.arg("-D").arg(&place.data).args(["-U", SUPERUSER, "-A", "trust", "--no-locale", "-E", "UTF8", "-N"]);
    vec![command]
}

fn serve(place: &Place) -> Command {
    let mut command = place.command("bin/postgres");
    command.arg("-D").arg(&place.data).arg("-k").arg(&place.folder).args(["-p", &PORT.to_string()]);
    for setting in SETTINGS {
        command.args(["-c", setting]);
    }
    command
}

// ---------------------------------------------------------------- releases

pub fn releases_folder() -> PathBuf {
    cache_folder().join("postgres")
}

impl Release {
    /// The release of this number that './x postgres' fetched.
    pub fn cached(version: &str) -> Result<Release, ConnectError> {
        let files = releases_folder().join(version);
        if files.join("bin/postgres").is_file() {
            return Ok(Release { version: version.into(), files });
        }
        let folder = files.display();
        Err(ConnectError::Unreachable(format!("no PostgreSQL in '{folder}'; run './x postgres {version}' to fetch it")))
    }

    /// The newest release that was fetched, or the one on PATH.
    pub fn newest() -> Result<Release, ConnectError> {
        let entries = std::fs::read_dir(releases_folder()).into_iter().flatten().flatten();
        let names = entries.filter_map(|e| e.file_name().into_string().ok());
        let newest = names.filter(|n| is_release_number(n)).max_by_key(|name| numbers(name));
        match newest {
            Some(version) => Release::cached(&version),
            None => Release::on_path().ok_or_else(|| {
                ConnectError::Unreachable(
                    "no PostgreSQL here; run './x postgres 18.4', put 'postgres' on PATH, or name a running server: \
                     --engine postgres:URL"
                        .into(),
                )
            }),
        }
    }

    fn on_path() -> Option<Release> {
        let path = std::env::var_os("PATH")?;
        let program = std::env::split_paths(&path).map(|f| f.join("postgres")).find(|p| p.is_file())?;
        let program = program.canonicalize().ok()?;
        let files = program.parent().filter(|bin| bin.ends_with("bin")).and_then(Path::parent)?.to_path_buf();
        let said = Command::new(&program).arg("--version").output().ok()?.stdout;
        let said = String::from_utf8_lossy(&said).into_owned();
        let version = said.split_whitespace().find(|word| is_release_number(word))?.to_string();
        Some(Release { version, files })
    }
}

fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_names_the_cause_of_a_death() {
        let log = "2026-01-01 00:00:00.000 UTC [7] LOG:  server process (PID 9) was terminated by signal 11: \
                   Segmentation fault\n2026 UTC [7] DETAIL:  Failed process was running: SELECT 1\n";
        let words = last_words(log).unwrap();
        assert_eq!(words.lines().next(), Some("server process was terminated by signal 11: Segmentation fault"));
        assert_eq!(last_words("LOG:  database system is ready to accept connections\n"), None);
        assert_eq!(last_words(log.lines().next().unwrap()), None);
        assert!(numbers("18.10") > numbers("18.4") && numbers("9.6.1") < numbers("10.20"));
    }
}
