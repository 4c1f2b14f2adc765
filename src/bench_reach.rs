//! `qualm bench coverage ENGINE` for engines whose code cannot be built with counters: hunts for a fixed number of
//! checks and prints which steps of plans were seen of those that the engine has, and which functions of its
//! catalogue were called of those that take the kinds of values that are generated. Markdown, as docs/coverage.md
//! has it.

use crate::bench_functions::all_names;
use crate::cli::oracles_of;
use qualm_core::dialect::sql::Dialect;
use qualm_core::explore::Size;
use qualm_core::fault::Fault;
use qualm_core::spec::HuntSpec;
use qualm_engines::catalogue::{Catalogue, PlanOperator};
use qualm_host::process::Scratch;
use qualm_lang::sql::seeds;
use qualm_run::campaign::{Budget, Campaign};
use qualm_run::figures::Summary;
use qualm_run::progress::Progress;
use qualm_run::store::Store;
use qualm_run::{isolated, watched};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

pub struct Reach<'a> {
    pub engine: &'a str,
    pub catalogue: &'static Catalogue,
    pub oracles: &'a [String],
    pub checks: u64,
    pub size: Size,
    pub seed: u64,
    pub json: bool,
}

/// Aggregates that are generated for every dialect.
const BY_HAND: &[&str] = &["count", "sum", "min", "max", "avg"];

/// What a function is left out for that has no value of its own: such are not counted.
const UNDETERMINED: &[&str] = &["order of rows", "how it is computed", "not the same"];

impl Reach<'_> {
    pub fn run(self) -> Result<u8, Fault> {
        let engine = isolated::connect(self.engine)?;
        let dialect = engine.sql().ok_or_else(|| Fault::usage("not a SQL engine"))?;
        let mut session = engine.open().map_err(Fault::unreachable)?;
        let types = all_names(&self.catalogue.types, session.as_mut())?.len();
        drop(session);
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let folder = scratch.path().join("seen");
        fs::create_dir(&folder).map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let summary = self.hunt(&scratch, &folder)?;
        let (operators, functions) =
            watched::read(&folder).map_err(|e| Fault::own(format!("cannot read what was reached: {e}")))?;
        let reached = Reached::of(&operators, &functions, dialect, self.catalogue, types);
        if self.json {
            outln!("{}", reached.json(&summary));
        } else {
            outln!("{}", reached.markdown(&summary));
        }
        Ok(0)
    }

    fn hunt(&self, scratch: &Scratch, folder: &Path) -> Result<Summary, Fault> {
        let spoken = isolated::connect(self.engine)?.spoken();
        let oracles = oracles_of(spoken.language(), self.oracles)?;
        // What was seen outlives the hunt's own folder.
        let own = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let store = Arc::new(Store::create(Some(&scratch.path().join("out")))?);
        let spec = HuntSpec {
            seeds: seeds::for_oracles(&oracles, spoken),
            oracles,
            size: self.size,
            seed: self.seed,
            watched: Some(folder.to_path_buf()),
            ..HuntSpec::default()
        };
        let campaign = Campaign::plain(self.engine, spoken, spec, Budget::Checks(self.checks));
        campaign.run(store, Arc::new(own), &mut Progress::new())
    }
}

/// What was reached of each sort, and what was not.
struct Reached {
    operators: Sort,
    unreachable: Vec<&'static PlanOperator>,
    /// Operators of plans that no row of the list is.
    unlisted: Vec<String>,
    scalars: Sort,
    aggregates: Sort,
    column_types: usize,
    types: usize,
}

/// Names that were met, and names that were not.
#[derive(Default)]
struct Sort {
    met: Vec<String>,
    missed: Vec<String>,
}

impl Sort {
    fn of(all: BTreeSet<String>, seen: &BTreeSet<String>) -> Sort {
        let (met, missed) = all.into_iter().partition(|name| seen.contains(name));
        Sort { met, missed }
    }

    fn count(&self) -> usize {
        self.met.len() + self.missed.len()
    }

    fn share(&self) -> String {
        format!("{:.1} %", 100.0 * self.met.len() as f64 / self.count().max(1) as f64)
    }

    fn json(&self) -> serde_json::Value {
        serde_json::json!({ "all": self.count(), "reached": self.met.len(), "missed": self.missed })
    }
}

impl Reached {
    fn of(
        operators: &BTreeSet<String>,
        functions: &BTreeSet<String>,
        dialect: &Dialect,
        catalogue: &'static Catalogue,
        types: usize,
    ) -> Reached {
        let (mut seen, mut unlisted) = (BTreeSet::new(), Vec::new());
        for operator in operators {
            let names = listed(operator, catalogue.operators);
            if names.is_empty() {
                unlisted.push(operator.clone());
            }
            seen.extend(names);
        }
        let can = catalogue.operators.iter().filter(|o| o.unreachable.is_empty() || seen.contains(o.name));
        let met_names: BTreeSet<String> = seen.iter().map(|name| (*name).to_owned()).collect();
        let read = dialect.catalogued();
        let undetermined = |why: &str| UNDETERMINED.iter().any(|part| why.contains(part));
        let left_out = |what: &'static str| {
            let counted = read.left_out.iter().filter(move |(sort, _, why)| *sort == what && !undetermined(why));
            counted.map(|(_, name, _)| name.to_lowercase())
        };
        let scalars = dialect.every_function().map(|f| f.name.to_lowercase()).chain(left_out("scalar"));
        let aggregates = read.aggregates.iter().map(|f| f.name.to_lowercase()).chain(left_out("aggregate"));
        let aggregates = aggregates.chain(BY_HAND.iter().map(|name| (*name).to_owned()));
        Reached {
            operators: Sort::of(can.map(|o| o.name.to_owned()).collect(), &met_names),
            unreachable: catalogue.operators.iter().filter(|o| !o.unreachable.is_empty()).collect(),
            unlisted,
            scalars: Sort::of(scalars.collect(), functions),
            aggregates: Sort::of(aggregates.collect(), functions),
            column_types: dialect.types.len(),
            types,
        }
    }

    fn markdown(&self, summary: &Summary) -> String {
        let mut out = format!("{}, {} checks with seed {}.\n\n", summary.engine_version, summary.checks, summary.seed);
        out += "| | of | reached | share |\n|---|---|---|---|\n";
        let rows = [
            ("plan operators", &self.operators),
            ("scalar functions", &self.scalars),
            ("aggregates", &self.aggregates),
        ];
        for (what, sort) in rows {
            out += &format!("| {what} | {} | {} | {} |\n", sort.count(), sort.met.len(), sort.share());
        }
        out += &format!("\nColumns have {} types; its catalogue names {}.\n", self.column_types, self.types);
        for (what, sort) in rows {
            if !sort.missed.is_empty() {
                out += &format!("\nNever met, {what}: {}.\n", sort.missed.join(", "));
            }
        }
        if !self.unreachable.is_empty() {
            let why = |o: &&PlanOperator| format!("{} ({})", o.name, o.unreachable);
            out += &format!("\nNot counted: {}.\n", self.unreachable.iter().map(why).collect::<Vec<_>>().join(", "));
        }
        if !self.unlisted.is_empty() {
            let some: Vec<&str> = self.unlisted.iter().map(String::as_str).take(20).collect();
            out += &format!("\nOperators of plans beside the list: {}.\n", some.join(", "));
        }
        out.trim_end().to_owned()
    }

    fn json(&self, summary: &Summary) -> serde_json::Value {
        serde_json::json!({
            "engine_version": summary.engine_version, "checks": summary.checks, "seed": summary.seed,
            "operators": self.operators.json(), "scalars": self.scalars.json(), "aggregates": self.aggregates.json(),
            "column_types": self.column_types, "types": self.types, "unlisted_operators": self.unlisted,
        })
    }
}

/// The rows of the list that an operator of a plan is: those whose words it contains, without those that are only a
/// part of another such row.
fn listed(operator: &str, all: &'static [PlanOperator]) -> Vec<&'static str> {
    let found: Vec<&str> = all.iter().map(|o| o.name).filter(|name| contains_words(operator, name)).collect();
    let is_part = |name: &&str| found.iter().any(|other| other.len() > name.len() && contains_words(other, name));
    found.iter().filter(|name| !is_part(name)).copied().collect()
}

fn contains_words(text: &str, words: &str) -> bool {
    let ends = |at: Option<char>| at.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    text.match_indices(words)
        .any(|(at, _)| ends(text[..at].chars().next_back()) && ends(text[at + words.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: &[PlanOperator] = &[
        PlanOperator { name: "Append", unreachable: "" },
        PlanOperator { name: "Merge Append", unreachable: "" },
        PlanOperator { name: "Hash", unreachable: "" },
        PlanOperator { name: "Hash Join", unreachable: "" },
    ];

    #[test]
    fn an_operator_is_the_longest_row_that_it_contains() {
        assert_eq!(listed("Parallel Append", STEPS), ["Append"]);
        assert_eq!(listed("Merge Append", STEPS), ["Merge Append"]);
        assert_eq!(listed("InnerUnique Hash Join Left", STEPS), ["Hash Join"]);
        assert!(listed("Hashed", STEPS).is_empty());
    }
}
