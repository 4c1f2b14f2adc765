//! The protocol of docs/adapter.md for an engine that is a Rust library. An engine implements [`Database`] and calls
//! [`serve`]; `src/bin/gluesql.rs` does. Nothing here knows an engine.
//!
//! A statement cannot be cancelled from outside. When one takes too long the program starts itself again; the database
//! is gone then, and everything until the next `open` is answered with a limit as well.

use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::io::{BufRead, Write};
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// An empty database, and what can be done in it. It is dropped when the next one is opened.
pub trait Database {
    /// Runs one statement. The error is the text that the engine gave.
    fn run(&mut self, text: &str) -> Result<Answer, String>;

    /// The plan of a query as lines of text, indented by depth, where the engine has such a thing.
    fn plan(&mut self, _query: &str) -> Option<Vec<String>> {
        None
    }
}

pub enum Answer {
    Done,
    Rows { columns: usize, rows: Vec<Vec<Json>> },
}

/// What the program says about its engine.
pub struct Hello {
    pub name: &'static str,
    pub version: &'static str,
    /// EXPLAIN of a change does not run it.
    pub plans_only: bool,
}

/// A float as the protocol has it: whole ones keep their point, and what JSON cannot say is text.
pub fn real(value: f64) -> Json {
    if value.is_nan() {
        json!({"real": "NaN"})
    } else if value.is_infinite() {
        json!({"real": if value > 0.0 { "Inf" } else { "-Inf" }})
    } else {
        json!({"real": format!("{value:?}")})
    }
}

/// An integer, which may be wider than 64 bits.
pub fn integer(value: i128) -> Json {
    match (i64::try_from(value), u64::try_from(value)) {
        (Ok(value), _) => value.into(),
        (_, Ok(value)) => value.into(),
        _ => json!({"decimal": value.to_string()}),
    }
}

pub fn blob(bytes: &[u8]) -> Json {
    json!({"blob": bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>()})
}

thread_local! {
    /// What the last panic said, and where.
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What the watch has to know of the request that is being answered.
#[derive(Default)]
struct Running {
    until: Option<Instant>,
    /// Replies that are still to come.
    owed: usize,
}

/// How a process tells the one that takes its place that the database is gone.
const AGAIN: &str = "QUALM_ADAPTER_AGAIN";
const GONE: &str = "the statement took too long, and the engine was ended";
const WATCH: Duration = Duration::from_millis(50);

/// Answers requests until the input ends. `--dialect NAME|FILE` on the command line is passed on; without it qualm
/// probes the engine.
pub fn serve<D: Database>(hello: &Hello, open: impl Fn() -> Result<D, String>) {
    // The place of a panic is known to the hook alone.
    std::panic::set_hook(Box::new(|info| PANIC.with(|text| *text.borrow_mut() = info.to_string())));
    let running = Arc::new(Mutex::new(Running::default()));
    let watched = Arc::clone(&running);
    std::thread::spawn(move || watch(&watched));
    let mut gone = std::env::var_os(AGAIN).is_some();
    let mut database: Option<D> = None;
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        let Ok(request) = serde_json::from_str::<Json>(&line) else {
            say(&error("this is not JSON"));
            continue;
        };
        let texts = request["texts"].as_array().cloned().unwrap_or_else(|| vec![request["text"].clone()]);
        gone = gone && request["do"] != "open";
        if gone {
            texts.iter().for_each(|_| say(&limit()));
            continue;
        }
        match request["do"].as_str().unwrap_or_default() {
            "hello" => say(&introduce(hello)),
            "open" => {
                // The old one first: an engine may lock its place.
                database = None;
                let opened = guarded(&open);
                say(&opened.map(|new| database = Some(new)).map_or_else(|e| e, |()| json!({"done": true})));
            }
            what @ ("run" | "plan") => {
                let limit_ms = request["limit_ms"].as_u64().unwrap_or(u64::from(u32::MAX));
                for (i, text) in texts.iter().enumerate() {
                    let until = Some(Instant::now() + Duration::from_millis(limit_ms));
                    *running.lock().expect("nobody panics here") = Running { until, owed: texts.len() - i };
                    let text = text.as_str().unwrap_or_default();
                    let said = match what {
                        "run" => reply(database.as_mut(), |d| d.run(text), shown),
                        _ => reply(database.as_mut(), |d| Ok(d.plan(text)), |lines| plan(lines.unwrap_or_default())),
                    };
                    // From here on the watch has nothing to say.
                    running.lock().expect("nobody panics here").until = None;
                    say(&said);
                }
            }
            "close" => return,
            other => say(&error(&format!("unknown request '{other}'"))),
        }
    }
}

/// Ends a statement that takes too long, together with everything else in this process.
fn watch(running: &Mutex<Running>) {
    loop {
        std::thread::sleep(WATCH);
        // It is never given back once it has struck: nobody else may reply.
        let running = running.lock().expect("nobody panics here");
        if running.until.is_some_and(|until| Instant::now() > until) {
            (0..running.owed).for_each(|_| say(&limit()));
            let program = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
            let error = Command::new(program).args(std::env::args_os().skip(1)).env(AGAIN, "1").exec();
            eprintln!("cannot start again: {error}");
            std::process::abort();
        }
    }
}

fn limit() -> Json {
    json!({"error": GONE, "class": "limit"})
}

fn introduce(hello: &Hello) -> Json {
    let mut said = json!({"protocol": 1, "name": hello.name, "version": hello.version, "language": "sql",
                          "plans_only": hello.plans_only, "batch": true});
    let mut arguments = std::env::args().skip_while(|argument| argument != "--dialect");
    if let (Some(_), Some(dialect)) = (arguments.next(), arguments.next()) {
        said["dialect"] = dialect.into();
    }
    said
}

fn error(text: &str) -> Json {
    json!({"error": text})
}

/// A panic is a bug of the engine, whatever it says; the database that it leaves behind is used again.
fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, Json> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|text| error(&text)),
        Err(_) => Err(json!({"error": PANIC.with(|text| text.take()), "class": "internal"})),
    }
}

fn reply<D, T>(
    database: Option<&mut D>,
    work: impl FnOnce(&mut D) -> Result<T, String>,
    show: impl FnOnce(T) -> Json,
) -> Json {
    let Some(database) = database else { return error("no database is open") };
    guarded(|| work(database)).map_or_else(|e| e, show)
}

fn shown(answer: Answer) -> Json {
    match answer {
        Answer::Done => json!({"done": true}),
        Answer::Rows { columns, rows } => json!({"columns": columns, "rows": rows}),
    }
}

/// The first words of each line are an operator; names and numbers are left out.
fn plan(lines: Vec<String>) -> Json {
    let operator = |line: &str| {
        let words = line.split(|c: char| !c.is_alphabetic() && c != '_' && c != ' ').next().unwrap_or_default();
        words.trim().to_owned()
    };
    let nodes = lines.iter().map(|line| (line.len() - line.trim_start().len(), operator(line.trim_start())));
    let nodes: Vec<Json> = nodes
        .filter(|(_, name)| !name.is_empty())
        .map(|(indent, name)| json!({"depth": indent / 2, "operator": name}))
        .collect();
    json!({"plan": nodes})
}

fn say(reply: &Json) {
    // Each by itself and at once: what was answered before the engine ends this process has been said.
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{reply}").and_then(|()| out.flush());
}
