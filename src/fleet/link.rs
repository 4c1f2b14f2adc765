//! The connection to NATS: leases pulled and given back, keys, objects. Waits out restarts of servers and changes of
//! leaders; gives up after `PATIENCE`. The runtime that the client needs lives here and shows in no signature.

use super::args::{Access, Address};
use super::leases::{Config, Lease};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::{CreateStreamError, CreateStreamErrorKind, GetStreamErrorKind};
use async_nats::jetstream::kv::{CreateErrorKind, Operation, Store, UpdateErrorKind};
use async_nats::jetstream::object_store::{self, ObjectStore};
use async_nats::jetstream::stream::{self, RetentionPolicy, Stream};
use async_nats::jetstream::{self, AckKind, Context, ErrorCode, kv};
use async_nats::{ConnectOptions, HeaderMap, ServerAddr};
use futures_util::StreamExt;
use qualm_core::fault::Fault;
use qualm_core::outside::FILE_BYTES;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::future::Future;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio::io::AsyncReadExt;
use tokio::runtime::Runtime;

/// How long a server may be away before a machine gives up.
const PATIENCE: Duration = Duration::from_secs(120);
/// The same for one that was never there.
const FIRST_PATIENCE: Duration = Duration::from_secs(5);
/// How long something may fail before it is asked whether the campaign is still there.
const REMOVED_PATIENCE: Duration = Duration::from_secs(2);
/// How long the servers of a cluster may take to find each other.
const CLUSTER_PATIENCE: Duration = Duration::from_secs(15);
/// The same where the address names as many servers as there are to be copies: then somebody relies on them.
const NAMED_CLUSTER_PATIENCE: Duration = Duration::from_secs(90);
const RETRY: Duration = Duration::from_millis(300);
/// One request.
const REQUEST: Duration = Duration::from_secs(5);
/// A lease of which nothing is heard for so long goes to another machine.
pub const LEASE_WAIT: Duration = Duration::from_secs(20);
/// How often a machine says that it is still at it.
pub const LEASE_SIGN: Duration = Duration::from_secs(4);
/// Requests for leases that may wait at the server, and leases that may be out.
const WAITING_MOST: i64 = 8_192;
const OUT_MOST: i64 = 65_536;
/// What survives the loss of one server, where there are so many.
const REPLICAS: usize = 3;
const CONSUMER: &str = "members";

pub struct Link {
    runtime: Runtime,
    context: Context,
    stream: Stream,
    consumer: PullConsumer,
    store: Store,
    objects: ObjectStore,
    name: String,
    /// Why the first thread gave up. The others say the same and do not wait.
    lost: OnceLock<Fault>,
}

/// A lease that this machine has.
pub struct Held {
    pub lease: Lease,
    message: jetstream::Message,
}

struct Unlinked {
    runtime: Runtime,
    context: Context,
}

fn bucket(name: &str) -> String {
    format!("qualm-{name}")
}

fn connect(address: &Address, access: &Access) -> Result<Unlinked, Fault> {
    let unreachable =
        |e: &dyn Display| Fault::unreachable(format!("cannot reach the fleet's server at '{}': {e}", address.shown()));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.map_err(|e| Fault::own(format!("cannot start the client's threads: {e}")))?;
    let parsed: Result<Vec<ServerAddr>, _> = address.servers.iter().map(|s| s.parse()).collect();
    let servers = parsed.map_err(|e| Fault::usage(format!("'{}' is not a server: {e}", address.shown())))?;
    let mut options = ConnectOptions::new().name("qualm").connection_timeout(FIRST_PATIENCE);
    options = options.request_timeout(Some(REQUEST)).ping_interval(Duration::from_secs(10));
    options = options.reconnect_delay_callback(|tries| RETRY * tries.min(5) as u32);
    if let Some(file) = &access.creds {
        let text = std::fs::read_to_string(file)
            .map_err(|e| Fault::usage(format!("cannot read credentials '{}': {e}", file.display())))?;
        let wrong = |e| Fault::usage(format!("'{}' contains no credentials: {e}", file.display()));
        options = options.credentials(&text).map_err(wrong)?;
    }
    if let Some(file) = &access.tls_ca {
        if !file.is_file() {
            return Err(Fault::usage(format!("there is no certificate '{}'", file.display())));
        }
        options = options.add_root_certificates(file.clone()).require_tls(true);
    }
    let connecting = async {
        loop {
            match options.clone().connect(servers.clone()).await {
                Err(e) if is_broken_off(&e) => tokio::time::sleep(RETRY).await,
                client => break client,
            }
        }
    };
    let client = runtime.block_on(async { tokio::time::timeout(2 * FIRST_PATIENCE, connecting).await });
    let client = client.map_err(|e| unreachable(&e))?.map_err(|e| unreachable(&e))?;
    // It starts a task of its own.
    let mut context = {
        let _inside = runtime.enter();
        jetstream::new(client)
    };
    context.set_timeout(REQUEST);
    Ok(Unlinked { runtime, context })
}

/// A server was there, and hung up: it does so with whoever is slow to introduce itself, as on a busy machine. One that
/// is not there, or does not let us in, will be no other a moment later.
fn is_broken_off(e: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind;
    let broken =
        [ErrorKind::ConnectionReset, ErrorKind::ConnectionAborted, ErrorKind::UnexpectedEof, ErrorKind::BrokenPipe];
    let io = e.downcast_ref::<std::io::Error>().is_some_and(|io| broken.contains(&io.kind()));
    io || e.source().is_some_and(is_broken_off)
}

impl Link {
    /// What a campaign needs is made, if it is not there.
    pub fn create(address: &Address, access: &Access) -> Result<Link, Fault> {
        let Unlinked { runtime, context } = connect(address, access)?;
        let began = Instant::now();
        // As many copies as there are servers for: how many that is only the servers know, and not at once.
        let mut copies = REPLICAS;
        let named = address.servers.len() >= REPLICAS;
        let patience = if named { NAMED_CLUSTER_PATIENCE } else { CLUSTER_PATIENCE };
        let made = loop {
            match make(&runtime, &context, &address.name, copies) {
                Err(NotMade::OneServer) if copies > 1 => copies = 1,
                Err(NotMade::TooFewServers(_)) if copies > 1 && began.elapsed() > patience => copies = 1,
                Err(NotMade::TooFewServers(_) | NotMade::NotYet(_)) if began.elapsed() <= patience => {
                    std::thread::sleep(RETRY);
                }
                made => break made,
            }
        };
        if named && copies < REPLICAS {
            errln!("the servers keep one copy of campaign '{}': if one is lost, so is the campaign", address.shown());
        }
        made.map_err(|e| {
            let place = address.shown();
            Fault::usage(format!("cannot create campaign '{place}': {e}; the server must run with JetStream (-js)"))
        })?;
        Link::open(Unlinked { runtime, context }, address)
    }

    /// Whether there are leases and keys of this name.
    pub fn is_there(address: &Address, access: &Access) -> Result<bool, Fault> {
        Ok(Link::open(connect(address, access)?, address).is_ok())
    }

    pub fn join(address: &Address, access: &Access) -> Result<Link, Fault> {
        Link::open(connect(address, access)?, address)
    }

    fn open(unlinked: Unlinked, address: &Address) -> Result<Link, Fault> {
        let Unlinked { runtime, context } = unlinked;
        let name = bucket(&address.name);
        let opened: Result<_, String> = runtime.block_on(async {
            let text = |e: &dyn Display| e.to_string();
            let stream = context.get_stream(&name).await.map_err(|e| text(&e))?;
            let consumer = stream.get_consumer(CONSUMER).await.map_err(|e| e.to_string())?;
            let store = context.get_key_value(&name).await.map_err(|e| text(&e))?;
            let objects = context.get_object_store(&name).await.map_err(|e| text(&e))?;
            Ok((stream, consumer, store, objects))
        });
        let missing = |e| {
            let begin = "start one with 'qualm hunt ENGINE --fleet URL --campaign NAME'";
            Fault::usage(format!("there is no campaign '{}' ({e}); {begin}", address.shown()))
        };
        let (stream, consumer, store, objects) = opened.map_err(missing)?;
        Ok(Link {
            runtime,
            context,
            stream,
            consumer,
            store,
            objects,
            name: address.name.clone(),
            lost: OnceLock::new(),
        })
    }

    pub fn remove(address: &Address, access: &Access) -> Result<(), Fault> {
        let Unlinked { runtime, context } = connect(address, access)?;
        let name = bucket(&address.name);
        // One that was cut off in the middle of this has only some of them left. The keys are the last to go.
        let gone = runtime.block_on(async {
            let leases = context.delete_stream(&name).await.map(|_| ()).map_err(text_of);
            let objects = context.delete_object_store(&name).await.map_err(text_of);
            let keys = context.delete_key_value(&name).await.map(|_| ()).map_err(text_of);
            keys.or(objects).or(leases)
        });
        gone.map_err(|e| Fault::usage(format!("there is no campaign '{}' to remove: {e}", address.shown())))
    }

    /// Tries until it works or nobody has answered for long.
    fn insist<T, E: Display, F: Future<Output = Result<T, E>>>(&self, request: impl Fn() -> F) -> Result<T, Fault> {
        let began = Instant::now();
        loop {
            let said = match self.runtime.block_on(async { tokio::time::timeout(2 * REQUEST, request()).await }) {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(e)) => e.to_string(),
                Err(_) => "no answer".into(),
            };
            let fault = if let Some(fault) = self.lost.get() {
                return Err(fault.clone());
            } else if began.elapsed() > REMOVED_PATIENCE && self.is_removed() {
                Fault::usage(format!("campaign '{}' was removed", self.name))
            } else if began.elapsed() > PATIENCE {
                let seconds = PATIENCE.as_secs();
                Fault::unreachable(format!("campaign '{}' could not be reached for {seconds} s: {said}", self.name))
            } else {
                std::thread::sleep(RETRY);
                continue;
            };
            return Err(self.lost.get_or_init(|| fault).clone());
        }
    }

    /// The server is there and knows no such campaign.
    fn is_removed(&self) -> bool {
        let request = async { tokio::time::timeout(REQUEST, self.context.get_stream(bucket(&self.name))).await };
        let Ok(Err(refused)) = self.runtime.block_on(request) else { return false };
        matches!(refused.kind(), GetStreamErrorKind::JetStream(e) if e.error_code() == ErrorCode::STREAM_NOT_FOUND)
    }

    // ------------------------------------------------------------ leases

    /// Puts leases up, each once however often this is tried. Many are on their way at the same time.
    pub fn put_up(&self, leases: &[Lease]) -> Result<(), Fault> {
        for some in leases.chunks(PUT_UP_AT_ONCE) {
            self.insist(|| async {
                let mut acks = Vec::new();
                for lease in some {
                    let mut headers = HeaderMap::new();
                    headers.insert("Nats-Msg-Id", format!("lease-{}", lease.number).as_str());
                    let subject = format!("qualm.{}.lease.{}", self.name, lease.number);
                    let text = serde_json::to_vec(lease).expect("plain data");
                    acks.push(self.context.publish_with_headers(subject, headers, text.into()).await?);
                }
                for ack in acks {
                    ack.await?;
                }
                Ok::<_, async_nats::jetstream::context::PublishError>(())
            })?;
        }
        Ok(())
    }

    /// The next lease, if one comes within `wait`.
    pub fn next_lease(&self, wait: Duration) -> Result<Option<Held>, Fault> {
        let message = self.insist(|| async {
            let mut batch = self.consumer.batch().max_messages(1).expires(wait).messages().await.map_err(text_of)?;
            match tokio::time::timeout(wait + REQUEST, batch.next()).await {
                Ok(Some(message)) => message.map(Some).map_err(text_of),
                _ => Ok::<_, String>(None),
            }
        })?;
        let Some(message) = message else { return Ok(None) };
        let lease = serde_json::from_slice(&message.payload)
            .map_err(|e| Fault::own(format!("cannot parse a lease of campaign '{}': {e}", self.name)))?;
        Ok(Some(Held { lease, message }))
    }

    /// Still at it. Not sent again when it gets lost: the next sign comes soon.
    pub fn sign(&self, held: &Held) {
        let _ = self.runtime.block_on(held.message.ack_with(AckKind::Progress));
    }

    pub fn done(&self, held: &Held) {
        // One that another machine has meanwhile is not this one's to end; its record says that it is done.
        let _ = self.runtime.block_on(async { tokio::time::timeout(REQUEST, held.message.double_ack()).await });
    }

    pub fn give_back(&self, held: &Held) {
        if self.lost.get().is_some() {
            return;
        }
        let _ = self
            .runtime
            .block_on(async { tokio::time::timeout(REQUEST, held.message.double_ack_with(AckKind::Nak(None))).await });
    }

    /// Leases that are not done.
    pub fn open_leases(&self) -> Result<u64, Fault> {
        self.insist(|| async { self.stream.get_info().await.map(|info| info.state.messages) })
    }

    pub fn drop_leases(&self) -> Result<(), Fault> {
        self.insist(|| async { self.stream.purge().await.map(|_| ()) })
    }

    // ------------------------------------------------------------ keys

    pub fn get(&self, key: &str) -> Result<Option<(Vec<u8>, u64)>, Fault> {
        let entry = self.insist(|| self.store.entry(key))?;
        Ok(entry.filter(|e| e.operation == Operation::Put).map(|e| (e.value.to_vec(), e.revision)))
    }

    pub fn put(&self, key: &str, value: &[u8]) -> Result<(), Fault> {
        self.insist(|| self.store.put(key, value.to_vec().into())).map(|_| ())
    }

    /// False when the key is there. After an answer was lost this may be said of one's own.
    pub fn create_key(&self, key: &str, value: &[u8]) -> Result<bool, Fault> {
        self.insist(|| async {
            match self.store.create(key, value.to_vec().into()).await {
                Ok(_) => Ok(true),
                Err(e) if e.kind() == CreateErrorKind::AlreadyExists => Ok(false),
                Err(e) => Err(e),
            }
        })
    }

    /// False when someone else changed it.
    pub fn update(&self, key: &str, value: &[u8], revision: u64) -> Result<bool, Fault> {
        self.insist(|| async {
            match self.store.update(key, value.to_vec().into(), revision).await {
                Ok(_) => Ok(true),
                Err(e) if e.kind() == UpdateErrorKind::WrongLastRevision => Ok(false),
                Err(e) => Err(e),
            }
        })
    }

    pub fn delete(&self, key: &str) -> Result<(), Fault> {
        self.insist(|| self.store.purge(key))
    }

    /// Keys that were written after this revision and have a value, with the values, and the revision that this is.
    /// From the beginning the revision is 0.
    pub fn written_since(&self, revision: u64) -> Result<(BTreeMap<String, Vec<u8>>, u64), Fault> {
        self.insist(|| async {
            let mut found = BTreeMap::new();
            // Begins with what is known already, or with what replaced it: so there is always something to hear. In
            // the beginning that is the configuration.
            let mut watch = match revision {
                0 => self.store.watch_with_history(">").await.map_err(text_of)?,
                _ => self.store.watch_all_from_revision(revision).await.map_err(text_of)?,
            };
            loop {
                let next = tokio::time::timeout(REQUEST, watch.next()).await.map_err(text_of)?;
                let entry = next.ok_or("the list broke off")?.map_err(text_of)?;
                let (last, reached) = (entry.delta == 0, entry.revision);
                if entry.operation == Operation::Put {
                    found.insert(entry.key, entry.value.to_vec());
                }
                if last {
                    return Ok::<_, String>((found, reached));
                }
            }
        })
    }

    // ------------------------------------------------------------ objects

    pub fn put_object(&self, name: &str, bytes: &[u8]) -> Result<(), Fault> {
        self.insist(|| async {
            let mut from = bytes;
            self.objects.put(name, &mut from).await.map(|_| ())
        })
    }

    pub fn get_object(&self, name: &str) -> Result<Vec<u8>, Fault> {
        self.insist(|| async {
            let object = self.objects.get(name).await.map_err(text_of)?;
            let mut bytes = Vec::new();
            // One byte more than there may be: a larger object is no finding.
            object.take(FILE_BYTES + 1).read_to_end(&mut bytes).await.map_err(text_of)?;
            bytes.truncate(FILE_BYTES as usize);
            Ok::<_, String>(bytes)
        })
    }

    /// One that nobody knows of takes room and does no harm.
    pub fn drop_object(&self, name: &str) {
        let _ = self.runtime.block_on(async { tokio::time::timeout(REQUEST, self.objects.delete(name)).await });
    }

    pub fn config(&self) -> Result<Option<Config>, Fault> {
        let Some((text, _)) = self.get(CONFIG)? else { return Ok(None) };
        // The build is looked at first: what another one wrote may not be readable.
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
        let unclear = |e| Fault::usage(format!("campaign '{}' was not made by qualm: {e}", self.name));
        let build: super::leases::Build = serde_json::from_value(json["build"].clone()).map_err(unclear)?;
        build.admit(&self.name)?;
        serde_json::from_value(json).map(Some).map_err(unclear)
    }
}

pub const CONFIG: &str = "config";
const PUT_UP_AT_ONCE: usize = 256;

fn text_of(e: impl Display) -> String {
    e.to_string()
}

/// Why what a campaign needs could not be made.
enum NotMade {
    /// The server is alone, and keeps one copy of everything.
    OneServer,
    /// A cluster that has not enough servers for the copies, or does not know of them yet.
    TooFewServers(String),
    /// A cluster that has no leader yet.
    NotYet(String),
    Failed(String),
}

impl NotMade {
    fn failed(e: impl Display) -> NotMade {
        NotMade::Failed(e.to_string())
    }

    fn of(e: &CreateStreamError) -> NotMade {
        let code = match e.kind() {
            CreateStreamErrorKind::JetStream(error) => error.error_code(),
            CreateStreamErrorKind::TimedOut => return NotMade::NotYet(e.to_string()),
            _ => return NotMade::failed(e),
        };
        match code {
            ErrorCode::STREAM_REPLICAS_NOT_SUPPORTED => NotMade::OneServer,
            ErrorCode::CLUSTER_NO_PEERS | ErrorCode::INSUFFICIENT_RESOURCES => NotMade::TooFewServers(e.to_string()),
            ErrorCode::CLUSTER_NOT_AVAILABLE | ErrorCode::CLUSTER_NOT_ACTIVE => NotMade::NotYet(e.to_string()),
            _ => NotMade::failed(e),
        }
    }
}

impl Display for NotMade {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            NotMade::OneServer => f.write_str("the server keeps one copy only"),
            NotMade::TooFewServers(e) | NotMade::NotYet(e) | NotMade::Failed(e) => f.write_str(e),
        }
    }
}

/// Streams of the campaign with so many copies.
fn make(runtime: &Runtime, context: &Context, campaign: &str, copies: usize) -> Result<(), NotMade> {
    let name = bucket(campaign);
    let leases = stream::Config {
        name: name.clone(),
        subjects: vec![format!("qualm.{campaign}.lease.*")],
        retention: RetentionPolicy::WorkQueue,
        num_replicas: copies,
        // A lease is put up again only by who begins the campaign, within moments.
        duplicate_window: PATIENCE * 2,
        ..stream::Config::default()
    };
    let keys = kv::Config { bucket: name.clone(), history: 1, num_replicas: copies, ..kv::Config::default() };
    let objects =
        object_store::Config { bucket: name.clone(), num_replicas: copies, ..object_store::Config::default() };
    runtime.block_on(async {
        let stream = context.get_or_create_stream(leases).await.map_err(|e| NotMade::of(&e))?;
        let members = pull::Config {
            durable_name: Some(CONSUMER.into()),
            ack_wait: LEASE_WAIT,
            max_waiting: WAITING_MOST,
            max_ack_pending: OUT_MOST,
            ..pull::Config::default()
        };
        stream.get_or_create_consumer(CONSUMER, members).await.map_err(NotMade::failed)?;
        if context.get_key_value(&name).await.is_err() {
            context.create_key_value(keys).await.map_err(NotMade::failed)?;
        }
        if context.get_object_store(&name).await.is_err() {
            context.create_object_store(objects).await.map_err(NotMade::failed)?;
        }
        Ok(())
    })
}
