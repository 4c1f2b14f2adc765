//! Campaigns of many machines with a real server, and with a cluster of which parts are killed. `./x nats 2.10.27`
//! fetches the server; machines are processes on this one, and find each other through the server only.
#![cfg(feature = "fleet")]

#[path = "fleet/foreign.rs"]
mod foreign;
#[path = "fleet/locked.rs"]
mod locked;
#[path = "fleet/wire.rs"]
mod wire;

mod support;

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use support::program::{self, Running, run, text, wait_for};

/// A release with several bugs that a few thousand checks find.
const ENGINE: &str = "sqlite:3.28.0";

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
    wait_until_it_answers(port);
    Running(child)
}

fn wait_until_it_answers(port: u16) {
    wait_for("the server", || TcpStream::connect(("127.0.0.1", port)).ok());
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
        self.running = Some(start(self.port, self.folder.path(), &[]));
    }
}

fn qualm(args: &[&str]) -> Command {
    let mut command = program::qualm(args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn hunt(url: &str, name: &str, checks: &str, out: &Path) -> Running {
    hunt_with(&["--checks", checks, "--fleet", url, "--campaign", name, "--out", out.to_str().unwrap()])
}

fn hunt_with(more: &[&str]) -> Running {
    let args = ["hunt", ENGINE, "--oracle", "tlp,norec", "--size", "small", "--seed", "8", "--workers", "1", "--json"];
    Running(qualm(&[args.as_slice(), more].concat()).spawn().unwrap())
}

fn join(url: &str, name: &str) -> Running {
    begun(url, name);
    Running(
        qualm(&["worker", "--fleet", url, "--campaign", name, "--workers", "1", "--allow-engine", ENGINE])
            .spawn()
            .unwrap(),
    )
}

/// Waits until the campaign is there.
fn begun(url: &str, name: &str) {
    wait_for("the campaign", || (!status(url, name)["leases"].is_null()).then_some(()));
}

/// Waits until so many machines have reported a lease.
fn all_are_at_it(url: &str, name: &str, machines: usize) {
    wait_for("all machines", || status(url, name)["members"].as_array().filter(|m| m.len() >= machines).map(drop));
}

/// When each machine last reported.
fn report_times(url: &str, name: &str) -> BTreeMap<String, u64> {
    let status = status(url, name);
    let members = status["members"].as_array().into_iter().flatten();
    members.filter_map(|m| Some((m["name"].as_str()?.to_owned(), m["told_ms"].as_u64()?))).collect()
}

fn status(url: &str, name: &str) -> Value {
    let output = run(&["fleet", "status", name, "--fleet", url, "--json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Waits until so many leases are done; more when something of it has to go on.
fn wait_for_leases(url: &str, name: &str, done: u64) {
    wait_for("leases", || status(url, name)["done"].as_u64().filter(|n| *n >= done));
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
fn assert_all_settled(figures: &Value) {
    let count = |key: &str| figures[key].as_u64().unwrap();
    let parts = ["findings", "duplicates", "flaky", "suppressed", "pending", "unconfirmed", "skipped"];
    assert_eq!(parts.map(count).iter().sum::<u64>(), count("violations"), "{figures}");
    assert_eq!(count("pending") + count("skipped"), 0, "{figures}");
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
    let figures = summary(&first);
    assert_eq!(first.status.code(), Some(1), "{}", text(&first));
    assert_eq!(figures["checks"], 16_000);
    assert_all_settled(&figures);
    let found = findings(&out);
    assert!(found.len() >= 3 && figures["findings"] == found.len(), "{figures}");
    assert_different(&out);
    let now = status(url, "night");
    assert!(now["state"] == "over" && now["open"] == 0 && now["checks"] == 16_000, "{now}");
    assert_eq!(now["members"].as_array().unwrap().len(), 2, "{now}");

    assert!(served(&[&format!("{url}/night")], "/data.json", |page| found.iter().all(|id| page.contains(id.as_str()))));
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
    assert!(again.status.code() == Some(2) && text(&again).contains("exists already"), "{}", text(&again));
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
    all_are_at_it(&url, "long", 2);
    let last = report_times(&url, "long").into_values().max();
    server.restart();
    // Each machine reports again.
    wait_for("news of both machines", || {
        let now = report_times(&url, "long");
        (now.len() == 2 && now.into_values().all(|last_sign| Some(last_sign) > last)).then_some(())
    });
    assert_eq!(status(&url, "long")["state"], "running");
    assert!(run(&["fleet", "stop", "long", "--fleet", &url]).status.success());
    let joined = end(joined);
    assert!(joined.status.success(), "{}", text(&joined));
    let figures = summary(&end(hunting));
    assert!(figures["checks"].as_u64().unwrap() > 0, "{figures}");
    assert_eq!(figures["findings"], findings(&out).len());
}

#[test]
fn a_hunt_whose_campaign_is_removed_says_so_and_leaves() {
    let server = Server::start();
    let (url, folder) = (server.url.as_str(), tempfile::tempdir().unwrap());
    let hunting = hunt(url, "gone", "100000000", &folder.path().join("out"));
    all_are_at_it(url, "gone", 1);
    assert!(run(&["fleet", "remove", "gone", "--fleet", url]).status.success());
    let left = end(hunting);
    assert!(left.status.code() == Some(2) && text(&left).contains("'gone' was removed"), "{}", text(&left));
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
        assert!(text(&said).contains("started by qualm 0.0.9"), "{}", text(&said));
    }
    let _ = fs::remove_dir_all("/tmp/qualm-never");
    let nobody = run(&["worker", "--fleet", "nats://127.0.0.1:1", "--campaign", "x"]);
    assert_eq!(nobody.status.code(), Some(3), "{}", text(&nobody));
}

#[test]
fn a_fleet_of_made_up_workers_reports_each_bug_once() {
    let server = Server::start();
    let args = ["fleet", "bench", "--fleet", &server.url, "--workers", "16", "--leases", "120", "--bugs", "20"];
    let output = run(&args);
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output)));
    assert!(figures["done"] == 120 && figures["findings"] == 20 && figures["different"] == 20, "{figures}");
}

/// A busy server hangs up on clients that are slow to introduce themselves: they try again.
#[test]
fn a_server_that_hangs_up_at_first_is_tried_again() {
    let server = Server::start();
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://{}", door.local_addr().unwrap());
    let port = server.port;
    std::thread::spawn(move || {
        // What was not read when the connection is closed makes it a reset.
        let mut first = door.accept().unwrap().0;
        first.write_all(b"INFO {\"server_id\":\"x\",\"version\":\"2.10.27\",\"max_payload\":1048576}\r\n").unwrap();
        first.peek(&mut [0]).unwrap();
        drop(first);
        for client in door.incoming() {
            let (client, upstream) = (client.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            for (mut from, mut to) in [(client.try_clone().unwrap(), upstream.try_clone().unwrap()), (upstream, client)]
            {
                std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            }
        }
    });
    let output = run(&["fleet", "bench", "--fleet", &url, "--workers", "2", "--leases", "4", "--bugs", "2"]);
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", text(&output)));
    assert_eq!(figures["done"], 4, "{figures}");
}

/// Cut off for longer than the server waits for a machine: others do its leases again, and when it is back, what it
/// says of them changes nothing.
#[test]
fn a_machine_that_is_cut_off_comes_back_and_changes_nothing() {
    let server = Server::start();
    let (url, folder) = (server.url.as_str(), tempfile::tempdir().unwrap());
    let wire = wire::Wire::to(server.port);
    let out = folder.path().join("out");
    let hunting = hunt(url, "cut", "24000", &out);
    let joined = join(&format!("nats://127.0.0.1:{}", wire.port), "cut");
    all_are_at_it(url, "cut", 2);
    wire.cut();
    let figures = summary(&end(hunting));
    assert_eq!(figures["checks"], 24_000, "{figures}");
    assert_all_settled(&figures);
    let found = findings(&out);
    assert_different(&out);
    wire.mend();
    let joined = end(joined);
    assert!(joined.status.success() && text(&joined).contains("the campaign is over"), "{}", text(&joined));
    let now = status(url, "cut");
    assert!(now["checks"] == 24_000 && now["findings"] == found.len() && now["state"] == "over", "{now}");
}

/// The disk of a machine is full from some moment on: no file of it may grow any more. It leaves, and the others do
/// what it leaves undone.
#[test]
fn a_machine_whose_disk_is_full_leaves_and_the_others_go_on() {
    let server = Server::start();
    let (url, folder) = (server.url.as_str(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let hunting = hunt(url, "full", "24000", &out);
    begun(url, "full");
    // This one alone is at it, so that the findings are its own.
    let signal = |signal| assert_eq!(unsafe { libc::kill(hunting.0.id() as i32, signal) }, 0);
    signal(libc::SIGSTOP);
    let mut command = qualm(&["worker", "--fleet", url, "--campaign", "full", "--workers", "1", "--out"]);
    command.arg(folder.path().join("own")).args(["--allow-engine", ENGINE]);
    // SAFETY: one call that may be made between fork and exec. Without it a write beyond the limit kills.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            Ok(())
        })
    };
    let mut victim = Running(command.spawn().unwrap());
    let mut joined = String::new();
    let mut said = BufReader::new(victim.0.stderr.take().unwrap());
    while !joined.contains("joined") && said.read_line(&mut joined).unwrap() > 0 {}
    let limit = libc::rlimit { rlim_cur: 100, rlim_max: 100 };
    // SAFETY: the limit is read only, and the old one is not asked for.
    let limited = unsafe { libc::prlimit(victim.0.id() as i32, libc::RLIMIT_FSIZE, &limit, std::ptr::null_mut()) };
    assert_eq!(limited, 0);
    said.read_to_string(&mut joined).unwrap();
    assert_eq!(victim.0.wait().unwrap().code(), Some(4), "{joined}");
    assert!(joined.contains("File too large") && joined.contains("leaves the campaign"), "{joined}");
    signal(libc::SIGCONT);
    let figures = summary(&end(hunting));
    assert_eq!(figures["checks"], 24_000, "{figures}");
    assert_all_settled(&figures);
    assert_eq!(figures["findings"], findings(&out).len());
    assert_different(&out);
}

#[test]
fn only_who_has_the_authority_and_credentials_gets_in() {
    let server = locked::Locked::start();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let path = |p: &Path| p.to_str().unwrap().to_owned();
    let (ca, creds) = (path(&server.authority), path(&server.creds));
    let access = ["--tls-ca", &ca, "--creds", &creds];
    let named = ["--fleet", &server.url, "--campaign", "locked"];
    let hunting = ["--checks", "4000", "--out", out.to_str().unwrap()];
    let figures = summary(&end(hunt_with(&[hunting.as_slice(), &named, &access].concat())));
    assert_eq!(figures["checks"], 4_000, "{figures}");
    let place = format!("{}/locked", server.url);
    for args in [["fleet", "status", &place].as_slice(), &["report", &place, "--out", "-"]] {
        let said = run(&[args, &access].concat());
        assert!(said.status.success(), "{}", text(&said));
        assert_eq!(run(&[args, &["--tls-ca", &ca]].concat()).status.code(), Some(3), "without credentials");
    }
    let joined = run(&[["worker", "--allow-engine", ENGINE].as_slice(), &named, &access].concat());
    assert!(joined.status.success(), "{}", text(&joined));
    let with_place = [place.as_str(), "--tls-ca", &ca, "--creds", &creds];
    assert!(served(&with_place, "/data.json", |page| page.contains("sqlite 3.28.0")));

    let (other_ca, other_creds) = (path(&server.other_authority), path(&server.other_creds));
    for (wrong, says) in [
        (["--tls-ca", &ca, "--creds", &other_creds], "authorization"),
        (["--tls-ca", &other_ca, "--creds", &creds], "certificate"),
    ] {
        let said = run(&[["worker"].as_slice(), &named, &wrong].concat());
        assert_eq!(said.status.code(), Some(3), "{}", text(&said));
        assert!(text(&said).to_lowercase().contains(says), "{}", text(&said));
    }
}

/// Whether `qualm serve` with these arguments comes to give a page that fits.
fn served(args: &[&str], path: &str, fits: impl Fn(&str) -> bool) -> bool {
    let mut serving =
        Running(qualm(&[["serve", "--listen", "127.0.0.1:0"].as_slice(), args].concat()).spawn().unwrap());
    let mut figures = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut figures).unwrap();
    let port =
        figures.split(':').nth(2).and_then(|r| r.split('/').next()).unwrap_or_else(|| panic!("no address: {figures}"));
    let mut stream = TcpStream::connect(format!("127.0.0.1:{port}")).unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.starts_with("HTTP/1.1 200") && fits(&answer)
}

/// Seconds are those of workers: two machines share them.
#[test]
fn a_budget_in_seconds_is_kept() {
    let server = Server::start();
    let (url, folder) = (server.url.as_str(), tempfile::tempdir().unwrap());
    let out = folder.path().join("out");
    let budget = ["--seconds", "30", "--fleet", url, "--campaign", "timed", "--out", out.to_str().unwrap()];
    let hunting = hunt_with(&budget);
    let joined = end(join(url, "timed"));
    assert!(joined.status.success(), "{}", text(&joined));
    let figures = summary(&end(hunting));
    let now = status(url, "timed");
    assert!(now["done"] == now["leases"] && now["members"].as_array().unwrap().len() == 2, "{now}");
    let seconds = now["worker_seconds"].as_f64().unwrap();
    assert!((seconds - 30.0).abs() < 0.05 * 30.0, "{now}");
    assert!(figures["checks"].as_u64().unwrap() > 0 && figures["checks"] == now["checks"], "{figures}");
}

/// The server that leads the keeping of leases, which is the one whose loss means most.
fn leader(url: &str, stream: &str) -> usize {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let servers: Vec<&str> = url.split(',').collect();
    let name = runtime.block_on(async {
        let context = async_nats::jetstream::new(async_nats::connect(servers).await.unwrap());
        let mut stream = context.get_stream(stream).await.unwrap();
        let cluster = stream.info().await.unwrap().cluster.clone().unwrap();
        assert_eq!(cluster.replicas.len(), 2, "kept three times: {cluster:?}");
        cluster.leader.unwrap()
    });
    name.strip_prefix('n').unwrap().parse().unwrap()
}

/// Three servers; the one that leads and one machine are killed while all are at it.
#[test]
fn a_killed_server_and_a_killed_machine_lose_nothing_and_report_nothing_twice() {
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
    let out = folder.path().join("out");
    let hunting = hunt(&url, "cluster", "32000", &out);
    let victim = join(&url, "cluster");
    let other = join(&url, "cluster");
    wait_for_leases(&url, "cluster", 6);
    drop(victim);
    drop(servers.remove(leader(&url, "qualm-cluster")));
    let other = end(other);
    assert!(other.status.success(), "{}", text(&other));
    let figures = summary(&end(hunting));
    // Exactly: what was done twice counts once.
    assert_eq!(figures["checks"], 32_000, "{figures}");
    let found = findings(&out);
    assert_eq!(figures["findings"], found.len());
    assert_different(&out);

    assert_all_settled(&figures);

    // The same leases on one machine that nothing happens to violate as many claims.
    let server = Server::start();
    let alone = folder.path().join("alone");
    let undisturbed = summary(&end(hunt(&server.url, "alone", "32000", &alone)));
    assert_all_settled(&undisturbed);
    assert!(undisturbed["violations"].as_u64().unwrap() >= 3, "{undisturbed}");
    assert_eq!(undisturbed["violations"], figures["violations"]);
}

#[test]
fn a_night_is_shared() {
    let (server, folder) = (Server::start(), tempfile::tempdir().unwrap());
    let file = folder.path().join("nights.toml");
    let hunt = "[[hunt]]\nengine = \"canary:index-row\"\noracle = [\"index\"]\nworkers = 1\nchecks = 6000\nseed = 1\n";
    let out = folder.path().join("o");
    fs::write(&file, format!("seconds = 60\nfleet = \"{}\"\nout = {out:?}\n{hunt}{hunt}", server.url)).unwrap();
    let file = file.to_str().unwrap();
    let joined = Running(qualm(&["nightly", file, "--join", "--workers", "1"]).spawn().unwrap());
    let led = end(Running(qualm(&["nightly", file]).spawn().unwrap()));
    assert_eq!(led.status.code(), Some(1), "{}", text(&led));
    let joined = end(joined);
    assert_eq!(joined.status.code(), Some(0), "{}", text(&joined));
    assert!(text(&joined).contains("nights-1' as"), "{}", text(&joined));
    assert!(status(&server.url, "nights-1").is_null() && status(&server.url, "nights-2").is_null(), "both are removed");
    for made in ["0001/findings.jsonl", "0002/replayed.jsonl", "history.db", "qualm-report.html", "issues"] {
        assert!(out.join(made).exists(), "{made}: {}", text(&led));
    }
}
