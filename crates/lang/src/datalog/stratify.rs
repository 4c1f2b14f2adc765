//! What depends on what: the graph of relations, its strongly connected components in the order in which they can be
//! computed, and how a change in one relation shows in the output. Knows nothing of dialects or values.

use super::ast::*;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::EdgeRef;

/// How a relation in a body acts on the head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// More there, more here.
    Plus,
    /// More there, less here: negation.
    Minus,
    /// More there may be either: inside an aggregate, or in the condition of a subsumption.
    Either,
}

/// How the output changes when a relation gets more tuples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polarity {
    /// Not at all: it does not reach the output.
    Unused,
    Grows,
    Shrinks,
    Mixed,
}

impl Polarity {
    fn join(self, other: Polarity) -> Polarity {
        match (self, other) {
            (Polarity::Unused, p) | (p, Polarity::Unused) => p,
            (a, b) if a == b => a,
            _ => Polarity::Mixed,
        }
    }

    fn through(self, sign: Sign) -> Polarity {
        match (self, sign) {
            (Polarity::Unused, _) => Polarity::Unused,
            (p, Sign::Plus) => p,
            (Polarity::Grows, Sign::Minus) => Polarity::Shrinks,
            (Polarity::Shrinks, Sign::Minus) => Polarity::Grows,
            _ => Polarity::Mixed,
        }
    }
}

/// Relations by their place in the program; edges lead from a head to what its body needs.
pub struct Dependencies {
    graph: DiGraph<(), Sign>,
}

/// Relations that are computed together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stratum {
    pub relations: Vec<usize>,
    pub recursive: bool,
}

impl Dependencies {
    /// Relations that are not declared are left out; `check` reports them.
    pub fn of(program: &Program) -> Dependencies {
        let mut graph = DiGraph::with_capacity(program.relations.len(), program.rules.len() * 3);
        for _ in &program.relations {
            graph.add_node(());
        }
        let mut found = Dependencies { graph };
        for rule in &program.rules {
            for head in rule.heads.iter().filter_map(|h| program.place(&h.relation)) {
                found.add(program, head, &rule.body, Sign::Plus);
            }
        }
        for s in &program.subsumptions {
            if let Some(head) = program.place(&s.relation) {
                found.add(program, head, &s.body, Sign::Either);
            }
        }
        found
    }

    fn add(&mut self, program: &Program, head: usize, body: &[Literal], sign: Sign) {
        each_use(body, sign, &mut |name, sign| {
            let Some(used) = program.place(name) else { return };
            let (head, used) = (NodeIndex::new(head), NodeIndex::new(used));
            if !self.graph.edges_connecting(head, used).any(|e| *e.weight() == sign) {
                self.graph.add_edge(head, used, sign);
            }
        });
    }

    /// The components, each after those it needs; or a relation that needs its own complement.
    pub fn strata(&self) -> Result<Vec<Stratum>, usize> {
        let mut strata = Vec::new();
        let mut component = vec![0; self.graph.node_count()];
        for (i, members) in tarjan_scc(&self.graph).into_iter().enumerate() {
            members.iter().for_each(|m| component[m.index()] = i);
            let recursive = members.len() > 1 || self.graph.contains_edge(members[0], members[0]);
            let mut relations: Vec<usize> = members.iter().map(|m| m.index()).collect();
            relations.sort_unstable();
            strata.push(Stratum { relations, recursive });
        }
        for edge in self.graph.edge_references() {
            let (head, used) = (edge.source().index(), edge.target().index());
            if component[head] == component[used] && *edge.weight() != Sign::Plus {
                return Err(head);
            }
        }
        Ok(strata)
    }

    /// For each relation, what more tuples in it do to the output.
    pub fn polarities(&self, program: &Program) -> Vec<Polarity> {
        let mut found = vec![Polarity::Unused; self.graph.node_count()];
        let Some(output) = program.place(&program.output) else { return found };
        // Of the tuples that are derived only some stay, and which ones may change with each new one.
        let choosy: Vec<bool> = program
            .relations
            .iter()
            .map(|r| !r.choice.is_empty() || program.subsumptions.iter().any(|s| s.relation == r.name))
            .collect();
        let settle = |at: usize, p: Polarity| if choosy[at] { Polarity::Mixed } else { p };
        found[output] = settle(output, Polarity::Grows);
        let mut todo = vec![output];
        while let Some(head) = todo.pop() {
            for edge in self.graph.edges(NodeIndex::new(head)) {
                let used = edge.target().index();
                let next = settle(used, found[used].join(found[head].through(*edge.weight())));
                if next != found[used] {
                    found[used] = next;
                    todo.push(used);
                }
            }
        }
        found
    }

    /// Whether the first relation needs the second, over any number of rules.
    pub fn needs(&self, from: usize, to: usize) -> bool {
        let (mut seen, mut todo) = (vec![false; self.graph.node_count()], vec![NodeIndex::new(from)]);
        while let Some(at) = todo.pop() {
            for next in self.graph.neighbors(at) {
                if next.index() == to {
                    return true;
                }
                if !std::mem::replace(&mut seen[next.index()], true) {
                    todo.push(next);
                }
            }
        }
        false
    }
}

/// Each use of a relation in a body, with how it acts there.
pub fn each_use<'a>(body: &'a [Literal], sign: Sign, see: &mut dyn FnMut(&'a Name, Sign)) {
    each_atom(body, sign, see);
    for literal in body {
        literal.each_aggregate(&mut |a| each_atom(&a.body, Sign::Either, see));
    }
}

/// The uses outside of aggregates.
fn each_atom<'a>(body: &'a [Literal], sign: Sign, see: &mut dyn FnMut(&'a Name, Sign)) {
    for literal in body {
        match literal {
            Literal::Atom(a) => see(&a.relation, sign),
            Literal::Not(a) => see(&a.relation, if sign == Sign::Plus { Sign::Minus } else { Sign::Either }),
            Literal::Compare(..) | Literal::Test(..) => {}
            Literal::Or(arms) => arms.iter().for_each(|arm| each_atom(arm, sign, see)),
        }
    }
}
