//! `EXPLAIN json = 1` read as a plan.
//!
//! `indexes` says by which keys and skip indexes a table is read and whether they leave anything out; `actions` says
//! how a join, an aggregation, a sort and a read are done, and what a filter is made of. Of its expressions only the
//! kinds of functions in filters are kept: which columns and constants they name differs from query to query and says
//! nothing about the way of answering. Of the descriptions only those are part of the operator that name a way.

use qualm_core::plan::{Plan, PlanNode};
use serde_json::Value as Json;
use std::collections::BTreeSet;

pub const EXPLAIN: &str = "EXPLAIN PLAN json = 1, description = 1, header = 0, actions = 1, indexes = 1";
/// Keys of a sort or a group that are distinguished by number; more count as so many.
const KEYS: usize = 3;

/// The answer in the session's format: two lines of header, then the JSON text as one escaped cell.
pub fn read(bytes: &[u8]) -> Option<Plan> {
    let mut cells = String::new();
    for line in bytes.split(|b| *b == b'\n').skip(2) {
        cells.push_str(&String::from_utf8_lossy(&super::answer::unescape(line)));
        cells.push('\n');
    }
    let json: Json = serde_json::from_str(cells.trim()).ok()?;
    let mut plan = Plan::default();
    for tree in json.as_array()? {
        add(&mut plan, tree.get("Plan")?, 0);
    }
    Some(plan)
}

fn add(plan: &mut Plan, step: &Json, depth: u16) {
    let (kind, description) = (text(step, "Node Type"), text(step, "Description"));
    let mut node = PlanNode::new(depth, kind);
    if kind.starts_with("ReadFrom") {
        node.relation = description.rsplit('.').next().filter(|name| !name.is_empty()).map(str::to_string);
        add_reading(&mut node, step);
    } else {
        let mut words: Vec<String> = ways(kind, description).into_iter().map(str::to_string).collect();
        match kind {
            "Join" | "FilledJoin" | "JoinLogical" => add_words(&mut words, step, &["Type", "Strictness", "Algorithm"]),
            "Aggregating" => add_aggregation(&mut words, step),
            "Sorting" => add_sort(&mut words, step),
            "Filter" => words.extend(step.get("Expression").map(made_of).unwrap_or_default()),
            "Window" => words.extend(list(step, "Functions").iter().filter_map(Json::as_str).map(before_bracket)),
            _ => {}
        }
        for word in words {
            node.operator.push(' ');
            node.operator.push_str(&word);
        }
    }
    plan.nodes.push(node);
    let prewhere = step.pointer("/Prewhere info/Prewhere filter/Prewhere filter expression");
    if let Some(filter) = prewhere {
        let words = ["Filter prewhere".to_string()].into_iter().chain(made_of(filter)).collect::<Vec<_>>();
        plan.nodes.push(PlanNode::new(depth.saturating_add(1), words.join(" ")));
    }
    for below in list(step, "Plans") {
        add(plan, below, depth.saturating_add(1));
    }
}

fn text<'a>(of: &'a Json, key: &str) -> &'a str {
    of.get(key).and_then(Json::as_str).unwrap_or_default()
}

fn list<'a>(of: &'a Json, key: &str) -> &'a [Json] {
    of.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice)
}

fn before_bracket(call: &str) -> String {
    call.split('(').next().unwrap_or_default().to_string()
}

/// In which order a table is read, and by which indexes. A table lists all that it has; one whose condition is `true`
/// has nothing to say about this query, unless it leaves something out all the same, which would be a bug to look at.
fn add_reading(node: &mut PlanNode, step: &Json) {
    let order = text(step, "Read Type");
    if !order.is_empty() && order != "Default" {
        node.operator.push(' ');
        node.operator.push_str(order);
    }
    for index in list(step, "Indexes") {
        let number = |key: &str| index.get(key).and_then(Json::as_u64).unwrap_or_default();
        let prunes = number("Selected Granules") < number("Initial Granules");
        if text(index, "Condition") == "true" && !prunes {
            continue;
        }
        node.operator.push(' ');
        node.operator.push_str(text(index, "Type"));
        if !text(index, "Name").is_empty() {
            node.operator.push(' ');
            node.operator.push_str(text(index, "Description").split([' ', '(']).next().unwrap_or_default());
            node.index = Some(text(index, "Name").to_string());
        } else if node.index.is_none() {
            node.index = Some(text(index, "Type").to_string());
        }
        match text(index, "Search Algorithm") {
            "" => {}
            way => node.operator.push_str(&format!(" by {way}")),
        }
        if prunes {
            node.operator.push_str(if number("Selected Granules") == 0 { " to nothing" } else { " to less" });
        }
    }
}

fn add_words(words: &mut Vec<String>, step: &Json, keys: &[&str]) {
    let named = keys.iter().map(|key| text(step, key)).filter(|word| !word.is_empty());
    words.extend(named.map(str::to_string));
}

fn add_aggregation(words: &mut Vec<String>, step: &Json) {
    words.push(format!("{} keys", list(step, "Keys").len().min(KEYS)));
    let called: BTreeSet<&str> = list(step, "Aggregates").iter().map(|a| text(&a["Function"], "Name")).collect();
    words.extend(called.into_iter().map(str::to_string));
    if !text(step, "Order").is_empty() {
        words.push("in order".into());
    }
}

fn add_sort(words: &mut Vec<String>, step: &Json) {
    let keys = list(step, "Sort Description").len().max(list(step, "Result Sort Description").len());
    words.push(format!("{} keys", keys.min(KEYS)));
    if !list(step, "Prefix Sort Description").is_empty() {
        words.push("from a sorted prefix".into());
    }
    if step.get("Limit").is_some() {
        words.push("to a limit".into());
    }
}

/// The kinds of functions in an expression, each once.
fn made_of(expression: &Json) -> Vec<String> {
    let called = list(expression, "Actions").iter().map(|action| text(action, "Function"));
    let kinds: BTreeSet<&str> = called.filter(|name| !name.is_empty()).map(kind_of_function).collect();
    kinds.into_iter().map(str::to_string).collect()
}

fn kind_of_function(name: &str) -> &str {
    match name {
        "and" | "or" | "not" | "xor" => name,
        "equals" | "notEquals" | "isNotDistinctFrom" | "isDistinctFrom" => "equality",
        "less" | "lessOrEquals" | "greater" | "greaterOrEquals" => "range",
        "isNull" | "isNotNull" => "nullness",
        "if" | "multiIf" | "ifNull" | "coalesce" | "nullIf" => "choice",
        "like" | "notLike" | "ilike" | "notILike" | "match" | "startsWith" => "pattern",
        _ if name.starts_with("_CAST") || name == "CAST" => "cast",
        _ if name.ends_with("In") || name.starts_with("in") || name.starts_with("nullIn") => "set",
        _ if name.starts_with("__") => name,
        _ => "call",
    }
}

/// The part of a description that names a way of doing a step.
fn ways<'a>(kind: &str, description: &'a str) -> Option<&'a str> {
    let detail = match kind {
        "Join" | "FilledJoin" | "JoinLogical" => description.strip_prefix("JOIN ").or(Some(description)),
        "Sorting" | "Distinct" | "Limit" | "Union" => Some(description),
        _ => None,
    };
    detail.filter(|text| !text.is_empty() && text.len() < 40 && !text.contains(['(', '_', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read() {
        let json = r#"explain\nString\n[{"Plan": {"Node Type": "Sorting",
            "Description": "Sorting for ORDER BY", "Limit": 3, "Sort Description": [{"Column": "a"}], "Plans": [
            {"Node Type": "Aggregating", "Keys": ["a"], "Order": "a ASC", "Aggregates": [
            {"Function": {"Name": "sum"}}, {"Function": {"Name": "count"}}, {"Function": {"Name": "sum"}}], "Plans": [
            {"Node Type": "Join", "Description": "JOIN FillRightFirst", "Type": "LEFT",
            "Strictness": "ALL", "Algorithm": "HashJoin", "Plans": [
            {"Node Type": "Filter", "Description": "(WHERE + x)", "Expression": {"Actions": [
            {"Node Type": "INPUT"}, {"Node Type": "FUNCTION", "Function": "less"},
            {"Node Type": "FUNCTION", "Function": "equals"}, {"Node Type": "FUNCTION", "Function": "or"},
            {"Node Type": "FUNCTION", "Function": "greater"}]}, "Plans": [
            {"Node Type": "ReadFromMergeTree", "Description": "d.t0", "Read Type": "InOrder",
            "Prewhere info": {"Prewhere filter": {"Prewhere filter expression": {"Actions": [
            {"Node Type": "FUNCTION", "Function": "notIn"}]}}}, "Indexes": [
            {"Type": "PrimaryKey", "Condition": "true", "Initial Granules": 9, "Selected Granules": 9},
            {"Type": "Skip", "Name": "i0", "Description": "minmax GRANULARITY 1", "Condition": "(a in [6, +Inf))",
            "Initial Granules": 9, "Selected Granules": 3}]}]},
            {"Node Type": "ReadFromStorage", "Description": "SystemOne"}]}]}]}}]"#;
        let plan = read(json.replace("\\n", "\n").as_bytes()).unwrap();
        let shown: Vec<(u16, &str)> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str())).collect();
        assert_eq!(
            shown,
            [
                (0, "Sorting Sorting for ORDER BY 1 keys to a limit"),
                (1, "Aggregating 1 keys count sum in order"),
                (2, "Join FillRightFirst LEFT ALL HashJoin"),
                (3, "Filter equality or range"),
                (4, "ReadFromMergeTree InOrder Skip minmax to less"),
                (5, "Filter prewhere set"),
                (3, "ReadFromStorage"),
            ]
        );
        assert_eq!((plan.nodes[4].relation.as_deref(), plan.nodes[4].index.as_deref()), (Some("t0"), Some("i0")));
    }
}
