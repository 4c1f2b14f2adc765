//! Any program that speaks JSON lines: `exec:COMMAND`. The program is the driver; it says what it is and which dialect
//! it has, and answers requests one by one. The protocol is in docs/adapter.md, and programs that speak it are in
//! examples/.
//!
//! The program's death is the engine's crash: a session that lost it says so until it is reset, which starts it again.

pub mod adapt;
pub mod conformance;
pub mod dialects;
mod values;

use crate::ConnectError;
use crate::sql_dialect;
use crate::url::shown;
use qualm_core::dialect::sql::Dialect;
use qualm_core::dialect::{Spoken, graph};
use qualm_core::knobs::KnobFile;
use qualm_core::language::{Each, Language};
use qualm_core::limits::SERVER_STATEMENT_MS;
use qualm_core::plan::{Plan, PlanNode};
use qualm_core::session::{Engine, Outcome, RejectionClass, Session};
use qualm_host::death::{self, Cause, MemoryWatch};
use qualm_host::process::{self, Heard, Peer, Signal};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The version of the protocol that docs/adapter.md describes.
pub const PROTOCOL: u64 = 1;
/// Starting a program and loading its engine may take a while on a busy machine.
const HELLO_MS: u64 = 120_000;
/// The same for an empty database.
const OPEN_MS: u64 = 20_000;
/// A program that is silent for so long hangs. It should have given up long before; who watches this process may lose
/// patience earlier.
const SILENCE_MS: u64 = 3 * SERVER_STATEMENT_MS;
/// How much of a line that is not understood is shown.
const SHOWN_BYTES: usize = 200;

struct External {
    command: String,
    hello: Hello,
    /// The program that said hello; the first session takes it over.
    first: RefCell<Option<Peer>>,
}

/// What a program says about itself, understood.
#[derive(Clone)]
pub struct Hello {
    pub name: String,
    pub version: String,
    pub build: String,
    pub speaks: Spoken,
    pub knobs: &'static str,
    /// Asking for a plan never runs the statement, so that it may be asked of one that changes something.
    pub plans_only: bool,
    /// It takes several statements in one request.
    pub batch: bool,
    /// It named no dialect: `speaks` is the wide one until the engine was probed.
    pub unknown: bool,
}

/// Whether the statement changes the state, as far as its words show. In doubt it does.
fn may_change(spoken: Spoken, text: &str) -> bool {
    // Behind WITH, REPLACE is mostly the function, and never a statement without INTO.
    const SQL: &[&str] = &["INSERT", "UPDATE", "DELETE", "MERGE", "INTO"];
    const GRAPH: &[&str] = &[
        "CREATE", "MERGE", "SET", "DELETE", "DETACH", "REMOVE", "DROP", "CALL", "ALTER", "COPY", "ADDV", "ADDE",
        "PROPERTY",
    ];
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty());
    let is_one_of = |word: &str, list: &[&str]| list.iter().any(|w| w.eq_ignore_ascii_case(word));
    match spoken {
        Spoken::Sql(_) => match words.next() {
            Some(first) if is_one_of(first, &["SELECT", "VALUES"]) => false,
            Some(first) if is_one_of(first, &["WITH"]) => words.any(|w| is_one_of(w, SQL)),
            _ => true,
        },
        Spoken::Graph(_) => words.any(|w| is_one_of(w, GRAPH)),
        // A program is asked, never stored.
        Spoken::Datalog(_) => false,
    }
}

/// What a program says about itself, as it says it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SaidHello {
    protocol: u64,
    name: String,
    version: String,
    #[serde(default)]
    build: String,
    language: Language,
    /// Without one the engine is probed, if its language is SQL.
    dialect: Option<Json>,
    #[serde(default)]
    knobs: String,
    #[serde(default)]
    plans_only: bool,
    #[serde(default)]
    batch: bool,
}

pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let command = place.ok_or_else(|| {
        ConnectError::Usage("'exec' needs a program that speaks JSON lines: 'exec:python3 ADAPTER.py'".into())
    })?;
    let (hello, peer) = greet(command).map_err(ConnectError::Unreachable)?;
    KnobFile::read(&format!("the hello of the adapter {command}"), hello.knobs).map_err(ConnectError::Usage)?;
    let mut engine = External { command: command.into(), hello, first: RefCell::new(Some(peer)) };
    if engine.hello.unknown {
        engine.hello.speaks = Spoken::Sql(learned(&engine).map_err(ConnectError::Unreachable)?);
    }
    Ok(Box::new(engine))
}

/// The dialect of an engine that named none: probed once for each release, and kept in a file.
fn learned(engine: &External) -> Result<&'static Dialect, String> {
    let hello = &engine.hello;
    let plain =
        |text: &str| text.chars().map(|c| if c.is_alphanumeric() || c == '.' { c } else { '-' }).collect::<String>();
    let name = format!("{}-{}-{}.toml", plain(&hello.name), plain(&hello.version), env!("CARGO_PKG_VERSION"));
    let file = dialects_folder().join(name);
    if let Ok(known) = sql_dialect::read(&file) {
        return Ok(known);
    }
    let mut session = engine.open()?;
    let text = adapt::adapt(&hello.name, &hello.version, session.as_mut())
        .map_err(|why| format!("the engine names no dialect, and its own could not be found out: {why}"))?;
    keep(&file, &text);
    sql_dialect::from_toml(&hello.name, &text)
}

/// Where dialects are kept that were found out.
pub fn dialects_folder() -> PathBuf {
    let given = std::env::var_os("QUALM_DIALECTS").filter(|v| !v.is_empty());
    given.map_or_else(|| crate::cache_folder().join("dialects"), PathBuf::from)
}

/// Written beside its place and moved there: what exists is whole. Where nothing can be kept, the next one probes
/// again.
fn keep(file: &Path, text: &str) {
    let Some(folder) = file.parent() else { return };
    let beside = file.with_extension(format!("{}.new", std::process::id()));
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&beside, text));
    if written.and_then(|()| std::fs::rename(&beside, file)).is_err() {
        let _ = std::fs::remove_file(&beside);
    }
}

/// The language that the program says it has.
pub fn language(place: Option<&str>) -> Result<Language, ConnectError> {
    Ok(connect(place)?.spoken().language())
}

impl Engine for External {
    fn version(&self) -> String {
        format!("{} {}", self.hello.name, self.hello.version)
    }

    fn build(&self) -> String {
        self.hello.build.clone()
    }

    fn spoken(&self) -> Spoken {
        self.hello.speaks
    }

    fn knob_file(&self) -> &'static str {
        self.hello.knobs
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        let first = self.first.borrow_mut().take();
        let peer = first.map_or_else(|| greet(&self.command).map(|(_, peer)| peer), Ok)?;
        let mut session = ExternalSession {
            command: self.command.clone(),
            speaks: self.hello.speaks,
            plans_only: self.hello.plans_only,
            batch: self.hello.batch,
            ahead: VecDeque::new(),
            peer: Ok(peer),
            ended_cpu_seconds: 0.0,
        };
        session.empty()?;
        Ok(Box::new(session))
    }
}

// ---------------------------------------------------------------- the program

/// Starts the program and hears what it is. The error says what is wrong with it, for people.
fn greet(command: &str) -> Result<(Hello, Peer), String> {
    let shown = shown(&format!("exec:{command}")).split_off("exec:".len());
    let mut peer = start(command).map_err(|e| format!("cannot start the adapter '{command}': {e}"))?;
    let request = json!({"do": "hello", "protocol": PROTOCOL});
    let said = match exchange(&mut peer, &request, HELLO_MS) {
        Ok(reply) => reply,
        Err(Silence::Dead(how)) => return Err(format!("the adapter '{shown}' exited before its hello: {how}")),
        Err(Silence::Late(ms)) => return Err(format!("the adapter '{shown}' sent no hello within {ms} ms")),
        Err(Silence::Nonsense(what)) => return Err(format!("the adapter '{shown}' sent no hello: {what}")),
    };
    let hello = understand(said).map_err(|why| format!("the adapter '{shown}' sent an invalid hello: {why}"))?;
    Ok((hello, peer))
}

/// The shell replaces itself, so that the program's end is seen as it is.
fn start(command: &str) -> std::io::Result<Peer> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(format!("exec {command}"));
    // SAFETY: between fork and exec only plain system calls are made.
    unsafe {
        shell.pre_exec(|| {
            // A worker limits its own address space; engines map much more than they use.
            process::lift_memory_limit();
            process::die_with_parent(Signal::KILL);
            Ok(())
        })
    };
    Peer::start(shell)
}

type ReadDialect = fn(Option<Json>) -> Result<Spoken, String>;

/// How the dialect of a hello is read.
const DIALECTS: Each<ReadDialect> = Each {
    // Without a name it is the wide one, until the engine was probed.
    sql: |given| given.map_or(Ok(&*sql_dialect::STANDARD), sql_dialect::sql).map(Spoken::Sql),
    datalog: |given| named(given).and_then(dialects::datalog).map(Spoken::Datalog),
    graph: |given| named(given).and_then(graph::build).map(Spoken::Graph),
};

fn named(dialect: Option<Json>) -> Result<Json, String> {
    dialect.ok_or_else(|| "it names no 'dialect'; only SQL can do without".to_owned())
}

fn understand(said: Json) -> Result<Hello, String> {
    if let Some(error) = said.get("error") {
        return Err(error.as_str().map_or_else(|| error.to_string(), str::to_owned));
    }
    let said: SaidHello = serde_json::from_value(said).map_err(|e| e.to_string())?;
    if said.protocol != PROTOCOL {
        return Err(format!("it speaks protocol {}, this version of qualm speaks {PROTOCOL}", said.protocol));
    }
    let unknown = said.dialect.is_none();
    let speaks = DIALECTS.of(said.language)(said.dialect)?;
    let knobs = String::leak(said.knobs);
    let (plans_only, batch) = (said.plans_only, said.batch);
    Ok(Hello { name: said.name, version: said.version, build: said.build, speaks, knobs, plans_only, batch, unknown })
}

/// Why there is no answer.
enum Silence {
    Dead(String),
    Late(u64),
    Nonsense(String),
}

fn exchange(peer: &mut Peer, request: &Json, patience_ms: u64) -> Result<Json, Silence> {
    send(peer, request);
    hear(peer, patience_ms)
}

fn send(peer: &mut Peer, request: &Json) {
    // A write that fails has found it dead, which the next line says better.
    let _ = peer.send(format!("{request}\n").as_bytes());
}

/// The next reply.
fn hear(peer: &mut Peer, patience_ms: u64) -> Result<Json, Silence> {
    let memory = MemoryWatch::begin();
    match peer.hear(Duration::from_millis(patience_ms)) {
        Heard::Line(line) => serde_json::from_slice(&line).map_err(|e| {
            let shown = String::from_utf8_lossy(&line[..line.len().min(SHOWN_BYTES)]).into_owned();
            Silence::Nonsense(format!("'{shown}' is not JSON: {e} (standard output is for replies only)"))
        }),
        Heard::Closed => {
            // It may have closed its output and live on.
            let alone = peer.ends_within(Duration::from_millis(DYING_MS));
            peer.kill();
            let ended = peer.reap();
            let sent = alone && death::cause(&ended, &memory) == Cause::Outside;
            let how = ended.how_and_words();
            Err(Silence::Dead(if sent { death::outside(&how) } else { how }))
        }
        Heard::Nothing => {
            peer.kill();
            peer.reap();
            Err(Silence::Late(patience_ms))
        }
    }
}

// ---------------------------------------------------------------- a session

struct ExternalSession {
    command: String,
    speaks: Spoken,
    plans_only: bool,
    batch: bool,
    /// Statements that were sent together and whose replies have not been read yet.
    ahead: VecDeque<String>,
    /// The program, or what happened to it.
    peer: Result<Peer, Outcome>,
    ended_cpu_seconds: f64,
}

impl Session for ExternalSession {
    fn run(&mut self, text: &str) -> Outcome {
        if self.ahead.front().is_some_and(|next| next == text) {
            self.ahead.pop_front();
            return match self.reply(None, SILENCE_MS) {
                Ok(reply) => self.read(reply),
                Err(outcome) => outcome,
            };
        }
        let request = json!({"do": "run", "text": text, "limit_ms": SERVER_STATEMENT_MS});
        match self.request(&request, SILENCE_MS) {
            Ok(reply) => self.read(reply),
            Err(outcome) => outcome,
        }
    }

    fn announce(&mut self, texts: &[&str]) {
        // One statement needs no batch, and a request that is very long is read all at once by its reader.
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        if !self.batch || texts.len() < 2 || bytes > BATCH_BYTES {
            return;
        }
        self.skip_ahead();
        let Ok(peer) = &mut self.peer else { return };
        send(peer, &json!({"do": "run", "texts": texts, "limit_ms": SERVER_STATEMENT_MS}));
        self.ahead = texts.iter().map(|text| (*text).to_owned()).collect();
    }

    fn plan(&mut self, query: &str) -> Option<Plan> {
        if !self.plans_only && may_change(self.speaks, query) {
            return None;
        }
        let request = json!({"do": "plan", "text": query, "limit_ms": SERVER_STATEMENT_MS});
        let mut reply = self.request(&request, SILENCE_MS).ok()?;
        let nodes: Vec<PlanNode> = serde_json::from_value(reply.get_mut("plan")?.take()).ok()?;
        (!nodes.is_empty()).then_some(Plan { nodes })
    }

    fn reset(&mut self) -> Result<(), String> {
        if self.peer.is_err() {
            self.peer = Ok(greet(&self.command)?.1);
        }
        self.empty()
    }

    fn waits(&self) -> bool {
        true
    }

    fn server_cpu_seconds(&self) -> f64 {
        self.ended_cpu_seconds + self.peer.as_ref().map_or(0.0, |peer| process::cpu_seconds_of(peer.pid()))
    }
}

impl ExternalSession {
    fn request(&mut self, request: &Json, patience_ms: u64) -> Result<Json, Outcome> {
        self.skip_ahead();
        self.reply(Some(request), patience_ms)
    }

    /// Reads the replies to what was announced and not run. A program that ended meanwhile was ended by a statement
    /// that nobody waits for: that says nothing about the next one.
    fn skip_ahead(&mut self) {
        while self.ahead.pop_front().is_some() {
            if self.reply(None, SILENCE_MS).is_err() {
                self.ahead.clear();
                let why = "the adapter ended while it ran a statement ahead";
                self.peer = Err(Outcome::rejected(RejectionClass::Limit, why));
            }
        }
    }

    /// The reply to a request, or the next one, or what to say instead of one. After that the program is gone.
    fn reply(&mut self, request: Option<&Json>, patience_ms: u64) -> Result<Json, Outcome> {
        let peer = match &mut self.peer {
            Ok(peer) => peer,
            Err(outcome) => return Err(outcome.clone()),
        };
        if let Some(request) = request {
            send(peer, request);
        }
        let outcome = match hear(peer, patience_ms) {
            Ok(reply) => return Ok(reply),
            Err(Silence::Dead(how)) => Outcome::Crash(format!("the adapter ended: {how}")),
            Err(Silence::Late(ms)) => Outcome::Hang(ms),
            // Our peer's mistake, not the engine's.
            Err(Silence::Nonsense(what)) => {
                Outcome::rejected(RejectionClass::Limit, format!("the adapter said: {what}"))
            }
        };
        peer.kill();
        self.ended_cpu_seconds += peer.reap().cpu_seconds;
        self.peer = Err(outcome.clone());
        self.ahead.clear();
        Err(outcome)
    }

    fn empty(&mut self) -> Result<(), String> {
        match self.request(&json!({"do": "open"}), OPEN_MS) {
            Ok(reply) => match reply.get("error") {
                None => Ok(()),
                Some(error) => Err(format!("the adapter '{}' cannot open a database: {error}", self.command)),
            },
            Err(outcome) => Err(format!("the adapter '{}' cannot open a database: {outcome:?}", self.command)),
        }
    }

    fn read(&mut self, reply: Json) -> Outcome {
        let spoken = self.speaks;
        values::outcome(reply, |text| class_of(spoken, text))
    }
}

/// The class of an error that came without one.
fn class_of(spoken: Spoken, error: &str) -> RejectionClass {
    match spoken {
        Spoken::Sql(dialect) => dialect.class_of(error),
        Spoken::Graph(dialect) => dialect.class_of(error),
        Spoken::Datalog(_) => RejectionClass::Expected,
    }
}

impl Drop for ExternalSession {
    /// Gives the program a moment to put its things away.
    fn drop(&mut self) {
        if let Ok(peer) = &mut self.peer {
            let _ = exchange(peer, &json!({"do": "close"}), FAREWELL_MS);
        }
    }
}

const FAREWELL_MS: u64 = 500;

/// No more than this in one request.
const BATCH_BYTES: usize = 1 << 20;

/// How long a program that has closed its output may take to end by itself.
const DYING_MS: u64 = 200;
