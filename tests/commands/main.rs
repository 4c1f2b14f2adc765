//! Commands as a user runs them: arguments, files, signals, outputs and exit codes. Programs are linked one by one, so
//! these tests are one; those that need servers of engines, or time for themselves, are programs of their own.

#[path = "../support/mod.rs"]
mod support;

mod bench_bugs;
mod check;
mod chores;
mod cli;
mod coverage;
mod edges;
mod hostile;
mod ladder;
mod outputs;
mod places;
mod seeds_and_rules;
mod serve;
mod team;
