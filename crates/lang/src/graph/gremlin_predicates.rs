//! Random predicates that Gremlin can say: tests of single properties, put together by steps.

use super::ast::*;
use super::express::Generator;
use qualm_core::dialect::graph::{Feature, Kind};

impl Generator<'_> {
    pub fn gremlin_predicate(&mut self, depth: usize) -> Expr {
        let nested = self.has(Feature::NestedFilters);
        if depth > 0 && self.rng.chance(1, 2) {
            let part = |g: &mut Self| if nested { g.gremlin_predicate(depth - 1) } else { g.property_test() };
            let a = part(self);
            return match self.rng.weighted(&[3, 3, 4]) {
                1 => Expr::or(a, part(self)),
                2 if self.has(Feature::NotStep) => Expr::negated(a),
                _ => Expr::and(a, part(self)),
            };
        }
        if self.rng.chance(1, 8)
            && let Some(e) = if self.rng.chance(1, 3) { self.path_count() } else { self.exists() }
        {
            return e;
        }
        self.property_test()
    }

    /// A test of one property of one element.
    fn property_test(&mut self) -> Expr {
        let Some((property, kinds)) = self.some_property(&|_| true) else { return Expr::truth(true) };
        if self.rng.chance(1, 10) {
            let e = Box::new(property);
            return if self.rng.coin() { Expr::IsNull(e) } else { Expr::IsNotNull(e) };
        }
        let test = self.property_predicate(property.clone(), kinds);
        // `without` and the negated tests of texts are words of their own.
        let word = matches!(test, Expr::In(..) | Expr::Test(..));
        if (word || self.has(Feature::PredicateNot)) && self.rng.chance(1, 5) {
            return Expr::PredicateNot(Box::new(test));
        }
        if self.has(Feature::PredicateNot) && self.rng.chance(1, 8) {
            let other = Box::new(self.property_predicate(property, kinds));
            let test = Box::new(test);
            return if self.rng.coin() { Expr::PredicateAnd(test, other) } else { Expr::PredicateOr(test, other) };
        }
        test
    }

    /// A predicate that stands behind the name of one property.
    pub fn property_predicate(&mut self, property: Expr, kinds: &[Kind]) -> Expr {
        let kind = *self.rng.pick(kinds);
        let e = Box::new(property);
        let is_number = |k: &Kind| matches!(k, Kind::Int | Kind::Float);
        let number = is_number(&kind);
        let literal = |g: &mut Self| {
            let kind = if number && g.rng.chance(1, 3) { *g.rng.pick(&[Kind::Int, Kind::Float]) } else { kind };
            Expr::Literal(g.literal(kind))
        };
        // Values of several kinds, truth values and lists have no order everywhere.
        let ordered = kinds.iter().all(is_number) || kinds == [Kind::Text] || kinds == [Kind::Date];
        match self.rng.weighted(&[8, 3, 2, 3]) {
            1 if kinds == [Kind::Text] && self.has(Feature::TextPredicate) => {
                let how = *self.rng.pick(&[TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains]);
                Expr::Test(how, e, Box::new(literal(self)))
            }
            // A list would be read as the members themselves.
            2 if self.has(Feature::In) && kind != Kind::List => {
                let members = (0..self.rng.range(1, 3)).map(|_| literal(self)).collect();
                Expr::In(e, members)
            }
            3 if kinds.iter().all(is_number) && self.has(Feature::Ranges) => {
                let range = *self.rng.pick(&[Range::Inside, Range::Outside, Range::Between]);
                Expr::Between(range, e, Box::new(literal(self)), Box::new(literal(self)))
            }
            _ => {
                let how = Comparison::ALL[self.rng.below(if ordered { 6 } else { 2 })];
                Expr::Compare(how, e, Box::new(literal(self)))
            }
        }
    }
}
