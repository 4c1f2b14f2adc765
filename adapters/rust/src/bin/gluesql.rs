//! GlueSQL with tables in memory.

use gluesql::gluesql_memory_storage::MemoryStorage;
use gluesql::prelude::{Glue, Payload, Value};
use qualm_adapter::{Answer, Database, Hello, blob, integer, real, serve};
use serde_json::{Value as Json, json};

struct Gluesql(Glue<MemoryStorage>);

impl Database for Gluesql {
    fn run(&mut self, text: &str) -> Result<Answer, String> {
        let payloads = self.0.execute(text).map_err(|e| e.to_string())?;
        match payloads.into_iter().next_back() {
            Some(Payload::Select { labels, rows }) => {
                let rows = rows.into_iter().map(|row| row.into_iter().map(shown).collect()).collect();
                Ok(Answer::Rows { columns: labels.len(), rows })
            }
            _ => Ok(Answer::Done),
        }
    }
}

fn shown(value: Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => value.into(),
        Value::I8(value) => value.into(),
        Value::I16(value) => value.into(),
        Value::I32(value) => value.into(),
        Value::I64(value) => value.into(),
        Value::I128(value) => integer(value),
        Value::U8(value) => value.into(),
        Value::U16(value) => value.into(),
        Value::U32(value) => value.into(),
        Value::U64(value) => value.into(),
        Value::U128(value) => json!({"decimal": value.to_string()}),
        Value::F32(value) => real(value.into()),
        Value::F64(value) => real(value),
        Value::Decimal(value) => json!({"decimal": value.to_string()}),
        Value::Str(value) => value.into(),
        Value::Bytea(value) => blob(&value),
        Value::Date(value) => json!({"date": value.to_string()}),
        Value::Time(value) => json!({"time": value.to_string()}),
        Value::Timestamp(value) => json!({"timestamp": value.to_string()}),
        Value::Uuid(value) => json!({"uuid": format!("{value:032x}")}),
        Value::List(values) => values.into_iter().map(shown).collect(),
        Value::Map(values) => {
            let members: serde_json::Map<_, _> = values.into_iter().map(|(key, value)| (key, shown(value))).collect();
            json!({"map": members})
        }
        other @ (Value::Inet(_) | Value::Interval(_) | Value::Point(_)) => json!({"other": format!("{other:?}")}),
    }
}

fn main() {
    let hello = Hello { name: "gluesql", version: "0.20.0", plans_only: false };
    serve(&hello, || Ok(Gluesql(Glue::new(MemoryStorage::default()))));
}
