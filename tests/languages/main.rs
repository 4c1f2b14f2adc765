//! Languages and oracles by themselves: what is printed is read back, rules and reductions keep their meaning, the
//! judge does what its definition says. Programs are linked one by one, so these tests are one.

mod config;
mod new_oracle;
mod parse;
mod properties;
mod reducer;
mod round_trip;
mod rules;
