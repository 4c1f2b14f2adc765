//! µZ, the Datalog engine of Z3: a libz3 in process, or a z3 program of any release.
//!
//! It reads two languages. The form of bddbddb is read by the program only, up to 4.13.2 (later releases cannot parse
//! it), and goes through code that rules do not; rules in SMT-LIB2 are read by every release, in process too. The
//! release decides which one is taken, unless the place ends with `,datalog` or `,smt2`.

mod answer;
mod api;
mod binary;
mod bundle;
mod library;

use crate::ConnectError;
use crate::once::OnceSession;
use crate::stored::is_release_number;
use api::Api;
use binary::{BinarySession, Form};
use library::LibrarySession;
use qualm_core::dialect::Spoken;
use qualm_core::dialect::datalog::{Z3_DATALOG, Z3_DATALOG_INTERNED, Z3_SMT2};
use qualm_core::session::{Engine, Session};
use qualm_core::version::by_number;
use std::path::{Path, PathBuf};

const LIBRARY: &str = "libz3.so";
const PROGRAM: &str = "z3";

type Release = (u32, u32, u32);

/// The last release that can parse the form of bddbddb.
const LAST_DATALOG: Release = (4, 13, 2);
/// The last release in which the numbers of that form are names.
const LAST_INTERNED: Release = (4, 8, 9);
/// These write lines of their own to standard output, which in process is ours.
const CHATTY: (Release, Release) = ((4, 12, 0), (4, 12, 1));

enum How {
    Library(&'static Api),
    Program(PathBuf, Form),
}

struct Z3 {
    how: How,
    release: Release,
    build: String,
}

/// `place` is a libz3 or a z3 program, a folder with them, the number of a release that `./x z3` fetched, or nothing
/// for the newest of these; behind a comma the form can be said.
pub fn connect(place: Option<&str>) -> Result<Box<dyn Engine>, ConnectError> {
    let (place, form) = match place.map(|p| (p, p.rsplit_once(','))) {
        Some((_, Some((rest, form)))) => (Some(rest).filter(|r| !r.is_empty()), Some(form)),
        Some((whole, None)) => (Some(whole), None),
        None => (None, None),
    };
    let datalog = match form {
        None => None,
        Some("datalog") => Some(true),
        Some("smt2") => Some(false),
        Some(other) => {
            return Err(ConnectError::Usage(format!("unknown form '{other}' of z3; known forms: datalog, smt2")));
        }
    };
    let (path, next) = match place {
        None => {
            let next = "run './x z3 5.4.0' to fetch one, or pass --engine z3:PATH".to_owned();
            (newest().unwrap_or_else(|| releases_folder().join(LIBRARY)), next)
        }
        Some(number) if is_release_number(number) => {
            (releases_folder().join(number), format!("run './x z3 {number}' to fetch it"))
        }
        Some(path) => (PathBuf::from(path), "pass --engine z3:PATH with the path of a libz3.so or a z3".to_owned()),
    };
    match open(&path, datalog) {
        Ok(engine) => Ok(Box::new(engine)),
        Err(why) => Err(ConnectError::Unreachable(format!("cannot use z3 '{}': {why}; {next}", path.display()))),
    }
}

fn open(path: &Path, datalog: Option<bool>) -> Result<Z3, String> {
    if path.is_dir() {
        let (library, program) = (path.join(LIBRARY), path.join(PROGRAM));
        if datalog != Some(false) && program.exists() {
            let engine = open_program(&program, datalog)?;
            if matches!(engine.how, How::Program(_, Form::Datalog { .. })) || !library.exists() {
                return Ok(engine);
            }
        }
        return open_library(&library);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match (name.contains("libz3") || name.contains(".so"), datalog) {
        (true, Some(true)) => Err("a library does not read the form of bddbddb".into()),
        (true, _) => open_library(path),
        (false, _) => open_program(path, datalog),
    }
}

fn open_library(path: &Path) -> Result<Z3, String> {
    let api = api::load(path)?;
    let release = api.version();
    if (CHATTY.0..=CHATTY.1).contains(&release) {
        return Err("this release writes to standard output on its own; use its program".into());
    }
    library::prepare(api);
    Ok(Z3 { how: How::Library(api), release, build: format!("library, {}", api.full_version()) })
}

fn open_program(path: &Path, datalog: Option<bool>) -> Result<Z3, String> {
    if !path.exists() {
        return Err("no such file".into());
    }
    let (release, said) = binary::version(path)?;
    let form = if datalog.unwrap_or(release <= LAST_DATALOG) {
        Form::Datalog { interned: release <= LAST_INTERNED }
    } else {
        Form::Rules
    };
    Ok(Z3 { how: How::Program(path.to_owned(), form), release, build: format!("program, {said}") })
}

/// Where `./x z3 VERSION` puts what it fetches: a folder for each release.
pub fn releases_folder() -> PathBuf {
    crate::cache_folder().join("z3")
}

fn newest() -> Option<PathBuf> {
    let releases = std::fs::read_dir(releases_folder()).ok()?.flatten().map(|entry| entry.path());
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let whole = releases.filter(|path| is_release_number(&name(path)) && path.join(LIBRARY).exists());
    whole.max_by(|a, b| by_number(&name(a), &name(b)))
}

impl Engine for Z3 {
    fn version(&self) -> String {
        let (major, minor, patch) = self.release;
        format!("z3 {major}.{minor}.{patch}")
    }

    fn build(&self) -> String {
        self.build.clone()
    }

    fn spoken(&self) -> Spoken {
        Spoken::Datalog(match self.how {
            How::Library(_) | How::Program(_, Form::Rules) => &Z3_SMT2,
            How::Program(_, Form::Datalog { interned: true }) => &Z3_DATALOG_INTERNED,
            How::Program(_, Form::Datalog { interned: false }) => &Z3_DATALOG,
        })
    }

    fn open(&self) -> Result<Box<dyn Session>, String> {
        Ok(match &self.how {
            How::Library(api) => Box::new(LibrarySession::open(api)?),
            How::Program(path, form) => Box::new(OnceSession::new(BinarySession::new(path.clone(), *form))),
        })
    }
}
