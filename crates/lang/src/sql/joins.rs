//! What FROM brings into scope: tables, views, subqueries, how joins make one column of two, and what a query inside
//! sees of all that. Part of `typing.rs`.

use super::ast::*;
use super::schema::*;
use super::traits::{ends_lateral, joined, searches};
use super::typing::{Mode, Typing};
use super::walk;
use qualm_core::dialect::sql::{Dialect, Feature};

/// The columns of a query in FROM that sees these members before it, or why its answer is not determined.
pub fn beside(q: &Query, before: Vec<ScopeSource>, schema: &Schema, dialect: &Dialect) -> Checked<Vec<Column>> {
    let facts = schema.facts.len();
    let scope = Scope { sources: before, merged: Vec::new(), outer: None };
    let typed = Typing::new(schema, dialect).query(q, Some(&scope));
    if typed.is_err() {
        schema.facts.forget(facts);
    }
    typed
}

impl Typing<'_> {
    pub(super) fn from<'s>(&mut self, from: &[Joined], outer: Option<&'s Scope<'s>>) -> Checked<Scope<'s>> {
        let mut scope = Scope { sources: Vec::with_capacity(from.len()), merged: Vec::new(), outer };
        for (i, member) in from.iter().enumerate() {
            // It sees what the whole SELECT sees from outside, and nothing of its neighbours unless it is LATERAL.
            let around = outer.filter(|_| self.dialect.lists(Feature::Correlated));
            let (columns, rowid) = match &member.source {
                Source::Table { name, .. } => self.relation(name)?,
                Source::Query { query, .. } if ends_lateral(&from[..=i], self.dialect) => {
                    if member.join.keeps_right() {
                        return Err(Unsound("LATERAL in a join that keeps rows without what it refers to"));
                    }
                    (self.query(query, Some(&scope))?.into(), false)
                }
                Source::Query { query, .. } => (self.query(query, around)?.into(), false),
            };
            let alias = member.source.alias().clone();
            if scope.sources.iter().any(|s| s.alias == alias) {
                return Err(Unsound("an alias used twice"));
            }
            let table = match &member.source {
                Source::Table { name, .. } => Some(name.clone()),
                Source::Query { .. } => None,
            };
            scope.sources.push(ScopeSource { alias, table, columns, rowid });
            if i == 0 {
                continue;
            }
            if matches!(member.join, Join::Full | Join::NaturalFull) && !self.dialect.lists(Feature::FullJoin) {
                return Err(Unsound("FULL, which is the name of the table before it where there is no FULL JOIN"));
            }
            self.joins(member, &scope)?;
            if member.merges() && member.join.keeps_right() {
                self.merge(member, &mut scope)?;
            }
        }
        Ok(scope)
    }

    /// A query inside an expression, with what it can see of the query around it.
    pub(super) fn nested(&mut self, q: &Query, scope: &Scope, mode: Mode) -> Checked<Vec<Column>> {
        if !self.dialect.lists(Feature::Correlated) {
            return self.query(q, None);
        }
        let Mode::Grouped(keys) = mode else { return self.query(q, Some(scope)) };
        // In a grouped query a row of the group is not determined: only the keys can be meant inside.
        let mut sources = Vec::with_capacity(scope.sources.len());
        for source in &scope.sources {
            let mut columns = Vec::new();
            for c in source.columns.iter() {
                let e = Expr::Column { table: source.alias.clone(), column: c.name.clone() };
                if keys.contains(&e) {
                    columns.push(Column { name: c.name.clone(), traits: self.identical(&e, c.traits) });
                }
            }
            sources.push(ScopeSource { columns: columns.into(), rowid: false, ..source.clone() });
        }
        // A name that a query further out has as well would be taken for that one.
        let hidden =
            |outer: &&Scope| !outer.sources.iter().any(|s| scope.sources.iter().any(|own| own.alias == s.alias));
        self.query(q, Some(&Scope { sources, merged: Vec::new(), outer: scope.outer.filter(hidden) }))
    }

    /// Columns that are the one or, where that is missing, the other.
    fn merge(&self, member: &Joined, scope: &mut Scope) -> Checked<()> {
        let Some((last, others)) = scope.sources.split_last() else { return Ok(()) };
        for column in last.columns.iter() {
            let met = others.iter().flat_map(|s| s.columns.iter()).find(|c| c.name == column.name);
            let Some(met) = met.filter(|_| member.join.is_natural() || member.using.contains(&column.name)) else {
                continue;
            };
            let first = scope.merged.iter().find(|c| c.name == column.name).unwrap_or(met).traits;
            // Which of the two lends its affinity and collation is not said anywhere.
            if first.affinity != column.traits.affinity || first.collation != column.traits.collation {
                return Err(Unsound("a column made of two that compare differently"));
            }
            let traits = joined(first, column.traits, self.dialect)?;
            scope.merged.retain(|c| c.name != column.name);
            scope.merged.push(Column { name: column.name.clone(), traits });
        }
        Ok(())
    }

    fn joins(&mut self, member: &Joined, scope: &Scope) -> Checked<()> {
        let strict = self.is_strict();
        let clear = |name: &Name| {
            let found = scope.sources.iter().flat_map(|s| s.columns.iter()).filter(|c| c.name == *name);
            let kind = found.clone().next().map(|c| c.traits.kind);
            let fits = |c: &Column| c.traits.taint == Taint::Clear && (!strict || Some(c.traits.kind) == kind);
            found.clone().count() >= 2 && found.into_iter().all(fits)
        };
        if !member.using.iter().all(clear) {
            return Err(Unsound("USING a column that is not determined"));
        }
        if member.join.is_natural() {
            let last = scope.sources.last().map(|s| s.columns.clone()).unwrap_or_default();
            let others = &scope.sources[..scope.sources.len() - 1];
            let of_name = |c: &Column| -> Vec<&Column> {
                others.iter().flat_map(|s| s.columns.iter()).filter(|o| o.name == c.name).collect()
            };
            let is_open = |c: &Column| c.traits.taint != Taint::Clear;
            if last.iter().any(|c| is_open(c) || of_name(c).into_iter().any(is_open)) {
                return Err(Unsound("NATURAL over a column that is not determined"));
            }
            let merges = |c: &Column| -> bool {
                let met = of_name(c);
                met.len() <= 1 && met.iter().all(|o| o.traits.kind == c.traits.kind)
            };
            if strict && !last.iter().all(merges) {
                return Err(Unsound("NATURAL over columns of different kinds"));
            }
        }
        let Some(on) = &member.on else { return Ok(()) };
        let outer = matches!(member.join, Join::Left | Join::Right | Join::Full);
        if outer && self.dialect.lists(Feature::OuterJoinEqual) && !is_outer_condition(on, member, scope) {
            return Err(Unsound("an outer join that is not on an equality of both sides"));
        }
        self.condition(on, scope, Mode::Row)
    }

    /// A condition of WHERE. What must hold beside everything else may be a search that an index answers.
    pub(super) fn filter(&mut self, e: &Expr, s: &Select, scope: &Scope) -> Checked<()> {
        let searchable = self.schema.tables.iter().any(|t| t.search.is_some());
        match e {
            Expr::Binary(Binary::And, a, b) if searchable && searches(e) => {
                self.filter(a, s, scope)?;
                self.filter(b, s, scope)
            }
            Expr::Binary(Binary::Match, of, words) => self.search(of, words, s, scope),
            _ => self.condition(e, scope, Mode::Row),
        }
    }

    /// A table or a column of it that is searched for words, in a FROM without outer joins: elsewhere the engine may
    /// not be able to use the index that alone knows.
    fn search(&mut self, of: &Expr, words: &Expr, s: &Select, scope: &Scope) -> Checked<()> {
        let elsewhere = Unsound("a search where no index answers it");
        let (Expr::Column { table, column }, Expr::Literal(Literal::Text(_))) = (of, words) else {
            return Err(elsewhere);
        };
        let source = scope.sources.iter().find(|src| src.alias == *table).ok_or(elsewhere.clone())?;
        let name = source.table.as_ref().filter(|name| !self.is_cte(name)).ok_or(elsewhere.clone())?;
        let searched = self.schema.table(name).is_some_and(|t| t.search.is_some());
        let named = column == name || source.columns.iter().any(|c| c.name == *column);
        let inner = s.from.iter().skip(1).all(|j| matches!(j.join, Join::Comma | Join::Inner | Join::Cross));
        if searched && named && inner { Ok(()) } else { Err(elsewhere) }
    }

    fn relation(&self, name: &str) -> Checked<(Columns, bool)> {
        if let Some((_, columns)) = self.ctes.iter().rev().find(|(n, _)| n == name) {
            return Ok((columns.clone(), false));
        }
        if let Some(given) = self.dialect.given(name) {
            return Ok((given_columns(given, self.dialect), false));
        }
        let table = self.schema.table(name).ok_or(Unsound("no such table"))?;
        if let Some(why) = &table.refused {
            return Err(why.clone());
        }
        if !table.facts.is_empty() && !self.schema.facts.adopt(&table.facts) {
            return Err(Unsound("a view whose answer is not determined"));
        }
        Ok((table.columns.clone(), table.rowid))
    }
}

/// What `OuterJoinEqual` says of ON.
fn is_outer_condition(on: &Expr, member: &Joined, scope: &Scope) -> bool {
    let own = member.source.alias();
    let side = |e: &Expr| {
        let (mut left, mut right) = (false, false);
        walk::each_expr(e, &mut |x| {
            if let Expr::Column { table, .. } = x {
                let here = scope.sources.iter().any(|s| s.alias == *table);
                right |= here && table == own;
                left |= here && table != own;
            }
        });
        (left, right)
    };
    match (side(on), member.join) {
        ((false, false), _) | ((false, true), Join::Left) | ((true, false), Join::Right) => return true,
        ((true, true), _) => {}
        _ => return false,
    }
    let sides_meet = |a: &Expr, b: &Expr| {
        matches!((side(a), side(b)), ((true, false), (false, true)) | ((false, true), (true, false)))
    };
    match on {
        Expr::Binary(Binary::Eq | Binary::IsNotDistinctFrom, a, b) => sides_meet(a, b),
        Expr::Binary(Binary::And, a, b) => {
            let meets = |e: &Expr| side(e) == (true, true) && is_outer_condition(e, member, scope);
            meets(a) || meets(b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::sql::parse;
    use crate::sql::schema::Schema;
    use crate::sql::typing;
    use qualm_core::dialect::sql::Dialect;
    use qualm_engines::clickhouse::dialect::CLICKHOUSE;
    use qualm_engines::duckdb::dialect::DUCKDB;
    use qualm_engines::mysql::dialect::{MARIADB, MYSQL};
    use qualm_engines::sqlite::dialect::SQLITE;

    /// `SELECT t.x FROM t AS y` is accepted in ClickHouse.
    #[test]
    fn a_table_outside_is_not_named_like_one_inside_where_aliases_hide_nothing() {
        let refused = |from: &str, inside: &str, dialect: &'static Dialect| {
            let text = format!("CREATE TABLE t(x INT); SELECT 1 FROM {from} WHERE EXISTS (SELECT 1 FROM {inside})");
            let mut schema = Schema::default();
            let read = parse::script(&text, dialect).into_iter().filter_map(|parsed| match parsed.what {
                parse::What::Query(mut tree) => {
                    parse::qualify(&mut tree, &schema).unwrap();
                    Some(typing::query(&tree, &schema, dialect).is_err())
                }
                parse::What::Statement(s) => schema.apply(&s, dialect).err().map(|why| panic!("{}", why.0)),
                parse::What::Unread(why) => panic!("{why}"),
            });
            read.last().unwrap()
        };
        assert!(refused("t", "t AS y WHERE t.x = y.x", &CLICKHOUSE));
        assert!(!refused("t", "t AS y WHERE t.x = y.x", &DUCKDB));
        assert!(!refused("t AS z", "t AS y WHERE z.x = y.x", &CLICKHOUSE));
        assert!(!refused("t", "t AS y WHERE y.x = 1", &CLICKHOUSE));
    }

    #[test]
    fn full_is_a_name_where_there_is_no_full_join() {
        let typed = |join: &str, dialect: &'static Dialect| {
            let text = format!("SELECT a.x FROM (SELECT 1 AS x) AS a {join} JOIN (SELECT 2 AS x) AS b ON a.x = b.x");
            let parse::What::Query(mut tree) = parse::one(&text, dialect) else { panic!("{text} is not read") };
            parse::qualify(&mut tree, &Schema::default()).unwrap();
            typing::query(&tree, &Schema::default(), dialect).is_ok()
        };
        assert!(typed("FULL", &SQLITE));
        for dialect in [&MYSQL, &MARIADB] {
            assert!(typed("LEFT", dialect) && !typed("FULL", dialect), "{}", dialect.name);
        }
    }
}
