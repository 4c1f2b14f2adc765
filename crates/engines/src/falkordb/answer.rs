//! Answers in the compact form: every value is a pair of its type's number and itself; labels, types and property names
//! are numbers too, which the graph has lists of.

use crate::calendar;
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};
use redis::Value as Reply;

/// Longest answer that is taken.
const ANSWER_CELLS: usize = 1_000_000;
/// The times of day that some releases send count from the first day of 1900.
const SECONDS_OF_DAY: i64 = 86_400;

/// The lists of one graph, as far as they were needed. Numbers never change their meaning in it.
#[derive(Default)]
pub struct Names {
    labels: Vec<String>,
    types: Vec<String>,
    keys: Vec<String>,
}

/// The statement that lists each, and where it belongs.
const LABELS: &str = "CALL db.labels()";
const TYPES: &str = "CALL db.relationshipTypes()";
const KEYS: &str = "CALL db.propertyKeys()";

type Read<T> = Result<T, String>;

struct Reader<'a, F> {
    names: &'a mut Names,
    lookup: F,
}

/// `lookup` asks for a list that turned out to be too short.
pub fn read<F: FnMut(&str) -> Option<Reply>>(reply: Reply, names: &mut Names, lookup: F) -> Read<Outcome> {
    let mut parts = list(reply)?;
    // Only statistics: the statement returns nothing.
    if parts.len() < 3 {
        return Ok(Outcome::Done);
    }
    parts.truncate(2);
    let rows = list(parts.pop().unwrap_or(Reply::Nil))?;
    let columns = list(parts.pop().unwrap_or(Reply::Nil))?.len();
    if rows.len() * columns > ANSWER_CELLS {
        return Err("it is too long".into());
    }
    let mut reader = Reader { names, lookup };
    let mut answer = Rows::new(columns);
    for row in rows {
        let cells = list(row)?;
        if cells.len() != columns {
            return Err(format!("{} values for {columns} columns", cells.len()));
        }
        for cell in cells {
            answer.cells.push(reader.value(cell)?);
        }
    }
    Ok(Outcome::Rows(answer))
}

fn list(reply: Reply) -> Read<Vec<Reply>> {
    match reply {
        Reply::Array(members) => Ok(members),
        other => Err(format!("no list: {other:?}")),
    }
}

fn pair(reply: Reply) -> Read<(i64, Reply)> {
    let mut members = list(reply)?.into_iter();
    match (members.next(), members.next(), members.next()) {
        (Some(Reply::Int(kind)), Some(value), None) => Ok((kind, value)),
        other => Err(format!("no typed value: {other:?}")),
    }
}

fn int(reply: &Reply) -> Read<i64> {
    match reply {
        Reply::Int(n) => Ok(*n),
        other => Err(format!("no number: {other:?}")),
    }
}

/// Anything as text.
pub fn plain(reply: &Reply) -> String {
    match reply {
        Reply::BulkString(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Reply::SimpleString(text) => text.clone(),
        Reply::Int(n) => n.to_string(),
        Reply::Double(r) => r.to_string(),
        _ => String::new(),
    }
}

/// What C prints of a double, NaN of either sign among it.
fn real(text: &str) -> Read<f64> {
    match text {
        "-nan" => Ok(f64::NAN),
        other => other.parse().map_err(|_| format!("no float: '{other}'")),
    }
}

impl<F: FnMut(&str) -> Option<Reply>> Reader<'_, F> {
    fn value(&mut self, reply: Reply) -> Read<Value> {
        let (kind, value) = pair(reply)?;
        self.typed(kind, value)
    }

    fn typed(&mut self, kind: i64, value: Reply) -> Read<Value> {
        Ok(match kind {
            1 => Value::Null,
            2 => match value {
                Reply::BulkString(bytes) => match String::from_utf8(bytes) {
                    Ok(text) => Value::Text(text),
                    Err(e) => Value::Blob(e.into_bytes()),
                },
                other => Value::Text(plain(&other)),
            },
            3 => Value::Int(int(&value)?),
            4 => Value::Bool(plain(&value) == "true"),
            5 => Value::real(real(&plain(&value))?),
            6 => Value::List(list(value)?.into_iter().map(|v| self.value(v)).collect::<Read<_>>()?),
            7 => self.relationship(value)?,
            8 => self.node(value)?,
            9 => self.path(value)?,
            10 => self.map(value)?,
            11 => {
                let at: Vec<f64> = list(value)?.iter().map(|v| real(&plain(v))).collect::<Read<_>>()?;
                let [latitude, longitude] = at[..] else { return Err(format!("no point: {at:?}")) };
                Value::marked("~point", format!("{{latitude: {latitude:?}, longitude: {longitude:?}}}"))
            }
            12 => Value::List(list(value)?.iter().map(|v| real(&plain(v)).map(Value::real)).collect::<Read<_>>()?),
            13 => Value::marked("~localdatetime", calendar::date_time(int(&value)?, 0)),
            14 => Value::marked("~date", calendar::date(int(&value)?.div_euclid(SECONDS_OF_DAY))),
            15 => {
                let of_day = int(&value)?.rem_euclid(SECONDS_OF_DAY);
                Value::marked("~localtime", calendar::time(of_day * 1_000_000_000))
            }
            16 => Value::marked("~duration", calendar::duration(0, 0, int(&value)?, 0)),
            other => return Err(format!("values of the type {other} are not known here")),
        })
    }

    /// Keys and values one after the other.
    fn map(&mut self, value: Reply) -> Read<Value> {
        let mut entries = Vec::new();
        let mut members = list(value)?.into_iter();
        while let (Some(key), Some(value)) = (members.next(), members.next()) {
            entries.push((plain(&key), self.value(value)?));
        }
        Ok(Value::map(entries))
    }

    /// Number, numbers of labels, properties.
    fn node(&mut self, value: Reply) -> Read<Value> {
        let [id, labels, properties] = fields(value)?;
        let mut names = Vec::new();
        for label in list(labels)? {
            names.push(self.name(LABELS, int(&label)?));
        }
        names.sort();
        let mut entries = self.properties(properties)?;
        entries.push(("~id".into(), Value::Int(int(&id)?)));
        entries.push(("~labels".into(), Value::List(names.into_iter().map(Value::Text).collect())));
        Ok(Value::map(entries))
    }

    /// Number, number of the type, both ends, properties.
    fn relationship(&mut self, value: Reply) -> Read<Value> {
        let [id, kind, from, to, properties] = fields(value)?;
        let mut entries = self.properties(properties)?;
        entries.push(("~type".into(), Value::Text(self.name(TYPES, int(&kind)?))));
        for (mark, number) in [("~id", id), ("~from", from), ("~to", to)] {
            entries.push((mark.into(), Value::Int(int(&number)?)));
        }
        Ok(Value::map(entries))
    }

    /// Nodes and relationships in the order of the path. They come as two lists.
    fn path(&mut self, value: Reply) -> Read<Value> {
        let [nodes, relationships] = fields(value)?;
        let (Value::List(nodes), Value::List(relationships)) = (self.value(nodes)?, self.value(relationships)?) else {
            return Err("a path that is not two lists".into());
        };
        let mut between = relationships.into_iter();
        let walked = nodes.into_iter().flat_map(|node| [Some(node), between.next()]).flatten().collect();
        Ok(Value::map(vec![("~path".into(), Value::List(walked))]))
    }

    /// Each is the number of its name, the number of its type, and itself.
    fn properties(&mut self, reply: Reply) -> Read<Vec<(String, Value)>> {
        let mut entries = Vec::new();
        for property in list(reply)? {
            let [key, kind, value] = fields(property)?;
            let name = self.name(KEYS, int(&key)?);
            entries.push((name, self.typed(int(&kind)?, value)?));
        }
        Ok(entries)
    }

    fn name(&mut self, which: &str, number: i64) -> String {
        let at = number as usize;
        if let Some(name) = self.list_of(which).get(at) {
            return name.clone();
        }
        let listed = (self.lookup)(which).and_then(|reply| names(reply).ok()).unwrap_or_default();
        *self.list_of(which) = listed;
        self.list_of(which).get(at).cloned().unwrap_or_else(|| format!("?{number}"))
    }

    fn list_of(&mut self, which: &str) -> &mut Vec<String> {
        match which {
            LABELS => &mut self.names.labels,
            TYPES => &mut self.names.types,
            _ => &mut self.names.keys,
        }
    }
}

fn fields<const N: usize>(reply: Reply) -> Read<[Reply; N]> {
    let members = list(reply)?;
    let count = members.len();
    members.try_into().map_err(|_| format!("{count} fields in place of {N}"))
}

/// The only column of an answer: texts, each with the number of its type.
fn names(reply: Reply) -> Read<Vec<String>> {
    let [_, rows, _] = fields(reply)?;
    let name = |row: Reply| -> Read<String> {
        let [cell] = fields(row)?;
        Ok(plain(&pair(cell)?.1))
    };
    list(rows)?.into_iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Reply {
        Reply::BulkString(text.as_bytes().to_vec())
    }

    fn row(reply: Vec<Reply>) -> Reply {
        Reply::Array(reply)
    }

    fn typed(kind: i64, value: Reply) -> Reply {
        row(vec![Reply::Int(kind), value])
    }

    /// The answer to one question for one value.
    fn read_one(cell: Reply) -> Read<Value> {
        let header = row(vec![typed(1, text("x"))]);
        let reply = row(vec![header, row(vec![row(vec![cell])]), row(vec![])]);
        let labels = || row(vec![row(vec![]), row(vec![row(vec![typed(2, text("L"))])]), row(vec![])]);
        let lookup = |list: &str| if list == KEYS { None } else { Some(labels()) };
        match read(reply, &mut Names::default(), lookup)? {
            Outcome::Rows(rows) => Ok(rows.cells[0].clone()),
            other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn values_are_typed() {
        assert_eq!(read_one(typed(1, Reply::Nil)), Ok(Value::Null));
        assert_eq!(read_one(typed(2, text("true"))), Ok(Value::Text("true".into())));
        assert_eq!(read_one(typed(4, text("true"))), Ok(Value::Bool(true)));
        assert_eq!(read_one(typed(5, text("-0"))).unwrap().show(), "-0.0");
        assert_eq!(read_one(typed(5, text("-nan"))).unwrap().show(), "NaN");
        assert_eq!(read_one(typed(14, Reply::Int(1_577_923_200))), Ok(Value::marked("~date", "2020-01-02")));
        assert_eq!(read_one(typed(15, Reply::Int(-2_208_952_128))), Ok(Value::marked("~localtime", "10:11:12")));
        let node = row(vec![Reply::Int(3), row(vec![Reply::Int(0)]), row(vec![])]);
        assert_eq!(read_one(typed(8, node)).unwrap().show(), "(:L {})");
        assert!(read_one(typed(99, Reply::Nil)).is_err() && read_one(Reply::Int(1)).is_err());
    }
}
