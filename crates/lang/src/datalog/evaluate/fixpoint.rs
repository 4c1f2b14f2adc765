//! One stratum: its rules are applied until nothing new comes, and then what is dominated goes. After the first round a
//! rule is applied only to what the round before brought: one subgoal takes its tuples from there, each in turn.

use super::super::stratify::{Sign, each_use};
use super::*;
use std::collections::BTreeMap;

/// Why nobody knows what stays of what was derived.
pub const SUBSUMED: &str = "subsumption in a recursive relation";
pub const CHOSEN: &str = "a choice between tuples";

/// Computes the relations of one stratum; all that they need is computed already. `left` is what remains of the steps.
pub fn compute(
    program: &Program,
    dialect: &DatalogDialect,
    stratum: &Stratum,
    contents: &mut Contents,
    bounds: Bounds,
    left: &mut u64,
) -> Result<(), Failure> {
    for &at in &stratum.relations {
        let name = &program.relations[at].name;
        let facts = program.facts.iter().filter(|f| f.relation == *name);
        contents[at].extend(facts.map(|f| f.values.clone()));
        close(&program.relations[at], &mut contents[at]);
    }
    let mut run = Run { program, dialect, contents, left: bounds.steps };
    let derived = run.derive(stratum, bounds);
    *left = run.left;
    derived?;
    for &at in &stratum.relations {
        run.subsume(at, stratum.recursive)?;
        run.choose(at)?;
    }
    *left = run.left;
    Ok(())
}

/// An equivalence relation holds what follows by reflexivity, symmetry and transitivity.
fn close(relation: &Relation, tuples: &mut BTreeSet<Tuple>) {
    if !relation.has(Qualifier::Eqrel) {
        return;
    }
    loop {
        let mut more = Vec::new();
        for t in tuples.iter() {
            more.push(vec![t[0].clone(), t[0].clone()]);
            more.push(vec![t[1].clone(), t[0].clone()]);
            let next = tuples.iter().filter(|u| u[0] == t[1]);
            more.extend(next.map(|u| vec![t[0].clone(), u[1].clone()]));
        }
        let before = tuples.len();
        tuples.extend(more);
        if tuples.len() == before {
            return;
        }
    }
}

struct Run<'a> {
    program: &'a Program,
    dialect: &'a DatalogDialect,
    contents: &'a mut Contents,
    left: u64,
}

/// A rule of a stratum, and which subgoals of its body are of the stratum; nothing where such subgoals stand in a
/// disjunction.
struct Concerned<'a> {
    rule: &'a Rule,
    inner: Option<Vec<(usize, usize)>>,
}

impl Run<'_> {
    fn derive(&mut self, stratum: &Stratum, bounds: Bounds) -> Result<(), Failure> {
        let program = self.program;
        let mine = |name: &Name| program.place(name).filter(|at| stratum.relations.contains(at));
        let inner = |rule: &Rule| {
            let deep = rule.body.iter().any(|l| {
                let mut found = false;
                if let Literal::Or(_) = l {
                    each_use(std::slice::from_ref(l), Sign::Plus, &mut |name, _| found |= mine(name).is_some());
                }
                found
            });
            let atoms = rule.atoms().filter_map(|(i, atom)| Some((i, mine(&atom.relation)?)));
            (!deep).then(|| atoms.collect())
        };
        let concerned = |rule: &&Rule| rule.heads.iter().any(|h| mine(&h.relation).is_some());
        let rules: Vec<Concerned> =
            program.rules.iter().filter(concerned).map(|rule| Concerned { rule, inner: inner(rule) }).collect();
        let mut new = vec![BTreeSet::new(); program.relations.len()];
        for Concerned { rule, .. } in &rules {
            self.apply(rule, None, stratum, bounds, &mut new)?;
        }
        while stratum.recursive && new.iter().any(|tuples| !tuples.is_empty()) {
            let last = std::mem::replace(&mut new, vec![BTreeSet::new(); program.relations.len()]);
            for Concerned { rule, inner } in &rules {
                let Some(inner) = inner else {
                    self.apply(rule, None, stratum, bounds, &mut new)?;
                    continue;
                };
                for (subgoal, at) in inner.iter().filter(|(_, at)| !last[*at].is_empty()) {
                    self.apply(rule, Some((*subgoal, &last[*at])), stratum, bounds, &mut new)?;
                }
            }
        }
        Ok(())
    }

    /// Each solution of a rule's body; where a subgoal is given, with one of these tuples for it.
    fn each_solution(
        &mut self,
        rule: &Rule,
        within: Option<(usize, &BTreeSet<Tuple>)>,
        emit: &mut Emit,
    ) -> Result<(), Failure> {
        let mut solver = Solver {
            program: self.program,
            dialect: self.dialect,
            contents: self.contents,
            left: self.left,
            outside: check::outside_aggregates(rule.heads.iter(), &rule.body),
        };
        let mut body = rule.body.clone();
        let mut width = rule.fresh_var();
        functors_apart(&mut body, &mut width);
        let mut bindings = vec![None; width as usize];
        let mut todo: Vec<&Literal> = body.iter().collect();
        let first = within.and_then(|(at, tuples)| match &body[at] {
            Literal::Atom(atom) => Some((at, tuples, atom)),
            _ => None,
        });
        let result = match first {
            Some((at, tuples, atom)) => {
                todo.remove(at);
                solver.each_tuple_of(tuples, atom, &mut todo, &mut bindings, emit)
            }
            None => solver.solve(&mut todo, &mut bindings, emit),
        };
        self.left = solver.left;
        result
    }

    /// Adds what a rule derives for the relations of the stratum, and notes in `new` what was not there.
    fn apply(
        &mut self,
        rule: &Rule,
        within: Option<(usize, &BTreeSet<Tuple>)>,
        stratum: &Stratum,
        bounds: Bounds,
        new: &mut Contents,
    ) -> Result<(), Failure> {
        let dialect = self.dialect;
        let mut derived: Vec<BTreeSet<Tuple>> = vec![BTreeSet::new(); rule.heads.len()];
        self.each_solution(rule, within, &mut |bindings| {
            for (head, set) in rule.heads.iter().zip(&mut derived) {
                set.insert(head.args.iter().map(|t| evaluate(t, bindings, dialect)).collect::<Result<_, _>>()?);
                if set.len() > bounds.tuples {
                    return Err(Failure::TooBig);
                }
            }
            Ok(())
        })?;
        for (head, set) in rule.heads.iter().zip(derived) {
            let place = self.program.place(&head.relation);
            let Some(at) = place.filter(|at| stratum.relations.contains(at)) else { continue };
            let eqrel = self.program.relations[at].has(Qualifier::Eqrel);
            let known = eqrel.then(|| self.contents[at].clone());
            for tuple in set {
                if !self.contents[at].contains(&tuple) {
                    new[at].insert(tuple.clone());
                    self.contents[at].insert(tuple);
                }
            }
            if let Some(known) = known {
                close(&self.program.relations[at], &mut self.contents[at]);
                new[at].extend(self.contents[at].difference(&known).cloned());
            }
            if self.contents[at].len() > bounds.tuples {
                return Err(Failure::TooBig);
            }
        }
        Ok(())
    }

    /// Takes away what is dominated. When each tuple that goes is dominated by one that stays, then the order in which
    /// an engine looks at them makes no difference.
    fn subsume(&mut self, at: usize, recursive: bool) -> Result<(), Failure> {
        let (relation, dialect) = (&self.program.relations[at], self.dialect);
        let rules: Vec<&Subsumption> =
            self.program.subsumptions.iter().filter(|s| s.relation == relation.name).collect();
        if rules.is_empty() {
            return Ok(());
        }
        if recursive {
            return Err(Failure::Undetermined(SUBSUMED));
        }
        let mut dominated: BTreeMap<Tuple, Vec<Tuple>> = BTreeMap::new();
        for s in rules {
            let heads = [&s.smaller, &s.larger].map(|args| Atom::new(relation.name.clone(), args.clone()));
            let mut body: Vec<Literal> = heads.iter().cloned().map(Literal::Atom).collect();
            body.extend(s.body.iter().cloned());
            let whole = Rule { heads: heads.to_vec(), body, plan: Vec::new() };
            self.each_solution(&whole, None, &mut |b| {
                let tuple = |args: &[Term]| args.iter().map(|t| evaluate(t, b, dialect)).collect();
                let pair: [Result<Tuple, Failure>; 2] = [tuple(&s.smaller), tuple(&s.larger)];
                let [small, large] = pair;
                let (small, large) = (small?, large?);
                if small != large {
                    dominated.entry(small).or_default().push(large);
                }
                Ok(())
            })?;
        }
        let stays = |t: &Tuple| !dominated.contains_key(t);
        if dominated.values().any(|by| !by.iter().any(stays)) {
            return Err(Failure::Undetermined("subsumption that is not an order"));
        }
        self.contents[at].retain(stays);
        Ok(())
    }

    fn choose(&mut self, at: usize) -> Result<(), Failure> {
        for key in &self.program.relations[at].choice {
            let keys: BTreeSet<Vec<&Constant>> =
                self.contents[at].iter().map(|t| key.iter().map(|i| &t[*i]).collect()).collect();
            if keys.len() < self.contents[at].len() {
                return Err(Failure::Undetermined(CHOSEN));
            }
        }
        Ok(())
    }
}

/// What a rule derives at once for the relation of its first head.
#[cfg(test)]
pub fn once(
    program: &Program,
    dialect: &DatalogDialect,
    contents: &Contents,
    rule: &Rule,
) -> Result<BTreeSet<Tuple>, Failure> {
    let mut contents = contents.clone();
    let mut run = Run { program, dialect, contents: &mut contents, left: 1_000_000 };
    let mut found = BTreeSet::new();
    run.each_solution(rule, None, &mut |bindings| {
        found.insert(rule.heads[0].args.iter().map(|t| evaluate(t, bindings, dialect)).collect::<Result<_, _>>()?);
        Ok(())
    })?;
    Ok(found)
}
