//! SQL: one tree and one generator for every engine; what an engine can do is data (`dialect.rs`).

pub mod ast;
pub mod check;
pub mod determined;
pub mod explore;
pub mod express;
pub mod features;
mod functions;
pub mod generate;
pub mod large;
pub mod order;
pub mod parse;
pub mod perf;
pub mod pool;
pub mod print;
pub mod profile;
mod queries;
pub mod rules;
pub mod rules_check;
pub mod rules_file;
pub mod schema;
pub mod seeds;
pub mod shrink;
pub mod state;
pub mod strict;
pub mod traits;
pub mod typing;
pub mod walk;
