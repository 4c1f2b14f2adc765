//! queryFuzz (Mansur, Christakis, Wüstholz, ESEC/FSE 2021): a program against itself after changes to its rules.
//!
//! Claim: after a sequence of transformations that each keep, widen or narrow a rule, the output is the same, contains
//! the old one or is contained in it. Containment is claimed only where the dependency graph says how a change arrives
//! at the output; both programs run under the same switches.
//!
//! ```text
//! out(x) :- r(x, y).
//! out(x) :- r(x, y), r(x, z), r(x, w).      derives the same
//! ```

use super::datalog::{DatalogOracle, same};
use super::{Derived, NOTHING, Needs};
use crate::datalog::ast::Program;
use crate::datalog::rules::user::UserRule;
use crate::datalog::rules::{self, Effect};
use crate::datalog::source::{self, DatalogSource};
use crate::user_rules::ALL_RELATIONS;
use qualm_core::case::Step;
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::rng::Rng;

pub const SPEC: DatalogOracle = DatalogOracle {
    name: "queryfuzz",
    claim: "rewriting a rule keeps, widens or narrows the output as the theory predicts",
    example: "out(x) :- r(x, y).  derives what  out(x) :- r(x, y), r(x, z).  derives",
    weight: 6,
    loose: false,
    propose,
    derive,
    complete: None,
    needs: Needs { rules: ALL_RELATIONS, ..NOTHING },
};

/// Steps in one sequence, as in the paper's tool.
const STEPS_AT_MOST: usize = 20;

fn propose(
    program: &Program,
    dialect: &'static DatalogDialect,
    own: &[UserRule],
    rng: &mut Rng,
) -> Option<DatalogSource> {
    // Short ones more often: what they find is plain to see.
    let length = [1, 4, STEPS_AT_MOST][rng.weighted(&[3, 4, 3])];
    let (steps, ..) = rules::propose(program, dialect, own, length, rng)?;
    let mut source = DatalogSource { steps, ..DatalogSource::new(SPEC.name, dialect, program) };
    if !dialect.switches.is_empty() && rng.chance(1, 4) {
        source.switches.push(rng.pick(dialect.switches).name.to_owned());
    }
    Some(source)
}

fn derive(source: &DatalogSource, dialect: &'static DatalogDialect) -> Option<Derived> {
    let (variant, effect) = rules::apply_all(&source.program, &source.steps, dialect)?;
    if variant == source.program
        || !source::is_determined(&source.program, dialect)
        || !source::is_determined(&variant, dialect)
    {
        return None;
    }
    let script = vec![
        Step::query("original", source.text(&source.program, dialect, &source.switches)),
        Step::query("transformed", source.text(&variant, dialect, &source.switches)),
    ];
    let contains = |big, small| Relation::Contains { big, small, order: Order::Set, equality: Equality::Exact };
    Some(match effect {
        Effect::Equal => same(script),
        Effect::Grows => Derived { script, claim: contains(1, 0) },
        Effect::Shrinks => Derived { script, claim: contains(0, 1) },
    })
}
