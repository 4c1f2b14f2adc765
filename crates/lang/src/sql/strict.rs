//! Kinds in dialects that do not convert values by themselves: which may meet, and what comes out. A query refused here
//! would be refused by the engine too, or would mean something else there than the tree says.
//!
//! `Kind::Any` is the kind of a bare NULL: it fits everywhere.

use super::ast::*;
use super::schema::{Checked, Column, Traits, Unsound};
use qualm_core::dialect::sql::{Dialect, FunctionSpec, Kind, Param};

const MEETS: Unsound = Unsound("values of different kinds meet");

pub fn is_number(kind: Kind) -> bool {
    matches!(kind, Kind::Int | Kind::Real | Kind::Any)
}

pub fn fits(a: Kind, b: Kind) -> bool {
    a == b || a == Kind::Any || b == Kind::Any
}

/// The kind of a value that is one or the other (arms of CASE, of a compound, members of a list).
pub fn one(a: Kind, b: Kind) -> Checked<Kind> {
    match fits(a, b) {
        true if a == Kind::Any => Ok(b),
        true => Ok(a),
        false => Err(MEETS),
    }
}

/// Integers and floats may be compared: both are small enough to be exact. What a special kind is compared with is said
/// in its row.
pub fn comparable(a: Kind, b: Kind, dialect: &Dialect) -> Checked<()> {
    let of = |kind: Kind| dialect.special(kind);
    let meets = |a: Kind, b: Kind| of(a).is_some_and(|k| k.meets.contains(&b));
    let unknown = |kind: Kind| kind.is_special() && of(kind).is_none_or(|k| !k.equals);
    let fit = fits(a, b) || is_number(a) && is_number(b) || meets(a, b) || meets(b, a);
    if fit && !unknown(a) && !unknown(b) { Ok(()) } else { Err(MEETS) }
}

/// The kinds of a row and the columns that it is looked for in.
pub fn rows_meet(kinds: &[Kind], columns: &[Column], dialect: &Dialect) -> Checked<()> {
    let fit = kinds.iter().zip(columns).all(|(k, c)| comparable(*k, c.traits.kind, dialect).is_ok());
    if fit && kinds.len() == columns.len() { Ok(()) } else { Err(MEETS) }
}

/// Values that `<` and ORDER BY can put in order.
pub fn ordered(kind: Kind, dialect: &Dialect) -> Checked<()> {
    let fine = !kind.is_special() || dialect.special(kind).is_some_and(|k| k.ordered);
    if fine { Ok(()) } else { Err(Unsound("values without an order")) }
}

/// Values that may be the key of a group.
pub fn key(kind: Kind, dialect: &Dialect) -> Checked<()> {
    let fine = !kind.is_special() || dialect.special(kind).is_some_and(|k| k.keys);
    if fine { Ok(()) } else { Err(Unsound("values that cannot be a key")) }
}

/// A truth value: where one is wanted nothing else will do, unless numbers are truth values.
pub fn truth(kind: Kind, dialect: &Dialect) -> Checked<()> {
    let fine = if dialect.numeric_truth { fits(kind, Kind::Int) } else { fits(kind, Kind::Bool) };
    if fine { Ok(()) } else { Err(Unsound("a condition that is not a boolean")) }
}

pub fn truth_kind(dialect: &Dialect) -> Kind {
    if dialect.numeric_truth { Kind::Int } else { Kind::Bool }
}

pub fn unary(op: Unary, kind: Kind, dialect: &Dialect) -> Checked<Kind> {
    match op {
        Unary::Not => truth(kind, dialect).map(|()| truth_kind(dialect)),
        Unary::BitNot => given(fits(kind, Kind::Int), Kind::Int),
        Unary::Minus | Unary::Plus => given(is_number(kind), kind),
    }
}

pub fn binary(op: Binary, a: Kind, b: Kind, dialect: &Dialect) -> Checked<Kind> {
    use Binary::*;
    match op {
        And | Or => truth(a, dialect).and(truth(b, dialect)).map(|()| truth_kind(dialect)),
        Lt | Le | Gt | Ge => {
            ordered(a, dialect).and(ordered(b, dialect))?;
            comparable(a, b, dialect).map(|()| truth_kind(dialect))
        }
        Eq | Ne | Is | IsNot | IsDistinctFrom | IsNotDistinctFrom => {
            comparable(a, b, dialect).map(|()| truth_kind(dialect))
        }
        _ if a.is_special() => {
            let operators = dialect.special(a).map_or(&[][..], |k| k.operators);
            let found = operators.iter().find(|o| o.symbol == op.symbol().trim() && fits(o.right, b));
            found.map(|o| o.result).ok_or(MEETS)
        }
        Concat => given(fits(a, Kind::Text) && fits(b, Kind::Text), Kind::Text),
        BitAnd | BitOr | ShiftLeft | ShiftRight | Mod => given(fits(a, Kind::Int) && fits(b, Kind::Int), Kind::Int),
        Add | Sub | Mul | Div => {
            let real = a == Kind::Real || b == Kind::Real || op == Div;
            given(is_number(a) && is_number(b), if real { Kind::Real } else { Kind::Int })
        }
        // No strict dialect asks for them.
        JsonArrow | JsonArrowText | Match => Err(MEETS),
    }
}

/// The kind, where the operands are what the operator takes.
fn given(fits: bool, kind: Kind) -> Checked<Kind> {
    if fits { Ok(kind) } else { Err(MEETS) }
}

/// What may be cast without an error and without a text that depends on the engine's taste.
pub fn cast(from: Kind, to: Kind, dialect: &Dialect) -> Checked<Kind> {
    let listed = dialect.special(from).is_some_and(|k| k.casts.contains(&to));
    let fine = listed || fits(from, to) || from == Kind::Int && matches!(to, Kind::Real | Kind::Text);
    if fine { Ok(to) } else { Err(Unsound("a cast that may fail")) }
}

/// The function that these arguments mean, and the kind of its value.
pub fn call(name: &str, args: &[Traits], dialect: &Dialect) -> Checked<Kind> {
    let mut named =
        dialect.every_function().filter(|f| f.name.eq_ignore_ascii_case(name) && f.params.len() == args.len());
    named.find_map(|f| takes(f, args)).ok_or(Unsound("a function of other arguments"))
}

/// The kind of an aggregate of the engine's catalogue, whose value no order of rows changes.
pub fn aggregate(name: &str, args: &[Traits], dialect: &Dialect) -> Option<Kind> {
    // Equal values that are not identical may be folded into one another.
    if args.iter().any(|t| !t.exact) {
        return None;
    }
    dialect.aggregates_named(name).filter(|f| f.params.len() == args.len()).find_map(|f| takes(f, args))
}

fn takes(f: &FunctionSpec, args: &[Traits]) -> Option<Kind> {
    let mut same = Kind::Any;
    for (param, arg) in f.params.iter().zip(args) {
        match param {
            // Sums are of a wider type than the columns they add up.
            Param::Of(Kind::Int) if !arg.pure => return None,
            Param::Of(kind) if !fits(*kind, arg.kind) => return None,
            Param::Of(_) => {}
            Param::Same => same = one(same, arg.kind).ok()?,
            Param::SmallInt if !fits(arg.kind, Kind::Int) => return None,
            Param::Probability if !is_number(arg.kind) => return None,
            Param::SmallInt | Param::Probability => {}
            Param::Json | Param::JsonPath | Param::Format | Param::Date | Param::Pattern | Param::Word(_)
                if !fits(arg.kind, Kind::Text) =>
            {
                return None;
            }
            Param::Json | Param::JsonPath | Param::Format | Param::Date | Param::Pattern | Param::Word(_) => {}
        }
    }
    Some(if f.result == Kind::Any { same } else { f.result })
}
