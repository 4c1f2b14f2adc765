//! Dialects: plain data that says what an engine's language can do. The languages read them, the engines provide them.

pub mod datalog;
pub mod graph;
pub mod sql;
