//! Random patterns and whole queries around them.

use super::ast::*;
use super::check;
use super::express::{Generator, Variable, What};
use qualm_core::dialect::graph::{Feature, Form, Kind};

/// Which patterns an oracle can use.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// No OPTIONAL MATCH, no subquery: deleting takes rows away and adds none.
    pub monotone: bool,
    /// No path of variable length.
    pub fixed: bool,
    /// No filter.
    pub bare: bool,
}

impl Generator<'_> {
    fn name(&mut self, letter: char) -> String {
        self.fresh += 1;
        format!("{letter}{}", self.fresh - 1)
    }

    fn labels(&mut self) -> Vec<String> {
        if self.rng.chance(1, 4) {
            return Vec::new();
        }
        let indexed: Vec<&String> =
            self.indexed.iter().map(|(c, _)| c).filter(|c| self.model.labels.iter().any(|l| l.name == **c)).collect();
        let first = match !indexed.is_empty() && self.rng.coin() {
            true => self.rng.pick(&indexed).to_string(),
            false => self.rng.pick(&self.model.labels).name.clone(),
        };
        let second = self.rng.pick(&self.model.labels).name.clone();
        let two = self.has(Feature::SeveralLabels) && self.dialect.form == Form::Cypher && self.rng.chance(1, 12);
        if two && first != second { vec![first, second] } else { vec![first] }
    }

    /// A property map with one value, seldom.
    fn wanted_properties(&mut self, is_edge: bool, classes: &[String]) -> Vec<(String, Literal)> {
        if !self.rng.chance(1, 12) {
            return Vec::new();
        }
        let all = if is_edge { &self.model.types } else { &self.model.labels };
        let of = all.iter().filter(|c| classes.is_empty() || classes.contains(&c.name));
        let names: Vec<String> = of.flat_map(|c| c.properties.clone()).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let name = self.rng.pick(&names).clone();
        let kind = *self.rng.pick(self.model.kinds(&name));
        vec![(name, self.literal(kind))]
    }

    fn node(&mut self) -> NodePattern {
        let labels = self.labels();
        let properties = self.wanted_properties(false, &labels);
        let var = self.name('n');
        self.scope.push(Variable { name: var.clone(), what: What::Node { labels: labels.clone() } });
        NodePattern { var, labels, properties }
    }

    /// A node bound before, written without its labels.
    fn bound_node(&mut self) -> Option<NodePattern> {
        let nodes: Vec<&Variable> = self.scope.iter().filter(|v| matches!(v.what, What::Node { .. })).collect();
        (!nodes.is_empty()).then(|| NodePattern {
            var: self.rng.pick(&nodes).name.clone(),
            labels: Vec::new(),
            properties: Vec::new(),
        })
    }

    fn relationship(&mut self, wanted: Wanted) -> RelPattern {
        let mut types = Vec::new();
        if !self.rng.chance(1, 3) {
            types.push(self.rng.pick(&self.model.types).name.clone());
            let other = self.rng.pick(&self.model.types).name.clone();
            if self.has(Feature::TypeAlternatives) && !types.contains(&other) && self.rng.chance(1, 4) {
                types.push(other);
            }
        }
        let both = self.has(Feature::Undirected) && self.rng.chance(1, 4);
        let direction = match (both, self.rng.coin()) {
            (true, _) => Direction::Both,
            (_, true) => Direction::Out,
            _ => Direction::In,
        };
        let long = !wanted.fixed && self.has(Feature::VariableLength) && self.rng.chance(1, 8);
        let length = long.then(|| *self.rng.pick(self.dialect.lengths));
        let properties = if long { Vec::new() } else { self.wanted_properties(true, &types) };
        let var = self.name('r');
        let what = if long { What::Relationships } else { What::Relationship { types: types.clone() } };
        self.scope.push(Variable { name: var.clone(), what });
        RelPattern { var, types, direction, length, properties }
    }

    fn path(&mut self, start: NodePattern, steps: usize, wanted: Wanted) -> Path {
        let mut path = Path { start, steps: Vec::new() };
        let mut wanted = wanted;
        for _ in 0..steps {
            let relationship = self.relationship(wanted);
            // Two of variable length in one path are many rows and no more to see.
            wanted.fixed |= relationship.length.is_some();
            let node = self.node();
            path.steps.push((relationship, node));
        }
        path
    }

    fn filter(&mut self, wanted: Wanted, share: (u32, u32)) -> Option<Expr> {
        if wanted.bare || !self.rng.chance(share.0, share.1) {
            return None;
        }
        self.patterns = true;
        let filter = self.predicate(1);
        self.patterns = false;
        Some(filter)
    }

    /// The clauses of a query; afterwards the scope has their variables.
    pub fn clauses(&mut self, wanted: Wanted) -> Vec<Clause> {
        self.scope.clear();
        self.fresh = 0;
        let start = self.node();
        let steps = self.rng.weighted(&[5, 4, 2]);
        let first = self.path(start, steps, wanted);
        let mut paths = vec![first];
        if self.dialect.form == Form::Gremlin {
            self.choose_end(&mut paths[0]);
            let filter = self.filter(wanted, (1, 6));
            return vec![Clause::Match { optional: false, paths, filter }];
        }
        if self.rng.chance(1, 6)
            && let Some(start) = self.bound_node()
        {
            paths.push(self.path(start, 1, wanted));
        } else if steps == 0 && self.rng.chance(1, 12) {
            let alone = self.node();
            paths.push(Path { start: alone, steps: Vec::new() });
        }
        let filter = self.filter(wanted, (1, 5));
        let mut clauses = vec![Clause::Match { optional: false, paths, filter }];
        self.more_clauses(wanted, &mut clauses);
        clauses
    }

    /// Where a traversal ends: at the last node, or at the relationship before it, which is then the last in scope.
    fn choose_end(&mut self, path: &mut Path) {
        let single = path.steps.len() == 1;
        if let Some((r, n)) = path.steps.last_mut()
            && r.length.is_none()
            && self.rng.chance(2, 5)
        {
            self.scope.retain(|v| v.name != n.var);
            (n.labels, n.properties) = (Vec::new(), Vec::new());
            // All relationships, which are a way to begin of their own.
            if single && self.rng.coin() {
                r.direction = Direction::Out;
                (path.start.labels, path.start.properties) = (Vec::new(), Vec::new());
                self.scope.retain(|v| v.name != path.start.var);
            }
        }
        if !self.has(Feature::Select) {
            // Only the element where the path ends can be spoken of.
            let last = self.end();
            self.scope.retain(|v| Some(&v.name) == last.as_ref());
        }
    }

    /// The node or relationship where a traversal ends.
    pub fn end(&self) -> Option<String> {
        let element = |v: &&Variable| matches!(v.what, What::Node { .. } | What::Relationship { .. });
        self.scope.iter().rev().find(element).map(|v| v.name.clone())
    }

    fn more_clauses(&mut self, wanted: Wanted, clauses: &mut Vec<Clause>) {
        if self.has(Feature::With) && self.rng.chance(1, 10) {
            clauses.push(Clause::With { filter: self.filter(wanted, (1, 2)) });
        }
        if self.rng.chance(1, 5)
            && check::relationships(clauses).len() < 3
            && let Some(start) = self.bound_node()
        {
            let optional = !wanted.monotone && self.has(Feature::OptionalMatch) && self.rng.chance(3, 5);
            let path = self.path(start, 1, wanted);
            let filter = self.filter(wanted, (1, 4));
            clauses.push(Clause::Match { optional, paths: vec![path], filter });
        }
        if self.has(Feature::Unwind) && self.rng.chance(1, 16) {
            let var = self.name('u');
            let list = vec![Literal::Int(1), Literal::Int(2)];
            clauses.insert(0, Clause::Unwind { list, var: var.clone() });
            self.scope.push(Variable { name: var, what: What::Value(Kind::Int) });
        }
    }

    /// All nodes, relationships and values in scope, whole.
    pub fn everything(&self) -> Vec<Expr> {
        let used = |v: &&Variable| v.what != What::Relationships || self.dialect.form == Form::Cypher;
        self.scope.iter().filter(used).map(|v| self.whole(v)).collect()
    }

    /// What stands for a variable in an answer. Where a path comes in the order it was walked, its length does.
    fn whole(&self, variable: &Variable) -> Expr {
        let var = Expr::Var(variable.name.clone());
        let walked = self.dialect.relationships_by_use && variable.what == What::Relationships;
        if walked { Expr::Call(check::LENGTH.into(), vec![var]) } else { var }
    }

    /// The relationships in scope, where each of them has to be named.
    pub fn to_be_named(&self) -> Vec<Expr> {
        let relationships = self.scope.iter().filter(|v| {
            self.dialect.relationships_by_use && matches!(v.what, What::Relationship { .. } | What::Relationships)
        });
        relationships.map(|v| self.whole(v)).collect()
    }

    /// What a query gives back: whole elements, properties, values of expressions.
    pub fn items(&mut self) -> Vec<Expr> {
        if self.dialect.form == Form::Gremlin {
            return self.gremlin_items();
        }
        let mut items = match self.rng.weighted(&[5, 3, 3]) {
            0 => self.everything(),
            1 => {
                let all = self.everything();
                vec![self.rng.pick(&all).clone()]
            }
            _ => self.some_property(&|_| true).map(|(e, _)| e).into_iter().collect(),
        };
        if self.rng.chance(1, 4) {
            let kind = *self.rng.pick(self.dialect.kinds);
            items.push(self.expr(kind, 1));
        }
        if self.rng.chance(1, 12) {
            items.push(self.predicate(1));
        }
        self.name_relationships(&mut items);
        if items.is_empty() { self.everything() } else { items }
    }

    /// Where a relationship counts only when it is named elsewhere, it is.
    pub fn name_relationships(&mut self, items: &mut Vec<Expr>) {
        for relationship in self.to_be_named() {
            if !items.contains(&relationship) {
                items.push(relationship);
            }
        }
    }

    fn gremlin_items(&mut self) -> Vec<Expr> {
        let elements = self.everything();
        let last = self.end();
        match (self.rng.weighted(&[5, 4, 3]), last) {
            (1, _) if elements.len() > 1 => elements,
            (2, Some(last)) => {
                let kept = self.scope.clone();
                self.scope.retain(|v| v.name == last);
                let item = self.some_property(&|_| true).map(|(e, _)| e);
                self.scope = kept;
                item.into_iter().collect()
            }
            (_, Some(last)) => vec![Expr::Var(last)],
            _ => elements,
        }
    }

    pub fn query(&mut self, wanted: Wanted) -> Query {
        let clauses = self.clauses(wanted);
        let items = self.items();
        let mut query = Query { clauses, distinct: false, items, order_by: Vec::new() };
        if self.has(Feature::OrderBy) && self.rng.chance(1, 8) {
            query.order_by.extend(self.order(&query.items).map(|e| (e, self.rng.coin())));
        }
        query
    }

    fn order(&mut self, items: &[Expr]) -> Option<Expr> {
        let plain = |k: &[Kind]| matches!(k, [Kind::Int | Kind::Float | Kind::Text | Kind::Bool]);
        match (self.dialect.form, items) {
            (Form::Cypher, _) => self.some_property(&plain).map(|(e, _)| e),
            (Form::Gremlin, [Expr::Property(v, p)]) => plain(self.model.kinds(p)).then(|| Expr::property(v, p)),
            (Form::Gremlin, _) => self.end().map(|v| Expr::property(&v, KEY)),
        }
    }
}
