//! What µZ says: the formula that answers a query of rules, the list of tuples of the bddbddb form, and its errors.

use qualm_core::session::RejectionClass::{self, Expected, Internal, Limit, OutOfMemory};
use qualm_core::value::{Rows, Value};
use std::collections::HashMap;

/// Tuples of an answer that are read at most, those that an unbound column stands for included.
const ANSWER_ROWS: usize = 100_000;

/// What a program asks for: the columns of the relation, and how many bits a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub arity: usize,
    pub bits: u32,
}

impl Shape {
    /// Of a program of rules: `(define-sort Z () (_ BitVec 6))`, `(declare-rel r (Z Z))`, `(query r …)`.
    pub fn of_rules(program: &str) -> Option<Shape> {
        let queried = program.split("(query ").nth(1)?.split([' ', ')']).next()?;
        let sorts = program.split("(declare-rel ").skip(1).find_map(|rest| {
            let (name, sorts) = rest.split_once(' ')?;
            (name == queried).then(|| sorts.trim_start().strip_prefix('(')?.split(')').next()).flatten()
        })?;
        let bits = program.split("(_ BitVec ").nth(1)?.split(')').next()?.trim().parse().ok()?;
        Some(Shape { arity: sorts.split_ascii_whitespace().count(), bits })
    }

    /// Of the bddbddb form: `r(A0:Z, A1:Z) printtuples`.
    pub fn of_datalog(program: &str) -> Option<Shape> {
        let mut declared = program.lines().filter(|line| line.trim_end().ends_with("printtuples"));
        let line = declared.next()?;
        declared.next().is_none().then_some(Shape { arity: line.matches(':').count(), bits: 0 })
    }
}

/// The tuples that satisfy the answer to `(query r)`. The error says what was not understood.
pub fn of_formula(text: &str, shape: Shape) -> Result<Rows, String> {
    let mut reader = Reader { rest: text, names: HashMap::new() };
    let formula = reader.term().ok_or_else(|| format!("cannot read the answer '{}'", shortened(text)))?;
    // With `bit_blast` each bit is a column of its own, the lowest first.
    let blasted = text.contains(") true)") || text.contains(") false)");
    let wide = if blasted { Shape { arity: shape.arity * shape.bits as usize, bits: 1 } } else { shape };
    let mut tuples = Vec::new();
    collect(&formula, &vec![None; wide.arity], &mut tuples)
        .ok_or_else(|| format!("the result is not a list of tuples: '{}'", shortened(text)))?;
    let mut rows = Rows::new(shape.arity.max(1));
    for tuple in tuples {
        if shape.arity == 0 {
            // A relation without columns holds the empty tuple, for which there must be a cell.
            rows.cells.push(Value::Bool(true));
            break;
        }
        let begun = rows.cells.len();
        expand(&tuple, wide, &mut rows.cells);
        if blasted {
            let bits = rows.cells.split_off(begun);
            rows.cells.extend(bits.chunks(shape.bits as usize).map(joined));
        }
        if rows.cells.len() / shape.arity > ANSWER_ROWS {
            return Err("the answer is too long".into());
        }
    }
    Ok(rows)
}

fn joined(bits: &[Value]) -> Value {
    let set = bits.iter().enumerate().filter(|(_, bit)| **bit == Value::Int(1));
    Value::Int(set.map(|(place, _)| 1 << place).sum())
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Word(String),
    List(Vec<Term>),
}

struct Reader<'a> {
    rest: &'a str,
    /// What `let` has named; Z3 gives every name once.
    names: HashMap<String, Term>,
}

impl Reader<'_> {
    fn term(&mut self) -> Option<Term> {
        self.rest = self.rest.trim_start();
        if let Some(rest) = self.rest.strip_prefix("(let") {
            self.rest = rest.trim_start().strip_prefix('(')?;
            while !self.closes()? {
                self.rest = self.rest.strip_prefix('(')?;
                let Term::Word(name) = self.term()? else { return None };
                let value = self.term()?;
                self.names.insert(name, value);
                self.closes()?.then_some(())?;
            }
            let body = self.term()?;
            return self.closes()?.then_some(body);
        }
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            let mut list = Vec::new();
            while !self.closes()? {
                list.push(self.term()?);
            }
            return Some(Term::List(list));
        }
        let end = self.rest.find(|c: char| c.is_ascii_whitespace() || c == '(' || c == ')').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match self.names.get(word) {
            Some(term) => Some(term.clone()),
            None => (!word.is_empty()).then(|| Term::Word(word.to_owned())),
        }
    }

    /// Takes a closing parenthesis if one is next; nothing at the end of the text.
    fn closes(&mut self) -> Option<bool> {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(')') {
            Some(rest) => {
                self.rest = rest;
                Some(true)
            }
            None => (!self.rest.is_empty()).then_some(false),
        }
    }
}

type Tuple = Vec<Option<u64>>;

/// Adds the tuples of a formula that is made of `or`, `and` and equalities of a column and a number, each fitting
/// `known`. Nothing where it is something else.
fn collect(term: &Term, known: &Tuple, into: &mut Vec<Tuple>) -> Option<()> {
    match term {
        Term::Word(word) if word == "true" => into.push(known.clone()),
        Term::Word(word) if word == "false" => {}
        Term::List(list) => match list.as_slice() {
            [Term::Word(or), parts @ ..] if or == "or" => {
                for part in parts {
                    collect(part, known, into)?;
                }
            }
            [Term::Word(and), parts @ ..] if and == "and" => {
                let mut found = vec![known.clone()];
                for part in parts {
                    let mut next = Vec::new();
                    for tuple in &found {
                        collect(part, tuple, &mut next)?;
                    }
                    found = next;
                }
                into.extend(found);
            }
            [Term::Word(equal), a, b] if equal == "=" => {
                let (column, value) = column(a).zip(number(b)).or_else(|| column(b).zip(number(a)))?;
                let mut tuple = known.clone();
                let cell = tuple.get_mut(column)?;
                if cell.is_none_or(|old| old == value) {
                    *cell = Some(value);
                    into.push(tuple);
                }
            }
            _ => return None,
        },
        Term::Word(_) => return None,
    }
    (into.len() <= ANSWER_ROWS).then_some(())
}

fn column(term: &Term) -> Option<usize> {
    let Term::List(list) = term else { return None };
    match list.as_slice() {
        [Term::Word(var), Term::Word(index)] if var == ":var" => index.parse().ok(),
        _ => None,
    }
}

fn number(term: &Term) -> Option<u64> {
    let Term::Word(word) = term else { return None };
    if word == "true" || word == "false" {
        return Some((word == "true").into());
    }
    if let Some(digits) = word.strip_prefix("#b") {
        return u64::from_str_radix(digits, 2).ok();
    }
    u64::from_str_radix(word.strip_prefix("#x")?, 16).ok()
}

/// A column that nothing is said about holds every value.
fn expand(tuple: &Tuple, shape: Shape, cells: &mut Vec<Value>) {
    let Some(open) = tuple.iter().position(Option::is_none) else {
        cells.extend(tuple.iter().flatten().map(|n| Value::Int(*n as i64)));
        return;
    };
    for value in 0..1u64 << shape.bits.min(20) {
        let mut tuple = tuple.clone();
        tuple[open] = Some(value);
        expand(&tuple, shape, cells);
        if cells.len() / shape.arity > ANSWER_ROWS {
            return;
        }
    }
}

/// The lines `\t(A0=25(2),A1=3(1))` behind `Tuples in r:`. Up to 4.8.7 (`interned`) the number in parentheses is a
/// place in a table of symbols and the name is the value; later it is the other way round, and the name can be stale.
pub fn of_tuples(text: &str, shape: Shape, interned: bool) -> Result<Rows, String> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with("Tuples in "));
    lines.next().ok_or_else(|| format!("no tuples are listed: '{}'", shortened(text)))?;
    let mut rows = Rows::new(shape.arity.max(1));
    for line in lines.take_while(|line| line.starts_with('\t')) {
        let unread = || format!("cannot read the tuple '{line}'");
        let inner = line.trim().strip_prefix('(').and_then(|l| l.strip_suffix(')')).ok_or_else(unread)?;
        let cells: Option<Vec<i64>> = inner.split(',').map(|cell| cell_value(cell, interned)).collect();
        let cells = cells.filter(|cells| cells.len() == shape.arity).ok_or_else(unread)?;
        rows.cells.extend(cells.into_iter().map(Value::Int));
        if rows.len() > ANSWER_ROWS {
            return Err("the answer is too long".into());
        }
    }
    Ok(rows)
}

fn cell_value(cell: &str, interned: bool) -> Option<i64> {
    let (name, place) = cell.split_once('=')?.1.strip_suffix(')')?.split_once('(')?;
    if interned { name.parse().ok() } else { place.parse().ok() }
}

/// Words of Z3's errors that say more than that it does not take the program. The first that fits decides.
const TEXTS: &[(&str, RejectionClass)] = &[
    ("ASSERTION VIOLATION", Internal),
    ("Failed to verify", Internal),
    ("UNEXPECTED CODE", Internal),
    ("UNREACHABLE", Internal),
    ("NOT IMPLEMENTED", Internal),
    ("internal error", Internal),
    ("unexpected number of arguments", Expected),
    ("max. memory", Limit),
    ("out of memory", OutOfMemory),
    ("canceled", Limit),
    ("timeout", Limit),
    ("interrupted", Limit),
    ("max. resource", Limit),
];

/// Whether Z3 stopped because of the limit on its memory.
pub fn is_out_of_memory(text: &str) -> bool {
    text.contains("out of memory") || text.contains("max. memory")
}

pub fn classify(text: &str) -> RejectionClass {
    TEXTS.iter().find(|(words, _)| text.contains(words)).map_or(Expected, |(_, class)| *class)
}

/// On one line, without the list of all parameters that follows the name of a wrong one.
pub fn shortened(text: &str) -> String {
    let text = text.split("Legal parameters are").next().unwrap_or_default();
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ").chars().take(300).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(rows: &Rows) -> Vec<Vec<i64>> {
        let int = |v: &Value| if let Value::Int(i) = v { *i } else { panic!("{v:?}") };
        rows.iter().map(|row| row.iter().map(int).collect()).collect()
    }

    #[test]
    fn formulas_are_read_as_tuples() {
        let shape = Shape { arity: 2, bits: 2 };
        let read = |text: &str| of_formula(text, shape).map(|rows| ints(&rows));
        assert_eq!(read("(and (= (:var 0) #b01) (= (:var 1) #b10))"), Ok(vec![vec![1, 2]]));
        assert_eq!(
            read("(or (and (= (:var 0) #x1) (= (:var 1) #x2))\n (and (= (:var 1) #x3) (= #x0 (:var 0))))"),
            Ok(vec![vec![1, 2], vec![0, 3]])
        );
        assert_eq!(read("false"), Ok(vec![]));
        let bits = "(and (= (:var 0) true) (= (:var 1) false) (= (:var 3) true))";
        assert_eq!(read(bits), Ok(vec![vec![1, 2], vec![1, 3]]));
        assert_eq!(read("(and (= (:var 0) #b01) (= (:var 0) #b10))"), Ok(vec![]));
        assert_eq!(read("(= (:var 1) #b01)"), Ok(vec![vec![0, 1], vec![1, 1], vec![2, 1], vec![3, 1]]));
        assert_eq!(
            read("(let ((a!1 (and (= (:var 0) #b01) (= (:var 1) #b10)))) (or a!1 (and (= (:var 0) #b11) a!1)))"),
            Ok(vec![vec![1, 2]])
        );
        assert!(read("(not (= (:var 0) #b01))").unwrap_err().contains("not a list of tuples"));
        assert!(read("(or (= (:var 0) #b01)").unwrap_err().contains("cannot read"));
        assert!(read("").unwrap_err().contains("cannot read"));
        assert_eq!(of_formula("true", Shape { arity: 0, bits: 0 }), Ok(Rows::of(vec![vec![Value::Bool(true)]])));
        assert!(of_formula("true", Shape { arity: 6, bits: 6 }).unwrap_err().contains("too long"));
    }

    #[test]
    fn listed_tuples_are_read() {
        let shape = Shape { arity: 2, bits: 0 };
        let text = "Tuples in p: \n\t(A0=10(0),A1=20(1))\nTime: 1ms\n";
        assert_eq!(ints(&of_tuples(text, shape, true).unwrap()), [[10, 20]]);
        assert_eq!(ints(&of_tuples(text, shape, false).unwrap()), [[0, 1]]);
        assert!(of_tuples("Tuples in p: \nTime: 1ms\n", shape, false).unwrap().is_empty());
        assert!(of_tuples("Time: 1ms\n", shape, false).is_err());
        assert!(of_tuples("Tuples in p: \n\t(A0=1(1))\n", shape, false).is_err());
        assert!(of_tuples("Tuples in p: \n\t(A0=a,A1=1(1))\n", shape, false).is_err());
    }

    #[test]
    fn the_program_says_what_shape_its_answer_has() {
        let rules = "(define-sort Z () (_ BitVec 6))\n(declare-rel a (Z))\n(declare-rel ab (Z Z))\n\
            (query ab :print-answer true)";
        assert_eq!(Shape::of_rules(rules), Some(Shape { arity: 2, bits: 6 }));
        assert_eq!(Shape::of_rules("(declare-rel a (Z))"), None);
        let form = "Z 64\n\nab(A:Z, B:Z) input\na(A:Z) printtuples\n";
        assert_eq!(Shape::of_datalog(form), Some(Shape { arity: 1, bits: 0 }));
        assert_eq!(Shape::of_datalog("Z 64\n"), None);
    }
}
