//! PackStream, the binary form of everything that Bolt says, and what its structures are as values. Knows bytes and
//! values, no messages.

use crate::calendar;
use qualm_core::value::Value;

/// Lists in lists deeper than this are not read: a statement can build them, and reading is recursive.
const DEPTH: usize = 100;

/// What stands for a message or for a node, a date and so on: a tag and fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    pub tag: u8,
    pub fields: Vec<Value>,
}

// ---------------------------------------------------------------- writing

/// Writes the little that a client has to say: structures of maps and texts.
#[derive(Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn structure(&mut self, tag: u8, fields: u8) {
        self.0.extend([0xB0 | fields, tag]);
    }

    pub fn map(&mut self, entries: usize) {
        self.size(entries, 0xA0, [0xD8, 0xD9, 0xDA]);
    }

    pub fn text(&mut self, text: &str) {
        self.size(text.len(), 0x80, [0xD0, 0xD1, 0xD2]);
        self.0.extend(text.as_bytes());
    }

    pub fn int(&mut self, i: i64) {
        match i {
            -16..=127 => self.0.push(i as u8),
            _ => {
                self.0.push(0xCB);
                self.0.extend(i.to_be_bytes());
            }
        }
    }

    /// A size below 16 is in the marker itself; others follow one of the three long markers.
    fn size(&mut self, size: usize, tiny: u8, long: [u8; 3]) {
        match size {
            0..16 => self.0.push(tiny | size as u8),
            16..0x100 => self.0.extend([long[0], size as u8]),
            0x100..0x1_0000 => {
                self.0.push(long[1]);
                self.0.extend((size as u16).to_be_bytes());
            }
            _ => {
                self.0.push(long[2]);
                self.0.extend((size as u32).to_be_bytes());
            }
        }
    }
}

// ---------------------------------------------------------------- reading

pub struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, String>;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The message that the bytes are.
    pub fn message(&mut self) -> Read<Structure> {
        let marker = self.byte()?;
        if marker & 0xF0 != 0xB0 {
            return Err(format!("a message begins with 0x{marker:02X}"));
        }
        let tag = self.byte()?;
        let fields = self.values(usize::from(marker & 0x0F), 0)?;
        if self.rest.is_empty() { Ok(Structure { tag, fields }) } else { Err("bytes behind the message".into()) }
    }

    fn value(&mut self, depth: usize) -> Read<Value> {
        if depth > DEPTH {
            return Err("the answer is nested too deeply".into());
        }
        let marker = self.byte()?;
        Ok(match marker {
            0x00..=0x7F | 0xF0..=0xFF => Value::Int(i64::from(marker as i8)),
            0x80..=0x8F => self.text(usize::from(marker & 0x0F))?,
            0x90..=0x9F => Value::List(self.values(usize::from(marker & 0x0F), depth)?),
            0xA0..=0xAF => self.map(usize::from(marker & 0x0F), depth)?,
            0xB0..=0xBF => {
                let tag = self.byte()?;
                let fields = self.values(usize::from(marker & 0x0F), depth)?;
                structure_value(Structure { tag, fields })?
            }
            0xC0 => Value::Null,
            0xC1 => Value::real(f64::from_bits(self.number(8)?)),
            0xC2 | 0xC3 => Value::Bool(marker == 0xC3),
            0xC8 => Value::Int(i64::from(self.number(1)? as i8)),
            0xC9 => Value::Int(i64::from(self.number(2)? as i16)),
            0xCA => Value::Int(i64::from(self.number(4)? as i32)),
            0xCB => Value::Int(self.number(8)? as i64),
            0xCC..=0xCE => {
                let size = self.size(marker - 0xCC)?;
                Value::Blob(self.take(size)?.to_vec())
            }
            0xD0..=0xD2 => {
                let size = self.size(marker - 0xD0)?;
                self.text(size)?
            }
            0xD4..=0xD6 => {
                let size = self.size(marker - 0xD4)?;
                Value::List(self.values(size, depth)?)
            }
            0xD8..=0xDA => {
                let size = self.size(marker - 0xD8)?;
                self.map(size, depth)?
            }
            _ => return Err(format!("no value begins with 0x{marker:02X}")),
        })
    }

    fn values(&mut self, count: usize, depth: usize) -> Read<Vec<Value>> {
        (0..count).map(|_| self.value(depth + 1)).collect()
    }

    fn map(&mut self, count: usize, depth: usize) -> Read<Value> {
        let entry = |reader: &mut Self| match reader.value(depth + 1)? {
            Value::Text(key) => Ok((key, reader.value(depth + 1)?)),
            other => Err(format!("{} is not a map key", other.show())),
        };
        Ok(Value::map((0..count).map(|_| entry(self)).collect::<Read<_>>()?))
    }

    fn text(&mut self, size: usize) -> Read<Value> {
        let bytes = self.take(size)?.to_vec();
        String::from_utf8(bytes).map(Value::Text).map_err(|e| format!("a string that is not UTF-8: {e}"))
    }

    fn byte(&mut self) -> Read<u8> {
        self.take(1).map(|b| b[0])
    }

    /// The size behind a long marker: 1, 2 or 4 bytes.
    fn size(&mut self, which: u8) -> Read<usize> {
        self.number(1 << which).map(|n| n as usize)
    }

    fn number(&mut self, bytes: usize) -> Read<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |n, b| n << 8 | u64::from(*b)))
    }

    fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(size).ok_or("the message ends too soon")?;
        self.rest = rest;
        Ok(taken)
    }
}

// ---------------------------------------------------------------- structures

fn structure_value(structure: Structure) -> Read<Value> {
    let Structure { tag, fields } = structure;
    let whole = |i: usize| match fields.get(i) {
        Some(Value::Int(n)) => Ok(*n),
        other => Err(format!("field {i} of a structure '{}' is {other:?}", tag as char)),
    };
    Ok(match (tag, fields.len()) {
        // Since version 5 the last fields are the engine's own names of the same things.
        (b'N', 3 | 4) => node(&fields),
        (b'R', 5 | 8) => relationship(&fields, &fields[3], &fields[4], Some((&fields[1], &fields[2]))),
        (b'r', 3 | 4) => relationship(&fields, &fields[1], &fields[2], None),
        (b'P', 3) => path(&fields)?,
        (b'D', 1) => Value::marked("~date", calendar::date(whole(0)?)),
        (b't', 1) => Value::marked("~localtime", calendar::time(whole(0)?)),
        (b'T', 2) => Value::marked("~time", calendar::time(whole(0)?) + calendar::offset(whole(1)?).as_str()),
        (b'd', 2) => Value::marked("~localdatetime", calendar::date_time(whole(0)?, whole(1)?)),
        // Local time and its offset; since version 5 the universal one.
        (b'F', 3) => zoned(calendar::date_time(whole(0)?, whole(1)?), &calendar::offset(whole(2)?)),
        (b'I', 3) => zoned(calendar::date_time(whole(0)? + whole(2)?, whole(1)?), &calendar::offset(whole(2)?)),
        (b'f', 3) => zoned(calendar::date_time(whole(0)?, whole(1)?), &format!("[{}]", plain(&fields[2]))),
        (b'i', 3) => zoned(calendar::date_time(whole(0)?, whole(1)?), &format!("Z[{}]", plain(&fields[2]))),
        (b'E', 4) => Value::marked("~duration", calendar::duration(whole(0)?, whole(1)?, whole(2)?, whole(3)?)),
        (b'X', 3) => point(&fields, &["x", "y"]),
        (b'Y', 4) => point(&fields, &["x", "y", "z"]),
        (_, count) => return Err(format!("a structure 0x{tag:02X} of {count} fields is not known here")),
    })
}

/// Nodes and relationships in the order of the path. It comes as each of them once, and pairs of places in these lists:
/// of a relationship, from 1 and below 0 if it is walked against its direction, and of the node behind it.
fn path(fields: &[Value]) -> Read<Value> {
    let [Value::List(nodes), Value::List(relationships), Value::List(steps)] = fields else {
        return Err("a path that is not three lists".into());
    };
    let at = |list: &[Value], i: i64| list.get(i as usize).cloned().ok_or("a path index out of range");
    let mut walked = vec![at(nodes, 0)?];
    for step in steps.chunks(2) {
        let [Value::Int(relationship), Value::Int(node)] = step else { return Err("a path without indices".into()) };
        walked.push(at(relationships, relationship.abs() - 1)?);
        walked.push(at(nodes, *node)?);
    }
    Ok(Value::map(vec![("~path".into(), Value::List(walked))]))
}

fn zoned(local: String, zone: &str) -> Value {
    Value::marked("~datetime", local + zone)
}

fn point(fields: &[Value], names: &[&str]) -> Value {
    let places: String = names.iter().zip(&fields[1..]).map(|(name, at)| format!(", {name}: {}", at.show())).collect();
    Value::marked("~point", format!("{{srid: {}{places}}}", fields[0].show()))
}

fn plain(value: &Value) -> String {
    if let Value::Text(text) = value { text.clone() } else { value.show() }
}

/// The properties with what no property is called.
fn with_marks(properties: &Value, marks: Vec<(&str, Value)>) -> Value {
    let mut entries: Vec<(String, Value)> = marks.into_iter().map(|(key, value)| (key.to_string(), value)).collect();
    if let Value::Map(own) = properties {
        entries.extend(own.iter().cloned());
    }
    Value::map(entries)
}

/// An engine that has no whole numbers for it sends NULL and a text.
fn identity(fields: &[Value], from: usize) -> Value {
    match &fields[from] {
        Value::Null => fields.get(3).cloned().unwrap_or(Value::Null),
        id => id.clone(),
    }
}

fn node(fields: &[Value]) -> Value {
    let mut labels = match &fields[1] {
        Value::List(labels) => labels.clone(),
        _ => Vec::new(),
    };
    labels.sort_by_key(plain);
    with_marks(&fields[2], vec![("~id", identity(fields, 0)), ("~labels", Value::List(labels))])
}

fn relationship(fields: &[Value], kind: &Value, properties: &Value, ends: Option<(&Value, &Value)>) -> Value {
    let mut marks = vec![("~id", fields[0].clone()), ("~type", kind.clone())];
    if let Some((from, to)) = ends {
        marks.extend([("~from", from.clone()), ("~to", to.clone())]);
    }
    with_marks(properties, marks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Value {
        Reader::new(bytes).value(0).unwrap()
    }

    #[test]
    fn numbers_and_texts_are_read() {
        assert_eq!(read(&[0x2A]), Value::Int(42));
        assert_eq!(read(&[0xF0]), Value::Int(-16));
        assert_eq!(read(&[0xC9, 0xFF, 0x00]), Value::Int(-256));
        assert_eq!(read(&[0xCB, 0x80, 0, 0, 0, 0, 0, 0, 0]), Value::Int(i64::MIN));
        assert_eq!(read(&[0xC1, 0x80, 0, 0, 0, 0, 0, 0, 0]).show(), "-0.0");
        assert_eq!(read(&[0x82, b'a', b'b']), Value::Text("ab".into()));
        assert_eq!(read(&[0xCC, 1, 7]), Value::Blob(vec![7]));
        assert_eq!(read(&[0x92, 0xC0, 0xC3]), Value::List(vec![Value::Null, Value::Bool(true)]));
        let map = read(&[0xA2, 0x81, b'b', 1, 0x81, b'a', 2]);
        assert_eq!(map, Value::map(vec![("a".into(), Value::Int(2)), ("b".into(), Value::Int(1))]));
    }

    #[test]
    fn what_is_written_is_read() {
        for size in [0, 15, 16, 255, 256, 70_000] {
            let mut writer = Writer::default();
            let text = "x".repeat(size);
            writer.text(&text);
            assert_eq!(read(&writer.0), Value::Text(text));
        }
        for i in [0, -16, -17, 127, 128, i64::MIN] {
            let mut writer = Writer::default();
            writer.int(i);
            assert_eq!(read(&writer.0), Value::Int(i));
        }
    }

    #[test]
    fn structures_become_marked_maps() {
        let date = [0xB1, b'D', 0xC9, 0x47, 0x91];
        assert_eq!(read(&date), Value::marked("~date", "2020-02-29"));
        let node = [0xB3, b'N', 7, 0x92, 0x81, b'M', 0x81, b'L', 0xA1, 0x81, b'p', 1];
        assert_eq!(read(&node).show(), "(:L:M {p: 1})");
        let edge = [0xB5, b'R', 1, 7, 8, 0x81, b'T', 0xA0];
        assert_eq!(read(&edge).show(), "[:T {}]");
        let node = |label| [0xB3, b'N', label, 0x91, 0x81, label, 0xA0];
        let step = [0xB3, b'r', 1, 0x81, b'T', 0xA0];
        let mut path = [&[0xB3, b'P', 0x92][..], &node(b'L'), &node(b'M'), &[0x91], &step].concat();
        path.extend([0x92, 0xFF, 1]);
        assert_eq!(read(&path).show(), "path([(:L {}), [:T {}], (:M {})])");
        let point = [0xB3, b'X', 0xC9, 0x1C, 0x23, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, 0xC1, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0];
        assert_eq!(read(&point).show(), "point({srid: 7203, x: 0.0, y: 1.0})");
    }

    #[test]
    fn what_is_broken_is_reported() {
        for bytes in
            [&[0xC1, 0][..], &[0x85, b'a'], &[0xC4], &[0xB1, b'?', 1], &[0xA1, 1, 1], &[0x81, 0xFF], &[0x91; 300]]
        {
            assert!(Reader::new(bytes).value(0).is_err(), "{bytes:?}");
        }
    }
}
