//! The driver of Gremlin Servers against a private one with TinkerGraph: the release that `./x setup` fetches.
#![cfg(feature = "servers")]

mod support;

use qualm::engine;
use qualm::session::{Engine, Outcome, RejectionClass, Session};
use support::program;
use support::sessions::{engine, rejection, rows};

/// One server for all: it takes seconds to start.
#[test]
fn tinkergraph_on_a_private_server() {
    let engine = engine("gremlin:3.5.1");
    assert_eq!(engine.version(), "tinkergraph 3.5.1");
    let mut s = engine.open().unwrap();
    let s = s.as_mut();
    values(s);
    errors(s);
    index(s);
    two_sessions_do_not_meet(engine.as_ref(), s);
    by_address();
    death(s);
}

fn values(s: &mut dyn Session) {
    let build = "g.addV('A').property('k',1).property('x',1).property('f',-(0.0d)).property('n',Double.NaN).as('a')\
                 .addV('B').property('k',2).property('s','it\\'s').as('b')\
                 .addE('E').from('a').to('b').property('w',5L).iterate()";
    assert_eq!(s.run(build), Outcome::Done);
    assert_eq!(rows(s, "g.V()"), ["(:A {f: -0.0, k: 1, n: NaN, x: 1})", "(:B {k: 2, s: 'it''s'})"]);
    assert_eq!(rows(s, "g.E()"), ["[:E {w: 5}]"]);
    assert_eq!(rows(s, "g.V().valueMap('k')"), ["{k: [1]}", "{k: [2]}"]);
    assert_eq!(rows(s, "g.V().hasLabel('A').project('a','b').by('k').by(__.out().count())"), ["{a: 1, b: 1}"]);
    assert_eq!(rows(s, "g.inject(1, 1.5d, true, 'x', 2147483648L)"), ["'x'", "1", "1.5", "2147483648", "TRUE"]);
    assert_eq!(rows(s, "g.V().has('k',9)"), [""; 0]);
    let many = "g.inject(0).repeat(__.union(__.identity(),__.identity())).times(12)";
    assert_eq!(rows(s, many).len(), 1 << 12);
    let plan = s.plan("g.V().hasLabel('A').out('E').count()").unwrap();
    assert!(plan.nodes.iter().any(|n| n.operator == "TinkerGraphStep"), "{plan:?}");
    s.reset().unwrap();
    assert_eq!(rows(s, "g.V().count()"), ["0"]);
}

fn errors(s: &mut dyn Session) {
    for text in ["g.V(", "g.V().order(1)", "g.inject('a').is(gt(1))"] {
        assert_eq!(rejection(s, text).0, RejectionClass::Expected, "{text}");
    }
    // A script is a program in Groovy; only traversals are run.
    for text in ["g.V().nothing()", "1 / 0", "Thread.sleep(100000)", "g.V().map{ 1 }", "'id'.execute().text"] {
        assert_eq!(rejection(s, text).0, RejectionClass::NotRun, "{text}");
    }
    assert!(s.run(&format!("g{}", ".addV('A')".repeat(20))).is_ok());
    let ways: String = ('a'..='h').map(|step| format!(".V().as('{step}')")).collect();
    assert_eq!(rejection(s, &format!("g{ways}.select('a','h').count()")).0, RejectionClass::Limit);
    s.reset().unwrap();
    assert_eq!(rows(s, "g.inject(2)"), ["2"]);
}

/// A known bug: the index compares by exact type.
fn index(s: &mut dyn Session) {
    s.reset().unwrap();
    assert!(s.run("g.addV('A').property('k',1).property('p',1.0d).addV('A').property('k',2).property('p',1)").is_ok());
    assert_eq!(rows(s, "g.V().has('p',1).values('k')"), ["1", "2"]);
    assert_eq!(s.run("graph.createIndex('p', Vertex.class)"), Outcome::Done);
    assert_eq!(rows(s, "g.V().has('p',1).values('k')"), ["2"]);
    assert_eq!(s.run("graph.dropIndex('p', Vertex.class)"), Outcome::Done);
    assert_eq!(rows(s, "g.V().has('p',1).values('k')"), ["1", "2"]);
    assert_eq!(s.run("graph.createIndex('p', Vertex.class)"), Outcome::Done);
    s.reset().unwrap();
    assert!(s.run("g.addV('A').property('k',1).property('p',1.0d).addV('A').property('k',2).property('p',1)").is_ok());
    assert_eq!(rows(s, "g.V().has('p',1).values('k')"), ["1", "2"]);
    s.reset().unwrap();
}

fn two_sessions_do_not_meet(engine: &dyn Engine, s: &mut dyn Session) {
    let mut other = engine.open().unwrap();
    assert!(other.run("g.addV('A')").is_ok());
    assert_eq!(rows(s, "g.V().count()"), ["0"]);
}

/// Children of another thread are not in the list of this one, so all processes are looked at.
fn server_process() -> u32 {
    let own = format!("PPid:\t{}\n", std::process::id());
    let is_server = |pid: &u32| {
        let read = |file: &str| std::fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let says = |file: &str, words: &str| String::from_utf8_lossy(&read(file)).contains(words);
        says("cmdline", "GremlinServer") && says("status", &own)
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let mut numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    numbers.find(is_server).expect("the server's process")
}

/// The same server as one that runs already: its own graph is used, and only while it is empty.
fn by_address() {
    let settings = std::fs::read_to_string(format!("/proc/{}/cwd/server.yaml", server_process())).unwrap();
    let port = settings.lines().find_map(|line| line.strip_prefix("port: ")).unwrap();
    let spec = format!("gremlin:ws://127.0.0.1:{port}/gremlin");
    let engine = engine(&spec);
    assert_eq!(engine.version(), "tinkergraph 3.5.1");
    let mut s = engine.open().unwrap();
    assert!(s.run("g.addV('A').property('k',1)").is_ok());
    assert_eq!(s.run("graph.createIndex('p', Vertex.class)"), Outcome::Done);
    let error = engine::connect(&spec).err().unwrap();
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().contains("not empty"), "{error}");
    s.reset().unwrap();
    assert_eq!(rows(s.as_mut(), "g.V().count()"), ["0"]);
    // The index is gone as well: it would find only one of the two.
    assert!(s.run("g.addV('A').property('k',1).property('p',1.0d).addV('A').property('k',2).property('p',1)").is_ok());
    assert_eq!(rows(s.as_mut(), "g.V().has('p',1).values('k')"), ["1", "2"]);
    drop(s);
    // What was made is gone with the session.
    assert_eq!(rows(engine.open().unwrap().as_mut(), "g.V().count()"), ["0"]);
    // What a killed run has left is known as ours.
    killed_runner(&spec);
    assert_eq!(rows(engine.open().unwrap().as_mut(), "g.V().count()"), ["0"]);
}

/// A child of the tool that is killed in the middle of a case.
fn killed_runner(spec: &str) {
    let mut runner = program::Runner::start(spec, "tinkergraph");
    let origin = serde_json::json!({"seed": 0, "worker": 0, "database": 0, "check": 0});
    let case = serde_json::json!({"format": 1, "language": "graph", "oracle": "survives",
        "script": [{"text": "g.addV('A')"}], "claim": {"relation": "survives"}, "origin": origin});
    let line = runner.exchange(&serde_json::json!({"run": case}));
    assert!(line.contains("holds"), "{line}");
    runner.kill();
}

fn death(s: &mut dyn Session) {
    let server = server_process();
    program::kill(server, libc::SIGKILL);
    let crash = s.run("g.V().count()");
    assert!(matches!(&crash, Outcome::Crash(how) if how.contains("the server ended")), "{crash:?}");
    s.reset().unwrap();
    assert_eq!(rows(s, "g.V().count()"), ["0"]);
}

#[test]
fn what_is_not_there_is_reported() {
    let error = engine::connect("gremlin:ws://127.0.0.1:1/gremlin").err().unwrap();
    assert_eq!(error.exit_code(), 3);
    assert!(error.to_string().contains("cannot reach a Gremlin Server"), "{error}");
    assert_eq!(engine::connect("gremlin:http://x").err().unwrap().exit_code(), 2);
    let error = engine::connect("gremlin:0.0.1").err().unwrap();
    assert!(error.to_string().contains("./x gremlin 0.0.1"), "{error}");
}
