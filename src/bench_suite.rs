//! `qualm bench suite DIR`: programs of the Soufflé dialect, each with the tuples that it should derive in
//! `RELATION.csv` beside it, as Soufflé's own tests have them. Says how much of them is read, and whether the
//! evaluator, and an engine that is given what we print, derive what they should.

use clap::Args;
use qualm_core::dialect::datalog::{DatalogDialect, SOUFFLE};
use qualm_core::fault::Fault;
use qualm_core::files;
use qualm_core::limits::FILE_BYTES;
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;
use qualm_lang::datalog::ast::{Kind, Name, Program, Relation};
use qualm_lang::datalog::evaluate::{self, Failure};
use qualm_lang::datalog::source::FIRM;
use qualm_lang::datalog::{parse, print, seeds};
use qualm_run::isolated;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Of each list so many are shown.
const SHOWN: usize = 12;

#[derive(Args)]
pub struct BenchSuite {
    /// Folder of programs ('*.dl'), each beside the tuples that it is to derive ('RELATION.csv')
    folder: PathBuf,
    /// Engine to run what is printed of each program, for instance souffle:PATH; by default only the evaluator runs
    #[arg(long)]
    engine: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What came of a folder.
#[derive(Default, Serialize)]
struct Figures {
    programs: u64,
    /// Those that are no programs: an error is what is expected of them.
    invalid: u64,
    /// Those that declare no relation.
    empty: u64,
    /// Of the others, those that are read without anything left out, in part, and not at all.
    whole: u64,
    in_part: u64,
    unusable: u64,
    /// Whole ones whose facts are too many, or in files of another form: these are not run.
    without_facts: u64,
    /// What was left out of programs, and where.
    left_out: Vec<LeftOut>,
    evaluator: Judged,
    engine: Judged,
}

#[derive(Serialize)]
struct LeftOut {
    why: String,
    /// Where, once for each program.
    at: Vec<String>,
}

/// Outputs of whole programs whose tuples are known.
#[derive(Default, Serialize)]
struct Judged {
    right: u64,
    wrong: Vec<String>,
    /// The program is not taken, or takes too long.
    refused: Vec<String>,
    gave_up: u64,
}

impl BenchSuite {
    pub fn run(self) -> Result<u8, Fault> {
        let folder = self.folder.display();
        let programs = seeds::programs_in(&self.folder)
            .map_err(|e| Fault::usage(format!("cannot read the programs in '{folder}': {e}")))?;
        if programs.is_empty() {
            return Err(Fault::usage(format!("no program in '{folder}'; give a folder of '.dl' files")));
        }
        let engine = self.engine.as_deref().map(isolated::connect).transpose()?;
        let dialect = engine.as_ref().and_then(|e| e.datalog()).unwrap_or(&SOUFFLE);
        let mut session = engine.as_ref().map(|e| e.open().map_err(Fault::unreachable)).transpose()?;
        let mut figures = Figures::default();
        let parts: Vec<PathBuf> = programs.iter().flat_map(|path| included_by(path)).collect();
        for path in programs.iter().filter(|path| !parts.contains(path)) {
            figures.take(path, dialect, session.as_deref_mut())?;
        }
        figures.left_out.sort_by_key(|l| std::cmp::Reverse(l.at.len()));
        match self.json {
            true => outln!("{}", serde_json::to_string(&figures).unwrap_or_default()),
            false => figures.show(self.engine.as_deref()),
        }
        Ok(0)
    }
}

impl Figures {
    fn take(
        &mut self,
        path: &Path,
        dialect: &'static DatalogDialect,
        session: Option<&mut (dyn Session + 'static)>,
    ) -> Result<(), Fault> {
        let text = files::text(path, "the program", FILE_BYTES).map_err(Fault::usage)?;
        let text = parse::preprocess::preprocessed(&text, Some(path)).unwrap_or(text);
        let (text, missing) = seeds::with_inputs(&text, path);
        self.programs += 1;
        if is_invalid(path) {
            self.invalid += 1;
            return Ok(());
        }
        let (usable, left_out) = seeds::read(&text, dialect);
        if left_out.is_empty() && parse::program(&text).program.relations.is_empty() {
            self.empty += 1;
            return Ok(());
        }
        if let Some(first) = left_out.first() {
            self.leave_out(&first.why, format!("{}:{}:{}", path.display(), first.line, first.column));
        } else if usable.is_none() {
            self.leave_out("nothing is left", path.display().to_string());
        }
        let Some(program) = usable else {
            self.unusable += 1;
            return Ok(());
        };
        if !left_out.is_empty() {
            self.in_part += 1;
            return Ok(());
        }
        self.whole += 1;
        if !missing.is_empty() {
            self.without_facts += 1;
            return Ok(());
        }
        let mut session = session;
        let parse::Parsed { outputs, elsewhere, .. } = parse::program(&text);
        for name in outputs.into_iter().filter(|name| !elsewhere.contains(name)) {
            let plain = name.replace(parse::components::SEPARATOR, ".");
            let expected = path.with_file_name(format!("{plain}.csv"));
            let Ok(expected) = std::fs::read_to_string(expected) else { continue };
            self.judge(&program, &name, &expected, dialect, &format!("{} {plain}", path.display()), &mut session);
        }
        Ok(())
    }

    /// Counts a reason. Names in it are no part of it.
    fn leave_out(&mut self, why: &str, at: String) {
        let plain: Vec<&str> = why.split('\'').step_by(2).collect();
        let why = plain.join("…");
        match self.left_out.iter_mut().find(|l| l.why == why) {
            Some(known) => known.at.push(at),
            None => self.left_out.push(LeftOut { why, at: vec![at] }),
        }
    }

    fn judge(
        &mut self,
        program: &Program,
        output: &Name,
        expected: &str,
        dialect: &'static DatalogDialect,
        label: &str,
        session: &mut Option<&mut (dyn Session + 'static)>,
    ) {
        let Some(relation) = program.relation(output).cloned() else { return };
        let mut program = Program { output: output.clone(), ..program.clone() };
        if let Some(r) = program.relation_mut(output) {
            r.qualifiers.retain(|q| *q != qualm_lang::datalog::ast::Qualifier::Inline);
        }
        let agree = |rows: &[Vec<Value>]| agrees(rows, expected, &relation);
        match evaluate::output(&program, dialect, FIRM) {
            Ok(tuples) => {
                let rows: Vec<Vec<Value>> = tuples.iter().map(|t| t.iter().map(evaluate::value).collect()).collect();
                self.evaluator.note(agree(&rows), label);
            }
            Err(Failure::Refused(why)) => self.evaluator.refused.push(format!("{label}: {why}")),
            Err(Failure::TooBig | Failure::Undetermined(_)) => self.evaluator.gave_up += 1,
        }
        let Some(session) = session else { return };
        match session.run(&print::program(&program, dialect, &[])) {
            Outcome::Rows(rows) => {
                let rows: Vec<Vec<Value>> = (0..rows.len()).map(|i| rows.row(i).to_vec()).collect();
                self.engine.note(agree(&rows), label);
            }
            other => self.engine.refused.push(format!("{label}: {other:?}")),
        }
    }

    fn show(&self, engine: Option<&str>) {
        let (invalid, empty) = (self.invalid, self.empty);
        outln!("programs   {} ({invalid} of them invalid on purpose, {empty} without a relation)", self.programs);
        outln!("read       {} whole, {} in part, {} not at all", self.whole, self.in_part, self.unusable);
        for left in self.left_out.iter().take(SHOWN) {
            outln!("  {:>4}     {} (first at {})", left.at.len(), left.why, left.at[0]);
        }
        outln!("not run    {} whole ones whose facts are not there", self.without_facts);
        self.evaluator.show("evaluator");
        if engine.is_some() {
            self.engine.show("engine");
        }
    }
}

impl Judged {
    fn note(&mut self, right: bool, label: &str) {
        match right {
            true => self.right += 1,
            false => self.wrong.push(label.to_owned()),
        }
    }

    fn show(&self, who: &str) {
        let (wrong, refused) = (self.wrong.len(), self.refused.len());
        outln!("{who:<10} {} outputs right, {wrong} wrong, {refused} refused, {} given up", self.right, self.gave_up);
        self.wrong.iter().take(SHOWN).for_each(|label| outln!("  wrong    {label}"));
        self.refused.iter().take(SHOWN).for_each(|label| outln!("  refused  {label}"));
    }
}

/// Files that are parts of this program, and none of their own.
fn included_by(path: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    parse::preprocess::preprocessed_with_parts(&text, Some(path)).map_or(Vec::new(), |(_, parts)| parts)
}

/// Whether an error is expected of this program: it stands in a file of its name.
fn is_invalid(path: &Path) -> bool {
    std::fs::read_to_string(path.with_extension("err")).is_ok_and(|said| said.contains("Error"))
}

/// Whether these are the expected tuples, in any order.
fn agrees(rows: &[Vec<Value>], expected: &str, relation: &Relation) -> bool {
    let is_unit = relation.attributes.len() == 1 && relation.attributes[0].name == parse::UNIT;
    let mut wanted: Vec<&str> = expected.lines().collect();
    wanted.sort_unstable();
    wanted.dedup();
    if is_unit {
        return rows.len() == wanted.len();
    }
    // A line break in a symbol makes two lines of a tuple.
    if rows.iter().flatten().any(|v| matches!(v, Value::Text(t) if t.contains('\n'))) {
        let shown = |v: &Value| if let Value::Text(t) = v { t.clone() } else { v.show() };
        let lines: Vec<String> = rows.iter().map(|r| r.iter().map(shown).collect::<Vec<_>>().join("\t")).collect();
        let all = lines.join("\n");
        let mut found: Vec<&str> = all.split('\n').collect();
        found.sort_unstable();
        found.dedup();
        return found == wanted || found.iter().filter(|l| !l.is_empty()).eq(wanted.iter().filter(|l| !l.is_empty()));
    }
    rows.len() == wanted.len() && {
        let mut left = wanted;
        rows.iter().all(|row| match left.iter().position(|line| is_row(row, line, relation)) {
            Some(at) => {
                left.swap_remove(at);
                true
            }
            None => false,
        })
    }
}

fn is_row(row: &[Value], line: &str, relation: &Relation) -> bool {
    let cells: Vec<&str> = line.split('\t').collect();
    let same = |((value, cell), kind): ((&Value, &&str), Kind)| match (value, kind) {
        // Names in components are written with two underscores.
        (Value::Text(text), Kind::Built(_)) => text.replace(parse::components::SEPARATOR, ".") == **cell,
        (Value::Text(text), _) => text == cell,
        (Value::Real(f), _) => cell.parse::<f64>().is_ok_and(|g| f == &g || (f - g).abs() <= g.abs() * 1e-5),
        (Value::Int(n), _) => cell.parse::<i64>().is_ok_and(|m| *n == m),
        (other, _) => other.show() == *cell,
    };
    let kinds = relation.attributes.iter().map(|a| a.kind);
    cells.len() == row.len() && row.iter().zip(&cells).zip(kinds).all(same)
}
