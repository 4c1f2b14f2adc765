//! What comes from outside: names that become parts of paths, and files of folders that somebody else may have made.
//!
//! A name out of a bucket, a store or a file is one plain component of a path, or it is refused: `PlainName` is the
//! only way from such a text to a path. A file in such a folder is a regular file of bearable size, or it is not read:
//! no link that leads elsewhere, no pipe on which a reader waits for ever.

use crate::escape;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Longest name; file systems take 255 bytes, and something may be put around it.
const NAME_BYTES: usize = 128;
/// Largest file of a finding or a campaign that is read.
pub const FILE_BYTES: u64 = 64 << 20;
/// How much of a name that is refused is shown.
const SHOWN_CHARS: usize = 60;

/// A name that can be nothing but the last part of a path: letters, digits, `-`, `_` and `.`, not first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlainName(String);

impl PlainName {
    pub fn new(text: &str) -> Result<PlainName, String> {
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if begins && text.len() <= NAME_BYTES && text.chars().all(fits) {
            return Ok(PlainName(text.to_owned()));
        }
        let cut: String = text.chars().take(SHOWN_CHARS).collect();
        let more = if cut.len() < text.len() { "…" } else { "" };
        Err(format!(
            "'{}{more}' is not a plain name: up to {NAME_BYTES} letters, digits, '-', '_' and '.', starting with a \
             letter or a digit",
            escape::line(&cut)
        ))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of this name in a folder.
    pub fn within(&self, folder: &Path) -> PathBuf {
        folder.join(&self.0)
    }
}

impl TryFrom<String> for PlainName {
    type Error = String;

    fn try_from(text: String) -> Result<PlainName, String> {
        PlainName::new(&text)
    }
}

impl From<PlainName> for String {
    fn from(name: PlainName) -> String {
        name.0
    }
}

impl fmt::Display for PlainName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Opens a file of a folder that may be somebody else's. A link is refused, and nothing is waited for.
pub fn open(path: &Path) -> io::Result<File> {
    regular(OpenOptions::new().read(true).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32).open(path)?)
}

fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

/// All of a file of a folder that may be somebody else's.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    whole(open(path)?)
}

/// The same for a file that the user names: a link is then the user's own.
pub fn read_named(path: &Path) -> io::Result<Vec<u8>> {
    whole(regular(OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?)?)
}

pub fn read_text(path: &Path) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not UTF-8"))
}

fn whole(file: File) -> io::Result<Vec<u8>> {
    let too_large = || {
        let text = format!("larger than {} MiB, the limit for files of qualm", FILE_BYTES >> 20);
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    // A file that says it is small may grow, so that what comes counts.
    if file.metadata()?.len() > FILE_BYTES {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > FILE_BYTES { Err(too_large()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn a_name_is_one_plain_component() {
        for good in ["a", "case.json", "wrong-result-1a2b3c4d", "26.10.2.post1", "_x"] {
            assert_eq!(PlainName::new(good).unwrap().within(Path::new("/f")), Path::new("/f").join(good));
        }
        let long = "x".repeat(NAME_BYTES + 1);
        for bad in [
            "",
            ".",
            "..",
            "../x",
            "/etc/passwd",
            "a/b",
            "a/../b",
            ".hidden",
            "-rf",
            "a\0b",
            "a\nb",
            "a\u{1b}[2J",
            "a b",
            "a\\b",
            "ä",
            "~",
            "~root",
            "$HOME",
            &long,
        ] {
            let why = PlainName::new(bad).unwrap_err();
            assert!(!why.chars().any(char::is_control) && why.len() < 400, "{why:?}");
        }
    }

    #[test]
    fn a_name_is_checked_where_it_is_read() {
        assert!(serde_json::from_str::<PlainName>("\"../../.ssh/authorized_keys\"").is_err());
        assert_eq!(serde_json::from_str::<Option<PlainName>>("null").unwrap(), None);
        assert_eq!(serde_json::to_string(&PlainName::new("a-1").unwrap()).unwrap(), "\"a-1\"");
    }

    #[test]
    fn only_regular_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("plain"), "text").unwrap();
        assert_eq!(read(&at("plain")).unwrap(), b"text");
        std::os::unix::fs::symlink(at("plain"), at("link")).unwrap();
        assert!(read(&at("link")).is_err());
        assert_eq!(read_named(&at("link")).unwrap(), b"text");
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(read(&at("pipe")).is_err() && read_named(&at("pipe")).is_err());
        assert!(read(folder.path()).is_err());
        File::create(at("large")).unwrap().set_len(FILE_BYTES + 1).unwrap();
        assert!(read(&at("large")).unwrap_err().to_string().contains("larger"));
    }
}
