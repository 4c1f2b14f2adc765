//! SQL: one tree and one generator for every engine; what an engine can do is data (`dialect.rs`).

pub mod ast;
pub mod print;
pub mod typing;
