//! What can be cut out of a graph case: statements, nodes, relationships, labels, properties, clauses, steps of paths,
//! expressions, values. The oracle derives script and claim anew from each variant.

mod expressions;
mod queries;
mod states;
mod vary;
mod weight;

use super::source::GraphSource;
use crate::oracle::graph;
use qualm_core::case::{Case, Origin};
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::reduce::Subject;
use qualm_core::vary::{Place, Varied};

/// One change of a case, to be made on a copy; says whether it had a place.
pub type Edit = Box<dyn Fn(&mut GraphSource) -> bool>;

/// In the order they are tried: what takes most away for one attempt comes first.
const PASSES: &[fn(&GraphSource) -> Vec<Edit>] = &[
    states::drop_statements,
    states::merge_creates,
    states::fold_changes,
    states::drop_elements,
    queries::drop_parts,
    queries::plainer_forms,
    expressions::inner,
    queries::shorter_paths,
    states::drop_properties,
    expressions::simpler,
    expressions::values,
    states::simpler_values,
    states::drop_keys,
    queries::fewer_questions,
];

#[derive(Clone)]
pub struct GraphSubject {
    source: GraphSource,
    dialect: &'static GraphDialect,
    origin: Origin,
}

impl GraphSubject {
    /// Nothing when the case was not made from a graph tree.
    pub fn of(case: &Case, dialect: Option<&'static GraphDialect>) -> Option<GraphSubject> {
        let source = serde_json::from_value(case.source.clone()?).ok()?;
        Some(GraphSubject { source, dialect: dialect?, origin: case.origin })
    }
}

impl Subject for GraphSubject {
    type Edit = Edit;

    fn weight(&self) -> u64 {
        weight::of(&self.source)
    }

    fn passes(&self) -> usize {
        PASSES.len()
    }

    fn edits(&self, pass: usize) -> Vec<Edit> {
        PASSES[pass](&self.source)
    }

    fn apply(&self, edit: &Edit) -> Option<GraphSubject> {
        let mut next = self.clone();
        edit(&mut next.source).then_some(next)
    }

    fn case(&self) -> Option<Case> {
        graph::case(&self.source, self.dialect, self.origin)
    }
}

impl Varied for GraphSubject {
    fn places(&self) -> Vec<Place<Edit>> {
        vary::places(&self.source, self.dialect)
    }
}

fn edit(change: impl Fn(&mut GraphSource) -> bool + 'static) -> Edit {
    Box::new(change)
}

fn remove_range<T>(list: &mut Vec<T>, range: &std::ops::Range<usize>) -> bool {
    if range.end > list.len() || range.is_empty() {
        return false;
    }
    list.drain(range.clone());
    true
}
