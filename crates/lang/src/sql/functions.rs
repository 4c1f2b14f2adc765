//! What is known of the values of aggregates, window functions, calls and casts. Part of `typing.rs`, which says what a
//! query may do with them.

use super::asking::is_closed;
use super::ast::*;
use super::schema::*;
use super::strict;
use super::traits::{mentions, special};
use super::typing::{Mode, Typing};
use qualm_core::dialect::sql::{Affinity, Kind};

impl Typing<'_> {
    pub(super) fn aggregate(&mut self, a: &Aggregate, scope: &Scope, mode: Mode) -> Checked<Traits> {
        if !matches!(mode, Mode::Grouped(_)) {
            return Err(Unsound("an aggregate outside a grouped query"));
        }
        // An aggregate whose arguments are all of an outer query belongs to that query: not meant, so not allowed. One
        // whose arguments name no column at all belongs to the query that it is written in.
        let mut parts = a.args.iter().chain(&a.filter).peekable();
        let closed = !self.is_strict() && parts.clone().all(names_nothing_outside);
        if parts.peek().is_some() && !closed && !parts.any(|x| mentions(x, &scope.sources)) {
            return Err(Unsound("an aggregate over nothing of its own query"));
        }
        if let Some(filter) = &a.filter {
            self.condition(filter, scope, Mode::Row)?;
        }
        let keys = if let Mode::Grouped(keys) = mode { keys } else { &[] };
        self.aggregated(a, scope, keys)
    }

    /// The value of an aggregate or of a window function over whole peer groups.
    fn aggregated(&mut self, a: &Aggregate, scope: &Scope, keys: &[Expr]) -> Checked<Traits> {
        let mut args = Vec::with_capacity(a.args.len());
        for x in &a.args {
            args.push(self.clear(x, scope, Mode::Row)?);
        }
        if self.reads_json(&a.function) && a.args.iter().zip(&args).any(|(x, t)| t.json && !is_made_here(x)) {
            return Err(JSON_FROM_AFAR);
        }
        let by_order = Unsound("an aggregate that depends on the order of rows");
        match (a.function.as_str(), args.as_slice()) {
            ("count", [] | [_]) => Ok(Traits { summable: true, ..Traits::of(Kind::Int) }),
            ("sum", [t]) if t.kind.is_special() && t.summable && t.exact => {
                Ok(Traits { pure: false, affinity: Affinity::None, collation: 0, ..*t })
            }
            ("sum" | "avg" | "total", [t]) if t.kind.is_special() => Err(by_order),
            ("sum" | "avg" | "total", [t]) if t.exact || !a.distinct => {
                if !t.summable {
                    self.sums_exactly(&a.args[0], *t, by_order)?;
                }
                // A sum may be an integer or a float depending on what was met. A strict dialect knows, but its type is
                // wider than that of a column.
                let kind = if self.is_strict() && a.function == "sum" { t.kind } else { Kind::Real };
                Ok(Traits { pure: false, exact: false, summable: false, ..Traits::of(kind) })
            }
            ("min" | "max", [t]) if self.is_strict() && !self.dialect.has_least(t.kind) => {
                Err(Unsound("no least and no greatest of this kind"))
            }
            ("min" | "max", [t]) => Ok(Traits { affinity: Affinity::None, ..self.identical(&a.args[0], *t) }),
            // Values that are all the same come in the same order however they are read.
            ("group_concat" | "string_agg" | "json_group_array", [t, rest @ ..])
                if rest.len() < 2 && a.args[1..].iter().all(|x| matches!(x, Expr::Literal(_))) =>
            {
                let Some(select) = self.selects.last().cloned() else { return Err(by_order) };
                self.same_within(&select, keys, &a.args[0], *t, by_order)?;
                Ok(Traits { pure: false, ..Traits::of(Kind::Text) })
            }
            (name, args) => match strict::aggregate(name, args, self.dialect) {
                Some(kind) if kind.is_special() => Ok(Traits { summable: false, ..special(kind, self.dialect) }),
                Some(kind) => Ok(Traits { pure: false, exact: kind != Kind::Real, ..Traits::of(kind) }),
                None => Err(by_order),
            },
        }
    }

    pub(super) fn window(&mut self, w: &Window, scope: &Scope, mode: Mode) -> Checked<Traits> {
        if !matches!(mode, Mode::Item) {
            return Err(Unsound("a window function outside a select list"));
        }
        for key in &w.partition_by {
            let t = self.clear(key, scope, Mode::Row)?;
            strict::key(t.kind, self.dialect)?;
        }
        for o in &w.order_by {
            let t = self.clear(&o.expr, scope, Mode::Row)?;
            strict::ordered(t.kind, self.dialect)?;
        }
        if let Some(filter) = &w.function.filter {
            self.condition(filter, scope, Mode::Row)?;
        }
        let by_row = w.frame.as_ref().is_some_and(|f| f.starts_with("ROWS"));
        match w.function.function.as_str() {
            "rank" | "dense_rank" if !by_row => Ok(Traits::of(Kind::Int)),
            "percent_rank" | "cume_dist" if !by_row => Ok(Traits::of(Kind::Real)),
            "row_number" | "ntile" | "lag" | "lead" | "first_value" | "last_value" | "nth_value" => {
                self.total(w, scope)?;
                let mut result = Traits { exact: self.is_strict(), pure: false, ..Traits::of(Kind::Int) };
                for (i, x) in w.function.args.iter().enumerate() {
                    let t = self.clear(x, scope, Mode::Row)?;
                    if i == 0 && w.function.function != "ntile" {
                        result = Traits { affinity: Affinity::None, collation: 0, ..t };
                    }
                }
                Ok(Traits { exact: self.is_strict() && result.exact, pure: false, summable: false, ..result })
            }
            _ => {
                if by_row {
                    self.total(w, scope)?;
                }
                let t = self.aggregated(&w.function, scope, &w.partition_by)?;
                Ok(Traits { affinity: Affinity::None, ..t })
            }
        }
    }

    /// Rows that the window does not order are the same in every column.
    fn total(&mut self, w: &Window, scope: &Scope) -> Checked<()> {
        let ordered = |s: &ScopeSource, c: &Column| {
            let is = |e: &Expr| matches!(e, Expr::Column { table, column } if *table == s.alias && *column == c.name);
            c.traits.identical() && (w.order_by.iter().any(|o| is(&o.expr)) || w.partition_by.iter().any(is))
        };
        if scope.sources.iter().all(|s| s.columns.iter().all(|c| ordered(s, c))) {
            return Ok(());
        }
        let keys: Vec<Expr> = w.partition_by.iter().chain(w.order_by.iter().map(|o| &o.expr)).cloned().collect();
        self.unique(&keys, Unsound("a window function by row without a total order"))
    }

    pub(super) fn cast(&self, t: Traits, type_name: &str) -> Checked<Traits> {
        if self.is_strict() {
            let known = self.dialect.cast_target(type_name);
            let kind = strict::cast(t.kind, known.ok_or(Unsound("a cast to an unknown type"))?, self.dialect)?;
            if kind.is_special() || t.kind.is_special() {
                return Ok(Traits { summable: false, taint: t.taint, ..special(kind, self.dialect) });
            }
            return Ok(Traits { kind, pure: true, ..t });
        }
        let spec = self.dialect.types.iter().find(|s| s.name.eq_ignore_ascii_case(type_name));
        let kind = spec.map_or(Kind::Any, |s| s.kind);
        let affinity = spec.map_or(Affinity::None, |s| s.affinity);
        // A float stays one under a cast to a number of any kind, so 1 and 1.0 may both come.
        let exact = affinity != Affinity::Numeric;
        Ok(Traits { kind, pure: exact && kind != Kind::Any, affinity, exact, summable: false, ..t })
    }

    pub(super) fn call(&self, function: &str, args: &[Traits]) -> Checked<Traits> {
        // `coalesce` and the like pass on what they were given.
        let json = self.reads_json(function) || args.iter().any(|t| t.json);
        if self.is_strict() {
            let kind = strict::call(function, args, self.dialect)?;
            if kind.is_special() {
                return Ok(Traits { summable: false, json, ..special(kind, self.dialect) });
            }
            // A computed float may be a negative zero, which equals the positive one.
            return Ok(Traits { exact: kind != Kind::Real, json, ..Traits::of(kind) });
        }
        let spec = self.dialect.functions.iter().find(|f| f.name.eq_ignore_ascii_case(function));
        let declared = spec.map_or(Kind::Any, |s| s.result);
        let mixed = |t: &Traits| !t.pure || t.kind != Kind::Int && t.kind != Kind::Text && t.kind != Kind::Blob;
        let exact = match declared {
            Kind::Int | Kind::Text | Kind::Blob | Kind::Bool => true,
            _ => !args.iter().any(mixed),
        };
        Ok(Traits { pure: false, exact, json, ..Traits::of(declared) })
    }

    /// Whether JSON among the arguments means something else than the same text, as in SQLite.
    pub(super) fn reads_json(&self, function: &str) -> bool {
        self.dialect.marked_json && is_of_json(function)
    }
}

fn is_of_json(function: &str) -> bool {
    function.get(..4).is_some_and(|f| f.eq_ignore_ascii_case("json"))
}

/// SQLite and MariaDB mark what a JSON function gives, so that `json_array(json_array(1))` nests and a text does not.
/// The mark is lost when the value is stored, and whether the rows of a subquery or of a virtual column are is for the
/// engine to decide.
pub(super) const JSON_FROM_AFAR: Unsound =
    Unsound("JSON that came through a column or a subquery, given to a JSON function");

/// Whether such a value goes straight from one function to the other.
pub(super) fn is_made_here(e: &Expr) -> bool {
    match e {
        Expr::Call { function, .. } => is_of_json(function),
        Expr::Binary(op, ..) => matches!(op, Binary::JsonArrow | Binary::JsonArrowText),
        Expr::Case { arms, otherwise, .. } => {
            let mut branches = arms.iter().map(|(_, then)| then).chain(otherwise.as_deref());
            branches.all(|x| is_made_here(x) || matches!(x, Expr::Literal(_)))
        }
        _ => false,
    }
}

/// Whether every column in an expression belongs to a subquery inside it.
fn names_nothing_outside(e: &Expr) -> bool {
    is_closed(&Query::of(Select { items: vec![Item::bare(e.clone())], ..Select::default() }))
}
