//! One typed value, and rows of them: what every engine's answer becomes, in its driver, once.
//!
//! NULL is not the text "NULL", an integer is not a float, −0.0 is not 0.0; there is one NaN. This module knows how
//! values are written as data (JSON) and for people; when two of them count as the same answer is said in `relation/`.

use serde::de::Error as _;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// Drivers make it with `Value::real`, except where an engine distinguishes NaNs by their bits.
    Real(f64),
    /// An exact number that is no 64-bit integer: digits, at most one point, no exponent, no zeros at the end of the
    /// fraction. Drivers make it with `Value::decimal`.
    Decimal(String),
    Text(String),
    Blob(Vec<u8>),
    List(Vec<Value>),
    /// Keys in ascending order, each once; made with `Value::map`. Nodes, relationships and the like arrive as maps
    /// too, marked by keys that no property has: a node has `~id` and `~labels` (a sorted list), a relationship `~id`,
    /// `~type`, `~from` and `~to`, both their properties beside; a date, a time, a duration or a point has one key
    /// (`~date`, `~time`, `~duration`, `~point` …) with the engine's text.
    Map(Vec<(String, Value)>),
}

/// The answer to one question: cells in row-major order. One vector, because a check reads thousands of them a second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    pub columns: usize,
    pub cells: Vec<Value>,
}

impl Rows {
    pub fn new(columns: usize) -> Rows {
        Rows { columns, cells: Vec::new() }
    }

    /// Rows given one by one, all of one width.
    pub fn of(rows: Vec<Vec<Value>>) -> Rows {
        let columns = rows.first().map_or(0, Vec::len);
        assert!(rows.iter().all(|r| r.len() == columns), "rows of one answer have one width");
        Rows { columns, cells: rows.into_iter().flatten().collect() }
    }

    pub fn len(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub fn row(&self, i: usize) -> &[Value] {
        &self.cells[i * self.columns..(i + 1) * self.columns]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Value]> {
        self.cells.chunks_exact(self.columns.max(1))
    }

    /// The only cell of a one-cell answer.
    pub fn scalar(&self) -> Option<&Value> {
        if self.cells.len() == 1 { self.cells.first() } else { None }
    }
}

impl Value {
    /// A float as an engine gave it. What sign or payload a NaN has depends on the processor and on the order of
    /// operations, so it is no part of the answer.
    pub fn real(number: f64) -> Value {
        Value::Real(if number.is_nan() { f64::NAN } else { number })
    }

    /// An exact number as an engine wrote it. How many zeros stand at the end is not part of the answer: engines derive
    /// it from declared types, and equal numbers of different scale are equal. A whole number that fits is an integer.
    pub fn decimal(text: &str) -> Value {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if digits.is_empty() || !plain(whole) || !plain(fraction) {
            return Value::Text(text.to_string());
        }
        let whole = whole.trim_start_matches('0');
        let whole = if whole.is_empty() { "0" } else { whole };
        let fraction = fraction.trim_end_matches('0');
        let sign = if whole == "0" && fraction.is_empty() { "" } else { sign };
        if fraction.is_empty() {
            let digits = format!("{sign}{whole}");
            return digits.parse().map_or(Value::Decimal(digits), Value::Int);
        }
        Value::Decimal(format!("{sign}{whole}.{fraction}"))
    }

    /// A map from entries in any order.
    pub fn map(mut entries: Vec<(String, Value)>) -> Value {
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Value::Map(entries)
    }

    /// A value that is only text beside a mark of what it is: `Value::marked("~date", "2020-02-29")`.
    pub fn marked(mark: &str, text: impl Into<String>) -> Value {
        Value::Map(vec![(mark.to_owned(), Value::Text(text.into()))])
    }

    /// As a person reads it in a report: text in quotes, blobs as x'..', floats always with a point or exponent.
    pub fn show(&self) -> String {
        match self {
            Value::Null => "NULL".into(),
            Value::Bool(b) => if *b { "TRUE" } else { "FALSE" }.into(),
            Value::Int(i) => i.to_string(),
            Value::Real(r) => show_real(*r),
            Value::Decimal(d) => d.clone(),
            Value::Text(t) => format!("'{}'", t.replace('\'', "''")),
            Value::Blob(b) => format!("x'{}'", hex(b)),
            Value::List(members) => format!("[{}]", members.iter().map(Value::show).collect::<Vec<_>>().join(", ")),
            Value::Map(entries) => show_map(entries),
        }
    }
}

/// Nodes and relationships as Cypher writes them, without the numbers that the engine gave them.
fn show_map(entries: &[(String, Value)]) -> String {
    let get = |key: &str| entries.iter().find(|(k, _)| k == key).map(|(_, v)| v);
    let plain: Vec<String> =
        entries.iter().filter(|(k, _)| !k.starts_with('~')).map(|(k, v)| format!("{k}: {}", v.show())).collect();
    let properties = format!("{{{}}}", plain.join(", "));
    match (get("~labels"), get("~type"), entries) {
        (Some(Value::List(labels)), ..) => {
            let names: String = labels.iter().map(|l| format!(":{}", word(l))).collect();
            format!("({}{properties})", if names.is_empty() { names } else { names + " " })
        }
        (_, Some(kind), _) => format!("[:{} {properties}]", word(kind)),
        (_, _, [(mark, value)]) if mark.starts_with('~') => format!("{}({})", &mark[1..], word(value)),
        _ => properties,
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => other.show(),
    }
}

pub fn show_real(r: f64) -> String {
    if r.is_nan() {
        return "NaN".into();
    }
    if r.is_infinite() {
        return if r > 0.0 { "Inf" } else { "-Inf" }.into();
    }
    format!("{r:?}")
}

pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut s, b| {
        let _ = write!(s, "{b:02X}");
        s
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).ok()).collect()
}

/// JSON form, the one of the bug corpus: null, integer, real, text as themselves; `{"blob": hex}`; `{"decimal": text}`;
/// `{"real": text}` for what JSON has no number for; a list is an array, a map `{"map": {…}}`.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        let tagged = |s: S, key: &str, text: &str| {
            let mut map = s.serialize_map(Some(1))?;
            map.serialize_entry(key, text)?;
            map.end()
        };
        match self {
            Value::Null => s.serialize_unit(),
            Value::Bool(b) => s.serialize_bool(*b),
            Value::Int(i) => s.serialize_i64(*i),
            Value::Real(r) if r.is_finite() && !(*r == 0.0 && r.is_sign_negative()) => s.serialize_f64(*r),
            // On most processors 0/0 has a sign, and to an engine that compares bits tuples that differ in it are two.
            Value::Real(r) if r.is_nan() && r.is_sign_negative() => tagged(s, "real", "-NaN"),
            Value::Real(r) => tagged(s, "real", &show_real(*r)),
            Value::Decimal(d) => tagged(s, "decimal", d),
            Value::Text(t) => s.serialize_str(t),
            Value::Blob(b) => tagged(s, "blob", &hex(b)),
            Value::List(members) => s.collect_seq(members),
            Value::Map(entries) => {
                let mut map = s.serialize_map(Some(1))?;
                map.serialize_entry("map", &Entries(entries))?;
                map.end()
            }
        }
    }
}

struct Entries<'a>(&'a [(String, Value)]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Value, D::Error> {
        Value::from_json(serde_json::Value::deserialize(d)?).map_err(D::Error::custom)
    }
}

impl Value {
    /// Reads the JSON form.
    pub fn from_json(json: serde_json::Value) -> Result<Value, String> {
        use serde_json::Value as Json;
        Ok(match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(b),
            Json::Number(n) => match n.as_i64() {
                Some(i) => Value::Int(i),
                None => Value::Real(n.as_f64().ok_or("number out of range")?),
            },
            Json::String(t) => Value::Text(t),
            Json::Object(mut map) => match map.remove("map") {
                Some(Json::Object(entries)) => {
                    let read = |(k, v): (String, Json)| Ok((k, Value::from_json(v)?));
                    Value::map(entries.into_iter().map(read).collect::<Result<_, String>>()?)
                }
                _ => tagged_value(&map).ok_or("unknown tagged value")?,
            },
            Json::Array(members) => {
                Value::List(members.into_iter().map(Value::from_json).collect::<Result<_, String>>()?)
            }
        })
    }
}

fn tagged_value(map: &serde_json::Map<String, serde_json::Value>) -> Option<Value> {
    let (key, text) = map.iter().next().and_then(|(k, v)| Some((k.as_str(), v.as_str()?)))?;
    match key {
        "blob" => unhex(text).map(Value::Blob),
        "decimal" => Some(Value::decimal(text)),
        "real" => match text {
            "NaN" => Some(Value::Real(f64::NAN)),
            "-NaN" => Some(Value::Real(-f64::NAN)),
            "Inf" => Some(Value::Real(f64::INFINITY)),
            "-Inf" => Some(Value::Real(f64::NEG_INFINITY)),
            other => other.parse().ok().map(Value::Real),
        },
        _ => None,
    }
}

impl Serialize for Rows {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Rows {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Rows, D::Error> {
        let rows = Vec::<Vec<Value>>::deserialize(d)?;
        if rows.iter().any(|r| r.len() != rows[0].len()) {
            return Err(D::Error::custom("rows of different width"));
        }
        Ok(Rows::of(rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_json() {
        let all = vec![
            Value::Null,
            Value::Int(i64::MIN),
            Value::Int(i64::MAX),
            Value::Real(0.1),
            Value::Real(1.0),
            Value::Real(-0.0),
            Value::Real(f64::INFINITY),
            Value::Decimal("12345678901234567890.5".into()),
            Value::Text("it's \u{1F980}\0".into()),
            Value::Text("NULL".into()),
            Value::Blob(vec![0, 255]),
            Value::List(vec![Value::Int(1), Value::Null, Value::List(vec![])]),
            Value::map(vec![("~labels".into(), Value::List(vec![])), ("a".into(), Value::Real(f64::NAN))]),
            Value::marked("~date", "2020-02-29"),
        ];
        let rows = Rows::of(vec![all]);
        let back: Rows = serde_json::from_str(&serde_json::to_string(&rows).unwrap()).unwrap();
        assert_eq!(format!("{rows:?}"), format!("{back:?}"));
        let nan: Value = serde_json::from_str(&serde_json::to_string(&Value::Real(f64::NAN)).unwrap()).unwrap();
        assert!(matches!(nan, Value::Real(r) if r.to_bits() == f64::NAN.to_bits()));
        let nan: Value = serde_json::from_str(&serde_json::to_string(&Value::Real(-f64::NAN)).unwrap()).unwrap();
        assert!(matches!(nan, Value::Real(r) if r.to_bits() == (-f64::NAN).to_bits()));
    }

    #[test]
    fn there_is_one_nan() {
        let payload = f64::from_bits(f64::NAN.to_bits() | 1);
        for nan in [f64::NAN, -f64::NAN, payload, -payload] {
            assert!(matches!(Value::real(nan), Value::Real(r) if r.to_bits() == f64::NAN.to_bits()));
        }
        assert!(matches!(Value::real(-0.0), Value::Real(r) if r.is_sign_negative()));
    }

    #[test]
    fn exact_numbers_have_one_form() {
        let cases = [("1.50", "1.5"), ("1.00", "1"), ("-0.0", "0"), ("007", "7"), ("-12.340", "-12.34"), (".5", "0.5")];
        for (text, shown) in cases {
            assert_eq!(Value::decimal(text).show(), shown);
        }
        assert_eq!(Value::decimal("1.00"), Value::Int(1));
        let huge = "170141183460469231731687303715884105727";
        assert_eq!(Value::decimal(huge), Value::Decimal(huge.into()));
        assert_eq!(Value::decimal("NaN"), Value::Text("NaN".into()));
    }

    #[test]
    fn people_see_the_type() {
        let shown: Vec<String> =
            [Value::Int(1), Value::Real(1.0), Value::Text("1".into()), Value::Blob(vec![0x31]), Value::Null]
                .iter()
                .map(Value::show)
                .collect();
        assert_eq!(shown, ["1", "1.0", "'1'", "x'31'", "NULL"]);
        let labels = Value::List(vec![Value::Text("L".into())]);
        let node = vec![("p".into(), Value::Int(1)), ("~labels".into(), labels), ("~id".into(), Value::Int(7))];
        assert_eq!(Value::map(node).show(), "(:L {p: 1})");
        assert_eq!(Value::marked("~date", "2020-02-29").show(), "date(2020-02-29)");
        assert_eq!(Value::List(vec![Value::Int(1), Value::Null]).show(), "[1, NULL]");
    }
}
