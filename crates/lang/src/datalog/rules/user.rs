//! Rewrite rules that a user writes in TOML: subgoals of a body become other ones.
//!
//! ```toml
//! language = "datalog"
//!
//! [[rule]]
//! name = "joined-again"
//! over = "body"
//! pattern = "$R($t1, $t2)"
//! replacement = "$R($t1, $t2), $R($t1, $f)"
//! relation = "same"
//! ```
//!
//! Patterns are written in the syntax of Soufflé, whatever the engine's is. They match subgoals in any order and at any
//! distance; the replacement stands where the first of them stood.

use super::*;
use crate::datalog::parse;
use crate::user_rules::{self, Part, RuleRelation, UserText};
use qualm_core::explore::NamedText;
use std::collections::BTreeMap;

#[derive(Clone, Debug, PartialEq)]
pub struct UserRule {
    pub name: Name,
    pub text: UserText,
    pattern: Vec<Literal>,
    replacement: Vec<Literal>,
    /// Names of the variables in both, by their numbers.
    pattern_names: Vec<String>,
    replacement_names: Vec<String>,
}

/// Ways to match one body that are looked at.
const PLACES_AT_MOST: usize = 200;

const KNOWN: &str = "$A (atom), $L (any subgoal), $R (relation, before its parentheses), $t (term), $v (variable), \
    $k (constant), in the replacement $f (fresh variable); a number may follow";

/// What a name is made of that stands for a metavariable in the parser's tree.
const MARK: &str = "qualm_meta_";

/// The letter and number of a metavariable.
fn meta(name: &str) -> Option<&str> {
    name.strip_prefix(MARK)
}

fn letter(variable: &str) -> char {
    variable.chars().next().unwrap_or(' ')
}

pub fn read(source: &NamedText) -> Result<Vec<UserRule>, String> {
    user_rules::read(source, crate::datalog::LANGUAGE, |w, _| w.plain("body", UserRule::of))
}

/// The text with names for its metavariables that the parser reads.
fn marked(text: &str) -> Result<String, String> {
    let (mut out, mut quoted) = (String::new(), false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        quoted ^= c == '"';
        if c != '$' || quoted {
            out.push(c);
            continue;
        }
        let mut name: String = rest.next().into_iter().collect();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            name.push(digit);
        }
        let called = rest.clone().find(|c| !c.is_whitespace()) == Some('(');
        out.push_str(MARK);
        out.push_str(&name);
        match letter(&name) {
            'A' | 'L' if !called => out.push_str("(0)"),
            'R' if called => {}
            't' | 'v' | 'k' | 'f' if !called => {}
            _ => return Err(format!("unknown metavariable '${name}' here; known ones: {KNOWN}")),
        }
    }
    Ok(out)
}

/// Subgoals of one side, the names of their variables, and the metavariables.
type Side = (Vec<Literal>, Vec<String>, Vec<String>);

fn side(text: &str) -> Result<Side, String> {
    if text.trim().is_empty() {
        return Ok((Vec::new(), Vec::new(), Vec::new()));
    }
    let (body, names) = parse::body(&marked(text)?)?;
    if let Some(plain) = names.iter().find(|n| meta(n).is_none()) {
        return Err(format!("'{plain}' is a variable of no rule; write $t for a term or $v for a variable"));
    }
    let mut used: Vec<String> = names.iter().filter_map(|n| meta(n)).map(str::to_owned).collect();
    for literal in &body {
        let (Literal::Atom(a) | Literal::Not(a)) = literal else { continue };
        used.extend(meta(&a.relation).map(str::to_owned));
    }
    Ok((body, names, used))
}

impl UserRule {
    pub fn of(name: &str, text: &UserText) -> Result<UserRule, (Part, String)> {
        let (pattern, pattern_names, given) = side(&text.pattern).map_err(|why| (Part::Pattern, why))?;
        let (replacement, replacement_names, used) = side(&text.replacement).map_err(|why| (Part::Replacement, why))?;
        if pattern.is_empty() {
            return Err((Part::Pattern, "write at least one subgoal".into()));
        }
        if given.iter().any(|v| letter(v) == 'f') {
            return Err((Part::Pattern, "$f is a fresh variable and belongs to the replacement".into()));
        }
        if let Some(v) = used.iter().find(|v| letter(v) != 'f' && !given.contains(v)) {
            return Err((Part::Replacement, format!("'${v}' is not in the pattern")));
        }
        let (name, text) = (name.into(), text.clone());
        Ok(UserRule { name, text, pattern, replacement, pattern_names, replacement_names })
    }

    pub fn effect(&self) -> Effect {
        effect(self.text.relation)
    }

    /// In how many ways the pattern matches a body.
    pub fn places(&self, rule: &Rule) -> usize {
        self.matches(rule).len()
    }

    /// Rewrites one of the matches; `site` counts round.
    pub fn rewrite(&self, rule: &mut Rule, site: usize) -> Option<()> {
        let mut all = self.matches(rule);
        let (places, bound) = all.swap_remove(site.checked_rem(all.len())?);
        let first = *places.iter().min()?;
        let fresh = rule.fresh_var();
        let filled: Vec<Literal> =
            self.replacement.iter().map(|l| self.fill(l, &bound, fresh)).collect::<Option<_>>()?;
        let mut at = 0;
        rule.body.retain(|_| {
            at += 1;
            !places.contains(&(at - 1))
        });
        rule.body.splice(first..first, filled);
        forget_plan(rule);
        Some(())
    }

    fn matches(&self, rule: &Rule) -> Vec<(Vec<usize>, Bound)> {
        let mut found: Vec<(Vec<usize>, Bound)> = vec![(Vec::new(), Bound::default())];
        for literal in &self.pattern {
            let mut longer = Vec::new();
            for (places, bound) in &found {
                for (at, there) in rule.body.iter().enumerate().filter(|(at, _)| !places.contains(at)) {
                    let mut bound = bound.clone();
                    if longer.len() < PLACES_AT_MOST && self.fits(literal, there, &mut bound) {
                        longer.push(([places.as_slice(), &[at]].concat(), bound));
                    }
                }
            }
            found = longer;
        }
        found
    }

    fn fits(&self, pattern: &Literal, there: &Literal, bound: &mut Bound) -> bool {
        match (pattern, there) {
            (Literal::Atom(p), _) if meta(&p.relation).is_some_and(|v| letter(v) == 'L') => {
                bound.literals.entry(p.relation.clone()).or_insert_with(|| there.clone()) == there
            }
            (Literal::Atom(p), Literal::Atom(a)) | (Literal::Not(p), Literal::Not(a)) => self.atom_fits(p, a, bound),
            (Literal::Compare(how, a, b), Literal::Compare(how_there, x, y)) => {
                how == how_there && self.term_fits(a, x, bound) && self.term_fits(b, y, bound)
            }
            (Literal::Test(how, a, b), Literal::Test(how_there, x, y)) => {
                how == how_there && self.term_fits(a, x, bound) && self.term_fits(b, y, bound)
            }
            (Literal::Or(arms), Literal::Or(others)) => {
                arms.len() == others.len()
                    && arms.iter().zip(others).all(|(arm, other)| {
                        arm.len() == other.len() && arm.iter().zip(other).all(|(p, l)| self.fits(p, l, bound))
                    })
            }
            (Literal::Atom(_) | Literal::Not(_) | Literal::Compare(..) | Literal::Test(..) | Literal::Or(_), _) => {
                false
            }
        }
    }

    fn atom_fits(&self, pattern: &Atom, there: &Atom, bound: &mut Bound) -> bool {
        match meta(&pattern.relation).map(letter) {
            Some('A') => bound.atoms.entry(pattern.relation.clone()).or_insert_with(|| there.clone()) == there,
            Some('R') => {
                let name = bound.relations.entry(pattern.relation.clone()).or_insert_with(|| there.relation.clone());
                *name == there.relation && self.terms_fit(&pattern.args, &there.args, bound)
            }
            Some(_) => false,
            None => pattern.relation == there.relation && self.terms_fit(&pattern.args, &there.args, bound),
        }
    }

    fn terms_fit(&self, pattern: &[Term], there: &[Term], bound: &mut Bound) -> bool {
        pattern.len() == there.len() && pattern.iter().zip(there).all(|(p, t)| self.term_fits(p, t, bound))
    }

    fn term_fits(&self, pattern: &Term, there: &Term, bound: &mut Bound) -> bool {
        match (pattern, there) {
            (Term::Var(v), _) => {
                let name = &self.pattern_names[*v as usize];
                let allowed = match letter(meta(name).unwrap_or_default()) {
                    'v' => matches!(there, Term::Var(_)),
                    'k' => matches!(there, Term::Constant(_)),
                    // An aggregate means what stands around it, and cannot be moved; a range is not one value.
                    _ => !there.has_aggregate() && !matches!(there, Term::Apply(Functor::Range | Functor::Counter, _)),
                };
                // Two wildcards are not the same value.
                let again = bound.terms.contains_key(name);
                let anonymous = again && *there == Term::Wildcard;
                allowed && !anonymous && bound.terms.entry(name.clone()).or_insert_with(|| there.clone()) == there
            }
            (Term::Constant(a), Term::Constant(b)) => a == b,
            (Term::Wildcard, Term::Wildcard) => true,
            (Term::Negate(a), Term::Negate(b)) => self.term_fits(a, b, bound),
            (Term::Call(f, a), Term::Call(g, b)) => f == g && self.term_fits(a, b, bound),
            (Term::Binary(f, a, b), Term::Binary(g, x, y)) => {
                f == g && self.term_fits(a, x, bound) && self.term_fits(b, y, bound)
            }
            (Term::Apply(f, a), Term::Apply(g, b)) => f == g && self.terms_fit(a, b, bound),
            (Term::Build(a), Term::Build(b)) => {
                a.kind == b.kind && a.branch == b.branch && self.terms_fit(&a.fields, &b.fields, bound)
            }
            (Term::Constant(_) | Term::Wildcard | Term::Negate(_) | Term::Call(..), _) => false,
            (Term::Apply(..) | Term::Build(_), _) => false,
            (Term::Binary(..) | Term::Aggregate(_), _) => false,
        }
    }

    fn fill(&self, literal: &Literal, bound: &Bound, fresh: Var) -> Option<Literal> {
        let term = |t: &Term| self.fill_term(t, bound, fresh);
        let atom = |a: &Atom| -> Option<Atom> {
            match meta(&a.relation).map(letter) {
                Some('A') => bound.atoms.get(&a.relation).cloned(),
                Some('R') => {
                    let args = a.args.iter().map(term).collect::<Option<_>>()?;
                    Some(Atom::new(bound.relations.get(&a.relation)?.clone(), args))
                }
                Some(_) => None,
                None => Some(Atom::new(a.relation.clone(), a.args.iter().map(term).collect::<Option<_>>()?)),
            }
        };
        Some(match literal {
            Literal::Atom(a) if meta(&a.relation).is_some_and(|v| letter(v) == 'L') => {
                bound.literals.get(&a.relation)?.clone()
            }
            Literal::Atom(a) => Literal::Atom(atom(a)?),
            Literal::Not(a) => Literal::Not(atom(a)?),
            Literal::Compare(how, a, b) => Literal::Compare(*how, term(a)?, term(b)?),
            Literal::Test(how, a, b) => Literal::Test(*how, term(a)?, term(b)?),
            Literal::Or(arms) => {
                let arm = |arm: &Vec<Literal>| arm.iter().map(|l| self.fill(l, bound, fresh)).collect::<Option<_>>();
                Literal::Or(arms.iter().map(arm).collect::<Option<_>>()?)
            }
        })
    }

    fn fill_term(&self, term: &Term, bound: &Bound, fresh: Var) -> Option<Term> {
        Some(match term {
            Term::Var(v) => {
                let name = &self.replacement_names[*v as usize];
                match letter(meta(name)?) {
                    'f' => {
                        let is_fresh = |n: &&String| meta(n).is_some_and(|v| letter(v) == 'f');
                        let before = self.replacement_names[..*v as usize].iter().filter(is_fresh).count();
                        Term::Var(fresh + before as Var)
                    }
                    _ => bound.terms.get(name)?.clone(),
                }
            }
            Term::Constant(_) | Term::Wildcard => term.clone(),
            Term::Negate(t) => Term::Negate(Box::new(self.fill_term(t, bound, fresh)?)),
            Term::Call(f, t) => Term::Call(*f, Box::new(self.fill_term(t, bound, fresh)?)),
            Term::Binary(f, a, b) => {
                Term::binary(*f, self.fill_term(a, bound, fresh)?, self.fill_term(b, bound, fresh)?)
            }
            Term::Apply(f, terms) => {
                Term::Apply(*f, terms.iter().map(|t| self.fill_term(t, bound, fresh)).collect::<Option<_>>()?)
            }
            Term::Build(b) => {
                let fields = b.fields.iter().map(|t| self.fill_term(t, bound, fresh)).collect::<Option<_>>()?;
                Term::Build(Box::new(Build { fields, ..(**b).clone() }))
            }
            Term::Aggregate(_) => return None,
        })
    }
}

pub fn effect(relation: RuleRelation) -> Effect {
    match relation {
        RuleRelation::Same => Effect::Equal,
        RuleRelation::Contains => Effect::Grows,
        RuleRelation::Contained => Effect::Shrinks,
    }
}

/// What the metavariables stand for.
#[derive(Clone, Debug, Default)]
struct Bound {
    literals: BTreeMap<Name, Literal>,
    atoms: BTreeMap<Name, Atom>,
    relations: BTreeMap<Name, Name>,
    terms: BTreeMap<String, Term>,
}
