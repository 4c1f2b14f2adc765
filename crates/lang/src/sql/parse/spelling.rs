//! The printer's spellings read back: what a dialect writes in its own way (`Spelling`) becomes what all dialects write
//! alike, before the parser sees it (literals) or after it (operators, names of functions and types, table options).
//!
//! Where one text stands for several trees, the reader gives one of them:
//! - `concat(a, b)` is the operator, where the dialect has no other way to write it;
//! - a null-safe comparison is `IsNotDistinctFrom`, and its opposite NOT of it where there is no operator for that;
//! - a comma before a JOIN that binds more tightly has been written CROSS JOIN, and stays that.

use super::convert::Read;
use crate::sql::ast::*;
use crate::sql::walk::{self, Tree};
use qualm_core::dialect::sql::{Concat, Dialect, KindSpec, NullSafe, Special, Spelling, same_type};
use sqlparser::ast::DollarQuotedString;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer};

/// Stands for what a spelling puts its text around.
const SLOT: &str = "0";
/// Stands for `{column}` in the options of a table.
const COLUMN: &str = "qualm_column";

type Theirs<'a> = &'a dyn sqlparser::dialect::Dialect;

// ---------------------------------------------------------------- literals

/// How a literal is written that is not one token: the tokens, and which one of them holds its text behind a prefix.
struct Form {
    tokens: Vec<Token>,
    slot: usize,
    prefix: String,
}

fn form((before, after): (&str, &str), theirs: Theirs) -> Option<Form> {
    let tokens = without_blanks(&format!("{before}{SLOT}{after}"), theirs);
    let holds = |t: &Token| match t {
        Token::SingleQuotedString(text) => text.strip_suffix(SLOT).map(str::to_owned),
        _ => None,
    };
    let (slot, prefix) = tokens.iter().enumerate().find_map(|(i, t)| Some((i, holds(t)?)))?;
    (tokens.len() > 1).then_some(Form { tokens, slot, prefix })
}

fn without_blanks(text: &str, theirs: Theirs) -> Vec<Token> {
    let mut tokens = Tokenizer::new(theirs, text).tokenize().unwrap_or_default();
    tokens.retain(|t| !matches!(t, Token::Whitespace(_)));
    tokens
}

fn is_same(a: &Token, b: &Token) -> bool {
    a == b || a.to_string().eq_ignore_ascii_case(&b.to_string())
}

impl Form {
    /// The text of the literal that begins at a place, and how many tokens it takes.
    fn text<'t>(&self, tokens: &'t [TokenWithSpan], at: usize) -> Option<(&'t str, usize)> {
        let mut next = at;
        let mut found = None;
        for (i, wanted) in self.tokens.iter().enumerate() {
            if i > 0 {
                next += tokens[next..].iter().take_while(|t| matches!(t.token, Token::Whitespace(_))).count();
            }
            let token = &tokens.get(next)?.token;
            match token {
                Token::SingleQuotedString(text) if i == self.slot => found = Some(text.strip_prefix(&self.prefix)?),
                _ if i == self.slot || !is_same(token, wanted) => return None,
                _ => {}
            }
            next += 1;
        }
        Some((found?, next - at))
    }
}

/// Tokens with the dialect's own literals as plain ones: `float8 '1.5'` is a number, `unhex('00')` a blob.
pub fn literals(tokens: Vec<TokenWithSpan>, dialect: &Dialect, theirs: Theirs) -> Vec<TokenWithSpan> {
    let real = form(dialect.spelling.real, theirs);
    let blob = form(dialect.spelling.blob, theirs);
    let special = |k: &KindSpec| form(k.literal, theirs).map(|f| (k.name, f));
    let special: Vec<(&str, Form)> = dialect.kinds.iter().filter_map(special).collect();
    if real.is_none() && blob.is_none() && special.is_empty() {
        return tokens;
    }
    let number = |text: &str| {
        text.parse::<f64>().ok()?;
        // Digits alone would be read as an integer.
        let whole = text.parse::<i64>().is_ok();
        Some(Token::Number(if whole { format!("{text}e0") } else { text.to_owned() }, false))
    };
    let bytes = |text: &str| {
        let hex = text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit());
        hex.then(|| Token::HexStringLiteral(text.to_owned()))
    };
    let mut out = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let real = real.as_ref().and_then(|f| f.text(&tokens, at)).and_then(|(t, used)| Some((number(t)?, used)));
        let blob = || blob.as_ref().and_then(|f| f.text(&tokens, at)).and_then(|(t, used)| Some((bytes(t)?, used)));
        let special = || {
            let found = special.iter().find_map(|(kind, f)| f.text(&tokens, at).map(|(text, used)| (kind, text, used)));
            found.map(|(kind, text, used)| (marked(kind, text), used))
        };
        let (token, used) = real.or_else(blob).or_else(special).unwrap_or_else(|| (tokens[at].token.clone(), 1));
        out.push(TokenWithSpan { token, span: tokens[at].span });
        at += used;
    }
    out
}

/// A literal of a special kind as a token that no text holds: what stands between the dollars is no name.
fn marked(kind: &str, text: &str) -> Token {
    let tag = Some(format!("{MARK}{kind}"));
    Token::DollarQuotedString(DollarQuotedString { value: text.to_owned(), tag })
}

/// The kind and the text of such a token.
pub fn unmarked(literal: &DollarQuotedString) -> Option<Literal> {
    let kind = literal.tag.as_deref()?.strip_prefix(MARK)?;
    Some(Literal::Special(Special::named(kind), literal.value.clone()))
}

const MARK: &str = "qualm kind ";

// ---------------------------------------------------------------- trees

/// Writes names as the dialect does, and turns calls into the operators that they stand for.
pub fn settle(tree: &mut impl Tree, dialect: &Dialect) -> Read<()> {
    // Where names of functions are case-sensitive, the others are kept as they were written.
    let by_case = dialect.every_function().any(|f| f.name.bytes().any(|b| b.is_ascii_uppercase()));
    walk::each_expr_mut(tree, &mut |e| {
        match e {
            Expr::Call { function, args } => {
                if function.eq_ignore_ascii_case(dialect.spelling.counted)
                    && args.len() == 1
                    && let Some(inner) = args.pop_if(|inner| is_counted(inner))
                {
                    *e = inner;
                    return;
                }
                let known = dialect.every_function().find(|f| f.name.eq_ignore_ascii_case(function));
                let aggregate = dialect.aggregates_named(function).next();
                if known.is_none()
                    && let Some(known) = aggregate
                {
                    let (function, args) = (known.name.into(), std::mem::take(args));
                    *e = Expr::Aggregate(Box::new(Aggregate { function, args, distinct: false, filter: None }));
                    return;
                }
                match known {
                    Some(known) => *function = known.name.into(),
                    None if by_case => {}
                    None => *function = function.to_ascii_lowercase().into(),
                }
            }
            Expr::Aggregate(a) => {
                let known = dialect.aggregates_named(&a.function).next();
                known.into_iter().for_each(|known| a.function = known.name.into());
            }
            Expr::Window(w) if of_another_row(&w.function.function) => {
                if let Some(Expr::Call { function, args }) = w.function.args.first_mut()
                    && function.eq_ignore_ascii_case(dialect.spelling.other_row)
                    && args.len() == 1
                    && let Some(inner) = args.pop()
                {
                    w.function.args[0] = inner;
                }
            }
            Expr::Cast { type_name, .. } => *type_name = spelled_type(type_name, dialect),
            _ => {}
        }
        if let Some(operator) = operator(e, &dialect.spelling) {
            *e = operator;
        }
    });
    let mut reads_alike = true;
    if dialect.spelling.comma_binds_weakly {
        walk::each_select(tree, &mut |s| reads_alike &= !commas_matter(&s.from));
    }
    if reads_alike { Ok(()) } else { Err("a comma before a join of what follows it is not read".into()) }
}

fn is_counted(e: &Expr) -> bool {
    match e {
        Expr::Aggregate(a) => counts(&a.function),
        Expr::Window(w) => counts(&w.function.function),
        _ => false,
    }
}

fn spelled_type(name: &Name, dialect: &Dialect) -> Name {
    let casts = dialect.spelling.casts.iter().map(|(_, name)| *name).chain(dialect.kinds.iter().map(|k| k.cast));
    let mut known = casts.chain(dialect.types.iter().map(|t| t.name));
    known.find(|k| same_type(k, name)).map_or_else(|| name.clone(), Name::from)
}

fn operator(e: &Expr, spelling: &Spelling) -> Option<Expr> {
    let Expr::Call { function, args } = e else { return None };
    let [first, second] = args.as_slice() else { return None };
    if spelling.concat == Concat::Function && function == "concat" {
        return Some(Expr::Binary(Binary::Concat, Box::new(first.clone()), Box::new(second.clone())));
    }
    if spelling.null_safe != NullSafe::IfNull || !function.eq_ignore_ascii_case("ifNull") {
        return None;
    }
    let (Expr::Binary(Binary::Eq, a, b), Expr::Binary(Binary::And, x, y)) = (first, second) else { return None };
    let both_null = **x == a.as_ref().clone().is_null() && **y == b.as_ref().clone().is_null();
    both_null.then(|| Expr::Binary(Binary::IsNotDistinctFrom, a.clone(), b.clone()))
}

/// Members of FROM are read from left to right, but a JOIN binds more tightly than a comma here: for these joins that
/// is not the same.
fn commas_matter(from: &[Joined]) -> bool {
    let comma = from.iter().skip(1).position(|j| j.join == Join::Comma);
    let sees_all = |j: &Joined| j.merges() || j.join.keeps_right();
    comma.is_some_and(|at| from[at + 1..].iter().any(sees_all))
}

// ---------------------------------------------------------------- words at the end of statements

/// Takes this text if it comes next, and says which column stands for `{column}` in it.
pub fn took(parser: &mut Parser, text: &str, theirs: Theirs) -> Option<Option<Name>> {
    let wanted = without_blanks(&text.replace("{column}", COLUMN), theirs);
    let mut column = None;
    for (i, wanted) in wanted.iter().enumerate() {
        match (wanted, &parser.peek_nth_token_ref(i).token) {
            (Token::Word(slot), Token::Word(given)) if slot.value == COLUMN => {
                column = Some(given.value.as_str().into())
            }
            (wanted, given) if is_same(wanted, given) => {}
            _ => return None,
        }
    }
    wanted.iter().for_each(|_| parser.advance_token());
    Some(column)
}

/// Whether a statement is one of those that the dialect says change no answer.
pub fn is_maintenance(text: &str, dialect: &Dialect) -> bool {
    let quoted = |name: &str| {
        let inner = name.strip_prefix(dialect.quote).and_then(|n| n.strip_suffix(dialect.quote));
        inner.is_some_and(|n| !n.is_empty() && !n.contains(dialect.quote))
    };
    let plain = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let fits = |pattern: &&str| match pattern.split_once("{table}") {
        None => pattern.eq_ignore_ascii_case(text),
        Some((before, after)) => {
            let name = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            name.is_some_and(|name| plain(name) || quoted(name))
        }
    };
    let files = [dialect.on_disk.0, dialect.on_disk.1];
    dialect.settings.contains(&text) || files.contains(&text) || dialect.maintenance.iter().any(fits)
}
