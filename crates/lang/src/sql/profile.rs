//! What this engine, in this release, takes: probed at the start, and learned while hunting. A feature or function that
//! an engine keeps rejecting is switched off for the rest of the run and listed at its end.

use super::ast::{Expr, Literal};
use super::{meaning, print};
use qualm_core::dialect::sql::{Dialect, Feature, Kind, Param};
use qualm_core::relation::trouble;
use qualm_core::session::{Outcome, Session};

/// Rejections without a single success after which a feature counts as missing.
const GIVE_UP_AFTER: u32 = 30;

/// One bit per feature (low half) and per function of the dialect (high half).
pub type Used = u128;

#[derive(Clone)]
pub struct Profile {
    pub dialect: &'static Dialect,
    off: Used,
    taken: [u32; 128],
    refused: [u32; 128],
    learned: Vec<String>,
}

impl Profile {
    /// Everything that the dialect lists: for tests without an engine.
    pub fn full(dialect: &'static Dialect) -> Profile {
        assert!(dialect.functions.len() <= 64, "a function has one of 64 bits");
        let listed = dialect.features.iter().fold(0, |bits: Used, (f, _)| bits | 1 << feature_bit(*f));
        let off = !listed & ((1 << 64) - 1);
        Profile { dialect, off, taken: [0; 128], refused: [0; 128], learned: Vec::new() }
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
        session.reset()?;
        for (i, f) in dialect.functions.iter().enumerate() {
            let args: Vec<String> = f.params.iter().map(|p| sample(*p, f.name, dialect)).collect();
            let from = dialect.spelling.from_nothing;
            let text = format!("SELECT {}({}){from}", f.name, args.join(", "));
            // An engine that breaks has the function, and the hunt shall meet it.
            let outcome = session.run(&text);
            if matches!(outcome, Outcome::Rejected(_)) && trouble(&outcome).is_none() {
                profile.switch_off(function_bit(i), format!("{}/{}", f.name, args.len()));
            }
        }
        Ok(profile)
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.off & (1 << feature_bit(feature)) == 0
    }

    pub fn has_function(&self, index: usize) -> bool {
        self.off & (1 << function_bit(index)) == 0
    }

    /// A statement that used these parts was taken or refused.
    pub fn learn(&mut self, used: Used, taken: bool) {
        let mut rest = used;
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            if taken {
                self.taken[bit] += 1;
                continue;
            }
            self.refused[bit] += 1;
            if self.taken[bit] == 0 && self.refused[bit] >= GIVE_UP_AFTER {
                let name = match bit.checked_sub(64) {
                    Some(i) => self.dialect.functions[i].name.to_string(),
                    None => self.feature_name(bit),
                };
                self.switch_off(bit, format!("{name} (kept being rejected)"));
            }
        }
    }

    fn feature_name(&self, bit: usize) -> String {
        let known = self.dialect.features.iter().find(|(f, _)| feature_bit(*f) == bit);
        known.map_or_else(|| format!("feature {bit}"), |(f, _)| format!("{f:?}"))
    }

    fn switch_off(&mut self, bit: usize, name: String) {
        if self.off & (1 << bit) == 0 {
            self.off |= 1 << bit;
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
    64 + index
}

/// An argument that fits, as text.
fn sample(param: Param, function: &str, dialect: &Dialect) -> String {
    let literal = |l: Literal| print::expr(&Expr::Literal(l), dialect);
    let text = match param {
        Param::Of(Kind::Text) => return literal(Literal::Text("1".into())),
        Param::Of(Kind::Real) => return literal(Literal::Real(0.5)),
        Param::Of(Kind::Blob) => return literal(Literal::Blob(b"1".to_vec())),
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
