//! A private ClickHouse server: which program, and what its configuration says.

use super::http::releases_folder;
use crate::server::{Place, Recipe, Server, Signal};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Free bytes that the data folder's file system should have.
const ROOM: u64 = 1 << 30;
const PROGRAM: &str = "clickhouse-server";

pub struct Private {
    release: String,
    files: PathBuf,
    program: &'static str,
    server: Server,
}

impl Private {
    /// The release of this number from the cache folder, or without one the newest there, or what is on the PATH.
    pub fn start(release: Option<&str>) -> Result<Private, String> {
        let (release, files, program) = match release {
            Some(release) => (release.to_string(), releases_folder().join(release), PROGRAM),
            None => newest_release().or_else(on_path).ok_or_else(|| {
                let folder = releases_folder();
                let next = "run './x setup', or pass --engine clickhouse:http://HOST:PORT/";
                format!("no ClickHouse server in '{}' nor on the PATH; {next}", folder.display())
            })?,
        };
        if !files.join(program).is_file() {
            return Err(format!("no '{program}' in '{}'; run './x clickhouse {release}' to fetch it", files.display()));
        }
        let server = start(&release, &files, program)?;
        Ok(Private { release, files, program, server })
    }

    pub fn port(&self) -> u16 {
        self.server.place().port
    }

    pub fn death_within(&mut self, patience: Duration) -> Option<String> {
        self.server.death_within(patience)
    }

    pub fn revive(&mut self) -> Result<(), String> {
        if self.server.death().is_some() {
            self.server = start(&self.release, &self.files, self.program)?;
        }
        Ok(())
    }
}

fn newest_release() -> Option<(String, PathBuf, &'static str)> {
    let folder = releases_folder();
    let names = std::fs::read_dir(&folder).ok()?.flatten().map(|e| e.file_name().to_string_lossy().into_owned());
    let newest =
        names.filter(|name| folder.join(name).join(PROGRAM).is_file()).max_by_key(|name| super::release_order(name))?;
    let files = folder.join(&newest);
    Some((newest, files, PROGRAM))
}

fn on_path() -> Option<(String, PathBuf, &'static str)> {
    let path = std::env::var_os("PATH")?;
    let mut found = std::env::split_paths(&path)
        .flat_map(|folder| [PROGRAM, "clickhouse"].map(|program| (folder.clone(), program)))
        .filter(|(folder, program)| folder.join(program).is_file());
    found.next().map(|(folder, program)| ("path".to_string(), folder, program))
}

fn start(release: &str, files: &Path, program: &str) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "clickhouse",
        release,
        files,
        initialise: &|place| vec![place.new_data_folder()],
        revision: 1,
        serve: &|place| serve(place, release, program),
        answers: &|place| {
            let answer = ureq::get(format!("http://127.0.0.1:{}/", place.port)).call();
            answer.map(drop).map_err(|e| e.to_string())
        },
        // Nothing of it is to be kept, and it takes seconds to end in a friendly way.
        stop_signal: Signal::KILL,
        room: ROOM,
    })
}

fn serve(place: &Place, release: &str, program: &str) -> Command {
    let file = place.folder.join("config.xml");
    // A file that cannot be written is reported by the server, which does not find it.
    let _ = std::fs::write(&file, configuration(place, release));
    let mut command = place.command(program);
    if program == "clickhouse" {
        command.arg("server");
    }
    command.arg(format!("--config-file={}", file.display()));
    command
}

/// One loopback port, one user without rights elsewhere, everything in the place's folder, the log on the console.
fn configuration(place: &Place, release: &str) -> String {
    // The root was renamed in 21.10; a release of unknown number is a new one.
    let root =
        if super::release_order(release).first().is_some_and(|major| *major < 22) { "yandex" } else { "clickhouse" };
    let (data, port) = (place.data.display(), place.port);
    let folder = place.folder.display();
    format!(
        "<{root}>
<logger><level>error</level><console>1</console></logger>
<http_port>{port}</http_port><listen_host>127.0.0.1</listen_host>
<path>{data}/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
<format_schema_path>{folder}/formats/</format_schema_path>
<users_config>config.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>67108864</mark_cache_size>
<database_atomic_delay_before_drop_table_sec>0</database_atomic_delay_before_drop_table_sec>
<profiles><default><log_queries>0</log_queries></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users>
<quotas><default></default></quotas>
</{root}>
"
    )
}
