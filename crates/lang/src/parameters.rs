//! The numbers by which generators of the three languages work, by name: for `qualm parameters` and `--set NAME=VALUE`.
//! What is not set is as `--size` says.

use crate::datalog::generate::{Parameters, parameters};
use crate::graph::state::{Amounts, amounts};
use crate::sql::generate::{Shape, shape};
use qualm_core::case::Language;
use qualm_core::explore::Size;
use qualm_core::language::Each;
use qualm_core::words::did_you_mean;

/// Where a value goes.
enum Slot<'a> {
    Min(&'a mut (usize, usize)),
    Max(&'a mut (usize, usize)),
    Count(&'a mut usize),
    Small(&'a mut u32),
    /// A chance, in percent.
    Percent(&'a mut u32),
}

struct Row<T> {
    name: &'static str,
    about: &'static str,
    slot: fn(&mut T) -> Slot<'_>,
}

/// Largest count that makes sense; beyond it a database takes longer to build than to hunt in.
const MOST: usize = 1000;

macro_rules! rows {
    ($($name:literal, $about:literal, $field:ident $kind:ident;)*) => {
        &[$(Row { name: $name, about: $about, slot: |p| Slot::$kind(&mut p.$field) }),*]
    };
}

const SQL: &[Row<Shape>] = rows! {
    "themes", "one database in so many is about more than plain tables", themes Small;
    "leanings", "percent: queries, columns and indexes of a database are full of one or two things", leanings Percent;
    "checks", "questions asked of a new database; a changed one gets half of them", checks Small;
    "tables.min", "tables of a database, at least", tables Min;
    "tables.max", "tables of a database, at most", tables Max;
    "columns.min", "columns of a table, at least", columns Min;
    "columns.max", "columns of a table, at most", columns Max;
    "rows.min", "rows of a table, at least", rows Min;
    "rows.max", "rows of a table, at most", rows Max;
    "from.max", "members of FROM at the outermost level", from Count;
    "depth.max", "how deep expressions are nested", depth Small;
    "subqueries.max", "subqueries of a query", subqueries Small;
    "indexes.max", "indexes of a database", indexes Count;
};

const DATALOG: &[Row<Parameters>] = rows! {
    "inputs.min", "relations of facts, at least", inputs Min;
    "inputs.max", "relations of facts, at most", inputs Max;
    "arity.min", "attributes of a relation, at least", arity Min;
    "arity.max", "attributes of a relation, at most", arity Max;
    "rows.min", "tuples of a relation of facts, at least", rows Min;
    "rows.max", "tuples of a relation of facts, at most", rows Max;
    "values.min", "different values of each kind, at least", values Min;
    "values.max", "different values of each kind, at most", values Max;
    "derived.min", "relations with rules, at least", derived Min;
    "derived.max", "relations with rules, at most", derived Max;
    "rules.min", "rules of a relation, at least", rules Min;
    "rules.max", "rules of a relation, at most", rules Max;
    "body.min", "positive subgoals of a body, at least", body Min;
    "body.max", "positive subgoals of a body, at most", body Max;
    "negated.max", "negated subgoals of a body", negated Count;
    "comparisons.max", "comparisons of a body", comparisons Count;
    "join", "percent: an argument repeats a variable of the same value", join Percent;
    "wildcard", "percent: an argument is a wildcard", wildcard Percent;
    "constant", "percent: an argument is a constant", constant Percent;
    "layered", "percent: a subgoal is of a relation with rules", layered Percent;
    "negation", "percent: a body has negated subgoals", negation Percent;
    "comparison", "percent: a body has comparisons", comparison Percent;
    "assignment", "percent: a body computes a value", assignment Percent;
    "aggregate", "percent: a body has an aggregate", aggregate Percent;
    "disjunction", "percent: a body has a disjunction", disjunction Percent;
    "recursion", "percent: a further rule of a relation uses the relation itself", recursion Percent;
    "back_edge", "percent: an early relation gets a rule over a late one", back_edge Percent;
    "head_functor", "percent: an argument of a head is computed", head_functor Percent;
    "blind", "percent: a condition is drawn whether it can hold or not", blind Percent;
};

const GRAPH: &[Row<Amounts>] = rows! {
    "creates.min", "CREATE statements of a state, at least", creates Min;
    "creates.max", "CREATE statements of a state, at most", creates Max;
    "nodes.min", "nodes of a CREATE, at least", nodes Min;
    "nodes.max", "nodes of a CREATE, at most", nodes Max;
    "changes.min", "SET, REMOVE, MERGE and connecting edges each, at least", changes Min;
    "changes.max", "SET, REMOVE, MERGE and connecting edges each, at most", changes Max;
    "deletes.min", "DELETE statements, at least", deletes Min;
    "deletes.max", "DELETE statements, at most", deletes Max;
    "indexes.min", "indexes, at least", indexes Min;
    "indexes.max", "indexes, at most", indexes Max;
    "dropped.min", "indexes that are dropped again, at least", dropped Min;
    "dropped.max", "indexes that are dropped again, at most", dropped Max;
};

/// What `--size` says, with what was set.
pub fn sql(size: Size, set: &[String]) -> Shape {
    with(SQL, shape(size), set)
}

pub fn datalog(size: Size, set: &[String]) -> Parameters {
    with(DATALOG, parameters(size), set)
}

pub fn graph(size: Size, set: &[String]) -> Amounts {
    with(GRAPH, amounts(size), set)
}

/// Texts that are wrong are refused by `check` before a hunt begins; here they are as if nobody had written them.
fn with<T>(rows: &[Row<T>], mut made: T, set: &[String]) -> T {
    for text in set {
        let _ = put(rows, &mut made, text);
    }
    made
}

fn put<T>(rows: &[Row<T>], made: &mut T, text: &str) -> Result<(), String> {
    let (name, value) = text.split_once('=').ok_or_else(|| format!("'{text}' is not NAME=VALUE"))?;
    let (name, value) = (name.trim(), value.trim());
    let row = rows.iter().find(|r| r.name == name).ok_or_else(|| {
        let hint = did_you_mean(name, rows.iter().map(|r| r.name));
        format!("unknown parameter '{name}'{hint}; 'qualm parameters' lists them")
    })?;
    let slot = (row.slot)(made);
    let (least, most) = match &slot {
        // A range that never begins at nothing must not be made to.
        Slot::Min(range) | Slot::Max(range) => (usize::from(range.0 > 0), MOST),
        Slot::Count(_) | Slot::Small(_) => (1, MOST),
        Slot::Percent(_) => (0, 100),
    };
    let number = value.parse::<usize>().ok().filter(|n| (least..=most).contains(n));
    let number = number.ok_or_else(|| format!("'{name}' takes {least} to {most}, not '{value}'"))?;
    match slot {
        // One end moves the other where it has to.
        Slot::Min(range) => *range = (number, range.1.max(number)),
        Slot::Max(range) => *range = (range.0.min(number), number),
        Slot::Count(slot) => *slot = number,
        Slot::Small(slot) | Slot::Percent(slot) => *slot = number as u32,
    }
    Ok(())
}

/// What is wrong with what was set, for an engine of this language.
pub fn check(language: Language, set: &[String]) -> Result<(), String> {
    (CHECKS.of(language))(set)
}

type Check = fn(&[String]) -> Result<(), String>;

const CHECKS: Each<Check> = Each { sql: check_sql, datalog: check_datalog, graph: check_graph };

fn check_sql(set: &[String]) -> Result<(), String> {
    let mut made = shape(Size::default());
    set.iter().try_for_each(|text| put(SQL, &mut made, text))
}

fn check_datalog(set: &[String]) -> Result<(), String> {
    let mut made = parameters(Size::default());
    set.iter().try_for_each(|text| put(DATALOG, &mut made, text))
}

fn check_graph(set: &[String]) -> Result<(), String> {
    let mut made = amounts(Size::default());
    set.iter().try_for_each(|text| put(GRAPH, &mut made, text))
}

/// A row of the table that `qualm parameters` prints: the values for small, medium and large.
pub struct Shown {
    pub language: Language,
    pub name: &'static str,
    pub values: [usize; 3],
    pub about: &'static str,
}

pub fn all() -> Vec<Shown> {
    let sql = table(crate::sql::LANGUAGE, SQL, shape);
    let datalog = table(crate::datalog::LANGUAGE, DATALOG, parameters);
    sql.into_iter().chain(datalog).chain(table(crate::graph::LANGUAGE, GRAPH, amounts)).collect()
}

fn table<T>(language: Language, rows: &[Row<T>], of: fn(Size) -> T) -> Vec<Shown> {
    let mut sizes = [Size::Small, Size::Medium, Size::Large].map(of);
    let value = |slot: Slot| match slot {
        Slot::Min(range) => range.0,
        Slot::Max(range) => range.1,
        Slot::Count(n) => *n,
        Slot::Small(n) | Slot::Percent(n) => *n as usize,
    };
    let shown = |row: &Row<T>| Shown {
        language,
        name: row.name,
        values: std::array::from_fn(|i| value((row.slot)(&mut sizes[i]))),
        about: row.about,
    };
    rows.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    #[test]
    fn what_is_set_counts_and_the_rest_is_as_the_size_says() {
        let made = sql(Size::Medium, &set(&["tables.max=7", "rows.min=20", "depth.max = 5"]));
        assert_eq!(
            (made.tables, made.rows, made.depth, made.columns),
            ((1, 7), (20, 20), 5, shape(Size::Medium).columns)
        );
        assert_eq!(sql(Size::Large, &set(&["tables.max=1"])).tables, (1, 1));
        assert_eq!(datalog(Size::Small, &set(&["recursion=100"])).recursion, 100);
        assert_eq!(graph(Size::Small, &set(&["creates.min=9"])).creates, (9, 9));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (language, text, says) in [
            (Language::Sql, "tables", "is not NAME=VALUE"),
            (Language::Sql, "table.max=3", "(did you mean 'tables.max'?)"),
            (Language::Sql, "rows.max=many", "takes 1 to 1000"),
            (Language::Sql, "tables.max=0", "takes 1 to 1000"),
            (Language::Datalog, "join=101", "takes 0 to 100"),
            (Language::Graph, "tables.max=3", "unknown parameter 'tables.max'"),
        ] {
            let why = check(language, &set(&[text])).unwrap_err();
            assert!(why.contains(says), "{why}");
        }
        assert_eq!(check(Language::Sql, &set(&["tables.max=3", "rows.min=1"])), Ok(()));
    }

    #[test]
    fn every_value_shown_can_be_set() {
        for row in all() {
            let text = format!("{}={}", row.name, row.values[1]);
            assert_eq!(check(row.language, &[text]), Ok(()), "{}", row.name);
        }
    }
}
