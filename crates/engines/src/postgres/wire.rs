//! One connection to a PostgreSQL server, in its own protocol: the simple query, which is what `psql` sends, takes one
//! round trip and sends the type of each column beside text for each cell. Knows messages and values, no questions.

use crate::url::{Secret, Url};
use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::{ErrorFields, Message};
use postgres_protocol::message::frontend;
use qualm_core::value::{Rows, Value};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

/// Longest answer that is read; the rest of a longer one is thrown away unread.
const ANSWER_CELLS: usize = 1_000_000;
const ANSWER_BYTES: usize = 64 << 20;
const CONNECT_SECONDS: u64 = 10;
const PORT: u16 = 5432;

/// Where and as whom to connect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub host: Host,
    pub port: u16,
    pub user: String,
    pub password: Option<Secret>,
    pub database: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Host {
    /// The folder that the server's socket is in.
    Folder(PathBuf),
    Name(String),
}

impl Target {
    /// Reads `postgres://user:password@host:port/database`; `host` may be a percent-encoded folder. Everything behind
    /// the scheme may be left out.
    pub fn parse(url: &str) -> Result<Target, String> {
        let url = Url::parse(url)?;
        if !matches!(url.scheme.as_str(), "postgres" | "postgresql") {
            return Err("it does not begin with 'postgres://'".into());
        }
        if url.options.is_some() {
            return Err("options after '?' are not supported".into());
        }
        let host = match url.host.as_str() {
            "" => Host::Name("localhost".into()),
            path if path.starts_with('/') => Host::Folder(path.into()),
            name => Host::Name(name.into()),
        };
        let or = |text: String, otherwise: &str| if text.is_empty() { otherwise.to_string() } else { text };
        let (user, database) = (or(url.user.unwrap_or_default(), "postgres"), or(url.path, "postgres"));
        Ok(Target { host, port: url.port.unwrap_or(PORT), user, password: url.password, database })
    }
}

trait Stream: Read + Write {
    /// How long an answer may take before reading fails.
    fn set_patience(&self, patience: Option<Duration>) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(patience)
    }
}

impl Stream for UnixStream {
    fn set_patience(&self, patience: Option<Duration>) -> io::Result<()> {
        self.set_read_timeout(patience)
    }
}

pub struct Connection {
    stream: Box<dyn Stream>,
    received: BytesMut,
    sent: BytesMut,
    /// The number of the server's process for this connection, if it said so.
    pub backend: i32,
    /// As the server calls its release, for instance `18.4`.
    pub server_version: String,
}

/// An error in the server's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub sqlstate: String,
    pub text: String,
    /// FATAL and PANIC: the server ends the connection after saying so.
    pub last: bool,
}

#[derive(Debug)]
pub enum FailureKind {
    Refused(Refusal),
    /// The connection is gone; with what the server said last, if it said anything.
    Lost(String, Option<Refusal>),
    /// Rows or bytes beyond what is read here.
    TooLong,
}

impl std::fmt::Display for FailureKind {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            FailureKind::Refused(r) | FailureKind::Lost(_, Some(r)) => write!(f, "{} ({})", r.text, r.sqlstate),
            FailureKind::Lost(why, None) => write!(f, "the connection is lost: {why}"),
            FailureKind::TooLong => f.write_str("the answer is too long"),
        }
    }
}

impl From<io::Error> for FailureKind {
    fn from(e: io::Error) -> FailureKind {
        FailureKind::Lost(e.to_string(), None)
    }
}

impl Connection {
    /// `options` are settings as the server's command line has them: they are the defaults of this connection.
    pub fn open(target: &Target, options: &str) -> Result<Connection, FailureKind> {
        let stream = reach(target)?;
        // The system takes connections for a server that is stopped, and nobody answers.
        stream.set_patience(Some(Duration::from_secs(CONNECT_SECONDS)))?;
        let (received, sent) = (BytesMut::with_capacity(1 << 16), BytesMut::with_capacity(1 << 12));
        let mut connection = Connection { stream, received, sent, backend: 0, server_version: String::new() };
        let parameters = [
            ("user", target.user.as_str()),
            ("database", &target.database),
            ("client_encoding", "UTF8"),
            ("application_name", "qualm"),
            ("options", options),
        ];
        frontend::startup_message(parameters, &mut connection.sent)?;
        connection.flush()?;
        connection.log_in(target)?;
        connection.stream.set_patience(None)?;
        Ok(connection)
    }

    fn log_in(&mut self, target: &Target) -> Result<(), FailureKind> {
        let password = target.password.clone().unwrap_or_default();
        let mut scram = None;
        let unclear = || io::Error::other("the server wants another kind of log-in");
        loop {
            match self.next()? {
                Message::AuthenticationOk => {}
                Message::AuthenticationCleartextPassword => {
                    frontend::password_message(password.expose().as_bytes(), &mut self.sent)?;
                }
                Message::AuthenticationMd5Password(body) => {
                    let hash = md5_hash(target.user.as_bytes(), password.expose().as_bytes(), body.salt());
                    frontend::password_message(hash.as_bytes(), &mut self.sent)?;
                }
                Message::AuthenticationSasl(_) => {
                    let begun =
                        sasl::ScramSha256::new(password.expose().as_bytes(), sasl::ChannelBinding::unsupported());
                    frontend::sasl_initial_response(sasl::SCRAM_SHA_256, begun.message(), &mut self.sent)?;
                    scram = Some(begun);
                }
                Message::AuthenticationSaslContinue(body) => {
                    let begun = scram.as_mut().ok_or_else(unclear)?;
                    begun.update(body.data())?;
                    frontend::sasl_response(begun.message(), &mut self.sent)?;
                }
                Message::AuthenticationSaslFinal(body) => scram.as_mut().ok_or_else(unclear)?.finish(body.data())?,
                Message::BackendKeyData(body) => self.backend = body.process_id(),
                Message::ParameterStatus(body) => {
                    if body.name()? == "server_version" {
                        self.server_version = body.value()?.split(' ').next().unwrap_or_default().to_string();
                    }
                }
                Message::ErrorResponse(body) => return Err(FailureKind::Refused(refusal(body.fields()))),
                Message::ReadyForQuery(_) => return Ok(()),
                Message::NoticeResponse(_) => {}
                _ => return Err(unclear().into()),
            }
            self.flush()?;
        }
    }

    /// Runs one text. `None` when it has no rows by its nature; of several statements in one text, the last one counts.
    pub fn query(&mut self, text: &str) -> Result<Option<Rows>, FailureKind> {
        if text.contains('\0') {
            let text = "the statement holds a NUL character".into();
            return Err(FailureKind::Refused(Refusal { sqlstate: "22021".into(), text, last: false }));
        }
        self.sent.clear();
        frontend::query(text, &mut self.sent)?;
        self.flush()?;
        let mut answer = None;
        let mut refused: Option<Refusal> = None;
        let mut types = Vec::new();
        let (mut bytes, mut too_long) = (0, false);
        loop {
            match self.next() {
                Ok(Message::RowDescription(body)) => {
                    types = body.fields().map(|field| Ok(field.type_oid())).collect()?;
                    answer = Some(Rows::new(types.len()));
                    bytes = 0;
                }
                Ok(Message::DataRow(body)) => {
                    let rows = answer.as_mut().ok_or_else(|| io::Error::other("a row without a description"))?;
                    bytes += body.buffer().len();
                    too_long |= bytes > ANSWER_BYTES || rows.cells.len() > ANSWER_CELLS;
                    if !too_long {
                        let mut column = 0;
                        let mut ranges = body.ranges();
                        while let Some(range) = ranges.next()? {
                            let cell = range.map(|range| &body.buffer()[range]);
                            rows.cells.push(value(types[column], cell));
                            column += 1;
                        }
                    }
                }
                Ok(Message::CommandComplete(_) | Message::EmptyQueryResponse) => {}
                Ok(Message::CopyInResponse(_)) => {
                    self.sent.clear();
                    frontend::copy_fail("nothing is copied here", &mut self.sent)?;
                    self.flush()?;
                }
                Ok(Message::ErrorResponse(body)) => refused = Some(refusal(body.fields())),
                Ok(Message::ReadyForQuery(_)) => break,
                Ok(_) => {}
                Err(e) => return Err(FailureKind::Lost(e.to_string(), refused)),
            }
        }
        match refused {
            Some(refusal) => Err(FailureKind::Refused(refusal)),
            None if too_long => Err(FailureKind::TooLong),
            None => Ok(answer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.stream.write_all(&self.sent);
        self.sent.clear();
        done
    }

    fn next(&mut self) -> io::Result<Message> {
        loop {
            if let Some(message) = Message::parse(&mut self.received)? {
                return Ok(message);
            }
            let mut chunk = [0; 1 << 14];
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed it")),
                Ok(n) => self.received.extend_from_slice(&chunk[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.sent.clear();
        frontend::terminate(&mut self.sent);
        let _ = self.flush();
    }
}

fn reach(target: &Target) -> io::Result<Box<dyn Stream>> {
    let patience = Duration::from_secs(CONNECT_SECONDS);
    let name = match &target.host {
        Host::Folder(folder) => {
            return Ok(Box::new(UnixStream::connect(folder.join(format!(".s.PGSQL.{}", target.port)))?));
        }
        Host::Name(name) => name,
    };
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in (name.as_str(), target.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(Box::new(stream));
            }
            Err(e) => last = e,
        }
    }
    Err(last)
}

fn refusal(mut fields: ErrorFields) -> Refusal {
    let mut refusal = Refusal { sqlstate: String::new(), text: String::new(), last: false };
    while let Ok(Some(field)) = fields.next() {
        let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
        match field.type_() {
            b'C' => refusal.sqlstate = value(),
            b'M' => refusal.text = value(),
            b'V' => refusal.last = matches!(value().as_str(), "FATAL" | "PANIC"),
            _ => {}
        }
    }
    refusal
}

/// A cell in PostgreSQL's text form as the value that its column's type says.
fn value(type_oid: u32, cell: Option<&[u8]>) -> Value {
    let Some(bytes) = cell else { return Value::Null };
    let Ok(text) = std::str::from_utf8(bytes) else { return Value::Blob(bytes.to_vec()) };
    let as_text = || Value::Text(text.to_string());
    match type_oid {
        16 => Value::Bool(text == "t"),
        20 | 21 | 23 | 26 => text.parse().map_or_else(|_| as_text(), Value::Int),
        700 => text.parse::<f32>().map_or_else(|_| as_text(), |r| Value::real(f64::from(r))),
        701 => text.parse().map_or_else(|_| as_text(), Value::real),
        // NaN and the infinities are numbers, but no decimals.
        1700 if text.ends_with(|c: char| c.is_ascii_alphabetic()) => {
            text.parse().map_or_else(|_| as_text(), Value::real)
        }
        1700 => Value::decimal(text),
        17 => text.strip_prefix("\\x").and_then(unhex).map_or_else(as_text, Value::Blob),
        _ => as_text(),
    }
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: u8| (b as char).to_digit(16).map(|d| d as u8);
    text.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let full = Target::parse("postgres://me:p%40ss@db.example:6000/work").unwrap();
        assert_eq!((full.host, full.port), (Host::Name("db.example".into()), 6000));
        assert_eq!(
            (full.user.as_str(), full.password.as_ref().map(Secret::expose), full.database.as_str()),
            ("me", Some("p@ss"), "work")
        );
        let socket = Target::parse("postgresql://%2Fvar%2Frun:5433").unwrap();
        assert_eq!((socket.host, socket.port), (Host::Folder("/var/run".into()), 5433));
        assert_eq!(Target::parse("postgres://[::1]/").unwrap().host, Host::Name("::1".into()));
        assert_eq!(Target::parse("postgres://[::1]:7/").unwrap().port, 7);
        for bad in ["mysql://x", "postgres://h:port", "postgres://h/%zz", "postgres://h/d?sslmode=require"] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn cells_are_typed_by_their_column() {
        let of = |oid, text: &str| value(oid, Some(text.as_bytes()));
        assert_eq!(value(23, None), Value::Null);
        assert_eq!(of(16, "t"), Value::Bool(true));
        assert_eq!(of(20, "-9223372036854775808"), Value::Int(i64::MIN));
        assert_eq!(of(701, "-Infinity"), Value::Real(f64::NEG_INFINITY));
        assert_eq!(of(700, "0.1"), Value::Real(f64::from(0.1f32)));
        assert_eq!(of(1700, "1.50"), Value::Decimal("1.5".into()));
        assert!(matches!(of(1700, "NaN"), Value::Real(r) if r.is_nan()));
        assert_eq!(of(17, "\\x00fF"), Value::Blob(vec![0, 255]));
        assert_eq!(of(1114, "2020-01-01 00:00:00"), Value::Text("2020-01-01 00:00:00".into()));
    }
}
