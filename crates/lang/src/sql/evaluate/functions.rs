//! Functions. What chooses among its arguments is here for every dialect; SQLite's own functions are here, those of the
//! others in `typed.rs`.

use super::{Collations, Env, Evaluator, Operand, patterns, sqlite, typed};
use crate::sql::ast::*;
use qualm_core::dialect::sql::Semantics;
use qualm_core::value::{Value, hex};
use std::cmp::Ordering;

/// Functions that only tell the optimiser something.
pub fn is_hint(function: &str) -> bool {
    ["likely", "unlikely", "likelihood"].iter().any(|h| function.eq_ignore_ascii_case(h))
}

impl Evaluator<'_> {
    pub(super) fn call(&self, function: &str, args: &[Expr], env: &Env) -> Option<Value> {
        let name = function.to_ascii_lowercase();
        match (name.as_str(), args) {
            ("coalesce" | "ifnull", [_, _, ..]) => {
                for x in args {
                    let value = self.value(x, env)?;
                    if value != Value::Null {
                        return Some(value);
                    }
                }
                return Some(Value::Null);
            }
            ("iif" | "if", [test, yes, no]) => {
                let chosen = if self.truth(test, env)? == Some(true) { yes } else { no };
                return self.value(chosen, env);
            }
            ("nullif", [a, b]) => {
                let (a, b) = (self.operand(a, env)?, self.operand(b, env)?);
                let same = self.unconverted(&a, &b)? == Some(Ordering::Equal);
                return Some(if same { Value::Null } else { a.value });
            }
            ("isnull", [x]) if !self.is_sqlite() => {
                return Some(Value::Int((self.value(x, env)? == Value::Null).into()));
            }
            ("min" | "max", [_, _, ..]) if self.is_sqlite() => return self.extreme(args, name == "max", env),
            _ => {}
        }
        let values: Option<Vec<Value>> = args.iter().map(|x| self.value(x, env)).collect();
        let values = values?;
        match self.semantics {
            Semantics::Sqlite => call(&name, &values, self.data.utf8),
            // Where NULL is no argument like others, it is said with the function.
            Semantics::Typed(rules) => {
                // What the engine's catalogue adds is not compared with it anywhere.
                let known = self.dialect.functions.iter().any(|f| f.name.eq_ignore_ascii_case(&name));
                if !known && self.dialect.every_function().any(|f| f.name.eq_ignore_ascii_case(&name)) {
                    return None;
                }
                if values.contains(&Value::Null) {
                    let propagates = match name.as_str() {
                        "greatest" | "least" => rules.greatest_of_null_is_null,
                        "concat" => rules.concat_of_null_is_null,
                        name => PROPAGATING.contains(&name),
                    };
                    return (known && propagates).then_some(Value::Null);
                }
                typed::call(&name, &values, self.semantics)
            }
        }
    }

    /// How values compare where no affinity is applied: inside functions.
    fn unconverted(&self, a: &Operand, b: &Operand) -> Option<Option<Ordering>> {
        let plain = |o: &Operand| Operand { value: o.value.clone(), affinity: super::Affinities::NONE, ..*o };
        self.order(&plain(a), &plain(b))
    }

    /// The least or the greatest of several; the first argument that has a collation compares.
    fn extreme(&self, args: &[Expr], greatest: bool, env: &Env) -> Option<Value> {
        let operands: Option<Vec<Operand>> = args.iter().map(|x| self.operand(x, env)).collect();
        let operands = operands?;
        if operands.iter().any(|o| o.value == Value::Null) {
            return Some(Value::Null);
        }
        let set = operands.iter().fold(1, |set, o| if set & 1 != 0 { set & !1 | o.collation.set } else { set });
        let collation = Collations { set, explicit: true };
        let mut found: Option<&Operand> = None;
        for o in &operands {
            let better = match found {
                None => true,
                Some(best) => {
                    let (x, y) = (Operand { collation, value: best.value.clone(), ..*best }, o);
                    let order = self.unconverted(&x, y)??;
                    // Which of two equal ones comes is not said.
                    if order == Ordering::Equal && best.value != o.value {
                        return None;
                    }
                    order.is_lt() == greatest && order.is_ne()
                }
            };
            if better {
                found = Some(o);
            }
        }
        found.map(|o| o.value.clone())
    }
}

/// Longer texts and blobs are not made.
pub(super) const MOST_BYTES: i64 = 1_000;

/// Functions of typed dialects that give NULL for a NULL argument, whatever the others are. A function that is not here
/// is not known with a NULL: `replace` is missing because MariaDB's ignores a NULL where it has nothing to look for.
const PROPAGATING: &[&str] = &[
    "abs",
    "ascii",
    "atan",
    "bit_length",
    "btrim",
    "cbrt",
    "ceil",
    "ceiling",
    "char_length",
    "character_length",
    "contains",
    "encode",
    "floor",
    "gcd",
    "hex",
    "initcap",
    "insert",
    "instr",
    "isfinite",
    "isnan",
    "left",
    "length",
    "levenshtein",
    "locate",
    "lower",
    "lpad",
    "ltrim",
    "md5",
    "octet_length",
    "prefix",
    "repeat",
    "reverse",
    "right",
    "round",
    "rpad",
    "rtrim",
    "sha256",
    "sign",
    "starts_with",
    "strcmp",
    "strip_accents",
    "strlen",
    "strpos",
    "substr",
    "substring",
    "suffix",
    "to_hex",
    "translate",
    "trim",
    "trunc",
    "unicode",
    "upper",
    "xor",
];

/// SQLite's functions. `utf8`: texts are stored as their bytes here.
fn call(name: &str, args: &[Value], utf8: bool) -> Option<Value> {
    if !KNOWN.contains(&name) {
        return of_any(name, args, utf8);
    }
    if args.contains(&Value::Null) {
        // With nothing to look for, `replace` does not look at what NULL would put there.
        return (name != "replace").then_some(Value::Null);
    }
    match (name, args) {
        ("octet_length", [x]) if utf8 => Some(Value::Int(sqlite::bytes(x)?.len() as i64)),
        ("round", [x, rest @ ..]) if rest.len() < 2 => round(x, rest.first()),
        ("abs", [Value::Int(i)]) => i.checked_abs().map(Value::Int),
        ("abs", [x @ (Value::Real(_) | Value::Text(_))]) => sqlite::real(x).map(|r| Value::Real(r.abs())),
        ("length", [Value::Blob(b)]) => Some(Value::Int(b.len() as i64)),
        ("substr" | "substring", [x, Value::Int(from), rest @ ..]) => substring(x, *from, rest),
        _ => of_texts(name, args),
    }
}

/// Those that look at NULL too.
fn of_any(name: &str, args: &[Value], utf8: bool) -> Option<Value> {
    use Value::{Blob, Int, Null, Text};
    let text = |t: String| Some(Text(t));
    match (name, args) {
        ("typeof", [x]) => text(storage_class(x)?.to_owned()),
        ("likely" | "unlikely", [x]) | ("likelihood", [x, _]) => Some(x.clone()),
        ("hex", [Null]) => text(String::new()),
        ("hex", [x]) if utf8 => text(hex(&sqlite::bytes(x)?)),
        ("quote", [Null]) => text("NULL".to_owned()),
        // Older releases give numbers back as they are.
        ("quote", [Text(t)]) => text(format!("'{}'", t.replace('\'', "''"))),
        ("quote", [Blob(b)]) => text(format!("X'{}'", hex(b))),
        ("concat", parts @ [_, ..]) => text(texts(parts)?.concat()),
        ("concat_ws", [between @ (Text(_) | Int(_)), parts @ ..]) if !parts.is_empty() => {
            text(texts(parts)?.join(&sqlite::plain_text(between)?))
        }
        ("sign", [x]) => sign(x),
        ("zeroblob", [Int(n)]) if *n <= MOST_BYTES => Some(Blob(vec![0; (*n).max(0) as usize])),
        ("char", parts) => {
            let code = |p: &Value| match p {
                Int(i @ 1..=0xD7FF) => char::from_u32(*i as u32),
                _ => None,
            };
            text(parts.iter().map(code).collect::<Option<String>>()?)
        }
        _ => None,
    }
}

fn storage_class(x: &Value) -> Option<&'static str> {
    match x {
        Value::Null => Some("null"),
        Value::Int(_) => Some("integer"),
        Value::Real(_) => Some("real"),
        Value::Text(_) => Some("text"),
        Value::Blob(_) => Some("blob"),
        _ => None,
    }
}

/// Those that are not NULL, as text.
fn texts(parts: &[Value]) -> Option<Vec<String>> {
    parts.iter().filter(|p| **p != Value::Null).map(sqlite::plain_text).collect()
}

/// Those that read their arguments as text.
fn of_texts(name: &str, args: &[Value]) -> Option<Value> {
    let count = |n: usize| Some(Value::Int(n as i64));
    let text = |t: String| Some(Value::Text(t));
    let read: Option<Vec<String>> = args.iter().map(sqlite::plain_text).collect();
    let read = read?;
    let read: Vec<&str> = read.iter().map(String::as_str).collect();
    match (name, read.as_slice()) {
        ("length", [x]) => count(x.chars().count()),
        ("lower", [x]) => text(x.to_ascii_lowercase()),
        ("upper", [x]) => text(x.to_ascii_uppercase()),
        ("trim" | "ltrim" | "rtrim", [x]) => text(trimmed(name, x, " ")),
        ("trim" | "ltrim" | "rtrim", [x, set]) => text(trimmed(name, x, set)),
        // What is no text comes back as it is, or as text.
        ("replace", [_, "", _]) => matches!(args[0], Value::Text(_)).then(|| args[0].clone()),
        ("replace", [x, from, to]) => text(x.replace(from, to)),
        ("instr", [x, part]) => count(x.find(part).map_or(0, |at| x[..at].chars().count() + 1)),
        ("unicode", [x]) => Some(x.chars().next().map_or(Value::Null, |c| Value::Int(c as i64))),
        ("like", [pattern, x]) => patterns::like(x, pattern, None, true).map(|t| Value::Int(t.into())),
        ("glob", [pattern, x]) => patterns::glob(x, pattern).map(|t| Value::Int(t.into())),
        _ => None,
    }
}

fn trimmed(name: &str, x: &str, set: &str) -> String {
    let mut cut = x;
    if name != "rtrim" {
        cut = cut.trim_start_matches(|c| set.contains(c));
    }
    if name != "ltrim" {
        cut = cut.trim_end_matches(|c| set.contains(c));
    }
    cut.to_owned()
}

fn substring(x: &Value, from: i64, rest: &[Value]) -> Option<Value> {
    let n = match rest {
        [] => None,
        [Value::Int(n)] => Some(*n),
        _ => return None,
    };
    match x {
        // SQLite has no empty blob here: it gives NULL.
        Value::Blob(b) if b.is_empty() => None,
        Value::Blob(b) => Some(Value::Blob(part(b, from, n)?)),
        other => {
            let chars: Vec<char> = sqlite::plain_text(other)?.chars().collect();
            Some(Value::Text(part(&chars, from, n)?.into_iter().collect()))
        }
    }
}

/// Functions that give NULL for a NULL argument.
const KNOWN: &[&str] = &[
    "abs",
    "length",
    "octet_length",
    "lower",
    "upper",
    "trim",
    "ltrim",
    "rtrim",
    "substr",
    "substring",
    "replace",
    "instr",
    "unicode",
    "round",
    "like",
    "glob",
];

fn sign(x: &Value) -> Option<Value> {
    match x {
        Value::Int(i) => Some(Value::Int(i.signum())),
        Value::Real(r) => Some(Value::Int(if *r > 0.0 { 1 } else { -i64::from(*r < 0.0) })),
        Value::Null => Some(Value::Null),
        _ => None,
    }
}

/// `substr`: positions count from 1, from the end if negative; a negative length takes what stands before.
fn part<T: Clone>(all: &[T], from: i64, n: Option<i64>) -> Option<Vec<T>> {
    let small = |i: i64| i.unsigned_abs() < 1 << 30;
    if !small(from) || !n.is_none_or(small) {
        return None;
    }
    let length = all.len() as i64;
    let (mut at, mut n, backwards) = match n {
        Some(n) => (from, n.abs(), n < 0),
        None => (from, 1 << 31, false),
    };
    if at < 0 {
        at += length;
        if at < 0 {
            n = (n + at).max(0);
            at = 0;
        }
    } else if at > 0 {
        at -= 1;
    } else if n > 0 {
        n -= 1;
    }
    if backwards {
        at -= n;
        if at < 0 {
            n += at;
            at = 0;
        }
    }
    let begin = at.clamp(0, length) as usize;
    let end = (at + n.max(0)).clamp(0, length) as usize;
    Some(all[begin..end.max(begin)].to_vec())
}

/// Only what needs no rounding of decimals.
fn round(x: &Value, digits: Option<&Value>) -> Option<Value> {
    let digits = match digits {
        None => 0,
        Some(Value::Int(n)) => (*n).clamp(0, 30),
        Some(_) => return None,
    };
    let r = match x {
        Value::Blob(_) => return None,
        other => sqlite::real(other)?,
    };
    if r.abs() > 1e15 {
        return None;
    }
    let rounded = if r.fract() == 0.0 {
        r
    } else if digits == 0 && (r * 4.0).fract() == 0.0 {
        (r + if r < 0.0 { -0.5 } else { 0.5 }).trunc()
    } else {
        let written = format!("{r:?}");
        let fraction = written.split_once('.').map_or(0, |(_, f)| f.len() as i64);
        if written.contains('e') || fraction > digits {
            return None;
        }
        r
    };
    (rounded != 0.0 || rounded.is_sign_positive()).then_some(Value::Real(rounded))
}
