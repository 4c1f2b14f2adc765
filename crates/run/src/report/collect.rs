//! Which folders a page is made of: campaigns, single findings and trophies below the folders that a user names.
//!
//! ```text
//! a campaign    has findings/, progress.jsonl or campaign.json
//! a finding     has case.json
//! a trophy      has trophy.json
//! ```
//!
//! A folder that is none of these is looked into, two deep: `qualm-out`, `trophies`, a folder of artefacts.

use crate::series::PROGRESS_FILE;
use crate::store::{CAMPAIGN_FILE, CASE_FILE, FINDINGS};
use qualm_core::fault::Fault;
use std::fs;
use std::path::{Path, PathBuf};

pub const TROPHY_FILE: &str = "trophy.json";

const DEPTH: usize = 2;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    pub campaigns: Vec<PathBuf>,
    /// Findings and trophies that belong to no campaign.
    pub single: Vec<PathBuf>,
}

/// What is there below the folders; a fault when one of them holds nothing of this tool's.
pub fn collect(folders: &[PathBuf]) -> Result<Found, Fault> {
    let mut found = Found::default();
    for folder in folders {
        if !folder.is_dir() {
            return Err(Fault::usage(format!("'{}' is not a folder; give one that a hunt wrote", folder.display())));
        }
        let mut here = Found::default();
        look(folder, DEPTH, &mut here);
        if here == Found::default() {
            let shown = folder.display();
            let text = format!("'{shown}' contains neither a campaign nor a finding; give a folder that a hunt wrote");
            return Err(Fault::usage(text));
        }
        // A folder may be named twice.
        here.campaigns.retain(|c| !found.campaigns.contains(c));
        here.single.retain(|f| !found.single.contains(f));
        found.campaigns.extend(here.campaigns);
        found.single.extend(here.single);
    }
    Ok(found)
}

/// The same for folders in which there may be nothing yet.
pub fn collect_any(folders: &[PathBuf]) -> Found {
    let mut all = Found::default();
    folders.iter().for_each(|folder| look(folder, DEPTH, &mut all));
    all.campaigns.dedup();
    all.single.dedup();
    all
}

fn look(folder: &Path, depth: usize, found: &mut Found) {
    let has = |name: &str| folder.join(name).exists();
    if has(CASE_FILE) || has(TROPHY_FILE) {
        found.single.push(folder.to_path_buf());
    } else if has(CAMPAIGN_FILE) || has(PROGRESS_FILE) || has(FINDINGS) {
        found.campaigns.push(folder.to_path_buf());
    } else if depth > 0 {
        folders_in(folder).iter().for_each(|f| look(f, depth - 1, found));
    }
}

/// Folders in a folder by name, those that are being written left out.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let hidden = |p: &Path| p.file_name().is_none_or(|n| n.to_string_lossy().starts_with('.'));
    // A link may lead anywhere; what the user names is followed, what is found below it is not.
    let real = entries.filter(|e| e.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut folders: Vec<PathBuf> = real.map(|e| e.path()).filter(|p| !hidden(p)).collect();
    folders.sort();
    folders
}

/// The findings of a campaign.
pub fn findings_of(campaign: &Path) -> Vec<PathBuf> {
    folders_in(&campaign.join(FINDINGS)).into_iter().filter(|f| f.join(CASE_FILE).exists()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_distinguished() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        for folder in ["out/0001/findings/a", "out/0002", "trophies/t", "out/.hidden/findings"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["out/0001/findings/a/case.json", "out/0002/progress.jsonl", "trophies/t/trophy.json"] {
            fs::write(at(file), "{}").unwrap();
        }
        let found = collect(&[at("out"), at("trophies"), at("out/0002")]).unwrap();
        assert_eq!(found.campaigns, [at("out/0001"), at("out/0002")]);
        assert_eq!(found.single, [at("trophies/t")]);
        assert_eq!(findings_of(&at("out/0001")), [at("out/0001/findings/a")]);
        fs::create_dir(at("empty")).unwrap();
        assert!(collect(&[at("empty")]).unwrap_err().text.contains("neither"));
    }
}
