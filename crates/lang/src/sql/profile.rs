//! What this engine, in this release, takes: probed at the start, and learned while hunting. A feature or function that
//! an engine keeps rejecting is switched off for the rest of the run and listed at its end.

use super::ast::{Expr, Literal};
use super::{meaning, print};
use qualm_core::dialect::sql::{Dialect, Feature, FunctionSpec, Kind, KindSpec, MOST_CATALOGUED, Param, Special};
use qualm_core::relation::failure;
use qualm_core::session::{Outcome, Session};

/// Rejections without a single success after which a feature counts as missing.
const GIVE_UP_AFTER: u32 = 30;

/// Rejections after which something is as good as tried.
const UNTRIED: u32 = 3;

/// Functions of the catalogue that are asked for at once.
const AT_ONCE: usize = 64;

/// Where the bits of functions, of those of the catalogue and of kinds begin; those of features come first.
const FUNCTIONS: usize = 128;
const CATALOGUE: usize = FUNCTIONS + MOST_FUNCTIONS;
const KINDS: usize = CATALOGUE + MOST_CATALOGUED;
const BITS: usize = KINDS + 64;

/// Functions that a dialect may list.
pub const MOST_FUNCTIONS: usize = qualm_core::dialect::sql::MOST_FUNCTIONS;

/// What a statement uses: one bit for each feature, each function and each special kind of the dialect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used([u64; BITS / 64]);

impl Used {
    pub fn add(&mut self, bit: usize) {
        self.0[bit / 64] |= 1 << (bit % 64);
    }

    fn has(&self, bit: usize) -> bool {
        self.0[bit / 64] & (1 << (bit % 64)) != 0
    }

    fn each(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(i, word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(64 * i + bit)
            })
        })
    }
}

impl std::ops::BitOrAssign for Used {
    fn bitor_assign(&mut self, other: Used) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }
}

#[derive(Clone)]
pub struct Profile {
    pub dialect: &'static Dialect,
    off: Used,
    taken: [u32; BITS],
    refused: [u32; BITS],
    /// How many functions at the head of the dialect's list have to do with basic kinds only.
    basic_functions: usize,
    learned: Vec<String>,
}

impl Profile {
    /// Everything that the dialect lists: for tests without an engine.
    pub fn full(dialect: &'static Dialect) -> Profile {
        assert!(dialect.functions.len() <= MOST_FUNCTIONS, "a function has one of so many bits");
        assert!(dialect.kinds.len() <= BITS - KINDS, "so has a kind");
        let mut off = Used::default();
        (0..FUNCTIONS).for_each(|bit| off.add(bit));
        for (feature, _) in dialect.features {
            let bit = feature_bit(*feature);
            off.0[bit / 64] &= !(1 << (bit % 64));
        }
        let basic_functions =
            dialect.functions.iter().position(FunctionSpec::is_special).unwrap_or(dialect.functions.len());
        let (taken, refused) = ([0; BITS], [0; BITS]);
        Profile { dialect, off, taken, refused, basic_functions, learned: Vec::new() }
    }

    /// Asks the engine, feature by feature and function by function, in fresh databases.
    pub fn probe(dialect: &'static Dialect, session: &mut dyn Session) -> Result<Profile, String> {
        let mut profile = Profile::full(dialect);
        for (feature, statements) in dialect.features {
            session.reset()?;
            if !statements.iter().all(|s| session.run(s).is_ok()) {
                profile.switch_off(feature_bit(*feature), format!("{feature:?}"));
                continue;
            }
            session.reset()?;
            if !meaning::holds(*feature, dialect, session) {
                profile.switch_off(feature_bit(*feature), format!("{feature:?} (accepted, but not enforced)"));
            }
        }
        for (i, kind) in dialect.kinds.iter().enumerate() {
            session.reset()?;
            if !probes_of_kind(kind, dialect).iter().all(|s| session.run(s).is_ok()) {
                profile.switch_off(KINDS + i, format!("the kind {}", kind.name));
            }
        }
        session.reset()?;
        for (i, f) in dialect.functions.iter().enumerate() {
            let text = format!("SELECT {}{}", sample_call(f, dialect), dialect.spelling.from_nothing);
            // An engine that breaks has the function, and the hunt shall meet it.
            let outcome = session.run(&text);
            if matches!(outcome, Outcome::Rejected(_)) && failure(&outcome).is_none() {
                profile.switch_off(function_bit(i), format!("{}/{}", f.name, f.params.len()));
            }
        }
        let all: Vec<(usize, String)> = catalogued(dialect).map(|f| sample_call(f, dialect)).enumerate().collect();
        for calls in all.chunks(AT_ONCE) {
            profile.try_calls(calls, session);
        }
        Ok(profile)
    }

    /// Asks for many calls in one statement, and for each half of them where that is not taken.
    fn try_calls(&mut self, calls: &[(usize, String)], session: &mut dyn Session) {
        let list: Vec<&str> = calls.iter().map(|(_, call)| call.as_str()).collect();
        let outcome = session.run(&format!("SELECT {}{}", list.join(", "), self.dialect.spelling.from_nothing));
        if !matches!(outcome, Outcome::Rejected(_)) || failure(&outcome).is_some() {
            return;
        }
        match calls {
            [(i, _)] => self.off.add(catalogue_bit(*i)),
            _ => {
                let (left, right) = calls.split_at(calls.len() / 2);
                self.try_calls(left, session);
                self.try_calls(right, session);
            }
        }
    }

    /// By its place in the catalogue: scalars first, then aggregates.
    pub fn has_catalogued(&self, index: usize) -> bool {
        !self.off.has(catalogue_bit(index))
    }

    pub fn has(&self, feature: Feature) -> bool {
        !self.off.has(feature_bit(feature))
    }

    pub fn has_function(&self, index: usize) -> bool {
        !self.off.has(function_bit(index))
    }

    /// Whether no statement with it was ever taken, and not too many were refused.
    pub fn is_untried(&self, bit: usize) -> bool {
        self.taken[bit] == 0 && self.refused[bit] < UNTRIED
    }

    /// Basic kinds are always there.
    pub fn has_kind(&self, kind: Kind) -> bool {
        kind_bit(kind, self.dialect).is_none_or(|bit| !self.off.has(bit))
    }

    /// What a statement with a value of this kind uses.
    pub fn uses_kind(&self, kind: Kind) -> Used {
        let mut used = Used::default();
        kind_bit(kind, self.dialect).into_iter().for_each(|bit| used.add(bit));
        used
    }

    pub fn basic_functions(&self) -> usize {
        self.basic_functions
    }

    /// A statement that used these parts was taken or refused.
    pub fn learn(&mut self, used: Used, taken: bool) {
        for bit in used.each() {
            if taken {
                self.taken[bit] += 1;
                continue;
            }
            self.refused[bit] += 1;
            if self.taken[bit] == 0 && self.refused[bit] >= GIVE_UP_AFTER {
                let name = match bit {
                    CATALOGUE..KINDS => self.catalogued_name(bit - CATALOGUE),
                    KINDS.. => format!("the kind {}", self.dialect.kinds[bit - KINDS].name),
                    FUNCTIONS.. => self.dialect.functions[bit - FUNCTIONS].name.to_string(),
                    _ => self.feature_name(bit),
                };
                self.switch_off(bit, format!("{name} (kept being rejected)"));
            }
        }
    }

    fn catalogued_name(&self, index: usize) -> String {
        catalogued(self.dialect).nth(index).map_or_else(String::new, |f| f.name.to_string())
    }

    fn feature_name(&self, bit: usize) -> String {
        let known = self.dialect.features.iter().find(|(f, _)| feature_bit(*f) == bit);
        known.map_or_else(|| format!("feature {bit}"), |(f, _)| format!("{f:?}"))
    }

    fn switch_off(&mut self, bit: usize, name: String) {
        if !self.off.has(bit) {
            self.off.add(bit);
            self.learned.push(name);
        }
    }

    pub fn learned(&self) -> &[String] {
        &self.learned
    }
}

pub fn feature_bit(feature: Feature) -> usize {
    feature as usize
}

pub fn function_bit(index: usize) -> usize {
    FUNCTIONS + index
}

/// Those of the scalars of the catalogue come first, then those of its aggregates.
pub fn catalogue_bit(index: usize) -> usize {
    CATALOGUE + index
}

fn catalogued(dialect: &Dialect) -> impl Iterator<Item = &'static FunctionSpec> {
    let all = dialect.catalogued();
    all.scalars.iter().chain(&all.aggregates)
}

fn sample_call(f: &FunctionSpec, dialect: &Dialect) -> String {
    let args: Vec<String> = f.params.iter().map(|p| sample(*p, f.name, dialect)).collect();
    format!("{}({})", f.name, args.join(", "))
}

pub fn kind_bit(kind: Kind, dialect: &Dialect) -> Option<usize> {
    let Kind::Special(special) = kind else { return None };
    dialect.kinds.iter().position(|k| k.name == special.0).map(|i| KINDS + i)
}

/// Statements that work where a kind exists: its literals, a column that holds them, and what they may be compared by.
fn probes_of_kind(spec: &KindSpec, dialect: &Dialect) -> Vec<String> {
    let value = |text: &str| print::expr(&Expr::Literal(Literal::Special(Special(spec.name), text.into())), dialect);
    let Some(first) = spec.values.first() else { return Vec::new() };
    let Some(column) = dialect.plain_type(spec.kind()) else { return Vec::new() };
    let (before, after) = dialect.spelling.nullable;
    let mut all = vec![format!("CREATE TABLE p (c0 {before}{}{after}){}", column.name, dialect.spelling.table_suffix)];
    all.extend(spec.values.iter().map(|text| format!("INSERT INTO p VALUES ({})", value(text))));
    all.push(format!("SELECT c0 FROM p WHERE c0 = {}", value(first)));
    if !spec.equals {
        all.pop();
    }
    all
}

/// An argument that fits, as text.
fn sample(param: Param, function: &str, dialect: &Dialect) -> String {
    let literal = |l: Literal| print::expr(&Expr::Literal(l), dialect);
    let text = match param {
        Param::Of(Kind::Text) => return literal(Literal::Text("1".into())),
        Param::Of(Kind::Real) => return literal(Literal::Real(0.5)),
        Param::Of(Kind::Blob) => return literal(Literal::Blob(b"1".to_vec())),
        Param::Of(Kind::Special(kind)) => {
            let text = dialect.special(Kind::Special(kind)).and_then(|k| k.values.first()).copied().unwrap_or("");
            return literal(Literal::Special(kind, text.into()));
        }
        Param::Word(words) => return literal(Literal::Text(words.first().copied().unwrap_or("").into())),
        Param::Of(Kind::Bool) => return print::expr(&Expr::truth(true, dialect), dialect),
        Param::Json => "'{\"a\":1}'",
        Param::JsonPath => "'$.a'",
        Param::Format if function == "strftime" => "'%Y'",
        Param::Format => "'%s'",
        Param::Date => "'2020-02-29'",
        Param::Probability => "0.5",
        Param::Pattern => "'a%'",
        Param::Of(_) | Param::Same | Param::SmallInt => "1",
    };
    text.into()
}
