//! ClickHouse over HTTP: a server that the user names, or a private one.
//!
//! A session is a `session_id`, so that SET lasts from one request to the next, and a database that it made itself and
//! drops. `wait_end_of_query` makes the server hold an answer back until it is whole: an error is then never in the
//! middle of rows.

use super::private::Private;
use super::{ANSWER_BYTES, ClickHouseSession, FORMAT, KNOBS, Link, Reply, dialect, errors};
use crate::owned::{self, Fate};
use crate::stored::is_release_number;
use crate::url::{Secret, Url, shown};
use crate::{ConnectError, cache_folder};
use qualm_core::dialect::Spoken;
use qualm_core::session::{Engine, Session};
use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

/// The parent kills a child whose statement hangs long before; this is for questions that nobody watches.
const REQUEST_SECONDS: u64 = 60;
/// The longest that servers take; they forget a session that is idle for longer.
const SESSION_SECONDS: u32 = 3600;
/// How long a server that broke off may take to be dead.
const DYING_SECONDS: u64 = 3;

/// Where requests go.
#[derive(Clone)]
struct Address {
    /// Scheme, host and port, without a slash at the end.
    base: String,
    user: Option<(String, Secret)>,
}

impl Address {
    fn read(url: &str) -> Result<Address, String> {
        let url = Url::parse(url)?;
        if url.scheme != "http" {
            return Err(format!("'{}' is not supported, only 'http'", url.scheme));
        }
        if !url.path.is_empty() || url.options.is_some() {
            return Err("it names more than host and port; qualm creates its own database".into());
        }
        if url.host.is_empty() {
            return Err("it names no host".into());
        }
        let host = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host };
        let port = url.port.map_or(String::new(), |port| format!(":{port}"));
        let password = url.password.unwrap_or_default();
        Ok(Address { base: format!("http://{host}{port}"), user: url.user.map(|name| (name, password)) })
    }
}

/// Asks one thing. The error is what the transport says: the server is gone or never was there.
fn request(agent: &ureq::Agent, at: &Address, parameters: &[(&str, &str)], text: &str) -> Result<Reply, String> {
    let mut request = agent.post(format!("{}/", at.base));
    for (name, value) in [("wait_end_of_query", "1"), ("default_format", FORMAT)].iter().chain(parameters) {
        request = request.query(*name, *value);
    }
    if let Some((name, word)) = &at.user {
        request = request.header("X-ClickHouse-User", name).header("X-ClickHouse-Key", word.expose());
    }
    let mut response = request.send(text.as_bytes()).map_err(|e| e.to_string())?;
    let body = response.body_mut().with_config().limit(2 * ANSWER_BYTES as u64).read_to_vec();
    let body = body.map_err(|e| e.to_string())?;
    if response.status().is_success() {
        return Ok(Reply::Answer(body));
    }
    let text = String::from_utf8_lossy(&body);
    if text.trim().is_empty() {
        return Err(format!("status {} without a word", response.status()));
    }
    Ok(Reply::Refused(errors::brief(&text)))
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(REQUEST_SECONDS)))
        .build()
        .into()
}

/// The server of one engine, shared by its sessions.
enum Host {
    Named(Address),
    Private(Private),
}

impl Host {
    fn address(&self) -> Address {
        match self {
            Host::Named(address) => address.clone(),
            Host::Private(server) => Address { base: format!("http://127.0.0.1:{}", server.port()), user: None },
        }
    }

    /// How it ended, when a request broke off.
    fn death(&mut self, why: &str) -> String {
        match self {
            Host::Named(_) => format!("the server broke off: {why}"),
            Host::Private(server) => {
                let death = server.death_within(Duration::from_secs(DYING_SECONDS));
                death.unwrap_or_else(|| format!("the server lives but broke off: {why}"))
            }
        }
    }

    /// Starts a private server again that has died.
    fn revive(&mut self) -> Result<(), String> {
        match self {
            Host::Named(_) => Ok(()),
            Host::Private(server) => server.revive(),
        }
    }
}

struct ClickHouse {
    host: Rc<RefCell<Host>>,
    version: String,
    build: String,
}

/// `place` is a URL, the number of a release that `./x clickhouse` fetched, or nothing for a private server of the
/// newest of these, or of the program on the PATH.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let host = match place {
        Some(url) if url.contains("://") => {
            let address = Address::read(url).map_err(|why| {
                ConnectError::Usage(format!("cannot use '{}': {why}; pass clickhouse:http://HOST:PORT/", shown(url)))
            })?;
            Host::Named(address)
        }
        Some(other) if !is_release_number(other) => {
            let text = format!("'{}' is neither a release number nor http://HOST:PORT/", shown(other));
            return Err(ConnectError::Usage(text));
        }
        release => Host::Private(Private::start(release).map_err(ConnectError::Unreachable)?),
    };
    let address = host.address();
    let scalar = |question: &str| match request(&agent(), &address, &[], question) {
        Ok(Reply::Answer(bytes)) => super::answer::one_text(&bytes),
        Ok(Reply::Refused(why) | Reply::Dead(why)) => Err(why),
        Err(why) => Err(why),
    };
    let version = scalar("SELECT version()").map_err(|why| {
        ConnectError::Unreachable(format!("no ClickHouse answers at '{}': {why}; is it an HTTP port?", address.base))
    })?;
    let build = scalar("SELECT value FROM system.build_options WHERE name = 'VERSION_DESCRIBE'").unwrap_or_default();
    Ok(Box::new(ClickHouse { host: Rc::new(RefCell::new(host)), version, build }))
}

/// Where `./x clickhouse VERSION` puts what it fetches.
pub fn releases_folder() -> PathBuf {
    cache_folder().join("clickhouse")
}

impl Engine for ClickHouse {
    fn version(&self) -> String {
        format!("clickhouse {}", self.version)
    }

    fn build(&self) -> String {
        self.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Sql(dialect::of_release(&self.version))
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let link = HttpLink {
            host: self.host.clone(),
            agent: agent(),
            address: self.host.borrow().address(),
            session: String::new(),
            database: None,
        };
        Ok(Box::new(ClickHouseSession::open(link)?))
    }

    fn knob_file(&self) -> &'static str {
        KNOBS
    }
}

struct HttpLink {
    host: Rc<RefCell<Host>>,
    agent: ureq::Agent,
    address: Address,
    session: String,
    /// The database that this session has made.
    database: Option<String>,
}

impl HttpLink {
    fn send_in(&mut self, database: &str, text: &str) -> Reply {
        let timeout = SESSION_SECONDS.to_string();
        let place = [("session_id", &*self.session), ("session_timeout", &*timeout), ("database", database)];
        match request(&self.agent, &self.address, &place, text) {
            Ok(reply) => reply,
            Err(why) => Reply::Dead(self.host.borrow_mut().death(&why)),
        }
    }

    /// Databases that killed runs have left on a server that is not ours: their names say whose they were.
    fn sweep(&self) {
        if !matches!(*self.host.borrow(), Host::Named(_)) {
            return;
        }
        let all = "SELECT name FROM system.databases WHERE name LIKE 'qualm\\\\_%' FORMAT TabSeparated";
        let Ok(Reply::Answer(bytes)) = request(&self.agent, &self.address, &[], all) else { return };
        for name in String::from_utf8_lossy(&bytes).lines() {
            if matches!(owned::fate(name), Fate::Orphan | Fate::Expired) {
                let _ = request(&self.agent, &self.address, &[], &format!("DROP DATABASE IF EXISTS {name}"));
            }
        }
    }

    fn leave(&mut self) {
        if let Some(database) = self.database.take() {
            // Without the session, whose settings may keep it from being done.
            let _ = request(&self.agent, &self.address, &[], &format!("DROP DATABASE IF EXISTS {database}"));
        }
    }
}

impl Drop for HttpLink {
    fn drop(&mut self) {
        self.leave();
        self.sweep();
    }
}

impl Link for HttpLink {
    fn send(&mut self, text: &str) -> Reply {
        let database = self.database.clone().unwrap_or_else(|| "default".into());
        self.send_in(&database, text)
    }

    fn renew(&mut self) -> Result<(), String> {
        self.leave();
        self.host.borrow_mut().revive()?;
        self.address = self.host.borrow().address();
        if self.session.is_empty() {
            self.sweep();
        }
        let name = owned::fresh();
        self.session = name.clone();
        // Without IF NOT EXISTS: a database that is there already belongs to someone else.
        match request(&self.agent, &self.address, &[], &format!("CREATE DATABASE {name}")) {
            Ok(Reply::Answer(_)) => {}
            Ok(Reply::Refused(why) | Reply::Dead(why)) | Err(why) => {
                return Err(format!("cannot make the database '{name}': {why}"));
            }
        }
        self.database = Some(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_host_and_port_only() {
        let good = Address::read("http://me:word@[::1]:8123/").unwrap();
        assert_eq!((&*good.base, good.user), ("http://[::1]:8123", Some(("me".into(), Secret::new("word")))));
        assert_eq!(Address::read("http://localhost:8123").unwrap().base, "http://localhost:8123");
        for bad in ["localhost:8123", "https://x:1/", "http://x:1/production", "http:///"] {
            assert!(Address::read(bad).is_err(), "{bad}");
        }
    }
}
