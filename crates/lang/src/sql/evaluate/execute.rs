//! Queries over the rows that we know: FROM by nested loops, then WHERE, groups, select list, DISTINCT and compounds,
//! one after the other as the standard has it. No plan, no index: this is what the engine's plans must agree with.

use super::{Affinities, Bound, Collations, Env, Evaluator, Operand, Peers, Shape};
use crate::sql::ast::*;
use crate::sql::traits::{contains_aggregate, ends_lateral, has_aggregate};
use crate::sql::walk;
use qualm_core::dialect::sql::Affinity;
use qualm_core::value::{Rows, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// Rows that a recursive table may have, and an answer.
const ROWS_MOST: usize = 200;

/// The answer to a query, as far as it is known.
pub struct Answer {
    pub rows: Rows,
    /// These are all of its rows; otherwise there may be more.
    pub whole: bool,
    /// The tables that were read.
    pub tables: Vec<Name>,
    /// Of equal values that are not identical, the engine may have shown others.
    pub chosen: bool,
    /// The rows come in this order and in no other.
    pub ordered: bool,
}

pub(super) struct Relation {
    pub columns: Vec<Shape>,
    pub rows: Vec<Vec<Value>>,
    pub whole: bool,
}

/// The rows of FROM, and the columns that joins merged.
struct From {
    rows: Vec<Vec<Bound>>,
    /// A row of NULLs of all members.
    nulls: Vec<Bound>,
    merged: Vec<(Name, Vec<usize>)>,
    whole: bool,
}

/// One member of FROM: its rows, and a row of NULLs.
struct Member {
    rows: Vec<Bound>,
    nulls: Bound,
    whole: bool,
}

impl Evaluator<'_> {
    /// What a query must answer. Where `whole` is false each row must be in the answer, and there may be others.
    pub fn answer(&self, query: &Query) -> Option<Answer> {
        let sorted = if query.order_by.is_empty() { None } else { self.in_order(query) };
        let (relation, ordered) = match sorted {
            Some((relation, ordered)) => (relation, ordered),
            None => (self.renewed().query(query, None, true)?, false),
        };
        let columns = relation.columns.len();
        let mut rows = Rows::new(columns);
        rows.cells = relation.rows.into_iter().flatten().collect();
        let mut tables = self.read.borrow().clone();
        tables.sort();
        tables.dedup();
        let (whole, chosen) = (relation.whole, self.chosen.get());
        (columns > 0 && rows.len() <= ROWS_MOST).then_some(Answer { rows, whole, tables, chosen, ordered })
    }

    /// The rows of the whole query one after the other, and whether no other order would do.
    fn in_order(&self, q: &Query) -> Option<(Relation, bool)> {
        let before = self.ctes.borrow().len();
        let sorted = self.with(&q.with, None).and_then(|()| self.sorted(q, None));
        self.ctes.borrow_mut().truncate(before);
        sorted
    }

    /// What a predicate is for each row of FROM, as far as it is known.
    pub fn truths(&self, from: &[Joined], predicate: &Expr) -> Option<Vec<Option<bool>>> {
        let made = self.from(from, None, true)?;
        let mut found = Vec::with_capacity(made.rows.len());
        for row in &made.rows {
            self.spend()?;
            let env = Env { sources: row, merged: &made.merged, outer: None, group: None, shown: None, peers: None };
            found.extend(self.truth(predicate, &env));
        }
        Some(found)
    }

    /// A query inside an expression: all of its rows must be known.
    pub(super) fn nested(&self, query: &Query, env: &Env) -> Option<Relation> {
        self.query(query, Some(env), false)
    }

    pub(super) fn query(&self, q: &Query, outer: Option<&Env>, in_part: bool) -> Option<Relation> {
        let before = self.ctes.borrow().len();
        let relation = self.with(&q.with, outer).and_then(|()| match (&q.limit, q.order_by.is_empty()) {
            (None, _) => self.body(&q.body, outer, in_part),
            (Some(limit), true) => self.cut(self.body(&q.body, outer, false)?, limit),
            // All rows or none remain, whatever their order.
            (Some(limit), false) => match self.body(&q.body, outer, false).and_then(|all| self.cut(all, limit)) {
                Some(relation) => Some(relation),
                None => self.sorted(q, outer).map(|(relation, _)| relation),
            },
        });
        self.ctes.borrow_mut().truncate(before);
        relation
    }

    fn with(&self, with: &[Cte], outer: Option<&Env>) -> Option<()> {
        for cte in with {
            let mut relation =
                if cte.recursive { self.recursive(cte, outer)? } else { self.query(&cte.query, outer, false)? };
            self.rename(&mut relation, &cte.columns);
            self.ctes.borrow_mut().push((cte.name.clone(), Rc::new(relation)));
        }
        Some(())
    }

    fn rename(&self, relation: &mut Relation, names: &[Name]) {
        for (column, name) in relation.columns.iter_mut().zip(names) {
            column.name = name.clone();
        }
    }

    /// Rows are added until none is new: each round sees those of the last one.
    fn recursive(&self, cte: &Cte, outer: Option<&Env>) -> Option<Relation> {
        let Body::Compound { op: op @ (SetOp::Union | SetOp::UnionAll), left, right } = &cte.query.body else {
            return self.query(&cte.query, outer, false);
        };
        if cte.query.limit.is_some() || !cte.query.with.is_empty() || has_groups(right) {
            return None;
        }
        let mut all = self.body(left, outer, false)?;
        self.rename(&mut all, &cte.columns);
        if *op == SetOp::Union {
            all.rows = self.distinct(all.rows, &all.columns)?;
        }
        let mut last = all.rows.clone();
        while !last.is_empty() {
            let before = self.ctes.borrow().len();
            let seen = Relation { columns: all.columns.clone(), rows: last, whole: true };
            self.ctes.borrow_mut().push((cte.name.clone(), Rc::new(seen)));
            let next = self.body(right, outer, false);
            self.ctes.borrow_mut().truncate(before);
            let next = next?;
            let known = all.rows.len();
            let columns = all.columns.iter().zip(&next.columns);
            let shapes: Vec<Affinities> = columns.map(|(a, b)| a.affinity.or(b.affinity)).collect();
            if next.rows.iter().any(|row| row.iter().zip(&shapes).any(|(v, s)| may_become_real(v, *s))) {
                return None;
            }
            all.rows.extend(next.rows);
            if *op == SetOp::Union {
                all.rows = self.distinct(all.rows, &all.columns)?;
            }
            last = all.rows[known..].to_vec();
            if all.rows.len() > ROWS_MOST {
                return None;
            }
        }
        Some(all)
    }

    pub(super) fn body(&self, body: &Body, outer: Option<&Env>, in_part: bool) -> Option<Relation> {
        match body {
            Body::Select(select) => self.select(select, outer, in_part),
            Body::Values(rows) => {
                let env = Env { sources: &[], merged: &[], outer, group: None, shown: None, peers: None };
                let width = rows.first()?.len();
                let columns = (0..width).map(|i| Shape {
                    name: format!("column{}", i + 1).into(),
                    affinity: Affinities::NONE.seen_through(),
                    collation: Collations::NONE.seen_through(),
                });
                let row = |r: &Vec<Expr>| r.iter().map(|e| self.value(e, &env)).collect::<Option<Vec<Value>>>();
                let rows: Option<Vec<Vec<Value>>> = rows.iter().map(row).collect();
                Some(Relation { columns: columns.collect(), rows: rows?, whole: true })
            }
            Body::Compound { op, left, right } => self.compound(*op, left, right, outer, in_part),
        }
    }

    fn compound(&self, op: SetOp, left: &Body, right: &Body, outer: Option<&Env>, in_part: bool) -> Option<Relation> {
        let adds = matches!(op, SetOp::Union | SetOp::UnionAll);
        let (l, r) = (self.body(left, outer, in_part && adds)?, self.body(right, outer, in_part && adds)?);
        if l.columns.len() != r.columns.len() {
            return None;
        }
        let both = |(a, b): (&Shape, &Shape)| Shape {
            name: a.name.clone(),
            affinity: either_affinity(a.affinity, b.affinity),
            collation: Collations { set: a.collation.set | b.collation.set, explicit: false },
        };
        let columns: Vec<Shape> = l.columns.iter().zip(&r.columns).map(both).collect();
        for row in l.rows.iter().chain(&r.rows) {
            for (value, _) in row.iter().zip(&columns).filter(|(v, s)| may_become_real(v, s.affinity)) {
                // As a float it would be another number, and not only be written in another way.
                if matches!(value, Value::Int(i) if *i as f64 as i128 != i128::from(*i)) {
                    return None;
                }
                self.chosen.set(true);
            }
        }
        let whole = l.whole && r.whole;
        let has = |rows: &[Vec<Value>], row: &[Value]| -> Option<bool> {
            for other in rows {
                if self.same_row(other, row, &columns)? {
                    return Some(true);
                }
            }
            Some(false)
        };
        let rows = match op {
            SetOp::UnionAll => [l.rows, r.rows].concat(),
            SetOp::Union => self.distinct([l.rows, r.rows].concat(), &columns)?,
            SetOp::Intersect | SetOp::Except => {
                let mut kept = Vec::new();
                for row in self.distinct(l.rows, &columns)? {
                    if has(&r.rows, &row)? == (op == SetOp::Intersect) {
                        kept.push(row);
                    }
                }
                kept
            }
        };
        Some(Relation { columns, rows, whole })
    }

    /// Whether two values are one to DISTINCT, GROUP BY and compounds.
    fn same_value(&self, a: &Value, b: &Value, shape: &Shape) -> Option<bool> {
        if *a == Value::Null || *b == Value::Null {
            return Some(a == b);
        }
        let operand = |v: &Value| Operand { value: v.clone(), affinity: Affinities::NONE, collation: shape.collation };
        Some(self.order(&operand(a), &operand(b))?? == Ordering::Equal)
    }

    pub(super) fn same_row(&self, a: &[Value], b: &[Value], shapes: &[Shape]) -> Option<bool> {
        for ((a, b), shape) in a.iter().zip(b).zip(shapes) {
            if !self.same_value(a, b, shape)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn distinct(&self, rows: Vec<Vec<Value>>, shapes: &[Shape]) -> Option<Vec<Vec<Value>>> {
        let mut kept: Vec<Vec<Value>> = Vec::with_capacity(rows.len());
        'rows: for row in rows {
            for other in &kept {
                if self.same_row(other, &row, shapes)? {
                    self.chosen.set(self.chosen.get() || *other != row);
                    continue 'rows;
                }
            }
            kept.push(row);
        }
        Some(kept)
    }

    // ------------------------------------------------------------ FROM

    fn member(&self, source: &Source, outer: Option<&Env>) -> Option<Member> {
        let (alias, relation) = match source {
            Source::Query { query, alias } => (alias, Rc::new(self.query(query, outer, false)?)),
            Source::Table { name, alias, .. } => {
                let known = self.ctes.borrow().iter().rev().find(|(n, _)| n == name).map(|(_, r)| r.clone());
                match known {
                    Some(relation) => (alias, relation),
                    None => return self.table(name, alias),
                }
            }
        };
        // A column of a derived table may be the expression behind it, or a column of its own.
        let through = |s: &Shape| Shape {
            name: s.name.clone(),
            affinity: s.affinity.seen_through(),
            collation: s.collation.seen_through(),
        };
        let shapes: Rc<[Shape]> = relation.columns.iter().map(through).collect();
        let bound = |values: &[Value]| Bound {
            alias: alias.clone(),
            shapes: shapes.clone(),
            values: values.into(),
            rowid: None,
        };
        let nulls = bound(&vec![Value::Null; shapes.len()]);
        Some(Member { rows: relation.rows.iter().map(|r| bound(r)).collect(), nulls, whole: relation.whole })
    }

    /// The names of the columns that a member of FROM has.
    pub(super) fn column_names(&self, source: &Source) -> Option<Vec<Name>> {
        Some(self.member(source, None)?.nulls.shapes.iter().map(|s| s.name.clone()).collect())
    }

    fn table(&self, name: &Name, alias: &Name) -> Option<Member> {
        if let Some(view) = self.data.view(name) {
            // A view knows nothing of the tables of WITH around it.
            let ctes = std::mem::take(&mut *self.ctes.borrow_mut());
            let relation = self.query(&view.query, None, false);
            *self.ctes.borrow_mut() = ctes;
            let mut relation = relation?;
            self.rename(&mut relation, &view.columns);
            let once = [(name.clone(), Rc::new(relation))];
            self.ctes.borrow_mut().extend(once);
            let source = Source::Table { name: name.clone(), alias: alias.clone(), hint: Hint::None };
            let member = self.member(&source, None);
            self.ctes.borrow_mut().pop();
            return member;
        }
        let table = self.data.table(name)?;
        self.read.borrow_mut().push(name.clone());
        let shapes: Rc<[Shape]> = table.shapes(self.dialect).into();
        let bound = |values: Rc<[Value]>, rowid: Option<Value>| Bound {
            alias: alias.clone(),
            shapes: shapes.clone(),
            values,
            rowid,
        };
        let nulls = bound(vec![Value::Null; shapes.len()].into(), table.numbered.then_some(Value::Null));
        let rows = table.rows.iter().map(|r| bound(r.values.clone(), table.numbered.then_some(r.number.clone())));
        Some(Member { rows: rows.collect(), nulls, whole: table.complete })
    }

    fn from(&self, from: &[Joined], outer: Option<&Env>, in_part: bool) -> Option<From> {
        let mut made = From { rows: vec![Vec::new()], nulls: Vec::new(), merged: Vec::new(), whole: true };
        for (i, joined) in from.iter().enumerate() {
            let member = self.member(&joined.source, outer)?;
            made.whole &= member.whole;
            let keeps = i > 0 && (joined.join.keeps_left() || joined.join.keeps_right());
            if !member.whole && !in_part || keeps && !made.whole || ends_lateral(&from[..=i], self.dialect) {
                return None;
            }
            let nulls = member.nulls.clone();
            if i == 0 {
                made.rows = member.rows.into_iter().map(|b| vec![b]).collect();
            } else {
                self.join(joined, member, &mut made, outer)?;
            }
            made.nulls.push(nulls);
        }
        Some(made)
    }

    fn join(&self, joined: &Joined, member: Member, made: &mut From, outer: Option<&Env>) -> Option<()> {
        let shared = self.shared(joined, &member, &made.nulls, &made.merged)?;
        let mut rows = Vec::new();
        let mut met = vec![false; member.rows.len()];
        for left in &made.rows {
            let mut alone = true;
            for (right, met) in member.rows.iter().zip(&mut met) {
                self.spend()?;
                let mut row = left.clone();
                row.push(right.clone());
                let env = Env { sources: &row, merged: &made.merged, outer, group: None, shown: None, peers: None };
                if self.joins(joined, &shared, &env)? {
                    (alone, *met) = (false, true);
                    rows.push(row);
                }
            }
            if alone && joined.join.keeps_left() {
                let mut row = left.clone();
                row.push(member.nulls.clone());
                rows.push(row);
            }
        }
        if joined.join.keeps_right() {
            for (right, _) in member.rows.into_iter().zip(met).filter(|(_, met)| !met) {
                let mut row = made.nulls.clone();
                row.push(right);
                rows.push(row);
            }
        }
        made.rows = rows;
        if joined.join.keeps_right() {
            for (name, first) in shared {
                let parts = match made.merged.iter().position(|(n, _)| *n == name) {
                    Some(at) => made.merged.remove(at).1,
                    None => vec![first],
                };
                made.merged.push((name, [parts, vec![made.nulls.len()]].concat()));
            }
        }
        Some(())
    }

    /// The columns that USING or NATURAL joins on: each with the one source before it that has it.
    fn shared(
        &self,
        joined: &Joined,
        member: &Member,
        left: &[Bound],
        merged: &[(Name, Vec<usize>)],
    ) -> Option<Vec<(Name, usize)>> {
        if !joined.merges() {
            return Some(Vec::new());
        }
        let mut shared = Vec::new();
        for shape in member.nulls.shapes.iter() {
            let having: Vec<usize> = (0..left.len()).filter(|i| left[*i].position(&shape.name).is_some()).collect();
            let named = joined.using.contains(&shape.name) || joined.join.is_natural();
            if having.is_empty() || !named {
                continue;
            }
            let is_merged = merged.iter().any(|(n, _)| *n == shape.name);
            if having.len() > 1 && !is_merged {
                return None;
            }
            shared.push((shape.name.clone(), having[0]));
        }
        (joined.join.is_natural() || shared.len() == joined.using.len()).then_some(shared)
    }

    fn joins(&self, joined: &Joined, shared: &[(Name, usize)], env: &Env) -> Option<bool> {
        let last = env.sources.last()?;
        for (name, first) in shared {
            let is_merged = env.merged.iter().any(|(n, _)| n == name);
            let table = if is_merged { Name::default() } else { env.sources[*first].alias.clone() };
            let (left, right) = (Expr::column(&table, name), Expr::column(&last.alias, name));
            if self.comparison(Binary::Eq, &left, &right, env)? != Some(true) {
                return Some(false);
            }
        }
        match &joined.on {
            Some(on) => Some(self.truth(on, env)? == Some(true)),
            None => Some(true),
        }
    }

    // ------------------------------------------------------------ SELECT

    pub(super) fn select(&self, s: &Select, outer: Option<&Env>, in_part: bool) -> Option<Relation> {
        // Which keys a row of several groupings has is not followed.
        if s.grouping().is_some() {
            return None;
        }
        let grouped = !s.group_by.is_empty() || s.having.is_some() || has_aggregate(s);
        let in_part = in_part && !grouped;
        let mut from = self.from(&s.from, outer, in_part)?;
        if let Some(filter) = &s.filter {
            let mut kept = Vec::with_capacity(from.rows.len());
            for row in std::mem::take(&mut from.rows) {
                self.spend()?;
                let env = Env { sources: &row, merged: &from.merged, outer, group: None, shown: None, peers: None };
                match self.truth(filter, &env) {
                    Some(Some(true)) => kept.push(row),
                    Some(_) => {}
                    None if in_part => from.whole = false,
                    None => return None,
                }
            }
            from.rows = kept;
        }
        if grouped {
            return self.groups(s, &from, outer);
        }
        let mut rows = Vec::with_capacity(from.rows.len());
        let (mut whole, mut columns) = (from.whole, None);
        // What a window shows of a row depends on the others.
        let windows = s.items.iter().any(|i| contains_window(&i.expr));
        if windows && !from.whole {
            return None;
        }
        for (at, row) in from.rows.iter().enumerate() {
            let peers = windows.then_some(Peers { rows: &from.rows, at });
            let env = Env { sources: row, merged: &from.merged, outer, group: None, shown: None, peers };
            if columns.is_none() {
                columns = Some(self.shapes(s, &env)?);
            }
            match self.items(s, &env) {
                Some(values) => rows.push(values),
                None if in_part => whole = false,
                None => return None,
            }
        }
        let columns = match columns {
            Some(columns) => columns,
            None => self.blind_shapes(s)?,
        };
        if s.distinct {
            rows = self.distinct(rows, &columns)?;
        }
        Some(Relation { columns, rows, whole })
    }

    fn groups(&self, s: &Select, from: &From, outer: Option<&Env>) -> Option<Relation> {
        let mut groups: Vec<(Vec<Value>, Vec<&[Bound]>)> = Vec::new();
        for row in &from.rows {
            let env = Env { sources: row, merged: &from.merged, outer, group: None, shown: None, peers: None };
            let keys: Option<Vec<Value>> = s.group_by.iter().map(|k| self.value(k, &env)).collect();
            let shapes: Vec<Shape> = s.group_by.iter().map(|k| self.shape(k, Name::default(), &env)).collect();
            let keys = keys?;
            let mut home = None;
            for (i, (known, _)) in groups.iter().enumerate() {
                if self.same_row(known, &keys, &shapes)? {
                    self.chosen.set(self.chosen.get() || *known != keys);
                    home = Some(i);
                    break;
                }
            }
            match home {
                Some(i) => groups[i].1.push(row),
                None => groups.push((keys, vec![row])),
            }
        }
        if s.group_by.is_empty() && groups.is_empty() {
            groups.push((Vec::new(), Vec::new()));
        }
        let (mut rows, mut columns) = (Vec::new(), None);
        for (_, members) in &groups {
            let first: &[Bound] = members.first().copied().unwrap_or(&from.nulls);
            let shown = self.of_the_extreme(s, members, &from.merged, outer);
            let first = shown.as_ref().and_then(|rows| rows.first().copied()).unwrap_or(first);
            let shown = shown.as_deref();
            let env = Env { sources: first, merged: &from.merged, outer, group: Some(members), shown, peers: None };
            if columns.is_none() {
                columns = Some(self.shapes(s, &env)?);
            }
            let kept = s.having.as_ref().map_or(Some(Some(true)), |h| self.truth(h, &env))?;
            if kept == Some(true) {
                rows.push(self.items(s, &env)?);
            }
        }
        let columns = match columns {
            Some(columns) => columns,
            None => self.blind_shapes(s)?,
        };
        if s.distinct {
            rows = self.distinct(rows, &columns)?;
        }
        Some(Relation { columns, rows, whole: from.whole })
    }

    fn items(&self, s: &Select, env: &Env) -> Option<Vec<Value>> {
        if s.items.is_empty() {
            return Some(env.sources.iter().flat_map(|b| b.values.iter().cloned()).collect());
        }
        s.items.iter().map(|i| self.value(&i.expr, env)).collect()
    }

    pub(super) fn shape(&self, e: &Expr, name: Name, env: &Env) -> Shape {
        Shape { name, affinity: self.affinity(e, env), collation: self.collation(e, env) }
    }

    fn shapes(&self, s: &Select, env: &Env) -> Option<Vec<Shape>> {
        if s.items.is_empty() {
            if s.from.iter().skip(1).any(Joined::merges) {
                return None;
            }
            return Some(env.sources.iter().flat_map(|b| b.shapes.iter().cloned()).collect());
        }
        Some(s.items.iter().map(|i| self.shape(&i.expr, item_name(i), env)).collect())
    }

    /// Without a row nothing is known of the columns but their number and names, and nobody will compare them.
    fn blind_shapes(&self, s: &Select) -> Option<Vec<Shape>> {
        if s.items.is_empty() {
            let mut all = Vec::new();
            for joined in &s.from {
                all.extend(self.member(&joined.source, None)?.nulls.shapes.iter().cloned());
            }
            return (!s.from.iter().skip(1).any(Joined::merges)).then_some(all);
        }
        let any = Affinities(0x3f);
        let collation = Collations { set: 0x0f, explicit: false };
        Some(s.items.iter().map(|i| Shape { name: item_name(i), affinity: any, collation }).collect())
    }
}

/// That of a column whose arms differ: the one or the other, or none where one arm holds texts and another numbers.
fn either_affinity(a: Affinities, b: Affinities) -> Affinities {
    if a == b { a.seen_through() } else { a.or(b).or(Affinities::NONE).seen_through() }
}

/// Which arm of a compound gives its column the affinity is for SQLite to choose, and one that is REAL shows an
/// integer as a float.
fn may_become_real(value: &Value, affinity: Affinities) -> bool {
    matches!(value, Value::Int(_)) && affinity.each().any(|a| a == Affinity::Real)
}

fn item_name(item: &Item) -> Name {
    match (&item.alias, &item.expr) {
        (Some(alias), _) => alias.clone(),
        (None, Expr::Column { column, .. }) => column.clone(),
        _ => Name::default(),
    }
}

/// A window function of this query (not one inside a subquery).
fn contains_window(e: &Expr) -> bool {
    matches!(e, Expr::Window(_)) || walk::children(e).into_iter().any(contains_window)
}

fn has_groups(body: &Body) -> bool {
    match body {
        Body::Select(s) => s.distinct || !s.group_by.is_empty() || s.items.iter().any(|i| contains_aggregate(&i.expr)),
        Body::Compound { .. } => true,
        Body::Values(_) => false,
    }
}
