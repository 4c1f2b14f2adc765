//! Cuts text into statements: at semicolons outside of quotes, comments and trigger bodies. `Cutter` does so for text
//! that arrives piece by piece and may never end.

use qualm_core::dialect::sql::Dialect;

/// How a dialect writes what a semicolon may hide in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// A backslash in a text literal takes the next character along. (`E'…'` does so everywhere.)
    pub backslash: bool,
    /// `#` begins a comment, as `--` does.
    pub hash_comments: bool,
    /// `[` quotes a name, up to `]`.
    pub bracket_names: bool,
}

impl Marks {
    /// Who quotes names with backticks has `#` for comments too; who lets anything be stored anywhere has brackets.
    pub fn of(dialect: &Dialect) -> Marks {
        Marks {
            backslash: dialect.spelling.backslash_escapes,
            hash_comments: dialect.quote == '`',
            bracket_names: dialect.dynamic_typing,
        }
    }
}

/// Each statement with the line it begins in. Comments before a statement do not belong to it.
pub fn statements_of(text: &str, marks: Marks) -> Vec<(usize, &str)> {
    let cut = Cut { bytes: text.as_bytes(), marks };
    let mut found = Vec::new();
    let mut at = text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len();
    let (mut line, mut counted) = (1, 0);
    while let Some(begin) = cut.begins(at) {
        let (end, _) = cut.ends(begin);
        line += lines(&cut.bytes[counted..begin]);
        counted = begin;
        let statement = trimmed(&text[begin..end]);
        if !statement.is_empty() {
            found.push((line, statement));
        }
        at = end;
    }
    found
}

/// Where the rows behind the VALUES of a statement begin and end, with their brackets.
pub fn rows_of(statement: &str, marks: Marks) -> Vec<(usize, usize)> {
    let cut = Cut { bytes: statement.as_bytes(), marks };
    let Some(mut at) = cut.behind_values() else { return Vec::new() };
    let mut rows = Vec::new();
    while let Some(begin) = cut.begins(at).filter(|n| cut.bytes[*n] == b'(') {
        let Some(end) = cut.after_brackets(begin) else { break };
        rows.push((begin, end));
        match cut.begins(end).filter(|n| cut.bytes[*n] == b',') {
            Some(comma) => at = comma + 1,
            None => break,
        }
    }
    rows
}

fn trimmed(statement: &str) -> &str {
    statement.trim_end_matches(|c: char| c == ';' || c.is_whitespace())
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b == b'\n').count()
}

/// A statement longer than this is not one: a quote was not closed. It is given up at its first line that ends with a
/// semicolon.
pub const LONGEST_STATEMENT: usize = 1 << 20;

/// Statements of a text that arrives in pieces.
pub struct Cutter {
    marks: Marks,
    /// What has arrived and is not handed out; of it the first `gone` bytes are.
    pending: Vec<u8>,
    gone: usize,
    /// Lines that are handed out.
    lines_before: usize,
    /// Pieces that were given up.
    given_up: u32,
    begun: bool,
    ended: bool,
}

/// Left out when the second piece is given up; twice as much each time.
const GIVEN_UP_BYTES: usize = 64;

/// Of an open comment no more than this is kept.
const COMMENT_BYTES: usize = 4 << 10;

/// What some editors write at the beginning of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A statement and its line, or why there is none at this line.
pub type Piece = (usize, Result<String, String>);

impl Cutter {
    pub fn new(marks: Marks) -> Cutter {
        let (pending, gone, lines_before) = (Vec::new(), 0, 0);
        Cutter { marks, pending, gone, lines_before, given_up: 0, begun: false, ended: false }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // Once per push and not once per statement: what stays is moved.
        self.pending.drain(..self.gone);
        self.gone = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// No more text will come: what is there is the last statement, with a semicolon or without.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// The next statement that is there to its end.
    pub fn next_piece(&mut self) -> Option<Piece> {
        if !self.skip_mark() {
            return None;
        }
        let here = &self.pending[self.gone..];
        let cut = Cut { bytes: here, marks: self.marks };
        let Some(begin) = cut.begins(0) else {
            // A comment may still be open at its end.
            let open = cut.open_comment().filter(|_| here.len() > COMMENT_BYTES);
            if self.ended || open.is_some() {
                let last = here.last().copied();
                self.drop_first(self.pending.len() - self.gone);
                self.pending.extend(open.into_iter().flatten().copied().chain(last.filter(|b| *b == b'*')));
            }
            return None;
        };
        let line = 1 + self.lines_before + lines(&here[..begin]);
        let (end, complete) = cut.ends(begin);
        if end - begin > LONGEST_STATEMENT {
            self.give_up(begin);
            return Some((line, Err(format!("longer than {LONGEST_STATEMENT} bytes; perhaps a quote is not closed"))));
        }
        if !complete && !self.ended {
            return None;
        }
        let text = String::from_utf8(here[begin..end].to_vec());
        self.drop_first(end);
        let text = text.map(|t| trimmed(&t).to_owned()).map_err(|_| "not UTF-8".to_owned());
        Some((line, text))
    }

    /// Past a byte order mark at the very beginning. False as long as that is not known.
    fn skip_mark(&mut self) -> bool {
        let mut mark = [0; 4];
        let mark = BYTE_ORDER_MARK.encode_utf8(&mut mark).as_bytes();
        if !self.begun && self.pending.len() < mark.len() && mark.starts_with(&self.pending) && !self.ended {
            return false;
        }
        if !self.begun && self.pending.starts_with(mark) {
            self.gone = mark.len();
        }
        self.begun = true;
        true
    }

    /// Goes past the first line from `begin` on that ends with a semicolon, or past all. Each time costs a look at all
    /// that waits, so that more is left out each time: a text full of open quotes would be looked at once per line.
    fn give_up(&mut self, begin: usize) {
        let rest = &self.pending[self.gone + begin..];
        let least = if self.given_up == 0 { 0 } else { (GIVEN_UP_BYTES << self.given_up.min(16)).min(rest.len()) };
        let end = rest[least..].windows(2).position(|w| w == b";\n");
        let bytes = end.map_or(rest.len(), |n| least + n + 2);
        self.given_up += 1;
        self.drop_first(begin + bytes);
    }

    fn drop_first(&mut self, bytes: usize) {
        self.lines_before += lines(&self.pending[self.gone..self.gone + bytes]);
        self.gone += bytes;
    }
}

struct Cut<'a> {
    bytes: &'a [u8],
    marks: Marks,
}

impl Cut<'_> {
    /// The first byte at or after a place that is neither space nor comment nor a stray semicolon.
    fn begins(&self, mut at: usize) -> Option<usize> {
        while at < self.bytes.len() {
            let after = self.after_comment(at);
            if after > at {
                at = after;
            } else if self.bytes[at].is_ascii_whitespace() || self.bytes[at] == b';' {
                at += 1;
            } else {
                return Some(at);
            }
        }
        None
    }

    /// How the comment begins that has not ended at the end of these blanks and comments.
    fn open_comment(&self) -> Option<&'static [u8]> {
        let mut at = 0;
        while at < self.bytes.len() {
            let after = self.after_comment(at);
            if after == self.bytes.len() && after > at {
                let block = self.bytes[at..].starts_with(b"/*");
                let closed = if block { self.bytes[at + 2..].ends_with(b"*/") } else { self.bytes.ends_with(b"\n") };
                return (!closed).then_some(if block { b"/*" } else { b"--" });
            }
            at = after.max(at + 1);
        }
        None
    }

    /// Past the comment that begins here, or the same place.
    fn after_comment(&self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        if rest.starts_with(b"--") || self.marks.hash_comments && rest.starts_with(b"#") {
            return rest.iter().position(|b| *b == b'\n').map_or(self.bytes.len(), |n| at + n + 1);
        }
        if rest.starts_with(b"/*") {
            return rest.windows(2).skip(2).position(|w| w == b"*/").map_or(self.bytes.len(), |n| at + n + 4);
        }
        at
    }

    /// Past the end of the statement that begins here, and whether that end was seen.
    fn ends(&self, begin: usize) -> (usize, bool) {
        let bytes = self.bytes;
        // A command of an engine's shell ends with its line.
        if bytes[begin] == b'.' || bytes[begin] == b'\\' {
            let end = bytes[begin..].iter().position(|b| *b == b'\n').map(|n| begin + n + 1);
            return (end.unwrap_or(bytes.len()), end.is_some());
        }
        let trigger = is_trigger(&bytes[begin..]);
        let mut at = begin;
        while at < bytes.len() {
            match bytes[at] {
                b';' if !trigger || !is_inside_trigger(&bytes[begin..at]) => return (at + 1, true),
                _ => at = self.after_one(at),
            }
        }
        (bytes.len(), false)
    }

    /// Past the quoted text, name or comment that begins here, or past one byte.
    fn after_one(&self, at: usize) -> usize {
        match self.bytes[at] {
            b'\'' => self.after_text(at),
            quote @ (b'"' | b'`') => after_quote(self.bytes, at, quote),
            b'[' if self.marks.bracket_names => after_quote(self.bytes, at, b']'),
            b'$' => self.after_dollar(at),
            _ => self.after_comment(at).max(at + 1),
        }
    }

    /// Past the first VALUES that is not in brackets.
    fn behind_values(&self) -> Option<usize> {
        let (mut at, mut depth) = (0, 0usize);
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'(' => depth += 1,
                b')' => depth = depth.saturating_sub(1),
                _ if depth == 0 && is_word(self.bytes[at]) => {
                    let length = self.bytes[at..].iter().position(|b| !is_word(*b)).unwrap_or(self.bytes.len() - at);
                    if self.bytes[at..at + length].eq_ignore_ascii_case(b"VALUES") {
                        return Some(at + length);
                    }
                    at += length;
                    continue;
                }
                _ => {}
            }
            at = self.after_one(at);
        }
        None
    }

    /// Past the bracket that closes the one here.
    fn after_brackets(&self, begin: usize) -> Option<usize> {
        let (mut at, mut depth) = (begin, 0usize);
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'(' => depth += 1,
                b')' if depth == 1 => return Some(at + 1),
                b')' => depth -= 1,
                _ => {}
            }
            at = self.after_one(at);
        }
        None
    }

    fn after_text(&self, at: usize) -> usize {
        // `E'…'`, and not the end of a longer word.
        let escapes = at > 0 && self.bytes[at - 1].eq_ignore_ascii_case(&b'e');
        let escapes = escapes && (at < 2 || !is_word(self.bytes[at - 2]));
        if !escapes && !self.marks.backslash {
            return after_quote(self.bytes, at, b'\'');
        }
        let mut next = at + 1;
        while next < self.bytes.len() {
            match self.bytes[next] {
                b'\\' => next += 2,
                b'\'' => return next + 1,
                _ => next += 1,
            }
        }
        self.bytes.len()
    }

    /// Past a text between `$tag$` and `$tag$`, or past the dollar where it begins none.
    fn after_dollar(&self, at: usize) -> usize {
        let inside_a_word = at > 0 && is_word(self.bytes[at - 1]);
        let rest = &self.bytes[at + 1..];
        let tag = rest.iter().position(|b| !is_word(*b)).unwrap_or(rest.len());
        let opens = rest.get(tag) == Some(&b'$') && !rest.first().is_some_and(u8::is_ascii_digit);
        if inside_a_word || !opens {
            return at + 1;
        }
        let mark = &self.bytes[at..at + tag + 2];
        let body = at + mark.len();
        self.bytes[body..]
            .windows(mark.len())
            .position(|w| w == mark)
            .map_or(self.bytes.len(), |n| body + n + mark.len())
    }
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
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

/// Whether the statements of a trigger have begun and not ended. Without BEGIN there is one, which ends the trigger.
fn is_inside_trigger(bytes: &[u8]) -> bool {
    let mut words = bytes.split(|b| !is_word(*b));
    words.any(|w| w.eq_ignore_ascii_case(b"BEGIN")) && !ends_with_word(bytes, b"END")
}

fn ends_with_word(bytes: &[u8], word: &[u8]) -> bool {
    let trimmed = bytes.trim_ascii_end();
    trimmed.len() > word.len()
        && trimmed[trimmed.len() - word.len()..].eq_ignore_ascii_case(word)
        && !trimmed[trimmed.len() - word.len() - 1].is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQLITE: Marks = Marks { backslash: false, hash_comments: false, bracket_names: true };
    const POSTGRES: Marks = Marks { backslash: false, hash_comments: false, bracket_names: false };
    const MYSQL: Marks = Marks { backslash: true, hash_comments: true, bracket_names: false };

    fn cut(text: &str, marks: Marks) -> Vec<&str> {
        statements_of(text, marks).into_iter().map(|(_, s)| s).collect()
    }

    #[test]
    fn quotes_of_every_dialect_hide_semicolons() {
        assert_eq!(cut("SELECT $$a;b$$; SELECT $x$ ; $$ ; $x$", POSTGRES), ["SELECT $$a;b$$", "SELECT $x$ ; $$ ; $x$"]);
        assert_eq!(cut(r"SELECT E'it\'s;'; SELECT 'c:\'; SELECT 1", POSTGRES).len(), 3);
        assert_eq!(cut("SELECT a[1]; SELECT ARRAY['];']", POSTGRES).len(), 2);
        assert_eq!(cut("SELECT 'it\\'s;'; # a; b\nSELECT 2", MYSQL), ["SELECT 'it\\'s;'", "SELECT 2"]);
        assert_eq!(cut("SELECT [a;b]; SELECT $1;\n\nSELECT ?", SQLITE), ["SELECT [a;b]", "SELECT $1", "SELECT ?"]);
        assert_eq!(cut("SELECT a$b$c; SELECT 2", POSTGRES).len(), 2);
    }

    #[test]
    fn pieces_come_as_soon_as_they_are_whole() {
        let mut cutter = Cutter::new(POSTGRES);
        cutter.push(b"-- one\nSELECT 1;\n SELECT '");
        assert_eq!(cutter.next_piece(), Some((2, Ok("SELECT 1".into()))));
        assert_eq!(cutter.next_piece(), None);
        cutter.push(b";'\n;\nSELECT\n 3");
        assert_eq!(cutter.next_piece(), Some((3, Ok("SELECT ';'".into()))));
        assert_eq!(cutter.next_piece(), None);
        cutter.end();
        assert_eq!(cutter.next_piece(), Some((5, Ok("SELECT\n 3".into()))));
        assert_eq!(cutter.next_piece(), None);
    }

    #[test]
    fn a_quote_that_is_not_closed_ends_somewhere() {
        let mut cutter = Cutter::new(POSTGRES);
        cutter.push(b"SELECT 'oops;\nSELECT 2;\n");
        cutter.push(" ".repeat(LONGEST_STATEMENT).as_bytes());
        let (line, piece) = cutter.next_piece().unwrap();
        assert!(line == 1 && piece.unwrap_err().contains("quote"));
        assert_eq!(cutter.next_piece(), Some((2, Ok("SELECT 2".into()))));
        cutter.push(b"\xff;");
        assert_eq!(cutter.next_piece(), Some((3, Err("not UTF-8".into()))));
    }
}
