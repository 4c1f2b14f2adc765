//! Why a command cannot go on, with the exit code that says so to other programs.

use serde::{Deserialize, Serialize};
use std::fmt;

pub const EXIT_CLEAN: u8 = 0;
pub const EXIT_FINDINGS: u8 = 1;
pub const EXIT_USAGE: u8 = 2;
pub const EXIT_UNREACHABLE: u8 = 3;
pub const EXIT_OWN_FAULT: u8 = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub code: u8,
    pub text: String,
}

impl Fault {
    /// The user asked for something that cannot be.
    pub fn usage(text: impl Into<String>) -> Fault {
        Fault { code: EXIT_USAGE, text: text.into() }
    }

    /// The engine cannot be reached.
    pub fn unreachable(text: impl Into<String>) -> Fault {
        Fault { code: EXIT_UNREACHABLE, text: text.into() }
    }

    /// A defect of this tool, or of the machine it runs on.
    pub fn own(text: impl Into<String>) -> Fault {
        Fault { code: EXIT_OWN_FAULT, text: text.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
