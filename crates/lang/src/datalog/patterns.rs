//! Patterns as Soufflé's `match` has them, as far as they mean the same everywhere: characters, `.`, classes in
//! brackets, groups, `|`, and `*`, `+`, `?`, `{2}` behind them. A pattern is compared with the whole of a symbol.

/// A pattern, or a part of one.
#[derive(Clone)]
enum Node {
    Character(char),
    Any,
    /// Ranges of characters, and whether all others are meant.
    Class(Vec<(char, char)>, bool),
    Sequence(Vec<Node>),
    Either(Vec<Node>),
    /// So many times at least, and whether more are allowed than once.
    Repeated(Box<Node>, usize, bool),
}

/// Longer patterns and symbols are not tried: backtracking may take for ever.
const LONGEST: usize = 100;
/// What is repeated more often is not known.
const TIMES: usize = 10;

/// Whether all of `text` matches; nothing where the pattern has something in it that is not known here.
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    let node = read(pattern)?;
    let text: Vec<char> = text.chars().collect();
    if text.len() > LONGEST {
        return None;
    }
    let mut steps = 100_000;
    let found = follow(&node, &text, 0, &mut steps, &mut |end, _| end == text.len());
    (steps > 0).then_some(found)
}

/// Whether the pattern has nothing in it that is not known here.
pub fn is_known(pattern: &str) -> bool {
    read(pattern).is_some()
}

fn read(pattern: &str) -> Option<Node> {
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    let node = (chars.len() <= LONGEST && pattern.is_ascii()).then(|| either(&chars, &mut at))??;
    (at == chars.len()).then_some(node)
}

fn either(chars: &[char], at: &mut usize) -> Option<Node> {
    let mut arms = vec![sequence(chars, at)?];
    while chars.get(*at) == Some(&'|') {
        *at += 1;
        arms.push(sequence(chars, at)?);
    }
    Some(if arms.len() == 1 { arms.remove(0) } else { Node::Either(arms) })
}

fn sequence(chars: &[char], at: &mut usize) -> Option<Node> {
    let mut parts = Vec::new();
    while let Some(c) = chars.get(*at).filter(|c| !matches!(c, '|' | ')')) {
        *at += 1;
        let node = match c {
            '.' => Node::Any,
            '[' => class(chars, at)?,
            '(' => {
                let inner = either(chars, at)?;
                *at += 1;
                (chars.get(*at - 1) == Some(&')')).then_some(inner)?
            }
            '\\' => {
                let escaped = *chars.get(*at)?;
                *at += 1;
                match escaped {
                    'd' => Node::Class(vec![('0', '9')], false),
                    c if !c.is_ascii_alphanumeric() => Node::Character(c),
                    _ => return None,
                }
            }
            '*' | '+' | '?' | '{' | '}' | ']' | '^' | '$' => return None,
            c => Node::Character(*c),
        };
        if chars.get(*at) == Some(&'{') {
            *at += 1;
            parts.push(counted(node, chars, at)?);
            continue;
        }
        let repeated = match chars.get(*at) {
            Some('*') => Some((0, true)),
            Some('+') => Some((1, true)),
            Some('?') => Some((0, false)),
            _ => None,
        };
        parts.push(match repeated {
            Some((least, more)) => {
                *at += 1;
                Node::Repeated(Box::new(node), least, more)
            }
            None => node,
        });
    }
    Some(Node::Sequence(parts))
}

/// `{2}`, `{2,}` and `{2,4}`: so many copies, and then others that need not be there.
fn counted(node: Node, chars: &[char], at: &mut usize) -> Option<Node> {
    let number = |at: &mut usize| -> Option<usize> {
        let digits: String = chars[*at..].iter().take_while(|c| c.is_ascii_digit()).collect();
        *at += digits.len();
        digits.parse().ok().filter(|n| *n <= TIMES)
    };
    let least = number(at)?;
    let mut parts = vec![node.clone(); least];
    if chars.get(*at) == Some(&',') {
        *at += 1;
        if chars.get(*at) == Some(&'}') {
            parts.push(Node::Repeated(Box::new(node), 0, true));
        } else {
            let more = number(at)?.checked_sub(least)?;
            parts.extend(vec![Node::Repeated(Box::new(node), 0, false); more]);
        }
    }
    *at += 1;
    (chars.get(*at - 1) == Some(&'}')).then_some(Node::Sequence(parts))
}

/// Classes with a name: `[[:digit:]]`.
const NAMED: &[(&str, &[(char, char)])] = &[
    ("[:digit:]", &[('0', '9')]),
    ("[:lower:]", &[('a', 'z')]),
    ("[:upper:]", &[('A', 'Z')]),
    ("[:alpha:]", &[('a', 'z'), ('A', 'Z')]),
    ("[:alnum:]", &[('a', 'z'), ('A', 'Z'), ('0', '9')]),
    ("[:xdigit:]", &[('a', 'f'), ('A', 'F'), ('0', '9')]),
];

fn class(chars: &[char], at: &mut usize) -> Option<Node> {
    let others = chars.get(*at) == Some(&'^');
    *at += usize::from(others);
    let mut ranges = Vec::new();
    loop {
        let low = *chars.get(*at)?;
        let begins = |name: &str| name.chars().eq(chars[*at..].iter().copied().take(name.len()));
        if let Some((name, named)) = NAMED.iter().find(|(name, _)| begins(name)) {
            ranges.extend_from_slice(named);
            *at += name.len();
            continue;
        }
        *at += 1;
        match low {
            ']' => break,
            '[' | '\\' => return None,
            _ => {}
        }
        match (chars.get(*at), chars.get(*at + 1)) {
            (Some('-'), Some(high)) if *high != ']' => {
                ranges.push((low, *high));
                *at += 2;
            }
            _ => ranges.push((low, low)),
        }
    }
    (!ranges.is_empty()).then_some(Node::Class(ranges, others))
}

/// What is done at each place where a part of a pattern may end; true ends the search.
type Then<'a> = dyn FnMut(usize, &mut u32) -> bool + 'a;

fn follow(node: &Node, text: &[char], at: usize, steps: &mut u32, then: &mut Then) -> bool {
    if *steps == 0 {
        return false;
    }
    *steps -= 1;
    let next = text.get(at);
    match node {
        Node::Character(c) => next == Some(c) && then(at + 1, steps),
        Node::Any => next.is_some_and(|c| !matches!(c, '\n' | '\r')) && then(at + 1, steps),
        Node::Class(ranges, others) => {
            let inside = |c: &char| ranges.iter().any(|(low, high)| low <= c && c <= high);
            next.is_some_and(|c| inside(c) != *others) && then(at + 1, steps)
        }
        Node::Sequence(parts) => follow_all(parts, text, at, steps, then),
        Node::Either(arms) => arms.iter().any(|arm| follow(arm, text, at, steps, then)),
        Node::Repeated(inner, least, more) => {
            let once = follow(inner, text, at, steps, &mut |end, steps| match *more && end > at {
                true => star(inner, text, end, steps, then),
                false => then(end, steps),
            });
            once || *least == 0 && then(at, steps)
        }
    }
}

fn follow_all(parts: &[Node], text: &[char], at: usize, steps: &mut u32, then: &mut Then) -> bool {
    match parts {
        [] => then(at, steps),
        [first, rest @ ..] => {
            follow(first, text, at, steps, &mut |end, steps| follow_all(rest, text, end, steps, then))
        }
    }
}

/// Any number of times, each of which takes something away.
fn star(inner: &Node, text: &[char], at: usize, steps: &mut u32, then: &mut Then) -> bool {
    follow(inner, text, at, steps, &mut |end, steps| end > at && star(inner, text, end, steps, then)) || then(at, steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_the_whole_or_nothing() {
        let yes = [("a.*", "ab"), ("(ab|c)+", "abcab"), ("[a-c]?x", "x"), ("[^a]", "b"), ("\\.\\d", ".7"), ("", "")];
        let more = [("a{2}b{0,2}", "aab"), ("[[:digit:]_]{1,}", "4_2"), ("(ab){1,2}", "abab"), ("fo{2}b.*", "foobar")];
        for (pattern, text) in more {
            assert_eq!(matches(pattern, text), Some(true), "{pattern} {text}");
            assert_eq!(matches(pattern, &format!("{text}{text}a.")), Some(pattern.ends_with(".*")), "{pattern}");
        }
        let no = [("a.*", "ba"), ("(ab|c)+", ""), ("[a-c]?x", "dx"), ("[^a]", "a"), ("a+", "aab"), ("a|b", "ab")];
        for (pattern, text) in yes {
            assert_eq!(matches(pattern, text), Some(true), "{pattern} {text}");
        }
        for (pattern, text) in no {
            assert_eq!(matches(pattern, text), Some(false), "{pattern} {text}");
        }
        for unknown in
            ["a{2", "a{,2}", "a{3,2}", "a{999}", "^a", "a$", "\\w", "[[:print:]]", "(?:a)", "(a", "a)", "*", "é"]
        {
            assert_eq!(matches(unknown, "a"), None, "{unknown}");
        }
    }

    #[test]
    fn what_takes_for_ever_is_not_known() {
        assert_eq!(matches("(a*)*(a*)*(a*)*b", &"a".repeat(40)), None);
    }
}
