//! Explores queries that someone else wrote: each is run, and every oracle that can say something about it is asked.
//!
//! What can be read as a tree is typed, which says whether its answer is determined, and goes to all oracles. What
//! cannot is judged by its words (`determined.rs`) and by whether it reproduces itself, and goes to the oracles that
//! need no tree. Random decisions come from the seed and the line alone.

use super::asking::{Asking, Facts};
use super::ast::{Expr, Name, Query, Question, Select, SqlSource, Statement};
use super::determined::{self, TextKind};
use super::explore::undo;
use super::generate::{Generator, Shape};
use super::parse::{self, Parsed, What};
use super::perf::{self, Found};
use super::pool::Pool;
use super::profile::Profile;
use super::typing::{self, Schema};
use super::walk;
use crate::checker::{Checker, Steers, clocked};
use crate::oracle::{self, OracleSpec, Setting, adopt, config, config_perf, survives};
use crate::parameters;
use qualm_core::case::{Case, Step};
use qualm_core::counters::MetAt;
use qualm_core::explore::{ExploreConfig, Explorer, Input, InputLine, Tally};
use qualm_core::knobs::Knob;
use qualm_core::relation::{Equality, FailureKind, Order, Relation, Verdict};
use qualm_core::rng::Rng;
use qualm_core::session::{Outcome, Session};
use qualm_core::slowness;
use std::time::Instant;

/// The oracle that compares nothing.
pub const SURVIVES: &str = survives::NAME;

/// Choices of settings tried on one query.
const CHOICES: usize = 4;

/// Reasons that are listed one by one; the rest is "other reasons".
const REASONS_KEPT: usize = 100;

pub struct TextExplorer {
    config: ExploreConfig,
    input: Input,
    profile: Profile,
    shape: Shape,
    pool: Pool,
    oracles: Vec<&'static OracleSpec>,
    /// Those that compare the work or the estimates of two queries.
    pairs: Vec<&'static OracleSpec>,
    /// The one that looks at time is asked as well.
    times: bool,
    /// The setup as trees, as far as it can be read, and what it makes.
    state: Vec<Statement>,
    schema: Schema,
    /// Why the newest statement of the setup could not be read.
    unread_change: Option<String>,
    /// The setup has columns that may hold floats.
    floats: bool,
    /// The state is in the database.
    built: bool,
    /// Oracles whose preparations are in it as well.
    prepared: Vec<&'static str>,
    /// What the question at hand did to the state, to be undone.
    changes_made: Vec<Step>,
    new_changes: Vec<String>,
    waiting: Option<InputLine>,
    line: usize,
    checker: Checker,
}

/// What is known of the query at hand.
enum Read {
    /// Its tree, and that its answer is determined.
    Tree(Query),
    /// Why there is no tree; its words say nothing against it.
    Text(String),
    /// Its answer may not be compared.
    Open(String),
}

impl TextExplorer {
    pub fn new(config: ExploreConfig, session: &mut dyn Session) -> Result<TextExplorer, String> {
        let input = config.input.clone().unwrap_or_default();
        let profile = Profile::probe(super::dialect(&config)?, session)?;
        let mut oracles: Vec<&'static OracleSpec> =
            config.spec.oracles.iter().filter_map(|name| oracle::find(name)).collect();
        let asked = oracles.len();
        let pairs: Vec<&'static OracleSpec> =
            oracles.iter().copied().filter(|o| o.needs.times && o.name != config_perf::SPEC.name).collect();
        oracles.retain(|o| !o.needs.times);
        let times = oracles.len() + pairs.len() < asked;
        session.allow_work(if times || !pairs.is_empty() { slowness::WORK } else { 1 });
        let mut explorer = TextExplorer {
            shape: parameters::sql(config.spec.size, &config.spec.set),
            pool: Pool::new(profile.dialect.int_limit, &mut Rng::new(config.spec.seed)),
            oracles,
            pairs,
            times,
            state: Vec::new(),
            schema: Schema::in_dialect(profile.dialect),
            unread_change: None,
            floats: false,
            built: false,
            prepared: Vec::new(),
            changes_made: Vec::new(),
            new_changes: Vec::new(),
            waiting: None,
            line: 0,
            checker: Checker::new(&config),
            profile,
            input,
            config,
        };
        explorer.read_setup();
        Ok(explorer)
    }

    /// Makes trees of the setup. A table that a statement speaks of which cannot be read is one that nothing is known
    /// of, and so no query over it is read.
    fn read_setup(&mut self) {
        let script = self.input.setup.iter().map(|s| format!("{s};\n")).collect::<String>();
        self.state.clear();
        let mut unknown: Vec<String> = Vec::new();
        self.unread_change = None;
        for Parsed { text, what, .. } in parse::script(&script, self.profile.dialect) {
            self.unread_change = None;
            self.state.push(match what {
                What::Statement(s) => s,
                What::Query(_) => Statement::Maintenance(text.into()),
                What::Unread(why) => {
                    unknown.push(text.to_lowercase());
                    self.unread_change = Some(why);
                    Statement::Maintenance(text.into())
                }
            });
        }
        self.floats = determined::holds_floats(&self.state);
        self.schema = Schema::from_state(&self.state, self.profile.dialect).unwrap_or_default();
        let is_unknown = |name: &Name| unknown.iter().any(|text| parse::mentions(text, name));
        let mut gone: Vec<Name> = self.schema.tables.iter().map(|t| t.name.clone()).filter(is_unknown).collect();
        for statement in &self.state {
            if let Statement::CreateView(view) = statement {
                // A view over such a table is one as well.
                let mut reads = false;
                let mut look =
                    |s: &Select| reads |= s.from.iter().any(|j| j.source.table().is_some_and(|n| gone.contains(n)));
                walk::each_select(&view.query, &mut look);
                gone.extend(reads.then(|| view.name.clone()));
            }
        }
        self.schema.tables.retain(|t| !gone.contains(&t.name));
    }

    /// The setup in a fresh database; true when all of it was taken.
    fn build(&mut self, session: &mut dyn Session, tally: &mut Tally) -> bool {
        self.prepared.clear();
        self.changes_made.clear();
        self.built = session.reset().is_ok();
        tally.databases += 1;
        for text in self.input.setup.clone() {
            self.built &= self.checker.run(&text, session, tally).is_ok();
        }
        session.mark();
        self.built
    }

    // ------------------------------------------------------------ one statement

    fn look_at(&mut self, input: InputLine, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        self.line = input.line;
        // A case says by its line where it is from.
        self.checker.database = input.line as u64;
        let text = match input.text {
            Ok(text) => text,
            Err(why) => {
                tally.input.left_out += 1;
                note(&mut tally.input.unread, &why, input.line);
                return Vec::new();
            }
        };
        match determined::kind(&text) {
            TextKind::Query => {}
            TextKind::Other if self.input.run_all && !determined::only_explains(&text) => {
                return self.change(text, session, tally);
            }
            TextKind::Other | TextKind::Harmful => {
                tally.input.left_out += 1;
                return Vec::new();
            }
        }
        tally.input.queries += 1;
        if !self.built && !self.build(session, tally) {
            return Vec::new();
        }
        let answer = self.checker.run(&text, session, tally);
        let survived = self.checker.judge(SURVIVES, &Relation::Survives, std::slice::from_ref(&answer), tally);
        if let Verdict::Broke { kind, .. } = survived {
            return vec![self.survival_case(&text, kind)];
        }
        if !answer.is_ok() {
            tally.input.refused += 1;
            return Vec::new();
        }
        self.checker.look_at_plan(&text, session, tally);
        let (text, read) = self.closed(text);
        let answer = self.checker.run(&text, session, tally);
        let again = self.checker.run(&text, session, tally);
        match read {
            // Perhaps it is refused now that its limits are gone; that is no finding.
            _ if !answer.is_ok() || !again.is_ok() => Vec::new(),
            Read::Open(why) => self.leave_open(&why, tally),
            _ if !same(&answer, &again) => self.leave_open("it does not reproduce itself", tally),
            Read::Tree(query) => self.check_tree(query, session, tally),
            Read::Text(why) => {
                note(&mut tally.input.unread, &why, self.line);
                self.check_text(&text, session, tally)
            }
        }
    }

    /// A tree may call any function; what is said of it holds only for those of the dialect.
    fn only_known_functions(&self, query: Query) -> Result<Query, String> {
        let mut unknown = None;
        walk::each_expr(&query, &mut |e| {
            if let Expr::Call { function, .. } = e
                && !self.profile.dialect.every_function().any(|f| f.name.eq_ignore_ascii_case(function))
            {
                unknown = Some(format!("the function '{function}' is not known"));
            }
        });
        unknown.map_or(Ok(query), Err)
    }

    fn leave_open(&self, why: &str, tally: &mut Tally) -> Vec<Case> {
        note(&mut tally.input.undetermined, why, self.line);
        Vec::new()
    }

    /// The text to compare: without its limits where these alone leave the answer open.
    fn closed(&self, text: String) -> (String, Read) {
        let read = self.read(&text);
        let Read::Open(_) = read else { return (text, read) };
        let Some((removed, raised)) = determined::without_limits(&text) else { return self.with_facts(text, read) };
        match self.read(&removed) {
            Read::Open(why) => self.with_facts(text, Read::Open(why)),
            Read::Tree(query) => (removed, Read::Tree(query)),
            // Without a tree the engine's own limits are kept in the plan.
            Read::Text(why) => (raised, Read::Text(why)),
        }
    }

    /// What only the data can make determined goes to the oracles too; they check it.
    fn with_facts(&self, text: String, read: Read) -> (String, Read) {
        let asking = self.schema.asking(Facts::asked(Asking::Representatives));
        let dialect = self.profile.dialect;
        let tree = match parse::one(&text, dialect) {
            What::Query(mut q) if !determined::names_the_time(&text) => {
                parse::qualify(&mut q, &self.schema).and_then(|()| self.only_known_functions(q)).ok()
            }
            _ => None,
        };
        match tree.filter(|q| typing::query(q, &asking, dialect).is_ok()) {
            Some(query) => (text, Read::Tree(query)),
            None => (text, read),
        }
    }

    /// Tree first: it knows best. What typing refuses is open; what cannot be read is judged by its words.
    fn read(&self, text: &str) -> Read {
        let dialect = self.profile.dialect;
        let read = match parse::one(text, dialect) {
            What::Query(mut q) => parse::qualify(&mut q, &self.schema).and_then(|()| self.only_known_functions(q)),
            What::Unread(why) => Err(why),
            What::Statement(_) => Err("cannot be parsed as a query".into()),
        };
        match read {
            Ok(_) if determined::names_the_time(text) => Read::Open(determined::THE_TIME.into()),
            Ok(query) => match typing::query(&query, &self.schema, dialect) {
                Ok(_) => Read::Tree(query),
                Err(why) => Read::Open(why.0.into()),
            },
            Err(unread) => match determined::why_open(text, dialect, self.floats) {
                Some(why) => Read::Open(why.into()),
                None => Read::Text(unread),
            },
        }
    }

    fn change(&mut self, text: String, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        if !self.built && !self.build(session, tally) {
            return Vec::new();
        }
        let outcome = self.checker.run(&text, session, tally);
        if let Some(kind) = self.checker.failure(&outcome, tally) {
            return vec![self.survival_case(&text, kind)];
        }
        if outcome.is_ok() {
            tally.input.changes += 1;
            self.input.setup.push(text.clone());
            self.new_changes.push(text);
            self.read_setup();
            if let Some(why) = &self.unread_change {
                note(&mut tally.input.unread_changes, why, self.line);
            }
            // Preparations were made from the state as it was.
            self.built &= self.prepared.is_empty();
            session.mark();
        } else {
            tally.input.refused += 1;
        }
        Vec::new()
    }

    // ------------------------------------------------------------ oracles

    fn check_tree(&mut self, query: Query, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let mut cases = Vec::new();
        if self.times {
            cases.extend(self.check_time(adopt::question(query.clone(), None, ""), session, tally));
        }
        for oracle in self.pairs.clone() {
            cases.extend(self.check_pairs(oracle, &query, session, tally));
        }
        for oracle in self.oracles.clone() {
            if oracle.guide.is_some() {
                let question = adopt::question(query.clone(), None, config::QUERY);
                cases.extend(self.check_guided(oracle, &question, session, tally));
                continue;
            }
            for question in self.questions(oracle, &query, tally) {
                if !self.built && !self.build(session, tally) {
                    return cases;
                }
                let found = self.check(oracle, question, session, tally);
                self.restore(session);
                if let Some(case) = found {
                    cases.push(case);
                    // One violation of an oracle says enough about this query.
                    break;
                }
            }
        }
        cases
    }

    fn questions(&mut self, oracle: &'static OracleSpec, query: &Query, tally: &mut Tally) -> Vec<Question> {
        let generating = Instant::now();
        let mut rng = self.checker.stream(self.line as u64);
        let only = [query.clone()];
        let mut generator = Generator::new(&mut rng, &self.profile, &self.schema, &self.pool, self.shape);
        generator.state = &self.state;
        generator.seed_queries = &only;
        let questions = adopt::questions(oracle, query, &mut generator);
        tally.generate_nanos += generating.elapsed().as_nanos() as u64;
        questions
    }

    fn check(
        &mut self,
        oracle: &'static OracleSpec,
        question: Question,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Case> {
        self.checker.check += 1;
        let setting = Setting { state: &self.state, schema: &self.schema, dialect: self.profile.dialect };
        let derived = clocked(&mut tally.print_nanos, || oracle::derive(oracle, &question, &setting))?;
        let preparations = clocked(&mut tally.print_nanos, || (oracle.prepare)(&setting));
        if !self.prepare(oracle.name, &preparations, session, tally) {
            return None;
        }
        let guided = oracle.guide.is_some();
        let mut steering = Changing { changes: (!guided).then_some(&mut self.changes_made) };
        let answers = self.checker.run_all(&derived.script, &mut steering, session, tally)?;
        // Settings may be left changed where the questions broke off.
        self.built &= !guided || answers.iter().all(Outcome::is_ok);
        let verdict = self.checker.judge(oracle.name, &derived.claim, &answers, tally);
        if !verdict.is_bug() {
            return None;
        }
        let source = SqlSource { oracle: oracle.name.into(), state: self.state.clone(), question };
        oracle::case(&source, self.profile.dialect, self.checker.origin())
    }

    /// Runs what an oracle needs beside the state, once.
    fn prepare(
        &mut self,
        oracle: &'static str,
        statements: &[String],
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> bool {
        if statements.is_empty() || self.prepared.contains(&oracle) {
            return true;
        }
        let taken = statements.iter().all(|text| self.checker.run(text, session, tally).is_ok());
        self.built = taken;
        if taken {
            self.prepared.push(oracle);
        }
        taken
    }

    /// Undoes what a question did to the state; where that takes more than one statement each, it is built anew.
    fn restore(&mut self, session: &mut dyn Session) {
        self.built &= undo(&std::mem::take(&mut self.changes_made), session);
    }

    /// The oracles that need no tree.
    fn check_text(&mut self, text: &str, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        let mut cases = Vec::new();
        if self.times {
            cases.extend(self.check_time(config::on_text(text.into()), session, tally));
        }
        for oracle in self.oracles.clone().into_iter().filter(|o| o.guide.is_some()) {
            cases.extend(self.check_guided(oracle, &config::on_text(text.into()), session, tally));
        }
        cases
    }

    /// Whether an optimisation makes it slower.
    fn check_time(&mut self, question: Question, session: &mut dyn Session, tally: &mut Tally) -> Option<Case> {
        if !self.built && !self.build(session, tally) {
            return None;
        }
        self.checker.check += 1;
        let setting = Setting { state: &self.state, schema: &self.schema, dialect: self.profile.dialect };
        let (text, ..) = config_perf::text(&question, &setting)?;
        let found = perf::blame(&text, &self.config.knobs, self.config.spec.threshold, session);
        perf::count(config_perf::SPEC.name, &found, tally);
        let Found::Slower(flip) = found else { return None };
        let form = config_perf::question(question.query.clone(), self.config.spec.threshold).form;
        let question = Question { form, flips: vec![flip], ..question };
        let source = SqlSource { oracle: config_perf::SPEC.name.into(), state: self.state.clone(), question };
        oracle::case(&source, self.profile.dialect, self.checker.origin())
    }

    /// What an oracle that compares work or estimates claims about a query.
    fn check_pairs(
        &mut self,
        oracle: &'static OracleSpec,
        query: &Query,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Vec<Case> {
        if !self.built && !self.build(session, tally) {
            return Vec::new();
        }
        let Some(adopt) = oracle.adopt else { return Vec::new() };
        let mut rng = self.checker.stream(self.line as u64);
        let mut generator = Generator::new(&mut rng, &self.profile, &self.schema, &self.pool, self.shape);
        let questions = adopt(query, &mut generator);
        let setting = Setting { state: &self.state, schema: &self.schema, dialect: self.profile.dialect };
        let mut cases = Vec::new();
        for question in questions {
            let question = perf::with_ratio(question, self.config.spec.threshold);
            let Some(derived) = (oracle.derive)(&question, &setting) else { continue };
            self.checker.check += 1;
            let violated = perf::violates(&derived, session);
            perf::count_pair(oracle.name, violated, tally);
            if violated == Some(true) {
                let source = SqlSource { oracle: oracle.name.into(), state: self.state.clone(), question };
                cases.extend(oracle::case(&source, self.profile.dialect, self.checker.origin()));
            }
        }
        cases
    }

    /// Several choices of settings, each made from the plan.
    fn check_guided(
        &mut self,
        oracle: &'static OracleSpec,
        question: &Question,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) -> Option<Case> {
        let guide = oracle.guide?;
        let mut rng = self.checker.stream(self.line as u64);
        for _ in 0..CHOICES {
            if !self.built && !self.build(session, tally) {
                return None;
            }
            let setting = Setting { state: &self.state, schema: &self.schema, dialect: self.profile.dialect };
            let plan = (guide.text)(question, &setting).and_then(|text| session.plan(&text));
            let mut chosen = question.clone();
            // What the setup has set for itself stays as it is.
            let touched = |k: &&Knob| self.input.setup.iter().any(|text| k.is_touched_by(text));
            let knobs: Vec<&Knob> = self.config.knobs.iter().filter(|k| !touched(k)).collect();
            (guide.choose)(&mut chosen, plan.as_ref(), &knobs, self.config.spec.knobs.choice, &mut rng);
            let found = self.check(oracle, chosen, session, tally);
            if found.is_some() {
                // The settings may be left changed where a question broke off.
                self.built = false;
                return found;
            }
        }
        None
    }

    // ------------------------------------------------------------ cases

    fn survival_case(&mut self, text: &str, kind: FailureKind) -> Case {
        self.built = false;
        let before = self.input.setup.iter().map(Step::run).collect();
        self.checker.survival_case(before, kind, text, &())
    }
}

/// Notes what the statements between questions do to the state. Those of a guided oracle put back what they change.
struct Changing<'a> {
    changes: Option<&'a mut Vec<Step>>,
}

impl Steers for Changing<'_> {
    fn ran(&mut self, _: usize, step: &Step, outcome: &Outcome, _: &mut dyn Session, _: &mut Tally) {
        if !step.is_query() && outcome.is_ok() {
            self.changes.iter_mut().for_each(|changes| changes.push(step.clone()));
        }
    }
}

fn note(reasons: &mut std::collections::BTreeMap<String, MetAt>, why: &str, line: usize) {
    let why = if reasons.len() < REASONS_KEPT || reasons.contains_key(why) { why } else { "other reasons" };
    reasons.entry(why.to_owned()).or_insert(MetAt(0, line)).0 += 1;
}

fn same(a: &Outcome, b: &Outcome) -> bool {
    let relation = Relation::Same { left: 0, right: 1, order: Order::Bag, equality: Equality::Exact };
    matches!(relation.judge(&[a.clone(), b.clone()]), Verdict::Holds { .. })
}

impl Explorer for TextExplorer {
    fn step(&mut self, session: &mut dyn Session, tally: &mut Tally) -> Vec<Case> {
        match self.waiting.take() {
            Some(input) => self.look_at(input, session, tally),
            None => Vec::new(),
        }
    }

    fn needs_input(&self) -> bool {
        self.waiting.is_none()
    }

    fn feed(&mut self, input: InputLine) {
        self.waiting = Some(input);
    }

    fn changes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.new_changes)
    }

    fn learned(&self) -> Vec<String> {
        self.profile.learned().to_vec()
    }

    /// The line at hand: a worker that is started again has no other place to go on from.
    fn database(&self) -> u64 {
        self.line as u64
    }
}
