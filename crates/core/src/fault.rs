//! Why a command cannot go on, with the exit code that says so to other programs.

use crate::limits::{ERROR_LINE_CHARS, ERROR_LINES};
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
        f.write_str(&shortened(&self.text))
    }
}

/// At most a few lines, none of them longer than a few lines of a terminal. Errors quote what they are about, and that
/// may be anything; what is wrong with it comes last, so that the middle is left out.
pub fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = lines.iter().take(ERROR_LINES).map(|line| shortened_line(line)).collect();
    if lines.len() > ERROR_LINES {
        shown.push(format!("(and {} more lines)", lines.len() - ERROR_LINES));
    }
    shown.join("\n")
}

fn shortened_line(line: &str) -> String {
    let length = line.chars().count();
    if length <= ERROR_LINE_CHARS {
        return line.to_owned();
    }
    let kept = ERROR_LINE_CHARS / 2;
    let (head, tail): (String, String) =
        (line.chars().take(kept).collect(), line.chars().skip(length - kept).collect());
    format!("{head} … ({} characters left out) … {tail}", length - 2 * kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_errors_lose_their_middle() {
        assert_eq!(shortened("short\nerror"), "short\nerror");
        let long = format!("pattern '{}' of rule 'x': no column 'é'", "a AND ".repeat(20_000));
        let shown = Fault::usage(long).to_string();
        assert!(shown.starts_with("pattern 'a AND") && shown.ends_with("no column 'é'"), "{shown}");
        assert!(shown.contains("characters left out") && shown.chars().count() < 600, "{shown}");
        assert_eq!(shortened(&"x\n".repeat(1000)).lines().count(), ERROR_LINES + 1);
    }
}
