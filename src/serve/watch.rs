//! What is new in the folders of campaigns, sent as events: points of progress, campaigns that begin or end, and the
//! list of findings whenever it changes. Works by looking, so that the hunt may run in any process.

use super::http;
use qualm_run::history::{self, Cache, History};
use qualm_run::report::collect::{self, Found};
use qualm_run::report::view::{self, FindingView};
use qualm_run::series;
use qualm_run::store::CAMPAIGN_FILE;
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

const LOOK_INTERVAL: Duration = Duration::from_millis(400);
/// Between two things said on a connection on which nothing happens.
const COMMENT_INTERVAL: Duration = Duration::from_secs(15);

/// What the other side knows of a campaign: how far its progress, and which summary.
#[derive(PartialEq)]
struct PeerFinding {
    bytes: u64,
    summary: Option<SystemTime>,
}

/// Bugs and trophies below the folders: the id by which the page requests one, and a stamp that changes with it.
fn list_of(found: &Found, cache: &Mutex<Cache>) -> Vec<(String, String)> {
    let bugs = history_of(found, cache).bugs.into_iter().map(|bug| (bug.id(), bug.stamp));
    let trophies = trophies(found).map(|folder| (folder.display().to_string(), view::stamp(folder)));
    bugs.chain(trophies).collect()
}

pub fn history_of(found: &Found, cache: &Mutex<Cache>) -> History {
    history::read(found, &mut cache.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
}

fn trophies(found: &Found) -> impl Iterator<Item = &PathBuf> {
    found.single.iter().filter(|folder| folder.join(collect::TROPHY_FILE).exists())
}

/// The bug or trophy with this id.
pub fn finding(found: &Found, cache: &Mutex<Cache>, id: &str) -> Option<FindingView> {
    match history_of(found, cache).bugs.iter().find(|bug| bug.id() == id) {
        Some(bug) => view::merged(bug),
        None => trophies(found).find(|folder| folder.display().to_string() == id).and_then(|f| view::finding(f, "")),
    }
}

/// Sends what is new until the other side goes away or `stop` is set; then once more what came last.
pub fn send_events(
    stream: &mut TcpStream,
    folders: &[PathBuf],
    cache: &Mutex<Cache>,
    stop: &AtomicBool,
) -> io::Result<()> {
    http::begin_events(stream)?;
    let mut campaigns: BTreeMap<PathBuf, PeerFinding> = BTreeMap::new();
    let mut list: Option<Vec<(String, String)>> = None;
    let mut said = Instant::now();
    loop {
        let last = stop.load(Ordering::Relaxed);
        let found = collect::collect_any(folders);
        let mut news = false;
        for campaign in &found.campaigns {
            news |= send_campaign(stream, campaign, &mut campaigns)?;
        }
        let now = list_of(&found, cache);
        if list.as_ref() != Some(&now) {
            http::event(stream, "findings", &now)?;
            list = Some(now);
            news = true;
        }
        if news {
            said = Instant::now();
        } else if said.elapsed() > COMMENT_INTERVAL {
            http::comment(stream)?;
            said = Instant::now();
        }
        if last {
            // Nobody needs to try again.
            return http::event(stream, "end", &());
        }
        std::thread::sleep(LOOK_INTERVAL);
    }
}

fn send_campaign(
    stream: &mut TcpStream,
    folder: &Path,
    campaigns: &mut BTreeMap<PathBuf, PeerFinding>,
) -> io::Result<bool> {
    let summary = std::fs::metadata(folder.join(CAMPAIGN_FILE)).and_then(|m| m.modified()).ok();
    let Some(sent) = campaigns.get_mut(folder).filter(|t| t.summary == summary) else {
        let view = view::campaign(folder);
        http::event(stream, "campaign", &view)?;
        campaigns.insert(folder.to_path_buf(), PeerFinding { bytes: view.bytes, summary });
        return Ok(true);
    };
    let read = series::read_from(folder, sent.bytes);
    sent.bytes = read.bytes;
    for point in &read.points {
        http::event(stream, "point", &json!({ "campaign": folder.display().to_string(), "point": point }))?;
    }
    Ok(!read.points.is_empty())
}
