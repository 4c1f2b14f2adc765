//! `qualm serve` and `qualm hunt --serve`: the page of `qualm report` while a hunt runs, kept current by events.
//!
//! Read-only: two methods, three paths, and files are only found by looking, never by a name that a request brings. On
//! loopback anyone on this machine may read it, but no page of another site: the name by which it is asked for must be
//! loopback's too. Any other address needs a token.

mod http;
mod watch;

use crate::fleet::{self, args::Access};
use crate::outputs::title;
use clap::Args;
use http::{Request, Status};
use qualm_core::fault::Fault;
use qualm_host::interrupt;
use qualm_run::history::{Cache, database};
use qualm_run::report::{collect, page, view};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use url::{Host, Position, Url};

/// Tried first, so that an address can be kept as a bookmark.
const PORT: u16 = 7317;
/// Connections at the same time.
const CONNECTIONS: usize = 64;
/// Shorter ones can be guessed.
const TOKEN_CHARS: usize = 16;
/// How long those who listen may take to hear the end and to ask for what they heard of; and how long nobody must have
/// asked for anything.
const FAREWELL: Duration = Duration::from_secs(5);
const QUIET: Duration = Duration::from_secs(1);

#[derive(Args)]
pub struct Serve {
    /// Folders of hunts, findings or trophies, or a folder that contains several, such as qualm-out; or campaigns of
    /// fleets, as nats://HOST:4222/NAME
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    access: Access,
}

#[derive(Args, Clone, Debug, Default)]
pub struct Listen {
    /// Address to listen on; any but loopback needs a token, which is generated unless you give one [default:
    /// 127.0.0.1:7317]
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub listen: Option<String>,
    /// Bearer token that clients must send, at least 16 characters; prefer the environment variable QUALM_TOKEN, which
    /// the process list does not show
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
}

/// A page that is being served. It ends with the process, or when it is closed.
pub struct Server {
    /// With the token, for a browser.
    pub address: String,
    stop: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

#[derive(Clone)]
struct Site {
    folders: Vec<PathBuf>,
    /// What was read of findings, for all who look.
    cache: Arc<Mutex<Cache>>,
    token: Option<String>,
    loopback: bool,
    stop: Arc<AtomicBool>,
    connections: Arc<AtomicUsize>,
}

impl Serve {
    pub fn run(self) -> Result<u8, Fault> {
        let read = fleet::folders(&self.folders, &self.access)?;
        let folders = read.folders.clone();
        let wrong = folders.iter().find(|f| !f.is_dir());
        if let Some(folder) = wrong {
            return Err(Fault::usage(format!("'{}' is not a folder; give one that a hunt writes", folder.display())));
        }
        let interrupted = interrupt::gracefully();
        // What is there already is noted once; requests change nothing.
        database::history(&folders, &collect::collect_any(&folders));
        let server = start(folders, bind(&self.listen)?)?;
        let _copies = read.follow();
        outln!("{}", server.address);
        errln!("serving until Ctrl-C");
        while !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(100));
        }
        server.close();
        Ok(0)
    }
}

/// A place to listen at, with the token for it.
pub struct Address {
    listener: TcpListener,
    token: Option<String>,
}

/// Takes the address before anything else is done.
pub fn bind(listen: &Listen) -> Result<Address, Fault> {
    let listener = listener(listen.listen.as_deref())?;
    let at = listener.local_addr().map_err(|e| Fault::own(format!("cannot find out the address: {e}")))?;
    Ok(Address { token: token(listen, at.ip().is_loopback())?, listener })
}

/// Begins to serve in threads of its own.
pub fn start(folders: Vec<PathBuf>, address: Address) -> Result<Server, Fault> {
    let Address { listener, token } = address;
    let at = listener.local_addr().map_err(|e| Fault::own(format!("cannot find out the address: {e}")))?;
    let query = token.as_ref().map_or(String::new(), |t| format!("?token={t}"));
    let site = Site {
        folders,
        cache: Arc::default(),
        token,
        loopback: at.ip().is_loopback(),
        stop: Arc::new(AtomicBool::new(false)),
        connections: Arc::new(AtomicUsize::new(0)),
    };
    let (stop, connections) = (site.stop.clone(), site.connections.clone());
    std::thread::spawn(move || accept(&listener, &site));
    Ok(Server { address: format!("http://{at}/{query}"), stop, connections })
}

impl Server {
    /// Lets those who listen hear the last news.
    pub fn close(self) {
        self.stop.store(true, Ordering::Relaxed);
        if self.connections.load(Ordering::Relaxed) == 0 {
            return;
        }
        let (until, mut busy) = (Instant::now() + FAREWELL, Instant::now());
        while Instant::now() < until && busy.elapsed() < QUIET {
            if self.connections.load(Ordering::Relaxed) > 0 {
                busy = Instant::now();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn listener(requested: Option<&str>) -> Result<TcpListener, Fault> {
    let Some(requested) = requested else {
        let home = IpAddr::from([127, 0, 0, 1]);
        return TcpListener::bind((home, PORT))
            .or_else(|_| TcpListener::bind((home, 0)))
            .map_err(|e| Fault::usage(format!("cannot listen on 127.0.0.1: {e}")));
    };
    let unclear = |e: io::Error| Fault::usage(format!("cannot listen on '{requested}': {e}; give ADDRESS:PORT"));
    let addresses: Vec<SocketAddr> = requested.to_socket_addrs().map_err(unclear)?.collect();
    TcpListener::bind(addresses.as_slice()).map_err(unclear)
}

/// The token that was given, or one made for an address that others can reach.
fn token(listen: &Listen, loopback: bool) -> Result<Option<String>, Fault> {
    let given = listen.token.clone().or_else(|| std::env::var("QUALM_TOKEN").ok().filter(|t| !t.is_empty()));
    match given {
        Some(token) if token.len() < TOKEN_CHARS || !token.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            Err(Fault::usage(format!("a token must have at least {TOKEN_CHARS} characters, letters and digits only")))
        }
        Some(token) => Ok(Some(token)),
        None if loopback => Ok(None),
        None => random_token().map(Some).map_err(|e| Fault::own(format!("cannot generate a token: {e}"))),
    }
}

fn random_token() -> io::Result<String> {
    let mut bytes = [0u8; 16];
    io::Read::read_exact(&mut std::fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}

fn accept(listener: &TcpListener, site: &Site) {
    for stream in listener.incoming() {
        let Ok(mut stream) = stream else { continue };
        if site.connections.fetch_add(1, Ordering::Relaxed) >= CONNECTIONS {
            let _ = http::refuse(&mut stream, Status::Busy, "too many connections");
            site.connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let site = site.clone();
        std::thread::spawn(move || {
            // The other side may go away at any time; there is nobody to report it to.
            let _ = serve(&mut stream, &site);
            site.connections.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn serve(stream: &mut TcpStream, site: &Site) -> io::Result<()> {
    let request = match http::read(stream)? {
        Ok(request) => request,
        Err(status) => return http::refuse(stream, status, "only plain GET requests are served"),
    };
    if let Err((status, why)) = site.admits(&request) {
        return http::refuse(stream, status, why);
    }
    match request.path.as_str() {
        "/" => {
            let data = site.data();
            let text = page::page(&data, &title(&data));
            http::respond(stream, "text/html; charset=utf-8", text.as_bytes(), request.head_only)
        }
        "/data.json" => {
            let data = site.data();
            json(stream, &data, request.head_only)
        }
        "/finding" => {
            let found = collect::collect_any(&site.folders);
            match request.value("id").and_then(|id| watch::finding(&found, &site.cache, id)) {
                Some(view) => json(stream, &view, request.head_only),
                None => http::refuse(stream, Status::NotFound, "no such finding"),
            }
        }
        "/events" if !request.head_only => watch::send_events(stream, &site.folders, &site.cache, &site.stop),
        _ => http::refuse(stream, Status::NotFound, "the paths are /, /data.json, /finding and /events"),
    }
}

fn json(stream: &mut TcpStream, data: &impl serde::Serialize, head_only: bool) -> io::Result<()> {
    let text = serde_json::to_vec(data).map_err(io::Error::other)?;
    http::respond(stream, "application/json", &text, head_only)
}

impl Site {
    fn data(&self) -> view::Data {
        let found = collect::collect_any(&self.folders);
        view::data_of(&watch::history_of(&found, &self.cache), &found, true)
    }

    fn admits(&self, request: &Request) -> Result<(), (Status, &'static str)> {
        if self.loopback && !is_loopback_name(&request.host) {
            return Err((Status::Forbidden, "use the host name localhost or 127.0.0.1"));
        }
        let Some(token) = &self.token else { return Ok(()) };
        let bearer = request.authorization.strip_prefix("Bearer ");
        if [request.value("token"), bearer].into_iter().flatten().any(|given| same(given, token)) {
            return Ok(());
        }
        Err((Status::Unauthorized, "send the token that qualm printed, as ?token=TOKEN or as a bearer token"))
    }
}

/// Takes as long for a wrong token as for the right one.
fn same(given: &str, token: &str) -> bool {
    let differs = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    differs == 0 && given.len() == token.len()
}

/// A page of another site that has its name point here asks by that name.
fn is_loopback_name(host: &str) -> bool {
    let Ok(url) = Url::parse(&format!("http://{host}")) else { return false };
    let is_only_host = url.username().is_empty() && url.password().is_none() && url[Position::AfterPort..] == *"/";
    is_only_host
        && match url.host() {
            Some(Host::Domain(name)) => name == "localhost",
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            None => false,
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_loopback() {
        for host in ["localhost", "localhost:7317", "127.0.0.1:1", "[::1]:80", "127.9.9.9"] {
            assert!(is_loopback_name(host), "{host}");
        }
        for host in
            ["", "example.org", "localhost.example.org:80", "10.0.0.1", "127.0.0.1.example.org", "[::2]", "localhost@x"]
        {
            assert!(!is_loopback_name(host), "{host}");
        }
    }

    #[test]
    fn tokens() {
        let listen = |token: &str| Listen { listen: None, token: Some(token.to_owned()) };
        assert!(token(&listen("short"), true).is_err());
        assert!(token(&listen("0123456789abcde&"), true).is_err());
        assert!(same("abc", "abc") && !same("ab", "abc") && !same("abd", "abc") && !same("abcd", "abc"));
        let (a, b) = (random_token().unwrap(), random_token().unwrap());
        assert!(a.len() == 32 && a != b);
    }
}
