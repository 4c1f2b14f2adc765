//! Are a user's rules sound? They are hunted with in an engine that is trusted, and nothing else is. A result that is
//! not what a rule says is the rule's fault, or the engine's: the case is made small and shown.

use super::user;
use crate::LANGUAGES;
use crate::graph::LANGUAGE;
use crate::graph::explore::GraphExplorer;
use crate::oracle::graph_rewrite;
use crate::user_rules::Checked;
use qualm_core::case::Case;
use qualm_core::explore::{ExploreConfig, Explorer, NamedText, Tally};
use qualm_core::reduce::{Attempts, Budget};
use qualm_core::relation::Verdict;
use qualm_core::session::{Session, Spoken};
use qualm_core::spec::HuntSpec;

/// Steps of the explorer at most, and judged results for each rule that suffice.
const STEPS: u64 = 20_000;
const ENOUGH: u64 = 100;

/// Each rule of the file by its name.
pub fn check(
    source: &NamedText,
    spoken: Spoken,
    session: &mut dyn Session,
    seed: u64,
) -> Result<Vec<(String, Checked)>, String> {
    let mut all: Vec<(String, Checked)> =
        user::read(source)?.into_iter().map(|r| (r.name, Checked::default())).collect();
    let dialect = spoken.graph().ok_or("the engine names no dialect of graphs")?;
    let spec = HuntSpec {
        oracles: vec![graph_rewrite::SPEC.name.into()],
        rules: Some(source.clone()),
        seed,
        ..HuntSpec::default()
    };
    let mut explorer = GraphExplorer::new(ExploreConfig::new(spec, spoken), dialect, session)?;
    let mut tally = Tally::default();
    for _ in 0..STEPS {
        for case in explorer.step(session, &mut tally) {
            let Some((_, checked)) = case.rules.first().and_then(|r| all.iter_mut().find(|(name, _)| name == r)) else {
                continue;
            };
            if checked.counterexample.is_none() {
                checked.counterexample = Some(smallest(&case, spoken, session));
            }
        }
        for (name, checked) in &mut all {
            checked.judged = tally.per_rule.get(name).copied().unwrap_or_default();
            checked.applied = checked.judged;
        }
        if all.iter().all(|(_, c)| c.judged >= ENOUGH || c.counterexample.is_some()) {
            break;
        }
    }
    Ok(all)
}

/// The script of the smallest case that still fails, with its labels as comments.
fn smallest(case: &Case, spoken: Spoken, session: &mut dyn Session) -> String {
    let mut attempts = Attempts::new(Budget { attempts: 2_000 }, &|| false);
    let mut fails = |case: &Case| session.reset().is_ok() && matches!(case.run(session).verdict, Verdict::Violated(_));
    let reduced = (LANGUAGES.of(LANGUAGE).reduce)(case, spoken, &mut attempts, &mut fails);
    let case = reduced.as_ref().unwrap_or(case);
    let mut script = String::new();
    for step in &case.script {
        if let Some(label) = &step.label {
            script.push_str(&format!("// {label}\n"));
        }
        script.push_str(&format!("{};\n", step.text));
    }
    script
}
