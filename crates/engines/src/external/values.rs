//! Replies of a program: rows of typed values, or an error and its class.

use qualm_core::session::{Outcome, RejectionClass};
use qualm_core::value::{Rows, Value};
use serde_json::{Map, Value as Json};

/// How the text of a rejection begins that is the adapter's mistake.
pub const WRONG_REPLY: &str = "the adapter's reply is wrong: ";

/// A reply to `run`. The class of an error that comes without one is looked up by its text.
pub fn outcome(reply: Json, class_of: impl Fn(&str) -> RejectionClass) -> Outcome {
    let wrong = |what: String| Outcome::rejected(RejectionClass::Limit, format!("{WRONG_REPLY}{what}"));
    let Json::Object(mut reply) = reply else { return wrong("it is not an object".into()) };
    if let Some(error) = reply.get("error") {
        let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        let class = match reply.get("class").and_then(Json::as_str) {
            None => class_of(&text),
            Some("expected") => RejectionClass::Expected,
            Some("limit") => RejectionClass::Limit,
            Some("out_of_memory") => RejectionClass::OutOfMemory,
            Some("internal") => RejectionClass::Internal,
            Some(other) => return wrong(format!("unknown class '{other}'")),
        };
        return Outcome::rejected(class, text);
    }
    let columns = reply.get("columns").and_then(Json::as_u64).map(|n| n as usize);
    match reply.remove("rows") {
        Some(Json::Array(rows)) => rows_of(rows, columns).map_or_else(wrong, Outcome::Rows),
        Some(_) => wrong("'rows' is not a list".into()),
        None if reply.contains_key("done") => Outcome::Done,
        None => wrong("it has neither 'rows' nor 'done' nor 'error'".into()),
    }
}

fn rows_of(rows: Vec<Json>, columns: Option<usize>) -> Result<Rows, String> {
    let width = |row: &Json| row.as_array().map_or(0, Vec::len);
    let columns = columns.unwrap_or_else(|| rows.first().map_or(0, width));
    let mut read = Rows::new(columns);
    read.cells.reserve(rows.len() * columns);
    for row in rows {
        let Json::Array(cells) = row else { return Err("a row is not a list".into()) };
        if cells.len() != columns || columns == 0 {
            return Err(format!("a row has {} cells, not {columns}", cells.len()));
        }
        for cell in cells {
            read.cells.push(value(cell)?);
        }
    }
    Ok(read)
}

/// What is only text beside the mark of what it is.
const MARKS: &[&str] =
    &["date", "time", "localtime", "datetime", "localdatetime", "timestamp", "duration", "point", "uuid", "other"];

/// The form of stored findings, and what makes a program's work easier: nodes, relationships, paths, marked texts.
fn value(json: Json) -> Result<Value, String> {
    match json {
        Json::Number(n) if n.is_u64() && !n.is_i64() => Ok(Value::decimal(&n.to_string())),
        Json::Array(members) => Ok(Value::List(members.into_iter().map(value).collect::<Result<_, _>>()?)),
        Json::Object(mut tagged) if tagged.len() == 1 => {
            let (tag, inside) = tagged.iter_mut().next().map(|(tag, v)| (tag.clone(), v.take())).expect("one entry");
            match (tag.as_str(), inside) {
                ("map", Json::Object(entries)) => Ok(Value::map(properties(entries)?)),
                ("node", Json::Object(node)) => element(node, &[("id", "~id"), ("labels", "~labels")]),
                ("relationship", Json::Object(relationship)) => {
                    element(relationship, &[("id", "~id"), ("type", "~type"), ("from", "~from"), ("to", "~to")])
                }
                ("path", Json::Object(path)) => {
                    element(path, &[("nodes", "~nodes"), ("relationships", "~relationships")])
                }
                (mark, Json::String(text)) if MARKS.contains(&mark) => Ok(Value::marked(&format!("~{mark}"), text)),
                (_, inside) => Value::from_json(Json::Object(Map::from_iter([(tag.clone(), inside)])))
                    .map_err(|e| format!("'{tag}': {e}")),
            }
        }
        Json::Object(_) => Err("an object with several keys is not a value; a map is {\"map\": {…}}".into()),
        plain => Value::from_json(plain),
    }
}

fn properties(entries: Map<String, Json>) -> Result<Vec<(String, Value)>, String> {
    entries.into_iter().map(|(key, json)| Ok((key, value(json)?))).collect()
}

/// A node or the like: its parts under their marks, its properties beside.
fn element(mut parts: Map<String, Json>, marks: &[(&str, &str)]) -> Result<Value, String> {
    let mut entries = match parts.remove("properties") {
        None => Vec::new(),
        Some(Json::Object(given)) => properties(given)?,
        Some(_) => return Err("'properties' is not an object".into()),
    };
    for (name, mark) in marks {
        let mut part = value(parts.remove(*name).ok_or_else(|| format!("'{name}' is missing"))?)?;
        if let ("~labels", Value::List(labels)) = (*mark, &mut part) {
            labels.sort_by_key(Value::show);
        }
        entries.push(((*mark).to_owned(), part));
    }
    match parts.keys().next() {
        None => Ok(Value::map(entries)),
        Some(other) => Err(format!("'{other}' is not a known key")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(reply: Json) -> Outcome {
        outcome(reply, |text| if text == "boom" { RejectionClass::Internal } else { RejectionClass::Expected })
    }

    #[test]
    fn every_kind_of_value_is_read() {
        let row = json!([
            null, true, 1, 1.0, -0.0, {"real": "NaN"}, {"real": "-Inf"}, {"real": "1"}, 18446744073709551615u64,
            {"decimal": "0.10"}, "a", {"blob": "00FF"}, [1, [null]], {"map": {"k": [1]}}, {"date": "2020-02-29"},
            {"node": {"id": 7, "labels": ["B", "A"], "properties": {"p": {"real": "Inf"}}}},
            {"relationship": {"id": "0:1", "type": "E", "from": 7, "to": 8}}
        ]);
        let Outcome::Rows(rows) = read(json!({"rows": [row]})) else { panic!("no rows") };
        let shown: Vec<String> = rows.row(0).iter().map(Value::show).collect();
        assert_eq!(
            shown,
            [
                "NULL",
                "TRUE",
                "1",
                "1.0",
                "-0.0",
                "NaN",
                "-Inf",
                "1.0",
                "18446744073709551615",
                "0.1",
                "'a'",
                "x'00FF'",
                "[1, [NULL]]",
                "{k: [1]}",
                "date(2020-02-29)",
                "(:A:B {p: Inf})",
                "[:E {}]"
            ]
        );
    }

    #[test]
    fn replies_that_make_no_sense_are_reported() {
        let wrong = |reply: Json| match read(reply) {
            Outcome::Rejected(r) if r.class == RejectionClass::Limit => r.text,
            other => panic!("{other:?}"),
        };
        assert!(wrong(json!({})).contains("neither"));
        assert!(wrong(json!([1])).contains("not an object"));
        assert!(wrong(json!({"rows": [[1], [1, 2]]})).contains("2 cells"));
        assert!(wrong(json!({"rows": [[{"a": 1, "b": 2}]]})).contains("map"));
        assert!(wrong(json!({"rows": [[{"node": {"id": 1}}]]})).contains("labels"));
        assert!(wrong(json!({"error": "x", "class": "bad"})).contains("'bad'"));
        assert_eq!(read(json!({"done": true})), Outcome::Done);
        assert_eq!(read(json!({"error": "boom"})), Outcome::rejected(RejectionClass::Internal, "boom"));
        assert_eq!(read(json!({"error": "boom", "class": "limit"})), Outcome::rejected(RejectionClass::Limit, "boom"));
        assert!(matches!(read(json!({"rows": [], "columns": 2})), Outcome::Rows(rows) if rows.columns == 2));
    }
}
