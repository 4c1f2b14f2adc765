//! `qualm fleet bench`: a campaign whose workers have no engine and find made-up bugs, to see what a server bears and
//! whether each bug is reported once.

use super::args::{Address, Server};
use super::leases::{Build, Lease, Record, now_ms};
use super::link::Link;
use super::member::lease_key;
use super::mirror::Known;
use super::peers::{Members, MetByLease};
use qualm_core::case::{CASE_FORMAT, Case, Evidence, Origin, Step};
use qualm_core::fault::Fault;
use qualm_core::relation::{FailureKind, Relation, Verdict};
use qualm_run::fingerprint::{self, Fingerprint, Kind};
use qualm_run::peers::{PeerFinding, Peers};
use qualm_run::report::Finding;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bugs that one lease meets.
const MET: u32 = 5;
const PULL: Duration = Duration::from_secs(1);

pub fn run(server: &Server, workers: u16, leases: u32, bugs: u32) -> Result<u8, Fault> {
    let url = server.fleet.as_deref().ok_or_else(|| Fault::usage("name the server: --fleet URL"))?;
    let address = Address::of(url, &format!("bench-{}", std::process::id()))?;
    let link = Link::create(&address, &server.access)?;
    link.put("config", json!({"build": Build::own()}).to_string().as_bytes())?;
    let lease = |number: u32| Lease { number: number.into(), checks: Some(0), seconds: None };
    let began = Instant::now();
    link.put_up(&(0..leases).map(lease).collect::<Vec<_>>())?;
    let put_up = began.elapsed().as_secs_f64();
    let ended: Result<Vec<u64>, Fault> = std::thread::scope(|scope| {
        let one = |worker: u16| {
            let (address, access) = (&address, &server.access);
            scope.spawn(move || work(Link::join(address, access)?, &format!("bench-{worker}"), bugs))
        };
        let threads: Vec<_> = (0..workers).map(one).collect();
        threads.into_iter().map(|t| t.join().unwrap_or_else(|_| Err(Fault::own("a worker failed")))).collect()
    });
    let (seconds, requests) = (began.elapsed().as_secs_f64(), ended?);
    let known = Known::all(&link)?;
    let mut prints: Vec<&str> = known.entries.values().map(|e| e.finding.fingerprint.id.as_str()).collect();
    prints.sort_unstable();
    let entries = prints.len();
    prints.dedup();
    outln!(
        "{}",
        json!({
            "workers": workers, "leases": leases, "bugs": bugs, "seconds": seconds, "put_up_seconds": put_up,
            "leases_per_s": f64::from(leases) / seconds, "done": known.done().count(),
            "met": u64::from(leases) * u64::from(MET), "findings": entries, "different": prints.len(),
            "refused_at_once": requests.iter().sum::<u64>(),
        })
    );
    Link::remove(&address, &server.access)?;
    Ok(0)
}

/// One worker's life; how often it was not the first.
fn work(link: Link, member: &str, bugs: u32) -> Result<u64, Fault> {
    let link = Arc::new(link);
    let met = MetByLease::default();
    let mut peers = Members::new(link.clone(), member, met.clone());
    let (mut settled, mut beaten): (Vec<PeerFinding>, u64) = (Vec::new(), 0);
    loop {
        let Some(held) = link.next_lease(PULL)? else {
            if link.open_leases()? == 0 {
                return Ok(beaten);
            }
            continue;
        };
        let number = held.lease.number;
        for n in 0..MET {
            let finding = made_up((number as u32).wrapping_mul(2_654_435_761).wrapping_add(n * 7919) % bugs, number);
            let peer_finding = PeerFinding::of(&finding, None);
            loop {
                settled.extend(peers.news()?);
                let same = |s: &&PeerFinding| fingerprint::same_bug(&s.fingerprint, &finding.fingerprint);
                if settled.iter().find(same).is_some() {
                    break;
                }
                if peers.announce(&peer_finding, &finding)? {
                    settled.push(peer_finding);
                    break;
                }
                beaten += 1;
            }
        }
        let record =
            Record { lease: number, member: member.into(), done: true, reported_ms: now_ms(), ..Record::default() };
        link.put(&lease_key(number), &serde_json::to_vec(&record).expect("plain data"))?;
        link.done(&held);
    }
}

fn made_up(bug: u32, lease: u64) -> Finding {
    let text = format!("SELECT {bug}");
    let case = Case {
        format: CASE_FORMAT,
        language: qualm_lang::sql::LANGUAGE,
        oracle: "bench".into(),
        rules: Vec::new(),
        script: vec![Step::query("last", &text)],
        claim: Relation::Survives,
        source: None,
        origin: Origin { worker: lease, ..Origin::default() },
    };
    let verdict = Verdict::Broke { kind: FailureKind::Crash, text: format!("made up {bug}") };
    let evidence = Evidence { answers: Vec::new(), verdict };
    let print = Fingerprint {
        id: format!("{bug:016x}"),
        kind: Kind::Crash,
        cures: Vec::new(),
        features: [format!("bug {bug}")].into(),
        signature: format!("bug {bug}"),
        title: format!("Made up: {bug}"),
        general: None,
    };
    Finding::new("bench", "bench 1", case, evidence, Vec::new(), print)
}
