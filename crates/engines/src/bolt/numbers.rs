//! The numbers that an engine gives to nodes and relationships, counted anew from each reset: an emptied database goes
//! on counting where it was, and two runs of one script must give the same answers.

use qualm_core::value::{Rows, Value};
use std::collections::HashMap;

/// By the order in which they are first seen.
#[derive(Default)]
pub struct Numbers {
    nodes: HashMap<String, i64>,
    relationships: HashMap<String, i64>,
}

impl Numbers {
    pub fn renumber(&mut self, rows: &mut Rows) {
        rows.cells.iter_mut().for_each(|cell| self.walk(cell));
    }

    fn walk(&mut self, value: &mut Value) {
        match value {
            Value::List(members) => members.iter_mut().for_each(|member| self.walk(member)),
            Value::Map(entries) => {
                let is_relationship = entries.iter().any(|(key, _)| key == "~type");
                for (key, value) in entries {
                    match key.as_str() {
                        "~id" if is_relationship => *value = numbered(&mut self.relationships, value),
                        "~id" | "~from" | "~to" => *value = numbered(&mut self.nodes, value),
                        _ => self.walk(value),
                    }
                }
            }
            _ => {}
        }
    }
}

fn numbered(seen: &mut HashMap<String, i64>, number: &Value) -> Value {
    let next = seen.len() as i64;
    Value::Int(*seen.entry(number.show()).or_insert(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_from_zero() {
        let entry = |key: &str, n| (key.to_string(), Value::Int(n));
        let node = |n| Value::map(vec![entry("~id", n), ("~labels".into(), Value::List(vec![])), entry("p", 77)]);
        let edge = Value::map(vec![entry("~id", 50), entry("~type", 0), entry("~from", 42), entry("~to", 41)]);
        let mut rows = Rows::of(vec![vec![Value::List(vec![node(41)]), node(42), edge, node(41)]]);
        Numbers::default().renumber(&mut rows);
        let edge = Value::map(vec![entry("~id", 0), entry("~type", 0), entry("~from", 1), entry("~to", 0)]);
        assert_eq!(rows.cells, [Value::List(vec![node(0)]), node(1), edge, node(0)]);
    }
}
