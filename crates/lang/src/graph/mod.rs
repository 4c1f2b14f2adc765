//! Property graphs: metamodel, random graphs and statements, patterns and typed expressions, printers for Cypher and
//! Gremlin, rewrites, shrinker. After GDBMeter (Kamm, Rigger, Zhang, Su, ISSTA 2023); see docs/gdbmeter.md.

pub mod ast;
pub mod check;
pub mod explore;
pub mod express;
pub mod features;
pub mod generate;
pub mod gremlin_predicates;
pub mod metamodel;
pub mod print;
pub mod probe;
pub mod rewrite;
pub mod shrink;
pub mod source;
pub mod state;
#[cfg(test)]
mod tests;
