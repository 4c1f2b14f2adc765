//! Random typed expressions over the variables of a pattern. Values come from the few that the graph holds, so that
//! predicates divide: about half of all comparisons are of a property with a value of its own pool.

use super::ast::*;
use super::metamodel::{self, Metamodel};
use super::probe::Missing;
use super::rewrite::user::UserRule;
use qualm_core::dialect::graph::{Feature, Form, GraphDialect, GraphFunction, Kind, MixedOrder, Param, SchemaRule};
use qualm_core::rng::Rng;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    Node {
        labels: Vec<String>,
    },
    Relationship {
        types: Vec<String>,
    },
    /// Of a path of variable length: has no properties.
    Relationships,
    Value(Kind),
}

impl What {
    /// The labels or types it was given.
    fn classes(&self) -> &[String] {
        match self {
            What::Node { labels: classes } | What::Relationship { types: classes } => classes,
            What::Relationships | What::Value(_) => &[],
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub name: String,
    pub what: What,
}

pub struct Generator<'a> {
    pub dialect: &'static GraphDialect,
    pub model: &'a Metamodel,
    pub missing: &'a Missing,
    /// NaN may appear.
    pub disputed: bool,
    pub rng: &'a mut Rng,
    pub scope: Vec<Variable>,
    pub fresh: usize,
    /// Labels or types, and properties, that have an index.
    pub indexed: &'a [(String, String)],
    /// Properties with the values that the state has under them.
    pub held: &'a [(String, Literal)],
    /// A pattern may stand where a truth value does. Engines take it in filters only.
    pub patterns: bool,
    /// Rules that the user wrote.
    pub user_rules: &'a [UserRule],
}

const PATTERNS: [&str; 6] = ["a.*", ".*", "[a-z]*", "\\s*\\w", "A|b", "test"];

/// From values of this kind to values of this kind.
fn is_onto_itself(function: &GraphFunction, kind: Kind) -> bool {
    function.result == kind && function.params.contains(&Param::Of(kind))
}

impl<'a> Generator<'a> {
    pub fn new(
        dialect: &'static GraphDialect,
        model: &'a Metamodel,
        missing: &'a Missing,
        disputed: bool,
        rng: &'a mut Rng,
    ) -> Generator<'a> {
        Generator {
            dialect,
            model,
            missing,
            disputed,
            rng,
            scope: Vec::new(),
            fresh: 0,
            indexed: &[],
            held: &[],
            patterns: false,
            user_rules: &[],
        }
    }

    /// A value of this kind that some element has under this name: what is compared with it divides.
    fn held_value(&mut self, property: &Expr, kind: Kind) -> Option<Literal> {
        let Expr::Property(_, name) = property else { return None };
        let all: Vec<&Literal> =
            self.held.iter().filter(|(p, v)| p == name && v.kind() == Some(kind)).map(|(_, v)| v).collect();
        (!all.is_empty() && self.rng.chance(3, 4)).then(|| (*self.rng.pick(&all)).clone())
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.dialect.may_use(feature, self.disputed) && !self.missing.features.contains(&feature)
    }

    pub fn literal(&mut self, kind: Kind) -> Literal {
        metamodel::value(kind, self.dialect, self.disputed, self.rng)
    }

    /// Properties that something in scope may have: its place there, the name, the kinds.
    fn properties(&self) -> Vec<(usize, &'a str, &'a [Kind])> {
        let (model, mut found) = (self.model, Vec::new());
        for (at, variable) in self.scope.iter().enumerate() {
            let (classes, names) = match &variable.what {
                What::Node { labels } => (&model.labels, labels),
                What::Relationship { types } => (&model.types, types),
                _ => continue,
            };
            found.push((at, KEY, &[Kind::Int][..]));
            let has = |property: &String| {
                let mut able = classes.iter().filter(|c| names.is_empty() || names.contains(&c.name));
                able.any(|c| c.properties.contains(property))
            };
            let there = model.properties.iter().filter(|p| has(&p.name));
            found.extend(there.map(|p| (at, p.name.as_str(), p.kinds.as_slice())));
        }
        found
    }

    fn property(&self, at: usize, name: &str) -> Expr {
        Expr::Property(self.scope[at].name.clone(), name.to_owned())
    }

    /// A property other than the key three times out of four.
    pub fn some_property(&mut self, fits: &dyn Fn(&[Kind]) -> bool) -> Option<(Expr, &'a [Kind])> {
        let mut from = self.properties();
        from.retain(|(_, _, kinds)| fits(kinds));
        let least = self.rng.weighted(&[3, 3, 1]);
        let is_plain = |name: &str| name != KEY;
        if least == 0 && from.iter().any(|(at, p, _)| self.has_index(*at, p)) {
            from.retain(|(at, p, _)| self.has_index(*at, p));
        } else if least < 2 && from.iter().any(|(_, p, _)| is_plain(p)) {
            from.retain(|(_, p, _)| is_plain(p));
        }
        if from.is_empty() {
            return None;
        }
        let (at, name, kinds) = *self.rng.pick(&from);
        Some((self.property(at, name), kinds))
    }

    /// The labels or types that a variable was given.
    pub fn classes(&self, var: &str) -> &[String] {
        self.scope.iter().find(|v| v.name == var).map_or(&[], |v| v.what.classes())
    }

    /// An index can answer for it.
    fn has_index(&self, at: usize, property: &str) -> bool {
        // An index of the engines that are asked in steps is one of all elements.
        let any = self.dialect.is_by_steps();
        let classes = self.scope[at].what.classes();
        self.indexed.iter().any(|(c, p)| p == property && (any || classes.contains(c)))
    }

    pub fn predicate(&mut self, depth: usize) -> Expr {
        if self.dialect.form == Form::Gremlin {
            return self.gremlin_predicate(depth);
        }
        if depth > 0 && self.rng.chance(1, 2) {
            return self.compound(depth - 1);
        }
        for _ in 0..4 {
            if let Some(e) = self.simple(depth) {
                return e;
            }
        }
        self.comparison(depth)
    }

    fn compound(&mut self, depth: usize) -> Expr {
        let a = Box::new(self.predicate(depth));
        match self.rng.weighted(&[4, 4, 2, 4, 1]) {
            0 => Expr::And(a, Box::new(self.predicate(depth))),
            1 => Expr::Or(a, Box::new(self.predicate(depth))),
            2 if self.has(Feature::Xor) => Expr::Xor(a, Box::new(self.predicate(depth))),
            4 => Expr::IsNull(a),
            _ => Expr::Not(a),
        }
    }

    fn simple(&mut self, depth: usize) -> Option<Expr> {
        if self.rng.chance(1, 3)
            && let Some(test) = self.index_test()
        {
            return Some(test);
        }
        Some(match self.rng.weighted(&[10, 5, 3, 2, 2, 2, 1, 1, 1]) {
            0 => self.comparison(depth),
            1 if self.has(Feature::TextPredicate) => self.text_test(depth)?,
            2 if self.has(Feature::In) => {
                let (property, kinds) = self.some_property(&|_| true)?;
                let member = |g: &mut Self| {
                    let kind = *g.rng.pick(kinds);
                    g.held_value(&property, kind).map_or_else(|| g.one_of(&[kind]), Expr::Literal)
                };
                let members = (0..self.rng.range(1, 4)).map(|_| member(self)).collect();
                Expr::In(Box::new(property), members)
            }
            3 => {
                let (property, _) = self.some_property(&|_| true)?;
                let e = Box::new(property);
                if self.rng.coin() { Expr::IsNull(e) } else { Expr::IsNotNull(e) }
            }
            4 => {
                let (property, _) = self.some_property(&|k| k == [Kind::Bool])?;
                property
            }
            5 if self.has(Feature::Case) => {
                let arm = (self.comparison(0), self.comparison(0));
                Expr::Case(vec![arm], Box::new(self.comparison(0)))
            }
            6 if self.has(Feature::ListPredicate) => self.quantified()?,
            7 if self.patterns && self.has(Feature::CountSubquery) && self.rng.chance(1, 3) => self.path_count()?,
            7 if self.patterns => self.exists()?,
            8 if self.has(Feature::LabelPredicate) => {
                let nodes = self.scope.iter().filter(|v| matches!(v.what, What::Node { .. }));
                let names: Vec<String> = nodes.map(|v| v.name.clone()).collect();
                let label = self.rng.pick(&self.model.labels).name.clone();
                Expr::HasLabel(self.rng.pick(&names).clone(), label)
            }
            _ => return None,
        })
    }

    /// A literal of one of the kinds.
    fn one_of(&mut self, kinds: &[Kind]) -> Expr {
        let kind = *self.rng.pick(kinds);
        if self.rng.chance(1, 60) {
            return Expr::Literal(Literal::Null);
        }
        Expr::Literal(self.literal(kind))
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let how = *self.rng.pick(&Comparison::ALL);
        let Some((property, kinds)) = self.some_property(&|_| true) else {
            return Expr::compare(how, Expr::Literal(self.literal(Kind::Int)), Expr::int(1));
        };
        let kind = *self.rng.pick(kinds);
        if self.rng.chance(1, 6)
            && let Some((call, result)) = self.call_of(&property, kind, &|_| true)
        {
            return Expr::compare(how, call, self.comparable(result, how));
        }
        let left = if depth > 0 && self.rng.chance(1, 3) { self.expr(kind, depth - 1) } else { property };
        let right = match self.rng.weighted(&[8, 3, 1]) {
            1 => self.expr(kind, depth.saturating_sub(1)),
            2 if self.has(Feature::PropertyComparison) => {
                self.some_property(&|k| k.contains(&kind)).map_or(left.clone(), |(e, _)| e)
            }
            _ => match self.held_value(&left, kind) {
                Some(value) => Expr::Literal(value),
                None => self.comparable(kind, how),
            },
        };
        if self.rng.chance(1, 6) { Expr::compare(how, right, left) } else { Expr::compare(how, left, right) }
    }

    /// A literal to compare with: now and then of the other kind of numbers, or of another kind altogether.
    fn comparable(&mut self, kind: Kind, how: Comparison) -> Expr {
        let other = match kind {
            Kind::Int if self.dialect.kinds.contains(&Kind::Float) && self.rng.chance(1, 4) => Kind::Float,
            Kind::Float if self.rng.chance(1, 4) => Kind::Int,
            _ if self.dialect.schema == SchemaRule::Free
                && self.rng.chance(1, 20)
                && (self.dialect.mixed_order == MixedOrder::Null || !how.is_order()) =>
            {
                *self.rng.pick(self.dialect.kinds)
            }
            same => same,
        };
        self.one_of(&[other])
    }

    fn text_test(&mut self, depth: usize) -> Option<Expr> {
        let (property, _) = self.some_property(&|k| k == [Kind::Text])?;
        let most = if self.has(Feature::Regex) { 4 } else { 3 };
        let how =
            [TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains, TextTest::Matches][self.rng.below(most)];
        let right = match (how, self.rng.weighted(&[3, 3, 1])) {
            (TextTest::Matches, _) => Expr::text(self.rng.pick::<&str>(&PATTERNS)),
            // What an index can answer often speaks of the same property on both sides.
            (_, 1) => self.call_on(property.clone()).unwrap_or_else(|| property.clone()),
            (_, 2) => self.expr(Kind::Text, depth.saturating_sub(1)),
            _ => match self.held_value(&property, Kind::Text) {
                Some(value) => Expr::Literal(value),
                None => Expr::Literal(self.literal(Kind::Text)),
            },
        };
        Some(Expr::Test(how, Box::new(property), Box::new(right)))
    }

    /// What an index could answer, were the other side not made of the same element: the engine has to find the element
    /// first, and then works with the value that its index holds.
    fn index_test(&mut self) -> Option<Expr> {
        let mut indexed = self.properties();
        indexed.retain(|(at, p, _)| self.has_index(*at, p));
        let onto_itself = |kind: &Kind| {
            let known = self.dialect.functions.iter().enumerate();
            known.filter(|(i, _)| !self.missing.functions.contains(i)).any(|(_, f)| is_onto_itself(f, *kind))
        };
        let able: Vec<_> = indexed.iter().filter(|(_, _, kinds)| kinds.iter().any(onto_itself)).cloned().collect();
        let called = !able.is_empty() && !self.rng.chance(1, 6);
        let from = if called { able } else { indexed };
        if from.is_empty() {
            return None;
        }
        let (at, name, kinds) = *self.rng.pick(&from);
        let kind = *self.rng.pick(kinds);
        let property = self.property(at, name);
        let other = match called {
            true => self.call_of(&property, kind, &|f| is_onto_itself(f, kind)).map(|(call, _)| call)?,
            false => property.clone(),
        };
        let tests = [TextTest::StartsWith, TextTest::StartsWith, TextTest::EndsWith, TextTest::Contains];
        if kinds == [Kind::Text] && self.has(Feature::TextPredicate) && self.rng.chance(3, 5) {
            return Some(Expr::Test(*self.rng.pick(&tests), Box::new(property), Box::new(other)));
        }
        let able = self.has(Feature::PropertyComparison) || matches!(other, Expr::Call(..));
        able.then(|| Expr::compare(*self.rng.pick(&Comparison::ALL), property, other))
    }

    /// Some function of this property, and the kind it gives.
    fn call_of(&mut self, property: &Expr, kind: Kind, fits: &dyn Fn(&GraphFunction) -> bool) -> Option<(Expr, Kind)> {
        let takes = |f: &GraphFunction| f.params.contains(&Param::Of(kind)) && fits(f);
        let known = self.dialect.functions.iter().enumerate();
        let able: Vec<GraphFunction> =
            known.filter(|(i, f)| !self.missing.functions.contains(i) && takes(f)).map(|(_, f)| *f).collect();
        if able.is_empty() {
            return None;
        }
        let function = *self.rng.pick(&able);
        let mut at: Vec<usize> = (0..function.params.len()).collect();
        at.retain(|i| function.params[*i] == Param::Of(kind));
        let at = *self.rng.pick(&at);
        let mut argument = |(i, p): (usize, &Param)| if i == at { property.clone() } else { self.argument(*p, 0) };
        let args = function.params.iter().enumerate().map(&mut argument).collect();
        let call = super::check::of_positive(function.name, args);
        let sound = super::check::is_sound_expr(&call, self.model, self.dialect, self.disputed);
        sound.then_some((call, function.result))
    }

    /// A function from texts to texts, of this text.
    fn call_on(&mut self, text: Expr) -> Option<Expr> {
        let function = self.function(Kind::Text, &|f| f.params.first() == Some(&Param::Of(Kind::Text)))?;
        let rest: Vec<Expr> = function.params[1..].iter().map(|p| self.argument(*p, 0)).collect();
        Some(Expr::Call(function.name.into(), std::iter::once(text).chain(rest).collect()))
    }

    fn function(&mut self, result: Kind, fits: &dyn Fn(&GraphFunction) -> bool) -> Option<GraphFunction> {
        let known = self.dialect.functions.iter().enumerate();
        let able = known.filter(|(i, f)| f.result == result && !self.missing.functions.contains(i) && fits(f));
        let able: Vec<GraphFunction> = able.map(|(_, f)| *f).collect();
        (!able.is_empty()).then(|| *self.rng.pick(&able))
    }

    fn argument(&mut self, param: Param, depth: usize) -> Expr {
        match param {
            Param::Of(kind) => self.expr(kind, depth),
            Param::Number => {
                let kind = if self.rng.coin() { Kind::Int } else { Kind::Float };
                self.expr(kind, depth)
            }
            Param::SmallInt => Expr::int(self.rng.below(6) as i64),
            Param::Any => {
                let kind = *self.rng.pick(self.dialect.kinds);
                self.expr(kind, depth)
            }
        }
    }

    pub fn expr(&mut self, kind: Kind, depth: usize) -> Expr {
        if kind == Kind::Bool && depth > 0 && self.rng.chance(1, 3) {
            return self.comparison(depth - 1);
        }
        let choice = if depth == 0 { self.rng.weighted(&[5, 3]) } else { self.rng.weighted(&[5, 2, 4, 3, 1]) };
        let made = match choice {
            0 => self.some_property(&|k| k == [kind]).map(|(e, _)| e),
            2 => self.function(kind, &|_| true).map(|f| {
                let args = f.params.iter().map(|p| self.argument(*p, depth - 1)).collect();
                super::check::of_positive(f.name, args)
            }),
            3 => self.arithmetic(kind, depth - 1),
            4 if self.has(Feature::Case) => {
                let arm = (self.comparison(0), self.expr(kind, 0));
                Some(Expr::Case(vec![arm], Box::new(self.expr(kind, 0))))
            }
            _ => None,
        };
        made.filter(|e| super::check::is_sound_expr(e, self.model, self.dialect, self.disputed))
            .unwrap_or_else(|| self.one_of(&[kind]))
    }

    fn arithmetic(&mut self, kind: Kind, depth: usize) -> Option<Expr> {
        let how = match kind {
            Kind::Int if self.has(Feature::IntegerDivision) => {
                [Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Divide, Operator::Remainder]
                    [self.rng.weighted(&[3, 3, 3, 1, 1])]
            }
            Kind::Int => *self.rng.pick(&[Operator::Add, Operator::Subtract, Operator::Multiply]),
            Kind::Float if self.has(Feature::Power) && self.rng.chance(1, 4) => Operator::Power,
            Kind::Float => *self.rng.pick(&[Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Divide]),
            Kind::Text if self.has(Feature::Concat) => {
                return Some(Expr::Concat(Box::new(self.expr(kind, depth)), Box::new(self.expr(kind, depth))));
            }
            _ => return None,
        };
        let a = self.expr(kind, depth);
        let b = match how {
            Operator::Power => Expr::int(2),
            // By something that is not zero: an error would say nothing.
            Operator::Divide | Operator::Remainder => match kind {
                Kind::Int => Expr::int(*self.rng.pick(&[1, 2, 3, -2])),
                _ if self.disputed && self.rng.coin() => self.expr(kind, depth),
                _ => Expr::Literal(Literal::Float(*self.rng.pick(&[2.0, 0.5, -1.0]))),
            },
            _ if kind == Kind::Float && !self.disputed => {
                Expr::Literal(Literal::Float(*self.rng.pick(&[1.0, 2.0, 0.5, -1.5])))
            }
            _ => self.expr(kind, depth),
        };
        Some(Expr::Arithmetic(how, Box::new(a), Box::new(b)))
    }

    fn quantified(&mut self) -> Option<Expr> {
        let how = *self.rng.pick(&[Quantifier::Any, Quantifier::All, Quantifier::None, Quantifier::Single]);
        let (list, kind) = match self.rng.coin() {
            true => (self.some_property(&|k| k == [Kind::List])?.0, Kind::Int),
            false => {
                let kind = *self.rng.pick(&[Kind::Int, Kind::Text]);
                let members = (0..self.rng.range(1, 3)).map(|_| self.literal(kind)).collect();
                (Expr::Literal(Literal::List(members)), kind)
            }
        };
        let var = Expr::Var("e".into());
        let how_compared = *self.rng.pick(&Comparison::ALL);
        let right = self.some_property(&|k| k == [kind]).map_or_else(|| self.one_of(&[kind]), |(e, _)| e);
        let condition = Expr::compare(how_compared, var, right);
        Some(Expr::Quantified(how, "e".into(), Box::new(list), Box::new(condition)))
    }

    /// A pattern from a node in scope, where the dialect takes one as a truth value.
    pub fn exists(&mut self) -> Option<Expr> {
        if !self.has(Feature::PatternPredicate) && !self.has(Feature::ExistsSubquery) {
            return None;
        }
        self.path_around().map(|p| Expr::Exists(Box::new(p)))
    }

    /// How many such patterns there are, compared with a small number.
    pub fn path_count(&mut self) -> Option<Expr> {
        // Where relationships count by use, what an unnamed one counts for is not said.
        if !self.has(Feature::CountSubquery) || self.dialect.relationships_by_use {
            return None;
        }
        let count = Expr::PathCount(Box::new(self.path_around()?));
        let how = *self.rng.pick(&Comparison::ALL);
        Some(Expr::compare(how, count, Expr::int(self.rng.below(3) as i64)))
    }

    fn path_around(&mut self) -> Option<Path> {
        let nodes: Vec<String> =
            self.scope.iter().filter(|v| matches!(v.what, What::Node { .. })).map(|v| v.name.clone()).collect();
        if nodes.is_empty() || self.model.types.is_empty() {
            return None;
        }
        let direction = *self.rng.pick(&[Direction::Out, Direction::In]);
        let types = vec![self.rng.pick(&self.model.types).name.clone()];
        let plain = self.dialect.is_by_steps() && !self.has(Feature::NestedFilters);
        let labels =
            if !plain && self.rng.coin() { vec![self.rng.pick(&self.model.labels).name.clone()] } else { Vec::new() };
        let relationship = RelPattern { var: String::new(), types, direction, length: None, properties: Vec::new() };
        let end = NodePattern { var: String::new(), labels, properties: Vec::new() };
        let start = NodePattern { var: self.rng.pick(&nodes).clone(), labels: Vec::new(), properties: Vec::new() };
        Some(Path { start, steps: vec![(relationship, end)] })
    }
}
