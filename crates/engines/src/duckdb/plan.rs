//! EXPLAIN as a plan: its JSON since 1.1, and the boxes that it draws in releases before.
//!
//! An operator is DuckDB's own name in words (`HASH JOIN`), with the type of a join and whether a scan filters. DuckDB
//! does not say which index a scan reads: its name is then `INDEX`.

use qualm_core::plan::{Plan, PlanNode};
use serde_json::Value as Json;

const INDEX: &str = "INDEX";

/// `EXPLAIN (FORMAT JSON)`.
pub fn read_json(text: &str) -> Option<Plan> {
    let tree: Json = serde_json::from_str(text).ok()?;
    let mut nodes = Vec::new();
    match &tree {
        Json::Array(roots) => roots.iter().for_each(|root| visit(root, 0, &mut nodes)),
        root => visit(root, 0, &mut nodes),
    }
    (!nodes.is_empty()).then_some(Plan { nodes })
}

/// How many rows the whole query is expected to return, as the first step of `EXPLAIN (FORMAT JSON)` says.
pub fn expected_rows(text: &str) -> Option<f64> {
    let tree: Json = serde_json::from_str(text).ok()?;
    let root = tree.get(0).unwrap_or(&tree);
    let said = root.get("extra_info")?.get("Estimated Cardinality")?;
    said.as_f64().or_else(|| said.as_str()?.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok())
}

/// What steps count, in the words of all releases: rows that they read from a table, and rows that they return.
const PROCESSED: &[&str] = &["operator_cardinality", "operator_rows_scanned", "intermediate_rows", "rows_scanned"];

/// All rows that the steps of a query processed, as `EXPLAIN (ANALYZE, FORMAT JSON)` counted them.
pub fn processed_rows(text: &str) -> Option<f64> {
    fn sum(tree: &Json, found: &mut Option<f64>) {
        match tree {
            Json::Array(parts) => parts.iter().for_each(|part| sum(part, found)),
            Json::Object(parts) => {
                for (key, part) in parts {
                    match part.as_f64().filter(|_| PROCESSED.contains(&key.as_str())) {
                        Some(rows) => *found = Some(found.unwrap_or(0.0) + rows),
                        None => sum(part, found),
                    }
                }
            }
            _ => {}
        }
    }
    let mut found = None;
    sum(&serde_json::from_str(text).ok()?, &mut found);
    found
}

fn visit(step: &Json, depth: u16, nodes: &mut Vec<PlanNode>) {
    let Some(name) = step.get("name").and_then(Json::as_str) else { return };
    let info = |key: &str| step.get("extra_info").and_then(|info| info.get(key)).and_then(Json::as_str);
    let mut node = PlanNode::new(depth, words(name));
    if let Some(join) = info("Join Type") {
        node.operator = format!("{} {}", node.operator, words(join));
    }
    if node.operator.contains("SCAN") {
        let by_index = info("Type").is_some_and(|kind| kind.eq_ignore_ascii_case("Index Scan"));
        if by_index {
            node.operator = "INDEX SCAN".into();
        }
        if step.get("extra_info").is_some_and(|info| info.get("Filters").is_some()) {
            node.operator.push_str(" FILTER");
        }
        node.relation = info("Table").or_else(|| info("Text")).and_then(bare);
    }
    node.index = node.operator.starts_with("INDEX SCAN").then(|| INDEX.to_owned());
    nodes.push(node);
    for child in step.get("children").and_then(Json::as_array).into_iter().flatten() {
        visit(child, depth.saturating_add(1), nodes);
    }
}

/// EXPLAIN's drawing: a grid of boxes, one row of them a level. Boxes are given level by level: which of the upper ones
/// a box hangs on is not read.
pub fn read_boxes(text: &str) -> Option<Plan> {
    let mut nodes: Vec<PlanNode> = Vec::new();
    let (mut depth, mut named, mut first) = (0u16, false, 0);
    for line in text.lines() {
        if line.contains('┌') {
            depth += u16::from(!nodes.is_empty());
            (named, first) = (false, nodes.len());
        }
        if !line.contains('│') || line.contains('┌') || line.contains('└') {
            continue;
        }
        let mut at = 0;
        for part in line.split('│') {
            let column = at;
            at += part.chars().count() + 1;
            let word = part.trim();
            if !named && is_operator(word) {
                let mut node = PlanNode::new(depth, words(word));
                node.index = node.operator.starts_with("INDEX SCAN").then(|| INDEX.to_owned());
                nodes.push(node);
                columns_push(&mut nodes, column);
            } else if named && !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let scan = nodes[first..].iter_mut().find(|n| n.relation.as_deref() == Some(&marker(column)));
                if let Some(scan) = scan {
                    scan.relation = Some(word.to_owned());
                }
            }
        }
        named = nodes.len() > first;
    }
    for node in &mut nodes {
        node.relation = node.relation.take().filter(|name| !name.starts_with('\0'));
    }
    (!nodes.is_empty()).then_some(Plan { nodes })
}

/// Until its name is read, a scan has the place of its box for one.
fn columns_push(nodes: &mut [PlanNode], column: usize) {
    if let Some(node) = nodes.last_mut().filter(|n| n.operator.contains("SCAN")) {
        node.relation = Some(marker(column));
    }
}

fn marker(column: usize) -> String {
    format!("\0{column}")
}

fn is_operator(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == ' ')
}

/// `HASH_JOIN` as `HASH JOIN`.
fn words(name: &str) -> String {
    name.trim().replace('_', " ")
}

/// The table of `database.schema.table`.
fn bare(name: &str) -> Option<String> {
    name.rsplit('.').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(plan: &Plan) -> Vec<String> {
        let name = |n: &PlanNode| n.relation.clone().unwrap_or_default();
        plan.nodes.iter().map(|n| format!("{} {} {}", n.depth, n.operator, name(n))).collect()
    }

    #[test]
    fn json_of_all_releases_reads_alike() {
        let new = r#"[{"name": "HASH_JOIN", "extra_info": {"Join Type": "INNER"}, "children": [
            {"name": "SEQ_SCAN", "children": [], "extra_info": {"Table": "q1.main.t0", "Type": "Index Scan"}},
            {"name": "SEQ_SCAN ", "children": [], "extra_info": {"Text": "t1", "Filters": "(a = 3)"}}]}]"#;
        let plan = read_json(new).unwrap();
        assert_eq!(shown(&plan), ["0 HASH JOIN INNER ", "1 INDEX SCAN t0", "1 SEQ SCAN FILTER t1"]);
        assert_eq!(plan.nodes[1].index.as_deref(), Some(INDEX));
        assert!(read_json("[]").is_none());
    }

    #[test]
    fn rows_are_counted_in_every_step() {
        let profile = r#"{"operator": [{"intermediate_rows": 3, "children": [
            {"intermediate_rows": 40, "rows_scanned": 1000}]}], "query": {"total_rows_scanned": 1000}}"#;
        assert_eq!(processed_rows(profile), Some(1043.0));
        assert_eq!(processed_rows("{}"), None);
        let explained = r#"[{"name": "PROJECTION", "extra_info": {"Estimated Cardinality": "144"}}]"#;
        assert_eq!(expected_rows(explained), Some(144.0));
    }

    #[test]
    fn boxes_are_read_row_by_row() {
        let drawn = "\
┌───────────────────────────┐
│         HASH_JOIN         │
│   ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─   │
│           INNER           ├──────────────┐
└─────────────┬─────────────┘              │
┌─────────────┴─────────────┐┌─────────────┴─────────────┐
│         SEQ_SCAN          ││         INDEX_SCAN        │
│   ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─   ││   ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─   │
│             t0            ││             t1            │
└───────────────────────────┘└───────────────────────────┘";
        let plan = read_boxes(drawn).unwrap();
        assert_eq!(shown(&plan), ["0 HASH JOIN ", "1 SEQ SCAN t0", "1 INDEX SCAN t1"]);
    }
}
