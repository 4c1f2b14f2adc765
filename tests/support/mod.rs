//! What several test programs need: the program as a process, sessions of engines, and patience that ends. Each test
//! program is built with all of it and uses a part.
#![allow(dead_code)]

pub mod program;
pub mod sessions;
