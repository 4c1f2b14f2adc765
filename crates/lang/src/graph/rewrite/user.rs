//! Rewrite rules that a user writes in TOML: a condition in a filter becomes another one.
//!
//! ```toml
//! language = "graph"
//!
//! [[rule]]
//! name = "either-way"
//! over = "predicate"
//! pattern = "$e1 <= $e2"
//! replacement = "NOT ($e1 > $e2)"
//! relation = "same"
//! ```
//!
//! Patterns are written as Cypher writes expressions, for traversals too. A rule with the relation `same` is used
//! wherever only truth counts; one with `contains` or `contained` where nothing but AND and OR stands around it, in a
//! filter of a MATCH that is not optional, so that the whole query has more or fewer rows.

use crate::graph::ast::*;
use crate::graph::check;
use crate::graph::express::Generator;
use crate::graph::rewrite::user_text::{self, variable};
use crate::user_rules::{self, Part, UserText};
use qualm_core::dialect::graph::Kind;
use qualm_core::explore::NamedText;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub struct UserRule {
    pub name: String,
    pub text: UserText,
    pattern: Expr,
    replacement: Expr,
}

pub fn read(source: &NamedText) -> Result<Vec<UserRule>, String> {
    user_rules::read(source, crate::graph::LANGUAGE, |w, _| w.plain("predicate", UserRule::of))
}

fn variables(e: &Expr) -> Vec<String> {
    let mut found = Vec::new();
    e.each(&mut |e| {
        if let Expr::Var(v) = e
            && !found.contains(v)
        {
            found.push(v.clone());
        }
    });
    found
}

impl UserRule {
    pub fn of(name: &str, text: &UserText) -> Result<UserRule, (Part, String)> {
        let pattern = user_text::read(&text.pattern).map_err(|why| (Part::Pattern, why))?;
        let replacement = user_text::read(&text.replacement).map_err(|why| (Part::Replacement, why))?;
        let given = variables(&pattern);
        if let Some(v) = variables(&replacement).iter().find(|v| !given.contains(v)) {
            return Err((Part::Replacement, format!("'{v}' is not in the pattern")));
        }
        Ok(UserRule { name: name.into(), text: text.clone(), pattern, replacement })
    }

    /// The query once for each place where the rule fits, rewritten there.
    pub fn variants(&self, query: &Query) -> Vec<Query> {
        if !self.text.relation.is_same() && query.items.iter().any(check::is_aggregate) {
            return Vec::new();
        }
        let mut made = Vec::new();
        for clause in 0..query.clauses.len() {
            for at in 0.. {
                let mut next = query.clone();
                let mut left = at;
                let filter = match &mut next.clauses[clause] {
                    Clause::Match { optional: true, .. } if !self.text.relation.is_same() => None,
                    Clause::Match { filter, .. } | Clause::With { filter } => filter.as_mut(),
                    Clause::Unwind { .. } | Clause::Call { .. } => None,
                };
                match filter.and_then(|e| self.rewrite(e, &mut left)) {
                    Some(true) => made.push(next),
                    Some(false) => {}
                    None => break,
                }
            }
        }
        made
    }

    /// Goes to one of the truth values of a filter; nothing when there are no more of them, otherwise whether the rule
    /// fitted there.
    fn rewrite(&self, e: &mut Expr, left: &mut usize) -> Option<bool> {
        if *left == 0 {
            let mut bound = BTreeMap::new();
            if !fits(&self.pattern, e, &mut bound) {
                return Some(false);
            }
            *e = filled(&self.replacement, &bound);
            return Some(true);
        }
        *left -= 1;
        match e {
            Expr::And(a, b) | Expr::Or(a, b) => self.rewrite(a, left).or_else(|| self.rewrite(b, left)),
            Expr::Xor(a, b) if self.text.relation.is_same() => self.rewrite(a, left).or_else(|| self.rewrite(b, left)),
            Expr::Not(a) if self.text.relation.is_same() => self.rewrite(a, left),
            _ => None,
        }
    }

    /// The pattern with something random in place of each metavariable, over what the generator has in scope.
    pub fn instance(&self, g: &mut Generator) -> Option<Expr> {
        let kind = *g.rng.pick(&[Kind::Int, Kind::Text, Kind::Float]);
        let mut bound = BTreeMap::new();
        for name in variables(&self.pattern) {
            let made = match variable(&name)? {
                'p' => g.predicate(1),
                'P' => g.some_property(&|kinds| kinds.contains(&kind))?.0,
                'L' => Expr::Literal(g.literal(kind)),
                _ => g.expr(kind, 1),
            };
            bound.insert(name, made);
        }
        Some(filled(&self.pattern, &bound))
    }
}

type Bound = BTreeMap<String, Expr>;

fn fits(pattern: &Expr, e: &Expr, bound: &mut Bound) -> bool {
    if let Expr::Var(name) = pattern
        && let Some(letter) = variable(name)
    {
        let allowed = match letter {
            'P' => matches!(e, Expr::Property(..)),
            'L' => matches!(e, Expr::Literal(_)),
            _ => true,
        };
        return allowed && bound.entry(name.clone()).or_insert_with(|| e.clone()) == e;
    }
    let (below, there) = (pattern.children(), e.children());
    below.len() == there.len()
        && bare(pattern) == bare(e)
        && below.into_iter().zip(there).all(|(p, x)| fits(p, x, bound))
}

/// The expression itself, with nothing below it.
fn bare(e: &Expr) -> Expr {
    let mut copy = e.clone();
    copy.children_mut().into_iter().for_each(|c| *c = Expr::Literal(Literal::Null));
    copy
}

fn filled(e: &Expr, bound: &Bound) -> Expr {
    if let Expr::Var(name) = e
        && let Some(by) = bound.get(name)
    {
        return by.clone();
    }
    let mut copy = e.clone();
    copy.children_mut().into_iter().for_each(|c| *c = filled(c, bound));
    copy
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_rules::RuleRelation;

    fn rule(pattern: &str, replacement: &str, relation: RuleRelation) -> UserRule {
        UserRule::of("r", &UserText { relation, pattern: pattern.into(), replacement: replacement.into() }).unwrap()
    }

    fn query(filter: &str, optional: bool) -> Query {
        let start = NodePattern { var: "n".into(), labels: Vec::new(), properties: Vec::new() };
        let path = Path { start, steps: Vec::new() };
        let mut filter = user_text::read(filter).unwrap();
        filter.each_mut(&mut |e| {
            if let Expr::Var(v) = e {
                *e = Expr::property("n", v.trim_start_matches('$'));
            }
        });
        let clauses = vec![Clause::Match { optional, paths: vec![path], filter: Some(filter) }];
        Query { clauses, items: vec![Expr::property("n", KEY)], ..Query::default() }
    }

    fn filters(rule: &UserRule, query: &Query) -> Vec<String> {
        let text = |q: &Query| crate::graph::print::query(q, &qualm_core::dialect::graph::OPENCYPHER);
        rule.variants(query).iter().map(text).collect()
    }

    #[test]
    fn a_rule_is_applied_wherever_only_truth_counts() {
        let swap = rule("$e1 < $e2", "$e2 > $e1", RuleRelation::Same);
        let made = filters(&swap, &query("$e1 < 1 AND NOT ($e2 < 'a')", false));
        assert_eq!(
            made,
            [
                "MATCH (n) WHERE (1 > n.e1) AND (NOT (n.e2 < 'a')) RETURN n.k AS c0",
                "MATCH (n) WHERE (n.e1 < 1) AND (NOT ('a' > n.e2)) RETURN n.k AS c0"
            ]
        );
        assert_eq!(filters(&swap, &query("$e1 < 1", true)).len(), 1);
    }

    #[test]
    fn containment_is_claimed_only_where_it_reaches_the_whole() {
        let loosen = rule("$e1 < $e2", "$e1 <= $e2", RuleRelation::Contains);
        let made = filters(&loosen, &query("$e1 < 1 OR NOT ($e2 < 2)", false));
        assert_eq!(made, ["MATCH (n) WHERE (n.e1 <= 1) OR (NOT (n.e2 < 2)) RETURN n.k AS c0"]);
        assert_eq!(filters(&loosen, &query("$e1 < 1", true)), [""; 0]);
        let mut counted = query("$e1 < 1", false);
        counted.items = vec![Expr::Aggregate(Fold::Count, false, None)];
        assert_eq!(filters(&loosen, &counted), [""; 0]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let read = |relation: &str, pattern: &str, replacement: &str| {
            let text = format!(
                "language = \"graph\"\n[[rule]]\nname = \"r\"\nover = \"predicate\"\npattern = \"{pattern}\"\n\
                 replacement = \"{replacement}\"\nrelation = \"{relation}\"\n"
            );
            super::read(&NamedText { name: "g.toml".into(), text }).unwrap_err()
        };
        assert_eq!(
            read("same", "$p", "$q"),
            "g.toml:6: replacement '$q' of rule 'r': unknown metavariable '$q'; known ones: \
            $p (predicate), $e (expression), $P (property), $L (literal), optionally followed by a number"
        );
        assert_eq!(
            read("same", "$p", "$p AND $e"),
            "g.toml:6: replacement '$p AND $e' of rule 'r': '$e' is not in the pattern"
        );
        assert_eq!(
            read("same", "$p AND", "$p"),
            "g.toml:5: pattern '$p AND' of rule 'r': the text ends where an expression should be"
        );
        let why = read("equal", "$p", "$p");
        assert!(why.starts_with("g.toml:7: relation 'equal' of rule 'r': unknown relation"), "{why}");
    }
}
