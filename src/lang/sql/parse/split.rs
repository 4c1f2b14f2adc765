//! Cuts a script into statements: at semicolons outside of quotes, comments and trigger bodies.

/// Each statement with the line it begins in. Comments before a statement do not belong to it.
pub fn statements(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(begin) = begins(bytes, at) {
        let end = ends(bytes, begin);
        let statement = text[begin..end].trim_end_matches(|c: char| c == ';' || c.is_whitespace());
        if !statement.is_empty() {
            let line = 1 + bytes[..begin].iter().filter(|b| **b == b'\n').count();
            found.push((line, statement));
        }
        at = end;
    }
    found
}

/// The first byte at or after a place that is neither space nor comment nor a stray semicolon.
fn begins(bytes: &[u8], mut at: usize) -> Option<usize> {
    while at < bytes.len() {
        let after = after_comment(bytes, at);
        if after > at {
            at = after;
        } else if bytes[at].is_ascii_whitespace() || bytes[at] == b';' {
            at += 1;
        } else {
            return Some(at);
        }
    }
    None
}

/// Past the comment that begins here, or the same place.
fn after_comment(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    if rest.starts_with(b"--") {
        return rest.iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n + 1);
    }
    if rest.starts_with(b"/*") {
        return rest.windows(2).skip(2).position(|w| w == b"*/").map_or(bytes.len(), |n| at + n + 4);
    }
    at
}

/// Past the end of the statement that begins here.
fn ends(bytes: &[u8], begin: usize) -> usize {
    // A command of an engine's shell ends with its line.
    if bytes[begin] == b'.' {
        return bytes[begin..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| begin + n + 1);
    }
    let trigger = is_trigger(&bytes[begin..]);
    let mut at = begin;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'\'' | b'"' | b'`') => at = after_quote(bytes, at, quote),
            b'[' => at = after_quote(bytes, at, b']'),
            b';' if !trigger || ends_with_word(&bytes[begin..at], b"END") => return at + 1,
            _ => at = after_comment(bytes, at).max(at + 1),
        }
    }
    bytes.len()
}

/// Past the closing quote; a doubled one opens the next piece at once, which comes to the same.
fn after_quote(bytes: &[u8], at: usize, close: u8) -> usize {
    bytes[at + 1..].iter().position(|b| *b == close).map_or(bytes.len(), |n| at + n + 2)
}

fn is_trigger(bytes: &[u8]) -> bool {
    let mut words = bytes.split(|b| b.is_ascii_whitespace()).filter(|w| !w.is_empty());
    let create = words.next().is_some_and(|w| w.eq_ignore_ascii_case(b"CREATE"));
    create && words.take(2).any(|w| w.eq_ignore_ascii_case(b"TRIGGER"))
}

fn ends_with_word(bytes: &[u8], word: &[u8]) -> bool {
    let trimmed = bytes.trim_ascii_end();
    trimmed.len() > word.len()
        && trimmed[trimmed.len() - word.len()..].eq_ignore_ascii_case(word)
        && !trimmed[trimmed.len() - word.len() - 1].is_ascii_alphanumeric()
}
