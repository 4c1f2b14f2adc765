//! Bugs that are known already: the suppression file of `--known FILE`.
//!
//! One JSON object per line, blank lines and lines that begin with `#` left out:
//!
//! ```text
//! # fixed in 3.53, we still ship 3.52
//! {"fingerprint": "9f3c2a1b", "reason": "RIGHT JOIN loses rows", "link": "https://sqlite.org/forum/1"}
//! {"pattern": "*MATERIALIZED*LEFT JOIN*", "reason": "reported, no answer yet", "link": ""}
//! ```
//!
//! A fingerprint fits when it begins like the finding's. A pattern fits when it occurs anywhere in the finding's title,
//! one of its statements or its error text, without regard to case; `*` stands for any text and `?` for one character.
//! The file is applied after the check and after reduction: it hides reports and never changes what is hunted.

use crate::fault::Fault;
use crate::files;
use crate::limits::FILE_BYTES;
use serde::{Deserialize, Serialize};
use std::path::Path;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownBug {
    pub fingerprint: Option<String>,
    pub pattern: Option<String>,
    pub reason: String,
    #[serde(default)]
    pub link: String,
}

/// A shorter beginning of a fingerprint would fit too much.
const FINGERPRINT_MIN_CHARS: usize = 6;

pub fn read(path: &Path) -> Result<Vec<KnownBug>, Fault> {
    let text = files::text(path, "known bugs", FILE_BYTES).map_err(Fault::usage)?;
    parse(&text)
        .map_err(|(line, why)| Fault::usage(format!("{}:{line}: {why}; see 'qualm hunt --help'", path.display())))
}

/// The rows, or the number of the first bad line and what is wrong with it.
fn parse(text: &str) -> Result<Vec<KnownBug>, (usize, String)> {
    let mut bugs = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bug: KnownBug = serde_json::from_str(line).map_err(|e| (i + 1, format!("not a valid entry: {e}")))?;
        match (&bug.fingerprint, &bug.pattern) {
            (Some(f), None) if f.len() >= FINGERPRINT_MIN_CHARS => {}
            (Some(_), None) => {
                return Err((i + 1, format!("a fingerprint has at least {FINGERPRINT_MIN_CHARS} characters")));
            }
            (None, Some(p)) if p.chars().any(|c| !matches!(c, '*' | '?' | ' ')) => {}
            (None, Some(_)) => return Err((i + 1, "this pattern matches everything".into())),
            _ => return Err((i + 1, "give either 'fingerprint' or 'pattern'".into())),
        }
        bugs.push(bug);
    }
    Ok(bugs)
}

impl KnownBug {
    pub fn fits(&self, fingerprint: &str, texts: &[&str]) -> bool {
        if let Some(begin) = &self.fingerprint {
            return fingerprint.starts_with(begin.as_str());
        }
        let pattern = format!("*{}*", self.pattern.as_deref().unwrap_or_default().to_lowercase());
        texts.iter().any(|text| glob(pattern.as_bytes(), text.to_lowercase().as_bytes()))
    }
}

/// Whether the whole text fits the pattern. Linear space, no recursion: remembers the last star only.
pub fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(c) if *c == b'?' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_applied() {
        let bugs = parse(
            "# comment\n\n{\"fingerprint\":\"abcdef12\",\"reason\":\"r\"}\n\
             {\"pattern\":\"right join*json_?\",\"reason\":\"r\",\"link\":\"l\"}\n",
        )
        .unwrap();
        assert!(bugs[0].fits("abcdef1234", &[]));
        assert!(!bugs[0].fits("abcdee1234", &["abcdef12"]));
        assert!(bugs[1].fits("", &["nothing", "SELECT 1 FROM a RIGHT JOIN b ON json_x(c)"]));
        assert!(!bugs[1].fits("", &["SELECT json_x(c) FROM a RIGHT JOIN b"]));
    }

    #[test]
    fn a_bad_row_is_named_by_its_line() {
        for (text, line) in [
            ("{}", 1),
            ("#\n{\"reason\":\"r\"}", 2),
            ("\n\n{\"pattern\":\"*\",\"reason\":\"r\"}", 3),
            ("{\"fingerprint\":\"ab\",\"reason\":\"r\"}", 1),
            ("{\"pattern\":\"x\",\"reason\":\"r\",\"colour\":1}", 1),
            ("fingerprint abc", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().0, line, "{text}");
        }
    }

    #[test]
    fn stars_and_question_marks() {
        assert!(glob(b"a*b*c", b"axxbyyc") && glob(b"*", b"") && glob(b"a?c", b"abc"));
        assert!(!glob(b"a*b", b"axc") && !glob(b"a?c", b"ac") && !glob(b"", b"x"));
    }
}
