//! The commands of a fleet in a program that was built without it: they say what to do.

use super::args::{Access, Fleet, Join, Server};
use qualm_core::fault::Fault;
use qualm_host::process::Scratch;
use qualm_run::campaign::Campaign;
use qualm_run::figures::Summary;
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use std::path::PathBuf;
use std::sync::Arc;

/// Never made here.
pub struct Folders {
    pub folders: Vec<PathBuf>,
}

impl Folders {
    pub fn follow(self) -> Option<Scratch> {
        None
    }
}

fn absent<T>() -> Result<T, Fault> {
    Err(Fault::usage("this qualm was built without fleets; build it with 'cargo build --release --features fleet'"))
}

pub fn hunt(
    _: &Server,
    _: &str,
    _: &Campaign,
    _: &Arc<Store>,
    _: Arc<Scratch>,
    _: &mut Progress,
) -> Result<Summary, Fault> {
    absent()
}

pub fn worker(_: &Join) -> Result<u8, Fault> {
    absent()
}

pub fn is_there(_: &Server, _: &str) -> Result<bool, Fault> {
    absent()
}

pub fn fleet(_: &Fleet) -> Result<u8, Fault> {
    absent()
}

pub fn folders(given: &[PathBuf], _: &Access) -> Result<Folders, Fault> {
    match given.iter().any(|f| super::args::is_address(f)) {
        true => absent(),
        false => Ok(Folders { folders: given.to_vec() }),
    }
}
