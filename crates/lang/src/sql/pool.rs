//! The values of one database. Tables and literals draw from the same few, so that joins match and predicates are
//! sometimes true; among them are the values that engines get wrong: boundaries, floats beside equal integers, text
//! that looks like a number, case and blank variants.

use super::ast::{ColumnDef, Literal, Name};
use qualm_core::dialect::sql::{Affinity, Dialect, Kind, KindSpec, Special};
use qualm_core::rng::Rng;

const INTS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    4,
    5,
    7,
    9,
    10,
    12,
    34,
    50,
    100,
    127,
    128,
    255,
    256,
    -128,
    1000,
    32767,
    65536,
    2147483647,
    -2147483648,
    4294967296,
    9007199254740993,
    288230376151711745,
    i64::MAX,
    i64::MIN,
    i64::MAX - 1,
    -9223372036854775807,
];
const REALS: &[f64] = &[
    0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    1.5,
    -0.25,
    2.5,
    3.0,
    12.0,
    100.0,
    0.1,
    3.25,
    1e3,
    1e10,
    1e-7,
    9.2e18,
    -9.223372036854776e18,
    1e100,
    -1e100,
];
const TEXTS: &[&str] = &[
    "",
    "a",
    "A",
    "b",
    "B",
    "c",
    "ab",
    "AB",
    "aB",
    "abc",
    "ABC",
    "a ",
    "b ",
    " a",
    "x",
    "0",
    "1",
    "1.0",
    "01",
    "-1",
    "12",
    "34",
    "2",
    "2.5",
    "0.5",
    "1e1",
    "0x10",
    "1a",
    "%",
    "_",
    "a%",
    "%b",
    "a*",
    "é",
    "ß",
    "ÿ",
    "'",
    "\"",
    "NULL",
    "true",
    "{\"a\":1}",
    "[1,2]",
    "9223372036854775807",
    "9223372036854775808",
    " 1",
    "1 ",
    "-",
    ".",
    "ab cd",
    "zzzz",
];
const BLOBS: &[&[u8]] = &[b"", b"\x00", b"a", b"1", b"\xff", b"ab", b"A", b"1.0"];

/// Numbers whose sums stay small and exact.
const SMALL: &[i64] = &[0, 1, -1, 2, 3, 5, 7, 10, 12, 34, 50, -3, 100];

#[derive(Clone, Debug)]
pub struct Pool {
    ints: Vec<i64>,
    reals: Vec<f64>,
    texts: Vec<Name>,
    blobs: Vec<Vec<u8>>,
    small: Vec<i64>,
    /// Words that documents are made of, in a database that has some.
    pub words: Vec<Name>,
    /// The kinds that the dialect lists beside the basic ones.
    specs: &'static [KindSpec],
    /// Those that this database is about, with a few values of each.
    special: Vec<(Special, Vec<Name>)>,
}

impl Pool {
    /// `limit` is the greatest integer, up or down, that the dialect can do with.
    pub fn new(limit: i64, rng: &mut Rng) -> Pool {
        let size = rng.range(3, 6);
        // Half of the numbers are small ones, so that they are met again as rowids, counts and lengths.
        let mut ints: Vec<i64> = (0..size).map(|_| *rng.pick(&INTS[..8])).collect();
        ints.extend((0..size / 2 + 1).map(|_| *rng.pick(INTS)));
        ints.retain(|i| limit == i64::MAX || i.unsigned_abs() <= limit.unsigned_abs());
        let mut reals: Vec<f64> = (0..size).map(|_| *rng.pick(REALS)).collect();
        reals.push(ints[0].clamp(-1000, 1000) as f64);
        let mut texts: Vec<&'static str> = (0..size + 1).map(|_| *rng.pick(TEXTS)).collect();
        // A variant of one of them that differs in case only.
        if let Some(other) = texts.first().and_then(|t| TEXTS.iter().find(|o| *o != t && o.eq_ignore_ascii_case(t))) {
            texts.push(other);
        }
        Pool {
            ints,
            reals,
            texts: texts.into_iter().map(Name::new_static).collect(),
            blobs: (0..2).map(|_| rng.pick(BLOBS).to_vec()).collect(),
            small: (0..size).map(|_| *rng.pick(SMALL)).collect(),
            words: Vec::new(),
            specs: &[],
            special: Vec::new(),
        }
    }

    /// The pool of a database that is about one or two of the dialect's special kinds, or about none of them.
    pub fn of(dialect: &Dialect, rng: &mut Rng) -> Pool {
        let mut pool = Pool { specs: dialect.kinds, ..Pool::new(dialect.int_limit, rng) };
        let held: Vec<&KindSpec> = dialect.kinds.iter().filter(|k| dialect.plain_type(k.kind()).is_some()).collect();
        if held.is_empty() || rng.chance(2, 5) {
            return pool;
        }
        for _ in 0..rng.range(1, 2) {
            let spec = *rng.pick(&held);
            if !pool.is_about(spec.kind()) {
                let values = (0..rng.range(3, 6)).map(|_| Name::new_static(rng.pick::<&str>(spec.values))).collect();
                pool.special.push((Special(spec.name), values));
            }
        }
        pool
    }

    /// The special kinds that columns of this database have.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> {
        self.special.iter().map(|(kind, _)| Kind::Special(*kind))
    }

    pub fn is_about(&self, kind: Kind) -> bool {
        self.kinds().any(|k| k == kind)
    }

    /// A value of a special kind: one that the database is about, or any that the dialect lists.
    fn special(&self, kind: Special, rng: &mut Rng) -> Literal {
        let mine = self.special.iter().find(|(k, _)| *k == kind).map(|(_, values)| values);
        let listed = self.specs.iter().find(|k| k.name == kind.0).map_or(&[][..], |k| k.values);
        match mine {
            Some(values) if rng.chance(9, 10) => Literal::Special(kind, rng.pick(values).to_string()),
            _ if listed.is_empty() => Literal::Null,
            _ => Literal::Special(kind, rng.pick(listed).to_string()),
        }
    }

    /// Few texts, each in forms that differ in case and in blanks behind it only.
    pub fn vary_texts(&mut self, rng: &mut Rng) {
        let letters = |t: &&Name| t.chars().any(|c| c.is_ascii_alphabetic()) && t.len() < 4;
        let mut bases: Vec<Name> = self.texts.iter().filter(letters).take(2).cloned().collect();
        if bases.is_empty() {
            bases.push(Name::new_static("ab"));
        }
        let other = rng.pick(&self.texts).clone();
        self.texts.clear();
        for base in &bases {
            let base = base.trim_end();
            for _ in 0..rng.range(2, 4) {
                let text = match rng.below(5) {
                    0 => base.to_uppercase(),
                    1 => base.to_lowercase(),
                    2 => format!("{base} "),
                    3 => format!("{}  ", base.to_uppercase()),
                    _ => base.to_string(),
                };
                add(&mut self.texts, Name::new(text));
            }
        }
        add(&mut self.texts, other);
    }

    /// Few numbers, and texts that look like them.
    pub fn write_numbers(&mut self, rng: &mut Rng) {
        self.ints.truncate(3);
        for i in self.ints.clone().into_iter().chain(self.small.clone().into_iter().take(2)) {
            let text = match rng.below(6) {
                0 => format!("{i}.0"),
                1 => format!(" {i}"),
                2 if i >= 0 => format!("0{i}"),
                3 if i.unsigned_abs() < 1 << 50 => format!("{i}e0"),
                _ => i.to_string(),
            };
            add(&mut self.texts, Name::new(text));
            if i.unsigned_abs() < 1 << 50 {
                add(&mut self.reals, i as f64);
            }
        }
    }

    /// A literal of a kind, seldom NULL.
    pub fn literal(&self, kind: Kind, rng: &mut Rng) -> Literal {
        if rng.chance(1, 24) {
            return Literal::Null;
        }
        match kind {
            Kind::Int if rng.chance(1, 3) => Literal::Int(*rng.pick(&self.small)),
            Kind::Int => Literal::Int(*rng.pick(&self.ints)),
            Kind::Real => Literal::Real(*rng.pick(&self.reals)),
            Kind::Text => Literal::Text(rng.pick(&self.texts).to_string()),
            Kind::Blob => Literal::Blob(rng.pick(&self.blobs).clone()),
            Kind::Bool => Literal::Bool(rng.coin()),
            Kind::Special(kind) => self.special(kind, rng),
            Kind::Any => {
                let kind = *rng.pick(&[Kind::Int, Kind::Int, Kind::Real, Kind::Text, Kind::Text, Kind::Blob]);
                self.literal(kind, rng)
            }
        }
    }

    pub fn text(&self, rng: &mut Rng) -> &str {
        let at = rng.below(self.texts.len());
        &self.texts[at]
    }

    /// A value that a table holds: from now on it is met in literals too.
    pub fn learn(&mut self, literal: &Literal) {
        match literal {
            Literal::Null | Literal::Bool(_) => {}
            Literal::Int(i) => add(&mut self.ints, *i),
            Literal::Real(r) => add(&mut self.reals, *r),
            Literal::Text(t) => add(&mut self.texts, Name::new(t)),
            Literal::Blob(b) => add(&mut self.blobs, b.clone()),
            Literal::Special(kind, text) => match self.special.iter_mut().find(|(k, _)| k == kind) {
                Some((_, values)) => add(values, Name::new(text)),
                None => self.special.push((*kind, vec![Name::new(text)])),
            },
        }
    }

    /// A value to store in a column, within what its definition promises.
    pub fn stored(&self, column: &ColumnDef, strict: bool, dynamic: bool, rng: &mut Rng) -> Literal {
        if !column.not_null && rng.chance(1, 7) {
            return Literal::Null;
        }
        if let Kind::Special(kind) = column.kind {
            return self.special(kind, rng);
        }
        if column.summable {
            let small = *rng.pick(&self.small);
            return match column.kind {
                Kind::Real if rng.coin() => Literal::Real(small as f64 + 0.5),
                Kind::Real => Literal::Real(small as f64),
                _ => Literal::Int(small),
            };
        }
        let kind = if dynamic && !strict && !column.primary_key && rng.chance(1, 8) { Kind::Any } else { column.kind };
        let literal = (0..4).map(|_| self.literal(kind, rng)).find(|l| *l != Literal::Null);
        match literal {
            None => self.literal_of(column.kind),
            Some(Literal::Real(r)) if column.exact && is_open(column.affinity) && r.fract() == 0.0 => {
                Literal::Real(0.5)
            }
            // The one float that equals an integer and is not stored as it where integers are preferred.
            Some(Literal::Real(r)) if r == i64::MIN as f64 => Literal::Real(0.5),
            Some(Literal::Real(r)) if strict && column.kind == Kind::Int && r.fract() != 0.0 => Literal::Int(1),
            // Beside the greatest rowid, the next row that is not given one gets a random one.
            Some(Literal::Int(i)) if dynamic && column.primary_key && i > i64::MAX - ROWIDS_TO_COME => Literal::Int(1),
            Some(l) => l,
        }
    }

    fn literal_of(&self, kind: Kind) -> Literal {
        match kind {
            Kind::Text => Literal::Text("a".into()),
            Kind::Blob => Literal::Blob(b"a".to_vec()),
            Kind::Real => Literal::Real(0.5),
            Kind::Bool => Literal::Bool(true),
            Kind::Int | Kind::Any | Kind::Special(_) => Literal::Int(1),
        }
    }
}

/// More rows than one state inserts.
const ROWIDS_TO_COME: i64 = 1 << 32;

fn add<T: PartialEq>(known: &mut Vec<T>, value: T) {
    if !known.contains(&value) {
        known.push(value);
    }
}

/// A column that keeps integers and equal floats apart.
fn is_open(affinity: Affinity) -> bool {
    matches!(affinity, Affinity::Blob | Affinity::None)
}
