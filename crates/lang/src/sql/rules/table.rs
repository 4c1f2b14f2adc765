//! Mutations of tables: indexes of every kind, generated columns that the query then uses, statistics.

use super::{Apply, Example, Group, Mutant, Rule, compare, member, table_source};
use crate::sql::ast::*;
use crate::sql::typing::Column;
use crate::sql::walk;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};

const fn rule(name: &'static str, precondition: &'static str, example: Example, apply: Apply) -> Rule {
    Rule::new(Group::Table, name, precondition, example, apply)
}

pub const RULES: &[Rule] = &[
    rule(
        "add-index",
        "none",
        ("SELECT x FROM t WHERE y > 1", "CREATE INDEX i ON t(y); SELECT x FROM t WHERE y > 1"),
        |m, pick| index(m, pick, 1, false),
    )
    .adds("index")
    .productive(0)
    .needs(&[Feature::Index]),
    rule(
        "add-index-columns",
        "none; the columns in any order",
        ("SELECT x, y FROM t ORDER BY x, y", "CREATE INDEX i ON t(y, x DESC); SELECT x, y FROM t ORDER BY x, y"),
        |m, pick| index(m, pick, 3, false),
    )
    .adds("index")
    .productive(1)
    .needs(&[Feature::Index]),
    rule(
        "add-unique-index",
        "no two rows agree in the columns, unless one of them is NULL",
        ("SELECT x FROM t WHERE y = 1", "CREATE UNIQUE INDEX i ON t(y); SELECT x FROM t WHERE y = 1"),
        |m, pick| index(m, pick, 1 + pick % 2, true),
    )
    .adds("index")
    .needs(&[Feature::Index, Feature::Unique]),
    rule(
        "add-index-on-expression",
        "none",
        ("SELECT x FROM t WHERE y + z > 6", "CREATE INDEX i ON t((y + z)); SELECT x FROM t WHERE y + z > 6"),
        expression_index,
    )
    .adds("index on an expression")
    .needs(&[Feature::ExpressionIndex]),
    rule(
        "add-partial-index",
        "none; the predicate is one of the query or IS NOT NULL",
        ("SELECT x FROM t WHERE y > 1", "CREATE INDEX i ON t(x) WHERE y > 1; SELECT x FROM t WHERE y > 1"),
        partial_index,
    )
    .adds("partial index")
    .needs(&[Feature::PartialIndex]),
    rule(
        "drop-index",
        "none",
        ("SELECT x FROM t WHERE y > 1", "CREATE INDEX i ON t(y); DROP INDEX i; SELECT x FROM t WHERE y > 1"),
        drop_index,
    )
    .needs(&[Feature::Index]),
    rule(
        "add-generated-column",
        "the column is what its expression says in every row",
        (
            "SELECT x FROM t WHERE y > 1",
            "ALTER TABLE t ADD COLUMN g INT AS (3 * y) VIRTUAL; SELECT x FROM t WHERE y > 1 AND g IS 3 * y",
        ),
        generated_column,
    )
    .adds("generated column")
    .needs(&[Feature::GeneratedColumn, Feature::AlterAddColumn]),
    rule(
        "add-stored-column",
        "none; the rows are copied to a table with one column more",
        (
            "SELECT x FROM t WHERE y > 1",
            "CREATE TABLE s(x TEXT, y INT, z INT, g AS (y + 1) STORED); INSERT INTO s(x, y, z) SELECT x, y, z FROM t; \
             SELECT x FROM s WHERE y > 1",
        ),
        stored_column,
    )
    .adds("generated column")
    .needs(&[Feature::GeneratedColumn]),
    rule("analyze", "none", ("SELECT x FROM t WHERE y > 1", "ANALYZE; SELECT x FROM t WHERE y > 1"), |m, _| {
        let table = m.tables().first().map(|(_, name)| name.clone()).unwrap_or_default();
        let text = m.dialect.maintenance.first()?;
        m.add(Statement::Maintenance(text.replace("{table}", &table).into()))
    })
    .adds("ANALYZE")
    .needs(&[Feature::Analyze]),
];

/// The columns that an index may have; those of the query come first, because an index on others changes little.
fn wanted_columns(m: &Mutant, at: usize, table: &Name) -> Vec<Name> {
    let alias = alias_at(m, at);
    let mut wanted: Vec<Name> = Vec::new();
    walk::each_expr(&m.query, &mut |e| {
        if let Expr::Column { table, column } = e
            && *table == alias
            && !wanted.contains(column)
        {
            wanted.push(column.clone());
        }
    });
    let of_table = m.schema.table(table).map(|t| t.columns.to_vec()).unwrap_or_default();
    let fits = |c: &&Column| m.dialect.may_be_key(c.traits.kind);
    let no_keys = no_keys(m.state.iter().chain(&m.added), table, m.dialect);
    let keys = of_table.iter().filter(fits).map(|c| c.name.clone());
    let keys: Vec<Name> = keys.filter(|c| !no_keys.contains(c)).collect();
    wanted.retain(|w| keys.contains(w));
    let rest: Vec<Name> = keys.into_iter().filter(|c| !wanted.contains(c)).collect();
    wanted.extend(rest);
    wanted
}

/// Columns of a table that the dialect has in no index, by the statements that made them.
pub fn no_keys<'s>(statements: impl Iterator<Item = &'s Statement>, table: &Name, dialect: &Dialect) -> Vec<Name> {
    if !dialect.lists(Feature::StoredKeys) {
        return Vec::new();
    }
    let made = statements.flat_map(|s| match s {
        Statement::CreateTable(t) if t.name == *table => t.columns.as_slice(),
        Statement::AddColumn { table: t, column } if t == table => std::slice::from_ref(column),
        _ => &[],
    });
    made.filter(|c| c.generated.as_ref().is_some_and(|g| !g.stored)).map(|c| c.name.clone()).collect()
}

fn alias_at(m: &Mutant, at: usize) -> Name {
    let member = m.query.select().and_then(|s| s.from.get(at));
    member.map(|j| j.source.alias().clone()).unwrap_or_default()
}

fn table_at(m: &Mutant, pick: usize) -> Option<(usize, Name)> {
    let tables = m.tables();
    tables.get(pick % tables.len().max(1)).cloned()
}

fn bare(column: &Name) -> Expr {
    Expr::Column { table: Name::default(), column: column.clone() }
}

fn create(m: &mut Mutant, table: Name, terms: Vec<IndexTerm>, unique: bool, filter: Option<Expr>) -> Option<()> {
    let name = m.name("mi");
    m.add(Statement::CreateIndex(CreateIndex { name, table, unique, terms, filter, variant: 0 }))
}

fn index(m: &mut Mutant, pick: usize, most: usize, unique: bool) -> Option<()> {
    let (at, table) = table_at(m, pick)?;
    let mut columns = wanted_columns(m, at, &table);
    let shift = pick / 7 % columns.len().max(1);
    columns.rotate_left(shift);
    columns.truncate(most);
    let term =
        |(i, c): (usize, &Name)| IndexTerm { expr: bare(c), collation: None, descending: pick >> (3 + i) & 1 == 1 };
    let terms: Vec<IndexTerm> = columns.iter().enumerate().map(term).collect();
    if terms.is_empty() {
        return None;
    }
    // What is asked of a text is the text alone.
    if unique && !m.only_text {
        guard_unique(m, &table, &columns);
    }
    create(m, table, terms, unique, None)
}

/// Rows that agree in all of these columns, none of which is NULL there, would be in the way of the index.
fn guard_unique(m: &mut Mutant, table: &Name, columns: &[Name]) {
    let own = |column: &Name| Expr::Column { table: table.clone(), column: column.clone() };
    let is_set = |column: &Name| Expr::IsNull { expr: Box::new(own(column)), negated: true };
    let groups = Select {
        items: vec![Item { expr: Expr::int(1), alias: Some("c0".into()) }],
        from: vec![member(Join::Comma, table_source(table, table), None)],
        filter: columns.iter().map(is_set).reduce(Expr::and),
        group_by: columns.iter().map(own).collect(),
        having: Some(compare(Binary::Gt, Expr::count_star(), Expr::int(1))),
        ..Select::default()
    };
    let source = Source::Query { query: Box::new(Query::of(groups)), alias: "twice".into() };
    let from = vec![member(Join::Comma, source, None)];
    let guard = Query::of(Select { items: vec![Item::bare(Expr::count_star())], from, ..Select::default() });
    m.guard_zero("values of the index that come twice", &guard);
}

/// An expression of the query over one table's columns only, written as DDL wants it.
fn own_expressions(m: &Mutant, at: usize, table: &Name) -> Vec<Expr> {
    let alias = alias_at(m, at);
    let no_keys = no_keys(m.state.iter().chain(&m.added), table, m.dialect);
    let mut found: Vec<Expr> = Vec::new();
    walk::each_expr(&m.query, &mut |e| {
        let simple = !matches!(e, Expr::Literal(_) | Expr::Column { .. } | Expr::Row(_) | Expr::Collate { .. });
        if simple && only_of(e, &alias, &no_keys) {
            let mut own = e.clone();
            walk::each_expr_mut(&mut own, &mut |x| {
                if let Expr::Column { table, .. } = x {
                    *table = Name::default();
                }
            });
            found.push(own);
        }
    });
    found
}

fn only_of(e: &Expr, alias: &Name, but: &[Name]) -> bool {
    let (mut fine, mut columns) = (true, 0);
    walk::each_expr(e, &mut |x| match x {
        Expr::Column { table, column } => {
            columns += 1;
            fine &= table == alias && column != crate::sql::typing::ROWID && !but.contains(column);
        }
        Expr::Aggregate(_) | Expr::Window(_) | Expr::Exists { .. } | Expr::Scalar(_) | Expr::InQuery { .. } => {
            fine = false
        }
        _ => {}
    });
    fine && columns > 0
}

fn expression_index(m: &mut Mutant, pick: usize) -> Option<()> {
    let (at, table) = table_at(m, pick)?;
    let expressions = own_expressions(m, at, &table);
    let expr = match expressions.get(pick / 3 % expressions.len().max(1)) {
        Some(e) => e.clone(),
        None => {
            let columns = m.schema.table(&table)?.columns.clone();
            let adds = |c: &Name| {
                let kind = columns.iter().find(|k| k.name == *c).map(|k| k.traits.kind);
                m.dialect.dynamic_typing || matches!(kind, Some(Kind::Int | Kind::Real))
            };
            let column = wanted_columns(m, at, &table).into_iter().find(adds)?;
            compare(Binary::Add, bare(&column), Expr::int(1))
        }
    };
    let mut terms = vec![IndexTerm { expr, collation: None, descending: pick & 8 == 8 }];
    if pick & 16 == 16 {
        let column = wanted_columns(m, at, &table).first().cloned()?;
        terms.insert(0, IndexTerm { expr: bare(&column), collation: None, descending: false });
    }
    create(m, table, terms, false, None)
}

fn partial_index(m: &mut Mutant, pick: usize) -> Option<()> {
    let (at, table) = table_at(m, pick)?;
    let predicates = own_expressions(m, at, &table);
    let column = wanted_columns(m, at, &table).first().cloned()?;
    let filter = match predicates.get(pick / 3 % (predicates.len() + 1)) {
        Some(p) => p.clone(),
        None => Expr::IsNull { expr: Box::new(bare(&column)), negated: true },
    };
    let terms = vec![IndexTerm { expr: bare(&column), collation: None, descending: pick & 8 == 8 }];
    create(m, table, terms, false, Some(filter))
}

fn drop_index(m: &mut Mutant, pick: usize) -> Option<()> {
    // A query that names an index cannot do without it.
    let mut named = false;
    walk::each_select(&m.query, &mut |s| {
        named |= s.from.iter().any(|j| matches!(&j.source, Source::Table { hint: Hint::IndexedBy(_), .. }));
    });
    let explicit = &m.schema.indexes;
    let (name, table) = explicit.get(pick % explicit.len().max(1)).filter(|_| !named)?.clone();
    m.add(Statement::drop_index(name, table, m.dialect))
}

/// The paper's four kinds: a constant, a substring, an expression, a substring by other columns.
fn generating_expression(columns: &[(Name, Kind)], pick: usize, dialect: &Dialect) -> Option<(Expr, Kind)> {
    let of_kind = |k: Kind| columns.iter().find(|(_, kind)| *kind == k).map(|(n, _)| bare(n));
    let any = || bare(&columns[pick % columns.len()].0);
    // A strict dialect wants the right kind; a lenient one takes any column.
    let column = |k: Kind| of_kind(k).or_else(|| dialect.dynamic_typing.then(any));
    let substring = |args| (Expr::call("substr", args), Kind::Text);
    Some(match pick % 4 {
        0 => (Expr::int(1), Kind::Int),
        1 => substring(vec![column(Kind::Text)?, Expr::int(1), Expr::int(2)]),
        2 => (compare(Binary::Mul, Expr::int(3), column(Kind::Int)?), Kind::Int),
        // A negative length is an error elsewhere.
        _ if !dialect.dynamic_typing => return None,
        _ => {
            let int = column(Kind::Int)?;
            let end = compare(Binary::Add, int.clone(), Expr::int(1));
            substring(vec![column(Kind::Text)?, int, end])
        }
    })
}

fn generated(m: &mut Mutant, table: &Name, pick: usize, stored: bool) -> Option<ColumnDef> {
    let columns = m.schema.table(table)?.columns.clone();
    let columns: Vec<(Name, Kind)> = columns.iter().map(|c| (c.name.clone(), c.traits.kind)).collect();
    let (expr, kind) = generating_expression(&columns, pick, m.dialect)?;
    let spec = m.dialect.plain_type(kind)?;
    let generated = Some(Generated { expr, stored });
    Some(ColumnDef { generated, exact: true, ..ColumnDef::plain(m.name("g"), spec.name, kind, spec.affinity) })
}

/// `alias.g IS alias.g`-like conditions would say nothing; the column is compared with what makes it.
fn use_column(m: &mut Mutant, at: usize, column: &ColumnDef) -> Option<()> {
    let select = m.query.select()?;
    let alias = select.from[at].source.alias().clone();
    let mut made = column.generated.as_ref()?.expr.clone();
    walk::each_expr_mut(&mut made, &mut |e| {
        if let Expr::Column { table, .. } = e {
            *table = alias.clone();
        }
    });
    let own = Expr::Column { table: alias, column: column.name.clone() };
    if !m.dialect.dynamic_typing {
        return m.and_true(compare(Binary::Is, own, made));
    }
    // What storing does to the value.
    let type_name = if column.kind == Kind::Int { "NUMERIC" } else { "TEXT" }.into();
    m.and_true(compare(Binary::Is, own, Expr::Cast { expr: Box::new(made), type_name }))
}

fn stars(m: &Mutant) -> bool {
    let mut found = false;
    walk::each_select(&m.query, &mut |s| found |= s.items.is_empty() && !s.from.is_empty());
    found || m.merges_columns()
}

fn generated_column(m: &mut Mutant, pick: usize) -> Option<()> {
    let (at, table) = table_at(m, pick)?;
    // A new column would show in `*` and join in NATURAL; a view or a copy of the table keeps the old ones.
    if m.only_text
        || stars(m)
        || m.state.iter().any(|s| matches!(s, Statement::CreateTable(t) if t.name == table && t.strict))
    {
        return None;
    }
    let column = generated(m, &table, pick / 3, false)?;
    m.add(Statement::AddColumn { table, column: column.clone() })?;
    use_column(m, at, &column)
}

fn stored_column(m: &mut Mutant, pick: usize) -> Option<()> {
    let (at, table) = table_at(m, pick)?;
    if m.only_text || stars(m) || mentions_rowid(&m.query) {
        return None;
    }
    let columns = m.schema.table(&table)?.columns.clone();
    let mut definition = current_definition(m.state, &table)?;
    if definition.columns.len() != columns.len() || definition.strict {
        return None;
    }
    definition.name = m.name("s");
    definition.check = None;
    definition.foreign_keys.clear();
    // Keys and uniqueness hold for the copy as well; what was generated becomes plain.
    definition.columns.iter_mut().for_each(|c| c.generated = None);
    let column = generated(m, &table, pick / 3, true)?;
    definition.columns.push(column.clone());
    let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
    let list = names.join(", ");
    let copy = format!("INSERT INTO {}({list}) SELECT {list} FROM {table}", definition.name);
    let name = definition.name.clone();
    m.add(Statement::CreateTable(definition))?;
    m.copies.push((m.added.len() - 1, copy));
    let select = m.select()?;
    let alias = select.from[at].source.alias().clone();
    select.from[at].source = table_source(&name, &alias);
    use_column(m, at, &column)
}

fn mentions_rowid(q: &Query) -> bool {
    let mut found = false;
    walk::each_expr(q, &mut |e| {
        found |= matches!(e, Expr::Column { column, .. } if column == crate::sql::typing::ROWID);
    });
    found
}

/// A table's definition; nothing when it was altered since.
fn current_definition(state: &[Statement], table: &Name) -> Option<CreateTable> {
    let altered = state.iter().any(|s| match s {
        Statement::AddColumn { table: t, .. } | Statement::DropColumn { table: t, .. } => t == table,
        Statement::RenameColumn { table: t, .. } => t == table,
        _ => false,
    });
    state.iter().find_map(|s| match s {
        Statement::CreateTable(t) if t.name == *table && !altered => Some(t.clone()),
        _ => None,
    })
}
