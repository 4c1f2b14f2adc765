//! Rewrites of queries: some mean the same, some mean less, some mean the parts of it. Each is sound on any graph, for
//! engines with trails (a relationship is used once within one MATCH) and with walks alike.

mod logic;
mod patterns;
pub mod user;
pub mod user_check;
mod user_text;

use super::ast::*;
use qualm_core::dialect::graph::GraphDialect;
use qualm_core::relation::Order;

/// What a rewritten query must be to the first one.
#[derive(Clone, Debug, PartialEq)]
pub enum Variant {
    Same(Query),
    /// Its rows are among the first one's.
    Contained(Query, Order),
    /// The first query is replaced by one that its parts make up.
    Parts(Query, Vec<Query>),
    /// One number: how many rows the first one has.
    Count(Query),
}

pub struct Rule {
    pub name: &'static str,
    pub example: &'static str,
    /// The printer of traversals knows what it makes.
    pub by_steps: bool,
    /// One for each place where the rule fits.
    pub variants: fn(&Query, &GraphDialect) -> Vec<Variant>,
}

pub const RULES: &[Rule] = &[
    Rule { name: "mirror", example: "(a)-[r]->(b)  is  (b)<-[r]-(a)", by_steps: true, variants: patterns::mirror },
    Rule {
        name: "split path",
        example: "(a)-[r]->(b)-[s]->(c)  is  (a)-[r]->(b), (b)-[s]->(c)",
        by_steps: false,
        variants: patterns::split_path,
    },
    Rule {
        name: "split match",
        example: "MATCH (a)-[r:R]->(b)-[s:S]->(c)  is  MATCH (a)-[r:R]->(b) MATCH (b)-[s:S]->(c): types are different",
        by_steps: false,
        variants: patterns::split_match,
    },
    Rule { name: "swap paths", example: "MATCH p, q  is  MATCH q, p", by_steps: false, variants: patterns::swap_paths },
    Rule {
        name: "swap matches",
        example: "MATCH p MATCH q  is  MATCH q MATCH p",
        by_steps: false,
        variants: patterns::swap_matches,
    },
    Rule {
        name: "label to predicate",
        example: "MATCH (n:L)  is  MATCH (n) WHERE n:L",
        by_steps: true,
        variants: patterns::label_to_predicate,
    },
    Rule {
        name: "type to predicate",
        example: "-[r:R]->  is  -[r]-> with type(r) = 'R'",
        by_steps: false,
        variants: patterns::type_to_predicate,
    },
    Rule {
        name: "map to predicate",
        example: "(n {p: 1})  is  (n) with n.p = 1",
        by_steps: true,
        variants: patterns::map_to_predicate,
    },
    Rule { name: "with", example: "…  is  … WITH *", by_steps: false, variants: patterns::wrap_in_with },
    Rule {
        name: "filter to with",
        example: "MATCH p WHERE f  is  MATCH p WITH * WHERE f",
        by_steps: false,
        variants: patterns::filter_to_with,
    },
    Rule {
        name: "call",
        example: "MATCH p RETURN n  is  CALL { MATCH p RETURN n } RETURN n",
        by_steps: false,
        variants: patterns::wrap_in_call,
    },
    Rule {
        name: "count",
        example: "MATCH p RETURN count(*)  is the number of rows of  MATCH p RETURN n",
        by_steps: true,
        variants: patterns::count,
    },
    Rule {
        name: "unwind one",
        example: "MATCH p  is  UNWIND [1] AS u MATCH p",
        by_steps: false,
        variants: patterns::unwind_one,
    },
    Rule {
        name: "both ways",
        example: "(a)-[r]-(b)  is  (a)-[r]->(b)  and  (a)<-[r]-(b), loops left out",
        by_steps: false,
        variants: patterns::both_ways,
    },
    Rule {
        name: "by length",
        example: "-[*1..2]->  is  -[*1]->  and  -[*2]->",
        by_steps: true,
        variants: patterns::by_length,
    },
    Rule { name: "add label", example: "(n:L)  is part of  (n)", by_steps: true, variants: patterns::add_label },
    Rule { name: "add type", example: "-[r:R]->  is part of  -[r]->", by_steps: true, variants: patterns::add_type },
    Rule {
        name: "direct",
        example: "(a)-[r]->(b)  is part of  (a)-[r]-(b)",
        by_steps: true,
        variants: patterns::direct,
    },
    Rule {
        name: "add step",
        example: "MATCH (a)-[r]->(b) RETURN a  is part of  MATCH (a) RETURN a",
        by_steps: false,
        variants: patterns::add_step,
    },
    Rule { name: "swap operands", example: "a AND b  is  b AND a", by_steps: true, variants: logic::swap_operands },
    Rule { name: "double negation", example: "p  is  NOT (NOT p)", by_steps: true, variants: logic::double_negation },
    Rule {
        name: "de morgan",
        example: "NOT (a AND b)  is  (NOT a) OR (NOT b)",
        by_steps: true,
        variants: logic::de_morgan,
    },
    Rule {
        name: "mirror comparison",
        example: "a < b  is  b > a",
        by_steps: false,
        variants: logic::mirror_comparison,
    },
    Rule { name: "in to or", example: "x IN [1, 2]  is  x = 1 OR x = 2", by_steps: true, variants: logic::in_to_or },
    Rule {
        name: "xor to or",
        example: "a XOR b  is  (a AND NOT b) OR (NOT a AND b)",
        by_steps: false,
        variants: logic::xor_to_or,
    },
    Rule {
        name: "filter to case",
        example: "WHERE p  is  WHERE CASE WHEN p THEN true ELSE false END",
        by_steps: false,
        variants: logic::filter_to_case,
    },
    Rule {
        name: "exists to count",
        example: "EXISTS { MATCH p }  is  COUNT { MATCH p } > 0",
        by_steps: true,
        variants: logic::exists_to_count,
    },
    Rule {
        name: "predicates apart",
        example: "has('i',P.gt(1).and(P.lt(5)))  is  has('i',P.gt(1)).has('i',P.lt(5))",
        by_steps: true,
        variants: logic::predicates_apart,
    },
    Rule {
        name: "range apart",
        example: "has('i',P.inside(1,5))  is  has('i',P.gt(1)).has('i',P.lt(5))",
        by_steps: true,
        variants: logic::range_apart,
    },
];

pub fn find(name: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.name == name)
}

/// Rules that the dialect's printer can write.
pub fn able(dialect: &GraphDialect) -> impl Iterator<Item = &'static Rule> {
    let by_steps = dialect.is_by_steps();
    RULES.iter().filter(move |r| r.by_steps || !by_steps)
}

/// One copy of the query for each answer of `change`, which gets the position of a clause.
fn per_clause(query: &Query, change: impl Fn(&mut Query, usize) -> bool) -> Vec<Query> {
    let one = |at: usize| {
        let mut next = query.clone();
        change(&mut next, at).then_some(next)
    };
    (0..query.clauses.len()).filter_map(one).collect()
}
