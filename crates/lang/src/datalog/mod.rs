//! Datalog: one tree, one generator, printers for the dialects, and an evaluator that says what is right.

pub mod arithmetic;
pub mod ast;
pub mod check;
pub mod evaluate;
pub mod explore;
pub mod features;
pub mod finite;
pub mod generate;
pub mod ire;
pub mod parse;
pub mod print;
pub mod rules;
pub mod seeds;
pub mod shrink;
pub mod source;
pub mod spell;
pub mod stratify;
