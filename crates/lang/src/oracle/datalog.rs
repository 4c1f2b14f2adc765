//! What an oracle of Datalog is, the table of them, and how a case is made from a source. As with SQL, an oracle
//! chooses (`propose`) and says from the choice alone what to run and what must hold (`derive`); it runs nothing.

use super::{Derived, Needs, ire, options, queryfuzz, reference, survives};
use crate::datalog::ast::Program;
use crate::datalog::evaluate;
use crate::datalog::rules::user::UserRule;
use crate::datalog::source::{DatalogSource, FIRM};
use qualm_core::case::{CASE_FORMAT, Case, Evidence, Origin, Step};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::relation::{Equality, Order, Relation};
use qualm_core::rng::Rng;
use qualm_core::session::Session;

pub struct DatalogOracle {
    pub name: &'static str,
    /// What must hold, in one sentence.
    pub claim: &'static str,
    pub example: &'static str,
    /// How often it is chosen beside the others.
    pub weight: u32,
    /// Programs may hold values whose equality is not identity.
    pub loose: bool,
    /// The rules are those that the user wrote.
    pub propose: fn(&Program, &'static DatalogDialect, &[UserRule], &mut Rng) -> Option<DatalogSource>,
    /// The programs to run, the original first, and the claim; nothing where it would not be sound.
    pub derive: fn(&DatalogSource, &'static DatalogDialect) -> Option<Derived>,
    /// For an oracle whose programs are written with the engine's own answers: the whole case, and what came of it.
    /// What `derive` gives is only a draft of it then.
    pub complete: Option<Complete>,
    pub needs: Needs,
}

pub type Complete = fn(&DatalogSource, Origin, &mut dyn Session) -> Option<(Case, Evidence)>;

pub const DATALOG_ORACLES: &[DatalogOracle] = &[queryfuzz::SPEC, reference::SPEC, options::SPEC, ire::SPEC];

pub fn find(name: &str) -> Option<&'static DatalogOracle> {
    DATALOG_ORACLES.iter().find(|o| o.name == name)
}

/// Script and claim of a source, or nothing where the claim would not be sound. What the evaluator says of the original
/// stands at the first program, so that a report says which side is right.
pub fn case(source: &DatalogSource, origin: Origin) -> Option<Case> {
    if source.oracle == survives::NAME {
        return survives::datalog(source, source.dialect()?, origin);
    }
    let (oracle, dialect) = (find(&source.oracle)?, source.dialect()?);
    let mut derived = (oracle.derive)(source, dialect)?;
    if oracle.complete.is_none()
        && let Some(label) = derived.script.first_mut().and_then(|s| s.label.as_mut())
    {
        label.push_str(&right_answer(&source.program, dialect));
    }
    Some(Case {
        format: CASE_FORMAT,
        language: crate::datalog::LANGUAGE,
        oracle: oracle.name.into(),
        rules: source.steps.iter().map(|s| s.name().to_owned()).collect(),
        script: derived.script,
        claim: derived.claim,
        source: serde_json::to_value(source).ok(),
        origin,
    })
}

/// Tuples shown in words.
const SHOWN: usize = 6;

/// What the evaluator says, for a label.
pub fn right_answer(program: &Program, dialect: &DatalogDialect) -> String {
    let Ok(tuples) = evaluate::output(program, dialect, FIRM) else { return String::new() };
    let show = |t: &evaluate::Tuple| {
        let cells: Vec<String> = t.iter().map(|c| evaluate::value(c).show()).collect();
        format!("({})", cells.join(", "))
    };
    let shown: Vec<String> = tuples.iter().take(SHOWN).map(show).collect();
    let more = if tuples.len() > SHOWN { ", …" } else { "" };
    match tuples.len() {
        0 => "; expected nothing".into(),
        n => format!("; expected {n} tuples: {}{more}", shown.join(", ")),
    }
}

/// Both programs derive the same.
pub fn same(script: Vec<Step>) -> Derived {
    Derived { script, claim: Relation::Same { left: 0, right: 1, order: Order::Set, equality: Equality::Exact } }
}
