//! One folder per language: tree, generator, printer, shrinker. No engine is known here, only dialects (data).

pub mod sql;
