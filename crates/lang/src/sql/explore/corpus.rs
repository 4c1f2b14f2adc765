//! Scripts that reached code of the engine which nothing had reached before: kept, changed as trees, begun with again.
//!
//! Which are taken up again is decided by how rare the code is that they reached. A script is a state and queries, as
//! a seed is; so all oracles run on it. It is stored as text, which any other hunt and any other release can read.

use super::{SqlExplorer, learn};
use crate::sql::ast::{Expr, Query, Question, Statement};
use crate::sql::profile::Used;
use crate::sql::seeds::Seed;
use crate::sql::state::State;
use crate::sql::{print, walk};
use qualm_core::case::Case;
use qualm_core::coverage::Reached;
use qualm_core::dialect::sql::Dialect;
use qualm_core::explore::{NamedText, Tally};
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::plan::Fnv;
use qualm_core::rng::Rng;
use qualm_core::session::Session;
use qualm_core::spec::HuntSpec;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// Scripts that are kept, and queries of each; when there are more, the one goes whose code is reached most often.
const ENTRIES_KEPT: usize = 400;
const QUERIES_KEPT: usize = 12;
/// So many of so many databases begin with one of them.
const SHARE: (u32, u32) = (1, 2);
/// Scripts that are drawn; the one with the rarest code is taken.
const DRAWN: usize = 4;
/// Changed copies of queries that are offered beside the queries themselves.
const MUTANTS: usize = 12;
/// Queries with more expressions are not changed further.
const EXPRESSIONS_AT_MOST: usize = 80;
/// Statements that a changed state gets at most, of each sort of change.
const MORE_STATEMENTS: usize = 3;
/// Rows of one statement that grows the data.
const MORE_ROWS: usize = 6;

struct Entry {
    state: Vec<Statement>,
    queries: Vec<Query>,
    /// The code that it was the first to reach. Nothing is known of one that was stored.
    places: Vec<u32>,
    /// How often it was begun with.
    chosen: u32,
    /// It has something that is not stored yet.
    fresh: bool,
}

/// What was kept, and what all of the hunt has reached.
#[derive(Default)]
pub(super) struct Corpus {
    entries: Vec<Entry>,
    reached: Reached,
    /// The last look at the engine's code.
    places: Vec<u32>,
    /// The one that the state at hand was kept as.
    at: Option<usize>,
    /// There is a folder for what is kept.
    stores: bool,
}

impl Corpus {
    /// Nothing where new code does not matter to the hunt.
    pub(super) fn for_hunt(spec: &HuntSpec, dialect: &'static Dialect) -> Result<Option<Corpus>, String> {
        if !spec.feedback.looks_at_code() && spec.corpus.is_none() {
            return Ok(None);
        }
        let entries = spec.corpus.as_deref().map_or_else(|| Ok(Vec::new()), |folder| stored(folder, dialect))?;
        Ok(Some(Corpus { entries, stores: spec.corpus.is_some(), ..Corpus::default() }))
    }

    /// One of those drawn whose rarest code was met least, and that was taken up least for it.
    fn choose(&mut self, rng: &mut Rng) -> usize {
        let cost = |entry: &Entry| u64::from(self.reached.rarest(&entry.places)) * u64::from(entry.chosen);
        let drawn: Vec<usize> = (0..DRAWN).map(|_| rng.below(self.entries.len())).collect();
        let best = drawn.into_iter().min_by_key(|at| (cost(&self.entries[*at]), *at)).unwrap_or_default();
        self.entries[best].chosen += 1;
        best
    }

    fn keep(&mut self, state: &State, query: Option<Query>, new: Vec<u32>, dialect: &Dialect) {
        // The same seed makes the same state again, which may be one that is stored.
        let known = || {
            let text = lines(&state.statements, |s| print::statement(s, dialect));
            let is_same = |e: &Entry| e.state.len() == state.statements.len() && e.state_text(dialect) == text;
            self.entries.iter().position(is_same)
        };
        let at = match self.at.or_else(known) {
            Some(at) => at,
            None => {
                self.make_room();
                let state = state.statements.clone();
                self.entries.push(Entry { state, queries: Vec::new(), places: Vec::new(), chosen: 1, fresh: true });
                self.entries.len() - 1
            }
        };
        self.at = Some(at);
        let entry = &mut self.entries[at];
        entry.places.extend(new);
        entry.fresh = true;
        if entry.queries.len() < QUERIES_KEPT {
            entry.queries.extend(query);
        }
    }

    fn make_room(&mut self) {
        if self.entries.len() < ENTRIES_KEPT {
            return;
        }
        let rarity = |entry: &Entry| self.reached.rarest(&entry.places);
        let commonest = (0..self.entries.len()).max_by_key(|at| rarity(&self.entries[*at]));
        commonest.into_iter().for_each(|at| drop(self.entries.swap_remove(at)));
    }

    /// Those that are not stored yet, as scripts; the one at hand may still grow.
    pub(super) fn take_kept(&mut self, dialect: &Dialect) -> Vec<NamedText> {
        if !self.stores {
            return Vec::new();
        }
        let at = self.at;
        let done = self.entries.iter_mut().enumerate().filter(|(i, entry)| entry.fresh && at != Some(*i));
        done.map(|(_, entry)| entry.script(dialect)).collect()
    }
}

impl Entry {
    fn script(&mut self, dialect: &Dialect) -> NamedText {
        self.fresh = false;
        let state = self.state_text(dialect);
        let mut hasher = Fnv::default();
        hasher.write(state.as_bytes());
        let name = format!("{:016x}.sql", hasher.finish());
        NamedText { name, text: state + &lines(&self.queries, |q| print::query(q, dialect)) }
    }

    fn state_text(&self, dialect: &Dialect) -> String {
        lines(&self.state, |s| print::statement(s, dialect))
    }
}

fn lines<T>(all: &[T], text: impl Fn(&T) -> String) -> String {
    all.iter().map(|one| format!("{};\n", text(one))).collect()
}

/// The scripts of a folder, in the order of their names. What is not a script with a table is left out: another hunt
/// may be writing there.
fn stored(folder: &Path, dialect: &'static Dialect) -> Result<Vec<Entry>, String> {
    let cannot = |e: std::io::Error| format!("cannot read the corpus '{}': {e}", folder.display());
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        paths.push(entry.map_err(cannot)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|e| e == "sql"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = files::text(&path, "a script of the corpus", FILE_BYTES).ok()?;
        let seed = Seed::read(&NamedText { name: path.display().to_string(), text }, dialect);
        let has_table = seed.state.iter().any(|s| matches!(s, Statement::CreateTable(_)));
        let (state, queries) = (seed.state, seed.queries);
        has_table.then(|| Entry { state, queries, places: Vec::new(), chosen: 0, fresh: false })
    };
    Ok(paths.into_iter().filter_map(read).take(ENTRIES_KEPT).collect())
}

impl SqlExplorer {
    /// Whether the next state is one that was kept, changed. What the engine did since the last question is not about
    /// the next one, and is not looked at.
    pub(super) fn begins_from_corpus(&mut self, session: &mut dyn Session) -> bool {
        let Some(corpus) = &mut self.corpus else { return false };
        corpus.at = None;
        corpus.places.clear();
        if !session.reached(&mut corpus.places) {
            self.corpus = None;
            return false;
        }
        !corpus.entries.is_empty() && self.checker.rng.chance(SHARE.0, SHARE.1)
    }

    /// Looks at the code that was reached since the last look. A state or a question that reached some first is kept,
    /// and the state gets more checks.
    pub(super) fn look_at_code(
        &mut self,
        state: &State,
        question: Option<&Question>,
        session: &mut dyn Session,
        tally: &mut Tally,
    ) {
        let Some(corpus) = &mut self.corpus else { return };
        corpus.places.clear();
        if !session.reached(&mut corpus.places) {
            return;
        }
        let new = corpus.reached.note(&corpus.places);
        tally.edges.0 = corpus.reached.distinct();
        if question.is_none() {
            // The state is another one now.
            corpus.at = None;
        }
        if !new.is_empty() && !state.tables.is_empty() {
            corpus.keep(state, question.and_then(asked), new, self.profile.dialect);
            self.found_news();
        }
    }

    /// A kept state, changed a little, and its queries beside changed copies of them.
    pub(super) fn build_from_corpus(
        &mut self,
        state: &mut State,
        session: &mut dyn Session,
        tally: &mut Tally,
        cases: &mut Vec<Case>,
    ) {
        let Some(corpus) = &mut self.corpus else { return };
        let rng = &mut self.checker.rng;
        let at = corpus.choose(rng);
        let other = rng.below(corpus.entries.len());
        let (entry, other) = (&corpus.entries[at], &corpus.entries[other]);
        let mut statements = entry.state.clone();
        match rng.below(4) {
            0 => leave_one_out(&mut statements, rng),
            1 => statements.extend(spliced(&entry.state, &other.state, rng)),
            _ => {}
        }
        self.offered = mutated(&entry.queries, &other.queries, rng);
        for statement in statements {
            // What the schema refuses would be in the database and not in the script.
            if state.schema.clone().apply(&statement, self.profile.dialect).is_ok() {
                learn(&statement, state);
                cases.extend(self.attempt(statement, Used::default(), state, session, tally));
            }
        }
        match self.checker.rng.below(3) {
            0 => self.grow(state, session, tally, cases),
            1 => {
                for _ in 0..self.checker.rng.range(1, MORE_STATEMENTS) {
                    self.attempt_change(state, session, tally, cases);
                }
            }
            _ => {}
        }
    }

    /// More rows for the tables that there are.
    fn grow(&mut self, state: &mut State, session: &mut dyn Session, tally: &mut Tally, cases: &mut Vec<Case>) {
        for _ in 0..self.checker.rng.range(1, MORE_STATEMENTS) {
            if state.tables.is_empty() {
                return;
            }
            let table = self.checker.rng.pick(&state.tables).clone();
            let (statement, used) = self.with_builder(|b| b.insert_into(&table, MORE_ROWS, state));
            cases.extend(self.attempt(statement, used, state, session, tally));
        }
    }
}

/// What was asked, as one query: with the predicate where the query has no condition of its own.
fn asked(question: &Question) -> Option<Query> {
    let mut query = question.query.clone();
    let select = query.select_mut()?;
    if select.filter.is_none() {
        select.filter.clone_from(&question.predicate);
    }
    question.text.is_none().then_some(query)
}

/// Tables stay; what else there is may go.
fn leave_one_out(statements: &mut Vec<Statement>, rng: &mut Rng) {
    let spare = |s: &Statement| !matches!(s, Statement::CreateTable(_) | Statement::Transaction(_));
    let places: Vec<usize> = (0..statements.len()).filter(|at| spare(&statements[*at])).collect();
    if !places.is_empty() {
        statements.remove(*rng.pick(&places));
    }
}

/// Statements of another state that this one may take: indexes, and rows of tables that are defined alike (others may
/// have values that this table's columns promise not to have).
fn spliced(state: &[Statement], other: &[Statement], rng: &mut Rng) -> Vec<Statement> {
    let alike = |table: &str| {
        let of = |all: &[Statement]| {
            all.iter().find_map(|s| match s {
                Statement::CreateTable(t) if *t.name == *table => Some(t.clone()),
                _ => None,
            })
        };
        of(state).is_some_and(|t| of(other) == Some(t))
    };
    let mut taken: Vec<Statement> = other
        .iter()
        .filter(|s| match s {
            Statement::CreateIndex(_) => true,
            Statement::Insert(insert) => insert.source.is_none() && insert.upsert.is_empty() && alike(&insert.table),
            _ => false,
        })
        .cloned()
        .collect();
    rng.shuffle(&mut taken);
    taken.truncate(MORE_STATEMENTS);
    for (number, statement) in taken.iter_mut().enumerate() {
        if let Statement::CreateIndex(index) = statement {
            index.name = format!("s{number}").into();
        }
    }
    taken
}

/// The queries, and copies of them with parts of their own kin or of others. Those that do not fit the state, or whose
/// answer would not be determined, are left out by whoever offers them.
fn mutated(queries: &[Query], others: &[Query], rng: &mut Rng) -> Vec<Query> {
    let mut all = queries.to_vec();
    if queries.is_empty() {
        return all;
    }
    let donors: Vec<&Query> = queries.iter().chain(others).collect();
    for _ in 0..MUTANTS {
        let query = rng.pick(queries);
        let donor = *rng.pick(&donors);
        let mutant = mutant(query, donor, rng);
        if walk::count_exprs(&mutant) <= EXPRESSIONS_AT_MOST {
            all.push(mutant);
        }
    }
    all
}

fn mutant(query: &Query, donor: &Query, rng: &mut Rng) -> Query {
    let mut mutant = query.clone();
    let (sites, parts) = (walk::count_exprs(&mutant), walk::count_exprs(donor));
    if sites == 0 || parts == 0 {
        return mutant;
    }
    let Some(part) = walk::expr_at(donor, rng.below(parts)) else { return mutant };
    match rng.below(4) {
        0 | 1 => drop(walk::replace_expr(&mut mutant, rng.below(sites), part)),
        2 => drop(walk::change_expr(&mut mutant, rng.below(sites), &mut |e| *e = wrapped(e.clone()))),
        _ => {
            let condition = donor.select().and_then(|s| s.filter.clone());
            let and = rng.coin();
            if let (Some(select), Some(condition)) = (mutant.select_mut(), condition) {
                select.filter = Some(match select.filter.take() {
                    Some(filter) if and => filter.and(condition),
                    Some(filter) => filter.or(condition),
                    None => condition,
                });
            }
        }
    }
    mutant
}

fn wrapped(e: Expr) -> Expr {
    match e {
        Expr::Literal(_) | Expr::Column { .. } => e.is_null(),
        e => e.negate(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qualm_engines::sqlite::dialect::SQLITE;

    fn seed(text: &str) -> Seed {
        Seed::read(&NamedText { name: "s".into(), text: text.into() }, &SQLITE)
    }

    fn texts(queries: &[Query]) -> Vec<String> {
        queries.iter().map(|q| print::query(q, &SQLITE)).collect()
    }

    #[test]
    fn mutants_take_parts_of_others() {
        let ours = seed("CREATE TABLE t0(c0, c1); SELECT c0 FROM t0 WHERE c1 = 1;");
        let theirs = seed("CREATE TABLE t0(c0, c1); SELECT c1 FROM t0 WHERE c0 LIKE 'abc';");
        let mut rng = Rng::new(7);
        let all: Vec<String> =
            (0..20).flat_map(|_| texts(&mutated(&ours.queries, &theirs.queries, &mut rng))).collect();
        assert!(all.iter().any(|q| q.contains("LIKE") && q.contains("= 1")), "{all:?}");
        assert!(all.iter().any(|q| q.contains("OR")) && all.iter().any(|q| q.contains("AND")), "{all:?}");
    }

    #[test]
    fn rows_are_taken_only_by_tables_that_are_defined_alike() {
        let ours = seed("CREATE TABLE t0(c0 INTEGER); CREATE TABLE t1(c0 TEXT);");
        let theirs = seed(
            "CREATE TABLE t0(c0 TEXT); CREATE TABLE t1(c0 TEXT); INSERT INTO t0 VALUES ('a');
             INSERT INTO t1 VALUES ('b'); CREATE INDEX i1 ON t1(c0);",
        );
        let taken = spliced(&ours.state, &theirs.state, &mut Rng::new(1));
        let texts: Vec<String> = taken.iter().map(|s| print::statement(s, &SQLITE)).collect();
        assert_eq!(taken.len(), 2, "{texts:?}");
        assert!(texts.iter().all(|t| !t.contains("t0")), "{texts:?}");
    }

    #[test]
    fn what_is_stored_is_read_again_and_the_rarest_is_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let mut corpus = Corpus { stores: true, ..Corpus::default() };
        for (text, places) in [("CREATE TABLE t0(c0); SELECT c0 FROM t0;", [1, 2]), ("CREATE TABLE t1(c0);", [2, 3])] {
            let Seed { state, queries, .. } = seed(text);
            let entry = Entry { state, queries, places: places.to_vec(), chosen: 1, fresh: true };
            corpus.entries.push(entry);
            corpus.reached.note(&places);
        }
        corpus.reached.note(&[1, 2]);
        let mut rng = Rng::new(3);
        let chosen = (0..20).filter(|_| corpus.choose(&mut rng) == 1).count();
        assert!(chosen > 8, "{chosen}");
        let scripts = corpus.take_kept(&SQLITE);
        assert_eq!((scripts.len(), corpus.take_kept(&SQLITE).len()), (2, 0));
        scripts.iter().for_each(|s| std::fs::write(folder.path().join(&s.name), &s.text).unwrap());
        std::fs::write(folder.path().join("torn.sql"), "CREATE TAB").unwrap();
        let read = stored(folder.path(), &SQLITE).unwrap();
        assert_eq!(read.iter().map(|e| e.queries.len()).sum::<usize>(), 1);
        assert_eq!(read.len(), 2);
    }
}
