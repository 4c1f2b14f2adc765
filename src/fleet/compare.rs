//! `qualm fleet compare`: what the detour over a server costs. One machine with two workers against two machines with
//! one worker each, on this computer, with the same budget and in turns, so that whatever else runs here disturbs both.

use super::args::{Address, Compare};
use super::commands::ready;
use super::link::Link;
use qualm_core::fault::Fault;
use qualm_host::process::{Heard, Peer, Scratch, own_program, ticks_per_second};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(20);
const LISTEN: Duration = Duration::from_secs(1);

/// One hunt, by however many processes.
struct Took {
    checks: f64,
    /// Wall time of the hunt.
    seconds: f64,
    /// CPU time of all processes of qualm, and of their engines as far as they are children.
    cpu_seconds: f64,
    /// CPU time of the server.
    server_seconds: f64,
}

impl Took {
    fn per_second(&self) -> f64 {
        self.checks / self.seconds.max(1e-9)
    }

    fn per_cpu_second(&self) -> f64 {
        self.checks / (self.cpu_seconds + self.server_seconds).max(1e-9)
    }
}

pub fn run(args: &Compare) -> Result<u8, Fault> {
    let url = args.server.fleet.as_deref().ok_or_else(|| Fault::usage("name the server: --fleet URL"))?;
    let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
    let (mut speeds, mut costs) = (Vec::new(), Vec::new());
    for round in 1..=args.rounds {
        let address = Address::of(url, &format!("compare-{}-{round}", std::process::id()))?;
        let folder = scratch.path().join(round.to_string());
        let alone = alone(args, round, &folder.join("alone"))?;
        let together = together(args, round, &folder.join("together"), &address);
        let removed = Link::remove(&address, &args.server.access);
        let together = together?;
        removed?;
        let (speed, cost) =
            (together.per_second() / alone.per_second(), together.per_cpu_second() / alone.per_cpu_second());
        let words = |t: &Took| {
            let (checks, server) = (t.per_second(), t.server_seconds);
            format!("{checks:.0} checks/s, {:.1} s of CPU and {server:.2} s of the server's", t.cpu_seconds)
        };
        outln!("round {round}: alone {}; fleet {}", words(&alone), words(&together));
        outln!(
            "round {round}: the fleet reaches {speed:.3} of the checks/s and {cost:.3} of the checks per CPU second"
        );
        speeds.push(speed);
        costs.push(cost);
    }
    outln!("median: {:.3} of the checks/s, {:.3} of the checks per CPU second", median(speeds), median(costs));
    Ok(0)
}

fn median(mut of: Vec<f64>) -> f64 {
    of.sort_by(f64::total_cmp);
    of.get(of.len() / 2).copied().unwrap_or_default()
}

fn command(args: &Compare, round: u16, workers: &str, out: &Path) -> Command {
    let mut command = Command::new(own_program());
    command.args(["hunt", &args.engine, "--json", "--workers", workers, "--checks", &args.checks.to_string()]);
    command.args(["--seed", &round.to_string(), "--out"]).arg(out).args(&args.more);
    command
}

fn alone(args: &Compare, round: u16, out: &Path) -> Result<Took, Fault> {
    let (said, cpu_seconds) = finish(&mut start(command(args, round, "2", out))?)?;
    took(&said, cpu_seconds, 0.0)
}

fn together(args: &Compare, round: u16, out: &Path, address: &Address) -> Result<Took, Fault> {
    let at = || args.server_pid.map_or(Ok(0.0), server_seconds);
    let before = at()?;
    let joining = |command: &mut Command| {
        command.args(["--fleet", &address.servers.join(","), "--campaign", &address.name]);
        let access = &args.server.access;
        for (flag, file) in [("--creds", &access.creds), ("--tls-ca", &access.tls_ca)] {
            file.iter().for_each(|file| {
                command.arg(flag).arg(file);
            });
        }
    };
    let mut first = command(args, round, "1", out);
    joining(&mut first);
    let mut first = start(first)?;
    let began = Instant::now();
    let link = loop {
        match Link::join(address, &args.server.access) {
            Ok(link) => break link,
            Err(fault) if began.elapsed() > PATIENCE => return Err(fault),
            Err(_) => std::thread::sleep(PAUSE),
        }
    };
    ready(&link, address)?;
    let mut second = Command::new(own_program());
    second.args(["worker", "--workers", "1", "--allow-engine", &args.engine]);
    joining(&mut second);
    let mut second = start(second)?;
    let (said, first_cpu) = finish(&mut first)?;
    let (_, second_cpu) = finish(&mut second)?;
    took(&said, first_cpu + second_cpu, at()? - before)
}

fn start(command: Command) -> Result<Peer, Fault> {
    Peer::start(command).map_err(|e| Fault::own(format!("cannot start a hunt: {e}")))
}

/// What it said until it ended, and its CPU time with that of all its children.
fn finish(peer: &mut Peer) -> Result<(String, f64), Fault> {
    let mut said = String::new();
    loop {
        match peer.hear(LISTEN) {
            Heard::Line(line) => said.push_str(&(String::from_utf8_lossy(&line) + "\n")),
            Heard::Nothing => {}
            Heard::Closed => break,
        }
    }
    let ended = peer.reap();
    match ended.code {
        Some(0 | 1) => Ok((said, ended.cpu_seconds)),
        _ => Err(Fault::own(format!("a hunt failed: {}", ended.how_and_words()))),
    }
}

fn took(said: &str, cpu_seconds: f64, server_seconds: f64) -> Result<Took, Fault> {
    let summary: Value = serde_json::from_str(said).map_err(|e| Fault::own(format!("cannot parse a summary: {e}")))?;
    let figure = |key: &str| summary[key].as_f64().unwrap_or_default();
    Ok(Took { checks: figure("checks"), seconds: figure("seconds"), cpu_seconds, server_seconds })
}

/// CPU time of a process so far.
fn server_seconds(pid: u32) -> Result<f64, Fault> {
    let read = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    let text = read.map_err(|e| Fault::usage(format!("cannot watch process {pid}: {e}")))?;
    // The name may have spaces in it; user and system time are the 12th and 13th word after it.
    let words: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: f64 = words.iter().skip(11).take(2).filter_map(|w| w.parse::<f64>().ok()).sum();
    Ok(ticks / ticks_per_second() as f64)
}
