//! One rule at a time, over relations whose tuples are known from elsewhere: for programs that grow rule by rule. What
//! it costs does not grow with the rules that are there.

use super::*;

/// The relations that a rule can be built on, and the values of the test case.
pub struct Ground {
    growing: Growing,
}

/// A rule without the name of its relation, and the kinds of its arguments.
pub struct Single {
    pub head: Vec<Term>,
    pub kinds: Vec<Kind>,
    pub body: Vec<Literal>,
}

impl Ground {
    pub fn relations(&self) -> &[Relation] {
        &self.growing.program.relations
    }

    pub fn declare(&mut self, relation: Relation) {
        self.growing.program.relations.push(relation);
    }

    pub fn truncate(&mut self, relations: usize) {
        self.growing.program.relations.truncate(relations);
    }

    /// Values that the pool of their kind gets in addition, if the test case has that kind.
    pub fn add_values(&mut self, values: impl IntoIterator<Item = Constant>) {
        for value in values {
            if let Some((_, pool)) = self.growing.pool.iter_mut().find(|(k, _)| *k == value.kind()) {
                pool.push(value);
            }
        }
    }

    pub fn kinds(&self) -> Vec<Kind> {
        self.growing.pool.iter().map(|(kind, _)| *kind).collect()
    }
}

impl Generator<'_> {
    /// Values to choose from, and nothing else yet.
    pub fn ground(&mut self) -> Ground {
        let pool = self.pool(&Program::default());
        Ground { growing: Growing { program: Program::default(), contents: Contents::new(), pool } }
    }

    /// Relations of facts: the skeleton of a test case.
    pub fn skeleton(&mut self, ground: &mut Ground) -> Vec<Fact> {
        for _ in 0..self.range(self.parameters.inputs) {
            self.input(&mut ground.growing);
        }
        ground.growing.contents.clear();
        std::mem::take(&mut ground.growing.program.facts)
    }

    /// A tuple of values of the test case.
    pub fn guess(&mut self, ground: &Ground, kinds: &[Kind]) -> Vec<Constant> {
        kinds.iter().map(|kind| self.pooled(&ground.growing, *kind)).collect()
    }

    /// Body first, then head: of a new relation, or of one that is there.
    pub fn single(&mut self, ground: &mut Ground, contents: &mut Contents, head: Option<usize>) -> Option<Single> {
        std::mem::swap(&mut ground.growing.contents, contents);
        let made = self.single_over(&ground.growing, head);
        std::mem::swap(&mut ground.growing.contents, contents);
        made
    }

    fn single_over(&mut self, growing: &Growing, head: Option<usize>) -> Option<Single> {
        let (body, witness) = self.body(growing, None)?;
        let (args, kinds) = match head {
            None => self.new_head(&body, &witness),
            Some(at) => {
                let kinds: Vec<Kind> = growing.program.relations[at].attributes.iter().map(|a| a.kind).collect();
                (self.head_of(&kinds, growing, &witness)?, kinds)
            }
        };
        let mut rule = Rule::new(Atom::new("", args), body);
        self.functor_in_head(&mut rule, growing, &witness);
        let Rule { mut heads, body, .. } = rule;
        Some(Single { head: heads.remove(0).args, kinds, body })
    }
}
