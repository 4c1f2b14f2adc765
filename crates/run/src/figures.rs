//! The figures of a campaign: parts that add up while it runs (`Part`), and the summary at its end.

use crate::campaign::{Budget, Campaign};
use crate::fingerprint::Kind;
use crate::supervisor::News;
use crate::triage::{Counts, Queue, Settled};
use qualm_core::counters;
use qualm_core::counters::{AddUp, Latest, Peak};
use qualm_core::explore::{GrownTally, InputTally, Size, Tally};
use qualm_core::fault::Fault;
use qualm_core::knobs::Choice;
use qualm_core::plan::PlanSet;
use qualm_core::relation::FailureKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A campaign's figures while it runs: a part for each worker, and what parts cannot hold.
pub struct Figures {
    pub began: Instant,
    pub budget: Budget,
    /// Workers that have not said their last word.
    pub living: usize,
    /// Of each worker, over all its lives.
    workers: Vec<Part>,
    /// What was done elsewhere.
    others: Part,
    plans: PlanSet,
    pairs: PlanSet,
    hunt_seconds: Option<f64>,
    triage_seconds: f64,
}

impl Figures {
    pub fn new(campaign: &Campaign, began: Instant) -> Figures {
        Figures {
            began,
            budget: campaign.budget,
            living: campaign.workers,
            workers: vec![Part::default(); campaign.workers],
            others: Part::default(),
            plans: PlanSet::default(),
            pairs: PlanSet::default(),
            hunt_seconds: None,
            triage_seconds: 0.0,
        }
    }

    pub fn hear(&mut self, worker: usize, news: &News) {
        if let News::Tally { tally, .. } = news {
            self.pour_plans(&tally.new_plans, &tally.new_pairs);
        }
        self.workers[worker].hear(news);
        // They are in the sets now.
        self.workers[worker].take_plans();
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
        let mut part = part.clone();
        let (plans, pairs) = part.take_plans();
        self.pour_plans(&plans, &pairs);
        self.others.add_up(&part);
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

    /// All parts together, with the figures of triage.
    pub fn total(&self, queue: &Queue) -> Part {
        let mut total = self.others.clone();
        self.workers.iter().for_each(|part| total.add_up(part));
        total.counts = queue.counts();
        total
    }

    pub fn distinct_plans(&self) -> usize {
        self.plans.len()
    }

    /// `ending` is a fault when the campaign had to stop before its time.
    pub fn summary(
        self,
        campaign: &Campaign,
        queue: &Queue,
        settled: Vec<Settled>,
        folder: &Path,
        ending: Result<(), Fault>,
    ) -> Summary {
        let part = self.total(queue);
        let cpu_seconds = part.cpu_seconds + part.present_cpu_seconds;
        let (total, checks) = (part.tally(), part.checks());
        let counts = Counts { reduce_seconds: round3(part.counts.reduce_seconds), ..part.counts };
        let share = |nanos: u64| round3(ratio(nanos as f64 * 1e-9, busy_seconds(&total, cpu_seconds)));
        let mut rejections: Vec<(String, u64)> = total.rejections.iter().map(|(k, v)| (k.clone(), *v)).collect();
        rejections.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        rejections.truncate(SHOWN_REJECTIONS);
        let mut faults = part.faults;
        let found = fails(&counts, &settled, campaign);
        let exit = ending.as_ref().map_or_else(|f| f.code, |()| exit_code(found, !faults.is_empty()));
        faults.extend(ending.err().map(|f| f.text));
        Summary {
            engine: qualm_engines::url::shown(&campaign.engine),
            engine_version: part.version.0,
            oracles: campaign.spec.oracles.clone(),
            size: campaign.spec.size,
            seed: campaign.spec.seed,
            workers: campaign.workers,
            seconds: round3(self.hunt_seconds()),
            triage_seconds: round3(self.triage_seconds),
            cpu_seconds: round3(cpu_seconds),
            checks,
            checks_per_cpu_s: round3(ratio(checks as f64, cpu_seconds)),
            engine_share: share(total.engine_nanos),
            generate_share: share(total.generate_nanos),
            print_share: share(total.print_nanos),
            compare_share: share(total.compare_nanos),
            vacuous_share: round3(ratio(total.vacuous as f64, total.checks as f64)),
            rejected_share: round3(ratio(total.rejected as f64, total.statements as f64)),
            limited_share: round3(ratio(total.limited as f64, total.checks as f64)),
            distinct_plans: self.plans.len(),
            edges: total.edges.0,
            config: campaign.spec.knobs.choice,
            plan_pairs: self.pairs.len(),
            pairs_per_1000_checks: round3(ratio(1000.0 * self.pairs.len() as f64, total.pairs_planned as f64)),
            plan_changed_share: round3(ratio(total.pairs_changed as f64, total.pairs_planned as f64)),
            statements: total.statements,
            databases: total.databases,
            counts,
            deaths: part.deaths,
            memory_peak_mb: part.peak_bytes.0 >> 20,
            per_oracle: per_oracle(&total),
            per_rule: per_rule(&total, &part.violations_per_rule),
            input: campaign.input.as_ref().map(|_| total.input),
            grown: Some(total.grown).filter(|g| g.references > 0),
            learned_off: part.learned.into_iter().collect(),
            rejections,
            found: settled.iter().filter(|s| s.folder.is_some()).map(|s| FoundLine::of(s, None)).collect(),
            known: settled.iter().filter_map(|s| known_line(s, campaign)).collect(),
            faults,
            folder: folder.to_path_buf(),
            exit,
        }
    }
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn known_line(settled: &Settled, campaign: &Campaign) -> Option<FoundLine> {
    Some(FoundLine::of(settled, Some(campaign.known[settled.known?].reason.clone())))
}

counters! {
    /// How workers died that should have gone on.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Deaths {
        pub crashes: u64,
        pub hangs: u64,
        pub out_of_memory: u64,
        /// Lives of workers, or servers of theirs, that somebody else ended.
        pub killed: u64,
        /// Lives of workers whose engine could do no more.
        #[serde(default)]
        pub spent: u64,
    }
}

impl Deaths {
    fn count(&mut self, kind: FailureKind) {
        match kind {
            FailureKind::Hang => self.hangs += 1,
            FailureKind::OutOfMemory => self.out_of_memory += 1,
            FailureKind::Crash | FailureKind::InternalError => self.crashes += 1,
        }
    }

    /// As the summary shows them: a name, how many, and a note.
    pub fn rows(&self) -> [(&'static str, u64, &'static str); 5] {
        [
            ("crashes", self.crashes, ""),
            ("hangs", self.hangs, ""),
            ("no memory", self.out_of_memory, ""),
            ("killed", self.killed, "workers or their servers, killed from outside and replaced"),
            ("worn out", self.spent, "workers whose engine had no memory left or took nothing, replaced"),
        ]
    }
}

counters! {
    /// Everything that is counted of one part of a campaign: a worker over all its lives, a lease of a fleet, or sums
    /// of them. Live lines, charts, the summary and the records of fleets are made from this.
    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    pub struct Part {
        /// Of lives that are over, and of the present one.
        past: Tally,
        present: Tally,
        pub version: Latest,
        pub learned: BTreeSet<String>,
        /// Of lives that are over.
        pub cpu_seconds: f64,
        /// Counted when it is over.
        #[serde(skip)]
        present_cpu_seconds: f64,
        pub peak_bytes: Peak,
        /// Checks of workers that died before they reported the outcome: they count as checks and in no share.
        pub missed: u64,
        #[serde(flatten)]
        pub deaths: Deaths,
        pub violations_per_rule: BTreeMap<String, u64>,
        pub faults: Vec<String>,
        pub counts: Counts,
    }
}

/// Plans that a part lists; it has to fit into a message.
const PART_PLANS: usize = 10_000;

impl Part {
    pub fn hear(&mut self, news: &News) {
        match news {
            News::Violated { case, .. } => {
                for rule in &case.rules {
                    *self.violations_per_rule.entry(rule.clone()).or_default() += 1;
                }
            }
            News::Killed => self.deaths.killed += 1,
            News::Spent => self.deaths.spent += 1,
            News::Died { kind, .. } => self.deaths.count(*kind),
            News::Hello { version, learned } => {
                self.version.add_up(&Latest(version.clone()));
                self.learned.extend(learned.iter().cloned());
            }
            News::Tally { tally, usage } => {
                self.peak_bytes.add_up(&Peak(usage.peak_bytes));
                let (plans, pairs) = (&mut self.past.new_plans, &mut self.past.new_pairs);
                plans.extend(tally.new_plans.iter().take(PART_PLANS.saturating_sub(plans.len())));
                pairs.extend(tally.new_pairs.iter().take(PART_PLANS.saturating_sub(pairs.len())));
                self.present = Tally { new_plans: Vec::new(), new_pairs: Vec::new(), ..(**tally).clone() };
                self.present_cpu_seconds = usage.cpu_seconds;
            }
            News::LifeOver { usage, missed } => {
                self.past.add_up(&std::mem::take(&mut self.present));
                self.missed += missed;
                self.present_cpu_seconds = 0.0;
                self.cpu_seconds += usage.cpu_seconds;
                self.peak_bytes.add_up(&Peak(usage.peak_bytes));
            }
            News::Fault(fault) => self.faults.push(fault.text.clone()),
            News::Ended(_) => {}
        }
    }

    pub fn tally(&self) -> Tally {
        let mut total = self.past.clone();
        total.add_up(&self.present);
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
        brief.take_plans();
        brief
    }
}

fn per_oracle(total: &Tally) -> BTreeMap<String, OracleFigures> {
    let figures = |(name, counts): (&String, &(u64, u64))| {
        (name.clone(), OracleFigures { checks: counts.0, violations: counts.1 })
    };
    total.per_oracle.iter().map(figures).collect()
}

/// A rule that took part in a violated claim and in no check that was reported is one of a worker that died.
fn per_rule(total: &Tally, violations: &BTreeMap<String, u64>) -> BTreeMap<String, OracleFigures> {
    let names: BTreeSet<&String> = total.per_rule.keys().chain(violations.keys()).collect();
    let count = |counts: &BTreeMap<String, u64>, name: &String| counts.get(name).copied().unwrap_or(0);
    let figures = |name: &String| OracleFigures {
        checks: count(&total.per_rule, name).max(count(violations, name)),
        violations: count(violations, name),
    };
    names.into_iter().map(|name| (name.clone(), figures(name))).collect()
}

/// Whether something was found that makes the hunt fail. A change between two releases may be meant; it counts if the
/// user says so.
fn fails(counts: &Counts, settled: &[Settled], campaign: &Campaign) -> bool {
    let compared = qualm_engines::against::pair(&campaign.engine).is_some();
    if !compared || campaign.spec.fail_on_change {
        return counts.findings + counts.pending > 0;
    }
    settled.iter().any(|s| s.folder.is_some() && s.fingerprint.kind != Kind::Changed)
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
    /// Edges between blocks of the engine's code that one worker reached; 0 where its build does not say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub edges: u64,
    /// How `config` chose settings; distinct pairs of a plan before and another one after they were changed, as many of
    /// them per 1,000 checks whose plans were seen, and the share of these in which the plan changed.
    pub config: Choice,
    pub plan_pairs: usize,
    pub pairs_per_1000_checks: f64,
    pub plan_changed_share: f64,
    pub statements: u64,
    pub databases: u64,
    /// What became of the violations.
    #[serde(flatten)]
    pub counts: Counts,
    #[serde(flatten)]
    pub deaths: Deaths,
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
