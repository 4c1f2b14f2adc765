//! How values meet in comparisons: the affinities and collations that operands may have, and truth of three values.

use super::Truth;
use crate::sql::ast::Binary;
use qualm_core::dialect::sql::Affinity;
use qualm_core::value::Value;
use std::cmp::Ordering;

/// A value with what decides how it is compared.
pub struct Operand {
    pub value: Value,
    pub affinity: Affinities,
    pub collation: Collations,
}

/// The affinities that an operand may have. Mostly one; several where it depends on the release or on the plan, for
/// example on whether a view was flattened. What they disagree about is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Affinities(pub u8);

const ALL_AFFINITIES: [Affinity; 6] =
    [Affinity::None, Affinity::Blob, Affinity::Text, Affinity::Numeric, Affinity::Integer, Affinity::Real];

impl Affinities {
    pub const NONE: Affinities = Affinities(1);

    pub fn of(affinity: Affinity) -> Affinities {
        Affinities(1 << affinity as u8)
    }

    pub fn or(self, other: Affinities) -> Affinities {
        Affinities(self.0 | other.0)
    }

    pub fn each(self) -> impl Iterator<Item = Affinity> {
        ALL_AFFINITIES.into_iter().filter(move |a| self.0 & (1 << *a as u8) != 0)
    }

    /// Seen through a view or a subquery: what has no affinity may have become a column without a type.
    pub fn seen_through(self) -> Affinities {
        let open = Affinities::NONE.or(Affinities::of(Affinity::Blob));
        if self.0 & open.0 != 0 { self.or(open) } else { self }
    }
}

/// The same for collations: bit 0 is "none", the others are those of the dialect in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collations {
    pub set: u8,
    /// Said by COLLATE, which goes before what columns say.
    pub explicit: bool,
}

impl Collations {
    pub const NONE: Collations = Collations { set: 1, explicit: false };
    pub const ANY: Collations = Collations { set: 0xfe, explicit: true };

    pub fn of(index: u8) -> Collations {
        Collations { set: 2 << index, explicit: false }
    }

    pub fn seen_through(self) -> Collations {
        let set = if self.set & 1 != 0 { self.set | 2 } else { self.set };
        Collations { set, explicit: false }
    }

    /// The collations that may compare two operands.
    pub fn meet(self, right: Collations) -> impl Iterator<Item = u8> {
        let chosen = match (self.explicit, right.explicit) {
            (true, _) => self.set,
            (false, true) => right.set,
            // The left one's, and where it has none the right one's.
            _ if self.set & 1 != 0 => self.set & !1 | right.set,
            _ => self.set,
        };
        let chosen = if chosen & 1 != 0 { chosen & !1 | 2 } else { chosen };
        (0..7).filter(move |i| chosen & (2 << i) != 0)
    }
}

/// AND and OR: one of the values decides alone, also beside what is not known.
pub fn decided(a: Truth, b: Truth, decides: bool) -> Truth {
    if a == Some(Some(decides)) || b == Some(Some(decides)) {
        return Some(Some(decides));
    }
    match (a?, b?) {
        (Some(_), Some(_)) => Some(Some(!decides)),
        _ => Some(None),
    }
}

/// A comparison of rows, column by column, from how the columns compare and whether they are NULL.
pub fn compared(op: Binary, orders: &[(Option<Ordering>, (bool, bool))]) -> Truth {
    use Binary::*;
    let same = |(order, nulls): &(Option<Ordering>, (bool, bool))| match nulls {
        (true, true) => true,
        (false, false) => *order == Some(Ordering::Equal),
        _ => false,
    };
    let equal = || {
        if orders.iter().any(|(o, _)| o.is_some_and(Ordering::is_ne)) {
            return Some(false);
        }
        orders.iter().all(|(o, _)| o.is_some()).then_some(true)
    };
    let lexical = |fits: fn(Ordering) -> bool| {
        for (order, _) in orders {
            match order {
                Some(Ordering::Equal) => {}
                Some(order) => return Some(fits(*order)),
                None => return None,
            }
        }
        Some(fits(Ordering::Equal))
    };
    Some(match op {
        Eq => equal(),
        Ne => equal().map(|t| !t),
        Lt => lexical(Ordering::is_lt),
        Le => lexical(Ordering::is_le),
        Gt => lexical(Ordering::is_gt),
        Ge => lexical(Ordering::is_ge),
        Is | IsNotDistinctFrom => Some(orders.iter().all(same)),
        IsNot | IsDistinctFrom => Some(!orders.iter().all(same)),
        _ => return None,
    })
}
