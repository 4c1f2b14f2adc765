//! The server programs of MySQL and MariaDB: where they are, how their data folder is made and how they are started.
//! One that `./x` fetched is a whole Debian root, or npm's folder; one on PATH is the system's.

use super::Flavour;
use crate::server::{Place, Recipe, Server, Signal};
use crate::stored::is_release_number;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Counted up when what `initialise` does changes.
const TEMPLATE_REVISION: u32 = 1;
/// Data folder, logs and temporary tables of one server.
const ROOM_BYTES: u64 = 1 << 30;

#[derive(Clone, Debug)]
pub struct Release {
    pub flavour: Flavour,
    /// For instance `9.7.4`.
    pub version: String,
    /// The folder with all that the server needs; the paths below are inside it.
    files: PathBuf,
    program: &'static str,
    /// Messages, character sets, and for some the script that makes the system tables.
    share: &'static str,
    /// The loader and the libraries of a Debian root, which may be newer than the system's.
    loader: Option<(&'static str, &'static str)>,
}

const PROGRAMS: &[&str] = &["usr/sbin/mariadbd", "usr/sbin/mysqld", "sbin/mariadbd", "sbin/mysqld", "bin/mysqld"];
const SHARES: &[&str] = &["usr/share/mariadb", "usr/share/mysql", "share/mariadb", "share/mysql", "share"];
const LOADERS: &[(&str, &str)] = &[
    ("lib64/ld-linux-x86-64.so.2", "usr/lib/x86_64-linux-gnu"),
    ("lib/ld-linux-aarch64.so.1", "usr/lib/aarch64-linux-gnu"),
];
const SYSTEM_TABLES: &[&str] = &["mariadb_system_tables", "mysql_system_tables"];

impl Release {
    /// A release in a folder of its own, as `./x` makes it.
    pub fn in_folder(flavour: Flavour, version: &str, files: &Path) -> Result<Release, String> {
        let there = |name: &&&str| files.join(name).is_file();
        let program = PROGRAMS.iter().chain(&["mysqld"]).find(there);
        let share = SHARES.iter().find(|name| files.join(name).join("charsets").is_dir());
        let (Some(program), Some(share)) = (program, share) else {
            return Err(format!("there is no server in '{}'", files.display()));
        };
        let loader = LOADERS.iter().find(|(loader, _)| files.join(loader).exists()).copied();
        Ok(Release { flavour, version: version.into(), files: files.into(), program, share, loader })
    }

    /// The system's own server.
    pub fn on_path(flavour: Flavour) -> Option<Release> {
        let names: &[&str] = if flavour == Flavour::MariaDb { &["mariadbd"] } else { &["mysqld"] };
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).flat_map(|folder| names.iter().map(move |n| folder.join(n)));
        for program in found.filter(|p| p.is_file()) {
            let said = Command::new(&program).arg("--version").output().ok()?;
            let said = String::from_utf8_lossy(&said.stdout).into_owned();
            // MariaDB comes with a program named mysqld, too.
            if said.contains("MariaDB") != (flavour == Flavour::MariaDb) {
                continue;
            }
            let version = version_in(&said)?;
            let files = program.canonicalize().ok()?.parent()?.parent()?.to_path_buf();
            let mut release = Release::in_folder(flavour, &version, &files).ok()?;
            // Its libraries are the system's.
            release.loader = None;
            return Some(release);
        }
        None
    }

    /// Starts a private server and waits for it.
    pub fn start(&self, answers: &dyn Fn(&Place) -> Result<(), String>) -> Result<Server, String> {
        Server::start(&Recipe {
            engine: self.flavour.name(),
            release: &self.version,
            files: &self.files,
            initialise: &|place| self.initialise(place),
            revision: TEMPLATE_REVISION,
            serve: &|place| self.serve(place),
            answers,
            // Nothing of it is needed any more, and it has no children.
            stop_signal: Signal::KILL,
            room: ROOM_BYTES,
        })
    }

    /// The server program with the options that making and serving a data folder have in common.
    fn command(&self, place: &Place) -> Command {
        let share = place.release.join(self.share);
        let mut command = match self.loader {
            Some((loader, libraries)) => {
                let mut command = place.command(loader);
                command.arg("--library-path").arg(place.release.join(libraries)).arg(place.release.join(self.program));
                command
            }
            None => place.command(self.program),
        };
        // npm's package has a library beside the program.
        if self.program == "mysqld" {
            command.env("LD_LIBRARY_PATH", &place.release);
        }
        // First, or it would read the system's option files.
        command.arg("--no-defaults");
        let mut option = |name: &str, value: &Path| {
            command.arg(format!("--{name}={}", value.display()));
        };
        option("datadir", &place.data);
        option("basedir", &share.join("../.."));
        option("lc-messages-dir", &share);
        option("character-sets-dir", &share.join("charsets"));
        option("tmpdir", &place.folder);
        option("loose-plugin-dir", &place.release.join("usr/lib/mysql/plugin"));
        // No files for statements; MariaDB and old releases only accept a folder.
        let files = match self.flavour {
            Flavour::MySql if version_key(&self.version) >= vec![5, 7] => Path::new("NULL"),
            _ => &place.folder,
        };
        option("secure-file-priv", files);
        command.args(COMMON);
        command
    }

    fn initialise(&self, place: &Place) -> Vec<Command> {
        let mut command = self.command(place);
        let share = place.release.join(self.share);
        let Some(tables) = SYSTEM_TABLES.iter().find(|t| share.join(format!("{t}.sql")).is_file()) else {
            command.arg("--initialize-insecure");
            return vec![command];
        };
        // Without a file it fails, and says so.
        if let Ok(script) = self.bootstrap_script(place, tables, &share) {
            command.stdin(script);
        }
        let mut folder = place.command("/bin/mkdir");
        folder.arg("-p").arg(place.data.join("mysql"));
        command.arg("--bootstrap");
        vec![folder, command]
    }

    /// What the release's own scripts would feed to a server in bootstrap mode.
    fn bootstrap_script(&self, place: &Place, tables: &str, share: &Path) -> std::io::Result<File> {
        let mut script = String::from("USE mysql;\nSET @auth_root_socket=NULL;\n");
        let performance = tables.replace("_system_", "_performance_");
        for name in [tables, &performance, &format!("{tables}_data")] {
            let path = share.join(format!("{name}.sql"));
            // MySQL 5.6 has no file for performance tables.
            if path.is_file() {
                script.push_str(&fs::read_to_string(path)?);
                script.push('\n');
            }
        }
        let path = place.folder.join("bootstrap.sql");
        fs::write(&path, script)?;
        File::open(path)
    }

    fn serve(&self, place: &Place) -> Command {
        let mut command = self.command(place);
        command.arg(format!("--socket={}", socket(place).display()));
        command.arg(format!("--pid-file={}", place.folder.join("pid").display()));
        command.args(SERVE);
        let (charset, collation) = self.flavour.charset(&self.version);
        command.arg(format!("--character-set-server={charset}")).arg(format!("--collation-server={collation}"));
        command.arg(format!("--sql-mode={}", super::SQL_MODE));
        command
    }
}

/// For making the data folder as well: sizes must agree. What is `loose` is not known to every release.
const COMMON: &[&str] = &[
    "--skip-log-bin",
    "--loose-innodb-doublewrite=0",
    "--innodb-buffer-pool-size=32M",
    "--loose-innodb-redo-log-capacity=8M",
    "--loose-innodb-log-file-size=8M",
    "--loose-innodb-use-native-aio=0",
    "--loose-innodb-flush-method=nosync",
];

/// The data is thrown away in the end: nothing must reach a disk. Nobody but us can reach the socket.
const SERVE: &[&str] = &[
    "--skip-networking",
    "--skip-name-resolve",
    "--loose-mysqlx=OFF",
    "--default-time-zone=+00:00",
    "--innodb-flush-log-at-trx-commit=0",
    "--sync-binlog=0",
    "--loose-performance-schema=OFF",
    "--loose-innodb-log-writer-threads=OFF",
    "--loose-innodb-buffer-pool-dump-at-shutdown=OFF",
    "--loose-innodb-buffer-pool-load-at-startup=OFF",
    "--loose-innodb-stats-auto-recalc=ON",
    "--max-connections=32",
    "--lower-case-table-names=0",
    "--loose-local-infile=OFF",
    "--loose-query-cache-type=OFF",
    "--loose-event-scheduler=OFF",
];

pub fn socket(place: &Place) -> PathBuf {
    place.folder.join("socket")
}

/// `9.7.4` in `mysqld  Ver 9.7.4-2 for Linux`.
fn version_in(said: &str) -> Option<String> {
    let digits = |c: char| !(c.is_ascii_digit() || c == '.');
    let number = |w: &&str| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.');
    said.split_ascii_whitespace().find(number).map(|w| w.split(digits).next().unwrap_or(w).to_string())
}

/// Orders `10.11.18` behind `10.5.23`.
pub fn version_key(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or(0)).collect()
}

/// The newest release in the folder that `./x` fills.
pub fn newest(folder: &Path) -> Option<String> {
    let entries = fs::read_dir(folder).ok()?;
    let names = entries.flatten().filter_map(|e| e.file_name().into_string().ok());
    names.filter(|n| is_release_number(n)).max_by_key(|n| version_key(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        let said = [
            ("/x/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))", "9.7.4"),
            ("mariadbd  Ver 11.8.9-MariaDB-4 from Debian for debian-linux-gnu on x86_64", "11.8.9"),
            ("./mysqld  Ver 5.6.24 for Linux on x86_64 (MySQL Community Server (GPL))", "5.6.24"),
        ];
        for (text, version) in said {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert!(version_key("10.11.18") > version_key("10.5.23"));
        let folder = tempfile::tempdir().unwrap();
        for name in ["5.6.24", "10.11.18", "9.7.4", "build.x1", "10.5.23"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        assert_eq!(newest(folder.path()).as_deref(), Some("10.11.18"));
    }
}
