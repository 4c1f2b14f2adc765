//! Kinds of values beside the five that every dialect has: dates, exact decimals, JSON and the like. What is known of
//! one is a row of data in its dialect; the tree, the typing and the generator know only that such rows exist.

use super::{Dialect, Kind};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Mutex;

/// A kind of values by its name. Dialects that mean the same by it use the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Special(pub &'static str);

/// Names that were read from files: there are few, and they are kept for ever.
static READ: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

impl Special {
    pub fn named(name: &str) -> Special {
        let mut read = READ.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let known = read.iter().find(|n| **n == name).copied();
        Special(known.unwrap_or_else(|| {
            let name: &'static str = String::leak(name.to_owned());
            read.push(name);
            name
        }))
    }
}

impl Serialize for Special {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0)
    }
}

impl<'de> Deserialize<'de> for Special {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Special, D::Error> {
        let name = String::deserialize(deserializer)?;
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty() || name.len() > 30 || !name.bytes().all(plain) {
            return Err(serde::de::Error::custom(format!("'{name}' is no kind of values")));
        }
        Ok(Special::named(&name))
    }
}

/// What the values of a kind are, how they are written, and what may be done with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindSpec {
    /// `Kind::Special` of this name.
    pub name: &'static str,
    /// Before and after the text of a literal, quotes included.
    pub literal: (&'static str, &'static str),
    /// The type in CAST; empty where there is none, or where it gives another kind.
    pub cast: &'static str,
    /// The texts of literals, in ascending order. Those of equal values are identical.
    pub values: &'static [&'static str],
    /// Equal values are identical, however they were computed.
    pub exact: bool,
    /// `<` compares them, and ORDER BY agrees with it.
    pub ordered: bool,
    /// MIN and MAX take them, and the functions that choose the greatest and the least.
    pub least: bool,
    /// Their texts, as the engine shows them, sort as they do, so that the greatest of some results can be found out
    /// without asking the engine. Numbers need not say it.
    pub text_order: bool,
    /// `=` compares them; otherwise they can only be shown, tested for NULL and given to functions.
    pub equals: bool,
    /// They may be a key of GROUP BY, DISTINCT, UNIQUE and of an index.
    pub keys: bool,
    /// SUM is a value of this kind, and exact.
    pub sums: bool,
    /// Other kinds that `=` and `<` compare them with.
    pub meets: &'static [Kind],
    /// Kinds that CAST makes of every value.
    pub casts: &'static [Kind],
    /// Operators with a value of this kind on their left.
    pub operators: &'static [Operator],
}

/// `left symbol right`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operator {
    /// As it is written: `+`, `-`, `->`.
    pub symbol: &'static str,
    pub right: Kind,
    pub result: Kind,
}

/// A kind whose values are compared, ordered and used as keys like numbers and texts.
pub const ORDINARY: KindSpec = KindSpec {
    name: "",
    literal: ("'", "'"),
    cast: "",
    values: &[],
    exact: true,
    ordered: true,
    least: true,
    text_order: false,
    equals: true,
    keys: true,
    sums: false,
    meets: &[],
    casts: &[],
    operators: &[],
};

/// Whether two texts name one type: neither case nor blanks count.
pub fn same_type(a: &str, b: &str) -> bool {
    let plain = |text: &str| -> Vec<u8> {
        text.bytes().filter(|b| !b.is_ascii_whitespace()).map(|b| b.to_ascii_lowercase()).collect()
    };
    a.eq_ignore_ascii_case(b) || (a.contains('(') || a.contains(' ')) && plain(a) == plain(b)
}

impl KindSpec {
    pub fn kind(&self) -> Kind {
        Kind::Special(Special(self.name))
    }
}

impl Kind {
    pub const fn special(name: &'static str) -> Kind {
        Kind::Special(Special(name))
    }

    pub fn is_special(self) -> bool {
        matches!(self, Kind::Special(_))
    }
}

impl Dialect {
    /// What the dialect says of a kind that is none of the basic ones.
    pub fn special(&self, kind: Kind) -> Option<&'static KindSpec> {
        let Kind::Special(Special(name)) = kind else { return None };
        self.kinds.iter().find(|k| k.name == name)
    }

    /// The kind that a CAST to this type gives.
    pub fn cast_target(&self, type_name: &str) -> Option<Kind> {
        let special = self.kinds.iter().map(|k| (k.kind(), k.cast));
        let mut all = self.spelling.casts.iter().copied().chain(special);
        all.find(|(_, name)| same_type(name, type_name)).map(|(kind, _)| kind)
    }

    /// Values of this kind have a least and a greatest one.
    pub fn has_least(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Int | Kind::Real | Kind::Text) || self.special(kind).is_some_and(|k| k.least)
    }

    /// The least and the greatest of some results can be told apart without the engine.
    pub fn order_is_known(&self, kind: Kind) -> bool {
        self.special(kind).is_none_or(|k| k.text_order || k.sums)
    }

    /// Values of this kind may be keys of groups and indexes.
    pub fn may_be_key(&self, kind: Kind) -> bool {
        self.special(kind).is_none_or(|k| k.keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_written_by_its_name_and_read_back() {
        for kind in [Kind::Int, Kind::Any, Kind::special("date")] {
            let text = serde_json::to_string(&kind).unwrap();
            assert_eq!(serde_json::from_str::<Kind>(&text).unwrap(), kind, "{text}");
        }
        assert_eq!(serde_json::to_string(&Kind::special("date")).unwrap(), "\"date\"");
        assert!(serde_json::from_str::<Kind>("\"No kind\"").is_err());
    }
}
