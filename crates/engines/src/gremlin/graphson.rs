//! GraphSON 3, the typed JSON of TinkerPop: what a server answers becomes values.

use qualm_core::value::Value;
use serde_json::Value as Json;

/// A value, or what cannot be read.
pub fn value(json: &Json) -> Result<Value, String> {
    match json {
        Json::Null => Ok(Value::Null),
        Json::Bool(truth) => Ok(Value::Bool(*truth)),
        Json::String(text) => Ok(Value::Text(text.clone())),
        // Numbers have a type around them; these are in messages only.
        Json::Number(_) | Json::Array(_) => Value::from_json(json.clone()),
        Json::Object(typed) => match (typed.get("@type").and_then(Json::as_str), typed.get("@value")) {
            (Some(kind), Some(inside)) => typed_value(kind, inside),
            // A bulk set and the like that carry no value.
            _ => Err(format!("'{json}' has no type")),
        },
    }
}

fn typed_value(kind: &str, inside: &Json) -> Result<Value, String> {
    let wrong = || format!("'{inside}' is not of type {kind}");
    match kind {
        "g:Int32" | "g:Int64" | "gx:Byte" | "gx:Int16" => inside.as_i64().map(Value::Int).ok_or_else(wrong),
        "g:Float" | "g:Double" => real(inside).map(Value::real).ok_or_else(wrong),
        "gx:BigInteger" | "gx:BigDecimal" => {
            Ok(Value::decimal(&inside.as_str().map_or_else(|| inside.to_string(), str::to_owned)))
        }
        "g:List" | "g:Set" => {
            let members = inside.as_array().ok_or_else(wrong)?;
            let mut members = members.iter().map(value).collect::<Result<Vec<_>, _>>()?;
            if kind == "g:Set" {
                members.sort_by_key(Value::show);
            }
            Ok(Value::List(members))
        }
        "g:BulkSet" => bulk(inside.as_array().ok_or_else(wrong)?),
        "g:Map" => map(inside.as_array().ok_or_else(wrong)?),
        "g:Vertex" => vertex(inside),
        "g:Edge" => edge(inside),
        "g:VertexProperty" | "g:Property" => value(inside.get("value").ok_or_else(wrong)?),
        "g:Path" => value(inside.get("objects").ok_or_else(wrong)?),
        "g:T" | "g:Direction" | "gx:Char" => inside.as_str().map(|t| Value::Text(t.to_owned())).ok_or_else(wrong),
        "g:UUID" => Ok(Value::marked("~uuid", inside.as_str().ok_or_else(wrong)?)),
        "g:Date" | "g:Timestamp" => Ok(Value::marked("~timestamp", inside.to_string())),
        "gx:LocalDate" => Ok(Value::marked("~date", inside.as_str().ok_or_else(wrong)?)),
        "gx:Duration" => Ok(Value::marked("~duration", inside.as_str().ok_or_else(wrong)?)),
        _ => Err(format!("a value of type '{kind}'")),
    }
}

fn real(json: &Json) -> Option<f64> {
    match json.as_str() {
        None => json.as_f64(),
        Some("NaN") => Some(f64::NAN),
        Some("Infinity") => Some(f64::INFINITY),
        Some("-Infinity") => Some(f64::NEG_INFINITY),
        Some(_) => None,
    }
}

/// Members and how often each is there, side by side.
fn bulk(pairs: &[Json]) -> Result<Value, String> {
    let mut members = Vec::new();
    for pair in pairs.chunks(2) {
        let [member, Value::Int(times)] = [value(&pair[0])?, value(pair.get(1).unwrap_or(&Json::Null))?] else {
            return Err("a set of several that does not say how many".into());
        };
        members.extend(std::iter::repeat_n(member, usize::try_from(times).unwrap_or(0)));
    }
    members.sort_by_key(Value::show);
    Ok(Value::List(members))
}

/// Keys and values side by side. Keys of other types than text are written as people read them; `id` and `label` of an
/// element map are no properties.
fn map(pairs: &[Json]) -> Result<Value, String> {
    let mut entries = Vec::with_capacity(pairs.len() / 2);
    for pair in pairs.chunks(2) {
        let special = pair[0].get("@type").and_then(Json::as_str).is_some_and(|t| t == "g:T" || t == "g:Direction");
        let key = match value(&pair[0])? {
            Value::Text(text) if special => format!("~{text}"),
            Value::Text(text) => text,
            other => other.show(),
        };
        entries.push((key, value(pair.get(1).ok_or("a map with a key and no value")?)?));
    }
    Ok(Value::map(entries))
}

fn vertex(json: &Json) -> Result<Value, String> {
    let mut entries = vec![
        ("~id".to_owned(), value(&json["id"])?),
        ("~labels".to_owned(), Value::List(vec![value(&json["label"])?])),
    ];
    for (name, held) in json["properties"].as_object().into_iter().flatten() {
        let held = held.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut values = held.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        // One name may hold several values.
        let value = if values.len() == 1 { values.remove(0) } else { Value::List(values) };
        entries.push((name.clone(), value));
    }
    Ok(Value::map(entries))
}

fn edge(json: &Json) -> Result<Value, String> {
    let mut entries = Vec::new();
    for (part, mark) in [("id", "~id"), ("label", "~type"), ("outV", "~from"), ("inV", "~to")] {
        entries.push((mark.to_owned(), value(&json[part])?));
    }
    for (name, held) in json["properties"].as_object().into_iter().flatten() {
        entries.push((name.clone(), value(held)?));
    }
    Ok(Value::map(entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn typed_json_becomes_values() {
        let int = |i: i64| json!({"@type": "g:Int64", "@value": i});
        let vertex = json!({"@type": "g:Vertex", "@value": {"id": int(0), "label": "A", "properties": {
            "p": [{"@type": "g:VertexProperty", "@value": {"id": int(1), "value": int(7), "label": "p"}}]}}});
        let edge = json!({"@type": "g:Edge", "@value": {"id": int(9), "label": "E", "inV": int(1), "outV": int(0),
            "properties": {"w": {"@type": "g:Property", "@value": {"key": "w", "value": "x"}}}}});
        let cases = [
            (json!({"@type": "g:Double", "@value": "NaN"}), "NaN"),
            (json!({"@type": "g:Double", "@value": -0.0}), "-0.0"),
            (json!({"@type": "g:Double", "@value": 1}), "1.0"),
            (json!({"@type": "g:Int32", "@value": 1}), "1"),
            (json!({"@type": "g:List", "@value": [int(1), "a", null]}), "[1, 'a', NULL]"),
            (json!({"@type": "g:Map", "@value": ["b", int(1), {"@type": "g:T", "@value": "id"}, int(2)]}), "{b: 1}"),
            (json!({"@type": "g:BulkSet", "@value": ["b", int(2), "a", int(1)]}), "['a', 'b', 'b']"),
            (vertex, "(:A {p: 7})"),
            (edge, "[:E {w: 'x'}]"),
        ];
        for (json, shown) in cases {
            assert_eq!(value(&json).unwrap().show(), shown, "{json}");
        }
        assert!(value(&json!({"@type": "g:Nothing", "@value": 1})).is_err());
    }
}
