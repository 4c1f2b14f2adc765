//! How joins and operators are written in every dialect, and what kinds of them and of functions there are.

use super::{Aggregate, Binary, CreateTable, Expr, Join, Joined, KeyTerm, Name};

impl Binary {
    /// Comparisons that need an order of the values.
    pub fn is_order(self) -> bool {
        matches!(self, Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge)
    }

    pub fn is_comparison(self) -> bool {
        use Binary::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge | Is | IsNot | IsDistinctFrom | IsNotDistinctFrom)
    }
}

impl Join {
    /// As written between two members of FROM.
    pub fn symbol(self) -> &'static str {
        match self {
            Join::Comma => ", ",
            Join::Inner => " JOIN ",
            Join::Cross => " CROSS JOIN ",
            Join::Left => " LEFT JOIN ",
            Join::Right => " RIGHT JOIN ",
            Join::Full => " FULL JOIN ",
            Join::Natural => " NATURAL JOIN ",
            Join::NaturalLeft => " NATURAL LEFT JOIN ",
            Join::NaturalRight => " NATURAL RIGHT JOIN ",
            Join::NaturalFull => " NATURAL FULL JOIN ",
        }
    }

    pub fn is_natural(self) -> bool {
        matches!(self, Join::Natural | Join::NaturalLeft | Join::NaturalRight | Join::NaturalFull)
    }

    /// Rows of what stands before it come also without a partner.
    pub fn keeps_left(self) -> bool {
        matches!(self, Join::Left | Join::NaturalLeft | Join::Full | Join::NaturalFull)
    }

    /// The same without rows of what stands behind it that have no partner.
    pub fn without_right(self) -> Join {
        match self {
            Join::Right | Join::Full => Join::Left,
            Join::NaturalRight | Join::NaturalFull => Join::NaturalLeft,
            other => other,
        }
    }

    /// Rows of what stands behind it come also without a partner.
    pub fn keeps_right(self) -> bool {
        matches!(self, Join::Right | Join::NaturalRight | Join::Full | Join::NaturalFull)
    }
}

impl Joined {
    /// It makes one column of two that have the same name.
    pub fn merges(&self) -> bool {
        !self.using.is_empty() || self.join.is_natural()
    }
}

impl CreateTable {
    /// What is said of a column of one of the keys: 0 is the primary key, the others are UNIQUE in their order.
    pub fn key_term(&self, key: usize, column: &Name) -> Option<&KeyTerm> {
        self.key_terms.iter().find(|t| usize::from(t.key) == key && t.column == *column)
    }
}

impl Binary {
    /// Operators that compute a value from two others.
    pub const COMPUTING: &[Binary] = &[
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::Div,
        Binary::Mod,
        Binary::Concat,
        Binary::JsonArrow,
        Binary::JsonArrowText,
    ];

    /// As written between two operands.
    pub fn symbol(self) -> &'static str {
        match self {
            Binary::And => " AND ",
            Binary::Or => " OR ",
            Binary::Eq => " = ",
            Binary::Ne => " <> ",
            Binary::Lt => " < ",
            Binary::Le => " <= ",
            Binary::Gt => " > ",
            Binary::Ge => " >= ",
            Binary::Is => " IS ",
            Binary::IsNot => " IS NOT ",
            Binary::IsDistinctFrom => " IS DISTINCT FROM ",
            Binary::IsNotDistinctFrom => " IS NOT DISTINCT FROM ",
            Binary::Add => " + ",
            Binary::Sub => " - ",
            Binary::Mul => " * ",
            Binary::Div => " / ",
            Binary::Mod => " % ",
            Binary::Concat => " || ",
            Binary::BitAnd => " & ",
            Binary::BitOr => " | ",
            Binary::ShiftLeft => " << ",
            Binary::ShiftRight => " >> ",
            Binary::JsonArrow => " -> ",
            Binary::JsonArrowText => " ->> ",
            Binary::Match => " MATCH ",
        }
    }
}

impl Expr {
    pub fn count_star() -> Expr {
        let all = Aggregate { function: "count".into(), args: Vec::new(), distinct: false, filter: None };
        Expr::Aggregate(Box::new(all))
    }
}

/// Functions that count rows, or give them numbers.
pub fn counts(function: &str) -> bool {
    ["count", "row_number", "rank", "dense_rank", "ntile"].contains(&function)
}

/// Window functions that show what another row has, and NULL where there is no such row.
pub fn of_another_row(function: &str) -> bool {
    ["lag", "lead", "first_value", "last_value", "nth_value"].contains(&function)
}
