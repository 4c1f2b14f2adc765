//! qualm finds the queries that a database answers wrongly. Start at docs/architecture.md.

pub mod case;
pub mod dialect;
pub mod engine;
pub mod explore;
pub mod fingerprint;
pub mod lang;
pub mod oracle;
pub mod plan;
pub mod reduce;
pub mod relation;
pub mod report;
pub mod rng;
pub mod session;
pub mod value;
