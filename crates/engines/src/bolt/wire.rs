//! One connection that speaks Bolt, versions 4.0 to 5.0: handshake, log-in, one statement in one round trip. Knows
//! messages; what they mean for a hunt is the driver's matter.

use super::packstream::{Reader, Structure, Writer};
use crate::url::{Secret, Url};
use qualm_core::value::{Rows, Value};
use std::io::{self, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// Longest answer that is kept; the rest of a longer one is thrown away unread.
const ANSWER_CELLS: usize = 1_000_000;
const ANSWER_BYTES: usize = 64 << 20;
const MESSAGE_BYTES: usize = 64 << 20;
const CONNECT_SECONDS: u64 = 10;
const PORT: u16 = 7687;
/// The parent of a child whose statement hangs kills it long before; this is for questions that nobody watches.
pub const PATIENCE_SECONDS: u64 = 60;

const MAGIC: [u8; 4] = [0x60, 0x60, 0xB0, 0x17];
/// In order of preference: 5.0, 4.4 down to 4.2, 4.1, 4.0. Later versions add only what is not used here.
const VERSIONS: [[u8; 4]; 4] = [[0, 0, 0, 5], [0, 2, 4, 4], [0, 0, 1, 4], [0, 0, 0, 4]];

const HELLO: u8 = 0x01;
const GOODBYE: u8 = 0x02;
const RESET: u8 = 0x0F;
const RUN: u8 = 0x10;
const PULL: u8 = 0x3F;
const SUCCESS: u8 = 0x70;
const RECORD: u8 = 0x71;
const IGNORED: u8 = 0x7E;
const FAILURE: u8 = 0x7F;

/// Where and as whom to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub host: String,
    pub port: u16,
    pub user: Option<(String, Secret)>,
    /// The server's default one when none is named.
    pub database: Option<String>,
}

impl Target {
    /// Reads `bolt://USER:PASSWORD@HOST:PORT/DATABASE`; all but the host may be left out.
    pub fn parse(url: &str) -> Result<Target, String> {
        let url = Url::parse(url)?;
        if !matches!(url.scheme.as_str(), "bolt" | "neo4j") {
            return Err("it does not begin with 'bolt://'; encrypted connections are not supported".into());
        }
        if url.options.is_some() {
            return Err("options after '?' are not supported".into());
        }
        if url.host.is_empty() {
            return Err("it names no host".into());
        }
        let password = url.password.unwrap_or_default();
        let database = if url.path.is_empty() { None } else { Some(url.path) };
        Ok(Target {
            host: url.host,
            port: url.port.unwrap_or(PORT),
            user: url.user.map(|name| (name, password)),
            database,
        })
    }

    /// A server of our own on this machine.
    pub fn own(port: u16) -> Target {
        Target { host: "127.0.0.1".into(), port, user: None, database: None }
    }
}

/// An error in the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// For instance `Neo.ClientError.Statement.SyntaxError`.
    pub code: String,
    pub text: String,
}

#[derive(Debug)]
pub enum FailureKind {
    Refused(Refusal),
    /// The connection is gone, or something came over it that makes no sense.
    Lost(String),
    /// No answer for so long that nobody waits any more.
    Stuck,
    /// Rows or bytes beyond what is kept here.
    TooLong,
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            FailureKind::Refused(r) => write!(f, "{} ({})", r.text, r.code),
            FailureKind::Lost(why) => write!(f, "the connection is lost: {why}"),
            FailureKind::Stuck => write!(f, "no answer within {PATIENCE_SECONDS} s"),
            FailureKind::TooLong => f.write_str("the answer is too long"),
        }
    }
}

impl From<io::Error> for FailureKind {
    fn from(e: io::Error) -> FailureKind {
        match e.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => FailureKind::Stuck,
            _ => FailureKind::Lost(e.to_string()),
        }
    }
}

/// What one statement gave.
#[derive(Debug, Default)]
pub struct Answer {
    pub rows: Rows,
    /// What the server said at the end: statistics, and the plan of an `EXPLAIN`.
    pub summary: Vec<(String, Value)>,
}

impl Answer {
    pub fn said(&self, key: &str) -> Option<&Value> {
        self.summary.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }
}

pub struct Connection {
    stream: BufReader<TcpStream>,
    database: Option<String>,
    /// The last statement failed, and the server waits for an acknowledgement.
    failed: bool,
    /// What the server calls itself, for instance `Neo4j/4.4.0`.
    pub agent: String,
    sent: Vec<u8>,
    message: Vec<u8>,
}

impl Connection {
    pub fn open(target: &Target) -> Result<Connection, FailureKind> {
        let stream = BufReader::with_capacity(1 << 16, reach(target)?);
        let (sent, message) = (Vec::with_capacity(1 << 12), Vec::with_capacity(1 << 12));
        let database = target.database.clone();
        let mut connection = Connection { stream, database, failed: false, agent: String::new(), sent, message };
        connection.sent.extend(MAGIC);
        connection.sent.extend(VERSIONS.concat());
        connection.flush()?;
        let mut chosen = [0; 4];
        connection.stream.read_exact(&mut chosen)?;
        if !(chosen[3] == 4 || chosen == VERSIONS[0]) {
            return Err(FailureKind::Lost(format!("it speaks no version of Bolt that is supported here ({chosen:?})")));
        }
        connection.log_in(target)?;
        Ok(connection)
    }

    fn log_in(&mut self, target: &Target) -> Result<(), FailureKind> {
        let mut hello = Writer::default();
        hello.structure(HELLO, 1);
        let mut entries =
            vec![("user_agent", "qualm/1"), ("scheme", if target.user.is_some() { "basic" } else { "none" })];
        if let Some((name, word)) = &target.user {
            entries.extend([("principal", name.as_str()), ("credentials", word.expose())]);
        }
        hello.map(entries.len());
        for (key, value) in entries {
            hello.text(key);
            hello.text(value);
        }
        self.queue(&hello);
        self.flush()?;
        let reply = self.next()?;
        if reply.tag != SUCCESS {
            return Err(refused(reply));
        }
        if let Some(Value::Text(agent)) = entries_of(reply).into_iter().find(|(k, _)| k == "server").map(|(_, v)| v) {
            self.agent = agent;
        }
        Ok(())
    }

    /// From now on statements go to this database.
    pub fn use_database(&mut self, name: &str) {
        self.database = Some(name.to_string());
    }

    /// Runs one statement and fetches all of its answer. The server is asked to end it after `limit_ms`.
    pub fn query(&mut self, text: &str, limit_ms: u64) -> Result<Answer, FailureKind> {
        self.sent.clear();
        if self.failed {
            let mut reset = Writer::default();
            reset.structure(RESET, 0);
            self.queue(&reset);
        }
        self.queue(&run(text, self.database.as_deref(), limit_ms));
        let mut pull = Writer::default();
        pull.structure(PULL, 1);
        pull.map(1);
        pull.text("n");
        pull.int(-1);
        self.queue(&pull);
        self.flush()?;
        if std::mem::take(&mut self.failed) {
            let reply = self.next()?;
            if reply.tag != SUCCESS {
                return Err(FailureKind::Lost(format!("the server does not recover: {}", refused(reply))));
            }
        }
        let head = self.next()?;
        if head.tag != SUCCESS {
            self.failed = true;
            // The pull behind it was not looked at.
            self.next()?;
            return Err(refused(head));
        }
        let fields = entries_of(head).into_iter().find(|(k, _)| k == "fields").map(|(_, v)| v);
        let columns = if let Some(Value::List(names)) = fields { names.len() } else { 0 };
        self.pull(columns)
    }

    fn pull(&mut self, columns: usize) -> Result<Answer, FailureKind> {
        let mut rows = Rows::new(columns);
        let (mut bytes, mut too_long) = (0, false);
        loop {
            let reply = self.next()?;
            match reply.tag {
                RECORD => {
                    bytes += self.message.len();
                    too_long |= bytes > ANSWER_BYTES || rows.cells.len() > ANSWER_CELLS;
                    let Some(Value::List(cells)) = reply.fields.into_iter().next() else {
                        return Err(FailureKind::Lost("a record without a list".into()));
                    };
                    if cells.len() != columns {
                        return Err(FailureKind::Lost(format!("{} values for {columns} fields", cells.len())));
                    }
                    if !too_long {
                        rows.cells.extend(cells);
                    }
                }
                SUCCESS if too_long => return Err(FailureKind::TooLong),
                SUCCESS => return Ok(Answer { rows, summary: entries_of(reply) }),
                _ => {
                    self.failed = true;
                    return Err(refused(reply));
                }
            }
        }
    }

    /// A message in chunks: size and bytes, again and again, until a size of 0.
    fn queue(&mut self, message: &Writer) {
        for chunk in message.0.chunks(0xFFFF) {
            self.sent.extend((chunk.len() as u16).to_be_bytes());
            self.sent.extend(chunk);
        }
        self.sent.extend([0, 0]);
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.stream.get_mut().write_all(&self.sent);
        self.sent.clear();
        done
    }

    fn next(&mut self) -> Result<Structure, FailureKind> {
        self.message.clear();
        loop {
            let mut size = [0; 2];
            self.stream.read_exact(&mut size)?;
            let size = usize::from(u16::from_be_bytes(size));
            if size == 0 {
                // An empty message only says that the server is still there.
                if self.message.is_empty() {
                    continue;
                }
                return Reader::new(&self.message).message().map_err(FailureKind::Lost);
            }
            let from = self.message.len();
            if from + size > MESSAGE_BYTES {
                return Err(FailureKind::Lost("a message longer than is read here".into()));
            }
            self.message.resize(from + size, 0);
            self.stream.read_exact(&mut self.message[from..])?;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut goodbye = Writer::default();
        goodbye.structure(GOODBYE, 0);
        self.sent.clear();
        self.queue(&goodbye);
        let _ = self.flush();
    }
}

fn run(text: &str, database: Option<&str>, limit_ms: u64) -> Writer {
    let mut run = Writer::default();
    run.structure(RUN, 3);
    run.text(text);
    run.map(0);
    run.map(1 + usize::from(database.is_some()));
    run.text("tx_timeout");
    run.int(limit_ms as i64);
    if let Some(name) = database {
        run.text("db");
        run.text(name);
    }
    run
}

fn entries_of(message: Structure) -> Vec<(String, Value)> {
    match message.fields.into_iter().next() {
        Some(Value::Map(entries)) => entries,
        _ => Vec::new(),
    }
}

fn refused(message: Structure) -> FailureKind {
    let tag = message.tag;
    if tag == IGNORED {
        return FailureKind::Lost("the server ignores what it is sent".into());
    }
    if tag != FAILURE {
        return FailureKind::Lost(format!("an unexpected message 0x{tag:02X}"));
    }
    let entries = entries_of(message);
    let find = |key: &str| match entries.iter().find(|(k, _)| k == key) {
        Some((_, Value::Text(text))) => text.clone(),
        _ => String::new(),
    };
    FailureKind::Refused(Refusal { code: find("code"), text: find("message") })
}

fn reach(target: &Target) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (target.host.as_str(), target.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, Duration::from_secs(CONNECT_SECONDS)) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(Duration::from_secs(PATIENCE_SECONDS)))?;
                return Ok(stream);
            }
            Err(e) => last = e,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let full = Target::parse("bolt://me:word@db.example:6000/work").unwrap();
        assert_eq!((full.host.as_str(), full.port), ("db.example", 6000));
        assert_eq!((full.user, full.database), (Some(("me".into(), Secret::new("word"))), Some("work".into())));
        let short = Target::parse("neo4j://[::1]").unwrap();
        assert_eq!((short.host.as_str(), short.port, short.user, short.database), ("::1", 7687, None, None));
        for bad in ["bolt+s://h", "http://h", "bolt://h:x", "bolt://"] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }
}
