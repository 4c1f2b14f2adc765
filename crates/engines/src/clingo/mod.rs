//! clingo in process, for programs that have exactly one model: stratified ones.
//!
//! Each program gets a control object of its own. A line `% switch OPTION` in it is an option of that object. Grounding
//! cannot be interrupted: a program that grounds for ever is the parent's matter.

mod api;

use crate::ConnectError;
use crate::deadline::Deadline;
use crate::programs;
use crate::stored::is_release_number;
use api::{Api, Handle, Part, Symbol};
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::CLINGO;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};
use qualm_core::session::{Engine, Outcome, Session};
use qualm_core::value::{Rows, Value};
use qualm_core::version::by_number;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::ptr;
use std::time::Duration;

const LIBRARY: &str = "libclingo.so";
const SWITCH: &str = "% switch ";
const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);
/// Messages that clingo logs at most for one program.
const MESSAGES: u32 = 5;

struct Clingo {
    api: &'static Api,
}

/// `place` is a libclingo, the number of a release that `./x clingo` fetched, or nothing for the newest of these.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (path, next) = match place {
        None => {
            let next = "run './x clingo 5.8.2' to fetch one, or pass --engine clingo:PATH".to_owned();
            (newest().unwrap_or_else(|| releases_folder().join(LIBRARY)), next)
        }
        Some(number) if is_release_number(number) => {
            (releases_folder().join(number), format!("run './x clingo {number}' to fetch it"))
        }
        Some(path) => (PathBuf::from(path), "pass --engine clingo:PATH with the path of a libclingo.so".to_owned()),
    };
    let path = if path.is_dir() { path.join(LIBRARY) } else { path };
    match api::load(&path) {
        Ok(api) => Ok(Box::new(Clingo { api })),
        Err(why) => {
            Err(ConnectError::Unreachable(format!("cannot load clingo library '{}': {why}; {next}", path.display())))
        }
    }
}

/// Where `./x clingo VERSION` puts what it fetches: a folder for each release.
pub fn releases_folder() -> PathBuf {
    crate::cache_folder().join("clingo")
}

fn newest() -> Option<PathBuf> {
    let releases = std::fs::read_dir(releases_folder()).ok()?.flatten().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let whole = releases.filter(|path| is_release_number(&name(path)) && path.join(LIBRARY).exists());
    whole.max_by(|a, b| by_number(&name(a), &name(b)))
}

impl Engine for Clingo {
    fn version(&self) -> String {
        format!("clingo {}", self.api.release())
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(&CLINGO)
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(ClingoSession { api: self.api, deadline: Deadline::start()? }))
    }
}

struct ClingoSession {
    api: &'static Api,
    deadline: Deadline,
}

/// The relation that the program shows, and how many columns it has.
struct Shown<'a> {
    name: &'a str,
    arity: usize,
}

impl Session for ClingoSession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text).unwrap_or_else(|rejected| rejected)
    }

    fn plan(&mut self, _query: &str) -> Option<Plan> {
        None
    }

    /// Every program has a control object of its own.
    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }
}

impl ClingoSession {
    fn answer(&mut self, text: &str) -> Result<Outcome, Outcome> {
        let expected = |why: &str| Outcome::rejected(Expected, why);
        let shown = shown(text).ok_or_else(|| expected("the program does not show exactly one relation"))?;
        if let Some(why) = programs::clingo(text) {
            return Err(expected(&why));
        }
        let program = CString::new(text).map_err(|_| expected("a zero byte in the program"))?;
        let mut messages = String::new();
        let control = self.control(text, &mut messages)?;
        let (api, handle) = (self.api, control.handle as usize);
        // SAFETY: solving may be interrupted from any thread; the object lives until after `end`.
        self.deadline.begin(WORK_LIMIT, move || unsafe { (api.control_interrupt)(handle as Handle) });
        let solved = self.solve(&control, &program, &shown);
        let late = self.deadline.end();
        // The logger writes into `messages`, so it is read when nothing can log any more.
        drop(control);
        if late {
            return Err(Outcome::rejected(Limit, "time limit"));
        }
        solved.map(Outcome::Rows).map_err(|failure| match failure {
            Failure::Call(error) => {
                let words = if messages.is_empty() { error } else { format!("{error}: {}", messages.trim()) };
                Outcome::rejected(classify(&words), words)
            }
            Failure::Ours(class, why) => Outcome::rejected(class, why),
        })
    }

    fn control(&self, text: &str, messages: &mut String) -> Result<Control, Outcome> {
        let switches = text.lines().filter_map(|line| line.strip_prefix(SWITCH));
        let mut arguments: Vec<CString> = switches.filter_map(|word| CString::new(word.trim()).ok()).collect();
        // The second model is what shows that the program is not stratified.
        arguments.push(c"--models=2".to_owned());
        let pointers: Vec<*const c_char> = arguments.iter().map(|a| a.as_ptr()).collect();
        let mut handle = ptr::null_mut();
        let data = ptr::from_mut(messages).cast::<c_void>();
        // SAFETY: the arguments live through the call, `messages` as long as the control object.
        let made = unsafe {
            (self.api.control_new)(pointers.as_ptr(), pointers.len(), Some(log), data, MESSAGES, &mut handle)
        };
        if made {
            return Ok(Control { api: self.api, handle });
        }
        let words = self.api.error();
        Err(Outcome::rejected(classify(&words), words))
    }

    fn solve(&self, control: &Control, program: &CStr, shown: &Shown) -> Result<Rows, Failure> {
        let api = self.api;
        let checked = |ok: bool| if ok { Ok(()) } else { Err(Failure::Call(api.error())) };
        let part = Part { name: c"base".as_ptr(), params: ptr::null(), size: 0 };
        let mut solving = ptr::null_mut();
        // SAFETY: a live control object; texts and the part live through the calls, which copy them.
        unsafe {
            let add = (api.control_add)(control.handle, c"base".as_ptr(), ptr::null(), 0, program.as_ptr());
            checked(add)?;
            checked((api.control_ground)(control.handle, &part, 1, ptr::null(), ptr::null_mut()))?;
            let none = (ptr::null(), ptr::null_mut());
            checked((api.control_solve)(control.handle, api::YIELD, ptr::null(), 0, none.0, none.1, &mut solving))?;
        }
        let solving = Solving { api, handle: solving };
        let mut model = ptr::null_mut();
        // SAFETY: a live search; a model lives until the search goes on.
        unsafe {
            checked((api.solve_model)(solving.handle, &mut model))?;
            if model.is_null() {
                return Err(Failure::Ours(Internal, "a program without constraints has no model".into()));
            }
            let rows = read(api, model, shown)?;
            checked((api.solve_resume)(solving.handle))?;
            checked((api.solve_model)(solving.handle, &mut model))?;
            if !model.is_null() {
                return Err(Failure::Ours(Expected, "the program has more than one model".into()));
            }
            Ok(rows)
        }
    }
}

enum Failure {
    /// A call failed and clingo says why.
    Call(String),
    Ours(RejectionClass, String),
}

/// # Safety
/// `model` is a live model.
unsafe fn read(api: &Api, model: Handle, shown: &Shown) -> Result<Rows, Failure> {
    let failed = || Failure::Call(api.error());
    let mut count = 0;
    let mut rows = Rows::new(shown.arity.max(1));
    // SAFETY: a live model, and a buffer of exactly the size that was asked for.
    let symbols = unsafe {
        (api.model_symbols_size)(model, api::SHOWN, &mut count).then_some(()).ok_or_else(failed)?;
        let mut symbols: Vec<Symbol> = vec![0; count];
        let read = (api.model_symbols)(model, api::SHOWN, symbols.as_mut_ptr(), count);
        read.then_some(symbols).ok_or_else(failed)?
    };
    for symbol in symbols {
        // SAFETY: a symbol of the model; names and arguments live as long as it does.
        let (name, arguments) = unsafe {
            let (mut name, mut first, mut size) = (ptr::null(), ptr::null(), 0);
            let read = (api.symbol_name)(symbol, &mut name) && (api.symbol_arguments)(symbol, &mut first, &mut size);
            read.then_some(()).ok_or_else(failed)?;
            let arguments = if size == 0 { &[] } else { std::slice::from_raw_parts(first, size) };
            (CStr::from_ptr(name).to_string_lossy(), arguments)
        };
        if name != shown.name || arguments.len() != shown.arity {
            return Err(Failure::Ours(Internal, format!("the model shows '{name}/{}'", arguments.len())));
        }
        if arguments.is_empty() {
            // The empty tuple, for which there must be a cell.
            rows.cells.push(Value::Bool(true));
        }
        for argument in arguments {
            // SAFETY: as above.
            rows.cells.push(
                unsafe { cell(api, *argument) }.ok_or_else(|| {
                    Failure::Ours(Limit, "a term that is neither number nor text nor constant".into())
                })?,
            );
        }
    }
    Ok(rows)
}

/// # Safety
/// `symbol` is one of a live model.
unsafe fn cell(api: &Api, symbol: Symbol) -> Option<Value> {
    // SAFETY: each call is one that this type of symbol has.
    unsafe {
        match (api.symbol_type)(symbol) {
            api::NUMBER => {
                let mut number = 0;
                (api.symbol_number)(symbol, &mut number).then_some(Value::Int(number.into()))
            }
            api::STRING => {
                let mut text = ptr::null();
                let read = (api.symbol_string)(symbol, &mut text);
                read.then(|| Value::Text(CStr::from_ptr(text).to_string_lossy().into_owned()))
            }
            _ => None,
        }
    }
}

struct Control {
    api: &'static Api,
    handle: Handle,
}

impl Drop for Control {
    fn drop(&mut self) {
        // SAFETY: made by control_new, freed once.
        unsafe { (self.api.control_free)(self.handle) };
    }
}

struct Solving {
    api: &'static Api,
    handle: Handle,
}

impl Drop for Solving {
    fn drop(&mut self) {
        // SAFETY: given by control_solve, closed once, before its control object.
        unsafe { (self.api.solve_close)(self.handle) };
    }
}

/// # Safety
/// `message` ends with a zero byte, `data` is the string that was given to the control object.
unsafe extern "C" fn log(_code: c_int, message: *const c_char, data: *mut c_void) {
    // SAFETY: as said; nothing else touches the string while a call of clingo runs.
    unsafe {
        let messages = &mut *data.cast::<String>();
        messages.push_str(&CStr::from_ptr(message).to_string_lossy());
        messages.push('\n');
    }
}

/// From the one line `#show name/arity.`
fn shown(text: &str) -> Option<Shown<'_>> {
    let mut shows = text.lines().filter_map(|line| line.trim().strip_prefix("#show "));
    let (name, arity) = shows.next()?.trim_end_matches('.').split_once('/')?;
    let arity = arity.trim().parse().ok()?;
    shows.next().is_none().then_some(Shown { name: name.trim(), arity })
}

/// Words of clingo's errors that say more than that it does not take the program.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("bad_alloc", OutOfMemory),
    ("out of memory", OutOfMemory),
    ("Value too large", Limit),
    ("too many messages", Expected),
    ("unexpected EOF", Expected),
    ("syntax error", Expected),
    ("logic error", Internal),
    ("unexpected", Internal),
    ("assert", Internal),
];

fn classify(text: &str) -> RejectionClass {
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(Expected, |(_, class)| *class)
}
