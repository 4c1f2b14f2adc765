//! Deopt, incremental rule evaluation (Zhang, Wang, Rigger, FSE 2024): a whole program against its rules one at a time.
//!
//! Claim: a program derives the same facts as its rules when each is run alone, over facts that the engine itself
//! derived from the rules before it. The programs of single rules (*references*) have no qualifiers, hints or switches;
//! what they derived when the next one was written must be what they derive again, or nothing is claimed.
//!
//! ```text
//! e(1). e(2).  r(x) :- e(x), x > 1.          reference 1, derives r(2)
//! r(2).        s(x) :- r(x).                 reference 2, derives s(2)
//! e(1). e(2).  r(x) :- e(x), x > 1.  s(x) :- r(x).     must derive s(2) as well
//! ```

use super::datalog::DatalogOracle;
use super::{Derived, NOTHING, Needs};
use crate::datalog::ire::complete;
use crate::datalog::source::DatalogSource;
use crate::datalog::{check, print};
use qualm_core::case::Step;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::relation::{Equality, Guard, Order, Relation};
use qualm_core::value::Rows;

pub const SPEC: DatalogOracle = DatalogOracle {
    name: "ire",
    claim: "a program derives the same facts as its rules evaluated one at a time over the facts derived before",
    example: "e(1). r(x) :- e(x). s(x) :- r(x).  derives for s what  r(1). s(x) :- r(x).  derives",
    weight: 0,
    loose: false,
    // Its programs grow with what the engine answers: see `lang/datalog/ire`.
    propose: |_, _, _, _| None,
    derive,
    complete: Some(complete::case),
    needs: Needs { tuning: true, ..NOTHING },
};

/// A reference program with what it answered.
pub struct Reference {
    pub step: Step,
    pub rows: Rows,
}

/// The program itself. The references can only be written by running them.
fn derive(source: &DatalogSource, dialect: &'static DatalogDialect) -> Option<Derived> {
    check::program(&source.program, dialect).ok()?;
    Some(Derived { script: vec![optimised(source, dialect, "")], claim: Relation::Survives })
}

/// The whole program with all that says how to compute it.
pub fn optimised(source: &DatalogSource, dialect: &'static DatalogDialect, right: &str) -> Step {
    let with = source.other_switches.join(", ");
    let with = if with.is_empty() { with } else { format!(" with {with}") };
    let text = print::program(&source.program, dialect, &source.other_switches);
    Step::query(format!("optimised: the whole program{with}{right}"), text)
}

/// The references in order, then the program. The last reference is compared; those before it are what it rests on.
pub fn claim(chain: Vec<Reference>, optimised: Step) -> Derived {
    let last = chain.len() - 1;
    let mut guards = Vec::new();
    let mut script = Vec::with_capacity(chain.len() + 1);
    for (query, reference) in chain.into_iter().enumerate() {
        script.push(reference.step);
        if query < last {
            guards.push(Guard::Is { query, rows: reference.rows });
        }
    }
    script.push(optimised);
    let same = Relation::Same { left: last + 1, right: last, order: Order::Set, equality: Equality::Exact };
    let claim = if guards.is_empty() { same } else { Relation::Guarded { guards, claim: Box::new(same) } };
    Derived { script, claim }
}
