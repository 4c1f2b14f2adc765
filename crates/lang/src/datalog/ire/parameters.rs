//! The parameters of incremental rule evaluation: one table, from which the help, the command line and docs/deopt.md
//! are made. Names and defaults are the paper's where it has them.

use crate::datalog::generate::Parameters as Shape;
use qualm_core::words::did_you_mean;

#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    pub max_rules: usize,
    pub max_att: usize,
    pub max_iter: usize,
    pub max_facts: usize,
    pub p_empty: f64,
    pub p_ask_empty: f64,
    pub p_blind: f64,
    pub p_use_empty: f64,
    pub p_recent: f64,
    pub p_head: f64,
    pub p_head_finite: f64,
    pub horizon: usize,
    pub p_whole: f64,
    pub p_switch: f64,
    pub p_special: f64,
    pub p_float: f64,
    pub p_mixed: f64,
    pub p_negated_cycle: f64,
    pub p_negation: f64,
    pub p_comparison: f64,
    pub p_assignment: f64,
    pub p_functor: f64,
    pub p_aggregate: f64,
    pub p_disjunction: f64,
    pub p_wildcard: f64,
    pub p_constant: f64,
    pub p_subsumption: f64,
    pub p_eqrel: f64,
    pub p_plan: f64,
    pub p_storage: f64,
    pub p_inline: f64,
    pub p_magic: f64,
    /// The paper's baseline: all rules first, then one comparison.
    pub random: bool,
}

impl Default for Parameters {
    fn default() -> Parameters {
        Parameters {
            max_rules: 100,
            max_att: 100,
            max_iter: 100,
            max_facts: 25,
            p_empty: 0.1,
            p_ask_empty: 0.5,
            p_blind: 0.3,
            p_use_empty: 0.2,
            p_recent: 0.3,
            p_head: 0.02,
            p_head_finite: 0.2,
            horizon: 6,
            p_whole: 0.02,
            p_switch: 0.3,
            p_special: 0.15,
            p_float: 0.5,
            p_mixed: 0.5,
            p_negated_cycle: 0.0,
            p_negation: 0.2,
            p_comparison: 0.35,
            p_assignment: 0.12,
            p_functor: 0.1,
            p_aggregate: 0.12,
            p_disjunction: 0.1,
            p_wildcard: 0.06,
            p_constant: 0.1,
            p_subsumption: 0.05,
            p_eqrel: 0.04,
            p_plan: 0.3,
            p_storage: 0.25,
            p_inline: 0.12,
            p_magic: 0.1,
            random: false,
        }
    }
}

/// One row of the table.
pub struct Spec {
    pub name: &'static str,
    pub about: &'static str,
    slot: fn(&mut Parameters) -> Slot,
}

/// Where a parameter is kept.
enum Slot<'a> {
    Count(&'a mut usize),
    Chance(&'a mut f64),
}

const fn row(name: &'static str, slot: fn(&mut Parameters) -> Slot, about: &'static str) -> Spec {
    Spec { name, about, slot }
}

pub const TABLE: &[Spec] = &[
    row("max_rules", |p| Slot::Count(&mut p.max_rules), "rules of one test case"),
    row("max_att", |p| Slot::Count(&mut p.max_att), "candidates for one rule in a row, before the test case ends"),
    row(
        "max_iter",
        |p| Slot::Count(&mut p.max_iter),
        "runs of single rules in one cycle, before the new rule is dropped",
    ),
    row("max_facts", |p| Slot::Count(&mut p.max_facts), "tuples of one relation, before the new rule is dropped"),
    row("p_empty", |p| Slot::Chance(&mut p.p_empty), "a rule that derives nothing is kept"),
    row("p_ask_empty", |p| Slot::Chance(&mut p.p_ask_empty), "a rule that derives nothing is compared before it goes"),
    row("p_blind", |p| Slot::Chance(&mut p.p_blind), "conditions of a rule are drawn whether they can hold or not"),
    row("p_use_empty", |p| Slot::Chance(&mut p.p_use_empty), "a rule may use relations that hold nothing"),
    row("p_recent", |p| Slot::Chance(&mut p.p_recent), "a subgoal is of one of the 8 newest relations, not of any"),
    row(
        "p_head",
        |p| Slot::Chance(&mut p.p_head),
        "a rule is for a relation that is there already, which may make a cycle",
    ),
    row(
        "p_head_finite",
        |p| Slot::Chance(&mut p.p_head_finite),
        "the same, where no arithmetic keeps a cycle from ending",
    ),
    row("horizon", |p| Slot::Count(&mut p.horizon), "most rules of the optimised program, where it is not whole"),
    row("p_whole", |p| Slot::Chance(&mut p.p_whole), "the optimised program is whole; for the last rule it always is"),
    row(
        "p_switch",
        |p| Slot::Chance(&mut p.p_switch),
        "the optimised program gets a switch of the engine, and again a second one",
    ),
    row(
        "p_special",
        |p| Slot::Chance(&mut p.p_special),
        "a value of the test case is a special one: an extreme, NaN, -0.0, quotes, unicode",
    ),
    row(
        "p_float",
        |p| Slot::Chance(&mut p.p_float),
        "a test case may have floats, where tuples distinguish -0.0 from 0.0",
    ),
    row("p_mixed", |p| Slot::Chance(&mut p.p_mixed), "a float is compared with an integer, where both are numbers"),
    row(
        "p_negated_cycle",
        |p| Slot::Chance(&mut p.p_negated_cycle),
        "a cycle through a negation is kept, and evaluated as one program",
    ),
    row("p_negation", |p| Slot::Chance(&mut p.p_negation), "a rule has negated subgoals"),
    row("p_comparison", |p| Slot::Chance(&mut p.p_comparison), "a rule has comparisons"),
    row("p_assignment", |p| Slot::Chance(&mut p.p_assignment), "a rule has an assignment"),
    row("p_functor", |p| Slot::Chance(&mut p.p_functor), "an argument of the head is arithmetic"),
    row("p_aggregate", |p| Slot::Chance(&mut p.p_aggregate), "a rule has an aggregate"),
    row("p_disjunction", |p| Slot::Chance(&mut p.p_disjunction), "a rule has a disjunction"),
    row("p_wildcard", |p| Slot::Chance(&mut p.p_wildcard), "an argument is a wildcard"),
    row("p_constant", |p| Slot::Chance(&mut p.p_constant), "an argument is a constant of the relation's own data"),
    row("p_subsumption", |p| Slot::Chance(&mut p.p_subsumption), "a relation gets a subsumption"),
    row("p_eqrel", |p| Slot::Chance(&mut p.p_eqrel), "a relation is an equivalence relation"),
    row("p_plan", |p| Slot::Chance(&mut p.p_plan), "a rule in a cycle has an order of its joins"),
    row("p_storage", |p| Slot::Chance(&mut p.p_storage), "a relation says how it is stored"),
    row("p_inline", |p| Slot::Chance(&mut p.p_inline), "a relation is inlined, or not"),
    row("p_magic", |p| Slot::Chance(&mut p.p_magic), "a relation is magic, or not"),
];

impl Parameters {
    /// From `name=value,…`; what is not named keeps its default.
    pub fn read(text: &str) -> Result<Parameters, String> {
        let mut found = Parameters::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            if part == "random" {
                found.random = true;
                continue;
            }
            let (name, value) = part.split_once('=').ok_or_else(|| format!("'{part}' is not NAME=VALUE"))?;
            let spec = TABLE.iter().find(|s| s.name == name.trim()).ok_or_else(|| {
                let names: Vec<&str> = TABLE.iter().map(|s| s.name).collect();
                let hint = did_you_mean(name.trim(), names.iter().copied());
                format!("unknown parameter '{}'{hint}; known parameters: {}", name.trim(), names.join(", "))
            })?;
            let wrong =
                || format!("'{name}' takes {}, not '{value}'", if spec.is_chance() { "0 to 1" } else { "1 to 10000" });
            let value: f64 = value.trim().parse().map_err(|_| wrong())?;
            let fits = if spec.is_chance() { (0.0..=1.0).contains(&value) } else { (1.0..=1e4).contains(&value) };
            if !fits {
                return Err(wrong());
            }
            match (spec.slot)(&mut found) {
                Slot::Count(slot) => *slot = value as usize,
                Slot::Chance(slot) => *slot = value,
            }
        }
        Ok(found)
    }

    /// What the generator of rules makes of it.
    pub fn shape(&self, shape: Shape) -> Shape {
        let percent = |p: f64| (p * 100.0).round() as u32;
        Shape {
            negation: percent(self.p_negation),
            comparison: percent(self.p_comparison),
            assignment: percent(self.p_assignment),
            head_functor: percent(self.p_functor),
            aggregate: percent(self.p_aggregate),
            disjunction: percent(self.p_disjunction),
            wildcard: percent(self.p_wildcard),
            constant: percent(self.p_constant),
            use_empty: percent(self.p_use_empty),
            recent: percent(self.p_recent),
            // Who knows no tuples cannot know which conditions they fulfil.
            blind: if self.random { 100 } else { shape.blind },
            ..shape
        }
    }
}

impl Spec {
    fn is_chance(&self) -> bool {
        matches!((self.slot)(&mut Parameters::default()), Slot::Chance(_))
    }

    pub fn default(&self) -> f64 {
        match (self.slot)(&mut Parameters::default()) {
            Slot::Count(slot) => *slot as f64,
            Slot::Chance(slot) => *slot,
        }
    }
}

/// The table for people.
pub fn help() -> String {
    let row = |s: &Spec| format!("  {:<16} {:>5}  {}", s.name, s.default(), s.about);
    let rows: Vec<String> = TABLE.iter().map(row).collect();
    format!("Parameters of ire, with defaults and meaning:\n{}", rows.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_and_refused() {
        let read = Parameters::read("max_rules=60, p_empty=0.25,random").unwrap();
        assert_eq!(read, Parameters { max_rules: 60, p_empty: 0.25, random: true, ..Parameters::default() });
        for wrong in ["max_rules", "max_rule=1", "p_empty=2", "p_empty=x", "max_iter=0"] {
            assert!(Parameters::read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_page_has_the_table() {
        let page = include_str!("../../../../../docs/deopt.md");
        for spec in TABLE {
            let row = format!("| `{}` | {} | {} |", spec.name, spec.default(), spec.about);
            assert!(page.contains(&row), "docs/deopt.md lacks the row\n{row}");
        }
    }
}
