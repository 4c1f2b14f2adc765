//! Random expressions over what is in scope. Kinds guide the choice, so that comparisons mean something; engines with
//! dynamic typing get mixtures now and then. Only deterministic, total functions appear (see `Param`).

use super::ast::*;
use super::generate::Generator;
use super::leaning::more;
use super::strict;
use super::typing::{Taint, Traits};
use qualm_core::dialect::sql::{Dialect, Feature, Kind, Param};

const COMPARISONS: &[(u32, Binary); 8] = &[
    (30, Binary::Eq),
    (12, Binary::Lt),
    (12, Binary::Gt),
    (9, Binary::Le),
    (9, Binary::Ge),
    (12, Binary::Ne),
    (5, Binary::Is),
    (5, Binary::IsNot),
];
const JSON_PATHS: &[&str] = &["$", "$.a", "$[0]", "$.a[1].b", "$[1]"];
const FORMATS: &[&str] = &["%s", "%d", "%q", "%05d", "%x", "[%s]", "%.2f", "%c"];
const DATES: &[&str] = &["2020-02-29", "1970-01-01", "2000-01-01 12:00:00", "12:30", "not a date"];
const DATE_FORMATS: &[&str] = &["%Y", "%m-%d", "%j", "%s", "%H:%M"];
const PATTERNS: &[&str] = &["%", "a%", "%a", "_", "%b%", "A_", "", "1%", "a", "a!%", "%1%"];
const GLOBS: &[&str] = &["*", "a*", "*b", "?", "[a-c]*", "A*", "1*", "", "a"];

/// One in so many sides of a comparison says how it compares, and one in so many literals is of another kind than what
/// it is compared with.
const COLLATED: u32 = 16;
const MIXED: u32 = 6;

/// The weight of predicates over what the state says, beside those in `predicate`.
const ECHOES: u32 = 24;

/// Makes a truth value of at most this depth.
type PredicateMaker<G> = fn(&mut G, u32) -> Expr;
/// The same for a value of about this kind.
type ValueMaker<G> = fn(&mut G, Kind, u32) -> Expr;

impl Generator<'_> {
    /// A truth value over the scope.
    pub fn predicate(&mut self, depth: u32) -> Expr {
        let deep = u32::from(depth > 0);
        let nest = u32::from(depth > 0 && self.subqueries > 0 && !self.schema_is_empty());
        let row = u32::from(self.has(Feature::RowValue));
        let truth = u32::from(self.has(Feature::IsTruth));
        let echoes = u32::from(!self.state.is_empty());
        let lean = self.leaning;
        let (listed, joined) = (more(lean.alternatives), more(lean.joins));
        // Where only columns of one kind meet, few have values in common: most chains are true of no row.
        let chained = if self.dialect().dynamic_typing { 4 } else { 1 };
        let choices: [(u32, PredicateMaker<Self>); 17] = [
            (46, Self::comparison),
            (9 * joined, Self::null_test),
            (7, Self::between),
            (8 * listed, Self::in_list),
            (6, |g, _| g.like()),
            (13 * deep, |g, depth| g.predicate(depth - 1).and(g.predicate(depth - 1))),
            (10 * deep, |g, depth| g.predicate(depth - 1).or(g.predicate(depth - 1))),
            (5 * deep, |g, depth| g.predicate(depth - 1).negate()),
            (4 * joined, Self::bare_truth),
            (self.nesting * nest * listed, |g, depth| g.subquery_predicate(depth - 1)),
            (3 * deep, |g, depth| g.case_of_predicates(depth - 1)),
            (2 * truth * deep, |g, depth| g.truth_test(depth - 1)),
            (3 * row * listed, |g, _| g.row_comparison()),
            (chained * deep * more(lean.collations || lean.affinities), Self::equal_chain),
            (ECHOES * echoes * more(lean.searches || lean.orders), Self::echoed_predicate),
            (6 * deep * more(lean.alternatives || lean.collations), Self::alternatives),
            (joined, Self::constant_condition),
        ];
        let make = self.rng.pick_weighted(&choices);
        make(self, depth)
    }

    fn case_of_predicates(&mut self, depth: u32) -> Expr {
        let (when, then, other) = (self.predicate(depth), self.predicate(depth), self.predicate(depth));
        Expr::Case { operand: None, arms: vec![(when, then)], otherwise: Some(Box::new(other)) }
    }

    /// `p IS [NOT] TRUE` or `FALSE`.
    fn truth_test(&mut self, depth: u32) -> Expr {
        self.uses(Feature::IsTruth);
        let (test, negated) = (self.rng.coin(), self.rng.coin());
        Expr::IsTruth { expr: Box::new(self.predicate(depth)), test, negated }
    }

    fn bare_truth(&mut self, depth: u32) -> Expr {
        if self.dialect().dynamic_typing {
            let kind = *self.rng.pick(&[Kind::Int, Kind::Real, Kind::Text, Kind::Any]);
            return self.value(kind, depth.saturating_sub(1));
        }
        let kind = strict::truth_kind(self.dialect());
        match self.column(Some(kind)) {
            Some((c, _)) => c,
            None => self.comparison(0),
        }
    }

    /// A kind to begin with; in a strict dialect never an undecided one.
    pub fn some_kind(&mut self) -> Kind {
        if self.dialect().dynamic_typing {
            return *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Real, Kind::Any]);
        }
        if let Some(kind) = self.special_kind(4) {
            return kind;
        }
        let kind = *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Int, Kind::Real, Kind::Bool]);
        if self.dialect().plain_type(kind).is_some() { kind } else { Kind::Int }
    }

    /// The kind of an expression that this generator made.
    pub fn kind_of(&self, e: &Expr) -> Kind {
        let of = |x: &Expr| self.kind_of(x);
        match e {
            Expr::Literal(Literal::Null) | Expr::Collate { .. } | Expr::Row(_) => Kind::Any,
            Expr::Literal(Literal::Bool(_)) => strict::truth_kind(self.dialect()),
            Expr::Literal(Literal::Int(_)) => Kind::Int,
            Expr::Literal(Literal::Real(_)) => Kind::Real,
            Expr::Literal(Literal::Text(_)) => Kind::Text,
            Expr::Literal(Literal::Blob(_)) => Kind::Blob,
            Expr::Literal(Literal::Special(kind, _)) => Kind::Special(*kind),
            Expr::Column { table, column } => {
                let found = self.scope.iter().rev().find(|v| v.table == *table && v.name == *column);
                found.map_or(Kind::Any, |v| v.traits.kind)
            }
            Expr::Unary(op, x) => strict::unary(*op, of(x), self.dialect()).unwrap_or(Kind::Any),
            Expr::Binary(op, a, b) => strict::binary(*op, of(a), of(b), self.dialect()).unwrap_or(Kind::Any),
            Expr::Case { arms, otherwise, .. } => {
                let mut values = arms.iter().map(|(_, then)| then).chain(otherwise.as_deref()).map(of);
                values.find(|k| *k != Kind::Any).unwrap_or(Kind::Any)
            }
            Expr::Cast { type_name, .. } => self.dialect().cast_target(type_name).unwrap_or(Kind::Any),
            Expr::Call { function, args } => {
                let args: Vec<Traits> = args.iter().map(|x| Traits::of(of(x))).collect();
                strict::call(function, &args, self.dialect()).unwrap_or(Kind::Any)
            }
            Expr::Aggregate(a) => match (a.function.as_str(), a.args.first()) {
                ("sum" | "min" | "max", Some(x)) => of(x),
                ("avg", _) => Kind::Real,
                (name, _) => self.dialect().aggregates_named(name).next().map_or(Kind::Int, |f| f.result),
            },
            Expr::Window(_) | Expr::Scalar(_) => Kind::Any,
            Expr::IsNull { .. }
            | Expr::IsTruth { .. }
            | Expr::Between { .. }
            | Expr::InList { .. }
            | Expr::InQuery { .. }
            | Expr::Like { .. }
            | Expr::Exists { .. } => strict::truth_kind(self.dialect()),
        }
    }

    /// A column that may stand anywhere, with what is known of it; prefers those of the query at hand.
    pub(super) fn column(&mut self, wanted: Option<Kind>) -> Option<(Expr, Kind)> {
        let local = self.frame;
        let mixes = self.leaning.affinities && self.dialect().dynamic_typing && self.rng.chance(1, 3);
        let wanted = if mixes { wanted.map(|_| Kind::Any) } else { wanted };
        for _ in 0..4 {
            let (low, high) = if local < self.scope.len() && self.rng.chance(7, 8) {
                (local, self.scope.len())
            } else {
                (0, self.scope.len())
            };
            if low == high {
                return None;
            }
            let at = low + self.rng.below(high - low);
            let c = &self.scope[at];
            if c.traits.taint != Taint::Clear || wanted.is_some_and(|k| k != c.traits.kind && k != Kind::Any) {
                continue;
            }
            let kind = c.traits.kind;
            if wanted.is_none() && self.dialect().special(kind).is_some_and(|k| !k.equals) {
                continue;
            }
            return Some((Expr::Column { table: c.table.clone(), column: c.name.clone() }, kind));
        }
        None
    }

    /// A column whose text is known only up to its collation, in the one comparison that does not mind.
    fn collated_column(&mut self) -> Option<Expr> {
        let low = self.frame.min(self.scope.len());
        let at = (low..self.scope.len()).find(|i| self.scope[*i].traits.taint == Taint::Collated)?;
        let c = &self.scope[at];
        Some(Expr::Column { table: c.table.clone(), column: c.name.clone() })
    }

    fn comparison_operator(&mut self) -> Binary {
        if self.has(Feature::IsDistinctFrom) && self.rng.chance(1, 24) {
            self.uses(Feature::IsDistinctFrom);
            return if self.rng.coin() { Binary::IsDistinctFrom } else { Binary::IsNotDistinctFrom };
        }
        *self.rng.pick_weighted(COMPARISONS)
    }

    pub(super) fn comparison(&mut self, depth: u32) -> Expr {
        let op = self.comparison_operator();
        if self.rng.chance(1, 12)
            && let Some(column) = self.collated_column()
        {
            let literal = self.literal(Kind::Text);
            return Expr::Binary(op, Box::new(column), Box::new(literal));
        }
        let (left, kind) = match self.column(None) {
            Some(found) if depth == 0 || self.rng.chance(4, 5) => found,
            _ => {
                let kind = *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Int, Kind::Real]);
                (self.value(kind, depth.saturating_sub(1)), kind)
            }
        };
        let columns = 6 * more(self.leaning.collations);
        let right = match self.rng.weighted(&[11, columns, 4]) {
            0 => self.fitting_literal(kind),
            1 => match self.column(Some(kind)) {
                Some((c, _)) => c,
                None => self.fitting_literal(kind),
            },
            _ => self.value(kind, depth.saturating_sub(1)),
        };
        let op = if self.is_ordered(kind) || !op.is_order() { op } else { Binary::Eq };
        let (left, right) = if self.rng.chance(1, 5) { (right, left) } else { (left, right) };
        let (left, right) = (self.maybe_collate(left), self.maybe_collate(right));
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub(super) fn maybe_collate(&mut self, e: Expr) -> Expr {
        if !self.collations || !self.has(Feature::Collate) || !self.rng.chance(more(self.leaning.collations), COLLATED)
        {
            return e;
        }
        let collation = (*self.rng.pick(self.dialect().collations)).into();
        Expr::Collate { expr: Box::new(e), collation }
    }

    /// A literal to be compared with a value of this kind; of another kind now and then where types are dynamic.
    pub(super) fn fitting_literal(&mut self, kind: Kind) -> Expr {
        let kind = match kind {
            Kind::Int | Kind::Real if self.mixes() => *self.rng.pick(&[Kind::Text, Kind::Real, Kind::Int]),
            Kind::Text if self.mixes() => *self.rng.pick(&[Kind::Int, Kind::Real, Kind::Blob]),
            other => other,
        };
        self.literal(kind)
    }

    fn mixes(&mut self) -> bool {
        self.dialect().dynamic_typing && self.rng.chance(more(self.leaning.affinities), MIXED)
    }

    pub fn literal(&mut self, kind: Kind) -> Expr {
        let literal = self.pool.literal(kind, self.rng);
        self.notes_kind(kind);
        match self.dialect().cast(kind) {
            Some(type_name) if literal == Literal::Null && !self.dialect().dynamic_typing => {
                Expr::Cast { expr: Box::new(Expr::null()), type_name: type_name.into() }
            }
            _ => Expr::Literal(literal),
        }
    }

    fn null_test(&mut self, depth: u32) -> Expr {
        let negated = self.rng.chance(3, 5);
        let expr = match self.column(None) {
            Some((c, _)) if self.rng.chance(3, 4) => c,
            _ => self.value(Kind::Int, depth.saturating_sub(1)),
        };
        Expr::IsNull { expr: Box::new(expr), negated }
    }

    fn between(&mut self, depth: u32) -> Expr {
        let negated = self.rng.chance(1, 4);
        let (expr, kind) = self.column_or_value(depth);
        if !self.is_ordered(kind) {
            return Expr::InList { expr: Box::new(expr), list: vec![self.fitting_literal(kind)], negated };
        }
        let (low, high) = (self.fitting_literal(kind), self.fitting_literal(kind));
        // In order, so that something lies between.
        let (low, high) = match (&low, &high) {
            (Expr::Literal(Literal::Int(a)), Expr::Literal(Literal::Int(b))) if a > b => (high, low),
            (Expr::Literal(Literal::Text(a)), Expr::Literal(Literal::Text(b))) if a > b => (high, low),
            (Expr::Literal(Literal::Special(of, a)), Expr::Literal(Literal::Special(_, b))) => {
                let at =
                    |text: &str| self.dialect().special(Kind::Special(*of))?.values.iter().position(|v| *v == text);
                if at(a) > at(b) { (high, low) } else { (low, high) }
            }
            _ => (low, high),
        };
        let high = if self.rng.chance(1, 5) { self.column(Some(kind)).map_or(high, |(c, _)| c) } else { high };
        Expr::Between { expr: Box::new(expr), low: Box::new(low), high: Box::new(high), negated }
    }

    fn column_or_value(&mut self, depth: u32) -> (Expr, Kind) {
        match self.column(None) {
            Some(found) if self.rng.chance(5, 6) => found,
            _ => (self.value(Kind::Int, depth.saturating_sub(1)), Kind::Int),
        }
    }

    fn in_list(&mut self, depth: u32) -> Expr {
        let negated = self.rng.chance(1, 4);
        let (expr, kind) = self.column_or_value(depth);
        let n = self.rng.range(1, 4);
        let mut list = Vec::with_capacity(n);
        for _ in 0..n {
            let item = match self.rng.weighted(&[12, 1, 1]) {
                0 => self.fitting_literal(kind),
                1 => self.column(Some(kind)).map_or_else(Expr::null, |(c, _)| c),
                _ => self.value(kind, depth.saturating_sub(1)),
            };
            list.push(item);
        }
        // Readers take a list that begins with a query in parentheses for a query.
        if matches!(list.first(), Some(Expr::Scalar(_))) {
            list[0] = self.fitting_literal(kind);
        }
        Expr::InList { expr: Box::new(expr), list, negated }
    }

    fn like(&mut self) -> Expr {
        let glob = self.has(Feature::Glob) && self.rng.chance(1, 3);
        let expr = match self.column(Some(Kind::Text)) {
            Some((c, _)) => c,
            None if self.dialect().dynamic_typing => self.column(None).map_or_else(|| Expr::text("a"), |(c, _)| c),
            None => Expr::text("a"),
        };
        let negated = self.rng.chance(1, 5);
        if self.rng.chance(1, 4) {
            let pattern = Box::new(Expr::text(self.pool.text(self.rng)));
            return Expr::Like { glob, expr: Box::new(expr), pattern, escape: None, negated };
        }
        let pattern = *self.rng.pick(if glob { GLOBS } else { PATTERNS });
        let escape = (!glob && pattern.contains('!') && self.has(Feature::LikeEscape)).then_some('!');
        Expr::Like { glob, expr: Box::new(expr), pattern: Box::new(Expr::text(pattern)), escape, negated }
    }

    fn subquery_predicate(&mut self, depth: u32) -> Expr {
        self.subqueries -= 1;
        let negated = self.rng.chance(1, 3);
        match self.rng.weighted(&[4, 4, 3]) {
            0 => {
                let (expr, kind) = self.column_or_value(depth);
                Expr::InQuery { expr: Box::new(expr), query: Box::new(self.column_query(&[kind])), negated }
            }
            1 => Expr::Exists { query: Box::new(self.column_query(&[Kind::Any])), negated },
            _ => {
                let op = self.comparison_operator();
                let kind = if self.dialect().dynamic_typing || self.rng.chance(2, 3) { Kind::Int } else { Kind::Text };
                let scalar = Expr::Scalar(Box::new(self.scalar_query(kind)));
                let other = self.value(kind, 0);
                Expr::Binary(op, Box::new(other), Box::new(scalar))
            }
        }
    }

    /// `[NOT] EXISTS (SELECT … WHERE inner = outer)`, or the same with IN: a semi or an anti join to an optimiser.
    pub(super) fn tied_subquery(&mut self) -> Option<Expr> {
        let (ours, kind) = self.column(None)?;
        self.subqueries -= 1;
        self.uses(Feature::SemiJoin);
        let outer = (self.scope.len(), self.frame);
        let from = self.from(2.min(self.shape.from));
        let theirs = self.own_column(|t| t.taint == Taint::Clear && t.kind == kind).pop();
        let more = self.rng.chance(1, 3).then(|| self.predicate(1));
        self.scope.truncate(outer.0);
        self.frame = outer.1;
        let (theirs, negated) = (theirs?, self.rng.coin());
        let items = vec![Item::bare(theirs.clone())];
        let mut select = Select { items, from, filter: more, ..Select::default() };
        if self.rng.chance(1, 3) {
            return Some(Expr::InQuery { expr: Box::new(ours), query: Box::new(Query::of(select)), negated });
        }
        let tie = Expr::Binary(Binary::Eq, Box::new(theirs), Box::new(ours));
        select.filter = Some(match select.filter {
            Some(more) => tie.and(more),
            None => tie,
        });
        Some(Expr::Exists { query: Box::new(Query::of(select)), negated })
    }

    /// A value of about this kind.
    pub fn value(&mut self, kind: Kind, depth: u32) -> Expr {
        let strict = !self.dialect().dynamic_typing;
        let kind = if strict && kind == Kind::Any { self.some_kind() } else { kind };
        if strict && kind == Kind::Bool && depth > 0 && self.rng.coin() {
            return self.predicate(depth - 1);
        }
        let deep = u32::from(depth > 0);
        let nest = u32::from(depth > 0 && self.subqueries > 0 && !self.schema_is_empty());
        let echoes = u32::from(!self.state.is_empty() && depth > 0);
        // A truth value is a number there, and may be compared, summed and indexed.
        let truths = u32::from(!strict && matches!(kind, Kind::Int | Kind::Any));
        let choices: [(u32, ValueMaker<Self>); 10] = [
            (20, |g, kind, _| g.column(Some(kind)).map(|(c, _)| c).unwrap_or_else(|| g.literal(kind))),
            (9, |g, kind, _| g.literal(kind)),
            (9 * deep, |g, kind, depth| g.operator(kind, depth - 1)),
            (11 * deep, |g, kind, depth| g.call(kind, depth - 1)),
            (4 * deep, |g, kind, depth| g.case(kind, depth - 1)),
            (3 * deep, |g, kind, depth| g.cast(kind, depth - 1)),
            (nest, |g, kind, _| g.scalar(kind)),
            (2 * deep, |g, kind, depth| g.switch_case(kind, depth - 1)),
            (4 * echoes, |g, kind, depth| g.echo_or_value(kind, depth - 1)),
            (2 * deep * truths, |g, _, depth| g.predicate(depth - 1)),
        ];
        let make = self.rng.pick_weighted(&choices);
        make(self, kind, depth)
    }

    /// An expression of the state's where kinds may be mixed or it is of this one.
    fn echo_or_value(&mut self, kind: Kind, depth: u32) -> Expr {
        match self.echoed_value() {
            Some(e) if self.dialect().dynamic_typing || self.kind_of(&e) == kind => e,
            _ => self.value(kind, depth),
        }
    }

    /// `CASE WHEN p THEN … END`.
    fn case(&mut self, kind: Kind, depth: u32) -> Expr {
        let when = self.predicate(depth);
        let (then, other) = (self.value(kind, depth), self.value(kind, depth));
        let otherwise = if self.rng.chance(1, 5) { None } else { Some(Box::new(other)) };
        Expr::Case { operand: None, arms: vec![(when, then)], otherwise }
    }

    fn scalar(&mut self, kind: Kind) -> Expr {
        self.subqueries -= 1;
        Expr::Scalar(Box::new(self.scalar_query(kind)))
    }

    fn cast(&mut self, kind: Kind, depth: u32) -> Expr {
        if !self.dialect().dynamic_typing {
            return self.strict_cast(kind, depth);
        }
        let expr = Box::new(self.value(Kind::Any, depth));
        let names: &[&str] = match kind {
            Kind::Int => &["INTEGER"],
            Kind::Real => &["REAL", "NUMERIC"],
            Kind::Text => &["TEXT"],
            Kind::Blob => &["BLOB"],
            Kind::Bool | Kind::Any | Kind::Special(_) => &["INTEGER", "TEXT", "REAL", "NUMERIC", "BLOB"],
        };
        Expr::Cast { expr, type_name: (*self.rng.pick(names)).into() }
    }

    /// A cast that cannot fail.
    fn strict_cast(&mut self, kind: Kind, depth: u32) -> Expr {
        let from = match (self.special_cast_to(kind), kind) {
            (Some(from), _) => from,
            (None, Kind::Real | Kind::Text) if self.rng.coin() => Kind::Int,
            (None, other) => other,
        };
        let expr = self.value(from, depth);
        match self.dialect().cast(kind) {
            Some(name) => Expr::Cast { expr: Box::new(expr), type_name: name.into() },
            None => self.literal(kind),
        }
    }

    /// `CASE x WHEN a THEN … END`.
    fn switch_case(&mut self, kind: Kind, depth: u32) -> Expr {
        let (operand, of) = self.column_or_value(depth);
        let arms = (0..self.rng.range(1, 2)).map(|_| (self.fitting_literal(of), self.value(kind, 0))).collect();
        let otherwise = self.rng.coin().then(|| Box::new(self.value(kind, 0)));
        Expr::Case { operand: Some(Box::new(operand)), arms, otherwise }
    }

    /// Arithmetic that stays small and never fails: factors and divisors are small literals.
    fn strict_operator(&mut self, kind: Kind, depth: u32) -> Expr {
        use Binary::*;
        if let Some(made) = self.special_operator(kind, depth) {
            return made;
        }
        if !matches!(kind, Kind::Int | Kind::Real) {
            return match kind {
                Kind::Bool => self.predicate(depth),
                _ => self.literal(kind),
            };
        }
        let value = Box::new(self.value(kind, depth));
        let small = Expr::int(self.rng.range(2, 5) as i64);
        let bits = u32::from(kind == Kind::Int && self.has(Feature::BitOperators));
        let modulo = u32::from(kind == Kind::Int && self.has(Feature::Modulo));
        let op = *self.rng.pick_weighted(&[
            (6, Some(Add)),
            (5, Some(Sub)),
            (3, Some(Mul)),
            // The opposite, which takes no second operand.
            (2, None),
            (2 * modulo, Some(Mod)),
            (bits, Some(BitAnd)),
            (bits, Some(BitOr)),
        ]);
        let Some(op) = op else { return Expr::Unary(Unary::Minus, value) };
        match op {
            Mod => self.uses(Feature::Modulo),
            BitAnd | BitOr => self.uses(Feature::BitOperators),
            _ => {}
        }
        let other = if matches!(op, Mul | Mod) { small } else { self.value(kind, depth) };
        Expr::Binary(op, value, Box::new(other))
    }

    fn operator(&mut self, kind: Kind, depth: u32) -> Expr {
        use Binary::*;
        if !self.dialect().dynamic_typing && kind != Kind::Text {
            return self.strict_operator(kind, depth);
        }
        let kind = if kind == Kind::Any { *self.rng.pick(&[Kind::Int, Kind::Real, Kind::Text]) } else { kind };
        if kind == Kind::Text {
            return Expr::Binary(
                Concat,
                Box::new(self.value(Kind::Text, depth)),
                Box::new(self.value(Kind::Text, depth)),
            );
        }
        if self.rng.chance(1, 6) {
            let op = *self.rng.pick(&[Unary::Minus, Unary::Plus, Unary::BitNot, Unary::Not]);
            return Expr::Unary(op, Box::new(self.value(kind, depth)));
        }
        if self.has(Feature::JsonArrow) && self.rng.chance(1, 24) {
            self.uses(Feature::JsonArrow);
            let op = if self.rng.coin() { JsonArrow } else { JsonArrowText };
            let (json, path) = (self.json(depth), Expr::text(*self.rng.pick(JSON_PATHS)));
            return Expr::Binary(op, Box::new(json), Box::new(path));
        }
        let op = *self.rng.pick(&[Add, Sub, Mul, Div, Mod, BitAnd, BitOr, ShiftLeft, ShiftRight, Add, Add, Eq, Lt]);
        Expr::Binary(op, Box::new(self.value(kind, depth)), Box::new(self.value(kind, depth)))
    }

    fn call(&mut self, kind: Kind, depth: u32) -> Expr {
        let functions = self.dialect().functions;
        if let Some(made) = self.special_call(kind, depth) {
            return made;
        }
        if self.has_catalogue()
            && self.rng.coin()
            && let Some(made) = self.catalogued_call(kind, depth)
        {
            return made;
        }
        for _ in 0..6 {
            let i = self.rng.below(self.profile.basic_functions());
            let f = &functions[i];
            let fits = f.result == kind || f.result == Kind::Any || kind == Kind::Any || self.mixes();
            if !fits || !self.profile.has_function(i) || strict_blob(f.params, kind, self.dialect()) {
                continue;
            }
            self.used.add(super::profile::function_bit(i));
            let args = f.params.iter().map(|p| self.argument(*p, f.name, kind, depth)).collect();
            return Expr::Call { function: f.name.into(), args };
        }
        self.literal(kind)
    }

    pub(super) fn argument(&mut self, param: Param, function: &str, kind: Kind, depth: u32) -> Expr {
        match param {
            Param::Of(Kind::Any) => {
                let kind = *self.rng.pick(&[Kind::Int, Kind::Text, Kind::Real]);
                self.value(kind, depth)
            }
            Param::Of(Kind::Bool) => self.predicate(depth),
            Param::Of(_) if depth == 0 && self.mixes() => {
                self.column(None).map_or_else(|| self.literal(kind), |(c, _)| c)
            }
            Param::Of(k) => self.value(k, depth),
            Param::Same => self.value(kind, depth),
            Param::SmallInt => Expr::int(self.rng.below(6) as i64 - 2),
            Param::Json => self.json(depth),
            Param::JsonPath => Expr::text(*self.rng.pick(JSON_PATHS)),
            Param::Format if function == "strftime" => Expr::text(*self.rng.pick(DATE_FORMATS)),
            Param::Format => Expr::text(*self.rng.pick(FORMATS)),
            Param::Date => Expr::text(*self.rng.pick(DATES)),
            Param::Probability => Expr::Literal(Literal::Real(*self.rng.pick(&[0.0, 0.25, 0.5, 1.0]))),
            Param::Pattern => Expr::text(*self.rng.pick(PATTERNS)),
            Param::Word(words) => Expr::text(*self.rng.pick(words)),
        }
    }
}

/// `greatest(x, y)` and the like are not for every kind in a strict dialect.
fn strict_blob(params: &[Param], kind: Kind, dialect: &Dialect) -> bool {
    let chosen = !dialect.has_least(kind);
    !dialect.dynamic_typing && chosen && params.contains(&Param::Same)
}
