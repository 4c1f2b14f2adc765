//! The total order of SQL cases: what counts as smaller. Statements weigh most, then rows, columns and clauses, then
//! nodes, then literals, then names. The steps between the classes are wide, so that it is nearly the order of a
//! dictionary and the smallest form of a bug is the same whatever it was found with.

use super::super::ast::*;
use super::super::walk;
use super::{names, queries};

/// A table of its own, with rows, is plainer than a query inside a query.
const NESTED: u64 = 2 * STATEMENT + 8 * ROW;
const STATEMENT: u64 = 1 << 44;
const ROW: u64 = 1 << 36;
/// One more member of FROM is more than some rows.
const MEMBER: u64 = 1 << 39;
const CLAUSE: u64 = 1 << 30;
const COLUMN: u64 = 1 << 28;
const QUALIFIER: u64 = 1 << 24;
const NODE: u64 = 1 << 16;
const DETAIL: u64 = 1 << 12;
const LITERAL_MOST: u64 = 1 << 11;

pub fn of(source: &SqlSource) -> u64 {
    let mut weight: u64 = source.state.iter().map(statement).sum();
    weight += source.question.rewrites.iter().map(rewrite).sum::<u64>();
    weight += source.question.flips.len() as u64 * CLAUSE;
    weight += flags(&[queries::is_special(&source.question.form)]) * CLAUSE;
    walk::each_query(source, &mut |q| weight += query(q));
    walk::each_expr(source, &mut |e| weight += expr(e));
    weight + names::disorder(source)
}

fn rewrite(r: &Rewrite) -> u64 {
    CLAUSE + flags(&[r.rule != queries::PLAIN_INDEX]) * QUALIFIER + u64::from(r.site).min(LITERAL_MOST)
}

fn statement(statement: &Statement) -> u64 {
    STATEMENT
        + match statement {
            Statement::CreateTable(t) => {
                t.columns.iter().map(column).sum::<u64>()
                    + t.unique.iter().map(|u| u.len() as u64).sum::<u64>() * QUALIFIER
                    + t.primary_key.len() as u64 * (QUALIFIER + DETAIL)
                    + t.foreign_keys.iter().map(foreign_key).sum::<u64>()
                    + flags(&[t.check.is_some(), t.without_rowid, t.strict, t.variant.is_some()]) * QUALIFIER
                    + t.module.as_ref().map_or(0, |(_, options)| 1 + options.len() as u64) * QUALIFIER
            }
            Statement::CreateIndex(i) => {
                let wordy = |t: &IndexTerm| flags(&[!matches!(t.expr, Expr::Column { .. })]) * CLAUSE;
                let term =
                    |t: &IndexTerm| COLUMN + wordy(t) + flags(&[t.collation.is_some(), t.descending]) * QUALIFIER;
                i.terms.iter().map(term).sum::<u64>() + flags(&[i.unique, i.filter.is_some()]) * QUALIFIER
            }
            Statement::CreateView(v) => NESTED + v.columns.len() as u64 * QUALIFIER,
            Statement::Insert(i) => {
                // A statement of its own costs more than a row of another one, so that merging helps.
                let clause =
                    |u: &Upsert| CLAUSE + (u.set.len() + u.key.len()) as u64 * COLUMN + flags(&[u.merge]) * QUALIFIER;
                i.rows.len() as u64 * ROW
                    + i.columns.len() as u64 * DETAIL
                    + verb(&i.verb, "INSERT")
                    + flags(&[i.source.is_some()]) * NESTED
                    + flags(&[i.is_default()]) * CLAUSE
                    + flags(&[i.returning]) * QUALIFIER
                    + i.upsert.iter().map(clause).sum::<u64>()
            }
            Statement::CreateTrigger(t) => {
                let words = [t.timing != Timing::After, t.when.is_some(), !t.of.is_empty()];
                flags(&words) * CLAUSE + t.body.iter().map(self::statement).sum::<u64>()
            }
            Statement::Transaction(_) => 0,
            Statement::Update(u) => {
                u.set.len() as u64 * COLUMN + verb(&u.verb, "UPDATE") + flags(&[u.filter.is_some()]) * CLAUSE
            }
            Statement::Delete { filter, .. } => flags(&[filter.is_some()]) * CLAUSE,
            Statement::AddColumn { column: c, .. } => column(c),
            Statement::Maintenance(text) => text.len() as u64 * DETAIL,
            Statement::DropColumn { .. } | Statement::RenameColumn { .. } | Statement::DropIndex { .. } => 0,
        }
}

fn foreign_key(f: &ForeignKey) -> u64 {
    CLAUSE + flags(&[f.on_delete.is_some(), f.on_update.is_some(), f.deferred]) * QUALIFIER
}

fn verb(verb: &str, plain: &str) -> u64 {
    if verb == plain { 0 } else { QUALIFIER }
}

fn flags(set: &[bool]) -> u64 {
    set.iter().filter(|f| **f).count() as u64
}

fn column(c: &ColumnDef) -> u64 {
    let set = [c.collation.is_some(), c.autoincrement, c.primary_key, c.unique, c.not_null, c.default.is_some()];
    let generated = c.generated.as_ref().map_or(0, |g| 1 + flags(&[g.stored]));
    // UNIQUE is the plainer way to an index than a key.
    COLUMN
        + (flags(&set) + generated) * QUALIFIER
        + flags(&[c.primary_key]) * DETAIL
        + c.type_name.len() as u64 * DETAIL
}

fn query(q: &Query) -> u64 {
    let cte = |c: &Cte| {
        NESTED + CLAUSE + c.columns.len() as u64 * DETAIL + flags(&[c.recursive, c.materialized.is_some()]) * QUALIFIER
    };
    let order = |o: &OrderItem| QUALIFIER + flags(&[o.descending, o.nulls_first.is_some()]) * DETAIL;
    let limit = q.limit.as_ref().map_or(0, |l| {
        CLAUSE + flags(&[l.offset.is_some()]) * QUALIFIER + u64::from(l.count.min(100) + l.offset.unwrap_or(0).min(100))
    });
    CLAUSE
        + q.with.iter().map(cte).sum::<u64>()
        + body(&q.body)
        + flags(&[!q.order_by.is_empty()]) * CLAUSE
        + q.order_by.iter().map(order).sum::<u64>()
        + limit
}

fn body(b: &Body) -> u64 {
    match b {
        Body::Select(s) => select(s),
        Body::Compound { op, left, right } => {
            CLAUSE + body(left) + body(right) + flags(&[*op != SetOp::UnionAll]) * DETAIL
        }
        Body::Values(rows) => rows.len() as u64 * QUALIFIER,
    }
}

fn select(s: &Select) -> u64 {
    let clauses = [s.distinct, s.filter.is_some(), !s.group_by.is_empty(), s.having.is_some()];
    CLAUSE
        + flags(&clauses) * CLAUSE
        + s.from.iter().enumerate().map(|(i, j)| joined(i, j)).sum::<u64>()
        + (s.items.len() + s.keys().len()) as u64 * QUALIFIER
        + s.items.iter().filter(|i| i.alias.is_some()).count() as u64 * DETAIL
}

fn joined(position: usize, j: &Joined) -> u64 {
    let source = match &j.source {
        Source::Table { name, alias, hint } => flags(&[*hint != Hint::None]) * QUALIFIER + flags(&[name != alias]) * 64,
        Source::Query { .. } => NESTED + QUALIFIER,
    };
    if position == 0 {
        return CLAUSE + source;
    }
    let kind = match j.join {
        Join::Comma => 0,
        Join::Inner => 1,
        Join::Cross => 2,
        Join::Left => 3,
        Join::Right => 4,
        Join::Full => 5,
        // These join on columns without saying so; a join that says why it matches nothing is plainer.
        Join::Natural => 2 * (QUALIFIER / DETAIL),
        Join::NaturalLeft => 2 * (QUALIFIER / DETAIL) + 1,
        Join::NaturalRight => 2 * (QUALIFIER / DETAIL) + 2,
        Join::NaturalFull => 2 * (QUALIFIER / DETAIL) + 3,
    };
    MEMBER + source + kind * DETAIL + flags(&[j.on.is_some()]) * QUALIFIER + j.using.len() as u64 * (QUALIFIER + DETAIL)
}

fn expr(e: &Expr) -> u64 {
    match e {
        Expr::Literal(l) => literal(l),
        // A value that is the same in every row is simpler than a column.
        Expr::Column { .. } => LITERAL_MOST,
        Expr::Unary(op, _) => NODE + flags(&[*op != Unary::Not]) * DETAIL,
        Expr::Binary(op, ..) => NODE + binary(*op) * 64,
        Expr::IsNull { negated, .. } => NODE + flags(&[*negated]) * DETAIL,
        Expr::IsTruth { negated, test, .. } => NODE + flags(&[*negated, !test]) * DETAIL,
        Expr::Between { negated, .. } => 2 * NODE + flags(&[*negated]) * DETAIL,
        Expr::InList { negated, .. } | Expr::InQuery { negated, .. } | Expr::Exists { negated, .. } => {
            NODE + (1 + flags(&[*negated])) * DETAIL
        }
        Expr::Like { negated, glob, escape, .. } => NODE + (1 + flags(&[*negated, *glob, escape.is_some()])) * DETAIL,
        Expr::Case { arms, .. } => (1 + arms.len() as u64) * NODE,
        Expr::Cast { type_name, .. } => NODE + type_name.len() as u64 * 64,
        Expr::Collate { .. } | Expr::Scalar(_) | Expr::Row(_) => NODE,
        Expr::Call { function, .. } => NODE + DETAIL + function.len() as u64 * 64,
        Expr::Aggregate(a) => NODE + aggregate(a),
        Expr::Window(w) => 4 * NODE + aggregate(&w.function) + flags(&[w.frame.is_some()]) * NODE,
    }
}

fn aggregate(a: &Aggregate) -> u64 {
    (1 + flags(&[a.distinct, a.filter.is_some()])) * DETAIL + a.function.len() as u64 * 64
}

/// Comparisons and arithmetic that do nearly the same are tried in their plainest form.
fn binary(op: Binary) -> u64 {
    match op {
        Binary::Eq | Binary::And | Binary::Add => 0,
        Binary::Or => 1,
        Binary::Gt | Binary::Lt | Binary::Is => 2,
        Binary::Ge | Binary::Le | Binary::Ne | Binary::IsNot => 3,
        _ => 4,
    }
}

pub fn literal(l: &Literal) -> u64 {
    let weight = match l {
        Literal::Null => 0,
        Literal::Int(0) => 1,
        Literal::Int(1) => 2,
        Literal::Bool(_) => 3,
        Literal::Int(-1) => 4,
        Literal::Text(t) if t.is_empty() => 5,
        Literal::Int(i) => {
            8 + 4 * i.unsigned_abs().checked_ilog10().unwrap_or(0) as u64 + u64::from(*i < 0) + digits(*i)
        }
        Literal::Text(t) if t == "a" => 6,
        Literal::Text(t) => 8 + 8 * t.len() as u64 + t.chars().filter(|c| *c != 'a').count() as u64,
        Literal::Real(r) if *r == 0.0 || *r == 1.0 => 20,
        Literal::Real(r) => 24 + 4 * format!("{r:?}").len() as u64,
        // Those that stand first in their list need not be known here: the shortest is the plainest.
        Literal::Special(_, text) => 24 + 8 * text.len() as u64,
        Literal::Blob(b) => 16 + 8 * b.len() as u64 + b.iter().filter(|b| **b != 0).count() as u64,
    };
    weight.min(LITERAL_MOST - 1)
}

/// Of two numbers of one length, the one with smaller first digit.
fn digits(i: i64) -> u64 {
    let mut head = i.unsigned_abs();
    while head >= 10 {
        head /= 10;
    }
    u64::from(head > 1)
}
