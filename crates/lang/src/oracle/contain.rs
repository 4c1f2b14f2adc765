//! Containment (Pinolo: Hao and others, "Pinolo: Detecting Logical Bugs in Database Management Systems with Approximate
//! Query Synthesis", USENIX ATC 2023).
//!
//! Claim: a query that is made stricter returns no row that it did not return before, and one that is made weaker loses
//! none. A condition is stricter with another one beside it, with `<` for `<=`, or with fewer values in IN; a join is
//! when it is an inner one; a set operation when UNION ALL becomes UNION or INTERSECT, or when an arm is left out. What
//! is stricter inside NOT, NOT IN, NOT EXISTS or on the right of EXCEPT makes the whole weaker. Rows count as often as
//! they are returned.
//!
//! It does not hold, and is not claimed, across aggregates, window functions, limits and the nullable side of an outer
//! join.
//!
//! ```sql
//! SELECT c0 FROM t0 WHERE c0 <= 5;                                        -- contains every row of
//! SELECT c0 FROM t0 WHERE c0 < 5;
//! ```

mod changes;
pub mod user;

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, equality};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::rules_file::UserRule;
use crate::sql::{print, typing, walk};
use crate::user_rules::RuleRelation;
use changes::{
    any_text, compare, conjunct, first_arm, inner, join, keep_operand, loosen, outer, set_operation, taken, tighter,
};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "contain",
    claim: "a stricter query returns a part of the rows, a weaker one all of them",
    example: "SELECT a FROM t WHERE a <= 5  contains  SELECT a FROM t WHERE a < 5",
    weight: 2,
    scout: 1,
    propose,
    derive,
    adopt: Some(|query, _| questions(query)),
    needs: Needs { rules: &[RuleRelation::Contains, RuleRelation::Contained], ..NOTHING },
    ..PLAIN
};

/// Forms: one place of the query is changed; the predicate alone, against it or the query's own.
const FORM: &str = "contain";
const EITHER: &str = "either";

/// One in so many changes that make a query stricter is asked about.
const STRICTER: u32 = 6;

/// A change of one place. `apply` says whether the place is weaker then (true), stricter (false), or does not fit.
struct Rule {
    name: &'static str,
    needs_extra: bool,
    apply: fn(Spot, &Change) -> Option<bool>,
}

/// Where a query can be made stricter or weaker.
enum Spot<'a> {
    /// A condition of which only the truth counts.
    Truth(&'a mut Expr),
    /// WHERE, if any.
    Filter(&'a mut Select),
    /// HAVING of a query with groups, if any.
    Having(&'a mut Select),
    Distinct(&'a mut Select),
    /// The member of FROM at this position, joined to those before it.
    Join(&'a mut Joined),
    Compound(&'a mut Body),
    Limit(&'a mut Limit),
}

struct Change<'a> {
    extra: Option<&'a Expr>,
    dialect: &'a Dialect,
}

/// What is done at a place: a rule of the table, or one that the user wrote.
type Apply<'a> = &'a dyn Fn(Spot, &Change) -> Option<bool>;

const fn rule(name: &'static str, apply: fn(Spot, &Change) -> Option<bool>) -> Rule {
    Rule { name, needs_extra: false, apply }
}

const RULES: &[Rule] = &[
    Rule { name: "and", needs_extra: true, apply: |spot, with| conjunct(spot, with.extra?.clone()) },
    Rule {
        name: "or",
        needs_extra: true,
        apply: |spot, with| match spot {
            Spot::Truth(e) => {
                *e = taken(e).or(with.extra?.clone());
                Some(true)
            }
            _ => None,
        },
    },
    rule("drop-condition", |spot, _| match spot {
        Spot::Filter(s) => s.filter.take().map(|_| true),
        Spot::Having(s) => s.having.take().map(|_| true),
        _ => None,
    }),
    rule("keep-left", |spot, _| keep_operand(spot, true)),
    rule("keep-right", |spot, _| keep_operand(spot, false)),
    rule("loosen", |spot, _| loosen(spot)),
    rule("tighten", |spot, _| compare(spot, false, tighter)),
    rule("equal", |spot, _| compare(spot, false, |op| matches!(op, Binary::Le | Binary::Ge).then_some(Binary::Eq))),
    rule("fewer-values", |spot, _| match spot {
        Spot::Truth(Expr::InList { list, negated, .. }) if list.len() > 1 => {
            list.pop();
            Some(*negated)
        }
        _ => None,
    }),
    rule("any-text", |spot, _| any_text(spot)),
    rule("distinct", |spot, _| match spot {
        Spot::Distinct(s) => {
            s.distinct = !s.distinct;
            Some(!s.distinct)
        }
        _ => None,
    }),
    rule("inner-join", |spot, _| join(spot, inner)),
    rule("outer-join", |spot, with| join(spot, |join| outer(join, with.dialect))),
    rule("set-operation", |spot, with| set_operation(spot, SetOp::Union, with)),
    rule("intersect", |spot, with| set_operation(spot, SetOp::Intersect, with)),
    rule("first-arm", |spot, _| first_arm(spot)),
    rule("limit", |spot, _| match spot {
        Spot::Limit(limit) => {
            limit.count += 1;
            Some(true)
        }
        _ => None,
    }),
];

// ---------------------------------------------------------------- places

/// Goes through the places of a query in a fixed order and changes one of them.
struct Visit<'a> {
    apply: Apply<'a>,
    site: u32,
    with: Change<'a>,
    at: u32,
    /// Whether the whole query is weaker now.
    weaker: Option<bool>,
    /// Columns that stand at the place.
    columns: Vec<Expr>,
}

impl<'a> Visit<'a> {
    fn new(apply: Apply<'a>, site: u32, extra: Option<&'a Expr>, dialect: &'a Dialect) -> Visit<'a> {
        Visit { apply, site, with: Change { extra, dialect }, at: 0, weaker: None, columns: Vec::new() }
    }

    /// `up`: where this place is weaker, the whole query is.
    fn spot(&mut self, spot: Spot, up: bool) {
        let here = self.at == self.site;
        self.at += 1;
        if here {
            self.columns = columns_at(&spot);
            self.weaker = (self.apply)(spot, &self.with).map(|weaker| weaker == up);
        }
    }

    /// The place has been passed: what is below it may not be looked at any more.
    fn is_done(&self) -> bool {
        self.at > self.site
    }

    fn query(&mut self, q: &mut Query, up: bool, top: bool) {
        match &mut q.limit {
            Some(limit) if top => self.spot(Spot::Limit(limit), up),
            Some(_) => {}
            None => self.body(&mut q.body, up),
        }
    }

    fn body(&mut self, body: &mut Body, up: bool) {
        if matches!(body, Body::Compound { .. }) {
            self.spot(Spot::Compound(body), up);
        }
        if self.is_done() {
            return;
        }
        match body {
            Body::Select(s) => self.select(s, up),
            Body::Compound { op, left, right } => {
                let turns = *op == SetOp::Except;
                self.body(left, up);
                if !self.is_done() {
                    self.body(right, up != turns);
                }
            }
            Body::Values(_) => {}
        }
    }

    fn select(&mut self, s: &mut Select, up: bool) {
        self.spot(Spot::Distinct(s), up);
        if self.is_done() {
            return;
        }
        if !s.group_by.is_empty() {
            self.spot(Spot::Having(s), up);
            if self.is_done() {
                return;
            }
            if let Some(having) = &mut s.having {
                self.truth(having, up);
            }
        }
        let counts = s.items.iter().map(|i| &i.expr).chain(&s.having).any(looks_at_other_rows);
        if self.is_done() || counts || s.group_by.is_empty() && s.having.is_some() {
            return;
        }
        self.spot(Spot::Filter(s), up);
        if self.is_done() {
            return;
        }
        if let Some(filter) = &mut s.filter {
            self.truth(filter, up);
        }
        self.from(&mut s.from, up);
    }

    fn from(&mut self, from: &mut [Joined], up: bool) {
        for i in 0..from.len() {
            // Rows of the left side that are not there any more let rows of the right side appear alone.
            let keeps = |j: &Joined| {
                let inner = matches!(j.join, Join::Comma | Join::Inner | Join::Cross | Join::Left | Join::Natural);
                inner || j.join == Join::NaturalLeft
            };
            if self.is_done() || !from[i + 1..].iter().all(keeps) {
                continue;
            }
            let merged = from[i..].iter().any(|j| !j.using.is_empty() || is_natural(j.join));
            let member = &mut from[i];
            if i > 0 && !merged {
                self.spot(Spot::Join(member), up);
            }
            if self.is_done() {
                return;
            }
            let is_inner = i == 0 || matches!(member.join, Join::Comma | Join::Inner | Join::Cross);
            if let (Some(on), true, true) = (&mut member.on, is_inner, i > 0) {
                self.truth(on, up);
            }
            if let (Source::Query { query, .. }, true, false) = (&mut member.source, is_inner, self.is_done()) {
                self.query(query, up, false);
            }
        }
    }

    /// A condition: false, unknown and true in this order, so that AND, OR, IN and EXISTS never turn it round.
    fn truth(&mut self, e: &mut Expr, up: bool) {
        self.spot(Spot::Truth(e), up);
        if self.is_done() {
            return;
        }
        match e {
            Expr::Binary(Binary::And | Binary::Or, a, b) => {
                self.truth(a, up);
                if !self.is_done() {
                    self.truth(b, up);
                }
            }
            Expr::Unary(Unary::Not, x) => self.truth(x, !up),
            // True for unknown as well, or for it neither: both keep the order.
            Expr::IsTruth { expr, test, negated } => self.truth(expr, up == (*test != *negated)),
            Expr::Exists { query, negated } | Expr::InQuery { query, negated, .. } => {
                self.query(query, up != *negated, false);
            }
            _ => {}
        }
    }
}

fn is_natural(join: Join) -> bool {
    matches!(join, Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull)
}

/// Whether the value in one row depends on what other rows there are.
fn looks_at_other_rows(e: &Expr) -> bool {
    matches!(e, Expr::Window(_) | Expr::Aggregate(_)) || walk::children(e).into_iter().any(looks_at_other_rows)
}

/// Columns that are in scope at a place, because they stand there. Those of subqueries are not.
fn columns_at(spot: &Spot) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut add = |e: &Expr| collect(e, &mut found);
    match spot {
        Spot::Truth(e) => add(e),
        Spot::Filter(s) => {
            s.items.iter().for_each(|i| add(&i.expr));
            s.filter.iter().for_each(&mut add);
        }
        Spot::Having(s) => s.keys().iter().for_each(add),
        Spot::Distinct(_) | Spot::Join(_) | Spot::Compound(_) | Spot::Limit(_) => {}
    }
    found
}

fn collect(e: &Expr, found: &mut Vec<Expr>) {
    match e {
        Expr::Column { .. } if !found.contains(e) => found.push(e.clone()),
        Expr::Aggregate(_) | Expr::Window(_) => {}
        _ => walk::children(e).into_iter().for_each(|c| collect(c, found)),
    }
}

/// The query with one place changed, and whether it is weaker then.
fn changed(query: &Query, rewrite: &Rewrite, dialect: &Dialect) -> Option<(Query, bool)> {
    let rule = RULES.iter().find(|r| r.name == rewrite.rule)?;
    let mut other = query.clone();
    let mut visit = Visit::new(&rule.apply, rewrite.site, rewrite.extra.as_ref(), dialect);
    visit.query(&mut other, true, true);
    let weaker = visit.weaker?;
    // DISTINCT is not ordered by what it does not show.
    if rule.name == "distinct" && other.limit.is_none() {
        other.order_by.clear();
    }
    Some((other, weaker))
}

// ---------------------------------------------------------------- questions

fn places(query: &Query, dialect: &Dialect) -> u32 {
    let mut visit = Visit::new(&RULES[0].apply, u32::MAX, None, dialect);
    visit.query(&mut query.clone(), true, true);
    visit.at
}

fn columns_of(query: &Query, site: u32, dialect: &Dialect) -> Vec<Expr> {
    let mut visit = Visit::new(&RULES[0].apply, site, None, dialect);
    visit.query(&mut query.clone(), true, true);
    visit.columns
}

fn question(query: Query, rule: &Rule, site: u32, extra: Option<Expr>) -> Question {
    let rewrite = Rewrite { rule: rule.name.into(), site, extra, written: None };
    Question { rewrites: vec![rewrite], ..Question::of(query, FORM) }
}

fn propose(g: &mut Generator) -> Option<Question> {
    let own: Vec<&UserRule> = g.user_rules.iter().filter(|r| !r.text.relation.is_same()).collect();
    if !own.is_empty() && g.rng.coin() {
        let rule = *g.rng.pick(&own);
        return user::propose(rule, g);
    }
    if g.rng.coin() {
        return either(g);
    }
    let query = g.query();
    propose_about(query, g)
}

/// A change of this query.
pub(super) fn propose_about(mut query: Query, g: &mut Generator) -> Option<Question> {
    let dialect = g.dialect();
    // What the condition leaves of a join or a compound is often nothing.
    if let Some(select) = query.select_mut().filter(|s| s.from.len() > 1 || !s.group_by.is_empty() || s.distinct)
        && g.rng.chance(3, 4)
    {
        select.filter = None;
    }
    let count = places(&query, dialect);
    // Rules that seldom fit are as likely as the others.
    let mut rules: Vec<&Rule> = RULES.iter().collect();
    g.rng.shuffle(&mut rules);
    for rule in rules {
        let first = g.rng.below(count.max(1) as usize) as u32;
        for site in (first..count).chain(0..first) {
            let extra = rule.needs_extra.then(|| spare(g, &columns_of(&query, site, dialect)));
            let made = question(query.clone(), rule, site, extra);
            let Some((_, weaker)) = changed(&query, &made.rewrites[0], dialect) else { continue };
            // A query that is stricter than one that someone made returns nothing too often.
            if weaker || g.rng.chance(1, STRICTER) {
                return Some(made);
            }
        }
    }
    None
}

/// A condition of any kind beside another one.
fn either(g: &mut Generator) -> Option<Question> {
    let from = g.outer_from(g.shape.from);
    let mut select = Select { from, filter: Some(g.predicate(g.shape.depth)), ..Select::default() };
    select.items = g.items(3);
    select.distinct = g.rng.chance(1, 6);
    let predicate = Some(g.predicate(g.shape.depth));
    g.scope.clear();
    Some(Question { predicate, ..Question::of(Query::of(select), EITHER) })
}

/// A small condition over columns that are in scope.
fn spare(g: &mut Generator, columns: &[Expr]) -> Expr {
    let dialect = g.dialect();
    if columns.is_empty() {
        return if dialect.dynamic_typing { g.literal(Kind::Int) } else { Expr::truth(g.rng.coin(), dialect) };
    }
    let column = g.rng.pick(columns).clone();
    let other = if dialect.dynamic_typing && g.rng.coin() {
        let kind = g.some_kind();
        g.literal(kind)
    } else {
        g.rng.pick(columns).clone()
    };
    match g.rng.below(4) {
        0 => column.is_null(),
        1 => Expr::IsNull { expr: Box::new(column), negated: true },
        _ => {
            let op = *g.rng.pick(&[Binary::Eq, Binary::Ne, Binary::Lt, Binary::Ge]);
            Expr::Binary(op, Box::new(column), Box::new(other))
        }
    }
}

/// Every question about a query that someone else wrote.
pub fn questions(query: &Query) -> Vec<Question> {
    let dialect = &qualm_core::dialect::sql::EMPTY;
    let mut all = Vec::new();
    for site in 0..places(query, dialect) {
        let columns = columns_of(query, site, dialect);
        for rule in RULES {
            if !rule.needs_extra {
                all.push(question(query.clone(), rule, site, None));
                continue;
            }
            for column in columns.iter().take(2) {
                let known = Expr::IsNull { expr: Box::new(column.clone()), negated: true };
                let above = Expr::Binary(Binary::Gt, Box::new(column.clone()), Box::new(Expr::int(0)));
                let extras = [column.clone().is_null(), known, above];
                all.extend(extras.into_iter().map(|e| question(query.clone(), rule, site, Some(e))));
            }
        }
    }
    all
}

/// The query, another one, and whether that is weaker.
pub(super) fn pair(q: &Question, dialect: &Dialect) -> Option<(Query, Query, bool)> {
    if let ([rewrite], FORM) = (q.rewrites.as_slice(), q.form.as_str()) {
        let (other, weaker) = changed(&q.query, rewrite, dialect)?;
        return Some((q.query.clone(), other, weaker));
    }
    let (p, own) = (q.predicate.as_ref()?, q.query.select()?.filter.as_ref()?);
    if q.form != EITHER || !q.rewrites.is_empty() {
        return None;
    }
    let with = |filter: Expr| {
        let mut query = q.query.clone();
        query.select_mut()?.filter = Some(filter);
        Some(query)
    };
    let alone = with(p.clone())?;
    // Whatever keeps a condition from being weakened at its place does so here.
    let rewrite = Rewrite { rule: "or".into(), site: OWN_CONDITION, extra: Some(own.clone()), written: None };
    let (both, weaker) = changed(&alone, &rewrite, dialect)?;
    Some((alone, both, weaker))
}

/// The place of a condition in WHERE: DISTINCT is the first, and WHERE itself the second.
const OWN_CONDITION: u32 = 2;

pub fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if q.text.is_some() {
        return None;
    }
    if let ([rewrite @ Rewrite { written: Some(text), .. }], FORM) = (q.rewrites.as_slice(), q.form.as_str()) {
        return user::derive(&q.query, rewrite, text, at);
    }
    let (query, other, weaker) = pair(q, at.dialect)?;
    contains(&query, &other, weaker, at)
}

fn contains(query: &Query, other: &Query, weaker: bool, at: &Setting) -> Option<Derived> {
    let columns = typing::query(query, at.schema, at.dialect).ok()?;
    let others = typing::query(other, at.schema, at.dialect).ok()?;
    if columns.is_empty() || columns.len() != others.len() {
        return None;
    }
    let loose = [&columns, &others].into_iter().any(|c| equality(c) == Equality::Loose);
    let equality = if loose { Equality::Loose } else { Equality::Exact };
    let (big, small) = if weaker { (other, query) } else { (query, other) };
    let script = vec![
        Step::query("the weaker query", print::query(big, at.dialect)),
        Step::query("the stricter query", print::query(small, at.dialect)),
    ];
    Some(Derived { script, claim: Relation::Contains { big: 0, small: 1, order: Order::Bag, equality } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::tests::derived_texts;
    use qualm_engines::sqlite::dialect::SQLITE;

    const STATE: &str = "CREATE TABLE t(a INT, b TEXT); CREATE TABLE u(c INT);";

    /// The weaker and the stricter query that a rule makes at its first place.
    fn both(query: &str, rule: &str) -> Option<(String, String)> {
        let question = |query: Query| {
            let fits = |q: &Question| changed(&query, &q.rewrites[0], &SQLITE).is_some();
            let mut all = questions(&query).into_iter().filter(|q| q.rewrites[0].rule == rule);
            all.find(fits).unwrap_or_else(|| Question::of(query.clone(), FORM))
        };
        let texts = derived_texts(&format!("{STATE} {query};"), &SQLITE, question, derive)?;
        Some((texts[0].clone(), texts[1].clone()))
    }

    fn stricter(query: &str, rule: &str) -> Option<String> {
        both(query, rule).map(|p| p.1)
    }

    fn weaker(query: &str, rule: &str) -> Option<String> {
        both(query, rule).map(|p| p.0)
    }

    #[test]
    fn conditions_become_stricter_or_weaker() {
        let query = "SELECT a FROM t WHERE a <= 5 AND b IN ('x', 'y')";
        assert_eq!(stricter(query, "tighten").unwrap(), "SELECT t.a FROM t WHERE (t.a < 5) AND (t.b IN ('x', 'y'))");
        assert_eq!(stricter(query, "fewer-values").unwrap(), "SELECT t.a FROM t WHERE (t.a <= 5) AND (t.b IN ('x'))");
        assert_eq!(weaker(query, "keep-right").unwrap(), "SELECT t.a FROM t WHERE t.b IN ('x', 'y')");
        assert_eq!(weaker(query, "drop-condition").unwrap(), "SELECT t.a FROM t");
        let between = "SELECT a FROM t WHERE a NOT BETWEEN 1 AND 3";
        assert_eq!(stricter(between, "loosen").unwrap(), "SELECT t.a FROM t WHERE t.a < 1");
    }

    #[test]
    fn negation_turns_the_direction() {
        assert_eq!(
            weaker("SELECT a FROM t WHERE NOT (a <= 5)", "tighten").unwrap(),
            "SELECT t.a FROM t WHERE NOT (t.a < 5)"
        );
        let inside = "SELECT a FROM t WHERE a NOT IN (SELECT c FROM u WHERE c <= 1)";
        assert_eq!(
            weaker(inside, "tighten").unwrap(),
            "SELECT t.a FROM t WHERE t.a NOT IN (SELECT u.c FROM u WHERE u.c < 1)"
        );
        let tested = "SELECT a FROM t WHERE (a <= 5) IS NOT TRUE";
        assert!(weaker(tested, "tighten").unwrap().contains('<'));
        assert!(weaker(tested, "tighten").unwrap().contains("(t.a < 5) IS NOT TRUE"));
        let except = "SELECT a FROM t EXCEPT SELECT c FROM u WHERE c <= 1";
        assert_eq!(weaker(except, "tighten").unwrap(), "SELECT t.a FROM t EXCEPT SELECT u.c FROM u WHERE u.c < 1");
    }

    #[test]
    fn joins_and_compounds() {
        let left = "SELECT a FROM t LEFT JOIN u ON a <= c";
        assert_eq!(stricter(left, "inner-join").unwrap(), "SELECT t.a FROM t JOIN u ON t.a <= u.c");
        assert_eq!(stricter(left, "tighten"), None, "a row without a partner appears alone");
        assert_eq!(
            stricter("SELECT a FROM t JOIN u ON a <= c", "tighten").unwrap(),
            "SELECT t.a FROM t JOIN u ON t.a < u.c"
        );
        let full = "SELECT t.a FROM t LEFT JOIN u ON t.a = c FULL JOIN t AS x ON x.a = t.a";
        assert_eq!(stricter(full, "inner-join").unwrap().matches("LEFT").count(), 1, "only the last join changes");
        let all = "SELECT a FROM t UNION ALL SELECT c FROM u";
        assert_eq!(stricter(all, "intersect").unwrap(), "SELECT t.a FROM t INTERSECT SELECT u.c FROM u");
        assert_eq!(stricter(all, "first-arm").unwrap(), "SELECT t.a FROM t");
        assert_eq!(stricter("SELECT a FROM t UNION SELECT c FROM u", "first-arm"), None, "duplicates come back");
    }

    #[test]
    fn nothing_is_claimed_where_rows_are_counted() {
        assert_eq!(both("SELECT count(*) FROM t WHERE a <= 5", "tighten"), None);
        assert_eq!(both("SELECT a FROM t WHERE a <= 5 ORDER BY a, b LIMIT 2", "tighten"), None);
        assert_eq!(both("SELECT sum(a) OVER () FROM t WHERE a <= 5", "tighten"), None);
        let groups = "SELECT b, count(*) FROM t WHERE a <= 5 GROUP BY b HAVING count(*) >= 2";
        let fewer = stricter(groups, "tighten").unwrap();
        assert!(fewer.contains("t.a <= 5 GROUP BY") && fewer.ends_with("HAVING count(*) > 2"), "{fewer}");
        assert_eq!(
            weaker(groups, "drop-condition").unwrap(),
            "SELECT t.b, count(*) FROM t WHERE t.a <= 5 GROUP BY t.b"
        );
    }
}
