//! Statements that build a state, as text: definitions, data, maintenance.

use super::Printer;
use crate::sql::ast::*;

impl Printer<'_> {
    pub(super) fn statement(&mut self, s: &Statement) {
        match s {
            Statement::CreateTable(t) => self.create_table(t),
            Statement::CreateIndex(i) => self.create_index(i),
            Statement::CreateView(v) => {
                self.put("CREATE VIEW ");
                self.name(&v.name);
                if !v.columns.is_empty() {
                    self.names(&v.columns);
                }
                self.put(" AS ");
                self.query(&v.query);
            }
            Statement::Insert(i) => self.insert(i),
            Statement::Update(u) => self.update(u),
            Statement::Delete { table, filter } => {
                if self.dialect.spelling.mutations_by_alter {
                    self.alter(table);
                    self.put(" DELETE");
                    return self.filter_always(filter.as_ref());
                }
                self.put("DELETE FROM ");
                self.name(table);
                self.filter(filter.as_ref());
            }
            Statement::AddColumn { table, column } => {
                self.alter(table);
                self.put(" ADD COLUMN ");
                self.column_def(column);
            }
            Statement::DropColumn { table, column } => {
                self.alter(table);
                self.put(" DROP COLUMN ");
                self.name(column);
            }
            Statement::RenameColumn { table, from, to } => {
                self.alter(table);
                self.put(" RENAME COLUMN ");
                self.name(from);
                self.put(" TO ");
                self.name(to);
            }
            Statement::DropIndex { name, table } => {
                self.put("DROP INDEX ");
                self.name(name);
                if self.dialect.spelling.drop_index_names_table {
                    self.put(" ON ");
                    self.name(table);
                }
            }
            Statement::CreateTrigger(t) => self.create_trigger(t),
            Statement::Transaction(t) => self.transaction(t),
            Statement::Maintenance(text) => self.put(text),
        }
    }

    fn transaction(&mut self, t: &Transaction) {
        match t {
            Transaction::Begin => self.put("BEGIN"),
            Transaction::Savepoint(name) => self.put(&format!("SAVEPOINT {name}")),
            Transaction::RollbackTo(name) => self.put(&format!("ROLLBACK TO SAVEPOINT {name}")),
            Transaction::Release(name) => self.put(&format!("RELEASE SAVEPOINT {name}")),
            Transaction::Commit => self.put("COMMIT"),
            Transaction::Rollback => self.put("ROLLBACK"),
        }
    }

    fn create_trigger(&mut self, t: &CreateTrigger) {
        self.put("CREATE TRIGGER ");
        self.name(&t.name);
        self.put(match t.timing {
            Timing::Before => " BEFORE ",
            Timing::After => " AFTER ",
            Timing::InsteadOf => " INSTEAD OF ",
        });
        self.put(match t.event {
            Event::Insert => "INSERT",
            Event::Update => "UPDATE",
            Event::Delete => "DELETE",
        });
        if !t.of.is_empty() {
            self.put(" OF ");
            self.list(&t.of, |p, column| p.name(column));
        }
        self.put(" ON ");
        self.name(&t.table);
        if let Some(when) = &t.when {
            self.put(" WHEN ");
            self.expr(when);
        }
        let (before, after) = self.dialect.spelling.trigger_body;
        self.put(before);
        for (i, statement) in t.body.iter().enumerate() {
            self.put(if i == 0 { "" } else { "; " });
            self.statement(statement);
        }
        self.put(after);
    }

    fn foreign_key(&mut self, f: &ForeignKey) {
        self.put(", FOREIGN KEY ");
        self.names(&f.columns);
        self.put(" REFERENCES ");
        self.name(&f.table);
        if !f.key.is_empty() {
            self.names(&f.key);
        }
        for (on, action) in [(" ON DELETE ", &f.on_delete), (" ON UPDATE ", &f.on_update)] {
            if let Some(action) = action {
                self.put(on);
                self.put(action);
            }
        }
        self.put(if f.deferred { " DEFERRABLE INITIALLY DEFERRED" } else { "" });
    }

    fn upsert(&mut self, u: &Upsert) {
        self.put(" ON CONFLICT");
        if !u.key.is_empty() {
            self.put(" ");
            self.names(&u.key);
        }
        if u.set.is_empty() {
            return self.put(" DO NOTHING");
        }
        self.put(" DO UPDATE SET ");
        self.assignments(&u.set);
        self.filter(u.filter.as_ref());
    }

    fn assignments(&mut self, set: &[(Name, Expr)]) {
        self.list(set, |p, (column, e)| {
            p.name(column);
            p.put(" = ");
            p.expr(e);
        });
    }

    /// The table itself lends its types to the rows that are given.
    fn merge(&mut self, i: &Insert, clause: &Upsert) {
        self.put("MERGE INTO ");
        self.name(&i.table);
        self.put(" USING (SELECT ");
        self.list(&i.columns, |p, c| p.name(c));
        self.put(" FROM ");
        self.name(&i.table);
        self.put(" WHERE FALSE");
        for row in &i.rows {
            self.put(" UNION ALL SELECT ");
            self.list(row, Self::expr);
        }
        self.put(") AS excluded ON ");
        for (at, c) in clause.key.iter().enumerate() {
            self.put(if at > 0 { " AND " } else { "" });
            self.expr(&Expr::Column { table: i.table.clone(), column: c.clone() });
            self.put(" = ");
            self.expr(&Expr::column(EXCLUDED, c));
        }
        if !clause.set.is_empty() {
            self.put(" WHEN MATCHED");
            if let Some(filter) = &clause.filter {
                self.put(" AND (");
                self.expr(filter);
                self.put(")");
            }
            self.put(" THEN UPDATE SET ");
            self.assignments(&clause.set);
        }
        self.put(" WHEN NOT MATCHED THEN INSERT ");
        self.names(&i.columns);
        self.put(" VALUES (");
        self.list(&i.columns, |p, c| p.expr(&Expr::column(EXCLUDED, c)));
        self.put(")");
    }

    fn insert(&mut self, i: &Insert) {
        if let Some(clause) = i.merge() {
            return self.merge(i, clause);
        }
        let (before, after) = self.dialect.spelling.insert_block;
        if after.is_empty() || i.rows.len() < 2 {
            return self.insert_rows(i, &i.rows);
        }
        self.put(before);
        for row in i.rows.chunks(1) {
            self.insert_rows(i, row);
            self.put("; ");
        }
        self.put(after);
    }

    fn insert_rows(&mut self, i: &Insert, rows: &[Vec<Expr>]) {
        let spelling = &self.dialect.spelling;
        let (verb, after) = match i.verb.as_str() {
            "INSERT OR IGNORE" => spelling.insert_ignore,
            "REPLACE" => spelling.insert_replace,
            other => (other, ""),
        };
        self.put(if verb.is_empty() { "INSERT" } else { verb });
        self.put(" INTO ");
        self.name(&i.table);
        if !i.columns.is_empty() {
            self.names(&i.columns);
        }
        match &i.source {
            Some(query) => {
                self.put(" ");
                self.query(query);
            }
            None if rows.first().is_some_and(Vec::is_empty) => self.put(" DEFAULT VALUES"),
            None => {
                self.put(" VALUES ");
                self.list(rows, |p, r| p.group(r));
            }
        }
        self.put(after);
        i.upsert.iter().for_each(|u| self.upsert(u));
        self.put(if i.returning { " RETURNING *" } else { "" });
    }

    fn update(&mut self, u: &Update) {
        let spelling = &self.dialect.spelling;
        if spelling.mutations_by_alter {
            self.alter(&u.table);
            self.put(" UPDATE ");
        } else {
            self.put(match u.verb.as_str() {
                "UPDATE OR IGNORE" => spelling.update_ignore,
                "UPDATE OR REPLACE" => spelling.update_replace,
                other => other,
            });
            self.put(" ");
            self.name(&u.table);
            self.put(" SET ");
        }
        self.assignments(&u.set);
        match spelling.mutations_by_alter {
            true => self.filter_always(u.filter.as_ref()),
            false => self.filter(u.filter.as_ref()),
        }
    }

    fn filter_always(&mut self, filter: Option<&Expr>) {
        match filter {
            Some(_) => self.filter(filter),
            None => self.put(" WHERE 1"),
        }
    }

    fn alter(&mut self, table: &str) {
        self.put("ALTER TABLE ");
        self.name(table);
    }

    fn filter(&mut self, filter: Option<&Expr>) {
        if let Some(filter) = filter {
            self.put(" WHERE ");
            self.expr(filter);
        }
    }

    fn create_virtual(&mut self, t: &CreateTable, module: &Name, options: &[Name]) {
        self.put("CREATE VIRTUAL TABLE ");
        self.name(&t.name);
        self.put(" USING ");
        self.put(module);
        self.put("(");
        self.list(&t.columns, |p, c| p.column_def(c));
        for (i, option) in options.iter().enumerate() {
            self.put(if i == 0 && t.columns.is_empty() { "" } else { ", " });
            self.put(option);
        }
        self.put(")");
    }

    /// The columns of a key, each with what is said of it there.
    fn key(&mut self, t: &CreateTable, key: usize, columns: &[Name]) {
        self.put("(");
        self.list(columns, |p, column| {
            p.name(column);
            let Some(term) = t.key_term(key, column) else { return };
            if let Some(collation) = &term.collation {
                p.put(" COLLATE ");
                p.name(collation);
            }
            if term.descending {
                p.put(" DESC");
            }
        });
        self.put(")");
    }

    fn create_table(&mut self, t: &CreateTable) {
        if let Some((module, options)) = &t.module {
            return self.create_virtual(t, module, options);
        }
        self.put("CREATE TABLE ");
        self.name(&t.name);
        self.put("(");
        self.list(&t.columns, |p, c| p.column_def(c));
        if !t.primary_key.is_empty() {
            self.put(", PRIMARY KEY ");
            self.key(t, 0, &t.primary_key);
        }
        for (i, columns) in t.unique.iter().enumerate() {
            self.put(", UNIQUE ");
            self.key(t, i + 1, columns);
        }
        if let Some(check) = &t.check {
            self.put(", CHECK (");
            self.expr(check);
            self.put(")");
        }
        t.foreign_keys.iter().for_each(|f| self.foreign_key(f));
        self.put(")");
        match (t.without_rowid, t.strict) {
            (true, true) => self.put(" WITHOUT ROWID, STRICT"),
            (true, false) => self.put(" WITHOUT ROWID"),
            (false, true) => self.put(" STRICT"),
            (false, false) => {}
        }
        let spelling = &self.dialect.spelling;
        match t.variant.as_ref().and_then(|(at, column)| Some((spelling.table_variants.get(usize::from(*at))?, column)))
        {
            Some((variant, column)) => self.put(&variant.replace("{column}", column)),
            None => self.put(spelling.table_suffix),
        }
    }

    fn column_def(&mut self, c: &ColumnDef) {
        self.name(&c.name);
        if !c.type_name.is_empty() {
            let (before, after) = self.dialect.spelling.nullable;
            let nullable = !(c.not_null || c.primary_key || before.is_empty());
            self.put(" ");
            self.put(if nullable { before } else { "" });
            self.put(&c.type_name);
            self.put(if nullable { after } else { "" });
        }
        if c.primary_key {
            self.put(if c.autoincrement { " PRIMARY KEY AUTOINCREMENT" } else { " PRIMARY KEY" });
        }
        if c.unique {
            self.put(" UNIQUE");
        }
        if c.not_null && self.dialect.spelling.nullable.0.is_empty() {
            self.put(" NOT NULL");
        }
        if let Some(default) = &c.default {
            self.put(" DEFAULT ");
            self.operand(&Expr::Literal(default.clone()));
        }
        if let Some(collation) = &c.collation {
            self.put(" COLLATE ");
            self.name(collation);
        }
        if let Some(g) = &c.generated {
            self.put(" ");
            self.put(self.dialect.spelling.generated);
            self.put(" (");
            self.expr(&g.expr);
            self.put(if g.stored { ") STORED" } else { ") VIRTUAL" });
        }
    }

    fn create_index(&mut self, i: &CreateIndex) {
        self.put(if i.unique { "CREATE UNIQUE INDEX " } else { "CREATE INDEX " });
        self.name(&i.name);
        self.put(" ON ");
        self.name(&i.table);
        self.put("(");
        self.list(&i.terms, |p, t| {
            match &t.expr {
                Expr::Column { .. } => p.expr(&t.expr),
                other => {
                    p.put("(");
                    p.expr(other);
                    p.put(")");
                }
            }
            if let Some(collation) = &t.collation {
                p.put(" COLLATE ");
                p.name(collation);
            }
            if t.descending {
                p.put(" DESC");
            }
        });
        self.put(")");
        if let Some(variant) = self.dialect.spelling.index_variants.get(usize::from(i.variant)) {
            self.put(variant);
        }
        self.filter(i.filter.as_ref());
    }
}
