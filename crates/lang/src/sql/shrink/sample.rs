//! A case with something of everything, for tests.

use super::super::ast::*;
use qualm_core::dialect::sql::{Affinity, Kind};

pub fn column(name: &str, type_name: &str) -> ColumnDef {
    let (kind, affinity) = match type_name {
        "INTEGER" => (Kind::Int, Affinity::Integer),
        "TEXT" => (Kind::Text, Affinity::Text),
        _ => (Kind::Any, Affinity::Blob),
    };
    ColumnDef::plain(name, type_name, kind, affinity)
}

pub fn table(name: &str, columns: Vec<ColumnDef>) -> CreateTable {
    CreateTable { name: name.into(), columns, ..CreateTable::default() }
}

fn insert(table: &str, columns: &[&str], rows: Vec<Vec<Expr>>) -> Statement {
    let columns = columns.iter().map(|c| (*c).into()).collect();
    Statement::Insert(Insert { table: table.into(), verb: "INSERT".into(), columns, rows, ..Insert::default() })
}

fn read(join: Join, name: &str, alias: &str, on: Option<Expr>) -> Joined {
    let source = Source::Table { name: name.into(), alias: alias.into(), hint: Hint::None };
    Joined { join, source, on, using: vec![] }
}

fn same(l: Expr, r: Expr) -> Expr {
    Expr::Binary(Binary::Eq, Box::new(l), Box::new(r))
}

/// Three tables, a view, indexes of several kinds, changes; a join of four members with a wide predicate.
pub fn large() -> SqlSource {
    let mut first = table("alpha", vec![column("x", "INTEGER"), column("y", "TEXT"), column("z", "")]);
    first.columns[1].collation = Some("NOCASE".into());
    first.columns[2].not_null = true;
    first.unique = vec![vec!["x".into(), "z".into()]];
    let mut second = table("beta", vec![column("p", "INTEGER"), column("q", "TEXT")]);
    second.columns[0].primary_key = true;
    let index = |name: &str, table: &str, expr: Expr| {
        let terms = vec![
            IndexTerm { expr, collation: None, descending: true },
            IndexTerm { expr: Expr::column("", "q"), collation: Some("NOCASE".into()), descending: false },
        ];
        let (name, table) = (name.into(), table.into());
        Statement::CreateIndex(CreateIndex { name, table, unique: false, terms, filter: None, variant: 0 })
    };
    let rows = |n: i64| {
        (0..n).map(|i| vec![Expr::int(i * 1001), Expr::text(format!("text {i}")), Expr::int(i)]).collect::<Vec<_>>()
    };
    let view = Query::of(Select {
        items: vec![Item::bare(Expr::column("alpha", "x")), Item::bare(Expr::column("alpha", "y"))],
        from: vec![read(Join::Comma, "alpha", "alpha", None)],
        filter: Some(Expr::column("alpha", "x").is_null().negate()),
        ..Select::default()
    });
    let state = vec![
        Statement::CreateTable(first),
        Statement::CreateTable(second),
        Statement::CreateTable(table("gamma", vec![column("g", "")])),
        insert("alpha", &["x", "y", "z"], rows(9)),
        index("by_sum", "beta", Expr::Binary(Binary::Add, Box::new(Expr::column("", "p")), Box::new(Expr::int(17)))),
        insert("beta", &["p", "q"], vec![vec![Expr::int(12), Expr::text("q")], vec![Expr::int(77), Expr::null()]]),
        insert("beta", &["q"], vec![vec![Expr::text("later")]]),
        insert("gamma", &["g"], vec![vec![Expr::null()]]),
        Statement::Update(Update {
            table: "alpha".into(),
            verb: "UPDATE".into(),
            set: vec![("y".into(), Expr::text("changed"))],
            filter: Some(same(Expr::column("", "x"), Expr::int(0))),
        }),
        Statement::CreateView(CreateView { name: "seen".into(), columns: vec!["u".into(), "w".into()], query: view }),
        Statement::Maintenance("ANALYZE beta".into()),
    ];
    let on = same(Expr::column("b", "p"), Expr::column("a", "x"));
    let query = Query::of(Select {
        distinct: false,
        items: vec![Item::bare(Expr::column("a", "x")), Item::bare(Expr::column("b", "q"))],
        from: vec![
            read(Join::Comma, "alpha", "a", None),
            read(Join::Left, "beta", "b", Some(on.and(Expr::column("a", "y").is_null().negate()))),
            read(Join::Cross, "gamma", "g", None),
            read(Join::Inner, "seen", "s", Some(same(Expr::column("s", "u"), Expr::column("a", "x")))),
        ],
        ..Select::default()
    });
    let sum = Expr::Binary(Binary::Add, Box::new(Expr::column("b", "p")), Box::new(Expr::int(17)));
    let wanted = Expr::IsNull { expr: Box::new(sum), negated: true };
    let noise = Expr::InList {
        expr: Box::new(Expr::call("abs", vec![Expr::column("a", "x")])),
        list: vec![Expr::int(5), Expr::int(6)],
        negated: true,
    };
    let predicate = wanted.or(noise.and(Expr::column("g", "g").is_null()));
    let question = Question { predicate: Some(predicate), ..Question::of(query, "count") };
    SqlSource { oracle: "norec".into(), state, question }
}
