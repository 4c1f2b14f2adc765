//! Plans as `GRAPH.EXPLAIN` draws them: one line for each step, four blanks for each level.

use super::answer::plain;
use qualm_core::plan::{Plan, PlanNode};
use redis::Value as Reply;

pub fn read(reply: &Reply) -> Option<Plan> {
    let Reply::Array(lines) = reply else { return None };
    let nodes: Vec<PlanNode> = lines.iter().map(|line| node(&plain(line))).collect();
    if nodes.is_empty() { None } else { Some(Plan { nodes }) }
}

fn node(line: &str) -> PlanNode {
    let said = line.trim_start();
    let depth = (line.len() - said.len()) / 4;
    let (operator, what) = said.split_once(" | ").map_or((said, None), |(operator, what)| (operator, Some(what)));
    let mut node = PlanNode::new(depth as u16, operator.trim());
    match what {
        Some(what) if operator.contains("Index") => node.index = Some(what.to_string()),
        Some(what) => node.relation = Some(what.to_string()),
        None => {}
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_steps() {
        let lines = ["Results", "    Aggregate", "        Node By Index Scan | (a:A)"];
        let reply = Reply::Array(lines.iter().map(|l| Reply::BulkString(l.as_bytes().to_vec())).collect());
        let plan = read(&reply).unwrap();
        let shown: Vec<_> = plan.nodes.iter().map(|n| (n.depth, n.operator.as_str(), n.index.as_deref())).collect();
        assert_eq!(shown, [(0, "Results", None), (1, "Aggregate", None), (2, "Node By Index Scan", Some("(a:A)"))]);
    }
}
