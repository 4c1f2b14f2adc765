//! Queries that say again what their state says of its tables. An optimiser uses an index on an expression only for a
//! query that has the same expression, a partial index only where its condition follows, and the terms of an index only
//! in their order; what is drawn at random hardly ever meets any of them.
//!
//! Expressions of indexes, keys, generated columns and checks are written without tables; here they are given to a
//! member of FROM that has columns of these names. That may be another table or a view as well: then the same
//! expression stands on both sides of a view.

use super::ast::*;
use super::generate::Generator;
use super::leaning::more;
use super::walk;
use qualm_core::dialect::sql::{Feature, Kind};

/// One in so many echoes may be of a table that merely has columns of the same names.
const OF_OTHERS: u32 = 8;

/// What a state says of the rows of one of its tables.
struct Said<'s> {
    table: &'s Name,
    what: What<'s>,
}

#[derive(Clone, Copy)]
enum What<'s> {
    Index(&'s CreateIndex),
    /// The columns of a key.
    Key(&'s [Name]),
    Generated(&'s Expr),
    Check(&'s Expr),
}

fn said(state: &[Statement]) -> Vec<Said<'_>> {
    let mut found = Vec::new();
    for statement in state {
        match statement {
            Statement::CreateIndex(i) => found.push(Said { table: &i.table, what: What::Index(i) }),
            Statement::CreateTable(t) => {
                let keys = [&t.primary_key].into_iter().chain(&t.unique).filter(|k| !k.is_empty());
                let keys = keys.map(|k| What::Key(k));
                let generated = t.columns.iter().filter_map(|c| c.generated.as_ref());
                let generated = generated.map(|g| What::Generated(&g.expr));
                let alone = t.columns.iter().filter(|c| c.primary_key || c.unique);
                let alone = alone.map(|c| What::Key(std::slice::from_ref(&c.name)));
                let all = keys.chain(alone).chain(generated).chain(t.check.as_ref().map(What::Check));
                found.extend(all.map(|what| Said { table: &t.name, what }));
            }
            _ => {}
        }
    }
    found
}

/// Whether it speaks of columns with these names only.
fn is_about(what: What, names: &[&Name]) -> bool {
    let known = |e: &Expr| {
        let mut all = true;
        walk::each_expr(e, &mut |e| all &= !matches!(e, Expr::Column { column, .. } if !names.contains(&column)));
        all
    };
    match what {
        What::Index(i) => i.terms.iter().all(|t| known(&t.expr)) && i.filter.as_ref().is_none_or(known),
        What::Key(columns) => columns.iter().all(|c| names.contains(&c)),
        What::Generated(e) | What::Check(e) => known(e),
    }
}

/// The same of a member of FROM.
fn of_member(e: &Expr, alias: &Name) -> Expr {
    let mut e = e.clone();
    walk::each_expr_mut(&mut e, &mut |e| {
        if let Expr::Column { table, .. } = e {
            *table = alias.clone();
        }
    });
    e
}

impl<'a> Generator<'a> {
    /// Something that the state says and that fits a member of the FROM at hand.
    fn echo(&mut self, wanted: impl Fn(What) -> bool) -> Option<(What<'a>, Name)> {
        let width = self.scope.len() - self.frame;
        if width == 0 || self.state.is_empty() {
            return None;
        }
        let alias = self.scope[self.frame + self.rng.below(width)].table.clone();
        let own = self.scope[self.frame..].iter().filter(|v| v.table == alias);
        let names: Vec<&Name> = own.map(|v| &v.name).collect();
        let fitting: Vec<Said> = said(self.state).into_iter().filter(|s| wanted(s.what)).collect();
        let mut fitting: Vec<Said> = fitting.into_iter().filter(|s| is_about(s.what, &names)).collect();
        if fitting.iter().any(|s| *s.table == alias) && !self.rng.chance(1, OF_OTHERS) {
            fitting.retain(|s| *s.table == alias);
        }
        (!fitting.is_empty()).then(|| (self.rng.pick(&fitting).what, alias))
    }

    /// An expression that is indexed or stored.
    pub(super) fn echoed_value(&mut self) -> Option<Expr> {
        let computed = |t: &&IndexTerm| !matches!(t.expr, Expr::Column { .. });
        let has_value = |what: What| match what {
            What::Index(i) => i.terms.iter().any(|t| computed(&t)),
            What::Generated(_) => true,
            What::Key(_) | What::Check(_) => false,
        };
        let (what, alias) = self.echo(has_value)?;
        match what {
            What::Index(i) => {
                let terms: Vec<&IndexTerm> = i.terms.iter().filter(computed).collect();
                Some(of_member(&self.rng.pick(&terms).expr, &alias))
            }
            What::Generated(e) => Some(of_member(e, &alias)),
            What::Key(_) | What::Check(_) => None,
        }
    }

    /// The terms of an index or key in their order.
    pub(super) fn echoed_terms(&mut self) -> Option<Vec<IndexTerm>> {
        let (what, alias) = self.echo(|what| matches!(what, What::Index(_) | What::Key(_)))?;
        Some(match what {
            What::Index(i) => {
                i.terms.iter().map(|t| IndexTerm { expr: of_member(&t.expr, &alias), ..t.clone() }).collect()
            }
            What::Key(columns) => {
                let term = |c: &Name| IndexTerm { expr: Expr::column(&alias, c), collation: None, descending: false };
                columns.iter().map(term).collect()
            }
            What::Generated(_) | What::Check(_) => return None,
        })
    }

    /// A condition over what the state says: one that it states itself, or a search by an index.
    pub(super) fn echoed_predicate(&mut self, depth: u32) -> Expr {
        let made = match self.rng.weighted(&[3, 6]) {
            0 => self.stated(),
            _ => self.keyed(),
        };
        made.unwrap_or_else(|| self.comparison(depth))
    }

    /// The condition of a partial index or a check, alone or beside a search.
    fn stated(&mut self) -> Option<Expr> {
        let states = |what: What| match what {
            What::Index(i) => i.filter.is_some(),
            What::Check(_) => true,
            What::Key(_) | What::Generated(_) => false,
        };
        let (what, alias) = self.echo(states)?;
        let condition = match what {
            What::Index(i) => of_member(i.filter.as_ref()?, &alias),
            What::Check(e) => of_member(e, &alias),
            What::Key(_) | What::Generated(_) => return None,
        };
        Some(match (what, self.rng.below(6)) {
            (What::Index(i), 0..=2) => {
                let term = self.rng.pick(&i.terms).clone();
                let search = self.search_of(&IndexTerm { expr: of_member(&term.expr, &alias), ..term });
                if self.rng.chance(1, 4) { condition.or(search) } else { condition.and(search) }
            }
            (_, 3) => condition.negate(),
            (_, 4) => self.implying(condition),
            _ => condition,
        })
    }

    /// The same with another literal: what is asked may follow from it or not.
    fn implying(&mut self, mut condition: Expr) -> Expr {
        let mut literals = 0;
        walk::each_expr(&condition, &mut |e| literals += usize::from(matches!(e, Expr::Literal(_))));
        if literals == 0 {
            return condition;
        }
        let (chosen, mut at) = (self.rng.below(literals), 0);
        let mut kind = None;
        walk::each_expr(&condition, &mut |e| {
            if let Expr::Literal(l) = e {
                if at == chosen {
                    kind = kind_of_literal(l);
                }
                at += 1;
            }
        });
        let Some(new) = kind.map(|kind| self.literal(kind)) else { return condition };
        at = 0;
        walk::each_expr_mut(&mut condition, &mut |e| {
            if matches!(e, Expr::Literal(_)) {
                if at == chosen {
                    *e = new.clone();
                }
                at += 1;
            }
        });
        condition
    }

    /// Conditions on the first terms of an index, as a search in it or several of them take them.
    fn keyed(&mut self) -> Option<Expr> {
        let terms = self.echoed_terms()?;
        let rows = u32::from(self.has(Feature::RowValue) && terms.len() > 1);
        let first = self.rng.range(1, terms.len());
        let mut searches = terms[..first].iter();
        match self.rng.weighted(&[6, 4, 3 * rows]) {
            0 => {
                let mut made = None;
                for (at, term) in searches.by_ref().enumerate() {
                    let next = if at + 1 < first { self.equality_of(term) } else { self.search_of(term) };
                    made = Some(match made {
                        Some(before) => Expr::and(before, next),
                        None => next,
                    });
                }
                made
            }
            1 => {
                let mut made = self.search_of(&terms[0]);
                for _ in 0..self.rng.range(1, 3) {
                    let at = self.rng.below(terms.len());
                    made = made.or(self.search_of(&terms[at]));
                }
                Some(made)
            }
            _ => Some(self.row_search(&terms)),
        }
    }

    /// `term = …` and the like: what the terms before the last one of a search are compared with.
    pub(super) fn equality_of(&mut self, term: &IndexTerm) -> Expr {
        let (left, kind) = (self.collated(term), self.kind_of(&term.expr));
        match self.rng.weighted(&[8, 2, more(self.leaning.searches)]) {
            0 => Expr::Binary(Binary::Eq, Box::new(left), Box::new(self.sought(&term.expr, kind))),
            1 => {
                let list = (0..self.rng.range(1, 3)).map(|_| self.sought(&term.expr, kind)).collect();
                Expr::InList { expr: Box::new(left), list, negated: false }
            }
            _ => left.is_null(),
        }
    }

    /// Any condition that a search in an index may answer.
    pub(super) fn search_of(&mut self, term: &IndexTerm) -> Expr {
        let kind = self.kind_of(&term.expr);
        if !self.is_ordered(kind) || self.rng.chance(2, 5) {
            return self.equality_of(term);
        }
        let left = self.collated(term);
        match self.rng.weighted(&[8, 2, 2]) {
            0 => {
                use Binary::*;
                let op = *self.rng.pick(&[Lt, Le, Gt, Ge, Gt, Is, Ne]);
                let right = self.sought(&term.expr, kind);
                let (left, right) = if self.rng.chance(1, 5) { (right, left) } else { (left, right) };
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
            1 => {
                let (low, high) = (self.sought(&term.expr, kind), self.sought(&term.expr, kind));
                Expr::Between { expr: Box::new(left), low: Box::new(low), high: Box::new(high), negated: false }
            }
            _ => Expr::IsNull { expr: Box::new(left), negated: true },
        }
    }

    /// `(a, b) < (…)`, `(a, b) IN (VALUES …)`: the terms of an index as one row.
    fn row_search(&mut self, terms: &[IndexTerm]) -> Expr {
        self.uses(Feature::RowValue);
        let mut terms: Vec<&IndexTerm> = terms.iter().take(2).collect();
        if self.rng.chance(1, 3) {
            terms.reverse();
        }
        let kinds: Vec<Kind> = terms.iter().map(|t| self.kind_of(&t.expr)).collect();
        let left = Expr::Row(terms.iter().map(|t| t.expr.clone()).collect());
        let row = |g: &mut Self| -> Vec<Expr> {
            terms.iter().zip(&kinds).map(|(t, kind)| g.sought(&t.expr, *kind)).collect()
        };
        let lists = u32::from(self.has(Feature::Values) && self.dialect().dynamic_typing);
        let nests = u32::from(self.subqueries > 0 && !self.schema_is_empty());
        match self.rng.weighted(&[4, 2 * lists, 2 * nests]) {
            1 => {
                self.uses(Feature::Values);
                let body = Body::Values((0..self.rng.range(1, 3)).map(|_| row(self)).collect());
                let query = Query { with: Vec::new(), body, order_by: Vec::new(), limit: None };
                Expr::InQuery { expr: Box::new(left), query: Box::new(query), negated: self.rng.chance(1, 5) }
            }
            2 => {
                self.subqueries -= 1;
                let query = Box::new(self.column_query(&kinds));
                Expr::InQuery { expr: Box::new(left), query, negated: self.rng.chance(1, 4) }
            }
            _ => {
                use Binary::*;
                let ordered = kinds.iter().all(|k| self.is_ordered(*k));
                let op = if ordered { *self.rng.pick(&[Eq, Lt, Gt, Le, Ge, Ge, Lt]) } else { Eq };
                let right = Expr::Row(row(self));
                let (left, right) = if self.rng.chance(1, 4) { (right, left) } else { (left, right) };
                Expr::Binary(op, Box::new(left), Box::new(right))
            }
        }
    }

    /// The term, now and then with a collation: that of the index or another one.
    fn collated(&mut self, term: &IndexTerm) -> Expr {
        let says = self.collations && self.has(Feature::Collate);
        match &term.collation {
            Some(collation) if says && self.rng.chance(1, 3) => {
                Expr::Collate { expr: Box::new(term.expr.clone()), collation: collation.clone() }
            }
            _ => self.maybe_collate(term.expr.clone()),
        }
    }

    /// What a term is compared with: a literal, a column, or the term of a literal, which it is equal to for some row.
    fn sought(&mut self, term: &Expr, kind: Kind) -> Expr {
        let column = matches!(term, Expr::Column { .. });
        let columns = 4 * more(self.leaning.joins);
        match self.rng.weighted(&[10, columns, 5 * u32::from(!column), 2 * more(self.leaning.collations)]) {
            1 => self.column(Some(kind)).map_or_else(|| self.fitting_literal(kind), |(c, _)| c),
            2 => {
                let mut made = term.clone();
                let mut kinds = Vec::new();
                walk::each_expr(term, &mut |e| {
                    if matches!(e, Expr::Column { .. }) {
                        kinds.push(self.kind_of(e));
                    }
                });
                let mut literals: Vec<Expr> = kinds.into_iter().map(|k| self.literal(k)).collect();
                literals.reverse();
                walk::each_expr_mut(&mut made, &mut |e| {
                    if matches!(e, Expr::Column { .. }) {
                        *e = literals.pop().unwrap_or_else(Expr::null);
                    }
                });
                made
            }
            3 => {
                let literal = self.fitting_literal(kind);
                self.maybe_collate(literal)
            }
            _ => self.fitting_literal(kind),
        }
    }
}

fn kind_of_literal(l: &Literal) -> Option<Kind> {
    Some(match l {
        Literal::Int(_) => Kind::Int,
        Literal::Real(_) => Kind::Real,
        Literal::Text(_) => Kind::Text,
        Literal::Blob(_) => Kind::Blob,
        Literal::Special(kind, _) => Kind::Special(*kind),
        Literal::Null | Literal::Bool(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::generate::shape;
    use crate::sql::pool::Pool;
    use crate::sql::print;
    use crate::sql::profile::Profile;
    use crate::sql::seeds::Seed;
    use crate::sql::typing::{self, Schema};
    use qualm_core::explore::{NamedText, Size};
    use qualm_core::rng::Rng;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// Every query that was made of a state, as text: those that are determined.
    fn queries(state: &str, many: u64) -> Vec<String> {
        let mut session = qualm_engines::connect("sqlite").unwrap().open().unwrap();
        let profile = Profile::probe(&SQLITE, session.as_mut()).unwrap();
        let seed = Seed::read(&NamedText { name: "s".into(), text: state.into() }, &SQLITE);
        let schema = Schema::from_state(&seed.state, &SQLITE).unwrap();
        let made = (0..many).filter_map(|i| {
            let mut rng = Rng::new(i);
            let pool = Pool::of(&SQLITE, &mut rng);
            let mut g = Generator::new(&mut rng, &profile, &schema, &pool, shape(Size::Medium));
            g.state = &seed.state;
            let query = g.query();
            typing::query(&query, &schema, &SQLITE).ok()?;
            Some(print::query(&query, &SQLITE))
        });
        made.collect()
    }

    fn share(made: &[String], part: &str) -> f64 {
        let having = made.iter().filter(|text| text.contains(part)).count();
        having as f64 / made.len() as f64
    }

    #[test]
    fn queries_say_what_indexes_keys_and_checks_say() {
        let made = queries(
            "CREATE TABLE t0(c0 INT, c1 TEXT, c2 INT AS (c0 & 12) STORED, CHECK (c0 <> 777), PRIMARY KEY (c1, c0)); \
             CREATE INDEX i0 ON t0(lower(c1), c0 * 31); CREATE INDEX i1 ON t0(c0) WHERE c1 GLOB 'qq*'; \
             CREATE VIEW v0 AS SELECT c0, c1 FROM t0;",
            6000,
        );
        // Without echoes the first three are in no query at all.
        for (part, least) in [
            ("lower(t0.c1)", 0.01),
            ("(t0.c0 * 31)", 0.005),
            ("(t0.c0 & 12)", 0.005),
            ("GLOB 'qq*'", 0.005),
            ("777", 0.002),
            // What is indexed in a table is looked for in a view over it as well.
            ("lower(v0.c1)", 0.001),
        ] {
            assert!(share(&made, part) > least, "'{part}' is in {} of the queries", share(&made, part));
        }
    }

    #[test]
    fn what_names_other_columns_is_not_said() {
        let made = queries("CREATE TABLE t0(c0 INT); CREATE TABLE t1(c7 INT); CREATE INDEX i0 ON t1(c7 * 31);", 600);
        assert!(share(&made, "(t1.c7 * 31)") > 0.02 && share(&made, "t0.c7") == 0.0);
    }
}
