//! What may vary in a new finding: others of each kind are put into its case, which is run again. Two findings that
//! differ in nothing else are one.

use super::Triage;
use super::steps::{is_cured_by, same_trouble};
use crate::fingerprint::{self, signature};
use crate::isolated::Isolated;
use crate::report::{Finding, Generality};
use qualm_core::case::{Case, Evidence};
use qualm_core::limits::{GENERALISE_BREAKS, GENERALISE_MS, GENERALISE_RUNS};
use qualm_core::relation::{Difference, FailureKind, Verdict};
use qualm_core::session::Spoken;
use qualm_core::vary::{Seen, Tries};
use qualm_lang as lang;
use std::time::{Duration, Instant};

impl Triage {
    /// Sees what may vary in what looks new. With a budget in checks only the number of runs is limited.
    pub(super) fn generalise(&mut self, finding: &mut Finding) {
        let (began, queue) = (Instant::now(), self.queue.clone());
        let most = (!self.deterministic).then_some(Duration::from_millis(GENERALISE_MS));
        let overdue = || queue.overdue() || most.is_some_and(|most| began.elapsed() >= most);
        generalise(&mut self.isolated, self.spoken, finding, &overdue);
        let seconds = began.elapsed().as_secs_f64();
        self.queue.count(finding.case.origin.worker, |counts| counts.reduce_seconds += seconds);
    }
}

/// Puts into the finding what may vary in its case, and what is left of its fingerprint. A hang would cost a timeout
/// for each try, and what is slow has to be measured.
pub fn generalise(isolated: &mut Isolated, spoken: Spoken, finding: &mut Finding, overdue: &dyn Fn() -> bool) {
    let most = match &finding.evidence.verdict {
        Verdict::Violated(_) => GENERALISE_RUNS,
        Verdict::Broke { kind: FailureKind::Crash | FailureKind::InternalError, .. } => GENERALISE_BREAKS,
        _ => return,
    };
    let mut tries = Tries { left: most, over: overdue };
    let (evidence, cure) = (&finding.evidence, finding.cures.first().map(String::as_str));
    let mut run = |case: &Case| seen(isolated, case, evidence, cure);
    let Some(general) = lang::generalise(&finding.case, spoken, &mut tries, &mut run) else { return };
    let runs = most - tries.left;
    finding.fingerprint = fingerprint::generalised(&finding.fingerprint, &general);
    finding.title.clone_from(&finding.fingerprint.title);
    finding.general = Some(Generality::of(general, &finding.fingerprint, runs));
}

/// Whether a case with something else in it fails in the same way. One that the engine refuses says nothing.
fn seen(isolated: &mut Isolated, case: &Case, evidence: &Evidence, cure: Option<&str>) -> Seen {
    let Some((whole, now)) = isolated.judge(case) else { return Seen::Nothing };
    if same_kind_of_trouble(&evidence.verdict, &now.verdict) {
        let cured = cure.is_none_or(|name| is_cured_by(isolated, &whole, name));
        return if cured { Seen::Fails } else { Seen::Nothing };
    }
    let holds = matches!(now.verdict, Verdict::Holds { .. }) && now.answers.iter().all(|answer| answer.is_ok());
    if holds { Seen::Holds } else { Seen::Nothing }
}

/// As `same_trouble`; but rows are missing or extra on the same side, and a crash may come at another place.
fn same_kind_of_trouble(a: &Verdict, b: &Verdict) -> bool {
    let sides = |d: &Difference| (d.only_left.is_empty(), d.only_right.is_empty());
    match (a, b) {
        (Verdict::Violated(a), Verdict::Violated(b)) => sides(a) == sides(b),
        (
            Verdict::Broke { kind: FailureKind::Crash, text: a },
            Verdict::Broke { kind: FailureKind::Crash, text: b },
        ) => fingerprint::signal(&signature(a)) == fingerprint::signal(&signature(b)),
        _ => same_trouble(a, b),
    }
}

#[cfg(test)]
mod tests;
