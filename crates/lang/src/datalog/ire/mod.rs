//! Incremental rule evaluation (Deopt): a program grows rule by rule, and each rule is also run alone, over facts that
//! the engine derived before. The parts: parameters, the order of evaluation, the procedure itself, facts carried from
//! answer to program, growing, exploring, and a case made from a source with the help of a session.

pub mod complete;
pub mod evaluation;
pub mod explore;
pub mod facts;
pub mod grow;
pub mod parameters;
pub mod schedule;
pub mod side_by_side;
#[cfg(test)]
mod tests;
