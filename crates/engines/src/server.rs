//! A private server of any kind: started for this process alone, watched, stopped, cleaned up. Knows processes and
//! folders; what the server is and how it is talked to is the driver's matter.
//!
//! The server runs in a folder of its own (`scratch.rs`: in memory where there is room, swept by a later run when its
//! owner was killed), in a session of its own (Ctrl-C is for qualm, not for it), as `nobody` when we are root, and dies
//! with the thread that started it: all its processes, also those that are stopped (`warden.rs`). Its data folder is a
//! copy of a template that is made once per release and kept in the cache folder (`published.rs`).

use super::published::{self, copy_tree, give};
use super::warden::Warden;
use qualm_host::death::{self, MemoryWatch};
pub use qualm_host::process::Signal;
use qualm_host::process::{self, send_signal};
use qualm_host::scratch::{self, Scratch};
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A start that takes longer has failed. Many servers may start at once on a busy machine.
const START_SECONDS: u64 = 180;
/// Making a template runs the server's own initialiser, which some take long over.
const INITIALISE_SECONDS: u64 = 500;
/// How long a server may take to end by itself before it is killed.
const STOP_MS: u64 = 3_000;
const POLL_MS: u64 = 10;
/// A port that was free may be taken by someone else before the server has it.
const START_ATTEMPTS: usize = 3;
/// How much of the log goes into a report.
const LOG_TAIL_BYTES: u64 = 4 << 10;
/// Longest piece of the log that is searched for what happened.
const LOG_READ_BYTES: u64 = 1 << 20;

/// How a driver's server is made. The closures get the place where all of it happens.
pub struct Recipe<'a> {
    pub engine: &'a str,
    /// Product release, for instance `18.4`; part of the template's name.
    pub release: &'a str,
    /// The folder with all files that the programs need. For root it is copied to a place that `nobody` can read when
    /// it lies where only root can, so the commands must use `Place::release`.
    pub files: &'a Path,
    /// The commands that make an empty `Place::data`, run one after another. To be changed together with `revision`.
    pub initialise: &'a dyn Fn(&Place) -> Vec<Command>,
    /// Counted up when `initialise` changes: older templates are then not used.
    pub revision: u32,
    /// The command that serves `Place::data` in the foreground.
    pub serve: &'a dyn Fn(&Place) -> Command,
    /// Whether it answers by now; asked again and again until it does.
    pub answers: &'a dyn Fn(&Place) -> Result<(), String>,
    /// The signal that ends it quickly with all its children; its data is thrown away.
    pub stop_signal: Signal,
    /// Free bytes that the folder's file system should have.
    pub room: u64,
}

/// Where one server lives. Everything in `folder` goes away with it.
#[derive(Clone, Debug)]
pub struct Place {
    /// The release's files, where the server can read them.
    pub release: PathBuf,
    /// Private, owned by the server's user: for sockets and temporary files.
    pub folder: PathBuf,
    /// The data folder inside.
    pub data: PathBuf,
    /// A loopback port that was free a moment ago. A socket in `folder` is better: nobody else can reach it.
    pub port: u16,
}

impl Place {
    /// Makes `data`, an empty folder.
    pub fn new_data_folder(&self) -> Command {
        let mut command = self.command("/bin/mkdir");
        command.arg("-m").arg("700").arg(&self.data);
        command
    }

    /// A command that hears nothing from us: no input, our language settings left out. The program is inside `release`
    /// unless its path is absolute.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(self.release.join(program));
        command.stdin(Stdio::null()).current_dir(&self.folder);
        command.env_clear().env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin").env("HOME", &self.folder).env("LC_ALL", "C");
        command.env("TMPDIR", &self.folder).env("TZ", "UTC");
        command
    }
}

/// A running private server. Dropping it ends it and removes its folder.
pub struct Server {
    child: Child,
    ended: Option<ExitStatus>,
    place: Place,
    log: PathBuf,
    stop_signal: Signal,
    /// Since it was started.
    memory: Box<MemoryWatch>,
    /// By us.
    stopped: bool,
    // After the child has ended there is nothing to guard, and the folder goes last.
    _warden: Box<Warden>,
    folder: Scratch,
}

impl Server {
    /// Starts a server and waits until it answers. The error says what went wrong, with the end of the log.
    pub fn start(recipe: &Recipe) -> Result<Server, String> {
        Server::start_with(recipe, &templates_folder())
    }

    fn start_with(recipe: &Recipe, templates: &Path) -> Result<Server, String> {
        let release = readable_release(recipe)?;
        let template = Template::find_or_make(recipe, &release, templates)?;
        let mut why = String::new();
        for _ in 0..START_ATTEMPTS {
            match Server::attempt(recipe, &release, &template) {
                Ok(server) => return Ok(server),
                Err(error) => why = error,
            }
        }
        Err(format!("the private {} server failed to start: {why}", recipe.engine))
    }

    fn attempt(recipe: &Recipe, release: &Path, template: &Template) -> Result<Server, String> {
        let (folder, place) = make_place(recipe, release)?;
        copy_tree(&template.path, &place.data, unprivileged())
            .map_err(|e| format!("cannot copy '{}': {e}", template.path.display()))?;
        let log = place.folder.join("log");
        let mut command = (recipe.serve)(&place);
        prepare(&mut command, &log, recipe.stop_signal).map_err(|e| format!("cannot create its log: {e}"))?;
        let warden = Box::new(watch(&folder, recipe.stop_signal)?);
        let memory = Box::new(MemoryWatch::begin());
        let child = command.spawn().map_err(|e| spawn_error(&command, &e))?;
        let (ended, stop_signal) = (None, recipe.stop_signal);
        let mut server =
            Server { child, ended, place, log, stop_signal, memory, stopped: false, _warden: warden, folder };
        server.wait_for_answer(recipe)?;
        Ok(server)
    }

    fn wait_for_answer(&mut self, recipe: &Recipe) -> Result<(), String> {
        let until = Instant::now() + Duration::from_secs(START_SECONDS);
        loop {
            if let Some(death) = self.death() {
                return Err(death);
            }
            match (recipe.answers)(&self.place) {
                Ok(()) => return Ok(()),
                Err(why) if Instant::now() > until => {
                    return Err(format!("no answer within {START_SECONDS} s ({why}); {}", self.log_tail()));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(POLL_MS)),
            }
        }
    }

    pub fn place(&self) -> &Place {
        &self.place
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How the server died, with the end of its log; nothing while it lives.
    pub fn death(&mut self) -> Option<String> {
        let fresh = self.ended.is_none();
        if fresh {
            self.ended = self.child.try_wait().ok().flatten();
        }
        let status = self.ended?;
        let how = death::how_it_ended(status.signal(), status.code(), &self.memory);
        if fresh && !self.stopped {
            death::note_server(&how);
        }
        Some(format!("the server ended: {how}; its log ends:\n{}", self.log_tail()))
    }

    /// Whether the kernel has killed a process for memory since this server was started.
    pub fn ran_out_of_memory(&self) -> bool {
        self.memory.ran_out(0)
    }

    /// Like `death`, for a server that is known to be dying: waits a little for its end.
    pub fn death_within(&mut self, patience: Duration) -> Option<String> {
        let until = Instant::now() + patience;
        loop {
            let death = self.death();
            if death.is_some() || Instant::now() >= until {
                return death;
            }
            std::thread::sleep(Duration::from_millis(POLL_MS));
        }
    }

    pub fn log_bytes(&self) -> u64 {
        fs::metadata(&self.log).map_or(0, |m| m.len())
    }

    /// What was logged since the log had so many bytes.
    pub fn log_since(&self, from: u64) -> String {
        let read = || -> io::Result<Vec<u8>> {
            // The server may put anything there.
            let mut file = scratch::open_plain(&self.log, OpenOptions::new().read(true))?;
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(LOG_READ_BYTES).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        String::from_utf8_lossy(&read().unwrap_or_default()).into_owned()
    }

    /// The last lines of the log.
    pub fn log_tail(&self) -> String {
        tail(&self.log_since(self.log_bytes().saturating_sub(LOG_TAIL_BYTES)))
    }

    /// CPU seconds that the server and its children have used so far; 0 where the system does not say.
    pub fn cpu_seconds(&self) -> f64 {
        let me = self.child.id();
        let children = process::children_of(me);
        process::cpu_seconds_of(me) + children.iter().map(|pid| process::cpu_seconds_of(*pid)).sum::<f64>()
    }

    fn stop(&mut self) {
        if self.death().is_none() {
            self.stopped = true;
            send_signal(self.child.id(), self.stop_signal);
            // Those that are stopped hear nothing until they go on.
            for pid in scratch::processes_in(self.folder.path()) {
                send_signal(pid, Signal::CONT);
            }
            if self.death_within(Duration::from_millis(STOP_MS)).is_none() {
                send_signal(self.child.id(), Signal::KILL);
                let _ = self.child.wait();
            }
        }
        // Processes of a server that died without its children, and those that did not listen to it.
        scratch::end_processes_in(self.folder.path());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A private server that is started when it is first needed, and again after it has died.
pub struct Kept {
    start: Box<dyn Fn() -> Result<Server, String>>,
    server: Option<Server>,
}

impl Kept {
    pub fn new(start: impl Fn() -> Result<Server, String> + 'static) -> Kept {
        Kept { start: Box::new(start), server: None }
    }

    pub fn up(&mut self) -> Result<&Server, String> {
        if !self.is_up() {
            // The old one goes first, and its folder with it.
            self.server = None;
            self.server = Some((self.start)()?);
        }
        self.server.as_ref().ok_or_else(|| "no server".into())
    }

    pub fn is_up(&mut self) -> bool {
        self.server.as_mut().is_some_and(|server| server.death().is_none())
    }

    /// The server that was started last, whether it still runs or not.
    pub fn last(&self) -> Option<&Server> {
        self.server.as_ref()
    }

    pub fn last_mut(&mut self) -> Option<&mut Server> {
        self.server.as_mut()
    }

    /// How it ended and what it logged, for one that is known to be dying.
    pub fn death_within(&mut self, patience: Duration) -> Option<String> {
        self.server.as_mut()?.death_within(patience)
    }

    /// What a server that died logged, all of it.
    pub fn log(&self) -> String {
        self.server.as_ref().map_or(String::new(), |server| server.log_since(0))
    }

    /// Ends one that does not answer any more.
    pub fn give_up(&mut self) {
        self.server = None;
    }

    pub fn cpu_seconds(&self) -> f64 {
        self.server.as_ref().map_or(0.0, Server::cpu_seconds)
    }
}

fn watch(folder: &Scratch, stop_signal: Signal) -> Result<Warden, String> {
    Warden::watch(folder.path(), stop_signal).map_err(|e| format!("cannot start '/bin/sh' to supervise it: {e}"))
}

/// The folder of one server with an empty data folder's name in it.
fn make_place(recipe: &Recipe, release: &Path) -> Result<(Scratch, Place), String> {
    let made =
        if unprivileged().is_some() { Scratch::for_server(recipe.room) } else { Scratch::with_room(recipe.room) };
    let folder = made.map_err(|e| format!("cannot create a folder for it: {e}"))?;
    let path = folder.path().join("server");
    let own = || -> io::Result<()> {
        fs::create_dir(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700))?;
        give(&path, unprivileged())
    };
    own().map_err(|e| format!("cannot create '{}': {e}", path.display()))?;
    let port = free_port().map_err(|e| format!("no free loopback port: {e}"))?;
    let place = Place { release: release.to_path_buf(), data: path.join("data"), folder: path, port };
    Ok((folder, place))
}

fn free_port() -> io::Result<u16> {
    std::net::TcpListener::bind(("127.0.0.1", 0))?.local_addr().map(|a| a.port())
}

/// User and group that the server gets; nothing when we are nobody special ourselves.
fn unprivileged() -> Option<(u32, u32)> {
    if scratch::user() != 0 {
        return None;
    }
    // SAFETY: the name is a C string; the answer is read at once, by one thread (children have no others).
    let entry = unsafe { libc::getpwnam(c"nobody".as_ptr()).as_ref() };
    Some(entry.map_or((65534, 65534), |e| (e.pw_uid, e.pw_gid)))
}

/// Output to the log; user, session, limits and the signal for the day its starter dies.
fn prepare(command: &mut Command, log: &Path, death_signal: Signal) -> io::Result<()> {
    let out = scratch::open_plain(log, OpenOptions::new().create(true).append(true))?;
    command.stdout(out.try_clone()?).stderr(out);
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    let starter = rustix::process::getpid();
    // SAFETY: between fork and exec only plain system calls are made, with values copied before.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            // A worker limits its own memory; a server has settings of its own for that.
            process::lift_memory_limit();
            libc::signal(libc::SIGINT, libc::SIG_DFL);
            // After the change of user, which would take it back.
            process::die_with_parent(death_signal);
            // The starter may have died before that was said.
            match rustix::process::getppid() == Some(starter) {
                true => Ok(()),
                false => Err(io::ErrorKind::NotFound.into()),
            }
        })
    };
    Ok(())
}

fn spawn_error(command: &Command, error: &io::Error) -> String {
    format!("cannot start '{}': {error}", command.get_program().to_string_lossy())
}

/// Whole lines from the end of the text.
fn tail(text: &str) -> String {
    let excess = text.len().saturating_sub(LOG_TAIL_BYTES as usize);
    let cut = (excess..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    text[cut..].trim_end().to_string()
}

// ---------------------------------------------------------------- templates

/// The data folder of a fresh server, whole and never written to.
struct Template {
    path: PathBuf,
    /// Where the cache folder cannot be written: it was made for this start only and goes away with it.
    _own: Option<Scratch>,
}

impl Template {
    fn cached(path: PathBuf) -> Template {
        Template { path, _own: None }
    }

    fn find_or_make(recipe: &Recipe, release: &Path, kept: &Path) -> Result<Template, String> {
        let revision = format!("{}-{}", recipe.release, recipe.revision);
        let name = published_name(recipe.engine, &revision, recipe.files);
        if let Some(found) = published::find(kept, &name) {
            return Ok(Template::cached(found));
        }
        let making = fs::create_dir_all(kept).and_then(|()| published::make(kept, &name)).ok();
        // Whoever had the right to make it before has made it.
        if let Some(found) = making.as_ref().and_then(|_| published::find(kept, &name)) {
            return Ok(Template::cached(found));
        }
        let (folder, place) = make_place(recipe, release)?;
        let done = initialise(recipe, &folder, &place);
        scratch::end_processes_in(folder.path());
        done.map_err(|why| {
            let log = fs::read_to_string(place.folder.join("log")).unwrap_or_default();
            format!("cannot initialise a data folder for {} {}: {why}\n{}", recipe.engine, recipe.release, tail(&log))
        })?;
        match making.and_then(|making| making.publish(&place.data).ok()) {
            Some(path) => Ok(Template::cached(path)),
            None => Ok(Template { path: place.data, _own: Some(folder) }),
        }
    }
}

/// Names the folder of templates, where it is set: for a run that is to make its own.
const TEMPLATES_VARIABLE: &str = "QUALM_TEMPLATES";

fn templates_folder() -> PathBuf {
    let named = std::env::var_os(TEMPLATES_VARIABLE).filter(|name| !name.is_empty());
    named.map_or_else(|| super::cache_folder().join("templates"), PathBuf::from)
}

fn initialise(recipe: &Recipe, folder: &Scratch, place: &Place) -> Result<(), String> {
    let _warden = watch(folder, Signal::KILL)?;
    for mut command in (recipe.initialise)(place) {
        prepare(&mut command, &place.folder.join("log"), Signal::KILL).map_err(|e| e.to_string())?;
        let mut child = command.spawn().map_err(|e| spawn_error(&command, &e))?;
        let until = Instant::now() + Duration::from_secs(INITIALISE_SECONDS);
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(POLL_MS)),
                _ => {
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("it takes longer than {INITIALISE_SECONDS} s"));
                }
            }
        };
        if !status.success() {
            return Err(format!("'{}' ended with {status}", command.get_program().to_string_lossy()));
        }
    }
    Ok(())
}

/// One plain component, whatever a release calls itself.
fn published_name(engine: &str, release: &str, files: &Path) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_') { c } else { '_' };
    let release: String = release.chars().map(plain).collect();
    format!("{engine}-{release}-{}", fingerprint(files))
}

/// Distinguishes releases of one number that lie in different places or were replaced.
fn fingerprint(path: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    fs::metadata(path).map_or(0, |m| m.mtime()).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

// ---------------------------------------------------------------- releases that only root can read

/// Names the only place of copies that every user can read, where it is set.
const PUBLIC_VARIABLE: &str = "QUALM_PUBLIC";

/// The release's files where the server's user can read them.
fn readable_release(recipe: &Recipe) -> Result<PathBuf, String> {
    let files = recipe.files;
    let absolute = files.canonicalize().map_err(|e| format!("no release at '{}': {e}", files.display()))?;
    if unprivileged().is_none() || scratch::all_may_enter(&absolute) {
        return Ok(absolute);
    }
    let name = published_name(recipe.engine, recipe.release, files);
    let mut failures = String::new();
    for place in public_places() {
        match readable_copy(&absolute, &name, &place) {
            Ok(copy) => return Ok(copy),
            Err(e) => failures.push_str(&format!(" '{}': {e};", place.display())),
        }
    }
    let from = absolute.display();
    Err(format!(
        "the server's user cannot read '{from}', and there is no place for a copy:{failures} set {PUBLIC_VARIABLE} to \
         a folder that all users may enter, or QUALM_CACHE to one for the releases"
    ))
}

/// A copy in root's own folder in this place. Nobody else can have put anything into it.
fn readable_copy(release: &Path, name: &str, place: &Path) -> io::Result<PathBuf> {
    if !scratch::all_may_enter(place) {
        return Err(io::Error::other("other users may not enter it"));
    }
    let shelf = scratch::make_own_folder(place, "qualm-releases", 0o755)?;
    if let Some(found) = published::find(&shelf, name) {
        return Ok(found);
    }
    let making = published::make(&shelf, name)?;
    published::find(&shelf, name).map_or_else(|| making.publish(release), Ok)
}

fn public_places() -> Vec<PathBuf> {
    if let Some(only) = std::env::var_os(PUBLIC_VARIABLE).filter(|name| !name.is_empty()) {
        return vec![only.into()];
    }
    vec!["/var/tmp".into(), std::env::temp_dir()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(place: &Place, script: &str) -> Command {
        let mut command = place.command("sh");
        command.args(["-c", script]);
        command
    }

    /// A shell that waits is a server as far as this module can see.
    fn start(cache: &Path, serve: &str) -> Result<Server, String> {
        Server::start_with(
            &Recipe {
                engine: "shell",
                release: "1",
                files: Path::new("/bin"),
                initialise: &|place| vec![shell(place, "mkdir -m 700 data && id -u > data/user")],
                revision: 1,
                serve: &|place| shell(place, serve),
                answers: &|place| fs::read(place.data.join("up")).map(drop).map_err(|e| e.to_string()),
                stop_signal: Signal::TERM,
                room: 1,
            },
            cache,
        )
    }

    const SERVE: &str = "echo serving; id -u > up; mv up data/up; exec sleep 1000";

    fn user(server: &Server, file: &str) -> u32 {
        fs::read_to_string(server.place().data.join(file)).unwrap().trim().parse().unwrap()
    }

    #[test]
    fn a_server_runs_unprivileged_and_leaves_nothing() {
        let cache = tempfile::tempdir().unwrap();
        let server = start(cache.path(), SERVE).unwrap();
        let expected = unprivileged().map_or(scratch::user(), |(user, _)| user);
        assert_eq!([user(&server, "user"), user(&server, "up")], [expected; 2]);
        assert_eq!(server.log_tail(), "serving");
        let (folder, pid) = (server.place().folder.clone(), server.pid());
        drop(server);
        assert!(!folder.exists() && !Path::new(&format!("/proc/{pid}")).exists());
        // The second start copies the template.
        let templates = fs::read_dir(cache.path()).unwrap().count();
        drop(start(cache.path(), SERVE).unwrap());
        assert_eq!(fs::read_dir(cache.path()).unwrap().count(), templates);
    }

    #[test]
    fn a_death_is_reported_with_the_last_words() {
        let cache = tempfile::tempdir().unwrap();
        let mut server = start(cache.path(), SERVE).unwrap();
        assert_eq!(server.death(), None);
        send_signal(server.pid(), Signal::SEGV);
        let death = server.death_within(Duration::from_secs(5)).unwrap();
        assert!(death.contains("SIGSEGV") && death.ends_with("serving"), "{death}");
        let error = start(cache.path(), "echo no such option >&2; exit 3").err().unwrap();
        assert!(error.contains("exit code 3") && error.contains("no such option"), "{error}");
    }
}
