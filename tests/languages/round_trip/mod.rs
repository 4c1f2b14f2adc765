//! What is printed is read back as the same tree, for every dialect of Datalog and graphs. (SQL has a reader of its
//! own, and its round trip in tests/languages/properties.rs.) The readers here know what we print, and nothing else.
//! They are written from the languages' manuals and not from the printers, so that a printer that drops a part, forgets
//! a bracket or escapes a text wrongly fails here instead of asking an engine something else than the claim is about.

mod cypher;
mod datalog;
mod gremlin;
mod scan;

use qualm::dialect::graph::{Form, GREMLIN, GraphDialect, Kind, OPENCYPHER, SchemaRule};
use qualm::explore::Size;
use qualm::lang::graph::ast::*;
use qualm::lang::graph::check::{self, steps};
use qualm::lang::graph::express::Generator;
use qualm::lang::graph::metamodel::metamodel;
use qualm::lang::graph::print;
use qualm::lang::graph::probe::Missing;
use qualm::lang::graph::rewrite::{self, Variant};
use qualm::lang::graph::state::States;
use qualm::oracle::graph::GRAPH_ORACLES;
use qualm::rng::Rng;

/// What the text of a statement says. A text does not say where an unnamed element is in the tree, so nodes are known
/// by the order in which they are written, and edges by the places of their ends.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Graph {
        /// So many of the nodes are there already.
        matched: usize,
        nodes: Vec<NewNode>,
        edges: Vec<NewEdge>,
    },
    Merge {
        labels: Vec<String>,
        key: Vec<(String, Literal)>,
        set: Vec<(String, Literal)>,
    },
    Change {
        of: Found,
        change: Change,
    },
}

type Properties = Vec<(String, Literal)>;
/// Its labels and properties.
type NewNode = (Vec<String>, Properties);
/// Its type and properties, and the places of its ends among the nodes.
type NewEdge = (String, Properties, usize, usize);

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub is_edge: bool,
    pub class: Option<String>,
    pub k: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// NULL takes it away.
    Set(String, Literal),
    SetLabel(String),
    RemoveLabel(String),
    Delete {
        detach: bool,
    },
}

/// The element that a pattern finds by its key.
pub fn found(path: &Path) -> Found {
    let key = |properties: &[(String, Literal)]| match properties {
        [(name, Literal::Int(k))] if name == KEY => *k,
        other => panic!("{other:?} is no key"),
    };
    match path.steps.first() {
        Some((r, _)) => Found { is_edge: true, class: r.types.first().cloned(), k: key(&r.properties) },
        None => {
            let class = path.start.labels.first().cloned();
            Found { is_edge: false, class, k: key(&path.start.properties) }
        }
    }
}

/// What the tree of a statement says, without what its dialect has no words for.
fn effect(statement: &Statement, dialect: &GraphDialect) -> Option<Effect> {
    let steps = dialect.form == Form::Gremlin;
    let typed = matches!(dialect.schema, SchemaRule::Typed { .. });
    let keyed = |k: i64, keyed: bool, rest: &[(String, Literal)]| {
        let key = keyed.then(|| (KEY.to_owned(), Literal::Int(k)));
        key.into_iter().chain(rest.iter().cloned()).collect::<Vec<_>>()
    };
    let change = |of: &Existing, change: Change| {
        // Only a schema, or a relationship, needs to know where to look.
        let class = of.class.clone().filter(|_| !steps && (typed || of.is_edge));
        Effect::Change { of: Found { is_edge: of.is_edge, class, k: of.k }, change }
    };
    Some(match statement {
        Statement::Create { nodes, edges } => {
            let mut order: Vec<i64> = match steps {
                true => nodes.iter().map(|n| n.k).collect(),
                false => edges.iter().flat_map(|e| [e.from, e.to]).collect(),
            };
            order.extend(nodes.iter().map(|n| n.k));
            let mut met = Vec::new();
            order.into_iter().for_each(|k| {
                if !met.contains(&k) {
                    met.push(k);
                }
            });
            let place = |k: i64| met.iter().position(|m| *m == k).expect("every end is a node");
            let node = |k: &i64| {
                let n = nodes.iter().find(|n| n.k == *k).expect("every end is a node");
                (n.labels.clone(), keyed(n.k, n.keyed, &n.properties))
            };
            let edge = |e: &Edge| (e.kind.clone(), keyed(e.k, e.keyed, &e.properties), place(e.from), place(e.to));
            Effect::Graph { matched: 0, nodes: met.iter().map(node).collect(), edges: edges.iter().map(edge).collect() }
        }
        Statement::Connect { edge: e } => {
            let end = |label: &str, k: i64| {
                let labels = if typed { vec![label.to_owned()] } else { Vec::new() };
                (labels, vec![(KEY.to_owned(), Literal::Int(k))])
            };
            Effect::Graph {
                matched: 2,
                nodes: vec![end(&e.from_label, e.from), end(&e.to_label, e.to)],
                edges: vec![(e.kind.clone(), keyed(e.k, e.keyed, &e.properties), 0, 1)],
            }
        }
        Statement::Merge { node } => {
            Effect::Merge { labels: node.labels.clone(), key: keyed(node.k, true, &[]), set: node.properties.clone() }
        }
        Statement::Set { of, property, value } => change(of, Change::Set(property.clone(), value.clone())),
        Statement::Remove { of, property } => change(of, Change::Set(property.clone(), Literal::Null)),
        Statement::SetLabel { of, label } => change(of, Change::SetLabel(label.clone())),
        Statement::RemoveLabel { of, label } => change(of, Change::RemoveLabel(label.clone())),
        Statement::Delete { of, detach } => change(of, Change::Delete { detach: *detach && !of.is_edge && !steps }),
        // Templates of the dialect, filled in.
        Statement::NodeTable { .. }
        | Statement::EdgeTable { .. }
        | Statement::CreateIndex { .. }
        | Statement::DropIndex { .. } => return None,
    })
}

/// Cypher has one sign for what Gremlin and the tree keep apart.
fn in_cypher(e: &Expr) -> Expr {
    let mut e = e.clone();
    e.each_mut(&mut |e| {
        *e = match std::mem::replace(e, Expr::truth(true)) {
            Expr::Concat(a, b) => Expr::Arithmetic(Operator::Add, a, b),
            Expr::PredicateNot(a) => Expr::Not(a),
            Expr::PredicateAnd(a, b) => Expr::And(a, b),
            Expr::PredicateOr(a, b) => Expr::Or(a, b),
            // A list of literals is a literal.
            other => other,
        }
    });
    e
}

fn cypher_query(query: &Query) -> Query {
    fn clause(c: &Clause) -> Clause {
        let filter = |f: &Option<Expr>| f.as_ref().map(in_cypher);
        match c {
            Clause::Match { optional, paths, filter: f } => {
                Clause::Match { optional: *optional, paths: paths.clone(), filter: filter(f) }
            }
            Clause::With { filter: f } => Clause::With { filter: filter(f) },
            Clause::Unwind { .. } => c.clone(),
            Clause::Call { clauses } => Clause::Call { clauses: clauses.iter().map(clause).collect() },
        }
    }
    Query {
        clauses: query.clauses.iter().map(clause).collect(),
        distinct: query.distinct,
        items: query.items.iter().map(in_cypher).collect(),
        order_by: query.order_by.iter().map(|(e, down)| (in_cypher(e), *down)).collect(),
    }
}

/// The question as a traversal says it: elements by their places, filters one by one.
fn traversal(query: &Query) -> gremlin::Traversal {
    let Clause::Match { paths, filter, .. } = &query.clauses[0] else { panic!("no path: {query:?}") };
    let mut path = paths[0].clone();
    let mut names = vec![(path.start.var.clone(), "n0".to_owned())];
    path.start.var = "n0".into();
    for (i, (r, n)) in path.steps.iter_mut().enumerate() {
        for (var, name) in [(&mut r.var, format!("r{}", i + 1)), (&mut n.var, format!("n{}", i + 1))] {
            names.push((std::mem::replace(var, name.clone()), name));
        }
    }
    let called = |var: &str| names.iter().find(|(v, _)| v == var).map_or(var.to_owned(), |(_, n)| n.clone());
    let renamed = |e: &Expr| {
        let mut e = e.clone();
        e.each_mut(&mut |e| match e {
            Expr::Var(v) | Expr::Property(v, _) | Expr::HasLabel(v, _) => *v = called(v),
            Expr::Exists(p) | Expr::PathCount(p) => {
                // What a hop finds has no name, and one hop is all there is.
                p.start.var = called(&p.start.var);
                for (r, n) in &mut p.steps {
                    (r.var, n.var) = (String::new(), String::new());
                }
            }
            _ => {}
        });
        e
    };
    let mut filters = Vec::new();
    let with = query.clauses[1..].iter().filter_map(|c| match c {
        Clause::With { filter } => filter.as_ref(),
        _ => None,
    });
    filter.iter().chain(with).for_each(|f| gremlin::flatten(renamed(f), &mut filters));
    let down = query.order_by.first().map(|(_, down)| *down);
    let items = query.items.iter().map(renamed).collect();
    let end = called(steps::end(query).expect("a path"));
    let mut traversal = gremlin::Traversal { path, filters, distinct: query.distinct, items, down };
    settle(&mut traversal, &end);
    traversal
}

/// A label of an element is one step, whether a pattern or a filter wants it, and the direction of an edge that is
/// asked for by itself is not in it.
fn settle(traversal: &mut gremlin::Traversal, end: &str) {
    let mut labels = Vec::new();
    let mut take = |var: &str, all: &mut Vec<String>| {
        labels.extend(all.drain(..).map(|l| Expr::HasLabel(var.into(), l)));
    };
    let path = &mut traversal.path;
    take("n0", &mut path.start.labels);
    for (r, n) in &mut path.steps {
        // One type is a label as well.
        if r.var == end && r.types.len() == 1 {
            take(&r.var.clone(), &mut r.types);
        }
        take(&n.var.clone(), &mut n.labels);
    }
    labels.append(&mut traversal.filters);
    // Labels first, whatever came between.
    labels.sort_by_key(|f| !matches!(f, Expr::HasLabel(..)));
    let count = labels.iter().take_while(|f| matches!(f, Expr::HasLabel(..))).count();
    labels[..count].sort_by_cached_key(|f| format!("{f:?}"));
    traversal.filters = labels;
}

static TYPED: GraphDialect = GraphDialect {
    name: "typed",
    schema: SchemaRule::Typed {
        node: "CREATE NODE TABLE {label}({columns}, PRIMARY KEY (k))",
        relationship: "CREATE REL TABLE {type}({pairs}, {columns})",
        pair: "FROM {from} TO {to}",
        column: "{property} {type}",
        types: &[(Kind::Int, "INT64"), (Kind::Text, "STRING")],
    },
    kinds: &[Kind::Int, Kind::Text],
    ..OPENCYPHER
};

fn dialects() -> Vec<&'static GraphDialect> {
    let mut all = vec![&OPENCYPHER, &GREMLIN, &TYPED];
    #[cfg(feature = "servers")]
    all.extend([
        &qualm::engine::bolt::dialect::NEO4J,
        &qualm::engine::bolt::dialect::MEMGRAPH,
        &qualm::engine::bolt::dialect::ARCADEDB,
        &qualm::engine::falkordb::dialect::FALKORDB,
        &qualm::engine::gremlin::TINKERGRAPH,
    ]);
    #[cfg(feature = "grafeo")]
    all.extend([&qualm::engine::grafeo::CYPHER, &qualm::engine::grafeo::GRAFEO_GREMLIN]);
    all
}

fn query_agrees(query: &Query, dialect: &GraphDialect) {
    let text = print::query(query, dialect);
    let said = |why: String| -> ! { panic!("{}: {why}\n{text}", dialect.name) };
    match dialect.form {
        Form::Cypher => {
            let read = cypher::query(&text, dialect).unwrap_or_else(|why| said(why));
            assert_eq!(cypher_query(query), read, "{}\n{text}", dialect.name);
        }
        Form::Gremlin => {
            let mut read = gremlin::query(&text, dialect).unwrap_or_else(|why| said(why));
            let expected = traversal(query);
            let end = expected.path.steps.len();
            let ends = [format!("r{end}"), format!("n{end}")];
            let last = steps::end(query).expect("a path");
            let Clause::Match { paths, .. } = &query.clauses[0] else { unreachable!("checked above") };
            let on_edge = paths[0].steps.last().is_some_and(|(r, _)| r.var == last);
            settle(&mut read, &ends[usize::from(!on_edge)]);
            assert_eq!(expected, read, "{}\n{text}", dialect.name);
        }
    }
}

/// What one of the rewrites makes of a query.
fn rewritings(query: &Query, dialect: &GraphDialect, rng: &mut Rng) -> Vec<Query> {
    let rules: Vec<_> = rewrite::able(dialect).collect();
    let rule = rules[rng.below(rules.len())];
    (rule.variants)(query, dialect)
        .into_iter()
        .flat_map(|variant| match variant {
            Variant::Same(q) | Variant::Contained(q, _) | Variant::Count(q) => vec![q],
            Variant::Parts(whole, parts) => std::iter::once(whole).chain(parts).collect(),
        })
        .collect()
}

/// Questions of every oracle, and what the rewrites make of them.
#[test]
fn graph_queries_are_read_back() {
    for dialect in dialects() {
        let mut rng = Rng::new(7);
        let missing = Missing::default();
        let (mut queries, mut rewritten) = (0, 0);
        for round in 0..40 {
            let disputed = round % 3 == 0;
            let model = metamodel(dialect, &mut rng);
            let state = States::new(dialect, &model, &missing, disputed, &mut rng).all(Size::Medium);
            for oracle in GRAPH_ORACLES.iter().flat_map(|o| std::iter::repeat_n(o, 12)) {
                let mut generator = Generator::new(dialect, &model, &missing, disputed, &mut rng);
                let Some(question) = (oracle.propose)(&mut generator, &state) else { continue };
                if !check::is_sound(&question.query, &model, dialect, disputed) {
                    continue;
                }
                queries += 1;
                query_agrees(&question.query, dialect);
                for made in rewritings(&question.query, dialect, &mut rng) {
                    if check::is_sound(&made, &model, dialect, disputed) {
                        rewritten += 1;
                        query_agrees(&made, dialect);
                    }
                }
            }
        }
        println!("{}: {queries} queries, {rewritten} rewritten", dialect.name);
        assert!(queries > 1_000, "{}: {queries}", dialect.name);
    }
}

#[test]
fn graph_statements_are_read_back() {
    for dialect in dialects() {
        let mut rng = Rng::new(9);
        let missing = Missing::default();
        let mut read = 0;
        for round in 0..150 {
            let disputed = round % 2 == 0;
            let model = metamodel(dialect, &mut rng);
            let size = [Size::Small, Size::Medium, Size::Large][round % 3];
            for statement in States::new(dialect, &model, &missing, disputed, &mut rng).all(size) {
                let Some(expected) = effect(&statement, dialect) else { continue };
                let text = print::statement(&statement, dialect);
                let actual = match dialect.form {
                    Form::Cypher => cypher::statement(&text, dialect),
                    Form::Gremlin => gremlin::statement(&text, dialect),
                };
                let actual = actual.unwrap_or_else(|why| panic!("{}: {why}\n{text}", dialect.name));
                assert_eq!(expected, actual, "{}\n{text}", dialect.name);
                read += 1;
            }
        }
        assert!(read > 500, "{}: {read}", dialect.name);
    }
}

/// Texts with everything that has a meaning in some form, and numbers at the edges.
#[test]
fn edge_values_of_graphs_are_read_back() {
    let texts = ["", " ", "'", "\"", "\\", "\\'", "a\nb", "a\tb", "//", "/*", "$x", "{x}", "é😀", "null", "`"];
    let ints = [0, -1, i64::MAX, i64::MIN];
    let floats = [0.0, -0.0, 1.5, -2.25, 1e300, 5e-324, 123_456_789.125, 1e21];
    let values = texts.iter().map(|t| Literal::Text((*t).into()));
    let values = values.chain(ints.map(Literal::Int)).chain(floats.map(Literal::Float));
    let mut values: Vec<Literal> = values.chain([Literal::Null, Literal::Bool(true), Literal::Bool(false)]).collect();
    values.push(Literal::List(values.clone()));
    for dialect in dialects() {
        for value in &values {
            let of = Existing { k: 3, class: Some("A".into()), is_edge: false };
            let statement = Statement::Set { of, property: "p".into(), value: value.clone() };
            let text = print::statement(&statement, dialect);
            let actual = match dialect.form {
                Form::Cypher => cypher::statement(&text, dialect),
                Form::Gremlin => gremlin::statement(&text, dialect),
            };
            let expected = effect(&statement, dialect);
            // Two zeros are equal; their texts are not.
            assert_eq!(format!("{expected:?}"), format!("{:?}", actual.ok()), "{}\n{text}", dialect.name);
        }
    }
}
