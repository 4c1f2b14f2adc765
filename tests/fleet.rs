//! Campaigns of many machines with a real server, and with a cluster of which parts are killed. `./x nats 2.10.27`
//! fetches the server; machines are processes on this one, and find each other through the server only.
#![cfg(feature = "fleet")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const QUALM: &str = env!("CARGO_BIN_EXE_qualm");
/// A release with several bugs that a few thousand checks find.
const ENGINE: &str = "sqlite:3.28.0";

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn nats_server() -> PathBuf {
    qualm::engine::cache_folder().join("nats/2.10.27/usr/sbin/nats-server")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn start(port: u16, folder: &Path, more: &[String]) -> Running {
    let child = Command::new(nats_server())
        .args(["-a", "127.0.0.1", "-p", &port.to_string(), "-js", "-sd"])
        .arg(folder)
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("./x nats 2.10.27");
    let until = Instant::now() + Duration::from_secs(30);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(Instant::now() < until, "the server does not answer");
        std::thread::sleep(Duration::from_millis(50));
    }
    Running(child)
}

struct Server {
    url: String,
    port: u16,
    folder: tempfile::TempDir,
    running: Option<Running>,
}

impl Server {
    fn start() -> Server {
        let (port, folder) = (free_port(), tempfile::tempdir().unwrap());
        let running = Some(start(port, folder.path(), &[]));
        Server { url: format!("nats://127.0.0.1:{port}"), port, folder, running }
    }

    fn restart(&mut self) {
        self.running = None;
        std::thread::sleep(Duration::from_secs(1));
        self.running = Some(start(self.port, self.folder.path(), &[]));
    }
}

fn qualm(args: &[&str]) -> Command {
    let mut command = Command::new(QUALM);
    command.args(args).env("RUST_BACKTRACE", "0").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(args: &[&str]) -> Output {
    qualm(args).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn hunt(url: &str, name: &str, checks: &str, out: &Path) -> Running {
    let args = ["hunt", ENGINE, "--oracle", "tlp,norec", "--size", "small", "--seed", "7", "--workers", "1", "--json"];
    let more = ["--checks", checks, "--fleet", url, "--campaign", name, "--out", out.to_str().unwrap()];
    Running(qualm(&[args.as_slice(), &more].concat()).spawn().unwrap())
}

fn join(url: &str, name: &str) -> Running {
    let until = Instant::now() + Duration::from_secs(30);
    while status(url, name)["leases"].is_null() {
        assert!(Instant::now() < until, "the campaign does not begin");
        std::thread::sleep(Duration::from_millis(100));
    }
    Running(qualm(&["worker", "--fleet", url, "--campaign", name, "--workers", "1"]).spawn().unwrap())
}

fn status(url: &str, name: &str) -> Value {
    let output = run(&["fleet", "status", name, "--fleet", url, "--json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Waits until so many leases are done; more when something of it has to go on.
fn wait_for(url: &str, name: &str, done: u64) {
    let until = Instant::now() + Duration::from_secs(120);
    while status(url, name)["done"].as_u64().unwrap_or(0) < done {
        assert!(Instant::now() < until, "{}", status(url, name));
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// How a process ended, within a time in which anything here ends.
fn end(mut running: Running) -> Output {
    let until = Instant::now() + Duration::from_secs(240);
    while running.0.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "it does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    let mut output = Output { status: running.0.wait().unwrap(), stdout: Vec::new(), stderr: Vec::new() };
    let (mut out, mut err) = (running.0.stdout.take().unwrap(), running.0.stderr.take().unwrap());
    std::io::Read::read_to_end(&mut out, &mut output.stdout).unwrap();
    std::io::Read::read_to_end(&mut err, &mut output.stderr).unwrap();
    output
}

fn summary(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(output)))
}

/// The fingerprints of a folder's findings. All files of each are there and none is there twice.
fn findings(folder: &Path) -> BTreeSet<String> {
    let lines = fs::read_to_string(folder.join("findings.jsonl")).unwrap_or_default();
    let mut found = BTreeSet::new();
    for line in lines.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()) {
        let place = folder.join(line["folder"].as_str().unwrap());
        for file in ["case.json", "repro.sql", "report.md", "meta.json", "evidence.json"] {
            assert!(place.join(file).is_file(), "{} has no {file}", place.display());
        }
        assert!(found.insert(line["fingerprint"].as_str().unwrap().to_owned()), "twice: {line}");
    }
    assert_eq!(fs::read_dir(folder.join("findings")).unwrap().count(), found.len());
    found
}

/// Every pair of findings is two bugs by the store's own rule.
fn assert_different(folder: &Path) {
    let print = |e: fs::DirEntry| {
        let mut meta: Value = serde_json::from_slice(&fs::read(e.path().join("meta.json")).unwrap()).unwrap();
        meta["id"] = meta["fingerprint"].clone();
        serde_json::from_value::<qualm::fingerprint::Fingerprint>(meta).unwrap()
    };
    let prints: Vec<_> = fs::read_dir(folder.join("findings")).unwrap().map(|e| print(e.unwrap())).collect();
    for (i, a) in prints.iter().enumerate() {
        for b in &prints[i + 1..] {
            assert!(!qualm::fingerprint::same_bug(a, b), "one bug twice: {} and {}", a.title, b.title);
        }
    }
}

/// Every case that violated its claim became a finding or one more case of one, or did not happen again.
fn assert_all_settled(told: &Value) {
    let count = |key: &str| told[key].as_u64().unwrap();
    let settled: u64 = ["findings", "duplicates", "flaky", "suppressed", "pending", "skipped"].map(count).iter().sum();
    assert_eq!(settled, count("violations") + count("crashes") + count("hangs"), "{told}");
    assert_eq!(count("pending") + count("skipped"), 0, "{told}");
}

#[test]
fn two_machines_share_a_campaign_and_its_page_is_as_ever() {
    let server = Server::start();
    let (url, folder) = (server.url.as_str(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let first = hunt(url, "night", "16000", &out);
    let second = end(join(url, "night"));
    assert!(second.status.success(), "{}", text(&second));
    let first = end(first);
    let told = summary(&first);
    assert_eq!(first.status.code(), Some(1), "{}", text(&first));
    assert_eq!(told["checks"], 16_000);
    assert_all_settled(&told);
    let found = findings(&out);
    assert!(found.len() >= 3 && told["findings"] == found.len(), "{told}");
    assert_different(&out);
    let now = status(url, "night");
    assert!(now["state"] == "over" && now["open"] == 0 && now["checks"] == 16_000, "{now}");
    assert_eq!(now["members"].as_array().unwrap().len(), 2, "{now}");

    let page = folder.path().join("page.html");
    let place = format!("{url}/night");
    let made = run(&["report", &place, "--out", page.to_str().unwrap()]);
    assert!(made.status.success(), "{}", text(&made));
    let page = fs::read_to_string(&page).unwrap();
    assert!(found.iter().all(|id| page.contains(id.as_str())));
    let finding = fs::read_dir(out.join("findings")).unwrap().next().unwrap().unwrap().path();
    assert_eq!(run(&["replay", finding.to_str().unwrap()]).status.code(), Some(1));

    // A name is taken until the campaign is removed.
    let again = end(hunt(url, "night", "16000", &folder.path().join("again")));
    assert!(again.status.code() == Some(2) && text(&again).contains("is there already"), "{}", text(&again));
    assert!(run(&["fleet", "remove", &place]).status.success());
    assert_eq!(run(&["fleet", "status", &place]).status.code(), Some(2));
}

#[test]
fn a_restarted_server_and_a_stop_are_borne() {
    let mut server = Server::start();
    let (url, folder) = (server.url.clone(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let hunting = hunt(&url, "long", "100000000", &out);
    let joined = join(&url, "long");
    let until = Instant::now() + Duration::from_secs(60);
    while status(&url, "long")["members"].as_array().is_none_or(|m| m.len() < 2) {
        assert!(Instant::now() < until, "{}", status(&url, "long"));
        std::thread::sleep(Duration::from_millis(100));
    }
    server.restart();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(status(&url, "long")["state"], "running");
    assert!(run(&["fleet", "stop", "long", "--fleet", &url]).status.success());
    let joined = end(joined);
    assert!(joined.status.success(), "{}", text(&joined));
    let told = summary(&end(hunting));
    assert!(told["checks"].as_u64().unwrap() > 0, "{told}");
    assert_eq!(told["findings"], findings(&out).len());
}

#[test]
fn another_version_is_refused() {
    let server = Server::start();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(&server.url).await.unwrap());
        let stream = async_nats::jetstream::stream::Config { name: "qualm-old".into(), ..Default::default() };
        let stream = context.create_stream(stream).await.unwrap();
        let members = async_nats::jetstream::consumer::pull::Config {
            durable_name: Some("members".into()),
            ..Default::default()
        };
        stream.create_consumer(members).await.unwrap();
        let keys = async_nats::jetstream::kv::Config { bucket: "qualm-old".into(), ..Default::default() };
        let keys = context.create_key_value(keys).await.unwrap();
        let objects = async_nats::jetstream::object_store::Config { bucket: "qualm-old".into(), ..Default::default() };
        context.create_object_store(objects).await.unwrap();
        let build = r#"{"build": {"format": 1, "qualm": "0.0.9", "case_format": 1}, "of": "another form"}"#;
        keys.put("config", build.into()).await.unwrap();
    });
    let place = format!("{}/old", server.url);
    for args in [
        ["worker", "--fleet", server.url.as_str(), "--campaign", "old"].as_slice(),
        &["fleet", "status", &place],
        &["report", &place, "--out", "-"],
        &["hunt", ENGINE, "--fleet", &server.url, "--campaign", "old", "--out", "/tmp/qualm-never"],
    ] {
        let said = run(args);
        assert_eq!(said.status.code(), Some(2), "{}", text(&said));
        assert!(text(&said).contains("begun by qualm 0.0.9"), "{}", text(&said));
    }
    let _ = fs::remove_dir_all("/tmp/qualm-never");
    let nobody = run(&["worker", "--fleet", "nats://127.0.0.1:1", "--campaign", "x"]);
    assert_eq!(nobody.status.code(), Some(3), "{}", text(&nobody));
}

#[test]
fn a_fleet_of_made_up_workers_tells_each_bug_once() {
    let server = Server::start();
    let args = ["fleet", "bench", "--fleet", &server.url, "--workers", "16", "--leases", "120", "--bugs", "20"];
    let output = run(&args);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output)));
    assert!(told["done"] == 120 && told["findings"] == 20 && told["different"] == 20, "{told}");
}

/// Three servers; one of them and one machine are killed while all are at it.
#[test]
fn a_killed_server_and_a_killed_machine_lose_nothing_and_tell_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let ports: Vec<(u16, u16)> = (0..3).map(|_| (free_port(), free_port())).collect();
    let routes: Vec<String> = ports.iter().map(|(_, route)| format!("nats://127.0.0.1:{route}")).collect();
    let one = |(i, (port, route)): (usize, &(u16, u16))| {
        let more = ["-n", &format!("n{i}"), "--cluster_name", "c", "--cluster", &format!("nats://127.0.0.1:{route}")];
        let mut more: Vec<String> = more.iter().map(|s| (*s).to_string()).collect();
        more.extend(["--routes".to_owned(), routes.join(",")]);
        start(*port, &folder.path().join(format!("n{i}")), &more)
    };
    let mut servers: Vec<Running> = ports.iter().enumerate().map(one).collect();
    let url = ports.iter().map(|(port, _)| format!("nats://127.0.0.1:{port}")).collect::<Vec<_>>().join(",");
    // A cluster chooses a leader before it keeps anything.
    std::thread::sleep(Duration::from_secs(5));
    let out = folder.path().join("out");
    let hunting = hunt(&url, "cluster", "32000", &out);
    let victim = join(&url, "cluster");
    let other = join(&url, "cluster");
    wait_for(&url, "cluster", 6);
    drop(victim);
    drop(servers.remove(0));
    let other = end(other);
    assert!(other.status.success(), "{}", text(&other));
    let told = summary(&end(hunting));
    // Exactly: what was done twice counts once.
    assert_eq!(told["checks"], 32_000, "{told}");
    let found = findings(&out);
    assert_eq!(told["findings"], found.len());
    assert_different(&out);

    assert_all_settled(&told);

    // The same leases on one machine that nothing happens to violate as many claims.
    let server = Server::start();
    let alone = folder.path().join("alone");
    let undisturbed = summary(&end(hunt(&server.url, "alone", "32000", &alone)));
    assert_all_settled(&undisturbed);
    assert!(undisturbed["violations"].as_u64().unwrap() >= 3, "{undisturbed}");
    assert_eq!(undisturbed["violations"], told["violations"]);
}
