//! Trees to text: one printer per form. Whatever is printed is what a person would paste into the engine's own shell.

mod cypher;
mod gremlin;
#[cfg(test)]
mod tests;

use super::ast::{Expr, Literal, Query, Special, Statement};
use qualm_core::dialect::graph::{Form, GraphDialect, Kind, SchemaRule};

pub fn query(query: &Query, dialect: &GraphDialect) -> String {
    match dialect.form {
        Form::Cypher => cypher::query(query, dialect),
        Form::Gremlin => gremlin::query(query, dialect),
    }
}

/// Several queries put together row by row (`UNION ALL`), where the form has it.
pub fn union_all(queries: &[Query], dialect: &GraphDialect) -> String {
    let texts: Vec<String> = queries.iter().map(|q| cypher::query(q, dialect)).collect();
    texts.join(" UNION ALL ")
}

/// An expression alone, for reports and features.
pub fn expression(expr: &Expr, dialect: &GraphDialect) -> String {
    cypher::expr(expr, dialect)
}

pub fn statement(statement: &Statement, dialect: &GraphDialect) -> String {
    match statement {
        Statement::NodeTable { label, columns } => node_table(label, columns, dialect),
        Statement::EdgeTable { kind, pairs, columns } => edge_table(kind, pairs, columns, dialect),
        Statement::CreateIndex { spec, name, class, property } => {
            index(spec, name, class, property, dialect, |s| s.create)
        }
        Statement::DropIndex { spec, name, class, property } => index(spec, name, class, property, dialect, |s| s.drop),
        other => match dialect.form {
            Form::Cypher => cypher::statement(other, dialect),
            Form::Gremlin => gremlin::statement(other, dialect),
        },
    }
}

fn index(
    spec: &str,
    name: &str,
    class: &str,
    property: &str,
    dialect: &GraphDialect,
    which: fn(&qualm_core::dialect::graph::IndexSpec) -> &'static str,
) -> String {
    let template = dialect.indexes.iter().find(|i| i.name == spec).map_or("", which);
    template.replace("{name}", name).replace("{label}", class).replace("{property}", property)
}

fn columns_text(columns: &[(String, Kind)], template: &str, types: &[(Kind, &str)]) -> String {
    let one = |(name, kind): &(String, Kind)| {
        let written = types.iter().find(|(k, _)| k == kind).map_or("", |(_, t)| t);
        template.replace("{property}", name).replace("{type}", written)
    };
    columns.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn node_table(label: &str, columns: &[(String, Kind)], dialect: &GraphDialect) -> String {
    let SchemaRule::Typed { node, column, types, .. } = dialect.schema else { return String::new() };
    node.replace("{label}", label).replace("{columns}", &columns_text(columns, column, types))
}

fn edge_table(kind: &str, pairs: &[(String, String)], columns: &[(String, Kind)], dialect: &GraphDialect) -> String {
    let SchemaRule::Typed { relationship, pair, column, types, .. } = dialect.schema else { return String::new() };
    let pairs: Vec<String> = pairs.iter().map(|(a, b)| pair.replace("{from}", a).replace("{to}", b)).collect();
    let columns = columns_text(columns, column, types);
    relationship.replace("{type}", kind).replace("{pairs}", &pairs.join(", ")).replace("{columns}", &columns)
}

fn literal(literal: &Literal, dialect: &GraphDialect) -> String {
    let templated = |kind: Kind, plain: &str| dialect.template(kind).map(|t| t.replace("{}", plain));
    match literal {
        Literal::Null => "null".into(),
        Literal::Bool(b) => templated(Kind::Bool, &b.to_string()).unwrap_or_else(|| b.to_string()),
        Literal::Int(i) => templated(Kind::Int, &i.to_string()).unwrap_or_else(|| i.to_string()),
        Literal::Float(f) => {
            let plain = float(*f);
            templated(Kind::Float, &plain).unwrap_or(match dialect.form {
                Form::Cypher => plain,
                Form::Gremlin => format!("{plain}d"),
            })
        }
        Literal::Special(Special::Nan) => dialect.nan.unwrap_or("null").into(),
        Literal::Special(Special::Infinity) => dialect.infinity.unwrap_or("null").into(),
        Literal::Special(Special::NegativeInfinity) => dialect.negative_infinity.unwrap_or("null").into(),
        Literal::Text(t) => quoted(t),
        Literal::Date(t) => templated(Kind::Date, t).unwrap_or_else(|| format!("date('{t}')")),
        Literal::LocalTime(t) => templated(Kind::LocalTime, t).unwrap_or_else(|| format!("localtime('{t}')")),
        Literal::Duration(t) => templated(Kind::Duration, t).unwrap_or_else(|| format!("duration('{t}')")),
        Literal::Point(x, y) => {
            let template = dialect.template(Kind::Point).unwrap_or("point({longitude: {x}, latitude: {y}})");
            template.replace("{x}", &float(*x)).replace("{y}", &float(*y))
        }
        Literal::List(members) => {
            let members: Vec<String> = members.iter().map(|m| self::literal(m, dialect)).collect();
            format!("[{}]", members.join(", "))
        }
    }
}

/// With a point always, so that it is read as a float again. Exponents are written as every engine reads them.
fn float(f: f64) -> String {
    let text = format!("{f:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}
