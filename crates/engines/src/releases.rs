//! Releases of a server that `./x ENGINE VERSION` put into the cache folder: which there are, and which is the newest.

use super::stored::is_release_number;
use super::url::shown;
use super::{ConnectError, cache_folder};
use std::path::PathBuf;

pub struct Release {
    /// For instance `26.10.2.post1`.
    pub version: String,
    pub files: PathBuf,
}

/// The release of this number, or the newest. `program` is a file that every whole release has.
pub fn find(engine: &str, program: &str, version: Option<&str>) -> Result<Release, ConnectError> {
    let folder = cache_folder().join(engine);
    let whole = |version: &str| folder.join(version).join(program).is_file();
    if let Some(version) = version {
        if !is_release_number(version) {
            let shown = shown(version);
            let text =
                format!("'{shown}' is neither a release number nor a URL; give '{engine}:4.1' or '{engine}:URL'");
            return Err(ConnectError::Usage(text));
        }
        if !whole(version) {
            let place = folder.join(version);
            let text = format!("no {engine} in '{}'; run './x {engine} {version}' to fetch it", place.display());
            return Err(ConnectError::Unreachable(text));
        }
        return Ok(Release { version: version.into(), files: folder.join(version) });
    }
    let names = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|e| e.file_name());
    let names = names.filter_map(|name| name.into_string().ok()).filter(|name| whole(name));
    match names.max_by_key(|name| numbers(name)) {
        Some(version) => Ok(Release { files: folder.join(&version), version }),
        None => Err(ConnectError::Unreachable(format!(
            "no {engine} in '{}'; run './x setup' to fetch it, or name a running server: --engine {engine}:URL",
            folder.display()
        ))),
    }
}

/// Orders releases by their numbers: `26.10.2` is newer than `26.2.1`.
fn numbers(version: &str) -> Vec<u64> {
    version.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_is_reported() {
        assert!(numbers("26.10.2.post1") > numbers("26.2.1"));
        assert!(matches!(find("neo4j", "x", Some("localhost")), Err(ConnectError::Usage(_))));
        assert!(matches!(find("neo4j", "x", Some("1.2.3")), Err(ConnectError::Unreachable(_))));
    }
}
