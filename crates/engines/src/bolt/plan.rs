//! Plans as Bolt brings them: a tree of maps (Neo4j), or a text in the arguments of its only node (ArcadeDB).

use qualm_core::plan::{Plan, PlanNode};
use qualm_core::value::Value;

fn get<'a>(map: &'a Value, key: &str) -> Option<&'a Value> {
    let Value::Map(entries) = map else { return None };
    entries.iter().find(|(k, _)| k == key).map(|(_, v)| v)
}

fn text<'a>(map: &'a Value, key: &str) -> Option<&'a str> {
    if let Some(Value::Text(text)) = get(map, key) { Some(text) } else { None }
}

pub fn read(plan: &Value) -> Option<Plan> {
    let mut nodes = Vec::new();
    match get(plan, "args").and_then(|args| text(args, "string-representation")) {
        Some(drawn) if text(plan, "operatorType").is_some_and(|o| o.starts_with("ArcadeDB")) => {
            drawn_nodes(drawn, &mut nodes)
        }
        _ => tree_nodes(plan, 0, &mut nodes),
    }
    if nodes.is_empty() { None } else { Some(Plan { nodes }) }
}

fn tree_nodes(plan: &Value, depth: u16, nodes: &mut Vec<PlanNode>) {
    let Some(operator) = text(plan, "operatorType") else { return };
    // `NodeIndexSeek@neo4j`: behind the sign stands the database.
    let operator = operator.split('@').next().unwrap_or_default();
    let mut node = PlanNode::new(depth, operator);
    let details = get(plan, "args").and_then(|args| text(args, "Details")).map(str::to_string);
    if operator.contains("Index") {
        node.index = details;
    } else if operator.contains("Scan") || operator.contains("Expand") {
        node.relation = details;
    }
    nodes.push(node);
    if let Some(Value::List(children)) = get(plan, "children") {
        children.iter().for_each(|child| tree_nodes(child, depth + 1, nodes));
    }
}

/// Lines like `  + NodeIndexSeek(n:A) [index=A[x], …]`; headings and empty lines between.
fn drawn_nodes(drawn: &str, nodes: &mut Vec<PlanNode>) {
    for line in drawn.lines() {
        let said = line.trim_start_matches(['+', '-', '|', '\\', ' ', '\t', '*']);
        let marks = line.len() - said.len();
        let end = said.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(said.len());
        let (operator, rest) = said.split_at(end);
        // A step has its variables in brackets, or stands behind a mark.
        if operator.is_empty() || !(rest.starts_with('(') || line[..marks].contains(['+', '-'])) {
            continue;
        }
        let mut node = PlanNode::new((marks / 2) as u16, operator);
        node.relation = rest.strip_prefix('(').and_then(|r| r.split(')').next()).map(str::to_string);
        node.index = rest.split_once("index=").and_then(|(_, r)| r.split(',').next()).map(str::to_string);
        nodes.push(node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(entries: &[(&str, Value)]) -> Value {
        Value::map(entries.iter().map(|(k, v)| (k.to_string(), v.clone())).collect())
    }

    #[test]
    fn both_forms_are_read() {
        let leaf = map(&[
            ("operatorType", Value::Text("NodeIndexSeek@neo4j".into())),
            ("args", map(&[("Details", Value::Text("n:L(p)".into()))])),
        ]);
        let root =
            map(&[("operatorType", Value::Text("ProduceResults@neo4j".into())), ("children", Value::List(vec![leaf]))]);
        let plan = read(&root).unwrap();
        let shown: Vec<_> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str(), n.index.as_deref())).collect();
        assert_eq!(shown, [(0, "ProduceResults", None), (1, "NodeIndexSeek", Some("n:L(p)"))]);
        let drawn = "OpenCypher Native Execution Plan\n====\n\nUsing Cost-Based Query Optimizer\n\nPhysical Plan:\n\
                     + NodeIndexSeek(n:A) [index=A[x], x=1, cost=5.00]\n";
        let root = map(&[
            ("operatorType", Value::Text("ArcadeDB.OpenCypher.Plan".into())),
            ("args", map(&[("string-representation", Value::Text(drawn.into()))])),
        ]);
        let plan = read(&root).unwrap();
        assert_eq!(plan.nodes.len(), 1);
        assert_eq!((plan.nodes[0].operator.as_str(), plan.nodes[0].index.as_deref()), ("NodeIndexSeek", Some("A[x]")));
        assert_eq!(read(&Value::Null), None);
    }
}
