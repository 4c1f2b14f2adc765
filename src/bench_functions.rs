//! `qualm bench functions`: asks an engine's own catalogue for the names of its functions, tries each with values
//! of the kinds that are generated, and prints those whose value is determined, as `functions/ENGINE.tsv` has them.
//!
//! A function is tried over columns, over literals and with NULL; twice, and again in a fresh database. It must
//! fail for no value, and give one type. An aggregate must not depend on the order of rows. Everything is tried in
//! this process: an engine that a function takes down takes it along, and the name stands on the last line of
//! standard error.

use clap::Args;
use qualm_core::dialect::sql::{Dialect, FunctionSpec, Kind, Param, kind_name, param_name};
use qualm_core::fault::Fault;
use qualm_core::session::{Outcome, Session};
use qualm_core::value::{Rows, Value};
use qualm_engines::catalogue::{self, Catalogue, Names, TypeOf};
use qualm_lang::sql::ast::{Expr, Literal};
use qualm_lang::sql::print;
use qualm_run::isolated;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Args)]
pub struct BenchFunctions {
    /// Engine whose catalogue is read
    engine: String,
    /// Only names that contain this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Print nothing on standard error
    #[arg(long)]
    quiet: bool,
}

/// Forms of one function that are kept at most.
const FORMS: usize = 3;
/// The greatest number that a function may give: sums and products of such must not overflow.
const GREATEST: i64 = 1_000_000;
const LONGEST_TEXT: usize = 2_000;
/// Literals of the kind that is small.
const SMALL: &[i64] = &[1, -2, 0, 3];
const INTS: &[i64] = &[0, 1, -1, 2, 3, 7, 10, 34, 100, -100, 1000, 10_000, -100_000];
const REALS: &[f64] = &[0.0, 1.0, -1.0, 0.5, 1.5, -0.25, 2.5, 100.0, 0.1, 1e10, 1e-7, -1e100];
const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "ab",
    "abc",
    "a ",
    "1",
    "2.5",
    "%",
    "é",
    "{\"a\":1}",
    "[1,2]",
    "zzzz",
    "a*",
    "%b",
    "'",
    "\"",
    "ab cd",
    "-",
    "0x10",
    "1e1",
    "true",
    "9223372036854775808",
];
const BLOBS: &[&[u8]] = &[b"", b"a", b"\x00", b"\xff", b"ab"];
const ROWS: usize = 26;
/// Rows of each member of a join of three.
const FEW: usize = 6;
/// What is listed by hand for every dialect.
const BY_HAND: &[&str] = &["count", "sum", "min", "max", "avg"];

const BY_ORDER: &str = "a float that depends on the order of rows";

/// Why something is not in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refused {
    /// The engine does not take it for these kinds.
    NotTaken,
    /// It does, but nothing can be claimed.
    Because(&'static str),
}

impl BenchFunctions {
    pub fn run(self) -> Result<u8, Fault> {
        let catalogue = catalogue::of(&self.engine)
            .ok_or_else(|| Fault::usage(format!("the catalogue of engine '{}' is not known", self.engine)))?;
        let engine = isolated::connect(&self.engine)?;
        let dialect = engine.sql().ok_or_else(|| Fault::usage("not a SQL engine"))?;
        let session = engine.open().map_err(Fault::unreachable)?;
        let mut prober = Prober { session, dialect, catalogue, accepted: Vec::new() };
        prober.build()?;
        let mut out = vec![
            format!("# Functions of {} whose value is determined, made by 'qualm bench functions'.", engine.version()),
            "# What it is; its name; what it takes; what it gives.".to_owned(),
        ];
        for (what, names) in [("scalar", &catalogue.scalars), ("aggregate", &catalogue.aggregates)] {
            let names = all_names(names, prober.session.as_mut())?;
            let (mut foreign, mut left_out) = (0, Vec::new());
            for name in names.iter().filter(|name| name.contains(&self.only)) {
                if !self.quiet {
                    errln!("{what} {name}");
                }
                if catalogue.left_out(name).is_some() || BY_HAND.contains(&name.as_str()) {
                    continue;
                }
                match prober.forms(name, what == "aggregate") {
                    Ok(()) => {}
                    Err(Refused::NotTaken) => foreign += 1,
                    Err(Refused::Because(why)) => left_out.push(format!("# left out\t{what}\t{name}\t{why}")),
                }
            }
            out.push(format!("# {foreign} names of {what}s are of other kinds of values."));
            out.extend(left_out);
        }
        prober.repeat()?;
        let mut by_name: BTreeMap<(bool, String), Vec<String>> = BTreeMap::new();
        for a in &prober.accepted {
            let what = if a.aggregate { "aggregate" } else { "scalar" };
            let params: Vec<&str> = a.params.iter().filter_map(|p| param_name(*p)).collect();
            let result = kind_name(a.result).unwrap_or_default();
            let line = format!("{what}\t{}\t{}\t{result}", a.name, params.join(","));
            by_name.entry((a.aggregate, a.name.clone())).or_default().push(line);
        }
        out.extend(by_name.into_values().flatten());
        outln!("{}", out.join("\n"));
        Ok(0)
    }
}

struct Accepted {
    name: String,
    aggregate: bool,
    params: Vec<Param>,
    result: Kind,
    question: String,
    answer: Rows,
}

struct Prober {
    session: Box<dyn Session>,
    dialect: &'static Dialect,
    catalogue: &'static Catalogue,
    accepted: Vec<Accepted>,
}

impl Prober {
    fn query(&mut self, text: &str) -> Option<Rows> {
        match self.session.run(text) {
            Outcome::Rows(rows) => Some(rows),
            Outcome::Done | Outcome::Rejected(_) | Outcome::Crash(_) | Outcome::Hang(_) => None,
        }
    }

    // ------------------------------------------------------------ values

    /// The kinds that columns have.
    fn kinds(&self) -> Vec<Kind> {
        let basic = [Kind::Text, Kind::Int, Kind::Real, Kind::Blob, Kind::Bool];
        let special = self.dialect.kinds.iter().map(|k| k.kind());
        basic.into_iter().chain(special).filter(|k| self.dialect.plain_type(*k).is_some()).collect()
    }

    fn literals(&self, kind: Kind) -> Vec<Literal> {
        match kind {
            Kind::Int | Kind::Any => INTS.iter().map(|i| Literal::Int(*i)).collect(),
            Kind::Real => REALS.iter().map(|r| Literal::Real(*r)).collect(),
            Kind::Text => TEXTS.iter().map(|t| Literal::Text((*t).into())).collect(),
            Kind::Blob => BLOBS.iter().map(|b| Literal::Blob(b.to_vec())).collect(),
            Kind::Bool => vec![Literal::Bool(true), Literal::Bool(false)],
            Kind::Special(special) => {
                let values = self.dialect.special(kind).map_or(&[][..], |k| k.values);
                values.iter().map(|v| Literal::Special(special, (*v).into())).collect()
            }
        }
    }

    /// The value of a kind in a row; NULL in the last one.
    fn value(&self, kind: Kind, row: usize) -> String {
        let all = self.literals(kind);
        let null = row + 1 == ROWS || all.is_empty();
        let literal = if null { Literal::Null } else { all[row % all.len()].clone() };
        print::expr(&Expr::Literal(literal), self.dialect)
    }

    /// Three tables of the same rows in different orders, one column for each kind.
    fn build(&mut self) -> Result<(), Fault> {
        self.session.reset().map_err(Fault::unreachable)?;
        let dialect = self.dialect;
        let (before, after) = dialect.spelling.nullable;
        let kinds = self.kinds();
        let column = |k: &Kind| {
            let name = dialect.plain_type(*k).map_or("", |t| t.name);
            format!("{} {before}{name}{after}", column(*k))
        };
        let columns: Vec<String> = kinds.iter().map(column).collect();
        let number = dialect.plain_type(Kind::Int).map_or("INT", |t| t.name);
        for (table, step) in [("v0", 1), ("v1", ROWS - 1), ("v2", 7)] {
            let made =
                format!("CREATE TABLE {table} (i {number}, {}){}", columns.join(", "), dialect.spelling.table_suffix);
            let rows: Vec<String> = (0..ROWS)
                .map(|at| {
                    let row = at * step % ROWS;
                    let values: Vec<String> = kinds.iter().map(|k| self.value(*k, row)).collect();
                    format!("({row}, {})", values.join(", "))
                })
                .collect();
            for text in [made, format!("INSERT INTO {table} VALUES {}", rows.join(", "))] {
                let outcome = self.session.run(&text);
                if !outcome.is_ok() {
                    return Err(Fault::own(format!("cannot build a table: {outcome:?} for {text}")));
                }
            }
        }
        Ok(())
    }

    // ------------------------------------------------------------ forms

    fn forms(&mut self, name: &str, aggregate: bool) -> Result<(), Refused> {
        if self.dialect.functions.iter().any(|f: &FunctionSpec| f.name.eq_ignore_ascii_case(name)) {
            return Ok(());
        }
        let mut why = Refused::NotTaken;
        let mut found = 0;
        for arity in 1..=3 {
            for params in self.signatures(arity, aggregate) {
                // Where values are converted, the first form is the one that is meant.
                if found == FORMS || self.catalogue.converts && found > 0 {
                    break;
                }
                match self.accepts(name, &params, aggregate) {
                    Ok(()) => found += 1,
                    Err(Refused::NotTaken) => {}
                    // That it has no value of its own is said rather than what one form does.
                    Err(_) if why == Refused::Because(BY_ORDER) => {}
                    Err(because) => why = because,
                }
            }
        }
        if found > 0 { Ok(()) } else { Err(why) }
    }

    fn signatures(&self, arity: usize, aggregate: bool) -> Vec<Vec<Param>> {
        use Param::{Of, SmallInt};
        let mut kinds = self.kinds();
        if self.catalogue.converts {
            // A time taken for a date is one of today.
            let natural = [Kind::special("date"), Kind::special("timestamp"), Kind::special("decimal")];
            kinds.retain(|k| !k.is_special() || natural.contains(k));
        }
        let has = |wanted: &Kind| kinds.contains(wanted);
        let often: Vec<Param> = [Kind::Text, Kind::Int, Kind::Real, Kind::Blob]
            .into_iter()
            .chain(["date", "timestamp", "decimal"].map(Kind::special))
            .filter(has)
            .map(Of)
            .collect();
        match (arity, aggregate) {
            (1, true) => kinds.iter().map(|k| vec![Of(*k)]).collect(),
            (1, false) => kinds.iter().map(|k| vec![Of(*k)]).chain([vec![SmallInt]]).collect(),
            (2, true) => {
                // Two columns of one kind would be the same column: what depends on ties would not be noticed.
                let pairs = often.iter().flat_map(|a| often.iter().map(move |b| vec![*a, *b]));
                pairs.filter(|pair| pair[0] != pair[1]).collect()
            }
            (2, false) => {
                let with_small = often.iter().copied().chain([SmallInt]);
                let seconds: Vec<Param> = with_small.collect();
                often.iter().flat_map(|a| seconds.iter().map(move |b| vec![*a, *b])).collect()
            }
            (_, true) => Vec::new(),
            (_, false) => {
                let (t, i, s, r) = (Of(Kind::Text), Of(Kind::Int), SmallInt, Of(Kind::Real));
                vec![vec![t, t, t], vec![t, s, s], vec![t, s, t], vec![t, t, s], vec![i, i, i], vec![r, r, r]]
            }
        }
    }

    fn accepts(&mut self, name: &str, params: &[Param], aggregate: bool) -> Result<(), Refused> {
        let small = params.iter().filter(|p| **p == Param::SmallInt).count();
        let mut call = self.call(name, params, SMALL[0]);
        if aggregate {
            call = call.replace("x1.", "x0.");
        }
        let from = from(params.len(), aggregate);
        let question = if aggregate {
            format!("SELECT i % 12, {call} FROM {{table}} AS x0 GROUP BY i % 12 ORDER BY 1")
        } else {
            let ids: Vec<String> = (0..params.len()).map(|at| format!("x{at}.i")).collect();
            format!("SELECT {}, {call} FROM {from} ORDER BY {}", ids.join(", "), ids.join(", "))
        };
        let first = question.replace("{table}", "v0");
        let answer = self.query(&first).ok_or(Refused::NotTaken)?;
        let result = self.result_kind(&call, &from, &answer).ok_or(Refused::NotTaken)?;
        if aggregate && result == Kind::Real {
            return Err(Refused::Because(BY_ORDER));
        }
        self.is_tame(result, &answer)?;
        if params.contains(&Param::Of(Kind::Real)) && result != Kind::Real {
            return Err(Refused::Because("may keep -0.0 and 0.0 apart, which are equal"));
        }
        if aggregate {
            self.is_orderless(&question, &call, &answer)?;
        } else {
            if self.query(&first).as_ref() != Some(&answer) {
                return Err(Refused::Because("not the same twice"));
            }
            for literal in SMALL.iter().skip(1).filter(|_| small > 0) {
                let call = self.call(name, params, *literal);
                let ids: Vec<String> = (0..params.len()).map(|at| format!("x{at}.i")).collect();
                let answer = self.query(&format!("SELECT {}, {call} FROM {from}", ids.join(", ")));
                let answer = answer.ok_or(Refused::Because("fails for some values"))?;
                self.is_tame_but_dull(result, &answer)?;
            }
            self.is_the_same_folded(name, params, &answer)?;
        }
        let (name, params) = (name.to_owned(), params.to_vec());
        self.accepted.push(Accepted { name, aggregate, params, result, question: first, answer });
        Ok(())
    }

    fn call(&self, name: &str, params: &[Param], small: i64) -> String {
        let arg = |(at, param): (usize, &Param)| match param {
            Param::Of(kind) => format!("x{at}.{}", column(*kind)),
            _ => small.to_string(),
        };
        let args: Vec<String> = params.iter().enumerate().map(arg).collect();
        format!("{name}({})", args.join(", "))
    }

    /// The kind of what comes, where its type is one that is used.
    fn result_kind(&mut self, call: &str, from: &str, answer: &Rows) -> Option<Kind> {
        let from = from.replace("{table}", "v0");
        let said = match self.catalogue.type_of {
            TypeOf::Function(function) => {
                let types = self.query(&format!("SELECT DISTINCT {} FROM {from}", function.replace("{}", call)));
                // Aggregates have one type in any case.
                types.or_else(|| self.query(&format!("SELECT {} FROM {from}", function.replace("{}", call))))?
            }
            TypeOf::Table(query) => {
                self.session.run("DROP TABLE IF EXISTS made");
                if !self.session.run(&format!("CREATE TABLE made AS SELECT {call} AS c FROM {from}")).is_ok() {
                    return None;
                }
                self.query(query)?
            }
        };
        let Some(Value::Text(said)) = said.scalar() else { return None };
        let mut name = said.as_str();
        for wrapped in ["LowCardinality(", "Nullable("] {
            name = name.strip_prefix(wrapped).and_then(|rest| rest.strip_suffix(')')).unwrap_or(name);
        }
        let fits = |known: &str| match known.strip_suffix("(*)") {
            Some(begin) => name.strip_prefix(begin).is_some_and(|rest| rest.starts_with('(') && rest.ends_with(')')),
            None => known == name,
        };
        let kind = self.catalogue.results.iter().find(|(known, _)| fits(known)).map(|(_, kind)| *kind)?;
        let known = !kind.is_special() || self.dialect.special(kind).is_some();
        let truths = |v: &Value| matches!(v, Value::Null | Value::Int(0 | 1) | Value::Bool(_));
        match kind {
            Kind::Int if name == "UInt8" && last_column(answer).all(truths) => Some(Kind::Bool),
            kind => known.then_some(kind),
        }
    }

    /// Values that can be computed with further, and not always the same one.
    fn is_tame(&self, kind: Kind, answer: &Rows) -> Result<(), Refused> {
        self.is_tame_but_dull(kind, answer)?;
        let mut distinct: Vec<&Value> = Vec::new();
        for v in last_column(answer).filter(|v| **v != Value::Null) {
            if !distinct.contains(&v) {
                distinct.push(v);
            }
        }
        if distinct.len() < 2 { Err(Refused::Because("always the same")) } else { Ok(()) }
    }

    fn is_tame_but_dull(&self, kind: Kind, answer: &Rows) -> Result<(), Refused> {
        if kind == Kind::Real && !self.catalogue.floats {
            return Err(Refused::Because("a float that depends on how it is computed"));
        }
        for v in last_column(answer) {
            let why = match v {
                Value::Int(i) if i.unsigned_abs() > GREATEST.unsigned_abs() => "large numbers",
                Value::Real(r) if !r.is_finite() || *r == 0.0 && r.is_sign_negative() => "NaN, infinity or -0.0",
                Value::Decimal(d) if d.len() > 12 => "large numbers",
                Value::Text(t) if t.len() > LONGEST_TEXT => "long texts",
                Value::Blob(b) if b.len() > LONGEST_TEXT => "long blobs",
                Value::List(_) | Value::Map(_) => "another kind of value",
                _ => continue,
            };
            return Err(Refused::Because(why));
        }
        Ok(())
    }

    /// The same over literals as over columns, with one literal among columns, and taken with a NULL.
    fn is_the_same_folded(&mut self, name: &str, params: &[Param], answer: &Rows) -> Result<(), Refused> {
        let n = params.len();
        let argument = |prober: &Prober, at: usize, row: usize| match params[at] {
            Param::Of(kind) => prober.value(kind, row),
            _ => SMALL[0].to_string(),
        };
        let from_nothing = self.dialect.spelling.from_nothing;
        for row in answer.iter().step_by((answer.len() / 7).max(1)) {
            let ids: Option<Vec<usize>> = row[..n].iter().map(number).collect();
            let ids = ids.ok_or(Refused::Because("numbers of rows are lost"))?;
            // NULL is written with its type by whoever generates it.
            if ids.contains(&(ROWS - 1)) {
                continue;
            }
            let args: Vec<String> = (0..n).map(|at| argument(self, at, ids[at])).collect();
            let folded = self.query(&format!("SELECT {name}({}){from_nothing}", args.join(", ")));
            let folded = folded.ok_or(Refused::Because("not taken with literals"))?;
            if folded.scalar() != row.last() {
                return Err(Refused::Because("not the same with literals"));
            }
        }
        for at in 0..n {
            let Param::Of(kind) = params[at] else { continue };
            let null = match self.dialect.cast(kind) {
                Some(type_name) => format!("CAST(NULL AS {type_name})"),
                None => "NULL".into(),
            };
            for literal in [argument(self, at, 1), null] {
                let other = |other: usize| match params[other] {
                    Param::Of(_) if other == at => literal.clone(),
                    Param::Of(kind) => format!("x{other}.{}", column(kind)),
                    _ => SMALL[0].to_string(),
                };
                let args: Vec<String> = (0..n).map(other).collect();
                let ids: Vec<String> = (0..n).map(|at| format!("x{at}.i")).collect();
                let text = format!(
                    "SELECT {}, {name}({}) FROM {} WHERE x{at}.i = 1 ORDER BY {}",
                    ids.join(", "),
                    args.join(", "),
                    from(n, false),
                    ids.join(", ")
                );
                let beside = self.query(&text).ok_or(Refused::Because("not taken with some literals"))?;
                let of_row: Vec<&[Value]> = answer.iter().filter(|row| number(&row[at]) == Some(1)).collect();
                let same = beside.iter().collect::<Vec<_>>() == of_row;
                if !literal.contains("NULL") && !same {
                    return Err(Refused::Because("not the same with some literals"));
                }
            }
        }
        Ok(())
    }

    fn is_orderless(&mut self, question: &str, call: &str, answer: &Rows) -> Result<(), Refused> {
        for table in ["v0", "v1", "v2"] {
            let again = self.query(&question.replace("{table}", table));
            if again.as_ref() != Some(answer) {
                return Err(Refused::Because("depends on the order of rows"));
            }
        }
        let all: BTreeSet<String> = ["v0", "v1", "v2"]
            .iter()
            .map(|table| format!("{:?}", self.query(&format!("SELECT {call} FROM {table} AS x0"))))
            .collect();
        let empty = self.query(&format!("SELECT {call} FROM v0 AS x0 WHERE i < 0"));
        match (all.len(), empty) {
            (1, Some(_)) => Ok(()),
            (1, None) => Err(Refused::Because("fails without rows")),
            _ => Err(Refused::Because("depends on the order of rows")),
        }
    }

    /// All once more in a fresh database, after everything else was run: what answers otherwise depends on something.
    fn repeat(&mut self) -> Result<(), Fault> {
        self.build()?;
        let all = std::mem::take(&mut self.accepted);
        for a in all {
            if self.query(&a.question).as_ref() == Some(&a.answer) {
                self.accepted.push(a);
            }
        }
        Ok(())
    }
}

fn column(kind: Kind) -> String {
    format!("k_{}", kind_name(kind).unwrap_or("any"))
}

/// As many copies of the table as there are arguments; few rows of each of three.
fn from(arity: usize, aggregate: bool) -> String {
    match (arity, aggregate) {
        (_, true) => "{table} AS x0".into(),
        (1, _) => "v0 AS x0".into(),
        (2, _) => "v0 AS x0 CROSS JOIN v0 AS x1".into(),
        _ => {
            let member = |at: usize| format!("(SELECT * FROM v0 WHERE i < {FEW}) AS x{at}");
            format!("{} CROSS JOIN {} CROSS JOIN {}", member(0), member(1), member(2))
        }
    }
}

fn last_column(rows: &Rows) -> impl Iterator<Item = &Value> {
    rows.iter().filter_map(|row| row.last())
}

fn number(v: &Value) -> Option<usize> {
    if let Value::Int(i) = v { usize::try_from(*i).ok() } else { None }
}

/// The names that a catalogue lists.
pub fn all_names(names: &Names, session: &mut dyn Session) -> Result<Vec<String>, Fault> {
    let query = match names {
        Names::Asked(query) => query,
        Names::Listed(list) => return Ok(list.split_whitespace().map(str::to_owned).collect()),
    };
    let outcome = session.run(query);
    let Outcome::Rows(rows) = outcome else {
        return Err(Fault::own(format!("the catalogue cannot be read: {outcome:?}")));
    };
    let text = |v: &Value| if let Value::Text(t) = v { Some(t.clone()) } else { None };
    Ok(rows.cells.iter().filter_map(text).collect())
}
