//! A password in the address of a server: it is nowhere in what is said, in what is stored and in the list of
//! processes, however it was written and whatever goes wrong.

mod support;

use qualm::engine;
use qualm::session::Outcome;
use qualm::value::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::program::{run as qualm, text};

const SECRET: &str = "hunter2secret";
/// The same in other letters.
const ENCODED: &str = "hunter%32s%65cret";

fn assert_not_shown(what: &str, shown: &str) {
    for secret in [SECRET, ENCODED, "unter2s", "unter%32"] {
        assert!(!shown.contains(secret), "{what} shows the password: {shown}");
    }
}

/// No file below the folder holds it.
fn assert_unstored(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => assert_unstored(&path),
            path => assert_not_shown(&path.display().to_string(), &String::from_utf8_lossy(&fs::read(&path).unwrap())),
        }
    }
}

/// A server that says something that no client expects to whoever calls.
fn babbler() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut caller in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut heard = [0; 4096];
                caller.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
                let n = caller.read(&mut heard).unwrap_or(0);
                // What was heard is said again: a client that quotes the answer quotes its own password.
                let _ = caller.write_all(b"no thank you: ");
                let _ = caller.write_all(&heard[..n]);
            });
        }
    });
    port
}

/// Addresses of every driver, most of which name no server, with the password wherever one can be put.
fn addresses(port: u16) -> Vec<String> {
    let mut all = Vec::new();
    let schemes = [
        ("postgres", "postgres"),
        ("mysql", "mysql"),
        ("mariadb", "mysql"),
        ("mariadb", "mariadb"),
        ("neo4j", "bolt"),
        ("neo4j", "neo4j"),
        ("arcadedb", "bolt"),
        ("falkordb", "redis"),
        ("clickhouse", "http"),
        ("gremlin", "ws"),
    ];
    for (engine, scheme) in schemes {
        for word in [SECRET, ENCODED] {
            let forms = [
                format!("{scheme}://me:{word}@127.0.0.1:1/"),
                format!("{scheme}://me:{word}@127.0.0.1:{port}/"),
                format!("{scheme}://me:{word}@127.0.0.1:{port}/db"),
                format!("{scheme}://me:{word}@127.0.0.1:port/"),
                format!("{scheme}://me:{word}/x@127.0.0.1:1/"),
                format!("{scheme}://me:{word}"),
                format!("{scheme}://127.0.0.1:1/?user=me&password={word}"),
                format!("{scheme}://127.0.0.1:1/db?pass%77ord={word}#x"),
                format!("{scheme}://me:{word}%zz@127.0.0.1:1/"),
                format!("x{scheme}://me:{word}@127.0.0.1:1/"),
                format!("me:{word}@127.0.0.1"),
                format!("host=127.0.0.1 password={word}"),
            ];
            all.extend(forms.map(|form| format!("{engine}:{form}")));
        }
    }
    all.push(format!("postgres://me:{SECRET}@127.0.0.1:1/db"));
    all.push(format!("neo4j://me:{SECRET}@127.0.0.1:1/db"));
    all.push(format!("postgress://me:{SECRET}@127.0.0.1:1/db"));
    all.push(format!("exec:false --password {SECRET} pg://u:{SECRET}@h"));
    all
}

/// In process, where all of them can be tried.
#[test]
fn no_driver_shows_a_password() {
    let port = babbler();
    for address in addresses(port) {
        let Err(error) = engine::connect(&address) else { panic!("{address} is an engine") };
        assert_not_shown(&address, &format!("{error} {error:?}"));
    }
}

#[test]
fn no_command_shows_or_stores_a_password() {
    let root = tempfile::tempdir().unwrap();
    let port = babbler();
    let at = |scheme: &str| format!("{scheme}://me:{SECRET}@127.0.0.1:{port}/");
    let engines = [
        format!("postgres:{}", at("postgres")),
        format!("mysql:{}", at("mysql")),
        format!("neo4j:{}", at("bolt")),
        format!("falkordb:{}", at("redis")),
        format!("clickhouse:{}", at("http")),
    ];
    // A ladder writes what it learns into the folder.
    let example = root.path().join("example");
    let copied = Command::new("cp").args(["-r", "docs/example-finding"]).arg(&example).status().unwrap();
    assert!(copied.success());
    let finding = example.to_str().unwrap();
    for (i, engine) in engines.iter().enumerate() {
        let out = root.path().join(i.to_string());
        for args in [
            ["hunt", engine, "--checks", "1", "--out", out.to_str().unwrap()].as_slice(),
            &["knobs", engine],
            &["ladder", finding, "--releases", engine],
            &["replay", finding, "--engine", engine],
            &["ci", engine, "--no-hunt", "--findings", finding],
        ] {
            let said = qualm(args);
            assert_not_shown(args[0], &text(&said));
            assert!(args[0] == "ladder" || !said.status.success(), "{}: {}", args[0], text(&said));
        }
    }
    assert_unstored(&example);
    let fleet = format!("nats://me:{SECRET}@127.0.0.1:1");
    let named = format!("{fleet}/x");
    let out = root.path().join("fleet");
    for args in [
        ["hunt", "sqlite", "--fleet", &fleet, "--campaign", "x", "--out", out.to_str().unwrap()].as_slice(),
        &["worker", "--fleet", &fleet, "--campaign", "x"],
        &["worker", "--fleet", &fleet, "--campaign", "a/b"],
        &["fleet", "status", &named],
        &["fleet", "status", &fleet],
        &["report", &named, "--out", "-"],
        &["report", &format!("nats://{SECRET}@127.0.0.1:1/x"), "--out", "-"],
        &["fleet", "status", &format!("http://me:{SECRET}@h/x")],
    ] {
        let said = qualm(args);
        assert_not_shown(args[0], &text(&said));
        assert!(!said.status.success(), "{}", text(&said));
    }
    assert_unstored(root.path());
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// All processes below this one, whichever thread started them.
fn below(pid: u32) -> Vec<u32> {
    let parent_of = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat[stat.rfind(')')? + 1..].split_whitespace().nth(1)?.parse().ok()
    };
    let numbers = fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = numbers.filter_map(|n| Some((n, parent_of(n)?))).collect();
    let mut found = vec![pid];
    let mut next = 0;
    while let Some(&above) = found.get(next) {
        found.extend(parents.iter().filter(|(_, parent)| *parent == above).map(|(child, _)| child));
        next += 1;
    }
    found.split_off(1)
}

/// The address is in a file, so that no argument of the user's holds the password. A server that accepts everybody has
/// its hunt run to the end: what is stored holds no password, and no process was seen with it.
#[test]
fn children_get_the_engine_by_their_pipe() {
    let server = engine::connect("postgres").unwrap_or_else(|e| panic!("{e}; './x setup' fetches it"));
    let mut admin = server.open().unwrap();
    let Outcome::Rows(rows) = admin.run("SHOW unix_socket_directories") else { panic!("no rows") };
    let Some(Value::Text(socket)) = rows.scalar() else { panic!("no folder") };
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    let file = root.path().join("campaign.toml");
    let address = format!("postgres://postgres:{SECRET}@{}:5432/postgres", socket.replace('/', "%2F"));
    let lines = format!(
        "engine = \"{address}\"\nchecks = 300\nworkers = 2\nseed = 1\nsize = \"small\"\nout = \"{}\"\n",
        out.display()
    );
    fs::write(&file, lines).unwrap();
    let mut hunt = Command::new(env!("CARGO_BIN_EXE_qualm"))
        .args(["hunt", "--campaign", file.to_str().unwrap(), "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map(Running)
        .unwrap();
    let (mut kinds, until) = (std::collections::BTreeSet::new(), Instant::now() + Duration::from_secs(120));
    while hunt.0.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "the hunt does not end");
        for pid in below(hunt.0.id()) {
            for place in ["cmdline", "environ"] {
                let shown = fs::read(format!("/proc/{pid}/{place}")).unwrap_or_default();
                let shown = String::from_utf8_lossy(&shown).replace('\0', " ");
                assert_not_shown(&format!("{place} of a child"), &shown);
                kinds.extend(shown.split(' ').nth(1).filter(|_| place == "cmdline").map(str::to_owned));
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let (mut said, mut shown) = (String::new(), String::new());
    hunt.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    hunt.0.stderr.take().unwrap().read_to_string(&mut shown).unwrap();
    assert!(kinds.contains("runner") && kinds.contains("worker"), "seen: {kinds:?} {shown}");
    assert_not_shown("the hunt", &format!("{said}{shown}"));
    assert!(said.contains("postgres://postgres:***@"), "{said} {shown}");
    assert!(fs::metadata(out.join("campaign.json")).is_ok(), "{shown}");
    assert_unstored(&out);
}
