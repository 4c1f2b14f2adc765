//! Which statements may run on a server that is not ours. A case that is replayed, a seed, a rule or a query of others
//! may say anything; here it is cut into tokens as the engine itself would cut it. It runs only if it is one statement,
//! is of a kind that stays inside the session's own database, and calls nothing that leaves it. What is not understood
//! is refused.
//!
//! Not a parser of the language: a statement that passes may still be nonsense, which the engine says. It must not be
//! possible, though, that the engine reads more out of a text than is read here. So everything that two readers could
//! take for two things (comments inside comments, comments that are run, escapes of characters outside of literals) is
//! refused, and so are the settings that change how text is read.

mod flavours;
mod graph;
mod sql;

pub use graph::{cypher, gremlin};
pub use sql::{Flavour, sql};

use qualm_core::session::{Outcome, RejectionClass};

/// Why a text does not run.
pub type Refusal = String;

/// What a session says of a text that it keeps from the engine.
pub fn not_run(why: &str) -> Outcome {
    Outcome::rejected(RejectionClass::NotRun, format!("not run, because {why}"))
}

fn shown(token: Token) -> String {
    match token {
        Token::Word(text) | Token::Name(text) | Token::Number(text) => format!("'{text}'"),
        Token::Text(_) => "a literal".into(),
        Token::Mark(mark) => format!("'{mark}'"),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A keyword or a name as it is written.
    Word(&'a str),
    /// A name in quotes, without them.
    Name(&'a str),
    /// What is between the quotes of a literal.
    Text(&'a str),
    Number(&'a str),
    Mark(char),
}

impl<'a> Token<'a> {
    fn is(self, word: &str) -> bool {
        matches!(self, Token::Word(w) if w.eq_ignore_ascii_case(word))
    }

    fn is_one_of(self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    fn is_in(self, list: &str) -> bool {
        matches!(self, Token::Word(w) if listed(list, w))
    }

    /// The name, whether it is quoted or not.
    fn name(self) -> Option<&'a str> {
        match self {
            Token::Word(name) | Token::Name(name) => Some(name),
            _ => None,
        }
    }
}

/// Whether a list of words with blanks between them has this one.
fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|l| l.eq_ignore_ascii_case(word))
}

/// How a language is cut into tokens.
struct Lexis {
    /// Quotes of literals.
    text: &'static str,
    /// Quotes of names.
    name: &'static str,
    /// Whether a backslash inside quotes takes the next character with it: in literals, in names.
    escapes: (bool, bool),
    /// `E'…'` has escapes although others have none, and `U&` writes characters by their numbers.
    prefixes: bool,
    /// `$tag$ … $tag$`.
    dollars: bool,
    /// What begins a comment to the end of the line.
    line_comment: fn(&str) -> bool,
    /// Marks that stand for nothing that is allowed here.
    refused: &'static str,
}

/// Tokens of one statement. The semicolon at the end is left out.
fn statement<'a>(text: &'a str, lexis: &Lexis) -> Result<Vec<Token<'a>>, Refusal> {
    let mut tokens = tokens(text, lexis)?;
    while tokens.last() == Some(&Token::Mark(';')) {
        tokens.pop();
    }
    if tokens.contains(&Token::Mark(';')) {
        return Err("it is more than one statement".into());
    }
    Ok(tokens)
}

fn tokens<'a>(text: &'a str, lexis: &Lexis) -> Result<Vec<Token<'a>>, Refusal> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_whitespace() || first == '\u{b}' {
            rest = &rest[1..];
        } else if (lexis.line_comment)(rest) {
            // Engines disagree about the carriage return.
            let line = rest.split('\n').next().unwrap_or(rest);
            if line.trim_end_matches('\r').contains('\r') {
                return Err("a comment has a carriage return in it".into());
            }
            rest = &rest[line.len()..];
        } else if rest.starts_with("/*") {
            rest = behind_comment(rest)?;
        } else if lexis.text.contains(first) || lexis.name.contains(first) {
            let is_text = lexis.text.contains(first);
            let escapes = if is_text { lexis.escapes.0 } else { lexis.escapes.1 };
            let (inside, behind) = quoted(rest, first, escapes)?;
            tokens.push(if is_text { Token::Text(inside) } else { Token::Name(inside) });
            rest = behind;
        } else if first.is_ascii_digit() || first == '.' && follows_digit(rest) && !ends_in_name(&tokens) {
            let (number, behind) = number(rest);
            tokens.push(number);
            rest = behind;
        } else if lexis.dollars && is_parameter(rest) {
            tokens.push(Token::Mark(first));
            rest = &rest[1..];
        } else if lexis.dollars && first == '$' {
            let (inside, behind) = dollar_quoted(rest)?;
            tokens.push(Token::Text(inside));
            rest = behind;
        } else if is_word(first) {
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            if lexis.prefixes && word.eq_ignore_ascii_case("u") && ["&'", "&\""].iter().any(|m| behind.starts_with(m)) {
                return Err("characters are written by their numbers".into());
            }
            if lexis.prefixes && word.eq_ignore_ascii_case("e") && behind.starts_with('\'') {
                let (inside, behind) = quoted(behind, '\'', true)?;
                tokens.push(Token::Text(inside));
                rest = behind;
            } else {
                tokens.push(Token::Word(word));
                rest = behind;
            }
        } else if first.is_ascii_graphic() && !lexis.refused.contains(first) {
            tokens.push(Token::Mark(first));
            rest = &rest[1..];
        } else {
            return Err(format!("the character {first:?} has no meaning here"));
        }
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || c.is_alphabetic()
}

fn follows_digit(text: &str) -> bool {
    text[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// `$1`, and neither the beginning of a quote nor of a name.
fn is_parameter(text: &str) -> bool {
    let number = text.strip_prefix('$').unwrap_or_default();
    let behind = number.trim_start_matches(|c: char| c.is_ascii_digit());
    behind.len() < number.len() && !behind.starts_with(is_word)
}

/// `t.1` is a part of `t`, and no fraction.
fn ends_in_name(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|t| t.name().is_some())
}

/// A number, or a name that begins with a digit.
fn number(text: &str) -> (Token<'_>, &str) {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    // Suffixes of types, 0x…, and names such as `1st`.
    let more = text[end..].find(|c: char| !is_word(c)).unwrap_or(text.len() - end);
    let (token, behind) = text.split_at(end + more);
    let is_name = more > 0 && token.bytes().all(|b| b != b'.');
    (if is_name { Token::Word(token) } else { Token::Number(token) }, behind)
}

/// What stands between quotes, and what behind them. A doubled quote does not close.
fn quoted(text: &str, quote: char, escapes: bool) -> Result<(&str, &str), Refusal> {
    let inside = &text[quote.len_utf8()..];
    let mut characters = inside.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        if c == '\\' && escapes {
            characters.next();
        } else if c == quote {
            if characters.peek().is_some_and(|(_, next)| *next == quote) {
                characters.next();
            } else {
                return Ok((&inside[..at], &inside[at + quote.len_utf8()..]));
            }
        }
    }
    Err("a quote is not closed".into())
}

fn dollar_quoted(text: &str) -> Result<(&str, &str), Refusal> {
    let end = text[1..].find('$').map(|at| at + 2);
    let is_tag =
        |tag: &&str| !tag[1..].starts_with(|c: char| c.is_ascii_digit()) && tag[1..tag.len() - 1].chars().all(is_word);
    let tag = end.map(|end| &text[..end]).filter(is_tag);
    let Some(tag) = tag else { return Err("a '$' begins nothing".into()) };
    let inside = &text[tag.len()..];
    let end = inside.find(tag).ok_or("a quote is not closed")?;
    Ok((&inside[..end], &inside[end + tag.len()..]))
}

/// Hints for an optimiser are comments; what MySQL and MariaDB run out of comments is not.
fn behind_comment(text: &str) -> Result<&str, Refusal> {
    let inside = &text[2..];
    if inside.starts_with('!') || inside.starts_with("M!") {
        return Err("a comment is run as a part of it".into());
    }
    let end = inside.find("*/").ok_or("a comment is not closed")?;
    if inside[..end].contains("/*") {
        return Err("a comment has another one in it".into());
    }
    Ok(&inside[end + 2..])
}

#[cfg(test)]
mod tests;
