//! In which order rules are evaluated one by one: the precedence graph of rules, the part of it that a new rule
//! affects, and its condensation. Knows nothing of facts.

use crate::datalog::ast::*;
use crate::datalog::stratify::{Sign, each_use};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// One head of a rule with its body: what is evaluated alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Clause {
    pub rule: usize,
    /// Which of the rule's heads.
    pub head: usize,
    /// The relation it derives, by its place.
    pub relation: usize,
    /// The relations of the body, and how they act.
    pub uses: Vec<(usize, Sign)>,
}

/// Clauses that are evaluated as one program: a single one, or all of a relation whose tuples depend on each other
/// (an equivalence relation, a subsumption).
pub type Unit = Vec<usize>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Nothing in it depends on it.
    Once(Unit),
    /// A cycle without negation: its units are evaluated in turn until nothing changes.
    Fixpoint(Vec<Unit>),
    /// A cycle through a negation or an aggregate: all clauses in one program.
    Together(Vec<usize>),
}

/// Clauses, and which of them derive and use each relation. An edge of the graph leads from a clause to those that use
/// what it derives.
#[derive(Clone, Debug, Default)]
pub struct Precedence {
    pub clauses: Vec<Clause>,
    pub by_head: Vec<Vec<usize>>,
    by_use: Vec<Vec<usize>>,
    /// Relations whose clauses cannot be distinguished.
    closed: Vec<bool>,
}

impl Precedence {
    /// Of all rules of a program whose relations are all declared.
    pub fn of(program: &Program) -> Precedence {
        let mut found = Precedence::default();
        for relation in &program.relations {
            found.declare(is_closed(relation, &program.subsumptions));
        }
        for (i, rule) in program.rules.iter().enumerate() {
            for clause in clauses_of(i, rule, &|name| program.place(name)) {
                found.push(clause);
            }
        }
        found
    }

    pub fn declare(&mut self, closed: bool) {
        self.by_head.push(Vec::new());
        self.by_use.push(Vec::new());
        self.closed.push(closed);
    }

    pub fn close(&mut self, relation: usize) {
        self.closed[relation] = true;
    }

    pub fn is_closed(&self, relation: usize) -> bool {
        self.closed[relation]
    }

    pub fn push(&mut self, clause: Clause) {
        let at = self.clauses.len();
        self.by_head[clause.relation].push(at);
        for (used, _) in &clause.uses {
            if self.by_use[*used].last() != Some(&at) {
                self.by_use[*used].push(at);
            }
        }
        self.clauses.push(clause);
    }

    /// Takes back what was declared and pushed last, down to so many relations and clauses.
    pub fn truncate(&mut self, relations: usize, clauses: usize) {
        for clause in self.clauses.drain(clauses..) {
            let drop = |list: &mut Vec<usize>| list.retain(|c| *c < clauses);
            drop(&mut self.by_head[clause.relation]);
            clause.uses.iter().for_each(|(used, _)| drop(&mut self.by_use[*used]));
        }
        self.by_head.truncate(relations);
        self.by_use.truncate(relations);
        self.closed.truncate(relations);
    }

    /// These clauses and all that depend on them: what a new rule makes stale.
    pub fn affected(&self, from: &[usize]) -> Vec<usize> {
        self.reach(from, |c| &self.by_use[self.clauses[c].relation])
    }

    /// The clauses that a relation depends on.
    pub fn needed(&self, relation: usize) -> Vec<usize> {
        let mut found = Vec::new();
        let (mut seen, mut todo) = (vec![false; self.by_head.len()], vec![relation]);
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            found.extend(&self.by_head[at]);
            todo.extend(self.by_head[at].iter().flat_map(|c| self.clauses[*c].uses.iter().map(|(used, _)| *used)));
        }
        found.sort_unstable();
        found
    }

    fn reach<'a>(&'a self, from: &[usize], next: impl Fn(usize) -> &'a Vec<usize>) -> Vec<usize> {
        let (mut seen, mut todo) = (vec![false; self.clauses.len()], from.to_vec());
        let mut found = Vec::new();
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            found.push(at);
            todo.extend(next(at));
            if self.closed[self.clauses[at].relation] {
                todo.extend(&self.by_head[self.clauses[at].relation]);
            }
        }
        found.sort_unstable();
        found
    }

    /// The units of these clauses, each after those it needs, cycles condensed. Whole units must be given.
    pub fn schedule(&self, clauses: &[usize]) -> Vec<Node> {
        let mut units: Vec<Unit> = Vec::new();
        let mut unit_of_relation = vec![usize::MAX; self.by_head.len()];
        for c in clauses {
            let relation = self.clauses[*c].relation;
            match self.closed[relation] && unit_of_relation[relation] != usize::MAX {
                true => units[unit_of_relation[relation]].push(*c),
                false => {
                    unit_of_relation[relation] = units.len();
                    units.push(vec![*c]);
                }
            }
        }
        let mut of_clause = vec![usize::MAX; self.clauses.len()];
        units.iter().enumerate().for_each(|(u, unit)| unit.iter().for_each(|c| of_clause[*c] = u));
        let mut graph: DiGraph<(), Sign> = DiGraph::with_capacity(units.len(), units.len() * 2);
        for _ in &units {
            graph.add_node(());
        }
        for (u, unit) in units.iter().enumerate() {
            for (used, sign) in unit.iter().flat_map(|c| &self.clauses[*c].uses) {
                let producers = self.by_head[*used].iter().map(|p| of_clause[*p]).filter(|p| *p != usize::MAX);
                for p in producers {
                    graph.add_edge(NodeIndex::new(p), NodeIndex::new(u), *sign);
                }
            }
        }
        let mut component = vec![0; units.len()];
        let mut components = tarjan_scc(&graph);
        // It gives those first that lead nowhere.
        components.reverse();
        for (i, members) in components.iter().enumerate() {
            members.iter().for_each(|m| component[m.index()] = i);
        }
        let mut negated = vec![false; components.len()];
        for edge in graph.raw_edges() {
            let (from, to) = (component[edge.source().index()], component[edge.target().index()]);
            negated[from] |= from == to && edge.weight != Sign::Plus;
        }
        let node = |(i, members): (usize, Vec<NodeIndex>)| {
            let cyclic = members.len() > 1 || graph.contains_edge(members[0], members[0]);
            let mut of: Vec<Unit> = members.iter().map(|m| units[m.index()].clone()).collect();
            of.sort_unstable();
            match (cyclic, negated[i]) {
                (false, _) => Node::Once(of.remove(0)),
                (true, false) => Node::Fixpoint(of),
                (true, true) => Node::Together(of.concat()),
            }
        };
        components.into_iter().enumerate().map(node).collect()
    }
}

/// Whether the tuples of a relation are more or fewer than what its clauses derive one by one.
pub fn is_closed(relation: &Relation, subsumptions: &[Subsumption]) -> bool {
    relation.has(Qualifier::Eqrel)
        || !relation.choice.is_empty()
        || subsumptions.iter().any(|s| s.relation == relation.name)
}

/// A clause for each head of a rule.
pub fn clauses_of(at: usize, rule: &Rule, place: &dyn Fn(&str) -> Option<usize>) -> Vec<Clause> {
    let mut uses: Vec<(usize, Sign)> = Vec::new();
    each_use(&rule.body, Sign::Plus, &mut |name, sign| {
        if let Some(used) = place(name).filter(|used| !uses.contains(&(*used, sign))) {
            uses.push((used, sign));
        }
    });
    // One list entry per relation is enough for `by_use`, so that the same ones stand together.
    uses.sort_unstable_by_key(|(used, _)| *used);
    let clause = |(head, atom): (usize, &Atom)| {
        place(&atom.relation).map(|relation| Clause { rule: at, head, relation, uses: uses.clone() })
    };
    rule.heads.iter().enumerate().filter_map(clause).collect()
}
