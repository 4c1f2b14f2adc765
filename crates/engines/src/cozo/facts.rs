//! Facts that CozoDB has read before are not read again. Its parser needs some 40 µs for one fact, several times what
//! it takes to evaluate a small program, and incremental rule evaluation writes the same facts into one program after
//! the other. So a list of facts is read once, by CozoDB's own `evaluate_expressions`, and comes as a parameter from
//! then on: `r[a] <- [[1], [2]]` becomes `r[a] <- $f0`.
//!
//! This changes no meaning: only a whole line of a text whose quotes are understood is replaced, and only if CozoDB
//! reads the list for itself; any other text is handed over as it is.

use cozo::{DataValue, evaluate_expressions};
use std::collections::{BTreeMap, HashMap};

/// Lists that are remembered; then all are forgotten.
const REMEMBERED: usize = 10_000;

#[derive(Default)]
pub struct Facts {
    /// A list as it is written, and what CozoDB makes of it.
    read: HashMap<String, DataValue>,
}

impl Facts {
    pub fn forget(&mut self) {
        self.read.clear();
    }

    /// The text with parameters for its facts.
    pub fn taken_out(&mut self, text: &str) -> Option<(String, BTreeMap<String, DataValue>)> {
        if !is_plain(text) {
            return None;
        }
        let mut left = String::with_capacity(text.len());
        let mut values = BTreeMap::new();
        for line in text.lines() {
            match facts_of(line).and_then(|(head, list)| Some((head, self.value(list)?))) {
                Some((head, value)) => {
                    let name = format!("f{}", values.len());
                    left.extend([head, "$", &name]);
                    values.insert(name, value);
                }
                None => left.push_str(line),
            }
            left.push('\n');
        }
        (!values.is_empty()).then_some((left, values))
    }

    fn value(&mut self, list: &str) -> Option<DataValue> {
        if let Some(known) = self.read.get(list) {
            return Some(known.clone());
        }
        let nothing = BTreeMap::new();
        let value = evaluate_expressions(list, &nothing, &nothing).ok()?;
        if self.read.len() >= REMEMBERED {
            self.forget();
        }
        self.read.insert(list.to_owned(), value.clone());
        Some(value)
    }
}

/// The line `r[a, b] <- [[1, 2], [3, 4]]` in two: up to the arrow with its blank, and the list.
fn facts_of(line: &str) -> Option<(&str, &str)> {
    const ARROW: &str = "] <- ";
    let (head, list) = line.split_at(line.find(ARROW)? + ARROW.len());
    let names = &head[..head.len() - ARROW.len()];
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '[' | ',' | ' ');
    (names.chars().all(name) && list.starts_with("[[")).then_some((head, list))
}

/// Whether each line is a rule or an option of its own: no string goes over the end of a line, no comment hides a
/// quote, and no line goes on with what stands on the line before.
fn is_plain(text: &str) -> bool {
    let starts = |line: &str| line.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '?' | ':'));
    text.lines().all(|line| starts(line) && ends_outside_strings(line))
}

/// Only strings in single quotes are understood, in which a backslash takes the next character along.
fn ends_outside_strings(line: &str) -> bool {
    let mut quoted = false;
    let mut bytes = line.bytes().peekable();
    while let Some(b) = bytes.next() {
        match (quoted, b) {
            (_, b'\'') => quoted = !quoted,
            (true, b'\\') => drop(bytes.next()),
            (false, b'"' | b'#') => return false,
            (false, b'/') if bytes.peek() == Some(&b'*') => return false,
            _ => {}
        }
    }
    !quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lists_of_facts_are_taken_out() {
        let mut facts = Facts::default();
        let text = "e[c0, c1] <- [[1, 'a # \\' \"'], [-0.0, to_float('NAN')]]\nr[x0] := e[x0, _]\n?[c0] := r[c0]\n";
        let (left, values) = facts.taken_out(text).unwrap();
        assert_eq!(left, "e[c0, c1] <- $f0\nr[x0] := e[x0, _]\n?[c0] := r[c0]\n");
        let DataValue::List(rows) = &values["f0"] else { panic!("{values:?}") };
        let DataValue::List(second) = &rows[1] else { panic!("{rows:?}") };
        assert!(second[0].get_float().is_some_and(|f| f == 0.0 && f.is_sign_negative()));
        assert!(second[1].get_float().is_some_and(f64::is_nan));
        for other in [
            "e[c0] <- [[1],\n[2]]\n?[a] := e[a]",
            "e[c0] <- [[1]]\n++ [[2]]\n?[a] := e[a]",
            "e[c0] <- [[1]] ?[a] := e[a]",
            "?[a] := a = 'x\ne[c0] <- [[1]]\n'",
            "?[a] := a = \"x' e[c0] <- [[1]]\"",
            "/* '\n*/ e[c0] <- [[1]]",
            "?[a] := a = 'e[c0] <- [[1]]'",
            "e[c0] <- []\n?[a] := e[a]",
        ] {
            assert_eq!(facts.taken_out(other), None, "{other}");
        }
    }
}
