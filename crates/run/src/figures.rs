//! The figures of a campaign: sums over all lives of all workers while it runs, and the summary at its end.

use crate::campaign::{Budget, Campaign};
use crate::supervisor::{News, Usage};
use crate::triage::{Counts, Queue, Settled};
use qualm_core::case::Case;
use qualm_core::explore::{GrownTally, InputTally, Size, Tally};
use qualm_core::fault::Fault;
use qualm_core::knobs::Choice;
use qualm_core::plan::PlanSet;
use qualm_core::relation::FailureKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

pub struct Figures {
    pub began: Instant,
    pub budget: Budget,
    /// Workers that have not said their last word.
    pub living: usize,
    pub faults: Vec<String>,
    version: String,
    learned: BTreeSet<String>,
    plans: PlanSet,
    pairs: PlanSet,
    /// Of each worker's present life.
    present: Vec<(Tally, Usage)>,
    past: Tally,
    past_cpu_seconds: f64,
    peak_bytes: u64,
    hunt_seconds: Option<f64>,
    triage_seconds: f64,
    /// Checks of workers that died before they told what came of them: they count as checks and in no share.
    missed_checks: u64,
    /// Lives of workers, or servers of theirs, that somebody else ended.
    pub killed: u64,
    crashes: u64,
    hangs: u64,
    out_of_memory: u64,
    violations_per_rule: BTreeMap<String, u64>,
}

impl Figures {
    pub fn new(campaign: &Campaign, began: Instant) -> Figures {
        Figures {
            began,
            budget: campaign.budget,
            living: campaign.workers,
            faults: Vec::new(),
            version: String::new(),
            learned: BTreeSet::new(),
            plans: PlanSet::default(),
            pairs: PlanSet::default(),
            present: vec![Default::default(); campaign.workers],
            past: Tally::default(),
            past_cpu_seconds: 0.0,
            peak_bytes: 0,
            hunt_seconds: None,
            triage_seconds: 0.0,
            missed_checks: 0,
            killed: 0,
            crashes: 0,
            hangs: 0,
            out_of_memory: 0,
            violations_per_rule: BTreeMap::new(),
        }
    }

    pub fn violated(&mut self, case: &Case) {
        for rule in &case.rules {
            *self.violations_per_rule.entry(rule.clone()).or_default() += 1;
        }
    }

    pub fn hello(&mut self, version: String, learned: Vec<String>) {
        if !version.is_empty() {
            self.version = version;
        }
        self.learned.extend(learned);
    }

    pub fn died(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Hang => self.hangs += 1,
            FailureKind::OutOfMemory => self.out_of_memory += 1,
            FailureKind::Crash | FailureKind::InternalError => self.crashes += 1,
        }
    }

    pub fn tally(&mut self, worker: usize, mut tally: Tally, usage: Usage) {
        for shape in tally.new_plans.drain(..) {
            self.plans.insert(shape);
        }
        for pair in tally.new_pairs.drain(..) {
            self.pairs.insert(pair);
        }
        self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
        self.present[worker] = (tally, usage);
    }

    pub fn life_over(&mut self, worker: usize, usage: Usage, missed: u64) {
        let (tally, _) = std::mem::take(&mut self.present[worker]);
        self.missed_checks += missed;
        add(&mut self.past, &tally);
        self.past_cpu_seconds += usage.cpu_seconds;
        self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
    }

    /// Adds plans that were seen elsewhere.
    pub fn pour_plans<'a>(
        &mut self,
        plans: impl IntoIterator<Item = &'a u64>,
        pairs: impl IntoIterator<Item = &'a u64>,
    ) {
        for plan in plans {
            self.plans.insert(*plan);
        }
        for pair in pairs {
            self.pairs.insert(*pair);
        }
    }

    /// Adds what was done elsewhere.
    pub fn pour(&mut self, part: &Part) {
        let tally = part.tally();
        self.pour_plans(&tally.new_plans, &tally.new_pairs);
        add(&mut self.past, &tally);
        self.hello(part.version.clone(), part.learned.iter().cloned().collect());
        self.past_cpu_seconds += part.cpu_seconds;
        self.peak_bytes = self.peak_bytes.max(part.peak_bytes);
        self.missed_checks += part.missed;
        self.killed += part.killed;
        self.crashes += part.crashes;
        self.hangs += part.hangs;
        self.out_of_memory += part.out_of_memory;
        for (rule, count) in &part.violations_per_rule {
            *self.violations_per_rule.entry(rule.clone()).or_default() += count;
        }
        self.faults.extend(part.faults.iter().cloned());
    }

    /// For a hunt that others did.
    pub fn hunt_took(&mut self, seconds: f64) {
        self.hunt_seconds = Some(seconds);
    }

    pub fn hunt_ended(&mut self) {
        self.hunt_seconds = Some(self.began.elapsed().as_secs_f64());
    }

    /// Triage went on after the hunt, until now.
    pub fn triage_ended(&mut self) {
        self.triage_seconds = self.began.elapsed().as_secs_f64() - self.hunt_seconds();
    }

    pub fn hunting(&self) -> bool {
        self.hunt_seconds.is_none()
    }

    pub fn hunt_seconds(&self) -> f64 {
        self.hunt_seconds.unwrap_or_else(|| self.began.elapsed().as_secs_f64())
    }

    pub fn total(&self) -> Tally {
        let mut total = self.past.clone();
        self.present.iter().for_each(|(tally, _)| add(&mut total, tally));
        total
    }

    pub fn distinct_plans(&self) -> usize {
        self.plans.len()
    }

    pub fn checks(&self) -> u64 {
        self.total().checks + self.missed_checks
    }

    fn cpu_seconds(&self) -> f64 {
        self.past_cpu_seconds + self.present.iter().map(|(_, u)| u.cpu_seconds).sum::<f64>()
    }

    /// `ending` is a fault when the campaign had to stop before its time.
    pub fn summary(
        mut self,
        campaign: &Campaign,
        queue: &Queue,
        settled: Vec<Settled>,
        folder: &Path,
        ending: Result<(), Fault>,
    ) -> Summary {
        let (total, cpu_seconds, counts) = (self.total(), self.cpu_seconds(), queue.counts());
        let share = |nanos: u64| round3(ratio(nanos as f64 * 1e-9, busy_seconds(&total, cpu_seconds)));
        let mut rejections: Vec<(String, u64)> = total.rejections.iter().map(|(k, v)| (k.clone(), *v)).collect();
        rejections.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        rejections.truncate(SHOWN_REJECTIONS);
        let found = counts.findings + counts.pending > 0;
        let exit = ending.as_ref().map_or_else(|f| f.code, |()| exit_code(found, !self.faults.is_empty()));
        self.faults.extend(ending.err().map(|f| f.text));
        Summary {
            engine: qualm_engines::url::shown(&campaign.engine),
            engine_version: self.version.clone(),
            oracles: campaign.spec.oracles.clone(),
            size: campaign.spec.size,
            seed: campaign.spec.seed,
            workers: campaign.workers,
            seconds: round3(self.hunt_seconds()),
            triage_seconds: round3(self.triage_seconds),
            cpu_seconds: round3(cpu_seconds),
            checks: self.checks(),
            checks_per_cpu_s: round3(ratio(self.checks() as f64, cpu_seconds)),
            engine_share: share(total.engine_nanos),
            generate_share: share(total.generate_nanos),
            print_share: share(total.print_nanos),
            compare_share: share(total.compare_nanos),
            vacuous_share: round3(ratio(total.vacuous as f64, total.checks as f64)),
            rejected_share: round3(ratio(total.rejected as f64, total.statements as f64)),
            limited_share: round3(ratio(total.limited as f64, total.checks as f64)),
            distinct_plans: self.plans.len(),
            config: campaign.spec.knobs.choice,
            plan_pairs: self.pairs.len(),
            pairs_per_1000_checks: round3(ratio(1000.0 * self.pairs.len() as f64, total.pairs_planned as f64)),
            plan_changed_share: round3(ratio(total.pairs_changed as f64, total.pairs_planned as f64)),
            statements: total.statements,
            databases: total.databases,
            violations: counts.violations,
            findings: counts.findings,
            duplicates: counts.duplicates,
            suppressed: counts.suppressed,
            flaky: counts.flaky,
            pending: counts.pending,
            unconfirmed: counts.unconfirmed,
            skipped: counts.skipped,
            crashes: self.crashes,
            hangs: self.hangs,
            out_of_memory: self.out_of_memory,
            killed: self.killed,
            reduce_seconds: round3(counts.reduce_seconds),
            reduce_attempts: counts.reduce_attempts,
            memory_peak_mb: self.peak_bytes >> 20,
            per_oracle: per_oracle(&total),
            per_rule: per_rule(&total, &self.violations_per_rule),
            input: campaign.input.as_ref().map(|_| total.input),
            grown: Some(total.grown).filter(|g| g.references > 0),
            learned_off: self.learned.into_iter().collect(),
            rejections,
            found: settled.iter().filter(|s| s.folder.is_some()).map(|s| FoundLine::of(s, None)).collect(),
            known: settled.iter().filter_map(|s| known_line(s, campaign)).collect(),
            faults: self.faults.clone(),
            folder: folder.to_path_buf(),
            exit,
        }
    }
}

fn known_line(settled: &Settled, campaign: &Campaign) -> Option<FoundLine> {
    Some(FoundLine::of(settled, Some(campaign.known[settled.known?].reason.clone())))
}

/// The figures of one part of a campaign, to be sent to who adds them up: a worker's, over all its lives.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Part {
    past: Tally,
    present: Tally,
    pub version: String,
    pub learned: BTreeSet<String>,
    pub cpu_seconds: f64,
    pub peak_bytes: u64,
    pub missed: u64,
    pub killed: u64,
    pub crashes: u64,
    pub hangs: u64,
    pub out_of_memory: u64,
    pub violations_per_rule: BTreeMap<String, u64>,
    pub faults: Vec<String>,
    pub counts: Counts,
}

/// Plans that a part tells; it has to fit into a message.
const PART_PLANS: usize = 10_000;

impl Part {
    pub fn hear(&mut self, news: &News) {
        match news {
            News::Violated { case, .. } => {
                for rule in &case.rules {
                    *self.violations_per_rule.entry(rule.clone()).or_default() += 1;
                }
            }
            News::Killed => self.killed += 1,
            News::Died { kind: FailureKind::Hang, .. } => self.hangs += 1,
            News::Died { kind: FailureKind::OutOfMemory, .. } => self.out_of_memory += 1,
            News::Died { .. } => self.crashes += 1,
            News::Hello { version, learned } => {
                if !version.is_empty() {
                    self.version.clone_from(version);
                }
                self.learned.extend(learned.iter().cloned());
            }
            News::Tally { tally, usage } => {
                self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
                let (plans, pairs) = (&mut self.past.new_plans, &mut self.past.new_pairs);
                plans.extend(tally.new_plans.iter().take(PART_PLANS.saturating_sub(plans.len())));
                pairs.extend(tally.new_pairs.iter().take(PART_PLANS.saturating_sub(pairs.len())));
                self.present = Tally { new_plans: Vec::new(), new_pairs: Vec::new(), ..(**tally).clone() };
            }
            News::LifeOver { usage, missed } => {
                let life = std::mem::take(&mut self.present);
                add(&mut self.past, &life);
                self.missed += missed;
                self.cpu_seconds += usage.cpu_seconds;
                self.peak_bytes = self.peak_bytes.max(usage.peak_bytes);
            }
            News::Fault(fault) => self.faults.push(fault.text.clone()),
            News::Ended(_) => {}
        }
    }

    pub fn tally(&self) -> Tally {
        let mut total = self.past.clone();
        add(&mut total, &self.present);
        total
    }

    pub fn checks(&self) -> u64 {
        self.past.checks + self.present.checks + self.missed
    }

    /// Plans and pairs of plans, which are in it no more.
    pub fn take_plans(&mut self) -> (Vec<u64>, Vec<u64>) {
        (std::mem::take(&mut self.past.new_plans), std::mem::take(&mut self.past.new_pairs))
    }

    /// The same without what takes room.
    pub fn in_brief(&self) -> Part {
        let mut brief = self.clone();
        brief.past.new_plans.clear();
        brief.past.new_pairs.clear();
        brief
    }
}

fn per_oracle(total: &Tally) -> BTreeMap<String, OracleFigures> {
    let figures = |(name, counts): (&String, &(u64, u64))| {
        (name.clone(), OracleFigures { checks: counts.0, violations: counts.1 })
    };
    total.per_oracle.iter().map(figures).collect()
}

/// A rule that took part in a violated claim and in no check that was told is one of a worker that died.
fn per_rule(total: &Tally, violations: &BTreeMap<String, u64>) -> BTreeMap<String, OracleFigures> {
    let names: BTreeSet<&String> = total.per_rule.keys().chain(violations.keys()).collect();
    let count = |counts: &BTreeMap<String, u64>, name: &String| counts.get(name).copied().unwrap_or(0);
    let figures = |name: &String| OracleFigures {
        checks: count(&total.per_rule, name).max(count(violations, name)),
        violations: count(violations, name),
    };
    names.into_iter().map(|name| (name.clone(), figures(name))).collect()
}

fn exit_code(found: bool, faults: bool) -> u8 {
    match (found, faults) {
        (true, _) => qualm_core::fault::EXIT_FINDINGS,
        (false, true) => qualm_core::fault::EXIT_OWN_FAULT,
        (false, false) => qualm_core::fault::EXIT_CLEAN,
    }
}

const SHOWN_REJECTIONS: usize = 20;

/// What `--json` prints and `campaign.json` holds.
#[derive(Debug, Serialize)]
pub struct Summary {
    pub engine: String,
    pub engine_version: String,
    pub oracles: Vec<String>,
    pub size: Size,
    pub seed: u64,
    pub workers: usize,
    /// Wall time of the hunt, without the triage after it.
    pub seconds: f64,
    /// Wall time of the triage after the hunt.
    pub triage_seconds: f64,
    /// CPU time of all workers.
    pub cpu_seconds: f64,
    pub checks: u64,
    pub checks_per_cpu_s: f64,
    /// Shares of the workers' CPU time.
    pub engine_share: f64,
    pub generate_share: f64,
    pub print_share: f64,
    pub compare_share: f64,
    pub vacuous_share: f64,
    pub rejected_share: f64,
    pub limited_share: f64,
    pub distinct_plans: usize,
    /// How `config` chose settings; distinct pairs of a plan before and another one after they were changed, as many of
    /// them per 1,000 checks whose plans were seen, and the share of these in which the plan changed.
    pub config: Choice,
    pub plan_pairs: usize,
    pub pairs_per_1000_checks: f64,
    pub plan_changed_share: f64,
    pub statements: u64,
    pub databases: u64,
    /// Cases in which a claim did not hold or the engine broke: the sum of the seven that follow.
    pub violations: u64,
    pub findings: u64,
    pub duplicates: u64,
    pub suppressed: u64,
    pub flaky: u64,
    pub pending: u64,
    pub unconfirmed: u64,
    pub skipped: u64,
    pub crashes: u64,
    pub hangs: u64,
    pub out_of_memory: u64,
    /// Workers that someone else killed.
    pub killed: u64,
    pub reduce_seconds: f64,
    pub reduce_attempts: u64,
    pub memory_peak_mb: u64,
    pub per_oracle: BTreeMap<String, OracleFigures>,
    /// The same for the rewrite rules that took part, and of these only checks that compared something.
    pub per_rule: BTreeMap<String, OracleFigures>,
    /// What became of the statements that others wrote; nothing in a hunt.
    pub input: Option<InputTally>,
    /// Programs that grew rule by rule, where an oracle lets them.
    pub grown: Option<GrownTally>,
    pub learned_off: Vec<String>,
    pub rejections: Vec<(String, u64)>,
    pub found: Vec<FoundLine>,
    pub known: Vec<FoundLine>,
    pub faults: Vec<String>,
    pub folder: PathBuf,
    pub exit: u8,
}

#[derive(Debug, Serialize)]
pub struct OracleFigures {
    pub checks: u64,
    pub violations: u64,
}

#[derive(Debug, Serialize)]
pub struct FoundLine {
    pub title: String,
    pub oracle: String,
    pub fingerprint: String,
    pub seen: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl FoundLine {
    fn of(settled: &Settled, reason: Option<String>) -> FoundLine {
        FoundLine {
            title: settled.title.clone(),
            oracle: settled.oracle.clone(),
            fingerprint: settled.fingerprint.id.clone(),
            seen: settled.seen,
            folder: settled.folder.clone(),
            reason,
        }
    }
}

fn add(sum: &mut Tally, part: &Tally) {
    sum.checks += part.checks;
    sum.vacuous += part.vacuous;
    sum.statements += part.statements;
    sum.rejected += part.rejected;
    sum.limited += part.limited;
    sum.databases += part.databases;
    sum.violations += part.violations;
    sum.pairs_planned += part.pairs_planned;
    sum.pairs_changed += part.pairs_changed;
    sum.engine_nanos += part.engine_nanos;
    sum.generate_nanos += part.generate_nanos;
    sum.print_nanos += part.print_nanos;
    sum.compare_nanos += part.compare_nanos;
    sum.wall_nanos += part.wall_nanos;
    for (oracle, (checks, violations)) in &part.per_oracle {
        let entry = sum.per_oracle.entry(oracle.clone()).or_default();
        entry.0 += checks;
        entry.1 += violations;
    }
    for (rule, checks) in &part.per_rule {
        *sum.per_rule.entry(rule.clone()).or_default() += checks;
    }
    for (text, count) in &part.rejections {
        *sum.rejections.entry(text.clone()).or_default() += count;
    }
    add_input(&mut sum.input, &part.input);
    let (sum, part) = (&mut sum.grown, &part.grown);
    sum.cases += part.cases;
    sum.rules += part.rules;
    sum.valid += part.valid;
    sum.non_empty += part.non_empty;
    sum.references += part.references;
    sum.optimised += part.optimised;
    sum.reference_nanos += part.reference_nanos;
    sum.optimised_nanos += part.optimised_nanos;
}

fn add_input(sum: &mut InputTally, part: &InputTally) {
    sum.queries += part.queries;
    sum.left_out += part.left_out;
    sum.changes += part.changes;
    sum.refused += part.refused;
    for (sum, part) in [(&mut sum.unread, &part.unread), (&mut sum.undetermined, &part.undetermined)] {
        for (why, (count, line)) in part {
            let entry = sum.entry(why.clone()).or_insert((0, *line));
            *entry = (entry.0 + count, entry.1.min(*line));
        }
    }
}

/// While an engine is waited for no CPU time passes here: its share is one of wall time.
fn busy_seconds(total: &Tally, cpu_seconds: f64) -> f64 {
    if total.wall_nanos > 0 { total.wall_nanos as f64 * 1e-9 } else { cpu_seconds }
}

pub fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

fn round3(x: f64) -> f64 {
    (x * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests;
