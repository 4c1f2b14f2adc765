//! What FROM brings into scope: tables, views, subqueries, and how joins make one column of two. Part of `typing.rs`.

use super::ast::*;
use super::schema::*;
use super::traits::joined;
use super::typing::{Mode, Typing};

impl Typing<'_> {
    pub(super) fn from<'s>(&mut self, from: &[Joined], outer: Option<&'s Scope<'s>>) -> Checked<Scope<'s>> {
        let mut scope = Scope { sources: Vec::with_capacity(from.len()), merged: Vec::new(), outer };
        for (i, member) in from.iter().enumerate() {
            let (columns, rowid) = match &member.source {
                Source::Table { name, .. } => self.relation(name)?,
                Source::Query { query, .. } => (self.query(query, None)?.into(), false),
            };
            let alias = member.source.alias().clone();
            if scope.sources.iter().any(|s| s.alias == alias) {
                return Err(Unsound("an alias used twice"));
            }
            scope.sources.push(ScopeSource { alias, columns, rowid });
            if i == 0 {
                continue;
            }
            self.joins(member, &scope)?;
            if member.merges() && member.join.keeps_right() {
                self.merge(member, &mut scope)?;
            }
        }
        Ok(scope)
    }

    /// Columns that are the one or, where that is missing, the other.
    fn merge(&self, member: &Joined, scope: &mut Scope) -> Checked<()> {
        let Some((last, others)) = scope.sources.split_last() else { return Ok(()) };
        for column in last.columns.iter() {
            let met = others.iter().flat_map(|s| s.columns.iter()).find(|c| c.name == column.name);
            let Some(met) = met.filter(|_| member.join.is_natural() || member.using.contains(&column.name)) else {
                continue;
            };
            let first = scope.merged.iter().find(|c| c.name == column.name).unwrap_or(met).traits;
            // Which of the two lends its affinity and collation is not said anywhere.
            if first.affinity != column.traits.affinity || first.collation != column.traits.collation {
                return Err(Unsound("a column made of two that compare differently"));
            }
            let traits = joined(first, column.traits, self.dialect)?;
            scope.merged.retain(|c| c.name != column.name);
            scope.merged.push(Column { name: column.name.clone(), traits });
        }
        Ok(())
    }

    fn joins(&mut self, member: &Joined, scope: &Scope) -> Checked<()> {
        let strict = self.is_strict();
        let clear = |name: &Name| {
            let found = scope.sources.iter().flat_map(|s| s.columns.iter()).filter(|c| c.name == *name);
            let kind = found.clone().next().map(|c| c.traits.kind);
            let fits = |c: &Column| c.traits.taint == Taint::Clear && (!strict || Some(c.traits.kind) == kind);
            found.clone().count() >= 2 && found.into_iter().all(fits)
        };
        if !member.using.iter().all(clear) {
            return Err(Unsound("USING a column that is not determined"));
        }
        if member.join.is_natural() {
            let last = scope.sources.last().map(|s| s.columns.clone()).unwrap_or_default();
            if last.iter().any(|c| c.traits.taint != Taint::Clear) {
                return Err(Unsound("NATURAL over a column that is not determined"));
            }
            let others = &scope.sources[..scope.sources.len() - 1];
            let of_name =
                |c: &Column| others.iter().flat_map(|s| s.columns.iter()).filter(|o| o.name == c.name).collect();
            let merges = |c: &Column| -> bool {
                let met: Vec<&Column> = of_name(c);
                met.len() <= 1 && met.iter().all(|o| o.traits.kind == c.traits.kind)
            };
            if strict && !last.iter().all(merges) {
                return Err(Unsound("NATURAL over columns of different kinds"));
            }
        }
        match &member.on {
            Some(on) => self.condition(on, scope, Mode::Row),
            None => Ok(()),
        }
    }

    fn relation(&self, name: &str) -> Checked<(Columns, bool)> {
        if let Some((_, columns)) = self.ctes.iter().rev().find(|(n, _)| n == name) {
            return Ok((columns.clone(), false));
        }
        let table = self.schema.table(name).ok_or(Unsound("no such table"))?;
        if !table.facts.is_empty() && !self.schema.facts.adopt(&table.facts) {
            return Err(Unsound("a view whose answer is not determined"));
        }
        Ok((table.columns.clone(), table.rowid))
    }
}
