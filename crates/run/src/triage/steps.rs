//! The steps of triage, which `replay` and `reduce` take as well: run again, look for what cures, make small.

use crate::fingerprint::{self, SWITCHED, WRITTEN_OUT};
use crate::isolated::Isolated;
use crate::report::Finding;
use qualm_core::case::{Case, Evidence, Step};
use qualm_core::knobs::{self, Class, Knob};
use qualm_core::limits::{
    REDUCE_ATTEMPTS, REDUCE_HANG_ATTEMPTS, REDUCE_SLOW_ATTEMPTS, REDUCE_TIMEOUT_MIN_MS, REDUCE_TIMEOUT_SHARE,
};
use qualm_core::plan::Plan;
use qualm_core::relation::{Equality, FailureKind, Order, Relation, Verdict};
use qualm_core::session::{Outcome, Spoken};
use qualm_core::slowness::GROWTH;
use qualm_lang as lang;
use qualm_lang::oracle::survives;
use qualm_lang::reduce::{self, Budget, ReductionStats};

/// Why a case is not confirmed.
#[derive(Clone, Debug, PartialEq)]
pub enum Doubt {
    /// It was run again, and did not fail twice in the same way.
    Gone,
    /// It could not be run again: who ran it was killed from outside each time.
    Undecided(String),
}

/// Runs the case twice on fresh databases: it must fail twice in the same way, and no answer may differ from run to
/// run.
pub fn try_confirm(isolated: &mut Isolated, case: Case) -> Result<(Case, Evidence), Doubt> {
    let first = isolated.try_run(&case).map_err(Doubt::Undecided)?;
    if !first.verdict.is_bug() {
        return Err(Doubt::Gone);
    }
    let second = isolated.try_run(&case).map_err(Doubt::Undecided)?;
    let stable = same_trouble(&first.verdict, &second.verdict)
        && first.answers.len() == second.answers.len()
        && first.answers.iter().zip(&second.answers).all(|(a, b)| same_answer(a, b));
    if !stable {
        return Err(Doubt::Gone);
    }
    let first = grows(isolated, &case, first)?;
    Ok((case, first))
}

/// Counted work on more and more data, where the case can be grown: a difference that does not grow with the data costs
/// nobody anything, and is none.
fn grows(isolated: &mut Isolated, case: &Case, mut evidence: Evidence) -> Result<Evidence, Doubt> {
    let Verdict::Slower(slowness) = &mut evidence.verdict else { return Ok(evidence) };
    if slowness.counted.is_none() {
        return Ok(evidence);
    }
    let mut grown = Vec::new();
    for times in GROWTH {
        let Some(larger) = lang::grown(case, times) else { return Ok(evidence) };
        match isolated.try_run(&larger).map_err(Doubt::Undecided)?.verdict {
            Verdict::Slower(seen) => grown.push((times, seen)),
            _ => return Err(Doubt::Gone),
        }
    }
    slowness.curve = slowness.growing(&grown).ok_or(Doubt::Gone)?;
    Ok(evidence)
}

/// The same for callers that have nothing to do for a case in doubt.
pub fn confirm(isolated: &mut Isolated, case: Case) -> Option<(Case, Evidence)> {
    try_confirm(isolated, case).ok()
}

fn same_answer(a: &Outcome, b: &Outcome) -> bool {
    match (a, b) {
        (Outcome::Rows(_), Outcome::Rows(_)) => {
            let same = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
            !same.judge(&[a.clone(), b.clone()]).is_bug()
        }
        _ => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

/// Both are bugs of one kind. A crash keeps its signal and an internal error its words, but for the names and numbers
/// that a smaller statement has not; rows may differ in any way.
pub fn same_trouble(a: &Verdict, b: &Verdict) -> bool {
    match (a, b) {
        (Verdict::Violated(_), Verdict::Violated(_)) | (Verdict::Slower(_), Verdict::Slower(_)) => true,
        (Verdict::Broke { kind: a, text: x }, Verdict::Broke { kind: b, text: y }) => {
            let same_words = match a {
                FailureKind::Crash => x.split(';').next() == y.split(';').next(),
                FailureKind::InternalError => fingerprint::signature(x) == fingerprint::signature(y),
                FailureKind::Hang | FailureKind::OutOfMemory => true,
            };
            a == b && same_words
        }
        _ => false,
    }
}

/// The settings of the optimiser that, turned off one at a time before the questions, make the failure go away. Nothing
/// when there was no time to try them all: some of them would make another bug of it.
pub fn cures(
    isolated: &mut Isolated,
    case: &Case,
    evidence: &Evidence,
    overdue: &dyn Fn() -> bool,
) -> Option<Vec<String>> {
    // Each try would cost a whole timeout.
    if matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Hang, .. }) {
        return Some(Vec::new());
    }
    // What makes a slow answer fast is what the case turns off.
    if case.claim.is_measured() {
        return Some(knobs::of_case(case).into_iter().map(|flip| flip.knob).collect());
    }
    let knobs: Vec<Knob> = isolated.knobs.iter().filter(|k| k.class == Class::Optimiser).cloned().collect();
    let mut found = Vec::new();
    for knob in &knobs {
        if overdue() {
            return None;
        }
        found.extend(is_cured(isolated, case, knob).then(|| knob.name.clone()));
    }
    for (kind, forms) in [(SWITCHED, lang::switched(case)), (WRITTEN_OUT, lang::spelled(case))] {
        for (name, form) in forms {
            if overdue() {
                return None;
            }
            found.extend(vanishes(isolated, &form).then(|| format!("{kind}{name}")));
        }
    }
    // The last one may have been cut off.
    (!overdue()).then_some(found)
}

/// Whether the setting or the longer form of this name makes the failure go away.
pub(super) fn is_cured_by(isolated: &mut Isolated, case: &Case, cure: &str) -> bool {
    let form_of = |forms: Vec<(&'static str, Case)>, name: &str| forms.into_iter().find(|(form, _)| *form == name);
    let form = match (cure.strip_prefix(SWITCHED), cure.strip_prefix(WRITTEN_OUT)) {
        (Some(switch), _) => form_of(lang::switched(case), switch),
        (_, Some(short)) => form_of(lang::spelled(case), short),
        (None, None) => return is_cured_by_knob(isolated, case, cure),
    };
    form.is_some_and(|(_, form)| vanishes(isolated, &form))
}

fn is_cured_by_knob(isolated: &mut Isolated, case: &Case, cure: &str) -> bool {
    let knob = isolated.knobs.iter().find(|k| k.name == cure).cloned();
    knob.is_some_and(|knob| is_cured(isolated, case, &knob))
}

/// Whether a form of the case that must do the same was judged and holds. A form that the engine refuses says nothing,
/// whether it refuses the setting or, once it is set, the statement that broke it.
fn vanishes(isolated: &mut Isolated, form: &Case) -> bool {
    let Some((form, seen)) = isolated.judge(form) else { return false };
    let holds = matches!(seen.verdict, Verdict::Holds { .. });
    holds && form.queries().zip(&seen.answers).all(|(step, answer)| answer.is_ok() || was_refused(step))
}

/// Whether the engine did not take the statement before it broke, either.
fn was_refused(step: &Step) -> bool {
    step.label.as_deref() == Some(survives::REFUSED)
}

fn is_cured(isolated: &mut Isolated, case: &Case, knob: &Knob) -> bool {
    if case.claim.is_measured() {
        return true;
    }
    let mut with = Case { source: None, ..case.clone() };
    let asked = with.script.iter().position(|s| s.is_query()).unwrap_or(with.script.len());
    // Where DML is compared, what is asked in the end comes too late.
    let at = knobs::state_of_flipped(case).map_or(asked, |state| state.min(asked));
    let (set, _) = knobs::statements(&[knob.off()]);
    with.script.splice(at..at, set.into_iter().map(Step::run));
    vanishes(isolated, &with)
}

/// All that is known of a reduced case, as `hunt` and `reduce` store it. Once it is overdue, cures are what is known of
/// the case before, and no plans are asked for.
pub fn finding(
    isolated: &mut Isolated,
    spoken: Spoken,
    engine: &str,
    shrunk: Shrunk,
    known_cures: &[String],
    overdue: &dyn Fn() -> bool,
) -> Finding {
    let Shrunk { case, evidence, stats, .. } = shrunk;
    // What cures the small case says more than what cured the large one, where several things were in play.
    let cures = cures(isolated, &case, &evidence, overdue).unwrap_or_else(|| known_cures.to_vec());
    let print = fingerprint::of(&case, &evidence, &cures);
    let mut finding = Finding::new(engine, &isolated.version, case, evidence, cures, print);
    finding.reduction = Some(stats);
    finding.preamble = spoken.preamble().iter().map(|line| (*line).to_string()).collect();
    finding.datalog = spoken.datalog().map_or(finding.datalog, |d| d.form);
    if !overdue() {
        finding.plans = plans(isolated, &finding);
    }
    finding.remedies = remedies(isolated, &finding.cures);
    finding
}

/// The statement behind each cure that is a setting, as it was tried.
fn remedies(isolated: &Isolated, cures: &[String]) -> Vec<(String, String)> {
    let set = |knob: &Knob| (knob.name.clone(), knobs::statements(&[knob.off()]).0.join("; "));
    isolated.knobs.iter().filter(|k| cures.contains(&k.name) && !k.others.is_empty()).map(set).collect()
}

/// Plans for a report on wrong answers. An engine that breaks is not asked.
fn plans(isolated: &mut Isolated, finding: &Finding) -> Vec<(String, Plan)> {
    match finding.evidence.verdict {
        Verdict::Violated(_) | Verdict::Slower(_) => isolated.plans(&finding.case),
        _ => Vec::new(),
    }
}

/// A reduced case that was replayed in a new process.
pub struct Shrunk {
    pub case: Case,
    pub evidence: Evidence,
    pub stats: ReductionStats,
}

/// Reduces a confirmed case. What fails by chance of a plan may not fail again in a new process; then a larger form is
/// taken that does, in the end the case itself. If not even that fails again, it is in doubt, however often it failed
/// before.
pub fn shrink(
    isolated: &mut Isolated,
    spoken: Spoken,
    (case, evidence): (&Case, &Evidence),
    cures: &[String],
    overdue: &dyn Fn() -> bool,
) -> Result<Shrunk, Doubt> {
    let (mut forms, mut stats) = reduce_case(isolated, spoken, case, evidence, cures, overdue);
    stats.complete &= !overdue();
    isolated.refresh();
    let mut back = 1;
    let confirmed = loop {
        let Some(form) = forms.pop() else { break try_confirm(isolated, case.clone()) };
        let Ok(found) = try_confirm(isolated, form) else {
            forms.truncate(forms.len().saturating_sub(back - 1));
            back *= 2;
            continue;
        };
        break Ok(found);
    };
    let (case, evidence) = confirmed?;
    stats.statements_after = case.script.len();
    Ok(Shrunk { case, evidence, stats })
}

/// Smaller and smaller cases that fail in the same way and are cured by the same setting, so that each is still that
/// bug.
fn reduce_case(
    isolated: &mut Isolated,
    spoken: Spoken,
    case: &Case,
    evidence: &Evidence,
    cures: &[String],
    overdue: &dyn Fn() -> bool,
) -> (Vec<Case>, ReductionStats) {
    let timeout_ms = isolated.timeout_ms();
    let hang = matches!(evidence.verdict, Verdict::Broke { kind: FailureKind::Hang, .. });
    if hang {
        isolated.set_timeout_ms((timeout_ms / REDUCE_TIMEOUT_SHARE).max(REDUCE_TIMEOUT_MIN_MS).min(timeout_ms));
    }
    let attempts = match evidence.verdict {
        Verdict::Slower(_) => REDUCE_SLOW_ATTEMPTS,
        _ if hang => REDUCE_HANG_ATTEMPTS,
        _ => REDUCE_ATTEMPTS,
    };
    let cure = cures.first();
    let mut forms: Vec<Case> = Vec::new();
    let mut fails = |candidate: &Case| {
        let Some((whole, seen)) = (if overdue() { None } else { isolated.judge(candidate) }) else { return false };
        let fails = same_trouble(&evidence.verdict, &seen.verdict)
            && cure.is_none_or(|name| is_cured_by(isolated, &whole, name));
        if fails {
            forms.push(whole.into_owned());
        }
        fails
    };
    let (reduced, stats) = reduce::reduce_until(overdue, case, spoken, Budget { attempts }, &mut fails);
    isolated.set_timeout_ms(timeout_ms);
    // Of the same script, but the tree may be smaller. Where a case is written with the engine's own answers, it is a
    // draft.
    let last = match lang::is_completed_by_session(&reduced) {
        true => isolated.judge(&reduced).map(|(whole, _)| whole.into_owned()),
        false => Some(reduced),
    };
    forms.pop();
    forms.extend(last);
    (forms, stats)
}

#[cfg(test)]
mod tests;
