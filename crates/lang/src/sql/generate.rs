//! Random queries over a schema. Everything made here is checked by `typing.rs` before it is asked: the generator aims
//! at queries whose answer is determined, the checker makes sure.

use super::ast::*;
use super::leaning::{Leaning, more};
use super::pool::Pool;
use super::profile::{Profile, Used, feature_bit};
use super::rules_file::UserRule;
use super::strict;
use super::traits::is_lateral;
use super::typing::{Column, Columns, ROWID, Schema, Table, Taint, Traits, given_columns};
use qualm_core::dialect::sql::{Affinity, Dialect, Feature, Kind};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

/// How large things get, per `--size`.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows of a large table, where a state has one.
    pub bulk: [usize; 3],
    /// One state in so many is about more than plain tables.
    pub themes: u32,
    /// So many percent of states lean to something.
    pub leanings: u32,
    /// Questions that a fresh state gets.
    pub checks: u32,
    pub tables: (usize, usize),
    pub columns: (usize, usize),
    pub rows: (usize, usize),
    /// Members of FROM at the outermost level.
    pub from: usize,
    pub depth: u32,
    /// Subqueries in one query.
    pub subqueries: u32,
    pub indexes: usize,
}

/// So many percent of databases lean to something.
const LEANINGS: u32 = 70;

pub fn shape(size: Size) -> Shape {
    match size {
        Size::Small => {
            let (tables, columns, rows) = ((1, 2), (1, 3), (2, 6));
            Shape {
                bulk: [100, 200, 500],
                themes: 4,
                leanings: LEANINGS,
                checks: 60,
                tables,
                columns,
                rows,
                from: 2,
                depth: 1,
                subqueries: 1,
                indexes: 3,
            }
        }
        Size::Medium => {
            let (tables, columns, rows) = ((1, 3), (1, 4), (2, 9));
            Shape {
                bulk: [200, 600, 1500],
                themes: 2,
                leanings: LEANINGS,
                checks: 60,
                tables,
                columns,
                rows,
                from: 3,
                depth: 2,
                subqueries: 2,
                indexes: 5,
            }
        }
        Size::Large => {
            let (tables, columns, rows) = ((2, 4), (2, 6), (4, 16));
            Shape {
                bulk: [2000, 5000, 20_000],
                themes: 2,
                leanings: LEANINGS,
                checks: 60,
                tables,
                columns,
                rows,
                from: 4,
                depth: 3,
                subqueries: 4,
                indexes: 8,
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct Visible {
    pub table: Name,
    pub name: Name,
    pub traits: Traits,
}

/// A FROM that gave rows on this state, with its columns: worth asking more about.
#[derive(Clone, Debug)]
pub struct Fertile {
    pub from: Vec<Joined>,
    scope: Vec<Visible>,
    aliases: u32,
}

/// One in so many aggregates is one of the engine's catalogue, where there are any.
const CATALOGUED: u32 = 4;

/// One in so many select lists is the terms of an index, and one in so many values is an expression of the state's.
const COVERED: u32 = 12;
const ECHOED: u32 = 8;

/// One in so many later members of FROM refers to those before it.
const LATERAL: u32 = 6;

/// One in so many members of FROM is a query.
const DERIVED: u32 = 6;

/// One in so many joins is on a constant.
const CONSTANT_ON: u32 = 12;

/// So often a FROM that should give rows keeps away from a table without any.
const ROWS_WANTED: (u32, u32) = (3, 4);

/// The weight of predicates over a subquery where nobody wants more of them.
const NESTING: u32 = 6;

pub struct Generator<'a> {
    pub rng: &'a mut Rng,
    pub profile: &'a Profile,
    pub schema: &'a Schema,
    /// The statements that made the schema.
    pub state: &'a [Statement],
    pub pool: &'a Pool,
    pub shape: Shape,
    /// Columns that an expression may use; those from `frame` on belong to the query at hand.
    pub scope: Vec<Visible>,
    pub frame: usize,
    pub subqueries: u32,
    /// How often a predicate is one over a subquery: a weight beside those in `predicate`.
    pub nesting: u32,
    pub used: Used,
    /// COLLATE operators and mixed collations may appear.
    pub collations: bool,
    /// What the state is full of.
    pub leaning: Leaning,
    /// FROMs known to give rows.
    pub fertile: &'a [Fertile],
    /// Tables and views known to have none.
    pub barren: &'a [Name],
    /// The FROM of the outermost query, for the caller to keep if it gives rows.
    pub outermost: Option<Fertile>,
    /// Queries that came with the state, to be asked and changed beside random ones.
    pub seed_queries: &'a [Query],
    /// Those among them that could not be read: to be asked as they are.
    pub seed_texts: &'a [String],
    /// Rewrite rules of the user's.
    pub user_rules: &'a [UserRule],
    aliases: u32,
    /// Subqueries of this question that see nothing of the outside, with the kinds of their columns.
    pub(super) asked: Vec<(Vec<Kind>, Query)>,
    pub(super) ctes: Vec<Table>,
}

/// Makes the arguments of an aggregate.
type Arguments<G> = fn(&mut G) -> Vec<Expr>;

impl<'a> Generator<'a> {
    pub fn new(rng: &'a mut Rng, profile: &'a Profile, schema: &'a Schema, pool: &'a Pool, shape: Shape) -> Self {
        let subqueries = rng.below(shape.subqueries as usize + 1) as u32;
        Generator {
            rng,
            profile,
            schema,
            state: &[],
            pool,
            shape,
            scope: Vec::new(),
            frame: 0,
            subqueries,
            nesting: NESTING,
            used: Used::default(),
            collations: true,
            leaning: Leaning::default(),
            fertile: &[],
            barren: &[],
            outermost: None,
            seed_queries: &[],
            seed_texts: &[],
            user_rules: &[],
            aliases: 0,
            asked: Vec::new(),
            ctes: Vec::new(),
        }
    }

    pub fn dialect(&self) -> &'static Dialect {
        self.profile.dialect
    }

    pub fn has(&self, feature: Feature) -> bool {
        self.profile.has(feature)
    }

    pub fn uses(&mut self, feature: Feature) {
        self.used.add(feature_bit(feature));
    }

    pub fn schema_is_empty(&self) -> bool {
        self.schema.tables.is_empty()
    }

    /// Puts a table's columns in scope under no name, as in DDL.
    pub fn enter_table(&mut self, columns: &Columns) {
        self.frame = self.scope.len();
        for c in columns.iter() {
            self.scope.push(Visible { table: Name::default(), name: c.name.clone(), traits: c.traits });
        }
    }

    /// The same under a name, beside what is in scope already: the rows of NEW and OLD, or the table of an UPSERT.
    pub fn enter_row(&mut self, name: &str, columns: &Columns) {
        for c in columns.iter() {
            self.scope.push(Visible { table: name.into(), name: c.name.clone(), traits: c.traits });
        }
    }

    // ------------------------------------------------------------ FROM

    fn fresh_alias(&mut self, base: &Name) -> Name {
        if !self.scope.iter().any(|v| v.table == *base) {
            return base.clone();
        }
        self.aliases += 1;
        format!("x{}", self.aliases).into()
    }

    /// The FROM of the outermost query: often one that is known to give rows.
    pub fn outer_from(&mut self, most: usize) -> Vec<Joined> {
        if !self.fertile.is_empty() && self.ctes.is_empty() && self.rng.chance(3, 5) {
            let known = self.rng.pick(self.fertile);
            self.frame = self.scope.len();
            self.scope.extend_from_slice(&known.scope);
            self.aliases = known.aliases;
            return known.from.clone();
        }
        let before = self.scope.len();
        let from = self.filled_from(most);
        if before == 0 && self.ctes.is_empty() {
            self.outermost = Some(Fertile { from: from.clone(), scope: self.scope.clone(), aliases: self.aliases });
        }
        from
    }

    /// FROM with its columns in scope as the new frame. The caller restores `scope` and `frame` when it leaves.
    pub fn from(&mut self, most: usize) -> Vec<Joined> {
        self.members(most, false)
    }

    /// The same, of which more is asked than that it has no rows: a table without any stands where a join does not
    /// need its rows.
    pub(super) fn filled_from(&mut self, most: usize) -> Vec<Joined> {
        self.members(most, !self.barren.is_empty())
    }

    fn members(&mut self, most: usize, wants_rows: bool) -> Vec<Joined> {
        self.frame = self.scope.len();
        let most = if self.has(Feature::LoneTables) { 1 } else { most };
        let count = match most {
            0 | 1 => 1,
            2 => 1 + self.rng.weighted(&[5, 4 * more(self.leaning.joins)]),
            3 => 1 + self.rng.weighted(&[5, 5 * more(self.leaning.joins), 2 * more(self.leaning.joins)]),
            _ => 1 + self.rng.weighted(&[3, 4, 3, 2]),
        };
        let mut from: Vec<Joined> = Vec::with_capacity(count);
        for i in 0..count {
            let before = self.scope.len();
            let (source, columns) = self.source(wants_rows && i == 0);
            let keeps_left = wants_rows && i > 0 && self.is_barren(&source) && self.wants_rows();
            let alias = source.alias().clone();
            for c in columns.iter() {
                self.scope.push(Visible { table: alias.clone(), name: c.name.clone(), traits: c.traits });
            }
            self.maybe_rowid(&source);
            let mut member = Joined { join: Join::Comma, source, on: None, using: Vec::new() };
            if i > 0 {
                self.join(&mut member, before, keeps_left);
                let lateral = |query: &Query| self.has(Feature::Lateral) && is_lateral(&from, query);
                if matches!(&member.source, Source::Query { query, .. } if lateral(query)) {
                    member.join = member.join.without_right();
                }
            }
            from.push(member);
        }
        from
    }

    fn is_barren(&self, source: &Source) -> bool {
        source.table().is_some_and(|name| self.barren.contains(name) && !self.ctes.iter().any(|c| c.name == *name))
    }

    fn wants_rows(&mut self) -> bool {
        self.rng.chance(ROWS_WANTED.0, ROWS_WANTED.1)
    }

    /// The row number of a base table is a column like others, seldom used.
    fn maybe_rowid(&mut self, source: &Source) {
        let Source::Table { name, alias, .. } = source else { return };
        let numbered = self.schema.table(name).is_some_and(|t| t.rowid);
        if numbered && self.has(Feature::Rowid) && self.rng.chance(1, 16) {
            let traits = Traits { affinity: Affinity::Integer, ..Traits::of(Kind::Int) };
            self.scope.push(Visible { table: alias.clone(), name: ROWID.into(), traits });
        }
    }

    fn source(&mut self, wants_rows: bool) -> (Source, Columns) {
        if self.has(Feature::Values) && self.rng.chance(1, 40) {
            return self.values();
        }
        // Inside a query that refers to another one, engines take less of it.
        let beside = self.frame == 0 && !self.scope.is_empty() && self.subqueries > 0;
        if beside && self.has(Feature::Lateral) && self.rng.chance(1, LATERAL) {
            self.subqueries -= 1;
            if let Some((query, columns)) = self.lateral() {
                return (Source::Query { query: Box::new(query), alias: self.next_name() }, columns);
            }
        }
        if self.subqueries > 0 && self.rng.chance(more(self.leaning.nesting), DERIVED) {
            self.subqueries -= 1;
            let (query, columns) = self.derived();
            let alias = self.next_name();
            return (Source::Query { query: Box::new(query), alias }, columns);
        }
        if self.has(Feature::TableFunction) && !self.dialect().given.is_empty() && self.rng.chance(1, 40) {
            return self.given();
        }
        let tables = self.schema.tables.len();
        let mut at = self.rng.below(tables + self.ctes.len());
        if wants_rows && at < tables && self.barren.contains(&self.schema.tables[at].name) && self.wants_rows() {
            at = self.rng.below(tables + self.ctes.len());
        }
        if self.leaning.nesting && self.rng.chance(1, 3) {
            let views: Vec<usize> = (0..tables).filter(|at| self.schema.tables[*at].view).collect();
            at = if views.is_empty() { at } else { *self.rng.pick(&views) };
        }
        let table = if at < tables { &self.schema.tables[at] } else { &self.ctes[at - tables] };
        let (name, columns, view) = (table.name.clone(), table.columns.clone(), table.view);
        let hint = if !view && self.has(Feature::IndexedBy) && self.rng.chance(1, 40) {
            self.uses(Feature::IndexedBy);
            Hint::NotIndexed
        } else {
            Hint::None
        };
        let alias = self.fresh_alias(&name);
        (Source::Table { name, alias, hint }, columns)
    }

    /// `(VALUES …)` as a table of one column, all of one kind.
    fn values(&mut self) -> (Source, Columns) {
        self.uses(Feature::Values);
        let kind = *self.rng.pick(&[Kind::Int, Kind::Text]);
        let rows = (0..self.rng.range(1, 3)).map(|_| vec![self.literal(kind)]).collect();
        let query = Query { with: Vec::new(), body: Body::Values(rows), order_by: Vec::new(), limit: None };
        let alias = self.next_name();
        let name = self.profile.dialect.spelling.values_column(1).into();
        let columns: Columns = vec![Column { name, traits: Traits::of(kind) }].into();
        (Source::Query { query: Box::new(query), alias }, columns)
    }

    /// A function over literals as a table.
    fn given(&mut self) -> (Source, Columns) {
        self.uses(Feature::TableFunction);
        let given = self.rng.pick(self.dialect().given);
        let columns = given_columns(given, self.dialect());
        (Source::Table { name: given.text.into(), alias: self.next_name(), hint: Hint::None }, columns)
    }

    pub(super) fn next_name(&mut self) -> Name {
        self.aliases += 1;
        format!("x{}", self.aliases).into()
    }

    /// `keeps_left`: the rows before it stay, whatever it has.
    fn join(&mut self, member: &mut Joined, before: usize, keeps_left: bool) {
        let right = u32::from(self.has(Feature::RightJoin));
        let full = u32::from(self.has(Feature::FullJoin));
        let natural = u32::from(self.has(Feature::NaturalJoin));
        let shared = self.shared_columns(before);
        let merges = u32::from(!shared.is_empty());
        member.join = *self.rng.pick_weighted(&[
            (6, Join::Comma),
            (6, Join::Inner),
            (3, Join::Cross),
            (8 * more(self.leaning.joins), Join::Left),
            (3 * right * more(self.leaning.joins), Join::Right),
            (2 * full * more(self.leaning.joins), Join::Full),
            (natural * merges, Join::Natural),
            (natural * merges, Join::NaturalLeft),
            (natural * merges * right, Join::NaturalRight),
            (natural * merges * full, Join::NaturalFull),
        ]);
        if keeps_left {
            member.join = match member.join {
                Join::Comma | Join::Inner | Join::Cross | Join::Right => Join::Left,
                Join::Natural | Join::NaturalRight => Join::NaturalLeft,
                other => other,
            };
        }
        match member.join {
            Join::Right | Join::NaturalRight => self.uses(Feature::RightJoin),
            Join::Full | Join::NaturalFull => self.uses(Feature::FullJoin),
            Join::Comma | Join::Cross => return,
            Join::Inner | Join::Left | Join::Natural | Join::NaturalLeft => {}
        }
        if member.join.is_natural() {
            return self.uses(Feature::NaturalJoin);
        }
        if merges == 1 && natural == 1 && self.rng.chance(1, 8) {
            member.using = vec![self.rng.pick(&shared).clone()];
            return;
        }
        let outer = matches!(member.join, Join::Left | Join::Right | Join::Full);
        let equal = member.join == Join::Full && !self.has(Feature::FullJoinAny);
        if equal || outer && self.has(Feature::OuterJoinEqual) {
            let Some((l, r)) = self.equal_pair(before) else {
                member.join = Join::Cross;
                return;
            };
            let on = Expr::Binary(Binary::Eq, Box::new(l), Box::new(r));
            let more = !equal && self.rng.chance(1, 4);
            member.on = Some(if more { on.and(self.predicate(1)) } else { on });
            return;
        }
        member.on = Some(self.join_condition(before));
    }

    /// Names on both sides of a join whose values are determined, once each on the left.
    fn shared_columns(&self, before: usize) -> Vec<Name> {
        let clear = |v: &Visible| v.traits.taint == Taint::Clear;
        let dynamic = self.dialect().dynamic_typing;
        let fits = |l: &Visible, r: &Visible| dynamic || l.traits.kind == r.traits.kind;
        let left = &self.scope[self.frame..before];
        let added = self.scope[before..].iter().filter(|v| clear(v));
        let once = |name: &Name| name != ROWID && left.iter().filter(|l| l.name == *name).count() == 1;
        added
            .filter(|v| once(&v.name) && left.iter().any(|l| l.name == v.name && clear(l) && fits(l, v)))
            .map(|v| v.name.clone())
            .collect()
    }

    /// A column of each side that may be compared.
    pub(super) fn equal_pair(&mut self, before: usize) -> Option<(Expr, Expr)> {
        (0..4).find_map(|_| {
            let l = self.frame + self.rng.below(before - self.frame);
            let r = before + self.rng.below((self.scope.len() - before).max(1));
            let (l, r) = (self.scope.get(l)?, self.scope.get(r)?);
            let equals = self.profile.dialect.special(l.traits.kind).is_none_or(|k| k.equals);
            let fits = equals && strict::fits(l.traits.kind, r.traits.kind);
            let clear = l.traits.taint == Taint::Clear && r.traits.taint == Taint::Clear;
            let column = |v: &Visible| Expr::Column { table: v.table.clone(), column: v.name.clone() };
            (fits && clear).then(|| (column(l), column(r)))
        })
    }

    fn join_condition(&mut self, before: usize) -> Expr {
        if self.rng.chance(more(self.leaning.joins), CONSTANT_ON) {
            let dialect = self.dialect();
            let unknown = dialect.dynamic_typing && self.rng.chance(1, 3);
            return if unknown { Expr::null() } else { Expr::truth(self.rng.coin(), dialect) };
        }
        let Some((l, r)) = self.equal_pair(before) else { return self.predicate(1) };
        if self.rng.chance(1, 4) {
            return self.predicate(self.shape.depth.min(2));
        }
        let op = if self.rng.chance(4, 5) || !self.is_ordered(self.kind_of(&l)) { Binary::Eq } else { Binary::Le };
        let equal = Expr::Binary(op, Box::new(l), Box::new(r));
        if self.rng.chance(1, 4) { equal.and(self.predicate(0)) } else { equal }
    }

    // ------------------------------------------------------------ select lists

    /// Columns and expressions over the frame; never empty.
    pub fn items(&mut self, most: usize) -> Vec<Item> {
        let n = self.rng.range(1, most.max(1));
        let mut items = Vec::with_capacity(n);
        // The terms of an index are all that is read: the table behind it need not be.
        if self.rng.chance(1, COVERED)
            && let Some(terms) = self.echoed_terms()
        {
            return terms.into_iter().take(most.max(1)).map(|t| Item::bare(t.expr)).collect();
        }
        for _ in 0..n {
            let item = if self.rng.chance(2, 3) { self.any_column() } else { None };
            let item = if self.rng.chance(1, ECHOED) { self.echoed_value().or(item) } else { item };
            let expr = item.unwrap_or_else(|| {
                let kind = self.some_kind();
                self.value(kind, self.shape.depth.min(2))
            });
            items.push(Item::bare(expr));
        }
        items
    }

    /// Any column of the frame, also one that may only be shown.
    fn any_column(&mut self) -> Option<Expr> {
        let n = self.scope.len() - self.frame;
        if n == 0 {
            return None;
        }
        let v = &self.scope[self.frame + self.rng.below(n)];
        Some(Expr::Column { table: v.table.clone(), column: v.name.clone() })
    }

    pub(super) fn alias_items(items: &mut [Item]) {
        for (i, item) in items.iter_mut().enumerate() {
            item.alias = Some(format!("c{i}").into());
        }
    }

    pub fn aggregate(&mut self) -> Expr {
        if self.has_catalogue()
            && self.rng.chance(1, CATALOGUED)
            && let Some(made) = self.catalogued_aggregate(None)
        {
            return made;
        }
        let filter = if self.has(Feature::Filter) && self.rng.chance(1, 10) {
            self.uses(Feature::Filter);
            Some(self.predicate(0))
        } else {
            None
        };
        let distinct = self.rng.chance(1, 6);
        let choices: [(u32, (&str, Arguments<Self>)); 6] = [
            (4, ("count", |_| Vec::new())),
            (4, ("count", |g| g.own_column(|t| t.taint == Taint::Clear))),
            (5, ("min", Self::aggregate_argument)),
            (5, ("max", Self::aggregate_argument)),
            (5, ("sum", |g| g.own_column(|t| t.summable && t.exact))),
            (2, ("avg", |g| g.own_column(|t| t.summable && t.exact && !t.kind.is_special()))),
        ];
        let (function, arguments) = *self.rng.pick_weighted(&choices);
        let args = arguments(self);
        let function = if args.is_empty() { "count" } else { function };
        let distinct = distinct && !args.is_empty();
        Expr::Aggregate(Box::new(Aggregate { function: function.into(), args, distinct, filter }))
    }

    fn aggregate_argument(&mut self) -> Vec<Expr> {
        if self.rng.chance(1, 4) {
            return vec![self.value(Kind::Int, 1)];
        }
        let dialect = self.dialect();
        if dialect.dynamic_typing
            && self.rng.chance(1, ECHOED)
            && let Some(e) = self.echoed_value()
        {
            return vec![e];
        }
        self.own_column(|t| t.taint == Taint::Clear && (dialect.dynamic_typing || dialect.has_least(t.kind)))
    }

    /// An aggregate whose value is of a kind.
    pub(super) fn aggregate_of(&mut self, kind: Kind) -> Option<Expr> {
        if kind == Kind::Int && self.rng.chance(1, 3) {
            return Some(Expr::count_star());
        }
        let has_least = self.dialect().has_least(kind);
        let args = self.own_column(|t| t.taint == Taint::Clear && t.kind == kind && has_least);
        if args.is_empty() {
            return None;
        }
        let function = if self.rng.coin() { "min" } else { "max" }.into();
        Some(Expr::Aggregate(Box::new(Aggregate { function, args, distinct: false, filter: None })))
    }

    pub(super) fn own_column(&mut self, fits: impl Fn(&Traits) -> bool) -> Vec<Expr> {
        let n = self.scope.len() - self.frame;
        for _ in 0..4 {
            if n == 0 {
                break;
            }
            let v = &self.scope[self.frame + self.rng.below(n)];
            if fits(&v.traits) {
                return vec![Expr::Column { table: v.table.clone(), column: v.name.clone() }];
            }
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::seeds::Seed;
    use crate::sql::typing::Schema;
    use qualm_core::explore::NamedText;
    use qualm_engines::sqlite::dialect::SQLITE;

    /// A table without rows stays part of queries, where its rows are not needed.
    #[test]
    fn tables_without_rows_are_joined_in_ways_that_keep_the_others() {
        let mut session = qualm_engines::connect("sqlite").unwrap().open().unwrap();
        let profile = Profile::probe(&SQLITE, session.as_mut()).unwrap();
        let state = "CREATE TABLE full(c0 INT); CREATE TABLE bare(c1 INT);";
        let seed = Seed::read(&NamedText { name: "s".into(), text: state.into() }, &SQLITE);
        let schema = Schema::from_state(&seed.state, &SQLITE).unwrap();
        let barren = [Name::from("bare")];
        let needed_and_not = |known: &[Name]| {
            let (mut needed, mut optional) = (0, 0);
            for i in 0..1000 {
                let mut rng = Rng::new(i);
                let pool = Pool::of(&SQLITE, &mut rng);
                let mut g = Generator::new(&mut rng, &profile, &schema, &pool, shape(Size::Medium));
                (g.barren, g.subqueries) = (known, 0);
                for (at, member) in g.outer_from(3).iter().enumerate() {
                    let bare = matches!(&member.source, Source::Table { name, .. } if name == "bare");
                    let inner = matches!(member.join, Join::Comma | Join::Inner | Join::Cross);
                    needed += u32::from(bare && (at == 0 || inner));
                    optional += u32::from(bare && at > 0 && member.join.keeps_left());
                }
            }
            (needed, optional)
        };
        let (before, now) = (needed_and_not(&[]), needed_and_not(&barren));
        assert!(now.0 * 3 < before.0 * 2 && now.0 > 0, "{before:?} {now:?}");
        assert!(now.1 > before.1, "{before:?} {now:?}");
    }
}
