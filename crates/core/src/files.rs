//! Files that people give: read as a whole and as text, up to a limit, with an error that says what to do. A byte order
//! mark at the beginning, which some editors write, is no part of the text.

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The text of a file. `what` says what it is for people: "known bugs", "the seed".
pub fn text(path: &Path, what: &str, most_bytes: u64) -> Result<String, String> {
    let bytes = bytes(path, what, most_bytes)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|b| **b == b'\n').count();
        cannot(path, what, &format!("line {line} is not UTF-8; convert the file to UTF-8"))
    })?;
    Ok(without_mark(text))
}

/// The bytes of a file.
fn bytes(path: &Path, what: &str, most_bytes: u64) -> Result<Vec<u8>, String> {
    let file = open(path).map_err(|e| cannot(path, what, &e.to_string()))?;
    if file.metadata().is_ok_and(|m| m.is_dir()) {
        return Err(cannot(path, what, "it is a folder; give a file"));
    }
    let mut bytes = Vec::new();
    file.take(most_bytes + 1).read_to_end(&mut bytes).map_err(|e| cannot(path, what, &e.to_string()))?;
    if bytes.len() as u64 > most_bytes {
        let megabytes = most_bytes >> 20;
        return Err(cannot(path, what, &format!("it has more than {megabytes} MB; give a smaller file")));
    }
    Ok(bytes)
}

/// The text without a byte order mark.
pub fn without_mark(text: String) -> String {
    text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
}

/// Opens a file. A pipe that nobody writes to is empty instead of waited for.
fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

fn cannot(path: &Path, what: &str, why: &str) -> String {
    format!("cannot read {what} '{}': {why}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    #[test]
    fn what_is_no_text_is_refused_and_a_mark_is_no_text() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        let read = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            text(&file, "the thing", 10)
        };
        assert_eq!(read(b"\xef\xbb\xbfabc").unwrap(), "abc");
        assert_eq!(read(b"").unwrap(), "");
        assert!(read(b"ab\n\xff").unwrap_err().ends_with("line 2 is not UTF-8; convert the file to UTF-8"));
        assert!(read(&[b'a'; 11]).unwrap_err().contains("it has more than 0 MB"));
        assert!(text(folder.path(), "the thing", 10).unwrap_err().contains("it is a folder"));
        mknodat(CWD, folder.path().join("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(text(&folder.path().join("pipe"), "the thing", 10).unwrap(), "");
        assert!(text(Path::new("/dev/zero"), "the thing", 10).unwrap_err().contains("more than"));
    }
}
