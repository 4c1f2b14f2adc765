//! Programs of people to begin with: files of the Soufflé dialect, one program each.

use super::parse;
use crate::explore::{NamedText, Seeds};
use std::path::{Path, PathBuf};

/// So many of so many programs extend a seed, where there are seeds.
const SHARE: (u32, u32) = (1, 2);

/// The programs in a file or below a folder, and what of them could not be read, as `file:line:column: why`.
pub fn load(place: &Path) -> Result<(Seeds, Vec<String>), String> {
    let mut files = Vec::new();
    if place.is_dir() {
        collect(place, &mut files).map_err(|e| format!("cannot read the seeds in '{}': {e}", place.display()))?;
    } else {
        files.push(place.to_path_buf());
    }
    files.sort();
    let (mut scripts, mut unread) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file).map_err(|e| format!("cannot read the seed '{name}': {e}"))?;
        let parsed = parse::program(&text);
        unread.extend(parsed.unread.iter().map(|u| format!("{name}:{}:{}: {}", u.line, u.column, u.why)));
        if parsed.program.rules.is_empty() {
            unread.push(format!("{name}:1:1: no rule was read"));
            continue;
        }
        scripts.push(NamedText { name, text });
    }
    if scripts.is_empty() {
        return Err(format!("no program in '{}'; give a '.dl' file or a folder of them", place.display()));
    }
    Ok((Seeds { scripts, share: SHARE }, unread))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "dl") {
            files.push(path);
        }
    }
    Ok(())
}
