//! Functions that were read from an engine's own catalogue and tried (`qualm bench functions`), as a file of lines:
//!
//! ```text
//! scalar<TAB>left<TAB>text,small<TAB>text
//! aggregate<TAB>bit_and<TAB>int<TAB>int
//! ```
//!
//! A kind is written by its name; `small` is a literal integer of one digit. Lines that begin with `#` say something to
//! people.

use super::{FunctionSpec, Kind, Param};
use std::fmt;
use std::sync::OnceLock;

/// Functions and aggregates that one file may list: what is learned of each has a bit.
pub const MOST_CATALOGUED: usize = 1600;

/// The functions of a file.
#[derive(Debug, Default)]
pub struct Catalogued {
    pub scalars: Vec<FunctionSpec>,
    /// Their value does not depend on the order of rows.
    pub aggregates: Vec<FunctionSpec>,
    /// What the engine takes for kinds that are used and nothing can be claimed of: `scalar` or `aggregate`, its name,
    /// the reason.
    pub left_out: Vec<(&'static str, &'static str, &'static str)>,
}

/// What a dialect without such a file has.
static NOTHING: Catalogued = Catalogued { scalars: Vec::new(), aggregates: Vec::new(), left_out: Vec::new() };

impl Catalogued {
    pub fn nothing() -> &'static Catalogued {
        &NOTHING
    }

    /// Reads a file: its names and kinds are kept for ever.
    pub fn read(text: &'static str) -> Result<Catalogued, String> {
        let mut all = Catalogued::default();
        for line in text.lines().filter_map(|line| line.strip_prefix("# left out\t")) {
            let mut parts = line.split('\t');
            all.left_out.extend(parts.next().zip(parts.next()).zip(parts.next()).map(|((a, b), c)| (a, b, c)));
        }
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let mut parts = line.split('\t');
            let (Some(what), Some(name), Some(params), Some(result)) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return Err(format!("not a function: '{line}'"));
            };
            let params: Vec<Param> = params.split(',').map(param).collect();
            let spec = FunctionSpec { name, params: Vec::leak(params), result: kind(result) };
            match what {
                "scalar" => all.scalars.push(spec),
                "aggregate" => all.aggregates.push(spec),
                other => return Err(format!("neither a scalar nor an aggregate: '{other}'")),
            }
        }
        match all.scalars.len() + all.aggregates.len() {
            0..=MOST_CATALOGUED => Ok(all),
            // Each has one of so many bits.
            more => Err(format!("{more} functions are too many; at most {MOST_CATALOGUED} are used")),
        }
    }
}

/// A file of functions, read when they are first asked for.
pub struct Catalogue {
    /// What a dialect file calls it.
    pub name: &'static str,
    text: &'static str,
    read: OnceLock<Catalogued>,
}

impl Catalogue {
    /// A file that is part of this program.
    pub const fn of(name: &'static str, text: &'static str) -> Catalogue {
        Catalogue { name, text, read: OnceLock::new() }
    }

    /// A file that a user wrote.
    pub fn read(name: &'static str, text: &'static str) -> Result<Catalogue, String> {
        let read = OnceLock::from(Catalogued::read(text)?);
        Ok(Catalogue { name, text, read })
    }

    pub fn functions(&self) -> &Catalogued {
        self.read.get_or_init(|| Catalogued::read(self.text).unwrap_or_else(|why| panic!("{}: {why}", self.name)))
    }
}

impl fmt::Debug for Catalogue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl PartialEq for Catalogue {
    fn eq(&self, other: &Catalogue) -> bool {
        (self.name, self.text) == (other.name, other.text)
    }
}

fn param(name: &'static str) -> Param {
    if name == SMALL { Param::SmallInt } else { Param::Of(kind(name)) }
}

const SMALL: &str = "small";
const BASIC: &[(&str, Kind)] =
    &[("int", Kind::Int), ("real", Kind::Real), ("text", Kind::Text), ("blob", Kind::Blob), ("bool", Kind::Bool)];

fn kind(name: &'static str) -> Kind {
    BASIC.iter().find(|(n, _)| *n == name).map_or(Kind::special(name), |(_, kind)| *kind)
}

/// A parameter as it stands in such a file; nothing for those that cannot.
pub fn param_name(param: Param) -> Option<&'static str> {
    match param {
        Param::SmallInt => Some(SMALL),
        Param::Of(kind) => kind_name(kind),
        Param::Same
        | Param::Json
        | Param::JsonPath
        | Param::Format
        | Param::Date
        | Param::Probability
        | Param::Pattern
        | Param::Word(_) => None,
    }
}

/// The same for a result.
pub fn kind_name(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Special(special) => Some(special.0),
        Kind::Int | Kind::Real | Kind::Text | Kind::Blob | Kind::Bool | Kind::Any => {
            BASIC.iter().find(|(_, k)| *k == kind).map(|(name, _)| *name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_functions() {
        let read = Catalogued::read("# x\nscalar\tleft\ttext,small\ttext\naggregate\tmax_date\tdate\tdate\n").unwrap();
        assert_eq!(read.scalars[0].params, [Param::Of(Kind::Text), Param::SmallInt]);
        assert_eq!((read.scalars[0].name, read.scalars[0].result), ("left", Kind::Text));
        assert_eq!(read.aggregates[0].params, [Param::Of(Kind::special("date"))]);
        assert!(Catalogued::read("scalar\tleft\ttext").unwrap_err().contains("left"));
        assert!(Catalogued::read("window\tleft\ttext\ttext").unwrap_err().contains("window"));
        let names = [Param::SmallInt, Param::Of(Kind::Bool), Param::Of(Kind::special("date")), Param::Same];
        assert_eq!(names.map(param_name), [Some("small"), Some("bool"), Some("date"), None]);
    }
}
