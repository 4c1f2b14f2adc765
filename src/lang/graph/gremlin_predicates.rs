//! Random predicates that Gremlin can say: tests of single properties, put together by steps.

use super::ast::*;
use super::express::Generator;
use crate::graph_dialect::{Feature, Kind};

impl Generator<'_> {
    pub fn gremlin_predicate(&mut self, depth: usize) -> Expr {
        if depth > 0 && self.rng.chance(1, 2) {
            let a = self.gremlin_predicate(depth - 1);
            return match self.rng.weighted(&[3, 3, 4]) {
                0 => Expr::and(a, self.gremlin_predicate(depth - 1)),
                1 => Expr::or(a, self.gremlin_predicate(depth - 1)),
                _ => Expr::negated(a),
            };
        }
        if self.rng.chance(1, 8)
            && let Some(e) = self.exists()
        {
            return e;
        }
        let Some((property, kinds)) = self.some_property(&|_| true) else { return Expr::truth(true) };
        if self.rng.chance(1, 10) {
            let e = Box::new(property);
            return if self.rng.coin() { Expr::IsNull(e) } else { Expr::IsNotNull(e) };
        }
        let test = self.property_predicate(property, &kinds);
        if self.has(Feature::PredicateNot) && self.rng.chance(1, 6) { Expr::PredicateNot(Box::new(test)) } else { test }
    }

    /// A predicate that stands behind the name of one property.
    pub fn property_predicate(&mut self, property: Expr, kinds: &[Kind]) -> Expr {
        let kind = *self.rng.pick(kinds);
        let e = Box::new(property);
        let number = matches!(kind, Kind::Int | Kind::Float);
        let literal = |g: &mut Self| {
            let kind = if number && g.rng.chance(1, 3) { *g.rng.pick(&[Kind::Int, Kind::Float]) } else { kind };
            Expr::Literal(g.literal(kind))
        };
        match self.rng.weighted(&[8, 3, 2, 3]) {
            1 if kind == Kind::Text && self.has(Feature::TextPredicate) => {
                let how = *self.rng.pick(&[TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains]);
                Expr::Test(how, e, Box::new(literal(self)))
            }
            2 if self.has(Feature::In) => {
                let members = (0..self.rng.range(1, 3)).map(|_| literal(self)).collect();
                Expr::In(e, members)
            }
            3 if number && self.has(Feature::Ranges) => {
                let range = *self.rng.pick(&[Range::Inside, Range::Outside, Range::Between]);
                Expr::Between(range, e, Box::new(literal(self)), Box::new(literal(self)))
            }
            _ => {
                // Truth values have no order everywhere.
                let most = if kind == Kind::Bool { 2 } else { 6 };
                let how = Comparison::ALL[self.rng.below(most)];
                Expr::Compare(how, e, Box::new(literal(self)))
            }
        }
    }
}
