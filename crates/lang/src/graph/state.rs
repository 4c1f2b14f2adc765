//! Random states: graphs after GDBMeter's Algorithm 1, and changes of every kind in random order between the creates.

use super::ast::*;
use super::metamodel::{self, Class, Metamodel};
use qualm_core::dialect::graph::{Feature, GraphDialect, IndexSpec, Kind, SchemaRule, Target};
use qualm_core::explore::Size;
use qualm_core::rng::Rng;

/// How many statements of each kind a state has, both ends included, and how large one CREATE is.
pub struct Amounts {
    pub creates: (usize, usize),
    pub nodes: (usize, usize),
    /// SET, REMOVE, MERGE and connecting edges, each.
    pub changes: (usize, usize),
    pub deletes: (usize, usize),
    pub indexes: (usize, usize),
    pub dropped: (usize, usize),
}

/// `Large` is what the paper's tool does for Neo4j.
pub fn amounts(size: Size) -> Amounts {
    let of = |creates, nodes, changes, deletes, indexes, dropped| Amounts {
        creates,
        nodes,
        changes,
        deletes,
        indexes,
        dropped,
    };
    match size {
        Size::Small => of((2, 4), (1, 4), (0, 1), (0, 1), (0, 2), (0, 1)),
        Size::Medium => of((4, 8), (1, 5), (0, 3), (0, 2), (3, 6), (0, 1)),
        Size::Large => of((20, 30), (1, 6), (0, 8), (0, 8), (3, 10), (2, 5)),
    }
}

/// What exists, as far as the statements say; what an engine rejected must be removed with `forget`.
#[derive(Clone, Debug, Default)]
struct Shadow {
    nodes: Vec<(i64, Vec<String>)>,
    edges: Vec<(i64, String)>,
    indexes: Vec<Statement>,
    last: i64,
}

pub struct States<'a> {
    pub dialect: &'static GraphDialect,
    pub model: &'a Metamodel,
    pub missing: &'a super::probe::Missing,
    pub disputed: bool,
    pub rng: &'a mut Rng,
    shadow: Shadow,
}

#[derive(Clone, Copy)]
enum What {
    Create,
    Connect,
    Merge,
    Set,
    Remove,
    Label,
    Delete,
    Index,
    DropIndex,
}

/// The tables that a typed schema needs.
pub fn tables(model: &Metamodel, dialect: &GraphDialect) -> Vec<Statement> {
    if dialect.schema == SchemaRule::Free {
        return Vec::new();
    }
    let columns = |class: &Class| {
        let key = (KEY.to_owned(), Kind::Int);
        let rest = class.properties.iter().map(|p| (p.clone(), model.kinds(p).first().copied().unwrap_or(Kind::Int)));
        std::iter::once(key).chain(rest).collect::<Vec<_>>()
    };
    let nodes = model.labels.iter().map(|c| Statement::NodeTable { label: c.name.clone(), columns: columns(c) });
    let edges = model.types.iter().map(|c| Statement::EdgeTable {
        kind: c.name.clone(),
        pairs: c.pairs.clone(),
        columns: columns(c),
    });
    nodes.chain(edges).collect()
}

impl<'a> States<'a> {
    pub fn new(
        dialect: &'static GraphDialect,
        model: &'a Metamodel,
        missing: &'a super::probe::Missing,
        disputed: bool,
        rng: &'a mut Rng,
    ) -> States<'a> {
        States { dialect, model, missing, disputed, rng, shadow: Shadow::default() }
    }

    fn has(&self, feature: Feature) -> bool {
        self.dialect.has(feature) && !self.missing.features.contains(&feature)
    }

    /// All statements of a new state.
    pub fn all(&mut self, size: Size) -> Vec<Statement> {
        self.all_of(&amounts(size))
    }

    /// The same with numbers of one's own.
    pub fn all_of(&mut self, amounts: &Amounts) -> Vec<Statement> {
        let mut plan: Vec<What> = Vec::new();
        let mut add = |what: What, (low, high): (usize, usize), rng: &mut Rng| {
            plan.extend(std::iter::repeat_n(what, rng.range(low, high)));
        };
        let one_by_one = !self.has(Feature::CreateGraph);
        if one_by_one {
            // As many nodes and about as many edges, in more statements.
            let nodes = (amounts.creates.0 * 2, amounts.creates.1 * 3);
            add(What::Create, nodes, self.rng);
            add(What::Connect, nodes, self.rng);
        } else {
            add(What::Create, (amounts.creates.0 - 1, amounts.creates.1 - 1), self.rng);
        }
        for what in [What::Connect, What::Set, What::Remove] {
            add(what, amounts.changes, self.rng);
        }
        if self.has(Feature::Merge) {
            add(What::Merge, amounts.changes, self.rng);
        }
        if self.has(Feature::SetLabel) && self.has(Feature::SeveralLabels) {
            add(What::Label, amounts.changes, self.rng);
        }
        add(What::Delete, amounts.deletes, self.rng);
        if !self.dialect.indexes.is_empty() {
            add(What::Index, amounts.indexes, self.rng);
            add(What::DropIndex, amounts.dropped, self.rng);
        }
        self.rng.shuffle(&mut plan);
        plan.insert(0, What::Create);
        let mut statements = tables(self.model, self.dialect);
        for what in plan {
            statements.extend(self.statement(what, amounts));
        }
        statements
    }

    fn statement(&mut self, what: What, amounts: &Amounts) -> Option<Statement> {
        match what {
            What::Create if self.has(Feature::CreateGraph) => Some(self.create(amounts.nodes)),
            What::Create => Some(Statement::Create { nodes: vec![self.node()], edges: Vec::new() }),
            What::Connect => self.connect(),
            What::Merge => self.merge(),
            What::Set => self.set(),
            What::Remove => {
                let (of, properties) = self.existing()?;
                let property = (!properties.is_empty()).then(|| self.rng.pick(&properties).clone())?;
                Some(Statement::Remove { of, property })
            }
            What::Label => {
                let (of, _) = self.existing().filter(|(of, _)| !of.is_edge)?;
                let label = self.rng.pick(&self.model.labels).name.clone();
                let labels = &mut self.shadow.nodes.iter_mut().find(|(k, _)| *k == of.k)?.1;
                if labels.contains(&label) && self.rng.coin() {
                    labels.retain(|l| *l != label);
                    return Some(Statement::RemoveLabel { of, label });
                }
                labels.push(label.clone());
                Some(Statement::SetLabel { of, label })
            }
            What::Delete => self.delete(),
            What::Index => self.index(),
            What::DropIndex => {
                let at = (!self.shadow.indexes.is_empty()).then(|| self.rng.below(self.shadow.indexes.len()))?;
                drop_of(&self.shadow.indexes.remove(at))
            }
        }
    }

    fn key(&mut self) -> i64 {
        self.shadow.last += 1;
        self.shadow.last
    }

    /// A random subset of the class's properties.
    fn properties(&mut self, classes: &[&Class]) -> Vec<(String, Literal)> {
        let mut names: Vec<&String> = classes.iter().flat_map(|c| &c.properties).collect();
        names.sort();
        names.dedup();
        let mut made = Vec::new();
        for name in names {
            if self.rng.chance(3, 5) {
                let kind = *self.rng.pick(self.model.kinds(name));
                made.push((name.clone(), self.value(kind, 40)));
            }
        }
        made
    }

    /// NULL one time in so many, where there is one: as good as no property.
    fn value(&mut self, kind: Kind, nulls: u32) -> Literal {
        if self.dialect.has_null && self.rng.chance(1, nulls) {
            return Literal::Null;
        }
        metamodel::value(kind, self.dialect, self.disputed, self.rng)
    }

    fn node(&mut self) -> Node {
        let model = self.model;
        let mut classes = vec![self.rng.pick(&model.labels)];
        if self.has(Feature::SeveralLabels) {
            match self.rng.below(8) {
                0 => classes.clear(),
                1 | 2 => classes.push(self.rng.pick(&model.labels)),
                _ => {}
            }
        }
        classes.dedup_by(|a, b| a.name == b.name);
        let labels: Vec<String> = classes.iter().map(|c| c.name.clone()).collect();
        let of: Vec<&Class> = if classes.is_empty() { model.labels.iter().collect() } else { classes };
        let k = self.key();
        self.shadow.nodes.push((k, labels.clone()));
        Node { k, keyed: true, labels, properties: self.properties(&of) }
    }

    fn edge(&mut self, from: (i64, &[String]), to: (i64, &[String])) -> Option<Edge> {
        let model = self.model;
        let label = |labels: &[String]| labels.first().cloned().unwrap_or_default();
        let (from_label, to_label) = (label(from.1), label(to.1));
        let joins = |c: &&Class| c.pairs.is_empty() || c.pairs.iter().any(|(a, b)| *a == from_label && *b == to_label);
        let able: Vec<&Class> = model.types.iter().filter(joins).collect();
        if able.is_empty() || from.0 == to.0 && !self.has(Feature::SelfLoop) {
            return None;
        }
        let class = *self.rng.pick(&able);
        let k = self.key();
        self.shadow.edges.push((k, class.name.clone()));
        let properties = self.properties(&[class]);
        Some(Edge {
            k,
            keyed: true,
            kind: class.name.clone(),
            from: from.0,
            to: to.0,
            from_label,
            to_label,
            properties,
        })
    }

    /// Algorithm 1: some nodes, and for each ordered pair of them an edge with probability a half (a third for more
    /// than three nodes, so that paths stay few), now and then a second one.
    fn create(&mut self, (low, high): (usize, usize)) -> Statement {
        let many = self.rng.range(low, high);
        let nodes: Vec<Node> = (0..many).map(|_| self.node()).collect();
        let mut edges = Vec::new();
        for a in &nodes {
            for b in &nodes {
                while self.rng.chance(1, if many > 3 { 4 } else { 2 }) && edges.len() < 12 {
                    edges.extend(self.edge((a.k, &a.labels), (b.k, &b.labels)));
                    if !self.rng.chance(1, 6) {
                        break;
                    }
                }
            }
        }
        Statement::Create { nodes, edges }
    }

    fn connect(&mut self) -> Option<Statement> {
        let nodes = self.shadow.nodes.clone();
        if nodes.is_empty() {
            return None;
        }
        let (from, to) = (self.rng.pick(&nodes).clone(), self.rng.pick(&nodes).clone());
        let edge = self.edge((from.0, &from.1), (to.0, &to.1))?;
        Some(Statement::Connect { edge })
    }

    /// Finds a node that is there, or makes one.
    fn merge(&mut self) -> Option<Statement> {
        let there: Vec<_> = self.shadow.nodes.iter().filter(|(_, l)| l.len() == 1).cloned().collect();
        if there.is_empty() || self.rng.coin() {
            let mut node = self.node();
            node.labels.truncate(1);
            return Some(Statement::Merge { node });
        }
        let (k, labels) = self.rng.pick(&there).clone();
        let model = self.model;
        let classes: Vec<&Class> = model.labels.iter().filter(|c| labels.contains(&c.name)).collect();
        let properties = self.properties(&classes);
        Some(Statement::Merge { node: Node { k, keyed: true, labels, properties } })
    }

    /// Something that exists, and the properties it may have.
    fn existing(&mut self) -> Option<(Existing, Vec<String>)> {
        let edge = !self.shadow.edges.is_empty() && self.rng.chance(1, 3);
        let (k, names, classes) = if edge {
            let (k, kind) = self.rng.pick(&self.shadow.edges).clone();
            (k, vec![kind], &self.model.types)
        } else {
            if self.shadow.nodes.is_empty() {
                return None;
            }
            let (k, labels) = self.rng.pick(&self.shadow.nodes).clone();
            (k, labels, &self.model.labels)
        };
        let of = classes.iter().filter(|c| names.is_empty() || names.contains(&c.name));
        let properties = of.flat_map(|c| c.properties.clone()).collect();
        Some((Existing { k, class: names.first().cloned(), is_edge: edge }, properties))
    }

    fn set(&mut self) -> Option<Statement> {
        let (of, properties) = self.existing()?;
        let property = (!properties.is_empty()).then(|| self.rng.pick(&properties).clone())?;
        let kind = *self.rng.pick(self.model.kinds(&property));
        let value = self.value(kind, 10);
        Some(Statement::Set { of, property, value })
    }

    fn delete(&mut self) -> Option<Statement> {
        let (of, _) = self.existing()?;
        // Without DETACH only what has no edges can go; which do is not known here, so mostly it is said.
        let detach = self.has(Feature::DetachDelete) && !self.rng.chance(1, 8);
        match of.is_edge {
            true => self.shadow.edges.retain(|(k, _)| *k != of.k),
            false => self.shadow.nodes.retain(|(k, _)| *k != of.k),
        }
        Some(Statement::Delete { of, detach })
    }

    fn index(&mut self) -> Option<Statement> {
        let spec = some_index(self.dialect, self.rng)?;
        let made = index_on(&spec, self.model, self.shadow.last + 1, self.rng)?;
        self.shadow.last += 1;
        let same = |s: &Statement| index_place(s) == index_place(&made);
        if self.shadow.indexes.iter().any(same) {
            return None;
        }
        self.shadow.indexes.push(made.clone());
        Some(made)
    }
}

/// A kind of index; those that take any property more often, because most questions can use them.
pub fn some_index(dialect: &GraphDialect, rng: &mut Rng) -> Option<IndexSpec> {
    let weight = |spec: &IndexSpec| match (spec.kinds.is_empty() && !spec.unique, spec.target) {
        (true, Target::Node) => 4,
        (true, _) => 2,
        _ => 1,
    };
    let weights: Vec<u32> = dialect.indexes.iter().map(weight).collect();
    (!weights.is_empty()).then(|| dialect.indexes[rng.weighted(&weights)])
}

/// An index of this kind somewhere in the model.
pub fn index_on(spec: &IndexSpec, model: &Metamodel, number: i64, rng: &mut Rng) -> Option<Statement> {
    let classes = if spec.target == Target::Node { &model.labels } else { &model.types };
    let class = rng.pick(classes);
    let fits = |p: &&String| spec.kinds.is_empty() || model.kinds(p).iter().any(|k| spec.kinds.contains(k));
    let able: Vec<&String> = class.properties.iter().filter(fits).collect();
    // Texts and numbers are what most functions and comparisons are about.
    let weight = |p: &&String| match model.kinds(p).iter().any(|k| matches!(k, Kind::Text | Kind::Int | Kind::Float)) {
        true => 3,
        false => 1,
    };
    let weights: Vec<u32> = able.iter().map(weight).collect();
    let property = match spec.unique {
        true => KEY.to_owned(),
        false => (!able.is_empty()).then(|| able[rng.weighted(&weights)].clone())?,
    };
    Some(Statement::CreateIndex {
        spec: spec.name.into(),
        name: format!("x{number}"),
        class: class.name.clone(),
        property,
    })
}

/// What an index is on: two of one kind on the same would be refused.
pub fn index_place(s: &Statement) -> Option<(&str, &str, &str)> {
    match s {
        Statement::CreateIndex { spec, class, property, .. } => Some((spec, class, property)),
        _ => None,
    }
}

pub fn drop_of(index: &Statement) -> Option<Statement> {
    match index.clone() {
        Statement::CreateIndex { spec, name, class, property } => {
            Some(Statement::DropIndex { spec, name, class, property })
        }
        _ => None,
    }
}
