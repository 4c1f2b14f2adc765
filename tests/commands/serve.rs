//! `qualm serve` as a client meets it: what is served, to whom, and that nothing can be changed through it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");
const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// A server that ends with the test.
struct Served {
    child: Child,
    /// As it printed it, and where a test reaches it.
    printed: String,
    at: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(folder: &Path, args: &[&str]) -> Served {
    let mut child = Command::new(QUALM)
        .arg("serve")
        .arg(folder)
        .args(args)
        .env_remove("QUALM_TOKEN")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut printed = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut printed).unwrap();
    let port = printed.split(':').nth(2).and_then(|r| r.split('/').next()).expect("an address").to_owned();
    Served { child, printed: printed.trim().to_owned(), at: format!("127.0.0.1:{port}") }
}

/// A folder with one finding, the example of the documentation.
fn campaign() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let finding = folder.path().join("findings/example");
    fs::create_dir_all(&finding).unwrap();
    for entry in fs::read_dir(Path::new(ROOT).join("docs/example-finding")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, finding.join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// Sends lines and gives status, head and body.
fn request(at: &str, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(at).unwrap();
    stream.write_all(format!("{}\r\n\r\n", request.replace('\n', "\r\n")).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

fn get(at: &str, path: &str) -> (u16, String, String) {
    request(at, &format!("GET {path} HTTP/1.1\nHost: localhost"))
}

#[test]
fn on_loopback_everyone_here_may_read_and_nobody_may_write() {
    let folder = campaign();
    let served = serve(folder.path(), &["--listen", "127.0.0.1:0"]);
    let (status, head, page) = get(&served.at, "/");
    assert!(status == 200 && page.starts_with("<!doctype html>") && page.contains("6611ffc9b03c4dd2"));
    assert!(
        head.contains("X-Content-Type-Options: nosniff")
            && head.contains("Content-Security-Policy: default-src 'none'")
    );
    let (status, _, data) = get(&served.at, "/data.json");
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!((status, data["findings"].as_array().unwrap().len()), (200, 1));
    let id = data["findings"][0]["id"].as_str().unwrap();
    assert_eq!(get(&served.at, &format!("/finding?id={id}")).0, 200);
    for path in ["/finding?id=/etc/passwd", "/finding", "/../Cargo.toml", "/findings/example/case.json"] {
        assert_eq!(get(&served.at, path).0, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT"] {
        let (status, head, _) = request(&served.at, &format!("{method} / HTTP/1.1\nHost: localhost"));
        assert!(status == 405 && head.contains("Allow: GET, HEAD"), "{method}: {head}");
    }
    let (status, _, body) = request(&served.at, "HEAD / HTTP/1.1\nHost: localhost");
    assert_eq!((status, body.as_str()), (200, ""));
}

/// The page of another site could have its name point to this machine; then it asks by that name.
#[test]
fn on_loopback_other_names_are_refused() {
    let folder = campaign();
    let served = serve(folder.path(), &["--listen", "127.0.0.1:0"]);
    for host in ["evil.example", "localhost.evil.example:80", ""] {
        assert_eq!(request(&served.at, &format!("GET / HTTP/1.1\nHost: {host}")).0, 403, "{host}");
    }
    assert_eq!(request(&served.at, "GET / HTTP/1.1").0, 403);
    assert_eq!(request(&served.at, "GET / HTTP/1.1\nHost: 127.0.0.1:99").0, 200);
}

#[test]
fn other_addresses_need_a_token() {
    let folder = campaign();
    let served = serve(folder.path(), &["--listen", "0.0.0.0:0"]);
    let token = served.printed.split("?token=").nth(1).expect("a token is made").to_owned();
    assert_eq!(token.len(), 32);
    for path in ["/", "/data.json", "/finding", "/events", "/?token=", "/?token=0123456789abcdef0123456789abcdef"] {
        assert_eq!(get(&served.at, path).0, 401, "{path}");
    }
    assert_eq!(get(&served.at, &format!("/?token={token}")).0, 200);
    let bearer = format!("GET /data.json HTTP/1.1\nHost: example.org\nAuthorization: Bearer {token}");
    assert_eq!(request(&served.at, &bearer).0, 200);
}

#[test]
fn events_report_what_is_new() {
    let folder = campaign();
    let served = serve(folder.path(), &["--listen", "127.0.0.1:0"]);
    let mut stream = TcpStream::connect(&served.at).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    stream.write_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut next = |wanted: &str| {
        let named = format!("event: {wanted}");
        lines.by_ref().find(|l| *l == named).expect("the event comes");
        lines.next().unwrap().strip_prefix("data: ").unwrap().to_owned()
    };
    let list = next("findings");
    assert!(list.contains("findings/example"), "{list}");
    let point = "{\"seconds\":1.0,\"stage\":\"hunt\",\"checks\":77,\"vacuous\":0,\"statements\":0,\"rejected\":0,\
                 \"plans\":0,\"databases\":0,\"findings\":0,\"duplicates\":0,\"waiting\":0,\"per_oracle\":{}}\n";
    fs::write(folder.path().join("progress.jsonl"), point).unwrap();
    assert!(next("point").contains("\"checks\":77"));
    let example = folder.path().join("findings/example");
    fs::rename(&example, folder.path().join("findings/other")).unwrap();
    // The list as it was may have been on its way.
    while !next("findings").contains("findings/other") {}
    fs::write(folder.path().join("campaign.json"), "{\"checks\": 78}").unwrap();
    assert!(next("campaign").contains("\"checks\":78"));
}
