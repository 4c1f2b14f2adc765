//! µZ in process: a program of rules becomes one fixed-point object in a context of its own.
//!
//! A shared context would run three times as many programs, but what it has seen before decides the order of rules and
//! joins in it, and with that whether a bug shows: 5.4.0 answers one program rightly and wrongly by turns. In a fresh
//! context a program answers as it does when a person gives it to the z3 program.

use super::answer::{self, Shape};
use super::api::{Api, Handle};
use crate::deadline::Deadline;
use crate::programs;
use qualm_core::limits::STATEMENT_TIMEOUT_MS;
use qualm_core::plan::Plan;
use qualm_core::session::{Outcome, RejectionClass, Session};
use qualm_core::value::Rows;
use std::ffi::{CStr, CString, c_char};
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::ptr;
use std::time::Duration;

/// A program that runs longer is interrupted, which is no finding. Half of what counts as a hang.
const WORK_LIMIT: Duration = Duration::from_millis(STATEMENT_TIMEOUT_MS / 2);

/// Megabytes, well below what kills the process.
const MEMORY_LIMIT: &CStr = c"1024";

const NO_MEMORY: &str = "Z3 has no memory left in this process";

/// What a query can answer.
const TRUE: i32 = 1;
const FALSE: i32 = -1;

pub struct LibrarySession {
    api: &'static Api,
    /// Of the running program.
    context: Handle,
    deadline: Deadline,
    /// Z3 writes its parser's complaints only to a stream, which is this file. (Standard output is not ours to give.)
    complaints: File,
    /// What Z3 held when its memory ran out is never given back, so that after some such programs it makes no context
    /// any more and takes nothing.
    exhausted: Option<&'static str>,
}

/// Settings of the library as a whole, before its first context.
pub fn prepare(api: &Api) {
    // SAFETY: plain calls with constant strings.
    unsafe {
        (api.toggle_warnings)(false);
        (api.global_param_set)(c"memory_max_size".as_ptr(), MEMORY_LIMIT.as_ptr());
    }
}

impl LibrarySession {
    pub fn open(api: &'static Api) -> Result<LibrarySession, String> {
        let complaints = nameless_file().map_err(|e| format!("cannot make a temporary file: {e}"))?;
        let deadline = Deadline::start()?;
        Ok(LibrarySession { api, context: ptr::null_mut(), deadline, complaints, exhausted: None })
    }

    fn fresh_context(&mut self) -> Result<(), String> {
        self.drop_context();
        // SAFETY: the configuration is used once and deleted; without a handler errors are codes, not exits.
        unsafe {
            let config = (self.api.mk_config)();
            self.context = (self.api.mk_context)(config);
            (self.api.del_config)(config);
            if self.context.is_null() {
                return Err("Z3 makes no context".into());
            }
            (self.api.set_error_handler)(self.context, ptr::null());
        }
        Ok(())
    }

    fn drop_context(&mut self) {
        if !self.context.is_null() {
            // SAFETY: made by mk_context, and everything in it was released by its scope.
            unsafe { (self.api.del_context)(self.context) };
            self.context = ptr::null_mut();
        }
    }

    fn answer(&mut self, text: &str) -> Outcome {
        if let Err(why) = self.fresh_context() {
            self.exhausted = Some(NO_MEMORY);
            return Outcome::rejected(RejectionClass::Limit, why);
        }
        if let Some(why) = programs::z3_rules(text) {
            return Outcome::rejected(RejectionClass::Expected, why);
        }
        let (options, rules) = match take_options(text) {
            Ok(parts) => parts,
            Err(why) => return Outcome::rejected(RejectionClass::Expected, why),
        };
        let Some(shape) = Shape::of_rules(&rules) else {
            return Outcome::rejected(RejectionClass::Expected, "the program has no query of a declared relation");
        };
        let (api, context) = (self.api, self.context as usize);
        // SAFETY: Z3 may be interrupted from any thread; the context lives until after `end`.
        self.deadline.begin(WORK_LIMIT, move || unsafe { (api.interrupt)(context as Handle) });
        let outcome = self.fixedpoint(&options, &rules, shape);
        if let Outcome::Rejected(rejection) = &outcome
            && answer::is_out_of_memory(&rejection.text)
        {
            self.exhausted = Some(NO_MEMORY);
        }
        if self.deadline.end() {
            return Outcome::rejected(RejectionClass::Limit, "time limit");
        }
        outcome
    }

    fn fixedpoint(&mut self, options: &[(String, String)], rules: &str, shape: Shape) -> Outcome {
        let (api, context) = (self.api, self.context);
        // SAFETY: a live context; each object is released by its scope.
        let fixedpoint = unsafe {
            let handle = (api.mk_fixedpoint)(context);
            (api.fixedpoint_inc_ref)(context, handle);
            Held { context, handle, release: api.fixedpoint_dec_ref }
        };
        if let Err(outcome) = self.set_options(&fixedpoint, options).and_then(|()| self.check()) {
            return outcome;
        }
        // A complaint comes with the line of the program, so what leads it to our file is on the first one.
        let channel = format!("(set-option :regular-output-channel \"/dev/fd/{}\")", self.complaints.as_raw_fd());
        let Ok(text) = CString::new(channel + rules) else {
            return Outcome::rejected(RejectionClass::Expected, "a zero byte in the program");
        };
        let _ = self.complaints.set_len(0);
        // SAFETY: a live object and a text that outlives the call.
        let queries = unsafe { (api.fixedpoint_from_string)(context, fixedpoint.handle, text.as_ptr()) };
        if let Err(outcome) = self.check() {
            return outcome;
        }
        // SAFETY: given by the call above, which succeeded.
        let queries = unsafe {
            (api.vector_inc_ref)(context, queries);
            Held { context, handle: queries, release: api.vector_dec_ref }
        };
        // SAFETY: a live vector.
        if unsafe { (api.vector_size)(context, queries.handle) } != 1 {
            return Outcome::rejected(RejectionClass::Expected, "the program must have one query");
        }
        // SAFETY: the vector has an element, which is an application of the relation and lives as long as the vector.
        let verdict = unsafe {
            let relation = (api.get_app_decl)(context, (api.vector_get)(context, queries.handle, 0));
            (api.fixedpoint_query_relations)(context, fixedpoint.handle, 1, &relation)
        };
        if let Err(outcome) = self.check() {
            return outcome;
        }
        self.read(&fixedpoint, verdict, shape)
    }

    fn read(&self, fixedpoint: &Held, verdict: i32, shape: Shape) -> Outcome {
        let (api, context) = (self.api, self.context);
        match verdict {
            FALSE => Outcome::Rows(Rows::new(shape.arity.max(1))),
            TRUE => {
                // SAFETY: the query succeeded, so there is an answer; its text is copied before the next call.
                let text = unsafe {
                    let formula = (api.fixedpoint_get_answer)(context, fixedpoint.handle);
                    copied((api.ast_to_string)(context, formula))
                };
                match self.check().map(|()| answer::of_formula(&text, shape)) {
                    Ok(Ok(rows)) => Outcome::Rows(rows),
                    Ok(Err(why)) => Outcome::rejected(RejectionClass::Limit, why),
                    Err(outcome) => outcome,
                }
            }
            _ => {
                // SAFETY: a live object; the text is copied at once.
                let why = unsafe { copied((api.fixedpoint_get_reason_unknown)(context, fixedpoint.handle)) };
                let class = match answer::classify(&why) {
                    RejectionClass::Expected => RejectionClass::Limit,
                    class => class,
                };
                Outcome::rejected(class, format!("unknown: {why}"))
            }
        }
    }

    fn set_options(&self, fixedpoint: &Held, options: &[(String, String)]) -> Result<(), Outcome> {
        let (api, context) = (self.api, self.context);
        // SAFETY: a live context.
        let params = unsafe {
            let handle = (api.mk_params)(context);
            (api.params_inc_ref)(context, handle);
            Held { context, handle, release: api.params_dec_ref }
        };
        for (name, value) in options {
            let (Ok(name), Ok(word)) = (CString::new(name.as_str()), CString::new(value.as_str())) else { continue };
            // SAFETY: live objects and texts that outlive the calls, which copy them.
            unsafe {
                let name = (api.mk_symbol)(context, name.as_ptr());
                match (value.parse::<bool>(), value.parse::<u32>()) {
                    (Ok(truth), _) => (api.params_set_bool)(context, params.handle, name, truth),
                    (_, Ok(number)) => (api.params_set_uint)(context, params.handle, name, number),
                    _ => {
                        let symbol = (api.mk_symbol)(context, word.as_ptr());
                        (api.params_set_symbol)(context, params.handle, name, symbol);
                    }
                }
            }
        }
        // SAFETY: live objects.
        unsafe { (api.fixedpoint_set_params)(context, fixedpoint.handle, params.handle) };
        self.check()
    }

    /// What the last call said, if it was no success.
    fn check(&self) -> Result<(), Outcome> {
        // SAFETY: a live context; the text is copied at once.
        let (code, text) = unsafe {
            match (self.api.get_error_code)(self.context) {
                0 => return Ok(()),
                code => (code, copied((self.api.get_error_msg)(self.context, code))),
            }
        };
        let complaint = self.complaint();
        let text = if complaint.is_empty() { format!("{} (code {code})", answer::shortened(&text)) } else { complaint };
        Err(Outcome::rejected(answer::classify(&text), text))
    }

    fn complaint(&self) -> String {
        let mut file = &self.complaints;
        let mut text = String::new();
        let read = file.rewind().and_then(|()| file.read_to_string(&mut text));
        let _ = read.and_then(|_| self.complaints.set_len(0)).and_then(|()| file.rewind());
        answer::shortened(&text)
    }
}

impl Session for LibrarySession {
    fn run(&mut self, text: &str) -> Outcome {
        self.answer(text)
    }

    fn plan(&mut self, _query: &str) -> Option<Plan> {
        None
    }

    /// Every program is a database of its own, so there is nothing to throw away.
    fn reset(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn exhausted(&self) -> Option<&str> {
        self.exhausted
    }
}

impl Drop for LibrarySession {
    fn drop(&mut self) {
        self.drop_context();
    }
}

/// An object of Z3's that is released with its scope.
struct Held {
    context: Handle,
    handle: Handle,
    release: unsafe extern "C" fn(Handle, Handle),
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: taken once when it was made; the context outlives it.
        unsafe { (self.release)(self.context, self.handle) };
    }
}

/// The options of the module `fp`, and the program with a blank line for each. As settings of one object they are gone
/// with the program; as statements they would be there for all programs after it.
fn take_options(text: &str) -> Result<(Vec<(String, String)>, String), String> {
    let mut options = Vec::new();
    let mut rules = String::with_capacity(text.len());
    for line in text.lines() {
        let option = line.trim().strip_prefix("(set-option :fp.").and_then(|rest| rest.strip_suffix(')'));
        match option.and_then(|option| option.split_once(' ')) {
            Some((name, value)) => options.push((name.to_owned(), value.trim().to_owned())),
            None if line.contains("(set-option") => {
                return Err(format!("only options of 'fp', each on a line of its own, are taken here, not '{line}'"));
            }
            None => rules.push_str(line),
        }
        rules.push('\n');
    }
    Ok((options, rules))
}

/// # Safety
/// `text` is null or a string that ends with a zero byte.
unsafe fn copied(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as the caller says.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

fn nameless_file() -> std::io::Result<File> {
    let scratch = qualm_host::process::Scratch::create()?;
    // Open files outlive their names, and the folder goes away with `scratch`.
    File::options().read(true).write(true).create_new(true).open(scratch.path().join("complaints"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a program holds when Z3's memory runs out stays, and after some of them Z3 makes no context any more. This
    /// release is not used by other tests of this process, because its limit is lowered here.
    #[test]
    fn a_z3_without_memory_says_that_it_can_do_no_more() {
        let path = crate::z3::releases_folder().join("4.13.3").join("libz3.so");
        let api = crate::z3::api::load(&path).unwrap_or_else(|why| panic!("'./x z3 4.13.3' fetches it: {why}"));
        prepare(api);
        // SAFETY: constant strings.
        unsafe { (api.global_param_set)(c"memory_max_size".as_ptr(), c"64".as_ptr()) };
        let mut session = LibrarySession::open(api).unwrap();
        let program = |values: u32| {
            let facts: String = (0..values).map(|i| format!("(rule (n (_ bv{i} 6)))\n")).collect();
            format!(
                "(set-option :fp.engine datalog)\n(define-sort Z () (_ BitVec 6))\n(declare-rel n (Z))\n\
                 (declare-rel p (Z Z Z Z))\n(declare-var a Z)\n(declare-var b Z)\n(declare-var c Z)\n\
                 (declare-var d Z)\n{facts}(rule (=> (and (n a) (n b) (n c) (n d)) (p a b c d)))\n\
                 (query p :print-answer true)\n"
            )
        };
        assert!(matches!(session.run(&program(2)), Outcome::Rows(rows) if rows.len() == 16));
        assert_eq!(session.exhausted(), None);
        for _ in 0..100 {
            assert!(!session.run(&program(30)).is_ok(), "a million tuples in 64 MB");
            if session.exhausted().is_some() {
                return;
            }
        }
        panic!("its memory did not run out");
    }
}
