//! `qualm bench paper NAME`: the main table of a paper at a small scale. A row is a hunt with the paper's method or its
//! baseline, in a process of its own, so that a row costs and finds what the same command would. Papers are data: what
//! is compared, on which engines, by which figures of `hunt --json`.

use crate::bench_compare::last_words;
use crate::cli::positive_seconds;
use clap::Args;
use qualm_core::fault::{EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNREACHABLE, Fault};
use qualm_core::words::did_you_mean;
use qualm_host::process::{Scratch, own_program};
use qualm_run::figures::ratio;
use serde_json::Value;
use std::process::{Command, Output};

#[derive(Args)]
pub struct BenchPaper {
    /// Paper to reproduce; without one, they are listed
    paper: Option<String>,
    /// Engines to use instead of the default ones; may be repeated
    #[arg(long, value_name = "ENGINE")]
    engine: Vec<String>,
    /// Seconds for each row
    #[arg(long, value_name = "N", default_value_t = 30.0, value_parser = positive_seconds)]
    seconds: f64,
    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object per row
    #[arg(long)]
    json: bool,
}

/// A table of a paper.
struct Paper {
    name: &'static str,
    /// Which table, and what it shows.
    shows: &'static str,
    /// Stand-ins for the paper's engines that need no server of the user's.
    engines: &'static [&'static str],
    /// The rows for each engine: a label, and arguments of `hunt`.
    variants: &'static [(&'static str, &'static [&'static str])],
    columns: &'static [Column],
    /// What the paper measures: figures of one row over those of another, by the labels of both.
    ratios: &'static [Ratio],
    /// What the paper has, to be read beside it.
    paper_has: &'static str,
}

struct Ratio {
    of: &'static str,
    to: &'static str,
    column: Column,
}

#[derive(Clone, Copy)]
enum Column {
    Checks,
    Vacuous,
    Findings,
    /// Violations before they were folded.
    Violations,
    Plans,
    /// Pairs of a plan before and after a setting was changed.
    Pairs,
    Crashes,
    /// Test cases grown rule by rule, per CPU hour: all, valid, and valid with an answer that is not empty.
    Cases,
    Valid,
    NonEmpty,
}

const PAPERS: &[Paper] = &[
    Paper {
        name: "queryfuzz",
        shows: "Table 1: query bugs per Datalog engine",
        engines: &["z3", "souffle", "clingo"],
        variants: &[("queryfuzz", &["--oracle", "queryfuzz"])],
        columns: &[Column::Checks, Column::Vacuous, Column::Findings, Column::Violations],
        ratios: &[],
        paper_has: "13 bugs: Soufflé 8, µZ 4, DDlog 1",
    },
    Paper {
        name: "deopt",
        shows: "Figure 10: test cases that grow rule by rule and random ones, by their number of rules",
        engines: &["clingo"],
        variants: &[
            ("20 rules, incremental", &["--oracle", "ire", "--ire", "max_rules=20"]),
            ("20 rules, random", &["--oracle", "ire", "--ire", "max_rules=20", "--random"]),
            ("60 rules, incremental", &["--oracle", "ire", "--ire", "max_rules=60"]),
            ("60 rules, random", &["--oracle", "ire", "--ire", "max_rules=60", "--random"]),
            ("100 rules, incremental", &["--oracle", "ire", "--ire", "max_rules=100"]),
            ("100 rules, random", &["--oracle", "ire", "--ire", "max_rules=100", "--random"]),
        ],
        columns: &[Column::Cases, Column::Valid, Column::NonEmpty, Column::Findings],
        ratios: &[
            Ratio { of: "20 rules, incremental", to: "20 rules, random", column: Column::NonEmpty },
            Ratio { of: "60 rules, incremental", to: "60 rules, random", column: Column::NonEmpty },
            Ratio { of: "100 rules, incremental", to: "100 rules, random", column: Column::NonEmpty },
        ],
        paper_has: "not empty, incremental to random: Soufflé 16.73 at 40 rules and 31.02 at 60, DDlog 1.17 at 60",
    },
    Paper {
        name: "gdbmeter",
        shows: "Table 3: bugs per graph engine",
        // The paper's are Neo4j, RedisGraph, which FalkorDB goes on from, and JanusGraph, which is asked in Gremlin.
        engines: &["neo4j", "falkordb", "gremlin", "arcadedb"],
        variants: &[("partition and the like", &["--oracle", "partition,refine,empty,nonempty"])],
        columns: &[Column::Checks, Column::Vacuous, Column::Findings, Column::Violations, Column::Crashes],
        ratios: &[],
        paper_has: "40 bugs: Neo4j, RedisGraph and JanusGraph, 36 of them confirmed",
    },
    Paper {
        name: "mutasql",
        shows: "bugs found in releases of SQLite",
        engines: &["sqlite:3.25.2", "sqlite:3.28.0", "sqlite"],
        variants: &[("mutasql", &["--oracle", "mutasql"])],
        columns: &[Column::Checks, Column::Vacuous, Column::Findings, Column::Violations, Column::Crashes],
        ratios: &[],
        paper_has: "31 bugs of the query engine in 20 releases",
    },
    Paper {
        name: "mozi",
        shows: "Tables 3 and 5: correctness bugs, settings by plan beside settings at random and beside other oracles",
        engines: &["sqlite:3.28.0"],
        variants: &[
            ("config, by plan", &["--oracle", "config"]),
            ("config, at random", &["--oracle", "config", "--config", "random"]),
            ("pqs", &["--oracle", "pqs"]),
            ("norec", &["--oracle", "norec"]),
            ("tlp", &["--oracle", "tlp"]),
        ],
        columns: &[Column::Checks, Column::Findings, Column::Violations, Column::Plans, Column::Pairs],
        ratios: &[Ratio { of: "config, by plan", to: "config, at random", column: Column::Pairs }],
        paper_has: "24 hours, MySQL, MariaDB, ClickHouse, PostgreSQL: by plan 29, at random 11, PQS 4, NoREC 7, TLP 8",
    },
];

impl BenchPaper {
    pub fn run(self) -> Result<u8, Fault> {
        let Some(name) = &self.paper else {
            PAPERS.iter().for_each(|p| outln!("{:<12}{}", p.name, p.shows));
            outln!("\n'qualm bench paper NAME' runs one; docs/papers.md says how ours differ.");
            return Ok(EXIT_CLEAN);
        };
        let Some(paper) = PAPERS.iter().find(|p| p.name == name) else {
            let names: Vec<&str> = PAPERS.iter().map(|p| p.name).collect();
            let hint = did_you_mean(name, names.iter().copied());
            return Err(Fault::usage(format!("unknown paper '{name}'{hint}; known papers: {}", names.join(", "))));
        };
        if !self.json {
            outln!("{}\n", paper.shows);
            outln!("{}", heading(paper));
        }
        let mut any = false;
        for engine in self.engines(paper) {
            let mut rows = Vec::new();
            for (label, args) in paper.variants {
                rows.extend(self.row(paper, engine, label, args)?.map(|hunt| (*label, hunt)));
            }
            any |= !rows.is_empty();
            if !self.json {
                paper.ratios.iter().filter_map(|r| r.words(&rows)).for_each(|line| outln!("  {line}"));
            }
        }
        // An empty table must not look like one of an engine without bugs.
        if !any {
            return Err(Fault {
                code: EXIT_UNREACHABLE,
                text: "no row could be run; 'qualm engines' says how to get an engine".into(),
            });
        }
        if !self.json {
            outln!("\nthe paper: {}", paper.paper_has);
        }
        Ok(EXIT_CLEAN)
    }

    fn engines<'a>(&'a self, paper: &'a Paper) -> Vec<&'a str> {
        if self.engine.is_empty() { paper.engines.to_vec() } else { self.engine.iter().map(String::as_str).collect() }
    }

    /// An engine that is not there costs its rows, not the table.
    fn row(&self, paper: &Paper, engine: &str, label: &str, args: &[&str]) -> Result<Option<Value>, Fault> {
        let output = self.hunt(engine, args)?;
        let code = output.status.code().and_then(|c| u8::try_from(c).ok());
        let said = String::from_utf8_lossy(&output.stderr);
        let why = last_words(&said);
        let summary = match code {
            Some(EXIT_CLEAN | EXIT_FINDINGS) => last_object(&output.stdout),
            Some(EXIT_UNREACHABLE) => {
                errln!("{engine}, {label}: skipped: {why}");
                return Ok(None);
            }
            Some(code) => return Err(Fault { code, text: format!("{engine}, {label}: {why}") }),
            None => None,
        };
        let summary = summary.ok_or_else(|| Fault::own(format!("{engine}, {label}: the hunt broke off: {why}")))?;
        if summary["checks"] == 0 {
            errln!(
                "{engine}, {label}: no check within {} s: the engine took them to start; give more --seconds",
                self.seconds
            );
        }
        if self.json {
            let row = serde_json::json!({"paper": paper.name, "variant": label, "hunt": summary});
            outln!("{row}");
        } else {
            let cells: String = paper.columns.iter().map(|c| format!("{:>14}", c.cell(&summary))).collect();
            outln!(
                "{:<24}  {label:<24}{cells}",
                of_release(engine, summary["engine_version"].as_str().unwrap_or_default())
            );
        }
        Ok(Some(summary))
    }

    fn hunt(&self, engine: &str, args: &[&str]) -> Result<Output, Fault> {
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let mut command = Command::new(own_program());
        command.args(["hunt", engine, "--json", "--workers", "1", "--quiet"]).args(args);
        command.args(["--seconds", &self.seconds.to_string(), "--seed", &self.seed.to_string()]);
        command.arg("--out").arg(scratch.path().join("out"));
        command.output().map_err(|e| Fault::own(format!("cannot run a hunt: {e}")))
    }
}

/// What the engine calls itself where that says which one it is; commands and paths are too long for a table.
fn of_release(engine: &str, version: &str) -> String {
    const WIDTH: usize = 24;
    let version = version.split(" (").next().unwrap_or_default();
    let name = if version.is_empty() { engine } else { version };
    if name.chars().count() <= WIDTH { name.to_owned() } else { name.chars().take(WIDTH - 1).chain(['…']).collect() }
}

impl Ratio {
    fn words(&self, rows: &[(&str, Value)]) -> Option<String> {
        let figure = |label: &str| rows.iter().find(|(l, _)| *l == label).map(|(_, hunt)| self.column.figure(hunt));
        let (of, to) = (figure(self.of)?, figure(self.to)?);
        let times = if to > 0.0 { format!("{:.2}", of / to) } else { "no number, since the second is 0".to_owned() };
        Some(format!("{}, {} to {}: {times}", self.column.title(), self.of, self.to))
    }
}

fn last_object(stdout: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(stdout);
    serde_json::from_str(text.lines().last()?).ok()
}

fn heading(paper: &Paper) -> String {
    let columns: String = paper.columns.iter().map(|c| format!("{:>14}", c.title())).collect();
    format!("{:<24}  {:<24}{columns}", "engine", "variant")
}

impl Column {
    fn title(self) -> &'static str {
        match self {
            Column::Checks => "checks",
            Column::Vacuous => "vacuous",
            Column::Findings => "findings",
            Column::Violations => "violations",
            Column::Plans => "plans",
            Column::Pairs => "pairs/1000",
            Column::Crashes => "crashes",
            Column::Cases => "cases/h",
            Column::Valid => "valid/h",
            Column::NonEmpty => "not empty/h",
        }
    }

    fn figure(self, hunt: &Value) -> f64 {
        let number = |key: &str| hunt[key].as_f64().unwrap_or_default();
        let per_hour = |key: &str| {
            let cases = hunt["grown"][key].as_f64().unwrap_or_default();
            3600.0 * ratio(cases, number("cpu_seconds"))
        };
        match self {
            Column::Checks => number("checks"),
            Column::Vacuous => 100.0 * number("vacuous_share"),
            Column::Findings => number("findings"),
            Column::Violations => number("violations"),
            Column::Plans => number("distinct_plans"),
            Column::Pairs => number("pairs_per_1000_checks"),
            Column::Crashes => number("crashes"),
            Column::Cases => per_hour("cases"),
            Column::Valid => per_hour("valid"),
            Column::NonEmpty => per_hour("non_empty"),
        }
    }

    fn cell(self, hunt: &Value) -> String {
        let figure = self.figure(hunt);
        match self {
            Column::Vacuous => format!("{figure:.1} %"),
            // Only 'config' changes settings.
            Column::Pairs if figure == 0.0 => "–".to_owned(),
            Column::Pairs => format!("{figure:.1}"),
            _ => format!("{figure:.0}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;
    use qualm_engines::{ENGINES, language_of};

    #[test]
    fn every_row_is_a_hunt_in_an_engine_that_there_is() {
        for paper in PAPERS {
            for engine in paper.engines {
                let name = engine.split(':').next().unwrap();
                assert!(ENGINES.iter().any(|e| e.name == name), "{}: no engine '{engine}'", paper.name);
                let language = language_of(engine).unwrap();
                for (label, args) in paper.variants {
                    let line = [&["qualm", "hunt", engine][..], args].concat();
                    assert!(cli::hunt_of(&line.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()).is_ok(), "{label}");
                    let oracles = args.iter().skip_while(|a| **a != "--oracle").nth(1).unwrap();
                    let oracles: Vec<String> = oracles.split(',').map(str::to_owned).collect();
                    assert!(cli::oracles_of(language, &oracles).is_ok(), "{}: {label} in {engine}", paper.name);
                }
            }
            let labels: Vec<&str> = paper.variants.iter().map(|(label, _)| *label).collect();
            assert!(paper.ratios.iter().all(|r| labels.contains(&r.of) && labels.contains(&r.to)), "{}", paper.name);
        }
    }

    #[test]
    fn a_row_is_set_against_another() {
        let hunt = |pairs: f64| serde_json::json!({ "pairs_per_1000_checks": pairs });
        let ratio = Ratio { of: "a", to: "b", column: Column::Pairs };
        let rows = [("a", hunt(30.0)), ("b", hunt(12.0))];
        assert_eq!(ratio.words(&rows).unwrap(), "pairs/1000, a to b: 2.50");
        assert_eq!(ratio.words(&rows[..1]), None);
        assert_eq!(of_release("z3", "z3 5.4.0 (abc)"), "z3 5.4.0");
        assert_eq!(of_release("exec:python3 a/long/way/to/some.py", "").chars().count(), 24);
    }
}
