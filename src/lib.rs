//! qualm finds the queries that a database answers wrongly. Start at docs/architecture.md.

#[macro_use]
extern crate qualm_host;

pub use qualm_core::{
    case, comparison, counters, dialect, escape, explore, fault, files, knobs, known, limits, outside, plan, relation,
    rng, session, slowness, spec, value, version, words,
};
pub use qualm_engines as engine;
pub use qualm_host::{console, death, interrupt, process, scratch};
pub use qualm_lang as lang;
pub use qualm_lang::{oracle, reduce};
pub use qualm_run::{
    affected, campaign, feed, figures, fingerprint, isolated, ladder, peers, progress, recorder, replay, report,
    series, store, supervisor, triage, worker,
};

pub mod adapt;
pub mod adapter;
pub mod bench;
pub mod bench_bugs;
mod bench_compare;
mod bench_coverage;
mod bench_functions;
mod bench_limit;
mod bench_paper;
mod bench_reach;
pub mod bench_suite;
pub mod campaign_file;
pub mod check;
pub mod ci;
pub mod cli;
pub mod demo;
pub mod fleet;
pub mod history;
pub mod hunt;
pub mod machine;
pub mod nightly;
pub mod outputs;
pub mod rules;
pub mod serve;
pub mod show_dialect;
pub mod show_knobs;
pub mod usage;
