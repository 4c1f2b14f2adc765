//! Cuts in queries: arms of compounds, members of FROM, clauses and list items, and simpler forms of what stays.

use super::super::ast::*;
use super::super::walk::{self, Tree};
use super::{Edit, clear, edit, mentions, off, remove_range, sources};
use crate::oracle::survives;
use qualm_core::reduce::chunks;
use std::ops::Range;

/// Where a query stands: the question, or the statement (a view) at that place in the state.
pub type Root = Option<usize>;

fn roots(source: &SqlSource) -> Vec<Root> {
    let views = source.state.iter().enumerate().filter(|(_, s)| matches!(s, Statement::CreateView(_)));
    std::iter::once(None).chain(views.map(|(i, _)| Some(i))).collect()
}

pub fn tree(source: &mut SqlSource, root: Root) -> &mut dyn Tree {
    match root {
        None => &mut source.question,
        Some(i) => &mut source.state[i],
    }
}

pub fn each_select_site(source: &SqlSource, mut visit: impl FnMut(Root, usize, &Select)) {
    for root in roots(source) {
        let mut site = 0;
        let mut count = |select: &Select| {
            visit(root, site, select);
            site += 1;
        };
        match root {
            None => walk::each_select(&source.question, &mut count),
            Some(i) => walk::each_select(&source.state[i], &mut count),
        }
    }
}

fn on_select(root: Root, site: usize, change: impl Fn(&mut Select) -> bool + 'static) -> Edit {
    edit(move |s| {
        let mut done = false;
        walk::change_select(tree(s, root), site, &mut |select| done = change(select));
        done
    })
}

pub fn on_query(site: usize, change: impl Fn(&mut Query) -> bool + 'static) -> Edit {
    edit(move |s| {
        let mut done = false;
        walk::change_query(s, site, &mut |query| done = change(query));
        done
    })
}

/// The smallest set of settings that have to be changed.
pub fn drop_flips(source: &SqlSource) -> Vec<Edit> {
    let drops = chunks(source.question.flips.len()).into_iter();
    drops.map(|r| edit(move |s| remove_range(&mut s.question.flips, &r))).collect()
}

pub fn drop_rewrites(source: &SqlSource) -> Vec<Edit> {
    let count = source.question.rewrites.len();
    let drops = chunks(count).into_iter().map(|r| edit(move |s| remove_range(&mut s.question.rewrites, &r)));
    drops.chain((0..count).flat_map(plainer_rewrite)).collect()
}

/// A mutation that adds an index of any kind is tried as one that adds the plainest, and each at its first places.
fn plainer_rewrite(at: usize) -> Vec<Edit> {
    let index = edit(move |s| {
        let Some(rewrite) = s.question.rewrites.get_mut(at) else { return false };
        let adds = rewrite.rule.contains("-index") && rewrite.rule.starts_with("add-");
        rewrite.rule = PLAIN_INDEX.into();
        adds
    });
    let place = |site: u32| {
        edit(move |s| match s.question.rewrites.get_mut(at) {
            Some(rewrite) if rewrite.extra.is_none() && rewrite.site > site => {
                rewrite.site = site;
                true
            }
            _ => false,
        })
    };
    std::iter::once(index).chain((0..4).map(place)).collect()
}

pub const PLAIN_INDEX: &str = "add-index";

/// Forms of a claim that need a clause of their own, and the one that needs none.
const SPECIAL_FORMS: &[&str] = &["distinct", "having", "aggregate"];
const PLAIN_FORM: &str = "where";

pub fn is_special(form: &str) -> bool {
    SPECIAL_FORMS.contains(&form)
}

/// The plain form of the claim, without the clause that the special one was about.
pub fn plain_form(source: &SqlSource) -> Vec<Edit> {
    if !is_special(&source.question.form) {
        return Vec::new();
    }
    vec![edit(|s| {
        s.question.form = PLAIN_FORM.into();
        let Some(select) = s.question.query.select_mut() else { return false };
        select.distinct = false;
        select.group_by.clear();
        select.having = None;
        for item in &mut select.items {
            if mentions(&item.expr, |e| matches!(e, Expr::Aggregate(_))) {
                item.expr = Expr::null();
            }
        }
        true
    })]
}

// ---------------------------------------------------------------- compounds

pub fn compounds(source: &SqlSource) -> Vec<Edit> {
    let (mut site, mut edits) = (0, Vec::new());
    walk::each_query(source, &mut |query| {
        if let Body::Compound { left, .. } = &query.body {
            let deep = matches!(**left, Body::Compound { .. });
            for variant in 0..if deep { 4 } else { 2 } {
                edits.push(on_query(site, move |q| fewer_arms(&mut q.body, variant)));
            }
        }
        site += 1;
    });
    edits
}

fn fewer_arms(body: &mut Body, variant: usize) -> bool {
    let Body::Compound { left, right, .. } = body else { return false };
    match variant {
        0 => *body = std::mem::replace(left, Body::Values(Vec::new())),
        1 => *body = std::mem::replace(right, Body::Values(Vec::new())),
        _ => {
            let Body::Compound { left: first, right: second, .. } = &mut **left else { return false };
            let kept = if variant == 2 { first } else { second };
            **left = std::mem::replace(kept, Body::Values(Vec::new()));
        }
    }
    true
}

// ---------------------------------------------------------------- members of FROM

pub fn drop_members(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    // What is compared needs rows; what breaks an engine may need none.
    let least = usize::from(source.oracle != survives::NAME);
    each_select_site(source, |root, site, select| {
        for member in (0..select.from.len()).rev().filter(|_| select.from.len() > least) {
            for bold in [true, false] {
                edits.push(edit(move |s| drop_member(tree(s, root), site, member, bold)));
            }
        }
    });
    edits
}

fn drop_member(tree: &mut dyn Tree, site: usize, member: usize, bold: bool) -> bool {
    let mut alias = None;
    walk::change_select(tree, site, &mut |select| {
        if member < select.from.len() {
            alias = Some(remove_member(select, member));
        }
    });
    let Some(alias) = alias else { return false };
    let mut still_there = false;
    walk::each_select(tree, &mut |s| still_there |= s.from.iter().any(|j| *j.source.alias() == alias));
    if !still_there {
        let gone = |e: &Expr| matches!(e, Expr::Column { table, .. } if *table == alias);
        forget(tree, &gone, bold);
    }
    true
}

fn remove_member(select: &mut Select, member: usize) -> Name {
    let gone = select.from.remove(member);
    if let Some(first) = select.from.first_mut().filter(|_| member == 0) {
        first.join = Join::Comma;
        first.on = None;
        first.using.clear();
    }
    gone.source.alias().clone()
}

/// Takes everything out of a question that reads a table or view which is gone. It fails when nothing would be left.
pub fn drop_reader(question: &mut Question, table: &Name) -> bool {
    let reads = |query: &Query| {
        let mut found = false;
        walk::each_select(query, &mut |s| found |= s.from.iter().any(|j| is_table(&j.source, table)));
        found
    };
    walk::each_expr_mut(question, &mut |e| match e {
        Expr::Exists { query, .. } | Expr::InQuery { query, .. } | Expr::Scalar(query) if reads(query) => {
            *e = Expr::null();
        }
        _ => {}
    });
    let (mut aliases, mut left) = (Vec::new(), true);
    walk::each_select_mut(question, &mut |select| {
        while let Some(member) = select.from.iter().position(|j| is_table(&j.source, table)) {
            if select.from.len() == 1 {
                left = false;
                return;
            }
            aliases.push(remove_member(select, member));
        }
    });
    let gone = |e: &Expr| matches!(e, Expr::Column { table, .. } if aliases.contains(table));
    forget(question, &gone, true);
    left
}

fn is_table(source: &Source, table: &Name) -> bool {
    matches!(source, Source::Table { name, .. } if name == table)
}

/// A column that a table lost, wherever that table is read, becomes NULL.
pub fn forget_column(tree: &mut dyn Tree, table: &Name, column: &Name) {
    let mut aliases = vec![table.clone()];
    walk::each_select_mut(tree, &mut |select| {
        for joined in &mut select.from {
            joined.using.retain(|c| c != column);
            if is_table(&joined.source, table) {
                aliases.push(joined.source.alias().clone());
            }
        }
    });
    let gone = |e: &Expr| matches!(e, Expr::Column { table: t, column: c } if c == column && aliases.contains(t));
    forget(tree, &gone, false);
}

/// Takes expressions out that cannot stand any more. `bold` drops whole conjuncts and list items that hold one; what
/// remains becomes NULL under the name it had.
fn forget(tree: &mut dyn Tree, gone: &dyn Fn(&Expr) -> bool, bold: bool) {
    let hit = |e: &Expr| mentions(e, gone);
    if bold {
        walk::each_query_mut(tree, &mut |query| query.order_by.retain(|o| !hit(&o.expr)));
        walk::each_select_mut(tree, &mut |select| {
            for slot in select.from.iter_mut().map(|j| &mut j.on).chain([&mut select.filter]) {
                *slot = slot.take().and_then(|e| without_conjuncts(e, &hit));
            }
            select.having = select.having.take().and_then(|e| without_conjuncts(e, &hit));
            select.group_by.retain(|e| !hit(e));
            if select.items.iter().any(|i| !hit(&i.expr)) {
                select.items.retain(|i| !hit(&i.expr));
            }
        });
    }
    walk::each_select_mut(tree, &mut |select| {
        for item in &mut select.items {
            if let Expr::Column { column, .. } = &item.expr
                && item.alias.is_none()
                && gone(&item.expr)
            {
                item.alias = Some(column.clone());
            }
        }
    });
    walk::each_expr_mut(tree, &mut |e| {
        if gone(e) {
            *e = Expr::null();
        }
    });
}

fn without_conjuncts(expr: Expr, hit: &dyn Fn(&Expr) -> bool) -> Option<Expr> {
    match expr {
        Expr::Binary(Binary::And, l, r) => match (without_conjuncts(*l, hit), without_conjuncts(*r, hit)) {
            (Some(l), Some(r)) => Some(l.and(r)),
            (one, other) => one.or(other),
        },
        other => (!hit(&other)).then_some(other),
    }
}

// ---------------------------------------------------------------- clauses and lists

/// One of the keys, wherever it is listed, or one of the lists.
fn drop_key(select: &mut Select, at: usize) -> bool {
    let Some((_, args)) = select.grouping_mut().filter(|(_, args)| at < args.len()) else { return false };
    let gone = args.remove(at);
    for arg in args {
        if let Expr::Row(set) = arg {
            set.retain(|e| *e != gone);
        }
    }
    true
}

pub fn drop_clauses(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut site, mut with) = (0, Vec::new());
    walk::each_query(source, &mut |query| {
        with.extend((0..query.with.len()).map(|i| (site, i)));
        edits.push(on_query(site, |q| {
            let limited = q.limit.is_some() || !q.order_by.is_empty();
            q.limit = None;
            q.order_by.clear();
            limited
        }));
        edits.push(on_query(site, |q| clear(&mut q.limit)));
        site += 1;
    });
    edits.extend(with.into_iter().map(|(site, i)| on_query(site, move |q| remove_range(&mut q.with, &(i..i + 1)))));
    each_select_site(source, |root, site, select| {
        if !select.group_by.is_empty() || select.having.is_some() {
            edits.push(on_select(root, site, |s| {
                s.group_by.clear();
                s.having = None;
                true
            }));
        }
        edits.push(on_select(root, site, |s| clear(&mut s.having)));
        edits.push(on_select(root, site, |s| clear(&mut s.filter)));
        edits.push(on_select(root, site, |s| off(&mut s.distinct)));
        for member in 1..select.from.len() {
            edits.push(on_select(root, site, move |s| clear(&mut s.from[member].on)));
            edits.push(on_select(root, site, move |s| !std::mem::take(&mut s.from[member].using).is_empty()));
        }
    });
    edits
}

pub fn drop_items(source: &SqlSource) -> Vec<Edit> {
    let (mut site, mut edits) = (0, Vec::new());
    walk::each_query(source, &mut |query| {
        for range in chunks(width(&query.body)).into_iter().skip(1) {
            edits.push(on_query(site, move |q| narrow(&mut q.body, &range)));
        }
        for range in chunks(query.order_by.len()) {
            edits.push(on_query(site, move |q| remove_range(&mut q.order_by, &range)));
        }
        if let Body::Values(rows) = &query.body {
            for range in chunks(rows.len()).into_iter().skip(1) {
                edits.push(on_query(site, move |q| match &mut q.body {
                    Body::Values(rows) => remove_range(rows, &range),
                    _ => false,
                }));
            }
        }
        site += 1;
    });
    each_select_site(source, |root, site, select| {
        for range in chunks(select.group_by.len()) {
            edits.push(on_select(root, site, move |s| remove_range(&mut s.group_by, &range)));
        }
        let held = select.grouping().map_or(0, |(_, args)| args.len());
        if held > 0 {
            edits.push(on_select(root, site, |s| {
                s.group_by = s.keys().to_vec();
                true
            }));
        }
        for i in 0..held {
            edits.push(on_select(root, site, move |s| drop_key(s, i)));
        }
        for (member, joined) in select.from.iter().enumerate() {
            for i in 0..joined.using.len() {
                edits.push(on_select(root, site, move |s| remove_range(&mut s.from[member].using, &(i..i + 1))));
            }
        }
    });
    edits
}

pub fn width(body: &Body) -> usize {
    match body {
        Body::Select(s) => s.items.len(),
        Body::Compound { left, .. } => width(left),
        Body::Values(rows) => rows.first().map_or(0, Vec::len),
    }
}

/// Columns of the result go in every arm at once.
fn narrow(body: &mut Body, range: &Range<usize>) -> bool {
    match body {
        Body::Select(s) => remove_range(&mut s.items, range),
        Body::Compound { left, right, .. } => narrow(left, range) && narrow(right, range),
        Body::Values(rows) => rows.iter_mut().all(|row| remove_range(row, range)),
    }
}

// ---------------------------------------------------------------- simpler forms of the same size

pub fn simplify(source: &SqlSource) -> Vec<Edit> {
    let mut edits = Vec::new();
    each_select_site(source, |root, site, select| {
        for member in 1..select.from.len() {
            edits.push(on_select(root, site, move |s| {
                sources::keep_apart(&mut s.from[member]);
                true
            }));
            for join in [Join::Comma, Join::Inner, Join::Cross, Join::Left] {
                edits.push(on_select(root, site, move |s| {
                    let joined = &mut s.from[member];
                    let comma_with_on = join == Join::Comma && (joined.on.is_some() || !joined.using.is_empty());
                    joined.join = join;
                    !comma_with_on
                }));
            }
        }
        for member in 0..select.from.len() {
            edits.push(on_select(root, site, move |s| match &mut s.from[member].source {
                Source::Table { hint, .. } => std::mem::replace(hint, Hint::None) != Hint::None,
                Source::Query { .. } => false,
            }));
        }
        for i in 0..select.items.len() {
            edits.push(on_select(root, site, move |s| clear(&mut s.items[i].alias)));
        }
    });
    simplify_queries(source, &mut edits);
    simplify_changes(source, &mut edits);
    edits
}

fn simplify_queries(source: &SqlSource, edits: &mut Vec<Edit>) {
    let mut site = 0;
    walk::each_query(source, &mut |query| {
        for i in 0..query.with.len() {
            edits.push(on_query(site, move |q| clear(&mut q.with[i].materialized)));
            edits.push(on_query(site, move |q| off(&mut q.with[i].recursive)));
            edits.push(on_query(site, move |q| !std::mem::take(&mut q.with[i].columns).is_empty()));
        }
        edits.push(on_query(site, |q| match &mut q.body {
            Body::Compound { op, .. } => std::mem::replace(op, SetOp::UnionAll) != SetOp::UnionAll,
            _ => false,
        }));
        let members = query.select().map_or(&[][..], |select| &select.from);
        let inner = members.iter().filter_map(|joined| match &joined.source {
            Source::Query { query, .. } => Some((**query).clone()),
            Source::Table { .. } => None,
        });
        edits.extend(inner.map(|inner| on_query(site, move |q| std::mem::replace(q, inner.clone()) != inner)));
        for i in 0..query.order_by.len() {
            edits.push(on_query(site, move |q| off(&mut q.order_by[i].descending)));
            edits.push(on_query(site, move |q| clear(&mut q.order_by[i].nulls_first)));
        }
        if query.limit.is_some() {
            edits.push(on_query(site, |q| q.limit.as_mut().is_some_and(|l| clear(&mut l.offset))));
            for count in [0, 1, 2] {
                let differs = move |l: &mut Limit| std::mem::replace(&mut l.count, count) != count;
                edits.push(on_query(site, move |q| q.limit.as_mut().is_some_and(differs)));
            }
        }
        site += 1;
    });
}

fn simplify_changes(source: &SqlSource, edits: &mut Vec<Edit>) {
    for (at, statement) in source.state.iter().enumerate() {
        match statement {
            Statement::Update(update) => {
                for i in 0..update.set.len() {
                    edits.push(on_update(at, move |u| remove_range(&mut u.set, &(i..i + 1))));
                }
                edits.push(on_update(at, |u| clear(&mut u.filter)));
                edits.push(on_update(at, |u| std::mem::replace(&mut u.verb, "UPDATE".into()) != "UPDATE"));
            }
            Statement::Delete { .. } => edits.push(edit(move |s| match &mut s.state[at] {
                Statement::Delete { filter, .. } => clear(filter),
                _ => false,
            })),
            Statement::CreateView(_) => edits.push(edit(move |s| match &mut s.state[at] {
                Statement::CreateView(v) if !v.columns.is_empty() => name_inside(v),
                _ => false,
            })),
            _ => {}
        }
    }
}

/// The names of a view's columns are written in its query.
fn name_inside(view: &mut CreateView) -> bool {
    let columns = std::mem::take(&mut view.columns);
    let Some(query) = sources::with_column_names(&view.query, &columns) else { return false };
    view.query = query;
    true
}

fn on_update(at: usize, change: impl Fn(&mut Update) -> bool + 'static) -> Edit {
    edit(move |s| match &mut s.state[at] {
        Statement::Update(u) => change(u),
        _ => false,
    })
}
