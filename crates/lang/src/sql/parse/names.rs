//! Whose column is meant: fills in what a person leaves out (the table of a column, `*`, ordinals, aliases in GROUP BY)
//! and spells names as the schema does, because from here on names are compared letter by letter.

use super::changes::own_columns;
use super::convert::STAR;
use super::flavour::{LATERAL_MARK, NESTED_MARK, QUOTED_MARK};
use crate::sql::ast::*;
use crate::sql::typing::{ROWID, Schema};
use crate::sql::walk::{PartMut, expr_parts_mut};

type Named<T> = Result<T, String>;

/// What FROM brings in, and what the query around it has.
struct Frame<'a> {
    sources: Vec<FrameSource>,
    /// Columns made of two by a join that may lack the first of them: they are no table's own.
    padded: Vec<Name>,
    outer: Option<&'a Frame<'a>>,
}

struct FrameSource {
    alias: Name,
    columns: Vec<Name>,
    rowid: bool,
    /// Columns that USING or NATURAL made one with those of the sources before.
    merged: Vec<Name>,
    /// The table's own name, where MATCH takes it for all of its columns.
    searched: Option<Name>,
    /// Of a table in a join in parentheses: the name of the whole, and what its columns are called there.
    behind: Option<(Name, Vec<Name>)>,
}

impl FrameSource {
    fn plain(alias: Name, columns: Vec<Name>) -> FrameSource {
        FrameSource { alias, columns, rowid: false, merged: Vec::new(), searched: None, behind: None }
    }

    /// How one of its columns is written: of which table, and by which name.
    fn written(&self, column: &Name) -> (Name, Name) {
        let behind = self.behind.as_ref().zip(self.columns.iter().position(|c| c == column));
        behind.map_or_else(
            || (self.alias.clone(), column.clone()),
            |((whole, names), at)| (whole.clone(), names[at].clone()),
        )
    }
}

struct Namer<'s> {
    schema: &'s Schema,
    ctes: Vec<(Name, Vec<Name>)>,
}

/// Which columns the expressions of a statement see.
enum Kind {
    ChangesRows,
    AddsRows,
    Other,
}

/// Resolves every name of a query. Says which one is unknown or ambiguous.
pub fn qualify(query: &mut Query, schema: &Schema) -> Named<()> {
    Namer { schema, ctes: Vec::new() }.query(query, None).map(|_| ())
}

/// The same for a statement that builds a state. Columns in DDL keep no table.
pub fn qualify_statement(statement: &mut Statement, schema: &Schema) -> Named<()> {
    qualify_within(statement, schema, None)
}

/// A statement of a trigger sees the rows of NEW and OLD around it.
fn qualify_within(statement: &mut Statement, schema: &Schema, outer: Option<&Frame>) -> Named<()> {
    own_columns(statement);
    if let Statement::CreateTable(CreateTable { name, .. }) | Statement::CreateView(CreateView { name, .. }) = statement
        && schema.tables.iter().any(|t| t.name.eq_ignore_ascii_case(name))
    {
        return Err(format!("a second table '{name}' is not read"));
    }
    let mut namer = Namer { schema, ctes: Vec::new() };
    if let Statement::Insert(i) = statement {
        namer.insert(i, outer)?;
    }
    let statement_kind = match statement {
        Statement::Update(_) | Statement::Delete { .. } => Kind::ChangesRows,
        Statement::Insert(_) => Kind::AddsRows,
        _ => Kind::Other,
    };
    let (table, names, exprs): (&mut Name, Vec<&mut Name>, Vec<&mut Expr>) = match statement {
        Statement::CreateView(v) => return namer.query(&mut v.query, None).map(|_| ()),
        Statement::CreateTable(t) => {
            let columns: Vec<Name> = t.columns.iter().map(|c| c.name.clone()).collect();
            let frame = namer.of_table(&columns, None);
            t.foreign_keys.iter_mut().flat_map(|f| &mut f.columns).try_for_each(|n| spell(n, &columns))?;
            t.primary_key.iter_mut().chain(t.unique.iter_mut().flatten()).try_for_each(|n| spell(n, &columns))?;
            let generated = t.columns.iter_mut().filter_map(|c| c.generated.as_mut()).map(|g| &mut g.expr);
            return generated.chain(&mut t.check).try_for_each(|e| namer.expr(e, &frame, &[]));
        }
        Statement::CreateTrigger(t) => return namer.trigger(t),
        Statement::Transaction(_) | Statement::Maintenance(_) => return Ok(()),
        Statement::DropIndex { name, .. } => {
            let known = schema.indexes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name));
            *name = known.map(|(n, _)| n.clone()).ok_or_else(|| format!("no index '{name}'"))?;
            return Ok(());
        }
        Statement::CreateIndex(i) => {
            let exprs = i.terms.iter_mut().map(|t| &mut t.expr).chain(&mut i.filter);
            (&mut i.table, Vec::new(), exprs.collect())
        }
        Statement::Insert(i) => (&mut i.table, i.columns.iter_mut().collect(), i.rows.iter_mut().flatten().collect()),
        Statement::Update(u) => {
            let (names, set): (Vec<_>, Vec<_>) = u.set.iter_mut().map(|(n, e)| (n, e)).unzip();
            (&mut u.table, names, set.into_iter().chain(&mut u.filter).collect())
        }
        Statement::Delete { table, filter } => (table, Vec::new(), filter.iter_mut().collect()),
        Statement::AddColumn { table, column } => {
            (table, Vec::new(), column.generated.iter_mut().map(|g| &mut g.expr).collect())
        }
        Statement::DropColumn { table, column } => (table, vec![column], Vec::new()),
        Statement::RenameColumn { table, from, .. } => (table, vec![from], Vec::new()),
    };
    let known = schema.tables.iter().find(|t| t.name.eq_ignore_ascii_case(table));
    let known = known.ok_or_else(|| format!("no table '{table}'"))?;
    *table = known.name.clone();
    let columns: Vec<Name> = known.columns.iter().map(|c| c.name.clone()).collect();
    names.into_iter().try_for_each(|n| match known.rowid && is_row_number(n) {
        true => spell(n, &columns).or(Ok(())),
        false => spell(n, &columns),
    })?;
    let mut frame = namer.of_table(&columns, outer);
    frame.sources[0].searched = known.search.map(|_| known.name.clone());
    match statement_kind {
        // Subqueries call it by its name.
        Kind::ChangesRows => frame.sources[0].alias = known.name.clone(),
        // There is no row yet whose columns values could name.
        Kind::AddsRows => frame.sources.clear(),
        Kind::Other => {}
    }
    exprs.into_iter().try_for_each(|e| namer.expr(e, &frame, &[]))?;
    own_columns(statement);
    Ok(())
}

/// Rows that have a name of their own inside a statement: NEW, OLD, excluded.
fn rows_of(names: &[&str], columns: &[Name]) -> Frame<'static> {
    let row = |alias: &&str| FrameSource::plain(Name::from(*alias), columns.to_vec());
    Frame { sources: names.iter().map(row).collect(), padded: Vec::new(), outer: None }
}

/// Spells a name as the list does.
fn spell(name: &mut Name, columns: &[Name]) -> Named<()> {
    let known = columns.iter().find(|c| c.eq_ignore_ascii_case(name));
    *name = known.cloned().ok_or_else(|| format!("no column '{name}'"))?;
    Ok(())
}

impl Namer<'_> {
    /// The columns of one table under no name, as in DDL.
    fn of_table<'a>(&self, columns: &[Name], outer: Option<&'a Frame<'a>>) -> Frame<'a> {
        let source = FrameSource { rowid: true, ..FrameSource::plain(Name::default(), columns.to_vec()) };
        Frame { sources: vec![source], padded: Vec::new(), outer }
    }

    /// What an INSERT has beside its table and rows.
    fn insert(&mut self, i: &mut Insert, outer: Option<&Frame>) -> Named<()> {
        if let Some(query) = &mut i.source {
            self.query(query, outer)?;
        }
        if i.upsert.is_empty() {
            return Ok(());
        }
        let (table, columns, _) = self.relation(&i.table)?;
        let excluded = rows_of(&["excluded"], &columns);
        let mut frame = self.of_table(&columns, Some(&excluded));
        frame.sources[0].alias = table;
        for clause in &mut i.upsert {
            clause.key.iter_mut().chain(clause.set.iter_mut().map(|(c, _)| c)).try_for_each(|c| spell(c, &columns))?;
            let values = clause.set.iter_mut().map(|(_, e)| e).chain(&mut clause.filter);
            for e in values {
                self.expr(e, &frame, &[])?;
            }
        }
        Ok(())
    }

    fn trigger(&mut self, t: &mut CreateTrigger) -> Named<()> {
        let (table, columns, _) = self.relation(&t.table)?;
        t.table = table;
        t.of.iter_mut().try_for_each(|c| spell(c, &columns))?;
        let frame = match t.event {
            Event::Insert => rows_of(&["NEW"], &columns),
            Event::Delete => rows_of(&["OLD"], &columns),
            Event::Update => rows_of(&["NEW", "OLD"], &columns),
        };
        if let Some(when) = &mut t.when {
            self.expr(when, &frame, &[])?;
        }
        t.body.iter_mut().try_for_each(|s| qualify_within(s, self.schema, Some(&frame)))
    }

    /// Resolves a query and gives the names of its columns.
    fn query(&mut self, q: &mut Query, outer: Option<&Frame>) -> Named<Vec<Name>> {
        let ctes = self.ctes.len();
        for cte in &mut q.with {
            self.cte(cte, outer)?;
        }
        let named = match &mut q.body {
            Body::Select(s) => self.select(s, &mut q.order_by, outer),
            body => {
                let mut columns = self.body(body, outer)?;
                for o in &mut q.order_by {
                    name_item(&o.expr, body, &mut columns);
                    output_column(&mut o.expr, &columns)?;
                }
                Ok(columns)
            }
        };
        self.ctes.truncate(ctes);
        named
    }

    fn cte(&mut self, cte: &mut Cte, outer: Option<&Frame>) -> Named<()> {
        let rename = |mut columns: Vec<Name>, given: &[Name]| {
            columns.iter_mut().zip(given).for_each(|(c, name)| *c = name.clone());
            columns
        };
        if let (Body::Compound { .. }, true) = (&cte.query.body, cte.recursive) {
            let first = leftmost(&mut cte.query.body);
            let columns = self.body(&mut first.clone(), outer)?;
            self.ctes.push((cte.name.clone(), rename(columns, &cte.columns)));
            return self.query(&mut cte.query, outer).map(|_| ());
        }
        let columns = self.query(&mut cte.query, outer)?;
        self.ctes.push((cte.name.clone(), rename(columns, &cte.columns)));
        Ok(())
    }

    fn body(&mut self, b: &mut Body, outer: Option<&Frame>) -> Named<Vec<Name>> {
        match b {
            Body::Select(s) => self.select(s, &mut [], outer),
            Body::Compound { left, right, .. } => {
                let columns = self.body(left, outer)?;
                self.body(right, outer)?;
                Ok(columns)
            }
            Body::Values(rows) => {
                let frame = Frame { sources: Vec::new(), padded: Vec::new(), outer };
                rows.iter_mut().flatten().try_for_each(|e| self.expr(e, &frame, &[]))?;
                let width = rows.first().map_or(0, Vec::len);
                Ok((1..=width).map(|i| format!("column{i}").into()).collect())
            }
        }
    }

    fn select(&mut self, s: &mut Select, order: &mut [OrderItem], outer: Option<&Frame>) -> Named<Vec<Name>> {
        let frame = self.from(&mut s.from, outer)?;
        let by_place = |e: &Expr| matches!(e, Expr::Literal(Literal::Int(_)));
        let counts = s.group_by.iter().chain(order.iter().map(|o| &o.expr)).any(by_place);
        self.stars(s, counts, &frame)?;
        for item in &mut s.items {
            self.expr(&mut item.expr, &frame, &[])?;
        }
        let items = s.items.clone();
        for key in &mut s.group_by {
            by_number(key, &items)?;
            self.expr(key, &frame, &items)?;
        }
        s.filter.iter_mut().chain(&mut s.having).try_for_each(|e| self.expr(e, &frame, &items))?;
        for o in order {
            by_number(&mut o.expr, &items)?;
            let alias = |n: &Name| items.iter().any(|i| i.alias.as_ref().is_some_and(|a| a.eq_ignore_ascii_case(n)));
            match &mut o.expr {
                Expr::Column { table, column } if (table.is_empty() || table == QUOTED_MARK) && alias(column) => {
                    *table = Name::default();
                    let aliases: Vec<Name> = items.iter().filter_map(|i| i.alias.clone()).collect();
                    spell(column, &aliases)?;
                }
                other => self.expr(other, &frame, &items)?,
            }
        }
        if s.items.is_empty() {
            return Ok(frame.sources.iter().flat_map(|s| s.columns.iter().map(|c| s.written(c).1)).collect());
        }
        let name = |item: &Item| match (&item.alias, &item.expr) {
            (Some(alias), _) => alias.clone(),
            (None, Expr::Column { column, .. }) => column.clone(),
            // Every engine calls it something else.
            _ => Name::default(),
        };
        Ok(s.items.iter().map(name).collect())
    }

    fn from<'a>(&mut self, from: &mut [Joined], outer: Option<&'a Frame<'a>>) -> Named<Frame<'a>> {
        let mut frame = Frame { sources: Vec::with_capacity(from.len()), padded: Vec::new(), outer };
        for (i, member) in from.iter_mut().enumerate() {
            let lateral = match &mut member.source {
                Source::Query { query, .. } => takes_lateral_mark(query),
                Source::Table { .. } => false,
            };
            let around = if lateral { Some(&frame) } else { outer };
            let mut sources = self.sources(&mut member.source, around)?;
            if frame.sources.iter().any(|s| s.behind.as_ref().is_some_and(|(whole, _)| whole == member.source.alias()))
            {
                return Err(format!("two joins in parentheses that would both be called '{}'", member.source.alias()));
            }
            let natural = member.join.is_natural() && i > 0;
            let shared = |n: &&Name| frame.sources.iter().any(|s| s.columns.iter().any(|c| c.eq_ignore_ascii_case(n)));
            for name in &mut member.using {
                let has = |s: &&FrameSource| s.columns.iter().any(|c| c.eq_ignore_ascii_case(name));
                let columns = sources.iter().find(has).map(|s| s.columns.clone()).unwrap_or_default();
                spell(name, &columns)?;
            }
            for source in &mut sources {
                let merged = source.columns.iter().filter(|c| natural && shared(c) || member.using.contains(c));
                source.merged = merged.cloned().collect();
                let renamed = |c: &Name| source.written(c).1 != *c;
                if member.merges() && source.columns.iter().any(renamed) {
                    return Err("columns that merge with those of a join in parentheses are not read".into());
                }
                if i > 0 && member.join.keeps_right() {
                    frame.padded.extend(source.merged.iter().cloned());
                }
            }
            frame.sources.extend(sources);
            if let Some(on) = &mut member.on {
                self.expr(on, &frame, &[])?;
            }
        }
        Ok(frame)
    }

    /// What a member of FROM brings in: one table, or those of a join in parentheses.
    fn sources(&mut self, source: &mut Source, outer: Option<&Frame>) -> Named<Vec<FrameSource>> {
        match source {
            Source::Table { name, alias, .. } => {
                let (canonical, columns, rowid) = self.relation(name)?;
                if alias == name {
                    *alias = canonical.clone();
                }
                *name = canonical;
                let searched = self.schema.table(name).filter(|t| t.search.is_some()).map(|t| t.name.clone());
                Ok(vec![FrameSource { rowid, searched, ..FrameSource::plain(alias.clone(), columns) }])
            }
            Source::Query { query, alias } if *alias == NESTED_MARK => self.in_parentheses(query, alias, outer),
            Source::Query { query, alias } => Ok(vec![FrameSource::plain(alias.clone(), self.query(query, outer)?)]),
        }
    }

    /// A join in parentheses becomes a query over it that shows each column under a name of its own.
    fn in_parentheses(&mut self, q: &mut Query, whole: &mut Name, outer: Option<&Frame>) -> Named<Vec<FrameSource>> {
        let select = q.select_mut().ok_or("a join in parentheses that is none is not read")?;
        let inner = self.from(&mut select.from, outer)?;
        if inner.sources.iter().any(|s| !s.merged.is_empty() || s.columns.iter().any(|c| c.is_empty())) {
            return Err("a join in parentheses that merges columns is not read".into());
        }
        let aliases: Vec<&str> = inner.sources.iter().map(|s| s.alias.as_str()).collect();
        *whole = aliases.join("_").into();
        let mut used: Vec<Name> = Vec::new();
        let mut sources = Vec::with_capacity(inner.sources.len());
        for source in inner.sources {
            let mut names = Vec::with_capacity(source.columns.len());
            for c in &source.columns {
                let mut own = c.clone();
                while used.iter().any(|u| u.eq_ignore_ascii_case(&own)) {
                    own = format!("{}_{own}", source.alias).into();
                }
                let (table, column) = source.written(c);
                let alias = (own != column).then(|| own.clone());
                select.items.push(Item { expr: Expr::Column { table, column }, alias });
                used.push(own.clone());
                names.push(own);
            }
            let behind = Some((whole.clone(), names));
            sources.push(FrameSource { behind, ..FrameSource::plain(source.alias, source.columns) });
        }
        Ok(sources)
    }

    fn relation(&self, name: &str) -> Named<(Name, Vec<Name>, bool)> {
        if let Some((n, columns)) = self.ctes.iter().rev().find(|(n, _)| n.eq_ignore_ascii_case(name)) {
            return Ok((n.clone(), columns.clone(), false));
        }
        if let Some(given) = self.schema.given.iter().find(|g| g.text == name) {
            return Ok((name.into(), given.columns.iter().map(|(c, _)| Name::from(*c)).collect(), false));
        }
        let table = self.schema.tables.iter().find(|t| t.name.eq_ignore_ascii_case(name));
        let missing = || match name.contains('(') {
            true => format!("the table '{name}' is not read"),
            false => format!("no table '{name}'"),
        };
        let table = table.ok_or_else(missing)?;
        Ok((table.name.clone(), table.columns.iter().map(|c| c.name.clone()).collect(), table.rowid))
    }

    /// `*` among other items, `t.*`, and a lone `*` over groups or a join that merges columns.
    fn stars(&self, s: &mut Select, counts: bool, frame: &Frame) -> Named<()> {
        let merges = frame.sources.iter().any(|s| !s.merged.is_empty());
        if s.items.is_empty() && (merges || counts || !s.group_by.is_empty()) {
            s.items.push(Item::bare(Expr::column("", STAR)));
        }
        let mut items = Vec::with_capacity(s.items.len());
        for item in s.items.drain(..) {
            let of = match &item.expr {
                Expr::Column { table, column } if column == STAR => table.clone(),
                _ => {
                    items.push(item);
                    continue;
                }
            };
            let before = items.len();
            for source in frame.sources.iter().filter(|s| of.is_empty() || s.alias.eq_ignore_ascii_case(&of)) {
                let shown = |c: &&Name| !of.is_empty() || !source.merged.contains(c);
                let columns = source.columns.iter().filter(shown);
                let is_padded = |c: &Name| of.is_empty() && frame.padded.contains(c);
                let owner = |c: &Name| if is_padded(c) { Name::default() } else { source.alias.clone() };
                items.extend(columns.map(|c| Item::bare(Expr::column(&owner(c), c))));
            }
            if items.len() == before {
                return Err(format!("no table '{of}' to show all columns of"));
            }
            if items[before..].iter().any(|i| matches!(&i.expr, Expr::Column { column, .. } if column.is_empty())) {
                return Err("'*' stands for columns without a name; add AS to their expressions".into());
            }
        }
        s.items = items;
        Ok(())
    }

    /// Every column of an expression. Aliases of the select list count after the query's own columns.
    fn expr(&mut self, e: &mut Expr, frame: &Frame, items: &[Item]) -> Named<()> {
        if let Expr::Column { table, column } = e {
            let quoted = table == QUOTED_MARK;
            if quoted {
                *table = Name::default();
            }
            if let Some((alias, name)) = find(frame, table, column)? {
                *e = Expr::Column { table: alias, column: name };
                return Ok(());
            }
            let alias = |i: &&Item| i.alias.as_ref().is_some_and(|a| a.eq_ignore_ascii_case(column));
            if let Some(item) = items.iter().find(alias).filter(|_| table.is_empty()) {
                *e = item.expr.clone();
                return Ok(());
            }
            let mut outer = frame.outer;
            while let Some(f) = outer {
                if let Some((alias, name)) = find(f, table, column)? {
                    *e = Expr::Column { table: alias, column: name };
                    return Ok(());
                }
                outer = f.outer;
            }
            if quoted {
                *e = Expr::text(column.as_str());
                return Ok(());
            }
            let dot = if table.is_empty() { "" } else { "." };
            return Err(format!("no column '{table}{dot}{column}'"));
        }
        if let Expr::Binary(Binary::Match, of, _) = e
            && let Expr::Column { table, column } = &**of
            && let Some(all) = all_columns(frame, table, column)
        {
            **of = all;
            return Ok(());
        }
        let mut named = Ok(());
        expr_parts_mut(e, &mut |part| {
            if named.is_ok() {
                named = match part {
                    PartMut::Expr(x) => self.expr(x, frame, items),
                    PartMut::Query(q) => self.query(q, Some(frame)).map(|_| ()),
                };
            }
        });
        named
    }
}

/// A table that is searched, by its own name.
fn all_columns(frame: &Frame, table: &str, column: &str) -> Option<Expr> {
    let named = |s: &&FrameSource| s.searched.as_ref().is_some_and(|n| n.eq_ignore_ascii_case(column));
    let meant = |s: &&FrameSource| table.is_empty() || s.alias.eq_ignore_ascii_case(table);
    let source = frame.sources.iter().find(|s| named(s) && meant(s))?;
    Some(Expr::Column { table: source.alias.clone(), column: source.searched.clone()? })
}

/// A column of these sources as they spell it, if there is one and only one.
fn find(frame: &Frame, table: &str, column: &str) -> Named<Option<(Name, Name)>> {
    if let Some(name) = frame.padded.iter().find(|n| table.is_empty() && n.eq_ignore_ascii_case(column)) {
        return Ok(Some((Name::default(), name.clone())));
    }
    let mut found: Option<(Name, Name)> = None;
    let row_number = is_row_number(column);
    for source in frame.sources.iter().filter(|s| table.is_empty() || s.alias.eq_ignore_ascii_case(table)) {
        let named = source.columns.iter().find(|c| c.eq_ignore_ascii_case(column)).cloned();
        // Tables of FTS3 and FTS4 have a word of their own for it.
        let number = row_number || source.searched.is_some() && column.eq_ignore_ascii_case("docid");
        let Some(name) = named.or((number && source.rowid).then(|| ROWID.into())) else { continue };
        if found.is_some() && !source.merged.contains(&name) {
            return Err(format!("the column '{column}' is in several tables; write which one is meant"));
        }
        found = found.or(Some(source.written(&name)));
    }
    Ok(found)
}

fn is_row_number(column: &str) -> bool {
    [ROWID, "_rowid_", "oid"].iter().any(|n| column.eq_ignore_ascii_case(n))
}

/// Says of a query in FROM that it sees its neighbours, until their names are known.
pub fn mark_lateral(query: &mut Query, lateral: bool) {
    if !lateral {
        return;
    }
    let (name, none) = (LATERAL_MARK.into(), Query::of(Select::default()));
    query.with.insert(0, Cte { name, columns: Vec::new(), query: none, recursive: false, materialized: None });
}

/// The tables of WITH without what says that a query in FROM sees its neighbours: LATERAL is written where it refers
/// to one.
pub fn without_lateral_mark(with: &[Cte]) -> &[Cte] {
    if with.first().is_some_and(|cte| cte.name == LATERAL_MARK) { &with[1..] } else { with }
}

/// Takes away what says that a query in FROM sees its neighbours; it says so itself from now on, by their names.
fn takes_lateral_mark(query: &mut Query) -> bool {
    let marked = without_lateral_mark(&query.with).len() < query.with.len();
    if marked {
        query.with.remove(0);
    }
    marked
}

/// `ORDER BY 2` and `GROUP BY 2` mean the second item.
fn by_number(e: &mut Expr, items: &[Item]) -> Named<()> {
    let Expr::Literal(Literal::Int(i)) = *e else { return Ok(()) };
    let item = usize::try_from(i).ok().and_then(|i| items.get(i.wrapping_sub(1)));
    *e = item.ok_or_else(|| format!("there is no item {i}"))?.expr.clone();
    Ok(())
}

/// The item of a compound that it is ordered by and that has no name gets one.
fn name_item(key: &Expr, body: &mut Body, columns: &mut [Name]) {
    let (Expr::Literal(Literal::Int(number)), Body::Select(first)) = (key, leftmost(body)) else { return };
    let Some(at) = usize::try_from(*number).ok().and_then(|n| n.checked_sub(1)) else { return };
    if let (Some(name), Some(item)) = (columns.get_mut(at).filter(|n| n.is_empty()), first.items.get_mut(at)) {
        *name = format!("c{number}").into();
        item.alias = Some(name.clone());
    }
}

/// A compound is ordered by the names or numbers of its columns.
fn output_column(e: &mut Expr, columns: &[Name]) -> Named<()> {
    match e {
        Expr::Literal(Literal::Int(i)) => {
            let name = usize::try_from(*i).ok().and_then(|i| columns.get(i.wrapping_sub(1)));
            let name = name.filter(|n| !n.is_empty()).ok_or("the compound has no column of this number with a name")?;
            *e = Expr::Column { table: Name::default(), column: name.clone() };
            Ok(())
        }
        Expr::Column { table, column } if table.is_empty() || table == QUOTED_MARK => {
            *table = Name::default();
            spell(column, columns)
        }
        _ => Err("a compound is ordered by the names of its columns".into()),
    }
}

fn leftmost(b: &mut Body) -> &mut Body {
    match b {
        Body::Compound { left, .. } => leftmost(left),
        other => other,
    }
}
