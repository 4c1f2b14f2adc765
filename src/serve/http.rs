//! As much of HTTP/1.1 as a page for one person needs: GET and HEAD, one request per connection, no bodies, limits on
//! everything. Knows nothing of what is served.

use qualm_engines::url;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longest head of a request.
const HEAD_BYTES: usize = 8 << 10;
/// Most headers of a request; browsers send about twenty.
const HEADERS: usize = 100;
/// A request that is not there by then will not come.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
/// A reader that takes nothing for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    pub head_only: bool,
    pub path: String,
    pub query: Vec<(String, String)>,
    pub host: String,
    pub authorization: String,
}

impl Request {
    pub fn value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str())
    }
}

/// What a request is answered with when it is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok,
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    MethodNotAllowed,
    TooLarge,
    Busy,
}

impl Status {
    fn line(self) -> &'static str {
        match self {
            Status::Ok => "200 OK",
            Status::BadRequest => "400 Bad Request",
            Status::Unauthorized => "401 Unauthorized",
            Status::Forbidden => "403 Forbidden",
            Status::NotFound => "404 Not Found",
            Status::MethodNotAllowed => "405 Method Not Allowed",
            Status::TooLarge => "431 Request Header Fields Too Large",
            Status::Busy => "503 Service Unavailable",
        }
    }
}

/// Reads one request; nothing when the other side went away without one.
pub fn read(stream: &mut TcpStream) -> io::Result<Result<Request, Status>> {
    let until = Instant::now() + HEAD_TIMEOUT;
    stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
    let mut head = Vec::new();
    let mut piece = [0; 1024];
    while !head.windows(4).any(|w| w == b"\r\n\r\n") {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let n = stream.read(&mut piece)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&piece[..n]);
        if head.len() > HEAD_BYTES {
            return Ok(Err(Status::TooLarge));
        }
    }
    Ok(parse(&head))
}

fn parse(head: &[u8]) -> Result<Request, Status> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    match parsed.parse(head) {
        Ok(httparse::Status::Complete(_)) => {}
        Err(httparse::Error::TooManyHeaders) => return Err(Status::TooLarge),
        Ok(httparse::Status::Partial) | Err(_) => return Err(Status::BadRequest),
    }
    let target = parsed.path.filter(|target| target.starts_with('/')).ok_or(Status::BadRequest)?;
    let method = parsed.method.unwrap_or_default();
    if !matches!(method, "GET" | "HEAD") {
        return Err(Status::MethodNotAllowed);
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let pair = |part: &str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        Ok((decoded(name)?, decoded(value)?))
    };
    let query = query.split('&').filter(|p| !p.is_empty()).map(pair).collect::<Result<_, _>>()?;
    let header = |name: &str| -> Result<String, Status> {
        let found = parsed.headers.iter().rfind(|h| h.name.eq_ignore_ascii_case(name));
        let value = std::str::from_utf8(found.map_or(&[][..], |h| h.value)).map_err(|_| Status::BadRequest)?;
        Ok(value.trim().to_owned())
    };
    Ok(Request {
        head_only: method == "HEAD",
        path: decoded(path)?,
        query,
        host: header("host")?,
        authorization: header("authorization")?,
    })
}

/// Percent signs and plus signs undone.
fn decoded(text: &str) -> Result<String, Status> {
    url::decoded(&text.replace('+', " ")).map_err(|_| Status::BadRequest)
}

/// The beginning of an answer; without a length it goes on until the connection ends.
fn head(status: Status, kind: &str, length: Option<usize>) -> String {
    let length = length.map_or(String::new(), |n| format!("Content-Length: {n}\r\n"));
    let allow = if status == Status::MethodNotAllowed { "Allow: GET, HEAD\r\n" } else { "" };
    format!(
        "HTTP/1.1 {}\r\nContent-Type: {kind}\r\n{length}{allow}Connection: close\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: {}\r\n\r\n",
        status.line(),
        qualm_run::report::page::POLICY
    )
}

pub fn respond(stream: &mut TcpStream, kind: &str, body: &[u8], head_only: bool) -> io::Result<()> {
    stream.write_all(head(Status::Ok, kind, Some(body.len())).as_bytes())?;
    if !head_only {
        stream.write_all(body)?;
    }
    stream.flush()
}

pub fn refuse(stream: &mut TcpStream, status: Status, why: &str) -> io::Result<()> {
    let body = format!("{}: {why}\n", status.line());
    stream.write_all(head(status, "text/plain; charset=utf-8", Some(body.len())).as_bytes())?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

/// Begins a stream of events.
pub fn begin_events(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(head(Status::Ok, "text/event-stream", None).as_bytes())?;
    stream.flush()
}

/// JSON has no line ends of its own, so that one line of data is enough.
pub fn event(stream: &mut TcpStream, name: &str, data: &impl serde::Serialize) -> io::Result<()> {
    let data = serde_json::to_string(data).map_err(io::Error::other)?;
    stream.write_all(format!("event: {name}\ndata: {data}\n\n").as_bytes())?;
    stream.flush()
}

/// Keeps the connection alive, and notices when the other side has gone.
pub fn comment(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(b": still here\n\n")?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read() {
        let text = "GET /finding?id=a%2Fb+c&token=x HTTP/1.1\r\nHost: localhost:1\r\nAUTHORIZATION: Bearer x\r\n\r\n";
        let request = parse(text.as_bytes()).unwrap();
        assert_eq!((request.path.as_str(), request.value("id")), ("/finding", Some("a/b c")));
        assert_eq!((request.host.as_str(), request.authorization.as_str()), ("localhost:1", "Bearer x"));
    }

    #[test]
    fn others_are_refused() {
        for (text, status) in [
            ("POST / HTTP/1.1\r\n\r\n", Status::MethodNotAllowed),
            ("DELETE /finding HTTP/1.1\r\n\r\n", Status::MethodNotAllowed),
            ("GET http://elsewhere/ HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("GET / HTTP/2\r\n\r\n", Status::BadRequest),
            ("GET /%zz HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("GET /%ff HTTP/1.1\r\n\r\n", Status::BadRequest),
            ("\r\n\r\n", Status::BadRequest),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err(), status, "{text}");
        }
    }
}
