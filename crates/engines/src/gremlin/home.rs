//! Where a Gremlin Server is: a private one that is started from a release, or one that runs already.

use super::FIRST_MS;
use super::wire::{Connection, Reply, Target};
use crate::server::{Kept, Place, Recipe, Server, Signal};
use crate::{ConnectError, cache_folder};
use qualm_core::limits::SERVER_STATEMENT_MS;
use std::cell::RefCell;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

const ROOM_BYTES: u64 = 64 << 20;
const HEAP: &str = "-Xmx512m";
/// Every script becomes a class, which its softly held cache would keep for long.
const FORGET: &str = "-XX:SoftRefLRUPolicyMSPerMB=0";
const CLASSES: &str = "-XX:MaxMetaspaceSize=512m";

pub enum Home {
    Private(RefCell<Kept>),
    Running(Target),
}

/// A folder with `jars/` and `java/` in it.
pub struct Release {
    pub version: String,
    pub files: PathBuf,
}

impl Home {
    pub fn private(release: Release) -> Home {
        Home::Private(RefCell::new(Kept::new(move || start(&release))))
    }

    /// A new session. A private server is started if none runs.
    pub fn connect(&self, patience: Duration) -> Result<Connection, String> {
        let target = match self {
            Home::Running(target) => target.clone(),
            Home::Private(kept) => target(kept.borrow_mut().up()?.place()),
        };
        Connection::open(&target, patience)
    }

    /// A server that is not ours counts as running.
    pub fn is_up(&self) -> bool {
        match self {
            Home::Private(kept) => kept.borrow_mut().is_up(),
            Home::Running(_) => true,
        }
    }

    pub fn death_within(&self, patience: Duration) -> Option<String> {
        match self {
            Home::Private(kept) => kept.borrow_mut().death_within(patience),
            Home::Running(_) => None,
        }
    }

    /// After a hang or a crash: a private server is ended, the next connection starts another.
    pub fn abandon(&self) {
        if let Home::Private(kept) = self {
            kept.borrow_mut().give_up();
        }
    }

    pub fn cpu_seconds(&self) -> f64 {
        match self {
            Home::Private(kept) => kept.borrow().cpu_seconds(),
            Home::Running(_) => 0.0,
        }
    }
}

fn target(place: &Place) -> Target {
    Target { host: "127.0.0.1".into(), port: place.port, path: "/gremlin".into() }
}

fn start(release: &Release) -> Result<Server, String> {
    Server::start(&Recipe {
        engine: "gremlin",
        release: &release.version,
        files: &release.files,
        initialise: &initialise,
        revision: 1,
        serve: &serve,
        answers: &|place| {
            let mut connection = Connection::open(&target(place), Duration::from_millis(FIRST_MS))?;
            match connection.eval("1 + 1", FIRST_MS) {
                Reply::Results(_) => Ok(()),
                Reply::Refused(_, why) | Reply::Lost(why) => Err(why),
                Reply::Silent | Reply::TooLong => Err("it says nothing".into()),
            }
        },
        stop_signal: Signal::KILL,
        room: ROOM_BYTES,
    })
}

/// The folder of settings; what holds the port is written when it is known.
fn initialise(place: &Place) -> Vec<Command> {
    let script = "mkdir data && cd data && \
        echo gremlin.graph=org.apache.tinkerpop.gremlin.tinkergraph.structure.TinkerGraph > graph.properties && \
        echo 'def globals = [:]; globals << [g : traversal().withEmbedded(graph)]' > start.groovy";
    let mut command = place.command("/bin/sh");
    command.args(["-c", script]);
    vec![command]
}

fn serve(place: &Place) -> Command {
    let settings = place.data.join("server.yaml");
    // Without them the server says what it misses, and that is reported.
    let _ = std::fs::write(&settings, yaml(place));
    let mut command = place.command("java/bin/java");
    command.current_dir(&place.data);
    command.args([HEAP, FORGET, CLASSES, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"]);
    command.arg(place.release.join("jars").join("*"));
    command.args(["org.apache.tinkerpop.gremlin.server.GremlinServer", "server.yaml"]);
    command
}

fn yaml(place: &Place) -> String {
    let plugin = "org.apache.tinkerpop.gremlin";
    format!(
        "host: 127.0.0.1
port: {port}
evaluationTimeout: {SERVER_STATEMENT_MS}
channelizer: {plugin}.server.channel.WebSocketChannelizer
threadPoolWorker: 1
gremlinPool: 2
graphs: {{ graph: graph.properties }}
scriptEngines: {{ gremlin-groovy: {{ plugins: {{
  {plugin}.server.jsr223.GremlinServerGremlinPlugin: {{}},
  {plugin}.tinkergraph.jsr223.TinkerGraphGremlinPlugin: {{}},
  {plugin}.jsr223.ImportGremlinPlugin: {{classImports: [java.lang.Math], methodImports: [java.lang.Math#*]}},
  {plugin}.jsr223.ScriptFileGremlinPlugin: {{files: [start.groovy]}} }} }} }}
processors:
  - {{ className: {plugin}.server.op.session.SessionOpProcessor, config: {{ sessionTimeout: 28800000 }} }}
serializers:
  - {{ className: {plugin}.driver.ser.GraphSONMessageSerializerV3d0, \
config: {{ ioRegistries: [{plugin}.tinkergraph.structure.TinkerIoRegistryV3d0] }} }}
maxContentLength: 16777216
resultIterationBatchSize: 1024
",
        port = place.port
    )
}

// ---------------------------------------------------------------- releases

pub fn releases_folder() -> PathBuf {
    cache_folder().join("gremlin")
}

impl Release {
    /// The release of this number that './x gremlin' fetched.
    pub fn cached(version: &str) -> Result<Release, ConnectError> {
        let files = releases_folder().join(version);
        if files.join("jars").is_dir() && files.join("java/bin/java").is_file() {
            return Ok(Release { version: version.into(), files });
        }
        let folder = files.display();
        Err(ConnectError::Unreachable(format!(
            "no Gremlin Server in '{folder}'; run './x gremlin {version}' to fetch it, or name a running one: \
             gremlin:ws://HOST:8182/gremlin"
        )))
    }

    pub fn newest() -> Result<Release, ConnectError> {
        let entries = std::fs::read_dir(releases_folder()).into_iter().flatten().flatten();
        let names = entries.filter_map(|e| e.file_name().into_string().ok());
        let numbers = |name: &String| name.split('.').map(|p| p.parse().ok()).collect::<Option<Vec<u32>>>();
        let newest = names.filter(|n| numbers(n).is_some()).max_by_key(|name| numbers(name));
        Release::cached(newest.as_deref().unwrap_or("3.5.1"))
    }
}
