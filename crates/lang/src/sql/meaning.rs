//! What a feature has to do, beyond being taken: claims rest on it. An engine may take UNIQUE and keep two equal rows,
//! and be right about everything it was asked; a claim that counts on the key would be false all the same.

use super::ast::*;
use super::print;
use qualm_core::dialect::sql::{Dialect, Feature, Kind};
use qualm_core::session::{Outcome, Session};
use qualm_core::value::Value;

/// One thing to see.
enum Seen {
    Taken(String),
    Refused(String),
    /// The one cell of the answer.
    Is(String, i64),
    /// What is stored is not NULL, whether a NULL was refused or made something else.
    NoNulls {
        stored: String,
        shown: String,
    },
}

/// Whether the feature means on this engine what claims take it to mean. The database must be empty.
pub fn holds(feature: Feature, dialect: &'static Dialect, session: &mut dyn Session) -> bool {
    let Some(int) = dialect.plain_type(Kind::Int) else { return true };
    let probe = Probe { dialect, int: ColumnDef::plain("c0", int.name, int.kind, int.affinity) };
    probe.of(feature).into_iter().all(|seen| seen.holds(session))
}

impl Seen {
    fn holds(&self, session: &mut dyn Session) -> bool {
        let is_null = |outcome: Outcome| match outcome {
            Outcome::Rows(rows) => rows.cells.contains(&Value::Null),
            _ => true,
        };
        match self {
            Seen::Taken(text) => session.run(text).is_ok(),
            Seen::Refused(text) => !session.run(text).is_ok(),
            Seen::Is(text, number) => match session.run(text) {
                Outcome::Rows(rows) => rows.scalar() == Some(&Value::Int(*number)),
                _ => false,
            },
            Seen::NoNulls { stored, shown } => !session.run(stored).is_ok() || !is_null(session.run(shown)),
        }
    }
}

struct Probe {
    dialect: &'static Dialect,
    /// A plain column of integers.
    int: ColumnDef,
}

impl Probe {
    fn of(&self, feature: Feature) -> Vec<Seen> {
        match feature {
            Feature::Unique => self.keys().into_iter().chain(self.unique_index()).collect(),
            Feature::Check => self.check(),
            Feature::NotNull => self.not_null(),
            Feature::GeneratedColumn => self.generated(false).into_iter().chain(self.generated(true)).collect(),
            Feature::WithoutRowid => self.key_without_null(),
            Feature::Strict => self.strict(),
            Feature::Dml => self.dml(),
            Feature::View => self.view(),
            Feature::Filter => self.over_two_rows("count(*) FILTER (WHERE c0 > 1)", 1, 1),
            Feature::Window => self.over_two_rows("count(*) OVER ()", 2, 2),
            Feature::Modulo => self.over_two_rows("c0 % 2", 1, 1),
            _ => Vec::new(),
        }
    }

    fn column(&self, name: &str) -> ColumnDef {
        ColumnDef { name: name.into(), ..self.int.clone() }
    }

    fn table(&self, name: &str, columns: Vec<ColumnDef>) -> CreateTable {
        CreateTable { name: name.into(), columns, ..CreateTable::default() }
    }

    fn text(&self, statement: Statement) -> String {
        print::statement(&statement, self.dialect)
    }

    fn create(&self, table: CreateTable) -> Seen {
        Seen::Taken(self.text(Statement::CreateTable(table)))
    }

    fn insert(&self, table: &str, columns: &[&str], row: &[Expr]) -> String {
        let columns = columns.iter().map(|c| Name::from(*c)).collect();
        let (table, verb) = (table.into(), "INSERT".into());
        self.text(Statement::Insert(Insert { table, verb, columns, rows: vec![row.to_vec()], ..Insert::default() }))
    }

    fn pair(&self, table: &str, a: i64, b: i64) -> String {
        self.insert(table, &["c0", "c1"], &[Expr::int(a), Expr::int(b)])
    }

    /// A duplicate is refused under each spelling of a key, and what is none is taken.
    fn keys(&self) -> Vec<Seen> {
        let both = || vec![self.column("c0"), self.column("c1")];
        let first = |of: ColumnDef| vec![of, self.column("c1")];
        let pair: Vec<Name> = vec!["c0".into(), "c1".into()];
        // A key is NOT NULL in most dialects, and has to say so in some.
        let in_key = |c: ColumnDef| ColumnDef { not_null: !self.dialect.dynamic_typing, ..c };
        let both_in_key = both().into_iter().map(in_key).collect();
        let tables = [
            (self.table("p0", first(ColumnDef { unique: true, ..self.column("c0") })), false),
            (self.table("p1", first(in_key(ColumnDef { primary_key: true, ..self.column("c0") }))), false),
            (CreateTable { unique: vec![pair.clone()], ..self.table("p2", both()) }, true),
            (CreateTable { primary_key: pair, ..self.table("p3", both_in_key) }, true),
        ];
        let mut seen = Vec::new();
        for (table, of_both) in tables {
            let name = table.name.to_string();
            seen.push(self.create(table));
            seen.push(Seen::Taken(self.pair(&name, 1, 1)));
            seen.push(Seen::Taken(self.pair(&name, 2, 1)));
            seen.push(Seen::Refused(self.pair(&name, 1, if of_both { 1 } else { 2 })));
            seen.push(Seen::Is(format!("SELECT count(*) FROM {name}"), 2));
        }
        seen
    }

    fn unique_index(&self) -> Vec<Seen> {
        if !self.dialect.lists(Feature::Index) {
            return Vec::new();
        }
        let index = CreateIndex {
            name: "pi".into(),
            table: "p4".into(),
            unique: true,
            terms: vec![IndexTerm { expr: column("c0"), collation: None, descending: false }],
            filter: None,
            variant: 0,
        };
        vec![
            self.create(self.table("p4", vec![self.column("c0"), self.column("c1")])),
            Seen::Taken(self.pair("p4", 1, 1)),
            Seen::Taken(self.text(Statement::CreateIndex(index))),
            Seen::Refused(self.pair("p4", 1, 2)),
        ]
    }

    fn check(&self) -> Vec<Seen> {
        let positive = Expr::Binary(Binary::Gt, Box::new(column("c0")), Box::new(Expr::int(0)));
        let table = CreateTable { check: Some(positive), ..self.table("p", vec![self.column("c0")]) };
        vec![
            self.create(table),
            Seen::Taken(self.insert("p", &["c0"], &[Expr::int(1)])),
            Seen::Refused(self.insert("p", &["c0"], &[Expr::int(0)])),
        ]
    }

    fn not_null(&self) -> Vec<Seen> {
        let column = ColumnDef { not_null: true, ..self.column("c0") };
        vec![
            self.create(self.table("p", vec![column, self.column("c1")])),
            Seen::Taken(self.pair("p", 1, 1)),
            Seen::NoNulls {
                stored: self.insert("p", &["c0", "c1"], &[Expr::null(), Expr::int(2)]),
                shown: "SELECT c0 FROM p".into(),
            },
        ]
    }

    fn key_without_null(&self) -> Vec<Seen> {
        let key = ColumnDef { primary_key: true, ..self.column("c0") };
        let table = CreateTable { without_rowid: true, ..self.table("p", vec![key]) };
        vec![self.create(table), Seen::Refused(self.insert("p", &["c0"], &[Expr::null()]))]
    }

    /// A value is there at once, and follows the column that it is made of.
    fn generated(&self, stored: bool) -> Vec<Seen> {
        let name = if stored { "ps" } else { "pv" };
        let expr = Expr::Binary(Binary::Add, Box::new(column("c0")), Box::new(Expr::int(1)));
        let made = ColumnDef { generated: Some(Generated { expr, stored }), ..self.column("c1") };
        let mut seen = vec![
            self.create(self.table(name, vec![self.column("c0"), made])),
            Seen::Taken(self.insert(name, &["c0"], &[Expr::int(1)])),
            Seen::Is(format!("SELECT c1 FROM {name}"), 2),
        ];
        if self.dialect.lists(Feature::Dml) {
            seen.push(Seen::Taken(self.update(name, 5)));
            seen.push(Seen::Is(format!("SELECT c1 FROM {name}"), 6));
        }
        seen
    }

    fn strict(&self) -> Vec<Seen> {
        let Some(int) = self.dialect.types.iter().find(|t| t.kind == Kind::Int && t.strict) else { return Vec::new() };
        let column = ColumnDef::plain("c0", int.name, int.kind, int.affinity);
        let table = CreateTable { strict: true, ..self.table("p", vec![column]) };
        vec![self.create(table), Seen::Refused(self.insert("p", &["c0"], &[Expr::text("a")]))]
    }

    fn update(&self, table: &str, to: i64) -> String {
        let set = vec![("c0".into(), Expr::int(to))];
        self.text(Statement::Update(Update { table: table.into(), verb: "UPDATE".into(), set, filter: None }))
    }

    /// What a statement does is there when it has returned.
    fn dml(&self) -> Vec<Seen> {
        let delete = Statement::Delete { table: "p".into(), filter: None };
        // Some dialects need a statement that waits.
        let probe = self.dialect.features.iter().find(|(f, _)| *f == Feature::Dml).map_or(&[][..], |(_, s)| s);
        let settings = probe.iter().filter(|s| s.starts_with("SET ")).map(|s| Seen::Taken((*s).to_owned()));
        let seen = [
            self.create(self.table("p", vec![self.column("c0")])),
            Seen::Taken(self.insert("p", &["c0"], &[Expr::int(1)])),
            Seen::Taken(self.update("p", 2)),
            Seen::Is("SELECT c0 FROM p".into(), 2),
            Seen::Taken("INSERT INTO p SELECT c0 FROM p".into()),
            Seen::Is("SELECT count(*) FROM p".into(), 2),
            Seen::Taken(self.text(delete)),
            Seen::Is("SELECT count(*) FROM p".into(), 0),
        ];
        settings.chain(seen).collect()
    }

    /// How often an expression over the numbers 1 and 2 has a value. Some engines parse what follows a function and
    /// ignore it.
    fn over_two_rows(&self, expression: &str, value: i64, often: i64) -> Vec<Seen> {
        vec![
            self.create(self.table("p", vec![self.column("c0")])),
            Seen::Taken(self.insert("p", &["c0"], &[Expr::int(1)])),
            Seen::Taken(self.insert("p", &["c0"], &[Expr::int(2)])),
            Seen::Is(format!("SELECT count(*) FROM (SELECT {expression} AS n FROM p) AS q WHERE q.n = {value}"), often),
        ]
    }

    /// A view shows the rows that its tables have now.
    fn view(&self) -> Vec<Seen> {
        vec![
            self.create(self.table("p", vec![self.column("c0")])),
            Seen::Taken("CREATE VIEW pw AS SELECT c0 FROM p".into()),
            Seen::Taken(self.insert("p", &["c0"], &[Expr::int(7)])),
            Seen::Is("SELECT c0 FROM pw".into(), 7),
        ]
    }
}

fn column(name: &str) -> Expr {
    Expr::Column { table: Name::default(), column: name.into() }
}
