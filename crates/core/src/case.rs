//! The waist of the tool: a case is a script and a claim.
//!
//! The script builds a state and runs queries; the claim says how their results must relate. Everything that finds bugs
//! makes cases; everything that runs, confirms, reduces, stores and replays them works on this type and knows neither
//! the oracle nor the engine.

pub use crate::language::Language;
use crate::limits::CASE_DEPTH;
use crate::relation::{Relation, Verdict, failure};
use crate::session::{Outcome, RejectionClass, Session};
use crate::slowness::{self, Side};
use serde::{Deserialize, Serialize};

/// Version of the stored form; raised when a reader of the old form would misunderstand the new one.
pub const CASE_FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Case {
    pub format: u32,
    pub language: Language,
    pub oracle: String,
    /// The rewrites applied, in order, for oracles that have several.
    #[serde(default)]
    pub rules: Vec<String>,
    pub script: Vec<Step>,
    pub claim: Relation,
    /// The language's own tree of state and question, from which script and claim are derived. The reducer shrinks
    /// this; without it a case is reduced as text.
    #[serde(default)]
    pub source: Option<serde_json::Value>,
    pub origin: Origin,
}

/// One statement. With a label it is a question whose answer the claim speaks of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub text: String,
    /// The label of a query, whose result is compared; nothing for a statement.
    #[serde(rename = "ask", default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// For a hunt, which goes on in the same database. A case has none: it begins with a fresh one.
    #[serde(skip)]
    pub effect: Effect,
}

/// What a step leaves behind, as the oracle says that made it, which had its tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Effect {
    /// Only a new start is sure to undo it.
    #[default]
    Unknown,
    /// It makes something, and this statement removes it again.
    Makes { undo: String },
    /// It changes nothing but what a step before it made, and is undone with that.
    Within,
    /// It changes a setting.
    Sets,
    /// It puts a setting back.
    Resets,
}

fn depth(tree: &serde_json::Value) -> usize {
    use serde_json::Value::{Array, Object};
    1 + match tree {
        Array(parts) => parts.iter().map(depth).max().unwrap_or(0),
        Object(parts) => parts.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

impl Step {
    pub fn run(text: impl Into<String>) -> Step {
        Step { text: text.into(), ..Step::default() }
    }

    /// As `run`, where it is known what that does.
    pub fn with_effect(text: impl Into<String>, effect: Effect) -> Step {
        Step { text: text.into(), label: None, effect }
    }

    pub fn query(label: impl Into<String>, text: impl Into<String>) -> Step {
        Step { text: text.into(), label: Some(label.into()), ..Step::default() }
    }

    pub fn is_query(&self) -> bool {
        self.label.is_some()
    }
}

/// Where a case came from: for people, and to distinguish two. Never needed to run it again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub seed: u64,
    pub worker: u64,
    pub database: u64,
    pub check: u64,
}

/// What happened when a case was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    pub verdict: Verdict,
    /// One outcome per question, in order; shorter when the engine died before.
    pub answers: Vec<Outcome>,
}

impl Case {
    /// Without its tree if that is so deep that nobody could read it back.
    pub fn readable(mut self) -> Case {
        self.source.take_if(|tree| depth(tree) > CASE_DEPTH);
        self
    }

    pub fn queries(&self) -> impl Iterator<Item = &Step> {
        self.script.iter().filter(|s| s.is_query())
    }

    /// Runs the script in a fresh database. A statement that is no question must succeed, or nothing is claimed.
    pub fn run(&self, session: &mut dyn Session) -> Evidence {
        if let Err(why) = session.reset() {
            return Evidence { verdict: Verdict::NotComparable { why }, answers: Vec::new() };
        }
        // Set for every case, so that one that is timed leaves nothing behind for the next.
        session.allow_work(if self.claim.is_measured() { slowness::WORK } else { 1 });
        if !self.claim.is_measured() {
            // What is left over when this stops half way goes with the database.
            session.announce(&self.script.iter().map(|step| step.text.as_str()).collect::<Vec<_>>());
        }
        let mut answers = Vec::new();
        for step in &self.script {
            let outcome = session.run(&step.text);
            if let Outcome::Rejected(r) = &outcome
                && r.class == RejectionClass::NotRun
            {
                let why = format!("{}: {}", r.text, step.text);
                return Evidence { verdict: Verdict::NotComparable { why }, answers };
            }
            if step.is_query() {
                let stop = matches!(outcome, Outcome::Crash(_) | Outcome::Hang(_));
                answers.push(outcome);
                if stop {
                    break;
                }
            } else if let Some(verdict) = failure(&outcome) {
                return Evidence { verdict, answers };
            } else if let Outcome::Rejected(r) = outcome {
                let why = format!("{}: {}", r.text, step.text);
                return Evidence { verdict: Verdict::NotComparable { why }, answers };
            }
        }
        let verdict = self.timed(self.claim.judge(&answers), &answers, session);
        Evidence { verdict, answers }
    }

    /// For claims about time: measures, once the answers are the same, or the base side was stopped before it had one.
    fn timed(&self, verdict: Verdict, answers: &[Outcome], session: &mut dyn Session) -> Verdict {
        if let Relation::NoLargerEstimate { weaker, stricter, ratio } = &self.claim {
            let text = |i: &usize| self.queries().nth(*i).map(|step| step.text.as_str());
            let (Some(weaker), Some(stricter)) = (text(weaker), text(stricter)) else { return verdict };
            if !matches!(verdict, Verdict::Holds { .. }) {
                return verdict;
            }
            return slowness::estimates(stricter, weaker, *ratio, session).map_or(verdict, Verdict::Slower);
        }
        let Relation::NotSlower { base, weak, threshold, to_base, to_weak, .. } = &self.claim else { return verdict };
        let stopped =
            |i: &usize| matches!(answers.get(*i), Some(Outcome::Rejected(r)) if r.class == RejectionClass::Limit);
        let answered = |i: &usize| matches!(answers.get(*i), Some(Outcome::Rows(_)));
        let worth = matches!(verdict, Verdict::Holds { .. }) || answered(weak) && stopped(base);
        let (Some(of_base), Some(of_weak)) = (self.queries().nth(*base), self.queries().nth(*weak)) else {
            return verdict;
        };
        if !worth {
            return verdict;
        }
        let base = Side { before: to_base, question: &of_base.text };
        let weak = Side { before: to_weak, question: &of_weak.text };
        slowness::measure(base, weak, *threshold, session).map_or(verdict, Verdict::Slower)
    }
}
