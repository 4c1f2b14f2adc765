//! The conditions of users' rules as text: a small part of Cypher's expressions, with metavariables in place of the
//! variables and properties of a query. A metavariable is `Expr::Var` with its dollar sign.

use crate::depth::{Depth, Mark};
use crate::graph::ast::*;

const KNOWN: &str = "$p (predicate), $e (expression), $P (property), $L (literal), optionally followed by a number";

/// Brackets in brackets, and words that hang together.
const BRACKETS_AT_MOST: usize = 40;
const WORDS_AT_MOST: usize = 400;

/// The kind of a metavariable: its letter.
pub fn variable(name: &str) -> Option<char> {
    let mut chars = name.strip_prefix('$')?.chars();
    let letter = chars.next()?;
    ("pePL".contains(letter) && chars.all(|c| c.is_ascii_digit())).then_some(letter)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A keyword or a name, and a metavariable with its dollar sign.
    Word(String),
    Int(i64),
    Float(f64),
    Text(String),
    Sign(&'static str),
}

const SIGNS: &[&str] = &["<=", ">=", "<>", "=~", "(", ")", "[", "]", ",", "<", ">", "=", "+", "-", "*", "/", "%", "^"];

pub fn read(text: &str) -> Result<Expr, String> {
    let mut reader = Reader { tokens: tokens(text)?, at: 0 };
    reader.see_depth()?;
    let read = reader.either()?;
    match reader.tokens.get(reader.at) {
        None => Ok(read),
        Some(token) => Err(format!("unexpected {}", shown(token))),
    }
}

fn shown(token: &Token) -> String {
    match token {
        Token::Word(w) => format!("'{w}'"),
        Token::Int(i) => format!("'{i}'"),
        Token::Float(f) => format!("'{f}'"),
        Token::Text(t) => format!("the text '{t}'"),
        Token::Sign(s) => format!("'{s}'"),
    }
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |s: &str| s.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(s.len());
        let length = if first.is_whitespace() {
            first.len_utf8()
        } else if first == '$' {
            let length = 1 + word(&rest[1..]);
            let name = &rest[..length];
            variable(name).ok_or_else(|| format!("unknown metavariable '{name}'; known ones: {KNOWN}"))?;
            found.push(Token::Word(name.to_owned()));
            length
        } else if first.is_alphabetic() {
            let length = word(rest);
            found.push(Token::Word(rest[..length].to_owned()));
            length
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = &rest[..length];
            let wrong = |_| format!("'{number}' is no number");
            found.push(match number.contains('.') {
                true => Token::Float(number.parse().map_err(|e: std::num::ParseFloatError| wrong(e.to_string()))?),
                false => Token::Int(number.parse().map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?),
            });
            length
        } else if first == '\'' {
            let end = rest[1..].find('\'').ok_or("a text has no end")?;
            found.push(Token::Text(rest[1..=end].to_owned()));
            end + 2
        } else {
            let sign = SIGNS.iter().find(|s| rest.starts_with(**s));
            let sign = sign.ok_or_else(|| format!("'{first}' has no place in a condition"))?;
            found.push(Token::Sign(sign));
            sign.len()
        };
        rest = &rest[length..];
    }
    Ok(found)
}

struct Reader {
    tokens: Vec<Token>,
    at: usize,
}

type Read = Result<Expr, String>;

impl Reader {
    fn see_depth(&self) -> Result<(), String> {
        let mut depth = Depth::new(BRACKETS_AT_MOST, WORDS_AT_MOST);
        let fine = self.tokens.iter().all(|token| {
            depth.see(match token {
                Token::Sign("(" | "[") => Mark::Open,
                Token::Sign(")" | "]") => Mark::Close,
                Token::Sign(",") => Mark::Between,
                _ => Mark::Word,
            })
        });
        if fine { Ok(()) } else { Err("nested too deeply, or too many operators in a row".into()) }
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(s)) if *s == sign);
        self.at += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Word(w)) if w.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), String> {
        if self.takes(sign) { Ok(()) } else { Err(format!("'{sign}' is missing")) }
    }

    fn expect_word(&mut self, word: &str) -> Result<(), String> {
        if self.takes_word(word) { Ok(()) } else { Err(format!("{word} is missing")) }
    }

    fn either(&mut self) -> Read {
        let mut left = self.exclusive()?;
        while self.takes_word("OR") {
            left = Expr::or(left, self.exclusive()?);
        }
        Ok(left)
    }

    fn exclusive(&mut self) -> Read {
        let mut left = self.both()?;
        while self.takes_word("XOR") {
            left = Expr::Xor(Box::new(left), Box::new(self.both()?));
        }
        Ok(left)
    }

    fn both(&mut self) -> Read {
        let mut left = self.negated()?;
        while self.takes_word("AND") {
            left = Expr::and(left, self.negated()?);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Read {
        if self.takes_word("NOT") { Ok(Expr::negated(self.negated()?)) } else { self.comparison() }
    }

    fn comparison(&mut self) -> Read {
        let left = self.sum()?;
        let comparisons = [
            ("=", Comparison::Equal),
            ("<>", Comparison::NotEqual),
            ("<=", Comparison::LessEqual),
            (">=", Comparison::GreaterEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        if let Some((_, how)) = comparisons.into_iter().find(|(sign, _)| self.takes(sign)) {
            return Ok(Expr::compare(how, left, self.sum()?));
        }
        if self.takes_word("IS") {
            let not = self.takes_word("NOT");
            self.expect_word("NULL")?;
            return Ok(if not { Expr::IsNotNull(Box::new(left)) } else { Expr::is_null(left) });
        }
        if self.takes_word("IN") {
            self.expect("[")?;
            let mut members = vec![self.either()?];
            while self.takes(",") {
                members.push(self.either()?);
            }
            self.expect("]")?;
            return Ok(Expr::In(Box::new(left), members));
        }
        let test = if self.takes("=~") {
            TextTest::Matches
        } else if self.takes_word("CONTAINS") {
            TextTest::Contains
        } else if self.takes_word("STARTS") {
            self.expect_word("WITH")?;
            TextTest::StartsWith
        } else if self.takes_word("ENDS") {
            self.expect_word("WITH")?;
            TextTest::EndsWith
        } else {
            return Ok(left);
        };
        Ok(Expr::Test(test, Box::new(left), Box::new(self.sum()?)))
    }

    fn sum(&mut self) -> Read {
        let mut left = self.product()?;
        loop {
            let how = match () {
                () if self.takes("+") => Operator::Add,
                () if self.takes("-") => Operator::Subtract,
                () => return Ok(left),
            };
            left = Expr::Arithmetic(how, Box::new(left), Box::new(self.product()?));
        }
    }

    fn product(&mut self) -> Read {
        let mut left = self.power()?;
        loop {
            let how = match () {
                () if self.takes("*") => Operator::Multiply,
                () if self.takes("/") => Operator::Divide,
                () if self.takes("%") => Operator::Remainder,
                () => return Ok(left),
            };
            left = Expr::Arithmetic(how, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Read {
        let left = self.single()?;
        if !self.takes("^") {
            return Ok(left);
        }
        Ok(Expr::Arithmetic(Operator::Power, Box::new(left), Box::new(self.single()?)))
    }

    fn single(&mut self) -> Read {
        if self.takes("(") {
            let inner = self.either()?;
            self.expect(")")?;
            return Ok(inner);
        }
        let negative = self.takes("-");
        let token = self.tokens.get(self.at).cloned().ok_or("the text ends where an expression should be")?;
        self.at += 1;
        Ok(match token {
            Token::Int(i) => Expr::int(if negative { -i } else { i }),
            Token::Float(f) => Expr::Literal(Literal::Float(if negative { -f } else { f })),
            other if negative => return Err(format!("a number should follow '-', not {}", shown(&other))),
            Token::Text(t) => Expr::text(&t),
            Token::Word(w) if w.starts_with('$') => Expr::Var(w),
            Token::Word(w) if w.eq_ignore_ascii_case("true") => Expr::truth(true),
            Token::Word(w) if w.eq_ignore_ascii_case("false") => Expr::truth(false),
            Token::Word(w) if w.eq_ignore_ascii_case("null") => Expr::Literal(Literal::Null),
            Token::Word(w) if w.eq_ignore_ascii_case("case") => return self.case(),
            Token::Word(name) if self.takes("(") => {
                let mut args = Vec::new();
                while !self.takes(")") {
                    args.push(self.either()?);
                    if !self.takes(",") {
                        self.expect(")")?;
                        break;
                    }
                }
                Expr::Call(name, args)
            }
            Token::Word(w) => return Err(format!("'{w}' is no metavariable; write $e or $P for it")),
            sign @ Token::Sign(_) => return Err(format!("unexpected {}", shown(&sign))),
        })
    }

    fn case(&mut self) -> Read {
        let mut arms = Vec::new();
        while self.takes_word("WHEN") {
            let when = self.either()?;
            self.expect_word("THEN")?;
            arms.push((when, self.either()?));
        }
        self.expect_word("ELSE")?;
        let otherwise = self.either()?;
        self.expect_word("END")?;
        Ok(Expr::Case(arms, Box::new(otherwise)))
    }
}
