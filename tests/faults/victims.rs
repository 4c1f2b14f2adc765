//! A hunt and its children, to be killed: who they are, how far they have got, and a thread that kills them as they
//! get somewhere.

use qualm::recorder::Reader;
use serde_json::Value as Json;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

pub const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

pub fn send(pid: u32, signal: i32) -> bool {
    // SAFETY: a plain call; the process is a child of this test, or a child of one.
    unsafe { libc::kill(pid as libc::pid_t, signal) == 0 }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    Worker,
    Runner,
    /// Whatever a worker or a runner has started: a server, or a process of one.
    Server,
}

/// State and parent of a process.
fn state_of(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Living processes whose parent is this one, whichever of its threads started them.
fn children_of(pid: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let lists: Vec<String> = tasks.filter_map(|t| fs::read_to_string(t.path().join("children")).ok()).collect();
    let numbers: Vec<u32> = match lists.is_empty() {
        false => lists.iter().flat_map(|l| l.split_whitespace()).filter_map(|n| n.parse().ok()).collect(),
        // Not every kernel has such lists.
        true => {
            let all = fs::read_dir("/proc").unwrap().flatten();
            all.filter_map(|e| e.file_name().to_str()?.parse().ok()).collect()
        }
    };
    numbers.into_iter().filter(|n| state_of(*n).is_some_and(|(state, parent)| state != 'Z' && parent == pid)).collect()
}

/// Workers, runners and servers of a hunt.
pub fn family(hunt: u32) -> Vec<(u32, Role)> {
    let mut found = Vec::new();
    let command = |pid: u32| fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    for pid in children_of(hunt) {
        let role = match command(pid).split(|b| *b == 0).nth(1) {
            Some(b"worker") => Role::Worker,
            Some(b"runner") => Role::Runner,
            _ => continue,
        };
        found.push((pid, role));
        for server in children_of(pid) {
            // One who cleans up after a server has no part in the hunt.
            if String::from_utf8_lossy(&command(server)).contains("qualm-warden") {
                continue;
            }
            found.push((server, Role::Server));
            found.extend(children_of(server).into_iter().map(|process| (process, Role::Server)));
        }
    }
    found
}

/// The flight recorder of a worker or a runner, once it has one.
fn recorder(pid: u32) -> Option<Reader> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let is_recorder = |path: &&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        path.starts_with('/') && (name.starts_with("worker-") || name.starts_with("runner-"))
    };
    let path = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).find(is_recorder)?;
    Reader::open(Path::new(path))
}

/// How many statements a worker or a runner has begun.
pub fn statements_of(pid: u32) -> u64 {
    recorder(pid).map_or(0, |r| r.sequence())
}

/// Numbers that are the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % most
    }
}

/// Who is to be killed how often, and how many statements each may get to first.
#[derive(Clone, Copy)]
pub struct Plan {
    pub seed: u64,
    pub workers: u32,
    pub runners: u32,
    pub servers: u32,
    pub statements: u64,
}

/// A hunt that runs, with its output in files so that nobody has to read it meanwhile.
pub struct Hunt {
    child: Child,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Hunt {
    pub fn start(out: &Path, args: &[&str]) -> Hunt {
        let (stdout, stderr) = (out.with_extension("stdout"), out.with_extension("stderr"));
        let mut command = Command::new(QUALM);
        command.arg("hunt").args(args).args(["--json", "--out"]).arg(out).stdin(Stdio::null());
        command.stdout(fs::File::create(&stdout).unwrap()).stderr(fs::File::create(&stderr).unwrap());
        Hunt { child: command.spawn().unwrap(), stdout, stderr }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it had said when it was killed.
    pub fn killed(mut self) -> String {
        self.child.wait().unwrap();
        fs::read_to_string(&self.stderr).unwrap()
    }

    pub fn is_over(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    pub fn end(mut self) -> Output {
        let until = Instant::now() + Duration::from_secs(600);
        while !self.is_over() {
            assert!(Instant::now() < until, "the hunt does not end: {}", fs::read_to_string(&self.stderr).unwrap());
            std::thread::sleep(Duration::from_millis(10));
        }
        let status = self.child.wait().unwrap();
        Output { status, stdout: fs::read(&self.stdout).unwrap(), stderr: fs::read(&self.stderr).unwrap() }
    }
}

impl Drop for Hunt {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills children of the hunt as the plan says, each once it has got to some statement, until the hunt is over or the
/// plan is done. Gives the number of kills.
pub fn torment(hunt: u32, plan: Plan, over: &Arc<AtomicBool>) -> u64 {
    let mut dice = Dice::new(plan.seed);
    let mut left =
        HashMap::from([(Role::Worker, plan.workers), (Role::Runner, plan.runners), (Role::Server, plan.servers)]);
    // How far each process may get, and since when it is known.
    let mut fates: HashMap<u32, (u64, Instant)> = HashMap::new();
    let mut kills = 0;
    while !over.load(Ordering::Relaxed) && left.values().any(|n| *n > 0) {
        for (pid, role) in family(hunt) {
            if left[&role] == 0 {
                continue;
            }
            let (fate, since) = *fates.entry(pid).or_insert_with(|| (1 + dice.below(plan.statements), Instant::now()));
            // A server has no recorder, and an idle runner no progress: both may be killed after a while.
            let patience = Duration::from_millis(300 + fate % 500);
            let got_there = match role {
                Role::Server => false,
                _ => recorder(pid).is_some_and(|r| r.sequence() >= fate),
            };
            if !got_there && (since.elapsed() < patience || role == Role::Worker) {
                continue;
            }
            let signal = if dice.below(3) == 0 { libc::SIGTERM } else { libc::SIGKILL };
            if send(pid, signal) {
                kills += 1;
                *left.get_mut(&role).unwrap() -= 1;
                fates.insert(pid, (u64::MAX, Instant::now() + Duration::from_secs(3600)));
            }
        }
        std::thread::sleep(Duration::from_millis(3));
    }
    kills
}

/// A whole hunt with kills; the line that it ends with, and how many there were.
pub fn tormented(out: &Path, args: &[&str], plan: Plan) -> (Json, u64) {
    let hunt = Hunt::start(out, args);
    let (pid, over) = (hunt.pid(), Arc::new(AtomicBool::new(false)));
    let killer = {
        let over = over.clone();
        std::thread::spawn(move || torment(pid, plan, &over))
    };
    let output = hunt.end();
    over.store(true, Ordering::Relaxed);
    let kills = killer.join().unwrap();
    (line(&output), kills)
}

/// The same without anyone killing anything.
pub fn undisturbed(out: &Path, args: &[&str]) -> Json {
    line(&Hunt::start(out, args).end())
}

pub fn line(output: &Output) -> Json {
    let said = String::from_utf8_lossy(&output.stderr);
    let line: Json = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}"));
    assert_eq!(output.status.code().map(i64::from), line["exit"].as_i64(), "{said}");
    line
}

/// Where a case came from.
pub type Origin = (u64, u64, u64);

/// What a campaign's folder holds, all of it read.
#[derive(Debug, Default)]
pub struct Held {
    pub findings: Vec<PathBuf>,
    pub pending: Vec<PathBuf>,
    pub unconfirmed: Vec<PathBuf>,
    /// Of findings, their duplicates, and what is pending or unconfirmed.
    pub origins: BTreeSet<Origin>,
    pub kinds: BTreeSet<String>,
    pub fingerprints: BTreeSet<String>,
}

fn origin(json: &Json) -> Origin {
    let field = |name: &str| json["origin"][name].as_u64().unwrap_or_else(|| panic!("no {name} in {json}"));
    (field("worker"), field("database"), field("check"))
}

fn read_json(path: &Path) -> Json {
    let text = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn read_lines(path: &Path) -> Vec<Json> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{}: {e}: {l}", path.display()))).collect()
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    files
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with('.')
}

/// Reads everything in the folder of a campaign; whatever cannot be read is a failure. Of a hunt that was killed,
/// hidden files may be there that were being written.
pub fn read_all(out: &Path, killed: bool) -> Held {
    let mut held = Held::default();
    for folder in files_in(&out.join("findings")) {
        if is_hidden(&folder) {
            assert!(killed, "{} was left behind", folder.display());
            continue;
        }
        let meta = read_json(&folder.join("meta.json"));
        qualm::store::read_case(&folder).unwrap_or_else(|f| panic!("{f}"));
        assert!(qualm::report::Stored::read(&folder).is_some(), "{}", folder.display());
        for file in files_in(&folder).iter().filter(|f| f.ends_with("unreduced.json")) {
            qualm::store::read_case(file).unwrap_or_else(|f| panic!("{f}"));
        }
        held.origins.insert(origin(&meta));
        held.origins.extend(read_lines(&folder.join("duplicates.jsonl")).iter().map(origin));
        held.kinds.insert(meta["kind"].as_str().unwrap().to_owned());
        held.fingerprints.insert(meta["fingerprint"].as_str().unwrap().to_owned());
        held.findings.push(folder);
    }
    for below in ["pending", "unconfirmed"] {
        for file in files_in(&out.join(below)) {
            if is_hidden(&file) {
                assert!(killed, "{} was left behind", file.display());
            } else if file.extension().is_some_and(|e| e == "json") {
                let case = qualm::store::read_case(&file).unwrap_or_else(|f| panic!("{f}"));
                held.origins.insert((case.origin.worker, case.origin.database, case.origin.check));
                let list = if below == "pending" { &mut held.pending } else { &mut held.unconfirmed };
                list.push(file);
            }
        }
    }
    for file in ["findings.jsonl", "unconfirmed.jsonl"] {
        read_lines(&out.join(file));
    }
    held
}

/// Every violation is reported once, in what the hunt says and in what its folder holds.
pub fn assert_adds_up(line: &Json, held: &Held, out: &Path) {
    let count = |name: &str| line[name].as_u64().unwrap_or_else(|| panic!("no {name} in {line}"));
    let parts = ["findings", "duplicates", "suppressed", "flaky", "pending", "unconfirmed", "skipped"];
    assert_eq!(count("violations"), parts.map(count).iter().sum::<u64>(), "{line}");
    assert_eq!(count("findings"), held.findings.len() as u64, "{line}");
    assert_eq!(count("pending"), held.pending.len() as u64, "{line}");
    assert_eq!(count("flaky") + count("unconfirmed"), held.unconfirmed.len() as u64, "{line}");
    assert_eq!(held.unconfirmed.len(), read_lines(&out.join("unconfirmed.jsonl")).len(), "{line}");
    let stored = read_json(&out.join("campaign.json"));
    for name in parts.iter().chain(&["violations"]) {
        assert_eq!(stored[name], line[name], "{name}");
    }
    let found = count("findings") + count("pending") > 0;
    assert_eq!(line["exit"], u64::from(found), "{line}");
}

/// `replay` judges what is stored, or says why it cannot.
pub fn assert_replays(path: &Path) {
    assert_replays_on(path, None);
}

/// The same for what does not name its engine: a hunt that was killed had no time to.
pub fn assert_replays_on(path: &Path, engine: Option<&str>) {
    let mut command = Command::new(QUALM);
    command.arg("replay").arg(path);
    command.args(engine.iter().flat_map(|engine| ["--engine", engine]));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    let judged = match output.status.code() {
        Some(1) => said.contains("still there"),
        Some(0) => said.contains("gone"),
        Some(2) => said.contains("cannot be judged"),
        _ => false,
    };
    assert!(judged, "{}: {:?} {said}", path.display(), output.status);
}

/// The page of a campaign can be made.
pub fn assert_reports(out: &Path) {
    let page = out.with_extension("html");
    let output = Command::new(QUALM).arg("report").arg(out).arg("--out").arg(&page).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read_to_string(page).unwrap().contains("</html>"));
}
