//! What a Datalog case is made of: a program, what is done to it, and under which switches it runs. From this the
//! oracle derives script and claim, and the reducer shrinks it.

use super::ast::*;
use super::evaluate::{self, Bounds, Failure};
use super::rules::Step;
use super::{print, spell};
use qualm_core::dialect::datalog::{self, DatalogDialect};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatalogSource {
    pub oracle: String,
    /// By its name; see `datalog::find`.
    pub dialect: String,
    pub program: Program,
    /// What `queryfuzz` does to the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// Switches of every run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub switches: Vec<String>,
    /// Switches that only the second run of `options` has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_switches: Vec<String>,
    /// The short form of `spell.rs` that is written out in every program of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_out: Option<String>,
}

impl DatalogSource {
    pub fn new(oracle: &str, dialect: &DatalogDialect, program: &Program) -> DatalogSource {
        DatalogSource {
            oracle: oracle.into(),
            dialect: dialect.name.into(),
            program: program.clone(),
            steps: Vec::new(),
            switches: Vec::new(),
            other_switches: Vec::new(),
            written_out: None,
        }
    }

    /// A program of the case as the engine gets it.
    pub fn text(&self, program: &Program, dialect: &DatalogDialect, switches: &[String]) -> String {
        let longer = self.written_out.as_ref().and_then(|name| spell::written_out(program, name));
        print::program(longer.as_ref().unwrap_or(program), dialect, switches)
    }

    pub fn dialect(&self) -> Option<&'static DatalogDialect> {
        datalog::find(&self.dialect)
    }
}

/// Enough for every program that a generator makes; more counts as unknown.
pub const FIRM: Bounds = Bounds { tuples: 5_000, steps: 400_000 };

/// Whether the engine has no say in what the program derives. Only choice and subsumption leave it one, and in some
/// dialects a number that does not fit or a zero with a sign; whether they do shows in the data.
pub fn is_determined(program: &Program, dialect: &DatalogDialect) -> bool {
    let choosy = !program.subsumptions.is_empty() || program.relations.iter().any(|r| !r.choice.is_empty());
    let is_float = |a: &Attribute| a.kind == Kind::Float;
    let floats = !dialect.floats_by_bits && program.relations.iter().any(|r| r.attributes.iter().any(is_float));
    if program.by_running {
        let all = evaluate::contents(program, dialect, FIRM);
        return all.is_ok_and(|all| !floats || !all.iter().flatten().flatten().any(is_ambiguous));
    }
    if !choosy && !floats && !dialect.overflow_is_undetermined {
        return true;
    }
    match evaluate::contents(program, dialect, FIRM) {
        Ok(all) if floats => !all.iter().flatten().flatten().any(is_ambiguous),
        Ok(_) => true,
        Err(Failure::Undetermined(_)) => false,
        Err(Failure::Refused(_) | Failure::TooBig) => !choosy && !floats,
    }
}

/// A float that equals another one, or not even itself: where a variable is replaced by what it equals, which an
/// optimiser may do, another tuple comes.
fn is_ambiguous(value: &Constant) -> bool {
    matches!(value, Constant::Float(f) if f.is_nan() || *f == 0.0 && f.is_sign_negative())
}

/// The program without qualifiers that only say how to compute.
pub fn plain(program: &Program) -> Program {
    let mut plain = program.clone();
    for relation in &mut plain.relations {
        relation.qualifiers.retain(|q| *q == Qualifier::Eqrel);
    }
    plain
}
