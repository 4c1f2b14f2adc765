//! Reads the Gremlin that we print: first as steps with their arguments, then as the question that they ask.

use super::scan::{Read, Scan};
use super::{Change, Effect, Found, NewEdge, NewNode};
use qualm::dialect::graph::GraphDialect;
use qualm::lang::graph::ast::*;

/// A step, a predicate, or a word behind a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub name: String,
    pub args: Vec<Arg>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    Literal(Literal),
    /// An anonymous traversal, or a predicate with what is chained to it.
    Calls(Vec<Call>),
    /// `asc`, `desc`.
    Word(String),
}

/// What a traversal asks, with every element called by its place: `n0`, `r1`, `n1`, `r2` …
#[derive(Clone, Debug, PartialEq)]
pub struct Traversal {
    pub path: Path,
    /// All that must hold, one by one.
    pub filters: Vec<Expr>,
    pub distinct: bool,
    pub items: Vec<Expr>,
    /// Whether the order is a descending one; by what is not said, or always the same.
    pub down: Option<bool>,
}

fn calls(scan: &mut Scan, first: Call) -> Read<Vec<Call>> {
    let mut all = vec![first];
    while scan.takes(".") {
        all.push(call(scan)?);
    }
    Ok(all)
}

fn call(scan: &mut Scan) -> Read<Call> {
    let name = scan.name()?;
    scan.expect("(")?;
    let mut args = Vec::new();
    while !scan.takes(")") {
        args.push(arg(scan)?);
        scan.takes(",");
    }
    Ok(Call { name, args })
}

fn arg(scan: &mut Scan) -> Read<Arg> {
    let a_literal = |scan: &mut Scan| scan.literal().map(Arg::Literal);
    let some_calls = |scan: &mut Scan| {
        let class = ["__.", "P.", "TextP."].iter().any(|c| scan.takes(c));
        // How an element is given back is said without one everywhere.
        if !class && !scan.dialect.anonymous.is_empty() && !scan.is("elementMap()") {
            return Err("a traversal without its class".into());
        }
        let first = call(scan)?;
        calls(scan, first).map(Arg::Calls)
    };
    let a_word = |scan: &mut Scan| scan.name().map(Arg::Word);
    scan.either(&[&a_literal, &some_calls, &a_word])
}

fn traversal(text: &str, dialect: &GraphDialect) -> Read<Vec<Call>> {
    let mut scan = Scan::new(text, dialect);
    scan.expect("g.")?;
    let first = call(&mut scan)?;
    let all = calls(&mut scan, first)?;
    scan.done().map(|()| all)
}

fn text(arg: Option<&Arg>) -> Read<String> {
    match arg {
        Some(Arg::Literal(Literal::Text(t))) => Ok(t.clone()),
        other => Err(format!("no text but {other:?}")),
    }
}

fn texts(args: &[Arg]) -> Read<Vec<String>> {
    args.iter().map(|a| text(Some(a))).collect()
}

fn inner(arg: Option<&Arg>) -> Read<&[Call]> {
    match arg {
        Some(Arg::Calls(calls)) => Ok(calls),
        other => Err(format!("no traversal but {other:?}")),
    }
}

/// Reads steps from left to right.
struct Walk {
    traversal: Traversal,
    /// Names that `as` gave, and the elements that they are of.
    names: Vec<(String, String)>,
    current: String,
    /// An edge step came last, so that a node must follow, or the traversal ends there.
    on_edge: bool,
}

pub fn query(text_: &str, dialect: &GraphDialect) -> Read<Traversal> {
    let steps = traversal(text_, dialect)?;
    let node = |var: &str| NodePattern { var: var.into(), labels: Vec::new(), properties: Vec::new() };
    let path = Path { start: node("n0"), steps: Vec::new() };
    let traversal = Traversal { path, filters: Vec::new(), distinct: false, items: Vec::new(), down: None };
    let mut walk = Walk { traversal, names: Vec::new(), current: "n0".into(), on_edge: false };
    let mut rest = steps.as_slice();
    match rest.first().map(|c| c.name.as_str()) {
        Some("V") => {}
        Some("E") => {
            let types = match rest.get(1) {
                Some(c) if c.name == "hasLabel" => {
                    rest = &rest[1..];
                    texts(&c.args)?
                }
                _ => Vec::new(),
            };
            walk.hop(types, Direction::Out, None);
            walk.current = "r1".into();
            walk.on_edge = true;
        }
        other => return Err(format!("a traversal begins with {other:?}")),
    }
    rest = &rest[1..];
    while let Some((step, behind)) = rest.split_first() {
        rest = behind;
        // A repetition is known by the steps behind it.
        if step.name == "repeat" {
            let emits = rest.first().is_some_and(|c| c.name == "emit");
            rest = &rest[usize::from(emits)..];
            let Some((times, behind)) = rest.split_first() else { return Err("a repetition without an end".into()) };
            let Some(Arg::Literal(Literal::Int(high))) = times.args.first() else { return Err("no times".into()) };
            rest = behind;
            let [hop] = inner(step.args.first())? else { return Err("more than one step is repeated".into()) };
            let low = if emits { 1 } else { *high as u32 };
            walk.hop(texts(&hop.args)?, direction(&hop.name)?, Some((low, *high as u32)));
            continue;
        }
        walk.step(step)?;
    }
    Ok(walk.traversal)
}

fn direction(word: &str) -> Read<Direction> {
    Ok(match word {
        "out" | "outE" => Direction::Out,
        "in" | "inE" => Direction::In,
        "both" | "bothE" => Direction::Both,
        other => return Err(format!("'{other}' is no direction")),
    })
}

impl Walk {
    fn hop(&mut self, types: Vec<String>, direction: Direction, length: Option<(u32, u32)>) {
        let at = self.traversal.path.steps.len() + 1;
        let (var, end) = (format!("r{at}"), format!("n{at}"));
        let node = NodePattern { var: end.clone(), labels: Vec::new(), properties: Vec::new() };
        self.traversal.path.steps.push((RelPattern { var, types, direction, length, properties: Vec::new() }, node));
        self.current = end;
    }

    fn element(&self, name: &str) -> Read<String> {
        let found = self.names.iter().find(|(n, _)| n == name);
        found.map(|(_, e)| e.clone()).ok_or_else(|| format!("'{name}' was given to no element"))
    }

    fn step(&mut self, step: &Call) -> Read<()> {
        let args = &step.args;
        match step.name.as_str() {
            "out" | "in" | "both" => self.hop(texts(args)?, direction(&step.name)?, None),
            "outE" | "inE" | "bothE" => {
                self.hop(texts(args)?, direction(&step.name)?, None);
                self.current = format!("r{}", self.traversal.path.steps.len());
                self.on_edge = true;
            }
            "inV" | "outV" | "otherV" => {
                let went = self.traversal.path.steps.last().map(|(r, _)| r.direction).ok_or("an end of nothing")?;
                let expected = ["inV", "outV", "otherV"][went as usize];
                if !self.on_edge || step.name != expected {
                    return Err(format!("'{}' behind an edge that goes {went:?}", step.name));
                }
                self.current = format!("n{}", self.traversal.path.steps.len());
                self.on_edge = false;
            }
            "as" => self.names.push((text(args.first())?, self.current.clone())),
            // A plain value belongs to the pattern, a predicate is a filter.
            "has" if matches!(args.get(1), Some(Arg::Literal(_))) => {
                let Some(Arg::Literal(value)) = args.get(1).cloned() else { unreachable!("just seen") };
                let property = (text(args.first())?, value);
                self.described().push(property);
            }
            "dedup" => self.traversal.distinct = true,
            "order" => self.traversal.down = Some(false),
            "by" => {
                if let Some(Arg::Word(way)) = args.last() {
                    self.traversal.down = Some(way == "desc");
                }
            }
            "elementMap" => self.traversal.items = vec![Expr::Var(self.current.clone())],
            "values" => self.traversal.items = vec![Expr::Property(self.current.clone(), text(args.first())?)],
            "count" => self.traversal.items = vec![Expr::Aggregate(Fold::Count, false, None)],
            "select" => {
                let names = texts(args)?;
                self.traversal.items = names.iter().map(|n| self.element(n).map(Expr::Var)).collect::<Read<_>>()?;
            }
            _ => {
                let held = self.condition(std::slice::from_ref(step))?;
                flatten(held, &mut self.traversal.filters);
            }
        }
        Ok(())
    }

    /// The properties of the element where the traversal stands.
    fn described(&mut self) -> &mut Vec<(String, Literal)> {
        let path = &mut self.traversal.path;
        match path.steps.last_mut() {
            None => &mut path.start.properties,
            Some((r, _)) if r.var == self.current => &mut r.properties,
            Some((_, n)) => &mut n.properties,
        }
    }

    /// What an anonymous traversal (or one step) asks of the current element.
    fn condition(&self, steps: &[Call]) -> Read<Expr> {
        let Some((first, behind)) = steps.split_first() else { return Err("no step".into()) };
        if first.name == "select" {
            let var = self.element(&text(first.args.first())?)?;
            return self.of(&var, behind);
        }
        let current = self.current.clone();
        let of = |at: usize| self.condition(inner(first.args.get(at))?);
        match first.name.as_str() {
            "not" => Ok(Expr::negated(of(0)?)),
            "and" => Ok(Expr::and(of(0)?, of(1)?)),
            "or" => Ok(Expr::or(of(0)?, of(1)?)),
            "filter" | "where" => of(0),
            "identity" => Ok(Expr::truth(true)),
            _ => self.of(&current, steps),
        }
    }

    /// What these steps ask of this element.
    fn of(&self, var: &str, steps: &[Call]) -> Read<Expr> {
        let Some((first, behind)) = steps.split_first() else { return Err("no step".into()) };
        let property = |at: usize| text(first.args.get(at)).map(|p| Expr::property(var, &p));
        match (first.name.as_str(), first.args.len()) {
            ("hasNot", 1) => property(0).map(Expr::is_null),
            ("has", 1) => property(0).map(|p| Expr::IsNotNull(Box::new(p))),
            ("hasLabel", 1) => Ok(Expr::HasLabel(var.into(), text(first.args.first())?)),
            ("has", 2) => predicate(&property(0)?, inner(first.args.get(1))?),
            ("out" | "in" | "both", _) => hop_of(var, first, behind),
            (other, _) => Err(format!("'{other}' is no condition")),
        }
    }
}

pub fn flatten(e: Expr, into: &mut Vec<Expr>) {
    match e {
        Expr::And(a, b) => {
            flatten(*a, into);
            flatten(*b, into);
        }
        other => into.push(other),
    }
}

/// There is such a neighbour, or so many of them.
fn hop_of(var: &str, hop: &Call, behind: &[Call]) -> Read<Expr> {
    let mut node = NodePattern { var: String::new(), labels: Vec::new(), properties: Vec::new() };
    let mut counted = false;
    let mut compared = None;
    for step in behind {
        match (step.name.as_str(), step.args.as_slice()) {
            ("hasLabel", [label]) => node.labels.push(text(Some(label))?),
            ("has", [name, Arg::Literal(value)]) => node.properties.push((text(Some(name))?, value.clone())),
            ("count", []) => counted = true,
            ("is", [Arg::Calls(calls)]) if counted => compared = Some(calls.clone()),
            (other, _) => return Err(format!("'{other}' behind a hop")),
        }
    }
    let r = RelPattern {
        var: String::new(),
        types: texts(&hop.args)?,
        direction: direction(&hop.name)?,
        length: None,
        properties: Vec::new(),
    };
    let start = NodePattern { var: var.into(), labels: Vec::new(), properties: Vec::new() };
    let path = Box::new(Path { start, steps: vec![(r, node)] });
    match compared {
        Some(calls) => predicate(&Expr::PathCount(path), &calls),
        None => Ok(Expr::Exists(path)),
    }
}

/// A predicate, and what is chained to it by `and` and `or`.
fn predicate(of: &Expr, calls: &[Call]) -> Read<Expr> {
    let (first, chained) = calls.split_first().ok_or("no predicate")?;
    let mut read = one_predicate(of, first)?;
    for next in chained {
        let right = Box::new(predicate(of, inner(next.args.first())?)?);
        read = match next.name.as_str() {
            "and" => Expr::PredicateAnd(Box::new(read), right),
            "or" => Expr::PredicateOr(Box::new(read), right),
            other => return Err(format!("'{other}' joins no predicates")),
        };
    }
    Ok(read)
}

fn one_predicate(of: &Expr, call: &Call) -> Read<Expr> {
    let subject = || Box::new(of.clone());
    let value = |at: usize| match call.args.get(at) {
        Some(Arg::Literal(l)) => Ok(Box::new(Expr::Literal(l.clone()))),
        other => Err(format!("no value but {other:?}")),
    };
    let members = || (0..call.args.len()).map(|i| value(i).map(|v| *v)).collect::<Read<Vec<Expr>>>();
    let compare = |how| Ok(Expr::Compare(how, subject(), value(0)?));
    let test = |how| Ok::<_, String>(Expr::Test(how, subject(), value(0)?));
    let not = |e: Expr| Expr::PredicateNot(Box::new(e));
    match call.name.as_str() {
        "eq" => compare(Comparison::Equal),
        "neq" => compare(Comparison::NotEqual),
        "lt" => compare(Comparison::Less),
        "lte" => compare(Comparison::LessEqual),
        "gt" => compare(Comparison::Greater),
        "gte" => compare(Comparison::GreaterEqual),
        "within" => Ok(Expr::In(subject(), members()?)),
        "without" => Ok(not(Expr::In(subject(), members()?))),
        "inside" => Ok(Expr::Between(Range::Inside, subject(), value(0)?, value(1)?)),
        "outside" => Ok(Expr::Between(Range::Outside, subject(), value(0)?, value(1)?)),
        "between" => Ok(Expr::Between(Range::Between, subject(), value(0)?, value(1)?)),
        "startingWith" => test(TextTest::StartsWith),
        "endingWith" => test(TextTest::EndsWith),
        "containing" => test(TextTest::Contains),
        "notStartingWith" => test(TextTest::StartsWith).map(not),
        "notEndingWith" => test(TextTest::EndsWith).map(not),
        "notContaining" => test(TextTest::Contains).map(not),
        "not" => predicate(of, inner(call.args.first())?).map(not),
        other => Err(format!("'{other}' is no predicate")),
    }
}

// ---------------------------------------------------------------- statements

/// What a statement does, as far as its text says: see `Effect`.
pub fn statement(text_: &str, dialect: &GraphDialect) -> Read<Effect> {
    let steps = traversal(text_, dialect)?;
    if steps[0].name == "addV" {
        return created(&steps, Vec::new());
    }
    let key = |at: usize| match steps.get(at) {
        Some(Call { name, args }) if name == "has" => match args.as_slice() {
            [Arg::Literal(Literal::Text(p)), Arg::Literal(Literal::Int(k))] if p == KEY => Ok(*k),
            other => Err(format!("no key but {other:?}")),
        },
        other => Err(format!("no key but {other:?}")),
    };
    let of = Found { is_edge: steps[0].name == "E", class: None, k: key(1)? };
    match steps.get(2).map(|c| c.name.as_str()) {
        Some("as") => {
            let key_of = |k: i64| (Vec::new(), vec![(KEY.to_owned(), Literal::Int(k))]);
            let matched = vec![(text(steps[2].args.first())?, key_of(of.k)), (String::new(), key_of(key(4)?))];
            created(&steps[5..], matched)
        }
        Some("property") => {
            let Some(Arg::Literal(value)) = steps[2].args.get(1).cloned() else { return Err("no value".into()) };
            Ok(Effect::Change { of, change: Change::Set(text(steps[2].args.first())?, value) })
        }
        Some("properties") if steps.get(3).is_some_and(|c| c.name == "drop") => {
            Ok(Effect::Change { of, change: Change::Set(text(steps[2].args.first())?, Literal::Null) })
        }
        Some("drop") => Ok(Effect::Change { of, change: Change::Delete { detach: false } }),
        other => Err(format!("{other:?} behind an element")),
    }
}

type NamedNode = (String, NewNode);

fn created(steps: &[Call], matched: Vec<NamedNode>) -> Read<Effect> {
    let given = matched.len();
    let mut nodes = matched;
    let mut edges: Vec<NewEdge> = Vec::new();
    for step in steps {
        let named = |nodes: &[NamedNode]| {
            let name = text(step.args.first())?;
            nodes.iter().position(|(n, _)| *n == name).ok_or_else(|| format!("no node is called '{name}'"))
        };
        match step.name.as_str() {
            "addV" => nodes.push((String::new(), (texts(&step.args)?, Vec::new()))),
            // Without an end of its own it ends where the traversal stands.
            "addE" => edges.push((text(step.args.first())?, Vec::new(), 0, nodes.len() - 1)),
            "from" => edges.last_mut().ok_or("an edge is missing")?.2 = named(&nodes)?,
            "to" => edges.last_mut().ok_or("an edge is missing")?.3 = named(&nodes)?,
            "as" => nodes.last_mut().ok_or("a node is missing")?.0 = text(step.args.first())?,
            "property" => {
                let Some(Arg::Literal(value)) = step.args.get(1).cloned() else { return Err("no value".into()) };
                let property = (text(step.args.first())?, value);
                match edges.last_mut() {
                    Some(edge) => edge.1.push(property),
                    None => nodes.last_mut().ok_or("a node is missing")?.1.1.push(property),
                }
            }
            other => return Err(format!("'{other}' makes nothing")),
        }
    }
    Ok(Effect::Graph { matched: given, nodes: nodes.into_iter().map(|(_, n)| n).collect(), edges })
}
