//! Random expressions of the kinds that a dialect lists beside the basic ones: their operators, functions and casts.
//! They appear in databases that have such columns; elsewhere they would be constants. And JSON, which is a text.

use super::ast::*;
use super::catalogued::ELSEWHERE;
use super::generate::Generator;
use qualm_core::dialect::sql::{FunctionSpec, Kind, KindSpec, Operator};

const JSONS: &[&str] = &[
    "{\"a\":1}",
    "[1,2]",
    "{\"a\":[1,{\"b\":\"x\"}]}",
    "null",
    "[]",
    "\"a\"",
    "{}",
    "[[],{\"a\":null}]",
    "{\"a\":{\"b\":[true,false]},\"x\":{\"y\":-0.5e3}}",
    "12345678901234567890",
    "[1.5,-2,\"\\u00e9\\n\\\"\",1e300]",
    "{\"a b\":\"\\ud83d\\ude00\",\"\":[0]}",
    "  [ 1 , \"two\" ]  ",
    "{\"a\":1,\"a\":2}",
];
/// Those at the head that every engine reads alike.
const SIMPLE_JSONS: usize = 6;

impl Generator<'_> {
    /// One of the kinds that this database is about, one time in so many.
    pub(super) fn special_kind(&mut self, seldom: usize) -> Option<Kind> {
        let kinds: Vec<Kind> = self.pool.kinds().filter(|k| self.profile.has_kind(*k)).collect();
        (!kinds.is_empty() && self.rng.chance(1, seldom as u32)).then(|| *self.rng.pick(&kinds))
    }

    /// Literals of a kind are used by the statement at hand.
    pub(super) fn notes_kind(&mut self, kind: Kind) {
        if kind.is_special() {
            self.used |= self.profile.uses_kind(kind);
        }
    }

    pub(super) fn is_ordered(&self, kind: Kind) -> bool {
        self.dialect().special(kind).is_none_or(|k| k.ordered)
    }

    /// A basic kind is at hand everywhere, another one where the database is about it.
    pub(super) fn is_at_hand(&self, kind: Kind) -> bool {
        !kind.is_special() || self.pool.is_about(kind) && self.profile.has_kind(kind)
    }

    /// Whether to look for something of a special kind to make a value of this one.
    fn seeks_special(&mut self, kind: Kind) -> bool {
        kind.is_special() || self.pool.kinds().next().is_some() && self.rng.chance(1, 3)
    }

    /// `date + INTERVAL '1' DAY` and the like.
    pub(super) fn special_operator(&mut self, kind: Kind, depth: u32) -> Option<Expr> {
        if !self.seeks_special(kind) {
            return None;
        }
        let of = |spec: &'static KindSpec| spec.operators.iter().map(move |o| (spec, o));
        let fits = |(spec, o): &(&KindSpec, &Operator)| o.result == kind && self.is_at_hand(spec.kind());
        let found: Vec<_> = self.dialect().kinds.iter().flat_map(of).filter(fits).collect();
        let (spec, operator) = *(!found.is_empty()).then(|| self.rng.pick(&found))?;
        let op = Binary::COMPUTING.iter().find(|op| op.symbol().trim() == operator.symbol)?;
        let left = self.value(spec.kind(), depth);
        let right = match operator.right {
            // What cannot be stored is written as a literal only.
            right if right.is_special() && self.dialect().plain_type(right).is_none() => self.value_of_pool(right)?,
            right => self.value(right, depth),
        };
        Some(Expr::Binary(*op, Box::new(left), Box::new(right)))
    }

    /// A literal that is not NULL.
    fn value_of_pool(&mut self, kind: Kind) -> Option<Expr> {
        self.notes_kind(kind);
        (0..4).map(|_| self.pool.literal(kind, self.rng)).find(|l| *l != Literal::Null).map(Expr::Literal)
    }

    /// A call that takes or gives a special kind.
    pub(super) fn special_call(&mut self, kind: Kind, depth: u32) -> Option<Expr> {
        let functions = self.dialect().functions;
        let basic = self.profile.basic_functions();
        if basic == functions.len() {
            return None;
        }
        let anywhere = self.rng.chance(1, ELSEWHERE);
        if !anywhere && !self.seeks_special(kind) {
            return None;
        }
        let fits = |f: &FunctionSpec| f.result == kind && self.can_call(f, anywhere);
        let found: Vec<usize> =
            (basic..functions.len()).filter(|i| self.profile.has_function(*i) && fits(&functions[*i])).collect();
        if found.is_empty() || kind.is_special() && self.rng.chance(1, 4) {
            return None;
        }
        let drawn = *self.rng.pick(&found);
        let untried = found.iter().copied().find(|i| self.profile.is_untried(super::profile::function_bit(*i)));
        let i = untried.unwrap_or(drawn);
        self.used.add(super::profile::function_bit(i));
        let f = &functions[i];
        let args = f.params.iter().map(|p| self.argument(*p, f.name, kind, depth)).collect();
        Some(Expr::Call { function: f.name.into(), args })
    }

    /// A special kind that can be cast to this one.
    pub(super) fn special_cast_to(&mut self, kind: Kind) -> Option<Kind> {
        if self.dialect().kinds.is_empty() || !self.seeks_special(kind) {
            return None;
        }
        let fits = |spec: &&KindSpec| spec.casts.contains(&kind) && self.is_at_hand(spec.kind());
        let found: Vec<Kind> = self.dialect().kinds.iter().filter(fits).map(KindSpec::kind).collect();
        (!found.is_empty()).then(|| *self.rng.pick(&found))
    }

    /// JSON as a literal, or as what a function makes of it.
    pub(super) fn json(&mut self, depth: u32) -> Expr {
        let makers = self.dialect().json_makers;
        if depth > 0 && !makers.is_empty() && self.rng.chance(1, 3) {
            let functions = self.dialect().functions;
            for _ in 0..3 {
                let i = self.rng.below(functions.len());
                let f = &functions[i];
                if makers.contains(&f.name) && self.profile.has_function(i) {
                    self.used.add(super::profile::function_bit(i));
                    let args = f.params.iter().map(|p| self.argument(*p, f.name, Kind::Int, depth - 1)).collect();
                    return Expr::Call { function: f.name.into(), args };
                }
            }
        }
        let simple = if makers.is_empty() { SIMPLE_JSONS } else { JSONS.len() };
        Expr::text(*self.rng.pick(&JSONS[..simple]))
    }
}
