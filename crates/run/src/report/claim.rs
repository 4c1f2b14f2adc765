//! Claims and verdicts in words.

use super::{counted, message, one_line};
use qualm_core::case::{Case, Evidence};
use qualm_core::escape;
use qualm_core::relation::{Combine, Guard, Keep, Order, Place, Relation, Verdict};
use qualm_core::slowness::Slowness;
use qualm_core::value::Value;

/// The label of a question, as the claim speaks of it.
pub fn label(case: &Case, query: usize) -> String {
    let label = case.queries().nth(query).and_then(|s| s.label.clone());
    label.unwrap_or_else(|| format!("question {}", query + 1))
}

/// How sentences speak of questions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// By what the oracle calls them, for who knows this tool.
    Labels,
    /// By their numbers, for everybody else.
    Numbers,
}

pub fn name(case: &Case, query: usize, naming: Naming) -> String {
    // The same query twice: what counts is where it ran.
    if matches!(case.claim.unguarded(), Relation::Unchanged { .. }) && naming == Naming::Numbers {
        return label(case, query);
    }
    match naming {
        Naming::Labels => format!("`{}`", label(case, query)),
        Naming::Numbers => format!("{} {}", case.language.style().question, query + 1),
    }
}

/// What a report says about a question besides its number: the oracle's label, unless that only makes sense to who
/// knows the oracle.
pub fn remark(case: &Case, query: usize) -> Option<String> {
    let label = label(case, query);
    // What follows names the rewrite that the guard is for.
    if let Some((must, _)) = label.split_once(": ").filter(|(must, _)| must.starts_with("must be")) {
        return Some(must.into());
    }
    let remark = match label.as_str() {
        "mutated" | "transformed" | "rewritten" => "rewritten",
        "as it is" | "original" | "plain" | "program" | "answer" | "last" | "breaks" | "reports damage" => return None,
        "filtered by the engine" => "the rows that WHERE keeps",
        "rows for which the predicate is true" => "the number of rows for which the condition is true",
        "the whole" | "whole" | "rows" => "all rows",
        "parts" => "the rows for which a condition is true, false and unknown",
        "as the engine is" => "with the default settings",
        "where the predicate is true" => "where the condition is true",
        "what its rules derive, as facts" => "what the rules derive, as facts",
        "narrower" => "with an additional condition",
        "pinned" => return None,
        other => without_role(other),
    };
    Some(remark.into())
}

/// A label like `reference 2: rule 3 alone` without what it is to the oracle.
fn without_role(label: &str) -> &str {
    match label.split_once(": ") {
        Some((role, rest)) if role == "optimised" || role.starts_with("reference ") => rest,
        _ => label,
    }
}

/// What must hold, as one sentence.
pub fn expected(case: &Case) -> String {
    let name = |i: &usize| name(case, *i, Naming::Labels);
    match case.claim.unguarded() {
        Relation::Same { left, right, order, .. } | Relation::Unchanged { left, right, order, .. } => {
            let how = match order {
                Order::Bag => "the same rows, in any order",
                Order::Set => "the same rows, in any order, duplicates ignored",
                Order::List => "the same rows in the same order",
            };
            let given =
                if matches!(case.claim, Relation::Guarded { .. }) { ", given the queries in between" } else { "" };
            format!("{} and {} must return {how}{given}.", name(left), name(right))
        }
        Relation::Contains { big, small, .. } => format!("Every row of {} must be in {}.", name(small), name(big)),
        Relation::Partition { whole, parts, combine, .. } => {
            let parts: Vec<String> = parts.iter().map(name).collect();
            let how = match combine {
                Combine::Bag => "the rows of",
                Combine::Set => "the distinct rows of",
                Combine::Folds(_) => "the combined results of",
            };
            format!("{} must return {how} {} combined.", name(whole), parts.join(", "))
        }
        Relation::Filtered { whole, part, keep } => {
            let how: Vec<String> = keep.iter().map(kept).collect();
            format!("{} must return exactly the rows of {} {}.", name(part), name(whole), how.join(" and "))
        }
        Relation::CountIs { rows, count } => {
            format!("{} must return as many rows as {} counts.", name(rows), name(count))
        }
        Relation::NotSlower { base, weak, threshold, apart: true, .. } => {
            format!("{} must take less than {} times the work of {}.", name(base), threshold.ratio, name(weak))
        }
        Relation::NoLargerEstimate { weaker, stricter, ratio } => format!(
            "The engine must expect fewer than {ratio} times as many rows of {} as of {}.",
            name(stricter),
            name(weaker)
        ),
        Relation::NotSlower { base, weak, threshold, .. } => format!(
            "{} must return the same rows as {} and take less than {} times as long.",
            name(base),
            name(weak),
            threshold.ratio
        ),
        Relation::Survives | Relation::Guarded { .. } => {
            "Every statement must return a result or an error about the statement itself.".into()
        }
    }
}

fn kept(keep: &Keep) -> String {
    let at = |place: &Place| match &place.key {
        Some(key) => format!("'{key}' in column {}", place.column + 1),
        None => format!("column {}", place.column + 1),
    };
    match keep {
        Keep::Having { place, value, .. } => format!("whose {} is {}", at(place), value.show()),
        Keep::Without { places, values } => {
            let places: Vec<String> = places.iter().map(at).collect();
            let values: Vec<String> = values.iter().map(i64::to_string).collect();
            format!("that have none of {} in {}", values.join(", "), places.join(", "))
        }
    }
}

/// What came instead, as one sentence.
pub fn actual(case: &Case, evidence: &Evidence) -> String {
    match &evidence.verdict {
        Verdict::Violated(d) => {
            let (left, right) = sides(case, Naming::Labels);
            let mut text = match (d.only_left.scalar(), d.only_right.scalar()) {
                // One number on each side says more than "1 row each".
                (Some(l), Some(r)) if d.left_rows == 1 && d.right_rows == 1 => {
                    format!("{left} returned {}, {right} returned {}.", one_line(&l.show()), one_line(&r.show()))
                }
                _ => format!("{left} returned {}, {right} returned {}.", counted(d.left_rows, "row"), d.right_rows),
            };
            if !d.note.is_empty() {
                text.push_str(&format!(" Note: {}.", d.note));
            }
            text
        }
        Verdict::Slower(s) if s.counted.is_some() => counted_work(s, &sides(case, Naming::Labels)),
        Verdict::Slower(s) => {
            let (left, right) = sides(case, Naming::Labels);
            let most = if s.stopped { "was stopped after" } else { "took" };
            format!(
                "{left} {most} {:.0} ms, {right} {:.0} ms (medians of {} alternating runs): {:.1} times as long.",
                s.base(),
                s.weak(),
                s.base_ms.len(),
                s.ratio()
            )
        }
        Verdict::Broke { kind, text } => {
            let what = match kind {
                qualm_core::relation::FailureKind::Crash => "The engine crashed",
                qualm_core::relation::FailureKind::Hang => "The engine did not respond",
                qualm_core::relation::FailureKind::OutOfMemory => "The engine ran out of memory",
                qualm_core::relation::FailureKind::InternalError => "The engine reported an internal error",
            };
            format!("{what}: {}.", message(text.trim().trim_end_matches('.')))
        }
        Verdict::Holds { .. } => "The claim held.".into(),
        Verdict::NotComparable { why } => format!("The results cannot be compared: {}.", one_line(why)),
    }
}

/// Both sides as the engine counts or estimates them, and the shortest runs where there were any.
fn counted_work(s: &Slowness, (left, right): &(String, String)) -> String {
    let Some(c) = &s.counted else { return String::new() };
    let mut text = format!("{left}: {:.0} {}, {right}: {:.0}: {:.1} times as many", c.base, c.unit, c.weak, s.ratio());
    if !s.is_estimate() {
        let shortest = |ms: &[f64]| ms.iter().copied().fold(f64::INFINITY, f64::min);
        let (base, weak) = (shortest(&s.base_ms), shortest(&s.weak_ms));
        text.push_str(&format!(" ({base:.1} ms against {weak:.1} ms, the shortest of {} runs)", s.base_ms.len()));
    }
    text.push('.');
    text
}

/// What a maintainer should expect.
pub fn wanted(case: &Case) -> String {
    let name = |i: &usize| name(case, *i, Naming::Numbers);
    let text = match case.claim.unguarded() {
        Relation::Unchanged { .. } => "The query returns the same rows in both releases.".into(),
        Relation::Same { left, right, order, .. } => {
            let how = match order {
                Order::Bag => ", in any order",
                Order::Set => ", in any order, duplicates ignored",
                Order::List => " in the same order",
            };
            format!("{} and {} return the same rows{how}.", name(left), name(right))
        }
        Relation::Contains { big, small, .. } => format!("{} returns every row of {}.", name(big), name(small)),
        Relation::Partition { whole, parts, .. } if parts.len() == 1 => {
            format!("{} and {} return the same rows.", name(whole), together(case, parts))
        }
        Relation::Partition { whole, parts, combine, .. } => {
            let parts = together(case, parts);
            match combine {
                Combine::Bag => format!("{} returns the rows of {parts} combined.", name(whole)),
                Combine::Set => format!("{} returns the distinct rows of {parts} combined.", name(whole)),
                Combine::Folds(_) => format!("{} returns the combined results of {parts}.", name(whole)),
            }
        }
        Relation::Filtered { whole, part, keep } => {
            let how: Vec<String> = keep.iter().map(kept).collect();
            format!("{} returns exactly the rows of {} {}.", name(part), name(whole), how.join(" and "))
        }
        Relation::CountIs { rows, count } => format!("{} returns as many rows as {} counts.", name(rows), name(count)),
        Relation::NotSlower { base, weak, apart: true, .. } => {
            format!("{} takes no more work than {}, but for little.", name(base), name(weak))
        }
        Relation::NoLargerEstimate { weaker, stricter, .. } => format!(
            "The estimate for {} is no larger than that for {}: whatever the data are, it returns no more rows.",
            name(stricter),
            name(weaker)
        ),
        Relation::NotSlower { base, weak, .. } => {
            format!("{} takes about as long as {}: both return the same rows.", name(base), name(weak))
        }
        Relation::Survives | Relation::Guarded { .. } => {
            "Every statement returns a result or an error about the statement itself.".into()
        }
    };
    let Relation::Guarded { guards, .. } = &case.claim else { return text };
    // What the first question must be like is seen in its answer.
    let zero = guards.iter().any(|g| matches!(g, Guard::Zero { .. }));
    if guards.iter().all(|g| matches!(g, Guard::Rows { .. })) {
        return format!("{text} The rows of the tables are those that the first queries show.");
    }
    if zero { format!("{text} The queries that must return 0 do so, which makes the two equivalent.") } else { text }
}

/// What a maintainer reads as the actual result.
pub fn seen(case: &Case, evidence: &Evidence) -> String {
    let (left, right) = sides(case, Naming::Numbers);
    match &evidence.verdict {
        Verdict::Violated(d) => match (case.claim.unguarded(), d.only_left.scalar(), d.only_right.scalar()) {
            (Relation::CountIs { .. }, ..) => {
                format!("{left} returns {}, {right} counts {}.", counted(d.left_rows, "row"), d.right_rows)
            }
            (_, Some(l), Some(r)) if d.left_rows == 1 && d.right_rows == 1 => {
                let shown = |v: &Value| escape::code(&v.show());
                format!("{left}: {}, {right}: {}.", shown(l), shown(r))
            }
            _ if d.left_rows == d.right_rows => {
                format!("{left} and {right} return {} each, but different ones.", counted(d.left_rows, "row"))
            }
            _ => format!("{left}: {}, {right}: {}.", counted(d.left_rows, "row"), d.right_rows),
        },
        Verdict::Slower(s) if s.counted.is_some() => counted_work(s, &(left, right)),
        Verdict::Slower(s) => {
            let most = if s.stopped { "was stopped after" } else { "takes" };
            let runs = s.base_ms.len();
            format!(
                "{left} {most} {:.0} ms, {right} {:.0} ms (medians of {runs} runs): {:.1} times as long.",
                s.base(),
                s.weak(),
                s.ratio()
            )
        }
        Verdict::Broke { .. } | Verdict::Holds { .. } | Verdict::NotComparable { .. } => String::new(),
    }
}

/// Names of the two sides that a difference speaks of.
pub fn sides(case: &Case, naming: Naming) -> (String, String) {
    let name = |i: &usize| name(case, *i, naming);
    match case.claim.unguarded() {
        Relation::Same { left, right, .. } | Relation::Unchanged { left, right, .. } => (name(left), name(right)),
        Relation::NotSlower { base, weak, .. } => (name(base), name(weak)),
        Relation::NoLargerEstimate { weaker, stricter, .. } => (name(stricter), name(weaker)),
        Relation::Contains { big, small, .. } => (name(big), name(small)),
        Relation::Partition { whole, parts, .. } if naming == Naming::Numbers => (name(whole), together(case, parts)),
        Relation::Partition { whole, .. } => (name(whole), "the parts together".into()),
        Relation::Filtered { whole, part, .. } => (format!("{} (rows that remain)", name(whole)), name(part)),
        Relation::CountIs { rows, count } => (name(rows), name(count)),
        Relation::Survives | Relation::Guarded { .. } => ("the script".into(), "nothing".into()),
    }
}

/// `queries 2, 3 and 4`.
fn together(case: &Case, queries: &[usize]) -> String {
    let what = case.language.style().questions;
    let numbers: Vec<String> = queries.iter().map(|query| (query + 1).to_string()).collect();
    match numbers.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{what} {} and {last}", first.join(", ")),
        _ => queries.first().map_or_else(String::new, |query| name(case, *query, Naming::Numbers)),
    }
}

/// Which side of the difference a question is on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
    Neither,
}

pub fn side(claim: &Relation, query: usize) -> Side {
    let (left, right): (usize, &[usize]) = match claim.unguarded() {
        Relation::Same { left, right, .. }
        | Relation::Unchanged { left, right, .. }
        | Relation::NotSlower { base: left, weak: right, .. }
        | Relation::NoLargerEstimate { stricter: left, weaker: right, .. } => (*left, std::slice::from_ref(right)),
        Relation::Contains { big, small, .. } => (*big, std::slice::from_ref(small)),
        Relation::Partition { whole, parts, .. } => (*whole, parts),
        Relation::Filtered { whole, part, .. } => (*whole, std::slice::from_ref(part)),
        Relation::CountIs { .. } | Relation::Survives | Relation::Guarded { .. } => return Side::Neither,
    };
    if query == left {
        Side::Left
    } else if right.contains(&query) {
        Side::Right
    } else {
        Side::Neither
    }
}
