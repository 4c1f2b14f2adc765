//! The two scripts of a finding as the page puts them beside each other: statements, answers with the rows that only
//! one side has, and plans.

use super::claim::{self, Naming, Side};
use super::markdown::outcome_in_words;
use super::script::needs_no_end;
use super::view::{AnswerView, Line, PlanView, RowView, SideView};
use super::{SHOWN_ROWS, Stored, one_line};
use qualm_core::case::Case;
use qualm_core::plan::{Plan, PlanNode};
use qualm_core::relation::{Relation, Verdict};
use qualm_core::session::Outcome;
use qualm_core::value::{Rows, Value};

/// Rows of one answer on the page: the first, and beyond them only those that are on one side alone.
const ROWS_BEYOND: usize = 20;
/// Longer cells are cut.
const CELL_CHARS: usize = 400;

/// As the page puts questions beside each other: also the two of a claim about a count.
fn side_of(claim: &Relation, query: usize) -> Side {
    match claim.unguarded() {
        Relation::CountIs { rows, .. } if query == *rows => Side::Left,
        Relation::CountIs { count, .. } if query == *count => Side::Right,
        _ => claim::side(claim, query),
    }
}

pub fn sides(case: &Case, stored: Option<&Stored>) -> Vec<SideView> {
    if matches!(case.claim, Relation::Survives) {
        let all = |_: usize| Side::Left;
        return vec![one_side(case, stored, Side::Left, &all, "the script".into())];
    }
    let of = |query: usize| side_of(&case.claim, query);
    let (left, right) = claim::sides(case, Naming::Labels);
    let name = |text: String| text.replace('`', "");
    vec![one_side(case, stored, Side::Left, &of, name(left)), one_side(case, stored, Side::Right, &of, name(right))]
}

/// One column of the page: what builds the state and comes before the side's last question, what is asked in between
/// for neither side, and the side's own questions.
fn one_side(
    case: &Case,
    stored: Option<&Stored>,
    side: Side,
    side_of: &dyn Fn(usize) -> Side,
    name: String,
) -> SideView {
    let end = case.language.style().end;
    let closed = |text: &str| format!("{text}{}", if needs_no_end(text) { "" } else { end });
    let mut lines: Vec<Line> = stored
        .map(|s| s.preamble.iter().map(|text| Line { text: closed(text), ask: None }).collect())
        .unwrap_or_default();
    let mut view = SideView { name, lines: Vec::new(), answers: Vec::new(), plans: Vec::new() };
    let (mut query, mut whole) = (0, 0);
    // A row that is extra is marked once, also where several answers of the side have it.
    let mut unmarked: Vec<Vec<String>> = stored
        .and_then(|s| difference(case, s, side).0)
        .map(|rows| rows.iter().map(shown).collect())
        .unwrap_or_default();
    for step in &case.script {
        let Some(label) = &step.label else {
            lines.push(Line { text: closed(&step.text), ask: None });
            continue;
        };
        let of = side_of(query);
        if of == side || of == Side::Neither {
            lines.push(Line { text: closed(&step.text), ask: Some(label.clone()) });
        }
        if of == side {
            whole = lines.len();
            view.answers.extend(stored.and_then(|s| answer(case, s, query, side, label, &mut unmarked)));
            let plan = stored.and_then(|s| s.plans.iter().find(|(l, _)| l == label));
            view.plans.extend(plan.map(|(label, plan)| PlanView { label: label.clone(), lines: plan_lines(plan) }));
        }
        query += 1;
    }
    // What comes behind the last question of this side is for the other one.
    lines.truncate(whole);
    view.lines = lines;
    view
}

fn plan_lines(plan: &Plan) -> Vec<String> {
    plan.nodes.iter().map(|n| one_line(&format!("{}{}", "  ".repeat(n.depth.into()), plan_step(n)))).collect()
}

/// Operators are stored without digits, names in them included. Where the operator names the table or the index, the
/// whole name takes that place; otherwise it stands behind.
pub fn plan_step(node: &PlanNode) -> String {
    let mut text = node.operator.clone();
    for (name, word) in [(&node.relation, ""), (&node.index, "by ")] {
        let Some(name) = name else { continue };
        let stripped: String = name.chars().filter(|c| !c.is_ascii_digit()).collect();
        match place_of(&text, &stripped, word.is_empty()) {
            Some(at) => text.replace_range(at..at + stripped.len(), name),
            None => {
                text.push(' ');
                text.push_str(word);
                text.push_str(name);
            }
        }
    }
    text
}

/// Where the words stand whole: those of a table behind the first word, those of an index behind INDEX.
fn place_of(text: &str, words: &str, of_table: bool) -> Option<usize> {
    let from = if of_table { text.find(' ')? } else { text.find(" INDEX ")? + " INDEX".len() };
    let rest = &text[from..];
    let ends = |at: usize| rest[at..].is_empty() || rest[at..].starts_with(' ');
    let mut places = rest.match_indices(words).map(|(at, _)| at);
    let at = places.find(|at| !words.is_empty() && rest[..*at].ends_with(' ') && ends(at + words.len()))?;
    Some(from + at)
}

/// Rows that only this side has, and rows that only the other one has.
fn difference<'a>(case: &Case, stored: &'a Stored, side: Side) -> (Option<&'a Rows>, Option<&'a Rows>) {
    match &stored.evidence.verdict {
        Verdict::Violated(d) if !matches!(case.claim.unguarded(), Relation::CountIs { .. }) => match side {
            Side::Left => (Some(&d.only_left), Some(&d.only_right)),
            _ => (Some(&d.only_right), Some(&d.only_left)),
        },
        _ => (None, None),
    }
}

fn answer(
    case: &Case,
    stored: &Stored,
    query: usize,
    side: Side,
    label: &str,
    unmarked: &mut Vec<Vec<String>>,
) -> Option<AnswerView> {
    let outcome = stored.evidence.answers.get(query)?;
    let words = outcome_in_words(outcome);
    let mut view = AnswerView { label: label.into(), words, columns: 0, rows: Vec::new(), more: 0, failed: false };
    let Outcome::Rows(rows) = outcome else {
        view.failed = !matches!(outcome, Outcome::Done);
        return Some(view);
    };
    let (_, missing) = difference(case, stored, side);
    // Of several parts nobody can say in which one a row is missing; and a whole of which only some rows remain has the
    // others as well.
    let vague = match case.claim.unguarded() {
        Relation::Partition { .. } => side == Side::Right,
        Relation::Filtered { .. } => side == Side::Left,
        _ => false,
    };
    view.columns = rows.columns;
    fill(&mut view, rows, unmarked, if vague { None } else { missing });
    Some(view)
}

fn fill(view: &mut AnswerView, rows: &Rows, unmarked: &mut Vec<Vec<String>>, missing: Option<&Rows>) {
    for (i, row) in rows.iter().enumerate() {
        let cells = shown(row);
        let at = unmarked.iter().position(|m| *m == cells);
        if let Some(at) = at {
            unmarked.remove(at);
        }
        if i < SHOWN_ROWS || at.is_some() && view.rows.len() < SHOWN_ROWS + ROWS_BEYOND {
            view.rows.push(RowView { cells, mark: at.map(|_| "extra") });
        } else {
            view.more += 1;
        }
    }
    for row in missing.into_iter().flat_map(Rows::iter) {
        view.columns = view.columns.max(row.len());
        view.rows.push(RowView { cells: shown(row), mark: Some("missing") });
    }
}

fn shown(row: &[Value]) -> Vec<String> {
    let cell = |v: &Value| {
        let text = one_line(&v.show());
        match text.char_indices().nth(CELL_CHARS) {
            Some((at, _)) => format!("{}…", &text[..at]),
            None => text,
        }
    };
    row.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_name_tables_once() {
        let step = |operator: &str, relation: Option<&str>, index: Option<&str>| {
            let mut node = PlanNode::new(0, operator);
            (node.relation, node.index) = (relation.map(str::to_owned), index.map(str::to_owned));
            plan_step(&node)
        };
        assert_eq!(step("SCAN t AS a", Some("t0 AS a1"), None), "SCAN t0 AS a1");
        assert_eq!(
            step("SEARCH t USING COVERING INDEX i (c=?)", Some("t12"), Some("i3")),
            "SEARCH t12 USING COVERING INDEX i3 (c=?)"
        );
        assert_eq!(step("SEARCH t USING INDEX t (c=?)", Some("t1"), Some("t2")), "SEARCH t1 USING INDEX t2 (c=?)");
        assert_eq!(step("Index Scan", Some("t0"), Some("i0")), "Index Scan t0 by i0");
        assert_eq!(step("TABLE_SCAN", Some("7"), None), "TABLE_SCAN 7");
        assert_eq!(step("SCAN", None, None), "SCAN");
    }
}
