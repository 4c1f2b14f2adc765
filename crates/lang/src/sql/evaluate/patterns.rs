//! Patterns of LIKE and GLOB.

/// Steps that one match may take; patterns with many wildcards are left alone.
const STEPS: u32 = 20_000;

enum Token {
    One(char),
    Any,
    Rest,
    Set { negated: bool, ranges: Vec<(char, char)> },
}

/// `fold`: letters of ASCII match without their case.
pub fn like(text: &str, pattern: &str, escape: Option<char>, fold: bool) -> Option<bool> {
    let mut tokens = Vec::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            // An escape before nothing, or before what needs none, is not the same everywhere.
            _ if Some(c) == escape => {
                Token::One(chars.next().filter(|c| matches!(c, '%' | '_') || Some(*c) == escape)?)
            }
            '%' => Token::Rest,
            '_' => Token::Any,
            c => Token::One(c),
        });
    }
    let same = |a: char, b: char| a == b || fold && a.eq_ignore_ascii_case(&b);
    matches(&text.chars().collect::<Vec<char>>(), &tokens, &same, &mut { STEPS })
}

pub fn glob(text: &str, pattern: &str) -> Option<bool> {
    let mut tokens = Vec::new();
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        tokens.push(match c {
            '*' => Token::Rest,
            '?' => Token::Any,
            '[' => {
                let negated = chars.next_if_eq(&'^').is_some();
                let mut ranges = Vec::new();
                loop {
                    // A bracket that is not closed matches nothing, or itself.
                    let low = chars.next()?;
                    if low == ']' && !ranges.is_empty() {
                        break;
                    }
                    let ranged = chars.peek() == Some(&'-');
                    if !ranged {
                        ranges.push((low, low));
                        continue;
                    }
                    chars.next();
                    let high = chars.next().filter(|c| *c != ']')?;
                    ranges.push((low, high));
                }
                Token::Set { negated, ranges }
            }
            c => Token::One(c),
        });
    }
    matches(&text.chars().collect::<Vec<char>>(), &tokens, &|a, b| a == b, &mut { STEPS })
}

fn matches(text: &[char], tokens: &[Token], same: &dyn Fn(char, char) -> bool, steps: &mut u32) -> Option<bool> {
    *steps = steps.checked_sub(1)?;
    let Some((first, rest)) = tokens.split_first() else { return Some(text.is_empty()) };
    if let Token::Rest = first {
        for skipped in 0..=text.len() {
            if matches(&text[skipped..], rest, same, steps)? {
                return Some(true);
            }
        }
        return Some(false);
    }
    let Some((c, more)) = text.split_first() else { return Some(false) };
    let fits = match first {
        Token::One(wanted) => same(*c, *wanted),
        Token::Set { negated, ranges } => ranges.iter().any(|(low, high)| low <= c && c <= high) != *negated,
        Token::Any | Token::Rest => true,
    };
    if fits { matches(more, rest, same, steps) } else { Some(false) }
}
