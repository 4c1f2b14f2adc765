//! Reads the Cypher that we print.

use super::scan::{Read, Scan};
use qualm::dialect::graph::{Feature, GraphDialect};
use qualm::lang::graph::ast::*;
use qualm::lang::graph::check;

pub fn query(text: &str, dialect: &GraphDialect) -> Read<Query> {
    let mut scan = Scan::new(text, dialect);
    let mut query = Query { clauses: clauses(&mut scan)?, ..Query::default() };
    scan.expect("RETURN ")?;
    query.distinct = scan.takes("DISTINCT ");
    loop {
        query.items.push(expr(&mut scan)?);
        scan.expect(&format!(" AS c{}", query.items.len() - 1))?;
        if !scan.takes(", ") {
            break;
        }
    }
    if scan.takes(" ORDER BY ") {
        loop {
            let key = expr(&mut scan)?;
            query.order_by.push((key, scan.takes(" DESC")));
            if !scan.takes(", ") {
                break;
            }
        }
    }
    scan.done().map(|()| query)
}

fn clauses(scan: &mut Scan) -> Read<Vec<Clause>> {
    let mut clauses = Vec::new();
    while !scan.is("RETURN ") {
        clauses.push(clause(scan)?);
        scan.expect(" ")?;
    }
    Ok(clauses)
}

fn filter(scan: &mut Scan) -> Read<Option<Expr>> {
    if scan.takes(" WHERE ") { expr(scan).map(Some) } else { Ok(None) }
}

fn clause(scan: &mut Scan) -> Read<Clause> {
    let optional = scan.takes("OPTIONAL ");
    if scan.takes("MATCH ") {
        let mut paths = vec![path(scan)?];
        while scan.takes(", ") {
            paths.push(path(scan)?);
        }
        return Ok(Clause::Match { optional, paths, filter: filter(scan)? });
    }
    if scan.takes("WITH *") {
        return Ok(Clause::With { filter: filter(scan)? });
    }
    if scan.takes("UNWIND ") {
        let Literal::List(list) = scan.literal()? else { return Err("no list to unwind".into()) };
        scan.expect(" AS ")?;
        return Ok(Clause::Unwind { list, var: scan.name()? });
    }
    scan.expect("CALL { ")?;
    let clauses = clauses(scan)?;
    scan.expect(&format!("RETURN {} }}", check::variables(&clauses).join(", ")))?;
    Ok(Clause::Call { clauses })
}

fn properties(scan: &mut Scan) -> Read<Vec<(String, Literal)>> {
    let mut all = Vec::new();
    if !scan.takes("{") {
        return Ok(all);
    }
    loop {
        let name = scan.name()?;
        scan.expect(": ")?;
        all.push((name, scan.literal()?));
        if !scan.takes(", ") {
            return scan.expect("}").map(|()| all);
        }
    }
}

fn labels(scan: &mut Scan) -> Read<Vec<String>> {
    let mut labels = Vec::new();
    while scan.takes(":") {
        labels.push(scan.name()?);
    }
    Ok(labels)
}

fn node(scan: &mut Scan) -> Read<NodePattern> {
    scan.expect("(")?;
    let (var, labels) = (scan.word().into(), labels(scan)?);
    scan.takes(" ");
    let properties = properties(scan)?;
    scan.expect(")")?;
    Ok(NodePattern { var, labels, properties })
}

pub fn path(scan: &mut Scan) -> Read<Path> {
    let mut path = Path { start: node(scan)?, steps: Vec::new() };
    while scan.is("-[") || scan.is("<-[") {
        path.steps.push((relationship(scan)?, node(scan)?));
    }
    Ok(path)
}

fn relationship(scan: &mut Scan) -> Read<RelPattern> {
    let back = scan.takes("<");
    scan.expect("-[")?;
    let var = scan.word().into();
    let mut types = Vec::new();
    if scan.takes(":") {
        types.push(scan.name()?);
        while scan.takes("|") {
            types.push(scan.name()?);
        }
    }
    let mut length = None;
    if scan.takes("*") {
        let bound = |scan: &mut Scan| scan.word().parse::<u32>().map_err(|e| e.to_string());
        let low = bound(scan)?;
        length = Some((low, if scan.takes("..") { bound(scan)? } else { low }));
    }
    scan.takes(" ");
    let properties = properties(scan)?;
    scan.expect("]-")?;
    let direction = match (back, scan.takes(">")) {
        (true, false) => Direction::In,
        (false, true) => Direction::Out,
        (false, false) => Direction::Both,
        (true, true) => return Err("an arrow with two heads".into()),
    };
    Ok(RelPattern { var, types, direction, length, properties })
}

/// One operation over operands that are each plainly one thing.
pub fn expr(scan: &mut Scan) -> Read<Expr> {
    if scan.takes("NOT ") {
        return operand(scan).map(Expr::negated);
    }
    let left = operand(scan)?;
    if scan.takes(" IS NULL") {
        return Ok(Expr::is_null(left));
    }
    if scan.takes(" IS NOT NULL") {
        return Ok(Expr::IsNotNull(Box::new(left)));
    }
    if scan.takes(" IN [") {
        return Ok(Expr::In(Box::new(left), list(scan, "]")?));
    }
    type Make = fn(Box<Expr>, Box<Expr>) -> Expr;
    let signs: [(&str, Make); 19] = [
        (" AND ", Expr::And),
        (" OR ", Expr::Or),
        (" XOR ", Expr::Xor),
        (" = ", |a, b| Expr::Compare(Comparison::Equal, a, b)),
        (" <> ", |a, b| Expr::Compare(Comparison::NotEqual, a, b)),
        (" < ", |a, b| Expr::Compare(Comparison::Less, a, b)),
        (" <= ", |a, b| Expr::Compare(Comparison::LessEqual, a, b)),
        (" > ", |a, b| Expr::Compare(Comparison::Greater, a, b)),
        (" >= ", |a, b| Expr::Compare(Comparison::GreaterEqual, a, b)),
        (" + ", |a, b| Expr::Arithmetic(Operator::Add, a, b)),
        (" - ", |a, b| Expr::Arithmetic(Operator::Subtract, a, b)),
        (" * ", |a, b| Expr::Arithmetic(Operator::Multiply, a, b)),
        (" / ", |a, b| Expr::Arithmetic(Operator::Divide, a, b)),
        (" % ", |a, b| Expr::Arithmetic(Operator::Remainder, a, b)),
        (" ^ ", |a, b| Expr::Arithmetic(Operator::Power, a, b)),
        (" STARTS WITH ", |a, b| Expr::Test(TextTest::StartsWith, a, b)),
        (" ENDS WITH ", |a, b| Expr::Test(TextTest::EndsWith, a, b)),
        (" CONTAINS ", |a, b| Expr::Test(TextTest::Contains, a, b)),
        (" =~ ", |a, b| Expr::Test(TextTest::Matches, a, b)),
    ];
    for (sign, make) in signs {
        if scan.takes(sign) {
            return Ok(make(Box::new(left), Box::new(operand(scan)?)));
        }
    }
    Ok(left)
}

fn list(scan: &mut Scan, close: &str) -> Read<Vec<Expr>> {
    let mut all = Vec::new();
    while !scan.takes(close) {
        all.push(expr(scan)?);
        scan.takes(", ");
    }
    Ok(all)
}

fn operand(scan: &mut Scan) -> Read<Expr> {
    let a_path = |scan: &mut Scan| {
        let path = path(scan)?;
        if path.steps.is_empty() { Err("a node alone".into()) } else { Ok(Expr::Exists(Box::new(path))) }
    };
    let in_brackets = |scan: &mut Scan| {
        scan.expect("(")?;
        let inner = expr(scan)?;
        scan.expect(")").map(|()| inner)
    };
    let a_literal = |scan: &mut Scan| scan.literal().map(Expr::Literal);
    scan.either(&[&a_literal, &a_path, &in_brackets, &braces, &case, &aggregate, &quantified, &identity, &named])
}

fn braces(scan: &mut Scan) -> Read<Expr> {
    let counts = scan.takes("COUNT { MATCH ");
    if !counts {
        scan.expect("EXISTS { MATCH ")?;
        if !scan.dialect.has(Feature::ExistsSubquery) {
            return Err("the dialect has no such subquery".into());
        }
    }
    let path = Box::new(path(scan)?);
    scan.expect(" }")?;
    Ok(if counts { Expr::PathCount(path) } else { Expr::Exists(path) })
}

fn case(scan: &mut Scan) -> Read<Expr> {
    scan.expect("CASE")?;
    let mut arms = Vec::new();
    while scan.takes(" WHEN ") {
        let condition = expr(scan)?;
        scan.expect(" THEN ")?;
        arms.push((condition, expr(scan)?));
    }
    scan.expect(" ELSE ")?;
    let otherwise = expr(scan)?;
    scan.expect(" END")?;
    Ok(Expr::Case(arms, Box::new(otherwise)))
}

fn aggregate(scan: &mut Scan) -> Read<Expr> {
    let fold = match scan.word() {
        "count" => Fold::Count,
        "sum" => Fold::Sum,
        "min" => Fold::Min,
        "max" => Fold::Max,
        other => return Err(format!("'{other}' is no fold")),
    };
    scan.expect("(")?;
    let distinct = scan.takes("DISTINCT ");
    let of = if scan.takes("*") { None } else { Some(Box::new(expr(scan)?)) };
    scan.expect(")")?;
    Ok(Expr::Aggregate(fold, distinct, of))
}

fn quantified(scan: &mut Scan) -> Read<Expr> {
    let how = match scan.word() {
        "any" => Quantifier::Any,
        "all" => Quantifier::All,
        "none" => Quantifier::None,
        "single" => Quantifier::Single,
        other => return Err(format!("'{other}' is no quantifier")),
    };
    scan.expect("(")?;
    let var = scan.name()?;
    scan.expect(" IN ")?;
    let of = expr(scan)?;
    scan.expect(" WHERE ")?;
    let condition = expr(scan)?;
    scan.expect(")")?;
    Ok(Expr::Quantified(how, var, Box::new(of), Box::new(condition)))
}

fn identity(scan: &mut Scan) -> Read<Expr> {
    let (before, after) = scan.dialect.identity.split_once("{}").ok_or("no template")?;
    scan.expect(before)?;
    let var = scan.name()?;
    scan.expect(after)?;
    Ok(Expr::Identity(var))
}

/// A call, a property, a label or a variable.
fn named(scan: &mut Scan) -> Read<Expr> {
    let name = scan.name()?;
    if name == "properties" && scan.takes("(") {
        let var = scan.name()?;
        return scan.expect(")").map(|()| Expr::Properties(var));
    }
    if name == "type" && scan.takes("(") {
        let var = scan.name()?;
        return scan.expect(")").map(|()| Expr::TypeOf(var));
    }
    if scan.takes("(") {
        return Ok(Expr::Call(name, list(scan, ")")?));
    }
    if scan.takes(":") {
        return Ok(Expr::HasLabel(name, scan.name()?));
    }
    if scan.takes(".") {
        let property = scan.name()?;
        if scan.takes("(") {
            return Ok(Expr::Call(format!("{name}.{property}"), list(scan, ")")?));
        }
        return Ok(Expr::Property(name, property));
    }
    Ok(Expr::Var(name))
}

/// What a statement does, as far as its text says: see `Effect`.
pub fn statement(text: &str, dialect: &GraphDialect) -> Read<super::Effect> {
    let mut scan = Scan::new(text, dialect);
    if scan.takes("CREATE ") {
        let effect = created(&mut scan, Vec::new())?;
        return scan.done().map(|()| effect);
    }
    if scan.takes("MERGE ") {
        let node = node(&mut scan)?;
        let set = if scan.takes(" SET ") { sets(&mut scan)? } else { Vec::new() };
        return scan.done().map(|()| super::Effect::Merge { labels: node.labels, key: node.properties, set });
    }
    scan.expect("MATCH ")?;
    let of = path(&mut scan)?;
    if scan.takes(", ") {
        let other = path(&mut scan)?;
        scan.expect(" CREATE ")?;
        let effect = created(&mut scan, vec![of.start, other.start])?;
        return scan.done().map(|()| effect);
    }
    let change = change(&mut scan)?;
    scan.done().map(|()| super::Effect::Change { of: super::found(&of), change })
}

fn sets(scan: &mut Scan) -> Read<Vec<(String, Literal)>> {
    let mut all = Vec::new();
    loop {
        scan.expect("n.")?;
        let name = scan.name()?;
        scan.expect(" = ")?;
        all.push((name, scan.literal()?));
        if !scan.takes(", ") {
            return Ok(all);
        }
    }
}

fn change(scan: &mut Scan) -> Read<super::Change> {
    use super::Change;
    Ok(if scan.takes(" SET n:") {
        Change::SetLabel(scan.name()?)
    } else if scan.takes(" REMOVE n:") {
        Change::RemoveLabel(scan.name()?)
    } else if scan.takes(" REMOVE n.") {
        Change::Set(scan.name()?, Literal::Null)
    } else if scan.takes(" SET ") {
        let (name, value) = sets(scan)?.remove(0);
        Change::Set(name, value)
    } else {
        let detach = scan.takes(" DETACH");
        scan.expect(" DELETE n")?;
        Change::Delete { detach }
    })
}

/// Nodes in the order they are met, and edges between them by their places.
fn created(scan: &mut Scan, matched: Vec<NodePattern>) -> Read<super::Effect> {
    let given = matched.len();
    let mut nodes: Vec<NodePattern> = matched;
    let mut edges = Vec::new();
    loop {
        let mut path = path(scan)?;
        let mut place = |n: NodePattern| {
            let bare = n.labels.is_empty() && n.properties.is_empty() && !n.var.is_empty();
            match nodes.iter().position(|m| bare && m.var == n.var) {
                Some(at) => at,
                None => {
                    nodes.push(n);
                    nodes.len() - 1
                }
            }
        };
        let from = place(path.start);
        if let Some((r, n)) = path.steps.pop() {
            let to = place(n);
            edges.push((r.types.join("|"), r.properties, from, to));
        }
        if !scan.takes(", ") {
            break;
        }
    }
    let nodes = nodes.into_iter().map(|n| (n.labels, n.properties)).collect();
    Ok(super::Effect::Graph { matched: given, nodes, edges })
}
