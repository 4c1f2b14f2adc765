//! `qualm adapt`: the dialect of an engine that is not known, found by trying. It begins with the dialect that the
//! engine seems to follow, tries types, literals, forms, functions and what they mean, and writes a dialect file with
//! comments that a person can correct.
//!
//! What a hunt probes anyway (features and functions, `lang/sql/profile.rs`) is tried here too, so that the file says
//! why something is missing.

use crate::sql_dialect::write::quoted;
use crate::sql_dialect::{BASES, STANDARD, from_toml};
use qualm_core::dialect::sql::{Dialect, Kind, KindSpec, Param};
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;
use std::fmt::Write;

/// What was found out, as the text of a dialect file.
pub fn adapt(name: &str, version: &str, session: &mut dyn Session) -> Result<String, String> {
    let mut probe = Probe { session, from: "" };
    let mut file = File::default();
    let base = probe.base();
    file.text = format!(
        "# The SQL of {name} {version}, as 'qualm adapt' found it. Correct what is wrong.\nbase = \"{base}\"\n"
    );
    let _ = writeln!(file.text, "name = {}", quoted(name));
    // Dialects of engines that are known are whole; only their features and functions are tried.
    if base == "standard" {
        probe.describe(&mut file)?;
    }
    let dialect = from_toml(name, &file.whole())?;
    probe.refusals(dialect, &mut file)?;
    probe.meanings(dialect, &mut file)?;
    let whole = file.whole();
    from_toml(name, &whole)?;
    Ok(whole)
}

/// A dialect file: keys at its top, the table of spellings, remarks at its end.
#[derive(Default)]
struct File {
    text: String,
    spelling: String,
    remarks: String,
}

impl File {
    fn whole(&self) -> String {
        let spelling =
            if self.spelling.is_empty() { String::new() } else { format!("\n[spelling]\n{}", self.spelling) };
        let remarks = if self.remarks.is_empty() { String::new() } else { format!("\n{}", self.remarks) };
        // Remarks come first: what follows the head of a table belongs to the table.
        format!("{}{remarks}{spelling}", self.text)
    }
}

struct Probe<'a> {
    session: &'a mut dyn Session,
    /// What a SELECT of no table needs.
    from: &'static str,
}

/// Column types by kind, those that are most exact first, and a literal with the value that it must have.
const TYPES: &[(Kind, &[&str])] = &[
    (Kind::Int, &["BIGINT", "INT64", "INTEGER", "INT", "SMALLINT"]),
    (Kind::Text, &["VARCHAR(100)", "TEXT", "STRING", "VARCHAR"]),
    (Kind::Real, &["DOUBLE PRECISION", "DOUBLE", "FLOAT8", "FLOAT64", "FLOAT", "REAL"]),
    (Kind::Bool, &["BOOLEAN", "BOOL"]),
    (Kind::Blob, &["VARBINARY(100)", "BYTEA", "BLOB", "BINARY"]),
];

/// Column types of kinds that the base has beside those. No decimals: some engines take the type and keep floats.
const TIMES: &[(&str, &str)] = &[("DATE", "date"), ("TIME", "time"), ("TIMESTAMP", "timestamp")];

/// One row without a table of one's own.
const FROM_NOTHING: &[&str] =
    &["", " FROM DUAL", " FROM (VALUES (0)) AS one_row", " FROM SYSIBM.SYSDUMMY1", " FROM RDB$DATABASE"];

const VALUES_COLUMNS: &[&str] = &["column{}", "C{}", "col{}", "column_{}", "EXPR${}"];

const BLOBS: &[(&str, &str)] = &[("x'", "'"), ("X'", "'"), ("'\\x", "'"), ("bytea '\\x", "'"), ("unhex('", "')")];

fn pair((before, after): (&str, &str)) -> String {
    format!("[{}, {}]", quoted(before), quoted(after))
}

impl Probe<'_> {
    fn fresh(&mut self) -> Result<(), String> {
        self.session.reset()
    }

    fn works(&mut self, text: &str) -> bool {
        self.session.run(text).is_ok()
    }

    fn value(&mut self, text: &str) -> Option<Value> {
        match self.session.run(text) {
            Outcome::Rows(rows) => rows.scalar().cloned(),
            _ => None,
        }
    }

    /// The value of an expression without a table.
    fn of(&mut self, expression: &str) -> Option<Value> {
        self.value(&format!("SELECT {expression}{}", self.from))
    }

    fn is(&mut self, expression: &str, expected: &Value) -> bool {
        self.of(expression).is_some_and(|value| value == *expected)
    }

    /// The known dialect that the engine follows, by a function that only its family has.
    fn base(&mut self) -> &'static str {
        let family: &[(&str, &str)] = &[("SELECT sqlite_version()", "sqlite"), ("SELECT toTypeName(1)", "clickhouse")];
        let found = family.iter().find(|(text, _)| self.session.run(text).is_ok()).map(|(_, name)| *name);
        let found = found.or_else(|| match self.value("SELECT version()") {
            Some(Value::Text(said)) if said.starts_with("PostgreSQL") => Some("postgres"),
            Some(Value::Text(said)) if said.contains("MariaDB") => Some("mariadb"),
            _ => None,
        });
        found.filter(|name| BASES.iter().any(|(n, _)| n == name)).unwrap_or("standard")
    }

    /// Types, literals and forms.
    fn describe(&mut self, file: &mut File) -> Result<(), String> {
        self.fresh()?;
        let from = FROM_NOTHING.iter().find(|from| self.value(&format!("SELECT 1{from}")) == Some(Value::Int(1)));
        self.from = from.copied().unwrap_or_default();
        if !self.from.is_empty() {
            let _ = writeln!(file.spelling, "from_nothing = {}", quoted(self.from));
        }
        let real = self.real_type();
        let real_literal = real.map_or(("", ""), |name| self.real_literal(name));
        let blob = self.blob();
        let mut types = Vec::new();
        for (kind, names) in TYPES {
            let literal = match kind {
                Kind::Int => "7".to_owned(),
                Kind::Real => format!("{}0.5{}", real_literal.0, real_literal.1),
                Kind::Bool => "TRUE".to_owned(),
                Kind::Blob => blob.map_or("NULL".to_owned(), |(_, (before, after))| format!("{before}00FF{after}")),
                _ => "'it''s'".to_owned(),
            };
            let taken = names.iter().filter(|name| self.keeps(name, *kind, &literal)).map(|name| (*name, *kind));
            types.extend(taken.collect::<Vec<_>>());
        }
        if !types.iter().any(|(_, kind)| *kind == Kind::Int) {
            return Err(
                "it has no column type for integers that is known; write a dialect file (docs/dialects.md)".into()
            );
        }
        let mut shown: Vec<String> =
            types.iter().map(|(name, kind)| format!("[{}, \"{}\"]", quoted(name), kind_name(*kind))).collect();
        let times = TIMES.iter().filter(|(name, kind)| self.keeps_apart(name, kind));
        shown.extend(times.map(|(name, kind)| format!("[{}, \"{kind}\"]", quoted(name))));
        let _ = writeln!(
            file.text,
            "# Values of these types came back as they went in; of each kind the first is the plain one."
        );
        let _ = writeln!(file.text, "types = [{}]", shown.join(", "));
        if real.is_some() {
            let _ = writeln!(file.spelling, "real = {}", pair(real_literal));
        }
        if let Some((_, literal)) = blob {
            let _ = writeln!(file.spelling, "blob = {}", pair(literal));
        }
        let equal = ["'a' = 'a '", "'a' = 'A'"];
        if equal.iter().any(|e| self.is(&format!("CASE WHEN {e} THEN 1 ELSE 0 END"), &Value::Int(1))) {
            let _ = writeln!(file.text, "# Texts that are equal need not be the same (see below).\nloose_texts = true");
        }
        self.casts(&types, file);
        self.forms(file)?;
        self.self_test(&types, real_literal, file);
        Ok(())
    }

    /// A small query with a known result, of the types that there are.
    fn self_test(&mut self, types: &[(&str, Kind)], real: (&str, &str), file: &mut File) {
        let plain = |kind: Kind| types.iter().find(|(_, k)| *k == kind).map(|(name, _)| *name);
        let mut columns = vec![("c0", plain(Kind::Int).unwrap_or("INTEGER"), "7".to_owned(), "7")];
        if let Some(name) = plain(Kind::Text) {
            columns.push(("c1", name, "'it''s'".into(), "\"it's\""));
        }
        if let Some(name) = plain(Kind::Real) {
            columns.push(("c2", name, format!("{}0.5{}", real.0, real.1), "0.5"));
        }
        let list =
            |part: fn(&(&str, &str, String, &str)) -> String| columns.iter().map(part).collect::<Vec<_>>().join(", ");
        let create = format!("CREATE TABLE q0 ({})", list(|c| format!("{} {}", c.0, c.1)));
        let insert = format!("INSERT INTO q0 VALUES ({})", list(|c| c.2.clone()));
        let question = format!("SELECT {} FROM q0", list(|c| c.0.to_owned()));
        let answer = format!("[[{}]]", list(|c| c.3.to_owned()));
        let _ = writeln!(
            file.text,
            "self_test = {{ statements = [{}, {}], question = {}, answer = {} }}",
            quoted(&create),
            quoted(&insert),
            quoted(&question),
            quoted(&answer)
        );
    }

    /// Whether a column of this type keeps a value of the kind, and NULL.
    fn keeps(&mut self, name: &str, kind: Kind, literal: &str) -> bool {
        let taken = self.fresh().is_ok()
            && self.works(&format!("CREATE TABLE k (c {name})"))
            && self.works("INSERT INTO k VALUES (NULL)")
            && self.value("SELECT c FROM k") == Some(Value::Null)
            && self.fresh().is_ok()
            && self.works(&format!("CREATE TABLE k (c {name})"))
            && self.works(&format!("INSERT INTO k VALUES ({literal})"));
        let Some(value) = taken.then(|| self.value("SELECT c FROM k")).flatten() else { return false };
        match kind {
            Kind::Int => value == Value::Int(7),
            Kind::Real => value == Value::real(0.5),
            Kind::Bool => value == Value::Bool(true),
            Kind::Blob => value == Value::Blob(vec![0, 255]),
            _ => value == Value::Text("it's".into()),
        }
    }

    /// Whether a column keeps all values of a kind of the base's, and `=` tells them apart.
    fn keeps_apart(&mut self, name: &str, kind: &str) -> bool {
        let Some(spec) = STANDARD.kinds.iter().find(|k| k.name == kind) else { return false };
        let literal = |text: &&str| format!("{}{text}{}", spec.literal.0, spec.literal.1);
        let literals: Vec<String> = spec.values.iter().map(literal).collect();
        self.fresh().is_ok()
            && self.works(&format!("CREATE TABLE k (c {name})"))
            && self.works(&format!("INSERT INTO k VALUES ({})", literals[0]))
            // A literal that is a text, and a column that is something else, would be compared in two ways.
            && self.value("SELECT c FROM k").is_some_and(|stored| self.is(&literals[0], &stored))
            && literals[1..].iter().all(|l| self.works(&format!("INSERT INTO k VALUES ({l})")))
            && literals
                .iter()
                .all(|l| self.value(&format!("SELECT count(*) FROM k WHERE c = {l}")) == Some(Value::Int(1)))
    }

    fn real_type(&mut self) -> Option<&'static str> {
        let names = TYPES.iter().find(|(kind, _)| *kind == Kind::Real).map_or(&[][..], |(_, names)| names);
        names.iter().copied().find(|name| self.keeps(name, Kind::Real, "0.5") || self.keeps(name, Kind::Real, "0.5e0"))
    }

    /// How a float is written so that it is no exact decimal.
    fn real_literal(&mut self, name: &str) -> (&'static str, &'static str) {
        let cast: &'static str = String::leak(format!(" AS {name})"));
        let ways = [("", ""), ("", "e0"), ("CAST(", cast)];
        // A decimal that is read as a float would be equal, so its kind is looked at.
        let is_real = |value: Option<Value>| matches!(value, Some(Value::Real(_)));
        ways.into_iter()
            .find(|(before, after)| is_real(self.of(&format!("{before}0.1{after}"))))
            .unwrap_or(("CAST(", cast))
    }

    fn blob(&mut self) -> Option<(&'static str, (&'static str, &'static str))> {
        let names = TYPES.iter().find(|(kind, _)| *kind == Kind::Blob).map_or(&[][..], |(_, names)| names);
        let all = names.iter().flat_map(|name| BLOBS.iter().map(move |literal| (*name, *literal)));
        all.into_iter().find(|(name, (b, a))| self.keeps(name, Kind::Blob, &format!("{b}00FF{a}")))
    }

    fn casts(&mut self, types: &[(&'static str, Kind)], file: &mut File) {
        let mut shown = Vec::new();
        for kind in [Kind::Int, Kind::Real, Kind::Text, Kind::Bool] {
            let (from, to) = match kind {
                Kind::Int => ("'7'", Value::Int(7)),
                Kind::Real => ("'0.5'", Value::real(0.5)),
                Kind::Text => ("7", Value::Text("7".into())),
                _ => ("'true'", Value::Bool(true)),
            };
            let names = types.iter().filter(|(_, k)| *k == kind).map(|(name, _)| *name).collect::<Vec<_>>();
            if let Some(name) = names.into_iter().find(|name| self.is(&format!("CAST({from} AS {name})"), &to)) {
                shown.push(format!("[\"{}\", {}]", kind_name(kind), quoted(name)));
            }
        }
        let _ = writeln!(file.spelling, "casts = [{}]", shown.join(", "));
    }

    fn forms(&mut self, file: &mut File) -> Result<(), String> {
        self.fresh()?;
        let int = "CREATE TABLE n (a INTEGER)";
        let filled =
            self.works(int) && ["NULL", "1", "2"].iter().all(|v| self.works(&format!("INSERT INTO n VALUES ({v})")));
        if !filled {
            return Err("it cannot create and fill a table of integers; write a dialect file (docs/dialects.md)".into());
        }
        let pairs = |condition: &str| format!("SELECT count(*) FROM n CROSS JOIN n AS m WHERE {condition}");
        let null_safe =
            [("distinct", "n.a IS NOT DISTINCT FROM m.a"), ("is", "n.a IS m.a"), ("spaceship", "n.a <=> m.a")];
        if let Some((name, _)) = null_safe.iter().find(|(_, c)| self.value(&pairs(c)) == Some(Value::Int(3))) {
            let _ = writeln!(file.spelling, "null_safe = \"{name}\"");
        } else {
            let _ = writeln!(file.remarks, "# There is no equality for which NULL equals NULL.");
        }
        if !self.is("'a' || 'b'", &Value::Text("ab".into())) && self.is("concat('a', 'b')", &Value::Text("ab".into())) {
            let _ = writeln!(file.spelling, "concat = \"function\"");
        }
        if self.is("'a\\\\b'", &Value::Text("a\\b".into())) {
            let _ = writeln!(file.spelling, "backslash_escapes = true");
        }
        if !self.works("INSERT INTO n VALUES (1), (2)") {
            self.insert_block(file);
        }
        let limited = self.value("SELECT a FROM n WHERE a IS NOT NULL ORDER BY a LIMIT 1");
        if limited.is_none() && self.works("SELECT a FROM n ORDER BY a FETCH FIRST 1 ROWS ONLY") {
            let _ = writeln!(file.spelling, "fetch_first = true");
        }
        let named = VALUES_COLUMNS.iter().find(|name| {
            let column = name.replace("{}", "1");
            self.value(&format!("SELECT v.{column} FROM (VALUES (5)) AS v")) == Some(Value::Int(5))
        });
        if let Some(name) = named {
            let _ = writeln!(file.spelling, "values_columns = {}", quoted(name));
        }
        let standard = qualm_core::dialect::sql::STANDARD_SPELLING;
        for (key, frames) in [("row_frames", standard.row_frames), ("peer_frames", standard.peer_frames)] {
            let taken = frames.iter().filter(|f| self.works(&format!("SELECT sum(a) OVER (ORDER BY a {f}) FROM n")));
            let taken: Vec<String> = taken.map(|f| quoted(f)).collect();
            let _ = writeln!(file.spelling, "{key} = [{}]", taken.join(", "));
        }
        Ok(())
    }

    /// Several rows in one statement where VALUES has one row only.
    fn insert_block(&mut self, file: &mut File) {
        let (before, after) = ("EXECUTE BLOCK AS BEGIN ", "END");
        if self.works(&format!("{before}INSERT INTO n VALUES (1); INSERT INTO n VALUES (2); {after}")) {
            let _ = writeln!(file.spelling, "insert_block = {}", pair((before, after)));
        } else {
            let _ = writeln!(file.remarks, "# It has no INSERT of several rows.");
        }
    }

    /// Features and functions that the engine does not take, each with what it said.
    fn refusals(&mut self, dialect: &'static Dialect, file: &mut File) -> Result<(), String> {
        let (mut without, mut functions) = (Vec::new(), Vec::new());
        for (feature, statements) in dialect.features {
            self.fresh()?;
            let refused = statements.iter().find_map(|text| match self.session.run(text) {
                Outcome::Rejected(r) => Some(r.text),
                _ => None,
            });
            if let Some(why) = refused {
                without.push((format!("{feature:?}"), why));
            }
        }
        self.fresh()?;
        for function in dialect.functions {
            let arguments: Vec<&str> = function.params.iter().map(|p| argument(*p, dialect)).collect();
            let text = format!("SELECT {}({}){}", function.name, arguments.join(", "), self.from);
            let said = self.session.run(&text);
            let listed = functions.iter_mut().find(|(name, _): &&mut (String, _)| *name == function.name);
            match (said, listed) {
                (Outcome::Rejected(r), None) => functions.push((function.name.to_owned(), Some(r.text))),
                (Outcome::Rejected(_), Some(_)) => {}
                // Of several forms one is enough: each is tried again when a hunt begins.
                (_, Some((_, why))) => *why = None,
                (_, None) => functions.push((function.name.to_owned(), None)),
            }
        }
        let functions: Vec<_> = functions.into_iter().filter_map(|(name, why)| Some((name, why?))).collect();
        list(&mut file.text, "without", "Features that it does not take, and why", &without);
        list(&mut file.text, "without_functions", "Functions that it does not take, and why", &functions);
        Ok(())
    }

    /// What differs from engine to engine and is not refused. Claims do not rest on these; a person may want to know.
    fn meanings(&mut self, dialect: &'static Dialect, file: &mut File) -> Result<(), String> {
        self.fresh()?;
        self.from = dialect.spelling.from_nothing;
        let _ = writeln!(file.remarks, "# What it means by:");
        let questions = [
            ("1 / 2", "division of integers"),
            ("1 / 0", "division by zero"),
            ("CASE WHEN 'a' = 'A' THEN 1 ELSE 0 END", "'a' = 'A' (1 is true)"),
            ("CASE WHEN 'a' = 'a ' THEN 1 ELSE 0 END", "'a' = 'a ' (1 is true)"),
            ("CASE WHEN 1 = 1.0 THEN 1 ELSE 0 END", "1 = 1.0 (1 is true)"),
            ("CASE WHEN '' IS NULL THEN 1 ELSE 0 END", "'' IS NULL (1 is true)"),
        ];
        for (expression, what) in questions {
            let said = match self.session.run(&format!("SELECT {expression}{}", self.from)) {
                Outcome::Rows(rows) => rows.scalar().map_or_else(|| "several rows".to_owned(), Value::show),
                Outcome::Rejected(r) => format!("an error: {}", first_line(&r.text)),
                other => format!("{other:?}"),
            };
            let _ = writeln!(file.remarks, "#   {what}: {said}");
        }
        if self.works("CREATE TABLE m (a INTEGER)")
            && ["1", "NULL", "2"].iter().all(|v| self.works(&format!("INSERT INTO m VALUES ({v})")))
        {
            let first = match self.session.run("SELECT a FROM m ORDER BY a") {
                Outcome::Rows(rows) => rows.cells.first().is_some_and(|v| *v == Value::Null),
                _ => false,
            };
            let _ = writeln!(file.remarks, "#   NULL in ORDER BY: {}", if first { "first" } else { "last" });
            let sum = self.value("SELECT sum(a) FROM m").map_or_else(|| "none".to_owned(), |v| kind_of(&v).to_owned());
            let _ = writeln!(file.remarks, "#   sum of integers: {sum}");
        }
        Ok(())
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => "an integer",
        Value::Real(_) => "a float",
        Value::Text(_) => "a text",
        _ => "another kind of number",
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Special(kind) => kind.0,
        Kind::Int => "int",
        Kind::Real => "real",
        Kind::Text => "text",
        Kind::Blob => "blob",
        Kind::Bool => "bool",
        Kind::Any => "any",
    }
}

fn first_line(text: &str) -> String {
    const MOST: usize = 100;
    text.lines().next().unwrap_or_default().chars().filter(|c| !c.is_control()).take(MOST).collect()
}

fn list(out: &mut String, key: &str, remark: &str, refused: &[(String, String)]) {
    if refused.is_empty() {
        return;
    }
    let _ = writeln!(out, "# {remark}.\n{key} = [");
    for (name, why) in refused {
        let _ = writeln!(out, "    {}, # {}", quoted(name), first_line(why));
    }
    let _ = writeln!(out, "]");
}

/// An argument that fits.
fn argument(param: Param, dialect: &Dialect) -> &'static str {
    match param {
        Param::Of(Kind::Text) => "'1'",
        Param::Of(Kind::Real) => {
            let (before, after) = dialect.spelling.real;
            String::leak(format!("{before}0.5{after}"))
        }
        Param::Of(Kind::Blob) => {
            let (before, after) = dialect.spelling.blob;
            String::leak(format!("{before}31{after}"))
        }
        Param::Of(Kind::Bool) if dialect.numeric_truth => "1",
        Param::Of(Kind::Bool) => "TRUE",
        Param::Json => "'{\"a\":1}'",
        Param::JsonPath => "'$.a'",
        Param::Format => "'%s'",
        Param::Date => "'2020-02-29'",
        Param::Probability => "0.5",
        Param::Pattern => "'a%'",
        Param::Of(kind @ Kind::Special(_)) => {
            let written = |k: &'static KindSpec| Some(format!("{}{}{}", k.literal.0, k.values.first()?, k.literal.1));
            String::leak(dialect.special(kind).and_then(written).unwrap_or_else(|| "NULL".to_owned()))
        }
        Param::Word(words) => String::leak(format!("'{}'", words.first().copied().unwrap_or_default())),
        Param::Of(_) | Param::Same | Param::SmallInt => "1",
    }
}
