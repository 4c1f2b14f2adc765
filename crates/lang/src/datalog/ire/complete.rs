//! A case of incremental rule evaluation, made from its source with the help of a session: the reference programs are
//! run one after the other, each written with the answers of those before it. A hunt and the reducer both come here, so
//! that a smaller program gets a chain of its own.

use super::evaluation::{Evaluation, Limits, Stop};
use super::facts;
use crate::datalog::ast::{Kind, Name, Program};
use crate::datalog::evaluate::Tuple;
use crate::datalog::source::{self, DatalogSource};
use crate::datalog::{check, evaluate, print};
use crate::oracle::{datalog, ire};
use qualm_core::case::{CASE_FORMAT, Case, Evidence, Origin, Step};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::session::{Outcome, Session};
use std::collections::BTreeSet;

/// More than a hunt allows, because a case that was found is worth more.
const LIMITS: Limits = Limits { max_iter: 200, max_facts: 1_000 };

/// The whole case and what came of it; nothing where nothing can be claimed.
pub fn case(source: &DatalogSource, origin: Origin, session: &mut dyn Session) -> Option<(Case, Evidence)> {
    let dialect = source.dialect()?;
    check::program(&source.program, dialect).ok()?;
    if !source::is_determined(&source.program, dialect) {
        return None;
    }
    session.reset().ok()?;
    session.allow_work(1);
    let mut evaluation = Evaluation::of(source.program.clone());
    let relation = source.program.place(&source.program.output)?;
    let mut chain = Chain { session, dialect, references: Vec::new(), answers: Vec::new(), output: Name::default() };
    let needed = evaluation.precedence.needed(relation);
    evaluation.run(&needed, LIMITS, &mut |program, about| chain.run(program, about)).ok()?;
    if !evaluation.is_one_clause(relation) || chain.output != source.program.output {
        chain.run(&evaluation.collected(relation), "all that the rules derive, put together").ok()?;
    }
    let right = datalog::right_answer(&source.program, dialect);
    let derived = ire::claim(chain.references, ire::optimised(source, dialect, &right));
    let mut answers = chain.answers;
    answers.push(chain.session.run(&derived.script.last()?.text));
    let verdict = derived.claim.judge(&answers);
    let case = Case {
        format: CASE_FORMAT,
        language: crate::datalog::LANGUAGE,
        oracle: ire::SPEC.name.into(),
        rules: Vec::new(),
        script: derived.script,
        claim: derived.claim,
        source: serde_json::to_value(source).ok(),
        origin,
    };
    Some((case, Evidence { verdict, answers }))
}

/// Reference programs and what they answered, in the order they were run.
struct Chain<'a> {
    session: &'a mut dyn Session,
    dialect: &'static DatalogDialect,
    references: Vec<ire::Reference>,
    answers: Vec<Outcome>,
    /// Of the last program.
    output: Name,
}

impl Chain<'_> {
    fn run(&mut self, program: &Program, about: &str) -> Result<BTreeSet<Tuple>, Stop> {
        let label = format!("reference {}: {about}", self.references.len() + 1);
        let step = Step::query(label, print::program(program, self.dialect, &[]));
        let outcome = self.session.run(&step.text);
        let kinds = kinds(program);
        let tuples = match &outcome {
            Outcome::Rows(rows) => facts::tuples(rows, &kinds, self.dialect).ok_or(Stop::Refused)?,
            _ => return Err(Stop::Refused),
        };
        self.answers.push(outcome);
        self.references.push(ire::Reference { step, rows: evaluate::rows(&tuples, kinds.len()) });
        self.output = program.output.clone();
        Ok(tuples)
    }
}

/// The kinds of the attributes of a program's output.
pub fn kinds(program: &Program) -> Vec<Kind> {
    let output = program.relation(&program.output);
    output.map(|r| r.attributes.iter().map(|a| a.kind).collect()).unwrap_or_default()
}
