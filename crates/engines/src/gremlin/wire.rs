//! Requests to a Gremlin Server over a WebSocket: one at a time, the parts of an answer put together.

use crate::url::Url;
use serde_json::{Value as Json, json};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tungstenite::{Message, WebSocket};

const MIME: &str = "application/vnd.gremlin-v3.0+json";
const CONNECT_MS: u64 = 5_000;
const PORT: u16 = 8182;
/// Results and members of the answer that are read; a longer one is a limit reached.
const ANSWER_RESULTS: usize = 100_000;

/// Where a server is.
#[derive(Clone, Debug)]
pub struct Target {
    pub host: String,
    pub port: u16,
    pub path: String,
}

impl Target {
    /// `ws://HOST:PORT/PATH`; port 8182 and the path `/gremlin` are what servers have.
    pub fn parse(url: &str) -> Result<Target, String> {
        let url = Url::parse(url)?;
        if url.scheme != "ws" {
            return Err("it does not begin with 'ws://'".into());
        }
        if url.user.is_some() || url.options.is_some() {
            return Err("a user, a password and options are not supported".into());
        }
        if url.host.is_empty() {
            return Err("it names no host".into());
        }
        let path = if url.path.is_empty() { "gremlin".into() } else { url.path };
        Ok(Target { host: url.host, port: url.port.unwrap_or(PORT), path: format!("/{path}") })
    }
}

pub struct Connection {
    socket: WebSocket<TcpStream>,
    /// Variables live as long as this name is used.
    session: String,
}

/// What a server said, or why it said nothing.
pub enum Reply {
    /// The results, in their own JSON.
    Results(Vec<Json>),
    /// A status that is no success, and its text.
    Refused(u64, String),
    TooLong,
    /// No word within the time given.
    Silent,
    Lost(String),
}

impl Connection {
    pub fn open(target: &Target, patience: Duration) -> Result<Connection, String> {
        let place = (target.host.as_str(), target.port);
        let address = place.to_socket_addrs().map_err(|e| e.to_string())?.next().ok_or("no such host")?;
        let stream =
            TcpStream::connect_timeout(&address, Duration::from_millis(CONNECT_MS)).map_err(|e| e.to_string())?;
        let prepare = || stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(patience)));
        prepare().map_err(|e| e.to_string())?;
        let host = if target.host.contains(':') { format!("[{}]", target.host) } else { target.host.clone() };
        let url = format!("ws://{host}:{}{}", target.port, target.path);
        let (socket, _) = tungstenite::client(url, stream).map_err(|e| e.to_string())?;
        Ok(Connection { socket, session: unique() })
    }

    /// Evaluates a script in this connection's session.
    pub fn eval(&mut self, script: &str, limit_ms: u64) -> Reply {
        let arguments = json!({"@type": "g:Map", "@value": [
            "gremlin", script, "session", self.session, "language", "gremlin-groovy",
            "evaluationTimeout", {"@type": "g:Int64", "@value": limit_ms},
        ]});
        self.request("eval", arguments)
    }

    /// Ends the session on the server's side.
    pub fn close(&mut self) {
        let arguments = json!({"@type": "g:Map", "@value": ["session", self.session]});
        let _ = self.request("close", arguments);
        let _ = self.socket.close(None);
    }

    fn request(&mut self, operation: &str, arguments: Json) -> Reply {
        let request = json!({
            "requestId": {"@type": "g:UUID", "@value": unique()},
            "op": operation, "processor": "session", "args": arguments,
        });
        let mut bytes = vec![MIME.len() as u8];
        bytes.extend_from_slice(MIME.as_bytes());
        bytes.extend_from_slice(request.to_string().as_bytes());
        if let Err(error) = self.socket.send(Message::binary(bytes)) {
            return lost(&error);
        }
        let mut results = Vec::new();
        loop {
            let text = match self.socket.read() {
                Ok(Message::Text(text)) => text.as_bytes().to_vec(),
                Ok(Message::Binary(bytes)) => bytes.to_vec(),
                Ok(Message::Close(_)) => return Reply::Lost("the server closed the connection".into()),
                Ok(_) => continue,
                // A signal for this process says nothing about the server.
                Err(tungstenite::Error::Io(e)) if e.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return lost(&error),
            };
            let said: Json = match serde_json::from_slice(&text) {
                Ok(said) => said,
                Err(error) => return Reply::Lost(format!("its reply is not JSON: {error}")),
            };
            let code = said["status"]["code"].as_u64().unwrap_or(0);
            if !matches!(code, 200 | 204 | 206) {
                return Reply::Refused(code, said["status"]["message"].as_str().unwrap_or_default().to_owned());
            }
            if let Some(Json::Array(part)) = said.pointer("/result/data/@value") {
                results.extend_from_slice(part);
            }
            if code != 206 {
                return if results.len() > ANSWER_RESULTS { Reply::TooLong } else { Reply::Results(results) };
            }
        }
    }
}

fn lost(error: &tungstenite::Error) -> Reply {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    match error {
        tungstenite::Error::Io(e) if matches!(e.kind(), WouldBlock | TimedOut) => Reply::Silent,
        other => Reply::Lost(other.to_string()),
    }
}

/// In the form of a UUID; different for every request of every process here.
fn unique() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{:08x}-0000-4000-8000-{:012x}", std::process::id(), n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let t = Target::parse("ws://localhost:8183/g").unwrap();
        assert_eq!((t.host.as_str(), t.port, t.path.as_str()), ("localhost", 8183, "/g"));
        let t = Target::parse("ws://host").unwrap();
        assert_eq!((t.host.as_str(), t.port, t.path.as_str()), ("host", 8182, "/gremlin"));
        assert!(Target::parse("http://host").is_err() && Target::parse("ws://host:x/").is_err());
    }
}
