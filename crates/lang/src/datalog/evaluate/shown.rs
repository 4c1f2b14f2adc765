//! Tuples as engines give them.

use super::*;

/// Answers as engines give them.
pub fn rows(tuples: &BTreeSet<Tuple>, columns: usize) -> Rows {
    Rows { columns, cells: tuples.iter().flatten().map(value).collect() }
}

pub fn value(c: &Constant) -> Value {
    match c {
        Constant::Number(n) => Value::Int(*n),
        Constant::Unsigned(n) => i64::try_from(*n).map_or_else(|_| Value::decimal(&n.to_string()), Value::Int),
        Constant::Float(f) => Value::Real(*f),
        Constant::Symbol(s) => Value::Text(s.to_string()),
        Constant::Built(b) => Value::Text(spelled(b)),
    }
}

/// As engines write it: `[1, a]`, `nil`, `$Leaf(2)`, `$None`.
fn spelled(built: &BuiltValue) -> String {
    let field = |c: &Constant| match c {
        Constant::Number(n) => n.to_string(),
        Constant::Unsigned(n) => n.to_string(),
        Constant::Float(f) => f.to_string(),
        Constant::Symbol(s) => s.to_string(),
        Constant::Built(b) => spelled(b),
    };
    let fields = built.fields.iter().map(field).collect::<Vec<_>>().join(", ");
    match &built.branch {
        None => "nil".into(),
        Some(record) if record.is_empty() => format!("[{fields}]"),
        Some(branch) if fields.is_empty() && built.fields.is_empty() => format!("${branch}"),
        Some(branch) => format!("${branch}({fields})"),
    }
}
