//! Goes through the SQL tree. Every expression and every nested query is met once, in a fixed preorder that is the
//! order in which the query is written; a *site* is a position in that order, so a number names a place in a tree.
//!
//! It knows where expressions stand and nothing of what they mean.

use super::ast::*;

/// What stands directly below something: expressions and nested queries, as written from left to right.
pub enum Part<'a> {
    Expr(&'a Expr),
    Query(&'a Query),
}

pub enum PartMut<'a> {
    Expr(&'a mut Expr),
    Query(&'a mut Query),
}

/// A tree that holds expressions. `parts` gives the topmost ones; an expression or a query is its own only part.
pub trait Tree {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>));
    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>));
}

// ---------------------------------------------------------------- what callers use

/// Every expression, a parent before its children, those of nested queries included.
pub fn each_expr(tree: &(impl Tree + ?Sized), visit: &mut dyn FnMut(&Expr)) {
    tree.parts(&mut |part| reading::expr_below(part, visit));
}

/// As `each_expr`; the children met are those the expression has after `visit` changed it.
pub fn each_expr_mut(tree: &mut (impl Tree + ?Sized), visit: &mut dyn FnMut(&mut Expr)) {
    tree.parts_mut(&mut |part| writing::expr_below(part, visit));
}

/// Every query, an outer one before those inside it.
pub fn each_query(tree: &(impl Tree + ?Sized), visit: &mut dyn FnMut(&Query)) {
    tree.parts(&mut |part| reading::query_below(part, visit));
}

pub fn each_query_mut(tree: &mut (impl Tree + ?Sized), visit: &mut dyn FnMut(&mut Query)) {
    tree.parts_mut(&mut |part| writing::query_below(part, visit));
}

/// Every SELECT: those of compounds too, from left to right, each query's own before those inside it.
pub fn each_select(tree: &(impl Tree + ?Sized), visit: &mut dyn FnMut(&Select)) {
    each_query(tree, &mut |query| reading::selects(&query.body, visit));
}

pub fn each_select_mut(tree: &mut (impl Tree + ?Sized), visit: &mut dyn FnMut(&mut Select)) {
    each_query_mut(tree, &mut |query| writing::selects(&mut query.body, visit));
}

pub fn count_exprs(tree: &(impl Tree + ?Sized)) -> usize {
    let mut count = 0;
    each_expr(tree, &mut |_| count += 1);
    count
}

/// A copy of the expression at a site.
pub fn expr_at(tree: &(impl Tree + ?Sized), site: usize) -> Option<Expr> {
    let (mut at, mut found) = (0, None);
    each_expr(tree, &mut |expr| {
        if at == site {
            found = Some(expr.clone());
        }
        at += 1;
    });
    found
}

/// Puts `new` at a site and gives back what stood there.
pub fn replace_expr(tree: &mut (impl Tree + ?Sized), site: usize, new: Expr) -> Option<Expr> {
    let mut new = Some(new);
    let mut old = None;
    change_expr(tree, site, &mut |expr| old = new.take().map(|n| std::mem::replace(expr, n)));
    old
}

/// Changes the expression at a site in place; says whether there is one.
pub fn change_expr(tree: &mut (impl Tree + ?Sized), site: usize, change: &mut dyn FnMut(&mut Expr)) -> bool {
    let (mut at, mut done) = (0, false);
    each_expr_mut(tree, &mut |expr| {
        // Once changed, the new children shift the count; `done` keeps a later one from being hit as well.
        if at == site && !done {
            change(expr);
            done = true;
        }
        at += 1;
    });
    done
}

/// Changes the query at a position among all queries; says whether there is one.
pub fn change_query(tree: &mut (impl Tree + ?Sized), site: usize, change: &mut dyn FnMut(&mut Query)) -> bool {
    let (mut at, mut done) = (0, false);
    each_query_mut(tree, &mut |query| {
        if at == site && !done {
            change(query);
            done = true;
        }
        at += 1;
    });
    done
}

/// Changes the SELECT at a position among all of them; says whether there is one.
pub fn change_select(tree: &mut (impl Tree + ?Sized), site: usize, change: &mut dyn FnMut(&mut Select)) -> bool {
    let (mut at, mut done) = (0, false);
    each_select_mut(tree, &mut |select| {
        if at == site && !done {
            change(select);
            done = true;
        }
        at += 1;
    });
    done
}

/// The operands of one expression, not theirs.
pub fn children(expr: &Expr) -> Vec<&Expr> {
    let mut found = Vec::new();
    reading::expr_parts(expr, &mut |part| {
        if let Part::Expr(e) = part {
            found.push(e);
        }
    });
    found
}

// ---------------------------------------------------------------- descent

/// The descent, written once for readers and for writers: `$Part` is what is met, `$iter` goes through a list or an
/// option, and `mut` is there or not.
macro_rules! descent {
    ($Part:ident, $iter:ident $(, $mut:tt)?) => {
        use super::*;

        pub fn expr_below(part: $Part<'_>, visit: &mut dyn FnMut(&$($mut)? Expr)) {
            match part {
                $Part::Expr(expr) => {
                    visit(expr);
                    expr_parts(expr, &mut |p| expr_below(p, visit));
                }
                $Part::Query(query) => query_parts(query, &mut |p| expr_below(p, visit)),
            }
        }

        pub fn query_below(part: $Part<'_>, visit: &mut dyn FnMut(&$($mut)? Query)) {
            match part {
                $Part::Expr(expr) => expr_parts(expr, &mut |p| query_below(p, visit)),
                $Part::Query(query) => {
                    visit(query);
                    query_parts(query, &mut |p| query_below(p, visit));
                }
            }
        }

        pub fn selects(body: &$($mut)? Body, visit: &mut dyn FnMut(&$($mut)? Select)) {
            match body {
                Body::Select(select) => visit(select),
                Body::Compound { left, right, .. } => {
                    selects(left, visit);
                    selects(right, visit);
                }
                Body::Values(_) => {}
            }
        }

        pub fn expr_parts<'a>(expr: &'a $($mut)? Expr, visit: &mut dyn FnMut($Part<'a>)) {
            match expr {
                Expr::Literal(_) | Expr::Column { .. } => {}
                Expr::Unary(_, e)
                | Expr::IsNull { expr: e, .. }
                | Expr::IsTruth { expr: e, .. }
                | Expr::Cast { expr: e, .. }
                | Expr::Collate { expr: e, .. } => visit($Part::Expr(e)),
                Expr::Binary(_, l, r) => {
                    visit($Part::Expr(l));
                    visit($Part::Expr(r));
                }
                Expr::Between { expr, low, high, .. } => {
                    visit($Part::Expr(expr));
                    visit($Part::Expr(low));
                    visit($Part::Expr(high));
                }
                Expr::InList { expr, list, .. } => {
                    visit($Part::Expr(expr));
                    list.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Expr::InQuery { expr, query, .. } => {
                    visit($Part::Expr(expr));
                    visit($Part::Query(query));
                }
                Expr::Like { expr, pattern, .. } => {
                    visit($Part::Expr(expr));
                    visit($Part::Expr(pattern));
                }
                Expr::Case { operand, arms, otherwise } => {
                    operand.$iter().for_each(|e| visit($Part::Expr(e)));
                    for (when, then) in arms {
                        visit($Part::Expr(when));
                        visit($Part::Expr(then));
                    }
                    otherwise.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Expr::Call { args, .. } | Expr::Row(args) => args.$iter().for_each(|e| visit($Part::Expr(e))),
                Expr::Aggregate(aggregate) => aggregate_parts(aggregate, visit),
                Expr::Window(window) => {
                    let Window { function, partition_by, order_by, frame: _ } = &$($mut)? **window;
                    aggregate_parts(function, visit);
                    partition_by.$iter().for_each(|e| visit($Part::Expr(e)));
                    order_by.$iter().for_each(|o| visit($Part::Expr(&$($mut)? o.expr)));
                }
                Expr::Exists { query, .. } | Expr::Scalar(query) => visit($Part::Query(query)),
            }
        }

        fn aggregate_parts<'a>(aggregate: &'a $($mut)? Aggregate, visit: &mut dyn FnMut($Part<'a>)) {
            aggregate.args.$iter().for_each(|e| visit($Part::Expr(e)));
            aggregate.filter.$iter().for_each(|e| visit($Part::Expr(e)));
        }

        pub fn query_parts<'a>(query: &'a $($mut)? Query, visit: &mut dyn FnMut($Part<'a>)) {
            query.with.$iter().for_each(|cte| visit($Part::Query(&$($mut)? cte.query)));
            body_parts(&$($mut)? query.body, visit);
            query.order_by.$iter().for_each(|o| visit($Part::Expr(&$($mut)? o.expr)));
        }

        fn body_parts<'a>(body: &'a $($mut)? Body, visit: &mut dyn FnMut($Part<'a>)) {
            match body {
                Body::Select(select) => {
                    let Select { distinct: _, items, from, filter, group_by, having } = &$($mut)? **select;
                    items.$iter().for_each(|i| visit($Part::Expr(&$($mut)? i.expr)));
                    for joined in from {
                        if let Source::Query { query, .. } = &$($mut)? joined.source {
                            visit($Part::Query(query));
                        }
                        joined.on.$iter().for_each(|e| visit($Part::Expr(e)));
                    }
                    filter.$iter().for_each(|e| visit($Part::Expr(e)));
                    group_by.$iter().for_each(|e| visit($Part::Expr(e)));
                    having.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Body::Compound { left, right, .. } => {
                    body_parts(left, visit);
                    body_parts(right, visit);
                }
                Body::Values(rows) => rows.$iter().flatten().for_each(|e| visit($Part::Expr(e))),
            }
        }

        pub fn statement_parts<'a>(statement: &'a $($mut)? Statement, visit: &mut dyn FnMut($Part<'a>)) {
            match statement {
                Statement::CreateTable(table) => {
                    let generated = table.columns.$iter().flat_map(|c| c.generated.$iter());
                    generated.for_each(|g| visit($Part::Expr(&$($mut)? g.expr)));
                    table.check.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Statement::CreateIndex(index) => {
                    index.terms.$iter().for_each(|t| visit($Part::Expr(&$($mut)? t.expr)));
                    index.filter.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Statement::CreateView(view) => visit($Part::Query(&$($mut)? view.query)),
                Statement::Insert(insert) => {
                    let Insert { rows, source, upsert, .. } = insert;
                    rows.$iter().flatten().for_each(|e| visit($Part::Expr(e)));
                    source.$iter().for_each(|q| visit($Part::Query(q)));
                    for clause in upsert {
                        clause.set.$iter().for_each(|(_, e)| visit($Part::Expr(e)));
                        clause.filter.$iter().for_each(|e| visit($Part::Expr(e)));
                    }
                }
                Statement::CreateTrigger(trigger) => {
                    let CreateTrigger { when, body, .. } = &$($mut)? **trigger;
                    when.$iter().for_each(|e| visit($Part::Expr(e)));
                    for inner in body {
                        statement_parts(inner, visit);
                    }
                }
                Statement::Update(update) => {
                    update.set.$iter().for_each(|(_, e)| visit($Part::Expr(e)));
                    update.filter.$iter().for_each(|e| visit($Part::Expr(e)));
                }
                Statement::Delete { filter, .. } => filter.$iter().for_each(|e| visit($Part::Expr(e))),
                Statement::AddColumn { column, .. } => {
                    column.generated.$iter().for_each(|g| visit($Part::Expr(&$($mut)? g.expr)));
                }
                Statement::DropColumn { .. }
                | Statement::RenameColumn { .. }
                | Statement::DropIndex { .. }
                | Statement::Transaction(_)
                | Statement::Maintenance(_) => {}
            }
        }

        pub fn question_parts<'a>(question: &'a $($mut)? Question, visit: &mut dyn FnMut($Part<'a>)) {
            visit($Part::Query(&$($mut)? question.query));
            question.predicate.$iter().for_each(|e| visit($Part::Expr(e)));
            let extras = question.rewrites.$iter().flat_map(|rewrite| rewrite.extra.$iter());
            extras.for_each(|e| visit($Part::Expr(e)));
        }
    };
}

mod reading {
    descent!(Part, iter);
}

mod writing {
    descent!(PartMut, iter_mut, mut);
}

pub use reading::{expr_parts, query_parts};
pub use writing::expr_parts as expr_parts_mut;

// ---------------------------------------------------------------- roots

impl Tree for Expr {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Expr(self));
    }

    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>)) {
        visit(PartMut::Expr(self));
    }
}

impl Tree for Query {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        visit(Part::Query(self));
    }

    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>)) {
        visit(PartMut::Query(self));
    }
}

impl Tree for Statement {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        reading::statement_parts(self, visit);
    }

    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>)) {
        writing::statement_parts(self, visit);
    }
}

/// The query, the predicate, then what the rewrites bring along.
impl Tree for Question {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        reading::question_parts(self, visit);
    }

    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>)) {
        writing::question_parts(self, visit);
    }
}

/// The state from first to last, then the question.
impl Tree for SqlSource {
    fn parts(&self, visit: &mut dyn FnMut(Part<'_>)) {
        self.state.iter().for_each(|s| s.parts(visit));
        self.question.parts(visit);
    }

    fn parts_mut(&mut self, visit: &mut dyn FnMut(PartMut<'_>)) {
        self.state.iter_mut().for_each(|s| s.parts_mut(visit));
        self.question.parts_mut(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested() -> Query {
        let inner = Query::of(Select {
            items: vec![Item::bare(Expr::int(1))],
            from: vec![Joined {
                join: Join::Comma,
                source: Source::Table { name: "t1".into(), alias: "t1".into(), hint: Hint::None },
                on: None,
                using: vec![],
            }],
            filter: Some(Expr::column("t1", "c0").is_null()),
            ..Select::default()
        });
        let mut outer = inner.clone();
        let select = outer.select_mut().unwrap();
        select.filter = Some(Expr::Exists { query: Box::new(inner), negated: false }.and(Expr::text("x")));
        select.group_by = vec![Expr::column("t1", "c1")];
        outer.order_by =
            vec![OrderItem { expr: Expr::column("t1", "c1").negate(), descending: false, nulls_first: None }];
        outer
    }

    #[test]
    fn sites_count_in_the_order_of_writing_for_readers_and_writers() {
        let mut query = nested();
        let mut read = Vec::new();
        each_expr(&query, &mut |e| read.push(format!("{e:?}")));
        let mut written = Vec::new();
        each_expr_mut(&mut query, &mut |e| written.push(format!("{e:?}")));
        assert_eq!(read, written);
        assert_eq!(read.len(), count_exprs(&query));
        assert_eq!(expr_at(&query, 3), Some(Expr::int(1)));
        assert_eq!(expr_at(&query, 6), Some(Expr::text("x")));
        assert_eq!(expr_at(&query, read.len()), None);
    }

    #[test]
    fn replacing_hits_one_site_only() {
        let mut query = nested();
        let old = replace_expr(&mut query, 1, Expr::null().and(Expr::int(7)));
        assert!(matches!(old, Some(Expr::Binary(Binary::And, _, _))));
        assert_eq!(expr_at(&query, 3), Some(Expr::int(7)));
        assert_eq!(count_exprs(&query), 7);
        let mut queries = 0;
        each_query(&nested(), &mut |_| queries += 1);
        assert_eq!(queries, 2);
    }

    #[test]
    fn operands_are_direct_children() {
        let expr = Expr::int(1).and(Expr::int(2).or(Expr::int(3)));
        assert_eq!(children(&expr).len(), 2);
    }
}
