//! EXPLAIN FORMAT=JSON of MySQL and MariaDB read as a plan. There are two forms: a tree of operations (MySQL since 8.3)
//! and nested blocks, in which the name of a member says what it is (MySQL before, MariaDB).

use qualm_core::plan::{Plan, PlanNode};
use serde_json::{Map, Value};

pub fn read(text: &str) -> Option<Plan> {
    let whole: Value = serde_json::from_str(text).ok()?;
    let mut plan = Plan::default();
    match whole.get("query_plan").and_then(Value::as_object) {
        Some(root) => operation(root, 0, &mut plan),
        None => block(whole.as_object()?, 0, &mut plan),
    }
    Some(plan)
}

/// How many rows the whole query is expected to return, where that can be read off the plan: the first step of a tree
/// that says so, or the rows of joined tables multiplied, where nothing but sorting happens to them.
pub fn expected_rows(text: &str) -> Option<f64> {
    let whole: Value = serde_json::from_str(text).ok()?;
    match whole.get("query_plan") {
        Some(root) => expected_of(root),
        None => joined_rows(whole.get("query_block")?),
    }
}

fn expected_of(node: &Value) -> Option<f64> {
    if let Some(rows) = node.get("estimated_rows").and_then(Value::as_f64) {
        return Some(rows);
    }
    match node.get("inputs")?.as_array()?.as_slice() {
        [only] => expected_of(only),
        _ => None,
    }
}

/// A block that holds a table, a loop over tables, or such a block in the steps that only sort.
fn joined_rows(block: &Value) -> Option<f64> {
    for sorting in ["filesort", "ordering_operation", "read_sorted_file"] {
        if let Some(inner) = block.get(sorting) {
            return joined_rows(inner);
        }
    }
    // Groups and distinct rows are not counted beforehand.
    if block.get("temporary_table").is_some() || block.get("having_condition").is_some() {
        return None;
    }
    if let Some(members) = block.get("nested_loop").and_then(Value::as_array) {
        return members.iter().map(joined_rows).product();
    }
    if let Some(buffered) = block.get("block-nl-join") {
        return joined_rows(buffered);
    }
    let table = block.get("table")?;
    let number = |key: &str| table.get(key).and_then(Value::as_f64);
    let filtered = number("filtered").or_else(|| table.get("filtered")?.as_str()?.parse().ok()).unwrap_or(100.0);
    let rows = number("rows").or_else(|| number("rows_examined_per_scan"))?;
    Some(rows * filtered / 100.0)
}

// ---------------------------------------------------------------- a tree of operations

fn operation(node: &Map<String, Value>, depth: u16, plan: &mut Plan) {
    let word = |key: &str| node.get(key).and_then(Value::as_str);
    let said = word("operation").unwrap_or_default();
    let mut operator = String::new();
    if node.get("subquery").and_then(Value::as_bool) == Some(true) {
        let dependent = node.get("dependent").and_then(Value::as_bool) == Some(true);
        operator.push_str(if dependent { "Dependent subquery: " } else { "Subquery: " });
    }
    operator.push_str(without_names(said));
    for (key, words) in [("pushed_index_condition", " with index condition"), ("cte", " CTE")] {
        if node.contains_key(key) && !operator.contains(words) {
            operator.push_str(words);
        }
    }
    if said.contains("(reverse)") {
        operator.push_str(" reverse");
    }
    let name = |key: &str| word(key).map(str::to_string);
    plan.nodes.push(PlanNode { depth, operator, relation: name("table_name"), index: name("index_name") });
    for input in node.get("inputs").and_then(Value::as_array).into_iter().flatten() {
        if let Some(input) = input.as_object() {
            operation(input, depth + 1, plan);
        }
    }
}

/// `Index range scan on t0 using i0 over (2 < a)` is an `Index range scan`: tables and conditions differ from case to
/// case.
fn without_names(said: &str) -> &str {
    let ends = [" on ", ":", " (", ", ", " CTE ", " over "].iter().filter_map(|end| said.find(end)).min();
    &said[..ends.unwrap_or(said.len())]
}

// ---------------------------------------------------------------- nested blocks

/// Members that hold no part of the plan.
const ESTIMATES: &[&str] = &["cost_info", "possible_keys", "used_columns", "query_optimization"];
/// Members that only group others.
const GROUPS: &[&str] = &["query_block", "nested_loop", "query_specifications", "sorts", "query_plan"];
/// Members whose text says how a step is done.
const MANNERS: &[&str] = &["access_type", "join_type", "using_join_buffer", "mrr_type", "first_match", "message"];
/// Members whose presence does, whatever they say.
const MARKS: &[&str] = &["index_condition", "rowid_filter", "LooseScan", "loosescan", "start_temporary"];

fn block(members: &Map<String, Value>, depth: u16, plan: &mut Plan) {
    for (key, value) in members {
        if ESTIMATES.contains(&key.as_str()) {
            continue;
        }
        match value {
            Value::Object(inner) => step(key, inner, depth, plan),
            Value::Array(list) => {
                for inner in list.iter().filter_map(Value::as_object) {
                    step(key, inner, depth, plan);
                }
            }
            _ => {}
        }
    }
}

fn step(key: &str, members: &Map<String, Value>, depth: u16, plan: &mut Plan) {
    if GROUPS.contains(&key) {
        return block(members, depth, plan);
    }
    let name = |key: &str| members.get(key).and_then(Value::as_str).map(str::to_string);
    let relation = name("table_name").filter(|t| !t.starts_with('<'));
    plan.nodes.push(PlanNode { depth, operator: manner(key, members), relation, index: name("key") });
    block(members, depth + 1, plan);
}

/// `ALL`, `range index_condition`, `block-nl-join BNLH`, `ordering_operation using_filesort`.
fn manner(key: &str, members: &Map<String, Value>) -> String {
    let mut words: Vec<&str> = if key == "table" { Vec::new() } else { vec![key] };
    let texts = MANNERS.iter().filter_map(|manner| Some((*manner, members.get(*manner)?.as_str()?)));
    words.extend(texts.map(|(manner, said)| if manner == "first_match" { "FirstMatch" } else { said }));
    for (flag, value) in members {
        let on = value.as_bool() == Some(true) && !matches!(flag.as_str(), "cacheable" | "dependent");
        if on || MARKS.contains(&flag.as_str()) {
            words.push(flag);
        }
    }
    if members.get("dependent").and_then(Value::as_bool) == Some(true) {
        words.push("dependent");
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |n: &PlanNode| {
            let name = |name: &Option<String>| name.clone().unwrap_or_default();
            format!("{}{}|{}|{}", " ".repeat(n.depth.into()), n.operator, name(&n.relation), name(&n.index))
        };
        read(text).unwrap().nodes.iter().map(show).collect()
    }

    #[test]
    fn a_tree_of_operations() {
        let text = r#"{"query_plan": {"operation": "Sort: count(*)", "access_type": "sort", "inputs": [
            {"operation": "Inner hash join (t1.b = t0.b)", "inputs": [
              {"operation": "Table scan on t1", "table_name": "t1"},
              {"operation": "Index range scan on t0 using i0 over (2 < a), with index condition: (t0.a > 2)",
               "table_name": "t0", "index_name": "i0", "pushed_index_condition": "(t0.a > 2)"}]},
            {"operation": "Limit: 1 row(s)", "subquery": true, "dependent": true}]}}"#;
        assert_eq!(
            shown(text),
            [
                "Sort||",
                " Inner hash join||",
                "  Table scan|t1|",
                "  Index range scan with index condition|t0|i0",
                " Dependent subquery: Limit||"
            ]
        );
    }

    #[test]
    fn expected_rows_of_both_forms() {
        let tree =
            r#"{"query_plan": {"operation": "Filter", "inputs": [{"operation": "Scan", "estimated_rows": 7.5}]}}"#;
        assert_eq!(expected_rows(tree), Some(7.5));
        let blocks = r#"{"query_block": {"filesort": {"nested_loop": [
            {"table": {"table_name": "t0", "rows": 1000, "filtered": 10}},
            {"block-nl-join": {"table": {"table_name": "t1", "rows": 20, "filtered": 100}}}]}}}"#;
        assert_eq!(expected_rows(blocks), Some(2000.0));
        let groups = r#"{"query_block": {"temporary_table": {"nested_loop": [{"table": {"rows": 10}}]}}}"#;
        assert_eq!(expected_rows(groups), None);
    }

    #[test]
    fn nested_blocks() {
        let text = r#"{"query_block": {"select_id": 1, "cost_info": {"query_cost": "1"}, "filesort": {
            "sort_key": "count(0)", "temporary_table": {"nested_loop": [
              {"table": {"table_name": "t0", "access_type": "range", "key": "i0", "used_key_parts": ["a"],
                "index_condition": "t0.a > 2"}},
              {"block-nl-join": {"table": {"table_name": "t1", "access_type": "ALL"}, "join_type": "BNL"}}]}},
            "subqueries": [{"query_block": {"table": {"message": "No tables used"}}}]}}"#;
        assert_eq!(
            shown(text),
            [
                "filesort||",
                " temporary_table||",
                "  range index_condition|t0|i0",
                "  block-nl-join BNL||",
                "   ALL|t1|",
                "subqueries||",
                " No tables used||"
            ]
        );
    }
}
