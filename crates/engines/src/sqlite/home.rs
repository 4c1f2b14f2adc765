//! The file that a script's database is in once it says `.open --new qualm.db`, as the `sqlite3` shell has it. The file
//! lies in a folder of the session's own, whatever folder the program runs in, and goes away with the session.

use qualm_host::scratch::Scratch;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::{fs, io};

/// The only name that is taken: a script writes no file of its choice.
pub(super) const FILE: &str = "qualm.db";
/// What SQLite puts beside a database.
const BESIDE: [&str; 4] = ["", "-journal", "-wal", "-shm"];

#[derive(Default)]
pub(super) struct Home {
    folder: Option<Scratch>,
}

/// Whether a command of the shell begins a new file, if it opens ours at all.
pub(super) fn command(text: &str) -> Option<bool> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        [".open", "--new", FILE] => Some(true),
        [".open", FILE] => Some(false),
        _ => None,
    }
}

impl Home {
    /// The name of the file, whether it is there or not.
    pub(super) fn file(&mut self) -> Result<CString, String> {
        let path = self.place().map_err(|e| format!("cannot create a temporary folder: {e}"))?.join(FILE);
        CString::new(path.as_os_str().as_bytes()).map_err(|_| "a path with a zero byte".to_owned())
    }

    fn place(&mut self) -> io::Result<PathBuf> {
        if self.folder.is_none() {
            self.folder = Some(Scratch::create()?);
        }
        Ok(self.folder.as_ref().map(|f| f.path().to_path_buf()).unwrap_or_default())
    }

    /// Removes the file and what belongs to it.
    pub(super) fn clear(&self) {
        let Some(folder) = &self.folder else { return };
        for end in BESIDE {
            // That it is not there is what is wanted.
            let _ = fs::remove_file(folder.path().join(format!("{FILE}{end}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_file_is_opened() {
        assert_eq!(command(".open --new qualm.db"), Some(true));
        assert_eq!(command(".open  qualm.db"), Some(false));
        for other in [".open", ".open /etc/passwd", ".open ../qualm.db", ".opens qualm.db", ".open --new qualm.db x"] {
            assert_eq!(command(other), None, "{other}");
        }
    }

    #[test]
    fn a_file_goes_away_when_it_is_cleared() {
        let mut home = Home::default();
        let name = home.file().unwrap();
        let path = PathBuf::from(name.to_str().unwrap());
        fs::write(&path, "x").unwrap();
        fs::write(path.with_file_name("qualm.db-wal"), "x").unwrap();
        home.clear();
        assert!(!path.exists() && !path.with_file_name("qualm.db-wal").exists());
        assert_eq!(home.file().unwrap(), name);
    }
}
