//! The waist: plain data that every layer knows, and what is decided about it. No syntax tree, no connection.

pub mod case;
pub mod comparison;
pub mod counters;
pub mod coverage;
pub mod dialect;
pub mod escape;
pub mod explore;
pub mod fault;
pub mod files;
pub mod knobs;
pub mod known;
pub mod language;
pub mod limits;
pub mod outside;
pub mod plan;
pub mod reduce;
pub mod relation;
pub mod rng;
pub mod session;
pub mod slowness;
pub mod spec;
pub mod value;
pub mod vary;
pub mod version;
pub mod words;
pub mod yields;
