//! MutaSQL (Chen, Wang and Cheung, DBTest 2020): a query and its tables are mutated so that the result on this data
//! must not change. The rules are in `lang/sql/rules`.
//!
//! Claim: after one to four mutations, `Q′(D′) = Q(D)`, provided that the guards (preconditions, checked by queries in
//! the same script) hold.
//!
//! ```sql
//! SELECT T.x, I.y FROM T, I WHERE T.x = I.y AND T.x = 12;
//! SELECT DISTINCT T.x, I.y FROM T, I, T AS T2                          -- no duplicates, and x is a key: the same rows
//!   WHERE T.x = I.y AND T.x = 12 AND T.x = T2.x AND T.x = T2.x;
//! ```

use super::{Derived, NOTHING, Needs, OracleSpec, PLAIN, Setting, equality, every};
use crate::sql::ast::*;
use crate::sql::generate::Generator;
use crate::sql::rules::{self, Mutant};
use crate::sql::rules_file::UserRule;
use crate::sql::{print, typing, walk};
use crate::user_rules::RuleRelation;
use qualm_core::case::Step;
use qualm_core::relation::{Equality, Order, Relation};

pub const SPEC: OracleSpec = OracleSpec {
    name: "mutasql",
    claim: "a query and its tables, rewritten by rules that hold on this data, return the same result",
    example: "SELECT x FROM t  =  SELECT DISTINCT x FROM t JOIN t AS k ON t.x = k.x, if x is a key of t here",
    weight: 3,
    scout: 0,
    propose,
    derive,
    mutates: true,
    needs: Needs { rules: &[RuleRelation::Same], seeds: true, ..NOTHING },
    every: Some(every::mutasql_questions),
    ..PLAIN
};

/// Mutations in one chain, and how often a rule that does not fit is replaced by another.
const CHAIN_MOST: usize = 4;
const TRIES: usize = 12;

fn propose(g: &mut Generator) -> Option<Question> {
    if !g.seed_texts.is_empty() && g.rng.chance(1, 4) {
        return propose_on_text(g);
    }
    let query = g.query();
    let wanted = g.rng.range(1, CHAIN_MOST);
    let fits = |r: &&rules::Rule| r.fits(g.profile);
    let all: Vec<&rules::Rule> = rules::rules().filter(fits).collect();
    let productive: Vec<&rules::Rule> = rules::productive().into_iter().filter(fits).collect();
    let rare: Vec<&rules::Rule> = all.iter().filter(|r| r.rare).copied().collect();
    let own: Vec<&UserRule> = g.user_rules.iter().filter(|r| r.text.relation.is_same()).collect();
    let mut rewrites = Vec::new();
    let columns = typing::query(&query, g.schema, g.dialect()).ok()?;
    let mut mutant = Mutant::new(query.clone(), columns, g.state, g.schema, g.dialect());
    if !rare.is_empty() && g.rng.chance(1, 3) {
        let (from, site) = (g.rng.below(rare.len()), g.rng.below(1 << NESTED_SHIFT) as u32);
        let rule = first_that_fits(&mut mutant, &rare, from, site as usize);
        rewrites.extend(rule.map(|r| Rewrite { rule: r.name.into(), site, extra: None, written: None }));
    }
    for _ in 0..TRIES {
        if rewrites.len() == wanted {
            break;
        }
        let mut site = g.rng.below(1 << NESTED_SHIFT) as u32;
        if !own.is_empty() && g.rng.coin() {
            let rule = *g.rng.pick(&own);
            if mutate_by_user(&mut mutant, rule, site as usize).is_some() {
                let written = Some(Box::new(rule.text.clone()));
                rewrites.push(Rewrite { rule: rule.name.clone(), site, extra: None, written });
            }
            continue;
        }
        // Two in three mutations are of those that find most.
        let choice = if g.rng.chance(2, 3) { &productive } else { &all };
        let rule = *g.rng.pick(choice);
        let inside = places_inside(&mutant.query);
        if inside > 0 && rule.group != rules::Group::Table && g.rng.chance(1, 3) {
            site += (g.rng.range(1, inside) as u32) << NESTED_SHIFT;
        }
        if mutate(&mut mutant, rule, site as usize).is_some() {
            rewrites.push(Rewrite { rule: rule.name.into(), site, extra: None, written: None });
        }
    }
    if rewrites.is_empty() {
        return None;
    }
    Some(Question { rewrites, ..Question::of(query, "mutations") })
}

/// Applies the first of these rules that the query has a form for, beginning with any of them.
fn first_that_fits<'r>(m: &mut Mutant, all: &[&'r rules::Rule], from: usize, pick: usize) -> Option<&'r rules::Rule> {
    let (later, sooner) = all.split_at(from);
    sooner.iter().chain(later).copied().find(|rule| mutate(m, rule, pick).is_some())
}

/// A query that could not be read as a tree keeps its text; its tables are mutated.
fn propose_on_text(g: &mut Generator) -> Option<Question> {
    let text = g.rng.pick(g.seed_texts).clone();
    let tables: Vec<&rules::Rule> = rules::table::RULES.iter().filter(|r| r.fits(g.profile)).collect();
    if tables.is_empty() {
        return None;
    }
    let rule = *g.rng.pick(&tables);
    let site = g.rng.below(1 << 16) as u32;
    let rewrites = vec![Rewrite { rule: rule.name.into(), site, extra: None, written: None }];
    let query = Query::of(Select { items: vec![Item::bare(Expr::null())], ..Select::default() });
    Some(Question { rewrites, text: Some(text), ..Question::of(query, "mutations") })
}

/// Words in a text after which the answer may depend on the plan: which rows a limit keeps, which row of a group a bare
/// column is from, in which order values are put together, what time it is.
#[rustfmt::skip]
const PLAN_DEPENDENT: &[&str] = &[
    "LIMIT", "GROUP", "OVER", "RANDOM", "RANDOMBLOB", "GROUP_CONCAT", "STRING_AGG", "JSON_GROUP_ARRAY",
    "JSON_GROUP_OBJECT", "SUM", "AVG", "TOTAL", "NOW", "ROWID", "_ROWID_", "OID", "CURRENT_TIME", "CURRENT_DATE",
    "CURRENT_TIMESTAMP", "MIN", "MAX", "DISTINCT", "UNION", "INTERSECT", "EXCEPT",
];

pub fn depends_on_plan(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|w| PLAN_DEPENDENT.contains(&w.to_uppercase().as_str()))
}

fn derive_on_text(text: &str, q: &Question, at: &Setting) -> Option<Derived> {
    if depends_on_plan(text) {
        return None;
    }
    let mut mutant = Mutant::new(q.query.clone(), Vec::new(), at.state, at.schema, at.dialect);
    mutant.only_text = true;
    for rewrite in &q.rewrites {
        let rule = rules::find(&rewrite.rule).filter(|r| r.group == rules::Group::Table)?;
        mutate(&mut mutant, rule, rewrite.site as usize)?;
    }
    let (steps, _) = mutant.script();
    let mut script = vec![Step::query("as it is", text)];
    script.extend(steps);
    script.push(Step::query("mutated", text));
    let claim = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    Some(Derived { script, claim })
}

/// Applies one rule, all of it or nothing, and checks that the outcome is still determined.
fn mutate(mutant: &mut Mutant, rule: &rules::Rule, pick: usize) -> Option<()> {
    let before = mutant.save();
    let applied = match pick >> NESTED_SHIFT {
        0 => (rule.apply)(mutant, pick),
        nested => mutate_inside(mutant, rule, nested - 1, pick & ((1 << NESTED_SHIFT) - 1)),
    };
    if applied.is_some() && typing::query(&mutant.query, &mutant.schema, mutant.dialect).is_ok() {
        return Some(());
    }
    mutant.restore(before);
    None
}

/// A site says in its low bits where a rule is applied, and in the others to which query: 0 is the whole, the others
/// are those inside it in the order in which they are written, then the arms of compounds, then the views it reads.
pub const NESTED_SHIFT: u32 = 16;

/// At most so many queries, arms and views are inside a query.
pub fn places_inside(query: &Query) -> usize {
    let mut places = 0;
    walk::each_query(query, &mut |_| places += 1);
    walk::each_select(query, &mut |s| {
        places += s.from.iter().filter(|j| matches!(j.source, Source::Table { .. })).count();
    });
    // The whole is one of them.
    places - 1 + arms(query).len()
}

/// The SELECTs of which compounds are made.
fn arms(query: &Query) -> Vec<Select> {
    let mut found = Vec::new();
    walk::each_query(query, &mut |q| {
        if matches!(q.body, Body::Compound { .. }) && q.with.is_empty() {
            walk_arms(&q.body, &mut found);
        }
    });
    found
}

fn walk_arms(body: &Body, found: &mut Vec<Select>) {
    match body {
        Body::Select(s) => found.push((**s).clone()),
        Body::Compound { left, right, .. } => {
            walk_arms(left, found);
            walk_arms(right, found);
        }
        Body::Values(_) => {}
    }
}

/// The same inside a subquery or a table of WITH that stands for itself, an arm of a compound or a view.
fn mutate_inside(mutant: &mut Mutant, rule: &rules::Rule, nested: usize, pick: usize) -> Option<()> {
    let mut queries = Vec::new();
    walk::each_query(&mutant.query, &mut |q| queries.push(q.clone()));
    let Some(inner) = queries.get(nested + 1).cloned() else {
        let nested = nested + 1 - queries.len();
        let arms = arms(&mutant.query);
        return match arms.get(nested) {
            Some(arm) => mutate_arm(mutant, rule, arm, pick),
            None => mutate_view(mutant, rule, nested - arms.len(), pick),
        };
    };
    let columns = typing::query(&inner, &mutant.schema, mutant.dialect).ok()?;
    let changed = changed_alone(mutant, inner, columns, rule, pick)?;
    let mut at = 0;
    walk::each_query_mut(&mut mutant.query, &mut |q| {
        if at == nested + 1 {
            *q = changed.clone();
        }
        at += 1;
    });
    Some(())
}

/// A query that stands for itself, changed by a rule. It must still stand for itself: a name that the change took away
/// would be looked for in the queries around it.
fn changed_alone(
    mutant: &mut Mutant,
    query: Query,
    columns: Vec<typing::Column>,
    rule: &rules::Rule,
    pick: usize,
) -> Option<Query> {
    let changed = mutant.inside(query, columns, |inner| (rule.apply)(inner, pick))?;
    typing::query(&changed, &mutant.schema, mutant.dialect).is_ok().then_some(changed)
}

/// Every arm like this one, as long as what becomes of it is an arm.
fn mutate_arm(mutant: &mut Mutant, rule: &rules::Rule, arm: &Select, pick: usize) -> Option<()> {
    let inner = Query::of(arm.clone());
    let columns = typing::query(&inner, &mutant.schema, mutant.dialect).ok()?;
    let changed = changed_alone(mutant, inner, columns, rule, pick)?;
    let (Body::Select(changed), true) = (changed.body, changed.with.is_empty() && changed.order_by.is_empty()) else {
        return None;
    };
    walk::each_query_mut(&mut mutant.query, &mut |q| {
        if matches!(q.body, Body::Compound { .. }) {
            replace_arm(&mut q.body, arm, &changed);
        }
    });
    Some(())
}

fn replace_arm(body: &mut Body, arm: &Select, changed: &Select) {
    match body {
        Body::Select(s) if **s == *arm => **s = changed.clone(),
        Body::Compound { left, right, .. } => {
            replace_arm(left, arm, changed);
            replace_arm(right, arm, changed);
        }
        Body::Select(_) | Body::Values(_) => {}
    }
}

/// A view that is read gives way to one over a mutated query.
fn mutate_view(mutant: &mut Mutant, rule: &rules::Rule, nth: usize, pick: usize) -> Option<()> {
    // A view keeps the columns that there were when it was made, and a table of WITH hides one of its name.
    let mut names_tables = false;
    walk::each_query(&mutant.query, &mut |q| names_tables |= !q.with.is_empty());
    if names_tables || mutant.state.iter().any(Statement::alters_columns) {
        return None;
    }
    let mut views: Vec<&CreateView> = Vec::new();
    walk::each_select(&mutant.query, &mut |s| {
        for name in s.from.iter().filter_map(|j| j.source.table()) {
            let defines = |s: &'_ Statement| matches!(s, Statement::CreateView(v) if v.name == *name);
            if let Some(Statement::CreateView(v)) = mutant.state.iter().find(|s| defines(s))
                && !views.iter().any(|known| known.name == v.name)
            {
                views.push(v);
            }
        }
    });
    let view = *views.get(nth)?;
    let columns = typing::query(&view.query, &mutant.schema, mutant.dialect).ok()?;
    let changed = changed_alone(mutant, view.query.clone(), columns, rule, pick)?;
    let shown = |q: &Query| typing::query(q, &mutant.schema, mutant.dialect).map(names).ok();
    let kept = shown(&changed)? == shown(&view.query)?;
    let known = mutant.schema.table(&view.name)?.columns.to_vec();
    let columns = if kept { view.columns.clone() } else { names(known) };
    if columns.iter().any(|c| c.is_empty()) {
        return None;
    }
    let (old, name) = (view.name.clone(), mutant.name("mv"));
    mutant.add(Statement::CreateView(CreateView { name: name.clone(), columns, query: changed }))?;
    walk::each_select_mut(&mut mutant.query, &mut |s| {
        for member in &mut s.from {
            if let Source::Table { name: read, .. } = &mut member.source
                && *read == old
            {
                *read = name.clone();
            }
        }
    });
    Some(())
}

fn names(columns: Vec<typing::Column>) -> Vec<Name> {
    columns.into_iter().map(|c| c.name).collect()
}

/// The same with a rule that the user wrote; its precondition becomes a guard.
fn mutate_by_user(mutant: &mut Mutant, rule: &UserRule, pick: usize) -> Option<()> {
    let sites = rule.sites(&mutant.query, &mutant.schema);
    let before = mutant.save();
    let applied = rule.apply(pick.checked_rem(sites)?, &mut mutant.query);
    if let Some(applied) = applied
        && typing::query(&mutant.query, &mutant.schema, mutant.dialect).is_ok()
    {
        if let Some(precondition) = applied.precondition {
            let (label, text) = precondition.guard(&rule.name);
            mutant.guard_zero_text(label, text);
        }
        return Some(());
    }
    mutant.restore(before);
    None
}

fn derive(q: &Question, at: &Setting) -> Option<Derived> {
    if let Some(text) = &q.text {
        return derive_on_text(text, q, at);
    }
    let columns = typing::query(&q.query, at.schema, at.dialect).ok()?;
    if columns.is_empty() || q.rewrites.is_empty() {
        return None;
    }
    let mut mutant = Mutant::new(q.query.clone(), columns, at.state, at.schema, at.dialect);
    for rewrite in &q.rewrites {
        match &rewrite.written {
            Some(text) => {
                let rule = UserRule::of_text(&rewrite.rule, text, at.dialect).filter(|r| r.text.relation.is_same())?;
                mutate_by_user(&mut mutant, &rule, rewrite.site as usize)?;
            }
            None => mutate(&mut mutant, rules::find(&rewrite.rule)?, rewrite.site as usize)?,
        }
    }
    let after = typing::query(&mutant.query, &mutant.schema, at.dialect).ok()?;
    if after.len() != mutant.columns.len() {
        return None;
    }
    let loose = equality(&mutant.columns) == Equality::Loose || equality(&after) == Equality::Loose;
    let equality = if loose { Equality::Loose } else { Equality::Exact };
    // Rules may take an order away, or move it into a subquery, where it no longer counts.
    let kept = mutant.query.order_by == q.query.order_by;
    let order = if kept { super::order(&q.query, at) } else { Order::Bag };
    let (steps, guards) = mutant.script();
    let mut script = vec![Step::query("as it is", print::query(&q.query, at.dialect))];
    script.extend(steps);
    let mut last = mutant.query.clone();
    if let Some(count) = mutant.limit {
        last.limit = Some(Limit { count, offset: None });
    }
    script.push(Step::query("mutated", print::query(&last, at.dialect)));
    let right = script.iter().filter(|s| s.is_query()).count() - 1;
    let same = Relation::Same { left: 0, right, order, equality };
    let claim = if guards.is_empty() { same } else { Relation::Guarded { guards, claim: Box::new(same) } };
    Some(Derived { script, claim })
}
