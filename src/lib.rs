//! qualm finds the queries that a database answers wrongly. Start at docs/architecture.md.

// First, because what it defines with macro_rules is known only to what follows.
#[macro_use]
pub mod console;

pub mod affected;
pub mod bench;
pub mod bench_bugs;
pub mod campaign;
pub mod campaign_file;
pub mod case;
pub mod check;
pub mod ci;
pub mod cli;
pub mod comparison;
pub mod datalog_dialect;
pub mod demo;
pub mod dialect;
pub mod engine;
pub mod escape;
pub mod explore;
pub mod fault;
pub mod feed;
pub mod fellows;
pub mod figures;
pub mod fingerprint;
pub mod fleet;
pub mod graph_dialect;
pub mod hunt;
pub mod interrupt;
pub mod isolated;
pub mod keeper;
pub mod knobs;
pub mod known;
pub mod ladder;
pub mod lang;
pub mod limits;
pub mod oracle;
pub mod outputs;
pub mod plan;
pub mod process;
pub mod progress;
pub mod recorder;
pub mod reduce;
pub mod relation;
pub mod replay;
pub mod report;
pub mod rng;
pub mod rules;
pub mod series;
pub mod serve;
pub mod session;
pub mod slowness;
pub mod store;
pub mod triage;
pub mod value;
pub mod worker;
