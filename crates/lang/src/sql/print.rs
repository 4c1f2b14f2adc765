//! Trees to text. Every operand that is not a name, a literal or a call is put in parentheses, so that the text means
//! the tree whatever an engine thinks of precedence. Appends to one buffer, because this runs for every check.

mod statements;

use super::ast::*;
use super::order;
use super::parse::without_lateral_mark;
use super::traits::ends_lateral;
use qualm_core::case::{Effect, Step};
use qualm_core::dialect::sql::{Concat, Dialect, Kind, NullSafe};
use std::fmt::Write;

pub fn statement(s: &Statement, dialect: &Dialect) -> String {
    let mut out = Printer { out: String::with_capacity(160), dialect };
    out.statement(s);
    out.out
}

/// A statement to be run between questions, with what undoes it.
pub fn step(s: &Statement, dialect: &Dialect) -> Step {
    let effect = undo(s, dialect).map_or(Effect::Unknown, |undo| Effect::Makes { undo });
    Step::with_effect(statement(s, dialect), effect)
}

/// The statement that takes back what this one made, where one statement does.
fn undo(s: &Statement, dialect: &Dialect) -> Option<String> {
    let drop = |kind: &str, name: &Name| {
        let mut out = Printer { out: format!("DROP {kind} "), dialect };
        out.name(name);
        out.out
    };
    match s {
        Statement::CreateTable(t) => Some(drop("TABLE", &t.name)),
        Statement::CreateView(v) => Some(drop("VIEW", &v.name)),
        Statement::CreateIndex(i) => {
            Some(statement(&Statement::drop_index(i.name.clone(), i.table.clone(), dialect), dialect))
        }
        Statement::AddColumn { .. } | Statement::DropColumn { .. } | Statement::RenameColumn { .. } => None,
        Statement::Insert(_) | Statement::Update(_) | Statement::Delete { .. } | Statement::Transaction(_) => None,
        Statement::CreateTrigger(_) | Statement::DropIndex { .. } | Statement::Maintenance(_) => None,
    }
}

pub fn query(q: &Query, dialect: &Dialect) -> String {
    let mut out = Printer { out: String::with_capacity(256), dialect };
    out.query(q);
    out.out
}

pub fn expr(e: &Expr, dialect: &Dialect) -> String {
    let mut out = Printer { out: String::with_capacity(64), dialect };
    out.expr(e);
    out.out
}

struct Printer<'a> {
    out: String,
    dialect: &'a Dialect,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn name(&mut self, name: &str) {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let begins = !name.as_bytes().first().is_none_or(u8::is_ascii_digit);
        if begins && name.bytes().all(plain) && !is_keyword(name) {
            return self.put(name);
        }
        let quote = self.dialect.quote;
        self.out.push(quote);
        for c in name.chars() {
            if c == quote {
                self.out.push(quote);
            }
            self.out.push(c);
        }
        self.out.push(quote);
    }

    fn list<T>(&mut self, items: &[T], mut each: impl FnMut(&mut Self, &T)) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.put(", ");
            }
            each(self, item);
        }
    }

    fn names(&mut self, names: &[Name]) {
        self.put("(");
        self.list(names, |p, n| p.name(n));
        self.put(")");
    }

    // ------------------------------------------------------------ expressions

    fn expr(&mut self, e: &Expr) {
        match e {
            Expr::Literal(l) => self.literal(l),
            Expr::Column { table, column } => {
                if !table.is_empty() {
                    self.name(table);
                    self.put(".");
                }
                self.name(column);
            }
            Expr::Unary(op, x) => {
                self.put(match op {
                    Unary::Not => "NOT ",
                    Unary::Minus => "- ",
                    Unary::Plus => "+ ",
                    Unary::BitNot => "~ ",
                });
                self.operand(x);
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b),
            Expr::IsNull { expr, negated } => {
                self.operand(expr);
                self.put(if *negated { " IS NOT NULL" } else { " IS NULL" });
            }
            Expr::IsTruth { expr, test, negated } => {
                self.operand(expr);
                self.put(if *negated { " IS NOT " } else { " IS " });
                self.put(if *test { "TRUE" } else { "FALSE" });
            }
            Expr::Between { expr, low, high, negated } => {
                self.operand(expr);
                self.put(if *negated { " NOT BETWEEN " } else { " BETWEEN " });
                self.operand(low);
                self.put(" AND ");
                self.operand(high);
            }
            Expr::Collate { expr, collation } => {
                self.operand(expr);
                self.put(" COLLATE ");
                self.name(collation);
            }
            Expr::Cast { expr, type_name } => {
                self.put("CAST(");
                self.expr(expr);
                self.put(" AS ");
                self.put(type_name);
                self.put(")");
            }
            Expr::Row(items) => self.group(items),
            Expr::Call { function, args } => {
                self.put(function);
                self.group(args);
            }
            Expr::Aggregate(a) => self.counted(&a.function, |p| p.aggregate(a)),
            Expr::InList { expr, list, negated } => {
                self.operand(expr);
                self.put(if *negated { " NOT IN " } else { " IN " });
                self.group(list);
            }
            Expr::InQuery { expr, query, negated } => {
                self.operand(expr);
                self.put(if *negated { " NOT IN " } else { " IN " });
                self.nested(query);
            }
            Expr::Like { glob, expr, pattern, escape, negated } => {
                self.operand(expr);
                self.put(if *negated { " NOT " } else { " " });
                self.put(if *glob { "GLOB " } else { "LIKE " });
                self.operand(pattern);
                if let Some(c) = escape {
                    self.put(" ESCAPE ");
                    self.literal(&Literal::Text(c.to_string()));
                }
            }
            Expr::Case { operand, arms, otherwise } => {
                self.put("CASE");
                if let Some(x) = operand {
                    self.put(" ");
                    self.operand(x);
                }
                for (when, then) in arms {
                    self.put(" WHEN ");
                    self.operand(when);
                    self.put(" THEN ");
                    self.operand(then);
                }
                if let Some(x) = otherwise {
                    self.put(" ELSE ");
                    self.operand(x);
                }
                self.put(" END");
            }
            Expr::Window(w) => self.counted(&w.function.function, |p| p.window(w)),
            Expr::Exists { query, negated } => {
                self.put(if *negated { "NOT EXISTS " } else { "EXISTS " });
                self.nested(query);
            }
            Expr::Scalar(query) => self.nested(query),
        }
    }

    fn binary(&mut self, op: Binary, a: &Expr, b: &Expr) {
        let null_safe = self.dialect.spelling.null_safe;
        let symbol = match (op, null_safe) {
            (Binary::Is, NullSafe::Distinct) => Binary::IsNotDistinctFrom.symbol(),
            (Binary::IsNot, NullSafe::Distinct) => Binary::IsDistinctFrom.symbol(),
            (Binary::Is | Binary::IsNotDistinctFrom, NullSafe::Spaceship) => " <=> ",
            (Binary::Is | Binary::IsNotDistinctFrom, NullSafe::IfNull) => return self.equal_or_both_null(a, b),
            (Binary::IsNot | Binary::IsDistinctFrom, NullSafe::Spaceship | NullSafe::IfNull) => {
                self.put("NOT (");
                self.binary(Binary::Is, a, b);
                return self.put(")");
            }
            (Binary::Concat, _) if self.dialect.spelling.concat == Concat::Function => {
                self.put("concat(");
                self.expr(a);
                self.put(", ");
                self.expr(b);
                return self.put(")");
            }
            _ => op.symbol(),
        };
        self.operand(a);
        self.put(symbol);
        self.operand(b);
    }

    fn equal_or_both_null(&mut self, a: &Expr, b: &Expr) {
        self.put("ifNull(");
        self.operand(a);
        self.put(" = ");
        self.operand(b);
        self.put(", (");
        self.operand(a);
        self.put(" IS NULL) AND (");
        self.operand(b);
        self.put(" IS NULL))");
    }

    /// An expression as part of another one.
    fn operand(&mut self, e: &Expr) {
        let plain = match e {
            Expr::Literal(Literal::Int(i)) => *i >= 0,
            Expr::Literal(Literal::Real(r)) => !r.is_sign_negative(),
            Expr::Literal(_) | Expr::Column { .. } | Expr::Call { .. } | Expr::Cast { .. } => true,
            Expr::Row(_) | Expr::Scalar(_) | Expr::Aggregate(_) => true,
            // A call where the dialect has no operator.
            Expr::Binary(Binary::Concat, ..) => self.dialect.spelling.concat == Concat::Function,
            _ => false,
        };
        if plain {
            return self.expr(e);
        }
        self.put("(");
        self.expr(e);
        self.put(")");
    }

    fn group(&mut self, items: &[Expr]) {
        self.put("(");
        self.list(items, Self::expr);
        self.put(")");
    }

    /// What stands between the quotes of a text.
    fn escaped(&mut self, text: &str) {
        for c in text.chars() {
            if c == '\'' || c == '\\' && self.dialect.spelling.backslash_escapes {
                self.out.push(c);
            }
            self.out.push(c);
        }
    }

    fn literal(&mut self, l: &Literal) {
        match l {
            Literal::Null => self.put("NULL"),
            Literal::Bool(b) => self.put(if *b { "TRUE" } else { "FALSE" }),
            Literal::Int(i) => {
                let _ = write!(self.out, "{i}");
            }
            Literal::Real(r) if r.is_infinite() => {
                let (plus, minus) = self.dialect.spelling.infinity;
                self.put(if *r > 0.0 { plus } else { minus });
            }
            Literal::Real(r) => self.real(*r),
            Literal::Text(t) => {
                self.out.push('\'');
                self.escaped(t);
                self.out.push('\'');
            }
            Literal::Blob(b) => {
                let (before, after) = self.dialect.spelling.blob;
                self.put(before);
                self.put(&qualm_core::value::hex(b));
                self.put(after);
            }
            Literal::Special(kind, text) => {
                let spec = self.dialect.special(Kind::Special(*kind));
                let (before, after) = spec.map_or(("'", "'"), |k| k.literal);
                self.put(before);
                self.escaped(text);
                self.put(after);
            }
        }
    }

    /// A float; in exponent form already where the dialect's way to say "float" is an exponent.
    fn real(&mut self, r: f64) {
        let (before, after) = self.dialect.spelling.real;
        self.put(before);
        let start = self.out.len();
        let _ = write!(self.out, "{r:?}");
        if !(after.starts_with('e') && self.out[start..].contains('e')) {
            self.put(after);
        }
    }

    /// A call, inside what the dialect puts around those that count.
    fn counted(&mut self, function: &str, call: impl FnOnce(&mut Self)) {
        self.inside(if counts(function) { self.dialect.spelling.counted } else { "" }, call);
    }

    fn inside(&mut self, function: &str, what: impl FnOnce(&mut Self)) {
        if function.is_empty() {
            return what(self);
        }
        self.put(function);
        self.put("(");
        what(self);
        self.put(")");
    }

    fn aggregate(&mut self, a: &Aggregate) {
        self.put(&a.function);
        self.put(if a.distinct { "(DISTINCT " } else { "(" });
        let takes_nothing =
            matches!(a.function.as_str(), "row_number" | "rank" | "dense_rank" | "percent_rank" | "cume_dist");
        if a.args.is_empty() && !takes_nothing {
            self.put("*");
        }
        let around = if of_another_row(&a.function) { self.dialect.spelling.other_row } else { "" };
        let mut at = 0;
        self.list(&a.args, |p, arg| {
            at += 1;
            p.inside(if at == 1 { around } else { "" }, |p| p.expr(arg));
        });
        self.put(")");
        if let Some(filter) = &a.filter {
            self.put(" FILTER (WHERE ");
            self.expr(filter);
            self.put(")");
        }
    }

    fn window(&mut self, w: &Window) {
        self.aggregate(&w.function);
        self.put(" OVER (");
        if !w.partition_by.is_empty() {
            self.put("PARTITION BY ");
            self.list(&w.partition_by, Self::expr);
            self.put(" ");
        }
        self.order_by(&w.order_by, "");
        if let Some(frame) = &w.frame {
            self.put(" ");
            self.put(frame);
        }
        self.put(")");
    }

    // ------------------------------------------------------------ queries

    fn nested(&mut self, q: &Query) {
        self.put("(");
        self.query(q);
        self.put(")");
    }

    fn query(&mut self, q: &Query) {
        let with = without_lateral_mark(&q.with);
        if !with.is_empty() {
            self.put(if with.iter().any(|c| c.recursive) { "WITH RECURSIVE " } else { "WITH " });
            self.list(with, |p, c| {
                p.name(&c.name);
                if !c.columns.is_empty() {
                    p.names(&c.columns);
                }
                p.put(match c.materialized {
                    None => " AS ",
                    Some(true) => " AS MATERIALIZED ",
                    Some(false) => " AS NOT MATERIALIZED ",
                });
                p.nested(&c.query);
            });
            self.put(" ");
        }
        self.body(&q.body);
        match order::by_position(q).filter(|_| self.dialect.dynamic_typing) {
            Some(positions) => self.order_by(&positions, " "),
            None => self.order_by(&q.order_by, " "),
        }
        if let Some(limit) = &q.limit {
            self.limit(limit);
        }
    }

    fn limit(&mut self, limit: &Limit) {
        let _ = match (self.dialect.spelling.fetch_first, limit.offset) {
            (false, None) => write!(self.out, " LIMIT {}", limit.count),
            (false, Some(offset)) => write!(self.out, " LIMIT {} OFFSET {offset}", limit.count),
            (true, None) => write!(self.out, " FETCH FIRST {} ROWS ONLY", limit.count),
            (true, Some(offset)) => {
                write!(self.out, " OFFSET {offset} ROWS FETCH NEXT {} ROWS ONLY", limit.count)
            }
        };
    }

    fn order_by(&mut self, items: &[OrderItem], before: &str) {
        if items.is_empty() {
            return;
        }
        self.put(before);
        self.put("ORDER BY ");
        self.list(items, |p, o| {
            p.expr(&o.expr);
            if o.descending {
                p.put(" DESC");
            }
            match o.nulls_first {
                Some(true) => p.put(" NULLS FIRST"),
                Some(false) => p.put(" NULLS LAST"),
                None => {}
            }
        });
    }

    fn body(&mut self, b: &Body) {
        match b {
            Body::Select(s) => self.select(s),
            Body::Compound { op, left, right } => {
                self.body(left);
                self.put(match op {
                    SetOp::Union => " UNION ",
                    SetOp::UnionAll => " UNION ALL ",
                    SetOp::Intersect => " INTERSECT ",
                    SetOp::Except => " EXCEPT ",
                });
                self.body(right);
            }
            Body::Values(rows) => {
                self.put("VALUES ");
                self.list(rows, |p, r| p.group(r));
            }
        }
    }

    fn select(&mut self, s: &Select) {
        self.put(if s.distinct { "SELECT DISTINCT " } else { "SELECT " });
        if s.items.is_empty() {
            self.put("*");
        }
        // A name of its own for each column; DISTINCT and its ORDER BY have to name the same expressions.
        let named = self.dialect.spelling.unique_names && s.items.len() > 1 && !s.distinct;
        let mut number = 0;
        self.list(&s.items, |p, item| {
            p.expr(&item.expr);
            number += 1;
            match &item.alias {
                Some(alias) => {
                    p.put(" AS ");
                    p.name(alias);
                }
                None if named => {
                    let _ = write!(p.out, " AS column_{number}");
                }
                None => {}
            }
        });
        let explicit = |j: &Joined| j.join != Join::Comma;
        let mixed = self.dialect.spelling.comma_binds_weakly && s.from.iter().skip(1).any(explicit);
        if s.from.is_empty() {
            self.put(self.dialect.spelling.from_nothing);
        }
        for (i, member) in s.from.iter().enumerate() {
            self.put(match member.join {
                _ if i == 0 => " FROM ",
                Join::Comma if mixed => Join::Cross.symbol(),
                join => join.symbol(),
            });
            self.put(if ends_lateral(&s.from[..=i], self.dialect) { "LATERAL " } else { "" });
            self.source(&member.source);
            if i == 0 {
                continue;
            }
            if let Some(on) = &member.on {
                self.put(" ON ");
                self.expr(on);
            }
            if !member.using.is_empty() {
                self.put(" USING ");
                self.names(&member.using);
            }
        }
        if let Some(filter) = &s.filter {
            self.put(" WHERE ");
            self.expr(filter);
        }
        if !s.group_by.is_empty() {
            self.put(" GROUP BY ");
            self.keys(s);
        }
        if let Some(having) = &s.having {
            self.put(" HAVING ");
            self.expr(having);
        }
    }

    fn keys(&mut self, s: &Select) {
        match s.grouping() {
            Some((GROUPING_SETS, args)) => {
                self.put("GROUPING SETS ");
                self.group(&args[s.keys().len()..]);
            }
            Some((grouping, keys)) if self.dialect.spelling.with_rollup => {
                self.list(keys, Self::expr);
                self.put(if grouping == CUBE { " WITH CUBE" } else { " WITH ROLLUP" });
            }
            _ => self.list(&s.group_by, Self::expr),
        }
    }

    fn source(&mut self, source: &Source) {
        match source {
            Source::Table { name, alias, hint } => {
                match self.dialect.given(name) {
                    Some(given) => self.put(given.text),
                    None => self.name(name),
                }
                if alias != name {
                    self.put(" AS ");
                    self.name(alias);
                }
                match hint {
                    Hint::None => {}
                    Hint::NotIndexed => self.put(" NOT INDEXED"),
                    Hint::IndexedBy(index) => {
                        self.put(" INDEXED BY ");
                        self.name(index);
                    }
                }
            }
            Source::Query { query, alias } => {
                self.nested(query);
                self.put(" AS ");
                self.name(alias);
            }
        }
    }
}

/// In the order of the alphabet. Quoting a name too many does no harm.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "ABORT", "ACTION", "ADD", "AFTER", "ALL", "ALTER", "ALWAYS", "ANALYZE", "AND", "AS", "ASC", "ATTACH",
    "AUTOINCREMENT", "BEFORE", "BEGIN", "BETWEEN", "BY", "CASCADE", "CASE", "CAST", "CHECK", "COLLATE", "COLUMN",
    "COMMIT", "CONFLICT", "CONSTRAINT", "CREATE", "CROSS", "CURRENT", "CURRENT_DATE", "CURRENT_TIME",
    "CURRENT_TIMESTAMP", "DATABASE", "DEFAULT", "DEFERRABLE", "DEFERRED", "DELETE", "DESC", "DETACH", "DISTINCT",
    "DO", "DROP", "EACH", "ELSE", "END", "ESCAPE", "EXCEPT", "EXCLUDE", "EXCLUSIVE", "EXISTS", "EXPLAIN", "FAIL",
    "FALSE", "FILTER", "FIRST", "FOLLOWING", "FOR", "FOREIGN", "FROM", "FULL", "GENERATED", "GLOB", "GROUP",
    "GROUPS", "HAVING", "IF", "IGNORE", "IMMEDIATE", "IN", "INDEX", "INDEXED", "INITIALLY", "INNER", "INSERT",
    "INSTEAD", "INTERSECT", "INTO", "IS", "ISNULL", "JOIN", "KEY", "LAST", "LEFT", "LIKE", "LIMIT", "MATCH",
    "MATERIALIZED", "NATURAL", "NO", "NOT", "NOTHING", "NOTNULL", "NULL", "NULLS", "OF", "OFFSET", "ON", "OR",
    "ORDER", "OTHERS", "OUTER", "OVER", "PARTITION", "PLAN", "PRAGMA", "PRECEDING", "PRIMARY", "QUERY", "RAISE",
    "RANGE", "RECURSIVE", "REFERENCES", "REGEXP", "REINDEX", "RELEASE", "RENAME", "REPLACE", "RESTRICT", "RETURNING",
    "RIGHT", "ROLLBACK", "ROW", "ROWS", "SAVEPOINT", "SELECT", "SET", "TABLE", "TEMP", "TEMPORARY", "THEN", "TIES",
    "TO", "TRANSACTION", "TRIGGER", "TRUE", "UNBOUNDED", "UNION", "UNIQUE", "UPDATE", "USING", "VACUUM", "VALUES",
    "VIEW", "VIRTUAL", "WHEN", "WHERE", "WINDOW", "WITH", "WITHOUT",
];

fn is_keyword(name: &str) -> bool {
    // No keyword has a digit, and nearly all names that are printed do.
    if name.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    let mut upper = [0; LONGEST];
    let Some(upper) = upper.get_mut(..name.len()) else { return false };
    upper.copy_from_slice(name.as_bytes());
    upper.make_ascii_uppercase();
    KEYWORDS.binary_search_by(|k| k.as_bytes().cmp(upper)).is_ok()
}

/// No keyword is longer.
const LONGEST: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::parse::{self, What};
    use qualm_core::dialect::sql::Spelling;
    use qualm_core::session::Outcome;
    use qualm_core::value::Value;
    use qualm_engines::mysql::dialect::MYSQL;
    use qualm_engines::postgres::dialect::POSTGRES;

    #[test]
    fn what_a_step_makes_is_removed_by_its_undo() {
        let engine = qualm_engines::connect("sqlite").unwrap();
        let mut session = engine.open().unwrap();
        let script = "CREATE TABLE \"order\"(a INT, \"the b\" TEXT);
            CREATE UNIQUE INDEX \"index\" ON \"order\"(a DESC, \"the b\");
            CREATE VIEW v(x) AS SELECT a FROM \"order\";
            INSERT INTO \"order\" VALUES (1, 'x')";
        let mut undos = Vec::new();
        for parsed in parse::script(script, engine.sql().unwrap()) {
            let What::Statement(s) = parsed.what else { panic!("'{}' is not read", parsed.text) };
            let step = step(&s, engine.sql().unwrap());
            assert!(session.run(&step.text).is_ok(), "{}", step.text);
            match step.effect {
                Effect::Makes { undo } => undos.push(undo),
                effect => assert!(matches!((s, effect), (Statement::Insert(_), Effect::Unknown))),
            }
        }
        assert_eq!(undos, ["DROP TABLE \"order\"", "DROP INDEX \"index\"", "DROP VIEW v"]);
        for undo in undos.iter().rev() {
            assert!(session.run(undo).is_ok(), "{undo}");
        }
        let Outcome::Rows(left) = session.run("SELECT count(*) FROM sqlite_schema") else { panic!("no answer") };
        assert_eq!(left.scalar(), Some(&Value::Int(0)));
    }

    #[test]
    fn an_index_is_dropped_on_its_table_where_the_dialect_says_so() {
        let index = CreateIndex {
            name: "i".into(),
            table: "t".into(),
            unique: false,
            terms: vec![IndexTerm { expr: Expr::column("", "a"), collation: None, descending: false }],
            filter: None,
            variant: 0,
        };
        assert_eq!(undo(&Statement::CreateIndex(index), &MYSQL), Some("DROP INDEX i ON t".into()));
    }

    #[test]
    fn rows_are_inserted_one_by_one_where_values_has_one_only() {
        let block: &'static Dialect = Box::leak(Box::new(Dialect {
            spelling: Spelling { insert_block: ("EXECUTE BLOCK AS BEGIN ", "END"), ..POSTGRES.spelling },
            ..*POSTGRES
        }));
        let printed = |rows: &str| {
            let parsed = parse::script(&format!("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES {rows}"), &POSTGRES);
            let What::Statement(s) = &parsed.into_iter().nth(1).unwrap().what else { panic!("it is read") };
            statement(s, block)
        };
        assert_eq!(printed("(1)"), "INSERT INTO t VALUES (1)");
        let both = "EXECUTE BLOCK AS BEGIN INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); END";
        assert_eq!(printed("(1), (2)"), both);
    }
}
