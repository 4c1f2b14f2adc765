//! Datalog: one tree, one generator, printers for the dialects, an evaluator that says what is right.

pub mod arithmetic;
pub mod ast;
pub mod check;
pub mod evaluate;
pub mod generate;
pub mod print;
pub mod rules;
pub mod stratify;
