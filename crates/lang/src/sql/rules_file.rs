//! Rewrite rules that a user writes, without Rust, in a TOML file:
//!
//! ```toml
//! [[rule]]
//! name = "no-nulls-here"
//! over = "predicate"
//! pattern = "$C = $e"
//! replacement = "$C = $e AND $C IS NOT NULL"
//! relation = "same"
//! precondition = "SELECT count(*) FROM $T WHERE $C IS NULL"
//! expect = 0
//! ```
//!
//! Metavariables stand for parts of a query: `$p` a predicate, `$e` an expression, `$C` a column, `$L` a literal, `$T`
//! a table; a number may follow (`$e2`). The precondition is asked of the same database; the rule claims something only
//! where the answer is `expect`. In it, `$T` is the table that the columns of the pattern belong to; a column that an
//! outer join may fill with NULL has none. With `relation = "contains"` the replacement is at least as true as the
//! pattern (false, unknown, true in this order), with `"contained"` at most.

use super::ast::*;
use super::generate::Generator;
use super::parse::{self, What};
use super::typing::Schema;
use super::{print, walk};
use crate::user_rules::{self, WrittenRule, Wrong};
use qualm_core::dialect::sql::{Dialect, Kind};
use qualm_core::explore::NamedText;
use std::collections::BTreeMap;

#[derive(Clone)]
pub struct UserRule {
    pub name: Name,
    pub text: RuleText,
    shape: Shape,
    precondition: Option<(Query, i64)>,
    dialect: &'static Dialect,
}

impl std::fmt::Debug for UserRule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}: {} -> {}", self.name, self.text.pattern, self.text.replacement)
    }
}

#[derive(Clone, Debug)]
enum Shape {
    Expr { pattern: Expr, replacement: Expr },
    Table { pattern: Name, replacement: Source },
}

/// What was done to a query.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    pub precondition: Option<Precondition>,
}

/// A question whose answer, one integer, must be this for the rule to claim anything.
#[derive(Clone, Debug, PartialEq)]
pub struct Precondition {
    pub sql: String,
    pub expect: i64,
}

impl Precondition {
    /// What it is called in a script, and a query that returns 0 where it holds.
    pub fn guard(&self, rule: &str) -> (String, String) {
        let label = format!("the precondition of '{rule}' does not return {}", self.expect);
        (label, format!("SELECT CASE WHEN ({}) = {} THEN 0 ELSE 1 END", self.sql, self.expect))
    }
}

// ---------------------------------------------------------------- reading

const OVER: &[(&str, Over)] =
    &[("predicate", Over::Predicate), ("expression", Over::Expression), ("table", Over::Table)];

/// Errors say file, line, what is wrong and what to do.
pub fn read(source: &NamedText, dialect: &'static Dialect) -> Result<Vec<UserRule>, String> {
    user_rules::read(source, super::LANGUAGE, |w, at| one_rule(w, at, dialect))
}

fn one_rule(w: &WrittenRule, at: usize, dialect: &'static Dialect) -> Result<UserRule, Wrong> {
    let (relation, over) = (w.relation()?, w.over(OVER)?);
    if !relation.is_same() && over != Over::Predicate {
        let why =
            format!("rule '{}': only a rule over predicates may have another relation than \"same\"", w.name.get_ref());
        return Err((at, why));
    }
    let precondition = match (&w.precondition, &w.expect) {
        (None, None) => None,
        (Some(sql), Some(expect)) => Some((sql.get_ref().clone(), *expect.get_ref())),
        (Some(sql), None) => return Err(w.wrong(sql, "precondition", "add the expected result: expect = 0")),
        (None, Some(_)) => {
            return Err((at, format!("rule '{}' has 'expect' but no 'precondition'", w.name.get_ref())));
        }
    };
    let text = RuleText {
        over,
        relation,
        pattern: w.pattern.get_ref().clone(),
        replacement: w.replacement.get_ref().clone(),
        precondition,
    };
    let rule = UserRule::of(w.name.get_ref(), &text, dialect).map_err(|(part, why)| match (part, &w.precondition) {
        (Part::Pattern, _) => w.wrong(&w.pattern, "pattern", &why),
        (Part::Precondition, Some(sql)) => w.wrong(sql, "precondition", &why),
        _ => w.wrong(&w.replacement, "replacement", &why),
    })?;
    rule.check_variables(w)?;
    Ok(rule)
}

/// The part of a rule that is wrong.
enum Part {
    Pattern,
    Replacement,
    Precondition,
}

/// A member of FROM on its own.
fn member(text: &str, dialect: &'static Dialect) -> Result<Source, String> {
    let What::Query(mut q) = parse::one(&format!("SELECT * FROM {text}"), dialect) else {
        return Err("not a table or a query in parentheses".into());
    };
    let plain = q.select_mut().filter(|s| s.filter.is_none() && s.group_by.is_empty() && s.from.len() == 1);
    let source = plain.and_then(|s| s.from.pop()).map(|j| j.source);
    source.ok_or_else(|| "write one table or one query in parentheses".into())
}

/// The letters of metavariables, and what each may stand for.
const VARIABLES: &str = "$p (predicate), $e (expression), $C (column), $L (literal), $T (table)";

/// The kind of a metavariable: its letter.
fn variable(name: &str) -> Option<char> {
    let mut chars = name.strip_prefix('$')?.chars();
    let letter = chars.next()?;
    ("peCLT".contains(letter) && chars.all(|c| c.is_ascii_digit())).then_some(letter)
}

fn variables(tree: &(impl walk::Tree + ?Sized), found: &mut Vec<Name>) {
    walk::each_expr(tree, &mut |e| {
        if let Expr::Column { table, column } = e {
            found.extend([table, column].into_iter().filter(|n| n.starts_with('$')).cloned());
        }
    });
    walk::each_select(tree, &mut |s| {
        for j in &s.from {
            if let Source::Table { name, .. } = &j.source {
                found.extend(Some(name.clone()).filter(|n| n.starts_with('$')));
            }
        }
    });
}

impl UserRule {
    /// A rule from its text, as a case holds it.
    pub fn of_text(name: &str, text: &RuleText, dialect: &'static Dialect) -> Option<UserRule> {
        UserRule::of(name, text, dialect).ok()
    }

    fn of(name: &str, text: &RuleText, dialect: &'static Dialect) -> Result<UserRule, (Part, String)> {
        let pattern_wrong = |why: String| (Part::Pattern, why);
        let replacement_wrong = |why: String| (Part::Replacement, why);
        let shape = match text.over {
            Over::Table => {
                let Source::Table { name: pattern, .. } = member(&text.pattern, dialect).map_err(pattern_wrong)? else {
                    return Err(pattern_wrong("a pattern over tables must be $T or the name of a table".into()));
                };
                Shape::Table { pattern, replacement: member(&text.replacement, dialect).map_err(replacement_wrong)? }
            }
            Over::Predicate | Over::Expression => Shape::Expr {
                pattern: parse::expression(&text.pattern, dialect).map_err(pattern_wrong)?,
                replacement: parse::expression(&text.replacement, dialect).map_err(replacement_wrong)?,
            },
        };
        let precondition = match &text.precondition {
            None => None,
            Some((sql, expect)) => match parse::one(sql, dialect) {
                What::Query(q) => Some((q, *expect)),
                What::Unread(why) => return Err((Part::Precondition, why)),
                What::Statement(_) => {
                    return Err((Part::Precondition, "must be a query that returns one number".into()));
                }
            },
        };
        Ok(UserRule { name: name.into(), text: text.clone(), shape, precondition, dialect })
    }

    /// What replacement and precondition speak of must be in the pattern.
    fn check_variables(&self, w: &WrittenRule) -> Result<(), Wrong> {
        let (mut given, mut used) = (Vec::new(), Vec::new());
        match &self.shape {
            Shape::Expr { pattern, replacement } => {
                variables(pattern, &mut given);
                variables(replacement, &mut used);
            }
            Shape::Table { pattern, replacement } => {
                given.extend(Some(pattern.clone()).filter(|n| n.starts_with('$')));
                match replacement {
                    Source::Table { name, .. } => used.extend(Some(name.clone()).filter(|n| n.starts_with('$'))),
                    Source::Query { query, .. } => variables(query.as_ref(), &mut used),
                }
            }
        }
        let unknown = |names: &[Name]| names.iter().find(|n| variable(n).is_none()).cloned();
        if let Some(name) = unknown(&given) {
            let why =
                format!("unknown metavariable '{name}'; known ones: {VARIABLES}, optionally followed by a number");
            return Err((w.pattern.span().start, why));
        }
        if let Some(name) = used.iter().find(|n| !given.contains(n)) {
            let why = format!("'{name}' is in the replacement of rule '{}' but not in its pattern", self.name);
            return Err((w.replacement.span().start, why));
        }
        let (Some((query, _)), Some(sql)) = (&self.precondition, &w.precondition) else { return Ok(()) };
        let mut asked = Vec::new();
        variables(query, &mut asked);
        let columns = given.iter().any(|n| variable(n) == Some('C'));
        let implied = |n: &Name| n == "$T" && columns;
        if let Some(name) = asked.iter().find(|n| !given.contains(n) && !implied(n)) {
            let why = format!("'{name}' is in the precondition of rule '{}' but not in its pattern", self.name);
            return Err((sql.span().start, why));
        }
        Ok(())
    }

    // ------------------------------------------------------------ applying

    /// In how many places of a query this rule can be applied.
    pub fn sites(&self, query: &Query, _schema: &Schema) -> usize {
        self.places(query).len()
    }

    /// Rewrites one of the places. Nothing where there is none or where the precondition cannot be asked.
    pub fn apply(&self, site: usize, query: &mut Query) -> Option<Applied> {
        let place = *self.places(query).get(site)?;
        let bound = match &self.shape {
            Shape::Expr { .. } => {
                let mut e = walk::expr_at(query, place)?;
                let applied = self.rewrite(&mut e, query)?;
                walk::replace_expr(query, place, e)?;
                return Some(applied);
            }
            Shape::Table { pattern, replacement } => {
                let mut bound = None;
                let mut at = 0;
                walk::each_select_mut(query, &mut |s| {
                    for j in &mut s.from {
                        if at == place {
                            bound = replace_source(&mut j.source, pattern, replacement);
                        }
                        at += 1;
                    }
                });
                bound?
            }
        };
        self.asked(&bound)
    }

    /// Rewrites this expression, which stands in the query, if it fits.
    pub fn rewrite(&self, e: &mut Expr, query: &Query) -> Option<Applied> {
        let Shape::Expr { pattern, replacement } = &self.shape else { return None };
        let mut bound = Bound::default();
        if !bound.fits(pattern, e) {
            return None;
        }
        bound.imply_tables(query);
        let mut new = replacement.clone();
        bound.fill(&mut new)?;
        *e = new;
        self.asked(&bound)
    }

    fn asked(&self, bound: &Bound) -> Option<Applied> {
        let precondition = match &self.precondition {
            None => None,
            Some((asked, expect)) => {
                let mut asked = asked.clone();
                bound.fill_query(&mut asked)?;
                Some(Precondition { sql: print::query(&asked, self.dialect), expect: *expect })
            }
        };
        Some(Applied { precondition })
    }

    /// Sites of expressions, or positions among all members of FROM.
    fn places(&self, query: &Query) -> Vec<usize> {
        let mut places = Vec::new();
        match &self.shape {
            Shape::Expr { pattern, .. } => {
                let truths = if self.text.over == Over::Predicate { truth_places(query) } else { Vec::new() };
                let mut at = 0;
                walk::each_expr(query, &mut |e| {
                    let here: *const Expr = e;
                    let allowed = self.text.over == Over::Expression || truths.contains(&here);
                    if allowed && Bound::default().fits(pattern, e) {
                        places.push(at);
                    }
                    at += 1;
                });
            }
            Shape::Table { pattern, .. } => {
                let mut at = 0;
                walk::each_select(query, &mut |s| {
                    for j in &s.from {
                        if table_fits(&j.source, pattern) {
                            places.push(at);
                        }
                        at += 1;
                    }
                });
            }
        }
        places
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.dialect
    }

    /// A query with the pattern itself in it, so that every rule is met.
    pub fn query(&self, g: &mut Generator) -> Option<Query> {
        let from = g.outer_from(2);
        let instance = self.instance(g)?;
        let mut select = Select { items: g.items(2), from, ..Select::default() };
        if self.text.over == Over::Expression && g.rng.coin() {
            select.items.push(Item::bare(instance));
        } else {
            select.filter = Some(instance);
        }
        g.scope.clear();
        Some(Query::of(select))
    }

    /// The pattern with something random in place of each metavariable, over what the generator has in scope.
    pub fn instance(&self, g: &mut Generator) -> Option<Expr> {
        let Shape::Expr { pattern, .. } = &self.shape else { return None };
        let mut names = Vec::new();
        variables(pattern, &mut names);
        let mut bound = Bound::default();
        for name in names.into_iter().filter(|n| variable(n) != Some('T')) {
            let kind = *g.rng.pick(&[Kind::Int, Kind::Text, Kind::Real]);
            let expr = match variable(&name)? {
                'p' => g.predicate(1),
                'C' => g.items(1).pop().map(|i| i.expr).filter(|e| matches!(e, Expr::Column { .. }))?,
                'L' => g.literal(kind),
                _ => g.value(kind, 1),
            };
            bound.exprs.entry(name).or_insert(expr);
        }
        let mut instance = pattern.clone();
        bound.fill(&mut instance)?;
        Some(instance)
    }
}

fn table_fits(source: &Source, pattern: &Name) -> bool {
    match source {
        Source::Table { name, hint: Hint::None, .. } => {
            variable(pattern) == Some('T') || name.eq_ignore_ascii_case(pattern)
        }
        _ => false,
    }
}

/// The new member keeps the alias, so that the rest of the query need not know.
fn replace_source(source: &mut Source, pattern: &Name, replacement: &Source) -> Option<Bound> {
    let Source::Table { name, alias, .. } = source else { return None };
    let mut bound = Bound::default();
    bound.tables.insert(pattern.clone(), (name.clone(), name.clone()));
    let alias = alias.clone();
    *source = match replacement {
        Source::Table { name, hint, .. } => {
            let name = bound.tables.get(name).map_or(name, |(n, _)| n).clone();
            Source::Table { name, alias, hint: hint.clone() }
        }
        Source::Query { query, .. } => {
            let mut query = query.clone();
            bound.fill_query(&mut query)?;
            Source::Query { query, alias }
        }
    };
    Some(bound)
}

/// Expressions of which only the truth counts, by address.
fn truth_places(query: &Query) -> Vec<*const Expr> {
    fn mark(e: &Expr, found: &mut Vec<*const Expr>) {
        found.push(e);
        match e {
            Expr::Binary(Binary::And | Binary::Or, a, b) => {
                mark(a, found);
                mark(b, found);
            }
            Expr::Unary(Unary::Not, x) | Expr::IsTruth { expr: x, .. } => mark(x, found),
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk::each_select(query, &mut |s| {
        let ons = s.from.iter().skip(1).filter_map(|j| j.on.as_ref());
        s.filter.iter().chain(ons).chain(&s.having).for_each(|e| mark(e, &mut found));
    });
    found
}

// ---------------------------------------------------------------- what metavariables stand for

#[derive(Default)]
struct Bound {
    exprs: BTreeMap<Name, Expr>,
    /// Aliases that `$T` stands for in `$T.$C`.
    aliases: BTreeMap<Name, Name>,
    /// Name and alias.
    tables: BTreeMap<Name, (Name, Name)>,
}

impl Bound {
    fn fits(&mut self, pattern: &Expr, e: &Expr) -> bool {
        if let Expr::Column { table, column } = pattern {
            let name_fits = |p: &Name, n: &Name| p.eq_ignore_ascii_case(n);
            let Some(kind) = variable(column) else {
                let Expr::Column { table: t, column: c } = e else { return false };
                return name_fits(column, c) && (table.is_empty() || name_fits(table, t));
            };
            let allowed = match (kind, e) {
                ('C', Expr::Column { table: t, .. }) if variable(table).is_some() => {
                    self.aliases.entry(table.clone()).or_insert_with(|| t.clone()) == t
                }
                ('C', Expr::Column { table: t, .. }) => table.is_empty() || name_fits(table, t),
                ('L', e) => matches!(e, Expr::Literal(_)),
                ('C' | 'T', _) => false,
                (_, e) => !matches!(e, Expr::Row(_)),
            };
            return allowed && self.exprs.entry(column.clone()).or_insert_with(|| e.clone()) == e;
        }
        if std::mem::discriminant(pattern) != std::mem::discriminant(e) {
            return false;
        }
        let (below, there) = (parts(pattern), parts(e));
        // Equal but for what stands below, and that fits piece by piece.
        below.0.len() == there.0.len()
            && without_parts(pattern) == without_parts(e)
            && below.1 == there.1
            && below.0.iter().zip(&there.0).all(|(p, x)| self.fits(p, x))
    }

    /// Which tables the aliases are of. `$T` on its own is the table of all columns, where it is one and the same.
    fn imply_tables(&mut self, query: &Query) {
        let mut aliases: Vec<&Name> = self.exprs.values().filter_map(alias_of).collect();
        aliases.sort();
        aliases.dedup();
        if let ([alias], false) = (aliases.as_slice(), self.aliases.contains_key("$T")) {
            self.aliases.insert("$T".into(), (*alias).clone());
        }
        for (variable, alias) in &self.aliases {
            if let Some(name) = base_table(query, alias) {
                self.tables.insert(variable.clone(), (name, alias.clone()));
            }
        }
    }

    /// Puts what metavariables stand for in their places.
    fn fill(&self, e: &mut Expr) -> Option<()> {
        if let Expr::Column { column, .. } = e
            && variable(column).is_some()
        {
            *e = self.exprs.get(column)?.clone();
            return Some(());
        }
        let mut filled = Some(());
        walk::expr_parts_mut(e, &mut |part| {
            let below = match part {
                walk::PartMut::Expr(x) => self.fill(x),
                walk::PartMut::Query(q) => self.fill_query(q),
            };
            filled = filled.and(below);
        });
        filled
    }

    fn fill_query(&self, query: &mut Query) -> Option<()> {
        let mut filled = Some(());
        walk::each_select_mut(query, &mut |s| {
            for j in &mut s.from {
                if let Source::Table { name, alias, .. } = &mut j.source
                    && variable(name).is_some()
                {
                    let Some((n, a)) = self.tables.get(name) else {
                        filled = None;
                        continue;
                    };
                    // An alias that the rule gives itself stays.
                    if alias == name {
                        *alias = a.clone();
                    }
                    *name = n.clone();
                }
            }
        });
        let mut complete = true;
        walk::each_expr_mut(query, &mut |e| {
            if let Expr::Column { column, .. } = e
                && variable(column).is_some()
            {
                match self.exprs.get(column) {
                    Some(bound) => *e = bound.clone(),
                    None => complete = false,
                }
            }
        });
        filled.filter(|()| complete)
    }
}

fn alias_of(e: &Expr) -> Option<&Name> {
    match e {
        Expr::Column { table, .. } => Some(table),
        _ => None,
    }
}

/// The table behind an alias, if only one is meant and it is no query or WITH. None where an outer join may add rows
/// of NULL to it: what a precondition finds in the table is not all that the query sees then.
fn base_table(query: &Query, alias: &Name) -> Option<Name> {
    let mut found: Vec<Option<Name>> = Vec::new();
    let mut ctes: Vec<Name> = Vec::new();
    walk::each_query(query, &mut |q| ctes.extend(q.with.iter().map(|c| c.name.clone())));
    walk::each_select(query, &mut |s| {
        for (i, j) in s.from.iter().enumerate().filter(|(_, j)| j.source.alias() == alias) {
            found.push(match &j.source {
                Source::Table { name, .. } if !ctes.contains(name) && !padded(&s.from, i) => Some(name.clone()),
                _ => None,
            });
        }
    });
    match found.as_mut_slice() {
        [only] => only.take(),
        _ => None,
    }
}

/// Whether an outer join may put NULL in place of a row of this member.
fn padded(from: &[Joined], at: usize) -> bool {
    let left = at > 0 && from[at].join.keeps_left();
    left || from[at + 1..].iter().any(|j| j.join.keeps_right())
}

/// The direct operands of an expression, and the queries below it.
fn parts(e: &Expr) -> (Vec<Expr>, Vec<Query>) {
    let (mut exprs, mut queries) = (Vec::new(), Vec::new());
    let mut copy = e.clone();
    walk::expr_parts_mut(&mut copy, &mut |part| match part {
        walk::PartMut::Expr(x) => exprs.push(x.clone()),
        walk::PartMut::Query(q) => queries.push(q.clone()),
    });
    (exprs, queries)
}

/// The expression itself, with nothing below it.
fn without_parts(e: &Expr) -> Expr {
    let mut copy = e.clone();
    walk::expr_parts_mut(&mut copy, &mut |part| {
        if let walk::PartMut::Expr(x) = part {
            *x = Expr::null();
        }
    });
    copy
}

#[cfg(test)]
mod tests;
