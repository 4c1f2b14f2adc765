//! `qualm bench compare`: two ways to hunt side by side, in distinct bugs over checks, with confidence.
//!
//! Each side is a file that `qualm bench search --json` printed, or options of `qualm hunt` in quotes; then hunts are
//! run here, one for each seed. Seeds are what repeats the experiment: intervals are over them.

use crate::bench_bugs::{SearchReport, position};
use crate::cli::at_least_one;
use clap::Args;
use qualm_core::fault::{EXIT_CLEAN, EXIT_OWN_FAULT, Fault};
use qualm_core::files;
use qualm_host::process::{Scratch, own_program};
use serde::Serialize;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The largest report that is read.
const REPORT_BYTES: u64 = 64 << 20;
/// Points of a curve.
const POINTS: u64 = 10;

#[derive(Args)]
pub struct BenchCompare {
    /// A file that 'qualm bench search --json' printed, or options of 'qualm hunt' in quotes; '' for none
    #[arg(allow_hyphen_values = true)]
    a: String,
    /// The same for the other side
    #[arg(allow_hyphen_values = true)]
    b: String,
    /// Hunts of each side, with the seeds 1 to N
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u64).range(2..=1000))]
    runs: u64,
    /// Engine to hunt in
    #[arg(long, value_name = "ENGINE", default_value = "sqlite:3.28.0")]
    engine: String,
    /// Checks of each hunt
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = at_least_one)]
    checks: u64,
    /// Print one JSON object on stdout
    #[arg(long)]
    json: bool,
}

/// A bug that a hunt found, and about after how many checks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    pub bug: String,
    pub checks: u64,
}

/// One side: what each of its hunts found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measured {
    pub checks: u64,
    pub runs: Vec<Vec<Seen>>,
}

impl Measured {
    /// Distinct bugs of each run.
    pub fn counts(&self) -> Vec<f64> {
        let bugs = |run: &Vec<Seen>| run.iter().map(|s| s.bug.as_str()).collect::<BTreeSet<_>>().len() as f64;
        self.runs.iter().map(bugs).collect()
    }

    /// Bugs that some run found.
    fn bugs(&self) -> BTreeSet<&str> {
        self.runs.iter().flatten().map(|s| s.bug.as_str()).collect()
    }
}

/// Mean distinct bugs of a run after so many checks.
pub fn curve(of: &Measured) -> Vec<(u64, f64)> {
    let runs = of.runs.len().max(1) as f64;
    let until = |checks: u64| {
        let found = |run: &Vec<Seen>| {
            run.iter().filter(|s| s.checks <= checks).map(|s| s.bug.as_str()).collect::<BTreeSet<_>>().len()
        };
        of.runs.iter().map(found).sum::<usize>() as f64 / runs
    };
    (1..=POINTS).map(|i| of.checks * i / POINTS).map(|checks| (checks, until(checks))).collect()
}

/// The mean, and half the width of its interval at 95 % confidence (Student's t).
pub fn interval(samples: &[f64]) -> (f64, f64) {
    let n = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / n.max(1.0);
    if samples.len() < 2 {
        return (mean, 0.0);
    }
    let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, student(samples.len() - 1) * (variance / n).sqrt())
}

/// The 97.5 % quantile of Student's t, by degrees of freedom; the normal one beyond the table.
fn student(freedom: usize) -> f64 {
    const TABLE: [f64; 20] = [
        12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
        2.110, 2.101, 2.093, 2.086,
    ];
    TABLE.get(freedom.saturating_sub(1)).copied().unwrap_or(1.96)
}

/// The share of pairs of runs in which B found more, and half of those in which both found as many.
pub fn superiority(a: &[f64], b: &[f64]) -> f64 {
    let won = |x: f64, y: f64| if y > x { 1.0 } else { f64::from(u8::from(x == y)) / 2.0 };
    let sum: f64 = a.iter().flat_map(|x| b.iter().map(move |y| won(*x, *y))).sum();
    sum / (a.len() * b.len()).max(1) as f64
}

/// The two-sided p-value of the Mann-Whitney U test, by the normal distribution with the corrections for ties and for
/// continuity.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let mut all: Vec<f64> = a.iter().chain(b).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: f64 = all.chunk_by(|x, y| x == y).map(|same| (same.len() as f64).powi(3) - same.len() as f64).sum();
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)).max(1.0));
    let distance = (superiority(a, b) * n * m - n * m / 2.0).abs() - 0.5;
    if variance <= 0.0 || distance <= 0.0 {
        return 1.0;
    }
    2.0 * beyond(distance / variance.sqrt())
}

/// The share of the normal distribution above z, to seven places (Abramowitz and Stegun 26.2.17).
fn beyond(z: f64) -> f64 {
    const TERMS: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * z);
    let sum = TERMS.iter().rev().fold(0.0, |sum, c| (sum + c) * t);
    (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt() * sum
}

/// What a program said last of what went wrong, without who says it.
pub fn last_words(said: &str) -> String {
    let line = said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("it gave no reason");
    line.trim().trim_start_matches("qualm: ").to_owned()
}

#[derive(Serialize)]
struct Report<'a> {
    a: &'a Measured,
    b: &'a Measured,
    mean_a: f64,
    mean_b: f64,
    /// Mean of B minus A over the seeds, and half its interval at 95 % confidence.
    difference: f64,
    half_interval: f64,
    /// How likely a run of B finds more than one of A, a tie counting half (Vargha and Delaney's A12).
    b_over_a: f64,
    /// Of the Mann-Whitney U test, two-sided: how likely runs that do not differ look like this.
    p_value: f64,
    only_a: Vec<&'a str>,
    only_b: Vec<&'a str>,
}

impl BenchCompare {
    pub fn run(self) -> Result<u8, Fault> {
        let (a, b) = (self.side(&self.a)?, self.side(&self.b)?);
        let (of_a, of_b) = (a.bugs(), b.bugs());
        let (counts_a, counts_b) = (a.counts(), b.counts());
        // A seed means the same database on both sides only as long as the generator is the same, but pairs lose
        // nothing where it is not.
        let pairs: Vec<f64> = counts_a.iter().zip(&counts_b).map(|(a, b)| b - a).collect();
        let (difference, half_interval) = interval(&pairs);
        let report = Report {
            mean_a: interval(&counts_a).0,
            mean_b: interval(&counts_b).0,
            difference,
            half_interval,
            b_over_a: superiority(&counts_a, &counts_b),
            p_value: mann_whitney(&counts_a, &counts_b),
            only_a: of_a.difference(&of_b).copied().collect(),
            only_b: of_b.difference(&of_a).copied().collect(),
            a: &a,
            b: &b,
        };
        match self.json {
            true => outln!("{}", serde_json::to_string(&report).expect("plain data")),
            false => out!("{}", qualm_core::escape::lines(&table(&report))),
        }
        Ok(EXIT_CLEAN)
    }

    fn side(&self, text: &str) -> Result<Measured, Fault> {
        if Path::new(text).is_file() {
            let wrong = |why: String| Fault::usage(format!("'{text}' is not what 'bench search --json' prints: {why}"));
            let json = files::text(Path::new(text), "report", REPORT_BYTES).map_err(wrong)?;
            let report: SearchReport = serde_json::from_str(&json).map_err(|e| wrong(e.to_string()))?;
            return Ok(report.measured());
        }
        let options: Vec<&str> = text.split_whitespace().collect();
        if options.first().is_some_and(|word| !word.starts_with('-')) {
            return Err(Fault::usage(format!("'{text}' is neither a file nor options of 'qualm hunt'")));
        }
        let runs = (1..=self.runs).map(|seed| self.hunt(&options, seed)).collect::<Result<_, _>>()?;
        Ok(Measured { checks: self.checks, runs })
    }

    fn hunt(&self, options: &[&str], seed: u64) -> Result<Vec<Seen>, Fault> {
        let scratch = Scratch::create().map_err(|e| Fault::own(format!("cannot create a temporary folder: {e}")))?;
        let out = scratch.path().join("out");
        errln!("hunting in {}, seed {seed} {}", self.engine, options.join(" "));
        let mut command = Command::new(own_program());
        command.args(["hunt", &self.engine, "--json", "--workers", "1"]).arg("--out").arg(&out);
        command.args(["--checks", &self.checks.to_string(), "--seed", &seed.to_string()]).args(options);
        let output = command.output().map_err(|e| Fault::own(format!("cannot start a hunt: {e}")))?;
        let summary: Json = serde_json::from_slice(&output.stdout).map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            Fault {
                code: output.status.code().and_then(|c| c.try_into().ok()).unwrap_or(EXIT_OWN_FAULT),
                text: last_words(&said),
            }
        })?;
        let number = |key: &str| summary[key].as_u64().unwrap_or_default();
        let mut seen = Vec::new();
        for found in summary["found"].as_array().into_iter().flatten() {
            let folder = Path::new(found["folder"].as_str().unwrap_or_default());
            if let Some(meta) = qualm_run::store::read_meta(folder) {
                let checks = position(meta.origin.database, number("databases"), number("checks"));
                seen.push(Seen { bug: format!("{} {}", meta.fingerprint, meta.title), checks });
            }
        }
        Ok(seen)
    }
}

fn table(r: &Report) -> String {
    use std::fmt::Write;
    let mut out = format!("{:>10} {:>8} {:>8}   distinct bugs of a run, on average\n", "checks", "A", "B");
    for ((checks, a), (_, b)) in curve(r.a).into_iter().zip(curve(r.b)) {
        let _ = writeln!(out, "{checks:>10} {a:>8.2} {b:>8.2}");
    }
    let _ = writeln!(
        out,
        "B finds {:+.2} +- {:.2} bugs more than A in a run (95 % confidence, {} runs each): {}",
        r.difference,
        r.half_interval,
        r.a.runs.len().min(r.b.runs.len()),
        if r.difference.abs() > r.half_interval { "a difference" } else { "no clear difference" }
    );
    let _ = writeln!(
        out,
        "a run of B beats one of A with probability {:.2} (Vargha-Delaney A12; 0.5 is no difference), Mann-Whitney U: \
         p = {:.3}",
        r.b_over_a, r.p_value
    );
    for (name, bugs) in [("A", &r.only_a), ("B", &r.only_b)] {
        let _ = writeln!(out, "only {name}: {}", if bugs.is_empty() { "none".into() } else { bugs.join("; ") });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bug: &str, checks: u64) -> Seen {
        Seen { bug: bug.into(), checks }
    }

    #[test]
    fn a_curve_counts_each_bug_once_per_run() {
        let runs = vec![vec![seen("a", 10), seen("a", 20), seen("b", 90)], vec![seen("b", 50)]];
        let of = Measured { checks: 100, runs };
        let curve = curve(&of);
        assert_eq!((curve[0], curve[4], curve[9]), ((10, 0.5), (50, 1.0), (100, 1.5)));
        assert_eq!(of.counts(), [2.0, 1.0]);
    }

    #[test]
    fn intervals_are_those_of_students_t() {
        let (mean, half) = interval(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        // The standard error is the root of 2.5 / 5.
        assert!((mean - 3.0).abs() < 1e-9 && (half - 2.776 * 0.5f64.sqrt()).abs() < 1e-9);
        assert_eq!(interval(&[7.0]), (7.0, 0.0));
        assert_eq!(interval(&[2.0; 30]).1, 0.0);
    }

    /// The p-value is that of the textbook's formula with an exact error function.
    #[test]
    fn sides_are_compared_by_their_ranks() {
        let (a, b) = ([1.0, 2.0, 2.0, 3.0, 1.0], [3.0, 4.0, 2.0, 5.0, 4.0]);
        assert!((superiority(&a, &b) - 0.9).abs() < 1e-9);
        assert!((mann_whitney(&a, &b) - 0.042_563).abs() < 1e-5, "{}", mann_whitney(&a, &b));
        assert_eq!((superiority(&a, &a), mann_whitney(&a, &a)), (0.5, 1.0));
        assert_eq!(mann_whitney(&[2.0, 2.0], &[2.0, 2.0]), 1.0, "all the same says nothing");
        assert_eq!(last_words("hunting\nqualm: unknown oracle 'x'\n"), "unknown oracle 'x'");
    }

    #[test]
    fn a_finding_stands_where_its_database_does() {
        assert_eq!(position(1, 10, 1000), 100);
        assert_eq!(position(10, 10, 1000), 1000);
        assert_eq!(position(0, 0, 0), 1);
    }
}
