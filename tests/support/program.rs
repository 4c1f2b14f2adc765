//! The program as a process: started, waited for with a deadline, looked at, signalled.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub const QUALM: &str = env!("CARGO_BIN_EXE_qualm");

/// A process that ends with the test.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn qualm(args: &[&str]) -> Command {
    let mut command = Command::new(QUALM);
    command.args(args).env("RUST_BACKTRACE", "0");
    command
}

pub fn run(args: &[&str]) -> Output {
    qualm(args).output().expect("the program runs")
}

pub fn run_in(folder: &Path, args: &[&str]) -> Output {
    qualm(args).current_dir(folder).output().expect("the program runs")
}

/// Exit code, stdout and stderr.
pub fn outcome_in(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = run_in(folder, args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    let (stdout, stderr) = (text(output.stdout), text(output.stderr));
    (output.status.code().unwrap_or_else(|| panic!("{args:?} died: {stderr}")), stdout, stderr)
}

/// A child of the tool that has opened a session and waits for cases.
pub struct Runner {
    pub process: Running,
    output: BufReader<ChildStdout>,
    _folder: tempfile::TempDir,
}

impl Runner {
    /// Its first line has to name this version.
    pub fn start(engine: &str, version: &str) -> Runner {
        let folder = tempfile::tempdir().unwrap();
        let mut command = qualm(&["runner", folder.path().join("recorder").to_str().unwrap()]);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let mut runner = Runner { process: Running(process), output, _folder: folder };
        let greeting = runner.exchange(&serde_json::json!(engine));
        assert!(greeting.contains(version), "{greeting}");
        runner
    }

    pub fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Sends a line and waits for one.
    pub fn exchange(&mut self, message: &serde_json::Value) -> String {
        writeln!(self.process.0.stdin.as_mut().unwrap(), "{message}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }

    pub fn kill(&mut self) {
        self.process.0.kill().unwrap();
        self.process.0.wait().unwrap();
    }
}

/// The finding that the documentation shows.
pub fn example() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/docs/example-finding").to_owned()
}

/// All that it said.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

pub fn json(path: &Path) -> serde_json::Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// How often one looks, and how long anything may take on a busy machine.
const LOOK: Duration = Duration::from_millis(10);
const PATIENCE_SECONDS: u64 = 120;

/// What is looked for, as soon as it is there.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let mut found = None;
    let came = within(PATIENCE_SECONDS, || {
        found = look();
        found.is_some()
    });
    assert!(came, "{what} did not come");
    found.expect("it came")
}

/// Whether it holds before so many seconds are over.
pub fn within(seconds: u64, mut holds: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(seconds);
    while Instant::now() < until {
        if holds() {
            return true;
        }
        std::thread::sleep(LOOK);
    }
    holds()
}

pub fn signal(pid: u32, signal: i32) {
    // SAFETY: a plain call; the process was started by this test, or by one that it started.
    assert_eq!(unsafe { libc::kill(pid as libc::pid_t, signal) }, 0);
}

/// Signals a process and waits for its end: a server that takes its time to die still answers meanwhile.
pub fn kill(pid: u32, how: i32) {
    // SAFETY: plain calls; the process was started by this test, and the file is its own.
    unsafe {
        let process = libc::syscall(libc::SYS_pidfd_open, pid as libc::pid_t, 0) as libc::c_int;
        assert!(process >= 0, "no process {pid}: {}", std::io::Error::last_os_error());
        signal(pid, how);
        let mut ended = libc::pollfd { fd: process, events: libc::POLLIN, revents: 0 };
        let came = libc::poll(&mut ended, 1, PATIENCE_SECONDS as libc::c_int * 1000);
        libc::close(process);
        assert_eq!(came, 1, "process {pid} survived signal {how}");
    }
}

/// Process numbers and first arguments (of ours: the subcommands) of the children of `pid`, whichever of its threads
/// started them.
pub fn children(pid: u32) -> Vec<(u32, String)> {
    let parent = |stat: &str| stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok();
    let numbers = fs::read_dir("/proc").unwrap().flatten().filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
    let child = |n: u32| {
        let stat = fs::read_to_string(format!("/proc/{n}/stat")).ok()?;
        let line = fs::read(format!("/proc/{n}/cmdline")).unwrap_or_default();
        let first = line.split(|b| *b == 0).nth(1).unwrap_or_default();
        (parent(&stat) == Some(pid)).then(|| (n, String::from_utf8_lossy(first).into_owned()))
    };
    numbers.filter_map(child).collect()
}

/// It has not ended; one that was not buried yet has.
pub fn is_running(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|s| !s.contains(") Z "))
}
