//! This machine: child processes, scratch folders, signals, the console. Knows neither engines nor languages.

// First, because what it defines with macro_rules is known only to what follows.
#[macro_use]
pub mod console;
pub mod death;
pub mod interrupt;
pub mod pipes;
pub mod process;
pub mod scratch;
pub mod starved;
