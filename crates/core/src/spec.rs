//! How a hunt hunts, as one value. The campaign, the job of each worker, the configuration of a fleet and every
//! explorer hold this struct, so a new option is one field here and one place that reads it.
//!
//! A field with an `arg` is an option of `qualm hunt`: its comment is the help, its default is the default everywhere.
//! Fields that clap skips are worked out by the program, from files or from what the engine can do.

use crate::explore::{Feedback, NamedText, Schedule, Seeds, Size};
use crate::knobs::KnobOptions;
use crate::limits::STATEMENT_TIMEOUT_MS;
use crate::slowness::Threshold;
use clap::{Args, Command, FromArgMatches};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What is stored without an option, because it is older, has the default of it.
#[derive(Args, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HuntSpec {
    /// Names of the table of oracles, in its order.
    #[arg(skip)]
    pub oracles: Vec<String>,
    /// Size of databases and queries
    #[arg(long, value_enum, default_value_t, hide_short_help = true)]
    pub size: Size,
    /// Where all randomness begins.
    #[arg(skip)]
    pub seed: u64,
    /// Scripts to begin with; none: only random states.
    #[arg(skip)]
    pub seeds: Seeds,
    /// A file of rewrite rules that the user wrote.
    #[arg(skip)]
    pub rules: Option<NamedText>,
    #[command(flatten)]
    pub knobs: KnobOptions,
    /// Set a parameter of the generator, for instance tables.max=5; may be given more than once; see 'qualm parameters'
    #[arg(long, value_name = "NAME=VALUE", value_delimiter = ',', hide_short_help = true)]
    pub set: Vec<String>,
    /// What makes a state worth more queries: new plans, code reached for the first time (builds with counters, such as
    /// sqlite:3.28.0-coverage), both, or none
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, hide_short_help = true)]
    pub feedback: Feedback,
    /// How oracles are chosen: by fixed weights, or more often where they show something new
    #[arg(long, value_enum, value_name = "HOW", default_value_t, hide_short_help = true)]
    pub schedule: Schedule,
    /// Folder of scripts that reached new code: a hunt starts from them and adds new ones; needs a build with counters
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub corpus: Option<PathBuf>,
    /// Also generate values whose semantics are disputed (graphs: NaN); see docs/gdbmeter.md
    #[arg(long, hide_short_help = true)]
    pub disputed: bool,
    #[command(flatten)]
    pub threshold: Threshold,
    /// With --against: exit with code 1 for changed results too, not only for crashes, hangs and internal errors
    #[arg(long, hide_short_help = true)]
    pub fail_on_change: bool,
    /// Parameters of an oracle that has a table of them, as `name=value,…`.
    #[arg(skip)]
    pub tuning: String,
    /// Report a statement that takes longer than N milliseconds as a hang
    #[arg(long, value_name = "N", default_value_t = STATEMENT_TIMEOUT_MS, hide_short_help = true)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..))]
    pub timeout_ms: u64,
    /// A folder in which every worker notes which steps of plans and which functions it met.
    #[arg(skip)]
    pub watched: Option<PathBuf>,
}

impl Default for HuntSpec {
    /// What `qualm hunt` does without options. The defaults are read off the options, so that they are written once.
    fn default() -> HuntSpec {
        let none: [&str; 0] = [];
        let command = HuntSpec::augment_args(Command::new("hunt").no_binary_name(true));
        let read = command.try_get_matches_from(none).and_then(|given| HuntSpec::from_arg_matches(&given));
        read.expect("every option has a default")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knobs::Choice;

    #[test]
    fn the_defaults_are_those_of_the_command_line() {
        let spec = HuntSpec::default();
        assert_eq!((spec.size, spec.knobs.choice, spec.disputed), (Size::Medium, Choice::Plan, false));
        assert_eq!((spec.threshold, spec.timeout_ms), (Threshold::default(), STATEMENT_TIMEOUT_MS));
    }

    /// Fleets keep it, and machines that join read it.
    #[test]
    fn nothing_is_lost_on_its_way() {
        let named = |name: &str| NamedText { name: name.into(), text: "text".into() };
        let spec = HuntSpec {
            oracles: vec!["tlp".into()],
            size: Size::Large,
            seed: u64::MAX,
            seeds: Seeds { scripts: vec![named("a.sql")], share: (1, 2) },
            rules: Some(named("rules.toml")),
            knobs: KnobOptions { file: Some(named("knobs.toml")), choice: Choice::Random },
            set: vec!["tables.max=5".into()],
            feedback: Feedback::Coverage,
            schedule: Schedule::Yield,
            corpus: Some("kept".into()),
            disputed: true,
            threshold: Threshold { ratio: 3.5, floor_ms: 0.25 },
            fail_on_change: true,
            tuning: "max_rules=60".into(),
            timeout_ms: 7,
            watched: Some("seen".into()),
        };
        let text = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<HuntSpec>(&text).unwrap(), spec);
        assert_eq!(serde_json::from_str::<HuntSpec>("{}").unwrap(), HuntSpec::default());
    }
}
