//! `TabSeparatedWithNamesAndTypes` read into typed values.

use super::{ANSWER_BYTES, ANSWER_ROWS};
use qualm_core::session::{Outcome, RejectionClass};
use qualm_core::value::{Rows, Value};

/// What a column's type makes of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Integers of any width; those beyond 64 bits are decimals.
    Int,
    Real,
    Exact,
    /// ClickHouse's Bool is a UInt8 with another face, and which of the two an expression has is of no meaning.
    Bool,
    Text,
}

/// The answer to one statement: nothing at all for statements without one, else a line of names and a line of types.
pub fn read(bytes: &[u8]) -> Outcome {
    if bytes.is_empty() {
        return Outcome::Done;
    }
    if bytes.len() > ANSWER_BYTES {
        return Outcome::rejected(RejectionClass::Limit, "answer too long");
    }
    let mut lines = bytes.split(|b| *b == b'\n');
    let (_, Some(types)) = (lines.next(), lines.next()) else {
        return unreadable("it has no line of types");
    };
    let readings: Vec<Reading> =
        types.split(|b| *b == b'\t').map(|t| reading(&String::from_utf8_lossy(&unescape(t)))).collect();
    let mut rows = Rows::new(readings.len());
    let mut count = 0;
    let mut lines = lines.peekable();
    while let Some(line) = lines.next() {
        // Every line ends with a newline: nothing follows the last one.
        if line.is_empty() && lines.peek().is_none() {
            break;
        }
        count += 1;
        if count > ANSWER_ROWS {
            return Outcome::rejected(RejectionClass::Limit, "answer too long");
        }
        let before = rows.cells.len();
        rows.cells.extend(line.split(|b| *b == b'\t').zip(&readings).map(|(cell, reading)| value(cell, *reading)));
        if rows.cells.len() - before != readings.len() || line.split(|b| *b == b'\t').count() != readings.len() {
            return unreadable("a row has another number of columns than the line of types");
        }
    }
    Outcome::Rows(rows)
}

/// The only cell of an answer, as text.
pub fn one_text(bytes: &[u8]) -> Result<String, String> {
    match read(bytes) {
        Outcome::Rows(rows) => match rows.scalar() {
            Some(Value::Text(text)) => Ok(text.clone()),
            Some(other) => Ok(other.show()),
            None => Err(format!("{} rows instead of one value", rows.len())),
        },
        other => Err(format!("{other:?} instead of one value")),
    }
}

/// ClickHouse breaking its own format is its fault, and worth a report.
fn unreadable(why: &str) -> Outcome {
    Outcome::rejected(RejectionClass::Internal, format!("the answer cannot be read: {why}"))
}

fn reading(name: &str) -> Reading {
    let inner = |wrapper: &str| name.strip_prefix(wrapper).and_then(|rest| rest.strip_suffix(')'));
    if let Some(inner) = inner("Nullable(").or_else(|| inner("LowCardinality(")) {
        return reading(inner);
    }
    match name {
        "Float32" | "Float64" | "BFloat16" => Reading::Real,
        "Bool" => Reading::Bool,
        _ if name.starts_with("Decimal") => Reading::Exact,
        _ if name.starts_with("Int") || name.starts_with("UInt") => {
            if name.starts_with("Interval") {
                Reading::Text
            } else {
                Reading::Int
            }
        }
        _ => Reading::Text,
    }
}

fn value(cell: &[u8], reading: Reading) -> Value {
    if cell == b"\\N" {
        return Value::Null;
    }
    let plain = || std::str::from_utf8(cell).ok();
    let read = match reading {
        Reading::Int | Reading::Exact => plain().map(Value::decimal),
        Reading::Real => plain().and_then(real).map(Value::real),
        Reading::Bool => match cell {
            b"true" => Some(Value::Int(1)),
            b"false" => Some(Value::Int(0)),
            _ => None,
        },
        Reading::Text => None,
    };
    read.unwrap_or_else(|| match String::from_utf8(unescape(cell)) {
        Ok(text) => Value::Text(text),
        Err(e) => Value::Blob(e.into_bytes()),
    })
}

fn real(text: &str) -> Option<f64> {
    match text {
        "inf" => Some(f64::INFINITY),
        "-inf" => Some(f64::NEG_INFINITY),
        "nan" | "-nan" => Some(f64::NAN),
        _ => text.parse().ok(),
    }
}

pub fn unescape(cell: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(cell.len());
    let mut rest = cell.iter();
    while let Some(b) = rest.next() {
        if *b != b'\\' {
            bytes.push(*b);
            continue;
        }
        bytes.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'0') => 0,
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(other) => *other,
            None => b'\\',
        });
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_their_types() {
        let text = b"a\tb\tc\td\te\tf\nInt64\tNullable(Float64)\tLowCardinality(Nullable(String))\tBool\t\
            Decimal(18, 4)\tUInt64\n-9223372036854775808\t-0\t\\N\ttrue\t1.5\t18446744073709551615\n\
            7\tinf\t\\\\N\\t\\0\\'\tfalse\t1\t5\n";
        let Outcome::Rows(rows) = read(text) else { panic!("no rows") };
        let shown: Vec<String> = rows.cells.iter().map(Value::show).collect();
        assert_eq!(
            shown,
            ["-9223372036854775808", "-0.0", "NULL", "1", "1.5", "18446744073709551615"]
                .into_iter()
                .chain(["7", "Inf", "'\\N\t\0'''", "0", "1", "5"])
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn empty_text_and_no_rows_are_distinguished_from_nothing() {
        assert_eq!(read(b""), Outcome::Done);
        assert_eq!(read(b"a\nString\n"), Outcome::Rows(Rows::new(1)));
        assert_eq!(read(b"a\nString\n\n"), Outcome::Rows(Rows::of(vec![vec![Value::Text(String::new())]])));
        assert_eq!(read(b"a\nString\n\\xFF".as_slice()), read(b"a\nString\n\\xFF\n"));
        let bytes = read(b"a\nString\n\xFF\n");
        assert_eq!(bytes, Outcome::Rows(Rows::of(vec![vec![Value::Blob(vec![0xFF])]])));
    }

    #[test]
    fn a_broken_answer_is_no_empty_one() {
        for text in [&b"Code: 241. DB::Exception"[..], b"a\tb\nInt8\tInt8\n1\n", b"a\nInt8\n1\t2\n"] {
            assert!(matches!(read(text), Outcome::Rejected(r) if r.class == RejectionClass::Internal));
        }
    }
}
