//! From the tree of the crate `sqlparser` to ours. What ours has no place for is an error that says what it was.

use super::flavour::{
    FRAME_MARK, HINT_MARK, IS, IS_NOT, MATERIALIZED_MARK, NAMED_MARK, NESTED_MARK, NOT_GLOB, NOT_MATERIALIZED_MARK,
    QUOTED_MARK,
};
use super::{grouping, names};
use crate::sql::ast::*;
use crate::sql::walk;
use sqlparser::ast as theirs;

pub type Read<T> = Result<T, String>;

/// The column that stands for `*` among other items until names are known.
pub const STAR: &str = "*";

pub(super) fn unread<T>(what: impl std::fmt::Display) -> Read<T> {
    Err(format!("{what} is not read"))
}

pub fn name(ident: &theirs::Ident) -> Name {
    ident.value.as_str().into()
}

/// Databases of the engine itself, whose tables nobody makes.
fn is_system(database: &theirs::Ident) -> bool {
    let systems = ["information_schema", "pg_catalog", "mysql", "performance_schema", "sys", "system"];
    systems.iter().any(|system| database.value.eq_ignore_ascii_case(system))
}

/// The name of a table, index or collation. It is the same in all databases: two tables of one name are not read.
pub fn object(of: &theirs::ObjectName) -> Read<Name> {
    let parts: Vec<&theirs::Ident> = of.0.iter().filter_map(|p| p.as_ident()).collect();
    match parts.as_slice() {
        [only] if of.0.len() == 1 => Ok(name(only)),
        [first, second] if of.0.len() == 2 && !is_system(first) => Ok(name(second)),
        _ => unread(format!("the name '{of}' with a database before it")),
    }
}

// ---------------------------------------------------------------- expressions

fn boxed(e: &theirs::Expr) -> Read<Box<Expr>> {
    expr(e).map(Box::new)
}

pub(super) fn all(list: &[theirs::Expr]) -> Read<Vec<Expr>> {
    list.iter().map(expr).collect()
}

pub fn expr(e: &theirs::Expr) -> Read<Expr> {
    use theirs::Expr as E;
    Ok(match e {
        E::Nested(inner) => expr(inner)?,
        E::Value(v) => Expr::Literal(literal(&v.value)?),
        E::Identifier(ident) => {
            // Metavariables of rules are quoted too.
            let quoted = ident.quote_style == Some('"') && !ident.value.starts_with('$');
            let table = if quoted { QUOTED_MARK.into() } else { Name::default() };
            Expr::Column { table, column: name(ident) }
        }
        E::CompoundIdentifier(parts) => column(parts)?,
        E::UnaryOp { op, expr } => Expr::Unary(unary(*op)?, boxed(expr)?),
        E::BinaryOp { left, op, right } => binary(left, op, right)?,
        E::IsNull(x) => Expr::IsNull { expr: boxed(x)?, negated: false },
        E::IsNotNull(x) => Expr::IsNull { expr: boxed(x)?, negated: true },
        E::IsTrue(x) => Expr::IsTruth { expr: boxed(x)?, test: true, negated: false },
        E::IsNotTrue(x) => Expr::IsTruth { expr: boxed(x)?, test: true, negated: true },
        E::IsFalse(x) => Expr::IsTruth { expr: boxed(x)?, test: false, negated: false },
        E::IsNotFalse(x) => Expr::IsTruth { expr: boxed(x)?, test: false, negated: true },
        E::IsDistinctFrom(a, b) => Expr::Binary(Binary::IsDistinctFrom, boxed(a)?, boxed(b)?),
        E::IsNotDistinctFrom(a, b) => Expr::Binary(Binary::IsNotDistinctFrom, boxed(a)?, boxed(b)?),
        E::Between { expr, negated, low, high } => {
            Expr::Between { expr: boxed(expr)?, low: boxed(low)?, high: boxed(high)?, negated: *negated }
        }
        E::InList { expr, list, negated } => Expr::InList { expr: boxed(expr)?, list: all(list)?, negated: *negated },
        E::InSubquery { expr, subquery, negated } => {
            Expr::InQuery { expr: boxed(expr)?, query: Box::new(query(subquery)?), negated: *negated }
        }
        E::Like { negated, any: false, expr, pattern, escape_char } => like(expr, pattern, escape_char, *negated)?,
        E::Cast { kind: theirs::CastKind::Cast, expr, data_type, .. } => {
            Expr::Cast { expr: boxed(expr)?, type_name: data_type.to_string().into() }
        }
        E::Collate { expr, collation } => Expr::Collate { expr: boxed(expr)?, collation: object(collation)? },
        E::Case { operand, conditions, else_result, .. } => {
            let arm = |c: &theirs::CaseWhen| Ok((expr(&c.condition)?, expr(&c.result)?));
            Expr::Case {
                operand: operand.as_deref().map(boxed).transpose()?,
                arms: conditions.iter().map(arm).collect::<Read<_>>()?,
                otherwise: else_result.as_deref().map(boxed).transpose()?,
            }
        }
        E::Function(f) => function(f)?,
        E::Exists { subquery, negated } => Expr::Exists { query: Box::new(query(subquery)?), negated: *negated },
        E::Subquery(q) => Expr::Scalar(Box::new(query(q)?)),
        E::Tuple(items) => Expr::Row(all(items)?),
        other => return unread(format!("the expression '{other}'")),
    })
}

fn column(parts: &[theirs::Ident]) -> Read<Expr> {
    match parts {
        [table, column] => Ok(Expr::Column { table: name(table), column: name(column) }),
        [_, table, column] => Ok(Expr::Column { table: name(table), column: name(column) }),
        _ => unread("a column with more than a database before its table"),
    }
}

fn like(expr_: &theirs::Expr, pattern: &theirs::Expr, escape: &Option<Box<theirs::Expr>>, negated: bool) -> Read<Expr> {
    let escape = match escape.as_deref().map(expr).transpose()? {
        None => None,
        Some(Expr::Literal(Literal::Text(t))) if t.chars().count() == 1 => t.chars().next(),
        Some(_) => return unread("an ESCAPE that is no single character"),
    };
    Ok(Expr::Like { glob: false, expr: boxed(expr_)?, pattern: boxed(pattern)?, escape, negated })
}

fn literal(v: &theirs::Value) -> Read<Literal> {
    use theirs::Value as V;
    match v {
        V::Null => Ok(Literal::Null),
        V::Boolean(b) => Ok(Literal::Bool(*b)),
        V::SingleQuotedString(t) => Ok(Literal::Text(t.clone())),
        V::HexStringLiteral(digits) => unhex(digits).map(Literal::Blob),
        V::DollarQuotedString(text) => {
            super::spelling::unmarked(text).ok_or_else(|| format!("the literal '{v}' is not read"))
        }
        V::Number(digits, _) => number(&digits.replace('_', "")),
        other => unread(format!("the literal '{other}'")),
    }
}

/// An integer where it fits, otherwise a float, as SQLite reads it.
fn number(digits: &str) -> Read<Literal> {
    let int = digits.parse::<i64>().ok().map(Literal::Int);
    let real = || digits.parse::<f64>().ok().map(Literal::Real);
    int.or_else(real).ok_or_else(|| format!("the number '{digits}' is not read"))
}

fn unary(op: theirs::UnaryOperator) -> Read<Unary> {
    match op {
        theirs::UnaryOperator::Not => Ok(Unary::Not),
        theirs::UnaryOperator::Minus => Ok(Unary::Minus),
        theirs::UnaryOperator::Plus => Ok(Unary::Plus),
        theirs::UnaryOperator::BitwiseNot => Ok(Unary::BitNot),
        other => unread(format!("the operator '{other}'")),
    }
}

fn binary(left: &theirs::Expr, op: &theirs::BinaryOperator, right: &theirs::Expr) -> Read<Expr> {
    use theirs::BinaryOperator as B;
    let op = match op {
        B::And => Binary::And,
        B::Or => Binary::Or,
        B::Eq => Binary::Eq,
        B::NotEq => Binary::Ne,
        B::Lt => Binary::Lt,
        B::LtEq => Binary::Le,
        B::Gt => Binary::Gt,
        B::GtEq => Binary::Ge,
        B::Plus => Binary::Add,
        B::Minus => Binary::Sub,
        B::Multiply => Binary::Mul,
        B::Divide => Binary::Div,
        B::Modulo => Binary::Mod,
        B::StringConcat => Binary::Concat,
        B::BitwiseAnd => Binary::BitAnd,
        B::BitwiseOr => Binary::BitOr,
        B::PGBitwiseShiftLeft => Binary::ShiftLeft,
        B::PGBitwiseShiftRight => Binary::ShiftRight,
        B::Arrow => Binary::JsonArrow,
        B::LongArrow => Binary::JsonArrowText,
        B::Custom(word) if word == IS => Binary::Is,
        B::Custom(word) if word == IS_NOT => Binary::IsNot,
        B::Spaceship => Binary::IsNotDistinctFrom,
        B::Match => Binary::Match,
        B::Glob => return glob(left, right, false),
        B::Custom(word) if word == NOT_GLOB => return glob(left, right, true),
        other => return unread(format!("the operator '{other}'")),
    };
    Ok(Expr::Binary(op, boxed(left)?, boxed(right)?))
}

fn glob(left: &theirs::Expr, right: &theirs::Expr, negated: bool) -> Read<Expr> {
    Ok(Expr::Like { glob: true, expr: boxed(left)?, pattern: boxed(right)?, escape: None, negated })
}

/// Functions over the rows of a group. `min` and `max` of several values are calls like others.
fn aggregates(function: &str, args: usize) -> bool {
    match function {
        "min" | "max" => args == 1,
        "count" | "sum" | "avg" | "total" | "group_concat" | "string_agg" | "median" => true,
        "json_group_array" | "json_group_object" | "jsonb_group_array" | "jsonb_group_object" => true,
        _ => false,
    }
}

fn function(f: &theirs::Function) -> Read<Expr> {
    let written: Name = object(&f.name)?;
    let function: Name = written.to_ascii_lowercase().into();
    let list = match &f.args {
        theirs::FunctionArguments::List(list) if list.clauses.is_empty() => list,
        _ => return unread(format!("the call '{f}'")),
    };
    if !f.within_group.is_empty() || f.null_treatment.is_some() {
        return unread(format!("the call '{f}'"));
    }
    let mut star = false;
    let mut args = Vec::with_capacity(list.args.len());
    for arg in &list.args {
        match arg {
            theirs::FunctionArg::Unnamed(theirs::FunctionArgExpr::Expr(e)) => args.push(expr(e)?),
            theirs::FunctionArg::Unnamed(theirs::FunctionArgExpr::Wildcard) => star = true,
            other => return unread(format!("the argument '{other}'")),
        }
    }
    let distinct = matches!(list.duplicate_treatment, Some(theirs::DuplicateTreatment::Distinct));
    let filter = f.filter.as_deref().map(expr).transpose()?;
    let over_rows = star || distinct || filter.is_some() || aggregates(&function, args.len());
    if f.over.is_none() && !over_rows {
        // Whether case matters is known where the dialect is (`spelling.rs`).
        return Ok(Expr::Call { function: written, args });
    }
    let aggregate = Aggregate { function, args, distinct, filter };
    match &f.over {
        None => Ok(Expr::Aggregate(Box::new(aggregate))),
        Some(theirs::WindowType::WindowSpec(spec)) => window(aggregate, spec),
        Some(theirs::WindowType::NamedWindow(of)) => {
            let window =
                Window { function: aggregate, partition_by: vec![named_window(of)], order_by: Vec::new(), frame: None };
            Ok(Expr::Window(Box::new(window)))
        }
    }
}

/// Stands first in PARTITION BY for the window of that name, until the SELECT around it is whole.
fn named_window(of: &theirs::Ident) -> Expr {
    Expr::Call { function: NAMED_MARK.into(), args: vec![Expr::text(of.value.as_str())] }
}

/// Writes windows out that go by a name; what they add to it stands behind.
fn write_windows_out(select: &mut Select, named: &[theirs::NamedWindowDefinition]) -> Read<()> {
    let mut known: Vec<(Name, Window)> = Vec::new();
    for theirs::NamedWindowDefinition(of, definition) in named {
        let function = Aggregate { function: Name::default(), args: Vec::new(), distinct: false, filter: None };
        let mut made = match definition {
            theirs::NamedWindowExpr::WindowSpec(spec) => window(function, spec)?,
            theirs::NamedWindowExpr::NamedWindow(of) => {
                let (order_by, frame) = (Vec::new(), None);
                Expr::Window(Box::new(Window { function, partition_by: vec![named_window(of)], order_by, frame }))
            }
        };
        write_window_out(&mut made, &known)?;
        if let Expr::Window(window) = made {
            known.push((name(of), *window));
        }
    }
    let mut written = Ok(());
    for item in &mut select.items {
        walk::each_expr_mut(&mut item.expr, &mut |e| {
            if written.is_ok() {
                written = write_window_out(e, &known);
            }
        });
    }
    written
}

fn write_window_out(e: &mut Expr, known: &[(Name, Window)]) -> Read<()> {
    let Expr::Window(window) = e else { return Ok(()) };
    let Some(of) = window.partition_by.first().and_then(|first| mark(first, NAMED_MARK)) else { return Ok(()) };
    let Some((_, base)) = known.iter().find(|(n, _)| n.eq_ignore_ascii_case(of)) else {
        return unread(format!("the window '{of}', which nobody defines,"));
    };
    if window.partition_by.len() > 1 || base.frame.is_some() && (window.frame.is_some() || !window.order_by.is_empty())
    {
        return unread("a window that contradicts the one it is made from");
    }
    window.partition_by = base.partition_by.clone();
    if window.order_by.is_empty() {
        window.order_by = base.order_by.clone();
    }
    window.frame = window.frame.take().or_else(|| base.frame.clone());
    Ok(())
}

fn window(function: Aggregate, spec: &theirs::WindowSpec) -> Read<Expr> {
    let mut order_by = order_items(&spec.order_by)?;
    let frame = order_by.pop_if(|o| mark(&o.expr, FRAME_MARK).is_some());
    let frame = frame.and_then(|o| mark(&o.expr, FRAME_MARK).map(Name::from));
    if spec.window_frame.is_some() {
        return unread("this window frame");
    }
    let mut partition_by = all(&spec.partition_by)?;
    if let Some(of) = &spec.window_name {
        partition_by.insert(0, named_window(of));
    }
    let window = Window { function, partition_by, order_by, frame };
    Ok(Expr::Window(Box::new(window)))
}

/// The text that a call of ours holds (see `flavour.rs`).
fn mark<'e>(e: &'e Expr, wanted: &str) -> Option<&'e str> {
    match e {
        Expr::Call { function, args } if function == wanted => match args.as_slice() {
            [Expr::Literal(Literal::Text(text))] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

// ---------------------------------------------------------------- queries

pub fn query(q: &theirs::Query) -> Read<Query> {
    if q.fetch.is_some() || !q.locks.is_empty() || q.for_clause.is_some() || !q.pipe_operators.is_empty() {
        return unread("a query with FETCH, FOR or pipes");
    }
    let with = match &q.with {
        None => Vec::new(),
        Some(with) => with.cte_tables.iter().map(cte).collect::<Read<_>>()?,
    };
    let order_by = match &q.order_by {
        None => Vec::new(),
        Some(theirs::OrderBy { kind: theirs::OrderByKind::Expressions(items), interpolate: None }) => {
            order_items(items)?
        }
        Some(_) => return unread("this ORDER BY"),
    };
    let mut by_name = false;
    order_by.iter().for_each(|o: &OrderItem| {
        walk::each_expr(&o.expr, &mut |e| by_name |= mark(e, NAMED_MARK).is_some());
    });
    if by_name {
        return unread("an order by a window that goes by a name");
    }
    let limit = q.limit_clause.as_ref().map(limit).transpose()?.flatten();
    let body = body(&q.body)?;
    Ok(Query { with, body, order_by, limit })
}

fn cte(c: &theirs::Cte) -> Read<Cte> {
    let name_ = name(&c.alias.name);
    let mut query = query(&c.query)?;
    let materialized = match query.with.first().map(|inner| inner.name.as_str()) {
        Some(MATERIALIZED_MARK) => Some(true),
        Some(NOT_MATERIALIZED_MARK) => Some(false),
        _ => None,
    };
    if materialized.is_some() {
        query.with.remove(0);
    }
    let recursive = reads_table(&query, &name_);
    Ok(Cte {
        columns: c.alias.columns.iter().map(|c| name(&c.name)).collect(),
        query,
        recursive,
        materialized,
        name: name_,
    })
}

fn reads_table(query: &Query, table: &Name) -> bool {
    let mut found = false;
    super::super::walk::each_select(query, &mut |s| {
        found |=
            s.from.iter().any(|j| matches!(&j.source, Source::Table { name, .. } if name.eq_ignore_ascii_case(table)));
    });
    found
}

fn order_items(items: &[theirs::OrderByExpr]) -> Read<Vec<OrderItem>> {
    items
        .iter()
        .map(|o| {
            let descending = matches!(o.options.sort, Some(theirs::OrderBySort::Desc));
            Ok(OrderItem { expr: expr(&o.expr)?, descending, nulls_first: o.options.nulls_first })
        })
        .collect()
}

fn limit(clause: &theirs::LimitClause) -> Read<Option<Limit>> {
    let (count, offset) = match clause {
        theirs::LimitClause::LimitOffset { limit, offset, .. } => (limit.as_ref(), offset.as_ref().map(|o| &o.value)),
        theirs::LimitClause::OffsetCommaLimit { offset, limit } => (Some(limit), Some(offset)),
    };
    // Less than none of the rows before is none of them, and a limit below zero is none.
    let small = |o: i64| u32::try_from(o.max(0)).map_err(|_| format!("the offset {o} is not read"));
    let offset = offset.map(|e| small(whole(&expr(e)?)?)).transpose()?;
    let count = match count.map(|e| whole(&expr(e)?)).transpose()? {
        Some(count @ 0..) => Some(u32::try_from(count).map_err(|_| format!("the limit {count} is not read"))?),
        Some(_) | None if offset.unwrap_or(0) == 0 => None,
        Some(_) | None => Some(i32::MAX as u32),
    };
    Ok(count.map(|count| Limit { count, offset }))
}

/// A number, or a sum of numbers.
fn whole(e: &Expr) -> Read<i64> {
    let both = |a: &Expr, b: &Expr| Ok::<_, String>((whole(a)?, whole(b)?));
    let known = match e {
        Expr::Literal(Literal::Int(i)) => Some(*i),
        Expr::Unary(Unary::Minus, x) => whole(x)?.checked_neg(),
        Expr::Unary(Unary::Plus, x) => Some(whole(x)?),
        Expr::Binary(Binary::Add, a, b) => both(a, b).map(|(a, b)| a.checked_add(b))?,
        Expr::Binary(Binary::Sub, a, b) => both(a, b).map(|(a, b)| a.checked_sub(b))?,
        _ => None,
    };
    known.ok_or_else(|| "a limit that is no number is not read".to_owned())
}

fn body(b: &theirs::SetExpr) -> Read<Body> {
    let mut arms = Vec::new();
    flatten(b, None, &mut arms)?;
    let mut arms = arms.into_iter();
    let Some((_, first)) = arms.next() else { return unread("an empty query") };
    // Compound operators all have the same precedence in SQLite.
    Ok(arms.fold(first, |left, (op, right)| Body::Compound {
        op: op.unwrap_or(SetOp::Union),
        left: Box::new(left),
        right: Box::new(right),
    }))
}

fn flatten(b: &theirs::SetExpr, before: Option<SetOp>, arms: &mut Vec<(Option<SetOp>, Body)>) -> Read<()> {
    match b {
        theirs::SetExpr::Select(s) => arms.push((before, Body::Select(Box::new(select(s)?)))),
        theirs::SetExpr::Values(v) => {
            let rows = v.rows.iter().map(|r| all(&r.content)).collect::<Read<_>>()?;
            arms.push((before, Body::Values(rows)));
        }
        theirs::SetExpr::SetOperation { left, op, set_quantifier, right } => {
            let op = match (op, set_quantifier) {
                (theirs::SetOperator::Union, theirs::SetQuantifier::All) => SetOp::UnionAll,
                (theirs::SetOperator::Union, theirs::SetQuantifier::None) => SetOp::Union,
                (theirs::SetOperator::Intersect, theirs::SetQuantifier::None) => SetOp::Intersect,
                (theirs::SetOperator::Except, theirs::SetQuantifier::None) => SetOp::Except,
                (op, quantifier) => return unread(format!("the operator '{op} {quantifier}'")),
            };
            flatten(left, before, arms)?;
            flatten(right, Some(op), arms)?;
        }
        other => return unread(format!("the query '{other}'")),
    }
    Ok(())
}

fn select(s: &theirs::Select) -> Read<Select> {
    if s.top.is_some() || s.into.is_some() || s.qualify.is_some() {
        return unread("a SELECT with TOP, INTO or QUALIFY");
    }
    let distinct = match &s.distinct {
        None | Some(theirs::Distinct::All) => false,
        Some(theirs::Distinct::Distinct) => true,
        Some(theirs::Distinct::On(_)) => return unread("DISTINCT ON"),
    };
    let group_by = grouping::keys(&s.group_by)?;
    let mut from = Vec::new();
    for member in &s.from {
        joined(member, &mut from)?;
    }
    let mut made = Select {
        distinct,
        items: items(&s.projection)?,
        from,
        filter: s.selection.as_ref().map(expr).transpose()?,
        group_by,
        having: s.having.as_ref().map(expr).transpose()?,
    };
    write_windows_out(&mut made, &s.named_window)?;
    Ok(made)
}

/// A lone `*` is no item at all; others are kept as such until names are known.
fn items(projection: &[theirs::SelectItem]) -> Read<Vec<Item>> {
    use theirs::SelectItem as I;
    if let [I::Wildcard(_)] = projection {
        return Ok(Vec::new());
    }
    projection
        .iter()
        .map(|item| match item {
            I::UnnamedExpr(e) => Ok(Item::bare(expr(e)?)),
            I::ExprWithAlias { expr: e, alias } => Ok(Item { expr: expr(e)?, alias: Some(name(alias)) }),
            I::Wildcard(_) => Ok(Item::bare(Expr::column("", STAR))),
            I::QualifiedWildcard(theirs::SelectItemQualifiedWildcardKind::ObjectName(of), _) => {
                Ok(Item::bare(Expr::Column { table: object(of)?, column: STAR.into() }))
            }
            other => unread(format!("the item '{other}'")),
        })
        .collect()
}

pub fn joined(member: &theirs::TableWithJoins, from: &mut Vec<Joined>) -> Read<()> {
    match &member.relation {
        // Parentheses around the first members change nothing.
        theirs::TableFactor::NestedJoin { table_with_joins, alias: None } if from.is_empty() => {
            joined(table_with_joins, from)?;
        }
        relation => {
            let source = source(relation, from.len())?;
            from.push(Joined { join: Join::Comma, source, on: None, using: Vec::new() });
        }
    }
    for join in &member.joins {
        let (kind, constraint) = join_kind(&join.join_operator)?;
        let mut made = Joined { join: kind, source: source(&join.relation, from.len())?, on: None, using: Vec::new() };
        match (constraint, kind) {
            (theirs::JoinConstraint::None, _) => {}
            (theirs::JoinConstraint::On(e), _) => made.on = Some(expr(e)?),
            (theirs::JoinConstraint::Using(names), _) => made.using = names.iter().map(object).collect::<Read<_>>()?,
            (theirs::JoinConstraint::Natural, Join::Inner) => made.join = Join::Natural,
            (theirs::JoinConstraint::Natural, Join::Left) => made.join = Join::NaturalLeft,
            (theirs::JoinConstraint::Natural, Join::Right) => made.join = Join::NaturalRight,
            (theirs::JoinConstraint::Natural, Join::Full) => made.join = Join::NaturalFull,
            (theirs::JoinConstraint::Natural, _) => return unread("a NATURAL CROSS JOIN"),
        }
        from.push(made);
    }
    Ok(())
}

fn join_kind(operator: &theirs::JoinOperator) -> Read<(Join, &theirs::JoinConstraint)> {
    use theirs::JoinOperator as J;
    Ok(match operator {
        J::Join(c) | J::Inner(c) => (Join::Inner, c),
        J::CrossJoin(c) => (Join::Cross, c),
        J::Left(c) | J::LeftOuter(c) => (Join::Left, c),
        J::Right(c) | J::RightOuter(c) => (Join::Right, c),
        J::FullOuter(c) => (Join::Full, c),
        _ => return unread("this kind of join"),
    })
}

fn source(factor: &theirs::TableFactor, position: usize) -> Read<Source> {
    let alias_of = |alias: &Option<theirs::TableAlias>| match alias {
        Some(a) if !a.columns.is_empty() => unread("an alias with columns"),
        other => Ok(other.as_ref().map(|a| name(&a.name))),
    };
    match factor {
        theirs::TableFactor::Table { name, alias, args: None, with_hints, .. } => {
            let name = object(name)?;
            let alias = alias_of(alias)?.unwrap_or_else(|| name.clone());
            Ok(Source::Table { alias, name, hint: hint(with_hints)? })
        }
        theirs::TableFactor::Derived { lateral, subquery, alias, .. } => {
            // Without a name of its own it gets one that nobody else has.
            let alias = alias_of(alias)?.unwrap_or_else(|| format!("unnamed{position}").into());
            let mut query = query(subquery)?;
            names::mark_lateral(&mut query, *lateral);
            Ok(Source::Query { query: Box::new(query), alias })
        }
        theirs::TableFactor::NestedJoin { table_with_joins, alias: None } if table_with_joins.joins.is_empty() => {
            source(&table_with_joins.relation, position)
        }
        // All its columns; which of them is whose is settled with the names.
        theirs::TableFactor::NestedJoin { table_with_joins, alias } => {
            let alias = alias_of(alias)?.unwrap_or_else(|| NESTED_MARK.into());
            let mut from = Vec::new();
            joined(table_with_joins, &mut from)?;
            let query = Query::of(Select { from, ..Select::default() });
            Ok(Source::Query { query: Box::new(query), alias })
        }
        // A function over literals is known by its text; whether there is such a table is settled with the names.
        other => {
            let (text, alias) = table_function(other)?;
            let name = Name::from(text);
            Ok(Source::Table { alias: alias_of(&alias)?.unwrap_or_else(|| name.clone()), name, hint: Hint::None })
        }
    }
}

/// A function in FROM without its alias, and the alias.
fn table_function(factor: &theirs::TableFactor) -> Read<(String, Option<theirs::TableAlias>)> {
    let mut bare = factor.clone();
    let alias = match &mut bare {
        theirs::TableFactor::Table { args: Some(_), alias, .. }
        | theirs::TableFactor::Function { lateral: false, alias, .. }
        | theirs::TableFactor::UNNEST { alias, .. }
        | theirs::TableFactor::JsonTable { alias, .. } => alias.take(),
        other => return unread(format!("the table '{other}'")),
    };
    Ok((bare.to_string(), alias))
}

fn hint(hints: &[theirs::Expr]) -> Read<Hint> {
    let [only] = hints else { return if hints.is_empty() { Ok(Hint::None) } else { unread("this hint") } };
    match mark(&expr(only)?, HINT_MARK) {
        Some("") => Ok(Hint::NotIndexed),
        Some(index) => Ok(Hint::IndexedBy(index.into())),
        None => unread("this hint"),
    }
}

fn unhex(digits: &str) -> Read<Vec<u8>> {
    let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok());
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(byte).collect();
    bytes.filter(|_| digits.len().is_multiple_of(2)).ok_or_else(|| format!("the blob 'x{digits}' is not read"))
}
