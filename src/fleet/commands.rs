//! The commands of a fleet: begin a campaign and take part, join one, see how far it is, end it, and read it as a
//! folder.

use super::args::{Access, Address, Fleet, Join, Named, Server, What, is_address};
use super::leases::{Config, now_ms};
use super::link::{CONFIG, Link};
use super::member::{Left, Member, STOP};
use super::mirror::{Known, Mirror};
use super::{bench, compare};
use crate::cli::cores;
use crate::outputs::Report;
use qualm_core::escape;
use qualm_core::fault::Fault;
use qualm_core::words::counted;
use qualm_engines::url::shown;
use qualm_host::interrupt;
use qualm_host::process::{Scratch, own_program};
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::Summary;
use qualm_run::isolated::{self, Isolated};
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Put up when all leases are: before that an empty list of leases means nothing.
const READY: &str = "ready";
const READY_PATIENCE: Duration = Duration::from_secs(30);
/// How often a folder follows a campaign.
const FOLLOW: Duration = Duration::from_secs(2);

/// Begins the campaign, takes part, and has all of it in the store's folder in the end.
pub fn hunt(
    server: &Server,
    name: &str,
    campaign: &Campaign,
    store: &Arc<Store>,
    scratch: Arc<Scratch>,
    progress: &mut Progress,
) -> Result<Summary, Fault> {
    let address = Address::of(server.fleet.as_deref().unwrap_or_default(), name)?;
    let config = Config::of(campaign)?;
    let link = Arc::new(Link::create(&address, &server.access)?);
    begin(&link, &config, &address)?;
    progress.say(&format!("campaign '{}' has {} leases", address.shown(), config.leases));
    let mut mirror = Mirror::new(store.folder(), config)?;
    let member = Member {
        link: link.clone(),
        name: own_name(),
        campaign: campaign.clone(),
        store: Arc::new(Store::create(Some(&scratch.path().join("member")))?),
        scratch,
    };
    let over = AtomicBool::new(false);
    let (left, mut mirror) = std::thread::scope(|scope| {
        let (link, over) = (&link, &over);
        let follower = scope.spawn(move || {
            let mut followed = Instant::now();
            while !over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
                if followed.elapsed() > FOLLOW {
                    // What cannot be read now is read at the end.
                    let _ = mirror.refresh(link, false);
                    followed = Instant::now();
                }
            }
            mirror
        });
        let left = member.run(progress);
        over.store(true, Ordering::Relaxed);
        (left, follower.join())
    });
    let mirror = mirror.as_mut().map_err(|_| Fault::own("following the campaign failed"))?;
    member.store.hand_over(store.folder()).map_err(|e| Fault::own(format!("cannot keep unconfirmed cases: {e}")))?;
    if left?.early {
        progress.say("this machine leaves; the campaign continues on the others");
    }
    let summary = mirror.refresh(&link, true)?;
    summary.ok_or_else(|| Fault::own("there is no summary"))
}

/// The campaign with all its leases. One who was cut off may begin it again; another one may not.
fn begin(link: &Link, config: &Config, address: &Address) -> Result<(), Fault> {
    let text = serde_json::to_vec(config).expect("plain data");
    if !link.create_key(CONFIG, &text)? && link.get(CONFIG)?.is_none_or(|(there, _)| there != text) {
        link.config()?;
        let (shown, name) = (address.shown(), &address.name);
        return Err(Fault::usage(format!(
            "campaign '{shown}' exists already; join it with 'qualm worker --fleet URL --campaign {name} \
             --allow-engine ENGINE', or delete it with 'qualm fleet remove {shown}'"
        )));
    }
    link.put_up(&config.leases())?;
    link.put(READY, b"1")
}

/// Distinguishes the machines of a campaign, also two on one host.
fn own_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String = host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(32).collect();
    format!("{host}-{}-{:08x}", std::process::id(), crate::cli::random_seed())
}

/// Joins a campaign and takes part until it is over.
pub fn worker(join: &Join) -> Result<u8, Fault> {
    let (Some(url), Some(name)) = (&join.server.fleet, &join.campaign) else {
        return Err(Fault::usage("name the campaign to join: --fleet URL --campaign NAME"));
    };
    let address = Address::of(url, name)?;
    let link = Arc::new(Link::join(&address, &join.server.access)?);
    let config = ready(&link, &address)?;
    let engine = config.allowed_engine(&join.allow_engine, &address.shown())?;
    let mut progress = Progress::new();
    let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
    let scratch = Arc::new(scratch);
    // The engine is tried in a child first: one that crashes must not take this process with it.
    drop(Isolated::open(&own_program(), engine, config.spec.timeout_ms, scratch.clone())?);
    let spoken = isolated::describe(engine)?.spoken();
    let interrupted = interrupt::gracefully();
    let workers = join.workers.map_or_else(cores, usize::from);
    let own = scratch.path().join("member");
    let store = Arc::new(Store::create(Some(join.out.as_deref().unwrap_or(&own)))?);
    let campaign = config.campaign(engine, spoken, workers, interrupted);
    let member = Member { link, name: own_name(), campaign, store, scratch };
    progress.say(&format!("joined '{}' as {} with {}", address.shown(), member.name, counted(workers, "worker")));
    let left = member.run(&mut progress);
    if join.out.is_none() && member.store.has_unsettled() {
        let kept = qualm_run::store::new_folder(None)?;
        let cases =
            member.store.hand_over(&kept).map_err(|e| Fault::own(format!("cannot keep unconfirmed cases: {e}")))?;
        progress.say(&format!("{cases} cases that were not confirmed, or not reduced, are in {}", kept.display()));
    }
    let Left { checks, leases, early } = left?;
    let ending = if early { "left before the end" } else { "the campaign is over" };
    outln!("{ending}; this machine did {checks} checks in {leases} leases");
    Ok(0)
}

/// Whether a campaign has been begun and not been removed. A server that cannot be reached is a fault.
pub fn is_there(server: &Server, name: &str) -> Result<bool, Fault> {
    let address = Address::of(server.fleet.as_deref().unwrap_or_default(), name)?;
    Link::is_there(&address, &server.access)
}

pub(super) fn ready(link: &Link, address: &Address) -> Result<Config, Fault> {
    let began = Instant::now();
    loop {
        match link.config()? {
            Some(config) if link.get(READY)?.is_some() => return Ok(config),
            _ if began.elapsed() > READY_PATIENCE => {
                let shown = address.shown();
                let text =
                    format!("campaign '{shown}' was never fully set up; delete it with 'qualm fleet remove {shown}'");
                return Err(Fault::usage(text));
            }
            _ => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

pub fn fleet(fleet: &Fleet) -> Result<u8, Fault> {
    match &fleet.what {
        What::Status { named, json } => status(named, *json),
        What::Stop(named) => {
            let link = Link::join(&named.address()?, &named.server.access)?;
            link.put(STOP, now_ms().to_string().as_bytes())?;
            link.drop_leases()?;
            outln!("stopped; the machines finish within seconds");
            Ok(0)
        }
        What::Report { named, out, machines } => {
            let address = named.address()?;
            let place = format!("{}/{}", address.servers.join(","), address.name);
            Report::of(PathBuf::from(place), out.clone(), machines.clone(), named.server.access.clone()).run()
        }
        What::Remove(named) => Link::remove(&named.address()?, &named.server.access).map(|()| 0),
        What::Bench { server, workers, leases, bugs } => bench::run(server, *workers, *leases, *bugs),
        What::Compare(args) => compare::run(args),
    }
}

fn status(named: &Named, as_json: bool) -> Result<u8, Fault> {
    let address = named.address()?;
    let link = Link::join(&address, &named.server.access)?;
    let missing = || Fault::usage(format!("there is no campaign '{}'", address.shown()));
    let config = link.config()?.ok_or_else(missing)?;
    let (known, open) = (Known::all(&link)?, link.open_leases()?);
    let (done, findings) = (known.done().count() as u64, known.findings());
    let checks: u64 = known.records().map(|r| r.part.checks()).sum();
    let seconds: f64 = known.records().map(|r| r.seconds).sum();
    let mut members: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for record in known.records() {
        let member = members.entry(&record.member).or_default();
        *member =
            (member.0 + u64::from(record.done), member.1 + record.part.checks(), member.2.max(record.reported_ms));
    }
    let state = if known.stopped {
        "stopped"
    } else if open == 0 {
        "over"
    } else {
        "running"
    };
    if as_json {
        let who = |(name, m): (&&str, &(u64, u64, u64))| {
            let (leases, checks, reported_ms) = m;
            json!({"name": name, "leases": leases, "checks": checks, "told_ms": reported_ms})
        };
        let status = json!({
            "campaign": address.shown(), "state": state, "leases": config.leases,
            "engine": shown(&config.engine),
            "done": done, "open": open, "checks": checks, "findings": findings, "worker_seconds": seconds,
            "members": members.iter().map(who).collect::<Vec<_>>(),
        });
        outln!("{}", escape::json(&status.to_string()));
        return Ok(0);
    }
    let budget = match config.budget {
        Budget::Checks(n) => format!("{n} checks"),
        Budget::Seconds(s) => format!("{s} s with {} workers", config.workers),
        Budget::Input => String::new(),
    };
    let engine = escape::line(&shown(&config.engine));
    outln!("{}: {state}, {engine} for {budget}, seed {}", address.shown(), config.spec.seed);
    outln!("  leases    {done} of {} done, {open} open", config.leases);
    outln!("  checks    {checks} in {seconds:.0} s of workers");
    outln!("  findings  {findings}");
    for (name, (leases, checks, last)) in members {
        let ago = now_ms().saturating_sub(last) / 1000;
        let name = escape::line(name);
        outln!("  {name}: {leases} leases, {checks} checks, last seen {ago} s ago");
    }
    Ok(0)
}

/// Folders to read, in which campaigns of fleets are copies.
pub struct Folders {
    pub folders: Vec<PathBuf>,
    copies: Vec<(Link, Mirror)>,
    /// Holds the copies.
    scratch: Option<Scratch>,
}

/// Copies the campaigns among what was given.
pub fn folders(given: &[PathBuf], access: &Access) -> Result<Folders, Fault> {
    let mut out = Folders { folders: Vec::new(), copies: Vec::new(), scratch: None };
    for place in given {
        if !is_address(place) {
            out.folders.push(place.clone());
            continue;
        }
        let address = Address::parse(&place.to_string_lossy())?;
        let link = Link::join(&address, access)?;
        let missing = || Fault::usage(format!("there is no campaign '{}'", address.shown()));
        let config = link.config()?.ok_or_else(missing)?;
        if out.scratch.is_none() {
            let failed = |e| Fault::own(format!("cannot create a temporary folder: {e}"));
            out.scratch = Some(Scratch::create().map_err(failed)?);
        }
        let scratch = out.scratch.as_ref().map(Scratch::path).unwrap_or(Path::new("."));
        let folder = scratch.join(&address.name);
        let mut mirror = Mirror::new(&folder, config)?;
        mirror.refresh(&link, is_over(&link)?)?;
        out.folders.push(folder);
        out.copies.push((link, mirror));
    }
    Ok(out)
}

fn is_over(link: &Link) -> Result<bool, Fault> {
    Ok(link.get(READY)?.is_some() && link.open_leases()? == 0)
}

impl Folders {
    /// From now on the copies follow their campaigns, until the process ends.
    pub fn follow(self) -> Option<Scratch> {
        let copies = self.copies;
        if !copies.is_empty() {
            std::thread::spawn(move || keep_fresh(copies));
        }
        self.scratch
    }
}

/// Refreshes each copy until its campaign is over.
fn keep_fresh(mut copies: Vec<(Link, Mirror)>) -> ! {
    let mut over = vec![false; copies.len()];
    loop {
        std::thread::sleep(FOLLOW);
        for ((link, mirror), over) in copies.iter_mut().zip(&mut over).filter(|(_, over)| !**over) {
            // A server that is away is asked again.
            let Ok(ends) = is_over(link) else { continue };
            *over = mirror.refresh(link, ends).is_ok() && ends;
        }
    }
}
