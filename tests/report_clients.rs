//! The steps of a report are pasted into the engine's own client, and what comes must be what the report shows. With a
//! bug that a real release has; './x setup' fetches it and its redis-cli.
#![cfg(feature = "servers")]

use qualm::case::{CASE_FORMAT, Case, Language, Origin, Step};
use qualm::engine;
use qualm::fingerprint;
use qualm::relation::{Equality, Order, Relation, Verdict};
use qualm::report::{self, Finding};
use std::io::Write;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RELEASE: &str = "4.18.3";

/// A server that nobody else uses, ended with the test.
struct Server {
    child: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn files() -> PathBuf {
    let files = engine::falkordb::releases_folder().join(RELEASE);
    assert!(files.join("redis-cli").is_file(), "no redis-cli in '{}': run './x falkordb {RELEASE}'", files.display());
    files
}

fn start() -> Server {
    let (files, folder) = (files(), tempfile::tempdir().unwrap());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(files.join("falkordb-server"))
        .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--loadmodule"])
        .arg(files.join("falkordb.so"))
        .arg("--dir")
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let server = Server { child, port, _folder: folder };
    let until = Instant::now() + Duration::from_secs(60);
    while !client(&server, "PING").contains("PONG") {
        assert!(Instant::now() < until, "the server does not answer");
        std::thread::sleep(Duration::from_millis(100));
    }
    server
}

/// What redis-cli prints for one line that is typed into it.
fn client(server: &Server, line: &str) -> String {
    let (files, port) = (files(), server.port.to_string());
    let libraries = format!("{0}/lib:{0}/root/usr/lib/x86_64-linux-gnu", files.display());
    let mut child = Command::new(files.join("root/usr/lib64/ld-linux-x86-64.so.2"))
        .args(["--library-path", &libraries])
        .arg(files.join("redis-cli"))
        .args(["-p", &port, "--no-raw"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{line}").unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

/// Waits for the indexes, which are built in the background.
fn settle(server: &Server) {
    let until = Instant::now() + Duration::from_secs(60);
    while client(server, "GRAPH.QUERY g \"CALL db.indexes() YIELD status\"").contains("UNDER CONSTRUCTION") {
        assert!(Instant::now() < until, "the index is not ready");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An index that loses the empty text (a trophy), asked in words that need every kind of quoting.
fn bug() -> Finding {
    let asked = "MATCH (n:A)\nWHERE n.s <= '\"' OR n.s = 'a\\\\b' RETURN n.s, n.i, n.f, n.b, NULL";
    let case = Case {
        format: CASE_FORMAT,
        language: Language::Graph,
        oracle: "graph-index".into(),
        rules: vec![],
        script: vec![
            Step::run("CREATE (:A {s: '', i: 1, f: 1.5, b: true}), (:A {s: '\"', i: -2, f: 0.25, b: false})"),
            Step::query("without the index", asked),
            Step::run("CREATE INDEX FOR (n:A) ON (n.s)"),
            Step::query("with the index", asked),
        ],
        claim: Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact },
        source: None,
        origin: Origin::default(),
    };
    let name = format!("falkordb:{RELEASE}");
    let engine = engine::connect(&name).unwrap_or_else(|why| panic!("{why}"));
    let mut session = engine.open().unwrap();
    let evidence = case.run(session.as_mut());
    assert!(matches!(evidence.verdict, Verdict::Violated(_)), "{evidence:?}");
    let print = fingerprint::of(&case, &evidence, &[]);
    Finding::new(&name, &engine.version(), case, evidence, vec![], print)
}

#[test]
fn steps_for_falkordb_paste_into_redis_cli_and_give_what_the_report_shows() {
    let report = report::markdown(&bug());
    let (steps, actual) = report.split_once("\n## Actual\n").expect("a section 'Actual'");
    let lines: Vec<&str> = steps.lines().filter(|l| l.starts_with("GRAPH.QUERY ")).collect();
    assert_eq!(lines.len(), 4, "{report}");
    let server = start();
    // An answer is header, rows and statistics; the rows are the second of three.
    let rows = |printed: &str| {
        let after = printed.lines().skip_while(|l| !l.starts_with("2) "));
        let own = after.take_while(|l| !l.starts_with("3) ")).map(|l| l[3..].to_owned());
        own.collect::<Vec<_>>().join("\n")
    };
    let shown: Vec<&str> = actual.split("```\n").skip(1).step_by(2).map(str::trim_end).collect();
    let mut asked = 0;
    for line in lines {
        let printed = client(&server, line);
        assert!(!printed.contains("ERR") && !printed.contains("error"), "{line}\n{printed}");
        if line.contains("RETURN") {
            assert_eq!(rows(&printed), shown[asked], "{line}\n{printed}\n{report}");
            asked += 1;
        }
        settle(&server);
    }
    assert_eq!(asked, 2);
}
