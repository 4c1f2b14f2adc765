//! EXPLAIN (FORMAT JSON) of every PostgreSQL release, read as a plan whose shape can be compared.

use qualm_core::plan::{Plan, PlanNode};
use serde_json::Value;

/// Words beside the node type that say what the step does, in the order in which they are written.
const WORDS: &[&str] =
    &["Strategy", "Partial Mode", "Operation", "Join Type", "Command", "Scan Direction", "Subplan Name", "Cache Mode"];
/// What nearly every step says, and so says nothing.
const PLAIN: &[&str] = &["Plain", "Simple", "Inner", "Forward", "NoMovement"];

/// The answer to EXPLAIN (FORMAT JSON, COSTS OFF).
pub fn read(json: &str) -> Option<Plan> {
    let explained: Value = serde_json::from_str(json).ok()?;
    let mut plan = Plan::default();
    add(explained.get(0)?.get("Plan")?, 0, &mut plan)?;
    Some(plan)
}

/// How many rows the whole query is expected to return, as EXPLAIN (FORMAT JSON) says.
pub fn expected_rows(json: &str) -> Option<f64> {
    let explained: Value = serde_json::from_str(json).ok()?;
    explained.get(0)?.get("Plan")?.get("Plan Rows")?.as_f64()
}

/// Rows that come out of a step, or that it looks at and drops, once per loop.
const PROCESSED: &[&str] =
    &["Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck"];

/// All rows that the steps of a query processed, as EXPLAIN (ANALYZE, FORMAT JSON) counted them.
pub fn processed_rows(json: &str) -> Option<f64> {
    let explained: Value = serde_json::from_str(json).ok()?;
    Some(processed(explained.get(0)?.get("Plan")?))
}

fn processed(node: &Value) -> f64 {
    let number = |name: &str| node.get(name).and_then(Value::as_f64);
    let loops = number("Actual Loops").unwrap_or(0.0);
    let own: f64 = PROCESSED.iter().filter_map(|name| number(name)).sum();
    let below = node.get("Plans").and_then(Value::as_array).into_iter().flatten();
    loops * own + below.map(processed).sum::<f64>()
}

fn add(node: &Value, depth: u16, plan: &mut Plan) -> Option<()> {
    let text = |name: &str| node.get(name).and_then(Value::as_str);
    let mut operator = text("Node Type")?.to_string();
    for word in WORDS.iter().filter_map(|name| text(name)).filter(|word| !PLAIN.contains(word)) {
        operator.push(' ');
        // The numbers of subplans change from case to case.
        operator.extend(word.chars().filter(|c| !c.is_ascii_digit()));
    }
    for (name, word) in [("Parallel Aware", "Parallel"), ("Inner Unique", "InnerUnique"), ("Single Copy", "Single")] {
        if node.get(name).and_then(Value::as_bool) == Some(true) {
            operator = format!("{word} {operator}");
        }
    }
    // CTEs and functions are named where tables are.
    let relation = text("Relation Name").or(text("CTE Name")).or(text("Function Name")).map(str::to_string);
    let index = text("Index Name").map(str::to_string);
    plan.nodes.push(PlanNode { depth, operator: operator.trim_end().to_string(), relation, index });
    for child in node.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        add(child, depth.saturating_add(1), plan)?;
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_in_preorder() {
        let json = r#"[{"Plan": {"Node Type": "Aggregate", "Strategy": "Hashed", "Partial Mode": "Simple", "Plans": [
            {"Node Type": "Hash Join", "Join Type": "Left", "Parallel Aware": false, "Inner Unique": true, "Plans": [
              {"Node Type": "Seq Scan", "Parallel Aware": true, "Relation Name": "t0", "Alias": "t0"},
              {"Node Type": "Index Only Scan", "Scan Direction": "Backward", "Relation Name": "t1", "Index Name": "i0"}
            ]},
            {"Node Type": "Result", "Parent Relationship": "InitPlan", "Subplan Name": "InitPlan 2"}]}}]"#;
        let plan = read(json).unwrap();
        let steps: Vec<(u16, &str)> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str())).collect();
        let expected = [
            (0, "Aggregate Hashed"),
            (1, "InnerUnique Hash Join Left"),
            (2, "Parallel Seq Scan"),
            (2, "Index Only Scan Backward"),
            (1, "Result InitPlan"),
        ];
        assert_eq!(steps, expected);
        assert_eq!(plan.nodes[3].relation.as_deref(), Some("t1"));
        assert_eq!(plan.nodes[3].index.as_deref(), Some("i0"));
        assert_eq!(read("[]"), None);
    }

    #[test]
    fn rows_are_counted_once_per_loop() {
        let json = r#"[{"Plan": {"Node Type": "Nested Loop", "Plan Rows": 12, "Actual Rows": 10, "Actual Loops": 1,
            "Rows Removed by Join Filter": 5, "Plans": [
              {"Node Type": "Seq Scan", "Actual Rows": 20, "Actual Loops": 1, "Rows Removed by Filter": 80},
              {"Node Type": "Index Scan", "Actual Rows": 0.5, "Actual Loops": 20}]}}]"#;
        assert_eq!(processed_rows(json), Some(15.0 + 100.0 + 10.0));
        assert_eq!(expected_rows(json), Some(12.0));
        assert_eq!(expected_rows("{}"), None);
    }
}
