//! What a program outputs, and the files that Soufflé writes for it.

use qualm_core::value::{Rows, Value};

/// More tuples than this are not read.
const ANSWER_ROWS: usize = 100_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Float,
    Symbol,
    /// A record or an algebraic type of the program: its text is its value.
    Built,
}

/// The relation that `.output` names and the kinds of its columns, from its declaration.
pub fn output(text: &str) -> Option<(&str, Vec<Kind>)> {
    let mut outputs = text.lines().filter_map(|line| line.trim().strip_prefix(".output "));
    let name = outputs.next()?.split(['(', ' ']).next()?;
    let declared = text.lines().find_map(|line| {
        line.trim().strip_prefix(".decl ")?.trim_start().strip_prefix(name)?.trim_start().strip_prefix('(')
    })?;
    let attributes = declared.split(')').next()?.split(',').filter(|a| !a.trim().is_empty());
    let kinds: Option<Vec<Kind>> = attributes.map(|a| kind(a.split_once(':')?.1.trim(), text)).collect();
    outputs.next().is_none().then_some((name, kinds?))
}

fn kind(name: &str, text: &str) -> Option<Kind> {
    match name {
        "number" | "unsigned" => Some(Kind::Whole),
        "float" => Some(Kind::Float),
        "symbol" => Some(Kind::Symbol),
        other => {
            let declared = |line: &str| Some(line.strip_prefix(".type ")?.split_once(" = ")?.0 == other);
            text.lines().any(|line| declared(line) == Some(true)).then_some(Kind::Built)
        }
    }
}

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line for each tuple, tabs between its values, symbols as they are.
    Plain,
    /// Commas between the values, symbols in quotes: `rfc4180=true`.
    Quoted,
}

/// Whether a symbol of this program may have a line break or a tab in it, which makes two tuples of one in the plain
/// form. No functor makes one of symbols that have none.
pub fn needs_quotes(text: &str) -> bool {
    let odd = |line: &str| line.matches('"').count() % 2 == 1;
    text.contains(['\\', '\t', '\r']) || text.lines().any(odd)
}

pub fn tuples(text: &str, kinds: &[Kind], form: Form) -> Result<Rows, String> {
    let mut rows = Rows::new(kinds.len().max(1));
    if kinds.is_empty() {
        for line in text.lines() {
            let unread = || format!("cannot read the tuple '{line}'");
            (line == "()").then(|| rows.cells.push(Value::Bool(true))).ok_or_else(unread)?;
        }
        return Ok(rows);
    }
    let mut rest = text;
    while !rest.is_empty() {
        for (at, kind) in kinds.iter().enumerate() {
            let last = at + 1 == kinds.len();
            let (value, after) = cell(rest, *kind, form, last).ok_or_else(|| unread(rest))?;
            rows.cells.push(value);
            rest = after;
        }
        if rows.len() > ANSWER_ROWS {
            return Err("the answer is too long".into());
        }
    }
    Ok(rows)
}

fn unread(rest: &str) -> String {
    format!("cannot read the tuple '{}'", rest.lines().next().unwrap_or_default())
}

/// The value that the text begins with, and what comes behind it and its separator.
fn cell(rest: &str, kind: Kind, form: Form, last: bool) -> Option<(Value, &str)> {
    let separator = match (last, form) {
        (true, _) => '\n',
        (false, Form::Plain) => '\t',
        (false, Form::Quoted) => ',',
    };
    if let (Kind::Symbol, Form::Quoted) = (kind, form) {
        let (symbol, after) = quoted(rest.strip_prefix('"')?)?;
        return Some((Value::Text(symbol), after.strip_prefix(separator)?));
    }
    let (cell, after) = rest.split_once(separator)?;
    // A tuple that has more or fewer values than it should.
    if cell.contains(['\n', '\t']) {
        return None;
    }
    let value = match kind {
        Kind::Whole => Value::Int(cell.parse().ok()?),
        Kind::Float => Value::real(cell.parse().ok()?),
        Kind::Symbol | Kind::Built => Value::Text(cell.to_owned()),
    };
    Some((value, after))
}

/// A symbol up to its closing quote. A quote in it is written as a backslash and two quotes; a backslash as itself.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut symbol = String::new();
    let mut rest = text;
    loop {
        let at = rest.find(['"', '\\'])?;
        symbol.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("\\\"\"") {
            symbol.push('"');
            rest = after;
        } else if let Some(after) = rest.strip_prefix('\\') {
            symbol.push('\\');
            rest = after;
        } else {
            return Some((symbol, &rest[1..]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_typed_tuples() {
        let kinds = [Kind::Whole, Kind::Symbol, Kind::Float];
        let plain = |text: &str, kinds: &[Kind]| tuples(text, kinds, Form::Plain);
        let rows = plain("-1\ta b\t0.5\n4294967295\t\t-0\n", &kinds).unwrap();
        assert_eq!(rows.row(0), [Value::Int(-1), Value::Text("a b".into()), Value::Real(0.5)]);
        assert_eq!(rows.row(1)[..2], [Value::Int(4294967295), Value::Text(String::new())]);
        assert!(matches!(rows.row(1)[2], Value::Real(r) if r == 0.0 && r.is_sign_negative()));
        assert!(plain("", &kinds).unwrap().is_empty());
        assert_eq!(plain("()\n", &[]).unwrap().len(), 1);
        assert!(plain("1\t2\n", &kinds).is_err());
        assert!(plain("1\t2\t3\t4\n", &kinds).is_err());
        assert!(plain("x\ta\t1\n", &kinds).is_err());
        assert_eq!(plain("0\t\n2\tä\n2\tab\n", &kinds[..2]).unwrap().len(), 3);
    }

    /// As Soufflé 2.5 writes them with `rfc4180=true`.
    #[test]
    fn a_line_break_in_a_symbol_stays_in_it() {
        let kinds = [Kind::Symbol, Kind::Whole, Kind::Symbol];
        let rows = tuples("\"a\nb\",1,\"\"\n\"x\\\"\"y,\\z\",-2,\"t\\\"\n", &kinds, Form::Quoted).unwrap();
        let texts: Vec<&Value> = rows.cells.iter().collect();
        let text = |s: &str| Value::Text(s.into());
        let expected = [text("a\nb"), Value::Int(1), text(""), text("x\"y,\\z"), Value::Int(-2), text("t\\")];
        assert_eq!(texts, expected.iter().collect::<Vec<_>>());
        assert!(tuples("\"a\n", &kinds[..1], Form::Quoted).is_err());
        assert!(needs_quotes("e0(\"a\\nb\").") && needs_quotes("e0(\"a\nb\").") && !needs_quotes("e0(\"a b\").\n"));
    }

    #[test]
    fn a_program_says_what_it_outputs() {
        let text = ".decl pq(a:number)\n.decl p(a:number, b:symbol) brie\n.output p\n";
        assert_eq!(output(text), Some(("p", vec![Kind::Whole, Kind::Symbol])));
        assert_eq!(output(".decl p(a:rec)\n.output p\n"), None);
        let built = ".type T0 = [f0:number]\n.decl p(a:T0)\n.output p\n";
        assert_eq!(output(built), Some(("p", vec![Kind::Built])));
        assert_eq!(output(".decl p()\n.output p\n"), Some(("p", vec![])));
    }
}
