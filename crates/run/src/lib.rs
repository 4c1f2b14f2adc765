//! What a hunt does: workers and their supervisors, triage, the store, reports, fleets.

#[macro_use]
extern crate qualm_host;

pub mod affected;
pub mod campaign;
pub mod feed;
pub mod figures;
pub mod fingerprint;
pub mod history;
pub mod isolated;
pub mod ladder;
pub mod peers;
pub mod progress;
pub mod recorder;
pub mod replay;
pub mod report;
pub mod series;
pub mod store;
pub mod supervisor;
#[cfg(test)]
mod testing;
pub mod triage;
pub mod watched;
pub mod worker;
