//! Which features of SQL a case uses, for fingerprints and titles. Coarse on purpose: see `fingerprint.rs` for what is
//! left out and why.

use super::ast::*;
use super::shrink::ANY_FUNCTION;
use super::traits::is_lateral;
use super::{rules, walk};
use crate::oracle;
use qualm_core::dialect::sql::{Affinity, Kind};
use std::collections::{BTreeMap, BTreeSet};

pub fn of_source(source: &SqlSource) -> BTreeSet<String> {
    let mut found = Found { names: BTreeSet::new(), columns: columns(source) };
    for statement in &source.state {
        found.statement(statement);
        // Rows hold literals, which say nothing; walking them would be most of the work.
        if !matches!(statement, Statement::Insert(i) if i.is_plain()) {
            walk::each_query(statement, &mut |q| found.query(q));
            walk::each_expr(statement, &mut |e| found.expr(e));
        }
    }
    walk::each_query(&source.question, &mut |q| found.query(q));
    walk::each_expr(&source.question, &mut |e| found.expr(e));
    // The rewrites of other oracles are their way of looking; a mutation is part of what is looked at.
    let mutates = oracle::find(&source.oracle).is_some_and(|o| o.mutates);
    for rewrite in source.question.rewrites.iter().filter(|_| mutates) {
        let added = rules::find(&rewrite.rule).and_then(|rule| rule.adds);
        added.into_iter().for_each(|feature| found.add(feature));
    }
    // How values are compared matters to a bug of one index and is chance in a bug that needs more than that.
    if found.names.len() > DISTINCTIVE {
        found.names.remove(RANGE);
    }
    found.names
}

const RANGE: &str = "range comparison";

/// With this many features beside it, a weak one no longer distinguishes bugs.
const DISTINCTIVE: usize = 2;

/// Affinities by table or alias, and column.
type Columns = BTreeMap<(Name, Name), Affinity>;

fn columns(source: &SqlSource) -> Columns {
    let mut columns = Columns::new();
    for statement in &source.state {
        match statement {
            Statement::CreateTable(t) => {
                for c in &t.columns {
                    columns.insert((t.name.clone(), c.name.clone()), c.affinity);
                }
            }
            Statement::AddColumn { table, column } => {
                columns.insert((table.clone(), column.name.clone()), column.affinity);
            }
            _ => {}
        }
    }
    let tables = columns.clone();
    walk::each_select(&source.question, &mut |select| {
        for joined in &select.from {
            if let Source::Table { name, alias, .. } = &joined.source
                && name != alias
            {
                let of_table = tables.iter().filter(|((t, _), _)| t == name);
                columns.extend(of_table.map(|((_, c), a)| ((alias.clone(), c.clone()), *a)));
            }
        }
    });
    columns
}

struct Found {
    names: BTreeSet<String>,
    columns: Columns,
}

impl Found {
    fn add(&mut self, name: &str) {
        if !self.names.contains(name) {
            self.names.insert(name.to_string());
        }
    }

    fn add_if(&mut self, there: bool, name: &str) {
        if there {
            self.add(name);
        }
    }

    // ------------------------------------------------------------ statements

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::CreateTable(t) => self.table(t),
            Statement::CreateIndex(i) => self.index(i),
            Statement::CreateView(_) => self.add("view"),
            Statement::Insert(i) => self.insert(i),
            Statement::CreateTrigger(t) => {
                self.add(if t.timing == Timing::InsteadOf { "INSTEAD OF trigger" } else { "trigger" });
                t.body.iter().for_each(|s| self.statement(s));
            }
            Statement::Transaction(t) => self.add(match t {
                Transaction::Begin | Transaction::Commit | Transaction::Rollback => "transaction",
                Transaction::Savepoint(_) | Transaction::RollbackTo(_) | Transaction::Release(_) => "savepoint",
            }),
            Statement::Update(_) => self.add("UPDATE"),
            Statement::Delete { .. } => self.add("DELETE"),
            Statement::AddColumn { column, .. } => {
                self.add("ALTER TABLE");
                self.column(column);
            }
            Statement::DropColumn { .. } | Statement::RenameColumn { .. } => self.add("ALTER TABLE"),
            Statement::DropIndex { .. } => {}
            Statement::Maintenance(text) => {
                let word = text.split_whitespace().next().unwrap_or("").to_uppercase();
                self.add(match word.as_str() {
                    "PRAGMA" => "setting",
                    ".OPEN" => "file",
                    other => other,
                });
            }
        }
    }

    fn insert(&mut self, i: &Insert) {
        self.add_if(i.verb.contains("REPLACE"), "REPLACE");
        self.add_if(i.source.is_some(), "INSERT SELECT");
        self.add_if(!i.upsert.is_empty(), if i.merge().is_some() { "MERGE" } else { "UPSERT" });
        self.add_if(i.returning, "RETURNING");
    }

    fn table(&mut self, t: &CreateTable) {
        self.add_if(!t.foreign_keys.is_empty(), "foreign key");
        if let Some((module, _)) = &t.module {
            self.add(&format!("{module} table"));
        }
        t.columns.iter().for_each(|c| self.column(c));
        // A key or a UNIQUE is an index like any other to the planner; only the rowid's own name is something else.
        self.add_if(!t.primary_key.is_empty() || !t.unique.is_empty(), "index");
        self.add_if(t.primary_key.len() > 1 || t.unique.iter().any(|u| u.len() > 1), "multi-column index");
        self.add_if(t.check.is_some(), "CHECK");
        self.add_if(t.without_rowid, "WITHOUT ROWID");
        self.add_if(t.strict, "STRICT");
    }

    fn column(&mut self, c: &ColumnDef) {
        let rowid = c.primary_key && c.type_name.eq_ignore_ascii_case("INTEGER");
        self.add_if(rowid, "INTEGER PRIMARY KEY");
        self.add_if(c.primary_key && !rowid || c.unique, "index");
        self.add_if(c.not_null, "NOT NULL");
        self.add_if(c.default.is_some(), "DEFAULT");
        if let Kind::Special(kind) = c.kind {
            self.add(&format!("{} column", kind.0));
        }
        self.add_if(c.generated.is_some(), "generated column");
        self.add_if(c.autoincrement, "AUTOINCREMENT");
        self.collation(c.collation.as_ref());
    }

    fn collation(&mut self, collation: Option<&Name>) {
        self.add_if(collation.is_some_and(|c| !c.eq_ignore_ascii_case("BINARY")), "COLLATE");
    }

    fn index(&mut self, i: &CreateIndex) {
        let plain = i.terms.iter().all(|t| matches!(t.expr, Expr::Column { .. }));
        self.add(if plain { "index" } else { "index on an expression" });
        self.add_if(i.filter.is_some(), "partial index");
        self.add_if(i.terms.len() > 1, "multi-column index");
        self.add_if(i.terms.iter().any(|t| t.descending), "DESC index");
        i.terms.iter().for_each(|t| self.collation(t.collation.as_ref()));
    }

    // ------------------------------------------------------------ queries

    fn query(&mut self, q: &Query) {
        for cte in &q.with {
            self.add(if cte.recursive { "recursive CTE" } else { "CTE" });
            self.add_if(cte.materialized.is_some(), "MATERIALIZED");
        }
        self.add_if(!q.order_by.is_empty(), "ORDER BY");
        self.add_if(q.limit.is_some(), "LIMIT");
        self.body(&q.body);
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Select(s) => self.select(s),
            Body::Compound { op, left, right } => {
                self.add(match op {
                    SetOp::Union | SetOp::UnionAll => "UNION",
                    SetOp::Intersect => "INTERSECT",
                    SetOp::Except => "EXCEPT",
                });
                self.body(left);
                self.body(right);
            }
            Body::Values(_) => self.add("VALUES"),
        }
    }

    fn select(&mut self, s: &Select) {
        self.add_if(s.distinct, "DISTINCT");
        self.add_if(!s.group_by.is_empty(), "GROUP BY");
        if let Some((grouping, _)) = s.grouping() {
            self.add(match grouping {
                GROUPING_SETS => "GROUPING SETS",
                CUBE => "CUBE",
                _ => "ROLLUP",
            });
        }
        self.add_if(s.having.is_some(), "HAVING");
        for (i, joined) in s.from.iter().enumerate() {
            match &joined.source {
                Source::Query { query, .. } => {
                    self.add("subquery in FROM");
                    self.add_if(is_lateral(&s.from[..i], query), "LATERAL");
                }
                Source::Table { name, hint, .. } => {
                    self.add_if(*hint != Hint::None, "INDEXED BY");
                    self.add_if(name.ends_with(')'), "function in FROM");
                }
            }
            if i == 0 {
                continue;
            }
            self.add(match joined.join {
                Join::Comma | Join::Inner | Join::Cross => "join",
                Join::Left => "LEFT JOIN",
                Join::Right => "RIGHT JOIN",
                Join::Full => "FULL JOIN",
                Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull => "NATURAL JOIN",
            });
            self.add_if(joined.join == Join::Natural || !joined.using.is_empty(), "join");
            self.add_if(joined.join == Join::NaturalLeft, "LEFT JOIN");
            self.add_if(joined.join == Join::NaturalRight, "RIGHT JOIN");
            self.add_if(joined.join == Join::NaturalFull, "FULL JOIN");
            self.add_if(!joined.using.is_empty(), "USING");
        }
    }

    // ------------------------------------------------------------ expressions

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Literal(_) | Expr::Column { .. } | Expr::Unary(..) => {}
            Expr::Binary(op, l, r) => self.binary(*op, l, r),
            Expr::IsNull { .. } => self.add("IS NULL"),
            Expr::IsTruth { .. } => self.add("IS TRUE"),
            Expr::Between { expr, low, .. } => {
                self.add("BETWEEN");
                self.compared(expr, low);
            }
            Expr::InList { expr, list, .. } => {
                self.add("IN list");
                list.iter().for_each(|x| self.compared(expr, x));
            }
            Expr::InQuery { .. } => self.add("IN subquery"),
            Expr::Like { glob, .. } => self.add(if *glob { "GLOB" } else { "LIKE" }),
            Expr::Case { .. } => self.add("CASE"),
            Expr::Cast { .. } => self.add("CAST"),
            Expr::Collate { collation, .. } => self.collation(Some(collation)),
            Expr::Call { function, .. } if function.eq_ignore_ascii_case(ANY_FUNCTION) => self.add("function call"),
            Expr::Call { function, .. } => self.add(&format!("{}()", function.to_lowercase())),
            Expr::Aggregate(a) => self.aggregate(a),
            Expr::Window(w) => {
                self.add("window function");
                self.add_if(w.function.filter.is_some(), "FILTER");
            }
            Expr::Exists { .. } => self.add("EXISTS"),
            Expr::Scalar(_) => self.add("scalar subquery"),
            Expr::Row(_) => self.add("row value"),
        }
    }

    /// MIN and MAX have plans of their own; the others are one class.
    fn aggregate(&mut self, a: &Aggregate) {
        let name = a.function.to_lowercase();
        self.add(if name == "min" || name == "max" { "min/max" } else { "aggregate" });
        self.add_if(a.distinct, "DISTINCT aggregate");
        self.add_if(a.filter.is_some(), "FILTER");
    }

    fn binary(&mut self, op: Binary, l: &Expr, r: &Expr) {
        use Binary::*;
        match op {
            And | Eq | Ne => {}
            Or => self.add("OR"),
            Lt | Le | Gt | Ge => self.add(RANGE),
            Is | IsNot | IsDistinctFrom | IsNotDistinctFrom => self.add("IS"),
            Add | Sub | Mul | Div | Mod => self.add("arithmetic"),
            Concat => self.add("||"),
            BitAnd | BitOr | ShiftLeft | ShiftRight => self.add("bit operator"),
            JsonArrow | JsonArrowText => self.add("JSON operator"),
            Match => self.add("MATCH"),
        }
        if op.is_comparison() {
            self.compared(l, r);
        }
    }

    fn compared(&mut self, l: &Expr, r: &Expr) {
        let mixed = matches!(
            (self.side(l), self.side(r)),
            (Some(Side::Text), Some(Side::Number)) | (Some(Side::Number), Some(Side::Text))
        );
        self.add_if(mixed, "text compared with number");
    }

    fn side(&self, e: &Expr) -> Option<Side> {
        match e {
            Expr::Literal(Literal::Text(_)) => Some(Side::Text),
            Expr::Literal(Literal::Int(_) | Literal::Real(_)) => Some(Side::Number),
            Expr::Column { table, column } => match self.columns.get(&(table.clone(), column.clone()))? {
                Affinity::Text => Some(Side::Text),
                Affinity::Numeric | Affinity::Integer | Affinity::Real => Some(Side::Number),
                Affinity::None | Affinity::Blob => None,
            },
            Expr::Unary(_, x) | Expr::Collate { expr: x, .. } => self.side(x),
            _ => None,
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Text,
    Number,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::shrink::sample;

    #[test]
    fn a_large_case_names_its_features_once_and_in_order() {
        let found: Vec<String> = of_source(&sample::large()).into_iter().collect();
        let expected = [
            "ANALYZE",
            "COLLATE",
            "DESC index",
            "IN list",
            "INTEGER PRIMARY KEY",
            "IS NULL",
            "LEFT JOIN",
            "NOT NULL",
            "OR",
            "UPDATE",
            "arithmetic",
            "function call",
            "index",
            "index on an expression",
            "join",
            "multi-column index",
            "view",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn text_beside_numbers_is_a_feature_only_where_they_are_compared() {
        let mut source = sample::large();
        let same = |l, r| Expr::Binary(Binary::Eq, Box::new(l), Box::new(r));
        source.question.predicate = Some(same(Expr::column("a", "y"), Expr::text("1")));
        assert!(!of_source(&source).contains("text compared with number"));
        source.question.predicate = Some(same(Expr::column("a", "y"), Expr::int(1)));
        assert!(of_source(&source).contains("text compared with number"));
    }
}
