//! µZ's rules in SMT-LIB2.

use super::*;

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Word(String),
    List(Vec<Node>),
}

pub fn program(text: &str, read: &mut Program) -> Read<()> {
    let mut declared = Vec::new();
    for item in nodes(text)? {
        let Node::List(parts) = item else { return Err("a word outside of brackets".into()) };
        match (head(&parts)?, &parts[1..]) {
            ("set-option" | "define-sort" | "declare-var", _) => {}
            ("declare-rel", [Node::Word(name), Node::List(sorts)]) => declared.push((name.clone(), sorts.len())),
            ("rule", [one]) => rule(one, read)?,
            ("query", [Node::Word(name), ..]) => read.output = name.as_str().into(),
            (other, _) => return Err(format!("'{other}' is no command")),
        }
    }
    let expected: Vec<(String, usize)> = read.relations.iter().map(|r| (r.name.to_string(), r.arity())).collect();
    if declared == expected { Ok(()) } else { Err(format!("{declared:?} are declared and not {expected:?}")) }
}

fn nodes(text: &str) -> Read<Vec<Node>> {
    let mut open: Vec<Vec<Node>> = vec![Vec::new()];
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    for word in spaced.split_whitespace() {
        match word {
            "(" => open.push(Vec::new()),
            ")" => {
                let list = open.pop().ok_or("a bracket too many")?;
                open.last_mut().ok_or("a bracket too many")?.push(Node::List(list));
            }
            other => open.last_mut().ok_or("a bracket too many")?.push(Node::Word(other.into())),
        }
    }
    match open.len() {
        1 => Ok(open.remove(0)),
        _ => Err("a bracket too few".into()),
    }
}

fn head(parts: &[Node]) -> Read<&str> {
    match parts.first() {
        Some(Node::Word(word)) => Ok(word),
        other => Err(format!("no word but {other:?}")),
    }
}

fn rule(node: &Node, read: &mut Program) -> Read<()> {
    let Node::List(parts) = node else { return Err("a rule is a list".into()) };
    if let [Node::Word(arrow), body, conclusion] = parts.as_slice()
        && arrow == "=>"
    {
        let Literal::Atom(conclusion) = literal(conclusion)? else { return Err("a head is an atom".into()) };
        read.rules.push(Rule::new(conclusion, conjunction(body)?));
        return Ok(());
    }
    let Literal::Atom(fact) = literal(node)? else { return Err("a fact is an atom".into()) };
    let values = fact.args.into_iter().map(constant).collect::<Read<_>>()?;
    read.facts.push(Fact { relation: fact.relation, values });
    Ok(())
}

fn conjunction(node: &Node) -> Read<Vec<Literal>> {
    match node {
        Node::List(parts) if matches!(head(parts), Ok("and")) => parts[1..].iter().map(literal).collect(),
        one => Ok(vec![literal(one)?]),
    }
}

fn literal(node: &Node) -> Read<Literal> {
    let Node::List(parts) = node else { return Err(format!("{node:?} is no literal")) };
    let word = head(parts)?;
    let comparison = match word {
        "=" => Some(Comparison::Equal),
        "bvult" => Some(Comparison::Less),
        "bvule" => Some(Comparison::LessEqual),
        "bvugt" => Some(Comparison::Greater),
        "bvuge" => Some(Comparison::GreaterEqual),
        _ => None,
    };
    match (word, comparison, &parts[1..]) {
        (_, Some(comparison), [a, b]) => Ok(Literal::Compare(comparison, term(a)?, term(b)?)),
        ("not", _, [inner]) => match literal(inner)? {
            Literal::Atom(a) => Ok(Literal::Not(a)),
            Literal::Compare(Comparison::Equal, a, b) => Ok(Literal::Compare(Comparison::NotEqual, a, b)),
            other => Err(format!("nothing is printed as the opposite of {other:?}")),
        },
        ("or", _, arms) => Ok(Literal::Or(arms.iter().map(conjunction).collect::<Read<_>>()?)),
        (relation, _, args) => {
            let args = args.iter().map(term).collect::<Read<_>>()?;
            Ok(Literal::Atom(Atom { relation: relation.into(), args }))
        }
    }
}

fn term(node: &Node) -> Read<Term> {
    let parts = match node {
        Node::Word(name) => return words::variable(name, Form::Smt2),
        Node::List(parts) => parts,
    };
    let operator = match (head(parts)?, &parts[1..]) {
        ("_", [Node::Word(digits), _]) => {
            let number = digits.strip_prefix("bv").and_then(|n| n.parse().ok());
            return number.map(|n| Term::Constant(Constant::Unsigned(n))).ok_or_else(|| format!("'{digits}'"));
        }
        ("bvneg", [of]) => return Ok(Term::Negate(Box::new(term(of)?))),
        ("bvadd", _) => Operator::Add,
        ("bvsub", _) => Operator::Subtract,
        ("bvmul", _) => Operator::Multiply,
        ("bvand", _) => Operator::BitAnd,
        ("bvor", _) => Operator::BitOr,
        ("bvxor", _) => Operator::BitXor,
        (other, _) => return Err(format!("'{other}' is no operator")),
    };
    match &parts[1..] {
        [a, b] => Ok(Term::binary(operator, term(a)?, term(b)?)),
        other => Err(format!("{operator:?} of {} things", other.len())),
    }
}
