//! Words of the Soufflé dialect, each with its place.

/// Where something stands, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// A name: of a relation, a variable, a type, a functor.
    Name(String),
    /// `.decl` and the like, without the point.
    Directive(String),
    Number(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
    /// Signs, the longest first.
    Sign(&'static str),
    /// What no word begins with.
    Stray(char),
}

const SIGNS: &[&str] = &[
    ":-", "<=", ">=", "!=", "<:", "::", ".", ",", ";", ":", "(", ")", "{", "}", "[", "]", "<", ">", "=", "!", "+", "-",
    "*", "/", "%", "^", "_", "$", "|", "@", "?", "&",
];

const DIRECTIVES: &[&str] = &[
    "decl",
    "type",
    "input",
    "output",
    "printsize",
    "pragma",
    "plan",
    "comp",
    "init",
    "functor",
    "limitsize",
    "override",
    "number_type",
    "symbol_type",
    "include",
    "once",
    "lattice",
];

/// All words, and the places of the lines that are for a preprocessor.
pub fn tokens(text: &str) -> (Vec<(Token, Place)>, Vec<Place>) {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut preprocessed) = (Vec::new(), Vec::new());
    let (mut at, mut place) = (0, Place { line: 1, column: 1 });
    while at < chars.len() {
        let rest = &chars[at..];
        let (token, length) = match rest {
            [c, ..] if c.is_whitespace() => (None, 1),
            ['/', '/', ..] => (None, line_length(rest)),
            ['/', '*', ..] => (None, comment_length(rest)),
            ['#', ..] if place.column == 1 => {
                preprocessed.push(place);
                (None, line_length(rest))
            }
            _ => {
                let apart = at == 0 || chars[at - 1].is_whitespace();
                let (token, length) = word(rest, apart);
                (Some(token), length)
            }
        };
        if let Some(token) = token {
            found.push((token, place));
        }
        for c in &rest[..length] {
            place = match c {
                '\n' => Place { line: place.line + 1, column: 1 },
                _ => Place { column: place.column + 1, ..place },
            };
        }
        at += length;
    }
    (found, preprocessed)
}

fn line_length(rest: &[char]) -> usize {
    rest.iter().position(|c| *c == '\n').unwrap_or(rest.len())
}

fn comment_length(rest: &[char]) -> usize {
    let end = rest.windows(2).skip(2).position(|w| w == ['*', '/']);
    end.map_or(rest.len(), |p| p + 4)
}

/// The word that begins here; `apart` says that nothing stands directly before it.
fn word(rest: &[char], apart: bool) -> (Token, usize) {
    let first = rest[0];
    let part = |c: &char| c.is_alphanumeric() || *c == '_' || *c == '?';
    if first == '.' {
        let name: String = rest[1..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
        // One that is not known is one all the same where no clause ends.
        let unknown = apart && name.starts_with(|c: char| c.is_alphabetic());
        if unknown || DIRECTIVES.contains(&name.as_str()) {
            let length = name.chars().count() + 1;
            return (Token::Directive(name), length);
        }
    }
    if first.is_ascii_digit() {
        return number(rest);
    }
    if first == '"' {
        return quoted(rest);
    }
    let mut length = rest.iter().take_while(|c| part(c)).count();
    if length > 1 || first.is_alphabetic() || first == '?' {
        // What belongs to a component is named with a point: `net.edge`.
        while rest.get(length) == Some(&'.') && rest.get(length + 1).is_some_and(|c| c.is_alphabetic()) {
            length += 1 + rest[length + 1..].iter().take_while(|c| part(c)).count();
        }
        return (Token::Name(rest[..length].iter().collect()), length);
    }
    for sign in SIGNS {
        if rest.iter().take(sign.len()).copied().eq(sign.chars()) {
            return (Token::Sign(sign), sign.len());
        }
    }
    (Token::Stray(first), 1)
}

const LEAST_64: &str = "9223372036854775808";

fn number(rest: &[char]) -> (Token, usize) {
    let digits = |from: usize| rest[from..].iter().take_while(|c| c.is_ascii_digit()).count();
    if let ['0', base @ ('x' | 'b'), ..] = rest {
        let radix = if *base == 'x' { 16 } else { 2 };
        let text: String = rest[2..].iter().take_while(|c| c.is_digit(radix)).collect();
        let length = text.len() + 2;
        let value = i64::from_str_radix(&text, radix).ok();
        return (value.map_or(Token::Stray('0'), Token::Number), length);
    }
    let whole = digits(0);
    if let Some(address) = address(rest) {
        return address;
    }
    let is_float = rest.get(whole) == Some(&'.') && rest.get(whole + 1).is_some_and(char::is_ascii_digit);
    if is_float {
        let mut length = whole + 1 + digits(whole + 1);
        if let Some('e' | 'E') = rest.get(length) {
            let sign = usize::from(matches!(rest.get(length + 1), Some('+' | '-')));
            let exponent = digits((length + 1 + sign).min(rest.len()));
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
        let text: String = rest[..length].iter().collect();
        return (text.parse().map_or(Token::Stray('.'), Token::Float), length);
    }
    let text: String = rest[..whole].iter().collect();
    match rest.get(whole) {
        Some('u') => (text.parse().map_or(Token::Stray('u'), Token::Unsigned), whole + 1),
        // The least number of 64 bits has a minus before digits that are no number without it.
        _ if text == LEAST_64 => (Token::Unsigned(1 << 63), whole),
        _ => (text.parse().map_or(Token::Stray('0'), Token::Number), whole),
    }
}

/// `10.0.0.1` is a number of 32 bits.
fn address(rest: &[char]) -> Option<(Token, usize)> {
    let length = rest.iter().take_while(|c| c.is_ascii_digit() || **c == '.').count();
    let text: String = rest[..length].iter().collect();
    let text = text.trim_end_matches('.');
    let parts: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok().filter(|n| *n < 256)).collect();
    match parts?.as_slice() {
        [a, b, c, d] => Some((Token::Number(((a << 24) | (b << 16) | (c << 8) | d) as i32 as i64), text.len())),
        _ => None,
    }
}

fn quoted(rest: &[char]) -> (Token, usize) {
    let mut text = String::new();
    let mut at = 1;
    while at < rest.len() && rest[at] != '"' {
        if rest[at] == '\\' && at + 1 < rest.len() {
            at += 1;
            text.push(match rest[at] {
                'n' => '\n',
                't' => '\t',
                other => other,
            });
        } else {
            text.push(rest[at]);
        }
        at += 1;
    }
    (Token::Text(text), (at + 1).min(rest.len()))
}
