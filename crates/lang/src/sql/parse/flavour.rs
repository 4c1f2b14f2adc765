//! What the parser of the crate `sqlparser` has to know to read SQL as SQLite does: its precedences, its
//! operators (IS between any two values, GLOB), its calls. What the parser has no place for (frames with EXCLUDE, index
//! hints, `IN table`) is turned, token by token, into something it has a place for; `convert.rs` turns it back.

use crate::depth::{Depth, Mark};
use sqlparser::ast::{BinaryOperator, Expr, ObjectName, UnaryOperator, Value};
use sqlparser::dialect::{Dialect, Precedence, SQLiteDialect};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};
use std::any::TypeId;

/// Calls that stand for what the parser cannot hold. No engine has functions of these names.
pub const FRAME_MARK: &str = "qualm frame";
pub const HINT_MARK: &str = "qualm hint";
pub const NAMED_MARK: &str = "qualm window";
/// Stands for the table of a name in double quotes, which is a text where there is no such column.
pub const QUOTED_MARK: &str = "qualm quoted";
/// The name of a join in parentheses, whose tables keep theirs.
pub const NESTED_MARK: &str = "qualm join";
/// Tables of WITH that stand for the hint of the table around them.
pub const MATERIALIZED_MARK: &str = "qualm materialized";
pub const NOT_MATERIALIZED_MARK: &str = "qualm not materialized";
/// A first table of WITH that says that a query in FROM sees what stands before it.
pub const LATERAL_MARK: &str = "qualm lateral";
/// How operators are spelled that the parser does not know.
pub const IS: &str = "IS";
pub const IS_NOT: &str = "IS NOT";
pub const NOT_GLOB: &str = "NOT GLOB";

const COLLATE: u8 = 70;
const UNARY: u8 = 60;
const CONCAT: u8 = 45;
const BITS: u8 = 25;
const ORDERING: u8 = 22;
const EQUALITY: u8 = 20;

#[derive(Debug)]
pub struct Flavour {
    base: SQLiteDialect,
    /// A backslash in a text is an escape.
    backslash: bool,
}

impl Flavour {
    pub fn new(backslash: bool) -> Flavour {
        Flavour { base: SQLiteDialect {}, backslash }
    }
}

impl Dialect for Flavour {
    fn dialect(&self) -> TypeId {
        self.base.dialect()
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        self.base.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        self.base.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.base.is_identifier_part(ch)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        self.backslash
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_in_empty_list(&self) -> bool {
        true
    }

    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_dollar_placeholder(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn prec_value(&self, prec: Precedence) -> u8 {
        match prec {
            Precedence::Between | Precedence::Eq | Precedence::Like | Precedence::Is => EQUALITY,
            Precedence::Ampersand | Precedence::Caret | Precedence::Pipe => BITS,
            Precedence::PgOther => CONCAT,
            other => self.base.prec_value(other),
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let precedence = match &parser.peek_token_ref().token {
            Token::Lt | Token::LtEq | Token::Gt | Token::GtEq => ORDERING,
            Token::StringConcat | Token::Arrow | Token::LongArrow => CONCAT,
            Token::Word(w) if w.keyword == Keyword::NOTNULL => EQUALITY,
            // Behind a value the parser takes it by itself; here it stands behind an operator such as ISNULL.
            Token::Word(w) if w.keyword == Keyword::COLLATE => COLLATE,
            _ => return None,
        };
        Some(Ok(precedence))
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        match parser.peek_token_ref().token.clone() {
            Token::Minus => Some(signed(parser, UnaryOperator::Minus)),
            Token::Plus => Some(signed(parser, UnaryOperator::Plus)),
            Token::Tilde => Some(signed(parser, UnaryOperator::BitwiseNot)),
            Token::Word(w) => word(parser, &w),
            _ => None,
        }
    }

    fn parse_infix(&self, parser: &mut Parser, left: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        let Token::Word(first) = &parser.peek_token_ref().token else { return None };
        let next = keyword_at(parser, 1);
        let (words, operator) = match (first.keyword, next) {
            (Keyword::NOTNULL, _) => {
                parser.next_token();
                return Some(Ok(Expr::IsNotNull(Box::new(left.clone()))));
            }
            (Keyword::COLLATE, _) => {
                parser.next_token();
                let named = parser.parse_object_name(false);
                return Some(named.map(|collation| Expr::Collate { expr: Box::new(left.clone()), collation }));
            }
            (Keyword::GLOB, _) => (1, BinaryOperator::Glob),
            (Keyword::MATCH, _) => (1, BinaryOperator::Match),
            (Keyword::NOT, Keyword::GLOB) => (2, BinaryOperator::Custom(NOT_GLOB.into())),
            (Keyword::IS, Keyword::NULL | Keyword::DISTINCT) => return None,
            (Keyword::IS, Keyword::TRUE | Keyword::FALSE) => return None,
            (Keyword::IS, Keyword::NOT) => match keyword_at(parser, 2) {
                Keyword::NULL | Keyword::TRUE | Keyword::FALSE | Keyword::DISTINCT => return None,
                _ => (2, BinaryOperator::Custom(IS_NOT.into())),
            },
            (Keyword::IS, _) => (1, BinaryOperator::Custom(IS.into())),
            _ => return None,
        };
        (0..words).for_each(|_| drop(parser.next_token()));
        let right = parser.parse_subexpr(precedence);
        Some(right.map(|right| Expr::BinaryOp { left: Box::new(left.clone()), op: operator, right: Box::new(right) }))
    }
}

fn keyword_at(parser: &Parser, n: usize) -> Keyword {
    match &parser.peek_nth_token_ref(n).token {
        Token::Word(w) => w.keyword,
        _ => Keyword::NoKeyword,
    }
}

/// `-5` is a number, `- 5` and `-(5)` are operators: the printer writes them so.
fn signed(parser: &mut Parser, op: UnaryOperator) -> Result<Expr, ParserError> {
    parser.next_token();
    if let (UnaryOperator::Minus, Token::Number(digits, long)) = (&op, parser.peek_token_no_skip().token) {
        parser.next_token();
        return Ok(Expr::value(Value::Number(format!("-{digits}"), long)));
    }
    Ok(Expr::UnaryOp { op, expr: Box::new(parser.parse_subexpr(UNARY)?) })
}

/// A name or a call, where the word does not begin something else. The parser's own way would take `substr`, `date` or
/// `like` for the beginning of some other engine's syntax.
fn word(parser: &mut Parser, w: &Word) -> Option<Result<Expr, ParserError>> {
    use Keyword::*;
    if matches!(w.keyword, NULL | TRUE | FALSE | CASE | CAST | EXISTS | NOT | SELECT | WITH | VALUES) {
        return None;
    }
    if matches!(w.keyword, CURRENT_DATE | CURRENT_TIME | CURRENT_TIMESTAMP | FROM | WHERE | GROUP | ORDER | HAVING) {
        return None;
    }
    let span = parser.next_token().span;
    let ident = w.clone().into_ident(span);
    if parser.peek_token_ref().token == Token::LParen {
        return Some(parser.parse_function(ObjectName::from(vec![ident])));
    }
    Some(Ok(Expr::Identifier(ident)))
}

// ---------------------------------------------------------------- tokens

/// A line of a statement, and whether each character of it is one byte.
type Line<'a> = (&'a str, bool);

/// The tokens of a statement, with what the parser has no place for put where it has one. Nothing when its tree may be
/// too deep.
pub fn tokens(
    text: &str,
    ours: &qualm_core::dialect::sql::Dialect,
    theirs: &dyn Dialect,
    mut depth: Depth,
) -> Result<Option<Vec<TokenWithSpan>>, String> {
    let tokens = Tokenizer::new(theirs, text).tokenize_with_location().map_err(|e| e.to_string())?;
    let mut words = tokens.iter().map(|t| &t.token).filter(|t| !matches!(t, Token::Whitespace(_)));
    if !words.all(|token| depth.see(mark_of(token))) {
        return Ok(None);
    }
    let tokens = super::spelling::literals(tokens, ours, theirs);
    let lines: Vec<Line> = text.split('\n').map(|line| (line, line.is_ascii())).collect();
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        at += put(&tokens, at, &lines, &mut out);
    }
    Ok(Some(out))
}

fn mark_of(token: &Token) -> Mark {
    match token {
        Token::LParen | Token::LBracket | Token::LBrace => Mark::Open,
        Token::RParen | Token::RBracket | Token::RBrace => Mark::Close,
        Token::Comma | Token::SemiColon => Mark::Between,
        Token::Word(w) if matches!(w.keyword, Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT) => Mark::Chain,
        _ => Mark::Word,
    }
}

/// Puts the token at a place, changed if need be, and says how many tokens that used up.
fn put(tokens: &[TokenWithSpan], at: usize, lines: &[Line], out: &mut Vec<TokenWithSpan>) -> usize {
    let token = &tokens[at];
    // Each blank is a token, and what follows them all would be looked for from each.
    if let Token::Whitespace(_) = token.token {
        out.push(token.clone());
        return 1;
    }
    let mut make = |t: Token| out.push(TokenWithSpan { token: t, span: token.span });
    let (second, second_at) = following(tokens, at);
    match (&token.token, second) {
        (Token::HexStringLiteral(digits), _) if !is_blob(token, lines) => {
            let value = u64::from_str_radix(digits, 16).map(|v| v as i64).unwrap_or(0);
            make(Token::Number(value.to_string(), false));
        }
        (Token::Placeholder(name), _) if name.starts_with('$') => make(Token::make_word(name, Some('"'))),
        (Token::Word(not), Some(Token::Word(hint))) if is(not, "NOT") && is(hint, "INDEXED") => {
            hint_call(None, &mut make);
            return second_at - at + 1;
        }
        (Token::Word(hint), Some(Token::Word(by))) if is(hint, "INDEXED") && is(by, "BY") => {
            let (Some(Token::Word(index)), end) = following(tokens, second_at) else {
                make(token.token.clone());
                return 1;
            };
            hint_call(Some(&index.value), &mut make);
            return end - at + 1;
        }
        (Token::Word(w), Some(Token::Word(table))) if is(w, "IN") => {
            let all = [Token::make_keyword("IN"), Token::LParen, Token::make_keyword("SELECT"), Token::Mul];
            all.into_iter().for_each(&mut make);
            make(Token::make_keyword("FROM"));
            make(Token::Word(table.clone()));
            make(Token::RParen);
            return second_at - at + 1;
        }
        (Token::Word(w), Some(Token::LParen)) if is(w, "MATERIALIZED") => {
            return materialized(MATERIALIZED_MARK, tokens, at, second_at, &mut make);
        }
        (Token::Word(not), Some(Token::Word(w))) if is(not, "NOT") && is(w, "MATERIALIZED") => {
            let (_, open) = following(tokens, second_at);
            return materialized(NOT_MATERIALIZED_MARK, tokens, at, open, &mut make);
        }
        (Token::Word(w), after) if is(w, "ISNULL") && after != Some(&Token::LParen) => {
            ["IS", "NULL"].into_iter().for_each(|w| make(Token::make_keyword(w)));
        }
        (Token::Word(w), Some(Token::LParen)) if is(w, "OVER") => return window(tokens, at, second_at, lines, out),
        // `WINDOW w AS (…)`, and further ones behind a comma.
        (Token::Word(w), Some(Token::LParen)) if is(w, "AS") && defines_window(tokens, at) => {
            return window(tokens, at, second_at, lines, out);
        }
        _ => make(token.token.clone()),
    }
    1
}

fn is(word: &Word, text: &str) -> bool {
    word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text)
}

/// `x'00'` and `0x00` are the same to the tokenizer; SQLite reads a blob and a number.
fn is_blob(token: &TokenWithSpan, lines: &[Line]) -> bool {
    let (line, column) = (token.span.start.line as usize, token.span.start.column as usize);
    let first = lines.get(line.wrapping_sub(1)).and_then(|(text, ascii)| match ascii {
        true => text.as_bytes().get(column.wrapping_sub(1)).map(|b| char::from(*b)),
        false => text.chars().nth(column.wrapping_sub(1)),
    });
    first != Some('0')
}

/// The next token that is neither space nor comment, and where it is.
fn following(tokens: &[TokenWithSpan], at: usize) -> (Option<&Token>, usize) {
    let found = (at + 1..tokens.len()).find(|i| !matches!(tokens[*i].token, Token::Whitespace(_)));
    found.map_or((None, tokens.len()), |i| (Some(&tokens[i].token), i))
}

fn hint_call(index: Option<&str>, make: &mut impl FnMut(Token)) {
    make(Token::make_keyword("WITH"));
    make(Token::LParen);
    mark(HINT_MARK, index.unwrap_or_default(), make);
    make(Token::RParen);
}

fn mark(name: &str, text: &str, make: &mut impl FnMut(Token)) {
    make(Token::make_word(name, Some('"')));
    make(Token::LParen);
    make(Token::SingleQuotedString(text.to_owned()));
    make(Token::RParen);
}

/// `AS MATERIALIZED (query)` becomes `AS (WITH mark AS (VALUES (1)) query)`.
fn materialized(mark: &str, tokens: &[TokenWithSpan], at: usize, open: usize, make: &mut impl FnMut(Token)) -> usize {
    make(Token::LParen);
    make(Token::make_keyword("WITH"));
    make(Token::make_word(mark, Some('"')));
    make(Token::make_keyword("AS"));
    make(Token::LParen);
    make(Token::make_keyword("VALUES"));
    let one = Token::Number("1".into(), false);
    [Token::LParen, one, Token::RParen, Token::RParen].into_iter().for_each(&mut *make);
    // The query's own WITH goes on after the mark.
    let mut end = open;
    for word in ["WITH", "RECURSIVE"] {
        let (next, next_at) = following(tokens, end);
        if matches!(next, Some(Token::Word(w)) if is(w, word)) {
            if word == "WITH" {
                make(Token::Comma);
            }
            end = next_at;
        } else {
            break;
        }
    }
    end - at + 1
}

/// `OVER (… frame)`: the frame becomes a call at the end of ORDER BY that holds its text.
fn window(tokens: &[TokenWithSpan], over: usize, open: usize, lines: &[Line], out: &mut Vec<TokenWithSpan>) -> usize {
    let span = tokens[over].span;
    out.push(tokens[over].clone());
    out.push(tokens[open].clone());
    let (mut depth, mut ordered) = (1, false);
    let mut frame: Option<Vec<String>> = None;
    let mut at = open + 1;
    while at < tokens.len() {
        match &tokens[at].token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            Token::Word(w) if depth == 1 && is(w, "ORDER") => ordered = true,
            Token::Word(w) if depth == 1 && (is(w, "ROWS") || is(w, "RANGE") || is(w, "GROUPS")) => {
                // A column may have that name, but then no bound follows.
                frame = begins_frame(tokens, at).then(Vec::new).or(frame);
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
        match (&mut frame, &tokens[at].token) {
            (Some(_), Token::Whitespace(_)) => at += 1,
            (Some(words), token) => {
                words.push(token.to_string().to_ascii_uppercase());
                at += 1;
            }
            (None, _) => at += put(tokens, at, lines, out),
        }
    }
    if let Some(words) = frame {
        let mut make = |token: Token| out.push(TokenWithSpan { token, span });
        match ordered {
            true => make(Token::Comma),
            false => ["ORDER", "BY"].into_iter().for_each(|w| make(Token::make_keyword(w))),
        }
        mark(FRAME_MARK, &words.join(" "), &mut make);
    }
    out.extend(tokens.get(at).cloned());
    at + 1 - over
}

/// Whether the AS at this place is that of `WINDOW name AS (`, or of a name behind a comma in such a list.
fn defines_window(tokens: &[TokenWithSpan], at: usize) -> bool {
    let mut words = tokens[..at].iter().rev().map(|t| &t.token).filter(|t| !matches!(t, Token::Whitespace(_)));
    if !matches!(words.next(), Some(Token::Word(_))) {
        return false;
    }
    loop {
        match words.next() {
            Some(Token::Word(w)) => return is(w, "WINDOW"),
            // The definition before it, from its end.
            Some(Token::Comma) => {}
            _ => return false,
        }
        let mut depth = 0;
        for token in words.by_ref() {
            depth += i32::from(*token == Token::RParen) - i32::from(*token == Token::LParen);
            if depth == 0 {
                break;
            }
        }
        let (named, defined) = (words.next(), words.next());
        let is_definition =
            matches!(named, Some(Token::Word(w)) if is(w, "AS")) && matches!(defined, Some(Token::Word(_)));
        if !is_definition {
            return false;
        }
    }
}

fn begins_frame(tokens: &[TokenWithSpan], at: usize) -> bool {
    match following(tokens, at).0 {
        Some(Token::Word(w)) => ["BETWEEN", "UNBOUNDED", "CURRENT"].iter().any(|k| is(w, k)),
        Some(Token::Number(..)) => true,
        _ => false,
    }
}
