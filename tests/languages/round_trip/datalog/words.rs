//! Words of all forms that are not made of brackets alone, and how variables are called.

use super::*;

#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    Name(String),
    /// Without its sign.
    Number(u128),
    Float(f64),
    Text(String),
    Sign(&'static str),
}

const SIGNS: &[&str] = &[
    ":-", ":=", "<-", "<=", ">=", "!=", "==", "++", ".", ",", ";", ":", "(", ")", "{", "}", "[", "]", "<", ">", "=",
    "!", "+", "-", "*", "/", "%", "^", "_", "|", "?", "&", "#", "\\",
];

/// CozoDB's printer makes variables of its own: for aggregates from here on, for columns of the head from there on.
pub const COUNT: Var = 10_000;
pub const HEAD: Var = 20_000;
/// From here on clingo's printer names the wildcards of an aggregate.
const CLINGO_WILDCARDS: Var = 1_000;

/// `x3`, `X3`; what only stands for a wildcard is one.
pub fn variable(name: &str, form: Form) -> Read<Term> {
    let number = |from: &str| name.strip_prefix(from).and_then(|n| n.parse::<Var>().ok());
    let upper = matches!(form, Form::Bddbddb | Form::Clingo | Form::Mangle);
    if let Some(n) = number(if upper { "X" } else { "x" }) {
        let wildcard = form == Form::Clingo && n >= CLINGO_WILDCARDS;
        return Ok(if wildcard { Term::Wildcard } else { Term::Var(n) });
    }
    if form == Form::Cozo {
        if number("w").is_some() {
            return Ok(Term::Wildcard);
        }
        if let Some(n) = number("n") {
            return Ok(Term::Var(COUNT + n));
        }
        if let Some(n) = number("h") {
            return Ok(Term::Var(HEAD + n));
        }
        // Columns of lists of facts: they are counted, not looked at.
        if number("c").is_some() {
            return Ok(Term::Wildcard);
        }
    }
    Err(format!("'{name}' is no variable"))
}

pub fn words(text: &str) -> Read<Vec<Word>> {
    let chars: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let rest = &chars[at..];
        if rest[0].is_whitespace() {
            at += 1;
            continue;
        }
        let (word, length) = word(rest)?;
        found.push(word);
        at += length;
    }
    Ok(found)
}

fn word(rest: &[char]) -> Read<(Word, usize)> {
    let first = rest[0];
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first == '`' {
        let end = rest[1..].iter().position(|c| *c == '`').ok_or("a text without an end")?;
        return Ok((Word::Text(rest[1..=end].iter().collect()), end + 2));
    }
    if first == '"' || first == '\'' {
        return quoted(rest, first);
    }
    // Functions of Mangle have a colon in their names.
    let colon = rest.starts_with(&['f', 'n', ':']);
    let part = |c: &&char| c.is_alphanumeric() || **c == '_' || colon && **c == ':';
    let length = rest.iter().take_while(part).count();
    if length > 1 || first.is_alphabetic() {
        return Ok((Word::Name(rest[..length].iter().collect()), length));
    }
    let sign = SIGNS.iter().find(|s| rest.iter().take(s.len()).copied().eq(s.chars()));
    sign.map(|s| (Word::Sign(s), s.len())).ok_or_else(|| format!("no word begins with '{first}'"))
}

fn number(rest: &[char]) -> Read<(Word, usize)> {
    let digits = |from: usize| rest.iter().skip(from).take_while(|c| c.is_ascii_digit()).count();
    let mut length = digits(0);
    let whole = length;
    if rest.get(length) == Some(&'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if rest.get(length) == Some(&'e') {
        let sign = usize::from(rest.get(length + 1) == Some(&'-'));
        length += 1 + sign + digits(length + 1 + sign);
    }
    let text: String = rest[..length].iter().collect();
    Ok(match length == whole {
        true => (Word::Number(text.parse().map_err(|e| format!("{text}: {e}"))?), length),
        false => (Word::Float(text.parse().map_err(|e| format!("{text}: {e}"))?), length),
    })
}

fn quoted(rest: &[char], quote: char) -> Read<(Word, usize)> {
    let mut text = String::new();
    let mut at = 1;
    loop {
        match rest.get(at) {
            None => return Err("a text without an end".into()),
            Some(c) if *c == quote => return Ok((Word::Text(text), at + 1)),
            Some('\\') => {
                at += 1;
                text.push(match rest.get(at) {
                    Some('n') => '\n',
                    Some('t') => '\t',
                    Some(c) if *c == quote || *c == '\\' => *c,
                    other => return Err(format!("no escape is {other:?}")),
                });
            }
            Some(c) => text.push(*c),
        }
        at += 1;
    }
}
