//! Is a user's rule sound? It is applied to random programs and to seeds, and both programs are evaluated by our own
//! evaluator, which knows no optimisation. A result that is not what the rule says is the rule's fault.

use super::user::UserRule;
use super::{Effect, Step, apply};
use crate::datalog::ast::Program;
use crate::datalog::generate::{Generator, parameters};
use crate::datalog::shrink::DatalogSubject;
use crate::datalog::source::{self, DatalogSource, FIRM};
use crate::datalog::{evaluate, print};
use crate::oracle::{datalog, queryfuzz};
use crate::user_rules::Checked;
use qualm_core::case::{Case, Origin};
use qualm_core::dialect::datalog::DatalogDialect;
use qualm_core::explore::Size;
use qualm_core::reduce::{Attempts, Budget, smallest};
use qualm_core::rng::Rng;

/// Programs tried for one rule, places in each, and judged results that suffice.
const PROGRAMS: u64 = 1_500;
const PLACES: usize = 6;
const ENOUGH: u64 = 1_000;

pub fn check(rule: &UserRule, seeds: &[Program], dialect: &'static DatalogDialect, seed: u64) -> Checked {
    let mut checked = Checked::default();
    for number in 0..PROGRAMS {
        let mut rng = Rng::stream(seed, number);
        let from = if seeds.is_empty() || number % 2 == 0 { None } else { Some(rng.pick(seeds).clone()) };
        let mut generator = Generator { rng: &mut rng, dialect, parameters: parameters(Size::Medium), loose: false };
        let program = match from {
            Some(seed) => generator.extend(&seed).unwrap_or(seed),
            None => generator.program(),
        };
        let fitting: Vec<usize> = (0..program.rules.len()).filter(|at| rule.places(&program.rules[*at]) > 0).collect();
        for _ in 0..PLACES.min(fitting.len()) {
            let at = *rng.pick(&fitting);
            let site = rng.below(rule.places(&program.rules[at]));
            let step = Step::user(rule, at, site);
            let source =
                DatalogSource { steps: vec![step], ..DatalogSource::new(queryfuzz::SPEC.name, dialect, &program) };
            match judge(&source, dialect) {
                None => {}
                Some(Judged::Empty) => checked.applied += 1,
                Some(Judged::Holds) => {
                    checked.applied += 1;
                    checked.judged += 1;
                }
                Some(Judged::Violated(_)) => {
                    checked.applied += 1;
                    checked.counterexample = Some(counterexample(rule, source, dialect));
                    return checked;
                }
            }
        }
        if checked.judged >= ENOUGH {
            break;
        }
    }
    checked
}

enum Judged {
    Holds,
    Empty,
    /// How many tuples each derives.
    Violated([usize; 2]),
}

/// Nothing where the step does not fit or nobody knows what is right.
fn judge(source: &DatalogSource, dialect: &'static DatalogDialect) -> Option<Judged> {
    let [step] = source.steps.as_slice() else { return None };
    let (variant, effect) = apply(&source.program, step, dialect)?;
    if !source::is_determined(&source.program, dialect) || !source::is_determined(&variant, dialect) {
        return None;
    }
    let before = evaluate::output(&source.program, dialect, FIRM).ok()?;
    let after = evaluate::output(&variant, dialect, FIRM).ok()?;
    let holds = match effect {
        Effect::Equal => before == after,
        Effect::Grows => before.is_subset(&after),
        Effect::Shrinks => after.is_subset(&before),
    };
    Some(match holds {
        false => Judged::Violated([before.len(), after.len()]),
        true if before.is_empty() && after.is_empty() => Judged::Empty,
        true => Judged::Holds,
    })
}

/// The smallest program on which the results are not what the rule says, as it is and rewritten.
fn counterexample(rule: &UserRule, source: DatalogSource, dialect: &'static DatalogDialect) -> String {
    let read = |case: &Case| serde_json::from_value::<DatalogSource>(case.source.clone()?).ok();
    let reduced = datalog::case(&source, Origin::default()).and_then(|case| {
        let mut attempts = Attempts::new(Budget::default(), &|| false);
        let mut fails = |case: &Case| {
            let judged = read(case).and_then(|source| judge(&source, dialect));
            matches!(judged, Some(Judged::Violated(_)))
        };
        let small = smallest(DatalogSubject::of(&case)?, &case, &mut attempts, &mut fails)?;
        read(&small)
    });
    let source = reduced.unwrap_or(source);
    let mut text = format!("// rule '{}': {} becomes {}\n", rule.name, rule.text.pattern, rule.text.replacement);
    text.push_str(&print::program(&source.program, dialect, &[]));
    if let Some((variant, _)) = source.steps.first().and_then(|step| apply(&source.program, step, dialect)) {
        text.push_str("\n// rewritten\n");
        text.push_str(&print::program(&variant, dialect, &[]));
    }
    if let Some(Judged::Violated([before, after])) = judge(&source, dialect) {
        let tuples = |n| qualm_core::words::counted(n, "tuple");
        text.push_str(&format!("\n// {} as it is, {} rewritten\n", tuples(before), tuples(after)));
    }
    text
}
