//! What a language gives to the campaign: something that, step by step, builds states, runs queries and judges the
//! answers. The worker calls `step` until its budget is used up; it knows nothing of syntax.

use crate::case::Case;
use crate::counters;
use crate::counters::{MetAt, Peak};
use crate::knobs::Knob;
use crate::session::{Outcome, RejectionClass, Session, Spoken};
use crate::spec::HuntSpec;
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How large the generated states and queries are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Size {
    Small,
    #[default]
    Medium,
    Large,
}

/// What shows that a state is worth more questions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Feedback {
    /// Nothing: every state is as good as the next.
    None,
    /// Plans that were not seen before.
    #[default]
    Plans,
    /// Code of the engine that was not reached before, where its build says so.
    Coverage,
    Both,
}

impl Feedback {
    pub fn looks_at_plans(self) -> bool {
        matches!(self, Feedback::Plans | Feedback::Both)
    }

    pub fn looks_at_code(self) -> bool {
        matches!(self, Feedback::Coverage | Feedback::Both)
    }
}

/// How an oracle is chosen for each check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Schedule {
    /// By their weights.
    #[default]
    Fixed,
    /// By their weights, times how much new each has shown for its cost.
    Yield,
}

/// A text that a person wrote, and where it is from: a script of seeds, a file of rules. What it means is the
/// language's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedText {
    pub name: String,
    pub text: String,
}

/// States and queries to begin with, beside random ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seeds {
    /// One script each.
    pub scripts: Vec<NamedText>,
    /// So many of so many databases are built from them.
    pub share: (u32, u32),
}

/// Run in place of generated queries: what someone else wrote. Statements come one by one, see `Explorer::feed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Builds the state.
    pub setup: Vec<String>,
    /// Statements that are no queries are run as changes of the state; otherwise they are left out.
    pub run_all: bool,
}

/// One statement of theirs and its line, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputLine {
    pub line: usize,
    pub text: Result<String, String>,
}

/// What an explorer needs to begin. Same configuration, same engine: same cases.
#[derive(Clone)]
pub struct ExploreConfig {
    /// What the engine's language can do.
    pub spoken: Spoken,
    pub spec: HuntSpec,
    pub worker: u64,
    /// The first database to build; after a crash a worker goes on with the one after.
    pub database: u64,
    /// Nothing: queries are generated.
    pub input: Option<Input>,
    /// Settings of the engine at hand that may be flipped.
    pub knobs: Vec<Knob>,
}

impl Tally {
    /// Checks of an oracle, and those among them whose claim did not hold.
    pub fn of_oracle(&mut self, oracle: &str, checks: u64, violations: u64) {
        match self.per_oracle.get_mut(oracle) {
            Some(counts) => *counts = (counts.0 + checks, counts.1 + violations),
            None => drop(self.per_oracle.insert(oracle.to_owned(), (checks, violations))),
        }
    }
}

impl ExploreConfig {
    /// For the first worker and its first database, without settings to flip.
    pub fn new(spec: HuntSpec, spoken: Spoken) -> ExploreConfig {
        ExploreConfig { spoken, spec, worker: 0, database: 0, input: None, knobs: Vec::new() }
    }
}

counters! {
    /// Counters of one worker; sums of them are the campaign's figures.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Tally {
        /// Claims judged or tried.
        pub checks: u64,
        /// Checks whose base answer was empty or an error.
        pub vacuous: u64,
        pub statements: u64,
        pub rejected: u64,
        /// Checks that no answer came for within the engine's work limit.
        pub limited: u64,
        pub databases: u64,
        pub violations: u64,
        /// Checks and violations per oracle.
        pub per_oracle: BTreeMap<String, (u64, u64)>,
        /// Checks that compared something, per rewrite rule that took part.
        #[serde(default)]
        pub per_rule: BTreeMap<String, u64>,
        /// Shapes of plans seen for the first time by this worker since the last report.
        pub new_plans: Vec<u64>,
        /// Checks with a plan before and one after settings were changed, and those among them in which the two differ.
        #[serde(default)]
        pub pairs_planned: u64,
        #[serde(default)]
        pub pairs_changed: u64,
        /// Pairs of different plans, seen for the first time by this worker since the last report.
        #[serde(default)]
        pub new_pairs: Vec<u64>,
        /// Places of the engine's code that one worker has reached, where the engine's build says so.
        #[serde(default)]
        pub edges: Peak,
        /// CPU nanoseconds inside the engine, and spent making questions, printing and comparing.
        pub engine_nanos: u64,
        pub generate_nanos: u64,
        pub print_nanos: u64,
        pub compare_nanos: u64,
        /// For an engine that runs in another process: the wall time that the four above are parts of.
        #[serde(default)]
        pub wall_nanos: u64,
        /// The most frequent rejections, for the person who tunes a dialect: text without names, and how often.
        pub rejections: BTreeMap<String, u64>,
        #[serde(default)]
        pub input: InputTally,
        #[serde(default)]
        pub grown: GrownTally,
    }
}

/// Different texts of refusals that are counted; the rest are a number.
const REJECTIONS_KEPT: usize = 200;

impl Tally {
    /// A statement and what came of it; `kind_of` gives what refusals of one kind have in common.
    pub fn count(&mut self, outcome: &Outcome, kind_of: impl Fn(&str) -> String) {
        self.statements += 1;
        let Outcome::Rejected(r) = outcome else { return };
        self.rejected += 1;
        self.limited += u64::from(r.class == RejectionClass::Limit);
        let kind = kind_of(&r.text);
        if self.rejections.len() < REJECTIONS_KEPT || self.rejections.contains_key(&kind) {
            *self.rejections.entry(kind).or_default() += 1;
        }
    }
}

/// The beginning of a refusal's text without its numbers.
pub fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).take(100).collect()
}

counters! {
    /// Of programs that grow rule by rule.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct GrownTally {
        /// Test cases that ended, and the rules they had.
        pub cases: u64,
        pub rules: u64,
        /// Those that the engine took to the end, and those among them whose last answer was not empty.
        pub valid: u64,
        pub non_empty: u64,
        /// Runs of single rules, and of whole programs.
        pub references: u64,
        pub optimised: u64,
        /// Time that the engine took for either.
        pub reference_nanos: u64,
        pub optimised_nanos: u64,
    }
}

counters! {
    /// What became of the statements of an input.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct InputTally {
        /// Statements that were queries.
        pub queries: u64,
        /// Other statements, left out.
        pub left_out: u64,
        /// Other statements that were run.
        pub changes: u64,
        /// Queries that the engine did not take.
        pub refused: u64,
        /// Queries that no tree could be made of, so that only their text was run: by reason, with the first line.
        pub unread: BTreeMap<String, MetAt>,
        /// Changes that no tree could be made of, so that nothing is known of the tables they name: the same.
        pub unread_changes: BTreeMap<String, MetAt>,
        /// Queries whose answer the engine may choose, so that it was not compared: the same.
        pub undetermined: BTreeMap<String, MetAt>,
    }
}

pub trait Explorer {
    /// Does a small piece of work (a check, or a database built) and gives back the cases whose claim was violated.
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case>;

    /// Begins as if it were new, for the worker of this number, and keeps only what it asked the engine at its
    /// start. False when it cannot.
    fn begin_again(&mut self, _worker: u64, _database: u64) -> bool {
        false
    }

    /// What the engine turned out not to have, for the list at the end of a hunt.
    fn learned(&self) -> Vec<String>;

    /// Whether it needs a statement of the input before its next step; and the statement.
    fn needs_input(&self) -> bool {
        false
    }
    fn feed(&mut self, _: InputLine) {}

    /// Statements of the input that changed the state since the last call.
    fn changes(&mut self) -> Vec<String> {
        Vec::new()
    }

    /// Scripts that reached code which nothing had reached before, since the last call: a name for each, and its text.
    /// Of those with the same name the last one counts.
    fn kept(&mut self) -> Vec<NamedText> {
        Vec::new()
    }

    /// The database being explored now, so that a restarted worker can go on with the next one.
    fn database(&self) -> u64;
}
