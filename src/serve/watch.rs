//! What is new in the folders of campaigns, sent as events: points of progress, campaigns that begin or end, and the
//! list of findings whenever it changes. Works by looking, so that the hunt may run in any process.

use super::http;
use qualm_run::report::collect::{self, Found};
use qualm_run::report::view;
use qualm_run::series;
use qualm_run::store::CAMPAIGN_FILE;
use serde_json::json;
use std::collections::BTreeMap;
use std::io;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
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

/// Findings and trophies below the folders: the id by which the page asks for one, its folder and its campaign.
pub fn findings(found: &Found) -> Vec<(String, PathBuf, String)> {
    let of = |folder: &Path, campaign: &str| (folder.display().to_string(), folder.to_path_buf(), campaign.to_owned());
    let in_campaigns = found.campaigns.iter().flat_map(|c| {
        let name = c.display().to_string();
        collect::findings_of(c).into_iter().map(move |f| of(&f, &name))
    });
    in_campaigns.chain(found.single.iter().map(|f| of(f, ""))).collect()
}

/// Sends what is new until the other side goes away or `stop` is set; then once more what came last.
pub fn send_events(stream: &mut TcpStream, folders: &[PathBuf], stop: &AtomicBool) -> io::Result<()> {
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
        let now: Vec<(String, String)> =
            findings(&found).into_iter().map(|(id, folder, _)| (id, view::stamp(&folder))).collect();
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
