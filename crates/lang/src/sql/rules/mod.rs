//! Mutations of a query and its tables that must not change the answer *on this data* (MutaSQL, Chen, Wang and Cheung,
//! DBTest 2020). One table entry a rule: name, group, what must hold here, and an example that is also its test.
//!
//! A rule never looks at data itself. What it needs to be true here it asks for as a guard: a question in the same
//! script, whose answer decides whether anything is claimed. So a guard holds for the reducer's smaller data as well as
//! for the data the rule was first applied to, and a maintainer sees in the script what the claim rests on.

pub mod predicate;
pub mod structure;
pub mod table;

use super::ast::*;
use super::print;
use super::profile::Profile;
use super::typing::{self, Column, Schema};
use qualm_core::case::Step;
use qualm_core::dialect::sql::{Dialect, Feature};
use qualm_core::relation::Guard;
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    Table,
    Structure,
    Predicate,
}

/// A query, and what the rule makes of it.
pub type Example = (&'static str, &'static str);

pub type Apply = fn(&mut Mutant, pick: usize) -> Option<()>;

pub struct Rule {
    pub name: &'static str,
    pub group: Group,
    /// What must hold on this data, in words.
    pub precondition: &'static str,
    /// A query and what the rule makes of it, over the tables of `EXAMPLE_STATE`.
    pub example: Example,
    /// Changes the mutant at one of the places where the rule fits; `pick` says which.
    pub apply: Apply,
    /// What a dialect must have for it.
    pub needs: &'static [Feature],
    /// A restriction or quirk of a dialect that cannot have it: its mutant has more tables in FROM than the query
    /// had, or gives columns names of its own.
    pub unfit: Option<Feature>,
    /// What it brings into the case that the query does not show, in the words of fingerprints.
    pub adds: Option<&'static str>,
    /// One of those that the paper counts most bugs under: joins, indexes, DISTINCT, GROUP BY, and conditions said
    /// twice. The number is its place in the choice among them, which the cases of a seed depend on.
    pub productive: Option<u8>,
    /// It rewrites a form that few queries have, and is therefore tried first where a query may have it.
    pub rare: bool,
}

impl Rule {
    const fn new(group: Group, name: &'static str, precondition: &'static str, example: Example, apply: Apply) -> Rule {
        let (needs, unfit, adds, productive, rare) = (&[], None, None, None, false);
        Rule { name, group, precondition, example, apply, needs, unfit, adds, productive, rare }
    }

    /// The same rule, for dialects that have all of this.
    const fn needs(self, needs: &'static [Feature]) -> Rule {
        Rule { needs, ..self }
    }

    const fn unfit(self, feature: Feature) -> Rule {
        Rule { unfit: Some(feature), ..self }
    }

    const fn adds(self, feature: &'static str) -> Rule {
        Rule { adds: Some(feature), ..self }
    }

    const fn productive(self, place: u8) -> Rule {
        Rule { productive: Some(place), ..self }
    }

    const fn rare(self) -> Rule {
        Rule { rare: true, ..self }
    }

    /// Whether the engine has what the rule needs, as far as is known by now.
    pub fn fits(&self, profile: &Profile) -> bool {
        self.needs.iter().all(|f| profile.has(*f)) && !self.unfit.is_some_and(|f| profile.dialect.lists(f))
    }
}

/// The tables that the examples speak of.
pub const EXAMPLE_STATE: &[&str] = &[
    "CREATE TABLE t(x TEXT, y INT, z INT)",
    "INSERT INTO t VALUES ('a', 1, 5), ('b', 2, 6), ('ab', 3, 5)",
    "CREATE TABLE u(w INT)",
    "INSERT INTO u VALUES (1), (2), (3)",
];

/// All rules, in the paper's three groups.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    table::RULES.iter().chain(structure::RULES).chain(predicate::RULES)
}

/// Those that find most, in the order of the choice among them.
pub fn productive() -> Vec<&'static Rule> {
    let mut found: Vec<&Rule> = rules().filter(|r| r.productive.is_some()).collect();
    found.sort_by_key(|r| r.productive);
    found
}

pub fn find(name: &str) -> Option<&'static Rule> {
    rules().find(|r| r.name == name)
}

/// A query on its way to an equivalent one, with what has to be added to the tables and what has to hold.
pub struct Mutant<'a> {
    pub query: Query,
    pub state: &'a [Statement],
    /// Shared until a statement is added, because it is kept aside before every rule.
    pub schema: Rc<Schema>,
    pub dialect: &'static Dialect,
    /// Statements to run before the mutated query.
    pub added: Vec<Statement>,
    /// Text to run that is no statement of the tree (copying rows into a new table).
    pub copies: Vec<(usize, String)>,
    pub guards: Vec<GuardQuery>,
    /// The base query's columns.
    pub columns: Vec<Column>,
    /// The query could not be read: only its tables can be mutated.
    pub only_text: bool,
    /// A limit that does not cut: at least as many rows as the answer has.
    pub limit: Option<u32>,
    names: u32,
}

pub struct Saved {
    query: Query,
    schema: Rc<Schema>,
    counts: [usize; 3],
    limit: Option<u32>,
    names: u32,
}

/// Something that must hold: of the answer to the base query, or of an answer asked for it.
pub enum GuardQuery {
    /// The base answer has no two equal rows.
    BaseHasNoDuplicates,
    BaseHasAtMost(u32),
    /// This query answers 0, or NULL. It is asked once so many of the added statements have been run.
    Zero {
        label: String,
        text: String,
        after: usize,
    },
}

impl<'a> Mutant<'a> {
    pub fn new(
        query: Query,
        columns: Vec<Column>,
        state: &'a [Statement],
        schema: &Schema,
        d: &'static Dialect,
    ) -> Self {
        Mutant {
            query,
            state,
            schema: Rc::new(schema.clone()),
            dialect: d,
            added: Vec::new(),
            copies: Vec::new(),
            guards: Vec::new(),
            columns,
            only_text: false,
            limit: None,
            names: 0,
        }
    }

    /// A name that nothing in the state or in generated queries has.
    pub fn name(&mut self, prefix: &str) -> Name {
        self.names += 1;
        format!("{prefix}_{}", self.names).into()
    }

    /// Adds a statement whose effect on the names is known.
    pub fn add(&mut self, statement: Statement) -> Option<()> {
        Rc::make_mut(&mut self.schema).apply(&statement, self.dialect).ok()?;
        self.added.push(statement);
        Some(())
    }

    pub fn select(&mut self) -> Option<&mut Select> {
        self.query.select_mut()
    }

    /// The conjuncts of the outermost WHERE.
    pub fn conjuncts(&self) -> Vec<Expr> {
        let filter = self.query.select().and_then(|s| s.filter.clone());
        let mut found = Vec::new();
        if let Some(filter) = filter {
            split(filter, &mut found);
        }
        found
    }

    pub fn set_conjuncts(&mut self, conjuncts: Vec<Expr>) -> Option<()> {
        self.select()?.filter = conjuncts.into_iter().reduce(Expr::and);
        Some(())
    }

    /// One more condition, true for every row: guarded by just that.
    pub fn and_true(&mut self, condition: Expr) -> Option<()> {
        let not_true = compare(Binary::Ne, choose(condition.clone(), 1, 0), Expr::int(1));
        self.guard_over_from("the added condition is true in every row", not_true)?;
        let mut conjuncts = self.conjuncts();
        conjuncts.push(condition);
        self.set_conjuncts(conjuncts)
    }

    /// Applies a rule to a query inside this one, and gives what became of it. A rule that wants to know the whole
    /// answer, or changes tables, is none for it.
    pub fn inside(
        &mut self,
        query: Query,
        columns: Vec<Column>,
        apply: impl FnOnce(&mut Mutant) -> Option<()>,
    ) -> Option<Query> {
        let mut inner = Mutant::new(query, columns, self.state, &self.schema, self.dialect);
        inner.names = self.names;
        apply(&mut inner)?;
        let reads_base = |g: &GuardQuery| !matches!(g, GuardQuery::Zero { .. });
        if inner.limit.is_some() || !inner.added.is_empty() || inner.guards.iter().any(reads_base) {
            return None;
        }
        self.names = inner.names;
        for mut guard in inner.guards {
            if let GuardQuery::Zero { after, .. } = &mut guard {
                *after = self.added.len();
            }
            self.guards.push(guard);
        }
        Some(inner.query)
    }

    /// What a rule may change, kept so that one that does not fit leaves no trace.
    pub fn save(&self) -> Saved {
        let counts = [self.added.len(), self.copies.len(), self.guards.len()];
        Saved { query: self.query.clone(), schema: self.schema.clone(), counts, limit: self.limit, names: self.names }
    }

    pub fn restore(&mut self, saved: Saved) {
        self.query = saved.query;
        self.schema = saved.schema;
        self.added.truncate(saved.counts[0]);
        self.copies.truncate(saved.counts[1]);
        self.guards.truncate(saved.counts[2]);
        self.limit = saved.limit;
        self.names = saved.names;
    }

    /// `e` is true for no row of FROM.
    pub fn guard_over_from(&mut self, label: &str, e: Expr) -> Option<()> {
        let select = self.query.select()?;
        if select.from.is_empty() {
            return None;
        }
        let items = vec![Item::bare(Expr::count_star())];
        // Inside CASE, out of the optimiser's reach.
        let inside = choose(e, 1, 0);
        let numeric = self.dialect.numeric_truth;
        let filter = Some(if numeric { inside } else { compare(Binary::Eq, inside, Expr::int(1)) });
        let mut query = Query::of(Select { items, from: select.from.clone(), filter, ..Select::default() });
        query.with = self.query.with.clone();
        typing::query(&query, &self.schema, self.dialect).ok()?;
        self.guard_zero(label, &query);
        Some(())
    }

    pub fn guard_zero(&mut self, label: &str, query: &Query) {
        self.guard_zero_text(label.into(), print::query(query, self.dialect));
    }

    /// What is added to the tables from here on is not there yet when the guard is asked.
    pub fn guard_zero_text(&mut self, label: String, text: String) {
        self.guards.push(GuardQuery::Zero { label, text, after: self.added.len() });
    }

    /// Base tables that the outermost FROM reads, with their places in it; all tables where the query is only text.
    pub fn tables(&self) -> Vec<(usize, Name)> {
        if self.only_text {
            return self.schema.tables.iter().filter(|t| !t.view).map(|t| (0, t.name.clone())).collect();
        }
        let Some(select) = self.query.select() else { return Vec::new() };
        let base = |name: &Name| self.schema.table(name).is_some_and(|t| !t.view);
        let members = select.from.iter().enumerate();
        members
            .filter_map(|(i, j)| match &j.source {
                Source::Table { name, .. } if base(name) => Some((i, name.clone())),
                _ => None,
            })
            .collect()
    }

    /// Joins that may leave a side without a partner.
    pub fn has_outer_join(&self) -> bool {
        let outer = |j: &Joined| j.join.keeps_left() || j.join.keeps_right();
        self.query.select().is_some_and(|s| s.from.iter().skip(1).any(outer))
    }

    pub fn merges_columns(&self) -> bool {
        self.query.select().is_some_and(|s| s.from.iter().skip(1).any(Joined::merges))
    }

    /// A plain list of rows: no groups, no aggregates, no order that a limit would depend on.
    pub fn is_plain(&self) -> bool {
        self.query.limit.is_none()
            && self.query.select().is_some_and(|s| {
                s.group_by.is_empty()
                    && s.having.is_none()
                    && !s.items.iter().any(|i| typing::contains_aggregate(&i.expr))
            })
    }

    /// Statements to run, the guards' questions, and the guards as they name their answers; the base answer is number 0
    /// and the guards' answers follow.
    pub fn script(&self) -> (Vec<Step>, Vec<Guard>) {
        let (mut steps, mut guards) = (Vec::new(), Vec::new());
        let mut added = self.added.iter().enumerate().map(|(i, statement)| {
            let copies = self.copies.iter().filter(move |(after, _)| *after == i);
            [print::step(statement, self.dialect)].into_iter().chain(copies.map(|(_, text)| Step::run(text)))
        });
        let (mut run, mut answer) = (0, 0);
        for guard in &self.guards {
            guards.push(match guard {
                GuardQuery::BaseHasNoDuplicates => Guard::NoDuplicates { query: 0 },
                GuardQuery::BaseHasAtMost(n) => Guard::RowsAtMost { query: 0, most: *n },
                GuardQuery::Zero { label, text, after } => {
                    steps.extend(added.by_ref().take(after.saturating_sub(run)).flatten());
                    run = run.max(*after);
                    answer += 1;
                    steps.push(Step::query(format!("must be 0: {label}"), text));
                    Guard::Zero { query: answer }
                }
            });
        }
        steps.extend(added.flatten());
        (steps, guards)
    }
}

fn split(e: Expr, found: &mut Vec<Expr>) {
    match e {
        Expr::Binary(Binary::And, a, b) => {
            split(*a, found);
            split(*b, found);
        }
        other => found.push(other),
    }
}

/// `CASE WHEN e THEN yes ELSE no END`.
pub fn choose(e: Expr, yes: i64, no: i64) -> Expr {
    Expr::Case { operand: None, arms: vec![(e, Expr::int(yes))], otherwise: Some(Box::new(Expr::int(no))) }
}

/// 1 for true, 0 for false, NULL for unknown.
pub fn truth(e: Expr) -> Expr {
    let arms = vec![(e.clone(), Expr::int(1)), (e.negate(), Expr::int(0))];
    Expr::Case { operand: None, arms, otherwise: None }
}

pub fn compare(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}

pub fn table_source(name: &Name, alias: &Name) -> Source {
    Source::Table { name: name.clone(), alias: alias.clone(), hint: Hint::None }
}

pub fn member(join: Join, source: Source, on: Option<Expr>) -> Joined {
    Joined { join, source, on, using: Vec::new() }
}
