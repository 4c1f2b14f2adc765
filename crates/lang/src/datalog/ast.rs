//! The tree of a Datalog program, one for all dialects: plain data that can be stored, compared and shrunk. It knows
//! neither how a dialect spells a program nor what a program means.
//!
//! Variables are numbers that mean something within one rule; printers give them names. A variable that stands in an
//! aggregate and outside of it is the same variable; one that stands only inside belongs to the aggregate.

pub use qualm_core::dialect::datalog::{Comparison, Fold, Function, Functor, Kind, Operator, Qualifier, Test};
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

pub type Name = SmolStr;
pub type Var = u32;

/// A value. Floats are themselves bit for bit, because tuples are: −0.0 and 0.0 are two values here.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constant {
    Number(i64),
    Unsigned(u64),
    Float(#[serde(with = "any_float")] f64),
    Symbol(SmolStr),
    Built(Box<BuiltValue>),
}

/// A record, or a value of an algebraic type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BuiltValue {
    /// The place of the type in the program.
    pub kind: u16,
    /// Nothing: `nil`. The branch of a record has no name.
    pub branch: Option<Name>,
    pub fields: Vec<Constant>,
}

/// A type that a program declares: a record has one branch without a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltType {
    pub name: Name,
    pub branches: Vec<Branch>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Branch {
    pub name: Name,
    pub fields: Vec<Attribute>,
}

impl BuiltType {
    pub fn is_record(&self) -> bool {
        self.branches.len() == 1 && self.branches[0].name.is_empty()
    }

    pub fn branch(&self, name: &str) -> Option<&Branch> {
        self.branches.iter().find(|b| b.name == name)
    }
}

/// JSON has no infinities and no NaN: these are texts.
mod any_float {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }

    pub fn serialize<S: Serializer>(float: &f64, to: S) -> Result<S::Ok, S::Error> {
        if float.is_finite() { to.serialize_f64(*float) } else { to.serialize_str(&float.to_string()) }
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<f64, D::Error> {
        match Written::deserialize(from)? {
            Written::Number(float) => Ok(float),
            Written::Text(text) => text.parse().map_err(D::Error::custom),
        }
    }
}

impl Constant {
    pub fn kind(&self) -> Kind {
        match self {
            Constant::Number(_) => Kind::Number,
            Constant::Unsigned(_) => Kind::Unsigned,
            Constant::Float(_) => Kind::Float,
            Constant::Symbol(_) => Kind::Symbol,
            Constant::Built(b) => Kind::Built(b.kind),
        }
    }
}

impl PartialEq for Constant {
    fn eq(&self, other: &Constant) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Constant {}

impl PartialOrd for Constant {
    fn partial_cmp(&self, other: &Constant) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Constant {
    fn cmp(&self, other: &Constant) -> Ordering {
        match (self, other) {
            (Constant::Number(a), Constant::Number(b)) => a.cmp(b),
            (Constant::Unsigned(a), Constant::Unsigned(b)) => a.cmp(b),
            (Constant::Float(a), Constant::Float(b)) => a.total_cmp(b),
            (Constant::Symbol(a), Constant::Symbol(b)) => a.cmp(b),
            (Constant::Built(a), Constant::Built(b)) => a.cmp(b),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

impl Hash for Constant {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            Constant::Number(n) => n.hash(state),
            Constant::Unsigned(n) => n.hash(state),
            Constant::Float(f) => f.to_bits().hash(state),
            Constant::Symbol(s) => s.hash(state),
            Constant::Built(b) => b.hash(state),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    pub name: Name,
    pub attributes: Vec<Attribute>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qualifiers: Vec<Qualifier>,
    /// For each key (places of attributes) only one tuple is kept, whichever comes first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub choice: Vec<Vec<usize>>,
}

impl Relation {
    pub fn has(&self, qualifier: Qualifier) -> bool {
        self.qualifiers.contains(&qualifier)
    }

    pub fn arity(&self) -> usize {
        self.attributes.len()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    pub name: Name,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    pub relation: Name,
    pub values: Vec<Constant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// One or more.
    pub heads: Vec<Atom>,
    pub body: Vec<Literal>,
    /// In which order the atoms of the body are joined, from 1; empty: the engine chooses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<usize>,
}

/// `relation(smaller) <= relation(larger) :- body.`: a tuple goes when another one is there that dominates it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subsumption {
    pub relation: Name,
    pub smaller: Vec<Term>,
    pub larger: Vec<Term>,
    pub body: Vec<Literal>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Atom {
    pub relation: Name,
    pub args: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    Var(Var),
    Constant(Constant),
    Wildcard,
    Negate(Box<Term>),
    Binary(Operator, Box<Term>, Box<Term>),
    Call(Function, Box<Term>),
    Apply(Functor, Vec<Term>),
    /// A record or a value of an algebraic type; in a subgoal, or where it equals a value, a pattern.
    Build(Box<Build>),
    Aggregate(Box<Aggregate>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Build {
    /// The place of the type in the program.
    pub kind: u16,
    /// Nothing: `nil`. The branch of a record has no name.
    pub branch: Option<Name>,
    pub fields: Vec<Term>,
}

impl Build {
    /// The term; a constant where nothing in it varies, which is how a text is read.
    pub fn folded(self) -> Term {
        let constant = |t: &Term| if let Term::Constant(c) = t { Some(c.clone()) } else { None };
        match self.fields.iter().map(constant).collect::<Option<Vec<_>>>() {
            Some(fields) => {
                Term::Constant(Constant::Built(Box::new(BuiltValue { kind: self.kind, branch: self.branch, fields })))
            }
            None => Term::Build(Box::new(self)),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Aggregate {
    pub fold: Fold,
    /// Nothing for count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Term>,
    pub body: Vec<Literal>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Literal {
    Atom(Atom),
    Not(Atom),
    Compare(Comparison, Term, Term),
    /// The first symbol is such a part of the second.
    Test(Test, Term, Term),
    /// One of these conjunctions.
    Or(Vec<Vec<Literal>>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<BuiltType>,
    pub relations: Vec<Relation>,
    pub facts: Vec<Fact>,
    pub rules: Vec<Rule>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub subsumptions: Vec<Subsumption>,
    /// The relation whose tuples are the answer.
    pub output: Name,
    /// Its rules alone do not show that recursion ends and nothing is divided by zero: running it has to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_running: bool,
}

impl Program {
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|r| r.name == name)
    }

    pub fn relation_mut(&mut self, name: &str) -> Option<&mut Relation> {
        self.relations.iter_mut().find(|r| r.name == name)
    }

    pub fn place(&self, name: &str) -> Option<usize> {
        self.relations.iter().position(|r| r.name == name)
    }

    pub fn is_derived(&self, name: &str) -> bool {
        self.rules.iter().any(|r| r.heads.iter().any(|h| h.relation == name))
    }

    /// A name that no relation has.
    pub fn fresh_name(&self, stem: &str) -> Name {
        let taken = |name: &Name| self.relations.iter().any(|r| r.name == *name);
        (0..).map(|i| SmolStr::from(format!("{stem}{i}"))).find(|n| !taken(n)).unwrap_or_default()
    }
}

impl Rule {
    pub fn new(head: Atom, body: Vec<Literal>) -> Rule {
        Rule { heads: vec![head], body, plan: Vec::new() }
    }

    /// A variable that the rule does not use yet.
    pub fn fresh_var(&self) -> Var {
        let mut most = None;
        self.each_var(&mut |v| most = most.max(Some(v)));
        most.map_or(0, |v| v + 1)
    }

    /// Each occurrence of a variable, heads first.
    pub fn each_var(&self, see: &mut impl FnMut(Var)) {
        self.heads.iter().for_each(|h| h.each_var(see));
        self.body.iter().for_each(|l| l.each_var(see));
    }

    pub fn each_var_mut(&mut self, see: &mut impl FnMut(&mut Var)) {
        self.heads.iter_mut().flat_map(|h| &mut h.args).for_each(|t| t.each_var_mut(see));
        self.body.iter_mut().for_each(|l| l.each_var_mut(see));
    }

    /// Positive atoms at the top of the body, each with its place among the literals.
    pub fn atoms(&self) -> impl Iterator<Item = (usize, &Atom)> {
        self.body.iter().enumerate().filter_map(|(i, l)| match l {
            Literal::Atom(a) => Some((i, a)),
            _ => None,
        })
    }

    pub fn has_functor_in_head(&self) -> bool {
        let plain = |t: &Term| matches!(t, Term::Var(_) | Term::Constant(_));
        self.heads.iter().any(|h| !h.args.iter().all(plain))
    }
}

impl Atom {
    pub fn new(relation: impl Into<Name>, args: Vec<Term>) -> Atom {
        Atom { relation: relation.into(), args }
    }

    pub fn each_var(&self, see: &mut dyn FnMut(Var)) {
        self.args.iter().for_each(|t| t.each_var(see));
    }
}

impl Term {
    pub fn number(n: i64) -> Term {
        Term::Constant(Constant::Number(n))
    }

    pub fn binary(operator: Operator, a: Term, b: Term) -> Term {
        Term::Binary(operator, Box::new(a), Box::new(b))
    }

    /// Whether it can stand where a value is taken apart: nothing in it is computed.
    pub fn is_pattern(&self) -> bool {
        match self {
            Term::Var(_) | Term::Constant(_) | Term::Wildcard => true,
            Term::Build(b) => b.fields.iter().all(Term::is_pattern),
            Term::Negate(_) | Term::Binary(..) | Term::Call(..) | Term::Apply(..) | Term::Aggregate(_) => false,
        }
    }

    /// Each variable that a value gives a value to when it is taken apart.
    pub fn each_pattern_var(&self, see: &mut dyn FnMut(Var)) {
        match self {
            Term::Var(v) => see(*v),
            Term::Build(b) => b.fields.iter().for_each(|t| t.each_pattern_var(see)),
            Term::Constant(_)
            | Term::Wildcard
            | Term::Negate(_)
            | Term::Binary(..)
            | Term::Call(..)
            | Term::Apply(..)
            | Term::Aggregate(_) => {}
        }
    }

    pub fn each_var(&self, see: &mut dyn FnMut(Var)) {
        match self {
            Term::Var(v) => see(*v),
            Term::Constant(_) | Term::Wildcard => {}
            Term::Negate(t) | Term::Call(_, t) => t.each_var(see),
            Term::Binary(_, a, b) => {
                a.each_var(see);
                b.each_var(see);
            }
            Term::Apply(_, terms) => terms.iter().for_each(|t| t.each_var(see)),
            Term::Build(b) => b.fields.iter().for_each(|t| t.each_var(see)),
            Term::Aggregate(a) => {
                a.target.iter().for_each(|t| t.each_var(see));
                a.body.iter().for_each(|l| l.each_var(see));
            }
        }
    }

    pub fn each_var_mut(&mut self, see: &mut dyn FnMut(&mut Var)) {
        match self {
            Term::Var(v) => see(v),
            Term::Constant(_) | Term::Wildcard => {}
            Term::Negate(t) | Term::Call(_, t) => t.each_var_mut(see),
            Term::Binary(_, a, b) => {
                a.each_var_mut(see);
                b.each_var_mut(see);
            }
            Term::Apply(_, terms) => terms.iter_mut().for_each(|t| t.each_var_mut(see)),
            Term::Build(b) => b.fields.iter_mut().for_each(|t| t.each_var_mut(see)),
            Term::Aggregate(a) => {
                a.target.iter_mut().for_each(|t| t.each_var_mut(see));
                a.body.iter_mut().for_each(|l| l.each_var_mut(see));
            }
        }
    }

    /// Each aggregate in it, outermost first.
    pub fn each_aggregate<'a>(&'a self, see: &mut dyn FnMut(&'a Aggregate)) {
        match self {
            Term::Var(_) | Term::Constant(_) | Term::Wildcard => {}
            Term::Negate(t) | Term::Call(_, t) => t.each_aggregate(see),
            Term::Binary(_, a, b) => {
                a.each_aggregate(see);
                b.each_aggregate(see);
            }
            Term::Apply(_, terms) => terms.iter().for_each(|t| t.each_aggregate(see)),
            Term::Build(b) => b.fields.iter().for_each(|t| t.each_aggregate(see)),
            Term::Aggregate(a) => {
                see(a);
                a.target.iter().for_each(|t| t.each_aggregate(see));
                a.body.iter().for_each(|l| l.each_aggregate(see));
            }
        }
    }

    pub fn has_aggregate(&self) -> bool {
        let mut found = false;
        self.each_aggregate(&mut |_| found = true);
        found
    }
}

impl Literal {
    pub fn each_var(&self, see: &mut dyn FnMut(Var)) {
        match self {
            Literal::Atom(a) | Literal::Not(a) => a.each_var(see),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
                a.each_var(see);
                b.each_var(see);
            }
            Literal::Or(arms) => arms.iter().flatten().for_each(|l| l.each_var(see)),
        }
    }

    pub fn each_var_mut(&mut self, see: &mut dyn FnMut(&mut Var)) {
        match self {
            Literal::Atom(a) | Literal::Not(a) => a.args.iter_mut().for_each(|t| t.each_var_mut(see)),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
                a.each_var_mut(see);
                b.each_var_mut(see);
            }
            Literal::Or(arms) => arms.iter_mut().flatten().for_each(|l| l.each_var_mut(see)),
        }
    }

    pub fn each_aggregate<'a>(&'a self, see: &mut dyn FnMut(&'a Aggregate)) {
        match self {
            Literal::Atom(a) | Literal::Not(a) => a.args.iter().for_each(|t| t.each_aggregate(see)),
            Literal::Compare(_, a, b) | Literal::Test(_, a, b) => {
                a.each_aggregate(see);
                b.each_aggregate(see);
            }
            Literal::Or(arms) => arms.iter().flatten().for_each(|l| l.each_aggregate(see)),
        }
    }
}
