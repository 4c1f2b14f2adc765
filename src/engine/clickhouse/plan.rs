//! `EXPLAIN json = 1` read as a plan.
//!
//! `indexes` says by which keys and skip indexes a table is read; `actions` would add every function of every
//! expression, which differ from query to query and say nothing about the way of answering. Of the descriptions only
//! those are part of the operator that name a way (`JOIN FillRightFirst`), not those that quote expressions.

use crate::plan::{Plan, PlanNode};
use serde_json::Value as Json;

pub const EXPLAIN: &str = "EXPLAIN PLAN json = 1, description = 1, header = 0, actions = 0, indexes = 1";

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
    let text = |key: &str| step.get(key).and_then(Json::as_str).unwrap_or_default();
    let (kind, description) = (text("Node Type"), text("Description"));
    let mut node = PlanNode::new(depth, kind);
    if kind.starts_with("ReadFrom") {
        node.relation = description.rsplit('.').next().filter(|name| !name.is_empty()).map(str::to_string);
        let indexes = step.get("Indexes").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        for index in indexes {
            let word = |key: &str| index.get(key).and_then(Json::as_str).unwrap_or_default();
            // Listed for every table; only one with a condition that is not `true` leaves anything out.
            if word("Condition") == "true" {
                continue;
            }
            node.operator.push(' ');
            node.operator.push_str(word("Type"));
            if !word("Name").is_empty() {
                node.operator.push(' ');
                node.operator.push_str(word("Description").split([' ', '(']).next().unwrap_or_default());
                node.index = Some(word("Name").to_string());
            } else if node.index.is_none() {
                node.index = Some(word("Type").to_string());
            }
        }
    } else if let Some(way) = ways(kind, description) {
        node.operator.push(' ');
        node.operator.push_str(way);
    }
    plan.nodes.push(node);
    for below in step.get("Plans").and_then(Json::as_array).into_iter().flatten() {
        add(plan, below, depth.saturating_add(1));
    }
}

/// The part of a description that names a way of doing a step.
fn ways<'a>(kind: &str, description: &'a str) -> Option<&'a str> {
    let tells = match kind {
        "Join" | "FilledJoin" | "JoinLogical" => description.strip_prefix("JOIN ").or(Some(description)),
        "Sorting" | "Distinct" | "Limit" | "Union" => Some(description),
        _ => None,
    };
    tells.filter(|text| !text.is_empty() && text.len() < 40 && !text.contains(['(', '_', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read() {
        let json = r#"explain\nString\n[{"Plan": {"Node Type": "Sorting",
            "Description": "Sorting for ORDER BY", "Plans": [
            {"Node Type": "Join", "Description": "JOIN FillRightFirst", "Plans": [
            {"Node Type": "Filter", "Description": "(WHERE + x)", "Plans": [
            {"Node Type": "ReadFromMergeTree", "Description": "d.t0", "Indexes": [
            {"Type": "PrimaryKey", "Condition": "true"},
            {"Type": "Skip", "Name": "i0", "Description": "minmax GRANULARITY 1", "Condition": "(a in [6, +Inf))"}]}]},
            {"Node Type": "ReadFromStorage", "Description": "SystemOne"}]}]}}]"#;
        let plan = read(json.replace("\\n", "\n").as_bytes()).unwrap();
        let shown: Vec<(u16, &str)> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str())).collect();
        assert_eq!(
            shown,
            [
                (0, "Sorting Sorting for ORDER BY"),
                (1, "Join FillRightFirst"),
                (2, "Filter"),
                (3, "ReadFromMergeTree Skip minmax"),
                (2, "ReadFromStorage"),
            ]
        );
        assert_eq!((plan.nodes[3].relation.as_deref(), plan.nodes[3].index.as_deref()), (Some("t0"), Some("i0")));
    }
}
